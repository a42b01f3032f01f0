//! The rounds in which reductions are computed, as [`squeeze_compiler::ir::rounds`] tells.

use crate::Result;
use squeeze_compiler::ir::rounds::{self, BOUNDS, Round};
use squeeze_compiler::ir::{RuleParts, Type, Value};
use squeeze_compiler::numbers::flush;
use squeeze_compiler::reduce::fold::{self, ObservedValue};
use std::collections::BTreeMap;

/// The rule with the reductions `which` alone, all of one round.
pub(crate) fn of_round(rule: &RuleParts, which: &[usize]) -> RuleParts {
    let some = rule.with_reductions(which);
    rounds::later(&some).unwrap_or(some)
}

/// The reductions `which` over all cells, by member. `compute` gives the reductions of one round ([`of_round`]), from each member's results of earlier
/// rounds; or `None` if it cannot.
pub(crate) fn by_rounds(
    rule: &RuleParts,
    which: &[usize],
    (members, cells): (usize, u64),
    compute: impl Fn(&[usize], &[Vec<Value>]) -> Result<Option<Vec<Vec<ObservedValue>>>>,
) -> Result<Option<Vec<Vec<ObservedValue>>>> {
    if which.is_empty() {
        return Ok(Some(vec![Vec::new(); members]));
    }
    let (mut first, mut deviations, mut quantiles) = (Vec::new(), Vec::new(), Vec::new());
    for &index in which {
        match rule.reductions[index].round {
            _ if !rounds::is_later(&rule.reductions[index]) => first.push(index),
            Round::First => {}
            Round::Deviations(sum, among) => {
                deviations.push((index, sum as usize, among.map(|counts| counts as usize)))
            }
            Round::Quantile(share, among) => quantiles.push((index, share, among.map(|counts| counts as usize))),
        }
    }
    if first.len() == which.len() {
        return compute(which, &[]);
    }
    let counts = deviations.iter().map(|of| of.2).chain(quantiles.iter().map(|of| of.2)).flatten();
    let needed: Vec<usize> = deviations.iter().map(|of| of.1).chain(counts).collect();
    for index in needed {
        if !first.contains(&index) {
            first.push(index);
        }
    }
    // The reductions that are known, by member.
    let mut known: Vec<BTreeMap<usize, ObservedValue>> = vec![BTreeMap::new(); members];
    let mut add = |which: &[usize], values: Vec<Vec<ObservedValue>>| {
        { known.iter_mut().zip(values) }.for_each(|(known, values)| known.extend(which.iter().copied().zip(values)));
    };
    // How many cells have a term, by member, if not all do.
    let mut among: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); members];
    if !first.is_empty() {
        let Some(values) = compute(&first, &[])? else { return Ok(None) };
        let place = |sum: &usize| first.iter().position(|index| index == sum).unwrap_or_default();
        let number = |values: &[ObservedValue], counts: &usize| match &values[place(counts)] {
            ObservedValue::Integer(count) => *count as u64,
            ObservedValue::Float(_) | ObservedValue::List(_) => unreachable!("counts are whole numbers"),
        };
        for (among, values) in among.iter_mut().zip(&values) {
            let counts = quantiles.iter().filter_map(|(_, _, counts)| counts.as_ref());
            among.extend(counts.map(|counts| (*counts, number(values, counts))));
        }
        if !deviations.is_empty() {
            let mean = |values: &[ObservedValue], sum, counts: &Option<usize>| {
                let cells = counts.as_ref().map_or(cells, |counts| number(values, counts));
                Value::F64(fold::mean(&values[place(sum)], cells, rule.flush))
            };
            let means = |values: &Vec<ObservedValue>| {
                deviations.iter().map(|(_, sum, counts)| mean(values, sum, counts)).collect()
            };
            let means: Vec<Vec<Value>> = values.iter().map(means).collect();
            let which: Vec<usize> = deviations.iter().map(|(index, ..)| *index).collect();
            let Some(squares) = compute(&which, &means)? else { return Ok(None) };
            add(&which, squares);
        }
        add(&first, values);
    }
    for (index, share, counts) in quantiles {
        let search = Search::new(rule.reductions[index].ty, rule.flush);
        let compute = |numbers: &[Vec<Value>]| compute(&[index], numbers);
        let numbers: Vec<u64> = among.iter().map(|among| counts.map_or(cells, |counts| among[&counts])).collect();
        let Some(values) = quantile((search, share), (&numbers, cells), compute)? else { return Ok(None) };
        add(&[index], values.into_iter().map(|value| vec![ObservedValue::Float(value)]).collect());
    }
    let in_order = |known: &BTreeMap<usize, ObservedValue>| which.iter().map(|index| known[index].clone()).collect();
    Ok(Some(known.iter().map(in_order).collect()))
}

