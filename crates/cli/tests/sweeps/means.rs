//! Means and their errors, against exact values.

use super::cells;
use super::sweep::{change, refuse, squeeze, succeed, tables};
use serde_json::Value;
use squeeze::{Domain, resolve};
use std::fs;

/// The exact mean of `disagreements` in the Ising model: all states of a small fractal, weighted by exp(β Σ s s').
fn exact(fractal: &str, level: u32, beta: f64) -> f64 {
    let domain = Domain::new(resolve::fractal(fractal).unwrap(), level).unwrap();
    let places: Vec<[u64; 3]> = (0..domain.cells()).map(|c| domain.lambda(c)).collect();
    let near = |a: &[u64; 3], b: &[u64; 3]| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum::<u64>() == 1;
    let pairs: Vec<(usize, usize)> = (0..places.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .filter(|&(a, b)| near(&places[a], &places[b]))
        .collect();
    let (mut sum, mut weights) = (0.0, 0.0);
    for state in 0u32..1 << places.len() {
        let unlike = pairs.iter().filter(|(a, b)| (state >> a ^ state >> b) & 1 == 1).count() as f64;
        let weight = (-2.0 * beta * unlike).exp();
        sum += 2.0 * unlike * weight;
        weights += weight;
    }
    sum / weights
}

#[test]
fn energies_of_the_ising_model_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut scores = Vec::new();
    for (fractal, level) in [("sierpinski_carpet", 1), ("sierpinski_triangle", 2), ("full_square", 2), ("vicsek", 1)] {
        let sweep =
            format!("sweep {fractal} --rule ising --level {level} --steps 4000 --observe-every 1 --discard 200");
        succeed(folder, &format!("{sweep} --seeds 0..16 --set beta=0.1..=0.9/0.2 --quiet --out {fractal}"));
        let [_, _, summary, ..] = tables(folder, fractal);
        for row in cells(&summary).iter().skip(1) {
            let number = |column: usize| row[column].parse::<f64>().unwrap();
            let (beta, mean, error, tau) = (number(0), number(4), number(5), number(6));
            let score = (mean - exact(fractal, level, beta)) / error;
            assert!(
                score.abs() < 4.0 && error > 0.0 && tau >= 0.5,
                "{fractal} β = {beta}: {mean} ± {error}, z = {score}"
            );
            scores.push(score);
        }
    }
    let beyond = scores.iter().filter(|score| score.abs() > 2.0).count();
    assert!(scores.len() == 20 && beyond <= 3, "{scores:?}");
}

/// README and gallery show the carpet at β = 1, where domains grow; at β = 0.6, above its critical temperature, they do not.
#[test]
fn domains_grow_on_the_carpet_below_its_critical_temperature() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep = "sweep sierpinski_carpet --rule ising --level 3 --steps 400 --observe-at 10,400 --seeds 0..8";
    succeed(folder, &format!("{sweep} --set beta=0.6,1.0 --quiet --out s"));
    let [_, observables, ..] = tables(folder, "s");
    let disagreements = |members: std::ops::Range<usize>, step: &str| -> f64 {
        let rows = cells(&observables);
        let own = rows.iter().skip(1).filter(|row| members.contains(&row[0].parse().unwrap()) && row[1] == step);
        own.map(|row| row[3].parse::<f64>().unwrap()).sum()
    };
    let [warm, cold] = [0..8, 8..16].map(|m| disagreements(m.clone(), "400") / disagreements(m, "10"));
    assert!(warm > 0.85 && cold < 0.5, "{warm} {cold}");
}

