//! Statistics of recorded runs and sweeps: means with errors, combinations of means, crossings of curves, power laws.
//!
//! A run gives a table with one row, a sweep one with a row for each combination of its parameters. To the columns of observables come those
//! of combinations, whose errors are from the jackknife ([`statistics`]). Crossings compare the curves of two sweeps,
//! such as those of two levels; power laws are fitted over time for a run, over the parameter for a sweep.

use crate::failure::Failure;
use crate::params;
use crate::run::{Observations, RunError, RunFolder};
use crate::statistics::{self, CurvePoint, Estimate, PowerLaw, estimate};
use crate::sweep::{Group, Summary, SummaryRow, SweepError, SweepFolder, read_groups};
use std::path::{Path, PathBuf};

/// The result of an analysis.
pub type Result<T, E = AnalysisError> = std::result::Result<T, E>;

/// What cannot be analysed, and why.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// A text that is no combination.
    #[error("`{text}` is not a combination of means: it has the form NAME=OBSERVABLE")]
    Form {
        /// The text.
        text: String,
    },
    /// A column that there is not.
    #[error("`{}` has no observable `{name}`", .path.display())]
    Unknown {
        /// The folder.
        path: PathBuf,
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A name that is taken.
    #[error("the name `{0}` is taken")]
    Taken(String),
    /// All that was recorded is discarded.
    #[error("`{}` has nothing after step {discard}", .path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
        /// The steps that are discarded.
        discard: u32,
    },
    /// Values that are no numbers.
    #[error("`{}` has no numbers to go along: {reason}", .path.display())]
    NoAxis {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Fewer folders than can cross.
    #[error("curves of one folder do not cross")]
    OneFolder,
    /// Too few points.
    #[error("`{name}` in `{}` has fewer than two positive values at different places", .path.display())]
    NoPowerLaw {
        /// The folder.
        path: PathBuf,
        /// The observable.
        name: String,
    },
    /// A run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A sweep.
    #[error(transparent)]
    Sweep(#[from] SweepError),
}

impl Failure for AnalysisError {
    fn is_users(&self) -> bool {
        match self {
            AnalysisError::Run(error) => error.is_users(),
            AnalysisError::Sweep(error) => error.is_users(),
            _ => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            AnalysisError::Form { .. } => {
                vec!["`u=magnetisation` calls the combination of `magnetisation` `u`".to_owned()]
            }
            AnalysisError::Unknown { known, .. } => vec![format!("there are {}", params::list(known))],
            AnalysisError::Taken(_) => vec!["combinations and observables have different names".to_owned()],
            AnalysisError::OneFolder => vec!["name the folders of two or more sweeps, of two levels say".to_owned()],
            AnalysisError::Run(error) => error.help(),
            AnalysisError::Sweep(error) => error.help(),
            AnalysisError::Nothing { .. } | AnalysisError::NoAxis { .. } | AnalysisError::NoPowerLaw { .. } => {
                Vec::new()
            }
        }
    }
}

/// What is made of the means of powers of an observable x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// Binder's cumulant 1 − ⟨x⁴⟩ / 3⟨x²⟩².
    Binder,
    /// The fluctuation ⟨x²⟩ − ⟨x⟩², which susceptibilities and specific heats are made of.
    Fluctuation,
}

impl Combination {
    fn powers(self) -> [i32; 2] {
        match self {
            Combination::Binder => [2, 4],
            Combination::Fluctuation => [1, 2],
        }
    }

    fn of(self, means: &[f64]) -> f64 {
        match self {
            Combination::Binder => 1.0 - means[1] / (3.0 * means[0] * means[0]),
            Combination::Fluctuation => means[1] - means[0] * means[0],
        }
    }
}

/// A combination with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub combination: Combination,
    /// Of which observable.
    pub observable: String,
}

