//! The errors of the macros, word for word and place for place: each file of `wrong/` has one beside it with the output of
//! rustc. `SQUEEZE_UPDATE=1 cargo test --workspace --test wrong` writes those anew; read the difference.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The macros as they were built for this test: the newest of their libraries beside it.
fn macros() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().expect("it lies in a folder").to_owned();
    let prefix = format!("{DLL_PREFIX}squeeze_macros-");
    let is_macros = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(&prefix) && name.ends_with(DLL_SUFFIX)
    };
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_macros);
    files.max_by_key(|path| path.metadata().unwrap().modified().unwrap()).expect("the macros are built")
}

/// The output of rustc for a file, without its last lines, which count errors.
fn said(macros: &Path, file: &Path) -> String {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc.args([
        "--edition",
        "2024",
        "--color",
        "never",
        "--emit",
        "metadata",
        "--out-dir",
        env!("CARGO_TARGET_TMPDIR"),
    ]);
    rustc.arg("--extern").arg(format!("squeeze_macros={}", macros.display())).arg(file);
    let output = rustc.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(!output.status.success(), "{} compiles", file.display());
    let text = String::from_utf8(output.stderr).unwrap();
    let errors = text.split("error: aborting due to").next().expect("there is a first part");
    format!("{}\n", errors.trim_end())
}

#[test]
fn mistakes_are_reported_at_their_tokens() {
    let macros = macros();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir("tests/wrong").unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    assert!(files.len() >= 27, "{} files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let (said, wanted) = (said(&macros, &file), file.with_extension("stderr"));
        if std::env::var_os("SQUEEZE_UPDATE").is_some() {
            std::fs::write(&wanted, &said).unwrap();
        } else if std::fs::read_to_string(&wanted).ok().as_deref() != Some(&said) {
            wrong.push(format!("{}:\n{said}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "not what the files beside them say:\n{}", wrong.join("\n"));
}
