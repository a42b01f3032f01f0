//! Rules that read data along axes, by the command: from files, in runs that are resumed and in sweeps, and where there are none.
#![cfg(unix)]

mod command;

use command::{refuse, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;

const TEXT: &str = "
domain pair { size inputs }
domain holes { size inputs  cells (x + 2 * y) % 5 != 0 }
domain cube { size inputs }

rule common {
    input a: u8 along x
    input b: u8 along y
    state l: i32
    state first: u8
    state odd: bit
    init l = 0
    init first = a
    init odd = first % 2 == 1 && b > 65
    step fill from (+x, +y) {
        next l = if a == b { (l[-1, -1] else 0) + 1 } else { max(l[-1, 0] else 0, l[0, -1] else 0) }
    }
    observe length = max(l)
    observe letters = count(a == 65)
    observe odds = count(odd)
    observe beside = sum(i32(a[1, 0] else 0)) + sum(sum(von_neumann, i32(nb.b)))
}

rule plain {
    input v: f32 along x
    state u: f32
    init u = 2.0 * v
    let near = v * u
    next u = u + 0.5 * (near[-1, 0] else 7.0) + uniform()
    observe all = sum(u)
}

rule seats {
    input row: i32 along y
    state on: bit
    state was: bit
    init on = row > x
    init was = false
    next on = on != (row % 2 == 0) && count(moore, nb.on) < 5
    next was = on
    observe alive = count(on)
}

rule deep {
    input c: i64 along z
    input a: u16 along x
    state s: i64
    init s = c
    step add from (+x, +y, -z) { next s = i64(a) + max(s[-1, 0, 0] else c, s[0, 0, 1] else 0) }
    observe all = sum(s)
}
";

/// A folder with rules, domains and files of inputs.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("all.rule", TEXT),
        ("a.txt", "ACGTTGCAACGATTACA\n"),
        ("b.fa", ">one of two\nGATTACA\nCAT\n>two\nTACO\n"),
        ("v.txt", "1 2.5 -3\n1e-3"),
        ("row.txt", "3 1 4 1 5 9 2 6"),
        ("c.txt", "-5 7"),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const PAIR: [&str; 4] = ["--input", "a=a.txt", "--input", "b=b.fa"];

fn run(folder: &Path, domain: &str, rule: &str, more: &[&str]) -> Value {
    let rule = format!("all.rule#{rule}");
    serde_json::from_str(&succeed(folder, &[&["run", domain, "-r", &rule, "--json"], more].concat())).unwrap()
}

/// The length of the longest common subsequence.
fn common(a: &str, b: &str) -> i64 {
    let mut row = vec![0; a.len() + 1];
    for letter in b.chars() {
        let mut before = 0;
        for (x, other) in a.chars().enumerate() {
            let above = row[x + 1];
            row[x + 1] = if letter == other { before + 1 } else { above.max(row[x]) };
            before = above;
        }
    }
    row[a.len()]
}

#[test]
fn both_backends_read_inputs_everywhere() {
    let folder = folder();
    let at = folder.path();
    let cases: [(&str, &str, &[&str]); 7] = [
        ("all.rule#pair", "common", &PAIR),
        ("all.rule#holes", "common", &PAIR),
        (
            "all.rule#pair",
            "common",
            &["--input", "a=b.fa#two", "--input", "b=a.txt", "--edge", "l=0", "--edge", "a=reflect", "--edge", "b=9"],
        ),
        ("T4,3", "plain", &["--input", "v=v.txt", "--seed", "4"]),
        ("P4,3", "plain", &["--input", "v=v.txt"]),
        ("all.rule#pair", "seats", &["--input", "row=row.txt"]),
        ("all.rule#cube", "deep", &["--input", "c=c.txt", "--input", "a=row.txt"]),
    ];
    for (domain, rule, more) in cases {
        let of = |backend: &str| run(at, domain, rule, &[&["-n", "3", "--backend", backend], more].concat());
        let [cpu, packed, reference] = [
            of("cpu"),
            run(at, domain, rule, &[&["-n", "3", "--backend", "cpu", "--packed"], more].concat()),
            of("reference"),
        ];
        for of in ["digest", "observables"] {
            assert!(cpu[of].is_object(), "{cpu}");
            assert_eq!(cpu[of], reference[of], "{rule} on {domain}");
            assert_eq!(packed[of], reference[of], "{rule} on {domain}, packed");
        }
    }
    let found = run(at, "all.rule#pair", "common", &[&["-n", "1"], &PAIR[..]].concat());
    assert_eq!(found["extent"], serde_json::json!([17, 10]));
    let observed = &found["observables"];
    assert_eq!(observed["length"], common("ACGTTGCAACGATTACA", "GATTACACAT"));
    assert_eq!(observed["letters"], 10 * 6);
    let fractal = run(
        at,
        "sierpinski_carpet",
        "seats",
        &["-l", "2", "-n", "2", "--backend", "reference", "--input", "row=nine.txt"].map(|word| {
            fs::write(at.join("nine.txt"), "3 1 4 1 5 9 2 6 5").unwrap();
            word
        }),
    );
    let lanes =
        run(at, "sierpinski_carpet", "seats", &["-l", "2", "-n", "2", "--backend", "cpu", "--input", "row=nine.txt"]);
    assert_eq!(fractal["digest"], lanes["digest"]);
}

#[test]
fn runs_and_sweeps_keep_their_inputs() {
    let folder = folder();
    let at = folder.path();
    let whole = run(at, "P4,3", "plain", &["-n", "6", "--input", "v=v.txt"]);
    run(at, "P4,3", "plain", &["-n", "3", "--input", "v=v.txt", "--out", "run"]);
    run(at, "all.rule#pair", "common", &[&["-n", "1", "--out", "pair"], &PAIR[..]].concat());
    let manifest: Value = serde_json::from_str(&fs::read_to_string(at.join("pair/manifest.json")).unwrap()).unwrap();
    let inputs = &manifest["rule"]["inputs"];
    assert_eq!(
        (&inputs[1]["name"], &inputs[1]["length"], &inputs[1]["text"]),
        (&"b".into(), &10.into(), &"GATTACACAT".into())
    );
    assert_eq!(manifest["fractal"]["sides"], serde_json::json!([17, 10]));
    let members = [
        "sweep",
        "P4,3",
        "-r",
        "all.rule#plain",
        "-n",
        "6",
        "--seeds",
        "0..2",
        "--input",
        "v=v.txt",
        "--observe-every",
        "6",
        "--out",
        "sweep",
        "--shard",
        "1/2",
        "--quiet",
    ];
    succeed(at, &members);
    let lanes = [
        "sweep",
        "P8,8",
        "-r",
        "all.rule#seats",
        "-n",
        "3",
        "--seeds",
        "0..9",
        "--input",
        "row=row.txt",
        "--observe-every",
        "3",
        "--out",
        "lanes",
        "--quiet",
    ];
    succeed(at, &lanes);
    let alone = run(at, "P8,8", "seats", &["-n", "3", "--backend", "reference", "--input", "row=row.txt"]);
    let table = fs::read_to_string(at.join("lanes/observables.csv")).unwrap();
    let end = format!(",{}", alone["observables"]["alive"]);
    assert_eq!(table.lines().filter(|line| line.contains(",3,") && line.ends_with(&end)).count(), 9, "{table}{end}");
    // Bytes that are no letters.
    fs::write(at.join("raw.txt"), [0, 1, 255, 7]).unwrap();
    let raw = ["--input", "a=raw.txt", "--input", "b=raw.txt"];
    let of_raw = run(at, "all.rule#pair", "common", &[&["-n", "2"], &raw[..]].concat());
    run(at, "all.rule#pair", "common", &[&["-n", "1", "--out", "raw"], &raw[..]].concat());
    fs::remove_file(at.join("raw.txt")).unwrap();
    let resumed: Value = serde_json::from_str(&succeed(at, &["resume", "raw", "-n", "2", "--json"])).unwrap();
    assert_eq!(resumed["digest"], of_raw["digest"]);
    // The files are gone.
    for file in ["v.txt", "a.txt", "b.fa"] {
        fs::remove_file(at.join(file)).unwrap();
    }
    for backend in ["cpu", "reference"] {
        let all =
            serde_json::from_str::<Value>(&succeed(at, &["resume", "run", "-n", "6", "--json", "--backend", backend]))
                .unwrap();
        assert_eq!(all["digest"], whole["digest"]);
    }
    succeed(at, &["resume", "pair", "-n", "3", "--quiet"]);
    succeed(at, &["resume", "sweep", "--quiet"]);
    let table = fs::read_to_string(at.join("sweep/observables.csv")).unwrap();
    let last: f64 = table.lines().find_map(|line| line.strip_prefix("0,6,")).unwrap().parse().unwrap();
    assert!((last - whole["observables"]["all"].as_f64().unwrap()).abs() < 1e-9, "{table}");
    // Values that someone changed are told.
    let path = at.join("pair/manifest.json");
    let text = fs::read_to_string(&path).unwrap().replace("GATTACACAT", "GATTACACAA");
    let seal = text.find("\"crc32c\"").unwrap();
    fs::write(&path, format!("{}}}", text[..seal].trim_end().trim_end_matches(','))).unwrap();
    let told = command::squeeze(at, &["resume", "pair"]);
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("the recorded values of the input `b` are damaged"), "{told}");
}

