//! Compiled kernels and their execution on all superblocks, in parallel.

use super::activity::{Change, Marks};
use super::decide::{Column, Comparison, Staging, Thresholds};
use super::neighbours::{FarDirection, HostNeighbours, Neighbour};
use crate::engine::Result;
use crate::engine::states::buffer::{Scratch, Shared};
use rayon::prelude::*;
use squeeze_codegen::{Call, Code, Walk, compile};
use squeeze_compiler::Speciality;
use squeeze_compiler::kernel::{Halo, Interface, LaneType, Planes, Variable, block_index};
use squeeze_compiler::layout::columns::{Columns, OVERREAD};
use squeeze_compiler::numbers::random::{self, Moment};
use squeeze_compiler::passes::split::{GlobalInputs, RandomBit, RandomBits};
use squeeze_compiler::passes::{Body, Ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{mem, ptr};

/// A kernel ready to run.
pub(super) struct Pass {
    /// What is run in turn for each superblock; one part if no random bits are decided between.
    parts: Vec<CompiledBody>,
    /// Columns of each state of the kernel, and behind them of those that are there while a superblock is computed alone.
    pub states: Vec<Columns>,
    /// How many states have buffers.
    buffered: usize,
    /// How long a thread's memory for moved columns is.
    scratch: usize,
    /// A superblock of zeros, as large as the largest, in the place of those that are absent.
    zeros: Scratch,
    /// Whether probabilities change with time.
    chances_read_time: bool,
    /// What the workers before had, for those of the same threads: new memory and numbers can cost more than a pass over few superblocks.
    idle: Box<[IdleWorkspaces]>,
}

/// What workers of some threads left. Each list has cache lines of its own, so that threads do not wait for each other.
#[derive(Default)]
#[repr(align(128))]
struct IdleWorkspaces(Mutex<Vec<Workspace>>);

/// How many lists of idle workspaces a pass has.
const IDLE_LISTS: usize = 32;
/// States of at most so many bytes, of which there are two, stay in the caches that are near a core.
const CACHED_BYTES: usize = 1 << 21;

/// The list of this thread.
fn idle_list() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.with(|own| own % IDLE_LISTS)
}

/// A part of a kernel.
struct CompiledBody {
    code: Code,
    interface: Interface,
    /// Of each direction that leads farther than beside a superblock, how lanes can move there.
    far: Vec<FarDirection>,
    /// For each of the halo's entries where its moved columns stand in a thread's scratch memory.
    scratch: Vec<usize>,
    /// What is decided after it.
    random: Vec<RandomBits>,
}

/// Where a pass reads and writes: per state of its kernel the buffers' addresses, null where there is none.
pub(super) struct Buffers {
    pub old: Vec<*const u8>,
    pub new: Vec<Shared>,
}

// SAFETY: the old buffers are only read while a pass runs, and outlive it.
unsafe impl Sync for Buffers {}

/// Which superblocks a pass computes.
#[derive(Clone, Copy)]
pub(super) enum Work<'a> {
    /// All.
    All,
    /// All; those that change are marked.
    Watched(&'a Marks),
    /// Some; those that change are marked.
    Listed(&'a [u32], &'a Marks),
}

/// The numbers that a run hands to every kernel.
#[derive(Clone, Copy)]
pub(super) struct Globals<'a> {
    pub params: &'a [u64],
    pub time: u32,
    pub seed: u64,
}

impl Pass {
    /// Compiles a kernel for the layout of these tables.
    pub fn new(kernel: &Ready, neighbours: &HostNeighbours) -> Result<Pass> {
        let bytes = |state: &Variable| neighbours.columns(state.planes).block * neighbours.superblocks() as usize;
        let is_cached = kernel.states.iter().map(bytes).sum::<usize>() <= CACHED_BYTES;
        let asks_ahead = !is_cached && kernel.off().allows(Speciality::AskingAhead);
        let walk = if asks_ahead { Walk::Superblocks } else { Walk::Cached };
        let part = |body| Ok((compile(body, neighbours.shape, walk, neighbours.isa)?, body));
        let parts = kernel.bodies().iter().map(part).collect::<Result<Vec<_>>>()?;
        Ok(Pass::of_parts(kernel.states.len(), neighbours, parts))
    }

