//! The script of `--slurm`, run with a stub in the place of `srun`.

use super::{refuse, succeed, tables};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// A job of an array, as SLURM starts it.
fn job(folder: &Path, script: &str, number: u32) -> Output {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut job = Command::new("bash");
    job.args(["-u", script]).current_dir(folder).env("PATH", path).env("SLURM_ARRAY_TASK_ID", number.to_string());
    // Part of the array was sent again, and one process runs in the step.
    job.envs([("SLURM_ARRAY_TASK_COUNT", "1"), ("SLURM_CPUS_PER_TASK", "2"), ("SLURM_NTASKS", "1")]);
    job.envs([("SLURM_STEP_NUM_TASKS", "1"), ("SLURM_PROCID", "0")]).output().unwrap()
}

#[test]
fn the_script_for_slurm_computes_all_parts() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::create_dir(folder.join("bin")).unwrap();
    // `srun` without its options.
    let stub = "#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec \"$@\"\n";
    fs::write(folder.join("bin/srun"), stub).unwrap();
    fs::set_permissions(folder.join("bin/srun"), fs::Permissions::from_mode(0o755)).unwrap();
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules/ising.rule")).unwrap();
    fs::write(folder.join("its $rule.rule"), text).unwrap();
    let sweep = |rest: &[&str]| -> Vec<String> {
        let words = "sweep vicsek --level 2 --steps 8 --seeds 0..5 --set beta=0.3,0.6 --backend cpu --threads 2 --rule";
        words.split(' ').chain(["its $rule.rule"]).chain(rest.iter().copied()).map(str::to_owned).collect()
    };
    let print = |rest: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_squeeze")).args(sweep(rest)).current_dir(folder).output().unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap())
    };
    let (code, script, errors) = print(&["--slurm=3", "-o", "all parts"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{script}");
    assert!(!folder.join("all parts").exists(), "nothing was begun");
    for line in ["#SBATCH --array=1-3\n", "#SBATCH --signal=USR1@300\n", "#SBATCH --cpus-per-task=2\n"] {
        assert!(script.contains(line), "{script}");
    }
    fs::write(folder.join("parts.sh"), &script).unwrap();
    for number in [1, 3, 2] {
        let done = job(folder, "parts.sh", number);
        assert!(done.status.success(), "{}{script}", String::from_utf8_lossy(&done.stderr));
    }
    // A job that was stopped, and one that is complete, are sent again.
    let manifest = folder.join("all parts.2/manifest.json");
    fs::remove_file(folder.join("all parts.2/observables.csv")).unwrap();
    for number in [2, 3] {
        assert!(job(folder, "parts.sh", number).status.success());
    }
    assert!(manifest.exists() && folder.join("all parts.2/observables.csv").exists());
    let merge = script.lines().find_map(|line| line.split_once('`')?.1.split_once(" merge ")).unwrap().1;
    let merge = format!("{} merge {}", env!("CARGO_BIN_EXE_squeeze"), merge.split_once('`').unwrap().0);
    let merged = Command::new("bash").args(["-c", &merge]).current_dir(folder).output().unwrap();
    assert!(merged.status.success(), "{merge}: {}", String::from_utf8_lossy(&merged.stderr));
    assert_eq!(print(&["--quiet", "--out", "whole"]).0, Some(0));
    assert_eq!(tables(folder, "all parts.1"), tables(folder, "whole"));

    // As many parts as there are members, at most.
    assert!(print(&["--slurm", "--out", "s"]).1.contains("#SBATCH --array=1-10\n"));
    let (code, _, errors) = print(&["--slurm=11", "--out", "s"]);
    assert!(code == Some(2) && errors.contains("10 members, fewer than 11 parts"), "{errors}");
    let line = "sweep vicsek --rule ising --level 1 --steps 10 --out s --slurm";
    assert!(refuse(folder, &format!("{line} --init up=-")).contains("standard input is not there"));
    assert!(refuse(folder, &format!("{line} --set gamma=1")).contains("no parameter `gamma`"));
    assert!(refuse(folder, &format!("{line} --shard 1/2")).contains("--shard"));
    let gpus =
        succeed(folder, "sweep vicsek --rule ising --level 1 --steps 1 --seeds 0..80 --backend cuda --out s --slurm");
    assert!(gpus.contains("#SBATCH --gpus-per-task=1\n") && gpus.contains("--array=1-64\n"), "{gpus}");
}
