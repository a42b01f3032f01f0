//! Masks and boxes: rules on their rows.

use super::cases::{builder, in_parallel, judge, sights};
use squeeze::compiler::plan::Window;
use squeeze::compiler::{Program, Target};
use squeeze::geometry::with_flags;
use squeeze::ir::Axes;
use squeeze::{Backend, Domain, resolve};
use squeeze_tests::course::library;
use squeeze_tests::is_chosen;
use std::sync::Arc;

/// Every rule on masks and boxes.
pub(crate) fn masks() {
    let mut rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    rules.extend(["operations", "tables"].map(|name| resolve::rule(&format!("gpu/{name}.rule")).unwrap()));
    let mut pairs = Vec::new();
    for (number, mask) in squeeze_tests::masks::masks().into_iter().enumerate() {
        let domain = Domain::new(mask, 1).unwrap();
        // Every rule on one mask in 24, life on every third one, unless all are asked for: each text is compiled on its own.
        let chosen = rules.iter().enumerate().filter(|(turn, rule)| {
            let one_in = if rule.name.starts_with("life") { 3 } else { 24 };
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
            ("heat", "u=-1.5 at -y; u=reflect at +y"),
            ("life", "alive=true at +x"),
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
                edges.split("; ").map(str::to_owned).collect()
            };
            if mask.periodic != Axes::of(mask.dimension) && (number + turn) % 2 == 0 {
                let domain = Domain::new(with_flags(&mask, &all).unwrap(), 1).unwrap();
                // Sides may be joined.
                pairs.extend(domain.fit(&rule).is_ok().then_some((domain, rule)));
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
    rules.extend(["operations", "tables"].map(|name| resolve::rule(&format!("gpu/{name}.rule")).unwrap()));
    let mut pairs = Vec::new();
    for (number, mask) in squeeze_tests::masks::masks().into_iter().enumerate() {
        let domain = Domain::new(mask, 1).unwrap();
        // Every rule on one mask or none, unless all are asked for: each text is compiled on its own.
        let chosen = rules.iter().enumerate().filter(|(turn, rule)| {
            let one_in = if rule.name == "life" { 6 } else { 48 };
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

/// Several steps of numbers in a march: rules of each type on boxes, tori and masks of many widths, with each kind of edge.
pub(crate) fn marches() {
    const WIDTHS: [u32; 11] = [1, 2, 3, 63, 64, 65, 127, 129, 255, 257, 1001];
    const RULES: [&str; 7] = ["reacting", "settling", "climbing", "dripping", "spoiling", "remembering", "reaching"];
    let kinds = [
        "",
        "periodic",
        "periodic x",
        "periodic y",
        "cells random(0.6)",
        "cells random(0.6)  periodic",
        "=constant",
        "=reflect",
        "=sides",
    ];
    let (mut pairs, mut in_march) = (Vec::new(), 0);
    for (turn, (width, name)) in WIDTHS.into_iter().flat_map(|width| RULES.map(|name| (width, name))).enumerate() {
        for (number, kind) in kinds.iter().enumerate().filter(|(number, _)| is_chosen(turn + turn / 7 + number, 18)) {
            let (edge, more) = if let Some(edge) = kind.strip_prefix('=') { (edge, "") } else { ("", *kind) };
            let rule = resolve::rule(&format!("gpu/march.rule#{name}")).unwrap();
            let height = 5 + (7 * number + 11 * turn) % 40;
            let text = format!("domain plane {{ size ({width}, {height})  {more} }}");
            let plane = library(&text).fractals.remove(0);
            let constant = if height % 2 == 0 { "-1.5" } else { "2.0" };
            let edge = match edge {
                "constant" if matches!(rule.name.as_str(), "climbing" | "reaching") => "-3",
                "constant" if rule.name == "dripping" => "200",
                "constant" => constant,
                other => other,
            };
            let values = match edge {
                "" => vec![],
                "sides" => vec!["0 at -x", "reflect at +x", "3 at +y"],
                edge => vec![edge],
            };
            let read = rule.read_at_neighbours();
            let edges =
                read.iter().flat_map(|id| values.iter().map(|value| format!("{}={value}", rule.state(*id).name)));
            let edges: Vec<String> = edges.collect();
            let domain = Domain::new(with_flags(&plane, &edges).unwrap(), 1).unwrap();
            if let Ok(fitted) = domain.fit(&rule) {
                let window = Program::of(&fitted, &Target::cuda()).unwrap().plan.window();
                in_march += usize::from(matches!(window, Window::March { .. }));
                pairs.push((domain, rule));
            }
        }
    }
    in_parallel(&pairs, |turn, (domain, rule)| {
        let wanted = sights(builder(domain, rule).backend(judge()));
        let on_shim = builder(domain, rule).backend(Backend::Cuda);
        let found = sights(if turn % 2 == 0 { on_shim } else { on_shim.activity_at_once() });
        assert_eq!(found, wanted, "{} on {:?}", rule.name, domain.extent());
    });
    assert!(10 * in_march > 8 * pairs.len(), "{in_march} of {} are marches", pairs.len());
    println!("{in_march} marches agree, and {} others", pairs.len() - in_march);
}
