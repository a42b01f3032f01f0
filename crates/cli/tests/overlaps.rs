//! `squeeze overlap`: of runs and packed arrays, plotted, and what it refuses.

#![cfg(feature = "overlap")]

mod command;

use command::{refuse, squeeze, succeed};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// An array as numpy writes it.
fn npy(descriptor: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let mut head = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}");
    while (head.len() + 11) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    [b"\x93NUMPY\x01\x00", &(head.len() as u16).to_le_bytes()[..], head.as_bytes(), bytes].concat()
}

/// The elements of an array, eight bytes each, and its head.
fn elements(path: &Path) -> (String, Vec<[u8; 8]>) {
    let bytes = fs::read(path).unwrap();
    let length = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let head = String::from_utf8(bytes[10..length].to_vec()).unwrap();
    (head, bytes[length..].as_chunks::<8>().0.to_vec())
}

fn integers(path: &Path) -> Vec<i64> {
    let (head, elements) = elements(path);
    assert!(head.contains("'<i8'"), "{head}");
    elements.into_iter().map(i64::from_le_bytes).collect()
}

fn floats(path: &Path) -> Vec<f64> {
    let (head, elements) = elements(path);
    assert!(head.contains("'<f8'"), "{head}");
    elements.into_iter().map(f64::from_le_bytes).collect()
}

/// The cells of a saved state, one byte each.
fn cells(folder: &Path, run: &str, step: &str) -> Vec<u8> {
    succeed(folder, &["export", run, "-o", "cells.npy", "--step", step]);
    let bytes = fs::read(folder.join("cells.npy")).unwrap();
    bytes[10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))..].to_vec()
}

fn distance(a: &[u8], b: &[u8]) -> i64 {
    a.iter().zip(b).filter(|(a, b)| a != b).count() as i64
}

#[test]
fn runs_and_times_are_compared_as_their_cells_are() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    for seed in ["0", "1", "2", "5"] {
        let run = ["run", "sierpinski_carpet", "-r", "ising", "-l", "3", "-n", "12", "--save-every", "4", "--quiet"];
        succeed(folder, &[&run[..], &["--seed", seed, "-o", seed]].concat());
    }
    let list: Vec<Vec<u8>> = ["0", "1", "2", "5"].iter().map(|run| cells(folder, run, "12")).collect();
    let told = succeed(folder, &["overlap", "0", "1", "2", "5", "--measure", "hamming", "-o", "h.npy"]);
    assert!(told.contains("hamming of `up`, 4 × 4, 512 cells") && told.contains("5, seed 5, step 12"), "{told}");
    let expected: Vec<i64> = list.iter().flat_map(|a| list.iter().map(move |b| distance(a, b))).collect();
    assert_eq!(integers(&folder.join("h.npy")), expected);
    succeed(folder, &["overlap", "0", "1", "2", "5", "-o", "q.npy", "--threads", "3"]);
    let q: Vec<f64> = expected.iter().map(|h| (512 - 2 * h) as f64 / 512.0).collect();
    assert_eq!(floats(&folder.join("q.npy")), q);

    let other_order = succeed(folder, &["overlap", "5", "0", "--step", "4", "--field", "up", "-o", "p.npy", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&other_order).unwrap();
    assert_eq!(
        (&json["replicas"][0]["seed"], &json["replicas"][1]["step"], &json["bits"]),
        (&5.into(), &4.into(), &512.into())
    );
    let h = distance(&cells(folder, "5", "4"), &cells(folder, "0", "4"));
    assert_eq!(floats(&folder.join("p.npy")), [1.0, (512 - 2 * h) as f64 / 512.0, (512 - 2 * h) as f64 / 512.0, 1.0]);

    // One run: its steps.
    succeed(folder, &["overlap", "2", "--measure", "hamming", "-o", "t.npy"]);
    let times: Vec<Vec<u8>> = ["0", "4", "8", "12"].iter().map(|step| cells(folder, "2", step)).collect();
    let expected: Vec<i64> = times.iter().flat_map(|a| times.iter().map(move |b| distance(a, b))).collect();
    assert_eq!(integers(&folder.join("t.npy")), expected);
    succeed(folder, &["overlap", "2", "--between", "seeds", "-o", "one.npy"]);
    assert_eq!(floats(&folder.join("one.npy")), [1.0]);

    let plotted = succeed(folder, &["plot", "q.npy", "-o", "q.svg"]);
    let svg = fs::read_to_string(folder.join("q.svg")).unwrap();
    assert!(plotted.contains("q.svg") && svg.contains("P(q)") && svg.contains("6 pairs"), "{svg}");
    succeed(folder, &["plot", "h.npy"]);
    assert!(fs::read_to_string(folder.join("h.svg")).unwrap().contains("P(h)"));
}

