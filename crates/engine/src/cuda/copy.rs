//! Copies on the device, to be timed.

use super::driver::{Device, LaunchGraph, Memory};
use super::error::CudaError;
use super::room::RESERVE;
use crate::Result;
use std::sync::Arc;

/// Copies of less than this are started many at once, so that their start is not what is measured.
const LARGE: u64 = 64 << 20;
/// The number of them then.
const AT_ONCE: u64 = 32;

/// Two pieces of memory on the first device, one to be copied to the other.
pub struct DeviceCopy {
    device: Arc<Device>,
    source: Memory,
    target: Memory,
    graph: Option<LaunchGraph>,
}

impl DeviceCopy {
    /// Takes twice as many bytes; `None` if the device has no room.
    ///
    /// # Errors
    /// If there is no device, or it fails.
    pub fn new(bytes: u64) -> Result<Option<DeviceCopy>> {
        let device = Device::first()?;
        if device.free_memory()?.saturating_sub(RESERVE) / 2 < bytes {
            return Ok(None);
        }
        let memory = || Memory::zeroed(&device, bytes);
        let (source, target) = match memory().and_then(|source| Ok((source, memory()?))) {
            Err(CudaError::NoMemory { .. }) => return Ok(None),
            both => both?,
        };
        let graph = if bytes < LARGE {
            Some(device.record(|| (0..AT_ONCE).try_for_each(|_| Ok(target.copy_from(&source)?)))?)
        } else {
            None
        };
        Ok(Some(DeviceCopy { device, source, target, graph }))
    }

    /// How many copies are started at once: [`DeviceCopy::run`] takes multiples of it.
    pub fn unit(&self) -> u64 {
        if self.graph.is_some() { AT_ONCE } else { 1 }
    }

    /// Copies `times` times, and waits.
    ///
    /// # Errors
    /// If the device fails.
    pub fn run(&self, times: u64) -> Result<()> {
        match &self.graph {
            Some(graph) => {
                for _ in 0..times / AT_ONCE {
                    // SAFETY: both memories live as long as the graph, and were waited for when this returns.
                    unsafe { graph.launch()? };
                }
            }
            None => (0..times).try_for_each(|_| self.target.copy_from(&self.source))?,
        }
        Ok(self.device.synchronize()?)
    }
}

impl Drop for DeviceCopy {
    fn drop(&mut self) {
        // Nothing may be freed that is still copied.
        _ = self.device.synchronize();
    }
}
