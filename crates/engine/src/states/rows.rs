//! States whose lanes are the places of rows, or that hold the cells of rows alone.

use super::transfer::{FEW, bits_at, bits_of_bytes, or_bits, or_bytes, parts};
use crate::packed::{self, stretches};
use rayon::prelude::*;
use squeeze_compiler::ir::Type;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::StoredAs;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::{CellIndex, Lane, Slot};
use squeeze_compiler::numbers::digest::term;
use std::ops::Range;

/// The cells of a column: the lane and the index of each.
fn cells_of(grid: &RowGrid, column: Slot) -> impl Iterator<Item = (Lane, CellIndex)> + '_ {
    grid.lanes(column).zip((grid.first_cell(column).0..).map(CellIndex))
}

/// Copies the values of a column where the cells alone are stored, all of them.
pub(super) fn copy_packed((grid, column): (&RowGrid, Slot), columns: &Columns, from: &[u8], to: &mut [u8]) {
    for (_, cell) in cells_of(grid, column) {
        let (cells, place) = (grid.cells(), grid.packed(cell));
        columns.put_packed(to, cells, place, columns.packed_bits(from, cells, place));
    }
}

/// Cells that follow each other, at most 64: among 64 places of a column, or where the cells alone are stored.
struct CellRun {
    /// The index of the first one.
    first: u64,
    count: u32,
    /// The column, the lane of the first place, and which places are the cells.
    column: Slot,
    lane: usize,
    places: u64,
}

/// Calls `visit` with runs that together are these cells, at least one.
fn for_each_run(grid: &RowGrid, memory: StoredAs, cells: &Range<u64>, mut visit: impl FnMut(&CellRun)) {
    if memory == StoredAs::Cells {
        for first in cells.clone().step_by(64) {
            let count = (cells.end - first).min(64) as u32;
            visit(&CellRun { first, count, column: Slot(0), lane: 0, places: u64::MAX });
        }
        return;
    }
    let column_of = |cell: u64| grid.column_of(CellIndex(cell)).0;
    for column in (column_of(cells.start)..=column_of(cells.end - 1)).map(Slot) {
        let CellIndex(mut cell) = grid.first_cell(column);
        if grid.is_full() {
            let end = cells.end.min(cell + grid.count(column) as u64);
            for first in (cells.start.max(cell)..end).step_by(64) {
                let count = (end - first).min(64) as u32;
                let (lane, places) = ((first - cell) as usize, u64::MAX >> (64 - count));
                visit(&CellRun { first, count, column, lane, places });
            }
            continue;
        }
        // Where all places are cells, those before the first one are not counted.
        let is_full = grid.count(column) == grid.shape.lanes;
        let before = if is_full { (cells.start.saturating_sub(cell) / 64) as usize } else { 0 };
        cell += 64 * before as u64;
        for (words, lane) in grid.mask(column).chunks(2).zip((0..).step_by(64)).skip(before) {
            let mut places = words.iter().rev().fold(0, |all, word| all << 32 | u64::from(*word));
            let (mut first, end) = (cell, cell + u64::from(places.count_ones()));
            cell = end;
            if end <= cells.start {
                continue;
            }
            if first >= cells.end {
                break;
            }
            while places != 0 && first < cells.start {
                places &= places - 1;
                first += 1;
            }
            for _ in cells.end.max(first)..end {
                places &= u64::MAX >> 1 >> places.leading_zeros();
            }
            if places != 0 {
                visit(&CellRun { first, count: places.count_ones(), column, lane, places });
            }
        }
    }
}

