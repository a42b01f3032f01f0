//! Parts of one domain, as a program around them sees them: engines that each compute some of its units, copies of what they read of each other between
//! kernels, and [partials](Engine::partials), which that program adds in order.

use crate::{Engine, Result};

/// An engine of the part that [its options](crate::EngineOptions::part) say.
pub trait PartEngine: Engine + Sized {
    /// How many kernels compute `steps` time steps.
    ///
    /// # Errors
    /// If one of them cannot be compiled.
    fn kernels(&mut self, steps: u32) -> Result<usize>;

    /// Runs a kernel of a pass of `steps` steps, after [`kernels`](Self::kernels) made it.
    ///
    /// # Errors
    /// If the machine fails.
    fn run_kernel(&mut self, steps: u32, kernel: usize) -> Result<()>;

    /// Copies the ghosts that each part reads of the others.
    ///
    /// # Errors
    /// If the machine fails, or the host has no memory for copies of all states.
    fn exchange(parts: &mut [Self]) -> Result<()>;
}
