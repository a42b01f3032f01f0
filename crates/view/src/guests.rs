//! Pages that look at a run which goes its own way: they see it, and steer nothing.

use crate::message::PageCommand;
use crate::observed::LastObserved;
use crate::reproduce::{Diary, RunCommand};
use crate::run::hello;
use crate::scene::Scene;
use crate::server::Server;
use crate::viewers::{Viewers, WantedFrames};
use serde_json::{Map, json};
use squeeze_engine::Simulation;
use squeeze_engine::failure::Result;
use squeeze_records::run::Drawing;
use std::time::{Duration, Instant};

/// The longest that a run is kept from its steps by all that pages ask for at once.
const MOST_AT_ONCE: Duration = Duration::from_millis(100);
/// Between two looks for what pages ask, of a run that waits.
const WHILE: Duration = Duration::from_millis(50);

/// The pages of a run.
pub struct Guests {
    viewers: Viewers,
    command: RunCommand,
    diary: Diary,
    observed: LastObserved,
    seen: u32,
    /// It ends with them.
    _server: Server,
}

impl Guests {
    /// Lets pages in, which see the simulation as it is drawn at first. `about` are the comments on parameters, by their names, and `command` is the one that
    /// began the run.
    ///
    /// # Errors
    /// If the drawing names a state that the rule does not have.
    pub fn of(
        simulation: &Simulation,
        server: Server,
        drawing: &Drawing,
        about: &[(String, String)],
        command: RunCommand,
    ) -> Result<Guests> {
        let shared = server.shared();
        shared.open(hello(simulation, "watched", drawing, about, [])?);
        let (viewers, diary, seen) = (Viewers::new(shared), Diary::of(simulation), simulation.time());
        Ok(Guests { viewers, command, diary, observed: LastObserved::default(), seen, _server: server })
    }

    /// Does what pages ask, and makes the frames that they wait for, of a run that goes on. What fails is told to the page: the run goes on.
    pub fn look(&mut self, simulation: &Simulation, goes_on: bool) {
        let begun = Instant::now();
        if self.seen != simulation.time() {
            (self.seen, self.viewers.version) = (simulation.time(), self.viewers.version + 1);
        }
        while let Some((page, command)) = self.viewers.shared.next_command() {
            if let Err(error) = self.obey(simulation, page, command) {
                self.viewers.complain(page, &error.to_string());
            }
            if begun.elapsed() > MOST_AT_ONCE {
                break;
            }
        }
        let scene = Scene::of(simulation);
        let filmed = self.viewers.film(&scene);
        let wanted = self.viewers.wanted();
        if let Err(error) = filmed.and_then(|()| self.show(simulation, wanted, goes_on)) {
            self.viewers.shared.tell(None, json!({ "error": error.to_string() }).to_string());
        }
    }

    fn show(&mut self, simulation: &Simulation, wanted: WantedFrames, goes_on: bool) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        self.observed.take(simulation, goes_on)?;
        let mut facts = Map::new();
        facts.insert("playing".to_owned(), goes_on.into());
        self.observed.tell(&mut facts);
        self.viewers.frames(&Scene::of(simulation), wanted, &facts)?.show();
        Ok(())
    }

    /// Waits for a page, unless `stop` says so.
    pub fn await_page(&self, stop: &dyn Fn() -> bool) {
        while !self.viewers.shared.is_watched() && !stop() {
            self.viewers.shared.wait(WHILE);
        }
    }

    /// Shows a run that is at its end until `stop` says so.
    pub fn stay(&mut self, simulation: &Simulation, stop: &dyn Fn() -> bool) {
        self.viewers.version += 1;
        while !stop() {
            self.look(simulation, false);
            self.viewers.shared.wait(WHILE);
        }
    }

    fn obey(&mut self, simulation: &Simulation, page: u64, command: PageCommand) -> Result<()> {
        let scene = Scene::of(simulation);
        match self.viewers.obey(&scene, page, command)? {
            Some(PageCommand::Words(view)) => {
                let words = self.diary.command(&scene, &self.command, simulation.seed(), &view)?;
                self.viewers.shared.tell(Some(page), json!({ "words": words }).to_string());
            }
            Some(_) => self.viewers.complain(page, "this run goes its own way: it can be looked at, and not steered"),
            None => {}
        }
        Ok(())
    }
}
