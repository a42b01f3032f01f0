//! Polynomials, by Horner's rule.

use super::ops::{Float, Ops};

/// The polynomial with these coefficients, highest power first, each made a constant of the machine.
pub(super) fn polynomial<C: Copy, F: Float>(constant: impl Fn(C) -> F, coefficients: &[C], x: F) -> F {
    let mut y = constant(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        y = y * x + constant(coefficient);
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
