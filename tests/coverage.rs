//! Errors hold: χ²/n is near 1 for all kinds of results, and what cannot have an error has none.

use squeeze_tests::coverage::{Coverage, Kind, kinds, title};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often each kind is computed: χ²/n is then known to 0.18, and the bounds are wider by as much than those of the manual's table.
const TIMES: u64 = 60;

#[test]
fn errors_of_all_kinds_hold() {
    let kinds: Vec<Kind> = kinds().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(kind) = kinds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Coverage { printed, chi_square } = kind.cover(TIMES);
            let holds = printed == 0.0 || (0.4..=1.6).contains(&chi_square);
            assert!(holds, "{}: {printed:.2} printed, χ²/n {chi_square:.2}", kind.name());
            assert_eq!(printed > 0.5, kind.has_error(), "{}: {printed:.2} printed", kind.name());
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().for_each(|thread| thread.join().expect("errors hold"));
    });
}

/// The table of the manual has these kinds, and what it says of them holds.
#[test]
fn the_table_of_the_manual_is_of_these_kinds() {
    let manual = include_str!("../docs/src/commands.md");
    let (_, table) = manual.split_once(&title()).expect("it has the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.flat_map(|row| row.trim_matches('|').split('|').skip(2).map(str::trim));
    let (cells, kinds): (Vec<&str>, Vec<Kind>) = (cells.collect(), kinds().collect());
    assert_eq!(cells.len(), kinds.len());
    for (cell, kind) in cells.into_iter().zip(kinds) {
        let number = cell.split(' ').next().and_then(|word| word.parse::<f64>().ok());
        let holds = number.map_or(cell == "–", |number| (0.7..=1.4).contains(&number));
        assert!(holds && number.is_some() == kind.has_error(), "{}: {cell}", kind.name());
    }
}
