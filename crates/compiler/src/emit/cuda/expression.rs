//! Operations as expressions of CUDA C: the same for lanes and for the cells of the papers' strategies.

use super::helpers::Helper;
use super::operations::{self, Used, c_type, comparison, unary};
use crate::ir::Axes;
use crate::ir::kernel::{Direction, LaneType, LogicOp, Op, ValueId};
use crate::ir::rule::BinaryOp;

/// Whoever prints the nodes of a kernel.
pub(in crate::emit) trait Nodes {
    /// What stands for a node: a name or a literal, so that no operand needs parentheses.
    fn value(&self, id: ValueId) -> &str;

    /// The type of a node.
    fn ty(&self, id: ValueId) -> LaneType;

    /// Whether bits are words of 32 lanes.
    fn bitwise(&self) -> bool;

    /// Bits that are the same in all lanes, as a word that is 0 where they are not set.
    fn uniform(&self, bits: &str) -> String {
        bits.to_owned()
    }

    /// What the program uses.
    fn used(&mut self) -> &mut Used;

    /// Whether a neighbour exists.
    fn presence(&mut self, direction: Direction) -> String;

    /// The coordinate on an axis of the corner of the lane, or of the superblock in it.
    fn corner(&mut self, of: Corner, axis: u8) -> String;

    /// Whether the coordinates of the superblock's corner in the lane have an odd sum on these axes.
    fn odd_corner(&mut self, axes: Axes) -> String {
        let axes = (0..3u8).filter(|axis| axes.0[usize::from(*axis)]);
        let corners = axes.flat_map(|axis| [(Corner::Lane, axis), (Corner::Superblock, axis)]);
        let corners: Vec<String> = corners.map(|(of, axis)| self.corner(of, axis)).collect();
        format!("({}) & 1", corners.join(" + "))
    }

    /// A plane of a parameter.
    fn parameter(&mut self, param: u16, plane: u8, ty: LaneType) -> String;

    /// The level.
    fn level(&self) -> String;

    /// The side of the expanded grid.
    fn side(&self) -> String;

    /// The first time that is computed.
    fn time(&self) -> String;

    /// The random word of an own cell.
    fn random(&mut self, draw: u32, micro: u32) -> String;

    /// The random bits of an own cell, with the lanes and the probability of each class.
    fn random_bits(&mut self, draw: u32, micro: u32, classes: &[RandomClass]) -> String;
}

/// The lanes of a random bit that have one probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) struct RandomClass {
    pub lanes: ValueId,
    pub probability: ValueId,
}

/// Whose corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Corner {
    Lane,
    Superblock,
}

