//! Whether measured times bear out what a paper says of them.
//!
//! A claim is judged over all sizes for which it is made. What is compared are ratios of two times: their least, median and greatest are told, and a
//! difference that is smaller than the standard error, or than the error of the papers' own times, is none.

use squeeze_bench::claim::{Verdict, short};
use std::cmp::Ordering;

/// The relative error of the papers' times (2022, §4).
const PAPERS_ERROR: f64 = 0.01;
/// How far the gain that a paper gives as its best may lie from that found here, as a share of it.
const NEAR: f64 = 0.1;

/// A number and its standard error.
pub(crate) type WithError = (f64, f64);

/// A time over another, with its standard error.
pub(crate) fn ratio(over: WithError, under: WithError) -> WithError {
    let ratio = over.0 / under.0;
    (ratio, ratio * (over.1 / over.0).hypot(under.1 / under.0))
}

/// How a ratio compares with 1.
pub(crate) fn compared((ratio, error): WithError) -> Ordering {
    if (ratio - 1.0).abs() <= error.max(PAPERS_ERROR) { Ordering::Equal } else { ratio.total_cmp(&1.0) }
}

/// A ratio at a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RatioAt {
    /// The side of blocks, or 0 for the best of all.
    pub rho: u64,
    /// The level.
    pub level: u32,
    /// The ratio.
    pub ratio: WithError,
}

/// A verdict and what led to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    /// The result here, in words.
    pub here: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The result here over the paper's, where the paper gives a number.
    pub ratio: Option<f64>,
}

impl Judged {
    /// Of something that is true or not.
    pub(crate) fn truth(here: String, holds: bool) -> Judged {
        Judged { here, verdict: if holds { Verdict::Held } else { Verdict::NotHeld }, ratio: None }
    }
}

/// A ratio with three or four digits: those behind the point are what ratios beside 1 differ by.
fn digits(value: f64) -> String {
    if value < 10.0 { format!("{value:.3}") } else { short(value) }
}

/// Some sizes of the triangle.
fn sizes(count: usize) -> String {
    if count == 1 { "1 point".to_owned() } else { format!("{count} points") }
}

/// The least, the median and the greatest of some ratios.
pub(crate) fn spread(ratios: &[RatioAt]) -> String {
    let mut values: Vec<f64> = ratios.iter().map(|at| at.ratio.0).collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let median = if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
    let [least, median, greatest] = [values[0], median, values[values.len() - 1]].map(digits);
    format!("least {least}, median {median}, greatest {greatest} of {}", sizes(values.len()))
}

/// How many ratios compare with 1 so.
fn count(ratios: &[RatioAt], ordering: Ordering) -> usize {
    ratios.iter().filter(|at| compared(at.ratio) == ordering).count()
}

/// Ratios and how they compare with 1.
fn told(ratios: &[RatioAt]) -> String {
    let [above, equal, below] = [Ordering::Greater, Ordering::Equal, Ordering::Less].map(|order| count(ratios, order));
    format!("{}: {above} above 1, {equal} equal, {below} below", spread(ratios))
}

/// All ratios are above 1. If all are below, that is `otherwise`.
pub(crate) fn above(ratios: &[RatioAt], otherwise: Verdict) -> Judged {
    let verdict = match ratios.len() {
        all if all == count(ratios, Ordering::Greater) => Verdict::Held,
        all if all == count(ratios, Ordering::Less) => otherwise,
        _ => Verdict::NotHeld,
    };
    Judged { here: told(ratios), verdict, ratio: None }
}

/// No ratio is below 1.
pub(crate) fn bounded(ratios: &[RatioAt]) -> Judged {
    Judged::truth(told(ratios), count(ratios, Ordering::Less) == 0)
}

/// Some ratio is below 1.
pub(crate) fn valley(ratios: &[RatioAt]) -> Judged {
    Judged::truth(told(ratios), count(ratios, Ordering::Less) > 0)
}

