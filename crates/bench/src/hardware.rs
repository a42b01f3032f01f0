//! The parameters of this machine, measured in a few seconds, as `squeeze doctor --measure` writes them.

use super::clock::time_of;
use super::copy;
use rayon::{ThreadPool, ThreadPoolBuilder};
use squeeze_compiler::target::{CpuHardware, GpuHardware, Hardware};
use squeeze_engine::EngineError;
use squeeze_engine::cuda::DeviceReport;
use squeeze_engine::failure::{Error, Result};
use squeeze_host::files::{self, Links};
use squeeze_host::memory;
use std::path::Path;

/// Seconds for each of about ten measurements.
const SECONDS: f64 = 0.5;
/// Operations that are timed at once.
const OPERATIONS: u64 = 4096;
/// The caches of a processor that does not tell of its own, in bytes.
const CACHES: [f64; 3] = [32_768.0, 1_048_576.0, 25_165_824.0];
/// Registers that kernels may take in a thread, as fitted.
const REGISTERS: u64 = 200;

/// Measures one core of this processor, and the memory that cores share.
///
/// # Errors
/// If the system refuses threads or memory.
pub fn cpu() -> Result<Hardware> {
    let pool = |threads: usize| -> Result<ThreadPool> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|error| Error::system(format!("no threads: {error}")))
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (one, all) = (pool(1)?, pool(threads)?);
    let clock = clock();
    let (vector_bits, registers, adding) = vectors();
    let pipes = (OPERATIONS as f64 / seconds_of(adding) / (clock * 1e9)).clamp(0.5, 8.0);
    let caches = caches();
    // Far more than the cache before holds, and less than the cache itself.
    let moved = (caches[2] / 2.0).max(2.0 * caches[1]);
    let large = (6.0 * caches[2]).max(64e6).min(memory::available() as f64 / 4.0);
    let rate = |moved: f64, pool: &ThreadPool| -> Result<f64> {
        let seconds = copy::seconds(moved, pool, SECONDS)?;
        seconds.map(|seconds| moved / seconds / 1e9).ok_or_else(|| Error::system("no memory to copy".to_owned()))
    };
    let (of_cache, of_memory) = (rate(moved, &one)?, rate(large, &one)?);
    let together = rate(large, &all)?;
    Ok(Hardware::Cpu(CpuHardware {
        clock: rounded(clock),
        vector_bits,
        pipes: rounded(pipes),
        registers,
        caches,
        cache_bandwidth: rounded(of_cache),
        memory_bandwidth: rounded(of_memory),
        memory_threads: rounded((together / of_memory).clamp(1.0, threads as f64)),
    }))
}

/// Measures the first GPU; the other parameters come from the driver.
///
/// # Errors
/// If there is no GPU, or it fails.
pub fn gpu() -> Result<Hardware> {
    let device = DeviceReport::of(0).map_err(EngineError::from)?;
    let cache = f64::from(device.second_cache).max(1e6);
    let copied = |moved: f64| -> Result<f64> {
        let seconds = copy::seconds_on_device(moved, SECONDS)?;
        seconds.ok_or_else(|| Error::system("no memory to copy".to_owned()))
    };
    // A copy of next to nothing shows the least time of a kernel.
    let launch = copied(512.0)?;
    let rate = |moved: f64| -> Result<f64> { Ok(moved / (copied(moved)? - launch).max(1e-9) / 1e9) };
    Ok(Hardware::Gpu(GpuHardware {
        clock: rounded(f64::from(device.clock.max(1)) / 1e6),
        multiprocessors: u64::from(device.multiprocessors.max(1)),
        logic_lanes: 64.0,
        numeric_lanes: if matches!(device.architecture.0, 75 | 80) { 64.0 } else { 128.0 },
        load_lanes: 32.0,
        registers: REGISTERS,
        cache,
        cache_bandwidth: rounded(rate(cache / 2.0)?),
        memory_bandwidth: rounded(rate(1e9)?),
        launch: rounded(launch * 1e9),
    }))
}

/// Three digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The least time of some work, in seconds.
fn seconds_of(work: impl FnMut()) -> f64 {
    time_of(SECONDS / 40.0, SECONDS, work).min
}

