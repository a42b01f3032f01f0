//! The memory that the states of a rule take in columns.

use crate::ir::Rule;
use crate::kernel::Planes;
use crate::layout::columns::{Columns, Shape};

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
    let of_state = |(index, state): (usize, &crate::ir::State)| StateMemory {
        columns: Columns::new(Planes::of(rule, state.ty), shape, micro_cells),
        buffers: if rule.changes(index) { 2 } else { 1 },
    };
    rule.kept_states().enumerate().map(of_state).collect()
}
