//! The roads: code that the emitter of CUDA C prints for some kernels and not for others, told by the text, and work that the engine does in some
//! simulations and not in others, which it tells ([`squeeze::cuda::Road`]). Each must be taken by some case.
//!
//! Code for more than 2^32 threads, columns or cells alone is no road: no machine could compare it.
//!
//! A new speciality gets a road here: by what the printed text of its kernels shows or, if it is the engine's, by a variant of `Road`. `matrix roads --case NAME` runs one
//! case and names its roads. `tests/shim.rs` runs all of them without a GPU, `tests/gpu/all.sh roads` with one.

use squeeze::compiler::Speciality;
use squeeze::compiler::emit::cuda::{look_kernels, measuring_kernels};
use squeeze::cuda::{Road, Trace};
use std::collections::BTreeSet;

/// One kernel of a text.
struct Kernel<'t> {
    /// The text before the first kernel: constants and functions.
    head: &'t str,
    /// The comment that says how many steps it computes.
    about: &'t str,
    /// From its name on.
    text: &'t str,
}

impl Kernel<'_> {
    fn has(&self, part: &str) -> bool {
        self.text.contains(part)
    }

    fn declares(&self, part: &str) -> bool {
        self.head.contains(part)
    }

    /// Of replica lanes, or of members as lanes.
    fn of_lanes(&self) -> bool {
        self.declares("constexpr u32 MICRO_CELLS")
    }

    fn of_rows(&self) -> bool {
        self.declares("constexpr u32 COLUMNS_OF_ROW")
    }

    fn in_turn(&self) -> bool {
        self.declares("constexpr u32 MEMBER_BLOCKS")
    }

    fn as_lanes(&self) -> bool {
        self.declares("// The lanes are members of an ensemble")
    }

    fn alone(&self) -> bool {
        self.of_lanes() && !self.in_turn() && !self.as_lanes()
    }

    fn is_packed(&self) -> bool {
        self.declares("constexpr u64 PLANE_WORDS")
    }

    fn is_full(&self) -> bool {
        self.declares("constexpr bool FULL = true")
    }

    /// Several steps over rows, in registers.
    fn window(&self) -> bool {
        self.of_rows() && self.about.contains(" steps; a warp takes")
    }

    /// Several steps of numbers over rows, one behind the other.
    fn march(&self) -> bool {
        self.of_rows() && self.about.contains(" steps; a warp goes down ")
    }

    /// Whether it computes steps and adds up their results.
    fn steps_add_up(&self) -> bool {
        self.has("const Totals totals") && self.has("__restrict__ new_")
    }

    fn adds_up(&self) -> bool {
        self.has("const Totals totals")
    }

    /// The superblocks of a member with those that fill up its last warp are more than without.
    fn fills_up(&self) -> bool {
        let number = |text: &str, before: &str, after: &str| -> Option<u64> {
            let rest = &text[text.find(before)? + before.len()..];
            rest[..rest.find(after)?].trim().parse().ok()
        };
        let own = number(self.head, "constexpr u32 UNITS = ", ";");
        let line = self.text.lines().find(|line| line.contains("const u32 own_number = thread / "));
        let filled = line.and_then(|line| number(line, " % ", ";"));
        own.is_some() && filled.is_some() && own != filled
    }
}

/// The kernels of a text but for those of initial values.
fn kernels(text: &str) -> Vec<Kernel<'_>> {
    let mut parts = text.split("extern \"C\" __global__");
    let head = parts.next().unwrap_or_default();
    let mut about = head;
    let mut kernels = Vec::new();
    for part in parts {
        let name = part.split('(').nth(1).unwrap_or_default().rsplit(' ').next().unwrap_or_default();
        if !name.ends_with("_init") {
            kernels.push(Kernel { head, about: &about[about.len() - about.len().min(300)..], text: part });
        }
        about = part;
    }
    kernels
}

