//! States in the host's memory: those of simulations on the CPU, and copies of what a device holds.
//!
//! [`States`] knows where each cell of each state stands, and nothing of rules, kernels or neighbours. Long work runs on the
//! threads of the pool that it is called in.

pub(crate) mod buffer;
pub(crate) mod ghosts;
mod measure;
mod rows;
pub(crate) mod transfer;

use crate::Result;
use crate::packed;
use crate::sample::AskedSums;
use buffer::{Buffer, Shared};
use rayon::prelude::*;
use rows::RowStates;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{Rule, StateId, Type, Value};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::layout::unit::{CellIndex, Lane, Micro, Slot};
use squeeze_compiler::layout::{Geometry, Storage, StoredAs};
use squeeze_compiler::numbers::digest::term;
use squeeze_compiler::plan::StateMemory;
use std::ops::Range;
use std::sync::Arc;

/// A state's memory.
pub(crate) struct Field {
    /// The type of its values.
    pub ty: Type,
    /// The columns of a superblock, or of a stretch of a row.
    pub columns: Columns,
    /// The present values.
    pub now: Buffer,
    /// The buffer that the next pass writes, which holds the state before. None for states that no step changes, and in copies.
    pub next: Option<Buffer>,
}

/// Columns of a state that follow each other in one unit: those of the micro cells from one to another. Of cells that are stored alone, all of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ColumnSpan {
    /// Where the unit stands.
    pub slot: Slot,
    /// The number of the state.
    pub state: u16,
    /// The first micro cell.
    pub first: u32,
    /// The one behind the last.
    pub end: u32,
}

/// Bytes of a state that stand one behind the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateBytes {
    state: u16,
    first: usize,
    length: usize,
    /// How many bytes of runs stand before them in a message.
    place: usize,
}

/// Fewer bytes are copied by one thread, and runs of a thread. Guess: not measured.
const FEW_BYTES: usize = 1 << 16;
const RUNS: usize = 256;

/// The bytes of all these runs.
fn bytes_of(runs: &[StateBytes]) -> usize {
    runs.last().map_or(0, |last| last.place + last.length)
}

/// Does something with each of these runs, on the threads of the pool that this is called in.
fn each(runs: &[StateBytes], work: impl Fn(StateBytes) + Sync) {
    if bytes_of(runs) < FEW_BYTES || rayon::current_num_threads() == 1 {
        return runs.iter().copied().for_each(work);
    }
    runs.par_chunks(RUNS).for_each(|runs| runs.iter().copied().for_each(&work));
}

/// The states of a simulation and the fields that it keeps.
pub struct States {
    storage: Arc<Storage>,
    fields: Vec<Field>,
}

/// Whether so few cells are read on one thread: that takes less time than to share out the work.
pub(crate) fn are_few(ranges: &[Range<u64>]) -> bool {
    ranges.iter().map(|cells| cells.end - cells.start).sum::<u64>() <= transfer::FEW
}

impl ColumnSpan {
    /// Where its columns stand in memory.
    pub(crate) fn bytes(&self, columns: &Columns) -> Range<usize> {
        let at = |micro: u32| self.slot.index() * columns.block + micro as usize * columns.column;
        at(self.first)..at(self.end)
    }
}

/// The cells of a span where cells are stored alone.
pub(crate) fn cells_alone<'a>(storage: &'a Storage, span: &ColumnSpan) -> Option<(&'a RowGrid, Range<u64>)> {
    match (&storage.geometry, storage.memory) {
        (Geometry::Rows(grid), StoredAs::Cells) => {
            let first = grid.first_cell(span.slot).0;
            Some((grid, first..first + grid.lanes(span.slot).count() as u64))
        }
        (Geometry::Rows(_) | Geometry::Replicas(_), _) => None,
    }
}

impl States {
    /// Memory for the states and fields of a rule, all 0; with a second buffer for those that its steps change, if `steps`.
    ///
    /// # Errors
    /// [`EngineError::System`](crate::EngineError::System) if the system refuses. The caller has compared the size with what is available.
    pub fn new(storage: &Arc<Storage>, rule: &Rule, memory: &[StateMemory], steps: bool) -> Result<States> {
        let field = |(state, &StateMemory { columns, buffers }): (&squeeze_compiler::ir::State, &StateMemory)| {
            let bytes = storage.bytes(&columns) as u64;
            let next = (steps && buffers > 1).then(|| Buffer::new(bytes)).transpose()?;
            Ok(Field { ty: state.ty, columns, now: Buffer::new(bytes)?, next })
        };
        let fields = rule.kept_states().zip(memory).map(field).collect::<Result<_>>()?;
        Ok(States { storage: Arc::clone(storage), fields })
    }

