//! The columns that ranks read of each other: who sends which to whom before a kernel runs.
//!
//! A rank knows what its kernel reads of units that others compute, and asks their ranks for these columns once, when the kernel is first about to run.
//! From then on a message a pair of ranks brings them, before each run. Who gives and does not take sends all the same, and so the other way, so that no
//! rank can be ahead of another by more than one message.

use super::part::RankPart;
use super::transport::{MessageKind, Transport};
use crate::reduce::words::{Words, to_bytes};
use crate::states::ColumnSpan;
use crate::states::ghosts::{GhostPeer, GhostsRead};
use crate::{EngineError, Result};
use squeeze_compiler::layout::unit::{CellIndex, Lane, Micro, Slot, Unit};
use squeeze_compiler::layout::{Geometry, Storage};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What a kernel reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reader {
    /// A kernel of a pass of as many steps.
    Kernel(u32, usize),
    /// The kernel of the terms of some reductions.
    Terms(Vec<usize>),
}

/// The columns that go between this rank and the others for one kernel.
pub(super) struct Ghosts<L> {
    peers: Vec<GhostPeer>,
    link: L,
}

impl<L> Ghosts<L> {
    /// Asks the ranks that compute them, by the units of each, for the columns that a kernel reads, and hears what others ask for. All ranks do this together.
    ///
    /// # Errors
    /// If a rank fails, or asks for what is not here.
    pub(super) fn agree<P: RankPart<Link = L>>(
        transport: &Transport,
        part: &mut P,
        units: &[Range<u32>],
        GhostsRead { columns: seen, inner, border }: GhostsRead,
    ) -> Result<Ghosts<L>> {
        let (storage, time) = (&Arc::clone(part.storage()), part.time());
        let ghosts: BTreeMap<Slot, Unit> = storage.ghosts().collect();
        let mut takes: Vec<Vec<ColumnSpan>> = vec![Vec::new(); transport.ranks()];
        for span in &seen {
            // A unit that no rank computes has no cells.
            let owner = units.iter().position(|units| units.contains(&ghosts[&span.slot].0));
            owner.into_iter().for_each(|owner| takes[owner].push(*span));
        }
        for other in transport.others() {
            let words = takes[other].iter().flat_map(|ColumnSpan { slot, state, first, end }| {
                [ghosts[slot].0, u32::from(*state), *first, *end].map(u64::from)
            });
            transport.send(other, MessageKind::Words, time, &to_bytes(words))?;
        }
        let mut peers = Vec::new();
        for rank in transport.others() {
            let asked = transport.receive(rank, MessageKind::Words, time)?;
            let gives = asked_of(storage, part, &asked);
            let gives = gives.ok_or_else(|| unreadable(transport, rank, "asks for columns that are not here"))?;
            let takes = std::mem::take(&mut takes[rank]);
            if !(gives.is_empty() && takes.is_empty()) {
                peers.push(GhostPeer { rank, gives, takes });
            }
        }
        if cfg!(debug_assertions) {
            compare_cells(&peers, transport, storage, time)?;
        }
        let link = part.link(transport, &peers, (inner, &border))?;
        Ok(Ghosts { peers, link })
    }

    /// Brings the columns. All ranks do this together.
    ///
    /// # Errors
    /// If a rank fails.
    pub(super) fn exchange<P: RankPart<Link = L>>(&self, transport: &Transport, part: &mut P) -> Result<()> {
        part.exchange(transport, &self.peers, &self.link)
    }

    /// Brings the columns and starts the kernel that reads them. All ranks do this together.
    ///
    /// # Errors
    /// If the machine or a rank fails.
    pub(super) fn start<P: RankPart<Link = L>>(
        &self,
        transport: &Transport,
        part: &mut P,
        kernel: (u32, usize),
    ) -> Result<()> {
        part.start_kernel(transport, (&self.peers, &self.link), kernel)
    }
}

/// Makes sure that the columns which are given stand for the same cells as those that are taken: sends the index of each one's first cell.
fn compare_cells(peers: &[GhostPeer], transport: &Transport, storage: &Storage, time: u32) -> Result<()> {
    let cells = |spans: &[ColumnSpan]| {
        to_bytes(
            spans
                .iter()
                .flat_map(|span| (span.first..span.end).map(|micro| first_cell(storage, span.slot, Micro(micro)).0)),
        )
    };
    for GhostPeer { rank, gives, .. } in peers {
        transport.send(*rank, MessageKind::Words, time, &cells(gives))?;
    }
    for GhostPeer { rank, takes, .. } in peers {
        if transport.receive(*rank, MessageKind::Words, time)? != cells(takes) {
            return Err(unreadable(transport, *rank, "has other cells in the columns that it gives"));
        }
    }
    Ok(())
}

/// The columns that another rank asks for, if all are computed here.
fn asked_of(storage: &Storage, part: &impl RankPart, bytes: &[u8]) -> Option<Vec<ColumnSpan>> {
    let (mut words, mut gives) = (Words::new(bytes), Vec::new());
    while !words.is_empty() {
        let slot = storage.slot(Unit(words.number()?))?;
        let span = ColumnSpan { slot, state: words.number()?, first: words.number()?, end: words.number()? };
        if !part.has_columns(&span) {
            return None;
        }
        gives.push(span);
    }
    Some(gives)
}

/// The first cell of a column.
fn first_cell(storage: &Storage, slot: Slot, micro: Micro) -> CellIndex {
    match &storage.geometry {
        Geometry::Replicas(layout) => layout.canonical(Lane(0), storage.part.unit(slot), micro),
        Geometry::Rows(grid) => grid.first_cell(slot),
    }
}

/// The end of a run in which a rank does what none does.
pub(super) fn unreadable(transport: &Transport, rank: usize, what: &str) -> EngineError {
    transport.fail(format!("rank {rank} {what}"), false).into()
}
