//! Kernels of bits alone, run on several rows at once.
//!
//! A *block* is a stretch of several rows. A thread copies it, with the rows above and below that kernels look into, to memory
//! where the rows stand one behind the other and each has room for the places beyond its ends. So a kernel looks to the side by shifting words, and above or
//! below at a fixed distance; it goes through all rows of the block as if they were one, and computes the room between them along, of which nothing is taken.
//! What lies beyond the ends of a row is copied once for all that look at it.
//!
//! Several time steps are computed before anything is copied back, each on fewer of the rows and places beyond.
//!
//! Kernels that draw run on split rows ([`PaddedBlocks`]): a quarter of the places of a block after the other, but those of which they change nothing.

use super::blocks::{PaddedBlocks, PaddedMemory};
use super::storage::RowUnits;
use crate::cpu::activity::{Change, Marks};
use crate::cpu::decide::Column;
use crate::cpu::kernel::{Buffers, CompiledBody, Globals, HostKernel, Tables, Work};
use crate::cpu::vectors::with_vectors;
use crate::cpu::worker::{Worker, share_out};
use crate::states::buffer::Scratch;
use squeeze_compiler::ir::Axes;
use squeeze_compiler::kernel::block_index;
use squeeze_compiler::layout::rows::{ColumnPlace, RowGrid};
use squeeze_compiler::layout::unit::{Slot, Unit};
use squeeze_compiler::numbers::numbering::{interleave, separate};
use std::ops::Range;

/// The most bits of a piece of what lies beyond the ends of rows.
const PIECE: usize = 32;

/// The rows of one column of the grid that are computed together.
#[derive(Clone, Copy, Debug)]
struct RowBlock {
    /// The column's number in its rows.
    number: usize,
    y: usize,
    z: usize,
    rows: usize,
}

/// Runs kernels on rows, one after the other, for some steps.
///
/// # Safety
/// As of [`HostKernel::run`] for each kernel; a list of units, or marks, come with a single kernel and step alone.
pub(crate) unsafe fn run(
    kernels: &[HostKernel],
    units: &RowUnits,
    buffers: &Buffers,
    globals: Globals<'_>,
    (steps, work): (usize, Work<'_>),
) {
    let plan = kernels[0].padded.as_ref().expect("the kernels were compiled for padded rows");
    let (blocks, marks) = match work {
        Work::All => (all_blocks(plan, units), None),
        Work::Watched(marks) => (all_blocks(plan, units), Some(marks)),
        Work::Listed(slots, marks) => (listed_blocks(plan, units, slots), marks),
    };
    let begin = || -> Box<dyn FnMut(usize) + '_> {
        let mut rows = PaddedWorker::new(kernels, plan, units, globals);
        let blocks = &blocks;
        // SAFETY: as the caller's; no other thread computes this block.
        Box::new(move |number: usize| unsafe { rows.compute(buffers, blocks[number], steps, marks) })
    };
    share_out(blocks.len(), &begin);
}

/// Blocks of all units that are computed here.
fn all_blocks(plan: &PaddedBlocks, units: &RowUnits) -> Vec<RowBlock> {
    let (grid, own) = (&units.grid, units.rows());
    let height = grid.extent()[1];
    let mut blocks = Vec::new();
    let mut row = own.start;
    while row < own.end {
        let (y, z) = (row % height, row / height);
        let rows = plan.rows.min(height - y).min(own.end - row);
        blocks.extend((0..grid.columns_of_row()).map(|number| RowBlock { number, y, z, rows }));
        row += rows;
    }
    blocks
}

/// Blocks of listed units.
fn listed_blocks(plan: &PaddedBlocks, units: &RowUnits, slots: &[Slot]) -> Vec<RowBlock> {
    let (grid, mut blocks) = (&units.grid, Vec::<RowBlock>::new());
    for slot in slots {
        let [_, y, z] = grid.corner(*slot).map(|v| v as usize);
        let number = grid.number_in_row(*slot);
        match blocks.last_mut() {
            Some(block)
                if (block.number, block.y + block.rows, block.z) == (number, y, z) && block.rows < plan.rows =>
            {
                block.rows += 1;
            }
            _ => blocks.push(RowBlock { number, y, z, rows: 1 }),
        }
    }
    blocks
}

