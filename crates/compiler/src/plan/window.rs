//! How many time steps a pass over rows computes, and where what is between them stays.

use super::{March, StateMemory, Step};
use crate::ir::Rule;
use crate::kernel::{Direction, Interface, Kernel, Load, Op, Planes};
use crate::layout::rows::RowGrid;
use crate::layout::{Geometry, Storage, StoredAs};
use crate::target::Target;
use crate::target::speciality::Speciality;
use std::collections::BTreeSet;

/// The most steps of a band. Guess: not measured.
const MOST_STEPS: usize = 4;
/// Bytes that the rows of the steps between take at most, where there is more than one of these. Guess: the second cache of a core has one or two megabytes.
const ROWS_BYTES: usize = 1 << 20;
/// The most bytes of the rows of one step. Guess: a share of the third cache.
const MOST_BYTES: usize = 1 << 23;
/// Words of a window of registers that a lane keeps, of all planes and the cells, at most. Guess: a thread has 255 registers.
const MOST_KEPT: u32 = 80;
/// Operations for each byte that a step of its own moves, at most: an H100 computes 20 in that time, and a window computes about 1.4 times as many as
/// are stored. Guess: a window that computes longer than memory takes gains nothing.
const MOST_OPERATIONS: usize = 4;

/// How a pass computes several time steps, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// A pass is one kernel, which holds as many steps as its choice says.
    Kernel,
    /// A pass of a CPU computes several steps; rows stay in a cache until later ones have read them.
    Band {
        /// How many.
        steps: u32,
    },
    /// A pass of a GPU computes [`RegisterWindow::STEPS`] steps, of which a warp keeps words of bits in its registers.
    Registers,
    /// A pass of a GPU computes several steps of numbers, as a [`March`].
    March {
        /// How many.
        steps: u32,
    },
}

impl Window {
    /// The window that pays for a plan whose steps are these kernels.
    pub(super) fn of(storage: &Storage, states: &[StateMemory], rule: &Rule, step: &Step, target: &Target) -> Window {
        let Storage { geometry: Geometry::Rows(grid), memory: StoredAs::Columns, .. } = storage else {
            return Window::Kernel;
        };
        // Globals and clusters are computed between steps and need all cells of the step before; a step that is skipped at some times must be a pass of its own.
        if grid.extent()[2] > 1
            || !rule.globals.is_empty()
            || rule.asks_clusters()
            || rule.skips_steps()
            || rule.is_ordered()
            || !rule.sums.is_empty()
        {
            return Window::Kernel;
        }
        let bytes = storage.bytes_of_buffers(states);
        match (target.is_gpu(), step) {
            (true, [(kernel, interface)]) if !interface.bitwise_lanes => {
                let march = March::cheapest(kernel, interface, grid, bytes as f64, &target.machine);
                let march = march.filter(|_| grid.extent()[1] > 1 && target.off().allows(Speciality::March));
                march.map_or(Window::Kernel, |March { steps, .. }| Window::March { steps })
            }
            (true, _) => Window::of_registers(grid, step, target),
            (false, _) => Window::of_band(bytes, states, grid, step, target),
        }
    }

    fn of_band(state_bytes: u128, states: &[StateMemory], grid: &RowGrid, step: &Step, target: &Target) -> Window {
        let reach = |kernel: &Kernel| {
            let loads = kernel.nodes.iter().filter_map(|node| node.op.load());
            loads.map(|Load { direction: Direction([_, y, _]), .. }| y.unsigned_abs() as usize).max().unwrap_or(0)
        };
        let reaches: Vec<usize> = step.iter().map(|(kernel, _)| reach(kernel)).collect();
        let block = |state: &usize| states[*state].columns.block * grid.columns_of_row();
        let row = |interface: &Interface| interface.writes.iter().map(block).sum::<usize>();
        let bytes: usize = step.iter().zip(&reaches).map(|((_, of), reach)| (2 * reach + 1) * row(of)).sum();
        let fit = 1 + (ROWS_BYTES / bytes.max(1)).max(usize::from(bytes <= MOST_BYTES));
        // Rows that are computed twice, around a seam, must not be the same ones.
        let apart = grid.extent()[1] / (2 * reaches.iter().sum::<usize>()).max(1);
        let steps = fit.min(apart).min(MOST_STEPS);
        // Rows that are computed twice cost less than a pass over memory where no cache holds the states, or where numbers beyond a seam stand beside the
        // rows that are kept, as they do not in the states.
        let [_, _, (third_cache, _), _] = target.machine.memory;
        let numbers = states.iter().any(|state| matches!(state.columns.planes, Planes::Number(_)));
        let seams = numbers && grid.periodic()[0] && grid.extent()[0].is_multiple_of(grid.shape.lanes);
        // Kernels of bits alone copy rows anyway before they compute them.
        let is_copied = are_copied(step, target);
        let pays = steps > 1 && (state_bytes as f64 > third_cache || seams || is_copied);
        if pays && target.off().allows(Speciality::Bands) {
            Window::Band { steps: steps as u32 }
        } else {
            Window::Kernel
        }
    }

