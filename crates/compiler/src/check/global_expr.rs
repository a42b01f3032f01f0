//! Checks the expressions of observables: reductions over cells, and arithmetic of their results.

use super::expression::{CallExpr, Checker, Context, RuleName};
use super::literal::{self, Flexible, operation};
use super::names::{AGGREGATES, EXTENTS, FLOAT_FUNCTIONS, is_draw, unknown_name};
use crate::ir::{
    BinaryOp, Body, Combine, CompareOp, GlobalExpr, GlobalShape, GlobalType, Grouping, MathFn, MathFn2, NodeId,
    Observable, Op, Reduction, Round, Type, UnaryOp, Value,
};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{BinaryOperator, Block, Expr, ExprKind, Ident, Number, UnaryOperator};
use std::sync::Arc;

/// Helps with overlaps that are none.
pub(super) const FORM: &str = "write `observe q = overlap(up)`, of a condition about each cell";

/// The most bins of a histogram.
const MOST_BINS: i64 = 256;

/// A quantity of the terms of all cells.
#[derive(Clone, Copy)]
enum Quantity {
    Combined(Combine),
    Mean,
    Variance,
    /// The value below which this share of them lies.
    Quantile(f64),
}

/// The quantities that take an expression and nothing else, by their names.
const QUANTITIES: [(&str, Quantity); 7] = [
    ("sum", Quantity::Combined(Combine::Sum)),
    ("count", Quantity::Combined(Combine::Count)),
    ("min", Quantity::Combined(Combine::Min)),
    ("max", Quantity::Combined(Combine::Max)),
    ("mean", Quantity::Mean),
    ("variance", Quantity::Variance),
    ("median", Quantity::Quantile(0.5)),
];

/// A checked total.
#[derive(Clone, Debug)]
pub(super) struct CheckedGlobal {
    pub total: GlobalExpr,
    pub ty: GlobalType,
    pub shape: GlobalShape,
}

impl CheckedGlobal {
    fn one(total: GlobalExpr, ty: GlobalType) -> Option<CheckedGlobal> {
        Some(CheckedGlobal { total, ty, shape: GlobalShape::One })
    }

    pub(crate) fn into_float(self) -> CheckedGlobal {
        match self.ty {
            GlobalType::Float => self,
            _ => CheckedGlobal { total: GlobalExpr::ToFloat(Box::new(self.total)), ty: GlobalType::Float, ..self },
        }
    }
}

/// The state of the check of expressions over all cells.
#[derive(Default)]
pub(super) struct GlobalCheck<'a> {
    /// The names of all observables of the rule, also those further down.
    pub named: Vec<&'a str>,
    /// Observables that have an error, which was reported.
    broken: Vec<&'a str>,
    /// The names in blocks around.
    locals: Vec<(&'a str, Option<CheckedGlobal>)>,
    /// The name of the observable or global being checked. Reductions are named after it.
    name: String,
    /// Whether a global is being checked, which may draw.
    pub draws: bool,
    /// The level by whose replicas cells are reduced.
    level: Option<u32>,
    /// Whether the value is known at the end of a run only.
    at_end: bool,
}

/// How correlations over a distance are written.
const CORRELATION: &str =
    "write a mean for each distance: `observe c = [mean(u * (u[1, 0] else 0.0)), mean(u * (u[2, 0] else 0.0))]`";

