//! How much memory a run may take.

use crate::{groups, numbers};
#[cfg(unix)]
use rustix::process::Resource;
use sysinfo::{Process, ProcessRefreshKind, ProcessesToUpdate, System};

/// Bytes that are left to the rest of the machine when a run takes what there is.
const RESERVE: u64 = 64 << 20;

/// The least that limits must leave to a process: stacks of two threads, and what a small text takes. Where there is less, the C library ends
/// the process by itself.
const LEAST: u64 = 6 << 20;

/// A limit of this process leaves too little memory to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "limits leave {} of memory to this process, which needs {} at the least",
    numbers::bytes(*left as f64), numbers::bytes(LEAST as f64)
)]
pub struct TooLimited {
    /// The bytes that are left.
    left: u64,
}

/// The bytes that can be allocated now without driving the machine or its container out of memory; `u64::MAX` on a
/// system that does not tell.
pub fn available() -> u64 {
    known().unwrap_or(u64::MAX)
}

/// The same; `None` on a system that does not tell, as without `/proc`.
pub fn known() -> Option<u64> {
    let machine = System::new().ok().and_then(|mut system| {
        system.refresh_memory();
        // Where the system tells nothing it says 0.
        Some(system.available_memory()).filter(|bytes| *bytes > 0)
    });
    let free = machine.unwrap_or(u64::MAX).min(groups::free_memory()).min(addresses());
    (free < u64::MAX).then(|| free - RESERVE.min(free / 4))
}

/// Whether limits leave this process what it needs at the least.
///
/// # Errors
/// [`TooLimited`].
pub fn check_limits() -> Result<(), TooLimited> {
    let left = addresses();
    if left < LEAST { Err(TooLimited { left }) } else { Ok(()) }
}

/// The bytes of addresses that limits leave to this process (`ulimit -v`, `ulimit -d`, `h_vmem`); `u64::MAX` without a limit.
#[cfg(unix)]
pub(crate) fn addresses() -> u64 {
    let left = |resource, used: &dyn Fn() -> u64| {
        let limit = rustix::process::getrlimit(resource).current;
        limit.map_or(u64::MAX, |limit| limit.saturating_sub(used()))
    };
    let all = left(Resource::As, &|| of_this_process(|process| process.virtual_memory()).unwrap_or(0));
    all.min(left(Resource::Data, &groups::data_of_this_process))
}

#[cfg(not(unix))]
pub(crate) fn addresses() -> u64 {
    u64::MAX
}

/// Where addresses are limited, lets all threads allocate from one heap: glibc reserves 64 MiB of addresses for each of them otherwise.
pub fn spare_addresses() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if addresses() < u64::MAX {
        // SAFETY: it sets a number of the allocator.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// The processor's name as people know it, such as `AMD EPYC 7B13`; `CPU` if the system does not tell.
pub fn processor_name() -> String {
    let brand = System::new().map(|mut system| {
        system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
        system.cpus().first().map(|cpu| cpu.brand().trim().to_owned()).unwrap_or_default()
    });
    let brand = brand.unwrap_or_default();
    if brand.is_empty() { "CPU".to_owned() } else { brand }
}

/// The machine's name in its network; none if the system does not tell.
pub fn host_name() -> Option<String> {
    System::host_name().ok()
}

/// The clock of the first processor in MHz at this moment, if the system tells.
pub fn processor_clock() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing().with_frequency());
    system.cpus().first().map(|cpu| cpu.frequency()).filter(|clock| *clock > 0)
}

/// The bytes of memory that this process holds, if the system tells.
pub fn resident() -> Option<u64> {
    of_this_process(|process| process.memory())
}

fn of_this_process(bytes: impl Fn(&Process) -> u64) -> Option<u64> {
    let mut system = System::new().ok()?;
    let process = sysinfo::get_current_pid().ok()?;
    let what = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, what);
    system.process(process).map(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_has_some_memory_and_a_name() {
        assert!(super::available() > 1 << 20);
        assert!(!super::processor_name().is_empty());
    }
}
