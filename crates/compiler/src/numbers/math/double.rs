//! Unevaluated sums of two floats: about 106 bits, for the places where 53 are too few.
//!
//! Error-free sums and products after Dekker, "A floating-point technique for extending the available precision",
//! Numer. Math. 18 (1971). Products are split by multiplication, as a fused multiply-add may not be used.

use super::ops::{Float, Ops};

/// `high + low` with |low| at most half a unit in the last place of `high`.
#[derive(Clone, Copy)]
pub(super) struct Double<F> {
    pub(super) high: F,
    pub(super) low: F,
}

/// A constant, given by its parts.
pub(super) fn constant<O: Ops>(o: &O, (high, low): (f64, f64)) -> Double<O::F64> {
    Double { high: o.f64(high), low: o.f64(low) }
}

/// a + b without error, if |a| ≥ |b| or a is 0.
pub(super) fn ordered_sum<F: Float>(a: F, b: F) -> Double<F> {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// a + b without error.
pub(super) fn sum<F: Float>(a: F, b: F) -> Double<F> {
    let high = a + b;
    let of_b = high - a;
    Double { high, low: (a - (high - of_b)) + (b - of_b) }
}

/// a × b without error, unless a part is beyond 2^996 or the product below 2^-968.
pub(super) fn product<O: Ops>(o: &O, a: O::F64, b: O::F64) -> Double<O::F64> {
    let split = |v: O::F64| {
        let scaled = v * o.f64(134_217_729.0);
        let upper = scaled - (scaled - v);
        (upper, v - upper)
    };
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    let high = a * b;
    Double { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
}

impl<F: Float> Double<F> {
    /// The sum with one float, if |self| ≥ |b| or self is 0.
    pub(super) fn plus_smaller(self, b: F) -> Double<F> {
        let s = ordered_sum(self.high, b);
        ordered_sum(s.high, s.low + self.low)
    }

    /// The product, with a relative error of about 2^-104.
    pub(super) fn times<O: Ops<F64 = F>>(self, o: &O, b: Double<F>) -> Double<F> {
        let p = product(o, self.high, b.high);
        ordered_sum(p.high, p.low + (self.high * b.low + self.low * b.high))
    }
}
