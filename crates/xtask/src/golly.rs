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
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    run(Command::new("apt-get").args(["--quiet=2", "download", "golly"]).current_dir(&folder))?;
    let packages = std::fs::read_dir(&folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let package =
        packages.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "deb"));
    let package = package.ok_or("apt-get has downloaded nothing")?;
    run(Command::new("dpkg-deb").arg("--extract").arg(package).arg(&folder))
}
