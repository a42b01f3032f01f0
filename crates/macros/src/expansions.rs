//! The expansions of the macros, formatted, against texts in `tests/expansions`. `SQUEEZE_UPDATE=1` writes these anew.

use crate::{definitions, program::CheckedText, simulations};
use proc_macro2::TokenStream;
use std::path::Path;

/// Compares an expansion with the text of this name.
fn compare(name: &str, expanded: Result<TokenStream, TokenStream>) {
    let expanded = expanded.unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let file = syn::parse2(expanded).unwrap_or_else(|error| panic!("{name} is no Rust: {error}"));
    let printed = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/expansions/{name}.rs"));
    if std::env::var_os("SQUEEZE_UPDATE").is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(printed == wanted, "{} differs; SQUEEZE_UPDATE=1 rewrites it", path.display());
}

fn defined(text: &str, kind: &str) -> Result<TokenStream, TokenStream> {
    definitions(&CheckedText::of_tokens(text.parse().expect("these are tokens"))?, kind)
}

/// Plain, mixed by level, and in three dimensions.
#[test]
fn fractals() {
    let plus = r####"
        /// A plus made of pluses.
        fractal plus { scale 3 pattern { ".#." "###" ".#." } }"####;
    compare("plus", defined(plus, "fractal"));
    let mixed = r####"
        fractal plus { scale 3 pattern { ".#." "###" ".#." } }
        fractal edge { scale 2 replicas { 0: (0, 0) 1: (0, 1) 2: (1, 1) } }
        fractal both { levels [edge, plus] }"####;
    compare("both", defined(mixed, "fractal"));
    let corner =
        "fractal corner { dimension 3 scale 2 replicas { 0: (0, 0, 0) 1: (1, 0, 0) 2: (0, 1, 0) 3: (0, 0, 1) } }";
    compare("corner", defined(corner, "fractal"));
}

/// An enum, a parameter, draws.
#[test]
fn rules() {
    let burning = r####"
        /// Trees that grow and burn.
        rule burning {
            /// Per cell and step.
            param lightning: f32 = 0.001
            state land: enum { empty, tree, fire }
            init land = if random(0.6) { tree } else { empty }
            next land = if land == fire { empty }
                        else if land == tree && (any(moore, nb.land == fire) || random(lightning)) { fire }
                        else { land }
            observe trees = count(land == tree)
        }"####;
    compare("burning", defined(burning, "rule"));
}

/// Kernels on bits and on numbers.
#[test]
fn kernels() {
    for (name, text) in [
        ("growth", "pub mod growth: life on sierpinski_triangle at level 6;"),
        ("warmth", "/// Diffusion.\npub mod warmth: heat on vicsek at level 4;"),
    ] {
        compare(name, simulations(text.parse().expect("these are tokens")));
    }
}
