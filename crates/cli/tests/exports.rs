//! States that are exported to files and read again, and pictures of parts of them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the command in a folder, its arguments parted by spaces.
fn squeeze(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments.split_whitespace()).current_dir(folder).output().expect("the command starts")
}

fn succeed(folder: &Path, arguments: &str) -> String {
    let output = squeeze(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn digest(folder: &Path, arguments: &str) -> Value {
    let value: Value = serde_json::from_str(&succeed(folder, &format!("{arguments} --json"))).unwrap();
    value["digest"].clone()
}

/// Checks that a user's mistake is met with a message that holds these words.
fn refuse(folder: &Path, arguments: &str, words: &[&str]) {
    let output = squeeze(folder, arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
    for word in words {
        assert!(message.contains(word), "{arguments}: no {word:?} in\n{message}");
    }
}

fn png_size(path: &Path) -> (u32, u32) {
    let reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap())).read_info().unwrap();
    (reader.info().width, reader.info().height)
}

#[test]
fn bits_come_back_from_every_file() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let life = "run vicsek --rule life --level 4 --seed 4";
    let expected = digest(folder, &format!("{life} --steps 6 --out run --save-every 3"));
    let cells = "export run -o";
    for (export, from) in [
        (format!("{cells} cells.npy"), "cells.npy"),
        (format!("{cells} grid.npy --window 0,0,81,81"), "grid.npy"),
        (format!("{cells} grid.png --zoom 1"), "grid.png"),
        (format!("{cells} grid.rle"), "grid.rle"),
        (String::new(), "run/states/6.zarr"),
        (String::new(), "run/states/6.zarr/alive"),
    ] {
        if !export.is_empty() {
            succeed(folder, &export);
        }
        // Another seed: no value comes from the rule's own beginning.
        let found = digest(folder, &format!("run vicsek --rule life --level 4 --steps 0 --init alive={from}"));
        assert_eq!(found, expected, "{from}");
    }
    // Three steps from the middle are not six from the beginning unless nothing draws: life draws in `init` alone.
    let on = digest(folder, "run vicsek --rule life --level 4 --steps 3 --init alive=run/states/3.zarr --out again");
    assert_eq!(on, expected);
    // A run whose values came from files is resumed from the state that it saved of them.
    fs::remove_dir_all(folder.join("run")).unwrap();
    fs::remove_dir_all(folder.join("again/states/3.zarr")).unwrap();
    assert_eq!(digest(folder, "resume again --backend reference"), expected);
}

/// States whose `init` names others, with draws and the number of neighbours in between.
const FOLLOWING: &str = "
rule following {
    state alive: bit
    state age: u8
    state warmth: f32
    state drawn: f64
    state own: i32
    init alive = random(0.3)
    init age = if alive { 1 } else { 0 }
    init warmth = f32(age) * 0.5 + f32(x - y) + f32(degree(moore))
    init drawn = f64(warmth) + normal_of(below(8)) + f64(cells)
    init own = i32(below(1000))
    fn normal_of(n: u32) -> f64 = f64(n) / 3.0
    next alive = alive
    next warmth = warmth + drawn_of(drawn)
    next drawn = drawn
    next age = age
    next own = own
    fn drawn_of(a: f64) -> f32 = f32(a)
}
domain torus { size (24, 17)  periodic }
domain rock { size (31, 22)  cells (x * x + 3 * y) % 5 != 0 }
";

#[test]
fn states_follow_from_given_ones() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("following.rule"), FOLLOWING).unwrap();
    for domain in ["following.rule#torus", "following.rule#rock", "vicsek --level 4", "menger_sponge --level 2"] {
        let run = |seed: u32| format!("run {domain} --rule following.rule#following --steps 0 --seed {seed}");
        let out = domain.split(' ').next().unwrap().replace(['.', '#'], "_");
        let whole = digest(folder, &format!("{} --out {out} --save-every 1", run(3)));
        succeed(folder, &format!("export {out} --field alive -o {out}.npy"));
        for backend in ["cpu", "reference"] {
            // Draws have the seed of the run; states that follow from `alive` follow from the file.
            let same = digest(folder, &format!("{} --init alive={out}.npy --backend {backend}", run(3)));
            assert_eq!(same, whole, "{domain} on {backend}");
            // Of another seed, all that follows is given in turn.
            let other = format!("{} --init alive={out}.npy --backend {backend}", run(4));
            let found = digest(folder, &other);
            assert_eq!(
                (&found["alive"], &found["age"], &found["warmth"]),
                (&whole["alive"], &whole["age"], &whole["warmth"])
            );
            assert_ne!(found["drawn"], whole["drawn"], "{domain}");
            assert_eq!(found["own"], digest(folder, &run(4))["own"], "what names no given state is drawn");
        }
        // A state that is given is taken as it is, and those below follow from it.
        succeed(folder, &format!("export {out} --field age -o {out}_age.npy"));
        let found = digest(folder, &format!("{} --init age={out}_age.npy", run(4)));
        assert_eq!((&found["age"], &found["warmth"]), (&whole["age"], &whole["warmth"]), "{domain}");
        assert_eq!(found["alive"], digest(folder, &run(4))["alive"], "{domain}");
    }
    // A pattern; and what is recorded, and resumed.
    fs::write(folder.join("glider.rle"), "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n").unwrap();
    fs::write(
        folder.join("aged.rule"),
        "rule aged {
            state alive: bit  state age: u8  init alive = random(0.3)  init age = if alive { 1 } else { 0 }
            next alive = alive  next age = if alive { age + 1 } else { 0 }
            observe aged = count(age > 0)  observe ages = sum(age)
        }",
    )
    .unwrap();
    let run = "run full_square --level 5 --rule aged.rule --init alive=glider.rle@3,3";
    let aged = |arguments: &str| -> Value {
        serde_json::from_str::<Value>(&succeed(folder, &format!("{arguments} --json"))).unwrap()["observables"].clone()
    };
    assert_eq!(aged(&format!("{run} --steps 0"))["aged"], 5);
    assert_eq!(aged(&format!("{run} --steps 2 --out two"))["ages"], 15);
    assert_eq!(aged("resume two --steps 3")["ages"], 20);
}

#[test]
fn numbers_and_variants_come_back() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for (fractal, rule, field, side) in [
        ("sierpinski_carpet", "gray_scott", "v", "27,27"),
        ("candy", "greenberg_hastings", "phase", "64,64"),
        ("menger_sponge", "heat", "u", "9,9,9"),
    ] {
        let level = if fractal == "menger_sponge" { 2 } else { 3 };
        let expected = digest(folder, &format!("run {fractal} --rule {rule} --level {level} --steps 5 --out {rule}"));
        let origin = side.split(',').map(|_| "0").collect::<Vec<_>>().join(",");
        succeed(folder, &format!("export {rule} --field {field} -o {rule}.npy"));
        succeed(folder, &format!("export {rule} --field {field} --window {origin},{side} -o {rule}-grid.npy"));
        for from in [format!("{rule}.npy"), format!("{rule}-grid.npy"), format!("{rule}/states/5.zarr")] {
            let found =
                digest(folder, &format!("run {fractal} --rule {rule} --level {level} --steps 0 --init {field}={from}"));
            assert_eq!(found[field], expected[field], "{from}");
        }
    }
}

