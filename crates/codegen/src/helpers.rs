//! Functions that compiled kernels call for a group, where there is no vector instruction.
//!
//! Each takes pointers to the operands' [`GROUP`] elements and to the result's. It is written once, as a function of one element, and compiled for
//! several processors on x86: with AVX2 and AVX-512 the compiler makes vectors of most of them. No float is contracted.

use crate::Call;
#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
use squeeze_compiler::ir::{MathFn, MathFn2};
use squeeze_compiler::kernel::LaneType;
use squeeze_compiler::layout::columns::GROUP;
use squeeze_compiler::numbers::math::HostMachine;
#[cfg(all(target_arch = "x86_64", unix))]
use squeeze_compiler::numbers::math::Rare;
use squeeze_compiler::numbers::math::generic;
use squeeze_compiler::numbers::philox::threshold;

/// A function of one or two groups that gives a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupFunction {
    /// Where its code for any processor is, for groups of [`GROUP`] lanes.
    pub plain: usize,
    /// Where its code for processors with AVX2 is, for groups of [`GROUP`] lanes.
    #[cfg(all(target_arch = "x86_64", unix))]
    pub with_avx2: usize,
    /// Where its code for processors with AVX-512 is, for groups of [`WIDE`] lanes.
    #[cfg(all(target_arch = "x86_64", unix))]
    pub wide: usize,
}

/// The lanes of groups with AVX-512.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) const WIDE: usize = 16;

/// A [`GroupFunction`]: the arguments, the name that the lanes of a group get, and an expression that is compiled for each processor.
macro_rules! compiled_for_each {
    ($lanes:ident, ($($argument:ident: $ty:ty),*), $body:expr) => {{
        // Callers are compiled kernels: their pointers are as the documentation of each function says.
        unsafe extern "C" fn plain($($argument: $ty),*) {
            const $lanes: usize = GROUP;
            // SAFETY: as the caller's.
            unsafe { $body }
        }
        #[cfg(all(target_arch = "x86_64", unix))]
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn with_avx2($($argument: $ty),*) {
            const $lanes: usize = GROUP;
            // SAFETY: as the caller's.
            unsafe { $body }
        }
        #[cfg(all(target_arch = "x86_64", unix))]
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
        unsafe extern "C" fn wide($($argument: $ty),*) {
            const $lanes: usize = WIDE;
            // SAFETY: as the caller's.
            unsafe { $body }
        }
        GroupFunction {
            plain: plain as *const () as usize,
            #[cfg(all(target_arch = "x86_64", unix))]
            with_avx2: with_avx2 as *const () as usize,
            #[cfg(all(target_arch = "x86_64", unix))]
            wide: wide as *const () as usize,
        }
    }};
}

/// A [`GroupFunction`] from a function of one element.
macro_rules! lanewise {
    (|$x:ident: $tx:ty| -> $to:ty $body:block) => {
        compiled_for_each!(LANES, (x: *const $tx, out: *mut $to), {
            let x = x.cast::<[$tx; LANES]>().read();
            let result: [$to; LANES] = std::array::from_fn(|lane| {
                let $x = x[lane];
                $body
            });
            out.cast::<[$to; LANES]>().write(result);
        })
    };
    (|$x:ident: $tx:ty, $y:ident: $ty:ty| -> $to:ty $body:block) => {
        compiled_for_each!(LANES, (x: *const $tx, y: *const $ty, out: *mut $to), {
            let x = x.cast::<[$tx; LANES]>().read();
            let y = y.cast::<[$ty; LANES]>().read();
            let result: [$to; LANES] = std::array::from_fn(|lane| {
                let ($x, $y) = (x[lane], y[lane]);
                $body
            });
            out.cast::<[$to; LANES]>().write(result);
        })
    };
}

/// The same for a list of functions of one float.
#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
macro_rules! functions {
    ($function:expr, $ty:ty, $($name:ident => $of:ident),*) => {
        match $function {
            $(MathFn::$name => lanewise!(|x: $ty| -> $ty { generic::$of(&HostMachine, x) }),)*
            MathFn::Round => lanewise!(|x: $ty| -> $ty { x.round() }),
            MathFn::Sqrt | MathFn::Floor | MathFn::Ceil => unreachable!("these are instructions"),
        }
    };
}

