//! A program made ready for the CPU: its tables and compiled kernels, reductions included, which all simulations of it share.

use super::kernel::{Buffers, Globals, HostKernel, Tables, Work};
use super::reduce::{Observed, Reducer, TermWorker, Terms, TermsOfUnits};
use super::replicas::HostNeighbours;
use super::rows::band::Band;
use super::rows::blocks::PaddedBlocks;
use super::rows::padded;
use super::rows::storage::RowUnits;
use super::strips::StripKernel;
use super::turns::{Sequence, run_in_turns, run_rows_in_turns};
use super::worker::Worker;
use crate::ahead_of_time::AheadOfTime;
use crate::asked::Asked;
#[cfg(feature = "cuda")]
use crate::options::CELLS_WORTH_THREADS;
use crate::pass::Pass;
use crate::reduce::{Question, ReducedCells, Take};
use crate::states::States;
use crate::{EngineError, MemberInputs, Result, check_count, install};
use rayon::ThreadPool;
use squeeze_codegen::{AvailableIsa, Code};
use squeeze_compiler::ir::{SignedAxis, Step, StepSchedule, Value};
use squeeze_compiler::layout::{Geometry, Storage, StoredAs};
use squeeze_compiler::passes::Ready;
use squeeze_compiler::plan::Window;
use squeeze_compiler::target::Members;
use squeeze_compiler::{Off, Program, Refused, Speciality};
use std::convert::Infallible;
use std::sync::Arc;

/// A program's tables and kernels. It reduces states of any engine, GPUs included.
pub struct Prepared {
    pub(super) program: Program,
    pub(super) storage: HostStorage,
    /// The kernel of the initial states; `None` where another engine, or a member alone, computes them.
    pub(super) init: Option<HostKernel>,
    /// Kernels by the number of time steps of a pass, compiled when they are first needed.
    kernels: Asked<u32, Kernels>,
    /// For each step the axes along which cells take turns in it; none where all are computed at once.
    pub(super) turns: Vec<Vec<SignedAxis>>,
    /// For each step its kernel in strips, if it runs in strips.
    pub(super) strips: Vec<Option<StripKernel>>,
    /// The cells of a fractal in the orders of such steps.
    sequences: Asked<Vec<(u8, bool)>, Sequence>,
    /// Kernels that were compiled with the user's program.
    pub(super) ahead_of_time: Option<AheadOfTime>,
    /// Kernels and trees of reductions, by the numbers of the reductions.
    pub(super) observed: Asked<Vec<usize>, Observed>,
}

/// The kernels of a pass.
pub(super) struct Kernels {
    pub pass: Pass<HostKernel>,
    /// Computes the pass several times in one walk through memory, if the plan has bands.
    pub band: Option<Band>,
}

/// The kernel with the largest marks of changed units: the marks of all kernels take its form.
pub(super) fn most_marks<'k>(kernels: &'k [HostKernel], tables: &dyn Tables) -> &'k HostKernel {
    kernels.iter().max_by_key(|kernel| tables.bytes_of_marks(kernel)).expect("there is a kernel")
}

impl Prepared {
    /// Makes tables, on the threads of the pool, and compiles the kernels of a whole pass, unless they are `ahead_of_time`. Lanes that are members
    /// need no kernel of initial states: each is computed as a member alone.
    pub(super) fn new(
        program: Program,
        (pool, cells_worth_threads): (&ThreadPool, u64),
        isa: Option<AvailableIsa>,
        ahead_of_time: Option<AheadOfTime>,
    ) -> std::result::Result<Prepared, Refused<EngineError>> {
        let (plan, off) = (&program.plan, program.target.off());
        let cells = (&*plan.storage, plan.members);
        let (initialises, steps) = (!plan.members.as_lanes(), plan.steps);
        let storage = install(pool, || HostStorage::new(cells, cells_worth_threads, isa, off));
        let mut prepared = Prepared { ahead_of_time, ..Prepared::without_kernels(program, storage) };
        // Compilation alone finds out whether too many values live at once; a plan of fewer steps may fit then.
        let refused = |error| match error {
            EngineError::LargeKernel { .. } => Refused::TooLong(error),
            _ => Refused::Fatal(error),
        };
        prepared.kernels(steps).map_err(refused)?;
        let init = || HostKernel::new(&prepared.program.init, prepared.storage.tables());
        prepared.strips = prepared.in_strips(isa).map_err(refused)?;
        prepared.init = initialises.then(init).transpose().map_err(refused)?;
        Ok(prepared)
    }

