//! The cost of looking at a state, beside a time step and a copy of the same bytes.

use super::{Case, SHORTEST_REPEAT, Timing, clock};
use squeeze_compiler::ir::{StateId, Type};
use squeeze_engine::cuda;
use squeeze_engine::failure::Result;
use squeeze_engine::sample::Sample;
use squeeze_engine::simulation::{Backend, Element, SimulationError, StateView, Window};
use std::time::Instant;

/// Places along a side of the window.
const SIDE: u64 = 1024;
/// The most blocks along a side of the grid of which sums are taken.
const BLOCKS: u64 = 1024;

/// The fewest and the most looks of which a median is taken; the first ones compile kernels and make buffers.
const FEWEST_LOOKS: usize = 7;
const MOST_LOOKS: usize = 1000;

/// The costs of looking at the first state of a case.
#[derive(Clone, Debug)]
pub struct Looking {
    /// The threads that it ran on.
    pub threads: usize,
    /// The device that executed it.
    pub device: String,
    /// Seconds of one time step.
    pub step: Timing,
    /// Seconds of a window of at most 1024² places in the middle of the grid.
    pub window: Timing,
    /// Bytes that one such window copies between the host and a GPU.
    pub bytes: Option<u64>,
    /// Seconds of the sums of all blocks, of which at most 1024 lie along a side.
    pub sums: Timing,
    /// Seconds of the values of all cells.
    pub field: Timing,
    /// Seconds of a copy of as many bytes to new memory.
    pub copy: Timing,
}

impl Looking {
    /// How fast the values of all cells come, beside a copy of them.
    pub fn of_copy(&self) -> f64 {
        self.copy.median / self.field.median
    }
}

/// Measures each for a fifth of `seconds`.
///
/// # Errors
/// As [`SimulationBuilder::build`](squeeze_engine::SimulationBuilder::build), or if the machine fails.
pub fn measure(case: &Case, threads: usize, seconds: f64) -> Result<Looking> {
    match case.rule.state(StateId(0)).ty {
        Type::Bit => measure_of::<bool>(case, threads, seconds),
        Type::U8 | Type::Enum(_) => measure_of::<u8>(case, threads, seconds),
        Type::U16 => measure_of::<u16>(case, threads, seconds),
        Type::I32 => measure_of::<i32>(case, threads, seconds),
        Type::U32 => measure_of::<u32>(case, threads, seconds),
        Type::I64 => measure_of::<i64>(case, threads, seconds),
        Type::F32 => measure_of::<f32>(case, threads, seconds),
        Type::F64 => measure_of::<f64>(case, threads, seconds),
    }
}

fn measure_of<T: Element>(case: &Case, threads: usize, seconds: f64) -> Result<Looking> {
    let mut simulation = case.builder().threads(threads).build()?;
    let unit = u64::from(simulation.steps_of_pass());
    let step = clock::time(unit, SHORTEST_REPEAT, seconds / 5.0, |steps| simulation.step(steps))?;
    let domain = simulation.domain().clone();
    let extent = domain.extent();
    let size = [extent[0].min(SIDE), extent[1].min(SIDE), 1];
    let window = Window { origin: std::array::from_fn(|axis| (extent[axis] - size[axis]) / 2), size };
    let few =
        |level: &u32| extent.iter().zip(domain.scale_product(*level)).all(|(side, of_block)| side / of_block <= BLOCKS);
    let level = (0..=domain.level()).find(few).unwrap_or(domain.level());
    let blocks = domain.cells() / domain.cell_product(level);
    // A GPU copies a state that is looked at often to the host, and answers from there: each look is at a new state.
    let mut time = |work: &dyn Fn(StateView<'_>) -> Result<(), SimulationError>| {
        let (mut times, mut total) = (Vec::new(), 0.0);
        while times.len() < FEWEST_LOOKS || total < seconds / 5.0 && times.len() < MOST_LOOKS {
            simulation.step(unit)?;
            let began = Instant::now();
            work(StateView::numbered(&simulation, StateId(0))?)?;
            times.push(began.elapsed().as_secs_f64());
            total += times[times.len() - 1];
        }
        Ok::<_, SimulationError>(Timing::of(times, 1))
    };
    let look = |view: StateView<'_>| view.window::<T>(&window).map(drop);
    let window = time(&look)?;
    let sums = time(&|view| view.block_sums(level, 0..blocks, Sample::Value).map(drop))?;
    let field = time(&|view| view.values::<T>(0..domain.cells()).map(drop))?;
    simulation.step(unit)?;
    // What was copied before does not count.
    _ = cuda::trace();
    look(StateView::numbered(&simulation, StateId(0))?)?;
    let bytes = (case.backend == Backend::Cuda).then(|| cuda::trace().copied);
    let values = StateView::numbered(&simulation, StateId(0))?.values::<T>(0..domain.cells())?;
    let copy = clock::time_of(SHORTEST_REPEAT, seconds / 5.0, || drop(std::hint::black_box(values.clone())));
    Ok(Looking { threads, device: simulation.device(), step, window, bytes, sums, field, copy })
}
