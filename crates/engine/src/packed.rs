//! How values are written as bytes when they leave a simulation: in canonical order, each in its natural width.
//!
//! A bit takes one bit, eight to a byte, the lowest cell in the least significant bit; a `u8` and an enum (its variant's number) take
//! one byte, `u16` two, `i32`, `u32` and `f32` four, `i64` and `f64` eight, little endian. Bits behind the last cell of a last byte are 0.

use crate::params::{list, meant};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{QUIET_NAN_F32, QUIET_NAN_F64, Rule, StateId, Type, Value};
use squeeze_compiler::numbers::flush;
use std::borrow::Cow;
use std::ops::Range;

/// Why values of a state cannot be read or set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// No state has this name.
    #[error("the rule `{rule}` has no state `{name}`{}", meant(name, known.iter().map(String::as_str)))]
    Unknown {
        /// The rule.
        rule: String,
        /// The name that was given.
        name: String,
        /// All names there are.
        known: Vec<String>,
    },
    /// No array of a stored state has this name.
    #[error("no state `{name}` is stored{}", meant(name, known.iter().map(String::as_str)))]
    NotStored {
        /// The name that was given.
        name: String,
        /// All names there are.
        known: Vec<String>,
    },
    /// The state has another type.
    #[error("the state `{state}` is of type {ty}, whose values are not `{asked}`")]
    Type {
        /// The state.
        state: String,
        /// Its type.
        ty: String,
        /// The type of Rust that was asked for.
        asked: &'static str,
    },
    /// The state keeps its last line alone, and begins without values.
    #[error("the state `{state}` is rolling and has no initial values: a step gives it the last line that it keeps")]
    Rolling {
        /// The state.
        state: String,
    },
    /// A number from outside that is none of an enum's.
    #[error("cell {cell} of `{state}` has the number {number}; its variants {} have the numbers 0 to {}", list(variants), variants.len() - 1)]
    Variant {
        /// The state.
        state: String,
        /// The canonical index.
        cell: u64,
        /// The number.
        number: u64,
        /// All variants, in the order of their numbers.
        variants: Vec<String>,
    },
    /// Cells that do not exist.
    #[error("cells {first} to {end} were asked for; there are {cells} cells, counted from 0")]
    Cells {
        /// The first one.
        first: u64,
        /// The one behind the last.
        end: u64,
        /// How many there are.
        cells: u64,
    },
    /// Blocks of a level that the domain has not.
    #[error("there are no blocks of level {asked}: the domain has {levels} levels")]
    NoBlocks {
        /// The level that was asked for.
        asked: u32,
        /// How many there are.
        levels: u32,
    },
    /// No state has this number.
    #[error("the rule `{rule}` has no state of the number {number}; it has {states}, counted from 0")]
    Number {
        /// The rule.
        rule: String,
        /// The number that was given.
        number: u16,
        /// How many states there are.
        states: usize,
    },
    /// Bits that share a byte with others.
    #[error("the bits of cells {first} to {end} begin or end inside a byte")]
    Parted {
        /// The first cell.
        first: u64,
        /// The one behind the last.
        end: u64,
    },
    /// More or fewer bytes than values take.
    #[error("the values take {needed} bytes, and {given} are given")]
    Bytes {
        /// How many they take.
        needed: u64,
        /// How many were given.
        given: usize,
    },
    /// Initial values that are not as many as cells or, of a grid, as places.
    #[error("`{state}` is given {given} initial values; there are {expected} {what}")]
    Count {
        /// The state.
        state: String,
        /// How many values were given.
        given: u64,
        /// How many there are.
        expected: u128,
        /// Cells, or places of the grid.
        what: &'static str,
    },
    /// A table that has not an entry for each value, or is given for numbers.
    #[error("a table of {given} entries was given for `{state}` of type {ty}: {}", wanted.map_or_else(
        || "only bits and enums have one".to_owned(),
        |wanted| format!("{wanted} are wanted, one for each value"),
    ))]
    Table {
        /// The state.
        state: String,
        /// Its type.
        ty: String,
        /// How many entries are wanted, if it has a table.
        wanted: Option<usize>,
        /// How many were given.
        given: usize,
    },
    /// These values do not fit in memory.
    #[error("{values} values do not fit in memory")]
    TooMany {
        /// How many were asked for.
        values: u128,
    },
}

