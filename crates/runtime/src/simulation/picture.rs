//! Pictures of a simulation's states.

use super::Simulation;
use crate::picture::{self, Extent, Image, Picture, PictureError, Style, View};
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
        let state = self.rule.picture.as_ref().map_or(StateId(0), |picture| picture.state);
        let extent = self.rule.picture.as_ref().and_then(|picture| picture.range);
        let extent = extent.map_or(Extent::Fit, |(low, high)| Extent::Fixed(low, high));
        Ok(self.picture_of(state, None, &Style { extent, ..Style::default() })?.image)
    }

    /// A picture of a state: of all of it, or of what a view shows.
    ///
    /// # Errors
    /// [`ViewError`](picture::ViewError) for a view that cannot be drawn or a style that does not fit the state; if the machine fails.
    pub fn picture_of(&self, state: StateId, view: Option<&View>, style: &Style) -> Result<Picture, PictureError> {
        let field = StateField { simulation: self, state };
        match view {
            Some(view) => picture::of_view(self.domain(), &self.rule, state, &field, view, style),
            None => picture::of_state(self.domain(), &self.rule, state, &field, style),
        }
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
        let engine = self.simulation.engine();
        Ok(engine.block_sums(self.simulation.member, self.state, mu, sample)?)
    }

    fn read(&self, cells: Range<u64>, bytes: &mut [u8]) -> Result<(), StateError> {
        Ok(self.simulation.read_packed(self.state, cells, bytes)?)
    }
}
