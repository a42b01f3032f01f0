//! Warnings about draws whose resolution shows: `uniform()` has 2^24 values, of which 0 is one.

use super::division::{operand_of, written};
use super::expression::Checker;
use super::lints::{LetsByName, expressions_and_lets};
use crate::ir::{Draws, Rule};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{BinaryOperator, Expr, ExprKind, RuleDef};
use crate::text::syntax::walk;
use std::collections::{HashMap, HashSet};

impl<'a> Checker<'a, '_> {
    /// Warns of `uniform() < p`, and of logarithms of values that can be 0.
    pub(super) fn lint_draws(&mut self, def: &'a RuleDef) {
        let (expressions, lets) = expressions_and_lets(&def.items);
        // How often each name is mentioned, and its comparisons.
        let mut mentions: HashMap<&str, usize> = HashMap::new();
        for expression in &expressions {
            walk(expression, &mut |inner| match &inner.kind {
                ExprKind::Name(name) => *mentions.entry(name).or_default() += 1,
                ExprKind::Neighbour(name) => *mentions.entry(&name.name).or_default() += 1,
                _ => {}
            });
        }
        let draws = Lets(lets);
        let mut comparisons: Vec<ComparedDraw<'_>> = Vec::new();
        for expression in &expressions {
            walk(expression, &mut |inner| match &inner.kind {
                ExprKind::Binary { op, left, right, .. } => comparisons.extend(draws.compared(*op, left, right)),
                ExprKind::Call { name, arguments, .. } if name.name == "log" => {
                    if let [argument] = &arguments[..]
                        && draws.is_draw(argument, &|low, _| is_number(low, 0.0), false)
                    {
                        let text = written(argument).unwrap_or_else(|| "uniform()".to_owned());
                        let what = "`log` of a draw that can be 0";
                        let warning = Diagnostic::new(what, inner.span, "infinite once in 16.7 million draws").help(
                            format!("write `log(1.0 - {text})`: a number from 2^-24 to 1 is as good, and never 0"),
                        );
                        self.lint("log_of_zero", warning);
                    }
                }
                _ => {}
            });
        }
        let mut told: HashMap<&str, (usize, HashSet<Option<String>>)> = HashMap::new();
        for compared in &comparisons {
            let (count, others) = told.entry(compared.name.unwrap_or_default()).or_default();
            *count += 1;
            others.insert(written(compared.with));
        }
        for compared in comparisons {
            // A draw that is compared with several numbers, or asked for otherwise, chooses among more than two.
            let alone = compared.name.is_none_or(|name| {
                told.get(name).is_some_and(|(count, others)| others.len() == 1 && mentions.get(name) == Some(count))
            });
            if alone {
                self.lint_compared(&compared);
            }
        }
    }

    fn lint_compared(&mut self, compared: &ComparedDraw<'_>) {
        let (alone, operand) = (written(compared.with), operand_of(compared.with));
        let instead = match compared.below {
            true => format!("random({})", alone.as_deref().unwrap_or("p")),
            false => format!("random(1.0 - {})", operand.as_deref().unwrap_or("p")),
        };
        let warning = Diagnostic::new(
            "`uniform()` compared with a probability",
            compared.span,
            "true with a multiple of 2^-24, and never with less",
        )
        .help(format!("write `{instead}`, whose resolution is 2^-32, and which is faster"));
        self.lint("uniform_comparison", warning);
    }
}

/// A draw that is compared.
struct ComparedDraw<'e> {
    /// The `let` that it is, if it has a name.
    name: Option<&'e str>,
    /// The other side of the comparison.
    with: &'e Expr,
    /// Whether the comparison is true where the draw is less.
    below: bool,
    span: Span,
}

/// The lets of a text.
struct Lets<'e>(LetsByName<'e>);

impl<'e> Lets<'e> {
    /// A comparison of `uniform()`, by itself or by the name of a `let`, with something else.
    fn compared(&self, op: BinaryOperator, left: &'e Expr, right: &'e Expr) -> Option<ComparedDraw<'e>> {
        let less = match op {
            BinaryOperator::Less | BinaryOperator::LessEqual => true,
            BinaryOperator::Greater | BinaryOperator::GreaterEqual => false,
            _ => return None,
        };
        let (draw, with, below) = match (self.is_uniform(left), self.is_uniform(right)) {
            (true, false) => (left, right, less),
            (false, true) => (right, left, !less),
            _ => return None,
        };
        let name = if let ExprKind::Name(name) = &converted(draw).kind { Some(name.as_str()) } else { None };
        Some(ComparedDraw { name, with, below, span: left.span.to(right.span) })
    }

    /// Whether an expression is a draw from 0 to 1.
    fn is_uniform(&self, expr: &Expr) -> bool {
        self.is_draw(expr, &|low, high| is_number(low, 0.0) && is_number(high, 1.0), true)
    }

    /// Whether an expression is `uniform()`, or a draw between ends that fit, by itself or as a `let` of which `all` values are that, or one.
    fn is_draw(&self, expr: &Expr, fit: &dyn Fn(&Expr, &Expr) -> bool, all: bool) -> bool {
        match &converted(expr).kind {
            ExprKind::Call { name, arguments, .. } if name.name == "uniform" => match &arguments[..] {
                [] => true,
                [low, high] => fit(low, high),
                _ => false,
            },
            ExprKind::Name(name) => self.0.get(name.as_str()).is_some_and(|values| {
                // A `let` of a `let` is one more name for it, which is rarely written.
                let is_draw = |value: &&Expr| {
                    !matches!(converted(value).kind, ExprKind::Name(_)) && self.is_draw(value, fit, all)
                };
                if all { values.iter().all(&is_draw) } else { values.iter().any(is_draw) }
            }),
            _ => false,
        }
    }
}

/// The innermost operand of nested conversions to floats; the expression itself if it is none.
fn converted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Call { name, arguments, .. } if matches!(&*name.name, "f32" | "f64") => match &arguments[..] {
            [argument] => converted(argument),
            _ => expr,
        },
        _ => expr,
    }
}

fn is_number(expr: &Expr, value: f64) -> bool {
    match &expr.kind {
        ExprKind::Int(text) | ExprKind::Float(text) => text.replace('_', "").parse() == Ok(value),
        _ => false,
    }
}

/// The notes of a run on its draws: several seeds of a rule that draws nothing.
pub fn notes_of_draws(rule: &Rule, seeds: usize) -> Vec<String> {
    let Draws { at_beginning, in_steps, from_disorder } = rule.drawn();
    if at_beginning || in_steps || from_disorder || seeds < 2 {
        return Vec::new();
    }
    vec![format!("`{}` draws nothing: {seeds} seeds give {seeds} times the same, and errors of 0", rule.name)]
}
