//! The lock of a folder that one process writes to.

use super::FileError;
use super::layer::{self, File};
use std::path::{Path, PathBuf};

/// A lock, held until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// The folder that the locked file is in, which had this path when it was locked, or has another one since; `None` if it is not known.
    pub fn folder(&self, path: &Path) -> Option<PathBuf> {
        let now = self.file.path_now();
        let paths = std::iter::once(path.to_owned()).chain(now);
        let found = paths.into_iter().find(|path| self.file.is_at(path))?;
        Some(found.parent().map(Path::to_owned).unwrap_or_default())
    }
}

/// Locks a file, which is made if need be; `None` if another process has it. It is never emptied, and no link to it is followed: it may
/// lead to a file of others. On file systems without locks every process gets it.
///
/// # Errors
/// If it is no regular file, or cannot be opened or locked.
pub fn lock(path: &Path) -> Result<Option<Lock>, FileError> {
    let failed = |error| FileError::writing(path, error);
    match std::fs::symlink_metadata(path).map(|metadata| metadata.file_type()) {
        Ok(kind) if kind.is_symlink() => return Err(FileError::Link(path.to_owned())),
        Ok(kind) if !kind.is_file() => return Err(FileError::Special(path.to_owned())),
        _ => {}
    }
    let file = layer::open_to_lock(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(FileError::Special(path.to_owned()));
    }
    match file.try_lock() {
        Ok(true) => Ok(Some(Lock { file })),
        Ok(false) => Ok(None),
        Err(error) if has_no_locks(&error) => Ok(Some(Lock { file })),
        Err(error) => Err(failed(error)),
    }
}

/// Whether a file system has no locks: NFS without its lock daemon says that none is left.
fn has_no_locks(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    if rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::NOLCK) {
        return true;
    }
    error.kind() == std::io::ErrorKind::Unsupported
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn one_at_a_time_holds_it_and_its_content_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "precious").unwrap();
        let held = lock(&path).unwrap().unwrap();
        assert!(lock(&path).unwrap().is_none());
        drop(held);
        assert!(lock(&path).unwrap().is_some());
        assert_eq!(fs::read(&path).unwrap(), b"precious");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_is_found_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().canonicalize().unwrap().join(name));
        fs::create_dir(&old).unwrap();
        let held = lock(&old.join("lock")).unwrap().unwrap();
        assert_eq!(held.folder(&old.join("lock")), Some(old.clone()));
        fs::rename(&old, &new).unwrap();
        assert_eq!(held.folder(&old.join("lock")), Some(new.clone()));
        fs::create_dir(&old).unwrap();
        fs::write(old.join("lock"), "").unwrap();
        assert_eq!(held.folder(&old.join("lock")), Some(new.clone()), "another one has its name");
        fs::remove_dir_all(&new).unwrap();
        assert_eq!(held.folder(&old.join("lock")), None);
    }

    #[test]
    #[cfg(unix)]
    fn file_systems_may_have_no_locks() {
        assert!(has_no_locks(&rustix::io::Errno::NOLCK.into()) && has_no_locks(&rustix::io::Errno::OPNOTSUPP.into()));
        assert!(!has_no_locks(&rustix::io::Errno::ACCESS.into()));
    }

    #[test]
    #[cfg(unix)]
    fn links_and_pipes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("precious"), "precious").unwrap();
        std::os::unix::fs::symlink("precious", at("link")).unwrap();
        assert!(matches!(lock(&at("link")), Err(FileError::Link(_))));
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        assert!(matches!(lock(&at("pipe")), Err(FileError::Special(_))));
        assert_eq!(fs::read(at("precious")).unwrap(), b"precious");
    }
}
