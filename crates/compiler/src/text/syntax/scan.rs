//! The pass over the bytes before the parser: limits, brackets, strings, comments, and where definitions begin.
//!
//! The prepared text, which the parser sees, is plain ASCII outside strings, with balanced brackets that nest at most
//! [`MAX_NESTING`] deep, so that the parser's recursion is bounded whatever the user wrote. It has the length of
//! the original, hence places need no translation: comments are blanked, and so are newlines directly inside
//! `( … )` and `[ … ]`, where nothing new can begin; everywhere else the grammar may give newlines a meaning.

use super::ast::{Comment, DefKind};
use super::stack::room;
use crate::text::diagnostics::Diagnostic;
use crate::text::source::{SourceId, Span};
use std::ops::Range;

/// The largest text, in bytes: 16 MiB.
pub const MAX_BYTES: usize = 16 << 20;
/// How deep `{`, `(` and `[` may nest in one another.
pub const MAX_NESTING: usize = 256;
/// The stack that the parser takes for each of them at most.
const BYTES_OF_BRACKET: usize = 16 << 10;
/// The most tokens of a text; a row of a picture counts as one. The parser takes a second or two for them.
pub const MAX_TOKENS: usize = 1 << 20;
/// Errors after which the rest of a text is not looked at: it is probably no program at all.
pub(super) const MAX_ERRORS: usize = 100;

/// How files begin that are no texts: programs of Linux, of Windows, and of macOS for one processor or for several; PNG and JPEG.
const NO_TEXTS: [(&[u8], &str, &str); 6] = [
    (b"\x7fELF", "program", OF_PROGRAMS),
    (b"MZ\x90\0", "program", OF_PROGRAMS),
    (b"\xcf\xfa\xed\xfe", "program", OF_PROGRAMS),
    (b"\xca\xfe\xba\xbe", "program", OF_PROGRAMS),
    (b"\x89PNG", "picture", OF_PICTURES),
    (b"\xff\xd8\xff", "picture", OF_PICTURES),
];
const OF_PROGRAMS: &str = "a file comes before what ships under its name: take it away, or give the path of a text";
const OF_PICTURES: &str =
    "a PNG is a mask: where FRACTAL is asked for, and as `mask \"FILE.png\"` in a domain; convert other pictures";

/// Checks size and encoding of a file's bytes.
///
/// # Errors
/// A program or a picture instead of a text; more than [`MAX_BYTES`] bytes, or bytes that are not UTF-8: the message names the line and column of the first.
pub fn decode(name: &str, bytes: &[u8]) -> Result<String, Vec<Diagnostic>> {
    if let Some((_, what, help)) = NO_TEXTS.iter().find(|(begin, ..)| bytes.starts_with(begin)) {
        let error = Diagnostic::without_place(format!("`{name}` is a {what}, not a text"));
        return Err(vec![error.help(*help).coded("syntax")]);
    }
    check_size(name, bytes.len())?;
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let (good, bad) = bytes.split_at(error.valid_up_to());
            let good = std::str::from_utf8(good).unwrap_or_default();
            let line = good.matches('\n').count() + 1;
            let column = good.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let message = format!("`{name}` is not UTF-8: byte 0x{:02x} at line {line}, column {column}", bad[0]);
            Err(vec![Diagnostic::without_place(message).help("save the file as UTF-8").coded("syntax")])
        }
    }
}

/// The error for a text that is too large.
pub(super) fn check_size(name: &str, bytes: usize) -> Result<(), Vec<Diagnostic>> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let error = Diagnostic::without_place(format!("`{name}` has {bytes} bytes, more than the limit of 16 MiB"));
    Err(vec![error.help(format!("a text may have at most {MAX_BYTES} bytes")).coded("syntax")])
}

/// A stretch of the text that should be one definition.
#[derive(Debug)]
pub(super) struct DefinitionText {
    /// Its bytes.
    pub range: Range<usize>,
    /// Brackets do not match in it or nest too deep: it must not be parsed.
    pub broken: bool,
    /// The places in it of characters and strings that were reported and blanked.
    pub blanked: Vec<usize>,
}

