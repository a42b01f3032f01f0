//! The CPU backend: replica lanes, compiled to machine code when a run begins.
//!
//! A plan fixes the layout and how many time steps one pass carries. The rule is lowered to kernels for that layout; each
//! is compiled (`code`) and run for every superblock (`pass`), reading the old buffers of the states and
//! writing the new ones, which are then exchanged. Initial values and the terms of observables are kernels like any other.
//! The fractal is never expanded.

mod activity;
mod ahead_of_time;
pub(crate) mod buffer;
pub mod call;
mod code;
mod decide;
mod helpers;
mod levels;
pub mod machine;
mod measure;
#[cfg(any(test, not(all(target_arch = "x86_64", unix))))]
pub mod native;
mod pass;
mod permute;
mod program;
pub mod random;
pub mod rows;
#[cfg(test)]
mod tests;
mod transfer;
mod world;

use crate::engine::{Backend, Engine, EngineError, Execution, Result};
use crate::memory;
use crate::state::field::Sample;
use activity::{Activity, Extent, Marks};
use buffer::{Buffer, Shared};
use code::Code;
use pass::{Buffers, Globals, Pass, Work};
use rayon::ThreadPool;
use squeeze_compiler::compile::{compile_observables, compile_steps};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::kernel::Planes;
use squeeze_compiler::ir::{Reduction, Rule, StateId, Value};
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::numerics::fold::ObservedValue;
use squeeze_compiler::passes::Ready;
use squeeze_compiler::plan::{self, Candidate, Hardware, Machine, Plan, StateMemory, candidates, state_memory};
use squeeze_compiler::{Target, compile};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use world::HostTables;

pub use ahead_of_time::{AheadOfTime, Functions};
pub use machine::Isa;
pub use program::program;

/// An engine whose states stand in the host's memory as they do on a device of the same layout.
#[cfg(feature = "cuda")]
pub(crate) trait HostStates: Engine {
    /// The memory of the state of this index.
    fn buffer(&mut self, index: usize) -> &mut [u8];
}

#[cfg(feature = "cuda")]
impl HostStates for Cpu {
    fn buffer(&mut self, index: usize) -> &mut [u8] {
        self.activity.reset();
        self.fields[index].now.as_mut_slice()
    }
}

/// A simulation on the CPU.
pub struct Cpu {
    rule: Arc<Rule>,
    world: Arc<HostTables>,
    fields: Vec<Field>,
    params: Vec<u64>,
    seed: u64,
    time: u32,
    /// The most time steps that one pass carries.
    most_steps: u32,
    /// What computes the initial states; none where another device does.
    init: Option<Arc<Pass>>,
    /// The kernels that together compute so many time steps.
    passes: BTreeMap<u32, Arc<[Pass]>>,
    /// What was compiled for this and for all that [`another`](Engine::another) made of it.
    compiled: Arc<Mutex<BTreeMap<u32, Arc<[Pass]>>>>,
    /// Kernels that need not be compiled.
    ahead_of_time: Option<AheadOfTime>,
    /// The reductions over all cells, and those by level.
    observed: Arc<[Observed; 2]>,
    pool: Arc<ThreadPool>,
    plan: Plan,
    target: Target,
    activity: Activity,
}

/// Some of a rule's reductions.
struct Observed {
    /// The rule with no other reductions.
    rule: Arc<Rule>,
    /// What computes their terms, once it was needed.
    terms: OnceLock<Pass>,
}

impl Observed {
    /// Those over all cells, and those by level.
    fn both(rule: &Arc<Rule>) -> Arc<[Observed; 2]> {
        Arc::new([false, true].map(|by_level| {
            let mut part = Rule::clone(rule);
            part.reductions.retain(|reduction| reduction.level.is_some() == by_level);
            Observed { rule: Arc::new(part), terms: OnceLock::new() }
        }))
    }
}

