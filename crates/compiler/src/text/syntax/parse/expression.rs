//! Flat runs of operands and operators to expression trees.

use super::definitions::{Builder, contents};
use super::grammar::Rule;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{
    Arm, BinaryOperator, Block, CasePattern, Expr, ExprKind, Ident, PatternEnd, UnaryOperator,
};
use crate::text::syntax::stack::{NO_STACK, room};
use crate::text::words::beginning;
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::LazyLock;

/// How many operators may stand around one another. Deeper trees could overflow the stack of functions that walk them.
const MAX_OPERATORS: usize = 1000;
/// The longest piece of the text that a help repeats.
const LONGEST_SHOWN: usize = 60;
/// The stack that each of them takes at most while the tree is built.
const BYTES_OF_OPERATOR: usize = 2 << 10;

/// Operators from loose to tight.
static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let infix = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(infix(Rule::or))
        .op(infix(Rule::and))
        .op(infix(Rule::equal)
            | infix(Rule::not_equal)
            | infix(Rule::less)
            | infix(Rule::less_equal)
            | infix(Rule::greater)
            | infix(Rule::greater_equal)
            | infix(Rule::within)
            | Op::postfix(Rule::set))
        .op(infix(Rule::range))
        .op(infix(Rule::bit_or))
        .op(infix(Rule::bit_xor))
        .op(infix(Rule::bit_and))
        .op(infix(Rule::shift_left) | infix(Rule::shift_right))
        .op(infix(Rule::add) | infix(Rule::minus))
        .op(infix(Rule::multiply) | infix(Rule::divide) | infix(Rule::remainder))
        .op(Op::prefix(Rule::negate) | Op::prefix(Rule::not))
        .op(Op::infix(Rule::otherwise, Assoc::Right))
        .op(Op::postfix(Rule::arguments)
            | Op::postfix(Rule::offsets)
            | Op::postfix(Rule::field)
            | Op::postfix(Rule::disorder)
            | Op::postfix(Rule::of_cluster)
            | Op::postfix(Rule::at_cluster))
});

/// A part of a run of operands and operators, folded so far.
enum Folded {
    /// An expression.
    Plain(Expr),
    /// An expression in parentheses, of which the tree keeps no trace: a comparison in them may be compared again.
    Enclosed(Expr),
    /// `low..=high`, which is good only behind `in`.
    Range(Expr, Expr),
}

impl Folded {
    fn span(&self) -> Span {
        match self {
            Folded::Plain(expr) | Folded::Enclosed(expr) => expr.span,
            Folded::Range(low, high) => low.span.to(high.span),
        }
    }
}

fn not_a_range(span: Span) -> Diagnostic {
    Diagnostic::new("expected a range", span, "not a range").help("write `param p: f64 in 0.0..=1.0 = 0.5`")
}

/// Whether a text is a number as offsets have it, perhaps negative.
fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').map_or(text, str::trim_start);
    let digits = digits.trim_end();
    let all = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|c| c == '_' || c.is_digit(radix));
    match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
        (Some(digits), _) => all(digits, 16),
        (_, Some(digits)) => all(digits, 2),
        _ => all(digits, 10) && !digits.starts_with('_'),
    }
}

/// Stands where an error was reported.
fn placeholder(span: Span) -> Expr {
    Expr { kind: ExprKind::Int("0".to_owned()), span }
}

/// Whether a part of a run is an operation rather than an operand.
fn is_operation(part: &Pair<'_, Rule>) -> bool {
    use Rule::{arguments, field, not, offsets, otherwise, range, set, within};
    BinaryOperator::named(part.as_str()).is_some()
        || matches!(part.as_rule(), arguments | field | not | offsets | otherwise | range | set | within)
}

fn is_prefix(part: &Pair<'_, Rule>) -> bool {
    matches!(part.as_rule(), Rule::negate | Rule::not)
}

