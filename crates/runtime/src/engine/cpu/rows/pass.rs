//! Compiled kernels and their execution on all columns, in parallel.

use super::bits::copy_bits;
use super::clear::clear;
use super::decision::Decision;
use super::dense::{Dense, Expanded};
use super::lines::Lines;
use super::old::Old;
use super::shifted::Shifted;
use super::spread::{Spread, change};
use crate::engine::Result;
use crate::engine::cpu::activity::{Change, Marks};
use crate::engine::cpu::decide::{Comparison, Thresholds};
use crate::engine::cpu::pass::Globals;
use crate::engine::states::buffer::{Scratch, Shared};
use rayon::prelude::*;
use squeeze_codegen::{AvailableIsa, Call, Code, Walk, compile};
use squeeze_compiler::ir::Dimension;
use squeeze_compiler::kernel::{Direction, Halo, Interface, LaneType, Planes};
use squeeze_compiler::layout::columns::{Columns, OVERREAD};
use squeeze_compiler::layout::rows::{ColumnPlace, RowGrid, Segment};
use squeeze_compiler::numbers::random::{self, Moment};
use squeeze_compiler::passes::Ready;
use squeeze_compiler::passes::split::{GlobalInputs, RandomBits};
use squeeze_compiler::{Off, Speciality};
use std::ptr;

/// Places that a thread takes at a time, in whole columns.
const PIECE_PLACES: usize = 1 << 15;
/// The same in rows, where the cells alone are stored: those at either end are expanded for two threads.
const PIECE_ROWS: usize = 8;

/// A kernel ready to run.
pub(super) struct Pass {
    /// What is run in turn for each column; one part if no random bits are decided between.
    parts: Vec<CompiledBody>,
    /// Columns of each state of the kernel, and behind them of those that are there while a column is computed alone.
    pub states: Vec<Columns>,
    /// Where the values of each state stand if cells alone are stored; empty if columns are.
    dense: Vec<Dense>,
    /// Whether what lies beside a column may be read where it stands.
    beside: bool,
    /// How many states have buffers.
    buffered: usize,
    dimension: Dimension,
    isa: Option<AvailableIsa>,
    lanes: Lanes,
    /// Specialities to do without.
    pub off: Off,
}

/// What is known of the lanes of all columns.
struct Lanes {
    /// By axis the coordinates of each lane from the column's corner, with room to over-read.
    corners: [Vec<i32>; 3],
    /// Words of which all lanes are even, all odd, every second one odd, and the others.
    odd: [Vec<u32>; 4],
}

impl Lanes {
    fn new(lanes: usize, words: usize) -> Lanes {
        let along = |axis: usize| -> Vec<i32> {
            let lane = |lane: i32| if axis == 0 && (lane as usize) < lanes { lane } else { 0 };
            (0..with_room(lanes) as i32).map(lane).collect()
        };
        let odd = [0, u32::MAX, 0xaaaa_aaaa, 0x5555_5555].map(|word| vec![word; with_room(words)]);
        Lanes { corners: [along(0), along(1), along(2)], odd }
    }
}

/// So many words of four bytes, and those behind them that may be read.
fn with_room(words: usize) -> usize {
    words + OVERREAD / 4
}

/// A part of a kernel.
struct CompiledBody {
    code: Code,
    /// What gives the same where all neighbours exist.
    within: Option<Code>,
    interface: Interface,
    /// The directions of [`Interface::place`].
    directions: Vec<[i32; 3]>,
    /// For each of the halo's entries where its columns stand in a thread's memory; last how long that is.
    places: Vec<usize>,
    /// What is decided after it.
    random: Vec<RandomBits>,
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

impl Pass {
    /// Compiles a kernel of one place.
    pub fn new(kernel: &Ready, grid: &RowGrid, isa: Option<AvailableIsa>, packed: bool) -> Result<Pass> {
        let (mut parts, mut states) = (Vec::new(), Vec::new());
        let walk = if kernel.off().allows(Speciality::AskingAhead) { Walk::Rows } else { Walk::Cached };
        for body in kernel.bodies() {
            let (code, interface) = (compile(body, grid.shape, walk, isa)?, body.interface().clone());
            let within = body.interior().map(|body| compile(body, grid.shape, walk, isa)).transpose()?;
            states = body.states.iter().map(|state| Columns::new(state.planes, grid.shape, 1)).collect::<Vec<_>>();
            let mut places = vec![0];
            for halo in &interface.halo {
                let block = states[halo.state].block.next_multiple_of(64);
                places.push(places.last().copied().unwrap_or(0) + block + OVERREAD);
            }
            let directions = Direction::all(body.micro.dimension).into_iter().chain(interface.far.iter().copied());
            let directions = directions.map(|direction| direction.0.map(i32::from)).collect();
            parts.push(CompiledBody { code, within, interface, directions, places, random: body.random().to_vec() });
        }
        let dense = states.iter().map(|columns| Dense::new(*columns, grid.cells()));
        let dense = if packed { dense.collect() } else { Vec::new() };
        let off = kernel.off();
        let beside = !packed && off.allows(Speciality::BesideRows);
        let (buffered, dimension) = (kernel.states.len(), kernel.micro.dimension);
        let lanes = Lanes::new(grid.shape.lanes, grid.shape.words);
        Ok(Pass { parts, states, dense, beside, buffered, dimension, isa, lanes, off })
    }

