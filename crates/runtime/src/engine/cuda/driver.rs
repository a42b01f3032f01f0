//! The NVIDIA driver: one device, its memory, its kernels, and graphs of kernels.
//!
//! `cudarc` loads the driver's library when it is first called, and panics if the library or a function is missing. So
//! [`Device::first`] looks first whether all that is imported from it here can be found (the macro `api`); nothing else of
//! `cudarc` may be called, but for what [`has`] found.

use super::error::CudaError;
use super::library::LoadError;
use super::nvrtc::Architecture;
use cudarc::driver::sys::{
    self, CUcontext, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec, CUmodule, CUresult,
    CUstream, CUstreamCaptureMode,
};
use squeeze_compiler::emit::cuda::{LaneWorld, Level, MeasuredColumns, RowWorld, Sides, Term, Totals, Watch};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
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
    cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxSetCurrent
    cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2 cuMemsetD8_v2 cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemcpyDtoDAsync_v2
    cuMemsetD32Async cuMemcpyDtoHAsync_v2 cuMemHostRegister_v2 cuMemHostUnregister
    cuModuleLoadData cuModuleUnload cuModuleGetFunction cuLaunchKernel cuLaunchKernelEx
    cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize cuStreamBeginCapture_v2 cuStreamEndCapture
    cuGraphInstantiateWithFlags cuGraphDestroy cuGraphExecDestroy cuGraphLaunch
    cuEventCreate cuEventDestroy_v2 cuEventRecord cuEventSynchronize cuEventElapsedTime
    cuGetErrorString
}

