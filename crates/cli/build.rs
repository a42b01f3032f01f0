//! Tells the command which commit it is built of, when that is from, and which features it has. Nothing else is compiled anew for it, and without
//! git or a repository, as in a package, it knows less.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    println!("cargo::rerun-if-changed=build.rs");
    let (commit, mut date) = of_repository().or_else(of_package).unwrap_or_default();
    if let Some(epoch) = std::env::var("SOURCE_DATE_EPOCH").ok().filter(|epoch| epoch.parse::<u64>().is_ok()) {
        date = epoch;
    }
    let feature = |(name, _): (String, String)| Some(name.strip_prefix("CARGO_FEATURE_")?.to_lowercase());
    let mut features: Vec<String> = std::env::vars().filter_map(feature).filter(|name| name != "default").collect();
    features.sort_unstable();
    println!("cargo::rustc-env=SQUEEZE_COMMIT={commit}");
    println!("cargo::rustc-env=SQUEEZE_SECONDS={date}");
    println!("cargo::rustc-env=SQUEEZE_FEATURES={}", features.join(" "));
}

/// The output of git in this folder; `None` if it fails.
fn git(arguments: &[&str]) -> Option<String> {
    // A hook of git that builds says where another repository is.
    let mut command = Command::new("git");
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env("GIT_OPTIONAL_LOCKS", "0");
    let output = command.args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// The commit and its time, if this is the project's repository and not one that holds a copy of it.
fn of_repository() -> Option<(String, String)> {
    let place = git(&["rev-parse", "--show-prefix"])?;
    if place != "crates/cli/" || git(&["ls-files", "Cargo.toml"])?.is_empty() {
        return None;
    }
    let (hash, time) =
        git(&["log", "-1", "--format=%H %ct"])?.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned()))?;
    let is_changed = !git(&["status", "--porcelain", "--untracked-files=no", ":/"])?.is_empty();
    // A file that is not there would be looked for at each build.
    let watch = |path: &Path| path.exists().then(|| println!("cargo::rerun-if-changed={}", path.display()));
    let branch = git(&["symbolic-ref", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "logs/HEAD", "packed-refs", &branch] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            watch(Path::new(&path));
        }
    }
    for entry in std::fs::read_dir("..").ok()?.flatten() {
        watch(&entry.path().join("src"));
    }
    ["../../fractals", "../../rules", "../../Cargo.lock"].iter().for_each(|path| _ = watch(Path::new(path)));
    Some((short(&hash) + if is_changed { "+" } else { "" }, time))
}

/// The commit that a package was made of, as cargo wrote it down.
fn of_package() -> Option<(String, String)> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let hash = rest.split('"').nth(1)?;
    let is_changed = text.contains("\"dirty\": true");
    Some((short(hash) + if is_changed { "+" } else { "" }, String::new()))
}

/// As much of a hash as people compare.
fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}
