//! Kernels that were compiled with the program: what the macro `simulation!` makes.

use squeeze_codegen::KernelFn;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Rule;
use squeeze_compiler::layout::Layout;
use squeeze_compiler::passes::Ready;
use squeeze_compiler::plan::candidates;
use squeeze_compiler::target::{Choice, Machine};

/// The functions of kernels, in the order in which [`lower`](squeeze_compiler::lower::lower) makes them: the kernel's name, the function and the
/// compiler's name.
pub type Functions = Vec<(&'static str, KernelFn, &'static str)>;

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
    pub(super) fn plan(&self, domain: &Domain, rule: &Rule, machine: &Machine) -> Option<Choice> {
        let is_theirs = |layout: &Layout| {
            (layout.lane_digits(), layout.micro_digits(), layout.lanes())
                == (self.lane_digits, self.micro_digits, self.lanes)
                && !layout.is_whole()
        };
        let mut all = candidates(domain, rule, machine, 1).into_iter();
        all.find(|choice| choice.steps == self.steps && choice.layout().is_some_and(is_theirs))
    }

    /// The functions of these kernels, which together compute `steps` time steps.
    pub(super) fn functions(&self, steps: u32, kernels: &[Ready]) -> Option<&Functions> {
        let names = || kernels.iter().map(|kernel| kernel.name.as_str());
        let fits = |(of, functions): &&(u32, Functions)| *of == steps && functions.iter().map(|of| of.0).eq(names());
        self.passes.iter().find(fits).map(|(_, functions)| functions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_codegen::Call;
    use squeeze_compiler::{Program, Target};

    #[test]
    fn functions_are_taken_for_kernels_of_their_names_alone() {
        unsafe extern "C" fn nothing(_: *const Call) {}
        let domain = Domain::new(crate::samples::fractal("vicsek"), 3).expect("fits");
        let rule = domain.fit(&crate::samples::rule("life")).expect("it runs there");
        let program = Program::of(&rule, &Target::cpu(1)).expect("it has kernels");
        let name: &'static str = program.steps[0].name.clone().leak();
        let of = |names: &[&'static str], steps: u32| {
            let functions = names.iter().map(|name| (*name, nothing as KernelFn, "none")).collect();
            let passes = vec![(1, functions)];
            let ahead = AheadOfTime { lane_digits: 1, micro_digits: 1, lanes: 3, steps: 1, passes };
            ahead.functions(steps, &program.steps).is_some()
        };
        assert!(of(&[name], 1));
        assert!(!of(&[name], 2) && !of(&[], 1) && !of(&[name, name], 1) && !of(&["another"], 1));
    }
}
