//! The macros of Squeeze. Use them through the crate `squeeze`, which they expand to.
//!
//! The examples here are tested in the documentation of `squeeze`: this crate cannot depend on it.
//!
//! There is one language and one grammar: a macro turns its tokens back into text (`text`), hands it to the compiler
//! (`program`), reports what is wrong at the user's tokens (`report`), and expands to modules (`fractal`, `rule`, `simulation`).

mod expand;
mod files;
mod fractal;
mod program;
mod report;
mod rule;
mod simulation;
mod text;

#[cfg(test)]
mod expansions;

use expand::{Expansion, definitions, simulations};
use proc_macro::TokenStream;
use proc_macro2::{Delimiter, Group, TokenTree};
use program::CheckedText;

/// `squeeze::fractal!`.
#[proc_macro]
pub fn fractal(tokens: TokenStream) -> TokenStream {
    under_its_name(tokens, |tokens| definitions(&CheckedText::of_tokens(tokens)?, "fractal"))
}

/// `squeeze::rule!`.
#[proc_macro]
pub fn rule(tokens: TokenStream) -> TokenStream {
    under_its_name(tokens, |tokens| definitions(&CheckedText::of_tokens(tokens)?, "rule"))
}

/// `squeeze::include_fractal!`.
#[proc_macro]
pub fn include_fractal(tokens: TokenStream) -> TokenStream {
    under_its_name(tokens, |tokens| definitions(&of_path(tokens)?, "fractal"))
}

/// `squeeze::include_rule!`.
#[proc_macro]
pub fn include_rule(tokens: TokenStream) -> TokenStream {
    under_its_name(tokens, |tokens| definitions(&of_path(tokens)?, "rule"))
}

/// `squeeze::simulation!`.
#[proc_macro]
pub fn simulation(tokens: TokenStream) -> TokenStream {
    under_its_name(tokens, simulations)
}

/// Expands to code that finds the facade where the user's crate has it: the facade's macros put its path before the tokens, in brackets.
fn under_its_name(tokens: TokenStream, expansion: impl FnOnce(proc_macro2::TokenStream) -> Expansion) -> TokenStream {
    let mut tokens = proc_macro2::TokenStream::from(tokens).into_iter().peekable();
    let path = match tokens.peek() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => Some(group.stream()),
        _ => None,
    };
    let tokens = tokens.skip(usize::from(path.is_some())).collect();
    let expanded = expansion(tokens).unwrap_or_else(|errors| errors);
    path.map_or(expanded.clone(), |path| with_path(expanded, &path)).into()
}

/// Code with another path in the place of `::squeeze`.
fn with_path(code: proc_macro2::TokenStream, path: &proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for token in code {
        let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
        match token {
            TokenTree::Ident(name)
                if name == "squeeze" && out.iter().rev().take(2).filter(|t| is_colon(t)).count() == 2 =>
            {
                out.truncate(out.len() - 2);
                out.extend(path.clone());
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_path(group.stream(), path));
                inner.set_span(group.span());
                out.push(TokenTree::Group(inner));
            }
            token => out.push(token),
        }
    }
    out.into_iter().collect()
}

fn of_path(tokens: proc_macro2::TokenStream) -> Result<CheckedText, proc_macro2::TokenStream> {
    let place = program::first_span(&tokens);
    let literal: syn::LitStr = syn::parse2(tokens)
        .map_err(|_| report::error("expected one path in quotes, as in `include_rule!(\"life.rule\")`", place))?;
    CheckedText::of_file(&literal)
}
