//! The CPU backend: lanes in machine code that is compiled when a run begins.
//!
//! A plan fixes how cells are stored and how many time steps one pass carries. The rule is lowered to kernels for that; each is compiled
//! (`squeeze_codegen`) and run for every unit of the storage (`worker`), reading the old buffers of the states and
//! writing the new ones, which are then exchanged. Initial values and the terms of observables are kernels like any other.
//! A fractal is never expanded.

mod activity;
mod decide;
mod inputs;
mod kernel;
mod letters;
mod members;
mod parts;
mod permute;
mod prepared;
#[cfg(feature = "standalone")]
mod program;
mod reduce;
mod replicas;
mod rows;
mod squares;
mod strips;
#[cfg(test)]
mod tests;
mod tile;
mod turns;
pub(crate) mod vectors;
mod worker;

use crate::engine::TypedState;
use crate::options::{ALONE, CELLS_WORTH_THREADS, WatchedFrom};
use crate::packed::StateValues;
use crate::params::Params;
use crate::pass::{KernelEngine, Pass};
use crate::reduce::{Question, ReducedCells, Take, reduce};
use crate::sample::AskedSums;
use crate::states::{self, States};
use crate::{About, Engine, EngineOptions, Execution, MemberInputs, Result, check_count, check_inputs, install};
use activity::{Activity, Extent};
use kernel::{Buffers, Globals, HostKernel, Work};
use prepared::{Kernels, bits_of, most_marks};
use rayon::ThreadPool;
use squeeze_codegen::AvailableIsa;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::StateId;
use squeeze_compiler::plan::Plan;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::target::{Hardware, Machine};
use squeeze_compiler::{Off, Program, Speciality, Target, compile};
use squeeze_host::memory;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::Arc;

pub use crate::ahead_of_time::{AheadOfTime, Functions};
pub(crate) use parts::HostLink;
#[doc(hidden)]
pub use prepared::Prepared;
#[cfg(feature = "standalone")]
pub use program::program;
pub use squeeze_codegen::Isa;

/// Tries whether this backend can run here.
///
/// # Errors
/// [`EngineError::Forbidden`](crate::EngineError::Forbidden) if the system forbids it.
pub fn check() -> Result<()> {
    Ok(squeeze_codegen::check_execution()?)
}

/// A simulation on the CPU.
pub struct Cpu {
    prepared: Arc<Prepared>,
    /// The kernels that were asked for, by the number of time steps that they compute together.
    kernels: BTreeMap<u32, Arc<Kernels>>,
    states: States,
    inputs: MemberInputs,
    /// The bits of the values of the parameters and globals.
    params: Vec<u64>,
    time: u32,
    pool: Arc<ThreadPool>,
    activity: Activity,
}

