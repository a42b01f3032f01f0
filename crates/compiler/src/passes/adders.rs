//! Counts become carry-save adders, and cells share partial sums.
//!
//! A count is a set of bits of weight 1. A full adder takes three bits of one weight and gives their sum's digit of
//! that weight and a carry of twice the weight; a half adder takes two. Weight by weight, all counts of the kernel are
//! reduced together: the three bits that stand in the most sets are added once for all of them, then pairs that stand in
//! several sets begin the full adders of each, and what is left is added as it comes.

use crate::kernel::graph::KernelBuilder;
use crate::kernel::{LaneType, Node, Op, ValueId, depths};
use crate::numbers::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The most triples among which shared ones are searched for.
const MOST_TRIPLES: usize = 1 << 20;
/// The most pairs, over all sets, among which anything is shared: with hundreds of neighbours the search would take minutes.
const MOST_PAIRS: usize = 1 << 20;

/// The nodes without counts, but those of more bits than `most`.
pub(crate) fn expand(nodes: &[Node], flush: bool, most: usize) -> Vec<Node> {
    let depth = depths(nodes, |op| matches!(op, Op::Count(_)));
    let deepest = depth.iter().copied().max().unwrap_or(0);
    let mut graph = KernelBuilder::new(flush);
    let mut new = vec![ValueId(u32::MAX); nodes.len()];
    let mut digits: FxHashMap<ValueId, Vec<ValueId>> = FxHashMap::default();
    for round in 0..=deepest {
        let becomes_adders = |op: &Op| matches!(op, Op::Count(terms) if terms.len() <= most);
        let counts: Vec<usize> =
            (0..nodes.len()).filter(|i| depth[*i] == round && becomes_adders(&nodes[*i].op)).collect();
        let sets = counts.iter().map(|index| nodes[*index].op.operands());
        let sets = sets.map(|terms| terms.into_iter().map(|id| new[id.0 as usize]).collect()).collect();
        for (index, planes) in counts.iter().zip(add(&mut graph, sets)) {
            digits.insert(ValueId(*index as u32), planes);
        }
        for (index, node) in nodes.iter().enumerate().filter(|(index, _)| depth[*index] == round) {
            graph.call(&node.name);
            let number = |graph: &mut KernelBuilder, planes: &[ValueId]| match planes {
                [] => graph.value(Value::I32(0)),
                planes => graph.add(LaneType::I32, Op::Widen(planes.to_vec())),
            };
            new[index] = match &node.op {
                Op::Count(terms) if terms.len() <= most => number(&mut graph, &digits[&ValueId(index as u32)]),
                Op::Digit { value, bit } if digits.contains_key(value) => {
                    let plane = digits[value].get(usize::from(*bit)).copied();
                    plane.unwrap_or_else(|| graph.bit(false))
                }
                _ => graph.copy(node, &new),
            };
        }
    }
    graph.into_nodes()
}

/// For each set of bits the digits of how many are true, the lowest first.
fn add(graph: &mut KernelBuilder, sets: Vec<Vec<ValueId>>) -> Vec<Vec<ValueId>> {
    let most: Vec<usize> = sets.iter().map(Vec::len).collect();
    let mut digits = vec![Vec::new(); sets.len()];
    let mut sets = sets;
    let mut weight = 0;
    while sets.iter().any(|set| !set.is_empty()) {
        let mut level =
            WeightLevel { graph, sets, carries: vec![Vec::new(); most.len()], weight, members: FxHashMap::default() };
        level.reduce();
        let WeightLevel { sets: reduced, carries, .. } = level;
        for (index, set) in reduced.into_iter().enumerate() {
            // No digit stands above that of the largest count.
            if most[index] >> weight != 0 {
                let digit = set.first().copied();
                digits[index].push(digit.unwrap_or_else(|| graph.bit(false)));
            }
        }
        sets = carries;
        weight += 1;
    }
    digits
}