    /// A kernel whose code is there.
    pub fn of_code(kernel: &Ready, neighbours: &HostNeighbours, code: Code) -> Pass {
        Pass::of_parts(kernel.states.len(), neighbours, vec![(code, &kernel.bodies()[0])])
    }

    fn of_parts(buffered: usize, neighbours: &HostNeighbours, parts: Vec<(Code, &Body)>) -> Pass {
        let states = parts.first().map_or(&[][..], |(_, body)| body.states.as_slice());
        let states: Vec<Columns> = states.iter().map(|state| neighbours.columns(state.planes)).collect();
        let part = |(code, body): (Code, &Body)| {
            let interface = body.interface().clone();
            let mut end = 0;
            let place = |halo: &Halo| {
                let place = end;
                end += states[halo.state].block.next_multiple_of(64);
                place
            };
            let scratch = interface.halo.iter().map(place).collect();
            let far = interface.far.iter().map(|direction| neighbours.far_direction(*direction)).collect();
            (CompiledBody { code, interface, far, scratch, random: body.random().to_vec() }, end)
        };
        let (parts, ends): (Vec<CompiledBody>, Vec<usize>) = parts.into_iter().map(part).unzip();
        let largest = states.iter().map(|state| state.block).max().unwrap_or(0);
        let scratch = ends.into_iter().max().unwrap_or(0);
        let zeros = Scratch::new(largest);
        let chances_read_time = parts.iter().flat_map(|part| &part.random).any(|bits| bits.probabilities.reads_time());
        Pass {
            parts,
            states,
            buffered,
            scratch,
            zeros,
            chances_read_time,
            idle: (0..IDLE_LISTS).map(|_| IdleWorkspaces::default()).collect(),
        }
    }

    /// The part that stores the results.
    fn last(&self) -> &CompiledBody {
        &self.parts[self.parts.len() - 1]
    }

    /// The states that it stores.
    pub fn writes(&self) -> &[usize] {
        &self.last().interface.writes
    }

    /// The name of the engine that compiled it.
    pub fn engine(&self) -> &'static str {
        self.last().code.engine()
    }

    /// Whether a superblock becomes what it was if all that the kernel loads is what it was.
    pub fn may_rest(&self) -> bool {
        let alone =
            |part: &CompiledBody| !part.interface.time && part.interface.random.is_empty() && part.far.is_empty();
        self.parts.len() == 1 && alone(self.last()) && self.last().interface.loads()
    }

    /// Runs the kernel on superblocks.
    ///
    /// # Safety
    /// The buffers hold, for every state that the kernel loads and stores, all superblocks of the layout, with room to over-read; nobody else
    /// writes them or reads the new ones meanwhile.
    pub unsafe fn run(&self, neighbours: &HostNeighbours, buffers: &Buffers, globals: Globals<'_>, work: Work<'_>) {
        let (listed, marks) = match work {
            Work::All => (None, None),
            Work::Watched(marks) => (None, Some(marks)),
            Work::Listed(units, marks) => (Some(units), Some(marks)),
        };
        let superblocks = listed.map_or(neighbours.superblocks(), |units| units.len() as u32);
        let unit = |index: u32| listed.map_or(index, |units| units[index as usize]);
        let run = |worker: &mut Worker<'_>, superblock: u32| match marks {
            // SAFETY: as the caller's; the superblock exists, and no other thread calls the kernel for it.
            None => unsafe { worker.run(buffers, superblock) },
            Some(marks) => {
                // SAFETY: as above.
                let any = unsafe { worker.run_watched(buffers, superblock) };
                marks.mark(superblock as usize, Change { any, ..Change::default() });
            }
        };
        let cells =
            u128::from(neighbours.cells()) * u128::from(superblocks) / u128::from(neighbours.superblocks().max(1));
        let few = neighbours.is_small() || cells < u128::from(neighbours.cells_worth_threads);
        let threads = if few { 1 } else { rayon::current_num_threads() as u32 };
        if threads == 1 {
            let mut worker = Worker::new(self, neighbours, globals);
            (0..superblocks).for_each(|index| run(&mut worker, unit(index)));
            return;
        }
        // Small enough for threads to end together, large enough that taking a piece costs nothing.
        let piece = superblocks.div_ceil(16 * threads).clamp(1, 4096);
        (0..superblocks.div_ceil(piece)).into_par_iter().for_each_init(
            || Worker::new(self, neighbours, globals),
            |worker, index| {
                (index * piece..((index + 1) * piece).min(superblocks)).for_each(|index| run(worker, unit(index)));
            },
        );
    }
}

