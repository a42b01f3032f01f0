//! Conversions between numbers.

use super::graph::{Fold, Id, Instruct, Masking};
use super::select::{Select, plain, predicate};
use iced_x86::Code;
use squeeze_compiler::ir::kernel::{LaneType, ValueId};

/// The result, or the source, is half a vector.
const TO_HALF: u8 = 1;
const FROM_HALF: u8 = 2;

impl Select<'_> {
    /// A number of each bit's weight.
    pub fn widen(&mut self, ty: LaneType, planes: &[ValueId]) -> Vec<Id> {
        let mut sum = None;
        for (plane, place) in planes.iter().zip(0..) {
            let (mask, weight) = (self.mask(*plane), self.graph.four(1 << place));
            sum = Some(match sum {
                None => self.kept_constant(mask, weight),
                Some(sum) => {
                    let or = plain(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, &[sum, sum, weight], Fold::Four);
                    self.push(Instruct { mask: Some((mask, Masking::Merge)), ..or })
                }
            });
        }
        let sum = sum.expect("verified: one plane at least");
        // At most 16 bits: the sign does not matter.
        self.cast(if ty == LaneType::U8 { ty } else { LaneType::I32 }, ty, vec![sum])
    }

    /// A constant where the mask is true, 0 elsewhere: as `c & c`, whose second operand may stand in memory.
    fn kept_constant(&mut self, mask: Id, constant: Id) -> Id {
        let and = plain(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &[constant, constant], Fold::Four);
        self.push(Instruct { mask: Some((mask, Masking::Zero)), ..and })
    }

    /// The lower and the upper half as one vector.
    pub fn joined(&mut self, [low, high]: [Id; 2]) -> Id {
        let join = plain(Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, &[low, high], Fold::No);
        self.push(Instruct { immediate: Some(1), halves: 4, ..join })
    }

    /// Each half of a vector in the lower half of another.
    fn split(&mut self, a: Id) -> [Id; 2] {
        let upper = plain(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, &[a], Fold::No);
        [a, self.push(Instruct { immediate: Some(1), halves: TO_HALF, ..upper })]
    }

    /// A conversion as the language defines it.
    pub fn cast(&mut self, from: LaneType, to: LaneType, parts: Vec<Id>) -> Vec<Id> {
        use LaneType::{Bits, F32, F64, I32, U8, U32};
        let a = parts[0];
        match (from, to) {
            (Bits, _) | (_, Bits) => unreachable!("verified: casts are between numbers"),
            (U8, U8 | I32 | U32) | (I32 | U32, I32 | U32) | (F32, F32) | (F64, F64) => parts,
            (I32 | U32, U8) => {
                let byte = self.graph.four(0xff);
                vec![self.and(a, byte)]
            }
            (U8 | I32, F32) => vec![self.one(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, Fold::Four, a)],
            (U32, F32) => vec![self.one(Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, Fold::Four, a)],
            (U8 | I32 | U32 | F32, F64) => {
                let code = match from {
                    F32 => Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae,
                    U32 => Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er,
                    _ => Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er,
                };
                let halves = self.split(a);
                halves
                    .map(|half| self.push(Instruct { halves: FROM_HALF, ..plain(code, &[half], Fold::Four) }))
                    .to_vec()
            }
            (F64, F32) => {
                let code = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
                let halves = [parts[0], parts[1]];
                let halves =
                    halves.map(|part| self.push(Instruct { halves: TO_HALF, ..plain(code, &[part], Fold::Eight) }));
                vec![self.joined(halves)]
            }
            (F32, I32) => {
                // Out of range the instruction gives −2^31, which is right below.
                let cut = self.one(Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, Fold::Four, a);
                let (beyond, most) = (self.graph.four(2_147_483_648f32.to_bits()), self.graph.four(i32::MAX as u32));
                let code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
                let above = self.comparison(code, Fold::Four, predicate::GREATER_EQUAL, a, beyond, None);
                let nan = self.comparison(code, Fold::Four, predicate::UNORDERED, a, a, None);
                let cut = self.blend(I32, above, most, cut);
                let number = self.not(nan);
                vec![self.kept(number, cut)]
            }
            (F32, U32 | U8) => {
                // Above the range the instruction gives the largest, which is right; below it too, which is not.
                let zero = self.graph.four(0);
                let code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
                let some = self.comparison(code, Fold::Four, predicate::GREATER, a, zero, None);
                let cut = plain(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, &[a], Fold::Four);
                let cut = self.push(Instruct { mask: Some((some, Masking::Zero)), ..cut });
                vec![self.at_most_byte(to, cut)]
            }
            (F64, U32 | U8) => {
                let zero = self.graph.eight(0);
                let halves = [parts[0], parts[1]].map(|part| {
                    let code = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
                    let some = self.comparison(code, Fold::Eight, predicate::GREATER, part, zero, None);
                    let cut = plain(Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae, &[part], Fold::Eight);
                    self.push(Instruct { halves: TO_HALF, mask: Some((some, Masking::Zero)), ..cut })
                });
                let joined = self.joined(halves);
                vec![self.at_most_byte(to, joined)]
            }
            (F64, I32) => {
                let most = self.graph.eight(f64::from(i32::MAX).to_bits());
                let halves = [parts[0], parts[1]].map(|part| {
                    let code = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
                    let nan = self.comparison(code, Fold::Eight, predicate::UNORDERED, part, part, None);
                    let number = self.not(nan);
                    // NaN is taken for the larger one, and replaced; so is what lies above.
                    let bounded = self.two(Code::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae, Fold::Eight, part, most);
                    let cut = plain(Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae, &[bounded], Fold::Eight);
                    self.push(Instruct { halves: TO_HALF, mask: Some((number, Masking::Zero)), ..cut })
                });
                vec![self.joined(halves)]
            }
        }
    }

    fn at_most_byte(&mut self, ty: LaneType, a: Id) -> Id {
        if ty != LaneType::U8 {
            return a;
        }
        let most = self.graph.four(0xff);
        self.exchangeable(Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, Fold::Four, a, most)
    }
}
