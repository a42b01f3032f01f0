//! Operations, and the functions that all of them have.
//!
//! A match that must know every operation has no catch-all, so that the compiler names all such matches when an operation is added. (A match
//! that looks for some operations alone may have one, but not if it looks for loads: [`Op::load`] and [`Op::direction`] tell of them all.) Where a match treats many alike they are named by their kind: [`input!`],
//! [`scalar_input!`], [`draw!`], [`logic!`], [`condition!`], [`number!`] and [`arithmetic!`]. Only [`Op::Store`] is of none.

use super::{Direction, Kernel, Node, ValueId};
use crate::ir::Axes;
use crate::numbers::operators::named;
use crate::numbers::operators::{BinaryOp, CompareOp, MathFn, MathFn2, UnaryOp};
use crate::numbers::table::ConstTable;
use crate::numbers::value::Value;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// The pattern of all inputs that differ from lane to lane, but draws.
#[doc(hidden)]
#[macro_export]
macro_rules! input {
    () => {
        $crate::kernel::Op::Load(_)
            | $crate::kernel::Op::Presence(_)
            | $crate::kernel::Op::LaneCorner(_)
            | $crate::kernel::Op::OddCorner(_)
    };
}

/// The pattern of all inputs that are the same in all lanes.
#[doc(hidden)]
#[macro_export]
macro_rules! scalar_input {
    () => {
        $crate::kernel::Op::SuperblockCorner(_)
            | $crate::kernel::Op::Param { .. }
            | $crate::kernel::Op::Level
            | $crate::kernel::Op::Side
            | $crate::kernel::Op::Time { .. }
            | $crate::kernel::Op::Const(_)
    };
}

/// The pattern of all draws.
#[doc(hidden)]
#[macro_export]
macro_rules! draw {
    () => {
        $crate::kernel::Op::Random { .. } | $crate::kernel::Op::RandomBit { .. }
    };
}

/// The pattern of all operations that make bits of bits.
#[doc(hidden)]
#[macro_export]
macro_rules! logic {
    () => {
        $crate::kernel::Op::Not(_) | $crate::kernel::Op::Logic(..) | $crate::kernel::Op::Table { .. }
    };
}

/// The pattern of all operations that make bits of numbers.
#[doc(hidden)]
#[macro_export]
macro_rules! condition {
    () => {
        $crate::kernel::Op::Digit { .. } | $crate::kernel::Op::Compare(..) | $crate::kernel::Op::Chance { .. }
    };
}

/// The pattern of all operations that make numbers.
#[doc(hidden)]
#[macro_export]
macro_rules! number {
    () => {
        $crate::kernel::Op::Count(_)
            | $crate::kernel::Op::Widen(_)
            | $crate::kernel::Op::Unary(..)
            | $crate::kernel::Op::Binary(..)
            | $crate::kernel::Op::Shift { .. }
            | $crate::kernel::Op::Select { .. }
            | $crate::kernel::Op::Cast(_)
            | $crate::kernel::Op::Math(..)
            | $crate::kernel::Op::Math2(..)
            | $crate::kernel::Op::LookUp { .. }
            | $crate::kernel::Op::Below { .. }
            | $crate::kernel::Op::AddWhere { .. }
            | $crate::kernel::Op::Canonical(_)
    };
}

/// The pattern of all operations that take or give numbers, but inputs and draws.
#[doc(hidden)]
#[macro_export]
macro_rules! arithmetic {
    () => {
        $crate::kernel::condition!() | $crate::kernel::number!()
    };
}

#[doc(hidden)]
pub use crate::{arithmetic, condition, draw, input, logic, number, scalar_input};

named! {
    /// Operations on two vectors of bits.
    pub enum LogicOp {
        /// `a & b`
        And = "and",
        /// `a | b`
        Or = "or",
        /// `a ^ b`
        Xor = "xor",
        /// `a & !b`
        AndNot = "and_not",
    }
}

impl LogicOp {
    /// The result for bits, or for words of them.
    pub fn apply<T>(self, a: T, b: T) -> T
    where
        T: BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T> + Not<Output = T>,
    {
        match self {
            LogicOp::And => a & b,
            LogicOp::Or => a | b,
            LogicOp::Xor => a ^ b,
            LogicOp::AndNot => a & !b,
        }
    }
}

/// What is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "fields are called as what they hold")]
pub struct Load {
    /// An index into [`Kernel::states`].
    pub state: u16,
    pub plane: u8,
    pub direction: Direction,
    /// The micro cell, an index into [`MicroFractal::cells`](super::MicroFractal::cells).
    pub micro: u32,
}

