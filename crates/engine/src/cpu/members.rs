//! Members of an ensemble as lanes of the same columns, for small systems that draw nothing in their steps.
//!
//! A member that is small fills no vector registers by itself. Here a column holds the same cell of many members, so that registers are full whatever the
//! fractal is, no lane ever moves, and finding a superblock's neighbours serves all. Members go in groups, each an engine that computes all steps of
//! a call before the next one does, so that its states stay in a cache; threads share out the groups. The kernels of a member
//! with lanes of its own compute the initial states.

use super::{Cpu, Prepared};
use crate::options::ALONE;
use crate::packed::{self, StateValues};
use crate::params::Params;
use crate::states::{Field, States};
use crate::{About, Engine, EngineError, MemberInputs, Result};
use crate::{are_alike, can_be_lanes, check_count, check_inputs, install};
use rayon::ThreadPool;
use rayon::prelude::*;
use squeeze_compiler::ir::StateId;
use squeeze_compiler::numbers::digest::term;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::target::{Machine, Members};
use squeeze_compiler::{Program, Speciality, compile};
use std::ops::Range;
use std::sync::Arc;

/// Members whose states stand in the same columns: a simulation whose lanes they are.
struct MemberLanes {
    cpu: Cpu,
    members: usize,
    /// The tables and kernels of a member alone, which compute its initial states.
    alone: Arc<Prepared>,
}

/// As [`Engine::as_lanes`], beside a member alone.
pub(super) fn as_lanes(alone: &Cpu, members: &[MemberInputs]) -> Result<Option<Vec<Box<dyn Engine>>>> {
    let Cpu { prepared, pool, activity, .. } = alone;
    let Program { rule, target, plan, .. } = &prepared.program;
    if prepared.ahead_of_time.is_some() || !can_be_lanes(rule, target, members) {
        return Ok(None);
    }
    let (count, threads) = (members.len(), pool.current_num_threads());
    let machine = Machine { threads: threads as f64, ..target.machine };
    let room = target.room.saturating_sub(prepared.needed());
    let target = target.clone().on(Some(machine)).within(room, false).with_members(Members::AsLanes(count as u32));
    let groups = compile(rule, &target, |program| {
        let lanes = &program.plan;
        let pays = target.demanded.is_some() || lanes.cost_of(count, threads) < plan.cost_of(count, threads);
        if !pays {
            return Ok(None);
        }
        let size = lanes.members.count() as usize;
        // The groups share their neighbour table.
        let isa = prepared.storage.tables().lanes().isa;
        let prepared_lanes = Arc::new(Prepared::new(program, (pool, ALONE), isa, None)?);
        let group = |members: &[MemberInputs]| -> Result<Box<dyn Engine>> {
            let cpu = Cpu::of(Arc::clone(&prepared_lanes), &members[0], Arc::clone(pool), activity.is_on())?;
            let mut lanes = MemberLanes { cpu, members: members.len(), alone: Arc::clone(prepared) };
            lanes.begin(members)?;
            Ok(Box::new(lanes))
        };
        let groups: Vec<_> = install(pool, || members.par_chunks(size).map(group).collect::<Result<_>>())?;
        Speciality::MemberLanes.reached();
        Ok(Some(groups))
    });
    match groups {
        // Then there are other ways.
        Err(EngineError::NoKernel { .. } | EngineError::LargeKernel { .. } | EngineError::Memory { .. }) => Ok(None),
        groups => groups,
    }
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
