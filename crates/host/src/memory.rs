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

/// A number of bytes for people, with three digits: `512 bytes`, `5.74 MB`, `37.2 GB`.
pub fn describe(bytes: f64) -> String {
    const UNITS: [&str; 8] = ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
    if bytes == 1.0 {
        return "1 byte".to_owned();
    }
    if bytes < 1000.0 {
        return format!("{bytes} bytes");
    }
    let (mut value, mut unit) = (bytes / 1000.0, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if value >= 999.5 {
        return format!("{bytes:.2e} bytes");
    }
    let decimals = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn bytes_are_described_with_three_digits() {
        let shown = [1.0, 999.0, 1000.0, 5_740_000.0, 37_200_000_000.0, 999_600.0, 123_456.0].map(describe);
        assert_eq!(shown, ["1 byte", "999 bytes", "1.00 kB", "5.74 MB", "37.2 GB", "1.00 MB", "123 kB"]);
        assert_eq!(describe(1e40), "1.00e40 bytes");
    }

    #[test]
    fn the_machine_has_some_memory_and_a_name() {
        assert!(super::available() > 1 << 20);
        assert!(!super::processor_name().is_empty());
    }
}
