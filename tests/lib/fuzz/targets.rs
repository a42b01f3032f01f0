//! The targets: one for each format.
//!
//! `cargo xtask fuzz --target npy --seconds 600 --seed 1` feeds one target. It names an input that failed and where it is kept: `--target NAME --file FILE` reads it again. Inputs
//! in `tests/fuzz/NAME` are tried first.

mod cache;
mod harm;
mod initial;
mod macros;
mod runs;
mod text;
mod zarr;

use super::Target;
use squeeze::{Backend, Rule, Simulation, resolve};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// All targets.
pub const NAMES: [&str; 16] = [
    "text",
    "macro",
    "npy",
    "png",
    "rle",
    "vti",
    "zarr-group",
    "zarr-array",
    "zarr-chunk",
    "manifest",
    "observables",
    "cache",
    // These readers do harm, to show that the fuzzer sees it.
    "harm-panic",
    "harm-abort",
    "harm-memory",
    "harm-time",
];

/// The target of a name, ready to be fed.
pub fn target(name: &str) -> Option<Box<dyn Target>> {
    Some(match name {
        "text" => Box::new(text::Text::new()),
        "macro" => Box::new(macros::Macros::new()),
        "npy" => Box::new(initial::Values::new("npy", initial::npy)),
        "png" => Box::new(initial::Values::new("png", initial::png)),
        "rle" => Box::new(initial::Values::new("rle", initial::patterns)),
        "vti" => Box::new(initial::Values::new("vti", initial::vti)),
        "zarr-group" => Box::new(zarr::Folder::new(zarr::ZarrPart::Group)),
        "zarr-array" => Box::new(zarr::Folder::new(zarr::ZarrPart::Array)),
        "zarr-chunk" => Box::new(zarr::Folder::new(zarr::ZarrPart::Chunk)),
        "manifest" => Box::new(runs::Manifests::new()),
        "observables" => Box::new(runs::Tables::new()),
        "cache" => Box::new(cache::Entries::new()),
        "harm-panic" => Box::new(harm::Harm::new(harm::Kind::Panic)),
        "harm-abort" => Box::new(harm::Harm::new(harm::Kind::Abort)),
        "harm-memory" => Box::new(harm::Harm::new(harm::Kind::Memory)),
        "harm-time" => Box::new(harm::Harm::new(harm::Kind::Time)),
        _ => return None,
    })
}

/// A rule with a state of every type.
const RULE: &str = "rule all {
    param p: f64 = 0.25
    param q: enum { rest, excited, refractory } = excited
    state b: bit
    state u: u8
    state i: i32
    state w: u32
    state f: f32
    state d: f64
    state e: enum { rest, excited, refractory }
    init b = random(0.5)
    init u = u8(bits() >> 24)
    init i = i32(bits())
    init w = bits()
    init f = uniform()
    init d = f64(uniform()) * p
    init e = if random(0.3) { q } else { rest }
    next b = count(moore, nb.b) in 2..=3
    next f = f + 0.1 * sum(von_neumann, nb.f - f)
    next e = if e == excited { refractory } else if e == refractory { rest } else { excited }
    observe population = sum(b)
    observe warmth = sum(f)
}
";
/// The names of its states.
const STATES: [&str; 7] = ["b", "u", "i", "w", "f", "d", "e"];
/// The level on which it runs: 27 cells, side 8.
const LEVEL: u32 = 3;

/// A folder for files that are read, in memory where there is such a place.
fn folder() -> TempDir {
    let shared = PathBuf::from("/dev/shm");
    let made = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    made.expect("a folder can be made")
}

fn rule() -> Arc<Rule> {
    squeeze_rule(RULE)
}

fn squeeze_rule(text: &str) -> Arc<Rule> {
    let library = resolve::check(std::path::Path::new("all.rule"), text.as_bytes()).expect("the rule is sound");
    Arc::clone(library.library.rules.last().expect("there is one"))
}

/// A simulation that states are read into.
fn simulation() -> Simulation {
    let fractal = resolve::fractal("sierpinski_triangle").expect("it ships");
    let builder = Simulation::builder(fractal, rule()).level(LEVEL).seed(1).backend(Backend::Reference);
    builder.build().expect("it is small")
}

/// A number that depends on an input's bytes.
fn hash(input: &[u8]) -> usize {
    let mix = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    (input.iter().fold(0xcbf2_9ce4_8422_2325, mix) >> 7) as usize
}
