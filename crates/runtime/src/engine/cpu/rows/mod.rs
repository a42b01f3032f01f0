//! Masks and boxes on the CPU: rows as lanes.
//!
//! A column is a stretch of a row ([`RowGrid`]), and a superblock is one column: the kernels are those of replica lanes for a superblock of a single
//! cell that looks at any distance. What lies beside a place in its row is a shifted column, made of two that follow each other; whether
//! there is a cell is a shifted mask. Lanes that are no cells hold 0 between passes, as kernels expect of what does not exist.

mod bits;
mod decision;
mod dense;
mod pass;
mod spread;

#[cfg(feature = "cuda")]
use super::HostStates;
use super::activity::{Activity, Extent};
use super::buffer::{Buffer, Scratch, Shared};
use super::machine::Isa;
use super::pass::Globals;
use crate::engine::{Backend, Engine, EngineError, Result};
use crate::memory;
use crate::state::field::Sample;
use crate::state::packed;
use dense::Dense;
use pass::{Old, Pass, Work, Worker};
use rayon::ThreadPool;
use rayon::prelude::*;
use spread::Spread;
use squeeze_compiler::compile::compile_observables;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::kernel::Planes;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::numerics::digest;
use squeeze_compiler::numerics::fold::{ObservedValue, ReductionFold};
use squeeze_compiler::plan::{Plan, StateMemory};
use squeeze_compiler::{Compiled, Target, compile};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Columns whose terms are computed before they are folded.
const BATCH: usize = 1 << 12;

/// How to run; results are the same whatever is said here.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// The number of threads; `None` takes as many as the machine runs at once.
    pub threads: Option<usize>,
    /// The instruction set that kernels are compiled for, on x86-64; `None` takes the best that the machine has.
    pub isa: Option<Isa>,
    /// Whether columns are left out that cannot change.
    pub activity: bool,
    /// Whether states hold the cells alone even where their columns fit in memory.
    pub packed: bool,
}

/// A simulation on a mask or a box.
pub struct Rows {
    domain: Domain,
    rule: Arc<Rule>,
    grid: Arc<RowGrid>,
    fields: Vec<Field>,
    params: Vec<u64>,
    seed: u64,
    time: u32,
    /// What computes the initial states; none for copies of what is on a device.
    init: Option<Pass>,
    steps: Vec<Pass>,
    /// What computes the terms of the observables, once it was needed.
    terms: OnceLock<Pass>,
    pool: Arc<ThreadPool>,
    plan: Plan,
    target: Target,
    isa: Option<Isa>,
    activity: Activity,
    /// How far the steps look, if they are one kernel.
    spread: Option<Spread>,
}

/// A state's memory.
struct Field {
    columns: Columns,
    /// Where the values stand if they are those of the cells alone; `None` if columns are stored.
    dense: Option<Dense>,
    now: Buffer,
    /// What the next pass writes; none for states that no step changes.
    next: Option<Buffer>,
}

impl Rows {
    /// Checks that the states fit in `limit` bytes, compiles the rule and computes the initial states.
    ///
    /// # Errors
    /// [`EngineError::MaskMemory`] if it does not fit, [`EngineError::NoKernel`] if the rule's code is too long for kernels, or if the machine fails.
    pub fn new(
        domain: &Domain,
        rule: &Arc<Rule>,
        seed: u64,
        params: &[Value],
        limit: u64,
        Tuning { threads, isa, activity, packed }: Tuning,
    ) -> Result<Rows> {
        if let Some(isa) = isa.filter(|isa| !isa.is_available()) {
            return Err(EngineError::NoIsa(isa));
        }
        let pool = Arc::new(crate::threads::pool(threads)?);
        let too_large = |needed: u64| EngineError::MaskMemory {
            name: domain.fractal().name.clone(),
            backend: Backend::Cpu.name(),
            needed: needed as f64,
            available: limit,
        };
        if RowGrid::bytes(domain) > limit {
            return Err(too_large(RowGrid::bytes(domain)));
        }
        let target = target(domain, &pool)?;
        let Compiled { plan, init, steps, .. } = compile(rule, domain, &target)?;
        let grid = Arc::new(RowGrid::new(domain));
        let memory = grid.state_memory(rule);
        let room = u128::from(limit.saturating_sub(RowGrid::bytes(domain)));
        let bytes_of = |state: &StateMemory, packed: bool| match packed {
            true => Dense::new(state.columns, grid.cells()).bytes(),
            false => state.columns.block as u64 * grid.columns() as u64,
        };
        let needed = |packed: bool| -> u128 {
            memory.iter().map(|state| u128::from(bytes_of(state, packed)) * state.buffers as u128).sum()
        };
        // What does not fit as columns may fit as cells.
        let packed = packed || needed(false) > room;
        if needed(packed) > room {
            let all = needed(packed) + u128::from(RowGrid::bytes(domain));
            return Err(too_large(u64::try_from(all).unwrap_or(u64::MAX)));
        }
        let mut fields = Vec::new();
        for state in &memory {
            let (bytes, columns) = (bytes_of(state, packed), state.columns);
            let next = if state.buffers > 1 { Some(Buffer::new(bytes)?) } else { None };
            let dense = packed.then(|| Dense::new(columns, grid.cells()));
            fields.push(Field { columns, dense, now: Buffer::new(bytes)?, next });
        }
        let init = Some(Pass::new(&init, &grid, isa, packed)?);
        let steps: Vec<Pass> =
            steps.iter().map(|kernel| Pass::new(kernel, &grid, isa, packed)).collect::<Result<_>>()?;
        let spread = match &steps[..] {
            [step] if !packed && rule.globals.is_empty() && step.may_rest() => Some(Spread::new(step, &grid)),
            _ => None,
        };
        let mut rows = Rows {
            domain: domain.clone(),
            rule: Arc::clone(rule),
            grid,
            fields,
            params: params.iter().map(|param| param.bits()).collect(),
            seed,
            time: 0,
            init,
            steps,
            terms: OnceLock::new(),
            pool,
            plan,
            target,
            isa,
            activity: Activity::new(activity),
            spread,
        };
        rows.initialise();
        Ok(rows)
    }

