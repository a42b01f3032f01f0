//! `cargo xtask test`

use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Runs all tests, doc tests included, and closes with a line that counts them.
pub fn test() -> Result<(), String> {
    let mut child = super::cargo()
        .args(["test", "--workspace", "--no-fail-fast"])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let stdout = child.stdout.take().expect("standard output is piped");
    let mut total = Count::default();
    for line in BufReader::new(stdout).lines() {
        let line = line.map_err(|error| format!("cannot read the output of cargo: {error}"))?;
        println!("{line}");
        if let Some(count) = Count::parse(&line) {
            total.passed += count.passed;
            total.failed += count.failed;
        }
    }
    let status = child.wait().map_err(|error| format!("cannot wait for cargo: {error}"))?;
    println!("\n{} passed, {} failed", total.passed, total.failed);
    if status.success() { Ok(()) } else { Err(format!("cargo test ended with {status}")) }
}

/// What a line such as `test result: ok. 21 passed; 0 failed; …` counts.
#[derive(Debug, Default, PartialEq)]
struct Count {
    passed: u64,
    failed: u64,
}

impl Count {
    fn parse(line: &str) -> Option<Count> {
        let counts = line.strip_prefix("test result: ")?;
        let number_of = |what: &str| {
            let words: Vec<&str> = counts.split([' ', ';']).collect();
            let at = words.iter().position(|word| *word == what)?;
            words.get(at.checked_sub(1)?)?.parse().ok()
        };
        Some(Count { passed: number_of("passed")?, failed: number_of("failed")? })
    }
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn result_lines_are_counted_and_others_are_not() {
        let line = "test result: FAILED. 21 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.58s";
        assert_eq!(Count::parse(line), Some(Count { passed: 21, failed: 3 }));
        assert_eq!(Count::parse("test a ... ok"), None);
    }
}
