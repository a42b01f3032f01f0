//! Which cells each rank has, and their values on the way between ranks and those who ask for all of them.
//!
//! A rank's cells are stretches of the canonical order: on fractals one in each replica of the top levels, on masks and boxes a single one.

use crate::packed;
use crate::states::transfer::{bits_at, or_bits};
use squeeze_compiler::ir::Type;
use squeeze_compiler::layout::{Geometry, Storage};
use std::ops::Range;

/// The cells of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RankCells {
    /// By how much the index of a replica's cell is greater than in the replica before.
    pub stride: u64,
    /// The cells in the first replica.
    pub own: Range<u64>,
}

impl RankCells {
    /// The cells of the units that are computed in a part of a domain.
    pub(super) fn of(storage: &Storage) -> RankCells {
        match &storage.geometry {
            Geometry::Replicas(layout) => {
                let units = storage.part.units();
                let cells = |unit: u32| layout.columns_of(unit as usize);
                RankCells { stride: layout.lane_stride(), own: cells(units.start)..cells(units.end) }
            }
            Geometry::Rows(grid) => RankCells { stride: grid.cells(), own: grid.cells_of(storage.part.units()) },
        }
    }

    /// The stretches of these cells, in order.
    fn runs<'a>(&'a self, cells: &'a Range<u64>) -> impl Iterator<Item = Range<u64>> + 'a {
        let RankCells { stride, own } = self;
        let replicas = if cells.is_empty() { 0..0 } else { cells.start / stride..(cells.end - 1) / stride + 1 };
        let run = move |replica: u64| {
            let first = replica * stride;
            (first + own.start).max(cells.start)..(first + own.end).min(cells.end)
        };
        replicas.map(run).filter(|run| !run.is_empty())
    }

    /// The stretches of some ranges of cells, range after range.
    pub(super) fn runs_of(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        ranges.iter().flat_map(|cells| self.runs(cells)).collect()
    }
}

/// Bytes of values in some ranges of cells, each of which begins with a whole byte.
pub(super) fn bytes_of(ty: Type, ranges: &[Range<u64>]) -> usize {
    ranges.iter().map(|cells| packed::bytes(ty, cells.end - cells.start)).sum::<u64>() as usize
}

/// Puts the values of runs, `from`, to where they stand among those of `ranges`, `to`, which are 0 there. The runs are those of a rank in these ranges.
pub(super) fn scatter(ty: Type, (cells, runs): (&RankCells, &[u8]), ranges: &[Range<u64>], to: &mut [u8]) {
    let mut from = runs;
    for (range, to) in packed::split(ty, ranges, to) {
        for run in cells.runs(&range) {
            let (values, rest) = from.split_at(packed::bytes(ty, run.end - run.start) as usize);
            from = rest;
            copy(ty, (values, 0), (to, run.start - range.start), run.end - run.start);
        }
    }
}

/// The values of a rank's runs in a range of cells whose values are `from`.
pub(super) fn collect(ty: Type, cells: &RankCells, range: &Range<u64>, from: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for run in cells.runs(range) {
        let (count, before) = (run.end - run.start, all.len());
        all.resize(before + packed::bytes(ty, count) as usize, 0);
        copy(ty, (from, run.start - range.start), (&mut all[before..], 0), count);
    }
    all
}

/// Copies values from one index on to another; bits are added to zeros.
fn copy(ty: Type, (from, first): (&[u8], u64), (to, at): (&mut [u8], u64), count: u64) {
    if ty != Type::Bit {
        let bytes = |cells: u64| packed::bytes(ty, cells) as usize;
        to[bytes(at)..bytes(at + count)].copy_from_slice(&from[bytes(first)..bytes(first + count)]);
        return;
    }
    for i in (0..count).step_by(64) {
        let length = (count - i).min(64) as u32;
        or_bits(to, (at + i) as usize, bits_at(from, (first + i) as usize, length), length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_all_ranks_are_all_cells_and_values_come_back() {
        let (stride, cells) = (27u64, 243u64);
        let ranks: Vec<RankCells> =
            [0, 5, 6, 20, 27].windows(2).map(|cut| RankCells { stride, own: cut[0]..cut[1] }).collect();
        for range in [0..243, 8..16, 24..200, 8..8, 240..243] {
            let mut found: Vec<u64> =
                ranks.iter().flat_map(|rank| rank.runs(&range).flatten().collect::<Vec<_>>()).collect();
            found.sort_unstable();
            assert_eq!(found, range.clone().collect::<Vec<_>>());
            for ty in [Type::Bit, Type::U8, Type::F64] {
                let mut all = vec![0; packed::bytes(ty, range.end - range.start) as usize];
                for i in 0..range.end - range.start {
                    packed::put(ty, &mut all, i, squeeze_compiler::numbers::digest::mix(i));
                }
                let mut back = vec![0; all.len()];
                let ranges = std::slice::from_ref(&range);
                for rank in &ranks {
                    let values = collect(ty, rank, &range, &all);
                    assert_eq!(values.len(), bytes_of(ty, &rank.runs_of(ranges)));
                    scatter(ty, (rank, &values), ranges, &mut back);
                }
                assert_eq!(back, all, "{ty:?} of {range:?}");
            }
        }
        assert!(cells.is_multiple_of(stride));
    }
}
