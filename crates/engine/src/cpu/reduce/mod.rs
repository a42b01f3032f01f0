//! The reducer: the terms of units come to partial results, on all threads, and those together to one number of all cells, of each replica of a
//! level, or of each lane.
//!
//! Integers combine in any order. Floats are folded along a [`FoldTree`]: those of replicas lane by lane along the digits inside of a lane, and then
//! lane after lane; those of rows in blocks of cells that follow each other.

mod integers;
mod lanes;
mod stream;
mod terms;

use super::neighbours::{HostNeighbours, LaneTables};
use super::storage::HostStorage;
use crate::Result;
use lanes::Lanes;
use rayon::prelude::*;
use squeeze_compiler::ir::{Combine, Reduction, Round, RuleParts, Type, Value};
use squeeze_compiler::layout::Layout;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::{Lane, Micro, Slot, Unit};
use squeeze_compiler::reduce::fold::{self, FoldTree, ObservedValue, ReductionFold};
use std::ops::Range;
use stream::CellStream;
pub(super) use terms::{Observed, TermWorker, Terms, TermsOfUnits};

/// Groups of units that each thread reduces before partial results are combined.
const BATCH: usize = 32;
/// Columns of a group of rows.
const COLUMNS: u32 = 64;

/// What reduces the terms of a rule's reductions, all of one round.
pub(super) struct Reducer<'a> {
    pub cells: &'a HostStorage,
    pub rule: &'a RuleParts,
    pub terms: Terms<'a>,
    /// How many threads of the pool that this is called in work.
    pub threads: usize,
}

/// How terms are combined.
struct Combined {
    /// The number of the reduction whose terms they are.
    index: usize,
    kind: Combine,
    ty: Type,
    /// The level whose replicas have a value each; that of a lane where lanes are members.
    level: Option<u32>,
    /// By replica the mean, if the squares of deviations from it are combined instead of the terms.
    means: Option<Vec<f64>>,
}

/// What a group of units comes to.
enum Partial {
    Integer(i64),
    Stream(CellStream),
    Lanes(Lanes),
}

/// What all units come to.
enum Total {
    Cells(ReductionFold),
    Lanes(Lanes),
}

