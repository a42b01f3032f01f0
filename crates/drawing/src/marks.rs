//! Sheets, and the marks on them.

use crate::Image;
use crate::font::missing;
use std::ffi::OsStr;
use zeno::{Command, Point};

/// A place on a sheet: to the right and down from its upper left corner.
pub type SheetPlace = (f64, f64);

/// Marks, from the bottom up, on a ground of one colour.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sheet {
    /// Width and height.
    pub size: [f64; 2],
    /// The words that a screen reader says in place of it.
    pub title: String,
    /// The colour of the ground, such as `0xffffff`. So are all others.
    pub ground: u32,
    /// The marks on it, from back to front.
    pub(crate) marks: Vec<Mark>,
    /// Its width on paper in millimetres; without it a length of one is a 96th of an inch, as browsers have it.
    pub paper: Option<f64>,
    /// Pixels along a length of one, where it is printed as pixels.
    pub scale: f64,
}

/// Something on a sheet that all printers print.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// Lines and curves, or the area that they enclose.
    Path {
        /// From one place to the next.
        path: Vec<Command>,
        /// How it is painted.
        paint: Paint,
    },
    /// A line of text.
    Text(TextMark),
    /// An image whose pixels stay sharp.
    Image {
        /// Left, top, width and height.
        place: [f64; 4],
        /// Its pixels.
        image: Image,
    },
}

/// How a path is painted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paint {
    /// The area inside has this colour and opacity.
    Fill(u32, f64),
    /// The path itself is seen.
    Line(Stroke),
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    /// The colour.
    pub(crate) ink: u32,
    /// How wide it is.
    pub(crate) width: f64,
    /// From 0, which is invisible, to 1.
    pub(crate) opacity: f64,
    /// Lengths of dashes and gaps in turn; none for a line without gaps.
    pub(crate) dashes: &'static [f64],
}

impl Stroke {
    /// A line without gaps.
    pub(crate) const fn new(ink: u32, width: f64) -> Stroke {
        Stroke { ink, width, opacity: 1.0, dashes: &[] }
    }
}

/// A line of text. `^{…}` in it is raised.
#[derive(Clone, Debug, PartialEq)]
pub struct TextMark {
    /// Where its foot stands.
    pub at: SheetPlace,
    /// Which part of it stands there.
    pub anchor: Anchor,
    /// The height of a line.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// Whether it is read from below.
    pub upwards: bool,
    /// The colour.
    pub ink: u32,
    /// Its letters.
    pub text: String,
}

/// Where a text stands beside its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

impl TextMark {
    /// A text from left to right.
    pub fn new(at: SheetPlace, anchor: Anchor, size: f64, ink: u32, text: &str) -> TextMark {
        TextMark { at, anchor, size, bold: false, upwards: false, ink, text: text.to_owned() }
    }

    /// The same in bold letters.
    pub fn bold(self) -> TextMark {
        TextMark { bold: true, ..self }
    }

    /// The same, read from below.
    pub(crate) fn upwards(self) -> TextMark {
        TextMark { upwards: true, ..self }
    }
}

/// The form in which a sheet is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Pixels.
    Png,
    /// Lines and letters, for browsers and editors.
    Svg,
    /// Lines and the outlines of letters, for papers.
    Pdf,
}

impl Format {
    /// The format of a file by the end of its name.
    pub fn of_extension(extension: &OsStr) -> Option<Format> {
        let all = [("png", Format::Png), ("svg", Format::Svg), ("pdf", Format::Pdf)];
        all.into_iter().find(|(known, _)| extension.eq_ignore_ascii_case(known)).map(|(_, format)| format)
    }
}

impl Sheet {
    /// An empty white sheet.
    pub fn new(width: f64, height: f64, title: &str) -> Sheet {
        let (size, title) = ([width, height], title.to_owned());
        Sheet { size, title, ground: 0xffffff, marks: Vec::new(), paper: None, scale: 1.0 }
    }

    /// A straight line.
    pub(crate) fn line(&mut self, from: SheetPlace, to: SheetPlace, stroke: Stroke) {
        self.lines(&[from, to], stroke);
    }

    /// A line through places.
    pub(crate) fn lines(&mut self, places: &[SheetPlace], stroke: Stroke) {
        self.marks.push(Mark::Path { path: through(places).collect(), paint: Paint::Line(stroke) });
    }

