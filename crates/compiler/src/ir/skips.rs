//! Steps whose guard asks no cell: they are skipped whenever it is false.
//!
//! A guard that follows from the time, parameters, globals, the level and the side alone is the same for all cells. Where it is false its step
//! changes nothing, so engines leave out the step's kernels, and the fields and globals that are computed for it alone.

use super::evaluate::evaluate_flushed;
use super::global_expr::GlobalExpr;
use super::rule::{Node, NodeId, Op, Phase, RuleParts, Step, of_all_cells, of_cell, of_operands};
use crate::numbers::scalar;
use crate::numbers::value::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// Which steps of a rule, on a domain, are left out, and when.
#[derive(Clone, Debug, Default)]
pub struct Skips {
    /// The steps with guards that ask no cell.
    groups: Vec<StepGroup>,
    flush: bool,
    level: u32,
    side: u64,
}

/// A step behind those of its fields.
#[derive(Clone, Debug)]
struct StepGroup {
    steps: Range<usize>,
    /// The guard: operands stand before their users, and the last node is the value.
    guard: Vec<Node>,
    /// Whether all members of an ensemble pass it at the same times.
    alike: bool,
    /// Whether this step alone reads the globals that are computed before it, and its guard does not.
    owns_globals: bool,
}

impl Skips {
    /// Whether each step is taken at all times.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether none of some members takes a phase of the step that computes `time`. Each member tells the bits of its parameters and globals.
    pub fn skip<M: Fn(u16) -> u64>(&self, phase: &Phase, time: u32, members: impl IntoIterator<Item = M>) -> bool {
        let (step, is_step) = match phase {
            Phase::Step(step) | Phase::Clusters { before: step } => (step, true),
            Phase::Globals { before, .. } => (before, false),
        };
        let group = self.groups.iter().find(|group| group.steps.contains(step));
        let Some(group) = group.filter(|group| is_step || group.owns_globals) else { return false };
        let most = if group.alike { 1 } else { usize::MAX };
        members.into_iter().take(most).all(|params| !self.passes(group, time, &params))
    }

    fn passes(&self, group: &StepGroup, time: u32, params: &impl Fn(u16) -> u64) -> bool {
        let mut values: Vec<Value> = Vec::with_capacity(group.guard.len());
        for node in &group.guard {
            let value = match node.op {
                Op::Time => Some(Value::U32(time)),
                Op::Level => Some(Value::I32(self.level as i32)),
                Op::Side => Some(Value::I32(self.side as i32)),
                Op::Param(number) => Some(Value::from_bits(node.ty, params(number))),
                ref op => evaluate_flushed(self.flush, node.ty, op, |id| values[id.0 as usize]),
            };
            values.push(value.expect("a guard of these operations asks no cell"));
        }
        values.last().is_none_or(|value| scalar::bit(*value))
    }
}

impl RuleParts {
    /// Whether some step is left out at some times.
    pub(crate) fn skips_steps(&self) -> bool {
        self.steps.iter().any(|step| guard_for_all(step).is_some())
    }

    /// The steps that are left out at some times on a domain of this level and side.
    pub(crate) fn skips(&self, level: u32, side: u64) -> Skips {
        let is_field = |step: &Step| {
            let mut results = step.body.results.iter();
            !step.body.results.is_empty() && results.all(|(of, _)| usize::from(of.0) >= self.states.len())
        };
        let (mut groups, mut first) = (Vec::new(), 0);
        for (index, step) in self.steps.iter().enumerate().filter(|(_, step)| !is_field(step)) {
            let steps = std::mem::replace(&mut first, index + 1)..index + 1;
            let Some(guard) = guard_for_all(step) else { continue };
            let alike = !guard.iter().any(|node| matches!(node.op, Op::Param(_)));
            let owns_globals = self.owns_globals(&steps, &guard);
            groups.push(StepGroup { steps, guard, alike, owns_globals });
        }
        Skips { groups, flush: self.flush, level, side }
    }

    /// Whether the globals that are computed before some steps are read by these alone, and not by their guard.
    fn owns_globals(&self, steps: &Range<usize>, guard: &[Node]) -> bool {
        let number = |global: &u16| self.params.len() as u16 + global;
        let computed = |step: &Step| step.globals.iter().map(|(global, _)| number(global)).collect::<BTreeSet<u16>>();
        let own: BTreeSet<u16> = self.steps[steps.clone()].iter().flat_map(computed).collect();
        if guard.iter().any(|node| matches!(node.op, Op::Param(read) if own.contains(&read))) {
            return false;
        }
        // Steps after these see the values computed last before them.
        let mut known = BTreeSet::new();
        let others = self.steps.iter().enumerate().filter(|(index, _)| !steps.contains(index));
        others.map(|(_, step)| step).all(|step| {
            known.extend(computed(step));
            reads(self.params.len() as u16, step).all(|read| !own.contains(&read) || known.contains(&read))
        })
    }
}

/// The parameters and globals that a step and the globals before it read; globals are numbered behind the `params` parameters.
fn reads(params: u16, step: &Step) -> impl Iterator<Item = u16> {
    let mut found = Vec::new();
    for (_, value) in &step.globals {
        value.clone().visit(&mut |inner| {
            if let GlobalExpr::Param(number) = inner {
                found.push(*number);
            }
        });
    }
    found.extend(step.body.nodes.iter().filter_map(|node| match node.op {
        Op::Param(number) => Some(number),
        _ => None,
    }));
    found.into_iter().filter(move |number| *number >= params)
}

/// The code of a step's guard, if that is the same for all cells and not the same at all times.
fn guard_for_all(step: &Step) -> Option<Vec<Node>> {
    let needed = step.body.needed(&[step.guard?]);
    let place = |id: &NodeId| NodeId(needed[..id.0 as usize].iter().filter(|needed| **needed).count() as u32);
    let (mut guard, mut varies) = (Vec::new(), false);
    for (node, _) in step.body.nodes.iter().zip(&needed).filter(|(_, needed)| **needed) {
        let mut node = node.clone();
        match node.op {
            of_all_cells!() => varies |= matches!(node.op, Op::Time | Op::Param(_)),
            of_operands!() => {}
            of_cell!() => return None,
        }
        node.op.visit_operands(|operand| *operand = place(operand));
        guard.push(node);
    }
    varies.then_some(guard)
}
