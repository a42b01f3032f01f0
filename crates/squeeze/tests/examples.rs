//! Runs the examples.

use std::process::Command;

#[path = "../examples/define.rs"]
#[allow(dead_code)]
mod define;
#[path = "../examples/emit_cuda/main.rs"]
#[allow(dead_code)]
mod emit_cuda;
#[path = "../examples/in_memory.rs"]
#[allow(dead_code)]
mod in_memory;
#[path = "../examples/native.rs"]
#[allow(dead_code)]
mod native;
#[path = "../examples/observables.rs"]
#[allow(dead_code)]
mod observables;
#[path = "../examples/run_file.rs"]
#[allow(dead_code)]
mod run_file;
#[path = "../examples/sweep.rs"]
#[allow(dead_code)]
mod sweep;

#[test]
fn files_run_and_errors_are_the_users() {
    let digests = run_file::run("vicsek", concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules/wave.rule"), 4, 10);
    let digests = digests.expect("both are there");
    assert_eq!(digests, run_file::run("vicsek", "wave", 4, 10).expect("both ship"));
    assert!(run_file::run("vicsek", "./none.rule", 4, 10).is_err_and(|error| error.is_users()));
    assert!(run_file::run("vicsek", "wave", 200, 10).is_err_and(|error| error.is_users()));
}

#[test]
fn sweeps_record_texts_and_masks_of_memory() {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let place = folder.path().join("sweep");
    assert_eq!(in_memory::sweep(&place, 9).expect("it is sound"), 6);
    let (_, recorded) = squeeze::sweep::SweepFolder::open(&place).expect("it is there");
    let (fractal, rule) =
        (recorded.fractal.fractal().expect("it is recorded"), recorded.rule.rule().expect("so is this"));
    assert_eq!((fractal.name.as_str(), rule.name.as_str()), ("disc", "spread"));
    let cells = squeeze::Domain::new(fractal, 1).expect("it fits").cells();
    assert_eq!(cells, 253, "places of a disc of radius 9");
    let rows = std::fs::read_to_string(place.join("observables.csv")).expect("tables are written");
    assert!(rows.lines().count() > 6, "{rows}");
}

#[test]
fn what_the_macros_define_runs() {
    define::run(6).expect("it is sound");
}

/// nvcc where it is on the path or where `cargo xtask test` unpacks it.
fn nvcc() -> Option<&'static str> {
    let unpacked = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/nvcc/nvidia/cu13/bin/nvcc");
    let runs = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success());
    ["nvcc", unpacked].into_iter().find(|nvcc| runs(nvcc))
}

#[test]
fn a_program_in_cpp_runs_the_emitted_kernels() {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let (population, digest) = emit_cuda::write(folder.path(), 9, 240).expect("it is sound");
    let Some(nvcc) = nvcc() else {
        eprintln!("skipped: there is no nvcc, so the host of the example emit_cuda is not compiled");
        let has_host = Command::new("c++").arg("--version").output().is_ok_and(|done| done.status.success());
        let required = std::env::var("CI").is_ok_and(|ci| ci == "true") && has_host;
        assert!(!required, "under CI nvcc is required: `cargo xtask test` fetches it");
        return;
    };
    let mut compile = Command::new(nvcc);
    compile.args(["-std=c++17", "-arch=sm_90", "-Xcompiler", "-Wall,-Wextra,-Werror", "host.cu", "-o", "host"]);
    let compiled = compile.args(squeeze::compiler::emit::cuda::FLAGS).current_dir(&folder).output().expect("it runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    // Without a GPU of that architecture the runtime says so; with one the digest is the CPU's.
    let ran = Command::new(folder.path().join("host")).args(["life.world", "240"]).current_dir(&folder).output();
    let ran = ran.expect("it was compiled");
    let (said, complained) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    if ran.status.success() {
        assert_eq!(said, format!("population {population}, digest {digest:016x}\n"));
    } else {
        eprintln!("skipped: the host of the example emit_cuda was compiled but not run: {complained}");
        assert_eq!(ran.status.code(), Some(1), "{complained}");
    }
}

#[test]
fn kernels_of_the_macro_give_what_those_of_a_run_give() {
    assert!(native::compare(10, 5).expect("it is sound"));
}

#[test]
fn heat_leaks_faster_with_more_loss() {
    let totals = observables::totals().expect("it is sound");
    assert_eq!(totals.len(), 6);
    let kept: Vec<f64> = totals.windows(2).map(|pair| pair[1] / pair[0]).collect();
    assert!(kept[..3].iter().all(|kept| (kept - 0.99f64.powi(10)).abs() < 1e-3), "{kept:?}");
    assert!(kept[3..].iter().all(|kept| (kept - 0.96f64.powi(10)).abs() < 1e-3), "{kept:?}");
}

#[test]
fn sweeps_give_what_single_runs_give() {
    let both = sweep::sweep(&[0.0, 2.0], 3, 60).expect("it is sound");
    let single = |beta| sweep::sweep(&[beta], 3, 60).expect("it is sound")[0];
    assert_eq!(both, [single(0.0), single(2.0)]);
    assert!(both.iter().all(|(_, magnetisation)| magnetisation.abs() <= 1.0) && both[0].1 != both[1].1);
}
