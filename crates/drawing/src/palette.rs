//! At most 256 colours, by which the pixels of images and of animations are numbered.

use crate::Image;

/// Colours in the order in which they were met.
#[derive(Clone, Debug)]
pub struct Palette {
    colours: Vec<[u8; 3]>,
    /// Colours that were looked up, with their numbers; each has one place, and replaces the colour that had it before.
    known: Vec<Option<([u8; 3], u8)>>,
}

/// Places for colours that were looked up, as a power of two.
const PLACES: u32 = 14;

impl Default for Palette {
    fn default() -> Palette {
        Palette { colours: Vec::new(), known: vec![None; 1 << PLACES] }
    }
}

impl Palette {
    /// The numbers of an image's pixels. Adds their colours, unless one within `tolerance` in each channel is there. `None` beyond 256 colours.
    pub fn indices(&mut self, image: &Image, tolerance: u8) -> Option<Vec<u8>> {
        let (width, mut before): (usize, &[u8]) = (image.width as usize, &[]);
        let mut indices = Vec::with_capacity(image.pixels.len() / 3);
        let mut last = None;
        for row in image.pixels.chunks_exact(3 * width.max(1)) {
            // Enlarged pictures repeat rows. With a tolerance later ones may find nearer colours.
            if std::mem::replace(&mut before, row) == row && tolerance == 0 {
                indices.extend_from_within(indices.len() - width..);
                continue;
            }
            for pixel in row.as_chunks::<3>().0 {
                let number = match last {
                    Some((colour, number)) if colour == *pixel => number,
                    _ => self.number(*pixel, tolerance)?,
                };
                last = Some((*pixel, number));
                indices.push(number);
            }
        }
        Some(indices)
    }

    fn number(&mut self, colour: [u8; 3], tolerance: u8) -> Option<u8> {
        let [r, g, b] = colour.map(u32::from);
        let place = ((r << 16 | g << 8 | b).wrapping_mul(0x9e37_79b1) >> (32 - PLACES)) as usize;
        if let Some((_, number)) = self.known[place].filter(|(known, _)| *known == colour) {
            return Some(number);
        }
        let distance = |other: &[u8; 3]| (0..3).map(|i| colour[i].abs_diff(other[i])).max().unwrap_or(0);
        let nearest = (self.colours.iter().enumerate()).map(|(number, other)| (distance(other), number)).min();
        let number = match nearest.filter(|(distance, _)| *distance <= tolerance) {
            Some((_, number)) => number,
            None => {
                self.colours.push(colour);
                self.colours.len() - 1
            }
        };
        let number = u8::try_from(number).ok()?;
        self.known[place] = Some((colour, number));
        Some(number)
    }

    /// Red, green and blue of each colour.
    pub fn bytes(&self) -> Vec<u8> {
        self.colours.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_shared_until_they_are_too_many() {
        let mut palette = Palette::default();
        let row = |pixels: &[u8]| Image { width: pixels.len() as u32 / 3, height: 1, pixels: pixels.to_vec() };
        assert_eq!(palette.indices(&row(&[1, 2, 3, 9, 9, 9, 1, 2, 3]), 0), Some(vec![0, 1, 0]));
        assert_eq!(palette.indices(&row(&[9, 9, 9, 0, 0, 0]), 0), Some(vec![1, 2]), "those of the image before stay");
        assert_eq!(palette.indices(&row(&[2, 3, 4, 11, 9, 9]), 1), Some(vec![0, 3]));
        assert_eq!(palette.bytes(), [1, 2, 3, 9, 9, 9, 0, 0, 0, 11, 9, 9]);
        let twice = row(&[9, 9, 9, 0, 0, 0, 1, 2, 3, 9, 9, 9]).enlarged(2);
        assert_eq!(palette.indices(&twice, 0), Some([1, 1, 2, 2, 0, 0, 1, 1].repeat(2)));
        let square: Vec<u8> = (0..=255u8).flat_map(|x| (0..=255u8).flat_map(move |y| [x, y, 255])).collect();
        assert_eq!(Palette::default().indices(&row(&square), 4), None);
        let mut coarse = Palette::default();
        let indices = coarse.indices(&row(&square), 16).unwrap();
        let colours = coarse.bytes();
        for (pixel, index) in square.as_chunks::<3>().0.iter().zip(indices) {
            let shown = &colours[3 * usize::from(index)..][..3];
            assert!(pixel.iter().zip(shown).all(|(a, b)| a.abs_diff(*b) <= 16));
        }
    }
}
