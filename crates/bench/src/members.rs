//! The speed of many members at once, compared with one run of about as many cells.

use super::case::no_case;
use super::{Case, SHORTEST_REPEAT, Timing, clock};
use squeeze_compiler::Target;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::plan::{can_be_lanes, choices, member_candidates};
use squeeze_compiler::target::{Choice, Hardware, Machine, Members};
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{Execution, Member, SimulationBuilder};
use squeeze_engine::{Backend, EngineError};
use std::sync::Arc;

/// Observations that are made before anybody looks at them.
const AHEAD: u32 = 32;

/// The speed of the members of a case, beside one run.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// The number of members.
    pub members: usize,
    /// The threads that they ran on.
    pub threads: usize,
    /// The device that executed them.
    pub device: String,
    /// How their kernels are laid out: T, L and t, if there are kernels.
    pub layout: Option<String>,
    /// The time steps between two observations, if there were any.
    pub observe_every: Option<u32>,
    /// The cells of all members.
    pub cells: u64,
    /// Seconds of one time step of all members.
    pub step: Timing,
    /// The level of the one run.
    pub level_of_one: u32,
    /// Its cells.
    pub cells_of_one: u64,
    /// Seconds of its time step.
    pub step_of_one: Timing,
}

impl Crowd {
    /// The members' cells updated per second, over the one run's.
    pub fn ratio(&self) -> f64 {
        let members = self.cells as f64 / self.step.median;
        members / (self.cells_of_one as f64 / self.step_of_one.median)
    }
}

/// The `most` cheapest layouts by the model with members as lanes, then the `most` cheapest with members in turn, on a GPU.
///
/// # Errors
/// For other backends.
pub fn layouts(case: &Case, members: usize, most: usize) -> Result<Vec<Choice>> {
    if case.backend != Backend::Cuda {
        let text = format!("{},{},{},{}", case.fractal_spec, case.rule_spec, case.level, case.backend.name());
        let problem = "layouts of members are compared on `cuda` alone".to_owned();
        return Err(no_case(&text, &problem).into());
    }
    let machine = case.hardware.as_ref().and_then(Hardware::gpu).unwrap_or_else(Machine::gpu);
    let target = Target::cuda().on(Some(machine)).with_members(Members::of(members as u32));
    let choices = choices(case.domain(), &case.rule, &target).map_err(EngineError::from)?;
    // Of one lane members would be lanes.
    let has_lanes = |choice: &Choice| choice.layout().is_some_and(|layout| layout.lane_digits() > 0);
    let in_turn = choices.into_iter().flatten().filter(has_lanes).take(most);
    let lanes = match can_be_lanes(&case.rule, &target, members) {
        true => member_candidates(case.domain(), &case.rule, &target.machine, members),
        false => Vec::new(),
    };
    Ok(lanes.into_iter().take(most).chain(in_turn).collect())
}

/// Measures members of a case, on a layout if one is given, and one run at the level whose cells are about as many, each for half of `seconds`.
/// Both are observed at a distance of steps, if one is given; else as many steps are asked for at once as the case says, which each member computes before the next one does on a CPU.
///
/// # Errors
/// As [`EnsembleBuilder::build`](squeeze_engine::EnsembleBuilder::build), or if the machine fails.
pub fn measure(
    case: &Case,
    members: usize,
    plan: Option<Choice>,
    observe_every: Option<u32>,
    threads: usize,
    seconds: f64,
) -> Result<Crowd> {
    let cells = case.domain().cells() * members as u64;
    let list = (0..members as u64).map(Member::new);
    let builder = case.builder().threads(threads);
    let mut ensemble = plan.into_iter().fold(builder, SimulationBuilder::plan).members(list).build()?;
    let unit_of = |execution: Option<Execution>| {
        let at_once = observe_every.or(case.at_once);
        u64::from(at_once.unwrap_or(execution.map_or(1, |execution| execution.steps_per_pass)))
    };
    let (unit, device) = (unit_of(ensemble.execution()), ensemble.device());
    let layout = ensemble
        .execution()
        .map(|execution| format!("{}.{}.{}", execution.lane_digits, execution.micro_digits, execution.steps_per_pass));
    let mut own = vec![(); members];
    let step = clock::time(unit, SHORTEST_REPEAT, seconds / 2.0, |steps| match observe_every {
        None => ensemble.step(steps),
        Some(every) => pieces(steps / unit).try_for_each(|times| {
            ensemble.step_reduced(every, times, &mut own, |()| true, |_, reduced| drop(reduced.observables()))
        }),
    })?;
    drop(ensemble);
    let far = |level: u32| {
        let domain = Domain::new(Arc::clone(case.domain().fractal()), level).ok()?;
        Some((domain.cells() as f64 / cells as f64).ln().abs())
    };
    let levels = (case.level..=case.level + 40).map_while(|level| Some((level, far(level)?)));
    let level_of_one = levels.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(case.level, |(level, _)| level);
    let mut one = case.builder().level(level_of_one).threads(threads).build()?;
    let (unit, cells_of_one) = (unit_of(one.execution()), one.domain().cells());
    let step_of_one = clock::time(unit, SHORTEST_REPEAT, seconds / 2.0, |steps| match observe_every {
        None => one.step(steps),
        Some(every) => pieces(steps / unit).try_for_each(|times| one.step_observing(every, times).map(drop)),
    })?;
    Ok(Crowd { members, threads, device, layout, observe_every, cells, step, level_of_one, cells_of_one, step_of_one })
}

/// Pieces of all observations, a few at a time, as in a sweep.
fn pieces(observations: u64) -> impl Iterator<Item = u32> {
    (0..observations).step_by(AHEAD as usize).map(move |first| (observations - first).min(AHEAD.into()) as u32)
}
