//! How much memory a run may take.

use crate::groups;
use sysinfo::{Process, ProcessRefreshKind, ProcessesToUpdate, System};

/// Bytes that are left to the rest of the machine when a run takes what there is.
const RESERVE: u64 = 64 << 20;

/// The bytes that can be allocated now without driving the machine or its container out of memory; `u64::MAX` on a
/// system that does not tell.
pub fn available() -> u64 {
    let Ok(mut system) = System::new() else { return u64::MAX };
    system.refresh_memory();
    // Where the system tells nothing, as without `/proc`, it says 0.
    let machine = Some(system.available_memory()).filter(|bytes| *bytes > 0).unwrap_or(u64::MAX);
    let free = machine.min(groups::free_memory()).min(addresses());
    free - RESERVE.min(free / 4)
}

/// The bytes of addresses that a limit leaves to this process (`ulimit -v`, `h_vmem`); `u64::MAX` without a limit.
#[cfg(unix)]
pub(crate) fn addresses() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    limit.map_or(u64::MAX, |limit| {
        limit.saturating_sub(of_this_process(|process| process.virtual_memory()).unwrap_or(0))
    })
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
