//! Logic on bits, whatever register they stand in: simplified, shared, without negations.
//!
//! While a graph is built, a value of bits is a [`Literal`]: a node or its negation. Every operation on two literals is one
//! operation on their nodes, negated or not (`!a & !b` is `!(a | b)`), and an operation on three takes negations into
//! its table. So a negation costs something only where a mask or a stored vector is needed. Operations on three operands are taken
//! apart ([`formulas`]) where there is no instruction for them.

use super::graph::{GraphNode, Id, Instruct, InstructionGraph, Order, RegisterClass};
use crate::formulas;
use iced_x86::Code;
use squeeze_compiler::kernel::LogicOp;

/// The node of all zeros.
const ZEROS: Id = 0;
/// The node of all ones.
const ONES: Id = 1;

/// How an instruction set does logic on bits.
pub(crate) struct Gates {
    /// The kind of register that bits stand in.
    pub class: RegisterClass,
    /// `a & b`
    pub and: Code,
    /// `!a & b`
    pub not_and: Code,
    /// `a | b`
    pub or: Code,
    /// `a ^ b`
    pub xor: Code,
    /// `!a`, if there is an instruction.
    pub not: Option<Code>,
    /// Any function of three operands, if there is an instruction.
    pub table: Option<Code>,
}

/// A node of bits, negated or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Literal(u32);

impl Literal {
    /// All zeros.
    pub(super) const FALSE: Literal = Literal(ZEROS << 1);

    /// The node as it is, not negated.
    pub(super) fn of(node: Id) -> Literal {
        Literal(node << 1)
    }

    /// All zeros or all ones.
    pub(super) fn constant(value: bool) -> Literal {
        Literal::FALSE.negated_if(value)
    }

    /// The node.
    pub(super) fn node(self) -> Id {
        self.0 >> 1
    }

    /// Whether the node is negated.
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The same or its negation.
    pub(crate) fn negated_if(self, negate: bool) -> Literal {
        Literal(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        self.negated_if(true)
    }
}

impl InstructionGraph {
    /// `a & b`
    pub(super) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        if a == Literal::FALSE || b == Literal::FALSE || a == !b {
            return Literal::FALSE;
        }
        if a == !Literal::FALSE || a == b {
            return b;
        }
        if b == !Literal::FALSE {
            return a;
        }
        match (a.is_negated(), b.is_negated()) {
            (false, false) => self.two(LogicOp::And, a.node(), b.node()),
            (false, true) => self.two(LogicOp::AndNot, a.node(), b.node()),
            (true, false) => self.two(LogicOp::AndNot, b.node(), a.node()),
            (true, true) => !self.two(LogicOp::Or, a.node(), b.node()),
        }
    }

