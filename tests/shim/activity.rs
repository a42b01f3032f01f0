//! Runs whose resting parts are left out.

use super::cases::{builder, digests_of, in_parallel};
use squeeze::{Backend, Domain, Simulation, SimulationBuilder, resolve};
use squeeze_tests::is_chosen;
use std::sync::Arc;

/// Boxes and masks of several tiles, and rules by which most cells rest, for ever, for a while, or in turns of two or three steps.
const RESTING: &str = "
domain open { size (2500, 50) }
domain ragged_torus { size (2061, 45)  periodic }
domain torus { size (3072, 48)  periodic }
domain holes { size (2100, 50)  cells random(0.9)  periodic x }
domain sparse { size (2100, 40)  cells x / 300 % 2 == 0 && random(0.9)  periodic }
domain space { size (70, 37, 9)  periodic }
domain slab { size (1100, 11, 5)  cells random(0.95)  periodic y }
domain small { size (300, 50)  periodic y }
rule glider {
    state alive: bit
    init alive = x == 4 && y == 3 || x == 5 && y == 4 || y == 5 && x in 3..=5 || y == 19 && x in 35..=37
    let n = count(moore, nb.alive)
    next alive = if alive { n in 2..=3 } else { n == 3 }
}
rule backwards {
    state alive: bit
    init alive = x == 4 && y == 6 || x == 3 && y == 5 || y == 4 && x in 3..=5
        || x == 1021 && y == 25 || x == 1022 && y == 26 || y == 27 && x in 1020..=1022
    let n = count(moore, nb.alive)
    next alive = if alive { n in 2..=3 } else { n == 3 }
}
rule soup {
    state alive: bit
    init alive = x < 40 && y < 30 && random(0.4)
    let n = count(moore, nb.alive)
    next alive = if alive { n in 2..=3 } else { n == 3 }
}
rule growth { state a: bit  init a = x == 7 && y == 6 || x + y == 0 || x == 121 && y == 121  next a = a || any(von_neumann, nb.a)  observe all = count(a) }
rule turns {
    state phase: enum { a, b, c }
    state other: bit
    init phase = if x > 20 { b } else { a }
    next phase = if phase == a { a } else if phase == b { c } else { b }
    next other = if x == 9 { !other } else { other || (other[2, 0] else false) && phase != a }
}
rule pile {
    state sand: i32
    init sand = if x == 10 && y == 4 { 90 } else { 1 }
    next sand = sand - (if sand >= 4 { 4 } else { 0 }) + sum(von_neumann, if nb.sand >= 4 { 1 } else { 0 })
}
rule far { state u: f32  init u = f32(x * y % 5)  next u = if u < 3.0 { u } else { 0.5 * u + 0.25 * (u[-40, 3] else u) } }
rule mixed {
    state on: bit
    state u: f64
    init on = x == 50 && y == 20
    init u = -0.0
    next on = on || any(von_neumann, nb.on) && u < 4.0
    next u = if on { u + 1.0 } else { -u }
}
";

/// Digests in a run that is watched from the first steps on, while something else is written and when it begins again. All numbers of steps are
/// multiples of `unit` but the last one.
fn course_of(builder: SimulationBuilder, unit: u64) -> (Vec<Vec<u64>>, Vec<String>) {
    let mut simulation = builder.build().unwrap_or_else(|error| panic!("{error}"));
    let (mut course, mut observed) = (Vec::new(), Vec::new());
    let mut step = |simulation: &mut Simulation, steps: &[u64]| {
        for steps in steps {
            simulation.step(*steps * unit).unwrap();
            course.push(digests_of(simulation));
        }
    };
    // As many passes as are started at once, in one piece.
    step(&mut simulation, &[1, 2, 1, 1, 14, 7, 60]);
    let (id, cells) = (squeeze::ir::StateId(0), simulation.domain().cells());
    let mut bytes = vec![0; squeeze::packed::bytes(simulation.rule().states[0].ty, cells) as usize];
    simulation.read(id, 0..cells, &mut bytes).unwrap();
    bytes.reverse();
    simulation.write(id, 0..cells, &bytes).unwrap();
    // More than are not watched after something was written.
    step(&mut simulation, &[1, 1, 12, 7]);
    simulation.restart(3, &[] as &[&str]).unwrap();
    step(&mut simulation, &[12, 5]);
    for (every, times) in [(3, 5), (1, 5), (20, 3)] {
        let seen = simulation.step_observing(every * unit as u32, times).unwrap();
        observed.push(format!("{seen:?}"));
        step(&mut simulation, &[0, 6]);
    }
    simulation.step(3).unwrap();
    course.push(digests_of(&simulation));
    (course, observed)
}

