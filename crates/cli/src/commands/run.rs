//! `run FRACTAL --rule RULE --level R --steps N …`

use super::info::headline;
use super::input;
use crate::args::{Animation, Run};
use crate::engines::Chosen;
use crate::report::{Failure, observed, print, remark, tell_missing, width, wrapped};
use crate::watch::Screen;
use serde_json::{Map, Value, json};
use squeeze::compiler::{CellSettings, notes_of_draws, warnings_in};
use squeeze::cuda::LoadedCode;
use squeeze::engine::EngineError;
use squeeze::files::PendingFile;
use squeeze::numbers::{self, counted, duration, grouped, in_words, three_digits};
use squeeze::picture::{Extent, Format, of_simulation};
use squeeze::resolve::ResolveError;
use squeeze::run::animation::{Form, check_ffmpeg};
use squeeze::run::{
    Costs, Drawing, Manifest, NamedEngine, NotFinite, Outcome, Pace, Recording, RunFolder, Saves, Schedule, not_finite,
    observed_as_json, params_as_settings, value_as_json,
};
use squeeze::{Backend, Error, Message, Simulation, initial, resolve};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs a rule on a fractal and shows what came of it.
pub(crate) fn run(arguments: &Run, chosen: &Chosen) -> Result<(), Failure> {
    let (of_domains, settings): (Vec<String>, Vec<String>) =
        arguments.settings.iter().cloned().partition(|setting| resolve::is_of_domain(setting));
    let seed = arguments.seed.unwrap_or(0);
    let cells = CellSettings { params: of_domains, disorder: arguments.disorder.unwrap_or(seed) };
    let spec = match &arguments.fractal {
        Some(spec) => spec.clone(),
        None => resolve::grid_of_rule(&arguments.rule)?.ok_or_else(|| {
            let help = "name one of `squeeze list fractals`, a file, or a grid such as `T100,50`";
            Failure::input("the FRACTAL is missing: where the rule runs", help)
        })?,
    };
    let found = resolve::domain_with_cells(&spec, &arguments.edges.wanted(), &cells);
    let (fractal, mut fractal_texts) = found.map_err(|error| misplaced(error, &arguments.rule))?;
    let fractal_notes = std::mem::take(&mut fractal_texts.notes);
    let level = input::level(&fractal, arguments.level)?;
    let (rule, rule_texts) = resolve::rule_with_texts(&arguments.rule)?;
    if !arguments.quiet {
        input::tell_unpicked(&arguments.rule)?;
    }
    let begin = arguments.time.unwrap_or(0);
    let end = begin.checked_add(arguments.steps);
    let end = end.ok_or_else(|| {
        Failure::input(
            format!("{} steps after step {begin} are too many", arguments.steps),
            format!("a run ends at step {} at the latest", u32::MAX),
        )
    })?;
    let mut drawing = arguments.look.drawing(arguments.field.as_deref(), &arguments.part);
    if arguments.image.is_none() && arguments.image_every.is_none() && drawing != Drawing::default() {
        return Err(Failure::input(
            "the flags for pictures have no effect without a picture",
            "draw one with `--image FILE` or, with `--out DIR`, `--image-every N`",
        ));
    }
    let film = arguments.animation == Animation::Mp4;
    drawing.animation = Form { film, max_size: arguments.max_size, ..drawing.animation };
    let flags = [
        ("--fps", drawing.animation.fps.is_some()),
        ("--animation", film),
        ("--max-size", arguments.max_size.is_some()),
    ];
    if let (Some((flag, _)), None) = (flags.iter().find(|(_, given)| *given), arguments.image_every) {
        let help = "it is for the animation that `--image-every N` makes";
        return Err(Failure::input(format!("{flag} has no effect without `--image-every`"), help));
    }
    if film && arguments.max_size.is_some() {
        let help = "an MP4 is small; leave `--max-size` out";
        return Err(Failure::input("--max-size has no effect on MP4", help));
    }
    if film {
        check_ffmpeg()?;
    }
    let machine = arguments.planned.open()?;
    input::has_layouts(&fractal, machine.as_ref(), Some(chosen))?;
    if arguments.packed {
        input::packs(&fractal, &fractal.name, arguments.backend)?;
    }
    let (stop, written) = (rule.stop.clone(), Arc::clone(&rule));
    let mut builder = Simulation::builder(fractal, rule).level(level).seed(seed).backend(arguments.backend);
    builder = builder.packed(arguments.packed);
    if let Some(disorder) = arguments.disorder {
        builder = builder.disorder(disorder);
    }
    if let Some(machine) = machine {
        machine.check(arguments.backend)?;
        builder = builder.hardware(machine.hardware);
    }
    for setting in &settings {
        builder = builder.set(setting);
    }
    check_threads(arguments.backend, chosen, arguments.threads)?;
    if let Some(activity) = arguments.activity {
        if arguments.backend == Backend::Reference {
            return Err(no_activity("the backend `reference`"));
        }
        if chosen.named.strategy() != NamedEngine::OWN {
            return Err(no_activity(&format!("the strategy `{}`", chosen.named.strategy())));
        }
        builder = builder.activity(activity);
    }
    builder = chosen.build_by(&chosen.named, builder)?;
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    if let Some(path) = &arguments.load_cuda {
        if arguments.backend != Backend::Cuda {
            return Err(Failure::input(
                format!("the backend `{}` runs no CUDA C", arguments.backend.name()),
                "take `--backend cuda`, or leave out `--load-cuda`",
            ));
        }
        let (name, text) = (path.display().to_string(), String::from_utf8(input::read(path)?));
        let text = text.map_err(|_| EngineError::LoadedCode {
            name: name.clone(),
            problem: "it is not text in UTF-8".to_owned(),
        })?;
        // SAFETY: the user asks for this code to be run on the GPU, as for any other program of theirs.
        builder = unsafe { builder.load_cuda(LoadedCode { name, text }) };
    }
    let mut schedule = Schedule::default();
    (schedule.begin, schedule.steps) = (begin, end);
    (schedule.observe_every, schedule.observe_at) = (arguments.observe_every, arguments.observe_at.clone());
    (schedule.image_every, schedule.allow_nan) = (arguments.image_every, arguments.allow_nan);
    schedule.save_seconds = Some(Saves::DEFAULT_SECONDS);
    for saves in &arguments.save_every {
        match *saves {
            Saves::Steps(steps) => schedule.save_every = Some(steps),
            Saves::Seconds(seconds) => schedule.save_seconds = seconds,
        }
    }
    if schedule.plans_observations() && arguments.out.is_none() && stop.is_none() {
        let flag = if arguments.observe_at.is_some() { "--observe-at" } else { "--observe-every" };
        return Err(Failure::input(
            format!("{flag} has no effect without `--out`"),
            "record the run with `--out DIR`; without it, the flag says when the `stop when` of a rule is judged, and this rule has none",
        ));
    }
    initial::check_kept(&arguments.init)?;
    // A picture that could not be written should be known before the work, not after.
    let picture = arguments.image.as_deref().map(PendingFile::begin).transpose()?;
    let mut simulation = builder.build()?;
    if let (Some(overlap), false) = (simulation.rule().overlaps.first(), arguments.quiet) {
        remark(&format!(
            "note: `{}` compares the members of a sweep; a run has one member, and does without it",
            overlap.name
        ));
    }
    if let (Some(notice), false) = (simulation.notice(), arguments.quiet) {
        remark(&format!("note: {notice}"));
    }
    if !arguments.quiet {
        for warning in warnings_in(&written, simulation.domain()) {
            remark(&format!("warning: {warning}"));
        }
        input::tell(&notes_of_draws(simulation.rule(), simulation.params(), 1));
        if arguments.seed.is_none() && arguments.time.is_none() {
            input::tell_repeated(
                &arguments.init,
                simulation.rule(),
                "`--seed S` takes other draws, `--time T` those behind step T",
            );
        }
    }
    if let (Some(stop), false, false) = (&stop, schedule.plans_observations(), arguments.quiet) {
        remark(&format!(
            "note: `stop when {}` is ignored: it is judged where observables are taken, and `--observe-every N` says when",
            stop.text
        ));
    }
    drawing.check(simulation.rule(), simulation.domain())?;
    if arguments.image_every.is_some() {
        tell_missing(&drawing.missing());
    }
    let notes = initial::apply(&mut simulation, &arguments.init)?;
    // A pattern whose rule is taken is often the start as well, and says the same then.
    let of_grid = resolve::note_of_grid(&arguments.rule, simulation.domain())?.filter(|note| !notes.contains(note));
    for note in fractal_notes.iter().chain(&of_grid).chain(&notes) {
        remark(&format!("note: {note}"));
    }
    simulation.set_time(begin);
    let mut report = Report {
        steps: end,
        computed: arguments.steps,
        digest: !arguments.no_digest,
        json: arguments.json,
        quiet: arguments.quiet,
        image: picture.zip(arguments.image.clone()),
        width: arguments.width,
        drawing: drawing.clone(),
        told_letters: arguments.image_every.is_some(),
        init: arguments.init.clone(),
        begin,
        ..Report::default()
    };
    let mut screen = Screen::new(end, arguments.quiet)?;
    let Some(out) = &arguments.out else {
        let mut pace = Pace::of(&simulation);
        let ended = pace.advance_until_stop(&mut simulation, &schedule, &mut screen)?;
        screen.clear();
        if ended {
            report.end_early(&simulation);
        } else if simulation.time() < end {
            return Err(Failure::Stopped(simulation.time(), None));
        }
        // To bring the states of a GPU here takes longer than to compute them: there an observable must give cause.
        let search = !arguments.allow_nan
            && (simulation.backend() != Backend::Cuda
                || simulation.observe()?.iter().any(|(_, value)| !value.is_finite()));
        let mut costs = Costs::default();
        costs.steps = pace.computing();
        report.show(&simulation, costs, None)?;
        // There is no state to save, so what was computed is told all the same.
        return match if search { not_finite(&simulation)? } else { None } {
            Some(error) => Err(error.into()),
            None => Ok(()),
        };
    };
    let folder = RunFolder::create(out)?;
    let mut manifest = Manifest::default();
    (manifest.fractal, manifest.rule) = (fractal_texts, rule_texts);
    (manifest.level, manifest.seed, manifest.disorder) = (level, seed, arguments.disorder);
    manifest.params = params_as_settings(simulation.rule(), simulation.params());
    manifest.follows = simulation.following().map(str::to_owned).collect();
    manifest.init = arguments.init.clone();
    manifest.engine = chosen.named.clone();
    (manifest.schedule, manifest.drawing) = (schedule, drawing);
    let recording = Recording::begin(folder, manifest, &simulation, &mut screen)?;
    record(recording, &mut simulation, screen, report)
}

