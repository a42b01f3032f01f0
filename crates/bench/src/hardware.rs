//! The parameters of this machine, measured in a few seconds, as `squeeze doctor --measure` writes them.

use super::clock::time_of;
use super::copy;
use rayon::{ThreadPool, ThreadPoolBuilder};
use squeeze_compiler::target::{CpuHardware, GpuHardware, Hardware, RankLink};
use squeeze_engine::EngineError;
use squeeze_engine::cuda::{DeviceReport, LinkTime, device_count, link_time};
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
    let VectorLoops { bits: vector_bits, registers, adding, waiting, loading } = vectors();
    let pipes = (OPERATIONS as f64 / seconds_of(adding) / (clock * 1e9)).clamp(0.5, 8.0);
    let (caches, ways) = caches();
    let (popcount_bits, counting) = popcounts();
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
        popcount_bits,
        popcounts: rounded(OPERATIONS as f64 / seconds_of(counting) / (clock * 1e9)).clamp(0.05, 8.0),
        addition: rounded(seconds_of(waiting) / OPERATIONS as f64 * clock * 1e9).clamp(0.5, 10.0),
        loads: rounded(OPERATIONS as f64 / seconds_of(loading) / (clock * 1e9)).clamp(0.5, 8.0),
        ways,
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
        links: links()?,
    }))
}

/// The ways between GPUs: that from the first to the second is measured, if there are two that reach each other's memory.
fn links() -> Result<[RankLink; 2]> {
    let [own, network] = RankLink::OF_GPUS;
    let measured = if device_count().map_err(EngineError::from)? > 1 { link_time(0, 1)? } else { None };
    let of = |time: LinkTime| RankLink {
        start: rounded(time.start * 1e9),
        bandwidth: rounded(time.bandwidth / 1e9),
        is_measured: true,
        ..own
    };
    Ok([measured.map_or(own, of), network])
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

/// The vector registers of this processor: their bits, how many there are, and [`OPERATIONS`] on them.
struct VectorLoops {
    bits: u64,
    registers: u64,
    /// Additions that do not wait for each other.
    adding: fn(),
    /// Additions that do, and exclusive ors, as [`wait`] has them.
    waiting: fn(),
    /// Loads from the first cache.
    loading: fn(),
}

fn vectors() -> VectorLoops {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") {
            return VectorLoops {
                bits: 512,
                registers: 32,
                // SAFETY: the processor has AVX-512.
                adding: || unsafe { x86::add_long() },
                // SAFETY: the processor has AVX-512.
                waiting: || unsafe { x86::wait_long() },
                // SAFETY: the processor has AVX-512.
                loading: || unsafe { x86::load_long() },
            };
        }
        if has!("avx2") {
            return VectorLoops {
                bits: 256,
                registers: 16,
                // SAFETY: the processor has AVX2.
                adding: || unsafe { x86::add_short() },
                // SAFETY: the processor has AVX2.
                waiting: || unsafe { x86::wait_short() },
                // SAFETY: the processor has AVX2.
                loading: || unsafe { x86::load_short() },
            };
        }
        VectorLoops { bits: 128, registers: 16, adding: add, waiting: wait, loading: load }
    }
    #[cfg(not(target_arch = "x86_64"))]
    VectorLoops { bits: 128, registers: 32, adding: add, waiting: wait, loading: load }
}

/// The widest operand whose ones an instruction counts, and [`OPERATIONS`] of these instructions.
fn popcounts() -> (u64, fn()) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vpopcntdq") {
            // SAFETY: the processor has both.
            return (512, || unsafe { x86::count_long() });
        }
        if has!("popcnt") {
            // SAFETY: the processor has the instruction.
            return (64, || unsafe { x86::count_word() });
        }
    }
    (64, count)
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

/// Additions each of which waits for the one before, and as many exclusive ors between them, so that the compiler joins none.
fn wait() {
    let (mut list, step) = std::hint::black_box(([1u64, 2], [3u64, 5]));
    for _ in 0..OPERATIONS / 2 {
        list.iter_mut().zip(step).for_each(|(value, step)| *value = value.wrapping_add(step) ^ step);
    }
    std::hint::black_box(list);
}

