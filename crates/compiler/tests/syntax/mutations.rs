//! No text makes the front end panic, or the printer change a meaning.

use crate::mutate::{Random, corpus, exercise, mutate};

#[test]
fn mutated_texts_do_no_harm() {
    let corpus = corpus();
    let mut random = Random(1);
    let mut parsed = 0;
    for _ in 0..3000 {
        let bytes = mutate(&corpus, &mut random);
        match exercise(&bytes) {
            Ok(parses) => parsed += usize::from(parses),
            Err(fault) => panic!("{fault}\nfor the text\n{}", String::from_utf8_lossy(&bytes)),
        }
    }
    // Mutants that all fail at once would test the printer little.
    assert!(parsed > 100, "only {parsed} mutants parse");
}

/// The deepest trees that the parser lets through are no danger to functions that walk them, on a test's small stack.
#[test]
fn deepest_trees_are_harmless() {
    let nested = |open: &str, close: &str, depth: usize| format!("{}u{}", open.repeat(depth), close.repeat(depth));
    for value in [
        format!("{}u", "u + ".repeat(1000)),
        format!("{}u", "-".repeat(1000)),
        format!("{}{{ 3.0 }}", "if u < 1.0 { 1.0 } else ".repeat(333)),
        format!("{}1.0", "u[1, 0] else ".repeat(500)),
        nested("(u + ", ")", 250),
        nested("{ let a = u  ", "}", 250),
        nested("if u < 1.0 { ", "} else { 1.0 }", 250),
        nested("max(u, u * -", ")", 250),
    ] {
        let text = format!("rule a {{\n    state u: f32\n    next u = {value}\n}}\n");
        let outcome = exercise(text.as_bytes());
        assert!(outcome.is_ok(), "{outcome:?}");
    }
}
