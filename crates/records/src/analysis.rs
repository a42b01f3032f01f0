//! Statistics of recorded runs and sweeps: means with errors, combinations of means, crossings of curves, power laws.
//!
//! A run gives a table with one row, a sweep one with a row for each combination of its parameters. Columns are observables and functions of their
//! means. Crossings compare the curves of two sweeps, such as those of two levels; power laws are fitted over time, or over the
//! parameter of a sweep. All errors are from [`statistics`].

use crate::lists;
use crate::run::{self, Observations, RunFolder};
pub use crate::statistics::Combination;
use crate::statistics::{self, Member, Point, PowerLaw, transient};
use crate::sweep::{Discard, Group, LEVEL, Summary, SweepFolder, along, read_exchanges, read_groups};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params;
use squeeze_host::numbers::six_digits;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A combination with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The column's name.
    pub name: String,
    /// The function of means that it holds.
    pub combination: Combination,
    /// Of which observable.
    pub observable: String,
}

impl Column {
    /// Reads `NAME=OBSERVABLE`.
    ///
    /// # Errors
    /// If it has another form.
    pub fn parse(combination: Combination, text: &str) -> Result<Column> {
        let parts = text.split_once('=').map(|(name, observable)| (name.trim(), observable.trim()));
        match parts {
            Some((name, observable)) if !name.is_empty() && !observable.is_empty() && !name.contains(',') => {
                Ok(Column { name: name.to_owned(), combination, observable: observable.to_owned() })
            }
            _ => {
                let text = params::short(text);
                let what = format!("`{text}` is not a combination of means: it has the form NAME=OBSERVABLE");
                let help = "`u=magnetisation` calls the combination of `magnetisation` `u`";
                Err(Message::users(what).with_help(help).into())
            }
        }
    }
}

/// The means of a run or sweep, with their errors.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Analysis {
    /// The folder.
    pub path: PathBuf,
    /// Means, and combinations of means, which have no autocorrelation time.
    pub summary: Summary,
    /// The samples behind each row of the summary.
    groups: Vec<Group>,
    /// For each column of the summary, the index of its observable and the combination.
    columns: Vec<(usize, Combination)>,
    /// Of a run, its observables over time.
    observations: Option<Observations>,
}

/// Analyses a folder after `discard` steps. Without `discard` a run counts whole, and a sweep as its own `discard` says.
///
/// # Errors
/// If there is no run and no sweep, or it lacks a column that is asked for.
pub fn analyse(path: &Path, discard: Option<Discard>, columns: &[Column]) -> Result<Analysis> {
    let _mode = DefaultMode::enter();
    let mut exchanges = None;
    let (params, zip, names, groups, discarded, step, observations) = if SweepFolder::is_one(path) {
        let (sweep, groups) = read_groups(path, discard)?;
        exchanges = read_exchanges(path, &sweep)?;
        let params: Vec<String> = sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        (params, sweep.zip, sweep.columns(), groups, sweep.discarded(), sweep.sample_distance(), None)
    } else {
        let observations = Observations::of_run(&RunFolder::look(path)?)?;
        if observations.rows.is_empty() || observations.names.is_empty() {
            return Err(run::no_rows(path).into());
        }
        let member = |series: Vec<Vec<f64>>| vec![Member::new(0, series.into_iter().map(Cow::Owned).collect())];
        let discarded = match discard {
            Some(Discard::Steps(discard)) => Some(discard),
            Some(Discard::Auto) => {
                let all = member(evenly(&observations, None).0);
                let first = (0..observations.names.len()).map(|column| transient(&all, column)).max();
                first.unwrap_or(0).checked_sub(1).map(|last| observations.rows[last].0)
            }
            None => None,
        };
        let (series, step) = evenly(&observations, discarded);
        if series.iter().any(Vec::is_empty) {
            let discard = discarded.unwrap_or(0);
            return Err(Message::users(format!("`{}` has nothing after step {discard}", path.display())).into());
        }
        let group = Group { values: Vec::new(), members: member(series) };
        (Vec::new(), false, observations.names.clone(), vec![group], discarded, step, Some(observations))
    };
    let mut all: Vec<(String, usize, Combination)> =
        (0..).zip(&names).map(|(i, name)| (name.clone(), i, Combination::Mean)).collect();
    for column in columns {
        let source = lists::place(path, &column.observable, &names)?;
        if all.iter().any(|(name, ..)| *name == column.name) || params.contains(&column.name) {
            let help = "combinations and observables have different names";
            return Err(Message::users(format!("the name `{}` is taken", column.name)).with_help(help).into());
        }
        all.push((column.name.clone(), source, column.combination));
    }
    let columns = all.iter().map(|(_, source, combination)| (*source, *combination)).collect();
    let summary = Summary { zip, exchanges, ..Summary::of_groups(params, all, &groups, discarded.unwrap_or(0), step) };
    Ok(Analysis { path: path.to_owned(), summary, groups, columns, observations })
}

