//! Operations as expressions of CUDA C: the same for lanes and for the cells of the papers' strategies.

use super::helpers::Helper;
use super::operations::{self, comparison};
use super::printer::{CellPlacement, Printer};
use super::words::c_type;
use crate::kernel::{LaneType, LogicOp, Op, ValueId};
use crate::numbers::operators::{BinaryOp, CompareOp};

/// The lanes of a random bit that have one probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct RandomClass {
    pub lanes: ValueId,
    pub probability: ValueId,
}

/// Whose corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Corner {
    Lane,
    Superblock,
}

/// A function of three operands of which two are one value, as a function of two: bit 2x + y of the first result.
///
/// The instruction is not given one register twice: ptxas of CUDA 13.0 then takes a wrong operand when it joins it with another
/// (`lop3<0xa2>(a, b, a) & a` becomes 0), that of 13.5 does not.
fn of_two(table: u8, [a, b, c]: [ValueId; 3]) -> Option<(u8, [ValueId; 2])> {
    // Which bits of a row are x and y.
    let (pair, row): ([ValueId; 2], fn(u8, u8) -> u8) = match (a == b, b == c, a == c) {
        (true, ..) => ([a, c], |x, y| 6 * x + y),
        (_, true, _) => ([a, b], |x, y| 4 * x + 3 * y),
        (.., true) => ([a, b], |x, y| 5 * x + 2 * y),
        _ => return None,
    };
    let bit = |x: u8, y: u8| (table >> row(x, y) & 1) << (2 * x + y);
    Some((bit(0, 0) | bit(0, 1) | bit(1, 0) | bit(1, 1), pair))
}

/// A function of two words of bits, as [`of_two`] numbers them.
fn function_of_two(function: u8, x: &str, y: &str) -> String {
    match function {
        0 => format!("{x} & ~{x}"),
        1 => format!("~({x} | {y})"),
        2 => format!("{y} & ~{x}"),
        3 => format!("~{x}"),
        4 => format!("{x} & ~{y}"),
        5 => format!("~{y}"),
        6 => format!("{x} ^ {y}"),
        7 => format!("~({x} & {y})"),
        8 => format!("{x} & {y}"),
        9 => format!("~({x} ^ {y})"),
        10 => y.to_owned(),
        11 => format!("~{x} | {y}"),
        12 => x.to_owned(),
        13 => format!("{x} | ~{y}"),
        14 => format!("{x} | {y}"),
        _ => format!("{x} | ~{x}"),
    }
}

