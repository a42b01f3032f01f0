//! The pipeline: from a checked rule on a domain to kernels that a back end executes or prints.

use crate::Speciality;
use crate::geometry::FittedRule;
use crate::ir::{
    OrderedStep, Reduction, Round, Rule, RuleParts, StateId, Step, StepOrder, StepSchedule, TileSize, rounds,
};
use crate::kernel::derived::Derived;
use crate::kernel::{Direction, Kernel, Load, Neighbours, VerifyError};
use crate::layout::rows::RowGrid;
use crate::layout::{LayoutError, StoredAs};
use crate::lower::{
    LowerError, MOST_OPERANDS, lower, lower_cell, lower_init, lower_observables, lower_observed_steps, lower_strips,
    lower_turn,
};
use crate::passes::{Ready, prepare};
use crate::plan::{self, Alphabet, Plan, TilesOfClusters, Waves, room, strip_loop};
use crate::reduce::weighted_bits::{self, WeightedBits};
use crate::target::passes::TURNS;
use crate::target::{Choice, Target};
use std::borrow::Cow;
use std::cell::Cell;

/// A rule on a domain, compiled for one target: all that engines and printers are given. Engines share it, and nothing changes it once they have it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The rule.
    pub rule: FittedRule,
    /// The target.
    pub target: Target,
    /// How cells are stored, the time steps of one pass, the memory of the states.
    pub plan: Plan,
    /// Stores the initial values; it loads none.
    pub init: Ready,
    /// Run in turn, compute [`steps`](Choice::steps) time steps.
    pub steps: Vec<Ready>,
    /// How a GPU takes the cells of each step, if it is to run on one and a step has an order.
    pub taken_by_gpu: Vec<TakenByGpu>,
    /// The terms of all reductions and the counts of each quantile, as they were lowered.
    terms: Vec<(Vec<Reduction>, Kernel)>,
}

/// How a GPU takes the cells of a step, and the kernel if it takes them in waves.
pub type TakenByGpu = (StepSchedule, Option<(Waves, Ready)>);

/// Why a rule cannot be compiled for a domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "messages say what the fields are")]
pub enum CompileError {
    /// The rule has no kernels in any layout that was tried.
    #[error("the strategy `lanes` cannot unroll the rule `{rule}` at this level: {reason}")]
    NoKernel { rule: String, reason: LowerError },
    /// The rule has a step whose cells take turns in an order, for an executor that does not let them.
    #[error(
        "step `{step}` of the rule `{rule}` runs `{order}`, and only the backends `cpu`, `reference` and, without `--load-cuda`, `cuda` take cells in an order"
    )]
    Ordered { rule: String, step: String, order: StepOrder },
    /// The rule asks clusters, for an executor that finds none.
    #[error(
        "the rule `{rule}` asks the clusters `{clusters}`, and only the backends `cpu`, `reference` and, on one GPU and without `--load-cuda`, `cuda` find clusters"
    )]
    Clusters { rule: String, clusters: String },
    /// The rule has inputs, for an executor that takes none.
    #[error(
        "the rule `{rule}` reads the input `{input}`, and only the backends `cpu`, `reference` and, without `--load-cuda`, `cuda` take inputs"
    )]
    Inputs { rule: String, input: String },
    /// The domain has no layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A rule that needs more memory than there is room for.
    #[error("{domain} needs {needed} bytes for `{backend}`, and there is room for {available}; {help}")]
    Memory { domain: String, backend: &'static str, needed: u128, available: u64, help: String },
    /// A kernel means nothing: an error of the compiler.
    #[error("kernel `{kernel}`: {error}")]
    Kernel { kernel: String, error: VerifyError },
}

impl CompileError {
    /// The planner knows no layout for a rule.
    pub(crate) fn without_layout(rule: &Rule) -> CompileError {
        CompileError::NoKernel { rule: rule.name.clone(), reason: LowerError::NoLayout }
    }

