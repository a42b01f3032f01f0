//! Lets at neighbours that are kept because that is cheaper: on lanes, rows and packed cells, with edges, and as members of ensembles, they are what they
//! are where kernels compute them anew for each neighbour.

use super::masks::masks;
use super::shipped::{MOST_OPERATIONS, fractals, rules};
use squeeze::compiler::{Off, Speciality, numbers::digest::mix};
use squeeze::geometry::with_flags;
use squeeze::ir::Axes;
use squeeze::{Backend, Domain, Ensemble, Fractal, Member, Rule};
use squeeze_tests::course::{Case, in_parallel, isa, library, options_of};
use squeeze_tests::periodic;
use std::sync::Arc;

const STRIDES: &[u32] = &[1, 2, 3];

fn long_lets() -> Vec<Arc<Rule>> {
    library(include_str!("../gpu/lets.rule")).rules
}

/// The same fractal, periodic, with something beyond its edges, or neither.
fn bordered(fractal: &Arc<Fractal>, rule: &Rule, number: u64) -> Arc<Fractal> {
    let read = rule.read_at_neighbours().into_iter().map(|id| format!("{}=reflect", rule.state(id).name));
    match number % 3 {
        0 => Arc::clone(fractal),
        1 => periodic(fractal, Axes::of(fractal.dimension)),
        _ if fractal.periodic == Axes::of(fractal.dimension) => Arc::clone(fractal),
        _ => with_flags(fractal, &read.collect::<Vec<_>>()).expect("all that is read has an edge"),
    }
}

/// Compares a rule with the oracle: as it is planned, kept and computed anew, and on some layouts. Says whether it is kept.
fn agree(fractal: &Arc<Fractal>, level: u32, rule: &Arc<Rule>, number: u64) -> bool {
    let fractal = bordered(fractal, rule, number);
    let Some(case) = Case::admitted(&fractal, level, rule, mix(number), STRIDES) else { return false };
    let what = format!("{} on {} at level {level}, number {number}", rule.name, fractal.name);
    let expected = case.reference();
    let builder = || case.builder().backend(Backend::Cpu).threads(1 + number as usize % 2).packed(number % 2 == 1);
    let off = Off::none().with(Speciality::KeptLets);
    for off in [Off::none(), off] {
        let built = builder().without(off).build().unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(case.sights(built).expect("it runs"), expected, "{what}, without {off}");
    }
    let candidates = case.candidates(MOST_OPERATIONS);
    if let Some(choice) = candidates.get(mix(number) as usize % candidates.len().max(1)) {
        let options = options_of(isa(number), 1, Some(choice.clone()));
        case.agrees(options, &expected).unwrap_or_else(|difference| panic!("{difference}"));
    }
    case.rule.keeps_cheaper
}

#[test]
fn long_lets_are_kept_and_agree() {
    let mut domains: Vec<(Arc<Fractal>, u32)> = masks().into_iter().map(|mask| (mask, 1)).collect();
    let affordable = |fractal: &Fractal| {
        let axes = fractal.dimension.axes() as u32;
        Domain::largest_level_where(fractal, |side, cells| cells <= 700 && side.pow(axes) <= 1 << 15)
    };
    domains.extend(fractals().into_iter().map(|fractal| (Arc::clone(&fractal), affordable(&fractal))));
    let rules = long_lets();
    let all = domains.iter().enumerate().flat_map(|(turn, domain)| {
        rules
            .iter()
            .enumerate()
            .filter(move |(number, _)| (turn + number) % 2 == 0)
            .map(move |(_, rule)| (domain, rule))
    });
    let all: Vec<_> = (0..).zip(all).collect();
    let kept = in_parallel(&all, |(number, ((fractal, level), rule))| agree(fractal, *level, rule, *number));
    let count = kept.iter().filter(|kept| **kept).count();
    println!("{count} of {} runs keep lets", kept.len());
    assert!(count > 40, "{count} of {}", kept.len());
}

/// Each of these is kept on a box in the plane.
#[test]
fn long_lets_are_kept_and_those_of_shipped_rules_are_not() {
    let plane = masks().into_iter().find(|mask| mask.name == "word").expect("it is there");
    let domain = Domain::new(plane, 1).expect("small");
    let keeps = |rule: &Arc<Rule>| domain.fit(rule).is_ok_and(|rule| rule.keeps_cheaper);
    let names = |rules: Vec<Arc<Rule>>, keep: bool| -> Vec<String> {
        rules.iter().filter(|rule| keeps(rule) == keep).map(|rule| rule.name.clone()).collect()
    };
    assert_eq!(names(long_lets(), false), [""; 0], "not kept");
    assert_eq!(names(rules(), true), [""; 0], "kept");
}

#[test]
fn members_keep_lets_as_each_alone_does() {
    let carpet = fractals().into_iter().find(|fractal| fractal.name == "sierpinski_carpet").expect("it ships");
    for rule in long_lets() {
        for members in [3, 70] {
            let builder = |backend| {
                squeeze::Simulation::builder(Arc::clone(&carpet), Arc::clone(&rule))
                    .level(2)
                    .backend(backend)
                    .threads(1)
            };
            let seeds: Vec<Member> = (0..members).map(Member::new).collect();
            let mut together: Ensemble = builder(Backend::Cpu).members(seeds).build().expect("it runs");
            together.step(3).expect("steps");
            let (digests, observed) = (together.digests().expect("digests"), together.observe().expect("observables"));
            for seed in [0, members - 1] {
                let mut alone = builder(Backend::Reference).seed(seed).build().expect("it runs");
                alone.step(3).expect("steps");
                let alone = (alone.digests().expect("digests"), alone.observe().expect("observables"));
                let (digests, observed) = (&digests[seed as usize], &observed[seed as usize]);
                assert_eq!(
                    format!("{digests:?} {observed:?}"),
                    format!("{:?} {:?}", alone.0, alone.1),
                    "{}",
                    rule.name
                );
            }
        }
    }
}
