//! Maxima of curves, crossings, and exponents with which curves of several sizes collapse.

use super::{ColumnOfSystem, CurveColumn, Parts, Reweighted, System};
use crate::analysis::{Crossing, no_crossing, no_partner};
use crate::lists;
use crate::statistics::reweight::{Reweighting, Solved, jackknife, maximum, root};
use crate::statistics::{self, Unknown};
use rayon::prelude::*;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_engine::failure::{Message, Result};
use squeeze_host::numbers::six_digits;
use std::path::PathBuf;

/// The most values of a curve that a collapse compares.
const MOST_COMPARED: usize = 33;
/// Steps of a search for the best collapse, until it begins anew where it is.
const MOST_STEPS: usize = 600;
/// How often a search begins anew at the most,
const MOST_SEARCHES: usize = 20;
/// and of what it found before it must find less to do so again.
const LESS: f64 = 0.999;

/// Steps between critical values from which searches begin.
const STARTS: i32 = 48;
/// A number that is not there.
const NONE: [f64; 2] = [f64::NAN; 2];
/// Why there is nothing without free energies.
const UNSETTLED: &str = "the free energies of members do not settle: members at more values would do";

/// Where a curve is greatest.
///
/// Where it is so at an end of the values there is no such place: numbers are NaN, and `missing` says why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Maximum {
    /// The folder.
    pub folder: PathBuf,
    /// The level, in a sweep of several.
    pub level: Option<String>,
    /// The values of all parameters but the one along which the curve goes.
    pub values: String,
    /// The place, and its standard error; NaN if it is unknown.
    pub at: [f64; 2],
    /// How great it is there, and the standard error.
    pub height: [f64; 2],
    /// Why errors are unknown.
    pub unknown: Option<Unknown>,
    /// Why there is none.
    pub missing: Option<String>,
}

/// Exponents with which curves of several sizes fall on one another: y L^(−γ/ν) over (x − x_c) L^(1/ν).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Collapse {
    /// The values of all parameters but the one along which curves go.
    pub values: String,
    /// How many curves are compared.
    pub curves: usize,
    /// The critical value x_c of the parameter, ν and γ, each with its standard error; NaN if it is unknown.
    pub critical: [f64; 2],
    /// The exponent ν of the correlation length,
    pub nu: [f64; 2],
    /// and γ, that of the quantity.
    pub gamma: [f64; 2],
    /// The mean square of how far points lie from the other curves, over that of their errors. It compares exponents, and judges no collapse: points of a curve come from the same samples and move
    /// together, so that where curves agree it is far below 1.
    pub distance: f64,
    /// The least and the greatest value that the curves share: x_c beyond them is extrapolated.
    pub range: [f64; 2],
    /// Why errors are unknown.
    pub unknown: Option<Unknown>,
    /// Why there is none; numbers are NaN then.
    pub missing: Option<String>,
}

impl Collapse {
    /// Whether x_c lies beyond the values of the curves.
    pub fn is_outside(&self) -> bool {
        self.critical[0] < self.range[0] || self.critical[0] > self.range[1]
    }
}

impl Reweighted {
    fn column(&self, name: &str) -> Result<&CurveColumn> {
        if let Some((_, why)) = self.left_out.iter().find(|(own, _)| own == name) {
            return Err(Message::users(why.clone()).into());
        }
        let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        Ok(&self.columns[lists::place(&self.path, name, &names)?])
    }

