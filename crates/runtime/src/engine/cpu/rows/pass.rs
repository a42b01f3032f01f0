//! Compiled kernels and their execution on all columns, in parallel.

use super::bits::copy_bits;
use super::spread::{Spread, change};
use crate::engine::Result;
use crate::engine::cpu::activity::{Change, Marks};
use crate::engine::cpu::buffer::{Scratch, Shared};
use crate::engine::cpu::call::{Call, OVERREAD};
use crate::engine::cpu::code::{Code, compile};
use crate::engine::cpu::machine::Isa;
use crate::engine::cpu::pass::Globals;
use crate::engine::cpu::random::{self, Moment};
use rayon::prelude::*;
use squeeze_compiler::ir::Dimension;
use squeeze_compiler::ir::kernel::{Direction, Halo, Interface, Planes};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::{RowGrid, Segment};
use squeeze_compiler::passes::Ready;
use std::ptr;

/// Columns that a thread takes at a time.
const PIECE: usize = 64;

/// A kernel ready to run.
pub(super) struct Pass {
    code: Code,
    pub states: Vec<Columns>,
    interface: Interface,
    dimension: Dimension,
    /// The directions of [`Interface::place`].
    directions: Vec<[i32; 3]>,
    /// For each of the halo's entries where its columns stand in a thread's memory; last how long that is.
    places: Vec<usize>,
}

/// Which columns a pass computes.
#[derive(Clone, Copy)]
pub(super) enum Work<'a> {
    /// All.
    All,
    /// All; those that change are marked.
    Watched(&'a Marks, &'a Spread),
    /// Some; those that change are marked.
    Listed(&'a [u32], &'a Marks, &'a Spread),
}

/// Where a pass reads: by state the first byte of its columns, null where there are none.
pub(super) struct Old(pub Vec<*const u8>);

// SAFETY: the columns are only read while a pass runs, and outlive it.
unsafe impl Sync for Old {}

impl Pass {
    /// Compiles a kernel of one place.
    pub fn new(kernel: &Ready, grid: &RowGrid, isa: Option<Isa>) -> Result<Pass> {
        let code = compile(kernel, grid.shape, isa)?;
        let (interface, dimension) = (kernel.interface().clone(), kernel.micro.dimension);
        let states: Vec<Columns> =
            kernel.states.iter().map(|state| Columns::new(state.planes, grid.shape, 1)).collect();
        let mut places = vec![0];
        for halo in &interface.halo {
            let end = places.last().copied().unwrap_or(0) + states[halo.state].block.next_multiple_of(64) + OVERREAD;
            places.push(end);
        }
        let directions = Direction::all(dimension).into_iter().chain(interface.far.iter().copied());
        let directions = directions.map(|direction| direction.0.map(i32::from)).collect();
        Ok(Pass { code, states, interface, dimension, directions, places })
    }

    /// The states that it stores.
    pub fn writes(&self) -> &[usize] {
        &self.interface.writes
    }

    /// Whether a column becomes what it was if all that the kernel loads is what it was.
    pub fn may_rest(&self) -> bool {
        !self.interface.time && self.interface.random.is_empty() && self.interface.loads()
    }

    /// The directions in which it looks.
    pub fn directions_read(&self) -> impl Iterator<Item = [i32; 3]> + '_ {
        self.interface.halo.iter().map(|halo| self.directions[halo.direction])
    }

    /// Runs the kernel on columns.
    ///
    /// # Safety
    /// `old` has the columns of all states that the kernel loads, with room to over-read, which nobody writes meanwhile; `new` those of all that
    /// it stores, which nobody else touches.
    pub unsafe fn run(
        &self,
        grid: &RowGrid,
        old: &Old,
        new: &[Shared],
        globals: Globals<'_>,
        side: i32,
        work: Work<'_>,
    ) {
        let (listed, watch) = match work {
            Work::All => (None, None),
            Work::Watched(marks, spread) => (None, Some((marks, spread))),
            Work::Listed(units, marks, spread) => (Some(units), Some((marks, spread))),
        };
        let count = listed.map_or(grid.columns(), <[u32]>::len);
        let worker = || (Worker::new(self, grid, globals, 0, side), new.to_vec());
        let piece = |worker: &mut Worker<'_>, results: &mut [Shared], piece: usize| {
            for index in piece * PIECE..((piece + 1) * PIECE).min(count) {
                let column = listed.map_or(index, |units| units[index] as usize);
                for ((result, new), states) in results.iter_mut().zip(new).zip(&self.states) {
                    *result = if new.0.is_null() { *new } else { Shared(new.at(column * states.block)) };
                }
                match watch {
                    // SAFETY: as the caller's; no other piece holds this column.
                    None => unsafe { worker.run(old, column, results) },
                    Some((marks, spread)) => {
                        // SAFETY: as above.
                        let change = unsafe { worker.run_watched(old, column, results) };
                        if change.any {
                            marks.mark(spread.place(grid, column), change);
                        }
                    }
                }
            }
        };
        let pieces = count.div_ceil(PIECE);
        if pieces <= 1 {
            let (mut worker, mut results) = worker();
            (0..pieces).for_each(|index| piece(&mut worker, &mut results, index));
            return;
        }
        (0..pieces).into_par_iter().for_each_init(worker, |(worker, results), index| piece(worker, results, index));
    }
}

