//! The NVIDIA driver: devices and graphs of kernels; their memory (`memory`), their kernels (`kernels`), and what goes between devices (`links`).
//!
//! `cudarc` loads the driver's library when it is first called, and panics if the library or a function is missing. So
//! [`Device::first`] looks first whether all that is imported from it here can be found (the macro `api`); nothing else of
//! `cudarc` may be called, but for what [`has`] found.

mod kernels;
mod links;
mod memory;

pub(super) use kernels::Pointers;
pub use kernels::{Argument, Arguments, Function, Module};
pub(super) use links::{DoneMark, Pinned};
pub use memory::{Memory, Plain};
pub(super) use memory::{Pin, SideStream};

use super::error::CudaError;
use super::library::LoadError;
use super::nvrtc::Architecture;
use cudarc::driver::sys::{
    self, CUcontext, CUdevice_attribute, CUdeviceptr, CUevent, CUgraph, CUgraphExec, CUresult, CUstream,
    CUstreamCaptureMode,
};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::Arc;

/// An address in the device's memory.
pub type Address = CUdeviceptr;

/// Imports functions of the driver, and lists their names: what is not in the list cannot be called.
macro_rules! api {
    ($($name:ident)*) => {
        use sys::{$($name),*};
        const API: &[&str] = &[$(stringify!($name)),*];
    };
}

api! {
    cuInit cuDriverGetVersion cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2
    cuDevicePrimaryCtxRetain cuCtxSetCurrent
    cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2 cuMemsetD8_v2 cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemcpyDtoDAsync_v2
    cuMemsetD32Async cuMemcpyDtoHAsync_v2 cuMemHostRegister_v2 cuMemHostUnregister
    cuModuleLoadData cuModuleUnload cuModuleGetFunction cuLaunchKernelEx
    cuStreamCreate cuStreamCreateWithPriority cuStreamDestroy_v2 cuStreamSynchronize cuStreamQuery cuStreamBeginCapture_v2 cuStreamEndCapture
    cuGraphInstantiateWithFlags cuGraphDestroy cuGraphExecDestroy cuGraphLaunch
    cuEventCreate cuEventDestroy_v2 cuEventRecord cuEventSynchronize cuEventElapsedTime
    cuMemHostAlloc cuMemFreeHost cuStreamWaitEvent cuDeviceGetUuid_v2 cuDeviceCanAccessPeer cuCtxEnablePeerAccess
    cuGetErrorString
}

/// Looks for the library and for all of [`API`].
fn probe() -> Result<(), CudaError> {
    // Initialisers may set a mode of their own.
    let _mode = DefaultMode::enter();
    // SAFETY: loading runs the initialisers of NVIDIA's library.
    if !unsafe { sys::is_culib_present() } {
        let names = ["libcuda.so.1", "libcuda.so"].map(str::to_owned).to_vec();
        return Err(CudaError::NoDriver(LoadError { names, reason: None }));
    }
    // SAFETY: it was found just now.
    let library = unsafe { sys::culib() };
    for name in API {
        // SAFETY: the function is looked for and not called.
        if unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err() {
            return Err(CudaError::TooOld { library: "libcuda.so.1".to_owned(), function: (*name).to_owned() });
        }
    }
    Ok(())
}

/// Looks for functions that not every driver has, and that are called only after they were found.
pub fn has(names: &[&str]) -> bool {
    // SAFETY: loading runs the initialisers of NVIDIA's library, and functions are looked for and not called.
    unsafe {
        sys::is_culib_present()
            && names.iter().all(|name| sys::culib().get::<unsafe extern "C" fn()>(name.as_bytes()).is_ok())
    }
}

/// The error of a call of the driver; `what` names the request.
pub fn check(what: &'static str, result: CUresult) -> Result<(), CudaError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        CUresult::CUDA_ERROR_NO_DEVICE => Err(CudaError::NoDevice),
        _ => {
            let code = result as i32;
            let mut text: *const c_char = ptr::null();
            // SAFETY: the driver fills in a string of its own that lives forever, or leaves null.
            let reason = unsafe {
                _ = cuGetErrorString(result, &mut text);
                if text.is_null() {
                    format!("error {code}")
                } else {
                    CStr::from_ptr(text).to_string_lossy().into_owned()
                }
            };
            Err(CudaError::Driver { what, reason, code })
        }
    }
}

/// The version of CUDA that the driver knows, such as (13, 0).
pub(super) fn version() -> Result<(u32, u32), CudaError> {
    probe()?;
    let mut version = 0;
    // SAFETY: the pointer is to an integer.
    check("asking for its version", unsafe { cuDriverGetVersion(&mut version) })?;
    Ok((version.max(0) as u32 / 1000, version.max(0) as u32 % 1000 / 10))
}

/// How many devices the driver sees.
pub(super) fn count() -> Result<i32, CudaError> {
    probe()?;
    let mut count = 0;
    // SAFETY: initialising takes no pointers; the other pointer is to an integer.
    unsafe {
        check("starting", cuInit(0))?;
        check("counting devices", cuDeviceGetCount(&mut count))?;
    }
    Ok(count)
}

