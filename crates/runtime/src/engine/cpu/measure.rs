//! Digests and observables, in parallel on the compact state.

use super::buffer::Buffer;
use super::fold::{LaneFold, push_integers};
use super::neighbours::HostNeighbours;
use super::pass::{Buffers, Globals, Pass, Worker};
use crate::engine::terms::Source;
use crate::state::field::Sample;
use rayon::prelude::*;
use squeeze_compiler::ir::{ReductionKind, Rule, Type, Value};
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::numbers::digest;
use squeeze_compiler::reduce::fold::{FloatFold, IntegerFold, ObservedValue};

/// The digest of a state.
pub(super) fn digest(neighbours: &HostNeighbours, columns: &Columns, now: &Buffer) -> u64 {
    let blocks = now.as_slice().par_chunks_exact(columns.block.max(1)).enumerate();
    blocks
        .map(|(superblock, block)| digest_of_block(neighbours, columns, superblock as u32, block))
        .reduce(|| 0, u64::wrapping_add)
}

fn digest_of_block(neighbours: &HostNeighbours, columns: &Columns, superblock: u32, block: &[u8]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// The processor must have AVX-512F and AVX-512DQ, which multiplies 64-bit words.
        #[target_feature(enable = "avx512f,avx512dq")]
        unsafe fn wide(neighbours: &HostNeighbours, columns: &Columns, superblock: u32, block: &[u8]) -> u64 {
            sum_terms(neighbours, columns, superblock, block)
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the features were just detected.
            return unsafe { wide(neighbours, columns, superblock, block) };
        }
    }
    sum_terms(neighbours, columns, superblock, block)
}

#[inline(always)]
fn sum_terms(neighbours: &HostNeighbours, columns: &Columns, superblock: u32, block: &[u8]) -> u64 {
    let (replicas, lane_cells) = (neighbours.layout.replicas(), neighbours.layout.lane_cells());
    let mut sum = 0u64;
    for (micro, column) in block.chunks_exact(columns.column).enumerate() {
        // The replica of lane 0 is number 0.
        let first = neighbours.layout.canonical(0, superblock, micro as u32);
        columns.for_each(column, |lane, bits| {
            sum = sum.wrapping_add(digest::term(first + u64::from(replicas[lane]) * lane_cells, bits));
        });
    }
    sum
}

/// For each block of `K_mu` cells that follow each other in canonical order the sum over its cells of what `sample` makes
/// of the values of a state of type `ty`.
pub(super) fn block_sums(
    neighbours: &HostNeighbours,
    columns: &Columns,
    now: &Buffer,
    ty: Type,
    mu: u32,
    sample: Sample<'_>,
) -> Vec<[f64; 3]> {
    let layout = &neighbours.layout;
    let inside = layout.micro_digits() + layout.middle().level();
    if mu > inside {
        // Blocks of several lanes: sum over a lane first.
        let lanes = block_sums(neighbours, columns, now, ty, inside, sample);
        let together = (inside + 1..=mu).map(|mu| middle_pattern_k(neighbours, mu)).product::<u64>() as usize;
        return lanes.chunks_exact(together).map(add_all).collect();
    }
    // A row is one block in every lane: some superblocks, or some of the micro cells of one.
    let (superblocks, micro) = if mu >= layout.micro_digits() {
        (layout.middle().cell_product(mu - layout.micro_digits()) as usize, neighbours.micro_cells())
    } else {
        (1, layout.low().cell_product(mu) as usize)
    };
    let row_bytes = (superblocks * micro * columns.column).max(1);
    let rows: Vec<Vec<[f64; 3]>> =
        now.as_slice().par_chunks_exact(row_bytes).map(|row| sum_row(columns, row, ty, sample)).collect();
    let lanes = neighbours.layout.lanes_of_replicas().iter();
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

/// The terms of a reduction: columns of a state, or of what a kernel writes for one superblock after another.
pub(super) struct Terms {
    pub columns: Columns,
    /// Whether they are those of a state, and its number, or that of the kernel's state.
    source: Source,
}

/// Where the terms of a rule's reductions stand, by the pass of those that are computed.
pub(super) fn terms_of(
    neighbours: &HostNeighbours,
    rule: &Rule,
    sources: &[Source],
    pass: Option<&Pass>,
) -> Vec<Terms> {
    let first = rule.kept_states().count();
    let terms = |source: &Source| match *source {
        Source::State(state) => {
            Terms { columns: neighbours.columns(Planes::of(rule, rule.states[state].ty)), source: Source::State(state) }
        }
        Source::Term(term) => Terms {
            columns: pass.expect("what is computed has a kernel").states[first + term],
            source: Source::Term(first + term),
        },
    };
    sources.iter().map(terms).collect()
}

impl Terms {
    /// Those of a superblock.
    ///
    /// # Safety
    /// The superblock exists, and nobody writes the old buffers while this lives; terms are those that the worker computed last.
    pub unsafe fn block<'t>(&self, buffers: &'t Buffers, worker: Option<&'t Worker<'_>>, superblock: u32) -> &'t [u8] {
        match (self.source, worker) {
            (Source::State(state), _) => {
                let block = buffers.old[state].wrapping_add(superblock as usize * self.columns.block);
                // SAFETY: as the caller's.
                unsafe { std::slice::from_raw_parts(block, self.columns.block) }
            }
            (Source::Term(state), Some(worker)) => worker.terms(state),
            (Source::Term(_), None) => unreachable!("what is computed has a kernel"),
        }
    }
}

