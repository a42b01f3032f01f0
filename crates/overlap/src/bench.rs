//! The speed of overlaps, on the CPU and on a GPU: each kernel counts the common ones of all pairs of many rows of bits (the *product*). Beside it
//! stands the kernel's peak, on bits that stay in the first cache or in shared memory.

use crate::cuda::{DeviceRows, GpuKernel, GpuTile, OverlapDevice};
use crate::product::Resident;
use crate::tiles::told;
use crate::{BitRows, Blocking, CountingKernel, Counts};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde_json::json;
use squeeze_bench::peers::{self, Answer};
use squeeze_bench::{copy, time, time_of, user_seconds};
use squeeze_compiler::numbers::digest::mix;
use squeeze_engine::EngineError;
use squeeze_engine::failure::{Error, Result};
use squeeze_host::{memory, numbers};
use std::path::PathBuf;
use std::time::Instant;

/// The default number of rows.
pub const ROWS: usize = 256;
/// The default number of bits of a row.
pub const BITS: u64 = 1 << 20;
/// The shortest repeat in seconds.
const SHORTEST: f64 = 0.004;

/// The times of a kernel on the CPU.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// The kernel.
    pub kernel: CountingKernel,
    /// Seconds of the product on one thread.
    pub alone: f64,
    /// Seconds of the processor for it, the mean of all repeats.
    pub user: f64,
    /// Seconds of the product on all threads.
    pub together: f64,
    /// Bits of pairs per second on one thread, with rows that stay in the first cache.
    pub in_cache: f64,
    /// The blocks that the model chose, beside the best of a search.
    pub search: TileSearch,
}

/// The model's blocks beside the best of a search over every shape of a kernel, k_c and m_c, in user time of one thread.
#[derive(Clone, Copy, Debug)]
pub struct TileSearch {
    /// The blocks that the model chooses.
    pub chosen: Blocking,
    /// The best that were found.
    pub best: Blocking,
    /// Bits of pairs per second of either.
    pub rates: [f64; 2],
    /// How many were tried.
    pub tried: usize,
}

impl TileSearch {
    /// The model's rate over the best one.
    pub fn ratio(&self) -> f64 {
        self.rates[0] / self.rates[1]
    }

    /// Tries all, and then the best in turn with the model's, for about `seconds` seconds each. Of long rows the first columns are counted.
    fn of(rows: &BitRows, kernel: CountingKernel, seconds: f64) -> TileSearch {
        let (count, length) = (rows.rows(), rows.length());
        let chosen = Blocking::chosen(kernel, told(), count, length);
        let mut all = Blocking::considered(kernel, told(), count, length);
        all.retain(|blocking| *blocking != chosen);
        // Each takes its share of the time.
        let length = length.min(most_columns(count, seconds / (2 * all.len() + 1) as f64));
        let pairs = work(count, COLUMN);
        let repeats = (SEARCHED * SHORTEST.min(seconds / 100.0) / pairs / length as f64).ceil() as u32;
        let timed = |blocking: &Blocking| {
            let mut counts = Counts::new(count);
            let begin = user_seconds();
            (0..repeats).for_each(|_| counts.add_columns(rows, kernel, *blocking, length));
            std::hint::black_box(&counts);
            user_seconds() - begin
        };
        let time_all = |list: Vec<Blocking>| list.into_iter().map(|blocking| (timed(&blocking), blocking));
        let mut tried: Vec<(f64, Blocking)> = time_all(all).collect();
        let faster = |a: &(f64, Blocking), b: &(f64, Blocking)| a.0.total_cmp(&b.0);
        tried.sort_by(faster);
        // Blocks of half and of twice as many rows, of the best and the chosen.
        let near: Vec<Blocking> =
            [chosen].into_iter().chain(tried.iter().take(FINALISTS).map(|tried| tried.1)).collect();
        let near = near
            .into_iter()
            .flat_map(|near| [near.rows / 2, 2 * near.rows].into_iter().map(move |rows| Blocking { rows, ..near }));
        tried.extend(time_all(near.filter(|near| (1..=count).contains(&near.rows)).collect()));
        tried.sort_by(faster);
        let number = tried.len() + 1;
        tried.truncate(FINALISTS);
        tried.push((f64::INFINITY, chosen));
        let begin = Instant::now();
        for round in 0..MOST_ROUNDS {
            if round > 2 && begin.elapsed().as_secs_f64() > seconds {
                break;
            }
            tried.iter_mut().for_each(|(time, blocking)| *time = time.min(timed(blocking)));
        }
        let (of_chosen, _) = tried[tried.len() - 1];
        // Equal ones are the model's.
        let (of_best, best) = tried.into_iter().rev().min_by(faster).expect("the chosen one");
        let bits = f64::from(repeats) * pairs * length as f64;
        TileSearch { chosen, best, rates: [of_chosen, of_best].map(|time| bits / time), tried: number }
    }
}

