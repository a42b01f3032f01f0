//! The folder of figures, and the measurements that are kept there.
//!
//! | in the folder | what |
//! |---|---|
//! | `figures.json` | the tier |
//! | `measurements.jsonl` | each measurement, on a line of its own as soon as it is made |
//! | `tiles.jsonl` | times of ordered steps over the sides of their tiles, a case on a line |
//! | `overlaps.jsonl` | what `bench --overlap --json` printed, if somebody kept it here |
//! | `NAME.svg`, `NAME.csv` | each figure and the numbers in it |
//! | `REPORT.md` | what the papers say and what was found |

use super::setup::{Setup, Tier};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use squeeze_engine::failure::{Message, Result};
use squeeze_host::files::{self, File, FileError, Links, Lock};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

const MARK: &str = "figures.json";
const LOCK: &str = ".squeeze-lock";
const MEASUREMENTS: &str = "measurements.jsonl";
/// The most bytes of measurements that are read.
const MOST: u64 = 1 << 28;

/// The way to run, and the level.
pub(crate) type MeasurementKey = (String, u32);

/// A measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The way to run.
    pub way: String,
    /// The level.
    pub level: u32,
    /// The number of cells.
    pub cells: u64,
    /// The clocks when it was made.
    pub clocks: String,
    /// The time, or why there is none.
    #[serde(flatten)]
    pub outcome: TimeOrProblem,
}

/// The outcome of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum TimeOrProblem {
    /// Why nothing did.
    Nothing {
        /// The problem, in words.
        problem: String,
    },
    /// A time.
    Measured(Measured),
}

impl TimeOrProblem {
    /// The time, if one was measured.
    pub(super) fn measured(&self) -> Option<&Measured> {
        match self {
            TimeOrProblem::Measured(found) => Some(found),
            TimeOrProblem::Nothing { .. } => None,
        }
    }
}

/// The times and memory of a way to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Seconds of one step: the mean over runs, and its standard error.
    #[serde(rename = "seconds")]
    pub mean: f64,
    /// The standard error.
    pub error: f64,
    /// The number of runs,
    pub runs: usize,
    /// and of steps in each.
    pub steps: u64,
    /// Bytes that the device has less while the simulation is there, if it tells.
    pub memory: Option<u64>,
    /// Bytes of all buffers of the states.
    pub state_bytes: u64,
    /// The digest of the state after [`CHECKED_STEPS`](super::measure::CHECKED_STEPS) steps.
    pub digest: String,
}

/// The contents of `figures.json`.
#[derive(Serialize, Deserialize)]
struct TierMark {
    tier: Tier,
}

/// A line of the measurements.
#[derive(Serialize, Deserialize)]
struct StoredLine<S, R> {
    #[serde(flatten)]
    record: R,
    /// The setup, which tells its measurements from others.
    setup: S,
}

/// The folder.
pub(crate) struct Store {
    path: PathBuf,
    records: BTreeMap<MeasurementKey, Record>,
    /// The setup as its measurements record it.
    setup: Json,
    file: Option<File>,
    _lock: Lock,
}

