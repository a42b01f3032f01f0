//! Count tests become minimal boolean functions.
//!
//! A vector of bits that something other than logic needs (a store, a count, a choice of numbers) is a *root*. The logic
//! between a root and values that are not logic is its cone; comparisons of a count with a constant belong to it,
//! and count as functions of the count's digits. A cone with few enough variables is made anew as the cheapest formula
//! of its truth table, in which counts that cannot occur do not matter; so digits that decide nothing (the eights, where
//! none of the wanted numbers has more than three digits) are not even asked for.

use super::small::diagram;
use super::synthesis::{Formula, MOST_VARIABLES, PartialFunction, Synthesis, rows_of};
use crate::kernel::graph::{KernelBuilder, remade};
use crate::kernel::{LaneType, Node, Op, ValueId};
use crate::numbers::operators::CompareOp;
use crate::numbers::scalar::compare;
use crate::numbers::value::Value;
use rustc_hash::FxHashMap;

/// A variable of a cone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Leaf {
    /// A vector of bits.
    Bits(ValueId),
    /// A digit of a count.
    Digit(ValueId, u8),
}

/// The nodes with every cone that is small enough made anew.
pub(crate) fn minimise(nodes: &[Node], flush: bool) -> Vec<Node> {
    let plan = ConePlan::new(nodes);
    let mut synthesis = Synthesis::new();
    let graph = remade(nodes, flush, |graph, node, new| {
        let index = new.len();
        if !plan.required[index] {
            return ValueId(u32::MAX);
        }
        if let Some(leaves) = &plan.cones[index] {
            let formula = synthesis.formula(truth(nodes, ValueId(index as u32), leaves));
            let variable = |leaf: &Leaf| match leaf {
                Leaf::Bits(id) => new[id.0 as usize],
                // Digits that turn out not to be used are dead code.
                Leaf::Digit(count, bit) => digit(graph, new[count.0 as usize], *bit),
            };
            let variables: Vec<ValueId> = leaves.iter().map(variable).collect();
            graph.call(&node.name);
            return emit(graph, &formula, &variables);
        }
        match count_test(nodes, &node.op) {
            // Of too many digits for a formula.
            Some((op, count, number)) => {
                let digits = digits_of(nodes, count);
                let inputs: Vec<ValueId> = (0..digits).map(|bit| digit(graph, new[count.0 as usize], bit)).collect();
                let holds = |row| compare(op, Value::I32(row), Value::I32(number));
                graph.call(&node.name);
                diagram(graph, &inputs, &(0..1 << digits).map(holds).collect::<Vec<bool>>())
            }
            None => graph.copy(node, new),
        }
    });
    graph.into_nodes()
}

/// The nodes to make, and the variables of each node that is made as a formula.
struct ConePlan {
    required: Vec<bool>,
    cones: Vec<Option<Vec<Leaf>>>,
}

impl ConePlan {
    fn new(nodes: &[Node]) -> ConePlan {
        let mut required = vec![false; nodes.len()];
        for node in nodes.iter().filter(|node| !is_logic(nodes, &node.op)) {
            for id in node.op.operands() {
                required[id.0 as usize] = true;
            }
        }
        // Operands of dead code are required too; the scheduler drops them.
        for (index, node) in nodes.iter().enumerate() {
            required[index] |= !is_logic(nodes, &node.op);
        }
        let mut cones = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            if !required[index] || !is_logic(nodes, &node.op) {
                continue;
            }
            cones[index] = cone(nodes, &required, ValueId(index as u32));
            if cones[index].is_none() {
                for id in node.op.operands() {
                    required[id.0 as usize] = true;
                }
            }
        }
        ConePlan { required, cones }
    }
}

/// The variables of a root's cone, cheap ones first; `None` if there are too many.
fn cone(nodes: &[Node], required: &[bool], root: ValueId) -> Option<Vec<Leaf>> {
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut seen = Vec::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        // A formula of so much logic is not found faster than the logic itself.
        if seen.len() > 64 {
            return None;
        }
        let op = &nodes[id.0 as usize].op;
        if let Some((_, count, _)) = count_test(nodes, op) {
            for bit in 0..digits_of(nodes, count) {
                let leaf = Leaf::Digit(count, bit);
                if !leaves.contains(&leaf) {
                    leaves.push(leaf);
                }
            }
        } else if id != root && (required[id.0 as usize] || !is_logic(nodes, op)) {
            leaves.push(Leaf::Bits(id));
        } else {
            open.extend(op.operands());
        }
        if leaves.len() > MOST_VARIABLES {
            return None;
        }
    }
    leaves.sort_by_key(|leaf| match leaf {
        Leaf::Bits(id) => (0, id.0),
        Leaf::Digit(count, bit) => (1 + bit, count.0),
    });
    Some(leaves)
}

