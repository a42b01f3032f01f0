//! What the oracle refuses, and what would be valid.

use std::collections::TryReserveError;
use thiserror::Error;

/// Why a simulation on the expanded grid cannot start or go on. All but [`OracleError::Allocation`] are the user's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OracleError {
    /// The expanded arrays exceed the memory that may be used.
    #[error(
        "`{rule}` on the expanded grid of `{fractal}` at level {level} needs {} bytes of memory and may use {limit}; {}",
        needed.map_or("more than 2^64".to_owned(), |bytes| bytes.to_string()),
        largest.map_or("not even level 0 fits".to_owned(), |level| format!("the largest level that fits is {level}"))
    )]
    TooLarge {
        /// The fractal's name.
        fractal: String,
        /// The rule's name.
        rule: String,
        /// The level asked for.
        level: u32,
        /// Bytes needed in all; `None` beyond 2^64.
        needed: Option<u64>,
        /// Bytes that may be used.
        limit: u64,
        /// The largest level below that fits, if one does.
        largest: Option<u32>,
    },
    /// A 3-D rule on a 2-D fractal.
    #[error("the rule `{rule}` names a third axis, but the fractal `{fractal}` is 2-D; take a 3-D fractal")]
    Dimension {
        /// The rule's name.
        rule: String,
        /// The fractal's name.
        fractal: String,
    },
    /// Coordinates do not fit in i32.
    #[error(
        "the rule `{rule}` names coordinates, which are i32, but the side at level {level} is {side}; \
         the largest level that fits is {largest}"
    )]
    Coordinates {
        /// The rule's name.
        rule: String,
        /// The level asked for.
        level: u32,
        /// Its side.
        side: u64,
        /// The largest level whose side fits in an i32.
        largest: u32,
    },
    /// A periodic side that is not greater than twice the reach.
    #[error(
        "the rule `{rule}` looks {reach} cells along an axis that is periodic with the side {side}; it must be greater than twice that"
    )]
    Periodic {
        /// The rule's name.
        rule: String,
        /// How far it looks.
        reach: u32,
        /// The side.
        side: u64,
    },
    /// A reflecting edge along a side that is shorter than the reach.
    #[error(
        "the rule `{rule}` looks {reach} cells along an axis that reflects and whose side is {side}; it must not look farther than that"
    )]
    Reflect {
        /// The rule's name.
        rule: String,
        /// How far it looks.
        reach: u32,
        /// The side.
        side: u64,
    },
    /// Replicas of a level above the fractal's.
    #[error(
        "the rule `{rule}` observes by level {asked}, but the fractal is at level {level}; take that level or a higher one"
    )]
    ByLevel {
        /// The rule's name.
        rule: String,
        /// The level whose replicas are observed.
        asked: u32,
        /// The fractal's level.
        level: u32,
    },
    /// Not one value for each parameter.
    #[error("the rule has {expected} parameters, but {given} values were given")]
    Params {
        /// The number of parameters.
        expected: usize,
        /// The number of values.
        given: usize,
    },
    /// No parameter has this name.
    #[error(
        "there is no parameter `{name}`; {}",
        if known.is_empty() { "the rule has none".to_owned() } else { format!("the rule has `{}`", known.join("`, `")) }
    )]
    NoParam {
        /// The name that was given.
        name: String,
        /// The rule's parameters.
        known: Vec<String>,
    },
    /// A value of another type than the state's or parameter's.
    #[error("`{name}` is of type {expected}, but the value is of type {given}")]
    Type {
        /// The state or parameter.
        name: String,
        /// Its type.
        expected: String,
        /// The value's type.
        given: String,
    },
    /// A number that is no variant of the enum.
    #[error("`{name}` has no variant number {number}; it has {}, numbered from 0", variants.join(", "))]
    Variant {
        /// The state or parameter.
        name: String,
        /// The number that was given.
        number: u8,
        /// The variants.
        variants: Vec<String>,
    },
    /// No cell has this canonical index.
    #[error("there is no cell {c}: the cells are numbered from 0 to {}", cells - 1)]
    Cell {
        /// The index that was given.
        c: u64,
        /// The number of cells.
        cells: u64,
    },
    /// The time cannot grow further.
    #[error("the time is 2^32 − 1, the last there is")]
    End,
    /// The system gave no memory although it is within the limit.
    #[error("the system gave no memory for the expanded grid: {0}")]
    Allocation(TryReserveError),
}
