//! `summary.csv`: a row for each combination of values.

use super::folder::{SUMMARY, check_others, head_of_members, incomplete, line_of_member, read_tables};
use super::rows::{MOST_TABLE, Rows};
use super::{Discard, Exchanges, Sweep, SweepFolder};
use crate::lists;
use crate::statistics::{self, Combination, Estimate, Member};
use crate::table::{self, float};
use squeeze_compiler::ir::Draws;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_engine::failure::Result;
use squeeze_host::files::{self, Links};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The most errors that the mean over the first times may lie from that over the rest, which many observables at many values try.
const MOST_DRIFT: f64 = 5.0;

/// The results of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// The names of the parameters that vary.
    pub params: Vec<String>,
    /// Whether they do so together.
    pub zip: bool,
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
    /// What became of exchanges of states, if members exchange them.
    #[doc(hidden)]
    pub exchanges: Option<Exchanges>,
}

/// One combination of values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SummaryRow {
    /// The values of the parameters that vary.
    pub values: Vec<String>,
    /// For each observable its mean over seeds and steps; [`Estimate::tau`] is in time steps.
    pub estimates: Vec<Estimate>,
    /// The number of samples.
    pub samples: usize,
}

impl Summary {
    /// The summary of all members of a sweep that knows how many steps it discards.
    pub(super) fn of(sweep: &Sweep, groups: Groups, members: &BTreeMap<usize, Rows>) -> Summary {
        let params = sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        let groups = groups.after(sweep);
        Summary {
            zip: sweep.zip,
            not_finite: groups.not_finite.clone(),
            stopped: stopped(sweep, members),
            ..Summary::of_columns(sweep, params, &groups.groups)
        }
    }

    /// The same with a row for each member.
    pub(super) fn of_members(sweep: &Sweep, members: &BTreeMap<usize, Rows>) -> Summary {
        let dependence = Dependence::of(sweep);
        let group = |(&member, rows): (&usize, &Rows)| {
            let values = line_of_member(sweep, member).split(',').map(str::to_owned).collect();
            let columns = series(sweep, rows).ok()?;
            Some(Group { values, members: vec![dependence.alone(member, columns)] })
        };
        let groups = Groups { groups: members.iter().filter_map(group).collect(), not_finite: Vec::new() };
        let params = head_of_members(sweep).split(',').map(str::to_owned).collect();
        Summary::of_columns(sweep, params, &groups.after(sweep).groups)
    }

    fn of_columns(sweep: &Sweep, params: Vec<String>, groups: &[Group]) -> Summary {
        let columns = (0..).zip(sweep.columns()).map(|(i, name)| (name, i, Combination::Mean)).collect();
        Summary::of_groups(params, columns, groups, sweep.discarded().unwrap_or(0), sweep.sample_distance())
    }

    /// The columns of groups, each with its name and its observable. Samples are `every` steps apart, and those up to a step are discarded.
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
        Summary { params, observables, rows, early, ..Summary::default() }
    }

    /// The first line of the table.
    pub(super) fn head(&self) -> String {
        head(&self.params, &self.observables)
    }

    /// Reads the table of a sweep that has come to its end.
    ///
    /// # Errors
    /// [`Incomplete`](super::Incomplete) if it is not one of this sweep.
    pub fn read(folder: &Path, sweep: &Sweep) -> Result<Summary> {
        let _mode = DefaultMode::enter();
        let path = folder.join(SUMMARY);
        let incomplete = |reason: &str| incomplete(&path, reason);
        let text = table::with_end(files::read(&path, MOST_TABLE, Links::Followed)?);
        check_others(folder, sweep)?;
        let params: Vec<String> = sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        let mut lines = text.lines();
        if lines.next() != Some(&head(&params, &sweep.columns())) {
            return Err(incomplete("its first line is not the one of this sweep").into());
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
            let whole = numbers.len() == 3 * sweep.columns().len();
            whole.then(|| SummaryRow { values: values.iter().map(|&v| v.to_owned()).collect(), estimates, samples })
        };
        let rows =
            lines.map(row).collect::<Option<Vec<_>>>().ok_or_else(|| incomplete("a row of it has been changed"))?;
        Ok(Summary { params, zip: sweep.zip, observables: sweep.columns(), rows, ..Summary::default() })
    }

    /// Its other lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(|row| {
            let mut words = row.values.clone();
            words.extend(row.estimates.iter().flat_map(|e| [e.mean, e.error, e.tau]).map(float));
            words.push(row.samples.to_string());
            words.join(",")
        })
    }

    /// The first line of the table of lists.
    pub(super) fn head_of_lists(&self) -> String {
        let params: String = self.params.iter().map(|name| format!("{name},")).collect();
        format!("{params}observable,index,mean,error,tau,n")
    }

    /// The table's other lines: the means of each number of observables that are lists.
    pub(super) fn lists(&self) -> impl Iterator<Item = String> {
        self.rows.iter().flat_map(|row| {
            let values: String = row.values.iter().map(|value| format!("{value},")).collect();
            self.observables.iter().zip(&row.estimates).filter_map(move |(name, Estimate { mean, error, tau, .. })| {
                let (list, index) = lists::entry(name)?;
                let numbers = [mean, error, tau].map(|number| float(*number)).join(",");
                Some(format!("{values}{list},{index},{numbers},{}", row.samples))
            })
        })
    }
}