/// What one thread needs to call a kernel for one superblock after another.
pub(super) struct Worker<'a> {
    pass: &'a Pass,
    neighbours: &'a HostNeighbours,
    call: Call,
    own: Workspace,
    seed: u64,
}

/// What a worker leaves to the next one of its pass.
#[derive(Default)]
struct Workspace {
    /// The tables that `call` points to; their addresses stay while the worker moves.
    reads: Box<[*const u8]>,
    writes: Box<[*mut u8]>,
    presence: Box<[*const u32]>,
    lane_corners: Box<[*const i32]>,
    odd_corners: Box<[*const u32]>,
    /// Columns with their lanes moved.
    scratch: Scratch,
    /// What stood where results go, where that is watched.
    before: Vec<u8>,
    /// One superblock of each state that has no buffers.
    passing: Vec<Scratch>,
    /// One superblock of each state that is stored, if that is not to go to buffers.
    terms: Vec<Scratch>,
    /// The thresholds of members that are computed in turn, and the place of those that are compared now.
    thresholds: Vec<MadeThresholds>,
    member: usize,
    staging: Staging,
    columns: Vec<Column>,
    /// Columns of random words, with room to over-read.
    random: Box<[u32]>,
}

/// Thresholds are kept of so many members.
const MOST_MEMBERS: usize = 32;

/// For each part, and all that is decided after it, the thresholds, and the parameters and the time that they are made of.
struct MadeThresholds {
    params: Box<[u64]>,
    time: u32,
    of_parts: Vec<Vec<Thresholds>>,
}

// SAFETY: its pointers are to memory of its own, and to what a worker says anew before it uses them.
unsafe impl Send for Workspace {}

impl Workspace {
    fn new(pass: &Pass, neighbours: &HostNeighbours) -> Workspace {
        let dimension = neighbours.layout.dimension();
        let most = |count: &dyn Fn(&CompiledBody) -> usize| pass.parts.iter().map(count).max().unwrap_or(0);
        let blocks = most(&|part| part.interface.blocks(dimension, pass.states.len()));
        let mut reads = vec![ptr::null(); blocks].into_boxed_slice();
        let mut writes = vec![ptr::null_mut(); pass.states.len()].into_boxed_slice();
        let mut passing: Vec<Scratch> =
            pass.states[pass.buffered..].iter().map(|state| Scratch::new(state.block)).collect();
        for (state, memory) in (pass.buffered..).zip(&mut passing) {
            reads[block_index(dimension, state, None)] = memory.as_ptr();
            writes[state] = memory.as_mut_ptr();
        }
        let words =
            pass.parts.iter().map(|part| part.interface.random.len()).max().unwrap_or(0) * neighbours.shape.stride;
        Workspace {
            reads,
            writes,
            presence: vec![ptr::null(); neighbours.directions.len() + most(&|part| part.far.len())].into_boxed_slice(),
            lane_corners: vec![ptr::null(); 3].into_boxed_slice(),
            odd_corners: vec![ptr::null(); 8].into_boxed_slice(),
            scratch: Scratch::new(pass.scratch),
            passing,
            random: vec![0; if words == 0 { 0 } else { words + OVERREAD / 4 }].into_boxed_slice(),
            ..Workspace::default()
        }
    }

