//! What executes simulations: the CPU, NVIDIA GPUs, and the oracle.

pub mod cpu;
pub mod cuda;
pub(crate) mod reference;
