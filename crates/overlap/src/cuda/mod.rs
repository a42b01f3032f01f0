//! Common ones of rows of bits, counted on a GPU: by tensor cores if they multiply bits, else word by word.
//!
//! A launch has a block for each pair of tiles of rows and each piece of their columns: enough of them that multiprocessors are busy to the end. Counts of blocks
//! are added up in integers, whose order does not matter.

mod wgmma;

use self::wgmma::Wgmma;
use squeeze_engine::Result;
use squeeze_engine::cuda::CudaError;
use squeeze_engine::cuda::kit::{Blocks, Device, Function, KernelCache, Memory, Nvrtc, RESERVE, load};
use std::sync::Arc;

/// The kernel that counts what rows of bits have in common, for any architecture.
pub const POPC: &str = include_str!("../../templates/popc.cu");
/// The same by tensor cores that multiply bits: architectures 8.0 to 9.0.
pub const MMA: &str = include_str!("../../templates/mma.cu");
/// The kernels for architecture 9.0 with its own features: `sm_90a`.
pub const WGMMA: &str = include_str!("../../templates/wgmma.cu");

/// The bytes of a step of both kernels: rows are whole numbers of them.
const STEP: u64 = 64;
/// Blocks for each multiprocessor: with fewer, some wait for the last.
const WAVES: u64 = 16;

/// A kernel that counts on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuKernel {
    /// Tensor cores of architecture 9.0, by the instructions with their full rate.
    Wgmma,
    /// Tensor cores that multiply bits: architectures 8.0 to 9.0.
    Mma,
    /// One word at a time.
    Popc,
}

impl GpuKernel {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            GpuKernel::Wgmma => "wgmma",
            GpuKernel::Mma => "mma",
            GpuKernel::Popc => "popc",
        }
    }
}

/// The rows of a tile on either side of the product, for `mma` and for `popc`.
const MMA_TILE: (u64, u64) = (256, 128);
const POPC_TILE: (u64, u64) = (32, 32);
/// The threads of a block of both.
const THREADS: u32 = 256;
/// The most steps of a piece: sums of 32 bits hold them.
const MOST_STEPS: u64 = (1 << 30) / (8 * STEP);

/// How many rows the device keeps for these: tiles at the end are read as a whole.
fn padded(rows: usize) -> u64 {
    (rows.max(1) as u64).next_multiple_of(MMA_TILE.0)
}

/// The pairs of tiles of `rows` rows, by their first rows: those with pairs of rows whose first comes first.
fn tiles(rows: u64, height: u64, width: u64) -> Vec<u32> {
    let mut tiles = Vec::new();
    for first in (0..rows).step_by(height as usize) {
        for second in (0..rows).step_by(width as usize).filter(|second| *second >= first) {
            tiles.extend([first as u32, second as u32]);
        }
    }
    tiles
}

/// How a GPU cuts a product: tiles of rows on either side, and pieces of columns, so many that all multiprocessors are busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuTile {
    /// Rows of a tile.
    pub own: u64,
    /// Rows that they meet.
    pub others: u64,
    /// Columns of a piece.
    pub columns: u64,
    /// Blocks of threads in a launch.
    pub blocks: u64,
}

impl GpuKernel {
    /// All of them, the fastest first.
    pub const ALL: [GpuKernel; 3] = [GpuKernel::Wgmma, GpuKernel::Mma, GpuKernel::Popc];

    /// How `multiprocessors` of them count `rows` rows of `bits` bits.
    pub fn tile(self, multiprocessors: u64, rows: usize, bits: u64) -> GpuTile {
        let length = bits.div_ceil(8).div_ceil(STEP).max(1);
        if self == GpuKernel::Wgmma {
            return wgmma::tile(multiprocessors, rows, length);
        }
        let (own, others) = if self == GpuKernel::Popc { POPC_TILE } else { MMA_TILE };
        let pairs = tiles(rows as u64, own, others).len() as u64 / 2;
        let piece = piece(multiprocessors, pairs, length);
        GpuTile { own, others, columns: 8 * STEP * piece, blocks: pairs * length.div_ceil(piece) }
    }
}

