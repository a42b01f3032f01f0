//! Interleaves the long sums of several cells, and their functions of functions.
//!
//! A sum over a large neighbourhood is a chain in which each addition waits for the one before, for as long as an addition takes. Processors begin
//! several of them in that time, but do not look far enough ahead to find the next cell's. So the code of adjacent cells is woven: one
//! addition of each in turn. These cells have most of their neighbours in common, and the same weights, so that loaded values serve
//! several cells.
//!
//! A function is such a chain, too: some ten operations wait for each other. A kernel of several steps computes functions of an earlier step's
//! functions, cell by cell unless they are interleaved: the first functions of several cells, then their second ones, and so on.

use crate::kernel::schedule::arrange;
use crate::kernel::{Kernel, Node, Op, condition, depths, draw, forward, input, logic, scalar_input};
use crate::numbers::math::named;
use crate::numbers::operators::BinaryOp;
use crate::target::speciality::Speciality;

/// Shorter sums are left alone: other work of a cell hides their latency.
const LONG: u32 = 16;

/// Cells that are woven: the values that are added to and the neighbours between them are held in registers.
const CELLS: usize = 8;

/// Results whose functions are computed in turn: one function waits for its own results as long as it takes to begin this many.
const RESULTS: usize = 4;

/// Weaves long sums, or else functions of functions, if the kernel has some.
pub(crate) fn interleave(kernel: &mut Kernel) {
    let links = links(&kernel.nodes);
    // Several steps have sums enough that do not wait for each other.
    let order = if kernel.steps == 1 && links.iter().any(|link| *link >= LONG) {
        order(kernel, &links)
    } else {
        // The length of each node's longest chain of functions.
        let depths = depths(&kernel.nodes, is_function);
        if depths.iter().all(|depth| *depth <= 1) {
            return;
        }
        in_turn(&kernel.nodes, &depths)
    };
    Speciality::Interleaving.reached();
    kernel.nodes = arrange(std::mem::take(&mut kernel.nodes), order);
}

/// Whether an operation is a function, and no instruction.
fn is_function(op: &Op) -> bool {
    match op {
        Op::Math(function, _) => named::name(*function).is_some(),
        Op::Math2(..) => true,
        _ => false,
    }
}

/// The order in which functions of [`RESULTS`] stored values are computed in turn: first nodes with no function before them, and so on.
/// Otherwise the order is kept.
fn in_turn(nodes: &[Node], depths: &[u32]) -> Vec<usize> {
    let stores: Vec<usize> = (0..nodes.len()).filter(|i| matches!(nodes[*i].op, Op::Store { .. })).collect();
    let mut walk = Walk { nodes, done: vec![false; nodes.len()], order: Vec::with_capacity(nodes.len()) };
    for stores in stores.chunks(RESULTS) {
        let from = walk.order.len();
        stores.iter().for_each(|store| walk.compute(*store));
        // No operand has more functions before it than its users have.
        walk.order[from..].sort_by_key(|index| depths[*index]);
    }
    walk.order
}

/// The length of each node's longest chain of additions.
fn links(nodes: &[Node]) -> Vec<u32> {
    forward(nodes, |node, links: &[u32]| {
        let of = |id: &crate::kernel::ValueId| links[id.0 as usize];
        match &node.op {
            // The sum so far stands first.
            Op::Binary(BinaryOp::Add, a, _) => 1 + of(a),
            Op::AddWhere { sum, .. } => 1 + of(sum),
            Op::Select { then, otherwise, .. } => of(then).max(of(otherwise)),
            Op::Count(_) | Op::Widen(_) | Op::Unary(..) | Op::Binary(..) | Op::Shift { .. } | Op::Cast(_) => 0,
            Op::Math(..) | Op::Math2(..) | Op::LookUp { .. } | Op::Below { .. } => 0,
            Op::Canonical(_) | Op::Store { .. } => 0,
            input!() | scalar_input!() | draw!() | logic!() | condition!() => 0,
        }
    })
}

