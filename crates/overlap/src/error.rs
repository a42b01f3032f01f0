//! Why there is no matrix of overlaps.

use squeeze_compiler::geometry::LevelError;
use squeeze_engine::EngineError;
use squeeze_engine::failure::{Error, Failure};
use squeeze_engine::simulation::SimulationError;
use squeeze_host::files::FileError;
use std::path::PathBuf;

/// What is refused, or fails.
#[derive(Debug, thiserror::Error)]
pub enum OverlapError {
    /// Two folders whose states have other cells.
    #[error("`{}` and `{}` cannot be compared: {reason}", .first.display(), .second.display())]
    Apart {
        /// One folder.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// How they differ.
        reason: String,
    },
    /// A sweep, whose states are not kept.
    #[error("`{}` holds a sweep, which keeps no states", .0.display())]
    Sweep(PathBuf),
    /// A state that is not there.
    #[error("the rule of `{}` has no state `{name}`; it has {known}", .path.display())]
    NoField {
        /// The run.
        path: PathBuf,
        /// The name.
        name: String,
        /// Its states.
        known: String,
    },
    /// A state of numbers.
    #[error("`{name}` of `{}` is of type {ty}, and overlaps are those of bits", .path.display())]
    NotBits {
        /// The run.
        path: PathBuf,
        /// The state.
        name: String,
        /// Its type.
        ty: String,
        /// The states of bits, if there are any.
        bits: String,
    },
    /// Runs without a state of the same time.
    #[error("no step has a saved state in all of these runs")]
    NoStep {
        /// Each run and the steps that it has.
        known: Vec<String>,
    },
    /// Several folders where times of one run are compared.
    #[error("`--between times` compares the states of one run, and {0} folders are given")]
    ManyRuns(usize),
    /// An array that holds no rows of bits, or no matrix.
    #[error("`{}` cannot be taken: {problem}", .path.display())]
    Array {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// What would be valid.
        valid: &'static str,
    },
    /// A folder without matrices.
    #[error("`{}` holds no matrices of overlaps", .0.display())]
    NoMatrices(PathBuf),
    /// One replica, which has no pair.
    #[error("`{}` is a matrix of one replica, and a distribution is one of pairs", .0.display())]
    OneReplica(PathBuf),
    /// A matrix of the members of a sweep that does not fit in memory.
    #[error(
        "the matrix `{name}` of {members} members takes {needed} of memory while it is made, and {available} are there"
    )]
    Matrix {
        /// Its name.
        name: String,
        /// The members.
        members: usize,
        /// What it takes.
        needed: String,
        /// What there is.
        available: String,
    },
    /// Not enough memory.
    #[error("{what} need {needed} of memory, and {available} are there")]
    Memory {
        /// What needs it.
        what: String,
        /// How much.
        needed: String,
        /// How much there is.
        available: String,
    },
    /// A run or a sweep.
    #[error("{0}")]
    Records(#[from] Error),
    /// Its level.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// What counts.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A simulation.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Failure for OverlapError {
    fn is_users(&self) -> bool {
        match self {
            OverlapError::Records(error) => error.is_users(),
            OverlapError::Engine(error) => error.is_users(),
            OverlapError::Simulation(error) => error.is_users(),
            OverlapError::File(error) => error.is_users(),
            OverlapError::Memory { .. }
            | OverlapError::Matrix { .. }
            | OverlapError::Apart { .. }
            | OverlapError::Sweep(_)
            | OverlapError::NoField { .. }
            | OverlapError::NotBits { .. }
            | OverlapError::NoStep { .. }
            | OverlapError::ManyRuns(_)
            | OverlapError::Array { .. }
            | OverlapError::NoMatrices(_)
            | OverlapError::OneReplica(_)
            | OverlapError::Level(_) => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            OverlapError::Records(error) => error.help(),
            OverlapError::Engine(error) => error.help(),
            OverlapError::Simulation(error) => error.help(),
            OverlapError::Sweep(_) => {
                vec![
                    "`observe q = overlap(STATE)` in its rule writes the matrices between its members".to_owned(),
                    "or record members as runs, `squeeze run … --seed S --out DIR`, and name their folders".to_owned(),
                ]
            }
            OverlapError::NotBits { bits, .. } if bits.is_empty() => {
                vec!["the rule has no state of bits; a further one can say what is to be compared".to_owned()]
            }
            OverlapError::NotBits { bits, .. } => vec![format!("`--field` takes {bits}")],
            OverlapError::NoStep { known } => {
                let mut lines = known.clone();
                lines.push("record them with the same `--save-every` and `--steps`".to_owned());
                lines
            }
            OverlapError::ManyRuns(_) => vec!["name one folder, or compare several by `--between seeds`".to_owned()],
            OverlapError::Array { valid, .. } => vec![(*valid).to_owned()],
            OverlapError::NoMatrices(_) | OverlapError::OneReplica(_) => {
                vec!["`squeeze overlap RUN RUN… -o q.npy` makes one of several runs".to_owned()]
            }
            OverlapError::Matrix { .. } => {
                vec!["take fewer seeds or values, or sweep the values one by one".to_owned()]
            }
            OverlapError::Apart { .. }
            | OverlapError::NoField { .. }
            | OverlapError::Memory { .. }
            | OverlapError::Level(_)
            | OverlapError::File(_) => Vec::new(),
        }
    }
}
