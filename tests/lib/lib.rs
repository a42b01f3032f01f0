//! Tools that the tests over the whole workspace share.

pub mod compare;
pub mod course;
pub mod coverage;
pub mod fuzz;
pub mod golden;
#[cfg(feature = "papers")]
pub mod maps;
pub mod masks;
pub mod matrix;
pub mod pairs;
pub mod parts;
pub mod ranks;
pub mod ties;

use squeeze::ir::Axes;
use squeeze::run::NamedEngine;
use squeeze::{Fractal, SimulationBuilder};
pub use squeeze_testing::{all_cases, is_chosen};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files in a folder with one of these extensions, sorted by name.
///
/// # Panics
/// If the folder cannot be listed or holds no such file: a test over nothing would pass.
pub fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known)));
    files.sort();
    assert!(!files.is_empty(), "{} holds no such files", folder.display());
    files
}

/// A fractal that is periodic along these axes.
pub fn periodic(fractal: &Fractal, axes: Axes) -> Arc<Fractal> {
    Arc::new(fractal.with_periodic(axes))
}

/// The names of all fractals that ship.
pub fn fractals() -> Vec<String> {
    names("fractals", "fractal")
}

/// The names of all rules that ship.
pub fn rules() -> Vec<String> {
    names("rules", "rule")
}

/// The names of all rules with ordered steps that ship.
pub fn ordered_rules() -> Vec<String> {
    names("rules/ordered", "rule")
}

fn names(folder: &str, extension: &str) -> Vec<String> {
    let name = |path: &PathBuf| path.file_stem().map(|name| name.to_string_lossy().into_owned());
    files(&root().join(folder), &[extension]).iter().filter_map(name).collect()
}

/// A strategy of the papers with blocks of side `rho`.
pub fn strategy(name: &str, rho: Option<u64>) -> NamedEngine {
    let mut engine = NamedEngine::default();
    (engine.strategy, engine.rho) = (Some(name.to_owned()), rho);
    engine
}

/// A simulation by an engine of this name; `None` if the papers are left out.
///
/// # Panics
/// If they know no such name.
pub fn by_engine(builder: SimulationBuilder, named: &NamedEngine) -> Option<SimulationBuilder> {
    if *named == NamedEngine::default() {
        return Some(builder);
    }
    #[cfg(feature = "papers")]
    return Some(builder.engine(std::sync::Arc::new(squeeze_papers::StrategyChoice::of(named).expect("it is known"))));
    #[cfg(not(feature = "papers"))]
    None
}

/// The workspace's root. A test program that was copied to another machine runs there in this crate's folder.
pub fn root() -> &'static Path {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate lies in the workspace's root");
    if built.is_dir() { built } else { Path::new("..") }
}
