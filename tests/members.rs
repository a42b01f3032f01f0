//! Members of an ensemble as lanes of the same columns on the CPU, against members with lanes of their own.

use squeeze::compiler::pipeline::compiled;
use squeeze::compiler::plan::{candidates, member_candidates};
use squeeze::compiler::target::{Choice, Machine};
use squeeze::ir::{Axes, Round};
use squeeze::sweep::work::{self, How, Watch};
use squeeze::sweep::{Sweep, SweepFolder, Wishes};
use squeeze::{Backend, Domain, Ensemble, Failure, Fractal, Member, Rule, Simulation, resolve};
use squeeze_tests::course::{library, without_caches};
use squeeze_tests::{fractals, periodic, root, rules};
use std::sync::Arc;

/// They fill some words and a part of another one.
const MEMBERS: u64 = 150;

/// Somebody who looks away.
struct Nobody;

impl Watch for Nobody {}

fn seeds(first: u64) -> Vec<Member> {
    (first..first + MEMBERS).map(Member::new).collect()
}

fn ensemble(domain: &Domain, rule: &Arc<Rule>, plan: Option<Choice>, members: Vec<Member>) -> Ensemble {
    let builder = Simulation::builder(Arc::clone(domain.fractal()), Arc::clone(rule)).level(domain.level());
    let builder = builder.backend(Backend::Cpu).threads(2);
    plan.into_iter().fold(builder, |builder, plan| builder.plan(plan)).members(members).build().expect("it runs")
}

fn lane_digits(ensemble: &Ensemble) -> u32 {
    ensemble.execution().expect("kernels").lane_digits
}

/// Members with lanes of their own.
fn apart(domain: &Domain, rule: &Arc<Rule>, members: Vec<Member>) -> Option<Ensemble> {
    let plan = candidates(domain, rule, &Machine::cpu(1), 1)
        .into_iter()
        .find(|plan| plan.layout().unwrap().lane_digits() > 0)?;
    let ensemble = ensemble(domain, rule, Some(plan), members);
    assert!(lane_digits(&ensemble) > 0);
    Some(ensemble)
}

/// Layouts in which members can be lanes: the first, one of several steps, and one of single cells, if there are any.
fn layouts(domain: &Domain, rule: &Rule) -> Vec<Choice> {
    let all = member_candidates(domain, rule, &Machine::cpu(1), MEMBERS as usize);
    let single = all.iter().find(|plan| plan.layout().unwrap().micro_digits() == 0);
    let several = all.iter().find(|plan| plan.steps > 1 && !plan.layout().unwrap().is_whole());
    [all.first(), several, single].into_iter().flatten().cloned().collect()
}

/// The largest level with at most this number of cells.
fn domain(fractal: &Arc<Fractal>, most: u64) -> Domain {
    let levels = (0..).map(|level| Domain::new(Arc::clone(fractal), level).expect("small"));
    levels.take_while(|domain| domain.cells() <= most).last().expect("level 0 has one cell")
}

/// Whether members of a rule can be lanes if they have the same parameters.
fn can_share(rule: &Rule) -> bool {
    !rule.draws() && rule.globals.is_empty() && rule.reductions.iter().all(|reduction| reduction.round == Round::First)
}

fn look(ensemble: &Ensemble) -> Vec<String> {
    let (digests, observed) = (ensemble.digests().expect("digests"), ensemble.observe().expect("observables"));
    digests.iter().zip(&observed).map(|(digests, observed)| format!("{digests:?} {observed:?}")).collect()
}

/// The states and observables of an ensemble on its way, and once more from other seeds.
fn sights(ensemble: &mut Ensemble) -> Vec<Vec<String>> {
    let mut sights = Vec::new();
    for first in [5000, 0] {
        sights.push(look(ensemble));
        for steps in [1, 4, 7] {
            ensemble.step(steps).expect("steps");
            sights.push(look(ensemble));
        }
        let observed = ensemble.step_observing(2, 3).expect("steps");
        sights.extend(observed.iter().map(|members| members.iter().map(|values| format!("{values:?}")).collect()));
        ensemble.restart(&seeds(first)).expect("other seeds");
    }
    sights
}

fn compare(domain: &Domain, rule: &Arc<Rule>) -> usize {
    let layouts = layouts(domain, rule);
    let Some(mut apart) = apart(domain, rule, seeds(0)) else { return 0 };
    let wanted = sights(&mut apart);
    let mut compared = 0;
    for plan in layouts {
        let what = format!("{} on {} at level {}, {plan}", rule.name, domain.fractal().name, domain.level());
        let mut together = ensemble(domain, rule, Some(plan), seeds(0));
        for (turn, (found, wanted)) in sights(&mut together).iter().zip(&wanted).enumerate() {
            assert_eq!(found, wanted, "{what}, look {turn}");
        }
        compared += 1;
    }
    compared
}

