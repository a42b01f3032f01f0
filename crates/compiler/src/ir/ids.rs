//! Numbers that name states and nodes.

/// Which of a rule's states, an index into [`RuleParts::states`](super::RuleParts::states), or which of its fields, whose numbers follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u16);

/// A node of a [`Body`](super::Body), by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);