/// The steps of a piece: [`WAVES`] blocks for each multiprocessor.
fn piece(multiprocessors: u64, pairs: u64, length: u64) -> u64 {
    length.div_ceil((WAVES * multiprocessors).div_ceil(pairs.max(1))).clamp(1, MOST_STEPS)
}

/// The rows on which tensor cores begin to be worth it: with fewer, reading takes longer than counting.
const FEW: usize = 11;

/// The first device, ready to count.
pub struct OverlapDevice {
    device: Arc<Device>,
    popc: Function,
    mma: Option<(Function, Function)>,
    wgmma: Option<Wgmma>,
}

/// Rows of bits in the memory of a device.
pub(crate) struct DeviceRows {
    memory: Memory,
    rows: usize,
    /// Bytes from one row to the next, and those that hold bits, in steps.
    stride: u64,
    length: u64,
}

impl DeviceRows {
    /// Whether [`GpuKernel::Wgmma`] counts in words of 32 bits, which hold what rows so short have in common; rows of counts are even numbers of
    /// them. All other kernels count in words of 64 bits.
    fn counts_in_pairs(&self) -> bool {
        self.length < (1 << 32) / (8 * STEP)
    }
}

impl OverlapDevice {
    /// Compiles the kernels for the first device.
    ///
    /// # Errors
    /// Without a driver, a device or NVRTC, and if one of them fails.
    pub fn first() -> Result<OverlapDevice> {
        let (device, nvrtc) = (Device::first()?, Nvrtc::find()?);
        let cache = KernelCache::usual();
        let loaded = |text: &str| load(&device, &nvrtc, &cache, text);
        let popc = loaded(POPC)?.function("overlap_popc")?;
        // On later architectures what multiplies bits is made of instructions for bytes, and slower than counting words.
        let has_products = (80..=90).contains(&device.architecture()?.0);
        let mma = match has_products.then(|| loaded(MMA)) {
            None => None,
            // A compiler that is older than these instructions.
            Some(Err(CudaError::Nvrtc { .. })) => None,
            Some(module) => {
                let module = module?;
                Some((module.function("overlap_mma")?, module.function("overlap_mma_rate")?))
            }
        };
        let wgmma = Wgmma::load(&device, &nvrtc, &cache)?;
        Ok(OverlapDevice { device, popc, mma, wgmma })
    }

    /// The device's name.
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// The kernels that it has.
    pub fn kernels(&self) -> Vec<GpuKernel> {
        let wgmma = self.wgmma.as_ref().map(|_| GpuKernel::Wgmma);
        let mma = self.mma.as_ref().map(|_| GpuKernel::Mma);
        wgmma.into_iter().chain(mma).chain([GpuKernel::Popc]).collect()
    }

    /// The fastest kernel for `rows` rows.
    pub fn best(&self, rows: usize) -> GpuKernel {
        if rows < FEW && self.wgmma.is_none() { GpuKernel::Popc } else { self.kernels()[0] }
    }

    /// The bytes of rows that fit beside their counts.
    ///
    /// # Errors
    /// If the device fails, or has no room for the counts.
    pub fn room(&self, rows: usize) -> Result<u64> {
        let counts = 8 * (rows as u64).saturating_mul(rows as u64);
        let free = self.device.free_memory()?.saturating_sub(RESERVE);
        let room = free.checked_sub(counts).filter(|room| *room > free / 8);
        let room = room.ok_or(CudaError::NoMemory { bytes: counts })?;
        Ok(room / padded(rows) * rows.max(1) as u64)
    }

    /// Copies rows to the device: `rows` of them, each of `stride` bytes, a multiple of 64, of which `length` hold bits.
    ///
    /// # Errors
    /// If they do not fit, or the device fails.
    pub(crate) fn copy(&self, bytes: &[u8], rows: usize, stride: u64, length: u64) -> Result<DeviceRows> {
        let memory = Memory::zeroed(&self.device, padded(rows) * stride)?;
        memory.upload(0, bytes)?;
        Ok(DeviceRows { memory, rows, stride, length: length.div_ceil(STEP) })
    }