/// How to run, where that is not to be what suits the machine. Results are the same whatever is said here.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The number of threads; `None` takes as many as the machine runs at once.
    pub threads: Option<usize>,
    /// A layout to take instead of the planned one.
    pub choice: Option<Candidate>,
    /// The machine that layouts are chosen for, if it is a CPU; the usual one if it is none.
    pub hardware: Option<Hardware>,
    /// Below this many cells a pass runs on the calling thread: waking others would take longer. Tests lower it, to see
    /// several threads at sizes that the oracle can do. [`ALONE`] says that other simulations keep the other threads busy.
    pub cells_worth_threads: u64,
    /// The instruction set that kernels are compiled for, on x86-64; `None` takes the best that the machine has.
    pub isa: Option<Isa>,
    /// Kernels that were compiled with the program; they are taken at levels whose layout they fit, unless another is wanted.
    pub ahead_of_time: Option<AheadOfTime>,
    /// Whether superblocks are left out that cannot change.
    pub activity: bool,
}

/// [`Tuning::cells_worth_threads`] of a simulation whose passes run on one thread, whatever its size.
pub const ALONE: u64 = u64::MAX;

impl Default for Tuning {
    fn default() -> Self {
        Tuning {
            threads: None,
            choice: None,
            hardware: None,
            cells_worth_threads: 1 << 17,
            isa: None,
            ahead_of_time: None,
            activity: true,
        }
    }
}

/// A state's memory.
struct Field {
    columns: Columns,
    now: Buffer,
    /// What the next pass writes; none for states that no step changes.
    next: Option<Buffer>,
}

impl Cpu {
    /// Checks that the states fit in `limit` bytes, compiles what initialises them, and runs it.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if it does not fit, [`EngineError::System`] if the rule's code is too long for kernels or the machine
    /// fails.
    pub fn new(
        domain: &Domain,
        rule: &Arc<Rule>,
        seed: u64,
        params: &[Value],
        limit: u64,
        tuning: Tuning,
    ) -> Result<Cpu> {
        let Tuning { threads, choice, hardware, cells_worth_threads, isa, ahead_of_time, activity } = tuning;
        if let Some(isa) = isa.filter(|isa| !isa.is_available()) {
            return Err(EngineError::NoIsa(isa));
        }
        // Kernels compiled with the program choose by themselves what they use.
        let ahead_of_time = ahead_of_time.filter(|_| isa.is_none());
        let pool = Arc::new(crate::threads::pool(threads)?);
        let planned_threads = if cells_worth_threads == ALONE { 1 } else { pool.current_num_threads() };
        // Kernels compiled with the program compare the words of draws.
        let words = Machine::comparing_words(planned_threads);
        let too_large = |needed: f64| EngineError::Memory {
            fractal: domain.fractal().name.clone(),
            level: domain.level(),
            backend: Backend::Cpu.name(),
            needed,
            available: limit,
            largest: largest_level(domain, rule, limit, pool.current_num_threads()),
        };
        // Before any layout is looked for: on a level that is far too high there is none.
        let least = least_bytes(domain, rule);
        if least > u128::from(limit) {
            return Err(too_large(least as f64));
        }
        let fits =
            ahead_of_time.as_ref().filter(|_| choice.is_none()).and_then(|kernels| kernels.plan(domain, rule, &words));
        let ahead_of_time = ahead_of_time.filter(|_| fits.is_some());
        let machine = hardware.and_then(|hardware| hardware.cpu(planned_threads));
        let target = Target::cpu(planned_threads).on(machine).demanding(choice.or(fits));
        let mut target = if ahead_of_time.is_some() { Target { machine: words, ..target } } else { target };
        let params: Vec<u64> = params.iter().map(|param| param.bits()).collect();
        loop {
            let compiled = compile(rule, domain, &target)?;
            let needed = bytes_needed(rule, compiled.plan.layout());
            if needed > limit {
                return Err(too_large(needed as f64));
            }
            let candidate = compiled.plan.candidate.clone();
            let tables = || HostTables::new(candidate.layout.clone(), cells_worth_threads, isa);
            let world = Arc::new(pool.install(tables));
            let cpu = Cpu {
                rule: Arc::clone(rule),
                fields: Vec::new(),
                params: params.clone(),
                seed,
                time: 0,
                most_steps: compiled.plan.steps(),
                init: None,
                passes: BTreeMap::new(),
                compiled: Arc::default(),
                ahead_of_time: ahead_of_time.clone(),
                observed: Observed::both(rule),
                pool: Arc::clone(&pool),
                world,
                plan: compiled.plan,
                target: target.clone(),
                activity: Activity::new(activity),
            };
            match cpu.begin(&compiled.init, &compiled.steps) {
                // What is known of a kernel before it is compiled is not how many values live at once.
                Err(EngineError::LargeKernel { kernel, what }) => match target.shorter_than(&candidate) {
                    Some(shorter) if !plan::choices(domain, rule, &shorter).is_empty() => target = shorter,
                    _ => return Err(EngineError::LargeKernel { kernel, what }),
                },
                result => return result,
            }
        }
    }