/// Values beyond the edges change runs, on fractals and on masks, and not how runs are compared.
#[test]
fn runs_with_edges_are_compared_as_their_cells_are() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let domains = "domain porous { size (75, 40)  cells random(0.8) }\ndomain tube { size (64, 33)  periodic y  edge up = true }\n";
    fs::write(folder.join("domains.fractal"), domains).unwrap();
    let edges: [&[&str]; 4] = [&["--edge", "up=true"], &["--edge", "up=false"], &["--edge", "up=reflect"], &[]];
    for (number, domain) in ["domains.fractal#porous", "domains.fractal#tube", "sierpinski_carpet"].iter().enumerate() {
        let names: Vec<String> = (0..edges.len()).map(|run| format!("{number}-{run}")).collect();
        for (name, edge) in names.iter().zip(edges) {
            let run =
                ["run", domain, "-r", "ising", "-n", "8", "--save-every", "8", "--quiet", "--seed", "3", "-o", name];
            let level: &[&str] = if number == 2 { &["-l", "3"] } else { &[] };
            succeed(folder, &[&run[..], level, edge].concat());
        }
        let list: Vec<Vec<u8>> = names.iter().map(|run| cells(folder, run, "8")).collect();
        assert!(distance(&list[0], &list[1]) > 0, "the edges of {domain} matter");
        let runs: Vec<&str> = names.iter().map(String::as_str).collect();
        succeed(folder, &[&["overlap"], &runs[..], &["--measure", "hamming", "-o", "h.npy"]].concat());
        let expected: Vec<i64> = list.iter().flat_map(|a| list.iter().map(move |b| distance(a, b))).collect();
        assert_eq!(integers(&folder.join("h.npy")), expected, "{domain}");
    }
}

