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
}
