//! Where adding 0.0 changes nothing: sums over neighbours that may not exist.

use crate::ir::BinaryOp;
use crate::ir::kernel::{Kernel, Op, ValueId, logic};
use crate::ir::value::Value;

/// The floats of a kernel that are never −0.0: sums of anything and such a float, from a zero or a positive constant on.
pub struct NeverMinusZero(Vec<bool>);

impl NeverMinusZero {
    /// Of a verified kernel.
    pub fn of(kernel: &Kernel) -> Self {
        let mut floats: Vec<bool> = Vec::with_capacity(kernel.nodes.len());
        for node in &kernel.nodes {
            let of = |id: &ValueId| floats[id.0 as usize];
            floats.push(match &node.op {
                Op::Const(value) => is_float_but_minus_zero(*value),
                Op::Binary(op, a, b) => *op == BinaryOp::Add && (of(a) || of(b)),
                Op::Select { then, otherwise, .. } => of(then) && of(otherwise),
                Op::Load { .. }
                | Op::Presence(_)
                | Op::LaneCorner(_)
                | Op::SuperblockCorner(_)
                | Op::Param { .. }
                | Op::Level
                | Op::Side
                | Op::Time { .. }
                | Op::Random { .. }
                | Op::Store { .. }
                | Op::Count(_)
                | Op::Digit { .. }
                | Op::Widen(_)
                | Op::Unary(..)
                | Op::Shift { .. }
                | Op::Compare(..)
                | Op::Cast(_)
                | Op::Math(..)
                | Op::Pow(..)
                | Op::Chance { .. }
                | logic!() => false,
            });
        }
        NeverMinusZero(floats)
    }

    /// The condition and the term of `sum + (condition ? term : 0.0)` of floats, if it is the same as an addition where the
    /// condition holds: adding 0.0 changes nothing but −0.0.
    pub fn conditional(&self, kernel: &Kernel, sum: ValueId, added: ValueId) -> Option<(ValueId, ValueId)> {
        let Op::Select { condition, then, otherwise } = kernel.node(added).op else { return None };
        let Op::Const(zero @ (Value::F32(_) | Value::F64(_))) = kernel.node(otherwise).op else { return None };
        (zero.bits() == 0 && self.0[sum.0 as usize]).then_some((condition, then))
    }
}

fn is_float_but_minus_zero(value: Value) -> bool {
    match value {
        Value::F32(v) => v.to_bits() != (-0f32).to_bits(),
        Value::F64(v) => v.to_bits() != (-0f64).to_bits(),
        Value::Bit(_) | Value::U8(_) | Value::I32(_) | Value::U32(_) | Value::Enum(..) => false,
    }
}
