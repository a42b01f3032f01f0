//! Any tree that a text can mean survives printing and parsing.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use squeeze_compiler::source::{SourceId, Sources, Span};
use squeeze_compiler::syntax::ast::*;
use squeeze_compiler::{diagnostics, syntax};

const SPAN: Span = Span { source: SourceId(0), start: 0, end: 0 };

/// Names, among them words that are no names elsewhere.
fn ident() -> impl Strategy<Value = Ident> {
    const NAMES: &[&str] =
        &["a", "u", "nb", "next", "state", "step", "when", "init", "observe", "param", "f32", "enum", "rule", "_x1"];
    proptest::sample::select(NAMES).prop_map(|name| Ident { name: name.to_owned(), span: SPAN })
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![-3_i64..4, any::<i64>()].prop_map(|value| Number { value, span: SPAN })
}

fn unary_operator() -> impl Strategy<Value = UnaryOperator> {
    prop_oneof![Just(UnaryOperator::Negate), Just(UnaryOperator::Not)]
}

fn binary_operator() -> impl Strategy<Value = BinaryOperator> {
    use BinaryOperator::*;
    proptest::sample::select(
        &[
            Multiply,
            Divide,
            Remainder,
            Add,
            Subtract,
            ShiftLeft,
            ShiftRight,
            BitAnd,
            BitXor,
            BitOr,
            Equal,
            NotEqual,
            Less,
            LessEqual,
            Greater,
            GreaterEqual,
            And,
            Or,
        ][..],
    )
}

fn leaf() -> impl Strategy<Value = ExprKind> {
    prop_oneof![
        proptest::sample::select(&["0", "12", "0x1f", "0b10", "1_000"][..]).prop_map(|text| ExprKind::Int(text.into())),
        proptest::sample::select(&["1.0", "1e5", "1.5e-3"][..]).prop_map(|text| ExprKind::Float(text.into())),
        any::<bool>().prop_map(ExprKind::Bool),
        ident().prop_map(|name| ExprKind::Name(name.name)),
        ident().prop_map(ExprKind::Neighbour),
    ]
}

fn at(kind: ExprKind) -> Expr {
    Expr { kind, span: SPAN }
}

fn block(inner: impl Strategy<Value = Expr> + Clone) -> impl Strategy<Value = Block> {
    (vec((ident(), inner.clone()), 0..3), inner).prop_map(|(lets, value)| Block { lets, value, span: SPAN })
}

fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_map(at).prop_recursive(6, 60, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let branches = vec((boxed.clone(), block(inner.clone())), 1..3);
        prop_oneof![
            (ident(), vec(inner.clone(), 0..4), option::of(boxed.clone()))
                .prop_map(|(name, arguments, otherwise)| ExprKind::Call { name, arguments, otherwise }),
            (ident(), vec(number(), 0..4), option::of(boxed.clone())).prop_map(|(name, offset, otherwise)| {
                ExprKind::Read { name, offset, offset_span: SPAN, otherwise }
            }),
            (unary_operator(), boxed.clone()).prop_map(|(op, operand)| ExprKind::Unary { op, operand }),
            (binary_operator(), boxed.clone(), boxed.clone()).prop_map(|(op, left, right)| ExprKind::Binary {
                op,
                op_span: SPAN,
                left,
                right
            }),
            (boxed.clone(), boxed.clone(), boxed.clone()).prop_map(|(value, low, high)| ExprKind::InRange {
                value,
                low,
                high
            }),
            (boxed, vec(inner.clone(), 0..4)).prop_map(|(value, set)| ExprKind::InSet { value, set }),
            (branches, option::of(block(inner.clone()))).prop_map(|(branches, last)| if_chain(branches, last)),
            block(inner).prop_map(|block| ExprKind::Block(Box::new(block))),
        ]
        .prop_map(at)
    })
}

fn if_chain(branches: Vec<(Box<Expr>, Block)>, last: Option<Block>) -> ExprKind {
    let mut otherwise = last.map(|block| ExprKind::Block(Box::new(block)));
    for (condition, then) in branches.into_iter().rev() {
        let rest = otherwise.take().map(|rest| Box::new(at(rest)));
        otherwise = Some(ExprKind::If { condition, then: Box::new(then), otherwise: rest });
    }
    otherwise.unwrap_or(ExprKind::Bool(true))
}

