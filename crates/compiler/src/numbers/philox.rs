//! Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3", SC 2011), with the key and counter that the language fixes.
//!
//! A draw is a pure function of (seed, cell, time, draw number), so it does not depend on the order in which cells are
//! computed.
//!
//! The 32 bits of a word are bits of 32 *planes*, the highest bit first, and one block of Philox is one plane of 128 cells that
//! follow each other by *number* ([`Domain::draw_number`](crate::geometry::Domain::draw_number)). So the cells of a column
//! of lanes share blocks, and a comparison with a probability stops at the first planes that decide it.
//!
//! A probability may have bits below 2^-32. Once in 4·10^9 draws the word is equal to its first 32 bits: then further planes decide, 32 at a time, whose counters
//! have multiples of 2^25 in the high word of the block's number. No block of a cell has them: cell numbers have 64 bits.

use std::cmp::Ordering;

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
/// The number of the draw that decides whether members of a sweep exchange their states. Planes are numbered in 32 bits, so it is the last one.
pub const DRAW_OF_EXCHANGE: u32 = (1 << 27) - 1;
/// A rule has no more draws than this in its steps, and no more in `init`: the last number is none of theirs.
pub const MOST_DRAWS: u32 = DRAW_OF_EXCHANGE;

/// Plane `plane` of draw number `draw` of the cells with numbers from `128 · block` on, for the state of time `t` (0 in
/// `init`): cell i is bit `i mod 32` of word `i / 32`.
pub const fn plane(seed: u64, block: u64, t: u32, draw: u32, plane: u32) -> [u32; 4] {
    let (block, number) = (further(block, plane / PLANES), PLANES * draw + plane % PLANES);
    philox4x32([block as u32, (block >> 32) as u32, t, number], [seed as u32, (seed >> 32) as u32])
}