/// A fractal that nobody knows may be the name of a rule in the file that was named before it.
fn misplaced(error: Error, rule: &str) -> Failure {
    match error.downcast_ref() {
        Some(ResolveError::UnknownName { name, .. })
            if !rule.contains('#') && Path::new(rule).extension().is_some() =>
        {
            let all = error.help().into_iter().fold(Message::users(error.to_string()), Message::with_help);
            all.with_help(format!("`--rule {rule}#{name}` takes the rule `{name}` of `{rule}`")).into()
        }
        _ => error.into(),
    }
}

/// Runs and writes down, to the end or to where it is stopped.
pub(super) fn record(
    mut recording: Recording,
    simulation: &mut Simulation,
    mut screen: Screen,
    mut report: Report,
) -> Result<(), Failure> {
    let outcome = recording.run(simulation, &mut screen);
    screen.clear();
    match outcome {
        Ok(Outcome::Complete) => {
            report.end_early(simulation);
            report.show(simulation, recording.costs(), Some(recording.folder().path()))
        }
        Ok(Outcome::Stopped) => {
            let folder = recording.folder();
            let now = folder.present().map(|folder| folder.path().to_owned());
            Err(Failure::Stopped(simulation.time(), Some(now.unwrap_or_else(|| folder.path().to_owned()))))
        }
        Err(error) => {
            let before = recording.folder();
            let now = before.present();
            input::present(before.path(), now.as_ref().map(|folder| folder.path().to_owned()));
            let Some(folder) = now else { return Err(error.into()) };
            let (times, path) = (folder.state_times().unwrap_or_default(), folder.path().display());
            let last = times.last().map_or("the beginning".to_owned(), |last| format!("step {last}"));
            if let Some(&NotFinite { step, .. }) = error.downcast_ref() {
                let good = times.iter().rfind(|time| **time < step);
                let good =
                    good.map_or(String::new(), |good| format!("; the last state before it is that of step {good}"));
                remark(&format!(
                    "note: the state of {last} is saved{good}\nnote: `squeeze resume {path} --allow-nan` continues from {last}"
                ));
            } else {
                remark(&format!("note: `squeeze resume {path}` continues from {last}"));
            }
            Err(error.into())
        }
    }
}

