//! `exp log sin cos tanh pow atan atan2` as Rust: the one implementation in `numbers`, run on a machine that writes it down.

use super::expression::literal;
use crate::numbers::math::{Ops, Rare, WideOps, named};
use crate::numbers::operators::{MathFn, MathFn2};
use crate::numbers::value::Value;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::cell::{Cell, RefCell};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Sub};

/// A function of floats that is no method of Rust's floats, or one that differs from machine to machine there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Function {
    /// Of one float; not `sqrt floor ceil round`, which are operations of IEEE 754.
    One(MathFn),
    /// Of two.
    Two(MathFn2),
}

impl Function {
    /// Its name, for f64 if `wide`, else for f32.
    pub(super) fn name(self, wide: bool) -> Ident {
        let name = match self {
            Function::One(function) => named::name(function).expect("roots and roundings are methods"),
            Function::Two(function) => function.name(),
        };
        format_ident!("{name}_{}", if wide { "f64" } else { "f32" })
    }

    /// Its definition.
    pub(super) fn code(self, wide: bool) -> TokenStream {
        let recorder = Recorder::default();
        let r = &recorder;
        let ty = if wide { Kind::F64 } else { Kind::F32 };
        let (x, y) = (r.value(ty, quote!(x)), r.value(ty, quote!(y)));
        let result = match (self, wide) {
            (Function::One(function), false) => named::one32(function, &r, x),
            (Function::One(function), true) => named::one64(function, &r, x),
            (Function::Two(function), false) => named::two32(function, &r, x, y),
            (Function::Two(function), true) => named::two64(function, &r, x, y),
        };
        let (name, result, ty) = (self.name(wide), r.tokens(result), ty.tokens());
        let second = matches!(self, Function::Two(_)).then(|| quote!(, y: #ty));
        let table = recorder.table.into_inner().map(|words| {
            let count = words.len();
            quote!(const TABLE: [u64; #count] = [#(#words),*];)
        });
        let lines = recorder.lines.into_inner();
        quote! {
            /// At most 2 units in the last place from the truth; the same bits on every machine.
            #[inline(always)]
            fn #name(x: #ty #second) -> #ty {
                #table
                #(#lines)*
                #result
            }
        }
    }
}

/// The type of a recorded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    F32,
    F64,
    U32,
    U64,
    Mask,
}

impl Kind {
    fn tokens(self) -> TokenStream {
        match self {
            Kind::F32 => quote!(f32),
            Kind::F64 => quote!(f64),
            Kind::U32 => quote!(u32),
            Kind::U64 => quote!(u64),
            Kind::Mask => quote!(bool),
        }
    }
}

/// What has been written.
#[derive(Default)]
struct Recorder {
    lines: RefCell<Vec<TokenStream>>,
    /// How many names there are.
    names: Cell<usize>,
    /// Per value its type and the name or literal that stands for it.
    values: RefCell<Vec<(Kind, TokenStream)>>,
    table: RefCell<Option<&'static [u64]>>,
}

/// A value of any type, by its place in the list.
#[derive(Clone, Copy)]
struct Recorded<'a> {
    recorder: &'a Recorder,
    place: usize,
}

impl Recorder {
    fn value(&self, kind: Kind, tokens: TokenStream) -> Recorded<'_> {
        let mut values = self.values.borrow_mut();
        values.push((kind, tokens));
        Recorded { recorder: self, place: values.len() - 1 }
    }

