//! From a compiled program to a running simulation.
//!
//! In the order in which data flows: [`resolve`] turns what a user typed
//! into a checked fractal or rule, [`params`] reads `name=value`, [`hardware`] describes machines, [`simulation`]
//! runs a rule on a fractal behind one interface for all backends, [`state::packed`] says how values become bytes,
//! [`picture`] draws states, [`state`] keeps them on disk, [`run`] writes runs down and goes on with them, [`texts`] is what they
//! are made of, [`state::initial`] takes initial values from files, [`state::window`] is a part of the grid, [`state::export`] writes states for other programs,
//! [`run::plot`] draws observables as a [`chart`], [`sweep`] runs many members that differ in seed and parameters, [`observation_times`] says when they observe, [`statistics`] makes means
//! with errors of them, [`analysis`] does so again for folders, [`mod@bench`] measures, [`figures`] makes those of the papers.
//!
//! Of these [`engine`] has the oracle alone unless the features `jit` and `cuda` add the CPU and GPUs, `pictures` brings [`picture`], `files`
//! what is kept in files ([`run`], [`state::store`], [`state::initial`], [`state::export`]), and all together [`mod@bench`].
//!
//! The compiler touches neither files nor the environment; everything that does is here, files by [`squeeze_host::files`].

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests lay out files as they like"))]
// Code of some features is unused without them.
#![cfg_attr(not(all(feature = "cuda", feature = "files")), allow(dead_code, unused_imports))]

#[cfg(feature = "files")]
pub mod analysis;
#[cfg(all(feature = "cuda", feature = "files"))]
pub mod bench;
#[cfg(feature = "files")]
pub mod chart;
pub mod engine;
pub mod error;
pub mod failure;
#[cfg(all(feature = "cuda", feature = "files"))]
pub mod figures;
#[cfg(feature = "files")]
pub mod hardware;
mod json;
#[cfg(feature = "files")]
pub mod observation_times;
pub mod params;
pub mod pattern;
#[cfg(feature = "pictures")]
pub mod picture;
pub mod resolve;
#[cfg(feature = "files")]
pub mod run;
pub mod simulation;
pub mod state;
pub mod statistics;
pub mod strategy;
#[cfg(feature = "files")]
pub mod sweep;
pub mod texts;
pub mod totals;

pub use error::{Error, Result};
pub use failure::Failure;
pub use simulation::{Backend, Ensemble, EnsembleBuilder, Member, Observed, Simulation, SimulationBuilder};
pub use strategy::{Strategy, StrategyChoice};
