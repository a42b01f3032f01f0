//! How much memory states and tables take, on the device and on the host, and whether there is so much.

use super::driver::Device;
use super::error::CudaError;
use super::neighbours;
use crate::{Backend, EngineError, Result};
use squeeze_compiler::Target;
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::Rule;
use squeeze_compiler::layout::rows::RowGrid;
use squeeze_compiler::plan::{Plan, choices};
use squeeze_compiler::target::Machine;
use squeeze_host::{memory, numbers};
use std::sync::Arc;

/// Bytes of the device that are left to others, and to the kernels' own needs.
pub const RESERVE: u64 = 256 << 20;

/// The tables of a mask or a box must fit on the host, before they are made.
pub(super) fn check_tables(domain: &Domain) -> Result<()> {
    if domain.levels().is_some() {
        return Ok(());
    }
    let (needed, available) = (RowGrid::bytes(domain), memory::available());
    if needed <= available {
        return Ok(());
    }
    Err(EngineError::memory(domain, "cuda, whose tables are made on the host,", needed as f64, available, || None))
}

/// Bytes of the first device that there are for states and tables.
pub(super) fn room(limit: Option<u64>) -> Result<u64> {
    Ok(room_on(&*Device::first()?, limit)?)
}

/// The same of any device.
pub fn room_on(device: &Device, limit: Option<u64>) -> Result<u64, CudaError> {
    let free = device.free_memory()?;
    if free <= RESERVE {
        return Err(CudaError::Full {
            device: device.name(),
            free: Some((free, RESERVE)),
            total: device.total_memory()?,
        });
    }
    Ok((free - RESERVE).min(limit.unwrap_or(u64::MAX)))
}

/// States that need more than is available on a device, where a level is the largest that fits.
pub fn too_large(
    device: &Device,
    domain: &Domain,
    (needed, available): (u64, u64),
    largest: impl FnOnce() -> Option<u32>,
) -> EngineError {
    let mut error = EngineError::memory(domain, Backend::Cuda.name(), needed as f64, available, largest);
    if let (EngineError::Memory { help, .. }, Ok(free)) = (&mut error, device.free_memory()) {
        let [free, reserve] = [free, RESERVE].map(|bytes| numbers::bytes(bytes as f64));
        help.push(format!(
            "{free} of the GPU's memory is free, of which {reserve} is left to others; `--backend cpu` does without a GPU"
        ));
    }
    error
}

/// Bytes that a plan takes on the device: all buffers, each with a unit behind it, and the tables.
pub(super) fn bytes_needed(rule: &Rule, plan: &Plan, far: bool, target: &Target) -> u64 {
    let tables = plan.layout().map_or(0, |layout| neighbours::bytes(layout, rule, far));
    u64::try_from(plan.bytes(target) + u128::from(tables)).unwrap_or(u64::MAX)
}

/// The states must fit in the room of the target.
pub(super) fn check_memory(device: &Device, rule: &FittedRule, plan: &Plan, far: bool, target: &Target) -> Result<()> {
    let domain = rule.domain();
    let (needed, available) = (bytes_needed(rule, plan, far, target), target.room);
    if needed <= available {
        return Ok(());
    }
    let usual = Target { demanded: None, machine: Machine::gpu(), members: 1, ..target.clone() };
    let fits = |level: &u32| {
        let domain = Domain::new(Arc::clone(domain.fractal()), *level).ok();
        let plan = domain.and_then(|domain| choices(&domain, rule, &usual).ok()?.next());
        plan.is_some_and(|plan| bytes_needed(rule, &plan, far, target) <= available)
    };
    let largest = || (0..domain.level()).rev().find(fits);
    Err(too_large(device, domain, (needed, available), largest))
}
