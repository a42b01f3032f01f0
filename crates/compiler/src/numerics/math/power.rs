//! Powers: |base|^exponent = 2^(exponent · log₂ |base|), and around it the special cases of IEEE 754 and C99 annex F.

use super::exponential::{exp_wide, exp2_of_sum};
use super::logarithm::{log_short, log2_double, upper_half};
use super::ops::Ops;

const SIGN: u64 = 1 << 63;

/// Above this an exponent takes every base but 1 beyond the range, as |log₂ b| ≥ 2^-53 for b ≠ 1.
const LARGEST_EXPONENT: f64 = 36_893_488_147_419_103_232.0;
/// So do exponents above this with bases of binary32, and they are even; the rest keeps its lowest bit beside 2^52 · 1.5.
const LARGEST_EXPONENT_32: f64 = 1_099_511_627_776.0;
const TO_INTEGER: f64 = super::exponential::TO_INTEGER;

/// `base` to the power `exponent`.
pub fn pow64<O: Ops>(o: &O, base: O::F64, exponent: O::F64) -> O::F64 {
    let (b, e) = (magnitude(o, base), magnitude(o, exponent));
    let log = log2_double(o, b);
    let y = o.at_least64(-LARGEST_EXPONENT, o.at_most64(LARGEST_EXPONENT, exponent));
    let y_high = upper_half(o, y);
    let low = (y - y_high) * log.high + y * log.low;
    let high = y_high * log.high;
    // Far out of range `low` may be large too, and does not matter.
    let in_range = o.less64(magnitude(o, high), o.f64(1200.0));
    let power = exp2_of_sum(o, high, o.select64(in_range, low, o.f64(0.0)));

    // 0, infinity and NaN as base, infinity as exponent: towards infinity if the base is above 1 and the exponent positive, or neither.
    let (one, zero, infinity) = (o.f64(1.0), o.f64(0.0), o.f64(f64::INFINITY));
    let (below_one, negative) = (o.less64(b, one), o.less64(exponent, zero));
    let vanishes = below_one & !negative | !below_one & negative;
    let is_ordinary = o.less64(zero, b) & o.less64(b, infinity) & o.less64(e, infinity);
    let power = o.select64(is_ordinary, power, o.select64(vanishes, zero, infinity));
    let integer = is_integer(o, e);
    let odd = integer & !is_integer(o, e * o.f64(0.5));
    let sign = o.bits64(o.select64(odd, base, zero)) & o.u64(SIGN);
    with_sign(o, [base, b, exponent], integer, sign, power)
}

/// `base` to the power `exponent`, computed in binary64 and rounded once.
pub fn pow32<O: Ops>(o: &O, base: O::F32, exponent: O::F32) -> O::F32 {
    let (base, exponent) = (o.widen(base), o.widen(exponent));
    let (b, e) = (magnitude(o, base), magnitude(o, exponent));
    let log = log_short(o, b);
    // The logarithms of infinity and of 0.
    let log = o.select64(o.less64(b, o.f64(f64::INFINITY)), log, b);
    let log = o.select64(o.less64(o.f64(0.0), b), log, o.f64(f64::NEG_INFINITY));
    let power = exp_wide(o, exponent * log);
    let e = o.at_most64(LARGEST_EXPONENT_32, e);
    let whole = e + o.f64(TO_INTEGER);
    let integer = o.equal64(whole - o.f64(TO_INTEGER), e);
    let sign = (o.bits64(base) & o.shl64(o.bits64(whole), 63)) & o.u64(SIGN);
    let sign = o.bits64(o.select64(integer, o.float64(sign), o.f64(0.0)));
    o.narrow(with_sign(o, [base, b, exponent], integer, sign, power))
}

fn magnitude<O: Ops>(o: &O, v: O::F64) -> O::F64 {
    o.float64(o.bits64(v) & o.u64(!SIGN))
}

/// Whether a float that is not negative is an integer.
fn is_integer<O: Ops>(o: &O, v: O::F64) -> O::Mask {
    // From 2^52 on all floats are integers; below, adding 2^52 rounds to one.
    let large = o.f64(2f64.powi(52));
    !o.less64(v, large) & o.equal64(v, v) | o.equal64((v + large) - large, v)
}

/// `power`, of the base without its sign, with the sign that odd exponents keep; negative bases have no power with fractions as exponents.
fn with_sign<O: Ops>(o: &O, [base, b, exponent]: [O::F64; 3], integer: O::Mask, sign: O::U64, power: O::F64) -> O::F64 {
    let (zero, one) = (o.f64(0.0), o.f64(1.0));
    let nan = !o.equal64(b, b) | !o.equal64(exponent, exponent);
    let power = o.select64(nan, o.f64(f64::NAN), power);
    // These hold even for NaN.
    let power = o.select64(o.equal64(b, one) | o.equal64(exponent, zero), one, power);
    let power = o.float64(o.bits64(power) ^ sign);
    let undefined = o.less64(base, zero) & !integer & o.less64(b, o.f64(f64::INFINITY));
    o.select64(undefined, o.f64(f64::NAN), power)
}
