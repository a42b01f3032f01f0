//! Parts of a domain on the CPU, one after the other.

use super::Cpu;
use crate::parts::PartEngine;
use crate::pass::KernelEngine;
use crate::states::States;
use crate::{Result, install};
use std::sync::Arc;

impl PartEngine for Cpu {
    fn kernels(&mut self, steps: u32) -> Result<usize> {
        self.compile(steps)?;
        Ok(self.kernels[&steps].pass.kernels.len())
    }

    fn run_kernel(&mut self, steps: u32, kernel: usize) -> Result<()> {
        let kernels = Arc::clone(&self.kernels[&steps]);
        install(&Arc::clone(&self.pool), || self.run_step(&kernels.pass, kernel))
    }

    fn exchange(parts: &mut [Cpu]) -> Result<()> {
        for number in 0..parts.len() {
            let (before, rest) = parts.split_at_mut(number);
            let [Cpu { prepared, states, activity, .. }, behind @ ..] = rest else { continue };
            let others: Vec<&States> = before.iter().chain(&*behind).map(|other| &other.states).collect();
            let tables = prepared.storage.tables();
            // A unit that looks at a changed ghost does not rest.
            states.take_ghosts(&others, |slot| activity.see(tables.mark(slot)));
        }
        Ok(())
    }
}