    /// The states that it stores.
    pub fn writes(&self) -> &[usize] {
        &self.last().interface.writes
    }

    /// The part that stores the results.
    fn last(&self) -> &CompiledBody {
        &self.parts[self.parts.len() - 1]
    }

    /// Whether one call computes a column, without random numbers.
    pub fn is_one_call(&self) -> bool {
        self.parts.len() == 1 && self.last().interface.random.is_empty()
    }

    /// Whether a column becomes what it was if all that the kernel loads is what it was.
    pub fn may_rest(&self) -> bool {
        let interface = &self.last().interface;
        self.is_one_call() && !interface.time && interface.loads()
    }

    /// Whether what stands in lanes that are no cells changes what it computes for others.
    pub fn sees_holes(&self) -> bool {
        let is_number = |state: usize| matches!(self.states[state].planes, Planes::Number(_));
        let sees = |halo: &Halo| !(halo.guarded && is_number(halo.state));
        self.parts.iter().any(|part| part.interface.halo.iter().any(sees))
    }

    /// The directions in which it looks.
    pub fn directions_read(&self) -> impl Iterator<Item = [i32; 3]> + '_ {
        let of_part = |part: &'_ CompiledBody| {
            let directions = part.interface.halo.iter().map(|halo| part.directions[halo.direction]);
            directions.collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(of_part)
    }

    /// Room for the rows of a state whose cells alone are stored.
    fn lines(&self, state: usize, grid: &RowGrid) -> Option<Lines> {
        let size = self.dense[state].size().filter(|_| self.off.allows(Speciality::ExpandedRows))?;
        let of_part = |part: &CompiledBody| -> Vec<[i32; 3]> {
            let halo = part.interface.halo.iter().filter(|halo| halo.state == state);
            halo.map(|halo| part.directions[halo.direction]).collect()
        };
        let mut read: Vec<[i32; 3]> = self.parts.iter().flat_map(of_part).collect();
        let reach = read.iter().map(|[x, ..]| x.unsigned_abs() as usize).max().unwrap_or(0);
        read.push([0; 3]);
        read.iter_mut().for_each(|direction| direction[0] = 0);
        read.sort_unstable();
        read.dedup();
        Lines::new(self.dense[state], size, grid, reach, read.len())
    }

