//! A run on disk: what `run --out DIR` leaves and `resume DIR` continues from.
//!
//! | in the folder | what |
//! |---|---|
//! | `manifest.json` | all that the run is made of ([`Manifest`]), and at its end the digests |
//! | `observables.csv` | the observables, one row for each time at which they were taken |
//! | `observables.crc` | a checksum of each of these rows |
//! | `states/T.zarr` | the states at time T ([`store`](crate::state::store)) |
//! | `images/T.png` | the first state at time T, T with leading zeros |
//! | `animation.gif`, or `.mp4` | these pictures one after the other |
//!
//! Writes are ordered: what belongs to times up to T is durable before `states/T.zarr` gets its name, and nothing gets its name
//! before it is complete and durable. So a process may end at any instant, or the machine lose its power: the last complete state says how
//! far the run came. Tests end a run at each of its operations on files, and lose what was not durable (`crashes`).
//!
//! States are worth more than the table: missing or damaged rows are reported, and the run continues. A state says which run and which time it
//! belongs to, and the manifest has a checksum; folders of older versions without these are accepted as they are.

pub mod animation;
pub mod plot;

mod background;
#[cfg(test)]
mod crashes;
mod drawing;
mod frames;
mod manifest;
mod observables;
mod origin;
mod record;
mod restore;
mod save;

pub use drawing::Drawing;
pub(crate) use manifest::{MOST_BYTES, no_manifest, other_draws, param_as_text, params_as_json, seal, unseal};
pub use manifest::{
    Manifest, NamedEngine, Saves, Schedule, Session, observed_as_json, params_as_settings, value_as_json,
};
pub use observables::Observations;
pub(crate) use observables::{Checksums, checksum, push_row, push_values};
pub(crate) use origin::of_this_process;
pub use origin::{Build, command_line};
pub use record::{Costs, Outcome, Pace, Recording, Watch};
pub use save::not_finite;

use crate::state::steps_in_words;
use crate::state::store::{ArrayShape, Damaged, StoredState};
use squeeze_engine::failure::{Failure, Message, Result};
use squeeze_host::files::{self, FileError, Lock};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of a run. While it is kept, no other process can open it to write.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    lock: Option<Lock>,
}

/// The file that is locked while a process writes.
const LOCK: &str = ".squeeze-lock";
/// Names that exist before the manifest does.
const BEGUN: [&str; 5] = ["images", "initial_values", "observables.crc", "observables.csv", "states"];
/// Other names that runs and sweeps make here. All remaining ones belong to others.
const MADE: [&str; 13] = [
    "animation.gif",
    "animation.mp4",
    "ends.csv",
    "lists.csv",
    "manifest.json",
    "members",
    "members.csv",
    "observables.svg",
    "overlap",
    "per_member.csv",
    "summary.csv",
    "summary.svg",
    "times.csv",
];
/// How the names of states end,
const STATE: &str = ".zarr";
/// and those of pictures.
const IMAGE: &str = ".png";

impl RunFolder {
    /// Makes a folder for a new run, and those that it is in. Remains of a process that ended before its manifest was complete are removed;
    /// files of others, such as the logs of a batch system, stay.
    ///
    /// # Errors
    /// If there is what a run or a sweep makes, another process writes in it, or it cannot be made.
    pub fn create(path: &Path) -> Result<RunFolder> {
        let failed = |error| FileError::writing(path, error);
        files::make_folders(path)?;
        let folder = RunFolder { path: path.to_owned(), lock: None };
        // A folder of others does not even get a lock.
        folder.remains()?;
        let lock = lock(path)?;
        // By the lock it is known whose the folder is.
        files::sync_folder(path).map_err(failed)?;
        // Only now is this the only writer. Before, another run may have begun here and have come to its end.
        for name in folder.remains()? {
            files::remove_tree(&path.join(name)).map_err(failed)?;
        }
        Ok(RunFolder { lock: Some(lock), ..folder })
    }

