//! Layout of expressions, with no more parentheses than the tree needs.

use super::{Doc, INDENTATION, SyntaxPrinter};
use crate::text::syntax::ast::{Arm, BinaryOperator, Block, Expr, ExprKind, PatternEnd, UnaryOperator};
use crate::text::syntax::stack::is_exhausted;
use pretty::DocAllocator;

/// How tightly an expression binds: only what binds at least as tightly as its place asks stands without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    /// Everything, `if` and blocks too. (These could be operands, but are hard to read there.)
    Any,
    Or,
    And,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Unary,
    Operand,
}

impl Tightness {
    /// The tightness that the right operand needs, and both operands of a comparison.
    fn tighter(self) -> Tightness {
        use Tightness::{And, Any, BitAnd, BitOr, BitXor, Comparison, Operand, Or, Product, Shift, Sum, Unary};
        let all = [Any, Or, And, Comparison, BitOr, BitXor, BitAnd, Shift, Sum, Product, Unary, Operand];
        all.into_iter().find(|other| *other > self).unwrap_or(Operand)
    }
}

/// How tightly an operator binds.
fn tightness_of(op: BinaryOperator) -> Tightness {
    use BinaryOperator as B;
    match op {
        B::Multiply | B::Divide | B::Remainder => Tightness::Product,
        B::Add | B::Subtract => Tightness::Sum,
        B::ShiftLeft | B::ShiftRight => Tightness::Shift,
        B::BitAnd => Tightness::BitAnd,
        B::BitXor => Tightness::BitXor,
        B::BitOr => Tightness::BitOr,
        B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => Tightness::Comparison,
        B::And => Tightness::And,
        B::Or => Tightness::Or,
    }
}

fn tightness(expr: &Expr) -> Tightness {
    match &expr.kind {
        ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block(_) => Tightness::Any,
        ExprKind::Binary { op, .. } => tightness_of(*op),
        ExprKind::InRange { .. } | ExprKind::InSet { .. } => Tightness::Comparison,
        ExprKind::Unary { .. } => Tightness::Unary,
        _ => Tightness::Operand,
    }
}

/// Whether an expression stands behind the `else` of a call or read without parentheses.
fn stands_behind_else(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Index { .. } => false,
        ExprKind::Unary { op, operand } => {
            *op == UnaryOperator::Negate && matches!(operand.kind, ExprKind::Int(_) | ExprKind::Float(_))
        }
        ExprKind::Block(_) => true,
        _ => tightness(expr) == Tightness::Operand,
    }
}

/// Whether there is an `else if`, and no block has a `let`.
fn is_chain_of_short_branches(expr: &Expr) -> bool {
    let mut branches = 0;
    let mut rest = Some(expr);
    while let Some(Expr { kind: ExprKind::If { then, otherwise, .. }, .. }) = rest {
        if !then.lets.is_empty() {
            return false;
        }
        branches += 1;
        rest = otherwise.as_deref();
    }
    let last_is_short = !matches!(rest, Some(Expr { kind: ExprKind::Block(block), .. }) if !block.lets.is_empty());
    branches > 1 && last_is_short
}