    fn line(&self, kind: Kind, expression: TokenStream) -> Recorded<'_> {
        self.names.set(self.names.get() + 1);
        let name = format_ident!("t{}", self.names.get());
        self.lines.borrow_mut().push(quote!(let #name = #expression;));
        self.value(kind, quote!(#name))
    }

    /// `mask ? rare : common`, with a branch for what is rare.
    fn rarely<'a>(
        &'a self,
        mask: Recorded<'a>,
        common: Recorded<'a>,
        rare: impl FnOnce() -> Recorded<'a>,
    ) -> Recorded<'a> {
        let before = self.lines.take();
        let value = self.tokens(rare());
        let lines = self.lines.replace(before);
        let (mask, kind, common) = (self.tokens(mask), self.kind(common), self.tokens(common));
        self.line(kind, quote!(if #mask { #(#lines)* #value } else { #common }))
    }

    fn tokens(&self, value: Recorded<'_>) -> TokenStream {
        self.values.borrow()[value.place].1.clone()
    }

    fn kind(&self, value: Recorded<'_>) -> Kind {
        self.values.borrow()[value.place].0
    }
}

macro_rules! operators {
    ($($name:ident $method:ident $sign:tt $wrapping:ident;)*) => {$(
        impl<'a> $name for Recorded<'a> {
            type Output = Recorded<'a>;
            fn $method(self, other: Recorded<'a>) -> Recorded<'a> {
                let r = self.recorder;
                let (kind, a, b) = (r.kind(self), r.tokens(self), r.tokens(other));
                // Integers wrap where they could overflow.
                let wraps = matches!(kind, Kind::U32 | Kind::U64) && !matches!(stringify!($wrapping), "same");
                r.line(kind, if wraps { quote!(#a.$wrapping(#b)) } else { quote!(#a $sign #b) })
            }
        }
    )*};
}

operators! {
    Add add + wrapping_add;
    Sub sub - wrapping_sub;
    Mul mul * wrapping_mul;
    Div div / same;
    BitAnd bitand & same;
    BitOr bitor | same;
    BitXor bitxor ^ same;
}

impl<'a> Not for Recorded<'a> {
    type Output = Recorded<'a>;
    fn not(self) -> Recorded<'a> {
        let a = self.recorder.tokens(self);
        self.recorder.line(Kind::Mask, quote!(!#a))
    }
}

/// Methods of [`Ops`]: the result's type, and the expression of the operands.
macro_rules! recorded {
    ($($method:ident($($operand:ident),*) -> $kind:ident { $($expression:tt)* })*) => {$(
        fn $method(&self, $($operand: Recorded<'a>),*) -> Recorded<'a> {
            $(let $operand = self.tokens($operand);)*
            self.line(Kind::$kind, quote!($($expression)*))
        }
    )*};
}

impl<'a> Ops for &'a Recorder {
    const BRANCHES: bool = false;

    type F32 = Recorded<'a>;
    type F64 = Recorded<'a>;
    type U32 = Recorded<'a>;
    type U64 = Recorded<'a>;
    type Mask = Recorded<'a>;

    fn f32(&self, v: f32) -> Recorded<'a> {
        self.value(Kind::F32, literal(Value::F32(v)))
    }
    fn f64(&self, v: f64) -> Recorded<'a> {
        self.value(Kind::F64, literal(Value::F64(v)))
    }
    fn u32(&self, v: u32) -> Recorded<'a> {
        self.value(Kind::U32, quote!(#v))
    }
    fn u64(&self, v: u64) -> Recorded<'a> {
        self.value(Kind::U64, quote!(#v))
    }
    fn shl32(&self, v: Recorded<'a>, n: u32) -> Recorded<'a> {
        let v = self.tokens(v);
        self.line(Kind::U32, quote!(#v << #n))
    }
    fn shr32(&self, v: Recorded<'a>, n: u32) -> Recorded<'a> {
        let v = self.tokens(v);
        self.line(Kind::U32, quote!(#v >> #n))
    }
    fn shl64(&self, v: Recorded<'a>, n: u32) -> Recorded<'a> {
        let v = self.tokens(v);
        self.line(Kind::U64, quote!(#v << #n))
    }
    fn shr64(&self, v: Recorded<'a>, n: u32) -> Recorded<'a> {
        let v = self.tokens(v);
        self.line(Kind::U64, quote!(#v >> #n))
    }
    fn rarely32(
        &self,
        mask: Recorded<'a>,
        common: Recorded<'a>,
        rare: Rare,
        arguments: &[Recorded<'a>],
    ) -> Recorded<'a> {
        self.rarely(mask, common, || rare.of32(self, arguments))
    }
    fn rarely64(
        &self,
        mask: Recorded<'a>,
        common: Recorded<'a>,
        rare: Rare,
        arguments: &[Recorded<'a>],
    ) -> Recorded<'a> {
        self.rarely(mask, common, || rare.of64(self, arguments))
    }
    recorded! {
        bits32(v) -> U32 { f32::to_bits(#v) }
        float32(v) -> F32 { f32::from_bits(#v) }
        bits64(v) -> U64 { f64::to_bits(#v) }
        float64(v) -> F64 { f64::from_bits(#v) }
        widen(v) -> F64 { f64::from(#v) }
        narrow(v) -> F32 { #v as f32 }
        less32(a, b) -> Mask { #a < #b }
        less64(a, b) -> Mask { #a < #b }
        equal32(a, b) -> Mask { #a == #b }
        equal64(a, b) -> Mask { #a == #b }
        select32(mask, a, b) -> F32 { if #mask { #a } else { #b } }
        select64(mask, a, b) -> F64 { if #mask { #a } else { #b } }
    }
}

impl<'a> WideOps for &'a Recorder {
    fn table(&self, words: &'static [u64], index: Recorded<'a>) -> Recorded<'a> {
        let before = self.table.replace(Some(words));
        assert!(before.is_none_or(|before| before == words), "no function uses two tables");
        let index = self.tokens(index);
        self.line(Kind::U64, quote!(TABLE[#index as usize]))
    }
    recorded! {
        select_u64(mask, a, b) -> U64 { if #mask { #a } else { #b } }
        below(a, b) -> Mask { #a < #b }
        shl_by(v, n) -> U64 { #v << #n }
        shr_by(v, n) -> U64 { #v >> #n }
        mul_low(a, b) -> U64 { #a.wrapping_mul(#b) }
        mul_high(a, b) -> U64 { (u128::from(#a) * u128::from(#b) >> 64) as u64 }
    }
}
