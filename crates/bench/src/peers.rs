//! The time that other programs need for the same case.
//!
//! A peer is a script. It is called as `python3 SCRIPT`, reads one JSON object from its standard input and prints one on its
//! standard output. It is told
//!
//! - `fractal`: `name`, `dimension`, and `patterns`, each with `scale` and `replicas` (triples x, y, z): level μ = 1, 2, …
//!   uses `patterns[(μ − 1) mod length]`, the finest first;
//! - `level`, `side`, `cells`;
//! - `rule`: its `name` and `params`, by name;
//! - `memory`: the bytes that it may take, and `seconds`: how long its measuring should last, not counting preparations;
//! - `check`, so that it can see whether it computes the same thing: a `level`, a number of `steps`, and the values of the
//!   rule's first state in all cells in canonical order, `before` and `after` those steps.
//!
//! It answers `{"name", "seconds_per_step"}` or `{"name", "skipped": reason}`. A script that fails, hangs or prints something else is
//! reported and never fatal.

use super::case::Case;
use serde_json::{Value as Json, json};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Value;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::Backend;
use squeeze_host::memory;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a peer may take for one case, preparations included.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);
/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;
/// The most cells on which peers check themselves.
const CHECKED_CELLS: u64 = 4096;
/// The time steps over which they do.
const CHECKED_STEPS: u64 = 6;

/// A peer's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The name that the program reports, or the script's name.
    pub name: String,
    /// Seconds of one time step, or why there is no such number.
    pub outcome: Result<f64, String>,
}

/// The scripts in a folder, in the order of their names.
///
/// # Errors
/// If the folder cannot be read or holds none.
pub fn scripts(folder: &Path) -> Result<Vec<PathBuf>> {
    let wrong = |problem: String| {
        Message::users(format!("`{}` holds no peers: {problem}", folder.display()))
            .with_help("a folder of peers holds scripts whose names end in `.py`")
    };
    let entries = std::fs::read_dir(folder).map_err(|error| wrong(error.to_string()))?;
    let mut scripts: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "py") && path.is_file())
        .collect();
    if scripts.is_empty() {
        return Err(wrong("there is no script in it".to_owned()).into());
    }
    scripts.sort();
    Ok(scripts)
}

/// The description of a case that peers read.
///
/// # Errors
/// If the reference fails to run the case that they check themselves with.
pub fn question(case: &Case, seconds: f64) -> Result<Json> {
    let patterns = case.fractal.patterns.iter();
    let patterns: Vec<Json> = patterns.map(|p| json!({"scale": p.uniform_scale().map_or(json!(p.scales()), |scale| json!(scale)), "replicas": (0..p.k()).map(|number| p.replica(number)).collect::<Vec<_>>()})).collect();
    let params = case.rule.params.iter().map(|param| (param.name.clone(), as_json(param.default)));
    Ok(json!({
        "fractal": {"name": case.fractal.name, "dimension": case.fractal.dimension.axes(), "patterns": patterns},
        "level": case.level,
        "side": case.domain().side(),
        "cells": case.domain().cells(),
        "rule": {"name": case.rule.name, "params": params.collect::<serde_json::Map<_, _>>()},
        "memory": memory::available(),
        "seconds": seconds,
        "check": check(case)?,
    }))
}

/// The rule's first state in all cells of a small level, before and after some steps.
fn check(case: &Case) -> Result<Json> {
    let small = |level: &u32| Domain::new(Arc::clone(&case.fractal), *level).is_ok_and(|d| d.cells() <= CHECKED_CELLS);
    let level = (0..=case.level).rev().find(small).unwrap_or(0);
    let mut simulation = case.builder().level(level).backend(Backend::Reference).build()?;
    let first = case.rule.states[0].name.as_str();
    let cells = simulation.domain().cells();
    let values = |simulation: &squeeze_engine::Simulation| -> Result<Vec<Json>> {
        (0..cells).map(|c| Ok(as_json(simulation.value(first, c)?))).collect()
    };
    let before = values(&simulation)?;
    simulation.step(CHECKED_STEPS)?;
    Ok(json!({"level": level, "steps": CHECKED_STEPS, "before": before, "after": values(&simulation)?}))
}

fn as_json(value: Value) -> Json {
    match value {
        Value::F32(_) | Value::F64(_) => json!(value.as_f64()),
        _ => json!(value.as_f64() as i64),
    }
}

