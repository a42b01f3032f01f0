//! The first step of all macros: a text, from tokens or a file, and the checked definitions in it.

use super::files::{self, Files};
use super::report;
use super::text::Rebuilt;
use proc_macro2::{Span, TokenStream};
use quote::quote;
pub(crate) use squeeze_compiler::emit::rust::ident;
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::text::syntax;
use squeeze_compiler::{Library, check};

/// A checked text.
pub(crate) struct CheckedText {
    /// Its definitions.
    pub library: Library,
    /// An expression of type `&str`: the text.
    pub source: TokenStream,
    /// The name under which messages speak of it.
    pub name: String,
    /// Files that the program uses, to compile it again after a change.
    pub files: Files,
}

/// The name of a text that stands in Rust source.
const MACRO: &str = "<macro>";

impl CheckedText {
    /// From tokens of the user's source.
    ///
    /// # Errors
    /// The `compile_error!`s to expand to.
    pub(crate) fn of_tokens(tokens: TokenStream) -> Result<CheckedText, TokenStream> {
        let rebuilt = Rebuilt::new(tokens.clone());
        let mut files = Files::default();
        files.register(MACRO, files::folder_of(first_span(&tokens)));
        let mut sources = Sources::new();
        let root = sources.add(MACRO, &rebuilt.text);
        match check(&mut sources, root, &mut files) {
            Ok(library) => {
                let text = &rebuilt.text;
                Ok(CheckedText { library, source: quote!(#text), name: MACRO.to_owned(), files })
            }
            Err(errors) => Err(report::in_tokens(&errors, &sources, root, &rebuilt, use_span(&tokens))),
        }
    }

    /// From a file beside the user's source, named by a string literal.
    ///
    /// # Errors
    /// The `compile_error!` to expand to.
    pub(crate) fn of_file(literal: &syn::LitStr) -> Result<CheckedText, TokenStream> {
        let (place, path) = (literal.span(), literal.value());
        let fail = |message: String| report::error(&message, place);
        let file = files::folder_of(place).join(&path);
        let bytes = files::read(&file).map_err(|error| {
            let shown = error.replace(&file.display().to_string(), &path);
            fail(format!("{shown}\n= help: the path is relative to the file in which the macro is called"))
        })?;
        let file = file.canonicalize().unwrap_or(file);
        let mut files = Files::default();
        files.register(&path, file.clone());
        let mut sources = Sources::new();
        let compiled = syntax::decode(&path, &bytes).and_then(|text| {
            let root = sources.add(&path, text);
            check(&mut sources, root, &mut files)
        });
        match compiled {
            Ok(library) => {
                let file = file.display().to_string();
                Ok(CheckedText { library, source: quote!(::core::include_str!(#file)), name: path, files })
            }
            Err(errors) => Err(report::in_file(&errors, &sources, place)),
        }
    }
}

/// Where a text begins; the macro's name if there is none.
pub(crate) fn first_span(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// The path of the first `use`: errors of files are reported there.
fn use_span(tokens: &TokenStream) -> Span {
    let mut tokens = tokens.clone().into_iter();
    let found = tokens.by_ref().find(|token| matches!(token, proc_macro2::TokenTree::Ident(ident) if ident == "use"));
    found.and_then(|_| tokens.next()).map_or_else(Span::call_site, |token| token.span())
}

/// A definition's own comment, or words that stand for it, as rustc gives the text of `///` comments.
pub(crate) fn doc(own: &str, otherwise: String) -> String {
    let text = if own.is_empty() { otherwise } else { own.to_owned() };
    text.lines().map(|line| format!(" {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::{NoFiles, shipped};

    /// Quotes the rows of pictures, which Rust cannot read bare.
    fn quoted(text: &str) -> String {
        let mut quoted = String::new();
        let mut in_picture = false;
        for line in text.lines() {
            let row = line.trim();
            in_picture = (in_picture || row == "pattern {") && row != "}";
            let bare = in_picture && !row.is_empty() && row.chars().all(|c| "#.".contains(c) || c.is_alphanumeric());
            quoted.push_str(&if bare { line.replace(row, &format!("\"{row}\"")) } else { line.to_owned() });
            quoted.push('\n');
        }
        quoted
    }

    /// The way of a file and the way of a macro lead to one program, for everything that ships.
    #[test]
    fn files_and_macros_give_the_same_ir() {
        for (name, text) in shipped::FRACTALS.iter().chain(shipped::RULES) {
            let mut sources = Sources::new();
            let root = sources.add(*name, *text);
            let of_file = check(&mut sources, root, &mut NoFiles).expect("what ships is sound");
            let tokens: TokenStream = quoted(text).parse().unwrap_or_else(|e| panic!("{name} is no Rust: {e}"));
            let of_macro = CheckedText::of_tokens(tokens).unwrap_or_else(|e| panic!("{name}: {e}")).library;
            assert_eq!(of_file.fractals, of_macro.fractals, "{name}");
            assert_eq!(of_file.rules, of_macro.rules, "{name}");
        }
    }

    #[test]
    fn keywords_of_rust_become_names() {
        assert_eq!(ident("loop").to_string(), "r#loop");
        assert_eq!(ident("self").to_string(), "self_");
        assert_eq!(ident("plus").to_string(), "plus");
    }
}
