//! Printing keeps meanings and comments.

use crate::mutate::{Random, corpus, exercise, mutate};
use crate::source;
use squeeze_compiler::text::{diagnostics, syntax};
use squeeze_testing::{Kind, choices, program};

fn format(text: &str) -> String {
    let (sources, id) = source(text);
    syntax::format(&sources, id).unwrap_or_else(|errors| panic!("{}", diagnostics::render(&errors, &sources, false)))
}

#[test]
fn corpus_keeps_its_meaning() {
    for text in corpus() {
        assert_eq!(exercise(&text), Ok(true));
    }
}

/// Every construct of the language in every other, sound, and then damaged in a few places.
#[test]
fn programs_by_chance_keep_their_meaning() {
    let text = |number| {
        let kind = Kind { dimension: 2 + (number % 2) as u32, bits: number % 3 == 2 };
        program(kind, &choices(number)).text.into_bytes()
    };
    let programs: Vec<Vec<u8>> = (0..300).map(text).collect();
    for program in &programs {
        assert_eq!(exercise(program), Ok(true), "{}", String::from_utf8_lossy(program));
    }
    let (mut random, mut parsed) = (Random(2), 0);
    for _ in 0..1000 {
        let bytes = mutate(&programs, &mut random);
        match exercise(&bytes) {
            Ok(parses) => parsed += usize::from(parses),
            Err(fault) => panic!("{fault}\nfor the text\n{}", String::from_utf8_lossy(&bytes)),
        }
    }
    assert!(parsed > 20, "only {parsed} mutants parse");
}

#[test]
fn examples_of_the_language() {
    insta::assert_snapshot!(format(include_str!("design.squeeze")));
}

#[test]
fn comments_stay() {
    insta::assert_snapshot!(format(include_str!("comments.squeeze")));
}

#[test]
fn long_lines_break_behind_operators() {
    insta::assert_snapshot!(format(include_str!("long.squeeze")));
}

#[test]
fn parentheses_are_few() {
    for (written, printed) in [
        ("((a))", "a"),
        ("(a * b) + c", "a * b + c"),
        ("a * (b + c)", "a * (b + c)"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("-(-a)", "--a"),
        ("-(a + b)", "-(a + b)"),
        ("(a < b) == c", "(a < b) == c"),
        ("(a in {1, 2,}) && b", "a in {1, 2} && b"),
        ("(u[1, 0] else a) + b", "(u[1, 0] else a) + b"),
        ("b + (u[1, 0] else a)", "b + u[1, 0] else a"),
        ("u[1, 0] else (a + b)", "u[1, 0] else a + b"),
        ("(min(moore, nb.u) else a) in 1..=2", "(min(moore, nb.u) else a) in 1..=2"),
        ("(if a { b } else { c }) + 1", "(if a { b } else { c }) + 1"),
        ("a | b & c ^ d << 1", "a | b & c ^ d << 1"),
        ("!(a && b) || c", "!(a && b) || c"),
    ] {
        assert_eq!(
            format(&format!("rule r {{ next x = {written} }}")),
            format!("rule r {{\n    next x = {printed}\n}}\n")
        );
    }
}

#[test]
fn an_empty_text_stays_empty() {
    assert_eq!(format(""), "");
    assert_eq!(format(" \n\n"), "");
    assert_eq!(format("// only this"), "// only this\n");
}

/// A line that begins with `-`, `(` or `[` is something new.
#[test]
fn newlines_end_expressions() {
    let expect = |text: &str, printed: &str| {
        let text = format!("rule r {{ next x = {{ let a = {text} }} }}");
        assert_eq!(format(&text), format!("rule r {{\n    next x = {{\n        {printed}\n    }}\n}}\n"));
    };
    expect("b\n-c", "let a = b\n        -c");
    expect("b\n(c)", "let a = b\n        c");
    expect("(b\n-c) d", "let a = b - c\n        d");
    expect("f(b\n-c) d", "let a = f(b - c)\n        d");
    expect("b\n+ c d", "let a = b + c\n        d");
    expect("if b { c } else { d }\n-e", "let a = if b { c } else { d }\n        -e");
}
