//! The run behind a view: steps, and between passes the frames that pages ask for.

use crate::frame::ViewFrame;
use crate::history::{History, PageDeed};
use crate::message::PageCommand;
use crate::pencil::Pencil;
use crate::server::Server;
use crate::shared::Switchboard;
use serde_json::{Map, Value as Json, json};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, Rule, Type, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_engine::Simulation;
use squeeze_engine::failure::{Error, Failure, Result};
use squeeze_records::picture::Extent;
use squeeze_records::run::{Drawing, params_as_settings};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The time of one frame at the speed that is said in steps a frame.
const TICK: Duration = Duration::from_nanos(1_000_000_000 / 30);
/// The least and the greatest time that is computed between two looks for what pages ask; frames take a fifth of all time, or come ten times a second.
const SLICE: [Duration; 2] = [Duration::from_millis(15), Duration::from_millis(100)];
/// The most steps that a page can have computed at once, and of a slice of time: states at rest take none.
const MOST_AT_ONCE: u32 = 1 << 16;
/// The longest wait while nothing is to be done.
const IDLE: Duration = Duration::from_millis(50);
/// Between two measurements of the speed.
const MEASURED: Duration = Duration::from_millis(500);
/// Least time between two observations, which take a twentieth of all time at most.
const OBSERVED: Duration = Duration::from_millis(50);
const SHARE_OF_OBSERVING: u32 = 20;
/// The most cells and places of a pattern that a page is told.
const MOST_OF_PATTERN: u64 = 4096;

/// What is shown, beside the simulation.
pub struct Subject<'a> {
    /// How it is drawn at first: the state, the colours and their range.
    pub drawing: &'a Drawing,
    /// What the comments of the rule say of parameters, by their names.
    pub about_params: &'a [(String, String)],
    /// Begins anew with a seed, with the parameters that the simulation has.
    #[allow(clippy::type_complexity, reason = "it is a function")]
    pub restart: &'a dyn Fn(&mut Simulation, u64) -> Result<()>,
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
    let shared = server.shared();
    shared.open(hello(simulation, subject)?);
    let chunk = u64::from(simulation.steps_of_pass()).max(1);
    let mut run = ViewRun {
        simulation,
        shared,
        subject,
        stop,
        version: 0,
        playing: true,
        speed: 1,
        due: 0,
        tick: Instant::now(),
        chunk,
        slice: SLICE[0],
        rate: 0.0,
        measured: (Instant::now(), 0),
        observed: None,
        pencil: Pencil::default(),
        history: History::default(),
        probes: BTreeMap::new(),
        palettes: BTreeMap::new(),
    };
    while !stop() {
        // Frames and the end are not kept waiting by many.
        let begun = Instant::now();
        while begun.elapsed() < SLICE[0] && !stop() {
            let Some((page, command)) = shared.next_command() else { break };
            run.obey(page, command)?;
        }
        let goes_on = run.playing && shared.is_watched();
        let computed = goes_on && run.compute()?;
        if !run.serve()? && !computed {
            let until_tick = run.tick.saturating_duration_since(Instant::now());
            shared.wait(if goes_on { IDLE.min(until_tick.max(Duration::from_millis(1))) } else { IDLE });
        }
    }
    Ok(())
}

struct ViewRun<'a> {
    simulation: &'a mut Simulation,
    shared: &'a Switchboard,
    subject: &'a Subject<'a>,
    stop: &'a dyn Fn() -> bool,
    /// It grows with whatever pages see.
    version: u64,
    playing: bool,
    /// Steps of a tick; 0 for as many as can be.
    speed: u32,
    /// Steps still to come of this tick.
    due: u64,
    /// When the next tick begins.
    tick: Instant,
    /// Steps that are computed at once: some milliseconds of them.
    chunk: u64,
    /// The time to compute for between two looks at what pages ask.
    slice: Duration,
    /// Steps a second, and the steps since when.
    rate: f64,
    measured: (Instant, u64),
    /// The last observables, their step, when they were taken and how long that took.
    observed: Option<(u32, Map<String, Json>, Instant, Duration)>,
    pencil: Pencil,
    history: History,
    /// The places that pages have asked for.
    probes: BTreeMap<u64, [u64; 3]>,
    /// The palettes that pages have got.
    palettes: BTreeMap<u64, Json>,
}

