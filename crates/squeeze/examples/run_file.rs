//! Runs a rule on a fractal, each a file or the name of one that ships: `run_file FRACTAL RULE LEVEL STEPS`.
//!
//! An error in a text is printed as the command `squeeze` prints it, with the line and what would be valid.

use squeeze::{Error, Simulation, resolve};
use std::ops::ControlFlow;

/// Runs it, tells of progress, and gives the digests of all states.
pub(crate) fn run(fractal: &str, rule: &str, level: u32, steps: u64) -> Result<Vec<(String, u64)>, Error> {
    let (fractal, rule) = (resolve::fractal(fractal)?, resolve::rule(rule)?);
    let mut simulation = Simulation::builder(fractal, rule).level(level).seed(1).build()?;
    println!("{} cells on {}", simulation.domain().cells(), simulation.device());
    simulation.step_with(steps, steps.div_ceil(4), |simulation| {
        println!("t = {}", simulation.time());
        ControlFlow::Continue(())
    })?;
    Ok(simulation.digests()?.into_iter().map(|(name, digest)| (name.to_owned(), digest)).collect())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [fractal, rule, level, steps] = arguments.as_slice() else {
        eprintln!("run_file FRACTAL RULE LEVEL STEPS");
        std::process::exit(2);
    };
    let (Ok(level), Ok(steps)) = (level.parse(), steps.parse()) else {
        eprintln!("LEVEL and STEPS are whole numbers");
        std::process::exit(2);
    };
    match run(fractal, rule, level, steps) {
        Ok(digests) => digests.iter().for_each(|(name, digest)| println!("{name} {digest:016x}")),
        Err(error) => {
            eprintln!("{error}");
            error.help().iter().for_each(|line| eprintln!("help: {line}"));
            std::process::exit(if error.is_users() { 2 } else { 1 });
        }
    }
}
