//! Shipped rules of vectors: spins with directions against their exact sums, a particle's waves, and a fluid.

use super::equations::{TORI, part, wave};
use super::ground::{Ground, domain, domains, observed, sampled, simulation};
use squeeze::{Backend, Fractal, Simulation, resolve};
use std::f64::consts::TAU;
use std::sync::Arc;

const RULES: [&str; 4] = ["xy", "heisenberg", "schrodinger", "lattice_boltzmann"];

#[test]
fn rules_of_vectors_agree_with_the_oracle() {
    for name in ["chain", "fractal", "odd_torus", "even_torus", "mask", "odd_space", "sponge", "wide_torus"] {
        for rule in RULES {
            let digests = |backend, threads| {
                let rule = resolve::rule(rule).expect("it ships");
                let level = if name == "fractal" { 2 } else { 1 };
                let builder = Simulation::builder(domain(name), rule).level(level).seed(5);
                let mut run = builder.backend(backend).threads(threads).build().expect("the rule runs");
                run.step(3).expect("it runs");
                run.digests().expect("it has states").into_iter().map(|(_, digest)| digest).collect::<Vec<u64>>()
            };
            let wanted = digests(Backend::Reference, 1);
            for threads in [1, 2] {
                assert_eq!(digests(Backend::Cpu, threads), wanted, "{rule} on {name}, {threads} threads");
            }
        }
    }
}

/// Which kernel of a pair of spins belongs to each rule: the eigenvalue number `l` and how many functions share it, at a cosine.
type Harmonic = fn(usize, f64) -> (f64, f64);

fn on_the_circle(l: usize, cosine: f64) -> (f64, f64) {
    ((l as f64 * cosine.acos()).cos(), if l == 0 { 1.0 } else { 2.0 })
}

fn on_the_sphere(l: usize, cosine: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, cosine);
    for n in 1..l {
        (before, value) = (value, ((2 * n + 1) as f64 * cosine * value - n as f64 * before) / (n + 1) as f64);
    }
    (if l == 0 { 1.0 } else { value }, (2 * l + 1) as f64)
}

/// The integral of a harmonic times exp(beta cosine), and its derivative by beta, over angles of the circle or heights of the sphere.
fn eigenvalue(harmonic: Harmonic, is_sphere: bool, l: usize, beta: f64) -> [f64; 2] {
    let parts = 4000;
    let of = |part: i32| {
        let share = (f64::from(part) + 0.5) / f64::from(parts);
        let cosine = if is_sphere { 2.0 * share - 1.0 } else { (TAU * share).cos() };
        let value = harmonic(l, cosine).0 * (beta * cosine).exp() / f64::from(parts);
        [value, value * cosine]
    };
    (0..parts).map(of).fold([0.0; 2], |sum, value| [sum[0] + value[0], sum[1] + value[1]])
}

