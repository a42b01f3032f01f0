//! A readable state, of a simulation or in a file: pictures, exports and digests are made from it.

use squeeze_compiler::ir::{StateId, Type};
use squeeze_engine::Simulation;
use squeeze_engine::failure::Result;
use squeeze_engine::sample::Sample;
use std::ops::Range;

/// A state that pictures and exports take their values from, in canonical order.
pub trait Field {
    /// The type of its values.
    fn ty(&self) -> Type;

    /// For each block of `K_mu` cells that follow each other in canonical order the sum over its cells.
    ///
    /// # Errors
    /// If the machine fails, or the field's file is damaged.
    #[doc(hidden)]
    fn block_sums(&self, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>>;

    /// Reads the values of these cells in the form that [`packed`](squeeze_engine::packed) describes; ranges of bits begin and end on whole
    /// bytes or with the last cell.
    ///
    /// # Errors
    /// As [`block_sums`](Self::block_sums).
    fn read(&self, cells: Range<u64>, bytes: &mut [u8]) -> Result<()>;
}

/// One state of a simulation.
pub(crate) struct StateOf<'a> {
    /// The simulation.
    pub simulation: &'a Simulation,
    /// The state.
    pub state: StateId,
}

impl Field for StateOf<'_> {
    fn ty(&self) -> Type {
        self.simulation.rule().state(self.state).ty
    }

    fn block_sums(&self, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>> {
        Ok(self.simulation.block_sums(self.state, mu, sample)?)
    }

    fn read(&self, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        Ok(self.simulation.read(self.state, cells, bytes)?)
    }
}
