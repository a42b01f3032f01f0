//! From kernels to source text: CUDA C, Rust, and the CUDA C of the papers' strategies.

#[cfg(feature = "emit-cuda")]
pub mod cuda;
#[cfg(any(feature = "emit-cuda", feature = "emit-rust"))]
mod functions;
pub mod papers;
#[cfg(feature = "emit-rust")]
pub mod rust;
