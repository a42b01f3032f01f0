//! What the nodes of a kernel are computed of beside each other: which neighbours exist, where cells are, parameters, the time and draws.

use super::expression::{Corner, Nodes, RandomClass};
use super::helpers::Helper;
use super::operations::{self, Used};
use super::writer::Writer;
use crate::ir::Axes;
use crate::kernel::{Direction, LaneType, Op, ValueId};
use crate::numbers::philox::PLANES;

impl Writer<'_> {
    /// The reversed number of the first cell of the word or warp in a micro cell.
    pub(super) fn first_cell(&self, micro: u32) -> String {
        let (low, columns) = (self.layout.low(), u64::from(self.layout.superblocks()));
        match self.layout.lanes() as u64 * columns * low.reversed(u64::from(micro)) {
            0 => "first_cell".to_owned(),
            cells => format!("first_cell + {cells}"),
        }
    }

    /// The blocks of random planes that this thread's cells lie in, from the first cell on.
    pub(super) fn blocks(&mut self, first: &str) -> String {
        let blocks =
            self.uses(if self.threads.filled.is_some() { Helper::RandomQuadOfWarp } else { Helper::RandomQuad });
        format!("{blocks}({first})")
    }

    pub(super) fn seed(&self) -> &'static str {
        if self.members.in_turn() { "member_seed" } else { "world.seed" }
    }
}

impl Nodes for Writer<'_> {
    fn value(&self, id: ValueId) -> &str {
        &self.values[id.0 as usize]
    }

    fn ty(&self, id: ValueId) -> LaneType {
        self.kernel.node(id).ty.unwrap_or(LaneType::Bits)
    }

    fn op(&self, id: ValueId) -> &Op {
        &self.kernel.node(id).op
    }

    fn bitwise(&self) -> bool {
        self.bitwise
    }

    fn uniform(&self, bits: &str) -> String {
        if self.quads { format!("{bits}.words[0]") } else { bits.to_owned() }
    }

    fn used(&mut self) -> &mut Used {
        self.used
    }

    fn presence(&mut self, direction: Direction) -> String {
        let index = self.interface.place(self.kernel.micro.dimension, direction).expect("verified: not the centre");
        let names = &self.directions[&index];
        if self.members.as_lanes() {
            // In all lanes or in none.
            let there = &names.neighbour;
            return match self.bitwise {
                true => format!("{there} == world.superblocks ? 0u : 0xffffffff"),
                false => format!("{there} != world.superblocks"),
            };
        }
        if self.bitwise && names.far {
            self.used.far.words += 1;
            format!("far_presence(world, {}, word)", names.neighbour)
        } else if self.bitwise {
            let there = names.neighbour.clone();
            if self.quads {
                return format!("{}(world, {there}, quad)", self.uses(Helper::QuadPresence));
            }
            format!("{}(world, {there}, word)", self.uses(Helper::Presence))
        } else {
            format!("{} != ABSENT", names.lane)
        }
    }

    fn corner(&mut self, of: Corner, axis: u8) -> String {
        match of {
            Corner::Lane if self.members.as_lanes() => "0".to_owned(),
            Corner::Lane => format!("world.lane_corners[{axis} * LANES + lane]"),
            Corner::Superblock => format!("world.superblock_corners[3 * (u64)superblock + {axis}]"),
        }
    }

    fn odd_corner(&mut self, axes: Axes) -> String {
        let superblocks: Vec<String> = (0..3u8)
            .filter(|axis| axes.0[usize::from(*axis)])
            .map(|axis| self.corner(Corner::Superblock, axis))
            .collect();
        if self.members.as_lanes() {
            return match self.bitwise {
                true => format!("0 - ((u32)({}) & 1)", superblocks.join(" + ")),
                false => format!("(({}) & 1) != 0", superblocks.join(" + ")),
            };
        }
        let layout = self.layout;
        let words = || layout.odd_lanes(axes);
        self.used.odd_lanes.entry(axes.set()).or_insert_with(words);
        let superblock = format!("({}) & 1", superblocks.join(" + "));
        let lanes = format!("odd_lanes_{}", axes.set());
        match self.bitwise {
            true if self.quads => format!("quad_at({lanes} + 4 * quad) ^ (0 - (u32)({superblock}))"),
            true => format!("{lanes}[word] ^ (0 - (u32)({superblock}))"),
            false => format!("({lanes}[lane / 32] >> (lane % 32) & 1) != (u32)({superblock})"),
        }
    }

    fn parameter(&mut self, param: u16, plane: u8, ty: LaneType) -> String {
        let bits = format!("{}[{param}]", if self.members.in_turn() { "member_params" } else { "world.params" });
        operations::parameter_of_lanes(&bits, plane, ty, self.bitwise)
    }

    fn level(&self) -> String {
        "world.level".to_owned()
    }

    fn side(&self) -> String {
        "world.side".to_owned()
    }

    fn time(&self) -> String {
        "time".to_owned()
    }

    fn random(&mut self, draw: u32, micro: u32) -> String {
        let (cells, seed) = (self.first_cell(micro), self.seed());
        let words = format!("{}({seed}, {cells}, time, {draw})", self.uses(Helper::RandomWords));
        // Threads beyond the last lane do what it does.
        if self.shape.lanes.is_multiple_of(32) { words } else { format!("__shfl_sync(0xffffffff, {words}, lane % 32)") }
    }

    fn random_bits(&mut self, draw: u32, micro: u32, classes: &[RandomClass]) -> String {
        let (cells, seed) = (self.first_cell(micro), self.seed());
        let threshold_of = self.uses(Helper::Threshold);
        let threshold = |class: &RandomClass| format!("{threshold_of}({})", self.value(class.probability));
        let thresholds: Vec<String> = classes.iter().map(threshold).collect();
        let lanes = classes.iter().map(|class| self.value(class.lanes));
        if self.quads {
            let lanes = lanes.map(str::to_owned).collect();
            return format!("{}.bits[0]", self.decide(PLANES, (draw, &cells), lanes, &[thresholds]));
        }
        let list: Vec<String> =
            lanes.zip(thresholds).map(|(lanes, threshold)| format!("{{{lanes}, {threshold}}}")).collect();
        let random_bits = self.uses(Helper::RandomBits);
        format!("{random_bits}<{}>({seed}, {cells}, time, {draw}, {{{}}})", classes.len(), list.join(", "))
    }
}
