//! The states that a step reads, and at which offsets, so that given states are known after it.

use super::rule::{Body, NodeId, Op, StateId, Step};
use std::collections::{BTreeMap, BTreeSet};

/// An offset from a cell.
pub(crate) type CellOffset = [i32; 3];
/// Places relative to a cell.
pub(crate) type CellOffsets = BTreeSet<CellOffset>;
/// Where states and fields are needed.
pub(crate) type NeededOffsets = BTreeMap<StateId, CellOffsets>;

/// Nodes that are needed at the same places.
pub(crate) struct NeededNodes {
    /// The nodes, which are evaluated once for each of the places.
    pub nodes: Vec<NodeId>,
    /// The places.
    pub at: CellOffsets,
    /// The states and fields that the nodes look at, and where from such a place.
    pub looks: BTreeSet<(StateId, CellOffset)>,
}

impl Step {
    /// The nodes that are needed so that `needs` are known after this step. Each neighbourhood of the rule is given by its offsets.
    pub(crate) fn needed_nodes(&self, needs: &NeededOffsets, neighbourhoods: &[Vec<CellOffset>]) -> Vec<NeededNodes> {
        let needed = |(state, node): &(StateId, NodeId)| {
            let wanted: Vec<NodeId> = std::iter::once(*node).chain(self.guard).collect();
            (*state, self.body.needed(&wanted))
        };
        let needed: Vec<(StateId, Vec<bool>)> = self.body.results.iter().map(needed).collect();
        let mut by_results: BTreeMap<Vec<StateId>, Vec<NodeId>> = BTreeMap::new();
        for id in self.body.cell_nodes() {
            let by = needed.iter().filter(|(_, needed)| needed[id.0 as usize]).map(|(state, _)| *state);
            by_results.entry(by.collect()).or_default().push(id);
        }
        let of_results = |(results, nodes): (Vec<StateId>, Vec<NodeId>)| {
            let at = results.iter().filter_map(|state| needs.get(state)).flatten().copied().collect();
            let looks = nodes.iter().flat_map(|id| looks(&self.body, *id, neighbourhoods)).collect();
            NeededNodes { nodes, at, looks }
        };
        by_results.into_iter().map(of_results).collect()
    }

    /// The states needed before this step: the nodes look at them, or the step may leave them unchanged.
    pub(crate) fn needs_before(&self, mut needs: NeededOffsets, nodes: &[NeededNodes]) -> NeededOffsets {
        if self.guard.is_none() {
            self.body.results.iter().for_each(|(state, _)| drop(needs.remove(state)));
        }
        for of_places in nodes.iter().filter(|nodes| !nodes.at.is_empty()) {
            for (state, offset) in &of_places.looks {
                let there = of_places.at.iter().map(|place| [0, 1, 2].map(|axis| place[axis] + offset[axis]));
                needs.entry(*state).or_default().extend(there);
            }
        }
        needs
    }
}

/// The states and fields that a node of the cell looks at, and where.
pub(crate) fn looks(body: &Body, id: NodeId, neighbourhoods: &[Vec<CellOffset>]) -> Vec<(StateId, CellOffset)> {
    match &body.node(id).op {
        Op::State(state) => vec![(*state, [0; 3])],
        Op::Read { state, offset, .. } => vec![(*state, *offset)],
        Op::Aggregate(aggregate) => {
            let offsets = &neighbourhoods[usize::from(aggregate.neighbourhood)];
            let of_node = |id: u32| match body.nodes[id as usize].op {
                Op::Neighbour(state) => offsets.iter().map(|offset| (state, *offset)).collect(),
                Op::State(state) => vec![(state, [0; 3])],
                _ => Vec::new(),
            };
            aggregate.term.clone().flat_map(of_node).collect()
        }
        _ => Vec::new(),
    }
}
