//! The terms of reductions: values of states where they stand, or values that a kernel computes for one unit after another.

use super::super::kernel::{Buffers, HostKernel, Units};
use super::super::worker::Worker;
use crate::Result;
use crate::reduce::rounds::of_round;
use crate::states::Field;
use crate::terms::{Source, sources};
use squeeze_compiler::Speciality;
use squeeze_compiler::ir::RuleParts;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::Slot;
use std::ops::Range;

/// A part of a rule's reductions, of a single round.
pub(crate) struct Observed {
    /// How many numbers of earlier rounds the terms read.
    pub numbers: usize,
    /// Where the terms of each are.
    pub sources: Vec<Source>,
    /// The kernel of the terms that are not states.
    pub terms: Option<HostKernel>,
}

impl Observed {
    /// The reductions of these numbers. The terms are those of states where these are and `direct` says so; a kernel computes those of the other
    /// reductions, which a rule has alone.
    pub(crate) fn new(
        rule: &RuleParts,
        which: &[usize],
        direct: bool,
        kernel: impl FnOnce(&RuleParts) -> Result<HostKernel>,
    ) -> Result<Self> {
        let rule = of_round(rule, which);
        let (sources, computed) = match direct {
            true => sources(&rule),
            false => ((0..rule.reductions.len()).map(Source::Term).collect(), rule.clone()),
        };
        if sources.iter().any(|source| matches!(source, Source::State(_))) {
            Speciality::TermsOfStates.reached();
        }
        let terms = (!computed.reductions.is_empty()).then(|| kernel(&computed)).transpose()?;
        Ok(Observed { numbers: rule.earlier.len(), sources, terms })
    }
}

/// A worker that computes terms on one thread.
pub(crate) trait TermWorker {
    /// Computes the terms of a unit.
    fn compute(&mut self, unit: Slot);

    /// The columns of the term that the kernel stored in this place.
    fn terms(&self, term: usize) -> &[u8];
}

/// Where the terms of some reductions stand.
pub(crate) struct Terms<'a> {
    /// The source of each reduction's terms.
    pub sources: &'a [Source],
    /// The states.
    pub fields: &'a [Field],
    /// The columns of the computed terms, in order.
    pub computed: &'a [Columns],
    /// Makes a worker that computes terms; `None` where all are states.
    pub worker: &'a (dyn Fn() -> Option<Box<dyn TermWorker + 'a>> + Sync),
}

impl Terms<'_> {
    /// The columns of a unit's terms, which were just computed if they are no state.
    pub(crate) fn block<'t>(
        &'t self,
        index: usize,
        slot: Slot,
        worker: Option<&'t (dyn TermWorker + '_)>,
    ) -> (&'t Columns, &'t [u8]) {
        match (self.stored(index, &(slot.0..slot.0 + 1)), self.sources[index], worker) {
            (Some(stored), ..) => stored,
            (None, Source::Term(term), Some(worker)) => (&self.computed[term], worker.terms(term)),
            (None, ..) => unreachable!("what is computed has a kernel"),
        }
    }

    /// The columns of the terms of these units, if they are a state.
    pub(crate) fn stored(&self, index: usize, units: &Range<u32>) -> Option<(&Columns, &[u8])> {
        let Source::State(state) = self.sources[index] else { return None };
        let Field { columns, now, .. } = &self.fields[state];
        Some((columns, &now.as_slice()[units.start as usize * columns.block..units.end as usize * columns.block]))
    }
}

/// Terms that a kernel computes.
pub(crate) struct TermsOfUnits<'a, U: Units> {
    worker: Worker<'a, U>,
    buffers: &'a Buffers,
    /// The kernel's states before those of terms.
    states: usize,
}

impl<'a, U: Units> TermsOfUnits<'a, U> {
    /// # Safety
    /// The old buffers hold all units of the rule's states, with room to over-read, and no thread writes them while this lives.
    pub(crate) unsafe fn new(worker: Worker<'a, U>, buffers: &'a Buffers, states: usize) -> Self {
        TermsOfUnits { worker, buffers, states }
    }
}

impl<U: Units> TermWorker for TermsOfUnits<'_, U> {
    fn compute(&mut self, unit: Slot) {
        // SAFETY: as promised to `new`; the unit exists.
        unsafe { self.worker.run_terms(self.buffers, unit) }
    }

    fn terms(&self, term: usize) -> &[u8] {
        self.worker.terms(self.states + term)
    }
}