impl<'a> Checker<'a, '_> {
    /// `observe NAME = …`
    pub(crate) fn check_observable(
        &mut self,
        name: &'a Ident,
        values: &'a [Expr],
        list: Option<Span>,
        level: Option<&Number>,
        at_end: bool,
    ) {
        name.name.clone_into(&mut self.totals.name);
        self.totals.locals.clear();
        (self.totals.level, self.totals.at_end) = (None, at_end);
        let mut sound = true;
        if let Some(level) = level {
            self.totals.level = u32::try_from(level.value).ok().filter(|level| *level < 64);
            if self.totals.level.is_none() {
                let message = format!("there is no level {level}");
                Diagnostic::new(message, level.span, "expected a whole number from 0 to 63")
                    .help("`by level 3` gives one value for each replica of level 3")
                    .report(self.errors);
                sound = false;
            } else if list.is_some() {
                self.errors.push(Diagnostic::new("a list by level", level.span, "would be a list of lists"));
                sound = false;
            }
        }
        let found = match list {
            Some(span) => self.listed_totals(values, span),
            None => values.first().and_then(|value| self.total(value)),
        };
        match found.filter(|_| sound) {
            Some(CheckedGlobal { total: value, ty, shape }) => {
                self.rule.observables.push(Observable { name: name.name.clone(), value, ty, shape, at_end });
            }
            None => self.totals.broken.push(&name.name),
        }
    }

    fn listed_totals(&mut self, values: &'a [Expr], span: Span) -> Option<CheckedGlobal> {
        if values.is_empty() {
            self.errors.push(Diagnostic::new("an empty list", span, "nothing is observed"));
        }
        let found: Vec<Option<CheckedGlobal>> = values.iter().map(|value| self.total(value)).collect();
        let found = found.into_iter().collect::<Option<Vec<CheckedGlobal>>>().filter(|found| !found.is_empty())?;
        let floats = found.iter().any(|one| one.ty == GlobalType::Float);
        let mut elements = Vec::new();
        for (one, value) in found.into_iter().zip(values) {
            self.single(&one, value.span)?;
            elements.push(if floats { one.into_float() } else { one }.total);
        }
        let ty = if floats { GlobalType::Float } else { GlobalType::Integer };
        let shape = GlobalShape::List(elements.len() as u32);
        Some(CheckedGlobal { total: GlobalExpr::List(elements), ty, shape })
    }

    /// A number that belongs to no observable.
    pub(crate) fn lone_total(&mut self, name: &str, value: &'a Expr) -> Option<CheckedGlobal> {
        name.clone_into(&mut self.totals.name);
        (self.totals.level, self.totals.at_end) = (None, false);
        self.totals.locals.clear();
        self.total(value)
    }

    /// The kind of item being checked, for messages.
    fn what_is_computed(&self) -> &'static str {
        if self.totals.draws { "a `global`" } else { "an observable" }
    }

    /// The help where an expression combines no cells.
    fn forms(&self) -> String {
        let word = if self.totals.draws { "global" } else { "observe" };
        format!(
            "write `sum(e)`, `count(e)`, `min(e)`, `max(e)`, `mean(e)`, `variance(e)`, `median(e)`, `quantile(e, share)` or `histogram(e, low, high, bins)` over all cells, \
             or compute with them, as in `{word} share = f64(sum(alive)) / f64(cells)`"
        )
    }

    /// One number, in a call.
    pub(crate) fn lone_operand(&mut self, value: &'a Expr) -> Option<CheckedGlobal> {
        let found = self.total(value)?;
        self.single(&found, value.span)?;
        self.numbers(&found, value.span)?;
        Some(found)
    }

    /// One number that belongs to no observable.
    pub(super) fn lone_operand_of(&mut self, name: &str, value: &'a Expr) -> Option<CheckedGlobal> {
        let found = self.lone_total(name, value)?;
        self.single(&found, value.span)?;
        self.numbers(&found, value.span)?;
        Some(found)
    }

    /// A condition over all cells.
    pub(super) fn condition(&mut self, value: &'a Expr) -> Option<GlobalExpr> {
        let found = self.lone_total("stop", value)?;
        self.single(&found, value.span)?;
        self.is_condition(&found, value.span)?;
        Some(found.total)
    }

    /// Reports a list where one number is wanted.
    pub(super) fn single(&mut self, found: &CheckedGlobal, span: Span) -> Option<()> {
        if found.shape == GlobalShape::One {
            return Some(());
        }
        Diagnostic::new("a list where one number is wanted", span, "this is a list").fail(self.errors)
    }

    fn is_condition(&mut self, found: &CheckedGlobal, span: Span) -> Option<()> {
        if found.ty == GlobalType::Bit {
            return Some(());
        }
        Diagnostic::new("a number where a condition is wanted", span, "this is a number")
            .help("compare it, as in `toppling == 0`")
            .coded("type")
            .fail(self.errors)
    }

    fn total(&mut self, expr: &'a Expr) -> Option<CheckedGlobal> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(text) => self.whole(text, false, span),
            ExprKind::Unary { op: UnaryOperator::Negate, operand } if matches!(operand.kind, ExprKind::Int(_)) => {
                let ExprKind::Int(text) = &operand.kind else { return None };
                self.whole(text, true, span)
            }
            ExprKind::Float(text) => match literal::float(text, Type::F64, "f64", span) {
                Ok(value) => CheckedGlobal::one(GlobalExpr::Float(value.as_f64()), GlobalType::Float),
                Err(error) => error.fail(self.errors),
            },
            ExprKind::Bool(value) => CheckedGlobal::one(GlobalExpr::Integer(i64::from(*value)), GlobalType::Bit),
            ExprKind::Name(name) => self.total_named(name, span),
            ExprKind::Call { name, arguments, otherwise: None } => {
                self.total_call(CallExpr { name, arguments, otherwise: None, span })
            }
            ExprKind::Unary { op, operand } => {
                let found = self.total(operand)?;
                let op = match op {
                    UnaryOperator::Not => {
                        self.is_condition(&found, operand.span)?;
                        UnaryOp::Not
                    }
                    UnaryOperator::Negate => {
                        self.numbers(&found, operand.span)?;
                        UnaryOp::Negate
                    }
                };
                Some(CheckedGlobal { total: GlobalExpr::Unary(op, Box::new(found.total)), ..found })
            }
            ExprKind::Binary { op, op_span, left, right } => self.total_binary(*op, *op_span, [left, right]),
            ExprKind::If { condition, then, otherwise: Some(otherwise) } => {
                let which = self.total(condition)?;
                self.is_condition(&which, condition.span)?;
                let (then, otherwise_found) = (self.total_block(then)?, self.total(otherwise)?);
                let (then, other, shape) = self.alike(then, otherwise_found, otherwise.span)?;
                let shape = self.join(shape, which.shape, condition.span)?;
                let ty = then.ty;
                let total = GlobalExpr::Select(Box::new([which.total, then.total, other.total]));
                Some(CheckedGlobal { total, ty, shape })
            }
            ExprKind::Block(block) => self.total_block(block),
            ExprKind::AtCluster(_, of) => Diagnostic::new("`at` in what combines all cells", of.span, "expected `end`")
                .help("`observe last = mean(u) at end` is of the end of a run; draws at clusters belong to steps")
                .fail(self.errors),
            ExprKind::Index { .. } => Diagnostic::new("a list at an index", span, "no entry can be picked here")
                .help("name the entry by itself, as in `observe first = count(s == 0)`")
                .fail(self.errors),
            _ => {
                let message = format!("{} combines all cells", self.what_is_computed());
                Diagnostic::new(message, span, "not a combination").help(self.forms()).fail(self.errors)
            }
        }
    }

    fn total_block(&mut self, block: &'a Block) -> Option<CheckedGlobal> {
        let outer = self.totals.locals.len();
        for (name, value) in &block.lets {
            let value = self.total(value);
            self.check_local_name(name);
            self.totals.locals.push((&name.name, value));
        }
        let value = self.total(&block.value);
        self.totals.locals.truncate(outer);
        value
    }

    fn whole(&mut self, text: &str, negative: bool, span: Span) -> Option<CheckedGlobal> {
        let size = crate::ir::whole(&text.replace('_', ""));
        let value = size.and_then(|size| i64::try_from(if negative { -size } else { size }).ok());
        if value.is_none() {
            Diagnostic::new("a whole number beyond 64 bits", span, "out of range")
                .help("whole numbers of all cells go from -2^63 to 2^63 - 1")
                .report(self.errors);
        }
        CheckedGlobal::one(GlobalExpr::Integer(value?), GlobalType::Integer)
    }

    fn total_named(&mut self, name: &'a str, span: Span) -> Option<CheckedGlobal> {
        if let Some((_, local)) = self.totals.locals.iter().rev().find(|(local, _)| *local == name) {
            return local.clone();
        }
        if let Some(index) = self.rule.observables.iter().position(|observable| observable.name == name) {
            let Observable { ty, shape, at_end, .. } = self.rule.observables[index];
            if at_end && !self.totals.at_end {
                let help = format!(
                    "leave out its `at end`, or write `at end` behind this observable too; `stop when` says what the end is, and cannot use `{name}`"
                );
                let message = format!("`{name}` is known at the end of a run only");
                return Diagnostic::new(message, span, "is needed before").help(help).fail(self.errors);
            }
            return Some(CheckedGlobal { total: GlobalExpr::Observable(index as u32), ty, shape });
        }
        if self.totals.broken.contains(&name) {
            return None;
        }
        if let Some(value) = self.constant_alone(name, span) {
            let value = value?;
            return match (value, value.as_i128()) {
                (Value::Bit(bit), _) => CheckedGlobal::one(GlobalExpr::Integer(i64::from(bit)), GlobalType::Bit),
                (_, Some(whole)) => CheckedGlobal::one(GlobalExpr::Integer(whole as i64), GlobalType::Integer),
                (float, None) => CheckedGlobal::one(GlobalExpr::Float(float.as_f64()), GlobalType::Float),
            };
        }
        let (problem, label) = match self.names.get(name) {
            Some(RuleName::Broken) => return None,
            Some(RuleName::Function(_)) => (format!("`{name}` is a function of cells"), "not a number about all cells"),
            Some(RuleName::List(_)) => (format!("`{name}` is a neighbourhood"), "not a number"),
            Some(RuleName::Const(_)) => return None,
            Some(&RuleName::Param(index)) => {
                let ty = GlobalType::of(self.rule.params[usize::from(index)].ty);
                return CheckedGlobal::one(GlobalExpr::Param(index), ty);
            }
            Some(&RuleName::Global(index)) => {
                if self.totals.draws && self.globals[index].known {
                    let (total, ty) = self.globals[index].found.clone()?;
                    // A global of `once` has its value already.
                    let total = match self.globals[index].once {
                        true => GlobalExpr::Param((self.rule.params.len() + index) as u16),
                        false => total,
                    };
                    return CheckedGlobal::one(total, GlobalType::of(ty));
                }
                if self.totals.draws {
                    self.global_too_early(index, span);
                } else if !std::mem::replace(&mut self.globals[index].told_place, true) {
                    let error = Diagnostic::new(format!("`{name}` is global"), span, "it has a value in steps only");
                    self.errors.push(error.help(self.forms()));
                }
                return None;
            }
            Some(
                RuleName::State(_) | RuleName::Kept(_) | RuleName::Clusters(_) | RuleName::Input(_) | RuleName::Let(_),
            ) => (format!("`{name}` has a value in every cell"), "not a number about all cells"),
            Some(RuleName::Variant(..)) => (format!("`{name}` is a variant"), "not a number"),
            None => match name {
                "cells" => return CheckedGlobal::one(GlobalExpr::Cells(None), GlobalType::Integer),
                "side" => return CheckedGlobal::one(GlobalExpr::Side, GlobalType::Integer),
                "width" | "height" | "depth" if self.totals.named.contains(&name) => {
                    (format!("`{name}` is observed further down"), "move that observable above this one")
                }
                "width" | "height" | "depth" => {
                    let axis = EXTENTS.iter().position(|extent| *extent == name).unwrap_or(0);
                    return CheckedGlobal::one(GlobalExpr::Extent(axis as u8), GlobalType::Integer);
                }
                "level" => {
                    self.rule.names_level = true;
                    return CheckedGlobal::one(GlobalExpr::Level, GlobalType::Integer);
                }
                "step" => return CheckedGlobal::one(GlobalExpr::Time, GlobalType::Integer),
                "x" | "y" | "z" | "dx" | "dy" | "dz" => {
                    (format!("`{name}` differs from cell to cell"), "not a number about all cells")
                }
                _ => {
                    let observables = self.rule.observables.iter().map(|observable| observable.name.as_str());
                    let built_in = ["cells", "side", "level", "step"].into_iter().chain(EXTENTS);
                    let known = observables.chain(self.names.keys().copied()).chain(built_in);
                    let error = unknown_name("name", name, span, known);
                    return error.fail(self.errors);
                }
            },
        };
        Diagnostic::new(problem, span, label).help(self.forms()).fail(self.errors)
    }

    fn total_call(&mut self, call: CallExpr<'a>) -> Option<CheckedGlobal> {
        let CallExpr { name, arguments, span, .. } = call;
        let function = name.name.as_str();
        let quantity = QUANTITIES.iter().find(|(name, _)| *name == function).map(|(_, quantity)| *quantity);
        if let [Expr { kind: ExprKind::Over(both), span: term }, ..] = arguments
            && (quantity.is_some() || matches!(function, "quantile" | "histogram"))
        {
            return match (quantity, arguments.len()) {
                (Some(Quantity::Combined(kind)), 1) => self.over_pairs(function, (kind, false), both),
                (Some(Quantity::Mean), 1) => self.over_pairs(function, (Combine::Sum, true), both),
                _ => Diagnostic::new(format!("`{function}` of pairs"), *term, "has no value of pairs")
                    .help("`sum`, `count`, `min`, `max` and `mean` combine pairs, as in `observe e = mean(u * nb.u over von_neumann)`")
                    .fail(self.errors),
            };
        }
        if let [Expr { kind: ExprKind::Per(term, of), span: per }, ..] = arguments
            && (quantity.is_some() || matches!(function, "quantile" | "histogram"))
        {
            return match (quantity, arguments) {
                (Some(quantity), [_]) => self.per_clusters(function, quantity, (term, of, *per)),
                (_, [_, share]) if function == "quantile" => {
                    let share = self.share_of_cells(share);
                    self.per_clusters(function, Quantity::Quantile(share?), (term, of, *per))
                }
                (_, [_, low, high, bins]) if function == "histogram" => {
                    self.histogram((term, Some((of, *per))), [low, high], bins)
                }
                _ => Diagnostic::new(format!("`{function}` of clusters"), *per, "needs other arguments")
                    .help("write `mean(count() of c per c)`, `quantile(count() of c per c, 0.9)` or `histogram(e per c, low, high, bins)`")
                    .fail(self.errors),
            };
        }
        if let (Some(quantity), [term]) = (quantity, arguments) {
            return self.reduction(function, quantity, term);
        }
        match (function, arguments) {
            ("quantile", [term, share]) => {
                let share = self.share_of_cells(share);
                self.reduction(function, Quantity::Quantile(share?), term)
            }
            ("quantile", _) => self.arguments::<2>(call, "quantile(e, 0.9)").and(None),
            // Of several numbers these are functions.
            (_, _) if quantity.is_some() && !["min", "max"].contains(&function) => Diagnostic::new(
                format!("`{function}` of all cells takes 1 argument, not {}", arguments.len()),
                span,
                "expected one expression",
            )
            .help(self.forms())
            .help("an aggregate over neighbours stands inside, as in `sum(count(moore, nb.alive))`")
            .fail(self.errors),
            _ if self.totals.draws && is_draw(function) => self.total_draw(call),
            ("overlap", _) => Diagnostic::new("an overlap is a matrix, and no number", span, "cannot be computed with")
                .help(FORM)
                .help("`squeeze sweep` writes the matrix between all members")
                .fail(self.errors),
            ("histogram", [term, low, high, bins]) => self.histogram((term, None), [low, high], bins),
            ("histogram", _) => self.arguments::<4>(call, "histogram(e, low, high, bins)").and(None),
            ("f64", [a]) => Some(self.total(a)?.into_float()),
            ("i64", [a]) => {
                let found = self.total(a)?;
                let total = match found.ty {
                    GlobalType::Float => GlobalExpr::ToInteger(Box::new(found.total)),
                    _ => found.total,
                };
                Some(CheckedGlobal { total, ty: GlobalType::Integer, ..found })
            }
            (_, [a]) if let Some(ty) = Type::named(function) => {
                let found = self.total(a)?;
                let total = GlobalExpr::Cast(ty, Box::new(found.total));
                Some(CheckedGlobal { total, ty: GlobalType::of(ty), ..found })
            }
            ("abs", [a]) => {
                let found = self.total(a)?;
                self.numbers(&found, a.span)?;
                Some(CheckedGlobal { total: GlobalExpr::Unary(UnaryOp::Abs, Box::new(found.total)), ..found })
            }
            ("min" | "max", [first, rest @ ..]) => {
                let op = BinaryOp::named(function)?;
                let mut so_far = self.total(first)?;
                self.numbers(&so_far, first.span)?;
                for next in rest {
                    let found = self.total(next)?;
                    self.numbers(&found, next.span)?;
                    let (a, b, shape) = self.alike(so_far, found, next.span)?;
                    let ty = a.ty;
                    so_far = CheckedGlobal { total: GlobalExpr::Binary(op, Box::new([a.total, b.total])), ty, shape };
                }
                Some(so_far)
            }
            ("pow" | "atan2", [base, exponent]) => {
                let math = MathFn2::named(function)?;
                let (base, found) = (self.total(base)?.into_float(), self.total(exponent)?.into_float());
                let (a, b, shape) = self.alike(base, found, exponent.span)?;
                let total = GlobalExpr::Math2(math, Box::new([a.total, b.total]));
                Some(CheckedGlobal { total, ty: GlobalType::Float, shape })
            }
            (_, [a]) if MathFn::named(function).is_some() => {
                let found = self.total(a)?.into_float();
                let total = GlobalExpr::Math(MathFn::named(function)?, Box::new(found.total));
                Some(CheckedGlobal { total, ..found })
            }
            _ => {
                let message = if AGGREGATES.contains(&function) || is_draw(function) {
                    format!("`{function}` does not combine all cells")
                } else if FLOAT_FUNCTIONS.contains(&function) {
                    format!("`{function}` of {} numbers", arguments.len())
                } else {
                    format!("{} combines all cells", self.what_is_computed())
                };
                let help = if function.contains("correlation") { CORRELATION.to_owned() } else { self.forms() };
                Diagnostic::new(message, name.span, "not a combination").help(help).fail(self.errors)
            }
        }
    }

    fn numbers(&mut self, found: &CheckedGlobal, span: Span) -> Option<()> {
        if found.ty != GlobalType::Bit {
            return Some(());
        }
        Diagnostic::new("arithmetic on a condition", span, "this is a condition")
            .help("write `if condition { 1 } else { 0 }`")
            .fail(self.errors)
    }

    /// Two totals as of one type: whole numbers become f64 if the other is.
    fn alike(
        &mut self,
        a: CheckedGlobal,
        b: CheckedGlobal,
        span: Span,
    ) -> Option<(CheckedGlobal, CheckedGlobal, GlobalShape)> {
        let shape = self.join(a.shape, b.shape, span)?;
        if (a.ty == GlobalType::Bit) != (b.ty == GlobalType::Bit) {
            return Diagnostic::new("a number and a condition together", span, "these do not fit")
                .help("write `if condition { 1 } else { 0 }`")
                .fail(self.errors);
        }
        let floats = a.ty == GlobalType::Float || b.ty == GlobalType::Float;
        let of = |found: CheckedGlobal| if floats { found.into_float() } else { found };
        Some((of(a), of(b), shape))
    }

    fn join(&mut self, a: GlobalShape, b: GlobalShape, span: Span) -> Option<GlobalShape> {
        match (a, b) {
            (GlobalShape::One, shape) | (shape, GlobalShape::One) => Some(shape),
            (a, b) if a == b => Some(a),
            _ => Diagnostic::new("two lists of different lengths", span, "does not fit the list before it")
                .help("lists go with lists of the same length or level, or with one number")
                .fail(self.errors),
        }
    }

    fn total_binary(
        &mut self,
        op: BinaryOperator,
        op_span: Span,
        [left, right]: [&'a Expr; 2],
    ) -> Option<CheckedGlobal> {
        use BinaryOperator as B;
        let (a, b) = (self.total(left), self.total(right));
        let (a, b) = (a?, b?);
        if let Some(op) = op.comparison() {
            let (a, b, shape) = self.alike(a, b, op_span)?;
            let total = GlobalExpr::Compare(op, Box::new([a.total, b.total]));
            return Some(CheckedGlobal { total, ty: GlobalType::Bit, shape });
        }
        let (bits, whole) = (matches!(op, B::And | B::Or), matches!(op, B::BitAnd | B::BitOr | B::BitXor));
        let Some(op) = operation(op) else {
            return Diagnostic::new("a shift of a number about all cells", op_span, "not valid here")
                .help("multiply or divide by a power of two")
                .fail(self.errors);
        };
        for (found, span) in [(&a, left.span), (&b, right.span)] {
            if bits {
                self.is_condition(found, span)?;
            } else if !whole {
                self.numbers(found, span)?;
            }
        }
        let (a, b, shape) = self.alike(a, b, op_span)?;
        let ty = a.ty;
        if op == BinaryOp::Divide && ty == GlobalType::Integer {
            let constant = |found: &CheckedGlobal| match found.total {
                GlobalExpr::Integer(value) => Some(i128::from(value)),
                _ => None,
            };
            self.lint_quotient((left, constant(&a)), (right, constant(&b)), "i64", "f64");
        }
        if whole && ty == GlobalType::Float {
            return Diagnostic::new("`&`, `|` and `^` on `f64`", op_span, "works on bits or integers only")
                .help(match op {
                    BinaryOp::Xor => "`^` is the exclusive or; a power is written `pow(a, b)`, and a square `a * a`",
                    _ => "convert first, as in `i64(e)`",
                })
                .fail(self.errors);
        }
        Some(CheckedGlobal { total: GlobalExpr::Binary(op, Box::new([a.total, b.total])), ty, shape })
    }

    /// The value of an expression in each cell.
    fn term(&mut self, function: &str, term: &'a Expr, want: Option<Type>) -> Option<(NodeId, Type)> {
        self.place = Context::Observe;
        // Constants are f64 here, as all floats are that are computed of all cells.
        let float = want.is_none() && self.flexible(term) == Some(Flexible::Float);
        let operand = self.check(term, if float { Some(Type::F64) } else { want })?;
        if matches!(operand.ty, Type::Enum(_)) {
            self.needs(false, operand.ty, term.span, &format!("`{function}`"), "numbers and bits")?;
        }
        Some((operand.id, operand.ty))
    }

    fn shape_of_reductions(&self) -> GlobalShape {
        self.totals.level.map_or(GlobalShape::One, GlobalShape::Replicas)
    }

    /// The share of all cells of a quantile, a constant.
    fn share_of_cells(&mut self, share: &'a Expr) -> Option<f64> {
        let body = std::mem::take(&mut self.body);
        self.place = Context::Observe;
        let operand = self.check(share, Some(Type::F64));
        let value = operand.map(|operand| self.body.constant(operand.id).map(Value::as_f64));
        self.body = body;
        let value = value?.filter(|value| (0.0..=1.0).contains(value));
        if value.is_none() {
            Diagnostic::new("a quantile of which share?", share.span, "expected a constant from 0.0 to 1.0")
                .help("write `quantile(u, 0.9)` for the value below which nine tenths of the cells lie")
                .report(self.errors);
        }
        value
    }

    fn reduction(&mut self, function: &str, quantity: Quantity, term: &'a Expr) -> Option<CheckedGlobal> {
        let shape = self.shape_of_reductions();
        if let (Quantity::Quantile(_), Some(_)) = (quantity, self.totals.level) {
            return Diagnostic::new(format!("a {function} by level"), term.span, "cells are counted as a whole")
                .help("`mean(e)` and `variance(e)` go by level")
                .fail(self.errors);
        }
        let bits = matches!(quantity, Quantity::Combined(Combine::Count));
        let operand = self.term(function, term, bits.then_some(Type::Bit));
        self.lint_products(function, term);
        let kind = if let Quantity::Combined(kind) = quantity { kind } else { Combine::Sum };
        let part = operand.map(|(id, ty)| (self.on_last_line(kind, ty, id), ty));
        let body = Arc::new(self.take_body(Vec::new()));
        let ((id, part), ty) = part?;
        if let (Quantity::Variance | Quantity::Quantile(_), Some(_)) = (quantity, part) {
            return Diagnostic::new(
                format!("a {function} of a rolling state"),
                term.span,
                "has values on the last line alone",
            )
            .help("`sum`, `count`, `min`, `max`, `mean` and `histogram` combine the cells of that line")
            .fail(self.errors);
        }
        let mut add = |kind, round| self.add_reduction((kind, round), ty, id, &body);
        let of_cells = match quantity {
            Quantity::Combined(kind) => return Some(add(kind, Round::First).1),
            Quantity::Quantile(share) => return Some(add(Combine::Count, Round::Quantile(share, None)).1),
            Quantity::Mean => add(Combine::Sum, Round::First).1,
            Quantity::Variance => {
                let (sum, _) = add(Combine::Sum, Round::First);
                add(Combine::Sum, Round::Deviations(sum, None)).1
            }
        };
        let cells = match part {
            Some(part) => self.add_reduction((Combine::Count, Round::First), Type::Bit, part, &body).1.total,
            None => GlobalExpr::Cells(self.totals.level),
        };
        let cells = GlobalExpr::ToFloat(Box::new(cells));
        let total = GlobalExpr::Binary(BinaryOp::Divide, Box::new([of_cells.into_float().total, cells]));
        Some(CheckedGlobal { total, ty: GlobalType::Float, shape })
    }

    /// A reduction of a value of each pair: each cell combines those of the pairs that it owns.
    fn over_pairs(
        &mut self,
        function: &str,
        (kind, is_mean): (Combine, bool),
        both: &'a [Expr; 2],
    ) -> Option<CheckedGlobal> {
        let [term, over] = both;
        if self.totals.level.is_some() {
            return Diagnostic::new(format!("`{function}` of pairs by level"), over.span, "pairs lie between replicas")
                .help("leave out `by level`, or combine cells: a pair belongs to the cell from which its offset is positive")
                .fail(self.errors);
        }
        self.place = Context::Observe;
        let owned = self.owned_pairs(over)?;
        let Some((part, ty)) = self.of_owned(function, kind, owned, term) else {
            self.take_body(Vec::new());
            return None;
        };
        self.lint_products(function, term);
        let body = Arc::new(self.take_body(Vec::new()));
        let kind = if kind == Combine::Count { Combine::Sum } else { kind };
        let found = self.add_reduction((kind, Round::First), ty, part, &body).1;
        if !is_mean {
            return Some(found);
        }
        let number = self.degree(owned);
        let body = Arc::new(self.take_body(Vec::new()));
        let number = self.add_reduction((Combine::Sum, Round::First), number.ty, number.id, &body).1;
        let operands = Box::new([found.into_float().total, number.into_float().total]);
        CheckedGlobal::one(GlobalExpr::Binary(BinaryOp::Divide, operands), GlobalType::Float)
    }

    /// A reduction of a value of each cluster: that of its root.
    fn per_clusters(
        &mut self,
        function: &str,
        quantity: Quantity,
        (term, of, span): (&'a Expr, &'a Ident, Span),
    ) -> Option<CheckedGlobal> {
        if self.totals.level.is_some() {
            return Diagnostic::new(
                format!("`{function}` of clusters by level"),
                span,
                "clusters lie in several replicas",
            )
            .help("leave out `by level`, or combine cells: `count() of c` is a value of each cell")
            .fail(self.errors);
        }
        let kind = if let Quantity::Combined(kind) = quantity { kind } else { Combine::Sum };
        let operand = self.term(function, term, (kind == Combine::Count).then_some(Type::Bit));
        let is_root = operand.and_then(|_| self.is_root(of, span));
        let (Some((id, ty)), Some(is_root)) = (operand, is_root) else {
            self.take_body(Vec::new());
            return None;
        };
        self.lint_products(function, term);
        let of_deviations = matches!(quantity, Quantity::Variance) && ty != Type::F64;
        let own = if of_deviations { self.body.push(Type::F64, Op::Cast(id)).id } else { id };
        // Cells that are no roots add nothing; where values are ordered or compared with their mean, they are beyond all.
        let mut at_roots = |kind: Combine, ty: Type, then: NodeId| {
            let otherwise = self.body.push(ty, Op::Const(super::rolling::neutral(kind, ty))).id;
            self.body.push(ty, Op::Select { condition: is_root.id, then, otherwise }).id
        };
        let value = at_roots(kind, ty, id);
        let ordered = match quantity {
            Quantity::Quantile(_) => Some(at_roots(Combine::Min, ty, own)),
            Quantity::Variance => Some(at_roots(Combine::Min, Type::F64, own)),
            Quantity::Combined(_) | Quantity::Mean => None,
        };
        let body = Arc::new(self.take_body(Vec::new()));
        if let Quantity::Combined(_) = quantity {
            return Some(self.add_reduction((kind, Round::First), ty, value, &body).1);
        }
        let (counts, number) = self.add_reduction((Combine::Count, Round::First), Type::Bit, is_root.id, &body);
        let found = match (quantity, ordered) {
            (Quantity::Quantile(share), Some(ordered)) => {
                let round = Round::Quantile(share, Some(counts));
                return Some(self.add_reduction((Combine::Count, round), ty, ordered, &body).1);
            }
            (Quantity::Variance, Some(ordered)) => {
                let (sum, _) = self.add_reduction((Combine::Sum, Round::First), ty, value, &body);
                let round = Round::Deviations(sum, Some(counts));
                self.add_reduction((Combine::Sum, round), Type::F64, ordered, &body).1
            }
            _ => self.add_reduction((kind, Round::First), ty, value, &body).1,
        };
        let operands = Box::new([found.into_float().total, number.into_float().total]);
        CheckedGlobal::one(GlobalExpr::Binary(BinaryOp::Divide, operands), GlobalType::Float)
    }

    fn histogram(
        &mut self,
        (term, per): (&'a Expr, Option<(&'a Ident, Span)>),
        ends: [&'a Expr; 2],
        bins: &'a Expr,
    ) -> Option<CheckedGlobal> {
        if self.totals.level.is_some() {
            return Diagnostic::new("a histogram by level", term.span, "would be a list of lists").fail(self.errors);
        }
        let number = match &bins.kind {
            ExprKind::Int(text) => text.replace('_', "").parse().ok().filter(|bins| (1..=MOST_BINS).contains(bins)),
            _ => None,
        };
        if number.is_none() {
            let label = format!("expected a whole number from 1 to {MOST_BINS}");
            Diagnostic::new("a histogram of how many bins?", bins.span, label)
                .help("write `histogram(u, 0.0, 1.0, 10)`")
                .report(self.errors);
        }
        let operand = self.term("histogram", term, None);
        let is_root = match per {
            Some((of, span)) => Some(self.is_root(of, span)?),
            None => None,
        };
        let ends = ends.map(|end| self.check(end, Some(Type::F64)));
        let (Some((id, ty)), [Some(low), Some(high)], Some(number)) = (operand, ends, number) else {
            self.take_body(Vec::new());
            return None;
        };
        let mut float = |op: Op| self.body.push(Type::F64, op).id;
        let value = float(Op::Cast(id));
        let above = float(Op::Binary(BinaryOp::Subtract, value, low.id));
        let count = float(Op::Const(Value::F64(number as f64)));
        let scaled = float(Op::Binary(BinaryOp::Multiply, above, count));
        let width = float(Op::Binary(BinaryOp::Subtract, high.id, low.id));
        let place = float(Op::Binary(BinaryOp::Divide, scaled, width));
        let place = float(Op::Math(MathFn::Floor, place));
        let mut whole = |op: Op| self.body.push(Type::I32, op).id;
        let place = whole(Op::Cast(place));
        let first = whole(Op::Const(Value::I32(0)));
        let last = whole(Op::Const(Value::I32(number as i32 - 1)));
        let place = whole(Op::Binary(BinaryOp::Max, place, first));
        let place = whole(Op::Binary(BinaryOp::Min, place, last));
        let mut bins: Vec<NodeId> = (0..number as i32)
            .map(|bin| {
                let bin = self.body.push(Type::I32, Op::Const(Value::I32(bin))).id;
                self.body.push(Type::Bit, Op::Compare(CompareOp::Equal, place, bin)).id
            })
            .collect();
        if ty.is_float() {
            // A NaN, which becomes 0 as a whole number, is in no bin.
            let is_number = self.body.push(Type::Bit, Op::Compare(CompareOp::Equal, id, id)).id;
            bins[0] = self.body.push(Type::Bit, Op::Binary(BinaryOp::And, bins[0], is_number)).id;
        }
        for bin in &mut bins {
            if let Some(is_root) = is_root {
                *bin = self.body.push(Type::Bit, Op::Binary(BinaryOp::And, *bin, is_root.id)).id;
            }
            *bin = self.on_last_line(Combine::Count, Type::Bit, *bin).0;
        }
        let body = Arc::new(self.take_body(Vec::new()));
        let counts =
            bins.iter().map(|bin| self.add_reduction((Combine::Count, Round::First), Type::Bit, *bin, &body).1.total);
        let total = GlobalExpr::List(counts.collect());
        Some(CheckedGlobal { total, ty: GlobalType::Integer, shape: GlobalShape::List(bins.len() as u32) })
    }

    /// The number and the result of a reduction, which may be there already.
    fn add_reduction(
        &mut self,
        (kind, round): (Combine, Round),
        ty: Type,
        term: NodeId,
        body: &Arc<Body>,
    ) -> (u32, CheckedGlobal) {
        let grouping = self.totals.level.map_or(Grouping::Whole, Grouping::Level);
        let same = |known: &Reduction| {
            (known.kind, known.ty, known.term, known.grouping, known.round) == (kind, ty, term, grouping, round)
                && known.body == *body
        };
        let index = match self.rule.reductions.iter().position(same) {
            Some(index) => index,
            None => {
                let names = (1..).map(|number| match number {
                    1 => self.totals.name.clone(),
                    number => format!("{}_{number}", self.totals.name),
                });
                let is_free = |name: &String| self.rule.reductions.iter().all(|known| known.name != *name);
                let name = { names }.find(is_free).unwrap_or_default();
                self.rule.reductions.push(Reduction { name, kind, ty, term, body: Arc::clone(body), grouping, round });
                self.rule.reductions.len() - 1
            }
        };
        let exact = !ty.is_float() && round == Round::First;
        let ty = if exact { GlobalType::Integer } else { GlobalType::Float };
        (
            index as u32,
            CheckedGlobal { total: GlobalExpr::Reduction(index as u32), ty, shape: self.shape_of_reductions() },
        )
    }
}
