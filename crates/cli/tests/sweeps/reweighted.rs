//! Curves of sweeps between the values at which members ran, against exact sums.

use super::sweep::{refuse, succeed};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn json(folder: &Path, arguments: &str) -> Value {
    serde_json::from_str(&succeed(folder, &format!("{arguments} --json"))).unwrap()
}

/// How many states of the Ising model on a torus of 4 by 4 have so many disagreements, counted from both sides, and so many spins that are up.
fn states() -> BTreeMap<(u32, u32), f64> {
    let up = |state: u32, x: u32, y: u32| state >> (4 * (y % 4) + x % 4) & 1;
    let mut counts = BTreeMap::new();
    for state in 0u32..1 << 16 {
        let places = (0..16).map(|place| (place % 4, place / 4));
        let unlike = |(x, y)| (up(state, x, y) ^ up(state, x + 1, y)) + (up(state, x, y) ^ up(state, x, y + 1));
        *counts.entry((2 * places.map(unlike).sum::<u32>(), state.count_ones())).or_insert(0.0) += 1.0;
    }
    counts
}

/// The exact means of `disagreements` and `m2`, and the fluctuation of the former.
fn exact(states: &BTreeMap<(u32, u32), f64>, beta: f64) -> [f64; 3] {
    let (mut sums, mut weights) = ([0.0; 3], 0.0);
    for ((disagreements, ups), count) in states {
        let (energy, m) = (f64::from(*disagreements), f64::from(*ups) / 8.0 - 1.0);
        let weight = count * (-beta * energy).exp();
        sums = [sums[0] + weight * energy, sums[1] + weight * m * m, sums[2] + weight * energy * energy];
        weights += weight;
    }
    let [energy, m2, square] = sums.map(|sum| sum / weights);
    [energy, m2, square - energy * energy]
}

