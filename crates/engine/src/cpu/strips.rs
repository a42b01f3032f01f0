//! Ordered steps of a plane in [`Strips`]: rows of a strip are computed one after the other, the lanes of each at once.
//!
//! States stay where they are. A *tile*, some rows of a strip, is moved into memory of its own, where rows follow each other, computed there in place, and moved
//! back. Around its lanes are those beside the strip that it reads, and around its rows the ones before and behind. Random words are made for the cells as they
//! stand in memory, and move with the tile; inputs are read where they are. Of rolling states the lines between strips alone stand in memory, until the step is
//! done; where all states are rolling, few lines are stored at all, and each strip leaves its last ones where it found those of the strip before.
//!
//! Threads take strips in their order, and a strip waits where the one before it has not come far enough.

mod loops;
mod units;

use super::inputs::InputLanes;
use super::kernel::{Buffers, CompiledBody, Globals, HostKernel, LaneTables};
use super::letters::LetterLanes;
use super::rows::bits::{Word, copy_bits};
use super::rows::clear::clear;
use super::squares::{SIDE, SquareLanes, StripPlane};
use super::tile::{
    PlacesOfRow, StateInMemory, StripTile, TileRows, Whence, copy_lanes, draw_words, fill, mark_cells, mask_of, pitch,
};
use super::worker::Worker;
use crate::Result;
use crate::states::States;
use crate::states::buffer::{Scratch, Shared};
use rayon::prelude::*;
use squeeze_codegen::{AvailableIsa, Isa, StripLoop};
use squeeze_compiler::ir::{Boundary, Rule, RuleParts, SignedAxis, StateId, StepOrder, Strips, TileSize};
use squeeze_compiler::kernel::{Node, Op, Planes};
use squeeze_compiler::layout::columns::{Columns, OVERREAD, Shape};
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::numbers::random::DrawKey;
use squeeze_compiler::passes::Ready;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// A kernel in strips, and the strips of a domain.
pub(super) struct StripKernel {
    kernel: HostKernel,
    /// If calls go along rows, the kernel for rows of which all lanes are cells and have all their neighbours.
    inside: Option<HostKernel>,
    rows: StripRows,
}

/// The rows of strips, as kernels see them.
struct StripRows {
    strips: Strips,
    lanes: LaneTables,
    /// The sides along a lane and across lanes, and whether these axes wrap.
    sides: [i64; 2],
    wraps: [bool; 2],
    /// The rows of the plane that are stored, if others are not.
    stored: Option<Range<usize>>,
    /// Whether every place is a cell, and whether something lies beyond edges that do not wrap.
    is_full: bool,
    has_edges: bool,
    /// How many lanes and rows beside itself a cell may look at.
    reach: [i64; 2],
    /// The lines of a strip, rows of a tile, and lanes before the strip's.
    own: i64,
    rows: i64,
    before: i64,
    /// By state bytes from a row to the next.
    pitches: Vec<usize>,
    /// If calls go along rows, by how many lanes the words of presence are moved that kernels read.
    loops: Option<Vec<i32>>,
    /// The draws of the kernel.
    draws: Vec<u32>,
    /// Whether results go where old values are read.
    in_place: bool,
    /// By field the inputs that rows read directly, as they are or by the numbers of their letters, and the words of these that a call takes.
    inputs: Vec<Option<InputLanes>>,
    letters: Vec<Option<LetterLanes>>,
    letter_words: usize,
}

/// A row of a tile.
#[derive(Clone, Copy)]
struct TileRow {
    /// Which of the tile's rows it is.
    number: usize,
    /// The lane of the strip's axis that is lane 0, and which of the strip's rows it is.
    corner: [i64; 2],
    presence: *const u32,
    /// The words of one draw after the other.
    words: *const u32,
    /// Moved words of presence, and letters, if calls go along rows.
    moved: *const u32,
    letters: *const u32,
}

/// A run of a kernel on all strips.
struct StripRun<'a> {
    kernel: &'a HostKernel,
    inside: Option<&'a HostKernel>,
    rows: &'a StripRows,
    rule: &'a RuleParts,
    grid: &'a RowGrid,
    stored: Vec<Columns>,
    now: Vec<Shared>,
    globals: Globals<'a>,
    /// By state whether its old values are not needed, and whether lines between strips alone are moved back.
    is_new: Vec<bool>,
    is_rolling: Vec<bool>,
    /// Whether all is moved in squares but what lies beyond seams and edges, or everything.
    in_blocks: bool,
    clipped: bool,
}

