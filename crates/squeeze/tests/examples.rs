//! The examples, run.

#[path = "../examples/define.rs"]
#[allow(dead_code)]
mod define;
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
fn what_the_macros_define_runs() {
    define::run(6).expect("it is sound");
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