/// The series of a run's observables after some steps, and how far apart they are; NaN if they are not evenly spaced. A last row that was
/// taken since the run ended there, out of step, is left out.
fn evenly(observations: &Observations, discard: Option<u32>) -> (Vec<Vec<f64>>, f64) {
    let counts = |row: &&(u32, Vec<f64>)| discard.is_none_or(|discard| row.0 > discard);
    let rows: Vec<&(u32, Vec<f64>)> = observations.rows.iter().filter(counts).collect();
    let step = match rows.as_slice() {
        [first, second, ..] => second.0 - first.0,
        _ => 1,
    };
    let even = |(i, row): &(usize, &&(u32, Vec<f64>))| u64::from(row.0 - rows[0].0) == *i as u64 * u64::from(step);
    let in_step = rows.iter().enumerate().take_while(even).count();
    let (kept, step) = match rows.len() - in_step {
        0 | 1 => (&rows[..in_step], f64::from(step)),
        _ => (&rows[..], f64::NAN),
    };
    let column = |i: usize| kept.iter().map(|row| row.1[i]).collect();
    ((0..observations.names.len()).map(column).collect(), step)
}

/// A curve along the parameter that varies first.
struct ParameterCurve<'a> {
    /// The level, if the sweep has several.
    level: Option<&'a str>,
    /// The values of all other parameters.
    values: String,
    /// For each value of the parameter, in ascending order, the members.
    points: Vec<(f64, Point<'a>)>,
}

impl Analysis {
    /// The observable and the combination of a column.
    fn column(&self, name: &str) -> Result<(usize, Combination)> {
        Ok(self.columns[lists::place(&self.path, name, &self.summary.observables)?])
    }

    /// The curves of a column over the parameter that varies first, one for each level and each combination of the others.
    fn curves(&self, name: &str) -> Result<Vec<ParameterCurve<'_>>> {
        let (observable, combination) = self.column(name)?;
        let no_axis =
            |reason: String| Message::users(format!("`{}` has no numbers to go along: {reason}", self.path.display()));
        let params = &self.summary.params;
        let axis = along(params).ok_or_else(|| no_axis("no parameter varies".to_owned()))?;
        let mut curves: Vec<ParameterCurve<'_>> = Vec::new();
        for group in &self.groups {
            let place = &group.values[axis];
            let x = place.parse().map_err(|_| no_axis(format!("`{place}` is none")))?;
            let (mut level, mut set) = (None, Vec::new());
            for (number, (name, value)) in params.iter().zip(&group.values).enumerate().filter(|(n, _)| *n != axis) {
                match number {
                    0 if name == LEVEL => level = Some(value.as_str()),
                    _ if self.summary.zip => {}
                    _ => set.push(format!("{name} = {value}")),
                }
            }
            let values = set.join(", ");
            let point = (x, combination.select(&group.members, observable));
            match curves.iter_mut().find(|known| known.level == level && known.values == values) {
                Some(curve) => curve.points.push(point),
                None => curves.push(ParameterCurve { level, values, points: vec![point] }),
            }
        }
        for ParameterCurve { points, .. } in &mut curves {
            points.retain(|(_, members)| !members.is_empty());
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        Ok(curves)
    }
}

/// Where two curves cross.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Crossing {
    /// The folders.
    pub folders: [PathBuf; 2],
    /// The level of each, in a sweep of several.
    pub levels: [Option<String>; 2],
    /// The values of all parameters but the first.
    pub values: String,
    /// The parameter,
    pub parameter: String,
    /// and where it is; NaN if they do not cross.
    pub found: statistics::Crossing,
    /// Why they do not.
    pub missing: Option<String>,
}

/// Why a curve has none to cross with.
pub(crate) fn no_partner(path: &Path, values: &str) -> String {
    let of = if values.is_empty() { "these parameters alone" } else { values };
    format!("`{}` has no curve of {of}", path.display())
}

