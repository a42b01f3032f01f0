//! Files that appear under their names only when they are complete.

use super::layer::{self, File};
use super::{FileError, PART_PREFIX, PART_SUFFIX};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file in the making: it appears under its name only when it is complete.
///
/// It is begun before a long computation, so that a missing folder or a lack of permission shows at once. A symbolic link stays one; a pipe or a device such
/// as `/dev/stdout` is written to directly. Where the system has files without names (Linux), a process that is killed leaves nothing of it, unless it is
/// just replacing a file; then, and elsewhere, a file `.squeeze-….part` may be left. A later file in the making in this folder removes it once it is a minute old.
#[derive(Debug)]
pub struct PendingFile {
    path: PathBuf,
    file: File,
    destination: Destination,
}

/// Where the bytes of a [`PendingFile`] go.
#[derive(Debug)]
enum Destination {
    /// Into a file without a name.
    Unnamed,
    /// Into a temporary file in the same folder, which is renamed in the end.
    Beside(PathBuf),
    /// Into the pipe or the device itself: another file must not take its place.
    Special,
}

impl PendingFile {
    /// Begins a file next to where it is to appear.
    ///
    /// # Errors
    /// If the folder is missing or cannot be written to, the path is a directory or a link to a read-only file ([`FileError::Locked`]), or a device cannot be opened.
    pub fn begin(path: &Path) -> Result<PendingFile, FileError> {
        let special = |metadata: fs::Metadata| !metadata.is_file() && !metadata.is_dir();
        if fs::metadata(path).is_ok_and(special) {
            let file = layer::open_special(path).map_err(|error| FileError::writing(path, error))?;
            return Ok(PendingFile { path: path.to_owned(), file, destination: Destination::Special });
        }
        if path.is_symlink() {
            check_unlocked(path)?;
        }
        // Where a symbolic link leads to.
        let target = if path.is_symlink() { fs::canonicalize(path).ok() } else { None };
        let pending = PendingFile::begin_here(target.as_deref().unwrap_or(path))?;
        // A file that cannot be removed does no harm.
        _ = sweep(parent(&pending.path));
        Ok(pending)
    }

    /// Begins a file inside of a folder that is ours: it takes the place of a link, a pipe or a device under its name.
    ///
    /// # Errors
    /// If the folder is missing or cannot be written to, or the path is a directory.
    pub fn begin_here(path: &Path) -> Result<PendingFile, FileError> {
        let failed = |error| FileError::writing(path, error);
        let before = fs::symlink_metadata(path).ok();
        if before.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(FileError::Directory(path.to_owned()));
        }
        let folder = parent(path);
        if !folder.is_dir() {
            return Err(FileError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
        }
        let part = unused_part(folder);
        let (file, destination) = match layer::create_unnamed(folder, &part).map_err(failed)? {
            Some(file) => (file, Destination::Unnamed),
            None => (layer::create(&part).map_err(failed)?, Destination::Beside(part)),
        };
        // The lock tells other processes that the file is in use. On systems without locks they touch no such file.
        _ = file.try_lock();
        if let Some(before) = before.filter(fs::Metadata::is_file) {
            // A replaced file keeps its permissions. Some file systems have none.
            _ = file.set_permissions(before.permissions());
        }
        Ok(PendingFile { path: path.to_owned(), file, destination })
    }

    /// The file, to write into it piece by piece before [`finish`](Self::finish).
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Where it is to appear.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A name by which another program can open the file and write into it before [`finish`](Self::finish): one beside its own, or that of the pipe or device.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn name_for_others(&mut self) -> Result<PathBuf, FileError> {
        match &self.destination {
            Destination::Special => return Ok(self.path.clone()),
            Destination::Beside(part) => return Ok(part.clone()),
            Destination::Unnamed => {}
        }
        let part = unused_part(parent(&self.path));
        self.file.link(&part).map_err(|error| FileError::writing(&self.path, error))?;
        self.destination = Destination::Beside(part.clone());
        Ok(part)
    }

    /// Appends the contents, makes all durable and gives the file its name.
    ///
    /// # Errors
    /// If the disk is full or anything else goes wrong; an older file of the name is then untouched, but for a device, or if the new name alone is not durable.
    pub fn finish(mut self, contents: &[u8]) -> Result<(), FileError> {
        let failed = |error| FileError::writing(&self.path, error);
        self.file.write_all(contents).map_err(failed)?;
        // Bytes in a pipe or a device are no longer ours.
        if matches!(self.destination, Destination::Special) {
            return Ok(());
        }
        self.file.sync().map_err(failed)?;
        self.give_name().and_then(|()| sync_parent(&self.path)).map_err(|error| FileError::writing(&self.path, error))
    }

