//! Powers: |base|^exponent = 2^(exponent · log₂ |base|), and around it the special cases of IEEE 754 and C99 annex F.

use super::double::Double;
use super::exponential::{exp2_of_sum, exp2_of_sum_within, exp2_short};
use super::logarithm::{
    Split, is_of_normal, log2_double, log2_short, split, split_any, split_short, split_single, upper_half,
};
use super::ops::{Float, IntegerOps, Ops, Rare};

const SIGN: u64 = 1 << 63;
const SIGN_32: u32 = 1 << 31;

/// Above this an exponent takes every base but 1 beyond the range, as |log₂ b| ≥ 2^-53 for b ≠ 1.
const LARGEST_EXPONENT: f64 = 36_893_488_147_419_103_232.0;
/// So do exponents above this with bases of binary32, and they are even; the rest keeps its lowest bit beside 2^52 · 1.5.
const LARGEST_EXPONENT_32: f64 = 1_099_511_627_776.0;
const TO_INTEGER: f64 = super::exponential::TO_INTEGER;

/// |base|^exponent as 2^(high + low), from the logarithm of |base|.
fn times_logarithm<O: Ops>(o: &O, exponent: O::F64, log: Double<O::F64>) -> Double<O::F64> {
    let upper = upper_half(o, exponent);
    Double { high: upper * log.high, low: (exponent - upper) * log.high + exponent * log.low }
}

/// `base` to the power `exponent`.
pub fn pow64<O: Ops>(o: &O, base: O::F64, exponent: O::F64) -> O::F64 {
    if !O::BRANCHES {
        return pow64_of_any(o, base, exponent);
    }
    let b = magnitude(o, base);
    let parts = split(o, b);
    let is_normal = is_of_normal(o, parts.exponent);
    let product = times_logarithm(o, exponent, log2_double(o, parts));
    let power = exp2_of_sum_within(o, product.high, product.low);
    let in_range = magnitude(o, product.high).less(o.f64(1020.0));
    // Zeros are too frequent to be rare, and so are negative bases with integers as exponents.
    let zero = o.f64(0.0);
    let is_zero = b.equal(zero);
    let power = Float::select(is_zero, zero, power);
    // The lowest bit of integers below 2^52, which all others are taken for fractions beside, says whether they are odd.
    let (size, large) = (magnitude(o, exponent), o.f64(2f64.powi(52)));
    let (is_small, whole) = (size.less(large), size + large);
    let integer = is_small & (whole - large).equal(size);
    let odd = Float::select(integer, (whole.bits() << 63).float(), zero).bits();
    let power = (power.bits() ^ (base.bits() & odd)).float();
    let common = is_normal & in_range | is_zero & is_small & zero.less(exponent);
    let common = common & (integer | !base.less(zero));
    o.rarely64(!common, power, Rare::Pow, &[base, exponent])
}

/// The same without a way of its own for ordinary bases and powers.
#[inline(always)]
pub fn pow64_of_any<O: Ops>(o: &O, base: O::F64, exponent: O::F64) -> O::F64 {
    let (b, e) = (magnitude(o, base), magnitude(o, exponent));
    let log = log2_double(o, split_any(o, b));
    let y = exponent.at_most(o.f64(LARGEST_EXPONENT)).at_least(o.f64(-LARGEST_EXPONENT));
    let Double { high, low } = times_logarithm(o, y, log);
    // Far out of range `low` may be large too, and does not matter.
    let in_range = magnitude(o, high).less(o.f64(1200.0));
    let power = exp2_of_sum(o, high, Float::select(in_range, low, o.f64(0.0)));

    // 0, infinity and NaN as base, infinity as exponent: towards infinity if the base is above 1 and the exponent positive, or neither.
    let (one, zero, infinity) = (o.f64(1.0), o.f64(0.0), o.f64(f64::INFINITY));
    let (below_one, negative) = (b.less(one), exponent.less(zero));
    let vanishes = below_one & !negative | !below_one & negative;
    let is_ordinary = zero.less(b) & b.less(infinity) & e.less(infinity);
    let power = Float::select(is_ordinary, power, Float::select(vanishes, zero, infinity));
    let integer = is_integer(o, e);
    let odd = integer & !is_integer(o, e * o.f64(0.5));
    let sign = Float::select(odd, base, zero).bits() & o.u64(SIGN);
    with_sign(o, [base, b, exponent], integer, sign, power)
}

