//! Masks from files: dark pixels of a PNG, `true` of a `.npy`, live cells of an RLE are cells.

use crate::files::{self, Bounded, Links};
use crate::memory;
use crate::picture::Image;
use crate::state::export::rle;
use crate::state::npy::Header;
use squeeze_compiler::Bitmap;
use squeeze_compiler::ir::Dimension;
use std::io::Read;
use std::path::Path;

/// The most bytes of a picture or pattern.
const MOST_BYTES: u64 = 1 << 30;
/// Bytes that a place takes while it is read.
const BYTES_A_PLACE: u64 = 8;

/// The places of a mask in a file.
///
/// # Errors
/// What is wrong with it, as part of a sentence.
pub fn read(path: &Path) -> Result<Bitmap, String> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("png") => of_png(path),
        Some("npy") => of_npy(path),
        Some("rle") => of_rle(path),
        _ => Err(format!("`{}` is not a .png, .npy or .rle", path.display())),
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

fn of_png(path: &Path) -> Result<Bitmap, String> {
    let no_png = || "it is not a PNG with 8 or 16 bits a channel".to_owned();
    let mut head = [0; Image::PNG_HEAD];
    let mut file = Bounded::open(path, MOST_BYTES, Links::Followed).map_err(|error| error.to_string())?;
    file.read_exact(&mut head).map_err(|_| no_png())?;
    let [width, height] = Image::png_size(&head).ok_or_else(no_png)?;
    let (extent, count) = places([u64::from(width), u64::from(height), 1])?;
    let bytes = files::read(path, MOST_BYTES, Links::Followed).map_err(|error| error.to_string())?;
    let image = Image::from_png(&bytes, count as u64).ok_or_else(no_png)?;
    if [image.width, image.height] != [width, height] {
        return Err(no_png());
    }
    let dark = |[r, g, b]: [u8; 3]| 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) < 127_500;
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| dark(image.get(x, y)));
    Ok(Bitmap::new(Dimension::Two, extent, places))
}

fn of_npy(path: &Path) -> Result<Bitmap, String> {
    let mut file = Bounded::open(path, u64::MAX, Links::Followed).map_err(|error| error.to_string())?;
    let Header { descriptor, shape, fortran } = Header::read(&mut file)?;
    if !["|b1", "|u1"].contains(&descriptor.as_str()) {
        return Err(format!("it holds {descriptor}, and a mask is of bool (|b1) or u8 (|u1)"));
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
    let short = || "it ends before its last value".to_owned();
    if count as u64 > file.length() {
        return Err(short());
    }
    let mut bytes = vec![0; count];
    file.read_exact(&mut bytes).map_err(|_| short())?;
    Ok(Bitmap::new(dimension, extent, bytes.into_iter().map(|byte| byte != 0)))
}

fn of_rle(path: &Path) -> Result<Bitmap, String> {
    let bytes = files::read(path, MOST_BYTES, Links::Followed).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let pattern = rle::parse(&text)?;
    // The head says how wide it is where the last columns are empty.
    let head = text.lines().find(|line| line.trim_start().starts_with('x')).unwrap_or_default();
    let said = |name: &str| {
        let entry = head.split(',').filter_map(|entry| entry.split_once('='));
        entry.filter(|(key, _)| key.trim() == name).find_map(|(_, value)| value.trim().parse::<u64>().ok())
    };
    let side = |axis: usize| pattern.extent[axis].max(said(["x", "y"][axis]).unwrap_or(0));
    let (extent, _) = places([side(0), side(1), 1])?;
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
        read(&path)
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

    #[test]
    fn what_is_no_mask_is_explained() {
        for (name, bytes, reason) in [
            ("a.npy", npy("<f4", &[1, 1], &[0; 4]), "bool"),
            ("a.npy", npy("|b1", &[4], &[0; 4]), "[y, x]"),
            ("a.npy", npy("|b1", &[0, 4], &[]), "no places"),
            ("a.npy", npy("|b1", &[1 << 40, 1 << 20], &[]), "places, and here"),
            ("a.npy", npy("|b1", &[2, 2], &[1]), "ends before"),
            ("a.png", b"not a picture, but long enough".to_vec(), "not a PNG"),
            ("a.rle", b"nothing".to_vec(), "no head"),
            ("a.gif", Vec::new(), "not a .png, .npy or .rle"),
        ] {
            let found = read_bytes(name, &bytes).unwrap_err();
            assert!(found.contains(reason), "{name}: {found}");
        }
        assert!(read(Path::new("nowhere.png")).is_err());
    }
}
