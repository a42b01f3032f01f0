//! The values of a stage of a march: its neighbours, its cells and the values that it makes.

use crate::emit::cuda::text::render_section;
use crate::emit::cuda::words::moved;
use crate::kernel::Direction;
use minijinja::context;
use std::collections::BTreeMap;

pub(super) const MARCH: &str = include_str!("../../../../templates/march.cu");

/// The functions of marches, beside those of rows.
pub(super) fn functions() -> String {
    render_section(MARCH, "Functions", context! {})
}

/// What is known while a stage is printed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct MarchStage {
    /// The bits for cells that a lane keeps of a row; `None` where all places are cells.
    pub bits: Option<u32>,
    /// The names of new values, by state.
    pub new: BTreeMap<u16, String>,
    /// Whether each node is the same in all stages and places, and stands before them.
    pub known: Vec<bool>,
}

impl MarchStage {
    /// The condition that a cell stands this far away.
    pub(super) fn presence(&self, Direction([x, y, _]): Direction) -> String {
        match self.bits {
            None => "true".to_owned(),
            Some(bits) => {
                let row = moved("(step + 1) * REACH", -y);
                format!("(there >> ({bits} * ({row}) + {} + j) & 1) != 0", 2 + x)
            }
        }
    }

    /// The store of a new value.
    pub(super) fn store(&self, state: usize, value: &str) -> String {
        let new = &self.new[&(state as u16)];
        match self.bits {
            None => format!("{new}[j] = {value};"),
            Some(_) => format!("{new}[j] = cell ? {value} : 0;"),
        }
    }
}
