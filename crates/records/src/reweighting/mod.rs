//! Curves of sweeps along a parameter, between the values at which members ran, from the rule's `equilibrium`.
//!
//! A *system* is the members that agree in all but the parameter: one level, one value of all others. Each disorder of it has free energies of its own, and curves are averaged over
//! disorders. `statistics::reweight` does the sums; here it is decided what goes into them, and what is refused: members too far apart, values too far from members, series too
//! short for an error.

mod fits;
mod parts;
mod weight;

pub use fits::{Collapse, Maximum, collapse, crossings, maxima};

use crate::analysis::Column;
use crate::lists;
use crate::resolve::is_of_domain;
use crate::statistics::reweight::{Reweighting, Solved, Weight, jackknife};
use crate::statistics::{Combination, Estimate, Unknown};
use crate::sweep::{Discard, Group, LEVEL, Summary, SummaryRow, Sweep, SweepFolder, list_of, read_groups};
use parts::{ColumnOfSystem, Parts};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_host::numbers::{grouped, six_digits, three_digits};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use weight::RuleWeight;

/// The least overlap of members at neighbouring values.
const LEAST_OVERLAP: f64 = 0.03;
/// The fewest independent samples that a value of a curve rests on.
const FEWEST_SAMPLES: f64 = 50.0;
/// The fewest seeds, or disorders, of which errors are made without stretches of time.
const FEWEST_SEEDS: usize = 8;
/// The fewest and the most stretches of time.
const STRETCHES: (usize, usize) = (20, 50);
/// Autocorrelation times in a stretch.
const TIMES: f64 = 10.0;
/// The most values of a curve.
const MOST_VALUES: usize = 10_000;
/// The most logarithms of weights that are kept.
const MOST_LOGS: usize = 1 << 28;

/// A parameter and the values at which means are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Along {
    /// The parameter.
    pub parameter: String,
    /// Its values, as they are written.
    pub values: Vec<String>,
}

impl Along {
    /// Reads `NAME=VALUES`, of which the values are those of a sweep: `beta=0.66..=0.70/0.0005`.
    ///
    /// # Errors
    /// If it has another form, or too many values.
    pub fn parse(text: &str) -> Result<Along> {
        let help = "`beta=0.66..=0.70/0.0005` are values of `beta`, each 0.0005 above the one before";
        let Some((parameter, list)) = text.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
            let text = squeeze_engine::params::short(text);
            return Err(Message::users(format!("`{text}` is not of the form NAME=VALUES")).with_help(help).into());
        };
        let values = list_of(parameter.trim(), list)?;
        if values.len() > MOST_VALUES {
            let (count, most) = (grouped(values.len() as u64), grouped(MOST_VALUES as u64));
            return Err(Message::users(format!("a curve of {count} values: at most {most} are made")).into());
        }
        Ok(Along { parameter: parameter.trim().to_owned(), values })
    }
}

/// The curves of a sweep.
#[non_exhaustive]
pub struct Reweighted {
    /// The folder.
    pub path: PathBuf,
    /// The parameter along which they go.
    pub parameter: String,
    /// A row for each system and each value: means, and functions of means, with errors; the samples are independent ones.
    pub summary: Summary,
    /// How the members of each system go together.
    pub systems: Vec<SystemMembers>,
    groups: Vec<Group>,
    parts: Vec<System>,
    columns: Vec<CurveColumn>,
    /// The columns that nobody named and that have no curves, with the reason.
    left_out: Vec<(String, String)>,
    places: Vec<f64>,
}

/// How the members of a system go together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SystemMembers {
    /// The level, in a sweep of several.
    pub level: Option<String>,
    /// The values of all other parameters.
    pub values: String,
    /// At how many values members ran.
    pub members: usize,
    /// The least overlap of neighbouring ones; NaN if there is one value.
    pub overlap: f64,
}

/// A column: the name, the place of the observable among the recorded ones, and the function of its means.
#[derive(Clone)]
struct CurveColumn {
    name: String,
    observable: usize,
    combination: Combination,
}

/// Members that agree in all but the parameter.
struct System {
    level: Option<String>,
    /// All parameters that vary, by name, but for the level and the parameter.
    others: Vec<(String, String)>,
    /// The side of the domain.
    side: f64,
    /// The values at which members ran, ascending,
    places: Vec<f64>,
    /// as they are written,
    texts: Vec<String>,
    /// and the number of the group of each.
    groups: Vec<usize>,
    weight: RuleWeight,
    pools: Vec<OfDisorder>,
}

