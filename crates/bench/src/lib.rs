//! Measurements, made so that they can be believed.
//!
//! Machines are shared and their clocks drift, so a time alone says little. A [`Case`] is measured beside a copy of
//! the same bytes, before and after it, with the same threads and the same kind of memory ([`copy`]): that is the *single-pass
//! bound*, what a step would take if it did nothing but read the state once and write it once. Times are medians over
//! repeats that fill a given time.
//!
//! [`members`] compares many members with one large run, [`observing`] measures what observables cost, [`saving`] what saved states do, [`mod@hardware`] the machine itself. [`sweep`] measures all layouts that the planner knows of, to see how far its choice is from the best; [`peers`] asks
//! programs of others for their time on the same case, and [`cliffs`] asks numpy about rules at which simulators are slow. [`ledger`] measures what each speciality buys.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests lay out files as they like"))]

mod case;
pub mod claim;
pub mod cliffs;
mod clock;
pub mod copy;
pub mod hardware;
pub mod ledger;
pub mod members;
pub mod observing;
pub mod peers;
pub mod saving;
pub mod sweep;

pub use case::{Case, STANDARD, SWEPT};
pub use clock::{Timing, time, time_of};

use rayon::ThreadPoolBuilder;
use squeeze_engine::EngineError;
use squeeze_engine::cuda::kit::Device;
use squeeze_engine::failure::{Error, Result};
use squeeze_engine::simulation::{Backend, Execution, Simulation};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The shortest repeat, in seconds: far above what a clock and a wake-up cost.
const SHORTEST_REPEAT: f64 = 0.02;

/// The speed and memory of a case.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The threads that it ran on.
    pub threads: usize,
    /// The number of cells.
    pub cells: u64,
    /// The device that executed it.
    pub device: String,
    /// Seconds of one time step.
    pub step: Timing,
    /// How its kernels are laid out; `None` on backends without any.
    pub execution: Option<Execution>,
    /// How many time steps were asked for at once, or a divisor of that.
    pub at_once: u32,
    /// How many of them one pass over the memory computed at most.
    pub steps_per_pass: u32,
    /// Bytes of all buffers of all states, padding included.
    pub state_bytes: u64,
    /// Bytes that one step has to read and write, padding left out.
    pub useful_bytes: f64,
    /// Seconds of copying as many bytes, measured before and after; `None` if there was no memory for it.
    pub copy: Option<[f64; 2]>,
    /// Seconds until the initial state stood. A GPU's driver had been started before.
    pub build: f64,
    /// Seconds until the first pass was done, of which [`Measurement::build`] is a part; the rest is compilation, mostly.
    pub first_pass: f64,
}

impl Measurement {
    /// Cells that are updated in a second.
    pub fn cells_per_second(&self) -> f64 {
        self.cells as f64 / self.step.median
    }

    /// Useful bytes that are moved in a second.
    pub fn useful_bytes_per_second(&self) -> f64 {
        self.useful_bytes / self.step.median
    }

    /// The time of a copy of the useful bytes, the faster of both, over that of a step: 1 is the single-pass bound, and
    /// only several time steps in one pass go beyond.
    pub fn ratio_to_copy(&self) -> Option<f64> {
        self.copy.map(|[before, after]| before.min(after) / self.step.median)
    }

    /// The same for all bytes of the states, also those that store no cell.
    pub fn ratio_to_copy_of_stored(&self) -> Option<f64> {
        self.ratio_to_copy().map(|ratio| ratio * self.state_bytes as f64 / self.useful_bytes)
    }
}

/// Measures a case on `threads` threads. `seconds` is the time that the repeats fill.
///
/// # Errors
/// As [`SimulationBuilder::build`](squeeze_engine::SimulationBuilder::build), or if the machine fails.
pub fn measure(case: &Case, threads: usize, seconds: f64) -> Result<Measurement> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::system(format!("no threads: {error}")))?;
    let useful_bytes = case.useful_bytes();
    // The driver's start takes longer than the run that follows, and comes once a process.
    let driver = if case.backend == Backend::Cuda { Some(Device::first().map_err(EngineError::from)?) } else { None };
    let copied = || match driver {
        Some(_) => copy::seconds_on_device(useful_bytes, seconds / 4.0),
        None => copy::seconds(useful_bytes, &pool, seconds / 4.0),
    };
    let before = copied()?;
    let began = Instant::now();
    let mut simulation = case.builder().threads(threads).build()?;
    let build = began.elapsed().as_secs_f64();
    let at_once = case.at_once.unwrap_or_else(|| simulation.steps_of_pass());
    let unit = u64::from(at_once);
    let steps_per_pass = simulation.steps_of_pass().min(at_once);
    simulation.step(unit)?;
    let first_pass = began.elapsed().as_secs_f64();
    let step = clock::time(unit, SHORTEST_REPEAT, seconds, |steps| match case.at_once {
        None => simulation.step(steps),
        Some(_) => (0..steps / unit).try_for_each(|_| simulation.step(unit)),
    })?;
    let (cells, execution) = (simulation.domain().cells(), simulation.execution());
    let (state_bytes, device) = (simulation.state_bytes(), simulation.device());
    drop::<Simulation>(simulation);
    let copy = before.zip(copied()?).map(|(before, after)| [before, after]);
    Ok(Measurement {
        threads,
        cells,
        device,
        step,
        execution,
        at_once,
        steps_per_pass,
        state_bytes,
        useful_bytes,
        copy,
        build,
        first_pass,
    })
}

/// Seconds that the command `squeeze run` takes for a case from its start to its end with one pass of `steps` time steps,
/// the least of several runs, if it succeeds. `squeeze` is the program.
pub fn start(squeeze: &Path, case: &Case, threads: usize, steps: u32) -> Option<f64> {
    let run = || {
        let mut command = Command::new(squeeze);
        command.args(["run", &case.fractal_spec, "--rule", &case.rule_spec]);
        if let Some(level) = case.domain().levels() {
            command.args(["--level", &level.to_string()]);
        }
        command.args(["--backend", case.backend.name(), "--steps", &steps.to_string(), "--quiet", "--no-digest"]);
        if case.takes_threads() {
            command.args(["--threads", &threads.to_string()]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        let succeeded = command.status().is_ok_and(|status| status.success());
        succeeded.then(|| began.elapsed().as_secs_f64())
    };
    let mut best = run()?;
    let mut total = best;
    for _ in 0..4 {
        if total < 0.5 {
            let again = run()?;
            (best, total) = (best.min(again), total + again);
        }
    }
    Some(best)
}
