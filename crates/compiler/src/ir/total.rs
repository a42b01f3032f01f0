//! Numbers about all cells: what observables compute from reductions, once, after the cells have done their part.

use super::rule::{BinaryOp, CompareOp, MathFn, MathFn2, UnaryOp};

/// A number, or a list of numbers, about all cells. Operands have one type ([`TotalType`]); operations on lists work on their elements,
/// and what is one number goes with each of them. Arithmetic is that of the language, of i64 and f64.
#[derive(Clone, Debug, PartialEq)]
pub enum Total {
    /// A whole number; a bit is 0 or 1.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// A parameter, an index into [`Rule::params`](super::Rule::params): bits, enums and integers as whole numbers.
    Param(u16),
    /// How many cells there are, or how many a replica of this level has.
    Cells(Option<u32>),
    /// The side of the expanded grid.
    Side,
    /// The level.
    Level,
    /// The t of the state looked at.
    Time,
    /// An index into [`Rule::reductions`](super::Rule::reductions).
    Reduction(u32),
    /// An observable that stands above, an index into [`Rule::observables`](super::Rule::observables).
    Observable(u32),
    /// A whole number as an f64.
    ToFloat(Box<Total>),
    /// An f64 as a whole number: truncated, saturating, NaN gives 0.
    ToInteger(Box<Total>),
    /// An operation with one operand. `Not` is of bits only.
    Unary(UnaryOp, Box<Total>),
    /// An operation with two operands.
    Binary(BinaryOp, Box<[Total; 2]>),
    /// A comparison: a bit.
    Compare(CompareOp, Box<[Total; 2]>),
    /// `condition ? then : otherwise`; the condition is one bit.
    Select(Box<[Total; 3]>),
    /// A function of floats.
    Math(MathFn, Box<Total>),
    /// A function of two floats.
    Math2(MathFn2, Box<[Total; 2]>),
    /// A list of numbers.
    List(Vec<Total>),
}

/// What the numbers of a total are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalType {
    /// 0 or 1.
    Bit,
    /// i64.
    Integer,
    /// f64.
    Float,
}

/// How many numbers a total has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalShape {
    /// One.
    One,
    /// A list of so many.
    List(u32),
    /// One for each replica of a level, in canonical order.
    Replicas(u32),
}
