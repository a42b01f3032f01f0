//! Chromium for the tests of the page of `squeeze view`: Debian's package, with what it needs and this system lacks, unpacked in the target folder; and
//! axe-core, which judges whether a page is accessible, out of a wheel.

use super::commands::run;
use super::golly::unpack_packages;
use super::python::install;
use std::path::Path;
use std::process::Command;

/// A wheel that has axe-core in one file.
const AXE: [&str; 2] = ["--no-deps", "axe-playwright-python>=0.1.8,<0.2"];

/// Fetches both unless they are there, or Chromium is on the path. Needs a Debian for Chromium.
pub(crate) fn fetch(root: &Path) -> Result<(), String> {
    let axe = root.join("target/axe");
    if !axe.join("axe_playwright_python/axe.min.js").exists() {
        install(&axe, &AXE)?;
    }
    let folder = root.join("target/chromium");
    let mark = folder.join("complete");
    let is_installed = || Command::new("chromium").arg("--version").output().is_ok_and(|done| done.status.success());
    if mark.exists() || is_installed() {
        return Ok(());
    }
    if unpack(&folder).is_err() {
        // Lists of packages may be missing, or older than the packages.
        run(Command::new("apt-get").args(["--quiet=2", "update"]))?;
        unpack(&folder)?;
    }
    std::fs::write(&mark, "").map_err(|error| format!("cannot write {}: {error}", mark.display()))
}

/// Unpacks the packages that an installation would add.
fn unpack(folder: &Path) -> Result<(), String> {
    let words = ["--simulate", "--no-install-recommends", "install", "chromium"];
    let planned = Command::new("apt-get").args(words).output();
    let planned = planned.map_err(|error| format!("cannot run apt-get: {error}"))?;
    let text = String::from_utf8_lossy(&planned.stdout);
    let packages: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("Inst ")?.split_whitespace().next()).collect();
    match packages[..] {
        [] => Err("apt-get knows no package `chromium`".to_owned()),
        _ => unpack_packages(folder, &packages),
    }
}
