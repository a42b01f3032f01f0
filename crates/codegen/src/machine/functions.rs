//! Functions of floats as instructions: the one implementation in `numbers`, run on values that are nodes of a graph.

use super::graph::{GraphNode, Id};
use super::isa::{Action, predicate};
use super::logic::Literal;
use super::numbers::zip;
use super::select::{Select, ValueParts};
use crate::helpers;
use squeeze_compiler::ir::{MathFn, MathFn2, Value};
use squeeze_compiler::kernel::LaneType;
use squeeze_compiler::numbers::math::{Float, IntegerOps, Ops, Rare, named};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Shl, Shr, Sub};

impl Select<'_> {
    /// A function of one float, which is no instruction.
    pub(super) fn function(&mut self, function: MathFn, ty: LaneType, x: ValueParts<Id>) -> ValueParts<Id> {
        let machine = GraphMachine(RefCell::new(self));
        let m = &machine;
        match ty {
            LaneType::F32 => named::one(function).0(&m, m.value(ty, x)).parts,
            _ => named::one(function).1(&m, m.value(ty, x)).parts,
        }
    }

    /// A function of two floats.
    pub(crate) fn function2(
        &mut self,
        function: MathFn2,
        ty: LaneType,
        x: ValueParts<Id>,
        y: ValueParts<Id>,
    ) -> ValueParts<Id> {
        let machine = GraphMachine(RefCell::new(self));
        let m = &machine;
        match ty {
            LaneType::F32 => named::two(function).0(&m, m.value(ty, x), m.value(ty, y)).parts,
            _ => named::two(function).1(&m, m.value(ty, x), m.value(ty, y)).parts,
        }
    }
}

/// The machine that the functions are written for: it adds each operation to the graph.
struct GraphMachine<'a, 'k>(RefCell<&'a mut Select<'k>>);

/// A value: its vectors, of floats or of the integers that their bits are.
#[derive(Clone, Copy)]
struct Vectors<'m, 'a, 'k> {
    machine: &'m GraphMachine<'a, 'k>,
    parts: ValueParts<Id>,
    ty: LaneType,
}

/// A truth value: its masks, of elements of 64 bits or of the group.
#[derive(Clone, Copy)]
struct Truth<'m, 'a, 'k> {
    machine: &'m GraphMachine<'a, 'k>,
    masks: ValueParts<Literal>,
    long: bool,
}

impl<'a, 'k> GraphMachine<'a, 'k> {
    fn value(&self, ty: LaneType, parts: ValueParts<Id>) -> Vectors<'_, 'a, 'k> {
        Vectors { machine: self, parts, ty }
    }

    /// A product and a sum in one instruction, if there is one.
    fn fused(&self, action: Action, sources: [Vectors<'_, 'a, 'k>; 3]) -> Option<Vectors<'_, 'a, 'k>> {
        let mut select = self.0.borrow_mut();
        (select.table.action)(action, LaneType::F64)?;
        let [a, b, c] = sources.map(|source| source.parts);
        let vectors = (0..a.len()).map(|i| select.run(action, LaneType::F64, &[a[i], b[i], c[i]], None));
        Some(self.value(LaneType::F64, vectors.collect()))
    }

    /// The same number in all elements.
    fn splat(&self, ty: LaneType, value: Value) -> Vectors<'_, 'a, 'k> {
        let parts = self.0.borrow_mut().same(ty, |select| select.splat(value));
        self.value(ty, parts)
    }

    fn converted(&self, v: Vectors<'_, 'a, 'k>, to: LaneType) -> Vectors<'_, 'a, 'k> {
        let parts = self.0.borrow_mut().cast(v.ty, to, v.parts);
        self.value(to, parts)
    }

    fn rescued(
        &self,
        mask: Truth<'_, 'a, 'k>,
        rare: Rare,
        common: Vectors<'_, 'a, 'k>,
        arguments: &[Vectors<'_, 'a, 'k>],
    ) -> Vectors<'_, 'a, 'k> {
        let masks = mask.of(common.ty);
        let mut select = self.0.borrow_mut();
        let address = helpers::rare(rare, common.ty, select.table.vector);
        let [x, y] = [arguments[0], arguments[arguments.len() - 1]].map(|argument| argument.parts);
        let vectors = (0..masks.len()).map(|i| {
            let operands = [masks[i].node(), common.parts[i], x[i], y[i]];
            let (negated, long) = (masks[i].is_negated(), common.ty == LaneType::F64);
            select.graph.add(GraphNode::Rescue { address, operands, negated, long, place: 0 })
        });
        self.value(common.ty, vectors.collect())
    }
}

impl<'m, 'a, 'k> Truth<'m, 'a, 'k> {
    /// The masks for elements of a type.
    fn of(self, ty: LaneType) -> ValueParts<Literal> {
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

/// Operators of vectors and their actions: instructions of bits know floats of 64 bits.
macro_rules! operators {
    ($($trait:ident $method:ident $action:ident $of_bits:literal;)*) => {$(
        impl $trait for Vectors<'_, '_, '_> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                let ty = match self.ty {
                    LaneType::I64 if $of_bits => LaneType::F64,
                    ty => ty,
                };
                self.with(Action::$action, ty, other)
            }
        }
    )*};
}

