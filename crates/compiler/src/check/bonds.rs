//! Checks bonds: values of pairs of neighbours, which both ends see as one.
//!
//! A bond is a let whose value belongs to a pair. Its expression is a term, as those of aggregates are, that is evaluated at the pair's owner for each
//! positive offset. Whoever reads it makes it a field of the step. A bond that is kept is a state: its `init` and its `next` are such terms.

use super::body::Operand;
use super::expression::{BondPairs, Checker, Context, RuleName, TermOf};
use super::literal::Flexible;
use super::pairs::BondName;
use super::rolling::neutral;
use crate::ir::pairs::is_positive;
use crate::ir::{
    AggregateKind, BinaryOp, Bond, Combine, CompareOp, Dimension, Neighbourhood, NodeId, Op, PairCode, StateId, Type,
    Value,
};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{Expr, Ident};
use std::collections::BTreeSet;

/// The most offsets, in space, of a neighbourhood whose pairs have values: each two of them are a field.
const MOST_OFFSETS: i128 = 342;
/// The most fields of all bonds of a rule.
const MOST_FIELDS: i128 = 1 << 11;

impl<'a> Checker<'a, '_> {
    /// Whether the value of a pair is being checked, and not what its owner alone is asked for.
    pub(super) fn is_in_pair(&self) -> bool {
        self.body.in_term() && matches!(self.term_of, Some(TermOf::Pair(_)))
    }

    /// The bond that a name means.
    pub(super) fn bond_named(&self, name: &Ident) -> Option<BondName> {
        match self.names.get(name.name.as_str()) {
            Some(&RuleName::Let(index)) => self.lets[index].over.map(|_| BondName::Computed(index)),
            Some(&RuleName::Kept(index)) => Some(BondName::Kept(index)),
            _ => None,
        }
    }

    /// A bond's name, and the number of its neighbourhood, if that is sound.
    fn name_and_pairs(&self, bond: BondName) -> (&'a str, Option<u16>) {
        match bond {
            BondName::Computed(index) => {
                (self.lets[index].name, self.lets[index].over.and_then(|over| over.neighbourhood))
            }
            BondName::Kept(index) => (self.kept[index].name, self.kept[index].neighbourhood),
        }
    }

    /// The field or state of a bond that is read, and its type.
    pub(super) fn bond_to_read(&mut self, bond: BondName, span: Span) -> Option<(StateId, Type)> {
        match bond {
            BondName::Computed(index) => self.field_to_read(index, None, span),
            BondName::Kept(index) => {
                let (name, state) = (self.kept[index].name, self.kept[index].state);
                if self.place == Context::Init {
                    return Diagnostic::new(format!("`init` cannot read the bond `{name}`"), span, "pairs have no value yet")
                        .help("an initial value may use the cell's own states above it, x, y, z, side, level, parameters and random draws")
                        .fail(self.errors);
                }
                self.may_read_state(name, span)?;
                Some((state, self.rule.states[usize::from(state.0)].ty))
            }
        }
    }

    /// Checks the neighbourhoods of the bonds that are kept. A name whose neighbourhood is not sound is not known further on.
    pub(super) fn check_kept_bonds(&mut self) {
        for index in 0..self.kept.len() {
            let neighbourhood = self.pairs_of(self.kept[index].over);
            self.kept[index].neighbourhood = neighbourhood;
            if neighbourhood.and_then(|_| self.has_room_for_pairs(self.kept[index].over)).is_none() {
                self.names.insert(self.kept[index].name, RuleName::Broken);
            }
        }
    }

    /// Reports pairs that a rule cannot have beside others.
    fn has_room_for_pairs(&mut self, over: &'a Expr) -> Option<()> {
        if !self.rule.rolling.is_empty() {
            return of_rolling(over.span).fail(self.errors);
        }
        let computed = self.lets.iter().filter_map(|of| of.over?.neighbourhood);
        let all = computed.chain(self.kept.iter().filter_map(|of| of.neighbourhood));
        let all: i128 = all.filter_map(|of| self.offsets_in_space(of)).sum();
        if all > 2 * MOST_FIELDS {
            return Diagnostic::new("too many pairs", over.span, format!("{} a cell, of all bonds", all / 2))
                .help(format!("at most {MOST_FIELDS} pairs a cell have values in a rule"))
                .fail(self.errors);
        }
        Some(())
    }

    /// A bond by itself, to see that it is sound.
    pub(super) fn bond_alone(&mut self, index: usize) -> Option<Operand> {
        let over = self.lets[index].over?.text;
        let neighbourhood = self.pairs_of(over)?;
        self.lets[index].over = Some(BondPairs { text: over, neighbourhood: Some(neighbourhood) });
        self.has_room_for_pairs(over)?;
        let value = self.value_of_pair(index)?;
        // It asks neighbours.
        self.uses.state = true;
        self.uses.fields = true;
        Some(value)
    }

    fn offsets_in_space(&self, neighbourhood: u16) -> Option<i128> {
        Some(self.rule.neighbourhoods.get(usize::from(neighbourhood))?.offsets_at_most(Dimension::Three))
    }

    /// A neighbourhood whose pairs can have values: seen from both ends it is the same.
    pub(super) fn pairs_of(&mut self, over: &'a Expr) -> Option<u16> {
        let (neighbourhood, weights) = self.neighbourhood(over)?;
        if self.offsets_in_space(neighbourhood)? > MOST_OFFSETS {
            return Diagnostic::new("pairs of too many neighbours", over.span, "too large for values of pairs")
                .help(format!(
                    "a neighbourhood of at most {MOST_OFFSETS} offsets, reckoned in space, has values of pairs"
                ))
                .fail(self.errors);
        }
        let offsets = self.rule.neighbourhoods[usize::from(neighbourhood)].offsets(Dimension::Two);
        let written = |[x, y, z]: [i32; 3]| if z == 0 { format!("({x}, {y})") } else { format!("({x}, {y}, {z})") };
        let wrong = |message: String, label: &str, help: String| {
            Diagnostic::new(message, over.span, label.to_owned()).help(help)
        };
        if offsets.contains(&[0; 3]) {
            return wrong(
                "pairs of a cell with itself".to_owned(),
                "has the offset (0, 0)",
                "leave out (0, 0)".to_owned(),
            )
            .fail(self.errors);
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = offsets.iter().find(|offset| !seen.insert(**offset)) {
            let twice = written(*twice);
            return wrong(format!("pairs at {twice} twice"), "has an offset twice", format!("leave out one {twice}"))
                .fail(self.errors);
        }
        let opposite = |offset: &[i32; 3]| offset.map(|v| -v);
        if let Some(alone) = offsets.iter().find(|offset| !seen.contains(&opposite(offset))) {
            let (alone, lacking) = (written(*alone), written(opposite(alone)));
            return wrong(
                format!("{alone} without its opposite"),
                "is not the same from both ends",
                format!("a pair has one value at both ends: add {lacking}"),
            )
            .fail(self.errors);
        }
        let Some(weights) = weights else { return Some(neighbourhood) };
        let ty = weights.flexible.map(|flexible| flexible.default_type());
        let entries = weights.entries.iter().filter_map(|entry| entry.weight.as_ref());
        let values = self.at_home(weights.home, |checker| checker.values_of(entries, ty))?;
        let weight_of =
            |offset: [i32; 3]| offsets.iter().position(|other| *other == offset).map(|at| values[at].bits());
        if let Some(unlike) = offsets.iter().find(|offset| weight_of(**offset) != weight_of(opposite(offset))) {
            let (unlike, other) = (written(*unlike), written(opposite(unlike)));
            return wrong(
                format!("different weights of {unlike} and {other}"),
                "is not the same from both ends",
                "give both the same weight".to_owned(),
            )
            .fail(self.errors);
        }
        Some(neighbourhood)
    }

    /// Checks the value of a pair as a term, which is left open.
    fn value_of_pair(&mut self, index: usize) -> Option<Operand> {
        let over = self.lets[index].over?;
        let (neighbourhood, weights) = self.neighbourhood(over.text)?;
        (self.weights, self.term_of) = (weights, Some(TermOf::Pair(neighbourhood)));
        self.body.open_term();
        let value = self.check(self.lets[index].value, None);
        (self.weights, self.term_of) = (None, None);
        value
    }

    /// The code that computes a bond, a field of the step that is being checked.
    pub(super) fn pairs_of_bond(&mut self, index: usize, field: StateId) -> Option<PairCode> {
        let outer = std::mem::take(&mut self.body);
        let value = self.value_of_pair(index);
        let code = value.and_then(|value| {
            let (term, value) = self.body.close_pairs(value.id);
            let body = self.take_body(vec![(field, value)]);
            let neighbourhood = self.lets[index].over?.neighbourhood?;
            let draws = super::draws::draws_in(self.lets[index].value);
            Some(PairCode { neighbourhood, body, term, draws })
        });
        self.body = outer;
        code
    }

    /// `init` or `next` of a bond that is kept: code that gives each pair its value at the owner, which knows what the body has come to.
    pub(super) fn pairs_of_kept(&mut self, index: usize, value: &'a Expr) -> Option<PairCode> {
        let (over, state) = (self.kept[index].over, self.kept[index].state);
        let neighbourhood = self.kept[index].neighbourhood?;
        let (body, locals) = (self.body.clone(), self.locals.clone());
        (self.weights, self.term_of) = (self.neighbourhood(over)?.1, Some(TermOf::Pair(neighbourhood)));
        self.body.open_term();
        let found = self.check(value, Some(self.rule.states[usize::from(state.0)].ty));
        (self.weights, self.term_of) = (None, None);
        let code = found.map(|found| {
            let (term, node) = self.body.close_pairs(found.id);
            let body = self.take_body(vec![(state, node)]);
            PairCode { neighbourhood, body, term, draws: super::draws::draws_in(value) }
        });
        (self.body, self.locals) = (body, locals);
        code
    }

    /// Reports a bond that is set while cells take turns.
    pub(super) fn bond_in_turns(&mut self, name: &Ident, step: &str) {
        Diagnostic::new(
            format!("step `{step}` sets the bond `{}` and takes turns", name.name),
            name.span,
            "pairs of cells of two turns have no value between them",
        )
        .help(format!("give it a step of its own: `step draw {{ next {} = … }}`", name.name))
        .report(self.errors);
    }

    /// The bonds among the states and the fields.
    pub(super) fn bonds(&self) -> Vec<Bond> {
        let kept = self
            .kept
            .iter()
            .filter_map(|of| Some(Bond { first: of.state, neighbourhood: of.neighbourhood?, offsets: Vec::new() }));
        let bond = |(at, (index, _)): (usize, &(usize, crate::ir::State))| {
            let neighbourhood = self.lets.get(*index)?.over?.neighbourhood?;
            let first = StateId(u16::try_from(self.rule.states.len() + at).ok()?);
            Some(Bond { first, neighbourhood, offsets: Vec::new() })
        };
        kept.chain(self.fields.iter().enumerate().filter_map(bond)).collect()
    }

    /// A bond by its name alone: where a value of pairs of the same neighbourhood is computed, that of the pair.
    pub(super) fn bond_by_name(&mut self, bond: BondName, span: Span) -> Option<Operand> {
        let (name, own) = self.name_and_pairs(bond);
        match bond {
            BondName::Computed(index) => drop(self.use_let(index, span)?),
            BondName::Kept(_) => self.not_constant(name, span)?,
        }
        let own = own?;
        let is_of_pair = match self.term_of.filter(|_| self.body.in_term()) {
            Some(TermOf::Pair(pairs)) => pairs == own,
            Some(TermOf::Aggregate(looked)) => match &self.rule.neighbourhoods[usize::from(looked)] {
                Neighbourhood::Pairs(pairs) => **pairs == self.rule.neighbourhoods[usize::from(own)],
                _ => false,
            },
            None => false,
        };
        if is_of_pair {
            let (field, ty) = self.bond_to_read(bond, span)?;
            return Some(self.body.push(ty, Op::Neighbour(field)));
        }
        Diagnostic::new(format!("`{name}` is a bond, a value of each pair of neighbours"), span, "of which neighbour?")
            .help(format!(
                "write `nb.{name}` in an aggregate over its neighbourhood, as in `count(von_neumann, nb.{name})`, or read that of one neighbour: `{name}[1, 0] else …`"
            ))
            .fail(self.errors)
    }

    /// `nb.b` of a bond.
    pub(super) fn bond_at_neighbour(&mut self, bond: BondName, field: &Ident, span: Span) -> Option<Operand> {
        if !self.body.in_term() {
            return super::call::neighbour_outside(field, span).fail(self.errors);
        }
        let (id, ty) = self.bond_to_read(bond, span)?;
        let (name, own) = self.name_and_pairs(bond);
        let own = own?;
        if let Some(TermOf::Aggregate(looked) | TermOf::Pair(looked)) = self.term_of {
            let offsets = |of: u16, dimension| self.rule.neighbourhoods[usize::from(of)].offsets(dimension);
            let lacking = [Dimension::Two, Dimension::Three].into_iter().find_map(|dimension| {
                let own: BTreeSet<[i32; 3]> = offsets(own, dimension).into_iter().collect();
                offsets(looked, dimension).into_iter().find(|offset| !own.contains(offset))
            });
            if let Some([x, y, z]) = lacking {
                let message = format!("`{name}` has no value at the offset ({x}, {y}, {z}) from a cell");
                return Diagnostic::new(message, span, "its neighbourhood lacks one that is asked for here")
                    .help(format!(
                        "write the aggregate over the neighbourhood of `{name}`, or over offsets that are among its"
                    ))
                    .fail(self.errors);
            }
        }
        Some(self.body.push(ty, Op::Neighbour(id)))
    }

    /// Reports a direct read of a bond at an offset that its neighbourhood lacks.
    pub(super) fn bond_has_offset(&mut self, bond: BondName, offset: [i32; 3], span: Span) -> Option<()> {
        let (name, own) = self.name_and_pairs(bond);
        let neighbourhood = &self.rule.neighbourhoods[usize::from(own?)];
        if neighbourhood.offsets(Dimension::Three).contains(&offset) {
            return Some(());
        }
        Diagnostic::new(format!("`{name}` has no value there"), span, "not an offset of its neighbourhood")
            .help(format!("`{name}` has a value for each pair of neighbours of its neighbourhood, and for no others"))
            .fail(self.errors)
    }

    /// Whether the offset of the neighbour is positive: the first of z, y, x that is not 0.
    pub(super) fn forward(&mut self) -> Operand {
        let zero = self.value_node(Value::I32(0));
        let mut found: Option<NodeId> = None;
        for axis in 0..3 {
            let offset = Operand { id: self.body.push(Type::I32, Op::Offset(axis)).id, ty: Type::I32 };
            let positive = self.compare_node(CompareOp::Greater, offset, zero);
            let nothing = self.compare_node(CompareOp::Equal, offset, zero);
            found = Some(match found {
                None => positive.id,
                Some(before) => {
                    let before = Operand { id: before, ty: Type::Bit };
                    let smaller = self.binary_node(BinaryOp::And, nothing, before);
                    self.binary_node(BinaryOp::Or, positive, smaller).id
                }
            });
        }
        Operand { id: found.unwrap_or(zero.id), ty: Type::Bit }
    }

    /// The pairs of a neighbourhood that a cell owns, as a neighbourhood.
    pub(super) fn owned_pairs(&mut self, over: &'a Expr) -> Option<u16> {
        let pairs = self.pairs_of(over)?;
        if !self.rule.rolling.is_empty() {
            return of_rolling(over.span).fail(self.errors);
        }
        let owned = Neighbourhood::Pairs(Box::new(self.rule.neighbourhoods[usize::from(pairs)].clone()));
        self.weights = self.neighbourhood(over)?.1;
        let known = self.rule.neighbourhoods.iter().position(|known| *known == owned);
        let at = known.unwrap_or_else(|| {
            self.rule.neighbourhoods.push(owned);
            self.rule.neighbourhoods.len() - 1
        });
        u16::try_from(at).ok()
    }

    /// The weights of the offsets for which a term is evaluated, of those of all offsets of a neighbourhood.
    pub(super) fn weights_of_owned(&self, weights: Vec<Value>) -> Vec<Value> {
        let Some(TermOf::Aggregate(looked)) = self.term_of else { return weights };
        let Neighbourhood::Pairs(all) = &self.rule.neighbourhoods[usize::from(looked)] else { return weights };
        let offsets = all.offsets(Dimension::Three);
        let owned = weights.into_iter().zip(offsets).filter(|(_, offset)| is_positive(*offset));
        owned.map(|(weight, _)| weight).collect()
    }

    /// The values of the pairs that a cell owns, combined: the node and its type. Whole numbers are i64, others f64.
    pub(super) fn of_owned(
        &mut self,
        function: &str,
        kind: Combine,
        owned: u16,
        term: &'a Expr,
    ) -> Option<(NodeId, Type)> {
        self.term_of = Some(TermOf::Aggregate(owned));
        let is_float = kind != Combine::Count && self.flexible(term) == Some(Flexible::Float);
        let want = match kind {
            Combine::Count => Some(Type::Bit),
            _ => is_float.then_some(Type::F64),
        };
        self.body.open_term();
        let value = self.check(term, want);
        (self.weights, self.term_of) = (None, None);
        let value = value?;
        if let Type::Enum(_) = value.ty {
            return self.needs(false, value.ty, term.span, &format!("`{function}`"), "numbers and bits").and(None);
        }
        if kind == Combine::Count {
            let count = self.body.close_term(AggregateKind::Count, owned, value, None, None, Type::I32);
            return Some((count.id, count.ty));
        }
        let ty = if value.ty.is_float() { Type::F64 } else { Type::I64 };
        let value = match value.ty == ty {
            true => value,
            false => self.body.push(ty, Op::Cast(value.id)),
        };
        let (kind, otherwise) = match kind {
            Combine::Min => (AggregateKind::Min, Some(neutral(kind, ty))),
            Combine::Max => (AggregateKind::Max, Some(neutral(kind, ty))),
            Combine::Sum | Combine::Count => (AggregateKind::Sum, None),
        };
        // It belongs to the cell, and must stand before the term.
        let term = self.body.term.take();
        let otherwise = otherwise.map(|value| self.value_node(value).id);
        self.body.term = term;
        let all = self.body.close_term(kind, owned, value, otherwise, None, ty);
        Some((all.id, all.ty))
    }

    /// Reports an aggregate in the value of a pair.
    pub(super) fn aggregate_in_bond(&mut self, span: Span) -> Option<Operand> {
        Diagnostic::new("an aggregate in the value of a pair", span, "of which of the two cells?")
            .help("name it before, and write that name for this cell's and `nb.` before it for the other's: `let n = count(moore, nb.alive)`")
            .fail(self.errors)
    }

    /// `EXPR over NEIGHBOURHOOD` where no reduction of `observe` takes it.
    pub(super) fn over_pairs_outside(&mut self, both: &'a [Expr; 2]) -> Option<Operand> {
        let place =
            if self.place == Context::Observe { "not valid here" } else { "only `observe` and `global` know it" };
        Diagnostic::new("`over` outside of a reduction", both[1].span, place)
            .help("write `sum(EXPR over NEIGHBOURHOOD)` or another of `sum count min max mean` in `observe`; in a step an aggregate names the neighbourhood first: `sum(von_neumann, nb.u)`")
            .fail(self.errors)
    }
}

/// The error for pairs in a rule whose states keep their last line alone.
fn of_rolling(span: Span) -> Diagnostic {
    Diagnostic::new("pairs in a rule with rolling states", span, "most cells have no value to make pairs of")
        .help("leave out the word `rolling`: its states then have values in all cells")
}
