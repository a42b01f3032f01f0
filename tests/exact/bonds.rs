//! Bonds: both ends of a pair see one value, draws have the numbers that they are promised, and pairs are counted once.

use super::ground::{Ground, domain, observed};
use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::{Backend, Rule, Simulation};
use std::sync::Arc;

/// The first two are one rule, and so are the next two: those by hand say with lets what bonds are.
const RULES: &str = "
    rule by_bonds {
        state n: i32
        init n = if (x + 2 * y) % 3 == 0 { 8 } else { -1 }
        bond flow over von_neumann = i32(below(5)) - (if n > nb.n { 1 } else { 2 }) + i32(3.0 * normal()) * dx
        next n = n - sum(von_neumann, if forward { nb.flow } else { -nb.flow })
        observe all = sum(n)
        observe unlike = sum(abs(n - nb.n) over von_neumann)
        observe pairs = count(true over von_neumann)
        observe least = min(n + nb.n over von_neumann)
        observe mean = mean(n * nb.n over von_neumann)
    }
    rule by_hand {
        state n: i32
        init n = if (x + 2 * y) % 3 == 0 { 8 } else { -1 }
        let right = i32(below(5))
        let down = i32(below(5))
        let shaken = i32(3.0 * normal())
        let idle = normal()
        let east = right - (if n > (n[1, 0] else 0) { 1 } else { 2 }) + shaken
        let south = down - (if n > (n[0, 1] else 0) { 1 } else { 2 })
        let out = (if degree([(1, 0)]) > 0 { east } else { 0 }) + (if degree([(0, 1)]) > 0 { south } else { 0 })
        next n = n - out + (east[-1, 0] else 0) + (south[0, -1] else 0) + i32(0.0 * idle)
    }
    rule after_others {
        state n: i32
        init n = if (x + 2 * y) % 3 == 0 { 8 } else { -1 }
        bond open over von_neumann = random(0.5)
        bond flow over moore = i32(below(5))
        global g = below(7)
        next n = n + i32(g) + count(von_neumann, nb.open) - sum(moore, if forward { nb.flow } else { -nb.flow })
    }
    rule after_others_by_hand {
        state n: i32
        init n = if (x + 2 * y) % 3 == 0 { 8 } else { -1 }
        let o1 = random(0.5) && degree([(1, 0)]) > 0
        let o2 = random(0.5) && degree([(0, 1)]) > 0
        let f1 = i32(below(5)) * degree([(1, 0)])
        let f2 = i32(below(5)) * degree([(-1, 1)])
        let f3 = i32(below(5)) * degree([(0, 1)])
        let f4 = i32(below(5)) * degree([(1, 1)])
        let open = i32(o1) + i32(o2) + i32(o1[-1, 0] else false) + i32(o2[0, -1] else false)
        let back = (f1[-1, 0] else 0) + (f2[1, -1] else 0) + (f3[0, -1] else 0) + (f4[-1, -1] else 0)
        global g = below(7)
        next n = n + i32(g) + open - f1 - f2 - f3 - f4 + back
    }
    rule around {
        state n: i32
        init n = if (x + 2 * y) % 3 == 0 { 8 } else { -1 }
        bond flow over moore = i32(below(5)) - 2 + (if n > nb.n { 1 } else { 0 })
        bond more over moore = 2 * flow - dx
        next n = n - sum(moore, if forward { nb.flow + nb.more } else { -nb.flow - nb.more })
        observe all = sum(n)
        observe unlike = sum(abs(n - nb.n) over von_neumann)
        observe pairs = count(true over von_neumann)
        observe least = min(n + nb.n over von_neumann)
        observe mean = mean(n * nb.n over von_neumann)
    }";

fn rules() -> Vec<Arc<Rule>> {
    let mut sources = Sources::new();
    let root = sources.add("rules", RULES);
    check(&mut sources, root, &mut NoFiles).expect("the text is right").rules
}

fn simulation(name: &str, rule: &Arc<Rule>, backend: Backend) -> Simulation {
    let level = if name == "carpet" { 2 } else { 1 };
    let builder = Simulation::builder(domain(name), Arc::clone(rule)).level(level).seed(3).backend(backend).threads(1);
    builder.build().expect("the rule runs")
}

