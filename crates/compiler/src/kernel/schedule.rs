//! The last pass: dead code goes, the order keeps few values live, and names come to differ.

use crate::kernel::{Neighbours, Node, Op, ValueId, forward};
use std::collections::HashSet;

/// The nodes that some store needs, in the order in which the stores ask for them (depth first, what is needed longest
/// first), each input directly before its first user, with names of their own.
pub(crate) fn schedule(nodes: Vec<Node>) -> Vec<Node> {
    let order = order(&nodes, false);
    arrange(nodes, order)
}

/// As [`schedule`], but operands of a single cell that need as many registers come as they are written, which reads better.
pub(crate) fn in_order(neighbours: Neighbours, nodes: Vec<Node>) -> Vec<Node> {
    let order = order(&nodes, neighbours == Neighbours::Anywhere);
    arrange(nodes, order)
}

/// The nodes in this order, with names of their own.
pub(crate) fn arrange(nodes: Vec<Node>, order: Vec<usize>) -> Vec<Node> {
    let mut place = vec![u32::MAX; nodes.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new as u32;
    }
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    let mut scheduled: Vec<Node> = order
        .into_iter()
        .map(|old| {
            let node = nodes[old].take().expect("each node stands in the order once");
            let op = node.op.map_operands(&mut |id| ValueId(place[id.0 as usize]));
            Node { op, ..node }
        })
        .collect();
    name(&mut scheduled);
    scheduled
}

/// Depth first from the stores; of an operation's operands the one that needs the most registers first (Sethi and
/// Ullman's numbering, which is exact for trees and a good guess for graphs). Of those that need as many it is the first one if they come `as_written`,
/// else the last.
fn order(nodes: &[Node], as_written: bool) -> Vec<usize> {
    let need: Vec<u32> = forward(nodes, |node, need| {
        let mut needs: Vec<u32> = node.op.operands().iter().map(|id| need[id.0 as usize]).collect();
        needs.sort_unstable_by(|a, b| b.cmp(a));
        needs.iter().zip(0..).map(|(need, held)| need + held).max().unwrap_or(1)
    });
    let mut done = vec![false; nodes.len()];
    let mut order = Vec::new();
    for (root, _) in nodes.iter().enumerate().filter(|(_, node)| matches!(node.op, Op::Store { .. })) {
        // A stack of its own, because chains may be as long as the kernel.
        let mut stack = vec![(root, false)];
        while let Some((index, ready)) = stack.pop() {
            if done[index] {
                continue;
            }
            if ready {
                done[index] = true;
                order.push(index);
                continue;
            }
            stack.push((index, true));
            let mut operands: Vec<usize> = nodes[index].op.operands().iter().map(|id| id.0 as usize).collect();
            if as_written {
                operands.reverse();
            }
            operands.sort_by_key(|operand| need[*operand]);
            stack.extend(operands.into_iter().filter(|operand| !done[*operand]).map(|operand| (operand, false)));
        }
    }
    order
}

/// Makes stems into names: loads and inputs keep theirs; all others, and names that are taken, get a number.
fn name(nodes: &mut [Node]) {
    let mut taken: HashSet<String> = HashSet::new();
    let mut numbers: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
    for node in nodes.iter_mut().filter(|node| node.ty.is_some()) {
        let stem = if keeps_its_name(&node.op) { node.name.as_str() } else { unnumbered(&node.name) };
        let mut name = stem.to_owned();
        let number = numbers.entry(name.clone()).or_insert(0);
        if !keeps_its_name(&node.op) {
            name = format!("{stem}_{number}");
            *number += 1;
        }
        while !taken.insert(name.clone()) {
            name = format!("{stem}_{number}");
            *number += 1;
        }
        node.name = name;
    }
}

/// Inputs other than constants: their stems differ already.
fn keeps_its_name(op: &Op) -> bool {
    op.operands().is_empty() && !matches!(op, Op::Const(_) | Op::Random { .. } | Op::Count(_))
}

/// A name without the number that an earlier scheduling gave it.
fn unnumbered(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((stem, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// The most values that are live at once, loads counted from their place: a measure of register need.
pub(crate) fn most_live(nodes: &[Node]) -> usize {
    let mut last_use = vec![0; nodes.len()];
    for (place, node) in nodes.iter().enumerate() {
        for id in node.op.operands() {
            last_use[id.0 as usize] = place;
        }
    }
    let mut ends = vec![0usize; nodes.len() + 1];
    let (mut live, mut most) = (0, 0);
    for (place, node) in nodes.iter().enumerate() {
        if node.ty.is_some() {
            live += 1;
            ends[last_use[place].max(place)] += 1;
        }
        most = most.max(live);
        live -= ends[place];
    }
    most
}
