//! The columns that a pass reads: all of a state, or a few rows of it.

use squeeze_compiler::layout::columns::OVERREAD;
use squeeze_compiler::layout::rows::RowGrid;

/// Where a pass reads.
#[derive(Clone)]
pub(super) struct Old {
    /// By state the first byte of its columns, null where there are none.
    pub states: Vec<*const u8>,
    /// Of states that are there in a few rows at a time, how those stand.
    pub rings: Vec<Option<Ring>>,
}

/// A few rows of a state: row y stands in place y mod so many. Before and behind each there are [`OVERREAD`] bytes for what lies beyond its ends, which are 0
/// where nothing does.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub rows: usize,
    /// Bytes of a row, and from the first byte of one to that of the next.
    pub row_bytes: usize,
    pub stride: usize,
}

impl Ring {
    pub fn new(rows: usize, row_bytes: usize) -> Ring {
        Ring { rows, row_bytes, stride: (row_bytes + 2 * OVERREAD).next_multiple_of(64) }
    }

    /// Bytes of all rows, and how many stand before the first place of the first one.
    pub fn bytes(&self) -> (usize, usize) {
        (self.rows * self.stride, OVERREAD)
    }

    /// Copies what lies at either end of a row, whose first byte this is, beyond the other one.
    ///
    /// # Safety
    /// The row is one of these, and the calling thread's own.
    pub unsafe fn close(&self, row: *mut u8) {
        let bytes = OVERREAD.min(self.row_bytes);
        // SAFETY: before and behind the row there is room for so many bytes.
        unsafe {
            row.add(self.row_bytes - bytes).copy_to_nonoverlapping(row.sub(bytes), bytes);
            row.copy_to_nonoverlapping(row.add(self.row_bytes), bytes);
        }
    }

    /// Whether what stands before and behind the rows is what lies there.
    pub fn is_padded(&self, grid: &RowGrid) -> bool {
        self.row_bytes >= OVERREAD && grid.extent()[0].is_multiple_of(grid.shape.lanes)
    }

    /// The bytes from the first place of the first row to that of a row.
    pub fn row(&self, y: i64) -> usize {
        y.rem_euclid(self.rows as i64) as usize * self.stride
    }
}

impl Old {
    /// Of states all of whose columns are there.
    pub fn new(states: Vec<*const u8>) -> Old {
        Old { rings: vec![None; states.len()], states }
    }

    /// Where a stored column of a state stands, which lies in a row that is the y-th, counted on beyond seams.
    pub fn column(&self, grid: &RowGrid, (state, block): (usize, usize), column: usize, y: i64) -> *const u8 {
        self.states[state].wrapping_add(match self.rings[state] {
            None => column * block,
            Some(ring) => ring.row(y) + grid.number_in_row(column) * block,
        })
    }
}

// SAFETY: the columns are only read while a pass runs, and outlive it.
unsafe impl Sync for Old {}
