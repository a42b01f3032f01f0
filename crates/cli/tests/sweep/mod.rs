//! Sweeps as a user calls them, and the tables that they leave.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub(crate) fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn squeeze(folder: &Path, arguments: &str) -> Output {
    command(arguments).current_dir(folder).output().expect("the command starts")
}

/// Standard output of a command that must succeed.
pub(crate) fn succeed(folder: &Path, arguments: &str) -> String {
    let output = squeeze(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a command whose input must be refused.
pub(crate) fn refuse(folder: &Path, arguments: &str) -> String {
    let output = squeeze(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments}: {errors}");
    assert!(output.stdout.is_empty() && !errors.contains("panicked"), "{errors}");
    errors
}

const TABLES: [&str; 5] = ["members.csv", "observables.csv", "summary.csv", "ends.csv", "times.csv"];

pub(crate) fn tables(folder: &Path, name: &str) -> [String; 5] {
    TABLES.map(|table| fs::read_to_string(folder.join(name).join(table)).unwrap())
}

pub(crate) const SWEEP: &str = "sweep sierpinski_carpet --rule ising --level 2 --steps 60 --observe-every 20 --seeds 3..=5 --set beta=0.40..=0.44/0.04";

/// Changes a manifest, which has no checksum then, as those of older versions.
pub(crate) fn change(folder: &Path, change: impl FnOnce(&mut Value)) {
    let path = folder.join("manifest.json");
    let mut json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    json.as_object_mut().unwrap().remove("crc32c");
    change(&mut json);
    fs::write(path, json.to_string()).unwrap();
}
