//! The functions on a machine that records instead of computing: what a back end does with them, reduced to counting.

use squeeze_compiler::numbers::math::{Float, IntegerOps, Ops, Rare, generic};
use std::cell::Cell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Shl, Shr, Sub};

/// Counts every operation but constants and reinterpretations of bits, which cost nothing.
struct Counter(Cell<u32>);

/// A value of any type: all that is known of it is that one more operation was needed.
#[derive(Clone, Copy)]
struct Counted<'a>(&'a Cell<u32>);

impl<'a> Counted<'a> {
    fn operation(self) -> Counted<'a> {
        self.0.set(self.0.get() + 1);
        self
    }
}

macro_rules! operators {
    ($($name:ident $method:ident $other:ty;)*) => {$(
        impl<'a> $name<$other> for Counted<'a> {
            type Output = Counted<'a>;
            fn $method(self, _: $other) -> Counted<'a> {
                self.operation()
            }
        }
    )*};
}

operators! {
    Add add Counted<'a>; Sub sub Counted<'a>; Mul mul Counted<'a>; Div div Counted<'a>;
    BitAnd bitand Counted<'a>; BitOr bitor Counted<'a>; BitXor bitxor Counted<'a>; Shl shl usize; Shr shr usize;
}

impl<'a> Not for Counted<'a> {
    type Output = Counted<'a>;
    fn not(self) -> Counted<'a> {
        self.operation()
    }
}

impl<'a> Float for Counted<'a> {
    type Bits = Counted<'a>;
    type Mask = Counted<'a>;

    fn bits(self) -> Self::Bits {
        self
    }
    fn less(self, _: Self) -> Self::Mask {
        self.operation()
    }
    fn equal(self, _: Self) -> Self::Mask {
        self.operation()
    }
    fn select(mask: Self::Mask, _: Self, _: Self) -> Self {
        mask.operation()
    }
    fn sqrt(self) -> Self {
        self.operation()
    }
    // A minimum or a maximum is one operation.
    fn at_most(self, _: Self) -> Self {
        self.operation()
    }
    fn at_least(self, _: Self) -> Self {
        self.operation()
    }
}

impl<'a> IntegerOps for Counted<'a> {
    type Float = Counted<'a>;

    fn float(self) -> Self::Float {
        self
    }
}

impl<'a> Ops for &'a Counter {
    const BRANCHES: bool = true;

    type F32 = Counted<'a>;
    type F64 = Counted<'a>;
    type U32 = Counted<'a>;
    type U64 = Counted<'a>;
    type Mask = Counted<'a>;

    fn f32(&self, _: f32) -> Counted<'a> {
        Counted(&self.0)
    }
    fn f64(&self, _: f64) -> Counted<'a> {
        Counted(&self.0)
    }
    fn u32(&self, _: u32) -> Counted<'a> {
        Counted(&self.0)
    }
    fn u64(&self, _: u64) -> Counted<'a> {
        Counted(&self.0)
    }
    fn widen(&self, v: Counted<'a>) -> Counted<'a> {
        v.operation()
    }
    fn narrow(&self, v: Counted<'a>) -> Counted<'a> {
        v.operation()
    }
    // Only the test is counted.
    fn rarely32(&self, _: Counted<'a>, common: Counted<'a>, _: Rare, _: &[Counted<'a>]) -> Counted<'a> {
        common.operation()
    }
    fn rarely64(&self, _: Counted<'a>, common: Counted<'a>, _: Rare, _: &[Counted<'a>]) -> Counted<'a> {
        common.operation()
    }
}

/// The number of operations of each function: a change of it is a change of every kernel that uses the function.
#[test]
fn operations_are_counted() {
    let count = |function: &dyn for<'a> Fn(&&'a Counter, Counted<'a>) -> Counted<'a>| {
        let counter = Counter(Cell::new(0));
        function(&&counter, Counted(&counter.0));
        counter.0.get()
    };
    let counts = [
        ("exp", count(&|o, v| generic::exp32(o, v)), count(&|o, v| generic::exp64(o, v))),
        ("log", count(&|o, v| generic::log32(o, v)), count(&|o, v| generic::log64(o, v))),
        ("sin", count(&|o, v| generic::sin32(o, v)), count(&|o, v| generic::sin64(o, v))),
        ("cos", count(&|o, v| generic::cos32(o, v)), count(&|o, v| generic::cos64(o, v))),
        ("log2", count(&|o, v| generic::log2_32(o, v)), count(&|o, v| generic::log2_64(o, v))),
        ("tan", count(&|o, v| generic::tan32(o, v)), count(&|o, v| generic::tan64(o, v))),
        ("asin", count(&|o, v| generic::asin32(o, v)), count(&|o, v| generic::asin64(o, v))),
        ("acos", count(&|o, v| generic::acos32(o, v)), count(&|o, v| generic::acos64(o, v))),
        ("tanh", count(&|o, v| generic::tanh32(o, v)), count(&|o, v| generic::tanh64(o, v))),
        ("atan", count(&|o, v| generic::atan32(o, v)), count(&|o, v| generic::atan64(o, v))),
        ("atan2", count(&|o, v| generic::atan2_32(o, v, v)), count(&|o, v| generic::atan2_64(o, v, v))),
        ("pow", count(&|o, v| generic::pow32(o, v, v)), count(&|o, v| generic::pow64(o, v, v))),
    ];
    let expected = [
        ("exp", 28, 41),
        ("log", 40, 34),
        ("sin", 27, 78),
        ("cos", 29, 79),
        ("log2", 31, 80),
        ("tan", 37, 89),
        ("asin", 33, 47),
        ("acos", 40, 54),
        ("tanh", 44, 37),
        ("atan", 30, 42),
        ("atan2", 57, 69),
        ("pow", 69, 128),
    ];
    assert_eq!(counts[..], expected);
}
