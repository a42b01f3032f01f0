//! The second body of a kernel: what a warp does whose superblocks have all their neighbours.

use super::repeats::Repeats;
use super::setup::Setup;
use super::writer::Writer;
use crate::kernel::{Kernel, Op, ValueId};
use crate::passes::inside::Sameness;

impl<'a> Writer<'a> {
    /// The condition, if there is a body for it: that nothing is missing in any thread of the warp.
    pub(super) fn condition(&self) -> String {
        let exists = |names: &str| format!("{names}.wrap == STAY && {names}.superblock != world.superblocks");
        let all: Vec<String> = self.directions.values().map(|names| exists(&names.neighbour)).collect();
        all.join(" && ")
    }

    /// Which thresholds that are computed for the block the kernel takes, by their numbers there; `None` if it wants others, too.
    pub(super) fn same_thresholds(&self, inside: &Kernel) -> Option<Setup> {
        if self.setup.shared.is_empty() {
            // Each thread computes its own.
            return Some(Setup::default());
        }
        let (own, mut sameness) = (Setup::of(inside), Sameness::default());
        let mut shared = vec![ValueId(u32::MAX); self.setup.shared.len()];
        for id in &own.shared {
            let same = |of: &ValueId| sameness.same(inside, *id, self.kernel, *of);
            shared[self.setup.shared.iter().position(same)?] = *id;
        }
        Some(Setup { shared, ..own })
    }

    /// The body of a kernel that may stand for this one, with the thresholds that [`same_thresholds`](Writer::same_thresholds) found.
    pub(super) fn body_of(&mut self, inside: &'a Kernel, setup: Setup) -> Vec<String> {
        let values = self.names_of_values(inside);
        let mut directions = self.directions.clone();
        for names in directions.values_mut() {
            let loads =
                |(_, node): &(usize, _)| matches!(node, Op::Load { direction, .. } if *direction == names.direction);
            let ops = inside.nodes.iter().map(|node| node.op.clone()).enumerate();
            names.loads = ops.filter(loads).map(|(place, _)| place).collect();
        }
        let kept = (self.kernel, std::mem::take(&mut self.lines));
        self.kernel = inside;
        std::mem::swap(&mut self.directions, &mut directions);
        let repeats = std::mem::replace(&mut self.repeats, Repeats::none(&inside.nodes));
        let values = std::mem::replace(&mut self.values, values);
        let setup = std::mem::replace(&mut self.setup, setup);
        self.loads(false);
        self.rule();
        (self.kernel, self.repeats, self.values) = (kept.0, repeats, values);
        (self.setup, self.directions) = (setup, directions);
        std::mem::replace(&mut self.lines, kept.1)
    }
}
