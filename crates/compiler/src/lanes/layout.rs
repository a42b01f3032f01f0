//! Where cells are kept: columns of lanes.
//!
//! The digits of a canonical index are split in three. The top T are the *lane*, the lowest L the *micro cell*, and the
//! B = r − T − L between them the *superblock*, so that
//! `c = lane · K_{r−T} + superblock · K_L + micro`. A *column* is one (superblock, micro cell) with all its lanes side by
//! side; column number `superblock · K_L + micro` of a plane of bits stands in the words from `number · W` on, with
//! W = ⌈lanes / 32⌉: lane l is bit `l mod 32` of word `l / 32`. The planes of an enum's column are adjacent:
//! plane i of n at `(number · n + i) · W`. A number's column is `lanes` values from `number · lanes` on. Bits beyond
//! the last lane are *padding*: writers leave anything there, readers mask them.
//!
//! In space: level r is the *top fractal* (made of its top T levels) of level-(r−T) fractals; each of those is the *middle
//! fractal* (of its B levels) of micro-fractals. All three are small fractals of their own ([`Part`]), and a cell's
//! coordinate is the sum of one coordinate in each, scaled by the sides of what is below.

use crate::ir::fractal::{Dimension, Fractal};
use crate::ir::kernel::MicroFractal;

/// A run of consecutive levels of a fractal, taken as a fractal of its own: λ and ν digit by digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Per level, the finest first.
    digits: Vec<Digit>,
    side: u64,
    cells: u64,
}

/// One level of a [`Part`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Digit {
    scale: u32,
    replicas: Vec<[u32; 3]>,
    /// The replica at a place (x + s·(y + s·z)), or [`HOLE`].
    at: Vec<u32>,
}

/// No replica stands there.
const HOLE: u32 = u32::MAX;

/// Why there is no layout with the wanted T and L, or none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// More cells, or a longer side, than 64 bits hold.
    #[error("level {level} has more cells than 64 bits can count")]
    TooManyCells {
        /// The level.
        level: u32,
    },
    /// More lanes or micro cells than a kernel can be made for.
    #[error("a column of {lanes} lanes or a superblock of {micro} cells is beyond {MOST_LANES} and {MOST_MICRO}")]
    TooWide {
        /// The lanes.
        lanes: u64,
        /// The micro cells.
        micro: u64,
    },
    /// More superblocks than 32 bits can number.
    #[error("{superblocks} superblocks are more than 32 bits can number; put more digits in lanes or micro cells")]
    TooManySuperblocks {
        /// How many.
        superblocks: u64,
    },
}

/// The most lanes of a column.
pub const MOST_LANES: u64 = 1 << 16;
/// The most cells of a micro-fractal.
pub const MOST_MICRO: u64 = 1 << 12;
/// The most places in one level's pattern for which a table is made.
const MOST_PLACES: u64 = 1 << 24;

impl Part {
    /// Levels `from + 1 ..= to` of a fractal; `None` if its cells or its side do not fit in 64 bits.
    pub fn new(fractal: &Fractal, from: u32, to: u32) -> Option<Part> {
        let axes = fractal.dimension.axes() as u32;
        let (mut side, mut cells) = (1u64, 1u64);
        let mut digits = Vec::new();
        for mu in from + 1..=to {
            let pattern = fractal.pattern(mu);
            side = side.checked_mul(u64::from(pattern.scale)).filter(|side| *side <= i64::MAX as u64)?;
            cells = cells.checked_mul(pattern.k())?;
            let s = pattern.scale;
            let places = u64::from(s).checked_pow(axes).filter(|places| *places <= MOST_PLACES)?;
            let mut at = vec![HOLE; places as usize];
            for (d, [x, y, z]) in pattern.replicas.iter().enumerate() {
                at[(x + s * (y + s * z)) as usize] = d as u32;
            }
            digits.push(Digit { scale: s, replicas: pattern.replicas.clone(), at });
        }
        Some(Part { digits, side, cells })
    }

