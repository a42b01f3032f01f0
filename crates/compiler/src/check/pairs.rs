//! The bonds and clusters of a rule, as the checker knows them.

use crate::ir::{ClusterValue, StateId};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Expr, Ident};

/// A bond, by its name.
#[derive(Clone, Copy)]
pub(super) enum BondName {
    /// An index into [`Checker::lets`].
    Computed(usize),
    /// An index into [`Checker::kept`].
    Kept(usize),
}

/// Clusters of the rule.
pub(super) struct RuleClusters<'a> {
    pub name: &'a str,
    /// The bond as it is named.
    pub bond: &'a Ident,
    pub when: Option<&'a Expr>,
    /// Whether the bond draws, once the clusters were checked; `None` in it if they have an error, which was reported.
    pub checked: Option<Option<bool>>,
}

/// Clusters that the step or the observables being checked ask for.
pub(super) struct AskedClusters {
    /// Whether observables and globals ask.
    pub observed: bool,
    /// Their number among the rule's.
    pub index: usize,
    /// The let whose values are the condition, and its field.
    pub when: Option<(usize, StateId)>,
    pub values: Vec<AskedValue>,
}

/// A value that is asked of clusters.
pub(super) struct AskedValue {
    /// Where the expression stands that it combines.
    pub place: *const Expr,
    /// The let that stands for that expression.
    pub input: Option<usize>,
    pub value: ClusterValue,
}

/// The error for a state that the initial value of a bond names.
pub(super) fn state_in_init(name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("`init` of a bond cannot read `{name}`"), span, "a pair's two cells begin with it")
        .help("the initial value of a pair is made of x, y, z, dx, dy, dz, side, level, parameters and random draws; a step `when step == 1` can read states")
}