impl ViewRun<'_> {
    fn obey(&mut self, page: u64, command: PageCommand) -> Result<()> {
        self.version += 1;
        // A state at rest takes no time, and another one does.
        self.chunk = u64::from(self.simulation.steps_of_pass()).max(1);
        match command {
            PageCommand::Play(playing) => {
                (self.playing, self.due, self.tick) = (playing, 0, Instant::now());
                self.measured = (Instant::now(), 0);
            }
            PageCommand::Step(steps) => {
                self.playing = false;
                self.history.keep(self.simulation, true)?;
                let stop = self.stop;
                self.step(u64::from(steps.min(MOST_AT_ONCE)), &|| !stop())?;
            }
            PageCommand::Back => {
                (self.playing, self.due, self.observed) = (false, 0, None);
                self.pencil.forget();
                if self.history.back(self.simulation, self.stop)? {
                    self.tell_params()?;
                } else {
                    let text = "no states before this step are kept";
                    self.shared.tell(Some(page), json!({ "error": text }).to_string());
                }
            }
            PageCommand::Speed(steps) => (self.speed, self.due, self.tick) = (steps, 0, Instant::now()),
            PageCommand::Reset(seed) => {
                (self.subject.restart)(self.simulation, seed)?;
                (self.due, self.observed) = (0, None);
                self.pencil.forget();
                self.history.forget();
                self.tell_params()?;
            }
            PageCommand::Set(name, value) => match self.simulation.set_param(&name, &value) {
                Ok(()) => {
                    self.observed = None;
                    self.history.note(self.simulation, PageDeed::Set(name, value));
                    self.tell_params()?;
                }
                Err(error) if Failure::is_users(&error) => {
                    self.shared.tell(Some(page), json!({ "error": error.to_string() }).to_string());
                    self.tell_params()?;
                }
                Err(error) => return Err(error.into()),
            },
            PageCommand::Draw(drawn) => match self.pencil.draw(self.simulation, &drawn) {
                Ok(()) => {
                    self.observed = None;
                    self.history.note(self.simulation, PageDeed::Drawn(drawn));
                }
                Err(error) if error.is_users() => {
                    self.shared.tell(Some(page), json!({ "error": error.to_string() }).to_string());
                }
                Err(error) => return Err(error),
            },
            PageCommand::Undo => {
                self.observed = None;
                if self.pencil.undo(self.simulation)? {
                    self.history.note(self.simulation, PageDeed::Undone);
                } else {
                    let text = "there is no stroke since the last step that could be taken back";
                    self.shared.tell(Some(page), json!({ "error": text }).to_string());
                }
            }
            PageCommand::Probe(Some(place)) => _ = self.probes.insert(page, place),
            PageCommand::Probe(None) => _ = self.probes.remove(&page),
        }
        Ok(())
    }

    /// Computes steps as long as this holds, and as far as time is left; then it pauses. It gives how many.
    fn step(&mut self, steps: u64, goes_on: &dyn Fn() -> bool) -> Result<u64> {
        let most = steps.min(u64::from(u32::MAX - self.simulation.time()));
        let now = advance(self.simulation, most, &mut self.chunk, goes_on)?;
        if now == most && most < steps {
            self.playing = false;
            self.shared.tell(None, json!({ "error": format!("a run ends at step {}", u32::MAX) }).to_string());
        }
        self.pencil.forget();
        self.version += 1;
        self.measured.1 += now;
        Ok(now)
    }

    /// Computes for a slice of time, or what is due; false if nothing is.
    fn compute(&mut self) -> Result<bool> {
        let begun = Instant::now();
        if begun < self.tick && self.due == 0 {
            return Ok(false);
        }
        if self.speed > 0 && self.due == 0 {
            self.due = u64::from(self.speed);
            // A run that is late does not catch up.
            self.tick = (self.tick + TICK).max(begun);
        }
        self.history.keep(self.simulation, false)?;
        // However long that took, a step follows: with it strokes from before are beyond being taken back.
        let kept = Instant::now();
        let (most, slice) = (if self.speed == 0 { u64::from(MOST_AT_ONCE) } else { self.due }, self.slice);
        let now = self.step(most, &|| kept.elapsed() < slice)?;
        self.due = self.due.saturating_sub(now);
        if self.speed == 0 && now == most {
            // Steps of states at rest would use up all numbers of steps within seconds.
            self.tick = begun + TICK;
        }
        let since = self.measured.0.elapsed();
        if since > MEASURED {
            self.rate = self.measured.1 as f64 / since.as_secs_f64();
            self.measured = (Instant::now(), 0);
        }
        Ok(true)
    }

    /// Makes the frames that pages wait for; false if none waits.
    fn serve(&mut self) -> Result<bool> {
        let wanted = self.shared.wanted(self.version);
        let (begun, made) = (Instant::now(), !wanted.is_empty());
        if made {
            self.observe()?;
        }
        for (page, look) in wanted {
            let mut frame = match ViewFrame::of(self.simulation, &look) {
                Ok(frame) => frame,
                Err(error) if error.is_users() => {
                    self.shared.tell(Some(page), json!({ "error": error.to_string(), "look": look.id }).to_string());
                    self.shared.refuse(page, self.version);
                    continue;
                }
                Err(error) => return Err(error),
            };
            frame.add("time", self.simulation.time().into());
            frame.add("playing", self.playing.into());
            frame.add("speed", self.speed.into());
            frame.add("rate", json!(if self.playing { self.rate } else { 0.0 }));
            frame.add("seed", self.simulation.seed().to_string().into());
            if let Some((time, values, ..)) = &self.observed {
                frame.add("observed", json!({ "time": time, "values": values }));
            }
            if let Some(place) = self.probes.get(&page) {
                frame.add("probe", probe(self.simulation, *place)?);
            }
            frame.without_known_palette(self.palettes.entry(page).or_default());
            self.shared.show(page, &look, self.version, frame.into_bytes());
        }
        if made {
            self.slice = (4 * begun.elapsed()).clamp(SLICE[0], SLICE[1]);
            self.probes.retain(|page, _| self.shared.has(*page));
            self.palettes.retain(|page, _| self.shared.has(*page));
        }
        Ok(made)
    }

    /// Takes the observables that are numbers, unless that was done a moment ago.
    fn observe(&mut self) -> Result<()> {
        let time = self.simulation.time();
        let is_due = |(at, _, when, cost): &(u32, _, Instant, Duration)| {
            *at != time && (!self.playing || when.elapsed() > OBSERVED.max(*cost * SHARE_OF_OBSERVING)) || *at > time
        };
        if self.simulation.rule().observables.is_empty() || !self.observed.as_ref().is_none_or(is_due) {
            return Ok(());
        }
        let begun = Instant::now();
        let mut values = Map::new();
        for (name, value) in self.simulation.observe()? {
            let number = match value {
                ObservedValue::Integer(value) => json!(value),
                ObservedValue::Float(value) => json!(value),
                ObservedValue::List(_) => continue,
            };
            values.insert(name.to_owned(), number);
        }
        self.observed = Some((time, values, Instant::now(), begun.elapsed()));
        Ok(())
    }

    /// Tells pages the parameters, those that will come as well.
    fn tell_params(&self) -> Result<()> {
        self.shared.open(hello(self.simulation, self.subject)?);
        self.shared.tell(None, json!({ "params": params(self.simulation) }).to_string());
        Ok(())
    }
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