/// What one thread needs to call a kernel for one column after another.
pub(super) struct Worker<'a> {
    pass: &'a Pass,
    grid: &'a RowGrid,
    call: Call,
    reads: Vec<*const u8>,
    writes: Vec<*mut u8>,
    presence: Vec<*const u32>,
    /// By direction its presence, with room to over-read.
    present: Vec<Vec<u32>>,
    _corners: (Box<[Vec<i32>; 3]>, Box<[*const i32; 3]>),
    halo: Scratch,
    zeros: Scratch,
    random: Vec<u32>,
    packed: Vec<u32>,
    /// What stood where results go, where that is watched.
    before: Vec<u8>,
    seed: u64,
}

impl<'a> Worker<'a> {
    pub fn new(pass: &'a Pass, grid: &'a RowGrid, globals: Globals<'a>, level: i32, side: i32) -> Self {
        let lanes = grid.shape.lanes;
        let room = |count: usize| count + OVERREAD / 4;
        let along = |axis: usize| -> Vec<i32> {
            (0..room(lanes) as i32).map(|lane| if axis == 0 && (lane as usize) < lanes { lane } else { 0 }).collect()
        };
        let corners: Box<[Vec<i32>; 3]> = Box::new([along(0), along(1), along(2)]);
        let pointers = Box::new([corners[0].as_ptr(), corners[1].as_ptr(), corners[2].as_ptr()]);
        let largest = pass.states.iter().map(|state| state.block).max().unwrap_or(0);
        let call = Call {
            reads: ptr::null(),
            writes: ptr::null(),
            presence: ptr::null(),
            params: globals.params.as_ptr(),
            lane_corners: pointers.as_ptr(),
            superblock_corner: [0; 3],
            time: globals.time,
            level,
            side,
            random: ptr::null(),
        };
        Worker {
            pass,
            grid,
            call,
            reads: vec![ptr::null(); pass.interface.blocks(pass.dimension, pass.states.len())],
            writes: vec![ptr::null_mut(); pass.states.len()],
            presence: vec![ptr::null(); pass.directions.len()],
            present: vec![vec![0; room(grid.shape.words)]; pass.directions.len()],
            _corners: (corners, pointers),
            halo: Scratch::new(pass.places.last().copied().unwrap_or(0)),
            zeros: Scratch::new(largest),
            random: vec![0; room(pass.interface.random.len() * lanes)],
            packed: vec![0; lanes],
            before: Vec::new(),
            seed: globals.seed,
        }
    }

    /// Calls the kernel for one column, with the results of state i going to `results[i]`. Lanes that are no cells become 0.
    ///
    /// # Safety
    /// As of [`Pass::run`] for the old columns; the results of all states that are stored have room for a column and are this thread's own.
    pub unsafe fn run(&mut self, old: &Old, column: usize, results: &[Shared]) {
        let (pass, grid) = (self.pass, self.grid);
        let states = pass.states.len();
        for &state in &pass.interface.own {
            self.reads[pass.interface.block(pass.dimension, states, state, None)] =
                old.0[state].wrapping_add(column * pass.states[state].block);
        }
        for (halo, place) in pass.interface.halo.iter().zip(&pass.places) {
            // SAFETY: as the caller's.
            let block = unsafe { self.fetch(old, column, halo, *place) };
            self.reads[pass.interface.block(pass.dimension, states, halo.state, Some(halo.direction))] = block;
        }
        for &direction in &pass.interface.presence {
            let words = &mut self.present[direction][..grid.shape.words];
            words.fill(0);
            grid.segments(column, pass.directions[direction], |segment| {
                copy_bits(grid.mask(segment.source), segment.from, words, segment.lane, segment.length);
            });
            self.presence[direction] = self.present[direction].as_ptr();
        }
        for (word, words) in pass.interface.random.iter().zip(self.random.chunks_exact_mut(grid.shape.lanes)) {
            let (moment, count) = (Moment { seed: self.seed, time: self.call.time }, grid.count(column));
            let packed = &mut self.packed[..count];
            random::fill(moment, grid.rank(column), word.draw, packed);
            grid.lanes(column).zip(packed).for_each(|(lane, word)| words[lane] = *word);
        }
        for &state in &pass.interface.writes {
            self.writes[state] = results[state].at(0);
        }
        self.call.superblock_corner = grid.corner(column);
        (self.call.reads, self.call.writes) = (self.reads.as_ptr(), self.writes.as_mut_ptr());
        (self.call.presence, self.call.random) = (self.presence.as_ptr(), self.random.as_ptr());
        // SAFETY: the kernel was compiled for this grid's shape, and every table entry that it uses was just filled.
        unsafe { (pass.code.function())(&raw const self.call) };
        if grid.count(column) < grid.shape.lanes {
            for &state in &pass.interface.writes {
                let block = pass.states[state].block;
                // SAFETY: as the caller's.
                let result = unsafe { std::slice::from_raw_parts_mut(results[state].at(0), block) };
                clear(&pass.states[state], grid.mask(column), result);
            }
        }
    }

