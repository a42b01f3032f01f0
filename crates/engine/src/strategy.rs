//! How cells are kept and visited.

use crate::failure::Failure;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use squeeze_compiler::emit::papers::{self, BlockGrid, GridError, Map};
use squeeze_compiler::geometry::Domain;

/// A strategy: what is kept in memory, and in which order it is visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Fully compact memory, replica lanes.
    #[default]
    Lanes,
    /// Compact blocks that are expanded inside: the papers' method.
    Squeeze,
    /// Expanded memory of which only the fractal is visited.
    Lambda,
    /// Expanded memory, all of it visited.
    BoundingBox,
}

impl Strategy {
    /// All strategies, in the order in which they are offered.
    pub const ALL: [Strategy; 4] = [Strategy::Lanes, Strategy::Squeeze, Strategy::Lambda, Strategy::BoundingBox];

    /// The name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self.of_papers() {
            None => "lanes",
            Some(strategy) => strategy.name(),
        }
    }

    /// One line on what it is.
    pub const fn description(self) -> &'static str {
        match self {
            Strategy::Lanes => "compact memory, replicas side by side",
            Strategy::Squeeze => "compact blocks, expanded inside (backend cuda)",
            Strategy::Lambda => "expanded memory, the fractal alone visited (backend cuda)",
            Strategy::BoundingBox => "expanded memory, all of it visited (backend cuda)",
        }
    }

    /// As a strategy of the papers, which all but `lanes` are.
    pub(crate) const fn of_papers(self) -> Option<papers::Strategy> {
        match self {
            Strategy::Lanes => None,
            Strategy::Squeeze => Some(papers::Strategy::Squeeze),
            Strategy::Lambda => Some(papers::Strategy::Lambda),
            Strategy::BoundingBox => Some(papers::Strategy::BoundingBox),
        }
    }
}

/// A strategy and what can be said more closely about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StrategyChoice {
    /// The strategy; `lanes` if it is not said.
    pub strategy: Option<Strategy>,
    /// Who computes λ and ν; one thread each, if it is not said.
    #[serde(serialize_with = "write_map", deserialize_with = "read_map", default)]
    pub map: Option<Map>,
    /// ρ, the side of blocks; if it is not said, the largest up to 1024 places, or for `squeeze` the papers' best.
    pub rho: Option<u64>,
}

fn write_map<S: Serializer>(map: &Option<Map>, to: S) -> Result<S::Ok, S::Error> {
    map.map(Map::name).serialize(to)
}

fn read_map<'a, D: Deserializer<'a>>(from: D) -> Result<Option<Map>, D::Error> {
    let Some(name) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let map = Map::ALL.into_iter().find(|map| map.name() == name);
    map.map(Some).ok_or_else(|| D::Error::custom("there is no such map"))
}

/// What of [`StrategyChoice`] contradicts the rest of the user's wishes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
    Grid(#[from] Box<GridError>),
}

impl Failure for StrategyError {
    fn help(&self) -> Vec<String> {
        let help = match self {
            StrategyError::Grid(error) => return vec![error.help()],
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
        match self.strategy.unwrap_or_default().of_papers() {
            None if self.map.is_some() || self.rho.is_some() => Err(StrategyError::Lanes),
            None => Ok(None),
            Some(strategy) => Ok(Some(BlockGrid::new(domain, strategy, self.map, self.rho).map_err(Box::new)?)),
        }
    }
}
