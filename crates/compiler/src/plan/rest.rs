//! Whether units may rest: a unit's next value is its old one if its inputs are the old ones.

use super::Plan;
use crate::geometry::FittedRule;
use crate::kernel::{Interface, Kernel};
use crate::layout::Storage;
use crate::target::Target;
use crate::target::speciality::Speciality;

/// Whether units of a plan whose steps are these kernels may rest, and who looks at whom is known. What is made in several passes may be anything in
/// between, and so may globals; steps that are left out exchange no buffers.
pub(crate) fn depends_on_states_alone(
    plan: &Plan,
    rule: &FittedRule,
    step: &[(&Kernel, &Interface)],
    target: &Target,
) -> bool {
    let [(_, interface)] = step else { return false };
    let beside = match *plan.storage {
        Storage::Replicas(_) => interface.far.is_empty(),
        Storage::Rows(_) => true,
        Storage::Packed(_) => false,
    };
    let alone = rule.globals.is_empty() && rule.skips().is_empty() && target.members == 1;
    beside && alone && !interface.time && interface.loads() && target.off().allows(Speciality::Activity)
}