    /// A copy of the states on a device, which are all 0 so far; it computes no steps.
    ///
    /// # Errors
    /// [`EngineError::System`] if the machine fails.
    #[cfg(feature = "cuda")]
    pub(crate) fn mirror(
        domain: &Domain,
        grid: &Arc<RowGrid>,
        rule: &Arc<Rule>,
        seed: u64,
        params: &[Value],
        threads: Option<usize>,
    ) -> Result<Rows> {
        let pool = Arc::new(crate::threads::pool(threads)?);
        let target = target(domain, &pool)?;
        let candidate = target.demanded.clone().expect("rows have one layout");
        let mut fields = Vec::new();
        for StateMemory { columns, .. } in grid.state_memory(rule) {
            let now = Buffer::new(columns.block as u64 * grid.columns() as u64)?;
            fields.push(Field { columns, dense: None, now, next: None });
        }
        Ok(Rows {
            domain: domain.clone(),
            rule: Arc::clone(rule),
            grid: Arc::clone(grid),
            fields,
            params: params.iter().map(|param| param.bits()).collect(),
            seed,
            time: 0,
            init: None,
            steps: Vec::new(),
            terms: OnceLock::new(),
            pool,
            plan: Plan::of(rule, candidate),
            target,
            isa: None,
            activity: Activity::new(false),
            spread: None,
        })
    }

    fn side(&self) -> i32 {
        i32::try_from(self.domain.side()).unwrap_or(0)
    }