    fn without_kernels(program: Program, storage: HostStorage) -> Prepared {
        let turns = program.rule.steps.iter().map(|step| program.rule.turns(step)).collect();
        let (kernels, observed, sequences) = (Asked::default(), Asked::default(), Asked::default());
        let strips = Vec::new();
        Prepared { program, storage, init: None, kernels, turns, strips, sequences, ahead_of_time: None, observed }
    }

    /// Prepares reductions of states that another engine computes. Tables are made on the threads of the caller's pool.
    #[cfg(feature = "cuda")]
    pub fn of_others(program: &Program) -> Prepared {
        let mut program = program.clone();
        program.target = super::usual_target(None);
        let cells = (&*program.plan.storage, Members::One);
        let storage = HostStorage::new(cells, CELLS_WORTH_THREADS, AvailableIsa::best(), Off::none());
        Prepared::without_kernels(program, storage)
    }

    /// The bytes of states and tables.
    pub(super) fn needed(&self) -> u64 {
        let Program { rule, plan, target, .. } = &self.program;
        plan.bytes(rule, target)
    }

    /// The kernels of a pass of `steps` time steps.
    pub(super) fn kernels(&self, steps: u32) -> Result<Arc<Kernels>> {
        self.kernels.get(&steps, || self.compiled(steps, &self.program.kernels(steps)?))
    }

    /// Compiles kernels, or takes the functions that were compiled ahead of time.
    fn compiled(&self, steps: u32, kernels: &[Ready]) -> Result<Kernels> {
        let tables = self.storage.tables();
        let ahead_of_time = self.ahead_of_time.as_ref().and_then(|ahead| ahead.functions(steps, kernels));
        let (padded, has_band) = self.in_padded_rows(kernels);
        let kernel = |(number, kernel): (usize, &Ready)| match ahead_of_time {
            Some(functions) => {
                let (_, function, compiler) = functions[number];
                let code = Code::ahead_of_time(function, compiler);
                Ok(HostKernel::of_codes(kernel, tables, vec![code]))
            }
            None => match &padded[number] {
                Some(blocks) if blocks.is_split() => {
                    let split = HostKernel::of_split_rows(kernel, tables, blocks, &self.program.target)?;
                    split.map_or_else(|| HostKernel::new(kernel, tables), Ok)
                }
                Some(blocks) => HostKernel::of_padded_rows(kernel, tables, blocks, None),
                None => HostKernel::new(kernel, tables),
            },
        };
        let kernels = kernels.iter().enumerate().map(kernel).collect::<Result<Vec<_>>>()?;
        let rule = &self.program.rule;
        let band = has_band.then(|| Band::new(&kernels));
        Ok(Kernels { pass: Pass::new(rule, steps, kernels), band })
    }

    /// The blocks of padded rows that these kernels of a pass run on, and whether several steps run on them at once.
    fn in_padded_rows(&self, kernels: &[Ready]) -> (Vec<Option<Arc<PaddedBlocks>>>, bool) {
        let fits = |units: &&RowUnits| {
            cfg!(all(target_arch = "x86_64", unix)) && !units.is_packed() && units.lanes().isa.is_some()
        };
        let Program { plan, target, .. } = &self.program;
        let units = self.storage.rows().filter(fits);
        let of = |kernels: &[Ready], steps: u32| {
            let blocks = PaddedBlocks::new(kernels, (&units?.grid, &units?.rows()), steps as usize)?;
            target.off().allows(Speciality::PaddedRows).then(|| Arc::new(blocks))
        };
        let each = || kernels.iter().map(|kernel| of(std::slice::from_ref(kernel), 1)).collect::<Vec<_>>();
        let Window::Band { steps } = plan.window() else { return (each(), false) };
        if let Some(blocks) = of(kernels, steps) {
            return (vec![Some(blocks); kernels.len()], true);
        }
        // Bands of a step after the other cost more than its kernels on padded rows. Parts exchange cells after as many steps as all of them plan.
        let each = each();
        let does_without = each.iter().all(Option::is_some) && !self.is_part_in_bands();
        if does_without { (each, false) } else { (vec![None; kernels.len()], true) }
    }

    /// Whether this is a part, whose passes compute several steps of rows.
    pub(super) fn is_part_in_bands(&self) -> bool {
        let plan = &self.program.plan;
        plan.storage.is_cut() && matches!(plan.window(), Window::Band { .. })
    }