/// The expression of an operation. Loads, stores and constants are printed elsewhere: they are no expressions of their own.
pub(in crate::emit) fn expression(nodes: &mut impl Nodes, op: &Op, ty: LaneType) -> String {
    let v = |id: &ValueId| nodes.value(*id).to_owned();
    let bitwise = nodes.bitwise();
    let not = if bitwise { "~" } else { "!" };
    // A bit that is made of numbers, which are the same in all lanes if bits are words.
    let word = |bit: String| if bitwise { format!("0 - (u32)({bit})") } else { bit };
    match op {
        Op::Presence(direction) => nodes.presence(*direction),
        Op::LaneCorner(axis) => nodes.corner(Corner::Lane, *axis),
        Op::SuperblockCorner(axis) => nodes.corner(Corner::Superblock, *axis),
        Op::OddCorner(axes) => nodes.odd_corner(*axes),
        Op::Param { param, plane } => nodes.parameter(*param, *plane, ty),
        Op::Level => nodes.level(),
        Op::Side => nodes.side(),
        Op::Time { ahead: 0 } => nodes.time(),
        Op::Time { ahead } => format!("{} + {ahead}", nodes.time()),
        Op::Random { draw, micro } => nodes.random(*draw, *micro),
        Op::Not(a) => format!("{not}{}", v(a)),
        Op::Logic(op, a, b) => match op {
            LogicOp::And => format!("{} & {}", v(a), v(b)),
            LogicOp::Or => format!("{} | {}", v(a), v(b)),
            LogicOp::Xor => format!("{} ^ {}", v(a), v(b)),
            LogicOp::AndNot => format!("{} & {not}{}", v(a), v(b)),
        },
        Op::Table { table, operands: [a, b, c] } if bitwise => {
            let (a, b, c) = (v(a), v(b), v(c));
            format!("{}<0x{table:02x}>({a}, {b}, {c})", nodes.used().helper(Helper::Lop3))
        }
        Op::Table { table, operands: [a, b, c] } => {
            format!("0x{table:02x} >> (4 * {} + 2 * {} + {}) & 1", v(a), v(b), v(c))
        }
        Op::Count(terms) if terms.is_empty() => "0".to_owned(),
        Op::Count(terms) => terms.iter().map(v).collect::<Vec<_>>().join(" + "),
        Op::Digit { value, bit } if nodes.ty(*value) == LaneType::I64 => {
            word(format!("(u32)({} >> {bit}) & 1", v(value)))
        }
        Op::Digit { value, bit } => word(format!("(u32){} >> {bit} & 1", v(value))),
        Op::Widen(planes) => {
            let bit = |(place, plane): (usize, &ValueId)| match (place, bitwise) {
                (0, false) => format!("(u32){}", v(plane)),
                (_, false) => format!("(u32){} << {place}", v(plane)),
                (_, true) => format!("{} & {}u", nodes.uniform(nodes.value(*plane)), 1u32 << place),
            };
            let sum: Vec<String> = planes.iter().enumerate().map(bit).collect();
            format!("({})({})", c_type(ty, false), sum.join(" | "))
        }
        Op::Unary(op, a) => unary(*op, ty, &v(a)),
        Op::Binary(op, a, b) => {
            let (a, b) = (v(a), v(b));
            nodes.used().binary(*op, ty, &a, &b)
        }
        Op::Shift { left, value, count } => operations::shift(*left, ty, &v(value), &v(count)),
        Op::Compare(op, a, b) => word(format!("{} {} {}", v(a), comparison(*op), v(b))),
        Op::Select { condition, then, otherwise } => {
            format!("{} ? {} : {}", nodes.uniform(nodes.value(*condition)), v(then), v(otherwise))
        }
        Op::Cast(a) => {
            let (from, a) = (nodes.ty(*a), v(a));
            nodes.used().cast(Some(from), ty, &a)
        }
        Op::Math(function, a) => {
            let a = v(a);
            nodes.used().math(*function, ty == LaneType::F64, &a)
        }
        Op::Math2(function, a, b) => {
            let (a, b) = (v(a), v(b));
            nodes.used().math2(*function, ty == LaneType::F64, &a, &b)
        }
        Op::AddWhere { condition, sum, term } => {
            let (condition, sum, term) = (nodes.uniform(nodes.value(*condition)), v(sum), v(term));
            format!("{condition} ? {} : {sum}", nodes.used().binary(BinaryOp::Add, ty, &sum, &term))
        }
        Op::Canonical(a) => {
            let a = v(a);
            nodes.used().canonical(ty, &a)
        }
        Op::Chance { word, probability } => {
            let (word, probability) = (v(word), v(probability));
            format!("{}({word}, {probability})", nodes.used().helper(Helper::Chance))
        }
        Op::RandomBit { draw, micro, classes, probabilities } => {
            let class = |(&lanes, &probability): (&ValueId, &ValueId)| RandomClass { lanes, probability };
            let classes: Vec<_> = classes.iter().zip(probabilities).map(class).collect();
            nodes.random_bits(*draw, *micro, &classes)
        }
        Op::Const(_) | Op::Load { .. } | Op::Store { .. } => unreachable!("printed elsewhere"),
    }
}