impl Cpu {
    /// Checks that the states fit in memory, compiles the kernel of their initial values, and runs it.
    ///
    /// # Errors
    /// [`EngineError::Memory`](crate::EngineError::Memory) if it does not fit, [`EngineError::NoKernel`](crate::EngineError::NoKernel) if the
    /// rule's code is too long for kernels; or if the machine fails.
    pub fn new(rule: &FittedRule, inputs: &MemberInputs, options: &EngineOptions) -> Result<Cpu> {
        let (isa, pool) = (options.available_isa()?, Arc::new(crate::pool(options.threads)?));
        let worth = options.cells_worth_threads.unwrap_or(CELLS_WORTH_THREADS);
        let threads = if worth == ALONE { 1 } else { pool.current_num_threads() };
        // Kernels compiled with the program choose by themselves what they use, and compare the words of draws.
        let words = Machine::comparing_words(threads);
        let ahead_of_time =
            options.ahead_of_time.as_ref().filter(|_| options.isa.is_none() && options.choice.is_none());
        let fits = ahead_of_time.and_then(|kernels| kernels.plan(rule.domain(), rule, &words));
        let ahead_of_time = ahead_of_time.filter(|_| fits.is_some());
        // What is kept of units beside changes with each cell that takes its turn; random words do not, but random bits are decided anew unless whole rows
        // take turns.
        const KEPT: [Speciality; 4] =
            [Speciality::ShiftedColumns, Speciality::PaddedRows, Speciality::ExpandedRows, Speciality::Planes];
        let has_rows = rule.domain().levels().is_none();
        let are_rows = |step| has_rows && rule.turns(step).iter().all(|signed| signed.axis != 0);
        let kept = if rule.steps.iter().all(are_rows) { &KEPT[..3] } else { &KEPT };
        // Loops along strips are of AVX-512.
        let has_loops = isa.is_some_and(|isa| isa.isa() == Isa::Avx512);
        let off = if rule.is_ordered() { kept.iter().copied().fold(options.off, Off::with) } else { options.off };
        let off = if has_loops { off } else { off.with(Speciality::StripLoops) };
        let target = target(threads, isa, options.hardware.as_ref()).within(options.host_limit(), options.packed);
        let target = target.demanding(options.choice.clone().or(fits));
        let target = target.in_turns();
        let part = options.part.unwrap_or((0, 1));
        let target = Target { part, agreed_steps: options.agreed_steps, tile: options.tile, ..target };
        let target = match ahead_of_time.is_some() {
            true => {
                let off = [Speciality::Planes, Speciality::SmallNumbers, Speciality::RunningSums];
                Target { machine: words, ..target }.without(off.into_iter().fold(options.off, Off::with))
            }
            false => target.without(off),
        };
        compile(rule, &target, |compiled| {
            let prepared = Prepared::new(compiled, (&pool, worth), isa, ahead_of_time.cloned())?;
            let activity = options.watched != WatchedFrom::Never;
            Ok(Cpu::of(Arc::new(prepared), inputs, Arc::clone(&pool), activity)?)
        })
    }

    /// A simulation at its beginning.
    fn of(prepared: Arc<Prepared>, inputs: &MemberInputs, pool: Arc<ThreadPool>, activity: bool) -> Result<Cpu> {
        let Program { rule, plan, .. } = &prepared.program;
        check_inputs(rule, 1, [&inputs.params])?;
        let mut cpu = Cpu {
            states: States::new(&plan.storage, rule, plan.states(), true)?,
            prepared,
            kernels: BTreeMap::new(),
            params: bits_of(&inputs.params),
            inputs: inputs.clone(),
            time: 0,
            pool,
            activity: Activity::default(),
        };
        cpu.compile(cpu.plan().steps)?;
        // A part that computes several steps of rows in a pass computes all of them: what rests is not known of the steps between.
        let rests =
            !cpu.prepared.is_part_in_bands() && cpu.prepared.rests(&cpu.kernels[&cpu.plan().steps].pass.kernels);
        cpu.activity = Activity::new(activity && rests);
        cpu.initialise();
        Ok(cpu)
    }

    /// How its units are stored and computed.
    pub(crate) fn plan(&self) -> &Plan {
        &self.prepared.program.plan
    }

    /// Makes sure that there are kernels for `steps` steps at once.
    fn compile(&mut self, steps: u32) -> Result<()> {
        if let Entry::Vacant(place) = self.kernels.entry(steps) {
            place.insert(self.prepared.kernels(steps)?);
        }
        Ok(())
    }

