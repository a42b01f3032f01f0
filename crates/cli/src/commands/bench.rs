//! `bench [CASE...] [--threads N] [--seconds S] [--json] [--layouts] [--cliffs] [--strategies] [--peers DIR] [--saving N] [--observables] [--members N] [--encodings] [--overlap] [--ledger]`

#[cfg(feature = "packing")]
mod encodings;
mod json;
mod ledger;
#[cfg(feature = "overlap")]
pub(super) mod overlap;
mod strategies;
mod tables;

use super::input;
use super::run::no_activity;
use crate::args::Bench;
use crate::report::{Failure, print};
use squeeze::memory::processor_name;
use squeeze::{Backend, StrategyChoice};
use squeeze_bench::cliffs::{CLIFFS, measure_beside_numpy};
use squeeze_bench::peers::{self, Answer};
use squeeze_bench::sweep::{Sweep, sweep};
use squeeze_bench::{Case, Measurement, STANDARD, SWEPT, measure, start};
use squeeze_bench::{members, observing, saving};
use squeeze_papers::strategies::{COMPARED, Way, compare};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What one case came to.
struct Row {
    case: Case,
    /// Why it was left out, if it was; only cases that nobody named can be.
    left_out: Option<String>,
    /// One for each number of threads, each with the seconds from the command's start to the first pass's end.
    measurements: Vec<(Measurement, Option<f64>)>,
    answers: Vec<Answer>,
}

/// Where and how all this was measured.
struct Head {
    command: String,
    device: String,
    /// What the machine runs at once.
    threads: usize,
}

