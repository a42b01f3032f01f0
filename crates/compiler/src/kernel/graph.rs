//! A kernel's code while it is being made: nodes that are never made twice, and simplified as they come.
//!
//! Asking for an operation that the graph already has gives the old node (operands of commutative ones are sorted), so
//! work that cells share is shared. Simplifications that need only the operands are made here: constants
//! are folded by the same functions that define the operations, and bits follow the laws of logic. Floats follow no law
//! but `a select`: x + 0.0 is not x when x is −0.0.

use crate::kernel::evaluate::evaluate;
use crate::kernel::{LaneType, LogicOp, Node, Op, ValueId};
use crate::numbers::operators::{BinaryOp, CompareOp, UnaryOp};
use crate::numbers::scalar;
use crate::numbers::value::Value;
use rustc_hash::FxHashMap;

/// Code in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelBuilder {
    nodes: Vec<Node>,
    known: FxHashMap<(LaneType, Op), ValueId>,
    /// [`Kernel::flush`](crate::kernel::Kernel::flush)
    flush: bool,
    /// The name given to the nodes that are made next.
    stem: String,
}

/// Code made anew, of a kernel that flushes or not: `new` gives the node's substitute, from the substitutes of the nodes before it. The nodes that it
/// makes are named after the node.
pub(crate) fn remade(
    nodes: &[Node],
    flush: bool,
    mut new: impl FnMut(&mut KernelBuilder, &Node, &[ValueId]) -> ValueId,
) -> KernelBuilder {
    let mut graph = KernelBuilder::new(flush);
    let mut made = Vec::with_capacity(nodes.len());
    for node in nodes {
        graph.call(&node.name);
        let id = new(&mut graph, node, &made);
        made.push(id);
    }
    graph
}

impl KernelBuilder {
    /// No code, of a kernel that flushes or not.
    pub(crate) fn new(flush: bool) -> KernelBuilder {
        KernelBuilder { stem: "value".to_owned(), flush, ..KernelBuilder::default() }
    }

    /// The result of an operation of this kernel, as far as `of` knows its operands.
    pub(crate) fn evaluate(
        &self,
        ty: LaneType,
        op: &Op,
        of: &mut dyn FnMut(ValueId) -> Option<Value>,
    ) -> Option<Value> {
        evaluate(self.flush, ty, op, of)
    }

