//! Functions of floats as instructions: the one implementation in `numbers`, run on a machine whose values are vectors of a graph in
//! the making.

use super::graph::{Id, Node};
use super::isa::{Action, predicate};
use super::logic::Literal;
use super::numbers::zip;
use super::select::{Parts, Select};
use crate::helpers;
use squeeze_compiler::ir::{MathFn, MathFn2, Value};
use squeeze_compiler::kernel::LaneType;
use squeeze_compiler::numbers::math::{Ops, Rare, named};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Sub};

impl Select<'_> {
    /// A function of one float, which is no instruction.
    pub(super) fn function(&mut self, function: MathFn, ty: LaneType, x: Parts<Id>) -> Parts<Id> {
        let machine = Machine(RefCell::new(self));
        let m = &machine;
        match ty {
            LaneType::F32 => named::one32(function, &m, m.value(x)).parts,
            _ => named::one64(function, &m, m.value(x)).parts,
        }
    }

    /// A function of two floats.
    pub(crate) fn function2(&mut self, function: MathFn2, ty: LaneType, x: Parts<Id>, y: Parts<Id>) -> Parts<Id> {
        let machine = Machine(RefCell::new(self));
        let m = &machine;
        match ty {
            LaneType::F32 => named::two32(function, &m, m.value(x), m.value(y)).parts,
            _ => named::two64(function, &m, m.value(x), m.value(y)).parts,
        }
    }
}

/// What runs the functions.
struct Machine<'a, 'k>(RefCell<&'a mut Select<'k>>);

/// A value: its vectors.
struct Vectors<'m, 'a, 'k, T> {
    machine: &'m Machine<'a, 'k>,
    parts: Parts<Id>,
    ty: std::marker::PhantomData<T>,
}

impl<T> Clone for Vectors<'_, '_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Vectors<'_, '_, '_, T> {}

/// A truth value: its masks, of elements of 64 bits or of the group.
#[derive(Clone, Copy)]
struct Truth<'m, 'a, 'k> {
    machine: &'m Machine<'a, 'k>,
    masks: Parts<Literal>,
    long: bool,
}