#[test]
fn curves_between_members_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep =
        "sweep full_square --periodic --rule ising --level 2 --steps 4000 --observe-every 1 --discard 100 --quiet";
    succeed(folder, &format!("{sweep} --set beta=0.3,0.4,0.5 --seeds 0..12 --out seeds"));
    succeed(folder, &format!("{sweep} --set beta=0.3,0.4,0.5 --seeds 20..23 --out times"));
    succeed(folder, &format!("{sweep} --set beta=0.4 --seeds 30..38 --out alone"));
    let (states, mut scores) = (states(), Vec::new());
    for (sweep, values) in [("seeds", "0.28..=0.52/0.04"), ("times", "0.28..=0.52/0.04"), ("alone", "0.38,0.4,0.42")] {
        let found = json(folder, &format!("analyse {sweep} --only disagreements,m2 --reweight beta={values}"));
        let rows = found["folders"][0]["rows"].as_array().unwrap();
        assert_eq!(rows.len(), if sweep == "alone" { 3 } else { 7 });
        for row in rows {
            let exact = exact(&states, row["params"]["beta"].as_f64().unwrap());
            for (name, exact) in ["disagreements", "m2"].into_iter().zip(exact) {
                let number = |key: &str| row["observables"][name][key].as_f64().unwrap();
                scores.push((number("mean") - exact) / number("error"));
            }
            assert!(row["n"].as_u64().unwrap() >= 50, "{row}");
        }
        let of = &found["reweighted"][0];
        let members = of["members"].as_u64().unwrap();
        assert!(
            members == 1 && of["overlap"].is_null() || members == 3 && of["overlap"].as_f64().unwrap() > 0.1,
            "{of}"
        );
    }
    let rms = (scores.iter().map(|z| z * z).sum::<f64>() / scores.len() as f64).sqrt();
    assert!(scores.iter().all(|z| z.abs() < 4.5) && (0.4..1.6).contains(&rms), "rms {rms}: {scores:?}");
    // Where the fluctuation of the energy is greatest, and how great.
    let found =
        json(folder, "analyse seeds --only c --fluctuation c=disagreements --reweight beta=0.3..=0.5/0.02 --maximum c");
    let fluctuation = |beta: &f64| exact(&states, *beta)[2];
    let all: Vec<f64> = (0..4000).map(|i| 0.3 + 0.00005 * f64::from(i)).collect();
    let best = all.iter().max_by(|a, b| fluctuation(a).total_cmp(&fluctuation(b))).unwrap();
    let number = |key: &str| found["maxima"][0][key].as_f64().unwrap();
    let off =
        [(number("at") - best) / number("error"), (number("height") - fluctuation(best)) / number("height_error")];
    assert!(off.iter().all(|z| z.abs() < 4.0) && number("error") < 0.02, "{best} {off:?}: {}", found["maxima"]);
    let text = succeed(folder, "analyse seeds --only m,u --binder u=m --reweight beta=0.3..=0.5/0.02 --maximum u");
    for word in [
        "seeds, reweighted along beta",
        "neighbours share at least",
        "no maximum: it is greatest at the",
        "independent samples",
    ] {
        assert!(text.contains(word) && !text.contains('τ'), "no {word} in {text}");
    }
    succeed(folder, "plot seeds --only m2 --reweight beta=0.3..=0.5/0.01 -o curve.svg");
    let drawn = fs::read_to_string(folder.join("curve.svg")).unwrap();
    assert!(drawn.contains("reweighted; bands are standard errors"), "{drawn}");
    for (arguments, words) in [
        ("seeds --reweight beta=0.4,-0.4", "independent samples: 50 are needed"),
        ("seeds --reweight gamma=0.3", "no parameter `gamma`"),
        ("seeds --reweight beta", "NAME=VALUES"),
        ("seeds --reweight beta=0.3..0.4", "says its step"),
        ("seeds --reweight beta=0.3..0.5/0.000001", "at most 10,000"),
        ("seeds --reweight beta=0.4 --only w", "no observable `w`"),
        ("seeds --reweight beta=0.4 --crossing m2", "one folder do not cross"),
        ("seeds --reweight beta=0.4 --collapse 1,1", "needs the name of a column"),
        ("seeds --reweight beta=0.4 --only m2 --collapse 1,1", "curves of one size"),
        ("seeds --reweight beta=0.4 --only m2 --collapse 0,1", "the first is above 0"),
        ("seeds --maximum m2", "--reweight"),
        ("seeds --reweight beta=0.4 --power-law m2", "cannot be used with"),
        ("none --reweight beta=0.4", "none"),
    ] {
        let told = refuse(folder, &format!("analyse {arguments}"));
        assert!(told.contains(words), "{arguments}: {told}");
    }
    let told = refuse(folder, "analyse seeds --reweight beta=0.4,-0.4");
    assert!(told.contains("the members allow beta from ") && told.contains(" to 0.5"), "{told}");
}

