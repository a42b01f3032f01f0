//! How the superblocks and columns of a layout are shared out to the warps of a GPU. The planner reckons with it, and kernels are printed so.

use crate::layout::Layout;
use crate::target::speciality::{Off, Speciality};

/// Threads of a warp.
pub(crate) const WARP: usize = 32;

/// Threads of a GPU for a column of numbers of so many lanes: whole warps if no more than a quarter of them is idle.
pub(crate) fn threads_of_numbers(lanes: usize, off: Off) -> usize {
    let whole = lanes.next_multiple_of(WARP);
    if 4 * lanes >= 3 * whole && !off.has(Speciality::WholeWarps) { whole } else { lanes }
}

/// Words of a column that a thread of a kernel that decides bits takes at once, where it can: a block of random planes makes as many.
pub(crate) const QUAD: usize = 4;

/// Whose blocks of random planes four words of a column are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuadPlanes {
    /// Each thread's own: its lanes are the cells of a block.
    Own,
    /// The warp's: columns begin in the midst of a block, but if the superblocks of a warp follow each other by reversed number, the blocks that it needs
    /// are hardly more than its threads.
    Shared {
        /// The superblocks of a member with those that fill up its last warp.
        superblocks: u32,
    },
}

impl QuadPlanes {
    /// What this is made of.
    pub fn specialities(self) -> &'static [Speciality] {
        match self {
            QuadPlanes::Own => &[Speciality::Quads],
            QuadPlanes::Shared { .. } => &[Speciality::Quads, Speciality::SharedPlanes],
        }
    }
}

/// How threads that take four words of a column make planes. `None` where they had better take one: they would be no four, or each would make two
/// blocks; or many members each would leave too many threads idle.
pub(crate) fn quad_planes(layout: &Layout, lanes: usize, of_many: bool) -> Option<QuadPlanes> {
    let words = lanes.div_ceil(32);
    if !words.is_multiple_of(QUAD) {
        return None;
    }
    if lanes.is_multiple_of(32 * QUAD) {
        return Some(QuadPlanes::Own);
    }
    let of_superblock = words / QUAD;
    let levels: Vec<u64> = layout.middle().replicas().collect();
    // Then the superblock of a reversed number is that with the digits of the number reversed.
    let alike = levels.iter().eq(levels.iter().rev());
    if of_superblock == 0 || !WARP.is_multiple_of(of_superblock) || !alike {
        return None;
    }
    let (own, filled) = (layout.superblocks(), layout.superblocks().next_multiple_of((WARP / of_superblock) as u32));
    let fills = !of_many || 5 * u64::from(filled) <= 6 * u64::from(own);
    fills.then_some(QuadPlanes::Shared { superblocks: filled })
}
