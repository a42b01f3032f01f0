//! The engine that computes a rank's part, on a CPU or a GPU.

use super::ghosts::{Reader, unreadable};
use super::transport::{HEADER, MessageKind, Transport};
use crate::cpu::{self, Cpu, HostLink};
use crate::parts::PartEngine;
use crate::states::ColumnSpan;
use crate::states::ghosts::{GhostPeer, GhostsRead};
use crate::{Backend, Engine, EngineOptions, MemberInputs, Result};
use squeeze_compiler::Target;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::layout::Storage;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::Slot;
use squeeze_compiler::plan::Plan;
use std::ops::Range;
use std::sync::Arc;

/// The room that a part finds.
pub(super) struct Room {
    /// The bytes for its states and tables,
    pub bytes: u64,
    /// and the number of the memory that they are in: parts in one memory share it. `None` if these bytes are the rank's alone.
    pub memory: Option<u128>,
}

/// An engine of the part that [its options](EngineOptions::part) say.
pub(super) trait RankPart: Engine + Sized + 'static {
    /// The backend that it is of.
    const BACKEND: Backend;
    /// The preparations for columns that are exchanged again and again.
    type Link: Send + Sync;

    /// Makes it.
    ///
    /// # Errors
    /// If it does not fit the machine.
    fn made(rule: &FittedRule, inputs: &MemberInputs, options: &EngineOptions) -> Result<Self>;

    /// The target for which layouts are chosen.
    ///
    /// # Errors
    /// If the machine has not got what is asked for.
    fn target(options: &EngineOptions) -> Result<Target>;

    /// The room for it, before any rank has made its own.
    ///
    /// # Errors
    /// If there is no such machine.
    fn room(options: &EngineOptions) -> Result<Room>;

    /// How its units are stored and computed.
    fn plan(&self) -> &Plan;

    /// Where its units stand.
    fn storage(&self) -> &Arc<Storage> {
        &self.plan().storage
    }

    /// The memory of a state's columns, if there is such a state.
    fn columns(&self, state: u16) -> Option<Columns>;

    /// How many kernels compute `steps` time steps; they are made if they are not there.
    ///
    /// # Errors
    /// If one of them cannot be compiled.
    fn kernels(&mut self, steps: u32) -> Result<usize>;

    /// The columns that a kernel reads of units which others compute.
    ///
    /// # Errors
    /// If it cannot be compiled.
    fn ghosts_read(&mut self, reader: &Reader) -> Result<GhostsRead>;

    /// Makes ready what these columns need on their way; units of the `inner` run need none of them, and those of the border some. The ranks that exchange them do so
    /// together.
    ///
    /// # Errors
    /// If the machine or a rank fails.
    fn link(&mut self, transport: &Transport, peers: &[GhostPeer], units: (Range<u32>, &[Slot])) -> Result<Self::Link>;

    /// Brings the columns, for the terms of reductions.
    ///
    /// # Errors
    /// If the machine or a rank fails.
    fn exchange(&mut self, transport: &Transport, peers: &[GhostPeer], link: &Self::Link) -> Result<()>;

    /// Brings the columns that a kernel of a pass of `steps` steps reads, which [`kernels`](Self::kernels) has made, and starts it.
    ///
    /// # Errors
    /// If the machine or a rank fails.
    fn start_kernel(
        &mut self,
        transport: &Transport,
        ghosts: (&[GhostPeer], &Self::Link),
        kernel: (u32, usize),
    ) -> Result<()>;

    /// Waits for all kernels.
    ///
    /// # Errors
    /// If the machine or a rank failed meanwhile.
    fn wait(&mut self, transport: &Transport) -> Result<()> {
        _ = transport;
        Ok(())
    }

    /// Whether it has these columns.
    fn has_columns(&self, ColumnSpan { state, first, end, .. }: &ColumnSpan) -> bool {
        let columns = self.columns(*state);
        columns.is_some_and(|columns| first <= end && *end as usize * columns.column <= columns.block)
    }
}

impl RankPart for Cpu {
    const BACKEND: Backend = Backend::Cpu;
    type Link = HostLink;

    fn made(rule: &FittedRule, inputs: &MemberInputs, options: &EngineOptions) -> Result<Cpu> {
        Cpu::new(rule, inputs, options)
    }

    fn target(options: &EngineOptions) -> Result<Target> {
        let threads = options.threads.unwrap_or_else(rayon::current_num_threads);
        Ok(cpu::target(threads, options.available_isa()?, options.hardware.as_ref()).without(options.off))
    }

    fn room(options: &EngineOptions) -> Result<Room> {
        Ok(Room { bytes: options.host_limit(), memory: None })
    }

    fn plan(&self) -> &Plan {
        Cpu::plan(self)
    }

    fn columns(&self, state: u16) -> Option<Columns> {
        Cpu::columns(self, state)
    }

    fn kernels(&mut self, steps: u32) -> Result<usize> {
        PartEngine::kernels(self, steps)
    }

    fn ghosts_read(&mut self, reader: &Reader) -> Result<GhostsRead> {
        match reader {
            Reader::Kernel(steps, kernel) => Ok(self.ghosts_of_kernel(*steps, *kernel)),
            Reader::Terms(which) => self.ghosts_of_terms(which),
        }
    }

    fn link(&mut self, _: &Transport, peers: &[GhostPeer], (_, border): (Range<u32>, &[Slot])) -> Result<HostLink> {
        Ok(Cpu::link(self, peers, border))
    }

    fn exchange(&mut self, transport: &Transport, peers: &[GhostPeer], link: &HostLink) -> Result<()> {
        send(self, transport, (peers, link))?;
        receive(self, transport, (peers, link))
    }

    fn start_kernel(
        &mut self,
        transport: &Transport,
        (peers, link): (&[GhostPeer], &HostLink),
        kernel: (u32, usize),
    ) -> Result<()> {
        send(self, transport, (peers, link))?;
        if !self.begin_early(link, kernel) {
            receive(self, transport, (peers, link))?;
            return self.run_kernel(kernel.0, kernel.1);
        }
        for units in link.inner.chunks(link.inner.len().div_ceil(LOOKS)) {
            self.run_units(kernel, units, false);
            // Messages go on when somebody looks after them.
            transport.poll()?;
        }
        receive(self, transport, (peers, link))?;
        self.run_units(kernel, &link.border, true);
        Ok(())
    }
}

/// How often a rank looks after messages while it computes what needs none of them. Guess: not measured.
const LOOKS: usize = 4;

/// Sends others the columns that they read.
fn send(part: &Cpu, transport: &Transport, (peers, link): (&[GhostPeer], &HostLink)) -> Result<()> {
    for (number, peer) in peers.iter().enumerate() {
        let columns = part.pack((peer, number), link, HEADER);
        transport.send_all(peer.rank, MessageKind::Ghosts, part.time(), columns)?;
    }
    Ok(())
}

/// Takes the columns of others.
fn receive(part: &mut Cpu, transport: &Transport, (peers, link): (&[GhostPeer], &HostLink)) -> Result<()> {
    for (number, peer) in peers.iter().enumerate() {
        let bytes = transport.receive(peer.rank, MessageKind::Ghosts, part.time())?;
        if !part.unpack((peer, number), link, &bytes) {
            return Err(unreadable(transport, peer.rank, "sent other columns than it was asked for"));
        }
    }
    // Others would wait for what is left while the kernel runs here.
    Ok(transport.flush()?)
}
