//! Compares a GPU with the CPU: what ships on all kinds of domains, with one member and with many, along all roads of the emitter and the engine.
//! `tests/gpu/all.sh` runs it. Status 1 if something differs, or if a road is not taken.

use squeeze_tests::matrix::Case;
use squeeze_tests::matrix::cases::PARTS;
use squeeze_tests::matrix::run::{Plan, one, run, serve};
use squeeze_tests::pairs::settings;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: matrix [roads|matrix|ensembles]... [--part I/N] [--jobs N] [--only TEXT] [--cover FILE] [--off] [--list] [--case NAME]
  roads          small cases that take all roads; fails if one is not taken
  matrix         every shipped rule on every domain, with members and sizes in turn
  ensembles      rules that draw, 16 to 64 members
  --part I/N     the I-th of N parts of the cases        --only TEXT   cases whose names have it
  --jobs N       so many processes at once               --list        names the cases and runs none
  --off          each case several times, so that any two specialities are on and off together
  --cover FILE   writes there a few cases that take all roads that were taken
  --case NAME    runs one case in this process, and names its roads";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    arguments(&words).unwrap_or_else(|message| {
        eprintln!("{message}\n{USAGE}");
        ExitCode::from(2)
    })
}

fn arguments(words: &[String]) -> Result<ExitCode, String> {
    let mut jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut parts, mut part, mut only) = (Vec::new(), (1, 1), None);
    let (mut cover, mut list, mut serves, mut named) = (None, false, false, None);
    let mut off = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some((part, _)) = PARTS.iter().find(|(part, _)| part == word) {
            parts.push(*part);
            continue;
        }
        match word.as_str() {
            "--list" => list = true,
            "--serve" => serves = true,
            "--off" => off = true,
            "--part" | "--jobs" | "--only" | "--cover" | "--case" => {
                let value = words.next().ok_or_else(|| format!("{word} lacks its value"))?;
                let number = |text: &str| {
                    let number = text.parse::<usize>().ok().filter(|number| *number > 0);
                    number.ok_or_else(|| format!("{word} {value} is no number from 1 on"))
                };
                match word.as_str() {
                    "--jobs" => jobs = number(value)?,
                    "--only" => only = Some(value.clone()),
                    "--cover" => cover = Some(PathBuf::from(value)),
                    "--case" => named = Some(value.clone()),
                    _ => {
                        let (i, n) =
                            value.split_once('/').ok_or_else(|| format!("{word} {value} is not of the form I/N"))?;
                        part = (number(i)?, number(n)?);
                    }
                }
            }
            _ => return Err(format!("{word} is not known")),
        }
    }
    if parts.is_empty() {
        parts.extend(PARTS.map(|(part, _)| part));
    }
    let of_parts = PARTS.iter().filter(|(name, _)| parts.contains(name));
    let mut all: Vec<Case> = of_parts.flat_map(|(_, cases)| cases()).collect();
    if off {
        let settings = &settings(false)[1..];
        let without = |case: &Case, off| Case { name: format!("{} without {off}", case.name), off, ..case.clone() };
        all = all.iter().flat_map(|case| settings.iter().map(|off| without(case, *off))).collect();
    }
    if serves {
        serve(&all, 1);
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = named {
        let case = all.iter().find(|case| case.name == name).ok_or_else(|| format!("there is no case `{name}`"))?;
        return Ok(if one(case, 1) { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let chosen = |(number, case): &(usize, Case)| {
        number % part.1 == part.0 - 1 && only.as_ref().is_none_or(|only| case.name.contains(only))
    };
    let numbered: Vec<(usize, Case)> = all.into_iter().enumerate().filter(chosen).collect();
    if list {
        numbered.iter().for_each(|(_, case)| println!("{}", case.name));
        return Ok(ExitCode::SUCCESS);
    }
    let all_roads = parts.contains(&"roads") && part == (1, 1) && only.is_none() && !off;
    let plan = Plan { parts, cases: numbered, jobs, all_roads, off, cover };
    Ok(if run(&plan) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
