//! Makes explicit what every back end would otherwise have to know.
//!
//! - *One NaN.* The value that a store of floats keeps is made canonical ([`Op::Canonical`]), unless it is known to be so: a loaded value
//!   was stored before.
//! - *Sums over neighbours that may not exist.* `sum + (exists ? term : 0.0)` is the sum alone where the neighbour does not exist
//!   ([`Op::AddWhere`]): adding 0.0 changes nothing but −0.0, and a sum that began with 0.0 is never that.
//!   In a kernel that flushes, sums may be −0.0, and the choice `exists ? sum + term : sum` becomes the same operation.
//! - *Division of integers by a power of two* becomes shifts. Other divisions stay: every operation is total.
//! - *Chances that are constants of 32 bits* become comparisons with a threshold.
//! - *Words below a bound* become shifts and products of 32 bits.

use crate::ir::BinaryOp;
use crate::kernel::graph::{KernelBuilder, remade};
use crate::kernel::{LaneType, Node, Op, ValueId, condition, draw, forward, input, logic};
use crate::numbers::operators::CompareOp;
use crate::numbers::philox::{self, PLANES};
use crate::numbers::value::Value;

/// The nodes with all of it said.
pub(crate) fn legalise(nodes: &[Node], flush: bool) -> Vec<Node> {
    let never_minus_zero = never_minus_zero(nodes, flush);
    let canonical = canonical(nodes);
    let graph = remade(nodes, flush, |graph, node, new| {
        let of = |id: ValueId| new[id.0 as usize];
        match (&node.op, node.ty) {
            (Op::Store { state, plane, micro, value }, _) => {
                let mut stored = of(*value);
                if !canonical[value.0 as usize] {
                    let (name, ty) = (nodes[value.0 as usize].name.clone(), graph.ty(stored));
                    graph.call(&name);
                    stored = graph.add(ty, Op::Canonical(stored));
                }
                let (state, plane, micro) = (*state, *plane, *micro);
                graph.put(None, Op::Store { state, plane, micro, value: stored })
            }
            (Op::Binary(BinaryOp::Add, a, b), Some(ty)) => {
                let conditional = |(sum, added): (ValueId, ValueId)| {
                    let (condition, term) = conditional(nodes, added)?;
                    never_minus_zero[sum.0 as usize].then_some((condition, sum, term))
                };
                match [(*a, *b), (*b, *a)].into_iter().find_map(conditional) {
                    Some((condition, sum, term)) => {
                        graph.add(ty, Op::AddWhere { condition: of(condition), sum: of(sum), term: of(term) })
                    }
                    None => graph.copy(node, new),
                }
            }
            (Op::Select { condition, then, otherwise }, Some(ty)) if flush && ty.is_float() => {
                let term = match nodes[then.0 as usize].op {
                    Op::Binary(BinaryOp::Add, a, b) if a == *otherwise => Some(b),
                    Op::Binary(BinaryOp::Add, a, b) if b == *otherwise => Some(a),
                    _ => None,
                };
                let (condition, sum) = (of(*condition), of(*otherwise));
                match term {
                    Some(term) => graph.add(ty, Op::AddWhere { condition, sum, term: of(term) }),
                    None => graph.copy(node, new),
                }
            }
            (Op::Binary(op @ (BinaryOp::Divide | BinaryOp::Remainder), a, b), Some(ty)) => {
                match power_of_two(nodes, ty, *b) {
                    Some(digits) => divide(graph, of(*a), digits, *op == BinaryOp::Remainder),
                    None => graph.copy(node, new),
                }
            }
            (Op::Chance { word, probability }, Some(ty)) => match nodes[probability.0 as usize].op {
                // Further planes may decide.
                Op::Const(Value::F64(p)) if philox::planes(p) > PLANES => graph.copy(node, new),
                Op::Const(Value::F64(p)) => match u32::try_from(philox::threshold(p)) {
                    Ok(threshold) => {
                        let threshold = graph.value(Value::U32(threshold));
                        graph.add(ty, Op::Compare(CompareOp::Less, of(*word), threshold))
                    }
                    Err(_) => graph.bit(true),
                },
                _ => graph.copy(node, new),
            },
            (Op::Below { word, bound }, Some(_)) => below(graph, of(*word), of(*bound)),
            _ => graph.copy(node, new),
        }
    });
    graph.into_nodes()
}

/// The condition and the term of `condition ? term : 0.0`.
fn conditional(nodes: &[Node], added: ValueId) -> Option<(ValueId, ValueId)> {
    let Op::Select { condition, then, otherwise } = nodes[added.0 as usize].op else { return None };
    let Op::Const(zero @ (Value::F32(_) | Value::F64(_))) = nodes[otherwise.0 as usize].op else { return None };
    (zero.bits() == 0).then_some((condition, then))
}