/// A device and its stream, on which kernels run in turn. Copies wait for them.
#[derive(Debug)]
pub struct Device {
    ordinal: c_int,
    context: CUcontext,
    stream: CUstream,
}

// SAFETY: a context may be used from any thread, and the driver locks what it must; every call makes the context the
// thread's own first.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// The first device that the driver sees.
    pub fn first() -> Result<Arc<Device>, CudaError> {
        Device::numbered(0)
    }

    /// The device of this number.
    pub fn numbered(number: i32) -> Result<Arc<Device>, CudaError> {
        Device::with_stream(number, 0)
    }

    /// The same device with another stream, whose kernels go before those of this one.
    pub(super) fn beside(&self) -> Result<Arc<Device>, CudaError> {
        /// The highest priority of all devices, or beyond: then the driver takes the highest that there is.
        const HIGHEST: i32 = -8;
        Device::with_stream(self.ordinal, HIGHEST)
    }

    fn with_stream(number: i32, priority: i32) -> Result<Arc<Device>, CudaError> {
        let count = count()?;
        if !(0..count).contains(&number) {
            return Err(if count == 0 { CudaError::NoDevice } else { CudaError::NoSuchDevice { number, count } });
        }
        let mut device = Device { ordinal: 0, context: ptr::null_mut(), stream: ptr::null_mut() };
        // SAFETY: the pointers are to places for an integer and two handles.
        unsafe {
            check("taking a device", cuDeviceGet(&mut device.ordinal, number))?;
            let retained = cuDevicePrimaryCtxRetain(&mut device.context, device.ordinal);
            if retained == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
                return Err(CudaError::Full { device: device.name(), free: None, total: device.total_memory()? });
            }
            check("taking a device", retained)?;
            device.enter()?;
            // Without a flag, the stream and earlier copies wait for each other.
            check("making a stream", cuStreamCreateWithPriority(&mut device.stream, 0, priority))?;
        }
        Ok(Arc::new(device))
    }

    /// Makes the device the one that this thread's calls go to.
    fn enter(&self) -> Result<(), CudaError> {
        // SAFETY: the context lives as long as the device.
        check("entering", unsafe { cuCtxSetCurrent(self.context) })
    }

    /// The driver's name for it, such as `NVIDIA H100`.
    pub fn name(&self) -> String {
        let mut name = [0u8; 256];
        // SAFETY: the array has these bytes; the last one stays zero.
        let result = unsafe { cuDeviceGetName(name.as_mut_ptr().cast(), 255, self.ordinal) };
        match CStr::from_bytes_until_nul(&name) {
            Ok(name) if result == CUresult::CUDA_SUCCESS => name.to_string_lossy().into_owned(),
            _ => "NVIDIA GPU".to_owned(),
        }
    }

    fn attribute(&self, attribute: CUdevice_attribute) -> Result<u32, CudaError> {
        let mut value = 0;
        // SAFETY: the pointer is to an integer.
        check("asking for an attribute", unsafe { cuDeviceGetAttribute(&mut value, attribute, self.ordinal) })?;
        Ok(value.max(0) as u32)
    }

    /// The architecture that its machine code is for.
    pub fn architecture(&self) -> Result<Architecture, CudaError> {
        let major = self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(Architecture(10 * major + minor))
    }

    /// How many multiprocessors it has.
    pub fn multiprocessors(&self) -> Result<u32, CudaError> {
        self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    }

    /// Its highest clock, in kHz.
    pub fn clock(&self) -> Result<u32, CudaError> {
        self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
    }

    /// The bytes of its second cache.
    pub fn second_cache(&self) -> Result<u32, CudaError> {
        self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
    }

    /// All bytes of its memory.
    pub(crate) fn total_memory(&self) -> Result<u64, CudaError> {
        let mut bytes = 0;
        // SAFETY: the pointer is to an integer.
        check("asking for memory", unsafe { cuDeviceTotalMem_v2(&mut bytes, self.ordinal) })?;
        Ok(bytes as u64)
    }

    /// The bytes that are free.
    pub fn free_memory(&self) -> Result<u64, CudaError> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are to integers.
        check("asking for memory", unsafe { cuMemGetInfo_v2(&mut free, &mut total) })?;
        Ok(free as u64)
    }

    /// Waits until all kernels are done, and whatever was started beside them in their stream.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.enter()?;
        // SAFETY: the stream lives.
        check("running a kernel", unsafe { cuStreamSynchronize(self.stream) })
    }

    /// Whether all kernels are done.
    pub(super) fn is_idle(&self) -> Result<bool, CudaError> {
        self.enter()?;
        // SAFETY: the stream lives.
        match unsafe { cuStreamQuery(self.stream) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => check("running a kernel", result).map(|()| true),
        }
    }

    /// The seconds that what `work` starts takes on the device, by the device's own clock. Waits for it.
    pub fn clocked(self: &Arc<Device>, work: impl FnOnce() -> crate::Result<()>) -> crate::Result<f64> {
        let (begin, end) = (self.event(0)?, self.event(0)?);
        let note = |event: &Owned<CUevent>| {
            self.enter()?;
            // SAFETY: the event and the stream live.
            check("noting the time", unsafe { cuEventRecord(event.handle, self.stream) })
        };
        note(&begin)?;
        work()?;
        note(&end)?;
        let mut milliseconds = 0.0;
        // SAFETY: both events live and were recorded; the pointer is to a number.
        unsafe {
            check("running a kernel", cuEventSynchronize(end.handle))?;
            check("asking for the time", cuEventElapsedTime(&mut milliseconds, begin.handle, end.handle))?;
        }
        Ok(f64::from(milliseconds) / 1e3)
    }

    /// A point between what is started, whose time the device notes unless the flags say otherwise.
    fn event(self: &Arc<Device>, flags: u32) -> Result<Owned<CUevent>, CudaError> {
        self.enter()?;
        let mut event = ptr::null_mut();
        // SAFETY: the pointer is to a place for a handle.
        check("making an event", unsafe { cuEventCreate(&mut event, flags) })?;
        Ok(Owned::new(self, event, cuEventDestroy_v2))
    }

    /// Keeps what `work` starts on this device, kernels and fillings, as a graph instead of running it.
    pub fn record(self: &Arc<Device>, work: impl FnOnce() -> crate::Result<()>) -> crate::Result<LaunchGraph> {
        self.enter()?;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        let mut graph: CUgraph = ptr::null_mut();
        let mut exec: CUgraphExec = ptr::null_mut();
        // SAFETY: the stream lives; the pointers are to places for handles. A capture that has begun is ended.
        unsafe {
            check("recording kernels", cuStreamBeginCapture_v2(self.stream, mode))?;
            let worked = work();
            let ended = check("recording kernels", cuStreamEndCapture(self.stream, &mut graph));
            let made = worked.and_then(|()| {
                ended?;
                Ok(check("making a graph", cuGraphInstantiateWithFlags(&mut exec, graph, 0))?)
            });
            if !graph.is_null() {
                cuGraphDestroy(graph);
            }
            made?;
        }
        Ok(LaunchGraph(Owned::new(self, exec, cuGraphExecDestroy)))
    }
}

