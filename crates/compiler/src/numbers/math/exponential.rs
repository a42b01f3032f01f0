//! e^x, and the functions made of it.

use super::ops::{Float, IntegerOps, Ops};
use super::polynomial::polynomial;

/// 2^52 · 1.5: adding it rounds to an integer, which the low bits then hold in two's complement.
pub(super) const TO_INTEGER: f64 = 6_755_399_441_055_744.0;
/// The same for binary32: 2^23 · 1.5.
const TO_INTEGER_32: f32 = 12_582_912.0;
const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 = HIGH + LOW; HIGH has 42 bits, so that its products with the exponents of floats are exact.
pub(super) const LN2_HIGH: f64 = 0.6931471805598903;
pub(super) const LN2_LOW: f64 = 5.497923018708371e-14;
/// The same for binary32; HIGH has 16 bits.
pub(super) const LN2_HIGH_32: f32 = 0.693_145_75;
pub(super) const LN2_LOW_32: f32 = 1.428_606_8e-6;

/// (e^r − 1 − r) / r² for |r| ≤ ln 2 / 2, highest power first; in e^r the relative error is 2^-61.
const TAIL: [f64; 11] = [
    2.091467937658393e-9,
    2.510520637395701e-8,
    2.7557273661348637e-7,
    2.7557255425746435e-6,
    2.4801587325533363e-5,
    0.00019841269874800493,
    0.0013888888888883752,
    0.008333333333326141,
    0.04166666666666667,
    0.1666666666666667,
    0.5,
];

/// The same, with a relative error of 2^-26 in e^r.
const TAIL_32: [f32; 5] = [0.001_392_617_6, 0.008_363_173, 0.041_666_556, 0.166_665_78, 0.5];

/// The same, with a relative error of 2^-55.
const SHORTER_TAIL: [f64; 10] = [
    2.5100375832561234e-8,
    2.7620075879983367e-7,
    2.7557268480310024e-6,
    2.4801521322368692e-5,
    0.00019841269863040545,
    0.0013888888917196719,
    0.008333333333330065,
    0.041666666666624164,
    0.16666666666666669,
    0.5000000000000001,
];

/// 2^r for |r| ≤ ½, with a relative error of 2^-28.
const SHORT_EXP2: [f64; 7] = [
    0.0001546144469856913,
    0.0013400428177615838,
    0.009618056678524637,
    0.05550327226670302,
    0.24022650922288757,
    0.6931472067028326,
    1.0,
];

/// (tanh(r)/r − 1) / z with z = r², |r| ≤ 0.2567; in tanh the relative error is 2^-55.
const TANH: [f64; 7] = [
    -0.0013271449449702801,
    0.003580681804266446,
    -0.00886272580995949,
    0.02186947683779767,
    -0.053968253840133686,
    0.13333333333280642,
    -0.333333333333333,
];
/// (ln 2)/2 = HIGH + LOW; HIGH has 42 bits, so that its products with small integers are exact.
const HALF_LN2_HIGH: f64 = 0.34657359027994517;
const HALF_LN2_LOW: f64 = 2.7489615093541856e-14;
/// (tanh(x)/x − 1) / z with z = x² ≤ 0.39 for binary32, with an error of 2^-26.
const TANH_32: [f32; 5] = [-0.006_094_641_5, 0.020_995_755, -0.053_850_61, 0.133_327_68, -0.333_333_28];
/// Below this tanh of binary32 is computed without the exponential function.
const TANH_SMALL: f32 = 0.625;

/// x = n · ln 2 + r with |r| ≤ ln 2 / 2 and a little, for |x| ≤ 1100: n in two's complement, and e^r.
fn reduced_exp<O: Ops>(o: &O, x: O::F64) -> (O::U64, O::F64) {
    let t = x * o.f64(LOG2_E) + o.f64(TO_INTEGER);
    let n = t - o.f64(TO_INTEGER);
    let r = (x - n * o.f64(LN2_HIGH)) - n * o.f64(LN2_LOW);
    (t.bits() - o.u64(TO_INTEGER.to_bits()), o.f64(1.0) + (r + r * r * polynomial(|c| o.f64(c), &TAIL, r)))
}

/// y · 2^n, rounded once, for −1100 ≤ n ≤ 1100.
fn scaled<O: Ops>(o: &O, y: O::F64, n: O::U64) -> O::F64 {
    // Two factors, each a normal float: the first product is exact, the second rounds once, to a subnormal maybe.
    let biased = n + o.u64(2046);
    let first = biased >> 1;
    let factor = |e: O::U64| (e << 52).float();
    y * factor(first) * factor(biased - first)
}

/// y · 2^n for normal floats and results, where t is n and [`TO_INTEGER`]: n is in its lowest bits.
fn scaled_within<O: Ops>(y: O::F64, t: O::F64) -> O::F64 {
    (y.bits() + (t.bits() << 52)).float()
}

