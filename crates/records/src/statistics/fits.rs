//! Crossings of curves and power laws.
//!
//! Each point of a curve is a function of means, with an error of its own that serves as a weight. Points share seeds, so errors of a fit do not follow
//! from the points' errors: it is done again without each member or block.

use super::jackknife::{Jackknife, jackknife_of};
use super::{Combination, Estimate, FEWEST_CROSSING, FEWEST_MEMBERS, FEWEST_WINDOWS, Member, Point, Unknown};
use squeeze_compiler::numbers::mode::DefaultMode;

/// The highest degree of a polynomial through the difference of two curves.
const HIGHEST_DEGREE: usize = 3;
/// Parts of its range between whose neighbouring ends a polynomial has one root at most.
const INTERVALS: usize = 64;
/// Blocks from which on an error may serve as a weight: it is known to 13% then.
const ENOUGH_BLOCKS: usize = 32;

/// Where two curves cross.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Crossing {
    /// The place.
    pub at: f64,
    /// Its standard error; NaN if it is unknown.
    pub error: f64,
    /// Why it is unknown.
    pub unknown: Option<Unknown>,
    /// The degree of the polynomial whose root it is,
    pub degree: usize,
    /// the number of places through which it goes, around the crossing,
    pub points: usize,
    /// and χ² for each degree of freedom, as if the points were independent; NaN if there is none.
    pub chi_square: f64,
}

impl Crossing {
    /// None at so many places.
    pub(crate) fn none(points: usize) -> Crossing {
        Crossing { at: f64::NAN, error: f64::NAN, unknown: None, degree: 0, points, chi_square: f64::NAN }
    }
}

