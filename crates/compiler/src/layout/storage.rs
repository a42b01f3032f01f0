//! How the cells of a domain are stored. The compiler leads from a new variant to all that reads and writes columns.

use super::Layout;
use super::columns::{Columns, Shape};
use super::rows::RowGrid;
use super::unit::Part;
use crate::ir::{Axes, Rule, State};
use crate::kernel::Planes;
use std::sync::Arc;

/// How cells are stored.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The place of each lane.
    pub geometry: Geometry,
    /// The form in memory.
    pub memory: StoredAs,
    /// The units that are stored.
    pub part: Part,
}

/// Where lanes lie.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a plan holds one, behind an `Arc`")]
pub enum Geometry {
    /// Lanes are replicas of the top levels.
    Replicas(Layout),
    /// Lanes are the places of a stretch of a row.
    Rows(Arc<RowGrid>),
}

/// The form of units in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredAs {
    /// Columns, whose lanes hold 0 if they are no cells.
    Columns,
    /// The cells alone, by index. Kernels see columns all the same.
    Cells,
}

impl Storage {
    /// Columns of replicas.
    pub fn replicas(layout: Layout) -> Storage {
        let part = Part::whole(layout.superblocks());
        Storage { geometry: Geometry::Replicas(layout), memory: StoredAs::Columns, part }
    }

    /// Stretches of rows.
    pub fn rows(grid: Arc<RowGrid>, memory: StoredAs) -> Storage {
        let part = Part::whole(grid.all_columns() as u32);
        Storage { geometry: Geometry::Rows(grid), memory, part }
    }

    /// The number of cells.
    pub fn cells(&self) -> u64 {
        match &self.geometry {
            Geometry::Replicas(layout) => layout.cells(),
            Geometry::Rows(grid) => grid.cells(),
        }
    }

    /// Whether one unit is the whole domain, with a lane at most, and no edge of it leads back to it.
    pub(crate) fn is_whole(&self) -> bool {
        match &self.geometry {
            Geometry::Replicas(layout) => layout.is_whole(),
            Geometry::Rows(grid) => grid.extent() == [1; 3] && !Axes(grid.periodic()).any(),
        }
    }

    /// The memory of each state of a rule, and of the fields that are kept.
    pub fn state_memory(&self, rule: &Rule) -> Vec<StateMemory> {
        match &self.geometry {
            Geometry::Replicas(layout) => state_memory(rule, Shape::of(layout), layout.micro_cells() as usize),
            Geometry::Rows(grid) => state_memory(rule, grid.shape, 1),
        }
    }

    /// Bytes of one buffer of a state. In 128 bits: columns of a level near 2^64 cells take more than 2^64.
    pub fn bytes(&self, columns: &Columns) -> u128 {
        match (&self.geometry, self.memory) {
            (Geometry::Replicas(_), _) => columns.bytes(self.part.owned() as u64),
            (Geometry::Rows(grid), StoredAs::Columns) => columns.bytes(grid.columns() as u64),
            (Geometry::Rows(grid), StoredAs::Cells) => u128::from(columns.packed_bytes(grid.cells())),
        }
    }

    /// Bytes of one buffer of each of these.
    pub fn bytes_of(&self, memory: &[StateMemory]) -> u64 {
        let all: u128 = memory.iter().map(|state| self.bytes(&state.columns)).sum();
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// Bytes of what GPUs have behind a buffer, which stays 0: a superblock, a column, or the largest value of a cell.
    pub(crate) fn padding(&self, columns: &Columns) -> u64 {
        match self.memory {
            StoredAs::Columns => columns.block as u64,
            StoredAs::Cells => LARGEST_VALUE,
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
