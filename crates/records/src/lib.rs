//! Texts, pictures, states, runs and sweeps: the inputs of simulations and their results on disk.
//!
//! In the order in which data flows: [`resolve`] turns what a user typed into a checked fractal or rule, whose [`texts`] are kept,
//! [`hardware`] describes machines, [`picture`] draws states, [`state`] keeps them on disk, takes initial values from files
//! ([`state::initial`]), and writes for other programs ([`state::export`]), [`run`] writes runs down and goes on with
//! them, [`run::plot`] draws observables as a [`squeeze_drawing::chart`], [`sweep`] runs many members that differ in seed and parameters,
//! [`observation_times`] says when they observe, [`statistics`] makes means with errors of them, [`analysis`] does so again for folders, [`reweighting`] between the values at which members ran.
//!
//! The feature `pictures` brings [`picture`], `files` whatever is kept in files ([`run`], [`state::store`], [`state::initial`],
//! [`state::export`]). Neither the compiler nor engines touch what users keep; everything that does is here, files by [`squeeze_host::files`].

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests lay out files as they like"))]
// Code of some features is unused without them.
#![cfg_attr(not(feature = "files"), allow(dead_code, unused_imports))]

#[cfg(feature = "files")]
pub mod analysis;
#[cfg(feature = "files")]
pub mod hardware;
mod json;
#[cfg(feature = "files")]
pub mod lists;
#[cfg(feature = "files")]
pub mod observation_times;
pub mod pattern;
#[cfg(feature = "pictures")]
pub mod picture;
pub mod resolve;
#[cfg(feature = "files")]
pub mod reweighting;
#[cfg(feature = "files")]
pub mod run;
pub mod state;
pub mod statistics;
#[cfg(feature = "files")]
pub mod sweep;
#[cfg(feature = "files")]
mod table;
pub mod texts;

#[cfg(feature = "pictures")]
pub use squeeze_drawing::{self as drawing, chart};
pub use squeeze_golly as golly;
