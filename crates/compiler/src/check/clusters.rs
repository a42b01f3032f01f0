//! Checks clusters: connected components of bonds, and the values that cells ask of them.
//!
//! What a value of clusters combines is made a field of the step, as lets that are read at neighbours are, and so is the value itself: it stands in a field that no
//! code of cells computes. The steps of fields that ask no clusters run first, then clusters are found, then all else is computed.

use super::body::Operand;
use super::expression::{CallExpr, Checker, Context, LetState, RuleLet, RuleName, Uses};
use super::literal::Flexible;
use super::names::unknown_name;
use super::pairs::{AskedClusters, AskedValue, BondName};
use crate::ir::rule::of_cell;
use crate::ir::{Axes, ClusterInput, ClusterQuantity, ClusterValue, Clusters, Op, State, StateId, Type, Value};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{BinaryOperator, Expr, ExprKind, Ident};
use crate::text::syntax::walk;
use std::collections::BTreeSet;

/// The number that stands for the fields of values of clusters among the lets that are fields.
pub(super) const OF_CLUSTERS: usize = usize::MAX - 1;

/// What is known of an expression that clusters ask for.
struct ClusterArgument {
    /// Whether it asks the cell for something.
    varies: bool,
    /// Its value, if that is a constant.
    constant: Option<Value>,
}

