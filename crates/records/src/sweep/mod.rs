//! Sweeps: one rule on one fractal, with many seeds and values of parameters.
//!
//! A sweep has members, one for each combination of the values and each seed; their trajectories are those of runs of their own. Members are
//! numbered from 0: the seed changes fastest, then the seed of disorder, if there are several, then the values of the parameter that was named last, and
//! the level, if there are several, last of all.
//!
//! | in the folder | what |
//! |---|---|
//! | `manifest.json` | all that the sweep is made of |
//! | `members/N.rows` | the observables of members that have come to their ends, while others have not |
//! | `members/N.ENDING` | the data that collectors have gathered of a member that has come to its end |
//! | `members.csv` | member, seed, that of disorder if there are such, and each parameter that varies |
//! | `observables.csv` | member, step and the observables |
//! | `observables.crc` | a checksum for the rows and the end of each member, and for each other table; line ends count as `\n` |
//! | `ends.csv` | the same of each member's last step alone, with its seed and parameters, and with the observables that are of the end alone |
//! | `times.csv` | for each combination of values and each step the means over members with their errors |
//! | `summary.csv` | for each combination of values the means with their errors ([`statistics`](crate::statistics)) |
//! | `per_member.csv` | the same for each member by itself, if that was asked for |
//! | `lists.csv` | the same of observables that are lists, a row for each of their numbers |
//!
//! Members that exchange their states ([`Exchange`]) go in ladders, which are computed, dealt out and kept whole. Their tables have further columns: the `key` and `ladder` of a
//! member, and the `replica` whose state it has. `exchange.rs` says which tables there are beside.
//!
//! A member that its rule has ended keeps its last values, in `times.csv` and `summary.csv`: as without the rule's `stop when`, if nothing changes
//! any more once it is true.
//!
//! A file of members appears when it is complete and durable, so whatever ends the process, [`work::run`] goes on with the members that
//! are missing: those that were running, and those that ended in the last second. The tables are made of these files alone: they do not depend on
//! threads, devices, interruptions or parts. Other files of a sweep are made by the [`Collector`]s that are handed to it.

mod advice;
mod collector;
mod deal;
mod exchange;
mod folder;
mod given;
mod ladders;
mod merge;
mod of_ladders;
pub mod plot;
mod ranks;
mod rows;
mod summary;
mod values;
mod weight;
pub mod work;

pub use advice::Advice;
pub use collector::{Collector, Gathered, Probe};
pub use exchange::{Exchanges, LadderExchanges, PairExchanges, ReplicaTrips};
pub use folder::{Incomplete, SweepFolder, read_exchanges};
pub use given::Given;
pub use ladders::Exchange;
pub use merge::merge;
pub use ranks::serve;
pub(crate) use summary::read_groups;
pub use summary::{Group, Summary, SummaryRow};
pub use values::MOST_MEMBERS;
pub(crate) use weight::{carrying, following, named_in, unweighted, weight_of};

use crate::json;
use crate::observation_times::ObservationTimes;
use crate::resolve::{MEMORY, is_of_domain};
use crate::run::param_as_text;
use crate::table::float;
use crate::texts::{Digest, Texts};
use collector::OVERLAPS;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use squeeze_compiler::CellSettings;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Rule;
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::{self, ParamError};
use squeeze_engine::simulation::Simulation;
use squeeze_engine::totals;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The name of the axis of levels, which no parameter can have.
pub const LEVEL: &str = "level";
/// The name of the column of seeds of disorder.
pub(crate) const DISORDER: &str = "disorder";

/// A parameter that varies, or the level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Axis {
    /// The parameter, or [`LEVEL`].
    pub name: String,
    /// Its values, at least two, as they are written.
    pub values: Vec<String>,
}

/// A part of a sweep's members: those whose number leaves `index` − 1 when it is divided by `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "[u32; 2]", try_from = "[u32; 2]")]
pub struct Shard {
    /// From 1 to `count`.
    pub index: u32,
    /// The number of parts.
    pub count: u32,
}

impl Shard {
    /// All members.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Reads `I/N`.
    pub fn parse(text: &str) -> Option<Shard> {
        let (index, count) = text.split_once('/')?;
        Shard::try_from([index.trim().parse().ok()?, count.trim().parse().ok()?]).ok()
    }
}

impl Default for Shard {
    fn default() -> Shard {
        Shard::WHOLE
    }
}

impl From<Shard> for [u32; 2] {
    fn from(Shard { index, count }: Shard) -> [u32; 2] {
        [index, count]
    }
}

