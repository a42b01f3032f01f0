//! From Rust's tokens back to a text of the language, and from places in that text to the tokens.
//!
//! Rust hands a macro tokens, not text, and the layout of the text means something to the language: a line that begins
//! with `-`, `(` or `[` starts something new. So each token is put where it stood, line and column. Tokens that another
//! macro made have places that make no sense together; they follow each other with a blank between.

use proc_macro2::{Delimiter, Group, LineColumn, Span, TokenStream, TokenTree};
use std::ops::Range;

/// A larger gap than this between two tokens comes from tokens of different files, and is no layout.
const LARGEST_GAP: usize = 1000;

/// The text of some tokens.
pub(crate) struct Rebuilt {
    /// The text.
    pub text: String,
    /// The range of the text that each token became, in order.
    tokens: Vec<(Range<usize>, Span)>,
    /// Where the text ends so far, in lines from 1 and columns from 0 of the user's file.
    at: LineColumn,
    /// The last token was punctuation and the next one belongs to it.
    joint: bool,
}

impl Rebuilt {
    /// Puts tokens back together.
    pub(crate) fn new(tokens: TokenStream) -> Rebuilt {
        let start = tokens.clone().into_iter().next().map_or(LineColumn { line: 1, column: 0 }, |t| t.span().start());
        let at = LineColumn { line: start.line, column: 0 };
        let mut rebuilt = Rebuilt { text: String::new(), tokens: Vec::new(), at, joint: false };
        rebuilt.stream(tokens);
        rebuilt.text.push('\n');
        rebuilt
    }

    fn stream(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.group(&group),
                TokenTree::Punct(hash) if hash.as_char() == '#' => {
                    let doc = tokens.peek().and_then(doc_comment);
                    match doc {
                        Some(doc) => {
                            tokens.next();
                            self.comment(&doc, hash.span());
                        }
                        None => self.token("#", hash.span()),
                    }
                }
                TokenTree::Punct(punct) => {
                    self.token(punct.as_char().encode_utf8(&mut [0; 4]), punct.span());
                    self.joint = punct.spacing() == proc_macro2::Spacing::Joint;
                }
                TokenTree::Ident(ident) => self.token(&ident.to_string(), ident.span()),
                TokenTree::Literal(literal) => self.token(&literal.to_string(), literal.span()),
            }
        }
    }

    fn group(&mut self, group: &Group) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => return self.stream(group.stream()),
        };
        self.token(open, group.span_open());
        self.stream(group.stream());
        self.joint = false;
        self.token(close, group.span_close());
    }

    /// `/// text`, on lines of its own.
    fn comment(&mut self, text: &str, span: Span) {
        for line in text.lines() {
            self.move_to(span.start());
            self.push(&format!("///{line}"), span);
            // Tokens that follow on the same line, which only another macro can cause, must not join the comment.
            self.at.column = usize::MAX;
        }
    }

    fn token(&mut self, text: &str, span: Span) {
        if !std::mem::take(&mut self.joint) {
            self.move_to(span.start());
        }
        self.push(text, span);
    }

    fn push(&mut self, text: &str, span: Span) {
        let start = self.text.len();
        self.text.push_str(text);
        self.tokens.push((start..self.text.len(), span));
        self.at.column += text.chars().count();
    }

    fn move_to(&mut self, to: LineColumn) {
        let lines = to.line.saturating_sub(self.at.line);
        if to.line > self.at.line {
            self.text.extend(std::iter::repeat_n('\n', if lines > LARGEST_GAP { 1 } else { lines }));
            self.at = LineColumn { line: to.line, column: 0 };
        }
        if to.line == self.at.line && to.column >= self.at.column && to.column - self.at.column <= LARGEST_GAP {
            self.text.extend(std::iter::repeat_n(' ', to.column - self.at.column));
            self.at.column = to.column;
        } else {
            self.text.push(if self.at.column == usize::MAX { '\n' } else { ' ' });
            self.at = to;
        }
    }

    /// The spans of the first and the last token that a range of the text touches; of an empty range, the token before it.
    pub(crate) fn spans(&self, range: Range<usize>) -> Option<(Span, Span)> {
        let touches = |token: &&(Range<usize>, Span)| token.0.start < range.end && token.0.end > range.start;
        let mut touched = self.tokens.iter().filter(touches).map(|token| token.1);
        if let Some(first) = touched.next() {
            return Some((first, touched.next_back().unwrap_or(first)));
        }
        let before = self.tokens.iter().rev().find(|token| token.0.end <= range.start.max(range.end));
        before.or(self.tokens.first()).map(|token| (token.1, token.1))
    }
}

/// The text of `[doc = "…"]`: what the tokens of a `///` comment are after their `#`.
fn doc_comment(token: &TokenTree) -> Option<String> {
    let TokenTree::Group(group) = token else { return None };
    let attribute: syn::MetaNameValue = syn::parse2(group.stream()).ok()?;
    match (attribute.path.is_ident("doc"), attribute.value) {
        (true, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) => Some(text.value()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rebuilt(text: &str) -> String {
        Rebuilt::new(text.parse().expect("tokens of Rust")).text
    }

    #[test]
    fn layout_is_kept_and_comments_of_rust_vanish() {
        let text = "rule r {\n    let a = n in 2..=3 // why\n    -a && !b\n}\n";
        assert_eq!(rebuilt(text), text.replace(" // why", ""));
        assert_eq!(rebuilt("fractal a {\n    /// Text.\n  x }"), "fractal a {\n    /// Text.\n  x }\n");
        assert_eq!(rebuilt("\n\n   a\n b"), "   a\n b\n");
    }

    #[test]
    fn places_lead_back_to_tokens() {
        let rebuilt = Rebuilt::new("ab cde\n(f)".parse().expect("tokens of Rust"));
        let place = |range: Range<usize>| {
            let (first, last) = rebuilt.spans(range).expect("there are tokens");
            (first.start().line, first.start().column, last.end().column)
        };
        assert_eq!(place(3..6), (1, 3, 6));
        assert_eq!(place(4..5), (1, 3, 6));
        assert_eq!(place(0..9), (1, 0, 2));
        assert_eq!(place(11..11), (2, 2, 3));
        assert_eq!(place(2..3), (1, 0, 2), "between tokens: the one before");
    }
}
