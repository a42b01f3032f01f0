//! The way back: states that are kept now and then, and what pages did since.
//!
//! A step back restores the last states before it and computes the steps from there once more, with the parameters and cells that pages changed on the way.

use crate::message::PencilMark;
use crate::pencil::Pencil;
use crate::reproduce::settings;
use crate::run::advance;
use squeeze_compiler::ir::StateId;
use squeeze_engine::Simulation;
use squeeze_engine::failure::Result;
use squeeze_engine::packed;
use std::time::{Duration, Instant};

/// The most bytes of all states that are kept.
const MOST_BYTES: u64 = 256 << 20;
/// The most bytes of what pages did; beyond, the earliest states go with it.
const MOST_DONE: usize = 32 << 20;
/// The most states that are kept; beyond, every second one goes.
const MOST_KEPT: usize = 64;
/// While steps are computed, states are kept as often as this, or more rarely if that takes more than a twentieth of the time.
const BETWEEN: Duration = Duration::from_secs(1);
const SHARE_OF_KEEPING: u32 = 20;

/// States of earlier times, in their order, and what was done.
#[derive(Default)]
pub(crate) struct History {
    kept: Vec<PastStates>,
    done: Vec<(u32, PageDeed)>,
    /// The bytes of what was done.
    weight: usize,
    last: Option<(Instant, Duration)>,
}

/// All states at a time.
struct PastStates {
    time: u32,
    seed: u64,
    settings: Vec<String>,
    states: Vec<Vec<u8>>,
    /// How much had been done before.
    done: usize,
}

/// Something that a page did between two steps.
#[derive(Clone)]
pub(crate) enum PageDeed {
    /// A parameter got a value.
    Set(String, String),
    /// Cells were drawn.
    Drawn(PencilMark),
    /// A stroke was taken back.
    Undone,
}

impl PageDeed {
    /// Its bytes.
    fn weight(&self) -> usize {
        size_of::<(u32, PageDeed)>()
            + match self {
                PageDeed::Set(name, value) => name.len() + value.len(),
                PageDeed::Drawn(drawn) => drawn.value.len() + drawn.shape.bytes(),
                PageDeed::Undone => 0,
            }
    }
}