/// What happens if activity is asked of what computes every cell.
pub(crate) fn no_activity(what: &str) -> Failure {
    Failure::input(
        format!("{what} computes every cell in each step"),
        "leave out `--activity`, or take `--backend cpu`",
    )
}

/// Refuses strategies and threads of the oracle.
pub(super) fn check_threads(backend: Backend, chosen: &Chosen, threads: Option<usize>) -> Result<(), Failure> {
    if backend != Backend::Reference || chosen.named == NamedEngine::default() && threads.is_none() {
        return Ok(());
    }
    Err(Failure::input(
        "the backend `reference` has neither strategies nor threads",
        "leave out `--strategy` and `--threads`, or take `--backend cpu`",
    ))
}

/// What is told of a simulation that has come to its end.
#[derive(Default)]
pub(super) struct Report {
    /// The time at the end.
    pub steps: u32,
    /// How many steps this process has computed.
    pub computed: u32,
    /// Whether digests are told.
    pub digest: bool,
    /// Whether it is told in JSON.
    pub json: bool,
    /// Whether a person wants to be left alone.
    pub quiet: bool,
    /// A picture to write.
    pub image: Option<(PendingFile, PathBuf)>,
    /// Its width on paper, in millimetres.
    pub width: Option<f64>,
    /// What it shows, and how.
    pub drawing: Drawing,
    /// Whether the letters that the font lacks were told before.
    pub told_letters: bool,
    /// States whose initial values came from files, as `state=file`.
    pub init: Vec<String>,
    /// The time of the initial values.
    pub begin: u32,
    /// The step at which the run would have ended, if its rule ended it before.
    pub stopped: Option<u32>,
}