/// A thread's work on blocks.
struct PaddedWorker<'a> {
    plan: &'a PaddedBlocks,
    units: &'a RowUnits,
    kernels: Vec<Worker<'a, RowUnits>>,
    memory: PaddedMemory,
    /// Which of a state's two memories holds it.
    now: Vec<usize>,
    /// The states that are stored.
    written: Vec<usize>,
    /// The rows that each kernel looks up or down.
    reaches: Vec<usize>,
    /// What stood there before, where changes are watched.
    before: Vec<u8>,
}

impl<'a> PaddedWorker<'a> {
    fn new(kernels: &'a [HostKernel], plan: &'a PaddedBlocks, units: &'a RowUnits, globals: Globals<'a>) -> Self {
        let all = || kernels.iter().flat_map(HostKernel::of_all_places);
        let mut workers: Vec<_> = all().map(|kernel| Worker::new(kernel, units, globals)).collect();
        let mut written: Vec<usize> = kernels.iter().flat_map(|kernel| kernel.writes().iter().copied()).collect();
        written.sort_unstable();
        written.dedup();
        let mut memory = std::mem::take(&mut workers[0].own.memory.rows.padded);
        if memory.states.is_empty() {
            let bytes = |state: usize| {
                let is_there = plan.stored.contains(&state) || plan.loaded.iter().any(|(loaded, _)| *loaded == state);
                if is_there { plan.plane() * usize::from(kernels[0].states[state].planes.count()) } else { 0 }
            };
            let rows = |bytes: usize| Scratch::new(if plan.is_split() { bytes } else { 0 });
            let state = |bytes: usize| [Scratch::new(bytes), Scratch::new(bytes), rows(bytes)];
            memory.states = (0..kernels[0].buffered).map(bytes).map(state).collect();
            memory.cells = [Scratch::new(plan.plane()), rows(plan.plane())];
        }
        let now = vec![0; memory.states.len()];
        let reach = |body: &CompiledBody| {
            let looks =
                body.interface.halo.iter().map(|halo| halo.direction).chain(body.interface.presence.iter().copied());
            looks.map(|place| body.directions[place][1].unsigned_abs() as usize).max().unwrap_or(0)
        };
        let reaches =
            kernels.iter().map(|kernel| kernel.of_all_places().map(|kernel| kernel.most(reach)).max().unwrap_or(0));
        let reaches = reaches.collect();
        PaddedWorker { plan, units, kernels: workers, memory, now, written, reaches, before: Vec::new() }
    }

    /// The rows beyond a block that are looked at by these stages, one after the other.
    fn beyond(&self, stages: Range<usize>) -> usize {
        stages.map(|stage| self.reaches[stage % self.reaches.len()]).sum()
    }

    /// Computes some steps of a block, and keeps those of its units that are computed here.
    ///
    /// # Safety
    /// As of [`run`]; no other thread computes the block.
    unsafe fn compute(&mut self, buffers: &Buffers, block: RowBlock, steps: usize, marks: Option<&Marks>) {
        let (plan, grid) = (self.plan, &*self.units.grid);
        let stages = steps * self.reaches.len();
        let copied = Copied::new(plan, grid, block, self.beyond(0..stages));
        for (state, layers) in &plan.loaded {
            let columns = self.kernels[0].kernel.states[*state];
            let (old, plane) = (buffers.old[*state], 4 * grid.shape.words);
            let [to, rows] = [self.now[*state], 2].map(|memory| self.memory.states[*state][memory].as_mut_ptr());
            for number in 0..usize::from(columns.planes.count()) {
                let column = |slot: Slot| old.wrapping_add(slot.index() * columns.block + number * plane);
                let [to, rows] = [to, rows].map(|plane| plane.wrapping_add(number * plan.plane()));
                // SAFETY: the columns are those of the state, and the memory has this plane.
                unsafe { copied.load(layers, columns.block, column, [to, rows]) };
            }
        }
        if plan.cells.contains(&true) {
            let column = |slot: Slot| grid.mask(slot).as_ptr().cast();
            let to = self.memory.cells.each_mut().map(Scratch::as_mut_ptr);
            // SAFETY: as above.
            unsafe { copied.load(&plan.cells, mask_bytes(grid), column, to) };
        }
        if plan.is_split() {
            // SAFETY: as the caller's; what the kernels read was filled just now.
            unsafe { self.quarters(block) };
        }
        for stage in if plan.is_split() { 0..0 } else { 0..stages } {
            let beyond = self.beyond(stage + 1..stages);
            // Later stages look at what lies to the left of the first row as well.
            let before = if beyond > 0 { 8 * plan.margin.div_ceil(64) } else { 0 };
            let (number, rows) = (stage % self.kernels.len(), block.rows + 2 * beyond);
            let place = |layer: usize, y: isize| {
                plan.row(y - beyond as isize).wrapping_add(layer * plan.layer).wrapping_sub(before)
            };
            let corner = [block.number * grid.shape.lanes, block.y, block.z].map(|v| v as u64);
            for (set, words) in &plan.odd {
                let axes = Axes([1, 2, 4].map(|axis| set & axis != 0));
                let words = words[usize::from(axes.is_odd(corner))].as_ptr().cast();
                self.kernels[number].own.odd_corners[usize::from(*set)] = words;
            }
            for body in 0..self.kernels[number].kernel.bodies.len() {
                // SAFETY: as above, or the stages before computed it.
                unsafe { self.run((number, body), place, rows * plan.stride + before) };
            }
            self.exchange(number);
        }
        // SAFETY: as the caller's.
        unsafe { self.keep(buffers, block, marks) };
    }