impl<'a> SyntaxPrinter<'a> {
    /// An expression that stands alone.
    pub(super) fn value(&self, expr: &Expr) -> Doc<'a> {
        self.expr(expr, Tightness::Any, false)
    }

    /// An expression where only what binds at least as tightly as `needed` may stand. `followed`: an operator comes
    /// behind it, which the `else` of a call or read would swallow.
    fn expr(&self, expr: &Expr, needed: Tightness, followed: bool) -> Doc<'a> {
        if is_exhausted() {
            self.exhausted.set(true);
            return self.nothing();
        }
        let gap = self.gap(expr.span.start);
        let swallows = matches!(
            expr.kind,
            ExprKind::Call { otherwise: Some(_), .. }
                | ExprKind::Read { otherwise: Some(_), .. }
                | ExprKind::Component { otherwise: Some(_), .. }
        ) || matches!(&expr.kind, ExprKind::OfCluster(call, _) if matches!(call.kind, ExprKind::Call { otherwise: Some(_), .. }));
        if tightness(expr) < needed || (followed && swallows) {
            return gap.append("(").append(self.bare(expr, false)).append(")");
        }
        gap.append(self.bare(expr, followed))
    }

    fn bare(&self, expr: &Expr, followed: bool) -> Doc<'a> {
        let end = expr.span.end.saturating_sub(1);
        match &expr.kind {
            ExprKind::Int(text) | ExprKind::Float(text) | ExprKind::Name(text) => self.string(text),
            ExprKind::Bool(value) => self.arena.text(if *value { "true" } else { "false" }),
            ExprKind::Neighbour(field) => self.string(format!("nb.{}", field.name)),
            ExprKind::Component { value, of, otherwise } => {
                let is_bare = match &value.kind {
                    ExprKind::Name(_) | ExprKind::Neighbour(_) => true,
                    ExprKind::Call { otherwise, .. } | ExprKind::Read { otherwise, .. } => otherwise.is_none(),
                    _ => false,
                };
                let value = match is_bare {
                    true => self.bare(value, false),
                    false => self.arena.text("(").append(self.value(value)).append(")"),
                };
                value.append(format!(".{}", of.name)).append(self.otherwise(otherwise.as_deref())).group()
            }
            ExprKind::Call { name, arguments, otherwise } => {
                let end = otherwise.as_ref().map_or(end, |otherwise| otherwise.span.start);
                let print = |argument: &Expr| self.value(argument);
                let list = self.list(["(", ")"], arguments, |argument| argument.span.start, end, print);
                self.string(&name.name).append(list).append(self.otherwise(otherwise.as_deref())).group()
            }
            ExprKind::Read { name, offset, offset_span, otherwise } => {
                let end = offset_span.end.saturating_sub(1);
                let print = |number: &crate::text::syntax::ast::Number| self.number(number);
                let list = self.list(["[", "]"], offset, |number| number.span.start, end, print);
                self.string(&name.name).append(list).append(self.otherwise(otherwise.as_deref())).group()
            }
            ExprKind::Unary { op, operand } => {
                let sign = if *op == UnaryOperator::Negate { "-" } else { "!" };
                self.arena.text(sign).append(self.expr(operand, Tightness::Unary, followed))
            }
            ExprKind::Binary { op, .. } => self.chain(expr, tightness_of(*op), followed).nest(INDENTATION).group(),
            ExprKind::InRange { value, low, high } => {
                self.expr(value, Tightness::BitOr, true).append(" in ").append(self.range(low, high, followed))
            }
            ExprKind::InSet { value, set } => {
                let value = self.expr(value, Tightness::BitOr, true);
                let print = |element: &Expr| self.value(element);
                value.append(" in ").append(self.list(["{", "}"], set, |element| element.span.start, end, print))
            }
            ExprKind::Index { name, index, index_span } => {
                let end = index_span.end.saturating_sub(1);
                let print = |index: &Expr| self.value(index);
                let index = std::slice::from_ref(&**index);
                let list = self.list(["[", "]"], index, |index| index.span.start, end, print);
                self.string(&name.name).append(list).group()
            }
            ExprKind::Over(both) => {
                let [value, over] = &**both;
                self.value(value).append(" over ").append(self.value(over))
            }
            ExprKind::FromDisorder(draw) => self.bare(draw, false).append(" from disorder"),
            ExprKind::OfCluster(call, of) => match &call.kind {
                ExprKind::Call { name, arguments, otherwise } => {
                    let end = otherwise.as_ref().map_or(end, |otherwise| otherwise.span.start);
                    let print = |argument: &Expr| self.value(argument);
                    let list = self.list(["(", ")"], arguments, |argument| argument.span.start, end, print);
                    let call = self.string(&name.name).append(list).append(format!(" of {}", of.name));
                    call.append(self.otherwise(otherwise.as_deref())).group()
                }
                _ => self.bare(call, false).append(format!(" of {}", of.name)),
            },
            ExprKind::AtCluster(draw, of) => self.bare(draw, false).append(format!(" at {}", of.name)),
            ExprKind::Per(value, of) => self.value(value).append(format!(" per {}", of.name)),
            ExprKind::Offsets(entries) => self.offsets(entries, end),
            ExprKind::Match { value, arms } => self.match_expression(value, arms, end).group(),
            ExprKind::If { .. } => self.if_chain(expr).group(),
            ExprKind::Block(block) => self.block(block).group(),
        }
    }

    /// `low..=high`
    pub(super) fn range(&self, low: &Expr, high: &Expr, followed: bool) -> Doc<'a> {
        let low = self.expr(low, Tightness::BitOr, true);
        low.append("..=").append(self.expr(high, Tightness::BitOr, followed))
    }

    /// `match E { … }`, each case on a line of its own if they do not fit on one.
    fn match_expression(&self, value: &Expr, arms: &[Arm], end: u32) -> Doc<'a> {
        let head = self.arena.text("match ").append(self.value(value)).append(" ");
        let start = |arm: &Arm| arm.patterns.first().map_or(arm.value.span.start, |pattern| pattern.span.start);
        head.append(self.list(["{ ", " }"], arms, start, end, |arm| self.arm(arm)))
    }

    fn arm(&self, arm: &Arm) -> Doc<'a> {
        let mut doc = self.nothing();
        for (index, pattern) in arm.patterns.iter().enumerate() {
            doc = doc.append(if index == 0 { "" } else { " | " });
            doc = doc.append(self.gap(pattern.span.start)).append(self.pattern_end(&pattern.low));
            if let Some(high) = &pattern.high {
                doc = doc.append("..=").append(self.pattern_end(high));
            }
        }
        doc.append(" => ").append(self.value(&arm.value))
    }

    fn pattern_end(&self, end: &PatternEnd) -> Doc<'a> {
        match end {
            PatternEnd::Number(number) => self.number(number),
            PatternEnd::Bool(value) => self.arena.text(if *value { "true" } else { "false" }),
            PatternEnd::Name(name) => self.string(&name.name),
        }
    }

    /// ` else EXPR` of a call or read.
    fn otherwise(&self, otherwise: Option<&Expr>) -> Doc<'a> {
        let Some(otherwise) = otherwise else { return self.nothing() };
        let gap = self.gap(otherwise.span.start);
        let value = match stands_behind_else(otherwise) {
            true => self.value(otherwise),
            false => self.arena.text("(").append(self.value(otherwise)).append(")"),
        };
        self.arena.text(" else").append(gap.append(self.arena.line()).append(value).nest(INDENTATION))
    }

    /// Operands that one kind of operators joins, with breaks behind the operators.
    fn chain(&self, expr: &Expr, tight: Tightness, followed: bool) -> Doc<'a> {
        match &expr.kind {
            ExprKind::Binary { op, left, right, .. } if tightness_of(*op) == tight => {
                let left = if tight == Tightness::Comparison {
                    self.expr(left, tight.tighter(), true)
                } else {
                    self.gap(left.span.start).append(self.chain(left, tight, true))
                };
                left.append(" ")
                    .append(op.name())
                    .append(self.gap(right.span.start))
                    .append(self.arena.line())
                    .append(self.expr(right, tight.tighter(), followed))
            }
            _ => self.expr(expr, tight, true),
        }
    }

    /// `if … else if … else …`. If it does not fit on a line, its blocks break together; but a chain of short branches
    /// has each on a line of its own, one `else` below the other.
    fn if_chain(&self, expr: &Expr) -> Doc<'a> {
        let in_lines = is_chain_of_short_branches(expr);
        let branch = |block: &Block| if in_lines { self.block(block).group() } else { self.block(block) };
        let mut doc = self.nothing();
        let mut rest = expr;
        while let ExprKind::If { condition, then, otherwise } = &rest.kind {
            doc = doc.append("if ").append(self.value(condition)).append(" ");
            doc = doc.append(self.gap(then.span.start)).append(branch(then));
            let Some(otherwise) = otherwise else { break };
            let gap = self.gap(otherwise.span.start);
            doc = doc.append(if in_lines { gap.append(self.arena.line()) } else { self.arena.space().append(gap) });
            doc = doc.append("else ");
            rest = otherwise;
        }
        match &rest.kind {
            ExprKind::If { .. } => {}
            ExprKind::Block(block) => doc = doc.append(branch(block)),
            // No text parses to this; a block means the same.
            _ => doc = doc.append("{ ").append(self.value(rest)).append(" }"),
        }
        if in_lines { doc.align() } else { doc }
    }

    /// `{ … }`, on one line with what stands around it if it fits and has no `let`.
    fn block(&self, block: &Block) -> Doc<'a> {
        let end = block.span.end.saturating_sub(1);
        if block.lets.is_empty() {
            let gap = self.gap(block.value.span.start);
            return self.short_braces(gap.append(self.value(&block.value)), end);
        }
        let lets = self.entries(
            &block.lets,
            |(name, _)| name.span.start,
            |_| true,
            block.value.span.start,
            |(name, value)| self.assignment("let", &name.name, value),
        );
        let value = self.arena.hardline().append(self.value(&block.value)).append(self.gap(end));
        self.braces(lets.append(value))
    }
}
