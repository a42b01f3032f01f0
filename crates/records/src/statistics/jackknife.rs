//! Errors by the jackknife, over seeds, seeds of disorder and blocks of time.
//!
//! If each seed meets each seed of disorder, members of one seed depend on each other, and so do members of one disorder. The variance is then
//! that of leaving out seeds plus that of leaving out disorders less the part in both (A. C. Cameron, J. B. Gelbach and D. L. Miller, J. Bus. Econ. Stat.
//! 29, 238, 2011), with the degrees of freedom of an analysis of variance. By chance this may be less than one of the two: the greatest counts.

use super::correlation::CorrelationTimes;
use super::{Combination, FEWEST_BLOCKS, FEWEST_MEMBERS, Member, Unknown, memories};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The most blocks. With these the error is known to 6%, and more would not help.
const MOST_BLOCKS: usize = 128;
/// Autocorrelation times in a block.
pub(super) const TIMES_IN_A_BLOCK: f64 = 5.0;
/// Autocorrelation times, or rather the longest ones that may be right, that blocks of time need together.
pub(super) const TIMES: f64 = FEWEST_BLOCKS as f64 * TIMES_IN_A_BLOCK;
/// Sets of signs with which all blocks are moved at once.
const SIGNS: usize = 128;

/// Values that depend on the means at some points, and their standard errors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Jackknife<const N: usize> {
    /// The values. Their bias of order 1/n is removed if a block can be left out without losing the value.
    pub values: [f64; N],
    /// Their standard errors, or why there are none.
    pub errors: Result<[f64; N], Unknown>,
    /// The members or blocks that can be left out at the point that has the fewest: the error rests on them.
    pub blocks: usize,
}

