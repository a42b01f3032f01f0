//! Everything that ships, with periodic edges.

use super::shipped::{MOST_OPERATIONS, fractals, rules};
use squeeze::compiler::Target;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::plan::{candidates, choices};
use squeeze::compiler::target::{Choice, Machine};
use squeeze::ir::{Axes, Dimension};
use squeeze::{Backend, Domain, Fractal, Member, Rule, Simulation, resolve};
use squeeze_tests::course::{Case, in_parallel, isa, options_of};
use std::sync::Arc;

/// The levels that are compared: one of the lowest two that are large enough for the rule, by the pair's number, and the largest that the oracle can do.
fn cases(fractal: &Arc<Fractal>, rule: &Arc<Rule>, number: u64) -> Vec<Case> {
    let axes = fractal.dimension.axes() as u32;
    let affordable = |side: u64, cells: u64| cells <= 1500 && side.checked_pow(axes).is_some_and(|n| n <= 1 << 16);
    let largest = Domain::largest_level_where(fractal, affordable);
    let case = |level| Case::admitted(fractal, level, rule, mix(number), &[1, 2, 4]);
    let mut cases: Vec<Case> = (0..=largest).filter_map(case).collect();
    let largest = cases.pop();
    cases.truncate(2);
    let small = (!cases.is_empty()).then(|| cases.swap_remove(number as usize % cases.len()));
    small.into_iter().chain(largest).collect()
}

/// Compares one pair; gives how many runs agreed.
pub(crate) fn agree(fractal: &Arc<Fractal>, rule: &Arc<Rule>, number: u64) -> usize {
    let mut compared = 0;
    for case in cases(fractal, rule, number) {
        let expected = case.reference();
        let found = case.by_simulation(Backend::Cpu, 2).unwrap_or_else(|error| panic!("{error}"));
        let level = case.domain().level();
        assert_eq!(found, expected, "{} on {} along {} at level {level}", rule.name, fractal.name, fractal.periodic);
        let candidates = case.candidates(MOST_OPERATIONS);
        for i in 0..2.min(candidates.len() as u64) {
            let choice = &candidates[(mix(number ^ i << 32) % candidates.len() as u64) as usize];
            let options = options_of(isa(number + i), 1 + i as usize, Some(choice.clone()));
            let agrees = case.agrees(options, &expected).unwrap_or_else(|difference| panic!("{difference}"));
            compared += usize::from(agrees);
        }
        compared += 1;
    }
    compared
}

/// Each rule meets each fractal with one kind of edges, and each kind on two of the fractals.
#[test]
fn every_rule_on_periodic_fractals() {
    let names = ["full_square", "sierpinski_triangle", "sierpinski_carpet", "lace", "menger_sponge", "tetrix"];
    let chosen: Vec<_> = fractals().into_iter().filter(|fractal| names.contains(&fractal.name.as_str())).collect();
    let with_edges = |fractal: &Arc<Fractal>| {
        let last = if fractal.dimension == Dimension::Two { [false, true, false] } else { [false, false, true] };
        let torus = |periodic: Axes| squeeze_tests::periodic(fractal, periodic);
        [torus(Axes::of(fractal.dimension)), torus(Axes([true, false, false])), torus(Axes(last))]
    };
    let tori: Vec<_> = chosen.iter().flat_map(with_edges).collect();
    let rules = rules();
    let fits = |fractal: &Fractal, rule: &Rule| !rule.needs_three_dimensions || fractal.dimension == Dimension::Three;
    // The fractals stand in threes: along all axes, the first and the last one.
    let pairs = tori.iter().enumerate().flat_map(|(turn, torus)| {
        let chosen = rules.iter().enumerate().filter(move |(number, _)| (turn / 3 + turn + number) % 3 == 0);
        chosen.map(move |(_, rule)| (torus, rule))
    });
    let pairs: Vec<_> = (0..).zip(pairs.filter(|(torus, rule)| fits(torus, rule))).collect();
    let compared = in_parallel(&pairs, |(number, (torus, rule))| agree(torus, rule, *number));
    let compared: usize = compared.into_iter().sum();
    assert!(compared > 2 * pairs.len(), "only {compared} runs of {} pairs", pairs.len());
}

/// Kernels for a layout take no other: each door compares it with the domain, and counts its steps.
#[test]
fn layouts_of_other_domains_and_passes_of_no_steps_are_refused() {
    const LEVEL: u32 = 5;
    let life = resolve::rule("life").unwrap();
    let [square, vicsek, cross] = ["full_square", "vicsek", "x_fractal"].map(|name| resolve::fractal(name).unwrap());
    let [torus, cylinder] = [[true; 3], [true, false, false]].map(|axes| squeeze_tests::periodic(&square, Axes(axes)));
    let domain = |fractal: &Arc<Fractal>, level| Domain::new(Arc::clone(fractal), level).unwrap();
    let plan = |fractal, level| candidates(&domain(fractal, level), &life, &Machine::cpu(1), 1).remove(0);
    let builder = |fractal: &Arc<Fractal>, choice: &Choice| {
        let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(&life)).level(LEVEL).plan(choice.clone());
        builder.backend(Backend::Cpu).memory_limit(1 << 30)
    };
    let is_refused = |fractal: &Arc<Fractal>, choice: &Choice, what: &str| {
        let alone = builder(fractal, choice).build().err().expect("a simulation is refused").to_string();
        let members = |count| builder(fractal, choice).members((0..count).map(Member::new)).build();
        let [few, many] = [2, 200].map(|count| members(count).err().expect("members are refused").to_string());
        let target = Target::cuda().demanding(Some(choice.clone()));
        let on_gpu =
            choices(&domain(fractal, LEVEL), &life, &target).map(|_| ()).expect_err("a target is refused").to_string();
        assert!([alone, few, many, on_gpu].iter().all(|error| error.contains(what)), "{what}");
    };
    for (fractal, other) in [
        (&torus, plan(&square, LEVEL)),
        (&square, plan(&torus, LEVEL)),
        (&cylinder, plan(&torus, LEVEL)),
        (&square, plan(&square, LEVEL - 1)),
        (&vicsek, plan(&cross, LEVEL)),
    ] {
        is_refused(fractal, &other, "is of another fractal, level or periodic edge");
    }
    for steps in [0, 5, u32::MAX] {
        let choice = Choice { steps, ..plan(&torus, LEVEL) };
        is_refused(&torus, &choice, &format!("passes of {steps} time steps are demanded; valid are 1 to 4"));
    }
    let (mut right, mut wanted) = (
        builder(&torus, &plan(&torus, LEVEL)).build().unwrap(),
        Simulation::builder(Arc::clone(&torus), Arc::clone(&life))
            .level(LEVEL)
            .backend(Backend::Reference)
            .build()
            .unwrap(),
    );
    right.step(7).unwrap();
    wanted.step(7).unwrap();
    assert_eq!(right.digests().unwrap(), wanted.digests().unwrap());
}