/// Calls a function with what reduces each of the parts behind the first, in order.
pub(super) type Others<'a> = &'a dyn Fn(&mut dyn FnMut(&Reducer<'_>)) -> Result<()>;

impl Reducer<'_> {
    /// The reductions of all cells, and those by level, if this is the first part and these are the others.
    pub(super) fn values(&self, others: Others<'_>) -> Result<Vec<ObservedValue>> {
        let first: Vec<Combined> = self.reductions(|reduction| reduction.level);
        let mut values = self.finished(&first, others)?;
        // Those of all cells find means among the parameters of their kernel; by level each replica has its own.
        let later = first.into_iter().filter(|combined| self.rule.reductions[combined.index].round != Round::First);
        let squares = later.map(|combined| {
            let mean = |sum: &ObservedValue| fold::mean(sum, self.cells.of_replica(&combined), self.rule.flush);
            let means = values[combined.index].numbers().iter().map(mean).collect();
            Combined { means: Some(means), ..combined }
        });
        let squares: Vec<Combined> = squares.collect();
        for (combined, value) in squares.iter().zip(self.finished(&squares, others)?) {
            values[combined.index] = value;
        }
        Ok(values)
    }

    /// For each lane the reductions of its cells.
    pub(super) fn of_lanes(&self) -> Result<Vec<Vec<ObservedValue>>> {
        let HostStorage::Replicas(neighbours) = self.cells else { return Ok(Vec::new()) };
        let all = self.reductions(|_| Some(neighbours.layout.level()));
        let values = self.finished(&all, &|_| Ok(()))?;
        let values: Vec<Vec<ObservedValue>> = values.into_iter().map(|value| value.numbers().to_vec()).collect();
        let of_lane = |lane: usize| values.iter().map(|values| values[lane].clone()).collect();
        Ok((0..neighbours.lanes.shape.lanes).map(of_lane).collect())
    }

    fn reductions(&self, level: impl Fn(&Reduction) -> Option<u32>) -> Vec<Combined> {
        let of = |(index, reduction): (usize, &Reduction)| {
            let (kind, ty) = (reduction.kind, reduction.ty);
            Combined { index, kind, ty, level: level(reduction), means: None }
        };
        self.rule.reductions.iter().enumerate().map(of).collect()
    }

    fn finished(&self, which: &[Combined], others: Others<'_>) -> Result<Vec<ObservedValue>> {
        let mut totals: Vec<Total> = which.iter().map(|combined| self.cells.total(combined)).collect();
        self.add_to(&mut totals, which);
        others(&mut |reducer| reducer.add_to(&mut totals, which))?;
        Ok({ totals.into_iter().zip(which) }.map(|(total, combined)| self.cells.finish(combined, total)).collect())
    }

    /// Adds what all units here come to. Those before them are in the totals already.
    fn add_to(&self, totals: &mut [Total], which: &[Combined]) {
        if which.is_empty() {
            return;
        }
        let lanes = self.cells.tables().lanes().shape.lanes;
        let of_word = |word: usize| u32::MAX >> (32 * (word + 1)).saturating_sub(lanes);
        let whole: Vec<u32> = (0..lanes.div_ceil(32)).map(of_word).collect();
        let of_group = |worker: &mut Option<Box<dyn TermWorker + '_>>, (units, digits): &(Range<u32>, u32)| {
            let partial = |combined| self.cells.partial(combined, *digits, units.start);
            let mut partials: Vec<Partial> = which.iter().map(partial).collect();
            let mut left: Vec<(&mut Partial, &Combined)> = partials.iter_mut().zip(which).collect();
            // Integers of whole superblocks stand one after the other: they are combined at once, since a superblock of bits takes nanoseconds.
            left.retain_mut(|(partial, combined)| {
                let Partial::Integer(so_far) = partial else { return true };
                let stored = self.cells.rows().is_none().then(|| self.terms.stored(combined.index, units)).flatten();
                let Some((columns, block)) = stored else { return true };
                *so_far = integers::combined((combined.kind, combined.ty), columns, block, &whole);
                false
            });
            for slot in if left.is_empty() { 0..0 } else { units.clone() }.map(Slot) {
                if let Some(worker) = worker {
                    worker.compute(slot);
                }
                let present = match self.cells {
                    HostStorage::Replicas(_) => &whole,
                    HostStorage::Rows(rows) => rows.grid.mask(slot),
                };
                for (partial, combined) in &mut left {
                    let (columns, block) = self.terms.block(combined.index, slot, worker.as_deref());
                    match partial {
                        Partial::Integer(so_far) => {
                            let of_unit = integers::combined((combined.kind, combined.ty), columns, block, present);
                            *so_far = combined.kind.exact(*so_far, of_unit);
                        }
                        Partial::Stream(stream) => stream.push_column(combined.ty, block, present),
                        Partial::Lanes(lanes) => match &combined.means {
                            None => lanes.push_block(combined.ty, columns, block),
                            Some(means) => lanes.push_floats(&self.squares(combined, means, slot, (columns, block))),
                        },
                    }
                }
            }
            partials
        };
        let begin = || (self.terms.worker)();
        let mut worker = if self.threads == 1 { begin() } else { None };
        for groups in self.cells.groups(self.threads).chunks(BATCH * self.threads) {
            let partials: Vec<Vec<Partial>> = match self.threads {
                1 => groups.iter().map(|group| of_group(&mut worker, group)).collect(),
                _ => groups.par_iter().map_init(begin, of_group).collect(),
            };
            for partials in partials {
                totals.iter_mut().zip(partials).for_each(|(total, partial)| total.merge(partial));
            }
        }
    }

    /// The squares of the deviations of a superblock's terms from the means of their replicas.
    fn squares(&self, combined: &Combined, means: &[f64], slot: Slot, (columns, block): (&Columns, &[u8])) -> Vec<f64> {
        let (cells, stride) = (self.cells.of_replica(combined), columns.shape.stride);
        let mut squares = vec![0.0; block.len() / columns.column * stride];
        let HostStorage::Replicas(neighbours) = self.cells else { return squares };
        for (micro, column) in block.chunks_exact(columns.column).enumerate() {
            columns.for_each(column, |lane, bits| {
                let unit = neighbours.part.unit(slot);
                let cell = neighbours.layout.canonical(Lane(lane as u32), unit, Micro(micro as u32));
                let (term, mean) = (Value::from_bits(combined.ty, bits), means[(cell.0 / cells) as usize]);
                squares[micro * stride + lane] = fold::squared_deviation(term, mean, self.rule.flush);
            });
        }
        squares
    }
}

impl Combined {
    /// The type of what is combined.
    fn ty(&self) -> Type {
        if self.means.is_some() { Type::F64 } else { self.ty }
    }
}

impl Total {
    /// Adds what the next units came to.
    fn merge(&mut self, part: Partial) {
        match (self, part) {
            (Total::Cells(ReductionFold::Integer(kind, so_far)), Partial::Integer(part)) => {
                *so_far = kind.exact(*so_far, part);
            }
            (Total::Cells(ReductionFold::Float(fold)), Partial::Stream(part)) => part.add_to(fold),
            (Total::Lanes(lanes), Partial::Lanes(part)) => lanes.merge(part),
            _ => unreachable!("a total and its parts are made for one reduction"),
        }
    }
}

