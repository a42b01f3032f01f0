//! `.npy`, the array file of numpy.

use crate::state::TypeNames;
use crate::state::field::Field;
use crate::state::npy::Header;
use crate::state::window::Window;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Type;
use squeeze_engine::failure::Result;
use squeeze_engine::packed;
use squeeze_host::files::{FileError, PendingFile};
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

/// Writes a head, and hands back where the elements follow.
pub(crate) fn begin<W: Write>(mut writer: W, descriptor: &str, shape: &[u64]) -> std::io::Result<W> {
    let header = Header { descriptor: descriptor.to_owned(), fortran: false, shape: shape.to_vec() };
    writer.write_all(&header.bytes())?;
    Ok(writer)
}

/// Cells that are written at once.
const PIECE: u64 = 1 << 22;

/// Writes all values in canonical order: one dimension, bits as 0 and 1.
///
/// # Errors
/// If the field cannot be read or the file not be written.
pub fn write_cells(domain: &Domain, field: &dyn Field, path: &Path) -> Result<()> {
    let failed = |error| FileError::writing(path, error);
    let mut file = PendingFile::begin(path)?;
    let mut out =
        begin(BufWriter::new(file.file()), TypeNames::of(field.ty()).numpy, &[domain.cells()]).map_err(failed)?;
    for_each_piece(domain, field, |cells, bytes| {
        let written = match field.ty() {
            Type::Bit => {
                let bits = (0..cells.end - cells.start).map(|i| packed::bits(Type::Bit, bytes, i) as u8);
                out.write_all(&bits.collect::<Vec<u8>>())
            }
            _ => out.write_all(bytes),
        };
        Ok(written.map_err(failed)?)
    })?;
    out.flush().map_err(failed)?;
    drop(out);
    Ok(file.finish(&[])?)
}

fn for_each_piece(
    domain: &Domain,
    field: &dyn Field,
    mut take: impl FnMut(Range<u64>, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut bytes = Vec::new();
    for from in (0..domain.cells()).step_by(PIECE as usize) {
        let cells = from..(from + PIECE).min(domain.cells());
        bytes.resize(packed::bytes(field.ty(), cells.end - from) as usize, 0);
        field.read(cells.clone(), &mut bytes)?;
        take(cells, &bytes)?;
    }
    Ok(())
}

/// Writes the coordinates of all cells: a row for each cell in canonical order, x first.
///
/// # Errors
/// If the file cannot be written.
pub fn write_places(domain: &Domain, path: &Path) -> Result<()> {
    let failed = |error| FileError::writing(path, error);
    let mut file = PendingFile::begin(path)?;
    let axes = domain.dimension().axes();
    let (descriptor, size) = if i32::try_from(domain.side()).is_ok() { ("<i4", 4) } else { ("<i8", 8) };
    let shape = [domain.cells(), axes as u64];
    let mut out = begin(BufWriter::new(file.file()), descriptor, &shape).map_err(failed)?;
    for c in 0..domain.cells() {
        for coordinate in &domain.lambda(c)[..axes] {
            out.write_all(&coordinate.to_le_bytes()[..size]).map_err(failed)?;
        }
    }
    out.flush().map_err(failed)?;
    drop(out);
    Ok(file.finish(&[])?)
}

/// Writes a window of the expanded grid: `[y, x]`, or `[z, y, x]` in three dimensions, bits as 0 and 1. Holes hold `hole`.
///
/// # Errors
/// If it does not fit in memory, the field cannot be read or the file not be written.
pub fn write_window(domain: &Domain, field: &dyn Field, window: &Window, hole: &[u8], path: &Path) -> Result<()> {
    let mut file = PendingFile::begin(path)?;
    let values = super::dense(domain, field, window, hole)?;
    let shape: Vec<u64> = window.size[..domain.dimension().axes()].iter().rev().copied().collect();
    let failed = |error| FileError::writing(path, error);
    let mut out = begin(BufWriter::new(file.file()), TypeNames::of(field.ty()).numpy, &shape).map_err(failed)?;
    out.write_all(&values).and_then(|()| out.flush()).map_err(failed)?;
    drop(out);
    Ok(file.finish(&[])?)
}
