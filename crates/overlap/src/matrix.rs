//! Matrices of overlaps in files: `.npy` of i64 for Hamming distances, of f64 for all else, with the shape [R, R].

use super::Similarity;
use super::product::Counts;
use super::source::{no_memory, not_taken};
use squeeze_engine::failure::Result;
use squeeze_host::files::{Bounded, FileError, Links, PendingFile};
use squeeze_host::memory;
use squeeze_records::state::npy::Header;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;

/// The type of the elements, as numpy writes it.
fn descriptor(measure: Similarity) -> &'static str {
    match measure {
        Similarity::Hamming => "<i8",
        Similarity::Overlap | Similarity::R2 => "<f8",
    }
}

/// Writes the matrix of all pairs. It appears as a whole.
///
/// # Errors
/// If the file cannot be written.
pub fn write(counts: &Counts, measure: Similarity, path: &Path) -> Result<()> {
    let bytes = |a: usize, b: usize| match measure {
        Similarity::Hamming => counts.hamming(a, b).to_le_bytes(),
        Similarity::Overlap | Similarity::R2 => counts.value(measure, a, b).to_le_bytes(),
    };
    write_elements(PendingFile::begin(path)?, path, descriptor(measure), counts.rows(), bytes)
}

/// Writes the overlaps of members into a folder that is ours. Row i of `counts` belongs to `members[i]`. Of `all` members those without a row
/// are NaN.
pub(crate) fn write_members(counts: &Counts, members: &[usize], all: usize, path: &Path) -> Result<()> {
    let mut rows = vec![None; all];
    members.iter().enumerate().for_each(|(row, member)| rows[*member] = Some(row));
    let value = |a: usize, b: usize| match (rows[a], rows[b]) {
        (Some(a), Some(b)) => counts.value(Similarity::Overlap, a, b),
        _ => f64::NAN,
    };
    let bytes = |a: usize, b: usize| value(a, b).to_le_bytes();
    write_elements(PendingFile::begin_here(path)?, path, descriptor(Similarity::Overlap), all, bytes)
}

fn write_elements(
    file: PendingFile,
    path: &Path,
    descriptor: &str,
    rows: usize,
    element: impl Fn(usize, usize) -> [u8; 8],
) -> Result<()> {
    Header::write(file, path, descriptor, &[rows as u64; 2], |out| {
        let mut places = (0..rows).flat_map(|a| (0..rows).map(move |b| (a, b)));
        let written = places.try_for_each(|(a, b)| out.write_all(&element(a, b)));
        Ok(written.map_err(|error| FileError::writing(path, error))?)
    })
}

/// A matrix that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// How many rows it has, and columns.
    pub rows: usize,
    /// Whether its values are integers: distances.
    pub is_of_integers: bool,
    /// Row after row.
    pub values: Vec<f64>,
}

const VALID: &str = "a matrix is a .npy of f64 or i64 with the shape [R, R], as `squeeze overlap … -o q.npy` writes it";

/// Reads a matrix.
///
/// # Errors
/// If it is none, is cut, or does not fit in memory.
pub fn read(path: &Path) -> Result<Matrix> {
    let wrong = |problem: String| not_taken(path, &problem, VALID);
    let mut file = Bounded::open(path, u64::MAX, Links::Followed)?;
    let header = Header::read(&mut file).map_err(wrong)?;
    let is_of_integers = match header.descriptor.as_str() {
        "<i8" => true,
        "<f8" => false,
        other => return Err(wrong(format!("its head says that it holds {other}"))),
    };
    let rows = match header.shape[..] {
        [rows, columns] if rows == columns && rows > 0 => rows,
        _ => return Err(wrong(format!("its head says the shape {:?}", header.shape))),
    };
    let needed = rows.checked_mul(rows).and_then(|count| count.checked_mul(8)).unwrap_or(u64::MAX);
    if file.length() < needed {
        return Err(wrong(format!("it has {} bytes, and {rows} × {rows} values take {needed}", file.length())));
    }
    let available = memory::available();
    if needed > available / 2 {
        return Err(no_memory(&format!("{rows} × {rows} values"), needed.saturating_mul(2), available));
    }
    let mut bytes = vec![0; needed as usize];
    file.read_exact(&mut bytes).map_err(|_| wrong("it ends before its last value".to_owned()))?;
    let value = |bytes: &[u8; 8]| match is_of_integers {
        true => i64::from_le_bytes(*bytes) as f64,
        false => f64::from_le_bytes(*bytes),
    };
    Ok(Matrix { rows: rows as usize, is_of_integers, values: bytes.as_chunks::<8>().0.iter().map(value).collect() })
}

impl Matrix {
    /// The values of all pairs of two of these replicas.
    ///
    /// # Panics
    /// If there are fewer.
    pub(crate) fn pairs(&self, replicas: Range<usize>) -> impl Iterator<Item = f64> + '_ {
        let end = replicas.end;
        replicas.flat_map(move |a| (a + 1..end).map(move |b| self.values[a * self.rows + b]))
    }
}
