//! Rows as lanes: the columns of a mask are stretches of its rows.

use super::columns::{Columns, Shape};
use super::permutation::ABSENT;
use crate::geometry::Domain;
use crate::ir::Rule;
use crate::ir::kernel::Planes;
use crate::plan::StateMemory;
use std::fmt;
use std::ops::Range;

/// The lanes of a column, unless rows are shorter.
const MOST_LANES: usize = 512;
const LEAST_LANES: usize = 32;

/// Where the cells of a mask stand.
///
/// A column is a stretch of a row, of a power of two of places; its lanes are the places. Columns without a cell are not stored. The others follow each
/// other in reading order, and so do the cells in each, so that the ranks of a column's cells follow each other.
pub struct RowGrid {
    extent: [usize; 3],
    periodic: [bool; 3],
    /// The sizes of a column.
    pub shape: Shape,
    /// Columns of a row, stored or not.
    per_row: usize,
    /// By row and column in it, the stored column, or [`ABSENT`].
    index: Vec<u32>,
    /// By stored column the corner (x, y, z).
    corners: Vec<[u32; 3]>,
    /// By stored column a bit for each lane that is a cell.
    mask: Vec<u32>,
    /// By stored column the rank of its first cell; at the end the number of cells.
    ranks: Vec<u64>,
}

/// A part of a column that comes from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first lane.
    pub lane: usize,
    /// The stored column that it comes from.
    pub source: usize,
    /// The lane there.
    pub from: usize,
    /// How many lanes.
    pub length: usize,
}

impl RowGrid {
    /// Bytes that [`RowGrid::new`] allocates at most.
    pub fn bytes(domain: &Domain) -> u64 {
        let [width, height, depth] = domain.extent();
        let lanes = lanes_of(width as usize) as u64;
        let columns = width.div_ceil(lanes) * height * depth;
        columns * (4 + 12 + 8 + lanes / 8)
    }

    /// Of a mask or a box.
    ///
    /// # Panics
    /// If the domain is of another kind.
    pub fn new(domain: &Domain) -> RowGrid {
        assert!(domain.is_mask(), "`{}` has levels", domain.fractal().name);
        let extent = domain.extent().map(|side| side as usize);
        let lanes = lanes_of(extent[0]);
        let (shape, per_row) = (Shape::of_lanes(lanes), extent[0].div_ceil(lanes));
        let mut grid = RowGrid {
            extent,
            periodic: domain.periodic().0,
            shape,
            per_row,
            index: vec![ABSENT; per_row * extent[1] * extent[2]],
            corners: Vec::new(),
            mask: Vec::new(),
            ranks: Vec::new(),
        };
        let mut last = usize::MAX;
        for (rank, place) in (0u64..).zip(&domain.pattern(1).replicas) {
            let [x, y, z] = place.map(|v| v as usize);
            let at = (z * extent[1] + y) * per_row + x / lanes;
            if at != last {
                last = at;
                grid.index[at] = grid.corners.len() as u32;
                grid.corners.push([(x / lanes * lanes) as u32, place[1], place[2]]);
                grid.mask.resize(grid.mask.len() + shape.words, 0);
                grid.ranks.push(rank);
            }
            let words = grid.mask.len() - shape.words;
            grid.mask[words + x % lanes / 32] |= 1 << (x % 32);
        }
        grid.ranks.push(domain.cells());
        grid
    }

    /// Width, height and depth.
    pub fn extent(&self) -> [usize; 3] {
        self.extent
    }

    /// The axes along which it is periodic.
    pub fn periodic(&self) -> [bool; 3] {
        self.periodic
    }

    /// How many columns a row has, stored or not.
    pub fn columns_of_row(&self) -> usize {
        self.per_row
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.extent[1] * self.extent[2]
    }

    /// By row and column in it, the stored column, or [`ABSENT`].
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// The [masks](Self::mask) of all columns.
    pub fn masks(&self) -> &[u32] {
        &self.mask
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        self.ranks[self.columns()]
    }

    /// Whether every place is a cell.
    pub fn is_full(&self) -> bool {
        self.cells() == self.extent.iter().map(|side| *side as u64).product::<u64>()
    }

    /// Whether every column is stored, so that they are numbered as they stand.
    pub fn stores_all(&self) -> bool {
        self.columns() == self.index.len()
    }

