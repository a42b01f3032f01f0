//! Charts as pixels, for programs that take no SVG.
//!
//! Lines are as opaque in a pixel as they cover it, areas likewise; letters come from a font of grey levels (Noto Sans Mono), upright or
//! turned by a quarter.

use super::svg::{Anchor, Mark, Svg};
use crate::picture::Image;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Pixels for a length of one: what lies on a page is printed or shown on a fine screen.
const SCALE: f64 = 2.0;
/// Samples of an area along a side of a pixel.
const SAMPLES: u32 = 4;
/// The height of a letter's box, in sizes of its font.
const BOX: f64 = 1.25;
/// Corners of half a circle.
const CORNERS: u32 = 12;

/// What a page shows.
pub(super) fn image(svg: &Svg) -> Image {
    let [width, height] = svg.size().map(|side| (side * SCALE).ceil() as u32);
    let pixels = vec![255; 3 * width as usize * height as usize];
    let mut canvas = Canvas { image: Image { width, height, pixels }, cover: vec![0.0; (width * height) as usize] };
    for mark in svg.marks() {
        match mark {
            Mark::Line { points, style } => canvas.line(points, style),
            Mark::Area { path, style } => canvas.area(&outline(path), style),
            Mark::Text { at, anchor, size, style, text } => canvas.text(*at, *anchor, *size, style, text),
        }
    }
    canvas.image
}

/// The value of an attribute.
fn attribute<'a>(style: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = style;
    while let Some(at) = rest.find(name) {
        let whole = at == 0 || rest.as_bytes()[at - 1] == b' ';
        let value = rest[at + name.len()..].strip_prefix("=\"");
        match value {
            Some(value) if whole => return value.split('"').next(),
            _ => rest = &rest[at + name.len()..],
        }
    }
    None
}

fn number_of(style: &str, name: &str) -> Option<f64> {
    attribute(style, name)?.parse().ok()
}

/// A colour such as `#0072b2`; black if there is none.
fn colour(style: &str, name: &str) -> [u8; 3] {
    let code = attribute(style, name).and_then(|code| u32::from_str_radix(code.strip_prefix('#')?, 16).ok());
    [16, 8, 0].map(|shift| (code.unwrap_or(0) >> shift) as u8)
}

