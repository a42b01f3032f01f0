//! Plots, analyses and tables of sweeps.

use super::cells;
use super::sweep::{SWEEP, refuse, squeeze, succeed, tables};
use serde_json::Value;
use std::fs;

#[test]
fn sweeps_are_drawn_against_their_first_parameter() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Fewer than four members have no errors.
    let sweep = SWEEP.replace("3..=5", "3..=6");
    succeed(folder, &format!("{sweep} --quiet --out level2"));
    succeed(folder, &format!("{} --quiet --out level1", sweep.replace("--level 2", "--level 1")));
    assert_eq!(succeed(folder, "plot level2"), "level2/summary.svg\n");
    let one = fs::read_to_string(folder.join("level2/summary.svg")).unwrap();
    for word in
        ["ising on sierpinski_carpet, level 2, 60 steps, 4 seeds", ">beta<", ">magnetisation<", ">disagreements<"]
    {
        assert!(one.contains(word), "no {word} in {one}");
    }
    // Two points with their bars and caps, in each of five panels.
    assert_eq!(one.matches("stroke-width=\"1.1\"").count(), 2 * 5 * 3, "{one}");
    succeed(folder, "plot level1 level2 --log x -o both.svg");
    let both = fs::read_to_string(folder.join("both.svg")).unwrap();
    assert!(both.contains(">level 1<") && both.contains(">level 2<") && !both.contains("carpet, level"), "{both}");
    succeed(folder, "plot level1 level2 --binder u=magnetisation --fluctuation chi=magnetisation -o binder.svg");
    let binder = fs::read_to_string(folder.join("binder.svg")).unwrap();
    assert!(binder.contains(">u<") && binder.contains(">chi<") && binder.contains(">magnetisation<"), "{binder}");
    assert!(refuse(folder, "plot level1 --binder u=m7").contains("has no observable `m7`"));
    let two =
        "sweep vicsek --rule sir --level 2 --steps 9 --seeds 0..3 --set infection=0.1,0.2,0.3 --set recovery=0.1,0.2";
    succeed(folder, &format!("{two} --quiet --out two"));
    succeed(folder, "plot two");
    let two = fs::read_to_string(folder.join("two/summary.svg")).unwrap();
    assert!(two.contains(">recovery = 0.1<") && two.contains(">recovery = 0.2<"), "{two}");
    succeed(folder, "sweep vicsek --rule sir --level 2 --steps 9 --seeds 0..3 --quiet --out seeds");
    assert!(refuse(folder, "plot seeds").contains("varies no parameter"));
    assert!(refuse(folder, "plot two level2").contains("no axis in common"));
    succeed(folder, "run vicsek --rule life --level 2 --steps 3 --quiet --out run --observe-every 1");
    assert!(refuse(folder, "plot level2 run").contains("some hold sweeps"));
    assert!(refuse(folder, "plot run --binder u=population").contains("are plotted for sweeps, and these are runs"));
    let summary = folder.join("level1/summary.csv");
    fs::write(&summary, fs::read_to_string(&summary).unwrap().replace("0.44", "0.44,1")).unwrap();
    let output = squeeze(folder, "plot level1");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn sweeps_and_runs_are_analysed_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep = "sweep sierpinski_carpet --rule ising --steps 400 --observe-every 4 --seeds 0..8 --set beta=0.2..=1.0/0.2 --discard 40 --quiet";
    for level in [1, 2] {
        succeed(folder, &format!("{sweep} --level {level} --out level{level}"));
    }
    let json = |arguments: &str| -> serde_json::Value {
        serde_json::from_str(&succeed(folder, &format!("analyse {arguments} --json"))).unwrap()
    };
    // Without wishes it is the summary again.
    let again = json("level2");
    let table = tables(folder, "level2")[2].clone();
    for (row, line) in again["folders"][0]["rows"].as_array().unwrap().iter().zip(cells(&table).iter().skip(1)) {
        assert_eq!(row["params"]["beta"], line[0].parse::<f64>().unwrap());
        for (key, column) in [("mean", 1), ("error", 2), ("tau", 3)] {
            let found = row["observables"]["magnetisation"][key].as_f64();
            assert_eq!(found, line[column].parse().ok().filter(|v: &f64| !v.is_nan()), "{key} in {line:?}");
        }
        assert_eq!(row["n"].to_string(), line[line.len() - 1]);
    }
    // Far above the critical point magnetisations are normal and the cumulant is near 0, far below it is near 2/3.
    let wishes = "--binder u=magnetisation --fluctuation chi=magnetisation --crossing chi --power-law disagreements";
    let both = json(&format!("level1 level2 {wishes}"));
    for level in 0..2 {
        let rows = &both["folders"][level]["rows"];
        let binder = |row: usize, key: &str| rows[row]["observables"]["u"][key].as_f64().unwrap();
        assert!(binder(0, "mean") < 0.4 && binder(4, "mean") > 0.5, "{rows}");
        // Eight members that hardly move are too few for its error.
        let holds = |row: usize| match rows[row]["observables"]["u"]["why"].as_str() {
            Some(why) => row > 0 && why.contains("100 or more seeds"),
            None => binder(row, "error") > 0.0 && binder(row, "error") < 0.3,
        };
        assert!((0..5).all(holds), "{rows}");
        assert!(rows[0]["observables"]["chi"]["mean"].as_f64().unwrap() > 0.0);
        let law = &both["power_laws"][level];
        assert!(law["exponent"].as_f64().unwrap() < 0.0 && law["points"] == 5, "{law}");
    }
    assert!(both["crossings"].as_array().unwrap().iter().all(|c| c["parameter"] == "beta"), "{both}");
    // Cumulants cross, and a plot marks where.
    let cumulants = "level1 level2 --only u --binder u=magnetisation --crossing u";
    succeed(folder, &format!("plot {cumulants} -o u.svg"));
    let marked = fs::read_to_string(folder.join("u.svg")).unwrap().matches(">beta = ").count();
    let crossings = json(cumulants)["crossings"].as_array().unwrap().len();
    assert!(marked > 0 && marked == crossings, "{marked} of {crossings}");
    let text = succeed(folder, &format!("analyse level1 level2 {wishes}"));
    for word in ["level1\n", "level2\n", "chi", "times x to the -"] {
        assert!(text.contains(word), "no {word} in {text}");
    }
    for (crossing, law) in both["crossings"].as_array().unwrap().iter().zip(both["power_laws"].as_array().unwrap()) {
        assert!(crossing["why"].is_null() == crossing["error"].as_f64().is_some(), "{crossing}");
        assert!(law["why"].is_null() && law["exponent_error"].as_f64().unwrap() > 0.0, "{law}");
    }
    let over_time = json("level2 --power-law disagreements --over time --to 40");
    let laws = over_time["power_laws"].as_array().unwrap();
    assert!(laws.len() == 5 && laws.iter().all(|law| law["points"] == 10 && law["values"] != ""), "{over_time}");
    assert!(laws.iter().all(|law| law["exponent_error"].as_f64().unwrap() > 0.0), "{over_time}");
    let later = json("level2 --discard 200");
    assert_eq!(later["folders"][0]["rows"][0]["n"], 8 * 50);
    // A run: heat on a line of cells spreads; its table has a row that is out of step at the end.
    succeed(folder, "run vicsek --rule heat --level 3 --steps 103 --quiet --out run --observe-every 10");
    let run = json("run --power-law hottest --window 1.5 --from 10");
    let law = &run["power_laws"][0];
    assert_eq!((&run["folders"][0]["rows"][0]["n"], &law["points"]), (&11.into(), &6.into()), "{run}");
    assert!(law["exponent"].as_f64().unwrap() < 0.0 && law["exponent_error"].is_null(), "{run}");
    assert!(law["why"].as_str().unwrap().contains("6 windows are too few"), "{run}");
    for (arguments, word) in [
        ("level1 --crossing magnetisation", "one folder do not cross"),
        ("level1 level2 --crossing up", "magnetisation"),
        ("level1 --binder magnetisation", "NAME=OBSERVABLE"),
        ("level1 --binder beta=magnetisation", "is taken"),
        ("run --discard 103", "nothing after step 103"),
        ("level1 --discard 400", "leaves nothing"),
        ("run --power-law hottest", "power law over time of one run has no error"),
        ("run --power-law hottest --window 1", "factors beyond 1"),
        ("run --power-law hottest --window 2 --from 1000", "fewer than two"),
        ("level1 --power-law disagreements --window 2", "windows of time only as one run"),
        ("level1 --discard -1", "whole numbers from 0"),
        ("none", "there is no folder `none`"),
    ] {
        assert!(refuse(folder, &format!("analyse {arguments}")).contains(word), "{arguments}");
    }
    // A digit that has changed is none that the run wrote.
    let table = folder.join("run/observables.csv");
    let changed = fs::read_to_string(&table).unwrap().replace("\n20,", "\n20,1");
    fs::write(&table, changed).unwrap();
    for command in ["analyse run", "plot run"] {
        let output = squeeze(folder, command);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{command}: {errors}");
        assert!(errors.contains("the row of step 20 is not as the run wrote it"), "{errors}");
    }
}

