//! Programs that nobody wrote. `PROPTEST_CASES` says how many each test tries; a failure shows the shortest text that
//! was found.

use super::course::{Case, isa, library, tuning};
use super::program::{Kind, Program, program};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use squeeze::Domain;
use squeeze::cpu::Tuning;

/// Unless `PROPTEST_CASES` is set.
const CASES: u32 = 120;
/// More choices than all but the longest programs take.
const CHOICES: usize = 600;
const MOST_OPERATIONS: f64 = 1000.0;

/// Compares a program on the planned layout and on two others.
fn agrees(program: &Program) -> Result<(), TestCaseError> {
    let library = library(&program.text);
    let fractal = library.fractals.last().expect("the text defines one");
    let rule = library.rules.last().expect("the text defines one");
    let axes = fractal.dimension.axes() as u32;
    let affordable = |side: u64, cells: u64| cells <= 2000 && side.checked_pow(axes).is_some_and(|n| n <= 1 << 15);
    let largest = Domain::largest_level_where(fractal, affordable);
    // Rather the largest level than one below.
    let case = Case::new(fractal, program.level.min(largest), rule, program.seed, &[1, 2, 5]);
    let expected = case.reference();
    let candidates = case.candidates(MOST_OPERATIONS);
    let others = if candidates.is_empty() { 0 } else { 2 };
    let others = (0..others).map(|i| candidates[(program.layouts >> (8 * i)) as usize % candidates.len()].clone());
    for (i, choice) in [None].into_iter().chain(others.map(Some)).enumerate() {
        if choice.is_none() && candidates.is_empty() {
            continue;
        }
        let isa = isa(i as u64 ^ program.seed);
        let tuning = Tuning { isa, ..tuning(1 + (i + program.seed as usize) % 3, choice) };
        let agrees = case.agrees(tuning, &expected);
        agrees.map_err(TestCaseError::fail)?;
    }
    Ok(())
}

fn run(kind: Kind) {
    let mut config = Config { failure_persistence: None, max_shrink_iters: 3000, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let choices = proptest::collection::vec(any::<u16>(), 0..CHOICES);
    let programs = choices.prop_map(move |choices| program(kind, &choices));
    let result = TestRunner::new(config).run(&programs, |program| agrees(&program));
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn in_the_plane() {
    run(Kind { dimension: 2, bits: false });
}

#[test]
fn in_space() {
    run(Kind { dimension: 3, bits: false });
}

#[test]
fn in_the_plane_of_bits() {
    run(Kind { dimension: 2, bits: true });
}

#[test]
fn in_space_of_bits() {
    run(Kind { dimension: 3, bits: true });
}
