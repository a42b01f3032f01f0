//! Operations on bits become functions of three operands, for targets that have them in one instruction.
//!
//! Every vector of bits made by logic is a function of at most three values further up, in several ways (*cuts*): of its
//! operands, of their operands, and so on. Going down the code, each node keeps its best cuts by *area flow*: the
//! operations of the cut's leaves, each divided by how many users share it, plus one. Going up from what other
//! operations need, the best cuts are made into [`Op::Table`]s, or stay as they are where they hold one operation.

use crate::kernel::graph::{KernelBuilder, remade};
use crate::kernel::schedule::schedule;
use crate::kernel::{Kernel, LogicOp, Node, Op, ValueId, arithmetic, draw, input, scalar_input};
use crate::target::speciality::Speciality;

/// A function of up to three values.
#[derive(Clone, Debug, PartialEq)]
struct Cut {
    /// The values, ascending.
    leaves: Vec<ValueId>,
    /// Bit i: the function where leaf j has bit j of i.
    table: u8,
    flow: f64,
}

/// How many cuts a node keeps.
const CUTS: usize = 8;
/// The rows in which leaf j is true.
const LEAF: [u8; 3] = [0xAA, 0xCC, 0xF0];

/// Makes logic on up to three operands one operation.
pub(crate) fn fuse_logic3(kernel: &mut Kernel) {
    kernel.nodes = schedule(fuse(&kernel.nodes, kernel.flush));
    if kernel.nodes.iter().any(|node| matches!(node.op, Op::Table { .. })) {
        Speciality::Tables.reached();
    }
}

/// The nodes with logic on up to three operands.
fn fuse(nodes: &[Node], flush: bool) -> Vec<Node> {
    let mut users = vec![0u32; nodes.len()];
    for id in nodes.iter().flat_map(|node| node.op.operands()) {
        users[id.0 as usize] += 1;
    }
    let mut cuts: Vec<Vec<Cut>> = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let mut own = if is_logic(&node.op) { cuts_of(&node.op, &cuts) } else { Vec::new() };
        own.sort_by(|a, b| a.flow.total_cmp(&b.flow).then_with(|| a.leaves.cmp(&b.leaves)));
        own.truncate(CUTS);
        // A leaf costs each of its users a share.
        let flow = own.first().map_or(0.0, |cut| cut.flow) / f64::from(users[index].max(1));
        own.push(Cut { leaves: vec![ValueId(index as u32)], table: LEAF[0], flow });
        cuts.push(own);
    }
    rebuild(nodes, &cuts, flush)
}

fn is_logic(op: &Op) -> bool {
    matches!(op, Op::Not(_) | Op::Logic(..))
}

/// The cuts of an operation: all ways to combine a cut of each operand.
fn cuts_of(op: &Op, cuts: &[Vec<Cut>]) -> Vec<Cut> {
    let of = |id: ValueId| &cuts[id.0 as usize];
    let mut found: Vec<Cut> = Vec::new();
    match *op {
        Op::Not(a) => {
            found.extend(of(a).iter().map(|cut| Cut { table: !cut.table, flow: cut.flow, ..cut.clone() }));
        }
        Op::Logic(op, a, b) => {
            for left in of(a) {
                for right in of(b) {
                    found.extend(combine(op, left, right));
                }
            }
        }
        Op::Table { .. } | Op::Store { .. } => {}
        input!() | scalar_input!() | draw!() | arithmetic!() => {}
    }
    let mut distinct: Vec<Cut> = Vec::new();
    for cut in found {
        if distinct.iter().all(|known| known.leaves != cut.leaves) {
            let of_leaf = |id: &ValueId| cuts[id.0 as usize].last().map_or(0.0, |itself| itself.flow);
            let flow = 1.0 + cut.leaves.iter().map(of_leaf).sum::<f64>();
            distinct.push(Cut { flow, ..cut });
        }
    }
    distinct
}