/// The operation of a node. Operands have the result's type where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "fields are called as what they hold")]
pub enum Op {
    /// One plane of a column; 0 in lanes in which the superblock in that direction does not exist.
    Load(Load),
    /// Bits: whether the superblock in this direction (not the centre) exists.
    Presence(Direction),
    /// I32: the coordinate on axis 0, 1 or 2 of the corner of the lane's level-(r−T) fractal.
    LaneCorner(u8),
    /// I32: the coordinate on an axis of the superblock's corner within the level-(r−T) fractal, the same in all lanes.
    SuperblockCorner(u8),
    /// Bits: whether the coordinates on these axes of the superblock's corner, in the place that it has in the lane, have an odd sum.
    OddCorner(Axes),
    /// One plane of a parameter.
    Param {
        /// An index into [`Kernel::params`].
        param: u16,
        plane: u8,
    },
    /// I32: the level r.
    Level,
    /// I32: the side of the expanded grid.
    Side,
    /// U32: the first time that this run computes plus `ahead`, which is below [`Kernel::steps`].
    Time { ahead: u32 },
    /// U32: the random word of an own cell, for the first time that this run computes.
    Random { draw: u32, micro: u32 },
    /// Bits: `random(p)` of an own cell, for the first time that this run computes, with p the probability of the lane's class; false in lanes of no
    /// class. [`classes`](crate::passes::classes) makes it.
    RandomBit {
        draw: u32,
        micro: u32,
        /// Bits: the lanes of each class. No lane is of two.
        classes: Vec<ValueId>,
        /// F64: as many probabilities, which are [`global`]; or I64, parameters that hold their thresholds, with the probabilities behind
        /// ([`derived`](crate::kernel::derived)).
        probabilities: Vec<ValueId>,
    },
    /// A constant in all lanes; never an enum.
    Const(Value),
    /// Bits: `!a`.
    Not(ValueId),
    /// Bits: an operation on two vectors of bits.
    Logic(LogicOp, ValueId, ValueId),
    /// Bits: any function of three vectors of bits: bit `4a + 2b + c` of `table`.
    Table { table: u8, operands: [ValueId; 3] },
    /// I32: how many of these vectors of bits are true.
    Count(Vec<ValueId>),
    /// Bits: bit number `bit` of an integer (two's complement), below its width.
    Digit { value: ValueId, bit: u8 },
    /// A number made of planes of bits, the lowest first: from 1 to 16 of them, 8 for a U8.
    Widen(Vec<ValueId>),
    /// Numbers only; `Not` of integers.
    Unary(UnaryOp, ValueId),
    /// Numbers only; `And`, `Or` and `Xor` of integers.
    Binary(BinaryOp, ValueId, ValueId),
    /// As [`rule::Op::Shift`](crate::ir::rule::Op::Shift).
    Shift { left: bool, value: ValueId, count: ValueId },
    /// Bits: a comparison of two numbers of one type.
    Compare(CompareOp, ValueId, ValueId),
    /// Numbers: `then` in lanes where `condition` is true, else `otherwise`.
    Select { condition: ValueId, then: ValueId, otherwise: ValueId },
    /// A number converted to the result's number type, as [`rule::Op::Cast`](crate::ir::rule::Op::Cast).
    Cast(ValueId),
    /// A function of floats.
    Math(MathFn, ValueId),
    /// A function of two floats.
    Math2(MathFn2, ValueId, ValueId),
    /// The value of a table with the number `index` (I32), of a bit or an enum as a U8; below the first it is the first, beyond the last the last.
    LookUp { table: ConstTable, index: ValueId },
    /// Bits: `random(probability)` (F64) of the cell and the draw whose word this is, an [`Op::Random`]. Where the word is equal to ⌊`probability` · 2^32⌋,
    /// further planes decide.
    Chance { word: ValueId, probability: ValueId },
    /// U32: ⌊`word` · `bound` / 2^32⌋ of two U32. [`legalise`](crate::passes::legalise) makes words of 32 bits of it, if
    /// [`classes`](crate::passes::classes) has not made bits.
    Below { word: ValueId, bound: ValueId },
    /// Floats: `sum + term` in lanes where `condition` is true, else `sum`, which is never −0.0 but in a kernel that flushes, so that 0.0 may be added there.
    /// [`legalise`](crate::passes::legalise) makes it.
    AddWhere { condition: ValueId, sum: ValueId, term: ValueId },
    /// Floats: the same, and the one quiet NaN for every NaN. [`legalise`](crate::passes::legalise) makes it.
    Canonical(ValueId),
    /// Writes one plane of an own column to the state's new buffer; floats are canonical. Has no result.
    Store {
        /// An index into [`Kernel::states`].
        state: u16,
        plane: u8,
        micro: u32,
        value: ValueId,
    },
}

impl Op {
    /// Its operands, in order.
    pub fn operands(&self) -> Vec<ValueId> {
        let mut operands = Vec::new();
        self.clone().map_operands(&mut |id| {
            operands.push(id);
            id
        });
        operands
    }