    /// Where the cells stand.
    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// The memory of all.
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The memory of a state.
    pub(crate) fn field(&self, state: StateId) -> &Field {
        &self.fields[usize::from(state.0)]
    }

    /// The memory of a state, to be changed.
    pub(crate) fn field_mut(&mut self, state: StateId) -> &mut Field {
        &mut self.fields[usize::from(state.0)]
    }

    /// The memory of a state, and that of a field behind it, to be changed.
    pub(crate) fn beside(&mut self, state: StateId, field: StateId) -> (&Field, &mut Field) {
        let (before, fields) = self.fields.split_at_mut(usize::from(field.0));
        (&before[usize::from(state.0)], &mut fields[0])
    }

    /// A state in rows.
    fn rows<'a>(&'a self, grid: &'a RowGrid, state: StateId) -> RowStates<'a> {
        let Field { ty, columns, now, .. } = self.field(state);
        RowStates { ty: *ty, grid, memory: self.storage.memory, columns, now: now.as_slice() }
    }

    /// Where the present states begin.
    pub(crate) fn readable(&self) -> Vec<*const u8> {
        self.fields.iter().map(|field| field.now.as_ptr()).collect()
    }

    /// Where the present states begin, to be written.
    pub(crate) fn writable(&mut self) -> Vec<Shared> {
        self.fields.iter_mut().map(|field| Shared(field.now.as_mut_ptr())).collect()
    }

    /// Pointers to the buffers that a pass writes; null for states that no pass writes.
    pub(crate) fn next_writable(&mut self) -> Vec<Shared> {
        let new = |field: &mut Field| field.next.as_mut().map_or(std::ptr::null_mut(), Buffer::as_mut_ptr);
        self.fields.iter_mut().map(|field| Shared(new(field))).collect()
    }

    /// Makes the buffers that a pass wrote the present ones of these states.
    pub(crate) fn exchange(&mut self, written: &[usize]) {
        for &state in written {
            let field = &mut self.fields[state];
            if let Some(next) = &mut field.next {
                std::mem::swap(&mut field.now, next);
            }
        }
    }

    /// Makes all present values 0.
    pub(crate) fn clear(&mut self) {
        self.fields.iter_mut().for_each(|field| field.now.as_mut_slice().fill(0));
    }

    /// Gives the cells that are computed here their indices, as values of a state.
    pub(crate) fn fill_index(&mut self, state: StateId) {
        let storage = Arc::clone(&self.storage);
        let Geometry::Replicas(layout) = &storage.geometry else {
            return self.fill(state, |cells| cells.flat_map(u64::to_le_bytes).collect());
        };
        let Field { columns, now, .. } = self.field_mut(state);
        let blocks = now.as_mut_slice().par_chunks_exact_mut(columns.block).take(storage.part.owned()).enumerate();
        blocks.for_each(|(slot, block)| {
            let unit = storage.part.unit(Slot(slot as u32));
            for (micro, column) in block.chunks_exact_mut(columns.column).enumerate() {
                let CellIndex(first) = layout.canonical(Lane(0), unit, Micro(micro as u32));
                for (place, replica) in column.as_chunks_mut::<8>().0.iter_mut().zip(layout.replicas()) {
                    *place = (first + u64::from(*replica) * layout.lane_stride()).to_le_bytes();
                }
            }
        });
    }

    /// Gives the cells of a domain the values of a rule's inputs at their coordinates.
    pub(crate) fn fill_inputs(&mut self, rule: &FittedRule) {
        for (field, axis, values) in rule.given_inputs() {
            let (ty, domain) = (rule.state(field).ty, rule.domain());
            self.fill(field, |cells| {
                let mut bytes = vec![0; packed::bytes(ty, cells.end - cells.start) as usize];
                for (i, c) in (0..).zip(cells) {
                    packed::put(ty, &mut bytes, i, values[domain.lambda(c)[axis] as usize].bits());
                }
                bytes
            });
        }
    }

    /// All cells from the first to the last that is stored.
    fn cells_between(&self) -> Range<u64> {
        match &self.storage.geometry {
            Geometry::Rows(grid) if grid.columns() > 0 && self.storage.memory == StoredAs::Columns => {
                grid.cells_between()
            }
            Geometry::Rows(_) | Geometry::Replicas(_) => 0..self.storage.cells(),
        }
    }