impl HostStorage {
    /// Groups of the units here, in order, and of how many digits each is all the cells in each lane: superblocks that share their top digits, in enough
    /// groups to keep all threads busy. A part that begins or ends within one has smaller ones there.
    fn groups(&self, threads: usize) -> Vec<(Range<u32>, u32)> {
        let owned = &self.tables().lanes().owned;
        let group_at = |first: u32| match self {
            HostStorage::Replicas(neighbours) => {
                let HostNeighbours { layout, part, .. } = &**neighbours;
                let wanted = if threads == 1 { 1 } else { 16 * threads as u64 };
                let (Unit(unit), left) = (part.unit(Slot(first)), u64::from(owned.end - first));
                let is_fine = |digits: &u32| {
                    let group = layout.superblocks_of(*digits);
                    let is_whole = u64::from(unit).is_multiple_of(group) && group <= left;
                    is_whole && u64::from(layout.superblocks()) / group >= wanted
                };
                let digits = (0..inside(layout) - layout.micro_digits()).rev().find(is_fine).unwrap_or(0);
                (layout.superblocks_of(digits) as u32, layout.micro_digits() + digits)
            }
            HostStorage::Rows(_) => (COLUMNS.min(owned.end - first), 0),
        };
        let (mut groups, mut first) = (Vec::new(), owned.start);
        while first < owned.end {
            let (units, digits) = group_at(first);
            groups.push((first..first + units, digits));
            first += units;
        }
        groups
    }

    /// How many cells a replica has.
    fn of_replica(&self, combined: &Combined) -> u64 {
        match self {
            HostStorage::Replicas(neighbours) => {
                let layout = &neighbours.layout;
                ks(layout, 0..combined.level.unwrap_or(layout.level())).product()
            }
            HostStorage::Rows(rows) => rows.grid.cells(),
        }
    }

    /// What lanes come to by themselves over at most so many of the digits inside of them; `None` if all cells are combined, lane after lane.
    fn of_lanes(&self, combined: &Combined, digits: u32) -> Option<Lanes> {
        let HostStorage::Replicas(neighbours) = self else { return None };
        let HostNeighbours { layout, lanes: LaneTables { shape, .. }, .. } = &**neighbours;
        let ks = ks(layout, 0..digits.min(inside(layout)).min(combined.level.unwrap_or(u32::MAX)));
        let apart = combined.level.is_some() || combined.ty().is_float();
        apart.then(|| Lanes::new(combined.kind, combined.ty(), ks, shape.lanes))
    }

    /// No terms yet of a group of units from `first` on, whose cells have `digits` digits in each lane.
    fn partial(&self, combined: &Combined, digits: u32, first: u32) -> Partial {
        match (self.of_lanes(combined, digits), self) {
            (Some(lanes), _) => Partial::Lanes(lanes),
            (None, HostStorage::Rows(rows)) if combined.ty.is_float() => {
                Partial::Stream(CellStream::new(combined.kind, rows.grid.first_cell(Slot(first))))
            }
            (None, _) => Partial::Integer(combined.kind.nothing()),
        }
    }

    /// An empty total, to be combined with partial results.
    fn total(&self, combined: &Combined) -> Total {
        let tree = || match self {
            HostStorage::Replicas(_) => FoldTree::of_digits([]),
            HostStorage::Rows(rows) => FoldTree::of_cells(rows.grid.cells()),
        };
        match self.of_lanes(combined, u32::MAX) {
            Some(lanes) => Total::Lanes(lanes),
            None => Total::Cells(ReductionFold::new(combined.kind, combined.ty, &tree())),
        }
    }

    /// The result: what lanes came to is folded lane after lane, for each replica.
    fn finish(&self, combined: &Combined, total: Total) -> ObservedValue {
        let (lanes, layout) = match (total, self) {
            (Total::Cells(fold), _) => return fold.finish(),
            (Total::Lanes(lanes), HostStorage::Replicas(neighbours)) => (lanes, &neighbours.layout),
            (Total::Lanes(_), HostStorage::Rows(_)) => unreachable!("lanes of rows have no values of their own"),
        };
        let level = combined.level.unwrap_or(layout.level());
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
        match combined.level {
            None => replicas.remove(0),
            Some(_) => ObservedValue::List(replicas),
        }
    }
}

/// How many digits lie within a lane.
fn inside(layout: &Layout) -> u32 {
    layout.level() - layout.lane_digits()
}

/// How many values digits take: those of levels `digits.start + 1` to `digits.end`.
fn ks(layout: &Layout, digits: Range<u32>) -> impl Iterator<Item = u64> {
    (digits.start + 1..=digits.end).map(|mu| layout.low().fractal().pattern(mu).k())
}
