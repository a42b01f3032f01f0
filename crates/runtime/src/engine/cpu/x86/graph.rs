//! A kernel of bits as machine code needs it: addresses instead of columns, no negations, nothing twice.
//!
//! While it is built, a value is a [`Literal`]: a node or its negation. Every operation on two literals is one
//! operation on their nodes, negated or not (`!a & !b` is `!(a | b)`), and an operation on three takes negations into
//! its table. So a negation costs something only where it is stored.

use super::Isa;
use super::formulas::{self, Gate};
use super::frame::Problem;
use crate::engine::cpu::call::Call;
use squeeze_compiler::ir::Value;
use squeeze_compiler::ir::kernel::{Direction, Kernel, LogicOp, Op, ValueId, Variable};
use std::collections::HashMap;
use std::mem::offset_of;

/// A node by its place in [`Graph::nodes`].
pub type Id = u32;

/// The node of all zeros.
pub const ZEROS: Id = 0;
/// The node of all ones.
pub const ONES: Id = 1;

/// A base pointer, by where it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// One of [`Call::reads`].
    Read(i32),
    /// One of [`Call::writes`].
    Write(i32),
    /// One of [`Call::presence`].
    Presence(i32),
    /// [`Call::params`] itself.
    Params,
}

impl Base {
    /// The offset in a [`Call`] of the list, and the place in it.
    pub fn found_at(self) -> (usize, Option<i32>) {
        match self {
            Base::Read(place) => (offset_of!(Call, reads), Some(place)),
            Base::Write(place) => (offset_of!(Call, writes), Some(place)),
            Base::Presence(place) => (offset_of!(Call, presence), Some(place)),
            Base::Params => (offset_of!(Call, params), None),
        }
    }
}

/// Where a vector stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Relative to this.
    pub base: Base,
    /// In bytes, of the column's first vector.
    pub offset: i32,
}

/// Operations on two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Two {
    /// `a & b`
    And,
    /// `a & !b`
    AndNot,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// [`ZEROS`] or [`ONES`].
    Constant(bool),
    /// A vector that stands in memory.
    Input(Place),
    /// One plane of a parameter: the bit `plane` of the 32 bits at the place, in all lanes.
    Param(Place, u8),
    /// An operation on two different nodes.
    Two(Two, Id, Id),
    /// A function of three different nodes: bit `4a + 2b + c` of the table.
    Three(u8, [Id; 3]),
    /// Writes a node.
    Store(Place, Id),
}

impl Node {
    /// Its operands.
    pub fn operands(&self) -> impl Iterator<Item = Id> + use<> {
        let (list, count) = match *self {
            Node::Constant(_) | Node::Input(_) | Node::Param(..) => ([0; 3], 0),
            Node::Two(_, a, b) => ([a, b, 0], 2),
            Node::Three(_, operands) => (operands, 3),
            Node::Store(_, a) => ([a, 0, 0], 1),
        };
        list.into_iter().take(count)
    }
}

/// The code, in order; nodes that nothing uses may be among it.
#[derive(Debug)]
pub struct Graph {
    /// Operands stand before their users.
    pub nodes: Vec<Node>,
    known: HashMap<Node, Id>,
    isa: Isa,
}

/// A node, negated or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Literal(u32);

impl Literal {
    const FALSE: Literal = Literal(ZEROS << 1);

    fn of(node: Id) -> Literal {
        Literal(node << 1)
    }

    fn constant(value: bool) -> Literal {
        Literal::FALSE.negated_if(value)
    }

