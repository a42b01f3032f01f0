//! The frame of a picture: a margin, a legend for its colours, and a caption.

use crate::chart::Scale;
use crate::chart::axis::{Fitted, written};
use crate::font::{CAPITAL, cut, width};
use crate::marks::{Mark, Stroke};
use crate::{Anchor, Image, Linear, Sheet, TextMark};

/// Narrower pictures stand alone: letters around them would not be readable.
const LEAST_WIDTH: u32 = 160;
/// The margin, as a part of the picture's width.
const MARGIN: f64 = 0.03;
/// The size of letters, as a part of the picture's width, and at least.
const LETTERS: (f64, f64) = (1.0 / 46.0, 14.0);
/// The size of letters in millimetres, where the width on paper was said: 8 points.
const ON_PAPER: f64 = 8.0 / 72.0 * 25.4;
/// From an inset to the outer edge of its frame, in pixels.
const AROUND: f64 = 3.0;
/// More whole numbers than this are a colour bar, not a swatch each.
const MOST_SWATCHES: f64 = 12.0;

/// The meaning of a picture's colours.
pub enum Legend<'a> {
    /// Each has a name.
    Names(Vec<(String, u32)>),
    /// They are numbers.
    Numbers {
        /// The quantity, as its label.
        name: String,
        /// The least and the greatest.
        ends: [f64; 2],
        /// Whether colours go along their logarithms.
        logarithmic: bool,
        /// Whether only whole numbers occur.
        whole: bool,
        /// The colour of a part of the way from the least to the greatest.
        colour: &'a dyn Fn(f64) -> u32,
    },
}

/// The parts around a picture, and their colours.
pub struct Frame<'a> {
    /// The words that a screen reader says in place of it.
    pub title: String,
    /// The colour around the picture.
    pub ground: u32,
    /// The colour of words and lines.
    pub words: u32,
    /// The legend of the colours, if they need one.
    pub legend: Option<Legend<'a>>,
    /// A line of text below it.
    pub caption: Option<&'a str>,
    /// Whether there is a margin, without which the picture begins in the corner.
    pub margin: bool,
    /// A picture that shows a part of it larger.
    pub inset: Option<Inset>,
    /// The places at the left and right edges and at the upper and lower ones, for ticks along both.
    pub axes: Option<[[f64; 2]; 2]>,
    /// Its width on paper, in millimetres.
    pub paper: Option<f64>,
}

/// A picture in or beside another that shows a part of it larger.
#[derive(Clone, Debug, PartialEq)]
pub struct Inset {
    /// The larger picture.
    pub image: Image,
    /// Left, top, width and height, in pixels of the picture.
    pub place: [f64; 4],
    /// The box of the picture that it shows, likewise.
    pub shown: [f64; 4],
}

/// An image by itself: a length of one is a pixel.
pub fn bare(image: Image, title: &str) -> Sheet {
    let [width, height] = [image.width, image.height].map(f64::from);
    let mut sheet = Sheet::new(width, height, title);
    sheet.marks.push(Mark::Image { place: [0.0, 0.0, width, height], image });
    sheet
}

/// An image, each of whose pixels is a square of `scale` pixels, in its frame. A length of one is a pixel.
pub fn framed(image: Image, scale: u32, frame: &Frame) -> Sheet {
    if image.width * scale < LEAST_WIDTH {
        return Sheet { paper: frame.paper, ground: frame.ground, ..bare(image.enlarged(scale), &frame.title) };
    }
    let [width_of_image, height] = [image.width, image.height].map(|side| f64::from(side * scale));
    let inner = frame.inset.iter().map(|inset| inset.place[0] + inset.place[2] + AROUND).fold(width_of_image, f64::max);
    let margin = if frame.margin { (MARGIN * inner).ceil() } else { 0.0 };
    let size = match frame.paper {
        Some(paper) => ON_PAPER / paper * (inner + 2.0 * margin),
        None => (LETTERS.0 * inner).max(LETTERS.1).round(),
    };
    let ticks = frame.axes.map(|ends| ends.map(|ends| Fitted::between(&Scale::Linear, ends)));
    let widest = |axis: &Fitted| axis.ticks.iter().map(|tick| width(&tick.label, size, false)).fold(0.0, f64::max);
    let beside = ticks.as_ref().map_or(0.0, |[_, y]| (widest(y) + 0.6 * size).ceil());
    let ground = Sheet::new(beside + inner + 2.0 * margin, 0.0, &frame.title);
    let mut sheet = Sheet { paper: frame.paper, ground: frame.ground, ..ground };
    let left = margin + beside;
    sheet.marks.push(Mark::Image { place: [left, margin, width_of_image, height], image });
    if let Some(inset) = &frame.inset {
        draw_inset(&mut sheet, inset, (left, margin), frame);
    }
    let mut below = Below { sheet, words: frame.words, left, inner, size, top: margin + height };
    if let Some([x, y]) = &ticks {
        below.rulers(x, y, [width_of_image, height]);
    }
    match &frame.legend {
        Some(Legend::Names(entries)) => below.names(entries),
        Some(Legend::Numbers { name, ends, logarithmic, whole, colour }) => {
            let entries = if *whole && !logarithmic { swatches(*ends, *colour) } else { Vec::new() };
            below.numbers(name, *ends, if *logarithmic { Scale::Decades } else { Scale::Linear }, &entries, *colour);
        }
        None => {}
    }
    if let Some(caption) = frame.caption {
        let text = cut(caption, size, false, inner);
        below.top += 1.5 * size;
        below.text(0.0, Anchor::Start, &text);
    }
    let Below { mut sheet, top, .. } = below;
    let is_alone = frame.legend.is_none() && frame.caption.is_none();
    sheet.size[1] = (top + if is_alone { margin } else { margin.max(0.6 * size) }).ceil();
    sheet
}

