//! `bench [CASE...] [--threads N] [--seconds S] [--json] [--layouts] [--cliffs] [--peers DIR] [--saving N] [--observables] [--fields] [--members N] [--ledger]`

mod json;
mod ledger;
pub(crate) mod tables;

use super::input;
use super::run::no_activity;
use crate::args::Bench;
use crate::report::{CliError, print};
use squeeze::Backend;
use squeeze::hardware::NamedHardware;
use squeeze::memory::processor_name;
use squeeze::run::command_line;
use squeeze_bench::cliffs::{CLIFFS, measure_beside_numpy};
use squeeze_bench::peers::{self, Answer};
use squeeze_bench::sweep::sweep;
use squeeze_bench::{Case, Measurement, STANDARD, SWEPT, measure, start};
use squeeze_bench::{looking, members, observing, saving};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The results of one case.
struct CaseRow {
    case: Case,
    /// Why it was left out, if it was; only cases of the standard list can be.
    left_out: Option<String>,
    /// One for each number of threads, each with the seconds from the command's start to the first pass's end.
    measurements: Vec<(Measurement, Option<f64>)>,
    answers: Vec<Answer>,
}

/// The command line and the machine of all measurements.
pub(crate) struct BenchHead {
    /// The command line.
    pub command: String,
    /// The processor.
    pub device: String,
    /// The threads that the machine runs at once.
    pub threads: usize,
}

