//! The random words of a superblock, made before its kernel runs.
//!
//! A kernel that draws finds its words in columns like those of a state of numbers; its
//! [`Interface`](squeeze_compiler::ir::kernel::Interface) says which words, and in which order their columns stand. So the words of all lanes are made by one loop over vectors, and draws that share a
//! block of Philox share the work.

use squeeze_compiler::ir::kernel::RandomWord;
use squeeze_compiler::numerics::philox;

/// Whose words are made: the cells of one superblock at one time.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    /// The seed.
    pub seed: u64,
    /// The time.
    pub time: u32,
    /// The canonical index of micro cell 0 in lane 0.
    pub first: u64,
    /// What a lane adds to the canonical index.
    pub lane_stride: u64,
}

/// Fills the columns of `words`, `stride` lanes each.
///
/// # Panics
/// If `columns` is too short.
pub fn fill(cells: Cells, words: &[RandomWord], stride: usize, columns: &mut [u32]) {
    let mut rest = words;
    let mut columns = &mut columns[..words.len() * stride];
    while let Some(first) = rest.first() {
        // Sorted: the words of one block of Philox stand side by side.
        let count = rest.iter().take_while(|w| (w.micro, w.draw / 4) == (first.micro, first.draw / 4)).count();
        let (group, others) = rest.split_at(count);
        let (filled, behind) = columns.split_at_mut(count * stride);
        block(cells, group, stride, filled);
        (rest, columns) = (others, behind);
    }
}

/// Fills the columns of draws of one micro cell that share a block.
fn block(cells: Cells, group: &[RandomWord], stride: usize, columns: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has AVX-512 F.
        unsafe { x86::block_avx512(cells, group, stride, columns) };
        return;
    } else if std::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { x86::block_avx2(cells, group, stride, columns) };
        return;
    }
    plain(cells, group, stride, columns);
}

/// By the definition.
fn plain(cells: Cells, group: &[RandomWord], stride: usize, columns: &mut [u32]) {
    for lane in 0..stride {
        let words = philox::block(cells.seed, cells.cell(group[0].micro, lane), cells.time, group[0].draw / 4);
        for (word, column) in group.iter().zip(columns.chunks_exact_mut(stride)) {
            column[lane] = words[(word.draw % 4) as usize];
        }
    }
}

impl Cells {
    /// The canonical index of a cell.
    fn cell(self, micro: u32, lane: usize) -> u64 {
        self.first.wrapping_add(u64::from(micro)).wrapping_add(self.lane_stride.wrapping_mul(lane as u64))
    }
}

