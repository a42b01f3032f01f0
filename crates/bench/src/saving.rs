//! The cost of recording a run.

use super::case::Case;
use super::clock::median;
use squeeze_engine::failure::{Error, Result};
use squeeze_engine::simulation::{Simulation, SimulationError};
use squeeze_host::files;
use squeeze_records::run::{Manifest, Recording, RunFolder, Schedule, Watch};
use std::path::Path;
use std::time::Instant;

/// States of a repeat after which the time begins to count: what can wait to be written does then.
const FIRST: u32 = 3;
/// States after which a repeat ends.
const LAST: u32 = 8;
/// The most steps from one save to the next that can be measured.
pub const MOST_EVERY: u32 = u32::MAX / LAST;
/// The fewest repeats.
const LEAST_REPEATS: usize = 3;

/// Seconds of one time step, and of one when states are saved now and then.
#[derive(Clone, Debug)]
pub struct Saving {
    /// The threads that it ran on.
    pub threads: usize,
    /// Steps from one saved state to the next.
    pub every: u32,
    /// Seconds of one step without saving, the median of all repeats.
    pub plain: f64,
    /// The part that saving adds to the time, with one save for `every` steps, the median of all repeats: each is held against the one
    /// without saving right before it, since machines are slower now and faster then.
    pub cost: f64,
    /// Seconds that the beginning takes once: the manifest, and handing over the first state. No step is charged with it.
    pub beginning: f64,
    /// Bytes of one saved state on the disk.
    pub bytes: u64,
}

impl Saving {
    /// Seconds of one step with saving.
    pub fn saved(&self) -> f64 {
        self.plain * (1.0 + self.cost)
    }
}

/// Takes the time from one save to another.
struct Stopwatch {
    from: u32,
    to: u32,
    start: Instant,
    seconds: f64,
}

impl Watch for Stopwatch {
    fn progress(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        if simulation.time() == self.from {
            self.start = Instant::now();
        }
        if simulation.time() == self.to {
            self.seconds = self.start.elapsed().as_secs_f64();
        }
        Ok(())
    }
}

/// Measures a case by turns with and without saving its states every `every` steps, below `folder`, for about `seconds` seconds.
///
/// # Errors
/// As [`SimulationBuilder::build`](squeeze_engine::SimulationBuilder::build), if the folder cannot be written to, or the machine fails.
///
/// # Panics
/// If `every` is 0 or more than [`MOST_EVERY`].
pub fn measure(case: &Case, threads: usize, every: u32, seconds: f64, folder: &Path) -> Result<Saving> {
    assert!((1..=MOST_EVERY).contains(&every), "{every} steps from save to save");
    let (from, to) = (every * FIRST, every * LAST);
    let mut simulation = case.builder().threads(threads).build()?;
    // Kernels are compiled before anything is timed.
    simulation.step(u64::from(every))?;
    let place =
        tempfile::tempdir_in(folder).map_err(|error| Error::system(format!("{}: {error}", folder.display())))?;
    let mut schedule = Schedule::default();
    (schedule.steps, schedule.save_every, schedule.allow_nan) = (to, Some(every), true);
    let (mut plain, mut costs, mut beginning, mut bytes) = (Vec::new(), Vec::new(), f64::INFINITY, 0);
    let began = Instant::now();
    let mut repeats = 0;
    while repeats < LEAST_REPEATS || began.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        simulation.step(u64::from(to - from))?;
        let without = start.elapsed().as_secs_f64();
        simulation.set_time(0);
        let path = place.path().join(repeats.to_string());
        let mut manifest = Manifest::default();
        (manifest.level, manifest.schedule) = (case.level, schedule.clone());
        let start = Instant::now();
        let mut watch = Stopwatch { from, to, start, seconds: 0.0 };
        let mut recording = Recording::begin(RunFolder::create(&path)?, manifest, &simulation, &mut watch)?;
        beginning = beginning.min(start.elapsed().as_secs_f64());
        recording.run(&mut simulation, &mut watch)?;
        plain.push(without / f64::from(to - from));
        costs.push(watch.seconds / without - 1.0);
        bytes = size(&recording.folder().state_path(to));
        drop(recording);
        files::remove_tree(&path).map_err(|error| Error::system(format!("{}: {error}", path.display())))?;
        simulation.set_time(0);
        repeats += 1;
    }
    plain.sort_unstable_by(f64::total_cmp);
    costs.sort_unstable_by(f64::total_cmp);
    Ok(Saving { threads, every, plain: median(&plain), cost: median(&costs), beginning, bytes })
}

/// Bytes of all files in a folder.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_is_timed_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let case = Case::parse("vicsek,life,4,cpu").unwrap();
        let saving = measure(&case, 1, 10, 0.0, folder.path()).unwrap();
        // The cost is a difference of two times, and may come out as any number.
        assert!(saving.plain > 0.0 && saving.cost.is_finite() && saving.bytes > 625 / 8, "{saving:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
