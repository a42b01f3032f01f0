//! From kernels to CUDA C, for the strategy `lanes`.
//!
//! [`emit`] prints one file that holds some kernels on one layout: readable, self-contained, the same for the same input.
//! What is the same for all rules stands in the skeleton `templates/lanes.cu`, which this module fills.
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
//! last one of each state, so that no load waits for a question. Whoever runs the kernels builds these tables once
//! ([`Tables`]). Superblocks farther away are found by coordinates ([`FarTables`]).
//!
//! # Loops
//!
//! Where a kernel looks far its superblocks are single cells, which look at many neighbours. What is computed of one after the other in the same
//! way, as `repeats` finds, is a loop over a table (`loops`).
//!
//! # Members
//!
//! Kernels for many members of an ensemble let small systems fill a device together ([`Members`]). They stand one
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
mod draws;
pub(super) mod expression;
mod far;
mod fold;
mod functions;
mod halo;
pub(super) mod helpers;
mod inputs;
mod lanes;
mod levels;
pub(super) mod literal;
mod loops;
mod members;
pub(super) mod names;
pub(super) mod operations;
pub(super) mod printer;
mod repeats;
mod rows;
mod second_body;
mod tables;
mod text;
mod threads;
pub(super) mod totals;
mod watched;
pub(super) mod words;

pub use abi::{
    GridWorld, LaneWorld, Level, MeasuredColumns, RowWorld, Shared, Sides, Term, Totals, Watch, shared_structs,
};
pub use far::FarTables;
pub use fold::{FOLD_DIGITS, FoldDigits, FoldLaunch, FoldPlace, FoldPlan, fold_kernel, fold_kind};
pub use levels::Levels;
pub use members::Members;
pub use tables::Tables;
pub use text::{Argument, CudaText, Entry};
pub use threads::{MOST_BLOCKS, THREADS};

use crate::kernel::Op;
use crate::layout::{Layout, Storage};
use crate::passes::Ready;
use crate::plan::{Plan, RegisterWindow, Window};
use crate::reduce::weighted_bits::WeightedBits;
use crate::target::speciality::Speciality;
use lanes::Writer;
use minijinja::context;
use names::Namer;
use operations::Used;
use text::{Program, function, render};
use watched::number_of_tiles;

/// What NVRTC must be told; nvcc knows the same flags.
pub const FLAGS: [&str; 4] = ["--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"];

/// Kernels that every simulation takes, whatever it computes and on what: digests, folds of floats, the neighbour table of superblocks.
pub fn measuring_kernels() -> String {
    let (columns, level) = (MeasuredColumns::text(), Level::text());
    [
        DIGEST,
        REDUCTIONS,
        &columns,
        include_str!("../../../templates/reduce.cu"),
        &level,
        include_str!("../../../templates/neighbours.cu"),
    ]
    .join("\n")
}

/// Kernels for [members as lanes](Members::AsLanes): what moves their states.
pub fn moving_kernels() -> String {
    include_str!("../../../templates/members.cu").replace("{{ sides }}\n", &Sides::text())
}

/// Functions of numbers that kernels mix bits with, as digests do.
pub const DIGEST: &str = include_str!("../../../templates/digest.cu");

const PROGRAM: &str = include_str!("../../../templates/program.cu");
const LANES: &str = include_str!("../../../templates/lanes.cu");

/// How reductions combine.
const REDUCTIONS: &str = include_str!("../../../templates/reductions.cu");

/// What kernels that add up have before them.
fn totals_text() -> String {
    format!("{REDUCTIONS}\n{}", include_str!("../../../templates/totals.cu").replace("{{ totals }}\n", &Totals::text()))
}

/// Programs with more draws call the functions for them.
const MOST_INLINED: usize = 128;

/// A kernel to be printed, and what becomes of what it computes.
#[derive(Clone, Copy)]
pub struct Job<'k> {
    /// The kernel, [`prepare`](crate::passes::prepare)d for [`Target::cuda`](crate::Target::cuda).
    pub kernel: &'k Ready,
    /// How many times a launch computes it: once, or as many times as a window of registers holds.
    pub times: u32,
    /// What becomes of it.
    pub end: End<'k>,
}

/// What becomes of what a kernel computes.
#[derive(Clone, Copy)]
pub enum End<'k> {
    /// It is stored.
    Store,
    /// It is stored and compared with the old content, by a kernel that computes the tiles of a list alone ([`Entry::tiles`]), of a plan whose units may
    /// rest. A text has one such kernel and no other, and the kernel `list_all`, whose only argument is a `Watch`.
    Compare,
    /// The [totals](crate::pipeline::compile_totals) in the place of the kernel's last states are added to the `Totals` that it is given, for each member: each block adds
    /// to one of several places there. Any number of blocks
    /// does, but for members: in turn they need one for all threads, and as lanes at least those of one column and at most [`MOST_BLOCKS`].
    AddUp(&'k [WeightedBits]),
}