    /// The window of the parts of a plan that has this one, whose steps are these kernels. Kernels of bits that draw are computed on copied rows, a step at a time, by processors that can.
    pub(super) fn of_parts(self, step: &Step, target: &Target) -> Window {
        let of_bits = || step.iter().all(|(_, of)| of.bitwise_lanes) && target.off().allows(Speciality::PaddedRows);
        match self {
            Window::Band { .. } if of_bits() && !are_copied(step, target) => Window::Kernel,
            window => window,
        }
    }

    /// The window of a GPU: registers for a single kernel of bits that looks about one word far within its layer, draws nothing and reads no coordinates.
    fn of_registers(grid: &RowGrid, step: &Step, target: &Target) -> Window {
        let [(kernel, interface)] = step else { return Window::Kernel };
        let asks =
            interface.superblock_corner || !interface.odd_corners.is_empty() || !interface.lane_corners.is_empty();
        let draws = interface.decides || !interface.random.is_empty();
        if !interface.bitwise_lanes || asks || draws || interface.writes.is_empty() {
            return Window::Kernel;
        }
        let Some(window) = RegisterWindow::of(kernel) else { return Window::Kernel };
        let bytes: u32 = window.kept.iter().map(|plane| 4 + 4 * u32::from(window.written.contains(plane))).sum();
        let bytes = bytes + if grid.is_full() { 0 } else { 4 };
        // With those beyond the ones that are stored.
        let rows = RegisterWindow::ROWS + 2 * RegisterWindow::STEPS * window.reach;
        let fits = (window.kept.len() as u32 + 1) * rows <= MOST_KEPT
            && kernel.nodes.len() <= MOST_OPERATIONS * bytes as usize
            && window.across * RegisterWindow::STEPS <= 32;
        if fits && target.off().allows(Speciality::RegisterWindow) { Window::Registers } else { Window::Kernel }
    }
}

/// Whether the kernels of a step, of bits alone, are computed on copied rows on a CPU, several steps at once.
fn are_copied(step: &Step, target: &Target) -> bool {
    let alone = |of: &Interface| of.bitwise_lanes && !of.decides && of.random.is_empty() && of.odd_corners.is_empty();
    let are_alone = step.iter().all(|(_, of)| alone(of) && !of.superblock_corner && of.lane_corners.is_empty());
    are_alone && target.off().allows(Speciality::PaddedRows)
}

/// The planes that a kernel of bits keeps in registers for several steps, and how far it looks.
#[derive(Clone, Debug)]
pub struct RegisterWindow {
    /// How far the kernel looks to the side, and above and below.
    pub across: u32,
    /// The rows that it looks up or down.
    pub reach: u32,
    /// The planes of states that it loads or stores.
    pub kept: BTreeSet<(u16, u8)>,
    /// The planes that it stores.
    pub written: BTreeSet<(u16, u8)>,
}

impl RegisterWindow {
    /// Time steps of a pass. Guess: not measured.
    pub const STEPS: u32 = 4;
    /// Rows of a window that are stored. Guess: not measured.
    pub const ROWS: u32 = 16;

    /// The window of a kernel that loads and stores bits alone, and looks to no other layer.
    pub(crate) fn of(kernel: &Kernel) -> Option<RegisterWindow> {
        let mut window = RegisterWindow { across: 0, reach: 0, kept: BTreeSet::new(), written: BTreeSet::new() };
        for node in &kernel.nodes {
            window.kept.extend(node.op.load().map(|load| (load.state, load.plane)));
            if let Op::Store { state, plane, .. } = node.op {
                window.written.insert((state, plane));
            }
            if let Some(Direction([x, y, z])) = node.op.direction() {
                if z != 0 {
                    return None;
                }
                window.across = window.across.max(x.unsigned_abs());
                window.reach = window.reach.max(y.unsigned_abs());
            }
        }
        window.kept.extend(&window.written);
        let bits = |(state, _): &(u16, u8)| matches!(kernel.states[usize::from(*state)].planes, Planes::Bits(_));
        window.kept.iter().all(bits).then_some(window)
    }
}
