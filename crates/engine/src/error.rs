//! Why an engine cannot be built, or cannot go on.

#[cfg(feature = "cuda")]
use super::cuda::error::CudaError;
use crate::failure::Failure;
#[cfg(feature = "jit")]
use crate::ranks::error::RankError;
#[cfg(feature = "jit")]
use squeeze_codegen::{CodeError, Isa};
use squeeze_compiler::CompileError;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::layout::LayoutError;
use squeeze_compiler::lower::LowerError;
use squeeze_host::numbers;
use squeeze_host::threads::ThreadsError;

/// The result of an engine's methods.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

/// The reason why there is no engine, or none any more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The states do not fit in memory.
    #[error(
        "{domain} needs {} of memory on the backend `{backend}`; {}",
        numbers::bytes(*needed),
        if *available == u64::MAX { "how much is available is not known".to_owned() } else { format!("{} is available", numbers::bytes(*available as f64)) }
    )]
    Memory {
        /// The domain, as messages name it.
        domain: String,
        /// The backend.
        backend: &'static str,
        /// Bytes needed.
        needed: f64,
        /// Bytes that there are.
        available: u64,
        /// Suggestions: what would fit, and what else can be done.
        help: Vec<String>,
    },
    /// A rule that the strategy `lanes` has no code for.
    #[error("the strategy `lanes` cannot unroll the rule `{rule}` at this level: {reason}")]
    NoKernel {
        /// The rule's name.
        rule: String,
        /// Why.
        reason: String,
    },
    /// A rule with inputs, or with a step whose cells take turns in an order, for a backend that has neither.
    #[error("{0}")]
    Ordered(String),
    /// A rule that asks clusters, for a backend that finds none.
    #[error("{0}")]
    Clusters(String),
    /// A run that ranks or GPUs cannot divide among them.
    #[error("{0}")]
    Undivided(String),
    /// A kernel whose values take more memory than a thread's stack or an instruction's address allows.
    #[error("kernel `{kernel}` is too large: {what}")]
    LargeKernel {
        /// Its name.
        kernel: String,
        /// The part of it that is too large, in words.
        what: &'static str,
    },
    /// A program of Rust that would have to do more than run kernels.
    #[error("the rule `{rule}` {lacking}, which programs of Rust by themselves do not compute")]
    NoProgram {
        /// The rule's name.
        rule: String,
        /// The feature of the rule that is in the way, in words.
        lacking: &'static str,
    },
    /// An instruction set that this machine lacks.
    #[cfg(feature = "jit")]
    #[error("this machine has no {0}")]
    NoIsa(Isa),
    /// A policy of the system under which compiled kernels cannot run.
    #[cfg(feature = "jit")]
    #[error("the backend `cpu` cannot run here: {0}")]
    Forbidden(CodeError),
    /// A level with more blocks of threads than one launch can hold.
    #[cfg(feature = "cuda")]
    #[error("this level takes {blocks} blocks of threads; a GPU runs at most {} at once", i32::MAX)]
    Blocks {
        /// How many it takes.
        blocks: u64,
    },
    /// CUDA C that the user gave instead of the printed text.
    #[error("`{name}` cannot be run: {problem}")]
    LoadedCode {
        /// The file.
        name: String,
        /// The fault, in words.
        problem: String,
    },
    /// More or fewer members or parameters than an engine has.
    #[error("an engine with {expected} {what} was given {given}")]
    Inputs {
        /// The inputs that are counted: members or parameters.
        what: &'static str,
        /// How many it has.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// The GPU, its driver or its compiler.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A backend that was left out when Squeeze was compiled.
    #[error(
        "the backend `{backend}` is not available: this program was compiled without the feature `{feature}` of Squeeze"
    )]
    NotBuilt {
        /// The backend.
        backend: &'static str,
        /// The feature that brings it.
        feature: &'static str,
    },
    /// A rank of several that compute one simulation.
    #[cfg(feature = "jit")]
    #[error(transparent)]
    Ranks(#[from] RankError),
    /// A simulation in a process that was forked off the one that made it.
    #[error("this process was forked off the one that made the simulation, whose threads stayed there")]
    Forked,
    /// The system refused memory that it had reported as available, or broke another promise.
    #[error("{0}")]
    System(String),
}

impl EngineError {
    /// Makes sure that `needed` bytes fit; else it is said which level does.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if they do not.
    #[doc(hidden)]
    pub fn check_memory(
        domain: &Domain,
        backend: &'static str,
        needed: u128,
        available: u64,
        largest: impl FnOnce() -> Option<u32>,
    ) -> Result<(), EngineError> {
        if needed <= u128::from(available) {
            return Ok(());
        }
        let (domain, help) = (domain.to_string(), vec![domain.advice(largest)]);
        Err(EngineError::Memory { domain, backend, needed: needed as f64, available, help })
    }
}