#[test]
fn coordinates_and_lists_of_offsets_go_out() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(
        folder.join("knight.rule"),
        "neighbourhood knight [(1, 2), (2, 1)]\nrule knight { state a: bit next a = any(knight, nb.a) }",
    )
    .unwrap();
    succeed(folder, "run vicsek --rule knight.rule --level 2 --steps 0 --out run");
    succeed(folder, "export run --coordinates -o places.npy");
    let bytes = fs::read(folder.join("places.npy")).unwrap();
    assert!(bytes[..128].windows(7).any(|part| part == b"(25, 2)"));
    let numbers: Vec<i32> = bytes[128..].chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect();
    for (c, coordinates) in numbers.chunks(2).enumerate() {
        let place = succeed(folder, &format!("map lambda vicsek --level 2 {c}"));
        assert_eq!(place.trim(), format!("{} {}", coordinates[0], coordinates[1]));
    }
    let size = |neighbourhood: &str| {
        succeed(folder, &format!("export run --neighbourhood {neighbourhood} -o matrix.npz"));
        fs::metadata(folder.join("matrix.npz")).unwrap().len()
    };
    assert_eq!(size("knight"), size("[(1,2),(2,1)]"));
    assert_ne!(size("knight"), size("moore"));
    refuse(folder, "export run --neighbourhood rook -o matrix.npz", &["`rook`", "(2, 1)", "names of lists"]);
    refuse(folder, "export run --coordinates -o run.png", &["--coordinates has no effect on this .png"]);
    refuse(folder, "export run --coordinates --step 0 -o run.npy", &["--step"]);
}

#[test]
fn numbers_that_are_no_variants_are_refused_with_their_file() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let run = "run vicsek --rule greenberg_hastings --level 3";
    succeed(folder, &format!("{run} --steps 2 --out waves --save-every 2"));
    succeed(folder, "export waves --field phase -o phase.npy");
    let mut bytes = fs::read(folder.join("phase.npy")).unwrap();
    *bytes.last_mut().unwrap() = 3;
    fs::write(folder.join("phase.npy"), bytes).unwrap();
    let wrong = "`phase.npy` cannot be read: cell 124 of `phase` has the number 3; its variants `rest`, `excited` and `refractory` have the numbers 0 to 2";
    for backend in ["cpu", "reference"] {
        refuse(folder, &format!("{run} --steps 0 --init phase=phase.npy --backend {backend}"), &[wrong]);
    }
}

#[test]
fn wide_integers_go_out_and_come_in() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("wide.rule"), include_str!("wide.rule")).unwrap();
    let run = "run sierpinski_carpet --rule wide.rule --level 3 --seed 9 --set pace=-7000000000 --set small=65535";
    let expected = digest(folder, &format!("{run} --steps 6 --out wide --save-every 3 --observe-every 3"));
    let reference: Value =
        serde_json::from_str(&succeed(folder, &format!("{run} --steps 6 --json --backend reference"))).unwrap();
    assert_eq!(reference["digest"], expected);
    let numbers = &reference["observables"];
    assert!(numbers["highest"].as_i64().unwrap() > i64::from(u32::MAX), "{numbers}");
    assert_eq!(reference["params"]["pace"], -7_000_000_000i64);
    for (field, size) in [("far", "<i8"), ("near", "<u2")] {
        succeed(folder, &format!("export wide --field {field} -o {field}.npy"));
        assert!(fs::read(folder.join(format!("{field}.npy"))).unwrap()[..128].windows(3).any(|w| w == size.as_bytes()));
        succeed(folder, &format!("export wide --field {field} --window 0,0,27,27 --hole 7 -o {field}-grid.npy"));
        succeed(folder, &format!("export wide --field {field} -o {field}.png"));
        for from in [format!("{field}.npy"), format!("{field}-grid.npy"), "wide/states/6.zarr".to_owned()] {
            let found = digest(folder, &format!("{run} --steps 0 --init {field}={from}"));
            assert_eq!(found[field], expected[field], "{from}");
        }
    }
    succeed(folder, "export wide -o wide.vti");
    let image = fs::read(folder.join("wide.vti")).unwrap();
    for name in ["Int64", "UInt16"] {
        assert!(image.windows(name.len()).any(|w| w == name.as_bytes()), "{name}");
    }
    // The state in the middle gives the same end.
    fs::remove_dir_all(folder.join("wide/states/6.zarr")).unwrap();
    assert_eq!(digest(folder, "resume wide --backend reference"), expected);
    refuse(folder, &format!("{run} --steps 0 --init near=far.npy"), &["<i8", "<u2"]);
    for (name, value) in [("small", "65536"), ("small", "-1"), ("pace", "9223372036854775808"), ("pace", "0.5")] {
        refuse(
            folder,
            &format!("run vicsek --rule wide.rule --level 1 --steps 1 --set {name}={value}"),
            &[name, "whole numbers from"],
        );
    }
}

#[test]
fn states_and_rule_survive_rle() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeed(folder, "run full_square --rule B2/S/C4 --level 5 --steps 9 --seed 3 --out brain --quiet");
    succeed(folder, "export brain -o brain.rle");
    let text = fs::read_to_string(folder.join("brain.rle")).unwrap();
    assert!(text.starts_with("x = 32, y = 32, rule = /2/4:P32,32\n"), "{text}");
    let expected = digest(folder, "run full_square --rule B2/S/C4 --level 5 --steps 9 --seed 3");
    let run = "run full_square --level 5 --steps 0 --init cell=brain.rle --rule";
    // The rule of the file, the same said otherwise, and one that is no string.
    fs::write(folder.join("mine.rule"), "rule mine { state cell: u8 init cell = 0 next cell = cell }").unwrap();
    for rule in ["brain.rle", "B2/S/C4", "/2/4", "mine.rule"] {
        assert_eq!(digest(folder, &format!("{run} {rule}")), expected, "{rule}");
    }
    // A rule that was typed wins, and a note says so once.
    let output = squeeze(folder, &format!("{run} B2/S/C5"));
    assert!(output.status.success());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("brain.rle` is a pattern of /2/4, and what runs is `B2/S/C5`"), "{told}");
    assert_eq!(told.matches("note:").count(), 1, "{told}");
    refuse(folder, &format!("{run} B2/S/C3"), &["the state 3", "0 to 2"]);
    fs::write(folder.join("bare.rle"), "x = 1, y = 1\no!\n").unwrap();
    refuse(folder, "run full_square --level 2 --steps 1 --rule bare.rle", &["names no rule", "rule = B3/S23"]);
    fs::write(folder.join("odd.rle"), "x = 1, y = 1, rule = LifeHistory\no!\n").unwrap();
    refuse(folder, "run full_square --level 2 --steps 1 --rule odd.rle", &["`LifeHistory`", "Golly"]);
    refuse(folder, "run full_square --level 2 --steps 1 --rule none.rle", &["none.rle"]);
    // Rules and grids of Golly that nothing here computes are refused, with the valid ones.
    let map = format!("MAP{}", "A/".repeat(43));
    refuse(folder, &format!("run full_square --level 2 --steps 1 --rule {map}"), &["`MAP…`", "B3/S23"]);
    for place in ["", "full_square --level 2"] {
        for grid in ["K20*,20", "S30", "T20+1,20", "T0,9", "X9"] {
            refuse(
                folder,
                &format!("run {place} --steps 1 --rule B3/S23:{grid}"),
                &["is not taken", "`:T100,50`, a torus"],
            );
        }
    }
    fs::write(folder.join("map.rle"), format!("x = 1, y = 1, rule = {map}\no!\n")).unwrap();
    let told = squeeze(folder, "run full_square --level 2 --steps 1 --rule conway --init alive=map.rle").stderr;
    assert!(!String::from_utf8(told).unwrap().contains("takes its rule"), "it does not");
}

