//! Several time steps in one pass over memory.
//!
//! Rows are computed in an order in which each is used as soon as it is there: row y of the first step, row y − r of the second, which looks r rows
//! far, and so on. Of the steps before the last a few rows are kept, which stay in the cache. Threads take bands of rows, and compute what lies
//! beyond the band's ends, as far as they need it, by themselves.

use super::old::{Old, Ring};
use super::pass::{Pass, Worker};
use crate::engine::cpu::pass::Globals;
use crate::engine::states::buffer::{Scratch, Shared};
use rayon::prelude::*;
use squeeze_compiler::Speciality;
use squeeze_compiler::ir::Rule;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::permutation::ABSENT;
use squeeze_compiler::layout::rows::RowGrid;
use std::ops::Range;

/// The most steps of a pass.
const MOST_STEPS: usize = 4;
/// Bytes that the rows of the steps between take at most, where there is more than one of these.
const ROWS_BYTES: usize = 1 << 20;
/// Bytes that those of one step take at most.
const MOST_BYTES: usize = 1 << 23;
/// Rows of a band for each row beyond it that is computed twice.
const BAND: usize = 32;

/// How several steps are computed together.
pub(super) struct Several {
    steps: usize,
    /// How many rows a step looks up or down.
    reach: usize,
    /// Rows of each step that are kept.
    rows: usize,
}

impl Several {
    /// Of the steps of a kernel; `None` where nothing is gained, or it cannot be. Kernels that draw are computed step by step, and bits, which are
    /// few bytes.
    pub fn new(pass: &Pass, grid: &RowGrid, rule: &Rule) -> Option<Several> {
        let numbers = rule.kept_states().any(|state| matches!(Planes::of(rule, state.ty), Planes::Number(_)));
        let [_, height, depth] = grid.extent();
        if !numbers || depth > 1 || !pass.is_one_call() {
            return None;
        }
        let reach = pass.directions_read().map(|[_, y, _]| y.unsigned_abs() as usize).max().unwrap_or(0);
        let rows = 2 * reach + 1;
        let row: usize =
            pass.writes().iter().map(|state| pass.states[*state].block).sum::<usize>() * grid.columns_of_row();
        let bytes = rows * row;
        let steps = (1 + (ROWS_BYTES / bytes.max(1)).max(usize::from(bytes <= MOST_BYTES))).min(MOST_STEPS);
        // Rows that are computed twice, around a seam, must not be the same ones.
        (steps > 1 && 2 * reach * steps <= height && pass.off.allows(Speciality::Bands)).then_some(Several {
            steps,
            reach,
            rows,
        })
    }

    /// How many steps are computed together at most.
    pub fn steps(&self) -> u32 {
        self.steps as u32
    }

    /// Computes so many steps, the first of which gives the state of the time that `globals` say.
    ///
    /// # Safety
    /// As of [`Pass::run`].
    #[expect(clippy::too_many_arguments, reason = "what a pass needs, and how many steps")]
    pub unsafe fn run(
        &self,
        pass: &Pass,
        grid: &RowGrid,
        old: &Old,
        new: &[Shared],
        globals: Globals<'_>,
        side: i32,
        steps: u32,
    ) {
        let (height, steps) = (grid.extent()[1], steps as usize);
        let threads = rayon::current_num_threads();
        let band = height.div_ceil(threads).min((BAND * steps * self.reach).max(BAND)).max(1);
        let begin = || Bands::new(self, pass, grid, old, globals, side, steps);
        let compute = |bands: &mut Bands<'_>, number: usize| {
            let rows = number * band..((number + 1) * band).min(height);
            // SAFETY: as the caller's; no other band holds these rows.
            unsafe { bands.compute(new, rows) };
        };
        let bands = height.div_ceil(band);
        if threads == 1 || bands == 1 {
            let mut memory = begin();
            (0..bands).for_each(|number| compute(&mut memory, number));
            return;
        }
        (0..bands).into_par_iter().for_each_init(begin, compute);
    }
}

/// What a thread needs to compute bands.
struct Bands<'a> {
    several: &'a Several,
    pass: &'a Pass,
    grid: &'a RowGrid,
    /// By step what calls the kernel, which keeps some of what it read, and what it reads.
    workers: Vec<Worker<'a>>,
    old: Vec<Old>,
    /// By step but the last where the rows of each state stand that it makes.
    made: Vec<Vec<Shared>>,
    /// Whether what stands in lanes that are no cells matters to the next step.
    sees_holes: bool,
    _memory: Vec<Scratch>,
}