/// A thread's part in a run.
struct StripWorker<'a> {
    run: &'a StripRun<'a>,
    tile: StripTile,
    /// Where the first rows of the tile stand, to be read and written.
    buffers: Buffers,
    worker: Worker<'a, StripRows>,
    inside: Option<Worker<'a, StripRows>>,
    /// The words of presence of all rows, by how they are moved, and behind them those of cells.
    moved: Vec<u32>,
    /// The letters of a call's first row.
    letters: Vec<u32>,
    /// A row of each state: results, or values to be restored.
    results: Vec<Scratch>,
    /// Where these stand.
    apart: Vec<Shared>,
}

/// How far strips are: the first row of each that is not done.
struct StripProgress {
    done: Mutex<Vec<i64>>,
    changed: Condvar,
}

impl StripProgress {
    /// Waits until a strip is done up to a row.
    fn wait_for(&self, strip: usize, row: i64) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        while done[strip] < row {
            done = self.changed.wait(done).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes that a strip is done up to a row.
    fn note(&self, strip: usize, row: i64) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)[strip] = row;
        self.changed.notify_all();
    }
}

/// Marks a strip as done when its thread ends, even by a panic.
struct Release<'a>(&'a StripProgress, usize);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.note(self.1, i64::MAX);
    }
}

impl StripKernel {
    /// Compiles a kernel for tiles of strips of a grid.
    pub(super) fn new(
        (ready, rule): (&Ready, &Rule),
        (strips, tile): (Strips, TileSize),
        grid: &RowGrid,
        isa: Option<AvailableIsa>,
    ) -> Result<StripKernel> {
        let axis = |signed: SignedAxis| usize::from(signed.axis);
        let sides = [strips.along, strips.across].map(|signed| grid.extent()[axis(signed)] as i64);
        let wraps = [strips.along, strips.across].map(|signed| grid.periodic()[axis(signed)]);
        let vectors = isa.is_some_and(|isa| isa.isa() == Isa::Avx512);
        let tile = if vectors { tile } else { tile.by_rows() };
        let TileSize { lanes, rows, reach, groups, .. } = tile;
        // Groups of bits may not overlap, since rows are computed in place.
        let bitwise = ready.bodies().iter().any(|body| body.interface().bitwise);
        let shape =
            Shape::of_lanes(if bitwise && groups == 0 { (lanes as usize).next_power_of_two() } else { lanes as usize });
        let corner = |axis: usize, lane: usize| if axis == 0 && lane < shape.lanes { lane as i32 } else { 0 };
        let corners = |axis: usize| (0..shape.lanes + OVERREAD / 4).map(|lane| corner(axis, lane)).collect();
        let odd = |odd| vec![odd; shape.words + OVERREAD / 4];
        let tables = LaneTables {
            shape,
            isa,
            level: 0,
            side: i32::try_from(grid.extent().into_iter().max().unwrap_or(0)).unwrap_or(0),
            owned: 0..0,
            corners: std::array::from_fn(corners),
            odd: std::array::from_fn(|_| [0, u32::MAX].map(odd)),
        };
        let words = ready.bodies().iter().flat_map(|body| &body.interface().random);
        let draws: BTreeSet<u32> = words.map(|word| word.draw).collect();
        let (is_full, has_edges) = (grid.is_full(), !rule.edges.is_empty());
        let draws = draws.into_iter().collect();
        // What else is read of a cell may be loaded after the first result is stored.
        let read = |state: &usize| ready.bodies().iter().any(|body| body.interface().own.contains(state));
        let writes = ready.bodies().last().map_or(&[][..], |body| &body.interface().writes);
        let is_one = |state: &usize| writes.len() == 1 && ready.states[*state].planes.count() == 1;
        let in_place = writes.iter().all(|state| !read(state) || is_one(state));
        // Strips of about the same width leave fewer lanes idle.
        let strips_of_plane = (sides[1] + tile.lines() - 1) / tile.lines();
        let own = (sides[1] + strips_of_plane - 1) / strips_of_plane;
        let planes: Vec<Planes> = ready.states.iter().map(|state| state.planes).collect();
        let mut inputs: Vec<Option<InputLanes>> = planes.iter().map(|_| None).collect();
        let mut letters: Vec<Option<LetterLanes>> = planes.iter().map(|_| None).collect();
        let (all, letter_words) = LetterLanes::of(rule, strips, (tile, own), (sides, wraps), &planes);
        all.into_iter().for_each(|(state, lanes)| letters[state] = Some(lanes));
        for (state, lanes) in InputLanes::of(rule, strips, tile, (sides, wraps)) {
            inputs[state] = Some(lanes).filter(|_| letters[state].is_none());
        }
        let pitch = |planes: Planes| match planes {
            planes if groups == 0 => pitch(&Columns::new(planes, shape, 1)),
            planes => shape.column_bytes(planes.ty()),
        };
        let moved = |node: &Node| if let Op::Presence(there) = node.op { Some(there.0[0]) } else { None };
        let moves: BTreeSet<i32> = ready.bodies().iter().flat_map(|body| &body.nodes).filter_map(moved).collect();
        let rows = StripRows {
            strips,
            lanes: tables,
            sides,
            wraps,
            stored: grid.rows_stored_alone(),
            is_full,
            has_edges,
            reach,
            own,
            rows,
            before: tile.lanes_before(),
            pitches: planes.into_iter().map(pitch).collect(),
            loops: (groups > 0).then(|| moves.into_iter().collect()),
            draws,
            in_place,
            inputs,
            letters,
            letter_words,
        };
        let inputs_that = |back: bool| {
            let of_values = rows.inputs.iter().map(|input| input.as_ref().map(InputLanes::goes_back));
            let of_letters = rows.letters.iter().map(|input| input.as_ref().map(LetterLanes::goes_back));
            let all = of_values.zip(of_letters).map(|(values, letters)| values.or(letters));
            all.zip(0..).filter(|(goes, _)| *goes == Some(back)).fold(0, |set, (_, state)| set | 1 << state)
        };
        let pairs = isa.is_some_and(AvailableIsa::shifts_pairs);
        let pitch = lanes as u16;
        let (still, backwards) = (inputs_that(false), inputs_that(true));
        let along = |masked| {
            let how = StripLoop { groups, pitch, masked, still, backwards, pairs };
            HostKernel::of_strips(ready, &rows, how)
        };
        let (kernel, inside) = match groups {
            0 => (HostKernel::new(ready, &rows)?, None),
            _ => (along(true)?, Some(along(false)?)),
        };
        Ok(StripKernel { kernel, inside, rows })
    }