    /// Refuses rules with ordered steps and with inputs.
    ///
    /// # Errors
    /// [`CompileError::Ordered`], or [`CompileError::Inputs`].
    pub fn refuse_orders(rule: &Rule) -> Result<(), CompileError> {
        if let Some((_, input)) = rule.named_inputs().next() {
            return Err(CompileError::Inputs { rule: rule.name.clone(), input: input.name.clone() });
        }
        let ordered = rule.steps.iter().find_map(|step| Some((step, step.order.clone()?)));
        let error = |(step, order): (&Step, StepOrder)| {
            let step = step.name.clone().unwrap_or_default();
            Err(CompileError::Ordered { rule: rule.name.clone(), step, order })
        };
        ordered.map_or(Ok(()), error)
    }

    /// Refuses rules that ask clusters.
    ///
    /// # Errors
    /// [`CompileError::Clusters`].
    pub fn refuse_clusters(rule: &Rule) -> Result<(), CompileError> {
        match rule.all_clusters().next() {
            Some(of) => Err(CompileError::Clusters { rule: rule.name.clone(), clusters: of.name.clone() }),
            None => Ok(()),
        }
    }

    /// A rule cannot be lowered.
    fn refusing(rule: &RuleParts) -> impl Fn(LowerError) -> CompileError {
        |reason| CompileError::NoKernel { rule: rule.name.clone(), reason }
    }
}

/// Why a program is not kept.
#[derive(Clone, Debug)]
pub enum Refused<E> {
    /// The kernels are too long for their compiler. Shorter ones are tried; this is the error if there are none.
    TooLong(E),
    /// Another choice would be no better.
    Fatal(E),
}

impl<E> From<E> for Refused<E> {
    fn from(error: E) -> Refused<E> {
        Refused::Fatal(error)
    }
}

thread_local!(static COMPILED: Cell<usize> = const { Cell::new(0) });

/// How often this thread has compiled a rule, for tests.
#[doc(hidden)]
pub fn compiled() -> usize {
    COMPILED.get()
}

/// Counts for this thread what another one that worked for it has compiled, for tests.
#[doc(hidden)]
pub fn compiled_elsewhere(times: usize) {
    COMPILED.set(COMPILED.get() + times);
}