/// The bits of one weight.
struct WeightLevel<'g> {
    graph: &'g mut KernelBuilder,
    sets: Vec<Vec<ValueId>>,
    /// Bits of twice the weight.
    carries: Vec<Vec<ValueId>>,
    weight: usize,
    /// The sets in which a bit stands, or stood before it was added to others.
    members: FxHashMap<ValueId, Vec<usize>>,
}

impl WeightLevel<'_> {
    /// Leaves at most one bit in each set.
    fn reduce(&mut self) {
        self.drop_trivial();
        for (index, set) in self.sets.iter().enumerate() {
            for id in set {
                self.members.entry(*id).or_default().push(index);
            }
        }
        if self.sets.iter().map(|set| set.len() * set.len()).sum::<usize>() <= 2 * MOST_PAIRS {
            self.share_triples();
            self.share_pairs();
        }
        for index in 0..self.sets.len() {
            while self.sets[index].len() >= 3 {
                let [a, b, c] = [0, 1, 2].map(|i| self.sets[index][i]);
                self.full(index, a, b, c);
            }
            if let [a, b] = self.sets[index][..] {
                self.half(index, a, b);
            }
        }
    }

    /// Constants false go, and a bit that stands twice is one carry.
    fn drop_trivial(&mut self) {
        for (set, carries) in self.sets.iter_mut().zip(&mut self.carries) {
            set.retain(|id| self.graph.constant(*id) != Some(Value::Bit(false)));
            set.sort_unstable();
            let mut left: Vec<ValueId> = Vec::with_capacity(set.len());
            for id in set.drain(..) {
                if left.last() == Some(&id) {
                    left.pop();
                    carries.push(id);
                } else {
                    left.push(id);
                }
            }
            *set = left;
        }
    }

    /// Full adders of three bits that stand in several sets, those in the most sets first.
    fn share_triples(&mut self) {
        let triples_of = |n: usize| n * n.saturating_sub(1) * n.saturating_sub(2) / 6;
        if self.sets.iter().map(|set| triples_of(set.len())).sum::<usize>() > MOST_TRIPLES {
            return;
        }
        let mut users: FxHashMap<[ValueId; 3], u32> = FxHashMap::default();
        for set in &self.sets {
            for (i, a) in set.iter().enumerate() {
                for (j, b) in set.iter().enumerate().skip(i + 1) {
                    set[j + 1..].iter().for_each(|c| *users.entry([*a, *b, *c]).or_insert(0) += 1);
                }
            }
        }
        // The most used last; of those used equally the oldest bits, so that the order does not depend on hashing.
        let priority = |[a, b, c]: [ValueId; 3], users: u32| (users, std::cmp::Reverse([a, b, c]));
        let mut queue: BTreeSet<_> =
            users.into_iter().filter(|(_, users)| *users > 1).map(|(triple, users)| priority(triple, users)).collect();
        while let Some((recorded, std::cmp::Reverse(triple))) = queue.pop_last() {
            let holders = self.holders(&triple, 3);
            if holders.len() < 2 {
                continue;
            }
            if holders.len() < recorded as usize {
                queue.insert(priority(triple, holders.len() as u32));
                continue;
            }
            let [a, b, c] = triple;
            let mut with_sum: FxHashMap<[ValueId; 3], u32> = FxHashMap::default();
            for index in holders {
                let sum = self.full(index, a, b, c);
                let others: Vec<ValueId> = self.sets[index].iter().copied().filter(|id| *id != sum).collect();
                for (i, x) in others.iter().enumerate() {
                    for y in &others[i + 1..] {
                        let mut triple = [sum, *x, *y];
                        triple.sort_unstable();
                        *with_sum.entry(triple).or_insert(0) += 1;
                    }
                }
            }
            queue.extend(with_sum.into_iter().filter(|(_, n)| *n > 1).map(|(triple, n)| priority(triple, n)));
        }
    }

    /// Full adders that begin with a pair that stands in several sets; the third bit is the one that the fewest share.
    fn share_pairs(&mut self) {
        let mut users: FxHashMap<[ValueId; 2], u32> = FxHashMap::default();
        let mut sharers: FxHashMap<ValueId, u32> = FxHashMap::default();
        for set in &self.sets {
            for (i, a) in set.iter().enumerate() {
                *sharers.entry(*a).or_insert(0) += 1;
                for b in set[i + 1..].iter().filter(|_| set.len() >= 3) {
                    *users.entry([*a, *b]).or_insert(0) += 1;
                }
            }
        }
        let priority = |pair: [ValueId; 2], users: u32| (users, std::cmp::Reverse(pair));
        let mut queue: BTreeSet<_> =
            users.into_iter().filter(|(_, users)| *users > 1).map(|(pair, users)| priority(pair, users)).collect();
        while let Some((recorded, std::cmp::Reverse([a, b]))) = queue.pop_last() {
            let holds =
                |set: &Vec<ValueId>| set.len() >= 3 && set.binary_search(&a).is_ok() && set.binary_search(&b).is_ok();
            let holders: Vec<usize> = (0..self.sets.len()).filter(|i| holds(&self.sets[*i])).collect();
            if holders.len() < 2 {
                continue;
            }
            if holders.len() < recorded as usize {
                queue.insert(priority([a, b], holders.len() as u32));
                continue;
            }
            let mut with_sum: FxHashMap<[ValueId; 2], u32> = FxHashMap::default();
            for index in holders {
                let others = self.sets[index].iter().copied().filter(|id| ![a, b].contains(id));
                let third = others.min_by_key(|id| (sharers.get(id), *id)).expect("the set has three");
                let sum = self.full(index, a, b, third);
                for other in self.sets[index].iter().filter(|id| **id != sum) {
                    *with_sum.entry([sum.min(*other), sum.max(*other)]).or_insert(0) += 1;
                }
                for taken in [a, b, third] {
                    sharers.entry(taken).and_modify(|n| *n -= 1);
                }
                *sharers.entry(sum).or_insert(0) += 1;
            }
            queue.extend(with_sum.into_iter().filter(|(_, n)| *n > 1).map(|(pair, n)| priority(pair, n)));
        }
    }

    /// The sets of at least `least` bits that hold all of these.
    fn holders(&self, bits: &[ValueId], least: usize) -> Vec<usize> {
        let holds = |index: &usize| {
            let set = &self.sets[*index];
            set.len() >= least && bits.iter().all(|id| set.binary_search(id).is_ok())
        };
        let lists = bits.iter().filter_map(|id| self.members.get(id));
        let shortest = lists.min_by_key(|list| list.len()).map_or(&[][..], Vec::as_slice);
        shortest.iter().copied().filter(holds).collect()
    }

    /// Takes three bits out of a set, puts in their sum, and hands on their carry. Gives the sum.
    fn full(&mut self, index: usize, a: ValueId, b: ValueId, c: ValueId) -> ValueId {
        self.graph.call(super::digit_name(self.weight));
        let pair = self.graph.xor(a, b);
        let sum = self.graph.xor(pair, c);
        self.graph.call(super::digit_name(self.weight + 1));
        let (both, third) = (self.graph.and(a, b), self.graph.and(pair, c));
        let carry = self.graph.or(both, third);
        self.replace(index, &[a, b, c], sum, carry);
        sum
    }

    /// The same for two bits.
    fn half(&mut self, index: usize, a: ValueId, b: ValueId) {
        self.graph.call(super::digit_name(self.weight));
        let sum = self.graph.xor(a, b);
        self.graph.call(super::digit_name(self.weight + 1));
        let carry = self.graph.and(a, b);
        self.replace(index, &[a, b], sum, carry);
    }

    fn replace(&mut self, index: usize, taken: &[ValueId], sum: ValueId, carry: ValueId) {
        let set = &mut self.sets[index];
        set.retain(|id| !taken.contains(id));
        match set.binary_search(&sum) {
            // The sum equals a bit that is there: two of them are a carry.
            Ok(place) => {
                set.remove(place);
                self.carries[index].push(sum);
            }
            Err(place) => {
                set.insert(place, sum);
                self.members.entry(sum).or_default().push(index);
            }
        }
        self.carries[index].push(carry);
    }
}
