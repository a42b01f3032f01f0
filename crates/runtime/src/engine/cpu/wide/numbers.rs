//! Operations on numbers.

use super::graph::{Class, Fold, Id, Instruct, Masking, Node};
use super::select::{Select, plain, predicate};
use crate::engine::cpu::native::helpers::{self, Helper};
use iced_x86::Code;
use squeeze_compiler::ir::kernel::{LaneType, Op, ValueId};
use squeeze_compiler::ir::{BinaryOp, CompareOp, MathFn, UnaryOp, Value};
use squeeze_compiler::numerics::philox;

/// What an operation on numbers of a type can take from memory.
fn fold(ty: LaneType) -> Fold {
    if ty == LaneType::F64 { Fold::Eight } else { Fold::Four }
}

fn is_float(ty: LaneType) -> bool {
    matches!(ty, LaneType::F32 | LaneType::F64)
}

impl Select<'_> {
    /// An operation on numbers that gives a number.
    pub fn operation(&mut self, ty: LaneType, op: &Op) -> Vec<Id> {
        match op {
            Op::Widen(planes) => self.widen(ty, planes),
            Op::Cast(a) => {
                let (from, parts) = (self.ty(*a), self.parts(*a));
                self.cast(from, ty, parts)
            }
            Op::Unary(op, a) => {
                let parts = self.parts(*a);
                parts.into_iter().map(|part| self.unary(*op, ty, part)).collect()
            }
            Op::Binary(op, x, y) => self.binary(*op, ty, *x, *y),
            Op::Shift { left, value, count } => vec![self.shift(*left, ty, *value, *count)],
            Op::Select { condition, then, otherwise } => self.choice(ty, *condition, *then, *otherwise),
            Op::Math(function, a) => {
                let parts = self.parts(*a);
                self.math(*function, ty, parts)
            }
            Op::Pow(x, y) => {
                let (x, y) = (self.parts(*x), self.parts(*y));
                self.help(helpers::pow(ty), &[x, y])
            }
            Op::Count(terms) => {
                // As a kernel for execution holds none, this need not be fast.
                let mut count = self.graph.four(0);
                let one = self.graph.four(1);
                for term in terms {
                    let add = plain(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, &[count, count, one], Fold::Four);
                    let mask = self.mask(*term);
                    count = self.push(Instruct { mask: Some((mask, Masking::Merge)), ..add });
                }
                vec![count]
            }
            op => unreachable!("verified: {op:?} gives no number"),
        }
    }

    /// The low bytes of a u8's wider elements.
    fn wrap(&mut self, ty: LaneType, a: Id) -> Id {
        if ty != LaneType::U8 {
            return a;
        }
        let byte = self.graph.four(0xff);
        self.and(a, byte)
    }

    fn unary(&mut self, op: UnaryOp, ty: LaneType, a: Id) -> Id {
        use LaneType::{F32, F64, I32};
        match (op, ty) {
            (UnaryOp::Negate, F32) => {
                let sign = self.graph.four(1 << 31);
                self.exchangeable(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, Fold::Four, a, sign)
            }
            (UnaryOp::Negate, F64) => {
                let sign = self.graph.eight(1 << 63);
                self.exchangeable(Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, Fold::Eight, a, sign)
            }
            (UnaryOp::Abs, F32) => {
                let rest = self.graph.four(u32::MAX >> 1);
                self.and(a, rest)
            }
            (UnaryOp::Abs, F64) => {
                let rest = self.graph.eight(u64::MAX >> 1);
                self.exchangeable(Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, Fold::Eight, a, rest)
            }
            (UnaryOp::Abs, I32) => self.one(Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32, Fold::Four, a),
            (UnaryOp::Abs, _) => a,
            (UnaryOp::Negate, _) => {
                let zero = self.graph.four(0);
                let negated = self.two(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, Fold::Four, zero, a);
                self.wrap(ty, negated)
            }
            (UnaryOp::Not, _) => {
                let ones = self.graph.four(if ty == LaneType::U8 { 0xff } else { u32::MAX });
                self.exchangeable(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, Fold::Four, a, ones)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: LaneType, x: ValueId, y: ValueId) -> Vec<Id> {
        if op == BinaryOp::Add && is_float(ty) {
            for (sum, term) in [(x, y), (y, x)] {
                if let Some(parts) = self.add_some(ty, sum, term) {
                    return parts;
                }
            }
        }
        let (a, b) = (self.parts(x), self.parts(y));
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) && !is_float(ty) {
            return vec![self.divide(op == BinaryOp::Remainder, ty, a[0], b[0], self.constant(y))];
        }
        if op == BinaryOp::Remainder {
            return self.help(helpers::divide(true, ty), &[a, b]);
        }
        let pairs = a.into_iter().zip(b);
        pairs
            .map(|(a, b)| {
                let result = match self.direct(op, ty) {
                    (code, true) => self.exchangeable(code, fold(ty), a, b),
                    // Of minimum and maximum the instruction takes the second where it cannot decide; so does the language.
                    (code, false) if matches!(op, BinaryOp::Min | BinaryOp::Max) => self.two(code, fold(ty), b, a),
                    (code, false) => self.two(code, fold(ty), a, b),
                };
                self.wrap(ty, result)
            })
            .collect()
    }

    /// The instruction for an operation, and whether its operands may be exchanged.
    fn direct(&self, op: BinaryOp, ty: LaneType) -> (Code, bool) {
        use BinaryOp::{Add, And, Divide, Max, Min, Multiply, Or, Remainder, Subtract, Xor};
        use LaneType::{F32, F64, I32};
        match (op, ty) {
            (Add, F32) => (Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, true),
            (Add, F64) => (Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er, true),
            (Add, _) => (Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, true),
            (Subtract, F32) => (Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, false),
            (Subtract, F64) => (Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er, false),
            (Subtract, _) => (Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, false),
            (Multiply, F32) => (Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, true),
            (Multiply, F64) => (Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, true),
            (Multiply, _) => (Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, true),
            (Divide, F32) => (Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, false),
            (Divide, F64) => (Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, false),
            (Min, F32) => (Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, false),
            (Min, F64) => (Code::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae, false),
            (Max, F32) => (Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, false),
            (Max, F64) => (Code::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae, false),
            (Min, I32) => (Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, true),
            (Min, _) => (Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, true),
            (Max, I32) => (Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, true),
            (Max, _) => (Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, true),
            (And, _) => (Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, true),
            (Or, _) => (Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, true),
            (Xor, _) => (Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, true),
            (Divide | Remainder, _) => unreachable!("these are not one instruction"),
        }
    }

    /// `sum + (condition ? term : 0.0)` as an addition where the condition holds.
    fn add_some(&mut self, ty: LaneType, sum: ValueId, term: ValueId) -> Option<Vec<Id>> {
        let (condition, then) = self.floats.conditional(self.kernel, sum, term)?;
        let mask = self.mask(condition);
        let masks = if ty == LaneType::F64 { self.mask_halves(mask).to_vec() } else { vec![mask] };
        let (code, _) = self.direct(BinaryOp::Add, ty);
        let pairs = self.parts(sum).into_iter().zip(self.parts(then));
        let sums = pairs.zip(masks).map(|((sum, term), mask)| {
            let add = plain(code, &[sum, sum, term], fold(ty));
            self.push(Instruct { mask: Some((mask, Masking::Merge)), ..add })
        });
        Some(sums.collect())
    }

    /// Division of integers, or its remainder. Quotients of 32 bits, cut off, are exact in binary64.
    fn divide(&mut self, remainder: bool, ty: LaneType, a: Id, b: Id, divisor: Option<Value>) -> Id {
        let power = match divisor {
            Some(Value::U8(n)) if n.is_power_of_two() => Some(u32::from(n)),
            Some(Value::U32(n)) if n.is_power_of_two() => Some(n),
            Some(Value::I32(n)) if n > 0 && (n as u32).is_power_of_two() => Some(n as u32),
            _ => None,
        };
        if let Some(power) = power {
            return self.by_power_of_two(remainder, ty, a, power);
        }
        let wide = self.cast(ty, LaneType::F64, vec![a]).into_iter().zip(self.cast(ty, LaneType::F64, vec![b]));
        let wide: Vec<(Id, Id)> = wide.collect();
        let to_integer = if ty == LaneType::I32 {
            // The one quotient that does not fit is −2^31 by −1; it becomes −2^31.
            Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae
        } else {
            Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae
        };
        let halves: Vec<Id> = wide
            .into_iter()
            .map(|(a, b)| {
                let quotient = self.two(Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, Fold::Eight, a, b);
                self.push(Instruct { halves: 1, ..plain(to_integer, &[quotient], Fold::Eight) })
            })
            .collect();
        let quotient = self.joined([halves[0], halves[1]]);
        let result = if remainder {
            let product = self.exchangeable(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, Fold::Four, quotient, b);
            self.two(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, Fold::Four, a, product)
        } else {
            quotient
        };
        if divisor.is_some_and(|divisor| divisor.bits() != 0) {
            return result;
        }
        let code = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
        let exists = self.push(Instruct { class: Class::Mask, ..plain(code, &[b, b], Fold::No) });
        self.kept(exists, result)
    }

    /// Integer division or remainder by a power of two: what rules write to pick cells of a pattern.
    fn by_power_of_two(&mut self, remainder: bool, ty: LaneType, a: Id, divisor: u32) -> Id {
        let shift = divisor.ilog2() as u8;
        let low = self.graph.four(divisor - 1);
        if ty != LaneType::I32 {
            return if remainder {
                self.and(a, low)
            } else {
                self.shifted(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, a, shift)
            };
        }
        // Towards zero: negative numbers get divisor − 1 more.
        let sign = self.shifted(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, a, 31);
        let more = self.and(sign, low);
        let raised = self.exchangeable(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, Fold::Four, a, more);
        if !remainder {
            return self.shifted(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, raised, shift);
        }
        let high = self.graph.four(!(divisor - 1));
        let multiple = self.and(raised, high);
        self.two(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, Fold::Four, a, multiple)
    }

    fn shifted(&mut self, code: Code, a: Id, count: u8) -> Id {
        self.push(Instruct { immediate: Some(count), ..plain(code, &[a], Fold::Four) })
    }

    fn shift(&mut self, left: bool, ty: LaneType, value: ValueId, count: ValueId) -> Id {
        let a = self.single(value);
        let width = if ty == LaneType::U8 { 8 } else { 32 };
        let result = if let Some(constant) = self.constant(count) {
            // The low bits of two's complement decide.
            let count = (constant.bits() % width) as u8;
            let code = match (left, ty) {
                (true, _) => Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
                (false, LaneType::I32) => Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
                (false, _) => Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
            };
            self.shifted(code, a, count)
        } else {
            let low = self.graph.four(width as u32 - 1);
            let count = self.and(self.single(count), low);
            let code = match (left, ty) {
                (true, _) => Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
                (false, LaneType::I32) => Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
                (false, _) => Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
            };
            self.two(code, Fold::Four, a, count)
        };
        self.wrap(ty, result)
    }

    fn choice(&mut self, ty: LaneType, condition: ValueId, then: ValueId, otherwise: ValueId) -> Vec<Id> {
        let mask = self.mask(condition);
        let masks = if ty == LaneType::F64 { self.mask_halves(mask).to_vec() } else { vec![mask] };
        // −0.0 is not this zero.
        let is_zero = |value: Option<Value>| value.is_some_and(|value| value.bits() == 0);
        let (no_is_zero, yes_is_zero) = (is_zero(self.constant(otherwise)), is_zero(self.constant(then)));
        let pairs = self.parts(then).into_iter().zip(self.parts(otherwise));
        pairs
            .zip(masks)
            .map(|((then, otherwise), mask)| {
                if no_is_zero && ty != LaneType::F64 {
                    self.kept(mask, then)
                } else if yes_is_zero && ty != LaneType::F64 {
                    let not = self.not(mask);
                    self.kept(not, otherwise)
                } else {
                    self.blend(ty, mask, then, otherwise)
                }
            })
            .collect()
    }

    fn math(&mut self, function: MathFn, ty: LaneType, parts: Vec<Id>) -> Vec<Id> {
        let single = ty == LaneType::F32;
        let (code, immediate) = match function {
            MathFn::Sqrt if single => (Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, None),
            MathFn::Sqrt => (Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er, None),
            MathFn::Floor | MathFn::Ceil => {
                let code = if single {
                    Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae
                } else {
                    Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae
                };
                (code, Some(if function == MathFn::Floor { 9 } else { 10 }))
            }
            _ => return self.help(helpers::math(function, ty), &[parts]),
        };
        parts.into_iter().map(|part| self.push(Instruct { immediate, ..plain(code, &[part], fold(ty)) })).collect()
    }

    /// Lets a [helper](helpers) compute a group: one or two operands, each of as many vectors as the result.
    pub fn help(&mut self, helper: Helper, operands: &[Vec<Id>]) -> Vec<Id> {
        let parts = operands[0].len();
        let list: Vec<Id> = operands.concat();
        let mut arguments = [0; 4];
        arguments[..list.len()].copy_from_slice(&list);
        let node = Node::Call { address: helper.wide(), arguments, count: list.len() as u8, parts: parts as u8 };
        let call = self.graph.add(node);
        (0..parts as u8).map(|part| self.graph.add(Node::Result(call, part))).collect()
    }

    /// The mask of a comparison.
    pub fn compare(&mut self, op: CompareOp, x: ValueId, y: ValueId) -> Id {
        let ty = self.ty(x);
        let predicate = match (op, is_float(ty)) {
            (CompareOp::Equal, _) => predicate::EQUAL,
            (CompareOp::NotEqual, _) => predicate::NOT_EQUAL,
            (CompareOp::Less, _) => predicate::LESS,
            (CompareOp::LessEqual, _) => predicate::LESS_EQUAL,
            (CompareOp::Greater, true) => predicate::GREATER,
            (CompareOp::GreaterEqual, true) => predicate::GREATER_EQUAL,
            (CompareOp::Greater, false) => predicate::NOT_LESS_EQUAL,
            (CompareOp::GreaterEqual, false) => predicate::NOT_LESS,
        };
        let (a, b) = (self.parts(x), self.parts(y));
        let code = match ty {
            LaneType::F32 => Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
            LaneType::F64 => Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
            LaneType::I32 => Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
            _ => Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
        };
        let masks: Vec<Id> =
            a.into_iter().zip(b).map(|(a, b)| self.comparison(code, fold(ty), predicate, a, b, None)).collect();
        match *masks {
            [low, high] => self.joined_masks([low, high]),
            _ => masks[0],
        }
    }

    /// `word < ⌊probability · 2^32⌋`: always for probabilities ≥ 1, never for those ≤ 0 or NaN.
    pub fn chance(&mut self, word: ValueId, probability: ValueId) -> Id {
        let word = self.single(word);
        let unsigned = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
        if let Some(Value::F64(p)) = self.constant(probability) {
            return match u32::try_from(philox::threshold(p)) {
                Ok(threshold) => {
                    let threshold = self.graph.four(threshold);
                    self.comparison(unsigned, Fold::Four, predicate::LESS, word, threshold, None)
                }
                Err(_) => self.graph.add(Node::Mask(true)),
            };
        }
        // A binary32 that was widened says the same as it does itself.
        let narrow = match self.kernel.node(probability).op {
            Op::Cast(from) if self.ty(from) == LaneType::F32 => Some(self.single(from)),
            _ => None,
        };
        let (threshold, some, always) = if let Some(p) = narrow {
            let [zero, one, scale] = [0.0, 1.0, 4_294_967_296.0f32].map(|v| self.graph.four(v.to_bits()));
            let scaled = self.exchangeable(Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, Fold::Four, p, scale);
            let threshold = self.one(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, Fold::Four, scaled);
            let code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
            let some = self.comparison(code, Fold::Four, predicate::GREATER, p, zero, None);
            let always = self.comparison(code, Fold::Four, predicate::GREATER_EQUAL, p, one, None);
            (threshold, some, always)
        } else {
            let [zero, one, scale] = [0.0, 1.0, 4_294_967_296.0f64].map(|v| self.graph.eight(v.to_bits()));
            let parts = self.parts(probability);
            let code = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
            let part = |select: &mut Self, p: Id| {
                let scaled = select.exchangeable(Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, Fold::Eight, p, scale);
                let cut = plain(Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae, &[scaled], Fold::Eight);
                let threshold = select.push(Instruct { halves: 1, ..cut });
                let some = select.comparison(code, Fold::Eight, predicate::GREATER, p, zero, None);
                let always = select.comparison(code, Fold::Eight, predicate::GREATER_EQUAL, p, one, None);
                [threshold, some, always]
            };
            let (low, high) = (part(self, parts[0]), part(self, parts[1]));
            let threshold = self.joined([low[0], high[0]]);
            let some = self.joined_masks([low[1], high[1]]);
            (threshold, some, self.joined_masks([low[2], high[2]]))
        };
        let below = self.comparison(unsigned, Fold::Four, predicate::LESS, word, threshold, Some(some));
        self.logic(Code::VEX_Korw_kr_kr_kr, below, always)
    }
}