/// Compiles a rule on its domain for a target, if it has room: by the first of the planner's choices in which the rule has kernels, and that `accept`
/// makes something of to be kept: tables, machine code, an engine.
///
/// # Errors
/// As [`CompileError`] says, or as `accept` refused.
pub fn compile<T, E: From<CompileError>>(
    rule: &FittedRule,
    target: &Target,
    mut accept: impl FnMut(Program) -> Result<T, Refused<E>>,
) -> Result<T, E> {
    /// More choices of a kind than these are not tried.
    const MOST_TRIES: usize = 12;
    // Sums that are computed for all cells at once are kept in columns.
    let takes_sums =
        target.in_turns && !target.is_gpu() && target.demanded.is_none() && !target.packed && target.part.1 == 1;
    if let Some(with_sums) = takes_sums.then(|| rule.with_sums()).flatten()
        && target.off().allows(Speciality::RunningSums)
    {
        let accept: &mut dyn FnMut(Program) -> Result<T, Refused<E>> = &mut accept;
        if let Ok(kept) = compile(&with_sums, target, accept) {
            return Ok(kept);
        }
    }
    COMPILED.set(COMPILED.get() + 1);
    if !target.in_turns || target.part.1 > 1 {
        CompileError::refuse_orders(rule)?;
    }
    if !target.in_turns || target.part.1 > 1 {
        CompileError::refuse_clusters(rule)?;
    }
    if rule.asks_clusters() && rule.domain().cells() > u64::from(u32::MAX) {
        return Err(CompileError::refusing(rule)(LowerError::ManyCells).into());
    }
    // On a level that is far too high there is no layout.
    room::check(rule, None, target)?;
    let choices = plan::choices(rule.domain(), rule, target).map_err(CompileError::from)?;
    let (mut most_operations, mut refusal) = (f64::INFINITY, E::from(CompileError::without_layout(rule)));
    'shorter: loop {
        let fits = |choice: &&Choice| choice.estimate.operations <= most_operations;
        for choice in choices.iter().flat_map(|kind| kind.iter().filter(fits).take(MOST_TRIES)) {
            let mut program = match Program::by(rule, choice.clone(), target) {
                Err(error @ CompileError::NoKernel { .. }) => {
                    refusal = error.into();
                    continue;
                }
                program => program?,
            };
            program.plan = program.plan.cut(rule, target.part, target.agreed_steps);
            if !rule.sums.is_empty() && program.plan.storage.memory != StoredAs::Columns {
                return Err(refusal);
            }
            if target.is_gpu() && rule.is_ordered() {
                program.taken_by_gpu =
                    rule.steps.iter().map(|step| program.turns_on_gpu(step)).collect::<Result<_, _>>()?;
                let alone = program.plan.grid().is_some_and(|grid| grid.rows_stored_alone().is_some());
                if alone && !program.hands_all_over() {
                    return compile(rule, &Target { keeps_all: true, ..target.clone() }, accept);
                }
                let bytes_of_step = |taken: &TakenByGpu| match taken {
                    (_, Some((waves, _))) => waves.flag_bytes() as u64,
                    // The place of each cell.
                    (StepSchedule::Singly(_), None) => 8 * rule.domain().cells(),
                    _ => 0,
                };
                let lines = rule.given_inputs().filter(|_| alone);
                let lines = lines.map(|(field, axis, _)| rule.state(field).ty.bytes() * rule.domain().extent()[axis]);
                // The places of the last line.
                let last_line = rule.rolling.first().and_then(|state| rule.domain().last_line(rule, *state));
                let last_line = last_line.map(|(axis, _)| {
                    let sides = rule.domain().extent().into_iter().enumerate();
                    8 * sides.filter(|(along, _)| *along != axis).map(|(_, side)| side).product::<u64>()
                });
                let bytes = program.taken_by_gpu.iter().map(bytes_of_step).chain(lines).chain(last_line).sum();
                program.plan = program.plan.in_turns(bytes);
            }
            if target.is_gpu() && rule.asks_clusters() {
                let tiles = TilesOfClusters::of(rule.domain(), rule, &program.plan.storage);
                tiles.map_err(|error| CompileError::refusing(rule)(error.into()))?;
            }
            // Lanes that are members find no superblock far away, and members need not be lanes.
            let (plan, room) = (&program.plan, target.room);
            if plan.members.as_lanes() && (plan.looks_far() || plan.bytes(rule, target) > room) {
                continue;
            }
            room::check(rule, Some(&program.plan), target)?;
            match accept(program) {
                Ok(kept) => return Ok(kept),
                Err(Refused::Fatal(error)) => return Err(error),
                Err(Refused::TooLong(error)) => {
                    // The model may know nothing of them.
                    let half = choice.estimate.operations / 2.0;
                    (most_operations, refusal) = (if half < 1.0 { f64::NEG_INFINITY } else { half }, error);
                    continue 'shorter;
                }
            }
        }
        return Err(refusal);
    }
}

impl Program {
    /// The program of a rule for a target that the planner finds best.
    ///
    /// # Errors
    /// [`CompileError`].
    pub fn of(rule: &FittedRule, target: &Target) -> Result<Program, CompileError> {
        compile(rule, target, Ok)
    }

    /// The program of one of the planner's choices, if the observables have kernels there as well.
    fn by(rule: &FittedRule, choice: Choice, target: &Target) -> Result<Program, CompileError> {
        let refused = CompileError::refusing(rule);
        // Counting takes longer kernels than the terms alone.
        let is_quantile = |index: &usize| matches!(rule.reductions[*index].round, Round::Quantile(..));
        let quantiles = (0..rule.reductions.len()).filter(is_quantile);
        let counts = quantiles.filter_map(|quantile| rounds::later(&rule.with_reductions(&[quantile])));
        let all = (!rule.reductions.is_empty()).then(|| RuleParts::clone(rule));
        let lowered = |of: RuleParts| lower_terms(&of, &choice, target).map(|kernel| (of.reductions, kernel));
        let terms = all.into_iter().chain(counts).map(lowered).collect::<Result<Vec<_>, _>>()?;
        let init = lower_init(rule, choice.seen()).map_err(&refused)?;
        let steps = lower(rule, choice.seen(), choice.steps).map_err(&refused)?;
        let mut derived = Derived::behind(rule.numbers() + rounds::most_numbers(rule), rule.flush);
        let steps = all_ready(steps, choice.grid(), target, &mut derived)?;
        let derived = derived.closed();
        let init = all_ready([init], choice.grid(), target, &mut derived.clone())?.remove(0);
        let step: Vec<_> = steps.iter().map(|kernel| (kernel.kernel(), kernel.interface())).collect();
        let observes_far = terms.first().is_some_and(|(_, kernel)| kernel.neighbours == Neighbours::Far);
        let plan = Plan::new(rule, choice, &step, (observes_far, derived), target);
        let (rule, target) = (rule.clone(), target.clone());
        Ok(Program { rule, target, plan, init, steps, taken_by_gpu: Vec::new(), terms })
    }

