//! A compiled kernel, the buffers that it reads and writes, and its other arguments.

use super::driver::{Address, Arguments, Blocks, Device, Function, LaunchGraph, Memory, Pointers};
use super::fronts::Fronts;
use crate::Result;
use squeeze_compiler::Program;
use squeeze_compiler::emit::cuda::{Entry, KernelArgument, Totals, Watch};
use squeeze_compiler::ir::{SignedAxis, Step, StepSchedule};
use squeeze_compiler::pipeline::TakenByGpu;
use squeeze_compiler::plan::Waves;
use squeeze_compiler::target::Wavefront;
use std::mem;
use std::sync::Arc;

/// A state's memory on the device.
pub struct Field {
    /// The present state.
    pub now: Memory,
    /// The buffer that the next pass writes, which holds the state before. None for states that no step changes.
    pub older: Option<Memory>,
}

impl Field {
    /// The address of the buffer that the next pass writes, or 0.
    pub fn next(&self) -> Address {
        self.older.as_ref().map_or(0, Memory::address)
    }

    /// Makes the buffer that a pass wrote the present state.
    pub fn exchange(&mut self) {
        if let Some(written) = &mut self.older {
            mem::swap(&mut self.now, written);
        }
    }
}

/// The addresses of the buffers that a kernel takes first, in its order; `new` says where a state's results go.
pub fn buffers(arguments: &[KernelArgument], fields: &[Field], new: impl Fn(usize) -> Address) -> Vec<Address> {
    let address = |argument: &KernelArgument| match argument {
        KernelArgument::Old(state) => fields[usize::from(*state)].now.address(),
        KernelArgument::New(state) => new(usize::from(*state)),
    };
    arguments.iter().map(address).collect()
}

/// A compiled kernel.
pub(super) struct DeviceKernel {
    pub entry: Entry,
    pub function: Function,
}

/// How the cells of a step are taken.
pub(super) enum StepTurns {
    AtOnce,
    /// Rows take turns along these axes, the last one slowest.
    InRows(Vec<SignedAxis>),
    InWaves(Waves),
    InFronts(Fronts),
}

impl StepTurns {
    /// Those of each step of a program; none if all cells are always taken at once.
    ///
    /// # Errors
    /// As of [`Fronts::new`].
    pub(super) fn of_steps(device: &Arc<Device>, program: &Program) -> Result<Vec<StepTurns>> {
        let of_step = |((taken, waves), step): (&TakenByGpu, &Step)| match (taken, waves) {
            (_, Some((waves, _))) => Ok(StepTurns::InWaves(waves.clone())),
            (StepSchedule::InRows, None) => Ok(StepTurns::InRows(program.rule.turns(step))),
            (StepSchedule::Singly(_), None) => Fronts::new(device, program, step).map(StepTurns::InFronts),
            _ => Ok(StepTurns::AtOnce),
        };
        program.taken_by_gpu.iter().zip(&program.rule.steps).map(of_step).collect()
    }

    /// About how many kernels and copies are started for it, by the number of states.
    pub(super) fn launches(&self, extent: [u64; 3], states: usize) -> usize {
        match self {
            StepTurns::AtOnce => 1,
            StepTurns::InRows(_) => 2 * (extent[1] * extent[2]) as usize,
            StepTurns::InWaves(waves) if waves.wavefront == Wavefront::Launches => waves.diagonals() as usize,
            StepTurns::InWaves(_) => 2,
            StepTurns::InFronts(fronts) => fronts.launches(states),
        }
    }
}

/// The arguments of a kernel between its buffers and the tables of neighbours.
pub(super) enum Beside {
    Nothing,
    /// Where it adds up totals.
    Totals(Totals),
    /// The tiles of a list, by this many blocks.
    Watch(Watch, Blocks),
}

impl Arguments for Beside {
    fn point(&self, pointers: &mut Pointers) {
        match self {
            Beside::Nothing => {}
            Beside::Totals(place) => place.point(pointers),
            Beside::Watch(watch, _) => watch.point(pointers),
        }
    }
}

/// The arguments of a kernel in waves there: the address of its flags, and the number of a diagonal.
pub(super) struct WaveArguments(pub Address, pub u32);

impl Arguments for WaveArguments {
    fn point(&self, pointers: &mut Pointers) {
        self.0.point(pointers);
        self.1.point(pointers);
    }
}

/// A graph of passes.
pub(super) struct Recorded {
    pub graph: LaunchGraph,
    pub steps: u32,
    /// Whether the buffers of each state are exchanged.
    pub exchanges: Vec<bool>,
    pub uses_time: bool,
}