#[test]
fn packed_arrays_are_compared_up_to_the_bits_that_count() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    // The second row is the complement of the first one; bits from 19 on are poison.
    let rows = [[0b1010_0101, 0xff, 0b1111_1001], [0b0101_1010, 0x00, 0b1111_1110], [0xff, 0xff, 0xff]];
    fs::write(folder.join("p.npy"), npy("|u1", "(3, 3)", rows.as_flattened())).unwrap();
    let told = succeed(folder, &["overlap", "p.npy", "--bits", "19", "-o", "q.npy"]);
    assert!(told.contains("3 × 3 rows of 19 bits"), "{told}");
    let third = (19.0 - 2.0 * 6.0) / 19.0;
    assert_eq!(floats(&folder.join("q.npy")), [1.0, -1.0, third, -1.0, 1.0, -third, third, -third, 1.0]);
    succeed(folder, &["overlap", "p.npy", "--measure", "hamming", "-o", "h.npy"]);
    assert_eq!(integers(&folder.join("h.npy")), [0, 19, 6, 19, 0, 13, 6, 13, 0]);
    succeed(folder, &["overlap", "p.npy", "--bits", "19", "--measure", "r2", "-o", "r.npy"]);
    let r = floats(&folder.join("r.npy"));
    assert!(r[1] == 1.0 && r[2].is_nan() && r[8].is_nan(), "{r:?}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let run = |fractal: &str, rule: &str, level: &str, out: &str| {
        succeed(folder, &["run", fractal, "-r", rule, "-l", level, "-n", "3", "--quiet", "-o", out]);
    };
    run("vicsek", "life", "2", "a");
    run("vicsek", "life", "3", "deep");
    run("sierpinski_triangle", "life", "2", "other");
    run("vicsek", "heat", "2", "numbers");
    succeed(folder, &["run", "vicsek", "-r", "life", "-l", "2", "-n", "4", "--quiet", "-o", "late"]);
    succeed(folder, &["sweep", "vicsek", "-r", "ising", "-l", "2", "-n", "3", "--quiet", "-o", "sweep"]);
    let to = ["-o", "q.npy"];
    let overlap = |arguments: &[&str]| refuse(folder, &[&["overlap"], arguments, &to].concat());
    for (arguments, words) in [
        (&["a", "deep"][..], &["cannot be compared", "of level 2", "of level 3"][..]),
        (&["a", "other"], &["different fractals"]),
        (&["numbers"], &["`u` of `numbers` is of type f32", "no state of bits"]),
        (&["a", "numbers"], &["has no state `alive`; it has `u`"]),
        (&["a", "--field", "up"], &["has no state `up`; it has `alive`"]),
        (&["a", "late"], &["no step has a saved state in all", "`a` has that of step 3"]),
        (&["a", "--step", "2"], &["no state of step 2", "step"]),
        (&["a", "late", "--between", "times"], &["compares the states of one run"]),
        (&["sweep"], &["holds a sweep", "keeps no states"]),
        (&["none"], &["there is no folder `none`"]),
        (&["a", "--bits", "3"], &["--bits has no effect"]),
        (&["a", "--between", "times", "--step", "3"], &["--step has no effect"]),
        (&["x.npy", "a"], &["compared alone"]),
        (&["x.npy", "--field", "up"], &["--field has no effect"]),
        (&["x.npy"], &["there is no file"]),
    ] {
        let errors = overlap(arguments);
        assert!(words.iter().all(|word| errors.contains(word)), "{arguments:?}: {errors}");
    }
    assert!(!folder.join("q.npy").exists());
    for (descriptor, shape, bytes, words) in [
        ("|u1", "(2, 3)", 5, &["ends at byte 133", "2 rows of 3 bytes, which begin at byte 128, end at byte 134"][..]),
        ("|u1", "(6,)", 6, &["shape [6], and [R, bytes] is expected", "numpy.packbits"]),
        ("|u1", "(1, 2, 3)", 6, &["shape [1, 2, 3]"]),
        ("|u1", "(0, 3)", 0, &["no bits"]),
        ("<f8", "(1, 1)", 8, &["holds <f8"]),
        ("|u1", "(4294967296, 4294967296)", 8, &["ends at byte 136"]),
    ] {
        fs::write(folder.join("x.npy"), npy(descriptor, shape, &vec![0; bytes])).unwrap();
        let errors = overlap(&["x.npy"]);
        assert!(words.iter().all(|word| errors.contains(word)), "{shape}: {errors}");
    }
    fs::write(folder.join("x.npy"), npy("|u1", "(2, 3)", &[0; 6])).unwrap();
    assert!(overlap(&["x.npy", "--bits", "25"]).contains("3 bytes, and 25 bits take 4"));
    assert!(refuse(folder, &["overlap", "x.npy", "-o", "q.txt"]).contains("must end in .npy"));
    for (arguments, words) in [
        (&["x.npy"][..], "holds |u1"),
        (&["x.npy", "a"], "some arguments are matrices"),
        (&["x.npy", "--log", "y"], "--log has no effect"),
    ] {
        let errors = refuse(folder, &[&["plot"], arguments].concat());
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
    succeed(folder, &["overlap", "a", "-o", "one.npy"]);
    assert!(refuse(folder, &["plot", "one.npy"]).contains("matrix of one replica"));
}

/// Spins with overlaps of a state, of a bond, and of what a let says; one member in four ends early.
const SPINS: &str = "rule spins {
    param beta: f32 = 0.4
    state up: bit
    state kind: enum { plain, odd }
    init up = random(0.5)
    init kind = if (x + y) % 3 == 1 { odd } else { plain }
    let field = sum(von_neumann, if nb.up { 1.0 } else { -1.0 })
    let alone = !any(von_neumann, nb.up)
    step even when (x + y) % 2 == 0 { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) }
    step rest when (x + y) % 2 == 1 { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) }
    observe ups = sum(up)
    observe q = overlap(up)
    observe bond = overlap(up != up[1, 0] else false)
    observe lonely = overlap(kind == odd && any(moore, nb.alone) || beta > 0.45)
}
";

