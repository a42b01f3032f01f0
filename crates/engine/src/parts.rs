//! Parts of one domain, each with an engine, for programs that run them together. Between kernels the program copies the ghosts from part to part, and
//! it adds the parts' [partials](Engine::partials) in order.

use crate::{Engine, Result};

/// An engine of the part that [its options](crate::EngineOptions::part) say.
pub trait PartEngine: Engine + Sized {
    /// The passes that together compute `steps` time steps, in turn: how many, and the steps of each.
    fn passes(&self, steps: u32) -> Vec<(u32, u32)>;

    /// How many kernels compute `steps` time steps in a pass.
    ///
    /// # Errors
    /// If one of them cannot be compiled.
    fn kernels(&mut self, steps: u32) -> Result<usize>;

    /// Runs a kernel of a pass of `steps` steps, after [`kernels`](Self::kernels) made it.
    ///
    /// # Errors
    /// If the machine fails.
    fn run_kernel(&mut self, steps: u32, kernel: usize) -> Result<()>;

    /// Copies each part's ghosts from the other parts.
    ///
    /// # Errors
    /// If the machine fails, or the host has no memory for copies of all states.
    fn exchange(parts: &mut [Self]) -> Result<()>;
}
