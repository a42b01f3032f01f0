//! Every error of the front of the front end, rendered. Each snapshot holds the text and its messages.

use crate::source;
use squeeze_compiler::text::diagnostics::{self, Diagnostic, render};
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::text::syntax::{self, MAX_BYTES, MAX_NESTING, MAX_TOKENS};

/// The messages for a text with errors.
fn said(text: &str) -> String {
    let (sources, id) = source(text);
    let (_, errors) = syntax::parse(&sources, id);
    assert!(!errors.is_empty(), "no error in {text}");
    render(&errors, &sources, false)
}

/// The message for bytes that are no text.
fn said_of_bytes(bytes: &[u8]) -> String {
    let errors = syntax::decode("test.rule", bytes).expect_err("these bytes should be refused");
    render(&errors, &Sources::new(), false)
}

/// A snapshot for each name and text.
macro_rules! errors {
    ($($name:ident: $text:expr;)*) => {
        $(#[test]
        fn $name() {
            let text: &str = $text;
            insta::with_settings!({ description => text, omit_expression => true }, {
                insta::assert_snapshot!(said(text));
            });
        })*
    };
}

errors! {
    // Brackets, strings, characters.
    unterminated_block: "rule a {\n    state u: f32\n    next u = { 1.0\n}\n";
    unterminated_before_a_definition: "rule a {\n    next u = max(1.0, u\n\nfractal b { scale 2 }\n";
    unterminated_by_indentation: "rule a {\n    step b {\n        next u = 1\n\n    next v = 2\n}\nrule c { state u: bit }\n";
    mismatched_brackets: "rule a {\n    next u = max(a[1, 0), 2]\n}\n";
    closes_nothing: "rule a { state u: bit }\n}\n";
    unterminated_string: "use \"carpet.fractal\nrule a { state u: bit }\n";
    unknown_character: "rule a { next u = 2 × 3 }\n";
    unknown_character_without_advice: "rule é { next u = $ }\n";
    control_character: "rule a {\u{1b}[31m state u: bit }\n";
    control_character_in_a_comment: "// a \u{7} bell\n";
    // Definitions.
    no_definition: "state u: bit\n";
    misspelt_definition: "fractl a { scale 2 }\n";
    definition_without_name: "rule { state u: bit }\n";
    definition_without_brace: "rule life\n    state u: bit\n";
    use_without_quotes: "use carpet\n";
    neighbourhood_without_comma: "neighbourhood n [(1, 2) (3, 4)]\n";
    word_as_name: "rule if { state else: bit }\n";
    // Fractals.
    bad_row_character: "fractal a {\n    scale 2\n    pattern {\n        #.\n        #X\n    }\n}\n";
    bad_quoted_row_character: "fractal a { pattern { \"##\" \"#+\" } }\n";
    scale_without_number: "fractal a { scale two }\n";
    replica_without_colon: "fractal a { replicas { 0 (0, 0) } }\n";
    unknown_part: "fractal a { size 2 }\n";
    // Rules.
    unknown_entry: "rule a {\n    state u: bit\n    stat v: bit\n}\n";
    missing_equals: "rule a { next u 1 }\n";
    missing_type: "rule a { state u }\n";
    missing_value: "rule a {\n    let n =\n    next u = n\n}\n";
    state_inside_a_step: "rule a { step b { state u: bit } }\n";
    // Expressions.
    missing_operand: "rule a { next u = a + }\n";
    single_equals: "rule a { next u = if a = b { 1 } else { 2 } }\n";
    word_operators: "rule a {\n    let b = c and d\n    let e = c or d\n    let f = not d\n}\n";
    exclusive_range: "rule a { next u = n in 2..3 }\n";
    range_as_value: "rule a { next u = 2..=3 }\n";
    in_without_range: "rule a { next u = n in m }\n";
    chained_comparison: "rule a { next u = a < b < c }\n";
    chained_in: "rule a { next u = a == b in {1, 2} }\n";
    else_of_nothing: "rule a { next u = a + b else 2 }\n";
    else_without_block: "rule a { next u = if a { 1 } else 2 }\n";
    numbers: "rule a {\n    let b = 1.\n    let c = .5\n    let d = 1x\n    let e = 0x\n}\n";
    powers: "rule a { next u = a ** 2 }\n";
    minus_on_a_new_line: "rule a {\n    next u = a\n        - b\n}\n";
    missing_comma: "rule a { next u = max(a b) }\n";
    // Many.
    several_errors: "rule a {\n    state u f32\n    next u = u +\n    observe = sum(u)\n    step b { next u = (1 2)  let c = }\n}\nfractal b { scale }\n";
    long_line: &format!("rule a {{ next u = {}@ + {}1 }}\n", "u + ".repeat(500), "u + ".repeat(500));
    far_places: &format!("rule a {{ next u = ({}\n}}\n", "u +\n".repeat(100));
}

