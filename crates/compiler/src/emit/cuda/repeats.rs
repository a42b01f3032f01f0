//! Which code of a kernel is the same for one neighbour after the other, so that a loop says it.
//!
//! Where kernels look far a superblock is one cell, and what it computes of hundreds of neighbours stands unrolled in the kernel: chains of
//! operations in which each link takes the values of the link before, and counts of bits. A link is the same as the one before if
//! its operations are, from the carried values down to the inputs that differ: the neighbour that is loaded or asked whether it exists, and
//! constants. These stand in a table, a row for each link. So the loop does the kernel's operations, in their order.
//!
//! Several values may be carried at once. Values that two links share are computed in each of them again.

use crate::kernel::{Node, Op, ValueId, depths};
use std::collections::{BTreeMap, HashMap};

/// Fewer links are not worth a loop. Guess: not measured.
const FEWEST: usize = 12;
/// The most operations of a link. Guess: not measured.
const LONGEST: usize = 64;
/// Values of no more operations are compared although they are the same. Guess: not measured.
const SMALL: usize = 12;
/// The farthest that the link before is looked for, in operations. Guess: not measured.
const FARTHEST_BACK: usize = 200;
/// The bits of a count that are tried for one made in the same way. Guess: not measured.
const TRIED: usize = 8;

/// The loops of a kernel, and the nodes outside of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats {
    /// The nodes that have code of their own outside of loops, or are the last link of one.
    pub needed: Vec<bool>,
    /// By the node of the last link, the chain.
    pub chains: BTreeMap<usize, Repeat>,
    /// By the node of the count, its bits.
    pub counts: BTreeMap<usize, Tally>,
}

/// Links that are the same but for the inputs in a table. They are described by the nodes of one of them, the last of a chain.
#[derive(Clone, Debug)]
pub(super) struct Repeat {
    /// The operations of one link, operands first.
    pub operations: Vec<ValueId>,
    /// The inputs that differ: for each the nodes in whose place it stands, link by link.
    pub inputs: Vec<(ValueId, Vec<ValueId>)>,
    /// The values that are carried from link to link; the result of a chain first.
    pub carried: Vec<Carried>,
    /// How many links there are.
    pub times: usize,
}

/// A value that a link takes from the link before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    /// The value that the link takes.
    pub old: ValueId,
    /// The value that it gives.
    pub new: ValueId,
    /// The value that the first link takes.
    pub first: ValueId,
}

/// The bits of a count.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// Bits that are made in the same way, each with the node that is the bit.
    pub groups: Vec<(Repeat, ValueId)>,
    /// All others.
    pub rest: Vec<ValueId>,
}

/// The role of a node in a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The same node in all links.
    Same,
    /// A load, a presence or a constant in its place.
    Input,
    Operation,
    Carried,
}

/// The node of a link in the place of each node of the example.
type Link = HashMap<ValueId, ValueId>;

/// A link as an example of others.
#[derive(Clone, Debug, Default)]
struct Example {
    parts: HashMap<ValueId, Role>,
    /// In each node's place in the link before.
    before: Link,
    /// Operands first.
    order: Vec<ValueId>,
    operations: usize,
    /// Pairs of a value taken and the value given for it.
    carried: Vec<(ValueId, ValueId)>,
}

impl Repeats {
    /// Of a kernel that looks far.
    pub(super) fn of(nodes: &[Node]) -> Repeats {
        let mut repeats = Repeats { needed: vec![false; nodes.len()], ..Repeats::default() };
        // The length of the longest chain of operations that leads to each node.
        let height = depths(nodes, |op| !op.operands().is_empty());
        let mut open: Vec<usize> = Vec::new();
        open.extend(nodes.iter().enumerate().filter(|(_, node)| node.ty.is_none()).map(|(index, _)| index));
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut repeats.needed[index], true) {
                continue;
            }
            let id = ValueId(index as u32);
            if let Op::Count(terms) = &nodes[index].op {
                let tally = tally(nodes, terms);
                open.extend(
                    tally.groups.iter().flat_map(|(repeat, bit)| repeat.asks(nodes, *bit)).map(|id| id.0 as usize),
                );
                open.extend(tally.rest.iter().map(|id| id.0 as usize));
                repeats.counts.insert(index, tally);
            } else if let Some(chain) = if (height[index] as usize) < FEWEST { None } else { chain(nodes, id) } {
                open.extend(chain.asks(nodes, id).into_iter().map(|id| id.0 as usize));
                repeats.chains.insert(index, chain);
            } else {
                open.extend(nodes[index].op.operands().iter().map(|id| id.0 as usize));
            }
        }
        repeats
    }

    /// Of a kernel without loops.
    pub(super) fn none(nodes: &[Node]) -> Repeats {
        Repeats { needed: vec![true; nodes.len()], ..Repeats::default() }
    }
}

