//! Why a sweep cannot be begun, run or joined.

use super::collector::{MEMBERS, OVERLAPS};
use crate::run::RunError;
use crate::state::initial::InitError;
use squeeze_engine::EngineError;
use squeeze_engine::failure::Failure;
use squeeze_engine::params::ParamError;
use squeeze_engine::simulation::SimulationError;
use squeeze_host::files::FileError;
use std::path::PathBuf;

/// The most members of a sweep.
pub const MOST_MEMBERS: usize = 1 << 20;

/// The result of what is done with sweeps.
pub type Result<T, E = SweepError> = std::result::Result<T, E>;

/// What a sweep refuses, or fails at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A list of values that is none.
    #[error("`{text}` is not a list of values for `{name}`: {valid}")]
    Values {
        /// The parameter, or `seeds`.
        name: String,
        /// What was given.
        text: String,
        /// What would be valid.
        valid: String,
    },
    /// The same value twice.
    #[error("the value {value} of `{name}` is there twice")]
    Twice {
        /// The parameter, or `seeds`.
        name: String,
        /// The value.
        value: String,
    },
    /// Parameters that cannot vary together.
    #[error("`--zip` lets parameters vary together, and {0}")]
    Zip(String),
    /// More members than there may be.
    #[error("the sweep would have {0} members; there may be {MOST_MEMBERS}")]
    Members(u128),
    /// What a collector refuses, or fails at.
    #[error("{0}")]
    Collector(Box<dyn Failure>),
    /// Several levels that do not go into one table.
    #[error("a sweep of several levels is not possible here: {0}")]
    Levels(String),
    /// Overlaps of members of several disorders.
    #[error("members of other disorder have no overlap: `--disorder` takes one seed where a rule observes overlaps")]
    Disorder,
    /// Something that a sweep gathers, and that no collector gathers here.
    #[error("the sweep gathers `{0}`, and nothing here does")]
    NoCollector(String),
    /// A rule without observables.
    #[error("the rule `{0}` observes nothing, so a sweep of it has no result")]
    NoObservables(String),
    /// More is discarded than there is.
    #[error("`--discard {discard}` leaves nothing: the last step is {steps}")]
    Discard {
        /// The steps that are discarded.
        discard: u32,
        /// All steps.
        steps: u32,
    },
    /// Files with other initial values than when the sweep was begun.
    #[error("`--init` gives `{0}` other values than when the sweep was begun")]
    Given(String),
    /// Initial values.
    #[error(transparent)]
    Init(#[from] InitError),
    /// A setting.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A folder that holds something else.
    #[error("`{}` holds no sweep: {reason}", .path.display())]
    NoSweep {
        /// The folder.
        path: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// Folders that cannot be joined.
    #[error("`{}` and `{}` do not belong together: {reason}", .first.display(), .second.display())]
    Apart {
        /// One folder.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// How they differ.
        reason: String,
    },
    /// Parts that are missing.
    #[error("of {count} parts these are missing: {missing}")]
    Missing {
        /// How many parts there are.
        count: u32,
        /// The numbers of those that are missing.
        missing: String,
    },
    /// A sweep without a parameter to draw its results against.
    #[error("the sweep in `{}` varies no parameter that its results could be drawn against", .0.display())]
    NothingVaries(PathBuf),
    /// Sweeps that cannot be drawn against the same parameter.
    #[error("`{}` varies `{}` first and `{}` varies `{}`, so they have no axis in common", .first.display(), .parameters[0], .second.display(), .parameters[1])]
    Axes {
        /// One folder.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// The parameter that each varies first.
        parameters: [String; 2],
    },
    /// A table that is damaged or not complete.
    #[error("`{}` is damaged or not complete: {reason}", .path.display())]
    Incomplete {
        /// The table.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// The folder.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file in it.
    #[error(transparent)]
    File(#[from] FileError),
    /// A member.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

impl From<EngineError> for SweepError {
    fn from(error: EngineError) -> Self {
        SweepError::Simulation(error.into())
    }
}

impl Failure for SweepError {
    fn is_users(&self) -> bool {
        match self {
            SweepError::Run(error) => error.is_users(),
            SweepError::File(error) => error.is_users(),
            SweepError::Simulation(error) => error.is_users(),
            SweepError::Collector(error) => error.is_users(),
            SweepError::Init(error) => error.is_users(),
            SweepError::Incomplete { .. } => false,
            _ => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            SweepError::Param(error) => error.help(),
            SweepError::File(error) => error.help(),
            SweepError::Run(error) => error.help(),
            SweepError::Simulation(error) => error.help(),
            SweepError::Collector(error) => error.help(),
            SweepError::Init(error) => error.help(),
            SweepError::Levels(_) => vec!["make a sweep of each level".to_owned()],
            SweepError::Given(_) => {
                vec![
                    "its other members began with those: bring the files back, or begin it anew in another folder"
                        .to_owned(),
                ]
            }
            SweepError::NoObservables(_) => vec!["add `observe NAME = sum(…)` to the rule".to_owned()],
            SweepError::NoCollector(name) if name == OVERLAPS => {
                vec!["build `squeeze` with its feature `overlap`, which is on by default".to_owned()]
            }
            SweepError::NoSweep { .. } => vec!["`squeeze sweep … --out DIR` makes one".to_owned()],
            SweepError::NothingVaries(_) => {
                vec!["a sweep with `--set NAME=VALUES` varies one, such as `--set beta=0.40..=0.48/0.01`".to_owned()]
            }
            SweepError::Missing { .. } => {
                vec!["name the folders of all parts, `--shard 1/N` to `--shard N/N`".to_owned()]
            }
            SweepError::Incomplete { path, .. } => {
                let folder = path.parent().unwrap_or(path);
                let folder = if folder.ends_with(MEMBERS) { folder.parent().unwrap_or(folder) } else { folder };
                vec![format!("`squeeze resume {}` computes what is missing or has changed", folder.display())]
            }
            _ => Vec::new(),
        }
    }
}