#[test]
fn members_as_lanes_are_what_they_are_apart() {
    let (fractals, rules) = (fractals(), rules());
    let mut compared = 0;
    for (number, rule) in rules.iter().enumerate() {
        let rule = resolve::rule(rule).expect("it ships");
        for (index, name) in fractals.iter().enumerate().filter(|(index, _)| (index + number) % 10 == 0) {
            let fractal = resolve::fractal(name).expect("it ships");
            let domain = domain(&fractal, if index % 2 == 0 { 130 } else { 30 });
            if can_share(&rule) && domain.admits(&rule).is_ok() {
                compared += compare(&domain, &rule);
            }
        }
    }
    println!("{compared} ensembles agree");
    assert!(compared > 50, "{compared}");
}

/// All kinds of states and reductions, coordinates, and edges that meet.
#[test]
fn all_that_rules_can_say() {
    let text = "
        rule floats {
            param rate: f64 = 0.25
            state u: f32
            state v: f64
            state small: u8
            init u = uniform() - 0.5
            init v = f64(uniform())
            init small = if random(0.5) { 7 } else { 250 }
            next u = u + 0.1 * sum(moore, nb.u - u) / (1.0 + abs(u))
            next v = v + rate * f64(u[1, 0] else 0.5)
            next small = small + if (x + 2 * y) % 5 == 0 { 3 } else { 1 }
            observe mean_u = mean(u)
            observe least = min(v)
            observe greatest = max(u)
            observe squares = mean(v * v)
            observe kinds = histogram(u, -1.0, 1.0, 4)
            observe smallest = min(small)
            observe sum_small = sum(small)
        }
    ";
    let floats = Arc::clone(&library(text).rules[0]);
    let quiet = resolve::rule(&root().join("tests/gpu/totals.rule").display().to_string()).expect("it is there");
    for name in ["sierpinski_triangle", "vicsek", "full_square", "h_fractal"] {
        let fractal = resolve::fractal(name).expect("it ships");
        for axes in [Axes::NONE, Axes([true, false, false]), Axes::of(fractal.dimension)] {
            let fractal = periodic(&fractal, axes);
            for rule in [&floats, &quiet] {
                assert!(compare(&domain(&fractal, 130), rule) > 0, "{} on {name}", rule.name);
            }
        }
    }
}

/// One member is looked at and changed, by a NaN as well; the others stay as they are.
#[test]
fn members_are_read_and_written_one_by_one() {
    let domain = Domain::new(resolve::fractal("sierpinski_carpet").expect("it ships"), 3).expect("small");
    let rule = resolve::rule("heat").expect("it ships");
    let plan = layouts(&domain, &rule).remove(0);
    let mut both = [ensemble(&domain, &rule, Some(plan), seeds(3)), apart(&domain, &rule, seeds(3)).expect("lanes")];
    assert_eq!(lane_digits(&both[0]), 0);
    for ensemble in &mut both {
        ensemble.step(2).expect("steps");
        ensemble.set_field(101, "u", 100, &[5.0f32, f32::NAN, -1.0]).expect("it is written");
        ensemble.step(3).expect("steps");
    }
    let [together, apart] = both;
    let u = |ensemble: &Ensemble| -> Vec<u32> {
        ensemble.field::<f32>("u").expect("it is read").into_iter().map(f32::to_bits).collect()
    };
    assert_eq!(u(&together), u(&apart));
    assert!(u(&together)[101 * 512..102 * 512].iter().any(|bits| f32::from_bits(*bits).is_nan()));
    assert_eq!(look(&together), look(&apart));
    assert_eq!(together.members()[7].value("u", 9).expect("a cell"), apart.members()[7].value("u", 9).expect("a cell"));
}

/// Lanes have the same parameters: members that differ in them have lanes of their own, from the beginning or as soon as they begin anew.
#[test]
fn members_that_are_not_there_are_refused() {
    let domain = Domain::new(resolve::fractal("vicsek").unwrap(), 2).unwrap();
    let mut one = ensemble(&domain, &resolve::rule("life").unwrap(), None, seeds(1).into_iter().take(1).collect());
    let message = one.set_field(7, "alive", 0, &[true]).unwrap_err().to_string();
    assert_eq!(message, "there is no member 7: the ensemble has 1, from 0 on");
    let message = one.init_from(1, &["alive"]).unwrap_err().to_string();
    assert_eq!(message, "there is no member 1: the ensemble has 1, from 0 on");
    assert_eq!(one.restart(&[]).unwrap_err().to_string(), "the ensemble has 1 members, and 0 are given");
}