impl TryFrom<[u32; 2]> for Shard {
    type Error = &'static str;

    fn try_from([index, count]: [u32; 2]) -> Result<Shard, &'static str> {
        if (1..=count).contains(&index) { Ok(Shard { index, count }) } else { Err("there is no such part") }
    }
}

/// Which steps at the beginning do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Discard {
    /// As many as the observables need to come to equilibrium (`statistics::transient`).
    Auto,
    /// All up to this one.
    #[serde(untagged)]
    Steps(u32),
}

impl Discard {
    /// Reads `N` or `auto`.
    pub fn parse(text: &str) -> Option<Discard> {
        if text == "auto" { Some(Discard::Auto) } else { text.parse().ok().map(Discard::Steps) }
    }

    /// Refuses to discard all times.
    fn check(discard: Option<Discard>, steps: u32) -> Result<()> {
        match discard {
            Some(Discard::Steps(discard)) if discard >= steps => {
                Err(Message::users(format!("`--discard {discard}` leaves nothing: the last step is {steps}")).into())
            }
            Some(Discard::Steps(_) | Discard::Auto) | None => Ok(()),
        }
    }
}

/// The inputs that fix the results of a sweep, as in its manifest. Manifests of older versions lack the fields with defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sweep {
    /// The fractal.
    pub fractal: Texts,
    /// The digests of the cells that members were computed with, for domains that draw their cells, but for the first member's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "cells")]
    pub cells: BTreeMap<CellSettings, Digest>,
    /// The rule.
    pub rule: Texts,
    /// The level, the first one of several.
    pub level: u32,
    /// The parameters that were set to one value, as `name=value`. Parameters that follow from others are left to the rule.
    pub params: Vec<String>,
    /// States whose initial values come from files, as `state=file`, or from arrays, as `state=<memory>`.
    #[serde(default)]
    pub init: Vec<String>,
    /// These values, where they were read already.
    #[serde(skip)]
    pub(crate) values: Option<Arc<Given>>,
    /// For each of these states the digest of the values that it was given when the sweep was begun.
    #[serde(default)]
    pub given: BTreeMap<String, Digest>,
    /// The last time step.
    pub steps: u32,
    /// Observables are taken at multiples of this, and at the end.
    #[serde(deserialize_with = "json::steps")]
    pub observe_every: u32,
    /// Observables are taken at these times instead, and at the end.
    pub observe_at: Option<ObservationTimes>,
    /// The seeds, in their order.
    pub seeds: Vec<u64>,
    /// The seeds of disorder, in their order; none if disorder has the seed of each member.
    #[serde(default)]
    pub disorder: Vec<u64>,
    /// The axes that vary: the level, then the parameters in the order in which they were named.
    #[serde(rename = "vary")]
    pub axes: Vec<Axis>,
    /// Whether the parameters vary together: the n-th values of all lists make one point.
    #[serde(default)]
    pub zip: bool,
    /// Whether there is a table with the means of each member.
    #[serde(default)]
    pub per_member: bool,
    /// How members exchange their states, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub exchange: Option<Exchange>,
    /// The part of the members that is computed here.
    pub shard: Shard,
    /// The times that do not count in the summary.
    pub discard: Option<Discard>,
    /// The names of the observables' numbers, in the order of the rule ([`totals::columns`]).
    pub observables: Vec<String>,
    /// The same of observables that are of a member's end alone.
    #[serde(default)]
    pub at_end: Vec<String>,
    /// Whether the rule says when a run ends: a member may then come to its end early.
    pub stops: bool,
    /// Whether a version began it that kept no checksums.
    #[serde(skip)]
    pub(crate) unsealed: bool,
    /// Whether places of masks and boxes drew by other numbers when it was begun.
    #[serde(skip)]
    pub(crate) other_draws: bool,
    /// The data gathered beside observables: for the name of each [`Collector`] what it wants.
    #[serde(skip)]
    pub gathered: Map<String, Json>,
}