    /// A filled polygon.
    pub(crate) fn area(&mut self, corners: &[SheetPlace], ink: u32, opacity: f64) {
        let path = through(corners).chain([Command::Close]).collect();
        self.marks.push(Mark::Path { path, paint: Paint::Fill(ink, opacity) });
    }

    /// A filled circle.
    pub(crate) fn disc(&mut self, middle: SheetPlace, radius: f64, ink: u32) {
        let on = |eighths: f64, reach: f64| {
            let (up, along) = (eighths * std::f64::consts::FRAC_PI_8).sin_cos();
            point((middle.0 + reach * along, middle.1 + reach * up))
        };
        // Curves of an eighth, whose control points lie where the tangents of their ends meet.
        let outer = radius / std::f64::consts::FRAC_PI_8.cos();
        let curve = |i: i32| Command::QuadTo(on(f64::from(2 * i + 1), outer), on(f64::from(2 * i + 2), radius));
        let path = [Command::MoveTo(on(0.0, radius))].into_iter().chain((0..8).map(curve)).chain([Command::Close]);
        self.marks.push(Mark::Path { path: path.collect(), paint: Paint::Fill(ink, 1.0) });
    }

    /// Filled rectangles of one colour: left, top, width and height of each.
    pub fn boxes(&mut self, boxes: &[[f64; 4]], ink: u32) {
        let outline = |&[x, y, width, height]: &[f64; 4]| {
            let corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
            through(&corners).chain([Command::Close]).collect::<Vec<_>>()
        };
        let path = boxes.iter().flat_map(outline).collect();
        self.marks.push(Mark::Path { path, paint: Paint::Fill(ink, 1.0) });
    }

    /// A text.
    #[doc(hidden)]
    pub fn text(&mut self, text: TextMark) {
        self.marks.push(Mark::Text(text));
    }

    /// The letters of its texts that the font lacks and a file of this format shows as question marks, each once.
    #[doc(hidden)]
    pub fn missing(&self, format: Format) -> Vec<char> {
        let mut letters = Vec::new();
        let texts = self.marks.iter().filter_map(|mark| match mark {
            Mark::Text(text) if format != Format::Svg => Some(&text.text),
            _ => None,
        });
        for letter in texts.flat_map(|text| missing(text)) {
            if !letters.contains(&letter) {
                letters.push(letter);
            }
        }
        letters
    }

    /// The bytes of a file.
    pub fn bytes(&self, format: Format) -> Vec<u8> {
        match format {
            Format::Png => self.to_image().to_png(),
            Format::Svg => self.to_svg().into_bytes(),
            Format::Pdf => self.to_pdf(),
        }
    }
}

/// A place as paths have it.
fn point((x, y): SheetPlace) -> Point {
    Point::new(x as f32, y as f32)
}

/// A path from the first of these places through the others.
fn through(places: &[SheetPlace]) -> impl Iterator<Item = Command> {
    places.iter().enumerate().map(|(i, place)| match i {
        0 => Command::MoveTo(point(*place)),
        _ => Command::LineTo(point(*place)),
    })
}

/// An image with about a pixel for a length of one, since some viewers blur what they enlarge.
pub(crate) fn sharp(image: &Image, [_, _, width, height]: [f64; 4]) -> Image {
    let times = (width / f64::from(image.width)).min(height / f64::from(image.height));
    image.clone().enlarged((times as u32).max(1))
}

/// Red, green and blue of a colour.
pub(crate) fn channels(ink: u32) -> [u8; 3] {
    [16, 8, 0].map(|shift| (ink >> shift) as u8)
}

/// Where a path is after a command, before which it was `here`. Behind a closed outline comes the beginning of another.
pub(crate) fn end(command: Command, here: Point) -> Point {
    match command {
        Command::MoveTo(end) | Command::LineTo(end) | Command::QuadTo(_, end) | Command::CurveTo(_, _, end) => end,
        Command::Close => here,
    }
}

/// A place with at most two digits behind the points.
pub(crate) fn at(place: Point) -> String {
    format!("{} {}", number(place.x.into()), number(place.y.into()))
}

/// A length with at most two digits behind the point.
pub(crate) fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // No negative zero.
    format!("{}", rounded + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short() {
        assert_eq!([0.0, -0.001, 2.5, 1.0 / 3.0, 1e6].map(number), ["0", "0", "2.5", "0.33", "1000000"]);
    }
}
