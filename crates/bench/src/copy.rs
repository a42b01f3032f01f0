//! The single-pass bound: how long copying takes.
//!
//! The fastest way to copy depends on the processor and on the size: stores around the caches need not read the old bytes, and are slow where the caches
//! would have held all bytes. So several ways are measured, and the fastest counts.

use super::clock;
use rayon::ThreadPool;
use rayon::prelude::*;
use squeeze_engine::Buffer;
use squeeze_engine::cuda::DeviceCopy;
use squeeze_engine::failure::{Error, Result};
use squeeze_host::memory;

/// Copies of less than this are tried on one thread too: waking others takes longer.
const WORTH_THREADS: usize = 4 << 20;
/// The smallest piece that a thread is given.
const SMALLEST_PIECE: usize = 64 << 10;

type CopyFunction = fn(&[u8], &mut [u8]);

/// The median time of copying, in seconds, by the fastest way there is: half of `moved` bytes are read from one buffer, half
/// written to another. All ways together get about `budget` seconds. `None` if there is no memory for the buffers.
///
/// # Errors
/// If the machine fails.
pub fn seconds(moved: f64, pool: &ThreadPool, budget: f64) -> Result<Option<f64>> {
    let bytes = ((moved / 2.0) as u64).next_multiple_of(64).max(64);
    if bytes > memory::available() / 2 {
        return Ok(None);
    }
    let (mut source, mut target) = (Buffer::new(bytes)?, Buffer::new(bytes)?);
    let bytes = source.as_slice().len();
    pool.install(|| {
        // Memory that was never written is one page of zeros wherever it is read.
        source.as_mut_slice().par_chunks_mut(1 << 20).for_each(|piece| piece.fill(0x5a));
        target.as_mut_slice().par_chunks_mut(1 << 20).for_each(|piece| piece.fill(0xa5));
    });
    let in_parallel = bytes.div_ceil(16 * pool.current_num_threads()).next_multiple_of(4096).max(SMALLEST_PIECE);
    let mut pieces = vec![in_parallel];
    if in_parallel < bytes && bytes < WORTH_THREADS {
        pieces.push(bytes);
    }
    let ways: Vec<(usize, CopyFunction)> =
        pieces.iter().flat_map(|&piece| kernels().into_iter().map(move |copy| (piece, copy))).collect();
    let budget = budget / ways.len() as f64;
    let mut best = f64::INFINITY;
    for (piece, copy) in ways {
        let timing = clock::time(1, super::SHORTEST_REPEAT.min(budget / 3.0), budget, |times| {
            pool.install(|| {
                for _ in 0..times {
                    let pieces = target.as_mut_slice().par_chunks_mut(piece).zip(source.as_slice().par_chunks(piece));
                    pieces.for_each(|(target, source)| copy(source, target));
                }
            });
            Ok::<(), Error>(())
        });
        best = best.min(timing?.median);
    }
    Ok(Some(best))
}

/// As [`seconds`], in the memory of the first GPU.
///
/// # Errors
/// If there is no GPU, or it fails.
pub fn seconds_on_device(moved: f64, budget: f64) -> Result<Option<f64>> {
    let bytes = ((moved / 2.0) as u64).next_multiple_of(256).max(256);
    let Some(copy) = DeviceCopy::new(bytes)? else { return Ok(None) };
    let shortest = super::SHORTEST_REPEAT.min(budget / 3.0);
    Ok(Some(clock::time(copy.unit(), shortest, budget, |times| copy.run(times))?.median))
}

/// The ways of copying that this processor knows.
fn kernels() -> Vec<CopyFunction> {
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "other processors have no other way"))]
    let mut kernels: Vec<CopyFunction> = vec![standard];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        kernels.extend([x86::loop_of_vectors as CopyFunction, x86::around_the_caches as CopyFunction]);
    }
    kernels
}

/// The standard library's copy.
fn standard(source: &[u8], target: &mut [u8]) {
    target.copy_from_slice(source);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{__m256i, _mm_sfence, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_stream_si256};

    /// Loads and stores of vectors.
    pub(crate) fn loop_of_vectors(source: &[u8], target: &mut [u8]) {
        // SAFETY: this way is offered only where AVX is.
        unsafe { copy::<false>(source, target) }
    }

    /// The same with stores that go around the caches.
    pub(crate) fn around_the_caches(source: &[u8], target: &mut [u8]) {
        // SAFETY: as above.
        unsafe { copy::<true>(source, target) }
    }

    /// # Safety
    /// The processor must have AVX.
    #[target_feature(enable = "avx")]
    unsafe fn copy<const STREAM: bool>(source: &[u8], target: &mut [u8]) {
        let head = target.as_ptr().align_offset(32).min(target.len());
        target[..head].copy_from_slice(&source[..head]);
        let (from, to) = (source[head..].as_chunks::<128>(), target[head..].as_chunks_mut::<128>());
        for (from, to) in from.0.iter().zip(to.0) {
            let (from, to) = (from.as_ptr().cast::<__m256i>(), to.as_mut_ptr().cast::<__m256i>());
            // SAFETY: both hold 128 bytes, and `to` is aligned to 32 since `head`, and all steps from it are multiples of 128.
            unsafe {
                let [a, b] = [_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))];
                let [c, d] = [_mm256_loadu_si256(from.add(2)), _mm256_loadu_si256(from.add(3))];
                let store = if STREAM { _mm256_stream_si256 } else { _mm256_storeu_si256 };
                store(to, a);
                store(to.add(1), b);
                store(to.add(2), c);
                store(to.add(3), d);
            }
        }
        to.1.copy_from_slice(from.1);
        if STREAM {
            _mm_sfence();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_copy() {
        let source: Vec<u8> = (0..1000u32).map(|i| (i * 7) as u8).collect();
        for copy in kernels() {
            for range in [0..0, 0..1, 3..1000, 32..160, 31..999] {
                let mut target = vec![0; 1000];
                copy(&source[range.clone()], &mut target[range.clone()]);
                assert_eq!(target[range.clone()], source[range]);
            }
        }
    }

    #[test]
    fn copies_are_timed_and_impossible_ones_left_out() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let took = seconds(1e6, &pool, 0.01).unwrap().unwrap();
        assert!(took > 1e-7 && took < 1.0, "{took}");
        assert_eq!(seconds(1e18, &pool, 0.01).unwrap(), None);
    }
}
