//! Checks bonds: values of pairs of neighbours, which both ends see as one.
//!
//! A bond is a let whose value belongs to a pair. Its expression is a term, as those of aggregates are, that is evaluated at the pair's owner for each
//! positive offset. Whoever reads it makes it a field of the step.

use super::body::Operand;
use super::expression::{BondPairs, Checker, Context, TermOf};
use super::literal::Flexible;
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

    /// A bond by itself, to see that it is sound.
    pub(super) fn bond_alone(&mut self, index: usize) -> Option<Operand> {
        let over = self.lets[index].over?.text;
        let neighbourhood = self.pairs_of(over)?;
        self.lets[index].over = Some(BondPairs { text: over, neighbourhood: Some(neighbourhood) });
        if !self.rule.rolling.is_empty() {
            return of_rolling(over.span).fail(self.errors);
        }
        let all: i128 = self.lets.iter().filter_map(|of| self.offsets_in_space(of.over?.neighbourhood?)).sum();
        if all > 2 * MOST_FIELDS {
            return Diagnostic::new("too many pairs", over.span, format!("{} a cell, of all bonds", all / 2))
                .help(format!("at most {MOST_FIELDS} pairs a cell have values in a rule"))
                .fail(self.errors);
        }
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

    /// The bonds among the fields.
    pub(super) fn bonds(&self) -> Vec<Bond> {
        let bond = |(at, (index, _)): (usize, &(usize, crate::ir::State))| {
            let neighbourhood = self.lets.get(*index)?.over?.neighbourhood?;
            let first = StateId(u16::try_from(self.rule.states.len() + at).ok()?);
            Some(Bond { first, neighbourhood, offsets: Vec::new() })
        };
        self.fields.iter().enumerate().filter_map(bond).collect()
    }

    /// A bond by its name alone: where a value of pairs of the same neighbourhood is computed, that of the pair.
    pub(super) fn bond_by_name(&mut self, index: usize, span: Span) -> Option<Operand> {
        self.use_let(index, span)?;
        let own = self.lets[index].over?.neighbourhood?;
        let is_of_pair = match self.term_of.filter(|_| self.body.in_term()) {
            Some(TermOf::Pair(pairs)) => pairs == own,
            Some(TermOf::Aggregate(looked)) => match &self.rule.neighbourhoods[usize::from(looked)] {
                Neighbourhood::Pairs(pairs) => **pairs == self.rule.neighbourhoods[usize::from(own)],
                _ => false,
            },
            None => false,
        };
        if is_of_pair {
            let (field, ty) = self.field_to_read(index, None, span)?;
            return Some(self.body.push(ty, Op::Neighbour(field)));
        }
        let name = self.lets[index].name;
        Diagnostic::new(format!("`{name}` is a bond, a value of each pair of neighbours"), span, "of which neighbour?")
            .help(format!(
                "write `nb.{name}` in an aggregate over its neighbourhood, as in `count(von_neumann, nb.{name})`, or read that of one neighbour: `{name}[1, 0] else …`"
            ))
            .fail(self.errors)
    }

    /// `nb.b` of a bond.
    pub(super) fn bond_at_neighbour(&mut self, index: usize, field: &Ident, span: Span) -> Option<Operand> {
        if !self.body.in_term() {
            return super::call::neighbour_outside(field, span).fail(self.errors);
        }
        let (id, ty) = self.field_to_read(index, None, span)?;
        let own = self.lets[index].over?.neighbourhood?;
        if let Some(TermOf::Aggregate(looked) | TermOf::Pair(looked)) = self.term_of {
            let offsets = |of: u16, dimension| self.rule.neighbourhoods[usize::from(of)].offsets(dimension);
            let lacking = [Dimension::Two, Dimension::Three].into_iter().find_map(|dimension| {
                let own: BTreeSet<[i32; 3]> = offsets(own, dimension).into_iter().collect();
                offsets(looked, dimension).into_iter().find(|offset| !own.contains(offset))
            });
            if let Some([x, y, z]) = lacking {
                let name = self.lets[index].name;
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
    pub(super) fn bond_has_offset(&mut self, index: usize, offset: [i32; 3], span: Span) -> Option<()> {
        let Some(over) = self.lets[index].over else { return Some(()) };
        let neighbourhood = &self.rule.neighbourhoods[usize::from(over.neighbourhood?)];
        if neighbourhood.offsets(Dimension::Three).contains(&offset) {
            return Some(());
        }
        let name = self.lets[index].name;
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
