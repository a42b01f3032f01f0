//! The memory of a device, and copies between it and the host.

use super::super::error::CudaError;
use super::super::trace;
use super::{
    Address, Device, Owned, check, cuMemAlloc_v2, cuMemFree_v2, cuMemHostRegister_v2, cuMemHostUnregister,
    cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, cuMemcpyHtoD_v2, cuMemsetD8_v2, cuMemsetD32Async,
    cuStreamCreate, cuStreamDestroy_v2, cuStreamSynchronize,
};
use cudarc::driver::sys::{CUresult, CUstream};
use squeeze_compiler::emit::cuda::{Level, Term};
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

/// Types whose values are copied to a device as they stand in memory.
///
/// # Safety
/// All bytes of a value are initialised: there is no padding.
pub unsafe trait Plain: Copy {}

// SAFETY: an integer has no padding.
unsafe impl Plain for u8 {}
// SAFETY: as above.
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
    memory: Owned<Address>,
    bytes: usize,
}

impl Memory {
    /// Zeroed memory.
    pub fn zeroed(device: &Arc<Device>, bytes: u64) -> Result<Memory, CudaError> {
        let mut memory = Memory::unset(device, bytes)?;
        memory.clear()?;
        Ok(memory)
    }

    /// Memory with any contents. Nothing is started on the device, so that others may write there at once.
    pub(crate) fn unset(device: &Arc<Device>, bytes: u64) -> Result<Memory, CudaError> {
        device.enter()?;
        let too_much = CudaError::NoMemory { bytes };
        let Ok(bytes) = usize::try_from(bytes) else { return Err(too_much) };
        let mut address = 0;
        // SAFETY: the pointer is to an address. Nothing of no bytes can be allocated.
        match unsafe { cuMemAlloc_v2(&mut address, bytes.max(1)) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => return Err(too_much),
            result => check("allocating memory", result)?,
        }
        Ok(Memory { memory: Owned::new(device, address, cuMemFree_v2), bytes })
    }

    /// Fills it with zeros.
    pub fn clear(&mut self) -> Result<(), CudaError> {
        self.memory.device.enter()?;
        // SAFETY: the memory has these bytes, and no other thread writes it meanwhile.
        check("filling memory", unsafe { cuMemsetD8_v2(self.address(), 0, self.bytes.max(1)) })
    }

    /// A copy of a list.
    pub fn of<T: Plain>(device: &Arc<Device>, list: &[T]) -> Result<Memory, CudaError> {
        let memory = Memory::zeroed(device, size_of_val(list) as u64)?;
        memory.upload(0, list)?;
        Ok(memory)
    }

    /// The device that it is of.
    pub(super) fn device(&self) -> &Arc<Device> {
        &self.memory.device
    }

    /// Where it begins.
    pub fn address(&self) -> Address {
        self.memory.handle
    }

    /// Its bytes.
    #[allow(clippy::len_without_is_empty, reason = "memory of no bytes is as good as any other")]
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Makes sure that copies between the host and `bytes` bytes from byte `first` on can begin, and says where these are.
    fn part(&self, first: usize, bytes: usize) -> Result<Address, CudaError> {
        assert!(first.checked_add(bytes).is_some_and(|end| end <= self.bytes), "beyond the memory's end");
        self.memory.device.enter()?;
        Ok(self.address() + first as u64)
    }

    /// Copies `list.len()` bytes from byte `first` on to the host.
    ///
    /// # Panics
    /// If the memory has fewer bytes.
    pub fn download(&self, first: usize, list: &mut [u8]) -> Result<(), CudaError> {
        let from = self.part(first, list.len())?;
        if list.is_empty() {
            return Ok(());
        }
        trace::copied(list.len());
        // SAFETY: both sides have as many bytes.
        check("copying from the device", unsafe { cuMemcpyDtoH_v2(list.as_mut_ptr().cast(), from, list.len()) })
    }

