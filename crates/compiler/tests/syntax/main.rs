//! The front of the front end: texts to trees, trees to texts, and the messages for wrong texts.

mod errors;
#[allow(unreachable_pub, reason = "other tests include this file in a public module")]
mod mutate;
mod mutations;
mod round_trip;

use squeeze_compiler::text::source::{SourceId, Sources};

/// One text as all texts.
fn source(text: &str) -> (Sources, SourceId) {
    let mut sources = Sources::new();
    let id = sources.add("test.rule", text);
    (sources, id)
}
