//! The operations on files. All that is read and written goes through them and nothing else does, so that tests can watch them,
//! let the n-th one fail, or end the process there (`probe`, a feature that tests alone switch on).

#![allow(clippy::disallowed_methods, reason = "here is where they are called")]

use super::FileError;
use std::ffi::OsString;
use std::fs::{self, FileType, OpenOptions};
use std::io::{self, Read, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does some work, which a test may watch or let fail.
#[cfg(feature = "probe")]
macro_rules! act {
    ($operation:expr, $work:expr) => {{
        use super::probe::Operation::*;
        super::probe::around($operation, || $work)
    }};
}
#[cfg(not(feature = "probe"))]
macro_rules! act {
    ($operation:expr, $work:expr) => {
        $work
    };
}

/// An open file. Copies are of the same open file.
#[derive(Clone, Debug)]
pub struct File {
    handle: Arc<fs::File>,
    #[cfg(feature = "probe")]
    path: Arc<Path>,
}

impl File {
    #[cfg_attr(not(feature = "probe"), allow(unused_variables, reason = "only tests ask for the path"))]
    fn new(handle: fs::File, path: &Path) -> File {
        File {
            handle: Arc::new(handle),
            #[cfg(feature = "probe")]
            path: Arc::from(path),
        }
    }

    pub(super) fn metadata(&self) -> io::Result<fs::Metadata> {
        self.handle.metadata()
    }

    pub(super) fn set_permissions(&self, permissions: fs::Permissions) -> io::Result<()> {
        self.handle.set_permissions(permissions)
    }

    /// Whether the file has this name.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let of = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
            match (fs::metadata(path), self.handle.metadata()) {
                (Ok(named), Ok(own)) => of(named) == of(own),
                _ => false,
            }
        }
        #[cfg(not(unix))]
        path.exists()
    }

    /// The name that the file has now, where the system tells it.
    pub(super) fn path_now(&self) -> Option<PathBuf> {
        #[cfg(target_os = "linux")]
        return fs::read_link(by_number(&self.handle)).ok();
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Locks the file; false if another process has it locked.
    pub(super) fn try_lock(&self) -> io::Result<bool> {
        let work = || match self.handle.try_lock() {
            Ok(()) => Ok(true),
            Err(fs::TryLockError::WouldBlock) => Ok(false),
            Err(fs::TryLockError::Error(error)) => Err(error),
        };
        act!(Lock(&self.path), work())
    }

    /// Cuts the file off, or fills it up with zeros.
    pub fn set_length(&self, length: u64) -> io::Result<()> {
        act!(SetLength(&self.path, length), self.handle.set_len(length))
    }

    /// Later writes go behind the present contents.
    pub fn to_end(&self) -> io::Result<()> {
        io::Seek::seek(&mut &*self.handle, io::SeekFrom::End(0)).map(|_| ())
    }

    /// The next read begins at this byte.
    pub(crate) fn seek(&self, at: u64) -> io::Result<()> {
        io::Seek::seek(&mut &*self.handle, io::SeekFrom::Start(at)).map(|_| ())
    }

    /// Says that the file was used now.
    pub fn touch(&self) -> io::Result<()> {
        self.handle.set_modified(std::time::SystemTime::now())
    }

    /// Makes the content durable.
    pub fn sync(&self) -> io::Result<()> {
        act!(Sync(&self.path), self.handle.sync_all())
    }

    /// Gives a file of [`create_unnamed`] its name, unless that is taken.
    #[cfg(target_os = "linux")]
    pub(super) fn link(&self, to: &Path) -> io::Result<()> {
        use rustix::fs::{AtFlags, CWD, linkat};
        let work = || Ok(linkat(CWD, by_number(&self.handle), CWD, to, AtFlags::SYMLINK_FOLLOW)?);
        act!(Link(&self.path, to), work())
    }

    /// No file is without a name here.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn link(&self, _to: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Write for &File {
    #[cfg(feature = "probe")]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        super::probe::around_write(&self.path, bytes, |bytes| (&*self.handle).write(bytes))
    }

    #[cfg(not(feature = "probe"))]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.handle).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for File {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        act!(Read(&self.path), (&*self.handle).read(bytes))
    }
}