    /// Copies `list` from the host to the bytes from `first` on.
    ///
    /// # Panics
    /// If the memory has fewer bytes.
    pub fn upload<T: Plain>(&self, first: usize, list: &[T]) -> Result<(), CudaError> {
        let bytes = size_of_val(list);
        let to = self.part(first, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        trace::copied(bytes);
        // SAFETY: both sides have as many bytes, and a plain type has no padding that must not be read.
        check("copying to the device", unsafe { cuMemcpyHtoD_v2(to, list.as_ptr().cast(), bytes) })
    }

    /// Starts to write a word over as many of the first bytes, a multiple of 4, and does not wait.
    ///
    /// # Panics
    /// If the memory has fewer bytes.
    pub fn fill(&self, bytes: usize, word: u32) -> Result<(), CudaError> {
        let to = self.part(0, bytes)?;
        // SAFETY: there are as many words.
        check("filling memory", unsafe { cuMemsetD32Async(to, word, bytes / 4, self.memory.device.stream) })
    }

    /// Starts to copy some bytes of another memory to where they stand there, and does not wait.
    ///
    /// # Panics
    /// If one of them has fewer bytes.
    pub fn copy_part(&self, other: &Memory, bytes: Range<usize>) -> Result<(), CudaError> {
        let (from, to) = (other.part(bytes.start, bytes.len())?, self.part(bytes.start, bytes.len())?);
        let stream = self.memory.device.stream;
        match bytes.len() {
            0 => Ok(()),
            // SAFETY: both have these bytes.
            count => check("copying on the device", unsafe { cuMemcpyDtoDAsync_v2(to, from, count, stream) }),
        }
    }

    /// Starts to copy all of another memory of the same size, and does not wait.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn copy_from(&self, other: &Memory) -> Result<(), CudaError> {
        assert_eq!(self.bytes, other.bytes);
        let (to, stream) = (self.part(0, self.bytes)?, self.memory.device.stream);
        // SAFETY: both have as many bytes.
        check("copying on the device", unsafe { cuMemcpyDtoDAsync_v2(to, other.address(), self.bytes, stream) })
    }
}

/// A stream beside that of the kernels, which waits for nothing but what was started in it.
pub(crate) struct SideStream(Owned<CUstream>);

impl SideStream {
    pub(crate) fn new(device: &Arc<Device>) -> Result<SideStream, CudaError> {
        const NON_BLOCKING: u32 = 1;
        device.enter()?;
        let mut stream = ptr::null_mut();
        // SAFETY: the pointer is to a place for a handle.
        check("making a stream", unsafe { cuStreamCreate(&mut stream, NON_BLOCKING) })?;
        Ok(SideStream(Owned::new(device, stream, cuStreamDestroy_v2)))
    }

    /// Copies the first `list.len()` bytes to the host while kernels run that do not touch them, and waits for it.
    ///
    /// # Panics
    /// If the memory has fewer bytes.
    pub(crate) fn download(&self, memory: &Memory, list: &mut [u8]) -> Result<(), CudaError> {
        let (from, stream) = (memory.part(0, list.len())?, self.0.handle);
        if list.is_empty() {
            return Ok(());
        }
        trace::copied(list.len());
        // SAFETY: both sides have as many bytes, and live until the copy was waited for.
        unsafe {
            let to = list.as_mut_ptr().cast();
            check("copying from the device", cuMemcpyDtoHAsync_v2(to, from, list.len(), stream))?;
            check("copying from the device", cuStreamSynchronize(stream))
        }
    }
}

/// Memory of the host that copies are faster to, as long as this is kept.
pub(crate) struct Pin {
    _pinned: Owned<*mut c_void>,
}

impl Pin {
    /// Pins memory; `None` if the system does not allow it.
    ///
    /// # Safety
    /// The memory must outlive the pin.
    pub(crate) unsafe fn new(device: &Arc<Device>, list: &mut [u8]) -> Option<Pin> {
        device.enter().ok()?;
        let start = list.as_mut_ptr().cast();
        // SAFETY: the memory is there, and stays by the caller's word.
        let result = unsafe { cuMemHostRegister_v2(start, list.len(), 0) };
        (result == CUresult::CUDA_SUCCESS).then(|| Pin { _pinned: Owned::new(device, start, cuMemHostUnregister) })
    }
}
