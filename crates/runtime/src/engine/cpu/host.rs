//! What simulations in the host's memory have in common, wherever the columns of their states stand.

use super::activity::Activity;
use super::kernel::Globals;
use crate::engine::states::{self, States};
use crate::engine::{MemberInputs, Result, check_count, check_inputs};
use crate::state::field::Sample;
use rayon::ThreadPool;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::plan::Plan;
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
    /// Memory for what a rule keeps, all 0.
    ///
    /// # Errors
    /// [`EngineError::Inputs`](crate::engine::EngineError::Inputs); or if the system gives no memory.
    pub fn new(
        rule: &Rule,
        plan: &Plan,
        inputs: &MemberInputs,
        pool: Arc<ThreadPool>,
        activity: bool,
    ) -> Result<HostSimulation> {
        check_inputs(rule, 1, [&inputs.params])?;
        Ok(HostSimulation {
            states: States::new(&plan.storage, rule, &plan.states, true)?,
            params: inputs.params.iter().map(|param| param.bits()).collect(),
            seed: inputs.seed,
            time: 0,
            pool,
            activity: Activity::new(activity),
        })
    }

    /// Gives the parameters and globals of the only member these values.
    ///
    /// # Errors
    /// [`EngineError::Inputs`](crate::engine::EngineError::Inputs).
    pub fn set_params(&mut self, rule: &Rule, params: &[Vec<Value>]) -> Result<()> {
        check_inputs(rule, 1, params)?;
        self.params = params[0].iter().map(|param| param.bits()).collect();
        self.activity.reset();
        Ok(())
    }

    /// Makes ready for the beginning of the only member: all states are 0.
    ///
    /// # Errors
    /// [`EngineError::Inputs`](crate::engine::EngineError::Inputs).
    pub fn begin(&mut self, rule: &Rule, members: &[MemberInputs]) -> Result<()> {
        check_count("members", 1, members.len())?;
        self.set_params(rule, &[members[0].params.clone()])?;
        (self.seed, self.time) = (members[0].seed, 0);
        self.states.clear();
        Ok(())
    }

    /// Threads for another one: so many of its own, or these.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn pool_of_twin(&self, threads: Option<usize>) -> Result<Arc<ThreadPool>> {
        Ok(match threads {
            Some(_) => Arc::new(squeeze_host::threads::pool(threads)?),
            None => Arc::clone(&self.pool),
        })
    }

    /// As [`Engine::digest`](crate::engine::Engine::digest).
    pub fn digest(&self, state: StateId) -> u64 {
        self.pool.install(|| self.states.digest(state))
    }

    /// As [`Engine::block_sums`](crate::engine::Engine::block_sums).
    pub fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Vec<[f64; 3]> {
        self.pool.install(|| self.states.block_sums(state, mu, sample))
    }

    /// As [`Engine::read`](crate::engine::Engine::read).
    pub fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) {
        if states::are_few(&cells) {
            return self.states.read(state, cells, bytes);
        }
        self.pool.install(|| self.states.read(state, cells, bytes));
    }

    /// As [`Engine::write`](crate::engine::Engine::write).
    pub fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) {
        let HostSimulation { states, pool, activity, .. } = self;
        pool.install(|| states.write(state, cells, bytes));
        activity.reset();
    }

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

/// The values of parameters, and behind them these numbers.
pub(super) fn params_and(params: &[u64], numbers: &[Value]) -> Vec<u64> {
    params.iter().copied().chain(numbers.iter().map(|number| number.bits())).collect()
}
