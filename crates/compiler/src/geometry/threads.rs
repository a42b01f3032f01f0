//! Work on several threads, as far as the system gives them.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `work` with each thing, on at most as many threads as things. The caller's thread takes part, so all is done even if no other can start.
pub fn on_threads<T: Send, R: Send>(things: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let others = things.len().saturating_sub(1);
    let waiting = Mutex::new(things.into_iter().enumerate());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let done = Mutex::new(Vec::new());
    let share = || {
        while let Some((number, thing)) = next() {
            let result = work(thing);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..others {
            if thread::Builder::new().spawn_scoped(scope, share).is_err() {
                break;
            }
        }
        share();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