/// Gives these cells values from `bytes`, as [`packed`] describes.
pub(super) fn write(
    (grid, memory): (&RowGrid, StoredAs),
    columns: &Columns,
    now: &mut [u8],
    ty: Type,
    cells: Range<u64>,
    bytes: &[u8],
) {
    if cells.is_empty() {
        return;
    }
    let all = grid.cells();
    for_each_run(grid, memory, &cells, |run| {
        let given = (run.first - cells.start) as usize;
        let is_dense = memory == StoredAs::Cells || run.places == u64::MAX >> (64 - run.count);
        let places = if is_dense { u64::MAX >> (64 - run.count) } else { run.places };
        // The bytes of each plane, and of a column's values; the place of lane 0 among them.
        let (plane_bytes, block, lane) = match memory {
            StoredAs::Cells => {
                (4 * Columns::packed_words(all) as usize, 0, grid.packed(CellIndex(run.first)).0 as usize)
            }
            StoredAs::Columns => (4 * columns.shape.words, run.column.index() * columns.block, run.lane),
        };
        match columns.planes {
            Planes::Bits(planes) => {
                for plane in 0..usize::from(planes) {
                    let word = match ty {
                        Type::Bit => bits_at(bytes, given, run.count),
                        _ => bits_of_bytes(&bytes[given..given + run.count as usize], plane),
                    };
                    let word = if is_dense { word } else { at_places(word, places) };
                    replace_bits(&mut now[block + plane * plane_bytes..][..plane_bytes], lane, word, places);
                }
            }
            Planes::Number(_) => {
                let mut i = given as u64;
                for (first, length) in stretches(places) {
                    for lane in lane + first as usize..lane + (first + length) as usize {
                        let bits = packed::canonical_bits(ty, packed::bits(ty, bytes, i));
                        columns.put(&mut now[block..], lane, bits);
                        i += 1;
                    }
                }
            }
        }
    });
}

/// The lowest bits of a word at some places, with gaps between.
fn at_places(word: u64, places: u64) -> u64 {
    let (mut all, mut count) = (0, 0);
    for (first, length) in stretches(places) {
        all |= (word >> count & u64::MAX >> (64 - length)) << first;
        count += length;
    }
    all
}

/// Replaces the bits at some places, counted from bit `at` on.
fn replace_bits(out: &mut [u8], at: usize, word: u64, places: u64) {
    let (byte, shift) = (at / 8, at % 8);
    let (mask, word) = (u128::from(places) << shift, u128::from(word) << shift);
    if let Some(out) = out.get_mut(byte..).and_then(|out| out.first_chunk_mut::<16>()) {
        *out = (u128::from_le_bytes(*out) & !mask | word).to_le_bytes();
        return;
    }
    let touched = (128 - mask.leading_zeros()).div_ceil(8) as usize;
    let (mask, word) = (mask.to_le_bytes(), word.to_le_bytes());
    for (i, out) in out[byte..byte + touched].iter_mut().enumerate() {
        *out = *out & !mask[i] | word[i];
    }
}

/// A state whose lanes are the places of rows, or that holds the cells of rows alone.
pub(super) struct RowStates<'a> {
    pub ty: Type,
    pub grid: &'a RowGrid,
    pub memory: StoredAs,
    pub columns: &'a Columns,
    pub now: &'a [u8],
}

