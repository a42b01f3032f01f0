//! Autocorrelation times of series.
//!
//! The sum of autocorrelations stops where it is a fifth of the window's time, and misses slow and small parts beside quick noise: one per cent of the
//! variance may hold nearly all of the autocorrelation time. Means over blocks have less of the noise, and over longer blocks less again (H. Flyvbjerg
//! and H. G. Petersen, J. Chem. Phys. 91, 461, 1989), so the sum is taken of means over blocks of 1, 2, 4, … samples.

use super::FEWEST_BLOCKS;

/// The fewest means over blocks of one series of which autocorrelations are summed.
const FEWEST_IN_A_SERIES: usize = 16;
/// Standard errors by which a slow part must differ from zero. They are many because seven sizes of blocks are tried.
const SURE: f64 = 4.0;
/// Standard errors from the time found to the longest one that may be right.
const ABOVE: f64 = 2.5;

/// Autocorrelation times, in samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorrelationTimes {
    /// The integrated autocorrelation time ½ + Σ ρ(t).
    pub tau: f64,
    /// The time of the slowest part, longer than `tau` if that part is small.
    pub slowest: f64,
    /// The longest time that the slowest part may have.
    pub longest: f64,
}

/// The autocorrelation times of these series; `None` if none is long enough to tell, or nothing varies.
pub(super) fn memory(series: &[&[f64]]) -> Option<CorrelationTimes> {
    let whole = Windowed::of(series)?;
    let mut found = CorrelationTimes { tau: whole.tau, slowest: whole.tau, longest: whole.longest() };
    // By how much the slowest part is longer than the block that it is seen with.
    let (mut beyond, mut length) = (whole.tau - 0.5, 1.0);
    let mut blocks: Vec<Vec<f64>> = series.iter().map(|values| values.to_vec()).collect();
    loop {
        length *= 2.0;
        for values in &mut blocks {
            *values = values.as_chunks::<2>().0.iter().map(|[a, b]| (a + b) / 2.0).collect();
        }
        blocks.retain(|values| values.len() >= FEWEST_IN_A_SERIES);
        if blocks.iter().map(Vec::len).sum::<usize>() < FEWEST_BLOCKS {
            return Some(found);
        }
        let own = Windowed::of(&blocks.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let by_chance = SURE * (own.window / own.samples).sqrt();
        if length * (own.tau - 0.5 - by_chance) > beyond {
            beyond = length * (own.tau - 0.5);
            let tau = length * own.tau * own.variance / whole.variance;
            found = CorrelationTimes { tau, slowest: length * own.tau, longest: length * own.longest() };
        }
    }
}

/// A sum of autocorrelations.
pub(super) struct Windowed {
    /// The integrated autocorrelation time,
    pub tau: f64,
    /// the lag up to which autocorrelations were added,
    window: f64,
    /// the variance,
    variance: f64,
    /// and the number of samples.
    samples: f64,
}

impl Windowed {
    /// The integrated autocorrelation time ½ + Σ ρ(t) in samples, summed up to the first t ≥ 5 τ(t) (N. Madras and A. D. Sokal, J. Stat. Phys. 50, 109,
    /// 1988); the autocovariances of all series are averaged. `None` if no series is long enough, or nothing varies.
    pub(super) fn of(series: &[&[f64]]) -> Option<Windowed> {
        let longest = series.iter().map(|values| values.len()).max().unwrap_or(0);
        let samples = series.iter().map(|values| values.len()).sum::<usize>() as f64;
        // A short series' own mean would hide slow changes; that of all series does not.
        let total = series.iter().copied().flatten().sum::<f64>() / samples;
        let covariance = |lag: usize| {
            let (mut sum, mut count) = (0.0, 0u64);
            for values in series.iter().filter(|values| values.len() > lag) {
                for (a, b) in values.iter().zip(&values[lag..]) {
                    sum += (a - total) * (b - total);
                    count += 1;
                }
            }
            sum / count as f64
        };
        let variance = covariance(0);
        if longest < 2 || variance.is_nan() || variance <= 0.0 {
            return None;
        }
        let mut tau = 0.5;
        for lag in 1..longest / 2 {
            tau += covariance(lag) / variance;
            let window = lag as f64;
            if window >= 5.0 * tau {
                // The mean of all samples is nearer to them than the true one, which takes as much from each covariance (U. Wolff, Comput. Phys.
                // Commun. 156, 143, 2004).
                let tau = tau.max(0.5) * (1.0 + (2.0 * window + 1.0) / samples);
                return Some(Windowed { tau, window, variance, samples });
            }
        }
        None
    }

    /// The longest time that may be right: the relative variance of τ is (4 W + 2) / n (Madras and Sokal).
    fn longest(&self) -> f64 {
        self.tau * (1.0 + ABOVE * ((4.0 * self.window + 2.0) / self.samples).sqrt())
    }
}
