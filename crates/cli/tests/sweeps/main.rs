//! Sweeps: members are runs of their own, tables do not depend on how they were computed, and means are right.
#![cfg(unix)]

mod ends;
mod exchange;
mod glasses;
mod means;
mod members;
mod reweighted;
mod shown;
mod slurm;
#[path = "../sweep/mod.rs"]
mod sweep;

use std::fs;
use sweep::{refuse, succeed, tables};

/// The lines of a table, each cut at its commas.
fn cells(table: &str) -> Vec<Vec<&str>> {
    table.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn wrong_wishes_are_refused_with_what_would_be_valid() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ising = "sweep vicsek --rule ising --level 1 --steps 10 --out s";
    for (arguments, words) in [
        (format!("{ising} --seeds 5..5"), "empty"),
        (format!("{ising} --seeds 1,1"), "the value 1 of `seeds` is there twice"),
        (format!("{ising} --seeds -1"), "whole numbers from 0"),
        (format!("{ising} --seeds 0..1048577"), "more values than a sweep may have members"),
        (
            format!("{ising} --seeds 0..1048576 --set beta=1,2"),
            "the sweep would have 2097152 members; there may be 1048576",
        ),
        (format!("{ising} --set beta=0.1..0.5"), "says its step"),
        (format!("{ising} --set beta=0.4,0.40"), "there twice"),
        (format!("{ising} --set gamma=1"), "no parameter `gamma`"),
        (format!("{ising} --set beta=0.1 --set beta=0.2"), "set twice"),
        (format!("{ising} --discard 10"), "leaves nothing"),
        (format!("{ising} --shard 0/3"), "1/4"),
        (format!("{ising} --shard 4/3"), "1/4"),
        ("sweep vicsek --rule ising --level 99 --steps 10 --out s".to_owned(), "level"),
        ("merge nowhere".to_owned(), "nowhere"),
    ] {
        let errors = refuse(folder, &arguments);
        assert!(errors.contains(words), "{arguments}: {errors}");
    }
    assert!(!folder.join("s").exists(), "nothing was begun");
    fs::write(folder.join("mute.rule"), "rule mute {\n    state a: bit\n    next a = !a\n}\n").unwrap();
    let errors = refuse(folder, "sweep vicsek --rule mute.rule --level 1 --steps 10 --out s");
    assert!(errors.contains("observes nothing"), "{errors}");
    // A folder that exists is not touched, and a run is not taken for a sweep.
    succeed(folder, "run vicsek --rule ising --level 1 --steps 5 --observe-every 1 --quiet --out run");
    assert!(refuse(folder, &ising.replace("--out s", "--out run")).contains("is there already"));
    assert!(refuse(folder, "merge run").contains("holds no sweep"));
    succeed(folder, &format!("{ising} --quiet"));
    assert!(refuse(folder, "export s -o x.npy").contains("holds a sweep, which saves no states"));
    assert!(refuse(folder, "resume s --steps 20").contains("--steps"));
    succeed(folder, &format!("{} --quiet --seeds 7", ising.replace("--out s", "--out t")));
    assert!(refuse(folder, "merge s t").contains("they differ in the seeds"));
    assert!(
        refuse(folder, "merge s s").contains("another process")
            || refuse(folder, "merge s s").contains("both are part 1 of 1")
    );
}

#[test]
fn observations_may_be_at_any_times() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let steps = |name: &str| -> Vec<String> {
        let table = fs::read_to_string(folder.join(name).join("observables.csv")).unwrap();
        let member = table.starts_with("member");
        let rows: Vec<Vec<&str>> = cells(&table).into_iter().skip(1).filter(|row| !member || row[0] == "0").collect();
        rows.iter().map(|row| row[usize::from(member)].to_owned()).collect()
    };
    let run = "run sierpinski_carpet --rule ising --level 3 --quiet --observe-at log:3";
    succeed(folder, &format!("{run} --steps 50 --save-every 9 --out short"));
    assert_eq!(steps("short"), ["0", "1", "2", "5", "10", "22", "46", "50"]);
    succeed(folder, &format!("{run} --steps 120 --out long"));
    // An extended run forgets the row that was only there since the run ended.
    succeed(folder, "resume short --steps 120 --quiet");
    let [short, long] =
        ["short", "long"].map(|name| fs::read_to_string(folder.join(name).join("observables.csv")).unwrap());
    assert_eq!(short, long);
    let sweep = "sweep sierpinski_carpet --rule ising --level 2 --steps 60 --seeds 0..4 --set beta=0.4,0.5 --observe-at 40,1,7 --quiet";
    succeed(folder, &format!("{sweep} --out whole"));
    assert_eq!(steps("whole"), ["1", "7", "40", "60"]);
    let whole = tables(folder, "whole");
    let summary = cells(&whole[2]);
    assert!(summary[1][2] != "NaN" && summary[1][3] == "NaN", "no autocorrelation time: {}", whole[2]);
    for part in [1, 2] {
        succeed(folder, &format!("{sweep} --shard {part}/2 --out part{part}"));
    }
    succeed(folder, "merge part1 part2 --quiet");
    assert_eq!(tables(folder, "part1"), whole);
    let other = sweep.replace("40,1,7", "40,1");
    for part in [1, 2] {
        succeed(folder, &format!("{} --shard {part}/2 --out other{part}", if part == 1 { sweep } else { &other }));
    }
    assert!(refuse(folder, "merge other1 other2").contains("`--observe-at`"));
    assert!(refuse(folder, &format!("{sweep} --observe-every 3 --out both")).contains("cannot be used with"));
    assert!(refuse(folder, &format!("{} --out none", sweep.replace("40,1,7", "log:0"))).contains("log:N"));
    assert!(succeed(folder, "analyse long --power-law disagreements --window 2 --from 1").contains("to the"));
}

#[cfg(not(feature = "overlap"))]
#[test]
fn what_only_a_feature_gathers_is_refused_without_it() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let rule = "rule spins { state up: bit init up = random(0.5) next up = up observe q = overlap(up) }";
    fs::write(folder.join("spins.rule"), rule).unwrap();
    let output = sweep::squeeze(folder, "sweep vicsek -r spins.rule -l 2 -n 3 --out s");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("gathers `overlaps`") && errors.contains("feature `overlap`"), "{errors}");
    assert!(!folder.join("s").exists());
}