impl Report {
    /// Learns that a simulation is at its end, before the last step if its rule said that it is enough.
    fn end_early(&mut self, simulation: &Simulation) {
        let left = self.steps - simulation.time();
        if left > 0 {
            self.stopped = Some(self.steps);
            (self.steps, self.computed) = (simulation.time(), self.computed - left.min(self.computed));
        }
    }

    fn show(mut self, simulation: &Simulation, mut costs: Costs, folder: Option<&Path>) -> Result<(), Failure> {
        let path = match self.image.take() {
            Some((picture, path)) => {
                let start = Instant::now();
                let (state, view) = (self.drawing.state(simulation.rule())?, self.drawing.view(simulation.domain())?);
                let mut style = self.drawing.style(simulation.rule(), Extent::Fit);
                style.paper = self.width;
                let drawn = of_simulation(simulation, state, view.as_ref(), &style)?;
                let format = path.extension().and_then(Format::of_extension).unwrap_or(Format::Png);
                if !self.told_letters {
                    tell_missing(&drawn.sheet.missing(format));
                }
                picture.finish(&drawn.sheet.bytes(format))?;
                costs.pictures += start.elapsed();
                costs.pictures_drawn += 1;
                Some(path)
            }
            None => None,
        };
        if self.json {
            print(&format!("{}\n", as_json(simulation, &self, &costs)?))
        } else if self.quiet {
            Ok(())
        } else {
            print(&summary(simulation, &self, &costs, [path.as_deref(), folder])?)
        }
    }
}

fn as_json(simulation: &Simulation, end: &Report, costs: &Costs) -> Result<Value, Failure> {
    let (observables, domain) = (simulation.observe()?, simulation.domain());
    let edges = domain.fractal().edges.iter();
    let params = params_as_settings(simulation.rule(), simulation.params());
    let mut json = json!({
        "fractal": simulation.domain().fractal().name,
        "rule": simulation.rule().name,
        "level": domain.levels(),
        "cells": simulation.domain().cells(),
        "steps": end.steps,
        "seed": simulation.seed(),
        "backend": simulation.backend().name(),
        "strategy": simulation.strategy(),
        "device": simulation.device(),
        "digest": digests(simulation, end)?.into_iter().map(|(name, hex)| (name, json!(hex))).collect::<Map<_, _>>(),
        "observables": observables.into_iter().map(|(name, v)| (name.to_owned(), observed_as_json(v))).collect::<Map<_, _>>(),
        "seconds_per_step": per_step(end, costs),
        "state_bytes": simulation.state_bytes(),
        "params": params.iter().filter_map(|setting| setting.split_once('=')).map(|(name, value)| (name.to_owned(), value_as_json(value))).collect::<Map<_, _>>(),
        "init": end.init,
        "seconds": {
            "steps": costs.steps.as_secs_f64(),
            "observables": costs.observables.as_secs_f64(),
            "pictures": costs.pictures.as_secs_f64(),
            "saves": costs.saves.as_secs_f64(),
        },
        "extent": &domain.extent()[..domain.dimension().axes()],
        "periodic": domain.periodic().any().then(|| domain.periodic().to_string()),
        "edges": edges.map(|edge| (edge.name.clone(), json!(edge.value))).collect::<Map<_, _>>(),
        "time": end.begin,
        "memory_bytes": simulation.memory_bytes(),
    });
    if let Some(stop) = &simulation.rule().stop {
        json["stopped"] = end.stopped.map_or(Value::Null, |_| json!({"when": stop.text, "step": end.steps}));
    }
    Ok(json)
}

