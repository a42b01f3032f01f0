//! `exp log log2 sin cos tan tanh pow asin acos atan atan2` as text: the one implementation in `numbers`, run on a machine that writes it down in a language.

use crate::numbers::math::{Float, IntegerOps, Ops, Rare, WideOps, named};
use crate::numbers::operators::{MathFn, MathFn2};
use crate::numbers::value::Value;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Shl, Shr, Sub};

/// A function of floats that is no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FloatFunction {
    /// Of one float.
    One(MathFn),
    /// Of two.
    Two(MathFn2),
}

impl FloatFunction {
    /// Its name, for f64 if `wide`, else for f32; `None` if it is an instruction.
    pub(super) fn name(self, wide: bool) -> Option<String> {
        let name = match self {
            FloatFunction::One(function) => named::name(function)?,
            FloatFunction::Two(function) => function.name(),
        };
        Some(format!("{name}_{}", if wide { "f64" } else { "f32" }))
    }

    /// Its code for `x`, or for `x` and `y`.
    ///
    /// # Panics
    /// If it is an instruction.
    pub(super) fn written<L: Language>(self, wide: bool) -> Written {
        let machine = TextMachine::<L>::default();
        let m = &machine;
        let kind = if wide { ValueKind::F64 } else { ValueKind::F32 };
        let [x, y] = ["x", "y"].map(|name| m.value(kind, name.to_owned()));
        let result = match (self, wide) {
            (FloatFunction::One(function), false) => named::one(function).0(&m, x),
            (FloatFunction::One(function), true) => named::one(function).1(&m, x),
            (FloatFunction::Two(function), false) => named::two(function).0(&m, x, y),
            (FloatFunction::Two(function), true) => named::two(function).1(&m, x, y),
        };
        let result = result.text();
        Written { table: machine.table.into_inner(), lines: machine.lines.into_inner(), result }
    }
}

/// A function, written down.
pub(super) struct Written {
    /// The table that it reads.
    pub table: Option<&'static [u64]>,
    /// Statements.
    pub lines: Vec<String>,
    /// The result.
    pub result: String,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    F32,
    F64,
    U32,
    U64,
    Mask,
}

/// The code of functions in a language. Operands are names or literals.
pub(super) trait Language: Copy + Default {
    /// Whether a value that is rarely chosen is declared before it is computed.
    const NAMES_FIRST: bool;

    fn literal(value: Value) -> String;
    fn u64_literal(v: u64) -> String;
    /// By how much is shifted.
    fn count(n: usize) -> String;
    /// A sum, difference or product of integers, which wraps.
    fn wrapping(sign: char, a: &str, b: &str) -> String;
    /// The same bits as another type, or a float as another.
    fn converted(from: ValueKind, to: ValueKind, v: &str) -> String;
    fn select(mask: &str, a: &str, b: &str) -> String;
    /// The upper half of a product.
    fn mul_high(a: &str, b: &str) -> String;
    fn square_root(kind: ValueKind, v: &str) -> String;
    /// An element of the table.
    fn element(index: &str) -> String;
    /// A value that has a name.
    fn define(kind: ValueKind, name: &str, expression: &str) -> String;
    /// A value that is `common`, or where a mask is true `rare`, which some lines compute.
    fn choose(kind: ValueKind, name: &str, mask: &str, common: &str, rare: (Vec<String>, &str)) -> Vec<String>;
}

/// The code that has been written.
#[derive(Default)]
struct TextMachine<L> {
    lines: RefCell<Vec<String>>,
    /// How many names there are.
    names: Cell<usize>,
    /// Per value its type and the name or literal that stands for it.
    values: RefCell<Vec<(ValueKind, String)>>,
    table: RefCell<Option<&'static [u64]>>,
    language: PhantomData<L>,
}

/// A value of any type, by its place in the list.
#[derive(Clone, Copy)]
struct RecordedValue<'a, L> {
    machine: &'a TextMachine<L>,
    place: usize,
}

