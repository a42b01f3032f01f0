//! Shipped rules against what their heads promise: conserved quantities, thresholds, and what grows or dies out.

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

/// An observable now and after some steps.
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
    // These sweeps leave an error of about 0.13.
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

/// Two groups part, and no member is born or lost.
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

/// A lone walker on the square exchanges its place with each of four neighbours in one of sixteen time steps: its mean squared distance grows as a quarter of the time.
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
    let expected = steps as f64 / 4.0;
    assert!((mean - expected).abs() < 4.0 * expected / (walks as f64).sqrt(), "{mean}");
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

/// The values of a state in all cells.
fn values(simulation: &Simulation, state: &str) -> Vec<f64> {
    let value = |cell| simulation.value(state, cell).expect("a value").as_f64();
    (0..simulation.domain().cells()).map(value).collect()
}

#[test]
fn heat_and_the_energy_of_waves_stay() {
    for fractal in ["sierpinski_carpet", "vicsek", "sierpinski_triangle"] {
        for (rule, name) in [("heat", "total"), ("wave", "energy")] {
            let [before, after] = before_and_after(&mut simulation(rule, fractal, 4, 1, &[]), name, 2000);
            assert!(before > 0.0 && (after - before).abs() < 1e-4 * before, "{rule}, {fractal}: {before} and {after}");
        }
    }
}

/// Life in three dimensions, and larger than life, were chosen so that something moves on these; on the Cantor dust no cell has a neighbour.
#[test]
fn life_goes_on_where_it_is_said_to() {
    let cases = [
        ("life_3d", "tetrix", 6),
        ("life_3d", "vicsek_3d", 4),
        ("life_3d", "menger_sponge", 2),
        ("life_3d", "mosely_snowflake", 2),
        ("larger_than_life", "vicsek", 5),
        ("larger_than_life", "full_square", 6),
        ("greenberg_hastings", "vicsek", 5),
        ("brians_brain", "full_square", 7),
    ];
    for (rule, fractal, level) in cases {
        let mut life = simulation(rule, fractal, level, 1, &[]);
        life.step(300).expect("steps");
        let before = life.digests().expect("digests")[0].1;
        life.step(1).expect("a step");
        assert_ne!(life.digests().expect("digests")[0].1, before, "{rule} on {fractal} stands still");
    }
    let mut dust = simulation("life_3d", "cantor_dust_3d", 3, 1, &[]);
    assert_eq!(before_and_after(&mut dust, "population", 1)[1], 0.0);
}

/// From all spins up, the carpet and Menger's sponge stay magnetised in the cold, and finitely ramified fractals do not.
#[test]
fn spins_stay_in_order_on_infinitely_ramified_fractals_only() {
    for (rule, fractal, level, beta, ordered) in [
        ("ising", "sierpinski_carpet", 4, "beta=0.9", true),
        ("ising", "sierpinski_carpet", 4, "beta=0.5", false),
        ("ising", "sierpinski_triangle", 7, "beta=0.9", false),
        ("ising", "vicsek", 5, "beta=0.9", false),
        ("ising_3d", "menger_sponge", 3, "beta=0.5", true),
        ("ising_3d", "menger_sponge", 3, "beta=0.3", false),
    ] {
        let mut spins = simulation(rule, fractal, level, 3, &[beta]);
        let cells = spins.domain().cells();
        let mut up = vec![0xff; cells.div_ceil(8) as usize];
        if !cells.is_multiple_of(8) {
            *up.last_mut().expect("a byte") = (1 << (cells % 8)) - 1;
        }
        spins.write(squeeze::ir::StateId(0), 0..cells, &up).expect("written");
        let [before, after] = before_and_after(&mut spins, "magnetisation", 5000);
        assert_eq!(before, cells as f64);
        let m = after / before;
        assert!(if ordered { m > 0.6 } else { m.abs() < 0.3 }, "{rule} on {fractal} at {beta}: {m}");
    }
}

/// The full space of 16³ spins below and above beta = 0.22165.
#[test]
fn the_space_orders_above_its_threshold() {
    let text = "fractal cube { dimension 3 scale 2 pattern { ## ## --- ## ## } }";
    let cube = squeeze_tests::course::library(text).fractals[0].clone();
    let magnetisation = |beta: &str| {
        let rule = resolve::rule("ising_3d").expect("it ships");
        let builder = Simulation::builder(cube.clone(), rule).level(4).seed(2).backend(Backend::Cpu).set(beta);
        let mut spins = builder.build().expect("it runs");
        spins.step(600).expect("steps");
        (observed(&spins, "magnetisation") / 4096.0).abs()
    };
    let [hot, cold] = ["beta=0.18", "beta=0.27"].map(magnetisation);
    assert!(hot < 0.2 && cold > 0.7, "{hot} and {cold}");
}

#[test]
fn a_colour_is_eaten_by_the_next_one_alone() {
    let mut cyclic = simulation("cyclic", "sierpinski_carpet", 3, 1, &[]);
    for _ in 0..20 {
        let before = values(&cyclic, "colour");
        cyclic.step(1).expect("a step");
        let eaten = before.iter().zip(values(&cyclic, "colour")).filter(|(before, after)| **before != *after);
        assert!(eaten.clone().count() > 0);
        eaten.for_each(|(before, after)| assert_eq!((before + 1.0) % 8.0, after));
    }
}

