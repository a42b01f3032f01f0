//! Reductions, of which observables are made: one number from the terms of all cells, with a result that no layout changes.
//!
//! Bits and integers combine exactly in i64 (sums wrap), in any order. Floats are folded digit by digit of the canonical
//! index: each k_1 consecutive terms, in canonical order and left to right, into one; each k_2 of those into one; and so
//! on up to the level. Sums start from 0.0 in every fold, minima and maxima from the first value. At level 0 there is one
//! cell and no fold: its term is the result.
//!
//! A block of K_μ = k_1 · … · k_μ cells that is aligned to a multiple of K_μ is thus folded without a look at any other cell, and its
//! result can be handed to [`FloatFold::push_block`] in its place: this is how backends fold in parallel.
//!
//! Terms become partials, on a CPU by `engine/cpu/reduce`, and these one result by `engine/reduce`. On a GPU `emit/cuda/fold` plans the launches that
//! fold floats, and [`weighted_bits`](super::weighted_bits) turns terms of integers into bits that a kernel counts. `templates/reductions.cu` has a struct
//! for each kind of reduction.
//! A new kind also needs a number in `templates/reduce.cu`, and `weighted_bits` takes every kind that does not add for a minimum or maximum. `tests/folds.rs` and
//! the test `ahead` of `tests/shim.rs` compare all of them.

use crate::ir::{BinaryOp, Combine, Fractal, Type, Value};
use crate::numbers::{flush, scalar};
use std::fmt;

/// The value of an observable.
#[derive(Clone, Debug)]
pub enum ObservedValue {
    /// The value of bits and integers.
    Integer(i64),
    /// The value of floats.
    Float(f64),
    /// A list of numbers.
    List(Vec<ObservedValue>),
}

impl ObservedValue {
    /// The numbers of a list; a number by itself is the only one.
    pub fn numbers(&self) -> &[ObservedValue] {
        match self {
            ObservedValue::List(list) => list,
            number => std::slice::from_ref(number),
        }
    }

    /// Whether no number is infinite or NaN.
    pub fn is_finite(&self) -> bool {
        self.numbers().iter().all(|number| !matches!(number, ObservedValue::Float(value) if !value.is_finite()))
    }
}

