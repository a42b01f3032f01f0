//! Values of operations that depend on their operands alone: the functions of [`numbers`](crate::numbers) that the operations name.

use super::rule::{Body, Node, NodeId, Op, of_all_cells, of_cell};
use crate::numbers::value::{Type, Value};
use crate::numbers::{flush, scalar};
use std::collections::HashMap;

/// The value of a node of type `ty` whose operation needs nothing but constants and operands, or `None` if it needs the
/// cell: states, neighbours, coordinates, the time, parameters, random words.
///
/// The constant folder asks this with operands that are constants.
pub(crate) fn evaluate(ty: Type, op: &Op, operand: impl Fn(NodeId) -> Value) -> Option<Value> {
    Some(match *op {
        Op::LookUp { ref table, index } => table.at(operand(index).as_i128()?),
        Op::Const(value) => value,
        Op::Unary(op, a) => scalar::unary(op, operand(a)),
        Op::Binary(op, a, b) => scalar::binary(op, operand(a), operand(b)),
        Op::Shift { left, value, count } => scalar::shift(left, operand(value), operand(count)),
        Op::Compare(op, a, b) => Value::Bit(scalar::compare(op, operand(a), operand(b))),
        Op::Select { condition, then, otherwise } => {
            operand(if scalar::bit(operand(condition)) { then } else { otherwise })
        }
        Op::Cast(a) => scalar::cast(ty, operand(a)),
        Op::Math(function, a) => scalar::math(function, operand(a)),
        Op::Math2(function, a, b) => scalar::math2(function, operand(a), operand(b)),
        of_all_cells!() | of_cell!() => return None,
    })
}

/// The value of a node in a body that needs nothing but constants and parameters, or `None` if it needs more.
pub fn constant(body: &Body, id: NodeId, params: &[Value]) -> Option<Value> {
    let mut values: Vec<Value> = Vec::with_capacity(body.nodes.len());
    for node in &body.nodes {
        values.push(match node.op {
            Op::Param(index) => *params.get(usize::from(index))?,
            _ => evaluate(node.ty, &node.op, |id| values[id.0 as usize])?,
        });
    }
    Some(scalar::canonical(values[id.0 as usize]))
}

/// The value of a node among some, if that depends on a few constants and parameters alone: on `left` operations at most.
pub(crate) fn known<'n>(
    node: &dyn Fn(NodeId) -> Option<&'n Node>,
    id: NodeId,
    params: &[Value],
    left: &mut usize,
) -> Option<Value> {
    let Node { ty, op } = node(id)?;
    match op {
        Op::Const(value) => return Some(*value),
        Op::Param(number) => return params.get(usize::from(*number)).copied(),
        _ if matches!(op, of_cell!()) => return None,
        _ => {}
    }
    *left = left.checked_sub(1)?;
    let known = |operand| Some((operand, known(node, operand, params, left)?));
    let values: HashMap<NodeId, Value> = op.operands().into_iter().map(known).collect::<Option<_>>()?;
    evaluate(*ty, op, |id| values[&id])
}

/// The value of an operation, `None` if a cell or other cells decide it; results are flushed if `flush` says so.
pub fn evaluate_flushed(flush: bool, ty: Type, op: &Op, operand: impl Fn(NodeId) -> Value) -> Option<Value> {
    match *op {
        Op::Const(value) if flush => Some(flush::flushed(value)),
        Op::Binary(op, a, b) if flush => Some(flush::binary(op, operand(a), operand(b))),
        Op::Cast(a) if flush => Some(flush::cast(ty, operand(a))),
        Op::Math(..) | Op::Math2(..) | Op::LookUp { .. } if flush => evaluate(ty, op, operand).map(flush::flushed),
        _ => evaluate(ty, op, operand),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::operators::BinaryOp;

    #[test]
    fn nodes_of_operands_alone_are_evaluated() {
        let constants = [Value::I32(6), Value::I32(7), Value::Bit(true)];
        let get = |id: NodeId| constants[id.0 as usize];
        let product = Op::Binary(BinaryOp::Multiply, NodeId(0), NodeId(1));
        assert_eq!(evaluate(Type::I32, &product, get), Some(Value::I32(42)));
        let select = Op::Select { condition: NodeId(2), then: NodeId(1), otherwise: NodeId(0) };
        assert_eq!(evaluate(Type::I32, &select, get), Some(Value::I32(7)));
        assert_eq!(evaluate(Type::U32, &Op::Time, get), None);
    }
}
