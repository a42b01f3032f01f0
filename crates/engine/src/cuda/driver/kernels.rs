//! Loaded kernels, and how they are started.

use super::super::error::CudaError;
use super::super::nvrtc::MachineCode;
use super::{Blocks, Device, Owned, check, cuLaunchKernelEx, cuModuleGetFunction, cuModuleLoadData, cuModuleUnload};
use cudarc::driver::sys::{self, CUfunction, CUmodule, CUresult};
use squeeze_compiler::emit::cuda::{LaneWorld, MeasuredColumns, RowWorld, Totals, Watch};
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::Arc;

/// A value that a kernel takes as an argument.
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

impl Arguments for () {
    fn point(&self, _: &mut Pointers) {}
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
pub struct Module(Arc<Owned<CUmodule>>);

/// A kernel of a module, which stays loaded as long as one of its kernels is there.
#[derive(Clone)]
pub struct Function {
    kernel: CUfunction,
    module: Arc<Owned<CUmodule>>,
}

// SAFETY: a handle of a context that any thread may use.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// The driver's handle of the kernel.
    pub fn kernel(&self) -> CUfunction {
        self.kernel
    }

    /// The bytes of each argument that the kernel takes; `None` from drivers before CUDA 12.4, which do not tell.
    pub(crate) fn argument_sizes(&self) -> Option<Vec<usize>> {
        type Info = unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> CUresult;
        // SAFETY: the library is there, since the function came from it, and this is the type of that function.
        let info = unsafe { sys::culib().get::<Info>(b"cuFuncGetParamInfo") }.ok()?;
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function's module lives, and both pointers are to integers.
            match unsafe { info(self.kernel, sizes.len(), &mut offset, &mut size) } {
                CUresult::CUDA_SUCCESS => sizes.push(size),
                // There is no argument of this number.
                CUresult::CUDA_ERROR_INVALID_VALUE => return Some(sizes),
                _ => return None,
            }
        }
    }

    /// Starts the kernel with these arguments, and does not wait for it.
    ///
    /// # Safety
    /// The arguments must be those of the kernel, each of its type; addresses among them must be of
    /// memory that is as large as the kernel takes it to be and lives until [`Device::synchronize`]. The kernel takes no more shared memory than
    /// is said. A kernel that begins early must not touch memory that the kernel before it writes, nor write memory that this reads, until it has waited for it.
    pub unsafe fn launch(&self, blocks: Blocks, arguments: impl Arguments) -> Result<(), CudaError> {
        // SAFETY: as the caller's.
        unsafe { self.launch_beside(&self.module.device, blocks, arguments) }
    }

    /// The same in another stream of its device.
    ///
    /// # Safety
    /// As of [`launch`](Self::launch), for that stream.
    pub(crate) unsafe fn launch_beside(
        &self,
        device: &Device,
        blocks: Blocks,
        arguments: impl Arguments,
    ) -> Result<(), CudaError> {
        device.enter()?;
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
            sharedMemBytes: blocks.shared,
            hStream: device.stream,
            attrs: &raw mut attribute,
            numAttrs: blocks.early.into(),
        };
        // SAFETY: as the caller's; the configuration, its attribute and the arguments live until the call returns.
        let result = unsafe { cuLaunchKernelEx(&config, self.kernel, pointers.0.as_mut_ptr(), ptr::null_mut()) };
        check("starting a kernel", result)
    }
}

impl Module {
    /// Loads machine code; what is PTX ends in a zero byte.
    pub(crate) fn new(device: &Arc<Device>, MachineCode(image): &MachineCode) -> Result<Module, CudaError> {
        device.enter()?;
        let mut module = ptr::null_mut();
        // SAFETY: the driver reads the image, whose format says where it ends, and which is whole: NVRTC made it.
        let result = unsafe { cuModuleLoadData(&mut module, image.as_ptr().cast()) };
        check("loading a kernel", result)?;
        Ok(Module(Arc::new(Owned::new(device, module, cuModuleUnload))))
    }

    /// The kernel of a name.
    pub fn function(&self, name: &str) -> Result<Function, CudaError> {
        let c_name = CString::new(name).unwrap_or_default();
        let mut kernel = ptr::null_mut();
        // SAFETY: the module lives, and the name ends in a zero byte.
        match unsafe { cuModuleGetFunction(&mut kernel, self.0.handle, c_name.as_ptr()) } {
            CUresult::CUDA_ERROR_NOT_FOUND => Err(CudaError::NoFunction { name: name.to_owned() }),
            result => check("finding a kernel", result).map(|()| Function { kernel, module: Arc::clone(&self.0) }),
        }
    }
}
