//! Feeds mutated texts of the corpus to the front end: `cargo run --release --example fuzz -- SECONDS [SEED]`.
//!
//! Prints how many texts it tried and which took longest. Stops with status 1 at the first text that makes something
//! panic, or that the printer changes, and writes it to standard output.

#[path = "../tests/syntax/mutate.rs"]
mod mutate;

use mutate::{Random, corpus, exercise, mutate};
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Some(Ok(seconds)), seed) = (arguments.next(), arguments.next().unwrap_or(Ok(0))) else {
        eprintln!("usage: fuzz SECONDS [SEED]");
        return ExitCode::from(2);
    };
    let corpus = corpus();
    let mut random = Random(seed.unwrap_or(0));
    let begin = Instant::now();
    let (mut tried, mut parsed, mut slowest) = (0_u64, 0_u64, (Duration::ZERO, 0));
    while begin.elapsed() < Duration::from_secs(seconds) {
        let bytes = mutate(&corpus, &mut random);
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(|| exercise(&bytes)).unwrap_or_else(|_| Err("panicked".to_owned()));
        slowest = slowest.max((start.elapsed(), bytes.len()));
        tried += 1;
        match outcome {
            Ok(parses) => parsed += u64::from(parses),
            Err(fault) => {
                eprintln!("text {tried}: {fault}");
                // Standard output may be closed; there is nothing left to do then.
                let _ = std::io::stdout().write_all(&bytes);
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{tried} texts, {parsed} of them parse; the slowest took {:?} for {} bytes", slowest.0, slowest.1);
    ExitCode::SUCCESS
}
