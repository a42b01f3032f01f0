//! Where cells are kept: columns of lanes.
//!
//! The digits of a canonical index are split in three. The top T are the *lane*, the lowest L the *micro cell*, and the
//! B = r − T − L between them the *superblock*, so that
//! `c = replica · K_{r−T} + superblock · K_L + micro`. A *column* is one (superblock, micro cell) with all its lanes side by
//! side; [`columns`] says where it stands in memory.
//!
//! The lanes of a column stand in the order of their digits reversed: lane 1 differs from lane 0 in the top digit, and lane l is the replica
//! whose digits, read from the top, make the number l. So the digit-reversed indices of a column's cells follow each other, and with
//! them the bits of random planes: `q = lane + K_T · (reversed superblock + K_B · reversed micro cell)`.
//!
//! In space: level r is the *top fractal* (made of its top T levels) of level-(r−T) fractals; each of those is the *middle
//! fractal* (of its B levels) of micro-fractals. All three are small fractals of their own ([`Domain::between`]), and a cell's
//! coordinate is the sum of one coordinate in each, scaled by the sides of what is below.
//!
//! Random draws are bound to this order of lanes. A layout with another order must be known to `numbers/random.rs`, to the CPU's `decide` and to the printer of CUDA C; no compiler points there, only
//! the comparisons with the oracle do.

pub mod columns;
pub mod permutation;
pub mod row_words;
pub mod rows;
pub mod storage;
pub mod table;
pub mod unit;

pub use storage::{Geometry, Storage, StoredAs};

use crate::geometry::Domain;
use crate::ir::fractal::{Axes, Dimension, Pattern};
use crate::kernel::MicroFractal;
use std::sync::Arc;
use unit::{CellIndex, Lane, Micro, Unit};

/// Why there is no layout with the wanted T and L, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LayoutError(pub(crate) String);

/// The most lanes of a column.
pub const MOST_LANES: u64 = 1 << 16;
/// The most cells of a micro-fractal.
pub(crate) const MOST_MICRO: u64 = 1 << 12;

/// How a level's cells are split into lanes, superblocks and micro cells.
#[derive(Clone, Debug)]
pub struct Layout {
    lane_digits: u32,
    micro_digits: u32,
    /// The top T levels: lanes.
    top: Domain,
    /// The B levels between: superblocks.
    middle: Domain,
    /// The lowest L levels: micro cells.
    low: Domain,
    /// The replica of each lane, its number by digits in canonical order, and the lane of each replica.
    replicas: Arc<[u32]>,
    lanes: Arc<[u32]>,
}

impl Layout {
    /// The layout with T = `lane_digits` and L = `micro_digits`. Where the level has fewer digits, first L and then T become smaller, so that
    /// T + L ≤ r.
    ///
    /// # Errors
    /// [`LayoutError`] if something does not fit in the numbers that count it.
    pub fn new(domain: &Domain, lane_digits: u32, micro_digits: u32) -> Result<Layout, LayoutError> {
        let level = domain.level();
        let micro_digits = micro_digits.min(level);
        let lane_digits = lane_digits.min(level - micro_digits);
        let low = domain.between(0, micro_digits);
        let middle = domain.between(micro_digits, level - lane_digits);
        let top = domain.between(level - lane_digits, level);
        if top.cells() > MOST_LANES || low.cells() > MOST_MICRO {
            let (lanes, micro) = (top.cells(), low.cells());
            return Err(LayoutError(format!(
                "a column of {lanes} lanes or a superblock of {micro} cells is beyond {MOST_LANES} and {MOST_MICRO}"
            )));
        }
        if low.side() > i32::MAX as u64 {
            let side = low.side();
            return Err(LayoutError(format!(
                "a superblock with side {side} is too long; put fewer digits in micro cells"
            )));
        }
        let superblocks = middle.cells();
        if superblocks >= u64::from(u32::MAX) {
            return Err(LayoutError(format!(
                "{superblocks} superblocks are more than 32 bits can number; put more digits in lanes or micro cells"
            )));
        }
        let lanes: Arc<[u32]> = (0..top.cells()).map(|replica| top.reversed(replica) as u32).collect();
        let mut replicas = vec![0; lanes.len()];
        for (&lane, replica) in lanes.iter().zip(0..) {
            replicas[lane as usize] = replica;
        }
        Ok(Layout { lane_digits, micro_digits, top, middle, low, replicas: replicas.into(), lanes })
    }

