//! How much memory a run may take.

use crate::groups;
use sysinfo::System;

/// Bytes that are left to the rest of the machine when a run takes what there is.
const RESERVE: u64 = 64 << 20;

/// The bytes that can be allocated now without driving the machine or its container out of memory; `u64::MAX` on a
/// system that does not tell.
pub fn available() -> u64 {
    let Ok(mut system) = System::new() else { return u64::MAX };
    system.refresh_memory();
    // Where the system tells nothing, as without `/proc`, it says 0.
    let machine = Some(system.available_memory()).filter(|bytes| *bytes > 0).unwrap_or(u64::MAX);
    machine.min(groups::free_memory()).saturating_sub(RESERVE)
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
    let mut system = System::new().ok()?;
    let process = sysinfo::get_current_pid().ok()?;
    let what = sysinfo::ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(sysinfo::ProcessesToUpdate::Some(&[process]), false, what);
    system.process(process).map(|process| process.memory())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_has_some_memory_and_a_name() {
        assert!(super::available() > 1 << 20);
        assert!(!super::processor_name().is_empty());
    }
}