/// Asks one peer, for at most `limit`.
pub fn ask(script: &Path, question: &Json, limit: Duration) -> Answer {
    let file =
        script.file_stem().map_or_else(|| script.display().to_string(), |stem| stem.to_string_lossy().into_owned());
    let unnamed = |problem: String| Answer { name: file.clone(), outcome: Err(problem) };
    let text = match execute(script, question.to_string(), limit) {
        Ok(text) => text,
        Err(problem) => return unnamed(problem),
    };
    let Ok(answer) = serde_json::from_str::<Json>(text.trim()) else {
        return unnamed("failed: its answer is no JSON object".to_owned());
    };
    let name = answer["name"].as_str().map_or(file.clone(), str::to_owned);
    let outcome = match (answer["seconds_per_step"].as_f64(), answer["skipped"].as_str()) {
        (Some(seconds), _) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        (_, Some(reason)) => Err(format!("skipped: {reason}")),
        _ => Err("failed: it answered neither `seconds_per_step` nor `skipped`".to_owned()),
    };
    Answer { name, outcome }
}

/// Standard output of a script that was given `input` and succeeded in time.
fn execute(script: &Path, input: String, limit: Duration) -> Result<String, String> {
    let mut command = Command::new("python3");
    // Scripts may import their neighbours; nothing is to be left beside them.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("failed: python3 does not start: {error}"))?;
    // The pipes get threads of their own, which are not waited for: a script may leave them open to others when it ends.
    if let Some(mut pipe) = child.stdin.take() {
        thread::spawn(move || {
            // A script that does not want to know is free not to read.
            _ = pipe.write_all(input.as_bytes());
        });
    }
    let output = child.stdout.take().map(read_in_background);
    let errors = child.stderr.take().map(read_in_background);
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
            outcome => {
                _ = child.kill();
                _ = child.wait();
                return Err(match outcome {
                    Err(error) => format!("failed: {error}"),
                    Ok(_) => format!("failed: no answer after {} s", limit.as_secs_f64()),
                });
            }
        }
    };
    let rest = Duration::from_secs(1);
    let text =
        |pipe: Option<mpsc::Receiver<String>>| pipe.and_then(|pipe| pipe.recv_timeout(rest).ok()).unwrap_or_default();
    if status.success() {
        return Ok(text(output));
    }
    let errors = text(errors);
    let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Err(format!("failed ({status}): {}", last.trim().chars().take(200).collect::<String>()))
}

fn read_in_background(pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // Output before a failure is kept as it is.
        _ = pipe.take(LONGEST_ANSWER).read_to_end(&mut bytes);
        _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn answer_of(body: &str, limit: Duration) -> Answer {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("fake.py");
        fs::write(&script, body).unwrap();
        let case = Case::parse("vicsek,life,2").unwrap();
        ask(&script, &question(&case, 0.1).unwrap(), limit)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_peer_is_told_the_case_and_answers() {
        let body = "import json, sys\ncase = json.load(sys.stdin)\ncheck = case['check']\n\
            assert case['fractal']['patterns'][0]['replicas'][2] == [1, 1, 0]\n\
            assert len(check['before']) == len(check['after']) == 25 and case['rule']['name'] == 'life'\n\
            print(json.dumps({'name': 'fake', 'seconds_per_step': case['cells'] / 10}))\n";
        assert_eq!(answer_of(body, LONG), Answer { name: "fake".to_owned(), outcome: Ok(2.5) });
    }

    #[test]
    fn peers_that_skip_fail_babble_or_hang_are_reported() {
        let problem = |body: &str, limit| answer_of(body, limit).outcome.unwrap_err();
        assert_eq!(problem("print('{\"name\": \"n\", \"skipped\": \"too large\"}')", LONG), "skipped: too large");
        assert_eq!(problem("raise ValueError('broken')", LONG), "failed (exit status: 1): ValueError: broken");
        assert!(problem("print('hello')", LONG).contains("no JSON"));
        assert!(problem("print('{\"seconds_per_step\": -1}')", LONG).contains("neither"));
        assert!(problem("import time\ntime.sleep(60)", Duration::from_millis(300)).contains("no answer after 0.3 s"));
    }

    #[test]
    fn folders_without_scripts_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        assert!(scripts(folder.path()).unwrap_err().is_users());
        assert!(scripts(&folder.path().join("none")).unwrap_err().is_users());
        fs::write(folder.path().join("b.py"), "").unwrap();
        fs::write(folder.path().join("a.py"), "").unwrap();
        fs::write(folder.path().join("note.txt"), "").unwrap();
        let names: Vec<_> =
            scripts(folder.path()).unwrap().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["a.py", "b.py"]);
    }
}
