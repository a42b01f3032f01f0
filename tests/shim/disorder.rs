//! Draws from disorder, which a GPU begins twice for.

use super::cases::{builder, digests_of};
use squeeze::{Backend, Domain, Member, resolve};
use squeeze_tests::course::library;
use squeeze_tests::masks::mask;

const RULE: &str = "
rule glass {
    param p: f32 = 0.5
    state up: bit
    state site: bit
    state j: f32
    state on: bit
    init up = random(p)
    init site = random(0.5) from disorder
    init j = normal() from disorder
    init on = site && random(0.5)
    next up = up != random(1.0 / (1.0 + exp(sum(von_neumann, if nb.up { nb.j } else { -nb.j }))))
    next on = on != any(von_neumann, nb.site && nb.up)
}
rule parity {
    state site: bit
    state up: bit
    init site = random(0.5) from disorder
    init up = random(0.5)
    next up = any(von_neumann, nb.up && nb.site) != up
}
";

/// A run, members in turn, and members as lanes of the same columns, each as the oracle has it.
pub(crate) fn disorder() {
    let library = library(RULE);
    let carpet = Domain::new(resolve::fractal("sierpinski_carpet").unwrap(), 2).unwrap();
    let domains = [carpet, Domain::new(mask("sparse"), 1).unwrap()];
    for (rule, domain) in library.rules.iter().flat_map(|rule| domains.iter().map(move |domain| (rule, domain))) {
        let count = if domain.levels().is_none() { 2 } else { 70 };
        let seeds = (0..count).map(|number: u64| (number / 2, 100 + number % 3));
        let wanted: Vec<Vec<u64>> = seeds
            .clone()
            .map(|(seed, disorder)| {
                let builder = builder(domain, rule).backend(Backend::Reference).seed(seed).disorder(disorder);
                let mut one = builder.build().unwrap();
                let begun = digests_of(&one);
                one.step(3).unwrap();
                [begun, digests_of(&one)].concat()
            })
            .collect();
        let members: Vec<Member> = seeds.map(|(seed, disorder)| Member::new(seed).disorder(disorder)).collect();
        let mut ensemble = builder(domain, rule).backend(Backend::Cuda).members(members.clone()).build().unwrap();
        for _ in 0..2 {
            let begun: Vec<Vec<u64>> = ensemble.members().iter().map(digests_of).collect();
            ensemble.step(3).unwrap();
            let found =
                begun.into_iter().zip(ensemble.members()).map(|(begun, member)| [begun, digests_of(member)].concat());
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{} on {}", rule.name, domain.fractal().name);
            ensemble.restart(&members).unwrap();
        }
        let mut one = builder(domain, rule).backend(Backend::Cuda).seed(0).disorder(100).build().unwrap();
        let begun = digests_of(&one);
        one.step(3).unwrap();
        assert_eq!([begun, digests_of(&one)].concat(), wanted[0]);
    }
    println!("{} rules agree", library.rules.len());
}
