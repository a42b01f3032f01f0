//! Fluctuations within systems that differ in what was drawn for ever.
//!
//! The fluctuation over all their samples would contain how far their means lie apart, which is no property of a system. Hence each system's samples are taken about
//! its own mean, and their squares averaged. That mean is nearer to its samples than the true one: what squares lack for it is the variance of the
//! mean, told by members or stretches of time of the system.

use super::correlation::memory;
use super::jackknife::TIMES_IN_A_BLOCK;
use super::{Member, Point};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Members of a system of which the variance of its mean is told without stretches of time.
const ENOUGH_MEMBERS: usize = 4;
/// The most stretches of time.
const MOST_STRETCHES: f64 = 32.0;

/// Of each member its samples about the mean of its system, their squares, and these without bias: they are no numbers where series do not tell it.
pub(super) fn fluctuations(point: &[Member<'_>], column: usize) -> Point<'static> {
    let mut systems: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
    for (number, member) in point.iter().enumerate().filter(|(_, member)| member.len() > 0) {
        systems.entry(member.system).or_default().push(number);
    }
    let mut centred: Vec<Vec<f64>> = vec![Vec::new(); point.len()];
    for numbers in systems.values() {
        // About the first sample, large ones keep their digits.
        let pivot = point[numbers[0]].columns[column][0];
        let samples: usize = numbers.iter().map(|number| point[*number].len()).sum();
        let all = numbers.iter().flat_map(|number| point[*number].columns[column].iter());
        let mean = all.map(|x| x - pivot).sum::<f64>() / samples as f64;
        for number in numbers {
            centred[*number] = point[*number].columns[column].iter().map(|x| x - pivot - mean).collect();
        }
    }
    let shortest = centred.iter().map(Vec::len).filter(|length| *length > 0).min().unwrap_or(0) as f64;
    let found = memory(&centred.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let stretches = found.map_or(1.0, |found| shortest / (TIMES_IN_A_BLOCK * found.longest));
    let stretches = stretches.clamp(1.0, MOST_STRETCHES) as usize;
    let mut lacking = vec![f64::NAN; point.len()];
    for numbers in systems.values() {
        let parts = if numbers.len() < ENOUGH_MEMBERS { stretches } else { 1 };
        let own: Vec<&[f64]> = numbers.iter().map(|number| centred[*number].as_slice()).collect();
        let found = variance_of_mean(&own, parts);
        numbers.iter().for_each(|number| lacking[*number] = found);
    }
    let member = |((member, own), lacking): ((&Member<'_>, Vec<f64>), f64)| {
        let squares: Vec<f64> = own.iter().map(|x| x * x).collect();
        let inside = squares.iter().map(|square| square + lacking).collect();
        Member { columns: [own, squares, inside].map(Cow::Owned).into(), ..Member::of(member) }
    };
    point.iter().zip(centred).zip(lacking).map(member).collect()
}

/// The variance of the mean over series about their mean, each in parts that do not depend on one another; NaN if they are one.
fn variance_of_mean(series: &[&[f64]], parts: usize) -> f64 {
    if series.iter().copied().flatten().all(|x| *x == 0.0) && series.iter().map(|own| own.len()).sum::<usize>() > 1 {
        return 0.0;
    }
    let count = (series.len() * parts) as f64;
    let samples: usize = series.iter().map(|own| own.len()).sum();
    let part = |own: &[f64], part: usize| {
        own[own.len() * part / parts..own.len() * (part + 1) / parts].iter().sum::<f64>().powi(2)
    };
    let squares: f64 = series.iter().flat_map(|own| (0..parts).map(|i| part(own, i))).sum();
    if count < 2.0 { f64::NAN } else { squares / (samples as f64).powi(2) * count / (count - 1.0) }
}
