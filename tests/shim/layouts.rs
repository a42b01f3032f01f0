//! Replica lanes: shipped rules, rules that look far, and programs by chance, on layouts of all kinds.

use super::cases::{STRIDES, builder, domain, in_parallel, judge, plan, shipped, sights, sights_of, try_sights};
use squeeze::compiler::layout::Layout;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::plan::member_candidates;
use squeeze::compiler::target::speciality::{self, Speciality};
use squeeze::compiler::target::{Choice, Machine};
use squeeze::compiler::text::diagnostics;
use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::ir::Axes;
use squeeze::{Backend, Domain, Member, resolve};
use squeeze_testing::{ProgramKind, choices, program, widened};
use squeeze_tests::course::library;
use squeeze_tests::masks::mask;
use squeeze_tests::parts::SUMS;
use squeeze_tests::{by_engine, is_chosen, periodic, strategy};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Everything that ships, as planned and on other layouts: one in 22 of all pairs, by chance, unless all are asked for.
pub(crate) fn lanes() {
    let pairs = shipped().into_iter().enumerate().filter(|(number, _)| is_chosen(mix(*number as u64) as usize, 22));
    let pairs: Vec<_> = pairs.map(|(_, pair)| pair).collect();
    // Runs on the planner's layout, on another one, and of these with several lanes and with several steps a pass.
    let [tried, planned, chosen, wide, several] = [0; 5].map(AtomicUsize::new);
    in_parallel(&pairs, |number, (fractal, rule)| {
        // A fifth of them at a smaller level as well.
        let sizes = [(number, 400), (number + pairs.len(), 100)];
        for (number, most_cells) in sizes.into_iter().take(if number % 5 == 0 { 2 } else { 1 }) {
            tried.fetch_add(1, Relaxed);
            let domain = domain(fractal, most_cells);
            let wanted = sights(builder(&domain, rule).backend(judge()));
            let found = builder(&domain, rule).backend(Backend::Cuda);
            let plan = if number % 4 == 0 { None } else { plan(&domain, rule, number) };
            let what = format!("{} on {} at level {}, {plan:?}", rule.name, fractal.name, domain.level());
            let Some(plan) = plan else {
                assert_eq!(sights(found), wanted, "{what}");
                planned.fetch_add(1, Relaxed);
                continue;
            };
            let (lanes, steps) = (plan.layout().unwrap().lanes(), plan.steps);
            if let Some(found) = try_sights(found.plan(plan)) {
                assert_eq!(found, wanted, "{what}");
                chosen.fetch_add(1, Relaxed);
                wide.fetch_add(usize::from(lanes > 1), Relaxed);
                several.fetch_add(usize::from(steps > 1), Relaxed);
            }
        }
    });
    let [tried, planned, chosen, wide, several] = [tried, planned, chosen, wide, several].map(AtomicUsize::into_inner);
    println!(
        "{planned} planned and {chosen} chosen layouts agree, {wide} of several lanes, {several} of several steps"
    );
    assert!(20 * (planned + chosen) >= 19 * tried, "more than one in twenty of {tried} have no kernels");
    // Rules that draw, most of those that ship, compute one step in a pass.
    assert!(
        3 * wide > chosen && 12 * several > chosen,
        "all kinds of layouts are tried: {wide} and {several} of {chosen}"
    );
}

/// A layout of single cells that look far.
fn far_plan(domain: &Domain, lane_digits: u32) -> Choice {
    Choice::of_layout(Layout::new(domain, lane_digits, 0).unwrap(), true)
}

