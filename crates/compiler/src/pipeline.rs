//! The pipeline: from a checked rule on a domain to kernels that a back end executes or prints.

use crate::geometry::FittedRule;
use crate::ir::{Round, Rule, RuleParts, rounds};
use crate::kernel::derived::Derived;
use crate::kernel::{Interface, Kernel, Neighbours, VerifyError};
use crate::layout::rows::RowGrid;
use crate::layout::{Geometry, LayoutError, StoredAs};
use crate::lower::{LowerError, lower, lower_cell, lower_init, lower_observables, lower_observed_steps};
use crate::passes::{Ready, prepare};
use crate::plan::{self, Plan, Window};
use crate::reduce::weighted_bits::{self, WeightedBits};
use crate::target::Target;
use crate::target::speciality::Speciality;
use std::collections::BTreeSet;

/// A rule on a domain, ready for one target.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The layout, the time steps of one pass, the memory of the states.
    pub plan: Plan,
    /// Stores the initial values; it loads none.
    pub init: Ready,
    /// Run in turn, compute as many time steps as one pass carries.
    pub steps: Vec<Ready>,
    /// Whether the observables look farther than into the superblocks beside their own.
    pub observes_far: bool,
}

/// Why a rule cannot be compiled for a domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "messages say what the fields are")]
pub enum CompileError {
    /// The rule has no kernels in any layout that was tried.
    #[error("the strategy `lanes` cannot unroll the rule `{rule}` at this level: {reason}")]
    NoKernel { rule: String, reason: LowerError },
    /// The domain has no layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A kernel means nothing: an error of the compiler.
    #[error("kernel `{kernel}`: {error}")]
    Kernel { kernel: String, error: VerifyError },
}

impl CompileError {
    /// The planner knows no layout for a rule.
    pub fn without_layout(rule: &Rule) -> CompileError {
        CompileError::NoKernel { rule: rule.name.clone(), reason: LowerError::NoLayout }
    }

    /// A rule cannot be lowered.
    fn refusing(rule: &RuleParts) -> impl Fn(LowerError) -> CompileError {
        |reason| CompileError::NoKernel { rule: rule.name.clone(), reason }
    }
}

/// Compiles a rule on its domain for a target: the first of the planner's choices in which the rule has kernels.
///
/// # Errors
/// [`CompileError`].
pub fn compile(rule: &FittedRule, target: &Target) -> Result<Compiled, CompileError> {
    let mut refusal = CompileError::without_layout(rule);
    for plan in plan::choices(rule.domain(), rule, target)? {
        match compile_plan(rule, plan, target) {
            Err(error @ CompileError::NoKernel { .. }) => refusal = error,
            compiled => return compiled,
        }
    }
    Err(refusal)
}

/// Compiles a rule by one of the planner's choices, if its observables have kernels there as well.
///
/// # Errors
/// [`CompileError`].
pub fn compile_plan(rule: &FittedRule, plan: Plan, target: &Target) -> Result<Compiled, CompileError> {
    let refused = CompileError::refusing(rule);
    let observes_far = !rule.reductions.is_empty() && lower_terms(rule, &plan, target)?.neighbours == Neighbours::Far;
    // Counting takes longer kernels than the terms alone.
    let is_quantile = |index: &usize| matches!(rule.reductions[*index].round, Round::Quantile(_));
    for quantile in (0..rule.reductions.len()).filter(is_quantile) {
        let alone = rule.with_reductions(&[quantile]);
        rounds::later(&alone).map(|counts| lower_terms(&counts, &plan, target)).transpose()?;
    }
    let init = lower_init(rule, plan.seen()).map_err(&refused)?;
    let steps = lower(rule, plan.seen(), plan.steps()).map_err(&refused)?;
    let mut derived = Derived::behind(rule.numbers() + rounds::most_numbers(rule), rule.flush);
    let steps = all_ready(steps, plan.grid(), target, &mut derived)?;
    let plan = Plan { derived: derived.closed(), ..plan };
    let init = ready(init, &plan, target)?;
    let step: Vec<_> = steps.iter().map(|kernel| (kernel.kernel(), kernel.interface())).collect();
    let (window, rests) = (Window::of(&plan, rule, &step, target), depends_on_states_alone(&plan, rule, &step, target));
    let plan = Plan { window, rests, ..plan };
    Ok(Compiled { plan, init, steps, observes_far })
}

/// Whether units of a plan whose steps are these kernels may rest, and who looks at whom is known. Buffers hold what was there one time step before if
/// one kernel alone writes each; globals may be anything in between; steps that are left out exchange no buffers. A GPU lists units of one kernel.
fn depends_on_states_alone(plan: &Plan, rule: &FittedRule, step: &[(&Kernel, &Interface)], target: &Target) -> bool {
    let beside = |interface: &Interface| match (&plan.storage.geometry, plan.storage.memory) {
        (Geometry::Replicas(_), _) => interface.far.is_empty(),
        (Geometry::Rows(_), memory) => memory == StoredAs::Columns,
    };
    let rests = |interface: &Interface| beside(interface) && !interface.time && interface.loads();
    let written: Vec<_> = step.iter().flat_map(|(_, interface)| &interface.writes).collect();
    let once = written.iter().collect::<BTreeSet<_>>().len() == written.len();
    let few = step.len() == 1 || !target.is_gpu();
    let alone = rule.globals.is_empty() && rule.skips().is_empty() && target.members == 1;
    let all = once && few && alone && step.iter().all(|(_, interface)| rests(interface));
    all && target.off().allows(Speciality::Activity)
}

