//! `--machine` and `doctor --measure`: layouts change, results do not, and wrong descriptions are refused.

mod command;

use command::{refuse, succeed};
use std::fs;

/// A processor of one register, whose memory is faster than its cache, and a GPU of one multiprocessor.
const SILLY: &str = r#"{"kind": "cpu", "clock_ghz": 0.001, "vector_bits": 64, "vector_pipes": 0.01, "vector_registers": 1,
    "cache_bytes": [1, 1, 1], "cache_gb_per_s": 0.001, "memory_gb_per_s": 1e6, "memory_threads": 1}"#;
const SILLY_GPU: &str = r#"{"kind": "gpu", "clock_ghz": 1e-3, "multiprocessors": 1, "logic_lanes": 1, "numeric_lanes": 1, "load_lanes": 1,
    "registers": 1, "cache_bytes": 1, "cache_gb_per_s": 1e-3, "memory_gb_per_s": 1e9, "launch_ns": 1e9}"#;

#[test]
fn results_are_the_same_whatever_machine_layouts_are_chosen_for() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("silly.json"), SILLY).unwrap();
    fs::write(folder.join("gpu.json"), SILLY_GPU).unwrap();
    let mut layouts = std::collections::BTreeSet::new();
    for (fractal, rule, level) in
        [("sierpinski_triangle", "life", "8"), ("vicsek", "heat", "5"), ("sierpinski_carpet", "ising", "4")]
    {
        let run = ["run", fractal, "-r", rule, "-l", level, "-n", "20", "--json", "--backend", "cpu"];
        let result = |arguments: &[&str]| {
            let json: serde_json::Value = serde_json::from_str(&succeed(folder, arguments)).unwrap();
            (json["digest"].clone(), json["observables"].clone())
        };
        let usual = result(&run);
        for machine in ["xeon-avx512", "xeon-avx2", "zen4", "zen5", "silly.json"] {
            assert_eq!(result(&[&run[..], &["--machine", machine]].concat()), usual, "{rule} on {machine}");
            layouts.insert(succeed(folder, &["info", fractal, "-l", level, "-r", rule, "--machine", machine]));
        }
        // Without a GPU the processor computes, by its usual layouts.
        let run = &run[..9];
        for machine in ["h100", "gpu.json"] {
            assert_eq!(result(&[run, &["--machine", machine, "--backend", "auto"]].concat()), usual);
            let emitted = succeed(folder, &["emit", fractal, "-r", rule, "-l", level, "--machine", machine]);
            assert!(emitted.contains("__global__"));
            layouts.insert(succeed(folder, &["info", fractal, "-l", level, "-r", rule, "--machine", machine]));
        }
    }
    assert!(layouts.len() > 12, "only {} layouts differ", layouts.len());
}

#[test]
fn machines_that_do_not_fit_are_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("silly.json"), SILLY).unwrap();
    fs::write(folder.join("wrong.json"), SILLY.replace("clock_ghz", "clock_mhz")).unwrap();
    fs::write(folder.join("box.fractal"), "domain sheet { size (9, 7) }\n").unwrap();
    let run = ["run", "vicsek", "-r", "life", "-l", "2", "-n", "1", "--machine"];
    for (more, words) in [
        (&["h10"][..], &["no machine `h10`", "did you mean `h100`"][..]),
        (&["quantum"], &["these ship", "`zen4`"]),
        (&["none.json"], &["there is no file"]),
        (&["wrong.json"], &["an entry `clock_mhz`", "did you mean `clock_ghz`?"]),
        (&["zen4", "--backend", "cuda"], &["is a CPU", "the backend `cuda` runs on a GPU"]),
        (&["a100", "--backend", "cpu"], &["is a GPU"]),
        (&["zen4", "--backend", "reference"], &["has no layouts"]),
        #[cfg(feature = "papers")]
        (&["a100", "--strategy", "squeeze"], &["no effect", "the strategy `squeeze`"]),
    ] {
        let errors = refuse(folder, &[&run, more].concat());
        assert!(words.iter().all(|word| errors.contains(word)), "{more:?}: {errors}");
    }
    for (arguments, words) in [
        (&["run", "box.fractal", "-r", "life", "-n", "1", "--machine", "zen4"][..], "is a mask or a box"),
        (&["info", "vicsek", "--machine", "zen4"], "no effect without `--rule`"),
        (&["emit", "vicsek", "-r", "life", "--target", "rust", "--machine", "zen4"], "no effect on the target `rust`"),
        (&["emit", "vicsek", "-r", "life", "--machine", "zen4"], "is a CPU"),
        (&["emit", "vicsek", "-r", "life", "--target", "ir", "--machine", "h100"], "is a GPU"),
        (&["bench", "vicsek,life,2", "--machine", "h100"], "is a GPU"),
        (&["doctor", "--gpu"], "--measure"),
    ] {
        let errors = refuse(folder, arguments);
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
}

#[test]
fn this_machine_is_measured_in_a_few_seconds() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let begin = std::time::Instant::now();
    let told = succeed(folder, &["doctor", "--measure", "here.json"]);
    // Ten seconds on a quiet machine; others compute beside this test.
    assert!(begin.elapsed().as_secs() < 120, "it took {:?}", begin.elapsed());
    assert!(
        told.contains("clock_ghz") && told.contains("popcounts_per_cycle") && told.contains("`--machine here.json`"),
        "{told}"
    );
    let shown = succeed(folder, &["info", "sierpinski_triangle", "-l", "10", "-r", "life", "--machine", "here.json"]);
    assert!(shown.contains("on here.json, for about"), "{shown}");
}