/// Blocks of one side take the least time, or as little as others, at all levels from `first` on. Levels go up, each with the times by sides of blocks.
pub(crate) fn best(rho: u64, levels: &[(u32, Vec<(u64, WithError)>)], first: u32) -> Option<Judged> {
    let is_best = |(_, times): &&(u32, Vec<(u64, WithError)>)| {
        let own = times.iter().find(|(side, _)| *side == rho).map(|(_, time)| *time);
        let others = times.iter().filter(|(side, _)| *side != rho).map(|(_, time)| *time);
        let rival = others.min_by(|a, b| a.0.total_cmp(&b.0));
        own.zip(rival).is_some_and(|(own, rival)| compared(ratio(own, rival)) != Ordering::Greater)
    };
    let (last, _) = levels.last()?;
    let in_range = levels.iter().filter(|(level, _)| *level >= first);
    let (all, best) = (in_range.clone().count(), in_range.filter(is_best).count());
    let from = levels.iter().rev().take_while(is_best).last();
    let here = match from {
        Some((level, _)) => format!("ρ = {rho} is best or equal at all sizes from 2^{level} to 2^{last}"),
        None => format!("ρ = {rho} is not the best at 2^{last}"),
    };
    Some(Judged::truth(format!("{here}, {best} of {all} from 2^{first} on"), best == all && all > 0))
}

/// The greatest speed-up is what the paper gives as its best. One that is not above 1 is no gain at all.
pub(crate) fn up_to(paper: f64, ratios: &[RatioAt]) -> Judged {
    let greatest = ratios.iter().max_by(|a, b| a.ratio.0.total_cmp(&b.ratio.0)).expect("a range has sizes");
    let (value, error) = greatest.ratio;
    let gains = [value - error, value + error].map(|value| (value - 1.0) / (paper - 1.0));
    let verdict = match compared(greatest.ratio) {
        Ordering::Greater if gains[0] > 1.0 + NEAR => Verdict::Better,
        Ordering::Greater if gains[1] >= 1.0 - NEAR => Verdict::Held,
        _ => Verdict::NotHeld,
    };
    Judged { here: spread(ratios), verdict, ratio: Some(value / paper) }
}

/// Ratios that grow from each size to the next, for every side of blocks. Curves go up by levels.
pub(crate) fn growing(curves: &[Vec<RatioAt>]) -> Judged {
    let fall = |pair: &[RatioAt]| compared(ratio(pair[1].ratio, pair[0].ratio)) == Ordering::Less;
    let falls: Vec<u32> =
        curves.iter().flat_map(|curve| curve.windows(2).filter(|pair| fall(pair)).map(|pair| pair[1].level)).collect();
    let fallen = curves.iter().filter(|curve| curve.windows(2).any(fall)).count();
    let here = match falls.iter().max() {
        None => format!("{} of {} curves grow at each size", curves.len(), curves.len()),
        Some(last) => format!("{fallen} of {} curves fall, none after n = 2^{last}", curves.len()),
    };
    Judged::truth(here, falls.is_empty())
}

/// Ratios that come nearer to 1 with each size, from above.
pub(crate) fn approaching(ratios: &[RatioAt]) -> Judged {
    let nearest = ratios.iter().min_by(|a, b| a.ratio.0.total_cmp(&b.ratio.0)).expect("a range has sizes");
    let last = ratios.last().expect("a range has sizes");
    let holds = compared(ratio(last.ratio, nearest.ratio)) == Ordering::Equal;
    let end = match holds {
        true => String::new(),
        false => format!("; nearest at 2^{}, then again {} at 2^{}", nearest.level, digits(last.ratio.0), last.level),
    };
    Judged::truth(format!("{}{end}", spread(ratios)), holds)
}

