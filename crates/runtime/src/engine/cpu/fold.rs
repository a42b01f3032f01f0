//! Folds of the terms that kernels stored, for all lanes of a column together, by the instructions that the processor has.

use super::vectors::with_vectors;
use squeeze_compiler::ir::{ReductionKind, Type, Value};
use squeeze_compiler::kernel::{LaneType, Planes};
use squeeze_compiler::layout::columns::{Columns, GROUP};
use squeeze_compiler::reduce::fold::{IntegerFold, combine_floats};

/// Floats of all lanes, each lane with its own digits, finest first: what [`FloatFold`](squeeze_compiler::reduce::fold::FloatFold) is for one.
pub(super) struct LaneFold {
    kind: ReductionKind,
    digits: Vec<Digit>,
    /// The values pushed last; in the end the result. A lane each, and padding.
    result: Vec<f64>,
    /// The columns of a block, folded so far, and where the next digit's folds go.
    rows: [Vec<f64>; 2],
}

struct Digit {
    k: u64,
    count: u64,
    fold: Vec<f64>,
}

impl LaneFold {
    /// Over digits that take so many values, of columns of so many lanes.
    pub fn new(kind: ReductionKind, ks: impl Iterator<Item = u64>, lanes: usize) -> LaneFold {
        let stride = lanes.next_multiple_of(GROUP);
        let digits = ks.map(|k| Digit { k, count: 0, fold: vec![0.0; stride] }).collect();
        LaneFold { kind, digits, result: vec![0.0; stride], rows: [Vec::new(), Vec::new()] }
    }

    /// The terms of a superblock, of type `ty`: the columns of all values of the finest digits, in order.
    pub fn push_block(&mut self, ty: Type, columns: &Columns, block: &[u8]) {
        let stride = columns.shape.stride;
        let mut rows = block.len() / columns.column.max(1);
        let terms = match ty {
            Type::F32 => Values::F32(block.as_chunks::<4>().0),
            _ => Values::F64(block.as_chunks::<8>().0),
        };
        if rows == 1 {
            // A fold over no digits.
            copy(terms, &mut self.result);
            return self.carry(0);
        }
        let mut k = self.digits[0].k as usize;
        let mut done = 1;
        rows /= k;
        for memory in &mut self.rows {
            memory.resize(memory.len().max(rows * stride), 0.0);
        }
        let [now, next] = &mut self.rows;
        fold_rows(self.kind, terms, k, stride, &mut now[..rows * stride]);
        while rows > 1 {
            k = self.digits[done].k as usize;
            let values = Values::Folded(&now[..rows * stride]);
            rows /= k;
            fold_rows(self.kind, values, k, stride, &mut next[..rows * stride]);
            std::mem::swap(now, next);
            done += 1;
        }
        self.result.copy_from_slice(&now[..stride]);
        self.carry(done);
    }

    /// The folds of the next superblocks, one a lane.
    pub fn push_folded(&mut self, folds: &[f64]) {
        self.result.copy_from_slice(folds);
        self.carry(0);
    }

    /// Folds the values of the next `digits` digits, which stand in the result, into what there is of the next one.
    fn carry(&mut self, digits: usize) {
        for digit in &mut self.digits[digits..] {
            match digit.count {
                0 => self.result.iter_mut().for_each(|value| *value = combine_floats(self.kind, None, *value)),
                _ => combine_lanes(self.kind, &digit.fold, &mut self.result),
            }
            digit.count += 1;
            if digit.count < digit.k {
                digit.fold.copy_from_slice(&self.result);
                return;
            }
            digit.count = 0;
        }
    }

    /// One value a lane, and padding.
    pub fn finish(self) -> Vec<f64> {
        self.result
    }
}

