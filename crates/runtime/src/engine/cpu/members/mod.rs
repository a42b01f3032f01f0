//! Members of an ensemble as lanes of the same columns, for small systems that draw nothing in their steps.
//!
//! A member that is small fills no vector registers by itself. Here a column holds the same cell of many members, so that registers are full whatever the
//! fractal is, no lane ever moves, and finding a superblock's neighbours serves all. Members go in groups, each of which computes all steps of
//! a call before the next one does, so that its states stay in a cache; threads share out the groups. A simulation of one member
//! with lanes of its own computes the initial states, and holds those of a member that somebody looks at or changes.

mod lanes;

use super::activity::Activity;
use super::host::{Field, HostSimulation, OnHost};
use super::neighbours::HostNeighbours;
use super::reduce::Cells;
use super::{ALONE, Cpu, Tuning, fields_of, transfer};
use crate::engine::{Engine, EngineError, Execution, HostWork, MemberEngine, MemberInputs, Result, can_be_lanes};
use crate::state::packed;
use lanes::{digest_of, gather, scatter};
use rayon::ThreadPool;
use rayon::prelude::*;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Type, Value};
use squeeze_compiler::layout::columns::Shape;
use squeeze_compiler::pipeline::compile_plan;
use squeeze_compiler::plan::{Plan, member_candidates};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::target::{Candidate, Machine};
use squeeze_compiler::{CompileError, Compiled, Speciality, Target};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Fewer members leave most of a register empty.
const FEWEST: usize = 64;
/// How many members a group may have.
const GROUPS: [usize; 6] = [128, 256, 512, 1024, 2048, 4096];
/// So many layouts are tried to be compiled.
const MOST_TRIES: usize = 4;

/// All members.
struct Together {
    groups: Vec<Group>,
    /// Members of a group; the last one may have fewer.
    size: usize,
    members: usize,
    alone: Mutex<Cpu>,
    pool: Arc<ThreadPool>,
}

/// Members whose states stand in the same columns: a simulation whose lanes they are.
struct Group {
    cpu: Cpu,
    members: usize,
}

/// Whether members with these inputs can be lanes of the same columns.
pub(crate) fn suit(rule: &Rule, members: &[MemberInputs]) -> bool {
    members.len() >= FEWEST && can_be_lanes(rule, members)
}

/// Compiles kernels whose lanes are members and computes the initial states; `None` where members had better be computed one by one, or
/// do not fit in `limit` bytes.
///
/// # Errors
/// As [`Cpu::new`].
pub(crate) fn together(
    domain: &Domain,
    rule: &Arc<Rule>,
    members: &[MemberInputs],
    limit: u64,
    tuning: Tuning,
) -> Result<Option<Box<dyn MemberEngine>>> {
    let own_lanes = tuning.choice.as_ref().is_some_and(|choice| choice.layout.lane_digits() > 0);
    if !suit(rule, members) || own_lanes || tuning.ahead_of_time.is_some() || tuning.off.has(Speciality::MemberLanes) {
        return Ok(None);
    }
    let (activity, hardware, off) = (tuning.activity, tuning.hardware.clone(), tuning.off);
    let demanded = tuning.choice.clone();
    let tuning = Tuning { cells_worth_threads: ALONE, choice: None, ..tuning };
    let first = &members[0];
    let alone = Cpu::new(domain, rule, first.seed, &first.params, limit, tuning)?;
    let pool = Arc::clone(&alone.host.pool);
    let threads = pool.current_num_threads();
    // The same machine as of the layout that it is compared with.
    let target = super::target(1, alone.neighbours.isa, hardware.as_ref()).without(off);
    let cost_alone = alone.host.plan.candidate.cost * members.len().div_ceil(threads) as f64;
    let choices = match demanded {
        Some(candidate) => vec![(candidate, sizes(members.len())[0], 0.0)],
        None => choices(domain, rule, &target.machine, members.len(), threads),
    };
    for (candidate, size, _) in choices.into_iter().take(MOST_TRIES).filter(|(_, _, cost)| *cost < cost_alone) {
        let compiled = match compile_plan(rule, Plan::of(rule, candidate), &target) {
            Err(CompileError::NoKernel { .. }) => continue,
            compiled => compiled?,
        };
        if compiled.observes_far {
            continue;
        }
        let groups = members.len().div_ceil(size);
        if bytes_needed(&compiled, size, groups) + u128::from(alone.state_bytes()) > u128::from(limit) {
            return Ok(None);
        }
        let layout = compiled.plan.layout().clone();
        let neighbours =
            Arc::new(pool.install(|| HostNeighbours::of_members(layout, size, ALONE, alone.neighbours.isa, off)));
        let group = match group(&alone, compiled, &target, neighbours, activity) {
            Err(EngineError::LargeKernel { .. }) => continue,
            group => group?,
        };
        let mut all = Vec::with_capacity(groups);
        for members in members.chunks(size).skip(1) {
            all.push(Group { cpu: group.twin(0, &first.params, Arc::clone(&pool))?, members: members.len() });
        }
        all.insert(0, Group { cpu: group, members: size.min(members.len()) });
        let mut together = Together { groups: all, size, members: members.len(), alone: Mutex::new(alone), pool };
        together.begin(members)?;
        Speciality::MemberLanes.reached();
        return Ok(Some(Box::new(together)));
    }
    Ok(None)
}

