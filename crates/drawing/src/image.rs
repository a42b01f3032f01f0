//! Images of pixels, and PNG.

use crate::{Linear, Palette, Samples};

/// Rows of pixels, three bytes (red, green, blue; sRGB) each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `3 · width · height` bytes, row by row from the top.
    pub pixels: Vec<u8>,
}

/// How hard PNGs are compressed: the next level takes as long again, and pictures of cells become no smaller.
const LEVEL: u8 = 5;
/// How high pictures of lines are at least, in pixels.
pub const BAR: u32 = 32;

impl Image {
    /// An image of one colour.
    #[doc(hidden)]
    pub fn filled(width: u32, height: u32, colour: Linear) -> Image {
        let count = width as usize * height as usize;
        Image { width, height, pixels: colour.to_srgb().repeat(count) }
    }

    /// The image with each row repeated until it is at least so high.
    #[doc(hidden)]
    pub fn at_least(self, height: u32) -> Image {
        let times = height.div_ceil(self.height.max(1)).max(1);
        let rows = self.pixels.chunks_exact(3 * self.width.max(1) as usize);
        let pixels = rows.flat_map(|row| row.repeat(times as usize)).collect();
        Image { width: self.width, height: self.height * times, pixels }
    }

    /// The image with a square of pixels for each.
    #[doc(hidden)]
    pub fn enlarged(self, times: u32) -> Image {
        if times == 1 {
            return self;
        }
        let times = times as usize;
        let rows = self.pixels.chunks_exact(3 * self.width.max(1) as usize);
        let wide =
            |row: &[u8]| row.as_chunks::<3>().0.iter().flat_map(|pixel| pixel.repeat(times)).collect::<Vec<u8>>();
        let pixels = rows.flat_map(|row| wide(row).repeat(times)).collect();
        Image { width: self.width * times as u32, height: self.height * times as u32, pixels }
    }

