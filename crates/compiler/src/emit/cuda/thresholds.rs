//! Thresholds of random bits: those that are the same in all cells, which are computed once for a block, and all others.

use super::expression::Nodes;
use super::helpers::Helper;
use super::setup::Setup;
use super::threads::{THREADS, member, numbered_superblocks};
use super::writer::Writer;
use crate::kernel::ValueId;

impl Writer<'_> {
    /// Members of which a block may have threads, if a superblock takes so many threads.
    fn members_of_block(&self, threads: u64) -> u64 {
        let of_member = threads * u64::from(numbered_superblocks(self.layout, self.threads.filled));
        let most = u64::from(THREADS);
        if self.members.in_turn() { ((most - 1).div_ceil(of_member) + 1).min(most) } else { 1 }
    }

    /// Lets one warp compute the thresholds that are the same in all cells, or a thread for each member of the block.
    pub(super) fn shared_thresholds(&mut self, threads: u64) {
        let Setup { shared, nodes, nowhere_else } = std::mem::take(&mut self.setup);
        if shared.is_empty() {
            return;
        }
        let threshold_of = self.uses(Helper::Threshold);
        let count = shared.len();
        let at = if self.members.in_turn() {
            let of_block = self.members_of_block(threads);
            self.line(
                "// The thresholds that are the same in all cells of a member: a thread computes them for the block.",
            );
            self.line(&format!("__shared__ Threshold thresholds[{}];", of_block as usize * count));
            let first = member(threads, self.threads.filled, &format!("blockIdx.x * {THREADS}"));
            self.line(&format!("const u32 first_member = {first};"));
            self.line(&format!(
                "if (threadIdx.x < {of_block} && first_member + threadIdx.x < world.superblocks / SUPERBLOCKS) {{"
            ));
            format!("{count} * threadIdx.x + ")
        } else {
            self.line("// The thresholds that are the same in all cells: one warp computes them for the block.");
            self.line(&format!("__shared__ Threshold thresholds[{count}];"));
            self.line("if (threadIdx.x < 32) {");
            String::new()
        };
        let before = self.lines.len();
        if self.members.in_turn() {
            self.line("const u64 *member_params = world.params + (u64)(first_member + threadIdx.x) * PARAMS;");
        }
        for &place in &nodes {
            self.node(place);
        }
        for (number, id) in shared.iter().enumerate() {
            let line = format!("thresholds[{at}{number}] = {threshold_of}({});", self.values[id.0 as usize]);
            self.line(&line);
        }
        self.lines[before..].iter_mut().for_each(|line| line.insert_str(0, "    "));
        self.line("}");
        self.line("__syncthreads();");
        self.setup = Setup { shared, nodes, nowhere_else };
    }

    /// The threshold of a probability.
    pub(super) fn threshold(&mut self, probability: ValueId) -> String {
        let threshold_of = self.uses(Helper::Threshold);
        match self.setup.shared.iter().position(|id| *id == probability) {
            Some(number) if self.members.in_turn() => {
                format!("thresholds[{} * (member - first_member) + {number}]", self.setup.shared.len())
            }
            Some(number) => format!("thresholds[{number}]"),
            None => format!("{threshold_of}({})", self.value(probability)),
        }
    }
}