/// The values of all parameters, by their names.
fn params(simulation: &Simulation) -> Map<String, Json> {
    let settings = params_as_settings(simulation.rule(), simulation.params());
    settings.iter().filter_map(|one| one.split_once('=')).map(|(name, value)| (name.to_owned(), value.into())).collect()
}

/// The number of a cell and its values, given its place.
fn probe(simulation: &Simulation, place: [u64; 3]) -> Result<Json> {
    let Some(index) = simulation.domain().nu(place) else {
        return Ok(json!({ "place": place.map(|v| v.to_string()), "index": null }));
    };
    let rule = simulation.rule();
    let mut values = Map::new();
    for state in &rule.states {
        let value = simulation.value_at(&state.name, place)?;
        values.insert(state.name.clone(), value.map_or(Json::Null, |value| text(rule, value).into()));
    }
    Ok(json!({ "place": place.map(|v| v.to_string()), "index": index.to_string(), "values": values }))
}

/// A value as text; of an enum the variant's name.
fn text(rule: &Rule, value: Value) -> String {
    match value {
        Value::Enum(id, variant) => rule.enum_type(id).variants[usize::from(variant)].clone(),
        Value::Bit(bit) => u8::from(bit).to_string(),
        number => number.as_text(),
    }
}

/// The description of a run that pages get first.
fn hello(simulation: &Simulation, subject: &Subject<'_>) -> Result<String> {
    let (rule, domain, drawing) = (simulation.rule(), simulation.domain(), subject.drawing);
    let picture = rule.picture.as_ref();
    let states: Vec<Json> = (0u16..).zip(&rule.states).map(|(number, state)| {
        let range = picture.filter(|picture| picture.state.0 == number).and_then(|picture| picture.range);
        let names = match state.ty {
            Type::Enum(id) => json!(rule.enum_type(id).variants),
            _ => Json::Null,
        };
        let is_number = !matches!(state.ty, Type::Bit | Type::Enum(_));
        json!({ "name": state.name, "type": rule.type_name(state.ty), "names": names, "number": is_number, "range": range })
    }).collect();
    let settings = params(simulation);
    let all_params: Vec<Json> = rule.params.iter().map(|param| {
        let about = subject.about_params.iter().find(|(name, _)| *name == param.name).map_or("", |(_, about)| about);
        let names = match param.ty {
            Type::Enum(id) => json!(rule.enum_type(id).variants),
            _ => Json::Null,
        };
        json!({
            "name": param.name, "type": rule.type_name(param.ty), "names": names, "value": settings[&param.name], "about": about,
            "range": param.range.map(|(low, high)| [low.as_text(), high.as_text()]),
        })
    }).collect();
    let observables: Vec<&str> = rule.observables.iter().map(|observable| observable.name.as_str()).collect();
    let (patterns, levels) = patterns(domain);
    let state = drawing.state(rule).map_err(Error::from)?;
    let range = match drawing.extent {
        Some(Extent::Fixed(low, high)) => Some([low, high]),
        _ => None,
    };
    let hello = json!({
        "fractal": domain.fractal().name,
        "rule": rule.name,
        "about": rule.doc.lines().next().unwrap_or_default().trim(),
        "level": domain.levels(),
        "axes": domain.dimension().axes(),
        "extent": domain.extent().map(|side| side.to_string()),
        "cells": domain.cells().to_string(),
        "patterns": patterns,
        "levels": levels,
        "states": states,
        "params": all_params,
        "observables": observables,
        "backend": simulation.backend().name(),
        "device": simulation.device(),
        "seed": simulation.seed().to_string(),
        "look": {
            "state": state.0,
            "colours": drawing.colours.to_string(),
            "log": drawing.logarithmic,
            "range": range,
            "fit": matches!(drawing.extent, Some(Extent::Fit)),
            "slice": drawing.slice.unwrap_or(domain.extent()[2] / 2).to_string(),
        },
    });
    Ok(json!({ "hello": hello }).to_string())
}

/// The patterns of a 2-D fractal, and the number of each level's, from the finest on. There are none where pages ask for windows: of masks and boxes, in one and
/// in three dimensions, and where patterns are large.
fn patterns(domain: &Domain) -> (Vec<Json>, Vec<usize>) {
    let none = (Vec::new(), Vec::new());
    let Some(levels) = domain.levels().filter(|_| domain.dimension() == Dimension::Two) else { return none };
    let (mut known, mut numbers) = (Vec::new(), Vec::new());
    for pattern in (1..=levels).map(|level| domain.pattern(level)) {
        let [width, height, _] = pattern.scale;
        if u64::from(width) * u64::from(height) > MOST_OF_PATTERN {
            return none;
        }
        let number = known.iter().position(|other| *other == pattern).unwrap_or_else(|| {
            known.push(pattern);
            known.len() - 1
        });
        numbers.push(number);
    }
    let told = known.iter().map(|pattern| {
        let replicas: Vec<[u32; 2]> = pattern.replicas.iter().map(|[x, y, _]| [*x, *y]).collect();
        json!({ "scale": [pattern.scale[0], pattern.scale[1]], "replicas": replicas })
    });
    (told.collect(), numbers)
}