    /// The remains of a process that ended before its manifest was complete.
    ///
    /// # Errors
    /// If there is anything else that a run or a sweep makes.
    fn remains(&self) -> Result<Vec<OsString>> {
        let failed = |error| FileError::reading(&self.path, error);
        let names: Vec<OsString> = files::list(&self.path).map_err(failed)?.into_iter().map(|(name, _)| name).collect();
        let states = self.state_times()?;
        let begun = names.iter().any(|name| name == LOCK) && states.iter().all(|time| *time == 0);
        let is_of_run = |name: &OsString| BEGUN.iter().any(|begun| name == begun);
        let is_made = |name: &OsString| is_of_run(name) && !begun || MADE.iter().any(|made| name == made);
        if let Some(name) = names.iter().find(|name| is_made(name)) {
            let help = format!(
                "take another folder; if it holds a run, `squeeze resume {}` continues it",
                self.path.display()
            );
            let what = format!("`{}` is there already", self.path.join(name).display());
            return Err(Message::users(what).with_help(help).into());
        }
        Ok(names.into_iter().filter(|name| is_of_run(name) || files::is_part(name)).collect())
    }

    /// Opens the folder of a run to continue it.
    ///
    /// # Errors
    /// If there is none, or another process writes in it; [`FileError::Locked`] if an archive keeps it.
    pub fn open(path: &Path) -> Result<RunFolder> {
        let mut folder = RunFolder::look(path)?;
        folder.check_unlocked()?;
        folder.lock = Some(lock(path)?);
        Ok(folder)
    }

    /// Refuses files that an archive keeps.
    fn check_unlocked(&self) -> Result<()> {
        for (name, kind) in files::list(&self.path).map_err(|error| FileError::reading(&self.path, error))? {
            let path = self.path.join(&name);
            if BEGUN.iter().chain(&MADE).any(|made| name == *made) && !path.is_dir() {
                if kind.is_symlink() {
                    return Err(FileError::Locked(path).into());
                }
                files::check_unlocked(&path)?;
            }
        }
        Ok(())
    }

