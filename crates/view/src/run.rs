//! The run behind a view: steps, and between passes the frames that pages ask for.

use crate::history::{History, PageDeed};
use crate::message::PageCommand;
use crate::observed::LastObserved;
use crate::pencil::Pencil;
use crate::reproduce::{Diary, RunChange, RunCommand};
use crate::scene::{self, Scene};
use crate::server::Server;
use crate::shared::Switchboard;
use crate::viewers::{UnpaintedFrames, Viewers};
use serde_json::{Map, Value as Json, json};
use squeeze_engine::Simulation;
use squeeze_engine::failure::{Error, Failure, Result};
use squeeze_records::run::Drawing;
use squeeze_records::texts::TextErrors;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time of one frame at the speed that is said in steps a frame.
const TICK: Duration = Duration::from_nanos(1_000_000_000 / 30);
/// The least and the greatest time that is computed between two looks for what pages ask.
const SLICE: [Duration; 2] = [Duration::from_millis(15), Duration::from_millis(400)];
/// The most steps that a page can have computed at once, and of a slice of time: states at rest take none.
const MOST_AT_ONCE: u32 = 1 << 16;
/// The longest wait while nothing is to be done.
const IDLE: Duration = Duration::from_millis(50);
/// Between two measurements of the speed.
const MEASURED: Duration = Duration::from_millis(500);

/// How messages call the text of a page.
pub const PAGE: &str = "<page>";

/// What is shown, beside the simulation.
pub struct Subject<'a> {
    /// How it is drawn at first: the state, the colours and their range.
    pub drawing: &'a Drawing,
    /// What the comments of the rule say of parameters, by their names.
    pub about_params: &'a [(String, String)],
    /// The command that begins as it did.
    pub command: &'a RunCommand,
    /// The members of a sweep, of which pages choose one.
    pub members: Option<&'a MembersOfSweep<'a>>,
    /// The text of the rule, if pages may change it.
    pub text: Option<&'a str>,
    /// Gives a simulation the rule of a text, with the states and parameters that both have; gives the comments on its parameters, as
    /// [`about_params`](Self::about_params) has them.
    #[allow(clippy::type_complexity, reason = "it is a function")]
    pub rewrite: &'a dyn Fn(&mut Simulation, &str) -> Result<Vec<(String, String)>>,
    /// Begins anew with a seed, with the parameters that the simulation has.
    #[allow(clippy::type_complexity, reason = "it is a function")]
    pub restart: &'a dyn Fn(&mut Simulation, u64) -> Result<()>,
}

/// The members of a sweep.
pub struct MembersOfSweep<'a> {
    /// How many there are.
    pub count: usize,
    /// The one that is shown first.
    pub first: usize,
    /// The values of what varies, as words.
    #[allow(clippy::type_complexity, reason = "it is a function")]
    pub words: &'a dyn Fn(usize) -> String,
    /// Begins a member.
    #[allow(clippy::type_complexity, reason = "it is a function")]
    pub begin: &'a dyn Fn(usize) -> Result<Simulation>,
}