/// Several levels in one folder have the same results as in folders of their own.
#[test]
fn levels_are_compared_in_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep = "sweep sierpinski_carpet --rule ising --steps 200 --observe-every 4 --seeds 0..8 --set beta=0.5..=1.1/0.2 --discard 40 --quiet";
    succeed(folder, &format!("{sweep} --level 1..=2 --out both"));
    let both = tables(folder, "both");
    let [members, observables, summary, ends, times] = both.each_ref().map(|table| cells(table));
    for (table, place) in [(&members, 2), (&summary, 0), (&ends, 2), (&times, 0)] {
        assert_eq!(table[0][place..][..2], ["level", "beta"]);
    }
    for level in [1, 2] {
        succeed(folder, &format!("{sweep} --level {level} --out level{level}"));
        let [_, of_level, own, _, own_times] = tables(folder, &format!("level{level}"));
        let lines = |table: &[Vec<&str>], place: usize| -> Vec<String> {
            let own = table.iter().skip(1).filter(|row| row[place] == level.to_string());
            own.map(|row| [&row[..place], &row[place + 1..]].concat().join(",")).collect()
        };
        let rows = |table: &str| table.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!((lines(&summary, 0), lines(&times, 0)), (rows(&own), rows(&own_times)));
        let first = 32 * (level - 1);
        let of_both: Vec<String> = observables
            .iter()
            .skip(1)
            .map(|row| (row[0].parse::<usize>().unwrap(), row))
            .filter(|(member, _)| (first..first + 32).contains(member))
            .map(|(member, row)| format!("{},{}", member - first, row[1..].join(",")))
            .collect();
        assert_eq!(of_both, rows(&of_level));
    }
    for part in 1..=3 {
        succeed(folder, &format!("{sweep} --level 1,2 --shard {part}/3 --threads 1 --out part{part}"));
    }
    succeed(folder, "merge part1 part2 part3 --quiet");
    assert_eq!(tables(folder, "part1"), both);
    change(&folder.join("both"), |json| json["complete"] = false.into());
    succeed(folder, "resume both --quiet --backend reference");
    assert_eq!(tables(folder, "both"), both);
    let json = |folders: &str| -> Value {
        let wishes = "--binder u=magnetisation --crossing u --crossing m --power-law disagreements --json";
        serde_json::from_str(&succeed(folder, &format!("analyse {folders} {wishes}"))).unwrap()
    };
    let (one, two) = (json("both"), json("level1 level2"));
    let crossings = |json: &Value| -> Vec<Value> {
        let all = json["crossings"].as_array().unwrap().iter();
        all.map(|crossing| {
            serde_json::json!([crossing["observable"], crossing["at"], crossing["error"], crossing["parameter"]])
        })
        .collect()
    };
    assert_eq!(crossings(&one), crossings(&two));
    assert!(!crossings(&one).is_empty() && one["crossings"][0]["levels"] == serde_json::json!(["1", "2"]), "{one}");
    let laws = [&one, &two].map(|json| json["power_laws"].as_array().unwrap().clone());
    assert_eq!(
        (laws[0].len(), &laws[0][1]["values"], &laws[0][1]["exponent"]),
        (2, &"level = 2".into(), &laws[1][1]["exponent"])
    );
    succeed(folder, "plot both -o both.svg");
    let drawn = fs::read_to_string(folder.join("both.svg")).unwrap();
    assert!(drawn.contains(">beta<") && drawn.contains(">level = 1<") && drawn.contains(">level = 2<"), "{drawn}");
    // Where nothing else varies, curves go along the levels.
    succeed(folder, "sweep vicsek --rule ising --level 1,2 --steps 9 --seeds 0..4 --quiet --out alone");
    succeed(folder, "plot alone");
    assert!(fs::read_to_string(folder.join("alone/summary.svg")).unwrap().contains(">level<"));
    fs::write(
        folder.join("lists.rule"),
        "rule lists { state u: bit init u = random(0.5) next u = u observe all = sum(u) by level 1 }",
    )
    .unwrap();
    fs::write(
        folder.join("same.rule"),
        "rule same { state u: bit init u = random(0.5) next u = u observe q = overlap(u) observe up = sum(u) }",
    )
    .unwrap();
    let of = |what: &str, levels: &str| format!("sweep {what} --level {levels} --steps 9 --out none");
    for (arguments, words) in [
        (of("vicsek --rule ising", "2,2"), "the value 2 of `level` is there twice"),
        (of("vicsek --rule ising", "1,x"), "levels are whole numbers from 0"),
        (of("vicsek --rule ising", "-1"), "levels are whole numbers from 0"),
        (of("vicsek --rule ising", "1..=99"), "too high"),
        (of("vicsek --rule lists.rule", "1,2"), "lists of observables have other lengths"),
        (of("vicsek --rule same.rule", "1,2"), "no overlap"),
        ("analyse level1 --crossing m".to_owned(), "or that of one with `--level 3,4`"),
    ] {
        let errors = refuse(folder, &arguments);
        assert!(errors.contains(words), "{arguments}: {errors}");
    }
}

