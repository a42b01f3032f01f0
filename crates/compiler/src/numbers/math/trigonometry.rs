//! Sine, cosine and tangent, for arguments of any size.
//!
//! Below [`LARGE`] multiples of π/2 (in binary32 of π) are taken off in parts of 33 bits, whose products with the number of them are
//! exact (Cody and Waite). Above, x · 2/π is computed modulo 4 with 126 bits after the point, from the integer mantissa of x and the 192 bits of 2/π that
//! matter for its exponent (Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsl. 18, 1983). No
//! binary64 comes closer to a multiple of π/2 than 2^-61 of it, so at least 2^-64 of relative accuracy is left.

use super::double::{Double, constant, ordered_sum, sum};
use super::exponential::TO_INTEGER;
use super::ops::{Float, IntegerOps, Ops, Rare, WideOps};
use super::polynomial::{polynomial, polynomial_either};

const SIGN: u64 = 1 << 63;
const SIGN_32: u32 = 1 << 31;
const MANTISSA: u64 = (1 << 52) - 1;
const HALF_PI: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);

/// 64 zero bits, then the first 1216 bits of 2/π behind the point.
const TWO_OVER_PI: [u64; 20] = [
    0x0000_0000_0000_0000,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// (sin(r)/r − 1) / z with z = r², |r| ≤ π/4, highest power first; in sin the relative error is 2^-57.
const SIN: [f64; 7] = [
    -7.586696964319367e-13,
    1.6058531616384064e-10,
    -2.505210623243116e-8,
    2.755731921933912e-6,
    -0.00019841269841265065,
    0.008333333333333331,
    -0.16666666666666666,
];

/// (cos(r) − 1 + z/2) / z², with an error of 2^-60 in cos.
const COS: [f64; 7] = [
    4.745871816762601e-14,
    -1.1470460886163255e-11,
    2.08767557910713e-9,
    -2.75573192214028e-7,
    2.4801587301584645e-5,
    -0.0013888888888888887,
    0.041666666666666664,
];

/// sin(r)/r as a polynomial in z = r², |r| ≤ π/2, with an error of 2^-34 in sin.
const SIN_32: [f64; 6] = [
    -2.4080189218985925e-8,
    2.7536463510133445e-6,
    -0.00019841086560785232,
    0.008333332768750723,
    -0.1666666666388122,
    1.0,
];

/// (tan(r)/r − 1) / z with z = r², |r| ≤ π/4, with an error of 2^-31 in tan.
const TAN_32: [f64; 8] = [
    0.0017892568104448828,
    -1.1208595178914842e-8,
    0.004425324518934531,
    0.008609246316330768,
    0.02191067786230385,
    0.05396501574730198,
    0.13333342940824122,
    0.3333333328694274,
];

/// From here on arguments are reduced by Payne's and Hanek's method. Below, they hold fewer than 2^20 multiples of π/2.
const LARGE: f64 = 1_600_000.0;

/// Whether an argument is large, or no number.
pub(super) fn is_large(x: f64) -> bool {
    // Not a number counts too.
    !matches!(x.abs().partial_cmp(&LARGE), Some(std::cmp::Ordering::Less))
}

/// π/2 in three parts of 33 bits and a rest.
const HALF_PI_PARTS: [f64; 4] =
    [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];

/// π as 33 bits and a rest.
const PI_PARTS: [f64; 2] = [3.1415926534682512, 1.2154201013012384e-10];

/// a = quadrant · π/2 + r for a ≥ 0: the quadrant modulo 4, |r| ≤ π/4 and a little, and the sign of r as the sign bit.
struct ReducedAngle<O: Ops> {
    quadrant: O::U64,
    r: Double<O::F64>,
    sign: O::U64,
}

/// For 0 ≤ a < [`LARGE`].
fn reduce<O: Ops>(o: &O, a: O::F64) -> ReducedAngle<O> {
    let t = a * o.f64(std::f64::consts::FRAC_2_PI) + o.f64(TO_INTEGER);
    let n = t - o.f64(TO_INTEGER);
    let [first, second, third, rest] = HALF_PI_PARTS.map(|part| n * o.f64(part));
    // The first difference is exact, the errors of the others are kept.
    let minus = |a: O::F64, b: O::F64| sum(a, o.f64(0.0) - b);
    let once = minus(a - first, second);
    let twice = minus(once.high, third);
    let r = Double { high: twice.high, low: (once.low + twice.low) - rest };
    ReducedAngle { quadrant: t.bits(), r, sign: o.u64(0) }
}

/// An integer below 2^52 as a float.
fn to_float<O: Ops>(o: &O, v: O::U64) -> O::F64 {
    let two_to_52 = 2f64.powi(52);
    (v | o.u64(two_to_52.to_bits())).float() - o.f64(two_to_52)
}

/// For finite a ≥ π/4.
fn reduce_large<O: WideOps>(o: &O, a: O::F64) -> ReducedAngle<O> {
    let bits = a.bits();
    let mantissa = (bits & o.u64(MANTISSA)) | o.u64(1 << 52);
    // a = mantissa · 2^(field − 1075). The bits of 2/π whose product with it is a multiple of 4 are left out: the window
    // begins at bit field − 1077 behind the point, which is 63 more into the table.
    let start = (bits >> 52) - o.u64(1013);
    let (word, shift) = (start >> 6, start & o.u64(63));
    let words = [0, 1, 2, 3].map(|i| o.table(&TWO_OVER_PI, word + o.u64(i)));
    // The second shift is by 64 − shift in two parts, as it may not be by 64.
    let joined = |i: usize| o.shl_by(words[i], shift) | o.shr_by(words[i + 1] >> 1, o.u64(63) - shift);
    let window = [0, 1, 2].map(joined);

    // The product modulo 4: two bits before the point, 62 after it in `upper`, 64 more in `lower`.
    let carried = o.mul_high(mantissa, window[2]);
    let lower = o.mul_low(mantissa, window[1]) + carried;
    let carry = o.select_u64(o.below(lower, carried), o.u64(1), o.u64(0));
    let upper = o.mul_low(mantissa, window[0]) + o.mul_high(mantissa, window[1]) + carry;

    // To the nearest integer; what is left is negative if its top bit is set. Its one's complement, off by 2^-126, will do.
    let quadrant = (upper + o.u64(1 << 61)) >> 62;
    let upper = upper - (quadrant << 62);
    let sign = upper & o.u64(SIGN);
    let flip = o.u64(0) - (sign >> 63);
    let (upper, lower) = (upper ^ flip, lower ^ flip);

    // As a sum of three exact floats, weighted 2^-52, 2^-94 and 2^-126.
    let first = to_float(o, upper >> 10) * o.f64(2f64.powi(-52));
    let second = (upper & o.u64(0x3ff)) << 32 | lower >> 32;
    let second = to_float(o, second) * o.f64(2f64.powi(-94));
    let third = to_float(o, lower & o.u64(0xffff_ffff)) * o.f64(2f64.powi(-126));
    let fraction = ordered_sum(first, second).plus_smaller(third);
    ReducedAngle { quadrant, r: fraction.times(o, constant(o, HALF_PI)), sign }
}

/// sin(r) and cos(r) of a reduced angle without its sign, each a float and what is to be added to it.
fn sine_and_cosine<O: Ops>(o: &O, r: Double<O::F64>) -> [(O::F64, O::F64); 2] {
    let (r, low) = (r.high, r.low);
    let z = r * r;
    let half = z * o.f64(0.5);
    // sin(r + low) = r + (r · z · SIN + low · (1 − z/2)).
    let near = o.f64(1.0) - half;
    let sin = (r, r * (z * polynomial(|c| o.f64(c), &SIN, z)) + low * near);
    // cos(r + low) = 1 − z/2 + (z² · COS − r · low), with the rounding error of 1 − z/2 put back.
    let lost = (o.f64(1.0) - near) - half;
    let cos = (near, lost + (z * z * polynomial(|c| o.f64(c), &COS, z) - r * low));
    [sin, cos]
}

/// Whether a number of quarters is odd.
fn is_odd<O: Ops>(o: &O, quadrant: O::U64) -> O::Mask {
    (quadrant << 63 | o.u64(1f64.to_bits())).float().less(o.f64(0.0))
}

/// sin(a + quarters · π/2) of a reduced argument, with its sign changed by `sign`.
fn sine<O: Ops>(o: &O, reduced: ReducedAngle<O>, quarters: u64, sign: O::U64) -> O::F64 {
    let [sin, cos] = sine_and_cosine(o, reduced.r).map(|(near, more)| near + more);
    let sin = (sin.bits() ^ reduced.sign).float();

    let quadrant = if quarters == 0 { reduced.quadrant } else { reduced.quadrant + o.u64(quarters) };
    let turned = (quadrant >> 1) << 63;
    let y = Float::select(is_odd(o, quadrant), cos, sin);
    (y.bits() ^ (sign ^ turned)).float()
}

/// The tangent of a reduced argument, with its sign changed by `sign`: the quotient of two sums, and what it lacks.
fn tangent<O: Ops>(o: &O, reduced: ReducedAngle<O>, sign: O::U64) -> O::F64 {
    let [sin, cos] = sine_and_cosine(o, reduced.r).map(|(near, more)| ordered_sum(near, more));
    let odd = is_odd(o, reduced.quadrant);
    let choose = |even, odd_one| Float::select(odd, odd_one, even);
    let (above, above_low) = (choose(sin.high, o.f64(0.0) - cos.high), choose(sin.low, o.f64(0.0) - cos.low));
    let (below, below_low) = (choose(cos.high, sin.high), choose(cos.low, sin.low));
    let y = above / below;
    let y = y + (above_low - y * below_low) / below;
    (y.bits() ^ (sign ^ reduced.sign)).float()
}

/// The tangent of radians.
pub fn tan64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    let (sign, a) = sign_and_size(o, x);
    let common = tangent(o, reduce(o, a), sign);
    o.rarely64(!a.less(o.f64(LARGE)), common, Rare::Tan, &[x])
}