/// The result of the scan.
#[derive(Default)]
pub(super) struct Scan {
    /// The prepared text.
    pub text: Vec<u8>,
    /// All comments, in order.
    pub comments: Vec<Comment>,
    /// The stretches at the top level, in order.
    pub pieces: Vec<DefinitionText>,
    /// Errors, in order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// The words that begin a definition, and `None` for `use`.
pub(super) fn definition_kind(word: &str) -> Option<Option<DefKind>> {
    match word {
        "fractal" | "domain" => Some(Some(DefKind::Fractal)),
        "neighbourhood" => Some(Some(DefKind::Neighbourhood)),
        "rule" => Some(Some(DefKind::Rule)),
        "const" => Some(Some(DefKind::Const)),
        "fn" => Some(Some(DefKind::Function)),
        "use" => Some(None),
        _ => None,
    }
}

/// Scans a text of at most [`MAX_BYTES`] bytes.
pub(super) fn scan(source: SourceId, text: &str) -> Scan {
    let mut scanner = Scanner {
        source,
        text,
        open: Vec::new(),
        most_nesting: MAX_NESTING.min(room() / BYTES_OF_BRACKET),
        tokens: 0,
        suspect: None,
        piece: None,
        scan: Scan { text: text.as_bytes().to_vec(), ..Scan::default() },
    };
    scanner.run();
    scanner.scan
}

/// The end of the word that begins at `start`.
pub(super) fn word_end(bytes: &[u8], start: usize) -> usize {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    start + bytes[start..].iter().take_while(|byte| is_letter(byte)).count()
}

/// The bracket that closes an opening one.
fn closer(opener: u8) -> u8 {
    match opener {
        b'{' => b'}',
        b'(' => b')',
        _ => b']',
    }
}

struct Scanner<'a> {
    source: SourceId,
    text: &'a str,
    /// Open brackets with their places.
    open: Vec<(u8, usize)>,
    /// How many there may be: on a small stack fewer than [`MAX_NESTING`].
    most_nesting: usize,
    /// How many tokens were seen.
    tokens: usize,
    /// The first bracket whose closer stands further left than the line that opened it: if a closer is missing, it
    /// is probably this one's.
    suspect: Option<usize>,
    piece: Option<DefinitionText>,
    scan: Scan,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        if self.text.starts_with('\u{feff}') {
            self.blank(0..3);
            at = 3;
        }
        let mut line_start = true;
        while at < bytes.len() {
            if self.scan.diagnostics.len() >= MAX_ERRORS {
                self.break_piece();
                self.end_piece(at);
                return;
            }
            let byte = bytes[at];
            match byte {
                b'\n' => {
                    line_start = true;
                    if let Some((b'(' | b'[', _)) = self.open.last() {
                        self.scan.text[at] = b' ';
                    }
                    at += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' => {
                    at += 1;
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    at = self.comment(at, line_start);
                    continue;
                }
                _ => {}
            }
            if line_start && !self.open.is_empty() && self.begins_definition(at) {
                self.unclosed(at);
            } else if line_start && self.open.is_empty() && self.kind_at(at).is_some() {
                self.end_piece(at);
            }
            if self.piece.is_none() && byte != b';' {
                self.piece = Some(DefinitionText { range: at..at, broken: false, blanked: Vec::new() });
            }
            let starts_line = std::mem::take(&mut line_start);
            let in_picture = |byte: u8| byte == b'#' || byte == b'.';
            self.tokens += usize::from(!(in_picture(byte) && at > 0 && in_picture(bytes[at - 1])));
            if self.tokens > MAX_TOKENS {
                self.too_many_tokens(at);
                return;
            }
            at = match byte {
                b'{' | b'(' | b'[' => self.opener(at),
                b'}' | b')' | b']' => self.closer(at, starts_line),
                b'"' => self.string(at),
                b';' if self.open.is_empty() => {
                    // It is as good as a blank, so a comment behind it may still have the line to itself.
                    line_start = starts_line;
                    self.end_piece(at);
                    self.blank(at..at + 1);
                    at + 1
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => word_end(bytes, at),
                b',' | b';' | b':' | b'.' | b'=' | b'<' | b'>' | b'!' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&'
                | b'|' | b'^' | b'#' => at + 1,
                _ => self.stranger(at),
            };
        }
        if !self.open.is_empty() {
            self.unclosed(bytes.len());
        }
        self.end_piece(bytes.len());
    }

    /// Gives up: nothing of the text is parsed.
    fn too_many_tokens(&mut self, at: usize) {
        self.scan.pieces.clear();
        self.piece = None;
        let width = self.text[at..].chars().next().map_or(0, char::len_utf8);
        self.report(
            Diagnostic::new(
                format!("the text has more than {MAX_TOKENS} tokens"),
                self.span(at..at + width),
                "the first token too many",
            )
            .help("tokens are names, numbers, operators and brackets; a row of a picture counts as one")
            .help("a large fractal is shorter as a picture, or by `levels` of smaller ones"),
        );
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span { source: self.source, start: range.start as u32, end: range.end as u32 }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.scan.diagnostics.push(diagnostic);
    }

