//! Random programs. `PROPTEST_CASES` says how many each test tries; a failure shows the shortest text that
//! was found.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use squeeze::engine::EngineError;
use squeeze::simulation::SimulationError;
use squeeze::{Backend, Domain};
use squeeze_testing::{CHOICES, ProgramKind, RandomProgram, all_cases, choices, clustered, masked, program};
use squeeze_tests::course::{Case, in_parallel, isa, library, options_of};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Unless `PROPTEST_CASES` is set.
const CASES: u32 = 120;
const MOST_OPERATIONS: f64 = 1000.0;
/// Where there is only one.
const MOST_OPERATIONS_OF_ONE: f64 = 5000.0;

/// Compares a program on the planned layout and on two others, or where kernels are long on the layout with the shortest.
/// False if none is short enough.
fn agrees(program: &RandomProgram) -> Result<bool, TestCaseError> {
    let library = library(&program.text);
    let rule = library.rules.last().expect("the text defines one");
    let axes = library.fractals[0].dimension.axes() as u32;
    let affordable = |side: u64, cells: u64| cells <= 2000 && side.checked_pow(axes).is_some_and(|n| n <= 1 << 15);
    // The last one: but a torus may be too small for the rule.
    let case = library.fractals.iter().rev().find_map(|fractal| {
        let largest = Domain::largest_level_where(fractal, affordable);
        // Rather the largest level than one below.
        Case::admitted(fractal, program.level.min(largest), rule, program.seed, &[1, 2, 5])
    });
    let case = case.expect("the fractals admit the rule");
    let candidates = case.candidates(MOST_OPERATIONS);
    let choices = if candidates.is_empty() {
        let all = case.candidates(MOST_OPERATIONS_OF_ONE).into_iter();
        let Some(shortest) = all.min_by(|a, b| a.estimate.operations.total_cmp(&b.estimate.operations)) else {
            return Ok(false);
        };
        vec![Some(shortest)]
    } else {
        let other = |i: usize| candidates[(program.layouts >> (8 * i)) as usize % candidates.len()].clone();
        vec![None, Some(other(0)), Some(other(1))]
    };
    let (expected, mut fits) = (case.reference(), false);
    for (i, choice) in choices.into_iter().enumerate() {
        let isa = isa(i as u64 ^ program.seed);
        let options = options_of(isa, 1 + (i + program.seed as usize) % 3, choice);
        fits |= case.agrees(options, &expected).map_err(TestCaseError::fail)?;
    }
    Ok(fits)
}

fn run(kind: ProgramKind) {
    let mut config = Config { failure_persistence: None, max_shrink_iters: 3000, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let choices = proptest::collection::vec(any::<u16>(), 0..CHOICES);
    let programs = choices.prop_map(move |choices| program(kind, &choices));
    let (tried, fitting) = (Cell::new(0), Cell::new(0));
    let result = TestRunner::new(config).run(&programs, |program| {
        tried.set(tried.get() + 1);
        fitting.set(fitting.get() + u32::from(agrees(&program)?));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    // About one program in eight has no short kernels: among so few, seven in ten are five standard deviations away.
    let (tried, fitting) = (tried.get(), fitting.get());
    assert!(10 * fitting >= 7 * tried, "only {fitting} of {tried} programs could be compared");
}

#[test]
fn in_the_plane() {
    run(ProgramKind { dimension: 2, bits: false });
}

#[test]
fn in_space() {
    run(ProgramKind { dimension: 3, bits: false });
}

#[test]
fn in_the_plane_of_bits() {
    run(ProgramKind { dimension: 2, bits: true });
}

#[test]
fn in_space_of_bits() {
    run(ProgramKind { dimension: 3, bits: true });
}

/// Bonds and their clusters: all values of them, and draws.
#[test]
fn of_clusters() {
    let asked = std::env::var("PROPTEST_CASES").ok().map(|cases| cases.parse().expect("a number"));
    let numbers: Vec<u64> = (0..asked.unwrap_or(if all_cases() { 20_000 } else { 60 })).collect();
    let tried = AtomicUsize::new(0);
    let compared = in_parallel(&numbers, |&number| {
        let kind = ProgramKind { dimension: 2 + u32::from(number % 4 == 3), bits: number % 5 == 2 };
        let program = clustered(kind, &choices(90_000 + number));
        if !program.text.contains("clusters c0") {
            return 0;
        }
        tried.fetch_add(1, Ordering::Relaxed);
        if number % 3 == 1 {
            return usize::from(agrees_on_mask(number, &masked(program, kind.dimension)));
        }
        let agrees = agrees(&program).unwrap_or_else(|error| panic!("{error}, program {number}\n{program:?}"));
        usize::from(agrees)
    });
    let (compared, tried): (usize, usize) = (compared.into_iter().sum(), tried.into_inner());
    assert!(
        2 * compared >= tried && 2 * tried >= numbers.len(),
        "only {compared} of {tried} programs could be compared"
    );
}

/// Programs on masks, whose states are columns or the cells alone.
#[test]
fn on_masks() {
    let numbers: Vec<u64> = (0..240).collect();
    let compared = in_parallel(&numbers, |&number| {
        let kind = ProgramKind { dimension: 2 + (number & 1) as u32, bits: number & 2 == 2 };
        usize::from(agrees_on_mask(number, &masked(program(kind, &choices(7000 + number)), kind.dimension)))
    });
    let compared: usize = compared.into_iter().sum();
    assert!(10 * compared >= 6 * numbers.len(), "only {compared} of {} programs could be compared", numbers.len());
}

/// Compares a program on a mask. False if its torus is too small, or there is no kernel.
fn agrees_on_mask(number: u64, program: &RandomProgram) -> bool {
    let library = library(&program.text);
    let (fractal, rule) = (library.fractals.last().expect("the mask"), library.rules.last().expect("a rule"));
    let Some(case) = Case::admitted(fractal, 1, rule, program.seed, &[1, 2, 5]) else { return false };
    let expected = case.reference();
    for packed in [false, true] {
        let builder = case.builder();
        let threads = 1 + number as usize % 3;
        let simulation = match builder.backend(Backend::Cpu).threads(threads).packed(packed).build() {
            Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return false,
            built => built.unwrap_or_else(|error| panic!("{error}\n{}", program.text)),
        };
        let found = case.sights(simulation).unwrap_or_else(|error| panic!("{error}\n{}", program.text));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "packed {packed}, program {number}\n{}", program.text);
        }
    }
    true
}
