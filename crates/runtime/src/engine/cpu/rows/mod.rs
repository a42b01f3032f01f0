//! Masks and boxes on the CPU: rows as lanes.
//!
//! A column is a stretch of a row ([`RowGrid`]), and a superblock is one column: the kernels are those of replica lanes for a superblock of a single
//! cell that looks at any distance. What lies beside a place in its row is a shifted column, made of two that follow each other; whether
//! there is a cell is a shifted mask. Lanes that are no cells hold 0 between passes, as kernels expect of what does not exist;
//! what stands at the ends of rows is read as it is where that cannot matter (`Halo::guarded`).

mod bits;
mod clear;
mod decision;
mod dense;
mod lines;
mod old;
mod pass;
mod several;
mod shifted;
mod spread;
mod terms;

use super::activity::{Activity, Extent};
use super::host::{Field, HostSimulation, OnHost};
use super::pass::Globals;
use super::reduce::{Cells, Observed, Reducer, TermWorker, Terms};
use crate::engine::rounds::Rounds;
use crate::engine::terms::Asked;
use crate::engine::{Backend, EngineError, Result};
use crate::state::field::Sample;
use crate::state::packed;
use dense::Dense;
use old::Old;
use pass::{Pass, Work, Worker};
use rayon::ThreadPool;
use rayon::prelude::*;
use several::Several;
use spread::Spread;
use squeeze_codegen::{AvailableIsa, Isa};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Rule, StateId, Value};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::numbers::digest;
use squeeze_compiler::pipeline::compile_observables;
use squeeze_compiler::plan::{Plan, StateMemory};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::{Compiled, Off, Speciality, Target, compile};
use std::ops::Range;
use std::sync::Arc;
use terms::OfColumns;

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
    /// Specialities to do without.
    pub off: Off,
}