    /// Makes the thresholds, unless there are some of the same numbers.
    fn decide_with(&mut self, pass: &Pass, inputs: GlobalInputs<'_>) {
        if pass.parts.iter().all(|part| part.random.is_empty()) {
            return;
        }
        let is_known = |made: &MadeThresholds| {
            *made.params == *inputs.params && (made.time == inputs.time || !pass.chances_read_time)
        };
        // Members take turns: those of the next one stand behind those of the last one.
        let next = self.thresholds.len().min(self.member + 1);
        let (before, behind) = self.thresholds.split_at(next);
        let known = behind.iter().position(is_known).map(|place| next + place);
        if let Some(known) = known.or_else(|| before.iter().position(is_known)) {
            self.member = known;
            return;
        }
        let thresholds = |part: &CompiledBody| {
            let of = |bits: &RandomBits| Thresholds::new(&bits.probabilities.thresholds(inputs), bits.each);
            part.random.iter().map(of).collect()
        };
        let of_parts = pass.parts.iter().map(thresholds).collect();
        let made = MadeThresholds { params: inputs.params.into(), time: inputs.time, of_parts };
        if self.thresholds.len() < MOST_MEMBERS && !pass.chances_read_time {
            self.member = self.thresholds.len();
            self.thresholds.push(made);
        } else {
            self.member = (self.member + 1) % self.thresholds.len().max(1);
            match self.thresholds.get_mut(self.member) {
                Some(old) => *old = made,
                None => self.thresholds.push(made),
            }
        }
    }
}

impl<'a> Worker<'a> {
    pub fn new(pass: &'a Pass, neighbours: &'a HostNeighbours, globals: Globals<'a>) -> Self {
        let idle = pass.idle[idle_list()].0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let idle = idle.filter(|_| neighbours.off.allows(Speciality::IdleWorkspaces));
        let mut own = idle.unwrap_or_else(|| Workspace::new(pass, neighbours));
        for (pointer, corners) in own.lane_corners.iter_mut().zip(&neighbours.lane_corners) {
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
            level: neighbours.layout.level() as i32,
            side: i32::try_from(neighbours.layout.side()).unwrap_or(0),
            random: own.random.as_ptr(),
        };
        let inputs = GlobalInputs { params: globals.params, time: call.time, level: call.level, side: call.side };
        own.decide_with(pass, inputs);
        own.staging.begin(Moment { seed: globals.seed, time: call.time }, neighbours.off);
        Worker { pass, neighbours, call, own, seed: globals.seed }
    }

    /// Calls the kernel for one superblock, with results going to the new buffers.
    ///
    /// # Safety
    /// As of [`Pass::run`]; the superblock exists, and no other thread calls the kernel for it.
    pub unsafe fn run(&mut self, buffers: &Buffers, superblock: u32) {
        for &state in self.pass.writes() {
            self.own.writes[state] = buffers.new[state].at(superblock as usize * self.pass.states[state].block);
        }
        // SAFETY: as the caller's; what the kernel writes was just said.
        unsafe { self.run_parts(buffers, superblock) };
    }

    /// As [`run`](Self::run); says whether the results are others than what stood there.
    ///
    /// # Safety
    /// As of [`run`](Self::run).
    unsafe fn run_watched(&mut self, buffers: &Buffers, superblock: u32) -> bool {
        let pass = self.pass;
        let place = |state: usize| {
            let block = pass.states[state].block;
            (buffers.new[state].at(superblock as usize * block), block)
        };
        self.own.before.clear();
        for &state in pass.writes() {
            let (start, block) = place(state);
            // SAFETY: the block lies inside of the new buffer, and is this call's own.
            self.own.before.extend_from_slice(unsafe { std::slice::from_raw_parts(start, block) });
        }
        // SAFETY: as the caller's.
        unsafe { self.run(buffers, superblock) };
        let mut from = 0;
        pass.writes().iter().any(|&state| {
            let (start, block) = place(state);
            // SAFETY: as above.
            let after = unsafe { std::slice::from_raw_parts(start, block) };
            let before = &self.own.before[from..from + block];
            from += block;
            differ(&pass.states[state], before, after)
        })
    }

