//! `bench --ledger`: what each speciality buys.

use super::{BenchHead, progress_ends, progress_of};
use crate::args::Bench;
use crate::report::{CliError, print};
use serde_json::json;
use squeeze::Backend;
use squeeze::compiler::Speciality;
use squeeze::numbers::duration;
use squeeze_bench::ledger::{CaseOutcome, Effect, entries, measure, verdict};

/// The backend whose specialities are measured, and which: those that were named, or all.
struct LedgerPlan {
    backend: Backend,
    of: Vec<Speciality>,
}

impl LedgerPlan {
    /// Reads the names.
    fn of(arguments: &Bench) -> Result<LedgerPlan, CliError> {
        let backend = arguments.backend.unwrap_or(Backend::Cpu);
        let of_backend = |speciality: &Speciality| speciality.is_of(backend == Backend::Cpu);
        let named = |name: &String| {
            let help = || "leave the names out to measure all".to_owned();
            let known = name.parse::<Speciality>().map_err(|error| CliError::input(error.to_string(), help()))?;
            let problem = || format!("the backend `{}` has no speciality `{name}`", backend.name());
            Some(known).filter(of_backend).ok_or_else(|| CliError::input(problem(), help()))
        };
        let named = arguments.cases.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let of = if named.is_empty() { Speciality::ALL.iter().copied().filter(of_backend).collect() } else { named };
        Ok(LedgerPlan { backend, of })
    }
}

/// Measures the cases of a backend that were chosen for these specialities, or for any; fails if results differ.
pub(super) fn ledger(arguments: &Bench, BenchHead { command, device, threads }: BenchHead) -> Result<(), CliError> {
    let LedgerPlan { backend, of } = LedgerPlan::of(arguments)?;
    let usual_threads = if backend == Backend::Cpu { 1 } else { threads };
    let (threads, seconds) = (arguments.threads.unwrap_or(usual_threads), arguments.seconds.unwrap_or(0.3));
    let device = match backend {
        Backend::Cpu => device,
        _ => squeeze::cuda::device_name().map_err(squeeze::Error::from)?,
    };
    if !arguments.json {
        print(&format!(
            "{command}\n{device}, threads of the host: {threads}\n\n\
             | speciality | case | with it | without it | off/on |\n|---|---|---:|---:|---:|\n"
        ))?;
    }
    let mut lines = Vec::new();
    for entry in entries(backend).iter().filter(|entry| entry.specialities.iter().any(|one| of.contains(one))) {
        progress_of(entry.name, "specialities");
        let measured = measure(entry, &of, threads, seconds);
        progress_ends();
        // All of it takes minutes: results are printed at once, but for programs, which get one object.
        if !arguments.json {
            print(&measured.iter().map(row).collect::<String>())?;
        }
        lines.extend(measured);
    }
    print(&if arguments.json {
        as_json(&BenchHead { command, device, threads }, &of, &lines)
    } else {
        verdicts(&of, &lines)
    })?;
    match lines.iter().any(|line| matches!(line.outcome, CaseOutcome::Wrong(_))) {
        true => Err(CliError::Told(false)),
        false => Ok(()),
    }
}

/// A row of the table of all measurements.
fn row(line: &Effect) -> String {
    let Effect { speciality, case, outcome } = line;
    let came = match outcome {
        CaseOutcome::Measured([on, off]) => format!("{} | {} | {:.2}", duration(*on), duration(*off), off / on),
        CaseOutcome::NotReached => "not reached | |".to_owned(),
        CaseOutcome::Wrong(problem) => format!("WRONG: {problem} | |"),
    };
    format!("| {} | {} | {came} |\n", speciality.name(), case.replace(" | ", ": "))
}

/// The table of each speciality's measurements.
fn verdicts(of: &[Speciality], lines: &[Effect]) -> String {
    let mut text = "\n| speciality | what it is | verdict |\n|---|---|---|\n".to_owned();
    for speciality in of {
        let verdict = verdict(of_one(lines, *speciality));
        text.push_str(&format!("| {} | {} | {verdict} |\n", speciality.name(), speciality.about()));
    }
    text
}

/// One object. Times are in seconds.
fn as_json(BenchHead { command, device, threads }: &BenchHead, of: &[Speciality], lines: &[Effect]) -> String {
    let line = |line: &Effect| {
        let times = match line.outcome {
            CaseOutcome::Measured(times) => Some(times),
            CaseOutcome::NotReached | CaseOutcome::Wrong(_) => None,
        };
        let problem = match &line.outcome {
            CaseOutcome::Wrong(problem) => Some(problem),
            CaseOutcome::NotReached | CaseOutcome::Measured(_) => None,
        };
        json!({
            "case": line.case,
            "reached": line.outcome != CaseOutcome::NotReached,
            "seconds_with": times.map(|[on, _]| on),
            "seconds_without": times.map(|[_, off]| off),
            "ratio": line.outcome.ratio(),
            "problem": problem,
        })
    };
    let speciality = |speciality: &Speciality| {
        json!({
            "speciality": speciality.name(),
            "about": speciality.about(),
            "verdict": verdict(of_one(lines, *speciality)),
            "cases": of_one(lines, *speciality).map(line).collect::<Vec<_>>(),
        })
    };
    let ledger: Vec<_> = of.iter().map(speciality).collect();
    format!("{}\n", json!({"command": command, "device": device, "threads": threads, "ledger": ledger}))
}

fn of_one(lines: &[Effect], speciality: Speciality) -> impl Iterator<Item = &Effect> {
    lines.iter().filter(move |line| line.speciality == speciality)
}
