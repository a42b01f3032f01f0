//! How the overlaps of pairs are distributed.

use super::matrix::Matrix;
use super::{OverlapError, matrix};
use crate::chart::{Axis, Curve, Page, Panel, Point};
use crate::files::{self, FileError};
use std::path::{Path, PathBuf};

/// The fewest and the most bins.
const BINS: (f64, f64) = (8.0, 200.0);

/// Values of pairs that are drawn as one curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// What stands beside the curve.
    pub name: String,
    /// The values.
    pub values: Vec<f64>,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Distributions {
    /// What is distributed, such as `q`.
    pub symbol: String,
    /// The curves.
    pub curves: Vec<Distribution>,
}

/// Whether this is a matrix, or a folder of matrices, by its name and what is in it.
pub fn is_one(path: &Path) -> bool {
    let is_array = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
    is_array && !path.is_dir() || steps(path).is_ok_and(|steps| !steps.is_empty())
}

/// The matrices `STEP.npy` in a folder, by step.
fn steps(folder: &Path) -> Result<Vec<(u32, PathBuf)>, FileError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let names = files::list(folder).map_err(|error| FileError::reading(folder, error))?;
    let step = |name: &std::ffi::OsString| name.to_str()?.strip_suffix(".npy")?.parse().ok();
    let mut steps: Vec<(u32, PathBuf)> =
        names.iter().filter_map(|(name, _)| Some((step(name)?, folder.join(name)))).collect();
    steps.sort_unstable();
    Ok(steps)
}

impl Distributions {
    /// Reads matrices: each file is a curve, and each folder of matrices `STEP.npy` is one of the pairs of all its steps.
    ///
    /// # Errors
    /// If one is no matrix, or has one replica only.
    pub fn read(paths: &[PathBuf]) -> Result<Distributions, OverlapError> {
        let (mut curves, mut symbols) = (Vec::new(), Vec::new());
        for path in paths {
            let matrices = match path.is_dir() {
                true => steps(path)?.into_iter().map(|(_, path)| path).collect(),
                false => vec![path.clone()],
            };
            if matrices.is_empty() {
                return Err(OverlapError::NoMatrices(path.clone()));
            }
            let mut values = Vec::new();
            for file in &matrices {
                let matrix: Matrix = matrix::read(file)?;
                if matrix.rows == 1 {
                    return Err(OverlapError::OneReplica(file.clone()));
                }
                values.extend(matrix.pairs());
                symbols.push(if matrix.is_of_integers { "h" } else { "q" });
            }
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            curves.push(Distribution { name, values });
        }
        symbols.dedup();
        let symbol = if let [one] = symbols[..] { one } else { "x" };
        Ok(Distributions { symbol: symbol.to_owned(), curves })
    }

    /// The page: one panel, in which each curve is the outline of a histogram whose area is 1.
    pub fn page(&self) -> Page {
        let Distributions { symbol, curves } = self;
        let notes: Vec<String> = curves.iter().map(|curve| note(symbol, curve, curves.len() > 1)).collect();
        let curve = |(ink, curve): (usize, &Distribution)| Curve {
            name: if curves.len() > 1 { curve.name.clone() } else { String::new() },
            points: outline(&curve.values),
            ink,
            marked: false,
        };
        let panel = Panel {
            x: Axis { label: symbol.clone(), ..Axis::default() },
            y: Axis { label: format!("P({symbol})"), ..Axis::default() },
            curves: curves.iter().enumerate().map(curve).collect(),
            ..Panel::default()
        };
        let title = match curves.as_slice() {
            [one] if one.name != *symbol => format!("Distribution of {symbol} over pairs of states: {}", one.name),
            _ => format!("Distribution of {symbol} over pairs of states"),
        };
        Page { title, note: notes.join("; "), columns: 1, panels: vec![panel] }
    }
}

