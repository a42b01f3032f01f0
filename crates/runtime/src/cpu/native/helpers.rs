//! Functions that compiled kernels call for a group, where Cranelift has no vector instruction.
//!
//! Each takes pointers to the operands' [`GROUP`] elements and to the result's. It is written once, as a function of one
//! element, and compiled twice on x86: with AVX2 the compiler makes vectors of most of them. No float is contracted.

use crate::cpu::call::{Call, GROUP};
use squeeze_compiler::ir::MathFn;
use squeeze_compiler::ir::kernel::LaneType;
use squeeze_compiler::numerics::math::{Plain, generic};
use squeeze_compiler::numerics::philox;

/// A function of one or two groups that gives a group.
#[derive(Clone, Copy, Debug)]
pub struct Helper(usize);

impl Helper {
    /// Where its code is.
    pub fn address(self) -> usize {
        self.0
    }
}

/// The address of one of a function's two compilations: the arguments, and an expression that is compiled in both.
macro_rules! compiled_twice {
    (($($argument:ident: $ty:ty),*), $body:expr) => {{
        // Callers are compiled kernels: their pointers are as the documentation of each function says.
        unsafe extern "C" fn plain($($argument: $ty),*) {
            // SAFETY: as the caller's.
            unsafe { $body }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        unsafe extern "C" fn with_avx2($($argument: $ty),*) {
            // SAFETY: as the caller's.
            unsafe { $body }
        }
        #[cfg(target_arch = "x86_64")]
        let chosen = if std::is_x86_feature_detected!("avx2") { with_avx2 as *const () } else { plain as *const () };
        #[cfg(not(target_arch = "x86_64"))]
        let chosen = plain as *const ();
        chosen as usize
    }};
}

/// A [`Helper`] from a function of one element.
macro_rules! lanewise {
    (|$x:ident: $tx:ty| -> $to:ty $body:block) => {
        Helper(compiled_twice!((x: *const $tx, out: *mut $to), {
            let x = x.cast::<[$tx; GROUP]>().read();
            let result: [$to; GROUP] = std::array::from_fn(|lane| {
                let $x = x[lane];
                $body
            });
            out.cast::<[$to; GROUP]>().write(result);
        }))
    };
    (|$x:ident: $tx:ty, $y:ident: $ty:ty| -> $to:ty $body:block) => {
        Helper(compiled_twice!((x: *const $tx, y: *const $ty, out: *mut $to), {
            let x = x.cast::<[$tx; GROUP]>().read();
            let y = y.cast::<[$ty; GROUP]>().read();
            let result: [$to; GROUP] = std::array::from_fn(|lane| {
                let ($x, $y) = (x[lane], y[lane]);
                $body
            });
            out.cast::<[$to; GROUP]>().write(result);
        }))
    };
}

/// The same for a list of functions of one float.
macro_rules! functions {
    ($function:expr, $ty:ty, $($name:ident => $of:ident),*) => {
        match $function {
            $(MathFn::$name => lanewise!(|x: $ty| -> $ty { generic::$of(&Plain, x) }),)*
            MathFn::Round => lanewise!(|x: $ty| -> $ty { x.round() }),
            MathFn::Sqrt | MathFn::Floor | MathFn::Ceil => unreachable!("these are instructions"),
        }
    };
}

/// Functions of floats but `sqrt`, `floor` and `ceil`.
pub fn math(function: MathFn, ty: LaneType) -> Helper {
    match ty {
        LaneType::F32 => {
            functions!(function, f32, Exp => exp32, Log => log32, Sin => sin32, Cos => cos32, Tanh => tanh32)
        }
        LaneType::F64 => {
            functions!(function, f64, Exp => exp64, Log => log64, Sin => sin64, Cos => cos64, Tanh => tanh64)
        }
        _ => unreachable!("verified: functions are of floats"),
    }
}

/// Powers.
pub fn pow(ty: LaneType) -> Helper {
    match ty {
        LaneType::F32 => lanewise!(|x: f32, y: f32| -> f32 { generic::pow32(&Plain, x, y) }),
        LaneType::F64 => lanewise!(|x: f64, y: f64| -> f64 { generic::pow64(&Plain, x, y) }),
        _ => unreachable!("verified: powers are of floats"),
    }
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
pub fn divide(remainder: bool, ty: LaneType) -> Helper {
    match ty {
        LaneType::U8 => integer_division!(remainder, u8),
        LaneType::I32 => integer_division!(remainder, i32),
        LaneType::U32 => integer_division!(remainder, u32),
        LaneType::F32 => lanewise!(|x: f32, y: f32| -> f32 { x % y }),
        LaneType::F64 => lanewise!(|x: f64, y: f64| -> f64 { x % y }),
        LaneType::Bits => unreachable!("verified: bits are not divided"),
    }
}

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
pub fn shift(left: bool, ty: LaneType) -> Helper {
    match ty {
        LaneType::U8 => shifts!(left, u8),
        LaneType::I32 => shifts!(left, i32),
        LaneType::U32 => shifts!(left, u32),
        _ => unreachable!("verified: shifts are of integers"),
    }
}

/// f64 to an integer: truncated and saturated, NaN gives 0.
pub fn truncate(to: LaneType) -> Helper {
    match to {
        LaneType::U8 => lanewise!(|x: f64| -> u8 { x as u8 }),
        LaneType::I32 => lanewise!(|x: f64| -> i32 { x as i32 }),
        LaneType::U32 => lanewise!(|x: f64| -> u32 { x as u32 }),
        _ => unreachable!("other conversions are instructions"),
    }
}

/// The address of a function `(call, group, micro, draw, out)`: the random words of a group's cells, each as
/// [`philox::draw`] gives it.
pub fn random() -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        return random_with_avx2 as *const () as usize;
    }
    random_plain as *const () as usize
}