/// Floats to be folded.
#[derive(Clone, Copy)]
enum Values<'a> {
    F32(&'a [[u8; 4]]),
    F64(&'a [[u8; 8]]),
    Folded(&'a [f64]),
}

fn f32_of(bytes: &[u8; 4]) -> f64 {
    f64::from(f32::from_le_bytes(*bytes))
}

fn f64_of(bytes: &[u8; 8]) -> f64 {
    f64::from_le_bytes(*bytes)
}

fn copy(values: Values<'_>, to: &mut [f64]) {
    match values {
        Values::F32(values) => to.iter_mut().zip(values).for_each(|(to, value)| *to = f32_of(value)),
        Values::F64(values) => to.iter_mut().zip(values).for_each(|(to, value)| *to = f64_of(value)),
        Values::Folded(values) => to.copy_from_slice(values),
    }
}

with_vectors! {
    /// Of each `k` rows of `stride` values one, by folding the values at the same place.
    fn fold_rows = fold_values(kind: ReductionKind, rows: Values<'_>, k: usize, stride: usize, folds: &mut [f64])
}

#[inline(always)]
fn fold_values(kind: ReductionKind, rows: Values<'_>, k: usize, stride: usize, folds: &mut [f64]) {
    match rows {
        Values::F32(rows) => fold_each(kind, rows, f32_of, k, stride, folds),
        Values::F64(rows) => fold_each(kind, rows, f64_of, k, stride, folds),
        Values::Folded(rows) => fold_each(kind, rows, |value| *value, k, stride, folds),
    }
}

#[inline(always)]
fn fold_each<T>(
    kind: ReductionKind,
    rows: &[T],
    value: impl Fn(&T) -> f64,
    k: usize,
    stride: usize,
    folds: &mut [f64],
) {
    // The kind is known in each loop, so that lanes are combined together; and some k, so that there is no inner loop.
    match (kind, k) {
        (ReductionKind::Sum | ReductionKind::Count, 3) => {
            fold_kind(ReductionKind::Sum, rows, value, 3, stride, folds);
        }
        (ReductionKind::Sum | ReductionKind::Count, _) => fold_kind(ReductionKind::Sum, rows, value, k, stride, folds),
        (ReductionKind::Min, 3) => fold_kind(ReductionKind::Min, rows, value, 3, stride, folds),
        (ReductionKind::Min, _) => fold_kind(ReductionKind::Min, rows, value, k, stride, folds),
        (ReductionKind::Max, 3) => fold_kind(ReductionKind::Max, rows, value, 3, stride, folds),
        (ReductionKind::Max, _) => fold_kind(ReductionKind::Max, rows, value, k, stride, folds),
    }
}

#[inline(always)]
fn fold_kind<T>(
    kind: ReductionKind,
    rows: &[T],
    value: impl Fn(&T) -> f64,
    k: usize,
    stride: usize,
    folds: &mut [f64],
) {
    for (rows, folds) in rows.chunks_exact(k * stride).zip(folds.chunks_exact_mut(stride)) {
        for (group, folds) in folds.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
            let first = &rows.as_chunks::<GROUP>().0[group];
            let mut so_far = [0.0; GROUP];
            for lane in 0..GROUP {
                so_far[lane] = combine_floats(kind, None, value(&first[lane]));
            }
            for row in 1..k {
                let values = &rows[row * stride..].as_chunks::<GROUP>().0[group];
                for lane in 0..GROUP {
                    so_far[lane] = combine_floats(kind, Some(so_far[lane]), value(&values[lane]));
                }
            }
            *folds = so_far;
        }
    }
}

with_vectors! {
    /// Combines the values of all lanes with what was there before.
    fn combine_lanes = combine_each(kind: ReductionKind, before: &[f64], values: &mut [f64])
}

#[inline(always)]
fn combine_each(kind: ReductionKind, before: &[f64], values: &mut [f64]) {
    match kind {
        ReductionKind::Sum | ReductionKind::Count => combine_kind(ReductionKind::Sum, before, values),
        ReductionKind::Min => combine_kind(ReductionKind::Min, before, values),
        ReductionKind::Max => combine_kind(ReductionKind::Max, before, values),
    }
}

#[inline(always)]
fn combine_kind(kind: ReductionKind, before: &[f64], values: &mut [f64]) {
    for (value, before) in values.iter_mut().zip(before) {
        *value = combine_floats(kind, Some(*before), *value);
    }
}

/// Folds the integer terms of a block, of type `ty`, in the lanes of these words, of which each column has as many.
pub(super) fn push_integers(
    (kind, ty): (ReductionKind, Type),
    fold: &mut IntegerFold,
    columns: &Columns,
    block: &[u8],
    lanes: &[u32],
) {
    match (kind, columns.planes) {
        (ReductionKind::Sum | ReductionKind::Count, Planes::Bits(1)) => fold.push(ones(block, lanes) as i64),
        (_, Planes::Number(LaneType::I32)) if lanes.iter().any(|word| *word != 0) => {
            block.chunks_exact(columns.column).for_each(|column| fold.push(fold_i32(kind, column, lanes)));
        }
        _ => {
            for column in block.chunks_exact(columns.column) {
                for_each(columns, column, lanes, |bits| fold.push(integer(ty, bits)));
            }
        }
    }
}

/// The number of an integer of this type with these [`Value::bits`].
pub(super) fn integer(ty: Type, bits: u64) -> i64 {
    match Value::from_bits(ty, bits) {
        Value::I32(v) => i64::from(v),
        _ => bits as i64,
    }
}

/// Calls `visit` with the [`Value::bits`] of a column's lanes that are in a set, in order.
#[inline(always)]
pub(super) fn for_each(columns: &Columns, column: &[u8], lanes: &[u32], mut visit: impl FnMut(u64)) {
    columns.for_each(column, |lane, bits| {
        if lanes[lane / 32] >> (lane % 32) & 1 == 1 {
            visit(bits);
        }
    });
}

/// The ones of all columns of bits of a block, in the lanes of a set. Counted by words of 64 bits, which is faster than by vectors without an
/// instruction that counts.
fn ones(block: &[u8], lanes: &[u32]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// The processor must have AVX-512 F and VPOPCNTDQ.
        #[target_feature(enable = "avx512f,avx512vpopcntdq")]
        unsafe fn with_vpopcntdq(block: &[u8], lanes: &[u32]) -> u64 {
            ones_by_vectors(block, lanes)
        }
        /// # Safety
        /// The processor must have `popcnt`.
        #[target_feature(enable = "popcnt")]
        unsafe fn with_popcnt(block: &[u8], lanes: &[u32]) -> u64 {
            ones_each(block, lanes)
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the features were just detected.
            return unsafe { with_vpopcntdq(block, lanes) };
        }
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the feature was just detected.
            return unsafe { with_popcnt(block, lanes) };
        }
    }
    ones_each(block, lanes)
}