/// The function that a cone computes of its variables.
fn truth(nodes: &[Node], root: ValueId, leaves: &[Leaf]) -> PartialFunction {
    let mut rows: FxHashMap<ValueId, u64> = FxHashMap::default();
    let mut possible = u64::MAX;
    for (variable, leaf) in leaves.iter().enumerate() {
        match leaf {
            Leaf::Bits(id) => {
                rows.insert(*id, rows_of(variable));
            }
            Leaf::Digit(count, _) => {
                let most = most_of(nodes, *count);
                for row in (0..64).filter(|row| count_in(leaves, *count, *row) > most) {
                    possible &= !(1 << row);
                }
            }
        }
    }
    let on = evaluate(nodes, root, leaves, &mut rows);
    PartialFunction { on: on & possible, off: !on & possible }
}

/// The number that a count has in a row.
fn count_in(leaves: &[Leaf], count: ValueId, row: u32) -> u32 {
    let digit = |(variable, leaf): (usize, &Leaf)| match leaf {
        Leaf::Digit(of, bit) if *of == count => (row >> variable & 1) << bit,
        _ => 0,
    };
    leaves.iter().enumerate().map(digit).sum()
}

fn evaluate(nodes: &[Node], id: ValueId, leaves: &[Leaf], rows: &mut FxHashMap<ValueId, u64>) -> u64 {
    if let Some(known) = rows.get(&id) {
        return *known;
    }
    let op = &nodes[id.0 as usize].op;
    let result = if let Some((op, count, number)) = count_test(nodes, op) {
        let holds = |row: &u32| compare(op, Value::I32(count_in(leaves, count, *row) as i32), Value::I32(number));
        (0..64).filter(holds).fold(0, |all, row| all | 1 << row)
    } else {
        let operands: Vec<u64> = op.operands().into_iter().map(|id| evaluate(nodes, id, leaves, rows)).collect();
        match (op, operands.as_slice()) {
            (Op::Const(value), _) => {
                if value.bits() == 1 {
                    u64::MAX
                } else {
                    0
                }
            }
            (Op::Not(_), [a]) => !a,
            (Op::Logic(op, ..), [a, b]) => op.apply(*a, *b),
            _ => unreachable!("cones are made of logic"),
        }
    };
    rows.insert(id, result);
    result
}

/// Operations that belong to cones.
fn is_logic(nodes: &[Node], op: &Op) -> bool {
    matches!(op, Op::Not(_) | Op::Logic(..)) || count_test(nodes, op).is_some()
}

/// A comparison of a count with a constant, turned so that the count stands left.
fn count_test(nodes: &[Node], op: &Op) -> Option<(CompareOp, ValueId, i32)> {
    let Op::Compare(op, a, b) = *op else { return None };
    let of = |id: ValueId| &nodes[id.0 as usize].op;
    match (of(a), of(b)) {
        (Op::Count(_), Op::Const(Value::I32(number))) => Some((op, a, *number)),
        (Op::Const(Value::I32(number)), Op::Count(_)) => {
            let turned = match op {
                CompareOp::Less => CompareOp::Greater,
                CompareOp::LessEqual => CompareOp::GreaterEqual,
                CompareOp::Greater => CompareOp::Less,
                CompareOp::GreaterEqual => CompareOp::LessEqual,
                same => same,
            };
            Some((turned, b, *number))
        }
        _ => None,
    }
}

/// The largest number that a count can be.
fn most_of(nodes: &[Node], count: ValueId) -> u32 {
    let Op::Count(terms) = &nodes[count.0 as usize].op else { unreachable!("asked of counts only") };
    let possible = |id: &&ValueId| nodes[id.0 as usize].op != Op::Const(Value::Bit(false));
    terms.iter().filter(possible).count() as u32
}

/// How many digits it has.
fn digits_of(nodes: &[Node], count: ValueId) -> u8 {
    (u32::BITS - most_of(nodes, count).leading_zeros()) as u8
}

fn digit(graph: &mut KernelBuilder, count: ValueId, bit: u8) -> ValueId {
    graph.call(super::digit_name(usize::from(bit)));
    graph.add(LaneType::Bits, Op::Digit { value: count, bit })
}

fn emit(graph: &mut KernelBuilder, formula: &Formula, variables: &[ValueId]) -> ValueId {
    match formula {
        Formula::Constant(bit) => graph.bit(*bit),
        Formula::Variable(v) => variables[*v],
        Formula::Not(a) => {
            let a = emit(graph, a, variables);
            graph.not(a)
        }
        Formula::Logic(op, a, b) => {
            let (left, right) = (emit(graph, a, variables), emit(graph, b, variables));
            graph.logic(*op, left, right)
        }
        Formula::Choose(v, a, b) => {
            let (then, otherwise) = (emit(graph, a, variables), emit(graph, b, variables));
            graph.choose(variables[*v], then, otherwise)
        }
    }
}