/// Whether a symbolic link at the end of a path is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// A user has named the file, or the folder that it is in.
    Followed,
    /// Only Squeeze makes files there.
    Refused,
}

/// Opens without waiting for the process at the other end of a pipe.
fn cautious(options: &mut OpenOptions, links: Links) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let follow = if links == Links::Refused { OFlags::NOFOLLOW } else { OFlags::empty() };
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY | follow).bits() as i32);
    }
    #[cfg(not(unix))]
    let _ = links;
    options
}

/// Opens a file to read it.
pub(super) fn open(path: &Path, links: Links) -> io::Result<File> {
    let file = act!(Open(path), cautious(OpenOptions::new().read(true), links).open(path))?;
    Ok(File::new(file, path))
}

/// Opens an existing file to change it.
pub fn open_to_change(path: &Path) -> io::Result<File> {
    let work = || cautious(OpenOptions::new().read(true).write(true), Links::Refused).open(path);
    Ok(File::new(act!(Open(path), work())?, path))
}

/// Opens a file to lock it; it is made if need be, and keeps its contents.
pub(super) fn open_to_lock(path: &Path) -> io::Result<File> {
    let work = || {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        cautious(&mut options, Links::Refused).open(path)
    };
    Ok(File::new(act!(Open(path), work())?, path))
}

/// Opens a pipe or a device that a user has named, to write into it.
pub(super) fn open_special(path: &Path) -> io::Result<File> {
    Ok(File::new(act!(Open(path), OpenOptions::new().write(true).open(path))?, path))
}

/// Makes a file under a name that is not taken.
pub fn create(path: &Path) -> io::Result<File> {
    let work = || OpenOptions::new().read(true).write(true).create_new(true).open(path);
    Ok(File::new(act!(Create(path), work())?, path))
}

/// Makes a file without a name in a folder, which vanishes with the process until it gets one; `None` where there is no such thing.
/// `stands_for` is its path in operations that tests see.
#[cfg(target_os = "linux")]
pub(super) fn create_unnamed(folder: &Path, stands_for: &Path) -> io::Result<Option<File>> {
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use std::os::unix::fs::OpenOptionsExt;
    let work = || {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(0o666).custom_flags(OFlags::TMPFILE.bits() as i32);
        match options.open(folder) {
            // Without `/proc` it could not be given a name.
            Ok(file) => Ok(by_number(&file).exists().then_some(file)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
                _ => Err(error),
            },
        }
    };
    Ok(act!(CreateUnnamed(stands_for), work())?.map(|file| File::new(file, stands_for)))
}

/// There is no such thing here.
#[cfg(not(target_os = "linux"))]
pub(super) fn create_unnamed(_folder: &Path, _stands_for: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// An open file's name among those of the process.
#[cfg(target_os = "linux")]
fn by_number(file: &fs::File) -> PathBuf {
    use std::os::fd::AsRawFd;
    Path::new("/proc/self/fd").join(file.as_raw_fd().to_string())
}

/// Gives a file or a folder another name, whose owner it replaces.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    act!(Rename(from, to), fs::rename(from, to))
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    act!(RemoveFile(path), fs::remove_file(path))
}

fn remove_folder(path: &Path) -> io::Result<()> {
    act!(RemoveFolder(path), fs::remove_dir(path))
}

/// Makes one folder.
pub fn make_folder(path: &Path) -> io::Result<()> {
    act!(MakeFolder(path), fs::create_dir(path))
}

