//! Sheets as pixels. Marks are as opaque in a pixel as they cover it.

use crate::font::{Piece, outlines};
use crate::image::Image;
use crate::marks::{Mark, Place, Sheet, Stroke, channels};

/// Rows of samples in a row of pixels; along them areas are measured exactly.
const ROWS: u32 = 5;
/// Straight pieces of a curve of a letter.
const PIECES: u32 = 5;

impl Sheet {
    /// The sheet as pixels.
    pub fn to_image(&self) -> Image {
        let [width, height] = self.size.map(|side| (side * self.scale).round().max(1.0) as u32);
        let count = width as usize * height as usize;
        let image = Image { width, height, pixels: channels(self.ground).repeat(count) };
        let mut canvas = Canvas { image, cover: vec![0.0; count], scale: self.scale };
        for mark in &self.marks {
            canvas.mark(mark);
        }
        canvas.image
    }
}

struct Canvas {
    image: Image,
    /// How far the mark that is being drawn covers each pixel; 0 between marks.
    cover: Vec<f32>,
    scale: f64,
}

/// Pixels from the upper left corner to before the lower right one.
type Region = [u32; 4];

impl Canvas {
    fn mark(&mut self, mark: &Mark) {
        let scale = self.scale;
        let scaled = |(x, y): Place| (x * scale, y * scale);
        match mark {
            Mark::Line { points, stroke } => {
                let points: Vec<Place> = points.iter().copied().map(scaled).collect();
                self.line(&points, stroke);
            }
            Mark::Disc { middle, radius, ink } => {
                // A line without length has round ends.
                let region = self.segment(scaled(*middle), scaled(*middle), radius * scale);
                self.paint(region, *ink, 1.0);
            }
            Mark::Boxes { boxes, ink } => {
                for &[x, y, width, height] in boxes {
                    let corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)].map(scaled);
                    self.area(&[corners.to_vec()], *ink, 1.0);
                }
            }
            Mark::Area { corners, ink, opacity } => {
                let corners = corners.iter().copied().map(scaled).collect();
                self.area(&[corners], *ink, *opacity);
            }
            Mark::Text(text) => {
                let contours: Vec<Vec<Place>> =
                    outlines(text).iter().map(|contour| flattened(contour).into_iter().map(scaled).collect()).collect();
                self.area(&contours, text.ink, 1.0);
            }
            Mark::Image { place, image } => self.picture(place.map(|length| length * scale), image),
        }
    }

    /// The pixels around a box.
    fn region(&self, low: Place, high: Place) -> Region {
        let within = |v: f64, most: u32| v.clamp(0.0, f64::from(most)) as u32;
        let (width, height) = (self.image.width, self.image.height);
        [
            within(low.0.floor(), width),
            within(low.1.floor(), height),
            within(high.0.ceil() + 1.0, width),
            within(high.1.ceil() + 1.0, height),
        ]
    }

    /// Paints what is covered in a region, and uncovers it.
    fn paint(&mut self, [left, top, right, bottom]: Region, ink: u32, opacity: f64) {
        let colour = channels(ink);
        for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
            let at = y as usize * self.image.width as usize + x as usize;
            let part = std::mem::take(&mut self.cover[at]).min(1.0) * opacity as f32;
            if part > 0.0 {
                let before = self.image.get(x, y);
                let mixed = |i: usize| f32::from(before[i]) + part * (f32::from(colour[i]) - f32::from(before[i]));
                self.image.set(x, y, std::array::from_fn(|i| mixed(i).round() as u8));
            }
        }
    }

    fn line(&mut self, points: &[Place], stroke: &Stroke) {
        let mut all = [u32::MAX, u32::MAX, 0, 0];
        let mut walked = 0.0;
        for pair in points.windows(2) {
            let length = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
            for (from, to) in dashed(stroke.dashes, self.scale, walked, length) {
                let place = |along: f64| {
                    let part = if length > 0.0 { along / length } else { 0.0 };
                    (pair[0].0 + part * (pair[1].0 - pair[0].0), pair[0].1 + part * (pair[1].1 - pair[0].1))
                };
                let region = self.segment(place(from), place(to), self.scale * stroke.width / 2.0);
                all = [all[0].min(region[0]), all[1].min(region[1]), all[2].max(region[2]), all[3].max(region[3])];
            }
            walked += length;
        }
        self.paint(all, stroke.ink, stroke.opacity);
    }

    /// Covers a straight line with round ends.
    fn segment(&mut self, a: Place, b: Place, half: f64) -> Region {
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
            let cover = &mut self.cover[y as usize * self.image.width as usize + x as usize];
            *cover = cover.max((half + 0.5 - distance).clamp(0.0, 1.0) as f32);
        }
        region
    }

    /// Paints what closed contours go around.
    fn area(&mut self, contours: &[Vec<Place>], ink: u32, opacity: f64) {
        let ends = |pick: fn(&Place) -> f64| {
            let all = contours.iter().flatten().map(pick);
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let ((left, right), (top, bottom)) = (ends(|place| place.0), ends(|place| place.1));
        if left > right {
            return;
        }
        let region = self.region((left, top), (right, bottom));
        // Where contours cross each row of samples, and whether downwards.
        let first = f64::from(region[1] * ROWS);
        let mut rows: Vec<Vec<(f64, i32)>> = vec![Vec::new(); (region[3].saturating_sub(region[1]) * ROWS) as usize];
        let last = rows.len() as f64;
        for (a, b) in contours.iter().flat_map(|contour| contour.iter().zip(contour.iter().cycle().skip(1))) {
            let (upper, lower, turn) = if a.1 < b.1 { (a, b, 1) } else { (b, a, -1) };
            let row_from = |y: f64| (y * f64::from(ROWS) - first - 0.5).ceil().clamp(0.0, last) as usize;
            let crossed = row_from(upper.1)..row_from(lower.1);
            for (row, crossings) in rows.iter_mut().enumerate().take(crossed.end).skip(crossed.start) {
                let y = (row as f64 + first + 0.5) / f64::from(ROWS);
                let part = (y - upper.1) / (lower.1 - upper.1);
                crossings.push((upper.0 + part * (lower.0 - upper.0), turn));
            }
        }
        for (row, mut crossings) in rows.into_iter().enumerate() {
            crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut around, mut from) = (0, 0.0);
            for (x, turn) in crossings {
                if around == 0 {
                    from = x;
                }
                around += turn;
                if around == 0 {
                    self.span(region[1] + row as u32 / ROWS, from, x);
                }
            }
        }
        self.paint(region, ink, opacity);
    }

    /// Covers a part of a row of samples.
    fn span(&mut self, y: u32, from: f64, to: f64) {
        let width = f64::from(self.image.width);
        let (from, to) = (from.clamp(0.0, width), to.clamp(0.0, width));
        for x in from as usize..to.ceil() as usize {
            let part = to.min(x as f64 + 1.0) - from.max(x as f64);
            self.cover[y as usize * self.image.width as usize + x] += (part / f64::from(ROWS)) as f32;
        }
    }

    /// Copies an image, each pixel as many times as it takes.
    fn picture(&mut self, [left, top, width, height]: [f64; 4], image: &Image) {
        let sources = |begin: f64, length: f64, count: u32, most: u32| -> Vec<(u32, u32)> {
            let places = begin.round().max(0.0) as u32..((begin + length).round() as u32).min(most);
            let source = |at: u32| ((f64::from(at) + 0.5 - begin) / length * f64::from(count)) as u32;
            places.map(|at| (at, source(at).min(count - 1))).collect()
        };
        let columns = sources(left, width, image.width, self.image.width);
        let Some(&(first, _)) = columns.first() else { return };
        let (mut drawn, mut pixels) = (None, Vec::new());
        for (y, row) in sources(top, height, image.height, self.image.height) {
            if drawn != Some(row) {
                // Enlarged pictures repeat rows.
                pixels = columns.iter().flat_map(|&(_, column)| image.get(column, row)).collect();
                drawn = Some(row);
            }
            let at = 3 * (y as usize * self.image.width as usize + first as usize);
            self.image.pixels[at..at + pixels.len()].copy_from_slice(&pixels);
        }
    }
}

