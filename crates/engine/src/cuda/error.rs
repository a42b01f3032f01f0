//! Why there is no result from a GPU.

use super::library::LoadError;
use crate::failure::Failure;
use squeeze_host::numbers;

/// Errors of the driver, the compiler or the device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The machine has no NVIDIA driver.
    #[error("there is no NVIDIA driver: {0}")]
    NoDriver(LoadError),
    /// The driver sees no device.
    #[error("the NVIDIA driver sees no device")]
    NoDevice,
    /// The driver sees fewer devices.
    #[error("there is no GPU {number}: the driver sees {}", if *count == 1 { "one, which is GPU 0".to_owned() } else { format!("{count}, from 0 to {}", count - 1) })]
    NoSuchDevice {
        /// The number that was asked for.
        number: i32,
        /// How many there are.
        count: i32,
    },
    /// The library that compiles CUDA C is not there.
    #[error("NVRTC, which compiles CUDA C, was not found: {0}")]
    NoNvrtc(LoadError),
    /// A library without a function that is needed.
    #[error("`{library}` is too old: it has no `{function}`")]
    TooOld {
        /// The library.
        library: String,
        /// The function.
        function: String,
    },
    /// The device has not so much memory left.
    #[error("the device has no {} of memory left", numbers::bytes(*bytes as f64))]
    NoMemory {
        /// The bytes of the allocation that failed.
        bytes: u64,
    },
    /// Other programs fill the device, so that nothing is left for states.
    #[error("{}", full(device, *free, *total))]
    Full {
        /// The driver's name for it.
        device: String,
        /// The bytes that are free, and those that are left to others; unknown where not even what the driver begins with is free.
        free: Option<(u64, u64)>,
        /// All bytes of its memory.
        total: u64,
    },
    /// Machine code without a kernel.
    #[error("the code holds no kernel `{name}`")]
    NoFunction {
        /// The kernel.
        name: String,
    },
    /// The driver refused something.
    #[error("the NVIDIA driver failed at {what}: {reason}")]
    Driver {
        /// The request.
        what: &'static str,
        /// The driver's words.
        reason: String,
        /// The driver's number for it.
        code: i32,
    },
    /// NVRTC compiles nothing for an architecture.
    #[error("NVRTC {}.{} compiles nothing for `{name}`", version.0, version.1)]
    NoArchitecture {
        /// The architecture.
        name: String,
        /// NVRTC's version.
        version: (u32, u32),
        /// The architectures that it compiles for, as numbers: 90 is `sm_90`.
        there: Vec<u32>,
    },
    /// NVRTC refused something.
    #[error("NVRTC failed at {what}: {reason}")]
    Nvrtc {
        /// The request.
        what: String,
        /// NVRTC's words.
        reason: String,
    },
}

/// The message of [`CudaError::Full`]: the free memory of the device, and what is left to other programs.
fn full(device: &str, free: Option<(u64, u64)>, total: u64) -> String {
    let total = numbers::bytes(total as f64);
    match free.map(|(free, reserve)| [free, reserve].map(|bytes| numbers::bytes(bytes as f64))) {
        Some([free, reserve]) => format!(
            "other programs fill the GPU ({device}): {free} of its {total} of memory is free, and Squeeze leaves {reserve} to others and to kernels"
        ),
        None => format!(
            "other programs fill the GPU ({device}): of its {total} of memory less is free than the driver begins with, some hundred megabytes"
        ),
    }
}

/// The driver's error codes, by what they mean for a user.
mod codes {
    /// The driver is older than the CUDA that it is asked for.
    pub(crate) const OLD_DRIVER: [i32; 4] = [34, 222, 803, 804];
    /// Nothing could be allocated.
    pub(crate) const NO_MEMORY: i32 = 2;
    /// A kernel did what it must not: a wrong address, an instruction, a misaligned access, a failure without a name.
    pub(crate) const FAULT: [i32; 8] = [700, 714, 715, 716, 717, 718, 719, 702];
    /// The machine code is not for this device.
    pub(crate) const OTHER_DEVICE: [i32; 2] = [200, 209];
}

impl Failure for CudaError {
    fn is_users(&self) -> bool {
        matches!(self, CudaError::NoArchitecture { .. } | CudaError::NoSuchDevice { .. })
    }

    fn help(&self) -> Vec<String> {
        if let CudaError::NoArchitecture { there, .. } = self {
            let names: Vec<String> = there.iter().map(|number| format!("sm_{number}")).collect();
            return vec![
                format!("it compiles for {}", names.join(", ")),
                "a letter, as in `sm_90a` or `sm_100f`, asks for what only that one or its family has, from sm_90 or sm_100 on"
                    .to_owned(),
            ];
        }
        let help: &[&str] = match self {
            CudaError::NoDriver(_) => &["install NVIDIA's driver, or take `--backend cpu`"],
            CudaError::NoSuchDevice { .. } => &["`squeeze doctor` lists them; CUDA_VISIBLE_DEVICES hides some"],
            CudaError::NoDevice => &["look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES, or take `--backend cpu`"],
            CudaError::NoNvrtc(_) => &[
                "`pip install nvidia-cuda-nvrtc` brings it, as does the CUDA toolkit",
                "SQUEEZE_NVRTC names the folder that holds libnvrtc, if it is not found",
            ],
            CudaError::TooOld { .. } => &["install a newer driver or CUDA toolkit, version 12 or above"],
            CudaError::NoMemory { .. } | CudaError::Driver { code: codes::NO_MEMORY, .. } => &[
                "`nvidia-smi` shows who else uses the device's memory; a lower level takes less",
                "`--backend cpu` does without a GPU",
            ],
            CudaError::Full { .. } => &[
                "`nvidia-smi` shows who uses it, and CUDA_VISIBLE_DEVICES names another",
                "`--backend cpu` does without a GPU",
            ],
            CudaError::NoFunction { .. } => {
                &["a file for `--load-cuda` holds all kernels that `squeeze emit --target cuda` printed"]
            }
            CudaError::Driver { code, .. } if codes::OLD_DRIVER.contains(code) => {
                &["the driver is older than NVRTC: install a newer driver, or an NVRTC as old as it"]
            }
            CudaError::Driver { code, .. } if codes::FAULT.contains(code) => &[
                "a kernel did what it must not: a kernel edited for `--load-cuda` is at fault, or Squeeze itself",
                "`compute-sanitizer squeeze run …` says which; `--backend cpu` does without a GPU",
            ],
            CudaError::Driver { code, .. } if codes::OTHER_DEVICE.contains(code) => {
                &["NVRTC or the driver does not know the other; `squeeze doctor` shows the versions of both"]
            }
            CudaError::Driver { .. } => &["`--backend cpu` does without a GPU; `squeeze doctor` looks for the cause"],
            CudaError::NoArchitecture { .. } => &[],
            CudaError::Nvrtc { .. } => &["`squeeze emit --target cuda` shows the code"],
        };
        help.iter().map(|&line| line.to_owned()).collect()
    }
}