    /// Whether some cells of a mask or a box are all computed here.
    fn are_own(&self, grid: &RowGrid, cells: &Range<u64>) -> bool {
        let own = grid.cells_of(self.storage.part.units());
        own.start <= cells.start && cells.end <= own.end
    }

    /// Gives a state values, those of some cells after the other.
    fn fill(&mut self, state: StateId, values: impl Fn(Range<u64>) -> Vec<u8>) {
        /// Cells at a time.
        const CHUNK: u64 = 1 << 20;
        let all = self.cells_between();
        for first in all.clone().step_by(CHUNK as usize) {
            let cells = first..all.end.min(first + CHUNK);
            let bytes = values(cells.clone());
            self.write(state, cells, &bytes);
        }
    }

    /// Bytes of all buffers.
    pub(crate) fn bytes(&self) -> u64 {
        self.fields.iter().map(|field| (field.now.len() * (1 + usize::from(field.next.is_some()))) as u64).sum()
    }

    /// Copies ghosts from the parts that compute them. Calls `changed` with the slot of each ghost whose bits changed.
    pub(crate) fn take_ghosts(&mut self, others: &[&States], mut changed: impl FnMut(Slot)) {
        let storage = Arc::clone(&self.storage);
        for (to, unit) in storage.ghosts() {
            let owner = others.iter().find_map(|other| Some((*other, other.storage.slot(unit)?)));
            let Some((other, from)) = owner else { continue };
            let mut differs = false;
            for (field, theirs) in self.fields.iter_mut().zip(&other.fields) {
                if let (Geometry::Rows(grid), StoredAs::Cells) = (&storage.geometry, storage.memory) {
                    // All cells have a place everywhere.
                    rows::copy_packed((grid, to), &field.columns, theirs.now.as_slice(), field.now.as_mut_slice());
                    continue;
                }
                let block = field.columns.block;
                let from = &theirs.now.as_slice()[from.index() * block..][..block];
                let to = &mut field.now.as_mut_slice()[to.index() * block..][..block];
                differs |= from != to;
                to.copy_from_slice(from);
            }
            if differs {
                changed(to);
            }
        }
    }

    /// The bytes of these columns, as few runs as they make; `None` where cells are stored alone.
    pub(crate) fn runs_of(&self, spans: &[ColumnSpan]) -> Option<Vec<StateBytes>> {
        let (mut runs, mut place): (Vec<StateBytes>, _) = (Vec::new(), 0);
        for span in spans {
            if cells_alone(&self.storage, span).is_some() {
                return None;
            }
            let field = &self.fields[usize::from(span.state)];
            let Range { start, end } = span.bytes(&field.columns);
            assert!(start <= end && end <= field.now.len(), "the columns are stored here");
            match runs.last_mut() {
                Some(last) if (last.state, last.first + last.length) == (span.state, start) => {
                    last.length += end - start;
                }
                _ => runs.push(StateBytes { state: span.state, first: start, length: end - start, place }),
            }
            place += end - start;
        }
        Some(runs)
    }

    /// The bytes of these runs, with room for `room` bytes behind them.
    pub(crate) fn pack_runs(&self, runs: &[StateBytes], room: usize) -> Vec<u8> {
        let all = bytes_of(runs);
        let mut bytes = Vec::with_capacity(all + room);
        let to = Shared(bytes.as_mut_ptr());
        each(runs, |StateBytes { state, first, length, place }| {
            let from = &self.fields[usize::from(state)].now.as_slice()[first..][..length];
            // SAFETY: the runs stand one behind the other in these bytes, for which there is room.
            unsafe { to.at(place).copy_from_nonoverlapping(from.as_ptr(), length) };
        });
        // SAFETY: all of them were written just now.
        unsafe { bytes.set_len(all) };
        bytes
    }

    /// Puts bytes to these runs, each of which it has once, that [`pack_runs`](Self::pack_runs) took elsewhere. False if the bytes are more or fewer.
    pub(crate) fn unpack_runs(&mut self, runs: &[StateBytes], bytes: &[u8]) -> bool {
        if bytes_of(runs) != bytes.len() {
            return false;
        }
        let to = self.writable();
        each(runs, |StateBytes { state, first, length, place }| {
            let from = &bytes[place..][..length];
            // SAFETY: the runs lie in the present states, and none in another.
            unsafe { to[usize::from(state)].at(first).copy_from_nonoverlapping(from.as_ptr(), length) };
        });
        true
    }

