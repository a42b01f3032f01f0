//! Which threads a kernel has, and what each of them begins with: the superblock that it serves.

use crate::layout::Layout;

/// Threads of one block.
pub const THREADS: u32 = 128;

/// Blocks of a kernel that adds up, but of many members, are at most so many: enough to fill any GPU, and few to add to the same places.
pub const MOST_BLOCKS: u32 = 4096;

/// The most members whose threads, as many a superblock as `threads` says, are numbered by 32 bits.
pub fn most_members(layout: &Layout, threads: u32) -> u32 {
    (u32::MAX - THREADS) / (layout.superblocks().saturating_mul(threads)).max(1)
}

/// The type that numbers the threads of all superblocks, and so many beyond them.
pub(super) fn counter(layout: &Layout, threads: u64, beyond: u32) -> &'static str {
    let threads = u64::from(layout.superblocks()) * threads;
    if threads + u64::from(beyond) <= u64::from(u32::MAX) { "u32" } else { "u64" }
}

/// What a kernel with so many threads a superblock begins with: which thread it is, and of which superblock. Those of a kernel that adds up
/// go on to others, or, of many members, all stay until the end; both open a block, which is closed behind all that threads do alone.
pub(super) fn enter(layout: &Layout, threads: u64, members: bool, adds_up: bool) -> Vec<String> {
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

/// The number of the superblock among those of all members: where its columns are.
pub(super) fn superblock(members: bool) -> &'static str {
    if members { "member_superblock" } else { "superblock" }
}

/// Which superblock of which member.
const MEMBER: &str =
    "const u32 member = member_superblock / SUPERBLOCKS, superblock = member_superblock % SUPERBLOCKS;";