    /// The numbers that kernels take beside the states; `time` is the present one, or the one that they compute.
    fn globals(&self, time: u32) -> Globals<'_> {
        Globals { params: &self.params, time, seed: self.inputs.seed }
    }

    /// Computes the initial states into buffers that are 0; nothing where others do.
    fn initialise(&mut self) {
        let prepared = &self.prepared;
        let Prepared { init: Some(init), storage, .. } = &**prepared else { return };
        let rule = &prepared.program.rule;
        install(&self.pool, || self.states.fill_inputs(rule));
        // Nothing is loaded but inputs, so the present buffers can be written themselves.
        let buffers = Buffers::new(self.states.readable(), self.states.writable());
        let globals = Globals { params: &self.params, time: 0, seed: self.inputs.seed };
        // SAFETY: the kernel loads nothing that it stores, and stores to the buffers of its storage, which are borrowed for writing.
        install(&self.pool, || unsafe { storage.run(init, &buffers, globals, Work::All) });
        if let Some(index) = rule.index {
            install(&self.pool, || self.states.fill_index(index));
        }
        self.activity.reset();
    }

    /// Computes time steps, for which there are kernels.
    fn advance(&mut self, steps: u32) -> Result<()> {
        for (passes, each) in self.plan().passes(steps) {
            let kernels = Arc::clone(&self.kernels[&self.plan().steps_of_kernel(each)]);
            let mut left = passes * each;
            while left > 0 {
                let still = self.pass_still(&kernels.pass, left);
                let together = each.min(left).min(self.activity.unwatched());
                left -= if still > 0 {
                    still
                } else if kernels.band.is_some() && together > 1 {
                    self.run_band(&kernels, together);
                    self.time += together;
                    together
                } else {
                    kernels.pass.run(self)?;
                    kernels.pass.steps
                };
            }
        }
        Ok(())
    }

    /// If the state is at rest, skips all passes that fit into `left` steps: exchanges buffers, advances time. Returns the steps skipped.
    fn pass_still(&mut self, Pass { steps, kernels, .. }: &Pass<HostKernel>, left: u32) -> u32 {
        if !self.activity.is_still(*steps) {
            return 0;
        }
        let passes = left / steps;
        if !passes.is_multiple_of(2) {
            kernels.iter().for_each(|kernel| self.states.exchange(kernel.writes()));
        }
        self.time += passes * steps;
        passes * steps
    }

    /// Computes `steps` steps in one pass over the rows. The time stays that of the last pass.
    fn run_band(&mut self, Kernels { pass, band }: &Kernels, steps: u32) {
        let (Some(band), Some(rows)) = (band, self.prepared.storage.rows()) else { unreachable!("bands are of rows") };
        let buffers = Buffers::new(self.states.readable(), self.states.next_writable());
        // SAFETY: the buffers are those of all states of these rows, borrowed for writing; what a kernel stores has two.
        unsafe { band.run(&pass.kernels, rows, &buffers, self.globals(self.time + 1), steps) };
        self.activity.pass_unwatched(steps);
        self.states.exchange(&band.writes);
    }
}

impl KernelEngine<HostKernel> for Cpu {
    fn inputs(&self) -> &[MemberInputs] {
        std::slice::from_ref(&self.inputs)
    }

    fn run_step(&mut self, pass: &Pass<HostKernel>, step: usize) -> Result<()> {
        let has_last_lines = self.run_kernel(pass, step);
        let rule = Arc::clone(self.prepared.program.rule.shared());
        if step + 1 == pass.kernels.len() && !has_last_lines {
            for &state in &rule.rolling {
                let cells = self.prepared.program.rule.domain().cells_of_last_line(&rule, state);
                self.states.keep_alone(state, &cells.unwrap_or_default());
            }
        }
        Ok(())
    }
}

impl Cpu {
    /// Says which units the kernel of a step computes.
    fn choose_extent(&mut self, pass: &Pass<HostKernel>, step: usize) {
        let (kernel, tables) = (&pass.kernels[step], self.prepared.storage.tables());
        let list = |marks: &mut _, units: &mut _| tables.looking_at(kernel, marks, units);
        if step == 0 {
            let make = || tables.marks(most_marks(&pass.kernels, tables));
            self.activity.begin((pass.steps, pass.kernels.len() > 1), tables.lanes().owned.len(), make, list);
        } else {
            self.activity.go_on(list);
        }
    }

