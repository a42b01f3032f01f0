//! Sheets as pixels. Marks are as opaque in a pixel as they cover it.

use crate::font::outlines;
use crate::image::Image;
use crate::marks::{Mark, Paint, Sheet, Stroke, channels};
use zeno::{Cap, Command, Fill, Join, Mask, Transform};

/// From nothing to what is covered whole: finer ones are not seen, and a picture has few enough colours for a palette.
const SHADES: f32 = 16.0;

impl Sheet {
    /// The sheet as pixels.
    pub fn to_image(&self) -> Image {
        let [width, height] = self.size.map(|side| (side * self.scale).round().max(1.0) as u32);
        let pixels = channels(self.ground).repeat(width as usize * height as usize);
        let mut canvas = Canvas { image: Image { width, height, pixels }, scale: self.scale };
        for mark in &self.marks {
            match mark {
                Mark::Path { path, paint } => canvas.path(path, *paint),
                Mark::Text(text) => canvas.path(&outlines(text), Paint::Fill(text.ink, 1.0)),
                Mark::Image { place, image } => canvas.picture(place.map(|length| length * self.scale), image),
            }
        }
        canvas.image
    }
}

struct Canvas {
    image: Image,
    scale: f64,
}

impl Canvas {
    fn path(&mut self, path: &[Command], paint: Paint) {
        let scale = Transform::scale(self.scale as f32, self.scale as f32);
        let path: Vec<Command> = path.iter().map(|command| command.transform(&scale)).collect();
        let mut mask = Mask::new(&path[..]);
        let (ink, opacity, (cover, place)) = match paint {
            Paint::Fill(ink, opacity) => (ink, opacity, mask.style(Fill::NonZero).render()),
            Paint::Line(Stroke { ink, width, opacity, dashes }) => {
                let dashes: Vec<f32> = dashes.iter().map(|dash| (dash * self.scale) as f32).collect();
                let mut style = zeno::Stroke::new((width * self.scale) as f32);
                style.cap(Cap::Round).join(Join::Round).dash(&dashes, 0.0);
                (ink, opacity, mask.style(style).render())
            }
        };
        let colour = channels(ink);
        for (row, y) in cover.chunks_exact(place.width.max(1) as usize).zip(place.top..) {
            let shades = row.iter().map(|cover| (f32::from(*cover) / 255.0 * SHADES).round() / SHADES);
            for (cover, x) in shades.zip(place.left..).filter(|(cover, _)| *cover > 0.0) {
                let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { continue };
                if x < self.image.width && y < self.image.height {
                    let part = cover * opacity as f32;
                    let before = self.image.get(x, y);
                    let mixed = |i: usize| f32::from(before[i]) + part * (f32::from(colour[i]) - f32::from(before[i]));
                    self.image.set(x, y, std::array::from_fn(|i| mixed(i).round() as u8));
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::{Anchor, TextMark};

    /// The least brightness of a box of pixels.
    fn darkest(image: &Image, [left, top, right, bottom]: [u32; 4]) -> u8 {
        let all = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
        all.map(|(x, y)| image.get(x, y)[0]).min().unwrap()
    }

    #[test]
    fn marks_leave_their_pixels() {
        let mut sheet = Sheet { scale: 2.0, ..Sheet::new(100.0, 60.0, "") };
        sheet.line((10.0, 10.0), (90.0, 10.0), Stroke::new(0, 1.0));
        sheet.line((10.0, 20.0), (90.0, 20.0), Stroke { dashes: &[10.0, 10.0], ..Stroke::new(0, 2.0) });
        sheet.disc((23.0, 40.0), 3.0, 0x0000ff);
        sheet.boxes(&[[30.0, 30.0, 5.0, 4.0]], 0xff0000);
        sheet.text(TextMark::new((60.0, 50.0), Anchor::Middle, 12.0, 0, "10^{3}"));
        sheet.text(TextMark::new((90.0, 40.0), Anchor::Middle, 12.0, 0, "lambda").upwards());
        let two = Image { width: 2, height: 1, pixels: vec![255, 0, 0, 0, 255, 0] };
        sheet.marks.push(Mark::Image { place: [0.0, 50.0, 10.0, 5.0], image: two });
        let image = sheet.to_image();
        assert_eq!((image.width, image.height), (200, 120));
        assert_eq!([image.get(100, 20), image.get(100, 30)], [[0; 3], [255; 3]]);
        assert_eq!([image.get(30, 40), image.get(50, 40)], [[0; 3], [255; 3]], "a dash and a gap");
        assert_eq!([image.get(46, 80), image.get(46, 88)], [[0, 0, 255], [255; 3]], "a circle of 12 pixels");
        assert_eq!([image.get(60, 60), image.get(69, 67), image.get(70, 67)], [[255, 0, 0], [255, 0, 0], [255; 3]]);
        assert_eq!([image.get(9, 100), image.get(10, 109), image.get(10, 110)], [[255, 0, 0], [0, 255, 0], [255; 3]]);
        let colours: std::collections::HashSet<_> = image.pixels.as_chunks::<3>().0.iter().collect();
        assert!(colours.len() < 5 * SHADES as usize, "few enough for a palette");
        assert!(darkest(&image, [104, 80, 136, 100]) < 60, "letters stand on their line");
        assert_eq!(darkest(&image, [104, 104, 136, 120]), 255);
        assert!(darkest(&image, [160, 40, 182, 80]) < 60, "turned letters run upwards");
        let hole = Sheet { scale: 8.0, ..Sheet::new(10.0, 10.0, "") };
        let mut letter = hole;
        letter.text(TextMark::new((0.0, 10.0), Anchor::Start, 10.0, 0, "O"));
        assert_eq!(letter.to_image().get(31, 50), [255; 3], "an O is open inside");
    }
}
