//! Disorder: initial values whose draws take their key from the disorder seed.

use super::body::Operand;
use super::domain::STATE;
use super::expression::{Checker, Context, RuleName};
use crate::ir::{StateId, Type};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Expr, ExprKind, RuleDef, RuleItemKind};
use std::collections::{BTreeMap, BTreeSet};

/// The sources of an initial value's draws, each with the first place that draws from it.
#[derive(Clone, Copy, Default)]
struct DrawSources {
    of_disorder: Option<Span>,
    of_run: Option<Span>,
}

impl<'a> Checker<'a, '_> {
    /// `DRAW from disorder`
    pub(crate) fn draw_of_disorder(&mut self, draw: &'a Expr, want: Option<Type>, span: Span) -> Option<Operand> {
        if !is_draw(draw) {
            return Diagnostic::new("`from disorder` behind what draws nothing", span, "no draw stands before it")
                .help("it stands behind a draw: `init j = random(0.5) from disorder`")
                .fail(self.errors);
        }
        if self.place != Context::Init {
            return Diagnostic::new("`from disorder` outside of `init`", span, "drawn anew in each step")
                .help("disorder never changes: draw it in the `init` of a state, or in the `cells` of a domain")
                .fail(self.errors);
        }
        self.check(draw, want)
    }

    /// The states whose initial values are drawn from disorder alone. One state is not drawn from both: the key belongs to all of its draws.
    pub(crate) fn check_disorder(&mut self, def: &'a RuleDef) -> Vec<StateId> {
        let mut known: BTreeMap<StateId, DrawSources> = BTreeMap::new();
        for item in &def.items {
            let RuleItemKind::Init { name, value } = &item.kind else { continue };
            let state = match self.names.get(name.name.as_str()) {
                Some(&RuleName::State(state)) => state,
                Some(&RuleName::Kept(index)) => self.kept[index].state,
                _ => continue,
            };
            let (mut own, mut read) = (DrawSources::default(), BTreeSet::new());
            self.drawn(value, &mut own, &mut read);
            let mut all = own;
            for drawn in read.iter().filter_map(|state| known.get(state)) {
                all.of_disorder = all.of_disorder.or(drawn.of_disorder);
                all.of_run = all.of_run.or(drawn.of_run);
            }
            // Draws of the run may depend on disorder, but not the other way round.
            if let (Some(disorder), Some(run)) = (own.of_disorder, all.of_run) {
                let (of, help) = match name.name.as_str() {
                    STATE => ("cells", "write `from disorder` behind all draws of `cells`, or behind none"),
                    name => (
                        name,
                        "give what is drawn from disorder a state of its own, and read that in the `init` of the other",
                    ),
                };
                Diagnostic::new(format!("`{of}` is drawn from disorder and not"), run, "not drawn from disorder")
                    .also(disorder, "drawn from disorder")
                    .help(help)
                    .report(self.errors);
            }
            known.insert(state, all);
        }
        let of_disorder = |(state, drawn): (StateId, DrawSources)| {
            (drawn.of_disorder.is_some() && drawn.of_run.is_none()).then_some(state)
        };
        known.into_iter().filter_map(of_disorder).collect()
    }

    /// Adds what an expression draws itself, and the states that it reads, by the lets of the rule as well.
    fn drawn(&self, value: &'a Expr, drawn: &mut DrawSources, read: &mut BTreeSet<StateId>) {
        match &value.kind {
            ExprKind::FromDisorder(draw) => {
                drawn.of_disorder.get_or_insert(value.span);
                draw.children().into_iter().for_each(|inner| self.drawn(inner, drawn, read));
                return;
            }
            ExprKind::Name(name) => match self.names.get(name.as_str()) {
                Some(RuleName::State(state)) => drop(read.insert(*state)),
                Some(RuleName::Let(index)) => self.drawn(self.lets[*index].value, drawn, read),
                _ => {}
            },
            _ if is_draw(value) => drop(drawn.of_run.get_or_insert(value.span)),
            _ => {}
        }
        value.children().into_iter().for_each(|inner| self.drawn(inner, drawn, read));
    }
}

fn is_draw(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Call { name, .. } if super::names::is_draw(&name.name))
}
