//! `run FRACTAL --rule RULE --level R --steps N …`

use super::info::headline;
use crate::args::Run;
use crate::report::{Failure, duration, grouped, in_words, print, three_digits};
use serde_json::{Map, Value, json};
use squeeze::cuda::LoadedCode;
use squeeze::files::PendingFile;
use squeeze::memory::describe;
use squeeze::{Backend, ObservedValue, Simulation, resolve};
use std::time::Instant;

/// Runs a rule on a fractal and shows what came of it.
pub fn run(arguments: &Run) -> Result<(), Failure> {
    let fractal = resolve::fractal(&arguments.at.fractal)?;
    let rule = resolve::rule(&arguments.rule)?;
    let mut builder =
        Simulation::builder(fractal, rule).level(arguments.at.level).seed(arguments.seed).backend(arguments.backend);
    for setting in &arguments.settings {
        builder = builder.set(setting);
    }
    if arguments.backend == Backend::Reference && (arguments.strategy.is_some() || arguments.threads.is_some()) {
        return Err(Failure::Input(
            "the backend `reference` has neither strategies nor threads".to_owned(),
            "leave out `--strategy` and `--threads`, or take `--backend cpu`".to_owned(),
        ));
    }
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    if let Some(path) = &arguments.load_cuda {
        if arguments.backend != Backend::Cuda {
            return Err(Failure::Input(
                format!("the backend `{}` runs no CUDA C", arguments.backend.name()),
                "take `--backend cuda`, or leave out `--load-cuda`".to_owned(),
            ));
        }
        let (name, text) = (path.display().to_string(), String::from_utf8(super::read(path)?));
        let text = text.map_err(|_| squeeze::Error::LoadedCode {
            name: name.clone(),
            problem: "it is not text in UTF-8".to_owned(),
        })?;
        builder = builder.load_cuda(LoadedCode { name, text });
    }
    // A picture that could not be written should be known before the work, not after.
    let picture = arguments.image.as_deref().map(PendingFile::begin).transpose()?;
    let mut simulation = builder.build()?;
    if let (Some(notice), false) = (simulation.notice(), arguments.quiet) {
        eprintln!("note: {notice}");
    }
    let start = Instant::now();
    simulation.step(u64::from(arguments.steps))?;
    let seconds = start.elapsed().as_secs_f64();
    if !(arguments.no_digest || arguments.quiet && !arguments.json) {
        simulation.synchronise()?;
    }
    if let Some(picture) = picture {
        simulation.fetch()?;
        picture.finish(&simulation.picture().to_png())?;
    }
    if arguments.json {
        print(&format!("{}\n", as_json(&simulation, arguments, seconds)?))
    } else if arguments.quiet {
        Ok(())
    } else {
        print(&summary(&simulation, arguments, seconds)?)
    }
}

fn as_json(simulation: &Simulation, arguments: &Run, seconds: f64) -> Result<Value, Failure> {
    let observables = simulation.observe()?;
    Ok(json!({
        "fractal": simulation.domain().fractal().name,
        "rule": simulation.rule().name,
        "level": simulation.domain().level(),
        "cells": simulation.domain().cells(),
        "steps": arguments.steps,
        "seed": simulation.seed(),
        "backend": simulation.backend().name(),
        "strategy": simulation.strategy(),
        "device": simulation.device(),
        "digest": digests(simulation, arguments).into_iter().map(|(name, hex)| (name, json!(hex))).collect::<Map<_, _>>(),
        "observables": observables.into_iter().map(|(name, v)| (name.to_owned(), number(v))).collect::<Map<_, _>>(),
        "seconds_per_step": per_step(arguments, seconds),
        "state_bytes": simulation.state_bytes(),
    }))
}

/// JSON has no numbers for infinity and NaN.
fn number(value: ObservedValue) -> Value {
    match value {
        ObservedValue::Integer(v) => json!(v),
        ObservedValue::Float(v) if v.is_nan() => json!("nan"),
        ObservedValue::Float(v) if v.is_infinite() => json!(if v > 0.0 { "inf" } else { "-inf" }),
        ObservedValue::Float(v) => json!(v),
    }
}

fn digests(simulation: &Simulation, arguments: &Run) -> Vec<(String, String)> {
    if arguments.no_digest {
        return Vec::new();
    }
    simulation.digests().into_iter().map(|(name, digest)| (name.to_owned(), format!("{digest:016x}"))).collect()
}

/// The time of one step, 0 if there was none.
fn per_step(arguments: &Run, seconds: f64) -> f64 {
    if arguments.steps == 0 { 0.0 } else { seconds / f64::from(arguments.steps) }
}

fn summary(simulation: &Simulation, arguments: &Run, seconds: f64) -> Result<String, Failure> {
    let domain = simulation.domain();
    let mut lines = vec![
        ("rule", format!("{}, seed {}", simulation.rule().name, simulation.seed())),
        ("fractal", headline(domain.fractal())),
        ("level", format!("{}: side {}, {} cells", domain.level(), grouped(domain.side()), grouped(domain.cells()))),
        ("memory", memory(simulation)),
        ("backend", format!("{} on {}", simulation.backend().name(), simulation.device())),
    ];
    lines.push((
        "time",
        match arguments.steps {
            0 => "no steps: this is the initial state".to_owned(),
            steps => {
                let rate = domain.cells() as f64 * f64::from(steps) / seconds;
                let each = duration(per_step(arguments, seconds));
                let steps = grouped(u64::from(steps));
                format!("{steps} steps in {}: {each} a step, {} cells a second", duration(seconds), in_words(rate))
            }
        },
    ));
    let mut text = String::new();
    let mut add = |label: &str, value: &str| text.push_str(&format!("{label:>10}  {value}\n"));
    for (label, value) in &lines {
        add(label, value);
    }
    for (name, value) in simulation.observe()? {
        add("observed", &format!("{name} = {value}"));
    }
    for (name, digest) in digests(simulation, arguments) {
        add("digest", &format!("{name} {digest}"));
    }
    if let Some(path) = &arguments.image {
        add("picture", &path.display().to_string());
    }
    Ok(text)
}

/// What the states take, against two buffers of the whole box.
fn memory(simulation: &Simulation) -> String {
    let bytes_per_cell: u64 = simulation.rule().states.iter().map(|state| state.ty.bytes()).sum();
    let sizes = simulation.domain().sizes(bytes_per_cell);
    let (taken, expanded) = (simulation.state_bytes() as f64, 2.0 * sizes.expanded_rounded);
    let ratio = expanded / taken;
    if ratio < 1.05 {
        format!("{}, the whole bounding box", describe(taken))
    } else {
        format!(
            "{}; the bounding box takes {}, {} times as much",
            describe(taken),
            describe(expanded),
            three_digits(ratio)
        )
    }
}
