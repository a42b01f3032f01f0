//! Simulations of the parts of one domain on a device, as a program around them sees them, by way of the host: what each reads of the others is copied there,
//! and there what their cells come to is added in order.

use super::Cuda;
use crate::mirror::Transfers;
use crate::pass::KernelEngine;
use crate::reduce::{Question, ReducedCells, Take};
use crate::states::States;
use crate::{Result, install};
use squeeze_compiler::ir::StateId;
use std::sync::Arc;

impl Cuda {
    /// How many kernels compute `steps` time steps.
    ///
    /// # Errors
    /// If one of them cannot be compiled.
    pub fn kernels(&mut self, steps: u32) -> Result<usize> {
        self.prepare(steps)?;
        Ok(self.passes[&steps].kernels.len())
    }

    /// Runs a kernel of a pass of `steps` steps, after [`kernels`](Self::kernels) made it.
    ///
    /// # Errors
    /// As of [`run_step`](KernelEngine::run_step).
    pub fn run_kernel(&mut self, steps: u32, kernel: usize) -> Result<()> {
        self.mirror.settle(self)?;
        let pass = Arc::clone(&self.passes[&steps]);
        self.run_step(&pass, kernel)?;
        Ok(self.device.synchronize()?)
    }

    /// A copy of all states.
    fn copied(&self) -> Result<States> {
        self.mirror.settle(self)?;
        let mut states = self.host_states()?;
        (0..self.fields.len() as u16).try_for_each(|state| self.fetch(0, StateId(state), &mut states))?;
        Ok(states)
    }

    /// Copies what each part reads of the others.
    ///
    /// # Errors
    /// If the device fails, or the host has no memory for copies of all states.
    pub fn exchange(parts: &mut [Cuda]) -> Result<()> {
        let mut copies = parts.iter().map(Cuda::copied).collect::<Result<Vec<_>>>()?;
        for (number, part) in parts.iter().enumerate() {
            let mut own = copies.remove(number);
            own.take_ghosts(&copies.iter().collect::<Vec<_>>(), |_| {});
            (0..part.fields.len() as u16).try_for_each(|state| part.send(0, StateId(state), &own))?;
            part.mirror.pass();
            copies.insert(number, own);
        }
        Ok(())
    }

    /// The cells of the whole.
    pub fn cells(&self) -> ReducedCells<'_> {
        self.reducer().cells()
    }

    /// Hands over what the units of this part come to.
    ///
    /// # Errors
    /// As of [`exchange`](Cuda::exchange), and as of [`reduce`](crate::Engine::reduce).
    pub fn partials(&self, question: &Question<'_>, take: Take<'_>) -> Result<()> {
        let (states, reducer) = (self.copied()?, self.reducer());
        // SAFETY: the states are made by this plan, and the inputs were counted.
        let hand = || unsafe { reducer.partials_of_others(&states, &self.members[0], self.time, question, take) };
        install(self.mirror.pool()?, hand)
    }
}
