//! Literals take the type that the context asks for: the expressions that wait for a context, and the value of a literal in it.

use super::body::Operand;
use super::names::{FLOAT_FUNCTIONS, NUMBER_FUNCTIONS};
use crate::ir::{BinaryOp, Type, Value, whole};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{BinaryOperator as B, Block, Expr, ExprKind, Ident};
use crate::text::syntax::walk;
use crate::text::words::beginning;
use std::collections::HashMap;

/// The type that an expression of literals alone has without a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flexible {
    /// Whole numbers only: i32.
    Integer,
    /// With a point or an exponent somewhere: f32.
    Float,
}

impl Flexible {
    pub(crate) fn default_type(self) -> Type {
        match self {
            Flexible::Integer => Type::I32,
            Flexible::Float => Type::F32,
        }
    }

    pub(super) fn and(self, other: Flexible) -> Flexible {
        if self == Flexible::Float { self } else { other }
    }
}

/// A let whose numbers take the type of its use: literals, under branches and operators perhaps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literals<'a> {
    pub value: &'a Expr,
    /// Their type without a context.
    pub flexible: Flexible,
    /// The let's type where no other is asked for.
    pub own: Type,
    /// How many lets of the kind it follows from, one after the other.
    pub chain: usize,
}

/// A let of a block or of a step, or an argument of a function.
#[derive(Clone)]
pub(super) struct Local<'a> {
    pub name: &'a str,
    /// Its value as it is without a context; `None` if it has an error.
    pub operand: Option<Operand>,
    /// Literals whose value it takes in other types.
    pub literals: Option<Literals<'a>>,
    /// Values asked for in other types.
    pub others: Vec<Operand>,
    /// Whether it stands inside the term of an aggregate.
    pub in_term: bool,
}

impl Local<'_> {
    /// One that has one type.
    pub(super) fn typed(name: &str, operand: Option<Operand>) -> Local<'_> {
        Local { name, operand, literals: None, others: Vec::new(), in_term: false }
    }
}

impl Literals<'_> {
    /// The let's type where `want` is wanted.
    pub(crate) fn asked_for(self, want: Option<Type>) -> Type {
        let fits = |ty: &Type| ty.is_float() || (ty.is_integer() && self.flexible == Flexible::Integer);
        want.filter(fits).unwrap_or(self.own)
    }
}

/// How far a constant is known.
#[derive(Clone, Copy, Debug)]
pub(super) enum ConstState {
    /// It is being looked at: it depends on itself if it is asked for now.
    Open,
    /// Has an error, which was reported.
    Broken,
    /// Sound; says its type without a context if it has no type of its own.
    Sound(Option<Flexible>),
}

/// Remembers the answer for every expression: a long chain would otherwise be walked once per operator.
#[derive(Default)]
pub(super) struct Flexibility {
    known: HashMap<*const Expr, Option<Flexible>>,
    /// Lets of the blocks that are being walked, which hide the rule's names. Beside each its type without a context.
    hidden: Vec<(String, Option<Flexible>)>,
}

