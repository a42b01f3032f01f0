//! Functions whose products and sums may be rounded once or twice: the results are the same for every argument.

use squeeze_compiler::numbers::math::{HostMachine, Ops, Rare, generic};
use std::num::Wrapping;

/// [`HostMachine`], but with products and sums that are rounded once.
struct Fusing;

macro_rules! as_plain {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {$(
        fn $name(&self, $($argument: $ty),*) -> $result {
            HostMachine.$name($($argument),*)
        }
    )*};
}

impl Ops for Fusing {
    const BRANCHES: bool = true;

    type F32 = f32;
    type F64 = f64;
    type U32 = Wrapping<u32>;
    type U64 = Wrapping<u64>;
    type Mask = bool;

    as_plain! {
        f32(v: f32) -> f32;
        f64(v: f64) -> f64;
        u32(v: u32) -> Wrapping<u32>;
        u64(v: u64) -> Wrapping<u64>;
        widen(v: f32) -> f64;
        narrow(v: f64) -> f32;
        rarely32(mask: bool, common: f32, rare: Rare, arguments: &[f32]) -> f32;
        rarely64(mask: bool, common: f64, rare: Rare, arguments: &[f64]) -> f64;
    }
    fn plus_product(&self, c: f64, a: f64, b: f64) -> f64 {
        a.mul_add(b, c)
    }
    fn minus_product(&self, c: f64, a: f64, b: f64) -> f64 {
        (-a).mul_add(b, c)
    }
}

/// Compares the functions on a part of the binary32 below 2^21, of both signs: above, both take the same way.
fn compare(step: usize) {
    let end = 2_097_152f32.to_bits();
    for bits in (0..=end).step_by(step) {
        for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
            let sines = [generic::sin32(&HostMachine, x), generic::sin32(&Fusing, x)].map(f32::to_bits);
            assert_eq!(sines[0], sines[1], "sin({x:e})");
            let cosines = [generic::cos32(&HostMachine, x), generic::cos32(&Fusing, x)].map(f32::to_bits);
            assert_eq!(cosines[0], cosines[1], "cos({x:e})");
        }
    }
}

#[test]
fn some_sines_may_be_fused() {
    compare(2039);
}

/// Takes some minutes with optimisation: `cargo test --release -p squeeze-compiler --test math_fused -- --ignored`.
#[test]
#[ignore = "compares two thousand million arguments"]
fn every_sine_may_be_fused() {
    compare(1);
}