/// Why two curves with these heights at common places do not cross.
pub(crate) fn no_crossing(places: &[f64], first: &[f64], second: &[f64]) -> String {
    let [from, to] = match places {
        [] => return "they have no value of the parameter in common".to_owned(),
        [one] => return format!("they have one value of the parameter in common, {}", six_digits(*one)),
        [from, .., to] => [from, to].map(|end| six_digits(*end)),
    };
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
    let count = places.len();
    if let Some(at) = differences.iter().position(|own| own.is_nan()) {
        return format!("one of them is no number at {}", six_digits(places[at]));
    }
    match differences.iter().all(|own| *own >= 0.0) || differences.iter().all(|own| *own <= 0.0) {
        true => format!("one lies above the other at all {count} values from {from} to {to}"),
        false => format!("no change of sides stands out at the {count} values from {from} to {to}"),
    }
}

/// Where the curves of a column cross from one place to another: those of each folder, and of each level of a folder, with the next one's. There is an entry for each pair.
///
/// # Errors
/// If there is one folder alone of one level, or a folder has no such column, or no parameter that varies.
pub fn crossings(analyses: &[Analysis], name: &str, (from, to): (f64, f64)) -> Result<Vec<Crossing>> {
    let _mode = DefaultMode::enter();
    let mut systems: Vec<(&Analysis, Vec<ParameterCurve<'_>>)> = Vec::new();
    for analysis in analyses {
        let mut curves = analysis.curves(name)?;
        while let Some(level) = curves.first().map(|curve| curve.level) {
            let (own, others) = curves.into_iter().partition(|curve| curve.level == level);
            systems.push((analysis, own));
            curves = others;
        }
    }
    if systems.len() < 2 {
        let help = "name the folders of two or more sweeps, of two levels say, or that of one with `--level 3,4`";
        return Err(Message::users("curves of one folder do not cross").with_help(help).into());
    }
    let mut found = Vec::new();
    for pair in systems.windows(2) {
        let [(analysis, curves), (other_analysis, others)] = pair else { continue };
        let (_, combination) = analysis.column(name)?;
        let entry = |first: &ParameterCurve<'_>, levels: [Option<&str>; 2]| Crossing {
            folders: [analysis.path.clone(), other_analysis.path.clone()],
            levels: levels.map(|level| level.map(str::to_owned)),
            values: first.values.clone(),
            parameter: along(&analysis.summary.params).map_or_else(String::new, |i| analysis.summary.params[i].clone()),
            found: statistics::Crossing::none(0),
            missing: None,
        };
        let levels = [curves, others].map(|curves| curves.first().and_then(|curve| curve.level));
        for second in others.iter().filter(|second| curves.iter().all(|first| first.values != second.values)) {
            let missing = Some(no_partner(&analysis.path, &second.values));
            found.push(Crossing { missing, ..entry(second, levels) });
        }
        for first in curves {
            let Some(second) = others.iter().find(|other| other.values == first.values) else {
                let missing = Some(no_partner(&other_analysis.path, &first.values));
                found.push(Crossing { missing, ..entry(first, levels) });
                continue;
            };
            let (mut places, mut points) = (Vec::new(), [Vec::new(), Vec::new()]);
            for (x, own) in first.points.iter().filter(|(x, _)| (from..=to).contains(x)) {
                if let Some((_, other)) = second.points.iter().find(|(place, _)| place == x) {
                    places.push(*x);
                    points[0].push(own.as_slice());
                    points[1].push(other.as_slice());
                }
            }
            let crossing = statistics::crossing(&places, [&points[0], &points[1]], combination);
            let missing = crossing.is_none().then(|| {
                let [first, second] = points.each_ref().map(|points| statistics::heights(points, combination));
                no_crossing(&places, &first, &second)
            });
            let crossing = crossing.unwrap_or(statistics::Crossing::none(places.len()));
            found.push(Crossing { found: crossing, missing, ..entry(first, [first.level, second.level]) });
        }
    }
    Ok(found)
}

/// The variable of a power law.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Over {
    /// The parameter of a sweep that varies first.
    Parameter,
    /// The time of a sweep's members.
    Time,
    /// The time of a run, in windows each longer than the one before by this factor.
    Windows(f64),
}

