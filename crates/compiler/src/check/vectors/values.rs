//! Expressions, taken apart.

use super::super::names::{BUILT_IN_VALUES, unknown_name};
use super::{ON_SPHERE, TakenApart, TakingApart, VectorKind, component_of, lets_of, of_number};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Arm, BinaryOperator, Block, Expr, ExprKind, Ident, UnaryOperator};
use crate::text::syntax::stack::{NO_STACK, is_exhausted};
use crate::text::syntax::walk;
use std::collections::HashMap;

/// The most parts that the components of one expression may have.
const MOST_PARTS: usize = 1 << 15;

/// The functions of vectors, with how they are called.
const FUNCTIONS: [(&str, &str); 7] = [
    ("dot", "dot(a, b)"),
    ("cross", "cross(a, b)"),
    ("norm", "norm(a)"),
    ("conj", "conj(a)"),
    ("arg", "arg(a)"),
    ("re", "re(a)"),
    ("im", "im(a)"),
];

/// Functions that run over cells or neighbours and are computed for each component.
const BY_COMPONENT: [&str; 3] = ["sum", "mean", "pick"];

/// What stands behind the `else` of a read or call: a value of the same kind, or one component of it.
#[derive(Clone, Copy)]
enum BehindElse<'e> {
    Missing,
    Whole(&'e Expr),
    Component(&'e Expr),
}

/// An operation on numbers that stands where that on vectors is written.
fn binary(op: BinaryOperator, op_span: Span, left: &Expr, right: &Expr) -> Expr {
    let kind = ExprKind::Binary { op, op_span, left: Box::new(left.clone()), right: Box::new(right.clone()) };
    Expr { kind, span: left.span.to(right.span) }
}

fn call(name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
    let name = Ident { name: name.to_owned(), span };
    Expr { kind: ExprKind::Call { name, arguments, otherwise: None }, span }
}

/// The number of parts of an expression.
fn parts(expr: &Expr) -> usize {
    let mut count = 0;
    walk(expr, &mut |_| count += 1);
    count
}

impl TakingApart<'_> {
    /// A value that is a number, a bit or a variant.
    pub(super) fn number(&mut self, expr: &Expr) -> Option<Expr> {
        match self.value_of_kind(expr, None)? {
            TakenApart::Number(value) => Some(value),
            TakenApart::Vector(..) => None,
        }
    }

    /// A value of a kind, or a number.
    pub(super) fn value_of_kind(&mut self, expr: &Expr, wanted: Option<VectorKind>) -> Option<TakenApart> {
        let value = self.value(expr)?;
        let found = if let TakenApart::Vector(kind, _) = &value { Some(*kind) } else { None };
        if found == wanted {
            return Some(value);
        }
        let name = |kind: Option<VectorKind>| kind.map_or("a number".to_owned(), |kind| format!("a `{}`", kind.name()));
        let error = Diagnostic::new(
            format!("expected {}, found {}", name(wanted), name(found)),
            expr.span,
            format!("this is {}", name(found)),
        )
        .coded("type");
        let help = match (wanted, found) {
            (None, _) => "write one component, as in `a.x`, or `norm(a)`".to_owned(),
            (Some(wanted), None) => format!("write `{}`", wanted.written()),
            (Some(wanted), Some(_)) => format!("make one of components: `{}`", wanted.written()),
        };
        error.help(help).fail(self.errors)
    }

    /// Components that are computed; reports what has become too long.
    fn vector(&mut self, kind: VectorKind, values: Vec<Expr>, span: Span) -> Option<TakenApart> {
        if values.iter().map(parts).sum::<usize>() > MOST_PARTS {
            let message = format!("the components of this `{}` are too long", kind.name());
            return Diagnostic::new(message, span, format!("more than {MOST_PARTS} parts"))
                .help("name parts of it with `let`")
                .fail(self.errors);
        }
        Some(TakenApart::Vector(kind, values))
    }

    /// An expression with its parts replaced by what they are taken apart to.
    pub(super) fn value(&mut self, expr: &Expr) -> Option<TakenApart> {
        if is_exhausted() {
            let error = Diagnostic::new(NO_STACK, expr.span, "too deep, with what calls it");
            self.errors.push(Diagnostic { of_system: true, ..error.help("name parts with `let`") });
            return None;
        }
        let span = expr.span;
        let number = |kind: ExprKind| Some(TakenApart::Number(Expr { kind, span }));
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Offsets(_) => {
                Some(TakenApart::Number(expr.clone()))
            }
            ExprKind::Name(name) => Some(self.named_value(name, |name| Expr { kind: ExprKind::Name(name), span })),
            ExprKind::Neighbour(field) => Some(self.named_value(&field.name, |name| {
                let field = Ident { name, span: field.span };
                Expr { kind: ExprKind::Neighbour(field), span }
            })),
            ExprKind::Component { value, of, otherwise } => self.component(value, of, otherwise.as_deref(), span),
            ExprKind::Read { otherwise, .. } => {
                self.read(expr, otherwise.as_deref().map_or(BehindElse::Missing, BehindElse::Whole))
            }
            ExprKind::Call { otherwise, .. } => {
                self.call(expr, otherwise.as_deref().map_or(BehindElse::Missing, BehindElse::Whole))
            }
            ExprKind::FromDisorder(draw) => self.around(draw, span, &|inner| ExprKind::FromDisorder(Box::new(inner))),
            ExprKind::AtCluster(draw, of) => {
                self.around(draw, span, &|inner| ExprKind::AtCluster(Box::new(inner), of.clone()))
            }
            ExprKind::OfCluster(inner, of) => {
                let inner = Box::new(self.number(inner)?);
                number(ExprKind::OfCluster(inner, of.clone()))
            }
            ExprKind::Per(inner, of) => self.around(inner, span, &|inner| ExprKind::Per(Box::new(inner), of.clone())),
            ExprKind::Over(both) => {
                self.around(&both[0], span, &|inner| ExprKind::Over(Box::new([inner, both[1].clone()])))
            }
            ExprKind::Index { name, index, index_span } => {
                let index = Box::new(self.number(index)?);
                number(ExprKind::Index { name: name.clone(), index, index_span: *index_span })
            }
            ExprKind::Match { value, arms } => {
                let value = Box::new(self.number(value)?);
                let values = arms.iter().map(|arm| self.value(&arm.value)).collect::<Option<Vec<_>>>()?;
                let spans: Vec<Span> = arms.iter().map(|arm| arm.value.span).collect();
                let (kind, lists) = self.alike(values, &spans)?;
                let joined = lists.into_iter().map(|list| {
                    let arm = |(arm, value): (&Arm, Expr)| Arm { patterns: arm.patterns.clone(), value };
                    let arms = arms.iter().zip(list).map(arm).collect();
                    Expr { kind: ExprKind::Match { value: value.clone(), arms }, span }
                });
                let joined = joined.collect();
                self.of_kind(kind, joined, span)
            }
            ExprKind::Unary { op, operand } => match self.value(operand)? {
                TakenApart::Number(operand) => number(ExprKind::Unary { op: *op, operand: Box::new(operand) }),
                TakenApart::Vector(kind, values) if *op == UnaryOperator::Negate => {
                    let negated = |value| Expr { kind: ExprKind::Unary { op: *op, operand: Box::new(value) }, span };
                    self.vector(kind, values.into_iter().map(negated).collect(), span)
                }
                TakenApart::Vector(kind, _) => {
                    self.refused(&format!("`!` of a `{}`", kind.name()), span, "compare numbers first")
                }
            },
            ExprKind::Binary { op, op_span, left, right } => self.operation(*op, *op_span, left, right),
            ExprKind::InRange { value, low, high } => {
                let [value, low, high] = [self.number(value), self.number(low), self.number(high)];
                number(ExprKind::InRange { value: Box::new(value?), low: Box::new(low?), high: Box::new(high?) })
            }
            ExprKind::InSet { value, set } => {
                let value = Box::new(self.number(value)?);
                let set = set.iter().map(|element| self.number(element)).collect::<Option<Vec<_>>>()?;
                number(ExprKind::InSet { value, set })
            }
            ExprKind::If { condition, then, otherwise } => {
                let condition = Box::new(self.number(condition)?);
                let (lets, value) = self.block(then)?;
                let block = |value: Expr| Block { lets: lets.clone(), value, span: then.span };
                let Some(otherwise) = otherwise else {
                    let value = match value {
                        TakenApart::Number(value) => value,
                        TakenApart::Vector(_, values) => values.into_iter().next()?,
                    };
                    return number(ExprKind::If { condition, then: Box::new(block(value)), otherwise: None });
                };
                let spans = [then.value.span, otherwise.span];
                let otherwise = self.value(otherwise)?;
                let (kind, lists) = self.alike(vec![value, otherwise], &spans)?;
                let joined = lists.into_iter().map(|list| {
                    let mut list = list.into_iter();
                    let (then, otherwise) = (list.next().map(block), list.next().map(Box::new));
                    let then = Box::new(then.expect("there are two branches"));
                    Expr { kind: ExprKind::If { condition: condition.clone(), then, otherwise }, span }
                });
                let joined = joined.collect();
                self.of_kind(kind, joined, span)
            }
            ExprKind::Block(inner) => {
                let (lets, value) = self.block(inner)?;
                let block = |value: Expr| {
                    let block = Block { lets: lets.clone(), value, span: inner.span };
                    Expr { kind: ExprKind::Block(Box::new(block)), span }
                };
                match value {
                    TakenApart::Number(value) => Some(TakenApart::Number(block(value))),
                    TakenApart::Vector(kind, values) => {
                        self.vector(kind, values.into_iter().map(block).collect(), span)
                    }
                }
            }
        }
    }

    /// The value of a name, or of each component's name.
    fn named_value(&self, name: &str, of: impl Fn(String) -> Expr) -> TakenApart {
        match self.kind_of(name) {
            None => TakenApart::Number(of(name.to_owned())),
            Some(kind) => {
                let component = |component: &&str| of(format!("{name}.{component}"));
                TakenApart::Vector(kind, kind.components().iter().map(component).collect())
            }
        }
    }

    /// Something around a value, for each component.
    fn around(&mut self, inner: &Expr, span: Span, kind: &dyn Fn(Expr) -> ExprKind) -> Option<TakenApart> {
        let of = |inner: Expr| Expr { kind: kind(inner), span };
        Some(match self.value(inner)? {
            TakenApart::Number(inner) => TakenApart::Number(of(inner)),
            TakenApart::Vector(vector, values) => TakenApart::Vector(vector, values.into_iter().map(of).collect()),
        })
    }

    /// A list of values for each component; they have one kind.
    fn alike(&mut self, values: Vec<TakenApart>, spans: &[Span]) -> Option<(Option<VectorKind>, Vec<Vec<Expr>>)> {
        let kind = |value: &TakenApart| if let TakenApart::Vector(kind, _) = value { Some(*kind) } else { None };
        let first = values.first().and_then(kind);
        if let Some(other) = values.iter().position(|value| kind(value) != first) {
            let name =
                |kind: Option<VectorKind>| kind.map_or("a number".to_owned(), |kind| format!("a `{}`", kind.name()));
            let found = kind(&values[other]);
            return Diagnostic::new(
                format!("{} beside {}", name(found), name(first)),
                spans[other],
                format!("this is {}", name(found)),
            )
            .also(spans[0], format!("this is {}", name(first)))
            .help("all branches have one type")
            .coded("type")
            .fail(self.errors);
        }
        let count = first.map_or(1, |kind| kind.components().len());
        let mut lists = vec![Vec::new(); count];
        for value in values {
            let components = match value {
                TakenApart::Number(value) => vec![value],
                TakenApart::Vector(_, values) => values,
            };
            lists.iter_mut().zip(components).for_each(|(list, component)| list.push(component));
        }
        Some((first, lists))
    }

    fn of_kind(&mut self, kind: Option<VectorKind>, values: Vec<Expr>, span: Span) -> Option<TakenApart> {
        match kind {
            None => values.into_iter().next().map(TakenApart::Number),
            Some(kind) => self.vector(kind, values, span),
        }
    }

    /// The lets of a block and its value.
    fn block(&mut self, block: &Block) -> Option<(Vec<(Ident, Expr)>, TakenApart)> {
        self.names.push(HashMap::new());
        let mut lets = Vec::new();
        let mut sound = true;
        for (name, value) in &block.lets {
            let value = self.value(value);
            sound &= value.is_some();
            let replaces = self.kind_of(&name.name).is_some();
            self.define(&name.name, if let Some(TakenApart::Vector(kind, _)) = value { Some(kind) } else { None });
            match value {
                None => {}
                Some(TakenApart::Number(value)) => lets.push((name.clone(), value)),
                Some(TakenApart::Vector(kind, values)) => lets.extend(lets_of(name, kind, values, replaces)),
            }
        }
        let value = self.value(&block.value);
        self.names.pop();
        Some((lets, value.filter(|_| sound)?))
    }

    /// `a.x`, or `a[1, 0].x else 0.0`.
    fn component(&mut self, value: &Expr, of: &Ident, otherwise: Option<&Expr>, span: Span) -> Option<TakenApart> {
        let found = match (&value.kind, otherwise) {
            (ExprKind::Read { .. }, Some(otherwise)) => self.read(value, BehindElse::Component(otherwise))?,
            (ExprKind::Call { .. }, Some(otherwise)) => self.call(value, BehindElse::Component(otherwise))?,
            _ => self.value(value)?,
        };
        let TakenApart::Vector(kind, values) = found else {
            if let ExprKind::Name(name) = &value.kind
                && !BUILT_IN_VALUES.contains(&name.as_str())
                && self.names.iter().all(|scope| !scope.contains_key(name))
            {
                let vectors = self.names.iter().flatten().filter(|(_, kind)| kind.is_some());
                return unknown_name("vector", name, value.span, vectors.map(|(name, _)| name.as_str()))
                    .fail(self.errors);
            }
            return of_number(value.span, of).fail(self.errors);
        };
        let place = kind.components().iter().position(|component| *component == of.name);
        match place.and_then(|place| values.into_iter().nth(place)) {
            Some(value) => Some(TakenApart::Number(Expr { span, ..value })),
            None => {
                let message = format!("a `{}` has no component `{}`", kind.name(), of.name);
                let help = format!("its components are `{}`", kind.components().join("`, `"));
                self.refused(&message, of.span, &help)
            }
        }
    }

    /// What stands behind an `else`, for a value of a kind.
    fn otherwise(&mut self, otherwise: BehindElse<'_>, kind: Option<VectorKind>) -> Option<Vec<Option<Box<Expr>>>> {
        let count = kind.map_or(1, |kind| kind.components().len());
        match otherwise {
            BehindElse::Missing => Some(vec![None; count]),
            BehindElse::Component(number) => {
                let number = Box::new(self.number(number)?);
                Some(vec![Some(number); count])
            }
            BehindElse::Whole(whole) => Some(match self.value_of_kind(whole, kind)? {
                TakenApart::Number(value) => vec![Some(Box::new(value))],
                TakenApart::Vector(_, values) => values.into_iter().map(|value| Some(Box::new(value))).collect(),
            }),
        }
    }

    fn read(&mut self, expr: &Expr, otherwise: BehindElse<'_>) -> Option<TakenApart> {
        let ExprKind::Read { name, offset, offset_span, .. } = &expr.kind else { return None };
        let kind = self.kind_of(&name.name);
        let read = |name: Ident, otherwise| {
            let kind = ExprKind::Read { name, offset: offset.clone(), offset_span: *offset_span, otherwise };
            Expr { kind, span: expr.span }
        };
        let others = self.otherwise(otherwise, kind)?;
        Some(match kind {
            None => TakenApart::Number(read(name.clone(), others.into_iter().next().flatten())),
            Some(kind) => {
                let named = kind.components().iter().zip(others);
                TakenApart::Vector(
                    kind,
                    named.map(|(component, other)| read(component_of(name, component), other)).collect(),
                )
            }
        })
    }

    fn refused(&mut self, message: &str, span: Span, help: &str) -> Option<TakenApart> {
        Diagnostic::new(message.to_owned(), span, "not possible").coded("type").help(help.to_owned()).fail(self.errors)
    }

    fn call(&mut self, expr: &Expr, otherwise: BehindElse<'_>) -> Option<TakenApart> {
        let ExprKind::Call { name, arguments, .. } = &expr.kind else { return None };
        let (function, span) = (name.name.as_str(), expr.span);
        if let Some((kinds, result)) = self.functions.get(function).cloned() {
            return self.call_of_own(expr, &kinds, result, otherwise);
        }
        let is_of_vectors = VectorKind::named(function).is_some() || function == ON_SPHERE;
        if let (BehindElse::Whole(other) | BehindElse::Component(other), true) = (otherwise, is_of_vectors) {
            return self.refused(&format!("`else` after `{function}`"), other.span, "nothing can be missing here");
        }
        if let Some(kind) = VectorKind::named(function) {
            let count = kind.components().len();
            if arguments.len() != count {
                let message = format!("`{function}` takes {count} numbers, not {}", arguments.len());
                return self.refused(&message, span, &format!("write `{}`", kind.written()));
            }
            let values = arguments.iter().map(|argument| self.number(argument)).collect::<Option<Vec<_>>>()?;
            return self.vector(kind, values, span);
        }
        if function == ON_SPHERE {
            if !arguments.is_empty() {
                let message = format!("`{ON_SPHERE}` takes no arguments");
                return self.refused(&message, span, "write `on_sphere()`");
            }
            let component = |component: &&str| Expr {
                kind: ExprKind::Call { name: component_of(name, component), arguments: Vec::new(), otherwise: None },
                span,
            };
            return Some(TakenApart::Vector(
                VectorKind::Vec3,
                VectorKind::Vec3.components().iter().map(component).collect(),
            ));
        }
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Option<Vec<_>>>()?;
        let vector =
            values.iter().find_map(|value| if let TakenApart::Vector(kind, _) = value { Some(*kind) } else { None });
        let of_vectors = FUNCTIONS.iter().find(|(name, _)| *name == function);
        if let (Some((_, form)), None, true) = (of_vectors, vector, self.kind_of(function).is_none()) {
            let help = format!("write `{form}` of vectors; the size of a number is `abs(a)`");
            return self.refused(&format!("`{function}` of numbers"), span, &help);
        }
        let Some(kind) = vector else {
            let others = self.otherwise(otherwise, None)?;
            let numbers = values
                .into_iter()
                .filter_map(|value| if let TakenApart::Number(value) = value { Some(value) } else { None });
            let kind = ExprKind::Call {
                name: name.clone(),
                arguments: numbers.collect(),
                otherwise: others.into_iter().next().flatten(),
            };
            return Some(TakenApart::Number(Expr { kind, span }));
        };
        if let Some((_, form)) = of_vectors {
            if let BehindElse::Whole(other) | BehindElse::Component(other) = otherwise {
                return self.refused(&format!("`else` after `{function}`"), other.span, "nothing can be missing here");
            }
            return self.function_of_vectors(function, form, kind, values, span);
        }
        let is_cast = matches!(function, "f32" | "f64") && values.len() == 1;
        if !is_cast && !BY_COMPONENT.contains(&function) {
            let message = format!("`{function}` of a `{}`", kind.name());
            return self.refused(
                &message,
                span,
                &format!("ask for components, as in `{function}(a.x)`, or for `norm(a)`"),
            );
        }
        // Neighbourhoods stand before what is computed of neighbours.
        let others = self.otherwise(otherwise, Some(kind))?;
        let component = |(number, other): (usize, Option<Box<Expr>>)| {
            let argument = |value: &TakenApart| match value {
                TakenApart::Number(value) => value.clone(),
                TakenApart::Vector(_, values) => values[number].clone(),
            };
            let kind = ExprKind::Call {
                name: name.clone(),
                arguments: values.iter().map(argument).collect(),
                otherwise: other,
            };
            Expr { kind, span }
        };
        let components = others.into_iter().enumerate().map(component).collect();
        self.vector(kind, components, span)
    }

    /// A call of a function that the text defines.
    fn call_of_own(
        &mut self,
        expr: &Expr,
        kinds: &[Option<VectorKind>],
        result: Option<VectorKind>,
        otherwise: BehindElse<'_>,
    ) -> Option<TakenApart> {
        let ExprKind::Call { name, arguments, .. } = &expr.kind else { return None };
        let mut given = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            match self.value_of_kind(argument, kinds.get(number).copied().flatten())? {
                TakenApart::Number(value) => given.push(value),
                TakenApart::Vector(_, values) => given.extend(values),
            }
        }
        if arguments.len() != kinds.len() && (kinds.iter().any(Option::is_some) || result.is_some()) {
            let message = format!("`{}` takes {} arguments, not {}", name.name, kinds.len(), arguments.len());
            return self.refused(&message, expr.span, "give it what it is defined with");
        }
        let others = self.otherwise(otherwise, result)?;
        let called = |name: Ident, otherwise| Expr {
            kind: ExprKind::Call { name, arguments: given.clone(), otherwise },
            span: expr.span,
        };
        match result {
            None => Some(TakenApart::Number(called(name.clone(), others.into_iter().next().flatten()))),
            Some(kind) => {
                let named = kind.components().iter().zip(others);
                let components = named.map(|(component, other)| called(component_of(name, component), other)).collect();
                self.vector(kind, components, expr.span)
            }
        }
    }

    fn function_of_vectors(
        &mut self,
        function: &str,
        form: &str,
        kind: VectorKind,
        values: Vec<TakenApart>,
        span: Span,
    ) -> Option<TakenApart> {
        let vectors: Vec<&Vec<Expr>> = values
            .iter()
            .filter_map(|value| {
                if let TakenApart::Vector(own, values) = value { Some(values).filter(|_| *own == kind) } else { None }
            })
            .collect();
        let all = vectors.len() == values.len();
        let product = |a: &Expr, b: &Expr| binary(BinaryOperator::Multiply, span, a, b);
        let dot = |a: &[Expr], b: &[Expr]| {
            let products = a.iter().zip(b).map(|(a, b)| product(a, b));
            products
                .reduce(|sum, next| binary(BinaryOperator::Add, span, &sum, &next))
                .expect("vectors have components")
        };
        match (function, &vectors[..]) {
            ("dot", [a, b]) if all => Some(TakenApart::Number(Expr { span, ..dot(a, b) })),
            ("norm", [a]) if all => Some(TakenApart::Number(call("sqrt", vec![dot(a, a)], span))),
            ("cross", [a, b]) if all && kind == VectorKind::Vec3 => {
                let part = |i: usize, j: usize| {
                    binary(BinaryOperator::Subtract, span, &product(&a[i], &b[j]), &product(&a[j], &b[i]))
                };
                let parts = vec![part(1, 2), part(2, 0), part(0, 1)];
                self.vector(kind, parts, span)
            }
            ("conj", [a]) if all && kind == VectorKind::Complex => {
                let negated = ExprKind::Unary { op: UnaryOperator::Negate, operand: Box::new(a[1].clone()) };
                Some(TakenApart::Vector(kind, vec![a[0].clone(), Expr { kind: negated, span }]))
            }
            ("arg", [a]) if all && kind != VectorKind::Vec3 => {
                Some(TakenApart::Number(call("atan2", vec![a[1].clone(), a[0].clone()], span)))
            }
            ("re", [a]) if all && kind == VectorKind::Complex => Some(TakenApart::Number(a[0].clone())),
            ("im", [a]) if all && kind == VectorKind::Complex => Some(TakenApart::Number(a[1].clone())),
            _ => {
                let takes = match function {
                    "dot" => "two vectors of one type",
                    "cross" => "two `vec3`",
                    "norm" => "one vector",
                    "arg" => "a `complex` or a `vec2`",
                    _ => "a `complex`",
                };
                self.refused(&format!("`{function}` takes {takes}"), span, &format!("write `{form}`"))
            }
        }
    }

    fn operation(&mut self, op: BinaryOperator, op_span: Span, left: &Expr, right: &Expr) -> Option<TakenApart> {
        use BinaryOperator as B;
        let span = left.span.to(right.span);
        let (left, right) = (self.value(left), self.value(right));
        let (left, right) = (left?, right?);
        let each =
            |values: Vec<(Expr, Expr)>| values.iter().map(|(a, b)| binary(op, op_span, a, b)).collect::<Vec<_>>();
        let name = |value: &TakenApart| match value {
            TakenApart::Number(_) => "a number".to_owned(),
            TakenApart::Vector(kind, _) => format!("a `{}`", kind.name()),
        };
        let message = format!("`{}` of {} and {}", op.name(), name(&left), name(&right));
        match (op, left, right) {
            (_, TakenApart::Number(left), TakenApart::Number(right)) => {
                Some(TakenApart::Number(Expr { span, ..binary(op, op_span, &left, &right) }))
            }
            (B::Add | B::Subtract, TakenApart::Vector(kind, left), TakenApart::Vector(other, right))
                if kind == other =>
            {
                self.vector(kind, each(left.into_iter().zip(right).collect()), span)
            }
            (B::Multiply | B::Divide, TakenApart::Vector(kind, left), TakenApart::Number(right)) => {
                self.vector(kind, each(left.into_iter().map(|value| (value, right.clone())).collect()), span)
            }
            (B::Multiply, TakenApart::Number(left), TakenApart::Vector(kind, right)) => {
                self.vector(kind, each(right.into_iter().map(|value| (left.clone(), value)).collect()), span)
            }
            (B::Multiply, TakenApart::Vector(VectorKind::Complex, a), TakenApart::Vector(VectorKind::Complex, b)) => {
                let product = |i: usize, j: usize| binary(B::Multiply, op_span, &a[i], &b[j]);
                let real = binary(B::Subtract, op_span, &product(0, 0), &product(1, 1));
                let imaginary = binary(B::Add, op_span, &product(0, 1), &product(1, 0));
                self.vector(VectorKind::Complex, vec![real, imaginary], span)
            }
            _ => {
                let help = match op {
                    B::Multiply => "products of vectors are `dot(a, b)` and `cross(a, b)`",
                    B::Divide => "divide by a number: `a * conj(b) / dot(b, b)` is the quotient of complex numbers",
                    B::Add | B::Subtract => {
                        "both sides have one type: write a number as a vector, as in `a + vec2(1.0, 0.0)`"
                    }
                    _ if op.comparison().is_some() => {
                        "compare components, as in `a.x == b.x && a.y == b.y`, or sizes: `norm(a) < norm(b)`"
                    }
                    _ => "vectors are added, subtracted, and multiplied with numbers",
                };
                self.refused(&message, span, help)
            }
        }
    }
}