/// Sizes of groups in which so many members leave few lanes empty.
fn sizes(members: usize) -> Vec<usize> {
    let size = |most: &usize| members.div_ceil(members.div_ceil(*most)).next_multiple_of(32);
    let mut sizes: Vec<usize> = GROUPS.iter().map(size).collect();
    sizes.dedup();
    sizes
}

/// Layouts with sizes of groups, and about what they cost, the cheapest first.
fn choices(
    domain: &Domain,
    rule: &Rule,
    machine: &Machine,
    members: usize,
    threads: usize,
) -> Vec<(Candidate, usize, f64)> {
    let of_size = |size: usize| {
        let turns = members.div_ceil(size).div_ceil(threads);
        let candidates = member_candidates(domain, rule, machine, size).into_iter().take(MOST_TRIES);
        candidates.map(move |candidate| {
            let cost = candidate.cost * (size * turns) as f64;
            (candidate, size, cost)
        })
    };
    let mut choices: Vec<_> = sizes(members).into_iter().flat_map(of_size).collect();
    choices.sort_by(|a, b| a.2.total_cmp(&b.2));
    choices
}

/// Bytes of all buffers of so many groups, and of their neighbour table.
fn bytes_needed(compiled: &Compiled, size: usize, groups: usize) -> u128 {
    let (layout, shape) = (compiled.plan.layout(), Shape::of_lanes(size));
    let of_state = |state: &squeeze_compiler::plan::StateMemory| {
        let column = shape.column_bytes(state.columns.planes.ty()) as u128 * u128::from(state.columns.planes.count());
        column * u128::from(state.buffers) * u128::from(layout.cells())
    };
    let states: u128 = compiled.plan.states.iter().map(of_state).sum();
    states * groups as u128 + u128::from(HostNeighbours::bytes(layout))
}

/// The first group, whose kernels the others share.
fn group(
    alone: &Cpu,
    compiled: Compiled,
    target: &Target,
    neighbours: Arc<HostNeighbours>,
    activity: bool,
) -> Result<Cpu> {
    let Compiled { mut plan, steps, .. } = compiled;
    for state in &mut plan.states {
        state.columns = neighbours.columns(state.columns.planes);
    }
    let host = HostSimulation {
        rule: Arc::clone(&alone.host.rule),
        fields: fields_of(&plan, &neighbours)?,
        params: alone.host.params.clone(),
        seed: 0,
        time: 0,
        pool: Arc::clone(&alone.host.pool),
        target: target.clone(),
        plan,
        activity: Activity::new(activity),
    };
    let mut cpu = Cpu {
        observed: Arc::default(),
        most_steps: host.plan.steps(),
        host,
        neighbours,
        init: None,
        passes: BTreeMap::new(),
        compiled: Arc::default(),
        ahead_of_time: None,
    };
    let shared = Arc::clone(&cpu.compiled);
    cpu.compile_passes(shared.lock().unwrap_or_else(PoisonError::into_inner), cpu.most_steps, &steps)?;
    Ok(cpu)
}

