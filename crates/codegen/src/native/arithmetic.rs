//! Operations on a group's numbers: by vector instructions where Cranelift has them, else by helpers.

use super::group::{GroupBuilder, vector};
use crate::helpers;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use squeeze_compiler::ir::Value as Constant;
use squeeze_compiler::ir::{BinaryOp, CompareOp, MathFn, UnaryOp};
use squeeze_compiler::kernel::{LaneType, Op, ValueId, condition, draw, input, logic, scalar_input};
use squeeze_compiler::numbers::table::ConstTable;

impl GroupBuilder<'_, '_> {
    /// An operation on numbers that gives a number.
    pub(super) fn operation(&mut self, ty: LaneType, op: &Op) -> Vec<Value> {
        match op {
            Op::Widen(planes) => self.widen(ty, planes),
            Op::Cast(a) => {
                let (from, parts) = (self.ty(*a), self.parts(*a));
                self.cast(from, ty, parts)
            }
            Op::Unary(op, a) => {
                let parts = self.parts(*a);
                self.unary(*op, ty, parts)
            }
            Op::Binary(op, x, y) => self.binary(*op, ty, *x, *y),
            Op::LookUp { table, index } => self.look_up(ty, table, *index),
            Op::AddWhere { condition, sum, term } => {
                let sums = self.parts(*sum);
                let terms = self.parts(*term);
                let added = self.zip(&sums, &terms, |b, sum, term| b.ins().fadd(sum, term));
                let (vector_ty, _) = vector(ty);
                let masks = self.masks(*condition, vector_ty.lane_bits());
                self.choose(vector_ty, &masks, &added, &sums)
            }
            Op::Canonical(a) => {
                let parts = self.parts(*a);
                parts.into_iter().map(|part| self.canonical(ty, part)).collect()
            }
            Op::Shift { left, value, count } => self.shift(*left, ty, *value, *count),
            Op::Select { condition, then, otherwise } => self.select(ty, *condition, *then, *otherwise),
            Op::Math(function, a) => {
                let parts = self.parts(*a);
                let direct: fn(&mut FunctionBuilder<'_>, Value) -> Value = match function {
                    MathFn::Sqrt => |b, v| b.ins().sqrt(v),
                    MathFn::Floor => |b, v| b.ins().floor(v),
                    MathFn::Ceil => |b, v| b.ins().ceil(v),
                    _ => return self.help(helpers::math(*function, ty), &[(ty, parts)], ty),
                };
                self.each(parts, direct)
            }
            Op::Math2(function, x, y) => {
                let operands = [(ty, self.parts(*x)), (ty, self.parts(*y))];
                self.help(helpers::math2(*function, ty), &operands, ty)
            }
            input!() | scalar_input!() | draw!() | Op::Count(_) | Op::Below { .. } => unreachable!("emitted elsewhere"),
            logic!() | condition!() | Op::Store { .. } => unreachable!("verified: these give no number"),
        }
    }