    /// Whether it is a layout of this fractal at this level, periodic along the same axes.
    pub(crate) fn is_of(&self, domain: &Domain) -> bool {
        let is_alike = self.level() == domain.level() && self.periodic() == domain.periodic();
        is_alike && self.low.fractal().patterns == domain.fractal().patterns
    }

    /// The dimension D.
    pub fn dimension(&self) -> Dimension {
        self.top.dimension()
    }

    /// The level r.
    pub fn level(&self) -> u32 {
        self.lane_digits + self.middle.level() + self.micro_digits
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
        self.top.cells() as usize
    }

    /// W, the words of 32 bits of one plane of a column.
    pub fn words(&self) -> usize {
        self.lanes().div_ceil(32)
    }

    /// How many superblocks there are.
    pub fn superblocks(&self) -> u32 {
        self.middle.cells() as u32
    }

    /// How many micro cells a superblock has.
    pub fn micro_cells(&self) -> u32 {
        self.low.cells() as u32
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        self.top.cells() * self.middle.cells() * self.low.cells()
    }

    /// Width, height and depth of the whole.
    pub fn extent(&self) -> [u64; 3] {
        let (top, lane) = (self.top.extent(), self.lane_extent());
        std::array::from_fn(|axis| top[axis] * lane[axis])
    }

    /// The greatest side of the whole.
    pub fn side(&self) -> u64 {
        self.extent().into_iter().fold(1, u64::max)
    }

    /// Width, height and depth of a lane's level-(r−T) fractal.
    fn lane_extent(&self) -> [u64; 3] {
        let (middle, low) = (self.middle.extent(), self.low.extent());
        std::array::from_fn(|axis| middle[axis] * low[axis])
    }

    /// The axes along which the whole is periodic.
    pub fn periodic(&self) -> Axes {
        self.top.periodic()
    }

    /// True if one superblock of one lane is the whole fractal, and no edge of it leads back to it.
    pub fn is_whole(&self) -> bool {
        self.lanes() == 1 && self.superblocks() == 1 && !self.periodic().any()
    }

    /// The fractal of the top T levels, whose cells are the lanes.
    pub fn top(&self) -> &Domain {
        &self.top
    }

    /// Width, height and depth of the middle fractal, in superblocks.
    pub(crate) fn middle_extent(&self) -> [u64; 3] {
        self.middle.extent()
    }

    /// The patterns of the middle fractal's levels, from the finest up.
    pub(crate) fn middle_patterns(&self) -> impl DoubleEndedIterator<Item = &Arc<Pattern>> + Clone {
        (1..=self.middle.level()).map(|mu| self.middle.pattern(mu))
    }

    /// How many superblocks agree in all but their lowest digits.
    pub fn superblocks_of(&self, digits: u32) -> u64 {
        self.middle.cell_product(digits)
    }

    /// The fractal of the lowest L levels.
    pub fn low(&self) -> &Domain {
        &self.low
    }

    /// The lowest L levels as kernels know them.
    pub(crate) fn micro_fractal(&self) -> MicroFractal {
        let cells = (0..self.low.cells()).map(|m| self.low.lambda(m).map(|v| v as u32)).collect();
        MicroFractal { dimension: self.dimension(), sides: self.low.extent().map(|side| side as u32), cells }
    }

    /// The number of each lane's replica among the level-(r−T) fractals, in canonical order.
    pub fn replicas(&self) -> &[u32] {
        &self.replicas
    }

    /// The lane of each replica: the inverse of [`replicas`](Self::replicas).
    pub fn lanes_of_replicas(&self) -> &[u32] {
        &self.lanes
    }

    /// K_{r−T}: how far the indices of a replica's cells lie behind those of the replica before.
    pub fn lane_stride(&self) -> u64 {
        self.middle.cells() * self.low.cells()
    }

    /// How many columns some superblocks have.
    pub fn columns_of(&self, superblocks: usize) -> u64 {
        superblocks as u64 * self.low.cells()
    }

