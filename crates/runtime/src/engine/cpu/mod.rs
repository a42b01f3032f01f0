//! The CPU backend: replica lanes, compiled to machine code when a run begins.
//!
//! A plan fixes the layout and how many time steps one pass carries. The rule is lowered to kernels for that layout; each
//! is compiled (`squeeze_codegen`) and run for every superblock (`worker`), reading the old buffers of the states and
//! writing the new ones, which are then exchanged. Initial values and the terms of observables are kernels like any other.
//! The fractal is never expanded.

mod activity;
mod decide;
mod host;
mod kernel;
mod members;
mod neighbours;
mod permute;
#[cfg(feature = "standalone")]
mod program;
mod reduce;
mod replicas;
pub mod rows;
#[cfg(test)]
mod tests;
mod vectors;
mod worker;

use crate::engine::options::{ALONE, WatchedFrom};
use crate::engine::rounds::by_rounds_of_one;
use crate::engine::states::States;
use crate::engine::terms::Asked;
use crate::engine::{About, Backend, Engine, EngineError, EngineOptions, Execution, MemberInputs, Result, Run};
use crate::state::field::Sample;
use activity::{Extent, Marks};
use host::{HostSimulation, params_and};
use kernel::{Buffers, Globals, HostKernel, Work};
use neighbours::HostNeighbours;
use rayon::ThreadPool;
use reduce::{Cells, Observed, Reducer, TermWorker, Terms, TermsOfUnits};
use squeeze_codegen::{AvailableIsa, Code};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::{Layout, Storage};
use squeeze_compiler::passes::Ready;
use squeeze_compiler::pipeline::{CompileError, compile_observables, compile_plan, compile_steps};
use squeeze_compiler::plan::{self, Plan};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::target::{Hardware, Machine};
use squeeze_compiler::{Off, Speciality, Target};
use squeeze_host::memory;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use worker::Worker;

pub use crate::engine::ahead_of_time::{AheadOfTime, Functions};
pub(crate) use members::together;
#[cfg(feature = "standalone")]
pub use program::program;
pub use squeeze_codegen::Isa;

/// A simulation on the CPU.
pub struct Cpu {
    host: HostSimulation,
    prepared: Arc<Prepared>,
    /// Those of its kernels that were asked for.
    passes: BTreeMap<u32, Arc<[HostKernel]>>,
}

/// What all simulations of one plan share. It reduces states, whoever computed them.
pub(crate) struct Prepared {
    rule: Arc<Rule>,
    plan: Plan,
    target: Target,
    neighbours: HostNeighbours,
    /// What computes the initial states; none where others do.
    init: Option<HostKernel>,
    /// The kernels that together compute so many time steps.
    passes: Mutex<BTreeMap<u32, Arc<[HostKernel]>>>,
    /// Kernels that need not be compiled.
    ahead_of_time: Option<AheadOfTime>,
    /// What reductions take, for all that was asked for.
    observed: Asked<Observed>,
}

/// A simulation on the CPU, on replicas of a fractal or on rows of a mask or a box.
///
/// # Errors
/// As of [`Cpu::new`].
pub(crate) fn engine(
    domain: &Domain,
    rule: &Arc<Rule>,
    seed: u64,
    params: &[Value],
    options: EngineOptions,
) -> Result<Box<dyn Engine>> {
    Ok(match domain.levels() {
        Some(_) => Box::new(Cpu::new(domain, rule, seed, params, options)?),
        None => Box::new(rows::Rows::new(domain, rule, seed, params, options)?),
    })
}

