//! The warnings of a rule, as they are found.

use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use std::collections::{HashMap, HashSet};

/// The warnings found so far.
#[derive(Default)]
pub(super) struct Lints {
    pub found: Vec<Diagnostic>,
    /// Those that the rule does not want.
    pub allowed: HashSet<String>,
    /// Where each was found.
    pub seen: HashSet<(&'static str, Span)>,
    /// Divisions of whole numbers that are meant to lose their remainder.
    pub meant: HashSet<Span>,
    /// The least and the greatest values of lets of whole numbers, as far as they are known.
    pub ranges: HashMap<usize, (i128, i128)>,
}
