//! Conversions between a group's numbers.

use super::group::{GroupBuilder, vector};
use crate::helpers;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use squeeze_compiler::kernel::{LaneType, ValueId};

impl GroupBuilder<'_, '_> {
    /// A number of each bit's weight.
    pub(super) fn widen(&mut self, ty: LaneType, planes: &[ValueId]) -> Vec<Value> {
        let integer = if ty.width() < 32 { ty } else { LaneType::U32 };
        let (vector_ty, count) = vector(integer);
        let mut sum: Vec<Value> = Vec::new();
        for (plane, place) in planes.iter().zip(0..) {
            let masks = self.masks(*plane, vector_ty.lane_bits());
            let weight = self.splat_bits(vector_ty, 1 << place);
            let digits: Vec<Value> = masks.into_iter().map(|mask| self.b.ins().band(mask, weight)).collect();
            sum = if sum.is_empty() { digits } else { self.zip(&sum, &digits, |b, x, y| b.ins().bor(x, y)) };
        }
        debug_assert_eq!(sum.len(), count);
        // At most 16 bits: the sign does not matter, and signed conversions are shorter.
        let integer = if integer == LaneType::U32 { LaneType::I32 } else { integer };
        self.cast(integer, ty, sum)
    }

    /// A conversion as the language defines it.
    pub(super) fn cast(&mut self, from: LaneType, to: LaneType, parts: Vec<Value>) -> Vec<Value> {
        use LaneType::{Bits, F32, F64, I32, I64, U8, U16, U32};
        let b = &mut *self.b;
        match (from, to) {
            (Bits, _) | (_, Bits) => unreachable!("verified: casts are between numbers"),
            (U8, U8 | U16) | (U16, U16) | (I32 | U32, I32 | U32) | (I64, I64) | (F32, F32) | (F64, F64) => parts,
            (U16, U8) => {
                let byte = self.splat_bits(types::I16X8, 0xff);
                vec![self.b.ins().band(parts[0], byte)]
            }
            (U8 | U16, I32 | U32) => vec![b.ins().uwiden_low(parts[0]), b.ins().uwiden_high(parts[0])],
            (U8 | U16, I64 | F32 | F64) => {
                let wide = self.cast(from, I32, parts);
                self.cast(I32, to, wide)
            }
            (I32 | U32, U8 | U16) => {
                let bits = self.splat_bits(types::I32X4, (1 << to.width()) - 1);
                let low = self.b.ins().band(parts[0], bits);
                let high = self.b.ins().band(parts[1], bits);
                vec![self.narrow(to, low, high)]
            }
            (I32 | U32, I64) => {
                let halves = self.halves(parts);
                let b = &mut *self.b;
                let wide = |half| if from == I32 { b.ins().swiden_low(half) } else { b.ins().uwiden_low(half) };
                halves.into_iter().map(wide).collect()
            }
            (I64, U8 | U16 | I32 | U32) => {
                let words = parts.chunks_exact(2).map(|pair| self.low_words(pair[0], pair[1])).collect();
                self.cast(U32, to, words)
            }
            (I64, F64) => self.help(helpers::long_to_double(), &[(from, parts)], to),
            (I64, F32) => {
                let rounded = self.help(helpers::long_to_single(), &[(from, parts)], F64);
                self.cast(F64, F32, rounded)
            }
            (F32, I64) => {
                let doubles = self.cast(F32, F64, parts);
                self.cast(F64, I64, doubles)
            }
            (I32, F32) => parts.into_iter().map(|part| b.ins().fcvt_from_sint(types::F32X4, part)).collect(),
            (U32, F32) => parts.into_iter().map(|part| b.ins().fcvt_from_uint(types::F32X4, part)).collect(),
            (I32 | U32, F64) => {
                let longs = self.cast(from, I64, parts);
                self.each(longs, |b, long| match from {
                    I32 => b.ins().fcvt_from_sint(types::F64X2, long),
                    _ => b.ins().fcvt_from_uint(types::F64X2, long),
                })
            }
            (F32, I32) => parts.into_iter().map(|part| b.ins().fcvt_to_sint_sat(types::I32X4, part)).collect(),
            (F32, U32) => parts.into_iter().map(|part| b.ins().fcvt_to_uint_sat(types::I32X4, part)).collect(),
            (F32, U8 | U16) => {
                let most = self.splat_bits(types::I32X4, (1 << to.width()) - 1);
                let mut small = |part: Value| {
                    let integer = self.b.ins().fcvt_to_uint_sat(types::I32X4, part);
                    self.b.ins().umin(integer, most)
                };
                let (low, high) = (small(parts[0]), small(parts[1]));
                vec![self.narrow(to, low, high)]
            }
            (F32, F64) => {
                let halves = self.halves(parts);
                self.each(halves, |b, half| b.ins().fvpromote_low(half))
            }
            (F64, F32) => {
                let halves: Vec<Value> = parts.into_iter().map(|part| self.b.ins().fvdemote(part)).collect();
                halves.chunks_exact(2).map(|pair| self.shuffled(pair[0], pair[1], &[0, 1, 4, 5])).collect()
            }
            (F64, U8 | U16 | I32 | U32 | I64) => self.help(helpers::truncate(to), &[(from, parts)], to),
        }
    }

    /// Elements of 32 bits as those of a u8 or u16, in which they fit.
    fn narrow(&mut self, to: LaneType, low: Value, high: Value) -> Value {
        if to == LaneType::U8 { self.b.ins().snarrow(low, high) } else { self.b.ins().unarrow(low, high) }
    }

    /// The lower halves of the elements of two vectors of 64 bits each.
    fn low_words(&mut self, low: Value, high: Value) -> Value {
        let words = self.shuffled(low, high, &[0, 2, 4, 6]);
        self.cast_bits(types::I32X4, words)
    }

    /// Each half of vectors as the lower half of one.
    fn halves(&mut self, parts: Vec<Value>) -> Vec<Value> {
        parts.into_iter().flat_map(|part| [part, self.shuffled(part, part, &[2, 3, 2, 3])]).collect()
    }

    /// Four of the eight words of two vectors, of their type.
    fn shuffled(&mut self, x: Value, y: Value, words: &[u8; 4]) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let (x, y) = (self.cast_bits(types::I8X16, x), self.cast_bits(types::I8X16, y));
        let bytes: Vec<u8> = words.iter().flat_map(|word| 4 * word..4 * word + 4).collect();
        let mask = self.b.func.dfg.immediates.push(bytes.into());
        let moved = self.b.ins().shuffle(x, y, mask);
        self.cast_bits(ty, moved)
    }
}