    /// By word of a column's mask, the rank of its first cell, or of the next one.
    pub fn word_ranks(&self) -> impl Iterator<Item = u64> + '_ {
        (self.mask.chunks_exact(self.shape.words)).zip(&self.ranks).flat_map(|(words, first)| {
            words.iter().scan(*first, |rank, word| {
                let here = *rank;
                *rank += u64::from(word.count_ones());
                Some(here)
            })
        })
    }

    /// The stored columns of some rows.
    pub fn columns_of(&self, rows: Range<usize>) -> Range<usize> {
        let height = self.extent[1];
        let before = |row: usize| {
            self.corners.partition_point(|[_, y, z]| (*z as usize, *y as usize) < (row / height, row % height))
        };
        before(rows.start)..before(rows.end)
    }

    /// The row of a cell.
    pub fn row_of(&self, rank: u64) -> usize {
        let [_, y, z] = self.corners[self.column_of(rank)].map(|v| v as usize);
        z * self.extent[1] + y
    }

    /// The memory of each state of a rule, and of the fields that are kept.
    pub fn state_memory(&self, rule: &Rule) -> Vec<StateMemory> {
        let of_state = |(index, state): (usize, &crate::ir::State)| StateMemory {
            columns: Columns::new(Planes::of(rule, state.ty), self.shape, 1),
            buffers: if rule.changes(index) { 2 } else { 1 },
        };
        rule.kept_states().enumerate().map(of_state).collect()
    }

    /// How many columns are stored.
    pub fn columns(&self) -> usize {
        self.corners.len()
    }

    /// How many of a column's lanes are places of its row.
    pub fn places(&self, column: usize) -> usize {
        self.shape.lanes.min(self.extent[0] - self.corners[column][0] as usize)
    }

    /// The corner of a column.
    pub fn corner(&self, column: usize) -> [i32; 3] {
        self.corners[column].map(|v| v as i32)
    }

    /// A bit for each lane that is a cell.
    pub fn mask(&self, column: usize) -> &[u32] {
        &self.mask[column * self.shape.words..][..self.shape.words]
    }

    /// The rank of a column's first cell.
    pub fn rank(&self, column: usize) -> u64 {
        self.ranks[column]
    }

    /// How many cells a column has.
    pub fn count(&self, column: usize) -> usize {
        (self.ranks[column + 1] - self.ranks[column]) as usize
    }

    /// The lanes of a column that are cells, in order.
    pub fn lanes(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        self.mask(column).iter().enumerate().flat_map(|(word, bits)| {
            std::iter::successors(Some(*bits), |bits| Some(bits & bits.wrapping_sub(1)))
                .take_while(|bits| *bits != 0)
                .map(move |bits| 32 * word + bits.trailing_zeros() as usize)
        })
    }

    /// The column of a cell.
    pub fn column_of(&self, rank: u64) -> usize {
        self.ranks.partition_point(|first| *first <= rank) - 1
    }

    /// The column and the lane of a cell.
    pub fn locate(&self, rank: u64) -> (usize, usize) {
        let column = self.column_of(rank);
        let mut rest = (rank - self.ranks[column]) as u32;
        for (word, bits) in self.mask(column).iter().enumerate() {
            if rest < bits.count_ones() {
                let mut bits = *bits;
                (0..rest).for_each(|_| bits &= bits - 1);
                return (column, 32 * word + bits.trailing_zeros() as usize);
            }
            rest -= bits.count_ones();
        }
        unreachable!("a column has all the ranks up to the next")
    }

    /// Where the lanes of a column come from that lie so far away, in order; lanes that come from nowhere are left out.
    pub fn segments(&self, column: usize, offset: [i32; 3], mut visit: impl FnMut(Segment)) {
        let [x, y, z] = self.corners[column].map(|v| v as usize);
        let turned = |axis: usize, v: i64| {
            let side = self.extent[axis] as i64;
            match (0..side).contains(&v) {
                true => Some(v as usize),
                false => self.periodic[axis].then(|| v.rem_euclid(side) as usize),
            }
        };
        let row = turned(1, y as i64 + i64::from(offset[1])).zip(turned(2, z as i64 + i64::from(offset[2])));
        let Some((y, z)) = row else { return };
        let row = (z * self.extent[1] + y) * self.per_row;
        let (width, lanes) = (self.extent[0], self.shape.lanes);
        let end = self.places(column);
        let mut lane = 0;
        while lane < end {
            let there = (x + lane) as i64 + i64::from(offset[0]);
            let Some(from) = turned(0, there) else {
                if there < 0 {
                    lane += there.unsigned_abs() as usize;
                    continue;
                }
                return;
            };
            let length = (lanes - from % lanes).min(width - from).min(end - lane);
            let source = self.index[row + from / lanes];
            if source != ABSENT {
                visit(Segment { lane, source: source as usize, from: from % lanes, length });
            }
            lane += length;
        }
    }
}

/// How many columns there are, in one sentence.
impl fmt::Display for RowGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lanes, all, stored) = (self.shape.lanes, self.index.len(), self.columns());
        write!(f, "rows as lanes: {stored} of {all} columns of {lanes} places have cells, {} altogether", self.cells())
    }
}

fn lanes_of(width: usize) -> usize {
    width.next_power_of_two().clamp(LEAST_LANES, MOST_LANES)
}