fn combine(op: LogicOp, a: &Cut, b: &Cut) -> Option<Cut> {
    let mut leaves = [a.leaves.as_slice(), b.leaves.as_slice()].concat();
    leaves.sort_unstable();
    leaves.dedup();
    if leaves.len() > 3 {
        return None;
    }
    let spread = |cut: &Cut| {
        (0..8).fold(0u8, |table, row| {
            let place = |(j, leaf): (usize, &ValueId)| {
                let here = leaves.iter().position(|id| id == leaf).expect("it is one of them");
                (row >> here & 1) << j
            };
            let from: u32 = cut.leaves.iter().enumerate().map(place).sum();
            table | (cut.table >> from & 1) << row
        })
    };
    let table = op.apply(spread(a), spread(b));
    Some(Cut { leaves, table, flow: 0.0 })
}

/// Makes the best cuts of the nodes that are needed.
fn rebuild(nodes: &[Node], cuts: &[Vec<Cut>], flush: bool) -> Vec<Node> {
    let mut needed: Vec<bool> = nodes.iter().map(|node| !is_logic(&node.op)).collect();
    for (index, node) in nodes.iter().enumerate().rev().filter(|(_, node)| node.ty.is_some() || !is_logic(&node.op)) {
        if !needed[index] {
            continue;
        }
        let below = if is_logic(&node.op) { cuts[index][0].leaves.clone() } else { node.op.operands() };
        below.into_iter().for_each(|id| needed[id.0 as usize] = true);
    }
    let graph = remade(nodes, flush, |graph, node, new| {
        if !needed[new.len()] {
            return ValueId(u32::MAX);
        }
        if !is_logic(&node.op) {
            return graph.copy(node, new);
        }
        let best = &cuts[new.len()][0];
        let leaves: Vec<ValueId> = best.leaves.iter().map(|id| new[id.0 as usize]).collect();
        make(graph, best.table, &leaves)
    });
    graph.into_nodes()
}

/// A function of the leaves: a plain operation if one does it.
fn make(graph: &mut KernelBuilder, table: u8, leaves: &[ValueId]) -> ValueId {
    // Leaves may have become one value.
    let twice = (1..leaves.len()).find_map(|j| Some((leaves[..j].iter().position(|leaf| *leaf == leaves[j])?, j)));
    if let Some((i, j)) = twice {
        let without: Vec<ValueId> = leaves.iter().enumerate().filter(|(k, _)| *k != j).map(|(_, leaf)| *leaf).collect();
        let merged = (0..8u8).fold(0u8, |merged, row| {
            let (below, above) = (row & ((1 << j) - 1), row >> j << (j + 1));
            let full = below | above | (row >> i & 1) << j;
            merged | (table >> (full & 7) & 1) << row
        });
        return make(graph, merged, &without);
    }
    let depends = |j: usize| {
        let (mask, step) = (LEAF[j], 1 << j);
        (table & mask) >> step != table & !mask
    };
    let used: Vec<usize> = (0..leaves.len()).filter(|j| depends(*j)).collect();
    match *used.as_slice() {
        [] => graph.bit(table & 1 == 1),
        [a] if table >> (1 << a) & 1 == 1 => leaves[a],
        [a] => graph.not(leaves[a]),
        [a, b] => {
            let row = |x: usize, y: usize| table >> (x << a | y << b) & 1 == 1;
            let (a, b) = (leaves[a], leaves[b]);
            match (row(0, 0), row(1, 0), row(0, 1), row(1, 1)) {
                (false, false, false, true) => graph.and(a, b),
                (false, true, true, true) => graph.or(a, b),
                (false, true, true, false) => graph.xor(a, b),
                (false, true, false, false) => graph.and_not(a, b),
                (false, false, true, false) => graph.and_not(b, a),
                // The others are negations: one table, with the second operand standing twice.
                (nn, yn, ny, yy) => {
                    let bits = [nn, nn, ny, ny, yn, yn, yy, yy];
                    // Row 4a + 2b + c with c = b counts only where the last two digits agree.
                    let table = bits.iter().zip(0..).fold(0, |table, (bit, row)| table | u8::from(*bit) << row);
                    graph.table(table, [a, b, b])
                }
            }
        }
        _ => {
            // Here row bit 0 is leaf 0; in `Op::Table` bit 2 is the first operand.
            let reversed = (0..8u8).fold(0u8, |all, row| {
                let turned = (row & 1) << 2 | row & 2 | row >> 2;
                all | (table >> row & 1) << turned
            });
            graph.table(reversed, [leaves[0], leaves[1], leaves[2]])
        }
    }
}