/// By vectors of eight words, each with the lanes of its place: with so many of them all columns begin anew at a vector.
#[inline(always)]
fn ones_by_vectors(block: &[u8], lanes: &[u32]) -> u64 {
    /// Words of 32 bits in a vector.
    const WORDS: usize = 16;
    /// The most vectors after which columns begin anew; longer columns are counted by words.
    const MOST: usize = 32;
    if lanes.is_empty() {
        return 0;
    }
    let mut period = lanes.len();
    while period.is_multiple_of(2) && lanes.len() / period < WORDS {
        period /= 2;
    }
    if period > MOST || block.len() < 64 * period {
        return ones_each(block, lanes);
    }
    // At least half of the masks are used: a loop over one would begin again for each vector.
    let used = MOST / period * period;
    let mut masks = [[0u64; WORDS / 2]; MOST];
    let mut words = lanes.iter().cycle();
    for mask in masks[..used].as_flattened_mut() {
        let mut next = || u64::from(*words.next().expect("a cycle has no end"));
        *mask = next() | next() << 32;
    }
    let (vectors, rest) = block.as_chunks::<64>();
    let mut counts = [0u64; WORDS / 2];
    for vectors in vectors.chunks(used) {
        for (vector, mask) in vectors.iter().zip(&masks[..used]) {
            for (count, (bytes, mask)) in counts.iter_mut().zip(vector.as_chunks::<8>().0.iter().zip(mask)) {
                *count += u64::from((u64::from_le_bytes(*bytes) & mask).count_ones());
            }
        }
    }
    let behind = rest.as_chunks::<4>().0.iter().zip(lanes.iter().cycle().skip(WORDS * vectors.len() % lanes.len()));
    let behind = behind.map(|(bytes, lanes)| u64::from((u32::from_le_bytes(*bytes) & lanes).count_ones()));
    counts.iter().sum::<u64>() + behind.sum::<u64>()
}

