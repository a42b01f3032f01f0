//! The messages of ranks in a pass, counted before anything runs. They hold the columns that engines exchange.

use super::choice::{layouts, too_small, why_undivided};
use crate::packed;
use crate::states::ghosts::ghosts_read;
use crate::states::{ColumnSpan, cells_alone};
use crate::{EngineError, Result};
use rayon::prelude::*;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::StateId;
use squeeze_compiler::kernel::Interface;
use squeeze_compiler::layout::unit::{Slot, Unit};
use squeeze_compiler::layout::{Geometry, Storage};
use squeeze_compiler::passes::Ready;
use squeeze_compiler::plan::{Plan, candidates};
use squeeze_compiler::target::Machine;
use squeeze_compiler::{Program, Refused, Target, compile};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The messages that one rank sends in a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankTraffic {
    /// The ranks that it sends something to,
    pub peers: u64,
    /// the messages, one to each of them before each kernel,
    pub messages: u64,
    /// and the bytes of the columns in them.
    pub bytes: u64,
    /// The bytes of its part of the states, in one buffer.
    pub state_bytes: u64,
    /// The bytes that it takes of others,
    pub taken: u64,
    /// its superblocks, or its rows,
    pub units: u64,
    /// and the longest run of them that reads nothing of others, in any of its kernels.
    pub inner: u64,
}

impl RankTraffic {
    /// The bytes of memory for columns on their way: GPUs take it twice, for those that are taken in turns.
    pub fn link_bytes(&self) -> u64 {
        2 * self.taken
    }
}

/// The time that a pass is expected to take, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// All of it,
    pub pass: f64,
    /// of which a rank, the slowest, waits for columns and starts kernels and messages,
    pub waits: f64,
    /// and as many steps by one process on one machine, if it has room for the domain.
    pub alone: f64,
}

/// The messages between ranks in a pass, and the program by which they compute.
pub struct Traffic {
    /// The program, of the whole domain.
    pub program: Program,
    /// The time steps of a pass of a rank,
    pub steps_of_pass: u32,
    /// and of a rank with more rows, if there are too few.
    pub steps_of_thick: u32,
    /// Each rank.
    pub ranks: Vec<RankTraffic>,
}

impl Traffic {
    /// The messages between ranks on machines of a target, in the layout that they choose there if there is room for it.
    ///
    /// # Errors
    /// If the rule or the domain cannot be divided among them, or has no kernels.
    pub fn of(rule: &FittedRule, target: &Target, ranks: u32) -> Result<Traffic> {
        let refused = |why: String| Err(EngineError::Undivided(why));
        if let Some(why) = why_undivided(rule) {
            return refused(why);
        }
        let program = program(rule, target, ranks)?;
        let parts: Vec<Plan> =
            (0..ranks).into_par_iter().map(|rank| program.plan.clone().cut(rule, (rank, ranks), None)).collect();
        let (steps_of_pass, steps_of_thick) = (parts[0].steps_of_pass(), parts[0].steps_of_whole());
        let times = steps_of_pass / program.plan.steps;
        let parts: Vec<Arc<Storage>> = parts.iter().map(|plan| Arc::clone(&plan.storage)).collect();
        if parts.iter().any(|part| part.owned().is_empty()) {
            return refused(too_small(rule.domain(), ranks));
        }
        let units: Vec<Range<u32>> = parts.iter().map(|part| part.part.units().clone()).collect();
        let of_part = |part: &Arc<Storage>| {
            let of_row = match &part.geometry {
                Geometry::Replicas(_) => 1,
                Geometry::Rows(grid) => grid.columns_of_row(),
            };
            RankTraffic { units: part.part.owned().div_ceil(of_row) as u64, inner: u64::MAX, ..RankTraffic::default() }
        };
        let mut all: Vec<RankTraffic> = parts.iter().map(of_part).collect();
        let mut peers = vec![BTreeSet::new(); parts.len()];
        let interfaces: Vec<&Interface> = program.steps.iter().map(Ready::interface).collect();
        // Several steps of rows are computed without an exchange between their kernels.
        let exchanges = if times > 1 { vec![&interfaces[..]] } else { interfaces.chunks(1).collect() };
        for interfaces in exchanges {
            let takes: Vec<(BTreeMap<usize, u64>, u64)> = parts
                .par_iter()
                .map(|part| {
                    let storage = (&**part, rule.domain().dimension());
                    let times = times * interfaces.len() as u32;
                    let interfaces = interfaces.iter().copied();
                    let read = ghosts_read(storage, (interfaces, times), program.plan.states().len());
                    let ghosts: BTreeMap<Slot, Unit> = part.ghosts().collect();
                    let mut takes = BTreeMap::new();
                    let inner = read.inner.len() as u64;
                    for span in &read.columns {
                        let owner = units.iter().position(|units| units.contains(&ghosts[&span.slot].0));
                        owner.into_iter().for_each(|owner| {
                            *takes.entry(owner).or_default() += bytes_of(&program, part, span);
                        });
                    }
                    (takes, inner)
                })
                .collect();
            for (rank, (takes, inner)) in takes.iter().enumerate() {
                all[rank].inner = all[rank].inner.min(*inner);
                for (other, bytes) in takes {
                    all[*other].bytes += bytes;
                    all[rank].taken += bytes;
                    // Who gives and does not take sends all the same, and so the other way.
                    for (from, to) in [(rank, *other), (*other, rank)] {
                        peers[from].insert(to);
                    }
                }
            }
            for (rank, of_rank) in peers.iter_mut().enumerate() {
                all[rank].peers = all[rank].peers.max(of_rank.len() as u64);
                all[rank].messages += of_rank.len() as u64;
                of_rank.clear();
            }
        }
        let states: Vec<u64> = parts.iter().map(|part| state_bytes(&program, part)).collect();
        all.iter_mut().zip(states).for_each(|(rank, bytes)| rank.state_bytes = bytes);
        Ok(Traffic { program, steps_of_pass, steps_of_thick, ranks: all })
    }

