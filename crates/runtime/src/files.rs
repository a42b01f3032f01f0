//! Reading texts and writing results: never a hang, never a half-written file.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The longest text that is read, in bytes: 16 MiB.
pub const TEXT_LIMIT: u64 = 16 << 20;

/// How the names of files and folders begin that are not complete yet, and how they end.
pub(crate) const PART_PREFIX: &str = ".squeeze-";
/// See [`PART_PREFIX`].
pub(crate) const PART_SUFFIX: &str = ".part";

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// There is no such file.
    #[error("there is no file `{}`", .0.display())]
    Missing(PathBuf),
    /// A directory stands where a file should.
    #[error("`{}` is a directory, not a file", .0.display())]
    Directory(PathBuf),
    /// A pipe, a socket or a device: reading it might never end.
    #[error("`{}` is not a regular file (a pipe or a device?)", .0.display())]
    Special(PathBuf),
    /// The file may not be read.
    #[error("no permission to read `{}`", .0.display())]
    Forbidden(PathBuf),
    /// The file is longer than any text that is read.
    #[error("`{}` is too long: {bytes} bytes; a text has at most {TEXT_LIMIT} bytes (16 MiB)", .path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// The folder for a result does not exist.
    #[error("cannot write `{}`: there is no folder `{}`", .path.display(), .folder.display())]
    NoFolder {
        /// The file that was to be written.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// Any other failure to read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Any other failure to write, such as a full disk.
    #[error("cannot write `{}`: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl FileError {
    /// True if the file that was named is the trouble, false if the system is.
    pub fn is_users(&self) -> bool {
        !matches!(self, FileError::Read { .. } | FileError::Write { .. } | FileError::NoFolder { .. })
    }

    pub(crate) fn reading(path: &Path, source: io::Error) -> FileError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::Missing(path),
            io::ErrorKind::PermissionDenied => FileError::Forbidden(path),
            _ => FileError::Read { path, source },
        }
    }

    pub(crate) fn writing(path: &Path, source: io::Error) -> FileError {
        FileError::Write { path: path.to_owned(), source }
    }

    /// A failure that a library has told in its own words.
    pub(crate) fn writing_text(path: &Path, reason: &dyn std::fmt::Display) -> FileError {
        FileError::writing(path, io::Error::other(reason.to_string()))
    }
}

