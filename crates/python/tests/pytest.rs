//! The package's tests, which are Python's, with the module as it was built for this program. They need packages that `cargo xtask test` fetches.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with pytest; `None` where it or a Python of 3.11 or newer cannot be had.
fn packages(root: &Path) -> Option<PathBuf> {
    let folder = root.join("target/python");
    let mut python = Command::new("python3");
    python.args(["-c", "import sys, pytest; sys.exit(sys.version_info < (3, 11))"]).env("PYTHONPATH", &folder);
    if folder.join("complete").exists() && python.output().is_ok_and(|output| output.status.success()) {
        return Some(folder);
    }
    let told = "no Python of 3.11 or newer with the packages of target/python, which `cargo xtask test` fetches";
    assert!(!std::env::var("CI").is_ok_and(|ci| ci == "true"), "{told}");
    eprintln!("note: {told}, so this test is skipped");
    None
}

/// Runs the tests of a file in `python/tests`, with more arguments of pytest; in `dev` mode Python looks for mistakes with memory, files and threads.
fn pytest(name: &str, more: &[&str], dev: bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let Some(packages) = packages(root) else { return };
    // The package with what was built beside this program, and nothing that was built otherwise.
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("squeeze");
    fs::create_dir(&package).unwrap();
    for entry in fs::read_dir(root.join("python/squeeze")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ["py", "pyi", "typed"].iter().any(|known| ending == *known)) {
            fs::copy(&path, package.join(path.file_name().unwrap())).unwrap();
        }
    }
    let module = std::env::current_exe().unwrap().with_file_name("lib_native.so");
    std::os::unix::fs::symlink(module, package.join("_native.abi3.so")).unwrap();
    let mut python = Command::new("python3");
    if dev {
        python.args(["-X", "dev"]).env("PYTHONMALLOC", "debug");
    }
    python.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).arg(root.join("python/tests").join(name)).args(more);
    let path = std::env::join_paths([folder.path(), &packages]).unwrap();
    let output = python.current_dir(root).env("PYTHONPATH", path).env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    let told = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{told}");
    println!("{}", told.lines().last().unwrap_or_default());
}

macro_rules! files {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            pytest(concat!(stringify!($name), ".py"), &[], false);
        })*

        #[test]
        fn all_files_are_here() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/tests");
            let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut tests: Vec<String> = files.filter(|name| name.starts_with("test_")).collect();
            tests.sort_unstable();
            assert_eq!(tests, [$(concat!(stringify!($name), ".py")),*]);
        }
    };
}

files!(test_constructs test_docs test_notebooks test_printing test_random test_robust test_runs test_shipped test_simulation test_stubs test_view test_wrong);

#[test]
#[ignore = "ten minutes"]
fn many_random_programs_and_calls() {
    for name in ["test_random.py", "test_robust.py", "test_simulation.py"] {
        pytest(name, &["--hypothesis-profile", "nightly", "-W", "error::ResourceWarning"], true);
    }
}
