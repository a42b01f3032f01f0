//! From a checked rule to a running simulation.
//!
//! [`params`] reads `name=value`, [`simulation`] runs a rule on a domain behind one interface for all backends, the [`Engine`]s: the CPU
//! (`cpu`), NVIDIA GPUs (`cuda`) and the oracle, which alone is there unless the features `jit` and `cuda` add the others. [`packed`]
//! says how values become bytes, [`totals`] makes observables of what engines reduce, [`failure`] holds any error of this crate and of those above it.
//!
//! Nothing here reads texts or keeps states: that is `squeeze-records`, for which this crate is made. Its surface follows what that crate needs.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests lay out files as they like"))]
// Code of some features is unused without them.
#![cfg_attr(not(feature = "cuda"), allow(dead_code, unused_imports, unreachable_pub))]

#[cfg(feature = "jit")]
mod ahead_of_time;
#[cfg(feature = "jit")]
mod asked;
#[cfg(feature = "jit")]
mod clusters;
#[cfg(feature = "jit")]
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod engine;
pub mod error;
pub mod failure;
#[cfg(feature = "cuda")]
mod mirror;
pub mod options;
pub mod packed;
pub mod params;
#[cfg(feature = "jit")]
#[doc(hidden)]
pub mod parts;
#[cfg(feature = "jit")]
pub mod pass;
#[doc(hidden)]
pub mod ranks;
#[cfg(feature = "jit")]
#[doc(hidden)]
pub mod reduce;
mod reference;
pub mod sample;
#[cfg(test)]
mod samples;
#[doc(hidden)]
pub mod shares;
pub mod simulation;
#[cfg(feature = "jit")]
mod states;
#[cfg(feature = "jit")]
mod terms;
pub mod totals;

#[cfg(feature = "jit")]
pub use engine::pool;
pub use engine::{About, Backend, Engine, Execution, MemberInputs, Snapshot};
#[cfg(feature = "jit")]
use engine::{are_alike, can_be_lanes, install};
use engine::{check_count, check_inputs};
pub use error::{EngineError, Result};
pub use failure::{Error, Failure};
pub use options::EngineOptions;
pub use simulation::{Ensemble, EnsembleBuilder, Member, Observed, Simulation, SimulationBuilder};
#[cfg(feature = "jit")]
#[doc(hidden)]
pub use states::buffer::Buffer;
