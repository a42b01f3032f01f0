//! Means of correlated series, and functions of them, with errors that hold.
//!
//! Observables of successive time steps resemble each other, members of a sweep share their seeds at all values of its parameters, and so do sweeps
//! on several levels. Hence there is one way to errors, the *jackknife* ([`jackknife`]): something is left out everywhere at once, the whole
//! is computed again without it, and how far the results lie apart says how uncertain they are. Left out are the members with one seed, and those with one
//! disorder, if seeds go with several; and, where autocorrelation times are known, blocks of time of them that are several autocorrelation times long. The larger error counts. Where neither can be
//! had there is no error, and [`Unknown`] says why.

mod correlation;
mod fits;
mod inside;
mod jackknife;
#[cfg(feature = "files")]
pub(crate) mod reweight;

pub(crate) use fits::heights;
pub use fits::{Crossing, PowerLaw, crossing, power_law, power_law_of_windows};
pub use jackknife::{Jackknife, jackknife};

use correlation::{CorrelationTimes, Windowed, memory};
use jackknife::{Leaving, TIMES, slowest, widening};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

/// The fewest different seeds from which an error is made without blocks of time: Student's distribution of fewer has no standard deviation.
pub(crate) const FEWEST_MEMBERS: usize = 4;
/// The fewest seeds for a value of several means, such as a cumulant, which is too skewed with fewer: χ²/n of 64 was up to 2.4 (`docs/src/commands.md`).
pub const FEWEST_COMBINED: usize = 100;
/// The fewest seeds for a place where curves of such values cross.
const FEWEST_CROSSING: usize = 1000;
/// Windows of one run from which an error is made.
const FEWEST_WINDOWS: usize = 8;
/// Blocks from which an error is made.
const FEWEST_BLOCKS: usize = 32;

/// The samples of one member: one after the other, equally far apart in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// Members with the same seed, at whatever point, depend on each other,
    pub seed: u64,
    /// and so do those with the same disorder: that of the seed, unless each seed goes with several.
    pub disorder: u64,
    /// What was drawn for ever in it: the seed, if `init` draws what never changes, and the disorder of the rule or the domain. Members in which these differ are of different systems.
    pub system: (u64, u64),
    /// Whether nothing in it is drawn: samples that are equal could not have been others then.
    pub is_certain: bool,
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
    /// Members that share so few seeds, or so few disorders.
    Shared {
        /// How many seeds there are,
        seeds: usize,
        /// how many disorders each of them goes with,
        disorders: usize,
        /// and how many of each would do.
        fewest: usize,
    },
    /// Curves between members of several disorders that share seeds.
    Crossed {
        /// How many seeds there are,
        seeds: usize,
        /// and how many disorders each of them goes with.
        disorders: usize,
    },
    /// Samples that are all the same, though something is drawn.
    Equal,
    /// Without one of its parts there is no result, such as a crossing.
    Vanishes,
    /// A value that is no number, or infinite.
    NoNumber,
    /// Members of several disorders, whose series do not tell how each of these fluctuates.
    Inside,
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
                write!(
                    f,
                    "{members}, and not {TIMES} autocorrelation times together, of the longest that may be right: {fewest} or more seeds, or more steps, would tell it"
                )
            }
            Unknown::Shared { seeds, disorders, fewest } => {
                let plural = if *seeds == 1 { "" } else { "s" };
                write!(
                    f,
                    "members of {disorders} disorders share {seeds} seed{plural}: {fewest} or more of each would tell it, or a sweep without `--disorder`, where each seed has its own"
                )
            }
            Unknown::Crossed { seeds, disorders } => {
                let plural = if *seeds == 1 { "" } else { "s" };
                write!(
                    f,
                    "members of {disorders} disorders share {seeds} seed{plural}: curves have errors where each seed has a disorder of its own, as in a sweep without `--disorder`"
                )
            }
            Unknown::Equal => f.write_str(
                "all members are equal, which does not tell how far others may lie: more seeds or more steps may",
            ),
            Unknown::Vague => {
                f.write_str("three errors reach beyond the values of the parameter: more steps would tell it")
            }
            Unknown::Vanishes => f.write_str("without one of its members or blocks there is no result"),
            Unknown::NoNumber => {
                f.write_str("the value is no number: it divides by a mean that is 0, or powers are too large")
            }
            Unknown::Inside => f.write_str(
                "each disorder has a fluctuation of its own, and series are too short to tell it: more steps would",
            ),
            Unknown::Windows(windows) => write!(f, "{windows} windows are too few: {FEWEST_WINDOWS} would tell it"),
            Unknown::Correlated => f.write_str("neighbouring windows depend on each other: wider ones may not"),
        }
    }
}

