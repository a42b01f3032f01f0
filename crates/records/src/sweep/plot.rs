//! The means of sweeps against a parameter, as SVG.

use super::{LEVEL, PairExchanges, Summary, Sweep, SweepFolder, along, read_exchanges};
use crate::lists;
use crate::run::plot::{Logarithmic, note_of_bands, panels, told_apart};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_drawing::chart::{ChartAxis, Curve, CurveBand, CurvePoint, Page, Panel, Scale};
use squeeze_engine::failure::{Message, Result};
use std::path::{Path, PathBuf};

/// A sweep that is plotted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Series {
    /// The folder, for messages.
    pub path: PathBuf,
    /// The sweep.
    pub sweep: Sweep,
    /// The sweep's results.
    pub summary: Summary,
    /// Whether they are of values between those of members, so that errors are a band around a curve.
    pub is_continuous: bool,
}

impl Series {
    /// Reads a sweep that has come to its end, from its manifest and `summary.csv`.
    ///
    /// # Errors
    /// If there is no sweep; [`Incomplete`](super::Incomplete) if its table is not there or has been changed.
    pub fn read(path: &Path) -> Result<Series> {
        let sweep = SweepFolder::complete(path)?;
        let summary = Summary::read(path, &sweep)?;
        Ok(Series { path: path.to_owned(), sweep, summary, is_continuous: false })
    }

    /// The name of the axis that curves go along.
    fn axis(&self) -> Option<&String> {
        self.summary.params.get(along(&self.summary.params)?)
    }

    /// The values along it, in the order of the rows.
    fn values(&self) -> impl Iterator<Item = &String> {
        let axis = along(&self.summary.params);
        self.summary.rows.iter().filter_map(move |row| row.values.get(axis?))
    }
}

/// A plot of each observable, or `only` of some, against the parameter that varies and was named first, with error bars. There is a curve
/// for each combination of the other parameters, each level and each sweep. A list is the median of its entries' means, in the band between their quartiles.
///
/// # Errors
/// If there is no sweep, a sweep varies no parameter, or they vary different ones first; if an observable of `only` is missing, or there are too many.
#[doc(hidden)]
pub fn page(sweeps: &[Series], only: &[String], logarithmic: Logarithmic) -> Result<Page> {
    let _mode = DefaultMode::enter();
    let Some(first) = sweeps.first() else { return Err(Message::users("there is no sweep to plot").into()) };
    for series in sweeps {
        let path = series.path.display();
        let axis = series.axis().ok_or_else(|| {
            let what = format!("the sweep in `{path}` varies no parameter that its results could be drawn against");
            let help = "a sweep with `--set NAME=VALUES` varies one, such as `--set beta=0.40..=0.48/0.01`";
            Message::users(what).with_help(help).with_help(format!("`{path}/times.csv` has its means over time"))
        })?;
        let parameter = first.axis().unwrap_or(axis);
        if axis != parameter {
            let first = first.path.display();
            return Err(Message::users(format!(
                "`{first}` varies `{parameter}` first and `{path}` varies `{axis}`, so they have no axis in common"
            ))
            .into());
        }
    }
    let tables: Vec<(&Path, &[String])> =
        sweeps.iter().map(|series| (&*series.path, &*series.summary.observables)).collect();
    let (scale, values) = places(sweeps, logarithmic.scales()[0].clone());
    let parameter = ChartAxis { label: first.axis().cloned().unwrap_or_default(), scale };
    let (title, labels) = told_apart(&sweeps.iter().map(|series| facts(&series.sweep)).collect::<Vec<_>>());
    let curves = |name: &str| {
        let mut drawn = Vec::new();
        for (series, label) in sweeps.iter().zip(&labels) {
            drawn.extend(curves_of(series, name, label, &values, drawn.len()));
        }
        drawn
    };
    let panels = panels(&tables, only, &parameter, logarithmic, curves)?;
    let is_continuous = sweeps.iter().any(|series| series.is_continuous);
    let means = match is_continuous {
        true => "Means over seeds and steps, reweighted; bands are standard errors",
        false => "Means over seeds and steps; bars are standard errors",
    };
    let points = || panels.iter().flat_map(|panel| &panel.curves).flat_map(|curve| &curve.points);
    let open = points().any(|point| point.error.is_nan() && point.y.is_finite());
    let open = open.then(|| "open markers: the error is not known".to_owned());
    let notes: Vec<String> = std::iter::once(means.to_owned())
        .chain(open)
        .chain(note_of_bands(&panels).filter(|_| !is_continuous))
        .collect();
    Ok(Page { title, note: notes.join("; "), panels, columns: 0 })
}

