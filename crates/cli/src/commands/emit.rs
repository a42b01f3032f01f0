//! `emit FRACTAL --rule RULE [--level R] --target ir [-o FILE]`

use crate::args::Emit;
use crate::report::{Failure, print};
use squeeze::compiler::lanes::passes::{Statistics, optimise};
use squeeze::files::write_atomically;
use squeeze::{Domain, cpu, resolve};

/// The level that stands for all large ones.
const USUAL_LEVEL: u32 = 12;

/// Prints the kernels that the backend `cpu` would run, as they go to a compiler.
pub fn emit(arguments: &Emit) -> Result<(), Failure> {
    let fractal = resolve::fractal(&arguments.fractal)?;
    let rule = resolve::rule(&arguments.rule)?;
    let level = arguments.level.unwrap_or_else(|| USUAL_LEVEL.min(Domain::largest_level(&fractal)));
    let domain = Domain::new(fractal, level)?;
    domain.admits(&rule)?;
    let plan = cpu::plan(&domain, &rule, None)?;
    let mut text = format!("// {} on {} at level {level}\n", rule.name, domain.fractal().name);
    for line in plan.candidate.to_string().lines() {
        text.push_str(&format!("// {line}\n"));
    }
    for kernel in plan.step {
        let kernel = optimise(kernel);
        let statistics = Statistics::of(&kernel);
        text.push_str(&format!(
            "// {:.2} operations a cell and step; at most {} values live at once\n\n{kernel}",
            statistics.operations_per_update(),
            statistics.most_live
        ));
    }
    match &arguments.output {
        Some(path) => Ok(write_atomically(path, text.as_bytes())?),
        None => print(&text),
    }
}