/// The first level from which on something holds at all levels up to the last one.
pub(crate) fn from_where(levels: std::ops::RangeInclusive<u32>, holds: impl Fn(u32) -> Option<bool>) -> Option<u32> {
    levels.rev().take_while(|level| holds(*level) == Some(true)).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve of one side of blocks from level 8 on, measured to one in a thousand.
    fn curve(values: &[f64]) -> Vec<RatioAt> {
        let at = |(value, level): (&f64, u32)| RatioAt { rho: 16, level, ratio: (*value, value / 1000.0) };
        values.iter().zip(8..).map(at).collect()
    }

    #[test]
    fn differences_below_an_error_are_none() {
        let (value, error) = ratio((6.0, 0.0), (3.0, 0.3));
        assert!(value == 2.0 && (error - 0.2).abs() < 1e-12);
        let orders = [(1.0017, 0.0015), (1.011, 0.001), (0.985, 0.02), (0.985, 0.001)].map(compared);
        assert_eq!(orders, [Ordering::Equal, Ordering::Greater, Ordering::Equal, Ordering::Less]);
    }

    #[test]
    fn all_sizes_of_a_range_count() {
        let told = above(&curve(&[1.2, 1.6, 1.4]), Verdict::Better);
        assert_eq!(told.here, "least 1.200, median 1.400, greatest 1.600 of 3 points: 3 above 1, 0 equal, 0 below");
        assert_eq!(told.verdict, Verdict::Held);
        assert_eq!(above(&curve(&[0.8, 0.9]), Verdict::Better).verdict, Verdict::Better);
        for mixed in [[0.8, 1.6], [1.005, 1.6]] {
            assert_eq!(above(&curve(&mixed), Verdict::Better).verdict, Verdict::NotHeld, "{mixed:?}");
        }
        let verdicts = [[1.2, 1.0], [1.2, 0.9]].map(|values| bounded(&curve(&values)).verdict);
        assert_eq!(verdicts, [Verdict::Held, Verdict::NotHeld]);
        let verdicts = [[1.2, 0.995], [1.2, 0.9]].map(|values| valley(&curve(&values)).verdict);
        assert_eq!(verdicts, [Verdict::NotHeld, Verdict::Held]);
    }

    #[test]
    fn the_best_is_judged_by_the_greatest_gain() {
        let of = |paper: f64, values: &[f64]| up_to(paper, &curve(values)).verdict;
        assert_eq!(of(12.0, &[3.0, 12.65]), Verdict::Held);
        assert_eq!(of(3.7, &[3.0, 12.6]), Verdict::Better);
        assert_eq!(of(12.0, &[3.0, 6.5]), Verdict::NotHeld);
        assert_eq!((of(1.11, &[0.9, 1.115]), of(1.11, &[0.9, 1.02])), (Verdict::Held, Verdict::NotHeld));
        // Near 1.11 as ratios go, but not a gain.
        assert_eq!((of(1.11, &[0.75, 1.0]), of(1.1, &[0.75, 0.93])), (Verdict::NotHeld, Verdict::NotHeld));
        let told = up_to(1.11, &curve(&[0.745, 0.79, 0.8, 0.926]));
        assert_eq!(told.here, "least 0.745, median 0.795, greatest 0.926 of 4 points");
    }

    #[test]
    fn curves_grow_at_each_size_or_do_not() {
        let curves = [curve(&[0.8, 0.7, 1.5, 2.0]), curve(&[1.0, 1.0, 2.0, 3.0])];
        let told = growing(&curves);
        assert_eq!((told.verdict, &told.here[..]), (Verdict::NotHeld, "1 of 2 curves fall, none after n = 2^9"));
        assert_eq!(growing(&curves[1..]).verdict, Verdict::Held);
        assert_eq!(approaching(&curve(&[1.2, 1.1, 1.05])).verdict, Verdict::Held);
        let told = approaching(&curve(&[1.2, 0.98, 1.12]));
        assert!(told.verdict == Verdict::NotHeld && told.here.ends_with("nearest at 2^9, then again 1.120 at 2^10"));
    }

    #[test]
    fn the_best_side_of_blocks_may_be_equal_to_others() {
        let at = |level: u32, times: [f64; 3]| {
            let sides = [8, 16, 32].into_iter().zip(times.map(|time| (time, 0.001)));
            (level, sides.collect::<Vec<_>>())
        };
        let levels = [at(12, [1.0, 1.2, 1.3]), at(13, [2.0, 2.01, 2.3]), at(14, [3.0, 2.5, 2.6])];
        let told = best(16, &levels, 13).unwrap();
        assert_eq!(told.here, "ρ = 16 is best or equal at all sizes from 2^13 to 2^14, 2 of 2 from 2^13 on");
        assert_eq!((told.verdict, best(16, &levels, 12).unwrap().verdict), (Verdict::Held, Verdict::NotHeld));
        assert_eq!(best(8, &levels, 13).unwrap().here, "ρ = 8 is not the best at 2^14, 1 of 2 from 2^13 on");
        assert_eq!(best(8, &[], 13), None);
    }

    #[test]
    fn crossings_are_where_they_stay() {
        assert_eq!(from_where(0..=5, |r| Some(r >= 3)), Some(3));
        assert_eq!(from_where(0..=5, |r| Some(r != 3)), Some(4));
        assert_eq!(from_where(0..=5, |r| Some(r < 5)), None);
        assert_eq!(from_where(0..=5, |r| (r > 1).then_some(true)), Some(2));
    }
}