/// A simulation on a mask or a box.
pub struct Rows {
    host: HostSimulation,
    domain: Domain,
    grid: Arc<RowGrid>,
    /// Where the values of each state stand if they are those of the cells alone; `None` if columns are stored.
    dense: Option<Vec<Dense>>,
    /// What computes the initial states; none for copies of what is on a device.
    init: Option<Pass>,
    steps: Vec<Pass>,
    /// What reductions take, for all that was asked for.
    observed: Arc<Asked<Observed<Pass>>>,
    isa: Option<AvailableIsa>,
    /// How far the steps look, if they are one kernel.
    spread: Option<Spread>,
    /// How several steps are computed in one pass, if they can be.
    several: Option<Several>,
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
        Tuning { threads, isa, activity, packed, off }: Tuning,
    ) -> Result<Rows> {
        let isa = super::available(isa)?;
        let pool = Arc::new(squeeze_host::threads::pool(threads)?);
        let too_large = |needed: u64| EngineError::MaskMemory {
            name: domain.fractal().name.clone(),
            backend: Backend::Cpu.name(),
            needed: needed as f64,
            available: limit,
        };
        if RowGrid::bytes(domain) > limit {
            return Err(too_large(RowGrid::bytes(domain)));
        }
        let target = target(domain, &pool, isa)?.without(off);
        let Compiled { plan, init, steps, .. } = compile(rule, domain, &target)?;
        let room = limit.saturating_sub(RowGrid::bytes(domain));
        let (grid, packed, needed) = RowGrid::fitting(domain, rule, room, packed);
        let room = u128::from(room);
        if needed > room {
            let all = needed + u128::from(RowGrid::bytes(domain));
            return Err(too_large(u64::try_from(all).unwrap_or(u64::MAX)));
        }
        let bytes_of = |grid: &RowGrid, state: &StateMemory| match packed {
            true => state.columns.packed_bytes(grid.cells()),
            false => state.columns.block as u64 * grid.columns() as u64,
        };
        let memory = grid.state_memory(rule);
        let grid = Arc::new(grid);
        let mut fields = Vec::new();
        for state in &memory {
            fields.push(Field::new(state.columns, bytes_of(&grid, state), state.buffers)?);
        }
        let dense = |state: &StateMemory| Dense::new(state.columns, grid.cells());
        let dense = packed.then(|| memory.iter().map(dense).collect());
        let init = Some(Pass::new(&init, &grid, isa, packed)?);
        let steps: Vec<Pass> =
            steps.iter().map(|kernel| Pass::new(kernel, &grid, isa, packed)).collect::<Result<_>>()?;
        let left = room.saturating_sub(needed);
        let spread = match &steps[..] {
            [step] if !packed && rule.globals.is_empty() && step.may_rest() => Some(Spread::new(step, &grid)),
            _ => None,
        };
        // Where rows are short, marks may take more than the states.
        let spread = spread.filter(|spread| u128::from(spread.bytes(&grid)) <= left);
        let host = HostSimulation {
            rule: Arc::clone(rule),
            fields,
            params: params.iter().map(|param| param.bits()).collect(),
            seed,
            time: 0,
            pool,
            plan,
            target,
            activity: Activity::new(activity),
        };
        let domain = domain.clone();
        let several = match &steps[..] {
            [step] if !packed && rule.globals.is_empty() => Several::new(step, &grid, rule),
            _ => None,
        };
        let observed = Arc::default();
        let mut rows = Rows { host, domain, grid, dense, init, steps, observed, isa, spread, several };
        rows.initialise();
        Ok(rows)
    }

    /// A copy of the states on a device, which are all 0 so far; it computes no steps. They are columns, or the cells alone.
    ///
    /// # Errors
    /// [`EngineError::System`] if the machine fails.
    #[cfg(feature = "cuda")]
    pub(crate) fn mirror(
        domain: &Domain,
        (grid, packed): (&Arc<RowGrid>, bool),
        rule: &Arc<Rule>,
        seed: u64,
        params: &[Value],
        threads: Option<usize>,
    ) -> Result<Rows> {
        let pool = Arc::new(squeeze_host::threads::pool(threads)?);
        let target = target(domain, &pool, None)?;
        let candidate = target.demanded.clone().expect("rows have one layout");
        let mut fields = Vec::new();
        for StateMemory { columns, .. } in grid.state_memory(rule) {
            let bytes = match packed {
                true => Dense::new(columns, grid.cells()).bytes(),
                false => columns.block as u64 * grid.columns() as u64,
            };
            fields.push(Field::new(columns, bytes, 1)?);
        }
        let host = HostSimulation {
            rule: Arc::clone(rule),
            fields,
            params: params.iter().map(|param| param.bits()).collect(),
            seed,
            time: 0,
            pool,
            plan: Plan::of(rule, candidate),
            target,
            activity: Activity::new(false),
        };
        let dense = |state: StateMemory| Dense::new(state.columns, grid.cells());
        let dense = packed.then(|| grid.state_memory(rule).into_iter().map(dense).collect());
        Ok(Rows {
            host,
            domain: domain.clone(),
            grid: Arc::clone(grid),
            dense,
            init: None,
            steps: Vec::new(),
            observed: Arc::default(),
            isa: None,
            spread: None,
            several: None,
        })
    }

    fn side(&self) -> i32 {
        i32::try_from(self.domain.side()).unwrap_or(0)
    }

    fn old(&self) -> Old {
        Old::new(self.host.readable())
    }

    /// Runs the kernel of this number.
    fn run(&mut self, index: usize) {
        let grid = Arc::clone(&self.grid);
        let extent = match &mut self.spread {
            None => Extent::All,
            Some(spread) => {
                let marks = spread.marks_maker(&grid);
                self.host.activity.begin(1, grid.columns(), marks, |marks, units| spread.list(&grid, marks, units))
            }
        };
        let new = self.host.next_writable();
        let (pass, old) = (&self.steps[index], self.old());
        let activity = &self.host.activity;
        let work = match (extent, &self.spread) {
            (Extent::Watched, Some(spread)) => Work::Watched(&activity.marks, spread),
            (Extent::Listed, Some(spread)) => Work::Listed(&activity.units, &activity.marks, spread),
            _ => Work::All,
        };
        // SAFETY: the columns are those of all states on this grid, borrowed for writing; what a kernel stores has two buffers.
        unsafe { pass.run(&self.grid, &old, &new, self.host.globals(self.host.time + 1), self.side(), work) };
        self.host.activity.finish(extent);
        self.host.exchange(self.steps[index].writes());
    }

    /// Computes so many steps in one pass.
    fn run_several(&mut self, steps: u32) {
        let Some(several) = &self.several else { return };
        let (grid, old, new) = (Arc::clone(&self.grid), self.old(), self.host.next_writable());
        let (pass, side, globals) = (&self.steps[0], self.side(), self.host.globals(self.host.time + 1));
        // SAFETY: the columns are those of all states on this grid, borrowed for writing; what a kernel stores has two buffers.
        unsafe { several.run(pass, &grid, &old, &new, globals, side, steps) };
        self.host.activity.pass_unwatched(steps);
        self.host.exchange(self.steps[0].writes());
    }

    /// The reductions of these numbers, all of one round, with these parameters.
    fn of_round(&self, which: &[usize], params: &[u64]) -> Result<Vec<ObservedValue>> {
        let HostSimulation { rule, fields, plan, target, pool, .. } = &self.host;
        let direct = !self.is_packed() && target.off().allows(Speciality::TermsOfStates);
        let observed = self.observed.get(which, || {
            Observed::new(rule, which, direct, |computed| {
                Pass::new(&compile_observables(computed, plan, target)?, &self.grid, self.isa, self.is_packed())
            })
        })?;
        let Observed { rule, sources, terms } = &*observed;
        let old = self.old();
        let globals = Globals { params, ..self.host.globals(self.host.time) };
        let worker = || {
            let pass = terms.as_ref()?;
            let worker = Worker::new(pass, &self.grid, globals, 0, self.side());
            // SAFETY: the columns are those of all states on this grid, which nobody writes while `self` is borrowed.
            let worker = unsafe { OfColumns::new(worker, &old, &pass.states, fields.len()) };
            Some(Box::new(worker) as Box<dyn TermWorker + '_>)
        };
        let computed = terms.as_ref().map_or(&[][..], |pass| &pass.states[fields.len()..]);
        let terms = Terms { sources, fields, computed, worker: &worker };
        let reducer = Reducer { cells: Cells::Rows(&self.grid), rule, terms, threads: pool.current_num_threads() };
        Ok(pool.install(|| reducer.values()))
    }

    /// The reductions that were asked for together, whenever it is called.
    #[cfg(test)]
    pub(super) fn asked(&self) -> impl Fn() -> Vec<Vec<usize>> + use<> {
        let observed = Arc::clone(&self.observed);
        move || observed.lists()
    }

    /// Whether the states hold the cells alone.
    fn is_packed(&self) -> bool {
        self.dense.is_some()
    }

    /// What reads the bits of a state in a cell: of its column and lane, and its index.
    fn reader(&self, state: StateId) -> impl Fn(usize, usize, u64) -> u64 + Sync {
        let index = usize::from(state.0);
        let Field { columns, now, .. } = &self.host.fields[index];
        let (now, dense) = (now.as_slice(), self.dense.as_ref().map(|dense| dense[index]));
        move |column, lane, cell_index| match &dense {
            Some(dense) => dense.bits(now, cell_index),
            None => columns.bits(&now[column * columns.block..][..columns.block], lane),
        }
    }
}

