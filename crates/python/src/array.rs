//! Numbers that Python looks at by its buffer protocol or by DLPack, without a copy. An array cannot be changed, and is there when its simulation is gone.

use crate::dlpack::{self, Numbers};
use memmap2::MmapMut;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use squeeze::Type;
use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

/// Numbers of one type, in rows.
#[pyclass(frozen, name = "Array", module = "squeeze._native")]
pub(crate) struct PyArray {
    bytes: Arc<ArrayBytes>,
    format: &'static CStr,
    ty: Type,
    item: isize,
    shape: Vec<isize>,
    strides: Vec<isize>,
}

/// Memory for some bytes, all of them zero at first. They begin where a line of the processor's cache does, as libraries of vectors want it.
pub(crate) struct ArrayBytes {
    memory: Memory,
    bytes: usize,
}

enum Memory {
    /// Lines of the cache.
    Few(Vec<Line>),
    /// Pages, large ones where the system has them: most of the time of a read is that of new pages.
    Many(MmapMut),
}

#[repr(align(64))]
#[derive(Clone, Copy)]
struct Line(#[expect(dead_code, reason = "lines are looked at as bytes")] [u8; LINE]);

const LINE: usize = 64;
/// The bytes from which on pages are asked for; numpy does as much from 4 MiB on.
const MANY: usize = 1 << 22;

impl ArrayBytes {
    pub(crate) fn new(bytes: usize) -> ArrayBytes {
        let pages = if bytes < MANY { None } else { MmapMut::map_anon(bytes).ok() };
        let memory = match pages {
            Some(pages) => {
                // Where there are no large pages, small ones will do.
                #[cfg(target_os = "linux")]
                let _ = pages.advise(memmap2::Advice::HugePage);
                Memory::Many(pages)
            }
            None => Memory::Few(vec![Line([0; LINE]); bytes.div_ceil(LINE)]),
        };
        ArrayBytes { memory, bytes }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let bytes = match &mut self.memory {
            // SAFETY: the lines have these bytes and nothing else, and they are borrowed for as long.
            Memory::Few(lines) => unsafe {
                std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), lines.len() * LINE)
            },
            Memory::Many(pages) => pages,
        };
        &mut bytes[..self.bytes]
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        let bytes = match &self.memory {
            // SAFETY: the lines have these bytes and nothing else, and they are borrowed for as long.
            Memory::Few(lines) => unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * LINE) },
            Memory::Many(pages) => pages,
        };
        &bytes[..self.bytes]
    }

    /// The same bytes once more.
    pub(crate) fn copy(&self) -> ArrayBytes {
        let mut copy = ArrayBytes::new(self.bytes);
        copy.bytes_mut().copy_from_slice(self.bytes());
        copy
    }

    /// Bits as a byte each.
    pub(crate) fn of_bits(bits: &[u8], cells: usize) -> ArrayBytes {
        let table: [[u8; 8]; 256] = std::array::from_fn(|byte| std::array::from_fn(|bit| (byte >> bit & 1) as u8));
        let mut bytes = ArrayBytes::new(cells);
        let (places, rest) = bytes.bytes_mut().as_chunks_mut();
        places.iter_mut().zip(bits).for_each(|(place, byte)| *place = table[usize::from(*byte)]);
        if let Some(last) = bits.last().filter(|_| !rest.is_empty()) {
            rest.copy_from_slice(&table[usize::from(*last)][..rest.len()]);
        }
        bytes
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
            bytes: Arc::new(bytes),
            format,
            ty,
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

    /// The device of the numbers, for DLPack: the memory of the CPU.
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::CPU
    }

    /// The numbers for another library, without a copy if it knows that they cannot be changed, that is from version 1.0 of DLPack on, or with `copy=True`.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if stream.is_some() || dl_device.is_some_and(|device| device != dlpack::CPU) {
            return Err(PyBufferError::new_err(
                "these numbers are in the memory of the CPU: ask for no stream and no other device",
            ));
        }
        let is_versioned = max_version.is_some_and(|(major, _)| major >= 1);
        if !is_versioned && copy == Some(false) {
            return Err(PyBufferError::new_err(
                "these numbers cannot be changed, which DLPack can say from version 1.0 on: copy them",
            ));
        }
        let is_copied = copy == Some(true) || !is_versioned;
        let numbers = Numbers {
            bytes: if is_copied { py.detach(|| Arc::new(self.bytes.copy())) } else { Arc::clone(&self.bytes) },
            ty: self.ty,
            shape: self.shape.iter().map(|side| *side as i64).collect(),
            strides: self.strides.iter().map(|stride| (stride / self.item) as i64).collect(),
        };
        dlpack::capsule(py, numbers, is_versioned, is_copied)
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
        let bytes = this.bytes.bytes();
        let (data, bytes, item, axes) = (bytes.as_ptr() as *mut c_void, bytes.len(), this.item, this.shape.len());
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
