//! Kernels run on all units of a storage, in parallel.

use super::activity::Change;
use super::decide::{Column, Comparison};
use super::kernel::{Buffers, CompiledBody, Globals, HostKernel, LaneTables, RunningBody, Units, Work, Workspace};
use super::rows::clear::clear;
use crate::states::buffer::Scratch;
use rayon::prelude::*;
use squeeze_codegen::{Call, CountedCall};
use squeeze_compiler::kernel::evaluate::GlobalInputs;
use squeeze_compiler::kernel::{LaneType, RandomWord};
use squeeze_compiler::layout::unit::{Micro, Slot};
use squeeze_compiler::numbers::numbering::LaneNumbers;
use squeeze_compiler::numbers::philox;
use squeeze_compiler::numbers::random::{self, DrawKey};
use squeeze_compiler::passes::split::{RandomBit, RandomBits};
use std::cell::Cell;
use std::{mem, ptr};

impl HostKernel {
    /// Runs the kernel on units.
    ///
    /// # Safety
    /// The buffers hold, for every state that the kernel loads and stores, all units of the storage, with room to over-read; no other thread
    /// writes them or reads the new ones meanwhile.
    pub(super) unsafe fn run<U: Units>(&self, units: &U, buffers: &Buffers, globals: Globals<'_>, work: Work<'_>) {
        let (listed, marks) = match work {
            Work::All => (None, None),
            Work::Watched(marks) => (None, Some(marks)),
            Work::Listed(units, marks) => (Some(units), marks),
        };
        let owned = &units.lanes().owned;
        let count = listed.map_or(owned.len(), <[Slot]>::len);
        let piece = units.piece(count).max(1);
        let begin = || -> Box<dyn FnMut(usize) + '_> {
            let mut worker = Worker::new(self, units, globals);
            Box::new(move |number: usize| {
                for index in number * piece..((number + 1) * piece).min(count) {
                    let unit = listed.map_or(Slot(owned.start + index as u32), |units| units[index]);
                    match marks {
                        // SAFETY: as the caller's; the unit exists, and no other thread calls the kernel for it.
                        None => unsafe { worker.run(buffers, unit) },
                        Some(marks) => {
                            // SAFETY: as above.
                            let change = unsafe { worker.run_watched(buffers, unit, marks.tells_ends()) };
                            marks.mark(units.mark(unit), change);
                        }
                    }
                }
            })
        };
        share_out(count.div_ceil(piece), &begin);
    }
}

/// Computes `pieces` pieces of work on the threads of the pool that this is called in; each thread begins with a worker of its own. With one piece or
/// one thread the calling thread does it.
pub(super) fn share_out<'a>(pieces: usize, begin: &(dyn Fn() -> Box<dyn FnMut(usize) + 'a> + Sync)) {
    if pieces <= 1 || rayon::current_num_threads() == 1 {
        let compute = begin();
        return (0..pieces).for_each(compute);
    }
    (0..pieces).into_par_iter().for_each_init(begin, |compute, number| compute(number));
}

/// A thread's call of a kernel for one unit after another: its arguments and memory.
pub(super) struct Worker<'a, U: Units> {
    pub(super) kernel: &'a HostKernel,
    units: &'a U,
    call: Call,
    pub(super) own: Workspace,
    seed: u64,
    /// The body, the time and the unit whose random words were made last.
    drawn: Option<(usize, u32, LaneNumbers)>,
    /// The same body and unit.
    cells: Option<DrawnCells<'a, U>>,
}

/// The cells whose random words a call has.
struct DrawnCells<'a, U: Units> {
    units: &'a U,
    unit: U::Located,
    words: &'a [RandomWord],
    stride: usize,
    draw_key: DrawKey,
}