/// Runs a simulation while pages look at it, and as they say, until `stop` says so. Without a page it stands still.
///
/// # Errors
/// If the machine fails.
pub fn watch(
    simulation: &mut Simulation,
    server: &Server,
    subject: &Subject<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<()> {
    watch_by(simulation, server.shared(), subject, stop)
}

/// The same with pages that some other way leads to.
pub(crate) fn watch_by(
    simulation: &mut Simulation,
    shared: &Arc<Switchboard>,
    subject: &Subject<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<()> {
    let mut play = Playback::of(simulation, shared, subject);
    let mut run = ViewRun { simulation, subject, stop, play: &mut play };
    run.begin()?;
    let mut frames = None;
    run.obey_all()?;
    while !stop() {
        let goes_on = run.play.playing && shared.is_watched();
        if !goes_on {
            // The time that it stands still is no part of its speed.
            run.play.measured = (Instant::now(), 0);
        }
        let computed = run.compute_beside(goes_on, frames.take())?;
        // Not before frames are shown: they are of the rule and the time before.
        run.obey_all()?;
        frames = run.frames()?;
        if frames.is_none() && !computed {
            let goes_on = run.play.playing && shared.is_watched();
            let until_tick = run.play.tick.saturating_duration_since(Instant::now());
            shared.wait(if goes_on { IDLE.min(until_tick.max(Duration::from_millis(1))) } else { IDLE });
        }
    }
    Ok(())
}

/// A simulation at the time at which something is done with it, and how far its view is.
pub(crate) struct ViewRun<'a> {
    pub(crate) simulation: &'a mut Simulation,
    pub(crate) subject: &'a Subject<'a>,
    pub(crate) stop: &'a dyn Fn() -> bool,
    pub(crate) play: &'a mut Playback,
}

/// How far the view of a simulation is.
pub(crate) struct Playback {
    pub(crate) viewers: Viewers,
    pub(crate) playing: bool,
    /// How often states or parameters were changed here.
    pub(crate) changes: u64,
    /// Steps of a tick; 0 for as many as can be.
    speed: u32,
    /// Steps still to come of this tick.
    due: u64,
    /// When the next tick begins.
    tick: Instant,
    /// Steps that are computed at once: some milliseconds of them.
    chunk: u64,
    /// The time to compute for between two looks at what pages ask.
    pub(crate) slice: Duration,
    /// Steps a second, and the steps since when.
    rate: f64,
    measured: (Instant, u64),
    observed: LastObserved,
    pencil: Pencil,
    history: History,
    diary: Diary,
    /// How often the rule became another one, its text, and the comments on its parameters.
    edition: u32,
    text: Option<String>,
    about: Vec<(String, String)>,
    /// The member of a sweep.
    member: usize,
}

impl Playback {
    /// A view that begins now, and plays.
    pub(crate) fn of(simulation: &Simulation, shared: &Arc<Switchboard>, subject: &Subject<'_>) -> Playback {
        Playback {
            viewers: Viewers::new(shared),
            playing: true,
            changes: 0,
            speed: 1,
            due: 0,
            tick: Instant::now(),
            chunk: u64::from(simulation.steps_of_pass()).max(1),
            slice: SLICE[0],
            rate: 0.0,
            measured: (Instant::now(), 0),
            observed: LastObserved::default(),
            pencil: Pencil::default(),
            history: History::default(),
            diary: Diary::of(simulation),
            edition: 0,
            text: subject.text.map(str::to_owned),
            about: subject.about_params.to_vec(),
            member: subject.members.map_or(0, |members| members.first),
        }
    }
}

impl ViewRun<'_> {
    /// Lets pages in.
    pub(crate) fn begin(&self) -> Result<()> {
        self.play.viewers.shared.open(self.hello()?);
        Ok(())
    }

    /// Does what pages ask, for a moment: frames and the end are not kept waiting by many.
    pub(crate) fn obey_all(&mut self) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < SLICE[0] && !(self.stop)() {
            let Some((page, command)) = self.play.viewers.shared.next_command() else { break };
            self.obey(page, command)?;
        }
        Ok(())
    }

    fn obey(&mut self, page: u64, command: PageCommand) -> Result<()> {
        let Some(command) = self.play.viewers.obey(&Scene::of(self.simulation), page, command)? else { return Ok(()) };
        self.begin_chunks();
        self.play.changes += u64::from(matches!(
            command,
            PageCommand::Reset(_) | PageCommand::Set(..) | PageCommand::Draw(_) | PageCommand::Member(_)
        ));
        match command {
            PageCommand::Play(playing) => {
                (self.play.playing, self.play.due, self.play.tick) = (playing, 0, Instant::now());
                self.play.measured = (Instant::now(), 0);
            }
            PageCommand::Step(steps) => {
                self.play.playing = false;
                self.play.history.keep(self.simulation, true)?;
                let stop = self.stop;
                self.step(u64::from(steps.min(MOST_AT_ONCE)), &|| !stop())?;
            }
            PageCommand::Back => {
                (self.play.playing, self.play.due, self.play.observed) = (false, 0, LastObserved::default());
                self.play.pencil.forget();
                if self.play.history.back(self.simulation, self.stop)? {
                    self.play.changes += 1;
                    self.play.diary.back(self.simulation.time());
                    self.tell_params()?;
                } else {
                    self.play.viewers.complain(page, "no states before this step are kept");
                }
            }
            PageCommand::Speed(steps) => (self.play.speed, self.play.due, self.play.tick) = (steps, 0, Instant::now()),
            PageCommand::Reset(seed) => {
                let begun = (self.subject.restart)(self.simulation, seed);
                (self.play.due, self.play.observed) = (0, LastObserved::default());
                self.play.pencil.forget();
                self.play.history.forget();
                self.play.diary.begin_anew(self.simulation);
                match begun {
                    Err(error) if error.is_users() => {
                        self.play.playing = false;
                        self.play.diary.note(self.simulation, RunChange::Start);
                        let text = format!("{error}: not all states are those of the beginning");
                        self.play.viewers.complain(page, &text);
                    }
                    begun => begun?,
                }
                self.tell_params()?;
            }
            PageCommand::Set(name, value) => match self.simulation.set_param(&name, &value) {
                Ok(()) => {
                    self.play.observed = LastObserved::default();
                    self.play.diary.note(self.simulation, RunChange::Set(name.clone(), value.clone()));
                    self.play.history.note(self.simulation, PageDeed::Set(name, value));
                    self.tell_params()?;
                }
                Err(error) if Failure::is_users(&error) => {
                    self.play.viewers.complain(page, &error.to_string());
                    self.tell_params()?;
                }
                Err(error) => return Err(error.into()),
            },
            PageCommand::Draw(drawn) if drawn.edition.is_some_and(|edition| edition != self.play.edition) => {
                self.play.viewers.complain(page, "the run has become another one meanwhile: draw again");
            }
            PageCommand::Draw(drawn) => match self.play.pencil.draw(self.simulation, &drawn) {
                Ok(begins) => {
                    self.play.observed = LastObserved::default();
                    if begins {
                        self.play.diary.note(self.simulation, RunChange::Stroke);
                    }
                    self.play.history.note(self.simulation, PageDeed::Drawn(drawn));
                }
                Err(error) if error.is_users() => self.play.viewers.complain(page, &error.to_string()),
                Err(error) => return Err(error),
            },
            PageCommand::Undo => {
                self.play.observed = LastObserved::default();
                if self.play.pencil.undo(self.simulation)? {
                    self.play.changes += 1;
                    self.play.diary.undo(self.simulation.time());
                    self.play.history.note(self.simulation, PageDeed::Undone);
                } else {
                    self.play.viewers.complain(page, "there is no stroke since the last step that could be taken back");
                }
            }
            PageCommand::Rule(text) => self.rewrite(page, text)?,
            PageCommand::Member(number) => match self.subject.members {
                Some(members) => match (members.begin)(number as usize) {
                    Ok(new) => {
                        *self.simulation = new;
                        self.begin_chunks();
                        self.play.viewers.end_film("the film has ended, as another member has begun");
                        (self.play.member, self.play.edition) = (number as usize, self.play.edition + 1);
                        (self.play.due, self.play.observed) = (0, LastObserved::default());
                        self.play.pencil.forget();
                        self.play.history.forget();
                        self.play.diary.begin_anew(self.simulation);
                        self.play.viewers.shared.begin_anew(self.hello()?);
                    }
                    Err(error) if error.is_users() => self.play.viewers.complain(page, &error.to_string()),
                    Err(error) => return Err(error),
                },
                None => self.play.viewers.complain(page, "this is no sweep, and has no members"),
            },
            PageCommand::Words(_) if self.subject.command.words.is_empty() => {
                self.play.viewers.complain(page, "no command of this run is known");
            }
            PageCommand::Words(view) => {
                let (scene, seed) = (Scene::of(self.simulation), self.simulation.seed());
                match self.play.diary.command(&scene, self.subject.command, seed, &view) {
                    Ok(words) => self.play.viewers.shared.tell(Some(page), json!({ "words": words }).to_string()),
                    Err(error) if error.is_users() => self.play.viewers.complain(page, &error.to_string()),
                    Err(error) => return Err(error),
                }
            }
            PageCommand::At(_) | PageCommand::Probe(_) | PageCommand::Save(..) | PageCommand::Film(_) => {}
        }
        Ok(())
    }

    /// Lets chunks begin as passes: a state at rest takes no time, and another one does.
    fn begin_chunks(&mut self) {
        self.play.chunk = u64::from(self.simulation.steps_of_pass()).max(1);
    }

    /// Something else has changed states or parameters.
    pub(crate) fn changed_elsewhere(&mut self) -> Result<()> {
        self.begin_chunks();
        self.play.viewers.version += 1;
        self.play.observed = LastObserved::default();
        self.play.pencil.forget();
        self.play.history.forget();
        self.tell_params()
    }

    /// Gives the run the rule of a text, or tells the page what is wrong with it.
    fn rewrite(&mut self, page: u64, text: String) -> Result<()> {
        let Some(before) = &self.play.text else {
            self.play.viewers.complain(page, "the rule of this run cannot be changed here");
            return Ok(());
        };
        let done = if *before == text { None } else { Some((self.subject.rewrite)(self.simulation, &text)) };
        let faults = match done {
            // The run before is as it was, whatever has failed.
            Some(Err(error)) => faults(&error),
            done => {
                if let Some(Ok(about)) = done {
                    (self.play.text, self.play.about, self.play.edition) = (Some(text), about, self.play.edition + 1);
                    (self.play.due, self.play.observed) = (0, LastObserved::default());
                    self.play.pencil.forget();
                    self.play.history.forget();
                    self.play.diary.rewritten(self.simulation);
                    self.play.viewers.shared.begin_anew(self.hello()?);
                }
                Vec::new()
            }
        };
        self.play.viewers.shared.tell(Some(page), json!({ "faults": faults }).to_string());
        Ok(())
    }

    /// The description that pages get first.
    fn hello(&self) -> Result<String> {
        let member = self.subject.members.map(|members| {
            let number = self.play.member;
            json!({ "number": number, "count": members.count, "words": (members.words)(number) })
        });
        let more = [("edition", json!(self.play.edition)), ("text", json!(self.play.text)), ("member", json!(member))];
        hello(self.simulation, "steered", self.subject.drawing, &self.play.about, more)
    }

    /// Computes steps as long as this holds, and as far as time is left; then it pauses. It gives how many.
    fn step(&mut self, steps: u64, goes_on: &dyn Fn() -> bool) -> Result<u64> {
        let most = steps.min(u64::from(u32::MAX - self.simulation.time()));
        let now = advance(self.simulation, most, &mut self.play.chunk, goes_on)?;
        if now == most && most < steps {
            self.play.playing = false;
            let text = format!("a run ends at step {}", u32::MAX);
            self.play.viewers.shared.tell(None, json!({ "error": text }).to_string());
        }
        self.play.pencil.forget();
        self.play.viewers.version += 1;
        self.play.changes += 1;
        self.play.measured.1 += now;
        Ok(now)
    }

    /// Computes for a slice of time, or what is due; false if nothing is.
    pub(crate) fn compute(&mut self) -> Result<bool> {
        let begun = Instant::now();
        if begun < self.play.tick && self.play.due == 0 {
            return Ok(false);
        }
        if self.play.speed > 0 && self.play.due == 0 {
            self.play.due = u64::from(self.play.speed);
            // A run that is late does not catch up.
            self.play.tick = (self.play.tick + TICK).max(begun);
        }
        self.play.history.keep(self.simulation, false)?;
        // However long that took, a step follows: with it strokes from before are beyond being taken back.
        let kept = Instant::now();
        let (most, slice) =
            (if self.play.speed == 0 { u64::from(MOST_AT_ONCE) } else { self.play.due }, self.play.slice);
        let (shared, stop) = (Arc::clone(&self.play.viewers.shared), self.stop);
        let goes_on = || kept.elapsed() < slice && !(shared.is_hurried() && kept.elapsed() > SLICE[0]) && !stop();
        let now = self.step(most, &goes_on)?;
        self.play.due = self.play.due.saturating_sub(now);
        if self.play.due == 0 {
            self.play.viewers.film(&Scene::of(self.simulation))?;
        }
        if self.play.speed == 0 && now == most {
            // Steps of states at rest would use up all numbers of steps within seconds.
            self.play.tick = begun + TICK;
        }
        let since = self.play.measured.0.elapsed();
        if since > MEASURED {
            self.play.rate = self.play.measured.1 as f64 / since.as_secs_f64();
            self.play.measured = (Instant::now(), 0);
        }
        Ok(true)
    }

    /// Computes, if the run goes on, while frames get their colours: a GPU does not wait for these. False if nothing was computed.
    fn compute_beside(&mut self, goes_on: bool, frames: Option<(UnpaintedFrames, Duration)>) -> Result<bool> {
        let Some((frames, taken)) = frames else { return Ok(goes_on && self.compute()?) };
        let (computed, painted) = std::thread::scope(|scope| {
            let painter = scope.spawn(|| {
                let begun = Instant::now();
                frames.show();
                begun.elapsed()
            });
            let computed = goes_on && self.compute()?;
            Ok::<_, Error>((computed, painter.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))))
        })?;
        self.play.slice = slice(taken + painted);
        Ok(computed)
    }

    /// Makes the frames that pages wait for; false if none waits.
    pub(crate) fn serve(&mut self) -> Result<bool> {
        let begun = Instant::now();
        let Some((frames, _)) = self.frames()? else { return Ok(false) };
        frames.show();
        self.play.slice = slice(begun.elapsed());
        Ok(true)
    }

    /// Looks at what pages that wait for frames show, and says how long that took; `None` if none waits.
    fn frames(&mut self) -> Result<Option<(UnpaintedFrames, Duration)>> {
        let (begun, wanted) = (Instant::now(), self.play.viewers.wanted());
        if wanted.is_empty() {
            return Ok(None);
        }
        self.play.observed.take(self.simulation, self.play.playing)?;
        let mut facts = Map::new();
        facts.insert("playing".to_owned(), self.play.playing.into());
        facts.insert("speed".to_owned(), self.play.speed.into());
        facts.insert("rate".to_owned(), json!(if self.play.playing { self.play.rate } else { 0.0 }));
        facts.insert("seed".to_owned(), self.simulation.seed().to_string().into());
        self.play.observed.tell(&mut facts);
        let frames = self.play.viewers.frames(&Scene::of(self.simulation), wanted, &facts)?;
        Ok(Some((frames, begun.elapsed())))
    }

    /// Tells pages the parameters, those that will come as well.
    fn tell_params(&self) -> Result<()> {
        self.play.viewers.shared.open(self.hello()?);
        let params = scene::params(self.simulation.rule(), self.simulation.params());
        self.play.viewers.shared.tell(None, json!({ "params": params }).to_string());
        Ok(())
    }
}