/// Substances of the cyclic reaction and cells of Lenia are between 0 and 1; phases are points of the unit circle.
#[test]
fn values_stay_where_they_belong() {
    for (rule, states) in [("belousov_zhabotinsky", &["a", "b", "c"][..]), ("lenia", &["a"])] {
        let mut fluid = simulation(rule, "sierpinski_carpet", 3, 1, &[]);
        fluid.step(100).expect("steps");
        for state in states {
            assert!(values(&fluid, state).iter().all(|v| (0.0..=1.0).contains(v)), "{rule}, {state}");
        }
    }
    let mut phases = simulation("kuramoto", "full_square", 4, 1, &["spread=0.0"]);
    phases.step(4000).expect("steps");
    let before = values(&phases, "cosine");
    for (c, s) in before.iter().zip(values(&phases, "sine")) {
        assert!((c * c + s * s - 1.0).abs() < 1e-5, "{c}, {s}");
    }
    phases.step(200).expect("steps");
    let moved = before.iter().zip(values(&phases, "cosine")).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved < 0.02, "without speeds of their own they come to rest: {moved}");
}

#[test]
fn epidemics_and_fires_go_out_or_run_through() {
    let sick = |setting: &str| {
        let mut epidemic = simulation("sir", "sierpinski_carpet", 3, 1, &[setting, "start=0.02"]);
        let begun = observed(&epidemic, "infected_cells");
        epidemic.step(600).expect("steps");
        assert_eq!(observed(&epidemic, "infected_cells"), 0.0, "all recover");
        (begun, observed(&epidemic, "recovered_cells"))
    };
    let (begun, alone) = sick("infection=0.0");
    assert_eq!(begun, alone);
    assert!(sick("infection=0.9").1 > 500.0, "of 512");
    // Without lightning nothing ever burns, and trees fill the fractal.
    let mut forest = simulation("forest_fire", "vicsek", 3, 1, &["lightning=0.0"]);
    forest.step(2000).expect("steps");
    assert_eq!((observed(&forest, "trees"), observed(&forest, "fires")), (125.0, 0.0));
}

/// As soon as nothing changes, the number of labels is that of the connected clusters, counted here one by one.
#[test]
fn labels_are_those_of_the_clusters() {
    for seed in 0..4 {
        let mut sites = simulation("percolation", "sierpinski_carpet", 3, seed, &["p=0.7"]);
        sites.step(400).expect("steps");
        let domain = sites.domain().clone();
        let mut open: Vec<bool> = values(&sites, "open").into_iter().map(|open| open == 1.0).collect();
        let mut clusters = 0;
        for first in 0..open.len() {
            let mut reached = vec![first];
            clusters += i32::from(open[first]);
            while let Some(cell) = reached.pop() {
                if std::mem::take(&mut open[cell]) {
                    let beside = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]];
                    let place = domain.lambda(cell as u64);
                    reached.extend(
                        beside.iter().filter_map(|offset| domain.neighbour(place, *offset)).map(|c| c as usize),
                    );
                }
            }
        }
        assert_eq!(observed(&sites, "clusters"), f64::from(clusters), "seed {seed}");
    }
}

/// An electron on a ring of wire comes back after as many steps as the ring has cells, and wires stay wires.
#[test]
fn an_electron_runs_around_a_ring() {
    let mut wires = simulation("wireworld", "full_square", 3, 1, &[]);
    let domain = wires.domain().clone();
    let ring = |x: i64, y: i64| (1..=5).contains(&x) && (1..=5).contains(&y) && (x == 1 || x == 5 || y == 1 || y == 5);
    // Corners are cut, so that no cell is beside two of the next ones.
    let corner = |x: i64, y: i64| (x == 1 || x == 5) && (y == 1 || y == 5);
    let bytes: Vec<u8> = (0..64)
        .map(|c| match domain.lambda(c).map(|v| v as i64) {
            [3, 1, _] => 1,
            [2, 1, _] => 2,
            [x, y, _] if ring(x, y) && !corner(x, y) => 3,
            _ => 0,
        })
        .collect();
    wires.write(squeeze::ir::StateId(0), 0..64, &bytes).expect("written");
    let before = wires.digests().expect("digests")[0].1;
    for step in 1..=12 {
        wires.step(1).expect("a step");
        assert_eq!((observed(&wires, "electrons"), observed(&wires, "conductor")), (1.0, 12.0), "step {step}");
        assert_eq!(wires.digests().expect("digests")[0].1 == before, step == 12, "step {step}");
    }
}

/// Spots of the substance that eats live on from the squares that it begins in.
#[test]
fn spots_live() {
    let [_, peak] = before_and_after(&mut simulation("gray_scott", "sierpinski_carpet", 4, 1, &[]), "peak", 3000);
    assert!(peak > 0.2, "{peak}");
}
