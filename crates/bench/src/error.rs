//! Why nothing was measured.

use squeeze_compiler::geometry::{LevelError, RuleMisfit};
use squeeze_engine::EngineError;
use squeeze_engine::failure::{Error, Failure};
use squeeze_engine::simulation::SimulationError;
use std::path::PathBuf;

/// The result of what measures.
pub type Result<T, E = BenchError> = std::result::Result<T, E>;

/// What cannot be measured, and why.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A text that names no case.
    #[error("`{text}` is not a case: {problem}")]
    Case {
        /// The text.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A folder without scripts of peers.
    #[error("`{}` holds no peers: {problem}", .folder.display())]
    Peers {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The fractal or the rule of a case, or the run folder that is measured.
    #[error("{0}")]
    Records(#[from] Error),
    /// Its level.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// A rule that cannot run on the fractal.
    #[error(transparent)]
    Misfit(#[from] RuleMisfit),
    /// The simulation that is measured.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// Memory or a device to compare with.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system refused threads, or a folder for what is written.
    #[error("{0}")]
    System(String),
}

impl Failure for BenchError {
    fn is_users(&self) -> bool {
        match self {
            BenchError::Records(error) => error.is_users(),
            BenchError::Simulation(error) => error.is_users(),
            BenchError::Engine(error) => error.is_users(),
            BenchError::System(_) => false,
            BenchError::Case { .. } | BenchError::Peers { .. } | BenchError::Level(_) | BenchError::Misfit(_) => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            BenchError::Case { .. } => vec![
                "a case is FRACTAL,RULE,LEVEL or FRACTAL,RULE,LEVEL,BACKEND, such as \
                 `sierpinski_triangle,life,16` or `vicsek,heat,6,reference`"
                    .to_owned(),
            ],
            BenchError::Peers { .. } => vec!["a folder of peers holds scripts whose names end in `.py`".to_owned()],
            BenchError::Records(error) => error.help(),
            BenchError::Simulation(error) => error.help(),
            BenchError::Engine(error) => error.help(),
            BenchError::Misfit(error) => error.help(),
            BenchError::Level(_) | BenchError::System(_) => Vec::new(),
        }
    }
}
