//! Arrays packed by masks on a GPU.
//!
//! A warp takes 32 words of the mask at a time, a *tile* of 1024 places. Tables hold the number of cells before it: 16 bits for each tile, counted from
//! its *chunk* of 65536 places, and 32 bits for each chunk. So values are read and written in order, and no cell is searched for in a dense tile.

use super::abi::Tiles;
use super::packing_kernels;
use crate::packer::expect;
use crate::{Mask, Packer};
use squeeze_engine::cuda::CudaError;
use squeeze_engine::cuda::kit::{Arguments, Blocks, Device, KernelCache, Memory, Module, Nvrtc, load};
use squeeze_engine::{Result, failure};
use std::sync::Arc;

/// Threads of a block, where that does not vary.
pub(super) const THREADS: u32 = 256;
/// Words of a tile and of a chunk, as in the kernels.
const TILE: u64 = 32;
const CHUNK: u64 = 64 * TILE;

/// The first device, ready to pack.
pub struct PackDevice {
    pub(super) device: Arc<Device>,
    module: Module,
}

/// A mask in the memory of a device, and how many cells come before its tiles.
pub(crate) struct DeviceMask {
    /// Padded to whole chunks.
    pub(super) words: Memory,
    before: Memory,
    pub(super) chunks: Memory,
    pub(super) places: u64,
    pub(super) cells: u64,
}

impl DeviceMask {
    /// A mask without cells.
    pub(super) fn new(device: &Arc<Device>, places: u64) -> Result<DeviceMask, CudaError> {
        let chunks = places.div_ceil(32 * CHUNK);
        Ok(DeviceMask {
            words: Memory::zeroed(device, 4 * CHUNK * chunks)?,
            before: Memory::zeroed(device, 2 * (CHUNK / TILE) * chunks)?,
            chunks: Memory::zeroed(device, 4 * (chunks + 1).next_multiple_of(16))?,
            places,
            cells: 0,
        })
    }

    /// How many chunks there are.
    pub(super) fn count(&self) -> u64 {
        self.places.div_ceil(32 * CHUNK)
    }

    pub(super) fn tiles(&self) -> Tiles {
        Tiles {
            mask: self.words.address(),
            before: self.before.address(),
            chunks: self.chunks.address(),
            count: self.places.div_ceil(32 * TILE),
        }
    }

    /// Blocks of `threads` threads whose warps take a tile each.
    pub(super) fn warps(&self, threads: u32) -> Result<Blocks> {
        Blocks::of_threads(32 * self.places.div_ceil(32 * TILE), threads)
    }
}

impl PackDevice {
    /// Compiles the kernels for the first device.
    ///
    /// # Errors
    /// Without a driver, a device or NVRTC, and if one of them fails.
    pub fn first() -> Result<PackDevice> {
        PackDevice::with(&packing_kernels())
    }

    /// As [`first`](Self::first), with kernels besides those that pack.
    pub(super) fn with(text: &str) -> Result<PackDevice> {
        let (device, nvrtc) = (Device::first()?, Nvrtc::find()?);
        let module = load(&device, &nvrtc, &KernelCache::usual(), text)?;
        Ok(PackDevice { device, module })
    }

    /// The device's name.
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// Copies the words of a mask of `places` places to the device and counts its cells.
    fn mask(&self, words: &[u32], places: u64) -> Result<DeviceMask> {
        let mut mask = DeviceMask::new(&self.device, places)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        mask.words.upload(0, &bytes)?;
        self.count_cells(&mut mask)?;
        Ok(mask)
    }

    /// Counts the cells of a mask whose words are there.
    pub(super) fn count_cells(&self, mask: &mut DeviceMask) -> Result<()> {
        self.start_rank(mask, THREADS)?;
        let mut cells = [0; 4];
        mask.chunks.download(4 * mask.count() as usize, &mut cells)?;
        mask.cells = u32::from_le_bytes(cells).into();
        Ok(())
    }

    /// Starts to count the cells before all tiles, by blocks of `threads` threads.
    pub(super) fn start_rank(&self, mask: &DeviceMask, threads: u32) -> Result<()> {
        let arguments = (mask.words.address(), mask.before.address(), mask.chunks.address());
        let blocks = Blocks::of_threads(mask.count() * u64::from(threads), threads)?;
        // SAFETY: the arguments are those of the kernel, which takes a chunk a block; all tables have room for the chunks.
        unsafe { self.start("count_tiles", blocks, arguments)? };
        self.start_sums(&mask.chunks, mask.count())
    }

