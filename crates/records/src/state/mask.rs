//! Masks from files. Cells are the dark pixels of a PNG, the values of a `.npy` that are not 0 (or, of both, beyond a threshold), the live cells of a pattern.

use crate::pattern;
use crate::state::npy::Header;
use squeeze_compiler::ir::Dimension;
use squeeze_compiler::{Bitmap, Threshold};
use squeeze_drawing::{Image, Samples};
use squeeze_host::files::{self, Bounded, Links};
use squeeze_host::memory;
use std::io::Read;
use std::path::Path;

/// The most bytes of a picture or pattern.
const MOST_BYTES: u64 = 1 << 30;
/// Bytes that a place takes while it is read: a value of an array.
const BYTES_A_PLACE: u64 = 3;

/// The places of a mask in a file, of which a threshold may say which values are cells. Instead of more than `most` places there is a single cell, and
/// the values are not read.
///
/// # Errors
/// The reason why there are none, as part of a sentence.
pub fn read(path: &Path, threshold: Option<Threshold>, most: u64) -> Result<Bitmap, String> {
    if pattern::is_pattern(path) {
        return match threshold {
            None => of_pattern(path, most),
            Some(threshold) => Err(format!(
                "it is a pattern, whose live cells are cells: `{threshold}` is for the values of pictures and arrays"
            )),
        };
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("png") => of_png(path, threshold, most),
        Some("npy") => of_npy(path, threshold, most),
        _ => Err(format!("`{}` is not a .png, .npy, .rle or another pattern", path.display())),
    }
}

/// A threshold that values up to `most` can pass, as part of a sentence if there is none.
fn check_bound(threshold: Threshold, most: u16) -> Result<(), String> {
    if threshold.bound() <= most {
        return Ok(());
    }
    Err(format!("its values have 8 bits, from 0 to {most}, so that `{threshold}` says nothing of them"))
}

/// Whether a threshold makes a cell of a value, both in the same unit.
fn admits(threshold: Threshold, value: u32, unit: u32) -> bool {
    match threshold {
        Threshold::Above(bound) => value > unit * u32::from(bound),
        Threshold::Below(bound) => value < unit * u32::from(bound),
    }
}

/// A box of these sides, whose places fit in memory: how many there are.
fn places(extent: [u64; 3]) -> Result<([u32; 3], usize), String> {
    let places = extent.iter().fold(1u128, |places, side| places.saturating_mul(u128::from(*side)));
    if places == 0 {
        return Err("it has no places".to_owned());
    }
    let most = memory::available() / BYTES_A_PLACE;
    let sides = extent.map(|side| u32::try_from(side).ok().filter(|side| i32::try_from(*side).is_ok()));
    match (sides, usize::try_from(places)) {
        ([Some(x), Some(y), Some(z)], Ok(count)) if places <= u128::from(most) => Ok(([x, y, z], count)),
        _ => Err(format!("it has {places} places, and here {most} fit")),
    }
}

fn of_png(path: &Path, threshold: Option<Threshold>, most: u64) -> Result<Bitmap, String> {
    let no_png = || "it is not a PNG with 8 or 16 bits a channel".to_owned();
    let mut head = [0; Image::PNG_HEAD];
    let mut file = Bounded::open(path, MOST_BYTES, Links::Followed).map_err(|error| error.to_string())?;
    file.read_exact(&mut head).map_err(|_| no_png())?;
    let [width, height] = Image::png_size(&head).ok_or_else(no_png)?;
    let (extent, count) = places([u64::from(width), u64::from(height), 1])?;
    if count as u64 > most {
        return Ok(Bitmap::stand_in(Dimension::Two));
    }
    let bytes = files::read(path, MOST_BYTES, Links::Followed).map_err(|error| error.to_string())?;
    let is_cell = |row: &Samples, x: u32| match threshold {
        None => row.is_dark(x, 0),
        Some(threshold) => admits(threshold, row.lightness(x, 0), 1000),
    };
    let (bits, most) = Samples::bits_of_png(&bytes, is_cell).ok_or_else(no_png)?;
    threshold.map_or(Ok(()), |threshold| check_bound(threshold, most))?;
    let rows = bits.chunks_exact(width.div_ceil(8) as usize);
    let places = rows.flat_map(|row| (0..width).map(|x| row[x as usize / 8] & 0x80 >> (x % 8) != 0));
    Ok(Bitmap::new(Dimension::Two, extent, places))
}

