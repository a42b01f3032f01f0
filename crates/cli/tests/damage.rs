//! Damaged and hostile files, and files that are in the way: no data is lost, nothing hangs, and the exit code says whose fault it is.
#![cfg(unix)]

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// No answer may take longer, on any machine that runs tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the command in a folder, its arguments parted by spaces, with at most 2 GB of memory.
fn squeeze(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 4000000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_squeeze")]);
    command.args(arguments.split_whitespace()).current_dir(folder).env("RAYON_NUM_THREADS", "2");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{arguments}: no answer in {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().unwrap()
}

fn succeed(folder: &Path, arguments: &str) -> (Value, String) {
    let output = squeeze(folder, &format!("{arguments} --json"));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments}: {message}");
    (serde_json::from_slice(&output.stdout).unwrap(), message)
}

/// Checks that a command ends with this code and a message that holds this.
fn refuse(folder: &Path, code: i32, arguments: &str, word: &str) {
    let output = squeeze(folder, arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {message}");
    assert!(message.contains(word) && !message.contains("panicked"), "{arguments}: no {word:?} in\n{message}");
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn remove(path: &Path) {
    if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
}

fn manifest(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("manifest.json")).unwrap()).unwrap()
}

/// Takes a run's end away, as if it had been killed after its last state but one.
fn unfinish(run: &Path, last: u32) {
    let mut manifest = manifest(run);
    manifest["result"] = Value::Null;
    manifest.as_object_mut().unwrap().remove("crc32c");
    fs::write(run.join("manifest.json"), manifest.to_string()).unwrap();
    remove(&run.join(format!("states/{last}.zarr")));
}

const LIFE: &str = "run vicsek --rule life --level 4 --seed 4 --steps 40 --observe-every 5 --save-every 10";

fn place() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().to_owned();
    (place, folder)
}

#[test]
fn a_run_with_first_values_needs_no_row_of_them() {
    let (_place, folder) = place();
    succeed(&folder, "run vicsek --rule life --level 4 --seed 9 --steps 0 --out first");
    let whole = format!("{LIFE} --init alive=first/states/0.zarr --out");
    let (expected, _) = succeed(&folder, &format!("{whole} whole"));
    let rows = fs::read(folder.join("whole/observables.csv")).unwrap();
    // As if the run had been killed as soon as it was one.
    succeed(&folder, &format!("{whole} killed"));
    let run = folder.join("killed");
    unfinish(&run, 40);
    for time in [10, 20, 30] {
        remove(&run.join(format!("states/{time}.zarr")));
    }
    fs::write(run.join("observables.csv"), "step,population\n").unwrap();
    let (found, message) = succeed(&folder, "resume killed");
    assert_eq!(found["digest"], expected["digest"], "{message}");
    assert_eq!(fs::read(run.join("observables.csv")).unwrap(), rows, "{message}");
}