/// The corners of a path of straight lines and circles' arcs, in places of the page.
fn outline(path: &str) -> Vec<Vec<(f64, f64)>> {
    let (mut outlines, mut at) = (Vec::new(), (0.0, 0.0));
    let mut corners: Vec<(f64, f64)> = Vec::new();
    let mut rest = path;
    while let Some(command) = rest.chars().next() {
        rest = &rest[command.len_utf8()..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let numbers = numbers(&rest[..end]);
        rest = &rest[end..];
        let number = |i: usize| numbers.get(i).copied().unwrap_or(0.0);
        match command {
            'M' | 'L' => at = (number(0), number(1)),
            'h' => at.0 += number(0),
            'v' => at.1 += number(0),
            'a' => {
                // Half a circle: the middle lies between its ends.
                let (dx, dy) = (number(5), number(6));
                let (middle, radius) = ((at.0 + dx / 2.0, at.1 + dy / 2.0), dx.hypot(dy) / 2.0);
                let first = (-dy).atan2(-dx);
                let turn = if number(4) == 0.0 { -1.0 } else { 1.0 };
                for i in 1..CORNERS {
                    let angle = first + turn * std::f64::consts::PI * f64::from(i) / f64::from(CORNERS);
                    corners.push((middle.0 + radius * angle.cos(), middle.1 + radius * angle.sin()));
                }
                at = (at.0 + dx, at.1 + dy);
            }
            _ => {
                outlines.push(std::mem::take(&mut corners));
                continue;
            }
        }
        if command == 'M' && !corners.is_empty() {
            outlines.push(std::mem::take(&mut corners));
        }
        corners.push(at);
    }
    outlines.push(corners);
    outlines.retain(|corners| corners.len() > 2);
    outlines
}

/// Numbers one after the other, with blanks or a sign between them.
fn numbers(text: &str) -> Vec<f64> {
    let apart = text.replace('-', " -");
    apart.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
}

struct Canvas {
    image: Image,
    /// How far the mark that is being drawn covers each pixel; empty between marks.
    cover: Vec<f32>,
}

/// Pixels from the upper left corner to before the lower right one.
type Region = [u32; 4];

impl Canvas {
    /// The pixels around a box.
    fn region(&self, low: (f64, f64), high: (f64, f64)) -> Region {
        let within = |v: f64, most: u32| v.clamp(0.0, f64::from(most)) as u32;
        let (width, height) = (self.image.width, self.image.height);
        [
            within(low.0.floor(), width),
            within(low.1.floor(), height),
            within(high.0.ceil() + 1.0, width),
            within(high.1.ceil() + 1.0, height),
        ]
    }

    fn covered(&mut self, x: u32, y: u32, part: f64) {
        let at = (y * self.image.width + x) as usize;
        self.cover[at] = self.cover[at].max(part.clamp(0.0, 1.0) as f32);
    }

    /// Paints what is covered in a region, and uncovers it.
    fn paint(&mut self, [left, top, right, bottom]: Region, colour: [u8; 3], opacity: f64) {
        for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
            let at = (y * self.image.width + x) as usize;
            let part = std::mem::take(&mut self.cover[at]) * opacity as f32;
            if part > 0.0 {
                let before = self.image.get(x, y);
                let mixed = |i: usize| f32::from(before[i]) + part * (f32::from(colour[i]) - f32::from(before[i]));
                self.image.set(x, y, std::array::from_fn(|i| mixed(i).round() as u8));
            }
        }
    }

    fn line(&mut self, points: &[(f64, f64)], style: &str) {
        let half = SCALE * number_of(style, "stroke-width").unwrap_or(1.0) / 2.0;
        let dashes: Vec<f64> = attribute(style, "stroke-dasharray").map(numbers).unwrap_or_default();
        let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x * SCALE, y * SCALE)).collect();
        let mut all = [u32::MAX, u32::MAX, 0, 0];
        let mut walked = 0.0;
        for pair in points.windows(2) {
            let length = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
            for (from, to) in dashed(&dashes, walked, length) {
                let place = |along: f64| {
                    let part = if length > 0.0 { along / length } else { 0.0 };
                    (pair[0].0 + part * (pair[1].0 - pair[0].0), pair[0].1 + part * (pair[1].1 - pair[0].1))
                };
                let region = self.segment(place(from), place(to), half);
                all = [all[0].min(region[0]), all[1].min(region[1]), all[2].max(region[2]), all[3].max(region[3])];
            }
            walked += length;
        }
        self.paint(all, colour(style, "stroke"), number_of(style, "stroke-opacity").unwrap_or(1.0));
    }

    /// Covers a straight line.
    fn segment(&mut self, a: (f64, f64), b: (f64, f64), half: f64) -> Region {
        let reach = half + 1.0;
        let low = (a.0.min(b.0) - reach, a.1.min(b.1) - reach);
        let high = (a.0.max(b.0) + reach, a.1.max(b.1) + reach);
        let region @ [left, top, right, bottom] = self.region(low, high);
        let along = (b.0 - a.0, b.1 - a.1);
        let square = along.0 * along.0 + along.1 * along.1;
        for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
            let here = (f64::from(x) + 0.5 - a.0, f64::from(y) + 0.5 - a.1);
            let part =
                if square > 0.0 { ((here.0 * along.0 + here.1 * along.1) / square).clamp(0.0, 1.0) } else { 0.0 };
            let distance = (here.0 - part * along.0).hypot(here.1 - part * along.1);
            self.covered(x, y, half + 0.5 - distance);
        }
        region
    }

    fn area(&mut self, outlines: &[Vec<(f64, f64)>], style: &str) {
        for corners in outlines {
            let corners: Vec<(f64, f64)> = corners.iter().map(|(x, y)| (x * SCALE, y * SCALE)).collect();
            let ends = |pick: fn(&(f64, f64)) -> f64| {
                corners.iter().map(pick).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
            };
            let ((left, right), (top, bottom)) = (ends(|corner| corner.0), ends(|corner| corner.1));
            let region = self.region((left, top), (right, bottom));
            for (x, y) in (region[1]..region[3]).flat_map(|y| (region[0]..region[2]).map(move |x| (x, y))) {
                let sample = |i: u32| (f64::from(i) + 0.5) / f64::from(SAMPLES);
                let samples = (0..SAMPLES).flat_map(|i| (0..SAMPLES).map(move |j| (i, j)));
                let inside = samples
                    .filter(|&(i, j)| is_inside(&corners, f64::from(x) + sample(i), f64::from(y) + sample(j)))
                    .count();
                self.covered(x, y, inside as f64 / f64::from(SAMPLES * SAMPLES));
            }
            self.paint(region, colour(style, "fill"), 1.0);
        }
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, style: &str, text: &str) {
        let bold = attribute(style, "font-weight").is_some();
        let turned = attribute(style, "transform").is_some();
        let parts = parts(text);
        let width = |text: &str, raised: bool| {
            let font = Font::of(if raised { 0.72 * size } else { size }, bold);
            shown(text).count() as f64 * font.width
        };
        let whole: f64 = parts.iter().map(|(text, raised)| width(text, *raised)).sum();
        let mut pen = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -whole / 2.0,
            Anchor::End => -whole,
        };
        let (x, y) = ((x * SCALE).round(), (y * SCALE).round());
        let mut all = [u32::MAX, u32::MAX, 0, 0];
        for (text, raised) in parts {
            let font = Font::of(if raised { 0.72 * size } else { size }, bold);
            let lifted = if raised { 0.35 * size * SCALE } else { 0.0 };
            for letter in shown(&text) {
                let Some(glyph) = get_raster(letter, font.weight, font.height) else { continue };
                for (row, line) in glyph.rows().enumerate() {
                    for (column, &grey) in line.iter().enumerate().filter(|(_, grey)| **grey > 0) {
                        let across = (pen + column as f64).round();
                        let down = (row as f64 - font.baseline - lifted).round();
                        let (px, py) = if turned { (x + down, y - across) } else { (x + across, y + down) };
                        if px >= 0.0
                            && py >= 0.0
                            && px < f64::from(self.image.width)
                            && py < f64::from(self.image.height)
                        {
                            let (px, py) = (px as u32, py as u32);
                            self.covered(px, py, f64::from(grey) / 255.0);
                            all = [all[0].min(px), all[1].min(py), all[2].max(px + 1), all[3].max(py + 1)];
                        }
                    }
                }
                pen += font.width;
            }
        }
        self.paint(all, colour(style, "fill"), 1.0);
    }
}