#[test]
fn heads_are_those_that_golly_reads() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let text = "domain torus { size (12, 9)  periodic }\ndomain tube { size (12, 9)  periodic x }\n\
                domain hot { size (12, 9)  edge alive = true }\ndomain holes { size (12, 9)  cells x > 3 }\n";
    fs::write(folder.join("d.fractal"), text).unwrap();
    let head = |domain: &str, rule: &str, window: &str| {
        succeed(folder, &format!("run {domain} --rule {rule} --steps 1 --out out --quiet"));
        succeed(folder, &format!("export out -o out.rle {window}"));
        fs::remove_dir_all(folder.join("out")).unwrap();
        let text = fs::read_to_string(folder.join("out.rle")).unwrap();
        text.lines().next().unwrap().split_once(", y").unwrap().1.split_once(", ").map(|(_, rule)| rule.to_owned())
    };
    for (domain, rule, wanted) in [
        ("full_square --level 4", "brians_brain", Some("/2/3:P16,16")),
        ("full_square --level 4", "wireworld", Some("WireWorld:P16,16")),
        ("full_square --level 4 --periodic", "conway", Some("B3/S23:T16,16")),
        ("sierpinski_carpet --level 2", "life", Some("B2/S23")),
        ("d.fractal#torus", "R2,C0,M1,S3..6,B3..5", Some("R2,C0,M1,S3..6,B3..5,NM:T12,9")),
        ("d.fractal#torus", "larger_than_life", Some("R2,C0,M0,S3..6,B3..5,NM:T12,9")),
        ("d.fractal#tube", "B2/S34H", Some("B2/S34H")),
        ("d.fractal#hot", "23/3", Some("B3/S23")),
        ("d.fractal#holes", "B3/S23", Some("B3/S23")),
        ("d.fractal#torus", "forest_fire", None),
    ] {
        let wanted = wanted.map(|rule| format!("rule = {rule}"));
        assert_eq!(head(domain, rule, ""), wanted, "{rule} on {domain}");
    }
    let part = head("d.fractal#torus", "B3/S23", "--window 0,0,12,8");
    assert_eq!(part.as_deref(), Some("rule = B3/S23"), "a part is no torus");
}

