//! Passes: the phases of one or several time steps, in turn, of one member or many, on any device. Kernels compute the named steps, and the host
//! the globals between them, from reductions over all cells.

use crate::params::Params;
use crate::totals::Reduced;
use crate::{Engine, MemberInputs, Result};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{Phase, Skips};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::global_expr;

/// What an engine computes at once.
pub struct Pass<K> {
    rule: FittedRule,
    skips: Skips,
    /// How many time steps.
    pub steps: u32,
    /// What it does, in this order.
    phases: Vec<Phase>,
    /// The kernels of its steps, by their numbers.
    pub kernels: Vec<K>,
}

/// An engine whose kernels are run phase by phase.
pub trait KernelEngine<K>: Engine {
    /// What its members are told.
    fn inputs(&self) -> &[MemberInputs];

    /// Computes a step of a pass by its kernel, whose results are the present states then. The time stays that of the last pass.
    ///
    /// # Errors
    /// If the machine fails.
    fn run_step(&mut self, pass: &Pass<K>, step: usize) -> Result<()>;
}

impl<K> Pass<K> {
    /// That of the kernels which together compute `steps` time steps of a rule: one for each named step, or one for all of them.
    pub fn new(rule: &FittedRule, steps: u32, kernels: Vec<K>) -> Pass<K> {
        let mut phases = rule.phases();
        phases.retain(|phase| !matches!(phase, Phase::Step(step) if *step >= kernels.len()));
        Pass { rule: rule.clone(), skips: rule.skips(), steps, phases, kernels }
    }

    /// Which phases none of these members takes, in the step that computes `time`; empty where it is none at all times.
    pub(crate) fn skipped(&self, time: u32, members: &[MemberInputs]) -> Vec<bool> {
        if self.skips.is_empty() {
            return Vec::new();
        }
        self.phases.iter().map(|phase| self.skips(phase, time, members)).collect()
    }

    /// Whether none of these members takes a phase of the step that computes `time`.
    fn skips(&self, phase: &Phase, time: u32, members: &[MemberInputs]) -> bool {
        let bits = |member: &MemberInputs, number: u16| member.params[usize::from(number)].bits();
        self.skips.skip(phase, time, members.iter().map(|member| move |number| bits(member, number)))
    }

    /// Computes it, but for the phases that no member takes.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn run(&self, engine: &mut impl KernelEngine<K>) -> Result<()> {
        let time = engine.time();
        for phase in &self.phases {
            if self.skips(phase, time + 1, engine.inputs()) {
                continue;
            }
            match phase {
                Phase::Globals { before, reductions } => self.compute_globals(engine, *before, reductions)?,
                Phase::Step(step) => engine.run_step(self, *step)?,
            }
        }
        engine.set_time(time + self.steps);
        Ok(())
    }

    /// Gives the globals before a step their values, among the parameters of each member.
    fn compute_globals(&self, engine: &mut impl KernelEngine<K>, before: usize, which: &[usize]) -> Result<()> {
        let (rule, time, members) = (&self.rule, engine.time(), engine.inputs().to_vec());
        let values = match which.is_empty() {
            true => vec![Vec::new(); members.len()],
            false => {
                // `step` is the time of the state being computed.
                engine.set_time(time + 1);
                let values = engine.reduce(which);
                engine.set_time(time);
                values?
            }
        };
        let of_member = |(MemberInputs { seed, mut params }, values): (MemberInputs, Vec<ObservedValue>)| {
            let reductions = global_expr::in_their_places(rule, which, values);
            for (global, value) in &rule.steps[before].globals {
                // One may be computed from those above it.
                let reduced = Reduced { rule, params: &params, time: time + 1, seed, reductions: &reductions };
                let value = reduced.with_inputs(|inputs| global_expr::evaluate(value, inputs, &[]));
                let ty = rule.globals[usize::from(*global)].ty;
                params.values[rule.params.len() + usize::from(*global)] = global_expr::as_value(&value, ty);
            }
            params
        };
        engine.set_params(&members.into_iter().zip(values).map(of_member).collect::<Vec<Params>>())
    }
}

impl MemberInputs {
    /// Those of a member with these parameters: its globals are what they are before any step.
    pub fn new(rule: &FittedRule, seed: u64, params: &Params) -> MemberInputs {
        let reduced = Reduced { rule, params, time: 0, seed, reductions: &[] };
        let globals = reduced.with_inputs(|inputs| global_expr::initial_globals(rule, inputs));
        let mut params = params.clone();
        params.values.extend(globals);
        MemberInputs { seed, params }
    }
}
