//! Names of the values that each member of an ensemble has of its own, where members share kernels.

use crate::target::Members;

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
    /// The names in kernels of numbers that each member has of its own.
    pub(super) fn names(self) -> OwnNames {
        match self {
            Members::One | Members::AsLanes(_) => {
                OwnNames { seed: "world.seed", params: "world.params", superblock: "superblock", place: "superblock" }
            }
            Members::InTurn(_) => OwnNames {
                seed: "member_seed",
                params: "member_params",
                superblock: "member_superblock",
                place: "member, superblock",
            },
        }
    }
}
