//! Everything that ships, on everything that ships.

use squeeze::compiler::{numbers::digest::mix, shipped};
use squeeze::{Backend, Domain, Fractal, Rule, resolve};
use squeeze_tests::course::{Case, in_parallel, isa, options, options_of};
use std::collections::BTreeSet;
use std::sync::Arc;

/// More operations take the compiler too long here.
pub(crate) const MOST_OPERATIONS: f64 = 1500.0;
/// Whole passes of up to four steps, and what is left of them.
const STRIDES: &[u32] = &[1, 2, 5];

pub(crate) fn fractals() -> Vec<Arc<Fractal>> {
    shipped::FRACTALS.iter().map(|(name, _)| resolve::fractal(name).expect("it ships")).collect()
}

pub(crate) fn rules() -> Vec<Arc<Rule>> {
    shipped::RULES.iter().map(|(name, _)| resolve::rule(name).expect("it ships")).collect()
}

/// The largest level that the oracle can do, and one of the levels 0 to 2: by the pair's number, so that each fractal and each rule meets all three.
fn levels(fractal: &Arc<Fractal>, number: u64) -> BTreeSet<u32> {
    let axes = fractal.dimension.axes() as u32;
    let affordable = |side: u64, cells: u64| cells <= 3200 && side.checked_pow(axes).is_some_and(|n| n <= 1 << 17);
    let largest = Domain::largest_level_where(fractal, affordable);
    [largest, largest.min((number % 3) as u32)].into()
}

/// Compares one pair at two levels on some layouts; gives the words of a column and the steps of a pass that it saw.
fn agree(fractal: &Arc<Fractal>, rule: &Arc<Rule>, number: u64) -> BTreeSet<(usize, u32)> {
    let mut seen = BTreeSet::new();
    let levels = levels(fractal, number);
    let largest = levels.last().copied();
    for &level in &levels {
        let case = Case::new(fractal, level, rule, mix(number) >> level, STRIDES);
        let expected = case.reference();
        let threads = 1 + (number + u64::from(level)) as usize % 3;
        let found = case.by_simulation(Backend::Cpu, threads).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found, expected, "{} on {} at level {level}, as planned", rule.name, fractal.name);
        let candidates = case.candidates(MOST_OPERATIONS);
        let wanted = if Some(level) == largest { 2 } else { 1 };
        for i in (0..wanted).filter(|_| !candidates.is_empty()) {
            // Another one of each half of the list for every pair.
            let parts = wanted.min(candidates.len());
            let part = candidates.len() / parts;
            let choice = &candidates[i % parts * part + (mix(number ^ (i as u64) << 32) % part as u64) as usize];
            // Each instruction set meets each fractal and each rule.
            let options = options_of(isa(number + i as u64), 1 + (threads + i) % 3, Some(choice.clone()));
            if case.agrees(options, &expected).unwrap_or_else(|difference| panic!("{difference}")) {
                seen.insert((choice.layout().unwrap().words(), choice.steps));
            }
        }
    }
    seen
}

#[test]
fn every_rule_on_every_fractal() {
    let (fractals, rules) = (fractals(), rules());
    let pairs: Vec<_> = fractals.iter().flat_map(|fractal| rules.iter().map(move |rule| (fractal, rule))).collect();
    let fits = |(_, (fractal, rule)): &(u64, (&Arc<Fractal>, &Arc<Rule>))| {
        Domain::new(Arc::clone(fractal), 1).is_ok_and(|domain| domain.admits(rule).is_ok())
    };
    // A fifth of the pairs by day: each fractal with every fifth rule, each rule on every fifth fractal.
    let is_chosen = |number: u64| {
        let (fractal, rule) = (number as usize / rules.len(), number as usize % rules.len());
        squeeze_tests::is_chosen(fractal + rule, 5)
    };
    let pairs: Vec<_> = (0..).zip(pairs).filter(|(number, _)| is_chosen(*number)).filter(fits).collect();
    let seen = in_parallel(&pairs, |(number, (fractal, rule))| agree(fractal, rule, *number));
    let seen: BTreeSet<(usize, u32)> = seen.into_iter().flatten().collect();
    let words: BTreeSet<usize> = seen.iter().map(|(words, _)| *words).collect();
    let steps: BTreeSet<u32> = seen.iter().map(|(_, steps)| *steps).collect();
    assert!([1, 2, 3, 8].iter().all(|wanted| words.contains(wanted)), "columns of {words:?} words only");
    assert!((1..=4).all(|wanted| steps.contains(&wanted)), "passes of {steps:?} steps only");
}

/// Sizes at which threads are used by themselves, and layouts have many superblocks.
#[test]
fn threads_agree_with_each_other() {
    let triangle = resolve::fractal("sierpinski_triangle").expect("it ships");
    for name in ["life", "heat", "ising"] {
        let rule = resolve::rule(name).expect("it ships");
        let case = Case::new(&triangle, 11, &rule, 5, &[1, 4, 5]);
        let alone = case.by_simulation(Backend::Cpu, 1).expect("it is small");
        for threads in [2, 3] {
            let together = case.by_simulation(Backend::Cpu, threads).expect("it is small");
            assert_eq!(together, alone, "{name} with {threads} threads");
        }
        // The same on another layout.
        let other = case.candidates(MOST_OPERATIONS).pop().expect("there are several");
        assert_eq!(case.by_lanes(options(2, Some(other))).expect("it fits"), alone, "{name} on another layout");
    }
}