    /// The values between two places, ascending.
    fn within(&self, (from, to): (f64, f64)) -> Vec<f64> {
        let mut places: Vec<f64> = self.places.iter().copied().filter(|x| (from..=to).contains(x)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }
}

/// A place and its error: none if three of it reach beyond the values, where curves say nothing.
fn place_of(
    found: &statistics::reweight::JackknifedValues,
    parts: &Parts,
    places: &[f64],
) -> ([f64; 2], Option<Unknown>) {
    let ([at, error], unknown) = pair(found, parts, 0);
    let reach = |end: Option<&f64>| end.map_or(0.0, |end| (at - end).abs() / 3.0);
    match error > reach(places.first()).min(reach(places.last())) {
        true => ([at, f64::NAN], Some(Unknown::Vague)),
        false => ([at, error], unknown),
    }
}

/// A number and its error.
fn pair(found: &statistics::reweight::JackknifedValues, parts: &Parts, index: usize) -> ([f64; 2], Option<Unknown>) {
    let (error, unknown) = parts.error(found.errors[index]);
    ([found.values[index], error], unknown)
}

/// Where the curves of a column are greatest between two places, with an entry for each curve.
///
/// # Errors
/// If there is no such column, or series are too short for an error.
pub fn maxima(made: &[Reweighted], name: &str, range: (f64, f64)) -> Result<Vec<Maximum>> {
    let _mode = DefaultMode::enter();
    let mut found = Vec::new();
    for own in made {
        let column = own.column(name)?;
        let places = own.within(range);
        for system in &own.parts {
            let prepared = own.prepare(system, column)?;
            let parts = Parts::of(own, &[&prepared])?;
            let reweighting = prepared.reweighting(&parts);
            let best = |solved: &[Solved<'_>], near: Option<&[f64]>| greatest(&prepared, &solved[0], &places, near);
            let (folder, level, of) = (own.path.clone(), system.level.clone(), system.values());
            let mut maximum =
                Maximum { folder, level, values: of, at: NONE, height: NONE, unknown: None, missing: None };
            match jackknife(&[&reweighting], best) {
                Some(values) => {
                    (maximum.at, maximum.unknown) = place_of(&values, &parts, &places);
                    maximum.height = pair(&values, &parts, 1).0;
                }
                None => maximum.missing = Some(no_maximum(&prepared, &reweighting, &places)),
            }
            found.push(maximum);
        }
    }
    Ok(found)
}

/// Why a curve is nowhere greatest.
fn no_maximum(prepared: &ColumnOfSystem<'_>, reweighting: &Reweighting<'_>, places: &[f64]) -> String {
    let Some(solved) = Solved::whole(reweighting) else { return UNSETTLED.to_owned() };
    if places.len() < 3 {
        return format!("a place between two others is needed, and there {} here", values_in_words(places.len()));
    }
    let heights = places.iter().map(|place| prepared.column.combination.of(&solved.at(*place).0));
    let heights: Vec<f64> = heights.collect();
    if heights.iter().any(|height| height.is_nan()) {
        return "its values are no numbers".to_owned();
    }
    let end = if heights[0] > heights[heights.len() - 1] { 0 } else { places.len() - 1 };
    format!("it is greatest at the {} end, {}", if end == 0 { "lower" } else { "upper" }, six_digits(places[end]))
}

/// How many values there are.
fn values_in_words(count: usize) -> String {
    match count {
        0 => "is no value".to_owned(),
        1 => "is one value".to_owned(),
        _ => format!("are {count} values"),
    }
}

/// Where a curve is greatest, near another place if there is one, and how great.
fn greatest(
    prepared: &ColumnOfSystem<'_>,
    solved: &Solved<'_>,
    places: &[f64],
    near: Option<&[f64]>,
) -> Option<Vec<f64>> {
    let height = |place: f64| prepared.column.combination.of(&solved.at(place).0);
    let last = places.len().checked_sub(2)?;
    let mut at = match near {
        Some(near) => places.partition_point(|place| *place < near[0]).clamp(1, last.max(1)),
        None => {
            let heights: Vec<f64> = places.iter().map(|place| height(*place)).collect();
            (0..places.len()).max_by(|a, b| heights[*a].total_cmp(&heights[*b]))?
        }
    };
    let mut own = height(places[at]);
    loop {
        if at == 0 || at > last {
            return None;
        }
        let (before, after) = (height(places[at - 1]), height(places[at + 1]));
        if before > own && before >= after {
            (at, own) = (at - 1, before);
        } else if after > own {
            (at, own) = (at + 1, after);
        } else {
            break;
        }
    }
    let (place, height) = maximum(height, (places[at - 1], places[at + 1]));
    Some(vec![place, height])
}

/// Where the curves of a column cross from one place to another: those of each folder, and of each level of a folder, with the next one's. There is an entry for each pair.
///
/// # Errors
/// If there is one folder alone of one level, or a folder has no such column, or series are too short for an error.
pub fn crossings(made: &[Reweighted], name: &str, range: (f64, f64)) -> Result<Vec<Crossing>> {
    let _mode = DefaultMode::enter();
    let of_levels = sizes(made);
    if of_levels.len() < 2 {
        let help = "name the folders of two or more sweeps, of two levels say, or that of one with `--level 3,4`";
        return Err(Message::users("curves of one folder do not cross").with_help(help).into());
    }
    let mut found = Vec::new();
    for pair_of_sizes in of_levels.windows(2) {
        let [(own, systems), (other, others)] = pair_of_sizes else { continue };
        let columns = [own.column(name)?, other.column(name)?];
        let mut places = own.within(range);
        places.retain(|place| other.places.contains(place));
        let entry = |first: &System, second: Option<&System>| Crossing {
            folders: [own.path.clone(), other.path.clone()],
            levels: [first.level.clone(), second.or(others.first().copied()).and_then(|second| second.level.clone())],
            values: first.values(),
            parameter: own.parameter.clone(),
            found: statistics::Crossing::none(places.len()),
            missing: None,
        };
        for second in others.iter().filter(|second| systems.iter().all(|first| first.others != second.others)) {
            let missing = Some(no_partner(&own.path, &second.values()));
            let levels = [systems.first().and_then(|first| first.level.clone()), second.level.clone()];
            found.push(Crossing { levels, missing, ..entry(second, Some(second)) });
        }
        for first in systems {
            let Some(second) = others.iter().find(|second| second.others == first.others) else {
                found.push(Crossing { missing: Some(no_partner(&other.path, &first.values())), ..entry(first, None) });
                continue;
            };
            let prepared = [own.prepare(first, columns[0])?, other.prepare(second, columns[1])?];
            let parts = Parts::of(own, &[&prepared[0], &prepared[1]])?;
            let reweightings = prepared.each_ref().map(|prepared| prepared.reweighting(&parts));
            let combination = columns[0].combination;
            let zero = |solved: &[Solved<'_>], near: Option<&[f64]>| {
                let difference =
                    |place: f64| combination.of(&solved[0].at(place).0) - combination.of(&solved[1].at(place).0);
                let (from, to) = around(&difference, &places, near.map(|near| near[0]))?;
                Some(vec![root(difference, (from, to))])
            };
            let mut crossing = entry(first, Some(second));
            match jackknife(&[&reweightings[0], &reweightings[1]], zero) {
                Some(values) => {
                    let ([at, error], unknown) = place_of(&values, &parts, &places);
                    crossing.found = statistics::Crossing { at, error, unknown, ..crossing.found };
                }
                None => {
                    let heights = |of: &Reweighting<'_>| -> Option<Vec<f64>> {
                        let solved = Solved::whole(of)?;
                        Some(places.iter().map(|place| combination.of(&solved.at(*place).0)).collect())
                    };
                    crossing.missing = Some(match heights(&reweightings[0]).zip(heights(&reweightings[1])) {
                        Some((first, second)) => no_crossing(&places, &first, &second),
                        None => UNSETTLED.to_owned(),
                    });
                }
            }
            found.push(crossing);
        }
    }
    Ok(found)
}

/// The systems of each size: those of each folder, and of each level of a folder.
fn sizes(made: &[Reweighted]) -> Vec<(&Reweighted, Vec<&System>)> {
    let mut found: Vec<(&Reweighted, Vec<&System>)> = Vec::new();
    for own in made {
        let mut known: Vec<(&Option<String>, Vec<&System>)> = Vec::new();
        for system in &own.parts {
            match known.iter_mut().find(|(level, _)| **level == system.level) {
                Some((_, systems)) => systems.push(system),
                None => known.push((&system.level, vec![system])),
            }
        }
        found.extend(known.into_iter().map(|(_, systems)| (own, systems)));
    }
    found
}

/// Two neighbouring places between which a function changes its sign: nearest to another place, or where what lies on either side is most.
fn around(of: &impl Fn(f64) -> f64, places: &[f64], near: Option<f64>) -> Option<(f64, f64)> {
    let heights: Vec<f64> = places.iter().map(|place| of(*place)).collect();
    let changes = |i: &usize| (heights[*i] > 0.0) != (heights[*i + 1] > 0.0);
    let all = (0..places.len().saturating_sub(1)).filter(changes);
    let at = match near {
        Some(near) => all.min_by(|a, b| {
            let off = |i: &usize| ((places[*i] + places[*i + 1]) / 2.0 - near).abs();
            off(a).total_cmp(&off(b))
        })?,
        None => {
            let total: f64 = heights.iter().sum();
            let score = |i: &usize| (2.0 * heights[..=*i].iter().sum::<f64>() - total).abs();
            all.max_by(|a, b| score(a).total_cmp(&score(b)))?
        }
    };
    Some((places[at], places[at + 1]))
}

/// The exponents with which the curves of a column fall on one another between two places, from ν and γ near those given: one answer for each combination of the other parameters.
///
/// # Errors
/// If there are fewer than two sizes, a folder has no such column, or series are too short for an error.
pub fn collapse(made: &[Reweighted], name: &str, (nu, gamma): (f64, f64), range: (f64, f64)) -> Result<Vec<Collapse>> {
    let _mode = DefaultMode::enter();
    let sizes = sizes(made);
    if sizes.len() < 2 {
        let help = "name the folders of sweeps at two or more levels, or that of one with `--level 3,4,5`";
        return Err(Message::users(format!("curves of one size do not tell how `{name}` scales"))
            .with_help(help)
            .into());
    }
    let mut found = Vec::new();
    for first in &sizes[0].1 {
        let mut prepared: Vec<ColumnOfSystem<'_>> = Vec::new();
        for (own, systems) in &sizes {
            if let Some(system) = systems.iter().find(|system| system.others == first.others) {
                prepared.push(own.prepare(system, own.column(name)?)?);
            }
        }
        let places = thinned(sizes[0].0.within(range));
        let ends = [places.first(), places.last()].map(|end| end.copied().unwrap_or(f64::NAN));
        let mut collapse = Collapse {
            values: first.values(),
            curves: prepared.len(),
            critical: NONE,
            nu: NONE,
            gamma: NONE,
            distance: f64::NAN,
            range: ends,
            unknown: None,
            missing: None,
        };
        if prepared.len() < 2 {
            collapse.missing = Some("there are members of one size alone".to_owned());
            found.push(collapse);
            continue;
        }
        let sides: Vec<f64> = prepared.iter().map(|prepared| prepared.system.side).collect();
        if sides.iter().all(|side| *side == sides[0]) {
            let help = "exponents are those of the side of the domain: levels differ in it";
            return Err(Message::users("curves of one size do not tell how they scale").with_help(help).into());
        }
        let parts = Parts::of(sizes[0].0, &prepared.iter().collect::<Vec<_>>())?;
        let reweightings: Vec<Reweighting<'_>> = prepared.iter().map(|prepared| prepared.reweighting(&parts)).collect();
        let combination = prepared[0].column.combination;
        let heights = |solved: &[Solved<'_>]| -> Vec<Vec<f64>> {
            let of = |solved: &Solved<'_>| places.iter().map(|place| combination.of(&solved.at(*place).0)).collect();
            solved.iter().map(of).collect()
        };
        let flat = |solved: &[Solved<'_>], _: Option<&[f64]>| Some(heights(solved).concat());
        let all: Vec<&Reweighting<'_>> = reweightings.iter().collect();
        let Some(curves) = jackknife(&all, flat).filter(|_| places.len() > 1) else {
            let few =
                || format!("curves are compared along two values or more, and there {}", values_in_words(places.len()));
            collapse.missing = Some(if places.len() < 2 { few() } else { UNSETTLED.to_owned() });
            found.push(collapse);
            continue;
        };
        let errors: Vec<Vec<f64>> =
            curves.errors.chunks(places.len()).map(|own| own.iter().map(|e| e.unwrap_or(f64::NAN)).collect()).collect();
        let best = |solved: &[Solved<'_>], near: Option<&[f64]>| {
            let curves = Curves { places: &places, sides: &sides, heights: &heights(solved), errors: &errors };
            let (place, distance) = match near {
                Some(near) => curves.best([near[0], near[1], near[2]]),
                None => curves.best_of_all(nu, gamma),
            };
            distance.is_finite().then(|| vec![place[0], place[1], place[2], distance])
        };
        let Some(values) = jackknife(&all, best) else {
            let what = format!("the curves of `{name}` have no values in common at these exponents, or no errors");
            let help = "`--collapse NU,GAMMA` begins with exponents near those wanted";
            return Err(Message::users(what).with_help(help).into());
        };
        (collapse.critical, collapse.unknown) = pair(&values, &parts, 0);
        [collapse.nu, collapse.gamma] = [1, 2].map(|i| pair(&values, &parts, i).0);
        // The distance is of the whole: without bias it would be another.
        collapse.distance = values.whole[3];
        found.push(collapse);
    }
    Ok(found)
}

/// Some places of many, evenly.
fn thinned(places: Vec<f64>) -> Vec<f64> {
    let (count, most) = (places.len(), MOST_COMPARED.min(places.len()));
    if most < 2 { places } else { (0..most).map(|i| places[i * (count - 1) / (most - 1)]).collect() }
}

/// Curves of several sizes at the same places.
struct Curves<'a> {
    places: &'a [f64],
    sides: &'a [f64],
    heights: &'a [Vec<f64>],
    errors: &'a [Vec<f64>],
}

impl Curves<'_> {
    /// The critical value at which they fall on one another best with these exponents, and the exponents: among the values, and as far again below and above them.
    fn begin(&self, nu: f64, gamma: f64) -> [f64; 3] {
        let (low, high) = (self.places[0], self.places[self.places.len() - 1]);
        let beyond = (0..=STARTS).map(|i| low + (high - low) * (3.0 * f64::from(i) / f64::from(STARTS) - 1.0));
        let all = beyond.map(|place| (place, self.distance([place, nu, gamma])));
        let best = all.min_by(|a, b| a.1.total_cmp(&b.1));
        [best.map_or(f64::NAN, |(place, _)| place), nu, gamma]
    }

