//! Names that Rust accepts and that are used once.

use crate::emit::names::Namer;
use proc_macro2::{Ident, Span};

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

/// A namer for emitted code. It is given small letters: capitals could mean Rust's constants.
pub(super) fn namer() -> Namer {
    Namer::of(TAKEN.split_whitespace().map(str::to_owned))
}
