//! Masks and boxes: rules on their rows.

use super::cases::{builder, in_parallel, judge, sights};
use squeeze::geometry::with_flags;
use squeeze::ir::Axes;
use squeeze::{Backend, Domain, resolve};
use squeeze_tests::is_chosen;
use std::sync::Arc;

/// Every rule on masks and boxes.
pub(crate) fn masks() {
    let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.push(resolve::rule("gpu/operations.rule").unwrap());
    let mut pairs = Vec::new();
    for (number, mask) in squeeze_tests::masks::masks().into_iter().enumerate() {
        let domain = Domain::new(mask, 1).unwrap();
        // Every rule on every eighteenth mask, life on every second one, unless all are asked for: each text is compiled on its own.
        let chosen = rules.iter().enumerate().filter(|(turn, rule)| {
            let one_in = if rule.name.starts_with("life") { 2 } else { 18 };
            is_chosen(turn + number, one_in) && domain.admits(rule).is_ok()
        });
        pairs.extend(chosen.map(|(_, rule)| (domain.clone(), Arc::clone(rule))));
    }
    // A rule that asks whether a place is odd, and nothing else of it.
    for name in ["sheet", "sparse", "block", "dense"] {
        let domain = Domain::new(squeeze_tests::masks::mask(name), 1).unwrap();
        pairs.push((domain, resolve::rule("gpu/parity.rule").unwrap()));
    }
    // And with something beyond their edges.
    for (number, name) in ["sheet", "sparse", "ring", "maze", "block", "half", "dense", "tube"].iter().enumerate() {
        for (turn, (rule, edges)) in [
            ("heat", "u=-1.5"),
            ("heat", "u=reflect"),
            ("life", "alive=true"),
            ("life", "alive=reflect"),
            ("random_walkers", ""),
        ]
        .into_iter()
        .enumerate()
        {
            let (mask, rule) = (squeeze_tests::masks::mask(name), resolve::rule(rule).unwrap());
            let read = rule.read_at_neighbours().into_iter().map(|id| rule.state(id).name.clone());
            let all: Vec<String> = if edges.is_empty() {
                read.map(|name| format!("{name}=reflect")).collect()
            } else {
                vec![edges.to_owned()]
            };
            if mask.periodic != Axes::of(mask.dimension) && (number + turn) % 2 == 0 {
                let domain = Domain::new(with_flags(&mask, &all).unwrap(), 1).unwrap();
                pairs.push((domain, rule));
            }
        }
    }
    in_parallel(&pairs, |_, (domain, rule)| {
        let wanted = sights(builder(domain, rule).backend(judge()));
        let found = sights(builder(domain, rule).backend(Backend::Cuda));
        assert_eq!(found, wanted, "{} on {}", rule.name, domain.fractal().name);
    });
    println!("{} runs agree", pairs.len());
}

/// The same of states that hold the cells alone.
pub(crate) fn packed() {
    let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.push(resolve::rule("gpu/operations.rule").unwrap());
    let mut pairs = Vec::new();
    for (number, mask) in squeeze_tests::masks::masks().into_iter().enumerate() {
        let domain = Domain::new(mask, 1).unwrap();
        // Every rule on one mask or none, unless all are asked for: each text is compiled on its own.
        let chosen = rules.iter().enumerate().filter(|(turn, rule)| {
            let one_in = if rule.name == "life" { 4 } else { 34 };
            is_chosen(turn + number, one_in) && domain.admits(rule).is_ok()
        });
        pairs.extend(chosen.map(|(_, rule)| (domain.clone(), Arc::clone(rule))));
    }
    in_parallel(&pairs, |_, (domain, rule)| {
        let wanted = sights(builder(domain, rule).backend(judge()));
        let on_shim = builder(domain, rule).backend(Backend::Cuda).packed(true);
        assert_eq!(sights(on_shim), wanted, "{} on {}, packed", rule.name, domain.fractal().name);
    });
    println!("{} packed runs agree", pairs.len());
}
