//! The functions by the names that the IR has for them, for executors and printers.

use super::generic as g;
use super::ops::Ops;
use crate::ir::{MathFn, MathFn2};

/// A function of one float on a machine.
pub type One<O, F> = fn(&O, F) -> F;
/// A function of two.
pub type Two<O, F> = fn(&O, F, F) -> F;

/// A function of one binary32, and that of one binary64, which are no operations of IEEE 754.
pub fn one<O: Ops>(function: MathFn) -> (One<O, O::F32>, One<O, O::F64>) {
    match function {
        MathFn::Exp => (g::exp32, g::exp64),
        MathFn::Log => (g::log32, g::log64),
        MathFn::Log2 => (g::log2_32, g::log2_64),
        MathFn::Sin => (g::sin32, g::sin64),
        MathFn::Cos => (g::cos32, g::cos64),
        MathFn::Tan => (g::tan32, g::tan64),
        MathFn::Tanh => (g::tanh32, g::tanh64),
        MathFn::Asin => (g::asin32, g::asin64),
        MathFn::Acos => (g::acos32, g::acos64),
        MathFn::Atan => (g::atan32, g::atan64),
        MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round => {
            unreachable!("roots and roundings are operations of IEEE 754")
        }
    }
}

/// A function of two binary32, and that of two binary64.
pub fn two<O: Ops>(function: MathFn2) -> (Two<O, O::F32>, Two<O, O::F64>) {
    match function {
        MathFn2::Pow => (g::pow32, g::pow64),
        MathFn2::Atan2 => (g::atan2_32, g::atan2_64),
    }
}

/// The name of a function of one float in printed code, without its width; `None` for operations of IEEE 754.
pub fn name(function: MathFn) -> Option<&'static str> {
    let is_operation = matches!(function, MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round);
    (!is_operation).then(|| function.name())
}