    /// Bytes of a tile, and of what becomes of a row.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        let StripTile { states, presence, words } = self.rows.tile(&self.kernel);
        let rows: usize = states.iter().chain([&presence, &words]).map(|rows| rows.memory.as_slice().len()).sum();
        let words = self.rows.moved_words() + self.rows.letter_words;
        (rows + 4 * words + self.kernel.states.iter().map(|columns| columns.block).sum::<usize>()) as u64
    }

    /// Runs the kernel on all strips. Says whether rolling states are left with their last lines.
    ///
    /// # Safety
    /// The states are those of the kernel, in columns of this grid, for which it was compiled.
    pub(super) unsafe fn run(&self, rule: &Rule, grid: &RowGrid, states: &mut States, globals: Globals<'_>) -> bool {
        let StripKernel { kernel, inside, rows } = self;
        let StripPlane { strips, sides, .. } = rows.plane();
        let count = (sides[1] + rows.own - 1) / rows.own;
        // Of states that are read at earlier places alone, old values are not needed.
        let is_earlier = |body: &CompiledBody, state: usize| {
            let mut halo = body.interface.halo.iter().filter(|halo| halo.state == state);
            !body.interface.own.contains(&state) && halo.all(|halo| body.directions[halo.direction][1] < 0)
        };
        let is_new =
            |state: usize| kernel.writes().contains(&state) && kernel.bodies.iter().all(|body| is_earlier(body, state));
        let is_used = |state: usize| rows.is_used(kernel, state);
        let in_blocks = rows.is_full && rows.draws.is_empty();
        let clipped = in_blocks && !rows.wraps.contains(&true) && !rows.has_edges && strips.along.axis == 0;
        let is_slowest =
            |order: &StepOrder| matches!(order, StepOrder::Along(axes) if axes.last() == Some(&strips.across));
        let keeps = clipped && rule.steps.iter().filter_map(|step| step.order.as_ref()).all(is_slowest);
        assert!(keeps || rows.stored.is_none(), "a strip leaves its last lines to the next");
        let is_rolling = |state: usize| keeps && rule.rolling.contains(&StateId(state as u16));
        let states_of_kernel = 0..kernel.buffered;
        let run = StripRun {
            kernel,
            inside: inside.as_ref(),
            rows,
            rule,
            grid,
            stored: states.fields().iter().map(|field| field.columns).collect(),
            now: states.writable(),
            globals,
            is_new: states_of_kernel.clone().map(|state| is_used(state) && is_new(state)).collect(),
            is_rolling: states_of_kernel.map(is_rolling).collect(),
            in_blocks,
            clipped,
        };
        // Words of bits may be those of several strips, where whole stretches of them are moved; beyond a seam along lanes a strip finds what others must have
        // done.
        let is_number = |state: &usize| matches!(kernel.states[*state].planes, Planes::Number(_));
        let of_numbers = kernel.writes().iter().all(is_number);
        let apart = match rows.reach[0] == 0 {
            _ if run.clipped => true,
            true => of_numbers || strips.along.axis == 0,
            false => of_numbers && !rows.wraps[0],
        };
        // Small simulations run outside of their pool.
        let apart = apart && rayon::current_thread_index().is_some();
        let threads = if apart { rayon::current_num_threads().min(count as usize) } else { 1 };
        let progress = StripProgress { done: Mutex::new(vec![i64::MIN; count as usize]), changed: Condvar::new() };
        let next = AtomicUsize::new(0);
        let work = || {
            let mut worker = StripWorker::new(&run);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count as usize {
                    break;
                }
                let _release = Release(&progress, number);
                // SAFETY: as the caller's; the strip before was begun by a thread that waits for none behind it.
                unsafe { worker.compute(number, &progress) };
            }
        };
        match threads {
            1 => work(),
            _ => (0..threads).into_par_iter().for_each(|_| work()),
        }
        if keeps {
            // SAFETY: as the caller's; no thread computes.
            unsafe { run.clear_lines() };
        }
        keeps
    }
}

