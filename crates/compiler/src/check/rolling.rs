//! Checks rolling states, which keep their last line alone, and restricts reductions to that line.
//!
//! Of such a state the cells that come last along the slowest axis of the order have values. It is 0 elsewhere, and what is reduced over cells is reduced over
//! these alone: terms of other cells become what changes no result.

use super::expression::{Checker, RuleName};
use crate::ir::{
    BinaryOp, Combine, CompareOp, Dimension, NodeId, Op, RuleParts, SignedAxis, StateId, Step, StepOrder, Type, Value,
};
use crate::text::diagnostics::{Diagnostic, counted};
use crate::text::source::Span;
use crate::text::syntax::ast::{Expr, ExprKind, Ident, RuleDef, RuleItem, RuleItemKind};
use crate::text::syntax::walk;
use std::collections::BTreeSet;

/// How such states are used.
const FORM: &str = "write one step, as `step fill from (+x, +y) { next l = … }`, that sets it in every cell and reads it at earlier ones";

impl<'a> Checker<'a, '_> {
    /// Notes which cells are the last line of states that keep no other.
    pub(super) fn note_last_line(&mut self, def: &RuleDef) {
        self.last_line = def.items.iter().find_map(|item| {
            let RuleItemKind::Step { order: Some(order), .. } = &item.kind else { return None };
            let slowest = order.axes.as_ref()?.last()?;
            let axis = crate::ir::Axes::NAMES.iter().position(|name| *name == slowest.axis.name)?;
            Some(SignedAxis { axis: axis as u8, backwards: slowest.backwards })
        });
    }

    /// Whether a state keeps its last line alone.
    pub(super) fn is_rolling(&self, state: StateId) -> bool {
        self.rule.rolling.contains(&state)
    }

    /// A term where it counts: everywhere, or on the last line if it reads a state that keeps no other. Then the condition for that follows.
    pub(super) fn on_last_line(&mut self, kind: Combine, ty: Type, term: NodeId) -> (NodeId, Option<NodeId>) {
        let Some(SignedAxis { axis, backwards }) = self.last_line else { return (term, None) };
        if !self.body.nodes().iter().any(|node| state_of(&node.op).is_some_and(|state| self.is_rolling(state))) {
            return (term, None);
        }
        self.rule.names_coordinates = true;
        let mut push = |ty: Type, op: Op| self.body.push(ty, op).id;
        let here = push(Type::I32, Op::Coordinate(axis));
        let last = match backwards {
            true => push(Type::I32, Op::Const(Value::I32(0))),
            false => {
                let side = push(Type::I32, Op::Extent(axis));
                let one = push(Type::I32, Op::Const(Value::I32(1)));
                push(Type::I32, Op::Binary(BinaryOp::Subtract, side, one))
            }
        };
        let condition = push(Type::Bit, Op::Compare(CompareOp::Equal, here, last));
        let otherwise = push(ty, Op::Const(neutral(kind, ty)));
        (push(ty, Op::Select { condition, then: term, otherwise }), Some(condition))
    }

    /// Reports all that the rule does with states that keep their last line alone and may not.
    pub(super) fn check_rolling(&mut self, def: &'a RuleDef, steps: &[Step], of_observables: &[Step]) {
        for item in &def.items {
            let RuleItemKind::State { name, rolling: Some(span), .. } = &item.kind else { continue };
            let Some(&RuleName::State(state)) = self.names.get(name.name.as_str()) else { continue };
            let reads = |step: &Step| step.body.nodes.iter().any(|node| state_of(&node.op) == Some(state));
            let by_fields = of_observables.iter().any(reads);
            self.check_rolling_state(def, (steps, by_fields), (state, name, *span));
        }
    }

    fn check_rolling_state(
        &mut self,
        def: &'a RuleDef,
        (steps, by_fields): (&[Step], bool),
        (state, name, rolling): (StateId, &Ident, Span),
    ) -> Option<()> {
        let name = name.name.as_str();
        let refuse = |what: String, span: Span, label: &str| {
            Diagnostic::new(what, span, label).also(rolling, "keeps its last line alone").help(FORM)
        };
        let init =
            def.items.iter().find(|item| matches!(&item.kind, RuleItemKind::Init { name: of, .. } if of.name == name));
        if let Some(init) = init {
            let what = format!("`{name}` is rolling and has an `init`");
            return refuse(what, init.span, "no step would read it").fail(self.errors);
        }
        let all: Vec<_> = super::lints::with_steps(&def.items)
            .filter(|item| matches!(item.kind, RuleItemKind::Step { .. }))
            .collect();
        let [one] = all[..] else {
            let (span, what) = match all.get(1) {
                Some(second) => {
                    (second.span, format!("`{name}` is rolling, in a rule of {}", counted(all.len(), "step")))
                }
                None => (rolling, format!("`{name}` is rolling, and no step has an order")),
            };
            return refuse(what, span, "its lines are gone between steps").fail(self.errors);
        };
        let RuleItemKind::Step { name: step, order, guard, items, .. } = &one.kind else { return None };
        let Some(axes) = order.as_ref().and_then(|order| order.axes.as_ref()) else {
            let span = order.as_ref().map_or(step.span, |order| order.span);
            let what = format!("`{name}` is rolling, and step `{}` has no order of named axes", step.name);
            return refuse(what, span, "which line is the last one?").fail(self.errors);
        };
        if def.items.iter().any(|item| matches!(item.kind, RuleItemKind::Repeat { .. })) {
            let what = format!("`{name}` is rolling, and step `{}` is repeated", step.name);
            return refuse(what, step.span, "its lines are gone between steps").fail(self.errors);
        }
        if let Some(guard) = guard {
            let what = format!("`{name}` is rolling, and step `{}` has a guard", step.name);
            return refuse(what, guard.span, "cells that it leaves out would have no value").fail(self.errors);
        }
        let next = |item: &&RuleItem| matches!(&item.kind, RuleItemKind::Next { name: of, .. } if of.name == name);
        if !items.iter().any(|item| next(&item)) {
            let what = format!("`{name}` is rolling, and step `{}` does not set it", step.name);
            return refuse(what, step.span, "would leave it without values").fail(self.errors);
        }
        let dimension =
            [Dimension::One, Dimension::Two, Dimension::Three].into_iter().nth(axes.len().checked_sub(1)?)?;
        let step = steps.last()?;
        let own = |expression: &Expr| matches!(&expression.kind, ExprKind::Name(of) if of == name);
        let values = || {
            items.iter().filter_map(|item| match &item.kind {
                RuleItemKind::Let { value, .. } | RuleItemKind::Next { value, .. } => Some(value),
                _ => None,
            })
        };
        if step.body.nodes.iter().any(|node| node.op == Op::State(state)) {
            let span = self.first_use(values(), &own).unwrap_or(rolling);
            let what = format!("`{name}` is rolling, and is read before it is set");
            return refuse(what, span, "the cell's own line is gone").fail(self.errors);
        }
        let Some(StepOrder::Along(along)) = &step.order else { return None };
        let reads = RuleParts::reads_of_changed(&self.rule, step, dimension)?;
        let later = reads.into_iter().find(|(of, offset)| *of == state && !is_earlier(along, *offset));
        if let Some((_, offset)) = later {
            let is_it = |expression: &Expr| match &expression.kind {
                ExprKind::Read { name: of, offset: at, .. } => {
                    let mut given = [0; 3];
                    given.iter_mut().zip(at).for_each(|(to, number)| *to = number.value);
                    of.name == name && given == offset.map(i128::from)
                }
                ExprKind::Neighbour(of) => of.name == name,
                _ => false,
            };
            let span = self.first_use(values(), &is_it).unwrap_or(rolling);
            let place = super::turns::place(offset, dimension);
            let what = format!("`{name}` is rolling, and is read at {place}, which the order comes to later");
            return refuse(what, span, "has no value yet").fail(self.errors);
        }
        let elsewhere = |expression: &Expr| match &expression.kind {
            ExprKind::Read { name: of, .. } => of.name == name,
            ExprKind::Neighbour(of) => of.name == name,
            _ => false,
        };
        let observed = def.items.iter().flat_map(|item| match &item.kind {
            RuleItemKind::Observe { values, .. } => &values[..],
            RuleItemKind::Stop(value) | RuleItemKind::Global { value, .. } => std::slice::from_ref(value),
            _ => &[],
        });
        if let Some(span) = self.first_use(observed, &elsewhere).or(by_fields.then_some(rolling)) {
            let what = format!("`{name}` is rolling, and is read at neighbours when all cells are done");
            return refuse(what, span, "their lines may be gone").fail(self.errors);
        }
        Some(())
    }

    /// Where an expression of a kind stands in some others, or in the lets that they use.
    fn first_use(&self, roots: impl Iterator<Item = &'a Expr>, is_it: &dyn Fn(&Expr) -> bool) -> Option<Span> {
        let (mut open, mut seen, mut found): (Vec<&Expr>, BTreeSet<usize>, _) =
            (roots.collect(), BTreeSet::new(), None);
        while let Some(expression) = open.pop() {
            walk(expression, &mut |inner| {
                if is_it(inner) {
                    found = Some(found.map_or(inner.span, |known: Span| {
                        if known.start <= inner.span.start { known } else { inner.span }
                    }));
                }
                if let Some((index, _)) = self.let_in(inner) {
                    open.extend(seen.insert(index).then_some(self.lets[index].value));
                }
            });
        }
        found
    }
}

