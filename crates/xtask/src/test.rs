//! `cargo xtask test`

use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Programs that run for long, the longest first: begun first, they do not keep the others' end waiting.
const LONGEST: [&str; 12] = [
    "shim",
    "squeeze_records",
    "agreement",
    "cuda",
    "pytest",
    "squeeze_compiler",
    "squeeze_engine",
    "masks",
    "docs",
    "fuzz",
    "independent",
    "coverage",
];

/// How many of the slowest tests are named.
const SLOWEST: usize = 20;

/// A program of tests, as cargo built it.
struct TestProgram {
    name: String,
    executable: PathBuf,
    /// The folder of its package, in which cargo would run it.
    folder: PathBuf,
    package: String,
}

/// The results of running programs.
#[derive(Default)]
struct TestResults {
    passed: u64,
    failed: u64,
    /// Programs and tests that failed.
    wrong: Vec<String>,
    times: Vec<(Duration, String)>,
}

/// Runs all tests, doc tests included, a program more at a time than there are cores, since some wait, and closes with a line that counts them. `fetch`
/// gets what the tests need while they are built.
pub(crate) fn test(fetch: fn() -> Result<(), String>) -> Result<(), String> {
    let (programs, fetched) = std::thread::scope(|scope| {
        let fetched = scope.spawn(fetch);
        (build(), fetched.join().expect("fetching does not panic"))
    });
    fetched?;
    let mut programs = programs?;
    programs.sort_by_key(|program| LONGEST.iter().position(|name| *name == program.name).unwrap_or(LONGEST.len()));
    let mut work: VecDeque<(String, Command)> =
        programs.into_iter().map(|program| (program.name.clone(), command(&program))).collect();
    let mut documentation = super::commands::cargo();
    documentation.args(["test", "--workspace", "--doc"]);
    // Behind those that run for long.
    work.insert(LONGEST.len().min(work.len()), ("documentation".to_owned(), documentation));
    let left = Mutex::new(work);
    let total = Mutex::new(TestResults::default());
    let workers = 1 + std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some((name, mut command)) = left.lock().expect("no worker panics").pop_front() else { break };
                    let (text, outcome) = run(&mut command, &name);
                    let mut total = total.lock().expect("no worker panics");
                    print!("{text}");
                    total.add(outcome);
                }
            });
        }
    });
    let mut total = total.into_inner().expect("no worker panics");
    total.times.sort_by(|one, other| other.cmp(one));
    println!("\nThe slowest tests:");
    for (time, name) in total.times.iter().take(SLOWEST) {
        println!("{:7.1} s  {name}", time.as_secs_f64());
    }
    for name in &total.wrong {
        println!("FAILED: {name}");
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
    if total.wrong.is_empty() { Ok(()) } else { Err(format!("{} of the above failed", total.wrong.len())) }
}

/// Builds all programs of tests.
fn build() -> Result<Vec<TestProgram>, String> {
    let mut cargo = super::commands::cargo();
    cargo.args(["test", "--workspace", "--tests", "--no-run", "--message-format", "json-render-diagnostics"]);
    let mut child = cargo.stdout(Stdio::piped()).spawn().map_err(|error| format!("cannot run cargo: {error}"))?;
    let stdout = child.stdout.take().expect("standard output is piped");
    let mut programs = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let line = line.map_err(|error| format!("cannot read the output of cargo: {error}"))?;
        programs.extend(program(&line));
    }
    let status = child.wait().map_err(|error| format!("cannot wait for cargo: {error}"))?;
    if status.success() { Ok(programs) } else { Err(format!("building the tests ended with {status}")) }
}

/// The program of tests that a message of cargo tells of, if it is one.
fn program(message: &str) -> Option<TestProgram> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_test = message["profile"]["test"].as_bool()?;
    let executable = message["executable"].as_str().filter(|_| is_test)?;
    let manifest = PathBuf::from(message["manifest_path"].as_str()?);
    let package = message["package_id"].as_str()?;
    Some(TestProgram {
        name: message["target"]["name"].as_str()?.to_owned(),
        executable: executable.into(),
        folder: manifest.parent()?.to_owned(),
        package: package.rsplit(['/', '#']).next()?.split('@').next()?.to_owned(),
    })
}

