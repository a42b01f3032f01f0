//! Compares random programs on everything that executes programs; `cargo xtask compare` runs it, and so can a machine without Rust.
//! Status 1 if something differs.

use squeeze_tests::compare::executors::Wanted;
use squeeze_tests::compare::run::{Plan, run, work};
use squeeze_tests::compare::{Size, Trial};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

const USAGE: &str =
    "usage: compare [--programs N] [--first N] [--seed N] [--backend cpu|cuda|all] [--level small|large] [--cells N]
               [--kind all|clusters] [--members N] [--rust N] [--jobs N] [--seconds N]
  --programs N   how many (1000)              --first N   the number of the first (0)
  --backend      whose results are compared with those of the oracle, or on large levels of the CPU (cpu)
  --kind         clusters: programs that ask clusters of bonds, of which one in eight of all does (all)
  --level        small: so that the oracle can run it (small); large: up to --cells N cells (1000000)
  --members N    of each second program an ensemble of up to N members, each beside a run of its own; 0 for none (64)
  --rust N       of N programs one is printed as Rust and compiled by rustc; 0 for none (0)
  --jobs N       so many processes at once     --seconds N     begins no program after so many seconds";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match arguments(&words) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn arguments(words: &[String]) -> Result<ExitCode, String> {
    let (mut programs, mut first, mut seed, mut cells, mut rust, mut members) = (1000, 0, 0, 1_000_000, 0, 64);
    let (mut large, mut cpu, mut cuda) = (false, true, false);
    let mut trial: fn(u64, u64, Size) -> Option<Trial> = Trial::new;
    let mut jobs = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let (mut worker, mut until, mut of, mut progress, mut end) = (None, 0, 1, None, None);
    for pair in words.chunks(2) {
        let [word, value] = pair else { return Err(format!("{} lacks its value", pair[0])) };
        let number = || value.parse::<u64>().map_err(|error| format!("{word} {value}: {error}"));
        match (word.as_str(), value.as_str()) {
            ("--programs", _) => programs = number()?,
            ("--first", _) => first = number()?,
            ("--seed", _) => seed = number()?,
            ("--cells", _) => cells = number()?,
            ("--rust", _) => rust = number()?,
            ("--members", _) => members = number()?,
            ("--jobs", _) => jobs = number()?.max(1),
            ("--kind", "all") => trial = Trial::new,
            ("--kind", "clusters") => trial = Trial::clustered,
            ("--level", "small") => large = false,
            ("--level", "large") => large = true,
            ("--backend", "cpu") => (cpu, cuda) = (true, false),
            ("--backend", "cuda") => (cpu, cuda) = (false, true),
            ("--backend", "all") => (cpu, cuda) = (true, true),
            ("--seconds", _) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
                end = Some(now.saturating_add(number()?));
            }
            ("--from", _) => worker = Some(number()?),
            ("--until", _) => until = number()?,
            ("--of", _) => of = number()?.max(1),
            ("--end", _) => end = Some(number()?),
            ("--progress", _) => progress = Some(PathBuf::from(value)),
            _ => return Err(format!("{word} {value} is not known")),
        }
    }
    let size = if large { Size::Large { most_cells: cells } } else { Size::Small };
    let wanted = Wanted { cpu, cuda, rust, members };
    let mut plan = Plan { seed, programs: first..first.saturating_add(programs), trial, size, wanted, end };
    if let (Some(from), Some(progress)) = (worker, progress) {
        plan.programs.end = until;
        return Ok(work(&plan, from, of, &progress));
    }
    Ok(if run(&plan, jobs.min(programs.max(1)), words) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
