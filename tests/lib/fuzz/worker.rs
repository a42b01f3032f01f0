//! The process that is fed.

use super::{MOST_MEMORY, SLOWEST, Target, input, memory, target};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The status of a worker for which an input took too long.
pub const TOO_SLOW: u8 = 4;
/// The status of a worker whose target did something wrong.
pub const WRONG: u8 = 3;
/// The most bytes of the process, by any allocator.
const MOST_RESIDENT: u64 = 1_500_000_000;

/// The work of a worker.
pub struct Work {
    /// The target's name.
    pub target: String,
    /// Where the random numbers begin.
    pub seed: u64,
    /// The first input.
    pub first: u64,
    /// The inputs after which it stops.
    pub inputs: Option<u64>,
    /// It stops after this time, if it takes that long.
    pub time: Option<Duration>,
}

/// When the input that is being read began, in milliseconds from the start plus one; 0 between two inputs.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Feeds inputs, and writes the number of each into the first eight bytes of a file before.
///
/// # Panics
/// If that file cannot be written, or there is no such target.
pub fn work(work: &Work, progress: &Path) -> ExitCode {
    let progress = File::create(progress).expect("the file of progress can be made");
    let start = Instant::now();
    watch(start);
    let mut target = target(&work.target).expect("the target exists");
    let (mut number, mut fed, mut accepted) = (work.first, 0u64, 0u64);
    let (mut slowest, mut most_memory) = (Duration::ZERO, 0);
    while work.inputs.is_none_or(|inputs| fed < inputs) && work.time.is_none_or(|time| start.elapsed() < time) {
        progress.write_all_at(&number.to_le_bytes(), 0).expect("the progress can be written");
        let input = input(target.as_ref(), work.seed, number);
        match feed(target.as_mut(), &input, start) {
            Ok((accepts, time, bytes)) => {
                accepted += u64::from(accepts);
                slowest = slowest.max(time);
                most_memory = most_memory.max(bytes);
            }
            Err(fault) => {
                eprintln!("{fault}");
                return ExitCode::from(WRONG);
            }
        }
        (number, fed) = (number + 1, fed + 1);
    }
    if let Some(bytes) = most_resident().filter(|bytes| *bytes > MOST_RESIDENT) {
        eprintln!("the process took {bytes} bytes of memory at some time");
        return ExitCode::from(WRONG);
    }
    let memory = most_memory as f64 / 1e6;
    println!(
        "{:16} {fed:9} inputs, {accepted:8} accepted; the slowest took {slowest:.1?}, the largest {memory:.1} MB",
        work.target
    );
    ExitCode::SUCCESS
}

/// Feeds one input.
pub fn feed_one(name: &str, input: &[u8]) -> ExitCode {
    let start = Instant::now();
    watch(start);
    let mut target = target(name).expect("the target exists");
    match feed(target.as_mut(), input, start) {
        Ok((accepts, time, bytes)) => {
            let what = if accepts { "accepted" } else { "refused" };
            println!("{what} after {time:.1?} with {:.1} MB", bytes as f64 / 1e6);
            ExitCode::SUCCESS
        }
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(WRONG)
        }
    }
}

fn feed(target: &mut dyn Target, input: &[u8], start: Instant) -> Result<(bool, Duration, usize), String> {
    let now = start.elapsed();
    BEGUN.store(now.as_millis() as u64 + 1, Relaxed);
    let before = memory::live();
    memory::begin(MOST_MEMORY + input.len());
    let fed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target.feed(input)));
    let bytes = memory::end(before);
    BEGUN.store(0, Relaxed);
    let accepted = fed.unwrap_or_else(|_| Err("it panicked".to_owned()))?;
    Ok((accepted, start.elapsed() - now, bytes))
}

/// Ends the process when an input takes too long.
fn watch(start: Instant) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let begun = BEGUN.load(Relaxed);
            let now = start.elapsed().as_millis() as u64 + 1;
            if begun > 0 && now.saturating_sub(begun) > SLOWEST.as_millis() as u64 {
                eprintln!("there was no answer after {SLOWEST:?}");
                std::process::exit(TOO_SLOW.into());
            }
        }
    });
}

/// The most memory that the process ever had, as Linux tells.
fn most_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
