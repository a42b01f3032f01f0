//! One kernel: a step of a rule, or its initial values.

use super::body::{self, Memory, Names, Needs, Surroundings};
use super::plan::{BlockGrid, Strategy};
use crate::emit::cuda::Argument;
use crate::emit::cuda::operations::Used;
use crate::emit::cuda::words::c_type;
use crate::kernel::Direction;
use crate::passes::Ready;
use minijinja::{Value, context};

/// A kernel of a [`StrategyText`](super::StrategyText).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name in the program.
    pub name: String,
    /// Its arguments before the world.
    pub arguments: Vec<Argument>,
    /// The states that it stores.
    pub writes: Vec<u16>,
    /// Whether it looks for neighbours by way of the blocks around, and so by ν where blocks are compact.
    pub near: bool,
    /// Whether it finds its blocks by λ.
    pub corners: bool,
}

/// What all kernels of a program share.
pub(super) struct Setting<'a> {
    pub grid: &'a BlockGrid,
    pub states: &'a [Names],
    /// How far tiles reach, if there are any.
    pub halo: Option<u32>,
}

/// Prints the code of one kernel; also tells what it needs of the program.
pub(super) fn print(
    setting: &Setting<'_>,
    used: &mut Used,
    name: String,
    about: String,
    kernel: &Ready,
) -> (Kernel, Needs, Value) {
    let Setting { grid, states, halo } = *setting;
    let surroundings = Surroundings {
        memory: if grid.strategy == Strategy::Squeeze { Memory::Tiles } else { Memory::Expanded },
        reach: halo.unwrap_or(0),
        axes: grid.axes(),
        level: grid.domain().level(),
        side: grid.domain().side(),
    };
    let (lines, needs) = body::print(kernel, surroundings, states, used);
    let ty = |state: u16| c_type(kernel.states[usize::from(state)].planes.ty(), false);
    let writes = kernel.writes();
    let reads = needs.reads.iter().map(|state| Argument::Old(*state));
    let arguments: Vec<Argument> = reads.chain(writes.iter().map(|state| Argument::New(*state))).collect();
    let declared: Vec<String> = (arguments.iter())
        .map(|argument| match argument {
            Argument::Old(state) => format!("const {} *__restrict__ {}", ty(*state), states[usize::from(*state)].now),
            Argument::New(state) => format!("{} *__restrict__ {}", ty(*state), states[usize::from(*state)].next),
        })
        .collect();
    let tiles: Vec<Value> = (needs.tiles.iter())
        .map(|state| {
            let Names { now, tile, .. } = &states[usize::from(*state)];
            context! { type => ty(*state), name => tile, memory => now }
        })
        .collect();
    let near = needs.there || !needs.tiles.is_empty();
    let corners = near || needs.canonical || needs.point || grid.strategy != Strategy::Squeeze;
    let context = context! {
        about => [about],
        name => name.clone(),
        arguments => declared,
        canonical => needs.canonical,
        there => needs.there,
        point => needs.point,
        near,
        corners,
        tiles,
        body => lines,
    };
    (Kernel { name, arguments, writes, near, corners }, needs, context)
}

/// How far kernels look, each distance once, ascending.
pub(super) fn distances(kernels: &[Ready]) -> Vec<u32> {
    let farthest = |direction: Direction| direction.0.iter().map(|v| v.unsigned_abs()).max();
    let directions = kernels.iter().flat_map(|kernel| &kernel.nodes).filter_map(|node| node.op.direction());
    let mut list: Vec<u32> = directions.filter_map(farthest).filter(|distance| *distance > 0).collect();
    list.sort_unstable();
    list.dedup();
    list
}
