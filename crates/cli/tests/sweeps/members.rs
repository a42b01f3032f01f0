//! Members: each is a run of its own, wherever it begins and whatever varies.

use super::cells;
use super::sweep::{SWEEP, change, refuse, squeeze, succeed, tables};
use serde_json::Value;
use std::fs;

#[test]
fn members_are_runs_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let shown = succeed(folder, &format!("{SWEEP} --out sweep"));
    assert!(shown.contains("beta") && shown.contains("magnetisation") && shown.contains("0.44"), "{shown}");
    let [members, observables, summary, ..] = tables(folder, "sweep");
    assert_eq!(members, "member,seed,beta\n0,3,0.4\n1,4,0.4\n2,5,0.4\n3,3,0.44\n4,4,0.44\n5,5,0.44\n");
    for member in cells(&members).iter().skip(1) {
        let [number, seed, beta] = member.as_slice() else { panic!("{member:?}") };
        let run = format!("run sierpinski_carpet --rule ising --level 2 --steps 60 --observe-every 20 --seed {seed}");
        succeed(folder, &format!("{run} --set beta={beta} --quiet --backend reference --out run-{number}"));
        let own = fs::read_to_string(folder.join(format!("run-{number}/observables.csv"))).unwrap();
        let rows: String = own.lines().skip(1).map(|row| format!("{number},{row}\n")).collect();
        assert!(observables.contains(&rows), "member {number}:\n{rows}\n{observables}");
    }
    assert_eq!(observables.lines().count(), 1 + 6 * 4);
    let summary = cells(&summary);
    let names = ["magnetisation", "disagreements", "m", "m2", "m4"];
    let columns: Vec<String> = names.iter().map(|name| format!("{name},{name}_error,{name}_tau")).collect();
    assert_eq!(summary[0].join(","), format!("beta,{},n", columns.join(",")));
    assert_eq!((summary.len(), summary[1][0], summary[2][0], summary[2][16]), (3, "0.4", "0.44", "12"));
    let mean = |column: usize, members: std::ops::Range<usize>| {
        let rows = cells(&observables);
        let own = rows.iter().skip(1).filter(|row| members.contains(&row[0].parse().unwrap()));
        let values: Vec<f64> = own.map(|row| row[column].parse().unwrap()).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let found: f64 = summary[2][1].parse().unwrap();
    assert!((found - mean(2, 3..6)).abs() < 1e-9, "{found}");
}

/// The same on a mask, a box and a torus.
#[test]
fn members_on_masks_are_runs_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let domains = "domain rock { size (40, 25)  cells random(0.7) }\ndomain sheet { size (33, 9) }\n\
                   domain ring { size (24, 24)  cells random(0.9)  periodic }\n";
    fs::write(folder.join("places.fractal"), domains).unwrap();
    for (domain, rule) in [("rock", "ising"), ("sheet", "forest_fire"), ("ring", "life")] {
        let of = format!("places.fractal#{domain} --rule {rule} --steps 30 --observe-every 10");
        succeed(folder, &format!("sweep {of} --seeds 7..10 --threads 2 --out {domain}"));
        let [_, observables, ..] = tables(folder, domain);
        for (member, seed) in (7..10).enumerate() {
            let run = format!("run {of} --seed {seed} --quiet --backend reference --out {domain}-{seed}");
            succeed(folder, &run);
            let own = fs::read_to_string(folder.join(format!("{domain}-{seed}/observables.csv"))).unwrap();
            let rows: String = own.lines().skip(1).map(|row| format!("{member},{row}\n")).collect();
            assert!(observables.contains(&rows), "{domain}, seed {seed}:\n{rows}\n{observables}");
        }
    }
}

