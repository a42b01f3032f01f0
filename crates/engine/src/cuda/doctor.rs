//! Which of the things that GPUs need are installed.

use super::cache::{CacheContents, KernelCache};
use super::code::image;
use super::driver::{self, Device};
use super::error::CudaError;
use super::measure::Measure;
use super::nvrtc::{Architecture, Nvrtc};
use super::room::room_on;
use squeeze_compiler::emit::cuda::measuring_kernels;
use std::path::PathBuf;

/// The parts that a machine has for the backend `cuda`, and why it lacks the rest.
#[derive(Debug)]
pub struct Report {
    /// The version of CUDA that the driver knows, such as (13, 0).
    pub driver: Result<(u32, u32), CudaError>,
    /// The devices that the driver sees; [`CudaError::NoDevice`] if there are none.
    pub devices: Result<Vec<DeviceReport>, CudaError>,
    /// The compiler.
    pub nvrtc: Result<NvrtcReport, CudaError>,
    /// The folder of compiled kernels; `None` if there is none.
    pub cache: Option<CacheReport>,
    /// Whether a kernel could be compiled and loaded on the first device; `None` if something that it needs is missing.
    pub trial: Option<Result<(), CudaError>>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceReport {
    /// The driver's name for it, such as `NVIDIA H100`.
    pub name: String,
    /// Its architecture.
    pub architecture: Architecture,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Its highest clock, in kHz.
    pub clock: u32,
    /// The bytes of its second cache.
    pub second_cache: u32,
    /// All bytes of its memory.
    pub memory: u64,
    /// The bytes that are free.
    pub free: u64,
    /// The numbers of the other devices whose memory its kernels reach.
    pub reaches: Vec<i32>,
}

impl DeviceReport {
    /// The driver's report on the device of this number.
    ///
    /// # Errors
    /// If there is none, or the driver does not tell.
    pub fn of(number: i32) -> Result<DeviceReport, CudaError> {
        let device = Device::numbered(number)?;
        Ok(DeviceReport {
            name: device.name(),
            architecture: device.architecture()?,
            multiprocessors: device.multiprocessors()?,
            clock: device.clock()?,
            second_cache: device.second_cache()?,
            memory: device.total_memory()?,
            free: device.free_memory()?,
            reaches: device.reaches(driver::count()?)?,
        })
    }
}

/// NVRTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvrtcReport {
    /// The library, as the system was asked for it.
    pub path: PathBuf,
    /// Its version, such as (13, 0).
    pub version: (u32, u32),
}

/// The folder of compiled kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheReport {
    /// Where it is.
    pub folder: PathBuf,
    /// Its contents.
    pub contents: CacheContents,
    /// Why nothing can be written there, if so.
    pub problem: Option<String>,
}

impl Report {
    /// Looks at this machine.
    pub fn of_machine() -> Report {
        let cache = KernelCache::usual();
        let nvrtc = Nvrtc::find();
        let trial = match (&nvrtc, Device::first()) {
            (Ok(nvrtc), Ok(device)) => {
                // Not from the cache: this is to show whether the compiler works.
                let none = KernelCache::none();
                let image = device.architecture().and_then(|sm| image(nvrtc, &none, sm, &measuring_kernels()));
                let tried = image.and_then(|image| Measure::new(&device, &image));
                Some(tried.and_then(|_| room_on(&device, None).map(|_| ())))
            }
            _ => None,
        };
        Report {
            driver: driver::version(),
            devices: devices(),
            nvrtc: nvrtc.map(|nvrtc| NvrtcReport { path: nvrtc.path().to_owned(), version: nvrtc.version() }),
            cache: cache.folder().map(|folder| CacheReport {
                folder: folder.to_owned(),
                contents: cache.contents(),
                problem: cache.writable().err(),
            }),
            trial,
        }
    }

    /// All that is in the way of the backend `cuda`.
    pub fn problems(&self) -> Vec<&CudaError> {
        let mut problems: Vec<&CudaError> = Vec::new();
        problems.extend(self.driver.as_ref().err());
        // Without a driver there is no more to say of devices.
        problems.extend(self.devices.as_ref().err().filter(|_| self.driver.is_ok()));
        problems.extend(self.nvrtc.as_ref().err());
        problems.extend(self.trial.iter().filter_map(|trial| trial.as_ref().err()));
        problems
    }
}

fn devices() -> Result<Vec<DeviceReport>, CudaError> {
    match driver::count()? {
        0 => Err(CudaError::NoDevice),
        count => (0..count).map(DeviceReport::of).collect(),
    }
}
