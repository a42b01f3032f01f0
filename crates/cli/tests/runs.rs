//! Recorded runs: the contents of their folders, and that no saved data is ever lost.
#![cfg(unix)]

use serde_json::Value;
use squeeze_testing::counts;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn squeeze(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The JSON object that a command which must succeed prints.
fn json(arguments: &[&str]) -> Value {
    let output = squeeze(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Standard error of a command that must end with this code.
fn fail(code: i32, arguments: &[&str]) -> String {
    let output = squeeze(arguments);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

/// Waits until something is there, for a minute at most.
fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} does not appear", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A folder for a run, and its name.
fn place() -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let name = path.to_str().unwrap().to_owned();
    (folder, path, name)
}

const GRAY_SCOTT: [&str; 9] =
    ["run", "sierpinski_carpet", "--rule", "gray_scott", "--level", "3", "--seed", "3", "--steps"];

#[test]
fn the_folder_holds_what_was_asked_for() {
    let (_folder, path, name) = place();
    let every = ["--observe-every", "20", "--save-every", "25", "--image-every", "30"];
    let plain = json(&[&GRAY_SCOTT[..], &["70"]].concat());
    let written = json(&[&GRAY_SCOTT[..], &["70", "--out", &name], &every].concat());
    for key in ["digest", "observables", "steps", "cells"] {
        assert_eq!(plain[key], written[key], "{key}");
    }
    let manifest: Value = serde_json::from_slice(&fs::read(path.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["result"]["digest"], plain["digest"]);
    assert_eq!(manifest["result"]["observables"], plain["observables"]);
    assert_eq!((&manifest["level"], &manifest["seed"], &manifest["steps"]), (&3.into(), &3.into(), &70.into()));
    assert_eq!(manifest["sessions"][0]["backend"], "cpu");
    assert!(manifest["fractal"]["texts"][0]["text"].as_str().unwrap().contains("fractal sierpinski_carpet {"));
    assert!(manifest["rule"]["texts"][0]["text"].as_str().unwrap().contains("rule gray_scott {"));
    assert!(manifest["params"].as_array().unwrap().iter().any(|p| p.as_str().unwrap().starts_with("feed=")));

    let rows = fs::read_to_string(path.join("observables.csv")).unwrap();
    let steps: Vec<&str> = rows.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(steps, ["step", "0", "20", "40", "60", "70"]);
    assert_eq!(names(&path.join("states")), ["0.zarr", "25.zarr", "50.zarr", "70.zarr"]);
    assert_eq!(names(&path.join("images")), ["0000000000.png", "0000000030.png", "0000000060.png", "0000000070.png"]);

    let frames = gif_frames(&path.join("animation.gif"));
    assert_eq!(frames, 4);
    let shown = json(&["resume", &name]);
    assert_eq!((&shown["digest"], &shown["seconds_per_step"]), (&plain["digest"], &0.0.into()));
    assert!(fail(2, &[&GRAY_SCOTT[..], &["70", "--out", &name]].concat()).contains("squeeze resume"));
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_by_key(|name| name.split('.').next().unwrap().parse::<u32>().unwrap());
    names
}

/// Changes a manifest, which has no checksum then, as those of older versions have none.
fn change_manifest(folder: &Path, change: impl FnOnce(&mut Value)) {
    let path = folder.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    manifest.as_object_mut().unwrap().remove("crc32c");
    fs::write(&path, manifest.to_string()).unwrap();
}

fn gif_frames(path: &Path) -> usize {
    let mut decoder = gif::DecodeOptions::new().read_info(fs::File::open(path).unwrap()).unwrap();
    std::iter::from_fn(|| decoder.read_next_frame().unwrap().map(|_| ())).count()
}

#[test]
fn a_run_that_is_killed_at_any_instant_ends_as_if_it_had_not_been() {
    const RUN: [&str; 15] = [
        "run",
        "vicsek",
        "--rule",
        "forest_fire",
        "--level",
        "5",
        "--seed",
        "9",
        "--steps",
        "400",
        "--observe-every",
        "7",
        "--save-every",
        "40",
        "--out",
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let whole = path("whole");
    let expected = json(&[&RUN[..], &[&whole]].concat());
    // The fastest of some runs: the first one of all may have been a slow one.
    let timed = |i: u32| {
        let start = Instant::now();
        json(&[&RUN[..], &[&path(&format!("timed-{i}"))]].concat());
        start.elapsed()
    };
    let mut duration = (0..3).map(timed).min().unwrap();
    let rows = fs::read(Path::new(&whole).join("observables.csv")).unwrap();
    // Instants that are spread by the golden ratio, over a little more than the run's duration.
    let kills: u32 =
        std::env::var("SQUEEZE_KILLS").map_or(50, |kills| kills.parse().expect("SQUEEZE_KILLS is a number"));
    let mut killed = 0;
    for i in 0..kills {
        let instant = duration.mul_f64(1.1 * (f64::from(i) * 0.618_033_988_75).fract());
        let name = path(&format!("killed-{i}"));
        let resume = ["resume", &name];
        let begin = [&RUN[..], &[&name]].concat();
        // Every third time the one that goes on is killed as well.
        for _ in 0..if i % 3 == 0 { 2 } else { 1 } {
            let begun = Path::new(&name).join("manifest.json").exists();
            let mut child = command(if begun { &resume } else { &begin }).spawn().unwrap();
            std::thread::sleep(instant);
            child.kill().unwrap();
            let was_killed = child.wait().unwrap().code().is_none();
            killed += u32::from(was_killed);
            // The machine may have been busier while runs were timed.
            if !was_killed && !begun {
                duration = duration.min(instant);
            }
        }
        let begun = Path::new(&name).join("manifest.json").exists();
        let found = if begun { json(&resume) } else { json(&begin) };
        assert_eq!(found["digest"], expected["digest"], "killed after {instant:?}");
        assert_eq!(fs::read(Path::new(&name).join("observables.csv")).unwrap(), rows, "killed after {instant:?}");
        fs::remove_dir_all(&name).unwrap();
    }
    println!("{killed} processes were killed, and nothing was lost");
    if std::env::var_os("SQUEEZE_KILLS").is_none() {
        counts::have_not_shrunk(
            "kills_of_runs",
            &[("instants at which runs are killed".to_owned(), kills.into())].into(),
        );
    }
    assert!(killed >= kills * 3 / 5, "only {killed} were still running");
}

#[test]
fn a_full_disk_loses_nothing_that_was_complete() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = |options: &str| {
        let output = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(&disk).output();
        output.is_ok_and(|output| output.status.success())
    };
    let run = disk.join("run");
    let name = run.to_str().unwrap();
    let steps = [&GRAY_SCOTT[..], &["60", "--level", "4"]].concat();
    let steps: Vec<&str> =
        steps.into_iter().enumerate().filter(|(i, _)| *i != 4 && *i != 5).map(|(_, word)| word).collect();
    let expected = json(&steps);
    let out = [&steps[..], &["--save-every", "5", "--observe-every", "1", "--out", name]].concat();
    // A user without the right to mount may have it in a name space of his own, where this test then runs once more.
    const INSIDE: &str = "SQUEEZE_TEST_IN_NAME_SPACE";
    let mounted = mount("size=8m");
    if !mounted && std::env::var_os(INSIDE).is_none() {
        let allowed = Command::new("unshare").args(["-rm", "true"]).stderr(Stdio::null()).status();
        if allowed.is_ok_and(|status| status.success()) {
            let mut again = Command::new("unshare");
            again.arg("-rm").arg(std::env::current_exe().unwrap());
            again.args(["--exact", "a_full_disk_loses_nothing_that_was_complete", "--nocapture"]);
            assert!(again.env(INSIDE, "1").status().unwrap().success());
            return;
        }
    }
    if mounted {
        struct Mounted(PathBuf);
        impl Drop for Mounted {
            fn drop(&mut self) {
                _ = Command::new("umount").arg(&self.0).status();
            }
        }
        let _mounted = Mounted(disk.clone());
        // Something that takes all but 200 KiB.
        let ballast = disk.join("ballast");
        fs::write(&ballast, vec![0; (8 << 20) - (200 << 10)]).unwrap();
        let message = fail(1, &out);
        assert!(message.contains("No space left") && message.contains("continues from step"), "{message}");
        let complete = names(&run.join("states"));
        assert!(complete.len() > 1 && !complete.contains(&"60.zarr".to_owned()), "{complete:?}");
        assert!(fail(1, &["resume", name]).contains("No space left"), "the disk is still full");
        assert!(names(&run.join("states")).len() >= complete.len());
        fs::remove_file(ballast).unwrap();
        assert_eq!(json(&["resume", name])["digest"], expected["digest"]);
    } else {
        println!("SKIPPED: no file system can be mounted here; a limit on the size of files stands in for a full disk");
        // The observables grow past 1 KiB (512-byte blocks), or half that in shells that count in KiB.
        let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
        let limited = |arguments: &[&str]| {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_squeeze")]).args(arguments);
            shell.output().unwrap()
        };
        let output = limited(&out);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert_eq!(json(&["resume", name])["digest"], expected["digest"]);
    }
}

/// A run's folder is renamed while it is written to: the command prints its new name, and how far it came.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_with_a_new_name_is_told_by_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    let [old, new] = ["old", "new"].map(|name| folder.join(name));
    for (begin, file, continues) in [
        (
            "run vicsek --rule heat --level 4 --steps 100000000 --save-every 100",
            "states/100.zarr",
            "continues from step ",
        ),
        (
            "sweep vicsek --rule heat --level 3 --steps 50 --seeds 0..100000 --backend reference",
            "members/0.rows",
            "the missing members",
        ),
    ] {
        let words: Vec<&str> = begin.split(' ').chain(["--quiet", "--out", "old"]).collect();
        let child = command(&words).current_dir(&folder).spawn().unwrap();
        wait_for(&old.join(file));
        fs::rename(&old, &new).unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("`old` is called `new` now") && errors.contains("`squeeze resume new`"), "{errors}");
        assert!(errors.contains(continues) && !errors.contains("beginning"), "{errors}");
        fs::remove_dir_all(&new).unwrap();
    }
}

/// A domain may have other cells than when a run began: to begin anew would overwrite the folder.
#[test]
fn states_of_other_cells_are_left_as_they_are() {
    let (_folder, path, name) = place();
    json(&[&GRAY_SCOTT[..], &["20", "--out", &name, "--save-every", "20"]].concat());
    for step in [0, 20] {
        for state in ["u", "v"] {
            let about = path.join(format!("states/{step}.zarr/{state}/zarr.json"));
            let mut array: Value = serde_json::from_slice(&fs::read(&about).unwrap()).unwrap();
            array["attributes"]["squeeze"]["cells"] = 7.into();
            fs::write(&about, array.to_string()).unwrap();
        }
    }
    let before = fs::read(path.join("manifest.json")).unwrap();
    let output = squeeze(&["resume", &name, "--steps", "40"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("are of 7 cells, and the domain has"), "{message}");
    assert_eq!(fs::read(path.join("manifest.json")).unwrap(), before);
}

#[test]
fn a_damaged_state_is_passed_over_and_named() {
    let (_folder, path, name) = place();
    let every = ["--observe-every", "10", "--save-every", "20"];
    let whole = json(&[&GRAY_SCOTT[..], &["60", "--out", &name], &every].concat());
    // As if the machine had been lost before the end.
    change_manifest(&path, |manifest| manifest["result"] = Value::Null);
    let chunk = |step: u32| path.join(format!("states/{step}.zarr/v/c/0"));
    let mut bytes = fs::read(chunk(60)).unwrap();
    bytes[40] ^= 1;
    fs::write(chunk(60), bytes).unwrap();
    fs::remove_file(chunk(40)).unwrap();
    let output = squeeze(&["resume", &name, "--backend", "reference"]);
    let message = text(&output.stderr);
    assert!(output.status.success(), "{message}");
    for word in ["60.zarr", "chunk 0 of `v`", "step 60 is lost", "step 40 is lost", "resuming at step 20"] {
        assert!(message.contains(word), "no {word:?} in {message}");
    }
    let again = json(&["resume", &name]);
    assert_eq!(again["digest"], whole["digest"]);
    let rows = fs::read_to_string(path.join("observables.csv")).unwrap();
    assert_eq!(rows.lines().count(), 8, "{rows}");

    // All states are lost: the run begins anew, from its seed.
    fs::remove_dir_all(path.join("states")).unwrap();
    assert_eq!(json(&["resume", &name, "--threads", "1"])["digest"], whole["digest"]);
    let manifest: Value = serde_json::from_slice(&fs::read(path.join("manifest.json")).unwrap()).unwrap();
    let sessions: Vec<_> =
        manifest["sessions"].as_array().unwrap().iter().map(|s| s["backend"].as_str().unwrap()).collect();
    assert_eq!(sessions, ["cpu", "reference", "cpu"], "a session that found nothing to do is not recorded");
}

/// Its folder is read all the same, and goes on where no strategy is needed.
#[cfg(not(feature = "papers"))]
#[test]
fn a_run_of_the_papers_names_the_feature_that_is_missing() {
    let (_folder, path, name) = place();
    let whole = json(&[&GRAY_SCOTT[..], &["20", "--save-every", "10", "--out", &name]].concat());
    change_manifest(&path, |manifest| {
        (manifest["strategy"], manifest["result"]) = ("squeeze".into(), Value::Null);
    });
    fs::remove_dir_all(path.join("states/20.zarr")).unwrap();
    let errors = fail(2, &["resume", &name]);
    assert!(errors.contains("the strategy `squeeze`") && errors.contains("the feature `papers`"), "{errors}");
    assert_eq!(json(&["resume", &name, "--backend", "cpu"])["digest"], whole["digest"]);
}

#[cfg(feature = "papers")]
#[test]
fn a_strategy_is_kept_unless_another_is_asked_for() {
    let (_folder, path, name) = place();
    let whole = json(&[&GRAY_SCOTT[..], &["20", "--save-every", "10", "--out", &name]].concat());
    let file = path.join("manifest.json");
    let change = |key: &str, value: Value| {
        change_manifest(&path, |manifest| {
            assert_eq!(manifest["strategy"], Value::Null, "nothing was said of it");
            manifest["result"] = Value::Null;
            manifest[key] = value;
        });
        _ = fs::remove_dir_all(path.join("states/20.zarr"));
    };
    // As if it had been begun on a GPU.
    change("strategy", "squeeze".into());
    let output = squeeze(&["resume", &name]);
    if output.status.code() == Some(1) {
        assert!(text(&output.stderr).contains("`--strategy lanes` runs on the CPU"), "{}", text(&output.stderr));
        let output = squeeze(&["resume", &name, "--strategy", "lanes", "--json"]);
        assert!(text(&output.stderr).contains("was `squeeze` and is now `lanes`"), "{}", text(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&found["digest"], &found["strategy"]), (&whole["digest"], &"lanes".into()));
    } else {
        let manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(manifest["sessions"][1]["strategy"], "squeeze", "{}", text(&output.stderr));
    }
    change_manifest(&path, |manifest| manifest["strategy"] = "lane".into());
    assert!(fail(1, &["resume", &name]).contains("its `strategy` is not what it should be"));
    assert!(fail(2, &["resume", &name, "--backend", "reference", "--rho", "2"]).contains("neither strategies"));
}

/// Whether this process ignores the signal HUP; `false` elsewhere than on Linux.
fn ignores_hangups() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).is_some_and(|set| set & 1 == 1)
}