impl RowStates<'_> {
    /// The bits of a plane in the cells of a run, the first one's the lowest: the only way in which bits of rows are read and counted.
    fn plane(&self, run: &CellRun, plane: usize) -> u64 {
        if self.memory == StoredAs::Cells {
            let plane = &self.now[plane * 4 * Columns::packed_words(self.grid.cells()) as usize..];
            return bits_at(plane, self.grid.packed(CellIndex(run.first)).0 as usize, run.count);
        }
        let plane_bytes = 4 * self.columns.shape.words;
        let plane = &self.now[run.column.index() * self.columns.block + plane * plane_bytes..][..plane_bytes];
        if run.places == u64::MAX >> (64 - run.count) {
            return bits_at(plane, run.lane, run.count);
        }
        chosen(bits_at(plane, run.lane, 64.min(8 * plane_bytes - run.lane) as u32), run.places)
    }

    /// The numbers of the cells of a run.
    fn numbers<const SIZE: usize>(&self, run: &CellRun, out: &mut [[u8; SIZE]]) {
        if self.memory == StoredAs::Cells {
            let all = self.now.as_chunks::<SIZE>().0;
            out.copy_from_slice(&all[self.grid.packed(CellIndex(run.first)).0 as usize..][..out.len()]);
            return;
        }
        let values = self.now[run.column.index() * self.columns.block..][..self.columns.block].as_chunks::<SIZE>().0;
        let mut out = out.iter_mut();
        for (first, length) in stretches(run.places) {
            let from = run.lane + first as usize;
            values[from..from + length as usize].iter().zip(out.by_ref()).for_each(|(value, out)| *out = *value);
        }
    }

    /// What `fold` makes of the cells of a column, the index of the first and their values, packed.
    fn of_column<T>(&self, column: u32, fold: impl FnOnce(Range<u64>, &[u8]) -> T) -> T {
        let (column, CellIndex(first)) = (Slot(column), self.grid.first_cell(Slot(column)));
        let cells = first..first + self.grid.count(column) as u64;
        let mut bytes = vec![0; packed::bytes(self.ty, cells.end - cells.start) as usize];
        self.read_part(&cells, &mut bytes);
        fold(cells, &bytes)
    }

    /// The digest of the state in the columns that are computed here.
    pub(super) fn digest(&self, owned: Range<u32>) -> u64 {
        let of_column = |column| {
            self.of_column(column, |cells, bytes| {
                let terms = cells.zip(0..).map(|(cell, i)| term(cell, packed::bits(self.ty, bytes, i)));
                terms.fold(0, u64::wrapping_add)
            })
        };
        owned.into_par_iter().map(of_column).reduce(|| 0, u64::wrapping_add)
    }

    /// Whether something holds of the bits of all values of the state in these columns.
    pub(super) fn all(&self, columns: Range<u32>, holds: impl Fn(u64) -> bool + Sync) -> bool {
        let in_column = |column| {
            self.of_column(column, |cells, bytes| {
                (0..cells.end - cells.start).all(|i| holds(packed::bits(self.ty, bytes, i)))
            })
        };
        columns.into_par_iter().all(in_column)
    }

    /// Reads these cells, at least one, into `bytes`, as [`packed`] describes.
    pub(super) fn read(&self, cells: Range<u64>, bytes: &mut [u8]) {
        let Range { start, end } = cells;
        let length = ((end - start) / (4 * rayon::current_num_threads() as u64)).max(FEW);
        // Counted from the first one, parts begin on whole bytes.
        parts(self.ty, 0..end - start, length.next_multiple_of(8), bytes, |part, bytes| {
            self.read_part(&(start + part.start..start + part.end), bytes);
        });
    }

    fn read_part(&self, cells: &Range<u64>, bytes: &mut [u8]) {
        macro_rules! numbers {
            ($size:literal) => {{
                let values = bytes.as_chunks_mut::<$size>().0;
                for_each_run(self.grid, self.memory, cells, |run| {
                    let at = (run.first - cells.start) as usize;
                    self.numbers(run, &mut values[at..at + run.count as usize]);
                });
            }};
        }
        match self.columns.planes {
            Planes::Bits(planes) => {
                bytes.fill(0);
                for_each_run(self.grid, self.memory, cells, |run| {
                    let at = (run.first - cells.start) as usize;
                    for plane in 0..usize::from(planes) {
                        let word = self.plane(run, plane);
                        match self.ty {
                            Type::Bit => or_bits(bytes, at, word, run.count),
                            _ => or_bytes(&mut bytes[at..at + run.count as usize], word, plane),
                        }
                    }
                });
            }
            Planes::Number(ty) => match ty.scalar().bytes() {
                1 => numbers!(1),
                2 => numbers!(2),
                4 => numbers!(4),
                _ => numbers!(8),
            },
        }
    }
}

/// The bits of a word at these places, without the gaps between.
fn chosen(word: u64, places: u64) -> u64 {
    let (mut all, mut count) = (0, 0);
    for (first, length) in stretches(places) {
        all |= (word >> first & u64::MAX >> (64 - length)) << count;
        count += length;
    }
    all
}
