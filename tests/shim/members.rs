//! Members of an ensemble that share kernels: in turn, or as lanes of the same columns.

use super::cases::{MOST_OPERATIONS, STRIDES, builder, domain, in_parallel, judge, plan, shipped, sights};
use squeeze::compiler::kernel::Planes;
use squeeze::compiler::plan::member_candidates;
use squeeze::compiler::target::Machine;
use squeeze::engine::EngineError;
use squeeze::ir::{Axes, Round};
use squeeze::simulation::SimulationError;
use squeeze::{Backend, Domain, Ensemble, Member, Rule, Simulation, Value, params, resolve};
use squeeze_tests::compare::executors::{Wanted, executors};
use squeeze_tests::compare::{Size, Trial, compare};
use squeeze_tests::periodic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Members of a rule, with other values of its first number where it has one.
pub(crate) fn members_of(rule: &Rule, count: usize) -> Vec<(u64, Option<String>)> {
    let number = rule.params.iter().find_map(|param| match param.default {
        Value::F32(value) if param.derived.is_none() => Some((&param.name, f64::from(value))),
        Value::F64(value) if param.derived.is_none() => Some((&param.name, value)),
        _ => None,
    });
    let setting = |seed: u64| {
        let setting = number.map(|(name, value)| format!("{name}={}", value * (1.0 - 0.03 * (seed % 20) as f64)));
        setting.filter(|setting| params::resolve(rule, std::slice::from_ref(setting)).is_ok())
    };
    let seeds = [7, 0, 0xffff_ffff_0000_0001].into_iter().chain(100..);
    seeds.take(count).enumerate().map(|(i, seed)| (seed, setting(i as u64))).collect()
}

/// Copies of simulations and of members go on as their originals do, which began with arrays.
pub(crate) fn copies() {
    let (fractal, rule) = (resolve::fractal("sierpinski_carpet").unwrap(), resolve::rule("ising").unwrap());
    let up: Vec<bool> = (0..729).map(|place| place % 5 < 2).collect();
    let builder = Simulation::builder(fractal, rule).level(3).seed(3).initial_grid("up", up);
    let digests = |one: &Simulation| one.digests().unwrap().into_iter().map(|(_, digest)| digest).collect::<Vec<_>>();
    let wanted = |seed: u64, steps: u64| {
        let mut one = builder.clone().seed(seed).backend(Backend::Reference).build().unwrap();
        one.step(steps).unwrap();
        digests(&one)
    };
    let on_device = builder.clone().backend(Backend::Cuda);
    let mut one = on_device.clone().build().unwrap();
    assert_eq!(digests(&one), wanted(3, 0));
    one.step(5).unwrap();
    let mut copy = one.copy().unwrap();
    copy.step(7).unwrap();
    assert_eq!((copy.backend(), digests(&copy)), (Backend::Cuda, wanted(3, 12)));
    assert_eq!((one.time(), digests(&one)), (5, wanted(3, 5)), "the original stands still");
    let mut all = on_device.members([Member::new(1), Member::new(2)]).build().unwrap();
    all.step(5).unwrap();
    let mut second = all.members()[1].copy().unwrap();
    second.step(7).unwrap();
    assert_eq!((second.time(), digests(&second)), (12, wanted(2, 12)));
    println!("copies agree");
}

