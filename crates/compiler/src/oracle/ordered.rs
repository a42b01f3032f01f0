//! Steps whose cells take turns in an order: one walk over the cells, in place.

use super::Oracle;
use super::evaluate::Evaluator;
use crate::ir::{Dimension, Rule, SignedAxis, StateId, Step, StepOrder, Value};
use crate::numbers::digest::term;
use crate::numbers::scalar;

impl Oracle {
    /// Runs a step along some axes, the last one slowest.
    pub(super) fn run_in_order(&mut self, step: &Step, axes: &[SignedAxis]) {
        let key = |place: usize| {
            let coordinate = self.grid.coordinate(place);
            let mut key = [0; 3];
            for (to, signed) in key.iter_mut().zip(axes.iter().rev()) {
                let along = coordinate[usize::from(signed.axis)];
                *to = if signed.backwards { -along } else { along };
            }
            key
        };
        let cells = self.grid.cells.iter().enumerate();
        let mut cells: Vec<([i64; 3], usize)> = cells.map(|(c, &place)| (key(place), c)).collect();
        cells.sort_by_key(|(key, _)| *key);
        let mut program = Evaluator::new(&step.body, self.rule.flush);
        let mut written: Vec<(usize, usize, Value)> = Vec::new();
        for group in cells.chunk_by(|(one, _), (other, _)| one == other) {
            let view = self.view(self.time);
            for &(_, c) in group {
                let values = program.run(&view, c);
                if step.guard.is_none_or(|guard| scalar::bit(values[guard.0 as usize])) {
                    let results = step.body.results.iter();
                    written.extend(
                        results
                            .map(|(state, node)| (usize::from(state.0), self.grid.cells[c], values[node.0 as usize])),
                    );
                }
            }
            for (state, place, value) in written.drain(..) {
                self.now[state].set(place, value);
            }
        }
        // Of rolling states the last line along the slowest axis is left.
        for state in self.rule.rolling.clone() {
            let ty = self.rule.state(state).ty;
            for place in self.grid.cells.clone() {
                if !self.is_on_last_line(place, axes) {
                    self.now[usize::from(state.0)].set(place, Value::zero(ty));
                }
            }
        }
    }

    /// Whether a place is on the last line along the slowest of some axes.
    fn is_on_last_line(&self, place: usize, axes: &[SignedAxis]) -> bool {
        let Some(slowest) = axes.last() else { return true };
        let axis = usize::from(slowest.axis);
        self.grid.coordinate(place)[axis] == if slowest.backwards { 0 } else { self.grid.sides[axis] as i64 - 1 }
    }

    /// Whether a place is on the line that rolling states keep.
    pub(super) fn is_on_kept_line(&self, place: usize) -> bool {
        let order = self.rule.steps.iter().find_map(|step| step.order.as_ref());
        matches!(order, Some(StepOrder::Along(axes)) if self.is_on_last_line(place, axes))
    }

    /// The digest of a state that keeps its last line alone.
    pub(super) fn digest_of_last_line(&self, state: StateId) -> u64 {
        let cells = (0..).zip(&self.grid.cells).filter(|(_, place)| self.is_on_kept_line(**place));
        let terms = cells.map(|(c, place)| term(c, self.now[usize::from(state.0)].get(*place).bits()));
        terms.fold(0, u64::wrapping_add)
    }

    /// The most bytes that such steps take for each cell: its key, half of the keys while they are sorted, and what is kept of a group before it is written.
    pub(super) fn bytes_of_order(rule: &Rule, dimension: Dimension) -> u64 {
        let of_step = |step: &Step| {
            let Some(order) = &step.order else { return 0 };
            let has_groups = matches!(order, StepOrder::Along(axes) if axes.len() < dimension.axes());
            48 + if has_groups { 40 * step.body.results.len() as u64 } else { 0 }
        };
        rule.steps.iter().map(of_step).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
