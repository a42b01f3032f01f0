//! The inputs of a kernel's nodes besides other nodes: which neighbours exist, where cells are, parameters, the time and draws.

use super::expression::{Corner, RandomClass};
use super::helpers::Helper;
use super::lanes::LanePrinter;
use super::operations;
use super::printer::CellPlacement;
use super::totals::Taken;
use super::words::of_thread;
use crate::ir::Axes;
use crate::kernel::{Direction, LaneType, Op};
use crate::numbers::philox::PLANES;
use crate::target::speciality::Speciality;
use crate::target::warps::QUAD;

impl LanePrinter<'_> {
    /// The reversed number of the first cell of the word or warp in a micro cell.
    pub(super) fn first_cell(&self, micro: u32) -> String {
        let (low, columns) = (self.cells.layout.low(), u64::from(self.cells.layout.superblocks()));
        match self.cells.layout.lanes() as u64 * columns * low.reversed(u64::from(micro)) {
            0 => "first_cell".to_owned(),
            cells => format!("first_cell + {cells}"),
        }
    }

    /// The blocks of random planes that this thread's cells lie in, from the first cell on.
    pub(super) fn blocks(&mut self, first: &str) -> String {
        let blocks =
            self.uses(if self.cells.threads.filled.is_some() { Helper::RandomQuadOfWarp } else { Helper::RandomQuad });
        format!("{blocks}({first})")
    }

    pub(super) fn seed(&self) -> &'static str {
        self.cells.members.names().seed
    }
}