    /// Runs the kernel of a step. Says whether rolling states are left with their last lines.
    fn run_kernel(&mut self, pass: &Pass<HostKernel>, step: usize) -> bool {
        let (kernel, storage) = (&pass.kernels[step], &self.prepared.storage);
        if let Some(Some(strips)) = self.prepared.strips.get(step) {
            let globals = Globals { params: &self.params, time: self.time.wrapping_add(1), seed: self.inputs.seed };
            let Some(units) = self.prepared.storage.rows() else { unreachable!("strips are of rows") };
            // SAFETY: the states are those of these rows, in columns.
            return unsafe { strips.run(&self.prepared.program.rule, &units.grid, &mut self.states, globals) };
        }
        if let Some(axes) = self.prepared.turns.get(step).filter(|axes| !axes.is_empty()) {
            let sequence = self.prepared.sequence(axes);
            let globals = Globals { params: &self.params, time: self.time.wrapping_add(1), seed: self.inputs.seed };
            // SAFETY: the states are those of this storage.
            unsafe { storage.run_in_turns(kernel, &mut self.states, globals, (axes, sequence.as_deref())) };
            return false;
        }
        if let Some(units) = storage.rows() {
            let sums = self.prepared.program.rule.sums.iter().filter(|sum| sum.before == step);
            sums.for_each(|sum| rows::sums::compute(sum, &units.grid, &mut self.states));
        }
        self.choose_extent(pass, step);
        let (kernel, storage) = (&pass.kernels[step], &self.prepared.storage);
        let buffers = Buffers::new(self.states.readable(), self.states.next_writable());
        let work = match self.activity.extent {
            Extent::All => Work::All,
            Extent::Watched => Work::Watched(&self.activity.marks),
            Extent::Listed => Work::Listed(&self.activity.units, Some(&self.activity.marks)),
        };
        // SAFETY: the buffers are those of all states of this storage, borrowed for writing; what a kernel stores has two.
        unsafe { storage.run(kernel, &buffers, self.globals(self.time.wrapping_add(1)), work) };
        self.activity.finish();
        self.states.exchange(kernel.writes());
        false
    }
}

impl Engine for Cpu {
    fn about(&self) -> About {
        let (plan, kernels) = (self.plan(), &self.kernels[&self.plan().steps]);
        About {
            members: 1,
            strategy: if self.prepared.storage.tables().is_packed() { "packed" } else { "lanes" },
            execution: Execution::of(plan, kernels.pass.kernels.first().map_or("none", HostKernel::engine)),
            steps_of_pass: plan.steps_of_pass(),
            steps_of_whole: plan.steps_of_whole(),
            state_bytes: self.states.bytes(),
            memory_bytes: self.prepared.needed(),
            reduces_ahead: false,
        }
    }

    fn device(&self) -> String {
        memory::processor_name()
    }

    fn time(&self) -> u32 {
        self.time
    }

    fn set_time(&mut self, time: u32) {
        self.time = time;
    }

    fn set_params(&mut self, params: &[Params]) -> Result<()> {
        check_inputs(&self.prepared.program.rule, 1, params)?;
        (self.params, self.inputs.params) = (bits_of(&params[0]), params[0].clone());
        self.activity.reset();
        Ok(())
    }

    fn look(&mut self) -> Result<()> {
        if self.prepared.program.rule.observed_steps == 0 {
            return Ok(());
        }
        self.compile(1)?;
        let kernels = Arc::clone(&self.kernels[&1]);
        install(&Arc::clone(&self.pool), || kernels.pass.look(self))
    }

    fn prepare(&mut self, steps: u32) -> Result<()> {
        self.plan().passes(steps).try_for_each(|(_, each)| self.compile(self.plan().steps_of_kernel(each)))
    }

    fn run(&mut self, steps: u32) -> Result<()> {
        self.prepare(steps)?;
        // The pool is entered once for all steps, and not where these take less time than waking another thread. Reading fields, as clusters do, enters it.
        match self.prepared.storage.is_small() && !self.prepared.program.rule.asks_clusters() {
            true => self.advance(steps),
            false => install(&Arc::clone(&self.pool), || self.advance(steps)),
        }
    }

    fn reduce(&self, which: &[usize]) -> Result<Vec<Vec<ObservedValue>>> {
        let ask = |question: &Question<'_>, take: Take<'_>| self.partials(0, question, take);
        Ok(vec![reduce(&self.prepared.program.rule, self.prepared.cells(), which, &ask)?])
    }