impl<L: Language> TextMachine<L> {
    fn value(&self, kind: ValueKind, text: String) -> RecordedValue<'_, L> {
        let mut values = self.values.borrow_mut();
        values.push((kind, text));
        RecordedValue { machine: self, place: values.len() - 1 }
    }

    fn line(&self, kind: ValueKind, expression: &str) -> RecordedValue<'_, L> {
        let name = self.new_name();
        self.lines.borrow_mut().push(L::define(kind, &name, expression));
        self.value(kind, name)
    }

    fn new_name(&self) -> String {
        self.names.set(self.names.get() + 1);
        format!("t{}", self.names.get())
    }

    /// `mask ? rare : common`, with a branch for the rare value.
    fn rarely<'a>(
        &'a self,
        mask: RecordedValue<'a, L>,
        common: RecordedValue<'a, L>,
        rare: impl FnOnce() -> RecordedValue<'a, L>,
    ) -> RecordedValue<'a, L> {
        let first = L::NAMES_FIRST.then(|| self.new_name());
        let before = self.lines.take();
        let value = rare().text();
        let lines = self.lines.replace(before);
        let (kind, name) = (common.kind(), first.unwrap_or_else(|| self.new_name()));
        let chosen = L::choose(kind, &name, &mask.text(), &common.text(), (lines, &value));
        self.lines.borrow_mut().extend(chosen);
        self.value(kind, name)
    }
}

impl<'a, L: Language> RecordedValue<'a, L> {
    /// Operands with a sign between them.
    fn infix(self, kind: ValueKind, sign: &str, other: &str) -> RecordedValue<'a, L> {
        self.machine.line(kind, &format!("{} {sign} {other}", self.text()))
    }

    fn converted(self, to: ValueKind) -> RecordedValue<'a, L> {
        self.machine.line(to, &L::converted(self.kind(), to, &self.text()))
    }

    fn text(self) -> String {
        self.machine.values.borrow()[self.place].1.clone()
    }

    fn kind(self) -> ValueKind {
        self.machine.values.borrow()[self.place].0
    }
}

macro_rules! operators {
    ($($name:ident $method:ident $sign:literal $may_wrap:literal;)*) => {$(
        impl<'a, L: Language> $name for RecordedValue<'a, L> {
            type Output = RecordedValue<'a, L>;
            fn $method(self, other: RecordedValue<'a, L>) -> RecordedValue<'a, L> {
                let kind = self.kind();
                match $may_wrap && matches!(kind, ValueKind::U32 | ValueKind::U64) {
                    true => self.machine.line(kind, &L::wrapping($sign, &self.text(), &other.text())),
                    false => self.infix(kind, &$sign.to_string(), &other.text()),
                }
            }
        }
    )*};
}

operators! {
    Add add '+' true; Sub sub '-' true; Mul mul '*' true; Div div '/' false;
    BitAnd bitand '&' false; BitOr bitor '|' false; BitXor bitxor '^' false;
}

impl<'a, L: Language> Not for RecordedValue<'a, L> {
    type Output = RecordedValue<'a, L>;
    fn not(self) -> RecordedValue<'a, L> {
        self.machine.line(ValueKind::Mask, &format!("!{}", self.text()))
    }
}

impl<'a, L: Language> Shl<usize> for RecordedValue<'a, L> {
    type Output = RecordedValue<'a, L>;
    fn shl(self, n: usize) -> RecordedValue<'a, L> {
        self.infix(self.kind(), "<<", &L::count(n))
    }
}

impl<'a, L: Language> Shr<usize> for RecordedValue<'a, L> {
    type Output = RecordedValue<'a, L>;
    fn shr(self, n: usize) -> RecordedValue<'a, L> {
        self.infix(self.kind(), ">>", &L::count(n))
    }
}

