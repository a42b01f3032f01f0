//! Accuracy and special cases of `exp log log2 sin cos tan tanh pow asin acos atan atan2`.

use squeeze_compiler::numbers::math::{HostMachine, generic};
use std::collections::BTreeMap;

/// The functions on the machine that this program runs on.
macro_rules! plain {
    ($($ty:ty { $($name:ident($($argument:ident)*))* })*) => {$($(
        fn $name($($argument: $ty),*) -> $ty {
            generic::$name(&HostMachine, $($argument),*)
        }
    )*)*};
}

plain! {
    f32 { exp32(x) log32(x) log2_32(x) sin32(x) cos32(x) tan32(x) tanh32(x) asin32(x) acos32(x) atan32(x) atan2_32(y x) pow32(base exponent) }
    f64 { exp64(x) log64(x) log2_64(x) sin64(x) cos64(x) tan64(x) tanh64(x) asin64(x) acos64(x) atan64(x) atan2_64(y x) pow64(base exponent) }
}

/// The bound that the language promises, in units of the last place.
const PROMISED: f64 = 2.0;

/// The size of the last place of a finite binary64.
fn ulp(v: f64) -> f64 {
    let v = v.abs().min(f64::from_bits(f64::MAX.to_bits() - 1));
    f64::from_bits(v.to_bits() + 1) - v
}

/// The error of a binary64 against truth given as nearest float and rest in last places.
fn error(got: f64, nearest: f64, rest: f64) -> f64 {
    ((got - nearest) / ulp(nearest) - rest).abs()
}

/// `tests/math/truth.txt` was written by `truth.py 250`; to test with more, write another file and name it in `SQUEEZE_MATH_TRUTH`.
#[test]
fn binary64_is_near_the_truth() {
    let text = match std::env::var_os("SQUEEZE_MATH_TRUTH") {
        Some(path) => std::fs::read_to_string(path).expect("SQUEEZE_MATH_TRUTH names a readable file"),
        None => include_str!("math/truth.txt").to_owned(),
    };
    let mut worst: BTreeMap<&str, (f64, &str, u64)> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let float = |i: usize| f64::from_bits(u64::from_str_radix(words[i], 16).unwrap());
        let got = match words[0] {
            "exp" => exp64(float(1)),
            "log" => log64(float(1)),
            "sin" => sin64(float(1)),
            "cos" => cos64(float(1)),
            "log2" => log2_64(float(1)),
            "tan" => tan64(float(1)),
            "asin" => asin64(float(1)),
            "acos" => acos64(float(1)),
            "tanh" => tanh64(float(1)),
            "atan" => atan64(float(1)),
            "atan2" => atan2_64(float(1), float(2)),
            "pow" => pow64(float(1), float(2)),
            name => panic!("no function {name}"),
        };
        let n = words.len();
        let error = error(got, float(n - 2), words[n - 1].parse().unwrap());
        let entry = worst.entry(words[0]).or_insert((0.0, line, 0));
        entry.2 += 1;
        if error > entry.0 || error.is_nan() {
            (entry.0, entry.1) = (error, line);
        }
    }
    for (name, (error, line, count)) in &worst {
        println!("{name}64: {error:.3} over {count} points, at {line}");
    }
    assert_eq!(worst.len(), 12);
    assert!(worst.values().all(|&(error, ..)| error <= PROMISED), "{worst:?}");
}

/// The error of a binary32 against truth that is known to binary64.
fn error32(got: f32, truth: f64) -> f64 {
    if truth.is_nan() {
        return if got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let nearest = truth as f32;
    if nearest.is_infinite() && got == nearest {
        return 0.0;
    }
    let below = nearest.abs().min(f32::from_bits(f32::MAX.to_bits() - 1));
    let ulp = f64::from(f32::from_bits(below.to_bits() + 1)) - f64::from(below);
    (f64::from(got) - truth).abs() / ulp
}

type Function32 = fn(f32) -> f32;
type Function64 = fn(f64) -> f64;

/// Every 509th binary32, against the platform's binary64 functions.
#[test]
fn binary32_is_near_the_truth() {
    let functions: [(&str, Function32, Function64); 10] = [
        ("exp", exp32, f64::exp),
        ("log2", log2_32, f64::log2),
        ("tan", tan32, f64::tan),
        ("asin", asin32, f64::asin),
        ("acos", acos32, f64::acos),
        ("log", log32, f64::ln),
        ("sin", sin32, f64::sin),
        ("cos", cos32, f64::cos),
        ("tanh", tanh32, f64::tanh),
        ("atan", atan32, f64::atan),
    ];
    for (name, ours, theirs) in functions {
        let mut worst = (0.0, 0.0);
        for x in (0..=u32::MAX).step_by(509).map(f32::from_bits) {
            let error = error32(ours(x), theirs(f64::from(x)));
            if error > worst.0 {
                worst = (error, x);
            }
        }
        println!("{name}32: {:.3} at {:e}", worst.0, worst.1);
        assert!(worst.0 <= PROMISED, "{name}32 is off by {} at {:e}", worst.0, worst.1);
    }
    let (mut worst, mut worst_angle) = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0));
    let mut word = 1u64;
    for i in 0..2_000_000 {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let base = f32::from_bits((word >> 33) as u32);
        // Half of the exponents are any float, half keep the power within the range.
        let part = (word >> 3 & 0xffff_ffff) as f64 / f64::from(u32::MAX);
        let any = f32::from_bits((word >> 3) as u32);
        let exponent = if i % 2 == 0 { any } else { ((part * 193.0 - 104.0) / f64::from(base).ln()) as f32 };
        let error = error32(pow32(base, exponent), f64::from(base).powf(f64::from(exponent)));
        if error > worst.0 {
            worst = (error, base, exponent);
        }
        // Half of the points are anywhere, half of them not near an axis.
        let y = if i % 2 == 0 { any } else { base * (part * 8.0 - 4.0) as f32 };
        let error = error32(atan2_32(y, base), f64::from(y).atan2(f64::from(base)));
        if error > worst_angle.0 {
            worst_angle = (error, y, base);
        }
    }
    for (name, worst) in [("pow32", worst), ("atan2_32", worst_angle)] {
        println!("{name}: {:.3} at {:e}, {:e}", worst.0, worst.1, worst.2);
        assert!(worst.0 <= PROMISED, "{name}: {worst:?}");
    }
}

