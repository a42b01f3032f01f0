//! A parameter sweep: the magnetisation of Ising models at several temperatures, each in a thread of its own.

use squeeze::{ObservedValue, Simulation, resolve};

/// For each inverse temperature the mean magnetisation after some sweeps.
pub(crate) fn sweep(betas: &[f32], level: u32, steps: u64) -> Result<Vec<(f32, f64)>, squeeze::Error> {
    let (fractal, rule) = (resolve::fractal("sierpinski_carpet")?, resolve::rule("ising")?);
    let one = |beta: f32| {
        let builder = Simulation::builder(fractal.clone(), rule.clone()).level(level).seed(1);
        // One thread for each simulation: the sweep itself is what runs in parallel.
        let mut simulation = builder.param("beta", beta).threads(1).build()?;
        simulation.step(steps)?;
        let sum = simulation.observe()?.into_iter().find(|(name, _)| *name == "magnetisation");
        let sum = match sum {
            Some((_, ObservedValue::Integer(sum))) => sum as f64,
            Some((_, ObservedValue::Float(sum))) => sum,
            Some((_, ObservedValue::List(_))) | None => f64::NAN,
        };
        Ok((beta, sum / simulation.domain().cells() as f64))
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = betas.iter().map(|beta| scope.spawn(|| one(*beta))).collect();
        running.into_iter().map(|thread| thread.join().expect("no simulation panics")).collect()
    })
}

fn main() -> Result<(), squeeze::Error> {
    for (beta, magnetisation) in sweep(&[0.1, 0.3, 0.5, 0.7, 0.9, 1.1], 5, 200)? {
        println!("beta = {beta:.1}: {magnetisation:+.4}");
    }
    Ok(())
}
