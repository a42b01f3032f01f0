//! Which terms are zero by themselves where no neighbour exists, so that nobody need ask whether one does: memory holds
//! zeros at holes.

use crate::ir::rule::{Aggregate, AggregateKind, BinaryOp, Body, NodeId, Op};
use crate::ir::value::{Type, Value};
use crate::numerics::scalar;

/// Whether an aggregate comes to the same if each missing neighbour counts with states of value zero.
pub(super) fn vanishes(body: &Body, aggregate: &Aggregate) -> bool {
    if !matches!(aggregate.kind, AggregateKind::Sum | AggregateKind::Count | AggregateKind::Any) {
        return false;
    }
    let value = body.node(aggregate.value);
    known(body, aggregate.value).is_some_and(|term| term == Value::zero(value.ty))
}

/// The value of a node if every neighbour's state is zero and nothing else is known.
fn known(body: &Body, id: NodeId) -> Option<Value> {
    let node = body.node(id);
    match &node.op {
        Op::Neighbour(_) => Some(Value::zero(node.ty)),
        Op::Const(value) => Some(*value),
        Op::Binary(BinaryOp::And, a, b) if node.ty == Type::Bit => match (known(body, *a), known(body, *b)) {
            (Some(Value::Bit(false)), _) | (_, Some(Value::Bit(false))) => Some(Value::Bit(false)),
            (Some(Value::Bit(true)), Some(Value::Bit(true))) => Some(Value::Bit(true)),
            _ => None,
        },
        Op::Unary(_, a) | Op::Cast(a) | Op::Math(_, a) => {
            let a = known(body, *a)?;
            scalar::evaluate(node.ty, &node.op, |_| a)
        }
        Op::Binary(_, a, b) | Op::Compare(_, a, b) => {
            let values = [(*a, known(body, *a)?), (*b, known(body, *b)?)];
            scalar::evaluate(node.ty, &node.op, |id| values.iter().find(|(of, _)| *of == id).expect("an operand").1)
        }
        Op::Select { condition, then, otherwise } => match known(body, *condition)? {
            Value::Bit(true) => known(body, *then),
            _ => known(body, *otherwise),
        },
        _ => None,
    }
}