    /// The nodes so far. Names are stems: [`schedule`](crate::kernel::schedule::schedule) makes them differ.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The nodes.
    pub(crate) fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }

    /// Sets the beginning of the names of nodes made from now on.
    pub(crate) fn call(&mut self, stem: &str) {
        if self.stem != stem {
            stem.clone_into(&mut self.stem);
        }
    }

    /// The operation of a node.
    pub(crate) fn op(&self, id: ValueId) -> &Op {
        &self.nodes[id.0 as usize].op
    }

    /// The type of a node.
    pub(crate) fn ty(&self, id: ValueId) -> LaneType {
        self.nodes[id.0 as usize].ty.expect("stores are no operands")
    }

    /// The constant that a node is.
    pub(crate) fn constant(&self, id: ValueId) -> Option<Value> {
        if let Op::Const(value) = self.op(id) { Some(*value) } else { None }
    }

    fn bit_constant(&self, id: ValueId) -> Option<bool> {
        if let Op::Const(Value::Bit(bit)) = self.op(id) { Some(*bit) } else { None }
    }

    /// A store. It is not simplified away.
    pub(crate) fn store(&mut self, state: u16, plane: u8, micro: u32, value: ValueId) {
        self.put(None, Op::Store { state, plane, micro, value });
    }

    /// Any operation, of which all but stores, that have no type, are simplified. No node names a store.
    pub(crate) fn put(&mut self, ty: Option<LaneType>, op: Op) -> ValueId {
        match ty {
            Some(ty) => self.add(ty, op),
            None => {
                self.nodes.push(Node { name: String::new(), ty, op });
                ValueId(u32::MAX)
            }
        }
    }

    /// A copy of a node of other code; `new` has its operands' substitutes.
    pub(crate) fn copy(&mut self, node: &Node, new: &[ValueId]) -> ValueId {
        self.call(&node.name);
        self.put(node.ty, node.op.clone().map_operands(&mut |id| new[id.0 as usize]))
    }

    /// Any operation but a store, simplified.
    pub(crate) fn add(&mut self, ty: LaneType, op: Op) -> ValueId {
        match op {
            Op::Not(a) => self.not(a),
            Op::Logic(op, a, b) => self.logic(op, a, b),
            Op::Table { table, operands } => self.table(table, operands),
            Op::AddWhere { condition, sum, term } if let Op::Const(Value::Bit(added)) = *self.op(condition) => {
                if added { self.add(ty, Op::Binary(BinaryOp::Add, sum, term)) } else { sum }
            }
            op => self.simplify(ty, &op).unwrap_or_else(|| self.intern(ty, op)),
        }
    }

    /// The node as it stands, without any simplification.
    pub(crate) fn intern(&mut self, ty: LaneType, op: Op) -> ValueId {
        if let Some(id) = self.known.get(&(ty, op.clone())) {
            return *id;
        }
        let id = ValueId(self.nodes.len() as u32);
        self.known.insert((ty, op.clone()), id);
        self.nodes.push(Node { name: self.stem.clone(), ty: Some(ty), op });
        id
    }

    /// A constant; not an enum.
    pub(crate) fn value(&mut self, value: Value) -> ValueId {
        let ty = LaneType::of(value.ty()).expect("enums are made of planes");
        self.intern(ty, Op::Const(value))
    }

    /// A constant bit.
    pub(crate) fn bit(&mut self, bit: bool) -> ValueId {
        self.value(Value::Bit(bit))
    }

    /// `!a`
    pub(crate) fn not(&mut self, a: ValueId) -> ValueId {
        match *self.op(a) {
            Op::Const(Value::Bit(bit)) => self.bit(!bit),
            Op::Not(inner) => inner,
            _ => self.intern(LaneType::Bits, Op::Not(a)),
        }
    }

    /// The operand of a `not`.
    fn negated(&self, id: ValueId) -> Option<ValueId> {
        if let Op::Not(inner) = self.op(id) { Some(*inner) } else { None }
    }

    /// `a & b`
    pub(crate) fn and(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.logic(LogicOp::And, a, b)
    }

    /// `a | b`
    pub(crate) fn or(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.logic(LogicOp::Or, a, b)
    }

    /// `a ^ b`
    pub(crate) fn xor(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.logic(LogicOp::Xor, a, b)
    }

    /// `a & !b`
    pub(crate) fn and_not(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.logic(LogicOp::AndNot, a, b)
    }

    /// `condition ? then : otherwise` of bits.
    pub(crate) fn choose(&mut self, condition: ValueId, then: ValueId, otherwise: ValueId) -> ValueId {
        if then == otherwise {
            return then;
        }
        let (yes, no) = (self.and(condition, then), self.and_not(otherwise, condition));
        self.or(yes, no)
    }

    /// An operation on two vectors of bits.
    pub(crate) fn logic(&mut self, op: LogicOp, a: ValueId, b: ValueId) -> ValueId {
        use LogicOp::{And, AndNot, Or, Xor};
        let (left, right) = (self.bit_constant(a), self.bit_constant(b));
        match (op, left, right) {
            (And, Some(false), _) | (And, _, Some(false)) | (AndNot, Some(false), _) | (AndNot, _, Some(true)) => {
                return self.bit(false);
            }
            (Or, Some(true), _) | (Or, _, Some(true)) => return self.bit(true),
            (And, Some(true), _) | (Or | Xor, Some(false), _) => return b,
            (And, _, Some(true)) | (Or | Xor | AndNot, _, Some(false)) => return a,
            (Xor, Some(true), _) | (AndNot, Some(true), _) => return self.not(b),
            (Xor, _, Some(true)) => return self.not(a),
            _ => {}
        }
        if a == b {
            return if matches!(op, And | Or) { a } else { self.bit(false) };
        }
        if self.negated(a) == Some(b) || self.negated(b) == Some(a) {
            return match op {
                And => self.bit(false),
                Or | Xor => self.bit(true),
                AndNot => a,
            };
        }
        // Negations go out of the operation, or into another one.
        let (other, is_negated, a, b) = match (op, self.negated(a), self.negated(b)) {
            (And, Some(a), Some(b)) => (Or, true, a, b),
            (Or, Some(a), Some(b)) => (And, true, a, b),
            (And, _, Some(b)) => (AndNot, false, a, b),
            (And, Some(a), _) => (AndNot, false, b, a),
            (AndNot, _, Some(b)) => (And, false, a, b),
            (AndNot, Some(a), _) => (Or, true, a, b),
            (Or, Some(inner), _) => (AndNot, true, inner, b),
            (Or, _, Some(inner)) => (AndNot, true, inner, a),
            (Xor, Some(inner), _) => (Xor, true, inner, b),
            (Xor, _, Some(inner)) => (Xor, true, a, inner),
            _ => {
                let (a, b) = if op == AndNot || a < b { (a, b) } else { (b, a) };
                return self.intern(LaneType::Bits, Op::Logic(op, a, b));
            }
        };
        let made = self.logic(other, a, b);
        if is_negated { self.not(made) } else { made }
    }

    /// Any function of three vectors of bits.
    pub(crate) fn table(&mut self, table: u8, operands: [ValueId; 3]) -> ValueId {
        self.intern(LaneType::Bits, Op::Table { table, operands })
    }

    /// The value of a number's operation if its operands decide it.
    fn simplify(&mut self, ty: LaneType, op: &Op) -> Option<ValueId> {
        if let Op::Compare(op, a, b) = op
            && a == b
            && ty_is_integer(self.ty(*a))
        {
            let holds = matches!(op, CompareOp::Equal | CompareOp::LessEqual | CompareOp::GreaterEqual);
            return Some(self.bit(holds));
        }
        if let Op::Select { condition, then, otherwise } = op {
            if then == otherwise {
                return Some(*then);
            }
            let yes = self.bit_constant(*condition)?;
            return Some(if yes { *then } else { *otherwise });
        }
        if let Op::Cast(a) = op
            && self.ty(*a) == ty
        {
            return Some(*a);
        }
        if let Some(folded) = self.evaluate(ty, op, &mut |id| self.constant(id)) {
            return Some(self.value(scalar::canonical(folded)));
        }
        let Op::Binary(op, a, b) = op else { return None };
        self.identity(*op, (*a, self.constant(*a)), (*b, self.constant(*b)))
    }

    /// Integers with a neutral operand.
    fn identity(
        &mut self,
        op: BinaryOp,
        (a, left): (ValueId, Option<Value>),
        (b, right): (ValueId, Option<Value>),
    ) -> Option<ValueId> {
        let ty = self.ty(a);
        if !ty_is_integer(ty) {
            return None;
        }
        let is = |value: Option<Value>, number: u64| value.is_some_and(|value| value.bits() == number);
        Some(match op {
            BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor if is(left, 0) => b,
            BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Subtract if is(right, 0) => a,
            BinaryOp::Multiply if is(left, 1) => b,
            BinaryOp::Multiply | BinaryOp::Divide if is(right, 1) => a,
            BinaryOp::Multiply | BinaryOp::And if is(left, 0) || is(right, 0) => self.value(Value::zero(ty.scalar())),
            BinaryOp::Remainder if is(right, 1) => self.value(Value::zero(ty.scalar())),
            BinaryOp::Min | BinaryOp::Max if a == b => a,
            _ => return None,
        })
    }

    /// A number's operation with one operand.
    pub(crate) fn unary(&mut self, op: UnaryOp, a: ValueId) -> ValueId {
        self.add(self.ty(a), Op::Unary(op, a))
    }

    /// A number's operation with two operands.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        self.add(self.ty(a), Op::Binary(op, a, b))
    }

    /// A choice between two numbers.
    pub(crate) fn select(&mut self, condition: ValueId, then: ValueId, otherwise: ValueId) -> ValueId {
        self.add(self.ty(then), Op::Select { condition, then, otherwise })
    }

    /// A conversion between numbers.
    pub(crate) fn cast(&mut self, ty: LaneType, a: ValueId) -> ValueId {
        self.add(ty, Op::Cast(a))
    }
}

