//! What can go wrong between a command and its result, and whose fault it is.
//!
//! Every module has its own error; this one holds any of them, for whoever does not care which. Nothing else in the library
//! uses it.

#[cfg(feature = "files")]
use crate::analysis::AnalysisError;
#[cfg(all(feature = "cuda", feature = "files"))]
use crate::bench::BenchError;
use crate::edges::EdgeError;
use crate::engine::EngineError;
#[cfg(feature = "cuda")]
use crate::engine::cuda::CudaError;
#[cfg(all(feature = "cuda", feature = "files"))]
use crate::figures::FiguresError;
#[cfg(feature = "files")]
use crate::hardware::HardwareError;
#[cfg(feature = "files")]
use crate::mask::{MaskError, files::MaskFileError};
#[cfg(feature = "files")]
use crate::overlap::OverlapError;
use crate::params::ParamError;
#[cfg(feature = "pictures")]
use crate::picture::{PictureError, ViewError};
use crate::resolve::ResolveError;
#[cfg(feature = "files")]
use crate::run::RunError;
use crate::simulation::SimulationError;
use crate::state::StateError;
#[cfg(feature = "files")]
use crate::state::export::ExportError;
#[cfg(feature = "files")]
use crate::state::initial::InitError;
use crate::state::window::WindowError;
use crate::strategy::StrategyError;
#[cfg(feature = "files")]
use crate::sweep::SweepError;
use crate::texts::{TextErrors, TextsError};
use squeeze_compiler::CompileError;
use squeeze_compiler::geometry::{LevelError, RuleMisfit};
use squeeze_host::files::FileError;
use squeeze_host::threads::ThreadsError;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum Error {
    /// A file.
    File(#[from] FileError),
    /// A fractal or rule that is not there, or wrong.
    Resolve(#[from] ResolveError),
    /// Recorded texts.
    Texts(#[from] TextsError),
    /// A level that is too high for any arithmetic.
    Level(#[from] LevelError),
    /// A rule that cannot run on the fractal.
    Misfit(#[from] RuleMisfit),
    /// What a domain says of its edges.
    Edge(#[from] Box<EdgeError>),
    /// A setting of a parameter.
    Param(#[from] ParamError),
    /// Wishes on strategies that contradict each other.
    Strategy(#[from] StrategyError),
    /// The threads that the environment or a user asks for.
    Threads(#[from] ThreadsError),
    /// A description of a machine.
    #[cfg(feature = "files")]
    Hardware(#[from] HardwareError),
    /// A mask, or a list that does not fit one.
    #[cfg(feature = "files")]
    Mask(#[from] MaskError),
    /// A mask or a packed array in a file.
    #[cfg(feature = "files")]
    MaskFile(#[from] MaskFileError),
    /// What executes simulations.
    Engine(#[from] EngineError),
    /// A simulation.
    Simulation(#[from] SimulationError),
    /// A state that is kept or read.
    State(#[from] StateError),
    /// A window of the expanded grid.
    Window(#[from] WindowError),
    /// Initial values from a file.
    #[cfg(feature = "files")]
    Init(#[from] InitError),
    /// An export.
    #[cfg(feature = "files")]
    Export(#[from] ExportError),
    /// A picture.
    #[cfg(feature = "pictures")]
    Picture(#[from] PictureError),
    /// A run folder.
    #[cfg(feature = "files")]
    Run(#[from] RunError),
    /// A sweep.
    #[cfg(feature = "files")]
    Sweep(Box<SweepError>),
    /// An analysis.
    #[cfg(feature = "files")]
    Analysis(Box<AnalysisError>),
    /// Overlaps of states.
    #[cfg(feature = "files")]
    Overlap(Box<OverlapError>),
    /// A case or folder for benchmarks.
    #[cfg(all(feature = "cuda", feature = "files"))]
    Bench(#[from] BenchError),
    /// Figures of the papers.
    #[cfg(all(feature = "cuda", feature = "files"))]
    Figures(Box<FiguresError>),
    /// The system refused something else.
    #[error("{0}")]
    System(String),
}

impl From<TextErrors> for Error {
    fn from(errors: TextErrors) -> Self {
        Error::Texts(TextsError::Wrong(errors))
    }
}

#[cfg(feature = "files")]
impl From<SweepError> for Error {
    fn from(error: SweepError) -> Self {
        Error::Sweep(Box::new(error))
    }
}

#[cfg(feature = "files")]
impl From<AnalysisError> for Error {
    fn from(error: AnalysisError) -> Self {
        Error::Analysis(Box::new(error))
    }
}

#[cfg(feature = "files")]
impl From<OverlapError> for Error {
    fn from(error: OverlapError) -> Self {
        Error::Overlap(Box::new(error))
    }
}

#[cfg(all(feature = "cuda", feature = "files"))]
impl From<FiguresError> for Error {
    fn from(error: FiguresError) -> Self {
        Error::Figures(Box::new(error))
    }
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Self {
        Error::Engine(error.into())
    }
}

#[cfg(feature = "cuda")]
impl From<CudaError> for Error {
    fn from(error: CudaError) -> Self {
        Error::Engine(EngineError::Cuda(error))
    }
}

#[cfg(feature = "pictures")]
impl From<ViewError> for Error {
    fn from(error: ViewError) -> Self {
        Error::Picture(PictureError::View(error))
    }
}

impl Error {
    /// True if the user's input is wrong, false if the machine or Squeeze itself is at fault.
    pub fn is_users(&self) -> bool {
        match self {
            Error::File(error) => error.is_users(),
            Error::Resolve(error) => error.is_users(),
            Error::Texts(error) => error.is_users(),
            Error::Engine(error) => error.is_users(),
            Error::Simulation(error) => error.is_users(),
            Error::State(error) => error.is_users(),
            #[cfg(feature = "files")]
            Error::Init(error) => error.is_users(),
            #[cfg(feature = "files")]
            Error::MaskFile(error) => error.is_users(),
            #[cfg(feature = "files")]
            Error::Export(error) => error.is_users(),
            #[cfg(feature = "pictures")]
            Error::Picture(error) => error.is_users(),
            #[cfg(feature = "files")]
            Error::Run(error) => error.is_users(),
            #[cfg(feature = "files")]
            Error::Sweep(error) => error.is_users(),
            #[cfg(feature = "files")]
            Error::Analysis(error) => error.is_users(),
            #[cfg(feature = "files")]
            Error::Overlap(error) => error.is_users(),
            #[cfg(all(feature = "cuda", feature = "files"))]
            Error::Bench(error) => error.is_users(),
            #[cfg(all(feature = "cuda", feature = "files"))]
            Error::Figures(error) => error.is_users(),
            Error::System(_) => false,
            Error::Level(_)
            | Error::Misfit(_)
            | Error::Edge(_)
            | Error::Param(_)
            | Error::Strategy(_)
            | Error::Window(_) => true,
            Error::Threads(error) => error.is_users(),
            #[cfg(feature = "files")]
            Error::Mask(_) => true,
            #[cfg(feature = "files")]
            Error::Hardware(error) => error.is_users(),
        }
    }

    /// What would be valid, one line each, where the message itself does not say it.
    pub fn help(&self) -> Vec<String> {
        match self {
            Error::Resolve(error) => error.help(),
            Error::Texts(error) => error.help(),
            Error::Param(error) => error.help(),
            Error::Edge(error) => error.help(),
            Error::Strategy(error) => error.help(),
            Error::Engine(error) => error.help(),
            Error::Simulation(error) => error.help(),
            Error::State(error) => error.help(),
            #[cfg(feature = "files")]
            Error::Init(error) => error.help(),
            #[cfg(feature = "files")]
            Error::MaskFile(error) => error.help(),
            #[cfg(feature = "files")]
            Error::Export(error) => error.help(),
            #[cfg(feature = "pictures")]
            Error::Picture(error) => error.help(),
            #[cfg(feature = "files")]
            Error::Run(error) => error.help(),
            #[cfg(feature = "files")]
            Error::Sweep(error) => error.help(),
            #[cfg(feature = "files")]
            Error::Analysis(error) => error.help(),
            #[cfg(feature = "files")]
            Error::Overlap(error) => error.help(),
            #[cfg(all(feature = "cuda", feature = "files"))]
            Error::Bench(error) => error.help(),
            #[cfg(all(feature = "cuda", feature = "files"))]
            Error::Figures(error) => error.help(),
            #[cfg(feature = "files")]
            Error::Hardware(error) => error.help(),
            #[cfg(feature = "files")]
            Error::Mask(_) => Vec::new(),
            Error::File(_)
            | Error::Level(_)
            | Error::Misfit(_)
            | Error::Threads(_)
            | Error::Window(_)
            | Error::System(_) => Vec::new(),
        }
    }

    /// The errors of texts that it tells of, which can be shown with excerpts.
    pub fn text_errors(&self) -> Option<&TextErrors> {
        match self {
            Error::Resolve(ResolveError::Text(errors)) | Error::Texts(TextsError::Wrong(errors)) => Some(errors),
            #[cfg(feature = "files")]
            Error::Run(RunError::Texts(TextsError::Wrong(errors))) => Some(errors),
            #[cfg(all(feature = "cuda", feature = "files"))]
            Error::Bench(BenchError::Resolve(ResolveError::Text(errors))) => Some(errors),
            _ => None,
        }
    }
}