    /// Makes the kernels ready and the states those of the beginning.
    fn begin(mut self, init: &Ready, steps: &[Ready]) -> Result<Cpu> {
        let compiled = Arc::clone(&self.compiled);
        self.compile_passes(compiled.lock().unwrap_or_else(PoisonError::into_inner), self.most_steps, steps)?;
        self.init = Some(Arc::new(Pass::new(init, &self.world)?));
        self.fields = fields_of(&self.plan, &self.world)?;
        self.initialise();
        Ok(self)
    }

    /// Memory of a layout that computes no steps: another backend puts its states there to be measured. The caller has
    /// compared the size with what is available.
    ///
    /// # Errors
    /// [`EngineError::System`] if the machine fails.
    pub(crate) fn mirror(
        rule: &Arc<Rule>,
        seed: u64,
        params: &[Value],
        threads: Option<usize>,
        plan: Plan,
    ) -> Result<Cpu> {
        let pool = Arc::new(crate::threads::pool(threads)?);
        let world =
            pool.install(|| HostTables::new(plan.layout().clone(), Tuning::default().cells_worth_threads, None));
        let mut fields = Vec::new();
        for &StateMemory { columns, .. } in &plan.states {
            let now = Buffer::new(columns.block as u64 * u64::from(world.superblocks()))?;
            fields.push(Field { columns, now, next: None });
        }
        Ok(Cpu {
            rule: Arc::clone(rule),
            world: Arc::new(world),
            fields,
            params: params.iter().map(|param| param.bits()).collect(),
            seed,
            time: 0,
            most_steps: plan.steps(),
            init: None,
            passes: BTreeMap::new(),
            compiled: Arc::default(),
            ahead_of_time: None,
            observed: Observed::both(rule),
            target: Target::cpu(pool.current_num_threads()),
            pool,
            plan,
            activity: Activity::new(false),
        })
    }

    /// Computes the initial states into buffers that are 0.
    fn initialise(&mut self) {
        let Some(init) = &self.init else { return };
        // Nothing is loaded, so the present buffers can be written themselves.
        let new = self.fields.iter_mut().map(|field| Shared(field.now.as_mut_ptr())).collect();
        let buffers = Buffers { old: vec![std::ptr::null(); self.fields.len()], new };
        let globals = Globals { params: &self.params, time: 0, seed: self.seed };
        // SAFETY: the kernel loads nothing, and stores to the buffers of its world, which are borrowed for writing.
        self.pool.install(|| unsafe { init.run(&self.world, &buffers, globals, Work::All) });
        self.activity.reset();
    }

    /// Makes sure that there are kernels for so many steps at once.
    fn prepare(&mut self, steps: u32) -> Result<()> {
        if self.passes.contains_key(&steps) {
            return Ok(());
        }
        let compiled = Arc::clone(&self.compiled);
        let compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(passes) = compiled.get(&steps) {
            self.passes.insert(steps, Arc::clone(passes));
            return Ok(());
        }
        // Whoever waits for the lock needs the same kernels.
        let kernels = compile_steps(&self.rule, &self.plan, steps, &self.target)?;
        self.compile_passes(compiled, steps, &kernels)
    }

