//! The Squeeze compiler: from the text of fractals and rules to verified programs.

pub mod check;
pub mod compile;
pub mod diagnostics;
pub mod emit;
pub mod geometry;
pub mod golly;
pub mod ir;
pub mod layout;
pub mod lower;
pub mod numerics;
pub mod oracle;
pub mod passes;
pub mod plan;
#[cfg(test)]
pub(crate) mod samples;
pub mod shipped;
pub mod source;
pub mod speciality;
pub mod syntax;
pub mod target;

pub use check::bitmap::{Bitmap, Threshold};
pub use check::{Library, Loaded, Loader, NoFiles, check, notes_of_draws, warnings_in};
pub use compile::{CompileError, Compiled, compile};
pub use speciality::{Off, Speciality};
pub use target::Target;