#[inline(always)]
fn ones_each(block: &[u8], lanes: &[u32]) -> u64 {
    let Some((last, whole)) = lanes.split_last() else { return 0 };
    let all = whole.iter().all(|word| *word == u32::MAX);
    let last = u64::from(*last) << 32 | u64::from(u32::MAX);
    match lanes.len() {
        2 if all => ones_of_whole::<1>(block, last),
        4 if all => ones_of_whole::<2>(block, last),
        8 if all => ones_of_whole::<4>(block, last),
        16 if all => ones_of_whole::<8>(block, last),
        _ => {
            let mut ones = 0;
            for column in block.chunks_exact(4 * lanes.len()) {
                let (words, rest) = column.as_chunks::<8>();
                for (bytes, lanes) in words.iter().zip(lanes.as_chunks::<2>().0) {
                    let lanes = u64::from(lanes[1]) << 32 | u64::from(lanes[0]);
                    ones += u64::from((u64::from_le_bytes(*bytes) & lanes).count_ones());
                }
                if let (Some(bytes), Some(lanes)) = (rest.first_chunk(), lanes.last()) {
                    ones += u64::from((u32::from_le_bytes(*bytes) & lanes).count_ones());
                }
            }
            ones
        }
    }
}

/// Those of columns of so many words, all of whose lanes but those of the last one count.
#[inline(always)]
fn ones_of_whole<const WORDS: usize>(block: &[u8], last: u64) -> u64 {
    let mut ones = 0;
    for column in block.as_chunks::<8>().0.as_chunks::<WORDS>().0 {
        let mut of_column = 0;
        for (number, bytes) in column.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            of_column += if number == WORDS - 1 { word & last } else { word }.count_ones();
        }
        ones += u64::from(of_column);
    }
    ones
}

with_vectors! {
    /// What a column of i32 comes to in the lanes of a set, of which there is one.
    fn fold_i32 = fold_i32_each(kind: ReductionKind, column: &[u8], lanes: &[u32]) -> i64
}

#[inline(always)]
fn fold_i32_each(kind: ReductionKind, column: &[u8], lanes: &[u32]) -> i64 {
    match kind {
        ReductionKind::Sum | ReductionKind::Count => combine_i32(column, lanes, 0, 0, |a, b| a + b),
        ReductionKind::Min => combine_i32(column, lanes, i64::MAX, i32::MAX, i64::min),
        ReductionKind::Max => combine_i32(column, lanes, i64::MIN, i32::MIN, i64::max),
    }
}

