//! Clusters on every storage: all that can be asked of them, beside the backend `cpu`.

use super::cases::{digests_of, domain, judge, sights};
use squeeze::{Backend, Domain, Member, Rule, Simulation, SimulationBuilder};
use squeeze_tests::course::library;
use std::sync::Arc;

/// Where the rules of `tests/gpu/clusters.rule` run.
const DOMAINS: &str = "
domain sheet { size (45, 37) }
domain torus { size (64, 64)  periodic }
domain odd { size (65, 33)  periodic x }
domain rock { size (131, 41)  cells random(0.7)  periodic }
domain gaps { size (300, 20)  cells x < 30 || x > 270 && y % 7 != 2 }
domain brick { size (9, 11, 10)  periodic x, z }
domain joined_carpet { fractal sierpinski_carpet  periodic }
domain joined_square { fractal full_square  periodic }
domain joined_line { fractal line  periodic }
domain slab { size (131, 1, 40)  periodic x, z }
fractal turned_square { scale 2 replicas { 0: (1, 0)  1: (0, 1)  2: (1, 1)  3: (0, 0) } }
";

fn begin(domain: &Domain, rule: &Arc<Rule>) -> SimulationBuilder {
    Simulation::builder(Arc::clone(domain.fractal()), Arc::clone(rule)).level(domain.level()).seed(7).threads(1)
}

/// Each rule on each domain that it runs on; by day on some of the domains by turns.
pub(crate) fn clusters() {
    let library = library(&format!("{}{DOMAINS}", include_str!("../gpu/clusters.rule")));
    let rule = |name: &str| library.rules.iter().find(|rule| rule.name == name).expect("it is there");
    let shipped =
        ["line", "cantor_line", "sierpinski_triangle", "vicsek", "menger_sponge", "tetrix", "cantor_set", "filigree"];
    let own = library.fractals.iter().map(|fractal| {
        let first = Domain::new(Arc::clone(fractal), 1).expect("small");
        if first.levels().is_none() { first } else { domain(fractal, 1100) }
    });
    let others = shipped.iter().map(|name| domain(&squeeze::resolve::fractal(name).expect("it ships"), 900));
    let domains: Vec<Domain> = own.chain(others).collect();
    let pairs = domains.iter().flat_map(|domain| library.rules.iter().map(move |rule| (domain, rule)));
    let pairs: Vec<_> = pairs.filter(|(domain, rule)| domain.admits(rule).is_ok()).collect();
    let (mut compared, mut beside_lines) = (0, 0);
    for (number, (domain, rule)) in pairs.into_iter().enumerate() {
        let is_beside_a_line = ["placed", "far"].contains(&&*rule.name) && domain.dimension().axes() == 1;
        beside_lines += usize::from(is_beside_a_line);
        if !is_beside_a_line && !squeeze_tests::is_chosen(number, 9) {
            continue;
        }
        let what = format!("{} on {} at level {}", rule.name, domain.fractal().name, domain.level());
        let wanted = sights(begin(domain, rule).backend(judge()));
        let on_gpu = begin(domain, rule).backend(Backend::Cuda).packed(number % 2 == 1);
        assert_eq!(sights(on_gpu), wanted, "{what}");
        compared += 1;
    }
    members(&domains, [(rule("asked"), ["p=0.4", "p=0.6"]), (rule("drawn"), ["beta=0.4", "beta=0.5"])]);
    many_steps(&domains, rule("by_draws_alone"));
    assert!(beside_lines >= 6, "{beside_lines} lines");
    println!("{compared} rules agree");
}

/// Graphs of steps whose kernels draw nothing themselves tell clusters the time.
fn many_steps(domains: &[Domain], rule: &Arc<Rule>) {
    for name in ["sierpinski_triangle", "brick"] {
        let domain = domains.iter().find(|domain| domain.fractal().name == name).expect("it is there");
        let of = |backend| {
            let mut simulation = begin(domain, rule).backend(backend).build().expect("it runs");
            simulation.step(3).expect("nothing fails");
            // The last steps are of graphs too: soon all cells have what the last one drew.
            let after = |steps| {
                simulation.step(steps).expect("nothing fails");
                digests_of(&simulation)
            };
            [192, 64, 96, 128, 64].map(after)
        };
        assert_eq!(of(Backend::Cuda), of(Backend::Cpu), "many steps on {name}");
    }
}

/// Members with seeds and parameters of their own share the kernels.
fn members(domains: &[Domain], rules: [(&Arc<Rule>, [&str; 2]); 2]) {
    let carpet = domains.iter().find(|domain| domain.fractal().name == "joined_carpet").expect("it is there");
    for (rule, settings) in rules {
        let members = settings.iter().zip(3..).map(|(set, seed)| Member::new(seed).set(*set)).collect::<Vec<_>>();
        let mut ensemble = begin(carpet, rule).backend(Backend::Cuda).members(members).build().expect("it runs");
        ensemble.step(4).expect("nothing fails");
        for ((found, set), seed) in ensemble.digests().expect("they are there").into_iter().zip(&settings).zip(3..) {
            let mut alone = begin(carpet, rule).backend(Backend::Cpu).seed(seed).set(*set).build().expect("it runs");
            alone.step(4).expect("nothing fails");
            let found: Vec<u64> = found.into_iter().map(|(_, digest)| digest).collect();
            assert_eq!(found, digests_of(&alone), "{}, {set}", rule.name);
        }
    }
}