#[test]
fn any_signal_saves_and_leaves_and_a_later_one_leaves_at_once() {
    for (signal_name, code) in [("TERM", 143), ("HUP", 129), ("USR1", 138), ("USR2", 140), ("XCPU", 152), ("INT", 130)]
    {
        // Tests that are begun by `nohup` start commands that ignore the signal, as they should.
        if signal_name == "HUP" && ignores_hangups() {
            eprintln!("SKIPPED: this process ignores HUP, and so does what it begins");
            continue;
        }
        let (_folder, path, name) = place();
        let begin = ["run", "vicsek", "--rule", "life", "--level", "6", "--steps", "4000000000", "--out", &name];
        let child = command(&begin).spawn().unwrap();
        wait_for(&path.join("manifest.json"));
        assert!(fail(2, &["resume", &name]).contains("another process"));
        // `timeout` signals the process and its group: both are one signal.
        signal(&child, signal_name);
        signal(&child, signal_name);
        let output = child.wait_with_output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{signal_name}: {message}");
        assert!(message.contains("stopped at step") && message.contains("squeeze resume"), "{message}");
        let states = names(&path.join("states"));
        assert_eq!(states.len(), 1, "{signal_name}");
        assert!(message.contains(states[0].strip_suffix(".zarr").unwrap()), "{message}");
    }

    // Without a folder nothing is saved, and the code is the same.
    let child = command(&["run", "vicsek", "--rule", "life", "--level", "6", "--steps", "4000000000"]).spawn().unwrap();
    let start = Instant::now();
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim();
        u64::from_str_radix(caught, 16).unwrap() & 0b10 != 0
    };
    while !listens() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("with `--out DIR` its state would be saved"), "{}", text(&output.stderr));

    // The oracle takes seconds for a step, so that the later signal comes before the first could be heeded.
    let (_folder, path, name) = place();
    let slow = ["run", "sierpinski_triangle", "--rule", "lenia", "--level", "13", "--backend", "reference"];
    let child = command(&[&slow[..], &["--steps", "1000", "--out", &name]].concat()).spawn().unwrap();
    wait_for(&path.join("manifest.json"));
    std::thread::sleep(Duration::from_millis(50));
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(1100));
    signal(&child, "TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", text(&output.stderr));
    assert!(!path.join("states").exists() || names(&path.join("states")).is_empty(), "nothing was saved");
}