impl StripRun<'_> {
    fn memory(&self, state: usize) -> StateInMemory<'_> {
        StateInMemory { grid: self.grid, columns: self.stored[state], now: self.now[state] }
    }

    /// How many last lines of a strip others read, or are kept.
    fn kept_lines(&self) -> i64 {
        self.rows.stored.as_ref().map_or(self.rows.reach[0].max(1), |rows| rows.len() as i64)
    }

    /// Makes lines of rolling states 0 that stood between strips.
    ///
    /// # Safety
    /// The states are those of the run, and nobody else reads or writes them.
    unsafe fn clear_lines(&self) {
        let [_, sides] = self.rows.sides;
        // Strips share the rows that are stored alone.
        let begin = self.rows.stored.as_ref().map_or(0, |_| sides - self.kept_lines());
        let own = self.rows.own;
        for first in (begin..sides).step_by(own as usize) {
            let end = sides.min(first + own);
            for lane in first.max(end - self.kept_lines())..end.min(sides - 1) {
                let y = if self.rows.strips.across.backwards { sides - 1 - lane } else { lane } as usize;
                let columns = self.grid.columns_of(y..y + 1);
                for state in (0..self.now.len()).filter(|state| self.is_rolling.get(*state) == Some(&true)) {
                    let block = self.stored[state].block;
                    let (start, end) = (columns.start.0 as usize * block, columns.end.0 as usize * block);
                    // SAFETY: the row's columns follow each other in the state's memory.
                    unsafe { self.now[state].at(start).write_bytes(0, end - start) };
                }
            }
        }
    }
}

