//! Names that Rust accepts and that are used once.

use proc_macro2::{Ident, Span};
use std::collections::HashSet;

/// Names of emitted code and of the code that it needs.
const TAKEN: &str = "call word lane block block_mut";

/// A name of the language as a name of Rust: some are keywords there.
pub fn ident(name: &str) -> Ident {
    const KEYWORDS: &str = "as async await break const continue dyn else enum extern false fn for gen if impl in let loop match \
        mod move mut pub ref return static struct trait true type unsafe use where while abstract become box do final \
        macro override priv try typeof unsized virtual yield union";
    if matches!(name, "self" | "Self" | "super" | "crate" | "_") {
        Ident::new(&format!("{name}_"), Span::call_site())
    } else if KEYWORDS.split_whitespace().any(|word| word == name) {
        Ident::new_raw(name, Span::call_site())
    } else {
        Ident::new(name, Span::call_site())
    }
}

/// Gives each name once.
pub(super) struct RustNamer(HashSet<String>);

impl RustNamer {
    pub(super) fn new() -> RustNamer {
        RustNamer(TAKEN.split_whitespace().map(str::to_owned).collect())
    }

    /// The name itself if it is free, else with underscores behind it. Capitals become small: those of Rust's constants
    /// could be meant.
    pub(super) fn name(&mut self, wanted: &str) -> Ident {
        let mut name = wanted.to_lowercase();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert_str(0, "v_");
        }
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        ident(&name)
    }
}
