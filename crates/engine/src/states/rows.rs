//! States whose lanes are the places of rows, or that hold the cells of rows alone.

use super::transfer::{FEW, bits_at, or_bits, or_bytes, parts};
use crate::packed;
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

/// Calls `visit` with the column, the lane and the index of each of these cells, at least one.
fn for_each(grid: &RowGrid, cells: &Range<u64>, mut visit: impl FnMut(Slot, Lane, CellIndex)) {
    let column_of = |cell: u64| grid.column_of(CellIndex(cell)).0;
    for column in (column_of(cells.start)..=column_of(cells.end - 1)).map(Slot) {
        cells_of(grid, column)
            .filter(|(_, cell)| cells.contains(&cell.0))
            .for_each(|(lane, cell)| visit(column, lane, cell));
    }
}

/// Gives these cells values from `bytes`, as [`packed`] describes.
pub(super) fn write(grid: &RowGrid, columns: &Columns, now: &mut [u8], ty: Type, cells: Range<u64>, bytes: &[u8]) {
    if cells.is_empty() {
        return;
    }
    for_each(grid, &cells, |column, lane, cell| {
        let bits = packed::canonical_bits(ty, packed::bits(ty, bytes, cell.0 - cells.start));
        columns.put(&mut now[column.index() * columns.block..][..columns.block], lane.0 as usize, bits);
    });
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

/// A state whose lanes are the places of rows, or that holds the cells of rows alone.
pub(super) struct RowStates<'a> {
    pub grid: &'a RowGrid,
    pub memory: StoredAs,
    pub columns: &'a Columns,
    pub now: &'a [u8],
}