/// Functions of floats but `sqrt`, `floor` and `ceil`.
#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
pub(crate) fn math(function: MathFn, ty: LaneType) -> GroupFunction {
    match ty {
        LaneType::F32 => {
            functions!(
                function, f32, Exp => exp32, Log => log32, Log2 => log2_32, Sin => sin32, Cos => cos32, Tan => tan32, Tanh => tanh32,
                Asin => asin32, Acos => acos32, Atan => atan32
            )
        }
        LaneType::F64 => {
            functions!(
                function, f64, Exp => exp64, Log => log64_of_any, Log2 => log2_64, Sin => sin64, Cos => cos64, Tan => tan64,
                Tanh => tanh64, Asin => asin64, Acos => acos64, Atan => atan64
            )
        }
        _ => unreachable!("verified: functions are of floats"),
    }
}

/// Functions of two floats.
#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
pub(crate) fn math2(function: MathFn2, ty: LaneType) -> GroupFunction {
    match (function, ty) {
        (MathFn2::Pow, LaneType::F32) => {
            lanewise!(|x: f32, y: f32| -> f32 { generic::pow32_of_any(&HostMachine, x, y) })
        }
        (MathFn2::Pow, LaneType::F64) => {
            lanewise!(|x: f64, y: f64| -> f64 { generic::pow64_of_any(&HostMachine, x, y) })
        }
        (MathFn2::Atan2, LaneType::F32) => lanewise!(|x: f32, y: f32| -> f32 { generic::atan2_32(&HostMachine, x, y) }),
        (MathFn2::Atan2, LaneType::F64) => lanewise!(|x: f64, y: f64| -> f64 { generic::atan2_64(&HostMachine, x, y) }),
        _ => unreachable!("verified: functions are of floats"),
    }
}

/// The address of the code for [`Rare`] arguments among the `bytes` of vectors. It takes pointers to two vectors of arguments (twice the same for a
/// function of one argument) and to the result.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn rare(rare: Rare, ty: LaneType, bytes: usize) -> usize {
    macro_rules! functions {
        ($ty:ty, $lanes:literal, $features:literal, $of:ident, $pow:ident) => {
            match rare {
                Rare::Sin => some!($ty, $lanes, Rare::Sin, $of),
                Rare::Cos => some!($ty, $lanes, Rare::Cos, $of),
                Rare::Tan => some!($ty, $lanes, Rare::Tan, $of),
                Rare::Log => {
                    all!($ty, $lanes, $features, |x, _| generic::log64_of_any(&HostMachine, f64::from(x)) as $ty)
                }
                Rare::Pow => all!($ty, $lanes, $features, |x, y| generic::$pow(&HostMachine, x, y)),
            }
        };
    }
    // Lanes in turn, and only those whose result is needed.
    macro_rules! some {
        ($ty:ty, $lanes:literal, $rare:expr, $of:ident) => {{
            unsafe extern "C" fn vector(x: *const [$ty; $lanes], _: *const [$ty; $lanes], out: *mut [$ty; $lanes]) {
                // SAFETY: callers are compiled kernels, which have saved their registers at these places.
                let (x, out) = unsafe { (&*x, &mut *out) };
                for (x, out) in x.iter().zip(out) {
                    if $rare.takes(f64::from(*x)) {
                        *out = $rare.$of(&HostMachine, &[*x]);
                    }
                }
            }
            vector as *const () as usize
        }};
    }
    // All together: the compiler makes vectors of it.
    macro_rules! all {
        ($ty:ty, $lanes:literal, $features:literal, |$x:ident, $y:pat_param| $value:expr) => {{
            #[target_feature(enable = $features)]
            unsafe extern "C" fn vector(x: *const [$ty; $lanes], y: *const [$ty; $lanes], out: *mut [$ty; $lanes]) {
                // SAFETY: callers are compiled kernels, which have saved their registers at these places. Two may be one.
                let (x, y) = unsafe { (x.read(), y.read()) };
                let mut values = [0 as $ty; $lanes];
                for lane in 0..$lanes {
                    let ($x, $y) = (x[lane], y[lane]);
                    values[lane] = $value;
                }
                // SAFETY: as above.
                unsafe { out.write(values) };
            }
            vector as *const () as usize
        }};
    }
    match (ty, bytes) {
        (LaneType::F32, 16) => functions!(f32, 4, "sse2", of32, pow32_of_any),
        (LaneType::F32, 32) => functions!(f32, 8, "avx2", of32, pow32_of_any),
        (LaneType::F32, 64) => functions!(f32, 16, "avx512f,avx512vl,avx512bw,avx512dq", of32, pow32_of_any),
        (LaneType::F64, 16) => functions!(f64, 2, "sse2", of64, pow64_of_any),
        (LaneType::F64, 32) => functions!(f64, 4, "avx2", of64, pow64_of_any),
        (LaneType::F64, 64) => functions!(f64, 8, "avx512f,avx512vl,avx512bw,avx512dq", of64, pow64_of_any),
        _ => unreachable!("functions are of floats, and vectors have 16, 32 or 64 bytes"),
    }
}

