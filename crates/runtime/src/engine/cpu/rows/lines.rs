//! Rows of numbers whose cells alone are stored, expanded: all places of a row follow each other, with what lies beside its ends. So what lies at any
//! distance to the side is read where it stands, and a row is expanded once for all rows that look at it.

use super::dense::Dense;
use crate::engine::states::buffer::Scratch;
use squeeze_compiler::layout::columns::OVERREAD;
use squeeze_compiler::layout::permutation::ABSENT;
use squeeze_compiler::layout::rows::RowGrid;

/// Bytes that the rows of a state take at most.
const MOST_BYTES: usize = 4 << 20;
/// Bytes of a line of the processor's cache.
const LINE: usize = 64;

/// The rows of a state that were used last.
pub(super) struct Lines {
    dense: Dense,
    /// Bytes of a value.
    size: usize,
    /// Places before the first of a row, and behind the last.
    margin: usize,
    /// Bytes of a row with its margins.
    stride: usize,
    /// By slot the row that stands there, and when it was used.
    rows: Vec<(usize, u64)>,
    uses: u64,
    memory: Scratch,
}

impl Lines {
    /// For values of so many bytes, of a kernel that looks so far to the side and into so many rows; `None` if they take too much memory.
    pub fn new(dense: Dense, size: usize, grid: &RowGrid, reach: usize, rows: usize) -> Option<Lines> {
        let margin = (reach * size + OVERREAD).next_multiple_of(LINE) / size;
        let stride = (grid.columns_of_row() * grid.shape.lanes + 2 * margin) * size;
        let slots = rows + 1;
        let bytes = slots.checked_mul(stride).filter(|bytes| *bytes <= MOST_BYTES)?;
        let empty = vec![(usize::MAX, 0); slots];
        Some(Lines { dense, size, margin, stride, rows: empty, uses: 0, memory: Scratch::new(bytes) })
    }

    /// Where a place of a row stands, which may lie beside it as far as the kernel looks. As many places as a column has follow it, until other rows than the
    /// kernel looks into are asked for.
    ///
    /// # Safety
    /// `old` is the memory of the state, which nobody writes meanwhile.
    pub unsafe fn at(&mut self, grid: &RowGrid, old: *const u8, row: usize, x: isize) -> *const u8 {
        self.uses += 1;
        let slot = self.rows.iter().position(|(known, _)| *known == row).unwrap_or_else(|| {
            let oldest = (0..self.rows.len()).min_by_key(|slot| self.rows[*slot].1).unwrap_or(0);
            // SAFETY: as the caller's.
            unsafe { self.expand(grid, old, row, oldest) };
            oldest
        });
        self.rows[slot] = (row, self.uses);
        let place = (slot * self.stride) as isize + (self.margin as isize + x) * self.size as isize;
        self.memory.as_ptr().wrapping_offset(place)
    }

    /// # Safety
    /// As of [`at`](Self::at).
    unsafe fn expand(&mut self, grid: &RowGrid, old: *const u8, row: usize, slot: usize) {
        let (per_row, width, size) = (grid.columns_of_row(), grid.extent()[0], self.size);
        let block = grid.shape.lanes * size;
        let margin = self.margin * size;
        let line = &mut self.memory.as_mut_slice()[slot * self.stride..][..self.stride];
        for (index, column) in line[margin..][..per_row * block].chunks_exact_mut(block).enumerate() {
            match grid.stored(row * per_row + index) {
                ABSENT => column.fill(0),
                stored => {
                    let stored = stored as usize;
                    // SAFETY: as the caller's.
                    unsafe { self.dense.expand(old, grid.mask(stored), grid.first_cell(stored), column) };
                }
            }
        }
        if grid.periodic()[0] {
            // So far as the other end goes; a kernel looks less far than half a row.
            let around = margin.min(width * size);
            line.copy_within(margin + width * size - around..margin + width * size, margin - around);
            line.copy_within(margin..margin + around, margin + width * size);
        }
    }
}
