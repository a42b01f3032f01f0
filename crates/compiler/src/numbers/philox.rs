//! Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3", SC 2011), with the key and counter that the language fixes.
//!
//! A draw is a pure function of (seed, cell, time, draw number), so it does not depend on the order in which cells are
//! computed.
//!
//! The 32 bits of a word are bits of 32 *planes*, the highest bit first, and one block of Philox is one plane of 128 cells that
//! follow each other by *number* ([`Domain::draw_number`](crate::geometry::Domain::draw_number)). So the cells of a column
//! of lanes share blocks, and a comparison with a threshold stops at the first planes that decide it.

/// Multipliers of the two halves of the counter.
pub const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// The words that each round adds to the two words of the key.
pub const KEY_INCREMENTS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
/// The number of rounds.
pub const ROUNDS: u32 = 10;

/// The block function: four random words of a counter under a key.
pub(crate) const fn philox4x32(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let mut round = 0;
    while round < ROUNDS {
        let a = MULTIPLIERS[0] as u64 * counter[0] as u64;
        let b = MULTIPLIERS[1] as u64 * counter[2] as u64;
        counter = [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(KEY_INCREMENTS[0]), key[1].wrapping_add(KEY_INCREMENTS[1])];
        round += 1;
    }
    counter
}

/// The cells of one block.
pub const BLOCK_CELLS: u64 = 128;
/// The planes of a draw: the bits of its word.
pub const PLANES: u32 = 32;
/// The time at which the cells of a domain are drawn: no time of a run that begins with the same seed and ends before.
pub(crate) const TIME_OF_CELLS: u32 = u32::MAX;
/// A rule has fewer draws than this in its steps, and fewer in `init`: their planes are numbered in 32 bits.
pub const MOST_DRAWS: u32 = 1 << 27;

/// Plane `plane` of draw number `draw` of the cells with numbers from `128 · block` on, for the state of time `t` (0 in
/// `init`): cell i is bit `i mod 32` of word `i / 32`.
pub const fn plane(seed: u64, block: u64, t: u32, draw: u32, plane: u32) -> [u32; 4] {
    let number = PLANES * draw + plane;
    philox4x32([block as u32, (block >> 32) as u32, t, number], [seed as u32, (seed >> 32) as u32])
}

/// Draw number `draw` of the cell with number `q`, for the state of time `t`: what `bits()` gives.
pub const fn draw(seed: u64, q: u64, t: u32, draw: u32) -> u32 {
    let (block, bit) = (q / BLOCK_CELLS, q % BLOCK_CELLS);
    let (mut word, mut number) = (0, 0);
    while number < PLANES {
        let cells = plane(seed, block, t, draw, number)[(bit / 32) as usize];
        word = word << 1 | cells >> (bit % 32) & 1;
        number += 1;
    }
    word
}

/// Whether `draw(seed, q, t, number) < threshold`, from no more planes than decide it.
pub(crate) const fn is_below(seed: u64, q: u64, t: u32, number: u32, threshold: u64) -> bool {
    if threshold > u32::MAX as u64 {
        return true;
    }
    let (block, bit, threshold) = (q / BLOCK_CELLS, q % BLOCK_CELLS, threshold as u32);
    let mut index = 0;
    // Where nothing but zeros of the threshold is left, an equal word is not below it.
    while index < PLANES && threshold << index != 0 {
        let cells = plane(seed, block, t, number, index)[(bit / 32) as usize];
        let (word, wanted) = (cells >> (bit % 32) & 1, threshold >> (31 - index) & 1);
        if word != wanted {
            return word < wanted;
        }
        index += 1;
    }
    false
}

/// `random(p)` is `u64::from(word) < threshold(p)`: ⌊p · 2^32⌋, at least 0 (for NaN too), at most 2^32. An f32 is widened first.
pub fn threshold(p: f64) -> u64 {
    // The product only moves the exponent, so it is exact; the cast truncates and turns negative and NaN into 0.
    ((p * 4_294_967_296.0) as u64).min(1 << 32)
}

/// `below(n)` from its word: ⌊word · n / 2^32⌋, which is less than n unless n is 0.
pub const fn below(word: u32, n: u32) -> u32 {
    ((word as u64 * n as u64) >> 32) as u32
}

