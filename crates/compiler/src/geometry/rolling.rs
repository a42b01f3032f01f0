//! States that keep their last line alone: the cells that come last along the slowest axis of the one step there is.

use super::domain::Domain;
use crate::ir::{Boundary, RuleParts, SignedAxis, StateId, StepOrder};

impl RuleParts {
    /// Whether a state keeps its last line alone.
    pub fn is_rolling(&self, state: StateId) -> bool {
        self.rolling.contains(&state)
    }

    /// The axes of the order whose last line such states keep, if there are some.
    fn order_of_rolling(&self) -> Option<&[SignedAxis]> {
        let step = self.steps.last().filter(|_| !self.rolling.is_empty())?;
        let Some(StepOrder::Along(along)) = &step.order else { return None };
        Some(along)
    }
}

impl Domain {
    /// The axis and the coordinate of the cells that a state has values in, unless these are all.
    #[doc(hidden)]
    pub fn last_line(&self, rule: &RuleParts, state: StateId) -> Option<(usize, u64)> {
        let slowest = rule.order_of_rolling().filter(|_| rule.is_rolling(state))?.last()?;
        let axis = usize::from(slowest.axis);
        Some((axis, if slowest.backwards { 0 } else { self.extent()[axis] - 1 }))
    }

    /// The cells that a state has values in, ascending, unless these are all.
    #[doc(hidden)]
    pub fn cells_of_last_line(&self, rule: &RuleParts, state: StateId) -> Option<Vec<u64>> {
        let (axis, at) = self.last_line(rule, state)?;
        let mut sides = self.extent().map(|side| 0..side);
        sides[axis] = at..at + 1;
        let [xs, ys, zs] = sides;
        let mut cells: Vec<u64> = Vec::new();
        for z in zs {
            for y in ys.clone() {
                cells.extend(xs.clone().filter_map(|x| self.nu([x, y, z])));
            }
        }
        cells.sort_unstable();
        Some(cells)
    }

    /// The reason why a rule with states that keep their last line alone does not suit the domain.
    pub(crate) fn misfit_of_rolling(&self, rule: &RuleParts) -> Option<String> {
        let along = rule.order_of_rolling()?;
        let (axes, fractal, name) = (self.dimension().axes(), &self.fractal().name, &rule.name);
        let state = |state: StateId| &rule.state(state).name;
        let first = state(*rule.rolling.first()?);
        if along.len() != axes {
            let named = along.len();
            return Some(format!(
                "the state `{first}` of the rule `{name}` is rolling, so its step names all axes; it names {named}, and `{fractal}` is {axes}-D"
            ));
        }
        let is_mirrored =
            |of: &&StateId| rule.edges.get(usize::from(of.0)).copied().flatten().is_some_and(Boundary::reflects);
        if let Some(mirrored) = rule.rolling.iter().find(is_mirrored) {
            return Some(format!(
                "the state `{}` of the rule `{name}` is rolling, and its edge is mirrored: what stands there may have no value yet",
                state(*mirrored)
            ));
        }
        // Across a seam the slowest axis of an offset leads from an earlier cell to a later one.
        let reads = rule.reads_of_changed(rule.steps.last()?, self.dimension())?;
        let slowest_of = |offset: &[i32; 3]| along.iter().rev().find(|signed| offset[usize::from(signed.axis)] != 0);
        let crosses =
            |offset: &[i32; 3]| slowest_of(offset).is_some_and(|signed| self.periodic().0[usize::from(signed.axis)]);
        let (seam, _) = reads.iter().find(|(of, offset)| rule.is_rolling(*of) && crosses(offset))?;
        Some(format!(
            "the state `{}` of the rule `{name}` is rolling, and is read across a seam of `{fractal}`, where it has no value yet",
            state(*seam)
        ))
    }
}
