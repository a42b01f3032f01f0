//! Random words of many cells at once, equal to those that [`philox`] defines.
//!
//! A block of Philox is a plane of 128 cells: on fractals lanes of a column that follow each other, on masks and boxes every second place of 256. The 32 planes
//! of a draw are made by one loop over vectors, and transposed into words.

use super::numbering::{LaneNumbers, PAIR_PLACES};
use super::philox::{self, BLOCK_CELLS, PLANES};

/// The planes of a draw of the cells of a block: for each 32 cells one word of each plane, the last plane first.
type DrawPlanes = [[u32; PLANES as usize]; 4];

/// When words are made, and with which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawKey {
    /// The seed.
    pub seed: u64,
    /// The time.
    pub time: u32,
}

/// Fills a column with the words of a draw of the cells with these numbers. Where `cells` says which lanes are cells, blocks of none are left out, and the words
/// of their lanes mean nothing.
pub fn fill(draw_key: DrawKey, numbers: LaneNumbers, draw: u32, cells: Option<&[u32]>, column: &mut [u32]) {
    match numbers {
        LaneNumbers::Consecutive(_) | LaneNumbers::EverySecond { .. } => fill_blocks(draw_key, numbers, draw, column),
        LaneNumbers::Places { first, .. } => {
            let is_cell = |lane: usize| {
                cells.is_none_or(|cells| cells.get(lane / 32).is_some_and(|word| word >> (lane % 32) & 1 == 1))
            };
            let mut lane = 0;
            while lane < column.len() {
                // The lanes among 256 places, by turns of two colours.
                let left = (PAIR_PLACES - (first + lane as u64) % PAIR_PLACES) as usize;
                let end = (lane + left).min(column.len());
                for begin in [lane, lane + 1] {
                    let lanes = (begin..end).step_by(2);
                    if begin >= end || cells.is_some() && !lanes.clone().any(is_cell) {
                        continue;
                    }
                    let number = numbers.of(begin as u64);
                    let mut planes = planes(draw_key, number / BLOCK_CELLS, draw);
                    planes.iter_mut().for_each(transpose);
                    let words = &planes.as_flattened()[(number % BLOCK_CELLS) as usize..];
                    column[begin..end].iter_mut().step_by(2).zip(words).for_each(|(to, word)| *to = *word);
                }
                lane = end;
            }
        }
    }
}

/// The same of cells that have the numbers of whole blocks, one after the other.
fn fill_blocks(draw_key: DrawKey, numbers: LaneNumbers, draw: u32, column: &mut [u32]) {
    let first = numbers.first();
    let end = first + column.len() as u64;
    for block in first / BLOCK_CELLS..end.div_ceil(BLOCK_CELLS) {
        let mut planes = planes(draw_key, numbers.of_place(BLOCK_CELLS * block) / BLOCK_CELLS, draw);
        for (from, rows) in (BLOCK_CELLS * block..).step_by(32).zip(&mut planes) {
            let (low, high) = (from.max(first), (from + 32).min(end));
            if low < high {
                transpose(rows);
                let words = &rows[(low - from) as usize..(high - from) as usize];
                column[(low - first) as usize..(high - first) as usize].copy_from_slice(words);
            }
        }
    }
}

/// Transposes a matrix of 32 × 32 bits, row i in word i, by exchanging ever smaller blocks (H. S. Warren, "Hacker's Delight", 2nd ed.,
/// §7–3).
pub fn transpose(rows: &mut [u32; 32]) {
    let mut mask = 0xffff;
    for size in [16, 8, 4, 2, 1] {
        for block in rows.chunks_exact_mut(2 * size) {
            let (above, below) = block.split_at_mut(size);
            for (a, b) in above.iter_mut().zip(below) {
                let t = (*a >> size ^ *b) & mask;
                *a ^= t << size;
                *b ^= t;
            }
        }
        mask ^= mask << (size / 2);
    }
}

/// The planes of a block.
fn planes(draw_key: DrawKey, block: u64, draw: u32) -> DrawPlanes {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has AVX-512 F.
        return unsafe { x86::planes_avx512(draw_key, block, draw) };
    } else if std::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { x86::planes_avx2(draw_key, block, draw) };
    }
    plain(draw_key, block, draw)
}

/// By the definition.
fn plain(draw_key: DrawKey, block: u64, draw: u32) -> DrawPlanes {
    let mut planes = [[0; PLANES as usize]; 4];
    for number in 0..PLANES {
        let cells = philox::plane(draw_key.seed, block, draw_key.time, draw, number);
        for (words, cells) in planes.iter_mut().zip(cells) {
            words[(PLANES - 1 - number) as usize] = cells;
        }
    }
    planes
}

