//! Integer terms of all cells of a column together, by the instructions that the processor has.

use crate::cpu::vectors::with_vectors;
use squeeze_compiler::ir::{Combine, Type, Value};
use squeeze_compiler::kernel::{LaneType, Planes};
use squeeze_compiler::layout::columns::Columns;

/// Combines the integer terms of a block, of type `ty`, over the lanes whose bits are set in `lanes`, one word for every 32 lanes of a column.
pub(crate) fn combined((kind, ty): (Combine, Type), columns: &Columns, block: &[u8], lanes: &[u32]) -> i64 {
    let of_block = block.chunks_exact(columns.column);
    match (kind, columns.planes) {
        (Combine::Sum | Combine::Count, Planes::Bits(1)) => ones(block, lanes) as i64,
        (_, Planes::Number(LaneType::I32)) => kind.exact_of(of_block.map(|column| fold_i32(kind, column, lanes))),
        _ => {
            let mut so_far = kind.nothing();
            for column in of_block {
                columns.for_each(column, |lane, bits| {
                    if lanes[lane / 32] >> (lane % 32) & 1 == 1 {
                        so_far = kind.exact(so_far, integer(ty, bits));
                    }
                });
            }
            so_far
        }
    }
}

/// The number of an integer of this type with these [`Value::bits`].
pub(crate) fn integer(ty: Type, bits: u64) -> i64 {
    match Value::from_bits(ty, bits) {
        Value::I32(v) => i64::from(v),
        _ => bits as i64,
    }
}

with_vectors! {
    for ["avx512f" "avx512vpopcntdq"] ["popcnt"]
    /// The ones of all columns of bits of a block, in the lanes of a set.
    fn ones = ones_by_vectors(block: &[u8], lanes: &[u32]) -> u64
}

/// Counts eight words of 64 bits at a time. Columns follow each other without a gap: the lanes that a vector's words hold repeat after `period` vectors.
#[inline(always)]
fn ones_by_vectors(block: &[u8], lanes: &[u32]) -> u64 {
    /// Words of 32 bits in a vector.
    const WORDS: usize = 16;
    /// The most vectors after which columns begin anew; longer columns are counted word by word.
    const MOST: usize = 32;
    if lanes.is_empty() {
        return 0;
    }
    let mut period = lanes.len();
    while period.is_multiple_of(2) && lanes.len() / period < WORDS {
        period /= 2;
    }
    if period > MOST || block.len() < 64 * period {
        return block.chunks_exact(4 * lanes.len()).map(|column| ones_of_words(column, lanes)).sum();
    }
    // Several periods stand side by side in the masks: a loop over a period of one vector would do little else than begin.
    let used = MOST / period * period;
    let mut masks = [[0u64; WORDS / 2]; MOST];
    let mut words = lanes.iter().cycle();
    for mask in masks[..used].as_flattened_mut() {
        let mut next = || u64::from(*words.next().expect("a cycle has no end"));
        *mask = next() | next() << 32;
    }
    let (vectors, rest) = block.as_chunks::<64>();
    let mut counts = [0u64; WORDS / 2];
    for vectors in vectors.chunks(used) {
        for (vector, mask) in vectors.iter().zip(&masks[..used]) {
            for (count, (bytes, mask)) in counts.iter_mut().zip(vector.as_chunks::<8>().0.iter().zip(mask)) {
                *count += u64::from((u64::from_le_bytes(*bytes) & mask).count_ones());
            }
        }
    }
    let behind = rest.as_chunks::<4>().0.iter().zip(lanes.iter().cycle().skip(WORDS * vectors.len() % lanes.len()));
    let behind = behind.map(|(bytes, lanes)| u64::from((u32::from_le_bytes(*bytes) & lanes).count_ones()));
    counts.iter().sum::<u64>() + behind.sum::<u64>()
}

#[inline(always)]
fn ones_of_words(column: &[u8], lanes: &[u32]) -> u64 {
    let ((words, last), (masks, last_mask)) = (column.as_chunks::<8>(), lanes.as_chunks::<2>());
    let mask = |mask: &[u32; 2]| u64::from(mask[1]) << 32 | u64::from(mask[0]);
    let pairs = words.iter().zip(masks).map(|(word, pair)| (u64::from_le_bytes(*word) & mask(pair)).count_ones());
    let last =
        last.first_chunk().zip(last_mask.first()).map(|(word, mask)| (u32::from_le_bytes(*word) & mask).count_ones());
    u64::from(pairs.chain(last).sum::<u32>())
}

with_vectors! {
    /// Combines a column of i32 over the lanes whose bits are set.
    fn fold_i32 = fold_i32_each(kind: Combine, column: &[u8], lanes: &[u32]) -> i64
}