/// Measures, and prints the results. `placed` are the flags of others that go with `--backend`.
pub(crate) fn bench(arguments: &Bench, mut placed: Vec<&str>) -> Result<(), CliError> {
    if arguments.ledger {
        return ledger::ledger(arguments, head());
    }
    if arguments.backend.is_some() {
        placed.push("ledger");
        let flags: Vec<String> = placed.iter().map(|flag| format!("--{flag}")).collect();
        return Err(CliError::input(
            format!("--backend has no effect without {}", input::list_or(&flags)),
            "a case names its backend: FRACTAL,RULE,LEVEL,BACKEND",
        ));
    }
    if arguments.cliffs {
        let rows = cliffs_all(arguments)?;
        let head = head();
        return print(&if arguments.json { json::rows(&head, &rows) } else { tables::cliffs(&head, &rows) });
    }
    let named = !arguments.cases.is_empty();
    // All mistakes are found before the first measurement.
    let machine = arguments.planned.open()?;
    let cases = cases(arguments, if arguments.layouts { &SWEPT } else { &STANDARD }, machine.as_ref())?;
    if arguments.layouts || arguments.peers.is_some() {
        have_levels(&cases, if arguments.layouts { "--layouts" } else { "--peers" })?;
    }
    if arguments.peers.is_some() {
        have_open_edges(&cases, "--peers")?;
    }
    if arguments.activity.is_some() && cases.iter().any(|case| case.backend == Backend::Reference) {
        return Err(no_activity("the backend `reference`"));
    }
    is_available(arguments)?;
    let scripts = arguments.peers.as_deref().map(peers::scripts).transpose()?.unwrap_or_default();
    let head = head();
    let all = arguments.threads.unwrap_or(head.threads);
    let threads_of = |case: &Case| if case.takes_threads() { all } else { 1 };
    if arguments.layouts && arguments.members.is_none() {
        let sweeps = each(cases, "layouts", |case| {
            let swept = sweep(case, all, arguments.seconds.unwrap_or(14.0))?;
            // A list takes minutes: results are printed at once, but for programs, which get one object.
            if !arguments.json {
                progress_ends();
                print(&tables::swept(case, &swept))?;
            }
            Ok(swept)
        })?;
        return print(&if arguments.json { json::sweeps(&head, &sweeps) } else { tables::sweeps(&head, &sweeps) });
    }
    if let Some(every) = arguments.saving {
        let seconds = arguments.seconds.unwrap_or(5.0);
        let savings = each(cases, "saving", |case| Ok(saving::measure(case, all, every, seconds, Path::new("."))?))?;
        return print(&if arguments.json { json::savings(&head, &savings) } else { tables::savings(&head, &savings) });
    }
    let seconds = arguments.seconds.unwrap_or(1.0);
    if arguments.observables {
        let observed = each(cases, "observables", |case| Ok(observing::measure(case, threads_of(case), seconds)?))?;
        return print(&if arguments.json {
            json::observings(&head, &observed)
        } else {
            tables::observings(&head, &observed)
        });
    }
    if arguments.fields {
        let looks = each(cases, "fields", |case| Ok(looking::measure(case, threads_of(case), seconds)?))?;
        return print(&if arguments.json { json::looks(&head, &looks) } else { tables::looks(&head, &looks) });
    }
    if let Some(count) = arguments.members {
        if let Some(case) = cases.iter().find(|case| case.domain().levels().is_none()) {
            let name = &case.fractal.name;
            return Err(CliError::input(
                format!("`{name}` has no levels, one of which would have about as many cells as all members"),
                "`--members` compares members of fractals with a larger level",
            ));
        }
        let crowds = members_all(arguments, cases, head.threads, count)?;
        return print(&if arguments.json { json::crowds(&head, &crowds) } else { tables::crowds(&head, &crowds) });
    }
    let mut rows = Vec::new();
    for case in cases {
        let mut row = CaseRow { case, left_out: None, measurements: Vec::new(), answers: Vec::new() };
        for threads in thread_counts(arguments, &row.case, head.threads) {
            progress(&row.case, &format!("{threads} thread(s)"));
            match measure(&row.case, threads, seconds) {
                Ok(measurement) => {
                    let start = start_of(&row.case, &measurement);
                    row.measurements.push((measurement, start));
                }
                // The standard list is made for any machine; a case that was asked for must be answered.
                Err(error) if !named => row.left_out = Some(error.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
        if row.left_out.is_none() {
            row.answers = ask(&row.case, &scripts, seconds)?;
        }
        rows.push(row);
    }
    progress_ends();
    print(&if arguments.json { json::rows(&head, &rows) } else { tables::rows(&head, &rows) })
}

/// The cases that were named, or else those of a list, with what was said of all of them.
pub(crate) fn cases(arguments: &Bench, usual: &[&str], machine: Option<&NamedHardware>) -> Result<Vec<Case>, CliError> {
    let case = |text: &str| {
        Case::with_edges(text, &arguments.edges.wanted()).map(|case| Case {
            isa: arguments.isa,
            activity: arguments.activity.unwrap_or(false),
            packed: arguments.packed,
            at_once: arguments.at_once,
            hardware: machine.map(|machine| machine.hardware.clone()),
            ..case
        })
    };
    let named = arguments.cases.iter().map(String::as_str);
    let usual = usual.iter().copied().filter(|_| arguments.cases.is_empty());
    let cases = named.chain(usual).map(case).collect::<Result<Vec<_>, _>>()?;
    for case in &cases {
        if arguments.packed {
            input::packs(&case.fractal, &case.name(), case.backend)?;
        }
        input::has_layouts(&case.fractal, machine, None)?;
        machine.iter().try_for_each(|machine| machine.check(case.backend))?;
    }
    Ok(cases)
}

/// Refuses masks and boxes where a flag compares levels.
pub(crate) fn have_levels(cases: &[Case], flag: &str) -> Result<(), CliError> {
    let mask = cases.iter().find(|case| case.domain().levels().is_none());
    mask.map_or(Ok(()), |case| Err(input::takes_fractals(&case.fractal_spec, flag)))
}

/// Refuses cases with edges of their own for a flag whose peers know none but open ones.
pub(crate) fn have_open_edges(cases: &[Case], flag: &str) -> Result<(), CliError> {
    let own = cases.iter().find(|case| case.domain().periodic().any() || !case.fractal.edges.is_empty());
    own.map_or(Ok(()), |case| {
        Err(CliError::input(
            format!(
                "`{}` has edges of its own, and what `{flag}` compares with knows none but open ones",
                case.fractal_spec
            ),
            format!("leave out `{flag}`, or take a fractal with open edges"),
        ))
    })
}

/// Refuses an instruction set that the processor lacks.
pub(crate) fn is_available(arguments: &Bench) -> Result<(), CliError> {
    match arguments.isa.filter(|isa| !isa.is_available()) {
        Some(isa) => Err(squeeze::Error::from(squeeze::engine::EngineError::NoIsa(isa)).into()),
        None => Ok(()),
    }
}

/// Measures all cliffs beside numpy.
fn cliffs_all(arguments: &Bench) -> Result<Vec<CaseRow>, CliError> {
    is_available(arguments)?;
    let mut rows = Vec::new();
    for cliff in CLIFFS {
        let case = Case { isa: arguments.isa, ..cliff.case()? };
        progress(&case, cliff.what);
        let (measurement, answer) = measure_beside_numpy(&case, arguments.seconds.unwrap_or(0.5))?;
        rows.push(CaseRow { case, left_out: None, measurements: vec![(measurement, None)], answers: vec![answer] });
    }
    progress_ends();
    Ok(rows)
}

/// This command on this machine.
pub(crate) fn head() -> BenchHead {
    BenchHead {
        command: std::iter::once("squeeze".to_owned())
            .chain(command_line().into_iter().skip(1))
            .collect::<Vec<_>>()
            .join(" "),
        device: processor_name(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// One, and all that the machine runs at once, unless a number was asked for.
fn thread_counts(arguments: &Bench, case: &Case, all: usize) -> Vec<usize> {
    match arguments.threads {
        _ if !case.takes_threads() => vec![1],
        Some(threads) => vec![threads],
        None if all == 1 => vec![1],
        None => vec![1, all],
    }
}

fn start_of(case: &Case, measurement: &Measurement) -> Option<f64> {
    // `run` takes the best instruction set.
    if case.isa.is_some() {
        return None;
    }
    // Another program may have brought the command along: how that starts is of no interest.
    let program = std::env::current_exe().ok().filter(|path| path.file_stem().is_some_and(|name| name == "squeeze"))?;
    start(&program, case, measurement.threads, measurement.at_once)
}

fn ask(case: &Case, scripts: &[PathBuf], seconds: f64) -> Result<Vec<Answer>, CliError> {
    if scripts.is_empty() {
        return Ok(Vec::new());
    }
    let question = peers::question(case, seconds)?;
    let answers = scripts.iter().map(|script| {
        progress(case, &script.display().to_string());
        peers::ask(script, &question, peers::TIME_LIMIT)
    });
    Ok(answers.collect())
}

/// The measurement of each case.
fn each<T>(
    cases: Vec<Case>,
    what: &str,
    measure: impl Fn(&Case) -> Result<T, CliError>,
) -> Result<Vec<(Case, T)>, CliError> {
    let measured = cases.into_iter().map(|case| {
        progress(&case, what);
        let measured = measure(&case);
        progress_ends();
        Ok((case, measured?))
    });
    measured.collect()
}

/// The most layouts that are compared, of members as lanes and of members one after the other.
const MOST_LAYOUTS: usize = 6;

/// Compares `members` members of each case with one run.
fn members_all(
    arguments: &Bench,
    cases: Vec<Case>,
    all: usize,
    count: usize,
) -> Result<Vec<(Case, members::Crowd)>, CliError> {
    let mut crowds = Vec::new();
    for case in cases {
        let threads = if case.takes_threads() { arguments.threads.unwrap_or(all) } else { 1 };
        progress(&case, "members");
        let seconds = arguments.seconds.unwrap_or(1.0);
        let plans = match arguments.layouts {
            true => members::layouts(&case, count, MOST_LAYOUTS)?.into_iter().map(Some).collect(),
            false => vec![None],
        };
        for plan in plans {
            let what = format!("members {}", plan.as_ref().map(ToString::to_string).unwrap_or_default());
            progress(&case, what.lines().next().unwrap_or_default());
            match members::measure(&case, count, plan, arguments.observe_every, threads, seconds) {
                // Of several layouts some may be beyond memory or beyond a compiler's patience.
                Err(_) if arguments.layouts => {}
                measured => crowds.push((case.clone(), measured?)),
            }
        }
    }
    progress_ends();
    Ok(crowds)
}

/// Shows on a terminal what is being measured.
pub(crate) fn progress(case: &Case, what: &str) {
    progress_of(&case.name(), what);
}

/// As [`progress`], of what is no case.
pub(crate) fn progress_of(name: &str, what: &str) {
    if std::io::stderr().is_terminal() {
        _ = write!(std::io::stderr(), "\r\x1b[Kmeasuring {name}: {what}");
    }
}

/// Takes the last of it away.
pub(crate) fn progress_ends() {
    if std::io::stderr().is_terminal() {
        _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