/// The same for |x| ≥ [`LARGE`]; NaN if x is not finite.
pub(super) fn large_tangent<O: WideOps>(o: &O, x: O::F64) -> O::F64 {
    let (sign, a) = sign_and_size(o, x);
    let finite = a.less(o.f64(f64::INFINITY));
    let y = tangent(o, reduce_large(o, Float::select(finite, a, o.f64(1.0))), sign);
    Float::select(finite, y, o.f64(f64::NAN))
}

/// The tangent of radians, computed in binary64 and rounded once.
pub fn tan32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    // Every operation changes the sign of its result with that of x, and keeps the sign of zero.
    let a = o.widen(x);
    let t = a * o.f64(std::f64::consts::FRAC_2_PI) + o.f64(TO_INTEGER);
    let n = t - o.f64(TO_INTEGER);
    let r = (a - n * o.f64(HALF_PI_PARTS[0])) - n * o.f64(HALF_PI_PARTS[1]);
    let z = r * r;
    let y = r + r * (z * polynomial(|c| o.f64(c), &TAN_32, z));
    // tan(r + π/2) is −1/tan(r).
    let odd = is_odd(o, t.bits());
    let y = Float::select(odd, o.f64(-1.0), y) / Float::select(odd, y, o.f64(1.0));
    let size = (x.bits() & o.u32(!SIGN_32)).float();
    o.rarely32(!size.less(o.f32(LARGE as f32)), o.narrow(y), Rare::Tan, &[x])
}

