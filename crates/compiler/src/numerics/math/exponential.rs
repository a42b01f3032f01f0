//! e^x, and what is made of it.

use super::double::{Double, ordered_sum, sum};
use super::ops::Ops;
use super::{clamp, polynomial};

/// 2^52 · 1.5: adding it rounds to an integer, which the low bits then hold in two's complement.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;
/// The same for binary32: 2^23 · 1.5.
const TO_INTEGER_32: f32 = 12_582_912.0;
const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 = HIGH + LOW; HIGH has 42 bits, so that its products with the exponents of floats are exact.
pub(super) const LN2_HIGH: f64 = 0.6931471805598903;
pub(super) const LN2_LOW: f64 = 5.497923018708371e-14;
/// The same for binary32; HIGH has 16 bits.
const LN2_HIGH_32: f32 = 0.693_145_75;
const LN2_LOW_32: f32 = 1.428_606_8e-6;

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

/// x = n · ln 2 + r with |r| ≤ ln 2 / 2 and a little.
struct Reduced<O: Ops> {
    /// n in two's complement.
    n: O::U64,
    r: Double<O>,
}

/// For |x| ≤ 1100; `low` is a small correction of x.
fn reduce<O: Ops>(o: &O, x: O::F64, low: O::F64) -> Reduced<O> {
    let t = x * o.f64(LOG2_E) + o.f64(TO_INTEGER);
    let n = t - o.f64(TO_INTEGER);
    let upper = x - n * o.f64(LN2_HIGH);
    let r = sum::<O>(upper, low - n * o.f64(LN2_LOW));
    Reduced { n: o.bits64(t) - o.u64(TO_INTEGER.to_bits()), r }
}

/// 2^n for −1022 ≤ n ≤ 1023, n in two's complement.
fn power_of_two<O: Ops>(o: &O, n: O::U64) -> O::F64 {
    o.float64(o.shl64(n + o.u64(1023), o.u64(52)))
}

/// e^(x + low), |low| small against 1. Beyond the range of floats it is infinite or 0.
pub(super) fn exp_of_sum<O: Ops>(o: &O, x: O::F64, low: O::F64) -> O::F64 {
    // The bounds lie where the result has long become infinite, and less than half the smallest float.
    let x = clamp(o, x, -746.0, 710.0);
    let Reduced { n, r } = reduce(o, x, low);
    let r2 = r.high * r.high;
    let y = o.f64(1.0) + (r.high + (r.low + r2 * polynomial(o, &TAIL, r.high)));
    // Two factors, each a normal float: the first product is exact, the second rounds once, to a subnormal maybe.
    let biased = n + o.u64(2046);
    let first = o.shr64(biased, o.u64(1));
    let factor = |e: O::U64| o.float64(o.shl64(e, o.u64(52)));
    y * factor(first) * factor(biased - first)
}

/// e^x.
pub fn exp64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    exp_of_sum(o, x, o.f64(0.0))
}

/// e^x, in binary32 throughout.
pub fn exp32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let x = o.select32(o.less32(o.f32(89.0), x), o.f32(89.0), x);
    let x = o.select32(o.less32(x, o.f32(-104.0)), o.f32(-104.0), x);
    let t = x * o.f32(LOG2_E as f32) + o.f32(TO_INTEGER_32);
    let n = t - o.f32(TO_INTEGER_32);
    let r = (x - n * o.f32(LN2_HIGH_32)) - n * o.f32(LN2_LOW_32);
    let mut tail = o.f32(TAIL_32[0]);
    for &coefficient in &TAIL_32[1..] {
        tail = tail * r + o.f32(coefficient);
    }
    let y = o.f32(1.0) + (r + r * r * tail);
    let biased = o.bits32(t) + o.u32(254u32.wrapping_sub(TO_INTEGER_32.to_bits()));
    let first = o.shr32(biased, 1);
    let factor = |e: O::U32| o.float32(o.shl32(e, 23));
    y * factor(first) * factor(biased - first)
}

/// The hyperbolic tangent, as (e^2x − 1) / (e^2x + 1) with both in two floats.
pub fn tanh64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    let sign = o.bits64(x) & o.u64(1 << 63);
    let a = o.float64(o.bits64(x) ^ sign);
    // From 22 on the result rounds to 1.
    let a = o.select64(o.less64(o.f64(22.0), a), o.f64(22.0), a);
    let Reduced { n, r } = reduce(o, a + a, o.f64(0.0));
    // e^r − 1, then times 2^n, then with 2^n − 1: for n = 0 nothing is lost to cancellation.
    let q = ordered_sum::<O>(r.high, r.low + r.high * r.high * polynomial(o, &TAIL, r.high));
    let scale = power_of_two(o, n);
    let t = sum::<O>(scale - o.f64(1.0), q.high * scale);
    let t = ordered_sum::<O>(t.high, t.low + q.low * scale);
    let above = sum::<O>(o.f64(2.0), t.high);
    let y = t.over(o, Double { high: above.high, low: above.low + t.low });
    o.float64(o.bits64(y.high) | sign)
}

/// The hyperbolic tangent, computed in binary64 and rounded once.
pub fn tanh32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let x = o.widen(x);
    let sign = o.bits64(x) & o.u64(1 << 63);
    let a = o.float64(o.bits64(x) ^ sign);
    // From 10 on the result rounds to 1.
    let a = o.select64(o.less64(o.f64(10.0), a), o.f64(10.0), a);
    let Reduced { n, r } = reduce(o, a + a, o.f64(0.0));
    let r = r.high;
    let scale = power_of_two(o, n);
    let t = (scale - o.f64(1.0)) + (r + r * r * polynomial(o, &TAIL, r)) * scale;
    o.narrow(o.float64(o.bits64(t / (t + o.f64(2.0))) | sign))
}
