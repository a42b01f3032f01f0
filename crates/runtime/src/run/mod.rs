//! A run on disk: what `run --out DIR` leaves and `resume DIR` goes on from.
//!
//! | in the folder | what |
//! |---|---|
//! | `manifest.json` | all that the run is made of ([`Manifest`]), and at its end the digests |
//! | `observables.csv` | the observables, one row for each time at which they were taken |
//! | `states/T.zarr` | the states at time T ([`store`](crate::state::store)) |
//! | `images/T.png` | the first state at time T, T with leading zeros |
//! | `animation.gif` | these pictures one after the other |
//!
//! Writes are ordered: what belongs to times up to T is durable before `states/T.zarr` gets its name, and nothing gets its name
//! before it is complete. So a process may end at any instant: the last complete state says how far the run came.

pub mod error;
pub mod plot;

mod background;
mod frames;
mod manifest;
mod observables;
mod record;
mod restore;
mod save;

pub use error::RunError;
pub use manifest::{Manifest, Schedule, Session, observed_as_json, params_as_settings};
pub use observables::Observations;
pub use record::{Outcome, Pace, Recording, Watch};
pub use save::not_finite;

use crate::files::{self, FileError};
use crate::state::store::{ArrayShape, StoredState};
use error::Result;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The folder of a run. While it is kept, no other process can open it to write.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Locked; it is only there to be dropped.
    _lock: Option<File>,
}

/// The file that is locked while a process writes.
const LOCK: &str = ".squeeze-lock";
/// What is there before the manifest is.
const BEGUN: [&str; 3] = ["images", "observables.csv", "states"];

impl RunFolder {
    /// Makes a folder for a new run. What a process left there that ended before its manifest was complete is removed.
    ///
    /// # Errors
    /// [`RunError::Exists`] if something is in the folder, or if it cannot be made.
    pub fn create(path: &Path) -> Result<RunFolder> {
        let failed = |error| FileError::writing(path, error);
        match fs::create_dir(path) {
            Ok(()) => files::sync_parent(path).map_err(failed)?,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if !path.is_dir() {
                    return Err(RunError::Exists(path.to_owned()));
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let folder = path.parent().unwrap_or(path).to_owned();
                return Err(FileError::NoFolder { path: path.to_owned(), folder }.into());
            }
            Err(error) => return Err(failed(error).into()),
        }
        let folder = RunFolder { path: path.to_owned(), _lock: None };
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name());
        }
        // A process that ended before its manifest was complete may have left these.
        let begun = names.iter().any(|name| name == LOCK) && folder.state_times().iter().all(|time| *time == 0);
        let ours = |name: &std::ffi::OsString| {
            name == LOCK || files::is_part(name) || begun && BEGUN.iter().any(|begun| name == begun)
        };
        if !names.iter().all(ours) {
            return Err(RunError::Exists(path.to_owned()));
        }
        let lock = lock(path)?;
        files::remove_parts(path).map_err(failed)?;
        for name in names.iter().filter(|name| *name != LOCK) {
            let path = path.join(name);
            if path.is_dir() {
                fs::remove_dir_all(&path).map_err(failed)?;
            } else if path.exists() {
                fs::remove_file(&path).map_err(failed)?;
            }
        }
        Ok(RunFolder { _lock: Some(lock), ..folder })
    }

    /// Opens the folder of a run to go on with it.
    ///
    /// # Errors
    /// [`RunError::NoRun`] if there is none, [`RunError::Busy`] if another process writes in it.
    pub fn open(path: &Path) -> Result<RunFolder> {
        let mut folder = RunFolder::look(path)?;
        folder._lock = Some(lock(path)?);
        Ok(folder)
    }

    /// Opens the folder of a run to read from it, even while another process writes.
    ///
    /// # Errors
    /// [`RunError::NoRun`] if there is none.
    pub fn look(path: &Path) -> Result<RunFolder> {
        let folder = RunFolder { path: path.to_owned(), _lock: None };
        if folder.manifest_path().is_file() { Ok(folder) } else { Err(RunError::NoRun(path.to_owned())) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the manifest is.
    pub fn manifest_path(&self) -> PathBuf {
        self.path.join("manifest.json")
    }

    /// Where the observables are.
    pub fn observables_path(&self) -> PathBuf {
        self.path.join("observables.csv")
    }

    /// Where the animation is.
    pub fn animation_path(&self) -> PathBuf {
        self.path.join("animation.gif")
    }

    /// Where a plot of the observables is, unless another place is asked for.
    pub fn plot_path(&self) -> PathBuf {
        self.path.join("observables.svg")
    }

    fn states_path(&self) -> PathBuf {
        self.path.join("states")
    }

    fn images_path(&self) -> PathBuf {
        self.path.join("images")
    }

    /// Where the state of a time is, if it is there.
    pub fn state_path(&self, time: u32) -> PathBuf {
        self.states_path().join(format!("{time}.zarr"))
    }

    fn image_path(&self, time: u32) -> PathBuf {
        self.images_path().join(format!("{time:010}.png"))
    }

    /// The times of all states, ascending. Each is complete, but may have been damaged since.
    pub fn state_times(&self) -> Vec<u32> {
        times_in(&self.states_path(), ".zarr")
    }

    fn image_times(&self) -> Vec<u32> {
        times_in(&self.images_path(), ".png")
    }

    /// Opens a state; that of the last time if none is given.
    ///
    /// # Errors
    /// [`RunError::NoState`], [`RunError::NoStep`] or [`StateError::Damaged`](crate::state::StateError::Damaged).
    pub fn state(&self, time: Option<u32>, shapes: Vec<ArrayShape>) -> Result<(u32, StoredState)> {
        let known = self.state_times();
        let time = match time {
            Some(step) if !known.contains(&step) => {
                return Err(RunError::NoStep { path: self.path.clone(), step, known });
            }
            Some(step) => step,
            None => *known.last().ok_or_else(|| RunError::NoState(self.path.clone()))?,
        };
        Ok((time, StoredState::open(&self.state_path(time), shapes)?))
    }
}

/// The numbers that the names in a folder begin with, ascending.
fn times_in(folder: &Path, suffix: &str) -> Vec<u32> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut times: Vec<u32> = names.filter_map(|name| name.to_str()?.strip_suffix(suffix)?.parse().ok()).collect();
    times.sort_unstable();
    times
}

fn lock(path: &Path) -> Result<File> {
    let file = path.join(LOCK);
    let lock = File::create(&file).map_err(|error| FileError::writing(&file, error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(RunError::Busy(path.to_owned())),
        // A file system without locks.
        Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => Ok(lock),
        Err(TryLockError::Error(error)) => Err(FileError::writing(&file, error).into()),
    }
}