    /// Calls the kernel for one superblock, with what it stores going to memory of the worker.
    ///
    /// # Safety
    /// As of [`Pass::run`] for the old buffers; the superblock exists.
    pub unsafe fn run_terms(&mut self, buffers: &Buffers, superblock: u32) {
        let pass = self.pass;
        if self.own.terms.is_empty() {
            let bytes = |state: usize| if pass.writes().contains(&state) { pass.states[state].block } else { 0 };
            self.own.terms = (0..pass.states.len()).map(|state| Scratch::new(bytes(state))).collect();
        }
        for &state in pass.writes() {
            self.own.writes[state] = self.own.terms[state].as_mut_ptr();
        }
        // SAFETY: as the caller's; what the kernel writes was just said.
        unsafe { self.run_parts(buffers, superblock) };
    }

    /// What [`run_terms`](Self::run_terms) stored of a state.
    pub fn terms(&self, state: usize) -> &[u8] {
        self.own.terms[state].as_slice()
    }

    /// # Safety
    /// As of [`Pass::run`] for the old buffers; the superblock exists, and the tables point to where it may write.
    unsafe fn run_parts(&mut self, buffers: &Buffers, superblock: u32) {
        let pass = self.pass;
        for (index, part) in pass.parts.iter().enumerate() {
            // SAFETY: as the caller's; parts before the last write to this worker's memory.
            unsafe {
                self.read_from(part, buffers, superblock);
                self.call(part, superblock);
            }
            if !part.random.is_empty() {
                let first = self.neighbours.reversed.superblock(&self.neighbours.layout, superblock);
                for (number, bits) in part.random.iter().enumerate() {
                    self.decide(bits, index, number, first);
                }
            }
        }
    }

    /// Decides random bits whose classes were stored; `first` is the digit-reversed index of the superblock's first lane.
    fn decide(&mut self, bits: &RandomBits, part: usize, number: usize, first: u64) {
        let plane = self.neighbours.shape.column_bytes(LaneType::Bits);
        let column = |bit: &RandomBit| Column {
            first: first + self.neighbours.reversed.micro(bit.micro),
            classes: bit.classes * plane,
            result: bit.result * plane,
        };
        self.own.columns.clear();
        self.own.columns.extend(bits.bits.iter().map(column));
        let comparison = Comparison {
            moment: Moment { seed: self.seed, time: self.call.time },
            draw: bits.draw,
            thresholds: &self.own.thresholds[self.own.member].of_parts[part][number],
            lanes: self.neighbours.shape.lanes,
        };
        // The classes' memory stands before that of the results.
        let (before, behind) = self.own.passing.split_at_mut(bits.results - self.pass.buffered);
        let classes = before[bits.classes - self.pass.buffered].as_slice();
        comparison.run(
            self.neighbours.isa,
            &mut self.own.staging,
            &self.own.columns,
            classes,
            behind[0].as_mut_slice(),
        );
    }

    /// Points the tables of blocks and presence to what this superblock sees.
    ///
    /// # Safety
    /// As of [`Pass::run`] for the old buffers; the superblock exists.
    unsafe fn read_from(&mut self, part: &'a CompiledBody, buffers: &Buffers, superblock: u32) {
        let dimension = self.neighbours.layout.dimension();
        let (index, states) = (superblock as usize, self.pass.states.len());
        let place = if part.far.is_empty() { [0; 3] } else { self.neighbours.place(superblock) };
        // The others are this worker's own.
        for &state in part.interface.own.iter().filter(|state| **state < self.pass.buffered) {
            self.own.reads[part.interface.block(dimension, states, state, None)] =
                buffers.old[state].wrapping_add(index * self.pass.states[state].block);
        }
        for (halo, scratch) in part.interface.halo.iter().zip(&part.scratch) {
            let columns = &self.pass.states[halo.state];
            let neighbour = self.neighbour(part, superblock, place, halo.direction);
            let block = part.interface.block(dimension, states, halo.state, Some(halo.direction));
            self.own.reads[block] = match neighbour {
                Neighbour::Absent => self.pass.zeros.as_ptr(),
                Neighbour::Here(index) => buffers.old[halo.state].wrapping_add(index as usize * columns.block),
                Neighbour::Moved(index, wrap) => {
                    let source = buffers.old[halo.state].wrapping_add(index as usize * columns.block);
                    // SAFETY: superblock `index` exists, so its block lies inside the old buffer, which nobody writes
                    // while the pass runs.
                    let source = unsafe { std::slice::from_raw_parts(source, columns.block) };
                    let result = &mut self.own.scratch.as_mut_slice()[*scratch..][..columns.block];
                    for &micro in &halo.micro {
                        let column = micro as usize * columns.column..(micro as usize + 1) * columns.column;
                        wrap.move_column(
                            self.neighbours.shape,
                            columns.planes,
                            &source[column.clone()],
                            &mut result[column],
                        );
                    }
                    result.as_ptr()
                }
            };
        }
        for &direction in &part.interface.presence {
            let neighbour = self.neighbour(part, superblock, place, direction);
            self.own.presence[direction] = self.neighbours.presence(neighbour).as_ptr();
        }
    }