/// Members of everything that ships, in one set of kernels: of every eleventh pair, unless more are asked for.
pub(crate) fn members() {
    let every = if squeeze_tests::all_cases() { 5 } else { 11 };
    let pairs: Vec<_> = shipped().into_iter().enumerate().filter(|(number, _)| number % every == 0).collect();
    let [compared, wide] = [0; 2].map(AtomicUsize::new);
    in_parallel(&pairs, |_, (number, (fractal, rule))| {
        let domain = domain(fractal, if number % 2 == 0 { 300 } else { 60 });
        let all = members_of(rule, 3);
        let of = |(seed, setting): &(u64, Option<String>)| {
            setting.iter().fold(builder(&domain, rule).seed(*seed), |builder, setting| builder.set(setting))
        };
        let plan = if number % 4 == 0 { None } else { plan(&domain, rule, *number) };
        wide.fetch_add(usize::from(plan.as_ref().is_some_and(|plan| plan.layout().unwrap().lanes() > 1)), Relaxed);
        let what = format!("{} on {} at level {}, {plan:?}", rule.name, fractal.name, domain.level());
        let ensemble = builder(&domain, rule).backend(Backend::Cuda);
        let ensemble = plan.into_iter().fold(ensemble, |builder, plan| builder.plan(plan));
        let member = |(seed, setting): &(u64, Option<String>)| {
            setting.iter().fold(Member::new(*seed), |member, setting| member.set(setting))
        };
        let list: Vec<Member> = all.iter().map(member).collect();
        let mut ensemble = match ensemble.members(list.clone()).build() {
            Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return,
            built => built.unwrap_or_else(|error| panic!("{what}: {error}")),
        };
        let look = |ensemble: &Ensemble| -> Vec<String> {
            let (digests, observed) = (ensemble.digests().unwrap(), ensemble.observe().unwrap());
            digests.iter().zip(&observed).map(|(digests, observed)| format!("{digests:?} {observed:?}")).collect()
        };
        let wanted: Vec<Vec<String>> = all.iter().map(|one| sights(of(one).backend(judge()))).collect();
        // Again from the beginning, in another order.
        for turn in 0..2 {
            let mut found = vec![look(&ensemble)];
            for steps in STRIDES {
                ensemble.step(steps).unwrap();
                found.push(look(&ensemble));
            }
            for (index, sights) in found.iter().enumerate() {
                let now: Vec<String> = (0..3).map(|one| wanted[(one + turn) % 3][index].clone()).collect();
                assert_eq!(*sights, now, "{what}, turn {turn}");
            }
            ensemble.restart(&[1, 2, 0].map(|one| list[one].clone())).unwrap();
        }
        compared.fetch_add(1, Relaxed);
    });
    let [compared, wide] = [compared, wide].map(AtomicUsize::into_inner);
    println!("{compared} ensembles agree, {wide} of several lanes");
    assert!(10 * compared >= 9 * pairs.len() && 4 * wide > compared, "{compared} and {wide} of {}", pairs.len());
    // Members are looked at and changed one by one, and large ones are folded in groups.
    let (carpet, rule) = (resolve::fractal("sierpinski_carpet").unwrap(), resolve::rule("heat").unwrap());
    let domain = Domain::new(carpet, 3).unwrap();
    let members = [3, 4].map(Member::new);
    let mut ensemble = builder(&domain, &rule).backend(Backend::Cuda).members(members.clone()).build().unwrap();
    let mut apart = builder(&domain, &rule).backend(Backend::Cpu).members(members).build().unwrap();
    for ensemble in [&mut ensemble, &mut apart] {
        ensemble.step(2).unwrap();
        ensemble.set_field(1, "u", 100, &[5.0f32, f32::NAN, -1.0]).unwrap();
        ensemble.step(3).unwrap();
    }
    let u: Vec<u32> = ensemble.field::<f32>("u").unwrap().into_iter().map(f32::to_bits).collect();
    assert_eq!(u, apart.field::<f32>("u").unwrap().into_iter().map(f32::to_bits).collect::<Vec<_>>());
    assert_eq!(u.len(), 2 * 512);
    assert_ne!(u[..512], u[512..]);
    assert_eq!(ensemble.digests().unwrap(), apart.digests().unwrap());
    assert_eq!(ensemble.members()[1].value("u", 7).unwrap(), apart.members()[1].value("u", 7).unwrap());
}