    /// Room for the columns of bits that a part of the kernel looks at to the side.
    fn shifted(&self, part: &CompiledBody, grid: &RowGrid) -> Shifted {
        let is_bits = |state: usize| self.dense.is_empty() && matches!(self.states[state].planes, Planes::Bits(_));
        let halo = &part.interface.halo;
        let largest = halo.iter().map(|halo| self.states[halo.state].block).max().unwrap_or(0);
        Shifted::new(grid, halo, &part.directions, is_bits, largest, self.off)
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
        let packed = !self.dense.is_empty();
        let length = (PIECE_PLACES / grid.shape.lanes).max(1);
        let length = if packed { length.max(PIECE_ROWS * grid.columns_of_row()) } else { length };
        let worker = || (Worker::new(self, grid, globals, 0, side), new.to_vec());
        let piece = |worker: &mut Worker<'_>, results: &mut [Shared], piece: usize| {
            for index in piece * length..((piece + 1) * length).min(count) {
                let column = listed.map_or(index, |units| units[index] as usize);
                if packed {
                    // SAFETY: as the caller's; no other piece holds this column.
                    unsafe { worker.run_packed(old, column, new) };
                    continue;
                }
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
        let pieces = count.div_ceil(length);
        if pieces == 0 {
            return;
        }
        if pieces == 1 {
            let (mut worker, mut results) = worker();
            piece(&mut worker, &mut results, 0);
            return;
        }
        (0..pieces).into_par_iter().for_each_init(worker, |(worker, results), index| piece(worker, results, index));
    }
}

/// What one thread needs to call a kernel for one column after another.
pub(super) struct Worker<'a> {
    pass: &'a Pass,
    grid: &'a RowGrid,
    /// Where the column stands that is being computed, which row that is, counted on beyond seams, and how many cells it has.
    here: ColumnPlace,
    y: i64,
    count: usize,
    call: Call,
    reads: Vec<*const u8>,
    writes: Vec<*mut u8>,
    presence: Vec<*const u32>,
    /// By direction its presence, with room to over-read.
    present: Vec<Vec<u32>>,
    _corners: Box<[*const i32; 3]>,
    odd_corners: Box<[*const u32; 8]>,
    halo: Scratch,
    zeros: Scratch,
    /// Of states whose cells alone are stored: one column, what is computed of it, and columns around it.
    own: Vec<Scratch>,
    outcome: Vec<Scratch>,
    expanded: Vec<Expanded>,
    lines: Vec<Option<Lines>>,
    /// For each part, columns of bits moved to the side.
    shifted: Vec<Shifted>,
    /// One column of each state that has no buffers.
    passing: Vec<Scratch>,
    /// For each part, and all that is decided after it, the thresholds.
    thresholds: Vec<Vec<Thresholds>>,
    decision: Decision,
    random: Vec<u32>,
    packed: Vec<u32>,
    /// What stood where results go, where that is watched.
    before: Vec<u8>,
    seed: u64,
}

impl<'a> Worker<'a> {
    pub fn new(pass: &'a Pass, grid: &'a RowGrid, globals: Globals<'a>, level: i32, side: i32) -> Self {
        let lanes = grid.shape.lanes;
        let most = |count: &dyn Fn(&CompiledBody) -> usize| pass.parts.iter().map(count).max().unwrap_or(0);
        let corners = Box::new([0, 1, 2].map(|axis: usize| pass.lanes.corners[axis].as_ptr()));
        let odd_corners = Box::new([ptr::null(); 8]);
        let largest = pass.states.iter().map(|state| state.block).max().unwrap_or(0);
        let words = most(&|part| part.interface.random.len());
        let call = Call {
            reads: ptr::null(),
            writes: ptr::null(),
            presence: ptr::null(),
            params: globals.params.as_ptr(),
            lane_corners: corners.as_ptr(),
            odd_corners: odd_corners.as_ptr(),
            superblock_corner: [0; 3],
            time: globals.time,
            level,
            side,
            random: ptr::null(),
        };
        let inputs = GlobalInputs { params: globals.params, time: globals.time, level, side };
        let thresholds = |part: &CompiledBody| {
            let of = |bits: &RandomBits| Thresholds::new(&bits.probabilities.thresholds(inputs), bits.each);
            part.random.iter().map(of).collect()
        };
        let mut writes = vec![ptr::null_mut(); pass.states.len()];
        let mut passing: Vec<Scratch> =
            pass.states[pass.buffered..].iter().map(|state| Scratch::new(state.block)).collect();
        for (write, memory) in writes[pass.buffered..].iter_mut().zip(&mut passing) {
            *write = memory.as_mut_ptr();
        }
        Worker {
            pass,
            grid,
            here: ColumnPlace::default(),
            y: 0,
            count: 0,
            call,
            reads: vec![ptr::null(); most(&|part| part.interface.blocks(pass.dimension, pass.states.len()))],
            writes,
            presence: vec![ptr::null(); most(&|part| part.directions.len())],
            present: vec![vec![0; with_room(grid.shape.words)]; most(&|part| part.directions.len())],
            _corners: corners,
            odd_corners,
            halo: Scratch::new(most(&|part| part.places.last().copied().unwrap_or(0))),
            zeros: Scratch::new(largest),
            own: pass.dense.iter().zip(&pass.states).map(|(_, columns)| Scratch::new(columns.block)).collect(),
            outcome: Vec::new(),
            expanded: pass.dense.iter().map(|_| Expanded::default()).collect(),
            lines: (0..pass.dense.len()).map(|state| pass.lines(state, grid)).collect(),
            shifted: pass.parts.iter().map(|part| pass.shifted(part, grid)).collect(),
            passing,
            thresholds: pass.parts.iter().map(thresholds).collect(),
            decision: Decision::default(),
            random: vec![0; with_room(words * lanes)],
            packed: vec![0; lanes * usize::from(words > 0)],
            before: Vec::new(),
            seed: globals.seed,
        }
    }