/// The members of a system that have one disorder.
struct OfDisorder {
    /// The seed of the disorder.
    disorder: u64,
    /// The numbers that describe kinds of samples, ascending.
    kinds: Vec<f64>,
    /// For each kind and each value the logarithm of the weight.
    logs: Vec<f64>,
    /// The members: the number of the value, that of the member in its group, and the kind of each sample.
    members: Vec<(usize, usize, Vec<u32>)>,
}

/// Makes curves of the columns of a sweep: of all observables and combinations, or of those in `only`. Without `discard` it is the sweep's own.
///
/// # Errors
/// If there is no sweep, its rule says no weight, the parameter is none of it or has no values in between, an observable depends on it by itself, members are too far apart, values too
/// far from members, or series too short to tell how samples depend on each other.
pub fn reweight(
    path: &Path,
    discard: Option<Discard>,
    columns: &[Column],
    only: &[String],
    along: &Along,
) -> Result<Reweighted> {
    let _mode = DefaultMode::enter();
    if path.is_dir() && !SweepFolder::is_one(path) {
        let what = format!("`{}` is no sweep, whose members curves could be made of", path.display());
        let help = "`squeeze sweep … --set beta=0.40..=0.48/0.02 --seeds 0..8` makes one";
        return Err(Message::users(what).with_help(help).into());
    }
    let (sweep, groups) = read_groups(path, discard)?;
    let rule = sweep.rule.rule()?;
    let name = &along.parameter;
    if sweep.zip && sweep.axes.iter().any(|axis| axis.name == *name) {
        let what = format!("`{name}` varies together with other parameters in `{}`", path.display());
        return Err(Message::users(what)
            .with_help("curves go along one parameter alone: make a sweep without `--zip`")
            .into());
    }
    if sweep.stops {
        let what =
            format!("members of `{}` stop early, and their last values are no samples of equilibrium", path.display());
        return Err(Message::users(what).with_help("leave `stop when` out of the rule and make the sweep anew").into());
    }
    if sweep.observe_at.is_some() {
        let what = format!(
            "the samples in `{}` are not evenly spaced, so that it is not known how they depend on each other",
            path.display()
        );
        return Err(Message::users(what).with_help("make the sweep with `--observe-every N`").into());
    }
    let counts_cells = rule.equilibrium.as_ref().is_some_and(weight::counts_cells);
    if counts_cells && sweep.fractal.disorder.is_some() && sweep.disorder.len() != 1 {
        let what =
            format!("the weight of the rule `{}` reads `cells`, of which each disorder has another number", rule.name);
        return Err(Message::users(what)
            .with_help("name observables of all cells in `equilibrium`, not those of a cell")
            .into());
    }
    let mut parts = systems(&sweep, &groups, name)?;
    if parts.is_empty() {
        let what = format!("no member of `{}` has observables that are finite", path.display());
        return Err(Message::users(what).into());
    }
    let settings = parts.first().map(|part| settings_of(&sweep, &part.others)).unwrap_or_default();
    let depending = weight::depending(&rule, name, &settings)?;
    let depends = |column: &str| {
        rule.observables
            .iter()
            .zip(&depending)
            .any(|(observable, depends)| *depends && observable.name == list_name(column))
    };
    let names = &sweep.observables;
    let mut all: Vec<CurveColumn> = (0..)
        .zip(names)
        .map(|(observable, name)| CurveColumn { name: name.clone(), observable, combination: Combination::Mean })
        .collect();
    for Column { name: own, combination, observable } in columns {
        if all.iter().any(|wanted| wanted.name == *own) || sweep.axes.iter().any(|axis| axis.name == *own) {
            let help = "combinations and observables have different names";
            return Err(Message::users(format!("the name `{own}` is taken")).with_help(help).into());
        }
        let observable = recorded(path, &sweep, observable)?;
        all.push(CurveColumn { name: own.clone(), observable, combination: *combination });
    }
    let shown: Vec<String> = all.iter().map(|wanted| wanted.name.clone()).collect();
    if let Some(at_end) = only.iter().find(|own| sweep.at_end.iter().any(|end| end == *own || list_name(end) == *own)) {
        recorded(path, &sweep, at_end)?;
    }
    let chosen = lists::chosen(&[(path, &shown)], only)?;
    let is_chosen = |wanted: &CurveColumn| {
        let own = chosen.iter().any(|name| lists::columns(&shown, name).iter().any(|i| shown[*i] == wanted.name));
        // Lists are long, and are made if they are asked for.
        own && (!only.is_empty() || list_name(&wanted.name) == wanted.name && !depends(&names[wanted.observable]))
    };
    let columns: Vec<CurveColumn> = all.into_iter().filter(is_chosen).collect();
    if let Some(wanted) = columns.iter().find(|wanted| depends(&names[wanted.observable])) {
        return Err(weight::refusal(&rule, list_name(&names[wanted.observable]), name, &settings)?.into());
    }
    let read = |text: &String| parts.first().map_or(Ok(f64::NAN), |part| part.weight.value(text));
    let places: Vec<f64> = along.values.iter().map(read).collect::<Result<_, _>>()?;
    for part in &mut parts {
        part.gather(&sweep, &groups, path)?;
    }
    let mut made = Reweighted {
        path: path.to_owned(),
        parameter: name.clone(),
        summary: Summary::default(),
        systems: Vec::new(),
        groups,
        parts,
        columns,
        left_out: Vec::new(),
        places,
    };
    if only.is_empty() {
        made.leave_out()?;
    }
    made.make_rows(&sweep, &along.values)?;
    Ok(made)
}