/// Cells of domains in a manifest: lists of parameters, the seed of disorder, and the digest.
mod cells {
    use super::{BTreeMap, CellSettings, Digest};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(cells: &BTreeMap<CellSettings, Digest>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(cells.iter().map(|(of, digest)| (&of.params, of.disorder, digest)))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<BTreeMap<CellSettings, Digest>, D::Error> {
        let all = Vec::<(Vec<String>, u64, Digest)>::deserialize(from)?;
        Ok(all.into_iter().map(|(params, disorder, digest)| (CellSettings { params, disorder }, digest)).collect())
    }
}

/// Seeds and settings of a sweep, as text.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Wishes<'a> {
    /// A list of seeds.
    pub seeds: &'a str,
    /// A list of seeds of disorder.
    pub disorder: Option<&'a str>,
    /// Settings `name=values`.
    pub settings: &'a [String],
    /// Between two observations; a thousandth of all steps if it is not said.
    pub observe_every: Option<u32>,
    /// The times of observations, instead.
    pub observe_at: Option<&'a ObservationTimes>,
    /// Whether parameters vary together.
    pub zip: bool,
    /// The times that do not count.
    pub discard: Option<Discard>,
    /// Whether each member has means of its own.
    pub per_member: bool,
    /// The parameter along which members exchange their states, and the steps between two exchanges.
    pub exchange: Option<(&'a str, u32)>,
    /// The part of the members.
    pub shard: Shard,
}

impl Sweep {
    /// Lets all members begin with the arrays that this simulation was built with ([`SimulationBuilder::initial`]). The folder of the sweep keeps them.
    ///
    /// # Errors
    /// If members have other domains than the simulation, it is not at its beginning, or the machine fails.
    ///
    /// [`SimulationBuilder::initial`]: squeeze_engine::simulation::SimulationBuilder::initial
    pub fn begin_as(&mut self, first: &Simulation) -> Result<()> {
        if !self.is_of_one_domain() || first.time() > 0 || first.domain().level() != self.level {
            let what = "members begin as a simulation of their own domain does, at time 0, and all have one domain";
            return Err(Message::users(what).into());
        }
        let names: Vec<&str> = first.initial().collect();
        self.begin_with(names.iter().map(|name| format!("{name}={MEMORY}")).collect(), Given::of(first, &names)?);
        Ok(())
    }

    /// Lets all members begin with the values that these settings name.
    #[doc(hidden)]
    pub fn begin_with(&mut self, init: Vec<String>, given: Given) {
        (self.init, self.given, self.values) = (init, given.digests(), Some(Arc::new(given)));
    }

