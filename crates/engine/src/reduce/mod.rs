//! From terms to numbers. Groups of a domain's units come to *partials*, whatever computes their terms; those of all units, in order, come to one number
//! of all cells, of each replica of a level, or of each lane.
//!
//! Integers combine in any order. Floats are folded along a [`FoldTree`]: those of replicas lane by lane along the digits inside of a lane, and then
//! lane after lane; those of rows in blocks of cells that follow each other.

pub(crate) mod integers;
mod lanes;
pub(crate) mod messages;
pub(crate) mod rounds;
mod stream;
pub(crate) mod words;

use crate::Result;
use lanes::Lanes;
use rounds::by_rounds;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::rounds::combined;
use squeeze_compiler::ir::{Combine, Grouping, Round, RuleParts, Type, Value};
use squeeze_compiler::layout::unit::Slot;
use squeeze_compiler::layout::{Geometry, Layout};
use squeeze_compiler::reduce::fold::{self, FoldTree, ObservedValue, ReductionFold};
use std::ops::Range;
use stream::CellStream;

/// The result of a group of units.
pub enum Partial {
    /// Integers.
    Exact(i64),
    /// Floats of cells that follow each other.
    Cells(CellStream),
    /// Values that each lane has for itself.
    Lanes(Lanes),
}

/// A question to units: reductions of a rule, all of one round.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The numbers of the reductions.
    pub(crate) which: &'a [usize],
    /// Results of earlier rounds that the terms read.
    pub(crate) numbers: &'a [Value],
    /// How to combine the terms of reductions that are not known yet.
    pub(crate) combined: &'a [Combined],
}

/// A taker of partials. A call has one partial per reduction for a group of units; groups come in the order of their units.
pub type Take<'a> = &'a mut (dyn FnMut(Vec<Partial>) + Send);

/// How terms are combined.
#[derive(Clone)]
pub(crate) struct Combined {
    /// The number of the reduction whose terms they are, among those of the round.
    pub index: usize,
    pub kind: Combine,
    pub ty: Type,
    pub grouping: Grouping,
    /// The mean of each replica, if the squares of deviations from it are combined instead of the terms.
    pub means: Option<Vec<f64>>,
}

impl Combined {
    /// How the terms of these reductions are combined, all of one round.
    fn of(rule: &RuleParts, which: &[usize], cells: ReducedCells<'_>) -> Vec<Combined> {
        let of_reduction = |number: &usize| {
            let (kind, ty, count) = combined(&rule.reductions[*number]);
            let grouping = cells.level_of_members().map_or(rule.reductions[*number].grouping, Grouping::Level);
            std::iter::repeat_n(Combined { index: 0, kind, ty, grouping, means: None }, count)
        };
        which.iter().flat_map(of_reduction).enumerate().map(|(index, of)| Combined { index, ..of }).collect()
    }

    /// The type of the combined values.
    fn ty(&self) -> Type {
        if self.means.is_some() { Type::F64 } else { self.ty }
    }
}

/// The reductions of these numbers, of all cells or of replicas; a list of those of each lane where these are members. `ask` hands over the partials of
/// all units.
///
/// # Errors
/// As of `ask`.
pub fn reduce(
    rule: &FittedRule,
    cells: ReducedCells<'_>,
    which: &[usize],
    ask: &dyn Fn(&Question<'_>, Take<'_>) -> Result<()>,
) -> Result<Vec<ObservedValue>> {
    let compute = |which: &[usize], numbers: &[Vec<Value>]| {
        let (mut combined, numbers) =
            (Combined::of(rule, which, cells), numbers.first().map_or(&[][..], Vec::as_slice));
        let mut values = cells.combine(&Question { which, numbers, combined: &combined }, ask)?;
        // Reductions over all cells find means among the numbers; by level each replica has its own.
        combined.retain(|of| numbers.is_empty() && rule.reductions[which[of.index]].round != Round::First);
        for combined in &mut combined {
            let mean = |sum: &ObservedValue| fold::mean(sum, cells.of_replica(combined), rule.flush);
            combined.means = Some(values[combined.index].numbers().iter().map(mean).collect());
        }
        let squares = cells.combine(&Question { which, numbers, combined: &combined }, ask)?;
        combined.iter().zip(squares).for_each(|(combined, value)| values[combined.index] = value);
        Ok(Some(vec![values]))
    };
    let values = by_rounds(rule, which, (1, rule.domain().cells()), compute)?;
    Ok(values.into_iter().flatten().flatten().collect())
}

/// The result of all units.
enum Total {
    Cells(ReductionFold),
    Lanes(Lanes),
}

impl Total {
    /// Adds the partial reductions of the next units.
    fn merge(&mut self, part: Partial) {
        match (self, part) {
            (Total::Cells(ReductionFold::Integer(kind, so_far)), Partial::Exact(part)) => {
                *so_far = kind.exact(*so_far, part);
            }
            (Total::Cells(ReductionFold::Float(fold)), Partial::Cells(part)) => part.add_to(fold),
            (Total::Lanes(lanes), Partial::Lanes(part)) => lanes.merge(part),
            _ => unreachable!("a total and its parts are made for one reduction"),
        }
    }
}

