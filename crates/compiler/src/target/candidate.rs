//! A choice of T, L and t, and what the model says of it.

use crate::layout::Layout;
use crate::text::diagnostics::counted;
use std::fmt;

/// A layout and a number of steps, and what the model says of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The layout.
    pub layout: Layout,
    /// Whether kernels may look farther than into the superblocks beside their own.
    pub far: bool,
    /// t, the time steps of one pass.
    pub steps: u32,
    /// Picoseconds for one cell and step, all threads working.
    pub cost: f64,
    /// The part of the registers that hold a column (of vectors on a CPU, of 32 bits on a GPU) that its lanes fill, from 0 to 1.
    pub density: f64,
    /// Cells computed for one that is kept.
    pub overlap: f64,
    /// The approximate number of operations of the kernel.
    pub operations: f64,
    /// True if memory, not operations, says how long a pass takes.
    pub memory_bound: bool,
}

impl Candidate {
    /// One step a pass, beside or far, of which the model was not asked.
    pub fn of_layout(layout: Layout, far: bool) -> Candidate {
        let (cost, density, overlap, operations) = (0.0, 1.0, 1.0, 0.0);
        Candidate {
            far: far && !layout.is_whole(),
            layout,
            steps: 1,
            cost,
            density,
            overlap,
            operations,
            memory_bound: true,
        }
    }
}

/// The choice with its reasons, a sentence for each.
impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = &self.layout;
        writeln!(
            f,
            "T = {} (levels as lanes): {} a column, in registers that are {:.0}% full",
            layout.lane_digits(),
            counted(layout.lanes(), "lane"),
            100.0 * self.density
        )?;
        writeln!(
            f,
            "L = {} (levels in micro cells): {} a superblock, by the planner's reckoning about {:.0} operations; {}",
            layout.micro_digits(),
            counted(layout.micro_cells(), "micro cell"),
            self.operations,
            counted(layout.superblocks(), "superblock")
        )?;
        let bound = if self.memory_bound { "memory" } else { "operations" };
        writeln!(
            f,
            "t = {} (steps of a pass): {:.2} cells computed for one that is kept; bound by {bound}, {:.2} ps a cell and step expected of the machine planned for",
            self.steps, self.overlap, self.cost
        )
    }
}
