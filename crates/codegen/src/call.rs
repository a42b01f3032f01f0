//! The arguments of a compiled kernel, and the order of its calls.

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
    /// Several padded rows of bits at once, as a [`PaddedCall`] says.
    Padded(PaddedRows),
}

/// How a kernel computes padded rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddedRows {
    /// Whether holes are stored as 0.
    pub masked: bool,
    /// Whether it may use instructions that shift pairs of words ([`AvailableIsa::shifts_pairs`](crate::AvailableIsa::shifts_pairs)).
    pub pairs: bool,
}

/// The call of a kernel of bits alone for several rows that stand one behind the other, each with room for the places beyond its ends. The kernel moves what
/// lies to the side by itself: the pointers of all directions are to the places straight above, below, in front or behind, and so are those to the words of
/// presence, behind which stands one more, to the words that say where there are cells. Of the directions that differ in x alone the first one's pointers count.
#[repr(C)]
#[derive(Debug)]
pub struct PaddedCall {
    /// The usual arguments.
    pub call: Call,
    /// Bytes that are computed of each plane, rounded up to whole vectors: all of them may be written, and words before and behind may be read.
    pub bytes: u64,
}