    /// The kernels of the steps that run in strips.
    fn in_strips(&self, isa: Option<AvailableIsa>) -> Result<Vec<Option<StripKernel>>> {
        let (Program { rule, .. }, Some(units)) = (&self.program, self.storage.rows()) else {
            return Ok(Vec::new());
        };
        let of_step = |step: &Step| match self.program.taken(step)? {
            (StepSchedule::InStrips(strips, Some(tile)), Some(ready)) => {
                StripKernel::new((&ready, rule), (strips, tile), &units.grid, isa).map(Some)
            }
            _ => Ok(None),
        };
        let strips: Vec<Option<StripKernel>> = rule.steps.iter().map(of_step).collect::<Result<_>>()?;
        let needs_strips = units.grid.rows_stored_alone().is_some();
        assert!(!needs_strips || strips.iter().all(Option::is_some), "strips alone need few lines");
        Ok(strips)
    }

    /// The cells of a fractal in the order along these axes; rows are gone through as they stand.
    pub(super) fn sequence(&self, axes: &[SignedAxis]) -> Option<Arc<Sequence>> {
        let key: Vec<(u8, bool)> = axes.iter().map(|signed| (signed.axis, signed.backwards)).collect();
        let domain = self.program.rule.domain();
        let made = || self.sequences.get(&key, || Ok::<_, Infallible>(Sequence::new(domain, axes)));
        self.storage.rows().is_none().then(|| made().unwrap_or_else(|never| match never {}))
    }

    /// Whether passes may leave out units at rest: the plan allows it, and there is room for the marks of units that these kernels change.
    pub(super) fn rests(&self, kernels: &[HostKernel]) -> bool {
        let Program { plan, target, .. } = &self.program;
        let tables = self.storage.tables();
        // Several kernels need the marks of the pass before as well.
        let marks = if kernels.len() > 1 { 2 } else { 1 };
        let room = target.room.saturating_sub(self.needed());
        plan.rests() && marks * tables.bytes_of_marks(most_marks(kernels, tables)) <= room
    }

    /// Where the cells of its states stand.
    pub fn cells(&self) -> ReducedCells<'_> {
        ReducedCells { geometry: &self.program.plan.storage.geometry, lanes: self.storage.tables().lanes().shape.lanes }
    }

    /// The terms of these reductions, all of one round.
    pub(super) fn observed(&self, which: &[usize]) -> Result<Arc<Observed>> {
        let direct = !self.storage.tables().is_packed() && !self.program.target.off().has(Speciality::TermsOfStates);
        self.observed.get(which, || {
            Observed::new(&self.program.rule, which, direct, |computed| {
                HostKernel::new(&self.program.terms(computed)?, self.storage.tables())
            })
        })
    }

    /// Computes the reductions of groups of units, on at most `threads` threads of the caller's pool, and hands them to `take`.
    ///
    /// # Errors
    /// If the terms' code is too long for a kernel, or there is no memory for it.
    ///
    /// # Safety
    /// The states have the storage and the memory of the plan. Parameters and globals are complete: kernels read all that the rule has.
    pub unsafe fn partials(
        &self,
        states: &States,
        (MemberInputs { seed, params }, time): (&MemberInputs, u32),
        Question { which, numbers, combined }: &Question<'_>,
        threads: usize,
        take: Take<'_>,
    ) -> Result<()> {
        let params: Vec<u64> = params.iter().chain(*numbers).map(|number| number.bits()).collect();
        let globals = Globals { params: &params, time, seed: *seed };
        let fields = states.fields();
        let observed = self.observed(which)?;
        let Observed { sources, terms, numbers: expected } = &*observed;
        check_count("numbers of earlier rounds", *expected, numbers.len())?;
        // Each term that the kernel computes is one more state to it, without a buffer.
        let mut old = states.readable();
        old.resize(terms.as_ref().map_or(fields.len(), |kernel| kernel.states.len()), std::ptr::null());
        let buffers = Buffers::new(old, Vec::new());
        let worker = || -> Option<Box<dyn TermWorker + '_>> {
            // SAFETY: the buffers hold all states in this storage, and no thread writes them while they are borrowed.
            Some(unsafe { self.storage.terms(terms.as_ref()?, &buffers, globals, fields.len()) })
        };
        let computed = terms.as_ref().map_or(&[][..], |kernel| &kernel.states[fields.len()..]);
        let terms = Terms { sources, fields, computed, worker: &worker };
        let (cells, storage, flush) = (self.cells(), &self.storage, self.program.rule.flush);
        let threads = if storage.is_small() { 1 } else { threads };
        Reducer { cells, storage, flush, terms, threads }.partials(combined, take);
        Ok(())
    }
}

/// Values as kernels take them.
pub(super) fn bits_of(values: &[Value]) -> Vec<u64> {
    values.iter().map(|value| value.bits()).collect()
}

