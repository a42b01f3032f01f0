//! Lists the folders of shipped fractals and rules for `src/shipped.rs`.
//!
//! The folders are symbolic links inside this crate to those at the top of the repository, so that `cargo package`,
//! which takes nothing from outside the crate, still finds the files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut code = String::new();
    let folders = [
        ("FRACTALS", "fractal", "fractals"),
        ("RULES", "rule", "rules"),
        ("ORDERED_RULES", "rule", "rules/ordered"),
        ("BOND_RULES", "rule", "rules/bonds"),
        ("VECTOR_RULES", "rule", "rules/vectors"),
    ];
    for (list, kind, folder) in folders {
        let folder = root.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        writeln!(code, "/// Name and text of every shipped {kind} of a folder, sorted by name.")
            .expect("a String takes all");
        writeln!(code, "pub const {list}: &[(&str, &str)] = &[").expect("a String takes all");
        for name in names(&folder, kind) {
            let path = folder.join(format!("{name}.{kind}"));
            writeln!(code, "    ({name:?}, include_str!({path:?})),").expect("a String takes all");
        }
        code.push_str("];\n");
    }
    fs::write(out.join("shipped.rs"), code).expect("OUT_DIR can be written");
}

/// The names of the files `NAME.kind` of a folder, sorted.
fn names(folder: &Path, kind: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    let mut names: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == kind))
        .map(|path| {
            let name = path.file_stem().and_then(|stem| stem.to_str());
            name.unwrap_or_else(|| panic!("{}: not a name", path.display())).to_owned()
        })
        .collect();
    names.sort_unstable();
    names
}