#[test]
fn a_terminal_shows_a_bar_and_the_first_observable() {
    let (_folder, path, name) = place();
    // `script` runs a command on a terminal of its own.
    let squeeze = env!("CARGO_BIN_EXE_squeeze");
    let run = "vicsek --rule life --level 5 --steps 4000000000 --threads 1";
    // A line is cut off at the width of the terminal.
    let line = format!("stty rows 40 cols 120; exec '{squeeze}' run {run} --out '{name}'");
    let child =
        Command::new("script").args(["-qefc", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "there is no `script`");
        return println!("SKIPPED: there is no `script`, which gives commands a terminal");
    };
    wait_for(&path.join("manifest.json"));
    // An observable is taken when people have waited for two seconds.
    let mut shown = Vec::new();
    let start = Instant::now();
    let output = child.stdout.as_mut().unwrap();
    let holds = |shown: &[u8], word: &str| String::from_utf8_lossy(shown).contains(word);
    while !holds(&shown, "population = ") && start.elapsed() < Duration::from_secs(60) {
        let mut part = [0; 4096];
        match std::io::Read::read(output, &mut part).unwrap() {
            0 => break,
            count => shown.extend_from_slice(&part[..count]),
        }
    }
    // Ctrl-C on the keyboard.
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"\x03").unwrap();
    std::io::Read::read_to_end(output, &mut shown).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let shown = String::from_utf8_lossy(&shown);
    for word in ["░", "of 4,000,000,000, ", " a second, ", " left, population = ", "stopped at step"] {
        assert!(shown.contains(word), "no {word:?} in {shown:?}");
    }
}