    /// What a kernel stores becomes the present states.
    fn exchange(&mut self, number: usize) {
        self.kernels[number].kernel.writes().iter().for_each(|state| self.now[*state] = 1 - self.now[*state]);
    }

    /// Computes the kernels of split rows on a quarter of the places of a block after the other.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute); the rows that they read hold their states.
    unsafe fn quarters(&mut self, block: RowBlock) {
        let (plan, units) = (self.plan, self.units);
        let corner = [block.number * units.grid.shape.lanes, block.y, block.z].map(|v| v as u64);
        let places = units.grid.shape.lanes.min(units.grid.extent()[0] - corner[0] as usize);
        for quarter in Quarter::ALL {
            let (Some(number), rows) = (quarter.kernel(self.kernels[0].kernel, block), quarter.rows(block)) else {
                continue;
            };
            let lanes = (places + 1 - usize::from(quarter.odd)) / 2;
            if lanes * rows == 0 {
                continue;
            }
            let place =
                |layer: usize, y: isize| (plan.row(y + quarter.row as isize).wrapping_add(layer * plan.layer)) / 2;
            for body in 0..self.kernels[number].kernel.bodies.len() {
                // SAFETY: as the caller's.
                unsafe { self.run((number, body), place, rows * plan.stride / 2) };
                let worker = &mut self.kernels[number];
                for (random, bits) in worker.kernel.bodies[body].random.iter().enumerate() {
                    worker.own.columns.clear();
                    for bit in &bits.bits {
                        let column = |row: usize| {
                            let [x, y, z] = corner;
                            let first = [x + u64::from(quarter.odd), y + (2 * row + quarter.row) as u64, z];
                            let at = usize::from(quarter.odd) * plan.plane() / 2 + place(0, 2 * row as isize);
                            Column {
                                numbers: units.numbering().every_second(first),
                                classes: bit.classes * plan.plane() + at,
                                result: bit.result * plan.plane() + at,
                            }
                        };
                        worker.own.columns.extend((0..rows).map(column));
                    }
                    worker.decide_columns(bits, (body, random), (lanes, plan.plane()), None);
                }
            }
        }
        self.exchange(0);
    }

