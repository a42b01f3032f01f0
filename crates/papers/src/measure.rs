//! Measuring ways to run life on the Sierpinski triangle, as the papers did.

use super::list::{Figure, MeasurementKind};
use super::setup::{Setup, Tier};
use super::store::{Measured, Record, TimeOrProblem};
use crate::emit::{BlockGrid, MapUnit};
use crate::strategies::does_not_fit;
use crate::strategy::{ByStrategy, Strategy, StrategyChoice};
use squeeze_bench::time;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Fractal, Rule};
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{Backend, Simulation, SimulationError};
use squeeze_records::resolve;
use std::sync::Arc;

/// Steps after which states are compared.
pub(crate) const CHECKED_STEPS: u64 = 12;
/// The sides of blocks in the papers.
pub(crate) const RHOS: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// The sides at which the papers use tensor cores.
pub(crate) const TENSOR_RHOS: [u64; 2] = [16, 32];
/// The highest level of everything that is expanded, and of the compact ways.
pub(crate) const LEVELS: [u32; 2] = [16, 20];
/// From this level on only what a figure needs is measured.
const LARGE: u32 = 17;

/// A way to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Method {
    /// The backend that runs it.
    pub backend: Backend,
    /// How cells are kept and visited.
    pub strategy_choice: StrategyChoice,
}

impl Method {
    /// `lanes` on the backend of a setup.
    pub(crate) fn lanes(setup: &Setup) -> Method {
        Method { backend: setup.backend, strategy_choice: StrategyChoice::default() }
    }

    /// The oracle.
    pub(crate) fn reference() -> Method {
        Method { backend: Backend::Reference, strategy_choice: StrategyChoice::default() }
    }

    /// A strategy of the papers.
    pub(crate) fn of(strategy: Strategy, map: Option<MapUnit>, rho: u64) -> Method {
        let strategy_choice = StrategyChoice { strategy: Some(strategy), map, rho: Some(rho) };
        Method { backend: Backend::Cuda, strategy_choice }
    }

    /// BB with blocks of side ρ.
    pub(crate) fn bounding_box(rho: u64) -> Method {
        Method::of(Strategy::BoundingBox, None, rho)
    }

    /// λ(ω) as in the papers: on tensor cores where they do.
    pub(crate) fn lambda(rho: u64) -> Method {
        Method::of(Strategy::Lambda, Some(papers_map(rho)), rho)
    }

    /// λ(ω) without tensor cores.
    pub(crate) fn lambda_scalar(rho: u64) -> Method {
        Method::of(Strategy::Lambda, Some(MapUnit::Scalar), rho)
    }

    /// Squeeze as in the papers: on tensor cores where they do.
    pub(crate) fn squeeze(rho: u64) -> Method {
        Method::of(Strategy::Squeeze, Some(papers_map(rho)), rho)
    }

    /// Squeeze without tensor cores.
    pub(crate) fn squeeze_scalar(rho: u64) -> Method {
        Method::of(Strategy::Squeeze, Some(MapUnit::Scalar), rho)
    }

    /// Squeeze on tensor cores with the papers' own fragment.
    pub(crate) fn squeeze_f16(rho: u64) -> Method {
        Method::of(Strategy::Squeeze, Some(MapUnit::WmmaF16), rho)
    }

    /// Whether a figure needs it at a level, beside `lanes`. Levels above the sizes of the bounding box take long, and few figures show them.
    pub(crate) fn is_for(&self, figure: &Figure, level: u32) -> bool {
        let StrategyChoice { strategy, rho, .. } = self.strategy_choice;
        match figure.kind {
            MeasurementKind::Formula | MeasurementKind::Tiles => false,
            MeasurementKind::Memory => true,
            MeasurementKind::Times => level <= LEVELS[0],
            MeasurementKind::Products => {
                let has_product = TENSOR_RHOS.iter().any(|side| rho == Some(*side) && level > side.ilog2());
                level <= LEVELS[0] && strategy == Some(Strategy::Squeeze) && has_product
            }
        }
    }

    /// Its name in measurements.
    pub(crate) fn name(&self) -> String {
        let StrategyChoice { strategy, map, rho } = self.strategy_choice;
        match (self.backend, strategy) {
            (Backend::Reference, _) => "reference".to_owned(),
            (_, None) => "lanes".to_owned(),
            (_, Some(strategy)) => {
                let map = map.map_or(String::new(), |map| format!(",{}", map.name()));
                format!("{}{map},{}", strategy.name(), rho.unwrap_or_default())
            }
        }
    }
}

