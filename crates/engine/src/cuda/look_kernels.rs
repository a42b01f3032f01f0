//! The kernels of `templates/looks.cu`, which are the same for all simulations, and the memory that they share from look to look.

use super::driver::{Device, Function, Memory, Module};
use super::error::CudaError;
use super::nvrtc::MachineCode;
use std::sync::{Arc, Mutex, PoisonError};

/// Memory of more bytes is given back after a look.
const KEPT: usize = 16 << 20;
/// Places of the parts of memory begin with multiples of as many bytes.
const ALIGNED: u64 = 256;

/// The kernels, and memory that they share from look to look.
pub(super) struct LookKernels {
    device: Arc<Device>,
    pub gather: Function,
    pub count: Function,
    pub sum: Function,
    /// The lane of each replica; of rows nothing.
    pub lanes: Memory,
    kept: Mutex<Option<Memory>>,
}

impl LookKernels {
    /// From `look_kernels`, compiled, for a layout whose replicas have these lanes.
    pub(super) fn new(device: &Arc<Device>, image: &MachineCode, lanes: &[u32]) -> Result<LookKernels, CudaError> {
        let module = Module::new(device, image)?;
        Ok(LookKernels {
            device: Arc::clone(device),
            gather: module.function("gather")?,
            count: module.function("count_values")?,
            sum: module.function("sum_rows")?,
            lanes: Memory::of(device, lanes)?,
            kept: Mutex::default(),
        })
    }

    /// Gives `work` memory with room for parts of these sizes, and the first byte of each; `None` if that is more than what is `left` of the device.
    pub(super) fn with_room<const N: usize, T>(
        &self,
        left: impl FnOnce() -> crate::Result<u64>,
        sizes: [u64; N],
        work: impl FnOnce(&Memory, [u64; N]) -> crate::Result<T>,
    ) -> crate::Result<Option<T>> {
        let mut end = 0;
        let places = sizes.map(|size| {
            end += size.next_multiple_of(ALIGNED);
            end - size.next_multiple_of(ALIGNED)
        });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = match kept.take().filter(|memory| memory.len() as u64 >= end) {
            Some(memory) => memory,
            None if end.next_power_of_two() > left()? => return Ok(None),
            None => match Memory::zeroed(&self.device, end.next_power_of_two()) {
                // Another process has taken what was free just now.
                Err(CudaError::NoMemory { .. }) => return Ok(None),
                memory => memory?,
            },
        };
        let done = work(&memory, places);
        *kept = Some(memory).filter(|memory| memory.len() <= KEPT);
        done.map(Some)
    }
}