    /// Runs a body of a kernel on `bytes` bytes of each plane; `place` says where a row of a layer begins, counted from the first row that is computed.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute); the rows that it reads hold their states.
    unsafe fn run(&mut self, (number, body): (usize, usize), place: impl Fn(usize, isize) -> usize, bytes: usize) {
        let (plan, memory, now) = (self.plan, &mut self.memory, &self.now);
        let worker = &mut self.kernels[number];
        let (kernel, body) = (worker.kernel, &worker.kernel.bodies[body]);
        let (states, dimension) = (kernel.states.len(), kernel.dimension);
        let (interface, directions) = (&body.interface, &body.directions);
        let first = place(0, 0);
        let at = |direction: usize| {
            let [_, y, z] = directions[direction];
            place(plan.layers.iter().position(|layer| *layer == z).unwrap_or(0), y as isize)
        };
        let own = &mut worker.own;
        for &state in kernel.writes() {
            own.writes[state] = memory.states[state][1 - now[state]].as_mut_ptr().wrapping_add(first);
        }
        for (state, passing) in (kernel.buffered..).zip(&mut own.passing) {
            own.reads[block_index(dimension, state, None)] = passing.as_ptr().wrapping_add(first);
            own.writes[state] = passing.as_mut_ptr().wrapping_add(first);
        }
        for (state, _) in &plan.loaded {
            let old = memory.states[*state][now[*state]].as_ptr();
            own.reads[interface.block(dimension, states, *state, None)] = old.wrapping_add(first);
        }
        for halo in &interface.halo {
            let old = memory.states[halo.state][now[halo.state]].as_ptr();
            let block = interface.block(dimension, states, halo.state, Some(halo.direction));
            own.reads[block] = old.wrapping_add(at(halo.direction));
        }
        let cells = memory.cells[0].as_ptr();
        for &direction in &interface.presence {
            own.presence[direction] = cells.wrapping_add(at(direction)).cast();
        }
        own.presence[directions.len()] = cells.wrapping_add(first).cast();
        // SAFETY: all that the kernel asks for was filled just now; it was compiled for these planes, in which there is room around the rows.
        unsafe { worker.run_padded(body, bytes as u64) };
    }

    /// Puts the places of split rows together again, of a state.
    fn unite(&mut self, state: usize, block: RowBlock) {
        let (plan, now) = (self.plan, self.now[state]);
        let kernel = self.kernels[0].kernel;
        let [new, old, rows] = [now, 1 - now, 2].map(|memory| self.memory.states[state][memory].as_mut_ptr());
        for number in 0..usize::from(kernel.states[state].planes.count()) {
            for [even, odd] in Quarter::ALL.as_chunks().0 {
                let first = number * plan.plane() + plan.row(even.row as isize);
                let half = |quarter: &Quarter| {
                    let from = if quarter.kernel(kernel, block).is_some() { new } else { old };
                    let half = usize::from(quarter.odd) * plan.plane() / 2;
                    from.wrapping_add(number * plan.plane() + half + plan.row(quarter.row as isize) / 2).cast_const()
                };
                let words = even.rows(block) * plan.stride / 16;
                interleave_halves([half(even), half(odd)], rows.wrapping_add(first), words);
            }
        }
    }

    /// Copies what was computed of a block to the units that are computed here, and marks those that have changed.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute).
    unsafe fn keep(&mut self, buffers: &Buffers, block: RowBlock, marks: Option<&Marks>) {
        let (plan, units) = (self.plan, self.units);
        let grid = &*units.grid;
        if plan.is_split() {
            self.written.clone().into_iter().for_each(|state| self.unite(state, block));
        }
        let (plane, turns) = (4 * grid.shape.words, plan.turns());
        let places = grid.shape.lanes.min(grid.extent()[0] - block.number * grid.shape.lanes);
        let first_row = block.z * grid.extent()[1] + block.y;
        let slot = |row: usize| {
            let slot = grid.slot(Unit(((first_row + row) * grid.columns_of_row() + block.number) as u32));
            slot.filter(|slot| units.lanes().owned.contains(&slot.0))
        };
        let Self { kernels, memory, now, written, before, .. } = &mut *self;
        let states = &kernels[0].kernel.states;
        // Rows by turns from a first one on.
        let stored = |state: usize, (row, rows): (usize, usize), slot: Slot| {
            let columns = &states[state];
            let from = memory.states[state][if plan.is_split() { 2 } else { now[state] }].as_ptr();
            let step = turns * grid.columns_of_row();
            for number in 0..usize::from(columns.planes.count()) {
                let from = from.wrapping_add(number * plan.plane() + plan.row(row as isize));
                let to = buffers.new[state].at(slot.index() * columns.block + number * plane);
                let mask = (grid.mask(slot).as_ptr().cast(), step * mask_bytes(grid));
                store_rows((from, plan.stride), (to, step * columns.block), mask, (places, plane), rows);
            }
        };
        let Some(marks) = marks else {
            // Of rows that stand one behind the other the last is computed here if all are.
            let ends = [0, block.rows - 1].map(slot);
            let at_once = matches!(ends, [Some(first), Some(last)]
                if last.index() == first.index() + (block.rows - 1) * grid.columns_of_row());
            for row in 0..if at_once { turns.min(block.rows) } else { block.rows } {
                let rows = if at_once { (block.rows - row).div_ceil(turns) } else { 1 };
                let Some(first) = slot(row) else { continue };
                written.iter().for_each(|&state| stored(state, (row, rows), first));
            }
            return;
        };
        for row in 0..block.rows {
            let Some(slot) = slot(row) else { continue };
            let mut all = Change::default();
            for &state in &*written {
                let columns = &states[state];
                let to = buffers.new[state].at(slot.index() * columns.block);
                // SAFETY: the block lies inside of the new buffer, and is this thread's own.
                let after = || unsafe { std::slice::from_raw_parts(to, columns.block) };
                before.clear();
                before.extend_from_slice(after());
                stored(state, (row, 1), slot);
                all = all.or(Change::of(columns, before, after(), marks.tells_ends()));
            }
            marks.mark(units.mark(slot), all);
        }
    }
}

