//! Many trials: processes that compare, so that a crash of one is a finding, and a count of who ran how many programs.

use super::executors::{Wanted, executors};
use super::{Size, Trial, compare, shrink};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Which trials.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the random numbers begin.
    pub seed: u64,
    /// The number of the first program, and the one after the last.
    pub programs: std::ops::Range<u64>,
    /// The trial of a seed and a number.
    pub trial: fn(u64, u64, Size) -> Option<Trial>,
    /// How large domains are.
    pub size: Size,
    /// The executors that take part.
    pub wanted: Wanted,
    /// In seconds since 1970, the time from which on no further program is begun.
    pub end: Option<u64>,
}

impl Plan {
    fn is_over(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        self.end.is_some_and(|end| now >= end)
    }
}

/// A trial that takes longer never ends.
const LONGEST: Duration = Duration::from_secs(300);
/// How long a finding is made smaller.
const SHRINKING: Duration = Duration::from_secs(120);
/// Findings after which there is enough to mend.
const MOST_FINDINGS: usize = 20;

/// Compares every `of`-th program from the `first` on, writes the number of each into a file before, and counts on standard output.
///
/// # Panics
/// If the file cannot be written.
pub fn work(plan: &Plan, first: u64, of: u64, progress: &Path) -> ExitCode {
    let progress = File::create(progress).expect("the file of progress can be made");
    // The message of a panic is part of the finding, and not printed here.
    std::panic::set_hook(Box::new(|_| {}));
    let begun = watch();
    let compare = |trial: &Trial, number: u64| {
        *begun.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        compare(trial, &executors(trial, number, plan.wanted))
    };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut findings = 0;
    let mut number = first;
    while number < plan.programs.end && findings < MOST_FINDINGS && !plan.is_over() {
        progress.write_all_at(&number.to_le_bytes(), 0).expect("the progress can be written");
        if let Some(trial) = (plan.trial)(plan.seed, number, plan.size) {
            let found = compare(&trial, number);
            *counts.entry("programs".to_owned()).or_default() += u64::from(found.ran.len() > 1);
            found.ran.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
            if let Some((name, difference)) = found.difference {
                findings += 1;
                println!("finding {number}: {name}: {difference}\n{trial}");
                let still = |trial: &Trial| compare(trial, number).difference.is_some();
                let small = shrink(&trial, &mut { still }, SHRINKING);
                let found = compare(&small, number);
                let (name, difference) = found.difference.unwrap_or_default();
                println!("reduced to: {name}: {difference}\n{small}");
            }
        }
        number += of;
    }
    for (name, count) in counts {
        println!("count {count} {name}");
    }
    // A reader that is gone needs no counts.
    _ = std::io::stdout().flush();
    ExitCode::SUCCESS
}

/// Ends the process when a trial does not: when the time that is given back is too long ago.
fn watch() -> Arc<Mutex<Instant>> {
    let begun = Arc::new(Mutex::new(Instant::now()));
    let watched = Arc::clone(&begun);
    std::thread::spawn(move || {
        while watched.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < LONGEST {
            std::thread::sleep(Duration::from_secs(1));
        }
        eprintln!("a program did not end within {LONGEST:?}");
        std::process::exit(4);
    });
    begun
}

/// Compares all programs in `jobs` processes, and prints the findings. Gives the number of findings.
///
/// # Panics
/// If a process cannot be started, or the folder for their progress cannot be made.
pub fn run(plan: &Plan, jobs: u64, arguments: &[String]) -> usize {
    let start = Instant::now();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let results: Vec<(usize, BTreeMap<String, u64>)> = std::thread::scope(|scope| {
        let folder = folder.path();
        let one = |job: u64| scope.spawn(move || one(plan, job, jobs, folder, arguments));
        let workers: Vec<_> = (0..jobs).map(one).collect();
        workers.into_iter().map(|worker| worker.join().expect("no worker panics")).collect()
    });
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (name, count) in results.iter().flat_map(|(_, counts)| counts) {
        *counts.entry(name.clone()).or_default() += count;
    }
    let findings = results.iter().map(|(findings, _)| findings).sum();
    let programs = counts.remove("programs").unwrap_or(0);
    for (name, count) in counts {
        println!("{count:9} by {name}");
    }
    let time = start.elapsed().as_secs_f64();
    println!("{programs} programs of seed {} compared in {time:.0} s, {findings} differences", plan.seed);
    findings
}

/// One process after the other, until its programs are over: after a crash with the next program.
fn one(plan: &Plan, job: u64, jobs: u64, folder: &Path, arguments: &[String]) -> (usize, BTreeMap<String, u64>) {
    let (mut first, mut findings, mut counts) = (plan.programs.start + job, 0, BTreeMap::new());
    let progress: PathBuf = folder.join(job.to_string());
    while first < plan.programs.end && findings < MOST_FINDINGS && !plan.is_over() {
        // In pieces, so that a crash does not lose all counts.
        let end = (first + 500 * jobs).min(plan.programs.end);
        let mut command = Command::new(std::env::current_exe().expect("a program knows where it is"));
        command.args(arguments).args(["--from", &first.to_string(), "--until", &end.to_string()]);
        command.args(["--of", &jobs.to_string(), "--progress"]).arg(&progress);
        command.args(plan.end.iter().flat_map(|end| ["--end".to_owned(), end.to_string()]));
        // Thousands of kernels that are run once would only fill the user's cache; what all simulations share is compiled once.
        command.env("SQUEEZE_CACHE", folder.join("cache")).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the process starts");
        for line in BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok) {
            match line.strip_prefix("count ").and_then(|line| line.split_once(' ')) {
                Some((count, name)) => *counts.entry(name.to_owned()).or_insert(0) += count.parse().unwrap_or(0),
                None => {
                    findings += usize::from(line.starts_with("finding "));
                    println!("{line}");
                }
            }
        }
        let status = child.wait().expect("the process can be waited for");
        if status.success() {
            first += (end - first).div_ceil(jobs) * jobs;
            continue;
        }
        findings += 1;
        let number = fs::read(&progress).ok().and_then(|bytes| Some(u64::from_le_bytes(*bytes.first_chunk()?)));
        let Some(number) = number else {
            println!("finding: the process does not start: {status}");
            break;
        };
        let trial = (plan.trial)(plan.seed, number, plan.size).map_or(String::new(), |trial| trial.to_string());
        println!("finding {number}: the process ended with {status}\n{trial}");
        first = number + jobs;
    }
    (findings, counts)
}
