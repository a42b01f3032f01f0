//! Placeholder bodies, replaced by the one implementation in the next commits.
#![allow(missing_docs)]
macro_rules! one {
    ($($n32:ident $n64:ident $f:ident;)*) => {$(
        pub fn $n32(a: f32) -> f32 { f64::from(a).$f() as f32 }
        pub fn $n64(a: f64) -> f64 { a.$f() }
    )*};
}
one! { exp32 exp64 exp; log32 log64 ln; sin32 sin64 sin; cos32 cos64 cos; tanh32 tanh64 tanh; }
pub fn pow32(a: f32, b: f32) -> f32 {
    f64::from(a).powf(f64::from(b)) as f32
}
pub fn pow64(a: f64, b: f64) -> f64 {
    a.powf(b)
}