/// Other lanes have the term `nothing`.
#[inline(always)]
fn combine_i32(column: &[u8], lanes: &[u32], start: i64, nothing: i32, combine: impl Fn(i64, i64) -> i64) -> i64 {
    let mut so_far = start;
    for (terms, lanes) in column.as_chunks::<4>().0.chunks(32).zip(lanes) {
        if *lanes == u32::MAX {
            for bytes in terms {
                so_far = combine(so_far, i64::from(i32::from_le_bytes(*bytes)));
            }
        } else {
            for (lane, bytes) in terms.iter().enumerate() {
                let term = if lanes >> lane & 1 == 1 { i32::from_le_bytes(*bytes) } else { nothing };
                so_far = combine(so_far, i64::from(term));
            }
        }
    }
    so_far
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::layout::columns::Shape;
    use squeeze_compiler::reduce::fold::FloatFold;

    const KINDS: [ReductionKind; 3] = [ReductionKind::Sum, ReductionKind::Min, ReductionKind::Max];

    fn number(index: usize) -> f64 {
        squeeze_compiler::numbers::digest::mix(index as u64) as i64 as f64 * 1e-3
    }

    #[test]
    fn ones_are_counted_in_the_lanes_that_are_asked_for() {
        for words in [0, 1, 2, 3, 4, 5, 8, 16, 23, 24, 32, 40, 205] {
            for columns in [1, 3, 8, 81] {
                let random = |i: usize| squeeze_compiler::numbers::digest::mix(i as u64) as u32;
                let block: Vec<u32> = (0..columns * words).map(random).collect();
                let bytes: Vec<u8> = block.iter().flat_map(|word| word.to_le_bytes()).collect();
                for last in [u32::MAX, 0x7_ffff] {
                    for holes in [false, true] {
                        let mut lanes: Vec<u32> =
                            (0..words).map(|i| if holes { random(7777 + i) } else { u32::MAX }).collect();
                        if let Some(word) = lanes.last_mut() {
                            *word &= last;
                        }
                        let expected: u32 = block
                            .iter()
                            .zip(lanes.iter().cycle())
                            .map(|(word, lanes)| (word & lanes).count_ones())
                            .sum();
                        let found = [ones(&bytes, &lanes), ones_each(&bytes, &lanes), ones_by_vectors(&bytes, &lanes)];
                        assert_eq!(found, [u64::from(expected); 3], "{words} words, {columns} columns");
                    }
                }
            }
        }
    }

    #[test]
    fn lanes_are_folded_as_cells_one_after_the_other() {
        // Micro cells of the first digits, and then whole superblocks.
        for (ks, micro) in [(&[3, 5, 2][..], 15), (&[1, 8, 1, 2], 8), (&[2, 3], 1), (&[4], 4), (&[], 1)] {
            for lanes in [1, 8, 27] {
                let cells: u64 = ks.iter().product();
                let columns = Columns::new(Planes::Number(LaneType::F32), Shape::of_lanes(lanes), micro);
                let term = |cell: usize, lane: usize| (number(1000 * lane + cell)) as f32;
                for kind in KINDS {
                    let mut fold = LaneFold::new(kind, ks.iter().copied(), lanes);
                    for first in (0..cells as usize).step_by(micro) {
                        let rows = (first..first + micro).flat_map(|cell| {
                            (0..columns.shape.stride).map(move |lane| if lane < lanes { term(cell, lane) } else { 7.0 })
                        });
                        let block: Vec<u8> = rows.flat_map(f32::to_le_bytes).collect();
                        fold.push_block(Type::F32, &columns, &block);
                    }
                    let folds = fold.finish();
                    for (lane, fold) in folds[..lanes].iter().enumerate() {
                        let mut expected = FloatFold::new(kind, ks.iter().copied());
                        (0..cells as usize).for_each(|cell| expected.push(f64::from(term(cell, lane))));
                        assert_eq!(fold.to_bits(), expected.finish().to_bits(), "{kind:?} {ks:?} lane {lane}");
                    }
                }
            }
        }
    }

    #[test]
    fn integers_are_those_of_the_set() {
        let sets = [[u32::MAX, u32::MAX, 0x1ff], [0x8000_0001, 0, 0x100], [5, u32::MAX, 0]];
        let bits = Columns::new(Planes::Bits(1), Shape::of_lanes(73), 2);
        let words: Vec<u32> = (0..6).map(|word| number(word).to_bits() as u32 | 0xffff_0000).collect();
        let block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let numbers = Columns::new(Planes::Number(LaneType::I32), Shape::of_lanes(73), 2);
        let terms: Vec<i32> = (0..160).map(|index| number(index) as i32).collect();
        let bytes: Vec<u8> = terms.iter().flat_map(|term| term.to_le_bytes()).collect();
        for set in sets {
            let in_set = |lane: usize| set[lane / 32] >> (lane % 32) & 1 == 1;
            let lanes: Vec<usize> = (0..73).filter(|lane| in_set(*lane)).collect();
            let expected: i64 = (0..2)
                .flat_map(|c| lanes.iter().map(move |lane| (c, lane)))
                .map(|(column, lane)| i64::from(words[3 * column + lane / 32] >> (lane % 32) & 1))
                .sum();
            let mut fold = IntegerFold::new(ReductionKind::Count);
            push_integers((ReductionKind::Count, Type::Bit), &mut fold, &bits, &block, &set);
            assert_eq!(fold.finish(), expected);
            for kind in KINDS {
                let mut expected = IntegerFold::new(kind);
                for column in 0..2 {
                    lanes.iter().for_each(|lane| expected.push(i64::from(terms[80 * column + lane])));
                }
                let mut fold = IntegerFold::new(kind);
                push_integers((kind, Type::I32), &mut fold, &numbers, &bytes, &set);
                assert_eq!(fold.finish(), expected.finish(), "{kind:?}");
            }
        }
    }
}
