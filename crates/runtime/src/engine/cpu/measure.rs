//! Digests and observables, in parallel on the compact state.

use super::buffer::Buffer;
use super::pass::{Buffers, Globals, Pass, Worker};
use super::world::HostTables;
use crate::state::field::Sample;
use rayon::prelude::*;
use squeeze_compiler::ir::kernel::{LaneType, Planes};
use squeeze_compiler::ir::{ReductionKind, Rule, Type, Value};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::numerics::digest;
use squeeze_compiler::numerics::fold::{FloatFold, IntegerFold, ObservedValue, combine_floats};

/// The digest of a state.
pub(super) fn digest(world: &HostTables, columns: &Columns, now: &Buffer) -> u64 {
    let blocks = now.as_slice().par_chunks_exact(columns.block.max(1)).enumerate();
    blocks
        .map(|(superblock, block)| digest_of_block(world, columns, superblock as u32, block))
        .reduce(|| 0, u64::wrapping_add)
}

fn digest_of_block(world: &HostTables, columns: &Columns, superblock: u32, block: &[u8]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// The processor must have AVX-512F and AVX-512DQ, which multiplies 64-bit words.
        #[target_feature(enable = "avx512f,avx512dq")]
        unsafe fn wide(world: &HostTables, columns: &Columns, superblock: u32, block: &[u8]) -> u64 {
            sum_terms(world, columns, superblock, block)
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the features were just detected.
            return unsafe { wide(world, columns, superblock, block) };
        }
    }
    sum_terms(world, columns, superblock, block)
}

#[inline(always)]
fn sum_terms(world: &HostTables, columns: &Columns, superblock: u32, block: &[u8]) -> u64 {
    let (replicas, lane_cells) = (world.layout.replicas(), world.layout.lane_cells());
    let mut sum = 0u64;
    for (micro, column) in block.chunks_exact(columns.column).enumerate() {
        // The replica of lane 0 is number 0.
        let first = world.layout.canonical(0, superblock, micro as u32);
        columns.for_each(column, |lane, bits| {
            sum = sum.wrapping_add(digest::term(first + u64::from(replicas[lane]) * lane_cells, bits));
        });
    }
    sum
}

/// For each block of `K_mu` cells that follow each other in canonical order the sum over its cells of what `sample` makes
/// of the values of a state of type `ty`.
pub(super) fn block_sums(
    world: &HostTables,
    columns: &Columns,
    now: &Buffer,
    ty: Type,
    mu: u32,
    sample: Sample<'_>,
) -> Vec<[f64; 3]> {
    let layout = &world.layout;
    let inside = layout.micro_digits() + layout.middle().level();
    if mu > inside {
        // Blocks of several lanes: sum over a lane first.
        let lanes = block_sums(world, columns, now, ty, inside, sample);
        let together = (inside + 1..=mu).map(|mu| middle_pattern_k(world, mu)).product::<u64>() as usize;
        return lanes.chunks_exact(together).map(add_all).collect();
    }
    // A row is one block in every lane: some superblocks, or some of the micro cells of one.
    let (superblocks, micro) = if mu >= layout.micro_digits() {
        (layout.middle().cell_product(mu - layout.micro_digits()) as usize, world.micro_cells())
    } else {
        (1, layout.low().cell_product(mu) as usize)
    };
    let row_bytes = (superblocks * micro * columns.column).max(1);
    let rows: Vec<Vec<[f64; 3]>> =
        now.as_slice().par_chunks_exact(row_bytes).map(|row| sum_row(columns, row, ty, sample)).collect();
    let lanes = world.layout.lanes_of_replicas().iter();
    lanes.flat_map(|&lane| rows.iter().map(move |row| row[lane as usize])).collect()
}

/// For each lane the sum over some columns.
fn sum_row(columns: &Columns, row: &[u8], ty: Type, sample: Sample<'_>) -> Vec<[f64; 3]> {
    let lanes = columns.shape.lanes;
    if let (Planes::Bits(1), Sample::Table(&[zero, one])) = (columns.planes, sample) {
        let mut ones = vec![0u32; 32 * columns.shape.words];
        for column in row.chunks_exact(columns.column) {
            for (counts, bytes) in ones.as_chunks_mut::<32>().0.iter_mut().zip(column.as_chunks::<4>().0) {
                let word = u32::from_le_bytes(*bytes);
                counts.iter_mut().enumerate().for_each(|(i, count)| *count += word >> i & 1);
            }
        }
        let cells = (row.len() / columns.column) as f64;
        let sum = |&ones: &u32| std::array::from_fn(|i| zero[i] * (cells - f64::from(ones)) + one[i] * f64::from(ones));
        return ones[..lanes].iter().map(sum).collect();
    }
    let mut sums = vec![[0.0; 3]; lanes];
    for column in row.chunks_exact(columns.column.max(1)) {
        columns.for_each(column, |lane, bits| {
            let part = sample.of(Value::from_bits(ty, bits).as_f64());
            sums[lane].iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        });
    }
    sums
}