#[test]
fn what_a_head_says_and_the_run_does_not_is_told_once() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("d.fractal"), "domain torus { size (20, 20)  periodic }\ndomain box { size (20, 20) }\n")
        .unwrap();
    fs::write(folder.join("u.rle"), "x = 3, y = 3, rule = B3/S23:T20\nbob$2bo$3o!\n").unwrap();
    fs::write(folder.join("p.rle"), "x = 3, y = 3, rule = B3/S23:P20,20\nbob$2bo$3o!\n").unwrap();
    fs::write(folder.join("k.rle"), "x = 3, y = 3, rule = B3/S23:K20*,20\nbob$2bo$3o!\n").unwrap();
    fs::write(folder.join("h.rle"), "x = 3, y = 3, rule = B36/S23\nbob$2bo$3o!\n").unwrap();
    fs::write(folder.join("open.rle"), "bob$2bo$3o\n").unwrap();
    let table = "#MCell 4.00\n#GAME Rules table\n#RULE 2,1,0,0,3,1\n#BOARD 20x20\n#WRAP 0\n#L CBA5C\n";
    fs::write(folder.join("table.mcl"), table).unwrap();
    fs::write(folder.join("anti.rle"), "x = 3, y = 3, rule = B0123478/S01234678:T20,20\nbob$2bo$3o!\n").unwrap();
    fs::write(folder.join("letters.rle"), "x = 3, y = 3, rule = B0124cik/S1c258:T20,20\nbob$2bo$3o!\n").unwrap();
    fs::write(folder.join("blinks.rle"), "x = 3, y = 3, rule = B03/S23:T20,20\nbob$2bo$3o!\n").unwrap();
    let told = |arguments: &str| {
        let output = squeeze(folder, &format!("run {arguments} --steps 4 --quiet"));
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr)
            .unwrap()
            .lines()
            .filter(|line| line.starts_with("note:"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    for (arguments, wanted) in [
        ("d.fractal#torus -r u.rle --init alive=u.rle", ""),
        ("d.fractal#box --periodic -r u.rle --init alive=u.rle@3,3", ""),
        ("d.fractal#box -r conway --init alive=p.rle", ""),
        (
            "d.fractal#box -r u.rle --init alive=u.rle",
            "on a torus of 20 × 20, and `box` is not that: `domain grid { size (20, 20)  periodic }` is",
        ),
        ("d.fractal#box -r u.rle", "u.rle` lives on a torus of 20 × 20"),
        ("full_square -l 5 --periodic -r B3/S23 --init alive=u.rle", "`full_square` is not that"),
        ("d.fractal#torus -r B3/S23 --init alive=p.rle", "on a box of 20 × 20"),
        ("d.fractal#torus -r B3/S23 --init alive=k.rle", "the grid `K20*,20` of Golly's"),
        (
            "d.fractal#box -r B3/S23 --init alive=h.rle",
            "is a pattern of B36/S23, and what runs is `B3/S23`; `--rule h.rle`",
        ),
        ("d.fractal#box -r life --init alive=h.rle", "and what runs is `life`, which is B2/S23"),
        // The string says its grid, which then needs no domain, and a name means one.
        ("T20,20 -r B3/S23:T20 --init alive=u.rle", ""),
        ("-r B3/S23:T20,20 --init alive=u.rle@-1,19", ""),
        ("d.fractal#box -r HighLife --init alive=h.rle", ""),
        ("d.fractal#box -r B3/S23:T9,8", "`B3/S23:T9,8` lives on a torus of 9 × 8"),
        ("d.fractal#box -r conway --init alive=open.rle", "no `!` at its end"),
        // A rules table that Golly has no name for, and its board.
        ("-r table.mcl --init cell=table.mcl", ""),
        ("d.fractal#torus -r table.mcl --init cell=table.mcl", "lives on a box of 20 × 20"),
        // Golly computes another rule where empty space is born, and the one that it computes needs no word.
        (
            "-r anti.rle --init alive=anti.rle",
            "a pattern of B0123478/S01234678, and Golly runs B3/S23 on its cells, which is the same with live and dead cells exchanged; `--rule B3/S23`",
        ),
        ("d.fractal#torus -r B3/S23 --init alive=anti.rle", ""),
        ("-r letters.rle --init alive=letters.rle", "Golly runs B12457e8/S01234-ekt5 on its cells"),
        ("-r blinks.rle --init alive=blinks.rle", "Golly shows the cells of its odd steps inverted"),
    ] {
        let found = told(arguments);
        assert!(found.contains(wanted), "{arguments}: {found}");
        assert_eq!(found.lines().count(), usize::from(!wanted.is_empty()), "{arguments}: {found}");
    }
    // A part beyond a periodic edge goes on at the opposite one.
    let at = |place: &str| digest(folder, &format!("run T20,20 -r B3/S23 --steps 0 --init alive=u.rle@{place}"));
    assert_eq!(at("-1,19"), at("19,-1"));
    assert_eq!(at("-21,5"), at("19,5"));
    refuse(folder, "run P20,20 -r B3/S23 --steps 0 --init alive=u.rle@-1,5", &["at (-1, 5)"]);
    refuse(folder, "run -r B3/S23 --steps 0", &["the FRACTAL is missing", "T100,50"]);
    refuse(folder, "run d.fractal#box -r Life --steps 1", &["did you mean `conway`?", "`life` is B2/S23"]);
}

#[test]
fn patterns_of_golly_are_read_whatever_wrote_them() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let life = "run full_square --rule B3/S23 --level 5 --steps 4 --init";
    fs::write(folder.join("a.rle"), "x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n").unwrap();
    let wanted = digest(folder, &format!("{life} alive=a.rle@3,3"));
    for (name, bytes) in [
        ("head.rle", &b"bob$2bo$3o!"[..]),
        ("return.rle", b"x = 3, y = 3\rbob$2bo$3o!\r"),
        ("mark.rle", b"\xef\xbb\xbfx = 3, y = 3\nbxb$2bx$3x!"),
        ("x.cells", b"!Name: Glider\n.O\n..O\nOOO\n"),
        ("x.lif", b"#Life 1.06\n1 0\n2 1\n0 2\n1 2\n2 2\n"),
        ("x.mc", b"[M2] (golly 3.3)\n#R B3/S23\n$$..*$...*$.***$$$$\n4 0 1 0 0\n"),
        ("x.mcl", b"#MCell 4.00\n#RULE 23/3\n#L .A$2.A$3A\n"),
    ] {
        fs::write(folder.join(name), bytes).unwrap();
        assert_eq!(digest(folder, &format!("{life} alive={name}@3,3")), wanted, "{name}");
    }
    refuse(folder, &format!("{life} alive=none.cells@3,3"), &["none.cells"]);
    fs::write(folder.join("bad.rle"), "x = 3, y = 3\nbo?\n").unwrap();
    refuse(folder, &format!("{life} alive=bad.rle"), &["bad.rle", "line 2, column 3", "`?`"]);
    refuse(folder, "run full_square --level 5 --steps 1 --rule bad.rle", &["bad.rle", "line 2, column 3"]);
    fs::write(folder.join("a.npy"), "").unwrap();
    refuse(folder, &format!("{life} alive=a.npy@3,3"), &["only patterns and pictures have a place"]);
    // Its rule is taken from every format that names one.
    let run = "run full_square --level 5 --steps 4 --init alive=a.rle@3,3 --rule";
    assert_eq!(digest(folder, &format!("{run} x.mcl")), wanted);
    fs::write(
        folder.join("table.mcl"),
        "#MCell 4.00\n#GAME Rules table\n#RULE 1,0,0,0,0,0,1,0,0,0,0,0,\n#RULE 0,0,0,1,1\n#L .A$2.A$3A\n",
    )
    .unwrap();
    assert_eq!(digest(folder, &format!("{run} table.mcl")), wanted);
    fs::write(folder.join("HEAD.rle"), "X = 3, Y = 3, RULE = B3/S23\nbob$2bo$3o!\n").unwrap();
    assert_eq!(digest(folder, &format!("{run} HEAD.rle")), wanted);
    fs::write(folder.join("named.rle"), "x = 1, y = 1, rule = Life\no!").unwrap();
    assert_eq!(digest(folder, &format!("{run} named.rle")), wanted);
    let wires = "run full_square --level 5 --steps 3 --seed 2 --rule";
    succeed(folder, &format!("{wires} wireworld --out wires --quiet"));
    succeed(folder, "export wires -o wires.rle");
    assert_eq!(digest(folder, &format!("{wires} wires.rle")), digest(folder, &format!("{wires} wireworld")));
}

#[test]
fn bound_variables_of_a_table_are_counted_as_golly_counts_them() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    // Two neighbours of each of two states: both settings fit, and the one that counts the first name fastest comes first.
    let table = |name: &str, line: &str| {
        let text = format!(
            "@RULE {name}\n@TABLE\nn_states:4\nneighborhood:vonNeumann\nsymmetries:permute\nvar b={{0,1,2,3}}\nvar a={{0,1,2,3}}\n{line}\n"
        );
        fs::write(folder.join(format!("{name}.rule")), text).unwrap();
    };
    table("two_ways", "3,a,a,b,b,a");
    table("other_way", "3,a,a,b,b,b");
    fs::write(folder.join("start.rle"), "x = 9, y = 5\n9.$2.A4.B$.ACB2.BCA$2.B4.A!").unwrap();
    // As bgolly 3.3 writes them after one generation.
    fs::write(folder.join("first.rle"), "x = 9, y = 5\n$2.A4.B$.A2B2.2BA$2.B4.A!").unwrap();
    fs::write(folder.join("second.rle"), "x = 9, y = 5\n$2.A4.B$.2AB2.B2A$2.B4.A!").unwrap();
    let run = |rule: &str, steps: u32, start: &str| {
        digest(folder, &format!("run T20,20 --rule {rule}.rule --steps {steps} --init cell={start}.rle"))
    };
    assert_eq!(run("two_ways", 1, "start"), run("two_ways", 0, "first"));
    assert_eq!(run("other_way", 1, "start"), run("other_way", 0, "second"));
}