    /// Makes the kernels that together compute so many steps ready to run, here and for others.
    fn compile_passes(
        &mut self,
        mut compiled: MutexGuard<'_, BTreeMap<u32, Arc<[Pass]>>>,
        steps: u32,
        kernels: &[Ready],
    ) -> Result<()> {
        let ahead_of_time = self.ahead_of_time.as_ref().and_then(|ahead_of_time| ahead_of_time.functions(steps));
        let passes: Result<Arc<[Pass]>> = match ahead_of_time {
            Some(functions) if functions.len() == kernels.len() => {
                let pass = |(kernel, &(function, compiler)): (&Ready, &_)| {
                    Ok(Pass::of_code(kernel, &self.world, Code::AheadOfTime(function, compiler)))
                };
                kernels.iter().zip(functions).map(pass).collect()
            }
            _ => kernels.iter().map(|kernel| Pass::new(kernel, &self.world)).collect(),
        };
        let passes = passes?;
        compiled.insert(steps, Arc::clone(&passes));
        self.passes.insert(steps, passes);
        Ok(())
    }

    /// Computes `steps` time steps with the kernels prepared for so many.
    fn advance(&mut self, steps: u32) {
        for index in 0..self.passes[&steps].len() {
            self.run(steps, index);
        }
        self.time += steps;
    }

    /// Runs one of the kernels prepared for `steps` time steps.
    fn run(&mut self, steps: u32, index: usize) {
        let passes = &self.passes[&steps];
        let (pass, world) = (&passes[index], &self.world);
        // What is made in several passes may be anything in between.
        let extent = match passes.len() == 1 && self.rule.globals.is_empty() && pass.may_rest() {
            true => {
                let superblocks = world.superblocks() as usize;
                let make = || Marks::new(superblocks, false);
                self.activity.begin(steps, superblocks, make, |marks, units| world.spread(marks, units))
            }
            false => {
                self.activity.reset();
                Extent::All
            }
        };
        let new = |field: &mut Field| field.next.as_mut().map_or(std::ptr::null_mut(), Buffer::as_mut_ptr);
        let buffers = Buffers {
            old: self.fields.iter().map(|field| field.now.as_ptr()).collect(),
            new: self.fields.iter_mut().map(|field| Shared(new(field))).collect(),
        };
        let globals = Globals { params: &self.params, time: self.time + 1, seed: self.seed };
        let work = match extent {
            Extent::All => Work::All,
            Extent::Watched => Work::Watched(&self.activity.marks),
            Extent::Listed => Work::Listed(&self.activity.units, &self.activity.marks),
        };
        // SAFETY: the buffers are those of all states in this world, borrowed for writing; what a kernel stores has two.
        unsafe { pass.run(&self.world, &buffers, globals, work) };
        self.activity.finish(extent);
        for &state in pass.writes() {
            let field = &mut self.fields[state];
            if let Some(next) = &mut field.next {
                std::mem::swap(&mut field.now, next);
            }
        }
    }

    /// The pass that computes the terms of some reductions.
    fn terms<'c>(&'c self, observed: &'c Observed) -> Result<&'c Pass> {
        if let Some(pass) = observed.terms.get() {
            return Ok(pass);
        }
        let kernel = compile_observables(&observed.rule, &self.plan, &self.target)?;
        let pass = Pass::new(&kernel, &self.world)?;
        Ok(observed.terms.get_or_init(|| pass))
    }

    /// The reductions over all cells.
    fn whole(&self) -> Result<Vec<ObservedValue>> {
        let [observed, _] = &*self.observed;
        if observed.rule.reductions.is_empty() {
            return Ok(Vec::new());
        }
        let terms = self.terms(observed)?;
        // The kernel's states are those that are kept and one for each reduction, which has no buffer.
        let old = self.fields.iter().map(|field| field.now.as_ptr());
        let old = old.chain(observed.rule.reductions.iter().map(|_| std::ptr::null())).collect();
        let buffers = Buffers { old, new: Vec::new() };
        let globals = Globals { params: &self.params, time: self.time, seed: self.seed };
        // SAFETY: the buffers are those of all states in this world, which nobody writes while `self` is borrowed.
        let observe = || unsafe { measure::observe(&self.world, &observed.rule, terms, &buffers, globals) };
        Ok(on_threads_worth_it(&self.world, &self.pool, observe))
    }

