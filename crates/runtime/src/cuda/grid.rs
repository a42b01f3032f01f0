//! The strategies of the papers: their code.

use crate::error::Result;
use squeeze_compiler::back::cuda::FLAGS;
use squeeze_compiler::back::cuda::grid::{Grid, Program, Strategy, emit};
use squeeze_compiler::ir::Rule;

/// The CUDA C of a rule on a grid: the kernels of the initial values and of the steps.
///
/// # Errors
/// [`Error::Grid`](crate::Error::Grid) if tensor cores are asked for what they cannot compute exactly.
pub fn program(grid: &Grid, rule: &Rule) -> Result<Program> {
    let domain = grid.domain();
    let maps = match grid.strategy {
        Strategy::BoundingBox => String::new(),
        _ => format!(", maps {}", grid.map.name()),
    };
    let head = [
        format!(
            "{} on {} at level {}, by Squeeze {}",
            rule.name,
            domain.fractal().name,
            domain.level(),
            env!("CARGO_PKG_VERSION")
        ),
        String::new(),
        format!("strategy {}, blocks of side {}{maps}", grid.strategy.name(), grid.rho()),
        String::new(),
        format!("nvcc {} --std=c++17", FLAGS.join(" ")),
    ];
    Ok(emit(grid, rule, &head)?)
}