/// Members as lanes of the same columns: rules of bits that draw nothing in their steps, of all kinds of observables.
pub(crate) fn member_lanes() {
    let bits = "rule bits {
        param rate: f64 = 0.25
        state up: bit
        state kind: enum { a, b, c }
        init up = random(0.4)
        init kind = if random(0.3) { b } else { c }
        next up = count(moore, nb.up) == 3 || up && step % 3 != 0
        next kind = if up { kind } else if f64(x + 2 * y) * rate > 2.0 { a } else { kind[1, 0] else c }
        observe magnetisation = sum(if up { 1 } else { -1 })
        observe many = count(up && kind != c)
        observe least = min(if up { x } else { width })
        observe greatest = max(y - if kind == b { 1000 } else { 0 })
        observe squares = mean(f64(count(moore, nb.up)) * 0.1)
        observe highest = max(f32(x) * if up { 0.5 } else { 0.25 })
    }";
    let mut rules = vec![Arc::clone(&squeeze_tests::course::library(bits).rules[0])];
    rules.extend(["gpu/roads.rule#leaning"].map(|name| resolve::rule(name).unwrap()));
    let shipped = squeeze_tests::rules().into_iter().map(|name| resolve::rule(&name).unwrap());
    let first_round = |rule: &Rule| rule.reductions.iter().all(|reduction| reduction.round == Round::First);
    let suits =
        |rule: &Arc<Rule>| !rule.draws() && rule.globals.is_empty() && Planes::are_bits(rule) && first_round(rule);
    rules.extend(shipped.filter(suits));
    let fractals = ["sierpinski_triangle", "vicsek", "sierpinski_carpet", "full_square", "h_fractal", "tetrix"];
    let mut cases = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        for (turn, name) in fractals.iter().enumerate().filter(|(turn, _)| number < 2 || (turn + number) % 6 == 0) {
            let fractal = resolve::fractal(name).unwrap();
            let fractal = periodic(&fractal, if turn % 2 == 0 { Axes::NONE } else { Axes::of(fractal.dimension) });
            let domain = domain(&fractal, if number % 2 == 0 { 300 } else { 90 });
            if domain.admits(rule).is_ok() {
                cases.push((number + turn, domain, Arc::clone(rule)));
            }
        }
    }
    let [compared, several, observed] = [0; 3].map(AtomicUsize::new);
    in_parallel(&cases, |_, (number, domain, rule)| {
        let members = [33, 64, 100, 257][number % 4];
        let mut plans = member_candidates(domain, rule, &Machine::gpu(), members);
        plans.retain(|plan| plan.estimate.operations <= MOST_OPERATIONS);
        if plans.is_empty() {
            return;
        }
        let plan = plans.swap_remove(number * 7919 % plans.len());
        let what = format!(
            "{} on {} at level {}, {members} members, {plan:?}",
            rule.name,
            domain.fractal().name,
            domain.level()
        );
        let list: Vec<Member> = (0..members as u64).map(|seed| Member::new(3 * seed + 1)).collect();
        let ensemble = builder(domain, rule).backend(Backend::Cuda).plan(plan.clone()).members(list.clone()).build();
        let mut ensemble = match ensemble {
            Err(SimulationError::Engine(EngineError::NoKernel { .. })) => return,
            built => built.unwrap_or_else(|error| panic!("{what}: {error}")),
        };
        assert_eq!(ensemble.execution().unwrap().lane_digits, 0, "{what}");
        let some = [0, 1, 31, 32, members - 1];
        let look = |ensemble: &Ensemble| -> Vec<String> {
            let (digests, observed) = (ensemble.digests().unwrap(), ensemble.observe().unwrap());
            some.iter().map(|member| format!("{:?} {:?}", digests[*member], observed[*member])).collect()
        };
        let wanted: Vec<Vec<String>> = some
            .iter()
            .map(|member| sights(builder(domain, rule).seed(3 * *member as u64 + 1).backend(judge())))
            .collect();
        for turn in 0..2 {
            let mut found = vec![look(&ensemble)];
            for steps in STRIDES {
                ensemble.step(steps).unwrap();
                found.push(look(&ensemble));
            }
            for (time, sights) in found.iter().enumerate() {
                let now: Vec<&String> = wanted.iter().map(|member| &member[time]).collect();
                assert_eq!(sights.iter().collect::<Vec<_>>(), now, "{what}, turn {turn}, look {time}");
            }
            ensemble.restart(&list).unwrap();
        }
        // Observables that are taken ahead while members step are those of that time.
        for (every, times) in [(1, 5), (3, 3), (10, 2)] {
            let ahead = ensemble.step_observing(every, times).unwrap();
            observed.fetch_add(ahead.len(), Relaxed);
            let last: Vec<String> = ahead.last().unwrap().iter().map(|values| format!("{values:?}")).collect();
            let now: Vec<String> = ensemble.observe().unwrap().iter().map(|values| format!("{values:?}")).collect();
            assert_eq!(last, now, "{what}, observed every {every}");
        }
        let mut one = builder(domain, rule).seed(3 * members as u64 - 2).backend(Backend::Reference).build().unwrap();
        one.step(34).unwrap();
        let digests = ensemble.digests().unwrap();
        assert_eq!(digests[members - 1], one.digests().unwrap(), "{what}");
        several.fetch_add(usize::from(plan.steps > 1), Relaxed);
        compared.fetch_add(1, Relaxed);
    });
    let [compared, several, observed] = [compared, several, observed].map(AtomicUsize::into_inner);
    println!("{compared} ensembles of lanes agree, {several} of several steps, {observed} observations");
    assert!(10 * compared >= 9 * cases.len() && 4 * several > compared, "{compared} and {several} of {}", cases.len());
    // Members are looked at and changed one by one, and go apart where their parameters begin to differ.
    let (carpet, rule) = (resolve::fractal("sierpinski_carpet").unwrap(), resolve::rule("cyclic").unwrap());
    let domain = Domain::new(carpet, 2).unwrap();
    let members: Vec<Member> = (0..70).map(Member::new).collect();
    let plan = member_candidates(&domain, &rule, &Machine::gpu(), 70).remove(0);
    let ensemble = builder(&domain, &rule).backend(Backend::Cuda).plan(plan);
    let mut ensemble = ensemble.members(members.clone()).build().unwrap();
    let mut apart = builder(&domain, &rule).backend(Backend::Cpu).members(members).build().unwrap();
    assert_eq!(ensemble.execution().unwrap().lane_digits, 0);
    let colours = |ensemble: &Ensemble| ensemble.field::<u8>("colour").unwrap();
    for different in [false, true] {
        let member =
            |seed: u64| Member::new(seed).param("threshold", if different { 1 + (seed % 3) as i32 } else { 2 });
        let members: Vec<Member> = (9..79).map(member).collect();
        for ensemble in [&mut ensemble, &mut apart] {
            ensemble.step(2).unwrap();
            ensemble.set_field(41, "colour", 10, &[5u8, 0, 7]).unwrap();
            ensemble.step(3).unwrap();
        }
        assert_eq!(colours(&ensemble), colours(&apart));
        assert_eq!(ensemble.digests().unwrap(), apart.digests().unwrap());
        assert_eq!(ensemble.members()[41].value("colour", 7).unwrap(), apart.members()[41].value("colour", 7).unwrap());
        for ensemble in [&mut ensemble, &mut apart] {
            ensemble.restart(&members).unwrap();
        }
    }
    for ensemble in [&mut ensemble, &mut apart] {
        ensemble.step(4).unwrap();
    }
    assert_eq!(ensemble.digests().unwrap(), apart.digests().unwrap());
}

