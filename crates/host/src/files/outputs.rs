//! Outputs of a command: it must not read them, nor write two things to one place.
//!
//! A command announces its outputs before it reads anything. From then on, opening one to read it, by whatever name, is refused. So no list of
//! files that take part, such as those that a text uses, is needed, and nothing is computed before. A program that announces nothing may read and write any file.

use super::FileError;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// All outputs of this process.
static OUTPUTS: Mutex<Vec<(Output, FileLocation)>> = Mutex::new(Vec::new());

/// Something that a command will write.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub path: PathBuf,
    /// Whether it is a folder that keeps its files and gets more; anything else is written over, a folder with its content.
    pub adds: bool,
}

/// Where something lies, whatever name leads there.
#[derive(Debug)]
struct FileLocation {
    /// The device and the number of the file, if it is there and the system tells them.
    file: Option<(u64, u64)>,
    path: PathBuf,
}

impl FileLocation {
    /// `None` for pipes and devices, which many may write to.
    fn of(path: &Path) -> Option<FileLocation> {
        let metadata = std::fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            return None;
        }
        let there = metadata.as_ref().and_then(|_| path.canonicalize().ok());
        let path = there.unwrap_or_else(|| match (super::atomic::parent(path).canonicalize(), path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        });
        // Windows and macOS take names that differ in case for one.
        let path =
            if cfg!(any(windows, target_os = "macos")) { path.to_string_lossy().to_lowercase().into() } else { path };
        Some(FileLocation { file: metadata.as_ref().and_then(number), path })
    }

    fn is(&self, other: &FileLocation) -> bool {
        self.path == other.path || self.file.is_some() && self.file == other.file
    }
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number(_metadata: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Announces the outputs of this process. A later read of any of them is refused.
///
/// # Errors
/// [`FileError::WrittenTwice`] if two outputs are the same place.
pub fn announce(outputs: impl IntoIterator<Item = Output>) -> Result<(), FileError> {
    let mut all = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    for output in outputs {
        let Some(place) = FileLocation::of(&output.path) else { continue };
        if let Some((first, _)) = all.iter().find(|(_, other)| other.is(&place)) {
            return Err(FileError::WrittenTwice { first: first.path.clone(), second: output.path });
        }
        all.push((output, place));
    }
    Ok(())
}

/// Forgets the outputs that were announced: a process may do the work of several commands.
pub(super) fn forget_outputs() {
    OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Refuses to read an output that this process has announced.
///
/// # Errors
/// [`FileError::WrittenOver`].
pub fn check_kept(path: &Path) -> Result<(), FileError> {
    let all = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    if all.is_empty() {
        return Ok(());
    }
    let Some(place) = FileLocation::of(path) else { return Ok(()) };
    let is_over = |output: &FileLocation| output.is(&place) || place.path.starts_with(&output.path);
    match all.iter().find(|(output, over)| !output.adds && is_over(over)) {
        Some((output, _)) => Err(FileError::WrittenOver { path: path.to_owned(), output: output.path.clone() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Whether two names lead to one place.
    fn same(first: &Path, second: &Path) -> bool {
        FileLocation::of(first).unwrap().is(&FileLocation::of(second).unwrap())
    }

    #[test]
    fn names_of_one_place_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("a"), "").unwrap();
        fs::write(at("b"), "").unwrap();
        assert!(same(&at("a"), &at("./sub/../a")) && !same(&at("a"), &at("b")));
        assert!(same(&at("new"), &at("sub/../new")) && !same(&at("new"), &at("sub/new")), "they are not there yet");
        assert!(same(&at("none/new"), &at("none/new")));
        #[cfg(unix)]
        {
            fs::hard_link(at("a"), at("hard")).unwrap();
            std::os::unix::fs::symlink("a", at("soft")).unwrap();
            std::os::unix::fs::symlink("sub", at("way")).unwrap();
            assert!(same(&at("a"), &at("hard")) && same(&at("soft"), &at("hard")) && same(&at("way/x"), &at("sub/x")));
            assert!(FileLocation::of(Path::new("/dev/null")).is_none());
        }
    }

    /// The only test that announces outputs: they hold for the whole process.
    #[test]
    fn outputs_are_neither_read_nor_written_twice() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let output = |name: &str| Output { path: at(name), adds: false };
        fs::create_dir(at("store")).unwrap();
        for name in ["old", "other", "store/chunk"] {
            fs::write(at(name), "text").unwrap();
        }
        announce([
            output("old"),
            output("store"),
            output("new"),
            Output { path: folder.path().to_owned(), adds: true },
        ])
        .unwrap();
        for name in ["old", "./old", "store/chunk"] {
            let error = super::super::read(&at(name), 9, super::super::Links::Followed).unwrap_err();
            assert!(matches!(error, FileError::WrittenOver { .. }) && error.is_users(), "{error}");
        }
        assert_eq!(super::super::read(&at("other"), 9, super::super::Links::Followed).unwrap(), b"text");
        for name in ["old", "new", "./new"] {
            let error = announce([output(name)]).unwrap_err();
            assert!(matches!(error, FileError::WrittenTwice { .. }) && error.is_users(), "{error}");
        }
        announce([output("third")]).unwrap();
    }
}