#[test]
fn a_float_that_is_not_finite_stops_the_run_and_leaves_the_state() {
    let (folder, path, name) = place();
    let rule = folder.path().join("growth.rule");
    std::fs::write(&rule, "rule growth { state u: f32  init u = 1.0  next u = u * 1e30  observe total = sum(u) }")
        .unwrap();
    let hot = ["run", "vicsek", "--rule", rule.to_str().unwrap(), "--level", "2", "--steps", "50"];
    let message = fail(1, &[&hot[..], &["--save-every", "5", "--out", &name]].concat());
    assert!(message.contains("`u` is") && message.contains("in cell") && message.contains("after step 5"), "{message}");
    assert!(path.join("states/5.zarr").exists());
    // The run goes back to the last good state, and comes to the same end.
    let again = fail(1, &["resume", &name]);
    for words in ["the run goes back", "resuming at step 0 of 50", "--allow-nan", "state before it is that of step 0"] {
        assert!(again.contains(words), "no {words:?} in {again}");
    }
    let through = json(&["resume", &name, "--allow-nan"]);
    assert_eq!(through["digest"], json(&[&hot[..], &["--allow-nan"]].concat())["digest"]);
    let told = squeeze(&[&hot[..], &["--json"]].concat());
    assert_eq!(told.status.code(), Some(1));
    assert!(text(&told.stderr).contains("`u` is"), "{}", text(&told.stderr));
    let result: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(result["digest"], through["digest"], "what was computed is told all the same");
}