/// The place of an observable that was recorded over time.
fn recorded(path: &Path, sweep: &Sweep, name: &str) -> Result<usize> {
    if sweep.at_end.iter().any(|end| end == name || list_name(end) == name) {
        let what = format!("`{name}` is recorded at the end of members only, and not over time");
        return Err(Message::users(what).with_help("leave out its `at end` and make the sweep anew").into());
    }
    lists::place(path, name, &sweep.observables)
}

/// The list that a column belongs to, or itself.
fn list_name(column: &str) -> &str {
    lists::entry(column).map_or(column, |(list, _)| list)
}

/// The settings of all parameters of the rule but those that curves go along.
fn settings_of(sweep: &Sweep, others: &[(String, String)]) -> Vec<String> {
    let fixed = sweep.params.iter().filter(|setting| !is_of_domain(setting)).cloned();
    let varied = others.iter().filter(|(name, _)| !is_of_domain(name)).map(|(name, value)| format!("{name}={value}"));
    fixed.chain(varied).collect()
}

/// The systems of a sweep, without their samples.
fn systems(sweep: &Sweep, groups: &[Group], parameter: &str) -> Result<Vec<System>> {
    let rule = sweep.rule.rule()?;
    let mut found: Vec<System> = Vec::new();
    for (number, group) in groups.iter().enumerate().filter(|(_, group)| !group.members.is_empty()) {
        let (mut level, mut others, mut own) = (None, Vec::new(), None);
        for (axis, value) in sweep.axes.iter().zip(&group.values) {
            match axis.name.as_str() {
                name if name == parameter => own = Some(value.clone()),
                LEVEL => level = Some(value.clone()),
                name => others.push((name.to_owned(), value.clone())),
            }
        }
        let at = match found.iter().position(|known| known.level == level && known.others == others) {
            Some(at) => at,
            None => {
                let combination = (0..sweep.combinations()).find(|c| sweep.values(*c) == group.values);
                let fractal = sweep.fractal_of(combination.unwrap_or(0) * sweep.repeats()).fractal()?;
                let number = level.as_ref().and_then(|level| level.parse().ok()).unwrap_or(sweep.level);
                let domain = Domain::new(fractal, number)?;
                let mut settings = settings_of(sweep, &others);
                settings.retain(|setting| setting.split('=').next().is_none_or(|name| name.trim() != parameter));
                found.push(System {
                    level,
                    others,
                    side: domain.side() as f64,
                    places: Vec::new(),
                    texts: Vec::new(),
                    groups: Vec::new(),
                    weight: RuleWeight::new(&rule, parameter, settings, &domain)?,
                    pools: Vec::new(),
                });
                found.len() - 1
            }
        };
        let system = &mut found[at];
        let text = match own {
            Some(text) => text,
            // It is the same in all members.
            None => {
                let set = sweep.params.iter().find_map(|setting| setting.strip_prefix(&format!("{parameter}=")));
                set.map_or_else(|| system.weight.own(), |set| Ok(set.to_owned()))?
            }
        };
        let place = system.weight.value(&text)?;
        let before = system.places.partition_point(|known| *known < place);
        system.places.insert(before, place);
        system.texts.insert(before, text);
        system.groups.insert(before, number);
    }
    Ok(found)
}

