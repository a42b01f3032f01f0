//! Puts nodes together into a [`Body`], with the terms of aggregates contiguous.

use crate::ir::evaluate::known;
use crate::ir::{Aggregate, AggregateKind, Body, Node, NodeId, Op, StateId, Type, Value};
use std::collections::HashMap;

/// A checked expression: its node and its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub id: NodeId,
    pub ty: Type,
}

/// How many operations are looked at to find out whether a node is a constant.
const MOST_FOLDED: usize = 64;

/// Marks ids of nodes inside the term that is being built; they get their final ids when it is closed.
const IN_TERM: u32 = 1 << 31;

/// A body under construction.
#[derive(Clone, Default)]
pub(super) struct BodyBuilder {
    pub nodes: Vec<Node>,
    /// The nodes of the aggregate's term being built, if one is: taken away while nodes go to the cell, and dropped after an error.
    pub term: Option<Vec<Node>>,
    /// Rule-level lets that have a node in this body already, by their types.
    pub lets: HashMap<(usize, Type), Operand>,
}

impl BodyBuilder {
    /// Adds a node: to the open term if there is one, else to the cell.
    pub(super) fn push(&mut self, ty: Type, op: Op) -> Operand {
        match &mut self.term {
            Some(term) => {
                term.push(Node { ty, op });
                Operand { id: NodeId((term.len() as u32 - 1) | IN_TERM), ty }
            }
            None => self.push_for_cell(ty, op),
        }
    }

    fn push_for_cell(&mut self, ty: Type, op: Op) -> Operand {
        self.nodes.push(Node { ty, op });
        Operand { id: NodeId(self.nodes.len() as u32 - 1), ty }
    }

    /// The nodes of the cell so far.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node with this id.
    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        if id.0 & IN_TERM != 0 {
            return self.term.as_ref()?.get((id.0 & !IN_TERM) as usize);
        }
        self.nodes.get(id.0 as usize)
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + self.term.as_ref().map_or(0, Vec::len)
    }

    /// The value of a node that is made of a few constants, if it is.
    pub(super) fn constant(&self, id: NodeId) -> Option<Value> {
        known(&|id| self.node(id), id, &[], &mut { MOST_FOLDED })
    }

    pub(crate) fn in_term(&self) -> bool {
        self.term.is_some()
    }

    /// Opens the term of an aggregate. Terms do not nest.
    pub(crate) fn open_term(&mut self) {
        debug_assert!(self.term.is_none(), "aggregates do not nest");
        self.term = Some(Vec::new());
    }

    /// Closes the term, whose value is `value`, and adds the aggregate over it to the cell.
    pub(crate) fn close_term(
        &mut self,
        kind: AggregateKind,
        neighbourhood: u16,
        value: Operand,
        otherwise: Option<NodeId>,
        index: Option<NodeId>,
        ty: Type,
    ) -> Operand {
        let term = self.term.take().unwrap_or_default();
        let start = self.settle(term);
        let settle = settled(start);
        let term = start..self.nodes.len() as u32;
        let mut aggregate = Aggregate { kind, neighbourhood, term, value: value.id, otherwise, index };
        settle(&mut aggregate.value);
        self.push_for_cell(ty, Op::Aggregate(aggregate))
    }

    /// Adds the nodes of a term to the cell, and gives the number of the first.
    fn settle(&mut self, term: Vec<Node>) -> u32 {
        let start = self.nodes.len() as u32;
        for mut node in term {
            node.op.visit_operands(settled(start));
            self.nodes.push(node);
        }
        start
    }

    /// Closes the term of pairs: its nodes stand behind all others. Gives the first of them, and the node of the value.
    pub(crate) fn close_pairs(&mut self, value: NodeId) -> (u32, NodeId) {
        let term = self.term.take().unwrap_or_default();
        let (start, mut value) = (self.settle(term), value);
        settled(start)(&mut value);
        (start, value)
    }

    /// The finished body.
    pub(super) fn finish(self, results: Vec<(StateId, NodeId)>) -> Body {
        debug_assert!(self.term.is_none(), "every term was closed");
        Body { nodes: self.nodes, results }
    }
}

/// Gives the nodes of a term their final ids, of which the first is `start`.
fn settled(start: u32) -> impl Fn(&mut NodeId) + Copy {
    move |id| {
        if id.0 & IN_TERM != 0 {
            id.0 = (id.0 & !IN_TERM) + start;
        }
    }
}
