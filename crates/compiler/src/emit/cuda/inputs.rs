//! The inputs of a kernel's nodes besides other nodes: which neighbours exist, where cells are, parameters, the time and draws.

use super::expression::{Corner, RandomClass};
use super::helpers::Helper;
use super::lanes::{CellsInLanes, LanePrinter};
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

impl<'a> CellPlacement<'a> for CellsInLanes<'a> {
    fn prints(printer: &mut LanePrinter<'a>, place: usize) -> bool {
        if !printer.cells.repeats.needed[place] {
            return true;
        }
        if let Some(chain) = printer.cells.repeats.chains.remove(&place) {
            printer.chain(place, &chain);
            return true;
        }
        if let Some(tally) = printer.cells.repeats.counts.remove(&place) {
            printer.count(place, &tally);
            return true;
        }
        let op = &printer.kernel.nodes[place].op;
        if let Op::Digit { value, bit } = *op
            && printer.bitwise()
            && matches!(printer.kernel.node(value).op, Op::Count(_))
        {
            let ty = printer.type_of(LaneType::Bits);
            let line = format!("const {ty} {} = {}[{bit}];", printer.values[place], printer.value(value));
            printer.line(&line);
            return true;
        }
        // These parameters stand before all nodes.
        matches!(op, Op::Param { .. }) && printer.bitwise()
            || matches!(op, Op::RandomBit { .. }) && printer.together(place)
    }

    fn store(printer: &mut LanePrinter<'a>, state: usize, plane: u8, micro: u32, value: &str) -> String {
        let (column, offset) = (printer.cells.columns[state].new.clone(), printer.offset(state, plane, micro));
        let out = format!("{column}[{offset}]");
        if printer.bitwise() || !printer.element_is_word(state) {
            let line = printer.store_at(&out, &out, value);
            return if printer.cells.threads.idle { format!("if (place < WORDS) {{ {line} }}") } else { line };
        }
        let store = format!("{}({column} + {offset}, {value}, place);", printer.uses(Helper::StoreBits));
        match printer.compares {
            true => format!("changed |= place < LANES && ({out} >> (place % 32) & 1) != (u32)({value}); {store}"),
            false => store,
        }
    }

    fn taken(printer: &LanePrinter<'a>) -> Taken {
        let there = match printer.bitwise() {
            true => (!printer.cells.shape.lanes.is_multiple_of(32)).then_some("lanes_there"),
            // Threads beyond the last lane do what it does.
            false => printer.cells.threads.whole_warps.then_some("place < LANES"),
        };
        Taken { bitwise: printer.bitwise(), there }
    }

    fn presence(printer: &mut LanePrinter<'a>, direction: Direction) -> String {
        let index =
            printer.interface.place(printer.kernel.micro.dimension, direction).expect("verified: not the centre");
        let names = &printer.cells.directions[&index];
        if printer.cells.members.as_lanes() {
            // In all lanes or in none.
            let there = &names.neighbour;
            return match printer.bitwise() {
                true => format!("{there} == world.absent ? 0u : 0xffffffff"),
                false => format!("{there} != world.absent"),
            };
        }
        if printer.bitwise() && names.far {
            printer.used.far.words += 1;
            format!("far_presence(world, {}, word)", names.neighbour)
        } else if printer.bitwise() {
            let there = names.neighbour.clone();
            if printer.quads() {
                return format!("{}(world, {there}, quad)", printer.uses(Helper::QuadPresence));
            }
            format!("{}(world, {there}, word)", printer.uses(Helper::Presence))
        } else {
            format!("{} != ABSENT", names.lane)
        }
    }

    fn corner(printer: &mut LanePrinter<'a>, of: Corner, axis: u8) -> String {
        match of {
            Corner::Lane if printer.cells.members.as_lanes() => "0".to_owned(),
            Corner::Lane => format!("world.lane_corners[{axis} * LANES + lane]"),
            Corner::Superblock => format!("world.superblock_corners[3 * (u64)superblock + {axis}]"),
        }
    }

    fn odd_corner(printer: &mut LanePrinter<'a>, axes: Axes) -> String {
        let superblocks: Vec<String> = (0..3u8)
            .filter(|axis| axes.0[usize::from(*axis)])
            .map(|axis| Self::corner(printer, Corner::Superblock, axis))
            .collect();
        if printer.cells.members.as_lanes() {
            return match printer.bitwise() {
                true => format!("0 - ((u32)({}) & 1)", superblocks.join(" + ")),
                false => format!("(({}) & 1) != 0", superblocks.join(" + ")),
            };
        }
        let layout = printer.cells.layout;
        let words = || layout.odd_lanes(axes);
        printer.used.odd_lanes.entry(axes.set()).or_insert_with(words);
        let superblock = format!("({}) & 1", superblocks.join(" + "));
        let lanes = format!("odd_lanes_{}", axes.set());
        match printer.bitwise() {
            true if printer.quads() => format!("quad_at({lanes} + 4 * quad) ^ (0 - (u32)({superblock}))"),
            true => format!("{lanes}[word] ^ (0 - (u32)({superblock}))"),
            false => format!("({lanes}[lane / 32] >> (lane % 32) & 1) != (u32)({superblock})"),
        }
    }

    fn parameter(printer: &mut LanePrinter<'a>, param: u16, plane: u8, ty: LaneType) -> String {
        let bits = format!("{}[{param}]", Self::parameters(printer));
        operations::parameter_of_lanes(&bits, plane, ty, printer.bitwise())
    }

    fn level(_: &LanePrinter<'a>) -> String {
        "world.level".to_owned()
    }

    fn side(_: &LanePrinter<'a>) -> String {
        "world.side".to_owned()
    }

    fn time(_: &LanePrinter<'a>) -> &'static str {
        "time"
    }

    fn random(printer: &mut LanePrinter<'a>, draw: u32, micro: u32) -> String {
        let (cells, seed) = (printer.first_cell(micro), printer.seed());
        if printer.cells.members.as_lanes() {
            return format!("{}(world.seeds[lane], {cells}, time, {draw})", printer.uses(Helper::RandomWord));
        }
        let words = format!("{}({seed}, {cells}, time, {draw})", printer.uses(Helper::RandomWords));
        // Threads beyond the last lane do what it does.
        if printer.cells.shape.lanes.is_multiple_of(32) { words } else { of_thread(&words, "lane % 32") }
    }

    fn drawn_by(printer: &mut LanePrinter<'a>, micro: u32) -> [String; 2] {
        let cells = printer.first_cell(micro);
        match printer.cells.members.as_lanes() {
            true => ["world.seeds[lane]".to_owned(), cells],
            false => [printer.seed().to_owned(), format!("{cells} + lane % 32")],
        }
    }

    fn parameters(printer: &LanePrinter<'a>) -> &'static str {
        printer.cells.members.names().params
    }

    fn random_bits(printer: &mut LanePrinter<'a>, draw: u32, micro: u32, classes: &[RandomClass]) -> String {
        let (cells, seed) = (printer.first_cell(micro), printer.seed());
        if printer.cells.members.as_lanes() {
            let (bits, all, list) =
                (printer.uses(Helper::RandomBitsOfMembers), classes.len(), printer.classes(classes));
            return format!("{bits}<{all}>(world.seeds, {cells}, time, {draw}, word, {list})");
        }
        if printer.quads() {
            let threshold_of = printer.uses(Helper::Threshold);
            let threshold = |class: &RandomClass| format!("{threshold_of}({})", printer.value(class.probability));
            let thresholds = classes.iter().map(|class| (threshold(class), printer.probability(class.probability)));
            let thresholds: Vec<(String, String)> = thresholds.collect();
            let lanes = classes.iter().map(|class| printer.value(class.lanes).to_owned()).collect();
            return format!("{}.bits[0]", printer.decide(PLANES, (draw, &cells), lanes, &[thresholds]));
        }
        let own = format!("{}{{0xffffffff}}", printer.uses(Helper::FirstCells));
        let shape = printer.cells.shape;
        let beside =
            if printer.cells.off.has(Speciality::SharedWords) { 1 } else { shape.words.next_power_of_two().min(QUAD) };
        printer.random_bits_of((beside, shape.lanes.is_multiple_of(32 * beside)), [seed, &cells, &own], draw, classes)
    }
}