/// Rules that look farther than beside their superblock, whatever their layout.
pub(crate) fn far() {
    let names = ["far_count", "far_weights", "far_waves", "far_extremes", "far_steps"];
    let fractals = ["full_square", "sierpinski_carpet", "sierpinski_triangle", "candy", "menger_sponge", "tetrix"];
    let mut cases = Vec::new();
    for (turn, fractal) in fractals.into_iter().map(|name| resolve::fractal(name).unwrap()).enumerate() {
        for (number, name) in names.into_iter().enumerate() {
            let rule = resolve::rule(&format!("gpu/far.rule#{name}")).unwrap();
            let axes = if turn % 2 == 0 { Axes::of(fractal.dimension) } else { Axes::NONE };
            let domain = domain(&periodic(&fractal, axes), 700);
            // Every second one by day.
            if is_chosen(number + turn / 2, 2) && domain.admits(&rule).is_ok() {
                cases.push((number + turn, domain, rule));
            }
        }
    }
    let mirrored = Domain::new(resolve::fractal("gpu/far.rule#mirrored").unwrap(), 4).unwrap();
    cases.push((1, mirrored, resolve::rule("gpu/far.rule#far_same").unwrap()));
    let [planned, demanded] = [0; 2].map(AtomicUsize::new);
    in_parallel(&cases, |_, (number, domain, rule)| {
        let wanted = sights(builder(domain, rule).backend(Backend::Reference));
        let what = format!("{} on {} at level {}", rule.name, domain.fractal().name, domain.level());
        // As planned, and with ways across the border that lead any number of lanes away.
        let found = builder(domain, rule).backend(Backend::Cuda);
        match number % 3 {
            0 => {
                assert_eq!(sights(found), wanted, "{what}");
                planned.fetch_add(1, Relaxed);
            }
            turn => {
                let plan = far_plan(domain, if turn == 1 { 1 } else { domain.level() - 1 });
                assert_eq!(sights(found.plan(plan.clone())), wanted, "{what}, {plan:?}");
                demanded.fetch_add(1, Relaxed);
            }
        }
    });
    let (planned, demanded) = (planned.into_inner(), demanded.into_inner());
    println!("{planned} planned and {demanded} demanded layouts agree");
    assert!(planned >= 3 && demanded >= 6, "{planned} and {demanded} of {}", cases.len());
}

/// Lets at neighbours that are kept, by lanes, rows and packed cells, and as members in turn: a third of all pairs, unless all are asked for.
pub(crate) fn lets() {
    let names = ["currents", "chain", "words", "steps", "turns"];
    let rules = names.map(|name| resolve::rule(&format!("gpu/lets.rule#{name}")).unwrap());
    let fractals = ["sierpinski_carpet", "sierpinski_triangle", "full_square", "menger_sponge"];
    let fractals = fractals.map(|name| domain(&resolve::fractal(name).unwrap(), 300));
    let masks = ["sheet", "sparse", "ring", "block"];
    let masks = masks.map(|name| Domain::new(mask(name), 1).unwrap());
    let pairs = fractals.iter().chain(&masks).flat_map(|domain| rules.iter().map(move |rule| (domain, rule)));
    let pairs: Vec<_> =
        pairs.enumerate().filter(|(number, _)| is_chosen(number + number / 5, 3)).map(|(_, pair)| pair).collect();
    let kept = AtomicUsize::new(0);
    in_parallel(&pairs, |number, (domain, rule)| {
        let Ok(fitted) = domain.fit(rule) else { return };
        kept.fetch_add(usize::from(fitted.keeps_cheaper), Relaxed);
        let wanted = sights(builder(domain, rule).backend(judge()));
        let found = builder(domain, rule).backend(Backend::Cuda).packed(domain.levels().is_none() && number % 2 == 0);
        assert_eq!(sights(found), wanted, "{} on {}", rule.name, domain.fractal().name);
        let mut members =
            builder(domain, rule).backend(Backend::Cuda).members([7, 8].map(Member::new).to_vec()).build().unwrap();
        members.step(1).unwrap();
        let looks = format!("{:?} {:?}", members.digests().unwrap()[0], members.observe().unwrap()[0]);
        assert_eq!(looks, wanted[1], "{} on {}, two members", rule.name, domain.fractal().name);
    });
    let kept = kept.into_inner();
    println!("{} runs agree, {kept} of which keep lets", pairs.len());
    assert!(3 * kept >= pairs.len(), "{kept} of {}", pairs.len());
}

