//! Rows as lanes, as kernels see them: what lies beside a stretch of a row is read where it stands if that can be, or moved together.

use super::bits::copy_bits;
use super::dense::Dense;
use super::lines::{ExpandedRows, RowMemory, ShiftedColumns};
use super::spread::{Spread, words_of_marks};
use crate::cpu::activity::Marks;
use crate::cpu::kernel::{CompiledBody, HostKernel, LaneTables, Memory, RunningBody, Tables, Units};
use crate::states::buffer::{Scratch, Shared};
use squeeze_codegen::{AvailableIsa, ColumnOrder};
use squeeze_compiler::kernel::{Halo, Planes};
use squeeze_compiler::layout::columns::{Columns, OVERREAD};
use squeeze_compiler::layout::rows::{ColumnPlace, RowGrid, Segment};
use squeeze_compiler::layout::unit::{Micro, Slot};
use squeeze_compiler::numbers::numbering::{LaneNumbers, PlaceNumbering};
use squeeze_compiler::{Off, Speciality};
use std::ops::Range;
use std::sync::Arc;

/// Places that a thread takes at a time, in whole columns. Guess: not measured.
const PIECE_PLACES: usize = 1 << 15;
/// The same in rows, where the cells alone are stored: those at either end are expanded for two threads. Guess: not measured.
const PIECE_ROWS: usize = 8;

/// Stretches of rows.
pub(crate) struct RowUnits {
    pub grid: Arc<RowGrid>,
    /// Whether states hold the cells alone.
    packed: bool,
    /// Whether the values beside a column may be read where they stand.
    beside: bool,
    lanes: LaneTables,
    /// The numbers by which places draw.
    numbering: PlaceNumbering,
}

/// `words` words of four bytes, and those behind them that may be read.
fn with_room(words: usize) -> usize {
    words + OVERREAD / 4
}

/// A stretch of a row.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    /// Where it stands.
    pub slot: Slot,
    pub place: ColumnPlace,
    /// Which row that is, counted on beyond seams.
    pub y: i64,
    /// How many cells it has.
    count: usize,
}

impl RowUnits {
    pub(crate) fn new(
        (grid, owned): (Arc<RowGrid>, Range<u32>),
        packed: bool,
        isa: Option<AvailableIsa>,
        off: Off,
    ) -> RowUnits {
        let shape = grid.shape;
        let side = grid.extent().into_iter().max().unwrap_or(0);
        let corner = |axis: usize, lane: usize| if axis == 0 && lane < shape.lanes { lane as i32 } else { 0 };
        let corners = |axis: usize| (0..with_room(shape.lanes)).map(|lane| corner(axis, lane)).collect();
        // A column begins at an even place of its row.
        let odd = |set: usize| [0, u32::MAX].map(|odd| vec![odd ^ [0, 0xaaaa_aaaa][set & 1]; with_room(shape.words)]);
        let lanes = LaneTables {
            shape,
            isa,
            level: 0,
            side: i32::try_from(side).unwrap_or(0),
            owned,
            corners: std::array::from_fn(corners),
            odd: std::array::from_fn(odd),
        };
        let beside = !packed && off.allows(Speciality::BesideRows);
        let numbering = PlaceNumbering::of(grid.extent().map(|side| side as u64));
        RowUnits { grid, packed, beside, lanes, numbering }
    }

    /// The numbers by which places draw.
    pub(super) fn numbering(&self) -> PlaceNumbering {
        self.numbering
    }

    /// The rows that have units which are computed here.
    pub(crate) fn rows(&self) -> Range<usize> {
        let Range { start, end } = self.lanes.owned;
        let row = |slot: u32| self.grid.place(Slot(slot)).row;
        if start < end { row(start)..row(end - 1) + 1 } else { 0..0 }
    }

    /// The stretch of a column in the y-th row, counted on beyond seams.
    pub(crate) fn stretch(&self, slot: Slot, y: i64) -> Stretch {
        Stretch { slot, place: self.grid.place(slot), y, count: self.grid.count(slot) }
    }

