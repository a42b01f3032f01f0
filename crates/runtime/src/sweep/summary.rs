//! `summary.csv`: a row for each combination of values.

use super::error::{Result, SweepError};
use super::folder::{MOST_TABLE, read_table};
use super::{Discard, Sweep, SweepFolder};
use crate::statistics::{self, Combination, Estimate, Member};
use squeeze_host::files::{self, Links};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// So many errors the mean over the first times may lie from that over the rest, which many observables at many values try.
const MOST_DRIFT: f64 = 5.0;

/// What came out of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The names of the parameters that vary.
    pub params: Vec<String>,
    /// The names of the observables.
    pub observables: Vec<String>,
    /// A row for each combination of values of which there are members, in the order of the members.
    pub rows: Vec<SummaryRow>,
    /// The members that are left out, since an observable of theirs became infinite or no number, and the step at which it did.
    pub not_finite: Vec<(usize, u32)>,
    /// The members that their rule's `stop when` ended before the last step, and the step at which it did.
    pub stopped: Vec<(usize, u32)>,
    /// Signs that means include times before equilibrium, in words.
    pub early: Vec<String>,
}

/// One combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// The values of the parameters that vary.
    pub values: Vec<String>,
    /// For each observable its mean over seeds and steps; [`Estimate::tau`] is in time steps.
    pub estimates: Vec<Estimate>,
    /// The number of samples.
    pub samples: usize,
}

impl Summary {
    /// From the rows of members, which are complete.
    pub(super) fn of(sweep: &Sweep, members: &BTreeMap<usize, String>) -> Summary {
        let (groups, not_finite) = groups(sweep, members);
        let params: Vec<String> = sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        let columns = (0..).zip(&sweep.observables).map(|(i, name)| (name.clone(), i, Combination::Mean)).collect();
        Summary {
            not_finite,
            stopped: stopped(sweep, members),
            ..Summary::of_groups(params, columns, &groups, sweep.discarded().unwrap_or(0), sweep.sample_distance())
        }
    }

    /// Of groups: columns are called so and are made of this observable. Samples are so many steps apart, and those up to a step are discarded.
    pub(crate) fn of_groups(
        params: Vec<String>,
        columns: Vec<(String, usize, Combination)>,
        groups: &[Group],
        discarded: u32,
        distance: f64,
    ) -> Summary {
        let row = |group: &Group| {
            let of = |(_, observable, combination): &(String, usize, Combination)| {
                let found = combination.estimate(&group.members, *observable);
                let has_time = *combination == Combination::Mean;
                Estimate { tau: if has_time { found.tau * distance } else { f64::NAN }, ..found }
            };
            let estimates: Vec<Estimate> = columns.iter().map(of).collect();
            let samples = estimates.first().map_or(0, |estimate| estimate.samples);
            SummaryRow { values: group.values.clone(), estimates, samples }
        };
        let rows: Vec<SummaryRow> = groups.iter().map(row).collect();
        let early = early(&params, &columns, groups, &rows, discarded, distance);
        let observables = columns.into_iter().map(|(name, ..)| name).collect();
        Summary { params, observables, rows, not_finite: Vec::new(), stopped: Vec::new(), early }
    }

    /// The first line of the table.
    fn head(params: &[String], observables: &[String]) -> String {
        let columns = observables.iter().map(|name| format!(",{name},{name}_error,{name}_tau")).collect::<String>();
        let params = params.iter().map(|name| format!(",{name}")).collect::<String>();
        format!("{params}{columns},n").trim_start_matches(',').to_owned()
    }