/// The floats that are never −0.0: sums of anything and such a float, from a zero or a positive constant on.
fn never_minus_zero(nodes: &[Node], flush: bool) -> Vec<bool> {
    forward(nodes, |node, floats| {
        let of = |id: &ValueId| floats[id.0 as usize];
        match &node.op {
            Op::Const(Value::F32(v)) => v.to_bits() != (-0f32).to_bits(),
            Op::Const(Value::F64(v)) => v.to_bits() != (-0f64).to_bits(),
            // A flushed result may be −0.0.
            Op::Binary(op, a, b) => !flush && *op == BinaryOp::Add && (of(a) || of(b)),
            Op::AddWhere { sum, .. } => !flush && of(sum),
            Op::Canonical(sum) => of(sum),
            Op::Select { then, otherwise, .. } => of(then) && of(otherwise),
            Op::Const(_) | Op::SuperblockCorner(_) | Op::Param { .. } | Op::Level | Op::Side | Op::Time { .. } => false,
            Op::Count(_) | Op::Widen(_) | Op::Unary(..) | Op::Shift { .. } | Op::Cast(_) => false,
            Op::Math(..) | Op::Math2(..) | Op::LookUp { .. } | Op::Below { .. } | Op::Store { .. } => false,
            input!() | draw!() | logic!() | condition!() => false,
        }
    })
}

/// For each value whether a NaN can only be the one quiet NaN; values that are no floats have none.
fn canonical(nodes: &[Node]) -> Vec<bool> {
    forward(nodes, |node, known| {
        let of = |id: &ValueId| known[id.0 as usize];
        let float = node.ty.is_some_and(LaneType::is_float);
        !float
            || match &node.op {
                // Constants and tables hold canonical ones, and loaded values were stored.
                Op::Load(_) | Op::Const(_) | Op::LookUp { .. } | Op::Widen(_) | Op::Canonical(_) => true,
                Op::Select { then, otherwise, .. } => of(then) && of(otherwise),
                Op::Cast(from) => !nodes[from.0 as usize].ty.is_some_and(LaneType::is_float),
                Op::Binary(BinaryOp::Min | BinaryOp::Max, a, b) => of(a) && of(b),
                Op::Presence(_) | Op::LaneCorner(_) | Op::OddCorner(_) => false,
                Op::SuperblockCorner(_) | Op::Param { .. } | Op::Level | Op::Side | Op::Time { .. } => false,
                Op::Count(_) | Op::Unary(..) | Op::Binary(..) | Op::Shift { .. } | Op::AddWhere { .. } => false,
                Op::Math(..) | Op::Math2(..) | Op::Below { .. } | Op::Store { .. } => false,
                draw!() | logic!() | condition!() => false,
            }
    })
}

/// n ≥ 1 of a constant 2^n of an integer type.
fn power_of_two(nodes: &[Node], ty: LaneType, id: ValueId) -> Option<u32> {
    let Op::Const(value) = &nodes[id.0 as usize].op else { return None };
    let number = if ty.is_float() { return None } else { u64::try_from(value.as_i128()?).ok()? };
    (number > 1 && number.is_power_of_two()).then(|| number.ilog2())
}

/// `value >> count`
fn shift_right(graph: &mut KernelBuilder, value: ValueId, count: u32) -> ValueId {
    let count = graph.value(Value::U32(count));
    graph.add(graph.ty(value), Op::Shift { left: false, value, count })
}

/// `value & mask`
fn masked(graph: &mut KernelBuilder, value: ValueId, mask: i128) -> ValueId {
    let mask = graph.value(Value::whole(graph.ty(value).scalar(), mask));
    graph.binary(BinaryOp::And, value, mask)
}

/// `a / 2^digits`, or the remainder. Quotients of signed integers are rounded towards zero: 2^digits − 1 is added to negative numbers first.
fn divide(graph: &mut KernelBuilder, a: ValueId, digits: u32, remainder: bool) -> ValueId {
    let ty = graph.ty(a);
    match (ty.is_signed(), remainder) {
        (false, true) => return masked(graph, a, (1 << digits) - 1),
        (false, false) => return shift_right(graph, a, digits),
        (true, _) => {}
    }
    let sign = shift_right(graph, a, ty.width() - 1);
    let more = masked(graph, sign, (1 << digits) - 1);
    let raised = graph.binary(BinaryOp::Add, a, more);
    if !remainder {
        return shift_right(graph, raised, digits);
    }
    // The remainder is `a` without the multiple of 2^digits.
    let whole = masked(graph, raised, -1 << digits);
    graph.binary(BinaryOp::Subtract, a, whole)
}