    fn globals(&self, time: u32) -> Globals<'_> {
        Globals { params: &self.params, time, seed: self.seed }
    }

    /// Computes the initial states into columns that are 0.
    fn initialise(&mut self) {
        let Some(init) = &self.init else { return };
        let new: Vec<Shared> = self.fields.iter_mut().map(|field| Shared(field.now.as_mut_ptr())).collect();
        let old = Old(vec![std::ptr::null(); self.fields.len()]);
        // SAFETY: the kernel loads nothing, and stores to the columns of this grid, which are borrowed for writing.
        self.pool.install(|| unsafe { init.run(&self.grid, &old, &new, self.globals(0), self.side(), Work::All) });
        self.activity.reset();
    }

    fn old(&self) -> Old {
        Old(self.fields.iter().map(|field| field.now.as_ptr()).collect())
    }

    /// Runs the kernel of this number.
    fn run(&mut self, index: usize) {
        let grid = Arc::clone(&self.grid);
        let extent = match &mut self.spread {
            None => Extent::All,
            Some(spread) => {
                let marks = spread.marks_maker(&grid);
                self.activity.begin(1, grid.columns(), marks, |marks, units| spread.list(&grid, marks, units))
            }
        };
        let new = |field: &mut Field| field.next.as_mut().map_or(std::ptr::null_mut(), Buffer::as_mut_ptr);
        let new: Vec<Shared> = self.fields.iter_mut().map(|field| Shared(new(field))).collect();
        let (pass, old) = (&self.steps[index], self.old());
        let work = match (extent, &self.spread) {
            (Extent::Watched, Some(spread)) => Work::Watched(&self.activity.marks, spread),
            (Extent::Listed, Some(spread)) => Work::Listed(&self.activity.units, &self.activity.marks, spread),
            _ => Work::All,
        };
        // SAFETY: the columns are those of all states on this grid, borrowed for writing; what a kernel stores has two buffers.
        unsafe { pass.run(&self.grid, &old, &new, self.globals(self.time + 1), self.side(), work) };
        self.activity.finish(extent);
        for &state in self.steps[index].writes() {
            let field = &mut self.fields[state];
            if let Some(next) = &mut field.next {
                std::mem::swap(&mut field.now, next);
            }
        }
    }

    /// The pass that computes the terms of the reductions.
    fn terms(&self) -> Result<&Pass> {
        if let Some(pass) = self.terms.get() {
            return Ok(pass);
        }
        let kernel = compile_observables(&self.rule, &self.plan, &self.target)?;
        let pass = Pass::new(&kernel, &self.grid, self.isa, self.is_packed())?;
        Ok(self.terms.get_or_init(|| pass))
    }

    /// The terms of all reductions in the cells of some columns, in order.
    fn terms_of(&self, pass: &Pass, columns: Range<usize>) -> Vec<Vec<u64>> {
        let (first, count) = (self.fields.len(), self.rule.reductions.len());
        let old = self.old();
        let mut scratch: Vec<Scratch> = pass.states.iter().map(|state| Scratch::new(state.block)).collect();
        let results: Vec<Shared> = scratch.iter_mut().map(|scratch| Shared(scratch.as_mut_ptr())).collect();
        let mut worker = Worker::new(pass, &self.grid, self.globals(self.time), 0, self.side());
        let mut terms = vec![Vec::new(); count];
        for column in columns {
            // SAFETY: the columns are those of all states on this grid, which nobody writes while `self` is borrowed; the results are this thread's own.
            unsafe { worker.run(&old, column, &results) };
            for ((terms, state), scratch) in terms.iter_mut().zip(&pass.states[first..]).zip(&scratch[first..]) {
                terms.extend(self.grid.lanes(column).map(|lane| state.bits(scratch.as_slice(), lane)));
            }
        }
        terms
    }

    /// Whether the states hold the cells alone.
    fn is_packed(&self) -> bool {
        self.fields.iter().any(|field| field.dense.is_some())
    }

    fn field(&self, state: StateId) -> &Field {
        &self.fields[usize::from(state.0)]
    }

    fn bits(&self, state: StateId, rank: u64) -> u64 {
        let (column, lane) = self.grid.locate(rank);
        self.field(state).bits(column, lane, rank)
    }
}

impl Field {
    /// The bits of the cell of this rank, which stands there.
    fn bits(&self, column: usize, lane: usize, rank: u64) -> u64 {
        let now = self.now.as_slice();
        match &self.dense {
            Some(dense) => dense.bits(now, rank),
            None => self.columns.bits(&now[column * self.columns.block..][..self.columns.block], lane),
        }
    }
}

/// What kernels are compiled for.
fn target(domain: &Domain, pool: &ThreadPool) -> Result<Target> {
    Ok(Target::cpu_rows(domain, pool.current_num_threads())?)
}

#[cfg(feature = "cuda")]
impl HostStates for Rows {
    fn buffer(&mut self, index: usize) -> &mut [u8] {
        self.activity.reset();
        self.fields[index].now.as_mut_slice()
    }
}

impl Engine for Rows {
    fn step(&mut self, steps: u32) -> Result<()> {
        let pool = Arc::clone(&self.pool);
        pool.install(|| {
            for _ in 0..steps {
                for index in 0..self.steps.len() {
                    self.run(index);
                }
                self.time += 1;
            }
        });
        Ok(())
    }

    fn part(&mut self, index: usize) -> Result<()> {
        let pool = Arc::clone(&self.pool);
        pool.install(|| self.run(index));
        self.time += u32::from(index + 1 == self.steps.len());
        Ok(())
    }

    fn time(&self) -> u32 {
        self.time
    }

    fn digest(&self, state: StateId) -> Result<u64> {
        let field = self.field(state);
        let of_column = |column: usize| {
            let ranks = self.grid.rank(column)..;
            let terms = self.grid.lanes(column).zip(ranks);
            terms.fold(0u64, |sum, (lane, rank)| sum.wrapping_add(digest::term(rank, field.bits(column, lane, rank))))
        };
        Ok(self
            .pool
            .install(|| (0..self.grid.columns()).into_par_iter().map(of_column).reduce(|| 0, u64::wrapping_add)))
    }

