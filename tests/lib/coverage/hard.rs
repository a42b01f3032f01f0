//! Series whose errors are hard to tell: members that depend on each other in two ways, two peaks, rare events, slow changes under quick noise, one run.

use super::{Coverage, Normal, cross, known, member};
use squeeze::statistics::{Combination, Estimate, Member, Point, power_law, power_law_of_windows};
use std::ops::RangeInclusive;

/// A kind of result of series that are hard.
pub struct Hard {
    /// Its name.
    pub name: &'static str,
    /// How far it is from the answer at a time, and its error, if there is one.
    pub compute: fn(u64) -> (f64, Option<f64>),
    /// How often an error is to be printed, in parts of all,
    pub printed: RangeInclusive<f64>,
    /// and χ² for each time at which one is.
    pub chi_square: RangeInclusive<f64>,
}

impl Hard {
    /// Computes it `times` times.
    pub fn cover(&self, times: u64) -> Coverage {
        Coverage::of(times, self.compute)
    }
}

/// The title of the table.
pub fn title_of_hard() -> String {
    "| what is hard | printed | χ²/n | within 1 | within 2 |".to_owned()
}

/// All kinds. Where there is hardly ever an error, χ² of the few is not asked for.
pub fn hard() -> Vec<Hard> {
    let kind = |name, compute, printed, chi_square| Hard { name, compute, printed, chi_square };
    let (always, seldom, fair, any) = (0.9..=1.0, 0.0..=0.15, 0.4..=1.6, 0.0..=f64::MAX);
    vec![
        kind(
            "mean, 8 seeds go with 8 disorders, both matter",
            |t| crossed(t, 8, 8, [1.0, 1.0]),
            always.clone(),
            fair.clone(),
        ),
        kind(
            "mean, 8 seeds go with 16 disorders, seeds matter",
            |t| crossed(t, 8, 16, [2.0, 0.5]),
            always.clone(),
            fair.clone(),
        ),
        kind(
            "mean, 8 seeds go with 16 disorders, disorders matter",
            |t| crossed(t, 8, 16, [0.0, 1.0]),
            always.clone(),
            fair.clone(),
        ),
        kind(
            "mean, 8 seeds go with 16 disorders, none matters",
            |t| crossed(t, 8, 16, [0.0, 0.0]),
            always.clone(),
            fair.clone(),
        ),
        kind("mean, one seed goes with 16 disorders", |t| crossed(t, 1, 16, [1.0, 1.0]), 0.0..=0.0, any.clone()),
        kind("power law, 8 seeds go with 8 disorders", crossed_law, always.clone(), fair.clone()),
        kind("crossing of means, 8 seeds go with 8 disorders", crossed_crossing, 0.6..=1.0, fair.clone()),
        kind("fluctuation of two peaks, 1 × 4000, τ 10", |t| two_peaks(t, 1, 4000, 10.0), always.clone(), 0.05..=1.6),
        kind("fluctuation of two peaks, 128 × 30, τ 10000", |t| two_peaks(t, 128, 30, 1e4), always.clone(), 0.05..=1.6),
        kind("mean of 16 members that are 1 by chance 0.1", |t| rare(t, 0.1), 0.6..=0.95, 0.2..=1.6),
        kind("slow mode under noise, 1 × 4000, 20 slow times", |t| slow(t, 4000), 0.0..=0.65, any.clone()),
        kind("slow mode under noise, 1 × 80000, 400 slow times", |t| slow(t, 80_000), 0.7..=1.0, fair.clone()),
        kind("mean, 1 × 1000, τ 10", |t| alone(t, 1000), seldom.clone(), any.clone()),
        kind("mean, 1 × 1600, τ 10", |t| alone(t, 1600), seldom, any),
        kind(
            "power law of one run, 10 windows, later ones uncertain",
            |t| windows(t, 10, 0.4, 0.6),
            0.8..=1.0,
            0.2..=1.6,
        ),
        kind("power law of one run, 20 windows, independent", |t| windows(t, 20, 0.0, 0.0), always, 0.05..=1.6),
    ]
}

/// An observable of each member: contributions of its seed and its disorder, times these factors, and one of its own.
fn of_crossed(
    time: u64,
    seeds: u64,
    disorders: u64,
    [by_seed, by_disorder]: [f64; 2],
    point: u64,
) -> Vec<(u64, u64, f64)> {
    let normal = |of: u64, purpose: u64| Normal::new(time, of, purpose).next();
    let of = |(seed, disorder): (u64, u64)| {
        let own = normal(1000 * disorder + seed, 10 + point);
        (seed, disorder, by_seed * normal(seed, 1) + by_disorder * normal(disorder, 2) + 0.5 * own)
    };
    (0..disorders).flat_map(|disorder| (0..seeds).map(move |seed| (seed, disorder))).map(of).collect()
}