/// Bits of pairs that are counted in a second, roughly: it decides how much is counted at a time.
const SEARCHED: f64 = 5e11;
/// The bits of a row in a column of [`BitRows::length`].
const COLUMN: u64 = 512;

/// How many columns of `rows` rows are counted in about `seconds` seconds: a block of 512 at least.
fn most_columns(rows: usize, seconds: f64) -> usize {
    (SEARCHED * seconds / work(rows, COLUMN)).max(512.0) as usize
}

/// How many of a search are timed again, in turn.
const FINALISTS: usize = 4;
/// The most rounds of that.
const MOST_ROUNDS: usize = 50;

/// The times of all kernels on the CPU.
#[derive(Clone, Debug)]
pub struct OverlapTimes {
    /// The number of rows.
    pub rows: usize,
    /// The bits of a row.
    pub bits: u64,
    /// The threads of [`Rate::together`].
    pub threads: usize,
    /// Each kernel that the processor has, the fastest first.
    pub rates: Vec<Rate>,
    /// The peers' times for the same product.
    pub answers: Vec<Answer>,
}

/// The bits of pairs in a product: each pair of rows counts once, and each row makes a pair with itself.
pub fn work(rows: usize, bits: u64) -> f64 {
    rows as f64 * (rows + 1) as f64 / 2.0 * bits as f64
}

impl OverlapTimes {
    /// Seconds of the product on one thread without vectors: by the instruction `popcnt`, or by portable code if the processor lacks it.
    pub fn scalar(&self) -> Option<f64> {
        let of = |kernel: CountingKernel| self.rates.iter().find(|rate| rate.kernel == kernel).map(|rate| rate.alone);
        of(CountingKernel::Popcnt).or(of(CountingKernel::Portable))
    }
}

/// Rows of random bits.
pub fn random(rows: usize, bits: u64) -> BitRows {
    let mut random = BitRows::new(rows, bits);
    random.each_row().enumerate().for_each(|(number, mut row)| {
        let word = |at: u64| mix(number as u64 * bits.div_ceil(64) + at).to_le_bytes();
        let mut bytes: Vec<u8> = (0..bits.div_ceil(64)).flat_map(word).collect();
        bytes.truncate(bits.div_ceil(8) as usize);
        row.set(&bytes);
    });
    random
}

/// Refuses a product that needs more memory than is available.
fn expect_room(rows: usize, bits: u64, needed: u64, available: u64) -> Result<()> {
    if needed <= available {
        return Ok(());
    }
    let [needed, available] = [needed, available].map(|bytes| numbers::bytes(bytes as f64));
    Err(Error::system(format!("{rows} rows of {bits} bits need {needed} of memory, and {available} are there")))
}

