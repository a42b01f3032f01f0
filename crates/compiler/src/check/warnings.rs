//! The warnings of a rule, as they are found.

use crate::diagnostics::Diagnostic;
use crate::source::Span;
use std::collections::HashSet;

/// The warnings found so far.
#[derive(Default)]
pub(super) struct Lints {
    pub found: Vec<Diagnostic>,
    /// Those that the rule does not want.
    pub allowed: HashSet<String>,
    /// Where each was found.
    pub seen: HashSet<(&'static str, Span)>,
}
