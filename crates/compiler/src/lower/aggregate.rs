//! Aggregates over the neighbours of a place, of which holes are known to be missing and others may be.

use super::body::{Here, Neighbour};
use super::{Existence, LaneValue, Lowering, Result};
use crate::ir::NodeId;
use crate::ir::rule::{Aggregate, AggregateKind};
use crate::kernel::{self, LaneType, ValueId};
use crate::numbers::operators::{BinaryOp, CompareOp};
use crate::numbers::value::{Type, Value};

/// The most bits of one count in the kernel of a cell.
const MOST_COUNTED: usize = 32;

impl Lowering<'_> {
    pub(super) fn aggregate(&mut self, here: &mut Here<'_>, ty: Type, aggregate: &Aggregate) -> Result<LaneValue> {
        let mut terms = Vec::new();
        self.spend(self.neighbourhoods[usize::from(aggregate.neighbourhood)].len())?;
        for index in 0..self.neighbourhoods[usize::from(aggregate.neighbourhood)].len() {
            let offset = self.neighbourhoods[usize::from(aggregate.neighbourhood)][index];
            let place = self.geometry.beside(here.place, offset);
            let existence = self.existence_seen(place)?;
            if existence != Existence::No {
                terms.push((existence, self.term(here, aggregate, Neighbour { offset, place, index })?));
            }
        }
        let of_bits = || terms.iter().map(|(existence, term)| (*existence, term.bit()));
        Ok(match aggregate.kind {
            AggregateKind::Count => self.count(of_bits().collect()),
            AggregateKind::Sum if matches!(terms.first(), Some((_, LaneValue::Planes(_)))) => {
                self.count(of_bits().collect())
            }
            AggregateKind::Sum => self.sum(ty, &terms),
            AggregateKind::Product => self.product(ty, &terms),
            AggregateKind::Any => {
                let mut any = self.graph.bit(false);
                for (existence, term) in of_bits() {
                    let term = self.masked(term, existence);
                    self.graph.call("any");
                    any = self.graph.or(any, term);
                }
                LaneValue::Planes(vec![any])
            }
            AggregateKind::All => {
                let mut counterexample = self.graph.bit(false);
                for (existence, term) in of_bits() {
                    self.graph.call("fails");
                    let fails = self.graph.not(term);
                    let fails = self.masked(fails, existence);
                    self.graph.call("some_fail");
                    counterexample = self.graph.or(counterexample, fails);
                }
                self.graph.call("all");
                LaneValue::Planes(vec![self.graph.not(counterexample)])
            }
            AggregateKind::Min => self.extreme(here, aggregate, BinaryOp::Min, "lowest", &terms),
            AggregateKind::Max => self.extreme(here, aggregate, BinaryOp::Max, "highest", &terms),
            AggregateKind::Pick => self.pick(here, aggregate, &terms),
        })
    }

    /// The term for one neighbour.
    fn term(&mut self, here: &mut Here<'_>, aggregate: &Aggregate, neighbour: Neighbour) -> Result<LaneValue> {
        for id in aggregate.term.clone().map(NodeId).filter(|id| here.needed[id.0 as usize]).collect::<Vec<_>>() {
            let value = self.node(here, here.body.node(id), Some(neighbour))?;
            here.values.insert(id, value);
        }
        Ok(here.values[&aggregate.value].clone())
    }

    /// How many of some bits are true.
    fn count(&mut self, terms: Vec<(Existence, ValueId)>) -> LaneValue {
        let mut bits: Vec<ValueId> = Vec::with_capacity(terms.len());
        for (existence, term) in terms {
            bits.push(self.masked(term, existence));
        }
        bits.sort_unstable();
        self.graph.call("count");
        // Passes make adders of whole counts; the thread of a cell has registers for some bits at a time.
        let most = if self.geometry.is_a_cell() { MOST_COUNTED } else { usize::MAX };
        let mut count = self.graph.add(LaneType::I32, kernel::Op::Count(bits.drain(..bits.len().min(most)).collect()));
        for bits in bits.chunks(most) {
            let more = self.graph.add(LaneType::I32, kernel::Op::Count(bits.to_vec()));
            count = self.graph.binary(BinaryOp::Add, count, more);
        }
        LaneValue::Number(count)
    }

    /// The sum of numbers, in order, from 0.
    fn sum(&mut self, ty: Type, terms: &[(Existence, LaneValue)]) -> LaneValue {
        let zero = self.graph.value(Value::zero(ty));
        let mut sum = zero;
        // A flushed sum may be −0.0, and −0.0 + 0.0 is 0.0: absent terms are left out, not added as 0.
        let exact = self.rule.flush && matches!(ty, Type::F32 | Type::F64);
        for (existence, term) in terms {
            let mut term = term.number();
            if let Some(exists) = if exact { self.exists(*existence) } else { None } {
                self.graph.call("sum");
                let longer = self.graph.binary(BinaryOp::Add, sum, term);
                self.graph.call("existing");
                sum = self.graph.select(exists, longer, sum);
                continue;
            }
            let vanishes = matches!(existence, Existence::If(direction) if self.vanishes(term, *direction));
            if let Some(exists) = if vanishes { None } else { self.exists(*existence) } {
                self.graph.call("existing");
                term = self.graph.select(exists, term, zero);
            }
            self.graph.call("sum");
            sum = self.graph.binary(BinaryOp::Add, sum, term);
        }
        LaneValue::Number(sum)
    }

    /// The product of numbers, in order, from 1.
    fn product(&mut self, ty: Type, terms: &[(Existence, LaneValue)]) -> LaneValue {
        let mut product = self.graph.value(Value::one(ty));
        for (existence, term) in terms {
            self.graph.call("product");
            let longer = self.graph.binary(BinaryOp::Multiply, product, term.number());
            product = match self.exists(*existence) {
                Some(exists) => {
                    self.graph.call("existing");
                    self.graph.select(exists, longer, product)
                }
                None => longer,
            };
        }
        LaneValue::Number(product)
    }

    /// The term of the existing neighbour with a number, or the value for none.
    fn pick(&mut self, here: &Here<'_>, aggregate: &Aggregate, terms: &[(Existence, LaneValue)]) -> LaneValue {
        let of_cell = |id: Option<NodeId>| here.values[&id.expect("the rule was checked: `pick` has both")].clone();
        let (index, mut picked) = (of_cell(aggregate.index).number(), of_cell(aggregate.otherwise));
        let one = self.graph.value(Value::U32(1));
        // How many exist of those before.
        let mut number = self.graph.value(Value::U32(0));
        for (existence, term) in terms {
            self.graph.call("picked");
            let mut chosen = self.graph.add(LaneType::Bits, kernel::Op::Compare(CompareOp::Equal, index, number));
            match self.exists(*existence) {
                Some(exists) => {
                    self.graph.call("picked");
                    chosen = self.graph.and(chosen, exists);
                    self.graph.call("before");
                    let count = self.graph.add(LaneType::U32, kernel::Op::Widen(vec![exists]));
                    number = self.graph.binary(BinaryOp::Add, number, count);
                }
                None => number = self.graph.binary(BinaryOp::Add, number, one),
            }
            self.graph.call("picked");
            picked = self.choose(chosen, term, &picked);
        }
        picked
    }

    /// The fold of min or max from the first that exists, or the value for none.
    fn extreme(
        &mut self,
        here: &Here<'_>,
        aggregate: &Aggregate,
        op: BinaryOp,
        name: &str,
        terms: &[(Existence, LaneValue)],
    ) -> LaneValue {
        let otherwise = aggregate.otherwise.expect("the rule was checked: min and max say what holds for none");
        let mut fold = here.values[&otherwise].number();
        let mut any = self.graph.bit(false);
        for (existence, term) in terms {
            let exists = self.exists(*existence).unwrap_or_else(|| self.graph.bit(true));
            self.graph.call(name);
            let folded = self.graph.binary(op, fold, term.number());
            let new = self.graph.select(any, folded, term.number());
            fold = self.graph.select(exists, new, fold);
            any = self.graph.or(any, exists);
        }
        LaneValue::Number(fold)
    }
}
