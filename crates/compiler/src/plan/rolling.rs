//! Which rows of a box are stored where all states are rolling: the last ones, in which a strip leaves to the next what that reads. Memory is then that of some
//! rows, however many there are.

use crate::geometry::Domain;
use crate::ir::{CompareOp, NodeId, Op, Reduction, Rule, StateId, StepOrder, StepSchedule};
use crate::target::speciality::Speciality;
use crate::target::{Target, Wavefront};
use std::ops::Range;

/// Strips may be so narrow that they have no more last lines than these.
const MOST_ROWS: usize = 8;

/// The rows that are stored of the states of a rule, as many as the step looks back; `None` if all are.
pub(super) fn rows_kept(domain: &Domain, rule: &Rule, target: &Target) -> Option<Range<usize>> {
    let [step] = &rule.steps[..] else { return None };
    if rule.rolling.is_empty() || target.keeps_all || target.packed || target.part.1 > 1 {
        return None;
    }
    let taken = if target.is_gpu() { domain.taken_by_gpu(rule, step) } else { domain.taken(rule, step) };
    let (StepSchedule::InStrips(strips, _), Some(StepOrder::Along(axes))) = (taken, &step.order) else {
        return None;
    };
    let is_box = domain.pattern(1).places.as_ref().is_some_and(|places| places.is_full());
    let is_apart = is_box && rule.edges.is_empty() && !domain.periodic().any();
    let rows_follow = strips.along.axis == 0 && axes.last() == Some(&strips.across);
    let has_strips = match target.is_gpu() {
        // Strips hand lines over as messages.
        true => target.wavefront == Wavefront::Flags && target.off().allows(Speciality::Relays),
        // Without a shear lanes are whole lines, and inputs along them lie in memory alone.
        false => {
            let draws = step.body.nodes.iter().any(|node| node.op.draws());
            strips.shear > 0 && !target.off().has(Speciality::Strips) && !draws
        }
    };
    let is_kept = |state: usize| {
        let state = StateId(state as u16);
        rule.rolling.contains(&state) || rule.is_input(state)
    };
    let all =
        (0..rule.kept_states().count()).all(is_kept) && rule.reductions.iter().all(|of| is_of_last_line(rule, of));
    let rows = rule.reach_along_axes(domain.dimension())[usize::from(strips.across.axis)].max(1) as usize;
    let rows = if target.is_gpu() { 1 } else { rows };
    if !(is_apart && rows_follow && has_strips && all && rows <= MOST_ROWS) {
        return None;
    }
    let side = domain.extent()[1] as usize;
    let rows = rows.min(side);
    Some(if strips.across.backwards { 0..rows } else { side - rows..side })
}

/// Whether a reduction is exact and its terms are nothing elsewhere than on the last line, as the checker makes those that read rolling states. Sums of floats
/// are folded along a tree of all cells.
fn is_of_last_line(rule: &Rule, reduction: &Reduction) -> bool {
    let op = |node: NodeId| &reduction.body.nodes[node.0 as usize].op;
    let Op::Select { condition, otherwise, .. } = op(reduction.term) else { return false };
    let Op::Compare(CompareOp::Equal, place, _) = op(*condition) else { return false };
    let is_rolling = |op: &Op| matches!(op, Op::State(state) if rule.rolling.contains(state));
    let reads = reduction.body.nodes.iter().any(|node| is_rolling(&node.op));
    // Values beside the cell are not stored.
    let is_beside = reduction.body.nodes.iter().any(|node| matches!(node.op, Op::Read { .. } | Op::Aggregate(_)));
    reads
        && !is_beside
        && matches!((op(*place), op(*otherwise)), (Op::Coordinate(1), Op::Const(_)))
        && !reduction.ty.is_float()
}
