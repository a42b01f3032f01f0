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
