//! What users meet: a crate outside the workspace, and packages as they are published.

use squeeze::{Backend, Simulation};
use std::path::{Path, PathBuf};
use std::process::Command;

const MAIN: &str = r####"
squeeze::simulation! {
    /// A plus made of pluses.
    fractal plus {
        scale 3
        pattern {
            ".#."
            "###"
            ".#."
        }
    }
    rule majority {
        state up: bit
        init up = random(0.5)
        next up = 2 * count(moore, nb.up) > degree(moore)
        observe ups = sum(up)
    }
    pub mod votes: majority on plus at level 5;
}

fn main() -> Result<(), squeeze::Error> {
    assert_eq!(plus::lambda(2, 7), Some([1, 4]));
    let mut simulation = votes::builder().level(5).seed(1).backend(squeeze::Backend::Cpu).build()?;
    simulation.step(10)?;
    println!("{:016x} {}", simulation.digests()[0].1, simulation.execution().map_or("", |e| e.compiler));
    Ok(())
}
"####;

/// The build folder that this test lies in.
fn target() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.ancestors().nth(3).expect("target/PROFILE/deps/NAME").to_owned()
}

#[test]
fn a_crate_outside_the_workspace_defines_and_runs() {
    let (folder, root) = (tempfile::tempdir().unwrap(), squeeze_tests::root());
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nsqueeze = {{ path = {:?} }}\n\n\
         [workspace]\n\n[profile.dev]\nopt-level = 1\ndebug = \"line-tables-only\"\n\n\
         [profile.dev.package.\"*\"]\nopt-level = 2\ndebug = false\n",
        root.join("crates/squeeze")
    );
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/main.rs"), MAIN).unwrap();
    std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    // The same versions of everything, which are there already.
    std::fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["run", "--quiet", "--offline"]).current_dir(folder.path()).env("CARGO_TARGET_DIR", target());
    let output = cargo.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    assert!(output.status.success(), "{}", text(output.stderr));

    let rule =
        "rule majority { state up: bit init up = random(0.5) next up = 2 * count(moore, nb.up) > degree(moore) }";
    let file = folder.path().join("majority.rule");
    std::fs::write(&file, rule).unwrap();
    let rule = squeeze::resolve::rule(file.to_str().unwrap()).unwrap();
    let builder = Simulation::builder(squeeze::resolve::fractal("vicsek").unwrap(), rule).level(5).seed(1);
    let mut oracle = builder.backend(Backend::Reference).build().unwrap();
    oracle.step(10).unwrap();
    let printed = text(output.stdout);
    assert!(printed.starts_with(&format!("{:016x} rustc", oracle.digests()[0].1)), "{printed}");
}

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
    assert!(package("squeeze").contains(&"templates/native.rs".to_owned()));
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
