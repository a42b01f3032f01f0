//! Where the terms of reductions are found: in the states themselves, or where a kernel writes them.

use squeeze_compiler::ir::{Op, Reduction, Rule};

/// Where the terms of a reduction are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// They are the values of a state.
    State(usize),
    /// They are the terms that the kernel of the terms writes in this place.
    Term(usize),
}

/// Where the terms of all reductions are, and the rule that has only those that must be computed.
pub(super) fn sources(rule: &Rule) -> (Vec<Source>, Rule) {
    let mut computed = rule.clone();
    computed.reductions.retain(|reduction| observed_state(rule, reduction).is_none());
    let mut terms = 0..;
    let source = |reduction| match observed_state(rule, reduction) {
        Some(state) => Source::State(state),
        None => Source::Term(terms.next().unwrap_or_default()),
    };
    (rule.reductions.iter().map(source).collect(), computed)
}

/// The state whose value a reduction's term is, if it is just that. A field is not: what its memory holds is of the step before.
fn observed_state(rule: &Rule, reduction: &Reduction) -> Option<usize> {
    match reduction.body.nodes[reduction.term.0 as usize].op {
        Op::State(state) => Some(usize::from(state.0)).filter(|state| *state < rule.states.len()),
        _ => None,
    }
}