impl Repeat {
    /// The nodes that are computed before the first link. The result is one of them if it is the same in all links.
    fn asks(&self, nodes: &[Node], result: ValueId) -> Vec<ValueId> {
        let of_loop = |id: &ValueId| {
            self.operations.contains(id)
                || self.inputs.iter().any(|(input, _)| input == id)
                || self.carried.iter().any(|carried| carried.old == *id)
        };
        let operands = self.operations.iter().flat_map(|id| nodes[id.0 as usize].op.operands());
        let firsts = self.carried.iter().map(|carried| carried.first);
        operands.chain([result]).filter(|id| !of_loop(id)).chain(firsts).collect()
    }
}

/// Whether two operations are the same but for their operands, and may stand in a loop.
fn alike(a: &Node, b: &Node) -> bool {
    let shape = |op: &Op| op.clone().map_operands(&mut |_| ValueId(0));
    a.ty == b.ty
        && !matches!(a.op, Op::RandomBit { .. } | Op::Store { .. } | Op::Count(_))
        && shape(&a.op) == shape(&b.op)
}

/// Whether one input may stand in the place of another in a table.
fn exchangeable(a: &Node, b: &Node) -> bool {
    let loaded = |node: &Node| node.op.load().map(|load| (load.state, load.plane));
    loaded(a).is_some_and(|what| loaded(b) == Some(what))
        || matches!((&a.op, &b.op), (Op::Presence(_), Op::Presence(_)))
        || matches!((&a.op, &b.op), (Op::Const(_), Op::Const(_))) && a.ty == b.ty
}

impl Example {
    /// Compares a node of a link with the one in its place in the link before, and so on down to the inputs of both. `path` leads here.
    fn compare(&mut self, nodes: &[Node], path: &mut Vec<(ValueId, ValueId)>, now: ValueId, before: ValueId) -> bool {
        if let Some(known) = self.before.get(&now) {
            return *known == before;
        }
        let given = path.iter().find(|(_, of_link_before)| *of_link_before == now).map(|(new, _)| *new);
        let (a, b) = (&nodes[now.0 as usize], &nodes[before.0 as usize]);
        let part = if let Some(new) = given {
            self.carried.push((now, new));
            Role::Carried
        } else if exchangeable(a, b) {
            // Also where both are the same: other links may differ.
            Role::Input
        } else if now == before && (a.op.operands().is_empty() || !is_small(nodes, now)) {
            Role::Same
        } else {
            let operands = a.op.operands();
            if self.operations >= LONGEST || operands.is_empty() || !alike(a, b) {
                return false;
            }
            self.operations += 1;
            path.push((now, before));
            let pairs = operands.into_iter().zip(b.op.operands());
            let same = { pairs }.all(|(now, before)| self.compare(nodes, path, now, before));
            path.pop();
            if !same {
                return false;
            }
            Role::Operation
        };
        self.parts.insert(now, part);
        self.before.insert(now, before);
        self.order.push(now);
        true
    }

    /// Whether the node of another link is made as one of this: then the nodes there, in each node's place, are added to `there`.
    fn fits(&self, nodes: &[Node], there: &mut Link, node: ValueId, other: ValueId) -> bool {
        if let Some(known) = there.get(&node) {
            return *known == other;
        }
        let (a, b) = (&nodes[node.0 as usize], &nodes[other.0 as usize]);
        let fits = match self.parts[&node] {
            Role::Same => node == other,
            Role::Carried => true,
            Role::Input => exchangeable(a, b),
            Role::Operation => {
                let pairs = a.op.operands().into_iter().zip(b.op.operands());
                alike(a, b) && { pairs }.all(|(node, other)| self.fits(nodes, there, node, other))
            }
        };
        there.insert(node, other);
        fits
    }