/// The number of pairs and the moments, in words.
fn note(symbol: &str, curve: &Distribution, named: bool) -> String {
    let finite: Vec<f64> = finite(&curve.values);
    let mean = |power: i32| finite.iter().map(|value| value.powi(power)).sum::<f64>() / finite.len() as f64;
    let name = if named { format!("{}: ", curve.name) } else { String::new() };
    let left = curve.values.len() - finite.len();
    let left = if left > 0 { format!(", {left} of them no numbers") } else { String::new() };
    format!("{name}{} pairs{left}, ⟨{symbol}⟩ = {:.4}, ⟨{symbol}²⟩ = {:.4}", curve.values.len(), mean(1), mean(2))
}

fn finite(values: &[f64]) -> Vec<f64> {
    values.iter().copied().filter(|value| value.is_finite()).collect()
}

/// The outline of a histogram whose area is 1. Values that lie on a grid, as overlaps do, get bins of a whole number of its steps.
fn outline(values: &[f64]) -> Vec<Point> {
    let mut sorted = finite(values);
    sorted.sort_unstable_by(f64::total_cmp);
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let count = sorted.len() as f64;
    let bins = (2.0 * count.cbrt()).clamp(BINS.0, BINS.1);
    // Of one value: a bin around it.
    let least = if low == high { low.abs().max(1.0) / 50.0 } else { (high - low) / BINS.1 };
    let gap = sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0).fold(f64::INFINITY, f64::min);
    let gap = if gap.is_finite() { gap } else { least };
    let width = ((high - low) / bins).max(least);
    // Far finer grids do not show.
    let (begin, width) = match width / gap {
        steps if steps < 16.0 => (low - gap / 2.0, gap * steps.ceil()),
        _ => (low, width),
    };
    let mut heights = vec![0u64; (((high - begin) / width).floor() as usize + 1).min(2 * BINS.1 as usize)];
    let last = heights.len() - 1;
    for value in &sorted {
        heights[(((value - begin) / width) as usize).min(last)] += 1;
    }
    // The greatest value may lie on the end of the last bin.
    let density = |height: u64| height as f64 / (count * width);
    let mut points = vec![Point::new(begin, 0.0)];
    for (bin, height) in heights.iter().enumerate() {
        let [from, to] = [bin, bin + 1].map(|bin| begin + bin as f64 * width);
        points.extend([Point::new(from, density(*height)), Point::new(to, density(*height))]);
    }
    points.push(Point::new(begin + heights.len() as f64 * width, 0.0));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[Point]) -> f64 {
        points.windows(2).map(|pair| (pair[1].x - pair[0].x) * (pair[0].y + pair[1].y) / 2.0).sum()
    }

    #[test]
    fn histograms_have_an_area_of_one_and_hold_all_values() {
        let grid: Vec<f64> = (0..500u32).map(|i| f64::from(i * i % 41) / 20.0 - 1.0).collect();
        let smooth: Vec<f64> = (0..3000).map(|i| (f64::from(i) * 0.7).sin()).collect();
        for values in [grid, smooth, vec![1.0; 3], vec![0.0, 1.0], vec![-1.0, f64::NAN, 1.0], vec![1e300, -1e300]] {
            let points = outline(&values);
            assert!((area(&points) - 1.0).abs() < 1e-9, "{values:?}");
            let ends = [points[0].x, points[points.len() - 1].x];
            assert!(values.iter().filter(|v| v.is_finite()).all(|v| (ends[0]..=ends[1]).contains(v)), "{ends:?}");
            assert!(points.len() < 900, "{}", points.len());
        }
        assert!(outline(&[f64::NAN]).is_empty() && outline(&[]).is_empty());
    }

    #[test]
    fn values_on_a_grid_have_bins_of_whole_steps() {
        // Each of 21 values as often: all bins are equally high.
        let values: Vec<f64> = (0..2100).map(|i| f64::from(i % 21) / 10.0 - 1.0).collect();
        let heights: Vec<f64> = outline(&values).iter().map(|point| point.y).filter(|y| *y > 0.0).collect();
        let (least, most) = heights.iter().fold((f64::INFINITY, 0.0f64), |(a, b), y| (a.min(*y), b.max(*y)));
        assert!(most / least < 1.001, "{heights:?}");
    }
}
