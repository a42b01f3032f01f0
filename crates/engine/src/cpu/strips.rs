//! Ordered steps of a plane in [`Strips`]: rows of a strip are computed one after the other, the lanes of each at once.
//!
//! States stay where they are. A *tile*, some rows of a strip, is moved into memory of its own, where rows follow each other, computed there, and moved back.
//! Around its lanes are those beside the strip that it reads, and around its rows the ones before and behind. Random words are made for the cells as they
//! stand in memory, and move with the tile.

use super::activity::Marks;
use super::kernel::{Buffers, CompiledBody, Globals, HostKernel, LaneTables, Memory, RunningBody, Tables, Units};
use super::rows::bits::{Word, copy_bits, lanes_of};
use super::rows::clear::clear;
use super::rows::lines::RowMemory;
use super::vectors::with_vectors;
use super::worker::Worker;
use crate::Result;
use crate::states::States;
use crate::states::buffer::{Scratch, Shared};
use squeeze_codegen::{AvailableIsa, ColumnOrder};
use squeeze_compiler::ir::{Boundary, Rule, SignedAxis, Strips, TileSize};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::{Columns, OVERREAD, Shape};
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::{Micro, Slot, Unit};
use squeeze_compiler::numbers::numbering::{LaneNumbers, PlaceNumbering};
use squeeze_compiler::numbers::random::{self, DrawKey, transpose};
use squeeze_compiler::passes::Ready;
use std::collections::BTreeSet;
use std::ops::Range;

/// A kernel in strips, and the strips of a domain.
pub(super) struct StripKernel {
    kernel: HostKernel,
    rows: StripRows,
}

/// The rows of strips, as kernels see them.
struct StripRows {
    strips: Strips,
    lanes: LaneTables,
    /// The sides along a lane and across lanes, and whether these axes wrap.
    sides: [i64; 2],
    wraps: [bool; 2],
    /// Whether every place is a cell, and whether something lies beyond edges that do not wrap.
    is_full: bool,
    has_edges: bool,
    /// How many lanes and rows beside itself a cell may look at.
    reach: [i64; 2],
    /// Rows of a tile.
    rows: i64,
    /// The draws of the kernel.
    draws: Vec<u32>,
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
}

/// Where the places of a stretch lie.
#[derive(Clone, Copy, PartialEq)]
enum Whence {
    /// In the domain.
    Domain,
    /// In the domain, beyond a seam.
    Seam,
    /// Beyond its edges.
    Beyond,
}

/// Places of a row of the plane, as a strip has them.
struct PlacesOfRow {
    y: usize,
    xs: Range<usize>,
    whence: Whence,
    /// The lane and the row of the first one, and how far it is to those of the next.
    at: [i64; 2],
    step: [i64; 2],
}

/// Lanes and rows of a strip that are moved in squares.
struct Blocks {
    lanes: Range<i64>,
    rows: Range<i64>,
    tile: [i64; 2],
}

impl Blocks {
    /// Leaves its own lanes out of others, if all that is moved is `in_blocks`.
    fn beside(&self, lanes: Range<i64>, in_blocks: bool) -> [Range<i64>; 2] {
        match in_blocks && !self.lanes.is_empty() {
            true => [lanes.start..self.lanes.start, self.lanes.end..lanes.end],
            false => [lanes, 0..0],
        }
    }
}

/// The side of the squares in which numbers are moved.
const BLOCK: usize = 8;

/// A tile's memory: rows of states, of lanes that are cells, of random words.
struct StripTile {
    states: Vec<TileRows>,
    presence: TileRows,
    words: TileRows,
}

/// Rows of a tile that follow each other, with room before and behind.
struct TileRows {
    memory: Scratch,
    /// The bytes before the first row, and from one to the next.
    front: usize,
    pitch: usize,
    /// Words of a plane of bits.
    plane_words: usize,
}