/// Bits are compared, and all NaN are equal.
impl PartialEq for ObservedValue {
    fn eq(&self, other: &ObservedValue) -> bool {
        match (self, other) {
            (ObservedValue::Integer(a), ObservedValue::Integer(b)) => a == b,
            (ObservedValue::Float(a), ObservedValue::Float(b)) => Value::F64(*a) == Value::F64(*b),
            (ObservedValue::List(a), ObservedValue::List(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for ObservedValue {}

impl fmt::Display for ObservedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObservedValue::Integer(v) => v.fmt(f),
            ObservedValue::Float(v) => v.fmt(f),
            ObservedValue::List(list) => {
                write!(f, "[{}]", list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The mean of terms that come to this sum. Where results are flushed, so is it.
pub fn mean(sum: &ObservedValue, cells: u64, flush: bool) -> f64 {
    let sum = match sum {
        ObservedValue::Integer(sum) => *sum as f64,
        ObservedValue::Float(sum) => *sum,
        ObservedValue::List(_) => f64::NAN,
    };
    let mean = scalar::binary(BinaryOp::Divide, Value::F64(sum), Value::F64(cells as f64));
    (if flush { flush::flushed(mean) } else { mean }).as_f64()
}

/// The two of `count` values in ascending order, counted from 0, between which a quantile lies, and where between them: as far behind the first as `share` of
/// the way to the last.
pub fn place_of_quantile(share: f64, count: u64) -> ([u64; 2], f64) {
    let last = count.saturating_sub(1);
    let place = share * last as f64;
    let first = (place as u64).min(last);
    ([first, (first + 1).min(last)], place - place.floor())
}

/// The number at a place between two, on a straight line: at 0 the first one. A zero is positive.
pub fn between([low, high]: [f64; 2], place: f64) -> f64 {
    let step = high - low;
    let number = match place {
        0.0 => low,
        _ if low == high => low,
        place if place < 0.5 => low + step * place,
        place => high - step * (1.0 - place),
    };
    number + 0.0
}

/// The bytes that lists of `values` values take where they are computed, in observables, and where they are printed.
pub const fn bytes_of_lists(values: u64) -> u64 {
    values.saturating_mul(100)
}

/// A quantile of terms by sorting them; NaN if one of them is, or there are none.
pub fn quantile(terms: impl Iterator<Item = Value>, share: f64) -> f64 {
    // −0 is 0.
    let mut numbers: Vec<f64> = terms.map(|term| term.as_f64() + 0.0).collect();
    if numbers.is_empty() || numbers.iter().any(|number| number.is_nan()) {
        return f64::NAN;
    }
    numbers.sort_unstable_by(f64::total_cmp);
    let (places, between_them) = place_of_quantile(share, numbers.len() as u64);
    between(places.map(|place| numbers[place as usize]), between_them)
}

/// The square of a term's deviation from a mean: d·d with d = f64(term) − mean.
pub fn squared_deviation(term: Value, mean: f64, flush: bool) -> f64 {
    let cast = if flush { flush::cast } else { scalar::cast };
    let binary = if flush { flush::binary } else { scalar::binary };
    let deviation = binary(BinaryOp::Subtract, cast(Type::F64, term), Value::F64(mean));
    binary(BinaryOp::Multiply, deviation, deviation).as_f64()
}

impl Combine {
    /// Whether terms are added up.
    pub const fn adds(self) -> bool {
        match self {
            Combine::Sum | Combine::Count => true,
            Combine::Min | Combine::Max => false,
        }
    }

    /// Two integers combined.
    #[inline]
    pub fn exact(self, a: i64, b: i64) -> i64 {
        match self {
            Combine::Sum | Combine::Count => a.wrapping_add(b),
            Combine::Min => a.min(b),
            Combine::Max => a.max(b),
        }
    }

    /// Integers combined, in any order.
    pub fn exact_of(self, integers: impl Iterator<Item = i64>) -> i64 {
        integers.fold(self.nothing(), |a, b| self.exact(a, b))
    }

    /// The integer that changes no other one.
    pub const fn nothing(self) -> i64 {
        match self {
            Combine::Sum | Combine::Count => 0,
            Combine::Min => i64::MAX,
            Combine::Max => i64::MIN,
        }
    }

    /// The fold of a digit's floats so far (`None`: there was none) and the next one.
    #[inline]
    pub fn float(self, before: Option<f64>, next: f64) -> f64 {
        match (self, before) {
            (Combine::Sum | Combine::Count, before) => before.unwrap_or(0.0) + next,
            (Combine::Min | Combine::Max, None) => next,
            (Combine::Min, Some(before)) if next < before => next,
            (Combine::Max, Some(before)) if before < next => next,
            (Combine::Min | Combine::Max, Some(before)) => before,
        }
    }
}

/// How many consecutive cells of masks are folded into one, then how many of those, and so on.
pub const FOLD_OF_CELLS: u64 = 32;

/// The order in which floats are folded: how many values each digit takes, finest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldTree {
    digits: Vec<u64>,
    /// Whether the last block of each digit may be shorter.
    ragged: bool,
}

impl FoldTree {
    /// The tree of cells whose digits take k_1, k_2, … values. A list of the finest μ alone is that of a block.
    pub fn of_digits(ks: impl IntoIterator<Item = u64>) -> FoldTree {
        FoldTree { digits: ks.into_iter().collect(), ragged: false }
    }

    /// The tree of cells without digits: groups of [`FOLD_OF_CELLS`], groups of as many groups, and so on until one is left. The last block may be
    /// shorter.
    pub fn of_cells(cells: u64) -> FoldTree {
        let blocks = |cells: &u64| (*cells > 1).then(|| cells.div_ceil(FOLD_OF_CELLS));
        let digits = std::iter::successors(Some(cells), blocks).count() - 1;
        FoldTree { digits: vec![FOLD_OF_CELLS; digits], ragged: true }
    }

    /// The tree of the cells of a fractal at a level, or of a mask.
    pub fn of_fractal(fractal: &Fractal, level: u32) -> FoldTree {
        if fractal.extent.is_some() {
            return FoldTree::of_cells(fractal.pattern(1).k());
        }
        FoldTree::of_digits((1..=level).map(|mu| fractal.pattern(mu).k()))
    }
}

/// The fold of float terms, taken in canonical order, in memory proportional to the level.
#[derive(Clone, Debug)]
pub struct FloatFold {
    kind: Combine,
    /// Digit μ = i + 1: its k, how many values came in, and their fold.
    digits: Vec<Digit>,
    /// The fold of all cells, once they are complete.
    result: Option<f64>,
    ragged: bool,
}

#[derive(Clone, Debug)]
struct Digit {
    k: u64,
    count: u64,
    fold: f64,
}

impl FloatFold {
    /// A fold along a tree.
    pub fn new(kind: Combine, tree: &FoldTree) -> Self {
        let digits = tree.digits.iter().map(|&k| Digit { k, count: 0, fold: 0.0 }).collect();
        FloatFold { kind, digits, result: None, ragged: tree.ragged }
    }

    /// The term of the next cell.
    ///
    /// # Panics
    /// If the cells are already complete.
    pub fn push(&mut self, term: f64) {
        self.push_block(0, term);
    }

    /// The result of the next K_μ cells, folded on their own with the finest μ digits.
    ///
    /// # Panics
    /// If the cells so far do not end on a multiple of K_μ, or are already complete.
    pub fn push_block(&mut self, mu: u32, folded: f64) {
        let mu = mu as usize;
        assert!(self.result.is_none(), "a term after the last cell");
        assert!(self.digits[..mu].iter().all(|digit| digit.count == 0), "a block begins inside another block");
        let mut value = folded;
        for digit in &mut self.digits[mu..] {
            value = self.kind.float((digit.count > 0).then_some(digit.fold), value);
            digit.count += 1;
            if digit.count < digit.k {
                digit.fold = value;
                return;
            }
            digit.count = 0;
        }
        self.result = Some(value);
    }

    /// The result.
    ///
    /// # Panics
    /// If a cell is missing.
    pub fn finish(self) -> f64 {
        let kind = self.kind;
        let rest = || {
            let add = |carried: Option<f64>, digit: &Digit| match (carried, digit.count) {
                (None, 0) => None,
                (None, _) => Some(digit.fold),
                (Some(value), count) => Some(kind.float((count > 0).then_some(digit.fold), value)),
            };
            self.digits.iter().fold(None, add)
        };
        self.result.or_else(|| if self.ragged { rest() } else { None }).expect("the terms of all cells were pushed")
    }
}

/// The fold of an observable's terms of either sort, taken in canonical order.
#[derive(Clone, Debug)]
pub enum ReductionFold {
    /// A fold of bits and integers, with the result so far.
    Integer(Combine, i64),
    /// A fold of floats.
    Float(FloatFold),
}

impl ReductionFold {
    /// A fold of terms of type `ty` along a tree.
    pub fn new(kind: Combine, ty: Type, tree: &FoldTree) -> Self {
        if ty.is_float() {
            ReductionFold::Float(FloatFold::new(kind, tree))
        } else {
            ReductionFold::Integer(kind, kind.nothing())
        }
    }

    /// The term of the next cell.
    ///
    /// # Panics
    /// If the term is of the other sort, or follows the last cell.
    pub fn push(&mut self, term: Value) {
        match (self, term) {
            (ReductionFold::Float(fold), Value::F32(v)) => fold.push(f64::from(v)),
            (ReductionFold::Float(fold), Value::F64(v)) => fold.push(v),
            (ReductionFold::Integer(kind, so_far), term) => *so_far = kind.exact(*so_far, integer(term)),
            (fold, term) => panic!("{term:?} is no term of {fold:?}"),
        }
    }

    /// The result.
    ///
    /// # Panics
    /// If the terms are floats and a cell is missing.
    pub fn finish(self) -> ObservedValue {
        match self {
            ReductionFold::Integer(_, value) => ObservedValue::Integer(value),
            ReductionFold::Float(fold) => ObservedValue::Float(fold.finish()),
        }
    }
}

/// The number of a bit, enum variant or integer.
///
/// # Panics
/// If the value is a float.
pub fn integer(value: Value) -> i64 {
    value.as_i128().expect("a float is no integer") as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, written as it is spoken.
    fn by_definition(kind: Combine, ks: &[usize], mut values: Vec<f64>) -> f64 {
        for &k in ks {
            let fold = |chunk: &[f64]| match kind {
                Combine::Sum | Combine::Count => chunk.iter().fold(0.0, |a, b| a + b),
                Combine::Min => chunk.iter().copied().reduce(|a, b| if b < a { b } else { a }).unwrap(),
                Combine::Max => chunk.iter().copied().reduce(|a, b| if a < b { b } else { a }).unwrap(),
            };
            values = values.chunks(k).map(fold).collect();
        }
        assert_eq!(values.len(), 1);
        values[0]
    }

    const KINDS: [Combine; 3] = [Combine::Sum, Combine::Min, Combine::Max];

    fn terms(n: usize) -> Vec<f64> {
        (0..n as u64).map(|c| crate::numbers::digest::mix(c) as i64 as f64 * 1e-3 / (1.0 + c as f64)).collect()
    }

    #[test]
    fn streams_equal_the_definition() {
        for kind in KINDS {
            for ks in [&[][..], &[3], &[3, 5], &[2, 8, 5, 3]] {
                let values = terms(ks.iter().product());
                let mut fold = FloatFold::new(kind, &FoldTree::of_digits(ks.iter().map(|&k| k as u64)));
                values.iter().for_each(|&v| fold.push(v));
                assert_eq!(fold.finish().to_bits(), by_definition(kind, ks, values).to_bits());
            }
        }
    }

    #[test]
    fn cells_are_folded_in_blocks_of_32() {
        for kind in KINDS {
            for cells in [1, 2, 31, 32, 33, 40, 1023, 1024, 1025, 1056, 1057, 2048, 33_000] {
                let values = terms(cells);
                let mut fold = FloatFold::new(kind, &FoldTree::of_cells(cells as u64));
                values.iter().for_each(|&v| fold.push(v));
                let mut blocks = values;
                while blocks.len() > 1 {
                    blocks = blocks.chunks(32).map(|block| by_definition(kind, &[32], block.to_vec())).collect();
                }
                assert_eq!(fold.finish().to_bits(), blocks[0].to_bits(), "{cells} cells");
            }
        }
    }

    #[test]
    fn blocks_equal_the_stream() {
        let ks = [3u64, 2, 5, 4];
        let values = terms(120);
        for kind in KINDS {
            let whole = by_definition(kind, &[3, 2, 5, 4], values.clone());
            for (mu, block) in [(0, 1), (1, 3), (2, 6), (3, 30), (4, 120)] {
                let mut fold = FloatFold::new(kind, &FoldTree::of_digits(ks));
                for chunk in values.chunks(block) {
                    let mut inner = FloatFold::new(kind, &FoldTree::of_digits(ks[..mu].iter().copied()));
                    chunk.iter().for_each(|&v| inner.push(v));
                    fold.push_block(mu as u32, inner.finish());
                }
                assert_eq!(fold.finish().to_bits(), whole.to_bits());
            }
        }
    }

    #[test]
    fn one_cell_is_its_own_result() {
        let mut fold = FloatFold::new(Combine::Sum, &FoldTree::of_digits([]));
        fold.push(-0.0);
        assert_eq!(fold.finish().to_bits(), (-0.0f64).to_bits());
        let mut fold = FloatFold::new(Combine::Sum, &FoldTree::of_digits([2]));
        fold.push(-0.0);
        fold.push(-0.0);
        assert_eq!(fold.finish().to_bits(), 0.0f64.to_bits());
    }

    #[test]
    fn minima_and_maxima_meet_nan_as_the_language_does() {
        let fold = |kind, values: &[f64]| {
            let mut fold = FloatFold::new(kind, &FoldTree::of_digits([values.len() as u64]));
            values.iter().for_each(|&v| fold.push(v));
            fold.finish()
        };
        assert!(fold(Combine::Min, &[f64::NAN, 1.0]).is_nan());
        assert_eq!(fold(Combine::Min, &[1.0, f64::NAN]), 1.0);
        assert_eq!(fold(Combine::Max, &[1.0, f64::NAN, 2.0]), 2.0);
        assert_eq!(fold(Combine::Max, &[-0.0, 0.0]).to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn integers_wrap_and_merge() {
        assert_eq!(Combine::Sum.exact_of([i64::MAX, 1].into_iter()), i64::MIN);
        assert_eq!(Combine::Min.exact_of([3, -7, 5].into_iter()), -7);
        for kind in KINDS {
            for value in [i64::MIN, -1, 0, i64::MAX] {
                assert_eq!(kind.exact(kind.nothing(), value), value);
            }
        }
    }

    #[test]
    #[should_panic(expected = "inside another block")]
    fn blocks_must_be_aligned() {
        let mut fold = FloatFold::new(Combine::Sum, &FoldTree::of_digits([2, 2]));
        fold.push(1.0);
        fold.push_block(1, 1.0);
    }
}
