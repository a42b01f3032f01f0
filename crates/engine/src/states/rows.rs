//! States whose lanes are the places of rows, or that hold the cells of rows alone.

use crate::packed;
use rayon::prelude::*;
use squeeze_compiler::ir::Type;
use squeeze_compiler::layout::StoredAs;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::{CellIndex, Lane, Slot};
use squeeze_compiler::numbers::digest::term;
use std::ops::Range;

/// A function that gives the bits of a cell by its column, its lane and its index.
pub(super) fn reader(
    grid: &RowGrid,
    memory: StoredAs,
    columns: &Columns,
    now: &[u8],
) -> impl Fn(Slot, Lane, CellIndex) -> u64 + Sync {
    let cells = grid.cells();
    move |column, lane, cell| match memory {
        StoredAs::Cells => columns.packed_bits(now, cells, grid.packed(cell)),
        StoredAs::Columns => columns.bits(&now[column.index() * columns.block..][..columns.block], lane.0 as usize),
    }
}

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

/// The digest of a state.
pub(super) fn digest((grid, owned): (&RowGrid, Range<u32>), bits: impl Fn(Slot, Lane, CellIndex) -> u64 + Sync) -> u64 {
    let of_column = |column: u32| {
        let column = Slot(column);
        let terms = cells_of(grid, column).map(|(lane, cell)| term(cell.0, bits(column, lane, cell)));
        terms.fold(0, u64::wrapping_add)
    };
    owned.into_par_iter().map(of_column).reduce(|| 0, u64::wrapping_add)
}

/// Whether something holds of the bits of all values of a state.
pub(super) fn all(
    grid: &RowGrid,
    bits: impl Fn(Slot, Lane, CellIndex) -> u64 + Sync,
    holds: impl Fn(u64) -> bool + Sync,
) -> bool {
    let in_column = |slot: Slot| cells_of(grid, slot).all(|(lane, cell)| holds(bits(slot, lane, cell)));
    (0..grid.columns() as u32).into_par_iter().map(Slot).all(in_column)
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

/// Reads these cells, at least one, into `bytes`, as [`packed`] describes.
pub(super) fn read(
    grid: &RowGrid,
    bits: impl Fn(Slot, Lane, CellIndex) -> u64,
    ty: Type,
    cells: Range<u64>,
    bytes: &mut [u8],
) {
    bytes.fill(0);
    for_each(grid, &cells, |column, lane, cell| {
        packed::put(ty, bytes, cell.0 - cells.start, bits(column, lane, cell));
    });
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
