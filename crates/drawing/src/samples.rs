//! Pictures as they are read: with all bits of their pixels.

use crate::Image;
use std::io::Cursor;

/// The pixels of a PNG. Pixels of 16 bits keep them; those of fewer than 8 bits, and the colours of palettes, have 8. Transparent parts are white.
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

/// The value of white: pixels of 8 bits are spread over the same range.
pub const WHITE: u32 = u16::MAX as u32;

impl Samples {
    /// Bytes that a pixel takes at most: four channels of 16 bits.
    pub const MOST_BYTES: u64 = 8;

    /// The picture in a PNG file's bytes; `None` if they are not such a file, or the picture has more than `most` pixels.
    pub fn from_png(bytes: &[u8], most: u64) -> Option<Samples> {
        let (mut reader, mut samples) = Samples::reader(bytes)?;
        if u64::from(samples.width) * u64::from(samples.height) > most {
            return None;
        }
        samples.bytes = vec![0; reader.output_buffer_size()?];
        let info = reader.next_frame(&mut samples.bytes).ok()?;
        samples.bytes.truncate(info.buffer_size());
        Some(samples)
    }

    /// Which pixels of a PNG are set, by rows of bits, each from the highest bit of a byte on, and the greatest value of a channel. Of the picture
    /// itself no more than a row is held: `is_set` is given rows, and tells of their pixels. `None` if the bytes are no such file.
    pub fn bits_of_png(bytes: &[u8], is_set: impl Fn(&Samples, u32) -> bool) -> Option<(Vec<u8>, u16)> {
        let (mut reader, mut row) = Samples::reader(bytes)?;
        let (stride, most) = (row.width.div_ceil(8) as usize, row.most());
        let mut bits = vec![0; stride.checked_mul(row.height as usize)?];
        let bytes_a_pixel = row.channels * if row.is_wide { 2 } else { 1 };
        let (mut y, mut packed) = (0, Vec::new());
        row.height = 1;
        while let Some(read) = reader.next_interlaced_row().ok()? {
            row.bytes.clear();
            row.bytes.extend_from_slice(read.data());
            row.width = (row.bytes.len() / bytes_a_pixel) as u32;
            packed.clear();
            packed.resize(row.width.div_ceil(8) as usize, 0);
            for x in (0..row.width).filter(|x| is_set(&row, *x)) {
                packed[x as usize / 8] |= 0x80 >> (x % 8);
            }
            match read.interlace() {
                png::InterlaceInfo::Null(_) => bits.get_mut(y * stride..)?[..stride].copy_from_slice(&packed),
                png::InterlaceInfo::Adam7(pass) => png::expand_interlaced_row(&mut bits, stride, &packed, pass, 1),
            }
            y += 1;
        }
        Some((bits, most))
    }

    /// A reader of a PNG's pixels, and what they will be: without any.
    fn reader(bytes: &[u8]) -> Option<(png::Reader<Cursor<&[u8]>>, Samples)> {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let reader = decoder.read_info().ok()?;
        // The decoder takes a palette for whole colours.
        if reader.info().palette.as_ref().is_some_and(|palette| !palette.len().is_multiple_of(3)) {
            return None;
        }
        let (colour, depth) = reader.output_color_type();
        let channels = match colour {
            png::ColorType::Grayscale => 1,
            png::ColorType::GrayscaleAlpha => 2,
            png::ColorType::Rgb => 3,
            png::ColorType::Rgba => 4,
            png::ColorType::Indexed => return None,
        };
        let is_wide = match depth {
            png::BitDepth::Eight => false,
            png::BitDepth::Sixteen => true,
            png::BitDepth::One | png::BitDepth::Two | png::BitDepth::Four => return None,
        };
        let (width, height) = reader.info().size();
        Some((reader, Samples { width, height, is_wide, channels, bytes: Vec::new() }))
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
    pub(crate) fn into_image(self) -> Image {
        let (width, height) = (self.width, self.height);
        if self.channels == 3 && !self.is_wide {
            return Image { width, height, pixels: self.bytes };
        }
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixels = places.flat_map(|(x, y)| self.get(x, y).map(|value| (value >> 8) as u8)).collect();
        Image { width, height, pixels }
    }
}