impl<'a, C: CellPlacement<'a>> Printer<'a, C> {
    /// Bits that are the same in all lanes, as a word that is 0 where they are not set.
    fn uniform(&self, bits: ValueId) -> String {
        let bits = self.value(bits);
        if self.quads() { format!("{bits}.words[0]") } else { bits.to_owned() }
    }

    /// Whether a condition compares floats with a literal zero, by `<` or `>`: see [`UsedFunctions::without_zero`](super::operations::UsedFunctions::without_zero).
    fn is_beside_zero(&self, mut condition: ValueId) -> bool {
        while let Op::Not(negated) = self.kernel.node(condition).op {
            condition = negated;
        }
        let Op::Compare(CompareOp::Less | CompareOp::Greater, a, b) = self.kernel.node(condition).op else {
            return false;
        };
        [a, b].iter().any(|id| operations::is_zero(self.value(*id)))
    }

    /// The expression of an operation. Loads, stores and constants are printed elsewhere: they are no expressions of their own.
    pub fn expression(&mut self, op: &Op, ty: LaneType) -> String {
        let v = |id: &ValueId| self.value(*id).to_owned();
        let bitwise = self.bitwise();
        let not = if bitwise { "~" } else { "!" };
        // A bit that is made of numbers, which are the same in all lanes if bits are words.
        let word = |bit: String| if bitwise { format!("0 - (u32)({bit})") } else { bit };
        match op {
            Op::Presence(direction) => C::presence(self, *direction),
            Op::LaneCorner(axis) => C::corner(self, Corner::Lane, *axis),
            Op::SuperblockCorner(axis) => C::corner(self, Corner::Superblock, *axis),
            Op::OddCorner(axes) => C::odd_corner(self, *axes),
            Op::Param { param, plane } => C::parameter(self, *param, *plane, ty),
            Op::Level => C::level(self),
            Op::Side => C::side(self),
            Op::Time { ahead: 0 } => C::time(self).to_owned(),
            Op::Time { ahead } => format!("{} + {ahead}", C::time(self)),
            Op::Random { draw, micro } => C::random(self, *draw, *micro),
            Op::Not(a) => format!("{not}{}", v(a)),
            Op::Logic(op, a, b) => match op {
                LogicOp::And => format!("{} & {}", v(a), v(b)),
                LogicOp::Or => format!("{} | {}", v(a), v(b)),
                LogicOp::Xor => format!("{} ^ {}", v(a), v(b)),
                LogicOp::AndNot => format!("{} & {not}{}", v(a), v(b)),
            },
            Op::Table { table, operands } if bitwise && of_two(*table, *operands).is_some() => {
                let (function, [x, y]) = of_two(*table, *operands).expect("it was asked before");
                function_of_two(function, &v(&x), &v(&y))
            }
            Op::Table { table, operands: [a, b, c] } if bitwise => {
                let (a, b, c) = (v(a), v(b), v(c));
                format!("{}<0x{table:02x}>({a}, {b}, {c})", self.uses(Helper::Lop3))
            }
            Op::Table { table, operands: [a, b, c] } => {
                format!("0x{table:02x} >> (4 * {} + 2 * {} + {}) & 1", v(a), v(b), v(c))
            }
            Op::Count(terms) if terms.is_empty() => "0".to_owned(),
            Op::Count(terms) => terms.iter().map(v).collect::<Vec<_>>().join(" + "),
            Op::Digit { value, bit } if self.ty(*value) == LaneType::I64 => {
                word(format!("(u32)({} >> {bit}) & 1", v(value)))
            }
            Op::Digit { value, bit } => word(format!("(u32){} >> {bit} & 1", v(value))),
            Op::Widen(planes) => {
                let bit = |(place, plane): (usize, &ValueId)| match (place, bitwise) {
                    (0, false) => format!("(u32){}", v(plane)),
                    (_, false) => format!("(u32){} << {place}", v(plane)),
                    (_, true) => format!("{} & {}u", self.uniform(*plane), 1u32 << place),
                };
                let sum: Vec<String> = planes.iter().enumerate().map(bit).collect();
                format!("({})({})", c_type(ty, false), sum.join(" | "))
            }
            Op::Unary(op, a) => {
                let a = v(a);
                self.used.unary(*op, ty, &a)
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (v(a), v(b));
                self.used.binary(*op, ty, &a, &b)
            }
            Op::Shift { left, value, count } => operations::shift(*left, ty, &v(value), &v(count)),
            Op::Compare(op, a, b) => word(format!("{} {} {}", v(a), comparison(*op), v(b))),
            Op::Select { condition, then, otherwise } => {
                let (mut then, mut otherwise) = (v(then), v(otherwise));
                if self.is_beside_zero(*condition) {
                    (then, otherwise) = (self.used.without_zero(ty, &then), self.used.without_zero(ty, &otherwise));
                }
                format!("{} ? {then} : {otherwise}", self.uniform(*condition))
            }
            Op::Cast(a) => {
                let (from, a) = (self.ty(*a), v(a));
                self.used.cast(Some(from), ty, &a)
            }
            Op::Math(function, a) => {
                let a = v(a);
                self.used.math(*function, ty == LaneType::F64, &a)
            }
            Op::Math2(function, a, b) => {
                let (a, b) = (v(a), v(b));
                self.used.math2(*function, ty == LaneType::F64, &a, &b)
            }
            Op::LookUp { table, index } => {
                let index = v(index);
                self.used.look_up(table, &index)
            }
            Op::AddWhere { condition, sum, term } => {
                let (condition, sum, term) = (self.uniform(*condition), v(sum), v(term));
                format!("{condition} ? {} : {sum}", self.used.binary(BinaryOp::Add, ty, &sum, &term))
            }
            Op::Canonical(a) => {
                let a = v(a);
                self.used.canonical(ty, &a)
            }
            Op::Chance { word, probability } => {
                let (word_of_cell, probability) = (v(word), v(probability));
                let ((draw, micro), time) = (self.kernel.drawn(*word), C::time(self));
                let ([seed, cell], chance) = (C::drawn_by(self, micro), self.uses(Helper::Chance));
                format!("{chance}({word_of_cell}, {probability}, {seed}, {cell}, {time}, {draw})")
            }
            Op::RandomBit { draw, micro, classes, probabilities } => {
                let class = |(&lanes, &probability): (&ValueId, &ValueId)| RandomClass { lanes, probability };
                let classes: Vec<_> = classes.iter().zip(probabilities).map(class).collect();
                C::random_bits(self, *draw, *micro, &classes)
            }
            Op::Below { .. } => unreachable!("legalised: words of 32 bits are all there are"),
            Op::Const(_) | Op::Load(_) | Op::Store { .. } => unreachable!("printed elsewhere"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{function_of_two, of_two};
    use crate::kernel::ValueId;

    /// The value of the text in C for one bit, with names of one letter.
    fn evaluate(text: &str, x: bool, y: bool) -> bool {
        let text: String = text.chars().filter(|sign| *sign != ' ').collect();
        if let Some(inner) = text.strip_prefix("~(").and_then(|rest| rest.strip_suffix(')')) {
            return !evaluate(inner, x, y);
        }
        match text.find(['&', '|', '^']) {
            Some(place) => {
                let (a, b) = (evaluate(&text[..place], x, y), evaluate(&text[place + 1..], x, y));
                match text.as_bytes()[place] {
                    b'&' => a & b,
                    b'|' => a | b,
                    _ => a ^ b,
                }
            }
            None => match text.as_str() {
                "x" => x,
                "y" => y,
                "~x" => !x,
                "~y" => !y,
                _ => panic!("{text}"),
            },
        }
    }

    #[test]
    fn tables_of_two_values_are_functions_of_two() {
        let (x, y) = (ValueId(0), ValueId(1));
        for operands in [[x, x, y], [x, y, y], [x, y, x], [x, x, x]] {
            for table in 0..=255u8 {
                let (function, [first, second]) = of_two(table, operands).expect("one stands twice");
                let name = |id: ValueId| if id == x { "x" } else { "y" };
                let text = function_of_two(function, name(first), name(second));
                for (x_is, y_is) in [(false, false), (false, true), (true, false), (true, true)] {
                    let bit = |id: ValueId| u8::from(if id == x { x_is } else { y_is });
                    let row = operands.iter().fold(0, |row, id| 2 * row + bit(*id));
                    assert_eq!(evaluate(&text, x_is, y_is), table >> row & 1 == 1, "{table:02x} {operands:?}: {text}");
                }
            }
        }
        assert_eq!(of_two(0x96, [x, y, ValueId(2)]), None);
    }
}
