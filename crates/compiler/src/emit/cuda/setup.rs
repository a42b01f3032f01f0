//! What one warp computes for its block: thresholds of random bits that are the same in all cells.

use crate::kernel::{Kernel, LaneType, Op, ValueId, arithmetic, draw, input, logic, scalar_input};
use std::collections::BTreeSet;

/// How the nodes of a kernel are shared out.
#[derive(Clone, Debug, Default)]
pub(super) struct Setup {
    /// The probabilities whose thresholds are shared, in the order in which they are needed.
    pub shared: Vec<ValueId>,
    /// What they are computed of, in order.
    pub nodes: Vec<usize>,
    /// Of what nothing else is computed.
    pub nowhere_else: BTreeSet<usize>,
}

impl Setup {
    /// Shares the probabilities that depend on parameters and on the time, and on nothing of a superblock or a lane.
    pub fn of(kernel: &Kernel) -> Setup {
        let mut same = vec![false; kernel.nodes.len()];
        for (place, node) in kernel.nodes.iter().enumerate() {
            same[place] = match &node.op {
                scalar_input!() => !matches!(node.op, Op::SuperblockCorner(_)),
                // Without operands there is nothing to compute.
                arithmetic!() | logic!() => {
                    let operands = node.op.operands();
                    !operands.is_empty() && operands.iter().all(|operand| same[operand.0 as usize])
                }
                input!() | draw!() | Op::Store { .. } => false,
            };
        }
        let is_shared = |id: &ValueId| {
            let node = kernel.node(*id);
            // Constants are thresholds before the program runs.
            same[id.0 as usize] && !matches!(node.op, Op::Const(_)) && node.ty != Some(LaneType::Bits)
        };
        let mut shared: Vec<ValueId> = Vec::new();
        let mut elsewhere = vec![false; kernel.nodes.len()];
        for (place, node) in kernel.nodes.iter().enumerate().rev() {
            let is_root = matches!(node.op, Op::Store { .. } | Op::RandomBit { .. });
            if !is_root && !elsewhere[place] {
                continue;
            }
            for operand in node.op.operands() {
                let is_probability = matches!(&node.op, Op::RandomBit { classes, probabilities, .. }
                    if probabilities.contains(&operand) && !classes.contains(&operand));
                if !(is_probability && is_shared(&operand)) {
                    elsewhere[operand.0 as usize] = true;
                }
            }
        }
        for node in &kernel.nodes {
            if let Op::RandomBit { probabilities, .. } = &node.op {
                for probability in probabilities.iter().filter(|id| is_shared(id)) {
                    if !shared.contains(probability) {
                        shared.push(*probability);
                    }
                }
            }
        }
        let mut needed: BTreeSet<usize> = shared.iter().map(|id| id.0 as usize).collect();
        for place in (0..kernel.nodes.len()).rev() {
            if needed.contains(&place) {
                needed.extend(kernel.nodes[place].op.operands().iter().map(|operand| operand.0 as usize));
            }
        }
        let nowhere_else = needed.iter().copied().filter(|place| !elsewhere[*place]).collect();
        Setup { shared, nodes: needed.into_iter().collect(), nowhere_else }
    }
}
