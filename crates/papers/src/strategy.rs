//! How cells are kept and visited.

pub use crate::emit::Strategy;
use crate::emit::{BlockGrid, MapUnit};
use crate::engine::on_grid;
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_engine::simulation::{EngineMaker, SimulationBuilder, SimulationError};
use squeeze_engine::{Backend, Engine, EngineOptions, MemberInputs};
use squeeze_records::run::NamedEngine;
use std::sync::Arc;

/// A strategy and what can be said more closely about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StrategyChoice {
    /// The strategy; `lanes`, which the backends' own engines follow, if it is none of these.
    pub strategy: Option<Strategy>,
    /// The hardware that computes λ and ν; by default one thread for each map.
    pub map: Option<MapUnit>,
    /// ρ, the side of blocks; if it is not said, the largest up to 1024 places, or for `squeeze` the papers' best.
    pub rho: Option<u64>,
}

impl StrategyChoice {
    /// The grid of a strategy of the papers; `None` for `lanes`.
    ///
    /// # Errors
    /// If a map or ρ is chosen for `lanes`, or [`GridError`](crate::emit::GridError) if the strategy does not suit the fractal.
    pub fn grid(&self, domain: &Domain) -> Result<Option<BlockGrid>> {
        match self.strategy {
            None if self.map.is_some() || self.rho.is_some() => {
                let what = "the strategy `lanes` has neither maps nor blocks that could be chosen";
                let help = "leave out `--map` and `--rho`, or take `--strategy squeeze`, `lambda` or `bounding-box`";
                Err(Message::users(what).with_help(help).into())
            }
            None => Ok(None),
            Some(strategy) => Ok(Some(BlockGrid::new(domain, strategy, self.map, self.rho)?)),
        }
    }
    /// The strategy's name.
    pub fn name(&self) -> &'static str {
        self.strategy.map_or(NamedEngine::OWN, Strategy::name)
    }

    /// The choice that a record names.
    ///
    /// # Errors
    /// If there is no strategy or map of that name.
    pub fn of(named: &NamedEngine) -> Result<StrategyChoice> {
        let strategy = named.strategy.as_deref().filter(|name| *name != NamedEngine::OWN);
        Ok(StrategyChoice {
            strategy: known("strategy", strategy, Strategy::ALL, Strategy::name)?,
            map: known("map", named.map.as_deref(), MapUnit::ALL, MapUnit::name)?,
            rho: named.rho,
        })
    }
}

/// The one of this name, if one is named.
fn known<T: Copy, const N: usize>(
    key: &'static str,
    name: Option<&str>,
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> Result<Option<T>> {
    let Some(name) = name else { return Ok(None) };
    let found = all.into_iter().find(|one| name_of(*one) == name);
    let what = || format!("its `{key}` is not what it should be: there is no `{name}`");
    found.map(Some).ok_or_else(|| Message::systems(what()).into())
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
            let help = "leave out `--strategy`, `--map` and `--rho`, or take another backend";
            return Err(Error::from(Message::users("the backend `reference` has no strategies").with_help(help)).into());
        }
        let Some(grid) = self.grid(rule.domain())? else { return Ok(None) };
        if backend == Backend::Cpu {
            let (strategy, backend) = (grid.strategy.name(), backend.name());
            let what = format!("the strategy `{strategy}` runs on GPUs only, not on the backend `{backend}`");
            let help = "take `--backend cuda`, or `--strategy lanes`";
            return Err(Error::from(Message::users(what).with_help(help)).into());
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
