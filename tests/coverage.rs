//! Errors hold: χ²/n is near 1 for all kinds of results, and what cannot have an error has none.

use squeeze_tests::coverage::{KINDS, SILENT};
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn errors_of_thirty_kinds_hold() {
    assert_eq!(KINDS.len(), 30);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(kind) = KINDS.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = kind.cover(400);
            assert!(
                found.printed > 0.9 && (0.7..=1.4).contains(&found.chi_square),
                "{} of {} members with τ = {}, seeds {}: {:.2} printed, χ²/n {:.2}",
                kind.what,
                kind.members,
                kind.tau,
                kind.seeds,
                found.printed,
                found.chi_square
            );
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().for_each(|thread| thread.join().expect("errors hold"));
    });
}

#[test]
fn what_cannot_have_an_error_has_none() {
    for kind in SILENT {
        assert_eq!(kind.cover(60).printed, 0.0, "{} of {} members with τ = {}", kind.what, kind.members, kind.tau);
    }
}

/// The table of the manual has these kinds, and what it says of them holds.
#[test]
fn the_table_of_the_manual_is_of_these_kinds() {
    let manual = include_str!("../docs/src/commands.md");
    for kind in KINDS.iter().chain(SILENT) {
        let begin = format!("| {} | {} | {} | {} | {} |", kind.what, kind.members, kind.samples, kind.tau, kind.seeds);
        let row = manual.lines().find_map(|line| line.strip_prefix(&begin));
        let row = row.unwrap_or_else(|| panic!("no row {begin}")).trim_end_matches(" |");
        let number = row.rsplit_once("| ").map(|(_, word)| word);
        let holds = number.is_some_and(|word| word.parse().is_ok_and(|chi_square| (0.7..=1.4).contains(&chi_square)));
        assert!(holds || number == Some("–") && row.contains(" 0%"), "{begin}{row}");
    }
}
