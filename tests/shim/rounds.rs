//! Observables that need others first, and what else observables and draws promise of values, as GPUs compute them.

use super::cases::{builder, domain, in_parallel, plan, sights};
use squeeze::{Backend, Domain, Ensemble, Member, Rule, resolve};
use squeeze_tests::course::library;
use squeeze_tests::masks::mask;
use squeeze_tests::{by_engine, is_chosen, strategy};
use std::sync::Arc;

const RULES: &str = "
rule spreads {
    param base: f64 = 300.0
    state up: bit
    state n: u8
    state k: i32
    state u: f32
    state v: f64
    init up = random(0.3)
    init n = u8(below(256))
    init k = i32(bits())
    init u = uniform(-1.0, 1.0)
    init v = base + 1e-6 * f64(uniform())
    next up = any(von_neumann, nb.up) && random(0.7)
    next u = u * 0.5 + 0.1 * sum(von_neumann, nb.u)
    next v = v + 1e-7 * f64(u[1, 0] else 0.25)
    next k = k + i32(n)
    observe ups = sum(up)
    observe of_up = variance(up)
    observe of_n = variance(n)
    observe of_k = variance(k)
    observe of_u = variance(u)
    observe least = min(k)
    observe ordered = [median(u), quantile(n, 0.9), quantile(up, 0.3)]
    observe more = [variance(sum(von_neumann, nb.u)), sqrt(variance(v)), mean(v) * f64(step), base]
}
rule parts {
    state k: i32
    state u: f32
    init k = i32(bits()) + x
    init u = 1000.0 + uniform()
    next u = u * 0.75
    next k = k + 1
    observe of_k = variance(k) by level 1
    observe of_u = variance(u) by level 0
    observe together = variance(u)
}
rule driven {
    state v: f64
    state seen: f64
    global spread = variance(v)
    init v = 5.0 + 1e-7 * f64(normal())
    init seen = 0.0
    next v = v + spread
    next seen = spread
    observe of_v = variance(v)
    observe last = max(seen)
}
rule steered {
    state v: f32
    global middle = median(v)
    init v = uniform(-1.0, 1.0)
    next v = if f64(v) < middle { v * -0.75 } else { v + 0.1 }
}
rule values {
    flush
    param low: f32 = 1000.0
    param high: f32 = 1001.0
    state a: f32
    state b: f32
    state c: f64
    init a = uniform(1000.0, 1001.0)
    init b = uniform(low, high)
    init c = if x % 3 == 1 { f64(log(-1.0)) } else { 1e-160 * f64(uniform(-1.0, 1.0)) }
    next a = uniform(low, high)
    next b = a
    next c = c * 0.5
    observe of_a = max(a)
    observe of_b = [max(b), variance(b)]
    observe middle = median(c)
    observe bins = histogram(c, -1.0, 1.0, 3)
    observe of_c = variance(if c > 0.0 { c } else { 0.0 })
}
";

/// On fractals with layouts by turns, on masks, packed or not, and by the strategies of the papers: each rule on every fourth domain, unless all are
/// asked for.
pub(crate) fn rounds() {
    let rules = library(RULES).rules;
    let mut cases: Vec<(usize, Domain, Arc<Rule>)> = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        for (turn, name) in ["sierpinski_triangle", "vicsek", "lace", "full_square"].iter().enumerate() {
            let fractal = resolve::fractal(name).unwrap();
            cases.push((7 * number + turn, domain(&fractal, if turn % 2 == 0 { 300 } else { 90 }), Arc::clone(rule)));
        }
        for (turn, name) in ["ragged_torus", "sparse", "thin", "column"].iter().enumerate() {
            let domain = Domain::new(mask(name), 1).unwrap();
            if domain.admits(rule).is_ok() {
                cases.push((7 * number + turn, domain, Arc::clone(rule)));
            }
        }
    }
    cases.retain(|(number, _, _)| is_chosen(*number, 6));
    in_parallel(&cases, |_, (number, domain, rule)| {
        let what = format!("{} on {} at level {}", rule.name, domain.fractal().name, domain.level());
        let wanted = sights(builder(domain, rule).backend(Backend::Reference));
        assert_eq!(sights(builder(domain, rule).backend(Backend::Cuda)), wanted, "{what}");
        if domain.levels().is_none() {
            assert_eq!(sights(builder(domain, rule).backend(Backend::Cuda).packed(true)), wanted, "{what}, packed");
        } else if let Some(plan) = plan(domain, rule, *number) {
            assert_eq!(sights(builder(domain, rule).backend(Backend::Cuda).plan(plan)), wanted, "{what}, another plan");
        }
        if rule.globals.is_empty() && ["vicsek", "sierpinski_triangle"].contains(&domain.fractal().name.as_str()) {
            let builder = builder(domain, rule).backend(Backend::Cuda);
            if let Some(builder) = by_engine(builder, &strategy("squeeze", Some(1))) {
                assert_eq!(sights(builder), wanted, "{what}, as the papers");
            }
        }
    });
    let mut members = 0;
    for rule in rules.iter().filter(|rule| rule.name != "parts") {
        let domain = domain(&resolve::fractal("vicsek").unwrap(), 200);
        let list: Vec<Member> = (0..5).map(|seed| Member::new(seed * 3 + 1)).collect();
        let list: Vec<Member> = match rule.name.as_str() {
            "spreads" => list.into_iter().zip(1..).map(|(one, n)| one.param("base", 100.0 * f64::from(n))).collect(),
            _ => list,
        };
        let look = |ensemble: &Ensemble| format!("{:?} {:?}", ensemble.digests().unwrap(), ensemble.observe().unwrap());
        let both = [Backend::Reference, Backend::Cuda].map(|backend| {
            let mut ensemble = builder(&domain, rule).backend(backend).members(list.clone()).build().unwrap();
            let mut looks = vec![look(&ensemble)];
            ensemble.step(2).unwrap();
            looks.push(look(&ensemble));
            let ahead = ensemble.step_observing(2, 3).unwrap();
            looks.push(format!("{ahead:?}"));
            looks
        });
        assert_eq!(both[0], both[1], "members of {}", rule.name);
        members += list.len();
    }
    println!("{} runs agree, and {members} members", cases.len());
}
