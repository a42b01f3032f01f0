//! How many threads the host's work is spread over.

use crate::groups::read;
use crate::memory;
#[cfg(feature = "pool")]
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::Path;
#[cfg(unix)]
use std::sync::Once;
#[cfg(feature = "pool")]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// More threads than any machine has processors.
pub const MOST: usize = 4096;

/// The most threads that are started where the machine runs fewer at once: idle ones look for work at one another, thousands for minutes.
const MOST_WAITING: usize = 64;

/// Of the addresses that a limit leaves, how many there are for each thread: its stack reserves an eighth of them.
const ADDRESSES_OF_THREAD: u64 = 16 << 20;

/// The variable that sets the number of threads, where nothing else does.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Why there are not as many threads as were asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThreadsError {
    /// The environment asks for more than are started.
    #[error("the environment variable `{variable}` asks for {threads} threads; at most {MOST} are started")]
    TooMany {
        /// The variable.
        variable: &'static str,
        /// The number that it asks for.
        threads: usize,
    },
    /// The system gives none.
    #[error("no threads: {0}")]
    None(String),
}

/// A pool of `threads` threads, as far as they are [`useful`], each of which begins with `start`. `None` takes as many as `RAYON_NUM_THREADS` says.
///
/// # Errors
/// [`ThreadsError::None`] if the system gives no threads.
#[cfg(feature = "pool")]
pub fn pool(threads: Option<usize>, start: fn()) -> Result<ThreadPool, ThreadsError> {
    let threads = useful(threads.or_else(said));
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(move |_| start()).build();
    pool.map_err(|error| ThreadsError::None(error.to_string()))
}

/// How many threads are started where `threads` are asked for; without a wish as many as the machine runs at once. Where addresses are limited they
/// are fewer.
pub fn useful(threads: Option<usize>) -> usize {
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let room = (memory::addresses() / ADDRESSES_OF_THREAD).clamp(1, MOST as u64) as usize;
    threads.filter(|threads| *threads > 0).unwrap_or(at_once).min(at_once.max(MOST_WAITING)).min(room)
}

/// Looks at `RAYON_NUM_THREADS`, which the work outside of simulations, too, goes by: to start very many threads takes for ever. Where addresses are
/// limited, starts the threads of that work.
///
/// # Errors
/// [`ThreadsError::TooMany`] if it asks for more than [`MOST`]; [`ThreadsError::None`] if limits of this process leave none.
pub fn check_environment() -> Result<(), ThreadsError> {
    match said() {
        Some(threads) if threads > MOST => return Err(ThreadsError::TooMany { variable: VARIABLE, threads }),
        _ => {}
    }
    // Libraries that start threads by themselves panic if the system gives none.
    #[cfg(feature = "pool")]
    if memory::addresses() < u64::MAX {
        static STARTED: OnceLock<Result<(), ThreadsError>> = OnceLock::new();
        let start = || ThreadPoolBuilder::new().num_threads(useful(said())).build_global();
        return STARTED.get_or_init(|| start().map_err(|error| ThreadsError::None(error.to_string()))).clone();
    }
    Ok(())
}

/// How often this process, and each that it comes from, has been forked off another since the first call. No threads follow into a child.
pub fn forks() -> u32 {
    static FORKS: AtomicU32 = AtomicU32::new(0);
    #[cfg(unix)]
    {
        extern "C" fn count() {
            FORKS.fetch_add(1, Relaxed);
        }
        static WATCHED: Once = Once::new();
        // SAFETY: the handler, which each child runs first, adds to a number.
        WATCHED.call_once(|| _ = unsafe { libc::pthread_atfork(None, None, Some(count)) });
    }
    FORKS.load(Relaxed)
}

/// The numbers of the processors that this process may use; `None` if the kernel does not tell.
pub fn allowed_processors() -> Option<Vec<usize>> {
    let status = read(Path::new("/proc/self/status"))?;
    processors(status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?)
}

/// Runs this thread, and those that it starts from now on, on these processors alone, if the system lets it.
pub fn keep_to(processors: &[usize]) {
    #[cfg(target_os = "linux")]
    {
        const WORD: usize = libc::c_ulong::BITS as usize;
        let mut words = vec![0 as libc::c_ulong; processors.iter().max().map_or(0, |most| most / WORD + 1)];
        processors.iter().for_each(|processor| words[processor / WORD] |= 1 << (processor % WORD));
        // SAFETY: the words are as many bytes as are said, of which the kernel reads no more.
        _ = unsafe { libc::sched_setaffinity(0, size_of_val(&words[..]), words.as_ptr().cast()) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = processors;
}

/// The numbers of a list such as `0-3,8`.
fn processors(list: &str) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        if last > MOST_PROCESSORS {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

/// More than any kernel's number of a processor.
const MOST_PROCESSORS: usize = 1 << 16;

/// A text that processes of the same machine have in common, and one that those in the same container have, which share limits; without spaces. Empty if the kernel does
/// not tell.
pub fn machine_and_container() -> (String, String) {
    let machine = read(Path::new("/proc/sys/kernel/random/boot_id"));
    let space = |name: &str| std::fs::read_link(Path::new("/proc/self/ns").join(name)).unwrap_or_default();
    let container = format!("{}{}", space("pid").display(), space("cgroup").display());
    (machine.map_or_else(String::new, |id| id.trim().to_owned()), container)
}

/// Whether `RAYON_NUM_THREADS` says how many threads there are.
pub fn are_said() -> bool {
    said().is_some()
}

fn said() -> Option<usize> {
    std::env::var(VARIABLE).ok()?.parse().ok()
}

#[cfg(all(test, feature = "pool"))]
mod tests {
    #[test]
    fn pools_are_bounded() {
        assert_eq!(super::pool(Some(3), || ()).unwrap().current_num_threads(), 3);
        assert!((64..=super::MOST).contains(&super::pool(Some(super::MOST), || ()).unwrap().current_num_threads()));
        assert!(super::pool(None, || ()).unwrap().current_num_threads() >= 1);
    }

    #[test]
    fn threads_keep_to_processors() {
        let Some(all) = super::allowed_processors() else { return };
        let last = all[all.len() - 1];
        let here = || std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let kept = std::thread::spawn(move || {
            super::keep_to(&[last]);
            here()
        });
        let told = format!("Cpus_allowed_list:\t{last}\n");
        assert!(kept.join().unwrap().contains(&told) && (all.len() == 1 || !here().contains(&told)));
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(super::processors("\t0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!((super::processors(""), super::processors("0-99999999999")), (None, None));
        assert!(!cfg!(target_os = "linux") || super::allowed_processors().is_some_and(|all| !all.is_empty()));
    }
}
