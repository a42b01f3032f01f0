//! Reading texts and writing results: never a hang, never a half-written file.
//!
//! `layer` does the operations, `bounded` reads what comes from outside, `atomic` writes files that appear as a whole, `lock`
//! keeps two processes from writing to one folder, `outputs` a command from writing over what it reads.
//!
//! Clippy refuses `std::fs` in all crates that read or write (their `clippy.toml` leads to the one of this crate).

mod atomic;
mod bounded;
mod layer;
mod lock;
mod outputs;
#[cfg(feature = "probe")]
pub mod probe;

pub use atomic::{PendingFile, check_unlocked, remove_whole, sync_parent, unused_part, write_atomically, write_inside};
pub use bounded::{Bounded, read, read_standard_input, read_text_bytes};
pub use layer::{
    File, Links, create, list, make_folder, make_folders, make_private_folders, open_to_change, remove_tree, rename,
    sync_files, sync_folder, sync_open, sync_tree,
};
pub use lock::{Lock, lock};
pub use outputs::{Output, announce, check_kept};

use std::io;
use std::path::{Path, PathBuf};

/// Forgets what another command of this process has announced to write, and has read of standard input.
pub fn begin_command() {
    outputs::forget_outputs();
    bounded::forget_input();
}

/// The longest text that is read, in bytes: 16 MiB.
pub const TEXT_LIMIT: u64 = 16 << 20;

/// How the names of files and folders begin that are not complete yet, and how they end.
const PART_PREFIX: &str = ".squeeze-";
/// See [`PART_PREFIX`].
const PART_SUFFIX: &str = ".part";

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
    /// A symbolic link where none is followed.
    #[error("`{}` is a symbolic link, and links are not followed there", .0.display())]
    Link(PathBuf),
    /// The file is longer than any that is read in its place.
    #[error("`{}` is too long: {bytes} bytes; here a file has at most {}", .path.display(), in_bytes(*.limit))]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
        /// The most bytes that are read.
        limit: u64,
    },
    /// The folder for a result does not exist.
    #[error("cannot write `{}`: there is no folder `{}`", .path.display(), .folder.display())]
    NoFolder {
        /// The file that was to be written.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// A symbolic link to a path that does not exist.
    #[error("`{}` is a symbolic link to `{}`, which is not there", .path.display(), .target.display())]
    Dangling {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A file that an archive keeps: a link, or a read-only one.
    #[error("`{}` cannot be written to: it is {}", .0.display(), if .0.is_symlink() { "a symbolic link" } else { "read-only" })]
    Locked(PathBuf),
    /// Something else where a folder is to be.
    #[error("`{}` is not a folder", .0.display())]
    NotFolder(PathBuf),
    /// A file that is read is one that will be written.
    #[error("`{}` is read, and {} would be written over it: take another name", .path.display(), named(.output, .path))]
    WrittenOver {
        /// The file.
        path: PathBuf,
        /// The file that would be written.
        output: PathBuf,
    },
    /// Two files that will be written are one.
    #[error("`{}` would be written twice{}: take another name", .first.display(), if .first == .second { String::new() } else { format!(", since `{}` is the same file", .second.display()) })]
    WrittenTwice {
        /// The first.
        first: PathBuf,
        /// The second.
        second: PathBuf,
    },
    /// Any other failure to read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Any other failure to write, such as a full disk.
    #[error("cannot write `{}`: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// The file that would be written over another, by its name if that differs.
fn named(output: &Path, over: &Path) -> String {
    if output == over { "the result".to_owned() } else { format!("`{}`", output.display()) }
}

/// A number of bytes, in MiB as well where it is a whole number of them.
fn in_bytes(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    match bytes {
        MIB.. if bytes.is_multiple_of(MIB) => format!("{bytes} bytes ({} MiB)", bytes / MIB),
        _ => format!("{bytes} bytes"),
    }
}

impl FileError {
    /// True if the file that was named is the trouble, false if the system is.
    pub fn is_users(&self) -> bool {
        !matches!(self, FileError::Read { .. } | FileError::Write { .. } | FileError::NoFolder { .. })
    }

    /// Lines of help that say how to go on.
    pub fn help(&self) -> Vec<String> {
        let help = match self {
            FileError::Locked(path) => {
                let name = path.display();
                format!(
                    "if an archive keeps it, unlock it first, and what is beside it: `git annex unlock {name}`, `datalad unlock {name}` or `dvc unprotect {name}`"
                )
            }
            FileError::Dangling { path, .. } => {
                let name = path.display();
                format!(
                    "if an archive keeps it, fetch it first: `git annex get {name}`, `datalad get {name}` or `dvc checkout {name}`"
                )
            }
            _ => return Vec::new(),
        };
        vec![help]
    }

    /// A failure to read, as the system tells it.
    pub fn reading(path: &Path, source: io::Error) -> FileError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::Missing(path),
            io::ErrorKind::PermissionDenied => FileError::Forbidden(path),
            _ => FileError::Read { path, source },
        }
    }

    /// A failure to write, as the system tells it.
    pub fn writing(path: &Path, source: io::Error) -> FileError {
        FileError::Write { path: path.to_owned(), source }
    }

    /// A failure that a library has told in its own words.
    pub fn writing_text(path: &Path, reason: &dyn std::fmt::Display) -> FileError {
        FileError::writing(path, io::Error::other(reason.to_string()))
    }
}

/// The path of these [encoded bytes](std::ffi::OsStr::as_encoded_bytes) of another process; `None` if it is none on this system.
pub fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    let name: Option<&std::ffi::OsStr> = Some(std::os::unix::ffi::OsStrExt::from_bytes(bytes));
    #[cfg(not(unix))]
    let name = std::str::from_utf8(bytes).ok();
    name.map(PathBuf::from)
}

/// Whether this is the name of something that is not complete yet.
pub fn is_part(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(PART_PREFIX) && name.ends_with(PART_SUFFIX)
}

/// Removes incomplete files that an earlier process left in a folder.
pub fn remove_parts(folder: &Path) -> io::Result<()> {
    for (name, _) in list(folder)? {
        if is_part(&name) {
            remove_tree(&folder.join(name))?;
        }
    }
    Ok(())
}
