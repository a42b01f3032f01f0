//! The NVIDIA driver: one device, its memory, its kernels.

use super::error::CudaError;
use super::library::{functions, load_first};
use super::nvrtc::Architecture;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;

type Context = *mut c_void;
type Handle = *mut c_void;
/// An address in the device's memory.
pub(super) type Address = u64;

functions! {
    /// What is used of the driver.
    Functions {
        init: "cuInit" fn(c_uint);
        device_count: "cuDeviceGetCount" fn(*mut c_int);
        device: "cuDeviceGet" fn(*mut c_int, c_int);
        device_name: "cuDeviceGetName" fn(*mut c_char, c_int, c_int);
        attribute: "cuDeviceGetAttribute" fn(*mut c_int, c_int, c_int);
        retain: "cuDevicePrimaryCtxRetain" fn(*mut Context, c_int);
        release: "cuDevicePrimaryCtxRelease_v2" fn(c_int);
        set_current: "cuCtxSetCurrent" fn(Context);
        synchronize: "cuCtxSynchronize" fn();
        memory: "cuMemGetInfo_v2" fn(*mut usize, *mut usize);
        allocate: "cuMemAlloc_v2" fn(*mut Address, usize);
        free: "cuMemFree_v2" fn(Address);
        fill: "cuMemsetD8_v2" fn(Address, u8, usize);
        upload: "cuMemcpyHtoD_v2" fn(Address, *const c_void, usize);
        download: "cuMemcpyDtoH_v2" fn(*mut c_void, Address, usize);
        load_module: "cuModuleLoadData" fn(*mut Handle, *const c_void);
        unload_module: "cuModuleUnload" fn(Handle);
        function: "cuModuleGetFunction" fn(*mut Handle, Handle, *const c_char);
        launch: "cuLaunchKernel" fn(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void);
        error_string: "cuGetErrorString" fn(i32, *mut *const c_char);
    }
}

const NO_DEVICE: i32 = 100;
const MAJOR: c_int = 75;
const MINOR: c_int = 76;

/// The first device that the driver sees.
pub(super) struct Device {
    functions: Functions,
    ordinal: c_int,
    context: Context,
    _library: Library,
}