    /// Reads the table of a sweep that has come to its end.
    ///
    /// # Errors
    /// [`SweepError::Incomplete`] if it is not one of this sweep.
    pub fn read(folder: &Path, sweep: &Sweep) -> Result<Summary> {
        let path = folder.join("summary.csv");
        let incomplete = |reason: &str| SweepError::Incomplete { path: path.clone(), reason: reason.to_owned() };
        let text = String::from_utf8(files::read(&path, MOST_TABLE, Links::Refused)?);
        let text = text.map_err(|_| incomplete("it is not text in UTF-8"))?;
        let params: Vec<String> = sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        let mut lines = text.lines();
        if lines.next() != Some(&Summary::head(&params, &sweep.observables)) {
            return Err(incomplete("its first line is not the one of this sweep"));
        }
        let row = |line: &str| {
            let words: Vec<&str> = line.split(',').collect();
            let (values, rest) = words.split_at_checked(params.len())?;
            let (samples, numbers) = rest.split_last()?;
            let samples = samples.parse().ok()?;
            let numbers: Vec<f64> = numbers.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
            let estimates: Vec<Estimate> = (numbers.as_chunks::<3>().0.iter())
                .map(|&[mean, error, tau]| Estimate { mean, error, tau, samples, unknown: None })
                .collect();
            let whole = numbers.len() == 3 * sweep.observables.len();
            whole.then(|| SummaryRow { values: values.iter().map(|&v| v.to_owned()).collect(), estimates, samples })
        };
        let rows =
            lines.map(row).collect::<Option<Vec<_>>>().ok_or_else(|| incomplete("a row of it has been changed"))?;
        Ok(Summary {
            params,
            observables: sweep.observables.clone(),
            rows,
            not_finite: Vec::new(),
            stopped: Vec::new(),
            early: Vec::new(),
        })
    }

    /// As a table.
    pub(super) fn to_csv(&self) -> String {
        let mut text = format!("{}\n", Summary::head(&self.params, &self.observables));
        for row in &self.rows {
            let mut words = row.values.clone();
            words.extend(row.estimates.iter().flat_map(|e| [e.mean, e.error, e.tau]).map(number));
            words.push(row.samples.to_string());
            text.push_str(&(words.join(",") + "\n"));
        }
        text
    }
}

/// The members that have the same values of all parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The values of the parameters that vary.
    pub values: Vec<String>,
    /// The series of each observable, at all times that count.
    pub members: Vec<Member<'static>>,
}

/// What tells that means include times before equilibrium: for each sign the column that shows it most.
fn early(
    params: &[String],
    columns: &[(String, usize, Combination)],
    groups: &[Group],
    rows: &[SummaryRow],
    discarded: u32,
    distance: f64,
) -> Vec<String> {
    let (mut slowest, mut farthest) = ((0.0, String::new()), (MOST_DRIFT, String::new()));
    for (group, row) in groups.iter().zip(rows) {
        let set: Vec<String> =
            params.iter().zip(&row.values).map(|(name, value)| format!("{name} = {value}")).collect();
        let place = if set.is_empty() { String::new() } else { format!(" at {}", set.join(", ")) };
        for ((name, observable, _), estimate) in
            columns.iter().zip(&row.estimates).filter(|((.., c), _)| *c == Combination::Mean)
        {
            if 3.0 * estimate.tau > f64::from(discarded) && estimate.tau > slowest.0 {
                slowest = (estimate.tau, format!("`{name}`{place}"));
            }
            let drift = statistics::drift(&group.members, *observable, estimate.tau / distance);
            if drift > farthest.0 {
                farthest = (drift, format!("`{name}`{place}"));
            }
        }
    }
    let mut early = Vec::new();
    if !slowest.1.is_empty() {
        let (tau, of) = slowest;
        early.push(format!(
            "the autocorrelation time of {of} is {tau:.0} steps, and {discarded} are discarded: that should be 3 times as many, {:.0}",
            (3.0 * tau).ceil()
        ));
    }
    if !farthest.1.is_empty() {
        let (errors, of) = farthest;
        early.push(format!(
            "the mean of {of} over the first tenth of the times that count lies {errors:.0} errors from that over the rest: it is not in equilibrium from the beginning"
        ));
    }
    early
}

