//! Many members of an ensemble on a GPU, in one set of kernels.
//!
//! Members are lanes of the same columns where states are bits, steps draw nothing and parameters are the same. A column holds one cell of all
//! members: words are full whatever the fractal is, lanes never move, and one look at the neighbour table serves all. Initial states may be drawn, each member
//! by its own seed. On the host a member that somebody looks at stands on the same layout, in columns of one lane.

use super::Cuda;
use super::room::room;
use crate::{Engine, EngineOptions, MemberInputs, Result, are_alike, check_count};
use squeeze_compiler::Target;
use squeeze_compiler::emit::cuda::Members;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::pipeline::compile_member_lanes;
use squeeze_compiler::plan::{can_be_lanes, choices};

/// Checks that the states of all members fit, compiles kernels for them, and computes the initial states. They are lanes where they can be and the
/// planner expects that to be faster; else their superblocks stand one after the other.
///
/// # Errors
/// As [`lanes`](super::lanes); [`EngineError::Blocks`] if there are too many for 32 bits to number
/// their threads.
///
/// # Panics
/// If there are fewer than two members.
pub(crate) fn together(
    rule: &FittedRule,
    members: Vec<MemberInputs>,
    options: EngineOptions,
) -> Result<Box<dyn Engine>> {
    assert!(members.len() > 1, "one member has kernels of its own");
    if options.part.is_some() {
        check_count("members", 1, members.len())?;
    }
    Ok(Box::new(match as_lanes(rule, &members, &options)? {
        Some(lanes) => lanes,
        None => Cuda::new(rule, members, options)?,
    }))
}

/// Compiles kernels whose lanes are members and computes the initial states; `None` where members had better stand one after the other, or do not
/// fit as lanes.
fn as_lanes(rule: &FittedRule, members: &[MemberInputs], options: &EngineOptions) -> Result<Option<Cuda>> {
    let machine = options.hardware.clone().and_then(|hardware| hardware.gpu());
    let target = Target::cuda().on(machine).without(options.off).demanding(options.choice.clone());
    let can_be_lanes = can_be_lanes(rule, &target, members.len()) && are_alike(members);
    if !can_be_lanes || options.code.is_some() {
        return Ok(None);
    }
    let target = target.within(room(options.limit)?, false);
    let in_turn = choices(rule.domain(), rule, &target.clone().with_members(members.len() as u32))?.next();
    let cost_in_turn = in_turn.and_then(|plan| plan.candidate).map_or(f64::INFINITY, |candidate| candidate.cost);
    let sharing = Members::AsLanes { members: members.len() };
    compile_member_lanes(rule, &target, (members.len(), 1), cost_in_turn, |program, _| {
        Ok(Cuda::of(sharing, program, members.to_vec(), options.clone())?)
    })
}