    /// Where a stored column of a state stands, which lies in the y-th row.
    fn column(&self, run: RunningBody<'_>, state: usize, slot: Slot, y: i64) -> *const u8 {
        let block = run.kernel.states[state].block;
        run.buffers.old[state].wrapping_add(match run.buffers.rings.get(state).copied().flatten() {
            None => slot.index() * block,
            Some(ring) => ring.row(y) + self.grid.number_in_row(slot) * block,
        })
    }

    /// Columns of numbers that stand together in memory, or a single one of bits, in a direction; `None` if they must be moved.
    fn in_place(&self, run: RunningBody<'_>, unit: &Stretch, halo: &Halo, direction: [i32; 3]) -> Option<*const u8> {
        let (grid, y) = (&self.grid, unit.y + i64::from(direction[1]));
        let source = |index: Slot| self.column(run, halo.state, index, y);
        let planes = run.kernel.states[halo.state].planes;
        if let Some((index, lane)) = grid.run_beside(&unit.place, direction) {
            // Columns of numbers follow each other as places do; behind the last one there is room.
            match planes {
                Planes::Number(ty) => return Some(source(index).wrapping_add(lane * ty.scalar().bytes() as usize)),
                Planes::Bits(_) if lane == 0 => return Some(source(index)),
                Planes::Bits(_) => {}
            }
        }
        // Memory before and behind a row can be read, too: its values are the right ones, or do not matter.
        let Planes::Number(ty) = planes else { return None };
        let bytes = direction[0] as isize * ty.scalar().bytes() as isize;
        if bytes.unsigned_abs() > OVERREAD {
            return None;
        }
        let index = grid.column_beside(&unit.place, [direction[1], direction[2]])?;
        let ring = run.buffers.rings.get(halo.state).copied().flatten();
        let is_there = ring.is_some_and(|ring| ring.is_padded(grid)) || halo.guarded && is_open_within(grid, index);
        is_there.then(|| source(index).wrapping_offset(bytes))
    }

    /// The columns of a state whose cells alone are stored that lie in a direction; `place` is where they can be moved together.
    ///
    /// # Safety
    /// As of [`Units::halo`].
    unsafe fn expanded(
        &self,
        kernel: &HostKernel,
        (state, old): (usize, *const u8),
        unit: &Stretch,
        direction: [i32; 3],
        memory: &mut RowMemory,
        place: &mut [u8],
    ) -> *const u8 {
        let (grid, columns) = (&self.grid, &kernel.states[state]);
        let Some(row) = grid.row_beside(&unit.place, [direction[1], direction[2]]) else {
            return kernel.zeros.as_ptr();
        };
        // SAFETY: as the caller's.
        let start = memory.expanded[state].as_mut().map(|rows| unsafe { rows.row(grid, old, row) });
        match (start, columns.planes) {
            (Some(start), Planes::Number(ty)) => {
                let x = unit.place.corner[0] as isize + direction[0] as isize;
                return start.wrapping_offset(x * ty.scalar().bytes() as isize);
            }
            (Some(start), Planes::Bits(_)) if direction[0] == 0 => {
                return start.wrapping_add(unit.place.corner[0] as usize / grid.shape.lanes * columns.block);
            }
            (Some(_), Planes::Bits(_)) | (None, _) => {}
        }
        let result = &mut place[..columns.block];
        result.fill(0);
        let other = &mut memory.other.as_mut_slice()[..if start.is_some() { 0 } else { columns.block }];
        grid.segments(&unit.place, direction, |segment| {
            let source = segment.source;
            let from = match start {
                Some(start) => {
                    let start = start.wrapping_add(grid.number_in_row(source) * columns.block);
                    // SAFETY: the column was expanded with its row.
                    unsafe { std::slice::from_raw_parts(start, columns.block) }
                }
                None => {
                    let dense = Dense::new(*columns, grid.cells());
                    // SAFETY: the old values are those of this state.
                    unsafe { dense.expand(old, grid.mask(source), grid.packed(grid.first_cell(source)), other) };
                    &*other
                }
            };
            move_segment(columns, from, result, segment);
        });
        result.as_ptr()
    }
}

