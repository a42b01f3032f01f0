//! `bench [CASE...] [--threads N] [--seconds S] [--json] [--layouts] [--cliffs] [--peers DIR] [--saving N] [--observables] [--fields] [--members N] [--ledger] [--wavefronts]`

mod json;
mod ledger;
pub(crate) mod tables;
mod wavefronts;

use super::input;
use super::run::no_activity;
use crate::args::Bench;
use crate::report::{CliError, print};
use squeeze::Backend;
use squeeze::hardware::NamedHardware;
use squeeze::memory::processor_name;
use squeeze::run::{NamedEngine, command_line};
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
    /// Its name, and what makes it a cliff if it is one.
    name: String,
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
pub(crate) fn bench(arguments: &Bench, placed: Vec<&str>) -> Result<(), CliError> {
    if arguments.ledger {
        return ledger::ledger(arguments, head());
    }
    if arguments.wavefronts {
        return wavefronts::wavefronts(arguments, &head());
    }
    let BenchPlan { cases, scripts } = BenchPlan::of(arguments, placed)?;
    is_available(arguments)?;
    let (json, head) = (arguments.json, &head());
    if arguments.cliffs {
        return show(json, head, &cliffs_all(arguments, cases)?, json::rows, tables::rows);
    }
    let all = arguments.threads.unwrap_or(head.threads);
    let threads_of = |case: &Case| if case.takes_threads() { all } else { 1 };
    if let Some(count) = arguments.members {
        return show(json, head, &members_all(arguments, cases, threads_of, count)?, json::crowds, tables::crowds);
    }
    if arguments.layouts {
        let sweeps = each(cases, "layouts", |case| {
            let swept = sweep(case, all, arguments.seconds.unwrap_or(14.0))?;
            // A list takes minutes: results are printed at once, but for programs, which get one object.
            if !json {
                progress_ends();
                print(&tables::swept(case, &swept))?;
            }
            Ok(swept)
        })?;
        return show(json, head, &sweeps, json::sweeps, tables::sweeps);
    }
    if let Some(every) = arguments.saving {
        let seconds = arguments.seconds.unwrap_or(5.0);
        let savings = each(cases, "saving", |case| Ok(saving::measure(case, all, every, seconds, Path::new("."))?))?;
        return show(json, head, &savings, json::savings, tables::savings);
    }
    let seconds = arguments.seconds.unwrap_or(1.0);
    if arguments.observables {
        let observed = each(cases, "observables", |case| Ok(observing::measure(case, threads_of(case), seconds)?))?;
        return show(json, head, &observed, json::observings, tables::observings);
    }
    if arguments.fields {
        let looks = each(cases, "fields", |case| Ok(looking::measure(case, threads_of(case), seconds)?))?;
        return show(json, head, &looks, json::looks, tables::looks);
    }
    let mut rows = Vec::new();
    for case in cases {
        let name = case.name();
        let mut row = CaseRow { case, name, left_out: None, measurements: Vec::new(), answers: Vec::new() };
        for threads in thread_counts(arguments, &row.case, head.threads) {
            progress(&row.case, &format!("{threads} thread(s)"));
            match measure(&row.case, threads, seconds) {
                Ok(measurement) => {
                    let start = start_of(&row.case, &measurement);
                    row.measurements.push((measurement, start));
                }
                // The standard list is made for any machine; a case that was asked for must be answered.
                Err(error) if arguments.cases.is_empty() => row.left_out = Some(error.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
        if row.left_out.is_none() {
            row.answers = ask(&row.case, &scripts, seconds)?;
        }
        rows.push(row);
    }
    progress_ends();
    show(json, head, &rows, json::rows, tables::rows)
}

/// How results are written.
type Writer<T> = fn(&BenchHead, &[T]) -> String;

/// Prints results, as one object or as a table.
fn show<T>(json: bool, head: &BenchHead, results: &[T], object: Writer<T>, table: Writer<T>) -> Result<(), CliError> {
    print(&(if json { object } else { table })(head, results))
}

/// Consistent arguments, and the cases and scripts that they name. Nothing is measured yet.
struct BenchPlan {
    cases: Vec<Case>,
    /// The peers.
    scripts: Vec<PathBuf>,
}

impl BenchPlan {
    /// Checks the arguments, and reads the files that they name.
    fn of(arguments: &Bench, mut placed: Vec<&str>) -> Result<BenchPlan, CliError> {
        if arguments.backend.is_some() {
            placed.extend(["ledger", "wavefronts"]);
            let flags: Vec<String> = placed.iter().map(|flag| format!("--{flag}")).collect();
            return Err(CliError::input(
                format!("--backend has no effect without {}", input::list_or(&flags)),
                "a case names its backend: FRACTAL,RULE,LEVEL,BACKEND",
            ));
        }
        if arguments.cliffs {
            let cases = CLIFFS.iter().map(|cliff| Ok(Case { isa: arguments.isa, ..cliff.case()? }));
            return Ok(BenchPlan { cases: cases.collect::<squeeze::Result<_>>()?, scripts: Vec::new() });
        }
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
        let mut without_levels = cases.iter().filter(|case| case.domain().levels().is_none());
        if let (Some(case), true) = (without_levels.next(), arguments.members.is_some()) {
            let name = &case.fractal.name;
            return Err(CliError::input(
                format!("`{name}` has no levels, one of which would have about as many cells as all members"),
                "`--members` compares members of fractals with a larger level",
            ));
        }
        let scripts = arguments.peers.as_deref().map(peers::scripts).transpose()?.unwrap_or_default();
        Ok(BenchPlan { cases, scripts })
    }
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
        input::suits(machine, &case.fractal, (case.backend, NamedEngine::OWN))?;
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
fn cliffs_all(arguments: &Bench, cases: Vec<Case>) -> Result<Vec<CaseRow>, CliError> {
    let mut rows = Vec::new();
    for (cliff, case) in CLIFFS.iter().zip(cases) {
        progress(&case, cliff.what);
        let (measurement, answer) = measure_beside_numpy(&case, arguments.seconds.unwrap_or(0.5))?;
        let (name, measurements) = (format!("{}: {}", cliff.what, case.name()), vec![(measurement, None)]);
        rows.push(CaseRow { case, name, left_out: None, measurements, answers: vec![answer] });
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

/// Compares `count` members of each case with one run.
fn members_all(
    arguments: &Bench,
    cases: Vec<Case>,
    threads_of: impl Fn(&Case) -> usize,
    count: usize,
) -> Result<Vec<(Case, members::Crowd)>, CliError> {
    let (seconds, every) = (arguments.seconds.unwrap_or(1.0), arguments.observe_every);
    let crowds = each(cases, "members", |case| {
        let mut crowds = Vec::new();
        let plans = match arguments.layouts {
            true => members::layouts(case, count, MOST_LAYOUTS)?.into_iter().map(Some).collect(),
            false => vec![None],
        };
        for plan in plans {
            let what = format!("members {}", plan.as_ref().map(ToString::to_string).unwrap_or_default());
            progress(case, what.lines().next().unwrap_or_default());
            match members::measure(case, count, plan, every, threads_of(case), seconds) {
                // Of several layouts some may be beyond memory or beyond a compiler's patience.
                Err(_) if arguments.layouts => {}
                measured => crowds.push((case.clone(), measured?)),
            }
        }
        Ok(crowds)
    })?;
    Ok(crowds.into_iter().flat_map(|(_, crowds)| crowds).collect())
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    #[test]
    fn a_plan_asks_no_device() {
        let plan = |words: &str| {
            let matches = Bench::augment_args(clap::Command::new("bench")).get_matches_from(words.split(' '));
            BenchPlan::of(&Bench::from_arg_matches(&matches).unwrap(), Vec::new())
        };
        let all = plan("bench vicsek,life,3,cuda T9,8,life,cuda").ok().expect("the arguments are consistent").cases;
        assert_eq!(all.iter().map(Case::name).collect::<Vec<_>>(), ["vicsek,life,3", "torus,life"]);
        assert_eq!(plan("bench --cliffs").ok().expect("they ship").cases.len(), CLIFFS.len());
        assert!(plan("bench vicsek,life,3 --backend cuda").is_err());
        assert!(plan("bench sheet.png,life --members 2").is_err());
    }
}
