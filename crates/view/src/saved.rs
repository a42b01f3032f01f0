//! Saved runs: a slider over their states.

use crate::message::PageCommand;
use crate::reproduce::{lines, picture_words};
use crate::scene::{self, Scene};
use crate::server::Server;
use crate::viewers::{UnpaintedFrames, Viewers};
use serde_json::{Map, Value as Json, json};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Rule;
use squeeze_engine::failure::Result;
use squeeze_records::run::{Drawing, Manifest, Observations, RunFolder};
use squeeze_records::state::store::{ArrayShape, StoredFields, StoredState};
use std::time::{Duration, Instant};

/// Between two states of a run that plays.
const TICK: Duration = Duration::from_nanos(1_000_000_000 / 12);
/// Between two looks for what pages ask,
const WHILE: Duration = Duration::from_millis(50);
/// and for states that a run has saved meanwhile.
const AGAIN: Duration = Duration::from_secs(2);
/// The most rows of observables that pages get.
const MOST_ROWS: usize = 1200;

/// A saved run.
pub struct SavedRun<'a> {
    /// Its folder.
    pub folder: &'a RunFolder,
    /// Its manifest,
    pub manifest: &'a Manifest,
    /// and what that says: the domain
    pub domain: &'a Domain,
    /// and the rule.
    pub rule: &'a Rule,
    /// How it is drawn at first.
    pub drawing: &'a Drawing,
    /// The comments on parameters, by their names.
    pub about_params: &'a [(String, String)],
}

/// Shows the states of a run that were saved, beginning with the last one, until `stop` says so; gives the step that was shown last.
///
/// # Errors
/// If there is no state, it is damaged, or the drawing names a state that the rule does not have.
pub fn show_saved(server: &Server, run: &SavedRun<'_>, stop: &dyn Fn() -> bool) -> Result<u32> {
    let shared = server.shared();
    let (time, state) = run.open(None)?;
    let mut player = Player { run, times: run.folder.state_times()?, time, state, playing: false };
    let mut viewers = Viewers::new(shared);
    shared.open(run.hello(&player.times)?);
    let (mut tick, mut looked) = (Instant::now(), Instant::now());
    while !stop() {
        if looked.elapsed() > AGAIN {
            looked = Instant::now();
            match player.renew() {
                Ok(Some(hello)) => {
                    shared.open(hello);
                    let news = json!({ "times": player.times, "rows": run.rows() });
                    shared.tell(None, news.to_string());
                    viewers.version += 1;
                }
                Ok(None) => {}
                Err(error) => shared.tell(None, json!({ "error": error.to_string() }).to_string()),
            }
        }
        while !stop()
            && let Some((page, command)) = shared.next_command()
        {
            if let Err(error) = player.obey(&mut viewers, page, command) {
                viewers.complain(page, &error.to_string());
            }
        }
        if player.playing && shared.is_watched() && tick.elapsed() > TICK {
            tick = Instant::now();
            if let Err(error) = player.go(player.at() + 1) {
                player.playing = false;
                shared.tell(None, json!({ "error": error.to_string() }).to_string());
            }
            player.playing &= player.at() + 1 < player.times.len();
            viewers.version += 1;
            if let Err(error) = viewers.film(&player.scene(&player.fields())) {
                shared.tell(None, json!({ "error": error.to_string() }).to_string());
            }
        }
        let wanted = viewers.wanted();
        if wanted.is_empty() {
            shared.wait(if player.playing { TICK.min(WHILE) } else { WHILE });
            continue;
        }
        let mut facts = Map::new();
        facts.insert("playing".to_owned(), player.playing.into());
        facts.insert("at".to_owned(), player.at().into());
        let frames = viewers.frames(&player.scene(&player.fields()), wanted, &facts);
        if let Err(error) = frames.map(UnpaintedFrames::show) {
            // A damaged part of a state, or one that was removed meanwhile: pages may look elsewhere.
            player.playing = false;
            shared.tell(None, json!({ "error": error.to_string() }).to_string());
            viewers.give_up();
        }
    }
    Ok(player.time)
}

