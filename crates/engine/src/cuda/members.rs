//! Many members of an ensemble on a GPU, in one set of kernels.
//!
//! Members are lanes of the same columns where states are bits, steps draw nothing and parameters are the same. A column holds one cell of all
//! members: words are full whatever the fractal is, lanes never move, and one look at the neighbour table serves all. Initial states may be drawn, each member
//! by its own seed. On the host a member that somebody looks at stands on the same layout, in columns of one lane.

use super::Cuda;
use super::room::room;
use crate::{Engine, EngineOptions, MemberInputs, Result, can_be_lanes, check_count, if_lanes_suit};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::target::Members;
use squeeze_compiler::{Target, compile};

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
    if options.code.is_some() || !can_be_lanes(rule, &target, members) {
        return Ok(None);
    }
    let target = target.within(room(options.limit)?, false).with_members(Members::AsLanes(members.len() as u32));
    if_lanes_suit(compile(rule, &target, |program| Ok(Cuda::of(program, members.to_vec(), options.clone())?)))
}
