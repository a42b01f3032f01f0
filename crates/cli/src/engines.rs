//! Engines that are no backend's own, by the names that flags and records say.

use crate::report::CliError;
use clap::ArgMatches;
use squeeze::geometry::FittedRule;
use squeeze::run::NamedEngine;
use squeeze::simulation::EngineMaker;
use squeeze::{Error, SimulationBuilder};
use std::sync::Arc;

/// CUDA C and its header; nothing where a backend's own engine is named.
pub(crate) type Printed = Option<(String, String)>;

/// The engines of a satellite.
pub(crate) struct Engines {
    /// The names that its flags say.
    pub named: fn(&ArgMatches) -> NamedEngine,
    /// Makes the engine of these names.
    pub maker: fn(&NamedEngine) -> Result<Arc<dyn EngineMaker>, Error>,
    /// The CUDA C of a rule, with names that begin so.
    pub program: fn(&NamedEngine, &FittedRule, Option<&str>) -> Result<Printed, Error>,
}

/// The engine that was asked for, and the satellite that knows its names.
pub(crate) struct Chosen {
    /// The names.
    pub named: NamedEngine,
    engines: Option<&'static Engines>,
}

impl Chosen {
    /// The engine that a command's arguments name.
    pub(crate) fn of(engines: Option<&'static Engines>, matches: &ArgMatches) -> Chosen {
        Chosen { named: engines.map_or_else(NamedEngine::default, |engines| (engines.named)(matches)), engines }
    }

    /// A simulation by the engine of these names.
    ///
    /// # Errors
    /// If they are not known, or their satellite was left out when this program was compiled.
    pub(crate) fn build_by(
        &self,
        named: &NamedEngine,
        builder: SimulationBuilder,
    ) -> Result<SimulationBuilder, CliError> {
        match (self.engines, named.strategy()) {
            _ if *named == NamedEngine::default() => Ok(builder),
            (Some(engines), _) => Ok(builder.engine((engines.maker)(named)?)),
            (None, NamedEngine::OWN) => Ok(builder),
            (None, strategy) => Err(CliError::input(
                format!(
                    "the run follows the strategy `{strategy}`, and this program was compiled without the feature `papers`"
                ),
                "compile it with that feature, or take `--backend cpu`: the results are the same",
            )),
        }
    }

    /// The CUDA C of the engine that was asked for.
    ///
    /// # Errors
    /// If the rule does not fit the engine.
    pub(crate) fn program(&self, rule: &FittedRule, prefix: Option<&str>) -> Result<Printed, Error> {
        self.engines.map_or(Ok(None), |engines| (engines.program)(&self.named, rule, prefix))
    }
}