    /// Checks these wishes, on one domain or on a fractal at several levels. These collectors gather the data that the rule asks for beside observables.
    ///
    /// # Errors
    /// If there is no domain, lists of values are none or do not go together, the rule lacks a parameter, observes nothing, or asks for what no
    /// collector gathers.
    pub fn new(
        fractal: Texts,
        rule_texts: Texts,
        rule: &Rule,
        domains: &[Domain],
        steps: u32,
        wishes: Wishes<'_>,
        collectors: &[&dyn Collector],
    ) -> Result<Sweep> {
        let _mode = DefaultMode::enter();
        if rule.observables.is_empty() && rule.overlaps.is_empty() {
            let what = format!("the rule `{}` observes nothing, so a sweep of it has no result", rule.name);
            return Err(Message::users(what).with_help("add `observe NAME = sum(…)` to the rule").into());
        }
        Discard::check(wishes.discard, steps)?;
        let seeds = seeds_of("seeds", wishes.seeds)?;
        let disorder = wishes.disorder.map_or(Ok(Vec::new()), |list| seeds_of(DISORDER, list))?;
        if disorder.len() > 1 && !rule.overlaps.is_empty() {
            let what =
                "members of other disorder have no overlap: `--disorder` takes one seed where a rule observes overlaps";
            return Err(Message::users(what).into());
        }
        let (mut params, mut axes): (Vec<String>, Vec<Axis>) = (Vec::new(), Vec::new());
        for setting in wishes.settings {
            let (name, list) = setting.split_once('=').ok_or_else(|| ParamError::Form(setting.clone()))?;
            let name = name.trim();
            // Values are as the rule's type has them: 0.40 and 0.4 are one value. Values for domains are as they are written.
            let value = |value: String| -> Result<String> {
                if is_of_domain(name) {
                    return Ok(value);
                }
                let (_, value) = params::read(rule, &format!("{name}={value}"))?;
                Ok(param_as_text(rule, value))
            };
            let values: Vec<String> = values_of(name, list)?.into_iter().map(value).collect::<Result<_>>()?;
            if !wishes.zip {
                twice(name, &values)?;
            }
            if let [value] = values.as_slice() {
                params.push(format!("{name}={value}"));
            } else {
                axes.push(Axis { name: name.to_owned(), values });
            }
        }
        let Some(domain) = domains.first() else {
            return Err(Message::users("a sweep has at least one domain").into());
        };
        if domains.len() > 1 {
            let levels: Vec<String> = domains.iter().map(|domain| domain.level().to_string()).collect();
            twice(LEVEL, &levels)?;
            let columns = |domain| [false, true].map(|at_end| totals::columns(rule, domain, at_end));
            let apart = if !rule.overlaps.is_empty() {
                Some("members of different levels have no overlap")
            } else if domains[1..].iter().any(|other| columns(other) != columns(domain)) {
                Some("lists of observables have other lengths at another level")
            } else {
                None
            };
            if let Some(reason) = apart {
                let what = format!("a sweep of several levels is not possible here: {reason}");
                return Err(Message::users(what).with_help("make a sweep of each level").into());
            }
            axes.insert(0, Axis { name: LEVEL.to_owned(), values: levels });
        }
        let mut sweep = Sweep {
            fractal,
            cells: BTreeMap::new(),
            rule: rule_texts.with_inputs_of(rule),
            level: domain.level(),
            steps,
            seeds,
            disorder,
            params,
            axes,
            zip: wishes.zip,
            init: Vec::new(),
            values: None,
            given: BTreeMap::new(),
            observables: totals::columns(rule, domain, false),
            at_end: totals::columns(rule, domain, true),
            unsealed: false,
            other_draws: false,
            gathered: Map::new(),
            stops: rule.stop.is_some(),
            observe_at: wishes.observe_at.cloned(),
            observe_every: wishes.observe_every.unwrap_or((steps / 1000).max(1)),
            discard: wishes.discard,
            per_member: wishes.per_member,
            exchange: wishes.exchange.map(|(parameter, every)| Exchange::new(parameter, every)),
            shard: wishes.shard,
        };
        if let Some(reason) = sweep.cannot_zip() {
            return Err(Message::users(format!("`--zip` lets parameters vary together, and {reason}")).into());
        }
        let count = sweep.count();
        if count > MOST_MEMBERS as u128 {
            let what = format!("the sweep would have {count} members; there may be {MOST_MEMBERS}");
            return Err(Message::users(what).into());
        }
        // A parameter that follows from others may leave its range at some of their values and not at others.
        let is_bounded = rule.params.iter().any(|param| param.range.is_some() && param.derived.is_some());
        for combination in 0..if is_bounded { sweep.combinations() } else { 1 } {
            params::resolve(rule, &sweep.member(combination * sweep.repeats()).1)?;
        }
        sweep.check_exchange(rule)?;
        for collector in collectors {
            if let Some(wanted) = collector.wanted(rule, domain, sweep.members())? {
                sweep.gathered.insert(collector.name().to_owned(), wanted);
            }
        }
        if !rule.overlaps.is_empty() && !sweep.gathered.contains_key(OVERLAPS) {
            return Err(collector::nobody_gathers(OVERLAPS).into());
        }
        Ok(sweep)
    }

    /// The axes of parameters.
    fn params_that_vary(&self) -> &[Axis] {
        &self.axes[usize::from(self.axes.first().is_some_and(|axis| axis.name == LEVEL))..]
    }

    /// Why parameters cannot vary together, if they are to and cannot.
    fn cannot_zip(&self) -> Option<String> {
        match self.params_that_vary() {
            _ if !self.zip => None,
            [] | [_] => Some("fewer than two parameters have several values".to_owned()),
            [first, others @ ..] => {
                let other = others.iter().find(|other| other.values.len() != first.values.len())?;
                let [one, two] = [first, other].map(|axis| format!("`{}` has {}", axis.name, axis.values.len()));
                Some(format!("{one} values and {two}"))
            }
        }
    }

    /// The number of values along each independent axis. Parameters that vary together are one axis.
    fn lengths(&self) -> impl DoubleEndedIterator<Item = usize> {
        let together = if self.zip { self.params_that_vary().len().saturating_sub(1) } else { 0 };
        self.axes[..self.axes.len() - together].iter().map(|axis| axis.values.len())
    }

    /// The number of members, which may be more than there can be.
    fn count(&self) -> u128 {
        self.lengths().fold(self.repeats() as u128, |count, values| count.saturating_mul(values as u128))
    }

    /// The number of members, of all parts.
    pub fn members(&self) -> usize {
        self.combinations() * self.repeats()
    }

    /// How many members have the same values: one for each seed and each seed of disorder, of which the former change fastest.
    pub fn repeats(&self) -> usize {
        self.seeds.len() * self.disorder.len().max(1)
    }