/// Measures the product of `rows` rows of `bits` bits, each kernel for about `seconds` seconds, and asks peers.
///
/// # Errors
/// If the system refuses threads, or there is too little memory.
pub fn measure(
    rows: usize,
    bits: u64,
    threads: usize,
    seconds: f64,
    scripts: &[PathBuf],
    begin: impl Fn(&str),
) -> Result<OverlapTimes> {
    let pool = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|error| Error::system(format!("no threads: {error}")))
    };
    // Counts take 8 bytes a pair of rows; the rest is for the threads' sums.
    let needed = BitRows::bytes(rows, bits).saturating_add(32 * (rows as u64).saturating_mul(rows as u64));
    expect_room(rows, bits, needed, memory::available())?;
    let (one, all) = (pool(1)?, pool(threads)?);
    let random = all.install(|| random(rows, bits));
    let part = seconds / 3.0;
    let clocked = |work: &mut dyn FnMut()| time_of(SHORTEST.min(part), part, work).median;
    // Of long rows the first columns are counted: their time tells that of all.
    let length = random.length();
    let counted = length.min(most_columns(rows, seconds));
    let share = length as f64 / counted as f64;
    let mut rates = Vec::new();
    for kernel in CountingKernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        begin(kernel.name());
        let chosen = Blocking::chosen(kernel, told(), rows, length);
        let mut times = 0u32;
        let product = |times: &mut u32| {
            *times += 1;
            let mut counts = Counts::new(rows);
            counts.add_columns(&random, kernel, chosen, counted);
            drop(std::hint::black_box(counts));
        };
        let before = user_seconds();
        let alone = one.install(|| clocked(&mut || product(&mut times))) * share;
        let user = (user_seconds() - before) / f64::from(times) * share;
        let together = if threads == 1 { alone } else { all.install(|| clocked(&mut || product(&mut times))) * share };
        let search = one.install(|| TileSearch::of(&random, kernel, seconds));
        let resident = Resident::new(kernel, search.chosen);
        let rounds = clocked(&mut || _ = std::hint::black_box(resident.count(64)));
        let in_cache = 64.0 * resident.bits() / rounds;
        rates.push(Rate { kernel, alone, user, together, in_cache, search });
    }
    // Makes room for the peers.
    drop(random);
    let answers = ask(scripts, rows, bits, seconds, &begin);
    Ok(OverlapTimes { rows, bits, threads, rates, answers })
}

/// The times of one kernel of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct GpuRate {
    /// The kernel.
    pub kernel: GpuKernel,
    /// Seconds of the product, with the rows on the device.
    pub seconds: f64,
    /// The peak rate of the kernel's instruction on the tensor cores, in bits of pairs per second on data in shared memory; `None` for other kernels.
    pub most: Option<f64>,
    /// Whether its counts equal the processor's, with tiles of each size.
    pub agrees: bool,
    /// The tile that the model chose, beside the best of a search.
    pub search: GpuSearch,
}

/// The model's tile beside the best of a search over all rows of tiles and many lengths of pieces.
#[derive(Clone, Copy, Debug)]
pub struct GpuSearch {
    /// The tile that the model chooses.
    pub chosen: GpuTile,
    /// The best that was found.
    pub best: GpuTile,
    /// Seconds of either.
    pub seconds: [f64; 2],
    /// How many were tried.
    pub tried: usize,
}

impl GpuSearch {
    /// The model's rate over the best one.
    pub fn ratio(&self) -> f64 {
        self.seconds[1] / self.seconds[0]
    }

    /// Tries all, and then the best in turn with the model's, for about `seconds` seconds in all.
    fn of(device: &OverlapDevice, kernel: GpuKernel, rows: &DeviceRows, seconds: f64) -> Result<GpuSearch> {
        let chosen = device.tile(kernel, rows);
        let all = device.considered(kernel, rows);
        let part = seconds / all.len() as f64 / 2.0;
        let timed = |tile: &GpuTile, seconds: f64| -> Result<f64> {
            let repeated = device.repeated(kernel, *tile, rows)?;
            Ok(time(1, seconds.min(SHORTEST) / 2.0, seconds, repeated)?.min)
        };
        let mut tried = Vec::new();
        for tile in all {
            tried.push((timed(&tile, part)?, tile));
        }
        let number = tried.len();
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        tried.truncate(FINALISTS);
        tried.push((f64::INFINITY, chosen));
        tried.iter_mut().for_each(|(time, _)| *time = f64::INFINITY);
        for _ in 0..3 {
            for (time, tile) in &mut tried {
                *time = time.min(timed(tile, part)?);
            }
        }
        let of_chosen = tried[tried.len() - 1].0;
        // Equal ones are the model's.
        let (of_best, best) = tried.into_iter().rev().min_by(|a, b| a.0.total_cmp(&b.0)).expect("the chosen one");
        Ok(GpuSearch { chosen, best, seconds: [of_chosen, of_best], tried: number })
    }
}

