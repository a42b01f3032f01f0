//! Conversions between numbers, as the language defines them: cut off, to the nearest that there is, NaN to 0.

use super::graph::{Id, Instruct, RegisterClass};
use super::isa::{Action, predicate};
use super::numbers::{TOWARDS_ZERO, zip};
use super::select::{Select, ValueParts};
use crate::helpers;
use LaneType::{Bits, F32, F64, I32, I64, U8, U16, U32};
use squeeze_compiler::ir::Value;
use squeeze_compiler::kernel::{LaneType, ValueId};

/// The result, or the source, is half a vector.
const TO_HALF: u8 = 1;
const FROM_HALF: u8 = 2;

/// 2^52: a whole number below 2^32 stands in the low bits of its sum with this.
const BINARY: u64 = 0x4330_0000_0000_0000;

impl Select<'_> {
    /// A number of each bit's weight.
    pub(super) fn widen(&mut self, ty: LaneType, planes: &[ValueId]) -> ValueParts<Id> {
        let mut sum: Option<ValueParts<Id>> = None;
        for (plane, place) in planes.iter().zip(0..) {
            let (masks, weight) = (self.masks(*plane), self.graph.four(1 << place));
            sum = Some(match sum {
                None => masks.map(|mask| self.kept(U32, mask, weight)),
                Some(sum) if self.table.has_masks => {
                    zip(sum, masks, |sum, mask| self.merged(Action::Or, U32, mask, sum, weight))
                }
                Some(sum) => zip(sum, masks, |sum, mask| {
                    let digit = self.kept(U32, mask, weight);
                    self.two(Action::Or, U32, sum, digit)
                }),
            });
        }
        let sum = sum.expect("verified: one plane at least");
        // At most 16 bits: the sign does not matter.
        self.cast(if ty.width() < 32 { ty } else { I32 }, ty, sum)
    }

    /// A conversion.
    pub(super) fn cast(&mut self, from: LaneType, to: LaneType, parts: ValueParts<Id>) -> ValueParts<Id> {
        match (from, to) {
            (Bits, _) | (_, Bits) => unreachable!("verified: casts are between numbers"),
            (U8, U8 | U16 | I32 | U32) | (U16, U16 | I32 | U32) | (I32 | U32, I32 | U32) => parts,
            (I64, I64) | (F32, F32) | (F64, F64) => parts,
            (U16 | I32 | U32, U8) | (I32 | U32, U16) => {
                let low = self.graph.four((1 << to.width()) - 1);
                parts.map(|a| self.two(Action::And, U32, a, low))
            }
            (U8 | U16 | I32 | U32, I64) => {
                let code = self.table.extend[usize::from(from == I32)];
                let extended =
                    |a: Id| Instruct { halves: FROM_HALF, ..Instruct::new(code, RegisterClass::Vector, &[a]) };
                let halves: Vec<Id> = parts.iter().flat_map(|part| self.split(*part)).collect();
                halves.into_iter().map(|half| self.push(extended(half))).collect()
            }
            (I64, U8 | U16 | I32 | U32) => {
                let words = pairs(parts, |pair| self.low_words(pair));
                self.cast(U32, to, words)
            }
            (I64, F64) if (self.table.convert)(I64, F64).is_none() => self.help(helpers::long_to_double(), &[parts]),
            (I64, F64) => parts.map(|a| self.converted(I64, F64, a, 0)),
            // Rounded once: what comes is exact in binary32.
            (I64, F32) if (self.table.convert)(I64, F32).is_none() => {
                let rounded = self.help(helpers::long_to_single(), &[parts]);
                self.cast(F64, F32, rounded)
            }
            (I64 | F64, F32) => pairs(parts, |pair| self.narrowed(from, F32, pair)),
            (F32, I64) => {
                let doubles = self.cast(F32, F64, parts);
                self.cast(F64, I64, doubles)
            }
            (F64, I64) if (self.table.convert)(F64, I64).is_none() => self.help(helpers::truncate(I64), &[parts]),
            (F32, I32) | (F64, I64) => parts.map(|a| {
                // Out of range the instruction gives the least number, which is right below.
                let cut = self.converted(from, to, a, 0);
                let [beyond, most] = match from {
                    F32 => [Value::F32(2_147_483_648.0), Value::I32(i32::MAX)],
                    _ => [Value::F64(9_223_372_036_854_775_808.0), Value::I64(i64::MAX)],
                };
                let (beyond, most) = (self.splat(beyond), self.splat(most));
                let above = self.comparison(from, predicate::LESS_EQUAL, beyond, a);
                let cut = self.blend(to, above, most, cut);
                let number = self.comparison(from, predicate::ORDERED, a, a);
                self.kept(to, number, cut)
            }),
            (U8 | U16 | I32, F32) => parts.map(|a| self.converted(I32, F32, a, 0)),
            (U32, F32) => parts.map(|a| self.unsigned_to_single(a)),
            (U8 | U16 | I32 | U32 | F32, F64) => parts.iter().flat_map(|part| self.doubles(from, *part)).collect(),
            (F32, U32) => parts.map(|a| self.single_to_unsigned(a)),
            (F32, U8 | U16) => parts.map(|a| {
                let bounded = self.bounded(F32, a, if to == U8 { 255.0 } else { 65535.0 });
                self.converted(F32, I32, bounded, 0)
            }),
            (F64, U32 | U16 | U8) => pairs(parts, |pair| {
                let bounded = pair.map(|part| match to {
                    U8 => self.bounded(F64, part, 255.0),
                    U16 => self.bounded(F64, part, 65535.0),
                    _ if (self.table.convert)(F64, U32).is_some() => self.positive(F64, part),
                    _ => self.bounded(F64, part, f64::from(u32::MAX)),
                });
                self.cut_off(to, bounded)
            }),
            (F64, I32) => pairs(parts, |pair| {
                let most = self.splat(Value::F64(f64::from(i32::MAX)));
                let halves = pair.map(|part| {
                    // NaN is taken for the larger one, and replaced; so are numbers above.
                    let bounded = self.two(Action::Min, F64, part, most);
                    let number = self.comparison(F64, predicate::ORDERED, part, part);
                    let number = self.kept(F64, number, bounded);
                    self.converted(F64, I32, number, TO_HALF)
                });
                self.joined(halves)
            }),
        }
    }

    /// Two vectors of binary64 from one of 32 bits.
    pub(super) fn doubles(&mut self, from: LaneType, a: Id) -> [Id; 2] {
        let from = if from.width() < 32 { I32 } else { from };
        let halves = self.split(a);
        if let Some(code) = (self.table.convert)(from, F64) {
            let fold = self.table.fold(Some(4));
            let convert =
                |a: Id| Instruct { halves: FROM_HALF, fold, ..Instruct::new(code, RegisterClass::Vector, &[a]) };
            return halves.map(|half| self.push(convert(half)));
        }
        let code = self.table.extend[0];
        halves.map(|half| {
            let wide = self.push(Instruct { halves: FROM_HALF, ..Instruct::new(code, RegisterClass::Vector, &[half]) });
            let binary = self.graph.eight(BINARY);
            let sum = self.two(Action::Or, F64, wide, binary);
            self.two(Action::Subtract, F64, sum, binary)
        })
    }

    /// Two vectors of binary64, in the range of an integer type, as one of 32 bits.
    pub(crate) fn cut_off(&mut self, to: LaneType, halves: [Id; 2]) -> Id {
        let to = if to.width() < 32 { I32 } else { to };
        if (self.table.convert)(F64, to).is_some() {
            return self.narrowed(F64, to, halves);
        }
        let binary = self.graph.eight(BINARY);
        let sums = halves.map(|half| {
            let whole = self.run(Action::Round, F64, &[half], Some(TOWARDS_ZERO));
            self.two(Action::Add, F64, whole, binary)
        });
        (self.table.narrow)(self, sums)
    }

    /// A vector converted by an instruction; one of 64 bits may become [`TO_HALF`] a vector.
    fn converted(&mut self, from: LaneType, to: LaneType, a: Id, halves: u8) -> Id {
        let code = (self.table.convert)(from, to).unwrap_or_else(|| unreachable!("{from:?} to {to:?} is expanded"));
        let fold = self.table.fold(Some(if from.width() == 64 { 8 } else { 4 }));
        self.push(Instruct { halves, fold, ..Instruct::new(code, RegisterClass::Vector, &[a]) })
    }

    /// Two vectors of 64 bits as one of 32.
    fn narrowed(&mut self, from: LaneType, to: LaneType, pair: [Id; 2]) -> Id {
        let halves = pair.map(|part| self.converted(from, to, part, TO_HALF));
        self.joined(halves)
    }

    /// The lower halves of elements of 64 bits.
    fn low_words(&mut self, pair: [Id; 2]) -> Id {
        let Some(code) = (self.table.convert)(I64, U32) else { return (self.table.narrow)(self, pair) };
        let low = |a: Id| Instruct { halves: TO_HALF, ..Instruct::new(code, RegisterClass::Vector, &[a]) };
        let halves = pair.map(|a| self.push(low(a)));
        self.joined(halves)
    }

    /// A float, or 0 for negative ones and NaN. Above their range instructions to unsigned numbers give the largest one.
    fn positive(&mut self, ty: LaneType, a: Id) -> Id {
        let zero = self.splat(if ty == F32 { Value::F32(0.0) } else { Value::F64(0.0) });
        // The second operand is taken where there is a NaN.
        self.two(Action::Max, ty, a, zero)
    }

    /// The same, and at most `most`.
    fn bounded(&mut self, ty: LaneType, a: Id, most: f64) -> Id {
        let most = self.splat(if ty == F32 { Value::F32(most as f32) } else { Value::F64(most) });
        let positive = self.positive(ty, a);
        self.two(Action::Min, ty, positive, most)
    }

    fn unsigned_to_single(&mut self, a: Id) -> Id {
        if (self.table.convert)(U32, F32).is_some() {
            return self.converted(U32, F32, a, 0);
        }
        // Each half in the fraction of a float; the last addition is the only one that rounds.
        let (low, high) = (self.graph.four(0xffff), self.run(Action::ShiftRight, U32, &[a], Some(16)));
        let low = self.two(Action::And, U32, a, low);
        let [of_low, of_high, both] = [0x4b00_0000, 0x5300_0000, 0x5300_0080].map(|bits| self.graph.four(bits));
        let low = self.two(Action::Or, F32, low, of_low);
        let high = self.two(Action::Or, F32, high, of_high);
        let high = self.two(Action::Subtract, F32, high, both);
        self.two(Action::Add, F32, low, high)
    }

    fn single_to_unsigned(&mut self, a: Id) -> Id {
        let positive = self.positive(F32, a);
        if (self.table.convert)(F32, U32).is_some() {
            return self.converted(F32, U32, positive, 0);
        }
        let [half, end] = [2_147_483_648.0, 4_294_967_296.0].map(|v| self.splat(Value::F32(v)));
        // In the upper half the lower one is taken off, and its bit set.
        let is_high = self.comparison(F32, predicate::LESS_EQUAL, half, positive);
        let off = self.kept(F32, is_high, half);
        let rest = self.two(Action::Subtract, F32, positive, off);
        let cut = self.converted(F32, I32, rest, 0);
        let top = self.graph.four(1 << 31);
        let bit = self.kept(U32, is_high, top);
        let cut = self.two(Action::Or, U32, cut, bit);
        let beyond = self.comparison(F32, predicate::LESS_EQUAL, end, positive);
        let most = self.graph.four(u32::MAX);
        self.blend(U32, beyond, most, cut)
    }
}

/// A vector from each two.
fn pairs(parts: ValueParts<Id>, mut f: impl FnMut([Id; 2]) -> Id) -> ValueParts<Id> {
    parts.chunks_exact(2).map(|pair| f([pair[0], pair[1]])).collect()
}
