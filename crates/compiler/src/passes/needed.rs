//! Random bits are decided in the lanes where anything depends on them, and nowhere else.
//!
//! In rows a block of random planes has the places of one colour ([`numbering`](crate::numbers::numbering)), so that a step of one colour need not make those of
//! the other. On fractals blocks have places of all colours, and little would be gained.

use crate::kernel::forward;
use crate::kernel::graph::remade;
use crate::kernel::{LaneType, LogicOp, Node, Op, ValueId};
use std::collections::HashMap;

/// Where a value matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Nowhere,
    /// In lanes where a guard is true, or, by [`LogicOp::AndNot`], where it is false.
    Where(LogicOp, ValueId),
    Everywhere,
}

impl Need {
    fn or(self, other: Need) -> Need {
        match (self, other) {
            (Need::Nowhere, need) | (need, Need::Nowhere) => need,
            (need, other) if need == other => need,
            _ => Need::Everywhere,
        }
    }
}

/// Takes guards that draw nothing into the classes of the random bits that matter nowhere else.
pub(super) fn where_needed(nodes: &[Node], flush: bool) -> Vec<Node> {
    let draws = forward(nodes, |node, draws| {
        matches!(node.op, Op::Random { .. } | Op::RandomBit { .. })
            || node.op.operands().iter().any(|id| draws[id.0 as usize])
    });
    let needs = needs(nodes, &draws);
    // The bits of one draw are decided together and have the same classes.
    let mut of_draws: HashMap<(u32, u32), Need> = HashMap::new();
    for (node, need) in nodes.iter().zip(needs) {
        if let Op::RandomBit { draw, micro, .. } = node.op {
            let of_draw = of_draws.entry((draw, micro)).or_insert(Need::Nowhere);
            *of_draw = of_draw.or(need);
        }
    }
    if !of_draws.values().any(|need| matches!(need, Need::Where(..))) {
        return nodes.to_vec();
    }
    // Guards come before all that is drawn.
    let (before, behind): (Vec<usize>, Vec<usize>) = (0..nodes.len()).partition(|index| !draws[*index]);
    let order: Vec<usize> = before.into_iter().chain(behind).collect();
    let mut places = vec![ValueId(0); nodes.len()];
    order.iter().zip(0..).for_each(|(index, place)| places[*index] = ValueId(place));
    let moved = |index: &usize| {
        let node = &nodes[*index];
        Node { op: node.op.clone().map_operands(&mut |id| places[id.0 as usize]), ..node.clone() }
    };
    let nodes: Vec<Node> = order.iter().map(moved).collect();
    let graph = remade(&nodes, flush, |graph, node, new| {
        let of = |id: &ValueId| new[id.0 as usize];
        let Op::RandomBit { draw, micro, classes, probabilities } = &node.op else { return graph.copy(node, new) };
        let Need::Where(logic, guard) = of_draws[&(*draw, *micro)] else { return graph.copy(node, new) };
        let guard = of(&places[guard.0 as usize]);
        let classes = classes.iter().map(|class| graph.logic(logic, of(class), guard)).collect();
        let probabilities = probabilities.iter().map(of).collect();
        graph.call(&node.name);
        graph.add(LaneType::Bits, Op::RandomBit { draw: *draw, micro: *micro, classes, probabilities })
    });
    graph.into_nodes()
}

/// Where the value of each node matters.
fn needs(nodes: &[Node], draws: &[bool]) -> Vec<Need> {
    let mut needs = vec![Need::Nowhere; nodes.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        let own = if node.ty.is_none() { Need::Everywhere } else { needs[index] };
        let guarded = |logic: LogicOp, guard: ValueId| match own {
            Need::Everywhere if !draws[guard.0 as usize] => Need::Where(logic, guard),
            own => own,
        };
        let mut ask = |id: ValueId, need: Need| needs[id.0 as usize] = needs[id.0 as usize].or(need);
        match node.op {
            Op::Logic(LogicOp::And, a, b) => {
                ask(a, guarded(LogicOp::And, b));
                ask(b, guarded(LogicOp::And, a));
            }
            Op::Logic(LogicOp::AndNot, a, b) => {
                ask(a, guarded(LogicOp::AndNot, b));
                ask(b, guarded(LogicOp::And, a));
            }
            Op::Logic(LogicOp::Or | LogicOp::Xor, a, b) => [a, b].into_iter().for_each(|id| ask(id, own)),
            Op::Not(a) => ask(a, own),
            _ if own == Need::Nowhere => {}
            ref op => op.operands().into_iter().for_each(|id| ask(id, Need::Everywhere)),
        }
    }
    needs
}