    fn node(self) -> Id {
        self.0 >> 1
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn negated_if(self, negate: bool) -> Literal {
        Literal(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        self.negated_if(true)
    }
}

impl Graph {
    /// The graph of a kernel of bits, for columns of so many words.
    pub fn of(kernel: &Kernel, words: usize, isa: Isa) -> Result<Graph, Problem> {
        let mut graph = Graph { nodes: Vec::with_capacity(kernel.nodes.len() + 2), known: HashMap::new(), isa };
        graph.add(Node::Constant(false));
        graph.add(Node::Constant(true));
        let dimension = kernel.micro.dimension;
        let places = Direction::all(dimension).len() + 1;
        let index = |direction: Direction| direction.index(dimension);
        let column = |states: &[Variable], state: u16, plane: u8, micro: u32| {
            let planes = states[usize::from(state)].planes.count();
            let number = u64::from(micro) * u64::from(planes) + u64::from(plane);
            number
                .checked_mul(4 * words as u64)
                .and_then(|offset| i32::try_from(offset).ok())
                .ok_or(Problem::TooLarge("a superblock of more than 2 GiB"))
        };
        let entry = |place: usize| i32::try_from(place * 8).map_err(|_| Problem::TooLarge("too many states"));
        let mut literals: Vec<Literal> = Vec::with_capacity(kernel.nodes.len());
        for node in &kernel.nodes {
            let of = |id: &ValueId| literals[id.0 as usize];
            let literal = match &node.op {
                Op::Load { state, plane, direction, micro } => {
                    let place = usize::from(*state) * places + index(*direction).map_or(0, |index| index + 1);
                    let offset = column(&kernel.states, *state, *plane, *micro)?;
                    Literal::of(graph.add(Node::Input(Place { base: Base::Read(entry(place)?), offset })))
                }
                Op::Presence(direction) => {
                    let place = index(*direction).expect("verified: not the centre");
                    Literal::of(graph.add(Node::Input(Place { base: Base::Presence(entry(place)?), offset: 0 })))
                }
                Op::Param { param, plane } => {
                    let place = Place { base: Base::Params, offset: entry(usize::from(*param))? };
                    Literal::of(graph.add(Node::Param(place, *plane)))
                }
                Op::Const(value) => Literal::constant(*value == Value::Bit(true)),
                Op::Not(a) => !of(a),
                Op::Logic(LogicOp::And, a, b) => graph.and(of(a), of(b)),
                Op::Logic(LogicOp::Or, a, b) => !graph.and(!of(a), !of(b)),
                Op::Logic(LogicOp::Xor, a, b) => graph.xor(of(a), of(b)),
                Op::Logic(LogicOp::AndNot, a, b) => graph.and(of(a), !of(b)),
                Op::Table { table, operands } => graph.table(*table, [0, 1, 2].map(|i| of(&operands[i]))),
                Op::Store { state, plane, micro, value } => {
                    let offset = column(&kernel.states, *state, *plane, *micro)?;
                    let base = Base::Write(entry(usize::from(*state))?);
                    let value = graph.positive(of(value));
                    graph.nodes.push(Node::Store(Place { base, offset }, value));
                    Literal::FALSE
                }
                other => unreachable!("not an operation on bits alone: {other:?}"),
            };
            literals.push(literal);
        }
        Ok(graph)
    }

    fn add(&mut self, node: Node) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.known.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    fn two(&mut self, op: Two, a: Id, b: Id) -> Literal {
        let (a, b) = if op == Two::AndNot { (a, b) } else { (a.min(b), a.max(b)) };
        Literal::of(self.add(Node::Two(op, a, b)))
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
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
            (false, false) => self.two(Two::And, a.node(), b.node()),
            (false, true) => self.two(Two::AndNot, a.node(), b.node()),
            (true, false) => self.two(Two::AndNot, b.node(), a.node()),
            (true, true) => !self.two(Two::Or, a.node(), b.node()),
        }
    }

    fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let negate = a.is_negated() ^ b.is_negated();
        let result = match (a.node(), b.node()) {
            (a, b) if a == b => Literal::FALSE,
            (ZEROS, other) | (other, ZEROS) => Literal::of(other),
            (a, b) => self.two(Two::Xor, a, b),
        };
        result.negated_if(negate)
    }

    /// Any function of three literals: first of the different nodes among them, then of those that matter.
    fn table(&mut self, table: u8, operands: [Literal; 3]) -> Literal {
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
                (true, true) => !self.and(!literal(0), !literal(1)),
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

    /// A function of three nodes that depends on each and is false in row 0.
    fn three(&mut self, table: u8, operands: [Id; 3]) -> Literal {
        if self.isa == Isa::Avx512 {
            return Literal::of(self.add(Node::Three(table, operands)));
        }
        let ways = formulas::ways(table);
        let way = ways.iter().min_by_key(|way| self.new_operations(way, operands)).expect("every function has one");
        let mut values = operands.map(Literal::of).to_vec();
        for (gate, i, j) in way {
            let (a, b) = (values[usize::from(*i)], values[usize::from(*j)]);
            values.push(match gate {
                Gate::And => self.and(a, b),
                Gate::AndNot => self.and(a, !b),
                Gate::NotAnd => self.and(!a, b),
                Gate::Or => !self.and(!a, !b),
                Gate::Xor => self.xor(a, b),
            });
        }
        *values.last().expect("three operands at least")
    }

    /// How many of a formula's operations are not there yet.
    fn new_operations(&self, way: &[formulas::Step], operands: [Id; 3]) -> usize {
        let mut values: Vec<Option<Id>> = operands.map(Some).to_vec();
        for (gate, i, j) in way {
            let known = values[usize::from(*i)].zip(values[usize::from(*j)]).and_then(|(a, b)| {
                let (low, high) = (a.min(b), a.max(b));
                let node = match gate {
                    Gate::And => Node::Two(Two::And, low, high),
                    Gate::AndNot => Node::Two(Two::AndNot, a, b),
                    Gate::NotAnd => Node::Two(Two::AndNot, b, a),
                    Gate::Or => Node::Two(Two::Or, low, high),
                    Gate::Xor => Node::Two(Two::Xor, low, high),
                };
                self.known.get(&node).copied()
            });
            values.push(known);
        }
        values.iter().filter(|value| value.is_none()).count()
    }

    /// A node for a literal.
    fn positive(&mut self, literal: Literal) -> Id {
        if !literal.is_negated() {
            return literal.node();
        }
        match self.nodes[literal.node() as usize] {
            Node::Constant(_) => ONES,
            Node::Three(table, operands) => self.add(Node::Three(!table, operands)),
            _ => {
                let node = literal.node();
                self.add(Node::Two(Two::Xor, node.min(ONES), node.max(ONES)))
            }
        }
    }
}
