//! A kernel specialised for places where all neighbours exist.
//!
//! Away from holes and borders, tests of a neighbour's presence are known, and the values for the other case fall away: of nine
//! numbers of aligned neighbours, with those of cells that have three, five are left. Random bits have a class for each such number.

use crate::kernel::graph::remade;
use crate::kernel::{Direction, Kernel, Op};

/// The kernel where the neighbours in some directions exist, in all lanes; `None` if it is the same.
pub fn known(kernel: &Kernel, exists: impl Fn(Direction) -> bool) -> Option<Kernel> {
    let exists = |op: &Op| matches!(op, Op::Presence(direction) if exists(*direction));
    if !kernel.nodes.iter().any(|node| exists(&node.op)) {
        return None;
    }
    let graph =
        remade(
            &kernel.nodes,
            kernel.flush,
            |graph, node, new| {
                if exists(&node.op) { graph.bit(true) } else { graph.copy(node, new) }
            },
        );
    Some(Kernel { nodes: graph.into_nodes(), ..kernel.clone() })
}