impl CellPlacement for LanePrinter<'_> {
    fn prints(&mut self, place: usize) -> bool {
        if !self.cells.repeats.needed[place] {
            return true;
        }
        if let Some(chain) = self.cells.repeats.chains.remove(&place) {
            self.chain(place, &chain);
            return true;
        }
        if let Some(tally) = self.cells.repeats.counts.remove(&place) {
            self.count(place, &tally);
            return true;
        }
        let op = &self.kernel.nodes[place].op;
        if let Op::Digit { value, bit } = *op
            && self.bitwise()
            && matches!(self.kernel.node(value).op, Op::Count(_))
        {
            let ty = self.type_of(LaneType::Bits);
            let line = format!("const {ty} {} = {}[{bit}];", self.values[place], self.value(value));
            self.line(&line);
            return true;
        }
        // These parameters stand before all nodes.
        matches!(op, Op::Param { .. }) && self.bitwise() || matches!(op, Op::RandomBit { .. }) && self.together(place)
    }

    fn store(&mut self, state: usize, plane: u8, micro: u32, value: &str) -> String {
        let (column, offset) = (self.cells.columns[state].new.clone(), self.offset(state, plane, micro));
        let out = format!("{column}[{offset}]");
        if self.bitwise() || !self.element_is_word(state) {
            let line = self.store_at(&out, &out, value);
            return if self.cells.threads.idle { format!("if (place < WORDS) {{ {line} }}") } else { line };
        }
        let store = format!("{}({column} + {offset}, {value}, place);", self.uses(Helper::StoreBits));
        match self.compares {
            true => format!("changed |= place < LANES && ({out} >> (place % 32) & 1) != (u32)({value}); {store}"),
            false => store,
        }
    }

    fn taken(&self) -> Taken {
        let there = match self.bitwise() {
            true => (!self.cells.shape.lanes.is_multiple_of(32)).then_some("lanes_there"),
            // Threads beyond the last lane do what it does.
            false => self.cells.threads.whole_warps.then_some("place < LANES"),
        };
        Taken { bitwise: self.bitwise(), there }
    }

    fn presence(&mut self, direction: Direction) -> String {
        let index = self.interface.place(self.kernel.micro.dimension, direction).expect("verified: not the centre");
        let names = &self.cells.directions[&index];
        if self.cells.members.as_lanes() {
            // In all lanes or in none.
            let there = &names.neighbour;
            return match self.bitwise() {
                true => format!("{there} == world.absent ? 0u : 0xffffffff"),
                false => format!("{there} != world.absent"),
            };
        }
        if self.bitwise() && names.far {
            self.used.far.words += 1;
            format!("far_presence(world, {}, word)", names.neighbour)
        } else if self.bitwise() {
            let there = names.neighbour.clone();
            if self.quads() {
                return format!("{}(world, {there}, quad)", self.uses(Helper::QuadPresence));
            }
            format!("{}(world, {there}, word)", self.uses(Helper::Presence))
        } else {
            format!("{} != ABSENT", names.lane)
        }
    }

    fn corner(&mut self, of: Corner, axis: u8) -> String {
        match of {
            Corner::Lane if self.cells.members.as_lanes() => "0".to_owned(),
            Corner::Lane => format!("world.lane_corners[{axis} * LANES + lane]"),
            Corner::Superblock => format!("world.superblock_corners[3 * (u64)superblock + {axis}]"),
        }
    }

    fn odd_corner(&mut self, axes: Axes) -> String {
        let superblocks: Vec<String> = (0..3u8)
            .filter(|axis| axes.0[usize::from(*axis)])
            .map(|axis| self.corner(Corner::Superblock, axis))
            .collect();
        if self.cells.members.as_lanes() {
            return match self.bitwise() {
                true => format!("0 - ((u32)({}) & 1)", superblocks.join(" + ")),
                false => format!("(({}) & 1) != 0", superblocks.join(" + ")),
            };
        }
        let layout = self.cells.layout;
        let words = || layout.odd_lanes(axes);
        self.used.odd_lanes.entry(axes.set()).or_insert_with(words);
        let superblock = format!("({}) & 1", superblocks.join(" + "));
        let lanes = format!("odd_lanes_{}", axes.set());
        match self.bitwise() {
            true if self.quads() => format!("quad_at({lanes} + 4 * quad) ^ (0 - (u32)({superblock}))"),
            true => format!("{lanes}[word] ^ (0 - (u32)({superblock}))"),
            false => format!("({lanes}[lane / 32] >> (lane % 32) & 1) != (u32)({superblock})"),
        }
    }

    fn parameter(&mut self, param: u16, plane: u8, ty: LaneType) -> String {
        let bits = format!("{}[{param}]", self.cells.members.names().params);
        operations::parameter_of_lanes(&bits, plane, ty, self.bitwise())
    }

    fn level(&self) -> String {
        "world.level".to_owned()
    }

    fn side(&self) -> String {
        "world.side".to_owned()
    }

    fn time(&self) -> &'static str {
        "time"
    }

    fn random(&mut self, draw: u32, micro: u32) -> String {
        let (cells, seed) = (self.first_cell(micro), self.seed());
        if self.cells.members.as_lanes() {
            return format!("{}(world.seeds[lane], {cells}, time, {draw})", self.uses(Helper::RandomWord));
        }
        let words = format!("{}({seed}, {cells}, time, {draw})", self.uses(Helper::RandomWords));
        // Threads beyond the last lane do what it does.
        if self.cells.shape.lanes.is_multiple_of(32) { words } else { of_thread(&words, "lane % 32") }
    }

    fn random_bits(&mut self, draw: u32, micro: u32, classes: &[RandomClass]) -> String {
        let (cells, seed) = (self.first_cell(micro), self.seed());
        if self.cells.members.as_lanes() {
            let (bits, all, list) = (self.uses(Helper::RandomBitsOfMembers), classes.len(), self.classes(classes));
            return format!("{bits}<{all}>(world.seeds, {cells}, time, {draw}, word, {list})");
        }
        if self.quads() {
            let threshold_of = self.uses(Helper::Threshold);
            let threshold = |class: &RandomClass| format!("{threshold_of}({})", self.value(class.probability));
            let thresholds: Vec<String> = classes.iter().map(threshold).collect();
            let lanes = classes.iter().map(|class| self.value(class.lanes).to_owned()).collect();
            return format!("{}.bits[0]", self.decide(PLANES, (draw, &cells), lanes, &[thresholds]));
        }
        let own = format!("{}{{0xffffffff}}", self.uses(Helper::FirstCells));
        let shape = self.cells.shape;
        let beside =
            if self.cells.off.has(Speciality::SharedWords) { 1 } else { shape.words.next_power_of_two().min(QUAD) };
        self.random_bits_of((beside, shape.lanes.is_multiple_of(32 * beside)), [seed, &cells, &own], draw, classes)
    }
}