/// What kernels are compiled for.
fn target(domain: &Domain, pool: &ThreadPool, isa: Option<AvailableIsa>) -> Result<Target> {
    Ok(Target::cpu_rows(domain, pool.current_num_threads())?.with_passes(squeeze_codegen::passes(isa)))
}

impl OnHost for Rows {
    fn host(&self) -> &HostSimulation {
        &self.host
    }

    fn host_mut(&mut self) -> &mut HostSimulation {
        &mut self.host
    }

    fn initialise(&mut self) {
        let Some(init) = &self.init else { return };
        let new = self.host.writable();
        let old = Old::new(vec![std::ptr::null(); new.len()]);
        // SAFETY: the kernel loads nothing, and stores to the columns of this grid, which are borrowed for writing.
        self.host
            .pool
            .install(|| unsafe { init.run(&self.grid, &old, &new, self.host.globals(0), self.side(), Work::All) });
        self.host.activity.reset();
    }

    fn step(&mut self, steps: u32) -> Result<()> {
        let pool = Arc::clone(&self.host.pool);
        pool.install(|| {
            let mut left = steps;
            while left > 0 {
                left -= self.host.pass_still(self.steps[0].writes(), 1, left);
                if left == 0 {
                    return;
                }
                let together =
                    self.several.as_ref().map_or(1, Several::steps).min(left).min(self.host.activity.unwatched());
                if together > 1 {
                    self.run_several(together);
                } else {
                    (0..self.steps.len()).for_each(|index| self.run(index));
                }
                let done = together.max(1);
                self.host.time += done;
                left -= done;
            }
        });
        Ok(())
    }

