//! A simulation on a GPU as its host sees it: it steps, begins anew, and is looked at and changed by copies of its states.

use super::Cuda;
use super::activity::Activity;
use super::driver::Memory;
use super::pass::Field;
use super::room::{RESERVE, bytes_needed, bytes_of_rows};
use super::trace::Road;
use crate::engine::cpu::rows::Rows;
use crate::engine::cpu::{self, Cpu, HostStates};
use crate::engine::mirrored::{OnDevice, check_host};
use crate::engine::{Copied, Execution, MemberInputs, Result};
use squeeze_compiler::ir::{StateId, Value};
use squeeze_compiler::layout::table::NeighbourTable;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::target::Candidate;
use squeeze_host::memory;

impl Cuda {
    /// Gives the members' parameters and globals these values.
    pub(super) fn set_params_of(&mut self, params: Vec<Vec<Value>>) -> Result<()> {
        // No kernel runs between steps.
        self.disturb();
        self.surroundings.set_params(&params[..self.turns()])?;
        self.members.iter_mut().zip(params).for_each(|(member, params)| member.params = params);
        Ok(())
    }

    /// Begins anew with as many members.
    pub(super) fn restart_with(&mut self, members: Vec<MemberInputs>) -> Result<()> {
        self.surroundings.set_seeds(&members)?;
        self.members = members;
        self.set_params_of(self.members.iter().map(|member| member.params.clone()).collect())?;
        // They were recorded with the seed before.
        self.graphs.clear();
        self.activity.iter_mut().for_each(Activity::forget_graphs);
        self.time = 0;
        self.fields.iter_mut().try_for_each(|field| field.now.clear())?;
        self.initialise()
    }

    /// Bytes of the host that a copy of the states takes.
    fn mirror_bytes(&self) -> u64 {
        let layout = self.plan.layout();
        match self.grid() {
            Some(_) => self.fields.iter().map(|field| field.now.len() as u64).sum(),
            None => cpu::bytes_needed(&self.rule, layout) / 2 + NeighbourTable::bytes(layout),
        }
    }

    /// Memory of the host for the states of a member.
    fn new_mirror(&self) -> Result<Box<dyn HostStates>> {
        let MemberInputs { seed, params } = &self.members[0];
        let (rule, seed, threads) = (&self.rule, *seed, self.threads);
        Ok(match self.grid() {
            Some(grid) => Box::new(Rows::mirror(&self.domain, (grid, self.is_packed()), rule, seed, params, threads)?),
            None => Box::new(Cpu::mirror(rule, seed, params, threads, self.plan.clone())?),
        })
    }

    /// Bytes that the states and tables take on the device.
    pub(super) fn bytes_taken(&self) -> u64 {
        let more: u64 =
            self.fields.iter().map(|field| (field.older.len().max(1) - 1) as u64 * field.now.len() as u64).sum();
        more + match self.grid() {
            Some(grid) => bytes_of_rows(&self.rule, grid, self.is_packed()),
            None => bytes_needed(&self.rule, (self.plan.layout(), self.far), (self.sharing, self.members.len())),
        }
    }

    /// Bytes of a member's columns of a state.
    pub(super) fn member_bytes(&self, state: usize) -> usize {
        self.plan.states[state].columns.block * self.plan.layout().superblocks() as usize
    }

    /// Copies a member's state to the host.
    pub(super) fn fetch_of(&self, member: usize, state: StateId, host: &mut dyn HostStates) -> Result<()> {
        let index = usize::from(state.0);
        // Behind the last block of the device there is one of zeros.
        Ok(self.fields[index].now.download(member * self.member_bytes(index), host.buffer(index))?)
    }

    /// Copies a member's state from the host.
    pub(super) fn send_of(&self, member: usize, state: StateId, host: &mut dyn HostStates) -> Result<()> {
        self.disturb();
        Road::StateSent.taken();
        let index = usize::from(state.0);
        Ok(self.fields[index].now.upload(member * self.member_bytes(index), host.buffer(index))?)
    }

