//! Rules whose laws are known: what they keep they keep, and where they turn they turn.

use squeeze::{Backend, ObservedValue, Simulation, resolve};

fn simulation(rule: &str, fractal: &str, level: u32, seed: u64, settings: &[&str]) -> Simulation {
    let (rule, fractal) = (resolve::rule(rule).expect("it ships"), resolve::fractal(fractal).expect("it ships"));
    let builder = Simulation::builder(fractal, rule).level(level).seed(seed).backend(Backend::Cpu).threads(2);
    settings.iter().fold(builder, |builder, setting| builder.set(*setting)).build().expect("it runs")
}

fn observed(simulation: &Simulation, name: &str) -> f64 {
    let all = simulation.observe().expect("observables");
    match all.into_iter().find(|(known, _)| *known == name).expect("it is observed").1 {
        ObservedValue::Integer(value) => value as f64,
        ObservedValue::Float(value) => value,
        ObservedValue::List(_) => panic!("one number"),
    }
}

/// What is observed now and after some steps.
fn before_and_after(simulation: &mut Simulation, name: &str, steps: u64) -> [f64; 2] {
    let before = observed(simulation, name);
    simulation.step(steps).expect("steps");
    [before, observed(simulation, name)]
}

#[test]
fn exchanges_keep_the_magnetisation_and_cool() {
    for fractal in ["full_square", "sierpinski_carpet"] {
        let mut kawasaki = simulation("kawasaki", fractal, 4, 1, &["beta=0.8"]);
        let hot = observed(&kawasaki, "energy");
        let [before, after] = before_and_after(&mut kawasaki, "magnetisation", 640);
        assert_eq!(before, after, "{fractal}");
        assert!(observed(&kawasaki, "energy") < hot, "{fractal}");
    }
}

/// Mean energy over a run against the sum over all states of the same magnetisation, on a square of 16 cells.
#[test]
fn exchanges_have_the_canonical_energy() {
    let beta = 0.3f64;
    let mut kawasaki = simulation("kawasaki", "full_square", 2, 3, &["beta=0.3"]);
    let m = observed(&kawasaki, "magnetisation");
    let place = |x: i32, y: i32| (4 * y + x) as u32;
    let mut sums = (0.0, 0.0);
    for state in 0u32..1 << 16 {
        let spin = |at: u32| if state >> at & 1 == 1 { 1.0 } else { -1.0 };
        if (0..16).map(spin).sum::<f64>() != m {
            continue;
        }
        let mut energy = 0.0;
        for y in 0..4 {
            for x in 0..4 {
                let right = if x < 3 { spin(place(x + 1, y)) } else { 0.0 };
                let below = if y < 3 { spin(place(x, y + 1)) } else { 0.0 };
                energy -= spin(place(x, y)) * (right + below);
            }
        }
        let weight = (-beta * energy).exp();
        sums = (sums.0 + weight, sums.1 + weight * energy);
    }
    let (mut mean, rounds) = (0.0, 12_000);
    kawasaki.step(640).expect("steps");
    for _ in 0..rounds {
        kawasaki.step(16).expect("steps");
        mean += observed(&kawasaki, "energy") / f64::from(rounds);
    }
    let wanted = sums.1 / sums.0;
    // So many sweeps leave an error of about 0.13.
    assert!((mean - wanted).abs() < 0.5, "{mean}, not {wanted}");
}

#[test]
fn walkers_and_particles_are_neither_born_nor_lost() {
    for fractal in ["full_square", "sierpinski_carpet", "sierpinski_triangle"] {
        let mut walkers = simulation("random_walkers", fractal, 4, 2, &["density=0.4"]);
        let begun = walkers.digests().expect("digests")[0].1;
        let [before, after] = before_and_after(&mut walkers, "walkers", 500);
        assert_eq!(before, after, "{fractal}");
        assert_ne!(walkers.digests().expect("digests")[0].1, begun, "they walk");
        let [before, after] = before_and_after(&mut simulation("lattice_gas", fractal, 4, 2, &[]), "particles", 500);
        assert_eq!(before, after, "{fractal}");
    }
}

/// Two groups part, and nobody is born or lost.
#[test]
fn people_of_one_group_come_together() {
    for (fractal, level) in [("full_square", 6), ("sierpinski_carpet", 4)] {
        let mut town = simulation("schelling", fractal, level, 1, &[]);
        let groups = |town: &Simulation| [observed(town, "reds"), observed(town, "blues")];
        let (before, mixed) = (groups(&town), observed(&town, "alike"));
        town.step(500).expect("steps");
        assert_eq!(groups(&town), before, "{fractal}");
        let parted = observed(&town, "alike");
        assert!((mixed - 0.5).abs() < 0.03 && parted > 0.62, "{fractal}: {mixed}, then {parted}");
    }
}