    /// The place of the least distance that is found from exponents around those given: a search ends where all that is near is worse, which need not be the least.
    fn best_of_all(&self, nu: f64, gamma: f64) -> ([f64; 3], f64) {
        let shift = 0.5 * gamma.abs().max(1.0);
        let exponents = [0.5, 1.0, 2.0].map(|factor| [-shift, 0.0, shift].map(|by| (factor * nu, gamma + by)));
        let searches = exponents.concat().into_par_iter().map(|(nu, gamma)| {
            let _mode = DefaultMode::enter();
            self.best(self.begin(nu, gamma))
        });
        let found: Vec<([f64; 3], f64)> = searches.collect();
        let nowhere = ([f64::NAN; 3], f64::INFINITY);
        found.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(nowhere)
    }

    /// The mean square of how far points lie from the straight line through the nearest points of all other curves on both sides, over that of the errors of both
    /// (J. Houdayer, A. K. Hartmann, Phys. Rev. B 70, 014418, 2004).
    fn distance(&self, [critical, nu, gamma]: [f64; 3]) -> f64 {
        if nu.is_nan() || nu <= 0.0 {
            return f64::INFINITY;
        }
        let scales: Vec<(f64, f64)> =
            self.sides.iter().map(|side| (side.powf(1.0 / nu), side.powf(-gamma / nu))).collect();
        let (mut sum, mut count) = (0.0, 0.0);
        for (own, (stretch, factor)) in scales.iter().enumerate() {
            for (i, place) in self.places.iter().enumerate() {
                let x = (place - critical) * stretch;
                // Sums of weights, of x, y, x², xy.
                let mut sums = [0.0; 5];
                for (other, (stretch, factor)) in scales.iter().enumerate().filter(|(other, _)| *other != own) {
                    let wanted = critical + x / stretch;
                    let after = self.places.partition_point(|place| *place < wanted);
                    if after == 0 || after == self.places.len() {
                        continue;
                    }
                    for near in [after - 1, after] {
                        let (dx, y) =
                            ((self.places[near] - critical) * stretch - x, self.heights[other][near] * factor);
                        let weight = (self.errors[other][near] * factor).powi(-2);
                        for (sum, term) in sums.iter_mut().zip([1.0, dx, y, dx * dx, dx * y]) {
                            *sum += weight * term;
                        }
                    }
                }
                let [w, wx, wy, wxx, wxy] = sums;
                let determinant = w * wxx - wx * wx;
                if determinant > 0.0 {
                    // The line's value at x, where dx is 0.
                    let (line, square) = ((wxx * wy - wx * wxy) / determinant, wxx / determinant);
                    let off = self.heights[own][i] * factor - line;
                    let error = self.errors[own][i] * factor;
                    (sum, count) = (sum + off * off / (error * error + square), count + 1.0);
                }
            }
        }
        // A few points in common tell nothing.
        if count < self.places.len() as f64 { f64::INFINITY } else { sum / count }
    }