/// The times of all kernels of a GPU.
#[derive(Clone, Debug)]
pub struct GpuOverlaps {
    /// The device.
    pub device: String,
    /// The number of rows.
    pub rows: usize,
    /// The bits of a row.
    pub bits: u64,
    /// Each kernel that the device has, the fastest first.
    pub rates: Vec<GpuRate>,
    /// Seconds in which the device reads the rows once: half the time of a copy of the rows.
    pub reading: Option<f64>,
    /// The peers' times for the same product.
    pub answers: Vec<Answer>,
}

/// Rounds of the instruction in a measurement of the peak rate.
const ROUNDS: u32 = 4096;

/// Measures the product on the first GPU, each kernel for about `seconds` seconds, compares its counts with the processor's, and asks peers.
///
/// # Errors
/// Without a driver, a device or NVRTC, and if one of them fails or has too little memory.
pub fn measure_gpu(
    rows: usize,
    bits: u64,
    seconds: f64,
    scripts: &[PathBuf],
    begin: impl Fn(&str),
) -> Result<GpuOverlaps> {
    let device = OverlapDevice::first()?;
    expect_room(rows, bits, BitRows::bytes(rows, bits), device.room(rows)?.min(memory::available()))?;
    let random = random(rows, bits);
    begin("processor");
    let expected = Counts::of(&random, CountingKernel::best());
    let on_device = random.on(&device)?;
    let mut rates = Vec::new();
    for kernel in device.kernels() {
        begin(kernel.name());
        let mut agrees = true;
        for shape in kernel.shapes(rows) {
            // Among the tiles of a size, any.
            let tiles = device.considered(kernel, &on_device);
            let tile = tiles.into_iter().find(|tile| [tile.own, tile.others] == shape).expect("it is considered");
            let mut counts = Counts::new(rows);
            counts.add_counted(device.count(kernel, tile, &on_device)?, bits);
            agrees &= counts == expected;
        }
        let repeated = device.repeated(kernel, device.tile(kernel, &on_device), &on_device)?;
        let timing = time(1, 4.0 * SHORTEST, seconds, repeated)?;
        let search = GpuSearch::of(&device, kernel, &on_device, seconds)?;
        let peak = match device.spin(kernel, 1)? {
            None => None,
            Some(_) => {
                let mut counted = 0.0;
                let timing = time(1, 4.0 * SHORTEST, seconds, |times| {
                    (0..times).try_for_each(|_| {
                        counted = device.spin(kernel, ROUNDS)?.unwrap_or(0.0);
                        Ok::<(), EngineError>(())
                    })
                })?;
                Some(counted / timing.median)
            }
        };
        rates.push(GpuRate { kernel, seconds: timing.median, most: peak, agrees, search });
    }
    drop(on_device);
    begin("copy");
    let reading = copy::seconds_on_device(2.0 * rows as f64 * bits as f64 / 8.0, seconds)?.map(|seconds| seconds / 2.0);
    drop(random);
    let answers = ask(scripts, rows, bits, seconds, &begin);
    Ok(GpuOverlaps { device: device.name(), rows, bits, rates, reading, answers })
}

/// Asks peers for the seconds of one product, which they answer as `seconds_per_step`.
fn ask(scripts: &[PathBuf], rows: usize, bits: u64, seconds: f64, begin: &impl Fn(&str)) -> Vec<Answer> {
    let question = json!({"overlap": {"rows": rows, "bits": bits}, "memory": memory::available(), "seconds": seconds});
    let answer = |script: &PathBuf| {
        begin(&script.display().to_string());
        peers::ask(script, &question, peers::TIME_LIMIT)
    };
    scripts.iter().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_are_measured() {
        let overlaps = measure(9, 3000, 2, 0.01, &[], |_| ()).unwrap();
        assert_eq!(overlaps.rates.last().unwrap().kernel, CountingKernel::Portable);
        assert!(overlaps.rates.iter().all(|rate| rate.alone > 0.0 && rate.together > 0.0 && rate.in_cache > 0.0));
        assert!(overlaps.rates.iter().all(|rate| rate.search.ratio() <= 1.0 && rate.search.tried > 1));
        assert!(overlaps.scalar().unwrap() > 0.0 && work(overlaps.rows, overlaps.bits) == 45.0 * 3000.0);
        assert!(measure(1 << 20, 1 << 40, 1, 0.01, &[], |_| ()).is_err());
    }
}