/// Errors name the kind of each thing that is no folder of a run or a sweep: a missing folder, a file of one, another folder.
#[test]
fn folders_that_are_none_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, "run vicsek --rule heat --level 2 --steps 4 --quiet --out run --observe-every 1");
    succeed(folder, &format!("{SWEEP} --quiet --out sweep"));
    fs::create_dir(folder.join("empty")).unwrap();
    fs::write(folder.join("notes.txt"), "").unwrap();
    for (name, words) in [
        ("nowhere", "there is no folder `nowhere`"),
        ("nowhere/deep", "there is no folder `nowhere/deep`"),
        ("empty", "`empty` holds no run: it has no `manifest.json`"),
        ("notes.txt", "`notes.txt` is a file, and no folder of a run or a sweep"),
        ("sweep/summary.csv", "name `sweep`"),
        ("run/observables.csv", "name `run`"),
        ("run/states", "name `run`"),
        ("run/states/4.zarr", "name `run`"),
    ] {
        for command in ["plot", "analyse", "resume", "merge", "export -o u.npy"] {
            let errors = refuse(folder, &format!("{command} {name}"));
            assert!(errors.contains(words), "{command} {name}: {errors}");
        }
    }
    let inside = squeeze(&folder.join("sweep"), "plot summary.csv");
    assert!(String::from_utf8_lossy(&inside.stderr).contains("name `.`"));
}

