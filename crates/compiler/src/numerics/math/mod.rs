//! `exp log sin cos tanh pow`: one implementation for every backend, at most 2 units in the last place from the truth over the
//! whole range of binary32 and binary64.
//!
//! Each function is straight-line code over the few operations of [`Ops`]: no branches, no loops that data decide, no
//! fused multiply-add, one table of 20 words (2/π). Run on [`Plain`] it computes; run on a recorder it becomes kernel IR or
//! the text of another language. Since every primitive is exact or correctly rounded, all of them give the same bits. (Which
//! NaN is given is not fixed: a NaN is made the one quiet NaN where it is stored.)
//!
//! | | method | largest error met in binary64 | in binary32 |
//! |---|---|---|---|
//! | exp | x = n ln 2 + r, polynomial in r | 0.84 | 0.99 |
//! | log | mantissa in [√½, √2), series of atanh in two floats | 0.51 | 0.51 |
//! | sin, cos | exact reduction by 192 bits of 2/π, polynomials on ±π/4 | 0.77 | 0.51 |
//! | tanh | (e^2x − 1)/(e^2x + 1) in two floats | 0.76 | 0.51 |
//! | pow | e^(y ln x), the logarithm in two floats | 0.82 | 0.51 |
//!
//! The errors are in units of the last place, over 10^5 hard and random points for each binary64 function (`tests/math/truth.py`)
//! and 2 to 8 million for each binary32 one (`tests/math.rs`). Constants come from `tests/math/coefficients.py`.
//!
//! binary32 versions compute in binary64 and round once, except exp, which is binary32 throughout. `sqrt`, `floor`,
//! `ceil` and `round` are IEEE operations that every target has, and are not here.

mod double;
mod exponential;
mod logarithm;
mod ops;
mod power;
mod trigonometry;

pub use ops::{Ops, Plain};

/// The functions over any [`Ops`].
pub mod generic {
    pub use super::exponential::{exp32, exp64, tanh32, tanh64};
    pub use super::logarithm::{log32, log64};
    pub use super::power::{pow32, pow64};
    pub use super::trigonometry::{cos32, cos64, sin32, sin64};
}

/// The functions of one float on [`Plain`].
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident: $ty:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(x: $ty) -> $ty {
            generic::$name(&Plain, x)
        }
    )*};
}

plain! {
    /// e^x.
    exp32: f32;
    /// e^x.
    exp64: f64;
    /// The natural logarithm: −∞ of zeros, NaN of what is below.
    log32: f32;
    /// The natural logarithm: −∞ of zeros, NaN of what is below.
    log64: f64;
    /// The sine of radians; NaN of infinities.
    sin32: f32;
    /// The sine of radians; NaN of infinities.
    sin64: f64;
    /// The cosine of radians; NaN of infinities.
    cos32: f32;
    /// The cosine of radians; NaN of infinities.
    cos64: f64;
    /// The hyperbolic tangent.
    tanh32: f32;
    /// The hyperbolic tangent.
    tanh64: f64;
}

/// `base` to the power `exponent`, with the special cases of IEEE 754 and C99 annex F.
pub fn pow32(base: f32, exponent: f32) -> f32 {
    generic::pow32(&Plain, base, exponent)
}

/// `base` to the power `exponent`, with the special cases of IEEE 754 and C99 annex F.
pub fn pow64(base: f64, exponent: f64) -> f64 {
    generic::pow64(&Plain, base, exponent)
}

/// The polynomial with these coefficients, highest power first.
fn polynomial<O: Ops>(o: &O, coefficients: &[f64], x: O::F64) -> O::F64 {
    let mut y = o.f64(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        y = y * x + o.f64(coefficient);
    }
    y
}

/// x, but at least `low` and at most `high`; NaN stays.
fn clamp<O: Ops>(o: &O, x: O::F64, low: f64, high: f64) -> O::F64 {
    let (low, high) = (o.f64(low), o.f64(high));
    let x = o.select64(o.less64(high, x), high, x);
    o.select64(o.less64(x, low), low, x)
}
