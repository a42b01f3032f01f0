//! Memory for states, and for the substitutes of columns that do not exist.

use crate::{EngineError, Result};
use memmap2::MmapMut;
use squeeze_compiler::layout::columns::OVERREAD;

/// Zeroed memory, page aligned, with [`OVERREAD`] readable bytes behind it. Pages come into being when they are touched.
pub struct Buffer {
    map: MmapMut,
    bytes: usize,
}

impl Buffer {
    /// Asks the system for memory.
    ///
    /// # Errors
    /// If it refuses; the caller has compared the size with what is available.
    pub fn new(bytes: u64) -> Result<Buffer> {
        let refused = |error: &dyn std::fmt::Display| {
            EngineError::System(format!(
                "the system refused {} of memory: {error}",
                squeeze_host::numbers::bytes(bytes as f64)
            ))
        };
        let bytes = usize::try_from(bytes).map_err(|error| refused(&error))?;
        let map = MmapMut::map_anon(bytes + OVERREAD).map_err(|error| refused(&error))?;
        // Large pages spare most of the address translation; a system without them does without.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Buffer { map, bytes })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Where they begin.
    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.map.as_ptr()
    }

    /// Where they begin, to write.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.map.as_mut_ptr()
    }

    /// The bytes, without those behind.
    pub fn as_slice(&self) -> &[u8] {
        &self.map[..self.bytes]
    }

    /// The bytes, without those behind, to write.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.map[..self.bytes]
    }
}

/// Zeroed memory that one thread needs for a while, with [`OVERREAD`] readable bytes behind it. It begins on a line of the
/// processor's cache, so that columns of any type are aligned in it.
#[derive(Default)]
pub(crate) struct Scratch {
    lines: Box<[Line]>,
    bytes: usize,
}

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; LINE]);

const LINE: usize = 64;

impl Scratch {
    pub(crate) fn new(bytes: usize) -> Scratch {
        Scratch { lines: vec![Line([0; LINE]); (bytes + OVERREAD).div_ceil(LINE)].into_boxed_slice(), bytes }
    }

    /// Where they begin.
    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.lines.as_ptr().cast()
    }

    /// Where they begin, to write.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// The bytes, without those behind.
    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: the lines are bytes without a gap, at least `self.bytes`.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.bytes) }
    }

    /// The bytes, without those behind, to write.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and they are borrowed as `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.bytes) }
    }
}

/// A pointer that threads share; its users make sure to write different places.
#[derive(Clone, Copy)]
pub(crate) struct Shared(pub *mut u8);

// SAFETY: the pointer is to memory that outlives the parallel section, and each superblock writes its own columns only.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// The address `offset` bytes further. (A method, so that closures capture the whole and not the bare pointer.)
    pub(crate) fn at(self, offset: usize) -> *mut u8 {
        self.0.wrapping_add(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_for_columns_is_aligned_and_can_be_read_beyond_its_end() {
        for bytes in [0, 1, 24, 64, 1000] {
            let mut scratch = Scratch::new(bytes);
            assert_eq!(scratch.as_ptr() as usize % 64, 0);
            assert!(64 * scratch.lines.len() >= bytes + OVERREAD);
            assert_eq!((scratch.as_slice().len(), scratch.as_mut_slice().len()), (bytes, bytes));
            assert!(scratch.as_slice().iter().all(|byte| *byte == 0));
            let buffer = Buffer::new(bytes as u64).expect("there is memory");
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
        }
    }
}
