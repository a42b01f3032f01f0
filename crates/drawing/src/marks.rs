//! Sheets, and the marks on them.

use crate::Image;
use std::ffi::OsStr;

/// A place on a sheet: to the right and down from its upper left corner.
pub type Place = (f64, f64);

/// Marks, from the bottom up, on a ground of one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Width and height.
    pub size: [f64; 2],
    /// The words that a screen reader says in place of it.
    pub title: String,
    /// The colour of the ground, such as `0xffffff`. So are all others.
    pub ground: u32,
    /// What lies on it.
    pub marks: Vec<Mark>,
    /// Its width on paper in millimetres; without it a length of one is a 96th of an inch, as browsers have it.
    pub paper: Option<f64>,
    /// Pixels along a length of one, where it is printed as pixels.
    pub scale: f64,
}

/// Something on a sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line through points.
    Line {
        /// The points.
        points: Vec<Place>,
        /// How it is drawn.
        stroke: Stroke,
    },
    /// A filled circle.
    Disc {
        /// Its middle.
        middle: Place,
        /// From there to its edge.
        radius: f64,
        /// Its colour.
        ink: u32,
    },
    /// Filled rectangles of one colour.
    Boxes {
        /// Left, top, width and height of each.
        boxes: Vec<[f64; 4]>,
        /// Their colour.
        ink: u32,
    },
    /// A filled polygon.
    Area {
        /// Its corners.
        corners: Vec<Place>,
        /// Its colour.
        ink: u32,
        /// From 0, which nobody sees, to 1.
        opacity: f64,
    },
    /// A line of text.
    Text(Text),
    /// An image whose pixels stay sharp.
    Image {
        /// Left, top, width and height.
        place: [f64; 4],
        /// Its pixels.
        image: Image,
    },
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// The colour.
    pub ink: u32,
    /// How wide it is.
    pub width: f64,
    /// From 0, which nobody sees, to 1.
    pub opacity: f64,
    /// Lengths of dashes and gaps in turn; none for a line without gaps.
    pub dashes: &'static [f64],
}

impl Stroke {
    /// A line without gaps.
    pub(crate) const fn new(ink: u32, width: f64) -> Stroke {
        Stroke { ink, width, opacity: 1.0, dashes: &[] }
    }
}

/// A line of text. `^{…}` in it is raised.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Where its foot stands.
    pub at: Place,
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
    /// What it says.
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

impl Text {
    /// A text from left to right.
    pub fn new(at: Place, anchor: Anchor, size: f64, ink: u32, text: &str) -> Text {
        Text { at, anchor, size, bold: false, upwards: false, ink, text: text.to_owned() }
    }

    /// The same in bold letters.
    pub fn bold(self) -> Text {
        Text { bold: true, ..self }
    }

    /// The same, read from below.
    pub(crate) fn upwards(self) -> Text {
        Text { upwards: true, ..self }
    }
}

/// What a sheet is printed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub(crate) fn line(&mut self, from: Place, to: Place, stroke: Stroke) {
        self.marks.push(Mark::Line { points: vec![from, to], stroke });
    }

    /// A text.
    pub fn text(&mut self, text: Text) {
        self.marks.push(Mark::Text(text));
    }

    /// The bytes of the pixels, three each.
    pub fn pixel_bytes(&self) -> u64 {
        let [width, height] = self.size.map(|side| (side * self.scale) as u64);
        3 * width * height
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

/// An image with about a pixel for a length of one, since some viewers blur what they enlarge.
pub(crate) fn sharp(image: &Image, [_, _, width, height]: [f64; 4]) -> Image {
    let times = (width / f64::from(image.width)).min(height / f64::from(image.height));
    image.clone().enlarged((times as u32).max(1))
}

/// Red, green and blue of a colour.
pub(crate) fn channels(ink: u32) -> [u8; 3] {
    [16, 8, 0].map(|shift| (ink >> shift) as u8)
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