/// Planes in vectors of 64-bit elements, whose upper halves mean nothing: the multiplications give 64 bits, and so one half of each
/// product stands right without being moved.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{DrawKey, DrawPlanes, PLANES, philox};
    use std::arch::x86_64::*;

    /// The keys of all rounds.
    fn keys(seed: u64) -> [[u32; 2]; philox::ROUNDS as usize] {
        let mut key = [seed as u32, (seed >> 32) as u32];
        std::array::from_fn(|_| {
            let now = key;
            key = [0, 1].map(|i| key[i].wrapping_add(philox::KEY_INCREMENTS[i]));
            now
        })
    }

    /// # Safety
    /// The processor must have AVX-512 F.
    #[target_feature(enable = "avx512f")]
    pub(crate) unsafe fn planes_avx512(draw_key: DrawKey, block: u64, draw: u32) -> DrawPlanes {
        /// Planes of a vector, and vectors that are computed together.
        const WIDTH: usize = 8;
        const VECTORS: usize = PLANES as usize / WIDTH;
        /// Bits of a ^ b ^ c.
        const PARITY: i32 = 0x96;
        let splat = |word: u32| _mm512_set1_epi64(i64::from(word));
        let multipliers = philox::MULTIPLIERS.map(splat);
        // The last plane comes first.
        let last = i64::from(PLANES * draw + (PLANES - 1));
        let (low, high, time) = (splat(block as u32), splat((block >> 32) as u32), splat(draw_key.time));
        let mut vectors: [[__m512i; 4]; VECTORS] = std::array::from_fn(|i| {
            let last = last - (WIDTH * i) as i64;
            let numbers = _mm512_sub_epi64(_mm512_set1_epi64(last), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
            [low, high, time, numbers]
        });
        for key in keys(draw_key.seed) {
            let key = key.map(splat);
            for c in &mut vectors {
                let (a, b) = (_mm512_mul_epu32(multipliers[0], c[0]), _mm512_mul_epu32(multipliers[1], c[2]));
                let (over_a, over_b) = (_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
                *c = [
                    _mm512_ternarylogic_epi64::<PARITY>(over_b, c[1], key[0]),
                    b,
                    _mm512_ternarylogic_epi64::<PARITY>(over_a, c[3], key[1]),
                    a,
                ];
            }
        }
        let mut planes = [[0; PLANES as usize]; 4];
        for (i, words) in planes.iter_mut().enumerate() {
            for (c, words) in vectors.iter().zip(words.as_chunks_mut::<WIDTH>().0) {
                // SAFETY: eight words are as long as the vector.
                unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(c[i])) };
            }
        }
        planes
    }

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn planes_avx2(draw_key: DrawKey, block: u64, draw: u32) -> DrawPlanes {
        const WIDTH: usize = 4;
        let splat = |word: u32| _mm256_set1_epi64x(i64::from(word));
        let xor = |a: __m256i, b: __m256i, c: __m256i| _mm256_xor_si256(_mm256_xor_si256(a, b), c);
        let multipliers = philox::MULTIPLIERS.map(splat);
        let keys = keys(draw_key.seed);
        let (low, high, time) = (splat(block as u32), splat((block >> 32) as u32), splat(draw_key.time));
        let mut planes = [[0; PLANES as usize]; 4];
        for first in (0..PLANES as usize).step_by(2 * WIDTH) {
            let mut vectors: [[__m256i; 4]; 2] = std::array::from_fn(|i| {
                let last = i64::from(PLANES * draw + (PLANES - 1)) - (first + WIDTH * i) as i64;
                [low, high, time, _mm256_sub_epi64(_mm256_set1_epi64x(last), _mm256_setr_epi64x(0, 1, 2, 3))]
            });
            for key in &keys {
                let key = key.map(splat);
                for c in &mut vectors {
                    let (a, b) = (_mm256_mul_epu32(multipliers[0], c[0]), _mm256_mul_epu32(multipliers[1], c[2]));
                    let (over_a, over_b) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
                    *c = [xor(over_b, c[1], key[0]), b, xor(over_a, c[3], key[1]), a];
                }
            }
            for (i, words) in planes.iter_mut().enumerate() {
                for (c, words) in vectors.iter().zip(words[first..].as_chunks_mut::<WIDTH>().0) {
                    let mut wide = [0u64; WIDTH];
                    // SAFETY: four words of 64 bits are as long as the vector.
                    unsafe { _mm256_storeu_si256(wide.as_mut_ptr().cast(), c[i]) };
                    *words = wide.map(|word| word as u32);
                }
            }
        }
        planes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to make planes gives those of the definition, and words are made of them.
    #[test]
    fn words_are_those_of_the_language() {
        let draw_key = DrawKey { seed: 0x0123_4567_89ab_cdef, time: 77 };
        for draw in [0, 3, philox::MOST_DRAWS - 1] {
            let block = 0x1_ffff_fffe;
            let wanted = plain(draw_key, block, draw);
            assert_eq!(planes(draw_key, block, draw), wanted);
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                assert_eq!(unsafe { x86::planes_avx2(draw_key, block, draw) }, wanted);
            }
            for (first, length) in [(0, 8), (120, 16), (37, 24), (96, 248), (0xffff_fff0 * 128 + 1, 2187)] {
                for numbers in [
                    LaneNumbers::Consecutive(first),
                    LaneNumbers::Places { first, odd: false },
                    LaneNumbers::Places { first, odd: true },
                    LaneNumbers::EverySecond { first, odd: first % 2 == 1 },
                ] {
                    let (mut column, third) = (vec![0; length], vec![0x9249_2492; length.div_ceil(32)]);
                    let mut of_cells = column.clone();
                    fill(draw_key, numbers, draw, None, &mut column);
                    fill(draw_key, numbers, draw, Some(&third), &mut of_cells);
                    for (lane, found) in column.into_iter().enumerate() {
                        let wanted = philox::draw(draw_key.seed, numbers.of(lane as u64), draw_key.time, draw);
                        assert_eq!(found, wanted, "draw {draw}, lane {lane} of {numbers:?}");
                        let is_cell = third[lane / 32] >> (lane % 32) & 1 == 1;
                        assert!(!is_cell || of_cells[lane] == wanted, "draw {draw}, lane {lane} of {numbers:?}");
                    }
                }
            }
        }
    }
}