#[test]
fn a_run_from_states_of_another_draws_as_that_one_did_if_it_knows_the_time() {
    let (place, path, name) = place();
    let ising = ["run", "sierpinski_carpet", "--rule", "ising", "--level", "3", "--seed", "5"];
    let whole = json(&[&ising[..], &["--steps", "30", "--save-every", "12", "--out", &name]].concat());
    let from = format!("up={}", path.join("states/12.zarr").display());
    let on = |more: &[&str]| json(&[&ising[..], &["--init", &from], more].concat());
    let continued = on(&["--steps", "18", "--time", "12"]);
    assert_eq!(continued["digest"], whole["digest"]);
    assert_eq!((&continued["time"], &continued["steps"]), (&12.into(), &30.into()));
    assert_ne!(on(&["--steps", "18"])["digest"], whole["digest"], "the draws are those of the beginning");
    // Recorded, stopped and resumed.
    let other = place.path().join("other");
    let out = other.to_str().unwrap();
    let every = ["--steps", "18", "--time", "12", "--observe-every", "5", "--save-every", "9", "--out", out];
    assert_eq!(on(&every)["digest"], whole["digest"]);
    assert_eq!(names(&other.join("states")), ["12.zarr", "18.zarr", "27.zarr", "30.zarr"]);
    let table = fs::read_to_string(other.join("observables.csv")).unwrap();
    for state in ["18.zarr", "27.zarr", "30.zarr"] {
        fs::remove_dir_all(other.join("states").join(state)).unwrap();
    }
    let resumed = squeeze(&["resume", out, "--json"]);
    assert!(!text(&resumed.stderr).contains("lost"), "{}", text(&resumed.stderr));
    assert_eq!(serde_json::from_slice::<Value>(&resumed.stdout).unwrap()["digest"], whole["digest"]);
    assert_eq!(fs::read_to_string(other.join("observables.csv")).unwrap(), table);
    assert_eq!(
        table.lines().skip(1).map(|row| row.split(',').next().unwrap()).collect::<Vec<_>>(),
        ["15", "20", "25", "30"]
    );
    assert!(fail(2, &[&ising[..], &["--steps", "1", "--time", "12"]].concat()).contains("--init"));
    let latest = [&ising[..], &["--init", &from, "--steps", "9", "--time", "4294967290"]].concat();
    assert!(fail(2, &latest).contains("too many"));
}

