//! Members of an ensemble as lanes of the same columns, for small systems that draw nothing in their steps.
//!
//! A member that is small fills no vector registers by itself. Here a column holds the same cell of many members, so that registers are full whatever the
//! fractal is, no lane ever moves, and finding a superblock's neighbours serves all. Members go in groups, each of which computes all steps of
//! a call before the next one does, so that its states stay in a cache; threads share out the groups. Simulations of one member
//! with lanes of its own compute the initial states.

mod lanes;

use super::neighbours::HostNeighbours;
use super::storage::HostStorage;
use super::{Cpu, Prepared};
use crate::options::{ALONE, WatchedFrom};
use crate::packed;
use crate::sample::Sample;
use crate::states::{Field, States};
use crate::{About, Engine, EngineError, EngineOptions, MemberInputs, Result, Run, are_alike, check_inputs, install};
use lanes::{bits, digest_of, scatter};
use rayon::ThreadPool;
use rayon::prelude::*;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::pipeline::compile_plan;
use squeeze_compiler::plan::{self, Plan};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::{CompileError, Compiled, Speciality};
use std::ops::Range;
use std::sync::Arc;

/// All members.
struct Together {
    groups: Vec<Group>,
    /// Members of a group; the last one may have fewer.
    size: usize,
    members: usize,
    /// What computes initial states.
    alone: Cpu,
    pool: Arc<ThreadPool>,
}

/// Members whose states stand in the same columns: a simulation whose lanes they are.
struct Group {
    cpu: Cpu,
    members: usize,
}

/// Compiles kernels whose lanes are members and computes the initial states; `None` where members had better be computed one by one, or
/// do not fit in memory.
///
/// # Errors
/// As [`Cpu::new`].
pub(crate) fn together(
    rule: &FittedRule,
    members: &[MemberInputs],
    options: EngineOptions,
) -> Result<Option<Box<dyn Engine>>> {
    let isa = options.available_isa()?;
    // The same machine as of the layout that it is compared with.
    let target =
        super::target(1, isa, options.hardware.as_ref()).without(options.off).demanding(options.choice.clone());
    let can_be_lanes = plan::can_be_lanes(rule, &target, members.len()) && are_alike(members);
    if !can_be_lanes || options.ahead_of_time.is_some() {
        return Ok(None);
    }
    let (limit, off, first) = (options.host_limit(), options.off, &members[0]);
    let activity = options.watched != WatchedFrom::Never;
    let alone = EngineOptions { cells_worth_threads: ALONE, choice: None, ..options };
    let alone = Cpu::new(rule, first.seed, &first.params, alone)?;
    let pool = Arc::clone(&alone.pool);
    let (count, cost_alone) = ((members.len(), pool.current_num_threads()), alone.prepared.plan.candidate.cost);
    for (candidate, size) in plan::member_lanes(rule, &target, count, cost_alone) {
        let compiled = match compile_plan(rule, Plan::of_members(rule, candidate, size), &target) {
            Err(CompileError::NoKernel { .. }) => continue,
            compiled => compiled?,
        };
        if compiled.observes_far {
            continue;
        }
        let Compiled { plan, steps, .. } = compiled;
        // The groups share their neighbour table.
        let others = plan.state_bytes() * (members.len().div_ceil(size) - 1) as u128 + u128::from(alone.states.bytes());
        if plan.bytes(&target) + others > u128::from(limit) {
            return Ok(None);
        }
        let neighbours = install(&pool, || HostNeighbours::of_members(plan.layout().clone(), size, ALONE, isa, off));
        let storage = HostStorage::Replicas(Box::new(neighbours));
        let prepared = match Prepared::new(rule, plan, &target, storage).with_kernels(None, &steps) {
            Err(EngineError::LargeKernel { .. }) => continue,
            prepared => Arc::new(prepared?),
        };
        let group = |members: &[MemberInputs]| {
            let cpu = Cpu::of(Arc::clone(&prepared), &members[0], Arc::clone(&pool), activity)?;
            Ok(Group { cpu, members: members.len() })
        };
        let all = members.chunks(size).map(group).collect::<Result<_>>()?;
        let mut together = Together { groups: all, size, members: members.len(), alone, pool };
        together.begin(members)?;
        Speciality::MemberLanes.reached();
        return Ok(Some(Box::new(together)));
    }
    Ok(None)
}

impl Group {
    /// Gives a lane the states of a member alone.
    fn take(&mut self, lane: usize, from: &States) {
        let cells = from.storage().cells();
        for state in (0..from.fields().len() as u16).map(StateId) {
            let mut bytes = vec![0; from.packed_bytes(state, cells)];
            from.read(state, 0..cells, &mut bytes);
            scatter(self.cpu.states.field_mut(state), lane, 0..cells, &bytes);
        }
    }

    /// The reductions of these numbers, all of the first round, of each of its members.
    fn reductions(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let Cpu { prepared, states, time, .. } = &self.cpu;
        let mut values = prepared.reduce(states, self.cpu.globals(*time), which, 1, &|reducer| reducer.of_lanes())?;
        values.truncate(self.members);
        Ok(values)
    }
}

