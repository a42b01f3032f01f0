//! Means of correlated series, and functions of them, with errors that hold.
//!
//! Observables of successive time steps resemble each other, members of a sweep share their seeds at all values of its parameters, and so do sweeps
//! on several levels. Hence there is one way to errors, the *jackknife* ([`jackknife`]): something is left out everywhere at once, the whole
//! is computed again without it, and how far the results lie apart says how uncertain they are. What is left out are the members with one seed; and, where autocorrelation
//! times are known, blocks of time of them that are several autocorrelation times long. The larger error counts. Where neither can be
//! had there is no error, and [`Unknown`] says why.

mod fits;

pub(crate) use fits::power_law_of_windows;
pub use fits::{Crossing, PowerLaw, crossing, power_law};

use squeeze_compiler::numbers::mode::DefaultMode;
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The fewest different seeds from which an error is made without blocks of time: Student's distribution of fewer has no standard deviation.
pub(crate) const FEWEST_MEMBERS: usize = 4;
/// The same for what is made of several means, such as a cumulant, which is too skewed with fewer: χ²/n of 64 was up to 2.4 (`docs/src/commands.md`).
pub const FEWEST_COMBINED: usize = 100;
/// The same for the place where curves of such values cross.
const FEWEST_CROSSING: usize = 1000;
/// Windows of one run from which an error is made.
const FEWEST_WINDOWS: usize = 8;
/// Blocks from which an error is made.
const FEWEST_BLOCKS: usize = 32;
/// The most blocks. With these the error is known to 6%, and more would not help.
const MOST_BLOCKS: usize = 128;
/// Autocorrelation times in a block.
const TIMES_IN_A_BLOCK: f64 = 5.0;

/// What one member has sampled: one number after the other, equally far apart in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// Members with the same seed, at whatever point, depend on each other.
    pub seed: u64,
    /// The series of all quantities whose means are needed, of one length.
    pub columns: Vec<Cow<'a, [f64]>>,
}

/// The members at one point: with the same values of all parameters.
pub type Point<'a> = Vec<Member<'a>>;

/// Why an error cannot be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unknown {
    /// So few members, whose series are too short for blocks of several autocorrelation times.
    Short {
        /// How many there are.
        members: usize,
        /// How many would do.
        fewest: usize,
    },
    /// A crossing that may lie beyond the places at which there is something.
    Vague,
    /// Without one of its parts there is no result, such as a crossing.
    Vanishes,
    /// So few windows of one run.
    Windows(usize),
    /// Neighbouring windows of a run are correlated.
    Correlated,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::Short { members, fewest } => {
                let members = if *members == 1 { "1 member".to_owned() } else { format!("{members} members") };
                let most = FEWEST_BLOCKS as f64 * TIMES_IN_A_BLOCK;
                write!(
                    f,
                    "{members}, and not {most} autocorrelation times together: {fewest} or more seeds, or more steps, would tell it"
                )
            }
            Unknown::Vague => {
                f.write_str("three errors reach beyond the values of the parameter: more steps would tell it")
            }
            Unknown::Vanishes => f.write_str("without one of its members or blocks there is no result"),
            Unknown::Windows(windows) => write!(f, "{windows} windows are too few: {FEWEST_WINDOWS} would tell it"),
            Unknown::Correlated => f.write_str("neighbouring windows depend on each other: wider ones may not"),
        }
    }
}

/// What a set of series of one observable says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The mean over all samples of all series, or what a function makes of means.
    pub mean: f64,
    /// The standard error; NaN if it is unknown.
    pub error: f64,
    /// The integrated autocorrelation time ½ + Σ ρ(t), in samples; NaN if no series is long enough to tell or nothing varies.
    pub tau: f64,
    /// The number of samples.
    pub samples: usize,
    /// Why the error is unknown.
    pub unknown: Option<Unknown>,
}

