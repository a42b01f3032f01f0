//! Steps that are left out where their guard asks no cell.

use super::cases::{builder, digests_of, sights};
use squeeze::{Backend, Domain, Member, cuda, resolve};
use squeeze_tests::course::library;
use squeeze_tests::masks::mask;
use squeeze_tests::{by_engine, strategy};

const RULES: &str = "
rule seldom {
    param every: u32 = 10
    state n: i32
    state m: i32
    init n = x
    let chance = i32(bits() % 7)
    step sums when step % every == 0 { next m = m + sum(von_neumann, nb.chance) }
    step always { next n = n + i32(bits() % 3) }
}
rule bits_alone {
    param every: u32 = 10
    state a: bit
    init a = x % 3 == 1
    step turns when step % every == 0 { next a = !a }
    step spreads { next a = a != any(von_neumann, nb.a) }
}
rule totals {
    param every: u32 = 10
    state n: i32
    init n = x
    global all = sum(n)
    step seldom when step % every == 0 { next n = n + i32(all % 5) }
    step always { next n = n + i32(bits() % 3) }
    step lively when all % 2 == 0 { next n = n - 1 }
}
";

/// Launches are counted, and graphs and members compared.
pub(crate) fn skips() {
    let library = library(RULES);
    let triangle = Domain::new(resolve::fractal("sierpinski_triangle").unwrap(), 5).unwrap();
    let domains = [triangle, Domain::new(mask("sparse"), 1).unwrap()];
    let pairs = library.rules.iter().flat_map(|rule| domains.iter().map(move |domain| (rule, domain)));
    // By day on one of the two domains by turns.
    let is_met = |number: usize| squeeze_tests::is_chosen(number + number / 2, 2);
    for (rule, domain) in pairs.enumerate().filter(|(number, _)| is_met(*number)).map(|(_, pair)| pair) {
        let what = format!("{} on {}", rule.name, domain.fractal().name);
        let begin = |backend| builder(domain, rule).backend(backend).build().unwrap();
        let (mut gpu, mut cpu) = (begin(Backend::Cuda), begin(Backend::Cpu));
        let mut wanted = begin(Backend::Reference);
        _ = cuda::trace();
        gpu.step(20).unwrap();
        let launches = cuda::trace().launches;
        wanted.step(20).unwrap();
        assert_eq!(digests_of(&gpu), digests_of(&wanted), "{what}");
        // The kernels of fields are those of the steps that read them.
        match rule.name.as_str() {
            "seldom" => assert_eq!(launches, 20 + 2 * 2, "{what}"),
            "bits_alone" => assert_eq!(launches, 20 + 2, "{what}"),
            // Some of these are of sums.
            _ => assert!(launches < 3 * 20, "{what}: {launches}"),
        }
        // Enough to be recorded, in all orders that there are; the buffers stand otherwise after each.
        for (steps, every) in [(403, 10), (301, 7), (5, 7), (200, 3), (160, 1000), (90, 1), (220, 10)] {
            for simulation in [&mut gpu, &mut cpu] {
                simulation.restart(every, &[format!("every={every}")]).unwrap();
                simulation.step(steps).unwrap();
                simulation.step(steps).unwrap();
            }
            assert_eq!(digests_of(&gpu), digests_of(&cpu), "{what}, {steps} steps, each {every}th");
        }
        if domain.levels().is_none() {
            continue;
        }
        let every = [2, 3, 5].map(|every| format!("every={every}"));
        let members: Vec<Member> = every.iter().zip(1..).map(|(set, seed)| Member::new(seed).set(set)).collect();
        let mut ensemble = builder(domain, rule).backend(Backend::Cuda).members(members).build().unwrap();
        ensemble.step(97).unwrap();
        for ((found, set), seed) in ensemble.digests().unwrap().into_iter().zip(&every).zip(1..) {
            let mut alone = builder(domain, rule).backend(Backend::Cpu).seed(seed).set(set).build().unwrap();
            alone.step(97).unwrap();
            let found: Vec<u64> = found.into_iter().map(|(_, digest)| digest).collect();
            assert_eq!(found, digests_of(&alone), "{what}, {set}");
        }
    }
    for rule in &library.rules {
        let wanted = sights(builder(&domains[0], rule).backend(Backend::Reference));
        let builder = builder(&domains[0], rule).backend(Backend::Cuda);
        if let Some(builder) = by_engine(builder, &strategy("squeeze", None)) {
            assert_eq!(sights(builder), wanted, "{}", rule.name);
        }
    }
    println!("{} rules agree", library.rules.len());
}