impl<'a, L: Language> Float for RecordedValue<'a, L> {
    type Bits = RecordedValue<'a, L>;
    type Mask = RecordedValue<'a, L>;

    fn bits(self) -> Self::Bits {
        self.converted(if self.kind() == ValueKind::F64 { ValueKind::U64 } else { ValueKind::U32 })
    }
    fn less(self, other: Self) -> Self::Mask {
        self.infix(ValueKind::Mask, "<", &other.text())
    }
    fn equal(self, other: Self) -> Self::Mask {
        self.infix(ValueKind::Mask, "==", &other.text())
    }
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        a.machine.line(a.kind(), &L::select(&mask.text(), &a.text(), &b.text()))
    }
    fn sqrt(self) -> Self {
        self.machine.line(self.kind(), &L::square_root(self.kind(), &self.text()))
    }
}

impl<'a, L: Language> IntegerOps for RecordedValue<'a, L> {
    type Float = RecordedValue<'a, L>;

    fn float(self) -> Self::Float {
        self.converted(if self.kind() == ValueKind::U64 { ValueKind::F64 } else { ValueKind::F32 })
    }
}

impl<'a, L: Language> Ops for &'a TextMachine<L> {
    const BRANCHES: bool = false;

    type F32 = RecordedValue<'a, L>;
    type F64 = RecordedValue<'a, L>;
    type U32 = RecordedValue<'a, L>;
    type U64 = RecordedValue<'a, L>;
    type Mask = RecordedValue<'a, L>;

    fn f32(&self, v: f32) -> Self::F32 {
        self.value(ValueKind::F32, L::literal(Value::F32(v)))
    }
    fn f64(&self, v: f64) -> Self::F64 {
        self.value(ValueKind::F64, L::literal(Value::F64(v)))
    }
    fn u32(&self, v: u32) -> Self::U32 {
        self.value(ValueKind::U32, L::literal(Value::U32(v)))
    }
    fn u64(&self, v: u64) -> Self::U64 {
        self.value(ValueKind::U64, L::u64_literal(v))
    }
    fn rarely32(&self, mask: Self::Mask, common: Self::F32, rare: Rare, arguments: &[Self::F32]) -> Self::F32 {
        self.rarely(mask, common, || rare.of32(self, arguments))
    }
    fn rarely64(&self, mask: Self::Mask, common: Self::F64, rare: Rare, arguments: &[Self::F64]) -> Self::F64 {
        self.rarely(mask, common, || rare.of64(self, arguments))
    }
    fn widen(&self, v: Self::F32) -> Self::F64 {
        v.converted(ValueKind::F64)
    }
    fn narrow(&self, v: Self::F64) -> Self::F32 {
        v.converted(ValueKind::F32)
    }
}

impl<L: Language> WideOps for &TextMachine<L> {
    fn table(&self, words: &'static [u64], index: Self::U64) -> Self::U64 {
        let before = self.table.replace(Some(words));
        assert!(before.is_none_or(|before| before == words), "no function uses two tables");
        self.line(ValueKind::U64, &L::element(&index.text()))
    }
    fn mul_low(&self, a: Self::U64, b: Self::U64) -> Self::U64 {
        a * b
    }
    fn mul_high(&self, a: Self::U64, b: Self::U64) -> Self::U64 {
        self.line(ValueKind::U64, &L::mul_high(&a.text(), &b.text()))
    }
    fn below(&self, a: Self::U64, b: Self::U64) -> Self::Mask {
        a.less(b)
    }
    fn shl_by(&self, v: Self::U64, n: Self::U64) -> Self::U64 {
        v.infix(ValueKind::U64, "<<", &n.text())
    }
    fn shr_by(&self, v: Self::U64, n: Self::U64) -> Self::U64 {
        v.infix(ValueKind::U64, ">>", &n.text())
    }
    fn select_u64(&self, mask: Self::Mask, a: Self::U64, b: Self::U64) -> Self::U64 {
        Float::select(mask, a, b)
    }
}