impl<'a> Checker<'a, '_> {
    /// Checks a definition of clusters alone.
    pub(super) fn check_clusters(&mut self, index: usize) {
        self.place = Context::RuleLet;
        self.uses = Uses::default();
        let draws = self.clusters_alone(index);
        self.take_body(Vec::new());
        self.needed.clear();
        self.clusters[index].checked = Some(draws);
    }

    fn clusters_alone(&mut self, index: usize) -> Option<bool> {
        let (bond, when) = (self.clusters[index].bond, self.clusters[index].when);
        let Some(of) = self.bond_named(bond) else {
            if let Some(RuleName::Broken) = self.names.get(bond.name.as_str()) {
                return None;
            }
            return Diagnostic::new(format!("`{}` is no bond", bond.name), bond.span, "cells are joined by bonds")
                .help("write `bond open over von_neumann = …` above, a bit, and `clusters c of open`")
                .fail(self.errors);
        };
        let (ty, draws) = match of {
            BondName::Computed(index) if self.asks_clusters(self.lets[index].value) => {
                return self.asks_before_they_are_found(&bond.name, bond.span);
            }
            BondName::Computed(index) => {
                let ty = self.use_let(index, bond.span)?;
                (ty, self.let_draws(index))
            }
            BondName::Kept(index) => {
                self.kept[index].neighbourhood?;
                (self.rule.states[usize::from(self.kept[index].state.0)].ty, false)
            }
        };
        if ty != Type::Bit {
            let ty = self.type_name(ty);
            return Diagnostic::new(
                format!("clusters of `{}`, which is a bond of type `{ty}`", bond.name),
                bond.span,
                "joined or not?",
            )
            .help(format!("make a bit of it: `bond open over … = {} > 0`", bond.name))
            .coded("type")
            .fail(self.errors);
        }
        if let Some(when) = when {
            if !super::draws::draws_in(when).is_empty() {
                let what = format!("`when` of the clusters `{}` draws", self.clusters[index].name);
                return Diagnostic::new(what, when.span, "this draws")
                    .help("draw by a `let` of the rule, `let kept = random(0.5)`, and write `when kept`")
                    .fail(self.errors);
            }
            self.inside_clusters(|checker| checker.check(when, Some(Type::Bit)))?;
        }
        Some(draws || self.uses.draws)
    }

    /// Whether a let draws.
    fn let_draws(&self, index: usize) -> bool {
        matches!(self.lets[index].checked, LetState::Sound { uses: Uses { draws: true, .. }, .. })
    }

    /// Checks what is evaluated at each cell before clusters are found.
    fn inside_clusters<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.in_clusters, true);
        let (term, locals) = (self.body.term.take(), std::mem::take(&mut self.locals));
        let (weights, term_of) = (self.weights.take(), self.term_of.take());
        let found = check(self);
        (self.weights, self.term_of) = (weights, term_of);
        self.body.term = term;
        self.locals = locals;
        self.in_clusters = outer;
        found
    }

    /// The clusters that a name means.
    fn clusters_named(&mut self, name: &Ident) -> Option<usize> {
        match self.names.get(name.name.as_str()).filter(|_| self.home.in_rule) {
            Some(&RuleName::Clusters(index)) => Some(index),
            Some(RuleName::Broken) => None,
            Some(_) => {
                let error =
                    Diagnostic::new(format!("`{}` are no clusters", name.name), name.span, "of which clusters?");
                let help = match self.bond_named(name) {
                    Some(_) => format!("name those of the bond, `clusters c of {}`, and write `c`", name.name),
                    None => "define them by `clusters c of open`, where `open` is a bond of bits".to_owned(),
                };
                error.help(help).fail(self.errors)
            }
            None => {
                let known = self.clusters.iter().map(|clusters| clusters.name);
                unknown_name("clusters", &name.name, name.span, known).fail(self.errors)
            }
        }
    }

    /// Whether an expression names clusters by itself.
    pub(super) fn is_clusters(&self, expr: &Expr) -> bool {
        let ExprKind::Name(name) = &expr.kind else { return false };
        self.home.in_rule && matches!(self.names.get(name.as_str()), Some(RuleName::Clusters(_)))
    }

    /// `root(c)` or `spans(c, x)`.
    pub(super) fn call_of_clusters(&mut self, call: CallExpr<'a>) -> Option<Operand> {
        let (function, span) = (call.name.name.as_str(), call.span);
        let ident = |expr: &Expr| match &expr.kind {
            ExprKind::Name(name) => Ident { name: name.clone(), span: expr.span },
            _ => Ident { name: function.to_owned(), span: expr.span },
        };
        if function == "root" {
            let [of] = self.arguments(call, "root(c)")?;
            let index = self.clusters_named(&ident(of))?;
            return self.ask(index, (ClusterQuantity::Root, Type::I64), None, span);
        }
        let [of, axis] = self.arguments(call, "spans(c, x)")?;
        let index = self.clusters_named(&ident(of))?;
        let number = match &axis.kind {
            ExprKind::Name(name) => Axes::NAMES.iter().position(|known| known == name),
            _ => None,
        };
        let Some(number) = number else {
            return Diagnostic::new("`spans` along what?", axis.span, "expected an axis: x, y or z")
                .help("write `spans(c, x)`")
                .fail(self.errors);
        };
        self.rule.needs_three_dimensions |= number == 2;
        self.ask(index, (ClusterQuantity::Spans(number as u8), Type::Bit), None, span)
    }

    /// `name(e) of c`
    pub(super) fn of_clusters(
        &mut self,
        call: &'a Expr,
        of: &'a Ident,
        want: Option<Type>,
        span: Span,
    ) -> Option<Operand> {
        let index = self.clusters_named(of)?;
        self.may_ask(index, span)?;
        let ExprKind::Call { name, arguments, otherwise } = &call.kind else {
            return no_value(call.span).fail(self.errors);
        };
        let function = name.name.as_str();
        if let (Some(otherwise), false) = (otherwise, matches!(function, "min" | "max")) {
            return Diagnostic::new(
                format!("`else` after `{function}`"),
                otherwise.span,
                "nothing can be missing here",
            )
            .help("`min` and `max` of clusters take an `else`, for cells that belong to none")
            .fail(self.errors);
        }
        let quantity = match function {
            "count" if arguments.is_empty() => {
                return self.ask(index, (ClusterQuantity::Count, Type::I64), None, span);
            }
            "count" => ClusterQuantity::Count,
            "any" => ClusterQuantity::Any,
            "all" => ClusterQuantity::All,
            "sum" => ClusterQuantity::Sum,
            "min" => ClusterQuantity::Min,
            "max" => ClusterQuantity::Max,
            _ => return no_value(name.span).fail(self.errors),
        };
        let [argument] = &arguments[..] else {
            let error =
                super::call::wrong_count(function, 1, arguments.len(), call.span, &format!("{function}(e) of c"));
            return error.fail(self.errors);
        };
        use ClusterQuantity as Q;
        let of_type = match quantity {
            Q::Count | Q::Any | Q::All => Some(Type::Bit),
            Q::Min | Q::Max => want.filter(|want| want.is_integer() && self.flexible(argument).is_some()),
            _ => None,
        };
        let (ty, _) = self.type_inside(argument, of_type)?;
        if quantity == Q::Any && self.is_one_cell(argument) {
            self.lint_whole_labelling(of, span);
        }
        let is_whole = ty.is_integer() || ty == Type::Bit && quantity == Q::Sum;
        if matches!(quantity, Q::Sum | Q::Min | Q::Max) && !is_whole {
            let name = self.type_name(ty);
            let error = Diagnostic::new(
                format!("`{function}` of `{name}` in a cluster"),
                argument.span,
                format!("this is `{name}`"),
            );
            let error = match ty.is_float() {
                true => error.help("a sum of floats has no order here; `sum(i64(1048576.0 * e)) of c` is exact"),
                false => error.help("write a whole number: `max(i32(e)) of c`"),
            };
            return error.coded("type").fail(self.errors);
        }
        let result = match quantity {
            Q::Count | Q::Sum => Type::I64,
            Q::Min | Q::Max => ty,
            _ => Type::Bit,
        };
        let value = self.ask(index, (quantity, result), Some((argument, ty, None)), span)?;
        if !matches!(quantity, Q::Min | Q::Max) {
            return Some(value);
        }
        match (otherwise, self.clusters[index].when) {
            (None, Some(_)) => Diagnostic::new(
                format!("`{function}` of clusters with `when`, without `else`"),
                span,
                "what in cells that belong to none?",
            )
            .help(format!("write `{function}(e) of {} else 0`", of.name))
            .fail(self.errors),
            (None, None) => Some(value),
            (Some(otherwise), _) => {
                let root = self.ask(index, (Q::Root, Type::I64), None, span)?;
                let otherwise = self.check(otherwise, Some(ty))?;
                let none = self.body.push(Type::I64, Op::Const(Value::I64(0)));
                let belongs = self.compare_node(crate::ir::CompareOp::GreaterEqual, root, none);
                Some(self.select_node(belongs, value, otherwise))
            }
        }
    }

    /// `DRAW at c`
    pub(super) fn draw_at_clusters(&mut self, draw: &'a Expr, of: &'a Ident, span: Span) -> Option<Operand> {
        let index = self.clusters_named(of)?;
        let call = match &draw.kind {
            ExprKind::Call { name, arguments, otherwise: None }
                if name.name != "pick" && super::names::is_draw(&name.name) =>
            {
                CallExpr { name, arguments, otherwise: None, span: draw.span }
            }
            _ => {
                return Diagnostic::new("`at` behind what draws no number", draw.span, "no draw stands before it")
                    .help(format!("it stands behind a draw, `random(0.5) at {0}`; `pick` takes a neighbour of the cell, and no cluster", of.name))
                    .fail(self.errors);
            }
        };
        self.may_ask(index, span)?;
        let number = self.may_draw(call.name, call.span)?;
        match (call.name.name.as_str(), call.arguments) {
            ("below", [bound]) => {
                let want = self.flexible(bound).map(|_| Type::U32);
                let (ty, asked) = self.type_inside(bound, want)?;
                self.lint_varying(asked.varies, of, bound.span);
                if ty != Type::U32 {
                    // The ordinary draw says what is wrong.
                    return self.below(call, number);
                }
                self.ask(index, (ClusterQuantity::Below(number), Type::U32), Some((bound, ty, None)), span)
            }
            ("random", [probability]) => {
                let want = self.flexible(probability).map(|_| Type::F64);
                let (ty, asked) = self.type_inside(probability, want)?;
                self.lint_varying(asked.varies, of, probability.span);
                if !ty.is_float() {
                    return self.check(draw, None);
                }
                self.ask(
                    index,
                    (ClusterQuantity::Chance(number), Type::Bit),
                    Some((probability, ty, asked.constant)),
                    span,
                )
            }
            _ => {
                self.drawn_at = Some((index, number));
                let found = self.draw(call);
                self.drawn_at = None;
                found
            }
        }
    }

    /// A word, or a number made of one, of the cell or of the cluster that is drawn for.
    pub(super) fn word_node(&mut self, ty: Type, op: Op, span: Span) -> Option<Operand> {
        // Draws in its arguments are the cell's own.
        match (self.drawn_at, &op) {
            (Some((index, first)), &Op::RandomBits { draw }) if draw / 2 == first / 2 => {
                self.ask(index, (ClusterQuantity::Bits(draw), ty), None, span)
            }
            (Some((index, first)), &Op::RandomUniform { draw }) if draw / 2 == first / 2 => {
                self.ask(index, (ClusterQuantity::Uniform(draw), ty), None, span)
            }
            _ => Some(self.body.push(ty, op)),
        }
    }

    /// The bit that is true at the root of each cluster.
    pub(super) fn is_root(&mut self, of: &'a Ident, span: Span) -> Option<Operand> {
        let index = self.clusters_named(of)?;
        self.ask(index, (ClusterQuantity::IsRoot, Type::Bit), None, span)
    }

    /// Warns of a draw of clusters whose argument differs from cell to cell.
    fn lint_varying(&mut self, varies: bool, of: &Ident, span: Span) {
        if varies {
            let what = format!("a draw of the clusters `{}` whose argument is the cell's own", of.name);
            let warning = Diagnostic::new(what, span, "may differ within a cluster, and cut it")
                .help("make it of parameters and globals, so that clusters stay whole");
            self.lint("varying_draw", warning);
        }
    }

    /// Whether an expression asks for one cell: `cell == chosen`.
    fn is_one_cell(&self, expr: &Expr) -> bool {
        let is_cell = |side: &Expr| matches!(&side.kind, ExprKind::Name(name) if name == "cell");
        match &expr.kind {
            ExprKind::Binary { op: BinaryOperator::Equal, left, right, .. } => is_cell(left) != is_cell(right),
            _ => false,
        }
    }

    /// Warns of what one cluster is asked, though all are found.
    fn lint_whole_labelling(&mut self, of: &Ident, span: Span) {
        let warning = Diagnostic::new("all clusters are found for one of them", span, "one cell's cluster")
            .help(format!("where any cluster may change, turn all in the same time: `random(0.5) at {}`", of.name));
        self.lint("whole_labelling", warning);
    }

    /// The type of an expression that clusters combine, and what is known of it.
    fn type_inside(&mut self, expr: &'a Expr, want: Option<Type>) -> Option<(Type, ClusterArgument)> {
        let mut local: Option<(&str, Span)> = None;
        walk(expr, &mut |inner| {
            if let ExprKind::Name(name) = &inner.kind
                && self.local_named(name).is_some()
            {
                local = Some((name, inner.span));
            }
        });
        if let Some((name, span)) = local {
            return Diagnostic::new(
                format!("clusters cannot ask for `{name}`"),
                span,
                "a name of this step or block alone",
            )
            .help(format!("make `{name}` a `let` of the rule: clusters are found before the step"))
            .fail(self.errors);
        }
        let body = self.body.clone();
        let (of_state, known) = (std::mem::take(&mut self.uses.state), body.nodes().len());
        let flexible = self.flexible(expr);
        let found = self.inside_clusters(|checker| match (want, flexible) {
            (None, Some(Flexible::Float)) => checker.check(expr, Some(Type::F64)),
            (want, _) => checker.check(expr, want),
        });
        let of_cell = self.body.nodes()[known..].iter().any(|node| matches!(node.op, of_cell!()));
        let varies = of_cell || self.uses.state;
        self.uses.state |= of_state;
        let constant = found.and_then(|found| self.body.constant(found.id));
        self.body = body;
        Some((found?.ty, ClusterArgument { varies, constant }))
    }

    /// Reports a name that asks clusters where these are not found yet.
    pub(super) fn asks_before_they_are_found<T>(&mut self, name: &str, span: Span) -> Option<T> {
        Diagnostic::new(
            format!("clusters cannot ask clusters, which `{name}` does"),
            span,
            "clusters have no values yet where they are found",
        )
        .help("keep the cluster's value in a state by a step before, and read that")
        .fail(self.errors)
    }

    /// Reports clusters where they have no values.
    fn may_ask(&mut self, index: usize, span: Span) -> Option<()> {
        let name = self.clusters[index].name;
        let refused = |what: String, label: &str, help: &str| Diagnostic::new(what, span, label.to_owned()).help(help);
        let error = match self.place {
            Context::Param | Context::Constant => return self.not_constant(name, span),
            Context::Function => Some(refused(
                format!("a function cannot ask the clusters `{name}`"),
                "not valid here",
                "name the value by a `let` of the rule, and give it to the function",
            )),
            _ if !self.inlined.is_empty() => Some(refused(
                format!("a function cannot ask the clusters `{name}`"),
                "not valid here",
                "name the value by a `let` of the rule, and give it to the function",
            )),
            Context::Init => Some(refused(
                "there are no clusters in `init`".to_owned(),
                "bonds have no value yet",
                "write a step `when step == 1` for it",
            )),
            _ if self.is_in_pair() => Some(refused(
                "a bond cannot ask clusters".to_owned(),
                "clusters are found when bonds are known",
                "keep the cluster's value in a state by a step before, and read that",
            )),
            _ if self.in_clusters => Some(refused(
                "clusters cannot ask clusters".to_owned(),
                "all are found at once",
                "keep the cluster's value in a state by a step before, and read that",
            )),
            _ => None,
        };
        if let Some(error) = error {
            return error.fail(self.errors);
        }
        let draws = match self.clusters[index].checked {
            None => {
                return Diagnostic::new(format!("`{name}` is used before it is defined"), span, "not known yet")
                    .help("move the `clusters` that define it above this; if each needs the other, keep one in a state")
                    .fail(self.errors);
            }
            Some(found) => found?,
        };
        if draws && matches!(self.place, Context::Guard | Context::Observe) {
            let bond = &self.clusters[index].bond.name;
            return Diagnostic::new(
                format!("`{bond}` draws, so it has no clusters here"),
                span,
                "no random numbers here",
            )
            .help(format!("keep it: `bond {bond} over von_neumann: bit`, and `next {bond} = …` in a step"))
            .fail(self.errors);
        }
        self.uses.state = true;
        self.uses.fields = true;
        self.uses.draws |= draws;
        Some(())
    }

    /// A value of the cell's cluster: of this kind and type, made of an expression.
    fn ask(
        &mut self,
        index: usize,
        (kind, ty): (ClusterQuantity, Type),
        of: Option<(&'a Expr, Type, Option<Value>)>,
        span: Span,
    ) -> Option<Operand> {
        self.may_ask(index, span)?;
        if self.place == Context::RuleLet {
            // This body is checked and dropped: only the type matters.
            return Some(self.body.push(ty, Op::Level));
        }
        let observed = self.place == Context::Observe;
        let at = self.asked_clusters(index, observed)?;
        let place = of.map_or(std::ptr::null(), |(expr, ..)| std::ptr::from_ref(expr));
        let known = self.asked[at].values.iter().find(|known| known.place == place && known.value.kind == kind);
        let to = match known {
            Some(known) => known.value.to,
            None => {
                let (input, of) = match of {
                    None => (None, ClusterInput::Nothing),
                    // No field is computed, kept and read for a chance that all cells have.
                    Some((_, _, Some(value))) => (None, ClusterInput::Constant(value)),
                    Some((expr, ty, None)) => {
                        let (input, field) = self.field_of(index, expr, ty)?;
                        (Some(input), ClusterInput::Field(field))
                    }
                };
                let to = self.field_of_value(self.clusters[index].name, ty)?;
                self.asked[at].values.push(AskedValue { place, input, value: ClusterValue { kind, of, to } });
                to
            }
        };
        Some(self.body.push(ty, Op::State(to)))
    }

    /// The clusters among those that are asked for.
    fn asked_clusters(&mut self, index: usize, observed: bool) -> Option<usize> {
        let (bond, when) = (self.clusters[index].bond, self.clusters[index].when);
        // Draws in the bond have numbers in each step.
        if let Some(BondName::Computed(bond_let)) = self.bond_named(bond) {
            self.use_let(bond_let, bond.span)?;
        }
        if let Some(when) = when {
            self.type_inside(when, Some(Type::Bit))?;
        }
        if let Some(at) = self.asked.iter().position(|asked| (asked.index, asked.observed) == (index, observed)) {
            return Some(at);
        }
        let when = when.and_then(|when| self.field_of(index, when, Type::Bit));
        self.asked.push(AskedClusters { observed, index, when, values: Vec::new() });
        Some(self.asked.len() - 1)
    }

    /// A let for an expression that clusters ask for, which is a field.
    fn field_of(&mut self, index: usize, value: &'a Expr, ty: Type) -> Option<(usize, StateId)> {
        let checked = LetState::Sound { uses: Uses::default(), ty, needs: Vec::new(), literals: None };
        self.lets.push(RuleLet { name: self.clusters[index].name, value, over: None, checked });
        let input = self.lets.len() - 1;
        self.field_lets.insert(input);
        Some((input, self.field(input, ty)?))
    }

    /// A field for a value of clusters.
    fn field_of_value(&mut self, name: &str, ty: Type) -> Option<StateId> {
        self.fields.push((OF_CLUSTERS, State { name: name.to_owned(), ty }));
        u16::try_from(self.rule.states.len() + self.fields.len() - 1).ok().map(StateId)
    }

    /// The lets that must be fields for the clusters that are asked for.
    pub(super) fn fields_of_clusters(&self, observed: bool) -> BTreeSet<usize> {
        let (mut fields, mut expressions) = (BTreeSet::new(), Vec::new());
        for asked in self.asked.iter().filter(|asked| asked.observed == observed) {
            let inputs = asked.values.iter().filter_map(|value| value.input).chain(asked.when.map(|(input, _)| input));
            let bond = match self.bond_named(self.clusters[asked.index].bond) {
                Some(BondName::Computed(index)) => Some(index),
                _ => None,
            };
            for index in inputs.chain(bond) {
                fields.insert(index);
                expressions.push(self.lets[index].value);
            }
        }
        fields.extend(self.fields_read_by(expressions.into_iter()));
        fields
    }

    /// The clusters that are asked for, which are forgotten.
    pub(super) fn take_clusters(&mut self, observed: bool) -> Vec<Clusters> {
        let all = std::mem::take(&mut self.asked);
        let (own, others) = all.into_iter().partition(|asked| asked.observed == observed);
        self.asked = others;
        let own: Vec<AskedClusters> = own;
        let found = own.into_iter().filter_map(|asked| {
            let (name, bond) = (self.clusters[asked.index].name.to_owned(), self.clusters[asked.index].bond);
            let bond = match self.bond_named(bond)? {
                BondName::Computed(index) => self.field(index, Type::Bit)?,
                BondName::Kept(index) => self.kept[index].state,
            };
            let when = asked.when.map(|(_, field)| field);
            let values = asked.values.into_iter().map(|value| value.value).collect();
            Some(Clusters { name, bond, offsets: Vec::new(), when, values })
        });
        found.collect()
    }

    /// Whether an expression asks clusters, itself or by the lets that it uses.
    pub(super) fn asks_clusters(&self, expression: &Expr) -> bool {
        let (mut open, mut seen, mut found) = (vec![expression], BTreeSet::new(), false);
        while let Some(next) = open.pop() {
            walk(next, &mut |inner| {
                found |= match &inner.kind {
                    ExprKind::OfCluster(..) | ExprKind::AtCluster(..) | ExprKind::Per(..) => true,
                    ExprKind::Call { arguments, .. } => arguments.first().is_some_and(|first| self.is_clusters(first)),
                    _ => false,
                };
                if let Some((index, _)) = self.let_in(inner) {
                    open.extend(seen.insert(index).then_some(self.lets[index].value));
                }
            });
        }
        found
    }
}

/// The error for what no cluster has.
fn no_value(span: Span) -> Diagnostic {
    Diagnostic::new("not a value of clusters", span, "cannot be asked")
        .help("clusters have `count() of c`, `count sum any all min max` of an expression, `root(c)` and `spans(c, x)`")
}
