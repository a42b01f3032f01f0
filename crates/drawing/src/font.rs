//! The letters: outlines of Liberation Sans, as wide as Helvetica and Arial, so that an SVG is laid out as a browser shows it. Signs that it lacks come
//! from Noto Sans, never bold. `font/glyphs.py` makes the files and describes them; `font/OFL.txt` is their licence.
//!
//! Outlines are embedded rather than bitmaps, because they serve all sizes, the turned labels of axes and PDF; a parser of whole fonts would take longer
//! to compile than this file.

use crate::{Anchor, TextMark};
use std::collections::HashMap;
use std::sync::LazyLock;
use zeno::{Command, Point, Transform};

static REGULAR: LazyLock<Font> = LazyLock::new(|| Font::read(include_bytes!("font/regular.glyphs")));
static BOLD: LazyLock<Font> = LazyLock::new(|| Font::read(include_bytes!("font/bold.glyphs")));

static SIGNS: LazyLock<Font> = LazyLock::new(|| Font::read(include_bytes!("font/signs.glyphs")));

/// The size of raised letters, and how far they are raised, in sizes of the text.
pub(crate) const RAISED: (f64, f64) = (0.72, 0.35);
/// How high a capital is, in sizes of the text.
pub(crate) const CAPITAL: f64 = 0.69;
/// Units of the files in one em.
const EM: f64 = 2048.0;

struct Font(HashMap<char, Glyph>);

/// A letter, in sizes of the text; y grows upwards.
struct Glyph {
    advance: f64,
    outlines: Vec<Command>,
}

impl Font {
    fn read(bytes: &[u8]) -> Font {
        let mut bytes = bytes.iter().copied();
        let mut number =
            |length: u32| (0..length).map(|i| u16::from(bytes.next().unwrap_or(0)) << (8 * i)).sum::<u16>();
        let mut glyphs = HashMap::new();
        // Behind the last letter there are zeros.
        while let code @ 1.. = number(2) {
            let advance = f64::from(number(2)) / EM;
            let mut outlines = Vec::new();
            for _ in 0..number(1) {
                let points = (0..number(1)).map(|_| {
                    let [x, y] = [number(2), number(2)].map(u16::cast_signed);
                    (x & 1 == 1, Point::new(f32::from(x >> 1), f32::from(y)) * (1.0 / EM as f32))
                });
                outlines.extend(outline(&points.collect::<Vec<_>>()));
            }
            glyphs.insert(char::from_u32(u32::from(code)).unwrap_or(' '), Glyph { advance, outlines });
        }
        Font(glyphs)
    }

    /// A letter, if there is an outline of it.
    fn own(&self, letter: char) -> Option<&Glyph> {
        let letter = match letter {
            '⟨' => '‹',
            '⟩' => '›',
            '⁻' => '-',
            _ => letter,
        };
        self.0.get(&letter).or_else(|| SIGNS.0.get(&letter))
    }

    /// The outline of a letter; that of a question mark if the font lacks it.
    fn glyph(&self, letter: char) -> &Glyph {
        self.own(letter).unwrap_or_else(|| &self.0[&'?'])
    }
}

/// The letters of a text that are drawn as question marks, except in SVG, whose reader has fonts of its own.
pub fn missing(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| REGULAR.own(*letter).is_none())
}

/// The closed outline through points, each of which lies on it or is a control point. The first lies on it.
fn outline(points: &[(bool, Point)]) -> Vec<Command> {
    let (mut path, mut control) = (Vec::new(), None);
    for &(is_on, place) in points.iter().chain(points.first()) {
        match (is_on, control.take()) {
            (false, _) => control = Some(place),
            (true, _) if path.is_empty() => path.push(Command::MoveTo(place)),
            (true, Some(control)) => path.push(Command::QuadTo(control, place)),
            (true, None) => path.push(Command::LineTo(place)),
        }
    }
    path.push(Command::Close);
    path
}

/// How wide a text is. `^{…}` in it is raised.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    size * laid_out(text, bold).last().map_or(0.0, |(glyph, part, pen, _)| pen + part * glyph.advance)
}

