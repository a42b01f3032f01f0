//! Masks and packed arrays in files: `.npy` of any plain numbers, whose values are copied as they are.

use super::{Mask, PackError, Packer};
use squeeze_compiler::geometry::Domain;
use squeeze_engine::EngineError;
use squeeze_engine::failure::{Error, Failure};
use squeeze_host::files::{Bounded, FileError, Links, PendingFile};
use squeeze_host::{memory, numbers};
use squeeze_records::pattern;
use squeeze_records::resolve::{self, Edges};
use squeeze_records::state::mask;
use squeeze_records::state::npy::Header;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Why a mask or an array cannot be read or written: the user's error, unless a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum MaskFileError {
    /// A picture, an array or a pattern that is no mask.
    #[error("`{}` is no mask: {problem}", .path.display())]
    Mask {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A fractal, whose cells are others at every level.
    #[error("`{name}` is a fractal, and a mask or a box is needed")]
    Fractal {
        /// Its name.
        name: String,
    },
    /// An array that cannot be packed or unpacked.
    #[error("`{}` cannot be taken: {problem}", .path.display())]
    Array {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A value for places without a cell that the array cannot hold.
    #[error("`{value}` is no value of {descriptor}")]
    Hole {
        /// The value.
        value: String,
        /// The type of the array's elements.
        descriptor: String,
    },
    /// A text with a mask.
    #[error("{0}")]
    Resolve(#[from] Error),
    /// What packs or unpacks.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Failure for MaskFileError {
    fn is_users(&self) -> bool {
        match self {
            MaskFileError::Resolve(error) => error.is_users(),
            MaskFileError::Engine(error) => error.is_users(),
            MaskFileError::File(error) => error.is_users(),
            MaskFileError::Mask { .. }
            | MaskFileError::Fractal { .. }
            | MaskFileError::Array { .. }
            | MaskFileError::Hole { .. } => true,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            MaskFileError::Resolve(error) => error.help(),
            MaskFileError::Engine(error) => error.help(),
            MaskFileError::Fractal { .. } => {
                vec!["draw it with `squeeze render`, and take the picture as a mask".to_owned()]
            }
            MaskFileError::Mask { .. }
            | MaskFileError::Array { .. }
            | MaskFileError::Hole { .. }
            | MaskFileError::File(_) => Vec::new(),
        }
    }
}

/// What is done with masks in files.
pub type Result<T> = std::result::Result<T, MaskFileError>;

/// A mask by what a user typed: a picture, an array or a pattern, or a mask or a box in a text, as runs take it.
///
/// # Errors
/// If there is none.
pub fn open(spec: &str) -> Result<Mask> {
    let path = Path::new(spec);
    let wrong = |problem: String| MaskFileError::Mask { path: path.to_owned(), problem };
    let is_values = |ending: &std::ffi::OsStr| ["png", "npy"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    if path.extension().is_some_and(is_values) || pattern::is_pattern(path) {
        let bitmap = mask::read(path, None, u64::MAX).map_err(wrong)?;
        return Mask::from_bitmap(&bitmap).map_err(|error| wrong(error.to_string()));
    }
    let fractal = resolve::domain(spec, &Edges::default())?;
    let name = fractal.name.clone();
    match fractal.extent {
        None => Err(MaskFileError::Fractal { name }),
        Some(_) => {
            let domain = Domain::new(fractal, 1).map_err(|error| wrong(error.to_string()))?;
            Mask::of(&domain).map_err(|error| wrong(error.to_string()))
        }
    }
}

/// Elements of this size, which are copied as they are.
struct Array {
    header: Header,
    size: usize,
    bytes: Vec<u8>,
}

impl Array {
    fn read(path: &Path) -> Result<Array> {
        let wrong = |problem: String| MaskFileError::Array { path: path.to_owned(), problem };
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

fn write(path: &Path, descriptor: &str, shape: Vec<u64>, bytes: &[u8]) -> Result<()> {
    let header = Header { descriptor: descriptor.to_owned(), fortran: false, shape };
    let mut file = PendingFile::begin(path)?;
    let out = file.file();
    let failed = |error| FileError::writing(path, error);
    out.write_all(&header.bytes()).and_then(|()| out.write_all(bytes)).map_err(failed)?;
    Ok(file.finish(&[])?)
}

/// The shape of an array of all places, as numpy has it.
fn shape(mask: &Mask) -> Vec<u64> {
    let [width, height, depth] = mask.extent().map(u64::from);
    if depth > 1 { vec![depth, height, width] } else { vec![height, width] }
}

/// An array that does not fit, or a device that fails.
fn failed(error: PackError, wrong: impl Fn(String) -> MaskFileError) -> MaskFileError {
    match error {
        PackError::Mask(error) => wrong(error.to_string()),
        PackError::Engine(error) => error.into(),
    }
}

/// Writes the values of the cells alone, by rank, from an array of all places.
///
/// # Errors
/// If the array is none of this mask, what packs fails, or a file cannot be read or written.
pub fn pack(mask: &Mask, array: &Path, packed: &Path, by: &dyn Packer) -> Result<()> {
    let values = Array::read(array)?;
    let wrong = |problem: String| MaskFileError::Array { path: array.to_owned(), problem };
    let (found, expected) = (&values.header.shape, shape(mask));
    let in_space = [&[1][..], &expected].concat();
    if *found != expected && *found != in_space {
        return Err(wrong(format!("it has the shape {found:?}, and the mask {expected:?}")));
    }
    let bytes = by.pack(mask, values.size, &values.bytes).map_err(|error| failed(error, wrong))?;
    write(packed, &values.header.descriptor, vec![mask.cells()], &bytes)
}

/// Writes an array of all places from the values of the cells, by rank; `hole` is the value of all others.
///
/// # Errors
/// As [`pack`], and if the array cannot hold the value.
pub fn unpack(mask: &Mask, packed: &Path, hole: &str, array: &Path, by: &dyn Packer) -> Result<()> {
    let values = Array::read(packed)?;
    let wrong = |problem: String| MaskFileError::Array { path: packed.to_owned(), problem };
    let descriptor = &values.header.descriptor;
    if values.header.shape != [mask.cells()] {
        let (found, cells) = (&values.header.shape, mask.cells());
        return Err(wrong(format!("it has the shape {found:?}, and the cells of the mask [{cells}]")));
    }
    let hole = element(descriptor, hole)
        .ok_or_else(|| MaskFileError::Hole { value: hole.to_owned(), descriptor: descriptor.clone() })?;
    let bytes = by.unpack(mask, &hole, &values.bytes).map_err(|error| failed(error, wrong))?;
    write(array, descriptor, shape(mask), &bytes)
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
