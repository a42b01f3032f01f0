//! Masks and packed arrays in files: `.npy` of any plain numbers, whose values are copied as they are.

use super::{Mask, MaskError, Packer};
use squeeze_compiler::geometry::Domain;
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_host::files::{Bounded, FileError, Links, PendingFile};
use squeeze_host::{memory, numbers};
use squeeze_records::pattern;
use squeeze_records::resolve::{self, Edges};
use squeeze_records::state::mask;
use squeeze_records::state::npy::Header;
use std::fmt::Display;
use std::io::{Read, Write};
use std::path::Path;

/// The predicate of errors about an array that does not fit.
const REFUSED: &str = "cannot be taken";

/// A file that is no mask, or an array that does not fit one.
fn wrong(path: &Path, what: &str, problem: &dyn Display) -> Error {
    Message::users(format!("`{}` {what}: {problem}", path.display())).into()
}

/// A mask by what a user typed: a picture, an array or a pattern, or a mask or a box in a text, as runs take it.
///
/// # Errors
/// If there is none.
pub fn open(spec: &str) -> Result<Mask> {
    let path = Path::new(spec);
    let no_mask = |problem: &dyn Display| wrong(path, "is no mask", problem);
    let is_values = |ending: &std::ffi::OsStr| ["png", "npy"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    if path.extension().is_some_and(is_values) || pattern::is_pattern(path) {
        let bitmap = mask::read(path, None, u64::MAX).map_err(|problem| no_mask(&problem))?;
        return Mask::from_bitmap(&bitmap).map_err(|error| no_mask(&error));
    }
    let fractal = resolve::domain(spec, &Edges::default())?;
    if fractal.extent.is_none() {
        let what = format!("`{}` is a fractal, and a mask or a box is needed", fractal.name);
        let help = "draw it with `squeeze render`, and take the picture as a mask";
        return Err(Message::users(what).with_help(help).into());
    }
    let domain = Domain::new(fractal, 1).map_err(|error| no_mask(&error))?;
    Mask::of(&domain).map_err(|error| no_mask(&error))
}

/// Elements of this size, which are copied as they are.
struct Array {
    header: Header,
    size: usize,
    bytes: Vec<u8>,
}

impl Array {
    fn read(path: &Path) -> Result<Array> {
        let wrong = |problem: String| wrong(path, REFUSED, &problem);
        let mut file = Bounded::open(path, u64::MAX, Links::Followed)?;
        let header = Header::read(&mut file).map_err(wrong)?;
        let size = size_of_element(&header.descriptor)
            .ok_or_else(|| wrong(format!("it holds {}, which are no plain numbers", header.descriptor)))?;
        if header.fortran && header.shape.len() > 1 {
            return Err(wrong("it holds columns one after the other: `numpy.ascontiguousarray` makes rows".to_owned()));
        }
        let count = header.shape.iter().try_fold(1u64, |count, side| count.checked_mul(*side));
        let bytes = count.and_then(|count| count.checked_mul(size as u64)).unwrap_or(u64::MAX);
        if bytes > file.length() {
            return Err(wrong("it ends before its last value".to_owned()));
        }
        // The result takes about as much.
        if bytes > memory::available() / 2 {
            let (needed, available) = (numbers::bytes(2.0 * bytes as f64), numbers::bytes(memory::available() as f64));
            return Err(wrong(format!("{needed} of memory are needed, and {available} are there")));
        }
        let mut list = vec![0; bytes as usize];
        file.read_exact(&mut list).map_err(|_| wrong("it ends before its last value".to_owned()))?;
        Ok(Array { header, size, bytes: list })
    }
}

/// Bytes of an element of plain numbers.
fn size_of_element(descriptor: &str) -> Option<usize> {
    let known = ["b1", "u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8", "c8", "c16"];
    let (order, kind) = descriptor.split_at_checked(1)?;
    let size = known.contains(&kind).then(|| kind[1..].parse().ok())??;
    (["<", "|", ">"].contains(&order) && (order != "|" || size == 1)).then_some(size)
}

/// The bytes of a value.
fn element(descriptor: &str, value: &str) -> Option<Vec<u8>> {
    let (order, kind) = descriptor.split_at_checked(1)?;
    fn bytes<T: std::str::FromStr, const SIZE: usize>(value: &str, of: fn(T) -> [u8; SIZE]) -> Option<Vec<u8>> {
        Some(of(value.parse().ok()?).to_vec())
    }
    let mut bytes = match kind {
        "b1" => bytes(value, |value: bool| [u8::from(value)]).or_else(|| match value {
            "0" => Some(vec![0]),
            "1" => Some(vec![1]),
            _ => None,
        })?,
        "u1" => bytes(value, u8::to_le_bytes)?,
        "i1" => bytes(value, i8::to_le_bytes)?,
        "u2" => bytes(value, u16::to_le_bytes)?,
        "i2" => bytes(value, i16::to_le_bytes)?,
        "u4" => bytes(value, u32::to_le_bytes)?,
        "i4" => bytes(value, i32::to_le_bytes)?,
        "f4" => bytes(value, f32::to_le_bytes)?,
        "u8" => bytes(value, u64::to_le_bytes)?,
        "i8" => bytes(value, i64::to_le_bytes)?,
        "f8" => bytes(value, f64::to_le_bytes)?,
        // Of halves and complex numbers 0 alone, whose bytes are all 0.
        _ if value == "0" => vec![0; size_of_element(descriptor)?],
        _ => return None,
    };
    if order == ">" {
        bytes.reverse();
    }
    Some(bytes)
}

fn write(path: &Path, descriptor: &str, shape: &[u64], bytes: &[u8]) -> Result<()> {
    Header::write(PendingFile::begin(path)?, path, descriptor, shape, |out| {
        Ok(out.write_all(bytes).map_err(|error| FileError::writing(path, error))?)
    })
}

/// The shape of an array of all places, as numpy has it.
fn shape(mask: &Mask) -> Vec<u64> {
    let [width, height, depth] = mask.extent().map(u64::from);
    if depth > 1 { vec![depth, height, width] } else { vec![height, width] }
}

/// An array that does not fit, or a device that fails.
fn failed(error: Error, array: &Path) -> Error {
    if error.downcast_ref::<MaskError>().is_some() { wrong(array, REFUSED, &error) } else { error }
}

/// Writes the values of the cells alone, by rank, from an array of all places.
///
/// # Errors
/// If the array is none of this mask, what packs fails, or a file cannot be read or written.
pub fn pack(mask: &Mask, array: &Path, packed: &Path, by: &dyn Packer) -> Result<()> {
    let values = Array::read(array)?;
    let (found, expected) = (&values.header.shape, shape(mask));
    let in_space = [&[1][..], &expected].concat();
    if *found != expected && *found != in_space {
        return Err(wrong(array, REFUSED, &format!("it has the shape {found:?}, and the mask {expected:?}")));
    }
    let bytes = by.pack(mask, values.size, &values.bytes).map_err(|error| failed(error, array))?;
    write(packed, &values.header.descriptor, &[mask.cells()], &bytes)
}

/// Writes an array of all places from the values of the cells, by rank; `hole` is the value of all others.
///
/// # Errors
/// As [`pack`], and if the array cannot hold the value.
pub fn unpack(mask: &Mask, packed: &Path, hole: &str, array: &Path, by: &dyn Packer) -> Result<()> {
    let values = Array::read(packed)?;
    let descriptor = &values.header.descriptor;
    if values.header.shape != [mask.cells()] {
        let (found, cells) = (&values.header.shape, mask.cells());
        let problem = format!("it has the shape {found:?}, and the cells of the mask [{cells}]");
        return Err(wrong(packed, REFUSED, &problem));
    }
    let hole =
        element(descriptor, hole).ok_or_else(|| Message::users(format!("`{hole}` is no value of {descriptor}")))?;
    let bytes = by.unpack(mask, &hole, &values.bytes).map_err(|error| failed(error, packed))?;
    write(array, descriptor, &shape(mask), &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_bytes_that_numpy_gives_them() {
        assert_eq!(element("<f4", "1.5"), Some(1.5f32.to_le_bytes().to_vec()));
        assert_eq!(element(">i2", "-3"), Some((-3i16).to_be_bytes().to_vec()));
        assert_eq!((element("|u1", "256"), element("<f8", "x"), element("<c8", "1")), (None, None, None));
        assert_eq!((element("<c16", "0"), element("|b1", "true")), (Some(vec![0; 16]), Some(vec![1])));
        assert_eq!((size_of_element("<U4"), size_of_element("|f4"), size_of_element("")), (None, None, None));
    }
}