/// The parts of a length that a line with these dashes shows, which has gone so far before.
fn dashed(dashes: &[f64], walked: f64, length: f64) -> Vec<(f64, f64)> {
    let period: f64 = dashes.iter().sum::<f64>() * SCALE;
    if period <= 0.0 {
        return vec![(0.0, length)];
    }
    let mut shown = Vec::new();
    let mut at = -(walked % period);
    while at < length {
        for (i, dash) in dashes.iter().enumerate() {
            let end = at + dash * SCALE;
            if i % 2 == 0 && end > 0.0 && at < length {
                shown.push((at.max(0.0), end.min(length)));
            }
            at = end;
        }
    }
    shown
}

/// Whether a place lies in a polygon.
fn is_inside(corners: &[(f64, f64)], x: f64, y: f64) -> bool {
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    let crossed =
        edges.filter(|((ax, ay), (bx, by))| (*ay > y) != (*by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax));
    crossed.count() % 2 == 1
}

/// The parts of a text, and whether each is raised.
fn parts(text: &str) -> Vec<(String, bool)> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once("^{") {
        let (inside, after) = after.split_once('}').unwrap_or((after, ""));
        parts.extend([(before.to_owned(), false), (inside.to_owned(), true)]);
        rest = after;
    }
    parts.push((rest.to_owned(), false));
    parts
}