/// A number beside a list of 64.
const WIDE: &str = "rule wide { param a: f64 = 1.0 state u: f64 init u = f64(uniform()) next u = u * 0.5 observe m = mean(a * u) observe tiny = mean(u * 1e-12) \
                    observe q = histogram(u, 0.0, 1.0, 64) }";

#[test]
fn lists_are_bands_and_rows_and_few_observables_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("wide.rule"), WIDE).unwrap();
    let of = "vicsek --rule wide.rule --level 2 --steps 20 --observe-every 1";
    succeed(folder, &format!("run {of} --quiet --out run"));
    for (level, name) in [(2, "one"), (3, "two")] {
        let of = of.replace("--level 2", &format!("--level {level}"));
        let shown = succeed(folder, &format!("sweep {of} --seeds 0..8 --set a=0.5,1.0,1.5 --out {name}"));
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    }
    let size = |file: &str| {
        let bytes = fs::read(folder.join(file)).unwrap();
        squeeze::picture::Image::png_size(bytes.first_chunk().unwrap()).unwrap()
    };
    // A panel of the list and one of each number, where there were 66.
    for name in ["run", "one"] {
        succeed(folder, &format!("plot {name} -o all.png"));
        assert!(size("all.png")[1] < 2000, "{:?}", size("all.png"));
        succeed(folder, &format!("plot {name} -o q.svg --only q"));
        let text = fs::read_to_string(folder.join("q.svg")).unwrap();
        assert!(text.contains("fill-opacity") && text.contains("quartiles") && !text.contains(">tiny<"), "{text}");
        succeed(folder, &format!("plot {name} -o m.svg --only m,q[3]"));
        let text = fs::read_to_string(folder.join("m.svg")).unwrap();
        assert!(text.contains(">m<") && text.contains(">q[3]<") && !text.contains("fill-opacity"), "{text}");
        assert!(refuse(folder, &format!("plot {name} -o m.svg --only x")).contains("`m`, `tiny` and `q`"));
        let text = succeed(folder, &format!("analyse {name}"));
        assert!(text.contains("entry") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
        // Small numbers have their digits.
        assert!(text.contains("e-1") && !text.contains("0.000000"), "{text}");
        let text = succeed(folder, &format!("analyse {name} --only m"));
        assert!(!text.contains("tiny") && !text.contains("entry"), "{text}");
        let found: Value = serde_json::from_str(&succeed(folder, &format!("analyse {name} --json --only m"))).unwrap();
        assert_eq!(found["folders"][0]["rows"][0]["observables"].as_object().unwrap().len(), 1);
        assert!(refuse(folder, &format!("analyse {name} --only x")).contains("`m`, `tiny` and `q`"));
    }
    assert!(refuse(folder, "plot run --crossing m").contains("--crossing"));
    // Amplitudes of small numbers are no zeros.
    let law = succeed(folder, "analyse two --only tiny --power-law tiny");
    assert!(law.contains("e-1") && !law.contains("0.0000 "), "{law}");
}

