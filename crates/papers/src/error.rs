//! Why figures cannot be made.

use squeeze_engine::cuda::CudaError;
use squeeze_engine::failure::{Error, Failure};
use std::path::PathBuf;

/// The result of making figures.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// What making figures refuses, or fails at.
#[derive(Debug, thiserror::Error)]
pub enum FiguresError {
    /// A name that no figure has.
    #[error("there is no figure `{0}`")]
    Unknown(String),
    /// A folder with something else in it.
    #[error("`{}` is not empty, and holds no figures", .0.display())]
    NotOurs(PathBuf),
    /// A folder with the figures of the other tier.
    #[error("`{}` holds the figures of the {there} tier, not of the {asked} tier", .path.display())]
    OtherTier {
        /// The folder.
        path: PathBuf,
        /// The tier there.
        there: &'static str,
        /// The tier that was asked for.
        asked: &'static str,
    },
    /// Another process writes there.
    #[error("another process works on `{}`", .0.display())]
    Busy(PathBuf),
    /// Measurements of the full tier without a GPU.
    #[error("`{figure}` is measured on a GPU: {error}")]
    NeedsGpu {
        /// The first figure that does.
        figure: &'static str,
        /// What is missing.
        error: CudaError,
    },
    /// A folder without measurements, where they are to be drawn again.
    #[error("`{}` holds no measurements of the {tier} tier", .path.display())]
    NothingMeasured {
        /// The folder.
        path: PathBuf,
        /// The tier that was asked for.
        tier: &'static str,
    },
    /// A backend that the full tier does not use.
    #[error("`{0}` is measured on a GPU, and the backend `cpu` was asked for")]
    NotOnCpu(&'static str),
}

impl Failure for FiguresError {
    fn is_users(&self) -> bool {
        match self {
            FiguresError::NeedsGpu { .. } => false,
            FiguresError::Unknown(_)
            | FiguresError::NotOurs(_)
            | FiguresError::OtherTier { .. }
            | FiguresError::Busy(_)
            | FiguresError::NothingMeasured { .. }
            | FiguresError::NotOnCpu(_) => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            FiguresError::Unknown(_) => vec![format!("valid are {}", super::list::names().join(", "))],
            FiguresError::NotOurs(_) => vec!["`--out DIR` names a new folder".to_owned()],
            FiguresError::OtherTier { .. } => {
                vec!["leave out `--quick` or add it, or name another folder by `--out DIR`".to_owned()]
            }
            FiguresError::NeedsGpu { error, .. } => {
                let mut help = error.help();
                help.push(
                    "`--quick` measures small sizes on the CPU; figures that are not measured can be named".to_owned(),
                );
                help
            }
            FiguresError::NothingMeasured { .. } => {
                vec!["leave out `--redraw` to measure; `--quick` chooses the other tier".to_owned()]
            }
            FiguresError::NotOnCpu(_) => vec!["`--quick` measures small sizes on the CPU".to_owned()],
            FiguresError::Busy(_) => Vec::new(),
        }
    }
}