/// The canonical index of the first cell of a group.
fn first_cell(call: &Call, group: usize, micro: u32) -> u64 {
    let lane = (group * GROUP) as u64;
    call.first.wrapping_add(u64::from(micro)).wrapping_add(lane.wrapping_mul(call.lane_stride))
}

unsafe extern "C" fn random_plain(call: *const Call, group: usize, micro: u32, draw: u32, out: *mut u32) {
    // SAFETY: a compiled kernel hands on the call that it was called with.
    let call = unsafe { &*call };
    let first = first_cell(call, group, micro);
    let words: [u32; GROUP] = std::array::from_fn(|i| {
        philox::draw(call.seed, first.wrapping_add(call.lane_stride.wrapping_mul(i as u64)), call.time, draw)
    });
    // SAFETY: `out` is a slot for a group.
    unsafe { out.cast::<[u32; GROUP]>().write(words) };
}

/// Four lanes to a vector, one word to an element of 64 bits, whose upper half means nothing.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe extern "C" fn random_with_avx2(call: *const Call, group: usize, micro: u32, draw: u32, out: *mut u32) {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi64, _mm256_mul_epu32, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_srli_epi64,
        _mm256_storeu_si256, _mm256_xor_si256,
    };
    // SAFETY: a compiled kernel hands on the call that it was called with.
    let call = unsafe { &*call };
    let splat = |word: u32| _mm256_set1_epi64x(i64::from(word));
    let xor = |a: __m256i, b: __m256i, c: __m256i| _mm256_xor_si256(_mm256_xor_si256(a, b), c);
    let (first, stride) = (first_cell(call, group, micro), call.lane_stride);
    let place = |i: u64| first.wrapping_add(stride.wrapping_mul(i)) as i64;
    let low = _mm256_setr_epi64x(place(0), place(1), place(2), place(3));
    let high = _mm256_add_epi64(low, _mm256_set1_epi64x(stride.wrapping_mul(4) as i64));
    let mut halves = [low, high].map(|c| [c, _mm256_srli_epi64::<32>(c), splat(call.time), splat(draw / 4)]);
    let multipliers = philox::MULTIPLIERS.map(splat);
    let mut key = [call.seed as u32, (call.seed >> 32) as u32];
    for _ in 0..philox::ROUNDS {
        let keys = key.map(splat);
        for c in &mut halves {
            let (a, b) = (_mm256_mul_epu32(multipliers[0], c[0]), _mm256_mul_epu32(multipliers[1], c[2]));
            let (over_a, over_b) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            *c = [xor(over_b, c[1], keys[0]), b, xor(over_a, c[3], keys[1]), a];
        }
        key = [0, 1].map(|i| key[i].wrapping_add(philox::KEY_INCREMENTS[i]));
    }
    let mut words = [0u64; GROUP];
    for (c, words) in halves.iter().zip(words.chunks_exact_mut(4)) {
        // SAFETY: four words are as long as the vector.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), c[(draw % 4) as usize]) };
    }
    // SAFETY: `out` is a slot for a group.
    unsafe { out.cast::<[u32; GROUP]>().write(words.map(|word| word as u32)) };
}
