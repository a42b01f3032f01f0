//! The model: the cost of a pass over all superblocks of one layout.
//!
//! For every T, L and t that fit, the model adds up what one superblock costs and divides it by the cells and steps that it
//! advances. It knows
//! - *lane density*: a column takes whole vector registers, so 243 lanes of 256 are worth more than 9 of 256;
//! - *halo volume*: within distance d of a micro-fractal of side S lie about `((S + 2d) / S)^h` times as many cells, h being
//!   the Hausdorff dimension of the micro-fractal; phases that others follow compute those too;
//! - *registers*: values beyond them are stored and loaded once more;
//! - *code*: instructions that no cache holds are fetched again by each pass of a GPU;
//! - *random planes*: a draw takes as many as its probability needs, for the cells that guards let through, and twice the blocks where columns of a GPU
//!   begin in the midst of one and no warp shares them;
//! - *lines*: a warp whose threads read columns of several superblocks waits for a line of memory of each;
//! - *the first cache*: a superblock whose columns and halo do not fit waits for the second;
//! - *the superblock itself*: its entry of the neighbour table, and the permutation of lanes at the border, which in three
//!   dimensions is most of the work on a GPU;
//! - *memory*: each pass reads and writes the state once, and reads the neighbour table, from the cache that holds them;
//! - *ranks* (`ranks`): the rank that has most superblocks, and its wait for columns of others;
//! - *parallelism*: fewer superblocks than threads leave threads idle; a pass that a GPU's threads compute at once ends with the slowest of them.

use super::ranks::waiting;
use super::work::Work;
use crate::ir::fractal::Dimension;
use crate::kernel::Direction;
use crate::layout::Layout;
use crate::layout::table::bytes_of_neighbours;
use crate::target::warps::{ColumnThreads, Takes, WARP};
use crate::target::{Estimate, Machine};

/// Draws whose code stays in the cache of a processor's instructions. Guess: not measured.
const FEW_DRAWS: f64 = 8.0;

