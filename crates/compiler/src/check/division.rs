//! Divisions of whole numbers whose remainder is lost: which of them the text shows to be meant, and what to write instead of the others.
//!
//! A division is meant where only a whole number makes sense of it: inside a conversion to a whole number (`i64(a / b)`), beside the
//! remainder (`a / b` and `a % b`, `a / b % c`, `a / b * b`), as the index of a table or the value of a `match`, or where coordinates and
//! times become those of blocks (`x / 8`, `side / 2`, `cell / side`).

use super::body::Operand;
use super::expression::Checker;
use super::lints::{LetsByName, add_lets_of_blocks, expressions_and_lets, with_steps};
use crate::ir::{Type, Value};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{BinaryOperator, Expr, ExprKind, RuleDef, RuleItemKind, UnaryOperator};
use crate::text::syntax::walk;
use std::collections::HashSet;

/// The conversions that say that a whole number is wanted.
const WHOLE: [&str; 5] = ["i32", "i64", "u8", "u16", "u32"];
/// The names of whole numbers about places, sizes, levels and times.
const PLACES: [&str; 14] =
    ["x", "y", "z", "dx", "dy", "dz", "side", "width", "height", "depth", "level", "step", "cell", "cells"];
/// The names among them that say how far the others go.
const EXTENTS: [&str; 5] = ["side", "width", "height", "depth", "cells"];
/// How many lets are followed to find the meaning of a name.
const MOST_FOLLOWED: u32 = 16;

impl<'a> Checker<'a, '_> {
    /// Notes which divisions of a rule are meant to lose their remainder.
    pub(super) fn note_meant_divisions(&mut self, def: &'a RuleDef) {
        let (expressions, lets) = expressions_and_lets(&def.items);
        let others = with_steps(&def.items).filter_map(|item| match &item.kind {
            RuleItemKind::State { name, .. }
            | RuleItemKind::Input { name, .. }
            | RuleItemKind::Global { name, .. }
            | RuleItemKind::Bond { name, .. }
            | RuleItemKind::KeptBond { name, .. }
            | RuleItemKind::Clusters { name, .. } => Some(name.name.as_str()),
            _ => None,
        });
        let text = NamesInText { lets, others: others.collect(), remainders: HashSet::new() };
        text.note_all(&expressions, &mut self.lints.meant);
    }

    /// Notes the same of expressions outside of rules.
    pub(super) fn note_meant_divisions_of(&mut self, expressions: &[&'a Expr]) {
        let mut text = NamesInText::default();
        add_lets_of_blocks(expressions, &mut text.lets);
        text.note_all(expressions, &mut self.lints.meant);
    }

    /// Warns of a division of whole numbers that loses a remainder, unless the text shows that it is meant.
    pub(super) fn lint_division(&mut self, left: (&Expr, Operand), right: (&Expr, Operand)) {
        let whole = |operand: Operand| self.body.constant(operand.id).and_then(Value::as_i128);
        let values = (whole(left.1), whole(right.1));
        let ty = self.type_name(left.1.ty);
        let fraction = if left.1.ty == Type::I64 { "f64" } else { "f32" };
        self.lint_quotient((left.0, values.0), (right.0, values.1), &ty, fraction);
    }

    /// The same of operands whose values are known or not, of a type, whose fraction would be of another one.
    pub(super) fn lint_quotient(
        &mut self,
        (left, dividend): (&Expr, Option<i128>),
        (right, divisor): (&Expr, Option<i128>),
        whole: &str,
        fraction: &str,
    ) {
        let span = left.span.to(right.span);
        let exact = match (dividend, divisor) {
            (Some(a), Some(b)) => b != 0 && a % b == 0,
            (Some(0), None) => true,
            (_, Some(b)) => b.abs() == 1 || has_factor(left, b),
            _ => false,
        };
        if exact || self.lints.meant.contains(&span) {
            return;
        }
        let mut warning =
            Diagnostic::new("a division of whole numbers", span, "the remainder is lost, and a share is 0");
        if let (Some(a), Some(b)) = (dividend, divisor) {
            let result = if b == 0 { 0 } else { a / b };
            warning = Diagnostic::new("a division of whole numbers", span, format!("this is {result}"))
                .help(format!("write `{a}.0 / {b}.0` for the fraction"));
        } else {
            let (a, b) = (written(left), written(right));
            let (a, b) = (a.as_deref().unwrap_or("a"), b.as_deref().unwrap_or("b"));
            let [over, under] = [(left, a), (right, b)].map(|(operand, text)| match operand.kind {
                ExprKind::Int(_) => format!("{text}.0"),
                _ => format!("{fraction}({text})"),
            });
            warning = match share(left, right) {
                Some(term) => warning.help(format!("write `mean({term})` for the share, or `{over} / {under}`")),
                None => warning.help(format!("write `{over} / {under}` for the fraction")),
            };
            warning = warning.help(format!("write `{whole}({a} / {b})` if the whole number is meant"));
        }
        self.lint("integer_division", warning);
    }
}