    /// The side of its box.
    pub fn side(&self) -> u64 {
        self.side
    }

    /// How many cells it has.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// λ: the place of a cell by its index below [`cells`](Part::cells).
    pub fn place(&self, mut index: u64) -> [u64; 3] {
        let (mut place, mut unit) = ([0; 3], 1);
        for digit in &self.digits {
            let k = digit.replicas.len() as u64;
            let replica = digit.replicas[(index % k) as usize];
            index /= k;
            for (sum, step) in place.iter_mut().zip(replica) {
                *sum += u64::from(step) * unit;
            }
            unit *= u64::from(digit.scale);
        }
        place
    }

    /// ν: the index of the cell at a place in the box; `None` for a hole.
    pub fn index(&self, mut place: [u64; 3]) -> Option<u64> {
        let (mut index, mut unit) = (0, 1);
        for digit in &self.digits {
            let s = u64::from(digit.scale);
            let [x, y, z] = place.map(|v| v % s);
            place = place.map(|v| v / s);
            let d = digit.at[(x + s * (y + s * z)) as usize];
            if d == HOLE {
                return None;
            }
            index += u64::from(d) * unit;
            unit *= digit.replicas.len() as u64;
        }
        Some(index)
    }
}

/// How a level's cells are split into lanes, superblocks and micro cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    dimension: Dimension,
    level: u32,
    lane_digits: u32,
    micro_digits: u32,
    /// The top T levels: lanes.
    top: Part,
    /// The B levels between: superblocks.
    middle: Part,
    /// The lowest L levels: micro cells.
    low: Part,
}

impl Layout {
    /// The layout with T = `lane_digits` and L = `micro_digits`, both made smaller where the level has not so many:
    /// first L, then T, so that T + L ≤ r.
    ///
    /// # Errors
    /// [`LayoutError`] if something does not fit in the numbers that count it.
    pub fn new(fractal: &Fractal, level: u32, lane_digits: u32, micro_digits: u32) -> Result<Layout, LayoutError> {
        let too_many = LayoutError::TooManyCells { level };
        let micro_digits = micro_digits.min(level);
        let lane_digits = lane_digits.min(level - micro_digits);
        if Part::new(fractal, 0, level).is_none() {
            return Err(too_many);
        }
        let part = |from, to| Part::new(fractal, from, to).ok_or(too_many);
        let low = part(0, micro_digits)?;
        let middle = part(micro_digits, level - lane_digits)?;
        let top = part(level - lane_digits, level)?;
        if top.cells > MOST_LANES || low.cells > MOST_MICRO {
            return Err(LayoutError::TooWide { lanes: top.cells, micro: low.cells });
        }
        if middle.cells >= u64::from(u32::MAX) {
            return Err(LayoutError::TooManySuperblocks { superblocks: middle.cells });
        }
        Ok(Layout { dimension: fractal.dimension, level, lane_digits, micro_digits, top, middle, low })
    }

    /// The dimension D.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The level r.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// T, how many digits are the lane.
    pub fn lane_digits(&self) -> u32 {
        self.lane_digits
    }

    /// L, how many digits are the micro cell.
    pub fn micro_digits(&self) -> u32 {
        self.micro_digits
    }

    /// How many lanes a column has.
    pub fn lanes(&self) -> usize {
        self.top.cells as usize
    }

    /// W, the words of 32 bits of one plane of a column.
    pub fn words(&self) -> usize {
        self.lanes().div_ceil(32)
    }

    /// How many superblocks there are.
    pub fn superblocks(&self) -> u32 {
        self.middle.cells as u32
    }

    /// How many micro cells a superblock has.
    pub fn micro_cells(&self) -> u32 {
        self.low.cells as u32
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        self.top.cells * self.middle.cells * self.low.cells
    }

    /// The side of the whole.
    pub fn side(&self) -> u64 {
        self.top.side * self.middle.side * self.low.side
    }

