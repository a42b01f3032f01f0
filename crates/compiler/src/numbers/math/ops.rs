//! The primitive operations that the functions are made of.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Sub};

/// A machine on which the functions run, or that records them: its values and its operations.
///
/// Besides the operators of the associated types (`+ − × ÷` of floats, rounded to nearest even and never contracted; `+ −` of
/// integers, wrapping; `& | ^`; `& | !` of masks) there are only these methods, each of which is an instruction or two on vectors. None
/// may depend on data in its control flow, but [`rarely64`](Self::rarely64) and its like.
pub trait Ops {
    /// Whether a test on a whole vector costs little. Then what few arguments need is left to [`Rare`] functions; else it is computed for all.
    const BRANCHES: bool;

    /// IEEE binary32 values.
    type F32: Copy
        + Add<Output = Self::F32>
        + Sub<Output = Self::F32>
        + Mul<Output = Self::F32>
        + Div<Output = Self::F32>;
    /// IEEE binary64 values.
    type F64: Copy
        + Add<Output = Self::F64>
        + Sub<Output = Self::F64>
        + Mul<Output = Self::F64>
        + Div<Output = Self::F64>;
    /// Integers modulo 2^32.
    type U32: Copy
        + Add<Output = Self::U32>
        + Sub<Output = Self::U32>
        + BitAnd<Output = Self::U32>
        + BitOr<Output = Self::U32>
        + BitXor<Output = Self::U32>;
    /// Integers modulo 2^64.
    type U64: Copy
        + Add<Output = Self::U64>
        + Sub<Output = Self::U64>
        + BitAnd<Output = Self::U64>
        + BitOr<Output = Self::U64>
        + BitXor<Output = Self::U64>;
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
    /// The IEEE bits of a float.
    fn bits32(&self, v: Self::F32) -> Self::U32;
    /// The float with these bits.
    fn float32(&self, v: Self::U32) -> Self::F32;
    /// The IEEE bits of a float.
    fn bits64(&self, v: Self::F64) -> Self::U64;
    /// The float with these bits.
    fn float64(&self, v: Self::U64) -> Self::F64;
    /// Binary32 to binary64, exact.
    fn widen(&self, v: Self::F32) -> Self::F64;
    /// Binary64 to binary32, rounded to nearest even.
    fn narrow(&self, v: Self::F64) -> Self::F32;
    /// a < b; false if one is NaN.
    fn less32(&self, a: Self::F32, b: Self::F32) -> Self::Mask;
    /// a < b; false if one is NaN.
    fn less64(&self, a: Self::F64, b: Self::F64) -> Self::Mask;
    /// a = b; false if one is NaN.
    fn equal32(&self, a: Self::F32, b: Self::F32) -> Self::Mask;
    /// a = b; false if one is NaN.
    fn equal64(&self, a: Self::F64, b: Self::F64) -> Self::Mask;
    /// `mask ? a : b`.
    fn select32(&self, mask: Self::Mask, a: Self::F32, b: Self::F32) -> Self::F32;
    /// `mask ? a : b`.
    fn select64(&self, mask: Self::Mask, a: Self::F64, b: Self::F64) -> Self::F64;
    /// `v << n`, n < 32.
    fn shl32(&self, v: Self::U32, n: u32) -> Self::U32;
    /// `v >> n`, unsigned, n < 32.
    fn shr32(&self, v: Self::U32, n: u32) -> Self::U32;
    /// `v << n`, n < 64.
    fn shl64(&self, v: Self::U64, n: u32) -> Self::U64;
    /// `v >> n`, unsigned, n < 64.
    fn shr64(&self, v: Self::U64, n: u32) -> Self::U64;
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
    /// `most < v ? most : v`.
    fn at_most32(&self, most: f32, v: Self::F32) -> Self::F32 {
        let most = self.f32(most);
        self.select32(self.less32(most, v), most, v)
    }
    /// `v < least ? least : v`.
    fn at_least32(&self, least: f32, v: Self::F32) -> Self::F32 {
        let least = self.f32(least);
        self.select32(self.less32(v, least), least, v)
    }
    /// `most < v ? most : v`.
    fn at_most64(&self, most: f64, v: Self::F64) -> Self::F64 {
        let most = self.f64(most);
        self.select64(self.less64(most, v), most, v)
    }
    /// `v < least ? least : v`.
    fn at_least64(&self, least: f64, v: Self::F64) -> Self::F64 {
        let least = self.f64(least);
        self.select64(self.less64(v, least), least, v)
    }
}

/// What is only needed for arguments that are [`Rare`]: whole products and tables.
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
    /// The logarithm of any argument.
    Log,
    /// The power of any base and exponent.
    Pow,
}
