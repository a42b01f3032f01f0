//! `observe NAME = overlap(EXPR)`: a bit of each cell by which the members of an ensemble are compared.
//!
//! A state of bits is there already. Any other bit is computed by a rule of its own, made of the same declarations: it has the same states,
//! and one more of bits, which is all that its one step changes.

use super::expression::{Checker, Context, RuleName};
use super::global_expr::FORM;
use super::rule::check_rule;
use crate::ir::{ComparedBit, Op, Overlap, Rule, StateId, Step, Type};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Expr, ExprKind, Ident, RuleDef, RuleItem, RuleItemKind, TypeName, TypeNameKind};
use std::sync::Arc;

impl<'a> Checker<'a, '_> {
    /// The arguments of `overlap(…)`, if an observable is that.
    pub(crate) fn overlap_arguments(values: &[Expr], list: Option<Span>) -> Option<&[Expr]> {
        match (values, list) {
            ([Expr { kind: ExprKind::Call { name, arguments, otherwise: None }, .. }], None)
                if name.name == "overlap" =>
            {
                Some(arguments)
            }
            _ => None,
        }
    }

    /// `observe NAME = overlap(EXPR)`
    pub(crate) fn check_overlap(
        &mut self,
        def: &'a RuleDef,
        name: &'a Ident,
        (arguments, span): (&'a [Expr], Span),
        of_some: Option<Span>,
    ) {
        if let Some(span) = of_some {
            let error = Diagnostic::new(
                "an overlap by level or at the end",
                span,
                "an overlap is of all cells, whenever members are observed",
            );
            self.errors.push(error.help("leave out `by level` and `at end`"));
        }
        let [value] = arguments else {
            let message = format!("`overlap` takes 1 argument, not {}", arguments.len());
            self.errors.push(Diagnostic::new(message, span, "expected one expression").help(FORM));
            return;
        };
        // The fields that it reads are computed by the rule that is made for it, and not with the observables.
        let (fields, asked) = (self.fields.len(), self.asked_fields.len());
        let own = self.fields_read_by(std::iter::once(value));
        let of_observables = std::mem::replace(&mut self.field_lets, own);
        let before = self.errors.len();
        self.place = Context::Observe;
        let operand = self.check(value, Some(Type::Bit));
        let body = self.take_body(Vec::new());
        self.fields.truncate(fields);
        self.asked_fields.truncate(asked);
        self.field_lets = of_observables;
        if operand.is_none() || self.errors.len() > before {
            return;
        }
        let of_line =
            body.nodes.iter().any(|node| super::rolling::state_of(&node.op).is_some_and(|of| self.is_rolling(of)));
        if of_line {
            let error =
                Diagnostic::new("an overlap of a rolling state", value.span, "has values on the last line alone");
            self.errors.push(error.help("keep it in a state that is not rolling, and compare that"));
            return;
        }
        let bit = if let ExprKind::Name(name) = &value.kind
            && let Some(&RuleName::State(state)) = self.names.get(name.as_str())
        {
            ComparedBit::State(state)
        } else {
            let reads_input = |op: &Op| matches!(op, Op::State(of) | Op::Neighbour(of) | Op::Read { state: of, .. } if self.rule.is_input(*of));
            if body.nodes.iter().any(|node| reads_input(&node.op)) {
                let error = Diagnostic::new("an overlap that reads an input", value.span, "not the cell's alone");
                self.errors.push(error.help("keep it in a state, and compare that"));
                return;
            }
            let Some(rule) = self.rule_of(def, value) else { return };
            let bodies = rule.steps.iter().flat_map(Step::bodies).chain([&body]);
            if bodies.flat_map(|body| &body.nodes).any(|node| matches!(node.op, Op::Time)) {
                let error = Diagnostic::new("an overlap that depends on `step`", value.span, "names the time");
                self.errors.push(error.help("compare what a cell is, whenever it is so"));
                return;
            }
            ComparedBit::Computed(Arc::new(rule))
        };
        self.rule.overlaps.push(Overlap { name: name.name.clone(), bit });
    }

    /// The rule whose step computes a bit into a state behind all others.
    fn rule_of(&mut self, def: &'a RuleDef, value: &'a Expr) -> Option<Rule> {
        let mut name = "compared".to_owned();
        while self.names.contains_key(name.as_str()) {
            name.push('_');
        }
        let ident = || Ident { name: name.clone(), span: value.span };
        // Declarations are kept; entries that change or measure something are left out.
        let is_kept = |item: &&RuleItem| {
            use RuleItemKind::{Bond, Clusters, Const, Flush, Function, KeptBond, Let, Neighbourhood, Param, State};
            matches!(
                item.kind,
                Param { .. }
                    | State { .. }
                    | Let { .. }
                    | Bond { .. }
                    | KeptBond { .. }
                    | Clusters { .. }
                    | Const(_)
                    | Flush
                    | Function(_)
                    | Neighbourhood(_)
            )
        };
        let mut items: Vec<RuleItem> = def.items.iter().filter(is_kept).cloned().collect();
        for item in &mut items {
            if let RuleItemKind::State { rolling, .. } = &mut item.kind {
                *rolling = None;
            }
        }
        let ty = TypeName { kind: TypeNameKind::Name("bit".to_owned()), span: value.span };
        let state = RuleItemKind::State { name: ident(), ty, rolling: None };
        let next = RuleItemKind::Next { name: ident(), value: value.clone() };
        items.extend([state, next].map(|kind| RuleItem { kind, span: value.span }));
        let def = RuleDef { items, ..def.clone() };
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        let rule = check_rule(self.scope, self.home.module, &def, &mut errors, &mut warnings);
        // The errors point into the text of the overlap's expression.
        let rule = rule.filter(|_| errors.is_empty());
        self.errors.append(&mut errors);
        rule
    }
}

impl Overlap {
    /// The state of the bits that are compared, in the rule itself or the one that computes it.
    pub fn state(&self, rule: &Rule) -> StateId {
        match &self.bit {
            ComparedBit::State(state) => *state,
            ComparedBit::Computed(_) => StateId(rule.states.len() as u16),
        }
    }
}
