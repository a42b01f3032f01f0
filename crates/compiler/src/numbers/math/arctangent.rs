//! The arctangent, of a number or of a point's direction.
//!
//! A ratio beyond tan(π/8) is turned by π/4 or π/2, so that one division and one polynomial do.

use super::ops::{Float, IntegerOps, Ops};
use super::polynomial::polynomial;

/// (atan(t)/t − 1) / z with z = t², |t| ≤ tan(π/8), highest power first; in atan the relative error is 2^-57.
const TAIL: [f64; 11] = [
    -0.019162068915902573,
    0.03921955253255129,
    -0.05085030492810941,
    0.058580687568615106,
    -0.06664502215671447,
    0.07692182535116648,
    -0.09090904549884611,
    0.11111111014561013,
    -0.14285714284657894,
    0.1999999999999548,
    -0.3333333333333333,
];

/// The same, with an error of 2^-28.
const TAIL_32: [f32; 5] = [-0.064_498_35, 0.107_430_995, -0.142_638_97, 0.199_995_38, -0.333_333_3];

/// tan(π/8) and tan(3π/8); a little more or less does not matter.
const TURNS: [f64; 2] = [0.41421356237309503, 2.414213562373095];

/// π/4, π/2, 3π/4 and π, each with the error of its float.
const QUARTERS: [(f64, f64); 4] = [
    (std::f64::consts::FRAC_PI_4, 3.061616997868383e-17),
    (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17),
    (2.356194490192345, 9.184850993605148e-17),
    (std::f64::consts::PI, 1.2246467991473532e-16),
];

/// The same of binary32.
const QUARTERS_32: [(f32, f32); 4] = [
    (std::f32::consts::FRAC_PI_4, -2.185_569_4e-8),
    (std::f32::consts::FRAC_PI_2, -4.371_139e-8),
    (2.356_194_5, -5.962_440_3e-9),
    (std::f32::consts::PI, -8.742_278e-8),
];

/// The functions for one width: a type, its operations, and constants.
macro_rules! arctangents {
    ($(
        $one:ident, $two:ident, $turned:ident: $float:ident, $integer:ident,
        $ty:ident, $tail:ident, $quarters:ident, $sign:expr, $huge:expr, $down:expr;
    )*) => {$(
        /// quarter + atan(numerator/denominator).
        fn $turned<O: Ops>(o: &O, ratio: (O::$float, O::$float), quarter: (O::$float, O::$float)) -> O::$float {
            let t = ratio.0 / ratio.1;
            let z = t * t;
            quarter.0 + (t + (t * (z * polynomial(|c| o.$ty(c), &$tail, z)) + quarter.1))
        }

        /// The arctangent of a number.
        pub fn $one<O: Ops>(o: &O, x: O::$float) -> O::$float {
            let (zero, one) = (o.$ty(0.0), o.$ty(1.0));
            let sign = x.bits() & o.$integer($sign);
            let a = (x.bits() ^ sign).float();
            let [small, middle] = TURNS.map(|turn| a.less(o.$ty(turn as $ty)));
            let choose = |first, second, third| Float::select(small, first, Float::select(middle, second, third));
            let [quarter, half] = [$quarters[0], $quarters[1]].map(|(high, low)| [o.$ty(high), o.$ty(low)]);
            let numerator = choose(a, a - one, o.$ty(-1.0));
            let denominator = choose(one, a + one, a);
            let turn = (choose(zero, quarter[0], half[0]), choose(zero, quarter[1], half[1]));
            let y = $turned(o, (numerator, denominator), turn);
            (y.bits() ^ sign).float()
        }

        /// The angle of the point (x, y), with the special cases of IEEE 754 and C99 annex F.
        pub fn $two<O: Ops>(o: &O, y: O::$float, x: O::$float) -> O::$float {
            let (zero, one) = (o.$ty(0.0), o.$ty(1.0));
            let sign = y.bits() & o.$integer($sign);
            let side = x.bits() & o.$integer($sign);
            let sizes = [(y.bits() ^ sign).float(), (x.bits() ^ side).float()];
            // Sums must stay finite; two infinities are as good as two ones.
            let infinity = o.$ty($ty::INFINITY);
            let both = sizes[0].equal(infinity) & sizes[1].equal(infinity);
            let huge = o.$ty($huge).less(sizes[0]) | o.$ty($huge).less(sizes[1]);
            let scale = Float::select(huge, o.$ty($down), one);
            let [b, a] = sizes.map(|size| Float::select(both, one, size * scale));
            // Beyond the y-axis angles are measured from the other side.
            let beyond = (side | one.bits()).float().less(zero);
            let [small, middle] = TURNS.map(|turn| b.less(a * o.$ty(turn as $ty)));
            // A product with a subnormal may be 0.
            let small = small | b.equal(zero);
            let choose = |first, second, third| Float::select(small, first, Float::select(middle, second, third));
            let numerator = choose(b, b - a, zero - a);
            let denominator = choose(Float::select(a.equal(zero), one, a), b + a, b);
            let numerator = (numerator.bits() ^ side).float();
            let part = |i: usize| {
                let [quarter, half, three, whole] = $quarters.map(|parts| o.$ty([parts.0, parts.1][i]));
                choose(Float::select(beyond, whole, zero), Float::select(beyond, three, quarter), half)
            };
            let y = $turned(o, (numerator, denominator), (part(0), part(1)));
            (y.bits() ^ sign).float()
        }
    )*};
}

arctangents! {
    atan64, atan2_64, turned64: F64, u64, f64, TAIL, QUARTERS,
        1 << 63, 2f64.powi(1000), 2f64.powi(-40);
    atan32, atan2_32, turned32: F32, u32, f32, TAIL_32, QUARTERS_32,
        1 << 31, 2f32.powi(120), 2f32.powi(-20);
}