/// The address of the code that decides chances where words are equal to thresholds, among the `bytes` of a vector of words. It takes pointers to the vectors
/// of the probabilities (twice the same if one has all) and to a vector of words that becomes all ones where a chance is true, then the call, an eighth of the
/// group's first lane, and the place of the vector's first word for the first group.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn chance(ty: LaneType, bytes: usize) -> usize {
    unsafe extern "C" fn vector<F: Copy + Into<f64>, const P: usize, const LANES: usize>(
        x: *const [F; P],
        y: *const [F; P],
        out: *mut [u32; LANES],
        call: *const Call,
        eighth: usize,
        place: usize,
    ) {
        // SAFETY: callers are compiled kernels, which have saved their registers at these places, with the call that they were given.
        let (x, y, out, words) = unsafe { (&*x, &*y, &mut *out, (*call).random) };
        for (lane, (out, p)) in out.iter_mut().zip(x.iter().chain(y)).enumerate() {
            let (place, p) = (place + 8 * eighth + lane, (*p).into());
            // SAFETY: the kernel has loaded the word.
            if u64::from(unsafe { *words.add(place) }) == threshold(p) {
                // SAFETY: the call is whole.
                let happens = unsafe { ((*call).chance)(call, place, p) };
                *out = if happens { u32::MAX } else { 0 };
            }
        }
    }
    match (ty, bytes) {
        (LaneType::F32, 16) => vector::<f32, 4, 4> as *const () as usize,
        (LaneType::F32, 32) => vector::<f32, 8, 8> as *const () as usize,
        (LaneType::F32, 64) => vector::<f32, 16, 16> as *const () as usize,
        (LaneType::F64, 16) => vector::<f64, 2, 4> as *const () as usize,
        (LaneType::F64, 32) => vector::<f64, 4, 8> as *const () as usize,
        (LaneType::F64, 64) => vector::<f64, 8, 16> as *const () as usize,
        _ => unreachable!("probabilities are floats, and vectors have 16, 32 or 64 bytes"),
    }
}

/// The address of the code that decides chances where words are equal to thresholds. It takes pointers to a group of probabilities and to one of masks, which it
/// changes there, then the call and the place of the group's first word.
#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
pub(crate) fn chance_of_group() -> usize {
    unsafe extern "C" fn group(p: *const [f64; GROUP], masks: *mut [i64; GROUP], call: *const Call, place: usize) {
        // SAFETY: callers are compiled kernels with slots of these sizes, and with the call that they were given.
        let (p, masks, words) = unsafe { (&*p, &mut *masks, (*call).random) };
        for (lane, (mask, p)) in masks.iter_mut().zip(p).enumerate() {
            // SAFETY: the kernel has loaded the word.
            if u64::from(unsafe { *words.add(place + lane) }) == threshold(*p) {
                // SAFETY: the call is whole.
                *mask = -i64::from(unsafe { ((*call).chance)(call, place + lane, *p) });
            }
        }
    }
    group as *const () as usize
}