/// Draws an inset, the box that it shows and a line between them, on a picture that begins at this place.
fn draw_inset(sheet: &mut Sheet, inset: &Inset, (left, top): (f64, f64), frame: &Frame) {
    let quiet = Linear::from_srgb(frame.ground).mix(Linear::from_srgb(frame.words), 0.35).code();
    let moved = |[x, y, width, height]: [f64; 4]| [left + x, top + y, width, height];
    let (place, shown) = (moved(inset.place), moved(inset.shown));
    let middle = [0, 1].map(|axis| place[axis] + place[axis + 2] / 2.0);
    let edge = [0, 1].map(|axis| middle[axis].clamp(shown[axis], shown[axis] + shown[axis + 2]));
    sheet.line(edge.into(), middle.into(), Stroke::new(quiet, 1.0));
    sheet.marks.push(Mark::Image { place, image: inset.image.clone() });
    for ([x, y, width, height], by, ink) in [(shown, -1.0, frame.words), (place, AROUND - 1.0, quiet)] {
        let (low, high) = ((x - by, y - by), (x + width + by, y + height + by));
        sheet.lines(&[low, (high.0, low.1), high, (low.0, high.1), low], Stroke::new(ink, 2.0));
    }
}

/// A colour for each whole number; none if they are many.
fn swatches([low, high]: [f64; 2], colour: &dyn Fn(f64) -> u32) -> Vec<(String, u32)> {
    let count = high - low + 1.0;
    if !(2.0..=MOST_SWATCHES).contains(&count) {
        return Vec::new();
    }
    let entry = |i: u32| (short(low + f64::from(i)), colour(f64::from(i) / (count - 1.0)));
    (0..count as u32).map(entry).collect()
}

/// The parts that are laid out below a picture.
struct Below {
    sheet: Sheet,
    words: u32,
    left: f64,
    /// The width of the picture.
    inner: f64,
    /// The size of letters.
    size: f64,
    /// Where the next thing begins.
    top: f64,
}

impl Below {
    /// A text whose foot is at the top of the next part.
    fn text(&mut self, along: f64, anchor: Anchor, text: &str) {
        let at = (self.left + along, self.top);
        self.sheet.text(TextMark::new(at, anchor, self.size, self.words, text));
    }

    /// Lines with ticks along the lower and the left edge of what has these sides.
    fn rulers(&mut self, x: &Fitted, y: &Fitted, [width, height]: [f64; 2]) {
        let (stroke, long) = (Stroke::new(self.words, (self.size / 14.0).max(1.0)), 0.35 * self.size);
        let (left, foot, top) = (self.left, self.top, self.top - height);
        self.sheet.line((left, foot), (left + width, foot), stroke);
        self.sheet.line((left, top), (left, foot), stroke);
        self.ticks(x, left, width, foot);
        for tick in y.ticks.iter().filter(|tick| !tick.label.is_empty()) {
            let at = top + tick.at.clamp(0.0, 1.0) * height;
            self.sheet.line((left - long, at), (left, at), stroke);
            let at = (left - 0.5 * self.size, at + CAPITAL / 2.0 * self.size);
            self.sheet.text(TextMark::new(at, Anchor::End, self.size, self.words, &tick.label));
        }
    }