    fn blank(&mut self, range: Range<usize>) {
        self.scan.text[range].fill(b' ');
    }

    /// Reports something that the parser shall not see, and blanks it.
    fn reject(&mut self, range: Range<usize>, diagnostic: Diagnostic) -> usize {
        if let Some(piece) = &mut self.piece {
            piece.blanked.push(range.start);
        }
        self.report(diagnostic);
        let end = range.end;
        self.blank(range);
        end
    }

    fn end_piece(&mut self, end: usize) {
        if let Some(mut piece) = self.piece.take() {
            piece.range.end = end;
            self.scan.pieces.push(piece);
        }
        self.suspect = None;
    }

    fn break_piece(&mut self) {
        if let Some(piece) = &mut self.piece {
            piece.broken = true;
        }
    }

    fn comment(&mut self, start: usize, own_line: bool) -> usize {
        let rest = &self.text[start..];
        let line = rest.lines().next().unwrap_or(rest);
        let text = line.trim_end().to_owned();
        let end = start + line.len();
        if let Some(at) = text.bytes().position(|byte| byte.is_ascii_control() && byte != b'\t') {
            self.stranger(start + at);
        }
        self.scan.comments.push(Comment { span: self.span(start..start + text.len()), text, own_line });
        self.blank(start..end);
        end
    }

    fn string(&mut self, start: usize) -> usize {
        let rest = &self.text[start + 1..];
        let length = rest.find(['"', '\n']).unwrap_or(rest.len());
        if !rest[length..].starts_with('"') {
            let end = start + 1 + rest[..length].trim_end().len();
            return self.reject(
                start..end,
                Diagnostic::new("unterminated string", self.span(start..end), "no `\"` ends it on this line")
                    .help("a string ends with `\"` on the line on which it begins"),
            );
        }
        let end = start + 1 + length + 1;
        if let Some(at) = rest[..length].find(|c: char| c.is_control()) {
            self.stranger(start + 1 + at);
        }
        let is_use = self.piece.as_ref().is_some_and(|piece| {
            let first = &self.text[piece.range.start..];
            first.starts_with("use") && word_end(first.as_bytes(), 0) == 3
        });
        if is_use && self.open.is_empty() {
            self.end_piece(end);
        }
        end
    }

