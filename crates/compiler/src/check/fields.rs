//! Lets that are read at neighbours: *fields* of the step. Each becomes a value that all cells compute in a step of its own, before
//! the step that reads it.

use super::body::Operand;
use super::expression::{Checker, Context, LetState, RuleLet, RuleName, Uses};
use crate::ir::{Clusters, Op, State, StateId, Step, Type};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Expr, ExprKind, Ident, RuleItem, RuleItemKind};
use crate::text::syntax::walk;
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Checker<'a, '_> {
    /// The let of the rule that a name means.
    pub(crate) fn let_of(&self, name: &Ident) -> Option<usize> {
        match self.names.get(name.name.as_str()) {
            Some(&RuleName::Let(index)) => Some(index),
            _ => None,
        }
    }

    /// Reports a let that cannot be used where it is.
    pub(crate) fn may_use_let(&mut self, name: &str, uses: Uses, span: Span) -> Option<()> {
        let place = match self.place {
            Context::Init => "`init`",
            Context::Guard => "a guard",
            Context::Observe if self.totals.draws => "a `global`",
            Context::Observe => "`observe`",
            Context::Param | Context::Constant | Context::Function | Context::RuleLet | Context::Step => {
                self.uses.draws |= uses.draws;
                self.uses.fields |= uses.fields;
                return Some(());
            }
        };
        if uses.draws {
            let message = format!("{place} cannot use `{name}`, which draws");
            let is_bond = |of: &&RuleLet<'_>| of.name == name && of.over.is_some();
            let help = match self.lets.iter().any(|of| is_bond(&of)) {
                true => {
                    "a bond that draws has no value here, as it is drawn anew in each step: keep it, as `bond open over von_neumann: bit`, with `next open = …` in a step"
                }
                false => "a `let` that draws belongs to the steps: use it in `next`",
            };
            return Diagnostic::new(message, span, "no random numbers here").help(help).fail(self.errors);
        }
        if uses.fields && self.place == Context::Init {
            return Diagnostic::new(format!("`init` cannot use `{name}`, which reads neighbours"), span, NO_VALUE)
                .help(OWN)
                .fail(self.errors);
        }
        Some(())
    }

    /// The id of a let that is a field of the step being checked, in one of its types.
    pub(super) fn field(&mut self, index: usize, ty: Type) -> Option<StateId> {
        if !self.field_lets.contains(&index) || self.place == Context::Init {
            return None;
        }
        let asked = (self.place == Context::Observe, index, ty);
        if !self.asked_fields.contains(&asked) {
            self.asked_fields.push(asked);
        }
        let known = match self.fields.iter().position(|(of, state)| *of == index && state.ty == ty) {
            Some(known) => known,
            None => {
                self.fields.push((index, State { name: self.lets[index].name.to_owned(), ty }));
                self.fields.len() - 1
            }
        };
        u16::try_from(self.rule.states.len() + known).ok().map(StateId)
    }

    /// The field of a let that is read elsewhere than in the cell: its id and type.
    pub(crate) fn field_to_read(&mut self, index: usize, want: Option<Type>, span: Span) -> Option<(StateId, Type)> {
        if self.place == Context::Init {
            let message = format!("`init` cannot read `{}` at neighbours", self.lets[index].name);
            return Diagnostic::new(message, span, NO_VALUE).help(OWN).fail(self.errors);
        }
        if !self.inlined.is_empty() {
            let name = self.lets[index].name;
            return Diagnostic::new(format!("a function cannot read `{name}` at neighbours"), span, "not valid here")
                .help("name what is read by a `let` of the rule, and give it to the function")
                .fail(self.errors);
        }
        let own = self.use_let(index, span)?;
        let ty = self.type_of_let(index, own, want);
        self.uses.fields = true;
        if self.place == Context::RuleLet {
            // This body is checked and dropped: only the type matters.
            return Some((StateId(0), ty));
        }
        Some((self.field(index, ty)?, ty))
    }

    /// `nb.l`
    pub(crate) fn field_at_neighbour(
        &mut self,
        index: usize,
        field: &Ident,
        want: Option<Type>,
        span: Span,
    ) -> Option<Operand> {
        if !self.body.in_term() {
            return super::call::neighbour_outside(field, span).fail(self.errors);
        }
        let (id, ty) = self.field_to_read(index, want, span)?;
        Some(self.body.push(ty, Op::Neighbour(id)))
    }

    /// The lets that some expressions read at neighbours, themselves or by the lets that they use.
    pub(crate) fn fields_read_by(&self, expressions: impl Iterator<Item = &'a Expr>) -> BTreeSet<usize> {
        let (mut fields, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut open: Vec<&Expr> = expressions.collect();
        while let Some(expression) = open.pop() {
            for (index, elsewhere) in self.lets_in(expression) {
                if seen.insert(index) {
                    open.push(self.lets[index].value);
                }
                fields.extend(elsewhere.then_some(index));
            }
        }
        fields
    }

    /// Reports lets that an ordered step reads at neighbours although they read what it sets: they have no value at the cells that it has not come to.
    pub(super) fn check_fields_in_order(
        &mut self,
        step: &Ident,
        items: &[RuleItem],
        expressions: impl Iterator<Item = &'a Expr>,
    ) {
        let set: BTreeSet<&str> = items
            .iter()
            .filter_map(|item| match &item.kind {
                RuleItemKind::Next { name, .. } => Some(name.name.as_str()),
                _ => None,
            })
            .collect();
        let (mut open, mut seen): (Vec<&Expr>, BTreeSet<usize>) = (expressions.collect(), BTreeSet::new());
        while let Some(expression) = open.pop() {
            walk(expression, &mut |inner| {
                let Some((index, elsewhere)) = self.let_in(inner) else { return };
                if !elsewhere {
                    open.extend(seen.insert(index).then_some(self.lets[index].value));
                    return;
                }
                let Some(state) = self.state_read_by(index, &set) else { return };
                let name = self.lets[index].name;
                Diagnostic::new(
                    format!("`{name}` reads `{state}`, which step `{}` sets as it goes", step.name),
                    inner.span,
                    "what it is at a neighbour has no single value",
                )
                .help(format!("compute it at the cell, from `nb.{state}`, or keep it in a state by a step before"))
                .report(self.errors);
            });
        }
    }

    /// One of some states that a let reads, itself or by others.
    fn state_read_by(&self, index: usize, states: &BTreeSet<&str>) -> Option<String> {
        let (mut open, mut seen, mut found) = (vec![index], BTreeSet::new(), None);
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            walk(self.lets[next].value, &mut |inner| {
                open.extend(self.let_in(inner).map(|(index, _)| index));
                let named = named_in(inner).filter(|(name, _)| states.contains(name));
                if let Some((name, _)) = named
                    && matches!(self.names.get(name), Some(RuleName::State(_)))
                {
                    found.get_or_insert(name.to_owned());
                }
            });
        }
        found
    }

    /// Some lets and all that they need, as far as it is wanted, in the order of the text.
    pub(crate) fn with_needs(&self, mut open: Vec<usize>, wanted: impl Fn(&usize) -> bool) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        while let Some(index) = open.pop() {
            if needed.insert(index)
                && let LetState::Sound { needs, .. } = &self.lets[index].checked
            {
                open.extend(needs.iter().filter(|need| wanted(need)));
            }
        }
        needed
    }

    /// The steps that compute the fields of the step just checked: those that need no other field first. Then the clusters that are computed before that step:
    /// those of the steps of fields are in these.
    pub(crate) fn field_steps(&mut self, place: Context, of: Option<&str>) -> (Vec<Step>, Vec<Clusters>) {
        let observed = place == Context::Observe;
        self.field_lets.extend(self.fields_of_clusters(observed));
        // Code of fields that ask clusters is checked first, as it says what clusters need.
        let asking: Vec<usize> =
            self.field_lets.iter().copied().filter(|index| self.asks_clusters(self.lets[*index].value)).collect();
        if !asking.is_empty() {
            self.place = place;
            for &index in &asking {
                // The draw was reported where the observable stands.
                if observed
                    && matches!(self.lets[index].checked, LetState::Sound { uses: Uses { draws: true, .. }, .. })
                {
                    continue;
                }
                let body = std::mem::take(&mut self.body);
                self.check(self.lets[index].value, None);
                self.body = body;
            }
            self.field_lets.extend(self.fields_of_clusters(observed));
        }
        let mut depths: BTreeMap<usize, usize> = BTreeMap::new();
        // Lets stand after those that they use.
        for &index in &self.field_lets {
            let (mut open, mut seen, mut depth) = (vec![index], BTreeSet::new(), 0);
            while let Some(next) = open.pop() {
                for (used, _) in self.lets_in(self.lets[next].value) {
                    match depths.get(&used) {
                        Some(below) => depth = depth.max(below + 1),
                        None if seen.insert(used) => open.push(used),
                        None => {}
                    }
                }
            }
            depths.insert(index, depth);
        }
        let before = depths.iter().filter(|(index, _)| !asking.contains(index)).map(|(_, depth)| depth + 1).max();
        depths
            .iter_mut()
            .filter(|(index, _)| asking.contains(index))
            .for_each(|(_, depth)| *depth += before.unwrap_or(0));
        let of_depth = |depth: usize| depths.iter().filter(move |(_, of)| **of == depth).map(|(index, _)| *index);
        let count = depths.values().max().map_or(0, |most| most + 1);
        self.place = place;
        for index in (0..count).flat_map(of_depth) {
            // Others have the type that is asked for.
            if let LetState::Sound { ty, literals: None, uses, .. } = self.lets[index].checked {
                // That a bond draws was reported where it is observed.
                if place == Context::Observe && uses.draws && self.lets[index].over.is_some() {
                    continue;
                }
                self.field(index, ty);
            }
        }
        let mut steps = Vec::new();
        // Each asks for those before it.
        for depth in (0..count).rev() {
            let (mut results, mut pairs) = (Vec::new(), Vec::new());
            for index in of_depth(depth) {
                let asked =
                    |(observed, of, _): &&(bool, usize, Type)| (*observed, *of) == (place == Context::Observe, index);
                let types: Vec<Type> = self.asked_fields.iter().filter(asked).map(|(.., ty)| *ty).collect();
                for ty in types {
                    let Some(field) = self.field(index, ty) else { continue };
                    self.place = place;
                    if self.lets[index].over.is_some() {
                        pairs.extend(self.pairs_of_bond(index, field));
                        continue;
                    }
                    let operand = self.check(self.lets[index].value, Some(ty));
                    results.extend(operand.map(|operand| (field, operand.id)));
                }
            }
            let name = match of {
                Some(of) => format!("{of}_fields{}", if depth > 0 { (depth + 1).to_string() } else { String::new() }),
                None if depth > 0 => format!("fields{}", depth + 1),
                None => "fields".to_owned(),
            };
            steps.push(Step {
                name: Some(name),
                globals: Vec::new(),
                guard: None,
                order: None,
                body: self.take_body(results),
                pairs,
                clusters: Vec::new(),
            });
        }
        let mut clusters = self.take_clusters(observed);
        self.field_lets.clear();
        self.asked_fields.retain(|(observed, ..)| *observed != (place == Context::Observe));
        steps.reverse();
        if let Some(first) = steps.get_mut(before.unwrap_or(0)).filter(|_| !asking.is_empty()) {
            first.clusters = std::mem::take(&mut clusters);
        }
        steps.retain(|step| !step.body.results.is_empty() || !step.pairs.is_empty() || !step.clusters.is_empty());
        (steps, clusters)
    }

    /// The lets that an expression names, and whether each is read at a neighbour there.
    fn lets_in(&self, expression: &Expr) -> Vec<(usize, bool)> {
        let mut found = Vec::new();
        walk(expression, &mut |inner| found.extend(self.let_in(inner)));
        found
    }

    /// The let that an expression is, if it is one, and whether at a neighbour.
    pub(super) fn let_in(&self, expression: &Expr) -> Option<(usize, bool)> {
        let (name, elsewhere) = named_in(expression)?;
        match self.names.get(name) {
            // A bond has a value of a pair, however it is read.
            Some(&RuleName::Let(index)) => Some((index, elsewhere || self.lets[index].over.is_some())),
            _ => None,
        }
    }
}

/// The name that an expression is of, and whether of a neighbour's value.
fn named_in(expression: &Expr) -> Option<(&str, bool)> {
    match &expression.kind {
        ExprKind::Name(name) => Some((name, false)),
        ExprKind::Neighbour(field) => Some((&field.name, true)),
        ExprKind::Read { name, .. } => Some((&name.name, true)),
        _ => None,
    }
}

const NO_VALUE: &str = "neighbours have no value yet";
const OWN: &str = "an initial value is made of what the cell itself knows, such as x, y and random draws";
