//! Why a run folder cannot be written, resumed or read.

use crate::picture::PictureError;
use crate::state::StateError;
use crate::texts::TextsError;
use squeeze_engine::failure::Failure;
use squeeze_engine::params::list;
use squeeze_engine::simulation::SimulationError;
use squeeze_host::files::FileError;
use std::path::PathBuf;

/// The result of what works on a run folder.
pub type Result<T, E = RunError> = std::result::Result<T, E>;

/// Why a run folder cannot be written, resumed or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A GIF that is too large even with the smallest frames.
    #[error("{frames} frames of {pixels} pixels take {:.1} MB", *bytes as f64 / 1e6)]
    LargeAnimation {
        /// How many frames.
        frames: u32,
        /// Their longer side.
        pixels: u32,
        /// The size of the file.
        bytes: usize,
    },
    /// What a run or a sweep makes is there already.
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    /// There is no run.
    #[error("`{}` holds no run: it has no `manifest.json`", .0.display())]
    NoRun(PathBuf),
    /// Another process works on it.
    #[error("another process works on `{}`", .0.display())]
    Busy(PathBuf),
    /// The manifest cannot be understood.
    #[error("`{}` is not the manifest of a run: {reason}", .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The texts in the manifest do not give what they gave.
    #[error(transparent)]
    Texts(#[from] TextsError),
    /// No state is there.
    #[error("`{}` holds no complete state", .0.display())]
    NoState(PathBuf),
    /// The state that was asked for is not there.
    #[error("`{}` holds no state of step {step}", .path.display())]
    NoStep {
        /// The run.
        path: PathBuf,
        /// The time.
        step: u32,
        /// The times there are.
        known: Vec<u32>,
    },
    /// There are no observables.
    #[error("`{}` holds no observables", .0.display())]
    NoRows(PathBuf),
    /// A row of observables that is another than the run wrote.
    #[error("`{}` is damaged: the row of step {step} is not as the run wrote it", .path.display())]
    OtherRow {
        /// The file.
        path: PathBuf,
        /// How the row begins.
        step: String,
    },
    /// An observable that there is not.
    #[error("`{}` has no observable `{name}`", .path.display())]
    NoObservable {
        /// The folder.
        path: PathBuf,
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// More observables than a plot shows.
    #[error("`{}` holds {count} observables; a plot shows at most {most}", .path.display())]
    TooManyObservables {
        /// The file.
        path: PathBuf,
        /// How many there are.
        count: usize,
        /// How many a plot shows.
        most: usize,
    },
    /// The domain that the recorded texts give has other cells than the states.
    #[error("the states in `{}` are of {found} cells, and the domain has {cells}", .path.display())]
    OtherCells {
        /// The run.
        path: PathBuf,
        /// Cells of the states.
        found: u64,
        /// Cells of the domain.
        cells: u64,
    },
    /// The beginning of a run that took values from files is lost.
    #[error("`{}` has no state left, and its initial values came from files, which may have changed", .0.display())]
    BeginningLost(PathBuf),
    /// A float that is none.
    #[error("`{state}` is {value} in cell {cell} at ({place}) after step {step}")]
    NotFinite {
        /// The state's name.
        state: String,
        /// The canonical index.
        cell: u64,
        /// Its coordinates.
        place: String,
        /// The value.
        value: f64,
        /// The time.
        step: u32,
    },
    /// A file or folder of the run.
    #[error(transparent)]
    File(#[from] FileError),
    /// A state that is saved or restored.
    #[error(transparent)]
    State(#[from] StateError),
    /// The simulation that is recorded.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A picture of it.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// What should not happen: a thread that is gone, or a plot that cannot be drawn.
    #[error("{0}")]
    System(String),
}

impl Failure for RunError {
    fn is_users(&self) -> bool {
        use RunError::{BeginningLost, Manifest, NotFinite, OtherRow, System};
        match self {
            RunError::File(error) => error.is_users(),
            RunError::Texts(error) => error.is_users(),
            RunError::State(error) => error.is_users(),
            RunError::Simulation(error) => error.is_users(),
            RunError::Picture(error) => error.is_users(),
            Manifest { .. } | BeginningLost(_) | NotFinite { .. } | OtherRow { .. } | System(_) => false,
            _ => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            RunError::File(error) => error.help(),
            RunError::Texts(error) => error.help(),
            RunError::State(error) => error.help(),
            RunError::Simulation(error) => error.help(),
            RunError::Picture(error) => error.help(),
            RunError::Exists(path) => vec![format!(
                "take another folder; if it holds a run, `squeeze resume {}` continues it",
                path.parent().unwrap_or(path).display()
            )],
            RunError::NoRun(_) => vec!["`squeeze run … --out DIR` makes one".to_owned()],
            RunError::NoStep { known, .. } if known.is_empty() => vec!["it holds none at all".to_owned()],
            RunError::NoStep { known, .. } => vec![format!("it holds those of {}", steps_in_words(known))],
            RunError::NoRows(_) => vec!["a rule with `observe` and `--observe-every N` give some".to_owned()],
            RunError::NoObservable { known, .. } => vec![format!("there are {}", list(known))],
            RunError::TooManyObservables { .. } => vec!["`--only NAME,NAME` chooses what is shown".to_owned()],
            RunError::OtherRow { .. } => vec![
                "`observables.crc` beside it holds the checksums of what was written: take both files from a copy"
                    .to_owned(),
            ],
            RunError::NoState(_) => vec!["it has some after `--save-every N` steps, and at the end".to_owned()],
            RunError::OtherCells { .. } => vec![
                "masks drawn by `cells random(p)` have other cells since their draws are apart from those of a start"
                    .to_owned(),
                "the version that began the run continues it, or begin it anew in another folder".to_owned(),
            ],
            RunError::BeginningLost(_) => vec!["start it anew with the same `--init`".to_owned()],
            RunError::LargeAnimation { .. } => {
                vec!["allow more with `--max-size`, or make fewer frames".to_owned()]
            }
            RunError::NotFinite { .. } => vec!["`--allow-nan` continues anyway".to_owned()],
            _ => Vec::new(),
        }
    }
}

fn steps_in_words(known: &[u32]) -> String {
    let text = |steps: &[u32]| steps.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match known {
        [first, second, third, .., last] if known.len() > 8 => {
            format!("{}, …, {last}", text(&[*first, *second, *third]))
        }
        _ => text(known),
    }
}