/// The matrices of a sweep: those of every overlap at every step.
fn matrices(folder: &Path, sweep: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for name in ["q", "bond", "lonely"] {
        let own = folder.join(sweep).join("overlap").join(name);
        for entry in fs::read_dir(&own).unwrap() {
            let path = entry.unwrap().path();
            found
                .push((path.strip_prefix(folder.join(sweep)).unwrap().display().to_string(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn members_of_a_sweep_are_compared_as_their_runs_are() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("spins.rule"), SPINS).unwrap();
    let run = ["vicsek", "-r", "spins.rule", "-l", "3", "-n", "6", "--quiet"];
    let of_sweep = ["--seeds", "0..3", "--set", "beta=0.4,0.5", "--observe-every", "2"];
    let sweep = |more: &[&str]| succeed(folder, &[&["sweep"], &run[..], &of_sweep, more].concat());
    sweep(&["--out", "s"]);
    let all = matrices(folder, "s");
    assert_eq!(all.len(), 3 * 4);

    // Runs of their own, and an independent reader of their cells.
    let mut list = Vec::new();
    for (number, (beta, seed)) in
        ["0.4", "0.5"].iter().flat_map(|beta| (0..3).map(move |seed| (beta, seed))).enumerate()
    {
        let (out, seed, set) = (format!("r{number}"), seed.to_string(), format!("beta={beta}"));
        let notes = squeeze(
            folder,
            &[&["run"], &run[..7], &["--seed", &seed, "--set", &set, "--save-every", "2", "-o", &out]].concat(),
        );
        assert!(String::from_utf8_lossy(&notes.stderr).contains("`q` compares the members of a sweep"));
        list.push(out);
    }
    let names: Vec<&str> = list.iter().map(String::as_str).collect();
    for step in ["0", "2", "6"] {
        succeed(folder, &[&["overlap"], &names[..], &["--field", "up", "--step", step, "-o", "q.npy"]].concat());
        assert_eq!(
            floats(&folder.join("q.npy")),
            floats(&folder.join(format!("s/overlap/q/{step}.npy"))),
            "step {step}"
        );
        let coordinates: Vec<[i64; 2]> = (0..125)
            .map(|c| {
                let told = succeed(folder, &["map", "lambda", "vicsek", "--level", "3", &c.to_string()]);
                let numbers: Vec<i64> = told.split_whitespace().map(|word| word.parse().unwrap()).collect();
                [numbers[0], numbers[1]]
            })
            .collect();
        let bonds: Vec<Vec<u8>> = (list.iter())
            .map(|run| {
                let up = cells(folder, run, step);
                let at = |place: [i64; 2]| coordinates.iter().position(|known| *known == place).map(|c| up[c]);
                (0..125)
                    .map(|c| u8::from(up[c] != at([coordinates[c][0] + 1, coordinates[c][1]]).unwrap_or(0)))
                    .collect()
            })
            .collect();
        let expected: Vec<f64> =
            (bonds.iter()).flat_map(|a| bonds.iter().map(move |b| (125 - 2 * distance(a, b)) as f64 / 125.0)).collect();
        assert_eq!(floats(&folder.join(format!("s/overlap/bond/{step}.npy"))), expected, "step {step}");
    }
    let lonely = floats(&folder.join("s/overlap/lonely/4.npy"));
    assert!(lonely[3 * 6 + 4] == 1.0 && lonely[1] < 1.0 && lonely[1] > 0.0, "{lonely:?}");

    // Other threads, backends, parts, and instants of being killed give the same files.
    sweep(&["--out", "one", "--threads", "1"]);
    sweep(&["--out", "reference", "--backend", "reference"]);
    assert!(matrices(folder, "one") == all && matrices(folder, "reference") == all);
    sweep(&["--out", "part1", "--shard", "1/2"]);
    sweep(&["--out", "part2", "--shard", "2/2"]);
    assert!(!folder.join("part1/overlap").exists());
    // A flipped bit does not pass, and the part that is complete computes that member again.
    let bits = folder.join("part1/members/2.bits");
    let mut bytes = fs::read(&bits).unwrap();
    bytes[5] ^= 8;
    fs::write(&bits, &bytes).unwrap();
    let output = squeeze(folder, &["merge", "part2", "part1", "--quiet"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("`part1/members/2.bits`") && message.contains("`squeeze resume part1`"), "{message}");
    assert_eq!(output.status.code(), Some(1));
    let output = squeeze(folder, &["resume", "part1", "--quiet"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 member computed again"), "{output:?}");
    // Files of older versions have no checksum; in others it is missed.
    let bits = folder.join("part2/members/3.bits");
    let bytes = fs::read(&bits).unwrap();
    fs::write(&bits, &bytes[..bytes.len() - 4]).unwrap();
    assert_eq!(squeeze(folder, &["merge", "part2", "part1", "--quiet"]).status.code(), Some(1));
    let path = folder.join("part2/manifest.json");
    let mut old: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    old.as_object_mut().unwrap().retain(|key, _| key != "crc32c" && key != "sessions");
    fs::write(&path, old.to_string()).unwrap();
    succeed(folder, &["merge", "part2", "part1", "--quiet"]);
    assert!(matrices(folder, "part2") == all);

    let plotted = succeed(folder, &["plot", "s/overlap/q", "-o", "q.svg"]);
    let svg = fs::read_to_string(folder.join("q.svg")).unwrap();
    assert!(plotted.contains("q.svg") && svg.contains("beta = 0.5") && svg.contains("12 pairs"), "{svg}");
    succeed(folder, &["plot", "s/overlap", "-o", "all.svg"]);
    assert!(fs::read_to_string(folder.join("all.svg")).unwrap().contains("bond, beta = 0.4"));
}

#[test]
fn matrices_survive_kills_and_say_who_has_ended() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let rule = SPINS.replace("    observe q =", "    stop when f64(ups) > 64.0 && step > 50\n    observe q =");
    fs::write(folder.join("spins.rule"), rule.replace("observe ups", "observe step_of_rule = step\n    observe ups"))
        .unwrap();
    let arguments = "sweep vicsek -r spins.rule -l 3 -n 300 --seeds 0..12 --observe-every 20 --quiet --out";
    let words: Vec<&str> = arguments.split(' ').collect();
    let began = Instant::now();
    succeed(folder, &[&words[..], &["whole"]].concat());
    let mut takes = began.elapsed();
    let whole = matrices(folder, "whole");
    let at = |step: &str| floats(&folder.join(format!("whole/overlap/q/{step}.npy")));
    assert!(at("40").iter().all(|q| q.is_finite()));
    assert!(at("80").iter().any(|q| q.is_nan()));
    let (mut killed, mut round) = (0, 0);
    while round < 12 || killed < 6 {
        assert!(round < 100, "{killed} kills");
        let name = format!("s{round}");
        let mut next = [&words[..], &[&name]].concat();
        let mut ended = false;
        for attempt in 0..3 {
            let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
            command.args(&next).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            // Kills are spread over the time of the fastest sweep so far: the first one of all may have been a slow one.
            let began = Instant::now();
            std::thread::sleep(takes * ((round * 41 + attempt * 23) % 90) / 100);
            _ = child.kill();
            ended = child.wait().unwrap().success();
            if ended {
                takes = takes.min(began.elapsed());
                break;
            }
            killed += 1;
            if folder.join(&name).join("manifest.json").exists() {
                next = vec!["resume", &name, "--quiet"];
            }
        }
        if !ended {
            succeed(folder, &next);
        }
        assert!(matrices(folder, &name) == whole, "round {round}");
        assert!(!folder.join(&name).join("members").exists());
        round += 1;
    }
}

#[test]
fn tiles_of_a_machine_are_printed_and_nothing_is_compared() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let told = succeed(folder, &["overlap", "--machine", "zen5", "--rows", "16", "--bits", "65536"]);
    assert!(told.contains("zen5: 16 rows of 65536 bits") && told.contains("4 × 4"), "{told}");
    let json = |machine: &str| -> serde_json::Value {
        serde_json::from_str(&succeed(folder, &["overlap", "--machine", machine, "--json"])).unwrap()
    };
    let (cpu, old, gpu) = (json("zen5"), json("xeon-avx2"), json("h100"));
    assert_eq!((&cpu["rows"], &cpu["bits"]), (&256.into(), &(1u64 << 20).into()));
    let tile = &cpu["tiles"]["vpopcntdq"];
    assert!(tile["m_r"] == 5 && tile["n_r"] == 5 && tile["k_c"] == 65_536 && tile["m_c"] == tile["n_c"], "{tile}");
    // Processors without an instruction have no kernel by it.
    assert!(old["tiles"]["avx512"].is_null() && old["tiles"]["avx2"].is_object(), "{old}");
    assert!(gpu["tiles"]["wgmma"]["blocks"].as_u64() > Some(0) && gpu["tiles"]["popc"]["m_r"] == 32, "{gpu}");
    for (arguments, words) in [
        (&["overlap", "--machine", "zen6"][..], "no machine `zen6`"),
        (&["overlap", "a", "-o", "q.npy", "--machine", "zen4"], "cannot be used with"),
        (&["overlap", "a", "-o", "q.npy", "--rows", "3"], "--machine"),
        (&["overlap", "--machine", "zen4", "--rows", "0"], "0"),
        (&["overlap"], "required"),
    ] {
        let errors = refuse(folder, arguments);
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
}