impl History {
    /// Keeps the present states before steps are computed, unless that was done a moment ago; before a single step in any case.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn keep(&mut self, simulation: &Simulation, single: bool) -> Result<()> {
        self.keep_after(simulation, self.done.len(), single)
    }

    /// Keeps the present states, before which so much had been done.
    fn keep_after(&mut self, simulation: &Simulation, done: usize, single: bool) -> Result<()> {
        let is_early = |(when, cost): (Instant, Duration)| when.elapsed() < BETWEEN.max(cost * SHARE_OF_KEEPING);
        let (rule, all) = (simulation.rule(), simulation.domain().cells());
        let bytes: u64 = rule.states.iter().map(|state| packed::bytes(state.ty, all)).sum();
        if !single && self.last.is_some_and(is_early) || 2 * bytes > MOST_BYTES {
            return Ok(());
        }
        let begun = Instant::now();
        if self.kept.last().is_some_and(|kept| kept.time == simulation.time() && kept.done == done) {
            return Ok(());
        }
        if self.kept.len() >= MOST_KEPT || (self.kept.len() as u64 + 1) * bytes > MOST_BYTES {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        let mut states = Vec::new();
        for (id, state) in (0..).map(StateId).zip(&rule.states) {
            let mut bytes = vec![0; packed::bytes(state.ty, all) as usize];
            simulation.read(id, 0..all, &mut bytes)?;
            states.push(bytes);
        }
        let settings = settings(simulation);
        let (time, seed) = (simulation.time(), simulation.seed());
        self.kept.push(PastStates { time, seed, settings, states, done });
        self.last = Some((Instant::now(), begun.elapsed()));
        Ok(())
    }

    /// Notes what a page did.
    pub(crate) fn note(&mut self, simulation: &Simulation, done: PageDeed) {
        if !self.kept.is_empty() {
            self.weight += done.weight();
            self.done.push((simulation.time(), done));
        }
        while self.weight > MOST_DONE && !self.kept.is_empty() {
            self.kept.remove(0);
            let gone = self.kept.first().map_or(self.done.len(), |kept| kept.done);
            self.weight -= self.done.drain(..gone).map(|(_, done)| done.weight()).sum::<usize>();
            self.kept.iter_mut().for_each(|kept| kept.done -= gone);
        }
    }

    /// Goes one step back, unless `stop` says so on the way; false if no states before it are kept. States on the way are kept where half of what is left
    /// is computed, so that the next steps back are short.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn back(&mut self, simulation: &mut Simulation, stop: &dyn Fn() -> bool) -> Result<bool> {
        let Some(target) = simulation.time().checked_sub(1) else { return Ok(false) };
        let Some(last) = self.kept.iter().rposition(|kept| kept.time <= target) else { return Ok(false) };
        self.kept.truncate(last + 1);
        self.done.truncate(self.done.iter().take_while(|(time, _)| *time <= target).count());
        self.weight = self.done.iter().map(|(_, done)| done.weight()).sum();
        let PastStates { time, seed, settings, states, done } = &self.kept[last];
        simulation.restart(*seed, settings)?;
        let all = simulation.domain().cells();
        for (id, bytes) in (0..).map(StateId).zip(states) {
            simulation.write(id, 0..all, bytes)?;
        }
        simulation.set_time(*time);
        let (mut next, mut pencil, mut chunk) =
            (*done, Pencil::default(), u64::from(simulation.steps_of_pass()).max(1));
        loop {
            while let Some((_, done)) = self.done.get(next).filter(|(time, _)| *time <= simulation.time()) {
                match done {
                    PageDeed::Set(name, value) => simulation.set_param(name, value)?,
                    PageDeed::Drawn(drawn) => _ = pencil.draw(simulation, drawn)?,
                    PageDeed::Undone => _ = pencil.undo(simulation)?,
                }
                next += 1;
            }
            let left = target - simulation.time();
            if left == 0 || stop() {
                break;
            }
            self.keep_after(simulation, next, true)?;
            let until_deed = self.done.get(next).map_or(left, |(time, _)| time - simulation.time());
            advance(simulation, u64::from(until_deed.min(left.div_ceil(2))), &mut chunk, &|| !stop())?;
            pencil.forget();
        }
        Ok(true)
    }

    /// Forgets all: the run begins anew.
    pub(crate) fn forget(&mut self) {
        *self = History::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::DrawnShape;
    use squeeze_engine::Backend;
    use squeeze_records::resolve;

    fn simulation(rule: &str) -> Simulation {
        let builder = Simulation::builder(resolve::fractal("vicsek").unwrap(), resolve::rule(rule).unwrap());
        builder.level(3).seed(1).backend(Backend::Cpu).threads(1).build().unwrap()
    }

    #[test]
    fn the_earliest_goes_of_more_than_can_be_kept() {
        let (mut simulation, mut history) = (simulation("life"), History::default());
        let shape = DrawnShape::Places(vec![[1, 1, 0]; 1024]);
        let mark = PencilMark { state: 0, value: "1".to_owned(), shape, goes_on: false, edition: None };
        for _ in 0..2000 {
            history.keep(&simulation, true).unwrap();
            history.note(&simulation, PageDeed::Drawn(mark.clone()));
            simulation.step(1).unwrap();
            assert!(history.weight <= MOST_DONE && history.kept[0].done == 0);
        }
        let all: usize = history.done.iter().map(|(_, done)| done.weight()).sum();
        assert_eq!((all, history.done[0].0), (history.weight, history.kept[0].time));
        assert!(history.kept[0].time > 0 && history.back(&mut simulation, &|| false).unwrap());
        assert_eq!(simulation.time(), 1999);
    }

    #[test]
    fn states_on_the_way_back_are_kept_and_an_end_is_heeded() {
        let (mut simulation, mut history) = (simulation("gray_scott"), History::default());
        history.keep(&simulation, true).unwrap();
        simulation.step(1000).unwrap();
        assert!(history.back(&mut simulation, &|| false).unwrap());
        let times: Vec<u32> = history.kept.iter().map(|kept| kept.time).collect();
        assert_eq!((simulation.time(), &times[..3], times.last()), (999, &[0, 500, 750][..], Some(&998)));
        assert!(history.back(&mut simulation, &|| true).unwrap());
        assert!(history.back(&mut simulation, &|| true).unwrap());
        assert_eq!(simulation.time(), 996, "it was told to end on the way to 997");
    }
}