    /// Starts to sum up what chunks have.
    pub(super) fn start_sums(&self, chunks: &Memory, count: u64) -> Result<()> {
        let arguments = (chunks.address(), count as u32);
        // SAFETY: the arguments are those of the kernel, and there is room for a multiple of 16 beyond the chunks.
        unsafe { self.start("sum_chunks", Blocks::new(1, 1024)?, arguments) }
    }

    /// Starts to pack elements of 1, 2, 4, 8 or 16 bytes from one array of all places into one of the cells.
    ///
    /// # Panics
    /// If an array is too short.
    pub(crate) fn start_pack(
        &self,
        mask: &DeviceMask,
        size: usize,
        values: &Memory,
        packed: &Memory,
        threads: u32,
    ) -> Result<()> {
        assert!(values.len() as u64 >= size as u64 * mask.places, "values of all places");
        assert!(packed.len() as u64 >= size as u64 * mask.cells, "values of the cells");
        let arguments = (mask.tiles(), values.address(), packed.address());
        // SAFETY: the arguments are those of the kernel, and both arrays have room for as many values.
        unsafe { self.start(&format!("pack_{size}"), mask.warps(threads)?, arguments) }
    }

    /// Starts to write elements of such sizes from an array of the cells into one of all places, `hole` where there is no cell.
    ///
    /// # Panics
    /// If an array is too short.
    pub(crate) fn start_unpack(
        &self,
        mask: &DeviceMask,
        size: usize,
        (packed, hole): (&Memory, &Memory),
        values: &Memory,
        threads: u32,
    ) -> Result<()> {
        assert!(values.len() as u64 >= size as u64 * mask.places, "values of all places");
        assert!(packed.len() as u64 >= size as u64 * mask.cells && hole.len() >= size, "values of the cells");
        let arguments = (mask.tiles(), packed.address(), values.address(), mask.places, hole.address());
        // SAFETY: as in `start_pack`; the hole has the size of an element.
        unsafe { self.start(&format!("unpack_{size}"), mask.warps(threads)?, arguments) }
    }

    /// Copies values to the device.
    fn values(&self, bytes: &[u8]) -> Result<Memory> {
        let values = Memory::zeroed(&self.device, bytes.len() as u64)?;
        values.upload(0, bytes)?;
        Ok(values)
    }

    fn fetch(&self, values: &Memory) -> Result<Vec<u8>> {
        self.device.synchronize()?;
        let mut bytes = vec![0; values.len()];
        values.download(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Starts a kernel by its name.
    ///
    /// # Safety
    /// As for [`Function::launch`](squeeze_engine::cuda::kit::Function::launch).
    pub(super) unsafe fn start(&self, name: &str, blocks: Blocks, arguments: impl Arguments) -> Result<()> {
        if blocks.count == 0 {
            return Ok(());
        }
        let function = self.module.function(name)?;
        // SAFETY: as the caller says.
        unsafe { function.launch(blocks, arguments)? };
        Ok(())
    }
}

impl Packer for PackDevice {
    fn pack(&self, mask: &Mask, size: usize, values: &[u8]) -> failure::Result<Vec<u8>> {
        expect(size, values.len(), mask.places(), "places")?;
        let mask = self.mask(mask.words(), mask.places())?;
        let (all, packed) = (self.values(values)?, Memory::zeroed(&self.device, size as u64 * mask.cells)?);
        self.start_pack(&mask, size, &all, &packed, THREADS)?;
        Ok(self.fetch(&packed)?)
    }

    fn unpack(&self, mask: &Mask, hole: &[u8], packed: &[u8]) -> failure::Result<Vec<u8>> {
        expect(hole.len(), packed.len(), mask.cells(), "cells")?;
        let mask = self.mask(mask.words(), mask.places())?;
        let all = Memory::zeroed(&self.device, hole.len() as u64 * mask.places)?;
        let (packed, none) = (self.values(packed)?, self.values(hole)?);
        self.start_unpack(&mask, hole.len(), (&packed, &none), &all, THREADS)?;
        Ok(self.fetch(&all)?)
    }
}
