//! The primitive operations that the functions are made of.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Shl, Shr, Sub};

/// Floats of a machine, of one width: `+ − × ÷` are rounded to nearest even and never contracted.
pub trait Float: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// Integers of the same width.
    type Bits: IntegerOps<Float = Self>;
    /// The result of a comparison.
    type Mask;

    /// The IEEE bits.
    fn bits(self) -> Self::Bits;
    /// self < other; false if one is NaN.
    fn less(self, other: Self) -> Self::Mask;
    /// self = other; false if one is NaN.
    fn equal(self, other: Self) -> Self::Mask;
    /// `mask ? a : b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// The square root, rounded to nearest even; NaN below zero.
    fn sqrt(self) -> Self;

    /// `most < self ? most : self`.
    fn at_most(self, most: Self) -> Self {
        Self::select(most.less(self), most, self)
    }
    /// `self < least ? least : self`.
    fn at_least(self, least: Self) -> Self {
        Self::select(self.less(least), least, self)
    }
}

/// Integers of a machine, modulo 2^32 or 2^64: shifts are by less than their width, to the right unsigned.
pub trait IntegerOps:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    /// Floats of the same width.
    type Float;

    /// The float with these bits.
    fn float(self) -> Self::Float;
}

/// A machine that runs the functions or records them: its values and operations.
///
/// Each operation is an instruction or two on vectors. None may depend on data in its control flow, but
/// [`rarely64`](Self::rarely64) and its like.
pub trait Ops {
    /// Whether a test on a whole vector costs little. Then arguments that need more are left to [`Rare`] functions; else all are computed so.
    const BRANCHES: bool;

    /// IEEE binary32 values.
    type F32: Float<Bits = Self::U32, Mask = Self::Mask>;
    /// IEEE binary64 values.
    type F64: Float<Bits = Self::U64, Mask = Self::Mask>;
    /// Integers modulo 2^32.
    type U32: IntegerOps<Float = Self::F32>;
    /// Integers modulo 2^64.
    type U64: IntegerOps<Float = Self::F64>;
    /// Truth values.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// A constant.
    fn f32(&self, v: f32) -> Self::F32;
    /// A constant.
    fn f64(&self, v: f64) -> Self::F64;
    /// A constant.
    fn u32(&self, v: u32) -> Self::U32;
    /// A constant.
    fn u64(&self, v: u64) -> Self::U64;
    /// Binary32 to binary64, exact.
    fn widen(&self, v: Self::F32) -> Self::F64;
    /// Binary64 to binary32, rounded to nearest even.
    fn narrow(&self, v: Self::F64) -> Self::F32;
    /// `mask ? rare(arguments) : common`, where vectors of which no element is masked need no more than a test.
    fn rarely32(&self, mask: Self::Mask, common: Self::F32, rare: Rare, arguments: &[Self::F32]) -> Self::F32;
    /// The same of binary64.
    fn rarely64(&self, mask: Self::Mask, common: Self::F64, rare: Rare, arguments: &[Self::F64]) -> Self::F64;

    /// `c + a · b`, rounded once or twice, as the machine does it faster: only where both give the same results.
    fn plus_product(&self, c: Self::F64, a: Self::F64, b: Self::F64) -> Self::F64 {
        c + a * b
    }
    /// `c − a · b`, rounded once or twice as [`plus_product`](Self::plus_product).
    fn minus_product(&self, c: Self::F64, a: Self::F64, b: Self::F64) -> Self::F64 {
        c - a * b
    }
}

/// The operations that only [`Rare`] arguments need: whole products and tables.
pub trait WideOps: Ops {
    /// `mask ? a : b`.
    fn select_u64(&self, mask: Self::Mask, a: Self::U64, b: Self::U64) -> Self::U64;
    /// a < b, unsigned.
    fn below(&self, a: Self::U64, b: Self::U64) -> Self::Mask;
    /// `v << n`, n < 64.
    fn shl_by(&self, v: Self::U64, n: Self::U64) -> Self::U64;
    /// `v >> n`, unsigned, n < 64.
    fn shr_by(&self, v: Self::U64, n: Self::U64) -> Self::U64;
    /// The lower 64 bits of the product.
    fn mul_low(&self, a: Self::U64, b: Self::U64) -> Self::U64;
    /// The upper 64 bits of the product of 128 bits.
    fn mul_high(&self, a: Self::U64, b: Self::U64) -> Self::U64;
    /// `words[index]`, index < `words.len()`.
    fn table(&self, words: &'static [u64], index: Self::U64) -> Self::U64;
}

/// A function as it is computed for arguments for which the usual way will not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rare {
    /// The sine of large arguments.
    Sin,
    /// The cosine of large arguments.
    Cos,
    /// The tangent of large arguments.
    Tan,
    /// The logarithm of any argument.
    Log,
    /// The power of any base and exponent.
    Pow,
}
