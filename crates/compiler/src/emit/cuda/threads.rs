//! Threads of a kernel, and the beginning of each: its superblock, and its part of the columns.

use crate::kernel::Neighbours;
use crate::layout::Layout;
use crate::passes::Ready;
use crate::target::Members;
use crate::target::speciality::Speciality;
pub(super) use crate::target::warps::{ColumnThreads, LaneWork, Takes};

/// Threads of one block. Guess: not measured.
pub const THREADS: u32 = 128;

/// The most blocks of a kernel that adds up (but of many members): enough to fill any GPU, and few to add to the same places. Guess: not measured.
pub const MOST_BLOCKS: u32 = 4096;

/// The threads of a superblock for a kernel that `stores_bits`, or that none. If the domain is `cut` the superblocks of a part are not those that follow each other
/// by reversed number.
pub(super) fn column_threads(
    ready: &Ready,
    layout: &Layout,
    (members, cut): (Members, bool),
    stores_bits: bool,
) -> ColumnThreads {
    let (interface, off) = (ready.interface(), ready.off());
    // Members draw for themselves: the cells of a warp have no planes in common.
    let work = LaneWork {
        bits: interface.bitwise_lanes,
        decides: interface.decides && !members.as_lanes(),
        beside: ready.neighbours == Neighbours::Beside,
        words: !interface.random.is_empty() && !members.as_lanes(),
        stores_bits,
    };
    let allows = |speciality| !(cut && speciality == Speciality::SharedPlanes) && off.allows(speciality);
    ColumnThreads::of(work, layout, members.shape(layout).lanes, members.in_turn(), allows)
}

impl ColumnThreads {
    /// Which words or lane a thread takes.
    pub(crate) fn place(&self) -> Vec<String> {
        let of_all = format!("const u32 place = (u32)(thread % {});", self.count);
        let lines: &[&str] = match self.takes {
            Takes::Quad if self.count == 1 => &["const u32 quad = 0;"],
            Takes::Quad => &["const u32 quad = (u32)(thread % QUADS);"],
            Takes::Word if self.idle => &[
                "// Threads beyond the last word make random bits for others, and store nothing.",
                &of_all,
                "const u32 word = place < WORDS ? place : WORDS - 1;",
            ],
            Takes::Word if self.count == 1 => &["const u32 word = 0;"],
            Takes::Word => &["const u32 word = (u32)(thread % WORDS);"],
            Takes::Lane if self.whole_warps => &[
                "// Threads beyond the last lane do what it does.",
                "const u32 place = (u32)(thread % (32 * WORDS));",
                "const u32 lane = place < LANES ? place : LANES - 1;",
            ],
            Takes::Lane => &["const u32 lane = (u32)(thread % LANES);"],
        };
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    /// The unit (thread, word or warp) whose cells are numbered consecutively, and its first lane, as CUDA expressions.
    pub(crate) fn first_lane(&self) -> (&'static str, &'static str) {
        match self.takes {
            Takes::Quad => ("thread", "128 * quad"),
            Takes::Word if self.idle => ("word", "32 * place"),
            Takes::Word => ("word", "32 * word"),
            Takes::Lane => ("warp", "place / 32 * 32"),
        }
    }
}

/// The type that numbers the threads of all superblocks and `beyond` more.
pub(super) fn counter(layout: &Layout, threads: u64, beyond: u32) -> &'static str {
    let threads = u64::from(layout.superblocks()) * threads;
    if threads + u64::from(beyond) <= u64::from(u32::MAX) { "u32" } else { "u64" }
}

