//! The second body of a kernel, for a warp whose superblocks have all their neighbours.

use super::lanes::LanePrinter;
use super::repeats::Repeats;
use crate::kernel::Kernel;

impl<'a> LanePrinter<'a> {
    /// The condition, if there is a body for it: that nothing is missing in any thread of the warp.
    pub(super) fn condition(&self) -> String {
        let exists = |names: &str| format!("{names}.wrap == STAY && {names}.superblock != world.absent");
        let all: Vec<String> = self.cells.directions.values().map(|names| exists(&names.neighbour)).collect();
        all.join(" && ")
    }

    /// The body of a kernel that may replace this one, with the texts of its nodes.
    pub(super) fn body_of(&mut self, inside: &'a Kernel, values: Vec<String>) -> Vec<String> {
        let mut directions = self.cells.directions.clone();
        for names in directions.values_mut() {
            let loads = inside.nodes.iter().map(|node| node.op.load()).enumerate();
            let there = loads.filter(|(_, load)| load.is_some_and(|load| load.direction == names.direction));
            names.loads = there.map(|(place, _)| place).collect();
        }
        let kept = (self.kernel, std::mem::take(&mut self.lines));
        self.kernel = inside;
        std::mem::swap(&mut self.cells.directions, &mut directions);
        let repeats = std::mem::replace(&mut self.cells.repeats, Repeats::none(&inside.nodes));
        let values = std::mem::replace(&mut self.values, values);
        self.loads(false);
        self.rule();
        (self.kernel, self.cells.repeats, self.values, self.cells.directions) = (kept.0, repeats, values, directions);
        std::mem::replace(&mut self.lines, kept.1)
    }
}
