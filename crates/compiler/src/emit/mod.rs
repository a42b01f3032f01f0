//! From kernels to source text: CUDA C and Rust.

#[cfg(feature = "emit-cuda")]
pub mod cuda;
#[cfg(any(feature = "emit-cuda", feature = "emit-rust"))]
mod functions;
#[cfg(any(feature = "emit-cuda", feature = "emit-rust"))]
pub mod names;
#[cfg(feature = "emit-rust")]
pub mod rust;