impl Cpu {
    /// Checks that the states fit in memory, compiles what initialises them, and runs it.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if it does not fit, [`EngineError::System`] if the rule's code is too long for kernels or the machine
    /// fails.
    pub fn new(domain: &Domain, rule: &Arc<Rule>, seed: u64, params: &[Value], options: EngineOptions) -> Result<Cpu> {
        let (limit, isa) = (options.host_limit(), options.available_isa()?);
        let activity = options.watched() != WatchedFrom::Never;
        let EngineOptions { threads, choice, hardware, cells_worth_threads, ahead_of_time, off, .. } = options;
        // Kernels compiled with the program choose by themselves what they use.
        let ahead_of_time = ahead_of_time.filter(|_| isa.is_none());
        let pool = Arc::new(squeeze_host::threads::pool(threads)?);
        let planned_threads = if cells_worth_threads == ALONE { 1 } else { pool.current_num_threads() };
        // Kernels compiled with the program compare the words of draws.
        let words = Machine::comparing_words(planned_threads);
        let too_large = |needed: f64| {
            let largest = || largest_level(domain, rule, limit, pool.current_num_threads());
            EngineError::memory(domain, Backend::Cpu.name(), needed, limit, largest)
        };
        // Before any layout is looked for: on a level that is far too high there is none.
        let least = least_bytes(domain, rule);
        if least > u128::from(limit) {
            return Err(too_large(least as f64));
        }
        let fits =
            ahead_of_time.as_ref().filter(|_| choice.is_none()).and_then(|kernels| kernels.plan(domain, rule, &words));
        let ahead_of_time = ahead_of_time.filter(|_| fits.is_some());
        let target = target(planned_threads, isa, hardware.as_ref()).demanding(choice.or(fits));
        let target = match ahead_of_time.is_some() {
            true => Target { machine: words, ..target }.without(off.with(Speciality::Planes)),
            false => target.without(off),
        };
        let mut choices = plan::choices(domain, rule, &target)?;
        let mut refusal = EngineError::from(CompileError::without_layout(rule));
        while let Some(plan) = choices.next() {
            let compiled = match compile_plan(rule, plan, &target) {
                Err(error @ CompileError::NoKernel { .. }) => {
                    refusal = error.into();
                    continue;
                }
                compiled => compiled?,
            };
            let needed = bytes_needed(&compiled.plan, &target);
            if needed > limit {
                return Err(too_large(needed as f64));
            }
            let tables = || HostNeighbours::new(compiled.plan.layout().clone(), cells_worth_threads, isa, off);
            let mut prepared = Prepared::new(rule, compiled.plan.clone(), &target, pool.install(tables));
            prepared.ahead_of_time = ahead_of_time.clone();
            let begin = |mut prepared: Prepared| {
                prepared.insert(prepared.plan.steps(), &compiled.steps)?;
                prepared.init = Some(HostKernel::new(&compiled.init, &prepared.neighbours)?);
                let inputs = MemberInputs { seed, params: params.to_vec() };
                Cpu::of(Arc::new(prepared), &inputs, Arc::clone(&pool), activity)
            };
            match begin(prepared) {
                // What is known of a kernel before it is compiled is not how many values live at once.
                Err(error @ EngineError::LargeKernel { .. }) => {
                    choices.shorter_than(&compiled.plan);
                    refusal = error;
                }
                result => return result,
            }
        }
        Err(refusal)
    }

    /// A simulation at its beginning.
    fn of(prepared: Arc<Prepared>, inputs: &MemberInputs, pool: Arc<ThreadPool>, activity: bool) -> Result<Cpu> {
        let host = HostSimulation::new(&prepared.rule, &prepared.plan, inputs, pool, activity)?;
        let mut cpu = Cpu { host, prepared, passes: BTreeMap::new() };
        cpu.compile(cpu.most_steps())?;
        cpu.initialise();
        Ok(cpu)
    }

    /// Makes sure that there are kernels for so many steps at once.
    fn compile(&mut self, steps: u32) -> Result<()> {
        if let Entry::Vacant(place) = self.passes.entry(steps) {
            place.insert(self.prepared.passes(steps)?);
        }
        Ok(())
    }

    /// Computes `steps` time steps with the kernels prepared for so many.
    fn advance(&mut self, steps: u32) {
        for index in 0..self.passes[&steps].len() {
            self.run_pass(steps, index);
        }
        self.host.time += steps;
    }

