//! The machine that this program runs on.

use super::ops::{Float, IntegerOps, Ops, Rare, WideOps};
use std::num::Wrapping;

/// The machine that this program runs on: one value at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostMachine;

impl Ops for HostMachine {
    const BRANCHES: bool = true;

    type F32 = f32;
    type F64 = f64;
    type U32 = Wrapping<u32>;
    type U64 = Wrapping<u64>;
    type Mask = bool;

    fn f32(&self, v: f32) -> f32 {
        v
    }
    fn f64(&self, v: f64) -> f64 {
        v
    }
    fn u32(&self, v: u32) -> Wrapping<u32> {
        Wrapping(v)
    }
    fn u64(&self, v: u64) -> Wrapping<u64> {
        Wrapping(v)
    }
    fn widen(&self, v: f32) -> f64 {
        f64::from(v)
    }
    fn narrow(&self, v: f64) -> f32 {
        v as f32
    }
    fn rarely32(&self, mask: bool, common: f32, rare: Rare, arguments: &[f32]) -> f32 {
        if mask { rare.of32(self, arguments) } else { common }
    }
    fn rarely64(&self, mask: bool, common: f64, rare: Rare, arguments: &[f64]) -> f64 {
        if mask { rare.of64(self, arguments) } else { common }
    }
}

/// A float and its bits.
macro_rules! floats {
    ($($float:ty, $bits:ty;)*) => {$(
        impl Float for $float {
            type Bits = Wrapping<$bits>;
            type Mask = bool;

            fn bits(self) -> Self::Bits {
                Wrapping(self.to_bits())
            }
            fn less(self, other: Self) -> bool {
                self < other
            }
            fn equal(self, other: Self) -> bool {
                self == other
            }
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
            fn sqrt(self) -> Self {
                <$float>::sqrt(self)
            }
        }

        impl IntegerOps for Wrapping<$bits> {
            type Float = $float;

            fn float(self) -> $float {
                <$float>::from_bits(self.0)
            }
        }
    )*};
}

floats! { f32, u32; f64, u64; }

impl WideOps for HostMachine {
    fn select_u64(&self, mask: bool, a: Wrapping<u64>, b: Wrapping<u64>) -> Wrapping<u64> {
        if mask { a } else { b }
    }
    fn below(&self, a: Wrapping<u64>, b: Wrapping<u64>) -> bool {
        a < b
    }
    fn shl_by(&self, v: Wrapping<u64>, n: Wrapping<u64>) -> Wrapping<u64> {
        Wrapping(v.0 << n.0)
    }
    fn shr_by(&self, v: Wrapping<u64>, n: Wrapping<u64>) -> Wrapping<u64> {
        Wrapping(v.0 >> n.0)
    }
    fn mul_low(&self, a: Wrapping<u64>, b: Wrapping<u64>) -> Wrapping<u64> {
        a * b
    }
    fn mul_high(&self, a: Wrapping<u64>, b: Wrapping<u64>) -> Wrapping<u64> {
        Wrapping(((u128::from(a.0) * u128::from(b.0)) >> 64) as u64)
    }
    fn table(&self, words: &'static [u64], index: Wrapping<u64>) -> Wrapping<u64> {
        Wrapping(words[index.0 as usize])
    }
}
