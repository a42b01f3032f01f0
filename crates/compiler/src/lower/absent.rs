//! Values that are known in lanes without a neighbouring superblock: its columns are 0 there, and some results follow.

use crate::kernel::graph::KernelBuilder;
use crate::kernel::{Direction, ValueId};
use crate::numbers::value::Value;
use std::collections::HashMap;

/// How many operations behind a value are looked at: terms are short, the code of several steps is not.
const DEPTH: u32 = 256;

/// Values known so far, by node and by the direction of the absent superblock; `None` where a value is not known.
#[derive(Default)]
pub(super) struct Absent {
    known: HashMap<(ValueId, Direction), Option<Value>>,
}

impl Absent {
    /// True if a value is false or zero where the superblock in a direction does not exist.
    pub(super) fn vanishes(&mut self, graph: &KernelBuilder, id: ValueId, direction: Direction) -> bool {
        self.value(graph, id, direction, DEPTH).is_some_and(is_zero)
    }

    fn value(&mut self, graph: &KernelBuilder, id: ValueId, direction: Direction, depth: u32) -> Option<Value> {
        if let Some(known) = self.known.get(&(id, direction)) {
            return *known;
        }
        let op = graph.op(id);
        let value = if let Some(from) = op.direction() {
            (from == direction).then(|| Value::zero(graph.ty(id).scalar()))
        } else if depth == 0 {
            None
        } else {
            graph.evaluate(graph.ty(id), op, &mut |operand| self.value(graph, operand, direction, depth - 1))
        };
        self.known.insert((id, direction), value);
        value
    }
}

/// Zeros of both signs: sums begin with 0.0 and stay what they are under both.
fn is_zero(value: Value) -> bool {
    match value {
        Value::F32(v) => v == 0.0,
        Value::F64(v) => v == 0.0,
        value => value.bits() == 0,
    }
}
