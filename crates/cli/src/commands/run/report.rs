//! The summary of a run, for people and as JSON.

use crate::args::RunArgs;
use crate::commands::info::headline;
use crate::commands::input;
use crate::report::{CliError, observed, print, tell_missing, width, wrapped};
use serde_json::{Map, Value, json};
use squeeze::Simulation;
use squeeze::files::PendingFile;
use squeeze::numbers::{self, counted, duration, grouped, in_words, three_digits};
use squeeze::picture::{Extent, Format, of_simulation};
use squeeze::run::{Costs, Manifest, observed_as_json, params_as_settings, value_as_json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The settings of the report on a simulation that has come to its end.
#[derive(Default)]
pub(in crate::commands) struct RunReport {
    /// The time at which this process began.
    pub from: u32,
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
}

impl RunReport {
    /// The settings for a run that begins at this time.
    pub(super) fn of(arguments: &RunArgs, from: u32, picture: Option<PendingFile>) -> RunReport {
        RunReport {
            from,
            digest: !arguments.no_digest,
            json: arguments.json,
            quiet: arguments.quiet,
            image: picture.zip(arguments.image.clone()),
            width: arguments.width,
        }
    }

    /// The steps that this process has computed.
    fn computed(&self, simulation: &Simulation) -> u32 {
        simulation.time() - self.from
    }

    pub(super) fn show(
        mut self,
        simulation: &Simulation,
        manifest: &Manifest,
        mut costs: Costs,
        folder: Option<&Path>,
    ) -> Result<(), CliError> {
        let path = match self.image.take() {
            Some((picture, path)) => {
                let start = Instant::now();
                let drawing = &manifest.drawing;
                let (state, view) = (drawing.state(simulation.rule())?, drawing.view(simulation.domain())?);
                let mut style = drawing.style(simulation.rule(), Extent::Fit);
                style.paper = self.width;
                let drawn = of_simulation(simulation, state, view.as_ref(), &style)?;
                let format = path.extension().and_then(Format::of_extension).unwrap_or(Format::Png);
                if manifest.schedule.image_every.is_none() {
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
            print(&format!("{}\n", as_json(simulation, manifest, &self, &costs)?))
        } else if self.quiet {
            Ok(())
        } else {
            print(&summary(simulation, manifest, &self, &costs, [path.as_deref(), folder])?)
        }
    }
}

fn as_json(simulation: &Simulation, manifest: &Manifest, end: &RunReport, costs: &Costs) -> Result<Value, CliError> {
    let (observables, domain) = (simulation.observe()?, simulation.domain());
    let edges = domain.fractal().edges.iter();
    let params = params_as_settings(simulation.rule(), simulation.params());
    let mut json = json!({
        "fractal": simulation.domain().fractal().name,
        "rule": simulation.rule().name,
        "level": domain.levels(),
        "cells": simulation.domain().cells(),
        "steps": simulation.time(),
        "seed": simulation.seed(),
        "backend": simulation.backend().name(),
        "strategy": simulation.strategy(),
        "device": simulation.device(),
        "digest": digests(simulation, end)?.into_iter().map(|(name, hex)| (name, json!(hex))).collect::<Map<_, _>>(),
        "observables": observables.into_iter().map(|(name, v)| (name.to_owned(), observed_as_json(v))).collect::<Map<_, _>>(),
        "seconds_per_step": per_step(end.computed(simulation), costs),
        "state_bytes": simulation.state_bytes(),
        "params": params.iter().filter_map(|setting| setting.split_once('=')).map(|(name, value)| (name.to_owned(), value_as_json(value))).collect::<Map<_, _>>(),
        "init": manifest.init,
        "seconds": {
            "steps": costs.steps.as_secs_f64(),
            "observables": costs.observables.as_secs_f64(),
            "pictures": costs.pictures.as_secs_f64(),
            "saves": costs.saves.as_secs_f64(),
        },
        "extent": &domain.extent()[..domain.dimension().axes()],
        "periodic": domain.periodic().any().then(|| domain.periodic().to_string()),
        "edges": edges.map(|edge| (edge.subject(), json!(edge.value))).collect::<Map<_, _>>(),
        "time": manifest.schedule.begin,
        "memory_bytes": simulation.memory_bytes(),
    });
    if let Some(stop) = &simulation.rule().stop {
        let is_early = simulation.time() < manifest.schedule.steps;
        json["stopped"] = is_early.then(|| json!({"when": stop.text, "step": simulation.time()})).into();
    }
    Ok(json)
}

fn digests(simulation: &Simulation, end: &RunReport) -> Result<Vec<(String, String)>, CliError> {
    if !end.digest {
        return Ok(Vec::new());
    }
    let digests = simulation.digests()?.into_iter();
    Ok(digests.map(|(name, digest)| (name.to_owned(), format!("{digest:016x}"))).collect())
}

/// Seconds per step, 0 without steps.
fn per_step(steps: u32, costs: &Costs) -> f64 {
    if steps == 0 { 0.0 } else { costs.steps.as_secs_f64() / f64::from(steps) }
}

fn summary(
    simulation: &Simulation,
    manifest: &Manifest,
    end: &RunReport,
    costs: &Costs,
    [picture, folder]: [Option<&Path>; 2],
) -> Result<String, CliError> {
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
        match end.computed(simulation) {
            0 if simulation.time() == 0 => "no steps: this is the initial state".to_owned(),
            0 => "no steps were left".to_owned(),
            steps => {
                let seconds = costs.steps.as_secs_f64();
                let rate = domain.cells() as f64 * f64::from(steps) / seconds;
                let each = duration(per_step(steps, costs));
                let steps = counted(u64::from(steps), "step");
                format!("{steps} in {}: {each} a step, {} cells/s", duration(seconds), in_words(rate))
            }
        },
    ));
    let [step, steps] = [simulation.time(), manifest.schedule.steps];
    if let (true, Some(stop)) = (step < steps, &simulation.rule().stop) {
        let [step, steps] = [step, steps].map(|time| grouped(u64::from(time)));
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

/// The most memory that the simulation takes, beside two buffers of the whole box.
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