/// A name that may take its type from the context.
pub(super) enum UntypedName<'n> {
    /// A constant, a let or a weight.
    Here(&'n str),
    /// A let of the rule that is read at a neighbour.
    AtNeighbour(&'n str),
}

/// The type of a name's literals without a context, if the name takes its type from it.
pub(super) type OfName<'n> = &'n mut dyn FnMut(UntypedName<'_>) -> Option<Flexible>;

impl Flexibility {
    /// `None` if the expression has a type of its own.
    pub(super) fn of(&mut self, expr: &Expr, names: OfName<'_>) -> Option<Flexible> {
        let key: *const Expr = expr;
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let answer = match &expr.kind {
            ExprKind::Int(_) => Some(Flexible::Integer),
            ExprKind::Float(_) => Some(Flexible::Float),
            ExprKind::Name(name) | ExprKind::Index { name: Ident { name, .. }, .. } => self.of_name(name, names),
            ExprKind::Neighbour(name) => names(UntypedName::AtNeighbour(&name.name)),
            ExprKind::Read { name, otherwise: Some(otherwise), .. } => {
                let read = names(UntypedName::AtNeighbour(&name.name));
                read.and_then(|read| Some(read.and(self.of(otherwise, names)?)))
            }
            ExprKind::Unary { operand, .. } => self.of(operand, names),
            ExprKind::Binary { op: B::ShiftLeft | B::ShiftRight, left, .. } => self.of(left, names),
            ExprKind::Binary { op, left, right, .. } if !matches!(op, B::And | B::Or) && operation(*op).is_some() => {
                self.of_all([&**left, &**right].into_iter(), names)
            }
            ExprKind::If { then, otherwise: Some(otherwise), .. } => {
                let then = self.of_block(then, names);
                then.and_then(|then| Some(then.and(self.of(otherwise, names)?)))
            }
            ExprKind::Match { arms, .. } => self.of_all(arms.iter().map(|arm| &arm.value), names),
            ExprKind::Block(block) => self.of_block(block, names),
            ExprKind::Call { name, arguments, otherwise: None } if FLOAT_FUNCTIONS.contains(&name.name.as_str()) => {
                self.of_all(arguments.iter(), names).and(Some(Flexible::Float))
            }
            ExprKind::Call { name, arguments, otherwise: None } if NUMBER_FUNCTIONS.contains(&name.name.as_str()) => {
                self.of_all(arguments.iter(), names)
            }
            ExprKind::Call { name, arguments, otherwise } if combines(&name.name, arguments, otherwise.is_some()) => {
                self.of_all(arguments[1..].iter().chain(otherwise.as_deref()), names)
            }
            _ => None,
        };
        self.known.insert(key, answer);
        answer
    }

    /// The same for several together.
    fn of_all<'e>(&mut self, mut all: impl Iterator<Item = &'e Expr>, names: OfName<'_>) -> Option<Flexible> {
        let first = self.of(all.next()?, names)?;
        all.try_fold(first, |known, expr| Some(known.and(self.of(expr, names)?)))
    }

    /// The same for a block.
    pub(super) fn of_block(&mut self, block: &Block, names: OfName<'_>) -> Option<Flexible> {
        let outer = self.hide(block, names);
        let answer = self.of(&block.value, names);
        self.hidden.truncate(outer);
        answer
    }

    fn of_name(&self, name: &str, names: OfName<'_>) -> Option<Flexible> {
        match self.hidden.iter().rev().find(|(hidden, _)| hidden == name) {
            Some((_, known)) => *known,
            None => names(UntypedName::Here(name)),
        }
    }

    /// Notes the lets of a block; says how many were known before.
    fn hide(&mut self, block: &Block, names: OfName<'_>) -> usize {
        let outer = self.hidden.len();
        for (name, value) in &block.lets {
            let known = self.of(value, names);
            self.hidden.push((name.name.clone(), known));
        }
        outer
    }
}

/// Whether a call combines, or picks, its second argument at all neighbours, and has its type. A weight is not known outside.
fn combines(name: &str, arguments: &[Expr], has_else: bool) -> bool {
    let [_, term] = arguments else { return false };
    let needs_else = matches!(name, "min" | "max" | "mean" | "pick");
    if !(matches!(name, "sum" | "product") || needs_else && has_else) {
        return false;
    }
    let mut of_weights = false;
    let is_weight = |kind: &ExprKind| matches!(kind, ExprKind::Name(name) if name == "weight");
    walk(term, &mut |inner| of_weights |= is_weight(&inner.kind));
    !of_weights
}

/// Whether an expression is a whole number that no `i32` holds.
pub(super) fn is_beyond_i32(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Int(text) if integer(text, false, Type::I32, "i32", expr.span).is_err())
}

