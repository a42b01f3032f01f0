//! The Squeeze compiler: from the text of fractals and rules to verified programs.

// Code of some features is unused without them.
#![cfg_attr(not(all(feature = "emit-cuda", feature = "standalone")), allow(dead_code))]

pub mod check;
pub mod emit;
pub mod geometry;
pub mod ir;
pub mod kernel;
pub mod layout;
pub mod lower;
pub mod numbers;
pub mod oracle;
pub mod passes;
pub mod pipeline;
pub mod plan;
pub mod reduce;
#[cfg(test)]
pub(crate) mod samples;
pub mod shipped;
pub mod target;
pub mod text;

pub use check::{
    CellSettings, DomainSettings, Library, Loaded, Loader, NoFiles, Wanted, check, notes_of_draws, warnings_in,
};
pub use geometry::bitmap::{Bitmap, Threshold};
pub use pipeline::{CompileError, Program, Refused, compile};
pub use target::Target;
pub use target::speciality::{Off, Speciality};