    /// All links, in their order: `links` has, for each, the node in each node's place.
    fn repeat(&self, links: &[Link], carried: Vec<Carried>) -> Repeat {
        let differs = |node: &ValueId| links.iter().any(|link| link[node] != *node);
        let mut moved: HashMap<ValueId, bool> = HashMap::new();
        for node in &self.order {
            moved.insert(*node, self.parts[node] == Role::Carried || differs(node));
        }
        let of = |part: Role| self.order.iter().copied().filter(move |node| self.parts[node] == part);
        let inputs = of(Role::Input).filter(|node| moved[node]);
        let inputs = inputs.map(|node| (node, links.iter().map(|link| link[&node]).collect())).collect();
        // A link may by chance give a node that another link gives too; the loop computes it in each all the same.
        let operations = of(Role::Operation).filter(|node| moved[node]).collect();
        Repeat { operations, inputs, carried, times: links.len() }
    }
}

/// Whether a value is made by few operations: other links may have made it of other constants.
fn is_small(nodes: &[Node], id: ValueId) -> bool {
    let mut seen = vec![id];
    let mut next = 0;
    while next < seen.len() && seen.len() <= SMALL {
        let operands = nodes[seen[next].0 as usize].op.operands();
        seen.extend(operands);
        next += 1;
    }
    seen.len() <= SMALL
}

/// The longest chain that ends in a node.
fn chain(nodes: &[Node], last: ValueId) -> Option<Repeat> {
    let mut steps = vec![last];
    let mut next = 0;
    // Breadth first, so that the nearest link comes first.
    while next < steps.len() && steps.len() < FARTHEST_BACK {
        for id in nodes[steps[next].0 as usize].op.operands() {
            if !steps.contains(&id) && !nodes[id.0 as usize].op.operands().is_empty() {
                steps.push(id);
            }
        }
        next += 1;
        let Some(before) = steps.get(next) else { break };
        if next > LONGEST || !alike(&nodes[last.0 as usize], &nodes[before.0 as usize]) {
            continue;
        }
        let mut example = Example::default();
        let same = example.compare(nodes, &mut Vec::new(), last, *before);
        if same && example.carried.iter().any(|(_, new)| *new == last) {
            let repeat = links(nodes, &example, last);
            if repeat.is_some() {
                return repeat;
            }
        }
    }
    None
}

/// The links before the last one, as many as are made like it.
fn links(nodes: &[Node], example: &Example, last: ValueId) -> Option<Repeat> {
    let mut carried = example.carried.clone();
    carried.sort_by_key(|(_, new)| *new != last);
    let mut links = vec![example.order.iter().map(|node| (*node, *node)).collect::<HashMap<_, _>>()];
    let mut taken: Vec<ValueId> = carried.iter().map(|(old, _)| *old).collect();
    loop {
        let mut there = HashMap::new();
        let fits = carried.iter().zip(&taken).all(|((_, new), taken)| example.fits(nodes, &mut there, *new, *taken));
        if !fits || example.order.iter().any(|node| !there.contains_key(node)) {
            break;
        }
        taken = carried.iter().map(|(old, _)| there[old]).collect();
        links.push(there);
    }
    if links.len() < FEWEST {
        return None;
    }
    links.reverse();
    let carried = carried.into_iter().zip(taken).map(|((old, new), first)| Carried { old, new, first }).collect();
    Some(example.repeat(&links, carried))
}

/// The bits of a count, together with those that are made in the same way.
fn tally(nodes: &[Node], terms: &[ValueId]) -> Tally {
    let mut groups: Vec<(ValueId, Example, Vec<Link>)> = Vec::new();
    let mut rest = Vec::new();
    'terms: for (place, term) in terms.iter().enumerate() {
        for (bit, example, links) in &mut groups {
            let mut there = HashMap::new();
            if example.fits(nodes, &mut there, *bit, *term) {
                links.push(there);
                continue 'terms;
            }
        }
        for other in terms[place + 1..].iter().take(TRIED) {
            let mut example = Example::default();
            if example.compare(nodes, &mut Vec::new(), *term, *other) && example.carried.is_empty() {
                let itself = example.order.iter().map(|node| (*node, *node)).collect();
                groups.push((*term, example, vec![itself]));
                continue 'terms;
            }
        }
        rest.push(*term);
    }
    let mut tally = Tally { groups: Vec::new(), rest };
    for (bit, example, links) in groups {
        match links.len() < FEWEST {
            true => tally.rest.extend(links.iter().map(|link| link[&bit])),
            false => tally.groups.push((example.repeat(&links, Vec::new()), bit)),
        }
    }
    tally
}
