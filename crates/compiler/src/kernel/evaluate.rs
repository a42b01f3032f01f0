//! Results of operations: the one place where each is tied to the function in `numbers` that defines it.

use super::forward;
use super::{LaneType, LogicOp, Node, Op, ValueId, draw, input};
use crate::numbers::operators::BinaryOp;
use crate::numbers::value::Value;
use crate::numbers::{flush, philox, scalar};

/// One element of an operation's result, of type `ty`, in a kernel that flushes or not, as far as `of` knows the operands'. `None` if an operand that decides is
/// not known, if the operation is an input or a store, or if it is a chance that the word alone does not decide.
///
/// An operand that cannot change the result is not asked for: `a & false` is false whatever `a` is.
pub(crate) fn evaluate(
    flush: bool,
    ty: LaneType,
    op: &Op,
    of: &mut dyn FnMut(ValueId) -> Option<Value>,
) -> Option<Value> {
    let flushed = |value| if flush { flush::flushed(value) } else { value };
    let binary = |op, a, b| if flush { flush::binary(op, a, b) } else { scalar::binary(op, a, b) };
    let mut bit = |id: &ValueId| of(*id).map(scalar::bit);
    Some(match op {
        Op::Const(value) => *value,
        Op::Not(a) => Value::Bit(!bit(a)?),
        Op::Logic(op, a, b) => {
            let (a, b) = (bit(a), bit(b));
            Value::Bit(match (op, a, b) {
                (LogicOp::And, Some(false), _) | (LogicOp::And, _, Some(false)) => false,
                (LogicOp::Or, Some(true), _) | (LogicOp::Or, _, Some(true)) => true,
                (LogicOp::AndNot, Some(false), _) | (LogicOp::AndNot, _, Some(true)) => false,
                _ => op.apply(a?, b?),
            })
        }
        Op::Table { table, operands: [a, b, c] } => {
            let place = 4 * u8::from(bit(a)?) + 2 * u8::from(bit(b)?) + u8::from(bit(c)?);
            Value::Bit(table >> place & 1 == 1)
        }
        Op::Count(terms) => {
            let mut number = 0;
            for term in terms {
                number += i32::from(bit(term)?);
            }
            Value::I32(number)
        }
        Op::Digit { value, bit } => Value::Bit(of(*value)?.bits() >> bit & 1 == 1),
        Op::Widen(planes) => {
            let mut number = 0;
            for (place, plane) in planes.iter().enumerate() {
                number |= u32::from(bit(plane)?) << place;
            }
            scalar::cast(ty.scalar(), Value::U32(number))
        }
        Op::Unary(op, a) => scalar::unary(*op, of(*a)?),
        Op::Binary(op, a, b) => binary(*op, of(*a)?, of(*b)?),
        Op::Shift { left, value, count } => scalar::shift(*left, of(*value)?, of(*count)?),
        Op::Compare(op, a, b) => Value::Bit(scalar::compare(*op, of(*a)?, of(*b)?)),
        Op::Select { condition, then, otherwise } => {
            let chosen = if bit(condition)? { then } else { otherwise };
            of(*chosen)?
        }
        Op::Cast(a) if flush => flush::cast(ty.scalar(), of(*a)?),
        Op::Cast(a) => scalar::cast(ty.scalar(), of(*a)?),
        Op::Math(function, a) => flushed(scalar::math(*function, of(*a)?)),
        Op::Math2(function, a, b) => flushed(scalar::math2(*function, of(*a)?, of(*b)?)),
        Op::LookUp { table, index } => Value::from_bits(ty.scalar(), table.at(of(*index)?.as_i128()?).bits()),
        Op::AddWhere { condition, sum, term } => {
            if bit(condition)? {
                binary(BinaryOp::Add, of(*sum)?, of(*term)?)
            } else {
                of(*sum)?
            }
        }
        Op::Canonical(a) => scalar::canonical(of(*a)?),
        Op::Chance { word, probability } => {
            let p = scalar::probability(of(*probability)?);
            if philox::planes(p) == 0 {
                return Some(Value::Bit(p >= 1.0));
            }
            let Value::U32(word) = of(*word)? else { unreachable!("verified: a word is a u32") };
            Value::Bit(philox::by_word(word, p)?)
        }
        Op::Below { word, bound } => {
            let Value::U32(bound) = of(*bound)? else { unreachable!("verified: a bound is a u32") };
            if bound < 2 {
                return Some(Value::U32(0));
            }
            let Value::U32(word) = of(*word)? else { unreachable!("verified: a word is a u32") };
            Value::U32(philox::below(word, bound))
        }
        input!() | draw!() | Op::Store { .. } => return None,
        Op::SuperblockCorner(_) | Op::Param { .. } | Op::Level | Op::Side | Op::Time { .. } => return None,
    })
}

/// The inputs of values that are the same everywhere.
#[derive(Clone, Copy, Debug)]
pub struct GlobalInputs<'a> {
    /// Each parameter as [`Value::bits`].
    pub params: &'a [u64],
    /// The first time that is computed.
    pub time: u32,
    /// The level.
    pub level: i32,
    /// The side.
    pub side: i32,
}

/// The values of nodes that are [the same everywhere](super::global), in a kernel that flushes or not.
pub(crate) fn evaluate_global(flush: bool, nodes: &[Node], inputs: GlobalInputs<'_>) -> Vec<Value> {
    forward(nodes, |node, values| {
        let ty = node.ty.unwrap_or(LaneType::Bits);
        match node.op {
            Op::Param { param, plane } => Value::from_bits(ty.scalar(), inputs.params[usize::from(param)] >> plane),
            Op::Level => Value::I32(inputs.level),
            Op::Side => Value::I32(inputs.side),
            Op::Time { ahead } => Value::U32(inputs.time.wrapping_add(ahead)),
            ref op => evaluate(flush, ty, op, &mut |id| Some(values[id.0 as usize])).expect("verified: it is global"),
        }
    })
}
