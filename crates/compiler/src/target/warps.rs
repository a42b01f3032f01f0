//! How the superblocks and columns of a layout are shared out to the warps of a GPU. The planner reckons with it, and kernels are printed so.

use crate::layout::Layout;
use crate::target::speciality::Speciality;

/// Threads of a warp.
pub(crate) const WARP: usize = 32;

/// Words of a column that a thread of a kernel that decides bits takes at once, where it can: a block of random planes makes as many.
pub(crate) const QUAD: usize = 4;

/// Whose blocks of random planes four words of a column are of.
#[derive(Clone, Copy, Debug)]
enum QuadPlanes {
    /// Each thread's own: its lanes are the cells of a block.
    Own,
    /// The warp's: columns begin in the midst of a block, but if the superblocks of a warp follow each other by reversed number, the blocks that it needs
    /// are hardly more than its threads.
    Shared {
        /// The superblocks of a member with those that fill up its last warp.
        superblocks: u32,
    },
}

/// The piece of each column that a thread takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Four words of bits, whose random bits are of one block.
    Quad,
    /// A word of bits.
    Word,
    /// A lane.
    Lane,
}

/// The properties of a kernel that decide which threads its columns have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneWork {
    /// Its lanes know bits alone.
    pub bits: bool,
    /// It decides random bits.
    pub decides: bool,
    /// It looks into the superblocks beside its own, and no farther.
    pub beside: bool,
    /// It makes random words.
    pub words: bool,
    /// It stores bits.
    pub stores_bits: bool,
}

/// The threads of a superblock.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "emit-cuda"), expect(dead_code, reason = "printers alone ask for all of it"))]
pub(crate) struct ColumnThreads {
    /// How many there are.
    pub count: usize,
    /// The piece that each of them takes.
    pub takes: Takes,
    /// Some have no word.
    pub idle: bool,
    /// Lanes are filled up to whole warps: threads that have none do what that of the last one does.
    pub whole_warps: bool,
    /// The threads of a warp make random planes for all of it: then superblocks are taken in the order of their reversed numbers, and these are the superblocks
    /// of a member with those that fill up its last warp. Members are numbered by them.
    pub filled: Option<u32>,
}

impl ColumnThreads {
    /// The threads of columns of `lanes` lanes, where some specialities are allowed.
    pub(crate) fn of(
        work: LaneWork,
        layout: &Layout,
        lanes: usize,
        members_in_turn: bool,
        allows: impl Fn(Speciality) -> bool,
    ) -> ColumnThreads {
        let words = lanes.div_ceil(WARP);
        let decides = work.bits && work.decides && work.beside;
        let planes = decides.then(|| quad_planes(layout, lanes, members_in_turn)).flatten();
        let planes = planes.filter(|planes| match planes {
            QuadPlanes::Own => allows(Speciality::Quads),
            QuadPlanes::Shared { .. } => allows(Speciality::Quads) && allows(Speciality::SharedPlanes),
        });
        let takes = match work.bits {
            true if planes.is_some() => Takes::Quad,
            true => Takes::Word,
            false => Takes::Lane,
        };
        // Warps of two superblocks read two runs of each column, and share lines of memory with others; few threads may be idle for that.
        let is_nearly_whole = !lanes.is_multiple_of(WARP) && 4 * lanes >= 3 * WARP * words;
        let fills = || work.words || work.stores_bits || is_nearly_whole && allows(Speciality::WholeWarps);
        // Whole warps make random words, and gather bits by votes.
        let whole_warps = takes == Takes::Lane && fills();
        let shares = takes == Takes::Word && work.decides && words > 2 && allows(Speciality::SharedWords);
        let count = match takes {
            Takes::Quad => words / QUAD,
            Takes::Word => words.next_multiple_of(if shares { QUAD } else { 1 }),
            Takes::Lane if whole_warps => WARP * words,
            Takes::Lane => lanes,
        };
        let filled = match planes {
            Some(QuadPlanes::Shared { superblocks }) => Some(superblocks),
            Some(QuadPlanes::Own) | None => None,
        };
        ColumnThreads { count, takes, idle: takes == Takes::Word && count > words, whole_warps, filled }
    }
}

/// How threads that take four words of a column make planes. `None` where they had better take one: they would be no four, or each would make two
/// blocks; or many members each would leave too many threads idle.
fn quad_planes(layout: &Layout, lanes: usize, of_many: bool) -> Option<QuadPlanes> {
    let words = lanes.div_ceil(32);
    if !words.is_multiple_of(QUAD) {
        return None;
    }
    if lanes.is_multiple_of(32 * QUAD) {
        return Some(QuadPlanes::Own);
    }
    let of_superblock = words / QUAD;
    // Then the superblock of a reversed number is that with the digits of the number reversed.
    let levels = layout.middle_patterns().map(|pattern| pattern.k());
    let alike = levels.clone().eq(levels.rev());
    if of_superblock == 0 || !WARP.is_multiple_of(of_superblock) || !alike {
        return None;
    }
    let (own, filled) = (layout.superblocks(), layout.superblocks().next_multiple_of((WARP / of_superblock) as u32));
    let fills = !of_many || 5 * u64::from(filled) <= 6 * u64::from(own);
    fills.then_some(QuadPlanes::Shared { superblocks: filled })
}
