//! The last few rows that a thread prepared, so that what lies to the side is read where it stands, and once for all rows that look at it: rows that a
//! stage before has computed ([`RowRing`]), rows of packed cells ([`ExpandedRows`]), and columns of bits moved to the side ([`ShiftedColumns`]).

use super::blocks::PaddedMemory;
use super::dense::Dense;
use crate::states::buffer::Scratch;
use squeeze_compiler::kernel::{Halo, Planes};
use squeeze_compiler::layout::columns::{Columns, OVERREAD};
use squeeze_compiler::layout::rows::{ColumnPlace, RowGrid};
use squeeze_compiler::layout::unit::Unit;

/// Bytes that the expanded rows of a state take at most. Guess: not measured.
const MOST_EXPANDED: usize = 4 << 20;
/// Bytes that shifted columns take at most. Guess: not measured.
const MOST_SHIFTED: usize = 1 << 20;
/// Bytes of a line of the processor's cache.
const LINE: usize = 64;

/// A thread's memory for rows.
#[derive(Default)]
pub(crate) struct RowMemory {
    /// Presence by direction, with room to over-read.
    pub present: Vec<Vec<u32>>,
    /// Shifted columns by body of the kernel.
    pub shifted: Vec<ShiftedColumns>,
    /// Rows of packed states, expanded; `None` where rows take too much memory.
    pub expanded: Vec<Option<ExpandedRows>>,
    /// Columns by state, the unit's own and one of another unit, where there are no expanded rows.
    pub own: Vec<Scratch>,
    pub other: Scratch,
    /// Blocks of padded rows.
    pub padded: PaddedMemory,
}

impl RowMemory {
    /// States have changed.
    pub(crate) fn forget(&mut self) {
        self.shifted.iter_mut().for_each(|shifted| shifted.kept.fill(None));
        self.expanded.iter_mut().flatten().for_each(|expanded| expanded.rows.fill((usize::MAX, 0)));
    }
}

/// A few rows of a state: row y stands in place y modulo their number. Around each are [`OVERREAD`] bytes for the places beyond its ends, 0 for places
/// that do not exist.
#[derive(Clone, Copy)]
pub(crate) struct RowRing {
    pub rows: usize,
    /// Bytes of a row, and from the first byte of one to that of the next.
    pub row_bytes: usize,
    pub stride: usize,
}

impl RowRing {
    pub(crate) fn new(rows: usize, row_bytes: usize) -> RowRing {
        RowRing { rows, row_bytes, stride: (row_bytes + 2 * OVERREAD).next_multiple_of(LINE) }
    }

    /// Bytes of all rows, and how many stand before the first place of the first one.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        (self.rows * self.stride, OVERREAD)
    }

    /// Copies the bytes at either end of a row, whose first byte this is, beyond the other end.
    ///
    /// # Safety
    /// The row is one of these, and the calling thread's own.
    pub(crate) unsafe fn close(&self, row: *mut u8) {
        let bytes = OVERREAD.min(self.row_bytes);
        // SAFETY: before and behind the row there is room for these bytes.
        unsafe {
            row.add(self.row_bytes - bytes).copy_to_nonoverlapping(row.sub(bytes), bytes);
            row.copy_to_nonoverlapping(row.add(self.row_bytes), bytes);
        }
    }

    /// Whether the memory before and behind each row holds the values of the places that lie there.
    pub(crate) fn is_padded(&self, grid: &RowGrid) -> bool {
        self.row_bytes >= OVERREAD && grid.extent()[0].is_multiple_of(grid.shape.lanes)
    }

    /// The bytes from the first place of the first row to that of a row.
    pub(crate) fn row(&self, y: i64) -> usize {
        y.rem_euclid(self.rows as i64) as usize * self.stride
    }
}

/// The last used rows of a state of packed cells. All columns of a row follow each other, and rows of numbers have the values beside their ends.
pub(crate) struct ExpandedRows {
    dense: Dense,
    block: usize,
    /// Bytes before the first place of a row, and behind the last.
    margin: usize,
    /// Bytes of a row with its margins.
    stride: usize,
    /// The row that stands in each slot, and when it was used.
    rows: Vec<(usize, u64)>,
    uses: u64,
    memory: Scratch,
}

impl ExpandedRows {
    /// Expanded rows for a kernel that looks in these directions at a state; `None` if they take too much memory.
    pub(crate) fn new(columns: Columns, grid: &RowGrid, looks: impl Iterator<Item = [i32; 3]>) -> Option<ExpandedRows> {
        let mut reach = 0;
        let mut rows = vec![[0; 2]];
        for [x, y, z] in looks {
            reach = reach.max(x.unsigned_abs() as usize);
            rows.push([y, z]);
        }
        rows.sort_unstable();
        rows.dedup();
        let margin = match columns.planes {
            Planes::Bits(_) => 0,
            Planes::Number(ty) => (reach * ty.scalar().bytes() as usize + OVERREAD).next_multiple_of(LINE),
        };
        let stride = grid.columns_of_row() * columns.block + 2 * margin;
        let slots = rows.len() + 1;
        let bytes = slots.checked_mul(stride).filter(|bytes| *bytes <= MOST_EXPANDED)?;
        Some(ExpandedRows {
            dense: Dense::new(columns, grid.cells()),
            block: columns.block,
            margin,
            stride,
            rows: vec![(usize::MAX, 0); slots],
            uses: 0,
            memory: Scratch::new(bytes),
        })
    }