/// The values of a combination at some points.
pub(crate) fn heights(points: &[&[Member<'_>]], combination: Combination) -> Vec<f64> {
    let all = |point: &&[Member<'_>]| Estimate::of(point, combination).mean;
    points.iter().map(all).collect()
}

/// Where two curves cross: the root of a polynomial through their difference.
///
/// Both curves have a point at each of these places, which ascend, and the combination makes a value of the means at a point. The polynomial goes
/// through as many places as errors allow; where it misses them, the error grows. `None` if the curves do not cross.
pub fn crossing(places: &[f64], curves: [&[&[Member<'_>]]; 2], combination: Combination) -> Option<Crossing> {
    let _mode = DefaultMode::enter();
    let difference =
        |means: &[Vec<f64>], i: usize| combination.of(&means[i]) - combination.of(&means[i + means.len() / 2]);
    let fewest = if combination == Combination::Mean { FEWEST_MEMBERS } else { FEWEST_CROSSING };
    let found =
        |i: usize| jackknife_of(&[curves[0][i], curves[1][i]], fewest, combination, |means| [difference(means, 0)]);
    let found: Vec<Jackknife<1>> = (0..places.len()).map(found).collect();
    let heights: Vec<f64> = found.iter().map(|found| found.values[0]).collect();
    let errors = common_errors(&found);
    let weights: Vec<f64> = match &errors {
        Some(errors) => errors.iter().map(|error| error.powi(-2)).collect(),
        None => vec![1.0; places.len()],
    };
    // The curves change sides where what lies on either side is most: noise changes them back and forth.
    let scores: Vec<f64> = heights.iter().zip(&weights).map(|(height, weight)| height * weight.sqrt()).collect();
    let total: f64 = scores.iter().sum();
    let (mut before, mut best) = (0.0, (0.0, 0));
    for (i, score) in scores.iter().enumerate().take(places.len().saturating_sub(1)) {
        before += score;
        if before * (total - before) < 0.0 && (2.0 * before - total).abs() > best.0 {
            best = ((2.0 * before - total).abs(), i);
        }
    }
    let (most, left) = best;
    if most == 0.0 {
        return None;
    }
    let guess = places[left] + (places[left + 1] - places[left]) * heights[left] / (heights[left] - heights[left + 1]);
    let mut window = if errors.is_some() { 0..places.len() } else { left..left + 2 };
    loop {
        let (x, y, w) = (&places[window.clone()], &heights[window.clone()], &weights[window.clone()]);
        let degree = HIGHEST_DEGREE.min((x.len() - 2).max(1));
        let ends = (x[0], x[x.len() - 1]);
        let polynomial = Polynomial::fit(x, y, w, degree)?;
        let freedom = (x.len() - degree - 1) as f64;
        let chi_square = polynomial.residual(x, y, w) / freedom;
        if x.len() > HIGHEST_DEGREE + 2 && chi_square > 1.0 + 3.0 * (2.0 / freedom).sqrt() {
            // The outermost place that is farther away goes.
            let far_left = guess - ends.0 > ends.1 - guess;
            if window.start < left && (far_left || window.end == left + 2) {
                window.start += 1;
            } else {
                window.end -= 1;
            }
            continue;
        }
        let root = polynomial.root(ends, guess)?;
        let points: Vec<&[Member<'_>]> =
            curves.iter().flat_map(|curve| curve[window.clone()].iter().copied()).collect();
        let again = jackknife_of(&points, fewest, combination, |means| {
            let y: Vec<f64> = (0..x.len()).map(|i| difference(means, i)).collect();
            let root = Polynomial::fit(x, &y, w, degree).and_then(|polynomial| polynomial.root(ends, root));
            [root.unwrap_or(f64::NAN)]
        });
        let chi_square = if freedom > 0.0 { chi_square } else { f64::NAN };
        // Where the polynomial does not go through the points, it is wrong by as much.
        let excess = if chi_square > 1.0 + 2.0 * (2.0 / freedom).sqrt() { chi_square.sqrt() } else { 1.0 };
        let reach = (root - ends.0).min(ends.1 - root) / 3.0;
        let (error, unknown) = match again.errors {
            // The polynomial says nothing beyond the places.
            Ok([error]) if error * excess > reach => (f64::NAN, Some(Unknown::Vague)),
            Ok([error]) => (error * excess, None),
            Err(unknown) => (f64::NAN, Some(unknown)),
        };
        return Some(Crossing { at: again.values[0], error, unknown, degree, points: x.len(), chi_square });
    }
}

/// The errors that points are weighted with: their own if these rest on enough, else one for all, since errors from a few members differ by chance. `None`
/// if one is unknown, or zero.
fn common_errors<const N: usize>(found: &[Jackknife<N>]) -> Option<Vec<f64>> {
    let known = |found: &Jackknife<N>| match found.errors {
        Ok(errors) => Some(errors[0]),
        Err(Unknown::Equal) => Some(0.0),
        Err(_) => None,
    };
    let errors: Vec<f64> = found.iter().map(known).collect::<Option<_>>()?;
    if found.iter().all(|found| found.blocks >= ENOUGH_BLOCKS) {
        return errors.iter().all(|error| *error > 0.0).then_some(errors);
    }
    let common = (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
    (common > 0.0).then(|| vec![common; errors.len()])
}

/// A polynomial of (x − centre) / scale, which keeps its numbers small.
struct Polynomial {
    centre: f64,
    scale: f64,
    coefficients: Vec<f64>,
}

impl Polynomial {
    /// Least squares. `None` if the places do not tell the coefficients.
    fn fit(x: &[f64], y: &[f64], weights: &[f64], degree: usize) -> Option<Polynomial> {
        let all: f64 = weights.iter().sum();
        let centre = x.iter().zip(weights).map(|(x, weight)| x * weight).sum::<f64>() / all;
        let scale = x.iter().map(|x| (x - centre).abs()).fold(0.0, f64::max);
        // The normal equations, with what they are to yield in the last column.
        let mut rows = vec![vec![0.0; degree + 2]; degree + 1];
        for ((x, y), weight) in x.iter().zip(y).zip(weights) {
            let x = (x - centre) / scale;
            for (i, row) in rows.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    let power = x.powi(i as i32) * if j > degree { *y } else { x.powi(j as i32) };
                    *entry += weight * power;
                }
            }
        }
        for i in 0..=degree {
            let pivot = rows[i][i];
            if pivot.is_nan() || pivot <= 1e-12 * all {
                return None;
            }
            rows[i].iter_mut().for_each(|entry| *entry /= pivot);
            let own = rows[i].clone();
            for (_, other) in rows.iter_mut().enumerate().filter(|(j, _)| *j != i) {
                let factor = other[i];
                other.iter_mut().zip(&own).for_each(|(entry, own)| *entry -= factor * own);
            }
        }
        Some(Polynomial { centre, scale, coefficients: rows.iter().map(|row| row[degree + 1]).collect() })
    }

    /// The value and the slope, both in units of the scale.
    fn at(&self, x: f64) -> (f64, f64) {
        let x = (x - self.centre) / self.scale;
        self.coefficients.iter().rev().fold((0.0, 0.0), |(value, slope), c| (value * x + c, slope * x + value))
    }

    /// The weighted sum of squares of how far points lie from it.
    fn residual(&self, x: &[f64], y: &[f64], weights: &[f64]) -> f64 {
        x.iter().zip(y).zip(weights).map(|((x, y), weight)| weight * (y - self.at(*x).0).powi(2)).sum()
    }

    /// The root between two places that is nearest to a third.
    fn root(&self, (from, to): (f64, f64), near: f64) -> Option<f64> {
        let place = |i: usize| from + (to - from) * i as f64 / INTERVALS as f64;
        let sides = (0..INTERVALS).map(|i| (place(i), place(i + 1)));
        let roots = sides.filter(|(a, b)| (self.at(*a).0 > 0.0) != (self.at(*b).0 > 0.0)).map(|(mut a, mut b)| {
            while (b - a) > 1e-12 * (to - from) {
                let middle = (a + b) / 2.0;
                *(if (self.at(middle).0 > 0.0) == (self.at(a).0 > 0.0) { &mut a } else { &mut b }) = middle;
            }
            (a + b) / 2.0
        });
        roots.min_by(|a, b| (a - near).abs().total_cmp(&(b - near).abs()))
    }
}

/// A power law y = amplitude · x^exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PowerLaw {
    /// The exponent,
    pub exponent: f64,
    /// and its standard error.
    pub exponent_error: f64,
    /// The amplitude,
    pub amplitude: f64,
    /// and its standard error.
    pub amplitude_error: f64,
    /// Why the errors are unknown; they are NaN then.
    pub unknown: Option<Unknown>,
    /// χ² for each degree of freedom, as if the points were independent; NaN if they have no errors, or are two.
    pub chi_square: f64,
    /// The number of points.
    pub points: usize,
}

/// Fits a power law, by least squares of logarithms, to the points at positive places where the combination is positive, whatever is left out. `None` for fewer than two.
pub fn power_law(curve: &[(f64, Point<'_>)], combination: Combination) -> Option<PowerLaw> {
    let _mode = DefaultMode::enter();
    let fewest = combination.fewest();
    let curve = curve.iter().filter(|(x, point)| *x > 0.0 && x.is_finite() && !point.is_empty());
    let found = curve.map(|(x, point)| {
        (*x, point.as_slice(), jackknife_of(&[point], fewest, combination, |means| [combination.of(&means[0]).ln()]))
    });
    let mut found: Vec<_> = found.collect();
    found.retain(|(.., found)| found.values[0].is_finite() && found.errors != Err(Unknown::Vanishes));
    let x: Vec<f64> = found.iter().map(|(x, ..)| x.ln()).collect();
    let points: Vec<&[Member<'_>]> = found.iter().map(|(_, point, _)| *point).collect();
    let found: Vec<Jackknife<1>> = found.iter().map(|(.., found)| *found).collect();
    let errors = common_errors(&found);
    let weights = errors.as_ref().map_or_else(|| vec![1.0; x.len()], |e| e.iter().map(|e| e.powi(-2)).collect());
    let y: Vec<f64> = found.iter().map(|found| found.values[0]).collect();
    let law = line(&x, &y, &weights)?;
    let again = jackknife_of(&points, fewest, combination, |means| {
        let y: Vec<f64> = means.iter().map(|means| combination.of(means).ln()).collect();
        line(&x, &y, &weights).map_or([f64::NAN; 2], |line| [line.0, line.1])
    });
    let freedom = x.len() as f64 - 2.0;
    let chi_square = match errors {
        Some(_) if freedom > 0.0 => law.2 / freedom,
        _ => f64::NAN,
    };
    Some(PowerLaw::of(again.values, again.errors, chi_square, x.len()))
}

/// Fits a power law to one series (time, value), which has no other one to compare with: the means over windows of time, each as many times as
/// long as the one before as `factor` says.
///
/// Means over neighbouring windows depend on each other, and later ones may lie farther from the law than earlier ones: a run remembers an excess for
/// about as long again, and growing domains become few. One run does not tell how much, so the error is averaged
/// ([`spread`]). `None` for fewer than two windows with positive values.
#[doc(hidden)]
pub fn power_law_of_windows(series: &[(f64, f64)], factor: f64) -> Option<PowerLaw> {
    let _mode = DefaultMode::enter();
    let logarithms = series.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite());
    let logarithms: Vec<(f64, f64)> = logarithms.map(|(x, y)| (x.ln(), y.ln())).collect();
    let start = logarithms.first()?.0;
    let window = |point: &(f64, f64)| ((point.0 - start) / factor.ln() + 1e-9).floor();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for points in logarithms.chunk_by(|a, b| window(a) == window(b)) {
        x.push(points.iter().map(|point| point.0).sum::<f64>() / points.len() as f64);
        y.push(points.iter().map(|point| point.1).sum::<f64>() / points.len() as f64);
    }
    let (exponent, height, _) = line(&x, &y, &vec![1.0; x.len()])?;
    let rest: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - height - exponent * x).collect();
    let neighbours = rest.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
    let errors = if x.len() < FEWEST_WINDOWS {
        Err(Unknown::Windows(x.len()))
    } else if neighbours > 2.0 / (x.len() as f64).sqrt() * rest.iter().map(|rest| rest * rest).sum::<f64>() {
        Err(Unknown::Correlated)
    } else {
        Ok(spread(&x, &y))
    };
    Some(PowerLaw::of([exponent, height], errors, f64::NAN, x.len()))
}

/// The errors of the slope and the height of a straight line by least squares, through points whose deviations grow as exp(g x) and depend on their
/// neighbours' by ρ.
///
/// For each g and ρ the deviations' size is that of generalised least squares (S. J. Prais and C. B. Winsten, Cowles Commission Discussion Paper 383,
/// 1954). The squares of errors are averaged over them, each with its likelihood without the line (H. D. Patterson and R. Thompson, Biometrika 58,
/// 545, 1971).
fn spread(x: &[f64], y: &[f64]) -> [f64; 2] {
    const GROWTHS: i32 = 5;
    const DEPENDENCES: i32 = 7;
    let count = x.len() as f64;
    let centre = x.iter().sum::<f64>() / count;
    let width: f64 = x.iter().map(|x| (x - centre).powi(2)).sum();
    // By how much each point moves the slope and the height.
    let moves: [Vec<f64>; 2] = [
        x.iter().map(|x| (x - centre) / width).collect(),
        x.iter().map(|x| 1.0 / count - centre * (x - centre) / width).collect(),
    ];
    let mut found: Vec<(f64, [f64; 2])> = Vec::new();
    for (growth, dependence) in
        (0..GROWTHS).flat_map(|g| (0..DEPENDENCES).map(move |d| (0.2 * f64::from(g), 0.15 * f64::from(d))))
    {
        let sizes: Vec<f64> = x.iter().map(|x| (growth * (x - centre)).exp()).collect();
        // Deviations of one size, independent of each other.
        let whitened = |values: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let scaled = |i: usize| values(i) / sizes[i];
            let own = (1.0 - dependence * dependence).sqrt();
            (0..x.len())
                .map(|i| if i == 0 { own * scaled(0) } else { scaled(i) - dependence * scaled(i - 1) })
                .collect()
        };
        let [one, x, y] = [whitened(&|_| 1.0), whitened(&|i| x[i] - centre), whitened(&|i| y[i])];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (of_one, of_both, of_x) = (dot(&one, &one), dot(&one, &x), dot(&x, &x));
        let determinant = of_one * of_x - of_both * of_both;
        let height = (dot(&one, &y) * of_x - dot(&x, &y) * of_both) / determinant;
        let slope = (dot(&x, &y) * of_one - dot(&one, &y) * of_both) / determinant;
        let rest: f64 = (0..y.len()).map(|i| (y[i] - height * one[i] - slope * x[i]).powi(2)).sum();
        let scales = sizes.iter().map(|size| size.ln()).sum::<f64>()
            + (count - 1.0) / 2.0 * (1.0 - dependence * dependence).ln();
        let likelihood = -scales - determinant.ln() / 2.0 - (count - 2.0) / 2.0 * rest.ln();
        let deviation = |moves: &Vec<f64>| {
            let by =
                |i: usize, j: usize| moves[i] * moves[j] * sizes[i] * sizes[j] * dependence.powi(i.abs_diff(j) as i32);
            let sum: f64 = (0..y.len()).flat_map(|i| (0..y.len()).map(move |j| (i, j))).map(|(i, j)| by(i, j)).sum();
            // Student's distribution, whose standard deviation is larger than that of known deviations.
            sum * rest / (count - 4.0)
        };
        found.push((likelihood, moves.each_ref().map(deviation)));
    }
    let most = found.iter().map(|(likelihood, _)| *likelihood).fold(f64::NEG_INFINITY, f64::max);
    let (mut weights, mut squares) = (0.0, [0.0; 2]);
    for (likelihood, own) in found {
        // Where points lie on the line all is equally likely.
        let weight = if likelihood == most { 1.0 } else { (likelihood - most).exp() };
        weights += weight;
        squares.iter_mut().zip(own).for_each(|(sum, square)| *sum += weight * square);
    }
    squares.map(|square| (square / weights).sqrt())
}

impl PowerLaw {
    /// Of the exponent and the logarithm of the amplitude.
    fn of([exponent, height]: [f64; 2], errors: Result<[f64; 2], Unknown>, chi_square: f64, points: usize) -> PowerLaw {
        let ([exponent_error, height_error], unknown) =
            errors.map_or_else(|unknown| ([f64::NAN; 2], Some(unknown)), |errors| (errors, None));
        let amplitude = height.exp();
        let amplitude_error = amplitude * height_error;
        PowerLaw { exponent, exponent_error, amplitude, amplitude_error, unknown, chi_square, points }
    }
}

/// A straight line: its slope, its height at 0, and the weighted sum of squares of how far points lie from it.
fn line(x: &[f64], y: &[f64], weights: &[f64]) -> Option<(f64, f64, f64)> {
    let line = Polynomial::fit(x, y, weights, 1).filter(|_| x.len() > 1)?;
    Some((line.at(0.0).1 / line.scale, line.at(0.0).0, line.residual(x, y, weights)))
}
