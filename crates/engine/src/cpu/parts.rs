//! Parts of a domain on the CPU: one after the other, or those of ranks.

use super::Cpu;
use super::kernel::HostKernel;
use super::prepared::Prepared;
use crate::parts::PartEngine;
use crate::pass::KernelEngine;
use crate::states::ghosts::{GhostsRead, ghosts_read};
use crate::states::{ColumnSpan, States};
use crate::{Result, install};
use squeeze_compiler::layout::columns::Columns;
use std::sync::Arc;

impl Cpu {
    /// The reads of the terms of these reductions, all of one round, among units which others compute.
    ///
    /// # Errors
    /// As of [`Prepared::ghosts_of_terms`].
    pub(crate) fn ghosts_of_terms(&self, which: &[usize]) -> Result<GhostsRead> {
        self.prepared.ghosts_of_terms(which)
    }

    /// The reads of a kernel of a pass of `steps` steps among units which others compute, after [`kernels`](PartEngine::kernels) made it.
    pub(crate) fn ghosts_of_kernel(&self, steps: u32, kernel: usize) -> GhostsRead {
        self.prepared.ghosts_of(&self.kernels[&steps].pass.kernels[kernel])
    }

    /// The memory of a state's columns, if there is such a state.
    pub(crate) fn columns(&self, state: u16) -> Option<Columns> {
        self.states.fields().get(usize::from(state)).map(|field| field.columns)
    }

    /// The bytes of these columns, one span after the other.
    pub(crate) fn pack(&self, spans: &[ColumnSpan]) -> Vec<u8> {
        self.states.pack(spans)
    }

    /// Takes columns that others computed. False if the bytes are more or fewer than these columns take.
    pub(crate) fn unpack(&mut self, spans: &[ColumnSpan], bytes: &[u8]) -> bool {
        let Cpu { prepared, states, activity, .. } = self;
        let tables = prepared.storage.tables();
        // A unit that looks at a changed ghost does not rest.
        states.unpack(spans, bytes, |slot| activity.see(tables.mark(slot)))
    }
}

impl Prepared {
    /// The reads of the terms of these reductions, all of one round, among units which others compute.
    ///
    /// # Errors
    /// If the terms' code is too long for a kernel.
    pub(crate) fn ghosts_of_terms(&self, which: &[usize]) -> Result<GhostsRead> {
        let observed = self.observed(which)?;
        Ok(observed.terms.as_ref().map_or_else(GhostsRead::default, |kernel| self.ghosts_of(kernel)))
    }

    fn ghosts_of(&self, kernel: &HostKernel) -> GhostsRead {
        let program = &self.program;
        let bodies = kernel.of_all_places().flat_map(|kernel| &kernel.bodies);
        ghosts_read(
            (&program.plan.storage, program.rule.domain().dimension()),
            (bodies.map(|body| &body.interface), 1),
            kernel.buffered,
        )
    }
}

impl PartEngine for Cpu {
    fn passes(&self, steps: u32) -> Vec<(u32, u32)> {
        self.plan().passes(steps).collect()
    }

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
