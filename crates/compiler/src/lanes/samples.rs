//! Fractals for the tests of this folder.

use crate::ir::fractal::{Dimension, Fractal, Pattern};
use std::sync::Arc;

fn pattern(name: &str, dimension: Dimension, scale: u32, replicas: &[[u32; 3]]) -> Arc<Pattern> {
    Arc::new(Pattern { name: name.to_owned(), dimension, scale, replicas: replicas.to_vec() })
}

fn fractal(patterns: Vec<Arc<Pattern>>) -> Arc<Fractal> {
    let name = patterns[0].name.clone();
    Arc::new(Fractal { name, doc: String::new(), dimension: patterns[0].dimension, patterns })
}

fn triangle_pattern() -> Arc<Pattern> {
    pattern("triangle", Dimension::Two, 2, &[[0, 0, 0], [0, 1, 0], [1, 1, 0]])
}

fn vicsek_pattern() -> Arc<Pattern> {
    pattern("vicsek", Dimension::Two, 3, &[[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]])
}

/// The Sierpinski triangle.
pub fn triangle() -> Arc<Fractal> {
    fractal(vec![triangle_pattern()])
}

/// One of each kind: 2-D with connected and unconnected neighbours, full, mixed, 3-D.
pub fn fractals() -> Vec<Arc<Fractal>> {
    let carpet = pattern(
        "carpet",
        Dimension::Two,
        3,
        &[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0], [0, 2, 0], [1, 2, 0], [2, 2, 0]],
    );
    let square = pattern("square", Dimension::Two, 2, &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]);
    let tetrix = pattern("tetrix", Dimension::Three, 2, &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    vec![
        triangle(),
        fractal(vec![vicsek_pattern()]),
        fractal(vec![carpet]),
        fractal(vec![square]),
        fractal(vec![triangle_pattern(), vicsek_pattern()]),
        fractal(vec![tetrix]),
    ]
}