#[test]
fn pairs_keep_what_is_there_and_are_counted_once() {
    let rules = rules();
    for name in ["chain", "ring", "open", "odd", "holes", "carpet", "rags", "pipe", "gaps"] {
        for rule in [&rules[0], &rules[4]] {
            let mut grains = simulation(name, rule, Backend::Cpu);
            let all = observed(&grains, "all");
            grains.step(5).expect("it runs");
            assert_eq!(observed(&grains, "all"), all, "{} on {name}", rule.name);
            let (n, pairs) = (grains.field::<i32>("n").expect("a state"), Ground::of(&grains).pairs());
            let of = |value: &dyn Fn(i64, i64) -> i64| -> Vec<i64> {
                pairs.iter().map(|(a, b)| value(n[*a].into(), n[*b].into())).collect()
            };
            assert_eq!(observed(&grains, "pairs"), pairs.len() as f64, "{name}");
            assert_eq!(observed(&grains, "unlike"), of(&|a, b| (a - b).abs()).iter().sum::<i64>() as f64, "{name}");
            assert_eq!(observed(&grains, "least"), *of(&|a, b| a + b).iter().min().expect("pairs") as f64, "{name}");
            let mean = of(&|a, b| a * b).iter().sum::<i64>() as f64 / pairs.len() as f64;
            assert_eq!(observed(&grains, "mean"), mean, "{name}");
        }
    }
}

/// The owner draws, one number for each positive offset, in the order of the neighbourhood.
#[test]
fn draws_of_pairs_have_the_numbers_of_lets_by_hand() {
    let rules = rules();
    for name in ["chain", "ring", "open", "odd", "holes", "carpet", "rags"] {
        let run = |rule: &Arc<Rule>, backend| {
            let mut grains = simulation(name, rule, backend);
            grains.step(4).expect("it runs");
            grains.field::<i32>("n").expect("a state")
        };
        for of in [&rules[..2], &rules[2..4]] {
            let by_hand = run(&of[1], Backend::Cpu);
            assert_eq!(run(&of[0], Backend::Cpu), by_hand, "{} on {name}", of[0].name);
            assert_eq!(run(&of[0], Backend::Reference), by_hand, "{} on {name}", of[0].name);
        }
    }
}

/// One rule twice, for boxes and tori: with bonds that are kept, and with states of cells.
const KEPT: &str = "
    rule kept {
        param joined: bit = false
        state n: i32
        bond open over von_neumann: bit
        bond worth over von_neumann: i32
        init n = if (x + 2 * y) % 3 == 0 { 8 } else { -1 }
        init open = x % 2 == 0 || random(0.4)
        init worth = i32(below(9) from disorder) - dx
        step draw when x != 3 {
            let more = below(3)
            next open = (open != random(0.3)) || n > nb.n
            next worth = worth + i32(below(4) + more) + (if open { nb.n } else { n })
            next n = n + i32(more) - count(von_neumann, nb.open)
        }
        step move { next n = n + sum(von_neumann, if forward { nb.worth } else { -nb.worth }) }
        observe bonds = count(open over von_neumann)
        observe about = sum(if open { n + nb.n } else { worth } over von_neumann)
        observe first = count((joined || x >= 0) && (open[1, 0] else false))
    }
    rule kept_by_hand {
        param joined: bit = false
        state n: i32
        state right: bit
        state down: bit
        state east: i32
        state south: i32
        init n = if (x + 2 * y) % 3 == 0 { 8 } else { -1 }
        init right = (x % 2 == 0 || random(0.4)) && (joined || x + 1 < width)
        init down = (x % 2 == 0 || random(0.4)) && (joined || y + 1 < height)
        init east = if joined || x + 1 < width { i32(below(9) from disorder) - 1 } else { 0 }
        init south = if joined || y + 1 < height { i32(below(9) from disorder) } else { 0 }
        let beside = degree([(1, 0)]) > 0
        let under = degree([(0, 1)]) > 0
        step draw when x != 3 {
            let more = below(3)
            next right = ((right != random(0.3)) || n > (n[1, 0] else 0)) && beside
            next down = ((down != random(0.3)) || n > (n[0, 1] else 0)) && under
            next east = if beside { east + i32(below(4) + more) + (if right { n[1, 0] else 0 } else { n }) } else { 0 }
            next south = if under { south + i32(below(4) + more) + (if down { n[0, 1] else 0 } else { n }) } else { 0 }
            next n = n + i32(more) - i32(right) - i32(down) - i32(right[-1, 0] else false) - i32(down[0, -1] else false)
        }
        step move { next n = n + east + south - (east[-1, 0] else 0) - (south[0, -1] else 0) }
    }";

