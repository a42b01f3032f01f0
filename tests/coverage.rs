//! Errors hold: χ²/n is near 1 for all kinds of results, and what cannot have an error has none.

use squeeze_tests::coverage::{Coverage, Kind, hard, kinds, rules, title, title_of_hard};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often each kind is computed: χ²/n is then known to 0.18, and the bounds are wider by as much than those of the manual's table.
const TIMES: u64 = 60;

#[test]
fn errors_of_all_kinds_hold() {
    let kinds: Vec<Kind> = kinds().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(kind) = kinds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Coverage { printed, chi_square, .. } = kind.cover(TIMES);
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

/// How often each rule is swept.
const SWEEPS: u64 = 25;

#[test]
fn errors_of_what_is_hard_hold_or_are_not_told() {
    for (hard, times) in
        hard().into_iter().map(|hard| (hard, TIMES)).chain(rules().into_iter().map(|rule| (rule, SWEEPS)))
    {
        let Coverage { printed, chi_square, .. } = hard.cover(times);
        assert!(hard.printed.contains(&printed), "{}: {printed:.2} printed", hard.name);
        let holds = printed == 0.0 || hard.chi_square.contains(&chi_square);
        assert!(holds, "{}: {printed:.2} printed, χ²/n {chi_square:.2}", hard.name);
    }
}

/// The table of the manual has these kinds, and its statements about them hold.
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
        let holds = number.map_or(cell == "–", |number| (0.6..=1.4).contains(&number));
        assert!(holds && number.is_some() == kind.has_error(), "{}: {cell}", kind.name());
    }
    let (_, table) = manual.split_once(&title_of_hard()).expect("it has the other table");
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    let kinds: Vec<_> = hard().into_iter().chain(rules()).collect();
    assert_eq!(rows.len(), kinds.len());
    for (row, kind) in rows.into_iter().zip(kinds) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let printed: f64 = cells[1].trim_end_matches('%').parse().expect("a part of all");
        let holds = cells[2].parse().map_or(cells[2] == "–", |number: f64| kind.chi_square.contains(&number));
        assert!(cells[0] == kind.name && kind.printed.contains(&(printed / 100.0)) && holds, "{row}");
    }
}