#[test]
fn levels_cross_where_exact_sums_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep =
        "sweep sierpinski_carpet --rule ising --level 1,2 --steps 12000 --observe-every 10 --discard 1200 --quiet";
    succeed(folder, &format!("{sweep} --set beta=0.65..=0.85/0.1 --seeds 0..10 --out sizes"));
    let wishes = "--only u,m2 --binder u=m --reweight beta=0.66..=0.86/0.02 --crossing u";
    let found = json(folder, &format!("analyse sizes {wishes} --collapse 1.0,0.5 --from 0.64"));
    let crossing = &found["crossings"][0];
    let (at, error) = (crossing["at"].as_f64().unwrap(), crossing["error"].as_f64().unwrap());
    // The place is the one that sums over all states give.
    assert!((at - 0.7708).abs() < 4.0 * error + 0.0001 && error > 0.0 && error < 0.04, "{crossing}");
    assert_eq!((&crossing["levels"][0], &crossing["degree"]), (&"1".into(), &Value::Null));
    let collapses = found["collapses"].as_array().unwrap();
    assert!(collapses.len() == 2 && collapses.iter().all(|of| of["curves"] == 2 && of["distance"].is_f64()), "{found}");
    assert!(collapses.iter().all(|of| of["outside"].is_boolean() && of.get("collapses").is_none()), "{found}");
    // What is not there is told with the reason.
    let few = "analyse sizes --only u,m2 --binder u=m --reweight beta=0.66..=0.72/0.02 --crossing u --maximum m2";
    let found = json(folder, few);
    let (crossing, maxima) = (&found["crossings"][0], found["maxima"].as_array().unwrap());
    let why = "one lies above the other at all 4 values from 0.66 to 0.72";
    assert!(crossing["at"].is_null() && crossing["why"] == why, "{crossing}");
    assert!(
        maxima.len() == 2
            && maxima.iter().all(|of| of["at"].is_null() && of["why"] == "it is greatest at the upper end, 0.72"),
        "{maxima:?}"
    );
    let text = succeed(folder, few);
    assert!(text.contains(&format!("no crossing: {why}")) && text.contains("no maximum: it is"), "{text}");
    let text = succeed(folder, "analyse sizes --binder u=m --crossing u --to 0.7");
    assert!(text.contains("no crossing: they have one value of the parameter in common, 0.65"), "{text}");
    let told = refuse(folder, "analyse sizes --binder u=m --crossing u --from 0.8 --to 0.7");
    assert!(told.contains("leaves nothing in between"), "{told}");
    succeed(folder, &format!("plot sizes {wishes} -o sizes.svg"));
    assert!(fs::read_to_string(folder.join("sizes.svg")).unwrap().contains(">beta = 0."));
}

/// Of spins and bonds together the weight is that of bonds: what is made of clusters has the means that spins have, also at other values.
#[test]
fn clusters_are_reweighted_as_spins_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep =
        "sweep sierpinski_carpet --rule swendsen_wang --level 2 --steps 2000 --observe-every 1 --discard 50 --quiet";
    succeed(folder, &format!("{sweep} --set beta=0.64,0.7 --seeds 0..8 --out clusters"));
    let found = json(folder, "analyse clusters --only m2,improved --reweight beta=0.62..=0.72/0.02");
    let rows = found["folders"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    for row in rows {
        let of = |name: &str, what: &str| row["observables"][name][what].as_f64().unwrap();
        let apart = of("improved", "mean") - of("m2", "mean");
        let error = of("improved", "error").hypot(of("m2", "error"));
        assert!(apart.abs() < 4.0 * error && error < 0.01, "{row}");
    }
}