/// Runs that are watched from the first steps on, beside those of the CPU that compute all cells: each rule on every sixth domain, unless all are asked for.
pub(crate) fn activity() {
    let library = squeeze_tests::course::library(RESTING);
    let fractals = resting_fractals();
    let of_masks = squeeze_tests::masks::masks();
    let mut pairs = Vec::new();
    for (number, mask) in library.fractals.iter().chain(&of_masks).enumerate() {
        let domain = Domain::new(Arc::clone(mask), 1).unwrap();
        let several = number < library.fractals.len();
        let chosen = library.rules.iter().enumerate().filter(|(turn, rule)| {
            let numbers = matches!(rule.name.as_str(), "pile" | "far" | "mixed");
            let by_turns = is_chosen(turn + number, 13);
            let wanted =
                if several { by_turns && (!numbers || domain.cells() < 100_000) } else { (turn + number) % 12 == 0 };
            wanted && domain.admits(rule).is_ok()
        });
        pairs.extend(chosen.map(|(_, rule)| (domain.clone(), Arc::clone(rule))));
    }
    for (number, domain) in fractals.iter().enumerate() {
        let rules = library.rules.iter().enumerate();
        let rules = rules.filter(|(turn, rule)| is_chosen(turn + number, 13) && domain.admits(rule).is_ok());
        pairs.extend(rules.map(|(_, rule)| (domain.clone(), Arc::clone(rule))));
    }
    in_parallel(&pairs, |number, (domain, rule)| {
        // Passes are of several steps, of as many as go into what is asked for.
        let unit = if domain.levels().is_none() { [1, 4, 1][number % 3] } else { [1, 6, 2, 3][number % 4] };
        let wanted = course_of(builder(domain, rule).backend(Backend::Cpu).activity(false), unit);
        let found = course_of(builder(domain, rule).backend(Backend::Cuda).activity_at_once(), unit);
        assert_eq!(found, wanted, "{} on {}", rule.name, domain.fractal().name);
    });
    // To compute all cells in all of these steps would take days.
    let mut blinker = builder(&Domain::new(Arc::clone(&library.fractals[1]), 1).unwrap(), &library.rules[3]);
    for steps in [1_000_000_000, 1_000_000_001] {
        blinker = blinker.backend(Backend::Cuda).activity_at_once();
        let mut simulation = blinker.clone().build().unwrap();
        simulation.step(2000).unwrap();
        let wanted = [0, 1].map(|more| {
            simulation.step(more).unwrap();
            digests_of(&simulation)
        });
        simulation.step(steps).unwrap();
        assert_eq!(digests_of(&simulation), wanted[usize::from(steps % 2 == 0)]);
    }
    let filled = &library.rules.iter().find(|rule| rule.name == "growth").unwrap();
    for domain in &fractals[..2] {
        let mut simulation = builder(domain, filled).backend(Backend::Cuda).activity_at_once().build().unwrap();
        simulation.step(3000).unwrap();
        let wanted = digests_of(&simulation);
        simulation.step(1_000_000_000).unwrap();
        assert_eq!(digests_of(&simulation), wanted);
    }
    println!("{} runs agree", pairs.len());
}

/// Fractals of all dimensions, one with periodic edges, on which rules come to rest.
fn resting_fractals() -> Vec<Domain> {
    let triangle = resolve::fractal("sierpinski_triangle").unwrap();
    let ring = squeeze_tests::periodic(&triangle, squeeze::ir::Axes([true, true, false]));
    let named = [("sierpinski_triangle", 8), ("sierpinski_carpet", 4), ("vicsek", 5), ("menger_sponge", 2)];
    let named = named.map(|(name, level)| Domain::new(resolve::fractal(name).unwrap(), level).unwrap());
    named.into_iter().chain([Domain::new(ring, 7).unwrap()]).collect()
}