/// The sign bit, and the rest.
fn sign_and_size<O: Ops>(o: &O, x: O::F64) -> (O::U64, O::F64) {
    let sign = x.bits() & o.u64(SIGN);
    (sign, (x.bits() ^ sign).float())
}

/// The sine of radians.
pub fn sin64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    small(o, x, 0, Rare::Sin)
}

/// The cosine of radians.
pub fn cos64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    small(o, x, 1, Rare::Cos)
}

/// sin(x + quarters · π/2), by the usual way for |x| < [`LARGE`].
fn small<O: Ops>(o: &O, x: O::F64, quarters: u64, rare: Rare) -> O::F64 {
    let (sign, a) = sign_and_size(o, x);
    let reduced = reduce(o, a);
    let common = sine(o, reduced, quarters, if quarters == 0 { sign } else { o.u64(0) });
    o.rarely64(!a.less(o.f64(LARGE)), common, rare, &[x])
}

/// The same for |x| ≥ [`LARGE`]; NaN if x is not finite.
pub(super) fn large<O: WideOps>(o: &O, x: O::F64, quarters: u64) -> O::F64 {
    let (sign, a) = sign_and_size(o, x);
    let sign = if quarters == 0 { sign } else { o.u64(0) };
    let finite = a.less(o.f64(f64::INFINITY));
    let y = sine(o, reduce_large(o, Float::select(finite, a, o.f64(1.0))), quarters, sign);
    Float::select(finite, y, o.f64(f64::NAN))
}

/// sin(a − n · π) with its sign changed where n is odd, as a binary32; the lowest bit of `t` says whether it is.
///
/// No result depends on how often a product and a sum are rounded: of all binary32 below [`LARGE`] none lies so close to the middle of
/// two results (`every_sine_may_be_fused` in `tests/math_fused.rs` compares them all).
fn sine_32<O: Ops>(o: &O, a: O::F64, n: O::F64, t: O::F64) -> O::F32 {
    let [first, rest] = PI_PARTS.map(|part| o.f64(part));
    let r = o.minus_product(o.minus_product(a, n, first), n, rest);
    let y = r * polynomial_either(o, &SIN_32, r * r);
    o.narrow((y.bits() ^ (t.bits() << 63)).float())
}

/// The sine of radians, computed in binary64 and rounded once.
pub fn sin32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    // Every operation changes the sign of its result with that of x, and keeps the sign of zero.
    let a = o.widen(x);
    let t = a * o.f64(std::f64::consts::FRAC_1_PI) + o.f64(TO_INTEGER);
    let common = sine_32(o, a, t - o.f64(TO_INTEGER), t);
    let size = (x.bits() & o.u32(!SIGN_32)).float();
    o.rarely32(!size.less(o.f32(LARGE as f32)), common, Rare::Sin, &[x])
}

/// The cosine of radians, computed in binary64 and rounded once.
pub fn cos32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    let size = (x.bits() & o.u32(!SIGN_32)).float();
    let a = o.widen(size);
    // cos((n − ½) π + r) is sin(r), or −sin(r) for odd n.
    let t = (a * o.f64(std::f64::consts::FRAC_1_PI) + o.f64(0.5)) + o.f64(TO_INTEGER);
    let common = sine_32(o, a, (t - o.f64(TO_INTEGER)) - o.f64(0.5), t);
    o.rarely32(!size.less(o.f32(LARGE as f32)), common, Rare::Cos, &[x])
}