/// Runs a program's tests one after the other, so that each can be timed, with the variables that cargo sets.
fn command(program: &TestProgram) -> Command {
    let mut command = Command::new(&program.executable);
    command.args(["--test-threads", "1"]).current_dir(&program.folder);
    command.env("CARGO_MANIFEST_DIR", &program.folder).env("CARGO_PKG_NAME", &program.package);
    command
}

/// Runs tests; gives their output and their outcome.
fn run(command: &mut Command, name: &str) -> (String, TestResults) {
    let mut outcome = TestResults::default();
    let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            outcome.wrong.push(format!("{name}: cannot be run: {error}"));
            return (String::new(), outcome);
        }
    };
    let stdout = child.stdout.take().expect("standard output is piped");
    let mut stderr = child.stderr.take().expect("standard error is piped");
    // Read beside the output, or a program that says much would wait for it forever.
    let said = std::thread::spawn(move || {
        let mut said = Vec::new();
        // Output that cannot be read is dropped.
        _ = stderr.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    });
    let mut text = format!("\n{name}\n");
    let mut last = Instant::now();
    for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        text += &format!("{line}\n");
        outcome.read(&line, name, last.elapsed());
        last = Instant::now();
    }
    text += &said.join().expect("reading does not panic");
    match child.wait() {
        Ok(status) if status.success() => {}
        Ok(status) => outcome.wrong.push(format!("{name}: {status}")),
        Err(error) => outcome.wrong.push(format!("{name}: {error}")),
    }
    (text, outcome)
}

impl TestResults {
    /// Takes what one line of a program of tests says, which came so long after the line before.
    fn read(&mut self, line: &str, program: &str, time: Duration) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            let number_of = |what: &str| {
                let words: Vec<&str> = counts.split([' ', ';']).collect();
                let at = words.iter().position(|word| *word == what)?;
                words.get(at.checked_sub(1)?)?.parse::<u64>().ok()
            };
            self.passed += number_of("passed").unwrap_or(0);
            self.failed += number_of("failed").unwrap_or(0);
        } else if let Some((name, result)) = line.strip_prefix("test ").and_then(|test| test.split_once(" ... ")) {
            self.times.push((time, format!("{program}: {name}")));
            if result.starts_with("FAILED") {
                self.wrong.push(format!("{program}: {name}"));
            }
        }
    }

    fn add(&mut self, other: TestResults) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.wrong.extend(other.wrong);
        self.times.extend(other.times);
    }
}

#[cfg(test)]
mod tests {
    use super::{TestResults, program};
    use std::time::Duration;

    #[test]
    fn results_are_counted_and_tests_are_timed() {
        let mut outcome = TestResults::default();
        for line in [
            "running 2 tests",
            "test one ... ok",
            "test two ... FAILED",
            "test result: FAILED. 21 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.58s",
        ] {
            outcome.read(line, "p", Duration::from_secs(1));
        }
        assert_eq!((outcome.passed, outcome.failed), (21, 3));
        assert_eq!(outcome.wrong, ["p: two"]);
        assert_eq!(outcome.times.len(), 2);
    }

    #[test]
    fn only_programs_of_tests_are_run() {
        let message = |test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///a/tests#squeeze-tests@0.1.0","manifest_path":"/a/tests/Cargo.toml",
                "target":{{"name":"shim"}},"profile":{{"test":{test}}},"executable":"/a/target/debug/deps/shim-1"}}"#
            )
        };
        assert!(program(&message(false)).is_none());
        let found = program(&message(true)).expect("it is one");
        assert_eq!((found.name.as_str(), found.package.as_str()), ("shim", "squeeze-tests"));
        assert_eq!(found.folder.to_str(), Some("/a/tests"));
    }
}