/// The beginning of a kernel with `threads` threads a superblock: which thread it is, and of which superblock. Threads of a kernel that adds up
/// go on to other superblocks, or, of many members, all stay until the end; both open a block, which is closed behind all that threads do alone.
pub(super) fn enter(layout: &Layout, threads: u64, members: Members, adds_up: bool) -> Vec<String> {
    if adds_up && members.as_lanes() {
        return enter_lanes(threads);
    }
    let number = if threads == 1 { "thread".to_owned() } else { format!("thread / {threads}") };
    let in_member = format!(
        "const u32 member = (world.first + {number}) / MEMBER_BLOCKS, superblock = member_superblock % MEMBER_BLOCKS;"
    );
    let beyond = if adds_up { THREADS * MOST_BLOCKS } else { THREADS };
    let counter = if members.in_turn() { "u32" } else { counter(layout, threads, beyond) };
    let wide = if counter == "u64" { "(u64)" } else { "" };
    let first = format!("{counter} thread = {wide}blockIdx.x * {THREADS} + threadIdx.x");
    let block = if counter == "u64" { format!("(u32)(thread / {threads})") } else { number };
    let name = members.names().superblock;
    let superblock = format!("const u32 {name} = world.first + {block};");
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let declared = format!("const {first};");
    let beyond = format!("if ({name} >= world.end) {{");
    match (adds_up, members.in_turn()) {
        (false, false) => lines(&[&declared, &superblock, &beyond, "    return;", "}"]),
        (false, true) => lines(&[&declared, &superblock, &beyond, "    return;", "}", &in_member]),
        (true, false) => {
            let all = format!("for ({first};; thread += {wide}gridDim.x * {THREADS}) {{");
            lines(&[&all, &superblock, &beyond, "    break;", "}"])
        }
        (true, true) => {
            let here = format!("const bool is_here = {name} < world.end;");
            lines(&[&declared, &superblock, &here, &in_member, "if (is_here) {"])
        }
    }
}

/// The same where the threads of a warp need each other: in the last warp, threads beyond the last superblock repeat that superblock. Each of many members
/// begins with a warp, and has `filled` superblocks once its last warp is filled up. The function `reversed` gives the numbers by which the superblocks of
/// a warp follow each other.
pub(super) fn enter_whole_warps(layout: &Layout, threads: u64, filled: Option<u32>, reversed: &str) -> Vec<String> {
    let counter = if filled.is_some() { "u32" } else { counter(layout, threads, THREADS) };
    let (wide, narrow) = if counter == "u64" { ("(u64)", "(u32)") } else { ("", "") };
    let mut lines = vec![format!("const {counter} thread = {wide}blockIdx.x * {THREADS} + threadIdx.x;")];
    let end = match filled {
        Some(filled) => {
            lines.extend([
                format!("const u32 member = thread / {};", u64::from(filled) * threads),
                format!("const u32 own_number = thread / {threads} % {filled};"),
                "if (member * MEMBER_BLOCKS >= world.end) {".to_owned(),
            ]);
            "UNITS"
        }
        None => {
            lines.extend([
                format!("const u32 own_number = world.first + {narrow}(thread / {threads});"),
                format!("if (world.first + {narrow}((thread - threadIdx.x % 32) / {threads}) >= world.end) {{"),
            ]);
            "world.end"
        }
    };
    lines.extend(["    return;", "}"].map(str::to_owned));
    let number = format!("own_number < {end} ? own_number : {end} - 1");
    lines.extend([
        "// By their reversed numbers the warp's superblocks follow each other.".to_owned(),
        format!("const u64 number = {number};"),
        format!("const u32 superblock = (u32){reversed}(number);"),
    ]);
    if filled.is_some() {
        lines.push("const u32 member_superblock = member * MEMBER_BLOCKS + superblock;".to_owned());
    }
    lines
}

/// Target number of threads for sums of each member: kernels that count bits of words, and kernels with one lane a thread.
/// Guess: an H100 runs 270 000 at once.
const COUNTING_THREADS: u64 = 24 << 10;
const ADDING_THREADS: u64 = 128 << 10;

/// Superblocks that a thread adds up, where lanes are members and a column takes `threads` threads.
pub(super) fn superblocks_of_thread(layout: &Layout, threads: usize, bitwise: bool) -> u32 {
    let wanted = if bitwise { COUNTING_THREADS } else { ADDING_THREADS };
    let superblocks = u64::from(layout.superblocks());
    (superblocks * threads as u64).div_ceil(wanted).clamp(1, superblocks.max(1)) as u32
}

/// The same where the lanes of columns are members that are added up: a thread keeps its word or lane, and takes every so-many-th superblock.
fn enter_lanes(threads: u64) -> Vec<String> {
    vec![
        "// A thread takes a word or a lane of every so-many-th superblock.".to_owned(),
        format!(
            "const u32 thread = blockIdx.x * {THREADS} + threadIdx.x, all_threads = gridDim.x * {THREADS} / {threads} * {threads};"
        ),
        format!("const u32 first_superblock = thread < all_threads ? world.first + thread / {threads} : world.end;"),
        format!(
            "for (u32 superblock = first_superblock; superblock < world.end; superblock += all_threads / {threads}) {{"
        ),
    ]
}
