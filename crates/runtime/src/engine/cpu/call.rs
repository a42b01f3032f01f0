//! The interface between the driver and compiled kernels.
//!
//! A compiled kernel is a function that does the work of one superblock. It was compiled for one [`Shape`], so that all
//! offsets inside a superblock are constants; what differs from superblock to superblock comes in a [`Call`], whose fields compilers find by `offset_of!`.
//!
//! Memory: a superblock's columns of one state form a block, in which [`columns`](squeeze_compiler::layout::columns) says where
//! each stands. What stands in the bits and values beyond the last lane is unspecified, on both sides.
//!
//! Neighbour superblocks are given by base pointers too. Where a neighbour does not exist, or lies in another lane, the
//! driver points to a block of zeros or of columns with their lanes permuted, so that a kernel never asks; on masks and boxes there may be anything in lanes without a neighbour if that cannot matter
//! (`Halo::guarded`). Only the columns that the kernel loads are valid in such blocks.
//!
//! Reading is allowed up to [`OVERREAD`] bytes beyond any column, and beyond the words of a presence and the lanes' corners, so
//! that a kernel may load whole vectors. Writing is allowed inside the written column only: the columns behind it may belong to another thread.

include!("../../../templates/call.rs");

pub use squeeze_compiler::layout::columns::{GROUP, Shape};

/// How many bytes behind a column a kernel may read (but not use).
pub const OVERREAD: usize = 64;

/// The order in which columns are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// That of superblocks, of states that caches hold.
    Cached,
    /// That of superblocks, whose neighbours stand anywhere.
    Superblocks,
    /// Row after row of a domain, whose columns stand in memory as they lie.
    Rows,
}
