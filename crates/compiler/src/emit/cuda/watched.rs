//! Kernels that compute only some tiles, and tell which ones the next pass has to compute.
//!
//! A tile is a superblock, or the places of rows that a block of threads computes (`rows/ends.rs`). Threads do the same as in the kernel of all tiles,
//! but for stores, which compare the new value with the old one there, of the state of two passes ago. `templates/listed.cu` keeps the lists.

use super::abi::Watch;
use super::text::render_section;
use super::threads::{MOST_BLOCKS, THREADS, counter};
use crate::layout::Layout;
use minijinja::context;

/// How values are stored, and which tiles are listed.
pub(super) const LISTED: &str = include_str!("../../../templates/listed.cu");

/// The number of tiles, if these and the threads that list them can be numbered.
pub(super) fn number_of_tiles(tiles: u64) -> Option<u32> {
    u32::try_from(tiles).ok().filter(|tiles| *tiles < u32::MAX - 4 * THREADS)
}

/// How values are stored that are compared.
pub(super) fn store() -> String {
    format!("{}\n", render_section(LISTED, "Store", context! {}))
}

/// The text before kernels that take their tiles from a list of at most `tiles`.
pub(super) fn list(tiles: u64) -> String {
    render_section(LISTED, "List", context! { tiles, threads => THREADS, watch => Watch::text().trim_end().to_owned() })
}

/// The same for superblocks, with the function that lists the ones beside one.
pub(super) fn list_of_superblocks(layout: &Layout) -> String {
    let list = list(u64::from(layout.superblocks()));
    format!("{list}\n\n{}", render_section(LISTED, "Superblocks", context! {}))
}

/// The beginning of a kernel of `threads` threads a superblock; it opens two blocks.
pub(super) fn enter(layout: &Layout, threads: u64) -> Vec<String> {
    let counter = counter(layout, threads, THREADS * MOST_BLOCKS);
    let wide = if counter == "u64" { "(u64)" } else { "" };
    let number = |of: &str| if threads == 1 { of.to_owned() } else { format!("{of} / {threads}") };
    vec![
        "after_pass_before();".to_owned(),
        "if (blockIdx.x == 0 && threadIdx.x == 0) {".to_owned(),
        "    *watch.later_count = 0;".to_owned(),
        "}".to_owned(),
        "const u32 count = *watch.count;".to_owned(),
        "// A warp goes on as long as one of its threads has a superblock.".to_owned(),
        format!(
            "for ({counter} first = {wide}blockIdx.x * {THREADS} + threadIdx.x / 32 * 32; {} < count; first += {wide}gridDim.x * {THREADS}) {{",
            number("first")
        ),
        format!("    const {counter} thread = first + threadIdx.x % 32;"),
        format!("    const bool is_here = {} < count;", number("thread")),
        format!("    const u32 superblock = watch.list[is_here ? {} : 0];", number("thread")),
        "    bool changed = false;".to_owned(),
        "    if (is_here) {".to_owned(),
    ]
}

/// The end of these blocks.
pub(super) fn leave(threads: u64) -> Vec<String> {
    let first = if threads == 1 { String::new() } else { format!(" && thread % {threads} == 0") };
    vec![
        "    }".to_owned(),
        "    list_beside(world, watch, superblock, changed);".to_owned(),
        format!("    if (is_here{first}) {{"),
        "        take_away(watch, superblock);".to_owned(),
        "    }".to_owned(),
        "}".to_owned(),
    ]
}