/// What is made of the means of powers of an observable x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Combination {
    /// The mean ⟨x⟩ itself.
    Mean,
    /// Binder's cumulant 1 − ⟨x⁴⟩ / 3⟨x²⟩².
    Binder,
    /// The fluctuation ⟨x²⟩ − ⟨x⟩², which susceptibilities and specific heats are made of.
    Fluctuation,
}

impl Combination {
    /// The powers whose means are needed.
    pub(crate) fn powers(self) -> &'static [i32] {
        match self {
            Combination::Mean => &[1],
            Combination::Binder => &[2, 4],
            Combination::Fluctuation => &[1, 2],
        }
    }

    /// From how many members alone an error is made.
    fn fewest(self) -> usize {
        match self {
            Combination::Mean => FEWEST_MEMBERS,
            Combination::Binder | Combination::Fluctuation => FEWEST_COMBINED,
        }
    }

    /// What these means make.
    #[doc(hidden)]
    pub fn of(self, means: &[f64]) -> f64 {
        match self {
            Combination::Mean => means[0],
            Combination::Binder => 1.0 - means[1] / (3.0 * means[0] * means[0]),
            Combination::Fluctuation => means[1] - means[0] * means[0],
        }
    }

    /// The series of the powers of one column of each member.
    #[doc(hidden)]
    pub fn select<'a>(self, point: &'a [Member<'_>], column: usize) -> Point<'a> {
        let power = |series: &'a [f64], power: i32| match power {
            1 => Cow::Borrowed(series),
            _ => series.iter().map(|x| x.powi(power)).collect(),
        };
        let member = |member: &'a Member<'_>| {
            let columns = self.powers().iter().map(|n| power(&member.columns[column], *n)).collect();
            Member { seed: member.seed, columns }
        };
        point.iter().map(member).collect()
    }

    /// Estimates it for one column.
    pub fn estimate(self, point: &[Member<'_>], column: usize) -> Estimate {
        let _mode = DefaultMode::enter();
        Estimate::of(&self.select(point, column), self)
    }
}

impl Estimate {
    /// Estimates what is made of the means of all columns. Its τ is that of the slowest column.
    fn of(point: &[Member<'_>], combination: Combination) -> Estimate {
        let samples = point.iter().map(Member::len).sum();
        if samples == 0 {
            return Estimate {
                mean: f64::NAN,
                error: f64::NAN,
                tau: f64::NAN,
                samples,
                unknown: Some(Unknown::Short { members: 0, fewest: combination.fewest() }),
            };
        }
        let taus = taus(point);
        let found =
            leave_out_with(&[point], &[slowest(&taus)], combination.fewest(), |means| [combination.of(&means[0])]);
        let (error, unknown) = match found.errors {
            Ok([error]) => (error, None),
            Err(unknown) => (f64::NAN, Some(unknown)),
        };
        let tau = taus.iter().fold(f64::NAN, |tau, own| tau.max(*own));
        Estimate { mean: found.values[0], error, tau, samples, unknown }
    }
}

impl Member<'_> {
    /// One sample of it.
    pub fn at(&self, sample: usize) -> Option<Member<'_>> {
        let column = |column: &'_ Cow<'_, [f64]>| column.get(sample).map(|value| Cow::Owned(vec![*value]));
        let columns = self.columns.iter().map(column).collect::<Option<_>>()?;
        Some(Member { seed: self.seed, columns })
    }

    /// The number of samples.
    fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| column.len())
    }
}

/// The mean of one value of each of some members, and its standard error, as of [`Combination::Mean`] at one time: NaN of too few.
pub(crate) fn over_members(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.len() as f64;
    // About the first value, large ones keep their digits.
    let pivot = values.clone().next().unwrap_or(f64::NAN);
    let mean = pivot + values.clone().map(|value| value - pivot).sum::<f64>() / count;
    let squares: f64 = values.clone().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count * (count - 1.0))).sqrt() * widening(values.len());
    (mean, if values.len() >= FEWEST_MEMBERS { error } else { f64::NAN })
}

