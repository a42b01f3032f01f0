//! The means of sweeps against a parameter, as SVG.

use super::error::{Result, SweepError};
use super::{Axis as SweepAxis, Summary, Sweep, SweepFolder, along};
use crate::run::RunError;
use crate::run::plot::{Logarithmic, MOST_PANELS};
use squeeze_drawing::chart::{Axis, Curve, Page, Panel, Point, Scale};
use std::path::{Path, PathBuf};

/// A sweep that is plotted.
#[derive(Clone, Debug)]
pub struct Series {
    /// The folder, for messages.
    pub path: PathBuf,
    /// The sweep.
    pub sweep: Sweep,
    /// What came out of it.
    pub summary: Summary,
}

impl Series {
    /// Reads a sweep that has come to its end, from its manifest and `summary.csv`.
    ///
    /// # Errors
    /// [`SweepError::NoSweep`]; [`SweepError::Incomplete`] if its table is not there or has been changed.
    pub fn read(path: &Path) -> Result<Series> {
        let (sweep, complete) = SweepFolder::look(path)?;
        if !complete {
            let path = path.join("summary.csv");
            return Err(SweepError::Incomplete { path, reason: "the sweep has not come to its end".to_owned() });
        }
        let summary = Summary::read(path, &sweep)?;
        Ok(Series { path: path.to_owned(), sweep, summary })
    }

    /// What curves go along.
    fn axis(&self) -> Option<&SweepAxis> {
        self.sweep.axes.get(along(&self.summary.params)?)
    }
}

/// A plot of each observable against the parameter that varies and was named first, with error bars. There is a curve
/// for each combination of the other parameters, each level and each sweep.
///
/// # Errors
/// [`SweepError::NothingVaries`] if a sweep varies no parameter, [`SweepError::Axes`] if they vary different ones first,
/// [`RunError::TooManyObservables`] if there is too much.
///
/// # Panics
/// If there is no sweep.
pub fn page(sweeps: &[Series], logarithmic: Logarithmic) -> Result<Page> {
    let first = &sweeps[0];
    let mut names: Vec<&str> = Vec::new();
    for series in sweeps {
        let Some(axis) = series.axis() else { return Err(SweepError::NothingVaries(series.path.clone())) };
        let parameter = &first.axis().unwrap_or(axis).name;
        if axis.name != *parameter {
            let [first, second] = [first, series].map(|series| series.path.clone());
            return Err(SweepError::Axes { first, second, parameters: [parameter.clone(), axis.name.clone()] });
        }
        for name in &series.summary.observables {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    if names.len() > MOST_PANELS {
        let path = first.path.join("summary.csv");
        return Err(RunError::TooManyObservables { path, count: names.len(), most: MOST_PANELS }.into());
    }
    let [x, y] = logarithmic.scales();
    let (x, values) = places(sweeps, x);
    // What all sweeps have in common stands in the title, what differs beside the curves.
    let facts: Vec<Vec<String>> = sweeps.iter().map(|series| facts(&series.sweep)).collect();
    let common = |fact: &&String| facts.iter().all(|others| others.contains(fact));
    let title: Vec<&str> = facts.iter().take(1).flatten().filter(common).map(String::as_str).collect();
    let panel = |name: &&str| {
        let mut curves = Vec::new();
        for (series, facts) in sweeps.iter().zip(&facts) {
            let own: Vec<&str> = facts.iter().filter(|fact| !common(fact)).map(String::as_str).collect();
            curves.extend(curves_of(series, name, &own, &values, curves.len()));
        }
        Panel {
            x: Axis { label: first.axis().map_or_else(String::new, |axis| axis.name.clone()), scale: x.clone() },
            y: Axis { label: (*name).to_owned(), scale: y.clone() },
            curves,
            ..Panel::default()
        }
    };
    let panels = names.iter().map(panel).collect();
    let note = "Means over seeds and steps; bars are standard errors.".to_owned();
    Ok(Page { title: title.join(", "), note, panels, columns: 0 })
}

/// The axis of the parameter: its values as numbers, or, if one of them is none, their names in the order in which they are met.
fn places(sweeps: &[Series], numbers: Scale) -> (Scale, Vec<(String, f64)>) {
    let mut values: Vec<&String> = Vec::new();
    for value in sweeps.iter().filter_map(Series::axis).flat_map(|axis| &axis.values) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let parsed: Option<Vec<f64>> =
        values.iter().map(|value| value.parse().ok().filter(|v: &f64| v.is_finite())).collect();
    let names = || values.iter().map(|value| (*value).clone()).collect::<Vec<_>>();
    match parsed {
        Some(parsed) => (numbers, names().into_iter().zip(parsed).collect()),
        None => (Scale::Names(names()), names().into_iter().zip((0..).map(f64::from)).collect()),
    }
}

/// The curves of an observable of one sweep: one for each combination of all parameters but the first.
fn curves_of(series: &Series, name: &str, own: &[&str], values: &[(String, f64)], inks: usize) -> Vec<Curve> {
    let Some(column) = series.summary.observables.iter().position(|known| known == name) else { return Vec::new() };
    let Some(axis) = along(&series.summary.params) else { return Vec::new() };
    let mut curves: Vec<(Vec<String>, Curve)> = Vec::new();
    for row in &series.summary.rows {
        let Some((_, x)) = values.iter().find(|(value, _)| *value == row.values[axis]) else { continue };
        let mut set: Vec<String> =
            series.summary.params.iter().zip(&row.values).map(|(name, value)| format!("{name} = {value}")).collect();
        set.remove(axis);
        let estimate = row.estimates[column];
        let point = Point { x: *x, y: estimate.mean, error: estimate.error };
        if let Some((_, curve)) = curves.iter_mut().find(|(known, _)| *known == set) {
            curve.points.push(point);
            continue;
        }
        let words: Vec<String> = own.iter().map(|word| (*word).to_owned()).chain(set.iter().cloned()).collect();
        let ink = inks + curves.len();
        curves.push((set, Curve { name: words.join(", "), points: vec![point], ink, marked: true }));
    }
    for (_, curve) in &mut curves {
        curve.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    curves.into_iter().map(|(_, curve)| curve).collect()
}

/// What a sweep is, in a few words each.
fn facts(sweep: &Sweep) -> Vec<String> {
    let mut facts = vec![format!("{} on {}", sweep.rule.definition, sweep.fractal.definition)];
    if let [level] = sweep.levels()[..] {
        facts.extend(sweep.fractal.level_fact(level));
    }
    facts.push(format!("{} steps", sweep.steps));
    facts.push(format!("{} seed{}", sweep.seeds.len(), if sweep.seeds.len() == 1 { "" } else { "s" }));
    facts.extend(sweep.params.iter().map(|setting| setting.replacen('=', " = ", 1)));
    facts
}
