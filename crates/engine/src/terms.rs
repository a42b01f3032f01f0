//! Where the terms of reductions are found: in the states themselves, or where a kernel writes them.

use squeeze_compiler::ir::{Op, Reduction, RuleParts};

/// Where the terms of a reduction are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// They are the values of a state.
    State(usize),
    /// They are the terms that the kernel of the terms writes in this place.
    Term(usize),
}

/// Where the terms of all reductions are, and the rule that has only those that must be computed.
pub(super) fn sources(rule: &RuleParts) -> (Vec<Source>, RuleParts) {
    let mut computed = Vec::new();
    let source = |(index, reduction)| match observed_state(rule, reduction) {
        Some(state) => Source::State(state),
        None => {
            computed.push(index);
            Source::Term(computed.len() - 1)
        }
    };
    let sources = rule.reductions.iter().enumerate().map(source).collect();
    (sources, rule.with_reductions(&computed))
}

/// The state whose value a reduction's term is, if it is just that. A field is not: what its memory holds is of the step before.
fn observed_state(rule: &RuleParts, reduction: &Reduction) -> Option<usize> {
    match reduction.body.nodes[reduction.term.0 as usize].op {
        Op::State(state) => Some(usize::from(state.0)).filter(|state| *state < rule.states.len()),
        _ => None,
    }
}