impl Drop for PaddedWorker<'_> {
    fn drop(&mut self) {
        self.kernels[0].own.memory.rows.padded = std::mem::take(&mut self.memory);
    }
}

/// The bytes from a column's mask to that of the next in its row; all columns of a full grid have the masks of one row.
fn mask_bytes(grid: &RowGrid) -> usize {
    if grid.is_full() { 0 } else { 4 * grid.shape.words }
}

/// The rows that are copied for a block, and what stands beyond their ends.
struct Copied<'a> {
    plan: &'a PaddedBlocks,
    grid: &'a RowGrid,
    block: RowBlock,
    /// The rows above and below.
    beyond: usize,
    /// The corner, and the places of the stretch.
    corner: [i32; 3],
    places: usize,
    /// What lies beyond the ends: the column's number in its row, the lane there, the place where it belongs, counted from the row's first, and how
    /// many bits.
    sides: Vec<(usize, usize, isize, usize)>,
}

impl<'a> Copied<'a> {
    fn new(plan: &'a PaddedBlocks, grid: &'a RowGrid, block: RowBlock, beyond: usize) -> Copied<'a> {
        let lanes = grid.shape.lanes;
        let corner = [block.number * lanes, block.y, block.z].map(|v| v as i32);
        let places = lanes.min(grid.extent()[0] - block.number * lanes);
        let mut sides = Vec::new();
        for first in [-(plan.margin as i32), places as i32] {
            for from in (0..plan.margin).step_by(PIECE) {
                let length = PIECE.min(plan.margin - from);
                let at = first + from as i32;
                grid.sources(i64::from(corner[0]) + i64::from(at), length, |lane, column, from, length| {
                    sides.push((column, from, at as isize + lane as isize, length));
                });
            }
        }
        Copied { plan, grid, block, beyond, corner, places, sides }
    }

    /// Copies a plane, as [`fill`](Self::fill); where rows are split, by way of the second plane.
    ///
    /// # Safety
    /// As of [`fill`](Self::fill).
    unsafe fn load(&self, layers: &[bool], step: usize, column: impl Fn(Slot) -> *const u8, [to, rows]: [*mut u8; 2]) {
        let is_split = self.plan.is_split();
        // SAFETY: the caller's.
        unsafe { self.fill(layers, step, column, if is_split { rows } else { to }) };
        if is_split {
            let half = self.plan.plane() / 2;
            separate_halves(rows.cast_const(), [to, to.wrapping_add(half)], half / 8);
        }
    }

    /// Copies a plane's rows in those layers that are asked for. `column` says where a stored column begins; those of consecutive slots lie `step`
    /// bytes apart.
    ///
    /// # Safety
    /// The columns are there, and no thread writes them; `to` is a plane of this thread.
    unsafe fn fill(&self, layers: &[bool], step: usize, column: impl Fn(Slot) -> *const u8, to: *mut u8) {
        let (plan, grid, beyond) = (self.plan, self.grid, self.beyond as i32);
        let (per_row, plane, turns) = (grid.columns_of_row(), 4 * grid.shape.words, plan.turns());
        let step = turns * per_row * step;
        let place = ColumnPlace { corner: self.corner, row: 0, places: self.places };
        let begins =
            (0..turns as i32).flat_map(|turn| plan.layers.iter().zip(layers).enumerate().map(move |of| (turn, of)));
        for (turn, (layer, (z, _))) in begins.filter(|(_, (_, (_, is_there)))| **is_there) {
            let to = to.wrapping_add(layer * plan.layer);
            let (mut y, end) = (turn - beyond, self.block.rows as i32 + beyond);
            // What stands before the first row.
            let words = plan.margin.div_ceil(64);
            // SAFETY: there is room for as many places as are needed before a row.
            unsafe { to.wrapping_add(plan.row(y as isize)).sub(8 * words).write_bytes(0, 8 * words) };
            let mut runs = Vec::with_capacity(4);
            while y < end {
                let row = grid.row_beside(&place, [y, *z]);
                let to = to.wrapping_add(plan.row(y as isize));
                let slot = |column: usize| grid.slot(Unit((row? * per_row + column) as u32));
                // Rows that follow each other by turns up to a seam, or up to the end of what is copied.
                let rows = row.map_or(1, |row| grid.rows_together(row, (end - y) as usize).div_ceil(turns));
                let from = slot(self.block.number).map_or(std::ptr::null(), &column);
                copy_rows((from, step), (to, plan.stride), (self.places, plane), rows);
                if let Some(row) = row {
                    runs.push((to, row, rows));
                }
                y += (turns * rows) as i32;
            }
            for (to, row, rows) in runs {
                for &(number, from, at, length) in &self.sides {
                    let Some(slot) = grid.slot(Unit((row * per_row + number) as u32)) else { continue };
                    add_sides((column(slot), step), (to, plan.stride), (from, at, length, plane), rows);
                }
            }
        }
    }
}

