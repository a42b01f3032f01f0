//! How members of an ensemble share kernels.

use crate::layout::Layout;
use crate::layout::columns::Shape;

/// How many simulations kernels compute, and where each of them is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Members {
    /// One simulation.
    #[default]
    One,
    /// Many members, the superblocks of one after those of the other, each with a seed of its own and `params` parameters and globals. The
    /// tables of `World` are those of one member.
    InTurn {
        /// The parameters and globals of a member.
        params: usize,
    },
    /// Members of bits with the same parameters, which are the lanes of the same columns, on a layout that has one lane, each with a seed of its own. No lane
    /// ever moves: in the neighbour table what exists beyond an edge stands like any other neighbour.
    AsLanes {
        /// The number of members.
        members: usize,
    },
}

/// The names in kernels of numbers that each member has of its own.
#[derive(Clone, Copy)]
pub(super) struct OwnNames {
    pub seed: &'static str,
    pub params: &'static str,
    /// The number of the superblock among those of all members.
    pub superblock: &'static str,
    /// Where functions look for its neighbours.
    pub place: &'static str,
}

impl Members {
    /// The sizes of columns.
    pub fn shape(self, layout: &Layout) -> Shape {
        match self {
            Members::One | Members::InTurn { .. } => Shape::of(layout),
            Members::AsLanes { members } => Shape::of_lanes(members),
        }
    }

    /// Copies of the superblocks of the layout: `members` if they run in turn, else one.
    pub fn turns(self, members: usize) -> usize {
        if self.in_turn() { members } else { 1 }
    }

    /// The names in kernels of numbers that each member has of its own.
    pub(super) fn names(self) -> OwnNames {
        match self {
            Members::One | Members::AsLanes { .. } => {
                OwnNames { seed: "world.seed", params: "world.params", superblock: "superblock", place: "superblock" }
            }
            Members::InTurn { .. } => OwnNames {
                seed: "member_seed",
                params: "member_params",
                superblock: "member_superblock",
                place: "member, superblock",
            },
        }
    }

    pub(super) fn in_turn(self) -> bool {
        matches!(self, Members::InTurn { .. })
    }

    /// Whether lanes are members.
    pub fn as_lanes(self) -> bool {
        matches!(self, Members::AsLanes { .. })
    }

    /// The parameters and globals of a member, where each has its own.
    pub(super) fn params(self) -> usize {
        match self {
            Members::InTurn { params } => params,
            Members::One | Members::AsLanes { .. } => 0,
        }
    }
}
