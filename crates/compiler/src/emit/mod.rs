//! From kernels to source text: CUDA C, Rust, and the CUDA C of the papers' strategies.

pub mod cuda;
pub mod papers;
pub mod rust;