/// 2^(x + low) = y · 2^n: n and [`TO_INTEGER`], and y in [√½, √2] and a little; |low| is small against 1.
fn reduced_exp2<O: Ops>(o: &O, x: O::F64, low: O::F64) -> (O::F64, O::F64) {
    let t = x + o.f64(TO_INTEGER);
    let r = ((x - (t - o.f64(TO_INTEGER))) + low) * o.f64(std::f64::consts::LN_2);
    (t, o.f64(1.0) + (r + r * r * polynomial(|c| o.f64(c), &SHORTER_TAIL, r)))
}

/// 2^(x + low), |low| small against 1. Beyond the range of floats it is infinite or 0.
pub(super) fn exp2_of_sum<O: Ops>(o: &O, x: O::F64, low: O::F64) -> O::F64 {
    let (t, y) = reduced_exp2(o, x.at_most(o.f64(1030.0)).at_least(o.f64(-1080.0)), low);
    scaled(o, y, t.bits() - o.u64(TO_INTEGER.to_bits()))
}

/// The same for |x| below 1021.
pub(super) fn exp2_of_sum_within<O: Ops>(o: &O, x: O::F64, low: O::F64) -> O::F64 {
    let (t, y) = reduced_exp2(o, x, low);
    scaled_within::<O>(y, t)
}

/// 2^x for results that are rounded to binary32, with a relative error of 2^-28: beyond its range they need not be right. Of NaN it is anything.
pub(super) fn exp2_short<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    let x = x.at_most(o.f64(200.0)).at_least(o.f64(-200.0));
    let t = x + o.f64(TO_INTEGER);
    let r = x - (t - o.f64(TO_INTEGER));
    scaled_within::<O>(polynomial(|c| o.f64(c), &SHORT_EXP2, r), t)
}

/// e^x.
pub fn exp64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    // The bounds lie where the result has long become infinite, and less than half the smallest float.
    let (n, y) = reduced_exp(o, x.at_most(o.f64(710.0)).at_least(o.f64(-746.0)));
    scaled(o, y, n)
}

/// x = n · ln 2 + r: t = n + 2^23 · 1.5, and e^r, in binary32.
fn reduced_exp_32<O: Ops>(o: &O, x: O::F32) -> (O::F32, O::F32) {
    let t = x * o.f32(LOG2_E as f32) + o.f32(TO_INTEGER_32);
    let n = t - o.f32(TO_INTEGER_32);
    let r = (x - n * o.f32(LN2_HIGH_32)) - n * o.f32(LN2_LOW_32);
    (t, o.f32(1.0) + (r + r * r * polynomial(|c| o.f32(c), &TAIL_32, r)))
}

/// e^x, in binary32 throughout.
pub fn exp32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let (t, y) = reduced_exp_32(o, x.at_most(o.f32(89.0)).at_least(o.f32(-104.0)));
    let biased = t.bits() + o.u32(254u32.wrapping_sub(TO_INTEGER_32.to_bits()));
    let first = biased >> 1;
    let factor = |e: O::U32| (e << 23).float();
    y * factor(first) * factor(biased - first)
}

/// The hyperbolic tangent. With x = n · (ln 2)/2 + r and T = tanh r it is y/(y + 1 − T) where 2y = T (2^n + 1) + 2^n − 1.
///
/// The error of y has little weight in the quotient. r is between −0.09 and 0.2567, so that little is lost where y is a difference.
pub fn tanh64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    let sign = x.bits() & o.u64(1 << 63);
    // From 22 on the result rounds to 1.
    let a = (x.bits() ^ sign).float().at_most(o.f64(22.0));
    let t = (a * o.f64(2.0 * LOG2_E) - o.f64(0.24)) + o.f64(TO_INTEGER);
    let n = t - o.f64(TO_INTEGER);
    let r = (a - n * o.f64(HALF_LN2_HIGH)) - n * o.f64(HALF_LN2_LOW);
    let z = r * r;
    let small = r + r * (z * polynomial(|c| o.f64(c), &TANH, z));
    let half = scaled_within::<O>(o.f64(0.5), t);
    let y = small * (half + o.f64(0.5)) + (half - o.f64(0.5));
    let y = y / (y + (o.f64(1.0) - small));
    (y.bits() ^ sign).float()
}

/// The hyperbolic tangent, in binary32 throughout.
pub fn tanh32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let sign = x.bits() & o.u32(1 << 31);
    let a = (x.bits() ^ sign).float();
    // From 10 on the result rounds to 1.
    let bounded = a.at_most(o.f32(10.0));
    let (t, y) = reduced_exp_32(o, bounded + bounded);
    let biased = t.bits() + o.u32(127u32.wrapping_sub(TO_INTEGER_32.to_bits()));
    let above = y * (biased << 23).float() + o.f32(1.0);
    let z = a * a;
    let small = a + a * (z * polynomial(|c| o.f32(c), &TANH_32, z));
    let large = o.f32(1.0) - o.f32(2.0) / above;
    let y = Float::select(a.less(o.f32(TANH_SMALL)), small, large);
    (y.bits() ^ sign).float()
}