    /// The bytes of these columns, one span after the other.
    pub(crate) fn pack(&self, spans: &[ColumnSpan]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for span in spans {
            let Field { ty, columns, now, .. } = &self.fields[usize::from(span.state)];
            match cells_alone(&self.storage, span) {
                Some((grid, cells)) => {
                    let (all, mut values) =
                        (grid.cells(), vec![0; packed::bytes(*ty, cells.end - cells.start) as usize]);
                    for (i, c) in (0..).zip(cells) {
                        let bits = columns.packed_bits(now.as_slice(), all, grid.packed(CellIndex(c)));
                        packed::put(*ty, &mut values, i, bits);
                    }
                    bytes.extend(values);
                }
                None => bytes.extend_from_slice(&now.as_slice()[span.bytes(columns)]),
            }
        }
        bytes
    }

    /// Puts bytes to these columns that [`pack`](Self::pack) took elsewhere, and calls `changed` with the units in which bits change. False, and some columns
    /// keep what they had, if the bytes are more or fewer than these columns take.
    pub(crate) fn unpack(&mut self, spans: &[ColumnSpan], bytes: &[u8], mut changed: impl FnMut(Slot)) -> bool {
        let (storage, mut rest) = (Arc::clone(&self.storage), bytes);
        for span in spans {
            let alone = cells_alone(&storage, span);
            let Field { ty, columns, now, .. } = &mut self.fields[usize::from(span.state)];
            let length = match &alone {
                Some((_, cells)) => packed::bytes(*ty, cells.end - cells.start) as usize,
                None => span.bytes(columns).len(),
            };
            let Some((values, behind)) = rest.split_at_checked(length) else { return false };
            rest = behind;
            let differs = match alone {
                Some((grid, cells)) => {
                    let (all, mut differs) = (grid.cells(), false);
                    for (i, c) in (0..).zip(cells) {
                        let (bits, place) = (packed::bits(*ty, values, i), grid.packed(CellIndex(c)));
                        differs |= columns.packed_bits(now.as_slice(), all, place) != bits;
                        columns.put_packed(now.as_mut_slice(), all, place, bits);
                    }
                    differs
                }
                None => {
                    let to = &mut now.as_mut_slice()[span.bytes(columns)];
                    let differs = *to != *values;
                    to.copy_from_slice(values);
                    differs
                }
            };
            if differs {
                changed(span.slot);
            }
        }
        rest.is_empty()
    }

    /// The [bits](squeeze_compiler::ir::Value::bits) of the value of a state in a cell, if that is stored.
    pub(crate) fn bits(&self, state: StateId, c: CellIndex) -> Option<u64> {
        let Field { columns, now, .. } = self.field(state);
        let now = now.as_slice();
        match (&self.storage.geometry, self.storage.memory) {
            (Geometry::Rows(grid), StoredAs::Cells) => {
                let is_here = !self.storage.is_cut() || self.storage.locate(c).is_some();
                is_here.then(|| columns.packed_bits(now, grid.cells(), grid.packed(c)))
            }
            (Geometry::Replicas(_) | Geometry::Rows(_), _) => {
                let (slot, micro, lane) = self.storage.locate(c)?;
                Some(columns.bits(&now[columns.column_at(slot, micro)], lane.0 as usize))
            }
        }
    }

    /// The bytes that the values of a state in `cells` cells take as [`packed`] describes.
    pub(crate) fn packed_bytes(&self, state: StateId, cells: u64) -> usize {
        packed::bytes(self.field(state).ty, cells) as usize
    }

    /// The digest of a state.
    pub fn digest(&self, state: StateId) -> u64 {
        let Field { columns, now, .. } = self.field(state);
        match &self.storage.geometry {
            Geometry::Replicas(layout) => measure::digest((layout, &self.storage.part), columns, now.as_slice()),
            Geometry::Rows(grid) => self.rows(grid, state).digest(self.storage.owned()),
        }
    }

    /// The digest of a state that has values in these cells alone.
    pub(crate) fn digest_of(&self, state: StateId, cells: &[u64]) -> u64 {
        let value = |c: &u64| self.bits(state, CellIndex(*c)).map_or(0, |bits| term(*c, bits));
        cells.iter().map(value).fold(0, u64::wrapping_add)
    }

