//! The command as one of several processes: what launchers say in the environment, and MPI itself where it is installed.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The command in an environment of a launcher's.
fn with(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).envs(variables.iter().copied());
    told(command.output().unwrap())
}

fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const SWEEP: [&str; 11] =
    ["sweep", "vicsek", "--rule", "life", "--level", "3", "--steps", "2", "--seeds", "0..2", "--out"];

#[test]
fn commands_for_one_process_are_refused_on_several() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = [&SWEEP[..], &["out"]].concat();
    let four = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "0")];
    let (code, out, errors) = with(folder.path(), &four, &sweep);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{errors}");
    let words = "`squeeze sweep` does not run on several ranks, and mpirun of Open MPI started 4 processes";
    assert!(errors.contains(words) && errors.contains("SQUEEZE_RANKS=alone"), "{errors}");
    // The same words once, by the first.
    let other = [("PMI_SIZE", "4"), ("PMI_RANK", "2")];
    assert_eq!(with(folder.path(), &other, &sweep), (Some(2), String::new(), String::new()));
    assert_eq!(with(folder.path(), &other, &["sweep", "--no-such"]), (Some(2), String::new(), String::new()));
    assert!(!folder.path().join("out").exists(), "nothing was begun");
    let (code, _, errors) = with(folder.path(), &[("SLURM_STEP_NUM_TASKS", "many")], &sweep);
    assert!(code == Some(2) && errors.contains("`SLURM_STEP_NUM_TASKS` is `many`"), "{errors}");
}

#[test]
fn what_is_no_launcher_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let alone = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "3"), ("SQUEEZE_RANKS", "alone")];
    // A batch script of SLURM, where one process runs.
    let batch = [("SLURM_NTASKS", "64"), ("SLURM_STEP_NUM_TASKS", "1"), ("SLURM_PROCID", "0")];
    for (variables, out) in [(&alone, "alone"), (&batch, "batch")] {
        let (code, _, errors) = with(folder.path(), variables, &[&SWEEP[..], &[out]].concat());
        assert_eq!(code, Some(0), "{errors}");
        assert!(folder.path().join(out).is_dir());
    }
}

#[test]
fn a_launcher_without_mpi_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mpi = folder.path().join("libmpi.so");
    std::fs::write(&mpi, "no library").unwrap();
    let mpi = mpi.to_str().unwrap();
    let four = [("PMI_SIZE", "4"), ("PMI_RANK", "0"), ("SQUEEZE_MPI", mpi)];
    let (code, out, errors) = with(folder.path(), &four, &["doctor"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{errors}");
    assert!(errors.contains(&format!("no library of MPI: {mpi} could not be loaded")), "{errors}");
    assert!(errors.contains("`SQUEEZE_MPI=PATH` names it"), "{errors}");
    let wrong = [("PMI_SIZE", "4"), ("PMI_RANK", "0"), ("SQUEEZE_DEADLINE", "soon")];
    let (code, _, errors) = with(folder.path(), &wrong, &["doctor"]);
    assert!(code == Some(2) && errors.contains("`SQUEEZE_DEADLINE` is `soon`"), "{errors}");
    let (code, out, _) = with(folder.path(), &[("SQUEEZE_MPI", mpi)], &["doctor"]);
    assert!(code == Some(0) && out.contains("MPI  none"), "{out}");
}
