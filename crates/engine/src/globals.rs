//! Globals: reductions over all cells, computed between the named steps of a time step.

use super::{Engine, MemberInputs, Result, Run};
use crate::packed::StateValues;
use crate::params::Params;
use crate::totals::Reduced;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::{GlobalExpr, Phase, Rule};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::global_expr;

/// What is needed to compute globals.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    /// The rule.
    pub rule: &'a FittedRule,
    /// The values of its parameters.
    pub params: &'a Params,
    /// The seed.
    pub seed: u64,
}

/// Canonical indices that are written at a time.
const CHUNK: u64 = 1 << 20;

impl Course<'_> {
    /// What an engine takes as parameters: the rule's, and its globals as they are before any step.
    pub fn params(&self) -> Params {
        let reduced = self.reduced(0, &[]);
        let globals = reduced.with_inputs(|inputs| global_expr::initial_globals(self.rule, inputs));
        let mut params = self.params.clone();
        params.values.extend(globals);
        params
    }

    /// What an engine is told of a member.
    pub(crate) fn inputs(&self) -> MemberInputs {
        MemberInputs { seed: self.seed, params: self.params() }
    }

    /// Gives a member of an engine at its beginning what kernels do not compute.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn begin(&self, engine: &mut dyn Engine, member: usize) -> Result<()> {
        let (Some(index), false) = (self.rule.index, engine.about().computes_globals) else { return Ok(()) };
        let cells = self.rule.domain().cells();
        for first in (0..cells).step_by(CHUNK as usize) {
            let cells = first..cells.min(first + CHUNK);
            let bytes: Vec<u8> = cells.clone().flat_map(|c| (c as i64).to_le_bytes()).collect();
            engine.write(member, &StateValues { state: index, cells, bytes: bytes.into() })?;
        }
        Ok(())
    }

    /// Computes globals among the parameters, from what all cells come to: the values of some reductions.
    fn compute(
        &self,
        globals: &[(u16, GlobalExpr)],
        (which, values): (&[usize], Vec<ObservedValue>),
        time: u32,
        params: &mut Params,
    ) {
        let reductions = global_expr::in_their_places(self.rule, which, values);
        for (global, value) in globals {
            // One may be computed from those above it.
            let reduced = Reduced { params, ..self.reduced(time, &reductions) };
            let value = reduced.with_inputs(|inputs| global_expr::evaluate(value, inputs, &[]));
            let ty = self.rule.globals[usize::from(*global)].ty;
            params.values[self.rule.params.len() + usize::from(*global)] = global_expr::as_value(&value, ty);
        }
    }

    fn reduced<'r>(&'r self, time: u32, reductions: &'r [ObservedValue]) -> Reduced<'r> {
        Reduced { rule: self.rule, params: self.params, time, seed: self.seed, reductions }
    }
}

/// Computes time steps of all members of an engine.
///
/// # Errors
/// If the machine fails.
pub fn step(courses: &[Course<'_>], engine: &mut dyn Engine, steps: u32) -> Result<()> {
    let rule = courses[0].rule;
    if !is_between_steps(rule, engine) {
        return engine.run(Run::Steps(steps));
    }
    let mut params: Vec<Params> = courses.iter().map(Course::params).collect();
    let (phases, skips) = (rule.phases(), rule.skips());
    for _ in 0..steps {
        let time = engine.time();
        for phase in &phases {
            let (globals, which) = match phase {
                Phase::Step(index, _) => {
                    engine.run(Run::Part(*index))?;
                    continue;
                }
                Phase::Globals { before, globals, reductions } => {
                    let members = params.iter().map(|params: &Params| |number: u16| params[usize::from(number)].bits());
                    if skips.skip_globals(*before, time + 1, members) {
                        continue;
                    }
                    (globals, reductions)
                }
            };
            let values = match which.is_empty() {
                true => vec![Vec::new(); courses.len()],
                false => {
                    // `step` is the time of the state being computed.
                    engine.set_time(time + 1);
                    let values = engine.reduce(which);
                    engine.set_time(time);
                    values?
                }
            };
            for ((course, values), params) in courses.iter().zip(values).zip(&mut params) {
                course.compute(globals, (which, values), time + 1, params);
            }
            engine.set_params(&params)?;
        }
    }
    Ok(())
}

/// Computes `every` time steps and then the reductions, `times` times: in one list those of one time after the other, and of each member then.
///
/// # Errors
/// If the machine fails.
pub(crate) fn step_reducing(
    courses: &[Course<'_>],
    engine: &mut dyn Engine,
    every: u32,
    times: u32,
) -> Result<Vec<ObservedValue>> {
    let which = courses[0].rule.all_reductions();
    if times > 1
        && !is_between_steps(courses[0].rule, engine)
        && let Some(all) = engine.run_and_reduce(every, times, &which)?
    {
        return Ok(all);
    }
    let mut all = Vec::new();
    for _ in 0..times {
        step(courses, engine, every)?;
        all.extend(engine.reduce(&which)?.into_iter().flatten());
    }
    Ok(all)
}

/// Whether globals are computed between the steps of an engine.
fn is_between_steps(rule: &Rule, engine: &dyn Engine) -> bool {
    !rule.globals.is_empty() && !engine.about().computes_globals
}