    /// Calls the kernel for one column, with the results of state i going to `results[i]`. Lanes that are no cells become 0.
    ///
    /// # Safety
    /// As of [`Pass::run`] for the old columns; the results of all states that are stored have room for a column and are this thread's own.
    pub unsafe fn run(&mut self, old: &Old, column: usize, results: &[Shared]) {
        let here = self.grid.place(column);
        // SAFETY: as the caller's.
        unsafe {
            self.run_at(old, column, here, i64::from(here.corner[1]), results);
            self.clear(column, results);
        }
    }

    /// The same of a column that stands here, in a row that is the y-th, counted on beyond seams. Lanes that are no cells become anything.
    ///
    /// # Safety
    /// As of [`run`](Self::run).
    pub(super) unsafe fn run_at(&mut self, old: &Old, column: usize, here: ColumnPlace, y: i64, results: &[Shared]) {
        let (pass, grid) = (self.pass, self.grid);
        (self.here, self.y, self.count) = (here, y, grid.count(column));
        for &state in pass.writes() {
            self.writes[state] = results[state].at(0);
        }
        for (index, part) in pass.parts.iter().enumerate() {
            // SAFETY: as the caller's; parts before the last write to this worker's memory.
            unsafe { self.call(index, part, old, column) };
            for (number, bits) in part.random.iter().enumerate() {
                let comparison = Comparison {
                    moment: Moment { seed: self.seed, time: self.call.time },
                    draw: bits.draw,
                    thresholds: &self.thresholds[index][number],
                    lanes: self.count,
                };
                // The classes' memory stands before that of the results.
                let (before, behind) = self.passing.split_at_mut(bits.results - pass.buffered);
                let (classes, results) = (before[bits.classes - pass.buffered].as_slice(), behind[0].as_mut_slice());
                let plane = grid.shape.column_bytes(LaneType::Bits);
                for bit in &bits.bits {
                    let classes = &classes[bit.classes * plane..][..bits.class_count() * plane];
                    let results = &mut results[bit.result * plane..][..bits.each * plane];
                    self.decision.make(comparison, pass.isa, grid, column, classes, results);
                }
            }
        }
    }

    /// Makes lanes 0 that are no cells, of the results of the column that was computed last.
    ///
    /// # Safety
    /// The results of all states that are stored are this thread's own.
    pub(super) unsafe fn clear(&self, column: usize, results: &[Shared]) {
        let (pass, grid) = (self.pass, self.grid);
        if self.count < grid.shape.lanes {
            for &state in pass.writes() {
                let block = pass.states[state].block;
                // SAFETY: as the caller's.
                let result = unsafe { std::slice::from_raw_parts_mut(results[state].at(0), block) };
                clear(&pass.states[state], grid.mask(column), result);
            }
        }
    }

