//! Parts of a domain on the CPU: one after the other, or those of ranks.

use super::Cpu;
use super::activity::Extent;
use super::kernel::{Buffers, HostKernel, Work};
use super::prepared::Prepared;
use crate::parts::PartEngine;
use crate::pass::KernelEngine;
use crate::states::ghosts::{GhostPeer, GhostsRead, ghosts_read};
use crate::states::{StateBytes, States};
use crate::{Result, install};
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::Slot;
use std::sync::Arc;

/// The units that read nothing of others are computed beside an exchange if they are at least this part of all. Guess: not measured.
const LEAST_INNER: usize = 8;

/// Preparations of a part for an exchange that is done again and again.
pub(crate) struct HostLink {
    /// The bytes that go to each peer, and the bytes that come from it; `None` where cells are stored alone.
    runs: Option<Vec<[Vec<StateBytes>; 2]>>,
    /// The units that are computed while columns are on their way,
    pub inner: Vec<Slot>,
    /// and the others; none if all units wait.
    pub border: Vec<Slot>,
}

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
        let kernels = &self.kernels[&self.plan().steps_of_kernel(steps)].pass.kernels;
        match self.is_band(steps) {
            // Kernels read the results of earlier ones, also in ghosts.
            true => self.prepared.ghosts_of(kernels, steps * kernels.len() as u32),
            false => self.prepared.ghosts_of(&kernels[kernel..=kernel], 1),
        }
    }

    /// Begins a kernel before the columns of others have come, if it computes all units and some of them need none. Its units are then computed by [`run_units`](Self::run_units).
    pub(crate) fn begin_early(&mut self, link: &HostLink, (steps, kernel): (u32, usize)) -> bool {
        let is_all = match kernel {
            0 => self.activity.begins_with_all(steps),
            _ => self.activity.extent == Extent::All,
        };
        if link.inner.is_empty() || !is_all {
            return false;
        }
        let kernels = Arc::clone(&self.kernels[&steps]);
        self.choose_extent(&kernels.pass, kernel);
        true
    }

    /// Computes some units by a kernel that was begun; after the last of them its results become the present states.
    pub(crate) fn run_units(&mut self, (steps, kernel): (u32, usize), units: &[Slot], is_last: bool) {
        let kernels = Arc::clone(&self.kernels[&steps]);
        let kernel = &kernels.pass.kernels[kernel];
        let buffers = Buffers::new(self.states.readable(), self.states.next_writable());
        let (storage, globals) = (&self.prepared.storage, self.globals(self.time + 1));
        let work = Work::Listed(units, None);
        // SAFETY: the buffers are those of all states of this storage, borrowed for writing; what a kernel stores has two.
        install(&self.pool, || unsafe { storage.run(kernel, &buffers, globals, work) });
        if is_last {
            self.activity.finish();
            self.states.exchange(kernel.writes());
        }
    }

    /// Whether a pass of `steps` steps computes them in bands, between two exchanges.
    fn is_band(&self, steps: u32) -> bool {
        steps > self.plan().steps
    }

    /// The memory of a state's columns, if there is such a state.
    pub(crate) fn columns(&self, state: u16) -> Option<Columns> {
        self.states.fields().get(usize::from(state)).map(|field| field.columns)
    }

    /// Makes ready what an exchange with these parts needs; units of the border read what comes from there.
    pub(crate) fn link(&self, peers: &[GhostPeer], border: &[Slot]) -> HostLink {
        let runs = |peer: &GhostPeer| {
            let [gives, takes] = [&peer.gives, &peer.takes].map(|spans| self.states.runs_of(spans));
            Some([gives?, takes?])
        };
        let owned = self.prepared.storage.tables().lanes().owned.clone();
        let mut border = border.to_vec();
        let mut inner: Vec<Slot> = owned.clone().map(Slot).filter(|slot| border.binary_search(slot).is_err()).collect();
        if self.prepared.storage.rows().is_some() || peers.is_empty() || inner.len() < owned.len() / LEAST_INNER {
            (inner, border) = (Vec::new(), Vec::new());
        }
        HostLink { runs: peers.iter().map(runs).collect(), inner, border }
    }

    /// The bytes of the columns that a peer reads, with room for `room` bytes behind them.
    pub(crate) fn pack(&self, (peer, number): (&GhostPeer, usize), link: &HostLink, room: usize) -> Vec<u8> {
        match &link.runs {
            Some(runs) => install(&self.pool, || self.states.pack_runs(&runs[number][0], room)),
            None => self.states.pack(&peer.gives),
        }
    }

    /// Takes columns that a peer computed. False if the bytes are more or fewer than these columns take.
    pub(crate) fn unpack(&mut self, (peer, number): (&GhostPeer, usize), link: &HostLink, bytes: &[u8]) -> bool {
        let (Cpu { prepared, states, activity, pool, .. }, spans) = (self, &peer.takes);
        if let (Some(runs), false) = (&link.runs, activity.is_known()) {
            return install(pool, || states.unpack_runs(&runs[number][1], bytes));
        }
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
        let kernels = observed.terms.as_slice();
        Ok(self.ghosts_of(kernels, 1))
    }

    /// The reads of kernels that run one after the other without an exchange, in all `times` times as far as one of them looks.
    fn ghosts_of(&self, kernels: &[HostKernel], times: u32) -> GhostsRead {
        let program = &self.program;
        let bodies = kernels.iter().flat_map(HostKernel::of_all_places).flat_map(|kernel| &kernel.bodies);
        ghosts_read(
            (&program.plan.storage, program.rule.domain().dimension()),
            (bodies.map(|body| &body.interface), times),
            kernels.first().map_or(0, |kernel| kernel.buffered),
        )
    }
}

impl PartEngine for Cpu {
    fn passes(&self, steps: u32) -> Vec<(u32, u32)> {
        self.plan().passes(steps).collect()
    }

    fn kernels(&mut self, steps: u32) -> Result<usize> {
        let of_kernel = self.plan().steps_of_kernel(steps);
        self.compile(of_kernel)?;
        Ok(if self.is_band(steps) { 1 } else { self.kernels[&of_kernel].pass.kernels.len() })
    }

    fn run_kernel(&mut self, steps: u32, kernel: usize) -> Result<()> {
        let kernels = Arc::clone(&self.kernels[&self.plan().steps_of_kernel(steps)]);
        install(&Arc::clone(&self.pool), || {
            if self.is_band(steps) {
                self.run_band(&kernels, steps);
                return Ok(());
            }
            self.run_step(&kernels.pass, kernel)
        })
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
