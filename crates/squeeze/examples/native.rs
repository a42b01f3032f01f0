//! Kernels compiled with the program beside those that are compiled when a run begins: `native [LEVEL] [PASSES]`.

use squeeze::{Backend, Error, Simulation, SimulationBuilder};
use std::time::Instant;

squeeze::simulation! {
    /// Conway-like growth on the Sierpinski triangle.
    pub mod growth: life on sierpinski_triangle;
    /// Diffusion on the same.
    pub mod warmth: heat on sierpinski_triangle;
}

/// What compiled the kernels, microseconds of one step, the best of five runs, and the first state's digest.
pub fn measure(builder: SimulationBuilder, level: u32, steps: u64) -> Result<(&'static str, f64, u64), Error> {
    let mut simulation = builder.level(level).seed(1).backend(Backend::Cpu).build()?;
    simulation.step(steps)?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let began = Instant::now();
        simulation.step(steps)?;
        best = best.min(began.elapsed().as_secs_f64() * 1e6 / steps as f64);
    }
    let compiler = simulation.execution().map_or("", |execution| execution.compiler);
    Ok((compiler, best, simulation.digests()[0].1))
}

/// Both ways for both rules; whether they agree.
pub fn compare(level: u32, steps: u64) -> Result<bool, Error> {
    let mut agree = true;
    for (name, native) in [("life", growth::builder()), ("heat", warmth::builder())] {
        let jit = match name {
            "life" => Simulation::builder(growth::fractal(), growth::rule()),
            _ => Simulation::builder(warmth::fractal(), warmth::rule()),
        };
        let (by, native, digest) = measure(native, level, steps)?;
        println!("{name}, level {level}: {native:10.1} µs a step, compiled by {by}");
        let (by, jit, other) = measure(jit, level, steps)?;
        println!("{name}, level {level}: {jit:10.1} µs a step, compiled by {by}");
        agree &= digest == other;
    }
    Ok(agree)
}

fn main() -> Result<(), Error> {
    let mut numbers = std::env::args().skip(1).map_while(|argument| argument.parse::<u32>().ok());
    let (level, steps) = (numbers.next().unwrap_or(14), numbers.next().unwrap_or(48));
    assert!(compare(level, u64::from(steps))?, "both give the same states");
    Ok(())
}