/// Reads the bytes of a text file. What it is and how long it is are asked before anything is opened, so that a pipe
/// or an endless device cannot hang the program.
///
/// # Errors
/// If the file is missing, not a regular file, longer than [`TEXT_LIMIT`] or unreadable.
pub fn read_text_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    let metadata = fs::metadata(path).map_err(|e| FileError::reading(path, e))?;
    if metadata.is_dir() {
        return Err(FileError::Directory(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(FileError::Special(path.to_owned()));
    }
    if metadata.len() > TEXT_LIMIT {
        return Err(FileError::TooLong { path: path.to_owned(), bytes: metadata.len() });
    }
    let file = File::open(path).map_err(|e| FileError::reading(path, e))?;
    read_limited(file, path)
}

/// The length of a regular file.
///
/// # Errors
/// If the file is missing or not a regular file.
pub(crate) fn length(path: &Path) -> Result<u64, FileError> {
    let metadata = fs::metadata(path).map_err(|e| FileError::reading(path, e))?;
    if metadata.is_dir() {
        return Err(FileError::Directory(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(FileError::Special(path.to_owned()));
    }
    Ok(metadata.len())
}

/// Reads the bytes of a regular file of at most `limit` bytes.
///
/// # Errors
/// If the file is missing, not a regular file, longer or unreadable.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let length = length(path)?;
    if length > limit {
        let reason = format!("it has {length} bytes, more than the {limit} that are expected at most");
        return Err(FileError::Read { path: path.to_owned(), source: io::Error::other(reason) });
    }
    fs::read(path).map_err(|e| FileError::reading(path, e))
}

/// Reads standard input to its end, under the same limit.
///
/// # Errors
/// If it is longer than [`TEXT_LIMIT`] or cannot be read.
pub fn read_standard_input() -> Result<Vec<u8>, FileError> {
    read_limited(io::stdin().lock(), Path::new("-"))
}

/// Reads to the end, but no further than the limit: a file may grow after its length was asked.
fn read_limited(reader: impl Read, path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    reader.take(TEXT_LIMIT + 1).read_to_end(&mut bytes).map_err(|e| FileError::reading(path, e))?;
    if bytes.len() as u64 > TEXT_LIMIT {
        return Err(FileError::TooLong { path: path.to_owned(), bytes: bytes.len() as u64 });
    }
    Ok(bytes)
}

/// A file in the making: it appears under its name only when it is complete.
///
/// It is begun before a long computation, so that a missing folder or a lack of permission shows at once. A symbolic link stays
/// one; a pipe or a device such as `/dev/stdout` is written to directly.
#[derive(Debug)]
pub struct PendingFile {
    path: PathBuf,
    target: Target,
}

/// Where the bytes of a [`PendingFile`] go.
#[derive(Debug)]
enum Target {
    /// Into a file beside it, which then takes its name.
    Beside(tempfile::NamedTempFile),
    /// Into the pipe or the device itself: another file must not take its place.
    Special(File),
}

impl PendingFile {
    /// Begins a file next to where it is to appear.
    ///
    /// # Errors
    /// If the folder is missing or cannot be written to, or the path is a directory.
    pub fn begin(path: &Path) -> Result<PendingFile, FileError> {
        let special = |metadata: fs::Metadata| !metadata.is_file() && !metadata.is_dir();
        if fs::metadata(path).is_ok_and(special) {
            let file = File::options().write(true).open(path).map_err(|e| FileError::writing(path, e))?;
            return Ok(PendingFile { path: path.to_owned(), target: Target::Special(file) });
        }
        // Where a symbolic link leads to.
        let target = if path.is_symlink() { fs::canonicalize(path).ok() } else { None };
        let path = target.as_deref().unwrap_or(path);
        if path.is_dir() {
            return Err(FileError::Directory(path.to_owned()));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            return Err(FileError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PART_PREFIX).suffix(PART_SUFFIX);
        // A replaced file keeps its permissions; a new one gets the usual ones, not a temporary file's private ones.
        match fs::metadata(path) {
            Ok(metadata) => _ = builder.permissions(metadata.permissions()),
            #[cfg(unix)]
            Err(_) => {
                use std::os::unix::fs::PermissionsExt;
                builder.permissions(fs::Permissions::from_mode(0o666));
            }
            #[cfg(not(unix))]
            Err(_) => {}
        }
        let temporary = builder.tempfile_in(folder).map_err(|e| FileError::writing(path, e))?;
        Ok(PendingFile { path: path.to_owned(), target: Target::Beside(temporary) })
    }

    /// The file, to write into it piece by piece before [`finish`](Self::finish).
    pub fn file(&mut self) -> &mut File {
        match &mut self.target {
            Target::Beside(temporary) => temporary.as_file_mut(),
            Target::Special(file) => file,
        }
    }

    /// Writes the contents behind what is there, makes all durable and gives the file its name.
    ///
    /// # Errors
    /// If the disk is full or anything else goes wrong; what stood under the name before is then untouched.
    pub fn finish(mut self, contents: &[u8]) -> Result<(), FileError> {
        let written = self.file().write_all(contents);
        written.map_err(|e| FileError::writing(&self.path, e))?;
        // What went into a pipe or a device is no longer ours.
        let Target::Beside(temporary) = self.target else { return Ok(()) };
        temporary.as_file().sync_all().map_err(|e| FileError::writing(&self.path, e))?;
        temporary.persist(&self.path).map_err(|e| FileError::writing(&self.path, e.error))?;
        sync_parent(&self.path).map_err(|e| FileError::writing(&self.path, e))?;
        Ok(())
    }
}

/// Writes a whole file, or leaves what was there.
///
/// # Errors
/// As [`PendingFile::begin`] and [`PendingFile::finish`].
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    PendingFile::begin(path)?.finish(contents)
}

/// Makes the name of a file or folder durable.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sync_folder(folder)
}

/// Makes the names in a folder durable, on systems where that can be asked for.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Makes a folder and all that is in it durable.
pub(crate) fn sync_tree(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { sync_tree(&path)? } else { File::open(&path)?.sync_all()? }
    }
    sync_folder(folder)
}

/// Whether this is the name of something that is not complete yet.
pub(crate) fn is_part(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(PART_PREFIX) && name.ends_with(PART_SUFFIX)
}

/// Removes what an earlier process left incomplete in a folder.
pub(crate) fn remove_parts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_part(&entry.file_name()) {
            let path = entry.path();
            if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_regular_file_is_refused_without_hanging() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read_text_bytes(folder.path()), Err(FileError::Directory(_))));
        assert!(matches!(read_text_bytes(&folder.path().join("none")), Err(FileError::Missing(_))));
        #[cfg(unix)]
        assert!(matches!(read_text_bytes(Path::new("/dev/zero")), Err(FileError::Special(_))));
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_is_written_to_and_stays_one() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write_atomically(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    }

    #[test]
    fn a_text_over_the_limit_is_refused_by_its_length() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(TEXT_LIMIT).unwrap();
        assert_eq!(read_text_bytes(file.path()).unwrap().len() as u64, TEXT_LIMIT);
        file.as_file().set_len(TEXT_LIMIT + 1).unwrap();
        let error = read_text_bytes(file.path()).unwrap_err();
        assert!(matches!(error, FileError::TooLong { bytes, .. } if bytes == TEXT_LIMIT + 1), "{error}");
    }

    #[test]
    fn a_written_file_replaces_the_old_one_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("a.txt", &link).unwrap();
            write_atomically(&link, b"three").unwrap();
            assert_eq!((fs::read(&path).unwrap(), link.is_symlink()), (b"three".to_vec(), true));
        }
        let missing = write_atomically(&folder.path().join("no/a.txt"), b"").unwrap_err();
        assert!(matches!(missing, FileError::NoFolder { .. }) && !missing.is_users());
    }
}