fn add_all(sums: &[[f64; 3]]) -> [f64; 3] {
    sums.iter().fold([0.0; 3], |total, sum| std::array::from_fn(|i| total[i] + sum[i]))
}

/// The rule's observables of the states in `buffers`, by the pass of their terms.
///
/// # Safety
/// The old buffers hold all superblocks of the rule's states, with room to over-read, and nobody writes them meanwhile.
pub(super) unsafe fn observe(
    world: &HostTables,
    rule: &Rule,
    pass: &Pass,
    buffers: &Buffers,
    globals: Globals<'_>,
) -> Vec<ObservedValue> {
    let first_term = rule.kept_states().count();
    let new_folds = |low: u32, high: u32| -> Vec<Fold> {
        rule.reductions.iter().map(|observable| Fold::new(world, observable.kind, observable.ty, low, high)).collect()
    };
    // Superblocks are folded in groups of those that share their top digits: enough groups to keep all threads busy.
    let middle = world.layout.middle();
    let wanted = if world.is_small() { 1 } else { 16 * rayon::current_num_threads() as u64 };
    let group_digits =
        (0..middle.level()).rev().find(|&mu| middle.cells() / middle.cell_product(mu) >= wanted).unwrap_or(0);
    let group = middle.cell_product(group_digits);
    let (lowest, highest) = (world.layout.micro_digits(), world.layout.micro_digits() + middle.level());
    let begin = || Worker::new(pass, world, globals);
    let of_group = |worker: &mut Worker<'_>, index: u64| -> Vec<Folded> {
        let mut folds = new_folds(0, lowest + group_digits);
        for superblock in index * group..(index + 1) * group {
            // SAFETY: as the caller's; the superblock exists.
            unsafe { worker.run_terms(buffers, superblock as u32) };
            for (i, fold) in folds.iter_mut().enumerate() {
                fold.push_block(&pass.states[first_term + i], worker.terms(first_term + i));
            }
        }
        folds.into_iter().map(Fold::finish).collect()
    };
    let indices = 0..middle.cells() / group;
    let groups: Vec<Vec<Folded>> = if world.is_small() {
        let mut memory = begin();
        indices.map(|index| of_group(&mut memory, index)).collect()
    } else {
        indices.into_par_iter().map_init(begin, of_group).collect()
    };
    let mut folds = new_folds(lowest + group_digits, highest);
    for group in groups {
        folds.iter_mut().zip(group).for_each(|(fold, part)| fold.push_group(part));
    }
    let lane_digits = (highest + 1..=world.layout.level()).map(|mu| middle_pattern_k(world, mu));
    let lane_digits: Vec<u64> = lane_digits.collect();
    let finish = |(fold, observable): (Fold, &squeeze_compiler::ir::Reduction)| match fold.finish() {
        Folded::Integer(fold) => ObservedValue::Integer(fold.finish()),
        Folded::Float(lanes) => {
            let mut fold = FloatFold::new(observable.kind, lane_digits.iter().copied());
            world.layout.lanes_of_replicas().iter().for_each(|&lane| fold.push(lanes[lane as usize]));
            ObservedValue::Float(fold.finish())
        }
    };
    folds.into_iter().zip(&rule.reductions).map(finish).collect()
}

/// The k of level `mu` of the whole fractal.
fn middle_pattern_k(world: &HostTables, mu: u32) -> u64 {
    world.layout.low().fractal().pattern(mu).k()
}

/// The terms of a group of superblocks, folded.
enum Folded {
    Integer(IntegerFold),
    /// One value a lane.
    Float(Vec<f64>),
}

/// The fold of an observable over some digits, for all lanes at once.
enum Fold {
    Integer { kind: ReductionKind, ty: Type, fold: IntegerFold },
    Float { ty: Type, fold: LaneFold },
}

impl Fold {
    /// Over the digits of levels low + 1 to high.
    fn new(world: &HostTables, kind: ReductionKind, ty: Type, low: u32, high: u32) -> Fold {
        if ty.is_float() {
            let ks = (low + 1..=high).map(|mu| middle_pattern_k(world, mu));
            Fold::Float { ty, fold: LaneFold::new(kind, ks, world.shape.lanes) }
        } else {
            Fold::Integer { kind, ty, fold: IntegerFold::new(kind) }
        }
    }

