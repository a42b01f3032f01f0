//! The cost of observables, in time steps of the same run.

use super::{Case, SHORTEST_REPEAT, Timing, clock};
use squeeze_engine::failure::Result;
use std::time::Instant;

/// Observations that are made before anybody looks at them.
const AHEAD: u32 = 64;

/// The costs of observing a case.
#[derive(Clone, Debug)]
pub struct Observing {
    /// The threads that it ran on.
    pub threads: usize,
    /// The device that executed it.
    pub device: String,
    /// The names of the observables.
    pub observables: Vec<String>,
    /// Seconds of one time step.
    pub step: Timing,
    /// Seconds of observing once: all observables.
    pub observation: Timing,
    /// Seconds of one time step where the run is observed after each, if that is faster than steps and observations in turn.
    pub observed_step: Option<Timing>,
    /// Seconds of the first observation, with the compilation of its kernels.
    pub first: f64,
}

impl Observing {
    /// The time of an observable in time steps.
    pub fn steps(&self) -> f64 {
        self.observation.median / self.step.median / self.observables.len().max(1) as f64
    }
}

/// Measures time steps and observations of a case on `threads` threads, each for half of `seconds`.
///
/// # Errors
/// As [`SimulationBuilder::build`](squeeze_engine::SimulationBuilder::build), or if the machine fails.
pub fn measure(case: &Case, threads: usize, seconds: f64) -> Result<Observing> {
    let mut simulation = case.builder().threads(threads).build()?;
    let unit = u64::from(simulation.steps_of_pass());
    simulation.step(unit)?;
    let began = Instant::now();
    simulation.observe()?;
    let first = began.elapsed().as_secs_f64();
    let step = clock::time(unit, SHORTEST_REPEAT, seconds / 2.0, |steps| simulation.step(steps))?;
    let observe = |times| (0..times).try_for_each(|_| simulation.observe().map(|_| ()));
    let observation = clock::time(1, SHORTEST_REPEAT, seconds / 2.0, observe)?;
    let observed_step = match simulation.observes_ahead() {
        false => None,
        true => Some(clock::time(AHEAD.into(), SHORTEST_REPEAT, seconds / 2.0, |steps| {
            (0..steps / u64::from(AHEAD)).try_for_each(|_| simulation.step_observing(1, AHEAD).map(drop))
        })?),
    };
    let observables = case.rule.observables.iter().map(|observable| observable.name.clone()).collect();
    Ok(Observing { threads, device: simulation.device(), observables, step, observation, observed_step, first })
}