    /// The kernels that, run in turn, compute another number of time steps, at most [`Choice::steps`].
    ///
    /// # Errors
    /// [`CompileError::Kernel`], or [`CompileError::NoKernel`] if the system gives no stack.
    pub fn kernels(&self, steps: u32) -> Result<Cow<'_, [Ready]>, CompileError> {
        if steps == self.plan.steps {
            return Ok(Cow::Borrowed(&self.steps));
        }
        let kernels = lower(&self.rule, self.plan.seen(), steps).map_err(CompileError::refusing(&self.rule))?;
        all_ready(kernels, self.plan.grid(), &self.target, &mut self.plan.derived().clone()).map(Cow::Owned)
    }

    /// The kernel that stores the terms of the reductions of a rule like its own, each to one more state after the rule's own.
    ///
    /// # Errors
    /// As [`kernels`](Program::kernels).
    pub fn terms(&self, rule: &RuleParts) -> Result<Ready, CompileError> {
        self.ready(self.lowered_terms(rule)?)
    }

    /// The kernel from whose stores the reductions of a rule like its own are summed up, each as a [`WeightedBits`] says; all must be
    /// [totals](crate::reduce::weighted_bits::is_exact).
    ///
    /// # Errors
    /// As [`kernels`](Program::kernels).
    pub fn totals(&self, rule: &RuleParts) -> Result<(Ready, Vec<WeightedBits>), CompileError> {
        let (kernel, totals) = weighted_bits::of_terms(rule, 1, self.lowered_terms(rule)?);
        Ok((self.ready(kernel)?, totals))
    }

    /// A kernel of `steps` time steps, at most [`Choice::steps`], that also stores the terms of all observables after every `every`-th
    /// one. `every` divides `steps`; the totals are in order of time. `None` where one pass cannot do all of this, as for rules
    /// that draw.
    ///
    /// # Errors
    /// As [`kernels`](Program::kernels).
    pub fn observed_steps(&self, steps: u32, every: u32) -> Result<Option<(Ready, Vec<WeightedBits>)>, CompileError> {
        let Program { rule, plan, .. } = self;
        if rule.step_by_step() || !rule.observed_fields.is_empty() || plan.far {
            return Ok(None);
        }
        let kernel = match lower_observed_steps(rule, plan.seen(), (steps, every), most_operands(&self.target)) {
            Err(LowerError::Reach { .. } | LowerError::TooLong { .. }) => return Ok(None),
            kernel => kernel.map_err(CompileError::refusing(rule))?,
        };
        let (kernel, totals) = weighted_bits::of_terms(rule, (steps / every) as usize, kernel);
        Ok(Some((self.ready(kernel)?, totals)))
    }

    /// How the cells of an ordered step are taken on a CPU, and in strips by which kernel.
    ///
    /// # Errors
    /// As [`kernels`](Program::kernels).
    pub fn taken(&self, step: &Step) -> Result<(StepSchedule, Option<Ready>), CompileError> {
        let (rule, off) = (&self.rule, self.target.off());
        let taken = rule.taken(step);
        let is_packed = self.plan.storage.memory == StoredAs::Cells;
        let strips = match taken {
            StepSchedule::InStrips(..) | StepSchedule::InRows if is_packed => {
                return Ok((StepSchedule::packed(), None));
            }
            StepSchedule::InStrips(..) if !off.allows(Speciality::Strips) => {
                return Ok((StepSchedule::Singly("`strips` is switched off"), None));
            }
            StepSchedule::InRows if off.has(Speciality::RowsInTurn) => {
                return Ok((StepSchedule::Singly("`rows-in-turn` is switched off"), None));
            }
            StepSchedule::InStrips(strips, _) => strips,
            taken => return Ok((taken, None)),
        };
        let kernel = lower_strips(rule, step, strips).map_err(CompileError::refusing(rule))?;
        let loops = self.target.machine.vector_bits == 512 && off.allows(Speciality::StripLoops);
        // Random words come with a tile.
        let target = self.target.clone().without(off.with(Speciality::Planes));
        let ready = |kernel| {
            let ready = all_ready([kernel], None, &target, &mut self.plan.derived().clone())?.remove(0);
            let groups = match ready.bodies() {
                [body] if loops && body.random().is_empty() => {
                    strip_loop::groups((body, body.interface()), rule, strips)
                }
                _ => 0,
            };
            Ok::<_, CompileError>((ready, groups))
        };
        // A kernel of bits goes along many lanes at once, if at all.
        let letters = Alphabet::of(rule).filter(|_| loops && rule.edges.is_empty());
        let by_letters = letters.and_then(|letters| letters.in_kernel(&kernel, rule)).map(ready).transpose()?;
        let (ready, groups) = match by_letters.filter(|(_, groups)| *groups > 0) {
            Some(by_letters) => by_letters,
            None => ready(kernel)?,
        };
        let is_bitwise = ready.bodies().iter().all(|body| body.interface().bitwise);
        let group = if is_bitwise { TileSize::GROUP_OF_BITS } else { TileSize::GROUP };
        let directions = ready.bodies().iter().flat_map(|body| &body.nodes).filter_map(|node| node.op.direction());
        let reach = directions.fold([0; 2], |reach: [i64; 2], direction| {
            [0, 1].map(|axis| reach[axis].max(i64::from(direction.0[axis]).abs()))
        });
        let (extent, periodic) = (rule.domain().extent(), rule.domain().periodic());
        let axes = [strips.along, strips.across].map(|signed| usize::from(signed.axis));
        let plane = (axes.map(|axis| extent[axis] as i64), axes.map(|axis| periodic.0[axis]));
        Ok(match strips.tile(reach, plane, (groups, group), self.target.tile_wish(step)) {
            Some(tile) => (StepSchedule::InStrips(strips, Some(tile)), Some(ready)),
            None => (StepSchedule::Singly("the domain is too short along an axis that wraps"), None),
        })
    }

    /// How the cells of a step are taken on a GPU, and in strips by which kernel.
    fn turns_on_gpu(&self, step: &Step) -> Result<TakenByGpu, CompileError> {
        let (rule, taken) = (&self.rule, self.rule.taken_by_gpu(step));
        let is_packed = self.plan.storage.memory == StoredAs::Cells;
        let strips = match taken {
            StepSchedule::InStrips(..) | StepSchedule::InRows if is_packed => {
                return Ok((StepSchedule::packed(), None));
            }
            StepSchedule::InStrips(strips, _) => strips,
            taken => return Ok((taken, None)),
        };
        let kernel = lower_turn(rule, self.plan.seen(), step).map_err(CompileError::refusing(rule))?;
        let target = self.target.clone().with_passes(TURNS);
        let ready = all_ready([kernel], self.plan.grid(), &target, &mut self.plan.derived().clone())?.remove(0);
        let of = (ready.kernel(), ready.interface());
        match Waves::of(of, strips, rule, (target.wavefront, target.tile)) {
            Ok(waves) => {
                let full = self.plan.grid().is_some_and(RowGrid::is_full);
                let waves = waves.relayed(of, rule, full, &target);
                Ok((taken, Some((waves, ready))))
            }
            Err(why) => Ok((StepSchedule::Singly(why), None)),
        }
    }

    /// Whether strips on a GPU hand over all that they read of the strips before, and inputs are read at the cell alone: then the last line is all to store.
    fn hands_all_over(&self) -> bool {
        let of_step = |taken: &TakenByGpu| {
            let (_, Some((waves, ready))) = taken else { return false };
            let is_input = |load: &Load| self.rule.is_input(StateId(load.state));
            let mut loads = ready.kernel().nodes.iter().filter_map(|node| node.op.load());
            let is_beside = loads.any(|load| is_input(&load) && load.direction != Direction::CENTRE);
            waves.relay.as_ref().is_some_and(|relay| relay.keeps_last_lines()) && !is_beside
        };
        self.taken_by_gpu.iter().all(of_step)
    }

    /// The ordered steps, and how the cells of each are taken on a CPU.
    ///
    /// # Errors
    /// As [`taken`](Program::taken).
    pub fn ordered_steps(&self) -> Result<Vec<(OrderedStep, StepSchedule)>, CompileError> {
        let steps = self.rule.steps.iter().filter(|step| step.order.is_some());
        let with_taken = |(step, of): (&Step, OrderedStep)| Ok((of, self.taken(step)?.0));
        steps.zip(self.rule.ordered_steps()).map(with_taken).collect()
    }

    /// Lowers the terms of a rule like its own, if that was not done to see whether they have a kernel.
    fn lowered_terms(&self, rule: &RuleParts) -> Result<Kernel, CompileError> {
        match self.terms.iter().find(|(reductions, _)| *reductions == rule.reductions) {
            Some((_, kernel)) => Ok(kernel.clone()),
            None => lower_terms(rule, &self.plan, &self.target),
        }
    }

    /// Prepares one more kernel.
    fn ready(&self, kernel: Kernel) -> Result<Ready, CompileError> {
        let mut derived = self.plan.derived().clone();
        Ok(all_ready([kernel], self.plan.grid(), &self.target, &mut derived)?.remove(0))
    }
}

