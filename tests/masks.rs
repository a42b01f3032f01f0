//! Masks and boxes on the CPU: every rule agrees with the oracle, a fractal that was drawn as a mask behaves as the fractal, and a margin without
//! cells changes nothing.

use squeeze::compiler::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::ir::Rule;
use squeeze::{Backend, Domain, Fractal, Simulation, resolve};
use squeeze_tests::masks::{mask, masks};
use std::sync::Arc;

fn simulation(fractal: &Arc<Fractal>, level: u32, rule: &Arc<Rule>, backend: Backend) -> Simulation {
    let builder = Simulation::builder(Arc::clone(fractal), Arc::clone(rule)).level(level).seed(7);
    builder.backend(backend).threads(2).build().unwrap_or_else(|error| panic!("{error}"))
}

/// Digests and observables, from the beginning on.
fn sights(fractal: &Arc<Fractal>, rule: &Arc<Rule>, backend: Backend) -> Vec<String> {
    sights_of(simulation(fractal, 1, rule, backend))
}

fn sights_of(mut simulation: Simulation) -> Vec<String> {
    let mut look = |steps: u64| {
        simulation.step(steps).unwrap();
        format!("{:?} {:?}", simulation.digests().unwrap(), simulation.observe().unwrap())
    };
    [0, 1, 4].map(&mut look).to_vec()
}

#[test]
fn every_rule_agrees_with_the_oracle_on_every_mask() {
    let rules: Vec<_> = squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()).collect();
    let mut agreed = 0;
    for mask in masks() {
        let domain = Domain::new(Arc::clone(&mask), 1).unwrap();
        for rule in rules.iter().filter(|rule| domain.admits(rule).is_ok()) {
            let wanted = sights(&mask, rule, Backend::Reference);
            assert_eq!(sights(&mask, rule, Backend::Cpu), wanted, "{} on {}", rule.name, mask.name);
            let builder = Simulation::builder(Arc::clone(&mask), Arc::clone(rule)).level(1).seed(7);
            let packed = builder.backend(Backend::Cpu).threads(2).packed(true).build().unwrap();
            assert_eq!(packed.strategy(), "packed");
            assert_eq!(sights_of(packed), wanted, "{} on {}, packed", rule.name, mask.name);
            agreed += 1;
        }
    }
    assert!(agreed > 400, "{agreed} runs");
}

/// Without room for rows the cells alone are stored, in the bytes that they take; fields can be read and written there, and a run can begin again.
#[test]
fn cells_alone_are_stored_where_rows_do_not_fit() {
    let (mask, heat) = (mask("sparse"), resolve::rule("heat").unwrap());
    let cells = Domain::new(Arc::clone(&mask), 1).unwrap().cells();
    let places = 130 * 40;
    let build = |limit: u64| {
        let builder = Simulation::builder(Arc::clone(&mask), Arc::clone(&heat)).level(1).backend(Backend::Cpu);
        builder.threads(2).memory_limit(limit).build()
    };
    let mut rows = build(1 << 20).unwrap();
    let limit = 8 * cells + places / 4 + 2000;
    let mut packed = build(limit).unwrap();
    assert_eq!((rows.strategy(), packed.strategy()), ("lanes", "packed"));
    assert!(rows.state_bytes() > limit && packed.state_bytes() == 8 * cells, "{} bytes", packed.state_bytes());
    let too_large = build(8 * cells).err().unwrap().to_string();
    assert!(too_large.contains("`sparse` needs"), "{too_large}");
    let values: Vec<f32> = (0..cells).map(|c| (c as f32).sin()).collect();
    for simulation in [&mut rows, &mut packed] {
        simulation.step(3).unwrap();
        simulation.set_field("u", 0, &values).unwrap();
        simulation.step(7).unwrap();
    }
    assert_eq!(packed.digests().unwrap(), rows.digests().unwrap());
    assert_eq!(packed.field::<f32>("u").unwrap(), rows.field::<f32>("u").unwrap());
}

/// Rules that do not draw, on a carpet and on the mask that has the same places.
#[test]
fn a_fractal_drawn_as_a_mask_has_the_fractals_fields() {
    let (carpet, fractal) = (mask("carpet"), resolve::fractal("sierpinski_carpet").unwrap());
    let (places, domain) =
        (Domain::new(Arc::clone(&carpet), 1).unwrap(), Domain::new(Arc::clone(&fractal), 4).unwrap());
    assert_eq!((places.cells(), places.extent()), (domain.cells(), domain.extent()));
    let heat = resolve::rule("heat").unwrap();
    let run = |fractal: &Arc<Fractal>, level: u32| {
        let mut simulation = simulation(fractal, level, &heat, Backend::Cpu);
        simulation.step(60).unwrap();
        simulation.field::<f32>("u").unwrap()
    };
    let (of_mask, of_fractal) = (run(&carpet, 1), run(&fractal, 4));
    for c in 0..domain.cells() {
        let rank = places.nu(domain.lambda(c)).expect("it is a cell of both");
        assert_eq!(of_mask[rank as usize].to_bits(), of_fractal[c as usize].to_bits(), "cell {c}");
    }
    assert!(of_mask.iter().filter(|u| **u > 0.0).count() > 1000, "the heat has spread");
}

#[test]
fn a_margin_without_cells_changes_nothing() {
    let text = "
        domain bare { size (130, 40)  cells (x * x + 3 * y) % 5 < 3 }
        domain wide { size (700, 61)  cells x >= 45 && x < 175 && y >= 9 && y < 49 && ((x - 45) * (x - 45) + 3 * (y - 9)) % 5 < 3 }
    ";
    let mut sources = Sources::new();
    let root = sources.add("margins", text.to_owned());
    let domains = check(&mut sources, root, &mut NoFiles).unwrap().fractals;
    let mut compared = 0;
    for rule in squeeze_tests::rules().iter().map(|name| resolve::rule(name).unwrap()) {
        let admitted = domains.iter().all(|fractal| Domain::new(Arc::clone(fractal), 1).unwrap().admits(&rule).is_ok());
        if rule.names_coordinates || !admitted {
            continue;
        }
        let [bare, wide] = [0, 1].map(|which: usize| sights(&domains[which], &rule, Backend::Cpu));
        assert_eq!(bare, wide, "{}", rule.name);
        compared += 1;
    }
    assert!(compared > 5, "{compared} rules name no coordinates");
}
