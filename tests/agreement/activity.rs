//! Cells that cannot change are left out: results are those of the oracle all the same, over many steps and when something is written between.

use super::masks;
use super::shipped::rules;
use squeeze::compiler::numbers::digest::mix;
use squeeze::{Backend, Domain, Fractal, Rule, Simulation, resolve};
use squeeze_tests::course::{Case, in_parallel, library, options};
use std::sync::Arc;

/// Most cells rest, for ever, for a while, or in turns of two or three steps.
const RESTING: &str = "
rule glider {
    state alive: bit
    init alive = x == 4 && y == 3 || x == 5 && y == 4 || y == 5 && x in 3..=5 || y == 9 && x in 15..=17
    let n = count(moore, nb.alive)
    next alive = if alive { n in 2..=3 } else { n == 3 }
    observe population = sum(alive)
}
rule growth { state a: bit  init a = x == 7 && y == 6  next a = a || any(von_neumann, nb.a) }
rule turns {
    state phase: enum { a, b, c }
    state other: bit
    init phase = if x > 20 { b } else { a }
    next phase = if phase == a { a } else if phase == b { c } else { b }
    next other = if x == 9 { !other } else { other || (other[2, 0] else false) && phase != a }
}
rule three { state n: u8  init n = if x == y { u8(1) } else { u8(0) }  next n = if n == 0 { n } else { n % 3 + 1 } }
rule pile {
    state sand: i32
    init sand = if x == 10 && y == 4 { 90 } else { 1 }
    next sand = sand - (if sand >= 4 { 4 } else { 0 }) + sum(von_neumann, if nb.sand >= 4 { 1 } else { 0 })
}
rule kept {
    state u: f32
    state v: f32
    init u = if x == 5 && y == 4 { 1.0 } else { 0.0 }
    init v = if x in 4..=9 && y == 7 { 1.0 } else { 0.0 }
    let pull = sin(u * v) * exp(u) + tanh(u - v)
    let push = cos(pull) * tanh(pull) + exp(-pull) - 1.0
    next u = if v > 0.5 { u } else { u + 0.125 * sum(moore, nb.pull - pull) + 0.25 * (push[1, 0] else push) - 0.25 * push }
    next v = if step < 9 { 1.0 - v } else { max(v, min(u, 0.5)) }
}
rule still {
    state u: f32
    state turn: bit
    init u = if x == 5 && y == 4 { 1.0 } else { 0.0 }
    init turn = x == y
    let pull = sin(u) * exp(-u) + tanh(u) * cos(u)
    let push = sin(pull * 3.0) + exp(pull) - tanh(pull) - 1.0
    next u = if x > 20 { u } else { u + 0.125 * sum(von_neumann, nb.push - push) + 0.125 * (pull[-1, 2] else 0.0) }
    next turn = if x == 9 { !turn } else { turn }
}
rule after {
    state a: bit
    state b: bit
    init a = x == 7 && y == 6
    init b = x == 9
    step first { next a = a || any(von_neumann, nb.a && !nb.b) }
    step second { next b = b != (count(moore, nb.a) == 3) }
}
rule far { state u: f32  init u = f32(x * y % 5)  next u = if u < 3.0 { u } else { 0.5 * u + 0.25 * (u[-40, 3] else u) } }
";

/// Compares many steps, and as many after a change of the states.
fn agree(fractal: &Arc<Fractal>, level: u32, rule: &Arc<Rule>, number: u64) -> bool {
    let Some(case) = Case::admitted(fractal, level, rule, mix(number), &[1, 2, 18, 7, 22]) else { return false };
    let expected = case.reference();
    let found = case.by_simulation(Backend::Cpu, 1 + number as usize % 2).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found, expected, "{} on {}", rule.name, fractal.name);
    if case.domain().levels().is_some() {
        let candidates = case.candidates(3000.0);
        for i in 0..2.min(candidates.len() as u64) {
            let choice = &candidates[(mix(number ^ i << 32) % candidates.len() as u64) as usize];
            case.agrees(options(1 + i as usize, Some(choice.clone())), &expected)
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
    // One run is another's beginning.
    let run = |backend| {
        let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(rule)).level(level).backend(backend);
        let mut simulation = builder.threads(2).build().expect("it ran above");
        simulation.step(14).expect("it runs");
        let id = squeeze::ir::StateId(0);
        let cells = simulation.domain().cells();
        let mut bytes = vec![0; squeeze::packed::bytes(rule.states[0].ty, cells) as usize];
        simulation.read(id, 0..cells, &mut bytes).expect("it is read");
        bytes.rotate_right(1);
        if matches!(rule.states[0].ty, squeeze::ir::Type::Enum(_)) {
            bytes.rotate_left(1);
            bytes.reverse();
        }
        simulation.write(id, 0..cells, &bytes).expect("the values are of its type");
        simulation.step(14).expect("it runs");
        let digests =
            simulation.digests().expect("it is read").into_iter().map(|(_, digest)| digest).collect::<Vec<_>>();
        simulation.restart(number, &[] as &[&str]).expect("it begins again");
        simulation.step(6).expect("it runs");
        (digests, simulation.digests().expect("it is read").into_iter().map(|(_, digest)| digest).collect::<Vec<_>>())
    };
    assert_eq!(run(Backend::Cpu), run(Backend::Reference), "{} on {}", rule.name, fractal.name);
    true
}

#[test]
fn what_rests_is_left_out_with_the_same_results() {
    let own = library(RESTING).rules;
    let shipped = rules().into_iter().filter(|rule| !rule.draws() && !rule.needs_three_dimensions);
    let rules: Vec<Arc<Rule>> = own.iter().cloned().chain(shipped).collect();
    let square: Vec<_> = ["full_square", "sierpinski_carpet", "sierpinski_triangle"]
        .map(|name| resolve::fractal(name).expect("it ships"))
        .into();
    let torus = library("domain torus { fractal full_square  periodic }").fractals;
    let level = |fractal: &Fractal| Domain::largest_level_where(fractal, |side, cells| side <= 64 && cells <= 1100);
    let mut cases: Vec<(Arc<Fractal>, u32)> = masks::masks().into_iter().map(|mask| (mask, 1)).collect();
    cases.extend(square.into_iter().chain(torus).map(|fractal| (Arc::clone(&fractal), level(&fractal))));
    let pairs = cases.iter().flat_map(|case| rules.iter().map(move |rule| (case, rule)));
    // A seventh of the pairs of shipped rules, and half of those of the rules above.
    let is_own = |rule: &Rule| own.iter().any(|own| own.name == rule.name);
    let chosen = |(number, (_, rule)): &(u64, (_, &Arc<Rule>))| number % 7 == 0 || number % 2 == 0 && is_own(rule);
    let pairs: Vec<_> = (0..).zip(pairs).filter(chosen).collect();
    let compared = in_parallel(&pairs, |(number, ((fractal, level), rule))| agree(fractal, *level, rule, *number));
    let compared = compared.into_iter().filter(|compared| *compared).count();
    assert!(2 * compared > pairs.len(), "only {compared} of {}", pairs.len());
}