impl<'a> StripWorker<'a> {
    fn new(run: &'a StripRun<'a>) -> StripWorker<'a> {
        let mut tile = run.rows.tile(run.kernel);
        // Loops begin with the strip's first lane.
        let bytes_before = |state: usize| match (&run.rows.loops, run.kernel.states[state].planes) {
            (None, _) => 0,
            (_, Planes::Bits(_)) => run.rows.before as usize / 8,
            (_, Planes::Number(ty)) => run.rows.before as usize * ty.scalar().bytes() as usize,
        };
        let first = |(state, rows): (usize, &mut TileRows)| {
            Shared(rows.memory.as_mut_ptr().wrapping_add(rows.front + bytes_before(state)))
        };
        let new: Vec<Shared> = tile.states.iter_mut().enumerate().map(first).collect();
        let old = new.iter().map(|first| first.0.cast_const()).collect();
        let mut results: Vec<Scratch> = run.kernel.states.iter().map(|columns| Scratch::new(columns.block)).collect();
        let apart = results.iter_mut().map(|result| Shared(result.as_mut_ptr())).collect();
        let (buffers, worker) = (Buffers::new(old, new), Worker::new(run.kernel, run.rows, run.globals));
        let inside = run.inside.map(|kernel| Worker::new(kernel, run.rows, run.globals));
        let (moved, letters) = (vec![0; run.rows.moved_words()], vec![0; run.rows.letter_words]);
        StripWorker { run, tile, buffers, worker, inside, moved, letters, results, apart }
    }

    /// Computes a strip.
    ///
    /// # Safety
    /// As of [`StripKernel::run`]. Other threads compute other strips.
    unsafe fn compute(&mut self, number: usize, progress: &StripProgress) {
        let StripRun { rows, .. } = *self.run;
        let own = rows.own;
        let (reach, shear) = (rows.reach, i64::from(rows.strips.shear));
        let first = number as i64 * own;
        let strip = first..rows.sides[1].min(first + own);
        let lanes = first - reach[0]..strip.end + reach[0];
        let (begin, end) = (shear * first, rows.sides[0] + shear * (strip.end - 1));
        let mut kept = 0;
        for from in (begin..end).step_by(rows.rows as usize) {
            let to = end.min(from + rows.rows);
            // The tile's first row; the rows behind those that are kept are moved in.
            let top = from - reach[1];
            let moved = top + kept as i64..from + rows.rows + reach[1];
            // All strips leave their last lines in the rows that are stored alone, so that none overtakes another, not within a word of bits either.
            let (waits, ahead) = if rows.stored.is_some() { (true, 32) } else { (reach[0] > 0, 0) };
            if number > 0 && waits {
                progress.wait_for(number - 1, (moved.end + ahead).min(end - shear * (strip.end - first)));
            }
            let corner = [first - rows.before, top];
            // SAFETY: as the caller's.
            unsafe { self.move_in((&strip, &lanes), (kept, moved), corner) };
            kept = 2 * reach[1] as usize;
            // SAFETY: as the caller's.
            unsafe {
                match &rows.loops {
                    Some(moves) => self.compute_rows(&strip, from..to, corner, moves),
                    None => (from..to).for_each(|row| self.compute_row(&strip, row, corner)),
                }
            }
            // SAFETY: as the caller's.
            unsafe { self.move_out(&strip, from..to, corner) };
            progress.note(number, to);
        }
    }

    /// Moves what a tile reads into it, behind the rows that are kept.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute).
    unsafe fn move_in(
        &mut self,
        (strip, lanes): (&Range<i64>, &Range<i64>),
        (kept, moved): (usize, Range<i64>),
        [corner, top]: [i64; 2],
    ) {
        let StripRun { kernel, rows, rule, grid, globals, in_blocks, clipped, .. } = *self.run;
        let (run, tile) = (self.run, &mut self.tile);
        // Of rows inside every place is moved in or computed, and they need no presence.
        let (inside, reach) = (rows.inside(strip), rows.reach[1]);
        let is_inside = clipped && rows.loops.is_some();
        let is_inside = is_inside && inside.start <= top + reach && moved.end - reach <= inside.end;
        tile.go_on(kept, is_inside);
        // Loops along rows have words of their own for each way that presence is moved.
        if rows.is_full && rows.loops.is_none() {
            let mut last: Option<(Range<i64>, usize)> = None;
            for row in moved.clone() {
                let (number, marked) = ((row - top) as usize, rows.marked((corner, row)));
                match last.take().filter(|(of, _)| *of == marked) {
                    Some((_, before)) => tile.presence.copy_row(before, number),
                    None => rows.mark(corner, &marked, lanes, tile.presence.row(number)),
                }
                last = Some((marked, number));
            }
        }
        let mut blocks = rows.blocks((lanes.clone(), moved.clone()), [corner, top], strip, clipped);
        if rows.stored.is_some() {
            // Nothing is read behind the strip.
            blocks.lanes.end = blocks.lanes.end.min(strip.start);
        }
        for (state, of_tile) in tile.states.iter_mut().enumerate().filter(|(_, rows)| rows.pitch > 0) {
            // SAFETY: as the caller's.
            unsafe { run.memory(state).move_blocks(rows.plane(), (&blocks, run.is_new[state]), of_tile, false) };
        }
        if clipped {
            return;
        }
        let move_in = |stretch: PlacesOfRow| {
            let is_moved = blocks.lanes.contains(&stretch.at[0]);
            let stretch = &PlacesOfRow { at: [stretch.at[0] - corner, stretch.at[1] - top], ..stretch };
            for (state, of_tile) in tile.states.iter_mut().enumerate().filter(|(_, rows)| rows.pitch > 0) {
                match (stretch.whence, rule.edges.get(state)) {
                    _ if is_moved && run.memory(state).has_blocks() => {}
                    // SAFETY: as the caller's.
                    (Whence::Domain | Whence::Seam, _) => unsafe { run.memory(state).move_in(stretch, of_tile) },
                    (Whence::Beyond, Some(Some(Boundary::Constant(value)))) => {
                        fill(value.bits(), stretch, (&kernel.states[state], of_tile));
                    }
                    (Whence::Beyond, _) => {}
                }
            }
            if !rows.is_full {
                mark_cells(grid, stretch, &mut tile.presence, rows.has_edges);
            }
            let key = DrawKey { seed: globals.seed, time: globals.time };
            for (number, draw) in rows.draws.iter().enumerate() {
                if stretch.whence == Whence::Domain {
                    let first = number * rows.lanes.shape.stride;
                    draw_words(grid, (key, *draw), stretch, (&mut tile.words, first));
                }
            }
        };
        rows.for_each_beside((&blocks, lanes, moved), in_blocks, move_in);
    }

    /// Computes a row of a tile in place: what stands in other lanes than the strip's cells stays there.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute); the row's neighbours were moved in.
    unsafe fn compute_row(&mut self, strip: &Range<i64>, row: i64, [corner, top]: [i64; 2]) {
        let StripRun { kernel, rows, .. } = *self.run;
        let StripWorker { tile, buffers, worker, results, apart, .. } = self;
        let number = (row - top) as usize;
        let presence = tile.presence.row(number).as_ptr().cast();
        let words = tile.words.row(number).as_ptr().cast();
        let (moved, letters) = (std::ptr::null(), std::ptr::null());
        let unit = TileRow { number, corner: [corner, row], presence, words, moved, letters };
        let cells = rows.cells_of(row, strip);
        let cells = (cells.start - corner) as usize..(cells.end - corner) as usize;
        // What is kept: of a row that is computed in place the other lanes, else the cells.
        let needed = (strip.end + rows.reach[0] - corner) as usize;
        let others = [0..cells.start, cells.end..needed];
        if rows.in_place {
            for &state in kernel.writes() {
                let (columns, row) = (&kernel.states[state], tile.states[state].row(number));
                others.iter().for_each(|lanes| copy_lanes(columns, row, results[state].as_mut_slice(), lanes.clone()));
            }
        }
        let in_tile = |state: usize| buffers.new[state].at(number * tile.states[state].pitch);
        // SAFETY: the tile is this thread's own, and so are the results. What is loaded of a row is loaded of a lane before its result is stored.
        unsafe { worker.run_into(buffers, unit, |state| if rows.in_place { in_tile(state) } else { apart[state].0 }) };
        for &state in kernel.writes() {
            let (columns, result) = (&kernel.states[state], results[state].as_mut_slice());
            let StripTile { states, presence, .. } = &mut *tile;
            let row = states[state].row(number);
            let made = if rows.in_place { &mut row[..columns.block] } else { &mut *result };
            if !rows.is_full {
                clear(columns, presence.words(number), made);
            }
            match rows.in_place {
                true => others.iter().for_each(|lanes| copy_lanes(columns, result, row, lanes.clone())),
                false => copy_lanes(columns, result, row, cells.clone()),
            }
        }
    }

    /// Moves what was computed back.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute).
    unsafe fn move_out(&mut self, strip: &Range<i64>, computed: Range<i64>, [corner, top]: [i64; 2]) {
        let StripRun { kernel, rows, in_blocks, clipped, .. } = *self.run;
        let (run, tile) = (self.run, &mut self.tile);
        let blocks_of = |lanes: Range<i64>| rows.blocks((lanes, computed.clone()), [corner, top], strip, clipped);
        let (blocks, last) =
            (blocks_of(strip.clone()), blocks_of(strip.start.max(strip.end - run.kept_lines())..strip.end));
        for &state in kernel.writes() {
            let (blocks, rows_of_state) =
                (if run.is_rolling[state] { &last } else { &blocks }, &mut tile.states[state]);
            // SAFETY: as the caller's.
            unsafe { run.memory(state).move_blocks(rows.plane(), (blocks, false), rows_of_state, true) };
        }
        if clipped {
            return;
        }
        let move_out = |stretch: PlacesOfRow| {
            let is_moved = blocks.lanes.contains(&stretch.at[0]);
            let stretch = &PlacesOfRow { at: [stretch.at[0] - corner, stretch.at[1] - top], ..stretch };
            let here = kernel.writes().iter().filter(|_| stretch.whence == Whence::Domain);
            for &state in here.filter(|state| !(is_moved && run.memory(**state).has_blocks())) {
                // SAFETY: as the caller's.
                unsafe { run.memory(state).move_out(stretch, &tile.states[state]) };
            }
        };
        rows.for_each_beside((&blocks, strip, computed), in_blocks, move_out);
    }
}

