//! Room for recursion: over syntax trees, calls of functions, and steps that ask for those before.

use std::cell::Cell;
use std::hint::black_box;
use std::thread;

/// The stacks that are asked for, the largest first: enough for trees of the greatest permitted depth, in debug builds too. The memory is
/// reserved, not used.
const STACKS: [usize; 4] = [256 << 20, 64 << 20, 16 << 20, 4 << 20];
/// One share is the stack, the others are left for the memory of the work on it.
const SHARES: usize = 4;
/// The stack that a caller is thought to have left, in bytes, where there are no threads.
const CALLERS: usize = 512 << 10;
/// The stack below the floor, in bytes: for code that recurses through at most a level between two checks of the floor.
const BELOW: usize = 256 << 10;

thread_local! {
    /// The lowest address down to which this thread may recurse; 0 if none was set.
    static FLOOR: Cell<usize> = const { Cell::new(0) };
}

/// Runs `work` on a thread of its own, with the largest stack that the system gives. If it gives none, the caller's stack has to do. How deep
/// `work` may recurse [`is_exhausted`] tells.
///
/// # Panics
/// If `work` panics.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if FLOOR.get() != 0 {
        return work();
    }
    let mut work = Some(work);
    for bytes in STACKS.into_iter().filter(|bytes| is_there(SHARES * bytes)) {
        let done = thread::scope(|scope| {
            let on_thread = || {
                FLOOR.set(here().saturating_sub(bytes - BELOW));
                work.take().map(|work| work())
            };
            let thread = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, on_thread).ok()?;
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        if let Some(result) = done {
            return result;
        }
    }
    on_callers_stack(work.take().expect("no thread ran it"))
}

/// Whether the system would give so much memory: a thread that does nothing asks for it as its stack.
fn is_there(bytes: usize) -> bool {
    thread::Builder::new().stack_size(bytes).spawn(|| ()).is_ok_and(|thread| thread.join().is_ok())
}

/// Runs `work` where no other stack can be had.
pub(crate) fn on_callers_stack<T>(work: impl FnOnce() -> T) -> T {
    let before = FLOOR.replace(here().saturating_sub(CALLERS).max(1));
    let result = work();
    FLOOR.set(before);
    result
}

/// Whether the rest of the stack is for no more recursion. Code that recurses as deep as a text says checks this, and reports
/// [`NO_STACK`] instead.
pub(crate) fn is_exhausted() -> bool {
    room() == 0
}

/// The bytes through which this thread may still recurse.
pub(super) fn room() -> usize {
    here().saturating_sub(FLOOR.get())
}

/// The error if it has none.
pub(crate) const NO_STACK: &str = "this nests deeper than the stack that the system gives has room for";

/// An address on the stack.
fn here() -> usize {
    let place = 0u8;
    black_box(&raw const place) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursion_ends_before_the_stack_does() {
        fn depth(n: usize) -> usize {
            let frame = black_box([0u8; 4096]);
            if is_exhausted() { n } else { depth(n + 1) + usize::from(frame[0]) }
        }
        assert!(on_large_stack(|| depth(0)) > 10 * on_callers_stack(|| depth(0)));
        assert!((20..130).contains(&on_callers_stack(|| depth(0))));
        // Within, the stack is that of the outermost.
        assert!(on_callers_stack(|| on_large_stack(|| depth(0))) < 130);
        assert!(!is_exhausted() && FLOOR.get() == 0);
    }
}
