//! Columns of bits with what lies beside them, kept for the next rows: a kernel that looks at three rows meets each shifted column three times.

use crate::engine::states::buffer::Scratch;
use squeeze_compiler::kernel::Halo;
use squeeze_compiler::layout::columns::OVERREAD;
use squeeze_compiler::layout::rows::{ColumnPlace, RowGrid};
use squeeze_compiler::{Off, Speciality};

/// Bytes that they take at most.
const MOST_BYTES: usize = 1 << 20;

/// The shifted columns that were used last.
pub(super) struct Shifted {
    /// By entry of the halo, which state it moves to which side, if it is kept here.
    sides: Vec<Option<usize>>,
    /// How many sides there are, and how many rows, a power of two, are kept of each.
    count: usize,
    rows: usize,
    per_row: usize,
    /// Bytes between columns.
    stride: usize,
    /// By slot the row whose column stands there.
    kept: Vec<Option<usize>>,
    memory: Scratch,
}

impl Shifted {
    /// Of the halo of a kernel, whose entries look in these directions; of states of bits, the blocks of which have at most so many bytes. Nothing is kept of
    /// domains with three axes, and where that would take too much memory.
    pub fn new(
        grid: &RowGrid,
        halo: &[Halo],
        directions: &[[i32; 3]],
        is_bits: impl Fn(usize) -> bool,
        block: usize,
        off: Off,
    ) -> Shifted {
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
        let (per_row, stride) = (grid.columns_of_row(), (block + OVERREAD).next_multiple_of(64));
        let mut slots = known.len() * rows * per_row;
        // Where one row alone is looked at, nothing is met again.
        let gains = rows > 1 && slots > 0 && slots * stride <= MOST_BYTES;
        if !(gains && off.allows(Speciality::ShiftedColumns)) {
            (slots, sides) = (0, vec![None; halo.len()]);
        }
        let count = known.len();
        Shifted { sides, count, rows, per_row, stride, kept: vec![None; slots], memory: Scratch::new(slots * stride) }
    }

    /// Where what an entry of the halo looks at stands, so many rows up, in this row; whether it has still to be written there. `None` if it is not kept.
    pub fn slot(
        &mut self,
        entry: usize,
        place: &ColumnPlace,
        lanes: usize,
        dy: i32,
        row: usize,
    ) -> Option<(&mut [u8], bool)> {
        let side = self.sides[entry]?;
        // Rows beyond a seam have other numbers than those that follow each other here.
        let turn = (i64::from(place.corner[1]) + i64::from(dy)).rem_euclid(self.rows as i64) as usize;
        let slot = (turn * self.per_row + place.corner[0] as usize / lanes) * self.count + side;
        let is_new = self.kept[slot].replace(row) != Some(row);
        Some((&mut self.memory.as_mut_slice()[slot * self.stride..][..self.stride], is_new))
    }
}
