//! Text to syntax tree, definition by definition.
//!
//! After an error the entry in which it stands is blanked and the definition is parsed once more, so that one run
//! reports every independent error.

mod definitions;
mod expectations;
mod expression;

use super::ast::{Comment, DefKind, Ident, Item, ItemKind, SyntaxFile};
use super::scan::{
    DefinitionText, MAX_ERRORS as MAX_ERRORS_OF_TEXT, Scan, check_size, definition_kind, scan, word_end,
};
use super::stack::on_large_stack;
use crate::text::diagnostics::{Diagnostic, habits};
use crate::text::source::{SourceId, Sources, Span};
use grammar::{Grammar, Rule};
use pest::Parser;
use std::collections::HashMap;
use std::sync::LazyLock;

/// How many errors of one definition are reported.
const MAX_ERRORS: usize = 20;

/// The parser that pest makes of `grammar.pest`.
mod grammar {
    #![allow(missing_docs, reason = "generated; the grammar has the comments")]
    #[derive(pest_derive::Parser)]
    #[grammar = "text/syntax/grammar.pest"]
    pub(super) struct Grammar;
}

/// Keywords, whose rules are called as they are behind `kw_`.
static KEYWORDS: LazyLock<HashMap<Rule, String>> = LazyLock::new(|| {
    let keyword = |rule: &Rule| Some((*rule, format!("{rule:?}").strip_prefix("kw_")?.to_owned()));
    Rule::all_rules().iter().filter_map(keyword).collect()
});

/// Parses a text.
///
/// The tree holds whatever parsed; definitions that did not are [`ItemKind::Broken`]. The diagnostics are in the order of
/// the text, and there are none exactly if the tree is whole. After about a hundred the rest of the text is left out.
pub fn parse(sources: &Sources, id: SourceId) -> (SyntaxFile, Vec<Diagnostic>) {
    let source = sources.get(id);
    if let Err(diagnostics) = check_size(&source.name, source.text.len()) {
        return (SyntaxFile { items: Vec::new(), comments: Vec::new() }, diagnostics);
    }
    let (file, mut diagnostics) = on_large_stack(|| parse_text(id, &source.text));
    Diagnostic::found_by("syntax", &mut diagnostics);
    (file, diagnostics)
}

fn parse_text(source: SourceId, text: &str) -> (SyntaxFile, Vec<Diagnostic>) {
    let Scan { text: prepared, comments, pieces, mut diagnostics } = scan(source, text);
    let mut items = Vec::new();
    let mut after_error = false;
    for piece in &pieces {
        if diagnostics.len() >= MAX_ERRORS_OF_TEXT {
            break;
        }
        let start = piece.range.start;
        let word = &text[start..word_end(text.as_bytes(), start)];
        let mut parser = PieceParser {
            source,
            base: start,
            original: &text[piece.range.clone()],
            doc: doc_comment(text, &comments, start),
            diagnostics: Vec::new(),
        };
        let Some(kind) = definition_kind(word) else {
            if !after_error && !piece.broken && piece.blanked.is_empty() {
                diagnostics.push(parser.no_definition());
            }
            after_error = true;
            continue;
        };
        let item = parser.definition(kind, piece, &prepared[piece.range.clone()]);
        // A definition whose end is in doubt is often followed by its own rest.
        after_error = piece.broken || (item.is_none() && !parser.original.ends_with('}'));
        diagnostics.append(&mut parser.diagnostics);
        items.extend(item.or_else(|| parser.broken(kind?)));
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|label| label.span));
    (SyntaxFile { items, comments }, diagnostics)
}

/// The text of the `///` lines directly above what begins at `start`.
fn doc_comment(text: &str, comments: &[Comment], start: usize) -> String {
    let above = &comments[..comments.partition_point(|comment| (comment.span.start as usize) < start)];
    let mut below = start;
    let mut lines = Vec::new();
    for comment in above.iter().rev() {
        let between = &text[comment.span.end as usize..below];
        let nothing_between = between.chars().all(|c| c.is_whitespace() || c == ';');
        let directly_above = nothing_between && between.matches('\n').count() == 1;
        let Some(line) = comment.text.strip_prefix("///").filter(|_| comment.own_line && directly_above) else {
            break;
        };
        lines.push(line.strip_prefix(' ').unwrap_or(line));
        below = comment.span.start as usize;
    }
    lines.reverse();
    lines.join("\n")
}

/// One definition on its way to a tree.
struct PieceParser<'a> {
    source: SourceId,
    /// Where the definition begins in the whole text; pest counts from there.
    base: usize,
    original: &'a str,
    doc: String,
    diagnostics: Vec<Diagnostic>,
}