impl<'a> Bands<'a> {
    fn new(
        several: &'a Several,
        pass: &'a Pass,
        grid: &'a RowGrid,
        old: &Old,
        globals: Globals<'a>,
        side: i32,
        steps: usize,
    ) -> Self {
        let states = old.states.len();
        let (mut memory, mut made) = (Vec::new(), Vec::new());
        let mut reads = vec![Old::new(old.states.clone())];
        for _ in 1..steps {
            let (mut next, mut results) = (Old::new(old.states.clone()), vec![Shared(std::ptr::null_mut()); states]);
            for &state in pass.writes() {
                let ring = Ring::new(several.rows, grid.columns_of_row() * pass.states[state].block);
                let (bytes, first) = ring.bytes();
                let mut rows = Scratch::new(bytes);
                results[state] = Shared(rows.as_mut_ptr().wrapping_add(first));
                (next.states[state], next.rings[state]) = (rows.as_ptr().wrapping_add(first), Some(ring));
                memory.push(rows);
            }
            reads.push(next);
            made.push(results);
        }
        let worker =
            |step: usize| Worker::new(pass, grid, Globals { time: globals.time + step as u32, ..globals }, 0, side);
        let workers = (0..steps).map(worker).collect();
        let sees_holes = pass.sees_holes();
        Bands { several, pass, grid, workers, old: reads, made, sees_holes, _memory: memory }
    }

    /// Computes some rows of the last step.
    ///
    /// # Safety
    /// As of [`Several::run`]; the rows of `new` are this thread's own.
    unsafe fn compute(&mut self, new: &[Shared], rows: Range<usize>) {
        let (steps, reach) = (self.old.len(), self.several.reach as i64);
        let rows = rows.start as i64..rows.end as i64;
        // How far beyond the band a step is needed.
        let beyond = |step: usize| (steps - 1 - step) as i64 * reach;
        for first in rows.start - beyond(0)..rows.end + beyond(0) {
            for step in 0..steps {
                let y = first - step as i64 * reach;
                if (rows.start - beyond(step)..rows.end + beyond(step)).contains(&y) {
                    // SAFETY: as the caller's. What this row looks at of the step before was made in this turn, or in those before.
                    unsafe { self.row(step, y, new) };
                }
            }
        }
    }

    /// Computes a row of a step.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute).
    unsafe fn row(&mut self, step: usize, y: i64, new: &[Shared]) {
        let (grid, pass) = (self.grid, self.pass);
        let height = grid.extent()[1] as i64;
        if !(grid.periodic()[1] || (0..height).contains(&y)) {
            return;
        }
        let per_row = grid.columns_of_row();
        let row = y.rem_euclid(height) as usize;
        let made = self.made.get(step);
        let mut results = vec![Shared(std::ptr::null_mut()); new.len()];
        for number in 0..per_row {
            let column = grid.stored(row * per_row + number);
            if column == ABSENT {
                continue;
            }
            let column = column as usize;
            let block = |state: usize| pass.states[state].block;
            for &state in pass.writes() {
                results[state] = match made {
                    None => Shared(new[state].at(column * block(state))),
                    Some(made) => Shared(made[state].at(self.ring(step, state).row(y) + number * block(state))),
                };
            }
            // SAFETY: as the caller's; the rows of steps between are this thread's own.
            unsafe { self.workers[step].run_at(&self.old[step], column, grid.place(column), y, &results) };
            // What a step leaves to the next one is looked at by that alone.
            if self.sees_holes || made.is_none() {
                // SAFETY: as above.
                unsafe { self.workers[step].clear(column, &results) };
            }
        }
        for &state in pass.writes().iter().filter(|_| grid.periodic()[0]) {
            if let Some(made) = made {
                let ring = self.ring(step, state);
                // SAFETY: the ring is this thread's own.
                unsafe { ring.close(made[state].at(ring.row(y))) };
            }
        }
    }

    /// How the rows stand that a step makes for the next one.
    fn ring(&self, step: usize, state: usize) -> Ring {
        self.old[step + 1].rings[state].expect("what a step between writes has a ring")
    }
}
