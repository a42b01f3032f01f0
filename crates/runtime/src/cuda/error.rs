//! Why there is no result from a GPU.

use super::library::LoadError;

/// What went wrong with the driver, the compiler or the device.
#[derive(Debug, thiserror::Error)]
pub enum CudaError {
    /// The machine has no NVIDIA driver.
    #[error("there is no NVIDIA driver: {0}")]
    NoDriver(LoadError),
    /// The driver sees no device.
    #[error("the NVIDIA driver sees no device")]
    NoDevice,
    /// The library that compiles CUDA C is not there.
    #[error("NVRTC, which compiles CUDA C, is not there: {0}")]
    NoNvrtc(LoadError),
    /// A library without a function that is needed.
    #[error("`{library}` is too old: it has no `{function}`")]
    TooOld {
        /// The library.
        library: String,
        /// The function.
        function: String,
    },
    /// The driver refused something.
    #[error("the NVIDIA driver failed at {what}: {reason}")]
    Driver {
        /// What was asked for.
        what: &'static str,
        /// What the driver calls it.
        reason: String,
        /// The driver's number for it.
        code: i32,
    },
    /// NVRTC refused something.
    #[error("NVRTC failed at {what}: {reason}")]
    Nvrtc {
        /// What was asked for.
        what: String,
        /// NVRTC's words.
        reason: String,
    },
}

impl CudaError {
    /// True if this machine just has no GPU.
    pub fn is_no_gpu(&self) -> bool {
        matches!(self, CudaError::NoDriver(_) | CudaError::NoDevice)
    }

    /// What could be done, one line each.
    pub fn help(&self) -> Vec<String> {
        let help: &[&str] = match self {
            CudaError::NoDriver(_) => &["install NVIDIA's driver, or take `--backend cpu`"],
            CudaError::NoDevice => &["look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES, or take `--backend cpu`"],
            CudaError::NoNvrtc(_) => &[
                "`pip install nvidia-cuda-nvrtc` brings it, as does the CUDA toolkit",
                "SQUEEZE_NVRTC names the folder that holds libnvrtc, if it is not found",
            ],
            CudaError::TooOld { .. } => &["install a newer driver or CUDA toolkit, version 12 or above"],
            CudaError::Driver { .. } => &["`--backend cpu` does without a GPU"],
            CudaError::Nvrtc { .. } => &["`squeeze emit --target cuda` shows the code"],
        };
        help.iter().map(|&line| line.to_owned()).collect()
    }
}