/// The operation that an operator is, if it is neither a comparison nor a shift.
pub(super) fn operation(op: B) -> Option<BinaryOp> {
    Some(match op {
        B::Multiply => BinaryOp::Multiply,
        B::Divide => BinaryOp::Divide,
        B::Remainder => BinaryOp::Remainder,
        B::Add => BinaryOp::Add,
        B::Subtract => BinaryOp::Subtract,
        B::BitAnd | B::And => BinaryOp::And,
        B::BitXor => BinaryOp::Xor,
        B::BitOr | B::Or => BinaryOp::Or,
        _ => return None,
    })
}

/// The value of a whole number, `negative` if a minus stands before it, in a type.
pub(super) fn integer(
    text: &str,
    negative: bool,
    ty: Type,
    type_name: &str,
    span: Span,
) -> Result<Value, Box<Diagnostic>> {
    let digits = text.replace('_', "");
    let shown = || format!("{}{}", if negative { "-" } else { "" }, beginning(text, 40));
    let out_of_range = |range: String| {
        Diagnostic::new(format!("`{}` does not fit in `{type_name}`", shown()), span, "out of range")
            .help(format!("`{type_name}` holds {range}"))
    };
    let signed = whole(&digits).map(|magnitude| if negative { -magnitude } else { magnitude });
    let fits = |low: i128, high: i128| match signed {
        Some(value) if (low..=high).contains(&value) => Ok(value),
        _ => {
            let mut error = Box::new(out_of_range(format!("{low} to {high}")));
            if ty == Type::I32 && signed.is_some_and(|value| i64::try_from(value).is_ok()) {
                error.help.push(format!("write `i64({})`", shown()));
            }
            Err(error)
        }
    };
    Ok(match ty {
        Type::Bit => match fits(0, 1) {
            Ok(value) => Value::Bit(value == 1),
            Err(_) => {
                let error = Diagnostic::new(format!("`{}` is not a bit", shown()), span, "expected `bit`");
                let help = "a bit is `true` or `false`, also written 1 or 0; a comparison such as `n != 0` gives one";
                return Err(error.help(help).into());
            }
        },
        Type::U8 | Type::U16 | Type::I32 | Type::U32 | Type::I64 => {
            let (least, most) = Value::range(ty).unwrap_or_default();
            Value::whole(ty, fits(least, most)?)
        }
        Type::F32 | Type::F64 => {
            // Through decimal text, so that the value is rounded once.
            let decimal =
                signed.map_or_else(|| format!("{}{digits}", if negative { "-" } else { "" }), |v| v.to_string());
            let decimal = if negative && signed == Some(0) { "-0".to_owned() } else { decimal };
            return float(&decimal, ty, type_name, span);
        }
        Type::Enum(_) => {
            let message = format!("`{}` is a number, not a variant", shown());
            let error = Diagnostic::new(message, span, "expected an enum value");
            return Err(error.help(format!("the type is `{type_name}`")).into());
        }
    })
}

/// The value of a number with a point or an exponent in a type.
pub(super) fn float(text: &str, ty: Type, type_name: &str, span: Span) -> Result<Value, Box<Diagnostic>> {
    let digits = text.replace('_', "");
    let too_large = || {
        Diagnostic::new(format!("a number too large for `{type_name}`"), span, "would be infinite")
            .help(format!("the largest `{type_name}` is about {}", if ty == Type::F32 { "3.4e38" } else { "1.8e308" }))
    };
    match ty {
        Type::F32 => match digits.parse::<f32>() {
            Ok(value) if value.is_finite() => Ok(Value::F32(value)),
            _ => Err(too_large().into()),
        },
        Type::F64 => match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Value::F64(value)),
            _ => Err(too_large().into()),
        },
        _ => {
            let message = format!("a number with a point where `{type_name}` is expected");
            let error = Diagnostic::new(message, span, format!("expected `{type_name}`"));
            Err(error.help("write a whole number, or convert: `i32(e)` truncates").coded("type").into())
        }
    }
}

/// The one of two types of numbers that holds more: the other is to be converted to it.
pub(super) fn wider(one: Type, other: Type) -> Type {
    let width = |ty: Type| Type::NAMED.iter().position(|(_, known)| *known == ty);
    if width(other) > width(one) { other } else { one }
}
