//! A choice of how cells are stored and how many steps a kernel computes, and the model's estimate of it.

use crate::ir::Rule;
use crate::layout::columns::Shape;
use crate::layout::rows::RowGrid;
use crate::layout::storage::{StateMemory, state_memory};
use crate::layout::{Geometry, Layout, Storage};
use crate::text::diagnostics::counted;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// How many simulations kernels compute, and where each of them is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Members {
    /// One simulation.
    #[default]
    One,
    /// So many members, the superblocks of one after those of the other, each with a seed, parameters and globals of its own. The tables are those of one member.
    InTurn(u32),
    /// So many members with the same parameters, which are the lanes of the same columns, on a layout that has one lane, each with a seed of its own. No lane
    /// ever moves: in the neighbour table what exists beyond an edge stands like any other neighbour.
    AsLanes(u32),
}

impl Members {
    /// So many members in turn, or one simulation.
    pub fn of(members: u32) -> Members {
        if members == 1 { Members::One } else { Members::InTurn(members) }
    }

    /// The sizes of columns.
    pub fn shape(self, layout: &Layout) -> Shape {
        match self {
            Members::One | Members::InTurn(_) => Shape::of(layout),
            Members::AsLanes(members) => Shape::of_lanes(members as usize),
        }
    }

    /// How many there are.
    pub fn count(self) -> u32 {
        match self {
            Members::One => 1,
            Members::InTurn(members) | Members::AsLanes(members) => members,
        }
    }

    /// Copies of the superblocks of the layout: as many as there are members in turn, else one.
    pub fn turns(self) -> u32 {
        if self.in_turn() { self.count() } else { 1 }
    }

    /// Whether members follow each other.
    pub fn in_turn(self) -> bool {
        matches!(self, Members::InTurn(_))
    }

    /// Whether lanes are members.
    pub fn as_lanes(self) -> bool {
        matches!(self, Members::AsLanes(_))
    }
}

/// How cells are stored, and how many steps one kernel computes. The planner compares many; one may be demanded of it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// How cells are stored.
    pub storage: Arc<Storage>,
    /// Whether kernels may look farther than into the units beside their own.
    pub far: bool,
    /// t, the time steps of one kernel.
    pub steps: u32,
    /// The members that a pass computes.
    pub members: Members,
    /// The model's estimate of it.
    pub estimate: Estimate,
}

/// The model's estimate of a choice.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// Picoseconds for one cell and step, all threads working: of those of a rank if there are several.
    pub cost: f64,
    /// Nanoseconds of a pass, of those, that a rank starts more than to compute and waits for others.
    pub wait: f64,
    /// The part of the registers that hold a column (of vectors on a CPU, of 32 bits on a GPU) that its lanes fill, from 0 to 1.
    pub density: f64,
    /// Cells computed for one that is kept.
    pub overlap: f64,
    /// The approximate number of operations of the kernel.
    pub operations: f64,
    /// True if memory, not operations, says how long a pass takes.
    pub memory_bound: bool,
}

impl Estimate {
    /// The estimate of a choice of which the model was not asked.
    pub const NONE: Estimate =
        Estimate { cost: 0.0, wait: 0.0, density: 1.0, overlap: 1.0, operations: 0.0, memory_bound: true };

    /// How fast passes are expected to be, and why not faster.
    pub(crate) fn rate(&self) -> String {
        let bound = if self.memory_bound { "memory" } else { "operations" };
        format!("bound by {bound}, {:.2} ps a cell and step expected of the machine planned for", self.cost)
    }
}

impl Choice {
    /// One step of one simulation a pass, of which the model was not asked.
    pub fn of_storage(storage: Storage, far: bool) -> Choice {
        let far = far && !storage.is_whole();
        Choice { storage: Arc::new(storage), far, steps: 1, members: Members::One, estimate: Estimate::NONE }
    }

    /// The same on a layout, beside or far.
    pub fn of_layout(layout: Layout, far: bool) -> Choice {
        Choice::of_storage(Storage::replicas(layout), far)
    }

    /// Whether the model finds one cheaper than another.
    pub(crate) fn cheaper(&self, other: &Choice) -> Ordering {
        self.estimate.cost.total_cmp(&other.estimate.cost)
    }

    /// The columns of rows, if cells are stored in such or packed.
    pub fn grid(&self) -> Option<&RowGrid> {
        match &self.storage.geometry {
            Geometry::Replicas(_) => None,
            Geometry::Rows(grid) => Some(grid),
        }
    }

    /// The layout of replicas.
    pub fn layout(&self) -> Option<&Layout> {
        match &self.storage.geometry {
            Geometry::Replicas(layout) => Some(layout),
            Geometry::Rows(_) => None,
        }
    }

    /// The storage that kernels are lowered for, and whether they may look farther than beside their unit.
    pub fn seen(&self) -> (&Storage, bool) {
        (&self.storage, self.far)
    }

    /// The memory of each state of a rule, and of the fields that are kept.
    pub fn state_memory(&self, rule: &Rule) -> Vec<StateMemory> {
        match &self.storage.geometry {
            Geometry::Replicas(layout) => state_memory(rule, self.members.shape(layout), layout.micro_cells() as usize),
            Geometry::Rows(grid) => state_memory(rule, grid.shape, 1),
        }
    }
}

/// The choice with its reasons, a sentence for each.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { density, overlap, operations, .. } = self.estimate;
        let layout = match &self.storage.geometry {
            Geometry::Replicas(layout) => layout,
            Geometry::Rows(grid) => return grid.fmt(f),
        };
        writeln!(
            f,
            "T = {} (levels as lanes): {} a column, in registers that are {:.0}% full",
            layout.lane_digits(),
            counted(layout.lanes(), "lane"),
            100.0 * density
        )?;
        writeln!(
            f,
            "L = {} (levels in micro cells): {} a superblock, by the planner's reckoning about {operations:.0} operations; {}",
            layout.micro_digits(),
            counted(layout.micro_cells(), "micro cell"),
            counted(layout.superblocks(), "superblock")
        )?;
        let steps = self.steps;
        writeln!(
            f,
            "t = {steps} (steps of a pass): {overlap:.2} cells computed for one that is kept; {}",
            self.estimate.rate()
        )
    }
}