    /// `a | b`
    pub(super) fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// `a ^ b`
    pub(super) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let negate = a.is_negated() ^ b.is_negated();
        let result = match (a.node(), b.node()) {
            (a, b) if a == b => Literal::FALSE,
            (ZEROS, other) | (other, ZEROS) => Literal::of(other),
            (a, b) => self.two(LogicOp::Xor, a, b),
        };
        result.negated_if(negate)
    }

    /// An operation on two literals.
    pub(super) fn logic(&mut self, op: LogicOp, a: Literal, b: Literal) -> Literal {
        match op {
            LogicOp::And => self.and(a, b),
            LogicOp::Or => self.or(a, b),
            LogicOp::Xor => self.xor(a, b),
            LogicOp::AndNot => self.and(a, !b),
        }
    }

    /// Any function of three literals: first of the different nodes among them, then of those that matter.
    pub(super) fn function(&mut self, table: u8, operands: [Literal; 3]) -> Literal {
        let mut nodes: Vec<Id> = operands.iter().map(|literal| literal.node()).filter(|id| *id != ZEROS).collect();
        nodes.sort_unstable();
        nodes.dedup();
        // The function of `nodes`: in row r the i-th is bit i of r.
        let value = |row: usize| {
            let bit = |literal: Literal| {
                let place = nodes.iter().position(|node| *node == literal.node());
                usize::from(place.is_some_and(|place| row >> place & 1 == 1) ^ literal.is_negated())
            };
            table >> (4 * bit(operands[0]) + 2 * bit(operands[1]) + bit(operands[2])) & 1 == 1
        };
        let matters = |place: &usize| (0..8).any(|row| value(row) != value(row ^ 1 << place));
        let places: Vec<usize> = (0..nodes.len()).filter(matters).collect();
        let rows: Vec<bool> = (0..1 << places.len())
            .map(|row: usize| value(places.iter().enumerate().map(|(i, place)| (row >> i & 1) << place).sum()))
            .collect();
        let literal = |i: usize| Literal::of(nodes[places[i]]);
        let negate = rows[0];
        // From here on the function is false in row 0.
        let result = match *rows {
            [_] => Literal::FALSE,
            [..] if rows.len() == 2 => literal(0),
            [zero, a, b, _] => match (a != zero, b != zero) {
                (true, true) if rows[3] == zero => self.xor(literal(0), literal(1)),
                (true, true) => self.or(literal(0), literal(1)),
                (true, false) => self.and(literal(0), !literal(1)),
                (false, true) => self.and(!literal(0), literal(1)),
                (false, false) => self.and(literal(0), literal(1)),
            },
            _ => {
                // Rows count the first operand highest.
                let row = |place: usize| (place & 1) << 2 | (place & 2) | place >> 2;
                let table = (0..8).fold(0, |table, place| table | u8::from(rows[row(place)] != negate) << place);
                self.three(table, [0, 1, 2].map(|i| nodes[places[i]]))
            }
        };
        result.negated_if(negate)
    }

    /// A node for a literal.
    pub(super) fn positive(&mut self, literal: Literal) -> Id {
        let node = literal.node();
        if !literal.is_negated() {
            return node;
        }
        let gates = self.table.gates;
        match (self.nodes[node as usize], gates.not) {
            (GraphNode::Same(..), _) => ONES,
            (GraphNode::Do(instruct), _) if Some(instruct.code) == gates.table => {
                let immediate = instruct.immediate.map(|table| !table);
                self.add(GraphNode::Do(Instruct { immediate, ..instruct }))
            }
            (_, Some(not)) => self.add(GraphNode::Do(Instruct::new(not, gates.class, &[node]))),
            (_, None) => self.two(LogicOp::Xor, node, ONES).node(),
        }
    }

    fn two(&mut self, op: LogicOp, a: Id, b: Id) -> Literal {
        let node = self.gate(op, a, b);
        Literal::of(self.add(node))
    }

    /// The node of an operation.
    fn gate(&self, op: LogicOp, a: Id, b: Id) -> GraphNode {
        let gates = self.table.gates;
        let (low, high) = (a.min(b), a.max(b));
        let (code, sources) = match op {
            LogicOp::And => (gates.and, [low, high]),
            LogicOp::Or => (gates.or, [low, high]),
            LogicOp::Xor => (gates.xor, [low, high]),
            // The instruction negates its first operand.
            LogicOp::AndNot => (gates.not_and, [b, a]),
        };
        let is_vector = gates.class == RegisterClass::Vector;
        let order = if is_vector && op != LogicOp::AndNot { Order::Commutes } else { Order::Fixed };
        let fold = self.table.fold(is_vector.then_some(4));
        let overwrites = self.table.overwrites;
        GraphNode::Do(Instruct { order, fold, overwrites, ..Instruct::new(code, gates.class, &sources) })
    }

    /// A function of three nodes that depends on each and is false in row 0.
    fn three(&mut self, table: u8, operands: [Id; 3]) -> Literal {
        if let Some(code) = self.table.gates.table {
            let instruct = Instruct::new(code, RegisterClass::Vector, &operands);
            let (immediate, fold) = (Some(table), self.table.fold(Some(4)));
            let instruct = Instruct { overwrites: true, immediate, fold, order: Order::Table, ..instruct };
            return Literal::of(self.add(GraphNode::Do(instruct)));
        }
        let ways = formulas::ways(table);
        let way = ways.iter().min_by_key(|way| self.new_operations(way, operands)).expect("every function has one");
        let mut values = operands.map(Literal::of).to_vec();
        for (gate, i, j) in way {
            let (a, b) = (values[usize::from(*i)], values[usize::from(*j)]);
            values.push(self.logic(*gate, a, b));
        }
        *values.last().expect("three operands at least")
    }

    /// How many of a formula's operations are not there yet.
    fn new_operations(&self, way: &[formulas::FormulaStep], operands: [Id; 3]) -> usize {
        let mut values: Vec<Option<Id>> = operands.map(Some).to_vec();
        for (gate, i, j) in way {
            let known = values[usize::from(*i)].zip(values[usize::from(*j)]);
            let known = known.and_then(|(a, b)| self.find(&self.gate(*gate, a, b)));
            values.push(known);
        }
        values.iter().filter(|value| value.is_none()).count()
    }
}
