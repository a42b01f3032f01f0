//! Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3", SC 2011), with the key and counter that the language fixes.
//!
//! A draw is a pure function of (seed, canonical index, time, draw number), so it does not depend on the order in
//! which cells are computed.

/// Multipliers of the two halves of the counter.
pub const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// What each round adds to the two words of the key.
pub const KEY_INCREMENTS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
/// The number of rounds.
pub const ROUNDS: u32 = 10;

/// The block function: four random words of a counter under a key.
pub const fn philox4x32(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
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

/// The four words of draws `4 · group` to `4 · group + 3` of the cell with canonical index `c`, for the state of time `t`.
pub const fn block(seed: u64, c: u64, t: u32, group: u32) -> [u32; 4] {
    philox4x32([c as u32, (c >> 32) as u32, t, group], [seed as u32, (seed >> 32) as u32])
}

/// Draw number `draw` of the cell with canonical index `c`, for the state of time `t` (0 in `init`): what `bits()` gives.
pub const fn draw(seed: u64, c: u64, t: u32, draw: u32) -> u32 {
    block(seed, c, t, draw / 4)[(draw % 4) as usize]
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn draws_are_words_of_the_block_of_their_group() {
        let pi = |d| draw(0x299f_31d0_a409_3822, 0x85a3_08d3_243f_6a88, 0x1319_8a2e, d);
        let group = 4 * (0x0370_7344 / 4);
        for d in 0..4 {
            let words =
                philox4x32([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344 / 4], [0xa409_3822, 0x299f_31d0]);
            assert_eq!(pi(group + d), words[d as usize]);
        }
        assert_eq!(draw(0, 0, 0, 2), 0xbc57_ac4c);
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