/// The mean of a set of series of one observable, with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The mean over all samples of all series, or the value of a function of means.
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

/// A function of the means of powers of an observable x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Combination {
    /// The mean ⟨x⟩ itself.
    Mean,
    /// Binder's cumulant 1 − ⟨x⁴⟩ / 3⟨x²⟩².
    Binder,
    /// The fluctuation ⟨x²⟩ − ⟨x⟩², which susceptibilities and specific heats are made of; of members of several systems the mean over those of each system.
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

    /// Whether it may hang on the square of a mean that is near 0.
    fn is_curved(self) -> bool {
        self == Combination::Fluctuation
    }

    /// The most that it can be with these means, which a value without bias may lie above.
    pub(crate) fn most(self, means: &[f64]) -> f64 {
        match self {
            Combination::Mean => f64::MAX,
            Combination::Binder => 2.0 / 3.0,
            Combination::Fluctuation => means[means.len() - 1],
        }
    }

    /// The value for these means.
    #[doc(hidden)]
    pub fn of(self, means: &[f64]) -> f64 {
        match (self, means) {
            (Combination::Mean, _) => means[0],
            (Combination::Binder, _) => 1.0 - means[1] / (3.0 * means[0] * means[0]),
            (Combination::Fluctuation, [_, _, inside]) => *inside,
            (Combination::Fluctuation, _) => means[1] - means[0] * means[0],
        }
    }

    /// The series whose means it is made of, of one column of each member.
    #[doc(hidden)]
    pub fn select<'a>(self, point: &'a [Member<'_>], column: usize) -> Point<'a> {
        match self == Combination::Fluctuation && point.windows(2).any(|pair| pair[0].system != pair[1].system) {
            true => inside::fluctuations(point, column),
            false => self.powers_about(point, column, self.pivot(point, column)),
        }
    }

    /// A number that powers may be taken about, so that they keep their digits: the value of a fluctuation does not depend on it.
    pub(crate) fn pivot(self, point: &[Member<'_>], column: usize) -> f64 {
        let samples = || point.iter().flat_map(|member| member.columns[column].iter());
        let first = samples().next().filter(|_| self == Combination::Fluctuation);
        // Of what is on both sides of 0 the mean square is the most that it can be.
        let is_far = |first: &&f64| samples().all(|x| (0.5..=2.0).contains(&(x / *first)));
        first.filter(is_far).copied().unwrap_or(0.0)
    }

    /// The series of the powers of one column of each member, less a number.
    pub(crate) fn powers_about<'a>(self, point: &'a [Member<'_>], column: usize, pivot: f64) -> Point<'a> {
        let power = |series: &'a [f64], power: i32| match power {
            1 if pivot == 0.0 => Cow::Borrowed(series),
            _ => series.iter().map(|x| (x - pivot).powi(power)).collect(),
        };
        let member = |member: &'a Member<'_>| {
            let columns = self.powers().iter().map(|n| power(&member.columns[column], *n)).collect();
            Member { columns, ..Member::of(member) }
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
    /// Estimates a function of the means of all columns. Its τ is the slowest column's.
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
        let memories = memories(point);
        let tau = memories.iter().flatten().fold(f64::NAN, |tau, own| tau.max(own.tau));
        let leaving = Leaving {
            points: &[point],
            memories: &[slowest(&memories)],
            fewest: combination.fewest(),
            is_curved: combination.is_curved(),
            is_linear: combination == Combination::Mean,
        };
        let found = leaving.errors(|means| [combination.of(&means[0]), combination.most(&means[0])]);
        let ([mean, most], (error, unknown)) = (
            found.values,
            match found.errors {
                Ok([error, _]) => (error, None),
                Err(Unknown::NoNumber) if combination == Combination::Fluctuation && point[0].columns.len() == 3 => {
                    (f64::NAN, Some(Unknown::Inside))
                }
                Err(unknown) => (f64::NAN, Some(unknown)),
            },
        );
        Estimate { mean: if mean > most { most } else { mean }, error, tau, samples, unknown }
    }
}

impl<'a> Member<'a> {
    /// A member with these series, which depends on members of the same seed alone.
    pub fn new(seed: u64, columns: Vec<Cow<'a, [f64]>>) -> Member<'a> {
        Member { seed, disorder: seed, system: (0, 0), is_certain: false, columns }
    }
}

impl Member<'_> {
    /// A member without series that depends on others as this one does.
    fn of(other: &Member<'_>) -> Member<'static> {
        let Member { seed, disorder, system, is_certain, .. } = *other;
        Member { seed, disorder, system, is_certain, columns: Vec::new() }
    }

    /// The same with series of its own.
    pub(crate) fn into_owned(self) -> Member<'static> {
        let alone = Member::of(&self);
        Member { columns: self.columns.into_iter().map(|own| Cow::Owned(own.into_owned())).collect(), ..alone }
    }

    /// One sample of it.
    pub fn at(&self, sample: usize) -> Option<Member<'_>> {
        let column = |column: &'_ Cow<'_, [f64]>| column.get(sample).map(|value| Cow::Owned(vec![*value]));
        let columns = self.columns.iter().map(column).collect::<Option<_>>()?;
        Some(Member { columns, ..Member::of(self) })
    }

    /// The number of samples.
    fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| column.len())
    }
}