/// Thousands of members as lanes, as planned, observed ahead after any number of steps, against those of the CPU.
pub(crate) fn crowds() {
    let (triangle, rule) = (resolve::fractal("sierpinski_triangle").unwrap(), resolve::rule("life").unwrap());
    let domain = Domain::new(triangle, 4).unwrap();
    let members: Vec<Member> = (0..4096).map(Member::new).collect();
    let [mut ensemble, mut wanted] = [Backend::Cuda, Backend::Cpu]
        .map(|backend| builder(&domain, &rule).backend(backend).members(members.clone()).build().unwrap());
    assert_eq!(ensemble.execution().unwrap().lane_digits, 0, "the planner takes lanes");
    assert_eq!(ensemble.backend(), Backend::Cuda);
    for (every, times) in [(10, 2), (3, 3), (1, 5)] {
        let [found, wanted] = [&mut ensemble, &mut wanted].map(|ensemble| {
            ensemble
                .step_observing(every, times)
                .unwrap()
                .iter()
                .map(|values| format!("{values:?}"))
                .collect::<Vec<_>>()
        });
        assert_eq!(found, wanted, "observed every {every}");
    }
    let digests = |ensemble: &Ensemble, member: usize| ensemble.members()[member].digests().unwrap()[0].1;
    for member in (0..4096).step_by(61) {
        assert_eq!(digests(&ensemble, member), digests(&wanted, member), "member {member}");
    }
    println!("crowds agree");
}

/// Ensembles of random programs, in turn and as lanes, each member beside a run of its own.
pub(crate) fn members_by_chance() {
    let sizes = [(60, Size::Small), (24, Size::Large { most_cells: 6000 })];
    let trials: Vec<Trial> = sizes
        .into_iter()
        .flat_map(|(count, size)| (0..count).filter_map(move |number| Trial::new(46, number, size)))
        .collect();
    let wanted = Wanted { cpu: false, cuda: true, rust: 0, members: 40 };
    let [in_turn, as_lanes] = [0; 2].map(AtomicUsize::new);
    in_parallel(&trials, |number, trial| {
        let mut all = executors(trial, number as u64, wanted);
        // Others compare the program alone.
        all.retain(|executor| executor.name().contains("members"));
        let found = compare(trial, &all);
        if let Some((name, difference)) = found.difference {
            panic!("{name}: {difference}\n{trial}");
        }
        in_turn.fetch_add(found.ran.iter().filter(|name| name.contains("in turn")).count(), Relaxed);
        as_lanes.fetch_add(found.ran.iter().filter(|name| name.contains("as lanes")).count(), Relaxed);
    });
    let [in_turn, as_lanes] = [in_turn, as_lanes].map(AtomicUsize::into_inner);
    println!("{in_turn} ensembles in turn and {as_lanes} as lanes agree");
    assert!(in_turn >= 10 && as_lanes >= 1, "{in_turn} in turn, {as_lanes} as lanes");
}
