//! Members that end early: their means, and the observables of the end.

use super::cells;
use super::sweep::{change, refuse, squeeze, succeed, tables};
use serde_json::Value;
use std::fs;

/// The voter model on an odd torus, whose share of ones is a martingale: it stays what it is on average, and a member comes to all ones with this
/// probability.
const VOTER: &str = "rule vote {
    state up: bit
    init up = random(0.75)
    next up = pick(von_neumann, nb.up) else up
    observe share = mean(up)
    observe agrees = if sum(up) == cells || sum(up) == 0 { 1 } else { 0 }
    observe won = if sum(up) == cells { 1 } else { 0 } at end
    observe time = step at end
}
domain ring { fractal three  periodic }
fractal three { scale 3  pattern { ### ### ### } }
";

/// Members that have come to their end count with what they came to: means are those of members that go on, where nothing would change.
#[test]
fn stopping_does_not_change_means() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("vote.squeeze"), VOTER).unwrap();
    let stops = VOTER.replace("    observe won", "    stop when agrees == 1\n    observe won");
    fs::write(folder.join("stops.squeeze"), stops).unwrap();
    let seeds = 200;
    for (name, discard) in [("vote", 0), ("stops", 0), ("vote", 40), ("stops", 40)] {
        let sweep = format!("sweep {name}.squeeze#ring --level 1 --rule {name}.squeeze --steps 200 --observe-every 5");
        let out = format!("{name}{discard}");
        succeed(folder, &format!("{sweep} --seeds 0..{seeds} --discard {discard} --quiet --out {out}"));
    }
    for discard in ["0", "40"] {
        let [_, goes, summary, _, times] = tables(folder, &format!("vote{discard}"));
        let [_, stopped, summary_of_stopped, _, times_of_stopped] = tables(folder, &format!("stops{discard}"));
        assert!(stopped.lines().count() < goes.lines().count() / 2);
        // The time of the end alone differs.
        let but_time = |table: &str, column: usize| -> Vec<String> {
            let rows = cells(table);
            rows.iter().map(|row| [&row[..column], &row[column + 3..]].concat().join(",")).collect()
        };
        assert_eq!(but_time(&summary, 9), but_time(&summary_of_stopped, 9));
        for table in [&times, &times_of_stopped] {
            assert_eq!(table.lines().count(), 1 + 41);
        }
        let [head, rows @ ..] = &cells(&times_of_stopped)[..] else { panic!("no rows") };
        assert_eq!(head.join(","), "step,share,share_error,agrees,agrees_error,won,won_error,time,time_error,n");
        for (row, of_going) in rows.iter().zip(&cells(&times)[1..]) {
            assert_eq!(row[..7], of_going[..7]);
            let [share, error] = [1, 2].map(|column| row[column].parse::<f64>().unwrap());
            assert!((share - 0.75).abs() < 4.0 * error && error < 0.04, "{row:?}");
            assert_eq!((row[5] == "NaN", row[9]), (row[0] != "200", "200"), "{row:?}");
        }
        let row = &cells(&summary_of_stopped)[1];
        let [share, error, won, error_of_won] = [0, 1, 6, 7].map(|column| row[column].parse::<f64>().unwrap());
        assert!((share - 0.75).abs() < 4.0 * error && (won - 0.75).abs() < 4.0 * error_of_won, "{row:?}");
    }
}

