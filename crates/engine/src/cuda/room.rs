//! How much memory of the device there is for states and tables, and whether tables fit on the host.

use super::driver::Device;
use super::error::CudaError;
use crate::{EngineError, EngineOptions, Result};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_host::{memory, numbers};

/// Bytes of the device that are left to others, and to the kernels' own needs.
pub const RESERVE: u64 = 256 << 20;

/// The tables of a mask or a box must fit on the host, before they are made.
pub(super) fn check_tables(domain: &Domain) -> Result<()> {
    let needed = if domain.levels().is_none() { RowGrid::bytes(domain) } else { 0 };
    let backend = "cuda, whose tables are made on the host,";
    EngineError::check_memory(domain, backend, needed.into(), memory::available(), || None)
}

/// Bytes of a device that there are for states and tables.
pub(crate) fn room(options: &EngineOptions) -> Result<u64> {
    Ok(room_on(&*Device::numbered(options.device)?, options.limit)?)
}

/// The same, with the number that tells the device from all others.
pub(crate) fn room_of(options: &EngineOptions) -> Result<(u64, u128)> {
    let device = Device::numbered(options.device)?;
    Ok((room_on(&device, options.limit)?, device.identity()?))
}

/// The same of any device.
pub fn room_on(device: &Device, limit: Option<u64>) -> Result<u64, CudaError> {
    let free = device.free_memory()?;
    if free <= RESERVE {
        return Err(CudaError::Full {
            device: device.name(),
            free: Some((free, RESERVE)),
            total: device.total_memory()?,
        });
    }
    Ok((free - RESERVE).min(limit.unwrap_or(u64::MAX)))
}

/// Adds to the error of states that do not fit on a device how much of it is free, and another way.
pub fn on_device(device: &Device, mut error: EngineError) -> EngineError {
    if let (EngineError::Memory { help, .. }, Ok(free)) = (&mut error, device.free_memory()) {
        let [free, reserve] = [free, RESERVE].map(|bytes| numbers::bytes(bytes as f64));
        help.push(format!(
            "{free} of the GPU's memory is free, of which {reserve} is left to others; `--backend cpu` does without a GPU"
        ));
    }
    error
}
