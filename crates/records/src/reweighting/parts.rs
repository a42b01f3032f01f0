//! Columns of systems with the autocorrelation times of their samples, and the parts of the data that are left out for errors.

use super::{CurveColumn, FEWEST_SEEDS, Reweighted, STRETCHES, System, TIMES};
use crate::statistics::reweight::{Chain, Pool, Reweighting};
use crate::statistics::{self, Combination, Member, Point, Unknown};
use crate::sweep::Group;
use squeeze_engine::failure::{Message, Result};
use squeeze_host::numbers::{grouped, three_digits};
use std::collections::{BTreeMap, BTreeSet};

/// A column of a system, whose samples have autocorrelation times.
pub(super) struct ColumnOfSystem<'a> {
    pub(super) system: &'a System,
    groups: &'a [Group],
    pub(super) column: &'a CurveColumn,
    /// By value the series of the observable's powers.
    points: Vec<Point<'a>>,
    /// By pool and value how many samples count for one.
    inefficiencies: Vec<Vec<f64>>,
    /// The longest autocorrelation time.
    slowest: f64,
    /// The fewest samples of a member.
    shortest: usize,
}

/// The parts of the data of which one after the other is left out.
pub(super) enum Parts {
    Seeds(Vec<u64>),
    Disorders(Vec<u64>),
    /// Stretches of time, and their number.
    Stretches(usize),
    /// No parts would tell an error.
    None(Unknown),
}

impl Reweighted {
    pub(super) fn prepare<'a>(&'a self, system: &'a System, column: &'a CurveColumn) -> Result<ColumnOfSystem<'a>> {
        let members = || system.groups.iter().map(|group| &*self.groups[*group].members);
        let (combination, observable) = (column.combination, column.observable);
        let pivot = members().next().map_or(0.0, |first| combination.pivot(first, observable));
        let points: Vec<Point<'a>> =
            members().map(|members| combination.powers_about(members, observable, pivot)).collect();
        let states = system.places.len();
        let (mut inefficiencies, mut slowest) = (Vec::new(), 0.0f64);
        for pool in &system.pools {
            let mut own = Vec::new();
            for (at, point) in points.iter().enumerate() {
                let members = || pool.members.iter().filter(|(own, ..)| *own == at);
                let logs: Vec<Vec<f64>> = members()
                    .map(|(.., kinds)| kinds.iter().map(|kind| pool.logs[*kind as usize * states + at]).collect())
                    .collect();
                let mut series: Vec<Vec<&[f64]>> = vec![logs.iter().map(Vec::as_slice).collect()];
                for power in 0..column.combination.powers().len() {
                    series.push(members().map(|(_, number, _)| &*point[*number].columns[power]).collect());
                }
                let mut tau: f64 = 0.5;
                for series in &series {
                    match statistics::autocorrelation_time(series) {
                        Some(found) => tau = tau.max(found),
                        None => return Err(self.too_short(system, column, at, series).into()),
                    }
                }
                slowest = slowest.max(tau);
                own.push((2.0 * tau).max(1.0));
            }
            inefficiencies.push(own);
        }
        let lengths = system.pools.iter().flat_map(|pool| &pool.members).map(|(.., kinds)| kinds.len());
        let shortest = lengths.min().unwrap_or(0);
        Ok(ColumnOfSystem { system, groups: &self.groups, column, points, inefficiencies, slowest, shortest })
    }

    fn too_short(&self, system: &System, column: &CurveColumn, at: usize, series: &[&[f64]]) -> Message {
        let longest = series.iter().map(|series| series.len()).max().unwrap_or(0);
        let what = format!(
            "{} samples of a member do not tell the autocorrelation time of `{}` or of the weight at {} = {}{} in `{}`",
            grouped(longest as u64),
            column.name,
            self.parameter,
            system.texts[at],
            if system.words().is_empty() { String::new() } else { format!(", {}", system.words()) },
            self.path.display()
        );
        Message::users(what).with_help("more steps would, or observations that are farther apart")
    }
}

