//! Numbers that Python looks at by its buffer protocol, without a copy. An array cannot be changed, and is there when its simulation is gone.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use squeeze::Type;
use std::ffi::{CStr, c_int, c_void};

/// Numbers of one type, in rows.
#[pyclass(frozen, name = "Array", module = "squeeze._native")]
pub(crate) struct PyArray {
    /// The bytes, as words so that they lie where the largest numbers may lie.
    words: Vec<u64>,
    bytes: usize,
    format: &'static CStr,
    item: isize,
    shape: Vec<isize>,
    strides: Vec<isize>,
}

/// Memory for some bytes, all of them zero.
pub(crate) struct ArrayBytes {
    words: Vec<u64>,
    bytes: usize,
}

impl ArrayBytes {
    pub(crate) fn new(bytes: usize) -> ArrayBytes {
        ArrayBytes { words: vec![0; bytes.div_ceil(8)], bytes }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the words have at least as many bytes, every one of which is a `u8`, and they are borrowed for as long.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.bytes) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the words have at least as many bytes, every one of which is a `u8`, and they are borrowed for as long.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.bytes) }
    }

    /// Bits as a byte each.
    pub(crate) fn of_bits(bits: &[u8], cells: usize) -> ArrayBytes {
        let table: [u64; 256] =
            std::array::from_fn(|byte| u64::from_ne_bytes(std::array::from_fn(|bit| (byte >> bit & 1) as u8)));
        ArrayBytes { words: bits.iter().map(|byte| table[usize::from(*byte)]).collect(), bytes: cells }
    }

    /// The bytes of these numbers.
    pub(crate) fn of<const N: usize>(numbers: impl ExactSizeIterator<Item = [u8; N]>) -> ArrayBytes {
        let mut bytes = ArrayBytes::new(numbers.len() * N);
        bytes.bytes_mut().chunks_exact_mut(N).zip(numbers).for_each(|(place, number)| place.copy_from_slice(&number));
        bytes
    }
}

/// How Python calls numbers of a type, and their bytes.
pub(crate) fn format_of(ty: Type) -> (&'static CStr, usize) {
    match ty {
        Type::Bit => (c"?", 1),
        Type::U8 | Type::Enum(_) => (c"B", 1),
        Type::U16 => (c"H", 2),
        Type::I32 => (c"i", 4),
        Type::U32 => (c"I", 4),
        Type::I64 => (c"q", 8),
        Type::F32 => (c"f", 4),
        Type::F64 => (c"d", 8),
    }
}

impl PyArray {
    /// An array of this shape, the last axis the fastest.
    pub(crate) fn new(bytes: ArrayBytes, ty: Type, shape: &[usize]) -> PyArray {
        let (format, item) = format_of(ty);
        let mut stride = item;
        let mut strides = vec![0; shape.len()];
        for (place, side) in strides.iter_mut().zip(shape).rev() {
            *place = stride as isize;
            stride *= side;
        }
        assert_eq!(stride, bytes.bytes, "an array has the bytes of its shape");
        PyArray {
            words: bytes.words,
            bytes: bytes.bytes,
            format,
            item: item as isize,
            shape: shape.iter().map(|side| *side as isize).collect(),
            strides,
        }
    }
}

#[pymethods]
impl PyArray {
    #[getter]
    fn shape(&self) -> Vec<isize> {
        self.shape.clone()
    }

    fn __len__(&self) -> usize {
        self.shape.first().map_or(0, |side| side.unsigned_abs())
    }

    /// Fills a view of the bytes.
    ///
    /// # Safety
    /// Python calls it with a view to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view to fill"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("these numbers cannot be changed; copy them"));
        }
        let this = slf.get();
        let (data, bytes, item, axes) = (this.words.as_ptr() as *mut c_void, this.bytes, this.item, this.shape.len());
        let wants = |flag| flags & flag == flag;
        let format = if wants(ffi::PyBUF_FORMAT) { this.format.as_ptr().cast_mut() } else { std::ptr::null_mut() };
        let shape = if wants(ffi::PyBUF_ND) { this.shape.as_ptr().cast_mut() } else { std::ptr::null_mut() };
        let strides = if wants(ffi::PyBUF_STRIDES) { this.strides.as_ptr().cast_mut() } else { std::ptr::null_mut() };
        // SAFETY: Python hands over a view that is to be filled. What its pointers point to belongs to this object, which never moves or changes
        // what it owns, and to which the view holds a reference until it is released.
        unsafe {
            (*view).buf = data;
            (*view).len = bytes as isize;
            (*view).readonly = 1;
            (*view).itemsize = item;
            (*view).format = format;
            (*view).ndim = axes as c_int;
            (*view).shape = shape;
            (*view).strides = strides;
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }
}