    /// The terms of one superblock.
    fn push_block(&mut self, columns: &Columns, block: &[u8]) {
        for column in block.chunks_exact(columns.column) {
            match self {
                Fold::Integer { kind, ty, fold } => push_integers(*kind, *ty, fold, columns, column),
                Fold::Float { ty: Type::F32, fold } => fold.push(|values| {
                    let terms = values.iter_mut().zip(column.as_chunks::<4>().0);
                    terms.for_each(|(value, bytes)| *value = f64::from(f32::from_le_bytes(*bytes)));
                }),
                Fold::Float { fold, .. } => fold.push(|values| {
                    let terms = values.iter_mut().zip(column.as_chunks::<8>().0);
                    terms.for_each(|(value, bytes)| *value = f64::from_le_bytes(*bytes));
                }),
            }
        }
    }

    /// What a group of superblocks came to.
    fn push_group(&mut self, part: Folded) {
        match (self, part) {
            (Fold::Integer { fold, .. }, Folded::Integer(part)) => fold.merge(part),
            (Fold::Float { fold, .. }, Folded::Float(part)) => fold.push(|values| values.copy_from_slice(&part)),
            _ => unreachable!("a fold and its parts are made for one type"),
        }
    }

    fn finish(self) -> Folded {
        match self {
            Fold::Integer { fold, .. } => Folded::Integer(fold),
            Fold::Float { fold, .. } => Folded::Float(fold.result),
        }
    }
}

fn push_integers(kind: ReductionKind, ty: Type, fold: &mut IntegerFold, columns: &Columns, column: &[u8]) {
    let lanes = columns.shape.lanes;
    if let (ReductionKind::Sum | ReductionKind::Count, Planes::Bits(1)) = (kind, columns.planes) {
        let word = |(i, bytes): (usize, &[u8; 4])| {
            let valid = 32.min(lanes - 32 * i);
            let mask = if valid == 32 { u32::MAX } else { (1 << valid) - 1 };
            i64::from((u32::from_le_bytes(*bytes) & mask).count_ones())
        };
        fold.push(column.as_chunks::<4>().0.iter().enumerate().map(word).sum());
        return;
    }
    if columns.planes == Planes::Number(LaneType::I32) {
        let terms = column.as_chunks::<4>().0[..lanes].iter().map(|bytes| i64::from(i32::from_le_bytes(*bytes)));
        let folded = match kind {
            ReductionKind::Sum | ReductionKind::Count => Some(terms.fold(0, i64::wrapping_add)),
            ReductionKind::Min => terms.min(),
            ReductionKind::Max => terms.max(),
        };
        folded.into_iter().for_each(|term| fold.push(term));
        return;
    }
    columns.for_each(column, |_, bits| {
        fold.push(match Value::from_bits(ty, bits) {
            Value::I32(v) => i64::from(v),
            _ => bits as i64,
        });
    });
}

/// [`FloatFold`] for all lanes at once: every lane's own digits, finest first.
pub(super) struct LaneFold {
    kind: ReductionKind,
    digits: Vec<Digit>,
    /// The values pushed last; in the end the result.
    pub result: Vec<f64>,
}

struct Digit {
    k: u64,
    count: u64,
    fold: Vec<f64>,
}

/// Combines the values of all lanes with what was there before.
#[inline(always)]
fn combine<'a>(kind: ReductionKind, pairs: impl Iterator<Item = (&'a mut f64, &'a f64)>) {
    pairs.for_each(|(value, before)| *value = combine_floats(kind, Some(*before), *value));
}

impl LaneFold {
    pub fn new(kind: ReductionKind, ks: impl Iterator<Item = u64>, lanes: usize) -> LaneFold {
        let digits = ks.map(|k| Digit { k, count: 0, fold: vec![0.0; lanes] }).collect();
        LaneFold { kind, digits, result: vec![0.0; lanes] }
    }

    /// The next values, one a lane, which `fill` writes.
    pub fn push(&mut self, fill: impl FnOnce(&mut [f64])) {
        fill(&mut self.result);
        for digit in &mut self.digits {
            let before = digit.count > 0;
            let pairs = self.result.iter_mut().zip(&digit.fold);
            // The kind is known in each loop, so that lanes are combined together.
            match (self.kind, before) {
                (ReductionKind::Sum | ReductionKind::Count, true) => combine(ReductionKind::Sum, pairs),
                (ReductionKind::Min, true) => combine(ReductionKind::Min, pairs),
                (ReductionKind::Max, true) => combine(ReductionKind::Max, pairs),
                (kind, false) => {
                    self.result.iter_mut().for_each(|value| *value = combine_floats(kind, None, *value));
                }
            }
            digit.count += 1;
            if digit.count < digit.k {
                digit.fold.copy_from_slice(&self.result);
                return;
            }
            digit.count = 0;
        }
    }
}
