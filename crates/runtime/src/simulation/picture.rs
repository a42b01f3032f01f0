//! Pictures of a simulation's states.

use super::Simulation;
use crate::picture::{self, Image, PictureError};
use crate::state::StateError;
use crate::state::field::{Field, Sample};
use squeeze_compiler::ir::{StateId, Type};
use std::ops::Range;

impl Simulation {
    /// A picture of the rule's first state.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn picture(&self) -> Result<Image, PictureError> {
        let first = StateId(0);
        picture::of_state(&self.domain, &self.rule, first, &StateField { simulation: self, state: first })
    }
}

/// One state of a simulation, for pictures.
struct StateField<'a> {
    simulation: &'a Simulation,
    state: StateId,
}

impl Field for StateField<'_> {
    fn ty(&self) -> Type {
        self.simulation.rule.state(self.state).ty
    }

    fn block_sums(&self, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>, StateError> {
        Ok(self.simulation.engine.block_sums(self.state, mu, sample)?)
    }

    fn read(&self, cells: Range<u64>, bytes: &mut [u8]) -> Result<(), StateError> {
        Ok(self.simulation.read_packed(self.state, cells, bytes)?)
    }
}
