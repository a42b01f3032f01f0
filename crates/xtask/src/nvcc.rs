//! The compiler nvcc for the tests of programs in C++: wheels, unpacked in the target folder.

use crate::python::install;
use std::path::Path;
use std::process::{Command, Stdio};

/// The compiler, what it calls, and the headers and libraries of programs; of one major version with NVRTC.
const WHEELS: [&str; 6] = [
    "--no-deps",
    "nvidia-cuda-nvcc>=13,<14",
    "nvidia-nvvm>=13,<14",
    "nvidia-cuda-crt>=13,<14",
    "nvidia-cuda-runtime>=13,<14",
    "nvidia-cuda-cccl>=13,<14",
];

/// Fetches nvcc, unless it is there or its C++ compiler, which no wheel holds, is missing.
pub(crate) fn fetch(root: &Path) -> Result<(), String> {
    let folder = root.join("target/nvcc");
    let mark = folder.join("complete");
    if mark.exists() || runs("nvcc") {
        return Ok(());
    }
    if !runs("c++") {
        eprintln!("note: there is no C++ compiler, so no test compiles a CUDA program in C++");
        return Ok(());
    }
    install(&folder, &WHEELS)?;
    std::fs::write(&mark, "").map_err(|error| format!("cannot write {}: {error}", mark.display()))
}

fn runs(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}
