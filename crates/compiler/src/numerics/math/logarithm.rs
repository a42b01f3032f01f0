//! The natural logarithm.

use super::double::{Double, constant, ordered_sum, sum};
use super::exponential::{LN2_HIGH, LN2_LOW};
use super::ops::Ops;
use super::polynomial;

const THIRD: (f64, f64) = (0.3333333333333333, 1.850371707708594e-17);
const FIFTH: (f64, f64) = (0.2, -1.1102230246251566e-17);

/// (atanh(s)/s − 1 − z/3 − z²/5) / z³ with z = s² ≤ 0.0295, highest power first; in atanh the relative error is 2^-72.
const TAIL: [f64; 10] = [
    0.04590859864688647,
    0.04309890576946864,
    0.04763235474361509,
    0.05263129835844769,
    0.058823533063582734,
    0.0666666666377792,
    0.07692307692320803,
    0.0909090909090906,
    0.1111111111111111,
    0.14285714285714285,
];

/// (atanh(s)/s − 1) / z, with a relative error of 2^-57 in atanh.
const SHORT_TAIL: [f64; 7] = [
    0.07308292712444311,
    0.07665855309105386,
    0.09091444727837474,
    0.11111105565129939,
    0.14285714313001635,
    0.19999999999949722,
    0.3333333333333335,
];

const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = (1 << 52) - 1;

/// x = 2^exponent · mantissa with mantissa in [√½, √2), for positive normal x.
fn split<O: Ops>(o: &O, x: O::F64) -> (O::F64, O::F64) {
    let moved = o.bits64(x) + o.u64(ONE_BITS - SQRT_HALF_BITS);
    let mantissa = o.float64((moved & o.u64(MANTISSA)) + o.u64(SQRT_HALF_BITS));
    // The biased exponent is below 2^52, so it becomes a float by being put into the mantissa of 2^52.
    let as_float = o.float64(o.shr64(moved, o.u64(52)) | o.u64(2f64.powi(52).to_bits()));
    (as_float - o.f64(2f64.powi(52) + 1023.0), mantissa)
}

/// ln x in two floats with a relative error of about 2^-70, for positive finite x, subnormal ones too.
///
/// ln m = 2 atanh(s) with s = (m − 1)/(m + 1); the first terms of atanh's series are summed in two floats.
pub(super) fn log_double<O: Ops>(o: &O, x: O::F64) -> Double<O> {
    let subnormal = o.less64(x, o.f64(f64::MIN_POSITIVE));
    let (exponent, m) = split(o, o.select64(subnormal, x * o.f64(2f64.powi(54)), x));
    let exponent = exponent - o.select64(subnormal, o.f64(54.0), o.f64(0.0));
    // m − 1 is exact, m + 1 needs two floats.
    let above = sum::<O>(m, o.f64(1.0));
    let s = Double { high: m - o.f64(1.0), low: o.f64(0.0) }.over(o, above);
    let z = s.times(o, s);
    let series = constant(o, FIFTH).plus_smaller(z.high * polynomial(o, &TAIL, z.high));
    let series = constant(o, THIRD).plus_smaller_double(series.times(o, z));
    let twice = Double { high: s.high + s.high, low: s.low + s.low };
    let mantissa = twice.plus_smaller_double(series.times(o, z).times(o, twice));
    let whole = sum::<O>(exponent * o.f64(LN2_HIGH), mantissa.high);
    ordered_sum(whole.high, whole.low + (mantissa.low + exponent * o.f64(LN2_LOW)))
}

/// ln x with a relative error of about 2^-51 where |ln x| is not tiny, for positive normal x: enough for binary32.
pub(super) fn log_short<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    let (exponent, m) = split(o, x);
    let s = (m - o.f64(1.0)) / (m + o.f64(1.0));
    let z = s * s;
    let twice = s + s;
    exponent * o.f64(std::f64::consts::LN_2) + (twice + twice * (z * polynomial(o, &SHORT_TAIL, z)))
}

/// `y`, the logarithm of positive finite x, but with what holds for all other x in its place.
fn with_special_cases<O: Ops>(o: &O, x: O::F64, y: O::F64) -> O::F64 {
    let y = o.select64(o.less64(o.f64(f64::MAX), x), x, y);
    let y = o.select64(o.equal64(x, o.f64(0.0)), o.f64(f64::NEG_INFINITY), y);
    let wrong = o.less64(x, o.f64(0.0)) | !o.equal64(x, x);
    o.select64(wrong, o.f64(f64::NAN), y)
}

/// The natural logarithm.
pub fn log64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    with_special_cases(o, x, log_double(o, x).high)
}

/// The natural logarithm, computed in binary64 and rounded once.
pub fn log32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let x = o.widen(x);
    o.narrow(with_special_cases(o, x, log_short(o, x)))
}
