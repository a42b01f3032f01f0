//! Terms combined lane by lane, for all lanes of a column together, by the instructions that the processor has.

use super::integers::integer;
use super::words::Words;
use crate::cpu::vectors::with_vectors;
use squeeze_compiler::ir::{Combine, Type, Value};
use squeeze_compiler::kernel::{LaneType, Planes};
use squeeze_compiler::layout::columns::{Columns, GROUP};

/// One value a lane for each group of columns: of floats or integers.
pub enum Lanes {
    Floats(LaneFloats),
    Integers(LaneIntegers),
}

impl Lanes {
    /// Over digits with `ks` values each, of terms of type `ty` in `lanes` lanes.
    pub(crate) fn new(kind: Combine, ty: Type, ks: impl Iterator<Item = u64>, lanes: usize) -> Lanes {
        match ty.is_float() {
            true => Lanes::Floats(LaneFloats::new(kind, ks, lanes)),
            false => Lanes::Integers(LaneIntegers::new((kind, ty), ks.product(), lanes)),
        }
    }

    /// The terms of a block of columns, of type `ty`.
    pub(crate) fn push_block(&mut self, ty: Type, columns: &Columns, block: &[u8]) {
        match (self, ty) {
            (Lanes::Floats(lanes), Type::F32) => lanes.push(Values::F32(block.as_chunks::<4>().0)),
            (Lanes::Floats(lanes), _) => lanes.push(Values::F64(block.as_chunks::<8>().0)),
            (Lanes::Integers(lanes), _) => lanes.push_block(columns, block),
        }
    }

    /// Floats instead of the terms of a block of columns, each padded as these are.
    pub(crate) fn push_floats(&mut self, terms: &[f64]) {
        match self {
            Lanes::Floats(lanes) => lanes.push(Values::Folded(terms)),
            Lanes::Integers(_) => unreachable!("what became floats is folded as floats"),
        }
    }

    /// The values that others came to, of the next columns, over some of the finest digits.
    pub(crate) fn merge(&mut self, part: Lanes) {
        match (self, part) {
            (Lanes::Floats(lanes), Lanes::Floats(part)) => {
                part.done.chunks_exact(part.lanes).for_each(|values| lanes.push_folded(part.digits.len(), values));
            }
            (Lanes::Integers(lanes), Lanes::Integers(part)) => {
                let all = part.done.chunks_exact(part.values.len());
                all.for_each(|values| lanes.push_combined(part.columns, values));
            }
            _ => unreachable!("what is merged is of one type"),
        }
    }

    /// Adds the words of a message with the values so far: how many digits or columns each spans, how many lanes there are, and the values.
    pub(crate) fn add_to(self, words: &mut Vec<u64>) {
        match self {
            Lanes::Floats(LaneFloats { digits, lanes, done, .. }) => {
                words.extend([digits.len() as u64, lanes as u64, done.len() as u64]);
                words.extend(done.iter().map(|value| value.to_bits()));
            }
            Lanes::Integers(LaneIntegers { columns, values, done, .. }) => {
                words.extend([columns, values.len() as u64, done.len() as u64]);
                words.extend(done.iter().map(|value| *value as u64));
            }
        }
    }

    /// The values of a message, of terms of type `ty`, to be [merged](Self::merge); `None` if these have not as many lanes, or span more digits.
    pub(crate) fn of(
        words: &mut Words<'_>,
        (kind, ty): (Combine, Type),
        (expected, digits): (usize, u32),
    ) -> Option<Lanes> {
        let (spanned, lanes): (u64, usize) = (words.word()?, words.number()?);
        let values = words.list(Words::word)?;
        if lanes != expected || !values.len().is_multiple_of(lanes) || (ty.is_float() && spanned > u64::from(digits)) {
            return None;
        }
        Some(match ty.is_float() {
            true => {
                let done = values.into_iter().map(f64::from_bits).collect();
                Lanes::Floats(LaneFloats { lanes, done, ..LaneFloats::new(kind, (0..spanned).map(|_| 1), 0) })
            }
            false => {
                let done = values.into_iter().map(|value| value as i64).collect();
                Lanes::Integers(LaneIntegers { done, ..LaneIntegers::new((kind, ty), spanned, lanes) })
            }
        })
    }

