//! Ordered steps that neither rows in turn nor waves suit: cells are taken in *fronts*, of which each has cells that do not wait for one another. For each front
//! the units around its cells are computed beside the states, and what becomes of these cells, and of no others, is copied where the old values stand.

use super::driver::{Device, Memory};
use super::stored::Stored;
use crate::{EngineError, Result};
use squeeze_compiler::Program;
use squeeze_compiler::ir::{SignedAxis, Step};
use squeeze_compiler::layout::unit::CellIndex;
use squeeze_host::memory;
use std::ops::Range;
use std::sync::Arc;

/// The fronts of a step.
pub(super) struct Fronts {
    /// The places of all cells, front after front.
    pub places: Memory,
    /// Of each front, which of the places are its own, and the superblocks or rows around them.
    pub fronts: Vec<(Range<u64>, Range<u32>)>,
}

impl Fronts {
    /// Of a step on the domain of a program.
    ///
    /// # Errors
    /// If the host has no memory to sort cells, or the device none for them.
    pub(super) fn new(device: &Arc<Device>, program: &Program, step: &Step) -> Result<Fronts> {
        /// Bytes of a cell while it is sorted, where lists grow by doubling, and of its place.
        const BYTES: u64 = 2 * 24 + 8;
        let (rule, domain) = (&program.rule, program.rule.domain());
        let backend = "cuda, which sorts the cells of an ordered step on the host,";
        let needed = u128::from(domain.cells()) * u128::from(BYTES);
        EngineError::check_memory(domain, backend, needed, memory::available(), || None)?;
        let (extent, axes) = (domain.extent(), rule.fronts(step));
        let front_of = |c: u64| {
            let place = domain.lambda(c);
            let along = |(signed, weight): &(SignedAxis, u64)| {
                let axis = usize::from(signed.axis);
                weight * if signed.backwards { extent[axis] - 1 - place[axis] } else { place[axis] }
            };
            axes.iter().map(along).sum::<u64>()
        };
        let of_cell = |c: u64| {
            let (place, unit) = place_of(program, c);
            (front_of(c), unit, place)
        };
        let mut cells: Vec<(u64, u32, u64)> = (0..domain.cells()).map(of_cell).collect();
        cells.sort_unstable();
        let (mut fronts, mut first) = (Vec::new(), 0);
        for front in cells.chunk_by(|(one, ..), (other, ..)| one == other) {
            // They are sorted by their units.
            let (end, units) = (first + front.len() as u64, front[0].1..front[front.len() - 1].1 + 1);
            fronts.push((first..end, units));
            first = end;
        }
        let places: Vec<u64> = cells.into_iter().map(|(.., place)| place).collect();
        Ok(Fronts { places: Memory::of(device, &places)?, fronts })
    }

    /// How many kernels are started for a step, by the number of states.
    pub(super) fn launches(&self, states: usize) -> usize {
        self.fronts.len() * (1 + states)
    }
}

/// The place of a cell, counted through the columns of its member or among the cells alone, and its superblock or row.
fn place_of(program: &Program, c: u64) -> (u64, u32) {
    let (storage, stored) = (&program.plan.storage, Stored::of(&program.plan));
    let lanes = stored.shape().lanes as u64;
    match (stored, storage.locate(CellIndex(c))) {
        (Stored::Rows { grid, packed: true, .. }, _) => (grid.packed(CellIndex(c)).0, grid.row_of(CellIndex(c)) as u32),
        (Stored::Rows { grid, .. }, Some((slot, _, lane))) => {
            (u64::from(slot.0) * lanes + u64::from(lane.0), grid.row_of(CellIndex(c)) as u32)
        }
        (Stored::Replicas { layout, .. }, Some((slot, micro, lane))) => {
            let column = layout.columns_of(slot.index()) + u64::from(micro.0);
            (column * lanes + u64::from(lane.0), slot.0)
        }
        (Stored::Rows { .. } | Stored::Replicas { .. }, None) => unreachable!("the cell is stored"),
    }
}

/// The places of the cells that rolling states of a program have values in, if it has some.
///
/// # Errors
/// If the device has no memory for them.
pub(super) fn last_line(device: &Arc<Device>, program: &Program) -> Result<Option<Memory>> {
    let rule = &program.rule;
    let line = rule.rolling.first().and_then(|state| rule.domain().cells_of_last_line(rule, *state));
    let places = line.map(|cells| cells.into_iter().map(|c| place_of(program, c).0).collect::<Vec<u64>>());
    Ok(places.map(|places| Memory::of(device, &places)).transpose()?)
}
