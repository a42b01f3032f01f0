//! Kernels that were compiled with the program: what the macro `simulation!` makes.

use squeeze_codegen::KernelFn;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Rule;
use squeeze_compiler::plan::candidates;
use squeeze_compiler::target::{Candidate, Machine};

/// The functions of kernels, in the order in which [`lower`](squeeze_compiler::lower::lower) makes them, each with the name of
/// what compiled it.
pub type Functions = Vec<(KernelFn, &'static str)>;

/// Compiled kernels of one rule on one fractal, and the layout that they were made for.
#[derive(Clone, Debug)]
pub struct AheadOfTime {
    /// T.
    pub lane_digits: u32,
    /// L.
    pub micro_digits: u32,
    /// The lanes of a column.
    pub lanes: usize,
    /// The most time steps of one pass.
    pub steps: u32,
    /// Numbers of time steps, each with the kernels that together compute them.
    pub passes: Vec<(u32, Functions)>,
}

impl AheadOfTime {
    /// The plan that these kernels are for, among those that suit a level; `None` if the level has no such layout.
    pub(super) fn plan(&self, domain: &Domain, rule: &Rule, machine: &Machine) -> Option<Candidate> {
        candidates(domain, rule, machine, 1).into_iter().find(|candidate| {
            let layout = &candidate.layout;
            (layout.lane_digits(), layout.micro_digits(), candidate.steps)
                == (self.lane_digits, self.micro_digits, self.steps)
                && layout.lanes() == self.lanes
                && !layout.is_whole()
        })
    }

    /// The functions that together compute `steps` time steps.
    pub(super) fn functions(&self, steps: u32) -> Option<&Functions> {
        self.passes.iter().find(|(of, _)| *of == steps).map(|(_, functions)| functions)
    }
}
