//! A simulation on a GPU as its host sees it: it steps, begins anew, and is looked at and changed by copies of its states.

use super::Cuda;
use super::activity::Activity;
use super::driver::Memory;
use super::room::RESERVE;
use super::stored::BufferBlock;
use super::trace::Road;
use crate::cpu::Prepared;
use crate::engine::TypedState;
use crate::mirror::{Transfers, check_host};
use crate::packed::{self, StateValues};
use crate::params::Params;
use crate::reduce::{Question, ReducedCells, Take, reduce};
use crate::sample::AskedSums;
use crate::states::States;
use crate::{About, Engine, EngineError, Execution, MemberInputs, Result, Snapshot, are_alike, check_inputs, install};
use rayon::ThreadPool;
use squeeze_compiler::Program;
use squeeze_compiler::ir::StateId;
use squeeze_compiler::plan::StateMemory;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::target::{Choice, Members};
use squeeze_host::memory;
use std::ops::Range;
use std::sync::Arc;

impl Cuda {
    /// Gives the members' parameters and globals these values.
    pub(super) fn set_params_of(&mut self, params: Vec<Params>) -> Result<()> {
        // Running kernels still read the old values.
        self.device.synchronize()?;
        self.disturb();
        self.surroundings.set_params(&params[..self.program.plan.members.turns() as usize])?;
        self.members.iter_mut().zip(params).for_each(|(member, params)| member.params = params);
        Ok(())
    }

    /// Sends the values written on the host, before steps change the states.
    fn settle(&mut self) -> Result<()> {
        self.mirror.settle(self)?;
        self.mirror.pass();
        Ok(())
    }

    /// Begins anew with as many members.
    pub(super) fn begin(&mut self, members: Vec<MemberInputs>) -> Result<()> {
        self.mirror.pass();
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

    /// Bytes of all buffers of all states.
    pub(super) fn state_bytes(&self) -> u64 {
        self.fields.iter().map(|field| (field.now.len() * if field.older.is_some() { 2 } else { 1 }) as u64).sum()
    }

    /// The memory of one member's states on the host.
    pub(super) fn host_memory(&self) -> Vec<StateMemory> {
        let alone = Choice { members: Members::One, ..Choice::clone(&self.program.plan) };
        alone.state_memory(&self.program.rule)
    }

    /// Bytes that the states and tables take on the device.
    fn bytes_taken(&self) -> u64 {
        let Program { rule, plan, target, .. } = &self.program;
        plan.bytes(rule, target)
    }

    /// Bytes of the device that are still free.
    pub(super) fn bytes_left(&self) -> Result<u64> {
        let free = self.device.free_memory()?.saturating_sub(RESERVE);
        Ok(free.min(self.limit.saturating_sub(self.bytes_taken())))
    }

    /// Where a block of a state begins, in bytes.
    pub(super) fn offset(&self, state: usize, block: BufferBlock) -> usize {
        self.stored().offset(&self.program.plan.states()[state].columns, block)
    }

    /// Memory of the host for a copy of the states and threads to read it, if there is room for it, and on the device for another one.
    fn host_for_copy(&self) -> Result<Option<(States, Arc<ThreadPool>)>> {
        let states: u64 = self.fields.iter().map(|field| field.now.len() as u64).sum();
        // Compressing a copy takes memory too.
        let (storage, memory) = (&self.program.plan.storage, self.host_memory());
        if states > self.bytes_left()? || storage.bytes_of(&memory) > memory::available() / 2 {
            return Ok(None);
        }
        Ok(Some((States::new(storage, &self.program.rule, &memory, false)?, Arc::clone(self.mirror.pool()?))))
    }

    /// The memory of a state's columns whose lanes are members, and the words of each.
    fn columns_of_lanes(&self, state: usize) -> (&Memory, usize) {
        (&self.fields[state].now, self.stored().shape().words)
    }

    /// The tables and kernels that reduce states on the host.
    pub(super) fn reducer(&self) -> Result<&Prepared> {
        let pool = self.mirror.pool()?;
        Ok(self.reducer.get_or_init(|| install(pool, || Prepared::of_others(&self.program))))
    }
}

impl Transfers for Cuda {
    fn host_states(&self) -> Result<States> {
        let (storage, memory) = (&self.program.plan.storage, self.host_memory());
        check_host(self.program.rule.domain(), storage.bytes_of(&memory))?;
        States::new(storage, &self.program.rule, &memory, false)
    }

    fn fetch(&self, member: usize, state: StateId, to: &mut States) -> Result<()> {
        let index = usize::from(state.0);
        // Behind the last block of the device there is one of zeros.
        let now = to.field_mut(state).now.as_mut_slice();
        if self.program.plan.members.as_lanes() {
            Road::LaneFetched.taken();
            return self.measure.take_lane(self.columns_of_lanes(index), member, now);
        }
        Ok(self.fields[index].now.download(self.offset(index, BufferBlock::first_of(member)), now)?)
    }

    fn send(&self, member: usize, state: StateId, from: &States) -> Result<()> {
        self.disturb();
        let (index, now) = (usize::from(state.0), from.field(state).now.as_slice());
        if self.program.plan.members.as_lanes() {
            Road::LaneSent.taken();
            return self.measure.put_lane(self.columns_of_lanes(index), member, now);
        }
        Road::StateSent.taken();
        Ok(self.fields[index].now.upload(self.offset(index, BufferBlock::first_of(member)), now)?)
    }
}

impl Engine for Cuda {
    fn about(&self) -> About {
        About {
            members: self.members.len(),
            strategy: if self.stored().is_packed() { "packed" } else { "lanes" },
            execution: Execution::of(&self.program.plan, "nvrtc"),
            steps_of_pass: self.program.plan.steps_of_pass(),
            steps_of_whole: self.program.plan.steps_of_whole(),
            state_bytes: self.state_bytes(),
            memory_bytes: self.bytes_taken(),
            reduces_ahead: self.adds_up(),
        }
    }

