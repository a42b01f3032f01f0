//! The Squeeze compiler: from the text of fractals and rules to verified programs.

pub mod back;
pub mod diagnostics;
pub mod geometry;
pub mod ir;
pub mod lanes;
pub mod lower;
pub mod numerics;
pub mod oracle;
pub mod shipped;
pub mod source;
pub mod syntax;

pub use lower::{Library, Loaded, Loader, NoFiles, compile};