impl SavedRun<'_> {
    /// The state of a time, or the last one.
    fn open(&self, time: Option<u32>) -> Result<(u32, StoredState)> {
        let shapes = ArrayShape::of_rule(self.rule, self.domain.cells());
        self.folder.state(self.manifest, time, shapes)
    }

    /// The description that pages get first.
    fn hello(&self, times: &[u32]) -> Result<String> {
        let (last, state) = self.open(None)?;
        let fields = StoredFields { state: &state, domain: self.domain };
        let scene = Scene { fields: &fields, rule: self.rule, time: last };
        let values = &self.manifest.params;
        let params =
            values.iter().filter_map(|one| one.split_once('=')).map(|(name, value)| (name.to_owned(), value.into()));
        let mut hello = scene::hello(&scene, self.drawing, &params.collect(), self.about_params)?;
        hello.insert("mode".to_owned(), "saved".into());
        hello.insert("backend".to_owned(), "a saved run".into());
        hello.insert("seed".to_owned(), self.manifest.seed.to_string().into());
        hello.insert("times".to_owned(), json!(times));
        hello.insert("rows".to_owned(), json!(self.rows()));
        Ok(json!({ "hello": hello }).to_string())
    }

    /// The rows of observables; without such as can be read there are no curves.
    fn rows(&self) -> Option<Json> {
        Observations::of_run(self.folder).ok().map(|observations| rows(self.rule, &observations))
    }
}

/// The rows of observables that are numbers: the times, and the values of each by its name.
fn rows(rule: &Rule, observations: &Observations) -> Json {
    let every = observations.rows.len().div_ceil(MOST_ROWS).max(1);
    let kept = || observations.rows.iter().step_by(every);
    let columns = observations.names.iter().enumerate();
    let values: Map<String, Json> = columns
        .filter(|(_, name)| rule.observables.iter().any(|observable| observable.name == **name))
        .map(|(at, name)| (name.clone(), kept().map(|(_, values)| json!(values[at])).collect()))
        .collect();
    json!({ "times": kept().map(|(time, _)| *time).collect::<Vec<_>>(), "values": values })
}

/// The state of a saved run that is shown.
struct Player<'a> {
    run: &'a SavedRun<'a>,
    times: Vec<u32>,
    /// The step of the state: a run that goes on may have removed it from its folder.
    time: u32,
    state: StoredState,
    playing: bool,
}

impl Player<'_> {
    /// The number of the state among the times, or that of the next one.
    fn at(&self) -> usize {
        self.times.partition_point(|time| *time < self.time).min(self.times.len().saturating_sub(1))
    }

    /// Takes the steps that are saved by now, and for a state that is gone the next one; gives the description for pages if these are others than before. If
    /// something fails nothing changes, and the next time tries it again.
    fn renew(&mut self) -> Result<Option<String>> {
        // The folder may be away for a moment.
        let times = self.run.folder.state_times().unwrap_or_default();
        if times.is_empty() || times == self.times {
            return Ok(None);
        }
        let hello = self.run.hello(&times)?;
        let before = std::mem::replace(&mut self.times, times);
        if let Err(error) = self.go(self.at()) {
            self.times = before;
            return Err(error);
        }
        Ok(Some(hello))
    }

    fn fields(&self) -> StoredFields<'_> {
        StoredFields { state: &self.state, domain: self.run.domain }
    }

    fn scene<'s>(&'s self, fields: &'s StoredFields<'s>) -> Scene<'s> {
        Scene { fields, rule: self.run.rule, time: self.time }
    }

    /// Shows the state of this number, or the last one.
    fn go(&mut self, at: usize) -> Result<()> {
        let time = self.times.get(at).or(self.times.last()).copied();
        if time != Some(self.time) {
            (self.time, self.state) = self.run.open(time)?;
        }
        Ok(())
    }

    fn obey(&mut self, viewers: &mut Viewers, page: u64, command: PageCommand) -> Result<()> {
        let fields = self.fields();
        let Some(command) = viewers.obey(&self.scene(&fields), page, command)? else { return Ok(()) };
        let last = self.times.len().saturating_sub(1);
        match command {
            PageCommand::At(time) => self.go(self.times.partition_point(|one| *one < time))?,
            PageCommand::Step(steps) => {
                self.playing = false;
                self.go(self.at().saturating_add(steps as usize))?;
            }
            PageCommand::Back => {
                self.playing = false;
                self.go(self.at().saturating_sub(1))?;
            }
            PageCommand::Play(playing) => {
                self.playing = playing;
                if playing && self.at() == last {
                    self.go(0)?;
                }
            }
            PageCommand::Words(view) => {
                let (folder, time) = (self.run.folder.path().display().to_string(), self.time.to_string());
                let mut words =
                    ["squeeze", "export", &folder, "-o", "view.png", "--step", &time].map(str::to_owned).to_vec();
                words.extend(picture_words(&self.scene(&fields), &view)?);
                viewers.shared.tell(Some(page), json!({ "words": lines(&words, &[]) }).to_string());
            }
            _ => viewers.complain(page, "a saved run can be looked at, and not steered"),
        }
        Ok(())
    }
}