    /// What it loads, if it does.
    pub fn load(&self) -> Option<Load> {
        match self {
            Op::Load(load) => Some(*load),
            Op::Presence(_) | Op::LaneCorner(_) | Op::OddCorner(_) | Op::Store { .. } => None,
            scalar_input!() | draw!() | logic!() | arithmetic!() => None,
        }
    }

    /// Where it looks, if it loads or asks whether a superblock exists.
    pub fn direction(&self) -> Option<Direction> {
        match self {
            Op::Load(Load { direction, .. }) | Op::Presence(direction) => Some(*direction),
            Op::LaneCorner(_) | Op::OddCorner(_) | Op::Store { .. } => None,
            scalar_input!() | draw!() | logic!() | arithmetic!() => None,
        }
    }

    /// The same operation on other operands: `f` gives the new one for each, in order.
    pub(crate) fn map_operands(self, f: &mut dyn FnMut(ValueId) -> ValueId) -> Op {
        match self {
            Op::RandomBit { draw, micro, classes, probabilities } => Op::RandomBit {
                draw,
                micro,
                classes: classes.into_iter().map(&mut *f).collect(),
                probabilities: probabilities.into_iter().map(f).collect(),
            },
            Op::Count(terms) => Op::Count(terms.into_iter().map(f).collect()),
            Op::Widen(planes) => Op::Widen(planes.into_iter().map(f).collect()),
            Op::Not(a) => Op::Not(f(a)),
            Op::Logic(op, a, b) => Op::Logic(op, f(a), f(b)),
            Op::Table { table, operands } => Op::Table { table, operands: operands.map(f) },
            Op::Digit { value, bit } => Op::Digit { value: f(value), bit },
            Op::Unary(op, a) => Op::Unary(op, f(a)),
            Op::Binary(op, a, b) => Op::Binary(op, f(a), f(b)),
            Op::Shift { left, value, count } => Op::Shift { left, value: f(value), count: f(count) },
            Op::Compare(op, a, b) => Op::Compare(op, f(a), f(b)),
            Op::Select { condition, then, otherwise } => {
                Op::Select { condition: f(condition), then: f(then), otherwise: f(otherwise) }
            }
            Op::Cast(a) => Op::Cast(f(a)),
            Op::Math(function, a) => Op::Math(function, f(a)),
            Op::Math2(function, a, b) => Op::Math2(function, f(a), f(b)),
            Op::LookUp { table, index } => Op::LookUp { table, index: f(index) },
            Op::Chance { word, probability } => Op::Chance { word: f(word), probability: f(probability) },
            Op::Below { word, bound } => Op::Below { word: f(word), bound: f(bound) },
            Op::AddWhere { condition, sum, term } => {
                Op::AddWhere { condition: f(condition), sum: f(sum), term: f(term) }
            }
            Op::Canonical(a) => Op::Canonical(f(a)),
            Op::Store { state, plane, micro, value } => Op::Store { state, plane, micro, value: f(value) },
            op @ (input!() | scalar_input!() | Op::Random { .. }) => op,
        }
    }
}

/// Computes a property of each node from the properties of the nodes before it.
pub(crate) fn forward<T>(nodes: &[Node], mut holds: impl FnMut(&Node, &[T]) -> T) -> Vec<T> {
    let mut known = Vec::with_capacity(nodes.len());
    for node in nodes {
        known.push(holds(node, &known));
    }
    known
}

/// The most of something that lies on the way to each node, itself included.
pub(crate) fn depths(nodes: &[Node], is_counted: impl Fn(&Op) -> bool) -> Vec<u32> {
    forward(nodes, |node, depths| {
        let before = node.op.operands().iter().map(|id| depths[id.0 as usize]).max().unwrap_or(0);
        before + u32::from(is_counted(&node.op))
    })
}

/// For each node whether its value is made of some inputs that are the same in all lanes, and of nothing else.
pub(crate) fn made_of(kernel: &Kernel, inputs: impl Fn(&Op) -> bool) -> Vec<bool> {
    forward(&kernel.nodes, |node, made| match &node.op {
        input!() | draw!() | Op::Store { .. } => false,
        op @ scalar_input!() => inputs(op),
        op @ (logic!() | arithmetic!()) => op.operands().iter().all(|id| made[id.0 as usize]),
    })
}

/// For each node whether its value is the same in all lanes whatever the inputs are.
pub fn uniform(kernel: &Kernel) -> Vec<bool> {
    made_of(kernel, |_| true)
}

/// For each node whether its value is the same in all lanes of all superblocks.
pub fn global(kernel: &Kernel) -> Vec<bool> {
    made_of(kernel, |input| !matches!(input, Op::SuperblockCorner(_)))
}