    fn reductions(&self) -> Result<Vec<ObservedValue>> {
        if self.rule.reductions.is_empty() {
            return Ok(Vec::new());
        }
        let pass = self.terms()?;
        let fractal = self.domain.fractal();
        let fold = |reduction: &squeeze_compiler::ir::Reduction| {
            ReductionFold::new(reduction.kind, reduction.ty, fractal, self.domain.level())
        };
        let mut folds: Vec<ReductionFold> = self.rule.reductions.iter().map(fold).collect();
        for first in (0..self.grid.columns()).step_by(BATCH) {
            let columns = first..(first + BATCH).min(self.grid.columns());
            let pieces: Vec<Range<usize>> =
                columns.clone().step_by(64).map(|piece| piece..(piece + 64).min(columns.end)).collect();
            let terms: Vec<Vec<Vec<u64>>> =
                self.pool.install(|| pieces.into_par_iter().map(|piece| self.terms_of(pass, piece)).collect());
            for ((index, fold), reduction) in folds.iter_mut().enumerate().zip(&self.rule.reductions) {
                for bits in terms.iter().flat_map(|piece| &piece[index]) {
                    fold.push(Value::from_bits(reduction.ty, *bits));
                }
            }
        }
        Ok(folds.into_iter().map(ReductionFold::finish).collect())
    }

    fn value(&self, state: StateId, c: u64) -> Result<Value> {
        Ok(Value::from_bits(self.rule.state(state).ty, self.bits(state, c)))
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        let field = self.field(state);
        let ty = self.rule.state(state).ty;
        let of_column = |column: usize| {
            let value = |(lane, rank)| sample.of(Value::from_bits(ty, field.bits(column, lane, rank)).as_f64());
            self.grid.lanes(column).zip(self.grid.rank(column)..).map(value).collect::<Vec<_>>()
        };
        let cells = (0..self.grid.columns()).flat_map(of_column);
        if mu == 0 {
            return Ok(cells.collect());
        }
        Ok(vec![cells.fold([0.0; 3], |total, part| std::array::from_fn(|i| total[i] + part[i]))])
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        bytes.fill(0);
        if cells.is_empty() {
            return Ok(());
        }
        let field = self.field(state);
        let ty = self.rule.state(state).ty;
        for column in self.grid.column_of(cells.start)..=self.grid.column_of(cells.end - 1) {
            for (lane, rank) in self.grid.lanes(column).zip(self.grid.rank(column)..) {
                if cells.contains(&rank) {
                    packed::put(ty, bytes, rank - cells.start, field.bits(column, lane, rank));
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) -> Result<()> {
        if cells.is_empty() {
            return Ok(());
        }
        self.activity.reset();
        let ty = self.rule.state(state).ty;
        let (grid, field) = (&self.grid, &mut self.fields[usize::from(state.0)]);
        let (columns, now) = (field.columns, field.now.as_mut_slice());
        if let Some(dense) = field.dense {
            for rank in cells.clone() {
                let bits = packed::canonical_bits(ty, packed::bits(ty, bytes, rank - cells.start));
                dense.put(now, rank, bits);
            }
            return Ok(());
        }
        for column in grid.column_of(cells.start)..=grid.column_of(cells.end - 1) {
            let block = &mut now[column * columns.block..][..columns.block];
            for (lane, rank) in grid.lanes(column).zip(grid.rank(column)..) {
                if cells.contains(&rank) {
                    let bits = packed::canonical_bits(ty, packed::bits(ty, bytes, rank - cells.start));
                    put(&columns, block, lane, bits);
                }
            }
        }
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

    fn state_bytes(&self) -> u64 {
        let bytes = |field: &Field| field.now.len() + field.next.as_ref().map_or(0, Buffer::len);
        self.fields.iter().map(|field| bytes(field) as u64).sum()
    }

    fn strategy(&self) -> &'static str {
        if self.is_packed() { "packed" } else { "lanes" }
    }

    fn device(&self) -> String {
        memory::processor_name()
    }
}

/// Sets one lane.
fn put(columns: &Columns, block: &mut [u8], lane: usize, bits: u64) {
    match columns.planes {
        Planes::Bits(planes) => {
            for plane in 0..usize::from(planes) {
                let byte = &mut block[plane * 4 * columns.shape.words + lane / 8];
                *byte = *byte & !(1 << (lane % 8)) | ((bits >> plane & 1) as u8) << (lane % 8);
            }
        }
        Planes::Number(ty) => {
            let size = ty.scalar().bytes() as usize;
            block[lane * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
}