impl<'a, 'k> Machine<'a, 'k> {
    fn value<T>(&self, parts: Parts<Id>) -> Vectors<'_, 'a, 'k, T> {
        Vectors { machine: self, parts, ty: std::marker::PhantomData }
    }

    fn shifted<T>(&self, action: Action, ty: LaneType, v: Vectors<'_, 'a, 'k, T>, n: u32) -> Vectors<'_, 'a, 'k, T> {
        let mut select = self.0.borrow_mut();
        self.value(v.parts.map(|part| select.run(action, ty, &[part], Some(n as u8))))
    }

    fn two<T>(&self, action: Action, ty: LaneType, [a, b]: [Vectors<'_, 'a, 'k, T>; 2]) -> Vectors<'_, 'a, 'k, T> {
        let mut select = self.0.borrow_mut();
        self.value(zip(a.parts, b.parts, |a, b| select.two(action, ty, a, b)))
    }

    /// A product and a sum in one instruction, if there is one.
    fn fused<T>(&self, action: Action, sources: [Vectors<'_, 'a, 'k, T>; 3]) -> Option<Vectors<'_, 'a, 'k, T>> {
        let mut select = self.0.borrow_mut();
        (select.table.action)(action, LaneType::F64)?;
        let [a, b, c] = sources.map(|source| source.parts);
        let vectors = (0..a.len()).map(|i| select.run(action, LaneType::F64, &[a[i], b[i], c[i]], None));
        Some(self.value(vectors.collect()))
    }

    fn compared<T>(&self, ty: LaneType, predicate: u8, [a, b]: [Vectors<'_, 'a, 'k, T>; 2]) -> Truth<'_, 'a, 'k> {
        let mut select = self.0.borrow_mut();
        let masks = zip(a.parts, b.parts, |a, b| select.comparison(ty, predicate, a, b));
        Truth { machine: self, masks, long: ty == LaneType::F64 }
    }

    fn selected<T>(
        &self,
        ty: LaneType,
        mask: Truth<'_, 'a, 'k>,
        [then, otherwise]: [Vectors<'_, 'a, 'k, T>; 2],
    ) -> Vectors<'_, 'a, 'k, T> {
        let masks = mask.of(ty);
        let parts = self.0.borrow_mut().chosen(ty, masks, then.parts, otherwise.parts);
        self.value(parts)
    }

    /// The same number in all elements.
    fn splat<T>(&self, ty: LaneType, value: Value) -> Vectors<'_, 'a, 'k, T> {
        let mut select = self.0.borrow_mut();
        self.value(select.same(ty, |select| select.splat(value)))
    }

    fn rescued<T>(
        &self,
        ty: LaneType,
        mask: Truth<'_, 'a, 'k>,
        rare: Rare,
        common: Vectors<'_, 'a, 'k, T>,
        arguments: &[Vectors<'_, 'a, 'k, T>],
    ) -> Vectors<'_, 'a, 'k, T> {
        let masks = mask.of(ty);
        let mut select = self.0.borrow_mut();
        let address = helpers::rare(rare, ty, select.table.vector);
        let [x, y] = [arguments[0], arguments[arguments.len() - 1]].map(|argument| argument.parts);
        let vectors = (0..masks.len()).map(|i| {
            let operands = [masks[i].node(), common.parts[i], x[i], y[i]];
            let (negated, long) = (masks[i].is_negated(), ty == LaneType::F64);
            select.graph.add(Node::Rescue { address, operands, negated, long })
        });
        self.value(vectors.collect())
    }
}

impl<'m, 'a, 'k> Truth<'m, 'a, 'k> {
    /// The masks for elements of a type.
    fn of(self, ty: LaneType) -> Parts<Literal> {
        let mut select = self.machine.0.borrow_mut();
        match (self.long, ty == LaneType::F64) {
            (false, true) => select.masks_for(ty, self.masks),
            (true, false) => select.masks_of(LaneType::F64, self.masks),
            _ => self.masks,
        }
    }

    fn with(self, other: Self, mut f: impl FnMut(&mut Select<'k>, Literal, Literal) -> Literal) -> Self {
        let ty = if self.long { LaneType::F64 } else { LaneType::F32 };
        let others = other.of(ty);
        let mut select = self.machine.0.borrow_mut();
        let masks = zip(self.masks, others, |a, b| f(&mut select, a, b));
        Truth { masks, ..self }
    }
}

impl BitAnd for Truth<'_, '_, '_> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.with(other, |select, a, b| select.graph.and(a, b))
    }
}

impl BitOr for Truth<'_, '_, '_> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.with(other, |select, a, b| select.graph.or(a, b))
    }
}

impl Not for Truth<'_, '_, '_> {
    type Output = Self;
    fn not(self) -> Self {
        Truth { masks: self.masks.map(|mask| !mask), ..self }
    }
}

/// Operators of vectors of a type: the action, and the type that instructions know.
macro_rules! operators {
    ($($ty:ty { $($trait:ident $method:ident $action:ident $lanes:ident;)* })*) => {$($(
        impl<'m, 'a, 'k> $trait for Vectors<'m, 'a, 'k, $ty> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.machine.two(Action::$action, LaneType::$lanes, [self, other])
            }
        }
    )*)*};
}

operators! {
    f32 { Add add Add F32; Sub sub Subtract F32; Mul mul Multiply F32; Div div Divide F32; }
    f64 { Add add Add F64; Sub sub Subtract F64; Mul mul Multiply F64; Div div Divide F64; }
    u32 { Add add Add U32; Sub sub Subtract U32; BitAnd bitand And U32; BitOr bitor Or U32; BitXor bitxor Xor U32; }
    u64 { Add add Add I64; Sub sub Subtract I64; BitAnd bitand And F64; BitOr bitor Or F64; BitXor bitxor Xor F64; }
}

impl<'m, 'a, 'k> Ops for &'m Machine<'a, 'k> {
    const BRANCHES: bool = true;

    type F32 = Vectors<'m, 'a, 'k, f32>;
    type F64 = Vectors<'m, 'a, 'k, f64>;
    type U32 = Vectors<'m, 'a, 'k, u32>;
    type U64 = Vectors<'m, 'a, 'k, u64>;
    type Mask = Truth<'m, 'a, 'k>;