/// Spins that turn have, on trees, neighbours that are independent of one another, and on rings the trace of a power of the transfer operator.
#[test]
fn spins_with_directions_have_their_exact_energy() {
    let vicsek = resolve::fractal("vicsek").expect("it ships");
    let grounds: [(Arc<Fractal>, f64); 4] =
        [(domain("chain"), 0.9), (domain("ring"), 1.4), (domain("ring"), 0.6), (vicsek, 1.1)];
    for (rule, harmonic, is_sphere) in
        [("xy", on_the_circle as Harmonic, false), ("heisenberg", on_the_sphere as Harmonic, true)]
    {
        for (ground, beta) in &grounds {
            let setting = format!("beta={beta}");
            let mut spins = simulation(ground, rule, 0, &[]);
            let around = Ground::of(&spins);
            let (pairs, cells) = (around.pairs().len(), around.cells());
            let is_ring = pairs == cells;
            // Of each harmonic: how many functions share it, its eigenvalue, and the derivative of that.
            let values: Vec<[f64; 3]> = (0..if is_ring { 16 } else { 2 })
                .map(|l| {
                    let [value, slope] = eigenvalue(harmonic, is_sphere, l, *beta);
                    [harmonic(l, 0.0).1, value, slope]
                })
                .collect();
            let energy = match is_ring {
                false => -(pairs as f64) * values[1][1] / values[0][1],
                true => {
                    let power = |l: &[f64; 3], value: f64| l[0] * l[1].powi(pairs as i32 - 1) * value;
                    let all: f64 = values.iter().map(|l| power(l, l[1])).sum();
                    -(pairs as f64) * values.iter().map(|l| power(l, l[2])).sum::<f64>() / all
                }
            };
            let is_plane_chain = !is_sphere && ground.name == "chain";
            let (mut squares, mut twists) = (Vec::new(), Vec::new());
            let (mean, error) = sampled(12, |seed| {
                spins.restart(seed, &[&setting]).expect("it begins anew");
                spins.step(30).expect("it runs");
                let samples = 150;
                let mut sums = [0.0; 4];
                for _ in 0..samples {
                    spins.step(2).expect("it runs");
                    sums[0] += observed(&spins, "energy") / f64::from(samples);
                    sums[1] += observed(&spins, "m2") / f64::from(samples);
                    if is_plane_chain {
                        sums[2] += observed(&spins, "aligned_x") / f64::from(samples);
                        sums[3] += observed(&spins, "current_x").powi(2) / f64::from(samples);
                    }
                }
                squares.push(sums[1]);
                twists.push([sums[2], sums[3]]);
                sums[0]
            });
            let what = format!("{rule} on {} at {beta}", ground.name);
            assert!((mean - energy).abs() < 4.5 * error, "energy of {what}: {mean} ± {error}, exactly {energy}");
            assert!(error < 0.02 * pairs as f64, "{what}: {error}");
            if ground.name == "chain" {
                let ratio = values[1][1] / values[0][1];
                let distances = (0..cells).flat_map(|i| (0..cells).map(move |j| i.abs_diff(j) as i32));
                let wanted = distances.map(|far| ratio.powi(far)).sum::<f64>() / (cells * cells) as f64;
                let (mean, error) = sampled(12, |seed| squares[seed as usize - 1]);
                assert!((mean - wanted).abs() < 4.5 * error, "m2 of {what}: {mean} ± {error}, exactly {wanted}");
            }
            if is_plane_chain {
                // Angles between neighbours are independent of one another: the mean of the cosine of one, and that of the square of its sine.
                let [once, twice] = [1, 2].map(|l| eigenvalue(harmonic, false, l, *beta)[0] / values[0][1]);
                for (at, wanted) in [once, (1.0 - twice) / 2.0].into_iter().enumerate() {
                    let wanted = wanted * pairs as f64;
                    let (mean, error) = sampled(12, |seed| twists[seed as usize - 1][at]);
                    assert!((mean - wanted).abs() < 4.5 * error, "{at} of {what}: {mean} ± {error}, exactly {wanted}");
                    assert!(error < 0.05 * wanted, "{at} of {what}: {error}");
                }
            }
        }
    }
}

/// Spins without neighbours follow the field as Langevin's function says, along it.
#[test]
fn lone_spins_follow_their_field() {
    let lone = domains("domain lone { size (64, 63)  cells (x + y) % 2 == 0 }").remove(0);
    let (beta, field) = (0.7_f64, [1.0_f64, -2.0, 2.0]);
    let mut spins = simulation(&lone, "heisenberg", 4, &["beta=0.7", "field.x=1", "field.y=-2", "field.z=2"]);
    let strength = 3.0 * beta;
    let along = 1.0 / strength.tanh() - 1.0 / strength;
    let (mut m, samples) = ([0.0; 3], 40);
    for _ in 0..samples {
        spins.step(1).expect("it runs");
        for (sum, name) in m.iter_mut().zip(["m.x", "m.y", "m.z"]) {
            *sum += observed(&spins, name) / f64::from(samples);
        }
    }
    // A component of a spin is spread by less than 1: five errors of so many spins.
    let error = 5.0 / (2016.0 * f64::from(samples)).sqrt();
    for (axis, (mean, part)) in m.iter().zip(field).enumerate() {
        let wanted = along * part / 3.0;
        assert!((mean - wanted).abs() < error, "axis {axis}: {mean} for {wanted}");
    }
    let energy = observed(&spins, "energy");
    assert!((energy + 3.0 * along * 2016.0).abs() < 5.0 * 3.0 * 2016.0_f64.sqrt(), "{energy}");
}

fn all(run: &Simulation, state: &str) -> Vec<f32> {
    run.field(state).expect("it has the state")
}

