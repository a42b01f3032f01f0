//! Floats that are compared for equality: a warning, unless both sides are values that are copied and chosen from, never computed anew.

use crate::ir::{Aggregate, AggregateKind, BinaryOp, MathFn, Node, NodeId, Op, StateId, Step};
use std::collections::{BTreeMap, BTreeSet};

/// The most operations of a side that are looked at.
const MOST_FOLLOWED: usize = 64;

/// A value that others are copies of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CopiedValue {
    /// A value of a state, or of a `let` that is kept, in some cell.
    State(StateId),
    /// The bits of a constant.
    Constant(u64),
    /// The result of an operation.
    Computed(NodeId),
}

/// The values that one is chosen from.
#[derive(Clone, Debug, Default)]
struct ChosenValues {
    all: BTreeSet<CopiedValue>,
    /// Whether it is a minimum, a maximum or another choice.
    chosen: bool,
    /// Whether all of them are whole numbers.
    whole: bool,
}

/// The values that the two sides of a comparison for equality are chosen from.
#[derive(Clone, Debug)]
pub(super) struct Sides([ChosenValues; 2]);

impl Sides {
    pub(super) fn of<'n>(nodes: &dyn Fn(NodeId) -> Option<&'n Node>, sides: [NodeId; 2]) -> Sides {
        Sides(sides.map(|side| sources(nodes, side)))
    }

    /// Whether equal values are equal to the last bit, given the sources that steps give to states.
    pub(super) fn are_exact(&self, given: &CopiesOfStates) -> bool {
        let [left, right] = &self.0;
        let [one, other] = [left, right].map(|side| origins(&side.all, given));
        let shared = one.intersection(&other).next().is_some();
        // Cells compute the same state each by itself.
        let by_themselves = |source: &CopiedValue| {
            let CopiedValue::State(state) = source else { return false };
            let computed = |source: &CopiedValue| matches!(source, CopiedValue::Computed(_));
            given.get(state).is_some_and(|sources| sources.iter().any(computed))
        };
        let [mine, theirs] =
            [left, right].map(|side| side.all.iter().filter(|source| matches!(source, CopiedValue::State(_))));
        let alike = !left.chosen && !right.chosen && mine.clone().any(by_themselves) && mine.eq(theirs);
        shared && !alike || left.whole && right.whole
    }
}

/// The sources that steps give to each state, and to each `let` that is kept.
pub(super) type CopiesOfStates = BTreeMap<StateId, BTreeSet<CopiedValue>>;

/// The sources that these steps give.
pub(super) fn given_by(steps: &[Step]) -> CopiesOfStates {
    let mut given = CopiesOfStates::new();
    for body in steps.iter().map(|step| &step.body) {
        for (state, node) in &body.results {
            given.entry(*state).or_default().extend(sources(&|id| body.nodes.get(id.0 as usize), *node).all);
        }
    }
    given
}

/// The sources that a value is chosen from.
fn sources<'n>(nodes: &dyn Fn(NodeId) -> Option<&'n Node>, value: NodeId) -> ChosenValues {
    let mut found = ChosenValues { whole: true, ..ChosenValues::default() };
    let (mut open, mut seen) = (vec![value], BTreeSet::new());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = nodes(id).filter(|_| seen.len() <= MOST_FOLLOWED);
        let (mut from, mut whole) = (None, false);
        match node.map(|node| &node.op) {
            Some(Op::State(state) | Op::Neighbour(state)) => from = Some(CopiedValue::State(*state)),
            Some(Op::Read { state, otherwise, .. }) => {
                from = Some(CopiedValue::State(*state));
                open.push(*otherwise);
            }
            Some(Op::Const(value)) => {
                // Both zeros are equal.
                let number = value.as_f64() + 0.0;
                (from, whole) = (Some(CopiedValue::Constant(number.to_bits())), number.fract() == 0.0);
            }
            Some(Op::Select { then, otherwise, .. }) => open.extend([then, otherwise]),
            Some(Op::Binary(BinaryOp::Min | BinaryOp::Max, a, b)) => open.extend([a, b]),
            Some(Op::Aggregate(Aggregate {
                kind: AggregateKind::Min | AggregateKind::Max | AggregateKind::Pick,
                value,
                otherwise,
                ..
            })) => open.extend([value].into_iter().chain(otherwise)),
            Some(op) => {
                let converted = |inner: NodeId| nodes(inner).is_some_and(|node| !node.ty.is_float());
                whole = match op {
                    Op::Math(MathFn::Floor | MathFn::Ceil | MathFn::Round, _) => true,
                    Op::Cast(inner) => converted(*inner),
                    _ => false,
                };
                from = Some(CopiedValue::Computed(id));
            }
            None => from = Some(CopiedValue::Computed(id)),
        }
        if let Some(source) = from {
            found.whole &= whole;
            found.all.insert(source);
        } else {
            found.chosen = true;
        }
    }
    found
}

/// The same with each state replaced by the sources that it is a copy of.
fn origins(all: &BTreeSet<CopiedValue>, given: &CopiesOfStates) -> BTreeSet<CopiedValue> {
    let (mut open, mut seen): (Vec<CopiedValue>, BTreeSet<CopiedValue>) = (all.iter().copied().collect(), all.clone());
    while let Some(source) = open.pop() {
        let CopiedValue::State(state) = source else { continue };
        // A value computed by a step is no source of this comparison's own, but one of the state.
        let copied =
            given.get(&state).into_iter().flatten().filter(|source| !matches!(source, CopiedValue::Computed(_)));
        open.extend(copied.filter(|source| seen.insert(**source)));
    }
    seen
}