impl FieldError {
    /// Suggestions: what would be valid.
    pub fn help(&self) -> Vec<String> {
        match self {
            FieldError::Unknown { known, .. } | FieldError::NotStored { known, .. } => {
                vec![format!("its states are {}", list(known))]
            }
            FieldError::TooMany { .. } => vec!["read it in parts".to_owned()],
            FieldError::Parted { .. } => {
                vec!["begin and end with multiples of 8, or end with the last cell".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

/// The bytes that the values of a type take in `cells` cells.
pub const fn bytes(ty: Type, cells: u64) -> u64 {
    match ty {
        Type::Bit => cells.div_ceil(8),
        _ => cells * ty.bytes(),
    }
}

/// Ranges of cells, each with its part of the bytes that hold their values one range after the other.
///
/// # Panics
/// If the bytes are too few.
pub fn split<'a>(
    ty: Type,
    ranges: &'a [Range<u64>],
    bytes: &'a mut [u8],
) -> impl Iterator<Item = (Range<u64>, &'a mut [u8])> {
    let mut rest = bytes;
    ranges.iter().map(move |cells| {
        let length = self::bytes(ty, cells.end - cells.start) as usize;
        let (part, behind) = std::mem::take(&mut rest).split_at_mut(length);
        rest = behind;
        (cells.clone(), part)
    })
}

/// The value of index `i` in packed bytes.
///
/// # Panics
/// If the bytes are too few.
#[inline]
pub fn value(ty: Type, bytes: &[u8], i: u64) -> Value {
    Value::from_bits(ty, bits(ty, bytes, i))
}

/// The [bits](Value::bits) of the value of index `i`.
#[inline(always)]
pub fn bits(ty: Type, bytes: &[u8], i: u64) -> u64 {
    let i = i as usize;
    match ty {
        Type::Bit => u64::from(bytes[i / 8] >> (i % 8) & 1),
        _ => match ty.bytes() as usize {
            1 => u64::from(bytes[i]),
            2 => u64::from(u16::from_le_bytes(bytes.as_chunks::<2>().0[i])),
            4 => u64::from(u32::from_le_bytes(bytes.as_chunks::<4>().0[i])),
            _ => u64::from_le_bytes(bytes.as_chunks::<8>().0[i]),
        },
    }
}

/// The bits of a byte spread to the lowest bits of eight bytes.
#[inline]
pub(crate) const fn spread(byte: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Byte i keeps bit i alone, then any bit becomes the lowest one: nothing is carried into the next byte.
    let chosen = (byte as u64).wrapping_mul(ONES) & 0x8040_2010_0804_0201;
    (chosen + 0x7f * ONES) >> 7 & ONES
}

/// Puts each bit of some bytes to a byte of its own.
#[inline]
pub(crate) fn spread_all(bytes: &[u8], places: &mut [u8]) {
    let (eights, rest) = places.as_chunks_mut::<8>();
    eights.iter_mut().zip(bytes).for_each(|(eight, byte)| *eight = spread(*byte).to_le_bytes());
    let last = bytes.get(eights.len()).map_or(0, |byte| spread(*byte)).to_le_bytes();
    rest.copy_from_slice(&last[..rest.len()]);
}

/// The stretches of bits that are set in a word: the first one of each, and how many there are.
#[inline]
pub(crate) fn stretches(word: u64) -> impl Iterator<Item = (u32, u32)> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = (rest != 0).then(|| rest.trailing_zeros())?;
        let length = (rest >> first).trailing_ones();
        rest &= !(u64::MAX >> (64 - length) << first);
        Some((first, length))
    })
}

/// Replaces the value at index `i` by the [bits](Value::bits) of another.
#[inline]
pub fn replace(ty: Type, bytes: &mut [u8], i: u64, bits: u64) {
    if ty == Type::Bit {
        bytes[i as usize / 8] &= !(1 << (i % 8));
    }
    put(ty, bytes, i, bits);
}

/// Puts the [bits](Value::bits) of a value at index `i`; those of a bit are added to zero.
#[inline(always)]
pub fn put(ty: Type, bytes: &mut [u8], i: u64, bits: u64) {
    let i = i as usize;
    match ty {
        Type::Bit => bytes[i / 8] |= ((bits & 1) as u8) << (i % 8),
        _ => {
            let size = ty.bytes() as usize;
            bytes[size * i..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
}

/// How many of these bits are set.
pub(crate) fn ones(bytes: &[u8], range: Range<u64>) -> u64 {
    let (from, to) = (range.start.next_multiple_of(8), range.end / 8 * 8);
    if from >= to {
        return range.map(|i| bits(Type::Bit, bytes, i)).sum();
    }
    let edges = (range.start..from).chain(to..range.end).map(|i| bits(Type::Bit, bytes, i)).sum::<u64>();
    let whole = &bytes[from as usize / 8..to as usize / 8];
    let (words, rest) = whole.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from(u64::from_le_bytes(*word).count_ones())).sum::<u64>();
    edges + words + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
}

/// Whether a range of cells can be read into, or written from, `given` bytes.
///
/// # Errors
/// [`FieldError::Cells`] if the range goes beyond the last cell, [`FieldError::Parted`] if its bounds fall inside a byte (a last cell may),
/// [`FieldError::Bytes`] if the bytes are of another number.
pub fn check(ty: Type, all: u64, cells: &Range<u64>, given: usize) -> Result<(), FieldError> {
    let Range { start: first, end } = *cells;
    if first > end || end > all {
        return Err(FieldError::Cells { first, end, cells: all });
    }
    if ty == Type::Bit && !(first.is_multiple_of(8) && (end.is_multiple_of(8) || end == all)) {
        return Err(FieldError::Parted { first, end });
    }
    let needed = bytes(ty, end - first);
    if needed == given as u64 { Ok(()) } else { Err(FieldError::Bytes { needed, given }) }
}

/// Values for some cells of a state, which were found to be values of it. Engines are given no others.
#[derive(Clone, Debug)]
pub struct StateValues<'a> {
    pub(crate) state: StateId,
    pub(crate) cells: Range<u64>,
    pub(crate) bytes: Cow<'a, [u8]>,
}

impl<'a> StateValues<'a> {
    /// These bytes, in the form that is described [above](self). A number that a rule with `flush` has no results of becomes zero.
    ///
    /// # Errors
    /// As of [`check`]; [`FieldError::Number`] if there is no such state, [`FieldError::Variant`] for a number that is none of an enum's.
    pub fn new(
        rule: &FittedRule,
        state: StateId,
        cells: Range<u64>,
        bytes: &'a [u8],
    ) -> Result<StateValues<'a>, FieldError> {
        let ty = type_of(rule, state)?;
        check(ty, rule.domain().cells(), &cells, bytes.len())?;
        check_values(rule, state, cells.start, bytes.iter().copied().map(u64::from))?;
        let bytes = if rule.flush { flushed(ty, bytes) } else { bytes.into() };
        Ok(StateValues { state, cells, bytes })
    }

    /// The same, 0 in cells in which a rolling state has no value.
    pub(crate) fn on_last_line(mut self, rule: &FittedRule) -> StateValues<'a> {
        if let Some((axis, at)) = rule.domain().last_line(rule, self.state) {
            let (ty, bytes) = (rule.state(self.state).ty, self.bytes.to_mut());
            for (i, _) in (0..).zip(self.cells.clone()).filter(|(_, c)| rule.domain().lambda(*c)[axis] != at) {
                put(ty, bytes, i, 0);
            }
        }
        self
    }