/// The even or the odd places of every second row of a block.
#[derive(Clone, Copy, Debug)]
struct Quarter {
    odd: bool,
    /// The first row.
    row: usize,
}

impl Quarter {
    /// In the order in which they are computed: of halves as they stand, since a bit behind the last row of a quarter may be written.
    const ALL: [Quarter; 4] = [
        Quarter { odd: false, row: 0 },
        Quarter { odd: true, row: 0 },
        Quarter { odd: false, row: 1 },
        Quarter { odd: true, row: 1 },
    ];

    /// The number of the kernel that computes it; none if nothing changes there.
    fn kernel(self, kernel: &HostKernel, block: RowBlock) -> Option<usize> {
        kernel.split.number([self.odd, (block.y + self.row) % 2 == 1, block.z % 2 == 1])
    }

    /// How many of the block's rows there are.
    fn rows(self, block: RowBlock) -> usize {
        (block.rows + 1 - self.row) / 2
    }
}

/// The lower half of a word.
const LOW_HALF: u64 = u32::MAX as u64;

with_vectors! {
    /// Puts the even places of rows into one half of a plane and the odd ones into the other; `words` is the length of a half.
    fn separate_halves = separate_each(rows: *const u8, halves: [*mut u8; 2], words: usize)
}

#[inline(always)]
fn separate_each(rows: *const u8, [even, odd]: [*mut u8; 2], words: usize) {
    let (rows, even, odd) = (rows.cast::<u64>(), even.cast::<u64>(), odd.cast::<u64>());
    for word in 0..words {
        // SAFETY: the caller's plane has these words.
        unsafe {
            let low = separate(rows.add(2 * word).read_unaligned());
            let high = separate(rows.add(2 * word + 1).read_unaligned());
            even.add(word).write_unaligned(low & LOW_HALF | high << 32);
            odd.add(word).write_unaligned(low >> 32 | high & !LOW_HALF);
        }
    }
}

with_vectors! {
    /// Puts them back.
    fn interleave_halves = interleave_each(halves: [*const u8; 2], rows: *mut u8, words: usize)
}

#[inline(always)]
fn interleave_each([even, odd]: [*const u8; 2], rows: *mut u8, words: usize) {
    let (rows, even, odd) = (rows.cast::<u64>(), even.cast::<u64>(), odd.cast::<u64>());
    for word in 0..words {
        // SAFETY: the caller's plane has these words.
        unsafe {
            let (even, odd) = (even.add(word).read_unaligned(), odd.add(word).read_unaligned());
            rows.add(2 * word).write_unaligned(interleave(even & LOW_HALF | odd << 32));
            rows.add(2 * word + 1).write_unaligned(interleave(even >> 32 | odd & !LOW_HALF));
        }
    }
}

with_vectors! {
    /// Copies the words of a plane of some columns to padded rows, and zeros behind them; zeros alone from null.
    fn copy_rows = copy_each_row(
        source: (*const u8, usize), result: (*mut u8, usize), sizes: (usize, usize), rows: usize
    )
}