    /// Memory of the host for a copy of the states, if there is room for it, and on the device for another one.
    fn host_for_copy(&self) -> Result<Option<Box<dyn HostStates>>> {
        let states: u64 = self.fields.iter().map(|field| field.now.len() as u64).sum();
        let free =
            self.device.free_memory()?.saturating_sub(RESERVE).min(self.limit.saturating_sub(self.bytes_taken()));
        // What is compressed of it takes memory too.
        if states > free || self.mirror_bytes() > memory::available() / 2 {
            return Ok(None);
        }
        self.new_mirror().map(Some)
    }
}

impl OnDevice for Cuda {
    fn make_ready(&mut self, steps: u32) -> Result<()> {
        self.prepare_rest(steps)
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        self.start(steps)?;
        Ok(self.device.synchronize()?)
    }

    fn part(&mut self, index: usize) -> Result<()> {
        self.disturb();
        self.launch_pass(1, index)?;
        self.time += u32::from(index + 1 == self.passes[&1].len());
        Ok(self.device.synchronize()?)
    }

    fn time(&self) -> u32 {
        self.time
    }

    fn set_time(&mut self, time: u32) {
        self.time = time;
    }

    fn set_params(&mut self, params: &[Value]) -> Result<()> {
        self.set_params_of(vec![params.to_vec()])
    }

    fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()> {
        self.restart_with(vec![MemberInputs { seed, params: params.to_vec() }])
    }

    fn digest(&self, state: StateId) -> Result<Option<u64>> {
        self.digest_of(0, state).map(Some)
    }

    fn reductions(&self) -> Result<Option<Vec<ObservedValue>>> {
        OnDevice::reductions_of(self, &self.rule.all_reductions())
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Option<Vec<ObservedValue>>> {
        Ok(self.reductions_of_members(which)?.map(|mut of_member| of_member.remove(0)))
    }

    fn reduces_ahead(&self) -> bool {
        self.adds_up()
    }

    fn step_reducing(&mut self, every: u32, times: u32) -> Result<Option<Vec<Vec<ObservedValue>>>> {
        let each = self.rule.reductions.len();
        Ok(self.step_reducing_all(every, times)?.map(|all| all.chunks(each).map(<[ObservedValue]>::to_vec).collect()))
    }

    fn snapshot(&self) -> Result<Option<Box<dyn Copied>>> {
        let states: Vec<&Memory> = self.fields.iter().map(|field| &field.now).collect();
        self.copies.copy(&self.device, &states, &|| self.host_for_copy())
    }

    fn state_bytes(&self) -> u64 {
        let bytes = |field: &Field| field.now.len() * (1 + field.older.len());
        self.fields.iter().map(|field| bytes(field) as u64).sum()
    }

    fn strategy(&self) -> &'static str {
        if self.is_packed() { "packed" } else { "lanes" }
    }

    fn device(&self) -> String {
        self.device.name()
    }

    fn execution(&self) -> Option<Execution> {
        let Candidate { layout, steps, .. } = &self.plan.candidate;
        self.grid().is_none().then_some(Execution {
            lane_digits: layout.lane_digits(),
            micro_digits: layout.micro_digits(),
            steps_per_pass: *steps,
            compiler: "nvrtc",
        })
    }

    fn steps_of_pass(&self) -> u32 {
        self.steps_of_pass
    }

    fn states(&self) -> usize {
        // Observables may read the field of canonical indices.
        if self.rule.index.is_some() { self.fields.len() } else { self.rule.states.len() }
    }

    fn host_memory(&self) -> Result<Box<dyn HostStates>> {
        check_host(&self.domain, self.mirror_bytes())?;
        self.new_mirror()
    }

    fn fetch(&self, state: StateId, host: &mut dyn HostStates) -> Result<()> {
        self.fetch_of(0, state, host)
    }

    fn send(&self, state: StateId, host: &mut dyn HostStates) -> Result<()> {
        self.send_of(0, state, host)
    }
}