/// Random programs, by lanes and by a strategy of the papers: 40, or 80 where all cases are asked for.
pub(crate) fn programs_by_chance() {
    let numbers: Vec<u64> = (1000..if squeeze_tests::all_cases() { 1080 } else { 1040 }).collect();
    let compared = AtomicUsize::new(0);
    in_parallel(&numbers, |number, &chance| {
        let kind = ProgramKind { dimension: 2 + (chance % 2) as u32, bits: chance % 3 == 0 };
        let looks_far = number % 4 == 3;
        let program = program(kind, &choices(chance));
        let text = if looks_far { widened(program).text } else { program.text };
        let mut sources = Sources::new();
        let root = sources.add("chance", text.clone());
        let library = check(&mut sources, root, &mut NoFiles)
            .unwrap_or_else(|errors| panic!("{}\n{text}", diagnostics::render(&errors, &sources, false)));
        let rule = library.rules.last().unwrap();
        // The last one: but a torus may be too small for the rule.
        let domains = library.fractals.iter().rev().map(|fractal| domain(fractal, 300));
        let Some(domain) = { domains }.find(|domain| domain.fit(rule).is_ok()) else {
            assert!(looks_far, "a fractal of program {chance} admits its rule");
            return;
        };
        let wanted = sights(builder(&domain, rule).backend(Backend::Reference));
        // By lanes and by a strategy of the papers.
        let plan = match looks_far {
            true => Some(far_plan(&domain, number as u32 / 4 % 3)),
            false => plan(&domain, rule, number),
        };
        let by_lanes = |plan: &Choice| builder(&domain, rule).backend(Backend::Cuda).plan(plan.clone());
        if let Some(found) = plan.as_ref().and_then(|plan| try_sights(by_lanes(plan))) {
            assert_eq!(found, wanted, "{chance} at level {}, {plan:?}\n{text}", domain.level());
            compared.fetch_add(1, Relaxed);
        }
        let engine = strategy(["squeeze", "lambda", "bounding-box"][number % 3], None);
        compared.fetch_add(1, Relaxed);
        if domain.periodic().any() || !domain.fractal().edges.is_empty() || !domain.fractal().is_isotropic() {
            return;
        }
        if let Some(builder) = by_engine(builder(&domain, rule).backend(Backend::Cuda), &engine) {
            assert_eq!(sights(builder), wanted, "{chance} at level {}, {engine:?}\n{text}", domain.level());
        }
    });
    let (compared, all) = (compared.into_inner(), 2 * numbers.len());
    println!("{compared} of {all} runs agree");
    // Two programs in five may have no short kernels on their layout.
    assert!(10 * compared >= 8 * all, "only {compared} of {all} runs could be compared");
}

/// Cells that know their numbers, on replicas, and on rows of columns and of cells alone: from the beginning twice, alone and as members, in turn and as lanes.
pub(crate) fn numbered() {
    let rule = library(SUMS).rules.pop().unwrap();
    let fractals = ["sierpinski_triangle", "menger_sponge"].map(|name| domain(&resolve::fractal(name).unwrap(), 400));
    let masks = ["sparse", "ragged_torus", "block"].map(|name| Domain::new(mask(name), 1).unwrap());
    let domains: Vec<Domain> = fractals.into_iter().chain(masks).collect();
    speciality::reached();
    in_parallel(&domains, |_, domain| {
        let on_gpu = || builder(domain, &rule).backend(Backend::Cuda);
        let wanted = |seed: u64| sights(builder(domain, &rule).seed(seed).backend(Backend::Reference));
        for packed in [false, true].into_iter().take(if domain.levels().is_none() { 2 } else { 1 }) {
            let mut simulation = on_gpu().packed(packed).build().unwrap();
            for turn in 0..2 {
                assert_eq!(sights_of(&mut simulation), wanted(7), "{domain}, packed: {packed}, turn {turn}");
                simulation.restart(7, &[""; 0]).unwrap();
            }
        }
        let lanes = || member_candidates(domain, &rule, &Machine::gpu(), 40).remove(0);
        for (members, plan) in [(3, None), (40, domain.levels().map(|_| lanes()))] {
            let list: Vec<Member> = (0..members).map(Member::new).collect();
            let ensemble = plan.into_iter().fold(on_gpu(), |builder, plan| builder.plan(plan));
            let mut ensemble = ensemble.members(list.clone()).build().unwrap();
            for turn in 0..2 {
                for steps in std::iter::once(0).chain(STRIDES) {
                    ensemble.step(steps).unwrap();
                }
                let (digests, observed) = (ensemble.digests().unwrap(), ensemble.observe().unwrap());
                for member in [0, members - 1] {
                    let (digests, observed) = (&digests[member as usize], &observed[member as usize]);
                    let last = wanted(member).pop().unwrap();
                    assert_eq!(
                        format!("{digests:?} {observed:?}"),
                        last,
                        "{domain}, {member} of {members}, turn {turn}"
                    );
                }
                ensemble.restart(&list).unwrap();
            }
        }
    });
    let reached = speciality::reached();
    assert!([Speciality::MembersInTurn, Speciality::MemberLanes].iter().all(|kind| reached.contains(kind)));
    println!("{} domains agree", domains.len());
}
