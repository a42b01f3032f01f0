//! Kernels compiled with the program beside those that are compiled when a run begins: `native [LEVEL] [STEPS]`.

use squeeze::{Backend, Error, Simulation, SimulationBuilder};
use std::time::Instant;

squeeze::simulation! {
    /// Conway-like growth on the Sierpinski triangle.
    pub mod growth: life on sierpinski_triangle;
    /// Diffusion on the same.
    pub mod warmth: heat on sierpinski_triangle;
}

/// Rounds of measurement: both ways take turns, so that what else the machine does meets both.
const ROUNDS: u32 = 9;

/// A simulation that is measured.
struct Run {
    simulation: Simulation,
    /// The shortest time of one step, in microseconds.
    best: f64,
}

impl Run {
    fn new(builder: SimulationBuilder, level: u32) -> Result<Run, Error> {
        let simulation = builder.level(level).seed(1).backend(Backend::Cpu).build()?;
        Ok(Run { simulation, best: f64::INFINITY })
    }

    fn round(&mut self, steps: u64) -> Result<(), Error> {
        let began = Instant::now();
        self.simulation.step(steps)?;
        self.best = self.best.min(began.elapsed().as_secs_f64() * 1e6 / steps as f64);
        Ok(())
    }
}

/// Both ways for both rules; whether they agree.
pub(crate) fn compare(level: u32, steps: u64) -> Result<bool, Error> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("level {level}, the best of {ROUNDS} rounds of {steps} steps, {threads} threads");
    let mut agree = true;
    for (name, native) in [("life", growth::builder()), ("heat", warmth::builder())] {
        let jit = match name {
            "life" => Simulation::builder(growth::fractal(), growth::rule()),
            _ => Simulation::builder(warmth::fractal(), warmth::rule()),
        };
        let mut runs = [Run::new(native, level)?, Run::new(jit, level)?];
        for _ in 0..ROUNDS {
            for run in &mut runs {
                run.round(steps)?;
            }
        }
        for run in &runs {
            let compiler = run.simulation.execution().map_or("", |execution| execution.compiler);
            println!("{name}: {:10.1} µs a step, compiled by {compiler}", run.best);
        }
        agree &= runs[0].simulation.digests()? == runs[1].simulation.digests()?;
    }
    Ok(agree)
}

fn main() -> Result<(), Error> {
    let mut numbers = std::env::args().skip(1).map_while(|argument| argument.parse::<u32>().ok());
    let (level, steps) = (numbers.next().unwrap_or(14), numbers.next().unwrap_or(48));
    assert!(compare(level, u64::from(steps))?, "both give the same states");
    Ok(())
}