    /// The canonical index of a cell.
    pub fn canonical(&self, Lane(lane): Lane, Unit(superblock): Unit, Micro(micro): Micro) -> CellIndex {
        let column = u64::from(superblock) * self.low.cells() + u64::from(micro);
        CellIndex(u64::from(self.replicas[lane as usize]) * self.lane_stride() + column)
    }

    /// The digit-reversed index of a cell: one more for the next lane of a column.
    pub fn reversed(&self, Lane(lane): Lane, Unit(superblock): Unit, Micro(micro): Micro) -> u64 {
        let column =
            self.middle.reversed(u64::from(superblock)) + self.middle.cells() * self.low.reversed(u64::from(micro));
        u64::from(lane) + self.top.cells() * column
    }

    /// The lane, superblock and micro cell of a canonical index.
    pub fn split(&self, CellIndex(c): CellIndex) -> (Lane, Unit, Micro) {
        let column = c / self.low.cells();
        let lane = self.lanes[(column / self.middle.cells()) as usize];
        (Lane(lane), Unit((column % self.middle.cells()) as u32), Micro((c % self.low.cells()) as u32))
    }

    /// The corner of a lane's level-(r−T) fractal in the expanded grid.
    pub fn lane_corner(&self, lane: Lane) -> [u64; 3] {
        let (place, extent) = (self.lane_place(lane), self.lane_extent());
        std::array::from_fn(|axis| place[axis] * extent[axis])
    }

    /// Where a lane lies in the top fractal.
    pub(crate) fn lane_place(&self, Lane(lane): Lane) -> [u64; 3] {
        self.top.lambda(u64::from(self.replicas[lane as usize]))
    }

    /// Words of bits that say in which lanes the corner's coordinates on these axes have an odd sum.
    pub fn odd_lanes(&self, axes: Axes) -> Vec<u32> {
        let mut words = vec![0; self.words()];
        for lane in (0..self.lanes() as u32).filter(|lane| axes.is_odd(self.lane_corner(Lane(*lane)))) {
            words[lane as usize / 32] |= 1 << (lane % 32);
        }
        words
    }

    /// Where a superblock lies in the middle fractal.
    pub fn superblock_place(&self, Unit(superblock): Unit) -> [u64; 3] {
        self.middle.lambda(u64::from(superblock))
    }

    /// The superblock at a place of the middle fractal, if there is one.
    pub(crate) fn superblock_at(&self, place: [u64; 3]) -> Option<Unit> {
        self.middle.nu(place).map(|index| Unit(index as u32))
    }

    /// A superblock's corner within the level-(r−T) fractal.
    pub fn superblock_corner(&self, superblock: Unit) -> [u64; 3] {
        let (place, extent) = (self.superblock_place(superblock), self.low.extent());
        std::array::from_fn(|axis| place[axis] * extent[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_parts_compose_to_the_whole() {
        for fractal in samples::fractals() {
            let whole = Domain::new(fractal, 4).expect("small");
            for (t, l) in [(0, 0), (1, 1), (2, 1), (1, 2), (9, 9), (9, 1)] {
                let layout = Layout::new(&whole, t, l).expect("small");
                assert!(layout.lane_digits() + layout.micro_digits() <= 4);
                for c in 0..layout.cells() {
                    let (lane, superblock, micro) = layout.split(CellIndex(c));
                    assert_eq!(layout.canonical(lane, superblock, micro), CellIndex(c));
                    assert_eq!(layout.reversed(lane, superblock, micro), whole.reversed(c));
                    let corner = layout.lane_corner(lane);
                    let block = layout.superblock_corner(superblock);
                    let cell = layout.low().lambda(u64::from(micro.0));
                    let sum: [u64; 3] = std::array::from_fn(|a| corner[a] + block[a] + cell[a]);
                    assert_eq!(whole.lambda(c), sum);
                }
            }
        }
    }

    #[test]
    fn sizes_are_refused_before_anything_is_built() {
        let triangle = Domain::new(samples::triangle(), 30).expect("40 levels fit");
        assert!(Layout::new(&triangle, 5, 3).is_err_and(|error| error.0.contains("superblocks are more than")));
        assert!(Layout::new(&triangle, 20, 3).is_err_and(|error| error.0.contains("is beyond")));
    }
}
