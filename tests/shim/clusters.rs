//! Clusters on every storage: all that can be asked of them, beside the backend `cpu`.

use super::cases::{digests_of, domain, judge, sights};
use squeeze::{Backend, Domain, Member, Rule, Simulation, SimulationBuilder};
use squeeze_tests::course::library;
use std::sync::Arc;

/// The rules ask all kinds of values, of bonds that are drawn, computed and kept, near and far.
const TEXT: &str = "
rule asked {
    param p: f64 = 0.55
    state site: bit
    state n: i32
    state k: u8
    bond open over von_neumann: bit
    clusters c of open
    clusters d of open when site
    init site = random(0.8)
    init n = i32(below(50)) - 20
    init k = u8(below(200))
    init open = random(p)
    state root: i64
    state size: i32
    state inside: i64
    state sites: i64
    state total: i64
    state least: i32
    state most: u8
    state bits_of: u32
    state chance: f32
    state way: u32
    state any_high: bit
    state all_low: bit
    state along_x: bit
    state along_y: bit
    state coin: bit
    state biased: bit
    step ask {
        next root = root(c)
        next size = i32(count() of c)
        next inside = root(d)
        next sites = count(n > 3) of d
        next total = sum(n) of d + sum(site) of c
        next least = min(n) of d else 100
        next most = max(k) of c
        next bits_of = bits() at d
        next chance = uniform() at c
        next way = below(u32(k)) at d
        next any_high = any(n > 27) of c
        next all_low = all(n < 25) of d
        next along_x = spans(c, x)
        next along_y = spans(d, y)
        next coin = random(0.375) at d
        next biased = random(f32(k) / 256.0) at d
        next open = if random(0.3) { random(p) } else { open }
        next n = n + i32(below(3)) - 1
    }
    observe number = count(true per c)
    observe inner = count(true per d)
    observe squares = sum(count() of c * count() of c per c)
    observe sizes = histogram(count() of d per d, 1, 5, 4)
}
rule far {
    state spin: u8
    init spin = u8(below(3))
    bond near over moore = spin == nb.spin && random(0.4)
    bond wide over jumps = spin == nb.spin && random(0.3)
    clusters c of near
    clusters w of wide
    state size: i64
    state jumped: i64
    step size when step % 2 == 1 { next size = count() of c
        next jumped = root(w) }
    step turn { next spin = u8(below(3) at c) }
    observe all = sum(i64(spin))
}
rule turned {
    param beta: f32 = 0.44068679
    state up: bit
    init up = random(0.5)
    bond open over von_neumann = up == nb.up && random(1.0 - exp(-2.0 * beta))
    clusters c of open
    next up = random(0.5) at c
    observe m = sum(if up { 1 } else { -1 })
}
rule whole {
    state up: bit
    init up = random(0.5)
    bond all over von_neumann = up || !up
    bond none over von_neumann = up && !up
    clusters c of all
    clusters d of none
    state size: i64
    state round: bit
    step ask { next up = random(0.5) at d
        next size = count() of c + 1000 * count() of d
        next round = spans(c, x) }
}
rule by_draws_alone {
    state s: u8
    init s = u8(below(3))
    bond same over von_neumann = s == nb.s
    clusters c of same
    next s = u8(below(3) at c)
}
neighbourhood jumps [(2, 0), (-2, 0), (1, -2), (-1, 2), (0, 3), (0, -3)]
domain sheet { size (45, 37) }
domain torus { size (64, 64)  periodic }
domain odd { size (65, 33)  periodic x }
domain rock { size (131, 41)  cells random(0.7)  periodic }
domain gaps { size (300, 20)  cells x < 30 || x > 270 && y % 7 != 2 }
domain brick { size (9, 11, 10)  periodic x, z }
domain joined_carpet { fractal sierpinski_carpet  periodic }
domain joined_square { fractal full_square  periodic }
fractal turned_square { scale 2 replicas { 0: (1, 0)  1: (0, 1)  2: (1, 1)  3: (0, 0) } }
";

fn begin(domain: &Domain, rule: &Arc<Rule>) -> SimulationBuilder {
    Simulation::builder(Arc::clone(domain.fractal()), Arc::clone(rule)).level(domain.level()).seed(7).threads(1)
}

/// Each rule on each domain that it runs on; by day on some of the domains by turns.
pub(crate) fn clusters() {
    let library = library(TEXT);
    let shipped = ["sierpinski_triangle", "vicsek", "menger_sponge", "tetrix", "cantor_set", "filigree"];
    let own = library.fractals.iter().map(|fractal| {
        let first = Domain::new(Arc::clone(fractal), 1).expect("small");
        if first.levels().is_none() { first } else { domain(fractal, 1100) }
    });
    let others = shipped.iter().map(|name| domain(&squeeze::resolve::fractal(name).expect("it ships"), 900));
    let domains: Vec<Domain> = own.chain(others).collect();
    let pairs = domains.iter().flat_map(|domain| library.rules.iter().map(move |rule| (domain, rule)));
    let pairs: Vec<_> = pairs.filter(|(domain, rule)| domain.admits(rule).is_ok()).collect();
    let mut compared = 0;
    for (number, (domain, rule)) in pairs.into_iter().enumerate() {
        if !squeeze_tests::is_chosen(number, 9) {
            continue;
        }
        let what = format!("{} on {} at level {}", rule.name, domain.fractal().name, domain.level());
        let wanted = sights(begin(domain, rule).backend(judge()));
        let on_gpu = begin(domain, rule).backend(Backend::Cuda).packed(number % 2 == 1);
        assert_eq!(sights(on_gpu), wanted, "{what}");
        compared += 1;
    }
    members(&domains, &library.rules);
    many_steps(&domains, &library.rules[4]);
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
fn members(domains: &[Domain], rules: &[Arc<Rule>]) {
    let carpet = domains.iter().find(|domain| domain.fractal().name == "joined_carpet").expect("it is there");
    for (rule, settings) in [(&rules[0], ["p=0.4", "p=0.6"]), (&rules[2], ["beta=0.4", "beta=0.5"])] {
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
