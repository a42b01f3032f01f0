//! Diagnostics as values, for editors and notebooks: spans of bytes in a list of texts are of no use to those.

use serde::Serialize;
use squeeze_compiler::text::diagnostics::{self, Diagnostic, Label};
use squeeze_compiler::text::source::{Sources, Span};
use std::ops::Range;

/// A diagnostic by itself: its places are read from the texts that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The error or warning, in one line.
    pub message: String,
    /// Its kind, as [`Diagnostic::code`] says.
    pub code: &'static str,
    /// Whether the text is valid, and probably not meant.
    pub is_warning: bool,
    /// The place with the words that stand beside its caret, which may be empty; `None` if there is no text to point into.
    pub place: Option<FindingPlace>,
    /// Other places that matter, such as an earlier definition, each with words.
    pub others: Vec<FindingPlace>,
    /// The text that is probably meant, where the help asks so, and the place where it belongs.
    pub suggestion: Option<FindingPlace>,
    /// Valid forms, or reasons.
    pub help: Vec<String>,
}

/// A place in a text, and a text for it. Lines and columns are those that are printed: both count from 1, and columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FindingPlace {
    /// How messages call the text that it is in.
    pub file: String,
    /// The line where it begins.
    pub line: usize,
    /// The column where it begins.
    pub column: usize,
    /// The line where it ends.
    pub end_line: usize,
    /// The column behind its last character.
    pub end_column: usize,
    /// How many characters it has.
    pub length: usize,
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// The text for it.
    pub text: String,
}

impl FindingPlace {
    fn of(span: Span, text: &str, sources: &Sources) -> FindingPlace {
        let ((line, column), (end_line, end_column)) =
            (sources.line_column(span.source, span.start), sources.line_column(span.source, span.end));
        FindingPlace {
            file: sources.get(span.source).name.clone(),
            line,
            column,
            end_line,
            end_column,
            length: sources.slice(span).chars().count(),
            bytes: span.start as usize..span.end as usize,
            text: text.to_owned(),
        }
    }
}

impl Finding {
    /// The value of a diagnostic about these texts.
    pub fn of(diagnostic: &Diagnostic, sources: &Sources) -> Finding {
        let mark = |label: &Label| FindingPlace::of(label.span, &label.text, sources);
        let suggestion = diagnostic.suggestion.as_ref();
        Finding {
            message: diagnostic.message.clone(),
            code: diagnostic.code,
            is_warning: diagnostic.warning,
            place: diagnostic.primary.as_ref().map(mark),
            others: diagnostic.secondary.iter().map(mark).collect(),
            suggestion: suggestion.map(|meant| FindingPlace::of(meant.span, &meant.replacement, sources)),
            help: diagnostic.help.clone(),
        }
    }
}

/// Diagnostics as values, in the order in which they are printed, each once.
pub(crate) fn findings(diagnostics: &[Diagnostic], sources: &Sources) -> Vec<Finding> {
    diagnostics::in_order(diagnostics).into_iter().map(|diagnostic| Finding::of(diagnostic, sources)).collect()
}
