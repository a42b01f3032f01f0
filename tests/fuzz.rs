//! Every target of the fuzzer runs briefly, and planted faults are found. `cargo xtask fuzz` feeds for longer.

use std::process::{Command, Output};

fn fuzz(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fuzz"));
    let command = command.args(arguments).arg("--findings").arg(folder.path());
    command.output().expect("the fuzzer starts")
}

const TARGETS: [&str; 12] = [
    "text",
    "macro",
    "npy",
    "png",
    "rle",
    "vti",
    "zarr-group",
    "zarr-array",
    "zarr-chunk",
    "manifest",
    "observables",
    "cache",
];

#[test]
fn mutated_inputs_do_no_harm() {
    let targets = TARGETS.iter().flat_map(|name| ["--target", name]);
    let output =
        fuzz(&["--inputs", "1500", "--seconds", "20", "--seed", "1"].into_iter().chain(targets).collect::<Vec<_>>());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    // All targets were fuzzed, and each accepts some inputs.
    assert_eq!(
        text.lines().filter(|line| line.contains(" inputs, ") && !line.contains(" 0 accepted")).count(),
        TARGETS.len(),
        "{text}"
    );
}

#[test]
fn harm_is_seen_and_its_input_is_kept() {
    for (target, words) in [
        ("harm-panic", "panicked"),
        ("harm-abort", "signal: 6"),
        ("harm-memory", "too much memory"),
        ("harm-time", "no answer after 10s"),
    ] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mut command = Command::new(env!("CARGO_BIN_EXE_fuzz"));
        let command = command.args(["--target", target, "--inputs", "1", "--seed", "7"]);
        let output = command.arg("--findings").arg(folder.path()).output().expect("the fuzzer starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{target}: {text}");
        assert!(text.contains(words) && text.contains("of seed 7"), "{target}: {text}");
        let kept = std::fs::read_dir(folder.path()).expect("the folder is there").flatten();
        let kept: Vec<Vec<u8>> = kept.map(|entry| std::fs::read(entry.path()).expect("it can be read")).collect();
        assert!(kept.contains(&vec![3]), "{target}: {kept:?}");
    }
}
