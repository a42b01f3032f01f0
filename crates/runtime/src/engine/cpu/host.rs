//! What simulations in the host's memory have in common, wherever the columns of their states stand.
//!
//! [`HostSimulation`] is what they keep, and [`OnHost`] is what they differ in; together they make an [`Engine`].

use super::activity::Activity;
use super::buffer::{Buffer, Shared};
use super::pass::Globals;
use crate::engine::{Engine, Execution, Result};
use crate::state::field::Sample;
use rayon::ThreadPool;
use squeeze_compiler::Target;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::plan::Plan;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_host::memory;
use std::ops::Range;
use std::sync::Arc;

/// A state's memory.
pub(super) struct Field {
    pub columns: Columns,
    pub now: Buffer,
    /// What the next pass writes, which holds the state before. None for states that no step changes.
    pub next: Option<Buffer>,
}

impl Field {
    /// Memory of so many bytes for each buffer, all 0.
    pub fn new(columns: Columns, bytes: u64, buffers: u32) -> Result<Field> {
        let next = (buffers > 1).then(|| Buffer::new(bytes)).transpose()?;
        Ok(Field { columns, now: Buffer::new(bytes)?, next })
    }
}

/// What a simulation in the host's memory keeps.
pub(super) struct HostSimulation {
    pub rule: Arc<Rule>,
    pub fields: Vec<Field>,
    /// The bits of the values of the parameters and globals.
    pub params: Vec<u64>,
    pub seed: u64,
    pub time: u32,
    pub pool: Arc<ThreadPool>,
    pub plan: Plan,
    pub target: Target,
    pub activity: Activity,
}

impl HostSimulation {
    /// What kernels are told beside the states: of the present time, or of the one that they compute.
    pub fn globals(&self, time: u32) -> Globals<'_> {
        Globals { params: &self.params, time, seed: self.seed }
    }

    /// The parameters and globals, and behind them these means.
    pub fn params_and(&self, means: &[Value]) -> Vec<u64> {
        self.params.iter().copied().chain(means.iter().map(|mean| mean.bits())).collect()
    }

    /// The memory of a state.
    pub fn field(&self, state: StateId) -> &Field {
        &self.fields[usize::from(state.0)]
    }

    /// Where the present states begin.
    pub fn readable(&self) -> Vec<*const u8> {
        self.fields.iter().map(|field| field.now.as_ptr()).collect()
    }

    /// Where the present states begin, to be written.
    pub fn writable(&mut self) -> Vec<Shared> {
        self.fields.iter_mut().map(|field| Shared(field.now.as_mut_ptr())).collect()
    }

    /// Where the states begin that a pass writes; null for those that none does.
    pub fn next_writable(&mut self) -> Vec<Shared> {
        let new = |field: &mut Field| field.next.as_mut().map_or(std::ptr::null_mut(), Buffer::as_mut_ptr);
        self.fields.iter_mut().map(|field| Shared(new(field))).collect()
    }

    /// Makes what a pass wrote into these states the present ones.
    pub fn exchange(&mut self, written: &[usize]) {
        for &state in written {
            let field = &mut self.fields[state];
            if let Some(next) = &mut field.next {
                std::mem::swap(&mut field.now, next);
            }
        }
    }

    /// Where no pass of so many steps changes anything, passes over as many as go into `left`, for which the two buffers take their turns; of how many steps.
    pub fn pass_still(&mut self, written: &[usize], steps: u32, left: u32) -> u32 {
        if !self.activity.is_still(steps) {
            return 0;
        }
        let passes = left / steps;
        if !passes.is_multiple_of(2) {
            self.exchange(written);
        }
        self.time += passes * steps;
        passes * steps
    }
}

/// A simulation in the host's memory. What is not described is as of [`Engine`].
pub(super) trait OnHost: Send + Sync {
    fn host(&self) -> &HostSimulation;

    fn host_mut(&mut self) -> &mut HostSimulation;

    /// Computes the initial states into buffers that are 0; does nothing where another device does that.
    fn initialise(&mut self);

    fn make_ready(&mut self, steps: u32) -> Result<()> {
        _ = steps;
        Ok(())
    }

    fn step(&mut self, steps: u32) -> Result<()>;

    fn part(&mut self, index: usize) -> Result<()>;

    fn digest(&self, state: StateId) -> u64;

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>>;

    /// The bits of the value of a state in a cell.
    fn bits(&self, state: StateId, c: u64) -> u64;

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Vec<[f64; 3]>;

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]);

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]);

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
        Ok(OnHost::digest(self, state))
    }

    fn reductions(&self) -> Result<Vec<ObservedValue>> {
        OnHost::reductions_of(self, &self.host().rule.all_reductions())
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>> {
        OnHost::reductions_of(self, which)
    }

    fn value(&self, state: StateId, c: u64) -> Result<Value> {
        Ok(Value::from_bits(self.host().rule.state(state).ty, self.bits(state, c)))
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        Ok(OnHost::block_sums(self, state, mu, sample))
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        OnHost::read(self, state, cells, bytes);
        Ok(())
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        OnHost::write(self, state, cells, bytes);
        self.host_mut().activity.reset();
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
        host.fields.iter_mut().for_each(|field| field.now.as_mut_slice().fill(0));
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
        let bytes = |field: &Field| field.now.len() * (1 + usize::from(field.next.is_some()));
        self.host().fields.iter().map(|field| bytes(field) as u64).sum()
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

/// An engine whose states stand in the host's memory as they do on a device of the same layout.
#[cfg(feature = "cuda")]
pub(crate) trait HostStates: Engine {
    /// The memory of the state of this index.
    fn buffer(&mut self, index: usize) -> &mut [u8];
}

#[cfg(feature = "cuda")]
impl<S: OnHost> HostStates for S {
    fn buffer(&mut self, index: usize) -> &mut [u8] {
        let host = self.host_mut();
        host.activity.reset();
        host.fields[index].now.as_mut_slice()
    }
}
