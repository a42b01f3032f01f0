//! The natural logarithm, and the binary one in two floats.

use super::double::Double;
use super::exponential::{LN2_HIGH, LN2_HIGH_32, LN2_LOW, LN2_LOW_32};
use super::ops::Ops;
use super::polynomial::{polynomial, polynomial32};

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
const LONG_TAIL: [f64; 9] = [
    0.161436366293472,
    0.15684490904226772,
    0.17650219681551318,
    0.19999944801649414,
    0.2307692364175526,
    0.27272727269485386,
    0.33333333333342646,
    0.4285714285714285,
    0.6,
];

/// 2/(3 ln 2) = HIGH + LOW, and HIGH with 25 bits.
const SCALE: f64 = 0.9617966939259756;
const SCALE_HIGH: f64 = 0.9617967009544373;
const SCALE_LOW: f64 = -7.028461650952758e-9;

const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = (1 << 52) - 1;
const SQRT_HALF_BITS_32: u32 = 0x3f35_04f3;
const ONE_BITS_32: u32 = 0x3f80_0000;
const MANTISSA_32: u32 = (1 << 23) - 1;
const TWO_TO_23: f32 = 8_388_608.0;

/// x = 2^exponent · mantissa with mantissa in [√½, √2), for positive normal x.
fn split<O: Ops>(o: &O, x: O::F64) -> (O::F64, O::F64) {
    let moved = o.bits64(x) + o.u64(ONE_BITS - SQRT_HALF_BITS);
    let mantissa = o.float64((moved & o.u64(MANTISSA)) + o.u64(SQRT_HALF_BITS));
    // The biased exponent is below 2^52, so it becomes a float by being put into the mantissa of 2^52.
    let as_float = o.float64(o.shr64(moved, 52) | o.u64(2f64.powi(52).to_bits()));
    (as_float - o.f64(2f64.powi(52) + 1023.0), mantissa)
}

/// The same for positive floats, subnormal ones too.
fn split_any<O: Ops>(o: &O, x: O::F64) -> (O::F64, O::F64) {
    let subnormal = o.less64(x, o.f64(f64::MIN_POSITIVE));
    let (exponent, m) = split(o, o.select64(subnormal, x * o.f64(2f64.powi(54)), x));
    (exponent - o.select64(subnormal, o.f64(54.0), o.f64(0.0)), m)
}

/// The upper 26 bits of the mantissa.
pub(super) fn upper_half<O: Ops>(o: &O, v: O::F64) -> O::F64 {
    o.float64(o.bits64(v) & o.u64(!0 << 27))
}

/// log₂ x in two floats, of which the first has 26 bits, with an error of about 2^-65 of the fraction, for positive finite x, subnormal
/// ones too.
///
/// With s = (m − 1)/(m + 1), ln m = 2 atanh(s) = ⅔ s (3 + z + z² · tail). Factors of exact products are cut to 26 bits.
pub(super) fn log2_double<O: Ops>(o: &O, x: O::F64) -> Double<O> {
    let (exponent, m) = split_any(o, x);
    let f = m - o.f64(1.0);
    let over = o.f64(1.0) / (m + o.f64(1.0));
    let s = f * over;
    let s_high = upper_half(o, s);
    let above = upper_half(o, m + o.f64(1.0));
    let rest = m - (above - o.f64(1.0));
    let s_low = over * ((f - s_high * above) - s_high * rest);
    // 3 + z + z² · tail, whose z is s_high² and what is left of s².
    let z = s * s;
    let z_high = s_high * s_high;
    let tail = z * z * polynomial(o, &LONG_TAIL, z) + s_low * (s_high + s);
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

/// ln x with a relative error of about 2^-51 where |ln x| is not tiny, for positive normal x: enough for binary32.
pub(super) fn log_short<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    let (exponent, m) = split(o, x);
    let s = (m - o.f64(1.0)) / (m + o.f64(1.0));
    let z = s * s;
    exponent * o.f64(std::f64::consts::LN_2) + (s + s + s * (z * polynomial(o, &TAIL, z)))
}

/// The natural logarithm: with f = m − 1 and s = f/(2 + f) it is f − (f²/2 − s (f²/2 + z · tail)).
pub fn log64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    let (exponent, m) = split_any(o, x);
    let f = m - o.f64(1.0);
    let s = f / (m + o.f64(1.0));
    let z = s * s;
    let half = f * f * o.f64(0.5);
    let tail = s * (half + z * polynomial(o, &TAIL, z));
    let y = exponent * o.f64(LN2_HIGH) - ((half - (tail + exponent * o.f64(LN2_LOW))) - f);
    let y = o.select64(o.less64(x, o.f64(f64::INFINITY)), y, x);
    let y = o.select64(o.less64(o.f64(0.0), x), y, o.f64(f64::NEG_INFINITY));
    let nan = o.less64(x, o.f64(0.0)) | !o.equal64(x, x);
    o.select64(nan, o.f64(f64::NAN), y)
}

/// The natural logarithm, in binary32 throughout.
pub fn log32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let subnormal = o.less32(x, o.f32(f32::MIN_POSITIVE));
    let normal = o.select32(subnormal, x * o.f32(TWO_TO_23), x);
    let moved = o.bits32(normal) + o.u32(ONE_BITS_32 - SQRT_HALF_BITS_32);
    let m = o.float32((moved & o.u32(MANTISSA_32)) + o.u32(SQRT_HALF_BITS_32));
    let as_float = o.float32(o.shr32(moved, 23) | o.u32(TWO_TO_23.to_bits()));
    let exponent = as_float - o.select32(subnormal, o.f32(TWO_TO_23 + 150.0), o.f32(TWO_TO_23 + 127.0));
    let f = m - o.f32(1.0);
    let s = f / (m + o.f32(1.0));
    let z = s * s;
    let half = f * f * o.f32(0.5);
    let tail = s * (half + z * polynomial32(o, &TAIL_32, z));
    let y = exponent * o.f32(LN2_HIGH_32) - ((half - (tail + exponent * o.f32(LN2_LOW_32))) - f);
    let y = o.select32(o.less32(x, o.f32(f32::INFINITY)), y, x);
    let y = o.select32(o.less32(o.f32(0.0), x), y, o.f32(f32::NEG_INFINITY));
    let nan = o.less32(x, o.f32(0.0)) | !o.equal32(x, x);
    o.select32(nan, o.f32(f32::NAN), y)
}