#[test]
fn members_begin_with_the_values_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = "run vicsek --rule ising --level 2 --steps 40 --quiet";
    for (name, seed) in [("cold", 1), ("warm", 2)] {
        succeed(folder, &format!("{run} --seed {seed} --out {name}"));
        succeed(folder, &format!("export {name} -o {name}.npy"));
    }
    fs::copy(folder.join("cold.npy"), folder.join("start.npy")).unwrap();
    let sweep =
        "sweep vicsek --rule ising --level 2 --steps 40 --observe-every 20 --seeds 3..6 --set beta=0.2,0.7 --quiet";
    succeed(folder, &format!("{sweep} --init up=start.npy --threads 2 --out s"));
    let whole = tables(folder, "s");
    for (member, (seed, beta)) in [(3, 0.2), (4, 0.2), (5, 0.2), (3, 0.7), (4, 0.7), (5, 0.7)].into_iter().enumerate() {
        let out = format!("--seed {seed} --set beta={beta} --observe-every 20 --init up=cold.npy --out run{member}");
        succeed(folder, &format!("{run} {out}"));
        let own = fs::read_to_string(folder.join(format!("run{member}/observables.csv"))).unwrap();
        let rows: String = own.lines().skip(1).map(|row| format!("{member},{row}\n")).collect();
        assert!(whole[1].contains(&rows), "{rows}\n{}", whole[1]);
    }
    // Missing members begin with the same values, or not at all.
    let begin_again = || change(&folder.join("s"), |json| json["complete"] = false.into());
    begin_again();
    fs::copy(folder.join("warm.npy"), folder.join("start.npy")).unwrap();
    assert!(refuse(folder, "resume s").contains("gives `up` other values than when the sweep was begun"));
    assert!(!folder.join("s/members").exists() && tables(folder, "s") == whole);
    fs::remove_file(folder.join("start.npy")).unwrap();
    assert!(refuse(folder, "resume s").contains("start.npy"));
    fs::copy(folder.join("cold.npy"), folder.join("start.npy")).unwrap();
    succeed(folder, "resume s --quiet");
    assert_eq!(tables(folder, "s"), whole);
    for (part, name) in [(1, "cold"), (2, "cold"), (2, "warm")] {
        succeed(folder, &format!("{sweep} --init up={name}.npy --shard {part}/2 --out {name}{part}"));
    }
    assert!(refuse(folder, "merge cold1 warm2").contains("they differ in the values of `--init`"));
    succeed(folder, "merge cold1 cold2 --quiet");
    assert_eq!(tables(folder, "cold1"), whole);
    assert!(refuse(folder, &format!("{sweep} --init down=cold.npy --out t")).contains("no state `down`"));
    assert!(refuse(folder, &format!("{sweep} --init up=none.npy --out t")).contains("none.npy"));
    let levels = sweep.replace("--level 2", "--level 1,2");
    assert!(refuse(folder, &format!("{levels} --init up=cold.npy --out t")).contains("the cells of one domain"));
    fs::write(
        folder.join("rock.fractal"),
        "domain rock { param p: f32 = 0.9  size (9, 9)  cells random(p) from disorder }",
    )
    .unwrap();
    for varies in ["--seeds 0,1", "--disorder 0,1", "--set rock.p=0.8,0.9"] {
        let rock = format!("sweep rock.fractal --rule ising --steps 9 --init up=cold.npy --out t {varies}");
        assert!(refuse(folder, &rock).contains("the cells of one domain"), "{varies}");
    }
    assert!(!folder.join("t").exists());
}

#[test]
fn a_member_that_is_not_finite_is_told_and_loses_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule grow {\n    param a: f64 = 1.0\n    state u: f64\n    init u = 1.0\n    next u = u * a\n    observe total = sum(u)\n}\n";
    fs::write(folder.join("grow.rule"), rule).unwrap();
    let sweep = "sweep vicsek --rule grow.rule --level 1 --steps 20 --set a=1,1e30,2 --observe-every 10";
    let twice = squeeze(folder, &format!("{sweep} --seeds 0..2 --out twice")).stderr;
    let output = squeeze(folder, &format!("{sweep} --out s"));
    // Seeds make members alike where nothing is drawn.
    for (told, is_said) in [(&twice, true), (&output.stderr, false)] {
        assert_eq!(
            String::from_utf8_lossy(told).contains("`grow` draws nothing: 2 seeds give 2 times the same"),
            is_said
        );
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && errors.contains("member 1 is left out") && errors.contains("at step 20"),
        "{errors}"
    );
    let [_, observables, summary, ..] = tables(folder, "s");
    assert!(observables.contains("1,20,inf\n"), "{observables}");
    let rows = cells(&summary);
    assert_eq!((rows[1][1], rows[2][1], rows[2][4], rows[3][4]), ("5.0", "NaN", "0", "3"), "{summary}");
    // A derived parameter follows the parameters that vary.
    let derived = rule.replace("param a: f64 = 1.0\n", "param g: f64 = 0.0\n    param a: f64 = 1.0 + g\n");
    fs::write(folder.join("derived.rule"), derived).unwrap();
    succeed(
        folder,
        "sweep vicsek --rule derived.rule --level 1 --steps 2 --set g=0,1 --observe-every 1 --quiet --out d",
    );
    let [_, observables, ..] = tables(folder, "d");
    assert!(observables.contains("0,2,5.0\n") && observables.ends_with("1,2,20.0\n"), "{observables}");
    // A rule may say when a member ends.
    fs::write(folder.join("ends.rule"), rule.replace("sum(u)\n", "sum(u)\n    stop when total > 100.0\n")).unwrap();
    succeed(folder, "sweep vicsek --rule ends.rule --level 1 --steps 20 --set a=1,2 --observe-every 1 --quiet --out e");
    let [_, observables, ..] = tables(folder, "e");
    assert!(observables.ends_with("1,4,80.0\n1,5,160.0\n") && observables.contains("0,20,5.0\n"), "{observables}");
}

