//! Several time steps in one pass over memory, in bands of rows.
//!
//! A *stage* is one kernel of one step. Rows are computed in an order in which each is used as soon as it is there: row y of the first stage, row y − r
//! of the second, which looks r rows far, and so on. Of what a stage leaves to later ones a few rows are kept, which stay in the cache. Threads take
//! bands of rows, and compute what lies beyond the band's ends, as far as they need it, by themselves.
//!
//! Of a part, bands are of its own rows; the rows of others that they need are ghosts, which each part computes for itself.
//!
//! Bands serve any kernels whose states no cache holds. Tests demand them by `course::without_caches`.

use super::lines::RowRing;
use super::padded;
use super::storage::RowUnits;
use crate::cpu::kernel::{Buffers, Globals, HostKernel, Work};
use crate::cpu::worker::{Worker, share_out};
use crate::states::buffer::{Scratch, Shared};
use squeeze_compiler::layout::unit::Unit;
use std::ops::Range;

/// Rows of a band for each row beyond it that is computed twice. Guess: not measured.
const BAND: usize = 32;

/// How several steps are computed together.
pub(crate) struct Band {
    /// The rows that each kernel of a step looks up or down.
    reaches: Vec<usize>,
    /// The states that a step stores.
    pub writes: Vec<usize>,
}

impl Band {
    /// The band of a step's kernels.
    pub(crate) fn new(kernels: &[HostKernel]) -> Band {
        let reach = |kernel: &HostKernel| kernel.looks().map(|(_, [_, y, _])| y.unsigned_abs() as usize).max();
        let reaches = kernels.iter().map(|kernel| reach(kernel).unwrap_or(0)).collect();
        let mut writes: Vec<usize> = kernels.iter().flat_map(HostKernel::writes).copied().collect();
        writes.sort_unstable();
        writes.dedup();
        Band { reaches, writes }
    }

    /// How many rows a stage looks up or down.
    fn reach(&self, stage: usize) -> usize {
        self.reaches[stage % self.reaches.len()]
    }

    /// Computes several steps; the first one gives the state of the time of `globals`.
    ///
    /// # Safety
    /// As of [`HostKernel::run`] for each kernel.
    pub(crate) unsafe fn run(
        &self,
        kernels: &[HostKernel],
        units: &RowUnits,
        buffers: &Buffers,
        globals: Globals<'_>,
        steps: u32,
    ) {
        let (own, steps) = (units.rows(), steps as usize);
        if kernels[0].padded.is_some() {
            // SAFETY: as the caller's.
            return unsafe { padded::run(kernels, units, buffers, globals, (steps, Work::All)) };
        }
        let beyond = steps * self.reaches.iter().sum::<usize>();
        let band = own.len().div_ceil(rayon::current_num_threads()).min((BAND * beyond).max(BAND)).max(1);
        let begin = || -> Box<dyn FnMut(usize) + '_> {
            let mut stages = Stages::new(self, kernels, units, buffers, globals, steps);
            Box::new(move |number: usize| {
                let first = own.start + number * band;
                let rows = first..(first + band).min(own.end);
                // SAFETY: as the caller's; no other band holds these rows.
                unsafe { stages.compute(&buffers.new, rows) };
            })
        };
        share_out(own.len().div_ceil(band), &begin);
    }
}

/// The stages that a thread runs for each band, and their memory.
struct Stages<'a> {
    units: &'a RowUnits,
    stages: Vec<Stage<'a>>,
    /// Whether values in lanes that are no cells matter to a later stage.
    sees_holes: bool,
    _memory: Vec<Scratch>,
}

/// A kernel of a step.
struct Stage<'a> {
    kernel: &'a HostKernel,
    /// The worker of the step's kernel, which keeps columns between its calls.
    worker: Worker<'a, RowUnits>,
    /// The buffers that it reads.
    old: Buffers,
    outputs: Vec<Output>,
    /// How many rows behind the first stage it is.
    delay: i64,
    /// How many rows beyond the band it is needed.
    beyond: i64,
}

/// Where a state goes that a stage stores.
struct Output {
    state: usize,
    /// The rows that later stages look at, if any do.
    kept: Option<(Shared, RowRing)>,
    /// Whether no later stage stores it.
    is_last: bool,
}

