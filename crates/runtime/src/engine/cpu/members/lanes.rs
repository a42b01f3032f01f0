//! One lane of columns: the states of a member, in canonical order. Column c holds the member's cell c.

use crate::state::packed;
use squeeze_compiler::ir::Type;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::numbers::digest;

/// Gives a lane these values, packed as [`packed`] says.
pub(super) fn scatter(columns: &Columns, lane: usize, ty: Type, bytes: &[u8], now: &mut [u8]) {
    for (column, c) in now.chunks_exact_mut(columns.column).zip(0..) {
        let bits = packed::bits(ty, bytes, c);
        match columns.planes {
            Planes::Bits(planes) => {
                for plane in 0..usize::from(planes) {
                    let byte = &mut column[plane * 4 * columns.shape.words + lane / 8];
                    *byte = *byte & !(1 << (lane % 8)) | ((bits >> plane & 1) as u8) << (lane % 8);
                }
            }
            Planes::Number(number) => {
                let size = number.scalar().bytes() as usize;
                column[lane * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
    }
}

/// Packs the values of a lane into bytes that are 0.
pub(super) fn gather(columns: &Columns, lane: usize, ty: Type, now: &[u8], bytes: &mut [u8]) {
    for (column, c) in now.chunks_exact(columns.column).zip(0..) {
        packed::replace(ty, bytes, c, columns.bits(column, lane));
    }
}

/// The digest of a lane.
pub(super) fn digest_of(columns: &Columns, lane: usize, now: &[u8]) -> u64 {
    let terms = now.chunks_exact(columns.column).zip(0..);
    terms.fold(0, |sum, (column, c)| sum.wrapping_add(digest::term(c, columns.bits(column, lane))))
}