    /// The seed of a member's disorder, unless it is the member's.
    pub(crate) fn disorder_of(&self, member: usize) -> Option<u64> {
        self.disorder.get(member / self.seeds.len() % self.disorder.len().max(1)).copied()
    }

    /// The texts and settings of a member's domain.
    pub(crate) fn fractal_of(&self, member: usize) -> Texts {
        let (seed, _) = self.member(member);
        let disorder = self.fractal.disorder.map(|_| self.disorder_of(member).unwrap_or(seed));
        let params: Vec<String> = self.settings(member).filter(|setting| is_of_domain(setting)).collect();
        if disorder == self.fractal.disorder && params == self.fractal.params {
            return self.fractal.clone();
        }
        self.of_settings(&CellSettings { params, disorder: disorder.unwrap_or(0) })
    }

    /// The texts and settings of a domain with these settings, which is not the first member's.
    fn of_settings(&self, settings: &CellSettings) -> Texts {
        let CellSettings { params, disorder } = settings.clone();
        let disorder = self.fractal.disorder.map(|_| disorder);
        Texts { params, disorder, cells: self.cells.get(settings).copied(), ..self.fractal.clone() }
    }

    /// Checks that members draw by the numbers that others were computed with.
    ///
    /// # Errors
    /// If they draw on masks and boxes, and the numbers have changed.
    fn check_draws(&self) -> Result<()> {
        if self.other_draws { self.fractal.check_draws(&self.rule) } else { Ok(()) }
    }

    /// Checks that all domains have the cells that members were computed with, as far as they draw them, and that members draw as they did.
    ///
    /// # Errors
    /// If the cells differ from the recorded ones, or none were recorded; and as [`check_draws`](Self::check_draws).
    fn check_cells(&self) -> Result<()> {
        self.check_draws()?;
        self.fractal.fractal_of_known_cells()?;
        let mut domains = self.cells.keys().map(|settings| self.of_settings(settings));
        domains.try_for_each(|texts| texts.fractal().map(drop))
    }

    /// Whether all members have the same cells.
    pub fn is_of_one_domain(&self) -> bool {
        let of_disorder = if self.disorder.is_empty() { self.seeds.len() } else { self.disorder.len() };
        self.axes.iter().all(|axis| axis.name != LEVEL && !is_of_domain(&axis.name))
            && !(self.fractal.disorder.is_some() && of_disorder > 1)
    }

    /// How many combinations of values there are.
    pub fn combinations(&self) -> usize {
        self.lengths().product()
    }

    /// The numbers of the members that are computed here.
    pub fn own_members(&self) -> impl Iterator<Item = usize> + use<> {
        let (Shard { index, count }, ladders) = (self.shard, self.ladders());
        let number = move |member: usize| ladders.as_ref().map_or(member, |ladders| ladders.of(member).0);
        (0..self.members()).filter(move |member| number(*member) % count as usize == index as usize - 1)
    }

    /// The values of the parameters that vary, in the order of the axes.
    pub fn values(&self, combination: usize) -> Vec<&str> {
        let mut rest = combination;
        let number = |values: usize| {
            let number = rest % values;
            rest /= values;
            number
        };
        let mut numbers: Vec<usize> = self.lengths().rev().map(number).collect();
        numbers.reverse();
        // Parameters that vary together go along with the first of them.
        let last = numbers.last().copied().unwrap_or(0);
        let numbers = numbers.into_iter().chain(std::iter::repeat(last));
        self.axes.iter().zip(numbers).map(|(axis, number)| axis.values[number].as_str()).collect()
    }

    /// The levels of all members, in their order.
    pub fn levels(&self) -> Vec<u32> {
        match self.axes.first().filter(|axis| axis.name == LEVEL) {
            Some(axis) => axis.values.iter().filter_map(|level| level.parse().ok()).collect(),
            None => vec![self.level],
        }
    }

    /// The number of the level of a member, among all of them.
    fn level_number(&self, member: usize) -> usize {
        member * self.levels().len() / self.members()
    }

    /// The seed of a member and its settings of the rule's parameters.
    pub fn member(&self, number: usize) -> (u64, Vec<String>) {
        let settings = self.settings(number).filter(|setting| !is_of_domain(setting)).collect();
        (self.seeds[number % self.seeds.len()], settings)
    }