/// The estimate of a layout whose columns have `lanes` lanes, which are replicas or members.
pub(super) fn judge(
    (layout, far): (&Layout, bool),
    lanes: usize,
    steps: u32,
    work: &Work,
    reach: u32,
    machine: &Machine,
    members: u32,
) -> Estimate {
    let words = lanes.div_ceil(32);
    let all_superblocks = f64::from(layout.superblocks()) * f64::from(members);
    // Of the rank that has most.
    let superblocks = (all_superblocks / f64::from(machine.ranks)).ceil();
    let imbalance = superblocks * f64::from(machine.ranks) / all_superblocks;
    let (cells, lanes) = (f64::from(layout.micro_cells()), lanes as f64);
    // Processors compute with elements of 32 bits at least.
    let widest = if machine.splits_columns || work.widest == 1 { work.widest } else { work.widest.max(32) };
    let vectors = |bits_a_lane: u64| (lanes * bits_a_lane as f64 / machine.vector_bits as f64).ceil();
    let side = mean_side(layout.low().extent(), layout.dimension());
    let dimension = if side > 1.0 { cells.ln() / side.ln() } else { layout.dimension().axes() as f64 };
    let volume = |distance: u32| {
        if layout.is_whole() { 1.0 } else { ((side + 2.0 * f64::from(distance)) / side).powf(dimension) }
    };
    // Phase j of t is needed within (t − j) times the reach.
    let overlap = (0..steps).map(|later| volume(later * reach)).sum::<f64>() / f64::from(steps);
    let updates = cells * f64::from(steps) * overlap;
    let allows = |speciality| !machine.off.has(speciality);
    let of_gpu = machine
        .splits_columns
        .then(|| ColumnThreads::of(work.of_lanes(layout, far), layout, lanes as usize, members > 1, allows));
    let fours = of_gpu.is_some_and(|threads| threads.takes == Takes::Quad);
    // Threads that have no word help others to draw, which the figures of random bits hold.
    let threads = match of_gpu {
        None => 1.0,
        Some(ColumnThreads { takes: Takes::Lane, count, .. }) => count as f64,
        Some(ColumnThreads { takes: Takes::Quad | Takes::Word, .. }) => words as f64,
    };
    // Threads without a lane do what that of the last one does, and take as long for it.
    let lanes_of_threads = match of_gpu {
        Some(ColumnThreads { takes: Takes::Lane, .. }) => threads,
        Some(ColumnThreads { takes: Takes::Quad | Takes::Word, .. }) | None => lanes,
    };
    let registers = |bits_a_lane: f64| (lanes_of_threads * bits_a_lane / machine.vector_bits as f64).ceil();
    // How often work that is done once a thread is done: a thread of four words does it once for all four.
    let count = if fours { threads / 4.0 } else { threads };
    let registers_of_numbers = if machine.splits_columns { threads } else { vectors(widest) };
    let operations =
        work.logic * vectors(1) * machine.operation + work.numeric * registers_of_numbers * machine.numeric;
    let state_vectors = registers(work.bits);
    let halo = (volume(steps * reach) - 1.0) * cells;
    let live = if machine.splits_columns {
        // A thread loads its columns before it computes.
        cells * volume(steps * reach) * work.bits / work.widest as f64
    } else {
        cells.min(side * 2.0) * work.bits.min(8.0) * volume(steps.saturating_sub(1) * reach)
    };
    let live = if fours { 4.0 * live } else { live };
    let spilt = (live / machine.registers - 1.0).clamp(0.0, 1.0);
    let spills = spilt * updates * registers(widest as f64);
    let wraps = mean_side(layout.middle_extent(), layout.dimension());
    let all = Direction::count(layout.dimension()) as f64;
    let pieces = superblocks * threads;
    // Threads that all run at once take as long as the slowest of them, at the border. Figures of bits were fitted to what they take on average.
    let border = match of_gpu {
        Some(_) if work.widest > 1 && pieces <= machine.threads => 1.0,
        Some(_) | None => (2.0 * layout.dimension().axes() as f64 / wraps).min(1.0),
    };
    let (in_space, scattered) = (layout.dimension() == Dimension::Three, work.widest == 1 && vectors(1) > 1.0);
    let operations = operations * if in_space { machine.operation_in_space } else { 1.0 };
    let permutation = if work.widest == 1 { machine.permutation } else { machine.permutation_of_numbers };
    let permutation = permutation * if in_space && scattered { machine.permutation_in_space } else { 1.0 };
    // Bytes that the threads of a column read at once.
    let bytes = if work.widest == 1 { 4.0 * words as f64 } else { lanes * work.widest as f64 / 8.0 };
    let column_bytes = if work.widest == 1 { 4.0 * words as f64 } else { lanes * work.bits / 8.0 };
    let column_bytes = (column_bytes / machine.transaction).ceil() * machine.transaction;
    let column_bytes = column_bytes.max(work.bits * lanes / 8.0);
    let touched = (2.0 * cells + halo) * column_bytes;
    let scatter =
        if machine.splits_columns { 1.0 + machine.scatter * (lines(threads, cells * bytes) - 1.0) } else { 1.0 };
    let compute = updates * operations
        + (touched - machine.first_cache).max(0.0) * machine.beyond_first_cache
        + ((2.0 * cells + halo) * state_vectors * scatter + 2.0 * spills) * machine.load
        + border * halo * state_vectors * permutation
        + machine.superblock * (1.0 + all / 8.0) * count;
    let moved = 2.0 * cells * column_bytes + bytes_of_neighbours(layout) as f64;
    let whole = moved * superblocks;
    let crowding = if work.widest > 1 { 1.0 + live / machine.crowded } else { 1.0 };
    let memory = moved * machine.nanoseconds_a_byte(whole) * crowding / machine.threads.min(machine.memory_threads);
    let busy = machine.threads.min(pieces);
    // A block of random planes is made for four words, whether the column has them or not.
    let drawn = if machine.splits_columns { 4.0 * (vectors(1) / 4.0).ceil() } else { vectors(1) };
    let filled = of_gpu.and_then(|threads| threads.filled);
    let drawn =
        drawn * if machine.splits_columns { blocks_of_four_words(lanes as usize, filled.is_some()) } else { 1.0 };
    let drawn = drawn + machine.random_start;
    let drawn = drawn * (f64::from(filled.unwrap_or(layout.superblocks())) / f64::from(layout.superblocks()));
    let random_bits = match (machine.splits_columns, fours) {
        (false, _) => work.random_bits,
        (true, true) => work.draws.fours,
        (true, false) => work.draws.words,
    };
    let draws = updates * random_bits;
    let slower = match fours {
        true => (1.0 + machine.random_code * (draws - FEW_DRAWS).max(0.0)) * (1.0 + spilt),
        false => 1.0,
    };
    let random = draws * slower * drawn * machine.random / machine.random_threads.min(superblocks * count);
    let useful = cells * lanes * f64::from(steps);
    let compute = compute / busy + random;
    let time = if machine.hides_memory { (compute.powi(3) + memory.powi(3)).cbrt() } else { compute + memory };
    let operations = updates * (work.logic + work.numeric);
    let code = machine.code * (operations - machine.code_kept).max(0.0);
    let last_resort = if live > machine.most_live { 1000.0 } else { 1.0 };
    let computing = time * superblocks + machine.pass + code;
    let wait = waiting(layout, steps * reach, column_bytes, computing, machine);
    Estimate {
        cost: 1000.0 * (time + (machine.pass + code + wait) / superblocks) / useful * imbalance * last_resort,
        wait,
        density: lanes * widest as f64 / (vectors(widest) * machine.vector_bits as f64),
        overlap,
        operations,
        memory_bound: memory > compute,
    }
}

