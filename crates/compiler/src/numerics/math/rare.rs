//! What [`Rare`] arguments are, and how functions of them are computed.

use super::ops::{Rare, WideOps};
use super::trigonometry;

impl Rare {
    /// Whether an argument is computed so.
    pub fn takes(self, x: f64) -> bool {
        match self {
            Rare::Sin | Rare::Cos => trigonometry::is_large(x),
        }
    }

    /// Its value.
    pub fn of64<O: WideOps>(self, o: &O, x: O::F64) -> O::F64 {
        match self {
            Rare::Sin => trigonometry::sin_large(o, x),
            Rare::Cos => trigonometry::cos_large(o, x),
        }
    }

    /// Its value, rounded to binary32.
    pub fn of32<O: WideOps>(self, o: &O, x: O::F32) -> O::F32 {
        o.narrow(self.of64(o, o.widen(x)))
    }
}
