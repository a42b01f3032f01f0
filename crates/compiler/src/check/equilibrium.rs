//! Checks `equilibrium exp(…)`: how likely a state is, up to a factor that is the same for all states.
//!
//! Members are reweighted by values that were recorded. So a weight is made of parameters and of observables that are one number at each time, and of nothing
//! that only cells know.

use super::expression::Checker;
use super::names::given_twice;
use crate::ir::{Equilibrium, GlobalExpr, GlobalShape};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax;
use crate::text::syntax::ast::{Expr, ExprKind, RuleDef, RuleItemKind};

/// Helps with weights that are none.
const FORM: &str =
    "write the weight of a state, up to a factor, as `equilibrium exp(-beta * energy)`, of parameters and observables";

impl<'a> Checker<'a, '_> {
    /// The weight that a rule says, after all its observables.
    pub(super) fn check_equilibrium(&mut self, def: &'a RuleDef) {
        let mut first: Option<Span> = None;
        for item in &def.items {
            let RuleItemKind::Equilibrium(weight) = &item.kind else { continue };
            match first {
                Some(first) => given_twice("`equilibrium`", item.span, first)
                    .help(
                        "a state has one weight: add up exponents, as in `exp(-beta * energy + field * magnetisation)`",
                    )
                    .report(self.errors),
                None => {
                    first = Some(item.span);
                    self.rule.equilibrium = self.weight_of_states(weight);
                }
            }
        }
    }

    fn weight_of_states(&mut self, weight: &'a Expr) -> Option<Equilibrium> {
        let exponent = match &weight.kind {
            ExprKind::Call { name, arguments, otherwise: None } if name.name == "exp" => match arguments.as_slice() {
                [exponent] => Some(exponent),
                _ => None,
            },
            _ => None,
        };
        let Some(exponent) = exponent else {
            return Diagnostic::new("a weight that is no `exp(…)`", weight.span, "expected `exp(…)`")
                .help(FORM)
                .fail(self.errors);
        };
        let of_time = self.observables_of_time();
        let mut sound = true;
        syntax::walk(exponent, &mut |inner| sound &= self.has_a_value_each_time(inner, &of_time).is_some());
        if !sound {
            return None;
        }
        let found = self.lone_operand_of("equilibrium", exponent)?;
        let mut combines = false;
        found.total.clone().visit(&mut |inner| combines |= matches!(inner, GlobalExpr::Reduction(_)));
        if combines {
            return Diagnostic::new("a weight that combines cells", exponent.span, "is not recorded")
                .help(
                    "give it a name, as in `observe energy = …`: members are weighed by observables that were recorded",
                )
                .fail(self.errors);
        }
        Some(Equilibrium { exponent: found.into_float().total, text: syntax::expression(weight) })
    }

    /// Reports a name whose value is no number of each state.
    fn has_a_value_each_time(&mut self, inner: &Expr, of_time: &[bool]) -> Option<()> {
        let ExprKind::Name(name) = &inner.kind else { return Some(()) };
        let refuse = |problem: String, label: &str| Diagnostic::new(problem, inner.span, label).help(FORM);
        if name == "step" {
            return refuse("a weight that changes with time".to_owned(), "in equilibrium all times are alike")
                .fail(self.errors);
        }
        let Some(index) = self.rule.observables.iter().position(|observable| observable.name == *name) else {
            return Some(());
        };
        let observable = &self.rule.observables[index];
        let error = if observable.at_end {
            refuse(format!("`{name}` is known at the end of a run only"), "states at all times have a weight")
        } else if observable.shape != GlobalShape::One {
            refuse(format!("`{name}` is a list"), "expected one number")
        } else if of_time[index] {
            refuse(format!("`{name}` depends on `step`"), "in equilibrium all times are alike")
        } else {
            return Some(());
        };
        error.fail(self.errors)
    }

    /// Which observables depend on the time of the state.
    fn observables_of_time(&self) -> Vec<bool> {
        let mut of_time: Vec<bool> = Vec::new();
        for observable in &self.rule.observables {
            let mut found = false;
            observable.value.clone().visit(&mut |inner| {
                found |= match inner {
                    GlobalExpr::Time => true,
                    GlobalExpr::Observable(index) => of_time[*index as usize],
                    _ => false,
                };
            });
            of_time.push(found);
        }
        of_time
    }
}
