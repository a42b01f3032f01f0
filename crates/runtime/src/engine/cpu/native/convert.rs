//! Conversions between a group's numbers.

use super::group::{Group, vector};
use crate::engine::cpu::helpers;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use squeeze_compiler::ir::kernel::{LaneType, ValueId};

impl Group<'_, '_> {
    /// A number of each bit's weight.
    pub fn widen(&mut self, ty: LaneType, planes: &[ValueId]) -> Vec<Value> {
        let integer = if ty == LaneType::U8 { LaneType::U8 } else { LaneType::U32 };
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
    pub fn cast(&mut self, from: LaneType, to: LaneType, parts: Vec<Value>) -> Vec<Value> {
        use LaneType::{Bits, F32, F64, I32, U8, U32};
        let b = &mut *self.b;
        match (from, to) {
            (Bits, _) | (_, Bits) => unreachable!("verified: casts are between numbers"),
            (U8, U8) | (I32 | U32, I32 | U32) | (F32, F32) | (F64, F64) => parts,
            (U8, I32 | U32) => vec![b.ins().uwiden_low(parts[0]), b.ins().uwiden_high(parts[0])],
            (U8, F32 | F64) => {
                let wide = self.cast(U8, I32, parts);
                self.cast(I32, to, wide)
            }
            (I32 | U32, U8) => {
                let byte = self.splat_bits(types::I32X4, 0xff);
                let low = self.b.ins().band(parts[0], byte);
                let high = self.b.ins().band(parts[1], byte);
                vec![self.b.ins().snarrow(low, high)]
            }
            (I32, F32) => parts.into_iter().map(|part| b.ins().fcvt_from_sint(types::F32X4, part)).collect(),
            (U32, F32) => parts.into_iter().map(|part| b.ins().fcvt_from_uint(types::F32X4, part)).collect(),
            (I32 | U32, F64) => {
                let mut doubles = Vec::with_capacity(4);
                for part in parts {
                    for half in [part, self.high_half(part)] {
                        doubles.push(if from == I32 {
                            let wide = self.b.ins().swiden_low(half);
                            self.b.ins().fcvt_from_sint(types::F64X2, wide)
                        } else {
                            let wide = self.b.ins().uwiden_low(half);
                            self.b.ins().fcvt_from_uint(types::F64X2, wide)
                        });
                    }
                }
                doubles
            }
            (F32, I32) => parts.into_iter().map(|part| b.ins().fcvt_to_sint_sat(types::I32X4, part)).collect(),
            (F32, U32) => parts.into_iter().map(|part| b.ins().fcvt_to_uint_sat(types::I32X4, part)).collect(),
            (F32, U8) => {
                let most = self.splat_bits(types::I32X4, 0xff);
                let mut byte = |part: Value| {
                    let integer = self.b.ins().fcvt_to_uint_sat(types::I32X4, part);
                    self.b.ins().umin(integer, most)
                };
                let (low, high) = (byte(parts[0]), byte(parts[1]));
                vec![self.b.ins().snarrow(low, high)]
            }
            (F32, F64) => {
                let mut doubles = Vec::with_capacity(4);
                for part in parts {
                    for half in [part, self.high_half(part)] {
                        doubles.push(self.b.ins().fvpromote_low(half));
                    }
                }
                doubles
            }
            (F64, F32) => {
                let halves: Vec<Value> = parts.into_iter().map(|part| self.b.ins().fvdemote(part)).collect();
                halves.chunks_exact(2).map(|pair| self.low_halves(pair[0], pair[1])).collect()
            }
            (F64, U8 | I32 | U32) => self.help_one(helpers::truncate(to), from, parts, to),
        }
    }

    /// The upper 64 bits, moved down.
    fn high_half(&mut self, part: Value) -> Value {
        self.move_halves(part, part, [1, 1])
    }

    /// The lower 64 bits of both.
    fn low_halves(&mut self, low: Value, high: Value) -> Value {
        self.move_halves(low, high, [0, 2])
    }

    /// Two of the four halves of two vectors.
    fn move_halves(&mut self, x: Value, y: Value, halves: [u8; 2]) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let (x, y) = (self.cast_bits(types::I8X16, x), self.cast_bits(types::I8X16, y));
        let bytes: Vec<u8> = halves.iter().flat_map(|half| 8 * half..8 * half + 8).collect();
        let mask = self.b.func.dfg.immediates.push(bytes.into());
        let moved = self.b.ins().shuffle(x, y, mask);
        self.cast_bits(ty, moved)
    }
}
