//! The reducer: the terms of units come to [partials](Partial), on all threads.

mod terms;

use super::prepared::HostStorage;
use super::replicas::HostNeighbours;
use crate::reduce::{Combined, Partial, ReducedCells, Take, inside, integers};
use rayon::prelude::*;
use squeeze_compiler::ir::Value;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::{Lane, Micro, Slot, Unit};
use squeeze_compiler::reduce::fold;
use std::ops::Range;
pub(super) use terms::{Observed, TermWorker, Terms, TermsOfUnits};

/// Groups of units that each thread reduces before partial results are combined. Guess: not measured.
const BATCH: usize = 32;
/// Columns of a group of rows. Guess: not measured.
const COLUMNS: u32 = 64;

/// Reduces the terms of a rule's reductions, all of one round.
pub(super) struct Reducer<'a> {
    pub cells: ReducedCells<'a>,
    pub storage: &'a HostStorage,
    pub flush: bool,
    pub terms: Terms<'a>,
    /// How many threads of the pool that this is called in work.
    pub threads: usize,
}

impl Reducer<'_> {
    /// Hands over the partial reductions of groups of the units here.
    pub(super) fn partials(&self, which: &[Combined], take: Take<'_>) {
        let lanes = self.cells.lanes;
        let of_word = |word: usize| u32::MAX >> (32 * (word + 1)).saturating_sub(lanes);
        let whole: Vec<u32> = (0..lanes.div_ceil(32)).map(of_word).collect();
        let of_group = |worker: &mut Option<Box<dyn TermWorker + '_>>, (units, digits): &(Range<u32>, u32)| {
            let partial = |combined| self.cells.partial(combined, *digits, Slot(units.start));
            let mut partials: Vec<Partial> = which.iter().map(partial).collect();
            let mut left: Vec<(&mut Partial, &Combined)> = partials.iter_mut().zip(which).collect();
            // Integers of whole superblocks stand one after the other: they are combined at once, since a superblock of bits takes nanoseconds.
            left.retain_mut(|(partial, combined)| {
                let Partial::Exact(so_far) = partial else { return true };
                let stored = self.storage.rows().is_none().then(|| self.terms.stored(combined.index, units)).flatten();
                let Some((columns, block)) = stored else { return true };
                *so_far = integers::combined((combined.kind, combined.ty), columns, block, &whole);
                false
            });
            for slot in if left.is_empty() { 0..0 } else { units.clone() }.map(Slot) {
                if let Some(worker) = worker {
                    worker.compute(slot);
                }
                let present = match self.storage {
                    HostStorage::Replicas(_) => &whole,
                    HostStorage::Rows(rows) => rows.grid.mask(slot),
                };
                for (partial, combined) in &mut left {
                    let (columns, block) = self.terms.block(combined.index, slot, worker.as_deref());
                    match partial {
                        Partial::Exact(so_far) => {
                            let of_unit = integers::combined((combined.kind, combined.ty), columns, block, present);
                            *so_far = combined.kind.exact(*so_far, of_unit);
                        }
                        Partial::Cells(stream) => stream.push_column(combined.ty, block, present),
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
        for groups in self.groups().chunks(BATCH * self.threads) {
            let partials: Vec<Vec<Partial>> = match self.threads {
                1 => groups.iter().map(|group| of_group(&mut worker, group)).collect(),
                _ => groups.par_iter().map_init(begin, of_group).collect(),
            };
            partials.into_iter().for_each(&mut *take);
        }
    }

    /// The squares of the deviations of a superblock's terms from the means of their replicas.
    fn squares(&self, combined: &Combined, means: &[f64], slot: Slot, (columns, block): (&Columns, &[u8])) -> Vec<f64> {
        let (cells, stride) = (self.cells.of_replica(combined), columns.shape.stride);
        let mut squares = vec![0.0; block.len() / columns.column * stride];
        let HostStorage::Replicas(neighbours) = self.storage else { return squares };
        for (micro, column) in block.chunks_exact(columns.column).enumerate() {
            columns.for_each(column, |lane, bits| {
                let unit = neighbours.part.unit(slot);
                let cell = neighbours.layout.canonical(Lane(lane as u32), unit, Micro(micro as u32));
                let (term, mean) = (Value::from_bits(combined.ty, bits), means[(cell.0 / cells) as usize]);
                squares[micro * stride + lane] = fold::squared_deviation(term, mean, self.flush);
            });
        }
        squares
    }

    /// Groups of the units here, in order, and of how many digits each is all the cells in each lane: superblocks that share their top digits, in enough
    /// groups to keep all threads busy. At the ends of a part, groups are smaller.
    fn groups(&self) -> Vec<(Range<u32>, u32)> {
        let owned = &self.storage.tables().lanes().owned;
        let group_at = |first: u32| match self.storage {
            HostStorage::Replicas(neighbours) => {
                let HostNeighbours { layout, part, .. } = &**neighbours;
                let wanted = if self.threads == 1 { 1 } else { 16 * self.threads as u64 };
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
}
