//! Steps that run once for each colour of a neighbourhood. The colours are found here by walking along each axis, and not as
//! [`Colours`](crate::ir::Colours) finds them.

use super::Oracle;
use crate::ir::{Coloured, Neighbourhood, Op, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Oracle {
    /// Runs some steps once for each colour, colours ascending.
    pub(super) fn take_turns(&mut self, coloured: &Coloured) {
        let rule = Arc::clone(&self.rule);
        let colours = self.colours(&rule.neighbourhoods[usize::from(coloured.neighbourhood)]);
        let (last, fields) = rule.steps[coloured.steps.clone()].split_last().expect("a step, behind its fields");
        for colour in colours.iter().copied().collect::<BTreeSet<u64>>() {
            fields.iter().for_each(|field| self.run(field, &|_| true));
            let mut step = last.clone();
            step.body.nodes[coloured.colour.0 as usize].op = Op::Const(Value::I32(colour as i32));
            self.run(&step, &|c| colours[c] == colour);
        }
    }

    /// The colour of each cell.
    fn colours(&self, neighbourhood: &Neighbourhood) -> Vec<u64> {
        let dimension = self.fractal.dimension;
        let reach = neighbourhood.offsets(dimension).iter().flatten().map(|v| v.unsigned_abs()).max().unwrap_or(0);
        let usual = reach as usize + 1;
        let (mut along, mut counts) = (Vec::new(), usual);
        for axis in 0..dimension.axes() {
            let side = self.grid.sides[axis];
            let longer = if self.fractal.periodic.0[axis] { side % usual } else { 0 };
            let mut places = Vec::new();
            // Long stretches come last.
            while places.len() + longer * (usual + 1) < side {
                places.extend(0..usual);
            }
            (0..longer).for_each(|_| places.extend(0..=usual));
            counts = counts.max(if longer > 0 { usual + 1 } else { usual });
            along.push(places);
        }
        let colour = |place: &usize| {
            let place = self.grid.coordinate(*place);
            let digits = along.iter().zip(place).map(|(along, at)| along[at as usize] as u64);
            match neighbourhood {
                Neighbourhood::VonNeumann(1) => digits.sum::<u64>() % counts as u64,
                _ => digits.rev().fold(0, |colour, digit| colour * counts as u64 + digit),
            }
        };
        self.grid.cells.iter().map(colour).collect()
    }
}
