//! How the cells of a plan stand in the host's memory, whichever way that is.

use super::kernel::{Buffers, Globals, HostKernel, Tables, Work};
use super::neighbours::HostNeighbours;
use super::reduce::{TermWorker, TermsOfUnits};
use super::rows::storage::RowUnits;
use super::worker::Worker;
use squeeze_codegen::AvailableIsa;
use squeeze_compiler::Off;
use squeeze_compiler::layout::{Geometry, Storage, StoredAs};
use std::sync::Arc;

/// A storage with its tables. Kernels are compiled and run for each kind apart, so that it is asked for once a pass.
pub(super) enum HostStorage {
    /// Lanes are replicas, or members of an ensemble.
    Replicas(Box<HostNeighbours>),
    /// Lanes are places of a row.
    Rows(Box<RowUnits>),
}

impl HostStorage {
    /// Makes the tables, on the threads of the pool that this is called in. Passes over fewer cells than `cells_worth_threads` are small.
    pub(super) fn new(storage: &Storage, cells_worth_threads: u64, isa: Option<AvailableIsa>, off: Off) -> HostStorage {
        match &storage.geometry {
            Geometry::Replicas(layout) => {
                let neighbours = HostNeighbours::new((layout, &storage.part), cells_worth_threads, isa, off);
                HostStorage::Replicas(Box::new(neighbours))
            }
            Geometry::Rows(grid) => {
                let packed = storage.memory == StoredAs::Cells;
                HostStorage::Rows(Box::new(RowUnits::new((Arc::clone(grid), storage.owned()), packed, isa, off)))
            }
        }
    }

    /// What is known of it before any unit is looked at.
    pub(super) fn tables(&self) -> &dyn Tables {
        match self {
            HostStorage::Replicas(neighbours) => &**neighbours,
            HostStorage::Rows(units) => &**units,
        }
    }

    /// Whether a pass takes less time than waking another thread for it.
    pub(super) fn is_small(&self) -> bool {
        match self {
            HostStorage::Replicas(neighbours) => neighbours.is_small(),
            HostStorage::Rows(_) => false,
        }
    }

    /// The stretches of rows, if lanes are their places.
    pub(super) fn rows(&self) -> Option<&RowUnits> {
        match self {
            HostStorage::Replicas(_) => None,
            HostStorage::Rows(units) => Some(units),
        }
    }

    /// Runs a kernel.
    ///
    /// # Safety
    /// As of [`HostKernel::run`].
    pub(super) unsafe fn run(&self, kernel: &HostKernel, buffers: &Buffers, globals: Globals<'_>, work: Work<'_>) {
        match self {
            // SAFETY: as the caller's.
            HostStorage::Replicas(neighbours) => unsafe { kernel.run(&**neighbours, buffers, globals, work) },
            // SAFETY: as the caller's.
            HostStorage::Rows(units) => unsafe { kernel.run(&**units, buffers, globals, work) },
        }
    }

    /// A worker for terms on one thread; terms stand behind the states.
    ///
    /// # Safety
    /// As of [`TermsOfUnits::new`].
    pub(super) unsafe fn terms<'a>(
        &'a self,
        kernel: &'a HostKernel,
        buffers: &'a Buffers,
        globals: Globals<'a>,
        states: usize,
    ) -> Box<dyn TermWorker + 'a> {
        match self {
            HostStorage::Replicas(neighbours) => {
                // SAFETY: as the caller's.
                Box::new(unsafe { TermsOfUnits::new(Worker::new(kernel, &**neighbours, globals), buffers, states) })
            }
            HostStorage::Rows(units) => {
                // SAFETY: as the caller's.
                Box::new(unsafe { TermsOfUnits::new(Worker::new(kernel, &**units, globals), buffers, states) })
            }
        }
    }
}