/// The mean over members at one of their samples, which is certain or not, and its standard error, as of [`Combination::Mean`]: NaN if it is unknown.
pub(crate) fn over_members(members: &[Member<'_>], column: usize, sample: usize, is_certain: bool) -> (f64, f64) {
    let of = |member: &Member<'_>| {
        let columns = vec![Cow::Owned(vec![member.columns[column][sample]])];
        Member { columns, is_certain, ..Member::of(member) }
    };
    let Estimate { mean, error, .. } = Estimate::of(&members.iter().map(of).collect::<Vec<_>>(), Combination::Mean);
    (mean, error)
}

/// Whether no two of these members depend on each other.
pub(crate) fn are_independent(members: &[Member<'_>]) -> bool {
    let mut seeds = BTreeSet::new();
    members.iter().all(|member| member.seed == member.disorder && seeds.insert(member.seed))
}

/// The same of independent members with these values.
pub(crate) fn over_independent(values: impl ExactSizeIterator<Item = f64> + Clone, is_certain: bool) -> (f64, f64) {
    let count = values.len() as f64;
    // About the first value, large ones keep their digits.
    let pivot = values.clone().next().unwrap_or(f64::NAN);
    let mean = pivot + values.clone().map(|value| value - pivot).sum::<f64>() / count;
    let squares: f64 = values.clone().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count * (count - 1.0))).sqrt() * widening(values.len());
    let are_equal = values.clone().all(|value| value == pivot);
    let is_known = values.len() >= FEWEST_MEMBERS && (is_certain || !are_equal);
    (mean, if is_known { error } else { f64::NAN })
}

/// How many standard errors the mean over the first tenth of a column's series lies from that over the rest, from how members differ in it, or, if
/// they are few, by the autocorrelation time; NaN if neither tells.
pub(crate) fn drift(point: &[Member<'_>], column: usize, tau: f64) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mut differences, mut variance, mut samples) = (Vec::new(), 0.0, 0);
    for member in point {
        let (first, rest) = member.columns[column].split_at(member.len().div_ceil(10));
        if rest.is_empty() {
            continue;
        }
        let centre = mean(rest);
        differences.push(Member { columns: vec![Cow::Owned(vec![mean(first) - centre])], ..Member::of(member) });
        variance += rest.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / rest.len() as f64;
        samples += first.len();
    }
    let found = Estimate::of(&differences, Combination::Mean);
    let error = match found.unknown {
        Some(Unknown::Short { .. } | Unknown::Shared { .. }) => {
            (2.0 * tau * variance / differences.len() as f64 / samples as f64).sqrt()
        }
        _ => found.error,
    };
    if error > 0.0 { found.mean.abs() / error } else { f64::NAN }
}

/// How many samples at the beginning are better left out of the means of a column, at most half: the number that minimises the variance of the mean over
/// members in the rest, divided by its length (K. P. White, Simulation 69, 323, 1997), or three times that of the slowest part of that rest if these are more.
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
    let slowest = memory(&rest).map(|memory| memory.slowest).or_else(|| Windowed::of(&rest).map(|sum| sum.tau));
    let slow = slowest.map_or(0, |time| (3.0 * time).ceil() as usize);
    best.1.max(slow).min(shortest / 2)
}

/// The integrated autocorrelation time of series, in samples; ½ where nothing varies, `None` if none is long enough to tell.
pub(crate) fn autocorrelation_time(series: &[&[f64]]) -> Option<f64> {
    let first = series.iter().find_map(|values| values.first());
    let are_equal = series.iter().copied().flatten().all(|value| Some(value) == first);
    let found = || memory(series).map(|memory| memory.tau).or_else(|| Windowed::of(series).map(|sum| sum.tau));
    if are_equal { Some(0.5) } else { found() }
}

/// How long each column remembers.
fn memories(point: &[Member<'_>]) -> Vec<Option<CorrelationTimes>> {
    let columns = point.first().map_or(0, |member| member.columns.len());
    let series = |column: usize| -> Vec<&[f64]> { point.iter().map(|member| &*member.columns[column]).collect() };
    (0..columns).map(|column| memory(&series(column))).collect()
}

#[cfg(test)]
mod tests;
