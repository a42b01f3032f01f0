//! The observables of a run, for the curves of pages.

use serde_json::{Map, Value as Json, json};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_engine::Simulation;
use squeeze_engine::failure::Result;
use std::time::{Duration, Instant};

/// Least time between two observations, which take a twentieth of all time at most.
const OBSERVED: Duration = Duration::from_millis(50);
const SHARE_OF_OBSERVING: u32 = 20;

/// The last observables, their step, when they were taken and how long that took.
#[derive(Default)]
pub(crate) struct LastObserved(Option<(u32, Map<String, Json>, Instant, Duration)>);

impl LastObserved {
    /// Takes those that are numbers, unless that was done a moment ago; of a run that stands still in any case.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn take(&mut self, simulation: &Simulation, goes_on: bool) -> Result<()> {
        let time = simulation.time();
        let is_due = |(at, _, when, cost): &(u32, _, Instant, Duration)| {
            *at != time && (!goes_on || when.elapsed() > OBSERVED.max(*cost * SHARE_OF_OBSERVING)) || *at > time
        };
        if simulation.rule().observables.is_empty() || !self.0.as_ref().is_none_or(is_due) {
            return Ok(());
        }
        let begun = Instant::now();
        let mut values = Map::new();
        for (name, value) in simulation.observe()? {
            let number = match value {
                ObservedValue::Integer(value) => json!(value),
                ObservedValue::Float(value) => json!(value),
                ObservedValue::List(_) => continue,
            };
            values.insert(name.to_owned(), number);
        }
        self.0 = Some((time, values, Instant::now(), begun.elapsed()));
        Ok(())
    }

    /// Adds them to the head of frames.
    pub(crate) fn tell(&self, facts: &mut Map<String, Json>) {
        if let Some((time, values, ..)) = &self.0 {
            facts.insert("observed".to_owned(), json!({ "time": time, "values": values }));
        }
    }
}
