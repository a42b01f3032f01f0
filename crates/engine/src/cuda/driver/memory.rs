//! The memory of a device, and copies between it and the host.

use super::super::error::CudaError;
use super::{
    Address, Device, check, cuMemAlloc_v2, cuMemFree_v2, cuMemHostRegister_v2, cuMemHostUnregister,
    cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, cuMemcpyHtoD_v2, cuMemsetD8_v2, cuMemsetD32Async,
    cuStreamCreate, cuStreamDestroy_v2, cuStreamSynchronize,
};
use cudarc::driver::sys::{CUresult, CUstream};
use squeeze_compiler::emit::cuda::{Level, Term};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

/// Types whose values are copied to a device as they stand in memory.
///
/// # Safety
/// All bytes of a value are initialised: there is no padding.
pub unsafe trait Plain: Copy {}

// SAFETY: an integer has no padding.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: four u32 in the order of C.
unsafe impl Plain for Level {}
// SAFETY: three u32 in the order of C.
unsafe impl Plain for Term {}

const _: () = assert!(size_of::<Level>() == 6 * size_of::<u32>() && size_of::<Term>() == 3 * size_of::<u32>());

/// Memory of a device.
pub struct Memory {
    device: Arc<Device>,
    address: Address,
    bytes: usize,
}

impl Memory {
    /// Zeroed memory.
    pub fn zeroed(device: &Arc<Device>, bytes: u64) -> Result<Memory, CudaError> {
        device.enter()?;
        let too_much = |_| CudaError::NoMemory { bytes };
        let mut memory =
            Memory { device: Arc::clone(device), address: 0, bytes: usize::try_from(bytes).map_err(too_much)? };
        // Nothing of no bytes can be allocated.
        let length = memory.bytes.max(1);
        // SAFETY: the pointer is to an address; then as many bytes as were allocated are filled.
        unsafe {
            match cuMemAlloc_v2(&mut memory.address, length) {
                CUresult::CUDA_ERROR_OUT_OF_MEMORY => return Err(CudaError::NoMemory { bytes }),
                result => check("allocating memory", result)?,
            }
            check("filling memory", cuMemsetD8_v2(memory.address, 0, length))?;
        }
        Ok(memory)
    }

    /// Fills it with zeros.
    pub fn clear(&mut self) -> Result<(), CudaError> {
        self.device.enter()?;
        // SAFETY: the memory has these bytes, and nobody else writes it meanwhile.
        check("filling memory", unsafe { cuMemsetD8_v2(self.address, 0, self.bytes.max(1)) })
    }

    /// A copy of a list.
    pub fn of<T: Plain>(device: &Arc<Device>, list: &[T]) -> Result<Memory, CudaError> {
        let memory = Memory::zeroed(device, size_of_val(list) as u64)?;
        if !list.is_empty() {
            // SAFETY: both sides have as many bytes, and a plain type has no padding that must not be read.
            let result = unsafe { cuMemcpyHtoD_v2(memory.address, list.as_ptr().cast(), memory.bytes) };
            check("copying to the device", result)?;
        }
        Ok(memory)
    }

    /// Where it begins.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Its bytes.
    #[allow(clippy::len_without_is_empty, reason = "memory of no bytes is as good as any other")]
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Copies `list.len()` bytes from byte `first` on to the host.
    ///
    /// # Panics
    /// If the memory has fewer bytes.
    pub fn download(&self, first: usize, list: &mut [u8]) -> Result<(), CudaError> {
        assert!(first.checked_add(list.len()).is_some_and(|end| end <= self.bytes), "beyond the memory's end");
        self.device.enter()?;
        if list.is_empty() {
            return Ok(());
        }
        let from = self.address + first as u64;
        // SAFETY: both sides have as many bytes.
        check("copying from the device", unsafe { cuMemcpyDtoH_v2(list.as_mut_ptr().cast(), from, list.len()) })
    }

    /// Copies `list` from the host to the bytes from `first` on.
    ///
    /// # Panics
    /// If the memory has fewer bytes.
    pub fn upload(&self, first: usize, list: &[u8]) -> Result<(), CudaError> {
        assert!(first.checked_add(list.len()).is_some_and(|end| end <= self.bytes), "beyond the memory's end");
        self.device.enter()?;
        if list.is_empty() {
            return Ok(());
        }
        let to = self.address + first as u64;
        // SAFETY: both sides have as many bytes.
        check("copying to the device", unsafe { cuMemcpyHtoD_v2(to, list.as_ptr().cast(), list.len()) })
    }