/// Errors that cannot be known are not printed, and means that begin too early have a warning.
#[test]
fn errors_are_absent_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep = "sweep sierpinski_carpet --rule ising --level 2 --steps 300 --observe-every 1 --set beta=0.5,0.9";
    let told = |arguments: &str| {
        let output = squeeze(folder, arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    // One member below the critical temperature, which keeps its side for longer than it is watched.
    let one = told(&format!("{sweep} --discard 3 --out one"));
    assert!(
        one.contains("note: no error of `") && one.contains("1 member, and not 160 autocorrelation times"),
        "{one}"
    );
    assert!(one.contains("warning: the autocorrelation time of `"), "{one}");
    let summary = &tables(folder, "one")[2];
    assert_eq!(cells(summary)[2][2], "NaN", "{summary}");
    let analysed = succeed(folder, "analyse one --binder u=magnetisation --json");
    let analysed: serde_json::Value = serde_json::from_str(&analysed).unwrap();
    let binder = &analysed["folders"][0]["rows"][1]["observables"]["u"];
    assert!(binder["error"].is_null() && binder["why"].as_str().unwrap().contains("or more seeds"), "{analysed}");
    assert!(!analysed["folders"][0]["warnings"].as_array().unwrap().is_empty(), "{analysed}");
    // Sixteen members have errors, and all of them begin at random.
    let sixteen = told(&format!("{sweep} --seeds 0..16 --out sixteen"));
    assert!(
        !sixteen.contains("no error of") && sixteen.contains("is not in equilibrium from the beginning"),
        "{sixteen}"
    );
    told(&format!("{sweep} --seeds 0..16 --discard auto --out auto"));
    let manifest = fs::read_to_string(folder.join("auto/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let discarded = manifest["sweep"]["discard"].as_u64().unwrap();
    assert!((5..=151).contains(&discarded), "{discarded}");
    let again = succeed(folder, "analyse sixteen --discard auto --json");
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["folders"][0]["rows"][0]["n"], 16 * (300 - discarded));
    for part in 1..=2 {
        told(&format!("{sweep} --seeds 0..16 --discard auto --shard {part}/2 --quiet --out part{part}"));
    }
    told("merge part1 part2 --quiet");
    assert_eq!(tables(folder, "part1"), tables(folder, "auto"));
}

/// Members depend on those of their seed and on those of their disorder, wherever errors are made of them.
#[test]
fn errors_are_those_of_seeds_and_of_disorders() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let fields = "rule fields {
    state up: bit
    state field: bit
    init field = random(0.3) from disorder
    init up = random(0.5)
    next up = if field { random(0.9) } else { random(0.2) }
    observe m = mean(up)
    observe fields = mean(field)
}\n";
    fs::write(folder.join("fields.rule"), fields).unwrap();
    let sweep = "sweep sierpinski_carpet -r fields.rule -l 1 -n 3 --observe-every 1 --discard 2 --quiet";
    let (seeds, disorders) = (6, 5);
    succeed(folder, &format!("{sweep} --seeds 0..{seeds} --disorder 20..25 --out both"));
    let [_, _, summary, ends, times] = tables(folder, "both");
    let number = |word: &str| word.parse::<f64>().unwrap();
    let values: Vec<f64> = cells(&ends).iter().skip(1).map(|row| number(row[4])).collect();
    let value = |disorder: usize, seed: usize| values[disorder * seeds + seed];
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let of_disorder = |d: usize| (0..seeds).map(|s| value(d, s)).sum::<f64>() / seeds as f64;
    let of_seed = |s: usize| (0..disorders).map(|d| value(d, s)).sum::<f64>() / disorders as f64;
    // An analysis of variance, with what Student's distribution adds to each of both.
    let squares = |values: Vec<f64>| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let (d, s) = (disorders as f64, seeds as f64);
    let [by_disorder, by_seed] =
        [squares((0..disorders).map(of_disorder).collect()), squares((0..seeds).map(of_seed).collect())];
    let rest = (squares(values.clone()) - s * by_disorder - d * by_seed) / ((d - 1.0) * (s - 1.0) * d * s);
    let (by_disorder, by_seed) = (by_disorder / (d * (d - 3.0)), by_seed / (s * (s - 3.0)));
    let wanted = (by_disorder + by_seed - rest).max(by_disorder).max(by_seed).sqrt();
    let last = cells(&times).into_iter().next_back().unwrap();
    assert!((number(last[1]) - mean).abs() < 1e-9 && (number(last[2]) - wanted).abs() < 1e-9, "{last:?}, not {wanted}");
    assert!((number(cells(&summary)[1][1]) - wanted).abs() < 1e-9, "{summary}, not {wanted}");
    // The common effect of one seed on all disorders is not seen; observables that do not depend on seeds have an error of disorders.
    let rows = |arguments: &str| -> Value {
        let json: Value = serde_json::from_str(&succeed(folder, &format!("analyse {arguments} --json"))).unwrap();
        json["folders"][0]["rows"][0]["observables"].clone()
    };
    for (seeds, disorders, why) in [("3", "20..30", "share 1 seed"), ("0..6", "20..22", "2 disorders share 6 seeds")] {
        succeed(folder, &format!("{sweep} --seeds {seeds} --disorder {disorders} --out few"));
        let [_, _, summary, _, times] = tables(folder, "few");
        assert_eq!((cells(&summary)[1][1], cells(&times)[4][2]), ("NaN", "NaN"), "{summary}");
        let found = rows("few --binder u=m");
        assert!(found["m"]["why"].as_str().unwrap().contains(why) && found["u"]["error"].is_null(), "{found}");
        fs::remove_dir_all(folder.join("few")).unwrap();
    }
    assert!(rows("both")["fields"]["error"].as_f64().unwrap() > 0.0);
    fs::write(
        folder.join("drawn.rule"),
        fields
            .replace("init up = random(0.5)", "init up = field")
            .replace("if field { random(0.9) } else { random(0.2) }", "!up"),
    )
    .unwrap();
    succeed(folder, &format!("{} --seeds 3 --disorder 20..30 --out drawn", sweep.replace("fields.rule", "drawn.rule")));
    assert!(rows("drawn")["m"]["error"].as_f64().unwrap() > 0.0);
}

