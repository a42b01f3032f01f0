//! Members of an ensemble as lanes of the same columns, for small systems that draw nothing in their steps.
//!
//! A member that is small fills no vector registers by itself. Here a column holds the same cell of many members, so that registers are full whatever the
//! fractal is, no lane ever moves, and finding a superblock's neighbours serves all. Members go in groups, each an engine that computes all steps of
//! a call before the next one does, so that its states stay in a cache; threads share out the groups. Simulations of one member
//! with lanes of its own compute the initial states.

use super::neighbours::HostNeighbours;
use super::storage::HostStorage;
use super::{Cpu, Prepared};
use crate::options::{ALONE, WatchedFrom};
use crate::packed::{self, StateValues};
use crate::params::Params;
use crate::states::{Field, States};
use crate::{About, Engine, EngineOptions, MemberInputs, Result};
use crate::{are_alike, can_be_lanes, check_count, check_inputs, if_lanes_suit, install};
use rayon::ThreadPool;
use rayon::prelude::*;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::StateId;
use squeeze_compiler::layout::{Geometry, Storage};
use squeeze_compiler::numbers::digest::term;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::target::{Machine, Members};
use squeeze_compiler::{Speciality, compile};
use std::ops::Range;
use std::sync::Arc;

/// Members whose states stand in the same columns: a simulation whose lanes they are.
struct MemberLanes {
    cpu: Cpu,
    members: usize,
    /// What computes the initial states of a member.
    alone: Arc<Prepared>,
}

/// Compiles kernels whose lanes are members and computes the initial states, in an engine for each group of as many members, of which the last one may have fewer;
/// `None` where members had better be computed one by one, or do not fit in memory.
///
/// # Errors
/// As [`Cpu::new`].
pub(crate) fn together(
    rule: &FittedRule,
    members: &[MemberInputs],
    options: EngineOptions,
) -> Result<Option<Vec<Box<dyn Engine>>>> {
    let isa = options.available_isa()?;
    let target = super::target(1, isa, options.hardware.as_ref());
    let target = target.without(options.off).demanding(options.choice.clone());
    if options.ahead_of_time.is_some() || !can_be_lanes(rule, &target, members) {
        return Ok(None);
    }
    let (limit, off, first) = (options.host_limit(), options.off, &members[0]);
    let activity = options.watched != WatchedFrom::Never;
    let alone = EngineOptions { cells_worth_threads: ALONE, choice: None, ..options };
    let alone = Cpu::new(rule, first.seed, &first.params, alone)?;
    let pool = Arc::clone(&alone.pool);
    let machine = Machine { threads: pool.current_num_threads() as f64, ..target.machine };
    let target = target.on(Some(machine)).with_members(Members::AsLanes(members.len() as u32));
    let groups = compile(rule, &target, |program| {
        let plan = &program.plan;
        // The groups share their neighbour table.
        let Storage { geometry: Geometry::Replicas(layout), part, .. } = &*plan.storage else { return Ok(None) };
        let size = plan.members.shape(layout).lanes;
        let others = plan.storage.bytes_of_buffers(plan.states()) * (members.len().div_ceil(size) - 1) as u128;
        if u128::from(plan.bytes(rule, &target)) + others + u128::from(alone.states.bytes()) > u128::from(limit) {
            return Ok(None);
        }
        let neighbours = install(&pool, || HostNeighbours::of_members((layout, part), size, ALONE, isa, off));
        let storage = HostStorage::Replicas(Box::new(neighbours));
        let prepared = Arc::new(Prepared::new(program, storage, None).with_kernels(false)?);
        let group = |members: &[MemberInputs]| -> Result<Box<dyn Engine>> {
            let cpu = Cpu::of(Arc::clone(&prepared), &members[0], Arc::clone(&pool), activity)?;
            let mut lanes = MemberLanes { cpu, members: members.len(), alone: Arc::clone(&alone.prepared) };
            lanes.begin(members)?;
            Ok(Box::new(lanes))
        };
        let groups: Vec<_> = install(&pool, || members.par_chunks(size).map(group).collect::<Result<_>>())?;
        Speciality::MemberLanes.reached();
        Ok(Some(groups))
    });
    Ok(if_lanes_suit(groups)?.flatten())
}

