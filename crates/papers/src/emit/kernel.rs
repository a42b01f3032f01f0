//! One kernel: a step of a rule, or its initial values.

use super::cell::{self, Names, Needs, NeighbourAccess, Surroundings};
use super::plan::{BlockGrid, Strategy};
use minijinja::{Value, context};
use squeeze_compiler::emit::cuda::{KernelArgument, Namer, UsedFunctions};
use squeeze_compiler::kernel::Direction;
use squeeze_compiler::passes::Ready;

/// A kernel of a [`StrategyText`](super::StrategyText).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyKernel {
    /// Its name in the program.
    pub name: String,
    /// Its arguments before the world.
    pub arguments: Vec<KernelArgument>,
    /// The states that it stores.
    pub writes: Vec<u16>,
    /// Whether it looks for neighbours by way of the blocks around, and so by ν where blocks are compact.
    pub near: bool,
    /// Whether it finds its blocks by λ.
    pub corners: bool,
}

/// The names of the skeletons.
const TAKEN: &str = "u16 index Point RHO BLOCK_PLACES CELL_SIDE BLOCK_SIDE BLOCKS GROUP THREADS AROUND HALO TILE \
    TILE_PLACES NONE HOLE NO_REPLICA ROW LAYER MICRO_PLACE MICRO_MASK MICRO_INDEX x y z own centre there \
    first block cell number corners canonicals canonical_index around present any_present at lambda nu has_block \
    is_cell is_inside canonical_of cell_of place_of place_of_cell locate_corners locate_around right down in beside \
    digit_at replica_at offset_at_x offset_at_y offset_at_z replica offset_x offset_y offset_z LEVELS WIDTH ALL WEIGHTS \
    SCALES PATTERNS REPLICAS SIDES sum_of_levels sum_of_rows multiply_bytes multiply_halves multiply_sixteen half LAMBDA_CHUNKS \
    LAMBDA_GROUPS LAMBDA_WEIGHTS LAMBDA_FACTORS_X LAMBDA_FACTORS_Y LAMBDA_FACTORS_Z NU_CHUNKS NU_GROUPS NU_WEIGHTS \
    NU_FACTORS read_cells_1 read_cells_4 read_cells_8 write_cells_1 write_cells_4 write_cells_8";

/// The names that code among the skeletons may take.
pub(super) fn namer() -> Namer {
    let numbered = ["replica", "REPLICA", "offset_x", "offset_y", "offset_z", "OFFSET_X", "OFFSET_Y", "OFFSET_Z"];
    let numbered = numbered.iter().flat_map(|name| (0..64).map(move |number| format!("{name}_{number}")));
    Namer::among(TAKEN.split_whitespace().map(str::to_owned).chain(numbered))
}

/// The inputs that all kernels of a program share.
pub(super) struct Setting<'a> {
    pub grid: &'a BlockGrid,
    pub states: &'a [Names],
    /// How far tiles reach, if there are any.
    pub halo: Option<u32>,
}

/// Prints the code of one kernel; also tells what it needs of the program.
pub(super) fn print(
    setting: &Setting<'_>,
    used: &mut UsedFunctions,
    name: String,
    about: String,
    kernel: &Ready,
) -> (StrategyKernel, Needs, Value) {
    let Setting { grid, states, halo } = *setting;
    let surroundings = Surroundings {
        memory: if grid.strategy == Strategy::Squeeze { NeighbourAccess::Tiles } else { NeighbourAccess::Expanded },
        reach: halo.unwrap_or(0),
        domain: grid.domain(),
    };
    let (lines, needs) = cell::print(kernel, surroundings, states, used, namer());
    let ty = |state: u16| states[usize::from(state)].ty;
    let writes: Vec<u16> = kernel.interface().writes.iter().map(|state| *state as u16).collect();
    let reads = needs.reads.iter().map(|state| KernelArgument::Old(*state));
    let arguments: Vec<KernelArgument> = reads.chain(writes.iter().map(|state| KernelArgument::New(*state))).collect();
    let declared: Vec<String> = (arguments.iter())
        .map(|argument| match argument {
            KernelArgument::Old(state) => {
                format!("const {} *__restrict__ {}", ty(*state), states[usize::from(*state)].now)
            }
            KernelArgument::New(state) => format!("{} *__restrict__ {}", ty(*state), states[usize::from(*state)].next),
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
    (StrategyKernel { name, arguments, writes, near, corners }, needs, context)
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
