//! Texts that no user would write, made from texts that users wrote; shared by a test and the fuzzer.

use squeeze_compiler::text::source::Sources;
use squeeze_compiler::text::syntax::ast::SyntaxFile;
use squeeze_compiler::text::{diagnostics, syntax};
use squeeze_compiler::{NoFiles, check, shipped};

/// Texts longer than this are cut.
const MAX_BYTES: usize = 20_000;

/// Tokens worth putting in: words, operators, brackets, limits, and bytes that are no text.
const TOKENS: &[&[u8]] = &[
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b"\n",
    b";",
    b",",
    b"-",
    b"!",
    b" else ",
    b"if ",
    b" in ",
    b"{ let a = ",
    b"..=",
    b"..",
    b"=",
    b"==",
    b"<",
    b"&&",
    b"|",
    b"//",
    b"///",
    b"\"",
    b"#",
    b".",
    b"nb.",
    b"nb",
    b"0x",
    b"1e9",
    b"4294967296",
    b"99999999999999999999999999",
    b"-1",
    b"1.5",
    b"true",
    b"rule a {",
    b"fractal b {",
    b"use \"x\"",
    b"step s when ",
    b"next ",
    b"state ",
    b"enum { a, b }",
    b"levels [",
    b"pattern {",
    b"scale 2",
    b"dimension 3",
    b"replicas { 0: (0, 0) 1: (1, 1) }",
    b"random(0.5)",
    b"sum(moore, ",
    b"count(von_neumann(2), ",
    b"u[1, 0] else ",
    b"\t",
    b"\r\n",
    b"\xff",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
    b"\x00",
    b"\x02",
    b"\x1b[31m",
    b"\xe2\x80\xae",
];

/// A tree as text without places: equal ones mean the same and have the same comments in the same order.
pub(crate) fn without_places(file: &SyntaxFile) -> String {
    let text = format!("{file:?}").replace("own_line: true", "own_line: false");
    let mut parts = text.split("Span {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('}').map_or("", |(_, behind)| behind))
}

/// Deterministic random numbers (SplitMix64): the tests shall fail alike everywhere.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ (word >> 31)) % bound.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let end = start + self.below((length - start).min(200) + 1);
        start..end
    }
}

/// All shipped files and the examples of the language.
pub(crate) fn corpus() -> Vec<Vec<u8>> {
    let shipped = shipped::FRACTALS.iter().chain(shipped::RULES).map(|(_, text)| text.as_bytes().to_vec());
    shipped.chain([include_bytes!("design.squeeze").to_vec()]).collect()
}

/// A text of the corpus with a few changes.
pub(crate) fn mutate(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    mutate_with(corpus, TOKENS, random)
}

/// An input of a corpus with a few changes, where these tokens are worth putting in.
pub(crate) fn mutate_with(corpus: &[Vec<u8>], tokens: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut bytes = corpus[random.below(corpus.len())].clone();
    for _ in 0..1 + random.below(5) {
        let place = random.below(bytes.len() + 1);
        match random.below(8) {
            0 if place < bytes.len() => bytes[place] ^= 1 << random.below(8),
            1 if place < bytes.len() => bytes[place] = random.below(256) as u8,
            2 => drop(bytes.drain(random.range(bytes.len()))),
            3 => {
                let slice = bytes[random.range(bytes.len())].to_vec();
                drop(bytes.splice(place..place, slice));
            }
            4 => {
                let other = &corpus[random.below(corpus.len())];
                let slice = other[random.range(other.len())].to_vec();
                drop(bytes.splice(place..place, slice));
            }
            5 => {
                let token = tokens[random.below(tokens.len())];
                let times = if random.below(10) == 0 { 1 + random.below(3000) } else { 1 };
                drop(bytes.splice(place..place, token.repeat(times)));
            }
            6 => {
                let range = random.range(bytes.len());
                drop(bytes.splice(range, tokens[random.below(tokens.len())].iter().copied()));
            }
            _ => drop(bytes.splice(place..place, tokens[random.below(tokens.len())].iter().copied())),
        }
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

/// Puts bytes through everything that sees texts first: parser, printer, checker, renderer. Gives whether they parse.
///
/// # Errors
/// The fault of the front end, not of the text, in words.
pub(crate) fn exercise(bytes: &[u8]) -> Result<bool, String> {
    let mut sources = Sources::new();
    let text = match syntax::decode("mutant", bytes) {
        Ok(text) => text,
        Err(errors) => {
            diagnostics::render(&errors, &sources, false);
            return Ok(false);
        }
    };
    let id = sources.add("mutant", text);
    let (file, errors) = syntax::parse(&sources, id);
    let shown = diagnostics::render(&errors, &sources, false);
    if let Some(control) = shown.chars().find(|c| c.is_control() && *c != '\n') {
        return Err(format!("the rendered errors hold {control:?}"));
    }
    if shown.len() > 5000 * errors.len() {
        return Err(format!("{} bytes of errors", shown.len()));
    }
    diagnostics::render(&errors, &sources, true);
    let parses = errors.is_empty();
    if parses {
        let formatted = syntax::format(&sources, id).map_err(|_| "format fails where parse does not")?;
        let again = sources.add("formatted", formatted.clone());
        let (file_again, errors) = syntax::parse(&sources, again);
        if !errors.is_empty() {
            let shown = diagnostics::render(&errors, &sources, false);
            return Err(format!("the formatted text does not parse:\n{shown}\n{formatted}"));
        }
        if without_places(&file) != without_places(&file_again) {
            return Err(format!("the formatted text means something else:\n{formatted}"));
        }
        let twice = syntax::format(&sources, again).unwrap_or_default();
        if twice != formatted {
            return Err(format!("formatting again changes the text from\n{formatted}\nto\n{twice}"));
        }
    }
    if let Err(errors) = check(&mut sources, id, &mut NoFiles) {
        let shown = diagnostics::render(&errors, &sources, false);
        if errors.is_empty() || shown.is_empty() {
            return Err("refused without a reason".to_owned());
        }
    } else if !parses {
        return Err("compiled what does not parse".to_owned());
    }
    Ok(parses)
}