/// A lone walker on the square makes one step in each time step: its mean squared distance grows as the time.
#[test]
fn a_walker_diffuses() {
    let (walks, steps) = (300, 40);
    let mut squares = 0.0;
    for seed in 0..walks {
        let mut walk = simulation("random_walkers", "full_square", 6, seed, &["density=0.0"]);
        let middle = (0..4096).find(|c| walk.domain().lambda(*c) == [32, 32, 0]).expect("a cell");
        let mut bytes = vec![0; 512];
        bytes[middle as usize / 8] = 1 << (middle % 8);
        walk.write(squeeze::ir::StateId(0), 0..4096, &bytes).expect("written");
        walk.step(steps).expect("steps");
        let end = (0..4096).find(|c| walk.value("walker", *c).expect("a value").as_f64() == 1.0).expect("a walker");
        let [x, y, _] = walk.domain().lambda(end);
        squares += (x as f64 - 32.0).powi(2) + (y as f64 - 32.0).powi(2);
    }
    let mean = squares / walks as f64;
    // The square of the distance has about its mean as its spread.
    assert!((mean - steps as f64).abs() < 4.0 * steps as f64 / (walks as f64).sqrt(), "{mean}");
}

/// Each bond of the square is open with probability p; at 1/2 half of the clusters cross a square.
#[test]
fn bonds_percolate_at_one_half() {
    let crossings = |p: &str| {
        let crosses = |seed: u64| {
            let mut epidemic = simulation("bond_percolation", "full_square", 6, seed, &[p]);
            while observed(&epidemic, "active") > 0.0 {
                epidemic.step(32).expect("steps");
            }
            observed(&epidemic, "across") > 0.0
        };
        (0..60).filter(|seed| crosses(*seed)).count()
    };
    let [low, at, high] = ["p=0.44", "p=0.5", "p=0.56"].map(crossings);
    assert!(low <= 8 && high >= 52 && (15..=45).contains(&at), "{low}, {at} and {high} of 60");
}

#[test]
fn phases_part_and_their_mean_stays() {
    let mut phases = simulation("cahn_hilliard", "full_square", 5, 4, &["mean_u=0.1"]);
    let free = observed(&phases, "free");
    let [before, after] = before_and_after(&mut phases, "total", 3000);
    assert!((before - after).abs() < 1e-3 * 1024.0 * 0.1, "{before} and {after}");
    assert!(observed(&phases, "free") < 0.8 * free && observed(&phases, "spread") > 0.3);
}

#[test]
fn stripes_come_above_the_threshold_only() {
    let [before, after] =
        before_and_after(&mut simulation("swift_hohenberg", "full_square", 5, 5, &["r=0.3"]), "power", 3000);
    // A single mode comes to u = 2 sqrt(r / 3) cos x, whose power is 2r / 3.
    assert!(after > 10.0 * before && (after - 0.2).abs() < 0.08, "{before} and {after}");
    let [before, after] =
        before_and_after(&mut simulation("swift_hohenberg", "full_square", 5, 5, &["r=-0.3"]), "power", 3000);
    assert!(after < 1e-6 * before, "{before} and {after}");
}

#[test]
fn ice_grows_by_the_walkers_that_freeze() {
    let mut aggregation = simulation("aggregation", "full_square", 5, 6, &["density=0.2"]);
    let frozen = observed(&aggregation, "frozen");
    let [before, after] = before_and_after(&mut aggregation, "grains", 3000);
    assert_eq!(before, after);
    assert!(observed(&aggregation, "frozen") > 20.0 * frozen);
}

/// Grains fall only when nothing topples; the mean height of the square comes to 17/8.
#[test]
fn a_driven_pile_comes_to_its_height() {
    let mut pile = simulation("driven_sandpile", "full_square", 4, 7, &[]);
    pile.step(6000).expect("steps");
    let (mut mean, rounds) = (0.0, 400);
    for _ in 0..rounds {
        pile.step(20).expect("steps");
        while observed(&pile, "toppling") > 0.0 {
            pile.step(1).expect("a step");
        }
        mean += observed(&pile, "height") / f64::from(rounds);
    }
    // The border of a small square is lower.
    assert!((mean - 2.125).abs() < 0.1, "{mean}");
    assert!(observed(&pile, "fallen") > 1000.0);
}