/// The first line of a table of means.
fn head(params: &[String], observables: &[String]) -> String {
    let columns = observables.iter().map(|name| format!(",{name},{name}_error,{name}_tau")).collect::<String>();
    let params = params.iter().map(|name| format!(",{name}")).collect::<String>();
    format!("{params}{columns},n").trim_start_matches(',').to_owned()
}

/// The members that have the same values of all parameters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Group {
    /// The values of the parameters that vary.
    pub values: Vec<String>,
    /// Each member's series of the observables, without discarded times.
    pub members: Vec<Member<'static>>,
}

/// Signs that means include times before equilibrium: for each sign the column that shows it most.
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
        let plural = if format!("{tau:.0}") == "1" { "" } else { "s" };
        early.push(format!(
            "the autocorrelation time of {of} is {tau:.0} step{plural}, and {discarded} are discarded: that should be 3 times as many, {:.0}",
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

/// The draws of a sweep's members, and the seeds of these.
struct Dependence<'a> {
    sweep: &'a Sweep,
    rule: Draws,
    /// Whether cells or initial values are drawn from disorder,
    of_disorder: bool,
    /// and whether each seed draws for ever what no step sets.
    is_drawn_once: bool,
}

impl Dependence<'_> {
    /// The dependence of the members of a sweep.
    fn of(sweep: &Sweep) -> Dependence<'_> {
        // A text that another version has checked may draw everything.
        let all = Draws { at_beginning: true, in_steps: true, from_disorder: true };
        let rule = sweep.rule.rule();
        let is_drawn_once = rule.as_ref().is_ok_and(|rule| rule.drawn_once().next().is_some());
        let rule = rule.map_or(all, |rule| rule.drawn());
        let of_disorder = rule.from_disorder || sweep.fractal.disorder.is_some();
        Dependence { sweep, rule, of_disorder, is_drawn_once }
    }

    /// A member with these series.
    fn member(&self, member: usize, columns: Vec<Cow<'static, [f64]>>) -> Member<'static> {
        let (seed, _) = self.sweep.member(member);
        let of_seed = self.rule.at_beginning || self.rule.in_steps;
        let drawn = self.sweep.disorder_of(member).unwrap_or(seed);
        let system = (if self.is_drawn_once { seed } else { 0 }, if self.of_disorder { drawn } else { 0 });
        let (seed, disorder) = match self.sweep.disorder_of(member).filter(|_| self.of_disorder) {
            Some(disorder) if !of_seed => (disorder, disorder),
            // Means are over the runs on one disorder, if there is one.
            Some(disorder) if self.sweep.disorder.len() > 1 => (seed, disorder),
            _ => (seed, seed),
        };
        Member { disorder, system, is_certain: self.is_certain(None), ..Member::new(seed, columns) }
    }

    /// The same member by itself: its disorder counts as given.
    fn alone(&self, member: usize, columns: Vec<Cow<'static, [f64]>>) -> Member<'static> {
        let (seed, _) = self.sweep.member(member);
        Member { is_certain: self.is_certain(None), ..Member::new(seed, columns) }
    }

    /// Whether nothing is drawn, up to a time or at all.
    fn is_certain(&self, time: Option<u32>) -> bool {
        !self.rule.at_beginning && !self.of_disorder && (!self.rule.in_steps || time == Some(0))
    }
}

/// The members of a sweep, with their series at all times.
pub(super) struct Groups {
    /// Groups with members, in order.
    groups: Vec<Group>,
    /// The members that are left out, since they are not finite, each with the step at which it is not.
    not_finite: Vec<(usize, u32)>,
}

impl Groups {
    /// From the rows of members, which are complete.
    pub(super) fn of(sweep: &Sweep, members: &BTreeMap<usize, Rows>) -> Groups {
        let dependence = Dependence::of(sweep);
        let (mut groups, mut not_finite) = (Vec::new(), Vec::new());
        for combination in 0..sweep.combinations() {
            let numbers = combination * sweep.repeats()..(combination + 1) * sweep.repeats();
            let mut all = Vec::new();
            let mut there = false;
            for (member, rows) in members.range(numbers) {
                there = true;
                match series(sweep, rows) {
                    Ok(columns) => all.push(dependence.member(*member, columns)),
                    Err(step) => not_finite.push((*member, step)),
                }
            }
            if there {
                let values = sweep.values(combination).into_iter().map(str::to_owned).collect();
                groups.push(Group { values, members: all });
            }
        }
        Groups { groups, not_finite }
    }

    /// The sweep, if it knew how many steps it discards.
    pub(super) fn settled(&self, sweep: &Sweep) -> Sweep {
        if sweep.discard != Some(Discard::Auto) {
            return sweep.clone();
        }
        let transients = self.groups.iter().flat_map(|group| {
            (0..sweep.columns().len()).map(|observable| statistics::transient(&group.members, observable))
        });
        let last = transients.max().unwrap_or(0).checked_sub(1).and_then(|last| sweep.times().nth(last));
        Sweep { discard: last.map(Discard::Steps), ..sweep.clone() }
    }

    /// With the times alone that the sweep does not discard.
    fn after(self, sweep: &Sweep) -> Groups {
        let counts = |time: u32| sweep.discarded().is_none_or(|discarded| time > discarded);
        let first = sweep.times().take_while(|time| !counts(*time)).count();
        let mut groups = self.groups;
        for member in groups.iter_mut().flat_map(|group| &mut group.members) {
            member.columns.iter_mut().for_each(|column| drop(column.to_mut().drain(..first)));
        }
        Groups { groups, ..self }
    }

    /// The first line of the table of times.
    pub(crate) fn head_of_times(&self, sweep: &Sweep) -> String {
        let params: String = sweep.axes.iter().map(|axis| format!("{},", axis.name)).collect();
        let columns: String = sweep.columns().iter().map(|name| format!(",{name},{name}_error")).collect();
        format!("{params}step{columns},n")
    }

    /// Its other lines: observables of the end alone have values in those of the last step.
    pub(super) fn times<'a>(&'a self, sweep: &'a Sweep) -> impl Iterator<Item = String> + 'a {
        let dependence = Dependence::of(sweep);
        let certain: Vec<bool> = sweep.times().map(|time| dependence.is_certain(Some(time))).collect();
        self.groups.iter().flat_map(move |group| {
            let params: String = group.values.iter().map(|value| format!("{value},")).collect();
            let are_independent = statistics::are_independent(&group.members);
            let certain = certain.clone();
            sweep.times().enumerate().map(move |(i, time)| {
                let mut line = format!("{params}{time}");
                for column in 0..sweep.columns().len() {
                    let is_known = column < sweep.observables.len() || time == sweep.steps;
                    let values = group.members.iter().map(|member| member.columns[column][i]);
                    let (mean, error) = match is_known {
                        true if are_independent => statistics::over_independent(values, certain[i]),
                        true => statistics::over_members(&group.members, column, i, certain[i]),
                        false => (f64::NAN, f64::NAN),
                    };
                    line.push_str(&format!(",{},{}", float(mean), float(error)));
                }
                format!("{line},{}", group.members.len())
            })
        })
    }
}

/// Reads the series of all members of a complete sweep, after `discard` steps or, without it, after the steps that the sweep itself discards.
///
/// # Errors
/// If there is no sweep, it has not come to its end, or nothing is left.
pub(crate) fn read_groups(path: &Path, discard: Option<Discard>) -> Result<(Sweep, Vec<Group>)> {
    let sweep = SweepFolder::complete(path)?;
    Discard::check(discard, sweep.steps)?;
    let rows = read_tables(path, &sweep)?;
    let groups = Groups::of(&sweep, &rows);
    let sweep = groups.settled(&Sweep { discard: discard.or(sweep.discard), ..sweep });
    let Groups { groups, .. } = groups.after(&sweep);
    Ok((sweep, groups))
}

/// The members that their rule ended before the last step, and when.
fn stopped(sweep: &Sweep, members: &BTreeMap<usize, Rows>) -> Vec<(usize, u32)> {
    let last = |rows: &Rows| sweep.times().take(rows.observations()).last();
    let ended = members.iter().filter_map(|(member, rows)| Some((*member, last(rows)?)));
    ended.filter(|(_, time)| *time < sweep.steps).collect()
}

/// The values of each observable at all times, or the first step at which one of them is not finite. A member that its rule has ended keeps its
/// last values, and observables of its end alone are the same at all times.
fn series(sweep: &Sweep, rows: &Rows) -> std::result::Result<Vec<Cow<'static, [f64]>>, u32> {
    let value = |word: &str, time: u32| word.parse().ok().filter(|value: &f64| value.is_finite()).ok_or(time);
    let mut series = vec![Vec::new(); sweep.observables.len()];
    let mut end = 0;
    for (time, row) in sweep.times().zip(rows.lines.lines()) {
        end = time;
        for (values, word) in series.iter_mut().zip(row.split(',').skip(1 + sweep.columns_before())) {
            values.push(value(word, time)?);
        }
    }
    for word in rows.end.split(',').skip(1) {
        series.push(vec![value(word, end)?]);
    }
    let times = sweep.times().count();
    for values in &mut series {
        let last = values.last().copied().unwrap_or(f64::NAN);
        values.resize(times, last);
    }
    Ok(series.into_iter().map(Cow::Owned).collect())
}