impl StripRows {
    fn plane(&self) -> StripPlane {
        let stored = self.stored.as_ref().map(|rows| [rows.start as i64, rows.len() as i64]);
        StripPlane { strips: self.strips, sides: self.sides, stored }
    }

    /// Whether a tile has rows of a state.
    fn is_used(&self, kernel: &HostKernel, state: usize) -> bool {
        let is_read = |body: &CompiledBody| {
            body.interface.own.contains(&state) || body.interface.halo.iter().any(|halo| halo.state == state)
        };
        let is_moved = self.inputs[state].is_none() && self.letters[state].is_none();
        is_moved && (kernel.writes().contains(&state) || kernel.bodies.iter().any(is_read))
    }

    /// Memory for a tile. States that the kernel neither reads nor writes have none.
    fn tile(&self, kernel: &HostKernel) -> StripTile {
        let of = |bytes: usize, pitch: usize| {
            let (rows, front) = ((self.rows + 2 * self.reach[1]) as usize, bytes.next_multiple_of(64));
            let plane_words = self.lanes.shape.words;
            TileRows { memory: Scratch::new(2 * front + rows * pitch), front, pitch, plane_words }
        };
        let of_state = |(state, columns): (usize, &Columns)| match self.is_used(kernel, state) {
            true => of(columns.block + 128, self.pitches[state]),
            false => of(0, 0),
        };
        let Shape { words, stride, .. } = self.lanes.shape;
        StripTile {
            states: kernel.states[..kernel.buffered].iter().enumerate().map(of_state).collect(),
            presence: of(64, 4 * words),
            words: of(0, 4 * stride * self.draws.len()),
        }
    }

