//! Lanes that are no cells, made 0.

use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::Columns;

/// Makes the lanes 0 that are no cells.
pub(super) fn clear(columns: &Columns, mask: &[u32], block: &mut [u8]) {
    match columns.planes {
        Planes::Bits(_) => {
            for plane in block.chunks_exact_mut(4 * columns.shape.words) {
                for (bytes, mask) in plane.as_chunks_mut::<4>().0.iter_mut().zip(mask) {
                    *bytes = (u32::from_le_bytes(*bytes) & mask).to_le_bytes();
                }
            }
        }
        Planes::Number(ty) => match ty.scalar().bytes() {
            1 => clear_numbers::<1>(mask, block),
            2 => clear_numbers::<2>(mask, block),
            4 => clear_numbers::<4>(mask, block),
            _ => clear_numbers::<8>(mask, block),
        },
    }
}

/// The same for numbers of so many bytes: four at a time, whose masks are looked up.
fn clear_numbers<const BYTES: usize>(mask: &[u32], block: &mut [u8]) {
    let kept: [[[u8; BYTES]; 4]; 16] =
        std::array::from_fn(|bits| std::array::from_fn(|lane| [if bits >> lane & 1 == 1 { 0xff } else { 0 }; BYTES]));
    for (lanes, mask) in block.as_chunks_mut::<BYTES>().0.chunks_mut(32).zip(mask) {
        if *mask == u32::MAX {
            continue;
        }
        for (number, four) in lanes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let kept = &kept[(mask >> (4 * number) & 15) as usize];
            four.iter_mut().zip(kept).for_each(|(value, kept)| {
                value.iter_mut().zip(kept).for_each(|(byte, kept)| *byte &= kept);
            });
        }
    }
}
