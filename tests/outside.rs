//! What users meet: packages as they are published.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of a package as `cargo publish` would send it.
fn package(name: &str) -> Vec<String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    let cargo = cargo.args(["package", "--list", "--allow-dirty", "--offline", "-p", name]);
    let output = cargo.current_dir(squeeze_tests::root()).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn packages_hold_all_that_they_read() {
    let names = |folder: &str, extension| {
        let files = squeeze_tests::files(&squeeze_tests::root().join(folder), &[extension]);
        let name = |path: &PathBuf| format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
        files.iter().map(name).collect::<Vec<String>>()
    };
    let compiler = package("squeeze-compiler");
    let grammars = compiler.iter().filter(|file| file.ends_with(".pest")).count();
    assert!(grammars >= 1, "the grammar is in the package");
    let mut wanted = [names("fractals", "fractal"), names("rules", "rule")].concat();
    wanted.extend(names("templates", "cu").into_iter().chain(names("templates", "rs")));
    for file in wanted {
        assert!(compiler.contains(&file), "squeeze-compiler holds {file}");
    }
    for part in ["native", "set", "numbers", "portable", "x86"] {
        assert!(package("squeeze").contains(&format!("templates/{part}.rs")));
    }
    for name in ["squeeze-runtime", "squeeze-macros", "squeeze-cli"] {
        assert!(package(name).iter().any(|file| file.starts_with("src/")), "{name}");
    }
    // Nothing is read from outside of its package.
    for krate in ["compiler", "runtime", "macros", "squeeze", "cli"] {
        sources(&squeeze_tests::root().join("crates").join(krate).join("src"), &mut |path, text| {
            for (number, line) in text.lines().enumerate().filter(|(_, line)| line.contains("include_")) {
                let Some((_, named)) = line.split_once("include_str!(\"").or(line.split_once("include_bytes!(\""))
                else {
                    continue;
                };
                let named = named.split('"').next().unwrap();
                let up = named.matches("../").count();
                let depth =
                    path.strip_prefix(squeeze_tests::root().join("crates").join(krate)).unwrap().components().count();
                assert!(up < depth, "{}:{}: {named} lies outside of the package", path.display(), number + 1);
            }
        });
    }
}

/// Visits all Rust sources below a folder.
fn sources(folder: &Path, visit: &mut dyn FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&path, &std::fs::read_to_string(&path).unwrap());
        }
    }
}