/// Loads of two words.
fn load() {
    let list = std::hint::black_box([[1u64, 2]; 64]);
    let mut sums = [[0u64; 2]; TURNS];
    for round in 0..OPERATIONS as usize / TURNS {
        for (i, sum) in sums.iter_mut().enumerate() {
            let loaded = list[(round * TURNS + i) % 64];
            sum.iter_mut().zip(loaded).for_each(|(sum, loaded)| *sum |= loaded);
        }
    }
    std::hint::black_box(sums);
}

/// Counts of ones in words that wait for nothing.
#[inline(always)]
fn count() {
    let mut words = std::hint::black_box([0x9e37_79b9_7f4a_7c15u64; TURNS]);
    for _ in 0..OPERATIONS / TURNS as u64 {
        words.iter_mut().for_each(|word| *word = u64::from(word.count_ones()));
    }
    std::hint::black_box(words);
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
    /// The processor must have AVX-512.
    #[target_feature(enable = "avx512f")]
    pub(crate) unsafe fn wait_long() {
        let (mut value, step) = std::hint::black_box((_mm512_set1_epi64(1), _mm512_set1_epi64(3)));
        for _ in 0..OPERATIONS / 2 {
            value = _mm512_xor_si512(_mm512_add_epi64(value, step), step);
        }
        std::hint::black_box(value);
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

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn wait_short() {
        let (mut value, step) = std::hint::black_box((_mm256_set1_epi64x(1), _mm256_set1_epi64x(3)));
        for _ in 0..OPERATIONS / 2 {
            value = _mm256_xor_si256(_mm256_add_epi64(value, step), step);
        }
        std::hint::black_box(value);
    }

    /// # Safety
    /// The processor must have AVX-512.
    #[target_feature(enable = "avx512f")]
    pub(crate) unsafe fn load_long() {
        let list = std::hint::black_box([_mm512_set1_epi64(1); 4 * TURNS]);
        for _ in 0..OPERATIONS / (4 * TURNS) as u64 {
            for value in &list {
                // SAFETY: the value is there. A volatile load is done each time.
                unsafe { std::ptr::read_volatile(value) };
            }
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn load_short() {
        let list = std::hint::black_box([_mm256_set1_epi64x(1); 4 * TURNS]);
        for _ in 0..OPERATIONS / (4 * TURNS) as u64 {
            for value in &list {
                // SAFETY: the value is there. A volatile load is done each time.
                unsafe { std::ptr::read_volatile(value) };
            }
        }
    }

    /// # Safety
    /// The processor must have AVX-512 with VPOPCNTDQ.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(crate) unsafe fn count_long() {
        let mut values = std::hint::black_box([_mm512_set1_epi64(0x1234_5678); TURNS]);
        for _ in 0..OPERATIONS / TURNS as u64 {
            values.iter_mut().for_each(|value| *value = _mm512_popcnt_epi64(*value));
        }
        std::hint::black_box(values);
    }

    /// # Safety
    /// The processor must have `popcnt`.
    #[target_feature(enable = "popcnt")]
    pub(crate) unsafe fn count_word() {
        super::count();
    }
}

/// A core by what the system tells of it at once, without measurements: its caches, its registers and what they hold. Its rates are taken to be those
/// of a fast one.
pub fn told() -> CpuHardware {
    let (caches, ways) = caches();
    let VectorLoops { bits: vector_bits, registers, .. } = vectors();
    let (popcount_bits, _) = popcounts();
    let usual = CpuHardware { clock: 4.0, pipes: 4.0, cache_bandwidth: 40.0, ..CpuHardware::USUAL };
    CpuHardware { caches, ways, vector_bits, registers, popcount_bits, ..usual }
}

/// The bytes of the three caches and the lines of a set of each, as the system tells of them.
fn caches() -> ([f64; 3], [u64; 3]) {
    let read = |path: &Path| {
        let bytes = files::read(path, 1 << 16, Links::Followed).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    let (mut found, mut ways) = (CACHES, CpuHardware::USUAL.ways);
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
            // A virtual machine may tell of none, and one that has no sets of 1 to 1024.
            let told = entry("ways_of_associativity").and_then(|ways| ways.parse().ok());
            ways[level - 1] = told.filter(|ways| (1..=1024).contains(ways)).unwrap_or(ways[level - 1]);
        }
    }
    // A processor without a third one has as much as its second.
    found[1] = found[1].max(found[0]);
    found[2] = found[2].max(found[1]);
    (found, ways)
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