    /// Runs one of the kernels prepared for `steps` time steps.
    fn run_pass(&mut self, steps: u32, index: usize) {
        let passes = &self.passes[&steps];
        let (pass, neighbours) = (&passes[index], &self.prepared.neighbours);
        // What is made in several passes may be anything in between.
        let extent = match passes.len() == 1 && self.prepared.rule.globals.is_empty() && pass.may_rest() {
            true => {
                let superblocks = neighbours.superblocks() as usize;
                let make = || Marks::new(superblocks, false);
                self.host.activity.begin(steps, superblocks, make, |marks, units| neighbours.spread(marks, units))
            }
            false => {
                self.host.activity.reset();
                Extent::All
            }
        };
        let buffers = Buffers::new(self.host.states.readable(), self.host.states.next_writable());
        let globals = self.host.globals(self.host.time + 1);
        let activity = &self.host.activity;
        let work = match extent {
            Extent::All => Work::All,
            Extent::Watched => Work::Watched(&activity.marks),
            Extent::Listed => Work::Listed(&activity.units, &activity.marks),
        };
        // SAFETY: the buffers are those of all states of this layout, borrowed for writing; what a kernel stores has two.
        unsafe { pass.run(neighbours, &buffers, globals, work) };
        self.host.activity.finish(extent);
        self.host.states.exchange(pass.writes());
    }

    /// The layout that was chosen.
    pub fn layout(&self) -> &Layout {
        &self.prepared.neighbours.layout
    }

    /// The most time steps that one pass carries.
    pub fn most_steps(&self) -> u32 {
        self.prepared.plan.steps()
    }

    /// The name of the engine that compiled the steps' kernels: `avx512`, `avx2`, `sse4.1` or `cranelift`.
    pub fn engine(&self) -> &'static str {
        self.passes[&self.most_steps()].first().map_or("none", HostKernel::engine)
    }
}

impl Prepared {
    /// Of a plan, without kernels.
    fn new(rule: &Arc<Rule>, plan: Plan, target: &Target, neighbours: HostNeighbours) -> Prepared {
        Prepared {
            rule: Arc::clone(rule),
            plan,
            target: target.clone(),
            neighbours,
            init: None,
            passes: Mutex::default(),
            ahead_of_time: None,
            observed: Asked::default(),
        }
    }

    /// The kernels that together compute so many steps, ready to run.
    fn passes(&self, steps: u32) -> Result<Arc<[HostKernel]>> {
        let mut passes = self.passes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(passes) = passes.get(&steps) {
            return Ok(Arc::clone(passes));
        }
        // Whoever waits for the lock needs the same kernels.
        let made = self.made(steps, &compile_steps(&self.rule, &self.plan, steps, &self.target)?)?;
        passes.insert(steps, Arc::clone(&made));
        Ok(made)
    }

    /// Takes the kernels that together compute so many steps.
    fn insert(&mut self, steps: u32, kernels: &[Ready]) -> Result<()> {
        let passes = self.made(steps, kernels)?;
        self.passes.get_mut().unwrap_or_else(PoisonError::into_inner).insert(steps, passes);
        Ok(())
    }

    /// The same, compiled, or as they were compiled before.
    fn made(&self, steps: u32, kernels: &[Ready]) -> Result<Arc<[HostKernel]>> {
        let ahead_of_time = self.ahead_of_time.as_ref().and_then(|ahead_of_time| ahead_of_time.functions(steps));
        match ahead_of_time {
            Some(functions) if functions.len() == kernels.len() => {
                let pass = |(kernel, &(function, compiler)): (&Ready, &_)| {
                    let code = Code::ahead_of_time(function, compiler);
                    Ok(HostKernel::of_codes(kernel, &self.neighbours, vec![(code, None)]))
                };
                kernels.iter().zip(functions).map(pass).collect()
            }
            _ => kernels.iter().map(|kernel| HostKernel::new(kernel, &self.neighbours)).collect(),
        }
    }

