//! The natural logarithm, and the binary one in two floats.

use super::double::Double;
use super::exponential::{LN2_HIGH, LN2_HIGH_32, LN2_LOW, LN2_LOW_32};
use super::ops::{Float, IntegerOps, Ops, Rare};
use super::polynomial::polynomial;

/// (2 atanh(s)/s − 2) / z with z = s² ≤ 0.0295, highest power first; in atanh the relative error is 2^-57.
const TAIL: [f64; 7] = [
    0.14616585424888623,
    0.15331710618210773,
    0.18182889455674947,
    0.22222211130259878,
    0.2857142862600327,
    0.39999999999899444,
    0.666666666666667,
];

/// The same, with an error of 2^-31.
const TAIL_32: [f32; 4] = [0.233_305_83, 0.285_508_16, 0.400_001_23, 0.666_666_7];

/// (3 atanh(s)/s − 3 − z) / z², with a relative error of 2^-67 in atanh.
const LONG_TAIL: [f64; 8] = [
    0.17584767935814777,
    0.1755935450923681,
    0.20002207040770967,
    0.23076892443777647,
    0.272727275030892,
    0.3333333333248383,
    0.4285714285714405,
    0.6,
];

/// log₂(m)/s as a polynomial in z, with a relative error of 2^-37.
const SHORT_LOG2: [f64; 5] =
    [0.34071413665191197, 0.411673658400816, 0.5770835677034892, 0.9617966734432283, 2.885390081789993];

/// 2/(3 ln 2) = HIGH + LOW, and HIGH with 25 bits.
const SCALE: f64 = 0.9617966939259756;
const SCALE_HIGH: f64 = 0.9617967009544373;
const SCALE_LOW: f64 = -7.028461650952758e-9;

const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
const SIGN: u64 = 1 << 63;
const MANTISSA: u64 = (1 << 52) - 1;
const SQRT_HALF_BITS_32: u32 = 0x3f35_04f3;
/// The same number in binary64.
const SQRT_HALF_BITS_SHORT: u64 = 0x3fe6_a09e_6000_0000;
const ONE_BITS_32: u32 = 0x3f80_0000;
const MANTISSA_32: u32 = (1 << 23) - 1;
const TWO_TO_23: f32 = 8_388_608.0;

/// A float as 2^exponent · mantissa.
pub(super) struct Split<F> {
    /// An integer.
    pub(super) exponent: F,
    /// In [√½, √2).
    pub(super) mantissa: F,
}

/// Positive normal x, taken apart. Of other floats the exponent is less than −1021 or more than 1023, as that of a few at the ends of the range.
pub(super) fn split<O: Ops>(o: &O, x: O::F64) -> Split<O::F64> {
    split_at(o, SQRT_HALF_BITS, x)
}

/// The same with these bits as the least mantissa.
fn split_at<O: Ops>(o: &O, least: u64, x: O::F64) -> Split<O::F64> {
    let moved = x.bits() + o.u64(ONE_BITS - least);
    let mantissa = ((moved & o.u64(MANTISSA)) + o.u64(least)).float();
    // The biased exponent is below 2^52, so it becomes a float by being put into the mantissa of 2^52.
    let as_float = (moved >> 52 | o.u64(2f64.powi(52).to_bits())).float();
    Split { exponent: as_float - o.f64(2f64.powi(52) + 1023.0), mantissa }
}

/// Whether only a positive normal float can have this exponent.
pub(super) fn is_of_normal<O: Ops>(o: &O, exponent: O::F64) -> O::Mask {
    (exponent.bits() & o.u64(!SIGN)).float().less(o.f64(1021.5))
}

/// Positive floats, subnormal ones too, taken apart.
pub(super) fn split_any<O: Ops>(o: &O, x: O::F64) -> Split<O::F64> {
    let subnormal = x.less(o.f64(f64::MIN_POSITIVE));
    let Split { exponent, mantissa } = split(o, Float::select(subnormal, x * o.f64(2f64.powi(54)), x));
    Split { exponent: exponent - Float::select(subnormal, o.f64(54.0), o.f64(0.0)), mantissa }
}

/// A positive binary32 that became a binary64, taken apart as [`split_single`] does; subnormal ones too.
pub(super) fn split_short<O: Ops>(o: &O, x: O::F64) -> Split<O::F64> {
    split_at(o, SQRT_HALF_BITS_SHORT, x)
}

/// The exponent of a positive normal binary32, and its mantissa in [√½, √2) less one.
pub(super) fn split_single<O: Ops>(o: &O, x: O::F32) -> (O::F32, O::F32) {
    let moved = x.bits() + o.u32(ONE_BITS_32 - SQRT_HALF_BITS_32);
    let mantissa = ((moved & o.u32(MANTISSA_32)) + o.u32(SQRT_HALF_BITS_32)).float();
    let as_float = (moved >> 23 | o.u32(TWO_TO_23.to_bits())).float();
    (as_float - o.f32(TWO_TO_23 + 127.0), mantissa - o.f32(1.0))
}

/// The upper 26 bits of the mantissa.
pub(super) fn upper_half<O: Ops>(o: &O, v: O::F64) -> O::F64 {
    (v.bits() & o.u64(!0 << 27)).float()
}

