//! A compiled kernel, the buffers that it reads and writes, and its other arguments.

use super::driver::{Address, Arguments, Blocks, Function, LaunchGraph, Memory, Pointers};
use squeeze_compiler::emit::cuda::{Entry, KernelArgument, Totals, Watch};
use std::mem;

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

/// A graph of passes.
pub(super) struct Recorded {
    pub graph: LaunchGraph,
    pub steps: u32,
    /// Whether the buffers of each state are exchanged.
    pub exchanges: Vec<bool>,
    pub uses_time: bool,
}
