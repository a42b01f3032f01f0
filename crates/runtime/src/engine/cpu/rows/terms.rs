//! The terms of reductions over rows.

use super::old::Old;
use super::pass::Worker;
use crate::engine::cpu::reduce::TermWorker;
use crate::engine::states::buffer::{Scratch, Shared};
use squeeze_compiler::layout::columns::Columns;

/// The terms of columns of rows.
pub(super) struct OfColumns<'a> {
    worker: Worker<'a>,
    old: &'a Old,
    states: usize,
    scratch: Vec<Scratch>,
    results: Vec<Shared>,
}

impl<'a> OfColumns<'a> {
    /// Of a kernel with these states, of which so many come before the terms.
    ///
    /// # Safety
    /// The old buffers hold all columns of the rule's states, and nobody writes them while this lives.
    pub(super) unsafe fn new(worker: Worker<'a>, old: &'a Old, columns: &[Columns], states: usize) -> Self {
        let mut scratch: Vec<Scratch> = columns.iter().map(|columns| Scratch::new(columns.block)).collect();
        let results = scratch.iter_mut().map(|scratch| Shared(scratch.as_mut_ptr())).collect();
        OfColumns { worker, old, states, scratch, results }
    }
}

impl TermWorker for OfColumns<'_> {
    fn compute(&mut self, unit: u32) {
        // SAFETY: as promised to `new`; units are columns, and the results are this thread's own.
        unsafe { self.worker.run(self.old, unit as usize, &self.results) }
    }

    fn terms(&self, term: usize) -> &[u8] {
        self.scratch[self.states + term].as_slice()
    }
}