/// log₂ x in two floats, of which the first has 26 bits, with an error of about 2^-65 of the fraction.
///
/// With s = (m − 1)/(m + 1), ln m = 2 atanh(s) = ⅔ s (3 + z + z² · tail). Factors of exact products are cut to 26 bits.
pub(super) fn log2_double<O: Ops>(o: &O, x: Split<O::F64>) -> Double<O::F64> {
    let Split { exponent, mantissa: m } = x;
    let f = m - o.f64(1.0);
    let over = o.f64(1.0) / (m + o.f64(1.0));
    let s = f * over;
    let s_high = upper_half(o, s);
    let above = upper_half(o, m + o.f64(1.0));
    let rest = m - (above - o.f64(1.0));
    let s_low = over * ((f - s_high * above) - s_high * rest);
    // 3 + z + z² · tail, whose z is s_high² and the rest of s².
    let z = s * s;
    let z_high = s_high * s_high;
    let tail = z * z * polynomial(|c| o.f64(c), &LONG_TAIL, z) + s_low * (s_high + s);
    let sum = upper_half(o, (o.f64(3.0) + z_high) + tail);
    let sum_low = tail - ((sum - o.f64(3.0)) - z_high);
    // Times s.
    let (product, product_low) = (s_high * sum, s_low * sum + sum_low * s);
    let high = upper_half(o, product + product_low);
    let low = product_low - (high - product);
    // Times 2/(3 ln 2), and the exponent.
    let scaled = o.f64(SCALE_HIGH) * high;
    let scaled_low = o.f64(SCALE_LOW) * high + low * o.f64(SCALE);
    let whole = upper_half(o, (scaled + scaled_low) + exponent);
    Double { high: whole, low: scaled_low - ((whole - exponent) - scaled) }
}

/// log₂ of 2^exponent · (1 + f) with a relative error of about 2^-37: enough for binary32.
pub(super) fn log2_short<O: Ops>(o: &O, exponent: O::F64, f: O::F64) -> O::F64 {
    let s = f / (f + o.f64(2.0));
    exponent + s * polynomial(|c| o.f64(c), &SHORT_LOG2, s * s)
}

/// ln x: with f = m − 1 and s = f/(2 + f) it is f − s (f − z · tail).
fn ln<O: Ops>(o: &O, x: Split<O::F64>) -> O::F64 {
    let Split { exponent, mantissa: m } = x;
    let f = m - o.f64(1.0);
    let s = f / (m + o.f64(1.0));
    let z = s * s;
    let tail = s * (f - z * polynomial(|c| o.f64(c), &TAIL, z));
    exponent * o.f64(LN2_HIGH) - ((tail - exponent * o.f64(LN2_LOW)) - f)
}

/// The natural logarithm: −∞ of zeros, NaN of negative numbers.
pub fn log64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    if !O::BRANCHES {
        return log64_of_any(o, x);
    }
    let parts = split(o, x);
    let common = is_of_normal(o, parts.exponent);
    o.rarely64(!common, ln(o, parts), Rare::Log, &[x])
}

/// The same without a way of its own for positive normal numbers.
#[inline(always)]
pub fn log64_of_any<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    odd_logarithm(o, x, ln(o, split_any(o, x)))
}

/// The natural logarithm, in binary32 throughout.
pub fn log32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let subnormal = x.less(o.f32(f32::MIN_POSITIVE));
    let normal = Float::select(subnormal, x * o.f32(TWO_TO_23), x);
    let moved = normal.bits() + o.u32(ONE_BITS_32 - SQRT_HALF_BITS_32);
    let m = ((moved & o.u32(MANTISSA_32)) + o.u32(SQRT_HALF_BITS_32)).float();
    let as_float = (moved >> 23 | o.u32(TWO_TO_23.to_bits())).float();
    let exponent = as_float - Float::select(subnormal, o.f32(TWO_TO_23 + 150.0), o.f32(TWO_TO_23 + 127.0));
    let f = m - o.f32(1.0);
    let s = f / (m + o.f32(1.0));
    let z = s * s;
    let half = f * f * o.f32(0.5);
    let tail = s * (half + z * polynomial(|c| o.f32(c), &TAIL_32, z));
    let y = exponent * o.f32(LN2_HIGH_32) - ((half - (tail + exponent * o.f32(LN2_LOW_32))) - f);
    let y = Float::select(x.less(o.f32(f32::INFINITY)), y, x);
    let y = Float::select(o.f32(0.0).less(x), y, o.f32(f32::NEG_INFINITY));
    let nan = x.less(o.f32(0.0)) | !x.equal(x);
    Float::select(nan, o.f32(f32::NAN), y)
}

/// The binary logarithm: −∞ of zeros, NaN of negative numbers. Of powers of two it is exact.
pub fn log2_64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    let Double { high, low } = log2_double(o, split_any(o, x));
    odd_logarithm(o, x, high + low)
}

/// The binary logarithm, computed in binary64 and rounded once.
pub fn log2_32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let x = o.widen(x);
    let Split { exponent, mantissa } = split_short(o, x);
    let y = log2_short(o, exponent, mantissa - o.f64(1.0));
    o.narrow(odd_logarithm(o, x, y))
}

/// `y`, or the logarithm of infinity, of zeros, of negative numbers and of NaN.
#[inline(always)]
fn odd_logarithm<O: Ops>(o: &O, x: O::F64, y: O::F64) -> O::F64 {
    let y = Float::select(x.less(o.f64(f64::INFINITY)), y, x);
    let y = Float::select(o.f64(0.0).less(x), y, o.f64(f64::NEG_INFINITY));
    let nan = x.less(o.f64(0.0)) | !x.equal(x);
    Float::select(nan, o.f64(f64::NAN), y)
}