impl MemberLanes {
    /// Computes the initial states of members, as many as there are.
    fn begin(&mut self, members: &[MemberInputs]) -> Result<()> {
        self.cpu.time = 0;
        self.cpu.set_params(&[members[0].params.clone()])?;
        let mut one = Cpu::of(Arc::clone(&self.alone), &members[0], Arc::clone(&self.cpu.pool), false)?;
        for (lane, member) in members.iter().enumerate() {
            one.restart(std::slice::from_ref(member))?;
            self.take(lane, &one.states);
        }
        Ok(())
    }

    /// Gives a lane the states of a member alone.
    fn take(&mut self, lane: usize, from: &States) {
        let cells = from.storage().cells();
        for state in (0..from.fields().len() as u16).map(StateId) {
            let mut bytes = vec![0; from.packed_bytes(state, cells)];
            from.read(state, 0..cells, &mut bytes);
            scatter(self.cpu.states.field_mut(state), lane, 0..cells, &bytes);
        }
    }
}

impl Engine for MemberLanes {
    fn about(&self) -> About {
        let about = self.cpu.about();
        About { members: self.members, memory_bytes: about.state_bytes, ..about }
    }

    fn device(&self) -> String {
        self.cpu.device()
    }

    fn time(&self) -> u32 {
        self.cpu.time
    }

    fn set_time(&mut self, time: u32) {
        self.cpu.time = time;
    }

    fn set_params(&mut self, params: &[Params]) -> Result<()> {
        check_inputs(&self.cpu.prepared.program.rule, self.members, params)?;
        let alike = params.iter().filter(|of_member| of_member[..] == params[0][..]).count();
        check_count("members of the same parameters", self.members, alike)?;
        self.cpu.set_params(&params[..1])
    }

    fn run(&mut self, steps: u32) -> Result<()> {
        self.cpu.run(steps)
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let values = self.cpu.reduce(which)?.remove(0);
        let of_lane = |lane: usize| values.iter().map(|values| values.numbers()[lane].clone()).collect();
        Ok((0..self.members).map(of_lane).collect())
    }

    fn digest(&self, member: usize, state: StateId) -> Result<u64> {
        let Field { columns, now, .. } = self.cpu.states.field(state);
        let all = now.as_slice().chunks_exact(columns.column).zip(0..);
        Ok(all.fold(0, |sum, (column, c)| sum.wrapping_add(term(c, columns.bits(column, member)))))
    }

    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        let Field { ty, columns, now, .. } = self.cpu.states.field(state);
        bytes.fill(0);
        let from = now.as_slice()[cells.start as usize * columns.column..].chunks_exact(columns.column);
        from.zip(0..cells.end - cells.start)
            .for_each(|(column, i)| packed::put(*ty, bytes, i, columns.bits(column, member)));
        Ok(())
    }

    fn write(&mut self, member: usize, values: &StateValues<'_>) -> Result<()> {
        let (state, cells, bytes) = values.parts();
        scatter(self.cpu.states.field_mut(state), member, cells, bytes);
        self.cpu.activity.reset();
        Ok(())
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        check_inputs(&self.cpu.prepared.program.rule, self.members, members.iter().map(|member| &member.params))?;
        let are_alike = are_alike(members);
        if are_alike {
            self.begin(members)?;
        }
        Ok(are_alike)
    }

    fn pool(&self) -> Option<&Arc<ThreadPool>> {
        self.cpu.pool()
    }
}

/// Gives a lane these values in these cells, packed as [`packed`] says.
fn scatter(field: &mut Field, lane: usize, cells: Range<u64>, bytes: &[u8]) {
    let Field { ty, columns, now, .. } = field;
    let first = &mut now.as_mut_slice()[cells.start as usize * columns.column..];
    for (column, i) in first.chunks_exact_mut(columns.column).zip(0..cells.end - cells.start) {
        columns.put(column, lane, packed::canonical_bits(*ty, packed::bits(*ty, bytes, i)));
    }
}