    /// The settings of a member, those of domains among them.
    fn settings(&self, member: usize) -> impl Iterator<Item = String> {
        let values = self.values(member / self.repeats());
        let params = self.axes.iter().zip(values).filter(|(axis, _)| axis.name != LEVEL);
        let varied = params.map(|(axis, value)| format!("{}={value}", axis.name));
        self.params.iter().cloned().chain(varied)
    }

    /// The times at which observables are taken.
    pub fn times(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        let (steps, every) = (self.steps, self.observe_every);
        match &self.observe_at {
            Some(times) => {
                let end = (!times.contain(steps)).then_some(steps);
                Box::new(times.up_to(steps).chain(end))
            }
            None => {
                let end = (!steps.is_multiple_of(every)).then_some(steps);
                Box::new((0..=steps / every).map(move |i| i * every).chain(end))
            }
        }
    }

    /// The names of all columns of means: the observables over time, and those of the end.
    pub fn columns(&self) -> Vec<String> {
        [&self.observables[..], &self.at_end].concat()
    }

    /// The last step that does not count, as far as it is known.
    pub fn discarded(&self) -> Option<u32> {
        match self.discard {
            Some(Discard::Steps(discard)) => Some(discard),
            Some(Discard::Auto) | None => None,
        }
    }

    /// Steps between two samples; NaN if they are not evenly spaced.
    pub(crate) fn sample_distance(&self) -> f64 {
        if self.observe_at.is_some() { f64::NAN } else { f64::from(self.observe_every) }
    }
}

/// The values of a list. Values of a domain's parameter, whose type is not known yet, are floats if one of them is, since they make a column.
fn values_of(name: &str, list: &str) -> Result<Vec<String>> {
    let values = values::list(name, list)?;
    let floats: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
    match floats {
        Some(floats) if is_of_domain(name) && values.iter().any(|value| value.parse::<i64>().is_err()) => {
            Ok(floats.into_iter().map(float).collect())
        }
        _ => Ok(values),
    }
}

/// The values of a list that is written as those of a sweep are.
///
/// # Errors
/// If it is none.
pub(crate) fn list_of(name: &str, list: &str) -> Result<Vec<String>> {
    values_of(name, list)
}

/// Reads a list of seeds.
fn seeds_of(name: &str, list: &str) -> Result<Vec<u64>> {
    let mut seeds = Vec::new();
    for text in values::list(name, list)? {
        let wrong = |_| values::wrong(name, &text, &format!("seeds are whole numbers from 0 to {}", u64::MAX));
        seeds.push(text.parse().map_err(wrong)?);
    }
    twice(name, &seeds)?;
    Ok(seeds)
}

/// The settings of the first member's domain that decide its cells.
///
/// # Errors
/// If a list of values is none.
pub fn first_cells(settings: &[String], seeds: &str, disorder: Option<&str>) -> Result<CellSettings> {
    let first = |setting: &String| {
        let (name, list) = setting.split_once('=').ok_or_else(|| ParamError::Form(setting.clone()))?;
        let value = values_of(name.trim(), list)?.swap_remove(0);
        Ok(format!("{}={value}", name.trim()))
    };
    let of_domains = settings.iter().filter(|setting| is_of_domain(setting));
    let disorder = disorder.map_or_else(|| seeds_of("seeds", seeds), |list| seeds_of(DISORDER, list))?[0];
    Ok(CellSettings { params: of_domains.map(first).collect::<Result<_>>()?, disorder })
}

/// Reads a list of levels, such as `3,4` or `2..=5`.
///
/// # Errors
/// If it is none.
pub fn levels(text: &str) -> Result<Vec<u32>> {
    let valid = "levels are whole numbers from 0 to the largest whose cells can be counted in 64 bits";
    let level = |level: &String| Ok(level.parse().map_err(|_| values::wrong(LEVEL, text, valid))?);
    values::list(LEVEL, text)?.iter().map(level).collect()
}

/// Which of the things that vary curves go along: the first parameter. Each level has a curve of its own, unless nothing else varies.
pub(crate) fn along(names: &[impl AsRef<str>]) -> Option<usize> {
    names.iter().position(|name| name.as_ref() != LEVEL).or(names.len().checked_sub(1))
}

/// Refuses a value that is there twice.
fn twice<T: Ord + std::fmt::Display>(name: &str, values: &[T]) -> Result<()> {
    let mut sorted: Vec<&T> = values.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            let what = format!("the value {} of `{name}` is there twice", pair[0]);
            Err(Message::users(what).with_help("each value makes members of its own: name it once").into())
        }
        None => Ok(()),
    }
}