    /// The place of the least distance near another, and the distance. A search that became flat before it came there goes on when it begins anew.
    fn best(&self, start: [f64; 3]) -> ([f64; 3], f64) {
        let mut found = self.search(start);
        for _ in 1..MOST_SEARCHES {
            let last = found.1;
            let next = self.search(found.0);
            if next.1 < last {
                found = next;
            }
            if found.1.is_nan() || found.1 >= LESS * last {
                break;
            }
        }
        found
    }

    /// A search by a simplex (J. A. Nelder, R. Mead, Comput. J. 7, 308, 1965).
    fn search(&self, start: [f64; 3]) -> ([f64; 3], f64) {
        let span = self.places.last().zip(self.places.first()).map_or(0.0, |(last, first)| last - first);
        let sizes = [0.1 * span, 0.1 * start[1], 0.1 * start[2].abs().max(0.1)];
        let mut corners: Vec<([f64; 3], f64)> = vec![(start, self.distance(start))];
        for axis in 0..3 {
            let mut corner = start;
            corner[axis] += sizes[axis];
            corners.push((corner, self.distance(corner)));
        }
        for _ in 0..MOST_STEPS {
            corners.sort_by(|a, b| a.1.total_cmp(&b.1));
            let is_small = (0..3).all(|axis| (corners[3].0[axis] - corners[0].0[axis]).abs() < 1e-7 * sizes[axis]);
            if is_small {
                break;
            }
            let centre: [f64; 3] =
                std::array::from_fn(|i| corners[..3].iter().map(|corner| corner.0[i]).sum::<f64>() / 3.0);
            let along = |factor: f64| {
                let place: [f64; 3] = std::array::from_fn(|i| centre[i] + factor * (corners[3].0[i] - centre[i]));
                (place, self.distance(place))
            };
            let reflected = along(-1.0);
            let better = if reflected.1 < corners[0].1 {
                let expanded = along(-2.0);
                if expanded.1 < reflected.1 { expanded } else { reflected }
            } else if reflected.1 < corners[2].1 {
                reflected
            } else {
                along(if reflected.1 < corners[3].1 { -0.5 } else { 0.5 })
            };
            if better.1 < corners[3].1 {
                corners[3] = better;
                continue;
            }
            let first = corners[0].0;
            for (place, distance) in &mut corners[1..] {
                *place = std::array::from_fn(|i| (place[i] + first[i]) / 2.0);
                *distance = self.distance(*place);
            }
        }
        corners.sort_by(|a, b| a.1.total_cmp(&b.1));
        corners[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean square of the magnetisation of an open chain of spins whose neighbours differ with the weight q − ½ against 1: ν = 1, γ = 0, and q_c = ½ lies below all values.
    fn square(cells: i32, q: f64) -> f64 {
        let t = (1.5 - q) / (0.5 + q);
        let pairs: f64 = (1..cells).map(|off| f64::from(cells - off) * t.powi(off)).sum();
        (f64::from(cells) + 2.0 * pairs) / f64::from(cells * cells)
    }

    #[test]
    fn exponents_are_found_from_far_ones() {
        let places: Vec<f64> = (0..20).map(|i| 0.525 + 0.005 * f64::from(i)).collect();
        let sides = [64.0, 128.0, 256.0];
        let heights: Vec<Vec<f64>> =
            sides.iter().map(|side| places.iter().map(|place| square(*side as i32, *place)).collect()).collect();
        let errors: Vec<Vec<f64>> = heights.iter().map(|own| own.iter().map(|y| 0.01 * y).collect()).collect();
        let curves = Curves { places: &places, sides: &sides, heights: &heights, errors: &errors };
        for (nu, gamma) in [(1.0, 0.0), (1.2, 0.1), (0.8, 0.1), (2.0, 0.5), (1.5, -0.5)] {
            let ([critical, found, exponent], distance) = curves.best_of_all(nu, gamma);
            assert!(
                (critical - 0.5).abs() < 0.005 && (found - 1.0).abs() < 0.1 && exponent.abs() < 0.1 && distance < 0.05,
                "{nu} {gamma}: {critical} {found} {exponent}, S {distance}; one search {:?}",
                curves.search(curves.begin(nu, gamma))
            );
        }
    }

    #[test]
    fn places_near_an_end_have_no_error() {
        let found = |at: f64, error: f64| statistics::reweight::JackknifedValues {
            whole: vec![at],
            values: vec![at],
            errors: vec![Ok(error)],
        };
        let of = |at, error| place_of(&found(at, error), &Parts::Stretches(20), &[0.0, 1.0, 2.0]);
        assert_eq!(of(0.5, 0.1), ([0.5, 0.1], None));
        for (at, error) in [(0.5, 0.2), (1.6, 0.2), (2.5, 0.6)] {
            let ([place, error], unknown) = of(at, error);
            assert!(place == at && error.is_nan() && unknown == Some(Unknown::Vague), "{place} {unknown:?}");
        }
    }
}
