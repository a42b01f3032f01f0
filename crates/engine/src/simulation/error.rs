//! Why a simulation cannot be built, stepped, read or changed.

use crate::EngineError;
#[cfg(feature = "cuda")]
use crate::cuda::CudaError;
use crate::failure::{Error, Failure};
pub use crate::packed::FieldError;
use crate::params::ParamError;
use squeeze_compiler::geometry::{LevelError, RuleMisfit};

/// The result of a simulation's methods.
pub type Result<T, E = SimulationError> = std::result::Result<T, E>;

/// Inputs that a simulation refuses, and its failures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// A level that is too high for any arithmetic.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// A rule that cannot run on the fractal.
    #[error(transparent)]
    Misfit(#[from] RuleMisfit),
    /// A setting of a parameter.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// An error of its engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A refusal by an engine of another crate.
    #[error(transparent)]
    Other(#[from] Error),
    /// A state that cannot be read or set in this way.
    #[error(transparent)]
    Field(Box<FieldError>),
    /// An ensemble without members.
    #[error("an ensemble has at least one member")]
    NoMembers,
    /// A member that is not there.
    #[error("there is no member {member}: the ensemble has {members}, from 0 on")]
    Member {
        /// The number that was given.
        member: usize,
        /// How many there are.
        members: usize,
    },
    /// More or fewer members than an ensemble has.
    #[error("the ensemble has {expected} members, and {given} are given")]
    Members {
        /// How many there are.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// More time steps than there are.
    #[error("{steps} steps from time {time} pass the last time there is, 2^32 − 1")]
    Time {
        /// The time before.
        time: u32,
        /// The steps that were asked for.
        steps: u64,
    },
}

impl From<FieldError> for SimulationError {
    fn from(error: FieldError) -> Self {
        SimulationError::Field(Box::new(error))
    }
}

impl SimulationError {
    /// Whether fewer members, or a smaller domain, may fit.
    pub(crate) fn is_too_large(&self) -> bool {
        match self {
            SimulationError::Engine(EngineError::Memory { .. }) => true,
            #[cfg(feature = "cuda")]
            SimulationError::Engine(EngineError::Blocks { .. }) => true,
            #[cfg(feature = "cuda")]
            SimulationError::Engine(EngineError::Cuda(CudaError::NoMemory { .. })) => true,
            _ => false,
        }
    }
}

impl Failure for SimulationError {
    fn is_users(&self) -> bool {
        match self {
            SimulationError::Engine(error) => error.is_users(),
            SimulationError::Other(error) => error.is_users(),
            _ => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            SimulationError::Param(error) => error.help(),
            SimulationError::Misfit(error) => error.help(),
            SimulationError::Engine(error) => error.help(),
            SimulationError::Other(error) => error.help(),
            SimulationError::Field(error) => error.help(),
            SimulationError::Time { time, .. } => vec![format!("at most {} steps are left", u32::MAX - time)],
            SimulationError::Level(_) => Vec::new(),
            SimulationError::NoMembers | SimulationError::Member { .. } | SimulationError::Members { .. } => Vec::new(),
        }
    }
}
