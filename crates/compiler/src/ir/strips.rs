//! Strips: ordered steps of planes whose cells are computed many at once.
//!
//! A strip is a few lines of the slowest axis, side by side as lanes. Its *rows* are sheared, so that no cell of a row waits for another: the cell whose
//! coordinates in the step's order are (p, q), q along the lanes, lies in row p + shear · q. Rows follow each other, and so do strips. What a strip reads
//! beside itself is new where that strip is earlier and old where it is later, as the order asks.

use super::dependences::wraps;
use super::fractal::{Axes, Dimension};
use super::order::{SignedAxis, StepOrder};
use super::rule::{Boundary, Rule, Step};

/// How an ordered step of a plane is computed in strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strips {
    /// The axis along which a lane goes on from row to row.
    pub along: SignedAxis,
    /// The axis of the lanes.
    pub across: SignedAxis,
    /// By how many rows a lane is behind the lane before.
    pub shear: i32,
}

/// A shear above this would leave most lanes idle. Guess: not measured.
const MOST_SHEAR: u64 = 8;

impl Strips {
    /// Where an offset leads: over so many lanes and rows.
    pub fn offset(&self, offset: [i32; 3]) -> [i32; 3] {
        let [p, q] = [self.along, self.across].map(|signed| {
            let along = offset[usize::from(signed.axis)];
            if signed.backwards { -along } else { along }
        });
        [q, p + self.shear * q, 0]
    }
}

impl Rule {
    /// How a step is computed in strips in a box; `None` if its cells can be taken otherwise as well, or must be.
    pub(crate) fn strips(&self, step: &Step, dimension: Dimension, sides: [u64; 3], periodic: Axes) -> Option<Strips> {
        let Some(StepOrder::Along(named)) = &step.order else { return None };
        let reflects = self.edges.contains(&Some(Boundary::Reflect));
        if dimension != Dimension::Two || reflects || sides[0].checked_add(MOST_SHEAR * sides[1])? > i32::MAX as u64 {
            return None;
        }
        let turns = self.turns(step, dimension, sides, periodic);
        let found = self.dependences(step, dimension, wraps(sides, periodic))?;
        match turns[..] {
            [along, across] if found.weights[0] == 1 && found.weights[1] <= MOST_SHEAR => {
                Some(Strips { along, across, shear: found.weights[1] as i32 })
            }
            // Lines that do not look at one another; rows need no strips.
            [along] if along.axis == 0 => {
                let reads = self.reads_of_changed(step, dimension)?;
                let across = SignedAxis { axis: 1, backwards: false };
                let apart = reads.iter().all(|(_, offset)| offset[1] == 0);
                (apart && named.len() <= 2).then_some(Strips { along, across, shear: 0 })
            }
            _ => None,
        }
    }
}
