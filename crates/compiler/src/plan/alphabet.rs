//! Letters as bits: where inputs are compared with each other and nothing else, a kernel needs to know of each value only which one of all it is. Their numbers,
//! as planes of bits, let a kernel of bits take as many lanes at once as a register has bits.

use crate::ir::{CompareOp, RuleParts};
use crate::kernel::{Direction, Kernel, LaneType, Load, LogicOp, Node, Op, Planes, ValueId};
use std::collections::BTreeSet;

/// The most different values.
const MOST_LETTERS: usize = 256;

/// The different values of all inputs of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet(Vec<u64>);

impl Alphabet {
    /// `None` if there are no inputs, floats among them, or too many values.
    pub fn of(rule: &RuleParts) -> Option<Alphabet> {
        let mut all = BTreeSet::new();
        for (field, _, values) in rule.given_inputs() {
            if rule.state(field).ty.is_float() {
                return None;
            }
            for value in values {
                if all.insert(value.bits()) && all.len() > MOST_LETTERS {
                    return None;
                }
            }
        }
        (!all.is_empty()).then(|| Alphabet(all.into_iter().collect()))
    }

    /// The number of a value; 0 if it is none of them.
    pub fn number(&self, bits: u64) -> u8 {
        self.0.binary_search(&bits).unwrap_or(0) as u8
    }

    /// The planes of their numbers.
    pub fn planes(&self) -> u8 {
        self.0.len().next_power_of_two().ilog2().max(1) as u8
    }

    /// A kernel whose inputs are numbers of letters, as planes of bits; `None` if it does more with them than to compare them at a cell, or knows other numbers.
    pub(crate) fn in_kernel(&self, kernel: &Kernel, rule: &RuleParts) -> Option<Kernel> {
        let is_input = |state: u16| rule.given_inputs().any(|(field, ..)| field.0 == state);
        let is_letter = |load: &Load| load.direction == Direction::CENTRE && is_input(load.state);
        let letter = |id: ValueId| kernel.node(id).op.load().filter(is_letter);
        let is_number = |id: &ValueId| kernel.node(*id).ty.is_some_and(|ty| ty != LaneType::Bits);
        let mut made = LetterNodes { nodes: Vec::with_capacity(kernel.nodes.len()) };
        // Letters themselves have no place.
        let mut places: Vec<Option<ValueId>> = Vec::with_capacity(kernel.nodes.len());
        for (node, id) in kernel.nodes.iter().zip(0..) {
            let place = match node.op {
                Op::Compare(op @ (CompareOp::Equal | CompareOp::NotEqual), a, b) if is_number(&a) => {
                    let differ = self.differ(&mut made, (letter(a)?, letter(b)?));
                    Some(if op == CompareOp::Equal { made.push(Op::Not(differ)) } else { differ })
                }
                _ if is_number(&ValueId(id)) => letter(ValueId(id)).map(|_| None)?,
                ref op if op.operands().iter().any(is_number) => return None,
                ref op => {
                    let moved = &mut |id: ValueId| places[id.0 as usize].expect("it is no letter");
                    let op = op.clone().map_operands(moved);
                    made.nodes.push(Node { op, ..node.clone() });
                    Some(ValueId(made.nodes.len() as u32 - 1))
                }
            };
            places.push(place);
        }
        let mut states = kernel.states.clone();
        for (state, _) in states.iter_mut().zip(0u16..).filter(|(_, number)| is_input(*number)) {
            state.planes = Planes::Bits(self.planes());
        }
        Some(Kernel { states, nodes: made.nodes, ..kernel.clone() })
    }

    /// Whether two letters differ.
    fn differ(&self, made: &mut LetterNodes, (a, b): (Load, Load)) -> ValueId {
        let mut differ = None;
        for plane in 0..self.planes() {
            let [a, b] = [a, b].map(|load| made.push(Op::Load(Load { plane, ..load })));
            let here = made.push(Op::Logic(LogicOp::Xor, a, b));
            differ = Some(differ.map_or(here, |so_far| made.push(Op::Logic(LogicOp::Or, so_far, here))));
        }
        differ.expect("letters have a plane at least")
    }
}

/// The nodes of a kernel that is made.
struct LetterNodes {
    nodes: Vec<Node>,
}

impl LetterNodes {
    fn push(&mut self, op: Op) -> ValueId {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { name: format!("letter{id}"), ty: Some(LaneType::Bits), op });
        ValueId(id)
    }
}