impl<'k> End<'k> {
    /// What is added up, if anything.
    fn totals(self) -> &'k [WeightedBits] {
        match self {
            End::Store | End::Compare => &[],
            End::AddUp(totals) => totals,
        }
    }
}

impl<'k> Job<'k> {
    /// A kernel whose results are stored.
    pub fn new(kernel: &'k Ready) -> Job<'k> {
        Job { kernel, times: 1, end: End::Store }
    }

    /// As many steps at once as a window of registers holds, of a rule whose step is these kernels, if the plan says so.
    pub fn in_window(plan: &Plan, step: &'k [Ready]) -> Option<Job<'k>> {
        match plan.window {
            Window::Registers => Some(Job { times: RegisterWindow::STEPS, ..Job::new(step.first()?) }),
            Window::Kernel | Window::Band { .. } => None,
        }
    }
}

/// Prints kernels of a plan, of one simulation or of many members, under some lines of `head`. Those of masks and boxes are launched in units of rows.
///
/// # Panics
/// If a kernel is of another plan, if members are to be lanes and a kernel draws, or if one that adds up draws.
pub fn emit<'k>(plan: &Plan, members: Members, jobs: impl IntoIterator<Item = Job<'k>>, head: &[String]) -> CudaText {
    let jobs: Vec<Job> = jobs.into_iter().collect();
    let Program { world, functions, kernels, entries } = match &*plan.storage {
        Storage::Replicas(layout) => print(layout, members, &jobs),
        Storage::Rows(grid) => rows::print(grid, false, &jobs),
        Storage::Packed(grid) => rows::print(grid, true, &jobs),
    };
    let text = render(PROGRAM, context! { head => head.to_vec(), world, functions, kernels });
    CudaText { text, entries }
}

/// Prints kernels whose lanes are replicas, or members.
fn print(layout: &Layout, members: Members, jobs: &[Job]) -> Program {
    // The kernels of initial values, which load nothing, run once.
    let count_draws = |kernel: &Ready| {
        kernel.nodes.iter().filter(|node| matches!(node.op, Op::Random { .. } | Op::RandomBit { .. })).count()
    };
    let draws = |kernel: &Ready| kernel.interface().loads() && count_draws(kernel) > 0;
    let all_draws = jobs.iter().map(|job| count_draws(job.kernel)).sum::<usize>();
    let mut used = Used {
        draws_once: !jobs.iter().any(|job| draws(job.kernel)),
        draws_often: all_draws > MOST_INLINED,
        words_alone: jobs.iter().any(|job| job.kernel.off().has(Speciality::SharedWords)),
        flushed_sums: jobs.iter().any(|job| job.kernel.flush),
        reversed_levels: layout.middle().replicas().collect(),
        ..Used::default()
    };
    let mut names = Namer::new();
    let mut program = Program::default();
    for Job { kernel, end, .. } in jobs {
        let mut entry = Entry::new(names.name(&kernel.name), kernel, end.totals().len());
        if matches!(end, End::Compare) {
            entry.tiles = number_of_tiles(u64::from(layout.superblocks()));
        }
        let (arguments, body) = Writer::new(kernel, layout, members, *end, &mut used).print(&mut entry);
        let parameters = arguments.into_iter().chain(["const World world".to_owned()]);
        program.kernels.push(function(&about(kernel, &entry), true, &entry.name, parameters, &body));
        program.entries.push(entry);
    }
    if program.entries.iter().any(|entry| entry.adds_up) {
        program.functions.push(totals_text());
    }
    program.functions.extend(used.texts());
    if jobs.iter().any(|job| matches!(job.end, End::Compare)) {
        program.functions.extend([watched::store(), watched::list_of_superblocks(layout)]);
    }
    let (shape, far) = (members.shape(layout), used.far.text(layout, members.in_turn()));
    let directions = crate::kernel::Direction::count(layout.dimension());
    let values = context! {
        lanes => shape.lanes,
        words => shape.words,
        stride => shape.stride,
        micro_cells => layout.micro_cells(),
        members => members.in_turn(),
        as_lanes => members.as_lanes(),
        superblocks => layout.superblocks(),
        params => members.params(),
        places => directions + 1,
        directions,
        term => Term::text().trim_end().to_owned(),
        world => LaneWorld::text_for(members.in_turn(), !far.is_empty()).trim_end().to_owned(),
        far,
    };
    program.world = render(LANES, values).trim_end().to_owned();
    program
}

/// What a reader wants to know of a kernel.
fn about(kernel: &Ready, entry: &Entry) -> Vec<String> {
    let cells = kernel.micro.cells.len();
    let steps = if kernel.steps == 1 { "one step".to_owned() } else { format!("{} steps", kernel.steps) };
    let per_thread = if kernel.interface().bitwise_lanes { "one word of 32 lanes" } else { "one lane" };
    let statistics = crate::passes::Statistics::of(kernel);
    vec![
        format!(
            "{}: {steps} of {cells} micro cells; a thread takes {per_thread}, a superblock {} threads.",
            kernel.name, entry.threads
        ),
        format!("{statistics}"),
    ]
}
