//! Maxima of curves, crossings, and exponents with which curves of several sizes collapse.

use super::{ColumnOfSystem, CurveColumn, Parts, Reweighted, System};
use crate::analysis::Crossing;
use crate::lists;
use crate::statistics::reweight::{Reweighting, Solved, jackknife, maximum, root};
use crate::statistics::{self, Unknown};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_engine::failure::{Message, Result};
use std::path::PathBuf;

/// The most values of a curve that a collapse compares.
const MOST_COMPARED: usize = 33;
/// Steps of a search for the best collapse.
const MOST_STEPS: usize = 600;

/// Where a curve is greatest.
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
    /// The mean square of how far points lie from the other curves, over that of their errors: 1 if the curves agree.
    pub distance: f64,
    /// Why errors are unknown.
    pub unknown: Option<Unknown>,
}

impl Collapse {
    /// Whether curves fall on one another as far as their errors tell.
    pub fn is_one(&self) -> bool {
        self.distance <= 2.0
    }
}

impl Reweighted {
    fn column(&self, name: &str) -> Result<&CurveColumn> {
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

/// A number and its error.
fn pair(found: &statistics::reweight::JackknifedValues, parts: &Parts, index: usize) -> ([f64; 2], Option<Unknown>) {
    let (error, unknown) = parts.error(found.errors[index]);
    ([found.values[index], error], unknown)
}

/// Where the curves of a column are greatest between two places: those that are not greatest at an end.
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
            let Some(values) = jackknife(&[&reweighting], best) else { continue };
            let ((at, unknown), (height, _)) = (pair(&values, &parts, 0), pair(&values, &parts, 1));
            let (folder, level, values) = (own.path.clone(), system.level.clone(), system.values());
            found.push(Maximum { folder, level, values, at, height, unknown });
        }
    }
    Ok(found)
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

/// Where the curves of a column cross from one place to another: those of each folder, and of each level of a folder, with the next one's.
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
        for first in systems {
            let Some(second) = others.iter().find(|second| second.others == first.others) else { continue };
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
            let Some(values) = jackknife(&[&reweightings[0], &reweightings[1]], zero) else { continue };
            let ([at, error], unknown) = pair(&values, &parts, 0);
            found.push(Crossing {
                folders: [own.path.clone(), other.path.clone()],
                levels: [first.level.clone(), second.level.clone()],
                values: first.values(),
                parameter: own.parameter.clone(),
                found: statistics::Crossing {
                    at,
                    error,
                    unknown,
                    degree: 0,
                    points: places.len(),
                    chi_square: f64::NAN,
                },
            });
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
        if prepared.len() < 2 {
            continue;
        }
        let sides: Vec<f64> = prepared.iter().map(|prepared| prepared.system.side).collect();
        if sides.iter().all(|side| *side == sides[0]) {
            let help = "exponents are those of the side of the domain: levels differ in it";
            return Err(Message::users("curves of one size do not tell how they scale").with_help(help).into());
        }
        let parts = Parts::of(sizes[0].0, &prepared.iter().collect::<Vec<_>>())?;
        let reweightings: Vec<Reweighting<'_>> = prepared.iter().map(|prepared| prepared.reweighting(&parts)).collect();
        let places = thinned(sizes[0].0.within(range));
        let combination = prepared[0].column.combination;
        let heights = |solved: &[Solved<'_>]| -> Vec<Vec<f64>> {
            let of = |solved: &Solved<'_>| places.iter().map(|place| combination.of(&solved.at(*place).0)).collect();
            solved.iter().map(of).collect()
        };
        let flat = |solved: &[Solved<'_>], _: Option<&[f64]>| Some(heights(solved).concat());
        let all: Vec<&Reweighting<'_>> = reweightings.iter().collect();
        let Some(curves) = jackknife(&all, flat) else { continue };
        let errors: Vec<Vec<f64>> =
            curves.errors.chunks(places.len()).map(|own| own.iter().map(|e| e.unwrap_or(f64::NAN)).collect()).collect();
        let best = |solved: &[Solved<'_>], near: Option<&[f64]>| {
            let curves = Curves { places: &places, sides: &sides, heights: &heights(solved), errors: &errors };
            let start = near.map_or_else(|| curves.begin(nu, gamma), |near| [near[0], near[1], near[2]]);
            let (place, distance) = curves.best(start);
            distance.is_finite().then(|| vec![place[0], place[1], place[2], distance])
        };
        let Some(values) = jackknife(&all, best) else {
            let what = format!("the curves of `{name}` have no values in common at these exponents, or no errors");
            let help = "`--collapse NU,GAMMA` begins with exponents near those wanted";
            return Err(Message::users(what).with_help(help).into());
        };
        let [(critical, unknown), (nu, _), (gamma, _)] = [0, 1, 2].map(|i| pair(&values, &parts, i));
        // The distance is of the whole: without bias it would be another.
        let whole = values.whole[3];
        let values = first.values();
        found.push(Collapse { values, curves: prepared.len(), critical, nu, gamma, distance: whole, unknown });
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
    /// The critical value at which they fall on one another best with these exponents, and the exponents.
    fn begin(&self, nu: f64, gamma: f64) -> [f64; 3] {
        let off = |place: &&f64| self.distance([**place, nu, gamma]);
        let best = self.places.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
        [best.copied().unwrap_or(f64::NAN), nu, gamma]
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

    /// The place of the least distance near another (J. A. Nelder, R. Mead, Comput. J. 7, 308, 1965), and the distance.
    fn best(&self, start: [f64; 3]) -> ([f64; 3], f64) {
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
