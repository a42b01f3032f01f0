//! The memory that a run may take, and what else the system tells of the machine: names and clocks.

use crate::{groups, numbers};
#[cfg(unix)]
use rustix::process::Resource;
use sysinfo::{Process, ProcessRefreshKind, ProcessesToUpdate, System};

/// Bytes that a run never takes, for the rest of the machine.
const RESERVE: u64 = 64 << 20;

/// The least bytes of addresses for a process: the stacks of two threads and a small text. With fewer, the C library ends the process without a
/// message of ours.
const LEAST: u64 = 6 << 20;

/// A limit of this process (`ulimit`, a batch system's) leaves too little memory to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "limits leave {} of memory to this process, which needs {} at the least",
    numbers::bytes(*left as f64), numbers::bytes(LEAST as f64)
)]
pub struct TooLimited {
    /// The bytes of addresses that are left.
    left: u64,
}

/// The bytes that can be allocated now without exhausting the machine, its container or this process's limits; `u64::MAX` on a system that does not
/// tell.
pub fn available() -> u64 {
    known().unwrap_or(u64::MAX)
}

/// The bytes of [`available`]; `None` on a system that does not tell, as without `/proc`.
pub fn known() -> Option<u64> {
    let machine = System::new().ok().and_then(|mut system| {
        system.refresh_memory();
        // `sysinfo` gives 0 where the system does not tell.
        Some(system.available_memory()).filter(|bytes| *bytes > 0)
    });
    let free = machine.unwrap_or(u64::MAX).min(groups::free_memory()).min(addresses());
    (free < u64::MAX).then(|| free - RESERVE.min(free / 4))
}

/// Checks that limits leave this process the least that it needs.
///
/// # Errors
/// [`TooLimited`] if they do not.
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

/// Lets all threads allocate from one heap if addresses are limited: glibc would reserve 64 MiB of addresses for each thread.
pub fn spare_addresses() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if addresses() < u64::MAX {
        // SAFETY: `mallopt` only sets a number in the allocator.
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

/// The machine's name in its network; `None` if the system does not tell.
pub fn host_name() -> Option<String> {
    System::host_name().ok()
}

/// The present clock of the first core in MHz, if the system tells.
pub fn processor_clock() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing().with_frequency());
    system.cpus().first().map(|cpu| cpu.frequency()).filter(|clock| *clock > 0)
}

/// The bytes of physical memory that this process holds, if the system tells.
pub fn resident() -> Option<u64> {
    of_this_process(|process| process.memory())
}

fn of_this_process(bytes: impl Fn(&Process) -> u64) -> Option<u64> {
    let mut system = System::new().ok()?;
    let process = sysinfo::get_current_pid().ok()?;
    let kind = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, kind);
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
