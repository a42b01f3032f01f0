//! Sine and cosine, for arguments of any size.
//!
//! x · 2/π is computed modulo 4 with 126 bits after the point, from the integer mantissa of x and the 192 bits of 2/π that
//! matter for its exponent (Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsl. 18, 1983). No
//! binary64 comes closer to a multiple of π/2 than 2^-61 of it, so at least 2^-64 of relative accuracy is left.

use super::double::{Double, constant, ordered_sum};
use super::ops::Ops;
use super::polynomial;

const SIGN: u64 = 1 << 63;
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

/// a = quadrant · π/2 + r for a ≥ 0: the quadrant modulo 4, |r| ≤ π/4, and the sign of r as the sign bit.
struct Reduced<O: Ops> {
    quadrant: O::U64,
    r: Double<O>,
    sign: O::U64,
}

/// An integer below 2^52 as a float.
fn to_float<O: Ops>(o: &O, v: O::U64) -> O::F64 {
    let two_to_52 = 2f64.powi(52);
    o.float64(v | o.u64(two_to_52.to_bits())) - o.f64(two_to_52)
}

/// For finite a ≥ 0.
fn reduce<O: Ops>(o: &O, a: O::F64) -> Reduced<O> {
    let bits = o.bits64(a);
    let small = o.less64(a, o.f64(std::f64::consts::FRAC_PI_4));
    let mantissa = (bits & o.u64(MANTISSA)) | o.u64(1 << 52);
    // a = mantissa · 2^(field − 1075). The bits of 2/π whose product with it is a multiple of 4 are left out: the window
    // begins at bit field − 1077 behind the point, which is 63 more into the table. Small arguments are not reduced.
    let field = o.select_u64(small, o.u64(1022), o.shr64(bits, o.u64(52)));
    let start = field - o.u64(1013);
    let (word, shift) = (o.shr64(start, o.u64(6)), start & o.u64(63));
    let words = [0, 1, 2, 3].map(|i| o.table(&TWO_OVER_PI, word + o.u64(i)));
    // The second shift is by 64 − shift in two parts, as it may not be by 64.
    let joined = |i: usize| o.shl64(words[i], shift) | o.shr64(o.shr64(words[i + 1], o.u64(1)), o.u64(63) - shift);
    let window = [0, 1, 2].map(joined);

    // The product modulo 4: two bits before the point, 62 after it in `upper`, 64 more in `lower`.
    let carried = o.mul_high(mantissa, window[2]);
    let lower = mantissa * window[1] + carried;
    let carry = o.select_u64(o.below(lower, carried), o.u64(1), o.u64(0));
    let upper = mantissa * window[0] + o.mul_high(mantissa, window[1]) + carry;

    // To the nearest integer; what is left is negative if its top bit is set. Its one's complement, off by 2^-126, will do.
    let quadrant = o.shr64(upper + o.u64(1 << 61), o.u64(62));
    let upper = upper - o.shl64(quadrant, o.u64(62));
    let sign = upper & o.u64(SIGN);
    let flip = o.u64(0) - o.shr64(sign, o.u64(63));
    let (upper, lower) = (upper ^ flip, lower ^ flip);

    // As a sum of three exact floats, weighted 2^-52, 2^-94 and 2^-126.
    let first = to_float(o, o.shr64(upper, o.u64(10))) * o.f64(2f64.powi(-52));
    let second = o.shl64(upper & o.u64(0x3ff), o.u64(32)) | o.shr64(lower, o.u64(32));
    let second = to_float(o, second) * o.f64(2f64.powi(-94));
    let third = to_float(o, lower & o.u64(0xffff_ffff)) * o.f64(2f64.powi(-126));
    let fraction = ordered_sum::<O>(first, second).plus_smaller(third);
    let r = fraction.times(o, constant(o, HALF_PI));

    Reduced {
        quadrant: o.select_u64(small, o.u64(0), quadrant),
        r: Double { high: o.select64(small, a, r.high), low: o.select64(small, o.f64(0.0), r.low) },
        sign: o.select_u64(small, o.u64(0), sign),
    }
}

/// sin(|x| + quarters · π/2), with `sign` for its sign changed.
fn sine<O: Ops>(o: &O, x: O::F64, quarters: u64, sign: O::U64) -> O::F64 {
    let a = o.float64(o.bits64(x) & o.u64(!SIGN));
    let finite = o.less64(a, o.f64(f64::INFINITY));
    let reduced = reduce(o, o.select64(finite, a, o.f64(0.0)));
    let (r, low) = (reduced.r.high, reduced.r.low);
    let z = r * r;
    let half = z * o.f64(0.5);
    // sin(r + low) = r + (r · z · SIN + low · (1 − z/2)).
    let sin = r + (r * (z * polynomial(o, &SIN, z)) + low * (o.f64(1.0) - half));
    // cos(r + low) = 1 − z/2 + (z² · COS − r · low), with what 1 − z/2 loses put back.
    let near = o.f64(1.0) - half;
    let lost = (o.f64(1.0) - near) - half;
    let cos = near + (lost + (z * z * polynomial(o, &COS, z) - r * low));

    let quadrant = reduced.quadrant + o.u64(quarters);
    let use_sin = o.below(quadrant & o.u64(1), o.u64(1));
    let turned = o.shl64(o.shr64(quadrant, o.u64(1)), o.u64(63));
    let sign = sign ^ turned ^ o.select_u64(use_sin, reduced.sign, o.u64(0));
    let y = o.float64(o.bits64(o.select64(use_sin, sin, cos)) ^ sign);
    o.select64(finite, y, o.f64(f64::NAN))
}

/// The sine of radians.
pub fn sin64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    sine(o, x, 0, o.bits64(x) & o.u64(SIGN))
}

/// The cosine of radians.
pub fn cos64<O: Ops>(o: &O, x: O::F64) -> O::F64 {
    sine(o, x, 1, o.u64(0))
}

/// The sine of radians, computed in binary64 and rounded once.
pub fn sin32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    o.narrow(sin64(o, o.widen(x)))
}

/// The cosine of radians, computed in binary64 and rounded once.
pub fn cos32<O: Ops>(o: &O, x: O::F32) -> O::F32 {
    o.narrow(cos64(o, o.widen(x)))
}