    /// How many lanes there are.
    pub(crate) fn lanes(&self) -> usize {
        match self {
            Lanes::Floats(lanes) => lanes.lanes,
            Lanes::Integers(lanes) => lanes.values.len(),
        }
    }

    /// How many values each lane has.
    pub(crate) fn rows(&self) -> usize {
        let done = match self {
            Lanes::Floats(lanes) => lanes.done.len(),
            Lanes::Integers(lanes) => lanes.done.len(),
        };
        done / self.lanes()
    }

    /// A value of a lane, an f64 or i64.
    pub(crate) fn value(&self, row: usize, lane: usize) -> Value {
        match self {
            Lanes::Floats(lanes) => Value::F64(lanes.done[row * lanes.lanes + lane]),
            Lanes::Integers(lanes) => Value::I64(lanes.done[row * lanes.values.len() + lane]),
        }
    }
}

/// Floats of all lanes, each lane with its own digits, finest first: what [`FloatFold`](squeeze_compiler::reduce::fold::FloatFold) is for one,
/// time and again.
pub struct LaneFloats {
    kind: Combine,
    digits: Vec<Digit>,
    lanes: usize,
    /// The values pushed last, a lane each, and padding.
    result: Vec<f64>,
    /// Whenever all digits are complete, the result of each lane.
    done: Vec<f64>,
    /// The columns of a block, folded so far, and where the next digit's folds go.
    rows: [Vec<f64>; 2],
}

/// Folds of lanes over columns that follow each other, from any column on: of each aligned group of columns that is whole there is one.
pub(crate) struct FoldedLanes {
    kind: Combine,
    /// The digits of columns, finest first.
    ks: Vec<u64>,
    /// The first column, and the one behind the last so far.
    first: u64,
    end: u64,
    /// How many digits each spans, and the values of the lanes.
    blocks: Vec<(usize, Vec<f64>)>,
}

impl FoldedLanes {
    /// None yet, from this column on.
    pub(crate) fn new(kind: Combine, ks: impl Iterator<Item = u64>, first: u64) -> FoldedLanes {
        FoldedLanes { kind, ks: ks.collect(), first, end: first, blocks: Vec::new() }
    }

    /// Adds the folds of the next columns.
    pub(crate) fn push(&mut self, part: LaneFloats) {
        let digits = part.digits.len();
        for values in part.done.chunks_exact(part.lanes) {
            self.blocks.push((digits, values.to_vec()));
            let mut size: u64 = self.ks[..digits].iter().product();
            self.end += size;
            for (digit, k) in self.ks.iter().enumerate().skip(digits) {
                size *= k;
                if !self.end.is_multiple_of(size) || self.end - self.first < size {
                    break;
                }
                let parts = self.blocks.split_off(self.blocks.len() - *k as usize);
                let mut folds: Vec<f64> = parts[0].1.iter().map(|value| self.kind.float(None, *value)).collect();
                for (_, next) in &parts[1..] {
                    folds.iter_mut().zip(next).for_each(|(fold, next)| *fold = self.kind.float(Some(*fold), *next));
                }
                self.blocks.push((digit + 1, folds));
            }
        }
    }

    /// The folds, in order.
    pub(crate) fn into_lanes(self) -> impl Iterator<Item = Lanes> {
        let kind = self.kind;
        self.blocks.into_iter().map(move |(digits, done)| {
            let lanes = done.len();
            Lanes::Floats(LaneFloats { lanes, done, ..LaneFloats::new(kind, (0..digits).map(|_| 1), 0) })
        })
    }
}

struct Digit {
    k: u64,
    count: u64,
    fold: Vec<f64>,
}

impl LaneFloats {
    fn new(kind: Combine, ks: impl Iterator<Item = u64>, lanes: usize) -> LaneFloats {
        let stride = lanes.next_multiple_of(GROUP);
        let digits = ks.map(|k| Digit { k, count: 0, fold: Vec::new() }).collect();
        LaneFloats { kind, digits, lanes, result: vec![0.0; stride], done: Vec::new(), rows: [Vec::new(), Vec::new()] }
    }