/// Compiles a rule with members as lanes, and says how many share columns: in those of the planner's choices (`plan::member_lanes`) in which no kernel looks
/// farther than beside its column, the cheapest first. `otherwise` is what a member costs by itself, in picoseconds a cell and step on one thread: dearer choices are left out.
pub fn compile_member_lanes(
    rule: &FittedRule,
    target: &Target,
    members_and_threads: (usize, usize),
    otherwise: f64,
) -> impl Iterator<Item = Result<(Compiled, usize), CompileError>> {
    let of_choice = |(candidate, size)| match compile_plan(rule, Plan::of_members(rule, candidate, size), target) {
        Err(CompileError::NoKernel { .. }) => None,
        Ok(compiled) if compiled.observes_far || compiled.plan.seen().1 => None,
        compiled => Some(compiled.map(|compiled| (compiled, size))),
    };
    plan::member_lanes(rule, target, members_and_threads, otherwise).into_iter().filter_map(of_choice)
}

/// The kernels that, run in turn, compute another number of time steps, at most [`Plan::steps`].
///
/// # Errors
/// [`CompileError::Kernel`], or [`CompileError::NoKernel`] if the system gives no stack; nothing else for a plan that [`compile`] gave.
pub fn compile_steps(rule: &FittedRule, plan: &Plan, steps: u32, target: &Target) -> Result<Vec<Ready>, CompileError> {
    let kernels = lower(rule, plan.seen(), steps).map_err(CompileError::refusing(rule))?;
    all_ready(kernels, plan.grid(), target, &mut plan.derived.clone())
}

/// The kernel that stores the terms of the observables, each to one more state after the rule's own.
///
/// # Errors
/// As [`compile_steps`].
pub fn compile_observables(rule: &RuleParts, plan: &Plan, target: &Target) -> Result<Ready, CompileError> {
    ready(lower_terms(rule, plan, target)?, plan, target)
}

/// The kernel from whose stores all observables are summed up, each as a [`WeightedBits`] says; all must be
/// [totals](crate::reduce::weighted_bits::is_exact).
///
/// # Errors
/// As [`compile_steps`].
pub fn compile_totals(
    rule: &RuleParts,
    plan: &Plan,
    target: &Target,
) -> Result<(Ready, Vec<WeightedBits>), CompileError> {
    let (kernel, totals) = weighted_bits::of_terms(rule, 1, lower_terms(rule, plan, target)?);
    Ok((ready(kernel, plan, target)?, totals))
}

/// A kernel of `steps` time steps, at most [`Plan::steps`], that also stores the terms of all observables after every `every`-th
/// one. `every` divides `steps`; the totals are in order of time. `None` where one pass cannot do all of this, as for rules
/// that draw.
///
/// # Errors
/// As [`compile_steps`].
pub fn compile_observed_steps(
    rule: &FittedRule,
    plan: &Plan,
    (steps, every): (u32, u32),
    target: &Target,
) -> Result<Option<(Ready, Vec<WeightedBits>)>, CompileError> {
    if rule.step_by_step() || !rule.observed_fields.is_empty() || plan.seen().1 {
        return Ok(None);
    }
    let kernel = match lower_observed_steps(rule, plan.seen(), steps, every) {
        Err(LowerError::Reach { .. } | LowerError::TooLong) => return Ok(None),
        kernel => kernel.map_err(CompileError::refusing(rule))?,
    };
    let (kernel, totals) = weighted_bits::of_terms(rule, (steps / every) as usize, kernel);
    Ok(Some((ready(kernel, plan, target)?, totals)))
}

/// The kernels of a single cell whose neighbours are looked for one by one: that of the initial values, and one for each named step.
///
/// # Errors
/// [`CompileError`]; there is no layout that could be another.
pub fn compile_cell(rule: &FittedRule) -> Result<(Ready, Vec<Ready>), CompileError> {
    let (init, steps) = lower_cell(rule).map_err(CompileError::refusing(rule))?;
    let target = Target::cell();
    let mut kernels = all_ready(std::iter::once(init).chain(steps), None, &target, &mut Derived::default())?;
    let steps = kernels.split_off(1);
    Ok((kernels.remove(0), steps))
}

/// The raw kernel of the observables' terms. They may look farther than the steps do.
fn lower_terms(rule: &RuleParts, plan: &Plan, target: &Target) -> Result<Kernel, CompileError> {
    let kernel = match lower_observables(rule, plan.seen()) {
        Err(LowerError::Reach { .. }) if target.far => lower_observables(rule, (&plan.storage, true)),
        kernel => kernel,
    };
    kernel.map_err(CompileError::refusing(rule))
}

/// Prepares kernels, which may read the numbers that are `derived` from the parameters; an error names the kernel.
fn all_ready(
    kernels: impl IntoIterator<Item = Kernel>,
    grid: Option<&RowGrid>,
    target: &Target,
    derived: &mut Derived,
) -> Result<Vec<Ready>, CompileError> {
    let ready = |kernel: Kernel| {
        let name = kernel.name.clone();
        prepare(kernel, grid, target, derived).map_err(|error| CompileError::Kernel { kernel: name, error })
    };
    kernels.into_iter().map(ready).collect()
}

/// Prepares one kernel of a plan.
fn ready(kernel: Kernel, plan: &Plan, target: &Target) -> Result<Ready, CompileError> {
    Ok(all_ready([kernel], plan.grid(), target, &mut plan.derived.clone())?.remove(0))
}