#[test]
fn states_are_worth_more_than_the_table() {
    let (_place, folder) = place();
    let (expected, _) = succeed(&folder, &format!("{LIFE} --out whole"));
    let run = folder.join("whole");
    let rows = fs::read_to_string(run.join("observables.csv")).unwrap();
    unfinish(&run, 40);
    let lost = rows.lines().filter(|line| !line.starts_with("15,")).map(|line| format!("{line}\n")).collect::<String>();
    fs::write(run.join("observables.csv"), &lost).unwrap();
    let (found, message) = succeed(&folder, "resume whole");
    assert_eq!(found["digest"], expected["digest"]);
    assert!(
        message.contains("the row of step 15 is computed again") && message.contains("resuming at step 30"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(run.join("observables.csv")).unwrap(), rows);

    // Without the table and its checksums.
    unfinish(&run, 40);
    remove(&run.join("observables.csv"));
    remove(&run.join("observables.crc"));
    let (found, message) = succeed(&folder, "resume whole");
    assert_eq!(found["digest"], expected["digest"]);
    assert!(
        message.contains("steps 0 to 25 are computed again") && message.contains("resuming at step 30"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(run.join("observables.csv")).unwrap(), rows);
    assert!(!beside(&run, 1).exists(), "nothing was there");

    // Rows are computed from the states before them. A run from values in files cannot begin again without its first state.
    let first = format!("{LIFE} --init alive=whole/states/0.zarr --out first");
    succeed(&folder, &first);
    let run = folder.join("first");
    fs::write(run.join("observables.csv"), rows.replace("5,", "5,7").replace("35,", "35,7")).unwrap();
    remove(&run.join("states/0.zarr"));
    remove(&run.join("states/20.zarr/alive/c/0"));
    let (found, message) = succeed(&folder, "resume first");
    assert_eq!(found["digest"], expected["digest"]);
    assert!(
        message.contains("the rows of steps 15, 25, 35 are computed again; the row of step 5 is lost"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(run.join("observables.csv")).unwrap(), lost_row(&rows, 5));
    // A row that is known to be lost is told once more, and the others are analysed.
    assert!(succeed(&folder, "resume first").1.contains("the row of step 5 is lost"));
    succeed(&folder, "analyse first");
}

/// A table without the row of a step.
fn lost_row(rows: &str, step: u32) -> String {
    let others = rows.lines().filter(|line| !line.starts_with(&format!("{step},")));
    others.map(|line| format!("{line}\n")).collect()
}

/// Where a table is kept that was damaged.
fn beside(run: &Path, number: u32) -> PathBuf {
    run.join(if number == 1 {
        "observables.damaged.csv".to_owned()
    } else {
        format!("observables.damaged-{number}.csv")
    })
}

/// Editors and version control change the ends of lines, put a mark before the first or take the last one away: the numbers stay.
#[test]
fn ends_of_lines_are_no_damage() {
    let (_place, folder) = place();
    succeed(&folder, &format!("{LIFE} --out run"));
    let run = folder.join("run");
    let file = |name: &str| run.join(name);
    let texts = ["observables.csv", "observables.crc", "manifest.json"];
    let before = texts.map(|name| fs::read_to_string(file(name)).unwrap());
    let (means, _) = succeed(&folder, "analyse run");
    let mut rows: Vec<&str> = before[0].lines().skip(1).collect();
    rows.reverse();
    let turned = format!("step,population\n{}\n", rows.join("\n"));
    type Change = fn(&str) -> String;
    let changes: [Change; 5] = [
        |text| text.replace('\n', "\r\n"),
        |text| text.replace('\n', "\r"),
        |text| format!("\u{feff}{text}"),
        |text| text.trim_end().to_owned(),
        |text| text.replace('\n', "\n\n"),
    ];
    for (number, change) in changes.iter().enumerate() {
        for (name, text) in texts.iter().zip(&before) {
            fs::write(file(name), change(text)).unwrap();
        }
        assert_eq!(succeed(&folder, "analyse run").0, means, "{number}");
        let (_, message) = succeed(&folder, "resume run --quiet");
        assert!(message.is_empty() && !beside(&run, 1).exists(), "{number}: {message}");
        assert_eq!(fs::read_to_string(file("observables.csv")).unwrap(), before[0], "{number}");
        assert_eq!(fs::read_to_string(file("observables.crc")).unwrap(), before[1], "{number}");
    }
    // Rows may stand in another order, and a head that is gone comes back.
    for text in [turned, before[0].replace("step,population\n", "")] {
        fs::write(file("observables.csv"), &text).unwrap();
        assert!(succeed(&folder, "resume run --quiet").1.is_empty(), "{text}");
        assert_eq!(fs::read_to_string(file("observables.csv")).unwrap(), before[0]);
    }
}

/// A damaged table is kept beside the one that is mended, and told, whether its rows can be computed again or are none.
#[test]
fn damaged_tables_are_kept_beside_those_that_are_computed_again() {
    let (_place, folder) = place();
    let (expected, _) = succeed(&folder, &format!("{LIFE} --out run"));
    let run = folder.join("run");
    let table = run.join("observables.csv");
    let rows = fs::read_to_string(&table).unwrap();
    let [of_10, of_25] = ["10,", "25,"].map(|begin| rows.lines().find(|line| line.starts_with(begin)).unwrap());
    let two = rows.replace(of_10, "10,1").replace(of_25, "25,");
    for (number, (damaged, told)) in (1..).zip([
        (rows.replace(of_10, "10,1"), "the row of step 10 is computed again"),
        (two.clone(), "the rows of steps 10, 25 are computed again"),
        (format!("{rows}# dear diary\n"), "it holds what the run did not write"),
        (rows.replace("population", "people"), "it holds what the run did not write"),
        (rows.replace("40,", "40,1"), "it holds what the run did not write"),
    ]) {
        fs::write(&table, &damaged).unwrap();
        if number != 3 {
            refuse(&folder, 1, "analyse run", "not as the run wrote it");
            refuse(&folder, 1, "plot run", "`squeeze resume run` computes it again");
        }
        let (found, message) = succeed(&folder, "resume run --quiet");
        assert_eq!(found["digest"], expected["digest"]);
        let name = beside(Path::new("run"), number);
        let kept = format!("what was there is kept in `{}`", name.display());
        assert!(message.contains(told) && message.contains(&kept), "{number}: {message}");
        assert_eq!(
            (fs::read_to_string(&table).unwrap(), fs::read_to_string(folder.join(name)).unwrap()),
            (rows.clone(), damaged)
        );
        assert!(succeed(&folder, "resume run --quiet").1.is_empty());
    }
    // The same is kept once.
    fs::write(&table, two).unwrap();
    succeed(&folder, "resume run");
    assert!(beside(&run, 5).exists() && !beside(&run, 6).exists());
    // A run that is extended mends damage in earlier rows too.
    fs::write(&table, rows.replace(of_10, "10,1")).unwrap();
    succeed(&folder, &format!("{} --out longer", LIFE.replace("--steps 40", "--steps 60")));
    succeed(&folder, "resume run --steps 60");
    assert_eq!(fs::read(&table).unwrap(), fs::read(folder.join("longer/observables.csv")).unwrap());
}

/// Rows that were written with checksums and have none are damaged.
#[test]
fn checksums_that_are_missing_are_missed() {
    let (_place, folder) = place();
    succeed(&folder, &format!("{LIFE} --out run"));
    let run = folder.join("run");
    let [rows, sums] = ["observables.csv", "observables.crc"].map(|name| fs::read_to_string(run.join(name)).unwrap());
    for (other, missing) in [(None, "0 to 35"), (Some(String::new()), "0 to 35"), (Some(lost_row(&sums, 20)), "20")] {
        fs::write(run.join("observables.csv"), rows.replace("20,", "20,1")).unwrap();
        match other {
            None => remove(&run.join("observables.crc")),
            Some(other) => fs::write(run.join("observables.crc"), other).unwrap(),
        }
        refuse(&folder, 1, "analyse run", "`run/observables.csv` is damaged");
        refuse(&folder, 1, "plot run", "`run/observables.csv` is damaged");
        let (_, message) = succeed(&folder, "resume run --quiet");
        assert!(message.contains(missing) && message.contains("computed again"), "{message}");
        for (name, text) in [("observables.csv", &rows), ("observables.crc", &sums)] {
            assert_eq!(fs::read_to_string(run.join(name)).unwrap(), *text);
        }
    }
    // A row that is gone, and its checksum is not.
    fs::write(run.join("observables.csv"), lost_row(&rows, 20)).unwrap();
    refuse(&folder, 1, "analyse run", "the row of step 20 is not as the run wrote it");
    // Of a run that has not come to its end, rows behind its last state may lack theirs, and are left out.
    fs::write(run.join("observables.csv"), &rows).unwrap();
    unfinish(&run, 40);
    fs::write(run.join("observables.crc"), lost_row(&lost_row(&sums, 35), 40)).unwrap();
    succeed(&folder, "analyse run");
    fs::write(run.join("observables.crc"), lost_row(&sums, 30)).unwrap();
    refuse(&folder, 1, "analyse run", "the row of step 30");
    // Folders of versions that knew no checksums know of no identity either.
    let mut old = manifest(&run);
    old.as_object_mut().unwrap().retain(|key, _| key != "id");
    fs::write(run.join("manifest.json"), old.to_string()).unwrap();
    remove(&run.join("observables.crc"));
    succeed(&folder, "analyse run");
}

#[test]
fn a_state_of_another_run_or_time_is_not_taken() {
    let (_place, folder) = place();
    let (expected, _) = succeed(&folder, &format!("{LIFE} --out a"));
    succeed(&folder, &format!("{LIFE} --seed 5 --out b").replace("--seed 4 ", ""));
    let states = |run: &str| folder.join(run).join("states");
    unfinish(&folder.join("a"), 40);
    fs::rename(states("b").join("40.zarr"), states("a").join("40.zarr")).unwrap();
    refuse(&folder, 1, "export a -o x.npy", "a state of another run");
    let (found, message) = succeed(&folder, "resume a");
    assert!(message.contains("a state of another run") && message.contains("resuming at step 30"), "{message}");
    assert_eq!(found["digest"], expected["digest"]);

    unfinish(&folder.join("a"), 40);
    fs::rename(states("a").join("20.zarr"), states("a").join("40.zarr")).unwrap();
    let (found, message) = succeed(&folder, "resume a");
    assert!(message.contains("it is the state of step 20"), "{message}");
    assert_eq!(found["digest"], expected["digest"]);

    // Folders that older versions wrote know of no identity.
    let mut old = manifest(&folder.join("a"));
    old.as_object_mut().unwrap().retain(|key, _| key != "id" && key != "crc32c");
    fs::write(folder.join("a/manifest.json"), old.to_string()).unwrap();
    for time in [0, 10, 30, 40] {
        let group = states("a").join(format!("{time}.zarr/zarr.json"));
        let mut about: Value = serde_json::from_slice(&fs::read(&group).unwrap()).unwrap();
        assert_eq!(
            about["attributes"]["squeeze"].as_object_mut().unwrap().remove("run").unwrap().as_str().unwrap().len(),
            32
        );
        fs::write(&group, about.to_string()).unwrap();
    }
    unfinish(&folder.join("a"), 40);
    let (found, message) = succeed(&folder, "resume a");
    assert!(message.contains("resuming at step 30"), "{message}");
    assert_eq!(found["digest"], expected["digest"]);
    assert_eq!(manifest(&folder.join("a"))["id"].as_str().unwrap().len(), 32);
}

#[test]
fn the_lock_is_not_emptied_and_no_link_in_a_run_is_written_to() {
    let (_place, folder) = place();
    fs::write(folder.join("precious"), "precious\n").unwrap();
    fs::create_dir(folder.join("run")).unwrap();
    symlink("../precious", folder.join("run/.squeeze-lock")).unwrap();
    refuse(&folder, 2, &format!("{LIFE} --out run"), "symbolic link");
    remove(&folder.join("run"));
    succeed(&folder, &format!("{LIFE} --out run"));
    unfinish(&folder.join("run"), 40);
    let file = |name: &str| folder.join("run").join(name);
    for name in ["observables.csv", "observables.crc", "animation.gif"] {
        _ = fs::remove_file(file(name));
        symlink("../precious", file(name)).unwrap();
        refuse(&folder, 2, "resume run", &format!("`run/{name}` cannot be written to: it is a symbolic link"));
        remove(&file(name));
    }
    succeed(&folder, "resume run");
    remove(&file(".squeeze-lock"));
    pipe(&file(".squeeze-lock"));
    refuse(&folder, 2, "resume run", "not a regular file");
    remove(&file(".squeeze-lock"));
    fs::rename(file("states"), folder.join("states")).unwrap();
    symlink("../states", file("states")).unwrap();
    refuse(&folder, 2, "resume run", "symbolic link");
    fs::rename(file("manifest.json"), folder.join("manifest")).unwrap();
    symlink("../manifest", file("manifest.json")).unwrap();
    refuse(&folder, 2, "resume run", "symbolic link");
    assert_eq!(fs::read(folder.join("precious")).unwrap(), b"precious\n");
}

/// Of every change of a byte of a manifest or a table either a message comes, or the same result.
#[test]
fn no_change_of_a_manifest_or_a_table_changes_the_result() {
    let (_place, folder) = place();
    let (expected, _) = succeed(&folder, &format!("{LIFE} --out run"));
    let run = folder.join("run");
    let rows = fs::read_to_string(run.join("observables.csv")).unwrap();
    let text = fs::read_to_string(run.join("manifest.json")).unwrap();
    // Numbers and names that a resume goes by.
    let changes = [
        ("\"seed\": 4", "\"seed\": 5"),
        ("\"steps\": 40", "\"steps\": 41"),
        ("\"level\": 4", "\"level\": 3"),
        ("\"observe_every\": 5", "\"observe_every\": 4"),
        ("n in 2..=3", "n in 2..=4"),
        (".#.", "##."),
        ("\"result\"", "\"resolt\""),
    ];
    for (from, to) in changes {
        assert!(text.contains(from), "no {from} in {text}");
        fs::write(run.join("manifest.json"), text.replacen(from, to, 1)).unwrap();
        refuse(&folder, 1, "resume run", "its checksum is wrong");
    }
    // Another layout says the same.
    let mut other: Value = serde_json::from_str(&text).unwrap();
    fs::write(run.join("manifest.json"), other.to_string()).unwrap();
    assert_eq!(succeed(&folder, "resume run").0["digest"], expected["digest"]);
    // Without a checksum it is one of an older version.
    other.as_object_mut().unwrap().remove("crc32c");
    other["rule"]["texts"][0]["text"] = json!("rule life {");
    fs::write(run.join("manifest.json"), other.to_string()).unwrap();
    refuse(&folder, 1, "resume run", "the texts that the run recorded have errors");
    fs::write(run.join("manifest.json"), &text).unwrap();

    let row = rows.lines().nth(3).unwrap();
    assert!(row.starts_with("10,"));
    for changed in [format!("{row}1"), row.replace("10,", "10,1"), row.replace("10,", "1,"), "10,nan".to_owned()] {
        fs::write(run.join("observables.csv"), rows.replace(row, &changed)).unwrap();
        let (found, message) = succeed(&folder, "resume run");
        assert_eq!(found["digest"], expected["digest"]);
        assert!(message.contains("the row of step 10 is computed again"), "{changed}: {message}");
        assert_eq!(fs::read_to_string(run.join("observables.csv")).unwrap(), rows);
    }
}

#[test]
fn first_values_that_are_damaged_or_hostile_are_refused_at_once() {
    let (_place, folder) = place();
    let tiny = |ending: &str| format!("run full_square --rule life --level 2 --steps 1 --init alive=bad{ending}");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();

    let npy = |header: &str| {
        [b"\x93NUMPY\x01\0".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat()
    };
    write("bad.npy", &npy(&format!("{{'descr': {}{}", "[".repeat(26), "]".repeat(26))));
    refuse(&folder, 2, &tiny(".npy"), "expected a string");
    write("bad.npy", &npy(&format!("{{'descr': {}", "(".repeat(8000))));
    refuse(&folder, 2, &tiny(".npy"), "expected a string");
    write("bad.npy", b"\x93NUMPY\x02\0\xff\xff\xff\xff{}");
    refuse(&folder, 2, &tiny(".npy"), "4294967295 bytes");
    write("bad.npy", &npy("{'descr': '|u1', 'fortran_order': False, 'shape': (16,)}"));
    refuse(&folder, 2, &tiny(".npy"), "ends before its last value");
    remove(&folder.join("bad.npy"));
    symlink("/dev/zero", folder.join("bad.npy")).unwrap();
    refuse(&folder, 2, &tiny(".npy"), "not a regular file");

    // A PNG of 40 000 × 40 000 pixels that holds none.
    let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x9c\x40\0\0\x9c\x40\x08\x06\0\0\0\0\0\0\0";
    write("bad.png", head);
    refuse(&folder, 2, &tiny(".png"), "40000 × 40000");
    write("bad.rle", b"x = 4, y = 4\n268435455o!\n");
    refuse(&folder, 2, &tiny(".rle"), "268435455 × 1");
    pipe(&folder.join("bad.pipe.rle"));
    refuse(&folder, 2, &tiny(".pipe.rle"), "not a regular file");
}

#[test]
fn a_store_of_others_may_hold_anything() {
    let (_place, folder) = place();
    let heat = "run full_square --rule heat --level 2 --steps 1 --init u=store";
    let store = folder.join("store");
    let metadata = |chunk: Value| {
        json!({
            "zarr_format": 3, "node_type": "array", "shape": [16], "data_type": "float32", "fill_value": 0.0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        })
    };
    let write = |metadata: &Value| {
        _ = fs::remove_dir_all(&store);
        fs::create_dir_all(store.join("c")).unwrap();
        fs::write(store.join("zarr.json"), metadata.to_string()).unwrap();
    };
    write(&metadata(json!([8])));
    fs::write(store.join("c/0"), 1f32.to_le_bytes().repeat(8)).unwrap();
    let (found, _) = succeed(&folder, heat);
    // A chunk larger than the array holds the same.
    write(&metadata(json!([1000])));
    let long: Vec<u8> = (0..1000).flat_map(|i| if i < 8 { 1f32.to_le_bytes() } else { [0; 4] }).collect();
    fs::write(store.join("c/0"), &long).unwrap();
    assert_eq!(succeed(&folder, heat).0["digest"], found["digest"]);
    write(&metadata(json!([2_000_000_000u64])));
    refuse(&folder, 2, heat, "8000000000 bytes");

    for kind in ["pipe", "device", "long"] {
        write(&metadata(json!([16])));
        let chunk = store.join("c/0");
        match kind {
            "pipe" => pipe(&chunk),
            "device" => symlink("/dev/zero", &chunk).unwrap(),
            _ => fs::File::create(&chunk).unwrap().set_len(1 << 33).unwrap(),
        }
        let word = match kind {
            "long" => "too long",
            _ => "not a regular file",
        };
        refuse(&folder, 2, heat, word);
        remove(&chunk);
    }
    // As archives keep it.
    fs::write(folder.join("chunk"), &long[..64]).unwrap();
    symlink("../../chunk", store.join("c/0")).unwrap();
    assert_eq!(succeed(&folder, heat).0["digest"], found["digest"]);
}

/// The same damage has the same exit code, whether values are bits or numbers.
#[test]
fn a_damaged_chunk_of_first_values_is_the_users_and_one_of_a_run_is_not() {
    let (_place, folder) = place();
    for (rule, state) in [("life", "alive"), ("heat", "u")] {
        let run = format!("run vicsek --rule {rule} --level 3 --steps 2 --out {rule}");
        succeed(&folder, &run);
        let chunk = folder.join(rule).join(format!("states/2.zarr/{state}/c/0"));
        let mut bytes = fs::read(&chunk).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&chunk, bytes).unwrap();
        let init = format!("run vicsek --rule {rule} --level 3 --steps 0 --init {state}={rule}/states/2.zarr");
        refuse(&folder, 2, &init, "checksum");
        refuse(&folder, 1, &format!("export {rule} -o x.npy"), "checksum");
    }
}

#[test]
fn a_state_whose_name_no_file_can_have_is_refused_before_the_run() {
    let (_place, folder) = place();
    let rule = |letters: usize| {
        let name = "s".repeat(letters);
        fs::write(folder.join("long.rule"), format!("rule long {{ state {name}: bit  next {name} = !{name} }}\n"))
            .unwrap();
    };
    rule(255);
    succeed(&folder, "run vicsek --rule long.rule --level 1 --steps 1 --out run");
    rule(256);
    refuse(&folder, 2, "check long.rule", "at most 255");
    refuse(&folder, 2, "run vicsek --rule long.rule --level 1 --steps 1 --out other", "at most 255");
}

/// An export that is killed leaves nothing, whenever that happens.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_export_leaves_nothing() {
    let (_place, folder) = place();
    succeed(&folder, "run sierpinski_triangle --rule heat --level 12 --steps 1 --out run");
    fs::create_dir(folder.join("to")).unwrap();
    fs::write(folder.join("to/x.npy"), "before").unwrap();
    // Before the complete file takes the place of another one it has a name of its own for an instant.
    let mut between = Vec::new();
    for instant in 0..20 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        command.args(["export", "run", "-o", "to/x.npy"]).current_dir(&folder);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 * instant));
        child.kill().unwrap();
        child.wait().unwrap();
        for entry in fs::read_dir(folder.join("to")).unwrap().map(Result::unwrap) {
            if entry.file_name() != "x.npy" {
                between.push((3 * instant, entry.metadata().unwrap().len()));
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    let done = command.args(["export", "run", "-o", "to/x.npy"]).current_dir(&folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let complete = fs::metadata(folder.join("to/x.npy")).unwrap().len();
    assert!(between.len() <= 2 && between.iter().all(|(_, bytes)| *bytes == complete), "{complete} bytes: {between:?}");
}

/// A limit of the length of files acts like a full disk: it is reported, and files written before stay.
#[test]
fn files_that_may_not_grow_end_a_run_as_a_full_disk_does() {
    let (_place, folder) = place();
    let life = "run sierpinski_triangle -r life -l 9 -n 40 --observe-every 1 --save-every 10 --out";
    let (expected, _) = succeed(&folder, &format!("{life} whole"));
    // In blocks of 512 bytes: neither a manifest, nor a table of 40 rows, nor a picture, nor a table of a sweep.
    let limited = |blocks: u32, arguments: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_squeeze")]);
        let output = command.args(arguments.split(' ')).current_dir(&folder).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {message}");
        assert!(message.contains("cannot write `") && message.contains("File too large"), "{arguments}: {message}");
        message
    };
    limited(1, &format!("{life} none"));
    limited(1, "render sierpinski_triangle -l 9 -o x.png");
    limited(0, "emit vicsek -r heat -l 2 --target cuda -o x.cu");
    limited(1, "sweep vicsek -r ising -l 2 -n 90 --observe-every 1 --seeds 0..3 --out s");
    assert!(!folder.join("x.png").exists() && !folder.join("x.cu").exists());
    // The states are of 19 683 bits.
    succeed(&folder, &format!("{} most", life.replace("-n 40", "-n 20")));
    let kept = fs::read(folder.join("most/observables.csv")).unwrap();
    let told = limited(4, "resume most --steps 40");
    assert!(
        fs::read(folder.join("most/observables.csv")).unwrap().starts_with(&kept)
            && folder.join("most/states/20.zarr").exists(),
        "{told}"
    );
    assert_eq!(succeed(&folder, "resume most --steps 40").0["digest"], expected["digest"]);
    assert_eq!(
        fs::read(folder.join("most/observables.csv")).unwrap(),
        fs::read(folder.join("whole/observables.csv")).unwrap()
    );
}

/// A user whose limits allow no thread has not made a mistake.
#[test]
fn threads_that_cannot_be_had_are_not_the_users_mistake() {
    let (_place, folder) = place();
    // As a user of whom there is a process already; root has no limit.
    let prepared = Command::new("chmod").args(["-R", "a+rwX"]).arg(&folder).status();
    assert!(prepared.unwrap().success());
    let limited = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "12345", "--clear-groups", "prlimit", "--nproc=1"]).args(arguments);
        command.current_dir(&folder).output()
    };
    if !limited(&["true"]).is_ok_and(|output| output.status.success()) {
        return println!("SKIPPED: nobody else can be asked to run it here");
    }
    let squeeze = env!("CARGO_BIN_EXE_squeeze");
    for arguments in
        ["run vicsek --rule life --level 2 --steps 1", "run vicsek --rule life --level 2 --steps 1 --out run"]
    {
        let all: Vec<&str> = [squeeze].into_iter().chain(arguments.split(' ')).collect();
        let output = limited(&all).unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        if message.contains("failed to execute") {
            return println!("SKIPPED: the program lies where others may not run it");
        }
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("thread") && !message.contains("panicked"), "{message}");
    }
}