#[inline(always)]
fn fold_i32_each(kind: Combine, column: &[u8], lanes: &[u32]) -> i64 {
    match kind {
        Combine::Sum | Combine::Count => combine_i32(column, lanes, 0, 0, |a, b| a + b),
        Combine::Min => combine_i32(column, lanes, i64::MAX, i32::MAX, i64::min),
        Combine::Max => combine_i32(column, lanes, i64::MIN, i32::MIN, i64::max),
    }
}

/// A column's terms from `start` on. Lanes whose bits are not set take part as `nothing`, a term that changes no result.
#[inline(always)]
fn combine_i32(column: &[u8], lanes: &[u32], start: i64, nothing: i32, combine: impl Fn(i64, i64) -> i64) -> i64 {
    let mut so_far = start;
    for (terms, lanes) in column.as_chunks::<4>().0.chunks(32).zip(lanes) {
        if *lanes == u32::MAX {
            for bytes in terms {
                so_far = combine(so_far, i64::from(i32::from_le_bytes(*bytes)));
            }
        } else {
            for (lane, bytes) in terms.iter().enumerate() {
                let term = if lanes >> lane & 1 == 1 { i32::from_le_bytes(*bytes) } else { nothing };
                so_far = combine(so_far, i64::from(term));
            }
        }
    }
    so_far
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::layout::columns::Shape;

    const KINDS: [Combine; 3] = [Combine::Sum, Combine::Min, Combine::Max];

    fn number(index: usize) -> f64 {
        squeeze_compiler::numbers::digest::mix(index as u64) as i64 as f64 * 1e-3
    }

    #[test]
    fn ones_are_counted_in_the_lanes_that_are_asked_for() {
        for words in [0, 1, 2, 3, 4, 5, 8, 16, 23, 24, 32, 40, 205] {
            for columns in [1, 3, 8, 81] {
                let random = |i: usize| squeeze_compiler::numbers::digest::mix(i as u64) as u32;
                let block: Vec<u32> = (0..columns * words).map(random).collect();
                let bytes: Vec<u8> = block.iter().flat_map(|word| word.to_le_bytes()).collect();
                for last in [u32::MAX, 0x7_ffff] {
                    for holes in [false, true] {
                        let mut lanes: Vec<u32> =
                            (0..words).map(|i| if holes { random(7777 + i) } else { u32::MAX }).collect();
                        if let Some(word) = lanes.last_mut() {
                            *word &= last;
                        }
                        let expected: u32 = block
                            .iter()
                            .zip(lanes.iter().cycle())
                            .map(|(word, lanes)| (word & lanes).count_ones())
                            .sum();
                        let found = [ones(&bytes, &lanes), ones_by_vectors(&bytes, &lanes)];
                        assert_eq!(found, [u64::from(expected); 2], "{words} words, {columns} columns");
                    }
                }
            }
        }
    }

    #[test]
    fn integers_are_those_of_the_set() {
        let sets = [[u32::MAX, u32::MAX, 0x1ff], [0x8000_0001, 0, 0x100], [5, u32::MAX, 0]];
        let bits = Columns::new(Planes::Bits(1), Shape::of_lanes(73), 2);
        let words: Vec<u32> = (0..6).map(|word| number(word).to_bits() as u32 | 0xffff_0000).collect();
        let block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let numbers = Columns::new(Planes::Number(LaneType::I32), Shape::of_lanes(73), 2);
        let terms: Vec<i32> = (0..160).map(|index| number(index) as i32).collect();
        let bytes: Vec<u8> = terms.iter().flat_map(|term| term.to_le_bytes()).collect();
        for set in sets {
            let in_set = |lane: usize| set[lane / 32] >> (lane % 32) & 1 == 1;
            let lanes: Vec<usize> = (0..73).filter(|lane| in_set(*lane)).collect();
            let expected: i64 = (0..2)
                .flat_map(|c| lanes.iter().map(move |lane| (c, lane)))
                .map(|(column, lane)| i64::from(words[3 * column + lane / 32] >> (lane % 32) & 1))
                .sum();
            assert_eq!(combined((Combine::Count, Type::Bit), &bits, &block, &set), expected);
            for kind in KINDS {
                let all = (0..2).flat_map(|column| lanes.iter().map(move |lane| (column, lane)));
                let expected = kind.exact_of(all.map(|(column, lane)| i64::from(terms[80 * column + lane])));
                assert_eq!(combined((kind, Type::I32), &numbers, &bytes, &set), expected, "{kind:?}");
            }
        }
    }
}
