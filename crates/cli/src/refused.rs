//! The end of a command to which the system gives no more memory: a message, and exit code 1.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which ends the command instead of giving nothing.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Memory, if there is some.
fn given(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        // Nothing here allocates.
        eprintln!("error: the system refused {bytes} bytes of memory");
        eprintln!(" = help: limits are those of `ulimit -d`, `ulimit -v`, the container and the machine");
        std::process::exit(1);
    }
    memory
}

// SAFETY: all is the system's allocator's.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as the caller's.
        given(unsafe { System.realloc(memory, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller's.
        unsafe { System.dealloc(memory, layout) }
    }
}
