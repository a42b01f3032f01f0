//! The strategies of the papers on CUDA: blocks of side ρ, visited and kept expanded or compact.
//!
//! [`BlockGrid`] says how a fractal is laid out; [`emit`] prints the kernels of a rule on it as one file of CUDA C. Code of all
//! strategies stands in the skeleton `templates/papers/grid.cu`, that of strategies with expanded memory in `expanded.cu` beside it,
//! that of `squeeze` in `squeeze.cu`, and the ways to compute the maps in `maps`.
//!
//! A thread computes a kernel of `compile_cell` for a cell, from the same lowering as all others, printed by `cell`.
//!
//! # A group
//!
//! [`StrategyText::threads`] threads take a group of blocks, as many as have a cell for each thread:
//!
//! 1. λ says where the group's blocks lie (`bounding-box` divides their number instead, and leaves if all are holes);
//! 2. ν says under which numbers the blocks around each are kept (where memory is expanded, only whether they exist, and only if
//!    the rule asks);
//! 3. `squeeze` copies each block and its halo to a tile of shared memory;
//! 4. a thread computes the rule for a cell, and the next cell of the group.
//!
//! # Memory
//!
//! A value takes its natural width, a bit one byte. Expanded memory is the box in reading order. Compact memory keeps block after
//! block in the order of compact space, each expanded to ρ^D places. Holes hold zeros: no kernel writes there, and memory begins
//! as zeros.
//!
//! # Exactness
//!
//! As the rest of the back end: [`FLAGS`](squeeze_compiler::emit::cuda::FLAGS). Tensor cores are used only where `exact` shows that no product rounds.

mod cell;
mod exact;
mod kernel;
mod levels;
mod plan;
mod scalar;
mod tensor;
mod text;

pub use exact::{Fragment, Inexact, LimbRow, Product};
pub use kernel::StrategyKernel;
pub use plan::{BlockGrid, GridError, MapUnit, Strategy};
pub use text::{StrategyText, emit, emit_maps, reader, writer};