/// The order in which nodes are computed.
fn order(kernel: &Kernel, links: &[u32]) -> Vec<usize> {
    let nodes = &kernel.nodes;
    let micro = |index: usize| match nodes[index].op {
        Op::Store { micro, .. } => micro,
        _ => unreachable!("only stores are asked"),
    };
    // In reading order, the stores of one cell together.
    let mut stores: Vec<usize> = (0..nodes.len()).filter(|i| matches!(nodes[*i].op, Op::Store { .. })).collect();
    stores.sort_by_key(|store| {
        let [x, y, z] = kernel.micro.cells[micro(*store) as usize];
        [z, y, x]
    });
    let cells: Vec<&[usize]> = stores.chunk_by(|a, b| micro(*a) == micro(*b)).collect();
    let mut walk = Walk { nodes, done: vec![false; nodes.len()], order: Vec::with_capacity(nodes.len()) };
    let mut seen = vec![false; nodes.len()];
    for cells in cells.chunks(CELLS) {
        let strands: Vec<Vec<usize>> = cells.iter().map(|stores| strand(nodes, links, stores, &mut seen)).collect();
        let longest = strands.iter().map(Vec::len).max().unwrap_or(0);
        for link in 0..longest {
            strands.iter().filter_map(|strand| strand.get(link)).for_each(|index| walk.compute(*index));
        }
    }
    walk.order
}

/// The additions of a cell's code that no other cell has, in their order, and last its stores.
fn strand(nodes: &[Node], links: &[u32], stores: &[usize], seen: &mut [bool]) -> Vec<usize> {
    let (mut additions, mut open) = (Vec::new(), stores.to_vec());
    while let Some(index) = open.pop() {
        for operand in nodes[index].op.operands().into_iter().map(|id| id.0 as usize) {
            if !std::mem::replace(&mut seen[operand], true) {
                additions.extend((links[operand] > 0).then_some(operand));
                open.push(operand);
            }
        }
    }
    additions.sort_unstable();
    additions.extend(stores);
    additions
}

/// Nodes being put in an order.
struct Walk<'a> {
    nodes: &'a [Node],
    done: Vec<bool>,
    order: Vec<usize>,
}

impl Walk<'_> {
    /// Computes a node behind the nodes that it depends on, in their order.
    fn compute(&mut self, index: usize) {
        let mut open = vec![index];
        let mut needed = Vec::new();
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut self.done[index], true) {
                needed.push(index);
                open.extend(self.nodes[index].op.operands().iter().map(|id| id.0 as usize));
            }
        }
        needed.sort_unstable();
        self.order.extend(needed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;
    use crate::geometry::Domain;
    use crate::ir::{NodeId, rule};
    use crate::kernel::derived::Derived;
    use crate::layout::{Layout, Storage};
    use crate::lower::lower;
    use crate::numbers::operators::MathFn;
    use crate::numbers::value::Type;
    use crate::passes::prepare;
    use crate::samples;

    /// Sines of sines: between those of a cell stand those of three others.
    #[test]
    fn functions_of_functions_are_computed_in_turn() {
        let mut rule = samples::heat();
        let body = &mut rule.0.steps[0].body;
        let own = rule::Node { ty: Type::F32, op: rule::Op::State(rule::StateId(0)) };
        let sine = rule::Node { ty: Type::F32, op: rule::Op::Math(MathFn::Sin, NodeId(0)) };
        body.nodes = vec![own, sine];
        body.results = vec![(rule::StateId(0), NodeId(1))];
        let domain = Domain::new(samples::fractals().swap_remove(3), 6).expect("fits");
        let storage = Storage::replicas(Layout::new(&domain, 3, 2).expect("fits"));
        let rule = domain.fit(&rule.into()).expect("it runs there");
        let lowered = lower(&rule, (&storage, false), 4).expect("it looks nowhere").remove(0);
        let kernel = prepare(lowered, None, &Target::cpu(1), &mut Derived::default()).expect("sound");
        let depths = depths(&kernel.nodes, is_function);
        let sines = kernel.nodes.iter().zip(&depths).filter(|(node, _)| matches!(node.op, Op::Math(..)));
        let depths: Vec<u32> = sines.map(|(_, depth)| *depth).collect();
        let of_four = [[1; 4], [2; 4], [3; 4], [4; 4]].concat();
        assert_eq!(depths, of_four.repeat(4));
    }
}
