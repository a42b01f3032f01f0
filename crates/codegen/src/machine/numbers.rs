//! Operations on numbers, of the actions that an instruction set has.

use super::assembly_error::AssemblyError;
use super::graph::{GraphNode, Id, Instruct, LoadForm, MOST_ARGUMENTS, Masking, RegisterClass};
use super::isa::{Action, predicate};
use super::logic::Literal;
use super::select::{Select, ValueParts};
use crate::helpers::{self, GroupFunction};
use squeeze_compiler::ir::{BinaryOp, CompareOp, MathFn, UnaryOp, Value};
use squeeze_compiler::kernel::{LaneType, Op, ValueId, condition, draw, input, logic, scalar_input};
use squeeze_compiler::numbers::philox::{planes, threshold};
use squeeze_compiler::numbers::table::ConstTable;
use squeeze_compiler::numbers::value::{QUIET_NAN_F32, QUIET_NAN_F64};

/// How [`Action::Round`] rounds: without exceptions, down, up, or towards zero.
const DOWN: u8 = 9;
const UP: u8 = 10;
pub(crate) const TOWARDS_ZERO: u8 = 11;

impl Select<'_> {
    /// An operation on numbers that gives a number.
    pub(super) fn operation(&mut self, ty: LaneType, op: &Op) -> ValueParts<Id> {
        match op {
            Op::Widen(planes) => self.widen(ty, planes),
            Op::Cast(a) => self.cast(self.ty(*a), ty, self.parts(*a)),
            Op::Unary(op, a) => self.parts(*a).map(|part| self.unary(*op, ty, part)),
            Op::Binary(op, x, y) => self.binary(*op, ty, *x, *y),
            Op::LookUp { table, index } => self.look_up(ty, table, *index),
            Op::AddWhere { condition, sum, term } => self.add_where(ty, *condition, *sum, *term),
            Op::Canonical(a) => self.parts(*a).map(|part| self.canonical(ty, part)),
            Op::Shift { left, value, count } => self.shift(*left, ty, *value, *count),
            Op::Select { condition, then, otherwise } => self.choice(ty, *condition, *then, *otherwise),
            Op::Math(function, a) => {
                let parts = self.parts(*a);
                let (action, immediate) = match function {
                    MathFn::Sqrt => (Action::SquareRoot, None),
                    MathFn::Floor => (Action::Round, Some(DOWN)),
                    MathFn::Ceil => (Action::Round, Some(UP)),
                    MathFn::Round => return parts.map(|part| self.round(ty, part)),
                    MathFn::Exp
                    | MathFn::Log
                    | MathFn::Log2
                    | MathFn::Sin
                    | MathFn::Cos
                    | MathFn::Tan
                    | MathFn::Tanh
                    | MathFn::Asin
                    | MathFn::Acos
                    | MathFn::Atan => {
                        return self.function(*function, ty, parts);
                    }
                };
                parts.map(|part| self.run(action, ty, &[part], immediate))
            }
            Op::Math2(function, x, y) => self.function2(*function, ty, self.parts(*x), self.parts(*y)),
            Op::Count(terms) => {
                // As a kernel for execution holds none, this need not be fast.
                let (zero, one) = (self.graph.four(0), self.graph.four(1));
                let mut count = self.same(ty, |_| zero);
                for term in terms {
                    let pairs = count.into_iter().zip(self.masks(*term)).collect::<Vec<_>>();
                    let more = |(count, mask): (Id, Literal)| {
                        let one = self.kept(ty, mask, one);
                        self.two(Action::Add, ty, count, one)
                    };
                    count = pairs.into_iter().map(more).collect();
                }
                count
            }
            input!() | scalar_input!() | draw!() | Op::Below { .. } => unreachable!("selected elsewhere"),
            logic!() | condition!() | Op::Store { .. } => unreachable!("verified: these give no number"),
        }
    }

    /// The nearest integer, halves away from zero: the largest number below a half is added, and the fraction cut off.
    fn round(&mut self, ty: LaneType, a: Id) -> Id {
        let (sign, half) = match ty {
            LaneType::F32 => (Value::F32(-0.0), Value::F32(0.5f32.next_down())),
            _ => (Value::F64(-0.0), Value::F64(0.5f64.next_down())),
        };
        let (sign, half) = (self.splat(sign), self.splat(half));
        let sign = self.two(Action::And, ty, a, sign);
        let half = self.two(Action::Or, ty, half, sign);
        let beyond = self.two(Action::Add, ty, a, half);
        self.run(Action::Round, ty, &[beyond], Some(TOWARDS_ZERO))
    }

    /// The low bits of elements that are wider than their type.
    fn wrap(&mut self, ty: LaneType, a: Id) -> Id {
        if ty.width() >= 32 {
            return a;
        }
        let low = self.graph.four((1 << ty.width()) - 1);
        self.two(Action::And, ty, a, low)
    }

    /// The one quiet NaN for every NaN.
    fn canonical(&mut self, ty: LaneType, a: Id) -> Id {
        let quiet = match ty {
            LaneType::F32 => self.graph.four(QUIET_NAN_F32),
            LaneType::F64 => self.graph.eight(QUIET_NAN_F64),
            _ => return a,
        };
        let nan = self.comparison(ty, predicate::UNORDERED, a, a);
        self.blend(ty, nan, quiet, a)
    }

    fn unary(&mut self, op: UnaryOp, ty: LaneType, a: Id) -> Id {
        use LaneType::{F32, F64, I32, I64};
        match (op, ty) {
            (UnaryOp::Negate, F32 | F64) => {
                let sign = self.splat(if ty == F32 { Value::F32(-0.0) } else { Value::F64(-0.0) });
                self.two(Action::Xor, ty, a, sign)
            }
            (UnaryOp::Abs, F32 | F64) => {
                let rest = if ty == F32 { self.graph.four(u32::MAX >> 1) } else { self.graph.eight(u64::MAX >> 1) };
                self.two(Action::And, ty, a, rest)
            }
            (UnaryOp::Abs, I32 | I64) => {
                if let Some(absolute) = self.instruct(Action::Absolute, ty, &[a]) {
                    return self.push(absolute);
                }
                let zero = self.splat(Value::zero(ty.scalar()));
                let (negative, negated) = (self.less(ty, a, zero), self.two(Action::Subtract, ty, zero, a));
                self.blend(ty, negative, negated, a)
            }
            (UnaryOp::Abs, _) => a,
            (UnaryOp::Negate, _) => {
                let zero = self.splat(Value::zero(ty.scalar()));
                let negated = self.two(Action::Subtract, ty, zero, a);
                self.wrap(ty, negated)
            }
            (UnaryOp::Not, _) => {
                let ones = self.splat(Value::whole(ty.scalar(), -1));
                self.two(Action::Xor, ty, a, ones)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: LaneType, x: ValueId, y: ValueId) -> ValueParts<Id> {
        let (a, b) = (self.parts(x), self.parts(y));
        let action = match op {
            BinaryOp::Add => Action::Add,
            BinaryOp::Subtract => Action::Subtract,
            BinaryOp::Multiply => Action::Multiply,
            BinaryOp::Divide if ty.is_float() => Action::Divide,
            BinaryOp::Remainder if ty.is_float() => return self.help(helpers::divide(true, ty), &[a, b]),
            BinaryOp::Divide | BinaryOp::Remainder if ty == LaneType::I64 => {
                return self.help(helpers::divide(op == BinaryOp::Remainder, ty), &[a, b]);
            }
            BinaryOp::Divide | BinaryOp::Remainder => {
                let divisor = self.constant(y);
                return zip(a, b, |a, b| self.divide(op == BinaryOp::Remainder, ty, a, b, divisor));
            }
            BinaryOp::And => Action::And,
            BinaryOp::Or => Action::Or,
            BinaryOp::Xor => Action::Xor,
            BinaryOp::Min => Action::Min,
            BinaryOp::Max => Action::Max,
        };
        // Of minimum and maximum the instruction takes the second where it cannot decide, the language the first.
        let (a, b) = if matches!(op, BinaryOp::Min | BinaryOp::Max) { (b, a) } else { (a, b) };
        if ty == LaneType::I64 && (self.table.action)(action, ty).is_none() {
            return zip(a, b, |a, b| match op {
                BinaryOp::Multiply => self.long_product(a, b),
                // The operands are exchanged.
                _ => {
                    let [low, high] = if op == BinaryOp::Min { [a, b] } else { [b, a] };
                    let takes_a = self.less(ty, low, high);
                    self.blend(ty, takes_a, a, b)
                }
            });
        }
        zip(a, b, |a, b| {
            let result = self.two(action, ty, a, b);
            self.wrap(ty, result)
        })
    }

    /// The lower half of a product of 64 bits, of products of halves: that of the upper ones is too large to count.
    fn long_product(&mut self, a: Id, b: Id) -> Id {
        let ty = LaneType::I64;
        let [a_high, b_high] = [a, b].map(|v| self.shifted(Action::ShiftRightLong, ty, v, 32));
        let crossed = [(a, b_high), (b, a_high)].map(|(a, b)| self.two(Action::MultiplyHalves, ty, a, b));
        let crossed = self.two(Action::Add, ty, crossed[0], crossed[1]);
        let high = self.shifted(Action::ShiftLeft, ty, crossed, 32);
        let low = self.two(Action::MultiplyHalves, ty, a, b);
        self.two(Action::Add, ty, low, high)
    }

    /// `sum + term` where the mask holds, else `sum`. Without mask registers the term is 0.0 there, which changes only −0.0, and only flushed sums are −0.0.
    fn add_where(&mut self, ty: LaneType, condition: ValueId, sum: ValueId, term: ValueId) -> ValueParts<Id> {
        let masks = self.masks_for(ty, self.masks(condition));
        let pairs = self.parts(sum).into_iter().zip(self.parts(term)).zip(masks);
        let add = |((sum, term), mask)| {
            if self.table.has_masks {
                return self.merged(Action::Add, ty, mask, sum, term);
            }
            let term = if self.kernel.flush {
                // Adding −0.0 changes nothing at all.
                let nothing = self.splat(if ty == LaneType::F32 { Value::F32(-0.0) } else { Value::F64(-0.0) });
                self.blend(ty, mask, term, nothing)
            } else {
                self.kept(ty, mask, term)
            };
            self.two(Action::Add, ty, sum, term)
        };
        pairs.map(add).collect()
    }

    /// `mask ? a op b : a`, with mask registers.
    pub(super) fn merged(&mut self, action: Action, ty: LaneType, mask: Literal, a: Id, b: Id) -> Id {
        let mask = self.graph.positive(mask);
        let instruct = self.instruct(action, ty, &[a, b]).expect("sums are one instruction");
        let merged = Instruct::new(instruct.code, RegisterClass::Vector, &[a, a, b]);
        let mask = Some((mask, Masking::Merge));
        self.push(Instruct { mask, overwrites: true, fold: instruct.fold, ..merged })
    }

    /// Division of integers, or its remainder. Quotients of 32 bits, cut off, are exact in binary64.
    fn divide(&mut self, remainder: bool, ty: LaneType, a: Id, b: Id, divisor: Option<Value>) -> Id {
        let (x, y) = (self.doubles(ty, a), self.doubles(ty, b));
        let quotients = [0, 1].map(|half| self.two(Action::Divide, LaneType::F64, x[half], y[half]));
        // Of I32 the one quotient that does not fit is −2^31 by −1; it becomes −2^31.
        let quotient = self.cut_off(ty, quotients);
        let result = if remainder {
            let product = self.two(Action::Multiply, ty, quotient, b);
            self.two(Action::Subtract, ty, a, product)
        } else {
            quotient
        };
        if divisor.is_some_and(|divisor| divisor.bits() != 0) {
            return result;
        }
        let zero = self.graph.four(0);
        let exists = self.different(ty, b, zero);
        self.kept(ty, exists, result)
    }

    fn shifted(&mut self, action: Action, ty: LaneType, a: Id, count: u8) -> Id {
        if let Some(shift) = self.instruct(action, ty, &[a]) {
            return self.push(Instruct { immediate: Some(count), ..shift });
        }
        // With zeros from above; where the sign has come to, it is spread upwards.
        let sign = self.graph.eight(1 << (63 - count));
        let shifted = self.run(Action::ShiftRightLong, ty, &[a], Some(count));
        let flipped = self.two(Action::Xor, ty, shifted, sign);
        self.two(Action::Subtract, ty, flipped, sign)
    }

    fn shift(&mut self, left: bool, ty: LaneType, value: ValueId, count: ValueId) -> ValueParts<Id> {
        let width = u64::from(ty.width());
        let (by, by_each) =
            if left { (Action::ShiftLeft, Action::ShiftLeftBy) } else { (Action::ShiftRight, Action::ShiftRightBy) };
        let constant = self.constant(count);
        let counts = match constant {
            Some(_) => self.parts(value),
            // As many vectors as the value has.
            None if ty == LaneType::I64 => self.cast(self.ty(count), ty, self.parts(count)),
            None => self.cast(self.ty(count), LaneType::U32, self.parts(count)),
        };
        zip(self.parts(value), counts, |a, count| {
            let result = if let Some(constant) = constant {
                // The low bits of two's complement decide.
                self.shifted(by, ty, a, (constant.bits() % width) as u8)
            } else if (self.table.action)(by_each, ty).is_some() {
                // Of the type of counts: those of a u8 are not wrapped.
                let of_count = if ty == LaneType::I64 { ty } else { LaneType::U32 };
                let low = self.splat(Value::whole(of_count.scalar(), i128::from(width) - 1));
                let count = self.two(Action::And, ty, count, low);
                self.two(by_each, ty, a, count)
            } else {
                // By each bit of the count in turn.
                (0..width.ilog2()).fold(a, |a, bit| {
                    let (moves, moved) = (
                        self.test(if ty == LaneType::I64 { ty } else { LaneType::U32 }, count, bit),
                        self.shifted(by, ty, a, 1 << bit),
                    );
                    self.blend(ty, moves, moved, a)
                })
            };
            self.wrap(ty, result)
        })
    }

    fn choice(&mut self, ty: LaneType, condition: ValueId, then: ValueId, otherwise: ValueId) -> ValueParts<Id> {
        let masks = self.masks_for(ty, self.masks(condition));
        self.chosen(ty, masks, self.parts(then), self.parts(otherwise))
    }

    /// `mask ? then : otherwise`, of which one may be zero; −0.0 is not this zero.
    pub(super) fn chosen(
        &mut self,
        ty: LaneType,
        masks: ValueParts<Literal>,
        then: ValueParts<Id>,
        otherwise: ValueParts<Id>,
    ) -> ValueParts<Id> {
        let pairs = then.into_iter().zip(otherwise).zip(masks);
        let choice = |((then, otherwise), mask): ((Id, Id), Literal)| {
            if self.graph.is_zero(otherwise) {
                self.kept(ty, mask, then)
            } else if self.graph.is_zero(then) {
                self.kept(ty, !mask, otherwise)
            } else {
                self.blend(ty, mask, then, otherwise)
            }
        };
        pairs.map(choice).collect()
    }

    /// `mask ? a : 0`
    pub(super) fn kept(&mut self, ty: LaneType, mask: Literal, a: Id) -> Id {
        if !self.table.has_masks {
            let action = if mask.is_negated() { Action::NotAnd } else { Action::And };
            return self.two(action, ty, mask.node(), a);
        }
        let mask = Some((self.graph.positive(mask), Masking::Zero));
        // A constant `c` as `c & c`, whose second operand may stand in memory.
        let is_spread = matches!(self.graph.nodes[a as usize], GraphNode::Load(LoadForm::Four | LoadForm::Eight, _));
        let keep =
            if is_spread { self.instruct(Action::And, ty, &[a, a]) } else { self.instruct(Action::Keep, ty, &[a]) };
        self.push(Instruct { mask, ..keep.expect("there are masks") })
    }

    /// `mask ? then : otherwise` of vectors.
    pub(crate) fn blend(&mut self, ty: LaneType, mask: Literal, then: Id, otherwise: Id) -> Id {
        let [then, otherwise] = if mask.is_negated() { [otherwise, then] } else { [then, otherwise] };
        let mask = mask.node();
        if let Some(choose) = self.instruct(Action::Choose, ty, &[otherwise, then]) {
            return self.push(Instruct { mask: Some((mask, Masking::Choose)), ..choose });
        }
        let (then, otherwise) = (self.two(Action::And, ty, mask, then), self.two(Action::NotAnd, ty, mask, otherwise));
        self.two(Action::Or, ty, then, otherwise)
    }

    /// Values of a table, which the code keeps.
    fn look_up(&mut self, ty: LaneType, table: &ConstTable, index: ValueId) -> ValueParts<Id> {
        let (first, last) = (self.splat(Value::I32(0)), self.splat(Value::I32(table.last())));
        let index = self.parts(index).map(|index| {
            let index = self.two(Action::Max, LaneType::I32, index, first);
            self.two(Action::Min, LaneType::I32, index, last)
        });
        let index = if ty.width() == 64 { self.cast(LaneType::I32, LaneType::I64, index) } else { index };
        let address = self.graph.eight(table.bytes().as_ptr() as u64);
        self.help(helpers::look_up(ty), &[index, index.map(|_| address)])
    }

    /// Lets a [helper](helpers) compute a group: one or two operands, each of as many vectors as the result.
    pub(super) fn help(&mut self, helper: GroupFunction, operands: &[ValueParts<Id>]) -> ValueParts<Id> {
        let parts = operands[0].len() as u8;
        let list: Vec<Id> = operands.iter().flat_map(|operand| operand.iter().copied()).collect();
        let mut arguments = [0; MOST_ARGUMENTS];
        arguments[..list.len()].copy_from_slice(&list);
        let address = (self.table.helper)(helper);
        let call = self.graph.add(GraphNode::Call { address, arguments, count: list.len() as u8, parts });
        (0..parts).map(|part| self.graph.add(GraphNode::Result(call, part))).collect()
    }

    /// The mask of a comparison by a predicate that an instruction has.
    pub(super) fn comparison(&mut self, ty: LaneType, predicate: u8, a: Id, b: Id) -> Literal {
        Literal::of(self.run(Action::Compare, ty, &[a, b], Some(predicate)))
    }

    /// `a = b` of integers.
    fn equal(&mut self, ty: LaneType, a: Id, b: Id) -> Literal {
        let ty = if ty == LaneType::I64 { ty } else { LaneType::U32 };
        if self.table.has_masks {
            return self.comparison(ty, predicate::EQUAL, a, b);
        }
        Literal::of(self.two(Action::Equal, ty, a, b))
    }

    /// `a ≠ b` of integers.
    fn different(&mut self, ty: LaneType, a: Id, b: Id) -> Literal {
        if self.table.has_masks {
            let ty = if ty == LaneType::I64 { ty } else { LaneType::U32 };
            return self.comparison(ty, predicate::NOT_EQUAL, a, b);
        }
        !self.equal(ty, a, b)
    }

    /// `a < b`
    fn less(&mut self, ty: LaneType, a: Id, b: Id) -> Literal {
        if ty.is_float() || self.table.has_masks {
            return self.comparison(ty, predicate::LESS, a, b);
        }
        let [a, b] = if ty == LaneType::U32 {
            // As signed numbers, in the same order.
            let sign = self.graph.four(1 << 31);
            [a, b].map(|v| self.two(Action::Xor, ty, v, sign))
        } else {
            [a, b]
        };
        match self.instruct(Action::Greater, ty, &[b, a]) {
            Some(greater) => Literal::of(self.push(greater)),
            None => Literal::of(self.less_by_subtraction(a, b)),
        }
    }

    /// `a < b` of I64, as ones: a is negative and b not, or their difference is negative and their signs are one.
    fn less_by_subtraction(&mut self, a: Id, b: Id) -> Id {
        let ty = LaneType::I64;
        let below = self.two(Action::NotAnd, ty, b, a);
        let (differ, difference) = (self.two(Action::Xor, ty, a, b), self.two(Action::Subtract, ty, a, b));
        let with_one_sign = self.two(Action::NotAnd, ty, differ, difference);
        let sign = self.two(Action::Or, ty, below, with_one_sign);
        let bit = self.shifted(Action::ShiftRightLong, ty, sign, 63);
        let zero = self.splat(Value::I64(0));
        self.two(Action::Subtract, ty, zero, bit)
    }

    /// `a ≤ b`
    fn less_equal(&mut self, ty: LaneType, a: Id, b: Id) -> Literal {
        if ty.is_float() || self.table.has_masks {
            return self.comparison(ty, predicate::LESS_EQUAL, a, b);
        }
        !self.less(ty, b, a)
    }

    /// The masks of a comparison.
    pub(super) fn compare(&mut self, op: CompareOp, x: ValueId, y: ValueId) -> ValueParts<Literal> {
        let ty = self.ty(x);
        let masks = zip(self.parts(x), self.parts(y), |a, b| match op {
            CompareOp::Equal if ty.is_float() => self.comparison(ty, predicate::EQUAL, a, b),
            CompareOp::NotEqual if ty.is_float() => self.comparison(ty, predicate::NOT_EQUAL, a, b),
            CompareOp::Equal => self.equal(ty, a, b),
            CompareOp::NotEqual => self.different(ty, a, b),
            CompareOp::Less => self.less(ty, a, b),
            CompareOp::LessEqual => self.less_equal(ty, a, b),
            CompareOp::Greater => self.less(ty, b, a),
            CompareOp::GreaterEqual => self.less_equal(ty, b, a),
        });
        self.masks_of(ty, masks)
    }

    /// `word < ⌊probability · 2^32⌋`: always for probabilities ≥ 1, never for those ≤ 0 or NaN. Equal words are [rescued](GraphNode::Rescue).
    pub(super) fn chance(&mut self, word: ValueId, probability: ValueId) -> Result<ValueParts<Literal>, AssemblyError> {
        use LaneType::{F32, F64, U32};
        let (place, words) = (self.random_column(word)?, self.parts(word));
        // A binary32 that was widened says the same as it does itself.
        let (ty, p) = match self.kernel.node(probability).op {
            Op::Cast(from) if self.ty(from) == F32 => (F32, self.parts(from)),
            _ => (F64, self.parts(probability)),
        };
        let number = |v: f32| if ty == F32 { Value::F32(v) } else { Value::F64(f64::from(v)) };
        let (thresholds, always) = match self.constant(probability) {
            Some(Value::F64(p)) if planes(p) > 0 => {
                (self.same(U32, |select| select.splat(Value::U32(threshold(p) as u32))), None)
            }
            _ => {
                let (one, scale) = (self.splat(number(1.0)), self.splat(number(4_294_967_296.0)));
                let scaled = p.map(|p| self.two(Action::Multiply, ty, p, scale));
                let always = p.map(|p| self.less_equal(ty, one, p));
                (self.cast(ty, U32, scaled), Some(self.masks_of(ty, always)))
            }
        };
        let (address, width) = (helpers::chance(ty, self.table.vector), self.table.width());
        let happens = (0..words.len()).map(|part| {
            let (equal, never) = (self.equal(U32, words[part], thresholds[part]), self.splat(Value::U32(0)));
            let [x, y] = if ty == F32 { [p[part]; 2] } else { [p[2 * part], p[2 * part + 1]] };
            let (operands, negated) = ([equal.node(), never, x, y], equal.is_negated());
            let place = place + (part * width) as u32;
            let decided = self.graph.add(GraphNode::Rescue { address, operands, negated, long: false, place });
            if self.table.has_masks { self.different(U32, decided, never) } else { Literal::of(decided) }
        });
        let happens: ValueParts<Literal> = happens.collect();
        let below = zip(words, thresholds, |word, threshold| self.less(U32, word, threshold));
        let below = zip(below, happens, |below, happens| self.graph.or(below, happens));
        Ok(match always {
            Some(always) => zip(below, always, |below, always| self.graph.or(below, always)),
            None => below,
        })
    }
}

/// A function of the vectors of two values.
pub(super) fn zip<A: Copy, B: Copy, C: Copy>(
    a: ValueParts<A>,
    b: ValueParts<B>,
    mut f: impl FnMut(A, B) -> C,
) -> ValueParts<C> {
    a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()
}
