//! The rows of a thread of a GPU, and what it loads where neighbours lie at fixed distances in memory, since all columns are stored.

use crate::kernel::{Direction, Interface, Kernel, Load, Op, Planes};
use crate::layout::rows::RowGrid;
use crate::target::speciality::{Off, Speciality};
use std::collections::BTreeMap;

/// Rows of a thread that looks for neighbours by their coordinates: blocks of one row a thread would take longer to start than to compute.
/// Guess: not measured.
const ROWS_OF_NUMBERS: u32 = 8;
/// The same of a thread that takes words of bits. Guess: not measured.
const ROWS_OF_BITS: u32 = 2;
/// Registers of loaded values that a thread has at most. Guess: a thread has 255, and blocks of 128 threads fill a multiprocessor with half of them.
const MOST_LOADED: usize = 48;
/// Operations of all its rows. Guess: the cache of instructions holds them.
const MOST_OPERATIONS: usize = 1200;
/// Rows of a thread at most. Guess: not measured.
const MOST_ROWS: u32 = 8;
/// Rows of a thread that draws: that text is long. Guess: not measured.
const MOST_ROWS_OF_DRAWS: u32 = 2;

/// A stretch of places or words above each other: a plane of bits, the cells, or a number, by how far to the side it lies (in words, or in places of
/// numbers), and by the distance along z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stretch {
    pub what: What,
    pub across: i32,
    pub layer: i32,
}

/// A plane of a state; `None` stands for the cells themselves.
pub(crate) type Plane = Option<(u16, u8)>;

/// The values of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Bits(Plane),
    Number(u16),
}

/// The distances along y to its first row and to its last one, from the rows of a thread.
pub(crate) type Reach = [i32; 2];

/// The values that a thread of a kernel loads.
pub(crate) struct Near {
    /// Rows of a thread.
    pub rows: u32,
    /// All that they look at.
    pub stretches: BTreeMap<Stretch, Reach>,
}

/// The rows of a thread of a kernel, and what it loads if its neighbours lie at fixed distances.
pub(crate) fn rows_of_thread(
    kernel: &Kernel,
    interface: &Interface,
    at: (&RowGrid, bool),
    off: Off,
) -> (u32, Option<Near>) {
    let near = Near::of(kernel, interface, at, off).filter(|_| off.allows(Speciality::FixedDistances));
    let rows = match &near {
        Some(near) => near.rows,
        None if !off.allows(Speciality::SeveralRows) => 1,
        None if interface.bitwise_lanes => ROWS_OF_BITS,
        None => ROWS_OF_NUMBERS,
    };
    (rows, near)
}

impl Near {
    /// The values of a kernel, if threads within the box have an advantage.
    fn of(kernel: &Kernel, interface: &Interface, (grid, packed): (&RowGrid, bool), off: Off) -> Option<Near> {
        let looks = kernel.nodes.iter().any(|node| beside(&node.op).is_some());
        if !grid.stores_rows() || !looks || interface.bitwise_lanes {
            return None;
        }
        let stretches = stretches(kernel, grid.is_full());
        // Where the cells alone are stored, numbers of a box lie at fixed distances, and nothing else.
        let fixed = |stretch: &Stretch| matches!(stretch.what, What::Number(_));
        if packed && !(grid.is_full() && stretches.keys().all(fixed)) {
            return None;
        }
        let registers = |stretch: &Stretch| match stretch.what {
            What::Bits(_) => 1,
            What::Number(state) => kernel.states[usize::from(state)].planes.ty().scalar().bytes().div_ceil(4) as usize,
        };
        let loaded = |rows: u32| -> usize {
            let of =
                |(stretch, [low, high]): (&Stretch, &Reach)| registers(stretch) * (high - low + rows as i32) as usize;
            stretches.iter().map(of).sum()
        };
        let draws = !interface.random.is_empty() || interface.decides;
        let most = if draws { MOST_ROWS_OF_DRAWS } else { MOST_ROWS };
        let fits = |rows: &u32| {
            *rows <= most
                && *rows as usize <= grid.extent()[1]
                && loaded(*rows) <= MOST_LOADED
                && kernel.nodes.len() * *rows as usize <= MOST_OPERATIONS
        };
        let rows = [8, 4, 2, 1].into_iter().find(fits)?;
        let rows = if rows == 1 || off.allows(Speciality::SeveralRows) { rows } else { 1 };
        Some(Near { rows, stretches })
    }
}

/// All that a kernel looks at.
fn stretches(kernel: &Kernel, full: bool) -> BTreeMap<Stretch, Reach> {
    let mut stretches: BTreeMap<Stretch, Reach> = BTreeMap::new();
    let mut add = |what: What, across: i32, [y, layer]: [i32; 2]| {
        let reach = stretches.entry(Stretch { what, across, layer }).or_insert([y, y]);
        *reach = [reach[0].min(y), reach[1].max(y)];
    };
    if !full {
        add(What::Bits(None), 0, [0, 0]);
    }
    for node in &kernel.nodes {
        let Some(Direction([x, y, z])) = node.op.direction() else { continue };
        let what = if let Some(Load { state, plane, .. }) = node.op.load() {
            match kernel.states[usize::from(state)].planes {
                Planes::Bits(_) => What::Bits(Some((state, plane))),
                Planes::Number(_) => What::Number(state),
            }
        } else if full {
            continue;
        } else {
            What::Bits(None)
        };
        match what {
            What::Number(_) => add(what, x, [y, z]),
            What::Bits(_) => {
                let (word, shift) = words_at(x);
                add(what, word, [y, z]);
                if shift > 0 {
                    add(what, word + 1, [y, z]);
                }
            }
        }
    }
    stretches
}

/// Where an operation looks beside its own column.
pub(crate) fn beside(op: &Op) -> Option<Direction> {
    op.direction().filter(|direction| *direction != Direction::CENTRE)
}

/// The words of a row that hold the places of a word shifted by this much: the first of them, and by how much to shift.
pub(crate) fn words_at(distance: i32) -> (i32, i32) {
    (distance.div_euclid(32), distance.rem_euclid(32))
}