    /// The rows of which all lanes are cells of the domain, and so are all that these look at.
    fn inside(&self, strip: &Range<i64>) -> Range<i64> {
        let (lanes, shear) = (strip.start - self.reach[0]..strip.end + self.reach[0], i64::from(self.strips.shear));
        if !self.is_full || lanes.start < 0 || lanes.end > self.sides[1] {
            return 0..0;
        }
        shear * (lanes.end - 1) + self.reach[1]..self.sides[0] + shear * lanes.start - self.reach[1]
    }

    /// The lanes of a strip that are places of the domain in a row.
    fn cells_of(&self, row: i64, strip: &Range<i64>) -> Range<i64> {
        let (side, shear) = (self.sides[0], i64::from(self.strips.shear));
        let (least, end) = match shear {
            0 if (0..side).contains(&row) => (strip.start, strip.end),
            0 => (strip.start, strip.start),
            _ => ((row - side).div_euclid(shear) + 1, row.div_euclid(shear) + 1),
        };
        let start = least.clamp(strip.start, strip.end);
        start..end.clamp(start, strip.end)
    }

    /// The lanes along x that are moved in squares, with the tile's first lane and row: if places outside are `clipped`, all that are in the domain, else those
    /// whose places in all of some rows are, a multiple of [`SIDE`].
    fn blocks(
        &self,
        (lanes, rows): (Range<i64>, Range<i64>),
        tile: [i64; 2],
        strip: &Range<i64>,
        clipped: bool,
    ) -> SquareLanes {
        let strip = strip.clone();
        let (Strips { along, shear, .. }, [side, across]) = (self.strips, self.sides);
        let (mut start, mut end) = (lanes.start.max(0), lanes.end.min(across));
        match i64::from(shear) {
            _ if along.axis != 0 => end = start,
            _ if clipped => return SquareLanes { lanes: start..end, rows, strip, tile },
            0 if rows.start < 0 || rows.end > side => end = start,
            0 => {}
            shear => {
                start = start.max((rows.end - side + shear - 1).div_euclid(shear));
                end = end.min(rows.start.div_euclid(shear) + 1);
            }
        }
        let end = start + (end - start).max(0) / SIDE as i64 * SIDE as i64;
        SquareLanes { lanes: start..end, rows, strip, tile }
    }

    /// Visits the places of some lanes and rows of a strip, those in blocks aside if all that is moved is in them.
    fn for_each_beside(
        &self,
        (blocks, lanes, rows): (&SquareLanes, &Range<i64>, Range<i64>),
        in_blocks: bool,
        mut visit: impl FnMut(PlacesOfRow),
    ) {
        let beside = match in_blocks && !blocks.lanes.is_empty() {
            true => [lanes.start..blocks.lanes.start, blocks.lanes.end..lanes.end],
            false => [lanes.clone(), 0..0],
        };
        beside.into_iter().for_each(|lanes| self.for_each_stretch((lanes, rows.clone()), &mut visit));
    }