    /// The neighbour of a superblock in the direction of this place in the kernel's [`Interface`]; the superblock's own place is needed for those
    /// farther away.
    fn neighbour(&self, part: &'a CompiledBody, superblock: u32, place: [u64; 3], direction: usize) -> Neighbour<'a> {
        match direction.checked_sub(self.neighbours.directions.len()) {
            None => self.neighbours.neighbour(superblock, direction),
            Some(far) => self.neighbours.far_neighbour(&part.far[far], superblock, place),
        }
    }

    /// # Safety
    /// The tables point to what this superblock sees, and to where it may write.
    unsafe fn call(&mut self, part: &CompiledBody, superblock: u32) {
        if part.interface.superblock_corner || !part.interface.odd_corners.is_empty() {
            let corner = self.neighbours.layout.superblock_corner(superblock);
            self.call.superblock_corner = corner.map(|v| v as i32);
            for axes in &part.interface.odd_corners {
                self.own.odd_corners[usize::from(axes.set())] = self.neighbours.odd_corners(*axes, corner).as_ptr();
            }
        }
        if !part.interface.random.is_empty() {
            let moment = Moment { seed: self.seed, time: self.call.time };
            let first = self.neighbours.reversed.superblock(&self.neighbours.layout, superblock);
            let columns = self.own.random.chunks_exact_mut(self.neighbours.shape.stride);
            for (word, column) in part.interface.random.iter().zip(columns) {
                random::fill(moment, first + self.neighbours.reversed.micro(word.micro), word.draw, column);
            }
            self.call.random = self.own.random.as_ptr();
        }
        (self.call.reads, self.call.writes) = (self.own.reads.as_ptr(), self.own.writes.as_mut_ptr());
        self.call.presence = self.own.presence.as_ptr();
        // SAFETY: the kernel was compiled for the shape of these tables, and every table entry that it uses was just filled: own
        // and halo blocks of all states that it loads, presence of all directions it asks for, its random words, blocks of
        // all states it stores, which no other superblock's call writes.
        unsafe { part.code.run(&self.call) };
    }
}

/// Whether blocks differ in any lane; what is padding behind the last lane counts nothing.
fn differ(columns: &Columns, before: &[u8], after: &[u8]) -> bool {
    let shape = columns.shape;
    let (column, used) = match columns.planes {
        Planes::Bits(_) => (4 * shape.words, shape.lanes),
        Planes::Number(ty) => {
            let size = ty.scalar().bytes() as usize;
            (shape.stride * size, 8 * shape.lanes * size)
        }
    };
    if used == 8 * column {
        return before != after;
    }
    let (whole, rest) = (used / 8, (1u8 << (used % 8)) - 1);
    let columns = before.chunks_exact(column).zip(after.chunks_exact(column));
    { columns }.any(|(before, after)| {
        before[..whole] != after[..whole] || rest != 0 && (before[whole] ^ after[whole]) & rest != 0
    })
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let own = mem::take(&mut self.own);
        self.pass.idle[idle_list()].0.lock().unwrap_or_else(PoisonError::into_inner).push(own);
    }
}