/// For each member a quantile of its least terms, of which `numbers` tells how many there are, at this share; NaN if there are none. `compute` counts the
/// terms that are at most [`BOUNDS`] numbers.
fn quantile(
    (search, share): (Search, f64),
    (numbers, cells): (&[u64], u64),
    compute: impl Fn(&[Vec<Value>]) -> Result<Option<Vec<Vec<ObservedValue>>>>,
) -> Result<Option<Vec<f64>>> {
    // It lies between two terms.
    let places: Vec<([u64; 2], f64)> = numbers.iter().map(|number| fold::place_of_quantile(share, *number)).collect();
    let mut searches: Vec<[Search; 2]> = vec![[search; 2]; numbers.len()];
    while searches.iter().flatten().any(Search::is_open) {
        let bounds: Vec<Vec<Value>> =
            searches.iter().map(|both| both.iter().flat_map(Search::bounds).collect()).collect();
        let Some(counts) = compute(&bounds)? else { return Ok(None) };
        for ((both, (indices, _)), counts) in searches.iter_mut().zip(&places).zip(counts) {
            for ((search, index), counts) in both.iter_mut().zip(*indices).zip(counts.chunks(PARTS as usize)) {
                search.narrow((index, cells), counts);
            }
        }
    }
    let mut found = Vec::new();
    for ((both, (_, place)), number) in searches.iter().zip(&places).zip(numbers) {
        let between = fold::between(both.each_ref().map(Search::found), *place);
        found.push(if *number == 0 { f64::NAN } else { between });
    }
    Ok(Some(found))
}

/// Parts into which each round divides the rest of a search.
const PARTS: u64 = BOUNDS as u64 / 2;

/// The search for a term by its index in ascending order. Numbers of one type are counted from the least to the greatest.
#[derive(Clone, Copy)]
struct Search {
    /// The type in which terms are compared.
    ty: Type,
    /// Whether they are flushed.
    flush: bool,
    /// Between which of the type's numbers the term is.
    low: u64,
    high: u64,
    /// Whether nothing was counted yet.
    is_new: bool,
    /// Whether some terms are no numbers.
    has_nan: bool,
}

impl Search {
    /// Among terms of this type.
    fn new(ty: Type, flush: bool) -> Search {
        let (low, high) = match ty {
            Type::Bit => (key(Value::I32(0)), key(Value::I32(1))),
            Type::U8 | Type::Enum(_) => (key(Value::I32(0)), key(Value::I32(i32::from(u8::MAX)))),
            Type::U16 => (key(Value::I32(0)), key(Value::I32(i32::from(u16::MAX)))),
            Type::I32 | Type::U32 => (0, u64::from(u32::MAX)),
            Type::I64 => (0, u64::MAX),
            Type::F32 => (key(Value::F32(f32::NEG_INFINITY)), key(Value::F32(f32::INFINITY))),
            Type::F64 => (key(Value::F64(f64::NEG_INFINITY)), key(Value::F64(f64::INFINITY))),
        };
        Search { ty: rounds::compared(ty), flush, low, high, is_new: true, has_nan: false }
    }

    fn is_open(&self) -> bool {
        !self.has_nan && (self.is_new || self.low < self.high)
    }

    /// The last number of a part.
    fn end(&self, part: u64) -> u64 {
        let numbers = u128::from(self.high - self.low) + 1;
        self.low + ((numbers * u128::from(part + 1)).div_ceil(u128::from(PARTS)) - 1) as u64
    }

    fn bounds(&self) -> impl Iterator<Item = Value> {
        (0..PARTS).map(|part| number(self.ty, self.end(part)))
    }

    /// Given how many of all terms are at most the last number of each part.
    fn narrow(&mut self, (index, cells): (u64, u64), counts: &[ObservedValue]) {
        let count = |part: u64| match counts[part as usize] {
            ObservedValue::Integer(count) => count as u64,
            ObservedValue::Float(_) | ObservedValue::List(_) => unreachable!("counts are whole numbers"),
        };
        self.has_nan |= std::mem::take(&mut self.is_new) && count(PARTS - 1) < cells;
        if let Some(part) = (0..PARTS).find(|part| count(*part) > index) {
            let low = if part == 0 { self.low } else { self.end(part - 1) + 1 };
            (self.low, self.high) = (low, self.end(part));
        }
    }

    /// The term. A zero is positive.
    fn found(&self) -> f64 {
        let term = number(self.ty, self.low);
        match (self.has_nan, self.flush) {
            (true, _) => f64::NAN,
            // Kernels read bounds below the least normal number as zeros.
            (false, true) => flush::flushed(term).as_f64() + 0.0,
            (false, false) => term.as_f64() + 0.0,
        }
    }
}

/// The place of a number among those of its type, from the least to the greatest.
fn key(value: Value) -> u64 {
    let of_float = |bits: u64, sign: u64| if bits & sign == 0 { bits | sign } else { !bits & (sign | (sign - 1)) };
    match value {
        Value::F64(value) => of_float(value.to_bits(), 1 << 63),
        Value::F32(value) => of_float(value.to_bits().into(), 1 << 31),
        Value::I32(value) => u64::from(value as u32 ^ 1 << 31),
        _ => unreachable!("searches begin at no other numbers"),
    }
}

/// The number of a type at this place.
fn number(ty: Type, key: u64) -> Value {
    let of_float = |key: u64, sign: u64| if key & sign == 0 { !key & (sign | (sign - 1)) } else { key ^ sign };
    match ty {
        Type::F64 => Value::F64(f64::from_bits(of_float(key, 1 << 63))),
        Type::F32 => Value::F32(f32::from_bits(of_float(key, 1 << 31) as u32)),
        Type::I64 => Value::I64((key ^ 1 << 63) as i64),
        Type::U32 => Value::U32(key as u32),
        Type::I32 => Value::I32((key as u32 ^ 1 << 31) as i32),
        Type::Bit | Type::U8 | Type::U16 | Type::Enum(_) => unreachable!("these are compared as i32"),
    }
}
