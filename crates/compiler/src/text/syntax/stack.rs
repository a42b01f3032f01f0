//! Room for recursion.

/// Enough for every recursion over a syntax tree of the greatest permitted depth, in debug builds too. The memory is
/// reserved, not used.
const STACK_BYTES: usize = 256 << 20;

/// Runs `work` on a thread whose stack holds the deepest syntax tree that the parser lets through.
///
/// # Errors
/// The system refuses the thread.
///
/// # Panics
/// If `work` panics.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
