//! Digests on the device, by the kernels of `templates/measure.cu`, which are the same for all simulations.

use super::driver::{Address, Blocks, Device, Function, Memory, Module};
use super::error::CudaError;
use squeeze_compiler::kernel::Planes;
use squeeze_compiler::layout::Layout;
use std::ffi::c_void;
use std::sync::Arc;

/// The kernels.
pub(super) struct Measure {
    device: Arc<Device>,
    pub module: Module,
    pub neighbour_table: Function,
    digest_bits: Function,
    digest_numbers: Function,
    multiprocessors: u32,
}

impl Measure {
    /// From `MEASURE`, compiled.
    pub fn new(device: &Arc<Device>, image: &[u8]) -> Result<Measure, CudaError> {
        let module = Module::new(device, image)?;
        Ok(Measure {
            device: Arc::clone(device),
            neighbour_table: module.function("neighbour_table")?,
            digest_bits: module.function("digest_bits")?,
            digest_numbers: module.function("digest_numbers")?,
            multiprocessors: device.multiprocessors()?,
            module,
        })
    }

    /// The digest of a state, whose columns begin at `state`, each of `stride` values if they are numbers; `replicas` holds
    /// [`Layout::replicas`].
    pub fn digest(
        &self,
        layout: &Layout,
        replicas: Address,
        planes: Planes,
        stride: usize,
        state: Address,
    ) -> Result<u64, CudaError> {
        let sum = Memory::zeroed(&self.device, 8)?;
        let columns = u64::from(layout.superblocks()) * u64::from(layout.micro_cells());
        let (mut state, mut lane_cells, mut sum_at) = (state, layout.lane_cells(), sum.address());
        let mut replicas = replicas;
        let (function, mut numbers, pieces) = match planes {
            Planes::Bits(planes) => {
                let words = layout.words() as u32;
                (self.digest_bits, [u32::from(planes), layout.lanes() as u32, words], u64::from(words))
            }
            Planes::Number(ty) => {
                let lanes = layout.lanes() as u32;
                (self.digest_numbers, [ty.scalar().bytes() as u32, lanes, stride as u32], u64::from(lanes))
            }
        };
        let mut columns_here = columns;
        let [first, second, third] = &mut numbers;
        let mut arguments: [*mut c_void; 8] = [
            (&raw mut state).cast(),
            (&raw mut columns_here).cast(),
            (&raw mut replicas).cast(),
            (&raw mut lane_cells).cast(),
            (&raw mut *first).cast(),
            (&raw mut *second).cast(),
            (&raw mut *third).cast(),
            (&raw mut sum_at).cast(),
        ];
        let blocks = (columns * pieces).div_ceil(128).min(u64::from(32 * self.multiprocessors)).max(1);
        let blocks = Blocks { count: blocks as u32, threads: 128 };
        // SAFETY: the arguments are those of both kernels; the state has so many columns, and the sum lives until the
        // device was waited for.
        unsafe { self.module.launch(function, blocks, &mut arguments)? };
        self.device.synchronize()?;
        let mut bytes = [0; 8];
        sum.download(0, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
}