    /// As [`run`](Self::run); says where the results are others than what stood there.
    ///
    /// # Safety
    /// As of [`run`](Self::run).
    pub unsafe fn run_watched(&mut self, old: &Old, column: usize, results: &[Shared]) -> Change {
        let pass = self.pass;
        self.before.clear();
        for &state in &pass.interface.writes {
            // SAFETY: as the caller's: the results are this thread's own.
            let block = unsafe { std::slice::from_raw_parts(results[state].at(0), pass.states[state].block) };
            self.before.extend_from_slice(block);
        }
        // SAFETY: as the caller's.
        unsafe { self.run(old, column, results) };
        let (mut all, mut from) = (Change::default(), 0);
        for &state in &pass.interface.writes {
            let columns = &pass.states[state];
            // SAFETY: as above.
            let after = unsafe { std::slice::from_raw_parts(results[state].at(0), columns.block) };
            let part = change(columns, &self.before[from..from + columns.block], after);
            all = Change { any: all.any | part.any, low: all.low | part.low, high: all.high | part.high };
            from += columns.block;
        }
        all
    }

    /// The columns of a state that lie in a direction.
    ///
    /// # Safety
    /// As of [`Pass::run`] for the old columns.
    unsafe fn fetch(&mut self, old: &Old, column: usize, halo: &Halo, place: usize) -> *const u8 {
        let (pass, grid) = (self.pass, self.grid);
        let columns = &pass.states[halo.state];
        let source = |index: usize| old.0[halo.state].wrapping_add(index * columns.block);
        let (mut whole, mut several) = (None, false);
        grid.segments(column, pass.directions[halo.direction], |segment| {
            several |= (segment.lane, segment.from, segment.length) != (0, 0, grid.places(column));
            whole = Some(segment);
        });
        match whole {
            None => return self.zeros.as_ptr(),
            // What is no cell there is 0, and what is none here is not looked at.
            Some(Segment { source: index, .. }) if !several => return source(index),
            Some(_) => {}
        }
        let result = &mut self.halo.as_mut_slice()[place..][..columns.block];
        result.fill(0);
        grid.segments(column, pass.directions[halo.direction], |segment| {
            // SAFETY: the segment's column is stored, so it lies inside the old columns, which nobody writes while the pass runs.
            let from = unsafe { std::slice::from_raw_parts(source(segment.source), columns.block) };
            move_segment(columns, from, result, segment);
        });
        result.as_ptr()
    }
}

/// Copies the lanes of a segment.
fn move_segment(columns: &Columns, from: &[u8], result: &mut [u8], segment: Segment) {
    match columns.planes {
        Planes::Bits(_) => {
            let plane = 4 * columns.shape.words;
            for (from, result) in from.chunks_exact(plane).zip(result.chunks_exact_mut(plane)) {
                let (source, result) = (from.as_chunks().0, result.as_chunks_mut().0);
                copy_bits(source, segment.from, result, segment.lane, segment.length);
            }
        }
        Planes::Number(ty) => {
            let size = ty.scalar().bytes() as usize;
            let length = segment.length * size;
            result[segment.lane * size..][..length].copy_from_slice(&from[segment.from * size..][..length]);
        }
    }
}

/// Makes the lanes 0 that are no cells.
fn clear(columns: &Columns, mask: &[u32], block: &mut [u8]) {
    match columns.planes {
        Planes::Bits(_) => {
            for plane in block.chunks_exact_mut(4 * columns.shape.words) {
                for (bytes, mask) in plane.as_chunks_mut::<4>().0.iter_mut().zip(mask) {
                    *bytes = (u32::from_le_bytes(*bytes) & mask).to_le_bytes();
                }
            }
        }
        Planes::Number(ty) => match ty.scalar().bytes() {
            1 => clear_numbers::<1>(mask, block),
            2 => clear_numbers::<2>(mask, block),
            4 => clear_numbers::<4>(mask, block),
            _ => clear_numbers::<8>(mask, block),
        },
    }
}

/// The same for numbers of so many bytes.
fn clear_numbers<const BYTES: usize>(mask: &[u32], block: &mut [u8]) {
    for (lanes, mask) in block.as_chunks_mut::<BYTES>().0.chunks_mut(32).zip(mask) {
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = if mask >> lane & 1 == 1 { *value } else { [0; BYTES] };
        }
    }
}