/// A contour of straight lines.
fn flattened(contour: &[Piece]) -> Vec<Place> {
    let mut corners: Vec<Place> = Vec::new();
    for piece in contour {
        match *piece {
            Piece::Line(end) => corners.push(end),
            Piece::Curve(control, end) => {
                let begin = corners.last().copied().unwrap_or(end);
                corners.extend((1..=PIECES).map(|i| {
                    let part = f64::from(i) / f64::from(PIECES);
                    let (a, b, c) = ((1.0 - part).powi(2), 2.0 * part * (1.0 - part), part * part);
                    (a * begin.0 + b * control.0 + c * end.0, a * begin.1 + b * control.1 + c * end.1)
                }));
            }
        }
    }
    corners
}

/// The parts of a length that a line with these dashes shows, which has gone so far before.
fn dashed(dashes: &[f64], scale: f64, walked: f64, length: f64) -> Vec<(f64, f64)> {
    let period: f64 = dashes.iter().sum::<f64>() * scale;
    if period <= 0.0 {
        return vec![(0.0, length)];
    }
    let mut shown = Vec::new();
    let mut at = -(walked % period);
    while at < length {
        for (i, dash) in dashes.iter().enumerate() {
            let end = at + dash * scale;
            if i % 2 == 0 && end > 0.0 && at < length {
                shown.push((at.max(0.0), end.min(length)));
            }
            at = end;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::{Anchor, Text};

    /// The least brightness of a box of pixels.
    fn darkest(image: &Image, [left, top, right, bottom]: Region) -> u8 {
        let all = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
        all.map(|(x, y)| image.get(x, y)[0]).min().unwrap()
    }

    #[test]
    fn marks_leave_their_pixels() {
        let mut sheet = Sheet { scale: 2.0, ..Sheet::new(100.0, 60.0, "") };
        sheet.line((10.0, 10.0), (90.0, 10.0), Stroke::new(0, 1.0));
        sheet.line((10.0, 20.0), (90.0, 20.0), Stroke { dashes: &[10.0, 10.0], ..Stroke::new(0, 2.0) });
        sheet.marks.push(Mark::Disc { middle: (23.0, 40.0), radius: 3.0, ink: 0x0000ff });
        sheet.marks.push(Mark::Boxes { boxes: vec![[30.0, 30.0, 5.0, 4.0]], ink: 0xff0000 });
        sheet.text(Text::new((60.0, 50.0), Anchor::Middle, 12.0, 0, "10^{3}"));
        sheet.text(Text::new((90.0, 40.0), Anchor::Middle, 12.0, 0, "lambda").upwards());
        let two = Image { width: 2, height: 1, pixels: vec![255, 0, 0, 0, 255, 0] };
        sheet.marks.push(Mark::Image { place: [0.0, 50.0, 10.0, 5.0], image: two });
        let image = sheet.to_image();
        assert_eq!((image.width, image.height), (200, 120));
        assert_eq!([image.get(100, 20), image.get(100, 30)], [[0; 3], [255; 3]]);
        assert_eq!([image.get(30, 40), image.get(50, 40)], [[0; 3], [255; 3]], "a dash and a gap");
        assert_eq!([image.get(46, 80), image.get(46, 88)], [[0, 0, 255], [255; 3]], "a circle of 12 pixels");
        assert_eq!([image.get(60, 60), image.get(69, 67), image.get(70, 67)], [[255, 0, 0], [255, 0, 0], [255; 3]]);
        assert_eq!([image.get(9, 100), image.get(10, 109), image.get(10, 110)], [[255, 0, 0], [0, 255, 0], [255; 3]]);
        assert!(darkest(&image, [104, 80, 136, 100]) < 60, "letters stand on their line");
        assert_eq!(darkest(&image, [104, 104, 136, 120]), 255);
        assert!(darkest(&image, [160, 40, 182, 80]) < 60, "turned letters run upwards");
        let hole = Sheet { scale: 8.0, ..Sheet::new(10.0, 10.0, "") };
        let mut letter = hole;
        letter.text(Text::new((0.0, 10.0), Anchor::Start, 10.0, 0, "O"));
        assert_eq!(letter.to_image().get(31, 50), [255; 3], "an O is open inside");
    }

    #[test]
    fn dashes_go_on_around_corners() {
        assert_eq!(dashed(&[], 2.0, 3.0, 5.0), [(0.0, 5.0)]);
        assert_eq!(dashed(&[2.0, 1.0], 1.0, 1.0, 8.0), [(0.0, 1.0), (2.0, 4.0), (5.0, 7.0)]);
    }
}
