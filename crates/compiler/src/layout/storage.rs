//! How the cells of a domain are stored.
//!
//! The compiler leads from a new variant to all that reads and writes columns. It does not lead to questions by [`Storage::rows`]: a third storage of rows looks packed there, above
//! all in `emit/cuda/rows`, so the planner must not choose it for GPUs before these are read.

use super::Layout;
use super::columns::{Columns, Shape};
use super::rows::RowGrid;
use crate::ir::{Rule, State};
use crate::kernel::Planes;
use std::sync::Arc;

/// How cells are stored, and what lanes are.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a plan holds one, behind an `Arc`")]
pub enum Storage {
    /// Lanes are replicas of the top levels.
    Replicas(Layout),
    /// Lanes are the places of a stretch of a row. Those that are no cells hold 0.
    Rows(Arc<RowGrid>),
    /// The same for kernels, but memory holds the cells alone, by index.
    Packed(Arc<RowGrid>),
}

impl Storage {
    /// The columns of rows, and whether memory holds the cells alone.
    pub fn rows(&self) -> Option<(&Arc<RowGrid>, bool)> {
        match self {
            Storage::Replicas(_) => None,
            Storage::Rows(grid) => Some((grid, false)),
            Storage::Packed(grid) => Some((grid, true)),
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> u64 {
        match self {
            Storage::Replicas(layout) => layout.cells(),
            Storage::Rows(grid) | Storage::Packed(grid) => grid.cells(),
        }
    }

    /// The memory of each state of a rule, and of the fields that are kept.
    pub fn state_memory(&self, rule: &Rule) -> Vec<StateMemory> {
        match self {
            Storage::Replicas(layout) => state_memory(rule, Shape::of(layout), layout.micro_cells() as usize),
            Storage::Rows(grid) | Storage::Packed(grid) => state_memory(rule, grid.shape, 1),
        }
    }

    /// Bytes of one buffer of a state. In 128 bits: columns of a level near 2^64 cells take more than 2^64.
    pub fn bytes(&self, columns: &Columns) -> u128 {
        match self {
            Storage::Replicas(layout) => columns.bytes(u64::from(layout.superblocks())),
            Storage::Rows(grid) => columns.bytes(grid.columns() as u64),
            Storage::Packed(grid) => u128::from(columns.packed_bytes(grid.cells())),
        }
    }

    /// Bytes of one buffer of each of these.
    pub fn bytes_of(&self, memory: &[StateMemory]) -> u64 {
        let all: u128 = memory.iter().map(|state| self.bytes(&state.columns)).sum();
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// Bytes of what GPUs have behind a buffer, which stays 0: a superblock, a column, or the largest value of a cell.
    pub(crate) fn padding(&self, columns: &Columns) -> u64 {
        match self {
            Storage::Replicas(_) | Storage::Rows(_) => columns.block as u64,
            Storage::Packed(_) => LARGEST_VALUE,
        }
    }
}

/// Bytes of the largest value of a cell.
pub const LARGEST_VALUE: u64 = 8;

/// How one state is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateMemory {
    /// The columns of one superblock.
    pub columns: Columns,
    /// 2 if some step gives it new values, which go to another buffer than the old ones; else 1.
    pub buffers: u32,
}

/// The memory of each state of the rule, and of the fields that are kept, in columns of this shape for `micro_cells` micro cells.
pub(crate) fn state_memory(rule: &Rule, shape: Shape, micro_cells: usize) -> Vec<StateMemory> {
    let of_state = |(index, state): (usize, &State)| StateMemory {
        columns: Columns::new(Planes::of(rule, state.ty), shape, micro_cells),
        buffers: if rule.changes(index) { 2 } else { 1 },
    };
    rule.kept_states().enumerate().map(of_state).collect()
}