// SAFETY: a context may be used from any thread, and the driver locks what it must; every call makes the context the
// thread's own first.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    pub fn first() -> Result<Arc<Device>, CudaError> {
        let names = ["libcuda.so.1", "libcuda.so"].map(PathBuf::from);
        let (library, path) = load_first(names).map_err(CudaError::NoDriver)?;
        let functions = Functions::of(&library, &path)?;
        let mut device = Device { functions, ordinal: 0, context: ptr::null_mut(), _library: library };
        let mut count = 0;
        // SAFETY: initialising takes no pointers, and the pointers of the other calls are to integers.
        unsafe {
            device.check("starting", (device.functions.init)(0))?;
            device.check("counting devices", (device.functions.device_count)(&mut count))?;
            if count == 0 {
                return Err(CudaError::NoDevice);
            }
            let mut ordinal = 0;
            device.check("taking a device", (device.functions.device)(&mut ordinal, 0))?;
            let mut context = ptr::null_mut();
            device.check("taking a device", (device.functions.retain)(&mut context, ordinal))?;
            (device.ordinal, device.context) = (ordinal, context);
        }
        Ok(Arc::new(device))
    }

    fn check(&self, what: &'static str, code: i32) -> Result<(), CudaError> {
        match code {
            0 => Ok(()),
            NO_DEVICE => Err(CudaError::NoDevice),
            _ => {
                let mut text = ptr::null();
                // SAFETY: the driver fills in a string of its own that lives forever, or leaves null.
                let reason = unsafe {
                    (self.functions.error_string)(code, &mut text);
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

    /// Makes the device the one that this thread's calls go to.
    fn enter(&self) -> Result<(), CudaError> {
        // SAFETY: the context lives as long as the device.
        self.check("entering", unsafe { (self.functions.set_current)(self.context) })
    }

    pub fn name(&self) -> String {
        let mut name = [0u8; 256];
        // SAFETY: so many bytes are there; the last stays zero.
        let code = unsafe { (self.functions.device_name)(name.as_mut_ptr().cast(), 255, self.ordinal) };
        match CStr::from_bytes_until_nul(&name) {
            Ok(name) if code == 0 => name.to_string_lossy().into_owned(),
            _ => "NVIDIA GPU".to_owned(),
        }
    }

    pub fn architecture(&self) -> Result<Architecture, CudaError> {
        let attribute = |number| {
            let mut value = 0;
            // SAFETY: the pointer is to an integer.
            let code = unsafe { (self.functions.attribute)(&mut value, number, self.ordinal) };
            self.check("asking for the architecture", code).map(|()| value.max(0) as u32)
        };
        Ok(Architecture(10 * attribute(MAJOR)? + attribute(MINOR)?))
    }

    /// The bytes that are free.
    pub fn free_memory(&self) -> Result<u64, CudaError> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are to integers.
        self.check("asking for memory", unsafe { (self.functions.memory)(&mut free, &mut total) })?;
        Ok(free as u64)
    }

    /// Waits until all kernels are done.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.enter()?;
        // SAFETY: no pointers.
        self.check("running a kernel", unsafe { (self.functions.synchronize)() })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.context.is_null() {
            // SAFETY: it was retained once, and nothing of it is left: all memory and modules hold the device.
            unsafe { (self.functions.release)(self.ordinal) };
        }
    }
}

/// Memory of a device.
pub(super) struct Memory {
    device: Arc<Device>,
    address: Address,
    bytes: usize,
}

impl Memory {
    /// Zeroed memory.
    pub fn zeroed(device: &Arc<Device>, bytes: u64) -> Result<Memory, CudaError> {
        device.enter()?;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let mut memory = Memory { device: Arc::clone(device), address: 0, bytes };
        // SAFETY: the pointer is to an address; then as many bytes as were allocated are filled.
        unsafe {
            // Nothing of no bytes can be allocated.
            device.check("allocating memory", (device.functions.allocate)(&mut memory.address, bytes.max(1)))?;
            device.check("filling memory", (device.functions.fill)(memory.address, 0, bytes.max(1)))?;
        }
        Ok(memory)
    }

    /// A copy of a list. `T` is plain data: integers, or structs of them without padding.
    pub fn of<T: Copy>(device: &Arc<Device>, list: &[T]) -> Result<Memory, CudaError> {
        let memory = Memory::zeroed(device, size_of_val(list) as u64)?;
        if !list.is_empty() {
            // SAFETY: both sides have as many bytes.
            let code = unsafe { (device.functions.upload)(memory.address, list.as_ptr().cast(), memory.bytes) };
            device.check("copying to the device", code)?;
        }
        Ok(memory)
    }

    pub fn address(&self) -> Address {
        self.address
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Overwrites all of it with a list that is as long.
    pub fn upload(&mut self, list: &[u8]) -> Result<(), CudaError> {
        assert_eq!(list.len(), self.bytes);
        self.device.enter()?;
        if list.is_empty() {
            return Ok(());
        }
        // SAFETY: both sides have as many bytes.
        let code = unsafe { (self.device.functions.upload)(self.address, list.as_ptr().cast(), self.bytes) };
        self.device.check("copying to the device", code)
    }

    /// Copies all of it into a list that is as long.
    pub fn download(&self, list: &mut [u8]) -> Result<(), CudaError> {
        assert_eq!(list.len(), self.bytes);
        self.device.enter()?;
        if list.is_empty() {
            return Ok(());
        }
        // SAFETY: both sides have as many bytes.
        let code = unsafe { (self.device.functions.download)(list.as_mut_ptr().cast(), self.address, self.bytes) };
        self.device.check("copying from the device", code)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.address != 0 && self.device.enter().is_ok() {
            // SAFETY: it was allocated once and is freed once.
            unsafe { (self.device.functions.free)(self.address) };
        }
    }
}

/// Loaded machine code.
pub(super) struct Module {
    device: Arc<Device>,
    module: Handle,
}

// SAFETY: handles of a context that any thread may use.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// A kernel of a module, which must outlive it.
#[derive(Clone, Copy)]
pub(super) struct Function(Handle);

// SAFETY: as a module's.
unsafe impl Send for Function {}
// SAFETY: as a module's.
unsafe impl Sync for Function {}

impl Module {
    /// From a CUBIN, or from PTX that ends in a zero byte.
    pub fn new(device: &Arc<Device>, image: &[u8]) -> Result<Module, CudaError> {
        device.enter()?;
        let mut module = ptr::null_mut();
        // SAFETY: the driver reads the image, whose format says where it ends.
        let code = unsafe { (device.functions.load_module)(&mut module, image.as_ptr().cast()) };
        device.check("loading a kernel", code)?;
        Ok(Module { device: Arc::clone(device), module })
    }

    pub fn function(&self, name: &str) -> Result<Function, CudaError> {
        let name = CString::new(name).unwrap_or_default();
        let mut function = ptr::null_mut();
        // SAFETY: the module lives, and the name ends in a zero byte.
        let code = unsafe { (self.device.functions.function)(&mut function, self.module, name.as_ptr()) };
        self.device.check("finding a kernel", code).map(|()| Function(function))
    }

    /// Starts a kernel, and does not wait for it.
    ///
    /// # Safety
    /// `arguments` must point to one value for each argument of the kernel, of its type; addresses among them must be of
    /// memory that is as large as the kernel takes it to be and lives until [`Device::synchronize`].
    pub unsafe fn launch(
        &self,
        function: Function,
        blocks: u32,
        threads: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<(), CudaError> {
        self.device.enter()?;
        let arguments = arguments.as_mut_ptr();
        // SAFETY: as the caller's; sizes and the stream are plain values.
        let code = unsafe {
            (self.device.functions.launch)(
                function.0,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                ptr::null_mut(),
                arguments,
                ptr::null_mut(),
            )
        };
        self.device.check("starting a kernel", code)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: it was loaded once and is unloaded once.
            unsafe { (self.device.functions.unload_module)(self.module) };
        }
    }
}
