//! What goes between the devices of a process, and between them and the host while kernels run: memory that all of them reach, and marks that streams wait for.

use super::super::error::CudaError;
use super::{
    Address, Device, Memory, Owned, check, cuCtxEnablePeerAccess, cuDeviceCanAccessPeer, cuDeviceGetUuid_v2,
    cuEventRecord, cuMemFreeHost, cuMemHostAlloc, cuStreamWaitEvent,
};
use cudarc::driver::sys::{CUevent, CUresult, CUuuid};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

/// No time is noted, which takes less.
const NO_TIMES: u32 = 2;
/// All devices of the process reach it.
const PORTABLE: u32 = 1;

impl Device {
    /// A number that no other device has, on any machine.
    pub(crate) fn identity(&self) -> Result<u128, CudaError> {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: the pointer is to as many bytes.
        check("asking for its number", unsafe { cuDeviceGetUuid_v2(&mut uuid, self.ordinal) })?;
        Ok(u128::from_le_bytes(uuid.bytes.map(|byte| byte as u8)))
    }

    /// Its number among the devices that this process sees.
    pub(crate) fn number(&self) -> i32 {
        self.ordinal
    }

    /// Whether another device of this process can reach the memory of this one.
    pub(crate) fn is_reached_from(&self, other: i32) -> Result<bool, CudaError> {
        let mut can = 0;
        if other != self.ordinal {
            // SAFETY: the pointer is to an integer.
            check("asking for links", unsafe { cuDeviceCanAccessPeer(&mut can, other, self.ordinal) })?;
        }
        Ok(other == self.ordinal || can != 0)
    }

    /// The devices whose memory this one can reach, of the first `count`.
    pub(crate) fn reaches(&self, count: i32) -> Result<Vec<i32>, CudaError> {
        let mut all = Vec::new();
        for other in (0..count).filter(|other| *other != self.ordinal) {
            let mut can = 0;
            // SAFETY: the pointer is to an integer.
            check("asking for links", unsafe { cuDeviceCanAccessPeer(&mut can, self.ordinal, other) })?;
            all.extend((can != 0).then_some(other));
        }
        Ok(all)
    }

    /// Lets the kernels of this device reach the memory of another, which [can be reached](Self::is_reached_from).
    pub(crate) fn reach(&self, other: &Memory) -> Result<(), CudaError> {
        let other = other.device();
        if other.ordinal == self.ordinal {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the context of the other lives as long as the process.
        match unsafe { cuCtxEnablePeerAccess(other.context, 0) } {
            CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(()),
            result => check("linking two devices", result),
        }
    }
}

/// A point in the stream of a device, for which the streams of other devices of the process can wait.
pub(crate) struct DoneMark(Owned<CUevent>);

impl DoneMark {
    pub(crate) fn new(device: &Arc<Device>) -> Result<DoneMark, CudaError> {
        device.event(NO_TIMES).map(DoneMark)
    }

    /// Sets the mark behind all work that was started in its stream.
    pub(crate) fn set(&self) -> Result<(), CudaError> {
        let Owned { device, handle, .. } = &self.0;
        device.enter()?;
        // SAFETY: the event and the stream live.
        check("marking what is done", unsafe { cuEventRecord(*handle, device.stream) })
    }

    /// Lets what is started on a device from now on wait until all is done that was started before the mark was last set.
    pub(crate) fn awaited_by(&self, device: &Device) -> Result<(), CudaError> {
        device.enter()?;
        // SAFETY: the event and the stream live; an event may be destroyed while it is waited for.
        check("waiting for another device", unsafe { cuStreamWaitEvent(device.stream, self.0.handle, 0) })
    }
}

/// Memory of the host that the kernels of all devices of the process reach.
pub(crate) struct Pinned {
    memory: Owned<*mut c_void>,
    bytes: usize,
}

impl Pinned {
    /// Memory of these bytes, all 0.
    pub(crate) fn new(device: &Arc<Device>, bytes: usize) -> Result<Pinned, CudaError> {
        device.enter()?;
        let mut memory = ptr::null_mut();
        // SAFETY: the pointer is to a place for an address. Nothing of no bytes can be allocated.
        match unsafe { cuMemHostAlloc(&mut memory, bytes.max(1), PORTABLE) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => return Err(CudaError::NoMemory { bytes: bytes as u64 }),
            result => check("allocating memory of the host", result)?,
        }
        // SAFETY: there are as many bytes.
        unsafe { ptr::write_bytes(memory.cast::<u8>(), 0, bytes) };
        Ok(Pinned { memory: Owned::new(device, memory, cuMemFreeHost), bytes })
    }

    /// Where it begins, for devices too.
    pub(crate) fn address(&self) -> Address {
        self.memory.handle as Address
    }

    /// A copy of some of its bytes.
    ///
    /// # Panics
    /// If it has fewer.
    ///
    /// # Safety
    /// No kernel writes them meanwhile.
    pub(crate) unsafe fn read(&self, first: usize, bytes: &mut [u8]) {
        assert!(first + bytes.len() <= self.bytes, "beyond the memory's end");
        // SAFETY: there are as many bytes, which nobody writes.
        unsafe {
            ptr::copy_nonoverlapping(self.memory.handle.cast::<u8>().add(first), bytes.as_mut_ptr(), bytes.len())
        };
    }

    /// Gives some of its bytes these values.
    ///
    /// # Panics
    /// If it has fewer.
    ///
    /// # Safety
    /// No kernel reads or writes them meanwhile.
    pub(crate) unsafe fn write(&self, first: usize, bytes: &[u8]) {
        assert!(first + bytes.len() <= self.bytes, "beyond the memory's end");
        // SAFETY: there are as many bytes, which nobody else uses.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.memory.handle.cast::<u8>().add(first), bytes.len()) };
    }
}
