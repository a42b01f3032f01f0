//! The words of random draws are spread evenly, and those of neighbouring cells, times, draws and planes know nothing of each other:
//! chi-squared tests with fixed seeds.

use squeeze_compiler::numbers::philox::draw;

const CELLS: u64 = 1 << 14;
const SEEDS: [u64; 3] = [0, 1, 0x9e37_79b9_7f4a_7c15];

/// Where a word is drawn: cell, time, number.
type Place = (u64, u32, u32);

fn words(seed: u64, place: impl Fn(u64) -> Place) -> Vec<u32> {
    let word = |cell| {
        let (q, t, d) = place(cell);
        draw(seed, q, t, d)
    };
    (0..CELLS).map(word).collect()
}

/// Chi-squared of counts that are expected to be equal.
fn chi_squared(counts: &[u32]) -> f64 {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
}

/// Fails if a chi-squared is one that comes once in more than ten thousand times, by its distance from the mean in deviations
/// (Wilson and Hilferty, 1931).
fn assert_plausible(chi: f64, freedom: usize, what: &str) {
    let n = freedom as f64;
    let deviations = ((chi / n).cbrt() - (1.0 - 2.0 / (9.0 * n))) / (2.0 / (9.0 * n)).sqrt();
    assert!(deviations.abs() < 4.0, "{what}: chi-squared {chi} of {n} degrees of freedom, {deviations} deviations");
}

fn counts(values: impl Iterator<Item = u32>, bins: usize) -> Vec<u32> {
    let mut counts = vec![0; bins];
    values.for_each(|value| counts[value as usize] += 1);
    counts
}

#[test]
fn words_are_spread_evenly() {
    for seed in SEEDS {
        for (t, d) in [(0, 0), (1, 0), (7, 3), (u32::MAX, (1 << 27) - 1)] {
            let words = words(seed, |q| (q, t, d));
            for shift in [0, 8, 16, 24] {
                let counts = counts(words.iter().map(|word| word >> shift & 255), 256);
                assert_plausible(
                    chi_squared(&counts),
                    255,
                    &format!("seed {seed}, t {t}, draw {d}, bits from {shift}"),
                );
            }
            for plane in 0..32 {
                let ones = words.iter().filter(|word| **word >> (31 - plane) & 1 == 1).count() as f64;
                let deviations = (ones - CELLS as f64 / 2.0) / (CELLS as f64 / 4.0).sqrt();
                assert!(deviations.abs() < 4.5, "seed {seed}, t {t}, draw {d}: plane {plane} is off by {deviations}");
            }
        }
    }
}

#[test]
fn neighbours_times_and_draws_are_independent() {
    for seed in SEEDS {
        let here = words(seed, |q| (q, 5, 2));
        let others: [(&str, Vec<u32>); 8] = [
            ("the next cell", words(seed, |q| (q + 1, 5, 2))),
            ("the cell of the next word", words(seed, |q| (q + 32, 5, 2))),
            ("the cell of the next block", words(seed, |q| (q + 128, 5, 2))),
            ("the next time", words(seed, |q| (q, 6, 2))),
            ("the next draw", words(seed, |q| (q, 5, 3))),
            ("the cell of another high word", words(seed, |q| (q + (128 << 32), 5, 2))),
            ("the next seed", words(seed.wrapping_add(1), |q| (q, 5, 2))),
            ("the next upper half of a seed", words(seed.wrapping_add(1 << 32), |q| (q, 5, 2))),
        ];
        for (what, there) in others {
            for shift in [28, 14, 0] {
                let pair = |(a, b): (&u32, &u32)| (a >> shift & 15) << 4 | b >> shift & 15;
                let counts = counts(here.iter().zip(&there).map(pair), 256);
                assert_plausible(chi_squared(&counts), 255, &format!("seed {seed}, {what}, bits from {shift}"));
            }
        }
    }
}

#[test]
fn planes_are_independent() {
    for seed in SEEDS {
        let words = words(seed, |q| (q, 9, 1));
        for distance in 1..8 {
            for plane in 0..32 - distance {
                let pair = |word: &u32| (word >> plane & 1) << 1 | word >> (plane + distance) & 1;
                let chi = chi_squared(&counts(words.iter().map(pair), 4));
                assert!(chi < 27.0, "seed {seed}: planes {plane} and {distance} further, chi-squared {chi}");
            }
        }
    }
}