/// Heat until nothing changes any more: at the beginning nothing has changed yet.
const STEADY: &str = "rule steady {
    state u: f64
    state change: f64
    init u = if y == 0 { 1.0 } else { 0.0 }
    let new = if y == 0 { 1.0 } else if y == height - 1 { 0.0 } else { u + 0.25 * sum(von_neumann, nb.u - u) }
    next u = new
    next change = abs(new - u)
    observe largest = max(change)
    stop when largest   < // far below all else
        1e-6
}";

#[test]
fn a_rule_ends_its_run_after_the_first_step_and_says_so() {
    let (place, path, name) = place();
    let rule = place.path().join("steady.rule");
    fs::write(&rule, STEADY).unwrap();
    let run = ["run", "full_square", "--level", "3", "--rule", rule.to_str().unwrap(), "--steps", "100000"];
    let every = ["--observe-every", "10"];
    let out = ["--out", &name];
    let recorded = json(&[&run[..], &every, &out].concat());
    let steps = recorded["steps"].as_u64().unwrap();
    assert!(steps > 10 && steps < 10_000 && steps.is_multiple_of(10), "{recorded}");
    assert_eq!(recorded["stopped"], serde_json::json!({"when": "largest < 1e-6", "step": steps}));
    let table = fs::read_to_string(path.join("observables.csv")).unwrap();
    assert_eq!(table.lines().count() as u64, steps / 10 + 2);
    let manifest: Value = serde_json::from_slice(&fs::read(path.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["result"]["stopped"], recorded["stopped"]);
    // The run is at its end, and stays there.
    let resumed = squeeze(&["resume", &name, "--json"]);
    assert!(text(&resumed.stderr).contains(&format!("its rule ended it at step {steps}")), "{}", text(&resumed.stderr));
    let resumed: Value = serde_json::from_slice(&resumed.stdout).unwrap();
    assert_eq!((&resumed["stopped"], &resumed["digest"]), (&recorded["stopped"], &recorded["digest"]));
    // Without a folder the same, by people's and machines' words.
    let alone = json(&[&run[..], &every].concat());
    assert_eq!((&alone["stopped"], &alone["digest"]), (&recorded["stopped"], &recorded["digest"]));
    let told = text(&squeeze(&[&run[..], &every].concat()).stdout);
    assert!(told.contains("of 100,000: `stop when largest < 1e-6`"), "{told}");
    // A run that comes to its last step did not end before it, and one that never asks says so.
    assert_eq!(json(&[&run[..7], &["20"], &every].concat())["stopped"], Value::Null);
    let unasked = squeeze(&[&run[..7], &["20"]].concat());
    assert!(text(&unasked.stderr).contains("`stop when largest < 1e-6` is ignored"), "{}", text(&unasked.stderr));
    // From states of a later time the beginning is not asked either.
    let from = format!("u={}", path.join(format!("states/{steps}.zarr")).display());
    let on = ["--init", &from, "--time", "7000", "--observe-every", "1"];
    let later = json(&[&run[..], &on].concat());
    assert_eq!(later["stopped"]["step"], 7001, "{later}");
    let other = place.path().join("other");
    let later = json(&[&run[..], &on, &["--out", other.to_str().unwrap()]].concat());
    assert_eq!(later["stopped"]["step"], 7001, "{later}");
    let without = ["run", "vicsek", "--rule", "life", "--level", "2", "--steps", "3", "--observe-every", "1"];
    assert!(fail(2, &without).contains("`--out DIR`"));
}

#[test]
fn mistakes_are_met_with_what_would_be_valid() {
    let (folder, _path, name) = place();
    assert!(fail(2, &[&GRAY_SCOTT[..], &["5", "--save-every", "1"]].concat()).contains("--out"));
    assert!(fail(2, &[&GRAY_SCOTT[..], &["5", "--out", &name, "--save-every", "0"]].concat()).contains("from 1"));
    assert!(fail(2, &["resume", &name]).contains("there is no folder"));
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(fail(2, &[&GRAY_SCOTT[..], &["5", "--out", file.to_str().unwrap()]].concat()).contains("is not a folder"));
    fs::write(folder.path().join("manifest.json"), "{\"format\": 1}").unwrap();
    assert!(fail(1, &["resume", folder.path().to_str().unwrap()]).contains("it has no `"));
}

#[test]
fn a_complete_run_can_be_extended() {
    let (_place, path, name) = place();
    json(&[&GRAY_SCOTT[..], &["50", "--out", &name, "--observe-every", "20", "--save-every", "25"]].concat());
    let extended = json(&["resume", &name, "--steps", "90"]);
    let direct = json(&[&GRAY_SCOTT[..], &["90"]].concat());
    assert_eq!((&extended["digest"], &extended["steps"]), (&direct["digest"], &90.into()));
    assert_eq!(names(&path.join("states")), ["0.zarr", "25.zarr", "50.zarr", "75.zarr", "90.zarr"]);
    let csv = fs::read_to_string(path.join("observables.csv")).unwrap();
    let steps: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(steps, ["0", "20", "40", "60", "80", "90"]);
    let message = fail(2, &["resume", &name, "--steps", "60"]);
    assert!(message.contains("cannot end at step 60") && message.contains("from 90"), "{message}");
}

#[test]
fn runs_say_where_colours_are_not_what_they_seem() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let said = |arguments: &[&str]| {
        let output = squeeze(arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let domains = file(
        "domains.fractal",
        "domain odd { size (21, 12)  periodic }
         domain even { size (20, 12)  periodic }
         domain open { size (21, 13) }",
    );
    let blocks = file(
        "blocks.rule",
        "rule blocks {
            state on: bit
            init on = random(0.4)
            let p = i32(step % 2)
            let right = if (x + p) % 2 == 0 { 1 } else { -1 }
            next on = if right == 1 { on[1, 0] else false } else { on[-1, 0] else false }
        }",
    );
    let guarded = file(
        "guarded.rule",
        "rule guarded {
            state up: bit
            init up = random(0.5)
            step even when (x + y) % 2 == 0 { next up = any(von_neumann, nb.up) }
            step odd when (x + y) % 2 == 1 { next up = any(von_neumann, nb.up) }
        }",
    );
    let warned = |domain: &str, rule: &str| {
        let errors = said(&["run", &format!("{domains}#{domain}"), "-r", rule, "-n", "1"]);
        errors.contains("remainders by 2 along `x`, which is periodic with 21 places")
    };
    for rule in [&blocks[..], &guarded] {
        assert_eq!(["odd", "even", "open"].map(|domain| warned(domain, rule)), [true, false, false], "{rule}");
    }
    // Coloured steps are right there.
    assert!(!warned("odd", "life") && !warned("odd", "ising"));
}

