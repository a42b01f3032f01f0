//! What can go wrong between a command and its result, and whose fault it is.

use crate::bench::BenchError;
use crate::engine::cpu::Isa;
use crate::engine::cuda::CudaError;
use crate::files::FileError;
use crate::params::{ParamError, list};
use crate::picture::ViewError;
use crate::run::RunError;
use crate::simulation::FieldError;
use crate::state::export::ExportError;
use crate::state::initial::InitError;
use crate::state::window::WindowError;
use crate::strategy::TacticsError;
use squeeze_compiler::diagnostics::{self, Diagnostic};
use squeeze_compiler::emit::papers::GridError;
use squeeze_compiler::geometry::{LevelError, RuleMisfit};
use squeeze_compiler::source::Sources;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The texts have errors.
    #[error("{}", .0.render(false).trim_end())]
    Text(TextErrors),
    /// Neither a file nor the name of something that ships.
    #[error("there is no {kind} `{name}`, neither as a file nor among those that ship{}", near.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
    UnknownName {
        /// What was looked for.
        kind: Kind,
        /// The name that was given.
        name: String,
        /// The most similar name there is.
        near: Option<String>,
        /// All names there are.
        known: Vec<String>,
    },
    /// A text without the definition that was asked for.
    #[error("{}", match name {
        Some(name) => format!("`{text}` defines no {kind} `{name}`"),
        None => format!("`{text}` defines no {kind}"),
    })]
    NoDefinition {
        /// The file or shipped text.
        text: String,
        /// What was looked for.
        kind: Kind,
        /// The name after `#`.
        name: Option<String>,
        /// The names of this kind that it does define.
        defined: Vec<String>,
    },
    /// A level that is too high for any arithmetic.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// A rule that cannot run on the fractal.
    #[error(transparent)]
    Misfit(#[from] RuleMisfit),
    /// A state that cannot be read or set in this way.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A setting of a parameter.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The states do not fit in memory.
    #[error(
        "level {level} of `{fractal}` needs {} of memory on the backend `{backend}`; {} is available",
        crate::memory::describe(*needed), crate::memory::describe(*available as f64)
    )]
    Memory {
        /// The fractal's name.
        fractal: String,
        /// The level that was asked for.
        level: u32,
        /// The backend.
        backend: &'static str,
        /// Bytes needed.
        needed: f64,
        /// Bytes that there are.
        available: u64,
        /// The largest level that fits, if any does.
        largest: Option<u32>,
    },
    /// A case or folder for benchmarks.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A rule that the strategy `lanes` has no code for.
    #[error("the strategy `lanes` cannot unroll the rule `{rule}` at this level: {reason}")]
    NoKernel {
        /// The rule's name.
        rule: String,
        /// Why.
        reason: String,
    },
    /// A strategy of the papers that does not fit the fractal.
    #[error(transparent)]
    Grid(Box<GridError>),
    /// A strategy that needs a GPU, on a machine without one.
    #[error("the strategy `{strategy}` runs on GPUs only: {error}")]
    NoGpu {
        /// The strategy.
        strategy: &'static str,
        /// Why there is none.
        error: CudaError,
    },
    /// Wishes on strategies that contradict each other.
    #[error(transparent)]
    Tactics(#[from] TacticsError),
    /// An instruction set that this machine lacks.
    #[error("this machine has no {0}")]
    NoIsa(Isa),
    /// More time steps than there are.
    #[error("{steps} steps from time {time} pass the last time there is, 2^32 − 1")]
    Time {
        /// The time before.
        time: u32,
        /// The steps that were asked for.
        steps: u64,
    },
    /// A number from outside that is none of an enum's.
    #[error("cell {cell} of `{state}` has the number {number}; its variants {} have the numbers 0 to {}", list(variants), variants.len() - 1)]
    Variant {
        /// The state.
        state: String,
        /// The canonical index.
        cell: u64,
        /// The number.
        number: u8,
        /// All variants, in the order of their numbers.
        variants: Vec<String>,
    },
    /// A window of the expanded grid.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// A view that cannot be drawn.
    #[error(transparent)]
    View(#[from] ViewError),
    /// First values from a file.
    #[error(transparent)]
    Init(#[from] InitError),
    /// An export.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A run folder.
    #[error(transparent)]
    Run(#[from] RunError),
    /// CUDA C that somebody gave instead of what is printed.
    #[error("`{name}` cannot be run: {problem}")]
    LoadedCode {
        /// The file.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The GPU, its driver or its compiler.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The system refused memory that it had reported as available, or broke another promise.
    #[error("{0}")]
    System(String),
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A fractal.
    Fractal,
    /// A rule.
    Rule,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Fractal => "fractal",
            Kind::Rule => "rule",
        })
    }
}

/// Errors of texts, with the texts that they point into.
#[derive(Debug)]
pub struct TextErrors {
    /// The errors, at least one.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts.
    pub sources: Sources,
}

impl TextErrors {
    /// The errors as a reader is shown them, with excerpts.
    pub fn render(&self, colour: bool) -> String {
        diagnostics::render(&self.diagnostics, &self.sources, colour)
    }
}

impl Error {
    /// True if the user's input is wrong, false if the machine or Squeeze itself is at fault.
    pub fn is_users(&self) -> bool {
        match self {
            Error::File(error) => error.is_users(),
            Error::Run(error) => error.is_users(),
            Error::System(_) | Error::Cuda(_) | Error::NoGpu { .. } => false,
            _ => true,
        }
    }

    /// What would be valid, one line each, where the message itself does not say it.
    pub fn help(&self) -> Vec<String> {
        match self {
            Error::UnknownName { kind, known, .. } => vec![
                format!("these {kind}s ship: {}", known.join(", ")),
                "a name with a `/` or an extension is taken as a file".to_owned(),
            ],
            Error::NoDefinition { kind, defined, .. } if defined.is_empty() => {
                vec![format!("a definition begins with `{kind} NAME {{`")]
            }
            Error::NoDefinition { kind, defined, .. } => vec![format!("its {kind}s are {}", list(defined))],
            Error::Cuda(error) => error.help(),
            Error::LoadedCode { .. } => vec![
                "`squeeze emit FRACTAL --rule RULE --level R --target cuda -o FILE.cu` prints what can be edited and run with the same \
                 fractal, rule, level and strategy"
                    .to_owned(),
            ],
            Error::Param(error) => error.help().into_iter().collect(),
            Error::Field(error) => error.help().into_iter().collect(),
            Error::Bench(error) => vec![error.help()],
            Error::NoGpu { .. } => vec![
                "install NVIDIA's driver, and look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES".to_owned(),
                "`--strategy lanes` runs on the CPU as well".to_owned(),
            ],
            Error::Run(error) => error.help().into_iter().collect(),
            Error::Export(error) => error.help().into_iter().collect(),
            Error::Grid(error) => vec![error.help()],
            Error::Tactics(error) => vec![error.help().to_owned()],
            Error::Memory { largest: Some(level), .. } => vec![format!("the largest level that fits is {level}")],
            Error::Memory { largest: None, .. } => vec!["no level fits".to_owned()],
            Error::NoIsa(_) => {
                let there: Vec<&str> = Isa::ALL.iter().filter(|isa| isa.is_available()).map(|isa| isa.name()).collect();
                vec![if there.is_empty() { "it has none that can be chosen".to_owned() } else { format!("it has {}", there.join(", ")) }]
            }
            Error::NoKernel { .. } => vec!["`--backend reference` runs it, slowly".to_owned()],
            Error::Time { time, .. } => vec![format!("at most {} steps are left", u32::MAX - time)],
            _ => Vec::new(),
        }
    }
}
