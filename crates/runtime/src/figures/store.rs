//! The folder of figures, and the measurements that are kept there.
//!
//! | in the folder | what |
//! |---|---|
//! | `figures.json` | the tier |
//! | `measurements.jsonl` | each measurement, on a line of its own as soon as it is made |
//! | `NAME.svg`, `NAME.csv` | each figure and the numbers in it |
//! | `REPORT.md` | what the papers say and what was found |

use super::error::{FiguresError, Result};
use super::setup::{Setup, Tier};
use crate::engine::Backend;
use serde_json::{Value as Json, json};
use squeeze_host::files::{self, File, FileError, Links, Lock};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

const MARK: &str = "figures.json";
const LOCK: &str = ".squeeze-lock";
const MEASUREMENTS: &str = "measurements.jsonl";
/// The most bytes of measurements that are read.
const MOST: u64 = 1 << 28;

/// What is measured: a way to run, at a level.
pub type Key = (String, u32);

/// A measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The way to run.
    pub way: String,
    /// The level.
    pub level: u32,
    /// The number of cells.
    pub cells: u64,
    /// What came of it, or why nothing did.
    pub outcome: std::result::Result<Measured, String>,
    /// The clocks when it was made.
    pub clocks: String,
}

/// What a measurement gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Seconds of one step: the mean over runs, and its standard error.
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

/// The folder.
pub struct Store {
    path: PathBuf,
    records: BTreeMap<Key, Record>,
    /// What tells the measurements of this setup from others.
    setup: Json,
    file: Option<File>,
    _lock: Lock,
}

impl Store {
    /// Whether a folder can be used; nothing is written.
    ///
    /// # Errors
    /// [`FiguresError::NotOurs`], [`FiguresError::OtherTier`], or if it cannot be read.
    pub fn check(path: &Path, tier: Tier) -> Result<()> {
        let names = match files::list(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                return match parent.is_dir() {
                    true => Ok(()),
                    false => Err(FileError::NoFolder { path: path.to_owned(), folder: parent.to_owned() }.into()),
                };
            }
            Err(_) if path.exists() && !path.is_dir() => return Err(FiguresError::NotOurs(path.to_owned())),
            names => names.map_err(|error| FileError::reading(path, error))?,
        };
        if names.iter().all(|(name, _)| name == LOCK || files::is_part(name)) {
            return Ok(());
        }
        let mark = files::read(&path.join(MARK), 1 << 16, Links::Refused).ok();
        let mark = mark.and_then(|bytes| serde_json::from_slice::<Json>(&bytes).ok()).unwrap_or_default();
        match [Tier::Quick, Tier::Full].into_iter().find(|tier| mark["tier"] == tier.name()) {
            None => Err(FiguresError::NotOurs(path.to_owned())),
            Some(there) if there != tier => {
                Err(FiguresError::OtherTier { path: path.to_owned(), there: there.name(), asked: tier.name() })
            }
            Some(_) => Ok(()),
        }
    }

    /// What made the last measurement in a folder.
    ///
    /// # Errors
    /// [`FiguresError::NothingMeasured`] if there is none of this tier, or if the folder cannot be read.
    pub fn last_setup(path: &Path, tier: Tier) -> Result<Setup> {
        let bytes = match files::read(&path.join(MEASUREMENTS), MOST, Links::Refused) {
            Err(FileError::Missing(_)) => Vec::new(),
            bytes => bytes?,
        };
        let setup_of = |line: &[u8]| {
            let json = serde_json::from_slice::<Json>(line).ok()?;
            let setup = &json["setup"];
            let text = |key: &str| setup[key].as_str();
            let backend = Backend::ALL.into_iter().find(|backend| Some(backend.name()) == text("backend"))?;
            let made = Setup::stored(tier, backend, text("device")?, text("software")?, text("version")?);
            (text("tier")? == tier.name()).then_some(made)
        };
        let last = bytes.rsplit(|byte| *byte == b'\n').find_map(setup_of);
        last.ok_or_else(|| FiguresError::NothingMeasured { path: path.to_owned(), tier: tier.name() })
    }

    /// Opens a folder, which is made if need be, and reads the measurements that this setup has made there before.
    ///
    /// # Errors
    /// As [`check`](Self::check); [`FiguresError::Busy`]; or if it cannot be written to.
    pub fn open(path: &Path, setup: &Setup) -> Result<Store> {
        Store::check(path, setup.tier)?;
        let failed = |error| FileError::writing(path, error);
        if !path.is_dir() {
            files::make_folder(path).and_then(|()| files::sync_parent(path)).map_err(failed)?;
        }
        let lock = files::lock(&path.join(LOCK))?.ok_or_else(|| FiguresError::Busy(path.to_owned()))?;
        files::remove_parts(path).map_err(failed)?;
        files::write_inside(&path.join(MARK), format!("{:#}\n", json!({"tier": setup.tier.name()})).as_bytes())?;
        let made_by = json!({
            "tier": setup.tier.name(),
            "backend": setup.backend.name(),
            "device": setup.device,
            "software": setup.software,
            "version": setup.version,
        });
        let mut store =
            Store { path: path.to_owned(), records: BTreeMap::new(), setup: made_by, file: None, _lock: lock };
        store.read()?;
        Ok(store)
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
            let Ok(json) = serde_json::from_slice::<Json>(line) else { continue };
            if let (true, Some(record)) = (json["setup"] == self.setup, from_json(&json)) {
                self.records.insert((record.way.clone(), record.level), record);
            }
        }
        self.file = Some(file);
        Ok(())
    }

    /// Keeps a measurement; it is durable when this returns.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn keep(&mut self, record: Record) -> Result<()> {
        let mut json = to_json(&record);
        json["setup"] = self.setup.clone();
        if let Some(file) = &mut self.file {
            let done = file.write_all(format!("{json}\n").as_bytes()).and_then(|()| file.sync());
            done.map_err(|error| FileError::writing(&self.path.join(MEASUREMENTS), error))?;
        }
        self.records.insert((record.way.clone(), record.level), record);
        Ok(())
    }

    /// The measurements.
    pub fn records(&self) -> &BTreeMap<Key, Record> {
        &self.records
    }

    /// Writes a file into the folder.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        files::write_inside(&path, text.as_bytes())?;
        Ok(path)
    }
}

fn to_json(record: &Record) -> Json {
    let mut json = json!({"way": record.way, "level": record.level, "cells": record.cells, "clocks": record.clocks});
    match &record.outcome {
        Ok(found) => {
            json["seconds"] = json!(found.mean);
            json["error"] = json!(found.error);
            json["runs"] = json!(found.runs);
            json["steps"] = json!(found.steps);
            json["memory"] = json!(found.memory);
            json["state_bytes"] = json!(found.state_bytes);
            json["digest"] = json!(found.digest);
        }
        Err(problem) => json["problem"] = json!(problem),
    }
    json
}

fn from_json(json: &Json) -> Option<Record> {
    let text = |key: &str| Some(json.get(key)?.as_str()?.to_owned());
    let outcome = match text("problem") {
        Some(problem) => Err(problem),
        None => Ok(Measured {
            mean: json["seconds"].as_f64()?,
            error: json["error"].as_f64()?,
            runs: json["runs"].as_u64()? as usize,
            steps: json["steps"].as_u64()?,
            memory: json["memory"].as_u64(),
            state_bytes: json["state_bytes"].as_u64()?,
            digest: text("digest")?,
        }),
    };
    let level = u32::try_from(json["level"].as_u64()?).ok()?;
    Some(Record { way: text("way")?, level, cells: json["cells"].as_u64()?, outcome, clocks: text("clocks")? })
}
