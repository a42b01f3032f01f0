//! Bits of all cells between canonical order and words along rows.

use crate::packed::stretches;
use crate::states::transfer::{bits_at, or_bits};
use squeeze_compiler::layout::row_words::RowWords;
use std::ops::Range;

/// Ways to take bits out of a word and to put them in.
trait RowMoves {
    /// The bits at the ones of a mask, side by side.
    fn extract(bits: u64, mask: u64) -> u64;

    /// The lowest bits at the ones of a mask.
    fn deposit(bits: u64, mask: u64) -> u64;
}

/// For all processors.
struct InTurn;

impl RowMoves for InTurn {
    fn extract(bits: u64, mask: u64) -> u64 {
        let (mut all, mut count) = (0, 0);
        for (first, length) in stretches(mask) {
            all |= (bits >> first & u64::MAX >> (64 - length)) << count;
            count += length;
        }
        all
    }

    fn deposit(bits: u64, mask: u64) -> u64 {
        let (mut all, mut count) = (0, 0);
        for (first, length) in stretches(mask) {
            all |= (bits >> count & u64::MAX >> (64 - length)) << first;
            count += length;
        }
        all
    }
}

/// By instructions.
#[cfg(target_arch = "x86_64")]
struct Bmi2;

#[cfg(target_arch = "x86_64")]
impl RowMoves for Bmi2 {
    #[inline(always)]
    fn extract(bits: u64, mask: u64) -> u64 {
        // SAFETY: whoever chooses this way has found the instruction.
        unsafe { std::arch::x86_64::_pext_u64(bits, mask) }
    }

    #[inline(always)]
    fn deposit(bits: u64, mask: u64) -> u64 {
        // SAFETY: whoever chooses this way has found the instruction.
        unsafe { std::arch::x86_64::_pdep_u64(bits, mask) }
    }
}

/// The words of a stretch from the bits of all cells, packed in canonical order.
pub(super) fn gather(words: &RowWords, stretch: &Range<usize>, bytes: &[u8], out: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") {
        /// # Safety
        /// The processor has BMI2.
        #[target_feature(enable = "bmi2")]
        unsafe fn by_instructions(words: &RowWords, stretch: &Range<usize>, bytes: &[u8], out: &mut [u64]) {
            gather_by::<Bmi2>(words, stretch, bytes, out);
        }
        // SAFETY: the instruction was just found.
        return unsafe { by_instructions(words, stretch, bytes, out) };
    }
    gather_by::<InTurn>(words, stretch, bytes, out);
}

#[inline(always)]
fn gather_by<M: RowMoves>(words: &RowWords, stretch: &Range<usize>, bytes: &[u8], out: &mut [u64]) {
    let mut out = out.iter_mut();
    for (block, range) in words.by_block(stretch.clone()) {
        let first = words.first_cell(block) as usize;
        for (number, out) in range.zip(&mut out) {
            *out = words.moves(number).iter().fold(0, |word, of| {
                word | M::deposit(M::extract(bits_at(bytes, first + of.at as usize, of.length), of.cells), of.places)
            });
        }
    }
}

/// The bits of the cells of a stretch, packed in canonical order from the cell `first` on, from its words; `out` has zeros.
pub(super) fn scatter(words: &RowWords, stretch: &Range<usize>, bits: &[u64], first: u64, out: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") {
        /// # Safety
        /// The processor has BMI2.
        #[target_feature(enable = "bmi2")]
        unsafe fn by_instructions(words: &RowWords, stretch: &Range<usize>, bits: &[u64], first: u64, out: &mut [u8]) {
            scatter_by::<Bmi2>(words, stretch, bits, first, out);
        }
        // SAFETY: the instruction was just found.
        return unsafe { by_instructions(words, stretch, bits, first, out) };
    }
    scatter_by::<InTurn>(words, stretch, bits, first, out);
}

#[inline(always)]
fn scatter_by<M: RowMoves>(words: &RowWords, stretch: &Range<usize>, bits: &[u64], first: u64, out: &mut [u8]) {
    let mut bits = bits.iter();
    for (block, range) in words.by_block(stretch.clone()) {
        for (number, bits) in range.zip(&mut bits) {
            for of in words.moves(number) {
                let moved = M::deposit(M::extract(*bits, of.places), of.cells);
                or_bits(out, (words.first_cell(block) + u64::from(of.at) - first) as usize, moved, of.length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_moved_in_turn_as_by_instructions() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for _ in 0..1000 {
            let (bits, mask) = (next(), next() & next());
            let there: Vec<u32> = (0..64).filter(|i| mask >> i & 1 == 1).collect();
            let out = there.iter().zip(0..).fold(0, |all, (from, to)| all | (bits >> from & 1) << to);
            let into = there.iter().zip(0..).fold(0, |all, (to, from)| all | (bits >> from & 1) << to);
            assert_eq!((InTurn::extract(bits, mask), InTurn::deposit(bits, mask)), (out, into));
        }
    }
}