/// Measures, and prints what came of it.
pub(super) fn bench(arguments: &Bench) -> Result<(), Failure> {
    #[cfg(feature = "packing")]
    if arguments.encodings {
        return encodings::encodings(arguments, &head());
    }
    if arguments.ledger {
        let Head { command, device, threads } = head();
        let progress = |name: Option<&str>| name.map_or_else(progress_ends, |name| progress_of(name, "specialities"));
        return ledger::ledger(arguments, (&command, &device, threads), progress);
    }
    let flags: &[(&str, bool)] = &[
        ("--backend", arguments.backend.is_some()),
        #[cfg(feature = "packing")]
        ("--places", arguments.places.is_some()),
        #[cfg(feature = "packing")]
        ("--out", arguments.out.is_some()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        let help = "a case names its backend: FRACTAL,RULE,LEVEL,BACKEND";
        let needed = match *flag {
            "--backend" if cfg!(all(feature = "overlap", feature = "packing")) => "--encodings, --overlap or --ledger",
            "--backend" => "--ledger",
            _ => "--encodings",
        };
        return Err(Failure::Input(format!("{flag} has no effect without {needed}"), help.to_owned()));
    }
    if arguments.cliffs {
        let rows = cliffs_all(arguments)?;
        let head = head();
        return print(&if arguments.json { json::rows(&head, &rows) } else { tables::cliffs(&head, &rows) });
    }
    let named = !arguments.cases.is_empty();
    let list: Vec<&str> = match (named, arguments.layouts) {
        (false, _) if arguments.strategies => COMPARED.to_vec(),
        (true, _) => arguments.cases.iter().map(String::as_str).collect(),
        (false, true) => SWEPT.to_vec(),
        (false, false) => STANDARD.to_vec(),
    };
    // All mistakes are found before the first measurement.
    let machine = arguments.planned.open()?;
    let hardware = machine.as_ref().map(|machine| &machine.hardware);
    let case = |text| {
        Case::with_edges(text, &arguments.edges.wanted()).map(|case| Case {
            isa: arguments.isa,
            activity: arguments.activity.unwrap_or(false),
            packed: arguments.packed,
            at_once: arguments.at_once,
            hardware: hardware.cloned(),
            ..case
        })
    };
    let cases = list.into_iter().map(case).collect::<Result<Vec<_>, _>>()?;
    if let (Some(machine), true) = (&machine, arguments.strategies) {
        let message = format!("`--machine {}` has no effect: strategies of the papers have no layouts", machine.name);
        return Err(Failure::Input(message, "leave out `--machine`".to_owned()));
    }
    for case in &cases {
        if arguments.packed {
            input::packs(&case.fractal, &case.name(), case.backend)?;
        }
        input::has_layouts(&case.fractal, machine.as_ref(), None)?;
        machine.iter().try_for_each(|machine| machine.check(case.backend))?;
    }
    if let Some(case) = cases.iter().find(|case| case.domain().levels().is_none())
        && (arguments.peers.is_some() || arguments.strategies || arguments.layouts)
    {
        let flag = if arguments.strategies {
            "--strategies"
        } else if arguments.layouts {
            "--layouts"
        } else {
            "--peers"
        };
        return Err(input::takes_fractals(&case.fractal_spec, flag));
    }
    if let Some(case) = cases.iter().find(|case| case.domain().periodic().any() || !case.fractal.edges.is_empty())
        && (arguments.peers.is_some() || arguments.strategies)
    {
        let flag = if arguments.strategies { "--strategies" } else { "--peers" };
        return Err(Failure::Input(
            format!(
                "`{}` has edges of its own, and what `{flag}` compares with knows none but open ones",
                case.fractal_spec
            ),
            format!("leave out `{flag}`, or take a fractal with open edges"),
        ));
    }
    if arguments.activity.is_some() {
        if arguments.strategies {
            return Err(no_activity("what `--strategies` compares"));
        }
        if cases.iter().any(|case| case.backend == Backend::Reference) {
            return Err(no_activity("the backend `reference`"));
        }
    }
    if let Some(isa) = arguments.isa.filter(|isa| !isa.is_available()) {
        return Err(squeeze::Error::from(squeeze::engine::EngineError::NoIsa(isa)).into());
    }
    let scripts = arguments.peers.as_deref().map(peers::scripts).transpose()?.unwrap_or_default();
    let head = head();
    if arguments.strategies {
        let compared = compare_all(arguments, cases)?;
        let head = Head { device: squeeze::cuda::device_name().map_err(squeeze::Error::from)?, ..head };
        return print(&if arguments.json {
            strategies::as_json(&head, &compared)
        } else {
            strategies::tables(&head, &compared)
        });
    }
    if arguments.layouts && arguments.members.is_none() {
        let sweeps = sweep_all(arguments, cases, head.threads)?;
        return print(&if arguments.json { json::sweeps(&head, &sweeps) } else { tables::sweeps(&head, &sweeps) });
    }
    if let Some(every) = arguments.saving {
        let savings = save_all(arguments, cases, head.threads, every)?;
        return print(&if arguments.json { json::savings(&head, &savings) } else { tables::savings(&head, &savings) });
    }
    if arguments.observables {
        let observed = observe_all(arguments, cases, head.threads)?;
        return print(&if arguments.json {
            json::observings(&head, &observed)
        } else {
            tables::observings(&head, &observed)
        });
    }
    if let Some(count) = arguments.members {
        if let Some(case) = cases.iter().find(|case| case.domain().levels().is_none()) {
            let name = &case.fractal.name;
            return Err(Failure::Input(
                format!("`{name}` has no levels, one of which would have about as many cells as all members"),
                "`--members` compares members of fractals with a larger level".to_owned(),
            ));
        }
        let crowds = members_all(arguments, cases, head.threads, count)?;
        return print(&if arguments.json { json::crowds(&head, &crowds) } else { tables::crowds(&head, &crowds) });
    }
    let seconds = arguments.seconds.unwrap_or(1.0);
    let mut rows = Vec::new();
    for case in cases {
        let mut row = Row { case, left_out: None, measurements: Vec::new(), answers: Vec::new() };
        for threads in thread_counts(arguments, &row.case, head.threads) {
            progress(&row.case, &format!("{threads} thread(s)"));
            match measure(&row.case, threads, seconds) {
                Ok(measurement) => {
                    let start = start_of(&row.case, &measurement);
                    row.measurements.push((measurement, start));
                }
                // The standard list is made for any machine; what somebody asked for must be answered.
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

/// Measures all cliffs beside numpy.
fn cliffs_all(arguments: &Bench) -> Result<Vec<Row>, Failure> {
    if let Some(isa) = arguments.isa.filter(|isa| !isa.is_available()) {
        return Err(squeeze::Error::from(squeeze::engine::EngineError::NoIsa(isa)).into());
    }
    let mut rows = Vec::new();
    for cliff in CLIFFS {
        let case = Case { isa: arguments.isa, ..cliff.case()? };
        progress(&case, cliff.what);
        let (measurement, answer) = measure_beside_numpy(&case, arguments.seconds.unwrap_or(0.5))?;
        rows.push(Row { case, left_out: None, measurements: vec![(measurement, None)], answers: vec![answer] });
    }
    progress_ends();
    Ok(rows)
}

fn head() -> Head {
    Head {
        command: std::iter::once("squeeze".to_owned()).chain(std::env::args().skip(1)).collect::<Vec<_>>().join(" "),
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
    start(&std::env::current_exe().ok()?, case, measurement.threads, measurement.at_once)
}

fn ask(case: &Case, scripts: &[PathBuf], seconds: f64) -> Result<Vec<Answer>, Failure> {
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

fn sweep_all(arguments: &Bench, cases: Vec<Case>, all: usize) -> Result<Vec<(Case, Sweep)>, Failure> {
    let mut sweeps = Vec::new();
    for case in cases {
        let threads = arguments.threads.unwrap_or(all);
        progress(&case, "layouts");
        let swept = sweep(&case, threads, arguments.seconds.unwrap_or(14.0))?;
        // A list takes minutes: what is known is said at once, but to programs, which get one object.
        if !arguments.json {
            progress_ends();
            print(&tables::swept(&case, &swept))?;
        }
        sweeps.push((case, swept));
    }
    progress_ends();
    Ok(sweeps)
}

/// Compares the strategies of every case, all of them on the GPU.
fn compare_all(arguments: &Bench, cases: Vec<Case>) -> Result<Vec<(Case, Vec<Way>)>, Failure> {
    let mut compared = Vec::new();
    for case in cases {
        let case = Case { backend: Backend::Cuda, ..case };
        let begin =
            |strategy_choice: &StrategyChoice| progress(&case, strategy_choice.strategy.unwrap_or_default().name());
        let ways = compare(&case, arguments.seconds.unwrap_or(0.2), begin)?;
        compared.push((case, ways));
    }
    progress_ends();
    Ok(compared)
}

fn save_all(
    arguments: &Bench,
    cases: Vec<Case>,
    all: usize,
    every: u32,
) -> Result<Vec<(Case, saving::Saving)>, Failure> {
    let mut savings = Vec::new();
    for case in cases {
        let threads = arguments.threads.unwrap_or(all);
        progress(&case, "saving");
        let seconds = arguments.seconds.unwrap_or(5.0);
        let measured = saving::measure(&case, threads, every, seconds, Path::new("."))?;
        savings.push((case, measured));
    }
    progress_ends();
    Ok(savings)
}

/// Measures what the observables of every case cost.
fn observe_all(arguments: &Bench, cases: Vec<Case>, all: usize) -> Result<Vec<(Case, observing::Observing)>, Failure> {
    let mut observed = Vec::new();
    for case in cases {
        let threads = if case.takes_threads() { arguments.threads.unwrap_or(all) } else { 1 };
        progress(&case, "observables");
        let measured = observing::measure(&case, threads, arguments.seconds.unwrap_or(1.0))?;
        observed.push((case, measured));
    }
    progress_ends();
    Ok(observed)
}

/// The most layouts that are compared, of members as lanes and of members one after the other.
const MOST_LAYOUTS: usize = 6;

/// Compares `members` members of each case with one run.
fn members_all(
    arguments: &Bench,
    cases: Vec<Case>,
    all: usize,
    count: usize,
) -> Result<Vec<(Case, members::Crowd)>, Failure> {
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

/// Tells somebody who waits what is being measured; nobody else.
fn progress(case: &Case, what: &str) {
    progress_of(&case.name(), what);
}

/// As [`progress`], of what is no case.
fn progress_of(name: &str, what: &str) {
    if std::io::stderr().is_terminal() {
        _ = write!(std::io::stderr(), "\r\x1b[Kmeasuring {name}: {what}");
    }
}

fn progress_ends() {
    if std::io::stderr().is_terminal() {
        _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