impl System {
    /// Its level and the values of its parameters, in words, for messages.
    fn words(&self) -> String {
        let level = self.level.iter().map(|level| format!("{LEVEL} = {level}"));
        level.chain(self.others.iter().map(|(name, value)| format!("{name} = {value}"))).collect::<Vec<_>>().join(", ")
    }

    /// The values of all other parameters, in words.
    fn values(&self) -> String {
        self.others.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    }

    /// Sorts the samples of all members into kinds, and weighs these.
    fn gather(&mut self, sweep: &Sweep, groups: &[Group], path: &Path) -> Result<()> {
        let rule = sweep.rule.rule()?;
        let columns = self.weight.named.iter().map(|index| recorded(path, sweep, &rule.observables[*index].name));
        let columns: Vec<usize> = columns.collect::<Result<_>>()?;
        let of_disorder = rule.drawn().from_disorder || sweep.fractal.disorder.is_some();
        // What a seed draws for ever is a disorder of its own.
        let once = rule.drawn_once().next().map(|state| rule.state(state).name.as_str());
        if let Some(state) = once.filter(|_| of_disorder && sweep.disorder.len() > 1) {
            let what = format!(
                "each seed draws `{state}` in `init`, which never changes, so its members are of other systems than those of other seeds with the same disorder"
            );
            let help = "a draw `from disorder` is the same for all seeds: make the sweep anew";
            return Err(Message::users(what).with_help(help).into());
        }
        let mut pools: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, group) in self.groups.iter().enumerate() {
            for (number, member) in groups[*group].members.iter().enumerate() {
                let disorder = match once {
                    Some(_) => member.seed,
                    None if of_disorder && sweep.disorder.len() != 1 => member.disorder,
                    None => 0,
                };
                pools.entry(disorder).or_default().push((at, number));
            }
        }
        let many = || {
            let what = format!("`{}` has too many different samples to be weighed at all values", path.display());
            Error::from(
                Message::users(what).with_help("`--discard N` leaves some out, and so do sweeps with fewer values"),
            )
        };
        for (disorder, numbers) in pools {
            let series = |(at, number): &(usize, usize)| &groups[self.groups[*at]].members[*number].columns;
            let mut samples: Vec<(u32, u32)> = Vec::new();
            for (chain, number) in numbers.iter().enumerate() {
                let length = series(number).first().map_or(0, |column| column.len());
                samples.extend((0..u32::try_from(length).map_err(|_| many())?).map(|i| (chain as u32, i)));
            }
            let value = |(chain, i): &(u32, u32), column: usize| series(&numbers[*chain as usize])[column][*i as usize];
            let compare = |a: &(u32, u32), b: &(u32, u32)| {
                let each = columns.iter().map(|column| value(a, *column).total_cmp(&value(b, *column)));
                each.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
            };
            samples.sort_by(compare);
            let mut kinds: Vec<f64> = Vec::new();
            let mut of_samples: Vec<Vec<u32>> =
                numbers.iter().map(|number| vec![0; series(number).first().map_or(0, |column| column.len())]).collect();
            for (i, sample) in samples.iter().enumerate() {
                if i == 0 || compare(&samples[i - 1], sample).is_ne() {
                    kinds.extend(columns.iter().map(|column| value(sample, *column)));
                }
                of_samples[sample.0 as usize][sample.1 as usize] = (kinds.len() / columns.len() - 1) as u32;
            }
            let count = kinds.len() / columns.len();
            if count.saturating_mul(self.places.len()) > MOST_LOGS {
                return Err(many());
            }
            let mut logs = vec![0.0; count * self.places.len()];
            let mut of_place = Vec::new();
            for (at, place) in self.places.iter().enumerate() {
                of_place.clear();
                self.weight.logs(*place, &kinds, &mut of_place);
                if let Some(kind) = of_place.iter().position(|log| !log.is_finite()) {
                    let values = &kinds[kind * columns.len()..][..columns.len()];
                    let named = columns
                        .iter()
                        .zip(values)
                        .map(|(column, value)| format!("{} = {value}", sweep.observables[*column]));
                    let named = named.collect::<Vec<_>>().join(", ");
                    let what = format!(
                        "the weight of a sample with {named} is {} at {}",
                        of_place[kind].exp(),
                        self.texts[at]
                    );
                    return Err(Message::users(what)
                        .with_help("each state that was met has a weight above 0 at all values")
                        .into());
                }
                for (kind, log) in of_place.iter().enumerate() {
                    logs[kind * self.places.len() + at] = *log;
                }
            }
            let members =
                numbers.into_iter().zip(of_samples).map(|((at, number), kinds)| (at, number, kinds)).collect();
            self.pools.push(OfDisorder { disorder, kinds, logs, members });
        }
        Ok(())
    }
}