/// The integrated autocorrelation time ½ + Σ ρ(t) in samples, summed up to the first t ≥ 5 τ(t) (Madras and Sokal, J. Stat. Phys. 50, 109,
/// 1988); the autocovariances of all series are averaged. NaN if no series is long enough, or nothing varies.
pub(crate) fn autocorrelation_time(series: &[&[f64]]) -> f64 {
    let longest = series.iter().map(|values| values.len()).max().unwrap_or(0);
    let samples: usize = series.iter().map(|values| values.len()).sum();
    // A short series' own mean would hide slow changes; that of all series does not.
    let total = series.iter().copied().flatten().sum::<f64>() / samples as f64;
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
            // The mean of all samples is nearer to them than the true one, which takes as much from each covariance (U. Wolff, Comput. Phys.
            // Commun. 156, 143, 2004).
            return tau.max(0.5) * (1.0 + (2 * lag + 1) as f64 / samples as f64);
        }
    }
    f64::NAN
}

/// How many standard errors the mean over the first tenth of a column's series lies from that over the rest, from how members differ in it, or, if
/// they are few, by the autocorrelation time; NaN if neither tells.
pub(crate) fn drift(point: &[Member<'_>], column: usize, tau: f64) -> f64 {
    let parts = point.iter().map(|member| member.columns[column].split_at(member.len().div_ceil(10)));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mut differences, mut variance, mut samples) = (Vec::new(), 0.0, 0);
    for (first, rest) in parts.filter(|(_, rest)| !rest.is_empty()) {
        let centre = mean(rest);
        differences.push(mean(first) - centre);
        variance += rest.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / rest.len() as f64;
        samples += first.len();
    }
    let count = differences.len();
    let difference = mean(&differences);
    let error = if count >= FEWEST_MEMBERS {
        let squares: f64 = differences.iter().map(|own| (own - difference).powi(2)).sum();
        widening(count) * (squares / (count * (count - 1)) as f64).sqrt()
    } else {
        (2.0 * tau * variance / count as f64 / samples as f64).sqrt()
    };
    if error > 0.0 { difference.abs() / error } else { f64::NAN }
}

/// How many samples at the beginning are better left out of the means of a column, at most half: so many that the variance of the mean over members in the
/// rest, divided by its length, is least (K. P. White, Simulation 69, 323, 1997), or three autocorrelation times of that rest if these are more.
pub(crate) fn transient(point: &[Member<'_>], column: usize) -> usize {
    let shortest = point.iter().map(Member::len).min().unwrap_or(0);
    let at = |i: usize| point.iter().map(|member| member.columns[column][i]).sum::<f64>();
    let pivot = if shortest > 0 { at(shortest - 1) } else { 0.0 };
    let (mut sum, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, 0));
    for i in (0..shortest).rev() {
        let (value, count) = (at(i) - pivot, (shortest - i) as f64);
        (sum, squares) = (sum + value, squares + value * value);
        let score = (squares - sum * sum / count) / (count * count);
        if i <= shortest / 2 && score <= best.0 {
            best = (score, i);
        }
    }
    let rest: Vec<&[f64]> = point.iter().map(|member| &member.columns[column][best.1..]).collect();
    let tau = autocorrelation_time(&rest);
    let slow = if tau.is_nan() { 0 } else { (3.0 * tau).ceil() as usize };
    best.1.max(slow).min(shortest / 2)
}