/// Bonds that are kept are states: saved, resumed, exported, given.
#[test]
fn bonds_are_kept_in_runs() {
    let (folder, path, name) = place();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let rule = "rule glass { bond J over von_neumann: bit  state up: bit  init J = random(0.5) from disorder  init up = random(0.5)
        next J = J && random(0.9)  next up = up != any(von_neumann, nb.J && nb.up)
        observe open = count(J over von_neumann) }";
    let rule = file("glass.rule", rule);
    let of = |steps: &'static str| {
        ["run", "sierpinski_carpet", "--rule", &rule, "--level", "2", "--steps", steps].map(str::to_owned)
    };
    let run = |steps: &'static str, more: &[&str]| {
        let all: Vec<String> = of(steps).into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect();
        json(&all.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let whole = run("6", &["--disorder", "4"]);
    run("2", &["--disorder", "4", "--save-every", "2", "--out", &name]);
    let manifest: Value = serde_json::from_slice(&fs::read(path.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["bonds"]["J"], serde_json::json!([[1, 0, 0], [0, 1, 0]]));
    let resumed = json(&["resume", &name, "--steps", "6"]);
    assert_eq!((&resumed["digest"], &resumed["observables"]), (&whole["digest"], &whole["observables"]));
    let array = folder.path().join("j1.npy").to_str().unwrap().to_owned();
    // Another disorder draws other bonds, which the first one's take the place of.
    let mut given = vec!["--disorder".to_owned(), "5".to_owned()];
    for bond in ["J.0", "J.1"] {
        let array = folder.path().join(format!("{bond}.npy")).to_str().unwrap().to_owned();
        assert!(squeeze(&["export", &name, "--field", bond, "--step", "0", "-o", &array]).status.success());
        given.extend(["--init".to_owned(), format!("{bond}={array}")]);
    }
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    assert_ne!(run("6", &given[..2])["digest"], whole["digest"]);
    assert_eq!(run("6", &given)["digest"], whole["digest"]);
    assert!(fail(2, &["export", &name, "--field", "J", "-o", &array]).contains("it has `J.0`, `J.1` and `up`"));
    // Nothing beyond an edge is a cell: said of a bond or of a state, by a flag or by the domain.
    let edged = file("edged.fractal", "domain edged { size (9, 9)  edge J = true }");
    for (domain, more) in [
        (edged.as_str(), &[][..]),
        ("sierpinski_carpet", &["--level", "2", "--edge", "J=true"][..]),
        ("sierpinski_carpet", &["--level", "2", "--edge", "J.0=true"][..]),
        ("sierpinski_carpet", &["--level", "2", "--edge", "up=true"][..]),
    ] {
        let told = fail(2, &[&["run", domain, "--rule", &rule, "--steps", "1"][..], more].concat());
        let place = more.last().map_or(":1:29: ".to_owned(), |edge| format!("--edge {edge}: "));
        assert!(told.contains(&place) && told.contains("has values of pairs"), "{told}");
        assert!(told.contains("leave the edge out"), "{told}");
    }
    // An axis that there is not.
    let deep = "rule deep { state a: bit  bond b over von_neumann = a && nb.a  clusters c of b  next a = spans(c, z) }";
    let told = fail(2, &["run", "full_square", "--rule", &file("deep.rule", deep), "--level", "2", "--steps", "1"]);
    assert!(told.contains("so it needs a 3-D fractal, and `full_square` is 2-D"), "{told}");
}

/// Vectors are the states and parameters of their components: saved, resumed, exported, given, shown, observed.
#[test]
fn vectors_are_kept_in_runs_as_their_components() {
    let (folder, path, name) = place();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let rule = "rule spins { param field: vec3 = vec3(0.0, 0.0, 0.1)  state s: vec3  init s = on_sphere()
        next s = { let pull = s + 0.1 * sum(von_neumann, nb.s) + field  pull / norm(pull) }
        observe all = mean(s)  observe size = norm(mean(s))  picture diverging(s.z) in -1.0..=1.0 }";
    let (spins, image) = (file("spins.rule"), file("spins.png"));
    fs::write(&spins, rule).unwrap();
    let start = ["run", "full_square", "--rule", &spins, "--level", "4", "--set", "field.x=0.5", "--steps"];
    let run = |more: &[&str]| json(&[&start[..], more].concat());
    let whole = run(&["6", "--image", &image]);
    assert_eq!(whole["params"]["field.x"], 0.5);
    run(&["2", "--out", &name, "--save-every", "1", "--observe-every", "1"]);
    assert_eq!(json(&["resume", &name, "--steps", "6"])["digest"], whole["digest"]);
    let rows = fs::read_to_string(path.join("observables.csv")).unwrap();
    assert!(rows.starts_with("step,all.x,all.y,all.z,size\n"), "{rows}");
    let mut given = vec!["4".to_owned()];
    for component in ["s.x", "s.y", "s.z"] {
        let array = file(&format!("{component}.npy"));
        assert!(squeeze(&["export", &name, "--field", component, "--step", "2", "-o", &array]).status.success());
        given.extend(["--init".to_owned(), format!("{component}={array}")]);
    }
    assert_eq!(run(&given.iter().map(String::as_str).collect::<Vec<_>>())["digest"], whole["digest"]);
    // The hue of its direction is the one way to draw a vector.
    let start = [&start[..], &["1", "--field", "s", "--image", &image]].concat();
    assert!(squeeze(&start).status.success());
    assert!(fail(2, &[&start[..], &["--colours", "grey"]].concat()).contains("s.x"));
}
