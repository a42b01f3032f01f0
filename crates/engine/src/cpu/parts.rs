//! Simulations of the parts of one domain, as a program around them sees them: what each reads of the others is copied between passes, and what their cells
//! come to is added in order.

use super::Cpu;
use crate::pass::KernelEngine;
use crate::reduce::{Question, ReducedCells, Take};
use crate::states::States;
use crate::{Result, install};
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

    /// Runs a kernel of a pass of `steps` steps, after [`kernels`](Self::kernels) made it.
    ///
    /// # Errors
    /// As of [`run_step`](KernelEngine::run_step).
    #[doc(hidden)]
    pub fn run_kernel(&mut self, steps: u32, kernel: usize) -> Result<()> {
        let kernels = Arc::clone(&self.kernels[&steps]);
        install(&Arc::clone(&self.pool), || self.run_step(&kernels.pass, kernel))
    }

    /// Copies ghosts from the other parts. A unit that looks at a changed ghost does not rest.
    #[doc(hidden)]
    pub fn take_ghosts(&mut self, others: &[&Cpu]) {
        let Cpu { prepared, states, activity, .. } = self;
        let others: Vec<&States> = others.iter().map(|other| &other.states).collect();
        let tables = prepared.storage.tables();
        states.take_ghosts(&others, |slot| activity.see(tables.mark(slot)));
    }

    /// The cells of the whole.
    #[doc(hidden)]
    pub fn cells(&self) -> ReducedCells<'_> {
        self.prepared.cells()
    }

    /// Hands over what the units of this part come to.
    ///
    /// # Errors
    /// As of [`reduce`](crate::Engine::reduce).
    #[doc(hidden)]
    pub fn partials(&self, question: &Question<'_>, take: Take<'_>) -> Result<()> {
        let threads = self.prepared.threads_of_reductions(self.pool.current_num_threads());
        let mut partials = || self.prepared.partials(&self.states, self.globals(self.time), question, threads, take);
        // To wake a thread of the pool takes longer than to count some thousand words.
        if threads == 1 { partials() } else { install(&self.pool, partials) }
    }
}