/// Bytes from one row of a state to the next: some more than it has, so that rows do not fall into the same places of a cache.
fn pitch(columns: &Columns) -> usize {
    columns.block.next_multiple_of(64) + 64
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
        let TileSize { lanes, rows, reach } = tile;
        let shape = Shape::of_lanes(lanes as usize);
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
        let rows = StripRows { strips, lanes: tables, sides, wraps, is_full, has_edges, reach, rows, draws };
        let kernel = HostKernel::new(ready, &rows)?;
        Ok(StripKernel { kernel, rows })
    }

    /// Bytes of a tile, and of what becomes of a row.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        let StripTile { states, presence, words } = self.rows.tile(&self.kernel);
        let rows: usize = states.iter().chain([&presence, &words]).map(|rows| rows.memory.as_slice().len()).sum();
        (rows + self.kernel.states.iter().map(|columns| columns.block).sum::<usize>()) as u64
    }

    /// Runs the kernel on all strips.
    ///
    /// # Safety
    /// The states are those of the kernel, in columns of this grid, for which it was compiled.
    pub(super) unsafe fn run(&self, rule: &Rule, grid: &RowGrid, states: &mut States, globals: Globals<'_>) {
        let StripKernel { kernel, rows } = self;
        let (lanes, reach, shear) = (rows.lanes.shape.lanes as i64, rows.reach, i64::from(rows.strips.shear));
        let mut tile = rows.tile(kernel);
        let stored: Vec<Columns> = states.fields().iter().map(|field| field.columns).collect();
        let now = states.writable();
        let memory = |state: usize| StateInMemory { grid, columns: stored[state], now: now[state] };
        let old = tile.states.iter().map(|rows| rows.memory.as_ptr().wrapping_add(rows.front)).collect();
        let buffers = Buffers::new(old, Vec::new());
        let mut worker = Worker::new(kernel, rows, globals);
        let mut results: Vec<Scratch> = kernel.states.iter().map(|columns| Scratch::new(columns.block)).collect();
        let places: Vec<Shared> = results.iter_mut().map(|result| Shared(result.as_mut_ptr())).collect();
        let own = (lanes - 2 * reach[0]) as usize;
        // Of states that are read at earlier places alone, old values are not needed.
        let is_earlier = |body: &CompiledBody, state: usize| {
            let mut halo = body.interface.halo.iter().filter(|halo| halo.state == state);
            !body.interface.own.contains(&state) && halo.all(|halo| body.directions[halo.direction][1] < 0)
        };
        let is_new =
            |state: usize| kernel.writes().contains(&state) && kernel.bodies.iter().all(|body| is_earlier(body, state));
        let used = |state: usize| tile.states[state].pitch == 0 || memory(state).has_blocks();
        let in_blocks = rows.is_full && rows.draws.is_empty() && (0..kernel.buffered).all(used);
        for first in (0..rows.sides[1]).step_by(own) {
            let strip = first..rows.sides[1].min(first + own as i64);
            let corner = first - reach[0];
            let end = rows.sides[0] + shear * (strip.end - 1);
            let mut kept = 0;
            for from in (shear * first..end).step_by(rows.rows as usize) {
                let to = end.min(from + rows.rows);
                // The tile's first row; the rows behind those that are kept are moved in.
                let top = from - reach[1];
                tile.go_on(kept);
                let moved = top + kept as i64..from + rows.rows + reach[1];
                kept = 2 * reach[1] as usize;
                if rows.is_full {
                    moved.clone().for_each(|row| rows.mark((corner, row), tile.presence.row((row - top) as usize)));
                }
                let blocks = rows.blocks((corner..corner + lanes, moved.clone()), [corner, top]);
                for (state, of_tile) in tile.states.iter_mut().enumerate().filter(|(_, rows)| rows.pitch > 0) {
                    let left_out = if is_new(state) { strip.clone() } else { 0..0 };
                    // SAFETY: as the caller's.
                    unsafe { memory(state).move_blocks(rows, (&blocks, &left_out), of_tile, false) };
                }
                let mut move_in = |stretch: PlacesOfRow| {
                    let is_moved = blocks.lanes.contains(&stretch.at[0]);
                    let stretch = &PlacesOfRow { at: [stretch.at[0] - corner, stretch.at[1] - top], ..stretch };
                    for (state, of_tile) in tile.states.iter_mut().enumerate().filter(|(_, rows)| rows.pitch > 0) {
                        match (stretch.whence, rule.edges.get(state)) {
                            _ if is_moved && memory(state).has_blocks() => {}
                            // SAFETY: as the caller's.
                            (Whence::Domain | Whence::Seam, _) => unsafe { memory(state).move_in(stretch, of_tile) },
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
                for lanes in blocks.beside(corner..corner + lanes, in_blocks) {
                    rows.for_each_stretch((lanes, moved.clone()), &mut move_in);
                }
                for row in from..to {
                    let number = (row - top) as usize;
                    let unit = TileRow {
                        number,
                        corner: [corner, row],
                        presence: tile.presence.row(number).as_ptr().cast(),
                        words: tile.words.row(number).as_ptr().cast(),
                    };
                    // SAFETY: the tile is this thread's own, and so are the results.
                    unsafe { worker.run_into(&buffers, unit, |state| places[state].0) };
                    let cells = rows.cells_of(row, &strip);
                    let cells = (cells.start - corner) as usize..(cells.end - corner) as usize;
                    for &state in kernel.writes() {
                        let (columns, result) = (&kernel.states[state], results[state].as_mut_slice());
                        if !rows.is_full {
                            clear(columns, tile.presence.words(number), result);
                        }
                        copy_lanes(columns, result, tile.states[state].row(number), cells.clone());
                    }
                }
                let blocks = rows.blocks((strip.clone(), from..to), [corner, top]);
                for &state in kernel.writes() {
                    // SAFETY: as the caller's.
                    unsafe { memory(state).move_blocks(rows, (&blocks, &(0..0)), &mut tile.states[state], true) };
                }
                let move_out = |stretch: PlacesOfRow| {
                    let is_moved = blocks.lanes.contains(&stretch.at[0]);
                    let stretch = &PlacesOfRow { at: [stretch.at[0] - corner, stretch.at[1] - top], ..stretch };
                    let here = kernel.writes().iter().filter(|_| stretch.whence == Whence::Domain);
                    for &state in here.filter(|state| !(is_moved && memory(**state).has_blocks())) {
                        // SAFETY: as the caller's.
                        unsafe { memory(state).move_out(stretch, &tile.states[state]) };
                    }
                };
                for lanes in blocks.beside(strip.clone(), in_blocks) {
                    rows.for_each_stretch((lanes, from..to), move_out);
                }
            }
        }
    }
}

impl StripRows {
    /// Memory for a tile. States that the kernel neither reads nor writes have none.
    fn tile(&self, kernel: &HostKernel) -> StripTile {
        let of = |bytes: usize, pitch: usize| {
            let (rows, front) = ((self.rows + 2 * self.reach[1]) as usize, bytes.next_multiple_of(64));
            let plane_words = self.lanes.shape.words;
            TileRows { memory: Scratch::new(2 * front + rows * pitch), front, pitch, plane_words }
        };
        let is_used = |state: usize| {
            let is_read = |body: &CompiledBody| {
                body.interface.own.contains(&state) || body.interface.halo.iter().any(|halo| halo.state == state)
            };
            kernel.writes().contains(&state) || kernel.bodies.iter().any(is_read)
        };
        let of_state = |(state, columns): (usize, &Columns)| match is_used(state) {
            true => of(columns.block + 64, pitch(columns)),
            false => of(0, 0),
        };
        let Shape { words, stride, .. } = self.lanes.shape;
        StripTile {
            states: kernel.states[..kernel.buffered].iter().enumerate().map(of_state).collect(),
            presence: of(64, 4 * words),
            words: of(0, 4 * stride * self.draws.len()),
        }
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

    /// The lanes along x whose places in all of some rows are in the domain, a multiple of [`BLOCK`], with the tile's first lane and row.
    fn blocks(&self, (lanes, rows): (Range<i64>, Range<i64>), tile: [i64; 2]) -> Blocks {
        let (Strips { along, shear, .. }, [side, across]) = (self.strips, self.sides);
        let (mut start, mut end) = (lanes.start.max(0), lanes.end.min(across));
        match i64::from(shear) {
            _ if along.axis != 0 => end = start,
            0 if rows.start < 0 || rows.end > side => end = start,
            0 => {}
            shear => {
                start = start.max((rows.end - side + shear - 1).div_euclid(shear));
                end = end.min(rows.start.div_euclid(shear) + 1);
            }
        }
        let end = start + (end - start).max(0) / BLOCK as i64 * BLOCK as i64;
        Blocks { lanes: start..end, rows, tile }
    }

    /// Marks the lanes of a row that are cells or have values beyond edges, on a domain without holes.
    fn mark(&self, (corner, row): (i64, i64), marks: &mut [u8]) {
        let lanes = corner..corner + self.lanes.shape.lanes as i64;
        let across = if self.wraps[1] || self.has_edges { lanes.clone() } else { 0..self.sides[1] };
        let along = if self.wraps[0] || self.has_edges { lanes } else { self.cells_of(row, &lanes) };
        let lanes = along.start.max(across.start)..along.end.min(across.end);
        for (word, bytes) in marks.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *bytes = mask_of(lanes.clone(), corner + 32 * word as i64).to_le_bytes();
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

impl TileRows {
    fn at(&self, number: usize) -> usize {
        self.front + number * self.pitch
    }

    fn row(&mut self, number: usize) -> &mut [u8] {
        let (at, pitch) = (self.at(number), self.pitch);
        &mut self.memory.as_mut_slice()[at..at + pitch]
    }

    /// A row of words.
    fn words(&self, number: usize) -> &[u32] {
        let first = self.at(number);
        assert!(first.is_multiple_of(4) && first + self.pitch <= self.memory.as_slice().len());
        // SAFETY: the memory begins on a line of the cache, rows are words, and these words are the row's.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(first).cast(), self.pitch / 4) }
    }

    /// Where a lane of a row stands, and how far it is to the next place of a stretch.
    fn place(&self, stretch: &PlacesOfRow, size: usize) -> (isize, isize) {
        let of = |[lane, row]: [i64; 2]| row as isize * self.pitch as isize + lane as isize * size as isize;
        (self.front as isize + of(stretch.at), of(stretch.step))
    }
}

impl StripTile {
    /// Moves the last rows to the beginning, as many as are kept, and makes the others 0.
    fn go_on(&mut self, kept: usize) {
        for rows in self.states.iter_mut().chain([&mut self.presence, &mut self.words]) {
            let (front, bytes, memory) = (rows.front, kept * rows.pitch, rows.memory.as_mut_slice());
            let end = memory.len() - front;
            if bytes > 0 {
                memory.copy_within(end - bytes..end, front);
            }
            memory[front + bytes..].fill(0);
        }
    }
}

/// The parts of a stretch that lie in a column each: where it is stored, the lane of the first place, and the places of the stretch.
fn parts<'a>(grid: &'a RowGrid, stretch: &'a PlacesOfRow) -> impl Iterator<Item = (Slot, usize, Range<usize>)> + 'a {
    let lanes = grid.shape.lanes;
    let columns = stretch.xs.start / lanes..stretch.xs.end.div_ceil(lanes);
    columns.filter_map(move |number| {
        let slot = grid.slot(Unit((stretch.y * grid.columns_of_row() + number) as u32))?;
        let xs = stretch.xs.start.max(number * lanes)..stretch.xs.end.min((number + 1) * lanes);
        Some((slot, xs.start - number * lanes, xs.start - stretch.xs.start..xs.end - stretch.xs.start))
    })
}

/// Where a state is stored.
struct StateInMemory<'a> {
    grid: &'a RowGrid,
    columns: Columns,
    now: Shared,
}

impl StateInMemory<'_> {
    /// Moves a stretch into a tile's rows, where it is 0 before.
    ///
    /// # Safety
    /// The memory is that of the state, and nobody writes it.
    unsafe fn move_in(&self, stretch: &PlacesOfRow, rows: &mut TileRows) {
        let StateInMemory { grid, columns, now } = self;
        for (slot, lane, places) in parts(grid, stretch) {
            // SAFETY: this is the column of the unit.
            let column = unsafe { std::slice::from_raw_parts(now.at(slot.index() * columns.block), columns.block) };
            match columns.planes {
                Planes::Number(ty) => {
                    let size = ty.scalar().bytes() as usize;
                    let from = &column[lane * size..(lane + places.len()) * size];
                    match size {
                        1 => spread::<1>(from, places.start, stretch, rows),
                        2 => spread::<2>(from, places.start, stretch, rows),
                        4 => spread::<4>(from, places.start, stretch, rows),
                        _ => spread::<8>(from, places.start, stretch, rows),
                    }
                }
                Planes::Bits(_) => {
                    let words = rows.plane_words;
                    for (number, plane) in column.chunks_exact(4 * columns.shape.words).enumerate() {
                        spread_bits((plane.as_chunks().0, lane), places.clone(), stretch, (rows, number * words));
                    }
                }
            }
        }
    }

    /// Whether values can be moved in squares: a row has no gaps.
    fn has_blocks(&self) -> bool {
        self.grid.stores_all()
    }

    /// Moves blocks into a tile's rows, or back, if they can be.
    ///
    /// # Safety
    /// The memory is that of the state, and nobody else reads or writes it.
    unsafe fn move_blocks(
        &self,
        strips: &StripRows,
        (blocks, left_out): (&Blocks, &Range<i64>),
        to: &mut TileRows,
        is_back: bool,
    ) {
        let ty = match self.columns.planes {
            _ if !self.has_blocks() || blocks.lanes.is_empty() => return,
            // SAFETY: as the caller's.
            Planes::Bits(_) => return unsafe { self.move_bits(strips, blocks, to, is_back) },
            Planes::Number(ty) => ty,
        };
        let (Blocks { lanes, rows, tile: [corner, top] }, size) = (blocks, ty.scalar().bytes() as usize);
        let (Strips { along, across, shear }, [side, sides]) = (strips.strips, strips.sides);
        let is_left_out = |first: i64| left_out.contains(&first) && left_out.contains(&(first + BLOCK as i64 - 1));
        for first in lanes.clone().step_by(BLOCK).filter(|first| !is_left_out(*first)) {
            let line = |number: usize| {
                let lane = first + number as i64;
                let y = if across.backwards { sides - 1 - lane } else { lane };
                let p = rows.start - i64::from(shear) * lane;
                let x = if along.backwards { side - 1 - p } else { p };
                self.now.at(y as usize * self.grid.columns_of_row() * self.columns.block + x as usize * size)
            };
            let at = to.at((rows.start - top) as usize) + (first - corner) as usize * size;
            let count = rows.end - rows.start;
            assert!(at + (count as usize - 1) * to.pitch + BLOCK * size <= to.memory.as_slice().len());
            let lines: [*mut u8; BLOCK] = std::array::from_fn(line);
            let rows = to.memory.as_mut_ptr().wrapping_add(at);
            let (is_backwards, pitch, count) = (along.backwards, to.pitch, count as usize);
            macro_rules! exchange {
                ($ty:ty) => {{
                    let lines = lines.map(|line| line.cast::<$ty>());
                    exchange(Squares { lines, is_backwards, rows, pitch, count, is_back });
                }};
            }
            match size {
                1 => exchange!(u8),
                2 => exchange!(u16),
                4 => exchange!(u32),
                _ => exchange!(u64),
            }
        }
    }

    /// Moves blocks of bits: of 32 lanes and rows at a time, which are turned.
    ///
    /// # Safety
    /// As of [`move_blocks`](Self::move_blocks).
    unsafe fn move_bits(&self, strips: &StripRows, blocks: &Blocks, to: &mut TileRows, is_back: bool) {
        let (Blocks { lanes, rows, tile: [corner, top] }, words) = (blocks, self.columns.shape.words);
        let (Strips { along, across, shear }, [side, sides]) = (strips.strips, strips.sides);
        let last = self.grid.columns_of_row() * words - 1;
        for (plane, row, group) in (0..usize::from(self.columns.planes.count())).flat_map(|plane| {
            let groups = (lanes.start - corner) / 32..(lanes.end - corner + 31) / 32;
            rows.clone().step_by(32).flat_map(move |row| groups.clone().map(move |group| (plane, row, group)))
        }) {
            let count = (rows.end - row).min(32) as usize;
            let here = lanes.start.max(corner + 32 * group)..lanes.end.min(corner + 32 * group + 32);
            let first_word = plane * to.plane_words + group as usize;
            // The first place of a lane, where places ascend, and the word of a row of the plane.
            let line = |lane: i64| {
                let y = if across.backwards { sides - 1 - lane } else { lane };
                let p = row - i64::from(shear) * lane;
                let x = if along.backwards { side - p - count as i64 } else { p } as usize;
                let word = move |number: usize| {
                    let slot = y as usize * self.grid.columns_of_row() + number / words;
                    let word = slot * self.columns.block + 4 * (plane * words + number % words);
                    self.now.at(word).cast::<[u8; 4]>()
                };
                (x, word)
            };
            let turned = |bits: u32| if along.backwards { bits.reverse_bits() >> (32 - count) } else { bits };
            let all = u32::MAX >> (32 - count);
            let mut square = [0; 32];
            if is_back {
                for (number, bits) in square[..count].iter_mut().enumerate() {
                    let at = to.at((row - top) as usize + number) + 4 * first_word;
                    *bits = u32::from_le_bytes(to.memory.as_slice()[at..at + 4].try_into().expect("four bytes"));
                }
                transpose(&mut square);
            }
            for lane in here {
                let ((x, word), bits) = (line(lane), &mut square[(lane - corner - 32 * group) as usize]);
                let (number, shift) = (x / 32, x % 32);
                let is_split = shift + count > 32 && number < last;
                // SAFETY: the words are those of the row, as far as it has places.
                unsafe {
                    let low = u64::from(u32::from_le_bytes(*word(number)));
                    let high = if is_split { u64::from(u32::from_le_bytes(*word(number + 1))) } else { 0 };
                    let old = low | high << 32;
                    if is_back {
                        let new = old & !(u64::from(all) << shift) | u64::from(turned(*bits & all)) << shift;
                        *word(number) = (new as u32).to_le_bytes();
                        if is_split {
                            *word(number + 1) = ((new >> 32) as u32).to_le_bytes();
                        }
                    } else {
                        *bits = turned((old >> shift) as u32 & all);
                    }
                }
            }
            if !is_back {
                transpose(&mut square);
                for (number, bits) in square[..count].iter().enumerate() {
                    let at = to.at((row - top) as usize + number) + 4 * first_word;
                    to.memory.as_mut_slice()[at..at + 4].copy_from_slice(&bits.to_le_bytes());
                }
            }
        }
    }

    /// Moves a stretch from a tile's rows back.
    ///
    /// # Safety
    /// The memory is that of the state, and nobody else reads or writes it.
    unsafe fn move_out(&self, stretch: &PlacesOfRow, rows: &TileRows) {
        let StateInMemory { grid, columns, now } = self;
        for (slot, lane, places) in parts(grid, stretch) {
            let column = now.at(slot.index() * columns.block);
            // SAFETY: this is the column of the unit.
            let column = unsafe { std::slice::from_raw_parts_mut(column, columns.block) };
            match columns.planes {
                Planes::Number(ty) => {
                    let size = ty.scalar().bytes() as usize;
                    let to = &mut column[lane * size..(lane + places.len()) * size];
                    match size {
                        1 => gather::<1>(to, places.start, stretch, rows),
                        2 => gather::<2>(to, places.start, stretch, rows),
                        4 => gather::<4>(to, places.start, stretch, rows),
                        _ => gather::<8>(to, places.start, stretch, rows),
                    }
                }
                Planes::Bits(_) => {
                    let words = rows.plane_words;
                    for (number, plane) in column.chunks_exact_mut(4 * columns.shape.words).enumerate() {
                        let to = (plane.as_chunks_mut().0, lane);
                        gather_bits(to, places.clone(), stretch, (rows, number * words));
                    }
                }
            }
        }
    }
}

/// Lines of the plane that become lanes of rows, or the other way round. All of it is memory of one thread.
struct Squares<T> {
    lines: [*mut T; BLOCK],
    is_backwards: bool,
    rows: *mut u8,
    pitch: usize,
    count: usize,
    is_back: bool,
}

with_vectors! {
    /// Moves values between lines and rows.
    fn exchange<T: LaneNumber> = exchange_each(squares: Squares<T>)
}

#[inline(always)]
fn exchange_each<T: LaneNumber>(Squares { lines, is_backwards, rows, pitch, count, is_back }: Squares<T>) {
    let row = |number: usize| rows.wrapping_add(number * pitch).cast::<[T; BLOCK]>();
    let whole = count / BLOCK * BLOCK;
    for first in (0..whole).step_by(BLOCK) {
        // The places of these rows in a line, in ascending order.
        let line = |lane: usize| match is_backwards {
            true => lines[lane].wrapping_sub(first + BLOCK - 1).cast::<[T; BLOCK]>(),
            false => lines[lane].wrapping_add(first).cast::<[T; BLOCK]>(),
        };
        let turned = |number: usize| if is_backwards { BLOCK - 1 - number } else { number };
        let (mut square, mut turned_square) = ([[T::default(); BLOCK]; BLOCK], [[T::default(); BLOCK]; BLOCK]);
        // SAFETY: the places are those of the squares.
        unsafe {
            for (number, values) in square.iter_mut().enumerate() {
                *values = if is_back { row(first + turned(number)) } else { line(number) }.read_unaligned();
            }
            for (number, values) in square.iter().enumerate() {
                for (other, value) in values.iter().enumerate() {
                    turned_square[other][number] = *value;
                }
            }
            for (number, values) in turned_square.iter().enumerate() {
                if is_back { line(number) } else { row(first + turned(number)) }.write_unaligned(*values);
            }
        }
    }
    for number in whole..count {
        for (lane, line) in lines.iter().enumerate() {
            let place = if is_backwards { line.wrapping_sub(number) } else { line.wrapping_add(number) };
            let value = row(number).cast::<T>().wrapping_add(lane);
            // SAFETY: as above.
            unsafe {
                if is_back {
                    place.write_unaligned(value.read_unaligned());
                } else {
                    value.write_unaligned(place.read_unaligned());
                }
            }
        }
    }
}

/// Bits of numbers.
trait LaneNumber: Copy + Default {}

impl LaneNumber for u8 {}
impl LaneNumber for u16 {}
impl LaneNumber for u32 {}
impl LaneNumber for u64 {}

/// Moves numbers to the places of a stretch from one on.
fn spread<const SIZE: usize>(from: &[u8], first: usize, stretch: &PlacesOfRow, rows: &mut TileRows) {
    let (at, step) = rows.place(stretch, SIZE);
    let (mut at, memory) = (at + first as isize * step, rows.memory.as_mut_slice());
    for value in from.as_chunks::<SIZE>().0 {
        memory[at as usize..][..SIZE].copy_from_slice(value);
        at += step;
    }
}

/// The way back.
fn gather<const SIZE: usize>(to: &mut [u8], first: usize, stretch: &PlacesOfRow, rows: &TileRows) {
    let (at, step) = rows.place(stretch, SIZE);
    let (mut at, memory) = (at + first as isize * step, rows.memory.as_slice());
    for value in to.as_chunks_mut::<SIZE>().0 {
        value.copy_from_slice(&memory[at as usize..][..SIZE]);
        at += step;
    }
}

/// Where a place of a stretch stands in a plane of bits that begins at a word of each row: its word's first byte, and the bit.
fn bit_at(rows: &TileRows, first_word: usize, stretch: &PlacesOfRow, place: usize) -> (usize, u32) {
    let [lane, row] = [0, 1].map(|axis| (stretch.at[axis] + place as i64 * stretch.step[axis]) as usize);
    (rows.at(row) + 4 * (first_word + lane / 32), (lane % 32) as u32)
}

/// Moves bits, from one on, to places of a stretch.
fn spread_bits(
    (from, lane): (&[[u8; 4]], usize),
    places: Range<usize>,
    stretch: &PlacesOfRow,
    (rows, first_word): (&mut TileRows, usize),
) {
    let (first, words) = (places.start, lane / 32..(lane + places.len()).div_ceil(32));
    for (word, bits) in words.clone().zip(&from[words]) {
        let (low, high) = (lane.max(32 * word), (lane + places.len()).min(32 * word + 32));
        let bits = u64::from(u32::from_le_bytes(*bits)) & ((1 << (high - 32 * word)) - 1);
        for bit in lanes_of(bits as u32 >> (low - 32 * word)) {
            let (at, bit) = bit_at(rows, first_word, stretch, first + low - lane + bit);
            rows.memory.as_mut_slice()[at + bit as usize / 8] |= 1 << (bit % 8);
        }
    }
}

/// The way back.
fn gather_bits(
    (to, lane): (&mut [[u8; 4]], usize),
    places: Range<usize>,
    stretch: &PlacesOfRow,
    (rows, first_word): (&TileRows, usize),
) {
    let (memory, words) = (rows.memory.as_slice(), lane / 32..(lane + places.len()).div_ceil(32));
    for (word, to) in words.clone().zip(&mut to[words]) {
        let (low, high) = (lane.max(32 * word), (lane + places.len()).min(32 * word + 32));
        let mut bits = u32::from_le_bytes(*to);
        for bit in low..high {
            let (at, from) = bit_at(rows, first_word, stretch, places.start + bit - lane);
            let value = u32::from(memory[at + from as usize / 8] >> (from % 8) & 1);
            bits = bits & !(1 << (bit - 32 * word)) | value << (bit - 32 * word);
        }
        *to = bits.to_le_bytes();
    }
}

/// Gives all places of a stretch the same value.
fn fill(bits: u64, stretch: &PlacesOfRow, (columns, rows): (&Columns, &mut TileRows)) {
    for place in 0..stretch.xs.len() {
        let [lane, row] = [0, 1].map(|axis| (stretch.at[axis] + place as i64 * stretch.step[axis]) as usize);
        columns.put(&mut rows.row(row)[..columns.block], lane, bits);
    }
}

/// Marks the places of a stretch that are cells, or all if they have values beyond edges.
fn mark_cells(grid: &RowGrid, stretch: &PlacesOfRow, presence: &mut TileRows, has_edges: bool) {
    if stretch.whence == Whence::Beyond {
        for place in 0..if has_edges { stretch.xs.len() } else { 0 } {
            let (at, bit) = bit_at(presence, 0, stretch, place);
            presence.memory.as_mut_slice()[at + bit as usize / 8] |= 1 << (bit % 8);
        }
        return;
    }
    for (slot, lane, places) in parts(grid, stretch) {
        let mask: Vec<[u8; 4]> = grid.mask(slot).iter().map(|word| word.to_le_bytes()).collect();
        spread_bits((&mask, lane), places, stretch, (presence, 0));
    }
}

/// Makes the random words of the cells of a stretch.
fn draw_words(
    grid: &RowGrid,
    (key, draw): (DrawKey, u32),
    stretch: &PlacesOfRow,
    (rows, first): (&mut TileRows, usize),
) {
    let (mut words, numbering) = (Vec::new(), PlaceNumbering::of(grid.extent().map(|side| side as u64)));
    for (slot, lane, places) in parts(grid, stretch) {
        let [x, y, z] = grid.corner(slot).map(|v| v as u64);
        words.clear();
        words.resize(places.len(), 0);
        random::fill(key, numbering.from([x + lane as u64, y, z]), draw, None, &mut words);
        let (at, step) = rows.place(stretch, 4);
        for (place, word) in places.zip(&words) {
            let at = (at + place as isize * step) as usize + 4 * first;
            rows.memory.as_mut_slice()[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// Copies some lanes of a row.
fn copy_lanes(columns: &Columns, from: &[u8], to: &mut [u8], lanes: Range<usize>) {
    match columns.planes {
        Planes::Number(ty) => {
            let size = ty.scalar().bytes() as usize;
            let bytes = lanes.start * size..lanes.end * size;
            to[bytes.clone()].copy_from_slice(&from[bytes]);
        }
        Planes::Bits(_) => {
            let plane = 4 * columns.shape.words;
            for (from, to) in from.chunks_exact(plane).zip(to.chunks_exact_mut(plane)) {
                let words = from.as_chunks::<4>().0.iter().zip(to.as_chunks_mut::<4>().0);
                for (word, (from, to)) in words.enumerate() {
                    let mask = mask_of(lanes.start as i64..lanes.end as i64, 32 * word as i64);
                    let (old, new) = (u32::from_le_bytes(*to), u32::from_le_bytes(*from));
                    *to = (old & !mask | new & mask).to_le_bytes();
                }
            }
        }
    }
}

/// The bits of these lanes in the word whose first lane this is.
fn mask_of(lanes: Range<i64>, first: i64) -> u32 {
    let [low, high] = [lanes.start, lanes.end.max(lanes.start)].map(|lane| (lane - first).clamp(0, 32));
    (((1u64 << high) - 1) & !((1u64 << low) - 1)) as u32
}

impl Tables for StripRows {
    fn lanes(&self) -> &LaneTables {
        &self.lanes
    }

    fn order(&self) -> ColumnOrder {
        ColumnOrder::Cached
    }

    fn row_memory(&self, kernel: &HostKernel) -> RowMemory {
        let present = vec![0; self.lanes.shape.words + OVERREAD / 4];
        RowMemory { present: vec![present; kernel.most(|body| body.directions.len())], ..RowMemory::default() }
    }

    fn piece(&self, count: usize) -> usize {
        count
    }

    fn marks(&self, _: &HostKernel) -> Marks {
        unreachable!("rows of strips are not watched")
    }

    fn mark(&self, _: Slot) -> usize {
        unreachable!("rows of strips are not watched")
    }

    fn looking_at(&self, _: &HostKernel, _: &mut Marks, _: &mut Vec<Slot>) {}
}

impl Units for StripRows {
    type Located = TileRow;

    fn unit(&self, _: &HostKernel, _: Slot) -> TileRow {
        unreachable!("rows of strips have no slots")
    }

    unsafe fn own(&self, run: RunningBody<'_>, state: usize, row: TileRow, _: &mut Memory) -> *const u8 {
        run.buffers.old[state].wrapping_add(row.number * pitch(&run.kernel.states[state]))
    }

    unsafe fn halo(&self, run: RunningBody<'_>, entry: usize, row: TileRow, memory: &mut Memory) -> *const u8 {
        let RunningBody { kernel, body, buffers } = run;
        let halo = &body.interface.halo[entry];
        let (columns, [lanes, rows, _]) = (&kernel.states[halo.state], body.directions[halo.direction]);
        let there = (row.number as isize + rows as isize) * pitch(columns) as isize;
        let there = buffers.old[halo.state].wrapping_offset(there);
        match columns.planes {
            // What lies before and behind a row is read for lanes whose results are not kept.
            Planes::Number(ty) => there.wrapping_offset(lanes as isize * ty.scalar().bytes() as isize),
            Planes::Bits(_) if lanes == 0 => there,
            Planes::Bits(_) => {
                let result = &mut memory.scratch.as_mut_slice()[body.scratch[entry]..][..columns.block];
                result.fill(0);
                // SAFETY: the row is one of the tile, as far as the kernel looks.
                let from = unsafe { std::slice::from_raw_parts(there, columns.block) };
                let plane = 4 * columns.shape.words;
                for (from, result) in from.chunks_exact(plane).zip(result.chunks_exact_mut(plane)) {
                    shift(from.as_chunks().0, lanes, result.as_chunks_mut().0);
                }
                result.as_ptr()
            }
        }
    }

    fn presence(&self, body: &CompiledBody, row: TileRow, direction: usize, memory: &mut Memory) -> *const u32 {
        let [lanes, rows, _] = body.directions[direction];
        let words = self.lanes.shape.words;
        let there = row.presence.wrapping_offset(rows as isize * words as isize);
        // SAFETY: the row is one of the tile, as far as the kernel looks.
        let there = unsafe { std::slice::from_raw_parts(there, words) };
        if there.iter().all(|word| *word == u32::MAX) {
            return self.lanes.everywhere().as_ptr();
        }
        if lanes == 0 {
            return there.as_ptr();
        }
        let result = &mut memory.rows.present[direction][..words];
        result.fill(0);
        shift(there, lanes, result);
        result.as_ptr()
    }

    fn corner(&self, row: TileRow) -> [u64; 3] {
        // Lanes before the first are no cells.
        [row.corner[0] as u64, row.corner[1] as u64, 0]
    }

    fn numbers(&self, row: TileRow, _: Micro) -> LaneNumbers {
        // Rows differ in their numbers, so that words are made for each.
        LaneNumbers::Consecutive((row.corner[0] as u64) << 32 | row.corner[1] as u64 & u64::from(u32::MAX))
    }

    fn cells(&self, _: TileRow, _: Micro) -> Option<&[u32]> {
        None
    }

    fn words(&self, row: TileRow, draw: u32) -> Option<&[u32]> {
        let number = self.draws.iter().position(|of| *of == draw)?;
        let stride = self.lanes.shape.stride;
        // SAFETY: the tile has a row of words for each draw of the kernel.
        Some(unsafe { std::slice::from_raw_parts(row.words.add(number * stride), stride) })
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