#[test]
fn parameters_that_differ_take_members_apart() {
    let domain = Domain::new(resolve::fractal("sierpinski_triangle").expect("it ships"), 6).expect("small");
    let rule = resolve::rule("heat").expect("it ships");
    let one = Simulation::builder(Arc::clone(domain.fractal()), Arc::clone(&rule)).level(6);
    let alone = one.backend(Backend::Cpu).threads(1).build().expect("it runs").execution();
    let name = &rule.params[0].name;
    let different = || (0..MEMBERS).map(|seed| Member::new(seed).param(name, 0.05 + 0.0005 * seed as f64));
    let alike = || (0..MEMBERS).map(|seed| Member::new(seed).param(name, 0.07));
    let mut together = ensemble(&domain, &rule, None, alike().collect());
    let mut apart = apart(&domain, &rule, alike().collect()).expect("lanes");
    assert_eq!(lane_digits(&together), 0, "small members are lanes");
    for _ in 0..2 {
        for ensemble in [&mut together, &mut apart] {
            ensemble.step(5).expect("steps");
        }
        assert_eq!(look(&together), look(&apart));
        for ensemble in [&mut together, &mut apart] {
            ensemble.restart(&different().collect::<Vec<_>>()).expect("other parameters");
        }
    }
    assert_eq!(together.execution(), alone);
    let beginning = ensemble(&domain, &rule, None, different().collect());
    assert_eq!(beginning.execution(), alone);
    assert_eq!(look(&beginning), look(&together));
}

/// Draws from disorder have the disorder seed, and all others that of the run.
#[test]
fn disorder_has_a_seed_of_its_own() {
    let text = |from: &str| {
        format!(
            "domain sheet {{ size (40, 11) }}
            rule glass {{
                param p: f32 = 0.5
                state up: bit
                state site: bit
                state j: f32
                state half: f32
                state on: bit
                state count: i32
                init up = random(0.5)
                init site = random(p){from}
                init j = normal(){from} + uniform(){from}
                init half = 0.5 * j + f32(x)
                init on = site && random(0.5)
                step flip colour of von_neumann {{
                    next up = random(1.0 / (1.0 + exp(-2.0 * sum(von_neumann, if nb.up {{ nb.j * j }} else {{ -nb.j * j }}))))
                }}
                step tell {{ next count = count + i32(on) }}
            }}"
        )
    };
    let (with, without) = (library(&text(" from disorder")), library(&text("")));
    let states = ["up", "site", "j", "half", "on"];
    let triangle = resolve::fractal("sierpinski_triangle").unwrap();
    for (fractal, level) in [(&with.fractals[0], 1), (&triangle, 5)] {
        let begin = |library: &squeeze::compiler::Library, backend| {
            Simulation::builder(fractal.clone(), library.rules[0].clone()).level(level).backend(backend)
        };
        let digests = |simulation: &Simulation| -> Vec<u64> {
            let all = simulation.digests().unwrap();
            states.iter().map(|name| all.iter().find(|(known, _)| known == name).unwrap().1).collect()
        };
        for backend in [Backend::Cpu, Backend::Reference] {
            // Nothing is another number where no other seed is given, or the same.
            let plain = begin(&without, backend).seed(7).build().unwrap();
            let of_seven = begin(&with, backend).seed(7).build().unwrap();
            assert_eq!(digests(&plain), digests(&of_seven));
            let of_three = begin(&without, backend).seed(3).build().unwrap();
            let mut mixed = begin(&with, backend).seed(7).disorder(3).build().unwrap();
            let (seven, three, found) = (digests(&plain), digests(&of_three), digests(&mixed));
            assert_eq!(found[..4], [seven[0], three[1], three[2], three[3]]);
            // Draws of the run may read disorder.
            let chance = begin(&without, backend).seed(7).set("p=1").build().unwrap().field::<bool>("on").unwrap();
            let sites = of_three.field::<bool>("site").unwrap();
            let wanted: Vec<bool> = sites.iter().zip(&chance).map(|(site, chance)| *site && *chance).collect();
            assert_eq!(mixed.field::<bool>("on").unwrap(), wanted);
            // Two replicas of one disorder with other noise.
            let other = begin(&with, backend).seed(8).disorder(3).build().unwrap();
            assert_eq!(digests(&other)[1..4], found[1..4]);
            assert_ne!(digests(&other)[0], found[0]);
            mixed.step(3).unwrap();
            let course = digests(&mixed);
            mixed.restart(7, &[] as &[&str]).unwrap();
            assert_eq!(digests(&mixed), found);
            mixed.step(3).unwrap();
            assert_eq!(digests(&mixed), course);
            let members = [Member::new(7).disorder(3), Member::new(7), Member::new(8).disorder(3)];
            let mut ensemble = begin(&with, backend).members(members.clone()).build().unwrap();
            for _ in 0..2 {
                let all: Vec<Vec<u64>> = ensemble.members().iter().map(digests).collect();
                assert_eq!(all, [found.clone(), seven.clone(), digests(&other)]);
                ensemble.restart(&members).unwrap();
            }
        }
    }
}

