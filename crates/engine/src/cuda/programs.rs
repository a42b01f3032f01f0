//! From kernels to CUDA C, and from its compiled code to passes.

use super::driver::{Device, Module};
use super::error::CudaError;
use super::label::{Label, prefix_on, space};
use super::nvrtc::MachineCode;
use super::pass::DeviceKernel;
use super::stored::Stored;
use crate::{EngineError, Result};
use squeeze_compiler::Program;
use squeeze_compiler::emit::cuda::header::{self, Declared, StateBuffer, c_type};
use squeeze_compiler::emit::cuda::{CudaText, Entry, Head, Job, THREADS, emit};
use squeeze_compiler::kernel::Variable;
use squeeze_compiler::plan::StateMemory;
use std::sync::Arc;

/// The kernels of many members in turn number all threads in 32 bits.
pub(super) fn check_threads(stored: Stored<'_>, entries: &[Entry]) -> Result<()> {
    let Stored::Replicas { layout, members, .. } = stored else { return Ok(()) };
    let of_member = |entry: &Entry| u64::from(entry.superblocks.unwrap_or(layout.superblocks())) * entry.threads;
    let all = entries.iter().map(of_member).max().unwrap_or(1) * u64::from(members.turns());
    if members.in_turn() && all > u64::from(u32::MAX - THREADS) {
        return Err(EngineError::Blocks { blocks: all.div_ceil(u64::from(THREADS)) });
    }
    Ok(())
}

/// The kernels of a compiled program, on the device.
pub(super) fn kernels_of(
    device: &Arc<Device>,
    image: &MachineCode,
    program: CudaText,
) -> std::result::Result<Vec<DeviceKernel>, CudaError> {
    let module = Module::new(device, image)?;
    let kernel = |entry: Entry| Ok(DeviceKernel { function: module.function(&entry.name)?, entry });
    program.entries.into_iter().map(kernel).collect()
}

/// A header in C for the text that [`program`] printed.
pub fn header(Program { plan, init, target, .. }: &Program, program: &CudaText) -> String {
    let buffer = |(state, memory): (&Variable, &StateMemory)| StateBuffer {
        state: state.name.clone(),
        ty: c_type(state.planes.ty()),
        bytes: plan.buffer_bytes(memory, target) as u64,
    };
    let buffers: Vec<StateBuffer> = init.kernel().states.iter().zip(plan.states()).map(buffer).collect();
    let stem = program.entries[0].name.trim_end_matches("_init");
    let units = u64::from(Stored::of(plan).all().end);
    let declared = |entry: &Entry| Declared {
        name: entry.name.clone(),
        arguments: header::arguments(stem, &entry.arguments, &buffers),
        threads: THREADS,
        blocks: Some((units.div_ceil(u64::from(entry.together)) * entry.threads).div_ceil(u64::from(THREADS))),
    };
    let kernels: Vec<Declared> = program.entries.iter().map(declared).collect();
    header::header(&program.text, stem, &program.world, &buffers, &kernels)
}

/// The CUDA C of what was compiled for [`Target::cuda`](squeeze_compiler::Target::cuda): the kernels of the initial values and of the steps. Their
/// names begin with `prefix`, or with what names the domain and the level, so that several programs link into one; all else stands in a namespace.
pub fn program(Program { rule, plan, init, steps, taken_by_gpu, .. }: &Program, prefix: Option<&str>) -> CudaText {
    let domain = rule.domain();
    let (name, version) = (&domain.fractal().name, env!("CARGO_PKG_VERSION"));
    let (level, plan_text) = match Stored::of(plan) {
        Stored::Rows { grid, .. } => (String::new(), grid.to_string()),
        Stored::Replicas { .. } => (format!(" at level {}", domain.level()), plan.to_string()),
    };
    let mut lines = vec![format!("{} on {name}{level}, by Squeeze {version}", rule.name), String::new()];
    lines.extend(plan_text.lines().map(str::to_owned));
    lines.push(String::new());
    lines.push(format!("nvcc {} --std=c++17", squeeze_compiler::emit::cuda::FLAGS.join(" ")));
    let head = Head { lines, prefix: prefix.map_or_else(|| prefix_on(domain), str::to_owned) };
    let jobs =
        std::iter::once(Job::new(init)).chain(Job::of_steps(steps, taken_by_gpu)).chain(Job::in_window(plan, steps));
    let mut program = emit(plan, jobs, &head);
    program.text = Label::of_plan(rule, plan, &program.text).put_in(&program.text, &space(&head.prefix, &rule.name));
    program
}