impl Tables for RowUnits {
    fn lanes(&self) -> &LaneTables {
        &self.lanes
    }

    fn order(&self) -> ColumnOrder {
        ColumnOrder::Rows
    }

    fn row_memory(&self, kernel: &HostKernel) -> RowMemory {
        let grid = &self.grid;
        let present = vec![0; with_room(grid.shape.words)];
        let present = vec![present; kernel.most(|body| body.directions.len())];
        if kernel.padded.is_some() {
            return RowMemory::default();
        }
        if self.packed {
            let rows = |(state, columns): (usize, &Columns)| {
                let looks = kernel.looks().filter(|(of, _)| *of == state).map(|(_, direction)| direction);
                kernel.off.allows(Speciality::ExpandedRows).then(|| ExpandedRows::new(*columns, grid, looks)).flatten()
            };
            let block = |columns: &Columns| Scratch::new(columns.block);
            return RowMemory {
                present,
                expanded: kernel.states[..kernel.buffered].iter().enumerate().map(rows).collect(),
                own: kernel.states.iter().map(block).collect(),
                other: Scratch::new(kernel.states.iter().map(|columns| columns.block).max().unwrap_or(0)),
                ..RowMemory::default()
            };
        }
        let is_wanted = || kernel.off.allows(Speciality::ShiftedColumns);
        let of_body = |body: &CompiledBody| {
            ShiftedColumns::new(grid, &body.interface.halo, &body.directions, &kernel.states, is_wanted)
        };
        RowMemory { present, shifted: kernel.bodies.iter().map(of_body).collect(), ..RowMemory::default() }
    }

    fn piece(&self, _: usize) -> usize {
        let length = (PIECE_PLACES / self.grid.shape.lanes).max(1);
        if self.packed { length.max(PIECE_ROWS * self.grid.columns_of_row()) } else { length }
    }

    fn bytes_of_marks(&self, kernel: &HostKernel) -> u64 {
        Spread::new(kernel, &self.grid).bytes(&self.grid)
    }

    fn marks(&self, kernel: &HostKernel) -> Marks {
        Spread::new(kernel, &self.grid).marks(&self.grid)
    }

    /// Marks of a row stand in words of their own.
    fn mark(&self, slot: Slot) -> usize {
        let ColumnPlace { corner: [x, ..], row, .. } = self.grid.place(slot);
        row * words_of_marks(&self.grid) * 64 + x as usize / self.grid.shape.lanes
    }

    fn looking_at(&self, kernel: &HostKernel, marks: &mut Marks, units: &mut Vec<Slot>) {
        Spread::new(kernel, &self.grid).list(&self.grid, marks, units);
        units.retain(|slot| self.lanes.owned.contains(&slot.0));
    }

    fn is_packed(&self) -> bool {
        self.packed
    }
}

impl Units for RowUnits {
    type Located = Stretch;

    fn unit(&self, _: &HostKernel, slot: Slot) -> Stretch {
        let place = self.grid.place(slot);
        Stretch { slot, place, y: i64::from(place.corner[1]), count: self.grid.count(slot) }
    }

    unsafe fn own(&self, run: RunningBody<'_>, state: usize, unit: Stretch, memory: &mut Memory) -> *const u8 {
        if self.packed {
            let mut own = std::mem::take(&mut memory.rows.own[state]);
            let (old, place) = (run.buffers.old[state], own.as_mut_slice());
            // SAFETY: as the caller's.
            let block = unsafe { self.expanded(run.kernel, (state, old), &unit, [0; 3], &mut memory.rows, place) };
            memory.rows.own[state] = own;
            return block;
        }
        self.column(run, state, unit.slot, unit.y)
    }

