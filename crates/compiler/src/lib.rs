//! The Squeeze compiler: from the text of fractals and rules to verified programs.

pub mod diagnostics;
pub mod ir;
pub mod lanes;
pub mod source;
pub mod syntax;
