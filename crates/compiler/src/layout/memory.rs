//! The memory that the states of a rule take in a layout.

use crate::ir::Rule;
use crate::kernel::Planes;
use crate::layout::Layout;
use crate::layout::columns::{Columns, Shape};

/// How one state is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateMemory {
    /// The columns of one superblock.
    pub columns: Columns,
    /// 2 if some step gives it new values, which go to another buffer than the old ones; else 1.
    pub buffers: u32,
}

impl StateMemory {
    /// Bytes of all buffers, each of so many superblocks. In 128 bits: columns of a level near 2^64 cells take more than 2^64.
    pub fn bytes(&self, superblocks: u64) -> u128 {
        self.columns.bytes(superblocks) * u128::from(self.buffers)
    }
}

/// The memory of each state of the rule, and of the fields that are kept.
pub fn state_memory(rule: &Rule, layout: &Layout) -> Vec<StateMemory> {
    let (shape, micro_cells) = (Shape::of(layout), layout.micro_cells() as usize);
    let of_state = |(index, state): (usize, &crate::ir::State)| StateMemory {
        columns: Columns::new(Planes::of(rule, state.ty), shape, micro_cells),
        buffers: if rule.changes(index) { 2 } else { 1 },
    };
    rule.kept_states().enumerate().map(of_state).collect()
}
