//! Simulations of the parts of one domain, as a program around them sees them: what each reads of the others is copied between passes, and what their cells
//! come to is added in order.

use super::Cpu;
use crate::pass::KernelEngine;
use crate::states::States;
use crate::{Result, check_count, install};
use squeeze_compiler::reduce::fold::ObservedValue;
use std::sync::Arc;

impl Cpu {
    /// How many kernels compute `steps` time steps.
    ///
    /// # Errors
    /// If one of them cannot be compiled.
    #[doc(hidden)]
    pub fn kernels(&mut self, steps: u32) -> Result<usize> {
        self.compile(steps)?;
        Ok(self.kernels[&steps].pass.kernels.len())
    }

    /// Runs one of them, for which there are kernels.
    ///
    /// # Errors
    /// As of [`run_step`](KernelEngine::run_step).
    #[doc(hidden)]
    pub fn run_kernel(&mut self, steps: u32, kernel: usize) -> Result<()> {
        let kernels = Arc::clone(&self.kernels[&steps]);
        install(&Arc::clone(&self.pool), || self.run_step(&kernels.pass, kernel))
    }

    /// Copies what the others compute and this one reads. Nothing rests that looks at what is not what it was.
    #[doc(hidden)]
    pub fn take_ghosts(&mut self, others: &[&Cpu]) {
        let Cpu { prepared, states, activity, .. } = self;
        let others: Vec<&States> = others.iter().map(|other| &other.states).collect();
        let tables = prepared.storage.tables();
        states.take_ghosts(&others, |slot| activity.see(tables.mark(slot)));
    }

    /// The reductions of all parts, in their order.
    ///
    /// # Errors
    /// As of [`reduce`](crate::Engine::reduce).
    #[doc(hidden)]
    pub fn reduce_parts(parts: &[Cpu], which: &[usize]) -> Result<Vec<ObservedValue>> {
        let [first, others @ ..] = parts else { return Ok(Vec::new()) };
        // Kernels read as many parameters as their rule has.
        parts.iter().try_for_each(|part| check_count("parameters", part.params.len(), first.params.len()))?;
        let others: Vec<_> = others.iter().map(|part| (&*part.prepared, &part.states)).collect();
        let threads = first.prepared.threads_of_reductions(first.pool.current_num_threads());
        first.prepared.reductions_of(&first.states, first.globals(first.time), which, threads, &others)
    }
}