/// Equal samples say nothing of others, unless there are no others.
#[test]
fn equal_samples_have_no_error_where_something_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let hits = "rule hits { state hit: bit init hit = false next hit = random(0.000001) observe happened = if sum(hit) > 0 { 1 } else { 0 } }\n";
    fs::write(folder.join("hits.rule"), hits).unwrap();
    fs::write(folder.join("never.rule"), hits.replace("hits", "never").replace("random(0.000001)", "hit")).unwrap();
    for (rule, wanted) in [("hits", "NaN"), ("never", "0.0")] {
        succeed(
            folder,
            &format!("sweep vicsek -r {rule}.rule -l 1 -n 2 --observe-every 1 --seeds 0..8 --quiet --out {rule}"),
        );
        let [_, _, summary, _, times] = tables(folder, rule);
        assert_eq!((cells(&summary)[1][0], cells(&summary)[1][1]), ("0.0", wanted), "{summary}");
        // At the beginning nothing has been drawn yet.
        let errors: Vec<&str> = cells(&times).iter().skip(1).map(|row| row[2]).collect();
        assert_eq!(errors, ["0.0", wanted, wanted], "{times}");
    }
    let told = squeeze(folder, "analyse hits");
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.contains("no error of `happened`: all members are equal"), "{told}");
}