    /// Makes a state 0 in all cells but these.
    pub(crate) fn keep_alone(&mut self, state: StateId, cells: &[u64]) {
        let kept: Vec<u64> = cells.iter().filter_map(|c| self.bits(state, CellIndex(*c))).collect();
        let Field { ty, now, .. } = self.field_mut(state);
        let ty = *ty;
        now.as_mut_slice().fill(0);
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..packed::bytes(ty, 1) as usize];
        for (&c, bits) in cells.iter().zip(kept) {
            bytes.fill(0);
            packed::put(ty, bytes, 0, bits);
            self.write(state, c..c + 1, bytes);
        }
    }

    /// Whether all values of a state of floats are finite, in the units that are computed here.
    pub fn is_finite(&self, state: StateId) -> bool {
        let Field { ty, columns, now, .. } = self.field(state);
        let is_finite = |bits| Value::from_bits(*ty, bits).as_f64().is_finite();
        match &self.storage.geometry {
            Geometry::Replicas(_) => {
                measure::all(columns, &now.as_slice()[..self.storage.part.owned() * columns.block], is_finite)
            }
            Geometry::Rows(grid) => self.rows(grid, state).all(self.storage.owned(), is_finite),
        }
    }

    /// The sums of some blocks of `K_mu` cells, as [`sample`](crate::sample) defines them, of a state's values; `None` where lanes are no
    /// replicas, or parts of them, or to read the values is as fast.
    pub fn block_sums(&self, asked: &AskedSums<'_>) -> Option<Vec<[f64; 3]>> {
        let Field { columns, now, .. } = self.field(asked.state);
        let Geometry::Replicas(layout) = &self.storage.geometry else { return None };
        if self.storage.is_cut() {
            return None;
        }
        measure::block_sums(layout, columns, now.as_slice(), asked)
    }

    /// Reads the values of a state in these cells into `bytes`, as [`packed`] describes. Of cells that are not stored they are 0, and of cells that others
    /// compute they may be.
    pub fn read(&self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) {
        let Field { ty, columns, now, .. } = self.field(state);
        match &self.storage.geometry {
            _ if cells.is_empty() => {}
            Geometry::Replicas(layout) => {
                let part = &self.storage.part;
                if self.storage.is_cut() {
                    bytes.fill(0);
                }
                transfer::read((layout, part), columns, now.as_slice(), *ty, cells, bytes);
            }
            Geometry::Rows(grid) if !self.storage.is_cut() || self.are_own(grid, &cells) => {
                self.rows(grid, state).read(cells, bytes);
            }
            Geometry::Rows(_) => {
                bytes.fill(0);
                let (all, first) = (self.cells_between(), cells.start);
                for c in cells.start.max(all.start)..cells.end.min(all.end) {
                    if let Some(bits) = self.bits(state, CellIndex(c)) {
                        packed::put(*ty, bytes, c - first, bits);
                    }
                }
            }
        }
    }

    /// Reads ranges of cells one after the other, as [`Engine::read_ranges`](crate::Engine::read_ranges) does.
    pub fn read_ranges(&self, state: StateId, ranges: &[Range<u64>], bytes: &mut [u8]) {
        let ty = self.field(state).ty;
        let read = |(cells, bytes): (Range<u64>, &mut [u8])| self.read(state, cells, bytes);
        match are_few(ranges) {
            true => packed::split(ty, ranges, bytes).for_each(read),
            false => packed::split(ty, ranges, bytes).collect::<Vec<_>>().into_par_iter().for_each(read),
        }
    }

    /// Gives a state these values, as [`packed`] describes, in those of these cells that are computed here; perhaps also in copies of others.
    pub fn write(&mut self, state: StateId, cells: Range<u64>, bytes: &[u8]) {
        let are_own = match &self.storage.geometry {
            Geometry::Replicas(_) => true,
            Geometry::Rows(grid) => !self.storage.is_cut() || self.are_own(grid, &cells),
        };
        let between = self.cells_between();
        let Field { ty, columns, now, .. } = &mut self.fields[usize::from(state.0)];
        let (ty, now) = (*ty, now.as_mut_slice());
        match (&self.storage.geometry, self.storage.memory) {
            (Geometry::Replicas(layout), _) => {
                transfer::write((layout, &self.storage.part), columns, now, ty, cells, bytes);
            }
            (Geometry::Rows(grid), memory) if are_own || memory == StoredAs::Cells => {
                rows::write((grid, memory), columns, now, ty, cells, bytes);
            }
            (Geometry::Rows(_), _) => {
                for c in cells.start.max(between.start)..cells.end.min(between.end) {
                    let Some((slot, micro, lane)) = self.storage.locate(CellIndex(c)) else { continue };
                    let bits = packed::canonical_bits(ty, packed::bits(ty, bytes, c - cells.start));
                    columns.put(&mut now[columns.column_at(slot, micro)], lane.0 as usize, bits);
                }
            }
        }
    }
}
