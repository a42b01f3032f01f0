//! NVRTC for the tests: the wheel `nvidia-cuda-nvrtc`, unpacked in the target folder.

use std::path::Path;
use std::process::Command;

/// Fetches NVRTC unless it is there. It works on machines with no GPU and no driver.
pub fn fetch(root: &Path) -> Result<(), String> {
    let folder = root.join("target/nvrtc");
    if folder.join("nvidia").exists() {
        return Ok(());
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:", "--target"]);
    match pip.arg(&folder).arg("nvidia-cuda-nvrtc>=13,<14").status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("pip ended with {status}")),
        Err(error) => Err(format!("cannot run python3: {error}")),
    }
}
