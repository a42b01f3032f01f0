//! `exp log log2 sin cos tan tanh pow asin acos atan atan2`: one implementation for every backend, at most 2 units in the last place from the truth over
//! the whole range of binary32 and binary64.
//!
//! Each function is straight-line code over the few operations of [`Ops`], each an instruction or two on whole vectors: no branches, no
//! tables, no fused multiply-add but where it gives the same results ([`Ops::plus_product`]). Only arguments that are [`Rare`] are computed by themselves: large angles, with one table of 20
//! words (2/π), and, where a test on a vector costs little ([`Ops::BRANCHES`]), logarithms and powers of other than positive normal numbers. Run on [`HostMachine`] the functions compute; run on a recorder they become machine code or the text of another language.
//! Since every primitive is exact or correctly rounded, all of them give the same bits. (Which NaN is given is not fixed: a NaN is made the
//! one quiet NaN where it is stored.)
//!
//! | | method | largest error met in binary64 | in binary32 |
//! |---|---|---|---|
//! | exp | x = n ln 2 + r, polynomial in r | 0.88 | 0.99 |
//! | log | mantissa in [√½, √2), series of atanh | 0.92 | 0.84 |
//! | log2 | the logarithm of powers, in two floats; in binary32 a shorter one | 0.50 | 0.50 |
//! | sin, cos | reduction in parts of 33 bits, or by 192 bits of 2/π; polynomials on ±π/4, in binary32 on ±π/2 | 0.70 | 0.51 |
//! | tan | the quotient of sine and cosine, with what both lost; in binary32 polynomial on ±π/4 | 1.22 | 0.51 |
//! | tanh | tanh of a sum; in binary32 polynomial, or 1 − 2/(e^2x + 1) | 1.83 | 1.25 |
//! | asin, acos | polynomial on ±½, beyond of the half angle | 1.00 | 1.08 |
//! | atan, atan2 | one division, turned by π/4 or π/2, polynomial on ±tan(π/8) | 1.40 | 1.86 |
//! | pow | 2^(y log₂ x), the logarithm in two floats | 1.80 | 0.54 |
//!
//! The errors are in units of the last place, over 6000 hard and random points for each binary64 function (`tests/math/truth.py`),
//! of log, tanh and pow over 5 to 40 million more (with libquadmath), and 2 to 20 million for each binary32 one (`tests/math.rs`). Constants come from `tests/math/coefficients.py`.
//!
//! Sine, cosine, tangent, binary logarithm and power of binary32 are computed in binary64 and rounded once, all else in its own width. `sqrt`, `floor`,
//! `ceil` and `round` are IEEE operations that every target has, and are not here.

mod arcsine;
mod arctangent;
mod double;
mod exponential;
mod logarithm;
pub mod named;
mod ops;
mod plain;
mod polynomial;
mod power;
mod rare;
mod trigonometry;

pub use ops::{Float, IntegerOps, Ops, Rare, WideOps};
pub use plain::HostMachine;

/// The functions over any [`Ops`].
pub mod generic {
    pub use super::arcsine::{acos32, acos64, asin32, asin64};
    pub use super::arctangent::{atan2_32, atan2_64, atan32, atan64};
    pub use super::exponential::{exp32, exp64, tanh32, tanh64};
    pub use super::logarithm::{log2_32, log2_64, log32, log64, log64_of_any};
    pub use super::power::{pow32, pow32_of_any, pow64, pow64_of_any};
    pub use super::trigonometry::{cos32, cos64, sin32, sin64, tan32, tan64};
}