/// Words in vectors of 64-bit elements, whose upper halves mean nothing: the multiplications give 64 bits, and so one half
/// of each product stands right without being moved.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Cells, RandomWord, philox};
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

    /// Writes the words of draws to the lanes from `lane` on, as many as there are.
    #[inline(always)]
    fn put<const N: usize>(
        words: &[[u32; N]; 4],
        group: &[RandomWord],
        lane: usize,
        stride: usize,
        columns: &mut [u32],
    ) {
        for (word, column) in group.iter().zip(columns.chunks_exact_mut(stride)) {
            let words = &words[(word.draw % 4) as usize];
            let lanes = &mut column[lane..];
            if let Some(lanes) = lanes.first_chunk_mut() {
                *lanes = *words;
            } else {
                lanes.copy_from_slice(&words[..lanes.len()]);
            }
        }
    }

    /// # Safety
    /// The processor must have AVX-512 F.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn block_avx512(cells: Cells, group: &[RandomWord], stride: usize, columns: &mut [u32]) {
        const LANES: usize = 16;
        /// Bits of a ^ b ^ c.
        const PARITY: i32 = 0x96;
        let splat = |word: u32| _mm512_set1_epi64(i64::from(word));
        let keys = keys(cells.seed).map(|key| key.map(splat));
        let multipliers = philox::MULTIPLIERS.map(splat);
        let (time, number) = (splat(cells.time), splat(group[0].draw / 4));
        let places: [u64; 8] = std::array::from_fn(|i| cells.cell(group[0].micro, i));
        // SAFETY: eight words of 64 bits are as long as the vector.
        let mut low = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
        let half = _mm512_set1_epi64(cells.lane_stride.wrapping_mul(8) as i64);
        for lane in (0..stride).step_by(LANES) {
            let high = _mm512_add_epi64(low, half);
            let mut halves = [low, high].map(|c| [c, _mm512_srli_epi64::<32>(c), time, number]);
            low = _mm512_add_epi64(high, half);
            for key in &keys {
                for c in &mut halves {
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
            let mut words = [[0u32; LANES]; 4];
            for (i, words) in words.iter_mut().enumerate() {
                for (c, words) in halves.iter().zip(words.as_chunks_mut::<8>().0) {
                    // SAFETY: eight words are as long as the vector.
                    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(c[i])) };
                }
            }
            put(&words, group, lane, stride, columns);
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn block_avx2(cells: Cells, group: &[RandomWord], stride: usize, columns: &mut [u32]) {
        const LANES: usize = 8;
        let splat = |word: u32| _mm256_set1_epi64x(i64::from(word));
        let keys = keys(cells.seed);
        let multipliers = philox::MULTIPLIERS.map(splat);
        let (time, number) = (splat(cells.time), splat(group[0].draw / 4));
        let place = |i: usize| cells.cell(group[0].micro, i) as i64;
        let mut low = _mm256_setr_epi64x(place(0), place(1), place(2), place(3));
        let half = _mm256_set1_epi64x(cells.lane_stride.wrapping_mul(4) as i64);
        let xor = |a: __m256i, b: __m256i, c: __m256i| _mm256_xor_si256(_mm256_xor_si256(a, b), c);
        for lane in (0..stride).step_by(LANES) {
            let high = _mm256_add_epi64(low, half);
            let mut halves = [low, high].map(|c| [c, _mm256_srli_epi64::<32>(c), time, number]);
            low = _mm256_add_epi64(high, half);
            for key in &keys {
                let key = key.map(splat);
                for c in &mut halves {
                    let (a, b) = (_mm256_mul_epu32(multipliers[0], c[0]), _mm256_mul_epu32(multipliers[1], c[2]));
                    let (over_a, over_b) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
                    *c = [xor(over_b, c[1], key[0]), b, xor(over_a, c[3], key[1]), a];
                }
            }
            let mut words = [[0u32; LANES]; 4];
            for (i, words) in words.iter_mut().enumerate() {
                let mut wide = [0u64; LANES];
                for (c, wide) in halves.iter().zip(wide.as_chunks_mut::<4>().0) {
                    // SAFETY: four words of 64 bits are as long as the vector.
                    unsafe { _mm256_storeu_si256(wide.as_mut_ptr().cast(), c[i]) };
                }
                *words = wide.map(|word| word as u32);
            }
            put(&words, group, lane, stride, columns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to make words gives those of the definition.
    #[test]
    fn words_are_those_of_the_language() {
        let cells = Cells { seed: 0x0123_4567_89ab_cdef, time: 77, first: 0xffff_fff0, lane_stride: 0x1_0000_0005 };
        let word = |micro, draw| RandomWord { micro, draw };
        let words = [word(0, 3), word(1, 0), word(1, 1), word(1, 3), word(1, 4), word(2, 9), word(2, 10), word(7, 0)];
        for stride in [8, 16, 24, 88, 248] {
            let mut columns = vec![0; words.len() * stride];
            fill(cells, &words, stride, &mut columns);
            for (word, column) in words.iter().zip(columns.chunks_exact(stride)) {
                for (lane, found) in column.iter().enumerate() {
                    let c = cells.cell(word.micro, lane);
                    assert_eq!(*found, philox::draw(cells.seed, c, cells.time, word.draw), "{word:?}, lane {lane}");
                }
            }
            let group = &words[1..4];
            let mut by_definition = vec![0; group.len() * stride];
            plain(cells, group, stride, &mut by_definition);
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx2") {
                let mut columns = vec![0; group.len() * stride];
                // SAFETY: the processor has AVX2.
                unsafe { x86::block_avx2(cells, group, stride, &mut columns) };
                assert_eq!(columns, by_definition);
            }
            assert_eq!(columns[stride..4 * stride], by_definition);
        }
    }
}