#[test]
fn members_that_tell_no_curve_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule spins {
        param beta: f32 = 0.4
        param warm: f32 = 2.0 * beta
        param kinds: u32 = 3
        state up: bit
        init up = random(0.5)
        let aligned = sum(von_neumann, if nb.up == up { 1.0 } else { -1.0 })
        state old: bit
        step keep { next old = up }
        step flip colour of von_neumann { next up = up != random(1.0 / (1.0 + exp(warm * aligned))) }
        state moved: bit
        step warm_up { next moved = random(exp(-warm)) }
        observe moves = mean(moved)
        state noise: bit
        step stir { next noise = random(0.5) != up }
        observe flips = count(up != old)
        observe noises = sum(noise)
        observe energy = sum(count(von_neumann, nb.up != up))
        observe heat = f64(beta) * f64(energy)
        observe last = sum(up) at end
        observe parts = sum(up) by level 1
        equilibrium exp(-0.5 * warm * f64(energy))
    }";
    fs::write(folder.join("spins.rule"), rule).unwrap();
    fs::write(folder.join("other.rule"), rule.replace("exp(-0.5 * warm * f64(energy))", "exp(-heat)")).unwrap();
    let sweep = "sweep full_square --periodic --level 3 --quiet --observe-every 1";
    let spins = format!("{sweep} --rule spins.rule --steps 400 --discard 20");
    succeed(folder, &format!("{spins} --seeds 0..8 --set beta=0.1,0.9 --out far"));
    succeed(folder, &format!("{spins} --seeds 0..8 --set beta=0.3,0.32 --out near"));
    succeed(folder, &format!("{} --seeds 0..2 --set beta=0.3,0.32 --out short", spins.replace("400", "160")));
    succeed(folder, &format!("{spins} --seeds 0..8 --set beta=0.3,0.32 --set kinds=3,4 --zip --out both"));
    succeed(folder, &format!("{spins} --seeds 0..8 --set beta=0.3,0.32 --set warm=0.6 --out fixed"));
    let other = spins.replace("spins.rule", "other.rule");
    succeed(folder, &format!("{other} --seeds 0..8 --set beta=0.3,0.32 --out carried"));
    succeed(folder, &format!("{sweep} --rule voter --steps 20 --seeds 0..8 --out voters"));
    succeed(folder, "run full_square --rule ising --level 2 --steps 20 --observe-every 1 --quiet --out run");
    for (arguments, words) in [
        ("far --reweight beta=0.5", "beta = 0.1 and 0.9 share"),
        ("far --reweight beta=0.5", "add beta = 0.5 to the sweep"),
        ("near --reweight beta=0.31 --only last", "recorded at the end of members only"),
        ("near --reweight beta=0.31 --only heat", "`heat` depends on `beta` itself"),
        ("near --reweight beta=0.31 --only moves", "`moves` is made of `moved`, which follows from `beta`"),
        ("near --reweight beta=0.31 --only flips", "`flips` is made of `old`, which follows from `beta`"),
        ("near --reweight kinds=3", "has no values in between"),
        ("near --reweight beta=0.31 --binder energy=heat", "the name `energy` is taken"),
        ("short --reweight beta=0.31 --only energy", "8 or more seeds tell errors by themselves"),
        ("both --reweight beta=0.31", "varies together with other parameters"),
        ("fixed --reweight beta=0.31", "`beta` is not in the weight"),
        ("carried --reweight beta=0.31", "`heat`, of which the weight is made, depends on `beta` itself"),
        ("voters --reweight beta=0.31", "does not say how likely its states are"),
        ("run --reweight beta=0.31", "is no sweep"),
    ] {
        let told = refuse(folder, &format!("analyse {arguments}"));
        assert!(told.contains(words), "{arguments}: {told}");
    }
    // A parameter that follows goes along.
    // So does what is made anew of what the weight knows.
    let found = json(folder, "analyse near --reweight beta=0.3,0.31 --only energy,parts[0],noises");
    let rows = found["folders"][0]["rows"].as_array().unwrap();
    let energy = |row: usize| rows[row]["observables"]["energy"]["mean"].as_f64().unwrap();
    assert!(energy(1) < energy(0) && rows[0]["observables"]["parts[0]"]["error"].as_f64().unwrap() > 0.0, "{found}");
    // Both folders at their values alone give what members gave.
    let means = json(folder, "analyse near --only energy");
    let mean = means["folders"][0]["rows"][0]["observables"]["energy"].clone();
    let (value, error) = (mean["mean"].as_f64().unwrap(), mean["error"].as_f64().unwrap());
    assert!((energy(0) - value).abs() < 4.0 * error, "{} of {mean}", energy(0));
}

