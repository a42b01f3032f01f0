//! Numbers that follow from the parameters alone are [derived](crate::kernel::derived): read where parameters stand, and not computed by every thread. Of the
//! probabilities of random bits the thresholds are read, and the probabilities themselves where further planes decide.

use crate::kernel::derived::{Derived, DerivedNumber};
use crate::kernel::graph::{KernelBuilder, remade};
use crate::kernel::schedule::schedule;
use crate::kernel::{Kernel, LaneType, Node, Op, ValueId, made_of};
use crate::target::speciality::Speciality;

/// The most numbers that a kernel reads beside thresholds: they stand in registers from its first line on. A kernel with more, such as the weights of a wide
/// neighbourhood, computes them where they are used, in loops where it looks far.
const MOST_READ: usize = 16;

/// Lets a kernel read the numbers that follow from the parameters.
pub(super) fn derive(kernel: &mut Kernel, derived: &mut Derived) {
    let follows = made_of(kernel, |input| matches!(input, Op::Param { .. } | Op::Const(_)));
    let mut own: Vec<ValueId> = Vec::with_capacity(kernel.nodes.len());
    for (node, follows) in kernel.nodes.iter().zip(&follows) {
        let ty = node.ty.filter(|_| *follows);
        let op = |op: &Op| op.clone().map_operands(&mut |id| own[id.0 as usize]);
        own.push(ty.map_or(ValueId(u32::MAX), |ty| derived.node(ty, op(&node.op))));
    }
    let asked = asked(kernel, &follows);
    let is_computed = |index: usize| follows[index] && !kernel.nodes[index].op.operands().is_empty();
    let wanted = |index: usize| asked[index] && is_number(&kernel.nodes[index]) && is_computed(index);
    let are_few = (0..kernel.nodes.len()).filter(|index| wanted(*index)).count() <= MOST_READ;
    let mut reads = false;
    let mut read = |graph: &mut KernelBuilder, ty: LaneType, number: DerivedNumber| {
        let param = derived.place(number)?;
        reads = true;
        Some(graph.intern(ty, Op::Param { param, plane: 0 }))
    };
    let graph = remade(&kernel.nodes, kernel.flush, |graph, node, new| {
        let of = |id: &ValueId| new[id.0 as usize];
        match (&node.op, node.ty) {
            (Op::RandomBit { draw, micro, classes, probabilities }, Some(ty)) => {
                graph.call("threshold");
                let threshold = |id: &ValueId| {
                    let number = DerivedNumber::Threshold(own[id.0 as usize]);
                    let read = is_computed(id.0 as usize).then(|| read(graph, LaneType::I64, number));
                    read.flatten().unwrap_or_else(|| of(id))
                };
                let probabilities = probabilities.iter().map(threshold).collect();
                let classes = classes.iter().map(of).collect();
                graph.call(&node.name);
                graph.intern(ty, Op::RandomBit { draw: *draw, micro: *micro, classes, probabilities })
            }
            (op, Some(ty)) => {
                let index = new.len();
                let number =
                    (are_few && wanted(index)).then(|| read(graph, ty, DerivedNumber::Value(own[index]))).flatten();
                number.unwrap_or_else(|| graph.intern(ty, op.clone().map_operands(&mut |id| of(&id))))
            }
            (_, None) => graph.copy(node, new),
        }
    });
    if reads {
        Speciality::Derived.reached();
        derived.declare(&mut kernel.params);
        kernel.nodes = schedule(graph.into_nodes());
    }
}

fn is_number(node: &Node) -> bool {
    node.ty.is_some_and(|ty| ty != LaneType::Bits)
}

/// For each node whether an operation that the kernel computes needs it. Bits that follow from the parameters are computed, too: to read one takes as
/// long. The thresholds of probabilities are asked for apart.
fn asked(kernel: &Kernel, follows: &[bool]) -> Vec<bool> {
    let mut asked = vec![false; kernel.nodes.len()];
    for (index, node) in kernel.nodes.iter().enumerate().rev() {
        let is_computed = !follows[index] || asked[index] && !is_number(node);
        let operands = match &node.op {
            Op::RandomBit { classes, .. } => classes.clone(),
            op => op.operands(),
        };
        operands.iter().filter(|_| is_computed).for_each(|id| asked[id.0 as usize] = true);
    }
    asked
}