    /// The reductions by level.
    fn by_level(&self) -> Result<Vec<ObservedValue>> {
        let [_, observed] = &*self.observed;
        if observed.rule.reductions.is_empty() {
            return Ok(Vec::new());
        }
        let terms = self.terms(observed)?;
        let globals = Globals { params: &self.params, time: self.time, seed: self.seed };
        let fields = &self.fields;
        self.pool.install(|| {
            let old = fields.iter().map(|field| field.now.as_ptr()).collect();
            // SAFETY: the buffers are those of all states in this world, which nobody writes while `self` is borrowed.
            unsafe { levels::reduce(&self.world, &observed.rule, terms, old, globals) }
        })
    }

    /// The layout that was chosen.
    pub fn layout(&self) -> &Layout {
        &self.world.layout
    }

    /// The most time steps that one pass carries.
    pub fn steps_per_pass(&self) -> u32 {
        self.most_steps
    }

    /// The name of the engine that compiled the steps' kernels: `avx512`, `avx2`, `sse4.1` or `cranelift`.
    pub fn engine(&self) -> &'static str {
        self.passes[&self.most_steps].first().map_or("none", Pass::engine)
    }

    /// Bits of the value of a state in a cell.
    fn bits(&self, state: StateId, c: u64) -> u64 {
        let (lane, superblock, micro) = self.world.layout.split(c);
        let Field { columns, now, .. } = &self.fields[usize::from(state.0)];
        let first = superblock as usize * columns.block + micro as usize * columns.column;
        columns.bits(&now.as_slice()[first..first + columns.column], lane as usize)
    }
}

/// Does some work that asks for threads only where there are cells enough: on the calling thread where there are not, as waking another takes
/// longer than the work.
fn on_threads_worth_it<T: Send>(world: &HostTables, pool: &ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    if world.is_small() { work() } else { pool.install(work) }
}

impl Engine for Cpu {
    fn step(&mut self, steps: u32) -> Result<()> {
        let whole = steps / self.most_steps;
        let rest = steps % self.most_steps;
        if whole > 0 {
            self.prepare(self.most_steps)?;
        }
        if rest > 0 {
            self.prepare(rest)?;
        }
        // The pool is entered once for all steps.
        let pool = Arc::clone(&self.pool);
        let world = Arc::clone(&self.world);
        on_threads_worth_it(&world, &pool, || {
            for _ in 0..whole {
                self.advance(self.most_steps);
            }
            if rest > 0 {
                self.advance(rest);
            }
        });
        Ok(())
    }

    fn part(&mut self, index: usize) -> Result<()> {
        self.prepare(1)?;
        let pool = Arc::clone(&self.pool);
        let world = Arc::clone(&self.world);
        on_threads_worth_it(&world, &pool, || self.run(1, index));
        self.time += u32::from(index + 1 == self.passes[&1].len());
        Ok(())
    }

    fn time(&self) -> u32 {
        self.time
    }

    fn digest(&self, state: StateId) -> Result<u64> {
        let field = &self.fields[usize::from(state.0)];
        Ok(self.pool.install(|| measure::digest(&self.world, &field.columns, &field.now)))
    }

    fn reductions(&self) -> Result<Vec<ObservedValue>> {
        let (mut whole, mut by_level) = (self.whole()?.into_iter(), self.by_level()?.into_iter());
        let of = |reduction: &Reduction| if reduction.level.is_some() { by_level.next() } else { whole.next() };
        Ok(self.rule.reductions.iter().filter_map(of).collect())
    }