impl Store {
    /// Whether a folder can be used; nothing is written.
    ///
    /// # Errors
    /// If it holds something else or the figures of the other tier, or cannot be read.
    pub(crate) fn check(path: &Path, tier: Tier) -> Result<()> {
        let not_ours = || {
            let what = format!("`{}` is not empty, and holds no figures", path.display());
            Err(Message::users(what).with_help("`--out DIR` names a new folder").into())
        };
        let names = match files::list(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                return match parent.is_dir() {
                    true => Ok(()),
                    false => Err(FileError::NoFolder { path: path.to_owned(), folder: parent.to_owned() }.into()),
                };
            }
            Err(_) if path.exists() && !path.is_dir() => return not_ours(),
            names => names.map_err(|error| FileError::reading(path, error))?,
        };
        if names.iter().all(|(name, _)| name == LOCK || files::is_part(name)) {
            return Ok(());
        }
        let mark = files::read(&path.join(MARK), 1 << 16, Links::Refused).ok();
        match mark.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            None => not_ours(),
            Some(TierMark { tier: there }) if there != tier => {
                let (path, there, asked) = (path.display(), there.name(), tier.name());
                let what = format!("`{path}` holds the figures of the {there} tier, not of the {asked} tier");
                let help = "leave out `--quick` or add it, or name another folder by `--out DIR`";
                Err(Message::users(what).with_help(help).into())
            }
            Some(_) => Ok(()),
        }
    }

    /// The setup of the last measurement in a folder.
    ///
    /// # Errors
    /// If there is none of this tier, or the folder cannot be read.
    pub(crate) fn last_setup(path: &Path, tier: Tier) -> Result<Setup> {
        let bytes = match files::read(&path.join(MEASUREMENTS), MOST, Links::Refused) {
            Err(FileError::Missing(_)) => Vec::new(),
            bytes => bytes?,
        };
        let setup_of = |line: &[u8]| {
            let StoredLine::<Setup, IgnoredAny> { setup, .. } = serde_json::from_slice(line).ok()?;
            (setup.tier == tier).then_some(setup)
        };
        let last = bytes.rsplit(|byte| *byte == b'\n').find_map(setup_of);
        last.ok_or_else(|| {
            let what = format!("`{}` holds no measurements of the {} tier", path.display(), tier.name());
            Message::users(what).with_help("leave out `--redraw` to measure; `--quick` chooses the other tier").into()
        })
    }

    /// Opens a folder, which is made if need be, and reads the measurements that this setup has made there before.
    ///
    /// # Errors
    /// As [`check`](Self::check); if another process works there, or it cannot be written to.
    pub(crate) fn open(path: &Path, setup: &Setup) -> Result<Store> {
        Store::check(path, setup.tier)?;
        let failed = |error| FileError::writing(path, error);
        if !path.is_dir() {
            files::make_folder(path).and_then(|()| files::sync_parent(path)).map_err(failed)?;
        }
        let busy = || Message::users(format!("another process works on `{}`", path.display()));
        let lock = files::lock(&path.join(LOCK))?.ok_or_else(busy)?;
        Store::check_device(path, setup)?;
        files::remove_parts(path).map_err(failed)?;
        files::write_inside(&path.join(MARK), format!("{:#}\n", json!(TierMark { tier: setup.tier })).as_bytes())?;
        let mut store =
            Store { path: path.to_owned(), records: BTreeMap::new(), setup: json!(setup), file: None, _lock: lock };
        store.read()?;
        Ok(store)
    }

    /// Measurements of one device alone are in a folder.
    fn check_device(path: &Path, setup: &Setup) -> Result<()> {
        match Store::last_setup(path, setup.tier) {
            Ok(there) if there.device != setup.device => {
                let (path, there, here) = (path.display(), there.device, &setup.device);
                let what = format!("`{path}` holds measurements of another device, `{there}`; this is `{here}`");
                let help = "name another folder by `--out DIR`, or draw what is there by `--redraw`";
                Err(Message::users(what).with_help(help).into())
            }
            _ => Ok(()),
        }
    }

    /// Reads what is there, and cuts off the line that a process left unfinished.
    fn read(&mut self) -> Result<()> {
        let path = self.path.join(MEASUREMENTS);
        let bytes = match files::read(&path, MOST, Links::Refused) {
            Err(FileError::Missing(_)) => {
                files::write_inside(&path, b"")?;
                Vec::new()
            }
            bytes => bytes?,
        };
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let failed = |error| FileError::writing(&path, error);
        let file = files::open_to_change(&path).map_err(failed)?;
        file.set_length(whole as u64).and_then(|()| file.to_end()).map_err(failed)?;
        for line in bytes[..whole].split(|byte| *byte == b'\n') {
            let Ok(StoredLine::<Json, Record> { record, setup }) = serde_json::from_slice(line) else { continue };
            if setup == self.setup {
                self.records.insert((record.way.clone(), record.level), record);
            }
        }
        self.file = Some(file);
        Ok(())
    }

    /// Keeps a measurement; it is durable when this returns.
    pub(crate) fn keep(&mut self, record: Record) -> Result<()> {
        if let Some(file) = &mut self.file {
            let done = file
                .write_all(format!("{}\n", json!(StoredLine { record: &record, setup: &self.setup })).as_bytes())
                .and_then(|()| file.sync());
            done.map_err(|error| FileError::writing(&self.path.join(MEASUREMENTS), error))?;
        }
        self.records.insert((record.way.clone(), record.level), record);
        Ok(())
    }

    /// The measurements.
    pub(crate) fn records(&self) -> &BTreeMap<MeasurementKey, Record> {
        &self.records
    }

    /// Reads a file beside the measurements; nothing if there is none.
    pub(crate) fn read_beside(&self, name: &str) -> Result<Vec<u8>> {
        match files::read(&self.path.join(name), MOST, Links::Refused) {
            Err(FileError::Missing(_)) => Ok(Vec::new()),
            bytes => Ok(bytes?),
        }
    }

    /// Writes a file into the folder.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        files::write_inside(&path, text.as_bytes())?;
        Ok(path)
    }
}