    /// The room of a swatch, its name and the gap behind it.
    fn room(&self, name: &str) -> f64 {
        width(name, self.size, false) + 2.4 * self.size
    }

    /// A colour and a name each, in rows.
    fn names(&mut self, entries: &[(String, u32)]) {
        let mut rows: Vec<(f64, Vec<&(String, u32)>)> = Vec::new();
        for entry in entries {
            let room = self.room(&entry.0);
            match rows.last_mut() {
                Some((used, row)) if *used + room <= self.inner => {
                    *used += room;
                    row.push(entry);
                }
                _ => rows.push((room, vec![entry])),
            }
        }
        self.top += 0.3 * self.size;
        for (used, row) in rows {
            self.top += 1.5 * self.size;
            // The last one has nothing behind it.
            self.row((self.inner - used + self.size) / 2.0, &row);
        }
    }

    /// A row of swatches whose names stand on the top of the next part.
    fn row(&mut self, mut along: f64, entries: &[&(String, u32)]) {
        for (name, ink) in entries {
            let (x, y) = (self.left + along, self.top - CAPITAL * self.size);
            let side = CAPITAL * self.size;
            self.sheet.boxes(&[[x, y, 1.3 * side, side]], *ink);
            self.text(along + 1.2 * self.size, Anchor::Start, name);
            along += self.room(name);
        }
    }

    /// A bar of colours with its axis, or swatches for few numbers. All are equally high, so that the frames of an animation are.
    fn numbers(
        &mut self,
        name: &str,
        ends: [f64; 2],
        scale: Scale,
        entries: &[(String, u32)],
        colour: &dyn Fn(f64) -> u32,
    ) {
        let (size, top) = (self.size, self.top);
        let middle = self.inner / 2.0;
        let [low, high] = ends;
        let used: f64 = entries.iter().map(|(name, _)| self.room(name)).sum();
        if low >= high {
            self.top += 2.8 * size;
            self.text(middle, Anchor::Middle, &format!("{name} = {}", short(low)));
        } else if !entries.is_empty() && used <= self.inner {
            self.top += 1.8 * size;
            self.text(middle, Anchor::Middle, name);
            self.top += 1.7 * size;
            self.row((self.inner - used + size) / 2.0, &entries.iter().collect::<Vec<_>>());
        } else {
            let axis = Fitted::between(&scale, ends);
            self.top += 1.8 * size;
            self.text(middle, Anchor::Middle, &axis.label(name));
            self.bar(&axis, self.top + 0.5 * size, colour);
        }
        self.top = top + 4.4 * size;
    }

    fn bar(&mut self, axis: &Fitted, top: f64, colour: &dyn Fn(f64) -> u32) {
        let (size, length) = (self.size, (0.7 * self.inner).round());
        let (left, high) = (self.left + ((self.inner - length) / 2.0).round(), (0.7 * size).round());
        let colours = (0..length as u32).flat_map(|i| crate::marks::channels(colour((f64::from(i) + 0.5) / length)));
        let image = Image { width: length as u32, height: 1, pixels: colours.collect() }.at_least(high as u32);
        self.sheet.marks.push(Mark::Image { place: [left, top.round(), length, high], image });
        self.ticks(axis, left, length, top.round() + high);
    }

    /// The ticks of an axis that begins here, below its line at this height.
    fn ticks(&mut self, axis: &Fitted, left: f64, length: f64, foot: f64) {
        let size = self.size;
        let stroke = Stroke::new(self.words, (size / 14.0).max(1.0));
        let mut free = f64::NEG_INFINITY;
        for tick in &axis.ticks {
            let (x, half) = (left + tick.at.clamp(0.0, 1.0) * length, width(&tick.label, size, false) / 2.0);
            let labelled = !tick.label.is_empty() && x - half >= free;
            self.sheet.line((x, foot), (x, foot + if labelled { 0.35 } else { 0.2 } * size), stroke);
            if labelled {
                free = x + half + 0.6 * size;
                self.top = foot + 1.25 * size;
                self.text(x - self.left, Anchor::Middle, &tick.label);
            }
        }
    }
}