/// Computes values, with errors, from the means of all columns at all points. A block is left out at all points at once; members alone serve if there are
/// `fewest`.
pub fn jackknife<const N: usize>(
    points: &[&[Member<'_>]],
    fewest: usize,
    of: impl Fn(&[Vec<f64>]) -> [f64; N],
) -> Jackknife<N> {
    let _mode = DefaultMode::enter();
    jackknife_of(points, fewest, Combination::Mean, of)
}

/// The same of values that are made of a combination of means at each point.
pub(super) fn jackknife_of<const N: usize>(
    points: &[&[Member<'_>]],
    fewest: usize,
    combination: Combination,
    of: impl Fn(&[Vec<f64>]) -> [f64; N],
) -> Jackknife<N> {
    let memories: Vec<Option<CorrelationTimes>> = points.iter().map(|point| slowest(&memories(point))).collect();
    let is_curved = combination.is_curved();
    Leaving { points, memories: &memories, fewest, is_curved, is_linear: false }.errors(of)
}

/// The memory of the slowest column; `None` if one is unknown.
pub(super) fn slowest(memories: &[Option<CorrelationTimes>]) -> Option<CorrelationTimes> {
    let all: Vec<CorrelationTimes> = memories.iter().copied().collect::<Option<_>>()?;
    all.into_iter().max_by(|a, b| a.longest.total_cmp(&b.longest))
}

/// By how much an error from `blocks` blocks is larger for being uncertain itself: the standard deviation of Student's distribution.
pub(super) fn widening(blocks: usize) -> f64 {
    ((blocks as f64 - 1.0) / (blocks as f64 - 3.0)).sqrt()
}

/// The samples of which the jackknife leaves out some.
#[derive(Clone, Copy)]
pub(super) struct Leaving<'a, 'm> {
    pub points: &'a [&'a [Member<'m>]],
    /// How long series remember at each point, if it is known.
    pub memories: &'a [Option<CorrelationTimes>],
    /// From how many members alone an error is made.
    pub fewest: usize,
    /// Whether values may be squares of means near 0.
    pub is_curved: bool,
    /// Whether values are means, which have no bias; what they change by comes from blocks that differ in length.
    pub is_linear: bool,
}

/// The seed that members of a block share.
#[derive(Clone, Copy)]
enum Common {
    Seed,
    Disorder,
    Both,
}

impl Common {
    fn key(self, member: &Member<'_>) -> (u64, u64) {
        match self {
            Common::Seed => (member.seed, 0),
            Common::Disorder => (0, member.disorder),
            Common::Both => (member.seed, member.disorder),
        }
    }
}

impl Leaving<'_, '_> {
    /// Values without bias, and errors.
    pub(super) fn errors<const N: usize>(self, of: impl Fn(&[Vec<f64>]) -> [f64; N]) -> Jackknife<N> {
        let different = |common: Common| {
            let at = |point: &&[Member<'_>]| {
                point.iter().map(|member| common.key(member)).collect::<BTreeSet<(u64, u64)>>().len()
            };
            self.points.iter().map(at).min().unwrap_or(0)
        };
        let members = self.sums(Common::Both, 1);
        let means: Vec<Vec<f64>> = members.iter().map(|sums| sums.means(None)).collect();
        let all = of(&means);
        // Where it does not matter which seed a disorder goes with, or which disorder a seed, nothing is shared.
        let are_alike = |common: Common| members.iter().all(|sums| sums.are_alike(common));
        let is_own = |member: &Member<'_>| member.seed == member.disorder;
        let (common, is_crossed) = if self.points.iter().copied().flatten().all(is_own) || are_alike(Common::Seed) {
            (Common::Seed, false)
        } else if are_alike(Common::Disorder) {
            (Common::Disorder, false)
        } else {
            (Common::Seed, true)
        };
        let (seeds, disorders) = (different(common), different(Common::Disorder));
        let has_samples = self.points.iter().all(|point| point.iter().any(|member| member.len() > 0));
        if has_samples && all.iter().any(|value| !value.is_finite()) {
            return Jackknife { values: all, errors: Err(Unknown::NoNumber), blocks: seeds };
        }
        let (parts, edge) = self.blocks_of_time(seeds);
        // The effect of disorder is the same at all times, and that of a seed cannot be seen with one seed alone.
        let has_blocks = parts > 1 && seeds * parts >= FEWEST_BLOCKS && !(is_crossed && seeds == 1);
        let has_seeds = has_blocks || seeds >= self.fewest;
        let fewest_disorders = if has_blocks { FEWEST_MEMBERS } else { self.fewest };
        let unknown = if is_crossed && !(has_seeds && disorders >= fewest_disorders) {
            Some(Unknown::Shared { seeds, disorders, fewest: fewest_disorders })
        } else if !has_seeds {
            Some(Unknown::Short { members: seeds, fewest: self.fewest })
        } else if !has_blocks && members.iter().all(Sums::are_equal) {
            Some(Unknown::Equal)
        } else {
            None
        };
        if let Some(unknown) = unknown {
            let is_certain = self.points.iter().copied().flatten().all(|member| member.is_certain);
            let errors = if unknown == Unknown::Equal && is_certain { Ok([0.0; N]) } else { Err(unknown) };
            return Jackknife { values: all, errors, blocks: seeds };
        }
        let left = |common: Common, parts: usize, widened: f64| {
            let blocks = different(common) * parts;
            let left = leave_out(&self.sums(common, parts), self.is_curved, &of);
            Left { blocks, ..left }.widened(widened)
        };
        let with_disorders = |seeds: Left<N>, parts: usize| match is_crossed {
            true => seeds.with(&left(Common::Disorder, 1, widening(disorders)), &left(Common::Both, parts, 1.0)),
            false => seeds,
        };
        let mut found = if has_blocks {
            let correction = widening(seeds * parts) / (1.0 - edge * parts as f64).sqrt();
            with_disorders(left(common, parts, correction), parts)
        } else {
            with_disorders(left(common, 1, widening(seeds)), 1)
        };
        if has_blocks && seeds > 1 {
            found = found.at_least(&with_disorders(left(common, 1, 1.0), 1));
        }
        let errors = found.squares.map(f64::sqrt);
        let value =
            |i: usize| if errors[i].is_finite() && !self.is_linear { all[i] - found.changes[i] } else { all[i] };
        let are_finite = errors.iter().all(|error| error.is_finite());
        Jackknife {
            values: std::array::from_fn(value),
            errors: if are_finite { Ok(errors) } else { Err(Unknown::Vanishes) },
            blocks: found.blocks,
        }
    }

    /// How many blocks each series is cut into at the most, and the longest memory over the shortest series: times the former that is the memory over a
    /// block, by which neighbouring blocks depend on each other.
    ///
    /// By luck the memory at one point was found too short. The more points there are, the less likely is that of the longest one.
    fn blocks_of_time(self, seeds: usize) -> (usize, f64) {
        let (mut parts, mut edge): (usize, f64) = (MOST_BLOCKS / seeds.max(1), 0.0);
        for (point, memory) in self.points.iter().zip(self.memories) {
            let shortest = point.iter().map(Member::len).min().unwrap_or(0) as f64;
            let Some(memory) = memory else { return (0, 0.0) };
            let longest = memory.slowest + (memory.longest - memory.slowest) / (self.points.len() as f64).sqrt();
            parts = parts.min((shortest / (TIMES_IN_A_BLOCK * longest)) as usize);
            edge = edge.max(longest / shortest);
        }
        (parts, edge)
    }

    fn sums(self, common: Common, parts: usize) -> Vec<Sums> {
        self.points.iter().map(|point| Sums::new(point, common, parts)).collect()
    }
}

/// The sums over the samples at a point: over all samples, and over each block (a seed, a disorder, a stretch of time).
struct Sums {
    /// A constant of each column, subtracted from its samples before they are summed.
    pivots: Vec<f64>,
    all: SampleSum,
    blocks: BTreeMap<BlockKey, SampleSum>,
}

/// The seeds that members of a block share, and which part of their time it is.
type BlockKey = ((u64, u64), usize);

/// The sum over some samples of each column.
#[derive(Clone, Default, PartialEq)]
struct SampleSum {
    count: f64,
    columns: Vec<f64>,
}

impl SampleSum {
    fn add(&mut self, other: &SampleSum) {
        self.count += other.count;
        self.columns.iter_mut().zip(&other.columns).for_each(|(sum, own)| *sum += own);
    }
}

impl Sums {
    /// Cuts each member's series into `parts` blocks.
    fn new(point: &[Member<'_>], common: Common, parts: usize) -> Sums {
        let columns = point.first().map_or(0, |member| member.columns.len());
        let first = |column: usize| point.iter().find_map(|member| member.columns[column].first().copied());
        let pivots: Vec<f64> = (0..columns).map(|column| first(column).unwrap_or(0.0)).collect();
        let mut all = SampleSum { count: 0.0, columns: vec![0.0; columns] };
        let mut blocks: BTreeMap<BlockKey, SampleSum> = BTreeMap::new();
        for member in point {
            let length = member.len();
            for part in 0..parts {
                let range = length * part / parts..length * (part + 1) / parts;
                let sum =
                    |(column, pivot): (&Cow<'_, [f64]>, &f64)| column[range.clone()].iter().map(|x| x - pivot).sum();
                let columns: Vec<f64> = member.columns.iter().zip(&pivots).map(sum).collect();
                all.count += range.len() as f64;
                all.columns.iter_mut().zip(&columns).for_each(|(all, own)| *all += own);
                let sum = SampleSum { count: range.len() as f64, columns };
                match blocks.entry((common.key(member), part)) {
                    Entry::Vacant(place) => drop(place.insert(sum)),
                    Entry::Occupied(mut others) => others.get_mut().add(&sum),
                }
            }
        }
        Sums { pivots, all, blocks }
    }

    /// The means of all columns, without a block.
    fn means(&self, without: Option<&SampleSum>) -> Vec<f64> {
        let count = self.all.count - without.map_or(0.0, |sum| sum.count);
        let sum = |column: usize| self.all.columns[column] - without.map_or(0.0, |sum| sum.columns[column]);
        self.pivots.iter().enumerate().map(|(column, pivot)| pivot + sum(column) / count).collect()
    }

    /// Whether there are several blocks of each seed or disorder, and all of them the same.
    fn are_alike(&self, common: Common) -> bool {
        let key = |&((seed, disorder), _): &BlockKey| if let Common::Seed = common { seed } else { disorder };
        let mut first: BTreeMap<u64, &SampleSum> = BTreeMap::new();
        let are_alike = self.blocks.iter().all(|(of, own)| *first.entry(key(of)).or_insert(own) == own);
        are_alike && first.len() < self.blocks.len()
    }

    /// Whether all blocks are the same.
    fn are_equal(&self) -> bool {
        let mut blocks = self.blocks.values();
        blocks.next().is_none_or(|first| blocks.all(|own| own == first))
    }
}

/// The change and the errors of values when each block in turn is left out.
#[derive(Clone, Copy)]
struct Left<const N: usize> {
    /// How many blocks there are at the point that has the fewest.
    blocks: usize,
    /// The bias of the values: their change on the whole.
    changes: [f64; N],
    /// Squares of errors.
    squares: [f64; N],
    /// Squares of errors before they were widened.
    narrow: [f64; N],
    /// Errors of curvature ([`bends`]), not squared.
    bends: [f64; N],
}

impl<const N: usize> Left<N> {
    /// Widens the errors by a factor. Leaving out single blocks counts curvature twice on average, and not at all where slopes vanish.
    fn widened(self, factor: f64) -> Left<N> {
        let square = |i: usize| {
            let bend = self.bends[i] * self.bends[i];
            factor * factor * larger(self.narrow[i] - bend, bend)
        };
        Left { squares: std::array::from_fn(square), ..self }
    }

    /// With the larger errors.
    fn at_least(self, other: &Left<N>) -> Left<N> {
        Left { squares: std::array::from_fn(|i| larger(self.squares[i], other.squares[i])), ..self }
    }

    /// The errors from leaving out seeds, joined with those from leaving out disorders and both.
    fn with(self, disorders: &Left<N>, both: &Left<N>) -> Left<N> {
        let [s, d] = [self.blocks as f64, disorders.blocks as f64];
        // The variance that belongs to neither seed nor disorder, by an analysis of variance. Both of theirs include it.
        let rest = |seed: f64, disorder: f64, both: f64| {
            ((s * d - 1.0) * both - (s - 1.0) * seed - (d - 1.0) * disorder) / ((s - 1.0) * (d - 1.0))
        };
        let square = |i: usize| {
            let (own, other) = (self.squares[i], disorders.squares[i]);
            let rest = rest(self.narrow[i], disorders.narrow[i], both.narrow[i]).max(0.0);
            larger(own + other - rest, larger(own, other))
        };
        let change = |i: usize| {
            let (own, other) = (self.changes[i], disorders.changes[i]);
            own + other - rest(own, other, both.changes[i])
        };
        Left {
            blocks: self.blocks.min(disorders.blocks),
            changes: std::array::from_fn(change),
            squares: std::array::from_fn(square),
            ..self
        }
    }
}

/// The larger of two numbers; NaN if one is.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

/// Leaves out one block after the other, at every point with this block. The errors of a value that is not there without some block are not finite.
///
/// Points may have different blocks, as sweeps with different seeds do; for each block the change is then scaled as the smallest point that has it
/// needs.
fn leave_out<const N: usize>(points: &[Sums], is_curved: bool, of: impl Fn(&[Vec<f64>]) -> [f64; N]) -> Left<N> {
    let whole: Vec<Vec<f64>> = points.iter().map(|sums| sums.means(None)).collect();
    let (mut means, all) = (whole.clone(), of(&whole));
    let (mut changes, mut squares) = ([0.0; N], [0.0; N]);
    let blocks: BTreeSet<&BlockKey> = points.iter().flat_map(|sums| sums.blocks.keys()).collect();
    let mut moved: Vec<Vec<Vec<f64>>> =
        vec![whole.iter().map(|own| vec![0.0; own.len()]).collect(); if is_curved { SIGNS } else { 0 }];
    for (number, block) in blocks.into_iter().enumerate() {
        let mut fewest = usize::MAX;
        for (sums, means) in points.iter().zip(&mut means) {
            if let Some(own) = sums.blocks.get(block) {
                *means = sums.means(Some(own));
                fewest = fewest.min(sums.blocks.len());
            }
        }
        let rest = of(&means);
        let scale = 1.0 - 1.0 / fewest as f64;
        for ((sum, square), (rest, all)) in changes.iter_mut().zip(&mut squares).zip(rest.iter().zip(&all)) {
            let change = rest - all;
            *sum += scale * change;
            *square += scale * change * change;
        }
        for (point, _) in points.iter().enumerate().filter(|(_, sums)| sums.blocks.contains_key(block)) {
            for (column, whole) in whole[point].iter().enumerate().filter(|_| is_curved) {
                let change = scale.sqrt() * (means[point][column] - whole);
                for (set, moved) in moved.iter_mut().enumerate() {
                    moved[point][column] += if is_minus(number, set) { -change } else { change };
                }
            }
            means[point].clone_from(&whole[point]);
        }
    }
    let bends = if is_curved { bends(&whole, &all, &moved, of) } else { [0.0; N] };
    Left { blocks: 0, changes, squares, narrow: squares, bends }
}

/// Whether a block has a minus in a set of signs, as chance has it (SplitMix64).
fn is_minus(block: usize, set: usize) -> bool {
    let mut word = ((SIGNS * block + set) as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word >> 63 == 1
}

/// The errors of values quadratic in the means. Where slopes vanish, leaving out single blocks misses them, so all blocks move the means at once, each with
/// its own sign, and back (half samples: P. J. McCarthy, Rev. Int. Stat. Inst. 37, 239, 1969).
fn bends<const N: usize>(
    whole: &[Vec<f64>],
    all: &[f64; N],
    moved: &[Vec<Vec<f64>>],
    of: impl Fn(&[Vec<f64>]) -> [f64; N],
) -> [f64; N] {
    let at = |moved: &[Vec<f64>], sign: f64| {
        let of_point = |(whole, moved): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            whole.iter().zip(moved).map(|(mean, by)| mean + sign * by).collect()
        };
        of(&whole.iter().zip(moved).map(of_point).collect::<Vec<_>>())
    };
    let bent = |moved: &Vec<Vec<f64>>| -> [f64; N] {
        let (up, down) = (at(moved, 1.0), at(moved, -1.0));
        std::array::from_fn(|i| (up[i] + down[i]) / 2.0 - all[i])
    };
    let bent: Vec<[f64; N]> = moved.iter().map(bent).collect();
    std::array::from_fn(|i| {
        let finite: Vec<f64> = bent.iter().map(|own| own[i]).filter(|own| own.is_finite()).collect();
        let mean = finite.iter().sum::<f64>() / finite.len() as f64;
        let square = finite.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / finite.len() as f64;
        if finite.is_empty() { 0.0 } else { square.sqrt() }
    })
}