    /// Counts the ones that each row shares with itself and with every later row; the other entries are 0.
    ///
    /// # Errors
    /// If it does not fit, or the device fails.
    pub(crate) fn count(&self, kernel: GpuKernel, rows: &DeviceRows) -> Result<Vec<u64>> {
        let both = Memory::zeroed(&self.device, 8 * (rows.rows * rows.rows) as u64)?;
        self.start(kernel, rows, &both, 1)?;
        let mut bytes = vec![0; both.len()];
        both.download(0, &mut bytes)?;
        if kernel == GpuKernel::Wgmma && self.wgmma.is_some() && rows.counts_in_pairs() {
            let row = rows.rows.next_multiple_of(2);
            let counts = bytes.as_chunks::<4>().0.chunks_exact(row).take(rows.rows);
            let counts = counts.flat_map(|counts| &counts[..rows.rows]);
            return Ok(counts.map(|bytes| u64::from(u32::from_le_bytes(*bytes))).collect());
        }
        Ok(bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }

    /// Counts `times` times, and waits.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub(crate) fn repeat(&self, kernel: GpuKernel, rows: &DeviceRows, times: u64) -> Result<()> {
        let both = Memory::zeroed(&self.device, 8 * (rows.rows * rows.rows) as u64)?;
        self.start(kernel, rows, &both, times)
    }

    fn start(&self, kernel: GpuKernel, rows: &DeviceRows, both: &Memory, times: u64) -> Result<()> {
        if let (GpuKernel::Wgmma, Some(wgmma)) = (kernel, &self.wgmma) {
            return wgmma.start(&self.device, rows, both, times);
        }
        let (height, width) = if kernel == GpuKernel::Popc { POPC_TILE } else { MMA_TILE };
        let tiles = tiles(rows.rows as u64, height, width);
        let pairs = tiles.len() as u64 / 2;
        let piece = piece(u64::from(self.device.multiprocessors()?), pairs, rows.length);
        let blocks = Blocks::new(pairs * rows.length.div_ceil(piece), THREADS)?;
        let tiles = Memory::of(&self.device, &tiles)?;
        // One kernel goes by pieces of 16 bytes and steps, the other by words of 4 bytes.
        let (function, [stride, length, piece]) = match (kernel, &self.mma) {
            (GpuKernel::Mma, Some((function, _))) => (function, [rows.stride / 16, rows.length, piece]),
            _ => {
                let words = STEP / 4;
                (&self.popc, [rows.stride / 4, rows.length * words, piece * words])
            }
        };
        let of_rows = (rows.memory.address(), stride, rows.rows as u32);
        let arguments = (of_rows, tiles.address(), pairs as u32, length, piece, both.address());
        for _ in 0..times {
            // SAFETY: the arguments are those of both kernels; rows are there up to whole tiles, counts for all pairs, and all of it lives
            // until the device was waited for.
            unsafe { function.launch(blocks, arguments)? };
        }
        Ok(self.device.synchronize()?)
    }

    /// Measures the peak rate: runs `rounds` of the counting instruction on data in shared memory and returns the number of bits counted. `None` if the kernel
    /// has no such instruction.
    ///
    /// # Errors
    /// If the device fails.
    pub(crate) fn spin(&self, kernel: GpuKernel, rounds: u32) -> Result<Option<f64>> {
        let function = match (kernel, &self.wgmma, &self.mma) {
            (GpuKernel::Wgmma, Some(wgmma), _) => return wgmma.spin(&self.device, rounds).map(Some),
            (GpuKernel::Mma, _, Some((_, function))) => function,
            _ => return Ok(None),
        };
        let (height, width) = MMA_TILE;
        let count = 4 * u64::from(self.device.multiprocessors()?);
        let out = Memory::zeroed(&self.device, 4 * count * u64::from(THREADS))?;
        // SAFETY: the arguments are those of the kernel, and each thread has a word, which lives until the device was waited for.
        unsafe { function.launch(Blocks::new(count, THREADS)?, (rounds, out.address()))? };
        self.device.synchronize()?;
        Ok(Some(count as f64 * f64::from(rounds) * (height * width * 8 * STEP) as f64))
    }
}