    /// The columns of all values of some of the finest digits, in order, or of all digits, time and again.
    fn push(&mut self, terms: Values<'_>) {
        let stride = self.result.len();
        let mut rows = terms.len() / stride;
        if rows == 1 || self.digits.is_empty() {
            // Folds over no digits.
            for row in 0..rows {
                copy(terms, row * stride, &mut self.result);
                self.carry(0);
            }
            return;
        }
        let mut k = self.digits[0].k as usize;
        let mut folded = 1;
        rows /= k;
        for memory in &mut self.rows {
            memory.resize(memory.len().max(rows * stride), 0.0);
        }
        let [now, next] = &mut self.rows;
        fold_rows(self.kind, terms, k, stride, &mut now[..rows * stride]);
        while rows > 1 && folded < self.digits.len() {
            k = self.digits[folded].k as usize;
            let values = Values::Folded(&now[..rows * stride]);
            rows /= k;
            fold_rows(self.kind, values, k, stride, &mut next[..rows * stride]);
            std::mem::swap(now, next);
            folded += 1;
        }
        for row in 0..rows {
            self.result.copy_from_slice(&self.rows[0][row * stride..][..stride]);
            self.carry(folded);
        }
    }

    /// Adds the folds of the next columns over the `digits` finest digits, a value each lane.
    fn push_folded(&mut self, digits: usize, folds: &[f64]) {
        self.result[..self.lanes].copy_from_slice(folds);
        self.carry(digits);
    }

    /// Folds the result, which spans the `digits` finest digits, into the digits above.
    fn carry(&mut self, digits: usize) {
        for digit in &mut self.digits[digits..] {
            match digit.count {
                0 => self.result.iter_mut().for_each(|value| *value = self.kind.float(None, *value)),
                _ => combine_lanes(self.kind, &digit.fold, &mut self.result),
            }
            digit.count += 1;
            if digit.count < digit.k {
                digit.fold.clone_from(&self.result);
                return;
            }
            digit.count = 0;
        }
        self.done.extend_from_slice(&self.result[..self.lanes]);
    }
}

/// Integers of all lanes, combined over groups of columns, time and again.
pub struct LaneIntegers {
    kind: Combine,
    ty: Type,
    /// How many columns come to one value, and how many came in for the next.
    columns: u64,
    pushed: u64,
    /// The combined values of each lane so far, but for ones that are yet to be added.
    values: Vec<i64>,
    ones: Box<Ones>,
    /// The values of all lanes for each group of columns.
    done: Vec<i64>,
}

impl LaneIntegers {
    fn new((kind, ty): (Combine, Type), columns: u64, lanes: usize) -> LaneIntegers {
        let values = vec![kind.nothing(); lanes];
        LaneIntegers { kind, ty, columns, pushed: 0, values, ones: Box::default(), done: Vec::new() }
    }

    fn push_block(&mut self, columns: &Columns, block: &[u8]) {
        let (kind, ty) = (self.kind, self.ty);
        for column in block.chunks_exact(columns.column) {
            match (kind, columns.planes) {
                (Combine::Sum | Combine::Count, Planes::Bits(1)) => self.ones.push(column, &mut self.values),
                (Combine::Sum | Combine::Count, Planes::Number(LaneType::I32)) => {
                    let terms = column.as_chunks::<4>().0.iter().map(|bytes| i64::from(i32::from_le_bytes(*bytes)));
                    self.values.iter_mut().zip(terms).for_each(|(sum, term)| *sum = sum.wrapping_add(term));
                }
                (kind, _) => columns.for_each(column, |lane, bits| {
                    self.values[lane] = kind.exact(self.values[lane], integer(ty, bits));
                }),
            }
            self.count(1);
        }
    }

