//! Where batch systems, workflows and other people's readers meet a run: its folder, its manifest, its tables, and what a kill costs.
#![cfg(unix)]

mod command;

use command::{refuse, squeeze, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const HEAT: [&str; 6] = ["run", "vicsek", "-r", "heat", "-l", "3"];

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn folders_of_batch_systems_are_taken_and_parents_made() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fn run(out: &str) -> Vec<&str> {
        [&HEAT[..], &["-n", "5", "--quiet", "--out", out]].concat()
    }
    fs::create_dir(folder.join("job")).unwrap();
    for name in ["job/job.log", "job/.snakemake_timestamp"] {
        fs::write(folder.join(name), "theirs").unwrap();
    }
    succeed(folder, &run("job"));
    assert_eq!(fs::read(folder.join("job/job.log")).unwrap(), b"theirs");
    succeed(folder, &run("a/b/c"));
    succeed(
        folder,
        &["sweep", "vicsek", "-r", "ising", "-l", "2", "-n", "5", "--seeds", "0..3", "--quiet", "-o", "d/e"],
    );
    for (out, what) in [("job", "`job/images` is there already"), ("d/e", "`d/e/ends.csv` is there already")] {
        assert!(refuse(folder, &run(out)).contains(what));
    }
    std::os::unix::fs::symlink("nowhere", folder.join("link")).unwrap();
    for out in ["link", "link/run"] {
        assert!(refuse(folder, &run(out)).contains("`link` is a symbolic link to `nowhere`, which is not there"));
    }
    assert!(refuse(folder, &run("job/job.log/run")).contains("`job/job.log` is not a folder"));
}

#[test]
fn builds_and_sessions_are_told_apart() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let version = succeed(folder, &["--version"]);
    succeed(folder, &[&HEAT[..], &["-n", "5", "--quiet", "--out", "run"]].concat());
    succeed(folder, &["sweep", "vicsek", "-r", "ising", "-l", "2", "-n", "5", "--seeds", "0..3", "--quiet", "-o", "s"]);
    for name in ["run", "s"] {
        let manifest = json(&folder.join(name).join("manifest.json"));
        let session = &manifest["sessions"][0];
        for part in [&session["commit"], &session["built"]].into_iter().filter_map(Value::as_str) {
            assert!(version.contains(part), "{version} {session}");
        }
        let features = session["features"].as_array().unwrap();
        assert!(features.iter().all(|feature| version.contains(feature.as_str().unwrap())), "{version} {session}");
        assert_eq!(session["command"].as_array().unwrap().last().unwrap(), name);
        assert!(session["started"].as_str().is_some_and(|time| time.len() == 20 && time.ends_with('Z')), "{session}");
        assert!(session["host"].is_string() && session["version"].is_string(), "{session}");
    }
}

#[test]
fn floats_are_floats_from_the_first_row() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let rule = "rule mixed { state u: f32 init u = if x == 0 && y == 0 { 1000.0 } else { 0.0 }\n\
                next u = u + 0.1 * sum(von_neumann, nb.u - u)\n\
                observe total = sum(u) observe cells = sum(if u > 0.0 { 1 } else { 0 }) observe none = log(sum(u) - 1000000.0) observe least = log(min(u)) }";
    fs::write(folder.join("mixed.rule"), rule).unwrap();
    let run = ["run", "sierpinski_triangle", "-r", "mixed.rule", "-l", "3", "--observe-every", "1", "--quiet"];
    succeed(folder, &[&run[..], &["-n", "20", "-o", "new"]].concat());
    let table = fs::read_to_string(folder.join("new/observables.csv")).unwrap();
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("step,total,cells,none,least"));
    assert_eq!(rows.next(), Some("0,1000.0,1,NaN,-inf"));
    for row in rows {
        let words: Vec<&str> = row.split(',').collect();
        assert!(words[2].parse::<i64>().is_ok(), "{row}");
        for float in [words[1], words[3], words[4]] {
            assert!(float.parse::<i64>().is_err() && float.parse::<f64>().is_ok() && float.len() < 25, "{row}");
        }
    }

    // A folder of an older version, whose floats are whole numbers where they can be, goes on as one of today.
    succeed(folder, &[&run[..], &["-n", "10", "-o", "old"]].concat());
    let path = folder.join("old/observables.csv");
    let old = fs::read_to_string(&path).unwrap().replace("1000.0,", "1000,").replace("NaN", "nan");
    fs::write(&path, old).unwrap();
    fs::remove_file(folder.join("old/observables.crc")).unwrap();
    succeed(folder, &["resume", "old", "--steps", "20", "--quiet"]);
    assert_eq!(fs::read_to_string(path).unwrap(), table);
    let checksums = |name: &str| fs::read_to_string(folder.join(name).join("observables.crc")).unwrap();
    assert_eq!(checksums("old"), checksums("new"));
}

