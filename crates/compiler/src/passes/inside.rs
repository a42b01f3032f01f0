//! What a kernel is where all neighbours exist.
//!
//! Away from holes and borders what asks whether a neighbour exists is known, and what was computed for it falls away: of nine
//! numbers of aligned neighbours, with those of cells that have three, five are left. Random bits have a class for each such number.

use crate::kernel::graph::KernelBuilder;
use crate::kernel::{Kernel, LaneType, Op, ValueId};

/// The kernel of superblocks whose neighbours all exist, in all lanes; `None` if it is the same.
pub fn inside(kernel: &Kernel) -> Option<Kernel> {
    if !kernel.nodes.iter().any(|node| matches!(node.op, Op::Presence(_))) {
        return None;
    }
    let mut graph = KernelBuilder::new(kernel.flush);
    let mut new: Vec<ValueId> = Vec::with_capacity(kernel.nodes.len());
    for node in &kernel.nodes {
        graph.call(&node.name);
        let id = match (&node.op, node.ty) {
            (Op::Store { state, plane, micro, value }, _) => {
                graph.store(*state, *plane, *micro, new[value.0 as usize]);
                ValueId(u32::MAX)
            }
            (Op::Presence(_), _) => graph.bit(true),
            (op, ty) => {
                let op = op.clone().map_operands(&mut |id| new[id.0 as usize]);
                graph.add(ty.unwrap_or(LaneType::Bits), op)
            }
        };
        new.push(id);
    }
    Some(Kernel { nodes: graph.into_nodes(), ..kernel.clone() })
}
