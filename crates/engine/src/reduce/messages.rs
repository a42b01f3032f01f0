//! Questions, partials and results as messages between ranks, which have parts of one domain.

use super::lanes::{FoldedLanes, Lanes};
use super::stream::CellStream;
use super::words::Words;
use super::{Combined, Partial, Question, ReducedCells, inside, ks};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::rounds;
use squeeze_compiler::ir::{RuleParts, Value};
use squeeze_compiler::layout::Geometry;
use squeeze_compiler::layout::unit::Slot;
use squeeze_compiler::reduce::fold::ObservedValue;

/// A question that came in a message.
pub(crate) struct AskedQuestion {
    which: Vec<usize>,
    numbers: Vec<Value>,
    combined: Vec<Combined>,
}

impl AskedQuestion {
    /// The question of a message to a rule's cells; `None` if it is none.
    pub(crate) fn of(words: &mut Words<'_>, rule: &FittedRule, cells: ReducedCells<'_>) -> Option<AskedQuestion> {
        let which: Vec<usize> = words.list(Words::number)?;
        if which.iter().any(|number| *number >= rule.reductions.len()) {
            return None;
        }
        let earlier =
            rounds::later(&RuleParts::with_reductions(rule, &which)).map_or_else(Vec::new, |later| later.earlier);
        let mut types = earlier.iter().map(|(_, ty)| *ty);
        let numbers = words.list(|words| Some(Value::from_bits(types.next()?, words.word()?)))?;
        let all = Combined::of(rule, &which, cells);
        let combined = words.list(|words| {
            let mut combined = all.get(words.number::<usize>()?)?.clone();
            let means = words.list(Words::word)?;
            combined.means = (!means.is_empty()).then(|| means.into_iter().map(f64::from_bits).collect());
            Some(combined)
        })?;
        Some(AskedQuestion { which, numbers, combined })
    }

    /// As units are asked.
    pub(crate) fn question(&self) -> Question<'_> {
        Question { which: &self.which, numbers: &self.numbers, combined: &self.combined }
    }
}

impl Question<'_> {
    /// The numbers of its reductions.
    pub(crate) fn which(&self) -> &[usize] {
        self.which
    }

    /// The words of its message.
    pub(crate) fn words(&self) -> Vec<u64> {
        let mut words = vec![self.which.len() as u64];
        words.extend(self.which.iter().map(|number| *number as u64));
        words.push(self.numbers.len() as u64);
        words.extend(self.numbers.iter().map(|number| number.bits()));
        words.push(self.combined.len() as u64);
        for Combined { index, means, .. } in self.combined {
            let means = means.as_deref().unwrap_or_default();
            words.extend([*index as u64, means.len() as u64]);
            words.extend(means.iter().map(|mean| mean.to_bits()));
        }
        words
    }

    /// The partials of the next group of units in a message; `None` if there are none.
    pub(crate) fn partials(&self, words: &mut Words<'_>, cells: ReducedCells<'_>) -> Option<Vec<Partial>> {
        self.combined.iter().map(|combined| Partial::of(words, combined, cells)).collect()
    }
}

/// Partials of groups of units that follow each other, put together as far as they can be, for each reduction of a question.
pub(crate) struct GatheredGroups<'a> {
    cells: ReducedCells<'a>,
    combined: &'a [Combined],
    of: Vec<GatheredPartials>,
}

/// The partials of a reduction.
enum GatheredPartials {
    /// Integers, or floats of cells.
    One(Partial),
    /// Floats of lanes.
    Blocks(FoldedLanes),
    /// Integers of lanes, as they come.
    All(Vec<Partial>),
}

