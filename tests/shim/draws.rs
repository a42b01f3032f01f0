//! Layouts whose warps make random planes together.

use super::cases::{builder, in_parallel, sights};
use super::members::members_of;
use squeeze::compiler::geometry::FittedRule;
use squeeze::compiler::layout::Layout;
use squeeze::compiler::target::Choice;
use squeeze::compiler::{Program, Target};
use squeeze::{Backend, Domain, Member, Rule, SimulationBuilder, cuda, resolve};
use squeeze_tests::is_chosen;
use squeeze_tests::ties::{SEED, tied_runs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Rows that threads do not fill, of words that blocks of planes do not: boxes and tori, and a mask.
const ROWS: &str = "
domain wide { size (2200, 9) }
domain ring { size (1100, 4)  periodic }
domain short { size (340, 6)  periodic y }
domain thin { size (70, 5) }
domain thread { size (1, 300) }
domain pair { size (2, 130)  periodic y }
domain sliver { size (3, 90)  periodic x }
domain strip { size (20, 50)  periodic y }
domain band { size (40, 33) }
domain lane { size (120, 21)  periodic }
domain road { size (200, 12)  periodic }
domain space { size (140, 4, 3) }
domain holes { size (1200, 7)  cells random(0.7) }
domain dust { size (700, 20)  cells random(0.03) }
";

/// Kernels whose warps share the planes of their superblocks, in a simulation and in members, beside the backend
/// `cpu`, which other tests compare with the oracle. Not all warps are full, and members begin in the midst of a block.
pub(crate) fn draws() {
    // Columns of 243 lanes are two threads of four words, those of 125 one, and the others lie on whole blocks.
    let layouts = [
        ("sierpinski_triangle", [(7, 5, 1), (9, 5, 1), (10, 5, 2)].as_slice()),
        ("vicsek", &[(5, 3, 1), (6, 3, 0)]),
        ("sierpinski_carpet", &[(4, 3, 0), (4, 3, 1)]),
        ("full_square", &[(6, 4, 1), (6, 5, 0)]),
    ];
    let rules = ["ising", "forest_fire", "voter", "greenberg_hastings"].map(|name| resolve::rule(name).unwrap());
    let mut cases = Vec::new();
    for (fractal, layouts) in layouts {
        let fractal = resolve::fractal(fractal).unwrap();
        for (level, lane_digits, micro_digits) in layouts {
            let domain = Domain::new(Arc::clone(&fractal), *level).unwrap();
            let layout = Layout::new(&domain, *lane_digits, *micro_digits).unwrap();
            let plan = Choice::of_layout(layout, false);
            cases.extend(rules.iter().map(|rule| (domain.fit(rule).unwrap(), plan.clone())));
        }
    }
    // By day each layout with every third rule.
    let cases = cases.into_iter().enumerate().filter(|(number, _)| is_chosen(number + number / 4, 3));
    let cases: Vec<_> = cases.map(|(_, case)| case).collect();
    let by_warps = AtomicUsize::new(0);
    in_parallel(&cases, |_, (fitted, plan)| {
        let (domain, rule) = (fitted.domain(), fitted.written());
        let what = format!("{} on {} at level {}, {plan:?}", rule.name, domain.fractal().name, domain.level());
        let planned = builder(domain, rule).backend(Backend::Cuda).plan(plan.clone());
        assert_eq!(sights(planned.clone()), sights(builder(domain, rule).backend(Backend::Cpu)), "{what}");
        agree_with_runs_of_their_own(domain, rule, planned, 8);
        let compiled = Program::of(fitted, &Target { demanded: Some(plan.clone()), ..Target::cuda() }).unwrap();
        let text = cuda::program(&compiled, None).text;
        by_warps.fetch_add(usize::from(text.contains("blocks_of_warp(first_cell")), Relaxed);
    });
    // Threads beyond the last word of a row take part without a word of their own.
    let rows = squeeze_tests::course::library(ROWS);
    in_parallel(&rows.fractals, |_, fractal| {
        let domain = Domain::new(Arc::clone(fractal), 1).unwrap();
        for rule in rules.iter().filter(|rule| domain.admits(rule).is_ok()) {
            let of = |backend| sights(builder(&domain, rule).backend(backend));
            assert_eq!(of(Backend::Cuda), of(Backend::Cpu), "{} on {}", rule.name, fractal.name);
        }
    });
    let by_warps = by_warps.into_inner();
    println!("{} layouts agree, {by_warps} whose warps share planes", cases.len());
    let shares = |(fitted, _): &&(FittedRule, Choice)| {
        ["sierpinski_triangle", "vicsek"].contains(&&*fitted.domain().fractal().name)
    };
    assert_eq!(by_warps, cases.iter().filter(shares).count(), "all on the triangle and on Vicsek's");
}

/// Members with seeds and parameters of their own beside runs of their own on the backend `cpu`.
fn agree_with_runs_of_their_own(domain: &Domain, rule: &Arc<Rule>, planned: SimulationBuilder, members: usize) {
    let all = members_of(rule, members);
    let member = |(seed, setting): &(u64, Option<String>)| {
        setting.iter().fold(Member::new(*seed), |member, setting| member.set(setting))
    };
    let what = format!("{members} members of {} on {} at level {}", rule.name, domain.fractal().name, domain.level());
    let built = planned.backend(Backend::Cuda).members(all.iter().map(member)).build();
    let mut ensemble = built.unwrap_or_else(|error| panic!("{what}: {error}"));
    ensemble.step(5).unwrap();
    let found = ensemble.digests().unwrap();
    for (number, (seed, setting)) in all.iter().enumerate() {
        let one = setting.iter().fold(builder(domain, rule).seed(*seed), |builder, setting| builder.set(setting));
        let mut simulation = one.backend(Backend::Cpu).build().unwrap();
        simulation.step(5).unwrap();
        assert_eq!(found[number], simulation.digests().unwrap(), "{what}, member {number}, {setting:?}");
    }
}

/// Enough members in turn that what fills up their last warps comes to blocks of threads: then a block begins with another member than if nothing were
/// filled up.
pub(crate) fn filled_members() {
    let cases = [
        ("sierpinski_triangle", "voter", 9, (5, 0), 60),
        ("sierpinski_triangle", "voter", 12, (5, 0), 5),
        ("sierpinski_triangle", "ising", 9, (5, 1), 17),
        ("sierpinski_triangle", "bond_percolation", 9, (5, 1), 9),
        ("vicsek", "forest_fire", 6, (3, 0), 50),
    ];
    in_parallel(&cases, |_, (fractal, rule, level, (lane_digits, micro_digits), members)| {
        let domain = Domain::new(resolve::fractal(fractal).unwrap(), *level).unwrap();
        let rule = resolve::rule(rule).unwrap();
        let layout = Layout::new(&domain, *lane_digits, *micro_digits).unwrap();
        assert!(!layout.superblocks().is_multiple_of(16), "nothing is filled up");
        let plan = Choice::of_layout(layout, false);
        agree_with_runs_of_their_own(&domain, &rule, builder(&domain, &rule).plan(plan), *members);
    });
    println!("{} ensembles agree", cases.len());
}

/// Draws that further planes decide, in simulations and in members, which are lanes where there are many.
pub(crate) fn ties() {
    let runs = tied_runs(2);
    in_parallel(&runs, |turn, run| {
        if run.rule.name == "turns" {
            return;
        }
        let wanted = run.hits(run.builder().backend(Backend::Cpu));
        // By day in one of two ways by turns.
        for packed in [false, true].into_iter().filter(|packed| is_chosen(turn + usize::from(*packed), 2)) {
            assert_eq!(run.hits(run.builder().backend(Backend::Cuda).packed(packed)), wanted, "{}", run.what);
        }
        if run.settings.is_empty() {
            return;
        }
        for members in [3, 40].into_iter().filter(|members| is_chosen(turn / 2 + *members as usize, 2)) {
            let all = (0..members).map(|number| {
                let member = run.settings.iter().fold(Member::new(SEED), |member, setting| member.set(setting));
                if number % 2 == 0 { member } else { Member::new(number) }
            });
            let mut ensemble = run.builder().backend(Backend::Cuda).members(all).build().unwrap();
            ensemble.step(1).unwrap();
            ensemble.step(3).unwrap();
            for (number, digests) in ensemble.digests().unwrap().into_iter().enumerate().step_by(2) {
                let found: Vec<u64> = digests.into_iter().map(|(_, digest)| digest).collect();
                assert_eq!(found, wanted.1, "{}, member {number} of {members}", run.what);
            }
        }
    });
    println!("{} runs agree", runs.len());
}