fn ty_is_integer(ty: LaneType) -> bool {
    ty != LaneType::Bits && ty.scalar().is_integer()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_twice_and_logic_is_simplified() {
        let mut graph = KernelBuilder::new(false);
        let [a, b] = [0, 1].map(|plane| graph.add(LaneType::Bits, Op::Param { param: 0, plane }));
        let (no, yes) = (graph.bit(false), graph.bit(true));
        assert_eq!(graph.and(a, b), graph.and(b, a));
        assert_eq!(graph.or(a, no), a);
        assert_eq!(graph.xor(a, a), no);
        let not_a = graph.not(a);
        assert_eq!(graph.not(not_a), a);
        assert_eq!(graph.or(a, not_a), yes);
        assert_eq!(graph.and(b, not_a), graph.and_not(b, a));
        assert_eq!(graph.choose(yes, a, b), a);
    }

    #[test]
    fn floats_keep_their_zeros() {
        let mut graph = KernelBuilder::new(false);
        let x = graph.add(LaneType::F32, Op::Param { param: 0, plane: 0 });
        let zero = graph.value(Value::F32(0.0));
        assert_ne!(graph.binary(BinaryOp::Add, zero, x), x);
        let minus = graph.value(Value::F32(-0.0));
        assert_ne!(zero, minus);
        let sum = graph.binary(BinaryOp::Add, minus, zero);
        assert_eq!(graph.constant(sum), Some(Value::F32(0.0)));
    }
}
