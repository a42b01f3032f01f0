//! Fractals and rules for tests.

use squeeze_compiler::ir::{Fractal, Rule};
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::{Library, NoFiles, shipped};
use std::sync::Arc;

pub(crate) fn library(name: &str, text: &str) -> Library {
    let mut sources = Sources::new();
    let root = sources.add(name, text);
    squeeze_compiler::check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

pub(crate) fn fractal(name: &str) -> Arc<Fractal> {
    Arc::clone(&library(name, shipped::fractal_source(name).expect("it ships")).fractals[0])
}

pub(crate) fn rule(name: &str) -> Arc<Rule> {
    Arc::clone(&library(name, shipped::rule_source(name).expect("it ships")).rules[0])
}
