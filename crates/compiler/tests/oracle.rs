//! The oracle runs every rule in `/rules` on every fractal in `/fractals`.

use squeeze_compiler::check::{Library, NoFiles, check};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, Fractal, Rule, StateId};
use squeeze_compiler::oracle::Oracle;
use squeeze_compiler::shipped;
use squeeze_compiler::text::source::Sources;
use std::sync::Arc;

const LIMIT: u64 = 1 << 28;

fn library(name: &str, text: &str) -> Library {
    let mut sources = Sources::new();
    let root = sources.add(name, text);
    check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

fn fractals() -> Vec<Arc<Fractal>> {
    shipped::FRACTALS.iter().map(|(name, text)| Arc::clone(library(name, text).fractal(Some(name)).unwrap())).collect()
}

fn rules() -> Vec<Arc<Rule>> {
    shipped::RULES.iter().map(|(name, text)| Arc::clone(library(name, text).rule(Some(name)).unwrap())).collect()
}

/// The largest level with at most this many cells, and an expanded grid of at most a million places.
fn level_of(fractal: &Fractal, cells: u64) -> u32 {
    let axes = fractal.dimension.axes() as u32;
    Domain::largest_level_where(fractal, |side, at_level| at_level <= cells && side.pow(axes) <= 1_000_000)
}

/// Replication and λ, which share no code, place every cell alike.
#[test]
fn cells_are_where_lambda_has_them() {
    let rule = Arc::clone(library("life", shipped::rule_source("life").unwrap()).rule(None).unwrap());
    for fractal in fractals() {
        for level in 0..=level_of(&fractal, 5000) {
            let domain = Domain::new(Arc::clone(&fractal), level).unwrap();
            let params = rule.params.iter().map(|param| param.default).collect();
            let oracle = Oracle::new(&fractal, level, Arc::clone(&rule), 0, params, LIMIT).unwrap();
            assert_eq!((oracle.cells(), oracle.side()), (domain.cells(), domain.side()), "{}", fractal.name);
            for c in 0..domain.cells() {
                assert_eq!(oracle.coordinate(c), domain.lambda(c), "cell {c} of {} at {level}", fractal.name);
            }
        }
    }
}

#[test]
fn every_rule_runs_on_every_fractal_that_it_fits() {
    for rule in rules() {
        for fractal in fractals() {
            let level = level_of(&fractal, 300);
            let params: Vec<_> = rule.params.iter().map(|param| param.default).collect();
            let new = || Oracle::new(&fractal, level, Arc::clone(&rule), 7, params.clone(), LIMIT);
            if rule.needs_three_dimensions && fractal.dimension != Dimension::Three {
                assert!(new().is_err());
                continue;
            }
            let run = || {
                let mut oracle = new().unwrap();
                for _ in 0..4 {
                    oracle.step().unwrap();
                }
                let digests: Vec<u64> = (0..rule.states.len()).map(|s| oracle.digest(StateId(s as u16))).collect();
                (digests, oracle.observe().unwrap())
            };
            assert_eq!(run(), run(), "{} on {}", rule.name, fractal.name);
        }
    }
}
