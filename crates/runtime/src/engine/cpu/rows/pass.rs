//! Compiled kernels and their execution on all columns, in parallel.

use super::bits::copy_bits;
use crate::engine::Result;
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

    /// Runs the kernel on every column.
    ///
    /// # Safety
    /// `old` has the columns of all states that the kernel loads, with room to over-read, which nobody writes meanwhile; `new` those of all that
    /// it stores, which nobody else touches.
    pub unsafe fn run(&self, grid: &RowGrid, old: &Old, new: &[Shared], globals: Globals<'_>, level: i32, side: i32) {
        (0..grid.columns().div_ceil(PIECE)).into_par_iter().for_each_init(
            || (Worker::new(self, grid, globals, level, side), new.to_vec()),
            |(worker, results), piece| {
                for column in piece * PIECE..((piece + 1) * PIECE).min(grid.columns()) {
                    for ((result, new), states) in results.iter_mut().zip(new).zip(&self.states) {
                        *result = if new.0.is_null() { *new } else { Shared(new.at(column * states.block)) };
                    }
                    // SAFETY: as the caller's; no other piece holds this column.
                    unsafe { worker.run(old, column, results) };
                }
            },
        );
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
    odd_corners: Box<[*const u32; 8]>,
    /// Words of which all lanes are even, all odd, every second one odd, and the others.
    odd_lanes: [Vec<u32>; 4],
    halo: Scratch,
    zeros: Scratch,
    random: Vec<u32>,
    packed: Vec<u32>,
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
        let odd_corners = Box::new([ptr::null(); 8]);
        let largest = pass.states.iter().map(|state| state.block).max().unwrap_or(0);
        let call = Call {
            reads: ptr::null(),
            writes: ptr::null(),
            presence: ptr::null(),
            params: globals.params.as_ptr(),
            lane_corners: pointers.as_ptr(),
            odd_corners: odd_corners.as_ptr(),
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
            odd_corners,
            odd_lanes: [0, u32::MAX, 0xaaaa_aaaa, 0x5555_5555].map(|word| vec![word; room(grid.shape.words)]),
            halo: Scratch::new(pass.places.last().copied().unwrap_or(0)),
            zeros: Scratch::new(largest),
            random: vec![0; room(pass.interface.random.len() * lanes)],
            packed: vec![0; lanes],
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
        for axes in &pass.interface.odd_corners {
            // A column begins at an even place of its row.
            let odd = axes.is_odd(self.call.superblock_corner.map(|v| v as u64));
            let words = &self.odd_lanes[2 * usize::from(axes.0[0]) + usize::from(odd)];
            self.odd_corners[usize::from(axes.set())] = words.as_ptr();
        }
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