impl From<LayoutError> for EngineError {
    fn from(error: LayoutError) -> EngineError {
        EngineError::System(error.to_string())
    }
}

#[cfg(feature = "jit")]
impl From<CodeError> for EngineError {
    fn from(error: CodeError) -> EngineError {
        match error {
            CodeError::TooLarge { kernel, what } => EngineError::LargeKernel { kernel, what },
            CodeError::Forbidden(_) => EngineError::Forbidden(error),
            CodeError::Failed { .. } => EngineError::System(error.to_string()),
        }
    }
}

impl From<ThreadsError> for EngineError {
    fn from(error: ThreadsError) -> EngineError {
        EngineError::System(error.to_string())
    }
}

impl From<CompileError> for EngineError {
    fn from(error: CompileError) -> Self {
        match error {
            CompileError::NoKernel { reason: LowerError::NoStack, .. } => EngineError::System(error.to_string()),
            CompileError::Ordered { .. } | CompileError::Inputs { .. } => EngineError::Ordered(error.to_string()),
            CompileError::Clusters { .. } => EngineError::Clusters(error.to_string()),
            CompileError::NoKernel { rule, reason } => EngineError::NoKernel { rule, reason: reason.to_string() },
            CompileError::Memory { domain, backend, needed, available, help } => {
                EngineError::Memory { domain, backend, needed: needed as f64, available, help: vec![help] }
            }
            CompileError::Kernel { .. } | CompileError::Layout(_) => EngineError::System(error.to_string()),
        }
    }
}

impl Failure for EngineError {
    fn is_users(&self) -> bool {
        match self {
            EngineError::System(_) | EngineError::Inputs { .. } => false,
            #[cfg(feature = "jit")]
            EngineError::Forbidden(_) => false,
            #[cfg(feature = "cuda")]
            EngineError::Cuda(error) => error.is_users(),
            #[cfg(feature = "jit")]
            EngineError::Ranks(error) => error.is_users(),
            _ => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            EngineError::Memory { help, .. } => help.clone(),
            EngineError::NoKernel { .. } | EngineError::LargeKernel { .. } => vec!["`--backend reference` runs it, slowly".to_owned()],
            EngineError::Ordered(_) | EngineError::Clusters(_) => {
                vec!["`--backend cpu` runs it, and `--backend reference`".to_owned()]
            }
            EngineError::Undivided(_) => vec!["fewer ranks or GPUs run it, or one".to_owned()],
            EngineError::NoProgram { .. } => {
                vec!["`squeeze run` runs it, and so do Rust programs that use this library".to_owned()]
            }
            #[cfg(feature = "jit")]
            EngineError::NoIsa(_) => {
                let there: Vec<&str> = Isa::ALL.iter().filter(|isa| isa.is_available()).map(|isa| isa.name()).collect();
                vec![if there.is_empty() { "it has none that can be chosen".to_owned() } else { format!("it has {}", there.join(", ")) }]
            }
            #[cfg(feature = "jit")]
            EngineError::Forbidden(_) => vec![
                "a policy forbids it: `MemoryDenyWriteExecute=` of systemd, `deny_execmem` of SELinux, `MPROTECT` of PaX; whoever set it \
                 can lift it for this program"
                    .to_owned(),
                "`--backend reference` runs it, slowly; a program that `squeeze emit --target rust` prints needs no such memory".to_owned(),
            ],
            #[cfg(feature = "cuda")]
            EngineError::Blocks { .. } => {
                vec!["a lower level, a larger `--rho` or the strategy `lanes` takes fewer".to_owned()]
            }
            EngineError::LoadedCode { .. } => vec![
                "`squeeze emit FRACTAL --rule RULE --level R --target cuda -o FILE.cu` prints what can be edited and run with the same \
                 fractal, rule, level and strategy"
                    .to_owned(),
            ],
            #[cfg(feature = "cuda")]
            EngineError::Cuda(error) => error.help(),
            EngineError::NotBuilt { feature, .. } => {
                vec![format!("compile it with the feature `{feature}`, or take the backend `reference`")]
            }
            EngineError::Forked => vec![
                "build the simulation in this process; Python starts processes without a fork by `multiprocessing.set_start_method(\"spawn\")`"
                    .to_owned(),
            ],
            #[cfg(feature = "jit")]
            EngineError::Ranks(error) => error.help(),
            EngineError::System(_) | EngineError::Inputs { .. } => Vec::new(),
        }
    }
}
