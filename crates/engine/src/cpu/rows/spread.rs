//! Which columns look at those that changed.

use crate::cpu::activity::{Bits, END, Marks, word};
use crate::cpu::kernel::HostKernel;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::{Slot, Unit};

/// How far columns look, and where their marks stand: those of a row in words of its own.
pub(super) struct Spread {
    /// How many columns to either side, if more than ends matter.
    columns: usize,
    /// Whether ends alone matter to the columns beside.
    ends: bool,
    rows: usize,
    layers: usize,
    /// Words of marks of a row.
    words: usize,
}

/// Words of marks that the columns of a row have.
pub(super) fn words_of_marks(grid: &RowGrid) -> usize {
    grid.columns_of_row().div_ceil(64)
}

impl Spread {
    /// The spread of a kernel.
    pub(super) fn new(kernel: &HostKernel, grid: &RowGrid) -> Spread {
        let far = |axis: usize| kernel.looks().map(|(_, to)| to[axis].unsigned_abs() as usize).max().unwrap_or(0);
        let (across, lanes) = (far(0), grid.shape.lanes);
        // At a seam a column may be shorter than others.
        let seam = grid.periodic()[0] && !grid.extent()[0].is_multiple_of(lanes);
        Spread {
            columns: across.div_ceil(lanes) + usize::from(seam && across > 0),
            ends: across <= END && !seam && grid.extent()[0].is_multiple_of(lanes),
            rows: far(1),
            layers: far(2),
            words: words_of_marks(grid),
        }
    }

    /// Bytes that marks and lists of columns take at most.
    pub(super) fn bytes(&self, grid: &RowGrid) -> u64 {
        // Two of them have bits that find their words.
        let marks = if self.ends { 5 } else { 3 };
        8 * marks * (grid.rows() * self.words) as u64 + 4 * grid.columns() as u64
    }

    /// Empty marks.
    pub(super) fn marks(&self, grid: &RowGrid) -> Marks {
        Marks::new(grid.rows() * self.words * 64, self.ends)
    }

    /// The marked columns, and the columns that look at them.
    pub(super) fn list(&self, grid: &RowGrid, marks: &mut Marks, units: &mut Vec<Slot>) {
        let mut active = std::mem::take(&mut marks.active);
        let [_, height, depth] = grid.extent();
        let mut dilated = vec![0; self.words];
        let mut last = None;
        for row in marks.any.touched().map(|word| word / self.words) {
            if last.replace(row) == Some(row) {
                continue;
            }
            self.dilate(grid, marks, row, &mut dilated);
            let (y, z) = (row % height, row / height);
            for layer in around(z, self.layers, depth, grid.periodic()[2]) {
                for line in around(y, self.rows, height, grid.periodic()[1]) {
                    let first = (layer * height + line) * self.words;
                    dilated.iter().zip(first..).for_each(|(bits, index)| active.or(index, *bits));
                }
            }
        }
        let (per_row, bits_of_row) = (grid.columns_of_row(), self.words * 64);
        active.take(|unit| {
            units.extend(grid.slot(Unit((unit / bits_of_row * per_row + unit % bits_of_row) as u32)));
        });
        marks.active = active;
    }

    /// The marks of a row with those of the columns beside.
    fn dilate(&self, grid: &RowGrid, marks: &Marks, row: usize, dilated: &mut [u64]) {
        let (per_row, around) = (grid.columns_of_row(), grid.periodic()[0]);
        let words = row * self.words..(row + 1) * self.words;
        let of = |bits: &Bits| -> Vec<u64> { words.clone().map(|at| word(bits, at)).collect() };
        dilated.iter_mut().zip(words.clone()).for_each(|(bits, at)| *bits = marks.any.word(at));
        if self.columns == 0 {
            return;
        }
        if self.ends {
            // Who is to the left sees the low end.
            or(dilated, &left(&of(&marks.low), per_row, around));
            or(dilated, &right(&of(&marks.high), per_row, around));
            return;
        }
        for _ in 0..self.columns {
            let before = dilated.to_vec();
            or(dilated, &left(&before, per_row, around));
            or(dilated, &right(&before, per_row, around));
        }
    }
}

fn or(all: &mut [u64], more: &[u64]) {
    all.iter_mut().zip(more).for_each(|(all, more)| *all |= more);
}

/// The first `count` bits, each one place to the left (lower).
fn left(bits: &[u64], count: usize, around: bool) -> Vec<u64> {
    let next = |index: usize| bits.get(index + 1).map_or(0, |next| next << 63);
    let mut moved: Vec<u64> = bits.iter().enumerate().map(|(index, word)| word >> 1 | next(index)).collect();
    if around && bits[0] & 1 == 1 {
        moved[(count - 1) / 64] |= 1 << ((count - 1) % 64);
    }
    moved
}

/// The first `count` bits, each one place to the right (higher).
fn right(bits: &[u64], count: usize, around: bool) -> Vec<u64> {
    let before = |index: usize| if index == 0 { 0 } else { bits[index - 1] >> 63 };
    let mut moved: Vec<u64> = bits.iter().enumerate().map(|(index, word)| word << 1 | before(index)).collect();
    if !count.is_multiple_of(64) {
        moved[count / 64] &= (1 << (count % 64)) - 1;
    }
    if around && bits[(count - 1) / 64] >> ((count - 1) % 64) & 1 == 1 {
        moved[0] |= 1;
    }
    moved
}

/// The numbers from `from − reach` to `from + reach` that are below `side`, or all modulo it.
fn around(from: usize, reach: usize, side: usize, periodic: bool) -> impl Iterator<Item = usize> {
    let reach = reach.min(side) as isize;
    let there = (-reach..=reach).map(move |by| from as isize + by);
    let side = side as isize;
    there.filter_map(move |v| match periodic {
        true => Some(v.rem_euclid(side) as usize),
        false => (0..side).contains(&v).then_some(v as usize),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_move_across_words_and_around() {
        assert_eq!(left(&[0b110, 1], 70, false), [0b11 | 1 << 63, 0]);
        assert_eq!(left(&[1, 0], 70, true), [0, 1 << 5]);
        assert_eq!(right(&[1 << 63, 0b10_0000], 70, false), [0, 1], "the last one leaves");
        assert_eq!(right(&[0, 0b10_0000], 70, true), [1, 0]);
        assert_eq!(right(&[1 << 63], 64, true), [1]);
        assert_eq!(around(0, 2, 5, true).collect::<Vec<_>>(), [3, 4, 0, 1, 2]);
        assert_eq!(around(1, 2, 3, false).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
