//! Masks and boxes on the CPU: rows as lanes.
//!
//! A column is a stretch of a row ([`RowGrid`]), and a superblock is one column: the kernels are those of replica lanes for a superblock of a single
//! cell that looks at any distance. What lies beside a place in its row is a shifted column, made of two that follow each other; whether
//! there is a cell is a shifted mask. Lanes that are no cells hold 0 between passes, as kernels expect of what does not exist;
//! what stands at the ends of rows is read as it is where that cannot matter (`Halo::guarded`).

mod band;
pub(super) mod bits;
pub(super) mod clear;
mod dense;
pub(super) mod lines;
mod spread;
mod storage;

use super::activity::Extent;
use super::host::{HostSimulation, params_and};
use super::kernel::{Buffers, Globals, HostKernel, Work};
use super::reduce::{Cells, Observed, Reducer, TermWorker, Terms, TermsOfUnits};
use super::worker::Worker;
use crate::engine::options::WatchedFrom;
use crate::engine::rounds::by_rounds_of_one;
use crate::engine::states::States;
use crate::engine::terms::Asked;
use crate::engine::{About, Backend, Engine, EngineError, EngineOptions, MemberInputs, Result, Run};
use crate::state::field::Sample;
use band::Band;
use rayon::ThreadPool;
use spread::Spread;
use squeeze_codegen::AvailableIsa;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::layout::Storage;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::pipeline::compile_observables;
use squeeze_compiler::plan::Plan;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::{Compiled, Speciality, Target, compile};
use squeeze_host::memory;
use std::ops::Range;
use std::sync::Arc;
use storage::RowUnits;

/// A simulation on a mask or a box.
pub struct Rows {
    host: HostSimulation,
    pub(super) prepared: Arc<Prepared>,
    kernels: Arc<Kernels>,
    /// How far the steps look, if they are one kernel that may be left out where nothing changes.
    spread: Option<Spread>,
}

/// What all simulations of one plan share but their kernels. It reduces states, whoever computed them.
pub(crate) struct Prepared {
    rule: Arc<Rule>,
    plan: Plan,
    target: Target,
    domain: Domain,
    grid: Arc<RowGrid>,
    /// What reductions take, for all that was asked for.
    observed: Asked<Observed>,
    /// What kernels see of it.
    units: RowUnits,
}

/// The kernels of a simulation.
struct Kernels {
    /// What computes the initial states.
    init: HostKernel,
    steps: Vec<HostKernel>,
    /// Whether columns may be left out.
    rests: bool,
    /// How several steps are computed in one pass, if they are.
    band: Option<Band>,
}

impl Rows {
    /// Checks that the states fit in memory, compiles the rule and computes the initial states.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if it does not fit, [`EngineError::NoKernel`] if the rule's code is too long for kernels, or if the machine fails.
    pub fn new(domain: &Domain, rule: &Arc<Rule>, seed: u64, params: &[Value], options: EngineOptions) -> Result<Rows> {
        let (limit, isa) = (options.host_limit(), options.available_isa()?);
        let activity = options.watched() != WatchedFrom::Never;
        let EngineOptions { threads, packed, hardware, off, .. } = options;
        let pool = Arc::new(squeeze_host::threads::pool(threads)?);
        let too_large = |needed: u64| EngineError::memory(domain, Backend::Cpu.name(), needed as f64, limit, || None);
        if RowGrid::bytes(domain) > limit {
            return Err(too_large(RowGrid::bytes(domain)));
        }
        let room = limit.saturating_sub(RowGrid::bytes(domain));
        let machine = hardware.and_then(|hardware| hardware.cpu(pool.current_num_threads()));
        let target = target(pool.current_num_threads(), isa).on(machine).without(off).within(room, packed);
        let Compiled { plan, init, steps, .. } = compile(rule, domain, &target)?;
        let (needed, room) = (plan.bytes(&target), u128::from(room));
        if needed > room {
            let all = needed + u128::from(RowGrid::bytes(domain));
            return Err(too_large(u64::try_from(all).unwrap_or(u64::MAX)));
        }
        let prepared = Prepared::new(domain, rule, plan, target, isa);
        let (grid, packed) = (&prepared.grid, prepared.is_packed());
        let kernel = |kernel| HostKernel::new(kernel, &prepared.units);
        let (init, steps) = (kernel(&init)?, steps.iter().map(kernel).collect::<Result<Vec<_>>>()?);
        let left = room.saturating_sub(needed);
        let are_alone = !packed && rule.globals.is_empty();
        // Where rows are short, marks may take more than the states.
        let marks_fit = |step: &HostKernel| u128::from(Spread::new(step, grid).bytes(grid)) <= left;
        let rests = are_alone && matches!(&steps[..], [step] if step.may_rest() && marks_fit(step));
        let band =
            if are_alone { Band::new(&steps, grid, &prepared.plan.states, &prepared.target.machine) } else { None };
        let kernels = Kernels { init, steps, rests, band };
        let inputs = MemberInputs { seed, params: params.to_vec() };
        Rows::of(Arc::new(prepared), Arc::new(kernels), &inputs, pool, activity)
    }

