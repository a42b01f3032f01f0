//! Random draws: their numbers, and those that are made of others.

use super::body::Operand;
use super::expression::{CallExpr, Checker};
use super::names::is_draw;
use crate::ir::{
    BinaryOp, Body, Clusters, CompareOp, GlobalExpr, MathFn, Op, PairCode, PairDraws, Type, UnaryOp, Value,
};
use crate::numbers::philox::{self, MOST_DRAWS};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Expr, ExprKind, Ident};
use crate::text::syntax::walk;
use std::collections::HashMap;

/// The provisional number of a draw until [`DrawNumbers::give`]: where its call begins, times 2. A call's second draw has the next one.
pub(super) const fn place_of_draw(call: Span) -> u32 {
    2 * call.start
}

/// The numbers of draws by their place in the text.
#[derive(Default)]
pub(super) struct DrawNumbers {
    numbers: HashMap<u32, u32>,
    count: u32,
    /// How many more are given where the dimension is known.
    later: u32,
    excess_is_told: bool,
}

impl DrawNumbers {
    /// Numbers the draws of some expressions, in the order of the text, after those that have numbers. An expression that comes again
    /// has new numbers from then on.
    pub(super) fn add<'e>(&mut self, expressions: impl Iterator<Item = &'e Expr>) -> &mut Self {
        let mut calls: Vec<PairDraws> = Vec::new();
        for expression in expressions {
            calls.extend(draws_in(expression));
        }
        calls.sort_unstable_by_key(|draws| draws.first);
        // The components of a vector repeat its draws.
        calls.dedup_by_key(|draws| draws.first);
        for PairDraws { first, count } in calls {
            for draw in 0..count {
                self.numbers.insert(first + draw, self.count);
                self.count = self.count.saturating_add(1);
            }
        }
        self
    }

    /// How many there are so far.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Leaves numbers for draws that are repeated where the dimension is known.
    pub(super) fn leave(&mut self, numbers: u32) {
        self.later = self.later.saturating_add(numbers);
    }

    /// The error if there are more draws than numbers, at the name of the item with too many. It is reported once.
    pub(super) fn excess(&mut self, of: Option<&Ident>) -> Option<Diagnostic> {
        let all = self.count.saturating_add(self.later);
        let at = of.filter(|_| all > MOST_DRAWS && !self.excess_is_told)?.span;
        self.excess_is_told = true;
        let message = format!("the rule draws more than {MOST_DRAWS} random numbers");
        Some(Diagnostic::new(message, at, "no numbers are left for the draws of this step").help(
            "the draws of all steps are numbered in 27 bits; a `let` of the rule counts in each step that uses it",
        ))
    }

    /// Replaces places by numbers in an expression over all cells.
    pub(crate) fn give_total(&self, total: &mut GlobalExpr) {
        total.visit(&mut |inner| {
            if let GlobalExpr::Random { draw, .. } = inner
                && let Some(number) = self.numbers.get(draw)
            {
                *draw = *number;
            }
        });
    }

    /// The same in code for pairs.
    pub(super) fn give_to_pairs(&self, pairs: &mut PairCode) {
        self.give(&mut pairs.body);
        for draws in &mut pairs.draws {
            draws.first = self.numbers.get(&draws.first).copied().unwrap_or(draws.first);
        }
    }

    /// The same of draws at clusters.
    pub(super) fn give_to_clusters(&self, clusters: &mut Clusters) {
        clusters.draws_mut().for_each(|draw| *draw = self.numbers.get(draw).copied().unwrap_or(*draw));
    }

    /// Replaces places by numbers.
    pub(super) fn give(&self, body: &mut Body) {
        for node in &mut body.nodes {
            if let Some(draw) = node.op.draw_mut()
                && let Some(number) = self.numbers.get(draw)
            {
                *draw = *number;
            }
        }
    }
}

/// The draws of an expression by their places, in the order of the text.
pub(super) fn draws_in(expression: &Expr) -> Vec<PairDraws> {
    let mut calls = Vec::new();
    walk(expression, &mut |inner| {
        if let ExprKind::Call { name, .. } = &inner.kind
            && is_draw(&name.name)
        {
            let count = if name.name == "normal" || name.name.starts_with("on_sphere") { 2 } else { 1 };
            calls.push(PairDraws { first: place_of_draw(inner.span), count });
        }
    });
    calls
}

