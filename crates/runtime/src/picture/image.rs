//! Images of pixels, and PNG.

use super::palette::Linear;

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

impl Image {
    /// An image of one colour.
    pub fn filled(width: u32, height: u32, colour: Linear) -> Image {
        let count = width as usize * height as usize;
        Image { width, height, pixels: colour.to_srgb().repeat(count) }
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

    /// The image as a PNG file's bytes. Those of equal images are equal.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let write = |encoder: png::Encoder<_>| -> Result<(), png::EncodingError> {
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.pixels)?;
            writer.finish()
        };
        write(encoder).expect("an image of right length and side is encoded into memory without fail");
        bytes
    }
}
