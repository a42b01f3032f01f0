//! Patterns of programs for life-like automata: which places are in which states.
//!
//! | ending | what |
//! |---|---|
//! | `.rle` | run-length encoded, as Golly and most others write it; its head and its end may be missing |
//! | `.cells` | plain text: `.` and `O` |
//! | `.lif`, `.life` | Life 1.05 (blocks of `.` and `*`) and Life 1.06 (coordinates) |
//! | `.mcl` | Mirek's Cellebration |
//! | `.mc` | Golly's macrocells: a tree of squares |
//!
//! Each may be packed by gzip, `.rle.gz`. The format follows from the text, not from the name. Lines end as on any system, and a mark of byte order may
//! stand before them. The upper left corner is at the origin, also where a format has coordinates below 0.

mod formats;
#[cfg(test)]
mod tests;

use squeeze_compiler::geometry::Domain;
use squeeze_engine::failure::{Message, Result};
use squeeze_golly::{self as golly, Emulation};
use squeeze_host::files::{self, Links};
use std::borrow::Cow;
use std::path::Path;

/// How the names of files end that hold patterns, perhaps with `.gz` behind it.
pub(crate) const ENDINGS: [&str; 6] = ["rle", "cells", "lif", "life", "mcl", "mc"];

/// The most live cells.
const MOST_LIVE: u64 = 1 << 28;

/// A pattern that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedPattern {
    /// The rule that its head names.
    pub rule: Option<String>,
    /// The grid that it says it lives on, as in `T40,30`: what stands behind the colon of a rule in Golly's notation.
    pub grid: Option<String>,
    /// The width and the height that its head says it has.
    pub size: [u64; 2],
    /// Rows of cells in a state other than 0: the place of the first one, and how many there are.
    pub runs: Vec<([u64; 2], u64)>,
    /// The state of each row.
    pub states: Vec<u8>,
    /// The least width and height that hold all runs.
    pub extent: [u64; 2],
    /// Whether its end is missing, so that it may have been cut short.
    pub is_open: bool,
}

impl ImportedPattern {
    /// Adds a row of `count` live cells.
    fn add(&mut self, [x, y]: [u64; 2], count: u64, state: u8, live: &mut u64) -> Result<(), String> {
        *live += count;
        if *live > MOST_LIVE {
            return Err("it has too many live cells".to_owned());
        }
        self.extent = [self.extent[0].max(x + count), self.extent[1].max(y + 1)];
        match (self.runs.last_mut(), self.states.last()) {
            (Some(([from, row], before)), Some(&last)) if *row == y && *from + *before == x && last == state => {
                *before += count;
            }
            _ => {
                self.runs.push(([x, y], count));
                self.states.push(state);
            }
        }
        Ok(())
    }
}

/// A note for a pattern or a rule that names another grid than the domain.
pub(crate) fn note_of_grid(grid: Option<&str>, source: &str, domain: &Domain) -> Option<String> {
    let grid = grid.filter(|grid| !golly::is_grid(grid, domain))?;
    let name = &domain.fractal().name;
    Some(match golly::described(grid) {
        Ok((what, parts)) => {
            format!(
                "`{source}` lives on {what}, and `{name}` is not that: `domain grid {{ {parts} }}` is, or `{grid}` in its place"
            )
        }
        Err(what) => format!("`{source}` lives on {what} of Golly's, and `{name}` is not that"),
    })
}

/// A note for a pattern of this rule, if Golly emulates the rule, so that its cells mean something else there.
pub(crate) fn note_of_emulation(rule: &str, source: &str) -> Option<String> {
    Some(match golly::emulation(rule)? {
        Emulation::Dual(dual) => format!(
            "`{source}` is a pattern of {rule}, and Golly runs {dual} on its cells, which is the same with live and dead cells exchanged; `--rule {dual}` does what Golly does"
        ),
        Emulation::Inverted => format!(
            "`{source}` is a pattern of {rule}, and Golly shows the cells of its odd steps inverted; beyond the edges of a box they take turns there"
        ),
    })
}

/// Whether a file's name is that of a pattern.
pub fn is_pattern(path: &Path) -> bool {
    ending(path).is_some_and(|(ending, _)| ENDINGS.contains(&ending.as_str()))
}

/// How a file's name ends, without `.gz`, and whether it ends with that.
fn ending(path: &Path) -> Option<(String, bool)> {
    let of = |path: &Path| Some(path.extension()?.to_string_lossy().to_ascii_lowercase());
    let last = of(path)?;
    if last == "gz" { Some((of(Path::new(path.file_stem()?))?, true)) } else { Some((last, false)) }
}

/// Reads a pattern, from at most `limit` bytes of text. It takes no more memory than they do, however large the pattern is.
///
/// # Errors
/// If the file cannot be read, or holds no pattern.
pub fn read(path: &Path, limit: u64) -> Result<ImportedPattern> {
    let unread = |reason| Message::users(format!("`{}` cannot be read: {reason}", path.display()));
    Ok(parse(path, limit)?.map_err(unread)?)
}

/// The same with what is wrong with the text as part of a sentence, with the line and the column.
pub(crate) fn parse(path: &Path, limit: u64) -> Result<Result<ImportedPattern, String>> {
    let (ending, is_packed) = ending(path).unwrap_or_default();
    let bytes = files::read(path, limit, Links::Followed)?;
    let bytes = if is_packed { unpacked(&bytes, limit) } else { Ok(bytes) };
    Ok(bytes.and_then(|bytes| formats::parse(&decoded(&bytes), ending == "cells", formats::MOST_OF_TREE)))
}

/// The pattern of a text, whose live cells are at most as many as this.
///
/// # Errors
/// If it is none, or has more.
pub fn of_text(text: &str, most: u64) -> Result<ImportedPattern, Message> {
    let pattern = formats::parse(&decoded(text.as_bytes()), false, most.min(formats::MOST_OF_TREE));
    let pattern = pattern.map_err(|reason| Message::users(format!("the pattern cannot be read: {reason}")))?;
    if pattern.runs.iter().map(|(_, count)| count).sum::<u64>() > most {
        return Err(Message::users(format!("the pattern has more than {most} live cells")));
    }
    Ok(pattern)
}

/// The contents of a gzip file, if they are not longer than the limit.
#[cfg(feature = "files")]
fn unpacked(bytes: &[u8], limit: u64) -> Result<Vec<u8>, String> {
    use std::io::Read;
    let mut text = Vec::new();
    let read = flate2::read::MultiGzDecoder::new(bytes).take(limit + 1).read_to_end(&mut text);
    read.map_err(|error| format!("gzip cannot unpack it: {error}"))?;
    if text.len() as u64 > limit {
        return Err(format!("unpacked it is too long: it may have {limit} bytes"));
    }
    Ok(text)
}

#[cfg(not(feature = "files"))]
fn unpacked(_bytes: &[u8], _limit: u64) -> Result<Vec<u8>, String> {
    Err("it is packed, which takes the feature `files`".to_owned())
}

/// The text of a file: its mark of byte order is left out, and lines end with `\n`.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |bytes: &[u8], word: fn([u8; 2]) -> u16| -> String {
        let words = bytes.as_chunks::<2>().0.iter().map(|pair| word(*pair));
        char::decode_utf16(words).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    let text = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(wide(rest, u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes),
    };
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { text }
}