#[test]
fn tables_of_golly_are_checked_and_left_as_they_are() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let table =
        "@RULE Parity\r\n@TABLE\r\nn_states:2\r\nneighborhood:vonNeumann\r\nsymmetries:permute\r\n0,1,0,0,0,1\r\n";
    fs::write(folder.join("Parity.rule"), table).unwrap();
    assert_eq!(succeed(folder, "check Parity.rule"), "Parity.rule: ok, rule parity\n");
    assert_eq!(succeed(folder, "fmt Parity.rule"), table);
    for arguments in ["fmt --check Parity.rule", "fmt -w Parity.rule"] {
        assert_eq!(succeed(folder, arguments), "", "{arguments}");
    }
    assert_eq!(fs::read_to_string(folder.join("Parity.rule")).unwrap(), table);
    fs::write(folder.join("wrong.rule"), table.replace("0,1,0,0,0,1", "0,1,0,0,1")).unwrap();
    for arguments in ["check wrong.rule", "run T9,9 -r wrong.rule -n 1"] {
        refuse(folder, arguments, &["wrong.rule:6:1", "has 5 entries, and 6 are needed"]);
    }
    fs::write(folder.join("empty.rule"), "@RULE Empty\n").unwrap();
    refuse(folder, "check empty.rule", &["empty.rule", "neither a section `@TABLE` nor `@TREE`"]);
}

#[test]
fn exported_images_are_read_again() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for (domain, rule, field) in [
        ("sierpinski_carpet --level 3", "heat", "u"),
        ("vicsek_3d --level 2", "life_3d", "alive"),
        ("full_square --level 3", "wireworld", "cell"),
    ] {
        let run = format!("run {domain} --rule {rule} --seed 3");
        succeed(folder, &format!("{run} --steps 5 --out out --quiet"));
        succeed(folder, "export out -o out.vti");
        let wanted = digest(folder, "resume out");
        assert_eq!(digest(folder, &format!("{run} --steps 0 --init {field}=out.vti"))[field], wanted[field], "{rule}");
        fs::remove_dir_all(folder.join("out")).unwrap();
    }
    let run = "run full_square --level 4 --steps 1 --rule";
    refuse(folder, &format!("{run} wireworld --init cell=out.vti"), &["extent 0 8 0 8 0 1", "0 16 0 16 0 1"]);
    let run = "run full_square --level 3 --steps 1 --rule";
    refuse(folder, &format!("{run} conway --init alive=out.vti"), &["holds the arrays `cell`"]);
    let bytes = fs::read(folder.join("out.vti")).unwrap();
    fs::write(folder.join("short.vti"), &bytes[..bytes.len() - 60]).unwrap();
    refuse(folder, &format!("{run} wireworld --init cell=short.vti"), &["ends before its last value"]);
    fs::write(folder.join("other.vti"), "<VTKFile type=\"ImageData\">").unwrap();
    refuse(folder, &format!("{run} wireworld --init cell=other.vti"), &["as `squeeze export` writes it"]);
}

#[test]
fn patterns_and_pictures_have_a_place_and_colours_values() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("glider.rle"), "x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n").unwrap();
    let life = "run full_square --rule B3/S23 --level 5";
    // A glider moves by one place along both axes in four steps, and a second one beside it does not disturb it.
    let moved = digest(folder, &format!("{life} --steps 4 --init alive=glider.rle@10,20"));
    assert_eq!(digest(folder, &format!("{life} --steps 0 --init alive=glider.rle@11,21")), moved);
    let two = digest(folder, &format!("{life} --steps 4 --init alive=glider.rle@2,3 --init alive=glider.rle@20,3"));
    assert_eq!(
        digest(folder, &format!("{life} --steps 0 --init alive=glider.rle@21,4 --init alive=glider.rle@3,4")),
        two
    );
    assert_ne!(moved, two);
    refuse(folder, &format!("{life} --steps 0 --init alive=glider.rle@30,0"), &["3 × 3", "at most 2 × 32 at (30, 0)"]);
    refuse(folder, &format!("{life} --steps 0 --init alive=glider.rle@1"), &["`1` is not a place", "@100,40"]);
    refuse(folder, &format!("{life} --steps 0 --init alive=glider.rle --init alive=glider.rle"), &["twice"]);

    // The picture of an enum, read back by the colours that its rule gives it.
    let fire = "run full_square --rule forest_fire --level 5";
    succeed(folder, &format!("{fire} --steps 9 --seed 2 --out fire --image-every 9 --zoom 1 --quiet"));
    succeed(folder, "export fire -o fire.png --zoom 1");
    let table = "3d4f73=empty,12a67c=tree,ff5a1f=2";
    let state = digest(folder, "resume fire");
    assert_eq!(digest(folder, &format!("{fire} --steps 0 --init ground=fire.png:{table}")), state);
    let without = "3d4f73=empty,12a67c=tree";
    refuse(folder, &format!("{fire} --steps 0 --init ground=fire.png:{without}"), &["ff5a1f", "one of 3d4f73, 12a67c"]);
    refuse(folder, &format!("{fire} --steps 0 --init ground=fire.png:3d4f73=lake"), &["`lake`", "empty, tree, fire"]);
    // Numbers between two colours.
    let heat = "run full_square --rule heat --level 6 --steps 0 --json";
    let text = succeed(folder, &format!("{heat} --init u=fire.png@16,16:3d4f73=0,ff5a1f=1"));
    let value: Value = serde_json::from_str(&text).unwrap();
    let total = value["observables"]["total"].as_f64().unwrap();
    assert!(total > 0.0 && total < 1024.0 && value["observables"]["hottest"] == 1.0, "{text}");
}

#[test]
fn animations_are_films_where_there_is_ffmpeg() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let run = "run vicsek --rule wave --level 3 --steps 8 --image-every 2";
    let has_ffmpeg = Command::new("ffmpeg").arg("-version").output().is_ok();
    if has_ffmpeg {
        succeed(folder, &format!("{run} --out film --animation mp4 --fps 5"));
        succeed(folder, "export film -o film.mp4");
        for file in ["film/animation.mp4", "film.mp4"] {
            assert_eq!(&fs::read(folder.join(file)).unwrap()[4..8], b"ftyp", "{file}");
        }
        assert!(!folder.join("film/animation.gif").exists());
    }
    succeed(folder, &format!("{run} --out small --max-size 0.05"));
    assert!(fs::metadata(folder.join("small/animation.gif")).unwrap().len() <= 50_000);
    refuse(folder, &format!("{run} --out x --animation mp4 --max-size 1"), &["no effect on MP4"]);
    refuse(folder, "run vicsek --rule wave --level 3 --steps 8 --image a.png --animation mp4", &["--image-every"]);
}