/// A cell that falls at each step with probability 1/2: all that is known of its end is exact.
#[test]
fn ends_and_times_are_exact_and_do_not_depend_on_how_they_are_computed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule falling {
        param p: f64 = 0.5
        state up: bit
        init up = true
        next up = up && random(1.0 - p)
        observe left = sum(up)
        observe lasted = step at end
        observe both = [step, 2 * lasted] at end
        stop when left == 0
    }";
    fs::write(folder.join("falling.rule"), rule).unwrap();
    let sweep = "sweep vicsek --level 0 --rule falling.rule --steps 400 --observe-every 1 --set p=0.5,0.25 --seeds 0..60 --quiet";
    succeed(folder, &format!("{sweep} --threads 1 --out whole"));
    let whole = tables(folder, "whole");
    let [members, observables, summary, ends, times] = &whole;
    assert_eq!(observables.lines().next(), Some("member,step,left"));
    assert_eq!(
        summary.lines().next().unwrap().split(',').filter(|name| !name.contains('_')).collect::<Vec<_>>().join(","),
        "p,left,lasted,both[0],both[1],n"
    );
    let ends = cells(ends);
    assert_eq!(ends[0].join(","), "member,seed,p,step,left,lasted,both[0],both[1]");
    for (end, member) in ends.iter().zip(cells(members)).skip(1) {
        assert_eq!(end[..3], member[..]);
        let step: u32 = end[3].parse().unwrap();
        assert_eq!(end[4..], ["0", end[3], end[3], &(2 * step).to_string()], "{end:?}");
        let last = format!("\n{},{step},0\n", end[0]);
        assert!(
            observables.contains(&last) && !observables.contains(&format!("\n{},{},", end[0], step + 1)),
            "{end:?}"
        );
    }
    for (row, p) in cells(summary)[1..].iter().zip([0.5, 0.25]) {
        let [lasted, error] = [4, 5].map(|column| row[column].parse::<f64>().unwrap());
        assert!((lasted - 1.0 / p).abs() < 4.0 * error && error < 0.5 / p, "{row:?}");
    }
    for row in cells(times)[1..].iter().filter(|row| row[0] == "0.5" && row[1].parse::<i32>().unwrap() < 5) {
        let [step, left, error] = [1, 2, 3].map(|column| row[column].parse::<f64>().unwrap());
        assert!((left - 0.5f64.powf(step)).abs() <= 4.0 * error, "{row:?}");
    }
    // The same by threads, by the oracle, by parts, and after an interruption.
    succeed(folder, &format!("{sweep} --threads 2 --out two"));
    succeed(folder, &format!("{sweep} --backend reference --out oracle"));
    for part in 1..=3 {
        succeed(folder, &format!("{sweep} --shard {part}/3 --out part{part}"));
    }
    succeed(folder, "merge part1 part2 part3 --quiet");
    let kept = folder.join("two/members");
    fs::create_dir(&kept).unwrap();
    for (member, rows) in [("3", "0,1\n1,0\nend,1,1,2\n"), ("4", "0,1\n1,0\nend,1,1\n"), ("5", "0,1\n1,0\n")] {
        fs::write(kept.join(format!("{member}.csv")), rows).unwrap();
    }
    change(&folder.join("two"), |json| json["complete"] = false.into());
    succeed(folder, "resume two --quiet");
    let lasted_one = ends.iter().find(|end| end[0] == "3").unwrap()[3] == "1";
    assert_eq!(tables(folder, "two") == whole, lasted_one, "a member that is whole is taken as it is");
    for name in ["oracle", "part1"] {
        assert_eq!(tables(folder, name), whole, "{name}");
    }
    // Observables at the end stand in the table of ends alone: it is read again, and damage there is reported.
    succeed(folder, "resume part1 --quiet");
    assert_eq!(tables(folder, "part1"), whole);
    let table = folder.join("part1/ends.csv");
    for (from, to) in [("lasted", "lasting"), ("\n0,0,0.5,", "\n0,0,0.5,7,"), ("\n1,", "\n601,")] {
        fs::write(&table, whole[3].replacen(from, to, 1)).unwrap();
        let output = squeeze(folder, "resume part1");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.contains("computed again"), "{errors}");
        assert_eq!(tables(folder, "part1"), whole);
    }
    // A run tells it with its result, and has no rows of it.
    succeed(
        folder,
        "run vicsek --level 0 --rule falling.rule --steps 400 --observe-every 1 --seed 7 --quiet --out run",
    );
    let rows = fs::read_to_string(folder.join("run/observables.csv")).unwrap();
    assert!(rows.starts_with("step,left\n0,1\n"), "{rows}");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("run/manifest.json")).unwrap()).unwrap();
    let end = ends.iter().find(|end| end[0] == "7").unwrap();
    assert_eq!(manifest["result"]["observables"]["lasted"].to_string(), end[3]);
    // It is analysed as a mean over members, and has no times.
    let mean: Value =
        serde_json::from_str(&succeed(folder, "analyse whole --fluctuation spread=lasted --json")).unwrap();
    let observables = &mean["folders"][0]["rows"][0]["observables"];
    let printed = cells(summary)[1][4].parse::<f64>().unwrap();
    assert_eq!(observables["lasted"]["mean"].as_f64(), Some(printed));
    // Exactly 2, with a deviation of 0.75 for sixty members, which are too few to tell an error.
    assert!((observables["spread"]["mean"].as_f64().unwrap() - 2.0).abs() < 1.5, "{}", observables["spread"]);
    assert!(observables["spread"]["error"].is_null(), "{}", observables["spread"]);
    assert!(refuse(folder, "analyse whole --power-law lasted --over time").contains("no observable `lasted`"));
    // Members are compared over time, each until its last step and then as it was.
    let law = succeed(folder, "analyse whole --power-law left --over time --to 4 --json");
    let law: Value = serde_json::from_str(&law).unwrap();
    assert_eq!((law["power_laws"].as_array().unwrap().len(), &law["power_laws"][0]["points"]), (2, &4.into()), "{law}");
}

#[test]
fn members_that_their_rule_ends_count_with_what_they_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule cooling {
        param rate: f64 = 0.1
        state u: f64
        state change: f64
        init u = if x == 0 { 1.0 } else { 0.0 }
        let new = u + rate * sum(von_neumann, nb.u - u)
        next u = new
        next change = abs(new - u)
        observe largest = max(change)
        observe time = step
        observe total = sum(u)
        stop when largest < 1e-4
    }";
    fs::write(folder.join("cooling.rule"), rule).unwrap();
    let sweep = "sweep vicsek --rule cooling.rule --level 2 --steps 3000 --set rate=0,0.1,0.2 --observe-every 10";
    let output = squeeze(folder, &format!("{sweep} --seeds 0..2 --out s"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("`stop when` ended 6 members before the last step"), "{told}");
    let [_, observables, ..] = tables(folder, "s");
    // Where nothing moves, that is known after the first steps, not at the beginning.
    assert!(observables.contains("\n0,10,0.0,") && !observables.contains("\n0,20,"), "{observables}");
    succeed(folder, &format!("{sweep} --seeds 0..2 --discard 2000 --quiet --out late"));
    let [_, observables, summary, ..] = tables(folder, "late");
    assert!(!summary.contains("NaN,0\n") && summary.lines().count() == 4, "{summary}");
    for (combination, row) in cells(&summary)[1..].iter().enumerate() {
        // rate, three numbers of each observable, n.
        let last = |member: usize| {
            let of = |row: &Vec<&str>| row[0] == member.to_string();
            cells(&observables).into_iter().rfind(of).map(|row| row[3].parse::<f64>().unwrap()).unwrap()
        };
        let ended = (last(2 * combination) + last(2 * combination + 1)) / 2.0;
        let mean = row[4].parse::<f64>().unwrap();
        assert!((mean - ended).abs() < 1e-12 && row[10] == "200", "{mean} {ended}: {summary}");
    }
}
