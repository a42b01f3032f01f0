//! Which cells are neighbours, as a sparse matrix that `scipy.sparse.load_npz` reads: compressed rows, cells by canonical index, 1.0
//! where the cell of the column is a neighbour of the cell of the row.

use super::check_memory;
use crate::state::npy::Header;
use rayon::prelude::*;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Dimension, Neighbourhood, Rule};
use squeeze_engine::failure::{Message, Result};
use squeeze_host::files::{FileError, PendingFile};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A neighbourhood from text: `moore`, `von_neumann`, with a radius `moore(2)`, a list `[(1, 0), (2, 1)]`, or one that the rule names.
///
/// # Errors
/// If it has another form, and the rule names no such neighbourhood.
pub fn neighbourhood(text: &str, rule: &Rule, dimension: Dimension) -> Result<Neighbourhood> {
    /// More neighbours than any rule has.
    const MOST_RADIUS: u32 = 32;
    let none = || {
        Message::users(format!(
            "`{text}` is not a neighbourhood: valid are moore, von_neumann, both with a radius as in moore(2), a list such as [(1, 0), (2, 1)], \
             and the names of lists in the rule"
        ))
    };
    if let Some(list) = text.trim().strip_prefix('[') {
        let offsets = list.strip_suffix(']').and_then(|list| offsets(list, dimension)).ok_or_else(none)?;
        return Ok(Neighbourhood::Listed { name: text.to_owned(), offsets });
    }
    let (name, radius) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((name, radius)) => (name, radius.trim().parse().map_err(|_| none())?),
        None => (text, 1),
    };
    let is_named = |list: &&Neighbourhood| matches!(list, Neighbourhood::Listed { name, .. } if name == text.trim());
    let built_in = Neighbourhood::built_in(name.trim(), radius).filter(|_| (1..=MOST_RADIUS).contains(&radius));
    Ok(built_in.or_else(|| rule.neighbourhoods.iter().find(is_named).cloned()).ok_or_else(none)?)
}

/// The offsets of a list without its brackets: `(1, 0), (2, 1)`.
fn offsets(list: &str, dimension: Dimension) -> Option<Vec<[i32; 3]>> {
    /// No fractal has cells that are farther apart and share memory.
    const MOST: i32 = 1 << 30;
    let mut offsets = Vec::new();
    for entry in list.trim().strip_suffix(')')?.split(')') {
        let entry = entry.trim_start();
        let entry = if offsets.is_empty() { entry } else { entry.strip_prefix(',')?.trim_start() };
        let numbers: Vec<i32> =
            entry.strip_prefix('(')?.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
        let mut offset = [0; 3];
        // Rules of a line are those of the plane, and so are their lists.
        if numbers.len() > dimension.axes().max(2) || numbers.iter().any(|number| !(-MOST..=MOST).contains(number)) {
            return None;
        }
        offset[..numbers.len()].copy_from_slice(&numbers);
        offsets.push(offset);
    }
    Some(offsets)
}

/// Writes the matrix.
///
/// # Errors
/// If it does not fit in memory, or the file cannot be written.
pub fn write(domain: &Domain, neighbourhood: &Neighbourhood, path: &Path) -> Result<()> {
    let mut file = PendingFile::begin(path)?;
    let offsets = neighbourhood.offsets(domain.dimension());
    let cells = domain.cells();
    // Before the rows are joined they take three words more.
    check_memory(Some(cells), 8 * (2 * offsets.len() as u64 + 5))?;
    let rows: Vec<Vec<u64>> = (0..cells)
        .into_par_iter()
        .map(|c| {
            let place = domain.lambda(c);
            let mut row: Vec<u64> = offsets.iter().filter_map(|&offset| domain.neighbour(place, offset)).collect();
            row.sort_unstable();
            row
        })
        .collect();
    let mut pointers = Vec::with_capacity(cells as usize + 1);
    pointers.push(0u64);
    pointers.extend(rows.iter().scan(0, |end, row| {
        *end += row.len() as u64;
        Some(*end)
    }));
    let entries = *pointers.last().unwrap_or(&0);
    let small = entries.max(cells) <= i32::MAX as u64;
    let failed = |error: std::io::Error| FileError::writing(path, error);
    let archive = rawzip::ZipArchiveWriter::new(BufWriter::new(file.file()));
    fill(archive, small, &pointers, rows.iter().flatten().copied(), cells).map_err(failed)?;
    Ok(file.finish(&[])?)
}

fn fill<W: Write>(
    mut archive: rawzip::ZipArchiveWriter<W>,
    small: bool,
    pointers: &[u64],
    indices: impl Iterator<Item = u64>,
    cells: u64,
) -> io::Result<()> {
    let (index_type, entries) = (if small { "<i4" } else { "<i8" }, *pointers.last().unwrap_or(&0));
    let ones = std::iter::repeat_n(1f64.to_bits(), entries as usize);
    add(&mut archive, "indices.npy", index_type, &[entries], indices)?;
    add(&mut archive, "indptr.npy", index_type, &[pointers.len() as u64], pointers.iter().copied())?;
    add(&mut archive, "shape.npy", "<i8", &[2], [cells; 2].into_iter())?;
    add(&mut archive, "data.npy", "<f8", &[entries], ones)?;
    // The three letters of its one element as a little-endian number.
    add(&mut archive, "format.npy", "|S3", &[], [u64::from_le_bytes(*b"csr\0\0\0\0\0")].into_iter())?;
    archive.finish().map_err(io::Error::other)?.flush()
}

/// Adds an array of elements which are the lowest bytes of these numbers.
fn add<W: Write>(
    archive: &mut rawzip::ZipArchiveWriter<W>,
    name: &str,
    descriptor: &str,
    shape: &[u64],
    values: impl Iterator<Item = u64>,
) -> io::Result<()> {
    let size = descriptor.bytes().last().map_or(0, |digit| usize::from(digit - b'0'));
    let (mut entry, config) = archive.new_file(name).start().map_err(io::Error::other)?;
    let header = Header { descriptor: descriptor.to_owned(), fortran: false, shape: shape.to_vec() };
    let mut out = BufWriter::new(config.wrap(&mut entry));
    out.write_all(&header.bytes())?;
    for value in values {
        out.write_all(&value.to_le_bytes()[..size])?;
    }
    let writer = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let (_, descriptor) = writer.finish().map_err(io::Error::other)?;
    entry.finish(descriptor).map_err(io::Error::other)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbourhoods_are_read() {
        let rule = crate::resolve::rule("lenia").unwrap();
        let read =
            |text: &str| neighbourhood(text, &rule, Dimension::Two).map(|list| list.offsets(Dimension::Two)).ok();
        assert_eq!(read("moore(2)").map(|list| list.len()), Some(24));
        assert_eq!(read("ring").map(|list| (list.len(), list[0])), Some((44, [-2, -3, 0])));
        assert_eq!(read("[(1, -2), ( 0,1 )]"), Some(vec![[1, -2, 0], [0, 1, 0]]));
        assert_eq!(read("[(1)]"), Some(vec![[1, 0, 0]]));
        let broken = ["", "[]", "[()]", "[(1, 0)", "[(1, 0) (0, 1)]", "[(1, 0),]", "[(1, 0, 0)]", "[(a, 0)]"];
        for wrong in broken.into_iter().chain(["moore(0)", "knight"]) {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
