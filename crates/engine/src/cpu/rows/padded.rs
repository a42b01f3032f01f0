//! Kernels of bits alone, run on several rows at once.
//!
//! A *block* is a stretch of several rows. A thread copies it, with the rows above and below that kernels look into, to memory
//! where the rows stand one behind the other and each has room for the places beyond its ends. So a kernel looks to the side by shifting words, and above or
//! below at a fixed distance; it goes through all rows of the block as if they were one, and computes the room between them along, of which nothing is taken.
//! What lies beyond the ends of a row is copied once for all that look at it.
//!
//! Several time steps are computed before anything is copied back, each on fewer of the rows and places beyond.

use super::blocks::{PaddedBlocks, PaddedMemory};
use super::storage::RowUnits;
use crate::cpu::activity::{Change, Marks};
use crate::cpu::decide::Column;
use crate::cpu::kernel::{Buffers, CompiledBody, Globals, HostKernel, Tables, Work};
use crate::cpu::vectors::with_vectors;
use crate::cpu::worker::{Worker, share_out};
use crate::states::buffer::Scratch;
use squeeze_compiler::kernel::block_index;
use squeeze_compiler::layout::rows::{ColumnPlace, RowGrid};
use squeeze_compiler::layout::unit::{Slot, Unit};
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
        Work::Listed(slots, marks) => (listed_blocks(plan, units, slots), Some(marks)),
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
    let (grid, owned) = (&units.grid, &units.lanes().owned);
    if owned.is_empty() {
        return Vec::new();
    }
    let height = grid.extent()[1];
    let (first, last) = (grid.place(Slot(owned.start)).row, grid.place(Slot(owned.end - 1)).row);
    let mut blocks = Vec::new();
    let mut row = first;
    while row <= last {
        let (y, z) = (row % height, row / height);
        let rows = plan.rows.min(height - y).min(last + 1 - row);
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
        let mut workers: Vec<_> = kernels.iter().map(|kernel| Worker::new(kernel, units, globals)).collect();
        let mut written: Vec<usize> = kernels.iter().flat_map(|kernel| kernel.writes().iter().copied()).collect();
        written.sort_unstable();
        written.dedup();
        let mut memory = std::mem::take(&mut workers[0].own.memory.rows.padded);
        if memory.states.is_empty() {
            let bytes = |state: usize| {
                let is_there = written.contains(&state) || plan.loaded.iter().any(|(loaded, _)| *loaded == state);
                if is_there { plan.plane() * usize::from(kernels[0].states[state].planes.count()) } else { 0 }
            };
            memory.states = (0..kernels[0].buffered).map(|state| [0; 2].map(|_| Scratch::new(bytes(state)))).collect();
            memory.cells = Scratch::new(plan.plane());
        }
        let now = vec![0; memory.states.len()];
        let reach = |body: &CompiledBody| {
            let looks =
                body.interface.halo.iter().map(|halo| halo.direction).chain(body.interface.presence.iter().copied());
            looks.map(|place| body.directions[place][1].unsigned_abs() as usize).max().unwrap_or(0)
        };
        let reaches = kernels.iter().map(|kernel| kernel.most(reach)).collect();
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
        let stages = steps * self.kernels.len();
        let copied = Copied::new(plan, grid, block, self.beyond(0..stages));
        for (state, layers) in &plan.loaded {
            let columns = self.kernels[0].kernel.states[*state];
            let (old, plane) = (buffers.old[*state], 4 * grid.shape.words);
            let to = self.memory.states[*state][self.now[*state]].as_mut_ptr();
            for number in 0..usize::from(columns.planes.count()) {
                let column = |slot: Slot| old.wrapping_add(slot.index() * columns.block + number * plane);
                // SAFETY: the columns are those of the state, and the memory has this plane.
                unsafe { copied.fill(layers, columns.block, column, to.add(number * plan.plane())) };
            }
        }
        if plan.cells.contains(&true) {
            let column = |slot: Slot| grid.mask(slot).as_ptr().cast();
            // SAFETY: as above.
            unsafe { copied.fill(&plan.cells, mask_bytes(grid), column, self.memory.cells.as_mut_ptr()) };
        }
        for stage in 0..stages {
            let beyond = self.beyond(stage + 1..stages);
            // SAFETY: as the caller's; what the stage reads was filled just now, or computed by the stages before.
            unsafe { self.stage(stage % self.kernels.len(), block, beyond) };
        }
        // SAFETY: as the caller's.
        unsafe { self.keep(buffers, block, marks) };
    }

    /// Computes a kernel on a block and the rows up to `beyond` beyond it.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute); the rows that it reads hold their states.
    unsafe fn stage(&mut self, number: usize, block: RowBlock, beyond: usize) {
        let (plan, units, memory, now) = (self.plan, self.units, &mut self.memory, &mut self.now);
        let worker = &mut self.kernels[number];
        let kernel = worker.kernel;
        let (states, dimension) = (kernel.states.len(), kernel.dimension);
        // Later stages look at what lies to the left of the first row as well.
        let before = if beyond > 0 { 8 * plan.margin.div_ceil(64) } else { 0 };
        let first = plan.first - beyond * plan.stride - before;
        let corner = [block.number * units.grid.shape.lanes, block.y, block.z].map(|v| v as u64);
        for body in &kernel.bodies {
            let (interface, directions) = (&body.interface, &body.directions);
            let at = |place: usize| {
                let [_, y, z] = directions[place];
                let layer = plan.layers.iter().position(|layer| *layer == z).unwrap_or(0);
                first.wrapping_add(layer * plan.layer).wrapping_add_signed(y as isize * plan.stride as isize)
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
            let cells = memory.cells.as_ptr();
            for &direction in &interface.presence {
                own.presence[direction] = cells.wrapping_add(at(direction)).cast();
            }
            own.presence[directions.len()] = cells.wrapping_add(first).cast();
            for axes in &interface.odd_corners {
                let words = plan.odd.iter().find(|(set, _)| *set == axes.set());
                let words = words.map(|(_, words)| words[usize::from(axes.is_odd(corner))].as_ptr().cast());
                own.odd_corners[usize::from(axes.set())] = words.unwrap_or(std::ptr::null());
            }
            let bytes = ((block.rows + 2 * beyond) * plan.stride + before) as u64;
            // SAFETY: all that the kernel asks for was filled just now; it was compiled for these planes, in which there is room around the rows.
            unsafe { worker.run_padded(body, bytes) };
            for (number, bits) in body.random.iter().enumerate() {
                worker.own.columns.clear();
                for bit in &bits.bits {
                    let column = |row: usize| Column {
                        numbers: units.numbering().from([corner[0], corner[1] + row as u64, corner[2]]),
                        classes: bit.classes * plan.plane() + first + row * plan.stride,
                        result: bit.result * plan.plane() + first + row * plan.stride,
                    };
                    worker.own.columns.extend((0..block.rows).map(column));
                }
                let places = units.grid.shape.lanes.min(units.grid.extent()[0] - corner[0] as usize);
                worker.decide_columns(bits, (body.number, number), (places, plan.plane()), None);
            }
        }
        kernel.writes().iter().for_each(|state| now[*state] = 1 - now[*state]);
    }

    /// Copies what was computed of a block to the units that are computed here, and marks those that have changed.
    ///
    /// # Safety
    /// As of [`compute`](Self::compute).
    unsafe fn keep(&mut self, buffers: &Buffers, block: RowBlock, marks: Option<&Marks>) {
        let (plan, units) = (self.plan, self.units);
        let grid = &*units.grid;
        let plane = 4 * grid.shape.words;
        let places = grid.shape.lanes.min(grid.extent()[0] - block.number * grid.shape.lanes);
        let first_row = block.z * grid.extent()[1] + block.y;
        let slot = |row: usize| {
            let slot = grid.slot(Unit(((first_row + row) * grid.columns_of_row() + block.number) as u32));
            slot.filter(|slot| units.lanes().owned.contains(&slot.0))
        };
        let Self { kernels, memory, now, written, before, .. } = &mut *self;
        let states = &kernels[0].kernel.states;
        let stored = |state: usize, rows: Range<usize>, slot: Slot| {
            let columns = &states[state];
            let from = memory.states[state][now[state]].as_ptr();
            let step = grid.columns_of_row() * columns.block;
            for number in 0..usize::from(columns.planes.count()) {
                let from = from.wrapping_add(number * plan.plane() + plan.first + rows.start * plan.stride);
                let to = buffers.new[state].at(slot.index() * columns.block + number * plane);
                let mask = (grid.mask(slot).as_ptr().cast(), grid.columns_of_row() * mask_bytes(grid));
                store_rows((from, plan.stride), (to, step), mask, (places, plane), rows.len());
            }
        };
        let Some(marks) = marks else {
            let mut row = 0;
            while row < block.rows {
                let Some(first) = slot(row) else {
                    row += 1;
                    continue;
                };
                // Of stored rows that follow each other the last is computed here if all are.
                let end = if grid.stores_all() && slot(block.rows - 1).is_some() { block.rows } else { row + 1 };
                written.iter().for_each(|&state| stored(state, row..end, first));
                row = end;
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
                stored(state, row..row + 1, slot);
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

    /// Copies a plane's rows in those layers that are asked for. `column` says where a stored column begins; those of consecutive slots lie `step`
    /// bytes apart.
    ///
    /// # Safety
    /// The columns are there, and no thread writes them; `to` is a plane of this thread.
    unsafe fn fill(&self, layers: &[bool], step: usize, column: impl Fn(Slot) -> *const u8, to: *mut u8) {
        let (plan, grid, beyond) = (self.plan, self.grid, self.beyond as i32);
        let (per_row, plane) = (grid.columns_of_row(), 4 * grid.shape.words);
        let place = ColumnPlace { corner: self.corner, row: 0, places: self.places };
        for (layer, z) in plan.layers.iter().enumerate().filter(|(layer, _)| layers[*layer]) {
            let first = to.wrapping_add(plan.first + layer * plan.layer - self.beyond * plan.stride);
            // What stands before the first row.
            let words = plan.margin.div_ceil(64);
            // SAFETY: there is room for as many places as are needed before a row.
            unsafe { first.sub(8 * words).write_bytes(0, 8 * words) };
            let (mut y, end) = (-beyond, self.block.rows as i32 + beyond);
            let mut runs = Vec::with_capacity(4);
            while y < end {
                let row = grid.row_beside(&place, [y, *z]);
                let to = first.wrapping_add((y + beyond) as usize * plan.stride);
                let slot = |column: usize| grid.slot(Unit((row? * per_row + column) as u32));
                // Rows that follow each other up to a seam, or up to the end of what is copied.
                let height = grid.extent()[1];
                let rows = match row {
                    Some(row) if grid.stores_all() => (height - row % height).min((end - y) as usize),
                    _ => 1,
                };
                let from = slot(self.block.number).map_or(std::ptr::null(), &column);
                copy_rows((from, per_row * step), (to, plan.stride), (self.places, plane), rows);
                if let Some(row) = row {
                    runs.push((to, row, rows));
                }
                y += rows as i32;
            }
            for (to, row, rows) in runs {
                for &(number, from, at, length) in &self.sides {
                    let Some(slot) = grid.slot(Unit((row * per_row + number) as u32)) else { continue };
                    add_sides((column(slot), per_row * step), (to, plan.stride), (from, at, length, plane), rows);
                }
            }
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