    /// Adds the combined values of the next `columns` columns, a value each lane.
    fn push_combined(&mut self, columns: u64, values: &[i64]) {
        self.values.iter_mut().zip(values).for_each(|(so_far, value)| *so_far = self.kind.exact(*so_far, *value));
        self.count(columns);
    }

    /// More came in.
    fn count(&mut self, columns: u64) {
        self.pushed += columns;
        if self.pushed == self.columns {
            self.ones.carry(&mut self.values);
            self.done.extend_from_slice(&self.values);
            self.values.fill(self.kind.nothing());
            self.pushed = 0;
        }
    }
}

/// Counts of ones, 32 at a time: each word holds one binary digit of 32 counts.
#[derive(Default)]
struct Ones {
    planes: [Vec<u32>; Ones::PLANES],
    carried: Vec<u32>,
    pushed: u32,
}

impl Ones {
    const PLANES: usize = 8;

    /// Adds the ones of a column; full planes are added to the counts.
    fn push(&mut self, column: &[u8], counts: &mut [i64]) {
        self.carried.clear();
        self.carried.extend(column.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        self.pushed += 1;
        for plane in &mut self.planes[..digits_of(self.pushed)] {
            plane.resize(self.carried.len(), 0);
            for (digit, carried) in plane.iter_mut().zip(&mut self.carried) {
                (*digit, *carried) = (*digit ^ *carried, *digit & *carried);
            }
        }
        if self.pushed == (1 << Ones::PLANES) - 1 {
            self.carry(counts);
        }
    }

    /// Adds the planes to the counts.
    fn carry(&mut self, counts: &mut [i64]) {
        for (plane, digit) in self.planes[..digits_of(self.pushed)].iter_mut().zip(0..) {
            for (word, counts) in plane.iter_mut().zip(counts.chunks_mut(32)) {
                let bits = std::mem::take(word);
                counts.iter_mut().zip(0..).for_each(|(count, bit)| *count += i64::from(bits >> bit & 1) << digit);
            }
        }
        self.pushed = 0;
    }
}

/// The most digits of a count of `pushed`.
fn digits_of(pushed: u32) -> usize {
    (u32::BITS - pushed.leading_zeros()) as usize
}

/// Floats to be folded.
#[derive(Clone, Copy)]
enum Values<'a> {
    F32(&'a [[u8; 4]]),
    F64(&'a [[u8; 8]]),
    Folded(&'a [f64]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Values::F32(values) => values.len(),
            Values::F64(values) => values.len(),
            Values::Folded(values) => values.len(),
        }
    }
}

fn f32_of(bytes: &[u8; 4]) -> f64 {
    f64::from(f32::from_le_bytes(*bytes))
}

fn f64_of(bytes: &[u8; 8]) -> f64 {
    f64::from_le_bytes(*bytes)
}

/// The values from a place on.
fn copy(values: Values<'_>, first: usize, to: &mut [f64]) {
    match values {
        Values::F32(values) => to.iter_mut().zip(&values[first..]).for_each(|(to, value)| *to = f32_of(value)),
        Values::F64(values) => to.iter_mut().zip(&values[first..]).for_each(|(to, value)| *to = f64_of(value)),
        Values::Folded(values) => to.copy_from_slice(&values[first..][..to.len()]),
    }
}

with_vectors! {
    /// Folds each `k` rows of `stride` values to one, value by value.
    fn fold_rows = fold_values(kind: Combine, rows: Values<'_>, k: usize, stride: usize, folds: &mut [f64])
}

#[inline(always)]
fn fold_values(kind: Combine, rows: Values<'_>, k: usize, stride: usize, folds: &mut [f64]) {
    match rows {
        Values::F32(rows) => fold_each(kind, rows, f32_of, k, stride, folds),
        Values::F64(rows) => fold_each(kind, rows, f64_of, k, stride, folds),
        Values::Folded(rows) => fold_each(kind, rows, |value| *value, k, stride, folds),
    }
}

#[inline(always)]
fn fold_each<T>(kind: Combine, rows: &[T], value: impl Fn(&T) -> f64, k: usize, stride: usize, folds: &mut [f64]) {
    // The kind is known in each loop, so that lanes are combined together; and some k, so that there is no inner loop.
    match (kind, k) {
        (Combine::Sum | Combine::Count, 3) => {
            fold_kind(Combine::Sum, rows, value, 3, stride, folds);
        }
        (Combine::Sum | Combine::Count, _) => fold_kind(Combine::Sum, rows, value, k, stride, folds),
        (Combine::Min, 3) => fold_kind(Combine::Min, rows, value, 3, stride, folds),
        (Combine::Min, _) => fold_kind(Combine::Min, rows, value, k, stride, folds),
        (Combine::Max, 3) => fold_kind(Combine::Max, rows, value, 3, stride, folds),
        (Combine::Max, _) => fold_kind(Combine::Max, rows, value, k, stride, folds),
    }
}

#[inline(always)]
fn fold_kind<T>(kind: Combine, rows: &[T], value: impl Fn(&T) -> f64, k: usize, stride: usize, folds: &mut [f64]) {
    for (rows, folds) in rows.chunks_exact(k * stride).zip(folds.chunks_exact_mut(stride)) {
        for (group, folds) in folds.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
            let first = &rows.as_chunks::<GROUP>().0[group];
            let mut so_far = [0.0; GROUP];
            for lane in 0..GROUP {
                so_far[lane] = kind.float(None, value(&first[lane]));
            }
            for row in 1..k {
                let values = &rows[row * stride..].as_chunks::<GROUP>().0[group];
                for lane in 0..GROUP {
                    so_far[lane] = kind.float(Some(so_far[lane]), value(&values[lane]));
                }
            }
            *folds = so_far;
        }
    }
}

with_vectors! {
    /// Combines the values of all lanes with what was there before.
    fn combine_lanes = combine_each(kind: Combine, before: &[f64], values: &mut [f64])
}

#[inline(always)]
fn combine_each(kind: Combine, before: &[f64], values: &mut [f64]) {
    match kind {
        Combine::Sum | Combine::Count => combine_kind(Combine::Sum, before, values),
        Combine::Min => combine_kind(Combine::Min, before, values),
        Combine::Max => combine_kind(Combine::Max, before, values),
    }
}

#[inline(always)]
fn combine_kind(kind: Combine, before: &[f64], values: &mut [f64]) {
    for (value, before) in values.iter_mut().zip(before) {
        *value = kind.float(Some(*before), *value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::layout::columns::Shape;
    use squeeze_compiler::numbers::digest::mix;
    use squeeze_compiler::reduce::fold::{FloatFold, FoldTree, ObservedValue, ReductionFold};

    const KINDS: [Combine; 3] = [Combine::Sum, Combine::Min, Combine::Max];

    fn number(index: usize) -> f64 {
        squeeze_compiler::numbers::digest::mix(index as u64) as i64 as f64 * 1e-3
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
                    let mut fold = Lanes::new(kind, Type::F32, ks.iter().copied(), lanes);
                    for first in (0..cells as usize).step_by(micro) {
                        let rows = (first..first + micro).flat_map(|cell| {
                            (0..columns.shape.stride).map(move |lane| if lane < lanes { term(cell, lane) } else { 7.0 })
                        });
                        let block: Vec<u8> = rows.flat_map(f32::to_le_bytes).collect();
                        fold.push_block(Type::F32, &columns, &block);
                    }
                    assert_eq!(fold.rows(), 1);
                    for lane in 0..lanes {
                        let mut expected = FloatFold::new(kind, &FoldTree::of_digits(ks.iter().copied()));
                        (0..cells as usize).for_each(|cell| expected.push(f64::from(term(cell, lane))));
                        let found = fold.value(0, lane).as_f64();
                        assert_eq!(found.to_bits(), expected.finish().to_bits(), "{kind:?} {ks:?} lane {lane}");
                    }
                }
            }
        }
    }