/// The number that stands for a block where its planes from `32 · turn` on are made.
pub const fn further(block: u64, turn: u32) -> u64 {
    block + ((turn as u64) << 57)
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

/// `random(p)` of a cell: whether 0.b_0 b_1 b_2 … < p, with b_j the cell's bit of plane j, from no more planes than decide it.
pub const fn is_below(seed: u64, q: u64, t: u32, number: u32, p: f64) -> bool {
    let (block, bit, planes) = (q / BLOCK_CELLS, q % BLOCK_CELLS, planes(p));
    let mut index = 0;
    while index < planes {
        let cells = plane(seed, block, t, number, index)[(bit / 32) as usize];
        let (drawn, wanted) = (cells >> (bit % 32) & 1 == 1, bit_of(p, index));
        if drawn != wanted {
            return wanted;
        }
        index += 1;
    }
    // Where nothing but zeros of p is left, what is equal is not below it.
    p >= 1.0
}

/// `random(p)` is true of a word that is less than this and false of one that is greater: ⌊p · 2^32⌋, at least 0 (for NaN too), at most 2^32. Of an equal one
/// further planes decide. An f32 is widened first.
pub fn threshold(p: f64) -> u64 {
    // The product only moves the exponent, so it is exact; the cast truncates and turns negative and NaN into 0.
    ((p * 4_294_967_296.0) as u64).min(1 << 32)
}

/// `random(p)` as far as its word says it.
pub(crate) fn by_word(word: u32, p: f64) -> Option<bool> {
    match u64::from(word).cmp(&threshold(p)) {
        Ordering::Equal if planes(p) > PLANES => None,
        order => Some(order == Ordering::Less),
    }
}

/// How many planes decide `random(p)`: those down to the last one of p. None decides what is always true or never.
pub const fn planes(p: f64) -> u32 {
    if !(p > 0.0 && p < 1.0) {
        return 0;
    }
    let (digits, last) = digits(p);
    last - digits.trailing_zeros()
}

/// The bit of plane `plane` of a probability between 0 and 1.
pub const fn bit_of(p: f64, plane: u32) -> bool {
    let (digits, last) = digits(p);
    // Place 0 of the digits is the bit of plane last − 1.
    plane < last && last - 1 - plane < u64::BITS && digits >> (last - 1 - plane) & 1 == 1
}

/// A float between 0 and 1 as digits · 2^-last.
const fn digits(p: f64) -> (u64, u32) {
    let (bits, all) = (p.to_bits(), f64::MANTISSA_DIGITS - 1);
    let (exponent, digits) = ((bits >> all) as u32, bits & ((1 << all) - 1));
    // Subnormal numbers have no leading one.
    if exponent == 0 { (digits, 1074) } else { (digits | 1 << all, 1075 - exponent) }
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
                let p = threshold as f64 / 32f64.exp2();
                assert_eq!(is_below(77, q * 31, 5, 3, p), u64::from(word) < threshold, "{q} {threshold}");
            }
        }
        for p in [f64::NAN, -0.0, 0.0, -1.0, f64::NEG_INFINITY] {
            assert!(!is_below(1, 2, 3, 4, p));
        }
        for p in [1.0, 1.5, f64::INFINITY] {
            assert!(is_below(1, 2, 3, 4, p));
        }
    }

    /// The bits of planes are those of the number, and the chance of a probability is the sum of the chances that a plane decides.
    #[test]
    fn probabilities_are_their_planes() {
        let tiny = f64::from_bits(1);
        for p in [tiny, 3e-310, 1e-12, 2f64.powi(-32), 2f64.powi(-33), 0.1, 0.5, 1.0 / 3.0, 1.0 - f64::EPSILON / 2.0] {
            let (mut sum, mut left, mut unit) = (0.0, p, 1.0);
            for plane in 0..1100 {
                (left, unit) = (2.0 * left, unit / 2.0);
                assert_eq!(bit_of(p, plane), left >= 1.0, "{p:e}, plane {plane}");
                assert_eq!(plane < planes(p), left > 0.0, "{p:e}, plane {plane}");
                if left >= 1.0 {
                    (sum, left) = (sum + unit, left - 1.0);
                }
            }
            assert_eq!(sum, p);
        }
        assert_eq!([tiny, 0.5, 0.75, 0.0, 1.0, -0.5, f64::NAN].map(planes), [1074, 1, 2, 0, 0, 0, 0]);
    }

    /// Where 32 planes of p are those of the word, the next ones decide: their counters are written out here.
    #[test]
    fn further_planes_decide_where_words_are_equal() {
        let (seed, t, number, unit) = (77, 5, 3, 2f64.powi(-32));
        let mut deepest = 0;
        for q in 0..20_000u64 {
            let word = draw(seed, q, t, number);
            let bit = |plane: u32| {
                let block = q / 128;
                let counter = [block as u32, (block >> 32) as u32 + ((plane / 32) << 25), t, 32 * number + plane % 32];
                philox4x32(counter, [seed as u32, 0])[q as usize / 32 % 4] >> (q % 32) & 1
            };
            // All that fits into a float of the number that the planes spell, and that raised by one unit of its last place.
            let spelled = (0..110).fold((0.0, 1.0), |(sum, unit), plane| {
                let next = sum + f64::from(bit(plane)) * unit / 2.0;
                (if next - sum == f64::from(bit(plane)) * unit / 2.0 { next } else { sum }, unit / 2.0)
            });
            let (least, above) = (spelled.0, spelled.0.next_up());
            assert!(!is_below(seed, q, t, number, least) && is_below(seed, q, t, number, above), "{q}");
            deepest = deepest.max(planes(above));
            // Half a unit of the word more or less asks for plane 32 alone.
            let half = (f64::from(word) + 0.5) * unit;
            assert_eq!(is_below(seed, q, t, number, half), bit(32) == 0, "{q}");
        }
        assert!(deepest > 64, "{deepest}");
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