/// Cells that are reduced: where they stand, and in how many lanes.
#[derive(Clone, Copy)]
pub struct ReducedCells<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) lanes: usize,
}

impl ReducedCells<'_> {
    /// Combines the partials of all units.
    fn combine(
        self,
        question: &Question<'_>,
        ask: &dyn Fn(&Question<'_>, Take<'_>) -> Result<()>,
    ) -> Result<Vec<ObservedValue>> {
        let mut totals: Vec<Total> = question.combined.iter().map(|combined| self.total(combined)).collect();
        if !totals.is_empty() {
            ask(question, &mut |partials| {
                totals.iter_mut().zip(partials).for_each(|(total, partial)| total.merge(partial));
            })?;
        }
        Ok({ totals.into_iter().zip(question.combined) }.map(|(total, of)| self.finish(of, total)).collect())
    }

    /// The level of the domain if lanes are members.
    fn level_of_members(self) -> Option<u32> {
        let Geometry::Replicas(layout) = self.geometry else { return None };
        (layout.lanes() < self.lanes).then(|| layout.level())
    }

    /// How many cells a replica has.
    pub(crate) fn of_replica(self, combined: &Combined) -> u64 {
        match self.geometry {
            Geometry::Replicas(layout) => ks(layout, 0..combined.grouping.level().unwrap_or(layout.level())).product(),
            Geometry::Rows(grid) => grid.cells(),
        }
    }

    /// An accumulator for each lane by itself, over at most `digits` of the digits inside of lanes; `None` if all cells are combined, lane after lane.
    fn of_lanes(self, combined: &Combined, digits: u32) -> Option<Lanes> {
        let Geometry::Replicas(layout) = self.geometry else { return None };
        let ks = ks(layout, 0..digits.min(inside(layout)).min(combined.grouping.level().unwrap_or(u32::MAX)));
        let apart = combined.grouping != Grouping::Whole || combined.ty().is_float();
        apart.then(|| Lanes::new(combined.kind, combined.ty(), ks, self.lanes))
    }

    /// No terms yet of a group of units from `first` on, whose cells have `digits` digits in each lane.
    pub(crate) fn partial(self, combined: &Combined, digits: u32, first: Slot) -> Partial {
        match (self.of_lanes(combined, digits), self.geometry) {
            (Some(lanes), _) => Partial::Lanes(lanes),
            (None, Geometry::Rows(grid)) if combined.ty.is_float() => {
                Partial::Cells(CellStream::new(combined.kind, grid.first_cell(first)))
            }
            (None, _) => Partial::Exact(combined.kind.nothing()),
        }
    }

    /// An empty total, to be combined with partials.
    fn total(self, combined: &Combined) -> Total {
        let tree = || match self.geometry {
            Geometry::Replicas(_) => FoldTree::of_digits([]),
            Geometry::Rows(grid) => FoldTree::of_cells(grid.cells()),
        };
        match self.of_lanes(combined, u32::MAX) {
            Some(lanes) => Total::Lanes(lanes),
            None => Total::Cells(ReductionFold::new(combined.kind, combined.ty, &tree())),
        }
    }

    /// The result: the folds of lanes are folded lane after lane, for each replica.
    fn finish(self, combined: &Combined, total: Total) -> ObservedValue {
        let (lanes, layout) = match (total, self.geometry) {
            (Total::Cells(fold), _) => return fold.finish(),
            (Total::Lanes(lanes), Geometry::Replicas(layout)) => (lanes, layout),
            (Total::Lanes(_), Geometry::Rows(_)) => unreachable!("lanes of rows have no values of their own"),
        };
        let level = combined.grouping.level().unwrap_or(layout.level());
        let digits: Vec<u64> = ks(layout, inside(layout).min(level)..level).collect();
        let (tree, together) = (FoldTree::of_digits(digits.iter().copied()), digits.iter().product::<u64>() as usize);
        // Members are consecutive; their layout has one lane.
        let in_order = layout.lanes_of_replicas().iter().copied().chain(1..).take(lanes.lanes());
        let mut values = in_order.flat_map(|lane| (0..lanes.rows()).map(move |row| (row, lane as usize)));
        let of_replica = |_| {
            let mut fold = ReductionFold::new(combined.kind, combined.ty(), &tree);
            values.by_ref().take(together).for_each(|(row, lane)| fold.push(lanes.value(row, lane)));
            fold.finish()
        };
        let mut replicas: Vec<ObservedValue> = (0..lanes.rows() * lanes.lanes() / together).map(of_replica).collect();
        match combined.grouping {
            Grouping::Whole => replicas.remove(0),
            Grouping::Level(_) => ObservedValue::List(replicas),
        }
    }
}

/// How many digits lie within a lane.
pub(crate) fn inside(layout: &Layout) -> u32 {
    layout.level() - layout.lane_digits()
}

/// How many values digits take: those of levels `digits.start + 1` to `digits.end`.
pub(crate) fn ks(layout: &Layout, digits: Range<u32>) -> impl Iterator<Item = u64> {
    (digits.start + 1..=digits.end).map(|mu| layout.low().fractal().pattern(mu).k())
}