/// A program that stands for `ffmpeg`, in a folder that is the first of the path.
#[cfg(unix)]
fn with_ffmpeg(folder: &Path, script: &str, arguments: &str) -> (Option<i32>, String) {
    use std::os::unix::fs::PermissionsExt;
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    if !script.is_empty() {
        fs::write(programs.join("ffmpeg"), format!("#!/bin/sh\nfor last; do :; done\n{script}\n")).unwrap();
        fs::set_permissions(programs.join("ffmpeg"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments.split_whitespace()).current_dir(folder).env("PATH", path);
    // Nothing is put there.
    command.env("TMPDIR", folder.join("nowhere"));
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Films are made beside their names, and a program that cannot make them is known before the first step.
#[test]
#[cfg(unix)]
fn films_are_made_beside_their_names_by_a_program_that_works() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let run = "run vicsek --rule wave --level 3 --steps 8 --image-every 2 --save-every 4 --quiet --animation mp4 --out";
    const COPY: &str =
        "[ \"$last\" = /dev/null ] || case $last in */.squeeze-*.part) ;; *) exit 9;; esac; cat > \"$last\"";
    let words_of = |found: (Option<i32>, String), words: &[&str]| {
        assert_eq!(found.0, Some(1), "{}", found.1);
        assert!(words.iter().all(|word| found.1.contains(word)), "{words:?}: {}", found.1);
    };
    assert_eq!(with_ffmpeg(folder, COPY, &format!("{run} film")), (Some(0), String::new()));
    assert_eq!(with_ffmpeg(folder, COPY, "export film -o film.mp4"), (Some(0), String::new()));
    let frames = fs::metadata(folder.join("film/animation.mp4")).unwrap().len();
    assert!(frames > 0 && frames.is_multiple_of(5 * 3), "five frames of {frames} bytes");
    assert!(folder.join("film.mp4").exists());
    for entry in [folder, &folder.join("film")].into_iter().flat_map(|folder| fs::read_dir(folder).unwrap()) {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.ends_with(".part"), "{name} is left");
    }
    // It ends at once: no step is computed, and no folder made.
    for (script, words) in [
        ("echo 'Unknown encoder h264' >&2; exit 8", ["ended with exit code 8", "Unknown encoder h264"]),
        ("kill -9 $$", ["ended with signal: 9", "`ffmpeg`"]),
        ("cat >/dev/null; echo one >&2; echo two >&2; exit 3", ["exit code 3: one; two", "`ffmpeg`"]),
        ("exit 0", ["`ffmpeg` ended", "`ffmpeg`"]),
    ] {
        // A frame fits in a pipe whose reader has not ended yet.
        if script != "exit 0" {
            words_of(with_ffmpeg(folder, script, &format!("{run} other")), &words);
            assert!(!folder.join("other").exists(), "{script}");
        }
        let later = format!("[ \"$last\" = /dev/null ] && {{ cat >/dev/null; exit 0; }}; {script}");
        words_of(with_ffmpeg(folder, &later, "export film -o late.mp4"), &words[..1]);
        assert!(!folder.join("late.mp4").exists());
    }
    // A run that is resumed needs it too.
    let broken = with_ffmpeg(folder, "exit 4", "resume film --steps 12");
    words_of(broken, &["exit code 4"]);
    assert!(!folder.join("film/images/0000000010.png").exists());
    // A folder that is not there is known before anything is drawn.
    let (code, errors) = with_ffmpeg(folder, COPY, "export film -o none/film.mp4");
    assert!(code == Some(1) && errors.contains("there is no folder `none`"), "{errors}");
    let (code, errors) = with_ffmpeg(folder, "", "export film -o none/film.gif");
    assert!(code == Some(1) && errors.contains("there is no folder `none`"), "{errors}");
}

/// All states of a run in one group of Zarr, of which one is taken.
#[test]
fn one_of_several_states_is_taken_by_its_step() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for (rule, state, level) in [("life", "alive", 3), ("gray_scott", "v", 2), ("forest_fire", "ground", 2)] {
        let run = format!("run vicsek --rule {rule} --level {level} --seed 4");
        succeed(folder, &format!("{run} --steps 6 --out {rule} --save-every 2 --quiet"));
        succeed(folder, &format!("export {rule} -o {rule}.zarr"));
        let begin = format!("run vicsek --rule {rule} --level {level} --steps 0 --init {state}={rule}");
        for step in [0, 2, 6] {
            let one = digest(folder, &format!("{begin}/states/{step}.zarr"));
            assert_eq!(digest(folder, &format!("{begin}.zarr@{step}"))[state], one[state], "{rule}, step {step}");
        }
        let known = ["it holds those of 0, 2, 4, 6", &format!("`{state}={rule}.zarr@6` takes one")];
        refuse(folder, &format!("{begin}.zarr@3"), &[&["no state of step 3"][..], &known[..]].concat());
        refuse(folder, &format!("{begin}.zarr"), &[&["the states of several steps"][..], &known[..]].concat());
        refuse(folder, &format!("{begin}.zarr@x"), &["`x` is not a step"]);
        refuse(folder, &format!("{begin}.zarr@1,2"), &["`1,2` is not a step"]);
        refuse(folder, &format!("{begin}/states/2.zarr@2"), &["holds a single state", "leave out `@2`"]);
        refuse(folder, &begin, &["is the folder of a run or a sweep", "states/500.zarr"]);
    }
    refuse(folder, "run vicsek --rule life --level 2 --steps 0 --init alive=life.zarr@2", &["[125]", "[25]"]);
    refuse(folder, "run vicsek --rule life --level 3 --steps 0 --init alive=none.zarr@2", &["there is no file"]);
    // A single state needs no step, and a sweep takes one as a run does.
    succeed(folder, "run vicsek --rule life --level 3 --seed 4 --steps 6 --out last --quiet");
    succeed(folder, "export last -o last.zarr");
    let begin = "run vicsek --rule life --level 3 --steps 0 --init alive=last.zarr";
    assert_eq!(digest(folder, begin), digest(folder, &format!("{begin}@6")));
    succeed(folder, "sweep vicsek --rule life --level 3 --steps 2 --init alive=life.zarr@2 --out sweep --quiet");
}

