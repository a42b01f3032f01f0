//! `.npy`, the array file of numpy.

use crate::state::TypeNames;
use crate::state::npy::Header;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Type;
use squeeze_engine::failure::Result;
use squeeze_engine::packed;
use squeeze_engine::simulation::{StateView, Window};
use squeeze_host::files::{FileError, PendingFile};
use std::io::Write;
use std::path::Path;

/// Cells that are written at once.
const PIECE: u64 = 1 << 22;

/// Writes all values in canonical order: one dimension, bits as 0 and 1.
///
/// # Errors
/// If the field cannot be read or the file not be written.
pub fn write_cells(field: StateView<'_>, path: &Path) -> Result<()> {
    let (domain, ty, file) = (field.domain(), field.ty(), PendingFile::begin(path)?);
    Header::write(file, path, TypeNames::of(ty).numpy, &[domain.cells()], |out| {
        let mut bytes = Vec::new();
        for from in (0..domain.cells()).step_by(PIECE as usize) {
            let cells = from..(from + PIECE).min(domain.cells());
            let count = cells.end - from;
            bytes.resize(packed::bytes(ty, count) as usize, 0);
            field.read(cells, &mut bytes)?;
            let written = match ty {
                Type::Bit => {
                    let bits = (0..count).map(|i| packed::bits(ty, &bytes, i) as u8);
                    out.write_all(&bits.collect::<Vec<u8>>())
                }
                _ => out.write_all(&bytes),
            };
            written.map_err(|error| FileError::writing(path, error))?;
        }
        Ok(())
    })
}

/// Writes the coordinates of all cells: a row for each cell in canonical order, x first.
///
/// # Errors
/// If the file cannot be written.
pub fn write_places(domain: &Domain, path: &Path) -> Result<()> {
    let axes = domain.dimension().axes();
    let (descriptor, size) = if i32::try_from(domain.side()).is_ok() { ("<i4", 4) } else { ("<i8", 8) };
    Header::write(PendingFile::begin(path)?, path, descriptor, &[domain.cells(), axes as u64], |out| {
        for c in 0..domain.cells() {
            for coordinate in &domain.lambda(c)[..axes] {
                let written = out.write_all(&coordinate.to_le_bytes()[..size]);
                written.map_err(|error| FileError::writing(path, error))?;
            }
        }
        Ok(())
    })
}

/// Writes a window of the expanded grid: `[y, x]`, or `[z, y, x]` in three dimensions, bits as 0 and 1. Holes hold `hole`.
///
/// # Errors
/// If it does not fit in memory, the field cannot be read or the file not be written.
pub fn write_window(field: StateView<'_>, window: &Window, hole: &[u8], path: &Path) -> Result<()> {
    let file = PendingFile::begin(path)?;
    let values = super::dense(field, window, hole)?;
    let shape: Vec<u64> = window.size[..field.domain().dimension().axes()].iter().rev().copied().collect();
    Header::write(file, path, TypeNames::of(field.ty()).numpy, &shape, |out| {
        Ok(out.write_all(&values).map_err(|error| FileError::writing(path, error))?)
    })
}