impl Column {
    /// Reads `NAME=OBSERVABLE`.
    ///
    /// # Errors
    /// [`AnalysisError::Form`].
    pub fn parse(combination: Combination, text: &str) -> Result<Column> {
        let parts = text.split_once('=').map(|(name, observable)| (name.trim(), observable.trim()));
        match parts {
            Some((name, observable)) if !name.is_empty() && !observable.is_empty() && !name.contains(',') => {
                Ok(Column { name: name.to_owned(), combination, observable: observable.to_owned() })
            }
            _ => Err(AnalysisError::Form { text: params::short(text) }),
        }
    }
}

/// What a folder comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The folder.
    pub path: PathBuf,
    /// Means, and combinations of means, which have no autocorrelation time.
    pub summary: Summary,
    /// Of a run, its observables over time.
    observations: Option<Observations>,
}

/// Analyses a folder. Only steps after `discard` count, if it is said; else all of a run, and those of a sweep that it counts itself.
///
/// # Errors
/// If there is no run and no sweep, or it lacks what is asked for.
pub fn analyse(path: &Path, discard: Option<u32>, columns: &[Column]) -> Result<Analysis> {
    let (mut params, names, groups, step, observations) = if SweepFolder::is_one(path) {
        let (sweep, groups) = read_groups(path, discard)?;
        let params: Vec<String> = sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        (params, sweep.observables.clone(), groups, sweep.sample_distance(), None)
    } else {
        let observations = Observations::read(&RunFolder::look(path)?.observables_path())?;
        if observations.rows.is_empty() || observations.names.is_empty() {
            return Err(RunError::NoRows(path.to_owned()).into());
        }
        let (series, step) = evenly(&observations, discard);
        if series.iter().any(Vec::is_empty) {
            return Err(AnalysisError::Nothing { path: path.to_owned(), discard: discard.unwrap_or(0) });
        }
        let group = Group { values: Vec::new(), members: vec![series] };
        (Vec::new(), observations.names.clone(), vec![group], step, Some(observations))
    };
    let mut all = names.clone();
    let mut sources = Vec::new();
    for column in columns {
        let of = names.iter().position(|name| *name == column.observable);
        sources.push(of.ok_or_else(|| unknown(path, &column.observable, &names))?);
        if all.contains(&column.name) || params.contains(&column.name) {
            return Err(AnalysisError::Taken(column.name.clone()));
        }
        all.push(column.name.clone());
    }
    let row = |group: &Group| {
        let mean = |observable: usize| {
            let series: Vec<&[f64]> = group.members.iter().map(|member| member[observable].as_slice()).collect();
            let found = estimate(&series);
            Estimate { tau: found.tau * step, ..found }
        };
        let mut estimates: Vec<Estimate> = (0..names.len()).map(mean).collect();
        let samples = estimates.first().map_or(0, |estimate| estimate.samples);
        for (column, source) in columns.iter().zip(&sources) {
            let powers = |member: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
                column.combination.powers().map(|p| member[*source].iter().map(|x| x.powi(p)).collect()).to_vec()
            };
            let series: Vec<Vec<Vec<f64>>> = group.members.iter().map(powers).collect();
            let (mean, error) = statistics::combined(&series, |means| column.combination.of(means));
            estimates.push(Estimate { mean, error, tau: f64::NAN, samples });
        }
        SummaryRow { values: group.values.clone(), estimates, samples }
    };
    let rows = groups.iter().map(row).collect();
    let summary = Summary {
        params: std::mem::take(&mut params),
        observables: all,
        rows,
        not_finite: Vec::new(),
        stopped: Vec::new(),
    };
    Ok(Analysis { path: path.to_owned(), summary, observations })
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

fn unknown(path: &Path, name: &str, known: &[String]) -> AnalysisError {
    AnalysisError::Unknown { path: path.to_owned(), name: params::short(name), known: known.to_vec() }
}

