//! Means of correlated series, with honest errors.
//!
//! Observables of successive time steps resemble each other, so the error of their mean is larger than √(variance / n). Two
//! independent ways give it: *blocking* (Flyvbjerg and Petersen, J. Chem. Phys. 91, 461, 1989) averages neighbouring samples until the
//! blocks are independent, with the block length chosen by Lee, Fahy and Mitas' criterion (Phys. Rev. E 83, 066706, 2011: the
//! least B with B³ > 2 n (σ_B / σ_1)⁴); the *spread* over independent series, such as the members of an ensemble that differ in
//! their seeds alone, needs no such choice, but many series. [`estimate`] takes the larger of the two.

/// What a set of series of one observable says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over all samples of all series.
    pub mean: f64,
    /// The standard error of the mean; NaN if there is one sample.
    pub error: f64,
    /// The integrated autocorrelation time ½ + Σ ρ(t), in samples; NaN if no series is long enough to tell or nothing varies.
    pub tau: f64,
    /// The number of samples.
    pub samples: usize,
}

/// Estimates the mean of an observable from independent series of it: one number after the other, equally far apart in time.
pub fn estimate(series: &[&[f64]]) -> Estimate {
    let samples = series.iter().map(|values| values.len()).sum();
    let mean = mean(series.iter().flat_map(|values| values.iter().copied()));
    let blocked = blocked_error(series);
    let error = match spread(series) {
        Some(spread) if blocked.is_nan() => spread,
        Some(spread) => blocked.max(spread),
        None => blocked,
    };
    Estimate { mean, error, tau: autocorrelation_time(series), samples }
}

/// The mean, summed in order; NaN of nothing.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    sum / count as f64
}

