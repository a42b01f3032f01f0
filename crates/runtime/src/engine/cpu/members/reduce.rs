//! Reductions over all cells of each lane.

use super::super::fold::{LaneFold, integer};
use super::super::measure::terms_of;
use super::super::neighbours::HostNeighbours;
use super::super::pass::{Buffers, Globals, Pass, Worker};
use crate::engine::terms::Source;
use squeeze_compiler::ir::{Reduction, ReductionKind, Rule, Type};
use squeeze_compiler::kernel::{LaneType, Planes};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::reduce::fold::{FloatFold, IntegerFold, ObservedValue};

/// For each lane the rule's reductions of the states in `buffers`, whose terms are in these sources, by the pass of those that are computed.
///
/// # Safety
/// The old buffers hold all superblocks of the rule's states, with room to over-read, and nobody writes them meanwhile.
pub(super) unsafe fn observe(
    neighbours: &HostNeighbours,
    rule: &Rule,
    sources: &[Source],
    pass: Option<&Pass>,
    buffers: &Buffers,
    globals: Globals<'_>,
) -> Vec<Vec<ObservedValue>> {
    let sources = terms_of(neighbours, rule, sources, pass);
    let mut folds: Vec<Fold> = rule.reductions.iter().map(|reduction| Fold::new(neighbours, reduction)).collect();
    let mut worker = pass.map(|pass| Worker::new(pass, neighbours, globals));
    for superblock in 0..neighbours.superblocks() {
        if let Some(worker) = &mut worker {
            // SAFETY: as the caller's; the superblock exists.
            unsafe { worker.run_terms(buffers, superblock) };
        }
        for (fold, terms) in folds.iter_mut().zip(&sources) {
            // SAFETY: as the caller's; the superblock exists, and its terms were just computed.
            fold.push_block(&terms.columns, unsafe { terms.block(buffers, worker.as_ref(), superblock) });
        }
    }
    let mut lanes = vec![Vec::with_capacity(folds.len()); neighbours.shape.lanes];
    for fold in folds {
        lanes.iter_mut().zip(fold.finish()).for_each(|(values, value)| values.push(value));
    }
    lanes
}

/// The fold of a reduction, for all lanes at once.
enum Fold {
    /// How many bits are 1.
    Ones(Ones),
    /// The sum of integers.
    Sum(Vec<i64>),
    /// Of other integers.
    Integer(Type, Vec<IntegerFold>),
    Float(Type, ReductionKind, LaneFold),
}

impl Fold {
    fn new(neighbours: &HostNeighbours, reduction: &Reduction) -> Fold {
        let (ty, kind, lanes) = (reduction.ty, reduction.kind, neighbours.shape.lanes);
        let adds = matches!(kind, ReductionKind::Sum | ReductionKind::Count);
        match ty {
            Type::F32 | Type::F64 => {
                let fractal = neighbours.layout.low().fractal();
                let ks = (1..=neighbours.layout.level()).map(|mu| fractal.pattern(mu).k());
                Fold::Float(ty, kind, LaneFold::new(kind, ks, lanes))
            }
            Type::Bit if adds => Fold::Ones(Ones::new(neighbours.shape.words)),
            Type::I32 if adds => Fold::Sum(vec![0; lanes]),
            _ => Fold::Integer(ty, vec![IntegerFold::new(kind); lanes]),
        }
    }

    /// The terms of a superblock.
    fn push_block(&mut self, columns: &Columns, block: &[u8]) {
        match self {
            Fold::Float(ty, _, fold) => fold.push_block(*ty, columns, block),
            _ => block.chunks_exact(columns.column).for_each(|column| self.push(columns, column)),
        }
    }

    /// The integers of one cell.
    fn push(&mut self, columns: &Columns, column: &[u8]) {
        match self {
            Fold::Ones(ones) if columns.planes == Planes::Bits(1) => ones.push(column),
            Fold::Ones(ones) => columns.for_each(column, |lane, bits| ones.counts[lane] += bits as i64),
            Fold::Sum(sums) if columns.planes == Planes::Number(LaneType::I32) => {
                let terms = column.as_chunks::<4>().0.iter();
                { sums.iter_mut().zip(terms) }
                    .for_each(|(sum, bytes)| *sum = sum.wrapping_add(i64::from(i32::from_le_bytes(*bytes))));
            }
            Fold::Sum(sums) => {
                columns.for_each(column, |lane, bits| sums[lane] = sums[lane].wrapping_add(integer(Type::I32, bits)));
            }
            Fold::Integer(ty, folds) => columns.for_each(column, |lane, bits| folds[lane].push(integer(*ty, bits))),
            Fold::Float(..) => unreachable!("floats are folded by superblock"),
        }
    }

    /// One value a lane, and perhaps some more.
    fn finish(self) -> Vec<ObservedValue> {
        match self {
            Fold::Ones(mut ones) => {
                ones.carry();
                ones.counts.into_iter().map(ObservedValue::Integer).collect()
            }
            Fold::Sum(sums) => sums.into_iter().map(ObservedValue::Integer).collect(),
            Fold::Integer(_, folds) => folds.into_iter().map(|fold| ObservedValue::Integer(fold.finish())).collect(),
            Fold::Float(_, kind, fold) => {
                // All digits were folded: what is left is a fold over none.
                let of_lane = |value: &f64| {
                    let mut fold = FloatFold::new(kind, std::iter::empty());
                    fold.push(*value);
                    ObservedValue::Float(fold.finish())
                };
                fold.finish().iter().map(of_lane).collect()
            }
        }
    }
}

/// Ones counted in words of which each plane holds one digit of 32 counts.
struct Ones {
    planes: [Vec<u32>; Ones::PLANES],
    pushed: u32,
    counts: Vec<i64>,
}

impl Ones {
    const PLANES: usize = 8;

    fn new(words: usize) -> Ones {
        Ones { planes: std::array::from_fn(|_| vec![0; words]), pushed: 0, counts: vec![0; 32 * words] }
    }

    fn push(&mut self, column: &[u8]) {
        let mut carried: Vec<u32> = column.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        self.pushed += 1;
        // A digit takes part only once there may be ones to carry into it.
        let digits = (u32::BITS - self.pushed.leading_zeros()) as usize;
        for plane in &mut self.planes[..digits] {
            for (digit, carried) in plane.iter_mut().zip(&mut carried) {
                (*digit, *carried) = (*digit ^ *carried, *digit & *carried);
            }
        }
        if self.pushed == (1 << Ones::PLANES) - 1 {
            self.carry();
        }
    }

    /// Adds the planes to the counts.
    fn carry(&mut self) {
        for (plane, digit) in self.planes.iter_mut().zip(0..) {
            for (word, counts) in plane.iter_mut().zip(self.counts.as_chunks_mut::<32>().0) {
                let bits = std::mem::take(word);
                counts.iter_mut().zip(0..).for_each(|(count, bit)| *count += i64::from(bits >> bit & 1) << digit);
            }
        }
        self.pushed = 0;
    }
}