/// The letters of a text of size one, each with its size, and how far to the right and up it stands.
fn laid_out(text: &str, bold: bool) -> impl Iterator<Item = (&'static Glyph, f64, f64, f64)> {
    let font: &Font = if bold { &BOLD } else { &REGULAR };
    let mut pen = 0.0;
    parts(text).into_iter().flat_map(|(part, raised)| part.chars().map(move |letter| (letter, raised))).map(
        move |(letter, raised)| {
            let (size, up) = if raised { RAISED } else { (1.0, 0.0) };
            let glyph = font.glyph(letter);
            let at = pen;
            pen += size * glyph.advance;
            (glyph, size, at, up)
        },
    )
}

/// The outlines of a text on its sheet.
pub(crate) fn outlines(text: &TextMark) -> Vec<Command> {
    let all = width(&text.text, text.size, text.bold);
    let shift = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -all / 2.0,
        Anchor::End => -all,
    };
    let letters = laid_out(&text.text, text.bold).flat_map(|(glyph, size, pen, up)| {
        let (across, above) = (shift + text.size * pen, text.size * up);
        let scale = (text.size * size) as f32;
        let place = match text.upwards {
            true => Transform::new(0.0, -scale, -scale, 0.0, (text.at.0 - above) as f32, (text.at.1 - across) as f32),
            false => Transform::new(scale, 0.0, 0.0, -scale, (text.at.0 + across) as f32, (text.at.1 - above) as f32),
        };
        glyph.outlines.iter().map(move |command| command.transform(&place))
    });
    letters.collect()
}

/// The parts of a text, and whether each is raised.
pub(crate) fn parts(text: &str) -> Vec<(&str, bool)> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once("^{") {
        let (inside, after) = after.split_once('}').unwrap_or((after, ""));
        parts.extend([(before, false), (inside, true)]);
        rest = after;
    }
    parts.push((rest, false));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

/// A text that is at most so wide.
pub(crate) fn cut(text: &str, size: f64, bold: bool, most: f64) -> String {
    if width(text, size, bold) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        short.push(letter);
        if width(&short, size, bold) + size > most {
            short.pop();
            break;
        }
    }
    short + "…"
}

/// A text in lines that are at most so wide; none for none.
pub(crate) fn wrapped(text: &str, size: f64, bold: bool, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size, bold) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(cut(word, size, bold, most)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_fonts_have_all_letters_of_the_ranges() {
        for font in [&REGULAR, &BOLD] {
            assert_eq!(font.0.len(), REGULAR.0.len());
            for letter in "AZaz09ÀÿŐλΩαϕЖщґ−×·–…²√∞≤≥‹›⟨∝ₖℏħ∂∇±ₐ∮≪≃→⇌′‖".chars()
            {
                let glyph = font.own(letter).unwrap_or_else(|| panic!("no {letter}"));
                assert!(glyph.advance > 0.1 && glyph.outlines.len() > 3, "{letter}");
            }
        }
        assert!(REGULAR.0[&' '].outlines.is_empty());
    }

    #[test]
    fn letters_without_an_outline_are_named() {
        assert_eq!(missing("Температура ∝ ψₖᵢ of 温度, 10^{⁻3}").collect::<String>(), "温度");
        assert_eq!(missing("α\u{304}\t\u{feff}").collect::<Vec<_>>(), ['\u{304}', '\t', '\u{feff}']);
    }

    #[test]
    fn widths_are_those_of_helvetica() {
        let close = |text: &str, wanted: f64| assert!((width(text, 1.0, false) - wanted).abs() < 1e-3, "{text}");
        close("0", 0.556);
        close("AV", 0.667 + 0.667);
        close("10^{3}", 2.0 * 0.556 + RAISED.0 * 0.556);
        assert!(width("10^{3}", 1.0, false) < width("10^3}", 1.0, false));
        assert!(width("mean", 1.0, true) > width("mean", 1.0, false));
    }

    #[test]
    fn texts_are_cut_and_wrapped() {
        assert_eq!(cut("short", 10.0, false, 100.0), "short");
        let long = cut(&"x".repeat(5000), 10.0, false, 100.0);
        assert!(long.ends_with('…') && width(&long, 10.0, false) <= 100.0 && long.len() > 10, "{long}");
        assert_eq!(wrapped("one two three", 10.0, false, 45.0), ["one two", "three"]);
    }
}
