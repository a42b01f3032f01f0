//! How a compiled kernel is called: one text, for the CPU backend and for the programs that are printed.

include!("../../../templates/call.rs");