    /// True if one superblock of one lane is the whole fractal.
    pub fn is_whole(&self) -> bool {
        self.lanes() == 1 && self.superblocks() == 1
    }

    /// The fractal of the top T levels, whose cells are the lanes.
    pub fn top(&self) -> &Part {
        &self.top
    }

    /// The fractal of the B levels between, whose cells are the superblocks.
    pub fn middle(&self) -> &Part {
        &self.middle
    }

    /// The fractal of the lowest L levels.
    pub fn low(&self) -> &Part {
        &self.low
    }

    /// The lowest L levels as kernels know them.
    pub fn micro_fractal(&self) -> MicroFractal {
        let cells = (0..self.low.cells).map(|m| self.low.place(m).map(|v| v as u32)).collect();
        MicroFractal { dimension: self.dimension, side: self.low.side as u32, cells }
    }

    /// The canonical index of a cell.
    pub fn canonical(&self, lane: u32, superblock: u32, micro: u32) -> u64 {
        (u64::from(lane) * self.middle.cells + u64::from(superblock)) * self.low.cells + u64::from(micro)
    }

    /// The lane, superblock and micro cell of a canonical index.
    pub fn split(&self, c: u64) -> (u32, u32, u32) {
        let column = c / self.low.cells;
        ((column / self.middle.cells) as u32, (column % self.middle.cells) as u32, (c % self.low.cells) as u32)
    }

    /// The corner of a lane's level-(r−T) fractal in the expanded grid.
    pub fn lane_corner(&self, lane: u32) -> [u64; 3] {
        self.top.place(u64::from(lane)).map(|v| v * self.middle.side * self.low.side)
    }

    /// A superblock's corner within the level-(r−T) fractal.
    pub fn superblock_corner(&self, superblock: u32) -> [u64; 3] {
        self.middle.place(u64::from(superblock)).map(|v| v * self.low.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::samples;

    #[test]
    fn places_and_indices_are_inverse() {
        for fractal in samples::fractals() {
            for level in 0..=3 {
                let part = Part::new(&fractal, 0, level).expect("small");
                let side = part.side();
                let depth = if fractal.dimension == Dimension::Three { side } else { 1 };
                let mut found = 0;
                for z in 0..depth {
                    for y in 0..side {
                        for x in 0..side {
                            if let Some(index) = part.index([x, y, z]) {
                                assert_eq!(part.place(index), [x, y, z]);
                                found += 1;
                            }
                        }
                    }
                }
                assert_eq!(found, part.cells());
            }
        }
    }

    #[test]
    fn the_parts_compose_to_the_whole() {
        for fractal in samples::fractals() {
            let whole = Part::new(&fractal, 0, 4).expect("small");
            for (t, l) in [(0, 0), (1, 1), (2, 1), (1, 2), (9, 9), (9, 1)] {
                let layout = Layout::new(&fractal, 4, t, l).expect("small");
                assert!(layout.lane_digits() + layout.micro_digits() <= 4);
                for c in 0..layout.cells() {
                    let (lane, superblock, micro) = layout.split(c);
                    assert_eq!(layout.canonical(lane, superblock, micro), c);
                    let corner = layout.lane_corner(lane);
                    let block = layout.superblock_corner(superblock);
                    let cell = layout.low().place(u64::from(micro));
                    let sum: [u64; 3] = std::array::from_fn(|a| corner[a] + block[a] + cell[a]);
                    assert_eq!(whole.place(c), sum);
                }
            }
        }
    }

    #[test]
    fn sizes_are_refused_before_anything_is_built() {
        let triangle = samples::triangle();
        assert_eq!(Layout::new(&triangle, 60, 5, 3), Err(LayoutError::TooManyCells { level: 60 }));
        assert!(matches!(Layout::new(&triangle, 30, 5, 3), Err(LayoutError::TooManySuperblocks { .. })));
        assert!(matches!(Layout::new(&triangle, 30, 20, 3), Err(LayoutError::TooWide { .. })));
    }
}
