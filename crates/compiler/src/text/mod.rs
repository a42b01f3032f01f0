//! Texts: their sources, their syntax trees, and the messages about them.

pub mod diagnostics;
pub mod source;
pub mod syntax;
pub mod words;