    fn put(columns: &Columns, column: &mut [u8], lane: usize, bits: u64) {
        match columns.planes {
            Planes::Bits(planes) => {
                for plane in 0..usize::from(planes) {
                    let byte = &mut column[plane * 4 * columns.shape.words + lane / 8];
                    *byte |= ((bits >> plane & 1) as u8) << (lane % 8);
                }
            }
            Planes::Number(ty) => {
                let size = ty.scalar().bytes() as usize;
                column[lane * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
    }

    #[test]
    fn lanes_come_to_a_value_for_each_so_many_columns() {
        for (lanes, ty, planes) in [
            (73, Type::Bit, Planes::Bits(1)),
            (73, Type::U8, Planes::Bits(3)),
            (9, Type::I32, Planes::Number(LaneType::I32)),
            (9, Type::U16, Planes::Number(LaneType::U16)),
            (5, Type::F64, Planes::Number(LaneType::F64)),
        ] {
            let columns = Columns::new(planes, Shape::of_lanes(lanes), 12);
            let random = |i: usize| match ty {
                Type::F64 => number(i).to_bits(),
                _ => mix(i as u64) % 7,
            };
            // 24 blocks of 12 columns, in pieces of one, of all digits of a block, and beyond it.
            let mut block = Vec::new();
            let mut bits = Vec::new();
            for column in 0..24 * 12 {
                let values: Vec<u64> = (0..lanes).map(|lane| random(1000 * column + lane)).collect();
                let mut bytes = vec![0; columns.column];
                values.iter().enumerate().for_each(|(lane, bits)| put(&columns, &mut bytes, lane, *bits));
                block.extend(bytes);
                bits.push(values);
            }
            for kind in KINDS.into_iter().chain([Combine::Count]) {
                for ks in [&[][..], &[3], &[3, 4], &[3, 4, 2], &[3, 4, 2, 12]] {
                    let each = ks.iter().product::<u64>();
                    let mut all = Lanes::new(kind, ty, ks.iter().copied(), lanes);
                    block.chunks(columns.block).for_each(|block| all.push_block(ty, &columns, block));
                    assert_eq!(all.rows() as u64, 24 * 12 / each);
                    for (row, columns) in bits.chunks(each as usize).enumerate() {
                        for lane in 0..lanes {
                            let terms = columns.iter().map(|column| Value::from_bits(ty, column[lane]));
                            let tree = FoldTree::of_digits(ks.iter().copied());
                            let mut fold = ReductionFold::new(kind, ty, &tree);
                            terms.for_each(|term| fold.push(term));
                            let wanted = match fold.finish() {
                                ObservedValue::Integer(value) => Value::I64(value),
                                ObservedValue::Float(value) => Value::F64(value),
                                ObservedValue::List(_) => unreachable!("one number"),
                            };
                            assert_eq!(all.value(row, lane).bits(), wanted.bits(), "{ty:?} {kind:?} {ks:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_of_lanes_fold_to_the_same_bits_wherever_columns_are_cut() {
        let (ks, lanes) = ([3, 2, 4], 5);
        let values = |column: u64| -> Vec<f64> {
            let value = |lane| squeeze_compiler::numbers::digest::mix(column * lanes + lane) as i64 as f64 * 1e-3;
            (0..lanes).map(value).collect()
        };
        for kind in [Combine::Sum, Combine::Min, Combine::Max] {
            let empty = || LaneFloats::new(kind, ks.into_iter(), lanes as usize);
            let mut whole = empty();
            (0..48).for_each(|column| whole.push_folded(0, &values(column)));
            let mut total = Lanes::Floats(empty());
            for cut in [0, 5, 17, 18, 42, 48].windows(2) {
                let mut blocks = FoldedLanes::new(kind, ks.into_iter(), cut[0]);
                for column in cut[0]..cut[1] {
                    let part = LaneFloats::new(kind, std::iter::empty(), lanes as usize);
                    blocks.push(LaneFloats { done: values(column), ..part });
                }
                assert!(blocks.blocks.len() <= 9, "{} blocks of {cut:?}", blocks.blocks.len());
                blocks.into_lanes().for_each(|part| total.merge(part));
            }
            let Lanes::Floats(total) = total else { unreachable!() };
            assert_eq!(total.done, whole.done, "{kind:?}");
        }
    }
}
