//! The struct that kernels take, said once: what the host fills, and what CUDA C declares.

use squeeze_compiler::kernel_structs;
use squeeze_engine::cuda::kit::Argument;

kernel_structs! {
    /// What a step needs besides the states.
    GridWorld = "World" 18 {
        params: u64 = "const u64 *params" "the parameters' bits",
        seed: u64 = "u64 seed" "",
        time: u32 = "u32 time" "the time that is computed",
    }
}

// SAFETY: CUDA C declares it by the same list of fields.
unsafe impl Argument for GridWorld {}