    fn cells(&self) -> Option<ReducedCells<'_>> {
        Some(self.prepared.cells())
    }

    fn partials(&self, _: usize, question: &Question<'_>, take: Take<'_>) -> Result<()> {
        let Cpu { prepared, states, inputs, time, pool, .. } = self;
        let threads = pool.current_num_threads();
        // SAFETY: the states are those of the plan, and the inputs were counted.
        let mut partials = || unsafe { prepared.partials(states, (inputs, *time), question, threads, take) };
        // To wake a thread of the pool takes longer than to count some thousand words.
        if threads == 1 || prepared.storage.is_small() { partials() } else { install(pool, partials) }
    }

    fn digest(&self, _: usize, state: StateId) -> Result<u64> {
        let rule = &self.prepared.program.rule;
        let line = rule.domain().cells_of_last_line(rule, state);
        Ok(install(&self.pool, || match line {
            Some(cells) => self.states.digest_of(state, &cells),
            None => self.states.digest(state),
        }))
    }

    fn is_finite(&self, _: usize, state: StateId) -> Result<Option<bool>> {
        Ok(Some(install(&self.pool, || self.states.is_finite(state))))
    }

    fn block_sums(&self, _: usize, asked: &AskedSums<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        Ok(install(&self.pool, || self.states.block_sums(asked)))
    }

    fn read(&self, _: usize, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        match states::are_few(std::slice::from_ref(&cells)) {
            true => self.states.read(state, cells, bytes),
            false => install(&self.pool, || self.states.read(state, cells, bytes)),
        }
        Ok(())
    }

    fn read_ranges(&self, _: usize, (state, _): TypedState, ranges: &[Range<u64>], bytes: &mut [u8]) -> Result<()> {
        match states::are_few(ranges) {
            true => self.states.read_ranges(state, ranges, bytes),
            false => install(&self.pool, || self.states.read_ranges(state, ranges, bytes)),
        }
        Ok(())
    }

    fn write(&mut self, _: usize, values: &StateValues<'_>) -> Result<()> {
        let (Cpu { states, pool, activity, prepared, .. }, (state, cells, bytes)) = (self, values.parts());
        let rule = &prepared.program.rule;
        install(pool, || states.write(state, cells, bytes));
        if let Some(line) = rule.domain().cells_of_last_line(rule, state) {
            states.keep_alone(state, &line);
        }
        activity.reset();
        Ok(())
    }

    fn restart(&mut self, members: &[MemberInputs]) -> Result<bool> {
        check_count("members", 1, members.len())?;
        self.set_params(&[members[0].params.clone()])?;
        (self.inputs.seed, self.time) = (members[0].seed, 0);
        self.states.clear();
        self.initialise();
        Ok(true)
    }

    fn set_inputs(&mut self, members: &[MemberInputs]) -> Result<()> {
        check_count("members", 1, members.len())?;
        self.set_params(&[members[0].params.clone()])?;
        self.inputs.seed = members[0].seed;
        Ok(())
    }

    fn twin(&self, member: &MemberInputs, threads: Option<usize>) -> Result<Option<Box<dyn Engine>>> {
        let pool = match threads {
            Some(_) => Arc::new(crate::pool(threads)?),
            None => Arc::clone(&self.pool),
        };
        Ok(Some(Box::new(Cpu::of(Arc::clone(&self.prepared), member, pool, self.activity.is_on())?)))
    }

    fn as_lanes(&self, members: &[MemberInputs]) -> Result<Option<Vec<Box<dyn Engine>>>> {
        members::as_lanes(self, members)
    }

    fn pool(&self) -> Option<&Arc<ThreadPool>> {
        Some(&self.pool)
    }
}

/// The target of this CPU with `threads` threads and this instruction set, or of another machine if one is given.
pub(crate) fn target(threads: usize, isa: Option<AvailableIsa>, hardware: Option<&Hardware>) -> Target {
    let machine = hardware.and_then(|hardware| hardware.cpu(threads));
    let machine = machine.unwrap_or_else(|| usual_machine(threads, isa.map(AvailableIsa::isa)));
    Target::cpu(threads).on(Some(machine)).with_passes(squeeze_codegen::passes(isa))
}

/// The same of as many threads as there are.
pub fn usual_target(hardware: Option<&Hardware>) -> Target {
    target(rayon::current_num_threads(), AvailableIsa::best(), hardware).in_turns()
}

/// The machine that layouts are chosen for if none is named: one with this instruction set, or with the best that there is.
pub fn usual_machine(threads: usize, isa: Option<Isa>) -> Machine {
    match isa.or_else(|| AvailableIsa::best().map(AvailableIsa::isa)) {
        Some(Isa::Avx2) => Machine::cpu_with_avx2(threads),
        Some(Isa::Avx512 | Isa::Sse41) | None => Machine::cpu(threads),
    }
}
