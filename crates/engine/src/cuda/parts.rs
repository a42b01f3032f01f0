//! Parts of a domain on a device, one after the other. Values that each reads of the others are copied by way of the host.

use super::Cuda;
use crate::Result;
use crate::mirror::Transfers;
use crate::parts::PartEngine;
use crate::pass::KernelEngine;
use crate::states::States;
use squeeze_compiler::ir::StateId;
use std::sync::Arc;

impl Cuda {
    fn states(&self) -> impl Iterator<Item = StateId> {
        (0..self.fields.len() as u16).map(StateId)
    }

    /// A copy of all states.
    fn copied(&self) -> Result<States> {
        self.mirror.settle(self)?;
        let mut states = self.host_states()?;
        self.states().try_for_each(|state| self.fetch(0, state, &mut states))?;
        Ok(states)
    }
}

impl Cuda {
    /// Starts a kernel of a pass of `steps` steps, after [`kernels`](PartEngine::kernels) made it.
    pub(crate) fn start_kernel_of_pass(&mut self, steps: u32, kernel: usize) -> Result<()> {
        self.mirror.settle(self)?;
        let pass = Arc::clone(&self.passes[&steps]);
        self.run_step(&pass, kernel)
    }
}

impl PartEngine for Cuda {
    fn passes(&self, steps: u32) -> Vec<(u32, u32)> {
        self.plan().passes(steps).collect()
    }

    fn kernels(&mut self, steps: u32) -> Result<usize> {
        self.compile(steps)?;
        Ok(self.passes[&steps].kernels.len())
    }

    fn run_kernel(&mut self, steps: u32, kernel: usize) -> Result<()> {
        self.start_kernel_of_pass(steps, kernel)?;
        Ok(self.device.synchronize()?)
    }

    fn exchange(parts: &mut [Cuda]) -> Result<()> {
        let mut copies = parts.iter().map(Cuda::copied).collect::<Result<Vec<_>>>()?;
        for (number, part) in parts.iter().enumerate() {
            let mut own = copies.remove(number);
            own.take_ghosts(&copies.iter().collect::<Vec<_>>(), |_| {});
            part.states().try_for_each(|state| part.send(0, state, &own))?;
            part.mirror.pass();
            copies.insert(number, own);
        }
        Ok(())
    }
}
