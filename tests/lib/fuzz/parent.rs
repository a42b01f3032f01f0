//! The process that starts workers, and finds out why they died.

use super::worker::TOO_SLOW;
use super::{input, target};
use std::collections::VecDeque;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The targets to fuzz, and for how long.
pub struct Campaign {
    /// The targets' names.
    pub targets: Vec<String>,
    /// Where the random numbers begin.
    pub seed: u64,
    /// The number of the first input.
    pub first: u64,
    /// How many inputs each target gets at most.
    pub inputs: Option<u64>,
    /// How long each target is fed at most.
    pub time: Option<Duration>,
    /// Targets that are fed at the same time.
    pub workers: usize,
    /// Where inputs that do harm are written.
    pub findings: PathBuf,
}

/// Findings of one target after which there is enough to mend.
const MOST_FINDINGS: usize = 20;

/// Feeds all targets, and prints the results. Gives the number of inputs that did harm.
///
/// # Panics
/// If a worker cannot be started, or the folder of findings cannot be written to.
pub fn run(campaign: &Campaign) -> usize {
    fs::create_dir_all(&campaign.findings).expect("the folder of findings can be made");
    let queue = Mutex::new(campaign.targets.iter().collect::<VecDeque<_>>());
    let next = || queue.lock().expect("no worker panics").pop_front();
    let work = || std::iter::from_fn(next).map(|name| one(campaign, name)).sum::<usize>();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..campaign.workers.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no worker panics")).sum()
    })
}

/// Feeds one target until its time or its inputs are over: after a finding with the next input.
fn one(campaign: &Campaign, name: &str) -> usize {
    let start = Instant::now();
    let (mut first, mut findings) = (campaign.first, 0);
    let end = campaign.inputs.map(|inputs| campaign.first.saturating_add(inputs));
    let progress = campaign.findings.join(format!("{name}.progress"));
    loop {
        let mut command = Command::new(std::env::current_exe().expect("a program knows where it is"));
        command.args(["--worker", name, "--seed", &campaign.seed.to_string(), "--first", &first.to_string()]);
        if let Some(end) = end {
            command.args(["--inputs", &end.saturating_sub(first).to_string()]);
        }
        if let Some(time) = campaign.time {
            command.args(["--seconds", &time.saturating_sub(start.elapsed()).as_secs_f64().to_string()]);
        }
        let (status, errors) = wait(command.arg("--progress").arg(&progress));
        if status.success() {
            _ = fs::remove_file(&progress);
            return findings;
        }
        let number = fs::read(&progress).ok().and_then(|bytes| Some(u64::from_le_bytes(*bytes.first_chunk()?)));
        let Some(number) = number else {
            println!("{name}: the worker does not start: {status}\n{errors}");
            return findings + 1;
        };
        findings += usize::from(report(campaign, name, number, status, &errors));
        first = number + 1;
        if findings >= MOST_FINDINGS {
            println!("{name}: {findings} findings are enough");
            return findings;
        }
    }
}

/// Writes down an input and its harm. False if it does no harm by itself: a busy machine had delayed it.
fn report(campaign: &Campaign, name: &str, number: u64, status: ExitStatus, errors: &str) -> bool {
    let target = target(name).expect("the target exists");
    let input = input(target.as_ref(), campaign.seed, number);
    let path = campaign.findings.join(format!("{name}-{}-{number}", campaign.seed));
    fs::write(&path, &input).expect("the finding can be written");
    if status.code() == Some(TOO_SLOW.into()) && alone(name, &path) {
        _ = fs::remove_file(&path);
        return false;
    }
    println!(
        "{name}: input {number} of seed {} ended it with {status}; its {} bytes are in {}\n{errors}",
        campaign.seed,
        input.len(),
        path.display()
    );
    true
}

/// Whether an input that took too long does not when nothing else is read.
fn alone(name: &str, path: &Path) -> bool {
    let mut command = Command::new(std::env::current_exe().expect("a program knows where it is"));
    wait(command.args(["--target", name, "--file"]).arg(path)).0.success()
}

/// Runs a worker to its end; what it prints passes through, and of what it says on standard error the end is given.
fn wait(command: &mut Command) -> (ExitStatus, String) {
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the worker starts");
    let mut errors = Vec::new();
    let stderr = child.stderr.take().expect("standard error is piped");
    // Of endless complaints the beginning is enough; the pipe is then closed.
    _ = stderr.take(1 << 16).read_to_end(&mut errors);
    let status = child.wait().expect("the worker can be waited for");
    let text = String::from_utf8_lossy(&errors);
    let lines: Vec<&str> = text.lines().take(24).collect();
    (status, lines.join("\n"))
}