#[inline(always)]
fn copy_each_row(source: (*const u8, usize), result: (*mut u8, usize), (places, plane): (usize, usize), rows: usize) {
    let (words, all) = (places.div_ceil(64), result.1 / 8);
    let (mut from, mut to) = (source.0, result.0.cast::<u64>());
    for _ in 0..rows {
        // SAFETY: the caller's memory has these words; `all` words of the result are a row.
        unsafe {
            if from.is_null() {
                to.write_bytes(0, all);
            } else if plane < 8 {
                to.write_unaligned(u64::from(from.cast::<u32>().read_unaligned()));
            } else {
                copy_words(from, to.cast(), words);
            }
            for word in words..all {
                to.add(word).write_unaligned(0);
            }
        }
        from = from.wrapping_add(source.1);
        to = to.wrapping_byte_add(result.1);
    }
}

/// # Safety
/// There are as many words of 64 bits here and there.
#[inline(always)]
unsafe fn copy_words(from: *const u8, to: *mut u8, words: usize) {
    let vectors = words / 8;
    for vector in 0..vectors {
        // SAFETY: the caller's.
        unsafe {
            to.cast::<[u64; 8]>().add(vector).write_unaligned(from.cast::<[u64; 8]>().add(vector).read_unaligned())
        };
    }
    for word in 8 * vectors..words {
        // SAFETY: the caller's.
        unsafe { to.cast::<u64>().add(word).write_unaligned(from.cast::<u64>().add(word).read_unaligned()) };
    }
}

/// Adds some bits of columns to padded rows, at a place that may lie before or behind.
fn add_sides(
    source: (*const u8, usize),
    result: (*mut u8, usize),
    (bit, at, length, plane): (usize, isize, usize, usize),
    rows: usize,
) {
    let (mut from, mut to) = (source.0.wrapping_add(bit / 32 * 4), result.0.wrapping_offset(at.div_euclid(8)));
    let mask = u64::MAX >> (64 - length);
    // A plane's last word has none behind it.
    let is_last = bit / 32 * 4 + 8 > plane;
    for _ in 0..rows {
        // SAFETY: the caller's memory has these bits, and there is room around rows.
        unsafe {
            let bits = match is_last {
                true => u64::from(from.cast::<u32>().read_unaligned()),
                false => from.cast::<u64>().read_unaligned(),
            };
            let to = to.cast::<u64>();
            to.write_unaligned(to.read_unaligned() | (bits >> (bit % 32) & mask) << at.rem_euclid(8));
        }
        from = from.wrapping_add(source.1);
        to = to.wrapping_add(result.1);
    }
}

with_vectors! {
    /// Copies padded rows to a plane of some columns, where their masks are ones; the others' bits become 0.
    fn store_rows = store_each_row(
        source: (*const u8, usize), result: (*mut u8, usize), mask: (*const u8, usize), sizes: (usize, usize), rows: usize
    )
}

#[inline(always)]
fn store_each_row(
    source: (*const u8, usize),
    result: (*mut u8, usize),
    mask: (*const u8, usize),
    (places, plane): (usize, usize),
    rows: usize,
) {
    let words = places.div_ceil(64);
    let (mut from, mut to, mut cells) = (source.0, result.0, mask.0);
    for _ in 0..rows {
        // SAFETY: the caller's memory has these words.
        unsafe {
            if plane < 8 {
                let word = from.cast::<u32>().read_unaligned() & cells.cast::<u32>().read_unaligned();
                to.cast::<u32>().write_unaligned(word);
            } else {
                let vectors = words / 8;
                for vector in 0..vectors {
                    let mut values = from.cast::<[u64; 8]>().add(vector).read_unaligned();
                    let mask = cells.cast::<[u64; 8]>().add(vector).read_unaligned();
                    values.iter_mut().zip(mask).for_each(|(value, mask)| *value &= mask);
                    to.cast::<[u64; 8]>().add(vector).write_unaligned(values);
                }
                for word in 8 * vectors..words {
                    let [value, mask] = [from, cells].map(|words| words.cast::<u64>().add(word).read_unaligned());
                    to.cast::<u64>().add(word).write_unaligned(value & mask);
                }
            }
        }
        from = from.wrapping_add(source.1);
        to = to.wrapping_add(result.1);
        cells = cells.wrapping_add(mask.1);
    }
}