    /// Opens the folder of a run to read from it, even while another process writes.
    ///
    /// # Errors
    /// If there is none.
    pub fn look(path: &Path) -> Result<RunFolder> {
        let folder = RunFolder { path: path.to_owned(), lock: None };
        if folder.manifest_path().symlink_metadata().is_ok() {
            return Ok(folder);
        }
        let (name, makes) = (path.display(), "`squeeze run … --out DIR` makes one".to_owned());
        if !path.exists() {
            return Err(Message::users(format!("there is no folder `{name}`")).with_help(makes).into());
        }
        let what = match path.is_dir() {
            true => format!("`{name}` holds no run: it has no `manifest.json`"),
            false => format!("`{name}` is a file, and no folder of a run or a sweep"),
        };
        let outer = path.ancestors().skip(1).take(2).find(|outer| outer.join("manifest.json").is_file());
        let help = outer.map_or(makes, |outer| {
            let outer = if outer.as_os_str().is_empty() { Path::new(".") } else { outer };
            format!("it lies in the folder of one: name `{}`", outer.display())
        });
        Err(Message::users(what).with_help(help).into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same folder under the name that it has now: it may have been renamed while this process writes to it. `None` if it is not known.
    #[doc(hidden)]
    pub fn present(&self) -> Option<RunFolder> {
        let path = match &self.lock {
            Some(lock) => lock.folder(&self.path.join(LOCK))?,
            None => self.path.clone(),
        };
        // As a user of this process calls it.
        let here = std::env::current_dir().unwrap_or_default();
        let path = path.strip_prefix(here).map_or(path.clone(), Path::to_owned);
        Some(RunFolder { path, lock: None })
    }

    /// Where the manifest is.
    pub(crate) fn manifest_path(&self) -> PathBuf {
        self.path.join("manifest.json")
    }

    /// Where the observables are.
    pub fn observables_path(&self) -> PathBuf {
        self.path.join("observables.csv")
    }

    /// Where the checksums of the observables are: a line for each of their lines, with the step (of the first line its name) and the
    /// CRC-32C of the line.
    pub(crate) fn checksums_path(&self) -> PathBuf {
        self.path.join("observables.crc")
    }

    /// Where the animation is, as GIF or as MP4.
    pub fn animation_path(&self, film: bool) -> PathBuf {
        self.path.join(if film { "animation.mp4" } else { "animation.gif" })
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
        self.states_path().join(format!("{time}{STATE}"))
    }

    fn image_path(&self, time: u32) -> PathBuf {
        self.images_path().join(format!("{time:010}{IMAGE}"))
    }

    /// The times of all states, ascending. Each is complete, but may have been damaged since.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn state_times(&self) -> Result<Vec<u32>> {
        times_in(&self.states_path(), STATE)
    }

    fn image_times(&self) -> Result<Vec<u32>> {
        times_in(&self.images_path(), IMAGE)
    }

    /// A run without a state.
    #[doc(hidden)]
    pub fn no_state(&self) -> Message {
        let help = "it has some after `--save-every N` steps, and at the end";
        Message::users(format!("`{}` holds no complete state", self.path.display())).with_help(help)
    }

    /// Opens a state of a run; that of the last time if none is given.
    ///
    /// # Errors
    /// If there is no such state, or it is [`Damaged`].
    pub fn state(&self, manifest: &Manifest, time: Option<u32>, shapes: Vec<ArrayShape>) -> Result<(u32, StoredState)> {
        let known = self.state_times()?;
        let time = match time {
            Some(step) if !known.contains(&step) => {
                let help = match known.is_empty() {
                    true => "it holds none at all".to_owned(),
                    false => format!("it holds those of {}", steps_in_words(&known)),
                };
                let what = format!("`{}` holds no state of step {step}", self.path.display());
                return Err(Message::users(what).with_help(help).into());
            }
            Some(step) => step,
            None => *known.last().ok_or_else(|| self.no_state())?,
        };
        let path = self.state_path(time);
        let state = StoredState::open(&path, shapes)?;
        let step = state.attribute("step");
        let other = if !step.is_null() && *step != time {
            format!("it is the state of step {step}")
        } else if state.attribute("run").as_str().is_some_and(|run| manifest.id.as_deref() != Some(run)) {
            "it is a state of another run".to_owned()
        } else {
            return Ok((time, state));
        };
        Err(Damaged { path, reason: other }.into())
    }
}

/// A folder without observables.
pub(crate) fn no_rows(path: &Path) -> Message {
    let help = "a rule with `observe` and `--observe-every N` give some";
    Message::users(format!("`{}` holds no observables", path.display())).with_help(help)
}

/// A float that is none.
#[derive(Debug, thiserror::Error)]
#[error("`{state}` is {value} in cell {cell} at ({place}) after step {step}")]
#[non_exhaustive]
pub struct NotFinite {
    state: String,
    /// The canonical index.
    cell: u64,
    /// Its coordinates.
    place: String,
    value: f64,
    /// The time.
    pub step: u32,
}

impl Failure for NotFinite {
    fn is_users(&self) -> bool {
        false
    }

    fn help(&self) -> Vec<String> {
        vec!["`--allow-nan` continues anyway".to_owned()]
    }
}

/// The numbers that the names in a folder begin with, ascending; none if there is no folder.
fn times_in(folder: &Path, suffix: &str) -> Result<Vec<u32>> {
    let names = match files::list(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Vec::new(),
        names => names.map_err(|error| FileError::reading(folder, error))?,
    };
    let time = |name: &OsString| name.to_str()?.strip_suffix(suffix)?.parse().ok();
    let mut times: Vec<u32> = names.iter().filter_map(|(name, _)| time(name)).collect();
    times.sort_unstable();
    Ok(times)
}

fn lock(path: &Path) -> Result<Lock> {
    let busy = || Message::users(format!("another process works on `{}`", path.display()));
    Ok(files::lock(&path.join(LOCK))?.ok_or_else(busy)?)
}
