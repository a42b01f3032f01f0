//! Many members of an ensemble on a GPU, in one set of kernels.

mod lanes;
mod mover;

pub(super) use mover::Mover;

use super::Cuda;
use crate::{Engine, EngineOptions, MemberInputs, Result};
use squeeze_compiler::geometry::FittedRule;

/// Checks that the states of all members fit, compiles kernels for them, and computes the initial states. They are lanes where they can be and the
/// planner expects that to be faster ([`lanes`]); else their superblocks stand one after the other.
///
/// # Errors
/// As [`lanes`](super::lanes); [`EngineError::Blocks`](crate::EngineError::Blocks) if there are too many for 32 bits to number
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
    Ok(Box::new(match lanes::together(rule, &members, &options)? {
        Some(lanes) => lanes,
        None => Cuda::new(true, rule, members, options)?,
    }))
}
