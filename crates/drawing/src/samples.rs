//! Pictures as they are read: with all bits of their pixels.

use crate::Image;

/// The pixels of a PNG. Those of 16 bits keep them; those of fewer than 8 bits, and the colours of palettes, have 8. Transparent parts are white.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Whether a channel has 16 bits, rather than 8.
    pub is_wide: bool,
    channels: usize,
    /// Row by row from the top; of wide channels the high byte first.
    bytes: Vec<u8>,
}

/// What white is: pixels of 8 bits are spread over the same range.
pub const WHITE: u32 = u16::MAX as u32;

impl Samples {
    /// Bytes that a pixel takes at most: four channels of 16 bits.
    pub const MOST_BYTES: u64 = 8;

    /// The picture in a PNG file's bytes; `None` if they are not such a file, or the picture has more than `most` pixels.
    pub fn from_png(bytes: &[u8], most: u64) -> Option<Samples> {
        let [width, height] = Image::png_size(bytes.first_chunk()?)?.map(u64::from);
        if width * height > most {
            return None;
        }
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let mut reader = decoder.read_info().ok()?;
        // The decoder takes a palette for whole colours.
        if reader.info().palette.as_ref().is_some_and(|palette| !palette.len().is_multiple_of(3)) {
            return None;
        }
        let mut bytes = vec![0; reader.output_buffer_size()?];
        let info = reader.next_frame(&mut bytes).ok()?;
        bytes.truncate(info.buffer_size());
        let channels = match info.color_type {
            png::ColorType::Grayscale => 1,
            png::ColorType::GrayscaleAlpha => 2,
            png::ColorType::Rgb => 3,
            png::ColorType::Rgba => 4,
            png::ColorType::Indexed => return None,
        };
        let is_wide = match info.bit_depth {
            png::BitDepth::Eight => false,
            png::BitDepth::Sixteen => true,
            png::BitDepth::One | png::BitDepth::Two | png::BitDepth::Four => return None,
        };
        Some(Samples { width: info.width, height: info.height, is_wide, channels, bytes })
    }

    /// The greatest value of a channel as the file has it.
    pub fn most(&self) -> u16 {
        if self.is_wide { u16::MAX } else { u8::MAX.into() }
    }

    /// The colour of a pixel: red, green and blue from 0 to [`WHITE`].
    ///
    /// # Panics
    /// If it lies outside.
    pub fn get(&self, x: u32, y: u32) -> [u16; 3] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y})");
        let pixel = (y as usize * self.width as usize + x as usize) * self.channels;
        let channel = |number: usize| match self.is_wide {
            true => {
                u32::from(u16::from_be_bytes([self.bytes[2 * (pixel + number)], self.bytes[2 * (pixel + number) + 1]]))
            }
            false => u32::from(self.bytes[pixel + number]),
        };
        let most = u32::from(self.most());
        let over_white = |value: u32, alpha: u32| most - (most - value) * alpha / most;
        let colour = match self.channels {
            1 => [channel(0); 3],
            2 => [over_white(channel(0), channel(1)); 3],
            3 => [channel(0), channel(1), channel(2)],
            _ => [0, 1, 2].map(|number| over_white(channel(number), channel(3))),
        };
        colour.map(|value| (value * (WHITE / most)) as u16)
    }

    /// A thousand times the lightness of a pixel, as the file has it: from 0 to a thousand times [`Samples::most`].
    pub fn lightness(&self, x: u32, y: u32) -> u32 {
        let [r, g, b] = self.get(x, y).map(u32::from);
        (299 * r + 587 * g + 114 * b) / (WHITE / u32::from(self.most()))
    }

    /// Whether a pixel is rather black than white.
    pub fn is_dark(&self, x: u32, y: u32) -> bool {
        self.lightness(x, y) < 500 * u32::from(self.most())
    }

    /// The picture with 8 bits a channel.
    pub(crate) fn to_image(&self) -> Image {
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        let pixels = places.flat_map(|(x, y)| self.get(x, y).map(|value| (value >> 8) as u8)).collect();
        Image { width: self.width, height: self.height, pixels }
    }
}
