//! Where batch systems, workflows and other people's readers meet a run: its folder, its manifest, its tables, and what a kill costs.
#![cfg(unix)]

mod command;

use command::{refuse, squeeze, succeed};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
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

/// Moves every file of a folder into a store beside it that is not writable, and puts links in their places, as git-annex and DVC do.
fn archive(folder: &Path, store: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            archive(&entry.path(), store);
        } else {
            let kept = store.join(fs::read_dir(store).unwrap().count().to_string());
            fs::rename(entry.path(), &kept).unwrap();
            fs::set_permissions(&kept, fs::Permissions::from_mode(0o444)).unwrap();
            std::os::unix::fs::symlink(&kept, entry.path()).unwrap();
        }
    }
}

#[test]
fn archives_are_read_through_their_links_and_not_written_to() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let run = [&HEAT[..], &["-n", "20", "--observe-every", "5", "--quiet", "--out", "run"]].concat();
    succeed(folder, &run);
    let sweep = ["sweep", "vicsek", "-r", "ising", "-l", "2", "-n", "5", "--seeds", "0..3", "--set", "beta=0.3,0.4"];
    for (part, out) in [("1/2", "a"), ("2/2", "b")] {
        succeed(folder, &[&sweep[..], &["--quiet", "--shard", part, "-o", out]].concat());
    }
    fs::create_dir(folder.join("store")).unwrap();
    for name in ["run", "b"] {
        archive(&folder.join(name), &folder.join("store"));
    }
    let reads = [
        "export run -o u.npy",
        "plot run -o u.svg",
        "plot b -o b.svg",
        "analyse run",
        "info vicsek -l 3 -r heat",
        "run vicsek -r heat -l 3 -n 0 --init u=run/states/20.zarr",
        "run vicsek -r heat -l 3 -n 0 --init u=run/states/20.zarr/u",
    ];
    for line in reads {
        succeed(folder, &line.split(' ').collect::<Vec<_>>());
    }
    for (arguments, name) in [(vec!["resume", "run"], "run"), (vec!["merge", "b", "a"], "b")] {
        let message = refuse(folder, &arguments);
        assert!(message.contains(&format!("`{name}/")) && message.contains("it is a symbolic link"), "{message}");
        for way in ["git annex unlock", "datalad unlock", "dvc unprotect"] {
            assert!(message.contains(way), "{message}");
        }
    }
    let kept = folder.join("store/kept");
    fs::write(&kept, "").unwrap();
    fs::set_permissions(&kept, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    std::os::unix::fs::symlink("store/kept", folder.join("kept.svg")).unwrap();
    assert!(refuse(folder, &["plot", "run", "-o", "kept.svg"]).contains("`kept.svg` cannot be written to"));
    // A part that is only read may lie in an archive.
    succeed(folder, &["merge", "a", "b", "--quiet"]);
    fs::remove_dir_all(folder.join("store")).unwrap();
    assert!(refuse(folder, &["plot", "run"]).contains("git annex get"));
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
    for (file, keys) in [("manifest.json", &["crc32c", "id"][..]), ("states/10.zarr/zarr.json", &["attributes"])] {
        let path = folder.join("old").join(file);
        let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        json.as_object_mut().unwrap().retain(|key, _| !keys.contains(&key.as_str()));
        fs::write(&path, json.to_string()).unwrap();
    }
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

#[test]
fn what_is_shown_is_a_rule_and_names_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    for (name, file) in [("heat", "my.rule"), ("vicsek", "my.fractal")] {
        fs::write(folder.join(file), succeed(folder, &["show", name])).unwrap();
    }
    let digest = |arguments: &[&str]| {
        let run = [&["run", "-l", "3", "-n", "9", "--json", "--quiet"], arguments].concat();
        serde_json::from_str::<Value>(&succeed(folder, &run)).unwrap()["digest"].clone()
    };
    assert_eq!(digest(&["my.fractal", "-r", "my.rule"]), digest(&["vicsek", "-r", "heat"]));

    let strange = folder.join(OsStr::from_bytes(b"\xffrun"));
    let call = |arguments: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        let output = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let run = [&HEAT[..], &["-n", "9", "--observe-every", "3", "--quiet", "-o"]].concat();
    fn words<'a>(words: &[&'a str]) -> Vec<&'a OsStr> {
        words.iter().map(|word| OsStr::new(*word)).collect()
    }
    call(&[&words(&run)[..], &[strange.as_os_str()]].concat());
    call(&[OsStr::new("plot"), strange.as_os_str()]);
    assert!(strange.join("observables.svg").exists());
    let state = [b"u=".as_slice(), strange.join("states/9.zarr").as_os_str().as_bytes()].concat();
    let again = [&HEAT[..], &["-n", "0", "--quiet", "-o", "again", "--init"]].concat();
    call(&[&words(&again)[..], &[OsStr::from_bytes(&state)]].concat());
    let digest = |run: &Path| json(&run.join("manifest.json"))["result"]["digest"].clone();
    assert_eq!(digest(&strange), digest(&folder.join("again")));
    let manifest = json(&folder.join("again/manifest.json"));
    assert!(manifest["init"][0].as_str().unwrap().ends_with("\\xffrun/states/9.zarr"), "{manifest}");
}

