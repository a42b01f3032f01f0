//! Writing around the caches.

/// Writes bytes around the caches, to where a line of them begins: memory that is overwritten need not be read first.
///
/// # Safety
/// There is room for them, which nobody else touches.
pub(super) unsafe fn stream(bytes: &[u8], to: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// As of [`stream`]; the processor must have AVX.
        #[target_feature(enable = "avx")]
        unsafe fn with_avx(bytes: &[u8], to: *mut u8) {
            use std::arch::x86_64::*;
            for (number, half_line) in bytes.as_chunks::<32>().0.iter().enumerate() {
                // SAFETY: these are 32 bytes, and so are those there.
                unsafe {
                    _mm256_stream_si256(to.cast::<__m256i>().add(number), _mm256_loadu_si256(half_line.as_ptr().cast()))
                };
            }
        }
        /// # Safety
        /// As of [`stream`]; the processor must have AVX-512F.
        #[target_feature(enable = "avx512f")]
        unsafe fn with_avx512(bytes: &[u8], to: *mut u8) {
            use std::arch::x86_64::*;
            for (number, line) in bytes.as_chunks::<64>().0.iter().enumerate() {
                // SAFETY: these are 64 bytes, and so are those there.
                unsafe {
                    _mm512_stream_si512(to.cast::<__m512i>().add(number), _mm512_loadu_si512(line.as_ptr().cast()))
                };
            }
        }
        if is_x86_feature_detected!("avx512f") && bytes.len().is_multiple_of(64) && to.addr().is_multiple_of(64) {
            // SAFETY: as the caller's; the feature was just detected.
            unsafe { with_avx512(bytes, to) };
            return;
        }
        if is_x86_feature_detected!("avx") && bytes.len().is_multiple_of(32) && to.addr().is_multiple_of(32) {
            // SAFETY: as the caller's; the feature was just detected.
            unsafe { with_avx(bytes, to) };
            return;
        }
    }
    // SAFETY: as the caller's.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
}

/// Waits until others see what was streamed.
pub(super) fn end_stream() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: x86-64 has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