/// The groups of a sweep of which there are members, in their order, without members that are not finite; and these, each with the step
/// at which it is not.
pub(super) fn groups(sweep: &Sweep, members: &BTreeMap<usize, String>) -> (Vec<Group>, Vec<(usize, u32)>) {
    let (mut groups, mut not_finite) = (Vec::new(), Vec::new());
    for combination in 0..sweep.combinations() {
        let numbers = combination * sweep.seeds.len()..(combination + 1) * sweep.seeds.len();
        let mut all = Vec::new();
        let mut there = false;
        for (member, rows) in members.range(numbers) {
            there = true;
            match series(sweep, rows) {
                Ok(columns) => all.push(Member { seed: sweep.member(*member).0, columns }),
                Err(step) => not_finite.push((*member, step)),
            }
        }
        if there {
            let values = sweep.values(combination).into_iter().map(str::to_owned).collect();
            groups.push(Group { values, members: all });
        }
    }
    (groups, not_finite)
}

/// A sweep that knows how many steps it discards.
pub(super) fn settled(sweep: &Sweep, members: &BTreeMap<usize, String>) -> Sweep {
    if sweep.discard != Some(Discard::Auto) {
        return sweep.clone();
    }
    let whole = Sweep { discard: None, ..sweep.clone() };
    let (groups, _) = groups(&whole, members);
    let transients = groups.iter().flat_map(|group| {
        (0..sweep.observables.len()).map(|observable| statistics::transient(&group.members, observable))
    });
    let last = transients.max().unwrap_or(0).checked_sub(1).and_then(|last| sweep.times().nth(last));
    Sweep { discard: last.map(Discard::Steps), ..whole }
}

/// Reads the series of all members of a sweep that has come to its end. Only steps after `discard` count, if it is said, else those that
/// the sweep itself counts.
///
/// # Errors
/// [`SweepError::NoSweep`]; [`SweepError::Incomplete`]; [`SweepError::Discard`] if nothing is left.
pub fn read_groups(path: &Path, discard: Option<Discard>) -> Result<(Sweep, Vec<Group>)> {
    let (sweep, complete) = SweepFolder::look(path)?;
    if !complete {
        let path = path.join("observables.csv");
        return Err(SweepError::Incomplete { path, reason: "the sweep has not come to its end".to_owned() });
    }
    Discard::check(discard, sweep.steps)?;
    let rows = read_table(path, &sweep)?;
    let sweep = settled(&Sweep { discard: discard.or(sweep.discard), ..sweep }, &rows);
    let (groups, _) = groups(&sweep, &rows);
    Ok((sweep, groups))
}

fn number(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { value.to_string() }
}

/// The members that their rule ended before the last step, and when.
fn stopped(sweep: &Sweep, members: &BTreeMap<usize, String>) -> Vec<(usize, u32)> {
    let last = |rows: &String| sweep.times().zip(rows.lines()).last().map(|(time, _)| time);
    let ended = members.iter().filter_map(|(member, rows)| Some((*member, last(rows)?)));
    ended.filter(|(_, time)| *time < sweep.steps).collect()
}

/// The values of each observable at all times that count, or the first step at which one of them is not finite. Of a member that its rule
/// ended before any of them the last values count: they are what it came to.
fn series(sweep: &Sweep, rows: &str) -> std::result::Result<Vec<Cow<'static, [f64]>>, u32> {
    let discard = sweep.discarded();
    let mut series = vec![Vec::new(); sweep.observables.len()];
    let end = rows.lines().count().checked_sub(1).and_then(|last| sweep.times().nth(last));
    for (time, row) in sweep.times().zip(rows.lines()) {
        let values = row.split(',').skip(1).map(|word| word.parse().unwrap_or(f64::NAN));
        for (values, value) in series.iter_mut().zip(values) {
            if !f64::is_finite(value) {
                return Err(time);
            }
            if discard.is_none_or(|discard| time > discard || end == Some(time)) {
                values.push(value);
            }
        }
    }
    Ok(series.into_iter().map(Cow::Owned).collect())
}
