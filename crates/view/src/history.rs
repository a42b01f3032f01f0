//! The way back: states that are kept now and then, and what pages did since.
//!
//! A step back restores the last states before it and computes the steps from there once more, with the parameters and cells that pages changed on the way.

use crate::message::PencilMark;
use crate::pencil::Pencil;
use squeeze_compiler::ir::StateId;
use squeeze_engine::Simulation;
use squeeze_engine::failure::Result;
use squeeze_engine::packed;
use squeeze_records::run::params_as_settings;
use std::time::{Duration, Instant};

/// The most bytes of all states that are kept.
const MOST_BYTES: u64 = 256 << 20;
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

impl History {
    /// Keeps the present states before steps are computed, unless that was done a moment ago; before a single step in any case.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn keep(&mut self, simulation: &Simulation, single: bool) -> Result<()> {
        let is_early = |(when, cost): (Instant, Duration)| when.elapsed() < BETWEEN.max(cost * SHARE_OF_KEEPING);
        let (rule, all) = (simulation.rule(), simulation.domain().cells());
        let bytes: u64 = rule.states.iter().map(|state| packed::bytes(state.ty, all)).sum();
        if !single && self.last.is_some_and(is_early) || 2 * bytes > MOST_BYTES {
            return Ok(());
        }
        let begun = Instant::now();
        if self.kept.last().is_some_and(|kept| kept.time == simulation.time() && kept.done == self.done.len()) {
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
        self.kept.push(PastStates { time, seed, settings, states, done: self.done.len() });
        self.last = Some((Instant::now(), begun.elapsed()));
        Ok(())
    }

    /// Notes what a page did.
    pub(crate) fn note(&mut self, simulation: &Simulation, done: PageDeed) {
        if !self.kept.is_empty() {
            self.done.push((simulation.time(), done));
        }
    }

    /// Goes one step back; false if no states before it are kept.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn back(&mut self, simulation: &mut Simulation) -> Result<bool> {
        let Some(target) = simulation.time().checked_sub(1) else { return Ok(false) };
        let Some(last) = self.kept.iter().rposition(|kept| kept.time <= target) else { return Ok(false) };
        self.kept.truncate(last + 1);
        self.done.truncate(self.done.iter().take_while(|(time, _)| *time <= target).count());
        let PastStates { time, seed, settings, states, done } = &self.kept[last];
        simulation.restart(*seed, settings)?;
        let all = simulation.domain().cells();
        for (id, bytes) in (0..).map(StateId).zip(states) {
            simulation.write(id, 0..all, bytes)?;
        }
        simulation.set_time(*time);
        let mut pencil = Pencil::default();
        for (time, done) in &self.done[*done..] {
            if *time > simulation.time() {
                simulation.step(u64::from(time - simulation.time()))?;
                pencil.forget();
            }
            match done {
                PageDeed::Set(name, value) => simulation.set_param(name, value)?,
                PageDeed::Drawn(drawn) => pencil.draw(simulation, drawn)?,
                PageDeed::Undone => _ = pencil.undo(simulation)?,
            }
        }
        simulation.step(u64::from(target - simulation.time()))?;
        Ok(true)
    }

    /// Forgets all: the run begins anew.
    pub(crate) fn forget(&mut self) {
        *self = History::default();
    }
}

/// The parameters that were set themselves, as settings `name=value`.
fn settings(simulation: &Simulation) -> Vec<String> {
    let follows: Vec<&str> = simulation.following().collect();
    let mut settings = params_as_settings(simulation.rule(), simulation.params());
    settings.retain(|setting| setting.split('=').next().is_none_or(|name| !follows.contains(&name)));
    settings
}
