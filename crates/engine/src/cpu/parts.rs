//! Parts of a domain on the CPU: one after the other, or those of ranks.

use super::Cpu;
use super::kernel::HostKernel;
use super::prepared::{HostStorage, Prepared};
use crate::parts::PartEngine;
use crate::pass::KernelEngine;
use crate::states::{ColumnSpan, States};
use crate::{Result, install};
use squeeze_compiler::layout::Storage;
use squeeze_compiler::target::Choice;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Cpu {
    /// How its units are stored and computed.
    pub(crate) fn choice(&self) -> &Choice {
        self.plan()
    }

    /// Where its units stand.
    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.plan().storage
    }

    /// Its program, ready.
    pub(crate) fn prepared(&self) -> &Arc<Prepared> {
        &self.prepared
    }

    /// The columns that a kernel of a pass of `steps` steps reads of units which others compute, after [`kernels`](PartEngine::kernels) made it.
    pub(crate) fn ghosts_of_kernel(&self, steps: u32, kernel: usize) -> Vec<ColumnSpan> {
        self.ghosts_of(&self.kernels[&steps].pass.kernels[kernel])
    }

    /// The columns that the terms of these reductions, all of one round, read of units which others compute.
    ///
    /// # Errors
    /// If the terms' code is too long for a kernel.
    pub(crate) fn ghosts_of_terms(&self, which: &[usize]) -> Result<Vec<ColumnSpan>> {
        let observed = self.prepared.observed(which)?;
        Ok(observed.terms.as_ref().map_or_else(Vec::new, |kernel| self.ghosts_of(kernel)))
    }

    fn ghosts_of(&self, kernel: &HostKernel) -> Vec<ColumnSpan> {
        match &self.prepared.storage {
            HostStorage::Replicas(neighbours) => neighbours.ghosts_of(kernel),
            HostStorage::Rows(_) => {
                // Rows beside are read whole, wherever a kernel looks.
                let states: BTreeSet<usize> = kernel.looks().map(|(state, _)| state).collect();
                let states: Vec<usize> = states.into_iter().filter(|state| *state < kernel.buffered).collect();
                let of_slot =
                    |slot| states.iter().map(move |state| ColumnSpan { slot, state: *state as u16, first: 0, end: 1 });
                self.storage().ghosts().flat_map(|(slot, _)| of_slot(slot)).collect()
            }
        }
    }

    /// Whether its states have these columns.
    pub(crate) fn has_columns(&self, ColumnSpan { state, first, end, .. }: &ColumnSpan) -> bool {
        let field = self.states.fields().get(usize::from(*state));
        field.is_some_and(|field| first <= end && *end as usize * field.columns.column <= field.columns.block)
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