impl<'a> Checker<'a, '_> {
    /// `below(n)`: a u32.
    pub(super) fn below(&mut self, call: CallExpr<'a>, draw: u32) -> Option<Operand> {
        let [argument] = self.arguments(call, "below(n)")?;
        let want = self.flexible(argument).map(|_| Type::U32);
        let bound = self.check(argument, want)?;
        if bound.ty != Type::U32 {
            let ty = self.type_name(bound.ty);
            return Diagnostic::new(format!("a bound of type `{ty}`"), argument.span, "expected `u32`")
                .help("write `below(4)`, or convert: `below(u32(n))`; the result is a `u32` too")
                .coded("type")
                .fail(self.errors);
        }
        Some(self.body.push(Type::U32, Op::RandomBelow { draw, bound: bound.id }))
    }

    /// `uniform(a, b)`: `a + (b - a) * uniform()`, and where that is rounded up to b the number before b, as [`philox::uniform_between`] says.
    pub(crate) fn uniform_between(&mut self, call: CallExpr<'a>, draw: u32) -> Option<Operand> {
        let [low, high] = self.arguments(call, "uniform(a, b)")?;
        let low = self.check(low, Some(Type::F32));
        let (low, high) = (low?, self.check(high, Some(Type::F32))?);
        let unit = self.word_node(Type::F32, Op::RandomUniform { draw }, call.span)?;
        let width = self.binary_node(BinaryOp::Subtract, high, low);
        let above = self.binary_node(BinaryOp::Multiply, width, unit);
        let value = self.binary_node(BinaryOp::Add, low, above);
        let constant = |operand: Operand| match self.body.constant(operand.id) {
            Some(Value::F32(value)) => Some(value),
            _ => None,
        };
        if let (Some(low), Some(high)) = (constant(low), constant(high))
            && philox::uniform_between(u32::MAX, low, high) == low + (high - low) * philox::uniform(u32::MAX)
        {
            // Not even the largest draw is rounded up.
            return Some(value);
        }
        let size = self.body.push(Type::F32, Op::Unary(UnaryOp::Abs, high.id));
        let share = self.value_node(Value::F32(philox::SHARE_BELOW));
        let step = self.binary_node(BinaryOp::Multiply, size, share);
        let least = self.value_node(Value::F32(philox::LEAST_STEP));
        let step = self.binary_node(BinaryOp::Max, step, least);
        let before = self.binary_node(BinaryOp::Subtract, high, step);
        let reached = self.compare_node(CompareOp::GreaterEqual, value, high);
        let ordered = self.compare_node(CompareOp::Less, low, high);
        let condition = self.binary_node(BinaryOp::And, reached, ordered);
        Some(self.select_node(condition, before, value))
    }

    /// The logarithm of the multiple of 2^-24 from 2^-24 to 1 that the word of a draw makes.
    fn log_of_word(&mut self, draw: u32, span: Span) -> Option<Operand> {
        let word = self.word_node(Type::U32, Op::RandomBits { draw }, span)?;
        let eight = self.value_node(Value::U32(8));
        let high = self.body.push(Type::U32, Op::Shift { left: false, value: word.id, count: eight.id });
        let one = self.value_node(Value::U32(1));
        let high = self.binary_node(BinaryOp::Add, high, one);
        let high = self.body.push(Type::F32, Op::Cast(high.id));
        let unit = self.value_node(Value::F32((-24f32).exp2()));
        let share = self.binary_node(BinaryOp::Multiply, high, unit);
        Some(self.body.push(Type::F32, Op::Math(MathFn::Log, share.id)))
    }

    /// `exponential()`
    pub(super) fn exponential(&mut self, draw: u32, span: Span) -> Option<Operand> {
        let log = self.log_of_word(draw, span)?;
        Some(self.body.push(Type::F32, Op::Unary(UnaryOp::Negate, log.id)))
    }

    /// A component of `on_sphere()`, of the draw and the one after it.
    pub(super) fn on_sphere(&mut self, component: &str, draw: u32, span: Span) -> Option<Operand> {
        let [one, two] = [1.0, 2.0].map(Value::F32);
        let height = self.word_node(Type::F32, Op::RandomUniform { draw }, span)?;
        let two = self.value_node(two);
        let height = self.binary_node(BinaryOp::Multiply, two, height);
        let one = self.value_node(one);
        let z = self.binary_node(BinaryOp::Subtract, one, height);
        if component == "z" {
            return Some(z);
        }
        let square = self.binary_node(BinaryOp::Multiply, z, z);
        let square = self.binary_node(BinaryOp::Subtract, one, square);
        let radius = self.body.push(Type::F32, Op::Math(MathFn::Sqrt, square.id));
        let turn = self.value_node(Value::F32(std::f32::consts::TAU));
        let part = self.word_node(Type::F32, Op::RandomUniform { draw: draw + 1 }, span)?;
        let angle = self.binary_node(BinaryOp::Multiply, turn, part);
        let function = if component == "x" { MathFn::Cos } else { MathFn::Sin };
        let side = self.body.push(Type::F32, Op::Math(function, angle.id));
        Some(self.binary_node(BinaryOp::Multiply, radius, side))
    }

    /// `normal()`, of the draw and the one after it.
    pub(super) fn normal(&mut self, draw: u32, span: Span) -> Option<Operand> {
        let log = self.log_of_word(draw, span)?;
        let minus_two = self.value_node(Value::F32(-2.0));
        let square = self.binary_node(BinaryOp::Multiply, minus_two, log);
        let radius = self.body.push(Type::F32, Op::Math(MathFn::Sqrt, square.id));
        let turn = self.value_node(Value::F32(std::f32::consts::TAU));
        let part = self.word_node(Type::F32, Op::RandomUniform { draw: draw + 1 }, span)?;
        let angle = self.binary_node(BinaryOp::Multiply, turn, part);
        let cos = self.body.push(Type::F32, Op::Math(MathFn::Cos, angle.id));
        Some(self.binary_node(BinaryOp::Multiply, radius, cos))
    }

    /// Which of the existing neighbours `pick` takes: `below` of how many there are.
    pub(super) fn picked(&mut self, neighbourhood: u16, draw: u32) -> crate::ir::NodeId {
        let degree = self.degree(neighbourhood);
        let bound = self.body.push(Type::U32, Op::Cast(degree.id)).id;
        self.body.push(Type::U32, Op::RandomBelow { draw, bound }).id
    }
}