#[test]
fn first_values_that_do_not_fit_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeed(folder, "run vicsek --rule heat --level 2 --steps 2 --out heat --quiet");
    succeed(folder, "run vicsek --rule life --level 3 --steps 2 --out life --quiet");
    for file in ["heat -o u.npy", "life -o alive.npy", "life -o alive.png --zoom 1", "life -o alive.rle"] {
        succeed(folder, &format!("export {file}"));
    }
    let life = "run vicsek --rule life --steps 0 --level";
    refuse(folder, &format!("{life} 3 --init alive=u.npy"), &["<f4", "[25]", "|u1", "[125]", "[27, 27]"]);
    refuse(folder, &format!("{life} 2 --init alive=alive.png"), &["27 × 27", "at most 9 × 9"]);
    refuse(folder, &format!("{life} 2 --init alive=alive.rle"), &["at most 9 × 9"]);
    refuse(folder, &format!("{life} 2 --init alive=life/states/2.zarr"), &["125 cells", "25 cells"]);
    refuse(folder, &format!("{life} 2 --init alive=heat/states/2.zarr"), &["alive"]);
    refuse(folder, &format!("{life} 2 --init phase=u.npy"), &["no state `phase`", "`alive`"]);
    refuse(folder, &format!("{life} 2 --init a.rle"), &["STATE=FILE", "write `--init alive=a.rle`"]);
    refuse(folder, &format!("{life} 2 --init alive=none.npy"), &["no file"]);
    refuse(folder, &format!("{life} 2 --init alive=life/manifest.json"), &[".npy, .png, .vti, patterns"]);
    let heat = "run vicsek --rule heat --steps 0 --level 3";
    refuse(folder, &format!("{heat} --init u=alive.png"), &["a table of colours", ":000000=0,ffffff=1"]);
    fs::write(folder.join("bad.npy"), "not numpy").unwrap();
    refuse(folder, &format!("{heat} --init u=bad.npy"), &["cannot be read"]);
    let whole = fs::read(folder.join("u.npy")).unwrap();
    fs::write(folder.join("short.npy"), &whole[..whole.len() - 1]).unwrap();
    refuse(folder, "run vicsek --rule heat --steps 0 --level 2 --init u=short.npy", &["ends before"]);
}

#[test]
fn exports_that_cannot_be_say_why() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeed(folder, "run vicsek --rule heat --level 2 --steps 4 --out run --save-every 2 --quiet");
    refuse(folder, "export run -o x.txt", &[".npy, .vti, .png, .svg, .pdf, .gif, .mp4, .rle, .npz and .zarr"]);
    refuse(folder, "export run -o x.npy --step 3", &["no state of step 3", "0, 2, 4"]);
    refuse(folder, "export run -o x.npy --field v", &["no state `v`", "`u`"]);
    refuse(folder, "export run -o x.rle", &["f32"]);
    refuse(folder, "export run -o x.npy --zoom 2", &["--zoom has no effect"]);
    refuse(folder, "export run -o x.npy --window 0,0,10,1", &["9 × 9 places"]);
    refuse(folder, "export run -o x.npy --window 0,0,1,1 --hole x", &["f32"]);
    refuse(folder, "export run -o x.npz --neighbourhood knight", &["moore"]);
    refuse(folder, "export none -o x.npy", &["there is no folder `none`"]);
    refuse(folder, "plot run -o x.txt", &[".svg or .pdf"]);
    assert!(!folder.join("x.npy").exists());
}

#[test]
fn pictures_show_windows_layers_and_zooms() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let size = |arguments: &str| {
        succeed(folder, &format!("{arguments} -o a.png"));
        png_size(&folder.join("a.png"))
    };
    let triangle = "render sierpinski_triangle --level 20";
    assert_eq!(size(&format!("{triangle} --window 0,0,300,200 --zoom 3")), (900, 600));
    assert_eq!(size(&format!("{triangle} --zoom 1/1024")), (1024, 1024));
    assert_eq!(size(&format!("{triangle} --window 1,1,10000,5")), (2000, 1));
    assert_eq!(size("render menger_sponge --level 3 --slice 4"), (27 * 37, 27 * 37));
    assert_eq!(size("render menger_sponge --level 3 --window 0,0,9,9,9,9 --slice 10 --zoom 2"), (18, 18));
    refuse(folder, &format!("{triangle} --zoom 1 -o a.png"), &["at most 8192"]);
    refuse(folder, "render vicsek --level 2 --slice 1 -o a.png", &["not 3-D"]);
    refuse(folder, "render menger_sponge --level 2 --zoom 1 -o a.png", &["layer by layer", "--slice"]);
    refuse(folder, "render menger_sponge --level 2 --slice 9 -o a.png", &["z = 9"]);
    // Variants have a legend below the picture, and numbers a scale.
    succeed(folder, "run candy --rule greenberg_hastings --level 4 --steps 3 --quiet --image kinds.png");
    let (width, height) = png_size(&folder.join("kinds.png"));
    assert!(height > width, "{width} × {height}");
}

#[test]
fn saved_states_become_an_animation() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeed(folder, "run vicsek --rule heat --level 3 --steps 40 --out run --save-every 10 --quiet");
    succeed(folder, "export run -o all.gif --fps 25 --window 0,0,9,9 --colours diverging");
    let frames = |name: &str| {
        let mut decoder = gif::DecodeOptions::new().read_info(fs::File::open(folder.join(name)).unwrap()).unwrap();
        let (mut delays, width) = (Vec::new(), decoder.width());
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
        }
        (delays, width)
    };
    assert_eq!(frames("all.gif"), (vec![4, 4, 4, 4, 150], 540));
    succeed(folder, "export run -o small.gif --max-size 0.05");
    assert!(fs::metadata(folder.join("small.gif")).unwrap().len() <= 50_000 && frames("small.gif").0.len() == 5);
    refuse(folder, "export run -o x.png --fps 3", &["--fps has no effect"]);
    // A run that drew pictures, but saved its end alone.
    succeed(folder, "run vicsek --rule heat --level 3 --steps 40 --out drawn --image-every 10 --quiet");
    let told = squeeze(folder, "export drawn -o end.gif").stderr;
    let told = String::from_utf8(told).unwrap();
    for word in ["only one that was saved", "animation.gif` has the pictures", "--save-every N"] {
        assert!(told.contains(word), "no {word:?} in {told}");
    }
}

#[test]
fn observables_are_plotted() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeed(folder, "run vicsek --rule heat --level 3 --steps 50 --out run --observe-every 5 --quiet");
    succeed(folder, "plot run");
    let svg = fs::read_to_string(folder.join("run/observables.svg")).unwrap();
    for word in ["heat on vicsek", "level 3", "seed 0", "alpha = 0.1", "total", "coldest", "hottest"] {
        assert!(svg.contains(word), "no {word}");
    }
    succeed(folder, "run vicsek --rule heat --level 3 --steps 50 --set alpha=0.2 --out fast --observe-every 5 --quiet");
    succeed(folder, "plot run fast --log xy -o both.svg");
    let svg = fs::read_to_string(folder.join("both.svg")).unwrap();
    for word in ["alpha = 0.1", "alpha = 0.2", "heat on vicsek, level 3, seed 0, hot = 1000.0"] {
        assert!(svg.contains(word), "no {word}");
    }
    fs::write(folder.join("still.rule"), "rule still {\n    state u: f32\n    next u = u\n}\n").unwrap();
    succeed(folder, "run vicsek --rule still.rule --level 1 --steps 5 --out still --quiet");
    refuse(folder, "plot still", &["no observables"]);
}

