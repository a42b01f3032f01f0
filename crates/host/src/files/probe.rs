//! Where tests look at operations on files, or let them fail.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// An operation on a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// A file that was not there.
    Create(&'a Path),
    /// A file that has no name yet; the path stands for it in later operations.
    CreateUnnamed(&'a Path),
    /// A file that may be there.
    Open(&'a Path),
    /// A file is locked.
    Lock(&'a Path),
    /// The names in a folder are read.
    List(&'a Path),
    /// Bytes are read.
    Read(&'a Path),
    /// Bytes are written.
    Write(&'a Path, &'a [u8]),
    /// A file is cut off or filled up.
    SetLength(&'a Path, u64),
    /// The content is made durable.
    Sync(&'a Path),
    /// The names in a folder are made durable.
    SyncFolder(&'a Path),
    /// A folder that was not there.
    MakeFolder(&'a Path),
    /// A file without a name gets one.
    Link(&'a Path, &'a Path),
    /// A name becomes another.
    Rename(&'a Path, &'a Path),
    /// A file loses its name.
    RemoveFile(&'a Path),
    /// An empty folder goes.
    RemoveFolder(&'a Path),
}

/// The fate of an operation.
#[derive(Debug)]
pub enum Verdict {
    /// It is done.
    Go,
    /// Of a write the first half is done; others are done whole.
    Half,
    /// It is not done.
    Fail(io::Error),
}

/// An observer of operations. They come one at a time.
pub trait Probe: Send {
    /// Before it is done.
    fn before(&mut self, operation: &Operation<'_>) -> Verdict;

    /// After it was done.
    fn after(&mut self, _operation: &Operation<'_>) {}
}

type Shared = Arc<Mutex<dyn Probe>>;

static PROBES: Mutex<Vec<(PathBuf, Shared)>> = Mutex::new(Vec::new());

/// A probe looks at all that happens below a folder until this is dropped.
#[derive(Debug)]
pub struct Watched(PathBuf);

/// Lets a probe look at all that happens below a folder.
///
/// # Panics
/// If a probe has panicked while it was added.
pub fn watch(folder: &Path, probe: Arc<Mutex<dyn Probe>>) -> Watched {
    PROBES.lock().unwrap().push((folder.to_owned(), probe));
    Watched(folder.to_owned())
}

impl Drop for Watched {
    fn drop(&mut self) {
        PROBES.lock().unwrap_or_else(PoisonError::into_inner).retain(|(folder, _)| *folder != self.0);
    }
}

fn probe_of(operation: &Operation<'_>) -> Option<Shared> {
    let path = path_of(operation);
    let probes = PROBES.lock().unwrap_or_else(PoisonError::into_inner);
    probes.iter().find(|(folder, _)| path.starts_with(folder)).map(|(_, probe)| Arc::clone(probe))
}

fn path_of<'a>(operation: &Operation<'a>) -> &'a Path {
    use Operation::*;
    match *operation {
        Create(path)
        | CreateUnnamed(path)
        | Open(path)
        | Lock(path)
        | List(path)
        | Read(path)
        | Write(path, _)
        | SetLength(path, _)
        | Sync(path)
        | SyncFolder(path)
        | MakeFolder(path)
        | Link(path, _)
        | Rename(path, _)
        | RemoveFile(path)
        | RemoveFolder(path) => path,
    }
}

/// Does an operation under the eyes of who watches.
pub(super) fn around<T>(operation: Operation<'_>, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let Some(probe) = probe_of(&operation) else { return work() };
    let mut probe = probe.lock().unwrap_or_else(PoisonError::into_inner);
    if let Verdict::Fail(error) = probe.before(&operation) {
        return Err(error);
    }
    let done = work()?;
    probe.after(&operation);
    Ok(done)
}

/// Writes bytes under the eyes of who watches.
pub(super) fn around_write(
    path: &Path,
    bytes: &[u8],
    work: impl FnOnce(&[u8]) -> io::Result<usize>,
) -> io::Result<usize> {
    let operation = Operation::Write(path, bytes);
    let Some(probe) = probe_of(&operation) else { return work(bytes) };
    let mut probe = probe.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = match probe.before(&operation) {
        Verdict::Go => bytes,
        Verdict::Half => &bytes[..bytes.len().div_ceil(2)],
        Verdict::Fail(error) => return Err(error),
    };
    let written = work(bytes)?;
    probe.after(&Operation::Write(path, &bytes[..written]));
    Ok(written)
}