/// The letters that stand for a text: the font does not have all.
fn shown(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|letter| match letter {
        '–' | '−' => '-',
        letter if get_raster(letter, FontWeight::Regular, RasterHeight::Size16).is_some() => letter,
        '…' => '~',
        _ => '?',
    })
}

/// Letters of one size.
struct Font {
    weight: FontWeight,
    height: RasterHeight,
    /// Of a letter, in pixels.
    width: f64,
    /// From the top of a letter's box, in pixels.
    baseline: f64,
}

impl Font {
    fn of(size: f64, bold: bool) -> Font {
        let wanted = BOX * size * SCALE;
        let heights = [RasterHeight::Size16, RasterHeight::Size24, RasterHeight::Size32];
        let off = |height: &RasterHeight| (height.val() as f64 - wanted).abs();
        let height = heights.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(RasterHeight::Size16);
        let weight = if bold { FontWeight::Bold } else { FontWeight::Regular };
        let foot = get_raster('H', weight, height)
            .and_then(|glyph| glyph.rows().rposition(|line| line.iter().any(|grey| *grey > 0)));
        Font {
            weight,
            height,
            width: get_raster_width(weight, height) as f64,
            baseline: foot.map_or(height.val() as f64, |row| row as f64 + 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least brightness of a box of pixels.
    fn darkest(image: &Image, [left, top, right, bottom]: Region) -> u8 {
        let all = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
        all.map(|(x, y)| image.get(x, y)[0]).min().unwrap()
    }

    #[test]
    fn lines_areas_and_texts_leave_their_marks() {
        let mut svg = Svg::new(100.0, 60.0, "");
        svg.line((10.0, 10.0), (90.0, 10.0), "stroke=\"#000000\" stroke-width=\"1\"");
        svg.line((10.0, 20.0), (90.0, 20.0), "stroke=\"#000000\" stroke-width=\"2\" stroke-dasharray=\"10 10\"");
        svg.path("M20 40a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z", "fill=\"#0000ff\"");
        svg.text((60.0, 50.0), Anchor::Middle, 12.0, "fill=\"#000000\"", "10^{3}");
        let turned = "fill=\"#000000\" transform=\"rotate(-90 90 40)\"";
        svg.text((90.0, 40.0), Anchor::Middle, 12.0, turned, "lambda");
        let image = image(&svg);
        assert_eq!((image.width, image.height), (200, 120));
        assert_eq!([image.get(100, 20), image.get(100, 30)], [[0; 3], [255; 3]]);
        assert_eq!([image.get(30, 40), image.get(50, 40)], [[0; 3], [255; 3]], "a dash and a gap");
        assert_eq!([image.get(46, 80), image.get(46, 88)], [[0, 0, 255], [255; 3]], "a circle of 12 pixels");
        assert!(darkest(&image, [104, 80, 136, 100]) < 60, "letters stand on their line");
        assert_eq!(darkest(&image, [104, 104, 136, 120]), 255);
        assert!(darkest(&image, [160, 40, 182, 60]) < 60, "turned letters run upwards");
    }

    #[test]
    fn attributes_and_dashes_are_read() {
        let style = "stroke-width=\"2\" stroke=\"#0072b2\"";
        assert_eq!((attribute(style, "stroke"), number_of(style, "stroke-width")), (Some("#0072b2"), Some(2.0)));
        assert_eq!(colour(style, "stroke"), [0x00, 0x72, 0xb2]);
        assert_eq!(dashed(&[], 3.0, 5.0), [(0.0, 5.0)]);
        assert_eq!(dashed(&[2.0, 1.0], 1.0, 8.0), [(0.0, 3.0), (5.0, 8.0)]);
        assert_eq!(numbers("1-2 .5"), [1.0, -2.0, 0.5]);
    }
}
