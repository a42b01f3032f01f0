//! Texts: where they come from, what their words mean as a tree, and what is told about them.

pub mod diagnostics;
pub mod source;
pub mod syntax;
pub mod words;