/// The end of the operand that begins at a place of a run, with its signs; an `else` behind a sign belongs to the sign's operand.
fn operand_end(run: &[Pair<'_, Rule>], from: usize) -> usize {
    let signs = run[from..].iter().take_while(|part| is_prefix(part)).count();
    let postfix = |part: &&Pair<'_, Rule>| {
        use Rule::{arguments, at_cluster, disorder, field, of_cluster, offsets};
        matches!(part.as_rule(), arguments | offsets | field | disorder | of_cluster | at_cluster)
    };
    let behind = from + signs + 1;
    let mut end = behind + run[behind..].iter().take_while(postfix).count();
    while signs > 0 && run.get(end).is_some_and(|part| part.as_rule() == Rule::otherwise) {
        end = operand_end(run, end + 1);
    }
    end
}

/// Where the calls and reads begin, each the `else` of the one before, of which the last stands before a place of a run.
fn chain_start(run: &[Pair<'_, Rule>], mut at: usize) -> usize {
    loop {
        let Some(start) = run[..at].iter().rposition(|part| part.as_rule() == Rule::variable) else { return 0 };
        match run[..start].iter().rposition(|part| !is_prefix(part)) {
            Some(before) if run[before].as_rule() == Rule::otherwise => at = before,
            _ => return start,
        }
    }
}

/// Whether an operand stands behind an `else` without parentheses, if nothing follows.
fn stands_alone(operand: &[Pair<'_, Rule>]) -> bool {
    match operand {
        [sign, number] if is_prefix(sign) => {
            sign.as_rule() == Rule::negate && matches!(number.as_rule(), Rule::integer | Rule::float)
        }
        [variable, offsets] if variable.as_rule() == Rule::variable && offsets.as_rule() == Rule::offsets => {
            // Else a value of a table.
            contents(offsets.clone()).count() != 1
        }
        [first, ..] => !is_prefix(first) && !matches!(first.as_rule(), Rule::if_expression | Rule::match_expression),
        [] => true,
    }
}

/// A part of a run on one line, shortened if it is long.
fn shown(parts: &[Pair<'_, Rule>]) -> String {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return String::new() };
    let range = first.as_span().start()..last.as_span().end();
    on_one_line(first.get_input().get(range).unwrap_or_default())
}

fn on_one_line(text: &str) -> String {
    beginning(&text.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_SHOWN)
}

fn operator_name<'p>(part: &Pair<'p, Rule>) -> &'p str {
    if part.as_rule() == Rule::set { "in" } else { part.as_str() }
}

/// The error for an operator behind `if … else …`.
fn behind_if(branches: &Pair<'_, Rule>, operator: &str, span: Span) -> Diagnostic {
    let (mut whole, mut longer) =
        ("if … { … } else { … }".to_owned(), format!("if … {{ … }} else {{ … {operator} … }}"));
    let text = on_one_line(branches.as_str());
    let last = branches.clone().into_inner().last().map_or_else(String::new, |block| on_one_line(block.as_str()));
    if let Some(head) = text.strip_suffix(&last) {
        let value = last.trim_start_matches('{').trim_end_matches('}').trim();
        let simple = value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let value = if simple { value.to_owned() } else { format!("({value})") };
        longer = format!("{head}{{ {value} {operator} … }}");
        whole = text;
    }
    Diagnostic::new(format!("`{operator}` behind `if … else …`"), span, "is this a part of the last branch?")
        .help(format!("write `({whole}) {operator} …` or `{longer}`"))
}

impl Builder<'_> {
    /// An expression from a pair of the rule `expression`.
    pub(super) fn expression(&self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let parts: Vec<_> = pair.into_inner().collect();
        let operations = parts.iter().filter(|part| is_operation(part)).count();
        self.deeper(operations, span, || {
            let folded = self.fold(parts);
            self.plain(folded)
        })
    }

    /// The two ends of `low..=high`.
    pub(super) fn range(&self, pair: Pair<'_, Rule>) -> Option<(Expr, Expr)> {
        let span = self.span(&pair);
        let parts: Vec<_> = pair.into_inner().collect();
        let mut ends = None;
        if parts.iter().any(|part| part.as_rule() == Rule::otherwise) {
            self.report(not_a_range(span));
            return None;
        }
        let operations = parts.iter().filter(|part| is_operation(part)).count();
        self.deeper(operations, span, || {
            match self.fold(parts) {
                Folded::Range(low, high) => ends = Some((low, high)),
                other => self.report(not_a_range(other.span())),
            }
            placeholder(span)
        });
        ends
    }

    /// Builds something that nests `operations` deep, unless that is too deep.
    fn deeper(&self, operations: usize, span: Span, build: impl FnOnce() -> Expr) -> Expr {
        let above = self.depth.get();
        let too_many = above + operations > MAX_OPERATORS;
        if too_many || room() <= operations * BYTES_OF_OPERATOR {
            let message = match too_many {
                true => format!("more than {MAX_OPERATORS} operators around one another"),
                false => NO_STACK.to_owned(),
            };
            let error = Diagnostic::new(message, span, "this expression is too deep");
            self.report(Diagnostic { of_system: !too_many, ..error }.help("name a part of it with `let`"));
            return placeholder(span);
        }
        self.depth.set(above + operations);
        let expr = build();
        self.depth.set(above);
        expr
    }

    /// Folds a run of operands and operators.
    fn fold(&self, run: Vec<Pair<'_, Rule>>) -> Folded {
        self.check_ends(&run);
        let pairs = run.windows(2).filter(|pair| pair[1].as_rule() == Rule::otherwise);
        let before_else: Vec<usize> = pairs.map(|pair| pair[0].as_span().end()).collect();
        PRECEDENCE
            .map_primary(|pair| match pair.as_rule() {
                Rule::parenthesised => Folded::Enclosed(self.operand(pair)),
                _ => Folded::Plain(self.operand(pair)),
            })
            .map_prefix(|pair, operand| {
                let op = if pair.as_rule() == Rule::negate { UnaryOperator::Negate } else { UnaryOperator::Not };
                let operand = Box::new(self.plain(operand));
                let span = self.span(&pair).to(operand.span);
                Folded::Plain(Expr { kind: ExprKind::Unary { op, operand }, span })
            })
            .map_postfix(|left, pair| {
                let has_else = before_else.binary_search(&pair.as_span().end()).is_ok();
                Folded::Plain(self.postfix(left, pair, has_else))
            })
            .map_infix(|left, pair, right| self.infix(left, &pair, right))
            .parse(run.into_iter())
    }

    /// The expression; a range is an error here.
    fn plain(&self, folded: Folded) -> Expr {
        match folded {
            Folded::Plain(expr) | Folded::Enclosed(expr) => expr,
            Folded::Range(low, high) => {
                let span = low.span.to(high.span);
                self.report(
                    Diagnostic::new("a range is not a value", span, "only `in` takes a range")
                        .help("write `n in 2..=3`; parentheses around the range are not allowed"),
                );
                placeholder(span)
            }
        }
    }

    fn infix(&self, left: Folded, pair: &Pair<'_, Rule>, right: Folded) -> Folded {
        let span = left.span().to(right.span());
        let op_span = self.span(pair);
        match pair.as_rule() {
            Rule::range => return Folded::Range(self.plain(left), self.plain(right)),
            Rule::otherwise => return Folded::Plain(self.with_else(self.plain(left), op_span, self.plain(right))),
            _ => {}
        }
        let op = BinaryOperator::named(pair.as_str());
        if op.is_none_or(|op| op.comparison().is_some()) {
            self.check_chain(&left, op_span);
        }
        let left = self.plain(left);
        let kind = match (op, right) {
            (Some(op), right) => {
                let right = self.plain(right);
                ExprKind::Binary { op, op_span, left: Box::new(left), right: Box::new(right) }
            }
            (None, Folded::Range(low, high)) => {
                ExprKind::InRange { value: Box::new(left), low: Box::new(low), high: Box::new(high) }
            }
            (None, Folded::Plain(right) | Folded::Enclosed(right)) => {
                self.report(
                    Diagnostic::new("`in` without a range or a set", right.span, "expected `LOW..=HIGH` or `{ … }`")
                        .help("write `n in 2..=3` or `n in {2, 5}`"),
                );
                return Folded::Plain(placeholder(span));
            }
        };
        Folded::Plain(Expr { kind, span })
    }

    /// `left else right`, where `left` is a call or a read.
    fn with_else(&self, mut left: Expr, word: Span, right: Expr) -> Expr {
        left.span = left.span.to(right.span);
        match &mut left.kind {
            ExprKind::Call { otherwise, .. }
            | ExprKind::Read { otherwise, .. }
            | ExprKind::Component { otherwise, .. } => {
                *otherwise = Some(Box::new(right));
            }
            // The grammar puts nothing but a call there.
            ExprKind::OfCluster(call, _) => {
                if let ExprKind::Call { otherwise, .. } = &mut call.kind {
                    *otherwise = Some(Box::new(right));
                }
            }
            // Its offsets are wrong, which was reported.
            ExprKind::Int(_) => {}
            _ => self.report(
                Diagnostic::new("`else` after what is always there", word, "no call or read stands before it").help(
                    "`else` belongs to an `if`, to a call such as `min(moore, nb.u)` or to a read such as `u[1, 0]`",
                ),
            ),
        }
        left
    }

    /// Reports expressions that leave open where an `else` ends: that of a call or read has one operand, and an operator does not follow
    /// an `if`.
    fn check_ends(&self, run: &[Pair<'_, Rule>]) {
        let mut known = 0;
        for (at, part) in run.iter().enumerate() {
            match part.as_rule() {
                Rule::otherwise if at >= known => known = self.check_else(run, at),
                Rule::if_expression if at >= known => {
                    let operator = run
                        .get(at + 1)
                        .filter(|_| part.clone().into_inner().any(|part| part.as_rule() == Rule::kw_else));
                    if let Some(operator) = operator {
                        self.report(behind_if(part, operator_name(operator), self.span(operator)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports the expression behind the `else` at a place of a run, unless it is one operand. Gives the place up to which the run was looked at.
    fn check_else(&self, run: &[Pair<'_, Rule>], at: usize) -> usize {
        let (end, next) = (operand_end(run, at + 1), at + 1);
        let operand = &run[next..end];
        let chained = run.get(end).is_some_and(|part| part.as_rule() == Rule::otherwise);
        let operator = run.get(end).filter(|_| !chained);
        let alone = chained || stands_alone(operand);
        let is_read = at > 0 && matches!(run[at - 1].as_rule(), Rule::arguments | Rule::offsets);
        if alone && operator.is_none() || !is_read {
            return next;
        }
        let (read, value) = (shown(&run[chain_start(run, at)..at]), shown(operand));
        let enclosed = if alone { value.clone() } else { format!("({value})") };
        self.report(match operator {
            Some(operator) => {
                let (name, span) = (operator_name(operator), self.span(operator));
                Diagnostic::new(format!("`{name}` behind an `else`"), span, "is this a part of what `else` gives?")
                    .help(format!("write `({read} else {enclosed}) {name} …` or `{read} else ({value} {name} …)`"))
            }
            None => {
                let span = self.span(&operand[0]).to(self.span(&operand[operand.len() - 1]));
                Diagnostic::new("an `else` whose value has no parentheses", span, "stands in parentheses here")
                    .help(format!("write `{read} else {enclosed}`"))
                    .help("a number, a name, a call, a read with its own `else` and a block need none")
            }
        });
        end
    }

    /// Reports `a < b < c`, where `left` is `a < b` without parentheses.
    fn check_chain(&self, left: &Folded, op_span: Span) {
        let Folded::Plain(left) = left else { return };
        let first = match &left.kind {
            ExprKind::Binary { op, op_span, .. } if op.comparison().is_some() => *op_span,
            ExprKind::InRange { .. } | ExprKind::InSet { .. } => left.span,
            _ => return,
        };
        self.report(
            Diagnostic::new("comparisons do not chain", op_span, "a second comparison")
                .also(first, "the first one")
                .help("write `a < b && b < c`, or parentheses"),
        );
    }

    fn postfix(&self, left: Folded, pair: Pair<'_, Rule>, has_else: bool) -> Expr {
        let pair_span = self.span(&pair);
        let span = left.span().to(pair_span);
        if pair.as_rule() == Rule::set {
            let word = Span { end: pair_span.start + 2, ..pair_span };
            self.check_chain(&left, word);
            let left = self.plain(left);
            let set = contents(pair).map(|element| self.expression(element)).collect();
            return Expr { kind: ExprKind::InSet { value: Box::new(left), set }, span };
        }
        let left = self.plain(left);
        let is_nb = matches!(&left.kind, ExprKind::Name(name) if name == "nb");
        if pair.as_rule() == Rule::field && !is_nb {
            let Some(of) = contents(pair).next() else { return placeholder(span) };
            let kind = ExprKind::Component { value: Box::new(left), of: self.ident(&of), otherwise: None };
            return Expr { kind, span };
        }
        if pair.as_rule() == Rule::disorder {
            return Expr { kind: ExprKind::FromDisorder(Box::new(left)), span };
        }
        if let Rule::of_cluster | Rule::at_cluster = pair.as_rule() {
            let is_draw = pair.as_rule() == Rule::at_cluster;
            let Some(of) = contents(pair).next().map(|of| self.ident(&of)) else { return placeholder(span) };
            let left = Box::new(left);
            let kind = if is_draw { ExprKind::AtCluster(left, of) } else { ExprKind::OfCluster(left, of) };
            return Expr { kind, span };
        }
        // The grammar puts nothing but a variable before these.
        let ExprKind::Name(name) = left.kind else { return placeholder(span) };
        let name = Ident { name, span: left.span };
        let kind = match pair.as_rule() {
            Rule::arguments => {
                let arguments = self.given(pair);
                ExprKind::Call { name, arguments, otherwise: None }
            }
            Rule::offsets => self.read(name, pair, pair_span, has_else),
            _ => {
                let Some(field) = contents(pair).next() else { return placeholder(span) };
                ExprKind::Neighbour(self.ident(&field))
            }
        };
        Expr { kind, span }
    }

    /// The arguments of a call.
    fn given(&self, pair: Pair<'_, Rule>) -> Vec<Expr> {
        let mut arguments: Vec<Expr> = Vec::new();
        for part in contents(pair) {
            if part.as_rule() == Rule::per {
                if let (Some(value), Some(of)) = (arguments.pop(), contents(part).next()) {
                    let of = self.ident(&of);
                    let span = value.span.to(of.span);
                    arguments.push(Expr { kind: ExprKind::Per(Box::new(value), of), span });
                }
            } else if part.as_rule() != Rule::over {
                arguments.push(self.argument(part));
            } else if let (Some(value), Some(over)) = (arguments.pop(), contents(part).next()) {
                let over = self.argument(over);
                let span = value.span.to(over.span);
                arguments.push(Expr { kind: ExprKind::Over(Box::new([value, over])), span });
            }
        }
        arguments
    }

    pub(super) fn argument(&self, pair: Pair<'_, Rule>) -> Expr {
        match pair.as_rule() {
            Rule::places => {
                let span = self.span(&pair);
                Expr { kind: ExprKind::Offsets(self.offset_entries(pair)), span }
            }
            _ => self.expression(pair),
        }
    }

    /// `name[1, 0] else …`, or `table[i]`: what is no whole number, or stands alone without `else`, is an index.
    fn read(&self, name: Ident, pair: Pair<'_, Rule>, offset_span: Span, has_else: bool) -> ExprKind {
        let parts: Vec<_> = contents(pair).collect();
        if !has_else && parts.len() == 1 {
            let index = Box::new(self.expression(parts[0].clone()));
            return ExprKind::Index { name, index, index_span: offset_span };
        }
        let mut offset = Vec::with_capacity(parts.len());
        for part in parts {
            if is_whole_number(part.as_str()) {
                offset.push(self.number(&part));
            } else {
                self.report(
                    Diagnostic::new("an offset that is no whole number", self.span(&part), "not a number")
                        .help("the offsets of a read are fixed: `u[1, 0] else 0.0`")
                        .help("a table has one index and no `else`: `table[i]`"),
                );
                return ExprKind::Int("0".to_owned());
            }
        }
        ExprKind::Read { name, offset, offset_span, otherwise: None }
    }

    fn match_expression(&self, pair: Pair<'_, Rule>, span: Span) -> Expr {
        let mut parts = contents(pair);
        let (Some(value), Some(arms)) = (parts.next(), parts.next()) else { return placeholder(span) };
        self.deeper(1, span, || {
            let value = Box::new(self.expression(value));
            let arms = contents(arms).filter_map(|arm| self.arm(arm)).collect();
            Expr { kind: ExprKind::Match { value, arms }, span }
        })
    }

    fn arm(&self, pair: Pair<'_, Rule>) -> Option<Arm> {
        let mut parts = contents(pair).peekable();
        let mut patterns = Vec::new();
        while let Some(pattern) = parts.next_if(|part| part.as_rule() == Rule::pattern_range) {
            let span = self.span(&pattern);
            let mut ends = contents(pattern).map(|end| match end.as_rule() {
                Rule::yes => PatternEnd::Bool(true),
                Rule::no => PatternEnd::Bool(false),
                Rule::number => PatternEnd::Number(self.number(&end)),
                _ => PatternEnd::Name(self.ident(&end)),
            });
            patterns.push(CasePattern { low: ends.next()?, high: ends.next(), span });
        }
        Some(Arm { patterns, value: self.expression(parts.next()?) })
    }

    fn operand(&self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let text = || pair.as_str().to_owned();
        let kind = match pair.as_rule() {
            Rule::integer => ExprKind::Int(text()),
            Rule::float => ExprKind::Float(text()),
            Rule::yes => ExprKind::Bool(true),
            Rule::no => ExprKind::Bool(false),
            Rule::variable => ExprKind::Name(text()),
            Rule::block => ExprKind::Block(Box::new(self.block(pair))),
            Rule::match_expression => return self.match_expression(pair, span),
            Rule::if_expression => return self.if_expression(pair, span),
            _ => {
                let Some(inner) = contents(pair).next() else { return placeholder(span) };
                return Expr { span, ..self.expression(inner) };
            }
        };
        Expr { kind, span }
    }

    fn if_expression(&self, pair: Pair<'_, Rule>, span: Span) -> Expr {
        // Each `if` with its condition and block, then perhaps a last block.
        let mut branches: Vec<(Span, Pair<'_, Rule>, Pair<'_, Rule>)> = Vec::new();
        let mut last = None;
        let mut parts = pair.into_inner();
        while let Some(part) = parts.next() {
            match part.as_rule() {
                Rule::kw_if => {
                    if let (Some(condition), Some(then)) = (parts.next(), parts.next()) {
                        branches.push((self.span(&part), condition, then));
                    }
                }
                Rule::block => last = Some(part),
                _ => {}
            }
        }
        self.deeper(branches.len() - 1, span, || {
            let mut otherwise = last.map(|block| {
                let span = self.span(&block);
                Expr { kind: ExprKind::Block(Box::new(self.block(block))), span }
            });
            for (word, condition, then) in branches.into_iter().rev() {
                let condition = Box::new(self.expression(condition));
                let then = Box::new(self.block(then));
                let span = Span { start: word.start, ..span };
                let kind = ExprKind::If { condition, then, otherwise: otherwise.take().map(Box::new) };
                otherwise = Some(Expr { kind, span });
            }
            otherwise.unwrap_or_else(|| placeholder(span))
        })
    }

    fn block(&self, pair: Pair<'_, Rule>) -> Block {
        let span = self.span(&pair);
        let mut lets = Vec::new();
        let mut value = None;
        for part in contents(pair) {
            if part.as_rule() == Rule::let_entry {
                let mut parts = contents(part);
                if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
                    lets.push((self.ident(&name), self.expression(value)));
                }
            } else {
                value = Some(self.expression(part));
            }
        }
        Block { lets, value: value.unwrap_or_else(|| placeholder(span)), span }
    }
}
