//! Golly for the tests: `bgolly` of Debian's package, unpacked in the target folder.

use super::commands::run;
use std::path::Path;
use std::process::Command;

/// Fetches it unless it is there. Needs a Debian whose package lists are known.
pub(crate) fn fetch(root: &Path) -> Result<(), String> {
    let folder = root.join("target/golly");
    if folder.join("usr/bin/bgolly").exists() {
        return Ok(());
    }
    unpack_packages(&folder, &["golly"])
}

/// Downloads packages of Debian and unpacks them in a folder.
pub(crate) fn unpack_packages(folder: &Path, packages: &[&str]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    run(Command::new("apt-get").args(["--quiet=2", "download"]).args(packages).current_dir(folder))?;
    let files = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let files = files.flatten().map(|entry| entry.path());
    for package in files.filter(|path| path.extension().is_some_and(|ending| ending == "deb")) {
        run(Command::new("dpkg-deb").arg("--extract").args([&package, folder]))?;
        std::fs::remove_file(&package).map_err(|error| format!("cannot remove {}: {error}", package.display()))?;
    }
    Ok(())
}