/// `base` to the power `exponent`, computed in binary64 and rounded once.
pub fn pow32<O: Ops>(o: &O, base: O::F32, exponent: O::F32) -> O::F32 {
    if !O::BRANCHES {
        return pow32_of_any(o, base, exponent);
    }
    let b = (base.bits() & o.u32(!SIGN_32)).float();
    // Bits below those of 2^127 are now of normal numbers, those of −∞ of zero, and others of NaN. Zeros are too frequent to be rare, and so are
    // negative bases with integers as exponents.
    let above = (b.bits() - o.u32(f32::MIN_POSITIVE.to_bits())).float();
    let common = above.less(o.f32(2f32.powi(127)));
    let zero = o.f32(0.0);
    let is_zero = b.equal(zero);
    let (log, f) = split_single(o, b);
    let log = Float::select(is_zero, o.f32(f32::NEG_INFINITY), log);
    let log = log2_short(o, o.widen(log), o.widen(f));
    let power = o.narrow(exp2_short(o, o.widen(exponent) * log));

    // Of exponents below 2^22, which all others are rare beside, the lowest bit says whether they are odd.
    let size = (exponent.bits() & o.u32(!SIGN_32)).float();
    let whole = size + o.f32(2f32.powi(23));
    let integer = (whole - o.f32(2f32.powi(23))).equal(size);
    let odd = Float::select(integer, (whole.bits() << 31).float(), zero);
    let power = (power.bits() ^ (base.bits() & odd.bits())).float();
    let common = common & size.less(o.f32(2f32.powi(22)));
    let common = common & !(is_zero & exponent.equal(zero)) & (integer | !base.less(zero));
    o.rarely32(!common, power, Rare::Pow, &[base, exponent])
}

/// The same without a way of its own for ordinary bases.
#[inline(always)]
pub fn pow32_of_any<O: Ops>(o: &O, base: O::F32, exponent: O::F32) -> O::F32 {
    let (base, exponent) = (o.widen(base), o.widen(exponent));
    let (b, e) = (magnitude(o, base), magnitude(o, exponent));
    let Split { exponent: log, mantissa } = split_short(o, b);
    let log = log2_short(o, log, mantissa - o.f64(1.0));
    // The logarithms of infinity and of 0.
    let log = Float::select(b.less(o.f64(f64::INFINITY)), log, b);
    let log = Float::select(o.f64(0.0).less(b), log, o.f64(f64::NEG_INFINITY));
    let power = exp2_short(o, exponent * log);
    let e = e.at_most(o.f64(LARGEST_EXPONENT_32));
    let whole = e + o.f64(TO_INTEGER);
    let integer = (whole - o.f64(TO_INTEGER)).equal(e);
    let sign = (base.bits() & (whole.bits() << 63)) & o.u64(SIGN);
    let sign = Float::select(integer, sign.float(), o.f64(0.0)).bits();
    o.narrow(with_sign(o, [base, b, exponent], integer, sign, power))
}

fn magnitude<O: Ops>(o: &O, v: O::F64) -> O::F64 {
    (v.bits() & o.u64(!SIGN)).float()
}

/// Whether a float that is not negative is an integer.
fn is_integer<O: Ops>(o: &O, v: O::F64) -> O::Mask {
    // From 2^52 on all floats are integers; below, adding 2^52 rounds to one.
    let large = o.f64(2f64.powi(52));
    !v.less(large) & v.equal(v) | ((v + large) - large).equal(v)
}

/// `power`, of the base without its sign, with the sign that odd exponents keep; negative bases have no power with fractions as exponents.
fn with_sign<O: Ops>(o: &O, [base, b, exponent]: [O::F64; 3], integer: O::Mask, sign: O::U64, power: O::F64) -> O::F64 {
    let (zero, one) = (o.f64(0.0), o.f64(1.0));
    let nan = !b.equal(b) | !exponent.equal(exponent);
    let power = Float::select(nan, o.f64(f64::NAN), power);
    // These hold even for NaN.
    let power = Float::select(b.equal(one) | exponent.equal(zero), one, power);
    let power = (power.bits() ^ sign).float();
    let undefined = base.less(zero) & !integer & b.less(o.f64(f64::INFINITY));
    Float::select(undefined, o.f64(f64::NAN), power)
}