    fn value(&self, state: StateId, c: u64) -> Result<Value> {
        Ok(Value::from_bits(self.rule.state(state).ty, self.bits(state, c)))
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let Field { columns, now, .. } = &self.fields[usize::from(state.0)];
        let ty = self.rule.state(state).ty;
        Ok(self.pool.install(|| measure::block_sums(&self.world, columns, now, ty, mu, sample)))
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        let Field { columns, now, .. } = &self.fields[usize::from(state.0)];
        let ty = self.rule.state(state).ty;
        self.pool.install(|| transfer::read(&self.world, columns, now.as_slice(), ty, cells, bytes));
        Ok(())
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        let Field { columns, now, .. } = &mut self.fields[usize::from(state.0)];
        let ty = self.rule.state(state).ty;
        let (pool, world) = (&self.pool, &self.world);
        pool.install(|| transfer::write(world, columns, now.as_mut_slice(), ty, cells, bytes));
        self.activity.reset();
        Ok(())
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    fn set_time(&mut self, time: u32) {
        self.time = time;
    }

    fn set_params(&mut self, params: &[Value]) -> Result<()> {
        self.params = params.iter().map(|param| param.bits()).collect();
        self.activity.reset();
        Ok(())
    }

    fn restart(&mut self, seed: u64, params: &[Value]) -> Result<()> {
        self.set_params(params)?;
        (self.seed, self.time) = (seed, 0);
        self.fields.iter_mut().for_each(|field| field.now.as_mut_slice().fill(0));
        self.initialise();
        Ok(())
    }

    fn another(&self, seed: u64, params: &[Value], threads: Option<usize>) -> Result<Option<Box<dyn Engine>>> {
        let pool = match threads {
            Some(_) => Arc::new(crate::threads::pool(threads)?),
            None => Arc::clone(&self.pool),
        };
        let mut cpu = Cpu {
            rule: Arc::clone(&self.rule),
            world: Arc::clone(&self.world),
            fields: fields_of(&self.plan, &self.world)?,
            params: params.iter().map(|param| param.bits()).collect(),
            seed,
            time: 0,
            most_steps: self.most_steps,
            init: self.init.clone(),
            passes: BTreeMap::new(),
            compiled: Arc::clone(&self.compiled),
            ahead_of_time: self.ahead_of_time.clone(),
            observed: Arc::clone(&self.observed),
            pool,
            plan: self.plan.clone(),
            target: self.target.clone(),
            activity: Activity::new(self.activity.is_on()),
        };
        cpu.prepare(cpu.most_steps)?;
        cpu.initialise();
        Ok(Some(Box::new(cpu)))
    }

    fn pool(&self) -> Option<Arc<ThreadPool>> {
        Some(Arc::clone(&self.pool))
    }

    fn state_bytes(&self) -> u64 {
        let bytes = |field: &Field| field.now.len() + field.next.as_ref().map_or(0, Buffer::len);
        self.fields.iter().map(|field| bytes(field) as u64).sum()
    }

    fn strategy(&self) -> &'static str {
        "lanes"
    }

    fn device(&self) -> String {
        memory::processor_name()
    }

    fn execution(&self) -> Option<Execution> {
        Some(Execution {
            lane_digits: self.layout().lane_digits(),
            micro_digits: self.layout().micro_digits(),
            steps_per_pass: self.most_steps,
            compiler: self.engine(),
        })
    }
}

/// Memory for the states of a plan.
fn fields_of(plan: &Plan, world: &HostTables) -> Result<Vec<Field>> {
    let field = |&StateMemory { columns, buffers }: &StateMemory| {
        let bytes = columns.block as u64 * u64::from(world.superblocks());
        let next = if buffers > 1 { Some(Buffer::new(bytes)?) } else { None };
        Ok(Field { columns, now: Buffer::new(bytes)?, next })
    };
    plan.states.iter().map(field).collect()
}

/// The target of a CPU on which so many threads work, or as many as there are; for another one if it is given.
pub fn target(threads: Option<usize>, hardware: Option<&Hardware>) -> Target {
    let threads = threads.unwrap_or_else(rayon::current_num_threads);
    Target::cpu(threads).on(hardware.and_then(|hardware| hardware.cpu(threads)))
}

/// Bytes of all buffers and of the neighbour table.
pub(crate) fn bytes_needed(rule: &Rule, layout: &Layout) -> u64 {
    let superblocks = u64::from(layout.superblocks());
    let states: u128 = state_memory(rule, layout).iter().map(|state| state.bytes(superblocks)).sum();
    u64::try_from(states + u128::from(HostTables::bytes(layout))).unwrap_or(u64::MAX)
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
    (0..domain.level()).rev().find(|&level| {
        let domain = Domain::new(Arc::clone(domain.fractal()), level);
        let choices = domain.map_or(Vec::new(), |domain| candidates(&domain, rule, &Machine::cpu(threads)));
        choices.first().is_some_and(|choice| bytes_needed(rule, &choice.layout) <= limit)
    })
}