/// The names in a text.
#[derive(Default)]
struct NamesInText<'a> {
    lets: LetsByName<'a>,
    /// The names of states and globals.
    others: HashSet<&'a str>,
    /// The pairs of dividend and divisor whose remainder is taken.
    remainders: HashSet<(String, String)>,
}

impl<'a> NamesInText<'a> {
    /// Notes the divisions in some expressions that are meant.
    fn note_all(mut self, expressions: &[&'a Expr], meant: &mut HashSet<Span>) {
        for expression in expressions {
            walk(expression, &mut |inner| {
                if let ExprKind::Binary { op: BinaryOperator::Remainder, left, right, .. } = &inner.kind
                    && let (Some(dividend), Some(divisor)) = (written(left), written(right))
                {
                    self.remainders.insert((dividend, divisor));
                }
            });
        }
        expressions.iter().for_each(|expression| self.note(expression, meant));
    }

    /// Notes those of one expression.
    fn note(&self, expression: &Expr, meant: &mut HashSet<Span>) {
        let mut divisors = HashSet::new();
        walk(expression, &mut |inner| {
            if let ExprKind::Binary { op: BinaryOperator::Remainder, right, .. } = &inner.kind {
                divisors.extend(written(right));
            }
        });
        walk(expression, &mut |inner| match &inner.kind {
            ExprKind::Call { name, arguments, .. } if WHOLE.contains(&name.name.as_str()) => {
                arguments.iter().for_each(|argument| note_quotients(argument, meant));
            }
            ExprKind::Index { index: value, .. } | ExprKind::Match { value, .. } => note_quotients(value, meant),
            ExprKind::Binary { op: BinaryOperator::Remainder, left, .. } => note_quotients(left, meant),
            ExprKind::Binary { op: BinaryOperator::Multiply, left, right, .. } => {
                for (quotient, factor) in [(left, right), (right, left)] {
                    if let ExprKind::Binary { op: BinaryOperator::Divide, right: divisor, .. } = &quotient.kind
                        && written(divisor).is_some_and(|divisor| written(factor) == Some(divisor))
                    {
                        meant.insert(span_of(quotient));
                    }
                }
            }
            ExprKind::Binary { op: BinaryOperator::Divide, left, right, .. } => {
                let beside = match (written(left), written(right)) {
                    (dividend, Some(divisor)) => {
                        divisors.contains(&divisor)
                            || dividend.is_some_and(|dividend| self.remainders.contains(&(dividend, divisor)))
                    }
                    _ => false,
                };
                if beside || self.is_of_places(left, right) {
                    meant.insert(span_of(inner));
                }
            }
            _ => {}
        });
    }

    /// Whether a quotient is of places or times: `x / 8`, `side / 2`, `cell / side`, but not `x / side`, which is 0.
    fn is_of_places(&self, left: &Expr, right: &Expr) -> bool {
        let (mut dividend, mut divisor) = (Vec::new(), Vec::new());
        if !self.places(left, &mut dividend, 0) || !self.places(right, &mut divisor, 0) || dividend.is_empty() {
            return false;
        }
        divisor.is_empty() || (divisor.iter().all(|name| EXTENTS.contains(name)) && dividend.contains(&"cell"))
    }

    /// The names of places and times in arithmetic of them, literals and names of whole numbers; false if there is anything else.
    fn places(&self, expr: &Expr, found: &mut Vec<&'static str>, followed: u32) -> bool {
        match &expr.kind {
            ExprKind::Int(_) => true,
            ExprKind::Name(name) => {
                if let Some(values) = self.lets.get(name.as_str()) {
                    let mut all = values.iter();
                    return followed < MOST_FOLLOWED && all.all(|value| self.places(value, found, followed + 1));
                }
                let other = self.others.contains(name.as_str());
                found.extend(PLACES.iter().filter(|place| *place == name && !other));
                // The other names are those of parameters and constants.
                !other
            }
            ExprKind::Unary { op: UnaryOperator::Negate, operand } => self.places(operand, found, followed),
            ExprKind::Binary { op, left, right, .. } => {
                use BinaryOperator as B;
                let arithmetic = matches!(op, B::Multiply | B::Divide | B::Remainder | B::Add | B::Subtract);
                arithmetic && self.places(left, found, followed) && self.places(right, found, followed)
            }
            ExprKind::Call { name, arguments, .. } => {
                let keeps =
                    WHOLE.contains(&name.name.as_str()) || ["abs", "min", "max", "clamp"].contains(&&*name.name);
                keeps && arguments.iter().all(|argument| self.places(argument, found, followed))
            }
            _ => false,
        }
    }
}

/// Notes the divisions whose results an expression computes with.
fn note_quotients(expr: &Expr, meant: &mut HashSet<Span>) {
    match &expr.kind {
        ExprKind::Binary { op, left, right, .. } => {
            if *op == BinaryOperator::Divide {
                meant.insert(span_of(expr));
            }
            [left, right].into_iter().for_each(|operand| note_quotients(operand, meant));
        }
        ExprKind::Unary { operand, .. } => note_quotients(operand, meant),
        _ => {}
    }
}

/// Where a binary operation stands, from the beginning of its left operand to the end of the right one.
fn span_of(expr: &Expr) -> Span {
    match &expr.kind {
        ExprKind::Binary { left, right, .. } => left.span.to(right.span),
        _ => expr.span,
    }
}

/// Whether an expression is a product with a literal that a number divides.
fn has_factor(expr: &Expr, divisor: i128) -> bool {
    match &expr.kind {
        ExprKind::Int(text) => {
            divisor != 0 && text.replace('_', "").parse::<i128>().is_ok_and(|value| value % divisor == 0)
        }
        ExprKind::Unary { op: UnaryOperator::Negate, operand } => has_factor(operand, divisor),
        ExprKind::Binary { op: BinaryOperator::Multiply, left, right, .. } => {
            has_factor(left, divisor) || has_factor(right, divisor)
        }
        _ => false,
    }
}

/// The bit or number whose mean is written as a sum over the number of cells.
fn share(left: &Expr, right: &Expr) -> Option<String> {
    match (&left.kind, &right.kind) {
        (ExprKind::Call { name, arguments, .. }, ExprKind::Name(cells)) if cells == "cells" => match &arguments[..] {
            [term] if ["sum", "count"].contains(&&*name.name) => written(term),
            _ => None,
        },
        _ => None,
    }
}

/// A short expression as it is written, but for the neighbour that it is of; `None` for a long one.
pub(super) fn written(expr: &Expr) -> Option<String> {
    Some(match &expr.kind {
        ExprKind::Int(text) | ExprKind::Float(text) => text.clone(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Neighbour(name) => name.name.clone(),
        ExprKind::Unary { op, operand } => {
            let op = if *op == UnaryOperator::Negate { "-" } else { "!" };
            format!("{op}{}", operand_of(operand)?)
        }
        ExprKind::Binary { op, left, right, .. } => {
            format!("{} {} {}", operand_of(left)?, op.name(), operand_of(right)?)
        }
        ExprKind::Call { name, arguments, otherwise: None } => {
            let arguments = arguments.iter().map(written).collect::<Option<Vec<_>>>()?;
            format!("{}({})", name.name, arguments.join(", "))
        }
        _ => return None,
    })
}

/// The same as an operand.
pub(super) fn operand_of(expr: &Expr) -> Option<String> {
    let text = written(expr)?;
    Some(if matches!(expr.kind, ExprKind::Binary { .. }) { format!("({text})") } else { text })
}
