//! Text to syntax tree and back.
//!
//! `scan` checks the limits, finds the definitions and prepares the text; `parse` turns each definition into a tree
//! with the pest grammar `grammar.pest`; `print` lays a tree out as text again.

#[doc(hidden)]
pub mod ast;
mod parse;
mod print;
mod scan;
pub(crate) mod stack;

pub use ast::SyntaxFile;
pub(crate) use ast::walk;
pub use parse::parse;
pub(crate) use print::expression;
pub use print::{format, print};
pub use scan::{MAX_BYTES, MAX_NESTING, MAX_TOKENS, decode};
