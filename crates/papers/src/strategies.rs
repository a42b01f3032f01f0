//! All strategies of a case side by side on one GPU.

use crate::emit::{BlockGrid, GridError, MapUnit};
use crate::strategy::{ByStrategy, Strategy, StrategyChoice};
use squeeze_bench::{Case, Timing, time};
use squeeze_engine::EngineError;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::SimulationError;

/// The shortest repeat, in seconds.
const SHORTEST_REPEAT: f64 = 0.01;

/// The cases that are compared if none are named.
pub const COMPARED: [&str; 7] = [
    "sierpinski_triangle,life,8,cuda",
    "sierpinski_triangle,life,12,cuda",
    "sierpinski_triangle,life,14,cuda",
    "sierpinski_triangle,life,16,cuda",
    "sierpinski_carpet,life,9,cuda",
    "vicsek,heat,9,cuda",
    "menger_sponge,life_3d,6,cuda",
];

/// A strategy that was tried.
#[derive(Clone, Debug)]
pub struct TriedStrategy {
    /// The strategy, and of all but `lanes` the map and ρ.
    pub strategy_choice: StrategyChoice,
    /// The strategy's time and memory, or the reason for their absence.
    pub outcome: Result<StrategyCosts, String>,
}

/// A strategy's time and memory.
#[derive(Clone, Debug)]
pub struct StrategyCosts {
    /// Seconds of one time step.
    pub step: Timing,
    /// Bytes of all buffers of all states, padding included.
    pub state_bytes: u64,
}

/// The ways to run a case: `lanes`; `bounding-box` and `lambda` with the largest blocks, the latter with every map; `squeeze` with
/// every map and ρ.
pub(crate) fn ways(case: &Case) -> Vec<StrategyChoice> {
    let of = |strategy, map, rho| StrategyChoice { strategy: Some(strategy), map, rho };
    let mut ways = vec![StrategyChoice::default()];
    let sides = BlockGrid::sides(case.domain());
    let largest = sides.last().copied();
    ways.push(of(Strategy::BoundingBox, None, largest));
    ways.extend(MapUnit::ALL.map(|map| of(Strategy::Lambda, Some(map), largest)));
    for rho in sides {
        ways.extend(MapUnit::ALL.map(|map| of(Strategy::Squeeze, Some(map), Some(rho))));
    }
    ways
}

/// Measures all ways to run a case, about `seconds` each. A way that does not fit on the device is no error: its outcome says so.
///
/// # Errors
/// If the machine fails.
pub fn compare(case: &Case, seconds: f64, mut begin: impl FnMut(&StrategyChoice)) -> Result<Vec<TriedStrategy>> {
    let measured = |strategy_choice: StrategyChoice| -> Result<StrategyCosts, SimulationError> {
        let mut simulation = case.builder().strategy_choice(strategy_choice).build()?;
        let unit = u64::from(simulation.execution().map_or(1, |execution| execution.steps_per_pass));
        simulation.step(unit)?;
        let step = time(unit, SHORTEST_REPEAT, seconds, |steps| simulation.step(steps))?;
        Ok(StrategyCosts { step, state_bytes: simulation.state_bytes() })
    };
    let way = |strategy_choice: StrategyChoice| {
        begin(&strategy_choice);
        match measured(strategy_choice) {
            Err(error) if !does_not_fit(&error) => Err(error.into()),
            outcome => Ok(TriedStrategy { strategy_choice, outcome: outcome.map_err(|error| error.to_string()) }),
        }
    };
    ways(case).into_iter().map(way).collect()
}

/// Whether a way does not suit the case or the device, rather than fails.
pub(crate) fn does_not_fit(error: &SimulationError) -> bool {
    match error {
        SimulationError::Other(error) => error.downcast_ref::<GridError>().is_some(),
        SimulationError::Engine(error) => matches!(error, EngineError::Memory { .. } | EngineError::NoKernel { .. }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_map_and_size_is_a_way() {
        let case = Case::parse("sierpinski_triangle,life,16,cuda").unwrap();
        let ways = ways(&case);
        assert_eq!(ways.len(), 1 + 1 + 4 + 6 * 4);
        for strategy_choice in ways {
            let is_grid = strategy_choice.grid(case.domain()).unwrap().is_some();
            assert_eq!(is_grid, strategy_choice.strategy.is_some(), "{strategy_choice:?}");
        }
        for text in COMPARED {
            Case::parse(text).unwrap();
        }
    }
}
