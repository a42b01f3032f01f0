//! The reader of every file whose content comes from outside: regular files only, and no more bytes than are expected at most.
//!
//! The kind of a file and its length are asked before a byte of it is read, so that neither a pipe nor an endless device can hang
//! the program, nor a long file fill its memory. Symbolic links are followed: archives such as git-annex and DVC keep the files of folders behind
//! them. Folders that Squeeze alone writes have none.

use super::layer::{self, File, Links};
use super::{FileError, TEXT_LIMIT};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A regular file that is being read, up to a limit.
#[derive(Debug)]
pub struct Bounded {
    path: PathBuf,
    file: io::Take<File>,
    length: u64,
}

impl Bounded {
    /// Opens a file of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`read`].
    pub fn open(path: &Path, limit: u64, links: Links) -> Result<Bounded, FileError> {
        let failed = |error: io::Error| match std::fs::read_link(path) {
            Ok(target) if error.kind() == io::ErrorKind::NotFound => {
                FileError::Dangling { path: path.to_owned(), target }
            }
            _ => FileError::reading(path, error),
        };
        let metadata = match links {
            Links::Followed => std::fs::metadata(path),
            Links::Refused => std::fs::symlink_metadata(path),
        };
        check(path, &metadata.map_err(failed)?, limit)?;
        super::check_kept(path)?;
        let file = layer::open(path, links).map_err(failed)?;
        // Another file may have taken its place meanwhile.
        let metadata = file.metadata().map_err(failed)?;
        check(path, &metadata, limit)?;
        Ok(Bounded { path: path.to_owned(), file: file.take(limit.saturating_add(1)), length: metadata.len() })
    }

    /// Its metadata, as the system gives them.
    pub fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.file.get_ref().metadata()
    }

    /// Begins to read at this byte.
    ///
    /// # Errors
    /// If the file cannot be read from any place.
    pub fn seek(&mut self, at: u64) -> io::Result<()> {
        self.file.get_ref().seek(at)
    }

    /// Its length when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes that were not yet read.
    ///
    /// # Errors
    /// [`FileError::TooLong`] if the file has grown beyond the limit since it was opened, or [`FileError::Read`].
    pub fn rest(mut self) -> Result<Vec<u8>, FileError> {
        let limit = self.file.limit();
        let mut bytes = Vec::with_capacity(self.length.min(limit) as usize);
        self.file.read_to_end(&mut bytes).map_err(|error| FileError::reading(&self.path, error))?;
        if self.file.limit() == 0 {
            return Err(FileError::TooLong { path: self.path, bytes: bytes.len() as u64, limit: limit - 1 });
        }
        Ok(bytes)
    }
}

impl Read for Bounded {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

/// Whether it is a regular file that is short enough.
fn check(path: &Path, metadata: &std::fs::Metadata, limit: u64) -> Result<(), FileError> {
    let path = || path.to_owned();
    match metadata.file_type() {
        kind if kind.is_dir() => Err(FileError::Directory(path())),
        kind if kind.is_symlink() => Err(FileError::Link(path())),
        kind if !kind.is_file() => Err(FileError::Special(path())),
        _ if metadata.len() > limit => Err(FileError::TooLong { path: path(), bytes: metadata.len(), limit }),
        _ => Ok(()),
    }
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// If it is missing, not a regular file, longer or unreadable; [`FileError::Link`] for a link that is not followed, [`FileError::WrittenOver`] for
/// what this process has announced to write.
pub fn read(path: &Path, limit: u64, links: Links) -> Result<Vec<u8>, FileError> {
    Bounded::open(path, limit, links)?.rest()
}

/// Reads the bytes of a text file.
///
/// # Errors
/// If the file is missing, not a regular file, longer than [`TEXT_LIMIT`] or unreadable.
pub fn read_text_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    read(path, TEXT_LIMIT, Links::Followed)
}

/// The bytes of standard input, once they were read.
static INPUT: Mutex<Option<Arc<Vec<u8>>>> = Mutex::new(None);

/// All of standard input, under the same limit. A command reads it once.
///
/// # Errors
/// If it is longer than [`TEXT_LIMIT`] or cannot be read.
pub fn read_standard_input() -> Result<Arc<Vec<u8>>, FileError> {
    let mut known = INPUT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = &*known {
        return Ok(Arc::clone(bytes));
    }
    let path = Path::new("-");
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(TEXT_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|error| FileError::reading(path, error))?;
    if bytes.len() as u64 > TEXT_LIMIT {
        return Err(FileError::TooLong { path: path.to_owned(), bytes: bytes.len() as u64, limit: TEXT_LIMIT });
    }
    Ok(Arc::clone(known.insert(Arc::new(bytes))))
}

/// Forgets the bytes of standard input.
pub(super) fn forget_input() {
    *INPUT.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_not_a_regular_file_is_refused_without_hanging() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(matches!(read_text_bytes(folder.path()), Err(FileError::Directory(_))));
        assert!(matches!(read_text_bytes(&at("none")), Err(FileError::Missing(_))));
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            assert!(matches!(read_text_bytes(Path::new("/dev/zero")), Err(FileError::Special(_))));
            assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
            assert!(matches!(read_text_bytes(&at("pipe")), Err(FileError::Special(_))));
            symlink("/dev/zero", at("endless")).unwrap();
            assert!(matches!(read_text_bytes(&at("endless")), Err(FileError::Special(_))));
            fs::write(at("text"), "text").unwrap();
            symlink("text", at("link")).unwrap();
            assert_eq!(read_text_bytes(&at("link")).unwrap(), b"text");
            assert!(matches!(read(&at("link"), 5, Links::Refused), Err(FileError::Link(_))));
            symlink("nowhere", at("lost")).unwrap();
            assert!(matches!(read_text_bytes(&at("lost")), Err(FileError::Dangling { .. })));
        }
    }

    #[test]
    fn a_text_over_the_limit_is_refused_by_its_length() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(TEXT_LIMIT).unwrap();
        assert_eq!(read_text_bytes(file.path()).unwrap().len() as u64, TEXT_LIMIT);
        file.as_file().set_len(TEXT_LIMIT + 1).unwrap();
        let error = read_text_bytes(file.path()).unwrap_err();
        assert!(matches!(error, FileError::TooLong { bytes, .. } if bytes == TEXT_LIMIT + 1), "{error}");
        assert!(error.to_string().contains("16 MiB"), "{error}");
    }

    #[test]
    fn a_file_that_grows_is_read_up_to_the_limit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let bounded = Bounded::open(file.path(), 10, Links::Refused).unwrap();
        fs::write(file.path(), [7; 11]).unwrap();
        assert!(matches!(bounded.rest(), Err(FileError::TooLong { limit: 10, .. })));
    }
}