/// The variance of these values, by n − 1.
fn variance(values: &[f64]) -> f64 {
    let mean = mean(values.iter().copied());
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// The error of the mean over all series from how far the means of the single ones differ; `None` for fewer than two series.
fn spread(series: &[&[f64]]) -> Option<f64> {
    let means: Vec<f64> = (series.iter()).filter(|s| !s.is_empty()).map(|s| mean(s.iter().copied())).collect();
    (means.len() > 1).then(|| (variance(&means) / means.len() as f64).sqrt())
}

/// The error of the mean over all series from blocking each of them; NaN if none has two samples.
fn blocked_error(series: &[&[f64]]) -> f64 {
    let samples: usize = series.iter().map(|values| values.len()).sum();
    // A mean of means, weighted with their lengths.
    let part = |values: &&[f64]| (values.len() as f64 / samples as f64 * blocking(values)).powi(2);
    let parts: Vec<f64> = series.iter().filter(|values| values.len() > 1).map(part).collect();
    if parts.is_empty() { f64::NAN } else { parts.iter().sum::<f64>().sqrt() }
}

/// The standard error of the mean of one series, by blocking.
///
/// Neighbours are averaged again and again; the error is that of the shortest blocks which the criterion takes for independent, or, if there
/// are none, the largest that was met: the series is then too short for its correlations.
pub fn blocking(series: &[f64]) -> f64 {
    let error = |blocks: &[f64]| (variance(blocks) / blocks.len() as f64).sqrt();
    let (count, naive) = (series.len() as f64, error(series));
    if series.len() < 2 || naive == 0.0 {
        return if series.len() < 2 { f64::NAN } else { 0.0 };
    }
    let (mut blocks, mut length, mut largest) = (series.to_vec(), 1.0f64, naive);
    loop {
        let blocked = error(&blocks);
        largest = largest.max(blocked);
        if length.powi(3) > 2.0 * count * (blocked / naive).powi(4) {
            return blocked;
        }
        // Fewer than four blocks say nothing of their variance.
        if blocks.len() < 8 {
            return largest;
        }
        blocks = blocks.chunks_exact(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
        length *= 2.0;
    }
}

/// The integrated autocorrelation time ½ + Σ ρ(t) in samples, summed up to the first t ≥ 5 τ(t) (Madras and Sokal, J. Stat. Phys. 50, 109,
/// 1988); the autocovariances of all series are averaged. NaN if no series is long enough, or nothing varies.
pub fn autocorrelation_time(series: &[&[f64]]) -> f64 {
    let longest = series.iter().map(|values| values.len()).max().unwrap_or(0);
    let total = mean(series.iter().flat_map(|values| values.iter().copied()));
    // A short series' own mean would hide slow changes; that of all series does not.
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
    let zero = covariance(0);
    if longest < 2 || zero.is_nan() || zero <= 0.0 {
        return f64::NAN;
    }
    let mut tau = 0.5;
    for lag in 1..longest / 2 {
        tau += covariance(lag) / zero;
        if lag as f64 >= 5.0 * tau {
            return tau.max(0.5);
        }
    }
    f64::NAN
}

/// A function of means, such as a Binder cumulant, and its standard error by the jackknife over blocks.
///
/// `columns` holds the series of the quantities whose means `of` takes, all of one length. They are cut into `blocks` blocks, which should be
/// longer than the autocorrelation time; samples that are left over at the end are left out. The bias of order 1/n is removed.
///
/// # Panics
/// If the columns differ in length, or there are fewer than two blocks or samples for them.
pub fn jackknife(columns: &[&[f64]], blocks: usize, of: impl Fn(&[f64]) -> f64) -> (f64, f64) {
    let length = columns.first().map_or(0, |column| column.len());
    assert!(columns.iter().all(|column| column.len() == length), "the columns differ in length");
    assert!(blocks > 1 && length >= blocks, "{length} samples do not make {blocks} blocks");
    let size = length / blocks;
    let sums =
        |column: &&[f64]| -> Vec<f64> { column.chunks_exact(size).take(blocks).map(|b| b.iter().sum()).collect() };
    let sums: Vec<Vec<f64>> = columns.iter().map(sums).collect();
    let totals: Vec<f64> = sums.iter().map(|sums| sums.iter().sum()).collect();
    let means = |without: Option<usize>| -> Vec<f64> {
        let count = ((blocks - usize::from(without.is_some())) * size) as f64;
        let rest = |(total, sums): (&f64, &Vec<f64>)| (total - without.map_or(0.0, |block| sums[block])) / count;
        totals.iter().zip(&sums).map(rest).collect()
    };
    let all = of(&means(None));
    let parts: Vec<f64> = (0..blocks).map(|block| of(&means(Some(block)))).collect();
    let (count, centre) = (blocks as f64, mean(parts.iter().copied()));
    let error = ((count - 1.0) / count * parts.iter().map(|part| (part - centre).powi(2)).sum::<f64>()).sqrt();
    (count * all - (count - 1.0) * centre, error)
}

/// A function of means over several independent series, such as the members of an ensemble, and its standard error by the jackknife.
///
/// `series` holds for each member the columns whose means `of` takes. Blocks lie inside members and are at least four times as long as the
/// autocorrelation time of every column, as far as there are two blocks then; a member that is shorter than that is one block. NaN
/// where there are fewer than two blocks.
///
/// # Panics
/// If the columns of a member differ in length.
pub fn combined(series: &[Vec<Vec<f64>>], of: impl Fn(&[f64]) -> f64) -> (f64, f64) {
    let shortest = series.iter().filter_map(|member| member.first()).map(Vec::len).min().unwrap_or(0);
    let columns = series.first().map_or(0, Vec::len);
    if shortest == 0 || columns == 0 {
        return (f64::NAN, f64::NAN);
    }
    let slowest = (0..columns)
        .map(|column| autocorrelation_time(&series.iter().map(|member| member[column].as_slice()).collect::<Vec<_>>()))
        .fold(0.5, f64::max);
    // Of one member at least two blocks can be made.
    let longest = if series.len() > 1 { shortest } else { shortest / 2 };
    let size = ((4.0 * slowest).ceil() as usize).clamp(1, longest.max(1));
    let whole = |column: usize| -> Vec<f64> {
        let part = |member: &Vec<Vec<f64>>| member[column][..member[column].len() / size * size].to_vec();
        series.iter().flat_map(part).collect()
    };
    let joined: Vec<Vec<f64>> = (0..columns).map(whole).collect();
    let blocks = joined[0].len() / size;
    let joined: Vec<&[f64]> = joined.iter().map(Vec::as_slice).collect();
    if blocks < 2 {
        return (of(&joined.iter().map(|column| mean(column.iter().copied())).collect::<Vec<_>>()), f64::NAN);
    }
    jackknife(&joined, blocks, of)
}

/// A value of a curve at a place, with its standard error: (place, value, error).
pub type CurvePoint = (f64, f64, f64);

/// Where two curves cross, each with its standard error: between neighbouring places that both have, the curves are taken for straight.
/// The places of both curves ascend.
pub fn crossings(first: &[CurvePoint], second: &[CurvePoint]) -> Vec<(f64, f64)> {
    let differences: Vec<CurvePoint> = first
        .iter()
        .filter_map(|a| second.iter().find(|b| a.0 == b.0).map(|b| (a.0, a.1 - b.1, a.2.hypot(b.2))))
        .filter(|point| point.1.is_finite())
        .collect();
    let mut found = Vec::new();
    for (i, pair) in differences.windows(2).enumerate() {
        let [(x, from, from_error), (next, to, to_error)] = [pair[0], pair[1]];
        // A curve that touches at a place crosses there once.
        if from == 0.0 && i > 0 || from * to > 0.0 || from == to {
            continue;
        }
        let (step, all) = (next - x, from - to);
        let error = step * (to * from_error).hypot(from * to_error) / (all * all);
        found.push((x + step * from / all, error));
    }
    found
}

/// A power law y = amplitude · x^exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// The exponent,
    pub exponent: f64,
    /// and its standard error.
    pub exponent_error: f64,
    /// The amplitude,
    pub amplitude: f64,
    /// and its standard error.
    pub amplitude_error: f64,
    /// χ² for each degree of freedom; NaN if the points have no errors, or are two.
    pub chi_square: f64,
    /// The number of points.
    pub points: usize,
}

/// Fits a power law to the points with positive x and y, by least squares of logarithms. Points are weighted with their errors if all have
/// one; else the error of the exponent is that from how far they scatter. `None` for fewer than two places.
pub fn power_law(points: &[CurvePoint]) -> Option<PowerLaw> {
    let positive: Vec<CurvePoint> =
        points.iter().copied().filter(|(x, y, _)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite()).collect();
    let weighted = positive.iter().all(|(.., error)| *error > 0.0);
    let weight = |(_, y, error): &CurvePoint| if weighted { (y / error).powi(2) } else { 1.0 };
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        positive.iter().map(|point| weight(point) * of(point.0.ln(), point.1.ln())).sum()
    };
    let all = sum(&|_, _| 1.0);
    // Around the means, where the two errors do not depend on each other.
    let (x, y) = (sum(&|x, _| x) / all, sum(&|_, y| y) / all);
    let spread = sum(&|at, _| (at - x).powi(2));
    if positive.len() < 2 || spread <= 0.0 {
        return None;
    }
    let exponent = sum(&|at, to| (at - x) * (to - y)) / spread;
    let residual = sum(&|at, to| (to - y - exponent * (at - x)).powi(2));
    let freedom = positive.len() as f64 - 2.0;
    let scatter = if weighted { 1.0 } else { residual / freedom };
    let amplitude = (y - exponent * x).exp();
    Some(PowerLaw {
        exponent,
        exponent_error: (scatter / spread).sqrt(),
        amplitude,
        amplitude_error: amplitude * (scatter * (1.0 / all + x * x / spread)).sqrt(),
        chi_square: if weighted && freedom > 0.0 { residual / freedom } else { f64::NAN },
        points: positive.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal numbers from a fixed seed.
    struct Normal(u64);

    impl Normal {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ z >> 31) >> 11) as f64 * (-53f64).exp2()
        }

        fn next(&mut self) -> f64 {
            let (a, b) = (1.0 - self.uniform(), self.uniform());
            (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
        }
    }

    /// x(t+1) = φ x(t) + noise, in equilibrium from the start: variance 1 / (1 − φ²), τ = ½ (1 + φ) / (1 − φ).
    fn autoregressive(phi: f64, length: usize, seed: u64) -> Vec<f64> {
        let mut normal = Normal(seed);
        let mut x = normal.next() / (1.0 - phi * phi).sqrt();
        let step = |_| {
            let next = phi * x + normal.next();
            std::mem::replace(&mut x, next)
        };
        (0..length).map(step).collect()
    }

    #[test]
    fn series_of_known_correlation_give_it_back() {
        for (phi, length) in [(0.0, 20_000), (0.5, 40_000), (0.9, 200_000), (0.98, 1_000_000)] {
            let series = autoregressive(phi, length, 7);
            let tau = 0.5 * (1.0 + phi) / (1.0 - phi);
            let exact = (2.0 * tau / length as f64 / (1.0 - phi * phi)).sqrt();
            let found = estimate(&[&series]);
            assert!((found.tau / tau - 1.0).abs() < 0.1, "φ = {phi}: τ {} instead of {tau}", found.tau);
            assert!((found.error / exact - 1.0).abs() < 0.2, "φ = {phi}: error {} instead of {exact}", found.error);
            assert!(found.mean.abs() < 4.0 * found.error && found.samples == length);
        }
    }

    #[test]
    fn errors_cover_the_mean_as_often_as_they_should() {
        // Of 400 ensembles of four short series 95% should lie within two errors.
        let mut within = 0;
        for ensemble in 0..400 {
            let series: Vec<Vec<f64>> =
                (0..4).map(|member| autoregressive(0.8, 1000, 1000 * ensemble + member)).collect();
            let series: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
            let found = estimate(&series);
            within += usize::from(found.mean.abs() < 2.0 * found.error);
        }
        assert!((370..=396).contains(&within), "{within} of 400");
    }

    #[test]
    fn the_two_state_chain_is_exact() {
        // It flips with probability p: ρ(t) = (1 − 2p)^t, so τ = ½ + (1 − 2p) / 2p.
        let p = 0.1;
        let mut uniform = Normal(3);
        let mut up = false;
        let series: Vec<f64> = (0..300_000)
            .map(|_| {
                up ^= uniform.uniform() < p;
                f64::from(u8::from(up))
            })
            .collect();
        let found = estimate(&[&series]);
        let tau = 0.5 + (1.0 - 2.0 * p) / (2.0 * p);
        assert!((found.tau / tau - 1.0).abs() < 0.05, "{}", found.tau);
        assert!((found.mean - 0.5).abs() < 4.0 * found.error);
        let exact = (0.25 * 2.0 * tau / 300_000.0).sqrt();
        assert!((found.error / exact - 1.0).abs() < 0.15, "{}", found.error);
    }

    #[test]
    fn little_is_known_of_little() {
        let none = estimate(&[]);
        assert!(none.mean.is_nan() && none.error.is_nan() && none.samples == 0);
        let one = estimate(&[&[3.0]]);
        assert!(one.mean == 3.0 && one.error.is_nan() && one.tau.is_nan());
        let still = estimate(&[&[2.0; 50], &[2.0; 50]]);
        assert!(still.mean == 2.0 && still.error == 0.0 && still.tau.is_nan());
        let seeds = estimate(&[&[1.0], &[2.0], &[3.0]]);
        assert!(seeds.mean == 2.0 && (seeds.error - (1.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn cumulants_of_normal_numbers_vanish() {
        let mut normal = Normal(11);
        let values: Vec<f64> = (0..100_000).map(|_| normal.next()).collect();
        let (second, fourth): (Vec<f64>, Vec<f64>) = values.iter().map(|v| (v * v, v.powi(4))).unzip();
        // 1 − ⟨m⁴⟩ / 3⟨m²⟩² is 0 for normal numbers; its error is √(24 / 9n).
        let (binder, error) = jackknife(&[&second, &fourth], 100, |means| 1.0 - means[1] / (3.0 * means[0] * means[0]));
        assert!(binder.abs() < 4.0 * error, "{binder} ± {error}");
        assert!((error / (24.0f64 / 9.0 / 1e5).sqrt() - 1.0).abs() < 0.3, "{error}");
        let (mean, _) = jackknife(&[&[1.0, 2.0, 3.0, 6.0]], 2, |means| means[0]);
        assert_eq!(mean, 3.0);
    }

    #[test]
    fn combinations_have_errors_that_cover_them() {
        // The Binder cumulant of normal numbers is 0, however they are correlated.
        let mut within = 0;
        for ensemble in 0..100 {
            let member = |seed: u64| {
                let series = autoregressive(0.8, 2000, 4000 + 10 * ensemble + seed);
                [2, 4].map(|power| series.iter().map(|x| x.powi(power)).collect::<Vec<f64>>()).to_vec()
            };
            let series: Vec<_> = (0..4).map(member).collect();
            let (binder, error) = combined(&series, |means| 1.0 - means[1] / (3.0 * means[0] * means[0]));
            within += usize::from(binder.abs() < 2.0 * error);
        }
        assert!((85..=100).contains(&within), "{within} of 100");
        let (mean, error) = combined(&[vec![vec![3.0]]], |means| means[0]);
        assert!(mean == 3.0 && error.is_nan());
        assert!(combined(&[], |means| means[0]).0.is_nan());
        let (mean, error) = combined(&[vec![vec![1.0]], vec![vec![3.0]]], |means| means[0]);
        assert!(mean == 2.0 && (error - 1.0).abs() < 1e-12, "{mean} ± {error}");
    }

    #[test]
    fn curves_cross_where_they_do() {
        let line = |slope: f64, error: f64| -> Vec<CurvePoint> {
            (0..5).map(|i| (f64::from(i), slope * (f64::from(i) - 2.5), error)).collect()
        };
        let found = crossings(&line(1.0, 0.1), &line(-1.0, 0.1));
        assert_eq!(found.len(), 1);
        // The slope of the difference is 2, its error 0.1 √2 at both ends of the interval, of which each counts half.
        assert!((found[0].0 - 2.5).abs() < 1e-12 && (found[0].1 - 0.05).abs() < 1e-9, "{found:?}");
        let touching = [(0.0, -1.0, 0.1), (1.0, 0.0, 0.1), (2.0, 1.0, 0.1)];
        assert_eq!(crossings(&touching, &line(0.0, 0.0)).len(), 1);
        assert!(crossings(&line(1.0, 0.0), &line(1.0, 0.0)).is_empty() && crossings(&[], &line(1.0, 0.0)).is_empty());
    }

    #[test]
    fn power_laws_are_found_with_their_errors() {
        let mut normal = Normal(5);
        let mut within = 0;
        for _ in 0..200 {
            let points: Vec<CurvePoint> = (1..30)
                .map(|i| {
                    let (x, y) = (f64::from(i), 2.0 * f64::from(i).powf(-1.5));
                    (x, y * (1.0 + 0.02 * normal.next()), 0.02 * y)
                })
                .collect();
            let fit = power_law(&points).unwrap();
            within += usize::from((fit.exponent + 1.5).abs() < 2.0 * fit.exponent_error);
            assert!((fit.amplitude - 2.0).abs() < 6.0 * fit.amplitude_error && fit.chi_square < 3.0, "{fit:?}");
            let bare: Vec<CurvePoint> = points.iter().map(|(x, y, _)| (*x, *y, 0.0)).collect();
            let bare = power_law(&bare).unwrap();
            assert!((bare.exponent_error / fit.exponent_error - 1.0).abs() < 0.6 && bare.chi_square.is_nan());
        }
        assert!((180..=200).contains(&within), "{within} of 200");
        assert!(power_law(&[(1.0, 1.0, 0.1), (-1.0, 2.0, 0.1), (2.0, f64::NAN, 0.1)]).is_none());
    }
}
