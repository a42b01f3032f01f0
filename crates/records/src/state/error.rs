//! Why a state cannot be read, written or kept.

use squeeze_engine::error::EngineError;
use squeeze_engine::failure::Failure;
use squeeze_host::files::FileError;
use std::path::PathBuf;

/// The result of what reads or writes a state.
pub type Result<T, E = StateError> = std::result::Result<T, E>;

/// What went wrong with a state, in an engine or on disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The engine that computes it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A file that is written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A stored state that cannot be read whole.
    #[error("`{}` is damaged: {reason}", .path.display())]
    Damaged {
        /// The state's folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The compressor refused a chunk.
    #[error("zstd: {0}")]
    Compression(String),
}

impl Failure for StateError {
    fn is_users(&self) -> bool {
        match self {
            StateError::Engine(error) => error.is_users(),
            StateError::File(error) => error.is_users(),
            StateError::Damaged { .. } | StateError::Compression(_) => false,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            StateError::Engine(error) => error.help(),
            StateError::File(error) => error.help(),
            StateError::Damaged { .. } | StateError::Compression(_) => Vec::new(),
        }
    }
}
