//! Powers: |base|^exponent = e^(exponent · ln |base|), and around it the special cases of IEEE 754 and C99 annex F.

use super::clamp;
use super::double::product;
use super::exponential::exp_of_sum;
use super::logarithm::{log_double, log_short};
use super::ops::Ops;

const SIGN: u64 = 1 << 63;

/// Above this an exponent takes every base but 1 beyond the range, as |ln b| ≥ 2^-54 for b ≠ 1.
const LARGEST_EXPONENT: f64 = 36_893_488_147_419_103_232.0;

/// `base` to the power `exponent`.
pub fn pow64<O: Ops>(o: &O, base: O::F64, exponent: O::F64) -> O::F64 {
    let log = log_double(o, magnitude(o, base));
    let y = clamp(o, exponent, -LARGEST_EXPONENT, LARGEST_EXPONENT);
    let p = product(o, y, log.high);
    let low = p.low + y * log.low;
    // Far out of range `low` may be large too, and does not matter.
    let in_range = o.less64(p.high, o.f64(710.0)) & o.less64(o.f64(-746.0), p.high);
    let power = exp_of_sum(o, p.high, o.select64(in_range, low, o.f64(0.0)));
    with_special_cases(o, base, exponent, power)
}

/// `base` to the power `exponent`, computed in binary64 and rounded once.
pub fn pow32<O: Ops>(o: &O, base: O::F32, exponent: O::F32) -> O::F32 {
    let (base, exponent) = (o.widen(base), o.widen(exponent));
    let y = clamp(o, exponent, -LARGEST_EXPONENT, LARGEST_EXPONENT);
    let power = exp_of_sum(o, y * log_short(o, magnitude(o, base)), o.f64(0.0));
    o.narrow(with_special_cases(o, base, exponent, power))
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

/// `power`, which is right if |base| is positive and finite and the exponent finite, with sign and special cases applied.
fn with_special_cases<O: Ops>(o: &O, base: O::F64, exponent: O::F64, power: O::F64) -> O::F64 {
    let (zero, one, infinity) = (o.f64(0.0), o.f64(1.0), o.f64(f64::INFINITY));
    let (b, e) = (magnitude(o, base), magnitude(o, exponent));

    // 0 and infinity, as base or as exponent: towards infinity if the base is above 1 and the exponent positive, or neither.
    let (below_one, negative) = (o.less64(b, one), o.less64(exponent, zero));
    let vanishes = below_one & !negative | !below_one & negative;
    let extreme = o.select64(vanishes, zero, infinity);
    let extreme = o.select64(o.equal64(b, one), one, extreme);
    let is_extreme = o.equal64(b, zero) | o.equal64(b, infinity) | o.equal64(e, infinity);
    let power = o.select64(is_extreme, extreme, power);

    // Negative bases, −0 among them: odd exponents keep the sign, fractional ones have no value unless the base is 0 or infinite.
    let integer = is_integer(o, e);
    let odd = integer & !is_integer(o, e * o.f64(0.5));
    let sign = o.bits64(base) & o.u64(SIGN);
    let sign = o.select_u64(odd, sign, o.u64(0));
    let power = o.float64(o.bits64(power) | sign);
    let undefined = o.less64(base, zero) & !integer & !is_extreme;
    let nan = undefined | !o.equal64(base, base) | !o.equal64(exponent, exponent);
    let power = o.select64(nan, o.f64(f64::NAN), power);

    // These two hold even for NaN.
    o.select64(o.equal64(base, one) | o.equal64(exponent, zero), one, power)
}