impl Together {
    /// Computes the initial states of members, as many as there are.
    fn begin(&mut self, members: &[MemberInputs]) -> Result<()> {
        let (alone, size) = (&self.alone, self.size);
        let of_group = |(group, members): (&mut Group, &[MemberInputs])| {
            let mut one = Cpu::of(Arc::clone(&alone.prepared), &members[0], Arc::clone(&alone.pool), false)?;
            group.cpu.time = 0;
            group.cpu.set_params(&[members[0].params.clone()])?;
            for (lane, member) in members.iter().enumerate() {
                one.restart(std::slice::from_ref(member))?;
                group.take(lane, &one.states);
            }
            Ok(())
        };
        let groups = &mut self.groups;
        install(&self.pool, || groups.par_iter_mut().zip(members.par_chunks(size)).try_for_each(of_group))
    }

    fn rule(&self) -> &Rule {
        &self.groups[0].cpu.prepared.rule
    }

    /// Where a member's state stands: in which lane of which columns.
    fn field(&self, member: usize, state: StateId) -> (&Field, usize) {
        (self.groups[member / self.size].cpu.states.field(state), member % self.size)
    }

    fn of_each<T: Send>(&mut self, work: impl Fn(&mut Group) -> Result<T> + Send + Sync) -> Result<Vec<T>> {
        let groups = &mut self.groups;
        install(&self.pool, || groups.par_iter_mut().map(work).collect())
    }
}

impl Engine for Together {
    fn about(&self) -> About {
        let state_bytes = self.groups.iter().map(|group| group.cpu.states.bytes()).sum();
        About { members: self.members, state_bytes, ..self.groups[0].cpu.about() }
    }

    fn device(&self) -> String {
        self.alone.device()
    }

    fn time(&self) -> u32 {
        self.groups[0].cpu.time
    }

    fn set_time(&mut self, time: u32) {
        self.groups.iter_mut().for_each(|group| group.cpu.time = time);
    }

    fn set_params(&mut self, params: &[Vec<Value>]) -> Result<()> {
        check_inputs(self.rule(), self.members, params)?;
        assert!(params.windows(2).all(|pair| pair[0] == pair[1]), "members as lanes have the same parameters");
        self.groups.iter_mut().try_for_each(|group| group.cpu.set_params(&params[..1]))
    }

    fn run(&mut self, what: Run) -> Result<()> {
        self.of_each(|group| group.cpu.run(what)).map(drop)
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let of_groups = || self.groups.par_iter().map(|group| group.reductions(which)).collect::<Result<Vec<_>>>();
        Ok(install(&self.pool, of_groups)?.into_iter().flatten().collect())
    }

    fn run_and_reduce(&mut self, every: u32, times: u32, which: &[usize]) -> Result<Vec<ObservedValue>> {
        let of_groups = self.of_each(|group| {
            let mut all = Vec::new();
            for _ in 0..times {
                group.cpu.run(Run::Steps(every))?;
                all.extend(group.reductions(which)?.into_iter().flatten());
            }
            Ok(all)
        })?;
        // Groups one after the other for each time.
        let mut of_groups: Vec<_> = self.groups.iter().zip(of_groups.into_iter().map(Vec::into_iter)).collect();
        let of_time = |_| {
            let part = |(group, values): &mut (&Group, std::vec::IntoIter<ObservedValue>)| {
                values.by_ref().take(group.members * which.len()).collect::<Vec<_>>()
            };
            of_groups.iter_mut().flat_map(part).collect::<Vec<_>>()
        };
        Ok((0..times).flat_map(of_time).collect())
    }

    fn digest(&self, member: usize, state: StateId) -> Result<u64> {
        let (field, lane) = self.field(member, state);
        Ok(digest_of(field, lane))
    }

    fn block_sums(&self, member: usize, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let (field, lane) = self.field(member, state);
        let layout = self.groups[0].cpu.prepared.plan.layout();
        let block: u64 = (1..=mu).map(|mu| layout.low().fractal().pattern(mu).k()).product();
        let value = |c: u64| sample.of(Value::from_bits(field.ty, bits(field, lane, c)).as_f64());
        let add = |sum: [f64; 3], c: u64| std::array::from_fn(|i| sum[i] + value(c)[i]);
        Ok((0..layout.cells() / block).map(|first| (first * block..(first + 1) * block).fold([0.0; 3], add)).collect())
    }

    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        let (field, lane) = self.field(member, state);
        bytes.fill(0);
        cells.zip(0..).for_each(|(c, i)| packed::put(field.ty, bytes, i, bits(field, lane, c)));
        Ok(())
    }

    fn write(&mut self, member: usize, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        let Cpu { states, activity, .. } = &mut self.groups[member / self.size].cpu;
        scatter(states.field_mut(state), member % self.size, cells, bytes);
        activity.reset();
        Ok(())
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        check_inputs(self.rule(), self.members, members.iter().map(|member| &member.params))?;
        let are_alike = are_alike(members);
        if are_alike {
            self.begin(members)?;
        }
        Ok(are_alike)
    }

    fn pool(&self) -> Option<&Arc<ThreadPool>> {
        Some(&self.pool)
    }
}
