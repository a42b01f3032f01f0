//! Refusals of the oracle, each with the valid forms.

use crate::geometry::RuleMisfit;
use std::collections::TryReserveError;
use thiserror::Error;

/// Why a simulation on the expanded grid cannot start or go on.
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
    /// A value or a cell that there is not, or a time beyond the last, in words.
    #[error("{0}")]
    Refused(String),
    /// The system gave no memory although it is within the limit.
    #[error("the system gave no memory for the expanded grid: {0}")]
    Allocation(#[from] TryReserveError),
}
