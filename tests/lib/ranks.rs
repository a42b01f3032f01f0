//! Simulations on several ranks, which are threads of this process.

use crate::course::{Case, Sight};
use squeeze::engine::ranks::in_process::wires;
use squeeze::engine::ranks::transport::{Beats, Transport, Wire};
use squeeze::engine::shares::ShareWriter;
use squeeze::simulation::SimulationError;
use squeeze::store::StateShare;
use squeeze::{Error, Simulation, SimulationBuilder};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long a rank waits for another.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The result of rank 0, and those of the other ranks.
pub type Ended<T> = (Result<T, Error>, Vec<Result<(), SimulationError>>);

/// Builds a simulation on as many ranks and hands rank 0's to `work`. The builder is asked for one of each rank.
///
/// # Panics
/// If a rank panics.
pub fn on_ranks<T>(
    ranks: usize,
    builder: impl Fn() -> SimulationBuilder + Sync,
    work: impl FnOnce(Simulation) -> Result<T, Error>,
) -> Ended<T> {
    over((wires(ranks), DEADLINE), builder, |_| Box::new(StateShare::new(false)), work)
}

/// The same over other wires, with a writer of each rank but the first.
///
/// # Panics
/// If a rank panics.
pub fn over<T>(
    (wires, deadline): (Vec<Box<dyn Wire>>, Duration),
    builder: impl Fn() -> SimulationBuilder + Sync,
    writer: impl Fn(usize) -> Box<dyn ShareWriter> + Sync,
    work: impl FnOnce(Simulation) -> Result<T, Error>,
) -> Ended<T> {
    let mut transports = wires.into_iter().map(|wire| Arc::new(Transport::new(wire, 1, deadline)));
    let first = transports.next().expect("there is a rank");
    thread::scope(|scope| {
        let serve = |transport: Arc<Transport>| {
            let (builder, writer) = (&builder, &writer);
            scope.spawn(move || {
                let _beats = Beats::of(&transport);
                builder().serve(&transport, &mut *writer(transport.rank()))
            })
        };
        let others: Vec<_> = transports.map(serve).collect();
        let _beats = Beats::of(&first);
        let built = builder().ranks(first).build().map_err(Error::from);
        let result = built.and_then(work);
        (result, others.into_iter().map(|other| other.join().expect("a rank panicked")).collect())
    })
}

/// Compares a simulation on ranks with the oracle.
///
/// # Errors
/// The difference, in words.
///
/// # Panics
/// If an engine fails.
pub fn agree(case: &Case, ranks: usize, builder: impl Fn() -> SimulationBuilder + Sync) -> Result<(), String> {
    let what = format!("{} on {} on {ranks} ranks", case.rule.name, case.domain());
    let (found, others) = on_ranks(ranks, builder, |simulation| case.sights(simulation));
    let found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
    others.into_iter().for_each(|other| other.unwrap_or_else(|error| panic!("{what}: {error}")));
    are_right(case, &what, &found)
}

/// Compares a simulation of a case, on several devices of this process, with the oracle.
///
/// # Errors
/// The difference, in words.
///
/// # Panics
/// If an engine fails.
pub fn agree_with(case: &Case, builder: SimulationBuilder) -> Result<(), String> {
    let what = format!("{} on {} on several devices", case.rule.name, case.domain());
    let found = builder.build().map_err(Error::from).and_then(|simulation| case.sights(simulation));
    are_right(case, &what, &found.unwrap_or_else(|error| panic!("{what}: {error}")))
}

fn are_right(case: &Case, what: &str, found: &[Sight]) -> Result<(), String> {
    match found.iter().zip(&case.reference()).find(|(found, wanted)| found != wanted) {
        None => Ok(()),
        Some((Sight { time, digests, observed, fields }, wanted)) => Err(format!(
            "{what}\n  at {time}: digests {}, observed {}, fields {}\n",
            *digests == wanted.digests,
            *observed == wanted.observed,
            *fields == wanted.fields
        )),
    }
}