impl Reweighted {
    /// Leaves out observables whose series do not tell how samples depend on each other, unless all are such.
    fn leave_out(&mut self) -> Result<()> {
        let mut told: Vec<Result<()>> = Vec::new();
        for column in &self.columns {
            told.push(self.parts.iter().try_for_each(|system| {
                let prepared = self.prepare(system, column)?;
                Parts::of(self, &[&prepared]).map(drop)
            }));
        }
        if told.iter().all(Result::is_err) {
            return told.into_iter().collect();
        }
        for (column, told) in std::mem::take(&mut self.columns).into_iter().zip(told) {
            match told {
                Err(error) if error.is_users() && column.combination == Combination::Mean => {
                    self.left_out.push((column.name, error.to_string()));
                }
                told => {
                    told?;
                    self.columns.push(column);
                }
            }
        }
        Ok(())
    }

    fn make_rows(&mut self, sweep: &Sweep, texts: &[String]) -> Result<()> {
        // Curves go along the parameter: it stands before all others but the level.
        let others = sweep.axes.iter().map(|axis| axis.name.clone()).filter(|name| *name != self.parameter);
        let (mut names, others): (Vec<String>, Vec<String>) = others.partition(|name| name == LEVEL);
        names.push(self.parameter.clone());
        names.extend(others);
        let (mut rows, mut together) = (Vec::new(), Vec::new());
        for system in &self.parts {
            let mut least = f64::NAN;
            let mut of_columns: Vec<(Vec<f64>, Vec<Estimate>)> = Vec::new();
            for column in &self.columns {
                let prepared = self.prepare(system, column)?;
                let parts = Parts::of(self, &[&prepared])?;
                let system = prepared.reweighting(&parts);
                least = least.min(self.check_overlap(&prepared, &system)?);
                let samples = self.check_samples(&prepared, &system, texts)?;
                of_columns.push((samples, self.curve(column, &system, &parts)?));
            }
            for (row, text) in texts.iter().enumerate() {
                let value = |name: &String| match name {
                    name if *name == self.parameter => text.clone(),
                    name if name == LEVEL => system.level.clone().unwrap_or_default(),
                    name => system
                        .others
                        .iter()
                        .find(|(own, _)| own == name)
                        .map_or_else(String::new, |(_, value)| value.clone()),
                };
                let fewest = of_columns.iter().map(|(samples, _)| samples[row]).fold(f64::INFINITY, f64::min);
                let samples = if fewest.is_finite() { fewest as usize } else { 0 };
                let estimates =
                    of_columns.iter().map(|(_, estimates)| Estimate { samples, ..estimates[row] }).collect();
                rows.push(SummaryRow { values: names.iter().map(value).collect(), estimates, samples });
            }
            let (level, values, members) = (system.level.clone(), system.values(), system.places.len());
            together.push(SystemMembers { level, values, members, overlap: least });
        }
        let means = self.columns.iter().filter(|column| column.combination == Combination::Mean);
        let means = means.map(|column| (column.name.clone(), column.observable, Combination::Mean)).collect();
        let params = sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        let mut early =
            Summary::of_groups(params, means, &self.groups, sweep.discarded().unwrap_or(0), sweep.sample_distance())
                .early;
        early.extend(self.left_out.iter().map(|(name, why)| format!("`{name}` is left out: {why}")));
        if !sweep.fractal.fractal()?.edges.is_empty() {
            early.push(
                "cells at an edge have neighbours beyond it here: see that the rule's `equilibrium` counts pairs with these, too, as its steps do".to_owned(),
            );
        }
        let observables = self.columns.iter().map(|column| column.name.clone()).collect();
        self.summary = Summary { params: names, observables, rows, early, ..Summary::default() };
        self.systems = together;
        Ok(())
    }