/// Picoseconds for one cell and step where threads loop over neighbours: for each they find the superblock, and across the border the lane, load its
/// value and add it.
pub(super) fn cost_of_loops(layout: &Layout, work: &Work, reach: u32, machine: &Machine) -> f64 {
    /// Operations to find and load a neighbour, for one that computes with it. Guess: not measured.
    const FINDING: f64 = 8.0;
    let threads = if work.widest == 1 { layout.words() } else { 32 * layout.words() } as f64;
    let side = mean_side(layout.middle_extent(), layout.dimension());
    let border = (2.0 * f64::from(reach) * layout.dimension().axes() as f64 / side).min(2.0);
    let neighbours = (work.logic + work.numeric) * FINDING * (1.0 + border);
    let busy = machine.threads.min(f64::from(layout.superblocks()) * threads);
    1000.0 * neighbours * machine.numeric * threads / layout.lanes() as f64 / busy
}

/// Lines of memory, each of 128 bytes, that a warp reads when each of its threads reads a word of its column: a column has `threads` threads, and
/// superblocks stand `apart` bytes apart.
fn lines(threads: f64, apart: f64) -> f64 {
    let warp = WARP as f64;
    let columns = if threads % warp == 0.0 {
        1.0
    } else if warp % threads == 0.0 {
        warp / threads
    } else {
        1.0 + (warp - 1.0) / threads
    };
    (columns * (apart / 128.0).min(1.0)).max(1.0)
}

/// The blocks of random planes of 128 cells that are made for four words of a column, whose threads share what they make or whose warps do: more than
/// one where columns begin in the midst of a block.
fn blocks_of_four_words(lanes: usize, shares: bool) -> f64 {
    let words = lanes.div_ceil(32);
    if lanes.is_multiple_of(32 * words.min(4)) {
        1.0
    } else if shares {
        1.1
    } else {
        2.0
    }
}

/// The side of a square or cube of as many places.
fn mean_side(sides: [u64; 3], dimension: Dimension) -> f64 {
    let sides = &sides[..dimension.axes()];
    if sides.iter().all(|side| *side == sides[0]) {
        return sides[0] as f64;
    }
    sides.iter().map(|side| *side as f64).product::<f64>().powf(1.0 / sides.len() as f64)
}