/// A command of the shell that limits addresses to `kilobytes` kilobytes and runs the program.
fn within(folder: &Path, kilobytes: u32, arguments: &str) -> (Option<i32>, String) {
    let line = format!("ulimit -v {kilobytes}; exec \"$0\" {arguments}");
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &line, env!("CARGO_BIN_EXE_squeeze")]).current_dir(folder).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

/// `h_vmem` of SGE and `ulimit -v` limit addresses, of which threads and stacks reserve more than they use.
#[test]
fn addresses_may_be_limited() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("m.fractal"), "domain m { size (300, 300) cells random(0.6) keep largest(von_neumann) }\n")
        .unwrap();
    for kilobytes in [150_000, 250_000, 350_000, 600_000] {
        for (arguments, text) in [
            ("check life", "life.rule: ok"),
            ("run vicsek -r heat -l 6 -n 2 --quiet --json", "\"digest\""),
            ("run m.fractal -r life -n 2 --quiet --json", "\"digest\""),
            ("run vicsek -r heat -l 6 -n 2 --quiet --json --threads 64", "\"digest\""),
        ] {
            let (code, said) = within(folder, kilobytes, arguments);
            assert!(code == Some(0) && said.contains(text), "{kilobytes} kB, {arguments}: {code:?} {said}");
        }
        let (code, said) = within(folder, kilobytes, "run vicsek -r heat -l 12 -n 1");
        assert!(
            code == Some(2) && said.contains("is available") && said.contains("the largest level"),
            "{code:?} {said}"
        );
    }
}

/// systemd's `MemoryDenyWriteExecute=` and SELinux let no memory be executed that was written.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn compiled_kernels_may_be_forbidden() {
    use std::os::unix::process::CommandExt;
    let forbidden = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        let [operation, policy] = [libc::PR_SET_MDWE, libc::PR_MDWE_REFUSE_EXEC_GAIN as libc::c_int];
        // SAFETY: its arguments are numbers.
        let forbid = move || match unsafe { libc::prctl(operation, policy as libc::c_ulong, 0, 0, 0) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        };
        // SAFETY: between fork and exec it makes one call of the system.
        let output = unsafe { command.args(arguments).pre_exec(forbid) }.output();
        output.map(|output| (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap()))
    };
    let Ok((code, said)) = forbidden(&["doctor"]) else {
        eprintln!("not tested: this kernel cannot forbid it");
        return;
    };
    assert!(code == Some(0) && said.contains("cannot") && said.contains("MemoryDenyWriteExecute="), "{said}");
    assert!(said.contains("  reference can run; ") || said.contains("  reference and cuda can run; "), "{said}");
    let run = ["run", "vicsek", "-r", "heat", "-l", "3", "-n", "1"];
    let (code, said) = forbidden(&run).unwrap();
    assert!(
        code == Some(1) && said.contains("MemoryDenyWriteExecute=") && said.contains("`--backend reference`"),
        "{said}"
    );
    let (code, said) = forbidden(&[&run[..], &["--backend", "reference"]].concat()).unwrap();
    assert_eq!(code, Some(0), "{said}");
}
