//! Sheets as PDF: one page, on which letters are outlines, so that no font is embedded and none is missing.

use crate::font::outlines;
use crate::marks::{Mark, Paint, Sheet, at, channels, end, number};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fmt::Write as _;
use std::io::Write as _;
use zeno::{Command, Point};

/// Points of a printer in an inch, and lengths of one.
const POINTS: f64 = 72.0;
const LENGTHS: f64 = 96.0;
const MILLIMETRES: f64 = 25.4;

impl Sheet {
    /// The sheet as PDF: equal marks give equal bytes.
    pub(crate) fn to_pdf(&self) -> Vec<u8> {
        let scale = self.paper.map_or(POINTS / LENGTHS, |paper| paper / MILLIMETRES * POINTS / self.size[0]);
        let [width, height] = self.size.map(|side| number(side * scale));
        let (drawing, images) = self.drawing(scale);
        let title: String = self.title.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
        let named: String = (0..images.len()).map(|i| format!("/I{i} {} 0 R ", FIRST_IMAGE + i)).collect();
        let mut objects = vec![
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents 4 0 R/Resources<</XObject<<{named}>>>>>>"
            )
            .into_bytes(),
            stream("", drawing.as_bytes()),
            format!("<</Title<FEFF{title}>>>").into_bytes(),
        ];
        objects.extend(images.iter().map(|image| {
            let [width, height] = [image.width, image.height];
            let head = format!(
                "/Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceRGB/BitsPerComponent 8"
            );
            stream(&head, &image.pixels)
        }));
        file(&objects)
    }

    /// The marks in the notation of PDF, and the images among them.
    fn drawing(&self, scale: f64) -> (String, Vec<&crate::Image>) {
        let [width, height] = self.size;
        let (mut out, mut images) = (String::new(), Vec::new());
        // Round ends and corners; y grows downwards.
        _ = writeln!(out, "1 J 1 j {scale:.6} 0 0 {:.6} 0 {:.6} cm", -scale, height * scale);
        _ = writeln!(out, "{} rg 0 0 {} {} re f", colour(self.ground), number(width), number(height));
        for mark in &self.marks {
            // Writing to a string cannot fail.
            _ = match mark {
                Mark::Path { path, paint: Paint::Line(stroke) } => {
                    let dashes: Vec<String> = stroke.dashes.iter().copied().map(number).collect();
                    let ink = mixed(self.ground, stroke.ink, stroke.opacity);
                    let (width, dashes) = (number(stroke.width), dashes.join(" "));
                    writeln!(out, "{} RG {width} w [{dashes}] 0 d {}S", colour(ink), shape(path))
                }
                Mark::Path { path, paint: Paint::Fill(ink, opacity) } => {
                    writeln!(out, "{} rg {}f", colour(mixed(self.ground, *ink, *opacity)), shape(path))
                }
                Mark::Text(text) => writeln!(out, "{} rg {}f", colour(text.ink), shape(&outlines(text))),
                Mark::Image { place: [x, y, width, height], image } => {
                    let [x, foot, width, height] = [*x, y + height, *width, -height].map(number);
                    images.push(image);
                    writeln!(out, "q {width} 0 0 {height} {x} {foot} cm /I{} Do Q", images.len() - 1)
                }
            };
        }
        (out, images)
    }
}

/// The number of the first object that is an image.
const FIRST_IMAGE: usize = 6;

fn colour(ink: u32) -> String {
    channels(ink).map(|channel| format!("{:.3}", f64::from(channel) / 255.0)).join(" ")
}

/// A colour that is not opaque, over the ground.
fn mixed(ground: u32, ink: u32, opacity: f64) -> u32 {
    let mix = |(ground, ink): (u8, u8)| f64::from(ground) + opacity * (f64::from(ink) - f64::from(ground));
    channels(ground).into_iter().zip(channels(ink)).map(mix).fold(0, |code, channel| code << 8 | channel.round() as u32)
}

/// A path in the notation of PDF.
fn shape(path: &[Command]) -> String {
    let (mut out, mut here) = (String::new(), Point::default());
    for command in path {
        out += &match *command {
            Command::MoveTo(end) => format!("{} m ", at(end)),
            Command::LineTo(end) => format!("{} l ", at(end)),
            Command::QuadTo(control, end) => {
                // PDF knows cubic curves only; a quadratic curve is a cubic one.
                let towards = |from: Point| from * (1.0 / 3.0) + control * (2.0 / 3.0);
                format!("{} {} {} c ", at(towards(here)), at(towards(end)), at(end))
            }
            Command::CurveTo(first, second, end) => format!("{} {} {} c ", at(first), at(second), at(end)),
            Command::Close => "h ".to_owned(),
        };
        here = end(*command, here);
    }
    out
}

/// A compressed stream with the entries of its dictionary.
fn stream(head: &str, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory can be written to");
    let mut object = format!("<<{head}/Filter/FlateDecode/Length {}>>stream\n", packed.len()).into_bytes();
    object.extend(packed);
    object.extend(b"\nendstream");
    object
}

/// A file of objects, the first of which is the catalogue and the fifth what the file is.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (i, object) in objects.iter().enumerate() {
        _ = writeln!(table, "{:010} 00000 n ", file.len());
        file.extend(format!("{} 0 obj\n", i + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let begin = file.len();
    file.extend(table.bytes());
    file.extend(
        format!("trailer<</Size {}/Root 1 0 R/Info 5 0 R>>\nstartxref\n{begin}\n%%EOF\n", objects.len() + 1).bytes(),
    );
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Image;
    use crate::marks::{Anchor, Stroke, TextMark};

    #[test]
    fn files_say_where_their_objects_are() {
        let mut sheet = Sheet::new(96.0, 48.0, "λ");
        sheet.line((1.0, 2.0), (3.0, 4.0), Stroke { opacity: 0.5, ..Stroke::new(0, 1.0) });
        sheet.text(TextMark::new((5.0, 6.0), Anchor::Start, 12.0, 0, "o"));
        let image = Image { width: 1, height: 1, pixels: vec![1, 2, 3] };
        sheet.marks.push(Mark::Image { place: [0.0, 10.0, 20.0, 30.0], image });
        let (drawing, images) = sheet.drawing(0.75);
        assert!(drawing.contains("0.502 0.502 0.502 RG 1 w [] 0 d 1 2 m 3 4 l S"), "{drawing}");
        assert!(drawing.contains(" c ") && drawing.contains("q 20 0 0 -30 0 40 cm /I0 Do Q") && images.len() == 1);
        let bytes = sheet.to_pdf();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("/MediaBox[0 0 72 36]") && text.contains("<FEFF03BB>") && text.ends_with("%%EOF\n"));
        let begin: usize = text.rsplit("startxref\n").next().unwrap().split('\n').next().unwrap().parse().unwrap();
        let table = std::str::from_utf8(&bytes[begin..]).unwrap();
        assert!(table.starts_with("xref\n0 7\n"), "{table}");
        for (i, line) in table.lines().skip(3).take(6).enumerate() {
            let at: usize = line.split(' ').next().unwrap().parse().unwrap();
            assert!(bytes[at..].starts_with(format!("{} 0 obj", i + 1).as_bytes()), "{line}");
        }
        sheet.paper = Some(25.4);
        assert!(String::from_utf8_lossy(&sheet.to_pdf()).contains("/MediaBox[0 0 72 36]"));
    }
}