/// `uniform()` from its word: a multiple of 2^-24 in [0, 1).
pub fn uniform(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// The difference between a number and the one before it, as a share of the number: a little more than half a unit in the last place.
pub(crate) const SHARE_BELOW: f32 = (1.0 + f32::EPSILON) / 16_777_216.0;
/// The least that is taken off.
pub(crate) const LEAST_STEP: f32 = f32::from_bits(1);

/// `uniform(a, b)` from its word: `a + (b - a) * uniform()`, and where that is rounded up to b, and a is less, the number before b. (Of |b| below
/// 1e-30 the step is rounded itself, and may come to nothing.)
pub(crate) fn uniform_between(word: u32, low: f32, high: f32) -> f32 {
    let value = low + (high - low) * uniform(word);
    let share = high.abs() * SHARE_BELOW;
    let step = if share < LEAST_STEP { LEAST_STEP } else { share };
    if value >= high && low < high { high - step } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_between_two_numbers_stays_below_the_second() {
        let largest = u32::MAX;
        assert_eq!(uniform_between(largest, 1000.0, 1001.0), 1001f32.next_down());
        let (mut state, mut rounded) = (1u64, 0);
        for _ in 0..1_000_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let high = f32::from_bits((state >> 32) as u32);
            if !high.is_finite() || high == -f32::MAX || high.abs() < 1e-30 {
                continue;
            }
            for low in [high.next_down(), high - high.abs() * 1e-6, high - 1.0, -high.abs()] {
                let plain = low + (high - low) * uniform(largest);
                let value = uniform_between(largest, low, high);
                if low < high && plain >= high {
                    assert_eq!(value, high.next_down(), "{low:e} {high:e}");
                    rounded += 1;
                } else {
                    assert_eq!(value.to_bits(), plain.to_bits(), "{low:e} {high:e}");
                }
            }
        }
        assert!(rounded > 100_000);
        for high in [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, f32::MIN_POSITIVE, -f32::MIN_POSITIVE, f32::MAX, 1e-45, -1e-45] {
            let step = (high.abs() * SHARE_BELOW).max(LEAST_STEP);
            assert_eq!(high - step, high.next_down(), "{high:e}");
        }
        assert_eq!(uniform_between(largest, 5.0, 5.0), 5.0);
    }

    /// The vectors published with Random123: zeros, ones, digits of π.
    #[test]
    fn known_answers() {
        assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = u32::MAX;
        assert_eq!(philox4x32([ones; 4], [ones; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            philox4x32([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn the_bits_of_a_word_are_bits_of_planes() {
        // The published vectors again, as planes.
        assert_eq!(plane(0, 0, 0, 0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let (seed, block, t, number) = (0x299f_31d0_a409_3822, 0x85a3_08d3_243f_6a88, 0x1319_8a2e, 0x0370_7344);
        let published = [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
        assert_eq!(plane(seed, block, t, number / 32, number % 32), published);
        let block = block % (1 << 57);
        for q in [0, 1, 31, 32, 63, 64, 100, 127] {
            let word = draw(seed, 128 * block + q, t, 77);
            for j in 0..32 {
                let counter = [block as u32, (block >> 32) as u32, t, 32 * 77 + j];
                let cells = philox4x32(counter, [0xa409_3822, 0x299f_31d0])[q as usize / 32];
                assert_eq!(word >> (31 - j) & 1, cells >> (q % 32) & 1, "cell {q}, plane {j}");
            }
        }
    }

    #[test]
    fn comparisons_by_planes_are_those_of_words() {
        for q in 0..2000 {
            let word = draw(77, q * 31, 5, 3);
            for threshold in
                [0, 1, 1 << 31, 3 << 30, 0x4000_1234, u64::from(word), u64::from(word) + 1, u64::from(!word), 1 << 32]
            {
                assert_eq!(is_below(77, q * 31, 5, 3, threshold), u64::from(word) < threshold, "{q} {threshold}");
            }
        }
    }

    #[test]
    fn thresholds() {
        for (p, expected) in [
            (0.0, 0),
            (-0.0, 0),
            (-1.0, 0),
            (f64::NEG_INFINITY, 0),
            (f64::NAN, 0),
            (f64::from_bits(1), 0),
            (0.5, 1 << 31),
            (1.0 - f64::EPSILON / 2.0, (1 << 32) - 1),
            (1.0, 1 << 32),
            (7.0, 1 << 32),
            (f64::MAX, 1 << 32),
            (f64::INFINITY, 1 << 32),
        ] {
            assert_eq!(threshold(p), expected, "{p}");
        }
    }

    #[test]
    fn uniforms() {
        assert_eq!(uniform(0), 0.0);
        assert_eq!(uniform(255), 0.0);
        assert_eq!(uniform(1 << 31), 0.5);
        assert_eq!(uniform(u32::MAX), 1.0 - f32::EPSILON / 2.0);
    }
}