/// [`Call::chance`].
unsafe extern "C" fn decide_chance<U: Units>(call: *const Call, place: usize, p: f64) -> bool {
    // SAFETY: the worker points to its cells before it calls a kernel that has random words.
    let DrawnCells { units, unit, words, stride, draw_key } = unsafe { &*(*call).drawn.cast::<DrawnCells<'_, U>>() };
    let (RandomWord { micro, draw }, lane) = (words[place / stride], place % stride);
    philox::is_below(draw_key.seed, units.number(*unit, Micro(micro), lane as u64), draw_key.time, draw, p)
}

impl<'a, U: Units> Worker<'a, U> {
    pub(super) fn new(kernel: &'a HostKernel, units: &'a U, globals: Globals<'a>) -> Self {
        let mut own = kernel.workspace(units);
        own.memory.rows.forget();
        let LaneTables { level, side, ref corners, .. } = *units.lanes();
        for (pointer, corners) in own.lane_corners.iter_mut().zip(corners) {
            *pointer = corners.as_ptr();
        }
        let call = Call {
            reads: ptr::null(),
            writes: ptr::null(),
            presence: ptr::null(),
            params: globals.params.as_ptr(),
            lane_corners: own.lane_corners.as_ptr(),
            odd_corners: own.odd_corners.as_ptr(),
            superblock_corner: [0; 3],
            time: globals.time,
            level,
            side,
            random: own.random.as_ptr(),
            chance: decide_chance::<U>,
            drawn: ptr::null(),
        };
        own.decide_with(kernel, GlobalInputs { params: globals.params, time: globals.time, level, side });
        own.staging.begin(DrawKey { seed: globals.seed, time: globals.time }, kernel.off);
        Worker { kernel, units, call, own, seed: globals.seed, drawn: None, cells: None }
    }

    /// Calls the kernel for one unit, with results going to the new buffers.
    ///
    /// # Safety
    /// As of [`HostKernel::run`]; the unit exists, and no other thread calls the kernel for it.
    pub(super) unsafe fn run(&mut self, buffers: &Buffers, slot: Slot) {
        let (kernel, unit) = (self.kernel, self.units.unit(self.kernel, slot));
        if self.units.is_packed() {
            // SAFETY: as the caller's.
            unsafe { self.run_terms(buffers, slot) };
            for &state in kernel.writes() {
                // SAFETY: as the caller's.
                unsafe { self.units.pack(kernel.states[state], unit, self.terms(state), buffers.new[state]) };
            }
            return;
        }
        // SAFETY: as the caller's; each unit has a block of its own.
        unsafe {
            self.run_into(buffers, unit, |state| buffers.new[state].at(slot.index() * kernel.states[state].block));
            self.clear_holes(unit);
        }
    }

    /// As [`run`](Self::run); says whether the results are others than what stood there, and perhaps at which ends.
    ///
    /// # Safety
    /// As of [`run`](Self::run); states hold columns.
    unsafe fn run_watched(&mut self, buffers: &Buffers, slot: Slot, tell_ends: bool) -> Change {
        let kernel = self.kernel;
        let results = |state: usize| {
            let block = kernel.states[state].block;
            // SAFETY: the block lies inside of the new buffer, and is this call's own.
            unsafe { std::slice::from_raw_parts(buffers.new[state].at(slot.index() * block), block) }
        };
        self.own.before.clear();
        kernel.writes().iter().for_each(|&state| self.own.before.extend_from_slice(results(state)));
        // SAFETY: as the caller's.
        unsafe { self.run(buffers, slot) };
        let (mut all, mut before) = (Change::default(), &self.own.before[..]);
        for &state in kernel.writes() {
            let columns = &kernel.states[state];
            let (block, rest) = before.split_at(columns.block);
            before = rest;
            all = all.or(Change::of(columns, block, results(state), tell_ends));
            if all.any && !tell_ends {
                break;
            }
        }
        all
    }

    /// Calls the kernel for one unit, with results going to memory of the worker. Values in holes mean nothing.
    ///
    /// # Safety
    /// As of [`HostKernel::run`] for the old buffers; the unit exists.
    pub(crate) unsafe fn run_terms(&mut self, buffers: &Buffers, slot: Slot) {
        let (kernel, unit) = (self.kernel, self.units.unit(self.kernel, slot));
        if self.own.terms.is_empty() {
            let bytes = |state: usize| if kernel.writes().contains(&state) { kernel.states[state].block } else { 0 };
            self.own.terms = (0..kernel.states.len()).map(|state| Scratch::new(bytes(state))).collect();
        }
        for &state in kernel.writes() {
            self.own.writes[state] = self.own.terms[state].as_mut_ptr();
        }
        // SAFETY: as the caller's; what the kernel writes was just said.
        unsafe { self.run_bodies(buffers, unit) };
    }

    /// As [`run_terms`](Self::run_terms), of the unit that was computed last, since when no other unit has changed.
    ///
    /// # Safety
    /// As of [`run_terms`](Self::run_terms).
    pub(super) unsafe fn run_again(&mut self, buffers: &Buffers, slot: Slot) {
        let (kernel, units, states) = (self.kernel, self.units, self.kernel.states.len());
        let [body] = &kernel.bodies[..] else {
            // SAFETY: as the caller's.
            return unsafe { self.run_terms(buffers, slot) };
        };
        let (run, interface) = (RunningBody { kernel, body, buffers }, &body.interface);
        let unit = units.unit(kernel, slot);
        for (entry, halo) in interface.halo.iter().enumerate() {
            if units.sees_itself(body, unit, halo.direction) {
                // SAFETY: as the caller's.
                let block = unsafe { units.halo(run, entry, unit, &mut self.own.memory) };
                self.own.reads[interface.block(kernel.dimension, states, halo.state, Some(halo.direction))] = block;
            }
        }
        self.call.drawn = self.cells.as_ref().map_or(ptr::null(), |cells| ptr::from_ref(cells).cast());
        // SAFETY: all else that the call points to is what it was.
        unsafe { body.code.run(&self.call) };
    }

    /// The values of a state that [`run_terms`](Self::run_terms) stored.
    pub(super) fn terms(&self, state: usize) -> &[u8] {
        self.own.terms[state].as_slice()
    }

    /// Calls the kernel for one unit, with results going where `place` says for each state. Values in holes may become anything.
    ///
    /// # Safety
    /// As of [`HostKernel::run`] for the old buffers; the unit exists, and there is room for it in these places, which are the calling thread's own.
    #[inline]
    pub(crate) unsafe fn run_into(&mut self, buffers: &Buffers, unit: U::Located, place: impl Fn(usize) -> *mut u8) {
        for &state in self.kernel.writes() {
            self.own.writes[state] = place(state);
        }
        // SAFETY: as the caller's; what the kernel writes was just said.
        unsafe { self.run_bodies(buffers, unit) };
    }

    /// Makes lanes 0 that are no cells, of the results of the unit that was computed last.
    ///
    /// # Safety
    /// These results are still the calling thread's own.
    #[inline]
    pub(crate) unsafe fn clear_holes(&mut self, unit: U::Located) {
        for &state in self.kernel.writes() {
            let columns = &self.kernel.states[state];
            // SAFETY: as the caller's.
            let block = unsafe { std::slice::from_raw_parts_mut(self.own.writes[state], columns.block) };
            for (column, micro) in block.chunks_exact_mut(columns.column.max(1)).zip(0..) {
                if let Some(cells) = self.units.cells(unit, Micro(micro)) {
                    clear(columns, cells, column);
                }
            }
        }
    }

    /// # Safety
    /// As of [`HostKernel::run`] for the old buffers; the unit exists, and the tables point to where it may write.
    #[inline]
    unsafe fn run_bodies(&mut self, buffers: &Buffers, unit: U::Located) {
        let kernel = self.kernel;
        for body in &kernel.bodies {
            // SAFETY: as the caller's; bodies before the last write to this worker's memory.
            unsafe { self.call(RunningBody { kernel, body, buffers }, unit) };
            for (number, bits) in body.random.iter().enumerate() {
                self.decide(bits, (body.number, number), unit);
            }
        }
    }

    /// Points the tables to what this unit sees, and calls the kernel.
    ///
    /// # Safety
    /// As of [`run_bodies`](Self::run_bodies).
    unsafe fn call(&mut self, run: RunningBody<'_>, unit: U::Located) {
        // SAFETY: as the caller's. The kernel was compiled for the shape of these tables, and every table entry that it uses was just filled: own
        // and halo blocks of all states that it loads, presence of all directions it asks for, its random words, blocks of
        // all states it stores, which no other unit's call writes.
        unsafe {
            self.point(run, unit);
            run.body.code.run(&self.call);
        }
    }

    /// Points the tables to what this unit sees.
    ///
    /// # Safety
    /// As of [`run_bodies`](Self::run_bodies).
    unsafe fn point(&mut self, run: RunningBody<'_>, unit: U::Located) {
        let RunningBody { kernel, body, .. } = run;
        let (interface, states) = (&body.interface, kernel.states.len());
        let memory = &mut self.own.memory;
        // The others are this worker's own.
        for &state in interface.own.iter().filter(|state| **state < kernel.buffered) {
            // SAFETY: as the caller's.
            let block = unsafe { self.units.own(run, state, unit, memory) };
            self.own.reads[interface.block(kernel.dimension, states, state, None)] = block;
        }
        for (entry, halo) in interface.halo.iter().enumerate() {
            // SAFETY: as the caller's.
            let block = unsafe { self.units.halo(run, entry, unit, memory) };
            self.own.reads[interface.block(kernel.dimension, states, halo.state, Some(halo.direction))] = block;
        }
        for &direction in &interface.presence {
            self.own.presence[direction] = self.units.presence(body, unit, direction, memory);
        }
        if interface.superblock_corner || !interface.odd_corners.is_empty() {
            let corner = self.units.corner(unit);
            self.call.superblock_corner = corner.map(|v| v as i32);
            for axes in &interface.odd_corners {
                let lanes = &self.units.lanes().odd[usize::from(axes.set())];
                self.own.odd_corners[usize::from(axes.set())] = lanes[usize::from(axes.is_odd(corner))].as_ptr();
            }
        }
        if !interface.random.is_empty() {
            self.fill_random(body, unit);
            let draw_key = DrawKey { seed: self.seed, time: self.call.time };
            let (words, stride) = (&self.kernel.bodies[body.number].interface.random[..], kernel.shape.stride);
            let cells = self.cells.insert(DrawnCells { units: self.units, unit, words, stride, draw_key });
            self.call.drawn = ptr::from_ref(cells).cast();
        }
        (self.call.reads, self.call.writes) = (self.own.reads.as_ptr(), self.own.writes.as_mut_ptr());
        self.call.presence = self.own.presence.as_ptr();
    }

    /// Calls a body for padded rows: `bytes` of each plane.
    ///
    /// # Safety
    /// The kernel was compiled for padded rows, and the tables point to all that this body asks for.
    pub(super) unsafe fn run_padded(&mut self, body: &CompiledBody, bytes: u64) {
        (self.call.reads, self.call.writes) = (self.own.reads.as_ptr(), self.own.writes.as_mut_ptr());
        self.call.presence = self.own.presence.as_ptr();
        // SAFETY: a call is pointers and numbers, of which the copy owns nothing.
        let padded = CountedCall { call: unsafe { ptr::read(&raw const self.call) }, bytes, row: Cell::new(0) };
        // SAFETY: a call of padded rows begins with a usual one; the rest is the caller's.
        unsafe { body.code.run(&*(&raw const padded).cast::<Call>()) };
    }

    /// Calls a kernel that goes along the rows of a strip, from a unit on, with results going where `place` says for each state: so many eighths of lanes.
    /// `cells` are the words of lanes whose results are kept.
    ///
    /// # Safety
    /// As of [`run_into`](Self::run_into) for each of the rows; the kernel was compiled for strips.
    pub(super) unsafe fn run_strip(
        &mut self,
        buffers: &Buffers,
        unit: U::Located,
        place: impl Fn(usize) -> *mut u8,
        (cells, bytes): (*const u32, u64),
    ) {
        let (kernel, body) = (self.kernel, &self.kernel.bodies[0]);
        for &state in kernel.writes() {
            self.own.writes[state] = place(state);
        }
        // SAFETY: as the caller's.
        unsafe { self.point(RunningBody { kernel, body, buffers }, unit) };
        self.own.presence[body.directions.len()] = cells;
        let row = Cell::new(self.units.corner(unit)[1] as i32);
        // SAFETY: a call is pointers and numbers, of which the copy owns nothing.
        let counted = CountedCall { call: unsafe { ptr::read(&raw const self.call) }, bytes, row };
        // SAFETY: a call of strips begins with a usual one; the rest is the caller's.
        unsafe { body.code.run(&*(&raw const counted).cast::<Call>()) };
    }

    /// Makes the random words that a body asks for, unless they are there.
    fn fill_random(&mut self, body: &CompiledBody, unit: U::Located) {
        let drawn = (body.number, self.call.time, self.units.numbers(unit, Micro(0)));
        if self.drawn.replace(drawn) == Some(drawn) {
            return;
        }
        let draw_key = DrawKey { seed: self.seed, time: self.call.time };
        let columns = self.own.random.chunks_exact_mut(self.kernel.shape.stride);
        for (word, column) in body.interface.random.iter().zip(columns) {
            if let Some(words) = self.units.words(unit, word.draw) {
                column.copy_from_slice(words);
                continue;
            }
            let micro = Micro(word.micro);
            let (numbers, cells) = (self.units.numbers(unit, micro), self.units.cells(unit, micro));
            random::fill(draw_key, numbers, word.draw, cells, column);
        }
        self.call.random = self.own.random.as_ptr();
    }

    /// Decides random bits whose classes were stored.
    fn decide(&mut self, bits: &RandomBits, (body, number): (usize, usize), unit: U::Located) {
        let (kernel, own) = (self.kernel, &mut self.own);
        let plane = kernel.shape.column_bytes(LaneType::Bits);
        let column = |bit: &RandomBit| Column {
            numbers: self.units.numbers(unit, Micro(bit.micro)),
            classes: bit.classes * plane,
            result: bit.result * plane,
        };
        own.columns.clear();
        own.columns.extend(bits.bits.iter().map(column));
        let cells = self.units.cells(unit, Micro(0));
        self.decide_columns(bits, (body, number), (kernel.shape.lanes, plane), cells);
    }

    /// Decides the random bits of the columns in the workspace: their lanes, and bytes from plane to plane.
    pub(super) fn decide_columns(
        &mut self,
        bits: &RandomBits,
        (body, number): (usize, usize),
        (lanes, plane): (usize, usize),
        cells: Option<&[u32]>,
    ) {
        let (kernel, own) = (self.kernel, &mut self.own);
        let comparison = Comparison {
            draw_key: DrawKey { seed: self.seed, time: self.call.time },
            draw: bits.draw,
            thresholds: &own.thresholds[own.member].of_bodies[body][number],
            lanes,
            plane,
            cells,
        };
        // The classes' memory stands before that of the results.
        let (before, behind) = own.passing.split_at_mut(bits.results - kernel.buffered);
        let (classes, results) = (before[bits.classes - kernel.buffered].as_slice(), behind[0].as_mut_slice());
        comparison.run(self.units.lanes().isa, &mut own.staging, &own.columns, classes, results);
    }
}

impl<U: Units> Drop for Worker<'_, U> {
    fn drop(&mut self) {
        self.kernel.leave(mem::take(&mut self.own));
    }
}
