//! Checks the names in `cells EXPR` of a domain, which is evaluated before there are any cells.
//!
//! The expression is then checked as the `init` of a rule made for it. Names that such a rule would accept, or refuse with messages about
//! rules, are refused here first.

use super::names::{AGGREGATES, BUILT_IN_CONSTANTS, BUILT_IN_VALUES, Scope, unknown_name};
use crate::ir::Neighbourhood;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Block, DefKind, Expr, ExprKind};

/// The names of a place's coordinates and of its box's sides.
pub(super) const KNOWN: [&str; 7] = ["x", "y", "z", "side", "width", "height", "depth"];
/// Names that mean something in rules alone, besides those of every rule.
const OF_RULES: [&str; 3] = ["cell", "cells", "weight"];

/// Reports each name that has no meaning in the `cells` of a domain with these parameters, and all that looks at neighbours.
pub(super) fn check<'e>(
    scope: &Scope<'_>,
    module: usize,
    params: Vec<&'e str>,
    value: &'e Expr,
    errors: &mut Vec<Diagnostic>,
) {
    PlaceCheck { scope, module, locals: params, errors }.check(value);
}

struct PlaceCheck<'s, 'm, 'e> {
    scope: &'s Scope<'m>,
    module: usize,
    /// The lets of the blocks around.
    locals: Vec<&'e str>,
    errors: &'s mut Vec<Diagnostic>,
}

impl<'e> PlaceCheck<'_, '_, 'e> {
    fn check(&mut self, value: &'e Expr) {
        match &value.kind {
            ExprKind::Name(name) => self.name(name, value.span),
            ExprKind::Neighbour(field) => self.unknown(&format!("`nb.{}`", field.name), value.span),
            ExprKind::Read { name, offset_span, .. } => {
                let span = Span { end: offset_span.end, ..name.span };
                self.unknown(&format!("`{}` at a neighbour", name.name), span);
            }
            ExprKind::Call { name, arguments, otherwise }
                if self.looks_around(&name.name, arguments, otherwise)
                    && !matches!(
                        arguments.first().map(|first| &first.kind),
                        Some(ExprKind::Per(..) | ExprKind::Over(..))
                    ) =>
            {
                self.unknown(&format!("`{}` over neighbours", name.name), name.span);
            }
            ExprKind::Call { name, .. } if matches!(name.name.as_str(), "root" | "spans") => {
                self.unknown("clusters", value.span);
            }
            ExprKind::OfCluster(..) | ExprKind::AtCluster(..) | ExprKind::Per(..) => {
                self.unknown("clusters", value.span);
            }
            ExprKind::Over(..) => self.unknown("pairs", value.span),
            ExprKind::If { condition, then, otherwise } => {
                self.check(condition);
                self.block(then);
                otherwise.iter().for_each(|otherwise| self.check(otherwise));
            }
            ExprKind::Block(block) => self.block(block),
            _ => value.children().into_iter().for_each(|inner| self.check(inner)),
        }
    }

    fn block(&mut self, block: &'e Block) {
        let outer = self.locals.len();
        for (name, value) in &block.lets {
            self.check(value);
            self.locals.push(&name.name);
        }
        self.check(&block.value);
        self.locals.truncate(outer);
    }

    fn name(&mut self, name: &'e str, span: Span) {
        let constants = || self.scope.visible(self.module, DefKind::Const);
        let built_in = BUILT_IN_CONSTANTS.iter().map(|(name, _)| *name);
        let known: Vec<&str> =
            KNOWN.into_iter().chain(self.locals.iter().copied()).chain(constants()).chain(built_in).collect();
        if known.contains(&name) {
        } else if OF_RULES.contains(&name) || BUILT_IN_VALUES.contains(&name) {
            self.unknown(&format!("`{name}`"), span);
        } else {
            self.errors.push(unknown_name("name", name, span, known));
        }
    }

    /// Whether a call runs over a neighbourhood.
    fn looks_around(&self, name: &str, arguments: &[Expr], otherwise: &Option<Box<Expr>>) -> bool {
        if self.scope.get(self.module, DefKind::Function, name).is_some() {
            return false;
        }
        let of_neighbours = match arguments.first().map(|first| &first.kind) {
            Some(ExprKind::Offsets(_)) => true,
            Some(ExprKind::Name(first)) => self.is_neighbourhood(first),
            Some(ExprKind::Call { name: first, .. }) => self.is_neighbourhood(&first.name),
            _ => false,
        };
        AGGREGATES.contains(&name)
            || name == "pick"
            || matches!(name, "min" | "max") && (otherwise.is_some() || of_neighbours)
    }

    fn is_neighbourhood(&self, name: &str) -> bool {
        Neighbourhood::is_built_in(name) || self.scope.get(self.module, DefKind::Neighbourhood, name).is_some()
    }

    fn unknown(&mut self, what: &str, span: Span) {
        let known: Vec<String> = KNOWN.iter().map(|name| format!("`{name}`")).collect();
        Diagnostic::new(format!("{what} before there are cells"), span, "not known here")
            .help(format!("known are {}, constants and draws", known.join(", ")))
            .report(self.errors);
    }
}
