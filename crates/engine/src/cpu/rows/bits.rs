//! Bits of masks and of states, moved between words.

use crate::cpu::vectors::with_vectors;

/// 32 bits.
pub(crate) trait Word: Copy {
    fn get(self) -> u32;
    fn set(&mut self, word: u32);
}

impl Word for u32 {
    fn get(self) -> u32 {
        self
    }

    fn set(&mut self, word: u32) {
        *self = word;
    }
}

/// As states hold them.
impl Word for [u8; 4] {
    fn get(self) -> u32 {
        u32::from_le_bytes(self)
    }

    fn set(&mut self, word: u32) {
        *self = word.to_le_bytes();
    }
}

/// The set bits of a word.
pub(crate) fn lanes_of(word: u32) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
    rest.take_while(|word| *word != 0).map(|word| word.trailing_zeros() as usize)
}

/// Copies bits between words: `length` of them, from bit `from` on to bit `to` on, where the result has zeros.
pub(crate) fn copy_bits<W: Word>(source: &[W], from: usize, result: &mut [W], to: usize, length: usize) {
    // Up to a whole word of the result, then whole words, and the rest.
    let first = (to.next_multiple_of(32) - to).min(length);
    copy_part(source, from, result, to, first);
    let (from, to, length) = (from + first, to + first, length - first);
    let words = length / 32;
    copy_words(&source[from / 32..], (from % 32) as u32, &mut result[to / 32..][..words]);
    copy_part(source, from + 32 * words, result, to + 32 * words, length - 32 * words);
}

/// Words that begin at some bit of the first word of others.
fn copy_words<W: Word>(source: &[W], bit: u32, result: &mut [W]) {
    if bit == 0 {
        result.iter_mut().zip(source).for_each(|(result, source)| result.set(source.get()));
        return;
    }
    shift(source, bit, result);
}

with_vectors! {
    /// The same of a bit that is not the first one.
    fn shift<W: Word> = shift_each(source: &[W], bit: u32, result: &mut [W])
}

#[inline(always)]
fn shift_each<W: Word>(source: &[W], bit: u32, result: &mut [W]) {
    for ((result, low), high) in result.iter_mut().zip(source).zip(source.iter().skip(1)) {
        result.set(low.get() >> bit | high.get() << (32 - bit));
    }
}

/// The same of fewer bits than a word has, within one word of the result.
fn copy_part<W: Word>(source: &[W], from: usize, result: &mut [W], to: usize, length: usize) {
    if length == 0 {
        return;
    }
    let low = u64::from(source[from / 32].get());
    let high = source.get(from / 32 + 1).map_or(0, |word| u64::from(word.get()));
    let word = ((low | high << 32) >> (from % 32)) as u32 & u32::MAX >> (32 - length);
    let before = result[to / 32].get();
    result[to / 32].set(before | word << (to % 32));
}

/// The bits of a word where a mask has ones, moved to its low end.
#[inline]
pub(super) fn extract(bits: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") {
        // SAFETY: the instruction was just found.
        return unsafe { x86::extract(bits, mask) };
    }
    extract_in_rounds(bits, mask)
}

/// The low bits of a word, moved to where a mask has ones.
#[inline]
pub(super) fn deposit(bits: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") {
        // SAFETY: the instruction was just found.
        return unsafe { x86::deposit(bits, mask) };
    }
    deposit_in_rounds(bits, mask)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{_pdep_u32, _pext_u32};

    /// # Safety
    /// The processor has BMI2.
    #[target_feature(enable = "bmi2")]
    pub(super) unsafe fn extract(bits: u32, mask: u32) -> u32 {
        _pext_u32(bits, mask)
    }

    /// # Safety
    /// The processor has BMI2.
    #[target_feature(enable = "bmi2")]
    pub(crate) unsafe fn deposit(bits: u32, mask: u32) -> u32 {
        _pdep_u32(bits, mask)
    }
}

/// [`extract`] for processors without an instruction for it: Hacker's Delight 7-4, in five rounds.
fn extract_in_rounds(bits: u32, mask: u32) -> u32 {
    let (mut bits, mut mask) = (bits & mask, mask);
    let mut holes = !mask << 1;
    for round in 0..5 {
        let odd = prefix(holes);
        let moved = odd & mask;
        mask = (mask ^ moved) | moved >> (1 << round);
        let part = bits & moved;
        bits = (bits ^ part) | part >> (1 << round);
        holes &= !odd;
    }
    bits
}

/// [`deposit`] for such processors: the rounds of [`extract_in_rounds`] backwards.
fn deposit_in_rounds(bits: u32, mask: u32) -> u32 {
    let (mut moves, mut left, mut holes) = ([0; 5], mask, !mask << 1);
    for (round, moved) in moves.iter_mut().enumerate() {
        let odd = prefix(holes);
        *moved = odd & left;
        left = (left ^ *moved) | *moved >> (1 << round);
        holes &= !odd;
    }
    let bits = moves.iter().enumerate().rev().fold(bits, |bits, (round, moved)| {
        let up = bits << (1 << round);
        (bits & !moved) | (up & moved)
    });
    bits & mask
}

/// For each bit, whether an odd number of the bits up to it are ones.
fn prefix(bits: u32) -> u32 {
    [1, 2, 4, 8, 16].into_iter().fold(bits, |bits, by| bits ^ bits << by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::numbers::digest::mix;

    #[test]
    fn bits_are_moved_as_their_definition_says() {
        for number in 0..3000u64 {
            let bits = mix(number) as u32;
            let mask = match number % 50 {
                0 => 0,
                1 => u32::MAX,
                _ => mix(number ^ 1 << 40) as u32,
            };
            let places: Vec<usize> = lanes_of(mask).collect();
            let extracted = places.iter().enumerate().fold(0, |word, (to, from)| word | (bits >> from & 1) << to);
            let deposited = places.iter().enumerate().fold(0, |word, (from, to)| word | (bits >> from & 1) << to);
            assert_eq!([extract(bits, mask), extract_in_rounds(bits, mask)], [extracted; 2], "{bits:x} {mask:x}");
            assert_eq!([deposit(bits, mask), deposit_in_rounds(bits, mask)], [deposited; 2], "{bits:x} {mask:x}");
        }
    }
}
