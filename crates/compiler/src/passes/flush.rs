//! Flushes results by operations, for executors that do not flush them by themselves.
//!
//! A result below the least normal number becomes itself times 0.0, which is the zero of its sign. Sums, remainders and functions are compared
//! with that number directly. Products and quotients are computed once more with one operand multiplied by a power of two, so that they are
//! rounded as if there were no least number. Where an f64 becomes an f32, the f64 is compared. See [`numbers::flush`](crate::numbers::flush).

use crate::kernel::graph::{KernelBuilder, remade};
use crate::kernel::schedule::in_order;
use crate::kernel::{Kernel, LaneType, Op, ValueId, condition, draw, input, logic, scalar_input};
use crate::numbers::operators::{BinaryOp, CompareOp, MathFn, UnaryOp};
use crate::numbers::value::Value;
use crate::target::Flushes;
use crate::target::speciality::{Off, Speciality};

/// The power of two by which operands are multiplied: at least that of the digits of the type.
const SCALE: i32 = 64;

/// Says all else in operations, and takes [`Kernel::flush`] away if nothing is left.
pub fn explicit(kernel: &mut Kernel, by_itself: Flushes) {
    if !kernel.flush || by_itself == Flushes::All {
        return;
    }
    let sums = by_itself == Flushes::Sums;
    // Whether an operation is a sum or a difference.
    let adds = |op: &Op| matches!(op, Op::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) | Op::AddWhere { .. });
    let graph = remade(&kernel.nodes, sums, |graph, node, new| match node.ty {
        Some(ty) if ty.is_float() && !(sums && ty == LaneType::F32 && adds(&node.op)) => {
            flushed(graph, ty, node.op.clone().map_operands(&mut |id| new[id.0 as usize]))
        }
        _ => graph.copy(node, new),
    });
    kernel.nodes = in_order(kernel.neighbours, graph.into_nodes());
    kernel.flush = sums;
}

/// Says everything in operations that is flushed, unless a processor may flush all that the kernel computes.
pub fn rest(kernel: &mut Kernel, off: Off) {
    let by_processor = || flushed_by_a_processor(kernel) && off.allows(Speciality::ProcessorFlushes);
    if kernel.flush && !by_processor() {
        explicit(kernel, Flushes::Nothing);
    }
}

/// Whether a processor may flush all that a kernel computes. Functions must not be flushed at the steps on the way to their result.
fn flushed_by_a_processor(kernel: &Kernel) -> bool {
    kernel.nodes.iter().all(|node| match node.op {
        Op::Math(MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round, _) => true,
        Op::Math(..) | Op::Math2(..) => false,
        Op::Binary(BinaryOp::Remainder, ..) => !node.ty.is_some_and(LaneType::is_float),
        Op::Binary(..) | Op::Unary(..) | Op::Cast(_) | Op::AddWhere { .. } | Op::Canonical(_) => true,
        // These compute no float.
        Op::Count(_) | Op::Widen(_) | Op::Shift { .. } | Op::Select { .. } | Op::LookUp { .. } => true,
        Op::Below { .. } | Op::Store { .. } => true,
        input!() | scalar_input!() | draw!() | logic!() | condition!() => true,
    })
}

/// A result of floats, flushed if it can be below the least normal number.
fn flushed(graph: &mut KernelBuilder, ty: LaneType, op: Op) -> ValueId {
    match op {
        Op::AddWhere { condition, sum, term } => {
            let longer = flushed(graph, ty, Op::Binary(BinaryOp::Add, sum, term));
            graph.select(condition, longer, sum)
        }
        Op::Binary(BinaryOp::Multiply | BinaryOp::Divide, a, b) => {
            let Op::Binary(operation, ..) = op else { unreachable!("it was just looked at") };
            let result = graph.add(ty, op);
            let scale = constant(graph, ty, f64::from(SCALE).exp2());
            let larger = graph.binary(BinaryOp::Multiply, a, scale);
            let larger = graph.binary(operation, larger, b);
            let least = constant(graph, ty, f64::from(SCALE).exp2() * least(ty));
            zero_below(graph, ty, result, larger, least)
        }
        Op::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Remainder, ..)
        | Op::Math(
            MathFn::Exp
            | MathFn::Log
            | MathFn::Log2
            | MathFn::Sin
            | MathFn::Cos
            | MathFn::Tan
            | MathFn::Tanh
            | MathFn::Asin
            | MathFn::Acos
            | MathFn::Atan,
            _,
        )
        | Op::Math2(..) => {
            let result = graph.add(ty, op);
            let least = constant(graph, ty, least(ty));
            zero_below(graph, ty, result, result, least)
        }
        Op::Cast(from) if ty == LaneType::F32 && graph.ty(from) == LaneType::F64 => {
            let result = graph.add(ty, op);
            // Numbers below this are rounded to less than the least normal number.
            let least = least(ty) * (1.0 - f64::from(-25).exp2());
            let least = constant(graph, LaneType::F64, least);
            zero_below(graph, ty, result, from, least)
        }
        // Others have no result below the least normal number if their operands are none.
        op @ (Op::Binary(BinaryOp::Min | BinaryOp::Max | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..)
        | Op::Math(MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round, _)
        | Op::Count(_)
        | Op::Widen(_)
        | Op::Unary(..)
        | Op::Shift { .. }
        | Op::Select { .. }
        | Op::Cast(_)
        | Op::LookUp { .. }
        | Op::Below { .. }
        | Op::Canonical(_)
        | Op::Store { .. }
        | input!()
        | scalar_input!()
        | draw!()
        | logic!()
        | condition!()) => graph.add(ty, op),
    }
}

/// `|judged| < least ? 0.0 * result : result`
fn zero_below(graph: &mut KernelBuilder, ty: LaneType, result: ValueId, judged: ValueId, least: ValueId) -> ValueId {
    let magnitude = graph.unary(UnaryOp::Abs, judged);
    let below = graph.add(LaneType::Bits, Op::Compare(CompareOp::Less, magnitude, least));
    let zero = constant(graph, ty, 0.0);
    let zero = graph.binary(BinaryOp::Multiply, result, zero);
    graph.select(below, zero, result)
}

fn constant(graph: &mut KernelBuilder, ty: LaneType, value: f64) -> ValueId {
    graph.value(if ty == LaneType::F32 { Value::F32(value as f32) } else { Value::F64(value) })
}

/// The least normal number of a type.
fn least(ty: LaneType) -> f64 {
    if ty == LaneType::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE }
}