/// The autocorrelation time of each column.
fn taus(point: &[Member<'_>]) -> Vec<f64> {
    let columns = point.first().map_or(0, |member| member.columns.len());
    let series = |column: usize| -> Vec<&[f64]> { point.iter().map(|member| &*member.columns[column]).collect() };
    (0..columns).map(|column| autocorrelation_time(&series(column))).collect()
}

/// The longest of the autocorrelation times; one that is unknown is longer than all.
fn slowest(taus: &[f64]) -> f64 {
    taus.iter().fold(0.5, |slowest, tau| if tau.is_nan() { f64::INFINITY } else { slowest.max(*tau) })
}

/// Values that depend on the means at some points, and their standard errors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Jackknife<const N: usize> {
    /// The values. Their bias of order 1/n is removed if something can be left out, but for those that vanish then.
    pub values: [f64; N],
    /// Their standard errors, or why there are none.
    pub errors: Result<[f64; N], Unknown>,
    /// The members or blocks that can be left out at the point that has the fewest: the error rests on them.
    pub blocks: usize,
}

/// Computes values from the means of all columns at all points, with errors, from `fewest` members alone at the fewest: what is left out is left out at
/// all points.
pub fn jackknife<const N: usize>(
    points: &[&[Member<'_>]],
    fewest: usize,
    of: impl Fn(&[Vec<f64>]) -> [f64; N],
) -> Jackknife<N> {
    let _mode = DefaultMode::enter();
    let slowest: Vec<f64> = points.iter().map(|point| slowest(&taus(point))).collect();
    leave_out_with(points, &slowest, fewest, of)
}

/// The same with the autocorrelation time of each point.
fn leave_out_with<const N: usize>(
    points: &[&[Member<'_>]],
    taus: &[f64],
    fewest: usize,
    of: impl Fn(&[Vec<f64>]) -> [f64; N],
) -> Jackknife<N> {
    let members = points.iter().map(|point| seeds(point)).min().unwrap_or(0);
    let sums = |parts: usize| -> Vec<Sums> { points.iter().map(|point| Sums::new(point, parts)).collect() };
    let known = |values: [f64; N], errors: [f64; N], blocks: usize| {
        let finite = errors.iter().all(|error| error.is_finite());
        Jackknife { values, errors: if finite { Ok(errors) } else { Err(Unknown::Vanishes) }, blocks }
    };
    let mut parts = MOST_BLOCKS / members.max(1);
    // The longest autocorrelation time over the shortest series. Times `parts` it is that over a block: by so much neighbouring blocks depend on each other.
    let mut edge: f64 = 0.0;
    for (point, tau) in points.iter().zip(taus) {
        let shortest = point.iter().map(Member::len).min().unwrap_or(0) as f64;
        parts = parts.min((shortest / (TIMES_IN_A_BLOCK * tau)) as usize);
        edge = edge.max(tau / shortest);
    }
    if parts > 1 && members * parts >= FEWEST_BLOCKS {
        let (values, errors) = leave_out(&sums(parts), &of);
        let correction = widening(members * parts) / (1.0 - edge * parts as f64).sqrt();
        let mut errors = errors.map(|error| error * correction);
        if members > 1 {
            let (_, by_member) = leave_out(&sums(1), &of);
            errors.iter_mut().zip(by_member).for_each(|(error, own)| *error = error.max(own));
        }
        return known(values, errors, members * parts);
    }
    let sums = sums(1);
    if members >= fewest {
        let (values, errors) = leave_out(&sums, &of);
        return known(values, errors.map(|error| error * widening(members)), members);
    }
    let means: Vec<Vec<f64>> = sums.iter().map(|sums| sums.means(None)).collect();
    Jackknife { values: of(&means), errors: Err(Unknown::Short { members, fewest }), blocks: members }
}

/// By how much an error from `blocks` blocks is larger for being uncertain itself: the standard deviation of Student's distribution.
fn widening(blocks: usize) -> f64 {
    ((blocks as f64 - 1.0) / (blocks as f64 - 3.0)).sqrt()
}

/// The sums over the samples at a point: of all, and of each block of a seed.
struct Sums {
    /// What is taken from each sample of a column before it is added.
    pivots: Vec<f64>,
    all: Sum,
    blocks: BTreeMap<(u64, usize), Sum>,
}

/// The sum over some samples of each column.
#[derive(Clone, Default)]
struct Sum {
    count: f64,
    columns: Vec<f64>,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.count += other.count;
        self.columns.iter_mut().zip(&other.columns).for_each(|(sum, own)| *sum += own);
    }
}

/// How many different seeds the members at a point have.
fn seeds(point: &[Member<'_>]) -> usize {
    point.iter().map(|member| member.seed).collect::<BTreeSet<u64>>().len()
}

impl Sums {
    /// Cuts each member's series into `parts` blocks.
    fn new(point: &[Member<'_>], parts: usize) -> Sums {
        let columns = point.first().map_or(0, |member| member.columns.len());
        let first = |column: usize| point.iter().find_map(|member| member.columns[column].first().copied());
        let pivots: Vec<f64> = (0..columns).map(|column| first(column).unwrap_or(0.0)).collect();
        let mut all = Sum { count: 0.0, columns: vec![0.0; columns] };
        let mut blocks: BTreeMap<(u64, usize), Sum> = BTreeMap::new();
        for member in point {
            let length = member.len();
            for part in 0..parts {
                let range = length * part / parts..length * (part + 1) / parts;
                let sum =
                    |(column, pivot): (&Cow<'_, [f64]>, &f64)| column[range.clone()].iter().map(|x| x - pivot).sum();
                let columns: Vec<f64> = member.columns.iter().zip(&pivots).map(sum).collect();
                all.count += range.len() as f64;
                all.columns.iter_mut().zip(&columns).for_each(|(all, own)| *all += own);
                let sum = Sum { count: range.len() as f64, columns };
                match blocks.entry((member.seed, part)) {
                    Entry::Vacant(place) => drop(place.insert(sum)),
                    Entry::Occupied(mut others) => others.get_mut().add(&sum),
                }
            }
        }
        Sums { pivots, all, blocks }
    }

    /// The means of all columns, without a block.
    fn means(&self, without: Option<&Sum>) -> Vec<f64> {
        let count = self.all.count - without.map_or(0.0, |sum| sum.count);
        let sum = |column: usize| self.all.columns[column] - without.map_or(0.0, |sum| sum.columns[column]);
        self.pivots.iter().enumerate().map(|(column, pivot)| pivot + sum(column) / count).collect()
    }
}

/// Leaves out one block after the other, at all points that have it: values without bias, and errors. A value that is not there without some block stays
/// as it is; its error is not finite.
///
/// Points may have different blocks, as sweeps with different seeds do; for each block the change is then scaled as the smallest point that has it
/// needs.
fn leave_out<const N: usize>(points: &[Sums], of: impl Fn(&[Vec<f64>]) -> [f64; N]) -> ([f64; N], [f64; N]) {
    let mut means: Vec<Vec<f64>> = points.iter().map(|sums| sums.means(None)).collect();
    let all = of(&means);
    let (mut values, mut squares) = (all, [0.0; N]);
    let blocks: BTreeSet<&(u64, usize)> = points.iter().flat_map(|sums| sums.blocks.keys()).collect();
    for block in blocks {
        let mut fewest = usize::MAX;
        for (sums, means) in points.iter().zip(&mut means) {
            if let Some(own) = sums.blocks.get(block) {
                *means = sums.means(Some(own));
                fewest = fewest.min(sums.blocks.len());
            }
        }
        let rest = of(&means);
        let scale = 1.0 - 1.0 / fewest as f64;
        for ((value, square), (rest, all)) in values.iter_mut().zip(&mut squares).zip(rest.iter().zip(&all)) {
            let change = rest - all;
            *value -= scale * change;
            *square += scale * change * change;
        }
        for (sums, means) in points.iter().zip(&mut means) {
            if sums.blocks.contains_key(block) {
                *means = sums.means(None);
            }
        }
    }
    let value = |i: usize| if squares[i].is_finite() { values[i] } else { all[i] };
    (std::array::from_fn(value), squares.map(f64::sqrt))
}

#[cfg(test)]
mod tests;
