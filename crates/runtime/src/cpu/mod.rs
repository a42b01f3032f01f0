//! The CPU backend: replica lanes, compiled to machine code when a run begins.

pub mod call;
pub mod native;