/// The same bits, with every NaN one.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn special_cases_of_one_argument() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    type Case = (f64, f64);
    let (half_pi, pi) = (std::f64::consts::FRAC_PI_2, std::f64::consts::PI);
    let cases: [(&str, Function64, Function32, &[Case]); 10] = [
        ("exp", exp64, exp32, &[(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0), (1e4, inf), (-1e4, 0.0), (nan, nan)]),
        (
            "log",
            log64,
            log32,
            &[(0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf), (-inf, nan), (-1.0, nan), (nan, nan)],
        ),
        ("sin", sin64, sin32, &[(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan)]),
        ("cos", cos64, cos32, &[(0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan), (nan, nan)]),
        ("tanh", tanh64, tanh32, &[(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (50.0, 1.0), (nan, nan)]),
        (
            "log2",
            log2_64,
            log2_32,
            &[
                (0.0, -inf),
                (-0.0, -inf),
                (1.0, 0.0),
                (8.0, 3.0),
                (0.25, -2.0),
                (inf, inf),
                (-inf, nan),
                (-1.0, nan),
                (nan, nan),
            ],
        ),
        ("tan", tan64, tan32, &[(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan)]),
        (
            "asin",
            asin64,
            asin32,
            &[(0.0, 0.0), (-0.0, -0.0), (1.0, half_pi), (-1.0, -half_pi), (1.5, nan), (-inf, nan), (nan, nan)],
        ),
        (
            "acos",
            acos64,
            acos32,
            &[(0.0, half_pi), (-0.0, half_pi), (1.0, 0.0), (-1.0, pi), (1.5, nan), (-inf, nan), (nan, nan)],
        ),
        ("atan", atan64, atan32, &[(0.0, 0.0), (-0.0, -0.0), (inf, half_pi), (-inf, -half_pi), (nan, nan)]),
    ];
    for (name, wide, narrow, cases) in cases {
        for &(x, expected) in cases {
            assert!(same(wide(x), expected), "{name}64({x}) = {}", wide(x));
            assert!(
                same(f64::from(narrow(x as f32)), f64::from(expected as f32)),
                "{name}32({x}) = {}",
                narrow(x as f32)
            );
        }
    }
    // Odd and even, to the bit; tiny arguments are their own sine and hyperbolic tangent.
    for x in [5e-324, 1e-310, 1e-300, 1e-20, 0.3, 1.0, 7.0, 1e10, 1e300] {
        assert!(same(sin64(-x), -sin64(x)) && same(cos64(-x), cos64(x)) && same(tanh64(-x), -tanh64(x)));
        assert!(same(tan64(-x), -tan64(x)) && same(asin64(-x), -asin64(x)));
        if x < 1e-10 {
            assert!(same(sin64(x), x) && same(tanh64(x), x) && same(cos64(x), 1.0) && same(exp64(x), 1.0));
            assert!(same(tan64(x), x) && same(asin64(x), x));
        }
    }
    for x in [f32::from_bits(1), 1e-40, 1e-30] {
        assert_eq!((sin32(-x), tanh32(-x), exp32(x)), (-x, -x, 1.0));
        assert_eq!((tan32(-x), asin32(-x)), (-x, -x));
    }
    // The logarithms of powers of two are whole.
    for power in -1074..=1023 {
        assert!(same(log2_64(f64::from(power).exp2()), power.into()), "log2_64(2^{power})");
        if (-149..=127).contains(&power) {
            assert_eq!(log2_32((power as f32).exp2()), power as f32);
        }
    }
}