#[test]
fn kept_bonds_are_states_by_hand() {
    let mut sources = Sources::new();
    let root = sources.add("rules", KEPT);
    let rules = check(&mut sources, root, &mut NoFiles).expect("the text is right").rules;
    for (name, joined) in [("open", false), ("odd", true), ("even", true), ("wide", false), ("wide_torus", true)] {
        let run = |rule: &Arc<Rule>, backend, steps| {
            let builder = Simulation::builder(domain(name), Arc::clone(rule)).seed(3).disorder(8).backend(backend);
            let mut simulation = builder.set(format!("joined={joined}")).threads(1).build().expect("the rule runs");
            simulation.step(steps).expect("it runs");
            simulation
        };
        for steps in [0, 1, 3] {
            let by_hand = run(&rules[1], Backend::Cpu, steps);
            for backend in [Backend::Cpu, Backend::Reference] {
                let kept = run(&rules[0], backend, steps);
                for (bond, state) in [("worth.0", "east"), ("worth.1", "south"), ("n", "n")] {
                    let of = |simulation: &Simulation, name| simulation.field::<i32>(name).expect("a state");
                    assert_eq!(of(&kept, bond), of(&by_hand, state), "{bond} on {name} after {steps}");
                }
                let bits = |simulation: &Simulation, name| simulation.field::<bool>(name).expect("a state");
                let (right, down) = (bits(&by_hand, "right"), bits(&by_hand, "down"));
                assert_eq!((bits(&kept, "open.0"), bits(&kept, "open.1")), (right.clone(), down.clone()), "{name}");
                let all = right.iter().chain(&down).filter(|open| **open).count();
                assert_eq!(observed(&kept, "bonds"), all as f64, "{name} after {steps}");
                assert_eq!(observed(&kept, "first"), right.iter().filter(|open| **open).count() as f64);
                let n = kept.field::<i32>("n").expect("a state");
                let worth =
                    [kept.field::<i32>("worth.0"), kept.field("worth.1")].map(|values| values.expect("a state"));
                let mut about = 0;
                for (a, at) in (0..n.len()).flat_map(|a| [(a, 0), (a, 1)]) {
                    let place = kept.domain().lambda(a as u64);
                    if let Some(b) = kept.domain().neighbour(place, [[1, 0, 0], [0, 1, 0]][at]) {
                        let both = n[a].wrapping_add(n[b as usize]);
                        about += i64::from(if [&right, &down][at][a] { both } else { worth[at][a] });
                    }
                }
                assert_eq!(observed(&kept, "about"), about as f64, "{name} after {steps}");
            }
        }
    }
}

/// Where a cell has no pair, a bond that is kept is 0, also where other values are given.
#[test]
fn values_of_pairs_that_are_not_there_stay_zero() {
    let text = "rule r {
        state a: bit
        bond k over moore: u8
        init a = false
        init k = 1 + u8(dx == 0)
        next a = a
        next k = k + 1
        observe pairs = count(true over moore)
        observe all = sum(i32(k) over moore)
    }";
    let mut sources = Sources::new();
    let root = sources.add("rules", text);
    let rule = check(&mut sources, root, &mut NoFiles).expect("the text is right").rules.remove(0);
    for name in ["chain", "open", "holes", "carpet", "rags", "gaps", "mask"] {
        let mut simulation = simulation(name, &rule, Backend::Cpu);
        let states: Vec<String> = simulation.rule().states.iter().skip(1).map(|state| state.name.clone()).collect();
        let fields = |simulation: &Simulation| -> Vec<Vec<u8>> {
            states.iter().map(|name| simulation.field::<u8>(name).expect("a state")).collect()
        };
        let existing = |values: &[Vec<u8>]| values.iter().flatten().filter(|value| **value > 0).count() as f64;
        let total = |values: &[Vec<u8>]| values.iter().flatten().map(|value| u64::from(*value)).sum::<u64>() as f64;
        let first = fields(&simulation);
        assert_eq!(existing(&first), observed(&simulation, "pairs"), "{name}");
        assert_eq!(total(&first), observed(&simulation, "all"), "{name}");
        let all = vec![7u8; first[0].len()];
        states.iter().for_each(|name| simulation.set_field(name, 0, &all).expect("it takes the values"));
        let given = fields(&simulation);
        assert_eq!((existing(&given), total(&given)), (existing(&first), 7.0 * existing(&first)), "{name}");
        simulation.step(2).expect("it runs");
        assert_eq!(total(&fields(&simulation)), 9.0 * existing(&first), "{name}");
    }
}

/// Running sums put aside the neighbourhoods of aggregates, and a bond that `init` alone sets asks for its own.
#[test]
fn bonds_that_are_never_set_again_stay_beside_large_sums() {
    let text = "rule r {
        bond J over von_neumann: bit
        state n: i32
        init J = random(0.5) from disorder
        init n = x - y
        next n = n + sum(moore(2), nb.n) + count(von_neumann, nb.J)
    }
    domain plain { size (40, 33) }";
    let mut sources = Sources::new();
    let root = sources.add("rules", text);
    let found = check(&mut sources, root, &mut NoFiles).expect("the text is right");
    let of = |backend| {
        let builder = Simulation::builder(Arc::clone(&found.fractals[0]), Arc::clone(&found.rules[0]));
        let mut simulation = builder.level(1).seed(3).disorder(4).backend(backend).build().expect("it is small");
        simulation.step(2).expect("it runs");
        let digests = simulation.digests().expect("it has them");
        digests.into_iter().map(|(_, digest)| digest).collect::<Vec<u64>>()
    };
    assert_eq!(of(Backend::Cpu), of(Backend::Reference));
}
