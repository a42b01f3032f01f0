//! From kernels to CUDA C, for the strategy `lanes`.
//!
//! [`emit`] prints one file that holds some kernels on one layout: readable, self-contained, the same for the same input.
//! The frame of a file stands in `templates/program.cu`; what all rules on lanes have in common, in `templates/lanes.cu`, on rows in `templates/rows.cu`.
//!
//! # Threads
//!
//! A kernel whose lanes know bits alone has a thread for each (superblock, word of a column): neighbouring threads take
//! neighbouring words, and 32 lanes go through each operation at once. Where it decides random bits, a thread takes four words, whose
//! planes are of one block, or of those that its warp shares (`target::warps::ColumnThreads`); elsewhere four threads share the planes of 128 lanes, and a
//! superblock may have threads beyond its last word.
//! Where a domain has no holes such a kernel has two bodies: a short one for warps whose superblocks have all their neighbours, and the one for all others.
//! Every other kernel has a thread for each (superblock, lane). If such a kernel stores bits, the lanes are filled up to whole warps, which gather the bits of a word
//! by a vote; so they are where that wastes few threads, too, because a warp of a single superblock reads each column in one piece.
//!
//! # Neighbours
//!
//! First each thread loads all halo columns: from the neighbour superblock in its own lane, or, on
//! the border, from other lanes by the tables of `World`. A neighbour that exists in no lane is a superblock that is 0 and stands behind the
//! last one of each state, so loads need no branch. The engine that runs the kernels builds these tables once
//! ([`LayoutTables`]). Superblocks farther away are found by coordinates ([`FarTables`]).
//!
//! # Loops
//!
//! Where a kernel looks far its superblocks are single cells, which look at many neighbours. Code that is the same for one neighbour after the other,
//! as `repeats` finds, is a loop over a table (`loops`).
//!
//! # Members
//!
//! Kernels for many members of an ensemble let small systems fill a device together ([`Members`](crate::target::Members)). They stand one
//! after the other, with a thread for each (member, superblock, word or lane): they share the tables and have seeds and parameters of their own.
//! Or they are the lanes of the same columns: then whatever the fractal is, words are full, no lane moves, and a neighbour exists in all lanes or in none.
//!
//! # Exactness
//!
//! The files must be compiled without contraction, with IEEE division and square root and with subnormals: [`FLAGS`].
//! Everything else is said by the code itself: integers wrap by way of u32, functions are those of `numbers`.
//!
//! # Order of passes
//!
//! From architecture 9.0 on a pass of replica lanes begins before the one before it has ended. A kernel may then touch a state only after `after_pass_before()`, through pointers
//! that its result was added to. Old buffers are not `__restrict__`: the compiler would read them through a cache that does not wait.

#[doc(hidden)]
pub mod abi;
mod clusters;
mod draws;
pub(super) mod expression;
mod far;
mod fold;
mod functions;
mod halo;
#[doc(hidden)]
pub mod header;
pub(super) mod helpers;
mod inputs;
mod job;
mod lanes;
mod levels;
mod literal;
mod loops;
mod members;
mod names;
mod operations;
mod printer;
mod repeats;
mod rows;
mod second_body;
mod tables;
mod text;
mod threads;
mod totals;
mod watched;
mod words;

pub use abi::{ClusterDraw, ClusterField, ClusterTiles, ClusterWork};
pub use abi::{HostStruct, LaneWorld, Level, MeasuredColumns, RowWorld, Term, Totals, Watch, shared_structs};
pub use clusters::{TILES_OF_BLOCK, cluster_kernels};
#[doc(hidden)]
pub use expression::{Corner, RandomClass};
pub use far::FarTables;
pub use fold::{FOLD_DIGITS, FoldDigits, FoldLaunch, FoldPlace, FoldPlan, fold_kernel, fold_kind};
pub use job::{End, Job};
pub use levels::Levels;
#[doc(hidden)]
pub use literal::literal;
pub use names::Namer;
#[doc(hidden)]
pub use operations::{UsedFunctions, parameter};
#[doc(hidden)]
pub use printer::{CellPlacement, Printer, StateNames};
pub use tables::LayoutTables;
pub use text::{CudaText, Entry, Head, KernelArgument, PREFIX};
pub use threads::{MOST_BLOCKS, THREADS};
#[doc(hidden)]
pub use words::c_type;

use crate::layout::{Geometry, StoredAs};
use crate::plan::Plan;
use minijinja::context;
use text::{PrintedParts, render};
use totals::REDUCTIONS;

/// The flags of NVRTC; nvcc knows the same ones.
pub const FLAGS: [&str; 4] = ["--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"];

/// Kernels that every simulation takes, whatever it computes and on what: digests, folds of floats, the neighbour table of superblocks, looks at one of
/// [members as lanes](crate::target::Members::AsLanes).
pub fn measuring_kernels() -> String {
    let (columns, level) = (MeasuredColumns::text(), Level::text());
    [
        DIGEST,
        REDUCTIONS,
        &columns,
        COLUMNS,
        include_str!("../../../templates/reduce.cu"),
        &level,
        include_str!("../../../templates/neighbours.cu"),
        include_str!("../../../templates/members.cu"),
        include_str!("../../../templates/ghosts.cu"),
    ]
    .join("\n")
}

/// Kernels that read some cells of a state and sum blocks of them, whatever the simulation.
pub fn look_kernels() -> String {
    [REDUCTIONS, &MeasuredColumns::text(), COLUMNS, include_str!("../../../templates/looks.cu")].join("\n")
}

/// Functions of numbers that kernels mix bits with, as digests do.
pub const DIGEST: &str = include_str!("../../../templates/digest.cu");

const COLUMNS: &str = include_str!("../../../templates/columns.cu");
const PROGRAM: &str = include_str!("../../../templates/program.cu");

/// Prints kernels of a plan, under the lines of `head`. Kernels of masks and boxes are launched in units of rows.
///
/// # Panics
/// If a kernel is of another plan, or if one that adds up draws.
pub fn emit<'k>(plan: &Plan, jobs: impl IntoIterator<Item = Job<'k>>, head: &Head) -> CudaText {
    let jobs: Vec<Job> = jobs.into_iter().collect();
    let PrintedParts { skeleton, world, functions, kernels, entries } = match &plan.storage.geometry {
        Geometry::Replicas(layout) => {
            lanes::print(layout, (plan.members, plan.derived().end(), plan.storage.is_cut()), &jobs, head)
        }
        Geometry::Rows(grid) => rows::print(grid, plan.storage.memory == StoredAs::Cells, &jobs, head),
    };
    let text = render(PROGRAM, context! { head => head.lines.clone(), world => skeleton, functions, kernels });
    CudaText { text, entries, world }
}