/// Cycles in a nanosecond. A product of integers takes three cycles on every processor of x86-64 of the last fifteen years; on all others the
/// system is asked.
fn clock() -> f64 {
    if cfg!(target_arch = "x86_64") {
        let mut value = std::hint::black_box(3u64);
        let seconds = seconds_of(|| {
            for _ in 0..OPERATIONS {
                value = value.wrapping_mul(value);
            }
            value = std::hint::black_box(value);
        });
        return 3.0 * OPERATIONS as f64 / seconds / 1e9;
    }
    memory::processor_clock().map_or(2.5, |clock| clock as f64 / 1000.0)
}

/// The bits of a vector register, how many there are, and [`OPERATIONS`] on them.
fn vectors() -> (u64, u64, fn()) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") {
            // SAFETY: the processor has AVX-512.
            return (512, 32, || unsafe { x86::add_long() });
        }
        if has!("avx2") {
            // SAFETY: the processor has AVX2.
            return (256, 16, || unsafe { x86::add_short() });
        }
        (128, 16, add)
    }
    #[cfg(not(target_arch = "x86_64"))]
    (128, 32, add)
}

/// The registers that take turns: more than a processor has pipes times cycles of an addition.
const TURNS: usize = 8;

/// Additions in two words, as the compiler makes them of two words.
fn add() {
    let mut lists = std::hint::black_box([[1u64, 2]; TURNS]);
    for _ in 0..OPERATIONS / TURNS as u64 {
        for i in 0..TURNS {
            let other = lists[(i + 1) % TURNS];
            lists[i].iter_mut().zip(other).for_each(|(value, other)| *value = value.wrapping_add(other));
        }
    }
    std::hint::black_box(lists);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{OPERATIONS, TURNS};
    use std::arch::x86_64::*;

    /// # Safety
    /// The processor must have AVX-512.
    #[target_feature(enable = "avx512f")]
    pub(crate) unsafe fn add_long() {
        let mut values = std::hint::black_box([_mm512_set1_epi64(1); TURNS]);
        for _ in 0..OPERATIONS / TURNS as u64 {
            for i in 0..TURNS {
                values[i] = _mm512_add_epi64(values[i], values[(i + 1) % TURNS]);
            }
        }
        std::hint::black_box(values);
    }

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn add_short() {
        let mut values = std::hint::black_box([_mm256_set1_epi64x(1); TURNS]);
        for _ in 0..OPERATIONS / TURNS as u64 {
            for i in 0..TURNS {
                values[i] = _mm256_add_epi64(values[i], values[(i + 1) % TURNS]);
            }
        }
        std::hint::black_box(values);
    }
}

/// The bytes of the three caches, as the system tells of them.
fn caches() -> [f64; 3] {
    let read = |path: &Path| {
        let bytes = files::read(path, 1 << 16, Links::Followed).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    let mut found = CACHES;
    for index in 0..8 {
        let folder = Path::new("/sys/devices/system/cpu/cpu0/cache").join(format!("index{index}"));
        let entry = |name: &str| read(&folder.join(name));
        let (Some(level), Some(kind), Some(size)) = (entry("level"), entry("type"), entry("size")) else { continue };
        let unit = |text: &str| match text.chars().last() {
            Some('K') => Some((text.len() - 1, 1024.0)),
            Some('M') => Some((text.len() - 1, 1_048_576.0)),
            Some('0'..='9') => Some((text.len(), 1.0)),
            _ => None,
        };
        let bytes = unit(&size).and_then(|(digits, unit)| Some(size[..digits].parse::<f64>().ok()? * unit));
        if let (Ok(level @ 1..=3), Some(bytes), false) = (level.parse::<usize>(), bytes, kind == "Instruction") {
            found[level - 1] = bytes.max(1024.0);
        }
    }
    // A processor without a third one has as much as its second.
    found[1] = found[1].max(found[0]);
    found[2] = found[2].max(found[1]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_records::hardware::{NamedHardware, to_text};

    #[test]
    fn this_processor_is_one_that_a_file_can_describe() {
        let measured = cpu().unwrap();
        let Hardware::Cpu(found) = &measured else { panic!("{measured:?}") };
        assert!((0.1..20.0).contains(&found.clock) && found.caches.is_sorted(), "{found:?}");
        assert!(found.cache_bandwidth.min(found.memory_bandwidth) > 0.01 && found.memory_threads >= 1.0, "{found:?}");
        let text = to_text(&measured, "this one");
        assert_eq!(NamedHardware::parse("this", text.as_bytes()).unwrap().hardware, measured);
    }
}