    pub(super) fn each(
        &mut self,
        parts: Vec<Value>,
        f: impl Fn(&mut FunctionBuilder<'_>, Value) -> Value,
    ) -> Vec<Value> {
        parts.into_iter().map(|part| f(self.b, part)).collect()
    }

    /// The low bytes of a u8's wider elements.
    fn wrap(&mut self, ty: LaneType, parts: Vec<Value>) -> Vec<Value> {
        if ty != LaneType::U8 {
            return parts;
        }
        let byte = self.splat_bits(types::I16X8, 0xff);
        self.each(parts, |b, part| b.ins().band(part, byte))
    }

    fn unary(&mut self, op: UnaryOp, ty: LaneType, parts: Vec<Value>) -> Vec<Value> {
        let parts = match op {
            UnaryOp::Negate if ty.is_float() => self.each(parts, |b, part| b.ins().fneg(part)),
            UnaryOp::Abs if ty.is_float() => self.each(parts, |b, part| b.ins().fabs(part)),
            UnaryOp::Abs if ty.is_signed() => self.each(parts, |b, part| b.ins().iabs(part)),
            UnaryOp::Negate => self.each(parts, |b, part| b.ins().ineg(part)),
            UnaryOp::Not => self.each(parts, |b, part| b.ins().bnot(part)),
            UnaryOp::Abs => return parts,
        };
        self.wrap(ty, parts)
    }

    fn binary(&mut self, op: BinaryOp, ty: LaneType, x: ValueId, y: ValueId) -> Vec<Value> {
        let (a, b) = (self.parts(x), self.parts(y));
        let (float, signed) = (ty.is_float(), ty.is_signed());
        let (vector_ty, _) = vector(ty);
        let direct: fn(&mut FunctionBuilder<'_>, Value, Value) -> Value = match op {
            BinaryOp::Add if float => |b, x, y| b.ins().fadd(x, y),
            BinaryOp::Subtract if float => |b, x, y| b.ins().fsub(x, y),
            BinaryOp::Multiply if float => |b, x, y| b.ins().fmul(x, y),
            BinaryOp::Divide if float => |b, x, y| b.ins().fdiv(x, y),
            BinaryOp::Add => |b, x, y| b.ins().iadd(x, y),
            BinaryOp::Subtract => |b, x, y| b.ins().isub(x, y),
            BinaryOp::Multiply => |b, x, y| b.ins().imul(x, y),
            BinaryOp::And => |b, x, y| b.ins().band(x, y),
            BinaryOp::Or => |b, x, y| b.ins().bor(x, y),
            BinaryOp::Xor => |b, x, y| b.ins().bxor(x, y),
            BinaryOp::Min if float => {
                // if y < x { y } else { x }
                let masks = self.zip(&b, &a, |b, y, x| b.ins().fcmp(FloatCC::LessThan, y, x));
                return self.choose(vector_ty, &masks, &b, &a);
            }
            BinaryOp::Max if float => {
                let masks = self.zip(&a, &b, |b, x, y| b.ins().fcmp(FloatCC::LessThan, x, y));
                return self.choose(vector_ty, &masks, &b, &a);
            }
            BinaryOp::Min | BinaryOp::Max if ty == LaneType::I64 => {
                let condition = if op == BinaryOp::Min { IntCC::SignedLessThan } else { IntCC::SignedGreaterThan };
                let masks = self.zip(&a, &b, |b, x, y| b.ins().icmp(condition, x, y));
                return self.choose(vector_ty, &masks, &a, &b);
            }
            BinaryOp::Min if signed => |b, x, y| b.ins().smin(x, y),
            BinaryOp::Max if signed => |b, x, y| b.ins().smax(x, y),
            BinaryOp::Min => |b, x, y| b.ins().umin(x, y),
            BinaryOp::Max => |b, x, y| b.ins().umax(x, y),
            BinaryOp::Divide | BinaryOp::Remainder => {
                let helper = helpers::divide(op == BinaryOp::Remainder, ty);
                return self.help(helper, &[(ty, a), (ty, b)], ty);
            }
        };
        let parts = self.zip(&a, &b, direct);
        self.wrap(ty, parts)
    }

    /// Values of a table, which the code keeps.
    fn look_up(&mut self, ty: LaneType, table: &ConstTable, index: ValueId) -> Vec<Value> {
        let (first, last) = (self.splat_bits(types::I32X4, 0), self.splat_bits(types::I32X4, table.last() as u64));
        let index = self.parts(index);
        let index = self.each(index, |b, index| {
            let index = b.ins().smax(index, first);
            b.ins().smin(index, last)
        });
        let (of_index, found) = match ty {
            LaneType::I64 | LaneType::F64 => (LaneType::I64, ty),
            LaneType::U8 | LaneType::U16 => (LaneType::I32, LaneType::U32),
            _ => (LaneType::I32, ty),
        };
        let index = self.cast(LaneType::I32, of_index, index);
        let address = self.splat_bits(types::I64X2, table.bytes().as_ptr() as u64);
        let operands = [(of_index, index), (LaneType::I64, vec![address; 4])];
        let values = self.help(helpers::look_up(ty), &operands, found);
        if found == ty { values } else { self.cast(found, ty, values) }
    }

    fn shift(&mut self, left: bool, ty: LaneType, value: ValueId, count: ValueId) -> Vec<Value> {
        let parts = self.parts(value);
        let Some(constant) = self.constant(count) else {
            let counts = self.parts(count);
            let counts = self.cast(self.ty(count), LaneType::U32, counts);
            return self.help(helpers::shift(left, ty), &[(ty, parts), (LaneType::U32, counts)], ty);
        };
        // The low bits of two's complement decide.
        let count = (constant.bits() % u64::from(ty.width())) as i64;
        let parts = match (left, ty) {
            (true, _) => self.each(parts, |b, part| b.ins().ishl_imm_u(part, count)),
            (false, LaneType::I32 | LaneType::I64) => self.each(parts, |b, part| b.ins().sshr_imm_u(part, count)),
            (false, _) => self.each(parts, |b, part| b.ins().ushr_imm_u(part, count)),
        };
        self.wrap(ty, parts)
    }

    /// `part << count`, without wrapping u8.
    pub(super) fn shift_left(&mut self, part: Value, count: i64) -> Value {
        if count == 0 { part } else { self.b.ins().ishl_imm_u(part, count) }
    }

    fn select(&mut self, ty: LaneType, condition: ValueId, then: ValueId, otherwise: ValueId) -> Vec<Value> {
        let (vector_ty, _) = vector(ty);
        let masks = self.masks(condition, vector_ty.lane_bits());
        let (yes, no) = (self.parts(then), self.parts(otherwise));
        // −0.0 is not this zero.
        let zero = |value: Option<Constant>| value.is_some_and(|value| value.bits() == 0);
        let (no_is_zero, yes_is_zero) = (zero(self.constant(otherwise)), zero(self.constant(then)));
        if no_is_zero || yes_is_zero {
            let kept = if no_is_zero { yes } else { no };
            return kept
                .into_iter()
                .zip(masks)
                .map(|(part, mask)| {
                    let mask = self.cast_bits(vector_ty, mask);
                    if no_is_zero { self.b.ins().band(part, mask) } else { self.b.ins().band_not(part, mask) }
                })
                .collect();
        }
        self.choose(vector_ty, &masks, &yes, &no)
    }

    fn choose(
        &mut self,
        ty: cranelift_codegen::ir::Type,
        masks: &[Value],
        then: &[Value],
        otherwise: &[Value],
    ) -> Vec<Value> {
        let choice = |group: &mut Self, part: usize| {
            let mask = group.cast_bits(ty, masks[part]);
            group.b.ins().bitselect(mask, then[part], otherwise[part])
        };
        (0..masks.len()).map(|part| choice(self, part)).collect()
    }

    /// The masks of a comparison.
    pub(super) fn compare(&mut self, op: CompareOp, x: ValueId, y: ValueId) -> Vec<Value> {
        let ty = self.ty(x);
        let (x, y) = (self.parts(x), self.parts(y));
        if ty.is_float() {
            let condition = match op {
                CompareOp::Equal => FloatCC::Equal,
                CompareOp::NotEqual => FloatCC::NotEqual,
                CompareOp::Less => FloatCC::LessThan,
                CompareOp::LessEqual => FloatCC::LessThanOrEqual,
                CompareOp::Greater => FloatCC::GreaterThan,
                CompareOp::GreaterEqual => FloatCC::GreaterThanOrEqual,
            };
            return self.zip(&x, &y, |b, x, y| b.ins().fcmp(condition, x, y));
        }
        let condition = match op {
            CompareOp::Equal => IntCC::Equal,
            CompareOp::NotEqual => IntCC::NotEqual,
            CompareOp::Less => IntCC::SignedLessThan,
            CompareOp::LessEqual => IntCC::SignedLessThanOrEqual,
            CompareOp::Greater => IntCC::SignedGreaterThan,
            CompareOp::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        };
        // The elements of u8 are wider than it, and not negative.
        let condition = if matches!(ty, LaneType::U16 | LaneType::U32) { condition.unsigned() } else { condition };
        self.zip(&x, &y, |b, x, y| b.ins().icmp(condition, x, y))
    }

    /// The masks of `word < ⌊probability · 2^32⌋`, as `word + 1 ≤ probability · 2^32`: both sides are exact, the left one is
    /// an integer from 1 to 2^32. So it holds always for probabilities ≥ 1, and never for those ≤ 0 or NaN. What lies between
    /// `word` and `word + 1` a helper decides.
    pub(super) fn chance(&mut self, word: ValueId, probability: ValueId) -> Vec<Value> {
        let place = self.random_place(word);
        let word = self.parts(word);
        let word = self.cast(LaneType::U32, LaneType::F64, word);
        let one = self.splat_bits(types::F64X2, 1f64.to_bits());
        let scale = self.splat_bits(types::F64X2, 4_294_967_296f64.to_bits());
        let probability = self.parts(probability);
        let above = self.each(word.clone(), |b, word| b.ins().fadd(word, one));
        let bound = self.each(probability.clone(), |b, probability| b.ins().fmul(probability, scale));
        let below = self.zip(&above, &bound, |b, above, bound| b.ins().fcmp(FloatCC::LessThanOrEqual, above, bound));
        let more = self.zip(&word, &bound, |b, word, bound| b.ins().fcmp(FloatCC::LessThan, word, bound));
        let between = self.zip(&below, &more, |b, below, more| b.ins().band_not(more, below));
        let all = between.into_iter().reduce(|a, part| self.b.ins().bor(a, part)).expect("a group has vectors");
        let any = self.b.ins().vany_true(all);
        let (decide, behind) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(decide);
        let masks: Vec<Value> = below.iter().map(|_| self.b.append_block_param(behind, types::I64X2)).collect();
        let arguments: Vec<BlockArg> = below.iter().map(|mask| (*mask).into()).collect();
        self.b.ins().brif(any, decide, &[], behind, &arguments);
        self.b.switch_to_block(decide);
        let pointer = self.inputs.pointer;
        let [p, _, out] = self.slots.map(|slot| self.b.ins().stack_addr(pointer, slot, 0));
        self.store_at(LaneType::F64, &probability, p, 0);
        self.store_at(LaneType::I64, &below, out, 0);
        let call = self.inputs.call;
        self.call(helpers::chance_of_group(), &[p, out, call, place]);
        let decided: Vec<BlockArg> = self.load_at(LaneType::I64, out, 0).into_iter().map(Into::into).collect();
        self.b.ins().jump(behind, &decided);
        self.b.switch_to_block(behind);
        masks
    }
}