    /// A curve with its errors.
    fn curve(&self, column: &CurveColumn, system: &Reweighting<'_>, parts: &Parts) -> Result<Vec<Estimate>> {
        let of = |solved: &[Solved<'_>], _: Option<&[f64]>| {
            let at = |place: &f64| {
                let means = solved[0].at(*place).0;
                [column.combination.of(&means), column.combination.most(&means)]
            };
            Some(self.places.iter().flat_map(at).collect())
        };
        let found = jackknife(&[system], of).ok_or_else(|| self.unsettled())?;
        let one = |(values, errors): (&[f64; 2], &[Result<f64, Unknown>; 2])| {
            let (error, unknown) = parts.error(errors[0]);
            let mean = if values[0] > values[1] { values[1] } else { values[0] };
            Estimate { mean, error, tau: f64::NAN, samples: 0, unknown }
        };
        Ok(found.values.as_chunks().0.iter().zip(found.errors.as_chunks().0).map(one).collect())
    }

    fn unsettled(&self) -> Message {
        let what = format!("the free energies of the members in `{}` do not settle", self.path.display());
        Message::users(what).with_help("members at more values of the parameter, nearer to each other, would do")
    }

    /// The least overlap of members at neighbouring values.
    fn check_overlap(&self, of: &ColumnOfSystem<'_>, system: &Reweighting<'_>) -> Result<f64> {
        let solved = Solved::whole(system).ok_or_else(|| self.unsettled())?;
        let overlaps = solved.overlaps();
        let least = overlaps.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let Some((at, least)) = least else { return Ok(f64::NAN) };
        if *least >= LEAST_OVERLAP {
            return Ok(*least);
        }
        let texts = &of.system.texts;
        let words = of.system.words();
        let what = format!(
            "members at {} = {} and {}{} share {} of their samples, and less than {}% tells nothing of the values in between",
            self.parameter,
            texts[at],
            texts[at + 1],
            if words.is_empty() { String::new() } else { format!(" ({words})") },
            percent(*least),
            LEAST_OVERLAP * 100.0
        );
        let middle = six_digits((of.system.places[at] + of.system.places[at + 1]) / 2.0);
        Err(Message::users(what).with_help(format!("add {} = {middle} to the sweep", self.parameter)).into())
    }

    /// The independent samples of each value.
    fn check_samples(&self, of: &ColumnOfSystem<'_>, system: &Reweighting<'_>, texts: &[String]) -> Result<Vec<f64>> {
        let solved = Solved::whole(system).ok_or_else(|| self.unsettled())?;
        let samples: Vec<[f64; 2]> = self.places.iter().map(|place| solved.at(*place).1).collect();
        let Some(far) = samples.iter().position(|[fewest, _]| fewest.is_nan() || *fewest < FEWEST_SAMPLES) else {
            return Ok(samples.iter().map(|[_, all]| *all).collect());
        };
        let ends = of.system.places.iter().chain(&self.places);
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
        let scan = (0..=200).map(|i| low + (high - low) * f64::from(i) / 200.0);
        let allowed: Vec<f64> = scan.filter(|place| solved.at(*place).1[0] >= FEWEST_SAMPLES).collect();
        let words = of.system.words();
        let what = format!(
            "`{}` at {} = {}{} would rest on {} independent samples: {FEWEST_SAMPLES} are needed",
            of.column.name,
            self.parameter,
            texts[far],
            if words.is_empty() { String::new() } else { format!(" ({words})") },
            samples[far][0].floor()
        );
        let help = match (allowed.first(), allowed.last()) {
            (Some(first), Some(last)) => {
                format!("the members allow {} from {} to {}", self.parameter, six_digits(*first), six_digits(*last))
            }
            _ => "more steps or seeds would give them".to_owned(),
        };
        Err(Message::users(what).with_help(help).into())
    }
}

/// A share in per cent, with as many digits as tell it from others.
fn percent(share: f64) -> String {
    if share > 0.0 && share < 1e-4 { "less than 0.01%".to_owned() } else { format!("{}%", three_digits(100.0 * share)) }
}