impl<'a> GatheredGroups<'a> {
    /// None yet, of the units from this slot on, the first of which is this one.
    pub(crate) fn new(
        cells: ReducedCells<'a>,
        question: &Question<'a>,
        (first, unit): (Slot, u32),
    ) -> GatheredGroups<'a> {
        let of = |combined: &Combined| match (cells.partial(combined, 0, first), cells.geometry) {
            (Partial::Lanes(Lanes::Floats(_)), Geometry::Replicas(layout)) => {
                let digits = inside(layout).min(combined.grouping.level().unwrap_or(u32::MAX));
                let first = layout.columns_of(unit as usize);
                GatheredPartials::Blocks(FoldedLanes::new(combined.kind, ks(layout, 0..digits), first))
            }
            (Partial::Lanes(_), _) => GatheredPartials::All(Vec::new()),
            (partial, _) => GatheredPartials::One(partial),
        };
        GatheredGroups { cells, combined: question.combined, of: question.combined.iter().map(of).collect() }
    }

    /// Adds those of the next group.
    pub(crate) fn push(&mut self, group: Vec<Partial>) {
        for ((of, partial), combined) in self.of.iter_mut().zip(group).zip(self.combined) {
            match (of, partial) {
                (GatheredPartials::One(Partial::Exact(so_far)), Partial::Exact(next)) => {
                    *so_far = combined.kind.exact(*so_far, next);
                }
                (GatheredPartials::One(so_far @ Partial::Cells(_)), Partial::Cells(next)) => {
                    if let Partial::Cells(before) = std::mem::replace(so_far, Partial::Exact(0)) {
                        *so_far = Partial::Cells(before.then(next));
                    }
                }
                (GatheredPartials::Blocks(blocks), Partial::Lanes(Lanes::Floats(next))) => blocks.push(next),
                (GatheredPartials::All(all), next) => all.push(next),
                _ => unreachable!("the partials of a reduction are of one kind"),
            }
        }
    }

    /// The words of their message: as many groups as the longest list has, in which shorter ones end with partials of nothing.
    pub(crate) fn into_words(self) -> Vec<u64> {
        let GatheredGroups { cells, combined, of } = self;
        let list = |of: GatheredPartials| match of {
            GatheredPartials::One(partial) => vec![partial],
            GatheredPartials::Blocks(blocks) => blocks.into_lanes().map(Partial::Lanes).collect(),
            GatheredPartials::All(all) => all,
        };
        let mut lists: Vec<_> = of.into_iter().map(|of| list(of).into_iter()).collect();
        let groups = lists.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        let mut words = Vec::new();
        for _ in 0..groups {
            for (list, combined) in lists.iter_mut().zip(combined) {
                list.next().unwrap_or_else(|| cells.partial(combined, 0, Slot(0))).add_to(&mut words);
            }
        }
        words
    }
}

impl Partial {
    /// Adds the words of its message.
    fn add_to(self, words: &mut Vec<u64>) {
        match self {
            Partial::Exact(number) => words.extend([0, number as u64]),
            Partial::Cells(stream) => {
                let blocks = stream.into_blocks();
                words.extend([1, blocks.len() as u64]);
                words.extend(blocks.into_iter().flat_map(|(digits, value)| [u64::from(digits), value.to_bits()]));
            }
            Partial::Lanes(lanes) => {
                words.push(2);
                lanes.add_to(words);
            }
        }
    }

    fn of(words: &mut Words<'_>, combined: &Combined, cells: ReducedCells<'_>) -> Option<Partial> {
        let digits = match cells.geometry {
            Geometry::Replicas(layout) => inside(layout),
            Geometry::Rows(_) => 0,
        };
        Some(match words.word()? {
            0 => Partial::Exact(words.word()? as i64),
            1 => {
                let blocks = words.list(|words| Some((words.number()?, f64::from_bits(words.word()?))))?;
                Partial::Cells(CellStream::of_blocks(combined.kind, blocks))
            }
            2 => Partial::Lanes(Lanes::of(words, (combined.kind, combined.ty()), (cells.lanes, digits))?),
            _ => return None,
        })
    }
}

/// Adds the words of the message of a result.
pub(crate) fn add_result(value: &ObservedValue, words: &mut Vec<u64>) {
    match value {
        ObservedValue::Integer(number) => words.extend([0, *number as u64]),
        ObservedValue::Float(number) => words.extend([1, number.to_bits()]),
        ObservedValue::List(list) => {
            words.extend([2, list.len() as u64]);
            list.iter().for_each(|value| add_result(value, words));
        }
    }
}

/// The next result of a message; `None` if there is none.
pub(crate) fn result_of(words: &mut Words<'_>) -> Option<ObservedValue> {
    Some(match words.word()? {
        0 => ObservedValue::Integer(words.word()? as i64),
        1 => ObservedValue::Float(f64::from_bits(words.word()?)),
        2 => ObservedValue::List(words.list(result_of)?),
        _ => return None,
    })
}