fn of_npy(path: &Path, threshold: Option<Threshold>, most: u64) -> Result<Bitmap, String> {
    let mut file = Bounded::open(path, u64::MAX, Links::Followed).map_err(|error| error.to_string())?;
    let Header { descriptor, shape, fortran } = Header::read(&mut file)?;
    let descriptor = descriptor.as_str();
    let size = match (descriptor, threshold) {
        ("|b1", Some(threshold)) => return Err(format!("it holds bool (|b1), of which `{threshold}` says nothing")),
        ("|b1" | "|u1", _) => 1,
        ("<u2" | ">u2", Some(_)) => 2,
        ("<u2" | ">u2", None) => {
            return Err(format!(
                "it holds u16 ({descriptor}), and needs `above N` or `below N` behind it to say which values are cells"
            ));
        }
        _ => return Err(format!("it holds {descriptor}, and a mask is of bool (|b1), u8 (|u1) or u16 (<u2)")),
    };
    if let ("|u1", Some(threshold)) = (descriptor, threshold) {
        check_bound(threshold, u8::MAX.into())?;
    }
    let (dimension, extent) = match shape[..] {
        [height, width] => (Dimension::Two, [width, height, 1]),
        [depth, height, width] => (Dimension::Three, [width, height, depth]),
        _ => return Err(format!("it has the shape {shape:?}, and a mask has [y, x] or [z, y, x]")),
    };
    if fortran {
        return Err("it holds columns one after the other: `numpy.ascontiguousarray` makes rows".to_owned());
    }
    let (extent, count) = places(extent)?;
    if count as u64 > most {
        return Ok(Bitmap::stand_in(dimension));
    }
    let short = || "it ends before its last value".to_owned();
    let length = count.checked_mul(size).filter(|length| *length as u64 <= file.length()).ok_or_else(short)?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes).map_err(|_| short())?;
    let value = |bytes: &[u8]| match (bytes, descriptor) {
        (&[low, high], "<u2") => u16::from_le_bytes([low, high]),
        (&[high, low], _) => u16::from_be_bytes([high, low]),
        (bytes, _) => bytes[0].into(),
    };
    let is_cell = |bytes: &[u8]| match threshold {
        None => value(bytes) != 0,
        Some(threshold) => admits(threshold, value(bytes).into(), 1),
    };
    Ok(Bitmap::new(dimension, extent, bytes.chunks_exact(size).map(is_cell)))
}

