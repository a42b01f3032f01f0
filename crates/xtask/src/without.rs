//! `cargo xtask without`: the project without a satellite, built and tested.
//!
//! A *satellite* is a crate that nothing depends on but the command and tests over the workspace, behind a feature of its name. All of it is the
//! folder in `crates`, the folder in `templates`, and lines of manifests that begin with its name. Code behind the feature in sources is left
//! out by it.
//!
//! A satellite also has a link to its folder in `templates`, an `impl Failure` for each of its errors, a default feature of its name in `crates/cli` and
//! `tests`, and a line in `crates/cli/src/satellites.rs`, beside which its arguments and commands stand. Its kernels run by the device kit of the engine.
//! Its commands' arguments name the arguments that they conflict with, and no argument of the core names them: clap refuses missing names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All satellites: the features of the command that bring a crate of their name.
pub(crate) fn satellites(root: &Path) -> Result<Vec<String>, String> {
    let manifest = super::lines::read(&root.join("crates/cli/Cargo.toml"))?;
    let features = manifest.lines().filter_map(|line| line.split_once(" = [\"dep:squeeze-"));
    let named = features.filter(|(name, rest)| rest.strip_suffix("\"]") == Some(name));
    Ok(named.map(|(name, _)| name.to_owned()).collect())
}

/// Takes each of these satellites out of a copy, or all, and builds and tests the rest.
///
/// # Errors
/// If there is no such satellite, or the rest fails without it.
pub(crate) fn without(root: &Path, names: &[String]) -> Result<(), String> {
    let all = satellites(root)?;
    if let Some(name) = names.iter().find(|name| !all.contains(name)) {
        return Err(format!("`{name}` is no satellite; these are: {}", all.join(", ")));
    }
    for name in all.iter().filter(|name| names.is_empty() || names.contains(name)) {
        let copy = root.join("target/without").join(name);
        copy_without(root, &copy, name)?;
        for arguments in
            [&["check", "--workspace", "--all-targets"][..], &["test", "--package", "squeeze-fractals-cli"]]
        {
            // Libraries of others are built already.
            let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args(arguments).arg("--offline").current_dir(&copy).env("CARGO_TARGET_DIR", root.join("target"));
            super::commands::run(&mut cargo).map_err(|error| format!("without {name}, {}: {error}", arguments[0]))?;
        }
    }
    Ok(())
}

/// Makes a folder what the project is without a satellite. Files that are the same stay as they are, so that little is built again.
fn copy_without(root: &Path, copy: &Path, name: &str) -> Result<(), String> {
    let told = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    let own = [format!("crates/{name}"), format!("templates/{name}")];
    let files: BTreeSet<PathBuf> =
        files(root)?.into_iter().filter(|file| !own.iter().any(|own| file.starts_with(own))).collect();
    fs::create_dir_all(copy).map_err(told(copy))?;
    let mut there = Vec::new();
    super::lines::gather(copy, &mut there)?;
    for path in there.iter().filter(|path| path.strip_prefix(copy).is_ok_and(|file| !files.contains(file))) {
        fs::remove_file(path).map_err(told(path))?;
    }
    for file in &files {
        let (from, to) = (root.join(file), copy.join(file));
        let folder = to.parent().expect("it lies in the copy");
        fs::create_dir_all(folder).map_err(told(folder))?;
        if let Ok(target) = fs::read_link(&from) {
            if fs::read_link(&to).ok().as_ref() != Some(&target) {
                std::os::unix::fs::symlink(&target, &to).map_err(told(&to))?;
            }
            continue;
        }
        let mut bytes = fs::read(&from).map_err(told(&from))?;
        if file.ends_with("Cargo.toml") {
            bytes = manifest_without(&String::from_utf8_lossy(&bytes), name).into_bytes();
        }
        if fs::read(&to).ok().as_ref() != Some(&bytes) {
            fs::write(&to, bytes).map_err(told(&to))?;
            let permissions = fs::metadata(&from).map_err(told(&from))?.permissions();
            fs::set_permissions(&to, permissions).map_err(told(&to))?;
        }
    }
    Ok(())
}

/// The files of the project: those that git knows or would know.
fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(arguments).current_dir(root).output();
    let output = output.map_err(|error| format!("cannot run git: {error}"))?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let files = names.split_terminator('\0').map(PathBuf::from);
    // Deleted files are listed by git until the deletion is committed.
    Ok(files.filter(|file| root.join(file).symlink_metadata().is_ok()).collect())
}

/// A manifest without the lines of a satellite: its path, crates that depend on it, its feature, and this among the default ones. Sources still name the
/// feature, which is no mistake there.
fn manifest_without(text: &str, name: &str) -> String {
    let of_it = |line: &&str| {
        let key = line.split(['.', ' ', '=']).next().unwrap_or_default();
        key == name || key.strip_prefix("squeeze-") == Some(name)
    };
    let (item, kept) = (format!("\"{name}\""), text.lines().filter(|line| !of_it(line)));
    let lines = kept.map(|line| match line.strip_prefix("default = [").and_then(|rest| rest.strip_suffix(']')) {
        Some(list) => {
            let others: Vec<&str> = list.split(", ").filter(|other| *other != item).collect();
            format!("default = [{}]\n", others.join(", "))
        }
        None if line == "[workspace.lints.rust]" => format!("{line}\nunexpected_cfgs = \"allow\"\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_satellite_are_taken_out_of_manifests() {
        let text = "[features]\ndefault = [\"other\", \"packing\"]\npacking = [\"dep:squeeze-packing\"]\nother = []\n\n[dependencies]\n\
                    squeeze-packing = { workspace = true, optional = true }\nsqueeze-packings.workspace = true\n";
        let wanted =
            "[features]\ndefault = [\"other\"]\nother = []\n\n[dependencies]\nsqueeze-packings.workspace = true\n";
        assert_eq!(manifest_without(text, "packing"), wanted);
        assert_eq!(manifest_without(wanted, "other").lines().nth(1), Some("default = []"));
    }

    #[test]
    fn satellites_are_features_of_the_command_and_crates_that_no_other_names() {
        let root = super::super::commands::root();
        let all = satellites(&root).unwrap();
        assert_eq!(all, ["overlap", "packing", "papers", "view"]);
        for name in all {
            assert!(root.join("crates").join(&name).is_dir(), "{name}");
            let dependency = format!("squeeze-{name}");
            for manifest in files(&root).unwrap().iter().filter(|file| file.ends_with("Cargo.toml")) {
                let text = fs::read_to_string(root.join(manifest)).unwrap();
                let place = manifest.parent().unwrap().to_str().unwrap();
                let may = ["", "crates/cli", "tests"].contains(&place)
                    || place == format!("crates/{name}")
                    || (place, &*name) == ("crates/python", "view");
                assert_eq!(text.contains(&dependency), may, "{}", manifest.display());
            }
        }
    }
}