    /// A character that the language does not have.
    fn stranger(&mut self, at: usize) -> usize {
        let Some(c) = self.text[at..].chars().next() else { return at + 1 };
        let end = at + c.len_utf8();
        let shown = if c.is_control() || c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}') {
            format!("U+{:04X}", c as u32)
        } else {
            c.to_string()
        };
        let instead = match c {
            '\u{d7}' | '\u{b7}' => Some("`*`"),
            '\u{f7}' => Some("`/`"),
            '\u{2212}' | '\u{2013}' | '\u{2014}' => Some("`-`"),
            '\u{2264}' => Some("`<=`"),
            '\u{2265}' => Some("`>=`"),
            '\u{2260}' => Some("`!=`"),
            '\u{201c}' | '\u{201d}' | '\'' => Some("`\"`"),
            '\u{2208}' => Some("`in`"),
            '\u{ac}' | '~' => Some("`!`"),
            '\\' => Some("`/`"),
            _ if c.is_whitespace() => Some("a blank"),
            _ => None,
        };
        let mut diagnostic =
            Diagnostic::new(format!("`{shown}` is not a character of the language"), self.span(at..end), "");
        diagnostic = match instead {
            Some(instead) => diagnostic.help(format!("write {instead} instead")),
            None if c == '?' => diagnostic.help("a choice is written `if a { b } else { c }`"),
            None => diagnostic.help("letters outside ASCII and other signs may stand in comments only"),
        };
        self.reject(at..end, diagnostic)
    }

    fn opener(&mut self, at: usize) -> usize {
        self.open.push((self.text.as_bytes()[at], at));
        let most = self.most_nesting;
        if self.open.len() == most + 1 {
            let outermost = self.open[0].1;
            let message = format!("brackets nest more than {most} deep");
            let label = format!("this one is at depth {}", most + 1);
            let diagnostic = Diagnostic::new(message, self.span(at..at + 1), label)
                .also(self.span(outermost..outermost + 1), "the outermost one is here");
            self.report(match most == MAX_NESTING {
                true => diagnostic.help(format!("`{{`, `(` and `[` may nest at most {most} deep in one another")),
                false => Diagnostic { of_system: true, ..diagnostic.help("the system gives no stack for more") },
            });
            self.break_piece();
        }
        at + 1
    }

    fn closer(&mut self, at: usize, starts_line: bool) -> usize {
        let found = self.text.as_bytes()[at];
        match self.open.iter().rposition(|&(opener, _)| closer(opener) == found) {
            Some(index) if index + 1 == self.open.len() => {
                let opened = self.open[index].1;
                self.open.pop();
                if starts_line && self.suspect.is_none() && self.indentation(at) < self.indentation(opened) {
                    self.suspect = Some(opened);
                }
            }
            Some(index) => {
                let (opener, opened) = *self.open.last().unwrap_or(&(b'{', at));
                let diagnostic = self.mismatch(at, opener, opened);
                self.report(diagnostic);
                self.break_piece();
                self.open.truncate(index);
            }
            None => {
                let diagnostic = match self.open.last() {
                    Some(&(opener, opened)) => self.mismatch(at, opener, opened),
                    None => {
                        let mut diagnostic = Diagnostic::new(
                            format!("`{}` closes nothing", found as char),
                            self.span(at..at + 1),
                            "nothing is open here",
                        );
                        if let Some(last) = self.scan.pieces.last() {
                            let end = self.last_character(last.range.end);
                            diagnostic = diagnostic.also(end, "the definition before ends here");
                        }
                        diagnostic
                    }
                };
                self.report(diagnostic);
                self.break_piece();
            }
        }
        if self.open.is_empty() && !self.in_entry() {
            self.end_piece(at + 1);
        }
        at + 1
    }

    /// Whether the piece is a constant or a function, which no bracket ends.
    fn in_entry(&self) -> bool {
        self.piece.as_ref().is_some_and(|piece| {
            matches!(self.kind_at(piece.range.start), Some(Some(DefKind::Const | DefKind::Function)))
        })
    }

    fn mismatch(&self, at: usize, opener: u8, opened: usize) -> Diagnostic {
        let found = self.text.as_bytes()[at] as char;
        let (opener, wanted) = (opener as char, closer(opener) as char);
        let message = format!("`{opener}` is closed by `{found}`");
        Diagnostic::new(message, self.span(at..at + 1), format!("expected `{wanted}` before this"))
            .also(self.span(opened..opened + 1), "opened here")
    }

    /// Brackets are open where the text ends or another definition begins.
    fn unclosed(&mut self, at: usize) {
        let Some(&(opener, opened)) = self.open.last() else { return };
        let end = self.text[..at].trim_end().len();
        let wanted = closer(opener) as char;
        let place = if at == self.text.len() { "the text ends here" } else { "another definition begins after this" };
        let message = format!("`{}` is never closed", opener as char);
        let mut diagnostic = Diagnostic::new(message, self.span(opened..opened + 1), "opened here")
            .also(self.last_character(end), place);
        if let Some(suspect) = self.suspect
            && suspect != opened
        {
            let span = self.span(suspect..suspect + 1);
            diagnostic = diagnostic.also(span, "the indentation suggests that this one is not closed");
        }
        self.report(diagnostic.help(format!("add `{wanted}`")));
        self.break_piece();
        self.open.clear();
        self.end_piece(end);
    }

    /// The place of the character that ends before `end`.
    fn last_character(&self, end: usize) -> Span {
        let last = self.text[..end].chars().next_back().map_or(0, char::len_utf8);
        self.span(end - last..end)
    }

    fn indentation(&self, at: usize) -> usize {
        let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[line..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// The kind of definition that the word at `at` begins at the top level.
    fn kind_at(&self, at: usize) -> Option<Option<DefKind>> {
        definition_kind(&self.text[at..word_end(self.text.as_bytes(), at)])
    }

    /// Whether the text at `at` can be nothing but the head of a definition, even with brackets open.
    fn begins_definition(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let skip = |mut at: usize, blanks: &[u8]| {
            while bytes.get(at).is_some_and(|byte| blanks.contains(byte)) {
                at += 1;
            }
            at
        };
        let end = word_end(bytes, at);
        let Some(kind) = self.kind_at(at) else { return false };
        // On one line: in a picture, rows like `use` and `"x"` may follow one another.
        let name = skip(end, b" \t");
        let name_end = word_end(bytes, name);
        let after = skip(name_end, b" \t\r\n");
        match kind {
            None => bytes.get(name) == Some(&b'"'),
            // These stand in rules too.
            Some(DefKind::Const | DefKind::Function | DefKind::Neighbourhood) => false,
            Some(DefKind::Fractal | DefKind::Rule) => {
                let opener = b'{';
                // A variable may be called `rule`, as in `rule in {1, 2}`.
                name_end > name && &bytes[name..name_end] != b"in" && bytes.get(after) == Some(&opener)
            }
        }
    }
}
