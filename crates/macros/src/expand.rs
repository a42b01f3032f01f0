//! From tokens to modules: what the macros do, as functions that can be called without a compiler.

use super::program::CheckedText;
use super::{fractal, report, rule, simulation};
use proc_macro2::{Span, TokenStream};

/// Modules, or `compile_error!`s.
pub(crate) type Expansion = Result<TokenStream, TokenStream>;

/// The expansion of `simulation!`: the modules of all definitions, then those with kernels.
///
/// # Errors
/// The `compile_error!`s to expand to.
pub(crate) fn simulations(tokens: TokenStream) -> Expansion {
    let (requests, rest) = simulation::split(tokens)?;
    let program = CheckedText::of_tokens(rest)?;
    let modules = [fractal::expand(&program), rule::expand(&program), simulation::expand(&requests, &program)?];
    Ok(modules.into_iter().collect())
}

/// The modules of everything that a program defines, which must include something of this kind.
///
/// # Errors
/// The `compile_error!` to expand to if there is none.
pub(crate) fn definitions(program: &CheckedText, kind: &str) -> Expansion {
    let none = if kind == "fractal" { program.library.fractals.is_empty() } else { program.library.rules.is_empty() };
    if none {
        let message = format!("no {kind} is defined here\n= help: a definition begins with `{kind} NAME {{`");
        return Err(report::error(&message, Span::call_site()));
    }
    Ok([fractal::expand(program), rule::expand(program)].into_iter().collect())
}