#[test]
fn figures_have_axes_labels_and_the_maps_of_others() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let heat = "run sierpinski_carpet --rule heat --level 4 --steps 50";
    succeed(folder, &format!("{heat} --quiet --out heat --image run.svg --axes --label T/K --colours viridis"));
    succeed(folder, "export heat -o export.svg --axes --label T/K --colours viridis");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let text = read("run.svg");
    assert_eq!(text, read("export.svg"), "one theme for both");
    for word in [">T/K<", ">20<", ">40<", ">60<", ">80<", "fill=\"#ffffff\""] {
        assert!(text.contains(word), "no {word} in {text}");
    }
    // Ticks of a window are its places.
    succeed(folder, "export heat -o window.svg --window 30,60,20,10 --axes");
    assert!(
        [">35<", ">45<", ">62<", ">68<"].iter().all(|word| read("window.svg").contains(word)),
        "{}",
        read("window.svg")
    );
    succeed(folder, "export heat -o dark.svg --theme dark");
    succeed(folder, "export heat -o old.svg --background dark");
    assert!(read("dark.svg") == read("old.svg") && read("dark.svg") != read("export.svg"));
    let mut pictures = std::collections::BTreeSet::new();
    for map in ["viridis", "magma", "inferno", "plasma", "cividis", "twilight", "coolwarm"] {
        succeed(folder, &format!("export heat -o map.png --colours {map} --range 0:10"));
        assert!(pictures.insert(fs::read(folder.join("map.png")).unwrap()), "{map} is like another");
    }
    refuse(folder, "export heat -o a.png --colours jet", &["viridis", "coolwarm"]);
    refuse(folder, "run menger_sponge --rule heat --level 2 --steps 1 --image a.png --axes", &["--slice"]);
    succeed(folder, "run menger_sponge --rule heat --level 2 --steps 1 --quiet --image a.png --axes --slice 4");
}

#[test]
fn tables_of_golly_go_with_their_patterns() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let pattern = "x = 5, y = 3, rule = Loop\n.A.B.$A3.A$.3B!\n";
    fs::write(folder.join("loop.rle"), pattern).unwrap();
    let run = "run T12,9 --init cell=loop.rle@3,3 -n 2 --out";
    refuse(folder, &format!("{run} none -r loop.rle"), &["`Loop` is not a rule in Golly's notation", "`Loop.rule`"]);
    let table = "@RULE Loop\n@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:rotate4\n0,1,0,0,0,2\n@COLORS\n1 255 0 0\n";
    fs::write(folder.join("Loop.rule"), table).unwrap();
    let runs = ["Loop.rule", "loop.rle"].map(|rule| {
        let name = rule.replace('.', "_");
        let output = squeeze(folder, &format!("{run} {name} -r {rule} --quiet"));
        assert!(output.status.success() && output.stderr.is_empty(), "a pattern of its rule: {output:?}");
        succeed(folder, &format!("export {name} -o {name}.rle"));
        fs::read_to_string(folder.join(format!("{name}.rle"))).unwrap()
    });
    assert!(runs[0] == runs[1] && runs[0].contains("rule = Loop:T12,9"), "{runs:?}");
    let again = squeeze(folder, "run T12,9 -r Loop.rule --init cell=Loop_rule.rle -n 1 --image loop.png --quiet");
    assert!(again.status.success() && again.stderr.is_empty(), "{again:?}");
}

#[test]
fn states_of_all_steps_are_one_group_with_time_and_places() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, "run vicsek --rule heat --level 2 --steps 20 --save-every 10 --set alpha=0.2 --out run --quiet");
    succeed(folder, "run vicsek --rule life --level 2 --steps 4 --save-every 2 --out bits --quiet");
    for (run, state, data_type, times) in [("run", "u", "float32", [0, 10, 20]), ("bits", "alive", "bool", [0, 2, 4])] {
        let name = format!("{run}.zarr");
        succeed(folder, &format!("export {run} -o {name}"));
        // Once more: it takes the place of the one before.
        succeed(folder, &format!("export {run} -o {name}"));
        let json = |path: &str| -> serde_json::Value {
            serde_json::from_slice(&fs::read(folder.join(path).join("zarr.json")).unwrap()).unwrap()
        };
        let group = json(&name);
        let arrays = &group["consolidated_metadata"]["metadata"];
        for array in ["time", "x", "y", state] {
            assert_eq!(arrays[array], json(&format!("{name}/{array}")), "{array}");
        }
        let array = &arrays[state];
        assert_eq!(array["dimension_names"], serde_json::json!(["time", "cell"]));
        assert_eq!((&array["shape"], &array["data_type"]), (&serde_json::json!([3, 25]), &data_type.into()));
        assert_eq!(array["attributes"]["coordinates"], "x y");
        // The arrays inside, by a reader of foreign arrays: each row alone is read as initial values.
        let bytes = |array: &str, chunk: &str| fs::read(folder.join(&name).join(array).join("c").join(chunk)).unwrap();
        assert!(!bytes("time", "0").is_empty() && !bytes("x", "0").is_empty());
        for (row, time) in times.iter().enumerate() {
            let mut one = array.clone();
            one["shape"] = serde_json::json!([25]);
            one["chunk_grid"]["configuration"]["chunk_shape"] =
                serde_json::json!([array["chunk_grid"]["configuration"]["chunk_shape"][1]]);
            let place = folder.join("one");
            _ = fs::remove_dir_all(&place);
            fs::create_dir_all(place.join("c")).unwrap();
            fs::write(place.join("zarr.json"), one.to_string()).unwrap();
            fs::write(place.join("c/0"), bytes(state, &format!("{row}/0"))).unwrap();
            let rule = if run == "run" { "heat" } else { "life" };
            let digest = |file: &str| {
                let run = format!("run vicsek --rule {rule} --level 2 --steps 0 --json --init {state}={file}");
                serde_json::from_str::<serde_json::Value>(&succeed(folder, &run)).unwrap()["digest"].clone()
            };
            assert_eq!(digest("one"), digest(&format!("{run}/states/{time}.zarr")), "{run} {time}");
            // States of runs have their arrays in the group, too.
            let state_group = json(&format!("{run}/states/{time}.zarr"));
            assert_eq!(
                state_group["consolidated_metadata"]["metadata"][state],
                json(&format!("{run}/states/{time}.zarr/{state}"))
            );
        }
    }
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("run/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["values"]["alpha"], 0.2);
    assert!(manifest["params"].as_array().unwrap().contains(&"alpha=0.2".into()));
    fs::create_dir(folder.join("mine.zarr")).unwrap();
    refuse(folder, "export run -o mine.zarr", &["no group of Zarr"]);
    refuse(folder, "export run -o a.zarr --step 10", &["--step has no effect"]);
}
