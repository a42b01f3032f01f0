//! Shipped rules against what is known of them: exact sums on small fractals, thresholds and exponents of the plane.

use squeeze::compiler::source::Sources;
use squeeze::compiler::{NoFiles, check};
use squeeze::{Backend, Fractal, ObservedValue, Simulation, resolve};
use std::sync::Arc;

fn simulation(fractal: &Arc<Fractal>, rule: &str, level: u32, seed: u64, settings: &[String]) -> Simulation {
    let rule = resolve::rule(rule).expect("it ships");
    let mut builder = Simulation::builder(Arc::clone(fractal), rule).level(level).seed(seed).backend(Backend::Cpu);
    for setting in settings {
        builder = builder.set(setting);
    }
    builder.build().expect("the rule runs")
}

fn observed(simulation: &Simulation, name: &str) -> f64 {
    let all = simulation.observe().expect("it can be observed");
    let (_, value) = all.iter().find(|(known, _)| *known == name).expect("the rule observes it");
    match value {
        ObservedValue::Integer(value) => *value as f64,
        ObservedValue::Float(value) => *value,
        ObservedValue::List(_) => panic!("{name} is a list"),
    }
}

/// Walks that coalesce give d(1/ρ)/d ln t = 0.464 for the share ρ of neighbours that disagree, if each cell chooses in half of the
/// steps: half of π times the potential kernel of the difference of two such walks, 4 E[1 / (3 + c)].
#[test]
fn opinions_in_the_plane_coarsen_as_the_logarithm_of_time() {
    let square = resolve::fractal("full_square").expect("it ships");
    let (level, side) = (9, 512.0);
    let (early, late) = (16, 256);
    let mut slope = 0.0;
    for seed in 1..=3 {
        let mut voter = simulation(&square, "voter", level, seed, &["noise=0".to_owned()]);
        let mut inverse = |steps: u64| {
            voter.step(steps).expect("it runs");
            4.0 * side * (side - 1.0) / observed(&voter, "disagreements")
        };
        let (before, after) = (inverse(early), inverse(late - early));
        slope += (after - before) / f64::ln(late as f64 / early as f64) / 3.0;
    }
    assert!((slope - 0.464).abs() < 0.04, "{slope}");
}

/// With one seed all that is open stays open when p grows, so each seed has its own threshold.
#[test]
fn the_square_percolates_above_its_threshold() {
    let square = resolve::fractal("full_square").expect("it ships");
    let (level, side, seeds) = (6, 64.0, 12);
    let mut mean = 0.0;
    for seed in 0..seeds {
        let (mut low, mut high) = (0.4, 0.8);
        for _ in 0..7 {
            let p = (low + high) / 2.0;
            let mut water = simulation(&square, "percolation", level, seed, &[format!("p={p}")]);
            water.step(400).expect("it runs");
            if observed(&water, "depth") == side - 1.0 { high = p } else { low = p }
        }
        mean += (low + high) / 2.0 / seeds as f64;
    }
    assert!((mean - 0.5927).abs() < 0.02, "{mean}");
}

/// A plus of five cells has four independent bonds: two neighbours are of one kind with probability e^β / (e^β + q − 1). Copies of it
/// in far corners are systems of their own.
#[test]
fn copies_of_a_plus_have_the_exact_energy_of_potts() {
    let mut sources = Sources::new();
    let root = sources.add("copies", "fractal copies { levels [vicsek, corners, corners, corners, corners] }");
    let library = check(&mut sources, root, &mut NoFiles).expect("the fractal is sound");
    let copies = Arc::clone(library.fractals.last().expect("there is one"));
    for (q, beta) in [(2, 0.5_f64), (3, 1.0), (8, 1.5)] {
        let mut potts = simulation(&copies, "potts", 5, 1, &[format!("q={q}"), format!("beta={beta}")]);
        potts.step(50).expect("it runs");
        let samples = 400;
        let mut mean = 0.0;
        for _ in 0..samples {
            potts.step(3).expect("it runs");
            mean += observed(&potts, "agreements") / 2.0 / 4.0 / 256.0 / f64::from(samples);
        }
        let exact = beta.exp() / (beta.exp() + f64::from(q) - 1.0);
        assert!((mean - exact).abs() < 0.01, "q = {q}: {mean} against {exact}");
    }
}

/// The same automaton in Golly's notation, from the same start.
#[test]
fn brians_brain_is_a_generations_rule() {
    let carpet = resolve::fractal("sierpinski_carpet").expect("it ships");
    let digest = |rule: &str| {
        let mut simulation = simulation(&carpet, rule, 4, 3, &[]);
        simulation.step(50).expect("it runs");
        simulation.digests().expect("it has states")[0].1
    };
    assert_eq!(digest("brians_brain"), digest("B2/S/C3"));
}