    /// A simulation at its beginning.
    fn of(
        prepared: Arc<Prepared>,
        kernels: Arc<Kernels>,
        inputs: &MemberInputs,
        pool: Arc<ThreadPool>,
        activity: bool,
    ) -> Result<Rows> {
        let host = HostSimulation::new(&prepared.rule, &prepared.plan, inputs, pool, activity)?;
        let spread = kernels.rests.then(|| Spread::new(&kernels.steps[0], &prepared.grid));
        let mut rows = Rows { host, prepared, kernels, spread };
        rows.initialise();
        Ok(rows)
    }

    /// Runs the kernel of this number.
    fn run_pass(&mut self, index: usize) {
        let (grid, kernels) = (&self.prepared.grid, Arc::clone(&self.kernels));
        let HostSimulation { states, activity, .. } = &mut self.host;
        let extent = match &mut self.spread {
            None => Extent::All,
            Some(spread) => {
                let marks = spread.marks_maker(grid);
                activity.begin(1, grid.columns(), marks, |marks, units| spread.list(grid, marks, units))
            }
        };
        let buffers = Buffers::new(states.readable(), states.next_writable());
        let (kernel, activity) = (&kernels.steps[index], &self.host.activity);
        let work = match extent {
            Extent::All => Work::All,
            Extent::Watched => Work::Watched(&activity.marks),
            Extent::Listed => Work::Listed(&activity.units, &activity.marks),
        };
        // SAFETY: the columns are those of all states on this grid, borrowed for writing; what a kernel stores has two buffers.
        unsafe { kernel.run(&self.prepared.units, &buffers, self.host.globals(self.host.time + 1), work) };
        self.host.activity.finish(extent);
        self.host.states.exchange(kernel.writes());
    }

    /// Computes so many steps in one pass.
    fn run_band(&mut self, steps: u32) {
        let kernels = Arc::clone(&self.kernels);
        let Some(band) = &kernels.band else { return };
        let buffers = Buffers::new(self.host.states.readable(), self.host.states.next_writable());
        let globals = self.host.globals(self.host.time + 1);
        // SAFETY: the columns are those of all states on this grid, borrowed for writing; what a kernel stores has two buffers.
        unsafe { band.run(&kernels.steps, &self.prepared.units, &buffers, globals, steps) };
        self.host.activity.pass_unwatched(steps);
        self.host.states.exchange(&band.writes);
    }

    /// How many steps a pass computes, if there are as many to compute.
    fn steps_of_band(&self) -> u32 {
        self.kernels.band.as_ref().map_or(1, Band::steps)
    }

    /// How many steps the next pass computes, of so many that are left.
    fn steps_of_next_pass(&self, left: u32) -> u32 {
        let unwatched = if self.spread.is_some() { self.host.activity.unwatched() } else { u32::MAX };
        self.steps_of_band().min(left).min(unwatched).max(1)
    }
}

impl Prepared {
    /// Of a plan, without kernels.
    pub fn new(domain: &Domain, rule: &Arc<Rule>, plan: Plan, target: Target, isa: Option<AvailableIsa>) -> Prepared {
        let grid = match &*plan.storage {
            Storage::Rows(grid) | Storage::Packed(grid) => Arc::clone(grid),
            Storage::Replicas(_) => unreachable!("masks and boxes have rows"),
        };
        let (rule, domain, observed) = (Arc::clone(rule), domain.clone(), Asked::default());
        let (packed, side) = (matches!(*plan.storage, Storage::Packed(_)), i32::try_from(domain.side()).unwrap_or(0));
        let units = RowUnits::new(Arc::clone(&grid), packed, isa, side, target.off());
        Prepared { rule, plan, target, domain, grid, observed, units }
    }

    /// The reductions that were asked for together.
    #[cfg(test)]
    pub(super) fn asked(&self) -> Vec<Vec<usize>> {
        self.observed.lists()
    }

    /// Whether the states hold the cells alone.
    fn is_packed(&self) -> bool {
        matches!(*self.plan.storage, Storage::Packed(_))
    }