impl Parts {
    /// Parts that all systems have: seeds or disorders where there are eight of them, else stretches of time.
    pub(super) fn of(made: &Reweighted, all: &[&ColumnOfSystem<'_>]) -> Result<Parts> {
        let (mut seeds, mut disorders): (Vec<BTreeSet<u64>>, Vec<BTreeSet<u64>>) = (Vec::new(), Vec::new());
        for prepared in all {
            let members = prepared.system.pools.iter().flat_map(|pool| &pool.members);
            seeds.push(members.map(|(at, number, _)| prepared.member(*at, *number).seed).collect());
            disorders.push(prepared.system.pools.iter().map(|pool| pool.disorder).collect());
        }
        let fewest = |sets: &[BTreeSet<u64>]| sets.iter().map(BTreeSet::len).min().unwrap_or(0);
        let union =
            |sets: Vec<BTreeSet<u64>>| sets.into_iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
        let (of_seeds, of_disorders) = (fewest(&seeds), fewest(&disorders));
        if disorders.iter().any(|set| set.len() > 1) {
            // A seed that goes with several disorders makes these depend on each other.
            let is_own = |prepared: &&ColumnOfSystem<'_>| {
                let mut of_seed: BTreeMap<u64, u64> = BTreeMap::new();
                prepared.system.pools.iter().all(|pool| {
                    let mut seeds = pool.members.iter().map(|(at, number, _)| prepared.member(*at, *number).seed);
                    seeds.all(|seed| *of_seed.entry(seed).or_insert(pool.disorder) == pool.disorder)
                })
            };
            if !all.iter().all(is_own) {
                return Ok(Parts::None(Unknown::Crossed { seeds: of_seeds, disorders: of_disorders }));
            }
            return Ok(match of_disorders >= FEWEST_SEEDS {
                true => Parts::Disorders(union(disorders)),
                false => Parts::None(Unknown::Short { members: of_disorders, fewest: FEWEST_SEEDS }),
            });
        }
        if of_seeds >= FEWEST_SEEDS {
            return Ok(Parts::Seeds(union(seeds)));
        }
        let (mut stretches, mut short) = (STRETCHES.1, None);
        for prepared in all {
            let own = (prepared.shortest as f64 / (TIMES * prepared.slowest)) as usize;
            if own < stretches {
                (stretches, short) = (own, Some(prepared));
            }
        }
        match short.filter(|_| stretches < STRETCHES.0) {
            None => Ok(Parts::Stretches(stretches)),
            Some(prepared) => {
                let words = prepared.system.words();
                let needed = STRETCHES.0 as f64 * TIMES * prepared.slowest;
                let what = format!(
                    "`{}` in `{}`{} has no error: {} stretches of {TIMES} autocorrelation times need {} samples of each member, and there are {}",
                    prepared.column.name,
                    made.path.display(),
                    if words.is_empty() { String::new() } else { format!(" ({words})") },
                    STRETCHES.0,
                    grouped(needed.ceil() as u64),
                    grouped(prepared.shortest as u64)
                );
                let help = format!(
                    "{FEWEST_SEEDS} or more seeds tell errors by themselves, and so do {} times as many steps",
                    three_digits(needed / prepared.shortest.max(1) as f64)
                );
                Err(Message::users(what).with_help(help).into())
            }
        }
    }

    /// An error that was found, or why there is none.
    pub(super) fn error(&self, found: Result<f64, Unknown>) -> (f64, Option<Unknown>) {
        match (self, found) {
            (Parts::None(unknown), _) => (f64::NAN, Some(*unknown)),
            (_, Ok(error)) => (error, None),
            (_, Err(unknown)) => (f64::NAN, Some(unknown)),
        }
    }
}

impl ColumnOfSystem<'_> {
    fn member(&self, at: usize, number: usize) -> &Member<'static> {
        &self.groups[self.system.groups[at]].members[number]
    }

    /// Its samples, counted by parts.
    pub(super) fn reweighting(&self, parts: &Parts) -> Reweighting<'_> {
        let system = self.system;
        let place = |all: &[u64], key: u64| all.iter().position(|own| *own == key);
        let pools = system.pools.iter().zip(&self.inefficiencies).map(|(pool, inefficiencies)| {
            let chains = pool.members.iter().map(|(at, number, kinds)| Chain {
                at: *at,
                unit: match parts {
                    Parts::Seeds(all) => place(all, self.member(*at, *number).seed),
                    Parts::Disorders(all) => place(all, pool.disorder),
                    Parts::Stretches(_) => None,
                    Parts::None(_) => Some(0),
                },
                kinds: kinds.as_slice(),
                powers: self.points[*at][*number].columns.iter().map(|column| &**column).collect(),
            });
            let chains: Vec<Chain<'_>> = chains.collect();
            let stretches = if let Parts::Stretches(stretches) = parts { *stretches } else { 1 };
            Pool::new(&pool.kinds, (&system.places, &pool.logs), inefficiencies.clone(), &chains, stretches)
        });
        let (units, edge) = match parts {
            Parts::Seeds(all) | Parts::Disorders(all) => (all.len(), 0.0),
            Parts::Stretches(stretches) => (*stretches, self.slowest * *stretches as f64 / self.shortest.max(1) as f64),
            Parts::None(_) => (0, 0.0),
        };
        let is_inside = self.column.combination == Combination::Fluctuation && system.pools.len() > 1;
        Reweighting { pools: pools.collect(), weight: &system.weight, units, edge, is_inside }
    }
}
