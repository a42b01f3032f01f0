//! Specialities: each is reached by a case of the ledger that was chosen for it, and any two of them may be off or on together.

use squeeze::Backend;
use squeeze::compiler::{Off, Speciality};
use squeeze::cpu::Isa;
use squeeze_bench::ledger::{LedgerEntry, entries};
use squeeze_tests::course::in_parallel;
use squeeze_tests::pairs::settings;

/// Cases of more cells take too long for a test.
const MOST_CELLS: u64 = 20_000;

/// The small cases of the CPU.
fn small() -> Vec<LedgerEntry> {
    let mut entries = entries(Backend::Cpu);
    entries.retain(|entry| entry.case.domain().cells() <= MOST_CELLS);
    entries
}

#[test]
fn settings_cover_all_pairs() {
    for cpu in [true, false] {
        let (settings, of) = (settings(cpu), Speciality::ALL.iter().filter(|speciality| speciality.is_of(cpu)));
        let of: Vec<Speciality> = of.copied().collect();
        assert!(settings.len() <= 16 && settings[0] == Off::none() && of.len() > 12, "{}", settings.len());
        for (index, a) in of.iter().enumerate() {
            for b in &of[..index] {
                for wanted in [(false, false), (false, true), (true, false), (true, true)] {
                    let found = settings.iter().any(|off| (off.has(*a), off.has(*b)) == wanted);
                    assert!(found, "{} and {}: {wanted:?}", a.name(), b.name());
                }
            }
        }
    }
}

/// The specialities that were reached are known for all simulations of a process together, so that nothing else runs meanwhile.
#[test]
fn small_cases_reach_all_specialities_and_do_not_depend_on_them() {
    let small = small();
    // Some specialities exist on one instruction set alone.
    let has_avx512 = Isa::Avx512.is_available();
    let is_missing = |speciality: &&Speciality| {
        let chosen = small.iter().find(|entry| entry.specialities.contains(speciality));
        let chosen = chosen.unwrap_or_else(|| panic!("no small case for {}", speciality.name()));
        let is_of_avx512 = matches!(speciality, Speciality::WordSteps | Speciality::Tables);
        !(is_of_avx512 && !has_avx512 || chosen.reached(1).unwrap().contains(speciality))
    };
    let of_cpus = Speciality::ALL.iter().filter(|speciality| speciality.is_of(true));
    let missing: Vec<&str> = of_cpus.filter(is_missing).map(|speciality| speciality.name()).collect();
    assert!(missing.is_empty(), "the first small cases that were chosen for them do not reach {missing:?}");
    in_parallel(&small, |entry| {
        let expected = entry.told(Backend::Cpu, Off::none(), 1).unwrap();
        for off in &settings(true)[1..] {
            assert_eq!(entry.told(Backend::Cpu, *off, 2).unwrap(), expected, "{} without {off}", entry.name);
        }
    });
}