    fn f32(&self, v: f32) -> Self::F32 {
        self.splat(LaneType::F32, Value::F32(v))
    }
    fn f64(&self, v: f64) -> Self::F64 {
        self.splat(LaneType::F64, Value::F64(v))
    }
    fn u32(&self, v: u32) -> Self::U32 {
        self.splat(LaneType::U32, Value::U32(v))
    }
    fn u64(&self, v: u64) -> Self::U64 {
        // Not as a float: there is one NaN among values.
        let mut select = self.0.borrow_mut();
        self.value(select.same(LaneType::F64, |select| select.graph.eight(v)))
    }
    fn bits32(&self, v: Self::F32) -> Self::U32 {
        self.value(v.parts)
    }
    fn float32(&self, v: Self::U32) -> Self::F32 {
        self.value(v.parts)
    }
    fn bits64(&self, v: Self::F64) -> Self::U64 {
        self.value(v.parts)
    }
    fn float64(&self, v: Self::U64) -> Self::F64 {
        self.value(v.parts)
    }
    fn widen(&self, v: Self::F32) -> Self::F64 {
        let parts = self.0.borrow_mut().cast(LaneType::F32, LaneType::F64, v.parts);
        self.value(parts)
    }
    fn narrow(&self, v: Self::F64) -> Self::F32 {
        let parts = self.0.borrow_mut().cast(LaneType::F64, LaneType::F32, v.parts);
        self.value(parts)
    }
    fn less32(&self, a: Self::F32, b: Self::F32) -> Self::Mask {
        self.compared(LaneType::F32, predicate::LESS, [a, b])
    }
    fn less64(&self, a: Self::F64, b: Self::F64) -> Self::Mask {
        self.compared(LaneType::F64, predicate::LESS, [a, b])
    }
    fn equal32(&self, a: Self::F32, b: Self::F32) -> Self::Mask {
        self.compared(LaneType::F32, predicate::EQUAL, [a, b])
    }
    fn equal64(&self, a: Self::F64, b: Self::F64) -> Self::Mask {
        self.compared(LaneType::F64, predicate::EQUAL, [a, b])
    }
    fn select32(&self, mask: Self::Mask, a: Self::F32, b: Self::F32) -> Self::F32 {
        self.selected(LaneType::F32, mask, [a, b])
    }
    fn select64(&self, mask: Self::Mask, a: Self::F64, b: Self::F64) -> Self::F64 {
        self.selected(LaneType::F64, mask, [a, b])
    }
    fn shl32(&self, v: Self::U32, n: u32) -> Self::U32 {
        self.shifted(Action::ShiftLeft, LaneType::U32, v, n)
    }
    fn shr32(&self, v: Self::U32, n: u32) -> Self::U32 {
        self.shifted(Action::ShiftRight, LaneType::U32, v, n)
    }
    fn shl64(&self, v: Self::U64, n: u32) -> Self::U64 {
        self.shifted(Action::ShiftLeft, LaneType::I64, v, n)
    }
    fn shr64(&self, v: Self::U64, n: u32) -> Self::U64 {
        self.shifted(Action::ShiftRightLong, LaneType::I64, v, n)
    }
    fn rarely32(&self, mask: Self::Mask, common: Self::F32, rare: Rare, arguments: &[Self::F32]) -> Self::F32 {
        self.rescued(LaneType::F32, mask, rare, common, arguments)
    }
    fn rarely64(&self, mask: Self::Mask, common: Self::F64, rare: Rare, arguments: &[Self::F64]) -> Self::F64 {
        self.rescued(LaneType::F64, mask, rare, common, arguments)
    }
    fn plus_product(&self, c: Self::F64, a: Self::F64, b: Self::F64) -> Self::F64 {
        self.fused(Action::PlusProduct, [a, b, c]).unwrap_or_else(|| c + a * b)
    }
    fn minus_product(&self, c: Self::F64, a: Self::F64, b: Self::F64) -> Self::F64 {
        self.fused(Action::MinusProduct, [c, a, b]).unwrap_or_else(|| c - a * b)
    }
    // Where they cannot decide, minima and maxima are their second operand.
    fn at_most32(&self, most: f32, v: Self::F32) -> Self::F32 {
        self.two(Action::Min, LaneType::F32, [self.f32(most), v])
    }
    fn at_least32(&self, least: f32, v: Self::F32) -> Self::F32 {
        self.two(Action::Max, LaneType::F32, [self.f32(least), v])
    }
    fn at_most64(&self, most: f64, v: Self::F64) -> Self::F64 {
        self.two(Action::Min, LaneType::F64, [self.f64(most), v])
    }
    fn at_least64(&self, least: f64, v: Self::F64) -> Self::F64 {
        self.two(Action::Max, LaneType::F64, [self.f64(least), v])
    }
}
