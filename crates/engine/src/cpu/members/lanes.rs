//! One lane of columns: the states of a member, in canonical order. Column c holds the member's cell c.

use crate::packed;
use crate::states::Field;
use squeeze_compiler::numbers::digest::term;
use std::ops::Range;

/// The bits of a lane's value in a cell.
pub(super) fn bits(Field { columns, now, .. }: &Field, lane: usize, c: u64) -> u64 {
    columns.bits(&now.as_slice()[c as usize * columns.column..][..columns.column], lane)
}

/// Gives a lane these values in these cells, packed as [`packed`] says.
pub(super) fn scatter(field: &mut Field, lane: usize, cells: Range<u64>, bytes: &[u8]) {
    let Field { ty, columns, now, .. } = field;
    let first = &mut now.as_mut_slice()[cells.start as usize * columns.column..];
    for (column, i) in first.chunks_exact_mut(columns.column).zip(0..cells.end - cells.start) {
        columns.put(column, lane, packed::canonical_bits(*ty, packed::bits(*ty, bytes, i)));
    }
}

/// The digest of a lane.
pub(super) fn digest_of(field: &Field, lane: usize) -> u64 {
    let columns = field.now.as_slice().chunks_exact(field.columns.column).zip(0..);
    columns.fold(0, |sum, (column, c)| sum.wrapping_add(term(c, field.columns.bits(column, lane))))
}