/// Disorder and the parameters of a domain vary as others do: members are runs of their own, and means are over seeds and over disorder.
#[test]
fn sweeps_vary_disorder_and_domains() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rock = "domain rock { param p: f32 = 0.6  size (24, 20)  cells random(p) from disorder }\n";
    fs::write(folder.join("rock.fractal"), rock).unwrap();
    let rule = "rule glass {
    param q: f64 = 0.4
    state site: bit
    state up: bit
    init site = random(q) from disorder
    init up = random(0.5)
    next up = up != (site && random(0.2))
    observe sites = count(site)
    observe ups = count(up)
    observe all = cells
}\n";
    fs::write(folder.join("glass.rule"), rule).unwrap();
    let run = "rock.fractal -r glass.rule -n 4 --observe-every 2";
    let sweep = format!("sweep {run} --seeds 1,2 --disorder 5..9 --set rock.p=0.3,0.7 --set q=0.4 --quiet");
    succeed(folder, &format!("{sweep} --out whole"));
    let [members, observables, summary, ends, times] = tables(folder, "whole");
    assert!(members.starts_with("member,seed,disorder,rock.p\n0,1,5,0.3\n1,2,5,0.3\n2,1,6,0.3\n"), "{members}");
    assert_eq!(members.lines().count(), 1 + 2 * 4 * 2);
    for row in cells(&ends).iter().skip(1) {
        let [_, seed, disorder, p, step, observed @ ..] = row.as_slice() else { panic!("{row:?}") };
        assert_eq!(*step, "4");
        let one = format!("run {run} --seed {seed} --disorder {disorder} --set rock.p={p} --quiet --json --out one");
        let json: Value = serde_json::from_str(&succeed(folder, &one)).unwrap();
        let found = ["sites", "ups", "all"].map(|name| json["observables"][name].to_string());
        assert_eq!(found.as_slice(), observed, "{row:?}");
        // The run that was recorded can be resumed, with the same results.
        let resumed: Value = serde_json::from_str(&succeed(folder, "resume one --steps 6 --json --quiet")).unwrap();
        let six = one.replace("-n 4", "-n 6").replace("--out one", "--out six");
        let six: Value = serde_json::from_str(&succeed(folder, &six)).unwrap();
        assert_eq!(resumed["digest"], six["digest"]);
        fs::remove_dir_all(folder.join("one")).unwrap();
        fs::remove_dir_all(folder.join("six")).unwrap();
    }
    // Sites and cells are those of the disorder, whatever the seed is; spins are not.
    let column =
        |number: usize| -> Vec<f64> { cells(&ends).iter().skip(1).map(|row| row[number].parse().unwrap()).collect() };
    for number in [5, 7] {
        assert!(column(number).chunks(2).all(|pair| pair[0] == pair[1]) && column(number)[0] != column(number)[2]);
    }
    assert!(column(6).chunks(2).any(|pair| pair[0] != pair[1]));
    // Errors are over disorder: of four values that are there twice each.
    let summary = cells(&summary);
    assert_eq!((summary.len(), summary[0][0], summary[1][0], summary[2][0]), (3, "rock.p", "0.3", "0.7"));
    let of_disorder: Vec<f64> = column(5)[..8].iter().copied().step_by(2).collect();
    let mean = of_disorder.iter().sum::<f64>() / 4.0;
    let squares: f64 = of_disorder.iter().map(|value| (value - mean) * (value - mean)).sum();
    let wanted = (squares / 12.0).sqrt() * 3f64.sqrt();
    let last = cells(&times).into_iter().find(|row| row[..2] == ["0.3", "4"]).unwrap();
    let number = |word: &str| word.parse::<f64>().unwrap();
    assert!((number(last[2]) - mean).abs() < 1e-9 && (number(last[3]) - wanted).abs() < 1e-9, "{last:?} {wanted}");
    assert!((number(summary[1][1]) - mean).abs() < 1e-9 && number(summary[1][2]) >= 0.99 * wanted, "{summary:?}");
    for part in 1..=2 {
        succeed(folder, &format!("{sweep} --shard {part}/2 --out part{part}"));
    }
    succeed(folder, "merge part1 part2 --quiet");
    assert_eq!(tables(folder, "part1")[1], observables);
    // Without seeds of disorder it has those of the members.
    succeed(folder, &format!("sweep {run} --seeds 5,6 --set rock.p=0.3 --quiet --out own"));
    let [.., own, _] = tables(folder, "own");
    assert_eq!(cells(&own)[1][3], cells(&ends)[1][5]);
    assert!(refuse(folder, &format!("{sweep} --set rock.q=1 --out none")).contains("no parameter `rock.q`"));
}
