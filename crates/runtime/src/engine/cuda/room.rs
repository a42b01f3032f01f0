//! How much memory states and tables take, on the device and on the host, and whether there is so much.

use super::driver::Device;
use super::neighbours;
use crate::engine::{Backend, EngineError, Result};
use squeeze_compiler::emit::cuda::Members;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Rule;
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::plan::{StateMemory, candidates, state_memory};
use squeeze_compiler::target::Machine;
use squeeze_host::memory;
use std::sync::Arc;

/// Bytes of the device that are left to others, and to the kernels' own needs.
pub const RESERVE: u64 = 256 << 20;
/// Bytes of the largest value of a cell.
pub(super) const LARGEST_VALUE: u64 = 8;

/// Bytes of one buffer of a state of a mask, with what stands behind it: a column, or the value of no cell.
pub(super) fn bytes_of_rows_state(grid: &RowGrid, packed: bool, state: &StateMemory) -> u64 {
    match packed {
        true => state.columns.packed_bytes(grid.cells()) + LARGEST_VALUE,
        false => state.columns.block as u64 * (grid.columns() as u64 + 1),
    }
}

/// Bytes that the states of a mask take on the device, in all buffers, and the tables.
pub(super) fn bytes_of_rows(rule: &Rule, grid: &RowGrid, packed: bool) -> u64 {
    let bytes = |state: &StateMemory| u128::from(bytes_of_rows_state(grid, packed, state)) * state.buffers as u128;
    let states: u128 = grid.state_memory(rule).iter().map(bytes).sum();
    u64::try_from(states + u128::from(neighbours::bytes_of_rows(grid))).unwrap_or(u64::MAX)
}

/// The tables of a mask must fit on the host, before they are made.
pub(super) fn check_tables(domain: &Domain) -> Result<()> {
    let (needed, available) = (RowGrid::bytes(domain), memory::available());
    if needed <= available {
        return Ok(());
    }
    let (name, backend) = (domain.fractal().name.clone(), "cuda, whose tables are made on the host,");
    Err(EngineError::MaskMemory { name, backend, needed: needed as f64, available })
}

/// The states of a mask must fit on the device, and in `limit`. Whether they are packed, as is asked for or because their columns do not fit.
pub(super) fn check_rows(
    device: &Device,
    domain: &Domain,
    rule: &Rule,
    grid: &RowGrid,
    limit: u64,
    packed: bool,
) -> Result<bool> {
    let available = device.free_memory()?.saturating_sub(RESERVE).min(limit);
    let packed = packed || bytes_of_rows(rule, grid, false) > available;
    let needed = bytes_of_rows(rule, grid, packed);
    if needed <= available {
        return Ok(packed);
    }
    let (name, backend) = (domain.fractal().name.clone(), Backend::Cuda.name());
    Err(EngineError::MaskMemory { name, backend, needed: needed as f64, available })
}

/// Bytes that a layout takes on the device: all buffers, each with a block behind it, the neighbour table, and the maps of kernels that look
/// far.
pub(super) fn bytes_needed(rule: &Rule, (layout, far): (&Layout, bool), (sharing, members): (Members, usize)) -> u64 {
    let superblocks = u64::from(layout.superblocks()) * sharing.turns(members) as u64 + 1;
    let (shape, micro_cells) = (sharing.shape(layout), layout.micro_cells() as usize);
    let of_state = |state: StateMemory| {
        let columns = Columns::new(state.columns.planes, shape, micro_cells);
        StateMemory { columns, ..state }.bytes(superblocks)
    };
    let states: u128 = state_memory(rule, layout).into_iter().map(of_state).sum();
    u64::try_from(states + u128::from(neighbours::bytes(layout, rule, far))).unwrap_or(u64::MAX)
}

/// The states must fit on the device, and in `limit`.
pub(super) fn check_memory(
    device: &Device,
    domain: &Domain,
    rule: &Rule,
    (layout, far): (&Layout, bool),
    members: (Members, usize),
    limit: u64,
) -> Result<()> {
    let available = device.free_memory()?.saturating_sub(RESERVE).min(limit);
    let needed = bytes_needed(rule, (layout, far), members);
    if needed <= available {
        return Ok(());
    }
    let fits = |level: &u32| {
        let domain = Domain::new(Arc::clone(domain.fractal()), *level);
        let choice = domain.ok().and_then(|domain| candidates(&domain, rule, &Machine::gpu()).into_iter().next());
        choice.is_some_and(|choice| bytes_needed(rule, (&choice.layout, far), members) <= available)
    };
    Err(EngineError::Memory {
        fractal: domain.fractal().name.clone(),
        level: domain.level(),
        backend: Backend::Cuda.name(),
        needed: needed as f64,
        available,
        largest: (0..domain.level()).rev().find(fits),
    })
}