/// The time to compute after frames that took so long: they take a twentieth of all time if there can be thirty a second, else three tenths at most.
fn slice(frames: Duration) -> Duration {
    (19 * frames).min(TICK.saturating_sub(frames)).max(7 * frames / 3).clamp(SLICE[0], SLICE[1])
}

/// Computes steps, some milliseconds of them at once, as long as this holds; gives how many. A chunk begins as a pass, and is the next time what it became.
pub(crate) fn advance(
    simulation: &mut Simulation,
    steps: u64,
    chunk: &mut u64,
    goes_on: &dyn Fn() -> bool,
) -> Result<u64> {
    let mut left = steps;
    while left > 0 && goes_on() {
        let (now, begun) = (left.min(*chunk), Instant::now());
        simulation.step(now)?;
        if now == *chunk {
            *chunk = match begun.elapsed().as_millis() {
                0..2 => (2 * *chunk).min(u64::from(MOST_AT_ONCE)),
                2..8 => *chunk,
                _ => (*chunk / 2).max(u64::from(simulation.steps_of_pass()).max(1)),
            };
        }
        left -= now;
    }
    Ok(steps - left)
}

/// The description of a run that pages get first. `mode` says what they may do, and `more` are further entries.
pub(crate) fn hello<'a>(
    simulation: &Simulation,
    mode: &str,
    drawing: &Drawing,
    about_params: &[(String, String)],
    more: impl IntoIterator<Item = (&'a str, Json)>,
) -> Result<String> {
    let params = scene::params(simulation.rule(), simulation.params());
    let mut hello = scene::hello(&Scene::of(simulation), drawing, &params, about_params)?;
    let facts = [
        ("mode", json!(mode)),
        ("backend", json!(simulation.backend().name())),
        ("device", json!(simulation.device())),
        ("seed", json!(simulation.seed().to_string())),
    ];
    hello.extend(facts.into_iter().chain(more).map(|(name, value)| (name.to_owned(), value)));
    Ok(json!({ "hello": hello }).to_string())
}

/// What is wrong with a text, for pages: each with its place in bytes, if it has one there.
fn faults(error: &Error) -> Vec<Json> {
    let Some(errors) = error.find::<TextErrors>() else {
        let message = [&[error.to_string()][..], &error.help()].concat().join("; ");
        return vec![json!({ "message": message })];
    };
    let findings = errors.findings().into_iter();
    let told = findings.map(|finding| {
        let place = finding.place.filter(|place| place.file == PAGE);
        let message = match &place {
            Some(place) if !place.text.is_empty() => format!("{}: {}", finding.message, place.text),
            _ => finding.message,
        };
        json!({
            "message": message,
            "help": finding.help,
            "line": place.as_ref().map(|place| place.line),
            "column": place.as_ref().map(|place| place.column),
            "bytes": place.map(|place| [place.bytes.start, place.bytes.end]),
        })
    });
    told.collect()
}
