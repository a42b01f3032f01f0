//! Shares cases out over processes, so that a crash of one is a finding, and counts by which roads they went.

use super::roads::{all, taken};
use super::{Case, Found};
use squeeze::cuda;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Which cases, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Their parts.
    pub parts: Vec<&'static str>,
    /// The cases, with their numbers among all of these parts.
    pub cases: Vec<(usize, Case)>,
    /// Processes at once.
    pub jobs: usize,
    /// Whether each road must be taken.
    pub all_roads: bool,
    /// Whether cases are those with specialities switched off.
    pub off: bool,
    /// Where the names of a few cases go that take all roads.
    pub cover: Option<PathBuf>,
}

/// Runs one case, tells on standard output what was found and which roads it took, and whether nothing differs.
pub fn one(case: &Case, threads: usize) -> bool {
    _ = cuda::trace();
    let began = Instant::now();
    let found = case.compare(threads);
    let taken = taken(&cuda::trace());
    let mut lines = String::new();
    for road in taken {
        _ = writeln!(lines, "road {road}");
    }
    let seconds = began.elapsed().as_secs_f64();
    let (word, what) = match &found {
        Found::Same => ("same", String::new()),
        Found::NoKernel => ("none", String::new()),
        Found::Differs(what) => ("differs", what.replace('\n', " ")),
    };
    _ = writeln!(lines, "{word} {seconds:.2} {what}");
    print!("{lines}");
    _ = std::io::stdout().flush();
    !matches!(found, Found::Differs(_))
}

/// Runs the cases whose numbers come on standard input, one after the other.
pub fn serve(cases: &[Case], threads: usize) {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let Some(case) = line.trim().parse().ok().and_then(|number: usize| cases.get(number)) else { return };
        one(case, threads);
    }
}

/// A process that runs cases.
struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn begin(plan: &Plan, kernels: &Path) -> Worker {
        let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
        command
            .args(&plan.parts)
            .args(plan.off.then_some("--off"))
            .arg("--serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if std::env::var_os("SQUEEZE_CACHE").is_none() {
            command.env("SQUEEZE_CACHE", kernels);
        }
        let mut child = command.spawn().expect("this program can be started again");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, output) = (input.expect("it is piped"), BufReader::new(output.expect("it is piped")));
        Worker { child, input, output }
    }

    /// Its roads and its result; `None` if the process died.
    fn run(&mut self, number: usize) -> Option<(BTreeSet<String>, String)> {
        writeln!(self.input, "{number}").ok()?;
        let mut roads = BTreeSet::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end().split_once(' ') {
                Some(("road", road)) => drop(roads.insert(road.to_owned())),
                _ => return Some((roads, line.trim_end().to_owned())),
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        _ = writeln!(self.input, "end");
        _ = self.child.wait();
    }
}

/// The cases by which roads were taken, and other counts.
#[derive(Default)]
struct Counts {
    roads: BTreeMap<String, Vec<usize>>,
    same: usize,
    none: usize,
    wrong: usize,
    seconds: f64,
    done: usize,
}

/// Runs all cases, the long ones first, and prints what differs and how often each road was taken; how many findings there are.
///
/// # Panics
/// If processes cannot be started or files not written.
pub fn run(plan: &Plan) -> usize {
    let cases: Vec<&Case> = plan.cases.iter().map(|(_, case)| case).collect();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len(), "cases have names of their own");
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|number| std::cmp::Reverse(cases[*number].cost()));
    let kernels = tempfile::tempdir().expect("there is a folder for kernels");
    let (next, counts, began) = (AtomicUsize::new(0), Mutex::new(Counts::default()), Instant::now());
    let work = || {
        let mut worker = None;
        while let Some(&number) = order.get(next.fetch_add(1, Relaxed)) {
            let (of_all, case) = &plan.cases[number];
            let found = worker.get_or_insert_with(|| Worker::begin(plan, kernels.path())).run(*of_all);
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            let Some((roads, found)) = found else {
                counts.wrong += 1;
                println!("WRONG {}: the process died", case.name);
                worker = None;
                continue;
            };
            roads.into_iter().for_each(|road| counts.roads.entry(road).or_default().push(number));
            counts.done += 1;
            // The progress, for a user who may stop it.
            if counts.done.is_multiple_of(100) {
                eprintln!(
                    "{} of {} cases, {} findings, {:.0} s",
                    counts.done,
                    cases.len(),
                    counts.wrong,
                    began.elapsed().as_secs_f64()
                );
            }
            let mut words = found.splitn(3, ' ');
            let (word, seconds) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            counts.seconds += seconds.parse().unwrap_or(0.0);
            match word {
                "same" => counts.same += 1,
                "none" => counts.none += 1,
                _ => {
                    counts.wrong += 1;
                    println!("WRONG {}: {}", case.name, words.next().unwrap_or_default());
                    // After an error, the device fails in this process from then on.
                    worker = None;
                }
            }
        }
    };
    std::thread::scope(|scope| (0..plan.jobs).for_each(|_| _ = scope.spawn(work)));
    let mut counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    for road in all() {
        let of = counts.roads.get(&road).map_or(&[][..], Vec::as_slice);
        if plan.all_roads && of.is_empty() {
            counts.wrong += 1;
            println!("WRONG no case takes the road: {road}");
        }
        let example = cheapest(&cases, of).map_or(String::new(), |number| format!(", as {}", cases[number].name));
        println!("{:5} cases: {road}{example}", of.len());
    }
    if let Some(path) = &plan.cover {
        let chosen: BTreeSet<usize> = counts.roads.values().filter_map(|of| cheapest(&cases, of)).collect();
        let names: String = chosen.iter().map(|number| format!("{}\n", cases[*number].name)).collect();
        std::fs::write(path, names).expect("the list of cases can be written");
        println!("{} cases take all roads that were taken", chosen.len());
    }
    println!(
        "{}: {} cases agree with the CPU, {} have no kernel, {} findings; {:.0} s, {:.0} s of all processes",
        plan.parts.join(" "),
        counts.same,
        counts.none,
        counts.wrong,
        began.elapsed().as_secs_f64(),
        counts.seconds
    );
    counts.wrong
}

/// The one of these cases that takes the least time.
fn cheapest(cases: &[&Case], of: &[usize]) -> Option<usize> {
    of.iter().copied().min_by_key(|number| (cases[*number].cost(), *number))
}
