//! An allocator that counts, and ends the process where too much is asked for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes that are allocated now.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// The most that there were since [`begin`].
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// The most that there may be.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The system's allocator with an eye on it: `#[global_allocator]` of the fuzzer.
pub struct Counting;

/// From now on limits the further bytes that are allocated at once.
pub fn begin(more: usize) {
    let live = LIVE.load(Relaxed);
    PEAK.store(live, Relaxed);
    LIMIT.store(live.saturating_add(more), Relaxed);
}

/// The limit ends; how many bytes more there were at most since it began.
pub fn end(before: usize) -> usize {
    LIMIT.store(usize::MAX, Relaxed);
    PEAK.load(Relaxed).saturating_sub(before)
}

/// Bytes that are allocated now.
pub fn live() -> usize {
    LIVE.load(Relaxed)
}

fn add(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed).saturating_add(bytes);
    PEAK.fetch_max(live, Relaxed);
    if live > LIMIT.load(Relaxed) {
        // The lines below allocate themselves.
        LIMIT.store(usize::MAX, Relaxed);
        // If standard error is closed, the status alone tells.
        _ = writeln!(std::io::stderr(), "{bytes} bytes were asked for, {live} in all: that is too much memory");
        std::process::abort();
    }
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps what `GlobalAlloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps what `GlobalAlloc` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps what `GlobalAlloc` asks for.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match size.checked_sub(layout.size()) {
            Some(more) => add(more),
            None => _ = LIVE.fetch_sub(layout.size() - size, Relaxed),
        }
        // SAFETY: the caller keeps what `GlobalAlloc` asks for.
        unsafe { System.realloc(at, layout, size) }
    }
}
