//! Printing keeps meanings and comments.

use crate::mutate::{Random, corpus, exercise, mutate, without_places};
use crate::source;
use squeeze_compiler::text::source::Span;
use squeeze_compiler::text::syntax::ast::{
    Arm, BinaryOperator, Block, CasePattern, Expr, ExprKind, Ident, Item, ItemKind, Number, PatternEnd, RuleDef,
    RuleItem, RuleItemKind, SyntaxFile, UnaryOperator,
};
use squeeze_compiler::text::{diagnostics, syntax};
use squeeze_testing::{ProgramKind, choices, program};

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
        let kind = ProgramKind { dimension: 2 + (number % 2) as u32, bits: number % 3 == 2 };
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
    assert!(parsed > 10, "only {parsed} mutants parse");
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
        ("u[1, 0] else (a + b)", "u[1, 0] else (a + b)"),
        ("u[1, 0] else (-a)", "u[1, 0] else (-a)"),
        ("u[1, 0] else (-1.0)", "u[1, 0] else -1.0"),
        ("u[1, 0] else ((u[0, 1] else a))", "u[1, 0] else u[0, 1] else a"),
        ("-(u[1, 0] else a)", "-u[1, 0] else a"),
        ("u[1, 0] else (if a { b } else { c })", "u[1, 0] else (if a { b } else { c })"),
        ("(u[1, 0] else { a }) == (max(moore, nb.u) else f(a))", "(u[1, 0] else { a }) == max(moore, nb.u) else f(a)"),
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

/// Trees by chance: their printed texts are parsed to the same.
#[test]
fn trees_by_chance_keep_their_meaning() {
    let place = Span { source: source("").1, start: 0, end: 0 };
    let mut trees = Trees { random: Random(7), place };
    for _ in 0..3000 {
        let tree = trees.expression(4);
        let next = RuleItemKind::Next { name: trees.ident("u"), value: tree };
        let items = vec![RuleItem { kind: next, span: place }];
        let rule = ItemKind::Rule(RuleDef { doc: String::new(), name: trees.ident("r"), items });
        let file = SyntaxFile { items: vec![Item { kind: rule, span: place }], comments: Vec::new() };
        let printed = syntax::print(&file, None).unwrap_or_else(|_| panic!("no stack is left"));
        let (sources, id) = source(&printed);
        let (again, errors) = syntax::parse(&sources, id);
        assert!(errors.is_empty(), "{printed}\n{}", diagnostics::render(&errors, &sources, false));
        assert_eq!(without_places(&file), without_places(&again), "{printed}");
    }
}

/// Makes trees by chance.
struct Trees {
    random: Random,
    place: Span,
}

impl Trees {
    fn ident(&self, name: &str) -> Ident {
        Ident { name: name.to_owned(), span: self.place }
    }

    fn boxed(&mut self, depth: u32) -> Box<Expr> {
        Box::new(self.expression(depth))
    }

    fn block(&mut self, depth: u32) -> Block {
        let lets = (0..self.random.below(2)).map(|_| (self.ident("a"), self.expression(depth))).collect();
        Block { lets, value: self.expression(depth), span: self.place }
    }

    fn expression(&mut self, depth: u32) -> Expr {
        let kind = match self.random.below(if depth == 0 { 5 } else { 18 }) {
            0 => ExprKind::Int("1".to_owned()),
            1 => ExprKind::Float("0.5".to_owned()),
            2 => ExprKind::Bool(true),
            3 => ExprKind::Neighbour(self.ident("u")),
            4 => ExprKind::Name("b".to_owned()),
            5..=7 => {
                let offset = [1, -1].map(|value| Number { value, span: self.place }).to_vec();
                let otherwise = Some(self.boxed(depth - 1));
                ExprKind::Read { name: self.ident("u"), offset, offset_span: self.place, otherwise }
            }
            8 => {
                let otherwise = if self.random.below(2) == 0 { None } else { Some(self.boxed(depth - 1)) };
                let arguments = vec![self.expression(depth - 1)];
                ExprKind::Call { name: self.ident("f"), arguments, otherwise }
            }
            9 => ExprKind::Index { name: self.ident("t"), index: self.boxed(depth - 1), index_span: self.place },
            10 => {
                let op = if self.random.below(2) == 0 { UnaryOperator::Negate } else { UnaryOperator::Not };
                ExprKind::Unary { op, operand: self.boxed(depth - 1) }
            }
            11 => {
                let [value, low, high] = [0; 3].map(|_| self.boxed(depth - 1));
                ExprKind::InRange { value, low, high }
            }
            12 => ExprKind::InSet { value: self.boxed(depth - 1), set: vec![self.expression(depth - 1)] },
            13 => {
                let (condition, then) = (self.boxed(depth - 1), Box::new(self.block(depth - 1)));
                let block = ExprKind::Block(Box::new(self.block(depth - 1)));
                let otherwise = Some(Box::new(Expr { kind: block, span: self.place }));
                ExprKind::If { condition, then, otherwise }
            }
            14 => ExprKind::Block(Box::new(self.block(depth - 1))),
            15 => {
                let low = PatternEnd::Name(self.ident("_"));
                let patterns = vec![CasePattern { low, high: None, span: self.place }];
                let arm = Arm { patterns, value: self.expression(depth - 1) };
                ExprKind::Match { value: self.boxed(depth - 1), arms: vec![arm] }
            }
            _ => {
                use BinaryOperator as B;
                let all = [
                    B::Multiply,
                    B::Remainder,
                    B::Add,
                    B::Subtract,
                    B::ShiftLeft,
                    B::BitAnd,
                    B::BitXor,
                    B::BitOr,
                    B::Equal,
                    B::Less,
                    B::And,
                    B::Or,
                ];
                let op = all[self.random.below(all.len())];
                let (left, right) = (self.boxed(depth - 1), self.boxed(depth - 1));
                ExprKind::Binary { op, op_span: self.place, left, right }
            }
        };
        Expr { kind, span: self.place }
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