/// Code for arguments that may be rare gives, for all others, the values of the code for arguments that are not.
#[test]
fn functions_of_any_argument_give_the_same() {
    let odd = [
        0.0,
        1.0,
        0.5,
        2.0,
        3.0,
        1e-3,
        1e30,
        1e-42,
        1e300,
        f64::MAX,
        4_194_303.0,
        16_777_215.0,
        4_503_599_627_370_495.5,
        9_007_199_254_740_991.0,
        f64::MIN_POSITIVE,
        5e-324,
    ];
    let odd =
        odd.into_iter().chain([f64::INFINITY, f64::NAN, 0.5f64.sqrt(), 2f64.sqrt(), f64::from(f32::MIN_POSITIVE)]);
    // With their neighbours in both widths, and both signs.
    let odd: Vec<f64> = odd
        .flat_map(|v| {
            let (wide, single) = (v.to_bits(), (v as f32).to_bits());
            let single = [-1, 0, 1].map(|step| f64::from(f32::from_bits(single.saturating_add_signed(step))));
            [-1, 0, 1].map(|step| f64::from_bits(wide.saturating_add_signed(step))).into_iter().chain(single)
        })
        .flat_map(|v| [v, -v])
        .collect();
    let mut word = 1u64;
    let mut next = move || {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        word ^ word >> 29
    };
    let pairs = odd.iter().flat_map(|a| odd.iter().map(|b| (*a, *b)));
    let any = (0..400_000).map(|i| {
        let (a, b) = (f64::from_bits(next()), f64::from_bits(next()));
        let single = f64::from(f32::from_bits(next() as u32));
        // Powers within the range and near its ends, and any.
        match i % 4 {
            0 => (a, b),
            1 => (a.abs(), (next() % 2200) as f64 / a.abs().log2() * if i % 8 == 1 { 1.0 } else { -1.0 }),
            2 => (single.abs(), (next() % 320) as f64 / single.abs().log2() * if i % 8 == 2 { 1.0 } else { -1.0 }),
            _ => (single, f64::from(f32::from_bits(next() as u32))),
        }
    });
    for (a, b) in pairs.chain(any) {
        assert!(same(log64(a), generic::log64_of_any(&HostMachine, a)), "log64({a:e})");
        assert!(same(pow64(a, b), generic::pow64_of_any(&HostMachine, a, b)), "pow64({a:e}, {b:e})");
        let (single, any) = (pow32(a as f32, b as f32), generic::pow32_of_any(&HostMachine, a as f32, b as f32));
        assert!(same(single.into(), any.into()), "pow32({:e}, {:e})", a as f32, b as f32);
    }
}

/// The special cases of C99 annex F.9.1.4, as the platform's library has them.
#[test]
fn special_cases_of_angles() {
    let odd = [0.0, 5e-324, 1e-310, 1e-300, 0.4, 1.0, 2.5, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
    let signed = || odd.iter().flat_map(|&v| [v, -v]);
    for y in signed() {
        for x in signed() {
            let (got, truth) = (atan2_64(y, x), y.atan2(x));
            let near = got.signum() == truth.signum() && error(got, truth, 0.0) <= PROMISED;
            assert!(same(got, truth) || near, "atan2_64({y:e}, {x:e}) = {got:e}, not {truth:e}");
            let (y, x) = (y as f32, x as f32);
            let (got, truth) = (atan2_32(y, x), y.atan2(x));
            let near = got.signum() == truth.signum() && error32(got, f64::from(y).atan2(f64::from(x))) <= PROMISED;
            assert!(same(got.into(), truth.into()) || near, "atan2_32({y:e}, {x:e}) = {got:e}, not {truth:e}");
        }
    }
}

/// The special cases of C99 annex F.9.4.4, as the platform's library has them, over all pairs of odd arguments.
#[test]
fn special_cases_of_powers() {
    let odd = [
        0.0,
        1.0,
        0.5,
        2.0,
        3.0,
        2.5,
        1e-3,
        1e300,
        9_007_199_254_740_991.0,
        4_503_599_627_370_497.5_f64.trunc(),
        4_503_599_627_370_495.5,
        9_007_199_254_740_992.0,
        1e20,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        f64::INFINITY,
        f64::NAN,
        1.0 - f64::EPSILON / 2.0,
        1.0 + f64::EPSILON,
    ];
    let signed = || odd.iter().flat_map(|&v| [v, -v]);
    for base in signed() {
        for exponent in signed() {
            let (got, truth) = (pow64(base, exponent), base.powf(exponent));
            let near = got.signum() == truth.signum() && error(got, truth, 0.0) <= PROMISED;
            assert!(same(got, truth) || near, "pow64({base:e}, {exponent:e}) = {got:e}, not {truth:e}");
            let (b, e) = (base as f32, exponent as f32);
            let (got, truth) = (pow32(b, e), b.powf(e));
            let near = got.signum() == truth.signum() && error32(got, f64::from(b).powf(f64::from(e))) <= PROMISED;
            assert!(same(got.into(), truth.into()) || near, "pow32({b:e}, {e:e}) = {got:e}, not {truth:e}");
        }
    }
}