    /// Where the first place of a row stands, until other rows than the kernel looks into are asked for.
    ///
    /// # Safety
    /// `old` is the memory of the state, which no thread writes meanwhile.
    pub(crate) unsafe fn row(&mut self, grid: &RowGrid, old: *const u8, row: usize) -> *const u8 {
        self.uses += 1;
        let slot = self.rows.iter().position(|(known, _)| *known == row).unwrap_or_else(|| {
            let oldest = (0..self.rows.len()).min_by_key(|slot| self.rows[*slot].1).unwrap_or(0);
            // SAFETY: as the caller's.
            unsafe { self.expand(grid, old, row, oldest) };
            oldest
        });
        self.rows[slot] = (row, self.uses);
        self.memory.as_ptr().wrapping_add(slot * self.stride + self.margin)
    }

    /// # Safety
    /// As of [`row`](Self::row).
    unsafe fn expand(&mut self, grid: &RowGrid, old: *const u8, row: usize, slot: usize) {
        let (per_row, block, margin) = (grid.columns_of_row(), self.block, self.margin);
        let line = &mut self.memory.as_mut_slice()[slot * self.stride..][..self.stride];
        for (index, column) in line[margin..][..per_row * block].chunks_exact_mut(block).enumerate() {
            match grid.slot(Unit((row * per_row + index) as u32)) {
                None => column.fill(0),
                Some(stored) => {
                    // SAFETY: as the caller's.
                    unsafe { self.dense.expand(old, grid.mask(stored), grid.packed(grid.first_cell(stored)), column) };
                }
            }
        }
        if grid.periodic()[0] && margin > 0 {
            let width = grid.extent()[0] * (block / grid.shape.lanes);
            // So far as the other end goes; a kernel looks less far than half a row.
            let around = margin.min(width);
            line.copy_within(margin + width - around..margin + width, margin - around);
            line.copy_within(margin..margin + around, margin + width);
        }
    }
}

/// Columns of bits moved to the side that were used last: a kernel that looks at three rows meets each of them three times.
pub(crate) struct ShiftedColumns {
    /// For each entry of the halo, the number of its state and side among those kept here, if it is.
    sides: Vec<Option<usize>>,
    /// How many sides there are, and how many rows, a power of two, are kept of each.
    count: usize,
    rows: usize,
    per_row: usize,
    /// Bytes between columns.
    stride: usize,
    /// The row whose column stands in each slot.
    kept: Vec<Option<usize>>,
    memory: Scratch,
}

impl ShiftedColumns {
    /// Shifted columns for the halo of a kernel, whose entries look in these directions, at states with these columns. Nothing is kept of
    /// domains with three axes, and where that would take too much memory, or is not wanted.
    pub(crate) fn new(
        grid: &RowGrid,
        halo: &[Halo],
        directions: &[[i32; 3]],
        states: &[Columns],
        is_wanted: impl Fn() -> bool,
    ) -> ShiftedColumns {
        let is_bits = |state: usize| matches!(states[state].planes, Planes::Bits(_));
        let block = halo.iter().map(|halo| states[halo.state].block).max().unwrap_or(0);
        let mut known = Vec::new();
        let (mut least, mut most) = (0, 0);
        let mut sides = Vec::new();
        for entry in halo {
            let [x, y, _] = directions[entry.direction];
            let side = (is_bits(entry.state) && x != 0 && grid.extent()[2] == 1).then_some((entry.state, x));
            (least, most) = if side.is_some() { (y.min(least), y.max(most)) } else { (least, most) };
            sides.push(side.map(|side| {
                known.iter().position(|of| *of == side).unwrap_or_else(|| {
                    known.push(side);
                    known.len() - 1
                })
            }));
        }
        let rows = ((most - least) as usize + 1).next_power_of_two();
        let (per_row, stride) = (grid.columns_of_row(), (block + OVERREAD).next_multiple_of(LINE));
        let mut slots = known.len() * rows * per_row;
        // Where one row alone is looked at, nothing is met again.
        let gains = rows > 1 && slots > 0 && slots * stride <= MOST_SHIFTED;
        if !(gains && is_wanted()) {
            (slots, sides) = (0, vec![None; halo.len()]);
        }
        let (count, memory) = (known.len(), Scratch::new(slots * stride));
        ShiftedColumns { sides, count, rows, per_row, stride, kept: vec![None; slots], memory }
    }

    /// The slot of a halo entry that looks some rows up, in this row, and whether it has still to be written. `None` if it is not kept.
    pub(crate) fn slot(
        &mut self,
        entry: usize,
        place: &ColumnPlace,
        lanes: usize,
        dy: i32,
        row: usize,
    ) -> Option<(&mut [u8], bool)> {
        let side = self.sides[entry]?;
        // Rows beyond a seam have other numbers than here.
        let turn = (i64::from(place.corner[1]) + i64::from(dy)).rem_euclid(self.rows as i64) as usize;
        let slot = (turn * self.per_row + place.corner[0] as usize / lanes) * self.count + side;
        let is_new = self.kept[slot].replace(row) != Some(row);
        Some((&mut self.memory.as_mut_slice()[slot * self.stride..][..self.stride], is_new))
    }
}