/// The real and the imaginary part of an eigenstate with the energy E turn by 2 asin(E dt / 2) in a step, the imaginary part half a step ahead.
#[test]
fn waves_of_a_particle_turn_by_their_energies() {
    for (name, crests, _) in TORI {
        let mut particle = simulation(&domain(name), "schrodinger", 4, &["dt=0.25"]);
        let (wave, curvature) = wave(&Ground::of(&particle), crests);
        particle.set_field("psi.x", 0, &wave.iter().map(|value| *value as f32).collect::<Vec<_>>()).expect("it fits");
        particle.set_field("psi.y", 0, &vec![0.0f32; wave.len()]).expect("it fits");
        let steps = 150;
        particle.step(steps).expect("it runs");
        let turn = 2.0 * (0.25 * -0.5 * curvature / 2.0).asin();
        let steps = steps as f64;
        let real = ((steps - 0.5) * turn).cos() / (turn / 2.0).cos();
        let imaginary = -(steps * turn).sin() / (turn / 2.0).cos();
        let found = [part(&wave, &all(&particle, "psi.x")), part(&wave, &all(&particle, "psi.y"))];
        assert!((found[0] - real).abs() < 1e-4, "{name}: {found:?}, {real}");
        assert!((found[1] - imaginary).abs() < 1e-4, "{name}: {found:?}, {imaginary}");
    }
    for name in ["chain", "fractal", "mask", "sponge", "odd_torus"] {
        let settings = ["wall=0.5", "dt=0.3", "wave=1.5", "spread=0.3"];
        let mut particle = simulation(&domain(name), "schrodinger", 4, &settings);
        let before = observed(&particle, "total");
        particle.step(300).expect("it runs");
        let after = observed(&particle, "total");
        assert!((after - before).abs() < 1e-5 * before, "{name}: {before}, then {after}");
    }
}

/// A wave of shear decays by the viscosity, and a pushed fluid between two walls, half a place away, flows as a parabola.
#[test]
fn a_fluid_has_its_viscosity() {
    for viscosity in [0.02, 0.1, 0.3] {
        let setting = format!("viscosity={viscosity}");
        let mut fluid = simulation(&domain("joined"), "lattice_boltzmann", 0, &[&setting]);
        let ground = Ground::of(&fluid);
        let shear: Vec<f64> = ground.places.iter().map(|place| (TAU * place[1] as f64 / 64.0).sin()).collect();
        let mut size = |steps| {
            fluid.step(steps).expect("it runs");
            part(&shear, &all(&fluid, "flow.x"))
        };
        let (before, after) = (size(100), size(200));
        let found = (before / after).ln() / 200.0 / (TAU / 64.0).powi(2);
        assert!((found / viscosity - 1.0).abs() < 0.01, "{found}, not {viscosity}");
    }
    let pipe = &domains("domain pipe { size (3, 11)  periodic x }")[0];
    for viscosity in [0.05, 0.1, 0.8] {
        let settings = [&format!("viscosity={viscosity}"), "push=1e-5", "speed=0"];
        let mut fluid = simulation(pipe, "lattice_boltzmann", 0, &settings);
        fluid.step((250.0 / viscosity) as u64).expect("it runs");
        let ground = Ground::of(&fluid);
        for (place, found) in ground.places.iter().zip(all(&fluid, "flow.x")) {
            let height = place[1] as f64 + 0.5;
            let wanted = 1e-5 / (2.0 * viscosity) * height * (11.0 - height);
            assert!((f64::from(found) / wanted - 1.0).abs() < 5e-3, "{viscosity}, {place:?}: {found}, not {wanted}");
        }
    }
}

/// Mass stays everywhere, momentum where there are no walls, and a push adds itself to each unit of mass.
#[test]
fn a_fluid_keeps_its_mass_and_momentum() {
    for name in ["odd_torus", "even_torus", "mask", "fractal", "sponge"] {
        for push in [0.0, 1e-3] {
            let setting = format!("push={push}");
            let mut fluid = simulation(&domain(name), "lattice_boltzmann", 4, &[&setting, "speed=0.1"]);
            let read =
                |fluid: &Simulation| ["total", "all_momentum.x", "all_momentum.y"].map(|total| observed(fluid, total));
            let before = read(&fluid);
            fluid.step(50).expect("it runs");
            let after = read(&fluid);
            let small = 1e-5 * before[0];
            assert!((after[0] - before[0]).abs() < small, "{name}: {before:?}, {after:?}");
            if name.ends_with("torus") {
                assert!(
                    (after[1] - before[1] - 50.0 * push * before[0]).abs() < small,
                    "{name}: {before:?}, {after:?}"
                );
                assert!((after[2] - before[2]).abs() < small, "{name}: {before:?}, {after:?}");
            }
        }
    }
}
