//! Polynomials, by Horner's rule.

use super::ops::Ops;

/// The polynomial with these coefficients, highest power first.
pub(super) fn polynomial<O: Ops>(o: &O, coefficients: &[f64], x: O::F64) -> O::F64 {
    let mut y = o.f64(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        y = y * x + o.f64(coefficient);
    }
    y
}

/// The same with products and sums that are [rounded once or twice](Ops::plus_product).
pub(super) fn polynomial_either<O: Ops>(o: &O, coefficients: &[f64], x: O::F64) -> O::F64 {
    let mut y = o.f64(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        y = o.plus_product(o.f64(coefficient), y, x);
    }
    y
}

/// The same in binary32.
pub(super) fn polynomial32<O: Ops>(o: &O, coefficients: &[f32], x: O::F32) -> O::F32 {
    let mut y = o.f32(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        y = y * x + o.f32(coefficient);
    }
    y
}
