//! Rules with `flush`: results of f32 and f64 below the least normal number become ±0.
//!
//! A result is *below* if its magnitude, rounded to the type's precision as if exponents had no limit, is below the least normal number.
//! Processors that flush results by themselves (`FTZ` of x86-64) decide in the same way, so that flushing is free there. For sums, differences,
//! remainders and functions of one argument it makes no difference whether a result is rounded first: below the least normal number it is exact, or
//! the function's own. It matters only for products, quotients and conversions from f64 to f32 that lie just below that number.
//!
//! Operands are never subnormal: constants and parameters are flushed where they are read, and values from outside where they are set.

use super::operators::BinaryOp;
use super::scalar;
use super::value::{Type, Value};

/// The least normal f32 without half a unit in the last place of the numbers below it: what is below, and only that, is rounded to less than the
/// least normal f32.
const LEAST_F32: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / (1u64 << 25) as f64);

/// A factor of f64s that makes results near the least normal number normal.
const SCALE: f64 = (1u64 << 53) as f64;

/// A value, or ±0 if it is a float below the least normal number.
pub fn flushed(value: Value) -> Value {
    match value {
        Value::F32(v) if v.abs() < f32::MIN_POSITIVE => Value::F32(0.0f32.copysign(v)),
        Value::F64(v) if v.abs() < f64::MIN_POSITIVE => Value::F64(0.0f64.copysign(v)),
        value => value,
    }
}

/// An operation with two operands of one type, flushed.
pub fn binary(op: BinaryOp, a: Value, b: Value) -> Value {
    let result = scalar::binary(op, a, b);
    let scaled = |a: f64, b: f64| match op {
        BinaryOp::Multiply => Some(a * b),
        BinaryOp::Divide => Some(a / b),
        _ => None,
    };
    match (a, b, result) {
        // Exact, or exact enough: a quotient of two f32 is this bound or differs from it by more than f64s do.
        (Value::F32(a), Value::F32(b), Value::F32(v))
            if scaled(f64::from(a), f64::from(b)).is_some_and(|exact| exact.abs() < LEAST_F32) =>
        {
            Value::F32(0.0f32.copysign(v))
        }
        (Value::F64(a), Value::F64(b), Value::F64(v))
            if scaled(a * SCALE, b).is_some_and(|scaled| scaled.abs() < f64::MIN_POSITIVE * SCALE) =>
        {
            Value::F64(0.0f64.copysign(v))
        }
        (_, _, result) => flushed(result),
    }
}

/// A conversion, flushed.
pub fn cast(to: Type, value: Value) -> Value {
    match (to, value) {
        (Type::F32, Value::F64(v)) if v.abs() < LEAST_F32 => Value::F32(0.0f32.copysign(v as f32)),
        _ => flushed(scalar::cast(to, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: f32 = f32::MIN_POSITIVE;

    fn f32_of(value: Value) -> u32 {
        let Value::F32(v) = value else { panic!("{value:?}") };
        v.to_bits()
    }

    #[test]
    fn what_is_below_is_a_zero_of_its_sign() {
        let below = f32::from_bits(LEAST.to_bits() - 1);
        assert_eq!(f32_of(flushed(Value::F32(-below))), (-0.0f32).to_bits());
        assert_eq!(f32_of(flushed(Value::F32(LEAST))), LEAST.to_bits());
        assert_eq!(flushed(Value::F64(-1e-310)), Value::F64(-0.0));
        let of = |op, a: f32, b: f32| f32_of(binary(op, Value::F32(a), Value::F32(b)));
        assert_eq!(of(BinaryOp::Subtract, 1.5 * LEAST, LEAST), 0);
        assert_eq!(of(BinaryOp::Subtract, LEAST, 1.5 * LEAST), 1 << 31);
        assert_eq!(of(BinaryOp::Multiply, -LEAST, 0.5), 1 << 31);
        assert_eq!(of(BinaryOp::Divide, LEAST, 2.0), 0);
        assert_eq!(f32_of(cast(Type::F32, Value::F64(-1e-40))), 1 << 31);
        assert_eq!(cast(Type::F64, Value::F32(LEAST)), Value::F64(f64::from(LEAST)));
    }

    /// The processor's own flushing is told by rounding with an exponent without end.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn results_are_those_of_the_processor() {
        /// `a op b` with FTZ.
        fn flushing<T: Copy>(operation: impl Fn() -> T) -> T {
            let (flush, default) = (0x9fc0u32, 0x1f80u32);
            // SAFETY: only what `operation` computes in one instruction stands between; the state is restored.
            unsafe {
                std::arch::asm!("ldmxcsr [{}]", in(reg) &flush);
                let result = std::hint::black_box(operation());
                std::arch::asm!("ldmxcsr [{}]", in(reg) &default);
                result
            }
        }
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        for round in 0..200_000 {
            // Factors whose product is near the least normal number.
            let part = word() as u32 & 0x7f_ffff;
            let a = f32::from_bits((60 << 23) | part);
            let b = if round % 2 == 0 { LEAST / a } else { f32::from_bits((66 << 23) | (word() as u32 & 0x7f_ffff)) };
            let b = f32::from_bits(b.to_bits() + (word() % 3) as u32);
            let (a, b) = std::hint::black_box((a, b));
            let wanted = flushing(|| std::hint::black_box(a) * std::hint::black_box(b)).to_bits();
            assert_eq!(f32_of(binary(BinaryOp::Multiply, Value::F32(a), Value::F32(b))), wanted, "{a:e} * {b:e}");
            let inverse = 1.0 / b;
            let wanted = flushing(|| std::hint::black_box(a) / std::hint::black_box(inverse)).to_bits();
            assert_eq!(
                f32_of(binary(BinaryOp::Divide, Value::F32(a), Value::F32(inverse))),
                wanted,
                "{a:e} / {inverse:e}"
            );
            let (c, d) = (f64::from(a) * 1e-300, f64::from(b) * 1e28);
            let wanted = flushing(|| std::hint::black_box(c) * std::hint::black_box(d)).to_bits();
            let Value::F64(product) = binary(BinaryOp::Multiply, Value::F64(c), Value::F64(d)) else { panic!() };
            assert_eq!(product.to_bits(), wanted, "{c:e} * {d:e}");
            let exact = f64::from(LEAST) * (1.0 - (word() % 16) as f64 / (1u64 << 27) as f64);
            let wanted = flushing(|| std::hint::black_box(exact) as f32).to_bits();
            assert_eq!(f32_of(cast(Type::F32, Value::F64(exact))), wanted, "{exact:e}");
        }
    }
}
