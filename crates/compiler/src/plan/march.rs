//! Several time steps of numbers in one pass of a GPU over rows: a warp goes down some columns, and each step is a stage that keeps the rows it still needs.
//!
//! The places at the sides of a warp's columns are computed by the warp beside it, too, as many as the steps look at. More steps read memory less often, compute
//! more places twice and need more registers. The cost of a cell and step is weighed as layouts of fractals are ([`judge`](super::judge)).

use crate::kernel::{Direction, Interface, Kernel, LaneType, Load, Node, Op, Planes};
use crate::kernel::{condition, draw, input, logic, scalar_input};
use crate::layout::rows::RowGrid;
use crate::numbers::operators::{BinaryOp, MathFn, MathFn2};
use crate::target::Machine;
use crate::target::warps::WARP;
use std::collections::BTreeMap;

/// The steps that are tried: numbers that divide those that are often asked for. Guess: not measured.
const STEPS: [u32; 8] = [2, 3, 4, 5, 6, 8, 10, 12];
/// Registers of a thread at most, as they are counted here. Guess: blocks of 128 threads of 168 registers fill a multiprocessor three times.
const MOST_REGISTERS: u32 = 160;
/// Registers beside rows: 24 to 32 of eleven kernels. Measured: by ptxas of CUDA 13.
const OTHER_REGISTERS: u32 = 30;
/// Operations of the text at most, all stages and columns of a lane unrolled. Guess: the cache of instructions holds them.
const MOST_OPERATIONS: f64 = 6000.0;
/// Multiprocessors, and the warps of one that keep it busy. Guess: an H100's; others take other rows as well.
const MULTIPROCESSORS: u32 = 132;
const BUSY: u32 = 8;
/// The most rows of a warp. Guess: not measured.
const MOST_ROWS: u32 = 256;
/// The time of an operation in a march, over that of one in a kernel that waits for nothing: warps wait for the lanes beside. Measured: heat on a torus of 4096², H200.
const WAITING: f64 = 1.25;
/// The time to load and store a row of a lane. Measured: instructions of heat.
const ROW: f64 = 36.0;
/// The share of the time of single steps that a march takes at most. Guess: it is worth its longer compilation then.
const WORTH: f64 = 0.8;

/// A march of a kernel of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct March {
    /// Time steps of a pass.
    pub steps: u32,
    /// Places of a row for each lane.
    pub columns: u32,
    /// The rows that a warp stores.
    pub rows: u32,
    /// The rows that a step looks up or down, at least one.
    pub reach: u32,
    /// The lanes at either side of a warp that store nothing.
    pub rim: u32,
    /// The states that are loaded, with what they show of their neighbours.
    pub seen: BTreeMap<u16, SeenState>,
}

/// How far a state is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenState {
    /// To the side.
    pub across: u32,
    /// The rows, by their distances, in which it is looked at to the side: from the first to the last.
    pub rows: Option<[i32; 2]>,
}

impl March {
    /// Whether every place that a stage computes is a cell.
    pub(crate) fn knows_cells(grid: &RowGrid) -> bool {
        grid.is_full() && grid.periodic()[0] && grid.periodic()[1]
    }

    /// The bits for the cells that a lane sees of a row: its own ones, and two at either side.
    pub(crate) const fn bits(columns: u32) -> u32 {
        columns + 4
    }

    /// The places of a row that a warp stores.
    pub(crate) fn width(&self) -> u32 {
        self.columns * (WARP as u32 - 2 * self.rim)
    }

    /// Rows above and below those that are stored, which the first step needs.
    pub(crate) fn margin(&self) -> u32 {
        self.steps * self.reach
    }

    /// The march of a kernel that takes this many steps, with as many columns a lane as are best; `None` if there is none.
    pub(crate) fn of(kernel: &Kernel, interface: &Interface, grid: &RowGrid, steps: u32) -> Option<March> {
        let marches = [4, 2].into_iter().filter_map(|columns| March::with(kernel, interface, grid, [steps, columns]));
        marches.min_by(|a, b| a.copies(grid).total_cmp(&b.copies(grid)))
    }

    /// The cheapest march of a kernel, if it pays: `bytes` are those of the buffers.
    pub(super) fn cheapest(
        kernel: &Kernel,
        interface: &Interface,
        grid: &RowGrid,
        bytes: f64,
        machine: &Machine,
    ) -> Option<March> {
        // Picoseconds of a cell and step.
        let places = (grid.columns() * grid.shape.lanes) as f64;
        let memory = 1000.0 * bytes * machine.nanoseconds_a_byte(bytes) / places / machine.memory_threads;
        let operation = 1000.0 * machine.numeric / machine.threads;
        let launch = 1000.0 * machine.pass / places;
        let cost = |compute: f64, steps: u32| {
            (compute.powi(3) + (memory / f64::from(steps)).powi(3)).cbrt() + launch / f64::from(steps)
        };
        let operations = time_of_all(kernel, grid);
        let single = cost(operations * operation, 1);
        let of_march = |march: &March| {
            let exchanged: u32 = march.seen.values().map(|seen| 2 * seen.across).sum();
            // Shuffles take four times as long as operations, and all lanes compute.
            let of_rows = f64::from(4 * exchanged) + ROW / f64::from(march.steps);
            let operations = operations + of_rows / f64::from(march.columns);
            cost(operations * operation * WAITING * march.copies(grid), march.steps)
        };
        let marches = STEPS.into_iter().filter_map(|steps| March::of(kernel, interface, grid, steps));
        let cheapest = marches.min_by(|a, b| of_march(a).total_cmp(&of_march(b)))?;
        (of_march(&cheapest) < WORTH * single).then_some(cheapest)
    }