/// ⌊word · bound / 2^32⌋ of a U32, in words of 32 bits.
fn below(graph: &mut KernelBuilder, word: ValueId, bound: ValueId) -> ValueId {
    let constant = match graph.constant(bound) {
        Some(Value::U32(bound)) => Some(bound),
        _ => None,
    };
    match constant {
        Some(0 | 1) => return graph.value(Value::U32(0)),
        Some(bound) if bound.is_power_of_two() => return shift_right(graph, word, 32 - bound.ilog2()),
        _ => {}
    }
    let half = |graph: &mut KernelBuilder, of: ValueId| (shift_right(graph, of, 16), masked(graph, of, 0xffff));
    let ((high, low), (bound_high, bound_low)) = (half(graph, word), half(graph, bound));
    // word · bound = 2^32 · high · bound_high + 2^16 · (high · bound_low + low · bound_high) + low · bound_low, each of these products
    // below 2^32; the first sum of two stays there too.
    let lowest = graph.binary(BinaryOp::Multiply, low, bound_low);
    let carried = shift_right(graph, lowest, 16);
    let middle = graph.binary(BinaryOp::Multiply, high, bound_low);
    let middle = graph.binary(BinaryOp::Add, middle, carried);
    if constant.is_some_and(|bound| bound >> 16 == 0) {
        return shift_right(graph, middle, 16);
    }
    let (middle_high, middle_low) = half(graph, middle);
    let other = graph.binary(BinaryOp::Multiply, low, bound_high);
    let other = graph.binary(BinaryOp::Add, other, middle_low);
    let other = shift_right(graph, other, 16);
    let highest = graph.binary(BinaryOp::Multiply, high, bound_high);
    let sum = graph.binary(BinaryOp::Add, highest, middle_high);
    graph.binary(BinaryOp::Add, sum, other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::{philox, scalar};

    #[test]
    fn words_below_a_bound_are_products() {
        for word in [0, 1, 0xffff, 0x1_0000, 0x5555_5556, 0x8000_0000, 0xdead_beef, u32::MAX] {
            for bound in [0, 1, 2, 3, 4, 7, 16, 1000, 0xffff, 0x1_0000, 0x1_0001, 0x8000_0000, 0xdead_beef, u32::MAX] {
                let mut graph = KernelBuilder::new(false);
                let (left, right) = (graph.value(Value::U32(word)), graph.value(Value::U32(bound)));
                let result = below(&mut graph, left, right);
                assert_eq!(graph.constant(result), Some(Value::U32(philox::below(word, bound))), "{word} {bound}");
            }
        }
    }

    fn constant(value: Value) -> Node {
        Node { name: "value".to_owned(), ty: LaneType::of(value.ty()), op: Op::Const(value) }
    }

    /// Operations on constants are folded, so that the result alone is left.
    #[test]
    fn division_by_powers_of_two_is_division() {
        let i64s = [i64::MIN, i64::MIN + 1, -65, -64, -1, 0, 1, 63, 64, 65, i64::MAX];
        let i32s = [i32::MIN, i32::MIN + 1, -65, -64, -63, -2, -1, 0, 1, 2, 63, 64, 65, i32::MAX - 1, i32::MAX];
        let u32s = [0, 1, 63, 64, 65, u32::MAX - 1, u32::MAX];
        let pairs = i32s.iter().flat_map(|a| (1..31).map(move |n| (Value::I32(*a), Value::I32(1 << n))));
        let pairs = pairs.chain(u32s.iter().flat_map(|a| (1..32).map(move |n| (Value::U32(*a), Value::U32(1 << n)))));
        let pairs = pairs.chain(i64s.iter().flat_map(|a| (1..63).map(move |n| (Value::I64(*a), Value::I64(1 << n)))));
        let u16s = [0, 1, 63, 64, 65, u16::MAX - 1, u16::MAX];
        let pairs = pairs.chain(u16s.iter().flat_map(|a| (1..16).map(move |n| (Value::U16(*a), Value::U16(1 << n)))));
        let pairs = pairs.chain((0..=255).flat_map(|a| (1..8).map(move |n| (Value::U8(a), Value::U8(1 << n)))));
        for (a, b) in pairs {
            let ty = LaneType::of(a.ty()).expect("a number");
            for remainder in [false, true] {
                let mut graph = KernelBuilder::new(false);
                let (left, digits) = (graph.value(a), power_of_two(&[constant(b)], ty, ValueId(0)).expect("it is one"));
                let result = divide(&mut graph, left, digits, remainder);
                let op = if remainder { BinaryOp::Remainder } else { BinaryOp::Divide };
                assert_eq!(graph.constant(result), Some(scalar::binary(op, a, b)), "{a:?} {op:?} {b:?}");
            }
        }
        let none = |value| power_of_two(&[constant(value)], LaneType::of(value.ty()).expect("a number"), ValueId(0));
        assert_eq!([Value::I32(0), Value::I32(1), Value::I32(-2), Value::U32(6)].map(none), [None; 4]);
    }
}
