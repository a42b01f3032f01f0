//! From a compiled program to a running simulation.
//!
//! In the order in which data flows: [`files`] reads texts and writes results, [`resolve`] turns what a user typed
//! into a checked fractal or rule, [`params`] reads `name=value`, [`memory`] says how much there is, [`simulation`]
//! runs a rule on a fractal behind one interface for all backends, [`packed`] says how values become bytes,
//! [`picture`] draws states, [`store`] keeps them on disk, [`run_folder`] writes runs down and goes on with them, [`texts`] is what they
//! are made of, [`initial`] takes first values from files, [`window`] is a part of the grid, [`export`] writes states for other programs,
//! [`plot`] draws observables, [`mod@bench`] measures.
//!
//! The compiler touches neither files nor the environment; everything that does is here.

pub mod bench;
pub mod cpu;
pub mod cuda;
pub mod error;
pub mod export;
pub mod files;
pub mod initial;
pub mod memory;
pub mod packed;
pub mod params;
pub mod picture;
pub mod plot;
pub mod resolve;
pub mod run_folder;
pub mod simulation;
pub mod store;
pub mod strategy;
pub mod texts;
pub mod window;

pub use error::{Error, Result};
pub use simulation::{Backend, Simulation, SimulationBuilder};
pub use strategy::{Strategy, Tactics};