    /// The time that a pass is expected to take on such machines; `None` if the model knows nothing of such passes: of layouts that it did not judge, and
    /// of parts that compute fewer steps in a pass than the whole. `whole` is the machine that one process has for itself.
    pub fn pass_time(&self, machine: &Machine, whole: &Machine) -> Option<PassTime> {
        let (plan, domain) = (&self.program.plan, self.program.rule.domain());
        if plan.estimate.cost == 0.0 || self.steps_of_pass < self.steps_of_thick {
            return None;
        }
        let (ranks, cells) = (self.ranks.len() as u32, domain.cells() as f64);
        let machine = machine.of_ranks(ranks);
        let steps = f64::from(self.steps_of_pass);
        // Nanoseconds. Of rows there is one estimate, which knows nothing of ranks.
        let computing = plan.estimate.cost / 1000.0 * cells / f64::from(ranks) * steps - plan.estimate.wait;
        let of_rank = |rank: &RankTraffic| {
            let border = 1.0 - rank.inner.min(rank.units) as f64 / rank.units.max(1) as f64;
            machine.wait(computing, border, (rank.peers as f64, rank.bytes.max(rank.taken) as f64))
        };
        let waits = self.ranks.iter().map(of_rank).fold(0.0, f64::max);
        // Other layouts may suit one alone.
        let best = domain
            .levels()
            .and_then(|_| candidates(domain, &self.program.rule, &whole.of_ranks(1), 1).into_iter().next());
        let alone = best.map_or(plan.estimate.cost, |best| best.estimate.cost) / 1000.0 * cells * steps;
        Some(PassTime { pass: (computing + waits) * 1e-9, waits: waits * 1e-9, alone: alone * 1e-9 })
    }
}

/// The program by which ranks compute, of the whole domain.
fn program(rule: &FittedRule, target: &Target, ranks: u32) -> Result<Program> {
    let compiled = |target: &Target| compile(rule, target, Ok::<_, Refused<EngineError>>);
    if rule.domain().levels().is_none() {
        return compiled(target);
    }
    let mut first = None;
    for choice in layouts(rule, &target.machine, ranks) {
        match compiled(&target.clone().demanding(Some(choice))) {
            Err(error @ (EngineError::NoKernel { .. } | EngineError::Memory { .. })) => _ = first.get_or_insert(error),
            made => return made,
        }
    }
    Err(first.unwrap_or_else(|| EngineError::Undivided(too_small(rule.domain(), ranks))))
}

/// The bytes of columns in a message.
fn bytes_of(program: &Program, part: &Storage, span: &ColumnSpan) -> u64 {
    match cells_alone(part, span) {
        Some((_, cells)) => packed::bytes(program.rule.state(StateId(span.state)).ty, cells.end - cells.start),
        None => span.bytes(&program.plan.states()[usize::from(span.state)].columns).len() as u64,
    }
}

/// The bytes of one buffer of the states of a part's own units.
fn state_bytes(program: &Program, part: &Storage) -> u64 {
    let units = part.owned().len() as u64;
    program.plan.states().iter().map(|state| units * state.columns.block as u64).sum()
}
