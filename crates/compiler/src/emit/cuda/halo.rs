//! The loads of a kernel from the superblocks beside its own.

use super::helpers::Helper;
use super::lanes::{DirectionNames, LanePrinter};
use crate::ir::fractal::Dimension;
use crate::kernel::Load;
use std::collections::BTreeMap;

impl LanePrinter<'_> {
    /// All halo columns: first the loads, which wait for nothing, then the border, if there is one.
    pub(super) fn halo(&mut self, directions: &BTreeMap<usize, DirectionNames>, border: bool) {
        for names in directions.values().filter(|names| !names.loads.is_empty()) {
            self.line("");
            self.line(&format!("// {}", names.direction.to_string().replace('_', " ")));
            for (state, loads) in self.by_state(&names.loads) {
                self.halo_of(names, state, &loads);
            }
        }
        if border && self.bitwise() && !self.cells.members.as_lanes() && directions.values().any(|names| !names.far) {
            self.line("");
            self.line("// Across the border lanes see other lanes.");
            for names in directions.values().filter(|names| !names.far && !names.loads.is_empty()) {
                self.border(names);
            }
        }
    }

    /// Loads, by state.
    fn by_state(&self, loads: &[usize]) -> BTreeMap<u16, Vec<usize>> {
        let mut by_state: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
        for &place in loads {
            by_state.entry(self.loaded(place).state).or_default().push(place);
        }
        by_state
    }

    /// The offset of a load's column in a superblock.
    fn offset_of_load(&self, place: usize) -> String {
        let Load { state, plane, micro, .. } = self.loaded(place);
        self.offset(usize::from(state), plane, micro)
    }

    /// What the load at this place loads.
    fn loaded(&self, place: usize) -> Load {
        self.kernel.nodes[place].op.load().expect("asked of loads only")
    }

    /// The halo columns of one state in one direction: words of bits of the same lanes, numbers of the lane that is seen.
    fn halo_of(&mut self, names: &DirectionNames, state: u16, loads: &[usize]) {
        let (there, columns, lane) = (&names.neighbour, &names.columns[&state], &names.lane);
        let index = usize::from(state);
        let (element, old, bits) = (self.element(index), &self.states[index].old, self.element_is_word(index));
        let ty = self.type_of(self.kernel.states[index].planes.ty());
        let place = self.place_there(names.far, there, lane, index);
        self.line(&format!("const {element} *{columns} = {old} + {place};"));
        for &load in loads {
            let (value, offset) = (&self.values[load], self.offset_of_load(load));
            let line = match (self.bitwise(), bits) {
                (true, _) if names.far => {
                    self.used.far.words += 1;
                    format!("const {ty} {value} = far_word(world, {there}, {columns} + {offset}, word);")
                }
                (true, _) => format!("{ty} {value} = {columns}[{offset}];"),
                (false, true) if self.cells.members.as_lanes() => {
                    format!("const {ty} {value} = {columns}[{offset}] >> (lane % 32) & 1;")
                }
                (false, true) => format!("const {ty} {value} = {columns}[{offset}] >> ({lane} % 32) & 1;"),
                (false, false) => format!("const {ty} {value} = {columns}[{offset}];"),
            };
            self.line(&line);
        }
    }

    /// Where a state of a neighbour stands: its superblock, if that is far and words are looked for in it, or the word or the lane there.
    pub(super) fn place_there(&self, far: bool, there: &str, lane: &str, state: usize) -> String {
        let (block, bits) = (self.block(state), self.element_is_word(state));
        if self.cells.members.as_lanes() {
            let own = if self.bitwise() { "word" } else { "lane / 32" };
            return format!("(u64){there} * ({block}) + {own}");
        }
        let superblock = format!("(u64){there}.superblock * ({block})");
        match (self.bitwise(), far) {
            (true, true) => superblock,
            (true, false) => format!("{superblock} + {}", self.word()),
            (false, _) => {
                let seen = if bits { format!("{lane} / 32") } else { lane.to_owned() };
                format!("({lane} != ABSENT ? {superblock} + {seen} : (u64)world.absent * ({block}))")
            }
        }
    }

    /// Moves the lanes of all halo words in one direction, if they move.
    fn border(&mut self, names: &DirectionNames) {
        if self.quads() {
            return self.border_of_quads(names);
        }
        let (there, moved) = (&names.neighbour, self.uses(Helper::Moved));
        self.line(&format!("if ({there}.wrap != STAY) {{"));
        // Columns of one word are loaded already; of others more words have to be loaded.
        let alone = self.cells.shape.words == 1;
        for (state, loads) in self.by_state(&names.loads) {
            if !alone {
                let columns = &names.columns[&state];
                self.line(&format!("    const u32 *seen_{columns} = {columns} - word;"));
            }
            for load in loads {
                let value = self.values[load].clone();
                let keep = if alone { format!("const u32 seen_{value} = {value}; ") } else { String::new() };
                self.line(&format!("    {keep}{value} = 0;"));
            }
        }
        self.line(&format!("    const u32 last = world.first_terms[{there}.wrap * WORDS + word + 1];"));
        if self.kernel.micro.dimension == Dimension::Three {
            // Many directions, each unrolled by the compiler as it likes, take more registers than the rule.
            self.lines.push(format!("    #pragma unroll {}", if alone { 2 } else { 1 }));
        }
        self.line(&format!("    for (u32 i = world.first_terms[{there}.wrap * WORDS + word]; i < last; ++i) {{"));
        self.moved_words(names, "        ", "i", |value, offset, columns| {
            let seen = if alone { format!("seen_{value}") } else { format!("seen_{columns}[{offset} + term.word]") };
            format!("{value} |= {moved}({seen}, term);")
        });
        self.line("    }");
        self.line("}");
    }

    /// The lines that move the words of each load by the term of this number. `line` gives the line for a load's value, its offset in a superblock, and
    /// its columns.
    fn moved_words(
        &mut self,
        names: &DirectionNames,
        indent: &str,
        number: &str,
        line: impl Fn(&str, &str, &str) -> String,
    ) {
        self.line(&format!("{indent}const Term term = world.terms[{number}];"));
        for (state, loads) in self.by_state(&names.loads) {
            for load in loads {
                let line = line(&self.values[load], &self.offset_of_load(load), &names.columns[&state]);
                self.line(&format!("{indent}{line}"));
            }
        }
    }

    /// The same for four words of a column.
    fn border_of_quads(&mut self, names: &DirectionNames) {
        let (there, moved) = (&names.neighbour, self.uses(Helper::Moved));
        self.line(&format!("if ({there}.wrap != STAY) {{"));
        for (state, loads) in self.by_state(&names.loads) {
            let columns = &names.columns[&state];
            self.line(&format!("    const u32 *seen_{columns} = (const u32 *)({columns} - quad);"));
            for load in loads {
                let line = format!("    {} = Quad(0);", self.values[load]);
                self.line(&line);
            }
        }
        self.line("    #pragma unroll");
        self.line("    for (u32 i = 0; i < 4; ++i) {");
        self.line(&format!(
            "        const u32 word = {there}.wrap * WORDS + 4 * quad + i, last = world.first_terms[word + 1];"
        ));
        // Borders are rare, and there are four words of each column.
        self.line("        #pragma unroll 1");
        self.line("        for (u32 number = world.first_terms[word]; number < last; ++number) {");
        self.moved_words(names, "            ", "number", |value, offset, columns| {
            format!("{value}.words[i] |= {moved}(seen_{columns}[4 * ({offset}) + term.word], term);")
        });
        self.line("        }");
        self.line("    }");
        self.line("}");
    }
}