    fn device(&self) -> String {
        self.device.name()
    }

    fn time(&self) -> u32 {
        self.time
    }

    fn set_time(&mut self, time: u32) {
        self.time = time;
    }

    fn set_params(&mut self, params: &[Params]) -> Result<()> {
        check_inputs(&self.program.rule, self.members.len(), params)?;
        self.set_params_of(params.to_vec())
    }

    fn prepare(&mut self, steps: u32) -> Result<()> {
        for (_, each) in self.program.plan.passes(steps) {
            if self.passes.contains_key(&each) {
                continue;
            }
            if let Some(code) = &self.code {
                let most = self.program.plan.steps_of_pass();
                let problem = format!(
                    "one pass of its kernels computes {most} time steps, and {steps} steps are no whole number of passes: take a multiple of {most}"
                );
                return Err(code.wrong(problem));
            }
            Road::Rest.taken();
            self.compile(each)?;
        }
        Ok(())
    }

    fn run(&mut self, steps: u32) -> Result<()> {
        self.settle()?;
        self.start(steps)?;
        Ok(self.device.synchronize()?)
    }

    fn look(&mut self) -> Result<()> {
        if self.program.rule.observed_steps == 0 {
            return Ok(());
        }
        self.settle()?;
        self.compile(1)?;
        let pass = Arc::clone(&self.passes[&1]);
        pass.look(self)
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        self.mirror.settle(self)?;
        if let Some(values) = self.reductions_of_members(which)? {
            return Ok(values);
        }
        let cells = self.reducer()?.cells();
        let of_member =
            |member| reduce(&self.program.rule, cells, which, &|question, take| self.partials(member, question, take));
        (0..self.members.len()).map(of_member).collect()
    }

    fn cells(&self) -> Option<ReducedCells<'_>> {
        self.reducer().ok().map(Prepared::cells)
    }

    fn partials(&self, member: usize, question: &Question<'_>, take: Take<'_>) -> Result<()> {
        let (reducer, inputs) = (self.reducer()?, (&self.members[member], self.time));
        let threads = self.mirror.pool()?.current_num_threads();
        // SAFETY: the states are made by this plan, and the inputs of members were counted.
        let hand = |states: &States| unsafe { reducer.partials(states, inputs, question, threads, take) };
        self.mirror.look(self, member, self.program.rule.read_by(question.which), hand)?
    }

    fn run_and_reduce(&mut self, every: u32, times: u32) -> Result<Option<Vec<ObservedValue>>> {
        self.settle()?;
        self.step_reducing_all(every, times)
    }

    fn digest(&self, member: usize, state: StateId) -> Result<u64> {
        self.mirror.settle(self)?;
        self.digest_of(member, state)
    }

    fn block_sums(&self, member: usize, asked: &AskedSums<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        if asked.mu == 0 {
            return Ok(None);
        }
        match self.sums_of_blocks(member, asked)? {
            None => self.mirror.look(self, member, [asked.state], |states| states.block_sums(asked)),
            sums => Ok(sums),
        }
    }

    fn read(&self, member: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        self.read_ranges(member, (state, self.program.rule.state(state).ty), &[cells], bytes)
    }

    fn read_ranges(&self, member: usize, field: TypedState, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<()> {
        let (state, ty) = field;
        if self.gather(member, field, ranges, bytes)? {
            return Ok(());
        }
        self.mirror.look(self, member, [state], |states| {
            packed::split(ty, ranges, bytes).for_each(|(cells, bytes)| states.read(state, cells, bytes));
        })
    }

    fn write(&mut self, member: usize, values: &StateValues<'_>) -> Result<()> {
        self.mirror.write(self, member, &values.clone().on_last_line(&self.program.rule))
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        check_inputs(&self.program.rule, self.members.len(), members.iter().map(|member| &member.params))?;
        if self.program.plan.members.as_lanes() && !are_alike(members) {
            Road::LanesGoApart.taken();
            return Ok(false);
        }
        self.begin(members.to_vec())?;
        Ok(true)
    }

    fn set_inputs(&mut self, members: &[MemberInputs]) -> Result<()> {
        check_inputs(&self.program.rule, self.members.len(), members.iter().map(|member| &member.params))?;
        if self.program.plan.members.as_lanes() {
            return Err(EngineError::System("members that are lanes have one set of parameters".to_owned()));
        }
        self.set_params_of(members.iter().map(|member| member.params.clone()).collect())?;
        self.surroundings.set_seeds(members)?;
        if let ([own], [member]) = (&self.members[..], members)
            && own.seed != member.seed
        {
            // They were recorded with the seed before.
            self.graphs.clear();
            self.activity.iter_mut().for_each(Activity::forget_graphs);
        }
        self.members = members.to_vec();
        Ok(())
    }

    fn snapshot(&self) -> Result<Option<Box<dyn Snapshot>>> {
        if self.program.plan.members.as_lanes() {
            return Ok(None);
        }
        self.mirror.settle(self)?;
        let states: Vec<&Memory> = self.fields.iter().map(|field| &field.now).collect();
        self.copies.copy(&self.device, &states, &|| self.host_for_copy())
    }
}
