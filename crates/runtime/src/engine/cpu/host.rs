//! What simulations in the host's memory have in common, wherever the columns of their states stand.
//!
//! [`HostSimulation`] is what they keep, and [`OnHost`] is what they differ in; together they make an [`Engine`].

use super::activity::Activity;
use super::kernel::Globals;
use crate::engine::states::States;
use crate::engine::{Engine, Execution, Result};
use crate::state::field::Sample;
use rayon::ThreadPool;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_host::memory;
use std::ops::Range;
use std::sync::Arc;

/// What a simulation in the host's memory keeps.
pub(super) struct HostSimulation {
    pub states: States,
    /// The bits of the values of the parameters and globals.
    pub params: Vec<u64>,
    pub seed: u64,
    pub time: u32,
    pub pool: Arc<ThreadPool>,
    pub activity: Activity,
}

impl HostSimulation {
    /// What kernels are told beside the states: of the present time, or of the one that they compute.
    pub fn globals(&self, time: u32) -> Globals<'_> {
        Globals { params: &self.params, time, seed: self.seed }
    }

    /// Where no pass of so many steps changes anything, passes over as many as go into `left`, for which the two buffers take their turns; of how many steps.
    pub fn pass_still(&mut self, written: &[usize], steps: u32, left: u32) -> u32 {
        if !self.activity.is_still(steps) {
            return 0;
        }
        let passes = left / steps;
        if !passes.is_multiple_of(2) {
            self.states.exchange(written);
        }
        self.time += passes * steps;
        passes * steps
    }
}

/// The values of parameters, and behind them these means.
pub(super) fn params_and(params: &[u64], means: &[Value]) -> Vec<u64> {
    params.iter().copied().chain(means.iter().map(|mean| mean.bits())).collect()
}

/// A simulation in the host's memory. What is not described is as of [`Engine`].
pub(super) trait OnHost: Send + Sync {
    fn host(&self) -> &HostSimulation;

    fn host_mut(&mut self) -> &mut HostSimulation;

    /// Computes the initial states into buffers that are 0.
    fn initialise(&mut self);

    fn make_ready(&mut self, steps: u32) -> Result<()> {
        _ = steps;
        Ok(())
    }

    fn step(&mut self, steps: u32) -> Result<()>;

    fn part(&mut self, index: usize) -> Result<()>;

    fn rule(&self) -> &Rule;

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>>;

    fn another(&self, seed: u64, params: &[Value], threads: Option<usize>) -> Result<Option<Box<dyn Engine>>> {
        _ = (seed, params, threads);
        Ok(None)
    }

    fn pool(&self) -> Option<Arc<ThreadPool>> {
        None
    }

    fn strategy(&self) -> &'static str;

    fn execution(&self) -> Option<Execution> {
        None
    }

    fn steps_of_pass(&self) -> u32 {
        self.execution().map_or(1, |execution| execution.steps_per_pass.max(1))
    }
}

impl<S: OnHost> Engine for S {
    fn make_ready(&mut self, steps: u32) -> Result<()> {
        OnHost::make_ready(self, steps)
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        OnHost::step(self, steps)
    }

    fn part(&mut self, index: usize) -> Result<()> {
        OnHost::part(self, index)
    }

    fn time(&self) -> u32 {
        self.host().time
    }

    fn digest(&self, state: StateId) -> Result<u64> {
        let HostSimulation { states, pool, .. } = self.host();
        Ok(pool.install(|| states.digest(state)))
    }

    fn reductions(&self) -> Result<Vec<ObservedValue>> {
        OnHost::reductions_of(self, &self.rule().all_reductions())
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>> {
        OnHost::reductions_of(self, which)
    }

    fn value(&self, state: StateId, c: u64) -> Result<Value> {
        let states = &self.host().states;
        Ok(Value::from_bits(states.field(state).ty, states.bits(state, c)))
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let HostSimulation { states, pool, .. } = self.host();
        Ok(pool.install(|| states.block_sums(state, mu, sample)))
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        let HostSimulation { states, pool, .. } = self.host();
        pool.install(|| states.read(state, cells, bytes));
        Ok(())
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        let HostSimulation { states, pool, activity, .. } = self.host_mut();
        pool.install(|| states.write(state, cells, bytes));
        activity.reset();
        Ok(())
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        self.host().pool.install(work);
    }

    fn set_time(&mut self, time: u32) {
        self.host_mut().time = time;
    }

    fn set_params(&mut self, params: &[Value]) -> Result<()> {
        let host = self.host_mut();
        host.params = params.iter().map(|param| param.bits()).collect();
        host.activity.reset();
        Ok(())
    }

    fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()> {
        self.set_params(params)?;
        let host = self.host_mut();
        (host.seed, host.time) = (seed, 0);
        host.states.clear();
        self.initialise();
        Ok(())
    }

    fn another(&self, seed: u64, params: &[Value], threads: Option<usize>) -> Result<Option<Box<dyn Engine>>> {
        OnHost::another(self, seed, params, threads)
    }

    fn pool(&self) -> Option<Arc<ThreadPool>> {
        OnHost::pool(self)
    }

    fn state_bytes(&self) -> u64 {
        self.host().states.bytes()
    }

    fn strategy(&self) -> &'static str {
        OnHost::strategy(self)
    }

    fn device(&self) -> String {
        memory::processor_name()
    }

    fn execution(&self) -> Option<Execution> {
        OnHost::execution(self)
    }

    fn steps_of_pass(&self) -> u32 {
        OnHost::steps_of_pass(self)
    }
}