fn papers_map(rho: u64) -> MapUnit {
    if TENSOR_RHOS.contains(&rho) { MapUnit::Wmma } else { MapUnit::Scalar }
}

/// The case that is measured.
pub(crate) struct PapersCase {
    /// The Sierpinski triangle.
    pub fractal: Arc<Fractal>,
    /// Life.
    pub rule: Arc<Rule>,
}

impl PapersCase {
    /// The papers' case.
    pub(crate) fn new() -> Result<PapersCase> {
        Ok(PapersCase { fractal: resolve::fractal("sierpinski_triangle")?, rule: resolve::rule("life")? })
    }

    /// The levels that a tier measures.
    pub(crate) fn levels(&self, setup: &Setup) -> Vec<u32> {
        match (setup.tier, setup.backend) {
            (Tier::Full, _) => (0..=LEVELS[1]).collect(),
            (Tier::Quick, Backend::Cuda) => vec![0, 2, 4, 6],
            (Tier::Quick, _) => (0..=12).step_by(2).collect(),
        }
    }

    /// The ways to measure at a level, `lanes` first.
    pub(crate) fn ways(&self, setup: &Setup, level: u32) -> Vec<Method> {
        let mut ways = vec![Method::lanes(setup)];
        if setup.backend != Backend::Cuda {
            ways.push(Method::reference());
            return ways;
        }
        let Ok(domain) = Domain::new(Arc::clone(&self.fractal), level) else { return Vec::new() };
        let sides: Vec<u64> = RHOS.into_iter().filter(|rho| BlockGrid::sides(&domain).contains(rho)).collect();
        if level < LARGE {
            ways.extend(sides.iter().map(|&rho| Method::bounding_box(rho)));
            ways.extend(sides.iter().map(|&rho| Method::lambda_scalar(rho)));
            ways.extend(sides.iter().filter(|rho| TENSOR_RHOS.contains(rho)).map(|&rho| Method::lambda(rho)));
            ways.extend(sides.iter().map(|&rho| Method::squeeze_scalar(rho)));
            ways.extend(sides.iter().filter(|rho| TENSOR_RHOS.contains(rho)).map(|&rho| Method::squeeze_f16(rho)));
        } else if level == LEVELS[1] {
            ways.push(Method::squeeze_scalar(1));
        }
        let wanted = |rho: &&u64| level < LARGE && TENSOR_RHOS.contains(rho) || level >= LARGE && **rho >= 8;
        ways.extend(sides.iter().filter(wanted).map(|&rho| Method::squeeze(rho)));
        ways
    }

    /// Measures a way at a level. A way that does not fit is no error: the record says so.
    pub(crate) fn measure(&self, setup: &Setup, way: &Method, level: u32, clocks: &str) -> Result<Record> {
        let (shortest, seconds) = match setup.tier {
            Tier::Quick => (0.01, 0.06),
            Tier::Full => (0.05, 0.8),
        };
        let free = setup.free()?;
        let measured = || -> Result<(Simulation, Measured), SimulationError> {
            let builder = Simulation::builder(Arc::clone(&self.fractal), Arc::clone(&self.rule)).level(level).seed(1);
            // Each measured step computes all cells.
            let builder = builder.activity(false);
            let mut simulation = builder.backend(way.backend).strategy_choice(way.strategy_choice).build()?;
            simulation.step(CHECKED_STEPS)?;
            let digest = simulation.digests()?.iter().map(|(_, digest)| format!("{digest:016x}")).collect();
            let unit = u64::from(simulation.steps_of_pass());
            let timing = time(unit, shortest, seconds, |steps| simulation.step(steps))?;
            let state_bytes = simulation.state_bytes();
            let found = Measured {
                mean: timing.mean,
                error: timing.error,
                runs: timing.repeats,
                steps: timing.units,
                memory: None,
                state_bytes,
                digest,
            };
            Ok((simulation, found))
        };
        let outcome = match measured() {
            Ok((simulation, mut found)) => {
                // While it is still there.
                let left = setup.free()?;
                found.memory =
                    free.zip(left).map(|(before, after)| before.saturating_sub(after)).filter(|used| *used > 0);
                drop(simulation);
                TimeOrProblem::Measured(found)
            }
            Err(error) if does_not_fit(&error) => TimeOrProblem::Nothing { problem: error.to_string() },
            Err(error) => return Err(error.into()),
        };
        let domain = Domain::new(Arc::clone(&self.fractal), level).map_err(SimulationError::from)?;
        Ok(Record { way: way.name(), level, cells: domain.cells(), outcome, clocks: clocks.to_owned() })
    }
}