#[test]
fn curves_are_means_over_disorders() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule pinned {
        param beta: f32 = 0.4
        state up: bit
        state field: bit
        init up = random(0.5)
        init field = random(0.5) from disorder
        let aligned = sum(von_neumann, if nb.up == up { 1.0 } else { -1.0 }) + if field == up { 0.5 } else { -0.5 }
        step flip colour of von_neumann { next up = up != random(1.0 / (1.0 + exp(2.0 * beta * aligned))) }
        observe pairs = sum(count(von_neumann, nb.up != up))
        observe pinned = count(field != up)
        equilibrium exp(-beta * (f64(pairs) + f64(pinned)))
    }";
    fs::write(folder.join("pinned.rule"), rule).unwrap();
    let sweep = "sweep full_square --periodic --level 2 --rule pinned.rule --steps 3000 --observe-every 1 --discard 100 --quiet";
    succeed(folder, &format!("{sweep} --seeds 0..10 --set beta=0.3,0.4 --out own"));
    succeed(folder, &format!("{sweep} --seeds 20..30 --set beta=0.35 --out there"));
    succeed(folder, &format!("{sweep} --seeds 0..2 --disorder 0..4 --set beta=0.3,0.4 --out shared"));
    let own = json(folder, "analyse own --only pairs,pinned --reweight beta=0.35");
    let there = json(folder, "analyse there --only pairs,pinned");
    for name in ["pairs", "pinned"] {
        let [own, there] = [&own, &there].map(|found| &found["folders"][0]["rows"][0]["observables"][name]);
        let number = |of: &Value, key: &str| of[key].as_f64().unwrap();
        let error = number(own, "error").hypot(number(there, "error"));
        assert!((number(own, "mean") - number(there, "mean")).abs() < 4.0 * error && error > 0.0, "{own} {there}");
    }
    // What seeds draw for ever, by themselves, are disorders too: the same draws give the same curves.
    fs::write(folder.join("once.rule"), rule.replace(" from disorder", "")).unwrap();
    let once = sweep.replace("pinned.rule", "once.rule");
    succeed(folder, &format!("{once} --seeds 0..10 --set beta=0.3,0.4 --out once"));
    let found = json(folder, "analyse once --only pairs,pinned --reweight beta=0.35");
    assert_eq!(found["folders"][0]["rows"], own["folders"][0]["rows"]);
    let shared = json(folder, "analyse shared --only pairs --reweight beta=0.35");
    let told = shared["folders"][0]["rows"][0]["observables"]["pairs"]["why"].as_str().unwrap().to_owned();
    assert!(told.contains("members of 4 disorders share 2 seeds"), "{told}");
}

/// Of what does not come back to where it was no time is told. It is left out by name, and all else is there.
#[test]
fn columns_without_a_time_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule aging {\n    param beta: f32 = 0.4\n    state up: bit\n    state age: i32\n    init up = random(0.5)\n    \
                let aligned = sum(von_neumann, if nb.up == up { 1.0 } else { -1.0 })\n    \
                step flip colour of von_neumann { next up = up != random(1.0 / (1.0 + exp(2.0 * beta * aligned))) }\n    \
                step grow { next age = age + 1 }\n    \
                observe disagreements = sum(count(von_neumann, nb.up != up))\n    observe ages = sum(age)\n    \
                equilibrium exp(-beta * f64(disagreements))\n}\n";
    fs::write(folder.join("aging.rule"), rule).unwrap();
    let sweep = "sweep full_square --periodic --level 2 --rule aging.rule --steps 3000 --observe-every 5 --discard 100";
    succeed(folder, &format!("{sweep} --seeds 0..8 --set beta=0.3,0.35 --quiet --out aged"));
    let found = json(folder, "analyse aged --reweight beta=0.3..=0.35/0.01");
    let row = &found["folders"][0]["rows"][0]["observables"];
    assert!(row["disagreements"]["error"].is_f64() && row["ages"].is_null(), "{found}");
    let warnings = found["folders"][0]["warnings"].to_string();
    assert!(
        warnings.contains("`ages` is left out: ") && warnings.contains("do not tell the autocorrelation time"),
        "{warnings}"
    );
    let told = refuse(folder, "analyse aged --reweight beta=0.3..=0.35/0.01 --only ages");
    assert!(told.contains("do not tell the autocorrelation time of `ages`"), "{told}");
    let told = refuse(folder, "analyse aged --reweight beta=0.3..=0.35/0.01 --maximum ages");
    assert!(told.contains("do not tell the autocorrelation time of `ages`"), "{told}");
}
