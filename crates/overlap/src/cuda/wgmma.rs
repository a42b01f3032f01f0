//! Overlaps by the tensor cores of architecture 9.0, which take rows from shared memory, where the copy engine puts them.
//!
//! Tiles on the diagonal are counted as a whole: 6% of the work at 4096 rows, 25% at 1024.

use super::{DeviceRows, FEW_ROWS, GpuTile, SHARING, STEP, WGMMA, tiles};
use cudarc::driver::sys::{
    CUfunction_attribute, CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave,
    CUtensorMapL2promotion, CUtensorMapSwizzle, cuFuncSetAttribute, cuTensorMapEncodeTiled,
};
use squeeze_engine::Result;
use squeeze_engine::cuda::CudaError;
use squeeze_engine::cuda::kit::{
    Architecture, Argument, Blocks, Device, Function, KernelCache, Memory, Nvrtc, check, has, load_own,
};
use std::ffi::c_void;
use std::sync::Arc;

/// The only architecture with these instructions.
const ARCHITECTURE: Architecture = Architecture(90);
/// Functions of the driver that only this kernel calls.
const FUNCTIONS: &[&str] = &["cuTensorMapEncodeTiled", "cuFuncSetAttribute"];

/// Bytes of a row in a step, and rows that are copied at a time, as the kernels have them.
const DEPTH: u64 = 128;
const BOX: u32 = 64;
/// The rows of a tile on either side where rows are many.
const WIDTH: u64 = 256;
/// The threads of a block.
const THREADS: u32 = 288;
/// Bytes of shared memory of a block: four stages of 128 rows and 256 others, and the same of a kernel for few rows; both begin at a
/// multiple of 1024.
const SHARED: u32 = 4 * (128 + 256) * 128 + 1024;
const FEW_SHARED: u32 = 192 * 1024 + 1024;
/// The kernels of this architecture.
pub(super) struct Wgmma {
    all: Function,
    /// For up to 64 rows, and up to 128.
    few: [Function; 2],
    rate: Function,
}

impl Wgmma {
    /// Compiles them; `None` if the device, the driver or NVRTC does not have what they need.
    pub(super) fn load(device: &Arc<Device>, nvrtc: &Nvrtc, cache: &KernelCache) -> Result<Option<Wgmma>> {
        if device.architecture()? != ARCHITECTURE || !has(FUNCTIONS) {
            return Ok(None);
        }
        let module = match load_own(device, nvrtc, cache, WGMMA) {
            // A compiler may be older than these instructions.
            Err(CudaError::Nvrtc { .. } | CudaError::NoArchitecture { .. }) => return Ok(None),
            module => module?,
        };
        let of = |name, bytes: u32| -> Result<Function> {
            let function = module.function(name)?;
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function of the driver was found, and the kernel's module lives.
            let result = unsafe { cuFuncSetAttribute(function.kernel(), attribute, bytes as i32) };
            check("asking for shared memory", result)?;
            Ok(function)
        };
        let few = [of("overlap_wgmma_64", FEW_SHARED)?, of("overlap_wgmma_128", FEW_SHARED)?];
        let (all, rate) = (of("overlap_wgmma", SHARED)?, of("overlap_wgmma_rate", SHARED)?);
        Ok(Some(Wgmma { all, few, rate }))
    }

    /// Starts to count `times` times, and waits.
    pub(super) fn start(
        &self,
        device: &Arc<Device>,
        tile: GpuTile,
        rows: &DeviceRows,
        both: &Memory,
        times: u64,
    ) -> Result<()> {
        let map = described(rows)?;
        let (number, length) = (rows.rows as u32, (rows.length * STEP).div_ceil(DEPTH));
        let (piece, in_pairs) = (tile.columns / (8 * DEPTH), u32::from(rows.counts_in_pairs()));
        if tile.own <= FEW_ROWS {
            let larger = tile.own == FEW_ROWS;
            let threads = if larger { THREADS } else { THREADS / 2 + 16 };
            let blocks = Blocks { shared: FEW_SHARED, ..Blocks::new(tile.blocks, threads)? };
            let arguments = (map, number, length, piece, in_pairs, both.address());
            for _ in 0..times {
                let function = &self.few[usize::from(larger)];
                // SAFETY: the arguments are those of both kernels, each block has a step, and rows and counts live until the device was
                // waited for.
                unsafe { function.launch(blocks, arguments)? };
            }
            return Ok(device.synchronize()?);
        }
        let list = tiles(rows.rows as u64, [tile.own, tile.others]);
        let pairs = list.len() as u32 / 2;
        let blocks = Blocks { shared: SHARED, ..Blocks::new(tile.blocks, THREADS)? };
        let list = Memory::of(device, &list)?;
        let arguments = (map, number, list.address(), pairs, length, piece, in_pairs, both.address());
        for _ in 0..times {
            // SAFETY: the arguments are those of the kernel; rows that are not there are read as 0, counts are there for all pairs, no
            // piece is empty, and all of it lives until the device was waited for.
            unsafe { self.all.launch(blocks, arguments)? };
        }
        Ok(device.synchronize()?)
    }

    /// As [`OverlapDevice::spin`](super::OverlapDevice::spin).
    pub(super) fn spin(&self, device: &Arc<Device>, rounds: u32) -> Result<f64> {
        let (count, threads) = (device.multiprocessors()?, 256);
        let out = Memory::zeroed(device, 4 * u64::from(count * threads))?;
        let (blocks, arguments) = (Blocks::new(count.into(), threads)?, (rounds, out.address()));
        // SAFETY: the arguments are those of the kernel, and each thread has a word, which lives until the device was waited for.
        unsafe { self.rate.launch(Blocks { shared: SHARED, ..blocks }, arguments)? };
        device.synchronize()?;
        Ok(f64::from(count) * f64::from(rounds) * (WIDTH / SHARING * WIDTH * 8 * DEPTH) as f64)
    }
}

/// The place of rows in memory, in the form that kernels take.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct TensorMap(CUtensorMap);

// SAFETY: it is the driver's own type.
unsafe impl Argument for TensorMap {}

/// Tells the copy engine where rows are. Places beyond them are 0.
fn described(rows: &DeviceRows) -> Result<TensorMap> {
    let mut map = CUtensorMap { opaque: [0; 16] };
    let sizes = [rows.length * STEP / 8, rows.rows as u64];
    let strides = [rows.stride];
    let (boxes, every) = ([DEPTH as u32 / 8, BOX], [1, 1]);
    // SAFETY: the function was found; rows lie at a multiple of 256 bytes, a multiple of 64 bytes apart, and lists are of rank 2.
    let result = unsafe {
        cuTensorMapEncodeTiled(
            &mut map,
            CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_UINT64,
            2,
            rows.memory.address() as *mut c_void,
            sizes.as_ptr(),
            strides.as_ptr(),
            boxes.as_ptr(),
            every.as_ptr(),
            CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
            CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
            CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    };
    check("describing rows", result)?;
    Ok(TensorMap(map))
}
