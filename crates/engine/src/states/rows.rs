//! States whose lanes are the places of rows, or that hold the cells of rows alone.

use crate::packed;
use crate::sample::Sample;
use rayon::prelude::*;
use squeeze_compiler::ir::{Type, Value};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::numbers::digest::term;
use std::ops::Range;

/// What gives the bits of a cell by its column, its lane and its index.
pub(super) fn reader(
    grid: &RowGrid,
    packed: bool,
    columns: &Columns,
    now: &[u8],
) -> impl Fn(usize, usize, u64) -> u64 + Sync {
    let cells = grid.cells();
    move |column, lane, cell| match packed {
        true => columns.packed_bits(now, cells, cell),
        false => columns.bits(&now[column * columns.block..][..columns.block], lane),
    }
}

/// The digest of a state.
pub(super) fn digest(grid: &RowGrid, bits: impl Fn(usize, usize, u64) -> u64 + Sync) -> u64 {
    let of_column = |column: usize| {
        let cells = grid.lanes(column).zip(grid.first_cell(column)..);
        cells.fold(0u64, |sum, (lane, cell)| sum.wrapping_add(term(cell, bits(column, lane, cell))))
    };
    (0..grid.columns()).into_par_iter().map(of_column).reduce(|| 0, u64::wrapping_add)
}

/// What `sample` makes of each cell, or of all together where blocks are of level 1.
pub(super) fn block_sums(
    grid: &RowGrid,
    bits: impl Fn(usize, usize, u64) -> u64,
    ty: Type,
    mu: u32,
    sample: Sample<'_>,
) -> Vec<[f64; 3]> {
    let bits = &bits;
    let of_column = |column: usize| {
        let value = move |(lane, cell)| sample.of(Value::from_bits(ty, bits(column, lane, cell)).as_f64());
        grid.lanes(column).zip(grid.first_cell(column)..).map(value).collect::<Vec<_>>()
    };
    let cells = (0..grid.columns()).flat_map(of_column);
    if mu == 0 {
        return cells.collect();
    }
    vec![cells.fold([0.0; 3], |total, part| std::array::from_fn(|i| total[i] + part[i]))]
}

/// The columns of these cells, at least one.
fn columns_of(grid: &RowGrid, cells: &Range<u64>) -> std::ops::RangeInclusive<usize> {
    grid.column_of(cells.start)..=grid.column_of(cells.end - 1)
}

/// Reads these cells, at least one, into `bytes`, as [`packed`] describes.
pub(super) fn read(
    grid: &RowGrid,
    bits: impl Fn(usize, usize, u64) -> u64,
    ty: Type,
    cells: Range<u64>,
    bytes: &mut [u8],
) {
    bytes.fill(0);
    for column in columns_of(grid, &cells) {
        for (lane, cell) in grid.lanes(column).zip(grid.first_cell(column)..) {
            if cells.contains(&cell) {
                packed::put(ty, bytes, cell - cells.start, bits(column, lane, cell));
            }
        }
    }
}

/// Gives these cells values from `bytes`, as [`packed`] describes.
pub(super) fn write(grid: &RowGrid, columns: &Columns, now: &mut [u8], ty: Type, cells: Range<u64>, bytes: &[u8]) {
    if cells.is_empty() {
        return;
    }
    for column in columns_of(grid, &cells) {
        let block = &mut now[column * columns.block..][..columns.block];
        for (lane, cell) in grid.lanes(column).zip(grid.first_cell(column)..) {
            if cells.contains(&cell) {
                let bits = packed::bits(ty, bytes, cell - cells.start);
                columns.put(block, lane, packed::canonical_bits(ty, bits));
            }
        }
    }
}