/// A sweep compiles its rule once, and once more where members are lanes, whether or not somebody has built its first member.
#[test]
fn sweeps_compile_their_rule_once() {
    let place = tempfile::tempdir().expect("a folder");
    let cases = [
        ("sierpinski_carpet", "ising", 2, "0..5", 1),
        ("T16,16", "life", 1, "0..5", 1),
        ("vicsek", "life", 2, "7", 1),
        ("sierpinski_triangle", "heat", 6, "0..150", 2),
    ];
    for (number, (fractal, rule, level, seeds, times)) in cases.into_iter().enumerate() {
        let (fractal, fractal_texts) =
            resolve::domain_with_texts(fractal, &resolve::Edges::default()).expect("it ships");
        let (rule, rule_texts) = resolve::rule_with_texts(rule).expect("it ships");
        let domain = Domain::new(fractal, level).expect("small");
        let mut wishes = Wishes::default();
        wishes.seeds = seeds;
        let sweep = Sweep::new(fractal_texts, rule_texts, &rule, &[domain], 8, wishes, &[]).expect("it is possible");
        let mut how = How::default();
        (how.backend, how.threads) = (Backend::Cpu, Some(2));
        let tables = [false, true].map(|is_there| {
            let path = place.path().join(format!("{number}{is_there}"));
            let folder = SweepFolder::create(&path, &sweep).expect("it is made");
            let before = compiled();
            let first = is_there.then(|| work::first(&sweep, 0, how).expect("it runs"));
            let summary =
                work::run_keeping(work::KEEP, &folder, &sweep, (how, first), &[], &mut Nobody).expect("it runs");
            assert!(summary.is_some() && compiled() == before + times, "{} of {times}", compiled() - before);
            std::fs::read_to_string(path.join("observables.csv")).expect("a table")
        });
        assert_eq!(tables[0], tables[1]);
    }
}

/// Members that do not fit together are refused with how many do; those that just fit are what they are with more room.
#[test]
fn members_that_do_not_fit_are_counted() {
    let domain = Domain::new(resolve::fractal("sierpinski_triangle").expect("it ships"), 6).expect("small");
    let rule = resolve::rule("heat").expect("it ships");
    let one = Simulation::builder(Arc::clone(domain.fractal()), rule).level(6).backend(Backend::Cpu).threads(1);
    let alone = one.clone().build().expect("it runs");
    let need = |members: u64| alone.memory_bytes() + (members - 1) * alone.state_bytes();
    let within = |bytes: u64| one.clone().memory_limit(bytes).members(seeds(0)).build();
    let few = within(need(MEMBERS) - 1).map(drop).expect_err("one more does not fit");
    assert_eq!(few.help(), ["there is room for 149 members"], "{few}");
    let one_alone = within(need(1)).map(drop).expect_err("one more does not fit");
    assert_eq!(one_alone.help(), ["there is room for 1 member"], "{one_alone}");
    let (tight, wide) = (within(need(MEMBERS)).expect("they fit"), within(3 * need(MEMBERS)).expect("they fit"));
    assert_eq!(look(&tight), look(&wide));
}

#[test]
fn steps_that_store_different_states_agree_in_bands_and_alone() {
    let texts = library(
        "domain wide { size (513, 4)  cells random(0.95) }
        domain ring { size (300, 40)  periodic }
        rule steps {
            state a: bit
            state b: enum { red, green, blue }
            state c: bit
            init a = random(0.5)
            init b = if random(0.3) { green } else { blue }
            init c = x % 3 == 0
            step first { next a = a != any(moore, nb.c)  next c = a }
            step second { next a = a[1, 1] else a  next b = if count(moore, nb.a) == 3 { red } else { green } }
        }",
    );
    for domain in &texts.fractals {
        let rule = &texts.rules[0];
        let builder = || Simulation::builder(Arc::clone(domain), Arc::clone(rule)).level(1).threads(2);
        let in_bands = builder().backend(Backend::Cpu).activity(false).hardware(without_caches());
        let mut ensemble = in_bands.members((0..5).map(Member::new)).build().unwrap();
        let mut alone: Vec<Simulation> =
            (0..5).map(|seed| builder().backend(Backend::Reference).seed(seed).build().unwrap()).collect();
        // A single step runs kernel by kernel, several in bands; only the second kernel knows of `b`, which nothing reads.
        for steps in [1, 2, 40, 1, 3] {
            ensemble.step(steps).unwrap();
            for (member, (simulation, found)) in alone.iter_mut().zip(ensemble.digests().unwrap()).enumerate() {
                simulation.step(steps).unwrap();
                assert_eq!(found, simulation.digests().unwrap(), "member {member} on {}", domain.name);
            }
        }
    }
}