/// Makes a folder and its parents, as far as they are missing. All that are made are durable.
///
/// # Errors
/// [`FileError::Dangling`] for a link that leads nowhere, [`FileError::NotFolder`], or if the system refuses.
pub fn make_folders(path: &Path) -> Result<(), FileError> {
    // Of a relative path the last of these is the empty one.
    if path.is_dir() || path.as_os_str().is_empty() {
        return Ok(());
    }
    if let Ok(target) = fs::read_link(path) {
        return Err(FileError::Dangling { path: path.to_owned(), target });
    }
    if path.exists() {
        return Err(FileError::NotFolder(path.to_owned()));
    }
    path.parent().map_or(Ok(()), make_folders)?;
    match make_folder(path) {
        // Another process may have been faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| super::sync_parent(path)).map_err(|error| FileError::writing(path, error)),
    }
}

/// Makes a private folder, mode 0700, with its missing parents.
pub fn make_private_folders(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    act!(MakeFolder(path), builder.create(path))
}

/// Makes the names in a folder durable, on systems and file systems where that can be asked for.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let work = || if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) };
    match act!(SyncFolder(folder), work()) {
        Err(error) if cannot_sync(&error) => Ok(()),
        done => done,
    }
}

/// Whether a file system says that it syncs no folders: shares of Samba, some of FUSE and Ceph, folders of Windows in WSL.
fn cannot_sync(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let of_folders = [Errno::INVAL, Errno::BADF, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS];
        Errno::from_io_error(error).is_some_and(|error| of_folders.contains(&error))
    }
    #[cfg(not(unix))]
    {
        _ = error;
        false
    }
}

/// The entries of a folder, in the order of the names. The kinds are those of the entries themselves, not of what links lead to.
pub fn list(folder: &Path) -> io::Result<Vec<(OsString, FileType)>> {
    let work = || {
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name(), entry.file_type()?))
        };
        fs::read_dir(folder)?.map(entry).collect::<io::Result<Vec<_>>>()
    };
    let mut entries = act!(List(folder), work())?;
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(entries)
}

/// Makes a folder durable with its whole content.
pub fn sync_tree(folder: &Path) -> io::Result<()> {
    for (name, kind) in list(folder)? {
        let path = folder.join(name);
        if kind.is_dir() { sync_tree(&path)? } else { open(&path, Links::Refused)?.sync()? }
    }
    sync_folder(folder)
}

/// Makes the content of files durable, many at the same time: a disk does that for all that wait for it.
///
/// # Errors
/// If one cannot be opened, or the disk fails.
pub fn sync_files(paths: &[PathBuf]) -> Result<(), FileError> {
    sync_together(paths, |path| {
        let synced = open(path, Links::Refused).and_then(|file| file.sync());
        synced.map_err(|error| FileError::writing(path, error))
    })
}

/// As [`sync_files`], by the handles that wrote them: these learn of bytes that were lost on their way to a server.
///
/// # Errors
/// If the disk is full or fails.
pub fn sync_open(written: &[(PathBuf, File)]) -> Result<(), FileError> {
    sync_together(written, |(path, file)| file.sync().map_err(|error| FileError::writing(path, error)))
}

fn sync_together<T: Sync>(all: &[T], sync: impl Fn(&T) -> Result<(), FileError> + Sync) -> Result<(), FileError> {
    /// The most that wait together.
    const TOGETHER: usize = 64;
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(file) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            sync(file)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let begin = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        // If the system refuses more threads, fewer do the work.
        let others: Vec<_> = (1..all.len().min(TOGETHER)).map_while(begin).collect();
        let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        // All of it is begun before one is waited for.
        std::iter::once(work()).chain(joined).collect()
    })
}

/// Removes a file, a link, or a folder with all that is in it. A path that is gone already is no error.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    };
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            for (name, _) in list(path)? {
                remove_tree(&path.join(name))?;
            }
            gone(remove_folder(path))
        }
        Ok(_) => gone(remove_file(path)),
        Err(error) => gone(Err(error)),
    }
}
