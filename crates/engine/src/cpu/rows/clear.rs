//! Lanes that are no cells, made 0.

use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::Columns;

/// Makes the lanes 0 that are no cells.
pub(crate) fn clear(columns: &Columns, mask: &[u32], block: &mut [u8]) {
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
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the feature was just detected.
            4 if is_x86_feature_detected!("avx2") => unsafe { clear_with_avx2(mask, block) },
            4 => clear_numbers::<4>(mask, block),
            _ => clear_numbers::<8>(mask, block),
        },
    }
}

/// The same for numbers of `BYTES` bytes: four at a time, whose masks are looked up.
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

/// The same for numbers of four bytes, eight at a time. (Compilers make masked stores of plain loops, which some processors are slow at.)
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn clear_with_avx2(mask: &[u32], block: &mut [u8]) {
    use std::arch::x86_64::*;
    for (word, mask) in block.as_chunks_mut::<128>().0.iter_mut().zip(mask) {
        for (number, eight) in word.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let here = _mm256_set1_epi32((mask >> (8 * number)) as i32);
            let kept = _mm256_cmpeq_epi32(_mm256_and_si256(here, bits), bits);
            let place = eight.as_mut_ptr().cast::<__m256i>();
            // SAFETY: these are 32 bytes.
            unsafe { _mm256_storeu_si256(place, _mm256_and_si256(_mm256_loadu_si256(place), kept)) };
        }
    }
}