/// Members that have one value each. No seed is the number of a disorder.
fn members(values: Vec<(u64, u64, f64)>) -> Point<'static> {
    let of = |(seed, disorder, value)| Member { disorder: 500 + disorder, ..member(seed, vec![value]) };
    values.into_iter().map(of).collect()
}

fn crossed(time: u64, seeds: u64, disorders: u64, factors: [f64; 2]) -> (f64, Option<f64>) {
    let Estimate { mean, error, .. } =
        Combination::Mean.estimate(&members(of_crossed(time, seeds, disorders, factors, 0)), 0);
    (mean, known(error))
}

/// 2 x^−1.5 at eight places.
fn crossed_law(time: u64) -> (f64, Option<f64>) {
    let at = |i: u64| {
        let x = 1.5f64.powi(i as i32);
        // Contributions of a seed and a disorder grow along the curve, so that slopes do not lose them.
        let factors = [0.1 * i as f64; 2];
        let value = |(seed, disorder, noise)| (seed, disorder, 2.0 * x.powf(-1.5) * (1.0 + 0.3 * noise));
        (x, members(of_crossed(time, 8, 8, factors, i).into_iter().map(value).collect()))
    };
    let law = power_law(&(0..8).map(at).collect::<Vec<_>>(), Combination::Mean);
    law.map_or((f64::NAN, None), |law| (law.exponent + 1.5, known(law.exponent_error)))
}

fn crossed_crossing(time: u64) -> (f64, Option<f64>) {
    let curve = |first: u64, slope: f64, factors: [f64; 2]| -> Vec<Point<'static>> {
        let at = |(i, x): (u64, &f64)| {
            let height = (4.0 * slope * (x - super::CROSSING)).tanh();
            let value = |(seed, disorder, noise)| (seed, disorder, height + 0.1 * noise);
            members(of_crossed(time, 8, 8, factors, first + i).into_iter().map(value).collect())
        };
        (0..).zip(&super::PLACES).map(at).collect()
    };
    cross([curve(0, 1.0, [0.2, 1.0]), curve(20, 3.0, [1.0, 0.2])], Combination::Mean)
}

/// ± 1 with a little noise: 1.0025.
fn two_peaks(time: u64, members: u64, samples: usize, tau: f64) -> (f64, Option<f64>) {
    let of = |seed: u64| {
        let (mut noise, sides) = (Normal::new(time, seed, 0), Normal::new(time, seed, 1).sides(tau, samples));
        member(seed, sides.into_iter().map(|side| side + 0.05 * noise.next()).collect())
    };
    let point: Point<'_> = (0..members).map(of).collect();
    let found = Combination::Fluctuation.estimate(&point, 0);
    (found.mean - 1.0025, known(found.error))
}

fn rare(time: u64, chance: f64) -> (f64, Option<f64>) {
    let of = |seed: u64| member(seed, vec![f64::from(u8::from(Normal::new(time, seed, 0).uniform() < chance)); 5]);
    let found = Combination::Mean.estimate(&(0..16).map(of).collect::<Vec<_>>(), 0);
    (found.mean - chance, known(found.error))
}

/// A slow part, τ = 200, has a hundredth of the variance of the noise.
fn slow(time: u64, samples: usize) -> (f64, Option<f64>) {
    let mut noise = Normal::new(time, 0, 0);
    let slow = Normal::new(time, 0, 1).series(200.0, samples);
    let series = slow.into_iter().map(|slow| 0.1 * slow + noise.next()).collect();
    let found = Combination::Mean.estimate(&[member(0, series)], 0);
    (found.mean, known(found.error))
}

fn alone(time: u64, samples: usize) -> (f64, Option<f64>) {
    let found = Combination::Mean.estimate(&[member(0, Normal::new(time, 0, 0).series(10.0, samples))], 0);
    (found.mean, known(found.error))
}

/// t^−0.5 at t = 1, 2, 4, …, which deviates by more and more, and from time to time alike.
fn windows(time: u64, count: usize, growth: f64, dependence: f64) -> (f64, Option<f64>) {
    let (mut normal, mut deviation) = (Normal::new(time, 0, 0), 0.0);
    let at = |i: usize| {
        let own = if i == 0 { 1.0 } else { (1.0f64 - dependence * dependence).sqrt() };
        deviation = dependence * deviation + own * normal.next();
        let t = (i as f64).exp2();
        (t, t.powf(-0.5) * (0.01 * t.powf(growth) * deviation).exp())
    };
    let law = power_law_of_windows(&(0..count).map(at).collect::<Vec<_>>(), 2.0);
    law.map_or((f64::NAN, None), |law| (law.exponent + 0.5, known(law.exponent_error)))
}
