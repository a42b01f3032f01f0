//! Spin models against exact sums over all states: the mean energies of small fractals, and of a full square, are right within their
//! errors. Neighbours update by turns, each from a heat bath.

use squeeze::ir::Dimension;
use squeeze::{Backend, Domain, ObservedValue, Simulation, resolve};
use std::sync::Arc;

squeeze::rule! {
    rule magnet {
        param beta: f32 = 0.3
        state up: bit
        init up = random(0.5)
        let field = sum(von_neumann, if nb.up { 1.0 } else { -1.0 })
        step even when (x + y) % 2 == 0 { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) }
        step odd when (x + y) % 2 == 1 { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) }
        let around = sum(von_neumann, if nb.up { 1 } else { -1 })
        observe energy = sum(if up { -around } else { around })
    }
}

/// The bonds between cells, each once.
fn bonds(domain: &Domain) -> Vec<(u64, u64)> {
    assert_eq!(domain.dimension(), Dimension::Two);
    let next = |c: u64| {
        [[1, 0, 0], [0, 1, 0]].map(|offset| domain.neighbour(domain.lambda(c), offset).map(|there| (c, there)))
    };
    (0..domain.cells()).flat_map(next).flatten().collect()
}

/// The mean of the energy over all states, each counted by its weight.
fn exact(domain: &Domain, beta: f64) -> f64 {
    let bonds = bonds(domain);
    let (mut weights, mut energies) = (0.0, 0.0);
    for state in 0u64..1 << domain.cells() {
        let aligned = bonds.iter().filter(|(a, b)| (state >> a ^ state >> b) & 1 == 0).count();
        let energy = bonds.len() as f64 - 2.0 * aligned as f64;
        let weight = (-beta * energy).exp();
        (weights, energies) = (weights + weight, energies + weight * energy);
    }
    energies / weights
}

/// Mean energies over the steps of several runs.
fn measured(fractal: &str, level: u32, beta: f32, backend: Backend) -> Vec<f64> {
    const STEPS: u32 = 400;
    let fractal = resolve::fractal(fractal).unwrap();
    let mut means = Vec::new();
    for seed in 0..40 {
        let builder = Simulation::builder(Arc::clone(&fractal), magnet::rule()).level(level).seed(seed);
        let mut simulation = builder.param("beta", beta).backend(backend).threads(1).build().unwrap();
        simulation.step(50).unwrap();
        let mut sum = 0.0;
        for _ in 0..STEPS {
            simulation.step(1).unwrap();
            let [(_, ObservedValue::Integer(twice))] = simulation.observe().unwrap()[..] else { panic!("one number") };
            sum += twice as f64 / 2.0;
        }
        means.push(sum / f64::from(STEPS));
    }
    means
}

#[test]
fn energies_equal_exact_sums() {
    // On a square whose side is even the checkerboard is one of micro cells, on others one of lanes.
    for (name, level) in [("full_square", 2), ("sierpinski_triangle", 2), ("sierpinski_carpet", 1), ("vicsek", 1)] {
        for beta in [0.2f32, 0.44] {
            let domain = Domain::new(resolve::fractal(name).unwrap(), level).unwrap();
            let exact = exact(&domain, f64::from(beta));
            let means = measured(name, level, beta, Backend::Cpu);
            let count = means.len() as f64;
            let mean = means.iter().sum::<f64>() / count;
            let variance = means.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
            let error = (variance / count).sqrt();
            assert!(error < 0.05 * exact.abs(), "{name}, beta {beta}: {mean} with an error of {error}");
            let deviations = (mean - exact) / error;
            assert!(deviations.abs() < 4.0, "{name}, beta {beta}: {mean} ± {error} instead of {exact}");
        }
    }
}