impl Group {
    /// Gives a lane the states of a simulation.
    fn take(&mut self, lane: usize, from: &Cpu, states: impl Iterator<Item = usize>) {
        for state in states {
            let (ty, Field { columns, now, .. }) = (type_of(from, state), &from.host.fields[state]);
            let cells = from.neighbours.cells();
            let mut bytes = vec![0; packed::bytes(ty, cells) as usize];
            transfer::read(&from.neighbours, columns, now.as_slice(), ty, 0..cells, &mut bytes);
            let field = &mut self.cpu.host.fields[state];
            scatter(&field.columns, lane, ty, &bytes, field.now.as_mut_slice());
        }
        self.cpu.host.activity.reset();
    }

    /// Gives a simulation the states of a lane.
    fn give(&self, lane: usize, to: &mut Cpu, states: impl Iterator<Item = usize>) {
        (to.host.time, to.host.params) = (self.cpu.host.time, self.cpu.host.params.clone());
        for state in states {
            let (ty, field) = (type_of(to, state), &self.cpu.host.fields[state]);
            let cells = to.neighbours.cells();
            let mut bytes = vec![0; packed::bytes(ty, cells) as usize];
            gather(&field.columns, lane, ty, field.now.as_slice(), &mut bytes);
            let (neighbours, Field { columns, now, .. }) = (Arc::clone(&to.neighbours), &mut to.host.fields[state]);
            transfer::write(&neighbours, columns, now.as_mut_slice(), ty, 0..cells, &bytes);
        }
        to.host.activity.reset();
    }

    /// The reductions of these numbers, all of the first round, of each of its members.
    fn reductions(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let cells = Cells::Lanes(&self.cpu.neighbours);
        let mut values = self.cpu.reduce(which, &self.cpu.host.params, (cells, 1), |reducer| reducer.of_lanes())?;
        values.truncate(self.members);
        Ok(values)
    }
}

/// The type of a state or of a field that is kept.
fn type_of(cpu: &Cpu, state: usize) -> Type {
    cpu.host.rule.kept_states().nth(state).map_or(Type::Bit, |state| state.ty)
}

impl Together {
    /// Computes the initial states of members, as many as there are.
    fn begin(&mut self, members: &[MemberInputs]) -> Result<()> {
        let (alone, size) = (self.alone.get_mut().unwrap_or_else(PoisonError::into_inner), self.size);
        let (alone, states) = (&*alone, alone.host.fields.len());
        let of_group = |(group, members): (&mut Group, &[MemberInputs])| {
            let mut one = alone.twin(0, &members[0].params, Arc::clone(&alone.host.pool))?;
            group.cpu.host.time = 0;
            Engine::set_params(&mut group.cpu, &members[0].params)?;
            for (lane, member) in members.iter().enumerate() {
                Engine::restart(&mut one, member.seed, &member.params)?;
                group.take(lane, &one, 0..states);
            }
            Ok(())
        };
        let groups = &mut self.groups;
        self.pool.install(|| groups.par_iter_mut().zip(members.par_chunks(size)).try_for_each(of_group))
    }

    fn of_each<T: Send>(&mut self, work: impl Fn(&mut Group) -> Result<T> + Send + Sync) -> Result<Vec<T>> {
        let groups = &mut self.groups;
        self.pool.install(|| groups.par_iter_mut().map(work).collect())
    }
}

impl MemberEngine for Together {
    fn members(&self) -> usize {
        self.members
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        self.of_each(|group| OnHost::step(&mut group.cpu, steps)).map(drop)
    }