    /// Starts to write a word over all of it, and does not wait. Its size must be a multiple of 4 bytes.
    pub fn fill(&self, word: u32) -> Result<(), CudaError> {
        self.fill_first(self.bytes, word)
    }

    /// Starts to write a word over as many of the first bytes, a multiple of 4, and does not wait.
    ///
    /// # Panics
    /// If the memory has fewer bytes.
    pub(crate) fn fill_first(&self, bytes: usize, word: u32) -> Result<(), CudaError> {
        assert!(bytes <= self.bytes, "beyond the memory's end");
        self.device.enter()?;
        // SAFETY: there are as many words.
        let result = unsafe { cuMemsetD32Async(self.address, word, bytes / 4, self.device.stream) };
        check("filling memory", result)
    }

    /// Starts to copy all of another memory of the same size, and does not wait.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn copy_from(&self, other: &Memory) -> Result<(), CudaError> {
        assert_eq!(self.bytes, other.bytes);
        self.device.enter()?;
        // SAFETY: both have as many bytes.
        let result = unsafe { cuMemcpyDtoDAsync_v2(self.address, other.address, self.bytes, self.device.stream) };
        check("copying on the device", result)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.address != 0 && self.device.enter().is_ok() {
            // SAFETY: it was allocated once and is freed once.
            unsafe { cuMemFree_v2(self.address) };
        }
    }
}

/// A stream beside that of the kernels, which waits for nothing but what was started in it.
pub(crate) struct SideStream {
    device: Arc<Device>,
    stream: CUstream,
}

// SAFETY: a handle of a context that any thread may use.
unsafe impl Send for SideStream {}
// SAFETY: as above.
unsafe impl Sync for SideStream {}

impl SideStream {
    pub(crate) fn new(device: &Arc<Device>) -> Result<SideStream, CudaError> {
        const NON_BLOCKING: u32 = 1;
        device.enter()?;
        let mut stream = ptr::null_mut();
        // SAFETY: the pointer is to a place for a handle.
        check("making a stream", unsafe { cuStreamCreate(&mut stream, NON_BLOCKING) })?;
        Ok(SideStream { device: Arc::clone(device), stream })
    }

    /// Copies the first `list.len()` bytes to the host while kernels run that do not touch them, and waits for it.
    ///
    /// # Panics
    /// If the memory has fewer bytes.
    pub(crate) fn download(&self, memory: &Memory, list: &mut [u8]) -> Result<(), CudaError> {
        assert!(list.len() <= memory.bytes, "beyond the memory's end");
        self.device.enter()?;
        if list.is_empty() {
            return Ok(());
        }
        // SAFETY: both sides have as many bytes, and live until the copy was waited for.
        unsafe {
            let to = list.as_mut_ptr().cast();
            check("copying from the device", cuMemcpyDtoHAsync_v2(to, memory.address, list.len(), self.stream))?;
            check("copying from the device", cuStreamSynchronize(self.stream))
        }
    }
}

impl Drop for SideStream {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: it was made once and is destroyed once.
            unsafe { cuStreamDestroy_v2(self.stream) };
        }
    }
}

/// Memory of the host that copies are faster to, as long as this is kept.
pub(crate) struct Pin {
    device: Arc<Device>,
    address: usize,
}

impl Pin {
    /// Pins memory; `None` if the system does not allow it.
    ///
    /// # Safety
    /// The memory must outlive the pin.
    pub(crate) unsafe fn new(device: &Arc<Device>, list: &mut [u8]) -> Option<Pin> {
        device.enter().ok()?;
        let start = list.as_mut_ptr();
        // SAFETY: the memory is there, and stays by the caller's word.
        let result = unsafe { cuMemHostRegister_v2(start.cast(), list.len(), 0) };
        (result == CUresult::CUDA_SUCCESS).then(|| Pin { device: Arc::clone(device), address: start as usize })
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: it was pinned once, and is still there.
            unsafe { cuMemHostUnregister(self.address as *mut c_void) };
        }
    }
}
