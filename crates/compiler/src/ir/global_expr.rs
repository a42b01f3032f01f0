//! Numbers about all cells: observables compute them from reductions, once, after the cells have done their part.

use crate::numbers::operators::{BinaryOp, CompareOp, MathFn, MathFn2, UnaryOp};
use crate::numbers::value::Type;

/// A number, or a list of numbers, about all cells. Operands have one type ([`GlobalType`]); operations on lists work on their elements,
/// and a single number goes with each of them. Arithmetic is that of the language, of i64 and f64.
#[derive(Clone, Debug, PartialEq)]
pub enum GlobalExpr {
    /// A whole number; a bit is 0 or 1.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// A parameter, an index into [`Rule::params`](super::RuleParts::params): bits, enums and integers as whole numbers.
    Param(u16),
    /// How many cells there are, or how many a replica of this level has.
    Cells(Option<u32>),
    /// The side of the expanded grid.
    Side,
    /// Its width (0), height (1) or depth (2).
    Extent(u8),
    /// The level.
    Level,
    /// The t of the state looked at.
    Time,
    /// An index into [`Rule::reductions`](super::RuleParts::reductions).
    Reduction(u32),
    /// An observable that stands above, an index into [`Rule::observables`](super::RuleParts::observables).
    Observable(u32),
    /// A whole number as an f64.
    ToFloat(Box<GlobalExpr>),
    /// An f64 as a whole number: truncated, saturating, NaN gives 0.
    ToInteger(Box<GlobalExpr>),
    /// A number as one of another type: whole numbers wrap, f64 are truncated and saturate, and an f32 is an f64 from then on.
    Cast(Type, Box<GlobalExpr>),
    /// An operation with one operand. `Not` is of bits only.
    Unary(UnaryOp, Box<GlobalExpr>),
    /// An operation with two operands.
    Binary(BinaryOp, Box<[GlobalExpr; 2]>),
    /// A comparison: a bit.
    Compare(CompareOp, Box<[GlobalExpr; 2]>),
    /// `condition ? then : otherwise`; the condition is one bit.
    Select(Box<[GlobalExpr; 3]>),
    /// A function of floats.
    Math(MathFn, Box<GlobalExpr>),
    /// A function of two floats.
    Math2(MathFn2, Box<[GlobalExpr; 2]>),
    /// A list of numbers.
    List(Vec<GlobalExpr>),
    /// A random draw for all cells at once.
    Random {
        /// The draw's number; a normal number takes the next one too.
        draw: u32,
        /// The function that makes a number of it.
        of: Random,
        /// The bound of `below`, the probability of `random`, or the ends of `uniform(a, b)`.
        operands: Vec<GlobalExpr>,
    },
}

/// A function that makes a number of a draw for all cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Random {
    /// `bits()`
    Bits,
    /// `uniform()`, or `uniform(a, b)` in f32.
    Uniform,
    /// `normal()`
    Normal,
    /// `exponential()`
    Exponential,
    /// `below(n)`, of n as a u32.
    Below,
    /// `random(p)`
    Chance,
}

impl GlobalExpr {
    /// Calls `visit` on this and all inside it.
    pub fn visit(&mut self, visit: &mut dyn FnMut(&mut GlobalExpr)) {
        visit(self);
        match self {
            GlobalExpr::Integer(_)
            | GlobalExpr::Float(_)
            | GlobalExpr::Param(_)
            | GlobalExpr::Cells(_)
            | GlobalExpr::Side
            | GlobalExpr::Extent(_)
            | GlobalExpr::Level
            | GlobalExpr::Time
            | GlobalExpr::Reduction(_)
            | GlobalExpr::Observable(_) => {}
            GlobalExpr::ToFloat(a)
            | GlobalExpr::ToInteger(a)
            | GlobalExpr::Cast(_, a)
            | GlobalExpr::Unary(_, a)
            | GlobalExpr::Math(_, a) => a.visit(visit),
            GlobalExpr::Binary(_, operands) | GlobalExpr::Compare(_, operands) | GlobalExpr::Math2(_, operands) => {
                operands.iter_mut().for_each(|operand| operand.visit(visit));
            }
            GlobalExpr::Select(operands) => operands.iter_mut().for_each(|operand| operand.visit(visit)),
            GlobalExpr::List(operands) | GlobalExpr::Random { operands, .. } => {
                operands.iter_mut().for_each(|operand| operand.visit(visit));
            }
        }
    }

    /// Adds the reductions that it is computed from.
    pub fn reductions(&self, found: &mut Vec<usize>) {
        self.clone().visit(&mut |inner| {
            if let GlobalExpr::Reduction(index) = inner {
                found.push(*index as usize);
            }
        });
    }
}

/// The type of a global expression's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalType {
    /// 0 or 1.
    Bit,
    /// i64.
    Integer,
    /// f64.
    Float,
}

impl GlobalType {
    /// The type of a value of this type, once it is a number about all cells.
    pub(crate) fn of(ty: Type) -> GlobalType {
        match ty {
            Type::Bit => GlobalType::Bit,
            ty if ty.is_float() => GlobalType::Float,
            _ => GlobalType::Integer,
        }
    }
}

/// How many numbers a total has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalShape {
    /// One.
    One,
    /// A list of this length.
    List(u32),
    /// One for each replica of a level, in canonical order.
    Replicas(u32),
}
