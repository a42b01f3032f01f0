//! `cargo xtask golden`: what the emitters print, and how it differs from what they printed.

use super::commands::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints texts; without names, the names of all.
pub(crate) fn print(names: &[String]) -> Result<(), String> {
    run(super::commands::cargo().args(GOLDEN).args(names))
}

/// Shows how texts, or all where none is named, differ from those in a folder or of a commit.
pub(crate) fn compare(root: &Path, names: &[String], against: &str) -> Result<(), String> {
    let place = root.join("target/golden");
    let now = place.join("now");
    save(&mut super::commands::cargo(), names, &now)?;
    let before = if Path::new(against).is_dir() { PathBuf::from(against) } else { of_commit(root, names, against)? };
    // Below both folders only what is named is looked at.
    let parts: Vec<PathBuf> = match names {
        [] => vec![PathBuf::new()],
        names => names.iter().flat_map(|name| ["cu", "rs"].map(|kind| format!("{name}.{kind}").into())).collect(),
    };
    let pairs = parts.iter().map(|part| (before.join(part), now.join(part))).filter(|(_, now)| now.exists());
    for (before, now) in pairs {
        let mut diff = Command::new("git");
        diff.args(["diff", "--no-index", "--stat", "--patch"]).arg(before).arg(now);
        // Git ends with 1 where there is a difference.
        let status = diff.status().map_err(|error| format!("cannot run git: {error}"))?;
        if !matches!(status.code(), Some(0 | 1)) {
            return Err(format!("git ended with {status}"));
        }
    }
    Ok(())
}

/// Writes texts, or all where none is named, to a folder.
pub(crate) fn save(cargo: &mut Command, names: &[String], folder: &Path) -> Result<(), String> {
    _ = std::fs::remove_dir_all(folder);
    run(cargo.args(GOLDEN).arg("--save").arg(folder).args(names))
}

/// The program that prints.
const GOLDEN: [&str; 7] = ["run", "--quiet", "--package", "squeeze-tests", "--bin", "golden", "--"];

/// Builds a commit beside this one, and has it print.
fn of_commit(root: &Path, names: &[String], commit: &str) -> Result<PathBuf, String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root).output();
        let output = output.map_err(|error| format!("cannot run git: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    };
    let commit = git(&["rev-parse", "--verify", "--short", &format!("{commit}^{{commit}}")])
        .map_err(|error| format!("`{commit}` is neither a folder nor a commit: {error}"))?;
    let folder = root.join("target/golden").join(&commit);
    let tree = root.join("target/golden").join(format!("tree-{commit}"));
    let path = tree.to_str().ok_or("the workspace's path is not UTF-8")?;
    // An interrupted run may have left its tree.
    _ = git(&["worktree", "remove", "--force", path]);
    git(&["worktree", "add", "--quiet", "--detach", path, &commit])?;
    let mut cargo = super::commands::cargo();
    cargo.current_dir(&tree).env("CARGO_TARGET_DIR", root.join("target"));
    let saved = save(&mut cargo, names, &folder);
    git(&["worktree", "remove", "--force", path])?;
    saved.map(|()| folder)
}
