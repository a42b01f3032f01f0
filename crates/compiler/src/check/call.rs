//! Checks expressions with parentheses or brackets: functions, casts, random draws, aggregates, direct reads.

use super::body::Operand;
use super::draws::place_of_draw;
use super::expression::{CallExpr, Checker, Context, Home, RuleName, TermOf, Weights};
use super::literal::{self, Flexible};
use super::names::{AGGREGATES, FLOAT_FUNCTIONS, NUMBER_FUNCTIONS, functions, is_draw, unknown, unknown_name};
use crate::ir::{
    AggregateKind, BinaryOp, CompareOp, EnumId, MathFn, MathFn2, Neighbourhood, NodeId, Op, StateId, Type, UnaryOp,
    Value,
};
use crate::text::diagnostics::{Diagnostic, habits};
use crate::text::source::Span;
use crate::text::syntax::ast::{DefKind, Expr, ExprKind, Ident, ItemKind, Number, OffsetEntry};

/// The largest radius of a built-in neighbourhood: a million offsets in the plane.
const LARGEST_RADIUS: i64 = 500;
/// The largest distance on one axis that an offset may have.
const LARGEST_OFFSET: i128 = 1_000_000;

impl<'a> Checker<'a, '_> {
    pub(super) fn call(&mut self, call: CallExpr<'a>, want: Option<Type>) -> Option<Operand> {
        let CallExpr { name, arguments, otherwise, span } = call;
        let function = name.name.as_str();
        if otherwise.is_none()
            && let Some(called) = self.function_named(function)
        {
            return self.call_function(called, call);
        }
        let of_clusters = arguments.first().is_some_and(|first| self.is_clusters(first));
        if matches!(function, "root" | "spans") && otherwise.is_none() && (of_clusters || !self.clusters.is_empty()) {
            return self.call_of_clusters(call);
        }
        if let Some(id) = self.enum_of(function).filter(|_| otherwise.is_none()) {
            return self.variant_of_number(call, id);
        }
        let over_neighbourhood = AGGREGATES.contains(&function)
            || function == "pick"
            || matches!(function, "min" | "max")
                && (otherwise.is_some() || arguments.first().is_some_and(|first| self.is_neighbourhood(first)));
        if over_neighbourhood {
            return self.aggregate(call, want);
        }
        if let Some(otherwise) = otherwise {
            let message = format!("`else` after `{function}`");
            return Diagnostic::new(message, otherwise.span, "nothing can be missing here")
            .help("only `min`, `max` and `pick` over a neighbourhood and direct reads such as `u[1, 0]` take an `else`")
            .fail(self.errors);
        }
        if Type::named(function).is_some() {
            self.cast(call)
        } else if is_draw(function) {
            self.draw(call)
        } else if function == "popcount" {
            let [argument] = self.arguments(call, "popcount(n)")?;
            let argument = self.check(argument, None)?;
            let sound = argument.ty == Type::Bit || argument.ty.is_integer();
            self.needs(sound, argument.ty, span, "`popcount`", "bits and integers")?;
            Some(self.popcount(argument))
        } else if NUMBER_FUNCTIONS.contains(&function) || FLOAT_FUNCTIONS.contains(&function) {
            self.function(call, want)
        } else {
            let error = if Neighbourhood::is_built_in(function) {
                Diagnostic::new(format!("`{function}` is a neighbourhood, not a function"), name.span, "not valid here")
                    .help(format!("write `count({function}, nb.alive)` or `degree({function})`"))
            } else if self.names.contains_key(function) {
                Diagnostic::new(format!("`{function}` is not a function"), name.span, "cannot be called")
                    .help(format!("write `{function}` for its value, `{function}[1, 0] else 0` to read a neighbour"))
            } else {
                if self.is_broken(DefKind::Function, function) {
                    return None;
                }
                let of_rule = self.names.iter().filter(|(_, name)| matches!(name, RuleName::Function(_)));
                let of_rule = of_rule.map(|(name, _)| *name);
                let of_files = self.scope.visible(self.home.module, DefKind::Function);
                let known = of_files.chain(of_rule).chain(functions().map(|name| -> &str { name }));
                match habits::function(function) {
                    Some(help) => unknown("function", function, name.span).help(help),
                    None => unknown_name("function", function, name.span, known),
                }
            };
            error.fail(self.errors)
        }
    }

    /// Reports a wrong number of arguments.
    pub(super) fn arguments<const N: usize>(&mut self, call: CallExpr<'a>, form: &str) -> Option<&'a [Expr; N]> {
        let exact = call.arguments.try_into().ok();
        if exact.is_none() {
            let error = wrong_count(&call.name.name, N, call.arguments.len(), call.span, form);
            self.errors.push(error.help(format!("write `{form}`")));
        }
        exact
    }

    fn function(&mut self, call: CallExpr<'a>, want: Option<Type>) -> Option<Operand> {
        let function = call.name.name.as_str();
        let of_two = BinaryOp::named(function).is_some() || MathFn2::named(function).is_some();
        if of_two || matches!(function, "hypot" | "clamp") {
            return self.function_of_several(call, want);
        }
        let [argument] = self.arguments(call, &format!("{function}(a)"))?;
        let want = want.or_else(|| self.float_for(function, call.arguments));
        let want = want.filter(|_| self.flexible(argument).is_some());
        let argument = self.check(argument, want)?;
        self.function_type(function, argument.ty, call.span)?;
        Some(match function {
            "abs" => self.body.push(argument.ty, Op::Unary(UnaryOp::Abs, argument.id)),
            "sign" => self.sign(argument),
            "trunc" => self.trunc(argument),
            "fract" => self.fract(argument),
            _ => {
                let math =
                    MathFn::named(function).unwrap_or_else(|| unreachable!("`{function}` is in no list of names"));
                self.body.push(argument.ty, Op::Math(math, argument.id))
            }
        })
    }

    /// Functions of two or more numbers of one type.
    fn function_of_several(&mut self, call: CallExpr<'a>, want: Option<Type>) -> Option<Operand> {
        let CallExpr { name, arguments, span, .. } = call;
        let function = name.name.as_str();
        let several = matches!(function, "min" | "max") && arguments.len() > 2;
        if !several {
            match function {
                "clamp" => drop(self.arguments::<3>(call, "clamp(a, low, high)")?),
                "atan2" => drop(self.arguments::<2>(call, "atan2(y, x)")?),
                _ => drop(self.arguments::<2>(call, &format!("{function}(a, b)"))?),
            }
        }
        let want = want.or_else(|| self.float_for(function, arguments));
        let operands = self.of_one_type(arguments, want)?;
        let (first, rest) = operands.split_first()?;
        self.function_type(function, first.ty, span)?;
        Some(match function {
            "clamp" => self.clamp(*first, rest[0], rest[1]),
            "hypot" => self.hypot(*first, rest[0]),
            "pow" if first.ty.is_integer() => self.integer_power(*first, rest[0]),
            _ => match (BinaryOp::named(function), MathFn2::named(function)) {
                (Some(op), _) => rest.iter().fold(*first, |a, b| self.binary_node(op, a, *b)),
                (None, Some(math)) => {
                    self.lint_power(math, rest[0], span);
                    self.body.push(first.ty, Op::Math2(math, first.id, rest[0].id))
                }
                (None, None) => unreachable!("`{function}` is in no list of names"),
            },
        })
    }

    /// Checks operands that must have one type: literals take that of the first that has one.
    fn of_one_type(&mut self, operands: &'a [Expr], want: Option<Type>) -> Option<Vec<Operand>> {
        if let [left, right] = operands {
            let (left, right) = self.same_type(left, right, want)?;
            return Some(vec![left, right]);
        }
        let flexible: Vec<Option<Flexible>> = operands.iter().map(|operand| self.flexible(operand)).collect();
        let Some(first) = flexible.iter().position(Option::is_none) else {
            let default = flexible.iter().flatten().copied().reduce(Flexible::and)?.default_type();
            return operands.iter().map(|operand| self.check(operand, Some(want.unwrap_or(default)))).collect();
        };
        let known = self.check(&operands[first], None)?;
        let operands = operands.iter().enumerate();
        operands
            .map(|(i, operand)| if i == first { Some(known) } else { self.check(operand, Some(known.ty)) })
            .collect()
    }

    /// The enum of the state or parameter that a name means, if it has one.
    fn enum_of(&self, name: &str) -> Option<EnumId> {
        let ty = match self.names.get(name).filter(|_| self.home.in_rule)? {
            RuleName::State(state) => self.rule.states[usize::from(state.0)].ty,
            RuleName::Kept(index) => self.rule.states[usize::from(self.kept[*index].state.0)].ty,
            RuleName::Param(param) => self.rule.params[usize::from(*param)].ty,
            _ => return None,
        };
        if let Type::Enum(id) = ty { Some(id) } else { None }
    }

    /// Functions of floats ask literals to be floats: `sqrt(2)` is f32.
    fn float_for(&mut self, function: &str, arguments: &[Expr]) -> Option<Type> {
        let flexible = arguments.iter().all(|argument| self.flexible(argument).is_some());
        (flexible && FLOAT_FUNCTIONS.contains(&function)).then_some(Type::F32)
    }

    fn function_type(&mut self, function: &str, ty: Type, span: Span) -> Option<()> {
        if FLOAT_FUNCTIONS.contains(&function) {
            if ty.is_float() {
                return Some(());
            }
            return Diagnostic::new(format!("`{function}` of `{}`", self.type_name(ty)), span, "works on floats only")
                .help(format!("convert first, as in `{function}(f32(n))`"))
                .coded("type")
                .fail(self.errors);
        }
        self.needs(ty.is_number(), ty, span, &format!("`{function}`"), "numbers")
    }

    fn cast(&mut self, call: CallExpr<'a>) -> Option<Operand> {
        let target = Type::named(&call.name.name)?;
        let [argument] = self.arguments(call, &format!("{}(a)", call.name.name))?;
        // `f64(0.1)` is the f64 nearest to 0.1, `i64(1 << 40)` an i64 throughout; `f64(1 << 3)`, `u8(300)` and `u32(-1)` begin as an i32;
        // `u32(4294967295)` has no i32 to begin as.
        let want = match self.flexible(argument) {
            Some(Flexible::Float) if target.is_float() => Some(target),
            Some(Flexible::Integer) if target == Type::I64 => Some(target),
            Some(Flexible::Integer) if target == Type::U32 && literal::is_beyond_i32(argument) => Some(target),
            _ => None,
        };
        let argument = self.check(argument, want)?;
        Some(if argument.ty == target { argument } else { self.body.push(target, Op::Cast(argument.id)) })
    }

    /// The number of a draw, until its step gives it one ([`DrawNumbers`](super::draws::DrawNumbers)); reports one where nothing can be drawn.
    pub(super) fn may_draw(&mut self, name: &Ident, span: Span) -> Option<u32> {
        let place = match self.place {
            _ if !self.inlined.is_empty() => Some("in a function"),
            _ if self.body.in_term() && !self.is_in_pair() => Some("inside an aggregate"),
            Context::Param => Some("in the default of a parameter"),
            Context::Constant => Some("in a constant"),
            Context::Function => Some("in a function"),
            Context::Guard => Some("in a guard"),
            Context::Observe if self.totals.draws => Some("in what a `global` combines"),
            Context::Observe => Some("in `observe`"),
            Context::Init | Context::Step | Context::RuleLet => None,
        };
        if let Some(place) = place {
            return Diagnostic::new(format!("`{}` cannot draw {place}", name.name), span, "no random numbers here")
                .help("random numbers are drawn in `init`, in `next` and in every `let`")
                .fail(self.errors);
        }
        self.uses.draws = true;
        Some(place_of_draw(span))
    }

    pub(super) fn draw(&mut self, call: CallExpr<'a>) -> Option<Operand> {
        let draw = self.may_draw(call.name, call.span)?;
        if let Some(component) = call.name.name.strip_prefix("on_sphere.") {
            return self.on_sphere(component, draw, call.span);
        }
        match call.name.name.as_str() {
            "uniform" if !call.arguments.is_empty() => self.uniform_between(call, draw),
            "below" => self.below(call, draw),
            "normal" => {
                let [] = self.arguments(call, "normal()")?;
                self.normal(draw, call.span)
            }
            "exponential" => {
                let [] = self.arguments(call, "exponential()")?;
                self.exponential(draw, call.span)
            }
            "uniform" => {
                let [] = self.arguments(call, "uniform()")?;
                self.word_node(Type::F32, Op::RandomUniform { draw }, call.span)
            }
            "bits" => {
                let [] = self.arguments(call, "bits()")?;
                self.word_node(Type::U32, Op::RandomBits { draw }, call.span)
            }
            _ => {
                let [argument] = self.arguments(call, "random(p)")?;
                let want = self.flexible(argument).map(|_| Type::F64);
                let probability = self.check(argument, want)?;
                if !probability.ty.is_float() {
                    let ty = self.type_name(probability.ty);
                    let message = format!("a probability of type `{ty}`");
                    return Diagnostic::new(message, argument.span, "expected `f32` or `f64`")
                        .help("write `random(0.5)`, or convert: `random(f32(n) / 8.0)`")
                        .coded("type")
                        .fail(self.errors);
                }
                self.lint_probability(probability, argument.span);
                Some(self.body.push(Type::Bit, Op::RandomBit { draw, probability: probability.id }))
            }
        }
    }

    /// Whether an argument can only mean a neighbourhood.
    fn is_neighbourhood(&self, expr: &Expr) -> bool {
        let name = match &expr.kind {
            ExprKind::Name(name) => name,
            ExprKind::Offsets(_) => return true,
            ExprKind::Call { name, .. } => return Neighbourhood::is_built_in(&name.name),
            _ => return false,
        };
        if Neighbourhood::is_built_in(name) {
            return true;
        }
        if let Some(RuleName::List(_)) = self.names.get(name.as_str()).filter(|_| self.home.in_rule) {
            return true;
        }
        let is_value = self.names.contains_key(name.as_str()) || self.local_named(name).is_some();
        let ident = Ident { name: name.clone(), span: expr.span };
        !is_value && self.scope.find(self.home.module, DefKind::Neighbourhood, &ident).is_ok()
    }

    fn aggregate(&mut self, call: CallExpr<'a>, want: Option<Type>) -> Option<Operand> {
        let CallExpr { name, arguments, otherwise, span } = call;
        let function = name.name.as_str();
        self.not_constant(function, span)?;
        if self.is_in_pair() {
            return self.aggregate_in_bond(span);
        }
        if self.body.in_term() {
            let own =
                "for the cell's own neighbours, name it first: `let n = count(moore, nb.alive)`, and write `n` inside";
            return Diagnostic::new("an aggregate inside an aggregate", span, "not valid here")
                .help(own)
                .help("for the neighbours' neighbours, read that `let` at the neighbour: `nb.n`")
                .fail(self.errors);
        }
        let picks = function == "pick";
        let draw = if picks { self.may_draw(name, span)? } else { 0 };
        let needs_else = picks || matches!(function, "min" | "max" | "mean");
        let form = match function {
            "degree" => "degree(moore)".to_owned(),
            "min" | "max" | "mean" | "pick" => format!("{function}(moore, nb.u) else u"),
            "sum" | "product" => format!("{function}(moore, nb.u)"),
            _ => format!("{function}(moore, nb.alive)"),
        };
        match (otherwise, needs_else) {
            (Some(otherwise), false) => {
                self.errors
                    .push(Diagnostic::new(format!("`else` after `{function}`"), otherwise.span, "not needed").help(
                    "without neighbours, `sum`, `count` and `degree` give 0, `product` 1, `any` false and `all` true",
                ));
                return None;
            }
            (None, true) => {
                let message = format!("`{function}` over a neighbourhood without `else`");
                return Diagnostic::new(message, span, "what if there is no neighbour?")
                    .help(format!("write `{form}`"))
                    .fail(self.errors);
            }
            _ => {}
        }
        if function == "degree" {
            let [neighbourhood] = self.arguments(call, &form)?;
            let (neighbourhood, _) = self.neighbourhood(neighbourhood)?;
            return Some(self.degree(neighbourhood));
        }
        if arguments.len() == 1 && !self.is_neighbourhood(&arguments[0]) {
            return Diagnostic::new(format!("`{function}` of what neighbours?"), span, "a neighbourhood is missing")
                .help(format!(
                    "write `{form}`; only `observe` combines all cells, as in `observe total = {function}(u)`"
                ))
                .fail(self.errors);
        }
        let [neighbourhood, term] = self.arguments(call, &form)?;
        let neighbourhood = self.neighbourhood(neighbourhood);
        self.lint_term(function, term, span);
        let bits = matches!(function, "count" | "any" | "all");
        let want = if bits { Some(Type::Bit) } else { want.filter(|ty| picks || ty.is_number()) };
        let index = match neighbourhood {
            Some((neighbourhood, _)) if picks => Some(self.picked(neighbourhood, draw)),
            _ => None,
        };
        self.weights = neighbourhood.and_then(|(_, weights)| weights);
        self.term_of = neighbourhood.map(|(neighbourhood, _)| TermOf::Aggregate(neighbourhood));
        let flexible = self.flexible(term);
        self.body.open_term();
        let value = self.check(term, if bits || flexible.is_some() { want } else { None });
        (self.weights, self.term_of) = (None, None);
        let (Some(value), Some((neighbourhood, _))) = (value, neighbourhood) else {
            self.body.term = None;
            return None;
        };
        let kind = AggregateKind::named(if function == "mean" { "sum" } else { function });
        let kind = kind.unwrap_or_else(|| unreachable!("`{function}` was taken for an aggregate"));
        if function == "mean" && !value.ty.is_float() {
            self.body.term = None;
            let message = format!("`mean` of `{}`", self.type_name(value.ty));
            let error = Diagnostic::new(message, term.span, "works on `f32` and `f64` only");
            let help = "convert first, as in `mean(moore, f32(nb.n)) else 0.0`";
            return error.help(help).coded("type").fail(self.errors);
        }
        let sound = bits || picks || value.ty.is_number() || (kind == AggregateKind::Sum && value.ty == Type::Bit);
        if !sound {
            self.body.term = None;
            let valid = if kind == AggregateKind::Sum { "numbers or bits" } else { "numbers" };
            return self.needs(false, value.ty, term.span, &format!("`{function}`"), valid).and(None);
        }
        let ty = match kind {
            AggregateKind::Count => Type::I32,
            AggregateKind::Sum if value.ty == Type::Bit => Type::I32,
            AggregateKind::Sum | AggregateKind::Product | AggregateKind::Min | AggregateKind::Max => value.ty,
            AggregateKind::Any | AggregateKind::All | AggregateKind::Pick => value.ty,
        };
        let otherwise = match otherwise {
            None => None,
            Some(otherwise) => {
                // The alternative belongs to the cell, and must stand before the term.
                let term = self.body.term.take();
                let checked = self.check(otherwise, Some(ty));
                self.body.term = term;
                match checked {
                    Some(operand) => Some(operand.id),
                    None => {
                        self.body.term = None;
                        return None;
                    }
                }
            }
        };
        if function == "mean" {
            let sum = self.body.close_term(kind, neighbourhood, value, None, None, ty);
            return self.mean(sum, neighbourhood, otherwise?);
        }
        Some(self.body.close_term(kind, neighbourhood, value, otherwise, index, ty))
    }

    /// How many neighbours exist.
    pub(super) fn degree(&mut self, neighbourhood: u16) -> Operand {
        self.body.open_term();
        let id = self.bit(true);
        let value = Operand { id, ty: Type::Bit };
        self.body.close_term(AggregateKind::Count, neighbourhood, value, None, None, Type::I32)
    }

    /// The sum over the existing neighbours divided by their number, or `otherwise` if there are none.
    fn mean(&mut self, sum: Operand, neighbourhood: u16, otherwise: NodeId) -> Option<Operand> {
        let degree = self.degree(neighbourhood);
        let count = self.body.push(sum.ty, Op::Cast(degree.id));
        let mean = self.binary_node(BinaryOp::Divide, sum, count);
        let zero = self.value_node(Value::I32(0));
        let condition = self.body.push(Type::Bit, Op::Compare(CompareOp::NotEqual, degree.id, zero.id)).id;
        Some(self.body.push(sum.ty, Op::Select { condition, then: mean.id, otherwise }))
    }

    /// The neighbourhood that an argument names, as an index into the rule's list, and its weights.
    pub(super) fn neighbourhood(&mut self, expr: &'a Expr) -> Option<(u16, Option<Weights<'a>>)> {
        let mut weights = None;
        let found = match &expr.kind {
            ExprKind::Name(name) if let Some(found) = Neighbourhood::built_in(name, 1) => found,
            ExprKind::Offsets(entries) => {
                let before = self.errors.len();
                let home = self.home;
                self.check_offsets(entries, expr.span, "a list of offsets");
                if self.errors.len() > before {
                    return None;
                }
                weights = self.weights_of(entries, home);
                self.listed("in place", entries)?
            }
            ExprKind::Name(name)
                if let Some(&RuleName::List(index)) = self.names.get(name.as_str()).filter(|_| self.home.in_rule) =>
            {
                let def = self.lists[index];
                weights = self.weights_of(&def.offsets, self.home);
                self.listed(&def.name.name, &def.offsets)?
            }
            ExprKind::Name(name) => {
                let ident = Ident { name: name.clone(), span: expr.span };
                match self.scope.find(self.home.module, DefKind::Neighbourhood, &ident) {
                    Ok(id) => {
                        let ItemKind::Neighbourhood(def) = self.scope.item(id) else { return None };
                        weights = self.weights_of(&def.offsets, Home { module: id.module, in_rule: false });
                        self.listed(&def.name.name, &def.offsets)?
                    }
                    Err(error) => return error.fail(self.errors),
                }
            }
            ExprKind::Call { name, arguments, otherwise: None } if Neighbourhood::is_built_in(&name.name) => {
                Neighbourhood::built_in(&name.name, self.radius(name, arguments, expr.span)?)?
            }
            _ => {
                let help = "write `moore`, `von_neumann`, one with a radius such as `moore(2)`, or the name of a list of offsets";
                return Diagnostic::new("expected a neighbourhood", expr.span, "not a neighbourhood")
                    .help(help)
                    .fail(self.errors);
            }
        };
        if let Some(known) = self.rule.neighbourhoods.iter().position(|known| *known == found) {
            return Some((known as u16, weights));
        }
        self.rule.neighbourhoods.push(found);
        Some((u16::try_from(self.rule.neighbourhoods.len() - 1).ok()?, weights))
    }

    /// The weights of a list, if it has them. [`Checker::check_offsets`] reports their errors.
    fn weights_of(&mut self, entries: &'a [OffsetEntry], home: Home) -> Option<Weights<'a>> {
        let mut flexible = entries.first().and(Some(Flexible::Integer));
        for entry in entries {
            let weight = entry.weight.as_ref()?;
            let one = self.at_home(home, |checker| checker.flexible(weight));
            flexible = flexible.zip(one).map(|(all, one)| all.and(one));
        }
        Some(Weights { entries, home, flexible })
    }

    /// Checks a list of offsets by itself.
    pub(super) fn check_offsets(&mut self, entries: &'a [OffsetEntry], span: Span, what: &str) {
        check_offsets(entries, span, what, self.errors);
        let weights = self.weights_of(entries, self.home);
        let mut ty = weights.and_then(|weights| weights.flexible).map(Flexible::default_type);
        for weight in entries.iter().filter_map(|entry| entry.weight.as_ref()) {
            let Some(value) = self.value_of(weight, ty) else { continue };
            if !value.ty().is_number() {
                self.needs(false, value.ty(), weight.span, "a weight", "numbers");
                return;
            }
            ty = Some(value.ty());
        }
    }

    fn radius(&mut self, name: &Ident, arguments: &'a [Expr], span: Span) -> Option<u32> {
        let radius = match arguments {
            [Expr { kind: ExprKind::Int(text), .. }] => text.replace('_', "").parse::<i64>().ok(),
            _ => None,
        };
        match radius {
            Some(radius @ 1..=LARGEST_RADIUS) => Some(radius as u32),
            _ => Diagnostic::new(
                format!("the radius of `{}` is not valid", name.name),
                span,
                format!("expected a whole number from 1 to {LARGEST_RADIUS}"),
            )
            .help(format!("write `{}(2)`; without a radius it is 1", name.name))
            .fail(self.errors),
        }
    }

    /// A list of offsets. Its own errors are reported by [`Checker::check_offsets`].
    fn listed(&mut self, name: &str, entries: &[OffsetEntry]) -> Option<Neighbourhood> {
        let offsets: Option<Vec<[i32; 3]>> = entries.iter().map(|entry| offset_of(&entry.offset)).collect();
        let offsets = offsets.filter(|offsets| !offsets.is_empty())?;
        self.rule.needs_three_dimensions |= entries.iter().any(|entry| entry.offset.len() == 3);
        Some(Neighbourhood::Listed { name: name.to_owned(), offsets })
    }

    pub(super) fn neighbour(&mut self, field: &'a Ident, want: Option<Type>, span: Span) -> Option<Operand> {
        if let Some(bond) = self.bond_named(field) {
            return self.bond_at_neighbour(bond, field, span);
        }
        if let Some(index) = self.let_of(field) {
            return self.field_at_neighbour(index, field, want, span);
        }
        let (state, ty) = self.state_of(field)?;
        if !self.body.in_term() {
            return neighbour_outside(field, span).fail(self.errors);
        }
        self.may_read_state(&field.name, span)?;
        Some(self.body.push(ty, Op::Neighbour(state)))
    }

    /// The state or the input that a name means, and its type.
    fn state_of(&mut self, name: &Ident) -> Option<(StateId, Type)> {
        if let Some(&RuleName::Input(index)) = self.names.get(name.name.as_str()) {
            return Some(self.field_of_input(index));
        }
        let label = "only states, inputs and `let`s of the rule have neighbours' values";
        let state = self.state_named(name, label, "it is the same in all cells: write its name alone")?;
        Some((state, self.rule.states[usize::from(state.0)].ty))
    }

    /// The state that a name means; reports one that means something else.
    pub(super) fn state_named(&mut self, name: &Ident, label: &str, help: &str) -> Option<StateId> {
        match self.names.get(name.name.as_str()) {
            Some(&RuleName::State(state)) => Some(state),
            Some(RuleName::Broken) => None,
            Some(_) => Diagnostic::new(format!("`{}` is not a state", name.name), name.span, label)
                .help(help)
                .fail(self.errors),
            None => {
                let known = self.rule.states.iter().map(|state| state.name.as_str());
                unknown_name("state", &name.name, name.span, known).fail(self.errors)
            }
        }
    }

    pub(super) fn read(
        &mut self,
        name: &'a Ident,
        (offset, offset_span): (&'a [Number], Span),
        otherwise: Option<&'a Expr>,
        want: Option<Type>,
        span: Span,
    ) -> Option<Operand> {
        let (bond, index) = (self.bond_named(name), self.let_of(name));
        let (state, ty) = match (bond, index) {
            (Some(bond), _) => self.bond_to_read(bond, name.span)?,
            (None, Some(index)) => self.field_to_read(index, want, name.span)?,
            (None, None) => self.state_of(name)?,
        };
        let Some(place) = offset_of(offset) else {
            return bad_offset(offset, offset_span).fail(self.errors);
        };
        self.rule.needs_three_dimensions |= offset.len() == 3;
        if let Some(bond) = bond {
            self.bond_has_offset(bond, place, offset_span)?;
        }
        let Some(otherwise) = otherwise else {
            return Diagnostic::new("a direct read without `else`", span, "what if there is no such cell?")
                .help(format!(
                    "write `{}[…] else {}`: what a hole or an edge gives",
                    name.name,
                    if ty == Type::Bit { "false" } else { "0" }
                ))
                .fail(self.errors);
        };
        if bond.is_none() && index.is_none() {
            self.may_read_state(&name.name, span)?;
        }
        let otherwise = self.check(otherwise, Some(ty))?;
        Some(self.body.push(ty, Op::Read { state, offset: place, otherwise: otherwise.id }))
    }
}

/// The error for a call of this form with another number of arguments.
pub(super) fn wrong_count(function: &str, wanted: usize, found: usize, span: Span, form: &str) -> Diagnostic {
    let wanted = crate::text::diagnostics::counted(wanted, "argument");
    Diagnostic::new(format!("`{function}` takes {wanted}, not {found}"), span, format!("expected `{form}`"))
}

/// The error for `nb.field` where there is no neighbour.
pub(super) fn neighbour_outside(field: &Ident, span: Span) -> Diagnostic {
    Diagnostic::new(format!("`nb.{}` outside an aggregate", field.name), span, "which neighbour?").help(format!(
        "write it inside an aggregate, as in `sum(moore, nb.{0})`, or read one neighbour: `{0}[1, 0] else …`",
        field.name
    ))
}

/// (dx, dy, dz) from two or three numbers in range.
fn offset_of(numbers: &[Number]) -> Option<[i32; 3]> {
    let mut offset = [0; 3];
    if !(2..=3).contains(&numbers.len()) {
        return None;
    }
    for (axis, number) in numbers.iter().enumerate() {
        if !(-LARGEST_OFFSET..=LARGEST_OFFSET).contains(&number.value) {
            return None;
        }
        offset[axis] = number.value as i32;
    }
    Some(offset)
}

fn bad_offset(numbers: &[Number], span: Span) -> Diagnostic {
    if let 2..=3 = numbers.len() {
        Diagnostic::new("an offset that is too far", span, format!("at most {LARGEST_OFFSET} on each axis"))
    } else {
        let message = format!("an offset of {}", crate::text::diagnostics::counted(numbers.len(), "number"));
        Diagnostic::new(message, span, "needs two, or three in 3-D")
            .help("offsets are dx, dy and in 3-D dz: `(1, 0)` is the cell to the right, `(0, 1)` the one below")
    }
}

fn check_offsets(entries: &[OffsetEntry], span: Span, what: &str, errors: &mut Vec<Diagnostic>) {
    if entries.is_empty() {
        Diagnostic::new(format!("{what} is empty"), span, "no offsets")
            .help("list offsets from the cell: `[(1, 0), (0, 1)]`")
            .report(errors);
    }
    let weighted = entries.iter().find(|entry| entry.weight.is_some());
    for entry in entries {
        if offset_of(&entry.offset).is_none() {
            errors.push(bad_offset(&entry.offset, entry.offset_span));
        } else if entry.offset.len() != entries[0].offset.len() {
            let numbers = format!("{} numbers", entry.offset.len());
            Diagnostic::new("pairs and triples in one list", entry.offset_span, numbers)
                .also(entries[0].offset_span, format!("{} numbers", entries[0].offset.len()))
                .help("write pairs for any dimension, or triples for 3-D")
                .report(errors);
        }
        if let (None, Some(weighted)) = (&entry.weight, weighted) {
            Diagnostic::new("an offset without a weight", entry.span, "has no weight")
                .also(weighted.span, "has one")
                .help("all offsets of a list have weights, or none: write `(1, 0): 0.0` for one that counts nothing")
                .report(errors);
        }
    }
}