    /// The state, the cells and the bytes.
    pub fn parts(&self) -> (StateId, Range<u64>, &[u8]) {
        (self.state, self.cells.clone(), &self.bytes)
    }
}

/// The type of a state's values.
pub(crate) fn type_of(rule: &Rule, state: StateId) -> Result<Type, FieldError> {
    let known = rule.states.get(usize::from(state.0)).map(|state| state.ty);
    known.ok_or_else(|| FieldError::Number { rule: rule.name.clone(), number: state.0, states: rule.states.len() })
}

/// Whether numbers that came from outside, the bits of values from the cell `first` on, are values of a state.
///
/// # Errors
/// [`FieldError::Variant`] for the first one beyond the variants of an enum.
pub(crate) fn check_values(
    rule: &Rule,
    state: StateId,
    first: u64,
    numbers: impl Iterator<Item = u64>,
) -> Result<(), FieldError> {
    let definition = rule.state(state);
    let Type::Enum(id) = definition.ty else { return Ok(()) };
    check_variants(&definition.name, &rule.enum_type(id).variants, first, numbers)
}

/// The same of a state of this name, an enum of these variants.
///
/// # Errors
/// [`FieldError::Variant`].
pub fn check_variants(
    state: &str,
    variants: &[String],
    first: u64,
    numbers: impl Iterator<Item = u64>,
) -> Result<(), FieldError> {
    match (first..).zip(numbers).find(|(_, number)| *number >= variants.len() as u64) {
        None => Ok(()),
        Some((cell, number)) => {
            let (state, variants) = (state.to_owned(), variants.to_vec());
            Err(FieldError::Variant { state, cell, number, variants })
        }
    }
}

