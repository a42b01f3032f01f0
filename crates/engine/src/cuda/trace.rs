//! The roads that simulations on a GPU take: the compiled texts, and the choices of the host. Tests that must take every road ask for them; unless
//! one of them asks, nothing is kept.

use squeeze_compiler::target::speciality::{self, Speciality};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Declares all roads, each with a description and a name.
macro_rules! roads {
    ($($(#[$about:meta])* $road:ident,)*) => {
        /// A way that the host takes in some simulations and not in others, and that is no [`Speciality`](squeeze_compiler::Speciality).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Road {
            $($(#[$about])* $road,)*
        }

        impl Road {
            /// All of them.
            pub const ALL: &[Road] = &[$(Road::$road),*];
        }
    };
}

roads! {
    /// Kernels for the steps that are less than a pass.
    Rest,
    /// Members that were lanes begin again with parameters that differ, one after the other.
    LanesGoApart,
    /// A member's states come to the host, where lanes are members.
    LaneFetched,
    /// A member's states come from the host, where lanes are members.
    LaneSent,
    /// A state comes from the host.
    StateSent,
    /// Many observations are waited for once.
    Ahead,
    /// The host folds the terms of observables.
    HostFolds,
    /// Terms are folded in several pieces.
    FoldsInPieces,
    /// The results of groups of rows are folded in the end.
    FoldsOfGroups,
    /// The cells of a mask are stored alone, since there is no room for columns.
    PackedForRoom,
    /// Some cells are read on the device, which sends their values alone.
    CellsGathered,
    /// Values of bits or enums are counted in blocks.
    BlocksCounted,
    /// Numbers are added up in blocks.
    BlocksSummed,
    /// A look at all tiles.
    Look,
    /// Many of them at once, as a graph.
    WatchedGraph,
    /// Watched passes become shorter than a pass.
    WatchedShorter,
    /// Nothing changes any more, and nothing is computed.
    Settled,
    /// Whole rows take turns.
    RowsInTurn,
    /// Cells are taken in fronts.
    Fronts,
    /// Tiles in waves wait for launches.
    WavesOfLaunches,
    /// They wait for barriers.
    WavesOfBarriers,
    /// They wait for flags.
    WavesOfFlags,
    /// They wait for messages.
    WavesOfRelays,
    /// No member takes a step, and its kernel is left out.
    StepSkipped,
}

impl Road {
    /// Notes that a simulation takes it.
    pub(super) fn taken(self) {
        if IS_ASKED.load(Relaxed) {
            trace_so_far(|trace| trace.roads.insert(self));
        }
    }
}

/// A record of what simulations did meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The texts that were compiled, or found compiled.
    pub texts: BTreeSet<String>,
    /// The roads of the host.
    pub roads: BTreeSet<Road>,
    /// How many kernels of rules were launched, or recorded for a graph.
    pub launches: u64,
    /// Bytes that were copied between the host and the device.
    pub copied: u64,
    /// The specialities that they had a use for.
    pub specialities: Vec<Speciality>,
}

static IS_ASKED: AtomicBool = AtomicBool::new(false);
static TRACE: LazyLock<Mutex<Trace>> = LazyLock::new(Mutex::default);

fn trace_so_far<T>(work: impl FnOnce(&mut Trace) -> T) -> T {
    work(&mut TRACE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Notes that a text is compiled.
pub(super) fn compiled(text: &str) {
    if IS_ASKED.load(Relaxed) {
        trace_so_far(|trace| trace.texts.insert(text.to_owned()));
    }
}

/// Notes that a kernel of a rule is launched.
pub(super) fn launched() {
    if IS_ASKED.load(Relaxed) {
        trace_so_far(|trace| trace.launches += 1);
    }
}

/// Notes that bytes are copied between the host and the device.
pub(super) fn copied(bytes: usize) {
    if IS_ASKED.load(Relaxed) {
        trace_so_far(|trace| trace.copied += bytes as u64);
    }
}

/// The record of all simulations of this process since the last call; the first call gives none and starts the record.
pub fn trace() -> Trace {
    IS_ASKED.store(true, Relaxed);
    Trace { specialities: speciality::reached(), ..trace_so_far(std::mem::take) }
}
