//! From kernels to CUDA C, and from what was compiled of it to passes.

use super::driver::{Device, Module};
use super::error::CudaError;
use super::label::Label;
use super::pass::Pass;
use crate::{EngineError, Result};
use squeeze_compiler::Compiled;
use squeeze_compiler::emit::cuda::{CudaText, Entry, Job, Members, THREADS, emit};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::layout::Layout;
use std::sync::Arc;

/// The kernels of many members in turn number all threads in 32 bits.
pub(super) fn check_threads(layout: &Layout, turns: usize, entries: &[Entry]) -> Result<()> {
    let of_member = |entry: &Entry| u64::from(entry.superblocks.unwrap_or(layout.superblocks())) * entry.threads;
    let all = entries.iter().map(of_member).max().unwrap_or(1) * turns as u64;
    if turns > 1 && all > u64::from(u32::MAX - THREADS) {
        return Err(EngineError::Blocks { blocks: all.div_ceil(u64::from(THREADS)) });
    }
    Ok(())
}

/// The kernels of a compiled program, on the device.
pub(super) fn passes_of(
    device: &Arc<Device>,
    image: &[u8],
    program: CudaText,
) -> std::result::Result<Vec<Pass>, CudaError> {
    let module = Arc::new(Module::new(device, image)?);
    let pass = |entry: Entry| Ok(Pass { function: module.function(&entry.name)?, module: Arc::clone(&module), entry });
    program.entries.into_iter().map(pass).collect()
}

/// The CUDA C of what was compiled for [`Target::cuda`](squeeze_compiler::Target::cuda): the kernels of the initial values and of the steps.
pub fn program(rule: &FittedRule, compiled: &Compiled) -> CudaText {
    let domain = rule.domain();
    let Compiled { plan, init, steps, .. } = compiled;
    let (name, version) = (&domain.fractal().name, env!("CARGO_PKG_VERSION"));
    let rows = plan.storage.rows();
    let (level, plan_text) = match rows {
        Some((grid, _)) => (String::new(), grid.to_string()),
        None => (format!(" at level {}", domain.level()), plan.candidate.to_string()),
    };
    let mut head = vec![format!("{} on {name}{level}, by Squeeze {version}", rule.name), String::new()];
    head.extend(plan_text.lines().map(str::to_owned));
    head.push(String::new());
    head.push(format!("nvcc {} --std=c++17", squeeze_compiler::emit::cuda::FLAGS.join(" ")));
    let jobs = std::iter::once(init).chain(steps).map(Job::new).chain(Job::in_window(plan, steps));
    let mut program = emit(plan, Members::One, jobs, &head);
    let label = match rows {
        Some((_, packed)) => Label::of_rows(rule, packed, &program.text),
        None => Label::of_lanes(rule, &plan.candidate, &program.text),
    };
    program.text = label.put_in(&program.text);
    program
}