/// The power laws of a column from one place to another, one for each combination of the parameters that it is not over. A run has a single one, over time.
///
/// # Errors
/// If there is no such column, or there are too few points, or for a run without windows.
pub fn power_laws(
    analysis: &Analysis,
    name: &str,
    over: Over,
    (from, to): (f64, f64),
) -> Result<Vec<(String, PowerLaw)>> {
    let _mode = DefaultMode::enter();
    let within = |x: f64| (from..=to).contains(&x);
    let path = analysis.path.display();
    let nothing =
        || Message::users(format!("`{name}` in `{path}` has fewer than two positive values at different places"));
    match (&analysis.observations, over) {
        (Some(observations), Over::Windows(factor)) => {
            let column = lists::place(&analysis.path, name, &observations.names)?;
            let points = observations.rows.iter().map(|(time, values)| (f64::from(*time), values[column]));
            let points: Vec<(f64, f64)> = points.filter(|point| within(point.0)).collect();
            let law = statistics::power_law_of_windows(&points, factor).ok_or_else(nothing)?;
            Ok(vec![(String::new(), law)])
        }
        (Some(_), Over::Parameter | Over::Time) => {
            let what = "a power law over time of one run has no error: its values depend on those before";
            let members =
                "`squeeze sweep … --seeds 0..16` and `analyse DIR --power-law NAME --over time` tell it from members";
            let windows = "`--window 2` fits means over windows, each twice as long as the one before";
            Err(Message::users(what).with_help(members).with_help(windows).into())
        }
        (None, Over::Windows(_)) => {
            let what = format!("`{path}` has windows of time only as one run");
            Err(Message::users(what).with_help("leave out `--window`: members of a sweep tell the error").into())
        }
        (None, Over::Parameter) => {
            let (_, combination) = analysis.column(name)?;
            let fit = |ParameterCurve { level, values, mut points }: ParameterCurve<'_>| {
                let level = level.map(|level| format!("{LEVEL} = {level}"));
                let values =
                    level.into_iter().chain(Some(values).filter(|values| !values.is_empty())).collect::<Vec<_>>();
                let values = values.join(", ");
                points.retain(|point| within(point.0));
                Ok((values, statistics::power_law(&points, combination).ok_or_else(nothing)?))
            };
            analysis.curves(name)?.into_iter().map(fit).collect()
        }
        (None, Over::Time) => {
            let (observable, combination) = analysis.column(name)?;
            let (sweep, groups) = read_groups(&analysis.path, Some(Discard::Steps(0)))?;
            if observable >= sweep.observables.len() {
                return Err(lists::no_observable(&analysis.path, name, &sweep.observables).into());
            }
            let times: Vec<u32> = sweep.times().filter(|time| *time > 0).collect();
            let fit = |group: &Group| {
                let mut points: Vec<(f64, Point<'_>)> = Vec::new();
                for (i, time) in times.iter().enumerate().filter(|(_, time)| within(f64::from(**time))) {
                    let now: Point<'_> = group.members.iter().filter_map(|member| member.at(i)).collect();
                    let at = combination.select(&now, observable).into_iter().map(Member::into_owned).collect();
                    points.push((f64::from(*time), at));
                }
                let values = analysis.summary.params.iter().zip(&group.values);
                let values = values.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
                let law = statistics::power_law(&points, combination).ok_or_else(nothing)?;
                Ok((values, law))
            };
            groups.iter().map(fit).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_the_end_that_are_out_of_step_are_left_out() {
        let observations = Observations::parse("step,a\n0,1\n10,2\n20,3\n25,4\n");
        assert_eq!(evenly(&observations, None), (vec![vec![1.0, 2.0, 3.0]], 10.0));
        assert_eq!(evenly(&observations, Some(0)), (vec![vec![2.0, 3.0]], 10.0));
        assert_eq!(evenly(&observations, Some(20)), (vec![vec![4.0]], 1.0));
        assert_eq!(evenly(&observations, Some(30)), (vec![vec![]], 1.0));
        let (series, step) = evenly(&Observations::parse("step,a\n0,1\n1,2\n2,3\n4,4\n8,5\n"), None);
        assert!(series[0].len() == 5 && step.is_nan());
    }

    #[test]
    fn combinations_are_read() {
        let column = Column::parse(Combination::Binder, "u = m").unwrap();
        assert_eq!((column.name.as_str(), column.observable.as_str()), ("u", "m"));
        for text in ["m", "=m", "u=", "a,b=m"] {
            assert!(Column::parse(Combination::Fluctuation, text).unwrap_err().is_users());
        }
        assert_eq!((Combination::Binder.of(&[1.0, 3.0]), Combination::Fluctuation.of(&[2.0, 5.0])), (0.0, 1.0));
    }
}