    fn part(&mut self, index: usize) -> Result<()> {
        let pool = Arc::clone(&self.host.pool);
        pool.install(|| self.run(index));
        self.host.time += u32::from(index + 1 == self.steps.len());
        Ok(())
    }

    fn digest(&self, state: StateId) -> u64 {
        let bits = self.reader(state);
        let of_column = |column: usize| {
            let terms = self.grid.lanes(column).zip(self.grid.first_cell(column)..);
            terms.fold(0u64, |sum, (lane, cell_index)| {
                sum.wrapping_add(digest::term(cell_index, bits(column, lane, cell_index)))
            })
        };
        let columns = 0..self.grid.columns();
        self.host.pool.install(|| columns.into_par_iter().map(of_column).reduce(|| 0, u64::wrapping_add))
    }

    fn reductions_of(&self, which: &[usize]) -> Result<Vec<ObservedValue>> {
        if which.is_empty() {
            return Ok(Vec::new());
        }
        let rounds = Rounds::of(&self.host.rule, which);
        let first = self.of_round(&rounds.first, &self.host.params)?;
        if rounds.second.is_empty() {
            return Ok(first);
        }
        let params = self.host.params_and(&rounds.means(&self.host.rule, &first, self.domain.cells()));
        let second = self.of_round(&rounds.second, &params)?;
        Ok(rounds.joined(first, second))
    }

    fn bits(&self, state: StateId, c: u64) -> u64 {
        let (column, lane) = self.grid.locate(c);
        self.reader(state)(column, lane, c)
    }

    fn block_sums(&self, state: StateId, mu: u32, sample: Sample<'_>) -> Vec<[f64; 3]> {
        let bits = &self.reader(state);
        let ty = self.host.rule.state(state).ty;
        let of_column = |column: usize| {
            let value =
                move |(lane, cell_index)| sample.of(Value::from_bits(ty, bits(column, lane, cell_index)).as_f64());
            self.grid.lanes(column).zip(self.grid.first_cell(column)..).map(value).collect::<Vec<_>>()
        };
        let cells = (0..self.grid.columns()).flat_map(of_column);
        if mu == 0 {
            return cells.collect();
        }
        vec![cells.fold([0.0; 3], |total, part| std::array::from_fn(|i| total[i] + part[i]))]
    }

    fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) {
        bytes.fill(0);
        if cells.is_empty() {
            return;
        }
        let bits = self.reader(state);
        let ty = self.host.rule.state(state).ty;
        for column in self.grid.column_of(cells.start)..=self.grid.column_of(cells.end - 1) {
            for (lane, cell_index) in self.grid.lanes(column).zip(self.grid.first_cell(column)..) {
                if cells.contains(&cell_index) {
                    packed::put(ty, bytes, cell_index - cells.start, bits(column, lane, cell_index));
                }
            }
        }
    }

    fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) {
        if cells.is_empty() {
            return;
        }
        let index = usize::from(state.0);
        let ty = self.host.rule.state(state).ty;
        let value = |cell_index: u64| packed::canonical_bits(ty, packed::bits(ty, bytes, cell_index - cells.start));
        let (grid, field) = (&self.grid, &mut self.host.fields[index]);
        let (columns, now) = (field.columns, field.now.as_mut_slice());
        if let Some(dense) = &self.dense {
            cells.clone().for_each(|cell_index| dense[index].put(now, cell_index, value(cell_index)));
            return;
        }
        for column in grid.column_of(cells.start)..=grid.column_of(cells.end - 1) {
            let block = &mut now[column * columns.block..][..columns.block];
            for (lane, cell_index) in grid.lanes(column).zip(grid.first_cell(column)..) {
                if cells.contains(&cell_index) {
                    put(&columns, block, lane, value(cell_index));
                }
            }
        }
    }

    fn steps_of_pass(&self) -> u32 {
        self.several.as_ref().map_or(1, Several::steps)
    }

    fn strategy(&self) -> &'static str {
        if self.is_packed() { "packed" } else { "lanes" }
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
