//! Errors of the language as errors of Rust: the command line's words, at the user's tokens.

use super::text::Rebuilt;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use squeeze_compiler::text::diagnostics::{Diagnostic, in_order, render};
use squeeze_compiler::text::source::{SourceId, Sources};

/// `compile_error!` at a token.
pub(crate) fn error(message: &str, place: Span) -> TokenStream {
    error_between(message, place, place)
}

/// The same from one token to another.
fn error_between(message: &str, first: Span, last: Span) -> TokenStream {
    // rustc reports from the first token of the invocation to its last.
    let arguments = quote_spanned!(last=> { #message });
    quote_spanned!(first=> ::core::compile_error! #arguments)
}

/// All diagnostics of a text that stands in the user's Rust source, each at its token.
///
/// Errors in another file are reported with their excerpts, at `elsewhere`.
pub(crate) fn in_tokens(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    root: SourceId,
    rebuilt: &Rebuilt,
    elsewhere: Span,
) -> TokenStream {
    let report = |diagnostic: &Diagnostic| match &diagnostic.primary {
        Some(label) if label.span.source == root => {
            let (first, last) =
                rebuilt.spans(label.span.start as usize..label.span.end as usize).unwrap_or((elsewhere, elsewhere));
            error_between(&message(diagnostic, sources, root, rebuilt), first, last)
        }
        _ => in_file(std::slice::from_ref(diagnostic), sources, elsewhere),
    };
    in_order(diagnostics).into_iter().map(report).collect()
}

/// Diagnostics of files, as the command line prints them.
pub(crate) fn in_file(diagnostics: &[Diagnostic], sources: &Sources, place: Span) -> TokenStream {
    let text = render(diagnostics, sources, false);
    error(text.trim_end().strip_prefix("error: ").unwrap_or(&text), place)
}

/// The words of a diagnostic without an excerpt, since rustc shows one.
fn message(diagnostic: &Diagnostic, sources: &Sources, root: SourceId, rebuilt: &Rebuilt) -> String {
    let mut lines = vec![diagnostic.message.clone()];
    lines.extend(diagnostic.primary.iter().map(|label| label.text.clone()).filter(|text| !text.is_empty()));
    for label in &diagnostic.secondary {
        let place = if label.span.source == root {
            let spans = rebuilt.spans(label.span.start as usize..label.span.end as usize);
            spans.map_or(String::new(), |(first, _)| format!("line {}", first.start().line))
        } else {
            let (line, column) = sources.line_column(label.span.source, label.span.start);
            format!("{}:{line}:{column}", sources.get(label.span.source).name)
        };
        lines.push(format!("= note: {place}: {}", label.text));
    }
    lines.extend(diagnostic.help.iter().map(|help| format!("= help: {help}")));
    lines.join("\n")
}