    /// Sets a pixel.
    ///
    /// # Panics
    /// If it lies outside.
    pub fn set(&mut self, x: u32, y: u32, colour: [u8; 3]) {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y})");
        let at = 3 * (y as usize * self.width as usize + x as usize);
        self.pixels[at..at + 3].copy_from_slice(&colour);
    }

    /// The colour of a pixel.
    ///
    /// # Panics
    /// If it lies outside.
    pub fn get(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y})");
        let at = 3 * (y as usize * self.width as usize + x as usize);
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// The image with the means of squares of pixels in the place of each, so that no side is longer than `longest`.
    #[doc(hidden)]
    pub fn reduced(&self, longest: u32) -> Image {
        let factor = self.width.max(self.height).div_ceil(longest.max(1)).max(1);
        if factor == 1 {
            return self.clone();
        }
        let (width, height) = (self.width.div_ceil(factor), self.height.div_ceil(factor));
        let light: [f32; 256] = std::array::from_fn(|v| Linear::from_srgb(v as u32).0[2]);
        let mut image = Image { width, height, pixels: Vec::with_capacity(3 * width as usize * height as usize) };
        let (wide, long) = (3 * self.width as usize, 3 * factor as usize);
        let mut before: &[u8] = &[];
        for rows in self.pixels.chunks(wide * factor as usize) {
            // Enlarged pictures repeat rows.
            if std::mem::replace(&mut before, rows) == rows {
                image.pixels.extend_from_within(image.pixels.len() - 3 * width as usize..);
                continue;
            }
            for left in (0..wide).step_by(long) {
                let parts = || rows.chunks_exact(wide).map(|row| row[left..wide.min(left + long)].as_chunks::<3>().0);
                let first = &rows[left..left + 3];
                // Most squares of enlarged pictures are of one colour, which is their mean.
                if parts().flatten().all(|pixel| pixel == first) {
                    image.pixels.extend(first);
                    continue;
                }
                let (mut sum, mut count) = ([0.0; 3], 0);
                for part in parts() {
                    let add = |sum: [f32; 3], pixel: &[u8; 3]| [0, 1, 2].map(|i| sum[i] + light[usize::from(pixel[i])]);
                    let of_row = part.iter().fold([0.0; 3], add);
                    sum = [0, 1, 2].map(|i| sum[i] + of_row[i]);
                    count += part.len();
                }
                image.pixels.extend(Linear(sum.map(|v| v / count as f32)).to_srgb());
            }
        }
        image
    }

    /// The bytes at the beginning of a PNG file that say how large the image is.
    pub const PNG_HEAD: usize = 24;

    /// The width and the height of the image in a PNG file that begins with these bytes; `None` if it is not such a file.
    #[doc(hidden)]
    pub fn png_size(head: &[u8; Self::PNG_HEAD]) -> Option<[u32; 2]> {
        let rest = head.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR")?;
        let (numbers, _) = rest.as_chunks::<4>();
        Some([u32::from_be_bytes(*numbers.first()?), u32::from_be_bytes(*numbers.get(1)?)])
    }

    /// The image in a PNG file's bytes, with white for transparent parts; `None` for other bytes, or more than `most` pixels.
    pub fn from_png(bytes: &[u8], most: u64) -> Option<Image> {
        Some(Samples::from_png(bytes, most)?.into_image())
    }

    /// The image as a PNG file's bytes. Equal images give equal bytes.
    pub fn to_png(&self) -> Vec<u8> {
        self.encoded(LEVEL, png::Filter::NoFilter)
    }

    /// The same in a quarter of the time, for pictures of which there are many: files are up to a half larger.
    pub fn to_png_quickly(&self) -> Vec<u8> {
        // The quickest level does not find by itself that rows repeat.
        self.encoded(1, png::Filter::Up)
    }

    fn encoded(&self, level: u8, filter_of_palette: png::Filter) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_deflate_compression(png::DeflateCompression::Level(level));
        let mut palette = Palette::default();
        let indices = palette.indices(self, 0);
        // Rows repeat where places are larger than pixels, and are then compressed best as they are.
        match &indices {
            Some(_) => {
                encoder.set_color(png::ColorType::Indexed);
                encoder.set_palette(palette.bytes());
                encoder.set_filter(filter_of_palette);
            }
            None => {
                encoder.set_color(png::ColorType::Rgb);
                encoder.set_filter(png::Filter::Up);
            }
        }
        let write = |encoder: png::Encoder<_>| -> Result<(), png::EncodingError> {
            let mut writer = encoder.write_header()?;
            writer.write_image_data(indices.as_deref().unwrap_or(&self.pixels))?;
            writer.finish()
        };
        write(encoder).expect("an image of right length and side is encoded into memory without fail");
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduced_image_is_the_mean_of_squares_and_of_what_is_left_at_the_edges() {
        let image =
            Image { width: 3, height: 2, pixels: [0u8, 0, 40, 255, 255, 40].iter().flat_map(|v| [*v; 3]).collect() };
        let half = Linear([0.5; 3]).to_srgb();
        let small = image.reduced(2);
        assert_eq!((small.width, small.height, small.pixels), (2, 1, [half, [40; 3]].concat()));
        assert_eq!(image.reduced(3), image);
        // A square of one colour has this mean as well.
        for byte in 0..=255 {
            let light = Linear::from_srgb(byte).0[2];
            for factor in 2..=16 {
                let row = (0..factor).fold(0.0, |sum, _| sum + light);
                let mean = (0..factor).fold(0.0, |sum, _| sum + row) / (factor * factor) as f32;
                assert_eq!(u32::from(Linear([mean; 3]).to_srgb()[0]), byte, "{factor}");
            }
        }
    }

    #[test]
    fn a_png_can_be_read_back() {
        let image = Image { width: 3, height: 2, pixels: (0..18).map(|i| 13 * i).collect() };
        assert_eq!(Image::from_png(&image.to_png(), 6), Some(image.clone()));
        assert_eq!(Image::from_png(&image.to_png(), 5), None, "there are more pixels");
        for colours in [2, 1 << 10] {
            let cell = |i: u32| [i.wrapping_mul(0x9e37_79b1) >> 16 & (colours - 1), 7 * i % colours, 0];
            let pixels = (0..900).flat_map(cell).flat_map(|channel| [channel as u8]).collect();
            let cells = Image { width: 30, height: 30, pixels }.enlarged(4);
            let (bytes, quick) = (cells.to_png(), cells.to_png_quickly());
            assert_eq!(Image::from_png(&quick, 1 << 20), Some(cells));
            assert!(quick.len() < 2 * bytes.len(), "{} and {}", quick.len(), bytes.len());
        }
    }
}