    /// The reductions of these numbers of some states, on the threads of the pool that this is called in.
    fn reductions_of(&self, states: &States, globals: Globals<'_>, which: &[usize]) -> Result<Vec<ObservedValue>> {
        by_rounds_of_one(&self.rule, which, self.plan.storage.cells(), |which, numbers| {
            let params = params_and(globals.params, numbers);
            self.of_round(states, Globals { params: &params, ..globals }, which)
        })
    }

    /// Reduces what the reductions of these numbers, all of one round, are computed from.
    fn reduce<T>(
        &self,
        states: &States,
        globals: Globals<'_>,
        which: &[usize],
        threads: usize,
        reduce: impl FnOnce(&Reducer<'_>) -> T,
    ) -> Result<T> {
        let fields = states.fields();
        let observed = self.observed.get(which, || {
            Observed::new(&self.rule, which, self.target.off().allows(Speciality::TermsOfStates), |computed| {
                HostKernel::new(&compile_observables(computed, &self.plan, &self.target)?, &self.neighbours)
            })
        })?;
        let Observed { rule, sources, terms } = &*observed;
        // The kernel's states are those that are kept and one for each reduction that it computes, which has no buffer.
        let mut old = states.readable();
        old.resize(terms.as_ref().map_or(fields.len(), |pass| pass.states.len()), std::ptr::null());
        let buffers = Buffers::new(old, Vec::new());
        let worker = || {
            let worker = Worker::new(terms.as_ref()?, &self.neighbours, globals);
            // SAFETY: the buffers are those of all states of this layout, which nobody writes while they are borrowed.
            let worker = unsafe { TermsOfUnits::new(worker, &buffers, fields.len()) };
            Some(Box::new(worker) as Box<dyn TermWorker + '_>)
        };
        let computed = terms.as_ref().map_or(&[][..], |pass| &pass.states[fields.len()..]);
        let terms = Terms { sources, fields, computed, worker: &worker };
        Ok(reduce(&Reducer { cells: Cells::Lanes(&self.neighbours), rule, terms, threads }))
    }

    /// The reductions of these numbers, all of one round.
    fn of_round(&self, states: &States, globals: Globals<'_>, which: &[usize]) -> Result<Vec<ObservedValue>> {
        let threads = if self.neighbours.is_small() { 1 } else { rayon::current_num_threads() };
        self.reduce(states, globals, which, threads, |reducer| reducer.values())
    }
}

/// What reduces a device's states on the host, where a copy of them stands.
#[cfg(feature = "cuda")]
pub(crate) enum HostReducer {
    /// Of replica lanes.
    Replicas(Box<Prepared>),
    /// Of rows.
    Rows(Box<rows::Prepared>),
}

#[cfg(feature = "cuda")]
impl HostReducer {
    /// Of states that a plan has made, on the threads of the pool that this is called in.
    pub fn new(domain: &Domain, rule: &Arc<Rule>, plan: &Plan) -> Result<HostReducer> {
        let threads = rayon::current_num_threads();
        Ok(match &*plan.storage {
            Storage::Replicas(layout) => {
                let worth = EngineOptions::default().cells_worth_threads;
                let neighbours = HostNeighbours::new(layout.clone(), worth, None, Off::none());
                let prepared = Prepared::new(rule, plan.clone(), &target(threads, None, None), neighbours);
                HostReducer::Replicas(Box::new(prepared))
            }
            Storage::Rows(_) | Storage::Packed(_) => {
                let target = rows::target(threads, None);
                let prepared = rows::Prepared::new(domain, rule, plan.clone(), target, None);
                HostReducer::Rows(Box::new(prepared))
            }
        })
    }

    /// The reductions of these numbers, on the threads of the pool that this is called in.
    ///
    /// # Errors
    /// If the rule's code is too long for kernels, or there is no memory for them.
    pub fn reductions_of(
        &self,
        states: &States,
        inputs: &MemberInputs,
        time: u32,
        which: &[usize],
    ) -> Result<Vec<ObservedValue>> {
        let params: Vec<u64> = inputs.params.iter().map(|param| param.bits()).collect();
        let globals = Globals { params: &params, time, seed: inputs.seed };
        match self {
            HostReducer::Replicas(prepared) => prepared.reductions_of(states, globals, which),
            HostReducer::Rows(prepared) => prepared.reductions_of(states, globals, which),
        }
    }
}

/// Does some work that asks for threads only where there are cells enough: on the calling thread where there are not, as waking another takes
/// longer than the work.
fn on_threads_worth_it<T: Send>(neighbours: &HostNeighbours, pool: &ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    if neighbours.is_small() { work() } else { pool.install(work) }
}

impl Cpu {
    /// Computes the initial states into buffers that are 0; nothing where members are lanes, which those alone begin.
    fn initialise(&mut self) {
        let Prepared { init: Some(init), neighbours, .. } = &*self.prepared else { return };
        // Nothing is loaded, so the present buffers can be written themselves.
        let new = self.host.states.writable();
        let buffers = Buffers::new(vec![std::ptr::null(); new.len()], new);
        let globals = self.host.globals(0);
        // SAFETY: the kernel loads nothing, and stores to the buffers of its layout, which are borrowed for writing.
        self.host.pool.install(|| unsafe { init.run(neighbours, &buffers, globals, Work::All) });
        self.host.activity.reset();
    }

    /// Computes time steps.
    fn steps(&mut self, steps: u32) -> Result<()> {
        self.prepare(steps)?;
        let most_steps = self.most_steps();
        let (whole, rest) = (steps / most_steps, steps % most_steps);
        // The pool is entered once for all steps.
        let (pool, prepared) = (Arc::clone(&self.host.pool), Arc::clone(&self.prepared));
        on_threads_worth_it(&prepared.neighbours, &pool, || {
            let mut left = whole * most_steps;
            while left > 0 {
                let writes = self.passes[&most_steps].first().map_or(&[][..], HostKernel::writes);
                left -= self.host.pass_still(writes, most_steps, left);
                if left > 0 {
                    self.advance(most_steps);
                    left -= most_steps;
                }
            }
            if rest > 0 {
                self.advance(rest);
            }
        });
        Ok(())
    }

    /// Computes a named step.
    fn part(&mut self, index: usize) -> Result<()> {
        self.compile(1)?;
        let (pool, prepared) = (Arc::clone(&self.host.pool), Arc::clone(&self.prepared));
        on_threads_worth_it(&prepared.neighbours, &pool, || self.run_pass(1, index));
        self.host.time += u32::from(index + 1 == self.passes[&1].len());
        Ok(())
    }
}

impl Engine for Cpu {
    fn about(&self) -> About {
        let (layout, most_steps) = (self.layout(), self.most_steps());
        let execution = Execution {
            lane_digits: layout.lane_digits(),
            micro_digits: layout.micro_digits(),
            steps_per_pass: most_steps,
            compiler: self.engine(),
        };
        About {
            members: 1,
            strategy: "lanes",
            execution: Some(execution),
            steps_of_pass: most_steps.max(1),
            state_bytes: self.host.states.bytes(),
            computes_globals: false,
            reduces_ahead: false,
        }
    }

    fn device(&self) -> String {
        memory::processor_name()
    }

    fn time(&self) -> u32 {
        self.host.time
    }

    fn set_time(&mut self, time: u32) {
        self.host.time = time;
    }

    fn set_params(&mut self, params: &[Vec<Value>]) -> Result<()> {
        self.host.set_params(&self.prepared.rule, params)
    }

    fn prepare(&mut self, steps: u32) -> Result<()> {
        let most_steps = self.most_steps();
        if steps >= most_steps {
            self.compile(most_steps)?;
        }
        match steps % most_steps {
            0 => Ok(()),
            rest => self.compile(rest),
        }
    }

    fn run(&mut self, what: Run) -> Result<()> {
        match what {
            Run::Steps(steps) => self.steps(steps),
            Run::Part(index) => self.part(index),
        }
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let HostSimulation { states, pool, time, .. } = &self.host;
        let reduce = || self.prepared.reductions_of(states, self.host.globals(*time), which);
        Ok(vec![on_threads_worth_it(&self.prepared.neighbours, pool, reduce)?])
    }

    fn digest(&self, _: usize, state: StateId) -> Result<u64> {
        Ok(self.host.digest(state))
    }

    fn block_sums(&self, _: usize, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        Ok(self.host.block_sums(state, mu, sample))
    }

    fn read(&self, _: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        self.host.read(state, cells, bytes);
        Ok(())
    }

    fn write(&mut self, _: usize, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        self.host.write(state, cells, bytes);
        Ok(())
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        self.host.begin(&self.prepared.rule, members)?;
        self.initialise();
        Ok(true)
    }

    fn twin(&self, member: &MemberInputs, threads: Option<usize>) -> Result<Option<Box<dyn Engine>>> {
        let (prepared, pool) = (Arc::clone(&self.prepared), self.host.pool_of_twin(threads)?);
        Ok(Some(Box::new(Cpu::of(prepared, member, pool, self.host.activity.is_on())?)))
    }

    fn pool(&self) -> Option<&Arc<ThreadPool>> {
        Some(&self.host.pool)
    }
}

/// What kernels are made for on this CPU, with this instruction set or the best that there is, where so many threads work; or on another one if it is
/// given.
pub(crate) fn target(threads: usize, isa: Option<AvailableIsa>, hardware: Option<&Hardware>) -> Target {
    let machine = hardware.and_then(|hardware| hardware.cpu(threads));
    let machine = machine.unwrap_or_else(|| usual_machine(threads, isa.map(AvailableIsa::isa)));
    Target::cpu(threads).on(Some(machine)).with_passes(squeeze_codegen::passes(isa))
}

/// The same of as many threads as there are.
pub fn usual_target(hardware: Option<&Hardware>) -> Target {
    target(rayon::current_num_threads(), None, hardware)
}

/// What layouts are chosen for if no machine is named: one with this instruction set, or the best that there is.
pub fn usual_machine(threads: usize, isa: Option<Isa>) -> Machine {
    match isa.or_else(|| AvailableIsa::best().map(AvailableIsa::isa)) {
        Some(Isa::Avx2) => Machine::cpu_with_avx2(threads),
        Some(Isa::Avx512 | Isa::Sse41) | None => Machine::cpu(threads),
    }
}

/// Bytes of all buffers and of the neighbour table.
pub(crate) fn bytes_needed(plan: &Plan, target: &Target) -> u64 {
    u64::try_from(plan.bytes(target)).unwrap_or(u64::MAX)
}

/// What the states take on every layout: their values alone.
fn least_bytes(domain: &Domain, rule: &Rule) -> u128 {
    let bits_of = |(index, state): (usize, &squeeze_compiler::ir::State)| {
        let bits = match Planes::of(rule, state.ty) {
            Planes::Bits(count) => u128::from(count),
            Planes::Number(ty) => 8 * u128::from(ty.scalar().bytes()),
        };
        if rule.changes(index) { 2 * bits } else { bits }
    };
    let bits: u128 = rule.kept_states().enumerate().map(bits_of).sum();
    bits * u128::from(domain.cells()) / 8
}

/// The largest level below the domain's that fits.
fn largest_level(domain: &Domain, rule: &Rule, limit: u64, threads: usize) -> Option<u32> {
    let target = Target::cpu(threads);
    (0..domain.level()).rev().find(|&level| {
        let domain = Domain::new(Arc::clone(domain.fractal()), level).ok();
        let plan = domain.and_then(|domain| plan::choices(&domain, rule, &target).ok()?.next());
        plan.is_some_and(|plan| bytes_needed(&plan, &target) <= limit)
    })
}
