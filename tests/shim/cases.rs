//! Cases that run on the shim, and their visible results.

use crate::MARK;
use squeeze::compiler::plan::candidates;
use squeeze::compiler::target::{Choice, Machine};
use squeeze::engine::EngineError;
use squeeze::simulation::SimulationError;
use squeeze::{Backend, Domain, Fractal, Rule, Simulation, SimulationBuilder, cuda, resolve};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// More operations take the compiler too long.
pub(crate) const MOST_OPERATIONS: f64 = 1000.0;
pub(crate) const STRIDES: [u64; 3] = [1, 2, 9];

/// Whether the driver is the shim: not if all ignored tests are run by hand.
pub(crate) fn is_here() -> bool {
    let here = std::env::var_os(MARK).is_some();
    if here {
        assert_eq!(cuda::device_name().unwrap(), "the host in place of a GPU");
    }
    here
}

/// The digests and observables of a simulation, from the beginning on.
pub(crate) fn sights(builder: SimulationBuilder) -> Vec<String> {
    try_sights(builder).expect("it has kernels")
}

/// As [`sights`]; `None` if there are no kernels for the rule on the layout.
pub(crate) fn try_sights(builder: SimulationBuilder) -> Option<Vec<String>> {
    let mut simulation = match builder.build() {
        Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return None,
        built => built.unwrap_or_else(|error| panic!("{error}")),
    };
    Some(sights_of(&mut simulation))
}

/// As [`sights`], of a simulation that is at its beginning.
pub(crate) fn sights_of(simulation: &mut Simulation) -> Vec<String> {
    let look =
        |simulation: &Simulation| format!("{:?} {:?}", simulation.digests().unwrap(), simulation.observe().unwrap());
    let mut sights = vec![look(simulation)];
    for steps in STRIDES {
        simulation.step(steps).unwrap();
        sights.push(look(simulation));
    }
    sights
}

pub(crate) fn digests_of(simulation: &Simulation) -> Vec<u64> {
    simulation.digests().unwrap().into_iter().map(|(_, digest)| digest).collect()
}

pub(crate) fn builder(domain: &Domain, rule: &Arc<Rule>) -> SimulationBuilder {
    let builder = Simulation::builder(Arc::clone(domain.fractal()), Arc::clone(rule));
    builder.level(domain.level()).seed(7).threads(1)
}

/// A fractal at the largest level with at most this number of cells, and not many more places.
pub(crate) fn domain(fractal: &Arc<Fractal>, most_cells: u64) -> Domain {
    let axes = fractal.dimension.axes() as u32;
    let fits = |side: u64, cells| side.saturating_pow(axes) <= 16 * most_cells && cells <= most_cells;
    Domain::new(Arc::clone(fractal), Domain::largest_level_where(fractal, fits)).unwrap()
}

/// Everything that ships and fits together.
pub(crate) fn shipped() -> Vec<(Arc<Fractal>, Arc<Rule>)> {
    let fractals = squeeze_tests::fractals().into_iter().map(|name| resolve::fractal(&name).unwrap());
    let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.extend(["operations", "tables"].map(|name| resolve::rule(&format!("gpu/{name}.rule")).unwrap()));
    let pairs = fractals
        .flat_map(|fractal| rules.iter().map(move |rule| (Arc::clone(&fractal), Arc::clone(rule))).collect::<Vec<_>>());
    pairs.filter(|(fractal, rule)| domain(fractal, 100).admits(rule).is_ok()).collect()
}

/// The backend whose results are right: the oracle by night. By day it is the backend `cpu`, which is faster, and which other tests compare with the
/// oracle on the same masks, fractals and rules.
pub(crate) fn judge() -> Backend {
    if squeeze_tests::all_cases() { Backend::Reference } else { Backend::Cpu }
}

/// Does something with each item and its number, on all cores.
pub(crate) fn in_parallel<T: Sync>(items: &[T], act: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((number, item)) = Some(next.fetch_add(1, Relaxed)).and_then(|i| Some((i, items.get(i)?))) {
            act(number, item);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
}

/// A layout and a number of steps that this number chooses among those with short kernels.
pub(crate) fn plan(domain: &Domain, rule: &Rule, number: usize) -> Option<Choice> {
    let rule = domain.fit(&Arc::new(rule.clone())).ok()?;
    let mut all = candidates(domain, &rule, &Machine::gpu(), 1);
    all.retain(|candidate| candidate.estimate.operations <= MOST_OPERATIONS);
    // A prime that shares no factor with the numbers of layouts.
    (!all.is_empty()).then(|| all.swap_remove(number * 7919 % all.len()))
}
