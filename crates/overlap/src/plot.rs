//! How the overlaps of pairs are distributed.

use super::matrix;
use super::matrix::Matrix;
use squeeze_engine::failure::Message;
use squeeze_host::files::{self, FileError};
use squeeze_records::chart::{ChartAxis, Curve, CurvePoint, Page, Panel};
use squeeze_records::sweep::SweepFolder;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The fewest and the most bins.
const BINS: (f64, f64) = (8.0, 200.0);

/// Curves whose moments are told.
const MOST_TOLD: usize = 6;

/// Values of pairs that are drawn as one curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The label beside the curve.
    pub name: String,
    /// The values.
    pub values: Vec<f64>,
}

/// Curves of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Distributions {
    /// The symbol of the quantity, such as `q`.
    pub symbol: String,
    /// The curves.
    pub curves: Vec<Distribution>,
}

/// Whether this is a matrix, or a folder of matrices, by its name and what is in it.
pub fn is_one(path: &Path) -> bool {
    let is_array = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
    is_array && !path.is_dir() || folders(path).is_ok_and(|folders| !folders.is_empty())
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

/// This folder if it holds matrices, else the folders in it that do: a sweep's `overlap/NAME`, or its `overlap`.
fn folders(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    if !path.is_dir() || path.join("manifest.json").exists() {
        return Ok(Vec::new());
    }
    if !steps(path)?.is_empty() {
        return Ok(vec![path.to_owned()]);
    }
    let names = files::list(path).map_err(|error| FileError::reading(path, error))?;
    let mut inside: Vec<PathBuf> = names.iter().map(|(name, _)| path.join(name)).collect();
    inside.retain(|path| steps(path).is_ok_and(|steps| !steps.is_empty()));
    inside.sort();
    Ok(inside)
}

/// The parts of a sweep's matrices that are drawn.
struct DrawnCurves {
    /// Replicas whose pairs make one curve, each with a name for the curve.
    curves: Vec<(String, Range<usize>)>,
    /// The last step that does not count.
    discard: Option<u32>,
}

/// Nothing to draw.
fn no_matrices(what: String) -> Message {
    Message::users(what).with_help("`squeeze overlap RUN RUN… -o q.npy` makes one of several runs")
}

/// The members of a sweep that differ in their seeds alone; `None` if the folder is of no sweep.
fn groups(folder: &Path) -> squeeze_engine::failure::Result<Option<DrawnCurves>> {
    let Some(path) = folder.ancestors().nth(2).filter(|path| SweepFolder::is_one(path)) else { return Ok(None) };
    let (sweep, _) = SweepFolder::look(path)?;
    let seeds = sweep.seeds.len();
    if seeds == 1 {
        // Then all pairs are between different values.
        let curves = vec![(String::new(), 0..sweep.members())];
        return Ok(Some(DrawnCurves { curves, discard: sweep.discarded() }));
    }
    let group = |combination: usize| {
        let set =
            sweep.axes.iter().zip(sweep.values(combination)).map(|(axis, value)| format!("{} = {value}", axis.name));
        (set.collect::<Vec<_>>().join(", "), combination * seeds..(combination + 1) * seeds)
    };
    Ok(Some(DrawnCurves { curves: (0..sweep.combinations()).map(group).collect(), discard: sweep.discarded() }))
}

impl Distributions {
    /// Reads matrices: each file is a curve. Of a folder of matrices `STEP.npy` the pairs of all steps are taken together; in that of a sweep, members
    /// with the same values of all parameters are a curve, and only steps count that its summary counts.
    ///
    /// # Errors
    /// If one is no matrix, or has one replica only.
    pub fn read(paths: &[PathBuf]) -> squeeze_engine::failure::Result<Distributions> {
        let (mut curves, mut symbols) = (Vec::new(), Vec::new());
        for path in paths {
            let all = match path.is_dir() {
                true => folders(path)?,
                false => vec![path.clone()],
            };
            if all.is_empty() {
                return Err(no_matrices(format!("`{}` holds no matrices of overlaps", path.display())).into());
            }
            for path in all {
                read_one(&path, &mut curves, &mut symbols)?;
            }
        }
        symbols.dedup();
        let symbol = if let [one] = symbols[..] { one } else { "x" };
        Ok(Distributions { symbol: symbol.to_owned(), curves })
    }

    /// The page: one panel, in which each curve is the outline of a histogram whose area is 1.
    pub fn page(&self) -> Page {
        let Distributions { symbol, curves } = self;
        let told = curves.iter().take(MOST_TOLD);
        let mut notes: Vec<String> = told.map(|curve| note(symbol, curve, curves.len() > 1)).collect();
        if curves.len() > MOST_TOLD {
            notes.push(format!("{} curves in all", curves.len()));
        }
        let curve = |(ink, curve): (usize, &Distribution)| Curve {
            name: if curves.len() > 1 { curve.name.clone() } else { String::new() },
            points: outline(&curve.values),
            ink,
            marked: false,
        };
        let panel = Panel {
            x: ChartAxis { label: symbol.clone(), ..ChartAxis::default() },
            y: ChartAxis { label: format!("P({symbol})"), ..ChartAxis::default() },
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

/// Reads a matrix, or a folder of some.
fn read_one(
    path: &Path,
    curves: &mut Vec<Distribution>,
    symbols: &mut Vec<&'static str>,
) -> squeeze_engine::failure::Result<()> {
    let own = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (matrices, groups) = match path.is_dir() {
        true => (steps(path)?, groups(path)?),
        false => (vec![(u32::MAX, path.to_owned())], None),
    };
    let whole = || DrawnCurves { curves: vec![(String::new(), 0..usize::MAX)], discard: None };
    let DrawnCurves { curves: groups, discard } = groups.unwrap_or_else(whole);
    let mut values = vec![Vec::new(); groups.len()];
    // If nothing else counts, the last step does.
    let last = matrices.last().map_or(0, |(step, _)| *step);
    for (_, file) in matrices.iter().filter(|(step, _)| *step == last || discard.is_none_or(|discard| *step > discard))
    {
        let matrix: Matrix = matrix::read(file)?;
        if matrix.rows == 1 {
            let path = file.display();
            let what = format!("`{path}` is a matrix of one replica, and a distribution is one of pairs");
            return Err(no_matrices(what).into());
        }
        for ((_, members), values) in groups.iter().zip(&mut values) {
            values.extend(matrix.pairs(members.start..members.end.min(matrix.rows)));
        }
        symbols.push(if matrix.is_of_integers { "h" } else { "q" });
    }
    for ((name, _), values) in groups.into_iter().zip(values) {
        let words = [own.clone(), name].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
        curves.push(Distribution { name: words.join(", "), values });
    }
    Ok(())
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
fn outline(values: &[f64]) -> Vec<CurvePoint> {
    let mut sorted = finite(values);
    sorted.sort_unstable_by(f64::total_cmp);
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let count = sorted.len() as f64;
    let bins = (2.0 * count.cbrt()).clamp(BINS.0, BINS.1);
    // If all values are equal, a bin around them.
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
    let mut points = vec![CurvePoint::new(begin, 0.0)];
    for (bin, height) in heights.iter().enumerate() {
        let [from, to] = [bin, bin + 1].map(|bin| begin + bin as f64 * width);
        points.extend([CurvePoint::new(from, density(*height)), CurvePoint::new(to, density(*height))]);
    }
    points.push(CurvePoint::new(begin + heights.len() as f64 * width, 0.0));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[CurvePoint]) -> f64 {
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