/// A number with four digits.
fn short(value: f64) -> String {
    let rounded = format!("{value:.3e}").parse().unwrap_or(value);
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) => format!("{rounded}").replace('-', "−"),
        _ => written(rounded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sheet: &Sheet) -> Vec<&str> {
        sheet
            .marks
            .iter()
            .filter_map(|mark| if let Mark::Text(text) = mark { Some(text.text.as_str()) } else { None })
            .collect()
    }

    fn of(side: u32, legend: Legend<'_>) -> Sheet {
        let image = Image { width: side, height: 100, pixels: [7, 7, 7].repeat(side as usize * 100) };
        let caption = Some("step 3");
        framed(
            image,
            1,
            &Frame {
                title: String::new(),
                ground: 0,
                words: 0xffffff,
                legend: Some(legend),
                caption,
                margin: true,
                inset: None,
                axes: Some([[0.0, 100.0], [0.0, 25.0]]).filter(|_| side == 402),
                paper: None,
            },
        )
    }

    fn numbers(ends: [f64; 2], logarithmic: bool, whole: bool) -> Sheet {
        let colour = |part: f64| (255.0 * part) as u32;
        of(400, Legend::Numbers { name: "u".to_owned(), ends, logarithmic, whole, colour: &colour })
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 1000.0, 0.25, -6.54321, 1e9].map(short);
        assert_eq!(numbers, ["0", "1000", "0.25", "−6.543", "1×10^{9}"]);
    }

    #[test]
    fn bars_have_round_ticks_and_few_whole_numbers_swatches() {
        assert_eq!(texts(&numbers([4.2e-14, 0.97], false, false)), ["u", "0", "0.2", "0.4", "0.6", "0.8", "step 3"]);
        assert_eq!(texts(&numbers([0.0, 3e9], false, false))[..2], ["u (×10^{9})", "0"]);
        assert_eq!(texts(&numbers([0.01, 100.0], true, false))[..3], ["u", "0.01", "0.1"]);
        assert_eq!(texts(&numbers([0.0, 3.0], false, true)), ["u", "0", "1", "2", "3", "step 3"]);
        assert_eq!(texts(&numbers([-0.5, -0.5], false, false)), ["u = −0.5", "step 3"]);
        assert!(texts(&numbers([0.0, 12.0], false, true)).contains(&"10"), "thirteen numbers are a bar");
        let heights = [[0.0, 3.0], [0.0, 100.0], [5.0, 5.0]].map(|ends| numbers(ends, false, true).size[1]);
        assert_eq!(heights, [heights[0]; 3], "frames of an animation are equally high");
    }

    #[test]
    fn names_wrap_and_the_picture_is_not_touched() {
        let entries = [("rest", 0xff0000), ("a_very_long_name_that_wraps", 0x00ff00), ("another_long_name", 0x0000ff)];
        let legend = || Legend::Names(entries.map(|(name, ink)| (name.to_owned(), ink)).to_vec());
        let (narrow, wide) = (of(240, legend()), of(700, legend()));
        assert!(narrow.size[1] - 100.0 > wide.size[1] - 100.0 - 2.0 * 21.0, "rows");
        let image = wide.to_image();
        assert_eq!(
            (image.width, image.get(20, 21), image.get(21, 21), image.get(720, 120)),
            (742, [0; 3], [7; 3], [7; 3])
        );
        let has = |colour: [u8; 3]| image.pixels.chunks(3).any(|pixel| pixel == colour);
        assert!(has([255, 0, 0]) && has([0, 255, 0]) && has([0, 0, 255]));
        assert_eq!(of(100, legend()).marks.len(), 1, "a small picture stands alone");
    }

    #[test]
    fn edges_have_ticks_in_places() {
        let sheet = of(402, Legend::Names(Vec::new()));
        assert_eq!(texts(&sheet)[..6], ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(texts(&sheet)[6..9], ["0", "5", "10"]);
        let Some(Mark::Image { place, .. }) = sheet.marks.first() else { panic!("{sheet:?}") };
        assert!(place[0] > place[1] && sheet.size[0] > 402.0 + 2.0 * place[1], "labels stand to the left");
    }

    #[test]
    fn letters_have_their_size_on_paper() {
        let image = Image { width: 940, height: 10, pixels: vec![0; 3 * 9400] };
        let (caption, title) = (Some("step 3"), String::new());
        let frame = Frame {
            title,
            ground: 0,
            words: 0,
            legend: None,
            caption,
            margin: true,
            inset: None,
            axes: None,
            paper: Some(85.0),
        };
        let sheet = framed(image, 1, &frame);
        let Some(Mark::Text(text)) = sheet.marks.last() else { panic!("{sheet:?}") };
        assert!((text.size / sheet.size[0] * 85.0 - ON_PAPER).abs() < 1e-9);
    }
}
