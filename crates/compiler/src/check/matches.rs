//! `match`: which values its cases cover, and a chain of choices for it.

use super::body::Operand;
use super::expression::{Checker, RuleName};
use super::literal::Flexible;
use crate::ir::{BinaryOp, CompareOp, NodeId, Op, Type, Value};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Arm, CasePattern, Expr, Number, PatternEnd};

/// Values from the first to the last.
type Range = (i128, i128);

/// The most values and ranges that the cases of one `match` name.
const MOST_PATTERNS: usize = 4096;
/// How many missing ranges a message lists.
const MOST_MISSING: usize = 8;

impl<'a> Checker<'a, '_> {
    pub(super) fn match_expression(
        &mut self,
        value: &'a Expr,
        arms: &'a [Arm],
        want: Option<Type>,
        span: Span,
    ) -> Option<Operand> {
        let looked_at = self.check(value, None);
        let ranges = looked_at.and_then(|looked_at| self.ranges(looked_at.ty, value, arms, span));
        let values = self.arm_values(arms, want);
        let (looked_at, ranges, values) = (looked_at?, ranges?, values?);
        // All is covered, so the last case needs no question.
        let (last, rest) = values.split_last()?;
        let mut result = *last;
        for (value, ranges) in rest.iter().zip(&ranges).rev() {
            let condition = self.is_in(looked_at, ranges);
            let op = Op::Select { condition, then: value.id, otherwise: result.id };
            result = self.body.push(value.ty, op);
        }
        Some(result)
    }

    /// The values of all cases, of one type.
    fn arm_values(&mut self, arms: &'a [Arm], want: Option<Type>) -> Option<Vec<Operand>> {
        let flexible: Vec<Option<Flexible>> = arms.iter().map(|arm| self.flexible(&arm.value)).collect();
        let mut values: Vec<Option<Operand>> = vec![None; arms.len()];
        let mut ty = want;
        // The first case with a type of its own says the type of those that take theirs from the context.
        let first = flexible.iter().position(Option::is_none).filter(|_| want.is_none());
        if let Some(first) = first {
            values[first] = self.check(&arms[first].value, None);
            ty = Some(values[first]?.ty);
        }
        let together = || flexible.iter().flatten().copied().reduce(Flexible::and).map(Flexible::default_type);
        let ty = ty.or_else(together);
        for (index, arm) in arms.iter().enumerate() {
            if Some(index) != first {
                values[index] = self.check(&arm.value, ty);
            }
        }
        values.into_iter().collect()
    }

    /// The values of each case: those named there and in no case above. Reports values that are missing, and those named in vain.
    fn ranges(&mut self, ty: Type, value: &'a Expr, arms: &'a [Arm], span: Span) -> Option<Vec<Vec<Range>>> {
        let all = match ty {
            Type::Bit => (0, 1),
            Type::Enum(id) => (0, self.rule.enums[usize::from(id.0)].variants.len() as i128 - 1),
            _ => match Value::range(ty) {
                Some(range) => range,
                None => {
                    let found = self.type_name(ty);
                    let message = format!("`match` on `{found}`");
                    return Diagnostic::new(message, value.span, "works on integers, bits and enums only")
                        .help("compare, as in `if u > 0.5 { … } else { … }`, or convert: `match i32(u) { … }`")
                        .fail(self.errors);
                }
            },
        };
        if arms.iter().map(|arm| arm.patterns.len()).sum::<usize>() > MOST_PATTERNS {
            let message = format!("a `match` with more than {MOST_PATTERNS} values and ranges");
            return Diagnostic::new(message, span, "too many")
                .help("a `const` table may say the same")
                .fail(self.errors);
        }
        let mut left = vec![all];
        let mut sound = true;
        let mut ranges = Vec::new();
        for arm in arms {
            let mut own = Vec::new();
            for pattern in &arm.patterns {
                let Some(range) = self.pattern(pattern, ty, all) else {
                    sound = false;
                    continue;
                };
                let (inside, outside) = split(&left, range);
                if inside.is_empty() && sound {
                    let warning = Diagnostic::new(
                        "a case that is never reached",
                        pattern.span,
                        "the cases above are for all of this",
                    );
                    self.lint("unreachable_case", warning);
                }
                left = outside;
                own.push(range);
            }
            ranges.push(own);
        }
        if !sound {
            return None;
        }
        if !left.is_empty() {
            let mut missing: Vec<String> = left.iter().take(MOST_MISSING).map(|&range| self.shown(ty, range)).collect();
            missing.extend((left.len() > missing.len()).then(|| format!("{} more", left.len() - missing.len())));
            let label = format!("missing: {}", missing.join(", "));
            return Diagnostic::new("a `match` that does not cover all values", span, label)
                .help("add cases for them, or `_ => …` for all that is left")
                .fail(self.errors);
        }
        Some(ranges)
    }

    /// A range of values as the language writes it.
    fn shown(&self, ty: Type, (low, high): Range) -> String {
        let one = |number: i128| match ty {
            Type::Bit => (number == 1).to_string(),
            Type::Enum(id) => self.rule.enums[usize::from(id.0)].variants[number as usize].clone(),
            _ => number.to_string(),
        };
        match ty {
            Type::Bit | Type::Enum(_) => (low..=high).map(one).collect::<Vec<_>>().join(", "),
            _ if low == high => one(low),
            _ => format!("{}..={}", one(low), one(high)),
        }
    }

    /// The values that a pattern is for.
    fn pattern(&mut self, pattern: &'a CasePattern, ty: Type, all: Range) -> Option<Range> {
        if let (PatternEnd::Name(name), None) = (&pattern.low, &pattern.high)
            && name.name == "_"
        {
            return Some(all);
        }
        if pattern.high.is_some() && matches!(ty, Type::Bit | Type::Enum(_)) {
            let error = Diagnostic::new("a range of values that have no order", pattern.span, "not valid here")
                .help("list them: `rest | excited => 1`");
            return error.fail(self.errors);
        }
        let low = self.pattern_end(&pattern.low, ty, all, pattern.span)?;
        let high = match &pattern.high {
            Some(high) => self.pattern_end(high, ty, all, pattern.span)?,
            None => low,
        };
        if low > high {
            let error = Diagnostic::new("an empty range", pattern.span, "its first value is greater than its last")
                .help(format!("write `{high}..={low}`"));
            return error.fail(self.errors);
        }
        Some((low, high))
    }

    fn pattern_end(&mut self, end: &'a PatternEnd, ty: Type, all: Range, span: Span) -> Option<i128> {
        let wrong = |checker: &mut Self, span: Span, found: &str| {
            let name = checker.type_name(ty);
            let error =
                Diagnostic::new(format!("{found} where `{name}` is looked at"), span, format!("expected `{name}`"));
            let help = match ty {
                Type::Bit => "write `true` or `false`",
                Type::Enum(_) => "write one of its variants, or `_` for all that are left",
                _ => "write a whole number, a range such as `2..=3`, or `_` for all that are left",
            };
            error.help(help).coded("type").fail(checker.errors)
        };
        match end {
            PatternEnd::Bool(value) if ty == Type::Bit => Some(i128::from(*value)),
            PatternEnd::Bool(_) => wrong(self, span, "a bit"),
            PatternEnd::Number(Number { value, span }) if ty.is_integer() || ty == Type::Bit => {
                let value = *value;
                if (all.0..=all.1).contains(&value) {
                    return Some(value);
                }
                let name = self.type_name(ty);
                let error = Diagnostic::new(format!("`{value}` does not fit in `{name}`"), *span, "out of range")
                    .help(format!("`{name}` holds {} to {}", all.0, all.1));
                error.fail(self.errors)
            }
            PatternEnd::Number(number) => wrong(self, number.span, "a number"),
            PatternEnd::Name(name) => {
                if name.name == "_" {
                    return Diagnostic::new("`_` as an end of a range", name.span, "not a number")
                        .help("write the number; `_` alone is for all that is left")
                        .fail(self.errors);
                }
                let variant = self.home.in_rule.then(|| self.names.get(name.name.as_str()).copied()).flatten();
                if let Some(RuleName::Variant(id, number)) = variant {
                    return match ty == Type::Enum(id) {
                        true => Some(number.into()),
                        false => wrong(self, name.span, "a variant"),
                    };
                }
                let value = match self.constant_value(&name.name, Some(ty), name.span) {
                    Some(operand) => self.body.constant(operand?.id)?,
                    None => {
                        let variants: Vec<String> = match ty {
                            Type::Enum(id) => self.rule.enums[usize::from(id.0)].variants.clone(),
                            _ => Vec::new(),
                        };
                        let known = variants.iter().map(String::as_str);
                        let error = super::names::unknown_name("variant or constant", &name.name, name.span, known);
                        return error.fail(self.errors);
                    }
                };
                if value.ty() != ty {
                    return wrong(self, name.span, "a constant of another type");
                }
                value.as_i128()
            }
        }
    }

    /// The value of a constant's name where no code of a cell is made; a flexible float is an f64. `None` if it means no constant.
    pub(super) fn constant_alone(&mut self, name: &'a str, span: Span) -> Option<Option<Value>> {
        if self.names.get(name).is_some_and(|known| !matches!(known, RuleName::Const(_))) {
            return None;
        }
        let want = (self.flexible_name(name) == Some(Flexible::Float)).then_some(Type::F64);
        let body = std::mem::take(&mut self.body);
        let value = self.constant_value(name, want, span);
        let value = value.map(|operand| operand.and_then(|operand| self.body.constant(operand.id)));
        self.body = body;
        value
    }

    /// Whether a value is in one of some ranges.
    fn is_in(&mut self, value: Operand, ranges: &[Range]) -> NodeId {
        let mut found: Option<NodeId> = None;
        for &range in ranges {
            let here = self.is_in_range(value, range);
            found = Some(match found {
                None => here,
                Some(before) => self.body.push(Type::Bit, Op::Binary(BinaryOp::Or, before, here)).id,
            });
        }
        found.unwrap_or_else(|| self.bit(false))
    }

    fn is_in_range(&mut self, value: Operand, (low, high): Range) -> NodeId {
        let mut compare = |op: CompareOp, number: i128| {
            let number = self.value_node(Value::from_bits(value.ty, number as u64)).id;
            self.body.push(Type::Bit, Op::Compare(op, value.id, number)).id
        };
        let Some((least, most)) = Value::range(value.ty) else {
            // Without an order there is one value, or `_` for all.
            return if low == high { compare(CompareOp::Equal, low) } else { self.bit(true) };
        };
        match (low > least, high < most) {
            (true, true) if low == high => compare(CompareOp::Equal, low),
            (true, true) => {
                let above = compare(CompareOp::GreaterEqual, low);
                let below = compare(CompareOp::LessEqual, high);
                self.body.push(Type::Bit, Op::Binary(BinaryOp::And, above, below)).id
            }
            (true, false) => compare(CompareOp::GreaterEqual, low),
            (false, true) => compare(CompareOp::LessEqual, high),
            (false, false) => self.bit(true),
        }
    }
}

/// The parts of some ranges inside and outside of another range.
fn split(ranges: &[Range], (low, high): Range) -> (Vec<Range>, Vec<Range>) {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for &(first, last) in ranges {
        let (from, to) = (first.max(low), last.min(high));
        if from > to {
            outside.push((first, last));
            continue;
        }
        inside.push((from, to));
        outside.extend((first < from).then(|| (first, from - 1)));
        outside.extend((to < last).then(|| (to + 1, last)));
    }
    (inside, outside)
}
