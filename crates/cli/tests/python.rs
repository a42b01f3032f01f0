//! Files of runs, opened with Python's zarr, numpy and scipy, with VTK and with Pillow: packages that `cargo xtask test` fetches.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages; `None` where they cannot be had.
fn packages() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python");
    if folder.join("complete").exists() {
        return Some(folder);
    }
    let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!required, "no Python packages in target/python; `cargo xtask test` fetches them");
    eprintln!("note: no Python packages in target/python, so this test is skipped; `cargo xtask test` fetches them");
    None
}

fn squeeze(folder: &Path, arguments: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    let output = command.args(arguments.split(' ')).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

#[test]
fn python_finds_the_same_values() {
    let Some(packages) = packages() else { return };
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    // Two floats, bits, an enum, three dimensions.
    let flat = "run sierpinski_carpet --rule gray_scott --level 4 --steps 90 --seed 2 --quiet";
    squeeze(folder, &format!("{flat} --out flat --save-every 50 --image-every 30"));
    squeeze(folder, "run vicsek --rule life --level 4 --steps 10 --quiet --out bits");
    squeeze(folder, "run candy --rule greenberg_hastings --level 3 --steps 10 --quiet --out kinds");
    squeeze(folder, "run menger_sponge --rule heat --level 2 --steps 10 --quiet --out solid");
    squeeze(folder, "export flat --field v -o v.npy");
    for ending in ["npy", "vti", "png --zoom 8"] {
        squeeze(folder, &format!("export flat --field v --window 5,7,30,20 -o window.{ending}"));
    }
    squeeze(folder, "export solid -o solid.vti");
    squeeze(folder, "export flat -o cells.npz");
    squeeze(folder, "export flat -o flat.zarr");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check.py");
    let output = Command::new("python3").arg(script).arg(folder).env("PYTHONPATH", packages).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");

    let expected: Value = serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let gray_scott =
        "run sierpinski_carpet --rule gray_scott --level 3 --steps 0 --json --init u=u.npy --init v=v.zarr";
    let digests = &squeeze(folder, gray_scott)["digest"];
    assert_eq!((&digests["u"], &digests["v"]), (&expected["u"], &expected["v"]));
    let life = "run sierpinski_carpet --rule life --level 3 --steps 0 --json --init alive=alive.npy";
    assert_eq!(squeeze(folder, life)["digest"]["alive"], expected["alive"]);
}
