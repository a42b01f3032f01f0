//! Kernels that move states between members as lanes and members in turn.

use super::super::driver::{Blocks, Device, Function, Memory, Module};
use crate::Result;
use squeeze_compiler::emit::cuda::Sides;
use std::sync::Arc;

/// What moves states.
pub(crate) struct Mover {
    device: Arc<Device>,
    module: Module,
    put: Function,
    take: Function,
    lanes_of_replicas: Memory,
}

impl Mover {
    /// From `moving_kernels`, compiled, to and from members apart, whose replicas have these lanes.
    pub(super) fn new(device: &Arc<Device>, image: &[u8], lanes_of_replicas: &[u32]) -> Result<Mover> {
        let module = Module::new(device, image)?;
        Ok(Mover {
            device: Arc::clone(device),
            put: module.function("put_bits")?,
            take: module.function("take_bits")?,
            lanes_of_replicas: Memory::of(device, lanes_of_replicas)?,
            module,
        })
    }

    /// Gives lanes the states of the first members apart.
    pub(super) fn put(&self, apart: &Memory, lanes: &Memory, sides: Sides) -> Result<()> {
        let words = (sides.first + sides.count - 1) / 32 - sides.first / 32 + 1;
        self.launch(self.put, sides.cells * u64::from(words), (apart, lanes), sides)
    }

    /// Gives the first one apart the state of a lane.
    pub(super) fn take(&self, apart: &Memory, lanes: &Memory, sides: Sides) -> Result<()> {
        self.launch(self.take, sides.lane_cells * u64::from(sides.apart_width), (apart, lanes), sides)
    }

    /// Runs a kernel, and waits for it: the kernels of lanes run in a stream of their own.
    fn launch(&self, function: Function, threads: u64, (apart, lanes): (&Memory, &Memory), sides: Sides) -> Result<()> {
        let sides = Sides { lanes_of_replicas: self.lanes_of_replicas.address(), ..sides };
        let arguments = (apart.address(), lanes.address(), sides);
        // SAFETY: the arguments are those of the kernels that move bits; both states have the sizes of their layouts, which
        // `sides` tells, and live until the device was waited for.
        unsafe { self.module.launch(function, Blocks::of_threads(threads.max(1), 128)?, arguments)? };
        Ok(self.device.synchronize()?)
    }
}