/// Every NaN is stored as the one quiet NaN.
pub(crate) fn canonical_bits(ty: Type, bits: u64) -> u64 {
    match ty {
        Type::F32 if f32::from_bits(bits as u32).is_nan() => u64::from(QUIET_NAN_F32),
        Type::F64 if f64::from_bits(bits).is_nan() => QUIET_NAN_F64,
        _ => bits,
    }
}

/// Values of a rule with `flush`: floats below the least normal number are ±0.
fn flushed(ty: Type, given: &[u8]) -> Cow<'_, [u8]> {
    let size = match ty {
        Type::F32 | Type::F64 => ty.bytes(),
        _ => return given.into(),
    };
    let mut values = Cow::Borrowed(given);
    for i in 0..given.len() as u64 / size {
        let value = value(ty, given, i);
        let flushed = flush::flushed(value);
        if flushed.bits() != value.bits() {
            let place = (i * size) as usize..((i + 1) * size) as usize;
            values.to_mut()[place].copy_from_slice(&flushed.bits().to_le_bytes()[..size as usize]);
        }
    }
    values
}

/// The number of the first value among these that is not finite; `None` for types without such values.
pub fn first_not_finite(ty: Type, bytes: &[u8]) -> Option<u64> {
    let at = match ty {
        Type::F32 => bytes.as_chunks::<4>().0.iter().position(|v| !f32::from_le_bytes(*v).is_finite()),
        Type::F64 => bytes.as_chunks::<8>().0.iter().position(|v| !f64::from_le_bytes(*v).is_finite()),
        _ => None,
    };
    at.map(|at| at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_packed_from_the_least_significant_one() {
        let mut packed = [0; 2];
        put(Type::Bit, &mut packed, 0, 1);
        put(Type::Bit, &mut packed, 9, 1);
        assert_eq!((packed, bytes(Type::Bit, 10)), ([1, 2], 2));
        assert_eq!(value(Type::Bit, &packed, 9), Value::Bit(true));
    }

    #[test]
    fn bits_become_bytes() {
        for count in [0, 1, 7, 8, 9, 64, 77] {
            let packed: Vec<u8> = (0..(count as u8).div_ceil(8)).map(|i| i.wrapping_mul(73) ^ 0x5a).collect();
            let mut places = vec![7; count];
            spread_all(&packed, &mut places);
            let expected: Vec<u8> = (0..count as u64).map(|i| bits(Type::Bit, &packed, i) as u8).collect();
            assert_eq!(places, expected);
        }
    }

    #[test]
    fn set_bits_are_counted_between_any_bounds() {
        let packed: Vec<u8> = (0..40u8).map(|i| i.wrapping_mul(73)).collect();
        for (from, to) in [(0, 320), (3, 317), (5, 7), (9, 9), (64, 128), (7, 9), (1, 16)] {
            let expected: u64 = (from..to).map(|i| bits(Type::Bit, &packed, i)).sum();
            assert_eq!(ones(&packed, from..to), expected, "{from}..{to}");
        }
    }

    #[test]
    fn numbers_are_little_endian() {
        let mut packed = [0; 8];
        put(Type::I32, &mut packed, 1, Value::I32(-2).bits());
        assert_eq!(packed, [0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(value(Type::I32, &packed, 1), Value::I32(-2));
    }

    #[test]
    fn values_that_are_not_finite_are_found() {
        let list: Vec<u8> = [1.0f32, -0.0, f32::INFINITY, f32::NAN].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(first_not_finite(Type::F32, &list), Some(2));
        assert_eq!(first_not_finite(Type::U32, &list), None);
    }
}
