//! The arcsine and the arccosine.
//!
//! Up to ½ they are a polynomial. Beyond, the angle is π/2 less twice the arcsine of √((1 − |x|)/2), whose argument is exact below the root.

use super::double::ordered_sum;
use super::ops::{Float, IntegerOps, Ops};
use super::polynomial::polynomial;

/// (asin(t)/t − 1) / z with z = t², |t| ≤ ½, highest power first; in asin the relative error is 2^-57.
const TAIL: [f64; 13] = [
    0.028757851367421566,
    -0.014851887071247204,
    0.01740087944269402,
    0.005457506718640358,
    0.01032281435018578,
    0.011479177415184906,
    0.013971212973552933,
    0.017352392720869973,
    0.02237217294214989,
    0.030381944138531247,
    0.04464285714635543,
    0.07499999999998433,
    0.16666666666666669,
];

/// The same, with an error of 2^-28.
const TAIL_32: [f32; 6] = [0.033_690_847, 0.017_149_238, 0.031_100_662, 0.044_599_403, 0.075_000_94, 0.166_666_66];

/// The functions for one width: a type, its operations, and constants: π/2 and π, each with the error of its float.
macro_rules! arcsines {
    ($($asin:ident, $acos:ident, $half:ident: $float:ident, $integer:ident, $ty:ident, $tail:ident, $sign:expr, $half_pi:expr, $pi:expr;)*) => {$(
        /// For a ≥ 0 whether it is below ½, then a, else √((1 − a)/2), and by how much its arcsine is greater.
        fn $half<O: Ops>(o: &O, a: O::$float) -> (O::Mask, O::$float, O::$float) {
            let is_small = a.less(o.$ty(0.5));
            let rest = (o.$ty(1.0) - a) * o.$ty(0.5);
            let (z, t) = (Float::select(is_small, a * a, rest), Float::select(is_small, a, rest.sqrt()));
            (is_small, t, t * (z * polynomial(|c| o.$ty(c), &$tail, z)))
        }

        /// The arcsine.
        pub fn $asin<O: Ops>(o: &O, x: O::$float) -> O::$float {
            let sign = x.bits() & o.$integer($sign);
            let (is_small, t, more) = $half(o, (x.bits() ^ sign).float());
            let near = ordered_sum(o.$ty($half_pi.0), o.$ty(0.0) - (t + t));
            let large = near.high + (near.low + (o.$ty($half_pi.1) - (more + more)));
            (Float::select(is_small, t + more, large).bits() ^ sign).float()
        }

        /// The arccosine.
        pub fn $acos<O: Ops>(o: &O, x: O::$float) -> O::$float {
            let sign = x.bits() & o.$integer($sign);
            let (is_small, t, more) = $half(o, (x.bits() ^ sign).float());
            // Below ½ the arcsine of x is taken off π/2; beyond, twice that of t is the angle, or is taken off π.
            let [angle, more] = [t, more].map(|v| Float::select(is_small, (v.bits() ^ sign).float(), v + v));
            let choose = |small: $ty, large: $ty| Float::select(is_small, o.$ty(small), o.$ty(large));
            let near = ordered_sum(choose($half_pi.0, $pi.0), o.$ty(0.0) - angle);
            let left = near.high + (near.low + (choose($half_pi.1, $pi.1) - more));
            let is_left = is_small | x.less(o.$ty(0.0));
            Float::select(is_left, left, angle + more)
        }
    )*};
}

arcsines! {
    asin64, acos64, half64: F64, u64, f64, TAIL, 1 << 63,
        (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17), (std::f64::consts::PI, 1.2246467991473532e-16);
    asin32, acos32, half32: F32, u32, f32, TAIL_32, 1 << 31,
        (std::f32::consts::FRAC_PI_2, -4.371_139e-8), (std::f32::consts::PI, -8.742_278e-8);
}
