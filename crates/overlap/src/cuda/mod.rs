//! Common ones of rows of bits, counted on a GPU: by tensor cores if they multiply bits, else word by word.
//!
//! A launch has a block for each pair of tiles of rows and each piece of their columns; `tiles` chooses both. Counts of blocks are added up in integers, whose
//! order does not matter.

mod tiles;
mod wgmma;

pub use self::tiles::GpuTile;
use self::tiles::{FEW_ROWS, SHARING, tiles};
use self::wgmma::Wgmma;
use squeeze_compiler::target::{GpuHardware, Hardware};
use squeeze_engine::Result;
use squeeze_engine::cuda::CudaError;
use squeeze_engine::cuda::kit::{Blocks, Device, Function, KernelCache, Memory, Nvrtc, RESERVE, load};
use squeeze_records::hardware::NamedHardware;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// The kernel that counts what rows of bits have in common, for any architecture.
const POPC: &str = include_str!("../../templates/popc.cu");
/// The same by tensor cores that multiply bits: architectures 8.0 to 9.0.
const MMA: &str = include_str!("../../templates/mma.cu");
/// The kernels for architecture 9.0 with its own features: `sm_90a`.
pub const WGMMA: &str = include_str!("../../templates/wgmma.cu");

/// The bytes of a step of both kernels: rows are whole numbers of them.
const STEP: u64 = 64;

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

    /// All of them, the fastest first.
    pub const ALL: [GpuKernel; 3] = [GpuKernel::Wgmma, GpuKernel::Mma, GpuKernel::Popc];

    /// Its text for tiles of `own` rows, which meet `others`.
    pub fn text(self, [own, others]: [u64; 2]) -> Cow<'static, str> {
        match self {
            // Threads are 16 by 16, warps 4 by 2.
            GpuKernel::Popc => format!("#define PAIRS {}\n{POPC}", own / 16).into(),
            GpuKernel::Mma => {
                format!("#define WARP_HEIGHT {}\n#define WARP_WIDTH {}\n{MMA}", own / 4, others / 2).into()
            }
            GpuKernel::Wgmma => WGMMA.into(),
        }
    }
}

/// The threads of a block of `mma` and `popc`.
const THREADS: u32 = 256;
/// The most rows of a tile: the device keeps a multiple of them, since tiles at the end are read as a whole.
const MOST_ROWS: u64 = 256;

fn padded(rows: usize) -> u64 {
    (rows.max(1) as u64).next_multiple_of(MOST_ROWS)
}

/// The tile of `mma` by which its rate is measured.
const MMA_MEASURED: [u64; 2] = [256, 128];
/// The rows on which tensor cores begin to be worth it: with fewer, reading takes longer than counting.
const FEW: usize = 11;

/// A kernel, the rows of its tiles, and its function.
type LoadedShape = (GpuKernel, [u64; 2], Arc<Function>);

