//! Machine code for kernels: a verified kernel becomes a function for this processor, and knows nothing of who calls it.
//!
//! A compiled kernel is a function that does the work of one superblock. It was compiled for one [`Shape`](squeeze_compiler::layout::columns::Shape), so that all
//! offsets inside a superblock are constants; values that differ from superblock to superblock come in a [`Call`], whose fields compilers find by `offset_of!`.
//!
//! Memory: a superblock's columns of one state form a block, in which [`columns`](squeeze_compiler::layout::columns) says where
//! each stands. Bits and values beyond the last lane are unspecified, on both sides.
//!
//! Neighbour superblocks are given by base pointers too. Where a neighbour does not exist, or lies in another lane, the
//! driver points to a block of zeros or of columns with their lanes permuted, so that a kernel never asks; on masks and boxes there may be anything in lanes without a neighbour if that cannot matter
//! (`Halo::guarded`). Only the columns that the kernel loads are valid in such blocks.
//!
//! Reading is allowed up to [`OVERREAD`](squeeze_compiler::layout::columns::OVERREAD) bytes beyond any column, and beyond the words of a presence and the lanes' corners, so
//! that a kernel may load whole vectors. Writing is allowed inside the written column only: the columns behind it may belong to another thread.

mod call;
mod code;
mod error;
mod formulas;
mod helpers;
mod isa;
#[cfg(all(target_arch = "x86_64", unix))]
pub mod machine;
#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
pub mod native;
#[cfg(test)]
mod tests;

pub use call::{Call, ColumnOrder, CountedCall, KernelFn, PaddedRows, SplitRows, StripLoop};
pub use code::{Code, check_execution, compile};
pub use error::CodeError;
pub use isa::{AvailableIsa, Isa, passes};