#[test]
fn nesting_too_deep() {
    let nested = |depth: usize| {
        let inner = depth - 1;
        format!("rule a {{ next u = {}1{} }}\n", "(".repeat(inner), ")".repeat(inner))
    };
    let (sources, id) = source(&nested(MAX_NESTING));
    assert_eq!(syntax::parse(&sources, id).1, []);
    insta::assert_snapshot!(said(&nested(MAX_NESTING + 1)));
}

#[test]
fn too_many_operators_around_one_another() {
    for text in [
        format!("rule a {{ next u = {}1 }}", "u + ".repeat(1000)),
        format!("rule a {{ next u = {}1 }}", "-".repeat(1000)),
        format!("rule a {{ next u = {}{{ 3 }} }}", "if b { 1 } else ".repeat(1000)),
        format!("rule a {{ next u = {}1 }}", "u[1, 0] else ".repeat(500)),
    ] {
        let (sources, id) = source(&text);
        assert_eq!(syntax::parse(&sources, id).1, []);
        assert!(syntax::format(&sources, id).is_ok());
    }
    for text in [
        format!("rule a {{ next u = {}1 }}", "-".repeat(100_000)),
        format!("rule a {{ next u = {}{{ 3 }} }}", "if b { 1 } else ".repeat(100_000)),
        format!("rule a {{ next u = {}1 }}", "u[1, 0] else ".repeat(100_000)),
        format!("rule a {{ next u = {} 1 {} }}", "{ - - - - - - - - ".repeat(200), "}".repeat(200)),
    ] {
        assert!(said(&text).starts_with("error: more than 1000 operators around one another"));
    }
    insta::assert_snapshot!(said(&format!("rule a {{ next u = {}1 }}", "u + ".repeat(1001))));
}

#[test]
fn too_large() {
    insta::assert_snapshot!(said_of_bytes(&vec![b' '; MAX_BYTES + 1]));
    assert!(syntax::decode("spaces", &vec![b' '; MAX_BYTES]).is_ok());
}

#[test]
fn too_many_tokens() {
    // A row is one token: this picture is large, not long.
    let row = "#.".repeat(2000);
    let picture = format!("fractal a {{ scale 2 pattern {{\n{} }} }}", format!("{row}\n").repeat(600));
    let (sources, id) = source(&picture);
    assert_eq!(syntax::parse(&sources, id).1, []);
    let started = format!("rule a {{ next u = {}1 }}\nneighbourhood b é", "u + ".repeat(MAX_TOKENS / 2));
    let wanted = format!("error: the text has more than {MAX_TOKENS} tokens\n --> test.rule:1:");
    assert!(said(&started).starts_with(&wanted), "{}", said(&started));
}

#[test]
fn not_utf8() {
    insta::assert_snapshot!(said_of_bytes(b"// caf\xc3\xa9\n// caf\xe9\n"));
}

#[test]
fn twenty_errors_of_one_definition_are_enough() {
    let (sources, id) = source(&format!("rule a {{\n{}}}", "let 1\n".repeat(50)));
    assert_eq!(syntax::parse(&sources, id).1.len(), 20);
}

#[test]
fn each_error_is_rendered_once_and_in_order() {
    let (sources, id) = source("rule a { state u: bit }\nrule a { state v: bit }\n");
    let span = |start, end| diagnostics::Label {
        span: squeeze_compiler::text::source::Span { source: id, start, end },
        text: String::new(),
    };
    let second =
        Diagnostic::new("`a` is defined twice", span(29, 30).span, "again here").also(span(5, 6).span, "first here");
    let first = Diagnostic::new("`u` has no `next`", span(15, 16).span, "");
    let nowhere = Diagnostic::without_place("no rule of this name").help("names are `a`");
    let rendered = render(&[second.clone(), first.clone(), nowhere, second, first], &sources, false);
    insta::assert_snapshot!(rendered);
}

/// The whole span is of several lines: its first stands for it.
#[test]
fn places_of_several_lines() {
    let (sources, id) = source("rule a {\n    state u: bit\n}\n");
    let span = squeeze_compiler::text::source::Span { source: id, start: 0, end: 27 };
    insta::assert_snapshot!(render(&[Diagnostic::new("a rule", span, "all of it")], &sources, false));
}

#[test]
fn colour_changes_no_words() {
    let (sources, id) = source("rule a { next u = }\n");
    let errors = syntax::parse(&sources, id).1;
    let coloured = render(&errors, &sources, true);
    let mut plain = String::new();
    let mut parts = coloured.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    parts.for_each(|part| plain.push_str(part.split_once('m').map_or("", |(_, words)| words)));
    assert_ne!(coloured, plain);
    assert_eq!(plain, render(&errors, &sources, false));
}

/// Words that begin entries are names as well.
#[test]
fn entry_words_may_be_names() {
    for items in ["let a = 0 * next\n init when = 0", "let a = step\n init when = 0", "let a = step\n state when: bit"]
    {
        let (sources, id) = source(&format!("rule a {{ {items}\n next when = a }}"));
        assert_eq!(syntax::parse(&sources, id).1, []);
    }
}
