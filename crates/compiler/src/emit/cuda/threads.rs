//! Which threads a kernel has, and what each of them begins with: the superblock that it serves.

use super::members::Members;
use crate::layout::Layout;

/// Threads of one block.
pub const THREADS: u32 = 128;

/// Blocks of a kernel that adds up, but of many members, are at most so many: enough to fill any GPU, and few to add to the same places.
pub const MOST_BLOCKS: u32 = 4096;

/// The type that numbers the threads of all superblocks, and so many beyond them.
pub(super) fn counter(layout: &Layout, threads: u64, beyond: u32) -> &'static str {
    let threads = u64::from(layout.superblocks()) * threads;
    if threads + u64::from(beyond) <= u64::from(u32::MAX) { "u32" } else { "u64" }
}

/// What a kernel with so many threads a superblock begins with: which thread it is, and of which superblock. Those of a kernel that adds up
/// go on to others, or, of many members, all stay until the end; both open a block, which is closed behind all that threads do alone.
pub(super) fn enter(layout: &Layout, threads: u64, members: Members, adds_up: bool) -> Vec<String> {
    if adds_up && members.as_lanes() {
        return enter_lanes(threads);
    }
    let members = members.in_turn();
    let beyond = if adds_up { THREADS * MOST_BLOCKS } else { THREADS };
    let counter = if members { "u32" } else { counter(layout, threads, beyond) };
    let wide = if counter == "u64" { "(u64)" } else { "" };
    let first = format!("{counter} thread = {wide}blockIdx.x * {THREADS} + threadIdx.x");
    let block = match (counter, threads) {
        ("u64", _) => format!("(u32)(thread / {threads})"),
        (_, 1) => "thread".to_owned(),
        _ => format!("thread / {threads}"),
    };
    let name = superblock(members);
    let superblock = format!("const u32 {name} = world.first + {block};");
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let declared = format!("const {first};");
    let beyond = format!("if ({name} >= world.end) {{");
    match (adds_up, members) {
        (false, false) => lines(&[&declared, &superblock, &beyond, "    return;", "}"]),
        (false, true) => lines(&[&declared, &superblock, &beyond, "    return;", "}", MEMBER]),
        (true, false) => {
            let all = format!("for ({first};; thread += {wide}gridDim.x * {THREADS}) {{");
            lines(&[&all, &superblock, &beyond, "    break;", "}"])
        }
        (true, true) => {
            let here = format!("const bool is_here = {name} < world.end;");
            lines(&[&declared, &superblock, &here, MEMBER, "if (is_here) {"])
        }
    }
}

/// The same where the threads of a warp need each other: those beyond the last superblock, in a warp that has some, do what that does. Each of many members
/// begins with a warp, and has so many superblocks with those that fill up its last. With the name of a function that reverses the digits of
/// numbers, the superblocks of a warp follow each other by their reversed numbers.
pub(super) fn enter_whole_warps(
    layout: &Layout,
    threads: u64,
    filled: Option<u32>,
    reversed: Option<&str>,
) -> Vec<String> {
    let counter = if filled.is_some() { "u32" } else { counter(layout, threads, THREADS) };
    let (wide, narrow) = if counter == "u64" { ("(u64)", "(u32)") } else { ("", "") };
    let mut lines = vec![format!("const {counter} thread = {wide}blockIdx.x * {THREADS} + threadIdx.x;")];
    let end = match filled {
        Some(filled) => {
            lines.extend([
                format!("const u32 member = thread / {};", u64::from(filled) * threads),
                format!("const u32 own_number = thread / {threads} % {filled};"),
                "if (member * SUPERBLOCKS >= world.end) {".to_owned(),
            ]);
            "SUPERBLOCKS"
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
    match reversed {
        Some(reversed) => lines.extend([
            "// By their reversed numbers the warp's superblocks follow each other.".to_owned(),
            format!("const u64 number = {number};"),
            format!("const u32 superblock = (u32){reversed}(number);"),
        ]),
        None => lines.push(format!("const u32 superblock = {number};")),
    }
    if filled.is_some() {
        lines.push("const u32 member_superblock = member * SUPERBLOCKS + superblock;".to_owned());
    }
    lines
}

/// About so many threads add up what members have in the lanes of columns: of words, whose lanes are counted and taken apart, and of single lanes.
const COUNTING_THREADS: u64 = 24 << 10;
const ADDING_THREADS: u64 = 128 << 10;

/// How many superblocks a thread adds up, where lanes are members and a column takes so many threads.
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

/// The number of the superblock among those of all members: where its columns are.
pub(super) fn superblock(members: bool) -> &'static str {
    if members { "member_superblock" } else { "superblock" }
}

/// Which superblock of which member.
const MEMBER: &str =
    "const u32 member = member_superblock / SUPERBLOCKS, superblock = member_superblock % SUPERBLOCKS;";