fn of_pattern(path: &Path, most: u64) -> Result<Bitmap, String> {
    let pattern = pattern::parse(path, MOST_BYTES).map_err(|error| error.to_string())??;
    if pattern.is_open && (0..2).any(|axis| pattern.extent[axis] < pattern.size[axis]) {
        return Err("it has no `!` at its end and is smaller than its head says: it has been cut short".to_owned());
    }
    // The head says how wide it is where the last columns are empty.
    let side = |axis: usize| pattern.extent[axis].max(pattern.size[axis]);
    let (extent, count) = places([side(0), side(1), 1])?;
    if count as u64 > most {
        return Ok(Bitmap::stand_in(Dimension::Two));
    }
    let mut bitmap = Bitmap::empty(Dimension::Two, extent);
    for &([x, y], run) in &pattern.runs {
        bitmap.fill(y * u64::from(extent[0]) + x, run, true);
    }
    Ok(bitmap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places_of(bitmap: &Bitmap) -> Vec<bool> {
        (0..bitmap.places()).map(|place| bitmap.contains(place)).collect()
    }

    fn read_bytes(name: &str, bytes: &[u8]) -> Result<Bitmap, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        read(&path, None, u64::MAX)
    }

    fn read_with(name: &str, bytes: &[u8], threshold: Threshold) -> Result<Vec<bool>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        read(&path, Some(threshold), u64::MAX).map(|bitmap| places_of(&bitmap))
    }

    /// A PNG of one row.
    fn png(
        width: u32,
        colour: png::ColorType,
        depth: png::BitDepth,
        data: &[u8],
        extra: fn(&mut png::Encoder<'_, &mut Vec<u8>>),
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, 1);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        extra(&mut encoder);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn thresholds_choose_among_all_bits() {
        use Threshold::{Above, Below};
        use png::{BitDepth, ColorType};
        let words = |words: &[u16]| -> Vec<u8> { words.iter().flat_map(|word| word.to_be_bytes()).collect() };
        let plain = |_: &mut png::Encoder<'_, &mut Vec<u8>>| {};
        let grey = png(4, ColorType::Grayscale, BitDepth::Sixteen, &words(&[8999, 9000, 9001, 65535]), plain);
        assert_eq!(read_with("a.png", &grey, Above(9000)).unwrap(), [false, false, true, true]);
        assert_eq!(read_with("a.png", &grey, Below(9000)).unwrap(), [true, false, false, false]);
        assert_eq!(read_with("a.png", &grey, Above(65535)).unwrap(), [false; 4]);
        // Transparent pixels are white.
        let alpha = png(2, ColorType::GrayscaleAlpha, BitDepth::Sixteen, &words(&[9, 65535, 9, 0]), plain);
        assert_eq!(read_with("a.png", &alpha, Below(10)).unwrap(), [true, false]);
        let keyed =
            png(2, ColorType::Grayscale, BitDepth::Sixteen, &words(&[9, 8]), |encoder| encoder.set_trns(vec![0, 9]));
        assert_eq!(read_with("a.png", &keyed, Below(10)).unwrap(), [false, true]);
        let rgb = png(2, ColorType::Rgb, BitDepth::Sixteen, &words(&[300, 300, 300, 300, 301, 300]), plain);
        assert_eq!(read_with("a.png", &rgb, Above(300)).unwrap(), [false, true]);
        let byte = png(3, ColorType::Grayscale, BitDepth::Eight, &[0, 1, 2], plain);
        assert_eq!(read_with("a.png", &byte, Above(0)).unwrap(), [false, true, true]);
        assert!(read_with("a.png", &byte, Above(256)).unwrap_err().contains("8 bits, from 0 to 255"));
        // Two bits are spread over eight: 0, 85, 170, 255.
        let small = png(4, ColorType::Grayscale, BitDepth::Two, &[0b00_01_10_11], plain);
        assert_eq!(read_with("a.png", &small, Above(84)).unwrap(), [false, true, true, true]);
        let palette =
            png(2, ColorType::Indexed, BitDepth::Eight, &[1, 0], |encoder| encoder.set_palette(vec![0, 0, 0, 7, 7, 7]));
        assert_eq!(read_with("a.png", &palette, Above(6)).unwrap(), [true, false]);

        let array = |descriptor: &str, data: &[u8]| npy(descriptor, &[1, data.len() as u64 / 2], data);
        assert_eq!(read_with("a.npy", &array("<u2", &[0x28, 0x23, 0x29, 0x23]), Above(9000)).unwrap(), [false, true]);
        assert_eq!(read_with("a.npy", &array(">u2", &[0x23, 0x28, 0x23, 0x29]), Above(9000)).unwrap(), [false, true]);
        assert_eq!(read_with("a.npy", &npy("|u1", &[1, 2], &[3, 4]), Below(4)).unwrap(), [true, false]);
        assert!(read_with("a.npy", &npy("|b1", &[1, 2], &[0, 1]), Above(0)).unwrap_err().contains("says nothing"));
        assert!(read_with("a.npy", &array("<u2", &[1]), Above(0)).unwrap_err().contains("no places"));
        assert!(read_bytes("a.npy", &array("<u2", &[1, 0])).unwrap_err().contains("needs `above N`"));
        assert!(read_with("a.rle", b"o!", Above(0)).unwrap_err().contains("pictures and arrays"));
    }

    fn npy(descriptor: &str, shape: &[u64], data: &[u8]) -> Vec<u8> {
        let header = Header { descriptor: descriptor.to_owned(), fortran: false, shape: shape.to_vec() };
        [&header.bytes()[..], data].concat()
    }

    #[test]
    fn arrays_patterns_and_pictures_are_masks() {
        let flat = read_bytes("a.npy", &npy("|b1", &[2, 3], &[1, 0, 1, 0, 0, 1])).unwrap();
        assert_eq!((flat.dimension, flat.extent), (Dimension::Two, [3, 2, 1]));
        assert_eq!(places_of(&flat), [true, false, true, false, false, true]);
        let solid = read_bytes("a.npy", &npy("|u1", &[2, 1, 2], &[0, 255, 7, 0])).unwrap();
        assert_eq!((solid.dimension, solid.extent), (Dimension::Three, [2, 1, 2]));
        assert_eq!(places_of(&solid), [false, true, true, false]);
        let pattern = read_bytes("a.rle", b"x = 4, y = 2, rule = B3/S23\no$boo!").unwrap();
        assert_eq!(
            (pattern.extent, places_of(&pattern)),
            ([4, 2, 1], vec![true, false, false, false, false, true, true, false])
        );
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[255, 10]).unwrap();
        assert_eq!(places_of(&read_bytes("a.png", &bytes).unwrap()), [false, true]);
    }

    /// A picture of seven passes, each by rows of its own.
    #[test]
    fn interlaced_pictures_have_the_places_of_others() {
        const PNG: &[u8] = &[
            137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 13, 0, 0, 0, 9, 8, 0, 0, 0, 1, 187,
            22, 201, 32, 0, 0, 0, 63, 73, 68, 65, 84, 120, 218, 77, 141, 193, 13, 0, 48, 8, 2, 121, 223, 254, 131, 50,
            66, 1, 63, 53, 70, 4, 21, 5, 178, 133, 229, 52, 172, 160, 34, 145, 29, 194, 102, 78, 68, 99, 43, 48, 230,
            210, 158, 87, 253, 97, 235, 248, 76, 124, 189, 251, 229, 108, 14, 102, 198, 88, 242, 1, 118, 33, 62, 249,
            252, 130, 237, 201, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
        ];
        let wanted = (0..9).flat_map(|y| (0..13).map(move |x| (x * x + 3 * y) % 7 < 3));
        assert_eq!(places_of(&read_bytes("a.png", PNG).unwrap()), wanted.collect::<Vec<bool>>());
    }

    #[test]
    fn large_masks_are_not_looked_at_where_texts_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = npy("|b1", &[2, 3], &[0; 6]);
        let path = folder.path().join("a.npy");
        // A part that is not read may be missing.
        std::fs::write(&path, &bytes[..bytes.len() - 6]).unwrap();
        assert_eq!(places_of(&read(&path, None, 5).unwrap()), [true]);
        assert!(read(&path, None, 6).unwrap_err().contains("ends before"));
    }

    #[test]
    fn what_is_no_mask_is_explained() {
        for (name, bytes, reason) in [
            ("a.npy", npy("<f4", &[1, 1], &[0; 4]), "bool"),
            ("a.npy", npy("|b1", &[4], &[0; 4]), "[y, x]"),
            ("a.npy", npy("|b1", &[0, 4], &[]), "no places"),
            ("a.npy", npy("|b1", &[1 << 40, 1 << 20], &[]), "places, and here"),
            ("a.npy", npy("|b1", &[2, 2], &[1]), "ends before"),
            ("a.png", b"not a picture, but long enough".to_vec(), "not a PNG"),
            ("a.rle", b"nothing".to_vec(), "line 1, column 1: `n` stands for no state"),
            ("a.rle", b"x = 9, y = 9\nbo$".to_vec(), "cut short"),
            ("a.gif", Vec::new(), "not a .png, .npy, .rle or another pattern"),
        ] {
            let found = read_bytes(name, &bytes).unwrap_err();
            assert!(found.contains(reason), "{name}: {found}");
        }
        assert!(read(Path::new("nowhere.png"), None, u64::MAX).is_err());
    }
}