    /// As [`finish`](Self::finish), but after a power cut the file may be damaged.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_fast(mut self, contents: &[u8]) -> Result<(), FileError> {
        let done = self.file.write_all(contents).and_then(|()| self.give_name());
        done.map_err(|error| FileError::writing(&self.path, error))
    }

    /// Denies all other users to read or write the file.
    pub fn make_private(&mut self) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Some file systems have no permissions.
            _ = self.file.set_permissions(fs::Permissions::from_mode(0o600));
        }
    }

    fn give_name(&mut self) -> io::Result<()> {
        match &self.destination {
            Destination::Special => Ok(()),
            Destination::Beside(part) => {
                layer::rename(part, &self.path)?;
                // From now on another file may have the old name, which `drop` must not remove.
                self.destination = Destination::Special;
                Ok(())
            }
            Destination::Unnamed => match self.file.link(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.take_name(),
                result => result,
            },
        }
    }

    /// Takes a name that another file has: the file gets a name of its own first. A process that is killed in between leaves that.
    fn take_name(&self) -> io::Result<()> {
        let part = unused_part(parent(&self.path));
        self.file.link(&part)?;
        layer::rename(&part, &self.path).inspect_err(|_| {
            // The failure of renaming is reported instead.
            _ = layer::remove_file(&part);
        })
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if let Destination::Beside(part) = &self.destination {
            // The error has no reader.
            _ = layer::remove_file(part);
        }
    }
}

/// Writes a whole file, or leaves the old one.
///
/// # Errors
/// As [`PendingFile::begin`] and [`PendingFile::finish`].
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    PendingFile::begin(path)?.finish(contents)
}

/// Writes a whole file inside of a folder that is ours: a link under its name is replaced and not followed.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_inside(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    PendingFile::begin_here(path)?.finish(contents)
}

/// Refuses a read-only file, or a link to one. Archives keep their files so: git-annex, DataLad and DVC.
///
/// # Errors
/// [`FileError::Locked`].
pub fn check_unlocked(path: &Path) -> Result<(), FileError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.permissions().readonly() => {
            Err(FileError::Locked(path.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Makes the name of a file or folder durable.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    layer::sync_folder(parent(path))
}

/// The folder that a path is in.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name for something incomplete in a folder that nothing else there is likely to have.
pub fn unused_part(folder: &Path) -> PathBuf {
    // Every state of these hashers begins with other random numbers.
    folder.join(format!("{PART_PREFIX}{:016x}{PART_SUFFIX}", RandomState::new().hash_one(std::process::id())))
}

/// Removes a folder so that no process sees a part of it: it loses its name first. A folder that is gone already is no error.
pub fn remove_whole(path: &Path) -> io::Result<()> {
    let part = unused_part(parent(path));
    match layer::rename(path, &part) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        renamed => renamed?,
    }
    sync_parent(path)?;
    layer::remove_tree(&part)
}

/// Removes incomplete files that killed processes left in a folder: those that no process has locked and that are more than a minute old, so that none
/// is about to lock them.
fn sweep(folder: &Path) -> io::Result<()> {
    const ABANDONED: Duration = Duration::from_secs(60);
    for (name, kind) in layer::list(folder)? {
        if !kind.is_file() || !super::is_part(&name) {
            continue;
        }
        let path = folder.join(name);
        let file = layer::open_to_change(&path)?;
        let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
        if age > ABANDONED && file.try_lock()? {
            layer::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_written_file_replaces_the_old_one_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("a.txt", &link).unwrap();
            write_atomically(&link, b"three").unwrap();
            assert_eq!((fs::read(&path).unwrap(), link.is_symlink()), (b"three".to_vec(), true));
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
            write_inside(&link, b"four").unwrap();
            assert_eq!((fs::read(&path).unwrap(), link.is_symlink()), (b"three".to_vec(), false));
        }
        let missing = write_atomically(&folder.path().join("no/a.txt"), b"").unwrap_err();
        assert!(matches!(missing, FileError::NoFolder { .. }) && !missing.is_users());
    }

    /// A process that is killed leaves nothing, since the file has no name before it is complete.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_in_the_making_has_no_name_and_what_is_abandoned_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut pending = PendingFile::begin(&path).unwrap();
        pending.file().write_all(b"half").unwrap();
        match pending.destination {
            Destination::Unnamed => assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0),
            _ => println!("SKIPPED: this file system has no files without names"),
        }
        pending.finish(b" and half").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"half and half");
        // The remains of a process that was killed between two names are removed, unless it may still be at work.
        let parts = [0, 1, 2].map(|_| unused_part(folder.path()));
        parts.iter().for_each(|part| fs::write(part, "old").unwrap());
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(100);
        parts[1..].iter().for_each(|part| fs::File::open(part).unwrap().set_modified(long_ago).unwrap());
        let locked = fs::File::open(&parts[2]).unwrap();
        locked.try_lock().unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(parts.map(|part| part.exists()), [true, false, true]);
    }

    #[test]
    fn many_writers_of_one_file_leave_a_whole_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::thread::scope(|scope| {
            for letter in b'a'..b'e' {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..50 {
                        PendingFile::begin(path).unwrap().finish_fast(&[letter; 5000]).unwrap();
                    }
                });
            }
        });
        let written = fs::read(&path).unwrap();
        assert!(written.len() == 5000 && written.iter().all(|letter| *letter == written[0]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
