//! Why a simulation cannot be built, stepped, read or changed.

use crate::EngineError;
use crate::failure::{Error, Failure};
use crate::packed::VariantError;
use crate::params::{ParamError, list};
use squeeze_compiler::geometry::{LevelError, RuleMisfit};

/// The result of what a simulation does.
pub type Result<T, E = SimulationError> = std::result::Result<T, E>;

/// What a simulation refuses, or fails at.
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
    /// What executes it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// What an engine of another crate refuses.
    #[error(transparent)]
    Other(#[from] Error),
    /// A state that cannot be read or set in this way.
    #[error(transparent)]
    Field(Box<FieldError>),
    /// A number from outside that is none of an enum's.
    #[error(transparent)]
    Variant(#[from] VariantError),
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
            SimulationError::Engine(EngineError::Cuda(error)) => error.is_out_of_memory(),
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
            SimulationError::Level(_) | SimulationError::Variant(_) => Vec::new(),
            SimulationError::NoMembers | SimulationError::Member { .. } | SimulationError::Members { .. } => Vec::new(),
        }
    }
}

/// Why values of a state cannot be read or set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// No state has this name.
    #[error("the rule `{rule}` has no state `{name}`{}", near.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
    Unknown {
        /// The rule.
        rule: String,
        /// The name that was given.
        name: String,
        /// The most similar name there is.
        near: Option<String>,
        /// All names there are.
        known: Vec<String>,
    },
    /// The state has another type.
    #[error("the state `{state}` is of type {ty}, whose values are not `{asked}`")]
    Type {
        /// The state.
        state: String,
        /// Its type.
        ty: String,
        /// The type of Rust that was asked for.
        asked: &'static str,
    },
    /// Cells that do not exist.
    #[error("cells {first} to {end} were asked for; there are {cells} cells, counted from 0")]
    Cells {
        /// The first one.
        first: u64,
        /// The one behind the last.
        end: u64,
        /// How many there are.
        cells: u64,
    },
    /// No state has this number.
    #[error("the rule `{rule}` has no state of the number {number}; it has {states}, counted from 0")]
    Number {
        /// The rule.
        rule: String,
        /// The number that was given.
        number: u16,
        /// How many states there are.
        states: usize,
    },
    /// Bits that share a byte with others.
    #[error("the bits of cells {first} to {end} begin or end inside a byte")]
    Parted {
        /// The first cell.
        first: u64,
        /// The one behind the last.
        end: u64,
    },
    /// More or fewer bytes than values take.
    #[error("the values take {needed} bytes, and {given} are given")]
    Bytes {
        /// How many they take.
        needed: u64,
        /// How many were given.
        given: usize,
    },
    /// These values do not fit in memory.
    #[error("{values} values do not fit in memory")]
    TooMany {
        /// How many were asked for.
        values: u128,
    },
}

impl FieldError {
    /// What would be valid.
    pub fn help(&self) -> Vec<String> {
        match self {
            FieldError::Unknown { known, .. } => vec![format!("its states are {}", list(known))],
            FieldError::TooMany { .. } => vec!["read it in parts".to_owned()],
            FieldError::Type { .. }
            | FieldError::Number { .. }
            | FieldError::Cells { .. }
            | FieldError::Bytes { .. } => Vec::new(),
            FieldError::Parted { .. } => {
                vec!["begin and end with multiples of 8, or end with the last cell".to_owned()]
            }
        }
    }
}