/// The kernels of a single cell whose neighbours are looked for one by one: that of the initial values, and one for each named step.
///
/// # Errors
/// [`CompileError`]; there is no layout that could be another.
pub fn compile_cell(rule: &FittedRule) -> Result<(Ready, Vec<Ready>), CompileError> {
    CompileError::refuse_orders(rule)?;
    CompileError::refuse_clusters(rule)?;
    compile_turn(rule)
}

/// The same for a cell whose turn it is, which reads what stands there then.
///
/// # Errors
/// [`CompileError`]
pub fn compile_turn(rule: &FittedRule) -> Result<(Ready, Vec<Ready>), CompileError> {
    let (init, steps) = lower_cell(rule).map_err(CompileError::refusing(rule))?;
    let target = Target::cell();
    let mut kernels = all_ready(std::iter::once(init).chain(steps), None, &target, &mut Derived::default())?;
    let steps = kernels.split_off(1);
    Ok((kernels.remove(0), steps))
}

/// How many operands a kernel of observables may have before any pass.
fn most_operands(target: &Target) -> u64 {
    MOST_OPERANDS.min(target.machine.longest_whole as u64)
}

/// The raw kernel of the observables' terms. They may look farther than the steps do. The planner knows nothing of them: their length is bounded here.
fn lower_terms(rule: &RuleParts, choice: &Choice, target: &Target) -> Result<Kernel, CompileError> {
    let most = most_operands(target);
    let lowered = |rule: &RuleParts| match lower_observables(rule, choice.seen(), most) {
        Err(LowerError::Reach { .. }) if target.far => lower_observables(rule, (&choice.storage, true), most),
        kernel => kernel,
    };
    let is_long = |index: &usize| lowered(&rule.with_reductions(&[*index])) == Err(LowerError::TooLong { most });
    // The first reduction of an observable or global has its name, and others have a number behind it.
    let names = || rule.observables.iter().map(|of| &of.name).chain(rule.globals.iter().map(|of| &of.name));
    let of = |index: usize| {
        let name = names().filter(|name| rule.reductions[index].name.starts_with(*name)).max_by_key(|name| name.len());
        name.map(|name| format!("the observable `{name}`"))
    };
    let kernel = lowered(rule).map_err(|reason| match reason {
        LowerError::TooLong { most } => {
            let long = (0..rule.reductions.len()).find(is_long).and_then(of);
            LowerError::LongTerms { of: long.unwrap_or("all observables".to_owned()), most }
        }
        reason => reason,
    });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Domain;
    use crate::layout::{Layout, StoredAs};
    use crate::plan::Window;
    use crate::samples::library;
    use crate::target::{Machine, Members};
    use crate::{samples, shipped};

    fn life_on(domain: &Domain) -> FittedRule {
        let rules = library(shipped::rule_source("life").expect("it ships")).rules;
        domain.fit(&rules[0]).expect("it runs there")
    }

    fn life(level: u32) -> FittedRule {
        life_on(&Domain::new(samples::triangle(), level).expect("fits"))
    }

    /// NVRTC takes minutes for what is compiled at once for processors.
    #[test]
    fn observables_that_are_too_long_for_a_gpu_are_refused_by_name() {
        let sheet = "domain sheet { size (300, 200) }";
        let on_sheet = |observables: &str| {
            let text =
                format!("rule r {{ state a: f32\ninit a = uniform()\nnext a = a * 0.5\n{observables} }}\n{sheet}");
            let mut library = library(&text);
            let sheet = Domain::new(library.fractals.remove(0), 1).expect("fits");
            sheet.fit(&library.rules[0]).expect("it runs there")
        };
        let seen = |rule: &FittedRule, target: Target| match Program::of(rule, &target) {
            Err(CompileError::NoKernel { reason, .. }) => Some(reason.to_string()),
            program => program.map(|_| None).expect("it has kernels or none"),
        };
        let term = |name: &str, radius: u32| {
            format!("observe {name} = sum(sum(moore({radius}), nb.a * f32(dx + {radius} * dy)))\n")
        };
        let far = on_sheet(&format!("observe total = sum(a) + mean(a * a)\n{}", term("total_2", 60)));
        let reason = seen(&far, Target::cuda()).expect("it is too long");
        assert!(
            reason.starts_with("the kernel of the observable `total_2` would have more than 20000 operands"),
            "{reason}"
        );
        assert!(reason.ends_with("`--backend cpu` takes more"), "{reason}");
        assert_eq!(seen(&far, Target::cpu(2)), None);
        let each = [("b", 37), ("c", 38), ("d", 39)].map(|(name, radius)| term(name, radius));
        assert_eq!(seen(&on_sheet(&each[0]), Target::cuda()), None);
        let reason = seen(&on_sheet(&each.concat()), Target::cuda()).expect("together they are too long");
        assert!(reason.starts_with("the kernel of all observables would"), "{reason}");
    }

    #[test]
    fn kernels_that_are_refused_as_too_long_make_way_for_shorter_ones() {
        let (rule, target) = (life(9), Target::cpu(2));
        let mut lengths = Vec::new();
        let kept = compile(&rule, &target, |program| {
            lengths.push(program.plan.estimate.operations);
            let refusal = CompileError::without_layout(&program.rule);
            if lengths.len() < 3 { Err(Refused::TooLong(refusal)) } else { Ok(program.plan) }
        });
        assert!(kept.is_ok() && lengths.len() == 3, "{lengths:?}");
        assert!(lengths.windows(2).all(|pair| 2.0 * pair[1] <= pair[0]), "{lengths:?}");
        let none = compile(&rule, &target, |program| {
            Err::<(), _>(Refused::TooLong(CompileError::without_layout(&program.rule)))
        });
        assert_eq!(none, Err(CompileError::without_layout(&rule)));
        let mut asked = 0;
        let fatal = compile(&rule, &target, |program| {
            asked += 1;
            Err::<(), Refused<CompileError>>(CompileError::without_layout(&program.rule).into())
        });
        assert!(fatal.is_err() && asked == 1);
    }

    /// A level that is far too high has no layout, and is refused for its memory all the same.
    #[test]
    fn memory_is_asked_before_layouts_and_of_each_plan() {
        for target in [Target::cpu(2), Target::cuda()].map(|target| target.within(1 << 26, false)) {
            let level = |of: u32| match Program::of(&life(of), &target) {
                Err(CompileError::Memory { help, .. }) => {
                    help.split(' ').next_back().and_then(|last| last.parse().ok())
                }
                Err(error) => panic!("{error}"),
                Ok(_) => None,
            };
            let largest: u32 = level(40).expect("it does not fit");
            assert_eq!((level(largest), level(largest + 1)), (None, Some(largest)));
        }
    }

    /// Parts are stored where there is no room for the whole, each as the others are.
    #[test]
    fn a_part_takes_the_room_of_a_part() {
        let sheet = library("domain sheet { size (4000, 3000) }").fractals.remove(0);
        let sheet = Domain::new(sheet, 1).expect("fits");
        for (rule, target) in [
            (life(10), Target::cpu(2)),
            (life_on(&sheet), Target::cpu(2)),
            (life(10), Target::cuda()),
            (life_on(&sheet), Target::cuda()),
        ] {
            let small = rule.domain().levels().map(|_| Layout::new(rule.domain(), 4, 0).expect("it is high"));
            let target = target.demanding(small.map(|layout| Choice::of_layout(layout, false)));
            let of = |room: u64, part: (u32, u32)| {
                let target = Target { room, part, ..target.clone() };
                let program = Program::of(&rule, &target)?;
                assert!(program.plan.storage.memory == StoredAs::Columns);
                Ok(program.plan.bytes(&rule, &target))
            };
            let whole = of(u64::MAX, (0, 1)).expect("there is room");
            let parts: Vec<u64> = (0..8).map(|number| of(u64::MAX, (number, 8)).expect("there is room")).collect();
            let most = parts.iter().copied().fold(0, u64::max);
            assert!(2 * most < whole, "{parts:?} of {whole}");
            assert!(matches!(of(most, (0, 1)), Err(CompileError::Memory { .. })));
            assert!((0..8).map(|number| of(most, (number, 8))).eq(parts.iter().map(|bytes| Ok(*bytes))));
            assert!(matches!(of(parts[2] / 2, (2, 8)), Err(CompileError::Memory { .. })));
        }
    }

    #[test]
    fn kernels_that_are_there_are_not_lowered_again() {
        let program = Program::of(&life(9), &Target::cpu(2)).expect("it has kernels");
        assert!(matches!(program.kernels(program.plan.steps), Ok(Cow::Borrowed(_))));
        let lowered = lower_terms(&program.rule, &program.plan, &program.target);
        assert!(lowered.is_ok() && lowered == program.lowered_terms(&program.rule) && program.terms.len() == 1);
    }

    fn on_sheet(rule: &FittedRule) -> FittedRule {
        let sheet = library("domain sheet { size (16384, 16384) }").fractals.remove(0);
        Domain::new(sheet, 1).expect("fits").fit(rule.written()).expect("it runs there")
    }

    /// Engines divide the steps of a run by this alone.
    #[test]
    fn passes_are_of_the_most_steps_and_of_what_is_left() {
        let (triangle, sheet) = (life(9), on_sheet(&life(1)));
        let plan = |rule: &FittedRule, target: &Target| Program::of(rule, target).expect("it has kernels").plan;
        let passes = |plan: &Plan, steps: u32| plan.passes(steps).collect::<Vec<_>>();
        let registers = plan(&sheet, &Target::cuda());
        assert_eq!((registers.window(), registers.steps), (Window::Registers, 1));
        assert_eq!((passes(&registers, 11), passes(&registers, 3)), (vec![(2, 4), (3, 1)], vec![(3, 1)]));
        let band = plan(&sheet, &Target::cpu(2));
        let Window::Band { steps: most } = band.window() else { panic!("no cache holds it") };
        assert_eq!(passes(&band, 3 * most - 1), [(2, most), (1, most - 1)]);
        let choices = plan::candidates(triangle.domain(), &triangle, &Machine::cpu(2), 1);
        let of_three = choices.into_iter().find(|choice| choice.steps == 3);
        let lanes = plan(&triangle, &Target::cpu(2).demanding(of_three));
        assert_eq!(
            (passes(&lanes, 8), passes(&lanes, 6), passes(&lanes, 0)),
            (vec![(2, 3), (1, 2)], vec![(2, 3)], vec![])
        );
        for plan in [registers, band, lanes] {
            for steps in 0..40 {
                assert_eq!(plan.passes(steps).map(|(passes, each)| passes * each).sum::<u32>(), steps);
                assert!(plan.passes(steps).all(|(_, each)| plan.steps_of_kernel(each) <= plan.steps));
            }
        }
    }

    #[test]
    fn lanes_of_members_rest_on_processors_alone() {
        let rule = life(5);
        let rests = |target: Target, members: u32| {
            let target = target.with_members(Members::AsLanes(members));
            Program::of(&rule, &target).map(|program| program.plan.rests())
        };
        assert_eq!((rests(Target::cpu(2), 4000), rests(Target::cuda(), 4000)), (Ok(true), Ok(false)));
    }
}
