//! Which values of a kernel matter only where a neighbour exists.
//!
//! Callers of kernels may then leave anything in the lanes of a halo that lie nowhere: a term is added, or chosen, only where its neighbour exists.

use super::{Direction, Kernel, LogicOp, Op, ValueId, forward};

/// Where a value does not matter: by node a bit for each direction in which no superblock exists.
pub(super) struct Guards(Vec<u64>);

impl Guards {
    /// The directions that are told apart: one beyond these guards nothing.
    const MOST: usize = u64::BITS as usize;

    pub(super) fn of(kernel: &Kernel, far: &[Direction]) -> Guards {
        let bit = |direction: Direction| match direction.place(kernel.micro.dimension, far) {
            Some(place) if place < Guards::MOST => 1 << place,
            _ => 0,
        };
        // Of conditions the directions in which they only hold where a superblock exists.
        let asks = forward(&kernel.nodes, |node, asks: &[u64]| match node.op {
            Op::Presence(direction) => bit(direction),
            Op::Logic(LogicOp::And, a, b) => asks[a.0 as usize] | asks[b.0 as usize],
            Op::Logic(LogicOp::AndNot, a, _) => asks[a.0 as usize],
            _ => 0,
        });
        let mut guards = vec![u64::MAX; kernel.nodes.len()];
        for (id, node) in kernel.nodes.iter().enumerate().rev() {
            let here = if matches!(node.op, Op::Store { .. }) { 0 } else { guards[id] };
            let chosen = |id: ValueId| match node.op {
                Op::AddWhere { condition, term, sum } if id == term && id != sum => asks[condition.0 as usize],
                Op::Select { condition, then, otherwise } if id == then && id != otherwise => {
                    asks[condition.0 as usize]
                }
                _ => 0,
            };
            for operand in node.op.operands() {
                guards[operand.0 as usize] &= here | chosen(operand);
            }
        }
        Guards(guards)
    }

    /// Whether a node's value does not matter where no superblock lies in the direction with this place.
    pub(super) fn contains(&self, id: usize, place: usize) -> bool {
        place < Guards::MOST && self.0[id] >> place & 1 == 1
    }
}