    fn part(&mut self, index: usize) -> Result<()> {
        self.of_each(|group| OnHost::part(&mut group.cpu, index)).map(drop)
    }

    fn time(&self) -> u32 {
        self.groups[0].cpu.host.time
    }

    fn set_time(&mut self, time: u32) {
        self.groups.iter_mut().for_each(|group| group.cpu.host.time = time);
    }

    fn set_params(&mut self, params: Vec<Vec<Value>>) -> Result<()> {
        assert!(params.windows(2).all(|pair| pair[0] == pair[1]), "members as lanes have the same parameters");
        let first = &params[0];
        self.groups.iter_mut().try_for_each(|group| Engine::set_params(&mut group.cpu, first))
    }

    fn suits(&self, members: &[MemberInputs]) -> bool {
        suit(&self.groups[0].cpu.host.rule, members)
    }

    fn restart(&mut self, members: Vec<MemberInputs>) -> Result<()> {
        assert!(self.suits(&members), "members as lanes have the same parameters");
        self.begin(&members)
    }

    fn reductions(&self) -> Result<Vec<Vec<ObservedValue>>> {
        self.reductions_of(&self.groups[0].cpu.host.rule.all_reductions())
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let of_groups = || self.groups.par_iter().map(|group| group.reductions(which)).collect::<Result<Vec<_>>>();
        Ok(self.pool.install(of_groups)?.into_iter().flatten().collect())
    }

    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Vec<ObservedValue>> {
        let which = self.groups[0].cpu.host.rule.all_reductions();
        let of_groups = self.of_each(|group| {
            let mut all = Vec::new();
            for _ in 0..times {
                OnHost::step(&mut group.cpu, every)?;
                all.extend(group.reductions(&which)?.into_iter().flatten());
            }
            Ok((group.members, all))
        })?;
        // Groups one after the other for each time.
        let each = of_groups.iter().map(|(_, all)| all.len()).sum::<usize>() / (self.members * times as usize).max(1);
        let of_time = |time: usize| {
            let part = move |(members, all): &'_ (usize, Vec<ObservedValue>)| {
                let length = members * each;
                all[time * length..][..length].to_vec()
            };
            of_groups.iter().flat_map(part)
        };
        Ok((0..times as usize).flat_map(of_time).collect())
    }

    fn digest(&self, member: usize, state: StateId) -> Result<u64> {
        let cpu = &self.groups[member / self.size].cpu;
        let field = cpu.host.field(state);
        Ok(digest_of(&field.columns, member % self.size, field.now.as_slice()))
    }

    fn value(&self, member: usize, state: StateId, c: u64) -> Result<Value> {
        let cpu = &self.groups[member / self.size].cpu;
        let Field { columns, now, .. } = cpu.host.field(state);
        let column = &now.as_slice()[c as usize * columns.column..][..columns.column];
        Ok(Value::from_bits(cpu.host.rule.state(state).ty, columns.bits(column, member % self.size)))
    }

    fn on_host(&self, member: usize, states: &[StateId], work: &mut HostWork<'_>) -> Result<()> {
        let mut alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        let group = &self.groups[member / self.size];
        group.give(member % self.size, &mut alone, states.iter().map(|state| usize::from(state.0)));
        work(&mut *alone)
    }

    fn change(&mut self, member: usize, states: &[StateId], work: &mut HostWork<'_>) -> Result<()> {
        self.on_host(member, states, work)?;
        let alone = self.alone.get_mut().unwrap_or_else(PoisonError::into_inner);
        let states = states.iter().map(|state| usize::from(state.0));
        self.groups[member / self.size].take(member % self.size, alone, states);
        Ok(())
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    fn state_bytes(&self) -> u64 {
        self.groups.iter().map(|group| Engine::state_bytes(&group.cpu)).sum()
    }

    fn strategy(&self) -> &'static str {
        "lanes"
    }

    fn device(&self) -> String {
        Engine::device(&self.groups[0].cpu)
    }

    fn execution(&self) -> Option<Execution> {
        OnHost::execution(&self.groups[0].cpu)
    }
}
