//! NVRTC for the tests: the wheel `nvidia-cuda-nvrtc`, unpacked in the target folder.

use crate::python::install;
use std::path::Path;

/// Fetches NVRTC unless it is there. It works on machines with no GPU and no driver.
pub(crate) fn fetch(root: &Path) -> Result<(), String> {
    let folder = root.join("target/nvrtc");
    if folder.join("nvidia").exists() {
        return Ok(());
    }
    install(&folder, &["--no-deps", "nvidia-cuda-nvrtc>=13,<14"])
}