    /// The reductions of these numbers of some states, on the threads of the pool that this is called in.
    pub(super) fn reductions_of(
        &self,
        states: &States,
        globals: Globals<'_>,
        which: &[usize],
    ) -> Result<Vec<ObservedValue>> {
        by_rounds_of_one(&self.rule, which, self.domain.cells(), |which, numbers| {
            let params = params_and(globals.params, numbers);
            self.of_round(states, Globals { params: &params, ..globals }, which)
        })
    }

    /// The reductions of these numbers, all of one round.
    fn of_round(&self, states: &States, globals: Globals<'_>, which: &[usize]) -> Result<Vec<ObservedValue>> {
        let (fields, grid) = (states.fields(), &*self.grid);
        let direct = !self.is_packed() && self.target.off().allows(Speciality::TermsOfStates);
        let observed = self.observed.get(which, || {
            Observed::new(&self.rule, which, direct, |computed| {
                let kernel = compile_observables(computed, &self.plan, &self.target)?;
                HostKernel::new(&kernel, &self.units)
            })
        })?;
        let Observed { rule, sources, terms } = &*observed;
        let old = Buffers::new(states.readable(), Vec::new());
        let worker = || {
            let worker = Worker::new(terms.as_ref()?, &self.units, globals);
            // SAFETY: the columns are those of all states on this grid, which nobody writes while they are borrowed.
            let worker = unsafe { TermsOfUnits::new(worker, &old, fields.len()) };
            Some(Box::new(worker) as Box<dyn TermWorker + '_>)
        };
        let computed = terms.as_ref().map_or(&[][..], |pass| &pass.states[fields.len()..]);
        let terms = Terms { sources, fields, computed, worker: &worker };
        Ok(Reducer { cells: Cells::Rows(grid), rule, terms, threads: rayon::current_num_threads() }.values())
    }
}

/// What kernels are compiled for.
pub(super) fn target(threads: usize, isa: Option<AvailableIsa>) -> Target {
    Target::cpu(threads).with_passes(squeeze_codegen::passes(isa))
}

impl Rows {
    /// Computes the initial states into buffers that are 0.
    fn initialise(&mut self) {
        let new = self.host.states.writable();
        let buffers = Buffers::new(vec![std::ptr::null(); new.len()], new);
        let (init, globals) = (&self.kernels.init, self.host.globals(0));
        // SAFETY: the kernel loads nothing, and stores to the columns of this grid, which are borrowed for writing.
        self.host.pool.install(|| unsafe { init.run(&self.prepared.units, &buffers, globals, Work::All) });
        self.host.activity.reset();
    }

    /// Computes time steps.
    fn steps(&mut self, steps: u32) {
        let (pool, kernels) = (Arc::clone(&self.host.pool), Arc::clone(&self.kernels));
        pool.install(|| {
            let mut left = steps;
            while left > 0 {
                left -= self.host.pass_still(kernels.steps[0].writes(), 1, left);
                if left == 0 {
                    return;
                }
                let steps = self.steps_of_next_pass(left);
                match steps {
                    1 => (0..kernels.steps.len()).for_each(|index| self.run_pass(index)),
                    _ => self.run_band(steps),
                }
                self.host.time += steps;
                left -= steps;
            }
        });
    }

    /// Computes a named step.
    fn part(&mut self, index: usize) {
        let pool = Arc::clone(&self.host.pool);
        pool.install(|| self.run_pass(index));
        self.host.time += u32::from(index + 1 == self.kernels.steps.len());
    }
}

impl Engine for Rows {
    fn about(&self) -> About {
        About {
            members: 1,
            strategy: if self.prepared.is_packed() { "packed" } else { "lanes" },
            execution: None,
            steps_of_pass: self.steps_of_band(),
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

    fn run(&mut self, what: Run) -> Result<()> {
        match what {
            Run::Steps(steps) => self.steps(steps),
            Run::Part(index) => self.part(index),
        }
        Ok(())
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let HostSimulation { states, pool, time, .. } = &self.host;
        Ok(vec![pool.install(|| self.prepared.reductions_of(states, self.host.globals(*time), which))?])
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
        let (prepared, kernels) = (Arc::clone(&self.prepared), Arc::clone(&self.kernels));
        let pool = self.host.pool_of_twin(threads)?;
        Ok(Some(Box::new(Rows::of(prepared, kernels, member, pool, self.host.activity.is_on())?)))
    }

    fn pool(&self) -> Option<&Arc<ThreadPool>> {
        Some(&self.host.pool)
    }
}