macro_rules! integer_division {
    ($remainder:expr, $ty:ty) => {
        if $remainder {
            lanewise!(|x: $ty, y: $ty| -> $ty { if y == 0 { 0 } else { x.wrapping_rem(y) } })
        } else {
            lanewise!(|x: $ty, y: $ty| -> $ty { if y == 0 { 0 } else { x.wrapping_div(y) } })
        }
    };
}

/// Division of integers, or remainders of anything.
pub(crate) fn divide(remainder: bool, ty: LaneType) -> GroupFunction {
    match ty {
        LaneType::U8 => integer_division!(remainder, u8),
        LaneType::U16 => integer_division!(remainder, u16),
        LaneType::I64 => integer_division!(remainder, i64),
        LaneType::I32 => integer_division!(remainder, i32),
        LaneType::U32 => integer_division!(remainder, u32),
        LaneType::F32 => lanewise!(|x: f32, y: f32| -> f32 { x % y }),
        LaneType::F64 => lanewise!(|x: f64, y: f64| -> f64 { x % y }),
        LaneType::Bits => unreachable!("verified: bits are not divided"),
    }
}

#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
macro_rules! shifts {
    ($left:expr, $ty:ty) => {
        if $left {
            lanewise!(|x: $ty, count: u32| -> $ty { x.wrapping_shl(count) })
        } else {
            lanewise!(|x: $ty, count: u32| -> $ty { x.wrapping_shr(count) })
        }
    };
}

/// Shifts of integers by a group of u32, modulo the width.
#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
pub(crate) fn shift(left: bool, ty: LaneType) -> GroupFunction {
    match ty {
        LaneType::U8 => shifts!(left, u8),
        LaneType::U16 => shifts!(left, u16),
        LaneType::I64 => shifts!(left, i64),
        LaneType::I32 => shifts!(left, i32),
        LaneType::U32 => shifts!(left, u32),
        _ => unreachable!("verified: shifts are of integers"),
    }
}

/// Values of a table, whose bytes do not wrap: of numbers that are among those of the table, I64 if values have 64 bits, else I32, and of the address of the bytes,
/// which stands first in the second group. They are of 32 bits at least.
pub(crate) fn look_up(ty: LaneType) -> GroupFunction {
    macro_rules! looked_up {
        ($entry:ty, $index:ty, $to:ty) => {
            compiled_for_each!(LANES, (index: *const $index, table: *const *const [u8; size_of::<$entry>()], out: *mut $to), {
                let (index, table) = (index.cast::<[$index; LANES]>().read(), table.read());
                let entry = |index: $index| <$entry>::from_le_bytes(*table.add(index as usize));
                let result: [$to; LANES] = std::array::from_fn(|lane| <$to>::from(entry(index[lane])));
                out.cast::<[$to; LANES]>().write(result);
            })
        };
    }
    match ty.width() {
        8 => looked_up!(u8, i32, u32),
        16 => looked_up!(u16, i32, u32),
        32 => looked_up!(u32, i32, u32),
        _ => looked_up!(u64, i64, u64),
    }
}

/// To the nearest f64.
pub(crate) fn long_to_double() -> GroupFunction {
    lanewise!(|x: i64| -> f64 { x as f64 })
}

/// To the nearest f32, as f64.
pub(crate) fn long_to_single() -> GroupFunction {
    lanewise!(|x: i64| -> f64 { f64::from(x as f32) })
}

/// f64 to an integer: truncated and saturated, NaN gives 0.
pub(crate) fn truncate(to: LaneType) -> GroupFunction {
    match to {
        LaneType::U8 => lanewise!(|x: f64| -> u8 { x as u8 }),
        LaneType::U16 => lanewise!(|x: f64| -> u16 { x as u16 }),
        LaneType::I64 => lanewise!(|x: f64| -> i64 { x as i64 }),
        LaneType::I32 => lanewise!(|x: f64| -> i32 { x as i32 }),
        LaneType::U32 => lanewise!(|x: f64| -> u32 { x as u32 }),
        _ => unreachable!("other conversions are instructions"),
    }
}