/// Whether a kernel is of a road.
type Test = fn(&Kernel<'_>) -> bool;

/// Whether a text is.
type TestOfText = fn(&str) -> bool;

/// The roads that a kernel's text shows.
const OF_KERNELS: &[(&str, Test)] = &[
    // The part of a column that a thread takes.
    ("one quad a column", |k| k.has("const u32 quad = 0;")),
    ("quads", |k| k.has("const u32 quad = (u32)(thread % QUADS);")),
    ("one word a column", |k| k.has("const u32 word = 0;")),
    ("words", |k| k.has("const u32 word = (u32)(thread % WORDS);")),
    ("threads without a word", |k| k.has("make random bits for others")),
    ("lanes", |k| k.has("const u32 lane = (u32)(thread % LANES);")),
    ("lanes in whole warps", |k| k.has("Threads beyond the last lane do what it does.")),
    ("bits stored by a vote", |k| k.of_lanes() && k.has(" store_bits(")),
    // Which superblocks a warp has.
    ("members whose last warp is filled up", |k| k.fills_up()),
    ("reversed superblocks", |k| k.alone() && k.has("By their reversed numbers")),
    ("reversed superblocks of members", |k| k.in_turn() && k.has("By their reversed numbers")),
    // Draws.
    ("blocks of planes shared by a warp", |k| k.has("blocks_of_warp(")),
    ("blocks of planes of a quad", |k| k.has("block_of_quad(")),
    ("bits decided alone", |k| k.has("decide<32, 1, ")),
    ("bits by their first planes", |k| (0..5).any(|planes| k.has(&format!("decide<{planes}, ")))),
    ("several bits of a draw", |k| (2..9).any(|bits| k.has(&format!("decide<32, {bits}, ")))),
    ("bits by words", |k| k.of_lanes() && k.has(" random_bits<")),
    ("bits by words in members", |k| k.in_turn() && k.has(" random_bits<")),
    ("random words", |k| k.of_lanes() && k.has("random_words(")),
    ("random words in members", |k| k.in_turn() && k.has("random_words(")),
    ("thresholds of a thread", |k| k.of_lanes() && k.has("threshold_of(")),
    ("a body without border", |k| k.alone() && k.has("Where all neighbours of the warp's superblocks exist")),
    ("a body without border, of members", |k| k.in_turn() && k.has("Where all neighbours of the warp's")),
    ("checkerboards of quads", |k| k.has("quad_at(odd_lanes_")),
    ("checkerboards of words", |k| k.has("[word] ^ (0 - (u32)(")),
    ("checkerboards of lanes", |k| k.has("odd_lanes_") && k.has("[lane / 32] >> (lane % 32) & 1) != (u32)")),
    // Neighbours.
    ("the border of one word", |k| k.has("const u32 seen_") && k.has("const u32 last = world.first_terms[")),
    ("the border of words", |k| k.has("const u32 *seen_") && k.has("const u32 last = world.first_terms[")),
    ("the border of quads", |k| k.has("u32 number = world.first_terms[word]")),
    ("the border of lanes", |k| k.has(" = source_lane(world")),
    ("the border in space", |k| k.declares("DIRECTIONS = 26") && k.has("world.first_terms[")),
    ("which neighbours exist, in quads", |k| k.has("presence(world") && k.has(", quad)")),
    ("which neighbours exist, in words", |k| k.has("presence(world") && k.has(", word)")),
    ("far words", |k| k.has("far_word(world")),
    ("far words by a function", |k| k.has("far_word(world") && k.declares("__noinline__ u32 far_word")),
    ("far lanes", |k| k.has("far_source_lane(world")),
    ("far neighbours of members", |k| k.in_turn() && k.has("far_neighbour(world")),
    ("chains as loops", |k| k.has("for (u32 link = 0;")),
    ("counts as loops", |k| k.has("add_digits(") && k.has("few")),
    // Values.
    ("several steps", |k| k.of_lanes() && k.about.contains(" steps of ") && !k.about.contains("one step of ")),
    ("functions of three words", |k| k.has("lop3<")),
    ("where a lane is", |k| k.has("world.lane_corners[")),
    ("where a superblock is", |k| k.has("world.superblock_corners[")),
    ("parameters of members", |k| k.has("const u64 *member_params")),
    ("flushed sums", |k| k.has("flushed_sum(")),
    // Members as lanes.
    ("members as lanes of bits", |k| k.as_lanes() && k.has(" word = ")),
    ("members as lanes of numbers", |k| k.as_lanes() && k.has(" lane = ")),
    // Ends.
    ("totals", |k| k.alone() && k.adds_up()),
    ("totals of rows", |k| k.of_rows() && !k.is_packed() && k.adds_up()),
    ("totals of packed rows", |k| k.is_packed() && k.adds_up()),
    ("totals of members in turn", |k| k.in_turn() && k.adds_up()),
    ("totals of members as lanes of bits", |k| k.as_lanes() && k.has("lane_count(")),
    ("totals of members as lanes of numbers", |k| k.as_lanes() && k.has("counted_member = thread % ")),
    ("totals of words that are not whole", |k| k.has("lanes_there")),
    ("least totals", |k| k.has("add_up<Min>(")),
    ("greatest totals", |k| k.has("add_up<Max>(")),
    ("totals with weights", |k| k.adds_up() && k.has(" * (i64)")),
    ("steps that add up", |k| k.alone() && k.steps_add_up()),
    ("steps of members that add up", |k| k.in_turn() && k.steps_add_up()),
    ("listed superblocks of words", |k| k.has("list_beside(world, watch") && k.has(" word = ")),
    ("listed superblocks of lanes", |k| k.has("list_beside(world, watch") && k.has(" lane = ")),
    ("listed superblocks whose lanes store bits", |k| k.has("changed |= place < LANES")),
    // Rows.
    ("words of rows by coordinates", |k| k.of_rows() && k.has(" = row_word<")),
    ("places of rows by coordinates", |k| k.of_rows() && k.has(" = place_at(world")),
    ("places of rows at fixed distances", |k| k.has("is_within<")),
    ("one row a thread", |k| k.has("is_within<1,")),
    ("two rows a thread", |k| k.has("is_within<2,")),
    ("four rows a thread", |k| k.has("is_within<4,")),
    ("eight rows a thread", |k| k.has("is_within<8,")),
    ("steps in registers", |k| k.window() && k.is_full() && !k.has("changed")),
    ("steps in registers, with holes", |k| k.window() && !k.is_full()),
    ("steps in registers, periodic", |k| k.window() && k.declares("PERIODIC_X = true")),
    ("marches on a torus", |k| k.march() && !k.has("cells_ahead") && !k.has("changed")),
    ("marches with holes", |k| k.march() && !k.is_full()),
    ("marches with edges", |k| k.march() && k.is_full() && k.has("cells_ahead")),
    ("draws of the cells of rows", |k| k.of_rows() && k.has(" random_bits_of_row<")),
    ("random words of the cells of rows", |k| k.of_rows() && k.has("random_words_of_row(")),
    ("columns that are missing", |k| k.declares("STORES_ALL = false")),
    ("layers of rows", |k| k.of_rows() && !k.declares("DEPTH = 1;")),
    ("packed words", |k| k.is_packed() && k.has("packed_word(")),
    ("packed bits of a vote", |k| k.is_packed() && k.has("bits_of_warp")),
    ("packed numbers", |k| k.is_packed() && k.has("if (cell) { new_")),
    ("packed numbers at fixed distances", |k| k.is_packed() && k.has("is_within<")),
];

/// The roads that are a text of their own.
const OF_TEXTS: &[(&str, TestOfText)] = &[
    ("tables, digests and folds", |text| text == measuring_kernels()),
    ("looks", |text| text == look_kernels()),
    ("random bits of members as lanes", |text| text.contains(" random_bits_of_members<")),
    ("listed tiles of words", |text| of_list(text) && text.contains(" & cells, changed);")),
    ("listed tiles of places", |text| of_list(text) && text.contains(")(cell ? ")),
    ("listed tiles of places that store bits", |text| of_list(text) && text.contains("changed |= (")),
    ("listed tiles of steps in registers", |text| of_list(text) && text.contains(" steps; a warp takes ")),
    ("listed tiles of marches", |text| of_list(text) && text.contains(" steps; a warp goes down ")),
];

/// Whether the tiles of a list are computed over rows.
fn of_list(text: &str) -> bool {
    text.contains("_of_list(")
}

/// The names of all roads.
pub fn all() -> Vec<String> {
    let of_kernels = OF_KERNELS.iter().map(|(name, _)| (*name).to_owned());
    let of_texts = OF_TEXTS.iter().map(|(name, _)| (*name).to_owned());
    let of_gpus = Speciality::ALL.iter().filter(|one| one.is_of(false));
    of_kernels.chain(of_texts).chain(Road::ALL.iter().map(engines)).chain(of_gpus.map(special)).collect()
}

/// The name of an engine's road.
fn engines(road: &Road) -> String {
    format!("engine: {road:?}")
}

/// The name of a speciality's road.
fn special(speciality: &Speciality) -> String {
    format!("speciality: {}", speciality.name())
}

/// The names of the roads that were taken.
pub fn taken(trace: &Trace) -> BTreeSet<String> {
    let mut taken: BTreeSet<String> = trace
        .roads
        .iter()
        .map(engines)
        .chain(trace.specialities.iter().filter(|one| one.is_of(false)).map(special))
        .collect();
    for text in &trace.texts {
        let kernels = kernels(text);
        let shown = OF_KERNELS.iter().filter(|(_, test)| kernels.iter().any(test));
        taken.extend(shown.map(|(name, _)| (*name).to_owned()));
        taken.extend(OF_TEXTS.iter().filter(|(_, test)| test(text)).map(|(name, _)| (*name).to_owned()));
    }
    taken
}