fn digests(simulation: &Simulation, end: &Report) -> Result<Vec<(String, String)>, Failure> {
    if !end.digest {
        return Ok(Vec::new());
    }
    let digests = simulation.digests()?.into_iter();
    Ok(digests.map(|(name, digest)| (name.to_owned(), format!("{digest:016x}"))).collect())
}

/// The time of one step, 0 if there was none.
fn per_step(end: &Report, costs: &Costs) -> f64 {
    if end.computed == 0 { 0.0 } else { costs.steps.as_secs_f64() / f64::from(end.computed) }
}

fn summary(
    simulation: &Simulation,
    end: &Report,
    costs: &Costs,
    [picture, folder]: [Option<&Path>; 2],
) -> Result<String, Failure> {
    let domain = simulation.domain();
    let cells = grouped(domain.cells());
    let (kind, size) = match domain.levels() {
        Some(level) => ("fractal", ("level", format!("{level}: side {}, {cells} cells", input::sides(domain)))),
        None => ("domain", ("cells", cells)),
    };
    let mut lines = vec![
        ("rule", format!("{}, seed {}", simulation.rule().name, simulation.seed())),
        (kind, headline(domain.fractal())),
        size,
        ("memory", memory(simulation)),
        ("backend", format!("{} on {}", simulation.backend().name(), simulation.device())),
    ];
    lines.push((
        "time",
        match end.computed {
            0 if end.steps == 0 => "no steps: this is the initial state".to_owned(),
            0 => "no steps were left".to_owned(),
            steps => {
                let seconds = costs.steps.as_secs_f64();
                let rate = domain.cells() as f64 * f64::from(steps) / seconds;
                let each = duration(per_step(end, costs));
                let steps = counted(u64::from(steps), "step");
                format!("{steps} in {}: {each} a step, {} cells/s", duration(seconds), in_words(rate))
            }
        },
    ));
    if let (Some(planned), Some(stop)) = (end.stopped, &simulation.rule().stop) {
        let steps = grouped(u64::from(planned));
        let step = grouped(u64::from(end.steps));
        lines.push(("stopped", format!("at step {step} of {steps}: `stop when {}`", stop.text)));
    }
    let Costs { observables, pictures_drawn, pictures, states_saved, saves, .. } = *costs;
    if pictures_drawn > 0 {
        let count = counted(u64::from(pictures_drawn), "picture");
        lines.push(("drawing", format!("{count} in {}", duration(pictures.as_secs_f64()))));
    }
    if states_saved > 0 {
        let count = counted(u64::from(states_saved), "state");
        lines.push(("saving", format!("{count} in {}", duration(saves.as_secs_f64()))));
    }
    if observables > Duration::from_millis(1) {
        lines.push(("measuring", format!("observables in {}", duration(observables.as_secs_f64()))));
    }
    let mut text = String::new();
    let mut add = |label: &str, value: &str| {
        for (i, line) in wrapped(value, width() - 12).iter().enumerate() {
            text.push_str(&format!("{:>10}  {line}\n", if i == 0 { label } else { "" }));
        }
    };
    for (label, value) in &lines {
        add(label, value);
    }
    for (name, value) in simulation.observe()? {
        add("observed", &format!("{name} = {}", observed(&value)));
    }
    for (name, digest) in digests(simulation, end)? {
        add("digest", &format!("{name} {digest}"));
    }
    for (label, path) in [("picture", picture), ("folder", folder)] {
        if let Some(path) = path {
            text.push_str(&format!("{label:>10}  {}\n", path.display()));
        }
    }
    Ok(text)
}

/// What the simulation takes at most, against two buffers of the whole box.
fn memory(simulation: &Simulation) -> String {
    let bytes_per_cell: u64 = simulation.rule().states.iter().map(|state| state.ty.bytes()).sum();
    let sizes = simulation.domain().sizes(bytes_per_cell);
    let (taken, expanded) = (simulation.memory_bytes() as f64, 2.0 * sizes.expanded_rounded);
    let ratio = expanded / taken;
    if ratio < 1.05 {
        format!("{}, the whole bounding box", numbers::bytes(taken))
    } else {
        format!(
            "{}; the bounding box would take {}, {} times as much",
            numbers::bytes(taken),
            numbers::bytes(expanded),
            three_digits(ratio)
        )
    }
}
