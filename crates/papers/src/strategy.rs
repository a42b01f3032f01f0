//! How cells are kept and visited.

pub use crate::emit::Strategy;
use crate::emit::{BlockGrid, GridError, Map};
use crate::engine::on_grid;
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_engine::cuda::CudaError;
use squeeze_engine::simulation::{EngineMaker, SimulationBuilder, SimulationError};
use squeeze_engine::{Backend, Engine, EngineOptions, Failure, MemberInputs};
use squeeze_records::run::NamedEngine;
use std::sync::Arc;

/// A strategy and what can be said more closely about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StrategyChoice {
    /// The strategy; `lanes`, which the backends' own engines follow, if it is none of these.
    pub strategy: Option<Strategy>,
    /// Who computes λ and ν; one thread each, if it is not said.
    pub map: Option<Map>,
    /// ρ, the side of blocks; if it is not said, the largest up to 1024 places, or for `squeeze` the papers' best.
    pub rho: Option<u64>,
}

/// What of [`StrategyChoice`] contradicts the rest of the user's wishes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StrategyError {
    /// `lanes` has neither maps to compute nor blocks.
    #[error("the strategy `lanes` has neither maps nor blocks that could be chosen")]
    Lanes,
    /// A strategy that the backend has not.
    #[error("the strategy `{}` runs on GPUs only, not on the backend `{backend}`", strategy.name())]
    Backend {
        /// The strategy.
        strategy: Strategy,
        /// The backend.
        backend: &'static str,
    },
    /// The oracle follows nobody's strategy.
    #[error("the backend `reference` has no strategies")]
    Reference,
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
    /// A record that names what there is not.
    #[error("its `{key}` is not what it should be: there is no `{name}`")]
    Unknown {
        /// What was named.
        key: &'static str,
        /// The name.
        name: String,
    },
}

impl From<GridError> for StrategyError {
    fn from(error: GridError) -> StrategyError {
        StrategyError::Grid(Box::new(error))
    }
}

impl From<StrategyError> for SimulationError {
    fn from(error: StrategyError) -> SimulationError {
        SimulationError::Other(error.into())
    }
}

impl Failure for StrategyError {
    fn is_users(&self) -> bool {
        !matches!(self, StrategyError::NoGpu { .. } | StrategyError::Unknown { .. })
    }

    fn help(&self) -> Vec<String> {
        let help = match self {
            StrategyError::Grid(error) => return vec![error.help()],
            StrategyError::NoGpu { .. } => {
                let driver = "install NVIDIA's driver, and look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES";
                return vec![driver.to_owned(), "`--strategy lanes` runs on the CPU as well".to_owned()];
            }
            StrategyError::Unknown { .. } => return Vec::new(),
            StrategyError::Lanes => {
                "leave out `--map` and `--rho`, or take `--strategy squeeze`, `lambda` or `bounding-box`"
            }
            StrategyError::Backend { .. } => "take `--backend cuda`, or `--strategy lanes`",
            StrategyError::Reference => "leave out `--strategy`, `--map` and `--rho`, or take another backend",
        };
        vec![help.to_owned()]
    }
}

impl StrategyChoice {
    /// The grid of a strategy of the papers; `None` for `lanes`.
    ///
    /// # Errors
    /// What does not fit together, or not to the fractal.
    pub fn grid(&self, domain: &Domain) -> Result<Option<BlockGrid>, StrategyError> {
        match self.strategy {
            None if self.map.is_some() || self.rho.is_some() => Err(StrategyError::Lanes),
            None => Ok(None),
            Some(strategy) => Ok(Some(BlockGrid::new(domain, strategy, self.map, self.rho)?)),
        }
    }
    /// The strategy's name.
    pub fn name(&self) -> &'static str {
        self.strategy.map_or(NamedEngine::OWN, Strategy::name)
    }

    /// What a record names.
    ///
    /// # Errors
    /// [`StrategyError::Unknown`].
    pub fn of(named: &NamedEngine) -> Result<StrategyChoice, StrategyError> {
        let strategy = named.strategy.as_deref().filter(|name| *name != NamedEngine::OWN);
        Ok(StrategyChoice {
            strategy: known("strategy", strategy, Strategy::ALL, Strategy::name)?,
            map: known("map", named.map.as_deref(), Map::ALL, Map::name)?,
            rho: named.rho,
        })
    }
}

/// The one of this name, if one is named.
fn known<T: Copy>(
    key: &'static str,
    name: Option<&str>,
    all: [T; 3],
    name_of: fn(T) -> &'static str,
) -> Result<Option<T>, StrategyError> {
    let Some(name) = name else { return Ok(None) };
    let found = all.into_iter().find(|one| name_of(*one) == name);
    found.map(Some).ok_or_else(|| StrategyError::Unknown { key, name: name.to_owned() })
}

impl EngineMaker for StrategyChoice {
    fn make(
        &self,
        rule: &FittedRule,
        inputs: &MemberInputs,
        backend: Backend,
        options: &EngineOptions,
    ) -> Result<Option<(Backend, Box<dyn Engine>)>, SimulationError> {
        if backend == Backend::Reference {
            return Err(StrategyError::Reference.into());
        }
        let Some(grid) = self.grid(rule.domain())? else { return Ok(None) };
        if backend == Backend::Cpu {
            return Err(StrategyError::Backend { strategy: grid.strategy, backend: backend.name() }.into());
        }
        Ok(Some((Backend::Cuda, on_grid(grid, rule, inputs, options)?)))
    }
}

/// Simulations by a strategy.
pub trait ByStrategy {
    /// Takes a strategy, where one was chosen.
    fn strategy_choice(self, choice: StrategyChoice) -> Self;
}

impl ByStrategy for SimulationBuilder {
    fn strategy_choice(self, choice: StrategyChoice) -> Self {
        if choice == StrategyChoice::default() { self } else { self.engine(Arc::new(choice)) }
    }
}
