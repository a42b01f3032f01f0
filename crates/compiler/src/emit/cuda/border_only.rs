//! Which bits of a kernel only the border sets: none where all neighbours exist.

use crate::kernel::{Kernel, LaneType, LogicOp, Op, ValueId, arithmetic, draw, scalar_input};
use crate::numbers::digest::mix;

/// Bits that no sample of states set where all neighbours exist. It tells what to expect, not what must be.
#[derive(Clone, Debug, Default)]
pub(super) struct BorderOnly {
    /// By node.
    seen: Vec<bool>,
}

impl BorderOnly {
    /// Tries some thousand states that know nothing of each other.
    pub fn of(kernel: &Kernel) -> BorderOnly {
        const ROUNDS: u64 = 64;
        let mut seen = vec![false; kernel.nodes.len()];
        let mut words = vec![0u64; kernel.nodes.len()];
        for round in 0..ROUNDS {
            for place in 0..kernel.nodes.len() {
                let node = &kernel.nodes[place];
                let of = |id: &ValueId| words[id.0 as usize];
                let anything = mix(round << 32 | place as u64);
                words[place] = match &node.op {
                    Op::Const(value) if node.ty == Some(LaneType::Bits) => 0u64.wrapping_sub(value.bits() & 1),
                    Op::Presence(_) => u64::MAX,
                    Op::Not(a) => !of(a),
                    Op::Logic(LogicOp::And, a, b) => of(a) & of(b),
                    Op::Logic(LogicOp::Or, a, b) => of(a) | of(b),
                    Op::Logic(LogicOp::Xor, a, b) => of(a) ^ of(b),
                    Op::Logic(LogicOp::AndNot, a, b) => of(a) & !of(b),
                    Op::Table { table, operands } => {
                        let [a, b, c] = operands.each_ref().map(of);
                        let product = |entry: u32| {
                            let chosen = |word: u64, bit: u32| if entry >> bit & 1 == 1 { word } else { !word };
                            chosen(a, 2) & chosen(b, 1) & chosen(c, 0)
                        };
                        (0..8).filter(|entry| table >> entry & 1 == 1).map(product).fold(0, |a, b| a | b)
                    }
                    // Bits made of numbers are the same in all lanes.
                    arithmetic!() => 0u64.wrapping_sub(anything & 1),
                    Op::Load { .. } | Op::LaneCorner(_) | Op::OddCorner(_) | Op::Store { .. } => anything,
                    scalar_input!() | draw!() => anything,
                };
                seen[place] |= words[place] != 0;
            }
        }
        BorderOnly { seen }
    }

    /// Whether nothing but the border sets a node.
    pub fn sets(&self, node: ValueId) -> bool {
        self.seen.get(node.0 as usize).is_some_and(|seen| !seen)
    }
}