/// Looks for the library and for all of [`API`].
fn probe() -> Result<(), CudaError> {
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

/// The error of a call of the driver; `what` is what was asked for.
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

/// A device, and one stream on it in which all kernels run one after the other. Copies wait for them.
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
        if number >= count()? {
            return Err(CudaError::NoDevice);
        }
        let mut device = Device { ordinal: 0, context: ptr::null_mut(), stream: ptr::null_mut() };
        // SAFETY: the pointers are to places for an integer and two handles.
        unsafe {
            check("taking a device", cuDeviceGet(&mut device.ordinal, number))?;
            check("taking a device", cuDevicePrimaryCtxRetain(&mut device.context, device.ordinal))?;
            device.enter()?;
            // No flag: it waits for the copies before it, and they for it.
            check("making a stream", cuStreamCreate(&mut device.stream, 0))?;
        }
        Ok(Arc::new(device))
    }

    /// Makes the device the one that this thread's calls go to.
    fn enter(&self) -> Result<(), CudaError> {
        // SAFETY: the context lives as long as the device.
        check("entering", unsafe { cuCtxSetCurrent(self.context) })
    }

    /// What people call it.
    pub fn name(&self) -> String {
        let mut name = [0u8; 256];
        // SAFETY: so many bytes are there; the last stays zero.
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

    /// What its machine code is for.
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
    pub fn total_memory(&self) -> Result<u64, CudaError> {
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

    /// The seconds that what `work` starts takes on the device, by the device's own clock. Waits for it.
    pub fn clocked(self: &Arc<Device>, work: impl FnOnce() -> crate::engine::Result<()>) -> crate::engine::Result<f64> {
        let (begin, end) = (Event::new(self)?, Event::new(self)?);
        begin.record()?;
        work()?;
        end.record()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events live and were recorded; the pointer is to a number.
        unsafe {
            check("running a kernel", cuEventSynchronize(end.event))?;
            check("asking for the time", cuEventElapsedTime(&mut milliseconds, begin.event, end.event))?;
        }
        Ok(f64::from(milliseconds) / 1e3)
    }

    /// Keeps what `work` starts on this device, kernels and fillings, as a graph instead of running it.
    pub fn record(
        self: &Arc<Device>,
        work: impl FnOnce() -> crate::engine::Result<()>,
    ) -> crate::engine::Result<LaunchGraph> {
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
        Ok(LaunchGraph { device: Arc::clone(self), exec })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.context.is_null() {
            // SAFETY: both were made once, and nothing of them is left: all memory, modules and graphs hold the device.
            unsafe {
                if !self.stream.is_null() && self.enter().is_ok() {
                    cuStreamDestroy_v2(self.stream);
                }
                cuDevicePrimaryCtxRelease_v2(self.ordinal);
            }
        }
    }
}

/// A point between what is started, whose time the device notes.
struct Event {
    device: Arc<Device>,
    event: CUevent,
}

impl Event {
    fn new(device: &Arc<Device>) -> Result<Event, CudaError> {
        device.enter()?;
        let mut event = ptr::null_mut();
        // SAFETY: the pointer is to a place for a handle.
        check("making an event", unsafe { cuEventCreate(&mut event, 0) })?;
        Ok(Event { device: Arc::clone(device), event })
    }

    /// Behind all that was started before.
    fn record(&self) -> Result<(), CudaError> {
        self.device.enter()?;
        // SAFETY: the event and the stream live.
        check("noting the time", unsafe { cuEventRecord(self.event, self.device.stream) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: it was made once and is destroyed once.
            unsafe { cuEventDestroy_v2(self.event) };
        }
    }
}

/// Kernels that were recorded, to be started all at once.
pub struct LaunchGraph {
    device: Arc<Device>,
    exec: CUgraphExec,
}

// SAFETY: handles of a context that any thread may use.
unsafe impl Send for LaunchGraph {}
// SAFETY: as above.
unsafe impl Sync for LaunchGraph {}

impl LaunchGraph {
    /// Starts them, and does not wait.
    ///
    /// # Safety
    /// As for the launches that were recorded: memory and modules must live until [`Device::synchronize`].
    pub unsafe fn launch(&self) -> Result<(), CudaError> {
        self.device.enter()?;
        // SAFETY: as the caller's; both handles live.
        check("starting kernels", unsafe { cuGraphLaunch(self.exec, self.device.stream) })
    }
}

impl Drop for LaunchGraph {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: it was made once and is destroyed once.
            unsafe { cuGraphExecDestroy(self.exec) };
        }
    }
}

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
        // SAFETY: the memory has so many bytes, and nobody else writes it meanwhile.
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
    /// If there are not so many.
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
    /// If there are not so many.
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
    /// If there are not so many.
    pub fn fill_first(&self, bytes: usize, word: u32) -> Result<(), CudaError> {
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
pub(super) struct SideStream {
    device: Arc<Device>,
    stream: CUstream,
}

// SAFETY: a handle of a context that any thread may use.
unsafe impl Send for SideStream {}
// SAFETY: as above.
unsafe impl Sync for SideStream {}

impl SideStream {
    pub fn new(device: &Arc<Device>) -> Result<SideStream, CudaError> {
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
    /// If there are not so many.
    pub fn download(&self, memory: &Memory, list: &mut [u8]) -> Result<(), CudaError> {
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
pub(super) struct Pin {
    device: Arc<Device>,
    address: usize,
}

impl Pin {
    /// Pins memory; `None` if the system does not allow it.
    ///
    /// # Safety
    /// The memory must outlive the pin.
    pub unsafe fn new(device: &Arc<Device>, list: &mut [u8]) -> Option<Pin> {
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

/// What a kernel takes by value.
///
/// # Safety
/// It stands in memory as the kernel's type does.
pub unsafe trait Argument: Copy {}

// SAFETY: CUDA C has the same integers, and pointers as large.
unsafe impl Argument for u32 {}
// SAFETY: as above.
unsafe impl Argument for u64 {}
// SAFETY: a struct of nothing but this list.
unsafe impl Argument for [u32; 4] {}
// SAFETY: CUDA C declares it by the same list of fields, as it does those that follow.
unsafe impl Argument for LaneWorld {}
// SAFETY: as above.
unsafe impl Argument for RowWorld {}
// SAFETY: as above.
unsafe impl Argument for Totals {}
// SAFETY: as above.
unsafe impl Argument for Watch {}
// SAFETY: as above.
unsafe impl Argument for MeasuredColumns {}
// SAFETY: as above.
unsafe impl Argument for Sides {}

/// Pointers to the arguments of a kernel, in their order.
pub struct Pointers(Vec<*mut c_void>);

/// The arguments of a kernel: one, lists of them, or tuples of any.
pub trait Arguments {
    /// Points to each of them.
    fn point(&self, pointers: &mut Pointers);
}

impl<A: Argument> Arguments for A {
    fn point(&self, pointers: &mut Pointers) {
        pointers.0.push((&raw const *self).cast_mut().cast());
    }
}

impl<A: Arguments> Arguments for Vec<A> {
    fn point(&self, pointers: &mut Pointers) {
        self.iter().for_each(|argument| argument.point(pointers));
    }
}

/// Makes tuples of arguments arguments.
macro_rules! tuples {
    ($(($($name:ident)*))*) => {
        $(impl<$($name: Arguments),*> Arguments for ($($name,)*) {
            #[allow(non_snake_case, reason = "types and what they are of have one name")]
            fn point(&self, pointers: &mut Pointers) {
                let ($($name,)*) = self;
                $($name.point(pointers);)*
            }
        })*
    };
}

tuples! { (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

/// Loaded machine code.
pub struct Module {
    device: Arc<Device>,
    module: CUmodule,
}

// SAFETY: handles of a context that any thread may use.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// A kernel of a module, which must outlive it.
#[derive(Clone, Copy)]
pub struct Function(#[doc(hidden)] pub CUfunction);

// SAFETY: as a module's.
unsafe impl Send for Function {}
// SAFETY: as a module's.
unsafe impl Sync for Function {}

impl Function {
    /// The bytes of each argument that the kernel takes; `None` from drivers before CUDA 12.4, which do not tell.
    pub(super) fn argument_sizes(self) -> Option<Vec<usize>> {
        type Info = unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> CUresult;
        // SAFETY: the library is there, since the function came from it, and this is the type of that function.
        let info = unsafe { sys::culib().get::<Info>(b"cuFuncGetParamInfo") }.ok()?;
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function's module lives, and both pointers are to integers.
            match unsafe { info(self.0, sizes.len(), &mut offset, &mut size) } {
                CUresult::CUDA_SUCCESS => sizes.push(size),
                // There is no argument of this number.
                CUresult::CUDA_ERROR_INVALID_VALUE => return Some(sizes),
                _ => return None,
            }
        }
    }
}

/// The blocks that a kernel is started with, in one line, and the threads of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// How many blocks.
    pub count: u32,
    /// The threads of each.
    pub threads: u32,
}

impl Blocks {
    /// As many blocks as so many threads take.
    ///
    /// # Errors
    /// If a GPU runs fewer.
    pub fn of_threads(all: u64, threads: u32) -> crate::engine::Result<Blocks> {
        let blocks = all.div_ceil(u64::from(threads));
        match i32::try_from(blocks) {
            Ok(count) => Ok(Blocks { count: count as u32, threads }),
            Err(_) => Err(crate::engine::EngineError::Blocks { blocks }),
        }
    }
}

impl Module {
    /// From a CUBIN, or from PTX that ends in a zero byte.
    pub fn new(device: &Arc<Device>, image: &[u8]) -> Result<Module, CudaError> {
        device.enter()?;
        let mut module = ptr::null_mut();
        // SAFETY: the driver reads the image, whose format says where it ends.
        let result = unsafe { cuModuleLoadData(&mut module, image.as_ptr().cast()) };
        check("loading a kernel", result)?;
        Ok(Module { device: Arc::clone(device), module })
    }

    /// The kernel of a name.
    pub fn function(&self, name: &str) -> Result<Function, CudaError> {
        let c_name = CString::new(name).unwrap_or_default();
        let mut function = ptr::null_mut();
        // SAFETY: the module lives, and the name ends in a zero byte.
        match unsafe { cuModuleGetFunction(&mut function, self.module, c_name.as_ptr()) } {
            CUresult::CUDA_ERROR_NOT_FOUND => Err(CudaError::NoFunction { name: name.to_owned() }),
            result => check("finding a kernel", result).map(|()| Function(function)),
        }
    }

    /// Starts a kernel with these arguments, and does not wait for it.
    ///
    /// # Safety
    /// The arguments must be those of the kernel, each of its type; addresses among them must be of
    /// memory that is as large as the kernel takes it to be and lives until [`Device::synchronize`].
    pub unsafe fn launch(
        &self,
        function: Function,
        blocks: Blocks,
        arguments: impl Arguments,
    ) -> Result<(), CudaError> {
        // SAFETY: as the caller's.
        unsafe { self.launch_sharing(function, blocks, 0, arguments) }
    }

    /// As [`launch`](Self::launch), with so many bytes of shared memory for each block beside what the kernel itself names.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch), and the kernel takes no more of it.
    pub unsafe fn launch_sharing(
        &self,
        function: Function,
        blocks: Blocks,
        shared: u32,
        arguments: impl Arguments,
    ) -> Result<(), CudaError> {
        self.device.enter()?;
        let Blocks { count, threads } = blocks;
        let (stream, mut pointers) = (self.device.stream, Pointers(Vec::new()));
        arguments.point(&mut pointers);
        let pointers = pointers.0.as_mut_ptr();
        // SAFETY: as the caller's; sizes are plain values, and the stream and the arguments live.
        let result = unsafe {
            cuLaunchKernel(function.0, count, 1, 1, threads, 1, 1, shared, stream, pointers, ptr::null_mut())
        };
        check("starting a kernel", result)
    }
}

impl Module {
    /// As [`launch`](Self::launch), but the kernel may begin before the kernel before it has ended, up to where it says
    /// `griddepcontrol.wait`; only for architectures from 9.0 on, and after a kernel.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch); and before that instruction the kernel must not touch what the one before writes, nor write
    /// what that reads.
    pub unsafe fn launch_early(
        &self,
        function: Function,
        blocks: Blocks,
        arguments: impl Arguments,
    ) -> Result<(), CudaError> {
        self.device.enter()?;
        let mut pointers = Pointers(Vec::new());
        arguments.point(&mut pointers);
        let mut attribute = sys::CUlaunchAttribute_st {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let config = sys::CUlaunchConfig_st {
            gridDimX: blocks.count,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: blocks.threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: self.device.stream,
            attrs: &raw mut attribute,
            numAttrs: 1,
        };
        // SAFETY: as the caller's; the configuration, its attribute and the arguments live until the call returns.
        let result = unsafe { cuLaunchKernelEx(&config, function.0, pointers.0.as_mut_ptr(), ptr::null_mut()) };
        check("starting a kernel", result)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: it was loaded once and is unloaded once.
            unsafe { cuModuleUnload(self.module) };
        }
    }
}