/// Two plots of sweeps with exchange: how often neighbours exchanged their states, against the middle between their values, and how often states went from the lowest value to the
/// highest and back, against the rank at which they began. A curve is over all ladders that differ in seeds alone.
///
/// # Errors
/// If there is no sweep, members of one exchange nothing, or they do along different parameters, or a table is not there or was changed.
#[doc(hidden)]
pub fn page_of_exchanges(sweeps: &[Series]) -> Result<Page> {
    let (title, labels) = told_apart(&sweeps.iter().map(|series| facts(&series.sweep)).collect::<Vec<_>>());
    let mut parameter: Option<String> = None;
    let [mut rates, mut trips] = [Vec::new(), Vec::new()];
    for (Series { path, sweep, .. }, label) in sweeps.iter().zip(&labels) {
        let Some(exchanges) = read_exchanges(path, sweep)? else {
            let what = format!("members of the sweep in `{}` exchange nothing", path.display());
            let help = "`squeeze sweep … --exchange NAME --exchange-every N` lets them exchange their states";
            return Err(Message::users(what).with_help(help).into());
        };
        if *parameter.get_or_insert_with(|| exchanges.parameter.clone()) != exchanges.parameter {
            let what = format!("members of the sweep in `{}` exchange states along another parameter", path.display());
            return Err(Message::users(what).with_help("plot it by a command of its own").into());
        }
        for (values, pairs) in exchanges.by_values() {
            let words: Vec<&str> = [label.as_str(), values].into_iter().filter(|word| !word.is_empty()).collect();
            let curve = |points| Curve { name: words.join(", "), points, ink: rates.len(), marked: true };
            let number = |value: &String| value.parse().unwrap_or(f64::NAN);
            let point = |pair: &PairExchanges| {
                let [lower, upper]: [f64; 2] = pair.values.each_ref().map(number);
                CurvePoint::new(0.5 * (lower + upper), pair.rate())
            };
            let rate = curve(pairs.iter().map(point).collect());
            let own: Vec<_> = exchanges.ladders.iter().filter(|ladder| ladder.values == values).collect();
            let mean = |replica: usize| {
                let all: u64 = own.iter().map(|ladder| ladder.replicas[replica].round_trips).sum();
                CurvePoint::new(replica as f64, all as f64 / own.len() as f64)
            };
            let trip = curve((0..=pairs.len()).map(mean).collect());
            rates.push(rate);
            trips.push(trip);
        }
    }
    let Some(parameter) = parameter else { return Err(Message::users("there is no sweep to plot").into()) };
    let panel = |x: &str, y: &str, curves: Vec<Curve>| {
        let axis = |label: &str| ChartAxis { label: label.to_owned(), scale: Scale::Linear };
        Panel { x: axis(x), y: axis(y), curves, ..Panel::default() }
    };
    let mut panels =
        vec![panel(&parameter, "rate of exchanges", rates), panel("rank at which a state began", "round trips", trips)];
    panels[0].levels = vec![(0.2, "20%".to_owned()), (0.4, "40%".to_owned())];
    let note = "Rates between neighbours; round trips of states from the lowest value to the highest and back, means over seeds".to_owned();
    Ok(Page { title, note, panels, columns: 0 })
}

/// The axis of the parameter: its values as numbers, or, if one of them is none, their names in the order in which they are met.
fn places(sweeps: &[Series], numbers: Scale) -> (Scale, Vec<(String, f64)>) {
    let mut values: Vec<&String> = Vec::new();
    for value in sweeps.iter().flat_map(Series::values) {
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
fn curves_of(
    series: &Series,
    name: &str,
    label: &str,
    values: &[(String, f64)],
    inks: usize,
) -> Vec<(Curve, CurveBand)> {
    let columns = lists::columns(&series.summary.observables, name);
    let Some(axis) = along(&series.summary.params) else { return Vec::new() };
    let mut curves: Vec<(Vec<String>, (Curve, CurveBand))> = Vec::new();
    for row in &series.summary.rows {
        let Some((_, x)) = values.iter().find(|(value, _)| *value == row.values[axis]) else { continue };
        let others = series.summary.params.iter().zip(&row.values).enumerate();
        let set: Vec<String> = others
            .filter(|(at, (name, _))| *at != axis && (!series.summary.zip || *name == LEVEL))
            .map(|(_, (name, value))| format!("{name} = {value}"))
            .collect();
        let (point, edge) = match columns[..] {
            [] => return Vec::new(),
            [column] => {
                let estimate = row.estimates[column];
                let (low, high) = (estimate.mean - estimate.error, estimate.mean + estimate.error);
                let band = series.is_continuous.then_some((*x, [low, high]));
                let error = if series.is_continuous { 0.0 } else { estimate.error };
                (CurvePoint { x: *x, y: estimate.mean, error }, band)
            }
            _ => match lists::quartiles(columns.iter().map(|&column| row.estimates[column].mean)) {
                Some([low, y, high]) => (CurvePoint { x: *x, y, error: f64::NAN }, Some((*x, [low, high]))),
                None => continue,
            },
        };
        if let Some((_, (curve, band))) = curves.iter_mut().find(|(known, _)| *known == set) {
            curve.points.push(point);
            band.edges.extend(edge);
            continue;
        }
        let words: Vec<&str> =
            Some(label).filter(|label| !label.is_empty()).into_iter().chain(set.iter().map(String::as_str)).collect();
        let ink = inks + curves.len();
        let curve = Curve { name: words.join(", "), points: vec![point], ink, marked: !series.is_continuous };
        curves.push((set, (curve, CurveBand { edges: edge.into_iter().collect(), ink })));
    }
    for (_, (curve, band)) in &mut curves {
        curve.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        band.edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    curves.into_iter().map(|(_, drawn)| drawn).collect()
}

/// Facts about a sweep, in a few words each.
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
