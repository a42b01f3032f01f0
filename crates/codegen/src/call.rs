//! The arguments of a compiled kernel, and the order of its calls.

use std::cell::Cell;

include!("../templates/call.rs");

/// The order in which columns are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOrder {
    /// That of superblocks, of states that caches hold.
    Cached,
    /// That of superblocks, whose neighbours stand anywhere.
    Superblocks,
    /// Row after row of a domain, whose columns stand in memory as they lie.
    Rows,
    /// Several padded rows of bits at once, as a [`CountedCall`] says.
    Padded(PaddedRows),
    /// The rows of a strip one after the other, as many as a [`CountedCall`] says.
    Strip(StripLoop),
}

/// How a kernel computes padded rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddedRows {
    /// Whether holes are stored as 0.
    pub masked: bool,
    /// Whether it may use instructions that shift pairs of words ([`AvailableIsa::shifts_pairs`](crate::AvailableIsa::shifts_pairs)).
    pub pairs: bool,
    /// The places that are computed, where every second place of rows stands apart.
    pub split: Option<SplitRows>,
}

/// Every second place of rows whose even places stand in the first half of a plane and whose odd ones in the second half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitRows {
    /// Whether they are the odd ones.
    pub odd: bool,
    /// Bytes from an even place's word to that of the odd place beside.
    pub half: i32,
}

impl PaddedRows {
    /// Where a place stands that lies `dx` places to the right: the bytes to its word's half of the plane, and the lanes to the right there.
    pub(crate) fn to_the_right(self, dx: i32) -> (i32, i32) {
        self.split.map_or((0, dx), |SplitRows { odd, half }| {
            let to = dx + i32::from(odd);
            (half * to.rem_euclid(2), to.div_euclid(2))
        })
    }
}

/// How a kernel goes along a strip: each row is computed where it stands, from the rows before, whose values stay in registers, and from
/// those behind, which are old.
///
/// All states stand in memory as if their rows were one column: from a row to the next it is `pitch` lanes. Pointers to states are to the first row and
/// to the first of the lanes that are computed, those of presence to the same lane and row; the states that are stored are read beside it, lanes and rows
/// away, from where they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripLoop {
    /// Lanes that are computed of each row, in groups of 16, or of 512 in kernels of bits alone.
    pub groups: u8,
    /// Lanes from a row to the next: a multiple of 32, or of 512.
    pub pitch: u16,
    /// Whether lanes that the last words of presence leave out keep what stood there. If not, there is a cell in every direction too.
    pub masked: bool,
    /// The states of which all rows have the same values, as bits of their numbers.
    pub still: u64,
    /// The states whose values begin one earlier in each row. In kernels of bits alone a call has those of the first row, in each plane behind as many of the
    /// lanes before the first as a group has.
    pub backwards: u64,
    /// Whether it may use instructions that shift pairs of words ([`AvailableIsa::shifts_pairs`](crate::AvailableIsa::shifts_pairs)).
    pub pairs: bool,
}

/// The call of a kernel of bits alone for several rows that stand one behind the other, each with room for the places beyond its ends. The kernel moves what
/// lies to the side by itself: the pointers of all directions are to the places straight above, below, in front or behind, and so are those to the words of
/// presence, behind which stands one more, to the words that say where there are cells. Of the directions that differ in x alone the first one's pointers count.
///
/// The call of a kernel for rows of a strip is one as well: of each lane of a row an eighth of the pitch is counted.
#[repr(C)]
#[derive(Debug)]
pub struct CountedCall {
    /// The usual arguments.
    pub call: Call,
    /// Bytes that are computed of each plane, rounded up to whole vectors: all of them may be written, and words before and behind may be read. Of strips
    /// an eighth of all rows' lanes.
    pub bytes: u64,
    /// Of strips the row, which the kernel counts on.
    pub row: Cell<i32>,
}