fn type_name() -> impl Strategy<Value = TypeName> {
    prop_oneof![
        ident().prop_map(|name| TypeNameKind::Name(name.name)),
        vec(ident(), 0..4).prop_map(TypeNameKind::Enum),
    ]
    .prop_map(|kind| TypeName { kind, span: SPAN })
}

fn step_item() -> impl Strategy<Value = RuleItem> {
    prop_oneof![
        (ident(), expr()).prop_map(|(name, value)| RuleItemKind::Let { name, value }),
        (ident(), expr()).prop_map(|(name, value)| RuleItemKind::Next { name, value }),
    ]
    .prop_map(|kind| RuleItem { kind, span: SPAN })
}

fn rule_item() -> impl Strategy<Value = RuleItem> {
    let own = prop_oneof![
        (ident(), type_name(), expr()).prop_map(|(name, ty, value)| RuleItemKind::Param { name, ty, value }),
        (ident(), type_name()).prop_map(|(name, ty)| RuleItemKind::State { name, ty }),
        (ident(), expr()).prop_map(|(name, value)| RuleItemKind::Init { name, value }),
        (ident(), expr()).prop_map(|(name, value)| RuleItemKind::Observe { name, value }),
        (ident(), option::of(expr()), vec(step_item(), 0..3)).prop_map(|(name, guard, items)| RuleItemKind::Step {
            name,
            guard,
            items
        }),
    ]
    .prop_map(|kind| RuleItem { kind, span: SPAN });
    prop_oneof![own, step_item()]
}

fn row() -> impl Strategy<Value = Row> {
    prop_oneof![("[#.0-9a-z]{1,5}", Just(false)), ("[#.0-9a-z]{0,5}", Just(true))].prop_map(|(text, quoted)| Row {
        text,
        span: SPAN,
        quoted,
    })
}

fn level() -> impl Strategy<Value = LevelEntry> {
    ident()
        .prop_map(LevelEntry::Name)
        .prop_recursive(3, 20, 4, |inner| vec(inner, 0..4).prop_map(|list| LevelEntry::List(list, SPAN)))
}

fn part() -> impl Strategy<Value = FractalPart> {
    let replica = (number(), vec(number(), 0..4)).prop_map(|(id, place)| ReplicaEntry {
        id,
        place,
        place_span: SPAN,
        span: SPAN,
    });
    let plane = vec(row(), 0..4).prop_map(|rows| Plane { rows, span: SPAN });
    prop_oneof![
        number().prop_map(FractalPart::Dimension),
        number().prop_map(FractalPart::Scale),
        vec(replica, 0..4).prop_map(|entries| FractalPart::Replicas { entries, span: SPAN }),
        vec(plane, 1..4).prop_map(|planes| FractalPart::Picture { planes, span: SPAN }),
        vec(level(), 0..4).prop_map(|list| FractalPart::Levels { list, span: SPAN }),
    ]
}

fn item() -> impl Strategy<Value = Item> {
    let offset = vec(number(), 0..4).prop_map(|offset| OffsetEntry { offset, span: SPAN });
    prop_oneof![
        "[a-z./ é]{0,9}".prop_map(|path| Item::Use(Use { path, path_span: SPAN, span: SPAN })),
        (ident(), vec(part(), 0..4))
            .prop_map(|(name, parts)| { Item::Fractal(FractalDef { doc: String::new(), name, parts, span: SPAN }) }),
        (ident(), vec(offset, 0..4)).prop_map(|(name, offsets)| {
            Item::Neighbourhood(NeighbourhoodDef { doc: String::new(), name, offsets, list_span: SPAN, span: SPAN })
        }),
        (ident(), vec(rule_item(), 0..6)).prop_map(|(name, items)| Item::Rule(RuleDef {
            doc: String::new(),
            name,
            items,
            span: SPAN
        })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn printed_trees_parse_to_themselves(items in vec(item(), 0..4)) {
        let file = File { items, comments: Vec::new() };
        let text = syntax::print(&file, None).expect("there are threads");
        let mut sources = Sources::new();
        let id = sources.add("random", text.clone());
        let (parsed, errors) = syntax::parse(&sources, id);
        prop_assert!(errors.is_empty(), "{}\n{}", text, diagnostics::render(&errors, &sources, false));
        prop_assert_eq!(parsed.without_places(), file, "{}", text);
        prop_assert_eq!(syntax::format(&sources, id), Ok(text));
    }
}