#[test]
fn what_is_wrong_with_inputs_is_said() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("letters.txt"), "1 2\n3 x").unwrap();
    let pair = ["run", "all.rule#pair", "-r", "all.rule#common", "-n", "1"];
    let plain = ["run", "P4,3", "-r", "all.rule#plain", "-n", "1"];
    let emit = ["emit", "vicsek", "-r", "all.rule#plain"];
    let cases: [(&[&str], &[&str], &[&str]); 19] = [
        (&pair, &[], &["all.rule:2:", "`pair` is as long as the inputs", "--input NAME=FILE"]),
        (&pair, &["--input", "a=a.txt"], &["reads the input `b`, which is not given", "--input b=FILE"]),
        (&pair, &["--input", "a=a.txt", "--input", "a=a.txt"], &["the input `a` is given twice"]),
        (&pair, &["--input", "c=a.txt"], &["`common` has no input `c`", "`a` and `b`"]),
        (&pair, &["--input", "a.txt"], &["not of the form `NAME=FILE`", "--input a=a.txt"]),
        (&pair, &["--input", "a="], &["names no file"]),
        (&pair, &["--input", "a=no.txt"], &["there is no file `no.txt`"]),
        (&pair, &["--input", "a=."], &["`.` is a directory"]),
        (&pair, &["--input", "a=b.fa#four"], &["has no record `four`", "`one` and `two`"]),
        (&plain, &[], &["reads the input `v`, which is not given", "along `x`"]),
        (&plain, &["--input", "v=row.txt"], &["the input `v` has 8 values", "along `x` is 4", "size inputs"]),
        (&plain, &["--input", "v=letters.txt"], &["letters.txt:2:3: `x` is no value of `v: f32`", "valid are numbers"]),
        (&emit, &[], &["reads the input `v`", "printed kernels"]),
        (&emit, &["--target", "ir"], &["reads the input `v`", "printed kernels"]),
        (
            &["run", "vicsek", "-l", "1", "-r", "life", "-n", "1", "--input", "v=v.txt"],
            &[],
            &["`life` has no input `v`", "leave out `--input`"],
        ),
        (
            &["run", "vicsek", "-l", "2", "-r", "all.rule#seats", "-n", "1", "--strategy", "bounding-box"],
            &["--input", "row=nine.txt"],
            &["reads the input `row`", "`cpu`"],
        ),
        (&["run", "P8,8", "-r", "all.rule#deep", "-n", "1"], &["--input", "a=row.txt", "--input", "c=c.txt"], &["3-D"]),
        (&["info", "P4,3"], &["--input", "v=v.txt"], &["no effect without `--rule`"]),
        (&["info", "P4,3", "-r", "all.rule#plain"], &[], &["reads the input `v`, which is not given"]),
    ];
    fs::write(at.join("nine.txt"), "3 1 4 1 5 9 2 6 5").unwrap();
    for (first, more, expected) in cases {
        let arguments = [first, more].concat();
        let told = refuse(at, &arguments);
        for words in expected {
            assert!(told.contains(words), "{arguments:?}: {told}, not {words}");
        }
    }
    let info = succeed(at, &[&["info", "all.rule#pair", "-r", "all.rule#common"][..], &PAIR].concat());
    assert!(info.contains("17 × 10 places") && info.contains("step `fill`"), "{info}");
    let checked = succeed(at, &["check", "all.rule"]);
    assert!(checked.contains("fractal pair") && checked.contains("fractal holes"), "{checked}");
}