impl<'a> Stages<'a> {
    fn new(
        band: &'a Band,
        kernels: &'a [HostKernel],
        units: &'a RowUnits,
        buffers: &Buffers,
        globals: Globals<'a>,
        steps: usize,
    ) -> Self {
        let count = steps * kernels.len();
        let kernel = |stage: usize| &kernels[stage % kernels.len()];
        let delays: Vec<usize> = (0..count)
            .scan(0, |delay, stage| {
                *delay += if stage == 0 { 0 } else { band.reach(stage) };
                Some(*delay)
            })
            .collect();
        let (mut memory, mut states) = (Vec::new(), buffers.old.clone());
        let mut rings = vec![None; states.len()];
        let mut stages = Vec::with_capacity(count);
        for stage in 0..count {
            let old = Buffers { old: states.clone(), new: Vec::new(), rings: rings.clone() };
            let output = |&state: &usize| {
                let next = (stage + 1..count).find(|later| kernel(*later).writes().contains(&state));
                // Stages that read the state come no later than the one that stores it next.
                let readers = stage + 1..(next.map_or(count, |next| next + 1));
                let last_row = readers.map(|reader| delays[reader] + band.reach(reader)).max();
                let kept = last_row.map(|last| {
                    let row_bytes = units.grid.columns_of_row() * kernel(stage).states[state].block;
                    let ring = RowRing::new(last - delays[stage] + 1, row_bytes);
                    let (bytes, first) = ring.bytes();
                    let mut rows = Scratch::new(bytes);
                    let start = Shared(rows.as_mut_ptr().wrapping_add(first));
                    (states[state], rings[state]) = (start.0.cast_const(), Some(ring));
                    memory.push(rows);
                    (start, ring)
                });
                Output { state, kept, is_last: next.is_none() }
            };
            let outputs = kernel(stage).writes().iter().map(output).collect();
            let time = globals.time + (stage / kernels.len()) as u32;
            stages.push(Stage {
                kernel: kernel(stage),
                worker: Worker::new(kernel(stage), units, Globals { time, ..globals }),
                old,
                outputs,
                delay: delays[stage] as i64,
                beyond: (delays[count - 1] - delays[stage]) as i64,
            });
        }
        let sees_holes = kernels.iter().any(HostKernel::sees_holes);
        Stages { units, stages, sees_holes, _memory: memory }
    }

    /// Computes some rows of all stages.
    ///
    /// # Safety
    /// As of [`Band::run`]; the rows of `new` are this thread's own.
    unsafe fn compute(&mut self, new: &[Shared], rows: Range<usize>) {
        let (grid, own) = (&self.units.grid, rows.start as i64..rows.end as i64);
        let (height, around) = (grid.extent()[1] as i64, grid.periodic()[1]);
        let beyond = self.stages[0].beyond;
        for first in own.start - beyond..own.end + beyond {
            for stage in &mut self.stages {
                let y = first - stage.delay;
                let is_needed = (own.start - stage.beyond..own.end + stage.beyond).contains(&y);
                if is_needed && (around || (0..height).contains(&y)) {
                    // SAFETY: as the caller's. Rows of earlier stages that this row reads were made in this turn, or in those before.
                    unsafe { stage.row(self.units, y, new, own.contains(&y), self.sees_holes) };
                }
            }
        }
    }
}

impl Stage<'_> {
    /// Computes the y-th row, counted on beyond seams, which may be one of the band's own.
    ///
    /// # Safety
    /// As of [`Stages::compute`].
    unsafe fn row(&mut self, units: &RowUnits, y: i64, new: &[Shared], is_own: bool, sees_holes: bool) {
        let grid = &units.grid;
        let per_row = grid.columns_of_row();
        let row = y.rem_euclid(grid.extent()[1] as i64) as usize;
        let mut results = vec![Shared(std::ptr::null_mut()); new.len()];
        for number in 0..per_row {
            let Some(slot) = grid.slot(Unit((row * per_row + number) as u32)) else { continue };
            for output in &self.outputs {
                let block = self.kernel.states[output.state].block;
                results[output.state] = Shared(match output.kept {
                    None => new[output.state].at(slot.index() * block),
                    Some((rows, ring)) => rows.at(ring.row(y) + number * block),
                });
            }
            let unit = units.stretch(slot, y);
            // SAFETY: as the caller's; the rows that are kept are this thread's own.
            unsafe { self.worker.run_into(&self.old, unit, |state| results[state].0) };
            let leaves = self.outputs.iter().any(|output| output.is_last);
            // Rows that are kept for later stages are read by these alone.
            if sees_holes || leaves {
                // SAFETY: as above.
                unsafe { self.worker.clear_holes(unit) };
            }
            for output in self.outputs.iter().filter(|output| is_own && output.is_last && output.kept.is_some()) {
                let block = self.kernel.states[output.state].block;
                let to = new[output.state].at(slot.index() * block);
                // SAFETY: the column is this thread's own, here and there.
                unsafe { to.copy_from_nonoverlapping(results[output.state].0, block) };
            }
        }
        for (rows, ring) in self.outputs.iter().filter_map(|output| output.kept).filter(|_| grid.periodic()[0]) {
            // SAFETY: the rows are this thread's own.
            unsafe { ring.close(rows.at(ring.row(y))) };
        }
    }
}