/// The rule's observables of the states in `buffers`, whose terms are in these sources, by the pass of those that are computed: on so many
/// threads of the pool that this is called in, if there are more than one.
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
    threads: usize,
) -> Vec<ObservedValue> {
    let sources = terms_of(neighbours, rule, sources, pass);
    let new_folds = |low: u32, high: u32| -> Vec<Fold> {
        rule.reductions
            .iter()
            .map(|observable| Fold::new(neighbours, observable.kind, observable.ty, low, high))
            .collect()
    };
    let lanes: Vec<u32> = (0..neighbours.shape.words).map(|word| lanes_of_word(neighbours.shape.lanes, word)).collect();
    // Superblocks are folded in groups of those that share their top digits: enough groups to keep all threads busy.
    let middle = neighbours.layout.middle();
    let wanted = if threads == 1 { 1 } else { 16 * threads as u64 };
    let group_digits =
        (0..middle.level()).rev().find(|&mu| middle.cells() / middle.cell_product(mu) >= wanted).unwrap_or(0);
    let group = middle.cell_product(group_digits);
    let (lowest, highest) = (neighbours.layout.micro_digits(), neighbours.layout.micro_digits() + middle.level());
    let begin = || pass.map(|pass| Worker::new(pass, neighbours, globals));
    let of_group = |worker: &mut Option<Worker<'_>>, index: u64| -> Vec<Folded> {
        let mut folds = new_folds(0, lowest + group_digits);
        for superblock in index * group..(index + 1) * group {
            if let Some(worker) = worker {
                // SAFETY: as the caller's; the superblock exists.
                unsafe { worker.run_terms(buffers, superblock as u32) };
            }
            for (fold, terms) in folds.iter_mut().zip(&sources) {
                // SAFETY: as the caller's; the superblock exists, and its terms were just computed.
                let block = unsafe { terms.block(buffers, worker.as_ref(), superblock as u32) };
                fold.push_block(&terms.columns, block, &lanes);
            }
        }
        folds.into_iter().map(Fold::finish).collect()
    };
    let indices = 0..middle.cells() / group;
    let groups: Vec<Vec<Folded>> = if threads == 1 {
        let mut memory = begin();
        indices.map(|index| of_group(&mut memory, index)).collect()
    } else {
        indices.into_par_iter().map_init(begin, of_group).collect()
    };
    let mut folds = new_folds(lowest + group_digits, highest);
    for group in groups {
        folds.iter_mut().zip(group).for_each(|(fold, part)| fold.push_group(part));
    }
    let lane_digits = (highest + 1..=neighbours.layout.level()).map(|mu| middle_pattern_k(neighbours, mu));
    let lane_digits: Vec<u64> = lane_digits.collect();
    let finish = |(fold, observable): (Fold, &squeeze_compiler::ir::Reduction)| match fold.finish() {
        Folded::Integer(fold) => ObservedValue::Integer(fold.finish()),
        Folded::Float(lanes) => {
            let mut fold = FloatFold::new(observable.kind, lane_digits.iter().copied());
            neighbours.layout.lanes_of_replicas().iter().for_each(|&lane| fold.push(lanes[lane as usize]));
            ObservedValue::Float(fold.finish())
        }
    };
    folds.into_iter().zip(&rule.reductions).map(finish).collect()
}

/// The k of level `mu` of the whole fractal.
fn middle_pattern_k(neighbours: &HostNeighbours, mu: u32) -> u64 {
    neighbours.layout.low().fractal().pattern(mu).k()
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
    fn new(neighbours: &HostNeighbours, kind: ReductionKind, ty: Type, low: u32, high: u32) -> Fold {
        if ty.is_float() {
            let ks = (low + 1..=high).map(|mu| middle_pattern_k(neighbours, mu));
            Fold::Float { ty, fold: LaneFold::new(kind, ks, neighbours.shape.lanes) }
        } else {
            Fold::Integer { kind, ty, fold: IntegerFold::new(kind) }
        }
    }

    /// The terms of one superblock, of which lanes in this set are cells.
    fn push_block(&mut self, columns: &Columns, block: &[u8], lanes: &[u32]) {
        match self {
            Fold::Integer { kind, ty, fold } => push_integers((*kind, *ty), fold, columns, block, lanes),
            Fold::Float { ty, fold } => fold.push_block(*ty, columns, block),
        }
    }

    /// What a group of superblocks came to.
    fn push_group(&mut self, part: Folded) {
        match (self, part) {
            (Fold::Integer { fold, .. }, Folded::Integer(part)) => fold.merge(part),
            (Fold::Float { fold, .. }, Folded::Float(part)) => fold.push_folded(&part),
            _ => unreachable!("a fold and its parts are made for one type"),
        }
    }

    fn finish(self) -> Folded {
        match self {
            Fold::Integer { fold, .. } => Folded::Integer(fold),
            Fold::Float { fold, .. } => Folded::Float(fold.finish()),
        }
    }
}

/// The lanes of this word that are cells of a column of so many.
fn lanes_of_word(lanes: usize, word: usize) -> u32 {
    match lanes - 32 * word {
        count @ 0..32 => (1 << count) - 1,
        _ => u32::MAX,
    }
}