#[test]
fn states_are_saved_as_time_passes_and_only_the_last_stays() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    for wrong in ["0", "0s", "soon", "-1"] {
        assert!(refuse(folder, &[&HEAT[..], &["-n", "5", "-o", "x", "--save-every", wrong]].concat()).contains("30m"));
    }
    let default = |name: &str, more: &[&str]| {
        succeed(folder, &[&HEAT[..], &["-n", "9", "--quiet", "-o", name], more].concat());
        json(&folder.join(name).join("manifest.json"))
    };
    assert_eq!(default("default", &[])["save_seconds"], 600);
    let both = default("both", &["--save-every", "4", "--save-every", "30m"]);
    assert_eq!((&both["save_every"], &both["save_seconds"]), (&4.into(), &1800.into()));
    assert_eq!(default("never", &["--save-every", "never"])["save_seconds"], Value::Null);

    // This rule draws at each step, so that nothing comes to rest.
    let ising = ["run", "vicsek", "-r", "ising", "-l", "5", "--quiet"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    let run = [&ising[..], &["-n", "1000000000", "--save-every", "1s", "-o", "killed"]].concat();
    let mut child = command.args(run).current_dir(folder).stdout(Stdio::null()).spawn().unwrap();
    let states = || -> Vec<String> {
        let names = fs::read_dir(folder.join("killed/states")).into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".zarr")).collect()
    };
    // A later state than the first one was saved.
    let (start, mut seen) = (Instant::now(), Vec::new());
    while seen.len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none(), "{seen:?}");
        for name in states().into_iter().filter(|name| !seen.contains(name)).collect::<Vec<_>>() {
            seen.push(name);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!((1..=2).contains(&states().len()), "{:?}", states());
    let last = states().iter().map(|name| name.trim_end_matches(".zarr").parse::<u32>().unwrap()).max().unwrap();
    let end = (last + 1000).to_string();
    succeed(folder, &["resume", "killed", "--steps", &end, "--quiet"]);
    assert_eq!(states(), [format!("{end}.zarr")], "what was saved in passing is gone");
    let whole = squeeze(folder, &[&ising[..], &["-n", &end, "-o", "whole"]].concat());
    assert!(whole.status.success());
    let digest = |name: &str| json(&folder.join(name).join("manifest.json"))["result"].clone();
    assert_eq!(digest("killed"), digest("whole"));
}

#[test]
fn pictures_and_plots_have_names_of_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let name = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let run = |arguments: &[&str], last: &[&std::ffi::OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        let output = command.args(arguments).args(last).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let (picture, plot, out) = (name(b"p\xff.png"), name(b"q\xff.svg"), name(b"run\xff"));
    run(
        &[&HEAT[..], &["-n", "5", "--observe-every", "1", "--quiet", "--image"]].concat(),
        &[picture, name(b"--out"), out],
    );
    run(&["plot", "-o"], &[plot, out]);
    assert!(folder.join(picture).exists() && folder.join(plot).exists());
}