impl Analysis {
    fn column(&self, name: &str) -> Result<usize> {
        let names = &self.summary.observables;
        names.iter().position(|known| known == name).ok_or_else(|| unknown(&self.path, name, names))
    }

    /// The curves of a column over the parameter that varies first, one for each combination of the others, which are its name.
    fn curves(&self, name: &str) -> Result<Vec<(String, Vec<CurvePoint>)>> {
        let column = self.column(name)?;
        let no_axis = |reason: String| AnalysisError::NoAxis { path: self.path.clone(), reason };
        let mut curves: Vec<(String, Vec<CurvePoint>)> = Vec::new();
        for row in &self.summary.rows {
            let [first, rest @ ..] = row.values.as_slice() else {
                return Err(no_axis("no parameter varies".to_owned()));
            };
            let x = first.parse().map_err(|_| no_axis(format!("`{first}` is none")))?;
            let set = self.summary.params[1..].iter().zip(rest).map(|(name, value)| format!("{name} = {value}"));
            let set = set.collect::<Vec<_>>().join(", ");
            let point = (x, row.estimates[column].mean, row.estimates[column].error);
            match curves.iter_mut().find(|(known, _)| *known == set) {
                Some((_, points)) => points.push(point),
                None => curves.push((set, vec![point])),
            }
        }
        for (_, points) in &mut curves {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        Ok(curves)
    }
}

/// Where two curves cross.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// The folders.
    pub folders: [PathBuf; 2],
    /// The values of all parameters but the first.
    pub values: String,
    /// The parameter,
    pub parameter: String,
    /// where it is,
    pub at: f64,
    /// and the standard error.
    pub error: f64,
}

/// Where the curves of a column cross, each folder's with the next one's.
///
/// # Errors
/// [`AnalysisError::OneFolder`]; or if a folder has no such column, or no parameter that varies.
pub fn crossings(analyses: &[Analysis], name: &str) -> Result<Vec<Crossing>> {
    if analyses.len() < 2 {
        return Err(AnalysisError::OneFolder);
    }
    let mut found = Vec::new();
    let curves = analyses.iter().map(|analysis| analysis.curves(name)).collect::<Result<Vec<_>>>()?;
    for (pair, curves) in analyses.windows(2).zip(curves.windows(2)) {
        for (values, first) in &curves[0] {
            let Some((_, second)) = curves[1].iter().find(|(known, _)| known == values) else { continue };
            found.extend(statistics::crossings(first, second).into_iter().map(|(at, error)| Crossing {
                folders: [pair[0].path.clone(), pair[1].path.clone()],
                values: values.clone(),
                parameter: pair[0].summary.params[0].clone(),
                at,
                error,
            }));
        }
    }
    Ok(found)
}

/// The power laws of a column from one place to another: of a run over time, of a sweep over the parameter that varies first, one for each
/// combination of the others.
///
/// # Errors
/// If there is no such column, or there are too few points.
pub fn power_laws(analysis: &Analysis, name: &str, (from, to): (f64, f64)) -> Result<Vec<(String, PowerLaw)>> {
    let curves = match &analysis.observations {
        Some(observations) => {
            let known = &observations.names;
            let column =
                known.iter().position(|own| own == name).ok_or_else(|| unknown(&analysis.path, name, known))?;
            let rows = observations.rows.iter();
            vec![(String::new(), rows.map(|(time, values)| (f64::from(*time), values[column], 0.0)).collect())]
        }
        None => analysis.curves(name)?,
    };
    let fit = |(values, points): (String, Vec<CurvePoint>)| {
        let within: Vec<CurvePoint> = points.into_iter().filter(|point| (from..=to).contains(&point.0)).collect();
        let nothing = || AnalysisError::NoPowerLaw { path: analysis.path.clone(), name: name.to_owned() };
        Ok((values, statistics::power_law(&within).ok_or_else(nothing)?))
    };
    curves.into_iter().map(fit).collect()
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