#[test]
fn pictures_after_a_resume_are_those_of_a_run_that_went_on() {
    let (_place, folder) = place();
    fs::write(folder.join("u.npy"), npy_of_cells()).unwrap();
    for init in ["", " --init u=u.npy"] {
        let run = format!("run vicsek --rule heat --level 2 --image-every 10 --save-every 20 --quiet{init}");
        for name in ["whole", "parts"] {
            _ = fs::remove_dir_all(folder.join(name));
        }
        succeed(&folder, &format!("{run} --steps 60 --out whole"));
        succeed(&folder, &format!("{run} --steps 0 --out parts"));
        for steps in [20, 60] {
            succeed(&folder, &format!("resume parts --steps {steps} --quiet"));
        }
        let names = fs::read_dir(folder.join("whole/images")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| format!("images/{}", name.to_str().unwrap())).collect();
        names.push("animation.gif".to_owned());
        for name in names {
            let read = |run: &str| fs::read(folder.join(run).join(&name)).unwrap();
            assert!(read("whole") == read("parts"), "{name}{init}");
        }
    }
}

/// A value for each of the 25 cells of a small fractal.
fn npy_of_cells() -> Vec<u8> {
    let head = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (25,), }");
    let values = (0..25).flat_map(|v| (v as f32 * 3.0).to_le_bytes());
    b"\x93NUMPY\x01\0\x76\0".iter().copied().chain(head.bytes()).chain(values).collect()
}
