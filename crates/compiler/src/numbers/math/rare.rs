//! [`Rare`] arguments: which they are, and how functions of them are computed.

use super::ops::{Rare, WideOps};
use super::{logarithm, power, trigonometry};

impl Rare {
    /// Whether an argument can only be computed so; the functions of any argument give others the same bits as the usual way.
    pub fn takes(self, x: f64) -> bool {
        match self {
            Rare::Sin | Rare::Cos | Rare::Tan => trigonometry::is_large(x),
            Rare::Log | Rare::Pow => true,
        }
    }

    /// Its value, of as many arguments as the function has.
    pub fn of64<O: WideOps>(self, o: &O, arguments: &[O::F64]) -> O::F64 {
        match (self, arguments) {
            (Rare::Sin, [x]) => trigonometry::large(o, *x, 0),
            (Rare::Cos, [x]) => trigonometry::large(o, *x, 1),
            (Rare::Tan, [x]) => trigonometry::large_tangent(o, *x),
            (Rare::Log, [x]) => logarithm::log64_of_any(o, *x),
            (Rare::Pow, [base, exponent]) => power::pow64_of_any(o, *base, *exponent),
            _ => unreachable!("powers have two arguments, all others one"),
        }
    }

    /// Its value in binary32.
    pub fn of32<O: WideOps>(self, o: &O, arguments: &[O::F32]) -> O::F32 {
        match (self, arguments) {
            (Rare::Pow, [base, exponent]) => power::pow32_of_any(o, *base, *exponent),
            (_, [x]) => o.narrow(self.of64(o, &[o.widen(*x)])),
            _ => unreachable!("powers have two arguments, all others one"),
        }
    }
}
