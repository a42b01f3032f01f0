//! Checks globals: numbers about all cells that steps read as they read a parameter.

use super::body::Operand;
use super::draws::{DrawNumbers, place_of_draw};
use super::expression::{CallExpr, Checker, Context, RuleGlobal, RuleName};
use super::global_expr::CheckedGlobal;
use super::names::is_draw;
use crate::ir::{Global, GlobalExpr, GlobalShape, GlobalType, Op, Random, State, StateId, Type};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::ExprKind;
use crate::text::syntax::walk;
use std::collections::BTreeSet;

/// The name of the number of cells, among the globals.
const CELLS: &str = "cells";
/// The number that stands for the field of canonical indices among the lets that are fields.
const INDEX: usize = usize::MAX;

impl<'a> Checker<'a, '_> {
    /// Checks a global, which may use the globals above it.
    pub(crate) fn check_global(&mut self, index: usize) {
        let (name, value) = (self.globals[index].name, self.globals[index].value);
        self.field_lets = self.fields_read_by([value].into_iter());
        self.totals.draws = true;
        let found = self.lone_total(name, value);
        self.totals.draws = false;
        self.field_lets.clear();
        self.globals[index].known = true;
        let one = found.filter(|found| self.single(found, value.span).is_some());
        let Some(CheckedGlobal { total, ty, .. }) = one else { return };
        let ty = match ty {
            GlobalType::Bit => Type::Bit,
            GlobalType::Integer => Type::I64,
            GlobalType::Float => Type::F64,
        };
        self.globals[index].found = Some((total, ty));
    }

    /// A global in the code of a cell.
    pub(super) fn global(&mut self, index: usize, span: Span) -> Option<Operand> {
        let name = self.globals[index].name;
        if !self.globals[index].known {
            self.global_too_early(index, span);
            return None;
        }
        let ty = self.globals[index].found.as_ref()?.1;
        if !self.globals[index].told_place {
            self.globals[index].told_place = self.may_use_global(name, span).is_none();
        }
        if self.globals[index].told_place {
            return None;
        }
        self.used_globals.insert(index);
        Some(self.body.push(ty, Op::Param(self.rule.params.len() as u16 + index as u16)))
    }

    /// Reports a global that is used above its definition, unless that was said of it before.
    pub(crate) fn global_too_early(&mut self, index: usize, span: Span) {
        let global = &mut self.globals[index];
        if !std::mem::replace(&mut global.told_early, true) {
            Diagnostic::new(format!("`{}` is used before it is defined", global.name), span, "not known yet")
                .help("move the `global` that defines it above this one")
                .report(self.errors);
        }
    }

    /// Reports a global, or a let that uses one, where it has no value.
    pub(crate) fn may_use_global(&mut self, name: &str, span: Span) -> Option<()> {
        let place = match self.place {
            Context::Init => "`init`",
            Context::Observe => "what combines all cells",
            Context::Param | Context::Constant | Context::Function => return self.not_constant(name, span),
            Context::RuleLet | Context::Step | Context::Guard => {
                self.uses.globals = true;
                return Some(());
            }
        };
        Diagnostic::new(format!("{place} cannot use `{name}`, which is global"), span, "it has a value in steps only")
            .help("a global is computed before each named step: use it in `next`, in a guard, or in a `let` of these")
            .fail(self.errors)
    }

    /// `cell` and `cells` in the code of a cell, unless something of the rule is called so.
    pub(crate) fn cell_or_cells(&mut self, name: &str, span: Span) -> Option<Operand> {
        self.not_constant(name, span)?;
        if name == CELLS {
            self.names_cells = true;
            return Some(self.body.push(Type::I64, Op::Param((self.rule.params.len() + self.globals.len()) as u16)));
        }
        if self.place == Context::Init {
            return Diagnostic::new("`init` cannot use `cell`", span, "known in steps and observables only")
                .help("an initial value may use x, y, z, side, level, parameters, states above it and random draws")
                .fail(self.errors);
        }
        if self.fields.iter().all(|(of, _)| *of != INDEX) {
            self.fields.push((INDEX, State { name: "cell".to_owned(), ty: Type::I64 }));
        }
        let field = self.index_field()?;
        Some(self.body.push(Type::I64, Op::State(field)))
    }

    /// The field of canonical indices, if the rule names `cell`.
    pub(crate) fn index_field(&self) -> Option<StateId> {
        let at = self.fields.iter().position(|(of, _)| *of == INDEX)?;
        u16::try_from(self.rule.states.len() + at).ok().map(StateId)
    }

    /// The globals of the rule, and the number of cells if its code names it.
    pub(crate) fn all_globals(&mut self) -> Vec<Global> {
        let of = |global: &RuleGlobal<'_>| {
            let ty = global.found.as_ref().map_or(Type::I64, |(_, ty)| *ty);
            Global { name: global.name.to_owned(), ty, initial: GlobalExpr::Integer(0) }
        };
        let mut globals: Vec<Global> = self.globals.iter().map(of).collect();
        if self.names_cells {
            globals.push(Global { name: CELLS.to_owned(), ty: Type::I64, initial: GlobalExpr::Cells(None) });
        }
        globals
    }

    /// The globals that are computed before the step just checked: those that it uses, and before the first step of a time step
    /// those that are computed once. Their draws come last.
    pub(crate) fn globals_of_step(&mut self, first: bool, numbers: &mut DrawNumbers) -> Vec<(u16, GlobalExpr)> {
        let mut used = std::mem::take(&mut self.used_globals);
        used.retain(|index| !self.globals[*index].once);
        let once = (0..self.globals.len()).filter(|index| first && self.globals[*index].once);
        // Others are computed from those.
        let computed: Vec<usize> = once.chain(used).collect();
        // A global that names others draws for them too, but not for those that have a value.
        let (mut open, mut all) = (computed.clone(), BTreeSet::new());
        while let Some(index) = open.pop() {
            if all.insert(index) {
                walk(self.globals[index].value, &mut |inner| {
                    if let ExprKind::Name(name) = &inner.kind
                        && let Some(&RuleName::Global(other)) = self.names.get(name.as_str())
                        && !self.globals[other].once
                    {
                        open.push(other);
                    }
                });
            }
        }
        numbers.add(all.into_iter().map(|index| self.globals[index].value));
        let of = |index: usize| {
            let (mut total, _) = self.globals[index].found.clone()?;
            numbers.give_total(&mut total);
            Some((index as u16, total))
        };
        computed.into_iter().filter_map(of).collect()
    }

    /// A draw for all cells.
    pub(crate) fn total_draw(&mut self, call: CallExpr<'a>) -> Option<CheckedGlobal> {
        let CallExpr { name, arguments, span, .. } = call;
        let draw = place_of_draw(span);
        let (of, ty) = match name.name.as_str() {
            "bits" => (Random::Bits, GlobalType::Integer),
            "uniform" => (Random::Uniform, GlobalType::Float),
            "normal" => (Random::Normal, GlobalType::Float),
            "exponential" => (Random::Exponential, GlobalType::Float),
            "below" => (Random::Below, GlobalType::Integer),
            "random" => (Random::Chance, GlobalType::Bit),
            name_of_vector if name_of_vector.starts_with("on_sphere") => {
                return Diagnostic::new("`on_sphere` for all cells at once", name.span, "`global` draws numbers only")
                    .help("draw `uniform()` twice, and make the vector of them")
                    .fail(self.errors);
            }
            _ => {
                debug_assert!(is_draw(&name.name), "the caller knows that it draws");
                return Diagnostic::new("`pick` for all cells at once", name.span, "no cell has neighbours here")
                    .help("use it in `next` or in a `let`")
                    .fail(self.errors);
            }
        };
        match of {
            Random::Bits | Random::Normal | Random::Exponential => {
                let [] = self.arguments(call, &format!("{}()", name.name))?;
            }
            Random::Below | Random::Chance => {
                let [_] = self.arguments(call, &format!("{}(a)", name.name))?;
            }
            Random::Uniform if arguments.is_empty() => {}
            Random::Uniform => {
                let [_, _] = self.arguments(call, "uniform(a, b)")?;
            }
        }
        let mut operands = Vec::new();
        for argument in arguments {
            let found = self.lone_operand(argument)?;
            let integer = found.ty == GlobalType::Integer;
            if of == Random::Below && !integer {
                return Diagnostic::new("a bound that is no whole number", argument.span, "expected a whole number")
                    .help("write `below(4)`, or convert: `below(i64(n))`")
                    .fail(self.errors);
            }
            operands.push(if of == Random::Below { found } else { found.into_float() }.total);
        }
        Some(CheckedGlobal { total: GlobalExpr::Random { draw, of, operands }, ty, shape: GlobalShape::One })
    }
}