/// The state that an operation reads.
pub(super) fn state_of(op: &Op) -> Option<StateId> {
    match op {
        Op::State(state) | Op::Neighbour(state) | Op::Read { state, .. } => Some(*state),
        _ => None,
    }
}

/// Whether a place is of an earlier cell in an order of all axes.
fn is_earlier(along: &[SignedAxis], offset: [i32; 3]) -> bool {
    let slowest = along.iter().rev().map(|signed| (offset[usize::from(signed.axis)], signed.backwards));
    slowest.into_iter().find(|(v, _)| *v != 0).is_some_and(|(v, backwards)| (v > 0) == backwards)
}

/// The term that changes no result.
pub(super) fn neutral(kind: Combine, ty: Type) -> Value {
    let least = kind == Combine::Min;
    match (kind, ty) {
        (Combine::Sum | Combine::Count, _) => Value::zero(ty),
        (_, Type::F32) => Value::F32(if least { f32::INFINITY } else { f32::NEG_INFINITY }),
        (_, Type::F64) => Value::F64(if least { f64::INFINITY } else { f64::NEG_INFINITY }),
        (_, Type::Bit) => Value::Bit(least),
        (_, ty) => {
            let (low, high) = Value::range(ty).unwrap_or_default();
            Value::whole(ty, if least { high } else { low })
        }
    }
}
