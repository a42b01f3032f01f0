//! The functions by the names that the IR has for them: what executors and printers ask for.

use super::generic as g;
use super::ops::Ops;
use crate::ir::{MathFn, MathFn2};

const INSTRUCTION: &str = "roots and roundings are operations of IEEE 754";

/// A function of one binary32, which is no operation of IEEE 754.
pub fn one32<O: Ops>(function: MathFn, o: &O, x: O::F32) -> O::F32 {
    match function {
        MathFn::Exp => g::exp32(o, x),
        MathFn::Log => g::log32(o, x),
        MathFn::Sin => g::sin32(o, x),
        MathFn::Cos => g::cos32(o, x),
        MathFn::Tanh => g::tanh32(o, x),
        MathFn::Atan => g::atan32(o, x),
        MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round => unreachable!("{INSTRUCTION}"),
    }
}

/// The same of a binary64.
pub fn one64<O: Ops>(function: MathFn, o: &O, x: O::F64) -> O::F64 {
    match function {
        MathFn::Exp => g::exp64(o, x),
        MathFn::Log => g::log64(o, x),
        MathFn::Sin => g::sin64(o, x),
        MathFn::Cos => g::cos64(o, x),
        MathFn::Tanh => g::tanh64(o, x),
        MathFn::Atan => g::atan64(o, x),
        MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round => unreachable!("{INSTRUCTION}"),
    }
}

/// A function of two binary32.
pub fn two32<O: Ops>(function: MathFn2, o: &O, a: O::F32, b: O::F32) -> O::F32 {
    match function {
        MathFn2::Pow => g::pow32(o, a, b),
        MathFn2::Atan2 => g::atan2_32(o, a, b),
    }
}

/// The same of two binary64.
pub fn two64<O: Ops>(function: MathFn2, o: &O, a: O::F64, b: O::F64) -> O::F64 {
    match function {
        MathFn2::Pow => g::pow64(o, a, b),
        MathFn2::Atan2 => g::atan2_64(o, a, b),
    }
}

/// The name of a function of one float in printed code, without its width; `None` for operations of IEEE 754.
pub fn name(function: MathFn) -> Option<&'static str> {
    match function {
        MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round => None,
        MathFn::Exp | MathFn::Log | MathFn::Sin | MathFn::Cos | MathFn::Tanh | MathFn::Atan => Some(function.name()),
    }
}