impl Drop for Device {
    /// The primary context stays until the process ends, as it does with CUDA's own runtime: the next simulation of the process finds it,
    /// instead of making one while all other processes of the device wait.
    fn drop(&mut self) {
        if !self.stream.is_null() && self.enter().is_ok() {
            // SAFETY: it was made once, and nothing of it is left: all memory, modules and graphs hold the device.
            unsafe { cuStreamDestroy_v2(self.stream) };
        }
    }
}

/// A handle that the driver has made, and takes back once.
struct Owned<T: Copy> {
    device: Arc<Device>,
    handle: T,
    give_back: unsafe fn(T) -> CUresult,
}

// SAFETY: handles of a context that any thread may use.
unsafe impl<T: Copy> Send for Owned<T> {}
// SAFETY: as above.
unsafe impl<T: Copy> Sync for Owned<T> {}

impl<T: Copy> Owned<T> {
    /// A handle that was just made on the device, and that no other owner gives back.
    fn new(device: &Arc<Device>, handle: T, give_back: unsafe fn(T) -> CUresult) -> Owned<T> {
        Owned { device: Arc::clone(device), handle, give_back }
    }
}

impl<T: Copy> Drop for Owned<T> {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: it was made once and is given back once.
            unsafe { (self.give_back)(self.handle) };
        }
    }
}

/// Kernels that were recorded, to be started all at once.
pub struct LaunchGraph(Owned<CUgraphExec>);

impl LaunchGraph {
    /// Starts them, and does not wait.
    ///
    /// # Safety
    /// As for the launches that were recorded: memory and modules must live until [`Device::synchronize`].
    pub(crate) unsafe fn launch(&self) -> Result<(), CudaError> {
        let Owned { device, handle, .. } = &self.0;
        device.enter()?;
        // SAFETY: as the caller's; both handles live.
        check("starting kernels", unsafe { cuGraphLaunch(*handle, device.stream) })
    }
}

/// The blocks that a kernel is started with, in one line, and the size of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// How many blocks.
    pub count: u32,
    /// The threads of each.
    pub threads: u32,
    /// Bytes of shared memory of each block, beyond the kernel's own.
    pub shared: u32,
    /// Whether the kernel may begin before the kernel before it has ended, up to where it says `griddepcontrol.wait`; only for
    /// architectures from 9.0 on, and after a kernel.
    pub early: bool,
}

impl Blocks {
    /// As many blocks of `threads` threads.
    ///
    /// # Errors
    /// If a GPU runs fewer.
    pub fn new(blocks: u64, threads: u32) -> crate::Result<Blocks> {
        let count = i32::try_from(blocks).map_err(|_| crate::EngineError::Blocks { blocks })? as u32;
        Ok(Blocks { count, threads, shared: 0, early: false })
    }

    /// Blocks of `threads` threads that are together at least `all`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_threads(all: u64, threads: u32) -> crate::Result<Blocks> {
        Blocks::new(all.div_ceil(u64::from(threads)), threads)
    }
}