impl RowStates<'_> {
    /// Calls `visit` with runs that together are these cells, at least one.
    fn for_each_run(&self, cells: &Range<u64>, mut visit: impl FnMut(&CellRun)) {
        let grid = self.grid;
        if self.memory == StoredAs::Cells {
            for first in cells.clone().step_by(64) {
                let count = (cells.end - first).min(64) as u32;
                visit(&CellRun { first, count, column: Slot(0), lane: 0, places: u64::MAX });
            }
            return;
        }
        let column_of = |cell: u64| grid.column_of(CellIndex(cell)).0;
        for column in (column_of(cells.start)..=column_of(cells.end - 1)).map(Slot) {
            let CellIndex(mut cell) = grid.first_cell(column);
            for (words, lane) in grid.mask(column).chunks(2).zip((0..).step_by(64)) {
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

    /// The bits of a plane in the cells of a run, the first one's the lowest: the only way in which bits of rows are read and counted.
    fn plane(&self, run: &CellRun, plane: usize) -> u64 {
        if self.memory == StoredAs::Cells {
            let plane = &self.now[plane * 4 * Columns::packed_words(self.grid.cells()) as usize..];
            return bits_at(plane, self.grid.packed(CellIndex(run.first)).0 as usize, run.count);
        }
        let plane_bytes = 4 * self.columns.shape.words;
        let plane = &self.now[run.column.index() * self.columns.block + plane * plane_bytes..][..plane_bytes];
        let mut word = [0; 8];
        let bytes = &plane[run.lane / 8..(run.lane / 8 + 8).min(plane_bytes)];
        word[..bytes.len()].copy_from_slice(bytes);
        chosen(u64::from_le_bytes(word), run.places)
    }

    /// The numbers of the cells of a run.
    fn numbers<const SIZE: usize>(&self, run: &CellRun, out: &mut [[u8; SIZE]]) {
        if self.memory == StoredAs::Cells {
            let all = self.now.as_chunks::<SIZE>().0;
            out.copy_from_slice(&all[self.grid.packed(CellIndex(run.first)).0 as usize..][..out.len()]);
            return;
        }
        let values = self.now[run.column.index() * self.columns.block..][..self.columns.block].as_chunks::<SIZE>().0;
        let (mut rest, mut at) = (run.places, 0);
        while rest != 0 {
            let (first, length) = first_ones(rest);
            let from = run.lane + first as usize;
            out[at..at + length as usize].copy_from_slice(&values[from..from + length as usize]);
            rest &= !(u64::MAX >> (64 - length) << first);
            at += length as usize;
        }
    }

    /// The [bits](squeeze_compiler::ir::Value::bits) of the values of a run.
    fn values(&self, run: &CellRun, values: &mut [u64; 64]) {
        let count = run.count as usize;
        macro_rules! numbers {
            ($ty:ty, $size:literal) => {{
                let mut bytes = [[0; $size]; 64];
                self.numbers(run, &mut bytes[..count]);
                values.iter_mut().zip(bytes).for_each(|(value, bytes)| *value = <$ty>::from_le_bytes(bytes).into());
            }};
        }
        match self.columns.planes {
            Planes::Bits(planes) => {
                values[..count].fill(0);
                for plane in 0..usize::from(planes) {
                    let bits = self.plane(run, plane);
                    values.iter_mut().enumerate().for_each(|(i, value)| *value |= (bits >> i & 1) << plane);
                }
            }
            Planes::Number(ty) => match ty.scalar().bytes() {
                1 => numbers!(u8, 1),
                2 => numbers!(u16, 2),
                4 => numbers!(u32, 4),
                _ => numbers!(u64, 8),
            },
        }
    }

    /// The cells of some columns.
    fn cells_of(&self, columns: Range<u32>) -> Range<u64> {
        self.grid.first_cell(Slot(columns.start)).0..self.grid.first_cell(Slot(columns.end)).0
    }

    /// The digest of the state in the columns that are computed here.
    pub(super) fn digest(&self, owned: Range<u32>) -> u64 {
        let of_column = |column: u32| {
            let (mut sum, mut values) = (0u64, [0; 64]);
            self.for_each_run(&self.cells_of(column..column + 1), |run| {
                self.values(run, &mut values);
                let terms =
                    values.iter().zip(run.first..).take(run.count as usize).map(|(bits, cell)| term(cell, *bits));
                sum = terms.fold(sum, u64::wrapping_add);
            });
            sum
        };
        owned.into_par_iter().map(of_column).reduce(|| 0, u64::wrapping_add)
    }

    /// Whether something holds of the bits of all values of the state.
    pub(super) fn all(&self, holds: impl Fn(u64) -> bool + Sync) -> bool {
        let in_column = |column: u32| {
            let (mut all, mut values) = (true, [0; 64]);
            self.for_each_run(&self.cells_of(column..column + 1), |run| {
                self.values(run, &mut values);
                all &= values[..run.count as usize].iter().all(|bits| holds(*bits));
            });
            all
        };
        (0..self.grid.columns() as u32).into_par_iter().all(in_column)
    }

    /// Reads these cells, at least one, into `bytes`, as [`packed`] describes.
    pub(super) fn read(&self, ty: Type, cells: Range<u64>, bytes: &mut [u8]) {
        let length = ((cells.end - cells.start) / (4 * rayon::current_num_threads() as u64)).max(FEW);
        parts(ty, cells, length.next_multiple_of(8), bytes, |cells, bytes| self.read_part(ty, &cells, bytes));
    }

    fn read_part(&self, ty: Type, cells: &Range<u64>, bytes: &mut [u8]) {
        macro_rules! numbers {
            ($size:literal) => {{
                let values = bytes.as_chunks_mut::<$size>().0;
                self.for_each_run(cells, |run| {
                    let at = (run.first - cells.start) as usize;
                    self.numbers(run, &mut values[at..at + run.count as usize]);
                });
            }};
        }
        match self.columns.planes {
            Planes::Bits(planes) => {
                bytes.fill(0);
                self.for_each_run(cells, |run| {
                    let at = (run.first - cells.start) as usize;
                    for plane in 0..usize::from(planes) {
                        let word = self.plane(run, plane);
                        match ty {
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

/// The first bit that is set, of a word that has one, and how many are set from there on without a gap.
fn first_ones(word: u64) -> (u32, u32) {
    let first = word.trailing_zeros();
    (first, (word >> first).trailing_ones())
}

/// The bits of a word at these places, without the gaps between.
fn chosen(word: u64, places: u64) -> u64 {
    let (mut rest, mut all, mut count) = (places, 0, 0);
    while rest != 0 {
        let (first, length) = first_ones(rest);
        let ones = u64::MAX >> (64 - length);
        all |= (word >> first & ones) << count;
        rest &= !(ones << first);
        count += length;
    }
    all
}
