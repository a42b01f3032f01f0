//! Feeds mutated inputs to everything that reads a format; `cargo xtask fuzz` runs it. Status 1 if an input did harm.

use squeeze_tests::fuzz::parent::{Campaign, run};
use squeeze_tests::fuzz::worker::{Work, feed_one, work};
use squeeze_tests::fuzz::{NAMES, memory};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

const USAGE: &str =
    "usage: fuzz [--target NAME]... [--seconds S] [--inputs N] [--seed N] [--first N] [--jobs N] [--findings FOLDER]
       fuzz --target NAME --file FILE";

fn main() -> ExitCode {
    match arguments(std::env::args().skip(1)) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}\n{USAGE}\ntargets: {}", NAMES.join(" "));
            ExitCode::from(2)
        }
    }
}

fn arguments(mut words: impl Iterator<Item = String>) -> Result<ExitCode, String> {
    let (mut targets, mut file, mut worker, mut progress) = (Vec::new(), None, None, None);
    let (mut seed, mut first, mut inputs, mut seconds) = (0, 0, None, None);
    let mut jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut findings = squeeze_tests::root().join("target/fuzz");
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} lacks its value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("{word} {value}: {error}"));
        match word.as_str() {
            "--target" => targets.push(value),
            "--file" => file = Some(value),
            "--worker" => worker = Some(value),
            "--progress" => progress = Some(PathBuf::from(value)),
            "--seed" => seed = number()?,
            "--first" => first = number()?,
            "--inputs" => inputs = Some(number()?),
            "--seconds" => {
                let value = value.parse::<f64>().map_err(|error| format!("{word} {value}: {error}"))?;
                seconds = Some(Duration::try_from_secs_f64(value).map_err(|error| error.to_string())?);
            }
            "--jobs" => jobs = number()? as usize,
            "--findings" => findings = PathBuf::from(value),
            _ => return Err(format!("{word} is not known")),
        }
    }
    if let Some(unknown) = targets.iter().chain(&worker).find(|name| !NAMES.contains(&name.as_str())) {
        return Err(format!("there is no target {unknown}"));
    }
    if let (Some(target), Some(progress)) = (worker, progress) {
        return Ok(work(&Work { target, seed, first, inputs, time: seconds }, &progress));
    }
    if let Some(file) = file {
        let [target] = targets.as_slice() else { return Err("--file needs one --target".to_owned()) };
        let input = std::fs::read(&file).map_err(|error| format!("{file}: {error}"))?;
        return Ok(feed_one(target, &input));
    }
    if targets.is_empty() {
        targets = NAMES.iter().filter(|name| !name.starts_with("harm-")).map(|name| (*name).to_owned()).collect();
    }
    if inputs.is_none() && seconds.is_none() {
        seconds = Some(Duration::from_secs(60));
    }
    let campaign = Campaign { targets, seed, first, inputs, time: seconds, workers: jobs, findings };
    Ok(if run(&campaign) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