    unsafe fn halo(&self, run: RunningBody<'_>, entry: usize, unit: Stretch, memory: &mut Memory) -> *const u8 {
        let RunningBody { kernel, body, buffers } = run;
        let halo = &body.interface.halo[entry];
        let (grid, columns, direction) = (&self.grid, &kernel.states[halo.state], body.directions[halo.direction]);
        let Memory { scratch, rows } = memory;
        let result = &mut scratch.as_mut_slice()[body.scratch[entry]..][..columns.block];
        if self.packed {
            let old = buffers.old[halo.state];
            // SAFETY: as the caller's.
            return unsafe { self.expanded(kernel, (halo.state, old), &unit, direction, rows, result) };
        }
        if self.beside
            && let Some(place) = self.in_place(run, &unit, halo, direction)
        {
            return place;
        }
        let y = unit.y + i64::from(direction[1]);
        let source = |index: Slot| self.column(run, halo.state, index, y);
        let move_to = |result: &mut [u8]| {
            result.fill(0);
            grid.segments(&unit.place, direction, |segment| {
                // SAFETY: the segment's column is stored, so it lies inside the old columns, which no thread writes while the pass runs.
                let from = unsafe { std::slice::from_raw_parts(source(segment.source), columns.block) };
                move_segment(columns, from, result, segment);
            });
            result.as_ptr()
        };
        if let Some(row) = grid.row_beside(&unit.place, [direction[1], direction[2]])
            && let Some((memory, is_new)) =
                rows.shifted[body.number].slot(entry, &unit.place, grid.shape.lanes, direction[1], row)
        {
            return if is_new { move_to(&mut memory[..columns.block]) } else { memory.as_ptr() };
        }
        let (mut whole, mut several) = (None, false);
        grid.segments(&unit.place, direction, |segment| {
            several |= (segment.lane, segment.from, segment.length) != (0, 0, unit.place.places);
            whole = Some(segment);
        });
        match whole {
            None => kernel.zeros.as_ptr(),
            // A place that is no cell there holds 0, and one that is none here is not looked at.
            Some(Segment { source: index, .. }) if !several => source(index),
            Some(_) => move_to(result),
        }
    }

    fn sees_itself(&self, body: &CompiledBody, unit: Stretch, direction: usize) -> bool {
        let [_, dy, dz] = body.directions[direction];
        self.grid.row_beside(&unit.place, [dy, dz]) == Some(unit.place.row)
    }

    fn presence(&self, body: &CompiledBody, unit: Stretch, direction: usize, memory: &mut Memory) -> *const u32 {
        let grid = &self.grid;
        if grid.all_beside(&unit.place, body.directions[direction]) {
            return self.lanes.everywhere().as_ptr();
        }
        let present = &mut memory.rows.present[direction];
        let words = &mut present[..grid.shape.words];
        words.fill(0);
        grid.segments(&unit.place, body.directions[direction], |segment| {
            copy_bits(grid.mask(segment.source), segment.from, words, segment.lane, segment.length);
        });
        present.as_ptr()
    }

    fn corner(&self, unit: Stretch) -> [u64; 3] {
        unit.place.corner.map(|v| v as u64)
    }

    fn numbers(&self, unit: Stretch, _: Micro) -> LaneNumbers {
        self.numbering.from(self.corner(unit))
    }

    fn cells(&self, unit: Stretch, _: Micro) -> Option<&[u32]> {
        (unit.count < self.grid.shape.lanes).then(|| self.grid.mask(unit.slot))
    }

    unsafe fn pack(&self, columns: Columns, unit: Stretch, column: &[u8], new: Shared) {
        let (mask, first) = (self.grid.mask(unit.slot), self.grid.packed(self.grid.first_cell(unit.slot)));
        // SAFETY: as the caller's.
        unsafe { Dense::new(columns, self.grid.cells()).compress(column, mask, first, new.at(0)) };
    }
}

/// Whether nothing lies beyond the ends of rows, and a column stands before this one and another behind it.
fn is_open_within(grid: &RowGrid, slot: Slot) -> bool {
    !grid.periodic()[0] && slot.0 > 0 && slot.index() + 1 < grid.columns()
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
