//! `squeeze overlap`: of runs and packed arrays, plotted, and what it refuses.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn squeeze(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("the command starts")
}

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = squeeze(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let output = squeeze(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    errors
}

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
        (&["none"], &["holds no run"]),
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