impl PieceParser<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, start: (self.base + start) as u32, end: (self.base + end) as u32 }
    }

    /// The tree, or `None` if there was an error, scanned or parsed.
    fn definition(&mut self, kind: Option<DefKind>, piece: &DefinitionText, prepared: &[u8]) -> Option<Item> {
        if piece.broken {
            return None;
        }
        let start_rule = match kind {
            None => Rule::use_entry,
            Some(DefKind::Fractal) if self.original.starts_with("domain") => Rule::domain,
            Some(DefKind::Fractal) => Rule::fractal,
            Some(DefKind::Neighbourhood) => Rule::neighbourhood,
            Some(DefKind::Rule) => Rule::rule_definition,
            Some(DefKind::Const) => Rule::const_definition,
            Some(DefKind::Function) => Rule::function_definition,
        };
        let mut text = prepared.to_vec();
        for &bad in &piece.blanked {
            let offset = bad - self.base;
            let in_body = text[..offset].contains(&b'{');
            if !has_entries(start_rule) || !in_body {
                return None;
            }
            // Nothing is left to blank if the entry went for another place before.
            blank_entry(&mut text, offset);
        }
        loop {
            // Only bytes outside strings were blanked, character by character: the text stays UTF-8.
            let attempt = std::str::from_utf8(&text).ok()?;
            match Grammar::parse(start_rule, attempt) {
                Ok(mut pairs) => {
                    let pair = pairs.next()?;
                    let (item, mut errors) = definitions::build(self, pair);
                    self.diagnostics.append(&mut errors);
                    let whole = self.diagnostics.is_empty() && piece.blanked.is_empty();
                    return item.filter(|_| whole);
                }
                Err(error) => {
                    let (offset, diagnostic) = self.explain(&error, attempt);
                    self.diagnostics.push(diagnostic);
                    let go_on = has_entries(start_rule) && self.diagnostics.len() < MAX_ERRORS;
                    if !go_on || !blank_entry(&mut text, offset) {
                        return None;
                    }
                }
            }
        }
    }

    /// The name of a definition that did not parse, if it has one.
    fn broken(&self, kind: DefKind) -> Option<Item> {
        let bytes = self.original.as_bytes();
        let word = word_end(bytes, 0);
        let blanks = bytes[word..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let (start, end) = (word + blanks, word_end(bytes, word + blanks));
        let name = &self.original[start..end];
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let name = Ident { name: name.to_owned(), span: self.span(start, end) };
        Some(Item { kind: ItemKind::Broken(kind, name), span: self.span(0, bytes.len()) })
    }

    fn no_definition(&self) -> Diagnostic {
        let hash = usize::from(self.original.starts_with('#'));
        let token = &self.original[..hash + expectations::token_at(self.original, hash).len()];
        let known = ["fractal", "domain", "rule", "neighbourhood", "const", "use"];
        let diagnostic = Diagnostic::new(
            format!("expected a definition, found `{}`", expectations::shorten(token)),
            self.span(0, token.len()),
            "expected `fractal`, `domain`, `rule`, `neighbourhood`, `const`, `fn` or `use`",
        );
        if let Some(help) = habits::statement(token) {
            return diagnostic.help(help);
        }
        match known.iter().find(|word| strsim::damerau_levenshtein(word, expectations::shorten(token).as_str()) <= 2) {
            Some(word) => diagnostic.did_you_mean(word, self.span(0, token.len())),
            None => diagnostic.help("a text is a sequence of definitions and `use \"file\"`"),
        }
    }
}

/// Whether a definition of this form consists of entries, one of which can be left out.
fn has_entries(rule: Rule) -> bool {
    matches!(rule, Rule::fractal | Rule::domain | Rule::rule_definition)
}

/// Blanks the entry of a fractal, domain or rule in which the error at `offset` stands. False if there is nothing to blank.
fn blank_entry(text: &mut [u8], offset: usize) -> bool {
    let Some(body) = text.iter().position(|&byte| byte == b'{') else { return false };
    if offset <= body {
        return false;
    }
    let Some(entry) = entry_around(text, body + 1, offset) else { return false };
    let mut changed = false;
    for byte in &mut text[entry] {
        if !byte.is_ascii_whitespace() {
            *byte = b' ';
            changed = true;
        }
    }
    changed
}

/// The bytes of the entry around `offset` in the body that begins at `start`, directly behind its `{`.
fn entry_around(text: &[u8], start: usize, offset: usize) -> Option<std::ops::Range<usize>> {
    let mut entry = start;
    let mut has_entries = false;
    let mut inner_body = None;
    let mut depth = 0_usize;
    let mut at = start;
    while at < text.len() {
        match text[at] {
            b'"' => at += text[at + 1..].iter().position(|&byte| byte == b'"').map_or(0, |length| length + 1),
            b'{' | b'(' | b'[' => {
                if depth == 0 && has_entries && text[at] == b'{' && inner_body.is_none() {
                    inner_body = Some(at + 1);
                }
                depth += 1;
            }
            b'}' | b')' | b']' if depth == 0 => break,
            b'}' | b')' | b']' => {
                depth -= 1;
                if depth == 0 && inner_body.is_some_and(|body| body <= offset && offset <= at) {
                    return entry_around(text, inner_body?, offset);
                }
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                let end = word_end(text, at);
                let word = &text[at..end];
                if depth == 0 && ENTRIES.split(' ').any(|entry| entry.as_bytes() == word) {
                    // An error at the first word of an entry is that the entry before is not finished.
                    if at >= offset {
                        break;
                    }
                    (entry, has_entries, inner_body) = (at, matches!(word, b"step" | b"repeat"), None);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Some(entry..at.min(text.len()))
}

/// The words with which entries of fractals, domains and rules begin.
const ENTRIES: &str = "dimension scale replicas pattern levels param state init let next step repeat observe const fn \
    neighbourhood allow picture flush stop global fractal periodic edge keep invert";