    /// The lanes of a row that are cells or have values beyond edges, on a domain without holes.
    fn marked(&self, (corner, row): (i64, i64)) -> Range<i64> {
        let lanes = corner..corner + self.lanes.shape.lanes as i64;
        let across = if self.wraps[1] || self.has_edges { lanes.clone() } else { 0..self.sides[1] };
        let along = if self.wraps[0] || self.has_edges { lanes } else { self.cells_of(row, &lanes) };
        along.start.max(across.start)..along.end.min(across.end)
    }

    /// Marks these lanes of a row, and those that are not needed.
    fn mark(&self, corner: i64, lanes: &Range<i64>, needed: &Range<i64>, marks: &mut [u8]) {
        for (word, bytes) in marks.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let first = corner + 32 * word as i64;
            *bytes = (mask_of(lanes.clone(), first) | !mask_of(needed.clone(), first)).to_le_bytes();
        }
    }

    /// Visits the places of some lanes and rows of a strip, and of no others, as far as something can be there.
    fn for_each_stretch(&self, (lanes, rows): (Range<i64>, Range<i64>), mut visit: impl FnMut(PlacesOfRow)) {
        let (Strips { along, across, shear }, [reach_lanes, reach]) = (self.strips, self.reach);
        let shear = i64::from(shear);
        // Along a lane an offset may lead farther than over rows.
        let reach = reach + shear * reach_lanes;
        let is_along_x = along.axis == 0;
        // The outer coordinate says which row of the plane it is, the inner one runs within it.
        let ([side, inner_side], [wraps, inner_wraps]) = match is_along_x {
            true => ([self.sides[1], self.sides[0]], [self.wraps[1], self.wraps[0]]),
            false => (self.sides, self.wraps),
        };
        let (outer_signed, inner_signed) = if is_along_x { (across, along) } else { (along, across) };
        let outer = match is_along_x {
            true => lanes.start.max(-reach_lanes)..lanes.end.min(side + reach_lanes),
            false => {
                let end = rows.end - shear * lanes.start;
                (rows.start - shear * (lanes.end - 1)).max(-reach)..end.min(side + reach)
            }
        };
        for outer in outer {
            let inner = match (is_along_x, shear) {
                (true, _) => {
                    let first = shear * outer;
                    (rows.start - first).max(-reach)..(rows.end - first).min(inner_side + reach)
                }
                (false, 0) => {
                    if rows.contains(&outer) {
                        lanes.clone()
                    } else {
                        0..0
                    }
                }
                (false, _) => {
                    let up = |row: i64| (row - outer + shear - 1).div_euclid(shear);
                    lanes.start.max(up(rows.start))..lanes.end.min(up(rows.end))
                }
            };
            let is_there = (0..side).contains(&outer);
            for (turn, part) in [(-1, inner.start..0), (0, 0..inner_side), (1, inner_side..inner.end)] {
                let part = inner.start.max(part.start)..inner.end.min(part.end);
                if part.is_empty() {
                    continue;
                }
                let whence = match (is_there, turn) {
                    (true, 0) => Whence::Domain,
                    _ if (is_there || wraps) && (turn == 0 || inner_wraps) => Whence::Seam,
                    _ => Whence::Beyond,
                };
                let y = outer.rem_euclid(side);
                let y = if outer_signed.backwards { side - 1 - y } else { y };
                let length = part.end - part.start;
                // Places ascend along x.
                let first = if inner_signed.backwards { part.end - 1 } else { part.start };
                let x = (first - turn * inner_side).rem_euclid(inner_side);
                let x = if inner_signed.backwards { inner_side - 1 - x } else { x };
                let sign = if inner_signed.backwards { -1 } else { 1 };
                let (at, step) = match is_along_x {
                    true => ([outer, first + shear * outer], [0, sign]),
                    false => ([first, outer + shear * first], [sign, sign * shear]),
                };
                visit(PlacesOfRow { y: y as usize, xs: x as usize..(x + length) as usize, whence, at, step });
            }
        }
    }
}

/// Moves bits by some lanes: each lane has the bit of the one so far behind it.
fn shift<W: Word>(from: &[W], lanes: i32, result: &mut [W]) {
    let (all, by) = (32 * from.len(), lanes.unsigned_abs() as usize);
    match lanes > 0 {
        _ if by >= all => {}
        true => copy_bits(from, by, result, 0, all - by),
        false => copy_bits(from, 0, result, by, all - by),
    }
}