    /// Calls one part of the kernel.
    ///
    /// # Safety
    /// As of [`run`](Self::run); the tables point to where results go.
    unsafe fn call(&mut self, index: usize, part: &CompiledBody, old: &Old, column: usize) {
        let (pass, grid, interface) = (self.pass, self.grid, &part.interface);
        let states = pass.states.len();
        for &state in &interface.own {
            self.reads[interface.block(pass.dimension, states, state, None)] = match state.checked_sub(pass.buffered) {
                Some(passing) => self.passing[passing].as_ptr(),
                None if !pass.dense.is_empty() => {
                    // SAFETY: as the caller's.
                    let place = unsafe { self.place(old, state, [0; 3]) };
                    place.unwrap_or_else(|| {
                        let own = &mut self.own[state];
                        let (mask, cell_index) = (grid.mask(column), grid.first_cell(column));
                        // SAFETY: the old values are those of this state.
                        unsafe { pass.dense[state].expand(old.states[state], mask, cell_index, own.as_mut_slice()) };
                        own.as_ptr()
                    })
                }
                None => old.column(grid, (state, pass.states[state].block), column, self.y),
            };
        }
        for (entry, (halo, place)) in interface.halo.iter().zip(&part.places).enumerate() {
            // SAFETY: as the caller's.
            let block = unsafe { self.fetch(index, part, old, (entry, halo), *place) };
            self.reads[interface.block(pass.dimension, states, halo.state, Some(halo.direction))] = block;
        }
        let exist = |direction: &usize| grid.all_beside(&self.here, part.directions[*direction]);
        let within = part.within.as_ref().filter(|_| interface.presence.iter().all(exist));
        let asked: &[usize] = if within.is_some() { &[] } else { &interface.presence };
        for &direction in asked {
            if grid.all_beside(&self.here, part.directions[direction]) {
                self.presence[direction] = pass.lanes.odd[1].as_ptr();
                continue;
            }
            let words = &mut self.present[direction][..grid.shape.words];
            words.fill(0);
            grid.segments(&self.here, part.directions[direction], |segment| {
                copy_bits(grid.mask(segment.source), segment.from, words, segment.lane, segment.length);
            });
            self.presence[direction] = self.present[direction].as_ptr();
        }
        for (word, words) in interface.random.iter().zip(self.random.chunks_exact_mut(grid.shape.lanes)) {
            let (moment, count) = (Moment { seed: self.seed, time: self.call.time }, self.count);
            let packed = &mut self.packed[..count];
            random::fill(moment, grid.first_cell(column), word.draw, packed);
            grid.lanes(column).zip(packed).for_each(|(lane, word)| words[lane] = *word);
        }
        self.call.superblock_corner = self.here.corner;
        for axes in &interface.odd_corners {
            // A column begins at an even place of its row.
            let odd = axes.is_odd(self.call.superblock_corner.map(|v| v as u64));
            let words = &pass.lanes.odd[2 * usize::from(axes.0[0]) + usize::from(odd)];
            self.odd_corners[usize::from(axes.set())] = words.as_ptr();
        }
        (self.call.reads, self.call.writes) = (self.reads.as_ptr(), self.writes.as_mut_ptr());
        (self.call.presence, self.call.random) = (self.presence.as_ptr(), self.random.as_ptr());
        // SAFETY: the kernel was compiled for this grid's shape, and every table entry that it uses was just filled.
        unsafe { within.unwrap_or(&part.code).run(&self.call) };
    }

    /// Where the values of a state stand so far from the column, if the cells alone are stored and need not be moved together.
    ///
    /// # Safety
    /// As of [`Pass::run`] for the old columns.
    unsafe fn place(&mut self, old: &Old, state: usize, [x, y, z]: [i32; 3]) -> Option<*const u8> {
        let grid = self.grid;
        let lines = self.lines.get_mut(state)?.as_mut()?;
        let Some(row) = grid.row_beside(&self.here, [y, z]) else { return Some(self.zeros.as_ptr()) };
        let x = self.here.corner[0] as isize + x as isize;
        // SAFETY: as the caller's.
        Some(unsafe { lines.at(grid, old.states[state], row, x) })
    }

    /// As [`run`](Self::run), of states whose cells alone are stored, old and new.
    ///
    /// # Safety
    /// As of [`run`](Self::run); of the new values this thread owns those of the column's cells.
    unsafe fn run_packed(&mut self, old: &Old, column: usize, new: &[Shared]) {
        let (pass, grid) = (self.pass, self.grid);
        if self.outcome.is_empty() {
            self.outcome = pass.states.iter().map(|columns| Scratch::new(columns.block)).collect();
        }
        let results: Vec<Shared> = self.outcome.iter_mut().map(|outcome| Shared(outcome.as_mut_ptr())).collect();
        // SAFETY: as the caller's; the results are this thread's own.
        unsafe { self.run(old, column, &results) };
        for &state in pass.writes() {
            let (block, mask, cell_index) =
                (self.outcome[state].as_slice(), grid.mask(column), grid.first_cell(column));
            // SAFETY: as the caller's.
            unsafe { pass.dense[state].compress(block, mask, cell_index, new[state].at(0)) };
        }
    }