#[test]
fn parameters_vary_together_and_members_and_lists_have_tables() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule pair { param a: f32 = 0.5  param b: f32 = 0.0  state u: f32 init u = uniform() * a next u = u + b\n\
                observe mean = mean(u)  observe parts = histogram(u, 0.0, 1.0, 3) }";
    fs::write(folder.join("pair.rule"), rule).unwrap();
    let sweep = "sweep vicsek -r pair.rule -n 6 --observe-every 1 --seed 3,4 --set a=0.2,0.4,0.6 --set b=0.1,0.1,0.3 --discard 2";
    let shown = succeed(folder, &format!("{sweep} -l 2,3 --zip --per-member --json --quiet -o s"));
    let [members, observables, summary, ..] = tables(folder, "s");
    let of_level = |level: &str, from: usize| {
        let rows = ["0.2,0.1", "0.4,0.1", "0.6,0.3"].iter().flat_map(|values| [("3", values), ("4", values)]);
        let rows = rows.enumerate().map(|(at, (seed, values))| format!("{},{seed},{level},{values}\n", from + at));
        rows.collect::<String>()
    };
    assert_eq!(members, format!("member,seed,level,a,b\n{}{}", of_level("2", 0), of_level("3", 6)));
    // Each member is the run with its values.
    for row in cells(&members).iter().skip(1).step_by(5) {
        let [member, seed, level, a, b] = row.as_slice() else { panic!("{row:?}") };
        let run = format!("run vicsek -r pair.rule -n 6 --observe-every 1 --seed {seed} -l {level}");
        succeed(folder, &format!("{run} --set a={a} --set b={b} --quiet --out run{member}"));
        let own = fs::read_to_string(folder.join(format!("run{member}/observables.csv"))).unwrap();
        let rows: String = own.lines().skip(1).map(|row| format!("{member},{row}\n")).collect();
        assert!(observables.contains(&rows), "{member}");
    }
    // The means of a member are over its own rows, those of a combination over those of its members.
    let table = |name: &str| fs::read_to_string(folder.join("s").join(name)).unwrap();
    let per_member = table("per_member.csv");
    let per_member = cells(&per_member);
    assert_eq!(per_member[0][..8], ["member", "seed", "level", "a", "b", "mean", "mean_error", "mean_tau"]);
    assert_eq!(per_member.len(), 13);
    let number = |word: &str| word.parse::<f64>().unwrap();
    let rows: Vec<Vec<&str>> =
        cells(&observables).into_iter().filter(|row| row[0] == "7" && number(row[1]) > 2.0).collect();
    let mean = rows.iter().map(|row| number(row[2])).sum::<f64>() / rows.len() as f64;
    assert!((number(per_member[8][5]) - mean).abs() < 1e-6 && rows.len() == 4, "{per_member:?}");
    let of_both = (number(per_member[7][5]) + number(per_member[8][5])) / 2.0;
    assert!((number(cells(&summary)[4][3]) - of_both).abs() < 1e-6);
    // A list is a row for each of its numbers, with what stands in the summary.
    let lists = table("lists.csv");
    let lists = cells(&lists);
    assert_eq!(lists[0], ["level", "a", "b", "observable", "index", "mean", "error", "tau", "n"]);
    assert_eq!((lists.len(), lists[5][..5].to_vec()), (1 + 6 * 3, vec!["2", "0.4", "0.1", "parts", "1"]));
    let at = cells(&summary)[0].iter().position(|name| *name == "parts[1]").unwrap();
    assert_eq!(lists[5][5..8], cells(&summary)[2][at..at + 3]);
    // JSON has the values as numbers. Curves go along the first parameter, one for each level.
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["rows"][1]["params"], serde_json::json!({"level": 2, "a": 0.4, "b": 0.1}));
    assert_eq!(serde_json::from_str::<Value>(&succeed(folder, "resume s --json")).unwrap(), shown);
    succeed(folder, "plot s -o s.svg");
    let svg = fs::read_to_string(folder.join("s.svg")).unwrap();
    assert!(svg.contains("level = 2") && !svg.contains("b = 0.1"), "{svg}");
    // Parts are joined to the same tables.
    for part in ["1", "2"] {
        succeed(
            folder,
            &format!(
                "{sweep} -l 2,3 --zip --per-member --quiet --shard {part}/2 --machine zen4 --backend cpu -o p{part}"
            ),
        );
    }
    succeed(folder, "merge p1 p2 --quiet");
    assert_eq!(tables(folder, "p1"), tables(folder, "s"));
    for name in ["per_member.csv", "lists.csv"] {
        assert_eq!(fs::read_to_string(folder.join("p1").join(name)).unwrap(), table(name));
        // A changed table is seen by each command that reads the sweep, and `resume` makes it again.
        let (path, whole) = (folder.join("p2").join(name), fs::read_to_string(folder.join("p2").join(name)).unwrap());
        fs::write(&path, whole.replacen("0.", "1.", 1)).unwrap();
        for command in ["plot p2", "analyse p2", "merge p2 p1"] {
            let output = squeeze(folder, command);
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(1) && message.contains(name), "{command}: {message}");
        }
        let message = squeeze(folder, "resume p2 --quiet").stderr;
        assert!(String::from_utf8_lossy(&message).contains("made again"));
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    }
    let uneven = sweep.replace("b=0.1,0.1,0.3", "b=0.1,0.2");
    assert!(refuse(folder, &format!("{uneven} -l 2 --zip -o t")).contains("`a` has 3 values and `b` has 2"));
    let alone = sweep.replace("b=0.1,0.1,0.3", "b=0.1");
    assert!(refuse(folder, &format!("{alone} -l 2 --zip -o t")).contains("fewer than two"));
}
