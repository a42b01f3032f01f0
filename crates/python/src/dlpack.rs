//! Numbers for other libraries by DLPack: C structures in capsules, as its header `dlpack.h` has them.

use crate::array::ArrayBytes;
use pyo3::ffi;
use pyo3::prelude::*;
use squeeze::Type;
use std::ffi::{CStr, c_void};
use std::sync::Arc;

/// The memory of the CPU.
pub(crate) const CPU: (i32, i32) = (1, 0);

/// The version that is spoken.
const VERSION: [u32; 2] = [1, 0];
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

/// The names of capsules. A library that takes what is inside gives the capsule another name.
const NAME: &CStr = c"dltensor";
const VERSIONED_NAME: &CStr = c"dltensor_versioned";

/// What is handed over. Strides count numbers.
pub(crate) struct Numbers {
    pub bytes: Arc<ArrayBytes>,
    pub ty: Type,
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    axes: i32,
    /// Kind and bits.
    ty: [u8; 2],
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut Numbers,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLManagedTensorVersioned`
#[repr(C)]
struct ManagedVersioned {
    version: [u32; 2],
    context: *mut Numbers,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: Tensor,
}

/// Kind and bits of a type.
fn type_of(ty: Type) -> [u8; 2] {
    let [int, uint, float, bool] = [0, 1, 2, 6];
    match ty {
        Type::Bit => [bool, 8],
        Type::U8 | Type::Enum(_) => [uint, 8],
        Type::U16 => [uint, 16],
        Type::U32 => [uint, 32],
        Type::I32 => [int, 32],
        Type::I64 => [int, 64],
        Type::F32 => [float, 32],
        Type::F64 => [float, 64],
    }
}

/// A capsule with the numbers, which live until who takes them gives them back. `is_copied` numbers are the taker's own, and may be changed.
pub(crate) fn capsule(
    py: Python<'_>,
    numbers: Numbers,
    is_versioned: bool,
    is_copied: bool,
) -> PyResult<Bound<'_, PyAny>> {
    let context = Box::into_raw(Box::new(numbers));
    // SAFETY: the box was just made, and nothing else has its address.
    let numbers = unsafe { &mut *context };
    let tensor = Tensor {
        data: numbers.bytes.bytes().as_ptr() as *mut c_void,
        device: [CPU.0, CPU.1],
        axes: numbers.shape.len() as i32,
        ty: type_of(numbers.ty),
        lanes: 1,
        shape: numbers.shape.as_mut_ptr(),
        strides: numbers.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let made = if is_versioned {
        let flags = if is_copied { IS_COPIED } else { READ_ONLY };
        let deleter = Some(delete_versioned as unsafe extern "C" fn(_));
        let managed = Box::into_raw(Box::new(ManagedVersioned { version: VERSION, context, deleter, flags, tensor }));
        // SAFETY: the destructor is that of capsules with this name.
        let made = unsafe { ffi::PyCapsule_New(managed.cast(), VERSIONED_NAME.as_ptr(), Some(drop_versioned)) };
        if made.is_null() {
            // SAFETY: nobody has taken it.
            unsafe { delete_versioned(managed) };
        }
        made
    } else {
        let deleter = Some(delete as unsafe extern "C" fn(_));
        let managed = Box::into_raw(Box::new(Managed { tensor, context, deleter }));
        // SAFETY: the destructor is that of capsules with this name.
        let made = unsafe { ffi::PyCapsule_New(managed.cast(), NAME.as_ptr(), Some(drop_unversioned)) };
        if made.is_null() {
            // SAFETY: nobody has taken it.
            unsafe { delete(managed) };
        }
        made
    };
    // SAFETY: Python gave a new reference, or nothing and set an error.
    unsafe { Bound::from_owned_ptr_or_err(py, made) }
}

/// Gives the numbers back, from any thread: nothing of Python is asked.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: who took them calls this once; both boxes were made above.
    drop(unsafe { Box::from_raw(Box::from_raw(managed).context) });
}

/// As [`delete`].
unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: who took them calls this once; both boxes were made above.
    drop(unsafe { Box::from_raw(Box::from_raw(managed).context) });
}

/// Gives the numbers back that nobody took: the capsule has its first name.
unsafe extern "C" fn drop_unversioned(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it with a capsule that ends; a pointer of this name was put into it above.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        }
    }
}

/// As [`drop_unversioned`].
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it with a capsule that ends; a pointer of this name was put into it above.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED_NAME.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED_NAME.as_ptr()).cast());
        }
    }
}