/// The first device, ready to count.
pub struct OverlapDevice {
    device: Arc<Device>,
    nvrtc: Nvrtc,
    cache: KernelCache,
    hardware: GpuHardware,
    /// The measurement of its rate, if it has the kernel.
    mma: Option<Function>,
    wgmma: Option<Wgmma>,
    /// The functions of other kernels, by the rows of their tiles.
    loaded: Mutex<Vec<LoadedShape>>,
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
        // On later architectures what multiplies bits is made of instructions for bytes, and slower than counting words.
        let has_products = (80..=90).contains(&device.architecture()?.0);
        let text = GpuKernel::Mma.text(MMA_MEASURED);
        let mma = match has_products.then(|| load(&device, &nvrtc, &cache, &text)) {
            None => None,
            // A compiler that is older than these instructions.
            Some(Err(CudaError::Nvrtc { .. })) => None,
            Some(module) => Some(module?.function("overlap_mma_rate")?),
        };
        let wgmma = Wgmma::load(&device, &nvrtc, &cache)?;
        let hardware = OverlapDevice::hardware_of(&device)?;
        Ok(OverlapDevice { device, nvrtc, cache, hardware, mma, wgmma, loaded: Mutex::default() })
    }

    /// What tiles are chosen by: an H100 with as many multiprocessors as the device has.
    fn hardware_of(device: &Device) -> Result<GpuHardware> {
        let multiprocessors = device.multiprocessors()?.into();
        match NamedHardware::shipped("h100").map(|named| named.hardware) {
            Some(Hardware::Gpu(gpu)) => Ok(GpuHardware { multiprocessors, ..gpu }),
            _ => unreachable!("its file ships"),
        }
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

    /// The tile for rows.
    pub(crate) fn tile(&self, kernel: GpuKernel, rows: &DeviceRows) -> GpuTile {
        kernel.tile(&self.hardware, rows.rows, 8 * STEP * rows.length)
    }

    /// The tiles that may be worth it.
    pub(crate) fn considered(&self, kernel: GpuKernel, rows: &DeviceRows) -> Vec<GpuTile> {
        kernel.considered(&self.hardware, rows.rows, 8 * STEP * rows.length)
    }

    /// Counts the ones that each row shares with itself and with every later row; the other entries are 0.
    ///
    /// # Errors
    /// If it does not fit, or the device fails.
    pub(crate) fn count(&self, kernel: GpuKernel, tile: GpuTile, rows: &DeviceRows) -> Result<Vec<u64>> {
        let both = Memory::zeroed(&self.device, 8 * (rows.rows * rows.rows) as u64)?;
        self.start(kernel, tile, rows, &both, 1)?;
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

    /// Rows that are counted so many times as is told, which waits.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub(crate) fn repeated<'a>(
        &'a self,
        kernel: GpuKernel,
        tile: GpuTile,
        rows: &'a DeviceRows,
    ) -> Result<impl FnMut(u64) -> Result<()> + 'a> {
        let both = Memory::zeroed(&self.device, 8 * (rows.rows * rows.rows) as u64)?;
        Ok(move |times| self.start(kernel, tile, rows, &both, times))
    }

    /// The function for tiles of this shape.
    fn function(&self, kernel: GpuKernel, shape: [u64; 2]) -> Result<Arc<Function>> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., function)) = loaded.iter().find(|(of, rows, _)| (*of, *rows) == (kernel, shape)) {
            return Ok(Arc::clone(function));
        }
        let module = load(&self.device, &self.nvrtc, &self.cache, &kernel.text(shape))?;
        let name = if kernel == GpuKernel::Mma { "overlap_mma" } else { "overlap_popc" };
        let function = Arc::new(module.function(name)?);
        loaded.push((kernel, shape, Arc::clone(&function)));
        Ok(function)
    }

    fn start(&self, kernel: GpuKernel, tile: GpuTile, rows: &DeviceRows, both: &Memory, times: u64) -> Result<()> {
        if let (GpuKernel::Wgmma, Some(wgmma)) = (kernel, &self.wgmma) {
            return wgmma.start(&self.device, tile, rows, both, times);
        }
        let shape = [tile.own, tile.others];
        let function = self.function(kernel, shape)?;
        let tiles = tiles(rows.rows as u64, shape);
        let pairs = tiles.len() as u32 / 2;
        let blocks = Blocks::new(tile.blocks, THREADS)?;
        let tiles = Memory::of(&self.device, &tiles)?;
        // One kernel goes by pieces of 16 bytes and steps, the other by words of 4 bytes.
        let [stride, length, piece] = match kernel {
            GpuKernel::Mma => [rows.stride / 16, rows.length, tile.columns / (8 * STEP)],
            _ => [rows.stride / 4, rows.length * STEP / 4, tile.columns / 32],
        };
        let of_rows = (rows.memory.address(), stride, rows.rows as u32);
        let arguments = (of_rows, tiles.address(), pairs, length, piece, both.address());
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
            (GpuKernel::Mma, _, Some(function)) => function,
            _ => return Ok(None),
        };
        let [height, width] = MMA_MEASURED;
        let count = 4 * u64::from(self.device.multiprocessors()?);
        let out = Memory::zeroed(&self.device, 4 * count * u64::from(THREADS))?;
        // SAFETY: the arguments are those of the kernel, and each thread has a word, which lives until the device was waited for.
        unsafe { function.launch(Blocks::new(count, THREADS)?, (rounds, out.address()))? };
        self.device.synchronize()?;
        Ok(Some(count as f64 * f64::from(rounds) * (height * width * 8 * STEP) as f64))
    }
}