/// The tables of a storage. The code that runs kernels exists once for each kind, so that a pass asks for the kind once.
pub(super) enum HostStorage {
    /// Lanes are replicas, or members of an ensemble.
    Replicas(Box<HostNeighbours>),
    /// Lanes are places of a row.
    Rows(Box<RowUnits>),
}

impl HostStorage {
    /// Makes the tables, on the threads of the caller's pool. Passes over fewer cells than `cells_worth_threads` count as small.
    fn new(
        (storage, members): (&Storage, Members),
        cells_worth_threads: u64,
        isa: Option<AvailableIsa>,
        off: Off,
    ) -> HostStorage {
        match &storage.geometry {
            Geometry::Replicas(layout) => {
                let cells = (layout, &storage.part);
                HostStorage::Replicas(Box::new(HostNeighbours::new(cells, members, cells_worth_threads, isa, off)))
            }
            Geometry::Rows(grid) => {
                let packed = storage.memory == StoredAs::Cells;
                HostStorage::Rows(Box::new(RowUnits::new((Arc::clone(grid), storage.owned()), packed, isa, off)))
            }
        }
    }

    /// The tables, whatever the kind of storage.
    pub(super) fn tables(&self) -> &dyn Tables {
        match self {
            HostStorage::Replicas(neighbours) => &**neighbours,
            HostStorage::Rows(units) => &**units,
        }
    }

    /// Whether a pass takes less time than to wake another thread.
    pub(super) fn is_small(&self) -> bool {
        match self {
            HostStorage::Replicas(neighbours) => neighbours.is_small(),
            HostStorage::Rows(_) => false,
        }
    }

    /// The stretches of rows, on masks and boxes.
    pub(super) fn rows(&self) -> Option<&RowUnits> {
        match self {
            HostStorage::Replicas(_) => None,
            HostStorage::Rows(units) => Some(units),
        }
    }

    /// Runs a kernel on some units.
    ///
    /// # Safety
    /// As for [`HostKernel::run`].
    pub(super) unsafe fn run(&self, kernel: &HostKernel, buffers: &Buffers, globals: Globals<'_>, work: Work<'_>) {
        match self {
            // SAFETY: the caller promises the same.
            HostStorage::Replicas(neighbours) => unsafe { kernel.run(&**neighbours, buffers, globals, work) },
            // SAFETY: the caller promises the same.
            HostStorage::Rows(units) if kernel.padded.is_some() => unsafe {
                padded::run(std::slice::from_ref(kernel), units, buffers, globals, (1, work));
            },
            // SAFETY: the caller promises the same.
            HostStorage::Rows(units) => unsafe { kernel.run(&**units, buffers, globals, work) },
        }
    }

    /// Runs a kernel on cells that take turns.
    ///
    /// # Safety
    /// As for [`run_in_turns`].
    pub(super) unsafe fn run_in_turns(
        &self,
        kernel: &HostKernel,
        states: &mut States,
        globals: Globals<'_>,
        order: (&[SignedAxis], Option<&Sequence>),
    ) {
        let (axes, _) = order;
        let are_rows = |units: &RowUnits| !units.is_packed() && axes.iter().all(|signed| signed.axis != 0);
        match self {
            // SAFETY: the caller promises the same.
            HostStorage::Replicas(neighbours) => unsafe {
                run_in_turns((kernel, &**neighbours), states, globals, order);
            },
            HostStorage::Rows(units) if are_rows(units) && kernel.off.allows(Speciality::RowsInTurn) => {
                // SAFETY: the caller promises the same.
                unsafe { run_rows_in_turns((kernel, &**units), states, globals, axes) }
            }
            // SAFETY: the caller promises the same.
            HostStorage::Rows(units) => unsafe { run_in_turns((kernel, &**units), states, globals, order) },
        }
    }

    /// One thread's worker for terms; the kernel has `states` states before the terms.
    ///
    /// # Safety
    /// As for [`TermsOfUnits::new`].
    pub(super) unsafe fn terms<'a>(
        &'a self,
        kernel: &'a HostKernel,
        buffers: &'a Buffers,
        globals: Globals<'a>,
        states: usize,
    ) -> Box<dyn TermWorker + 'a> {
        match self {
            HostStorage::Replicas(neighbours) => {
                // SAFETY: the caller promises the same.
                Box::new(unsafe { TermsOfUnits::new(Worker::new(kernel, &**neighbours, globals), buffers, states) })
            }
            HostStorage::Rows(units) => {
                // SAFETY: the caller promises the same.
                Box::new(unsafe { TermsOfUnits::new(Worker::new(kernel, &**units, globals), buffers, states) })
            }
        }
    }
}