    /// As [`run`](Self::run); says where the results are others than what stood there.
    ///
    /// # Safety
    /// As of [`run`](Self::run).
    pub unsafe fn run_watched(&mut self, old: &Old, column: usize, results: &[Shared]) -> Change {
        let pass = self.pass;
        self.before.clear();
        for &state in pass.writes() {
            // SAFETY: as the caller's: the results are this thread's own.
            let block = unsafe { std::slice::from_raw_parts(results[state].at(0), pass.states[state].block) };
            self.before.extend_from_slice(block);
        }
        // SAFETY: as the caller's.
        unsafe { self.run(old, column, results) };
        let (mut all, mut from) = (Change::default(), 0);
        for &state in pass.writes() {
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
    unsafe fn fetch(
        &mut self,
        index: usize,
        part: &CompiledBody,
        old: &Old,
        (entry, halo): (usize, &Halo),
        place: usize,
    ) -> *const u8 {
        let (pass, grid) = (self.pass, self.grid);
        // SAFETY: as the caller's.
        if let Some(place) = unsafe { self.place(old, halo.state, part.directions[halo.direction]) } {
            return place;
        }
        let columns = &pass.states[halo.state];
        let y = self.y + i64::from(part.directions[halo.direction][1]);
        let source = |index: usize| old.column(grid, (halo.state, columns.block), index, y);
        let direction = part.directions[halo.direction];
        if pass.beside
            && let Some((index, lane)) = grid.run_beside(&self.here, direction)
        {
            // Columns of numbers follow each other as places do; behind the last one there is room.
            match columns.planes {
                Planes::Number(ty) => return source(index).wrapping_add(lane * ty.scalar().bytes() as usize),
                Planes::Bits(_) if lane == 0 => return source(index),
                Planes::Bits(_) => {}
            }
        }
        // What stands before or behind a row is memory, too: it is what it must be, or does not matter.
        if pass.beside
            && let Planes::Number(ty) = columns.planes
            && let bytes = direction[0] as isize * ty.scalar().bytes() as isize
            && bytes.unsigned_abs() <= OVERREAD
            && let Some(index) = grid.column_beside(&self.here, [direction[1], direction[2]])
            && (old.rings[halo.state].is_some_and(|ring| ring.is_padded(grid))
                || halo.guarded && is_open_within(grid, index))
        {
            return source(index).wrapping_offset(bytes);
        }
        if let Some(row) = grid.row_beside(&self.here, [direction[1], direction[2]])
            && let Some((memory, is_new)) =
                self.shifted[index].slot(entry, &self.here, grid.shape.lanes, direction[1], row)
        {
            let result = &mut memory[..columns.block];
            if is_new {
                result.fill(0);
                grid.segments(&self.here, direction, |segment| {
                    // SAFETY: the segment's column is stored, so it lies inside the old columns, which nobody writes while the pass runs.
                    let from = unsafe { std::slice::from_raw_parts(source(segment.source), columns.block) };
                    move_segment(columns, from, result, segment);
                });
            }
            return result.as_ptr();
        }
        let (mut whole, mut several) = (None, false);
        grid.segments(&self.here, direction, |segment| {
            several |= (segment.lane, segment.from, segment.length) != (0, 0, self.here.places);
            whole = Some(segment);
        });
        match whole {
            None => return self.zeros.as_ptr(),
            // What is no cell there is 0, and what is none here is not looked at.
            Some(Segment { source: index, .. }) if !several && pass.dense.is_empty() => return source(index),
            Some(_) => {}
        }
        let result = &mut self.halo.as_mut_slice()[place..][..columns.block];
        result.fill(0);
        if let Some(dense) = pass.dense.get(halo.state) {
            let expanded = &mut self.expanded[halo.state];
            if expanded.is_empty() {
                *expanded = Expanded::new(columns.block, grid.columns_of_row());
            }
            grid.segments(&self.here, direction, |segment| {
                let (mask, cell_index) = (grid.mask(segment.source), grid.first_cell(segment.source));
                let from = expanded.column(segment.source, columns.block, |column| {
                    // SAFETY: the old values are those of this state.
                    unsafe { dense.expand(old.states[halo.state], mask, cell_index, column) };
                });
                move_segment(columns, from, result, segment);
            });
            return result.as_ptr();
        }
        grid.segments(&self.here, direction, |segment| {
            // SAFETY: the segment's column is stored, so it lies inside the old columns, which nobody writes while the pass runs.
            let from = unsafe { std::slice::from_raw_parts(source(segment.source), columns.block) };
            move_segment(columns, from, result, segment);
        });
        result.as_ptr()
    }
}

/// Whether nothing lies beyond the ends of rows, and a column stands before this one and another behind it.
fn is_open_within(grid: &RowGrid, column: usize) -> bool {
    !grid.periodic()[0] && column > 0 && column + 1 < grid.columns()
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