operators! {
    Add add Add false; Sub sub Subtract false; Mul mul Multiply false; Div div Divide false;
    BitAnd bitand And true; BitOr bitor Or true; BitXor bitxor Xor true;
}

impl Shl<usize> for Vectors<'_, '_, '_> {
    type Output = Self;
    fn shl(self, n: usize) -> Self {
        self.shifted(Action::ShiftLeft, n)
    }
}

impl Shr<usize> for Vectors<'_, '_, '_> {
    type Output = Self;
    fn shr(self, n: usize) -> Self {
        self.shifted(if self.ty == LaneType::I64 { Action::ShiftRightLong } else { Action::ShiftRight }, n)
    }
}

impl<'m, 'a, 'k> Vectors<'m, 'a, 'k> {
    fn with(self, action: Action, ty: LaneType, other: Self) -> Self {
        let mut select = self.machine.0.borrow_mut();
        let parts = zip(self.parts, other.parts, |a, b| select.two(action, ty, a, b));
        Vectors { parts, ..self }
    }

    fn shifted(self, action: Action, n: usize) -> Self {
        let mut select = self.machine.0.borrow_mut();
        let parts = self.parts.map(|part| select.run(action, self.ty, &[part], Some(n as u8)));
        Vectors { parts, ..self }
    }

    fn compared(self, predicate: u8, other: Self) -> Truth<'m, 'a, 'k> {
        let mut select = self.machine.0.borrow_mut();
        let masks = zip(self.parts, other.parts, |a, b| select.comparison(self.ty, predicate, a, b));
        Truth { machine: self.machine, masks, long: self.ty == LaneType::F64 }
    }
}

impl<'m, 'a, 'k> Float for Vectors<'m, 'a, 'k> {
    type Bits = Self;
    type Mask = Truth<'m, 'a, 'k>;

    fn bits(self) -> Self {
        Vectors { ty: if self.ty == LaneType::F64 { LaneType::I64 } else { LaneType::U32 }, ..self }
    }
    fn less(self, other: Self) -> Self::Mask {
        self.compared(predicate::LESS, other)
    }
    fn equal(self, other: Self) -> Self::Mask {
        self.compared(predicate::EQUAL, other)
    }
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        let masks = mask.of(a.ty);
        let parts = a.machine.0.borrow_mut().chosen(a.ty, masks, a.parts, b.parts);
        Vectors { parts, ..a }
    }
    fn sqrt(self) -> Self {
        let mut select = self.machine.0.borrow_mut();
        let parts = self.parts.map(|part| select.run(Action::SquareRoot, self.ty, &[part], None));
        Vectors { parts, ..self }
    }
    // Where they cannot decide, minima and maxima are their second operand.
    fn at_most(self, most: Self) -> Self {
        most.with(Action::Min, self.ty, self)
    }
    fn at_least(self, least: Self) -> Self {
        least.with(Action::Max, self.ty, self)
    }
}

impl IntegerOps for Vectors<'_, '_, '_> {
    type Float = Self;

    fn float(self) -> Self {
        Vectors { ty: if self.ty == LaneType::I64 { LaneType::F64 } else { LaneType::F32 }, ..self }
    }
}

impl<'m, 'a, 'k> Ops for &'m GraphMachine<'a, 'k> {
    const BRANCHES: bool = true;

    type F32 = Vectors<'m, 'a, 'k>;
    type F64 = Vectors<'m, 'a, 'k>;
    type U32 = Vectors<'m, 'a, 'k>;
    type U64 = Vectors<'m, 'a, 'k>;
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
        self.splat(LaneType::I64, Value::I64(v as i64))
    }
    fn widen(&self, v: Self::F32) -> Self::F64 {
        self.converted(v, LaneType::F64)
    }
    fn narrow(&self, v: Self::F64) -> Self::F32 {
        self.converted(v, LaneType::F32)
    }
    fn rarely32(&self, mask: Self::Mask, common: Self::F32, rare: Rare, arguments: &[Self::F32]) -> Self::F32 {
        self.rescued(mask, rare, common, arguments)
    }
    fn rarely64(&self, mask: Self::Mask, common: Self::F64, rare: Rare, arguments: &[Self::F64]) -> Self::F64 {
        self.rescued(mask, rare, common, arguments)
    }
    fn plus_product(&self, c: Self::F64, a: Self::F64, b: Self::F64) -> Self::F64 {
        self.fused(Action::PlusProduct, [a, b, c]).unwrap_or_else(|| c + a * b)
    }
    fn minus_product(&self, c: Self::F64, a: Self::F64, b: Self::F64) -> Self::F64 {
        self.fused(Action::MinusProduct, [c, a, b]).unwrap_or_else(|| c - a * b)
    }
}
