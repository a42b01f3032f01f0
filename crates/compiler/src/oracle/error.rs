//! What the oracle refuses, and what would be valid.

use crate::geometry::RuleMisfit;
use std::collections::TryReserveError;
use thiserror::Error;

/// Why a simulation on the expanded grid cannot start or go on. All but [`OracleError::Allocation`] are the user's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[allow(missing_docs, reason = "messages say what the fields are")]
pub enum OracleError {
    /// The expanded arrays exceed the memory that may be used.
    #[error(
        "`{rule}` on the expanded grid of `{fractal}` at level {level} needs {} bytes of memory and may use {limit}; {}",
        needed.map_or("more than 2^64".to_owned(), |bytes| bytes.to_string()),
        largest.map_or("not even level 0 fits".to_owned(), |level| format!("the largest level that fits is {level}"))
    )]
    TooLarge { fractal: String, rule: String, level: u32, needed: Option<u64>, limit: u64, largest: Option<u32> },
    /// A rule that cannot run on the domain.
    #[error(transparent)]
    Misfit(#[from] RuleMisfit),
    /// Not one value for each parameter.
    #[error("the rule has {expected} parameters, but {given} values were given")]
    Params { expected: usize, given: usize },
    /// A value of another type than the state's or parameter's.
    #[error("`{name}` is of type {expected}, but the value is of type {given}")]
    Type { name: String, expected: String, given: String },
    /// A number that is no variant of the enum.
    #[error("`{name}` has no variant number {number}; it has {}, numbered from 0", variants.join(", "))]
    Variant { name: String, number: u8, variants: Vec<String> },
    /// No cell has this canonical index.
    #[error("there is no cell {c}: the cells are numbered from 0 to {}", cells - 1)]
    Cell { c: u64, cells: u64 },
    /// The time cannot grow further.
    #[error("the time is 2^32 − 1, the last there is")]
    End,
    /// The system gave no memory although it is within the limit.
    #[error("the system gave no memory for the expanded grid: {0}")]
    Allocation(TryReserveError),
}