    /// How often a stored place is computed on average.
    fn copies(&self, grid: &RowGrid) -> f64 {
        let rows = f64::from(self.rows + 2 * self.margin()) / f64::from(self.rows);
        let [width, height, _] = grid.extent();
        let warps = width.div_ceil(self.width() as usize);
        let computed = (warps * WARP * self.columns as usize) as f64 * height as f64;
        rows * computed / (grid.columns() * grid.shape.lanes) as f64
    }

    fn with(kernel: &Kernel, interface: &Interface, grid: &RowGrid, [steps, columns]: [u32; 2]) -> Option<March> {
        if interface.bitwise_lanes || interface.decides || !interface.random.is_empty() || interface.writes.is_empty() {
            return None;
        }
        let (mut seen, mut reach, mut across): (BTreeMap<u16, SeenState>, u32, u32) = (BTreeMap::new(), 1, 0);
        for node in &kernel.nodes {
            let Some(Direction([x, y, z])) = node.op.direction() else { continue };
            if z != 0 {
                return None;
            }
            reach = reach.max(y.unsigned_abs());
            across = across.max(x.unsigned_abs());
            let Some(Load { state, .. }) = node.op.load() else { continue };
            let of = seen.entry(state).or_default();
            of.across = of.across.max(x.unsigned_abs());
            if x != 0 {
                let [low, high] = of.rows.unwrap_or([y, y]);
                of.rows = Some([low.min(y), high.max(y)]);
            }
        }
        let words = |state: u16| match kernel.states[usize::from(state)].planes {
            Planes::Number(ty) => Some(ty.scalar().bytes() as u32),
            Planes::Bits(_) => None,
        };
        let all = seen.keys().copied().chain(interface.writes.iter().map(|state| *state as u16));
        let widest = all.map(words).try_fold(0, |widest, bytes| bytes.map(|bytes| widest.max(bytes)))?;
        // A stage holds what rows show to the sides from the first of them that shows it to the last.
        let registers = |(state, of): (&u16, &SeenState)| {
            let held = of.rows.map_or(0, |[low, high]| 2 * of.across * low.abs_diff(high));
            let (own, words) = (columns * 2 * reach, words(*state).unwrap_or(0).div_ceil(4));
            words * (steps * (own + held) + 4 * columns)
        };
        let registers: u32 = seen.iter().map(registers).sum();
        let operations = time_of_all(kernel, grid);
        let unrolled = f64::from(steps * columns * 2 * reach) * operations;
        let holds_cells = March::knows_cells(grid) || March::bits(columns) * ((steps + 1) * reach + 1) <= u64::BITS;
        let rim = (steps * across).div_ceil(columns);
        let fits = across <= 2
            && columns * widest <= 32
            && registers + OTHER_REGISTERS <= MOST_REGISTERS
            && unrolled <= MOST_OPERATIONS
            && holds_cells
            && 4 * rim <= WARP as u32;
        let march = March { steps, columns, rows: 8, reach, rim, seen };
        fits.then(|| March { rows: march.best_rows(grid), ..march })
    }

    /// The rows of a warp with which a device is done first: few warps leave it idle, and short ones compute much twice.
    fn best_rows(&self, grid: &RowGrid) -> u32 {
        let [width, height, _] = grid.extent().map(|side| side as u32);
        let height = grid.rows_of_part().map_or(height, |(_, rows)| rows as u32);
        let across = width.div_ceil(4 * self.width());
        let time = |rows: &u32| {
            let warps = 4 * (u64::from(across) * u64::from(height.div_ceil(*rows))).div_ceil(MULTIPROCESSORS.into());
            warps.max(BUSY.into()) * u64::from(rows + 2 * self.margin())
        };
        let most = MOST_ROWS.min(height.next_multiple_of(8));
        (8..=most).step_by(8).min_by_key(|rows| (time(rows), *rows)).unwrap_or(8)
    }
}

fn time_of_all(kernel: &Kernel, grid: &RowGrid) -> f64 {
    let all_cells = March::knows_cells(grid);
    kernel.nodes.iter().map(|node| time_of(node, all_cells)).sum()
}

/// The time of a node for one place, in additions of f32: of an H100's lanes half do anything else.
fn time_of(node: &Node, all_cells: bool) -> f64 {
    let halved = match node.ty {
        Some(LaneType::F32) => 1.0,
        _ => 2.0,
    };
    match &node.op {
        Op::Presence(_) if !all_cells => 2.0,
        input!() | scalar_input!() => 0.0,
        Op::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) | Op::Math(MathFn::Sqrt, _) => 12.0 * halved,
        Op::Math(MathFn::Floor | MathFn::Ceil | MathFn::Round, _) => 3.0 * halved,
        Op::Math(..) => 30.0 * halved,
        Op::Math2(MathFn2::Pow, ..) => 80.0 * halved,
        Op::Math2(..) => 40.0 * halved,
        // Guess: not measured.
        Op::LookUp { .. } => 20.0,
        Op::Binary(..) => halved,
        Op::AddWhere { .. } => halved + if all_cells { 0.0 } else { 2.0 },
        Op::Count(terms) => 3.0 * terms.len() as f64,
        Op::Store { .. } if !all_cells => 4.0,
        // Most stages leave it out.
        Op::Store { .. } | Op::Canonical(_) => 1.0,
        draw!() | logic!() | condition!() => 2.0,
        Op::Widen(_) | Op::Unary(..) | Op::Shift { .. } | Op::Select { .. } | Op::Cast(_) | Op::Below { .. } => 2.0,
    }
}
