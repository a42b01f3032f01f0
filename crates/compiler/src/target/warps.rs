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

/// The superblocks of a simulation with those that would fill up its last warp, where so many threads that take four words of a column serve one. `None`
/// where many members each would leave too many threads idle.
pub(crate) fn warps_of_superblocks(layout: &Layout, threads: usize, of_many: bool) -> Option<u32> {
    let of_warp = (1..=WARP).find(|superblocks| (superblocks * threads).is_multiple_of(WARP)).unwrap_or(WARP);
    let (own, filled) = (layout.superblocks(), layout.superblocks().next_multiple_of(of_warp as u32));
    (!of_many || 5 * u64::from(filled) <= 6 * u64::from(own)).then_some(filled)
}

/// Whether, where a thread takes four words, the blocks of random planes that a warp needs are hardly more than its threads if its superblocks follow each
/// other by reversed number, while each thread's own would be two.
pub(crate) fn warps_share_planes(layout: &Layout, lanes: usize) -> bool {
    let quads = lanes.div_ceil(32) / 4;
    let levels: Vec<u64> = layout.middle().replicas().collect();
    // Then the superblock of a reversed number is that with the digits of the number reversed.
    let alike = levels.iter().eq(levels.iter().rev());
    !lanes.is_multiple_of(128) && quads > 0 && WARP.is_multiple_of(quads) && alike
}
